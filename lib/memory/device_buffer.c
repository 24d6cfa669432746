/* Device buffers and their views. */
#include <stdlib.h>

#include "base/api.h"
#include "base/arith.h"
#include "base/object.h"
#include "context/recording.h"
#include "memory/buffers.h"

weft_status buffer_check_size(weft_dtype dtype, size_t length, size_t *size_bytes) {
    size_t element = weft_dtype_size(dtype);
    if (!element) {
        return error_set(WEFT_ERROR_TYPE_MISMATCH, "dtype %d is not a weft_dtype", (int)dtype);
    }
    if (!size_multiply(length, element, size_bytes)) {
        return error_set(WEFT_ERROR_OUT_OF_RANGE, "length %zu of %s is more bytes than a size_t holds", length,
                         weft_dtype_name(dtype));
    }
    return WEFT_OK;
}

weft_status buffer_check_view(weft_dtype dtype, size_t offset, size_t length, size_t size_bytes, size_t *offset_bytes) {
    size_t element = weft_dtype_size(dtype);
    if (!element) {
        return error_set(WEFT_ERROR_TYPE_MISMATCH, "view_dtype %d is not a weft_dtype", (int)dtype);
    }
    if (!size_in_range(offset, length, size_bytes / element)) {
        return error_set(WEFT_ERROR_OUT_OF_RANGE, "offset %zu + length %zu exceeds the buffer's %zu elements of %s", offset,
                         length, size_bytes / element, weft_dtype_name(dtype));
    }
    *offset_bytes = offset * element;
    return WEFT_OK;
}

/* A handle over memory, whose reference it takes over on success. */
static weft_status handle_new(memory *memory, size_t offset_bytes, weft_dtype dtype, size_t length, bool view,
                              weft_device_buffer **out) {
    weft_device_buffer *buffer = NULL;
    weft_status status = object_new(sizeof *buffer, &buffer);
    if (status) {
        return status;
    }
    refcount_init(&buffer->refs);
    buffer->memory = memory;
    buffer->offset_bytes = offset_bytes;
    buffer->length = length;
    buffer->dtype = dtype;
    buffer->view = view;
    *out = buffer;
    return WEFT_OK;
}

weft_status device_buffer_create(weft_context *context, weft_dtype dtype, size_t length, weft_device_buffer **out) {
    size_t size_bytes;
    weft_status status = buffer_check_size(dtype, length, &size_bytes);
    if (status) {
        return status;
    }
    memory *memory = NULL;
    TRY(memory_create(context, size_bytes, &memory));
    TRY(handle_new(memory, 0, dtype, length, false, out));
    memory = NULL;
cleanup:
    memory_release(memory);
    return status;
}

WEFT_API weft_status weft_enqueue_create_buffer(weft_context *context, weft_dtype dtype, size_t length,
                                                weft_device_buffer **out) {
    if (out) {
        *out = NULL;
    }
    API_ENTER();
    if (!context || !out) {
        return error_null(context ? "out" : "context");
    }
    return device_buffer_create(context, dtype, length, out);
}

WEFT_API weft_status weft_create_buffer_sync(weft_context *context, weft_dtype dtype, size_t length, weft_device_buffer **out) {
    if (out) {
        *out = NULL;
    }
    API_ENTER();
    if (!context || !out) {
        return error_null(context ? "out" : "context");
    }
    weft_device_buffer *buffer = NULL;
    weft_status status = context_may_block(context);
    if (status) {
        return status;
    }
    TRY(device_buffer_create(context, dtype, length, &buffer));
    TRY(context_wait(context));
    *out = buffer;
    buffer = NULL;
cleanup:
    weft_device_buffer_release(buffer);
    return status;
}

WEFT_API weft_device_buffer *weft_device_buffer_retain(weft_device_buffer *buffer) {
    if (buffer) {
        refcount_retain(&buffer->refs);
    }
    return buffer;
}

static void handle_free(weft_device_buffer *buffer) {
    cl_mem sub = atomic_load_explicit(&buffer->sub, memory_order_acquire);
    if (sub) {
        DRIVER(buffer->memory->device->entry, clReleaseMemObject(sub));
    }
    free(buffer);
}

WEFT_API void weft_device_buffer_release(weft_device_buffer *buffer) {
    if (buffer && !API_IS_DOWN() && refcount_release(&buffer->refs)) {
        memory *memory = buffer->memory;
        handle_free(buffer);
        memory_release(memory);
    }
}

WEFT_API size_t weft_device_buffer_length(weft_device_buffer *buffer) {
    return buffer ? buffer->length : 0;
}

WEFT_API weft_dtype weft_device_buffer_dtype(weft_device_buffer *buffer) {
    return buffer ? buffer->dtype : WEFT_INT8;
}

WEFT_API size_t weft_device_buffer_size_bytes(weft_device_buffer *buffer) {
    return buffer ? buffer_bytes(buffer->length, buffer->dtype) : 0;
}

WEFT_API weft_context *weft_device_buffer_context(weft_device_buffer *buffer) {
    if (!buffer) {
        return NULL;
    }
    if (API_IS_DOWN()) {
        return buffer->memory->owner; /* after a fork the lock may be held for ever */
    }
    pthread_mutex_lock(&buffer->memory->device->lock);
    weft_context *owner = buffer->memory->owner;
    pthread_mutex_unlock(&buffer->memory->device->lock);
    return owner;
}

WEFT_API weft_status weft_device_buffer_create_sub_buffer(weft_device_buffer *buffer, weft_dtype view_dtype, size_t offset,
                                                          size_t length, weft_device_buffer **out) {
    if (out) {
        *out = NULL;
    }
    API_ENTER();
    if (!buffer || !out) {
        return error_null(buffer ? "out" : "buffer");
    }
    size_t offset_bytes;
    weft_status status = buffer_check_view(view_dtype, offset, length, weft_device_buffer_size_bytes(buffer), &offset_bytes);
    if (status) {
        return status;
    }
    memory *memory = memory_retain(buffer->memory);
    TRY(handle_new(memory, buffer->offset_bytes + offset_bytes, view_dtype, length, true, out));
    memory = NULL;
cleanup:
    memory_release(memory);
    return status;
}

WEFT_API weft_status weft_device_buffer_unsafe_ptr(weft_device_buffer *buffer, weft_device_ptr *out) {
    if (out) {
        *out = (weft_device_ptr){NULL, 0};
    }
    API_ENTER();
    if (!buffer || !out) {
        return error_null(buffer ? "out" : "buffer");
    }
    *out = (weft_device_ptr){buffer->memory->mem, buffer->offset_bytes};
    return WEFT_OK;
}

WEFT_API weft_status weft_device_buffer_take_ptr(weft_device_buffer *buffer, weft_device_ptr *out) {
    if (out) {
        *out = (weft_device_ptr){NULL, 0};
    }
    API_ENTER();
    if (!buffer || !out) {
        return error_null(buffer ? "out" : "buffer");
    }
    memory *memory = buffer->memory;
    if (buffer->view) {
        return error_set(WEFT_ERROR_INVALID_ARGUMENT, "buffer is a view; its memory is its parent's to give");
    }
    if (!refcount_is_one(&buffer->refs) || !refcount_is_one(&memory->refs)) {
        return error_set(WEFT_ERROR_INVALID_ARGUMENT, "buffer is shared: other references or views of it exist");
    }
    pthread_mutex_lock(&memory->device->lock);
    memory->taken = true;
    pthread_mutex_unlock(&memory->device->lock);
    *out = (weft_device_ptr){memory->mem, buffer->offset_bytes};
    handle_free(buffer);
    return WEFT_OK;
}

/* The live memory behind ptr, with a reference: the taker's own when owning. */
static weft_status find_memory(device *device, weft_device_ptr ptr, bool owning, memory **out) {
    const weft_device_info *info = &device->entry->info;
    weft_status status;
    pthread_mutex_lock(&device->lock);
    memory *memory = device->memories;
    while (memory && memory->mem != ptr.mem) {
        memory = memory->next;
    }
    if (!memory) {
        status = error_set(WEFT_ERROR_INVALID_ARGUMENT, "ptr.mem %p is not live memory of weft's on device %s:%d",
                           (void *)ptr.mem, info->api, info->id);
    } else if (owning && !memory->taken) {
        status = error_set(WEFT_ERROR_INVALID_ARGUMENT, "owning: ptr.mem %p was not given by weft_device_buffer_take_ptr, or was "
                                                        "already taken back", (void *)ptr.mem);
    } else if (!owning && !refcount_try_retain(&memory->refs)) {
        status = error_set(WEFT_ERROR_INVALID_ARGUMENT, "ptr.mem %p is being released", (void *)ptr.mem);
    } else {
        status = WEFT_OK;
        memory->taken = memory->taken && !owning;
        *out = memory;
    }
    pthread_mutex_unlock(&device->lock);
    return status;
}

WEFT_API weft_status weft_wrap_device_ptr(weft_context *context, weft_device_ptr ptr, weft_dtype dtype, size_t length,
                                          bool owning, weft_device_buffer **out) {
    if (out) {
        *out = NULL;
    }
    API_ENTER();
    if (!context || !ptr.mem || !out) {
        return error_null(!context ? "context" : !ptr.mem ? "ptr.mem" : "out");
    }
    size_t size_bytes;
    weft_status status = buffer_check_size(dtype, length, &size_bytes);
    if (status) {
        return status;
    }
    weft_device_buffer *buffer = NULL;
    TRY(handle_new(NULL, ptr.offset_bytes, dtype, length, false, &buffer));
    TRY(find_memory(context->device, ptr, false, &buffer->memory));
    if (!size_in_range(ptr.offset_bytes, size_bytes, buffer->memory->size_bytes)) {
        TRY(error_set(WEFT_ERROR_OUT_OF_RANGE, "ptr.offset_bytes %zu + %zu bytes (length %zu of %s) exceeds the memory's %zu bytes",
                      ptr.offset_bytes, size_bytes, length, weft_dtype_name(dtype), buffer->memory->size_bytes));
    }
    if (owning) {
        memory *same;
        TRY(find_memory(context->device, ptr, true, &same));
        memory_set_owner(same, context);
        memory_release(same);
    }
    *out = buffer;
    buffer = NULL;
cleanup:
    if (buffer && buffer->memory) {
        memory_release(buffer->memory);
    }
    free(buffer);
    return status;
}
