/* Host memory that copies may use, kept until they have ended. */
#include <stdlib.h>
#include <string.h>

#include "base/api.h"
#include "base/arith.h"
#include "base/object.h"
#include "context/host_func.h"
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

static weft_status begin(weft_context *context, size_t size_bytes, host_memory **out) {
    weft_status status = object_new(sizeof **out, out);
    if (!status) {
        host_memory *memory = *out;
        refcount_init(&memory->refs);
        memory->uses = memory->few_uses;
        memory->room_for_uses = sizeof memory->few_uses / sizeof *memory->few_uses;
        memory->device = context->device;
        memory->size_bytes = size_bytes;
    }
    return status;
}

static host_memory *complete(host_memory *memory, weft_context *context) {
    device_retain(memory->device);
    memory->owner = context_retain(context);
    pthread_mutex_init(&memory->lock, NULL);
    return memory;
}

weft_status host_memory_create(weft_context *context, size_t size_bytes, host_memory **out) {
    host_memory *memory = NULL;
    weft_status status = context_check(context); /* where the memory is the heap's, too */
    status = status ? status : begin(context, size_bytes, &memory);
    if (status) {
        return status;
    }
    /* On a CPU device the heap is as fast as memory that a driver calls pinned. */
    memory->kind = size_bytes > 0 && *context->device->entry->info.kind != 'c' ? HOST_PINNED : HOST_HEAP;
    status = allocate(memory);
    if (status) {
        free(memory);
        return status;
    }
    *out = complete(memory, context);
    return WEFT_OK;
}

weft_status host_memory_wrap(weft_context *context, void *data, size_t size_bytes, host_memory **out) {
    host_memory *memory = NULL;
    weft_status status = begin(context, size_bytes, &memory);
    if (!status) {
        memory->kind = HOST_WRAPPED;
        memory->data = data;
        *out = complete(memory, context);
    }
    return status;
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

static bool is_busy(const host_memory *memory, size_t use) {
    return memory->kind != HOST_WRAPPED && !context_is_past(memory->uses[use].context, memory->uses[use].position);
}

/* Nobody holds the block any more. One context can keep it until it has used it; the others must be past it. */
static void let_go(void *what) {
    host_memory *memory = what;
    weft_context *owner = memory->owner, *keeper = NULL;
    host_use *uses = memory->uses, few[sizeof memory->few_uses / sizeof *memory->few_uses];
    size_t n_uses = memory->n_uses;
    if (uses == memory->few_uses) {
        memcpy(few, uses, sizeof few);
        uses = few;
    }
    for (size_t i = 0; i < n_uses; i++) {
        if (is_busy(memory, i)) {
            if (keeper) {
                context_settle(keeper);
            }
            keeper = uses[i].context;
        }
    }
    if (keeper) {
        context_retire(keeper, memory->size_bytes, dispose, memory);
    } else {
        dispose(memory);
    }
    for (size_t i = 0; i < n_uses; i++) {
        context_release(uses[i].context);
    }
    if (uses != few) {
        free(uses);
    }
    context_release(owner);
}

void host_memory_release(host_memory *memory) {
    if (!memory || !refcount_release(&memory->refs)) {
        return;
    }
    bool busy = false;
    for (size_t i = 0; i < memory->n_uses; i++) {
        busy |= is_busy(memory, i);
    }
    if (!busy || !host_func_defer(&memory->end, let_go, memory)) {
        let_go(memory);
    }
}

/* A place for one more context. Without memory for it, the first context is waited for and forgotten. */
static size_t place_locked(host_memory *memory, weft_context **forgotten) {
    if (memory->n_uses < memory->room_for_uses) {
        return memory->n_uses++;
    }
    host_use *more = calloc(2 * memory->room_for_uses, sizeof *more);
    if (!more) {
        *forgotten = memory->uses[0].context;
        if (is_busy(memory, 0)) {
            context_settle(*forgotten);
        }
        return 0;
    }
    memcpy(more, memory->uses, memory->n_uses * sizeof *more);
    if (memory->uses != memory->few_uses) {
        free(memory->uses);
    }
    memory->uses = more;
    memory->room_for_uses *= 2;
    return memory->n_uses++;
}

void host_memory_used(host_memory *memory, weft_context *context) {
    uint64_t position = context_count(context);
    weft_context *forgotten = NULL;
    size_t at = 0;
    pthread_mutex_lock(&memory->lock);
    while (at < memory->n_uses && memory->uses[at].context != context) {
        at++;
    }
    if (at == memory->n_uses) {
        at = place_locked(memory, &forgotten);
        memory->uses[at].context = context_retain(context);
    }
    memory->uses[at].position = position;
    pthread_mutex_unlock(&memory->lock);
    context_release(forgotten);
}
