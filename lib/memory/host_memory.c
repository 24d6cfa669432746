/* Host memory that copies may use, kept until they have ended. */
#include <stdlib.h>

#include "base/api.h"
#include "base/arith.h"
#include "base/object.h"
#include "memory/buffers.h"

enum { ALIGNMENT = 64, PAGE = 4096 };

/* Memory that the device copies fastest: pinned by the driver, mapped for as long as it lives. */
static weft_status allocate_pinned(host_memory *memory) {
    const device_entry *entry = memory->device->entry;
    cl_command_queue queue;
    weft_status status = device_utility_queue(memory->device, &queue);
    if (status) {
        return status;
    }
    cl_int code;
    DRIVER(entry, memory->pinned = clCreateBuffer(memory->device->cl, CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR,
                                                  memory->size_bytes, NULL, &code));
    if (!memory->pinned) {
        return driver_error_as(WEFT_ERROR_OUT_OF_HOST_MEMORY, entry, "clCreateBuffer", code, "pinned host memory");
    }
    DRIVER(entry, memory->data = clEnqueueMapBuffer(queue, memory->pinned, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0,
                                                    memory->size_bytes, 0, NULL, NULL, &code));
    if (!memory->data) {
        status = driver_error_as(WEFT_ERROR_OUT_OF_HOST_MEMORY, entry, "clEnqueueMapBuffer", code, "pinned host memory");
        DRIVER(entry, clReleaseMemObject(memory->pinned));
        memory->pinned = NULL;
    }
    return status;
}

static weft_status allocate(host_memory *memory) {
    if (memory->kind == HOST_PINNED) {
        return allocate_pinned(memory);
    }
    size_t alignment = memory->size_bytes >= PAGE ? PAGE : ALIGNMENT;
    size_t rounded = size_max(memory->size_bytes, 1);
    if (__builtin_add_overflow(rounded, alignment - 1, &rounded)) {
        return error_host_memory(memory->size_bytes);
    }
    memory->data = aligned_alloc(alignment, rounded & ~(alignment - 1));
    return memory->data ? WEFT_OK : error_host_memory(memory->size_bytes);
}

weft_status host_memory_create(weft_context *context, size_t size_bytes, host_memory **out) {
    host_memory *memory = NULL;
    weft_status status = object_new(sizeof *memory, &memory);
    if (status) {
        return status;
    }
    refcount_init(&memory->refs);
    memory->device = context->device;
    memory->size_bytes = size_bytes;
    /* On a CPU device the heap is as fast as memory that a driver calls pinned. */
    memory->kind = size_bytes > 0 && *context->device->entry->info.kind != 'c' ? HOST_PINNED : HOST_HEAP;
    status = allocate(memory);
    if (status) {
        free(memory);
        return status;
    }
    device_retain(memory->device);
    memory->owner = weft_context_retain(context);
    pthread_mutex_init(&memory->lock, NULL);
    *out = memory;
    return WEFT_OK;
}

host_memory *host_memory_retain(host_memory *memory) {
    refcount_retain(&memory->refs);
    return memory;
}

/* Gives the block back; nothing uses it any more. */
static void dispose(void *what) {
    host_memory *memory = what;
    device *device = memory->device;
    if (memory->kind == HOST_PINNED) {
        DRIVER(device->entry, clEnqueueUnmapMemObject(device->utility, memory->pinned, memory->data, 0, NULL, NULL));
        DRIVER(device->entry, clFlush(device->utility));
        DRIVER(device->entry, clReleaseMemObject(memory->pinned));
    } else if (memory->kind == HOST_HEAP) {
        free(memory->data);
    }
    pthread_mutex_destroy(&memory->lock);
    free(memory);
    device_release(device);
}

void host_memory_release(host_memory *memory) {
    if (!memory || !refcount_release(&memory->refs)) {
        return;
    }
    weft_context *owner = memory->owner;
    weft_context *contexts[sizeof memory->uses / sizeof *memory->uses];
    weft_context *busy = NULL;
    unsigned n_uses = memory->n_uses;
    for (unsigned i = 0; i < n_uses; i++) {
        contexts[i] = memory->uses[i].context;
        if (memory->kind != HOST_WRAPPED && !context_is_past(contexts[i], memory->uses[i].position)) {
            if (busy) {
                context_settle(busy); /* one context can keep it; the others must be past it */
            }
            busy = contexts[i];
        }
    }
    if (busy) {
        context_retire(busy, memory->size_bytes, dispose, memory);
    } else {
        dispose(memory);
    }
    for (unsigned i = 0; i < n_uses; i++) {
        weft_context_release(contexts[i]);
    }
    weft_context_release(owner);
}

void host_memory_used(host_memory *memory, weft_context *context) {
    uint64_t position = context_count(context);
    weft_context *forgotten = NULL;
    pthread_mutex_lock(&memory->lock);
    unsigned at = 0;
    while (at < memory->n_uses && memory->uses[at].context != context) {
        at++;
    }
    if (at == sizeof memory->uses / sizeof *memory->uses) {
        at = 0;
        forgotten = memory->uses[at].context;
        if (!context_is_past(forgotten, memory->uses[at].position)) {
            context_settle(forgotten);
        }
    }
    if (at == memory->n_uses || forgotten) {
        memory->uses[at].context = weft_context_retain(context);
        memory->n_uses = at == memory->n_uses ? at + 1 : memory->n_uses;
    }
    memory->uses[at].position = position;
    pthread_mutex_unlock(&memory->lock);
    weft_context_release(forgotten);
}
