/* Allocations on a device. */
#include <stdlib.h>

#include "base/api.h"
#include "base/arith.h"
#include "base/object.h"
#include "memory/buffers.h"

/* What backs length 0, so that every buffer is a kernel argument. */
enum { LEAST_BYTES = 16 };

/* Of blocks that serve as device memory: a page, the most any OpenCL type wants and then some. */
enum { HOST_ALIGNMENT = 4096 };

static weft_status no_memory(const device *device, size_t size_bytes, cl_int code) {
    const weft_device_info *info = &device->entry->info;
    return error_set_cl(WEFT_ERROR_OUT_OF_DEVICE_MEMORY, code,
                        "%zu bytes asked for on device %s:%d, which has %zu, largest allocation %zu, %zu held by weft (%s)",
                        size_bytes, info->api, info->id, info->global_memory_bytes, info->max_allocation_bytes,
                        atomic_load_explicit(&device->live_bytes, memory_order_relaxed),
                        code ? driver_code_name(code) : "more than the whole");
}

weft_status memory_failed(const memory *memory, const char *call, cl_int code) {
    /* Drivers grant buffers and find memory for them on their first use. */
    return code == CL_MEM_OBJECT_ALLOCATION_FAILURE ? no_memory(memory->device, memory->size_bytes, code)
                                                    : driver_error(memory->device->entry, call, code);
}

static void CL_CALLBACK host_block_unused(cl_mem mem, void *block) {
    (void)mem;
    free(block);
}

/* Device memory over a block of the host's, which goes when the driver's object really does. */
static cl_mem create_over_host(const device *device, size_t size_bytes, char **host, cl_int *code) {
    size_t rounded = (size_bytes + HOST_ALIGNMENT - 1) & ~(size_t)(HOST_ALIGNMENT - 1);
    void *block = aligned_alloc(HOST_ALIGNMENT, rounded);
    cl_mem mem = NULL;
    *code = CL_MEM_OBJECT_ALLOCATION_FAILURE;
    if (block) {
        DRIVER(device->entry, mem = clCreateBuffer(device->cl, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, size_bytes, block, code));
    }
    if (mem) {
        DRIVER(device->entry, *code = clSetMemObjectDestructorCallback(mem, host_block_unused, block));
    }
    if (*code != CL_SUCCESS) {
        if (mem) {
            DRIVER(device->entry, clReleaseMemObject(mem));
        }
        free(block);
        return NULL;
    }
    *host = block;
    return mem;
}

/* Counts the bytes as held; false when they cannot be, on a driver that would grant them all the same. */
static bool reserve(device *device, size_t size_bytes) {
    bool overcommits = device->entry->quirks & QUIRK_MEMORY_OVERCOMMITS;
    size_t whole = overcommits ? device->entry->info.global_memory_bytes : SIZE_MAX;
    size_t live = atomic_load_explicit(&device->live_bytes, memory_order_relaxed);
    do {
        if (!size_in_range(live, size_bytes, whole)) {
            return false;
        }
    } while (!atomic_compare_exchange_weak_explicit(&device->live_bytes, &live, live + size_bytes, memory_order_relaxed,
                                                    memory_order_relaxed));
    trace_memory(device->entry, live + size_bytes);
    return true;
}

static void unreserve(device *device, size_t size_bytes) {
    size_t before = atomic_fetch_sub_explicit(&device->live_bytes, size_bytes, memory_order_relaxed);
    trace_memory(device->entry, before - size_bytes);
}

static weft_status allocate(device *device, size_t size_bytes, cl_mem *out, char **host) {
    size_t asked = size_max(size_bytes, LEAST_BYTES);
    if (!reserve(device, asked)) {
        return no_memory(device, size_bytes, CL_SUCCESS);
    }
    weft_status status = WEFT_OK;
    cl_int code = CL_SUCCESS;
    if (device->entry->quirks & QUIRK_HOST_POINTER_ARGUMENTS) {
        *out = create_over_host(device, asked, host, &code);
    } else {
        DRIVER(device->entry, *out = clCreateBuffer(device->cl, CL_MEM_READ_WRITE, asked, NULL, &code));
    }
    if (!*out) {
        bool memory = code == CL_INVALID_BUFFER_SIZE || code == CL_MEM_OBJECT_ALLOCATION_FAILURE || code == CL_OUT_OF_RESOURCES;
        unreserve(device, asked);
        status = memory ? no_memory(device, size_bytes, code) : driver_error(device->entry, "clCreateBuffer", code);
    }
    return status;
}

static void list_add(memory *memory) {
    device *device = memory->device;
    pthread_mutex_lock(&device->lock);
    memory->next = device->memories;
    if (memory->next) {
        memory->next->previous = memory;
    }
    device->memories = memory;
    pthread_mutex_unlock(&device->lock);
}

static void list_remove(memory *memory) {
    device *device = memory->device;
    pthread_mutex_lock(&device->lock);
    *(memory->previous ? &memory->previous->next : &device->memories) = memory->next;
    if (memory->next) {
        memory->next->previous = memory->previous;
    }
    pthread_mutex_unlock(&device->lock);
}

weft_status memory_create(weft_context *context, size_t size_bytes, memory **out) {
    memory *made = NULL;
    weft_status status = context_check(context);
    status = status ? status : object_new(sizeof *made, &made);
    if (status) {
        return status;
    }
    status = allocate(context->device, size_bytes, &made->mem, &made->host);
    if (status) {
        free(made);
        return status;
    }
    refcount_init(&made->refs);
    made->device = device_retain(context->device);
    made->size_bytes = size_bytes;
    made->owner = context_retain(context);
    list_add(made);
    *out = made;
    return WEFT_OK;
}

memory *memory_retain(memory *memory) {
    refcount_retain(&memory->refs);
    return memory;
}

void memory_release(memory *memory) {
    if (!memory || !refcount_release(&memory->refs)) {
        return;
    }
    device *device = memory->device;
    list_remove(memory);
    /* Enqueued commands keep the driver's object (OpenCL 5.5). */
    DRIVER(device->entry, clReleaseMemObject(memory->mem));
    unreserve(device, size_max(memory->size_bytes, LEAST_BYTES));
    context_release(memory->owner);
    free(memory);
    device_release(device);
}

weft_context *memory_owner(memory *memory) {
    pthread_mutex_lock(&memory->device->lock);
    weft_context *owner = context_retain(memory->owner);
    pthread_mutex_unlock(&memory->device->lock);
    return owner;
}

void memory_set_owner(memory *memory, weft_context *context) {
    context_retain(context);
    pthread_mutex_lock(&memory->device->lock);
    weft_context *before = memory->owner;
    memory->owner = context;
    pthread_mutex_unlock(&memory->device->lock);
    context_release(before);
}
