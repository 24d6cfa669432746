/* Host buffers and their views. */
#include <stdlib.h>

#include "base/api.h"
#include "base/object.h"
#include "memory/buffers.h"

/* A handle over memory, whose reference it takes over on success. */
static weft_status handle_new(host_memory *memory, size_t offset_bytes, weft_dtype dtype, size_t length,
                              weft_host_buffer **out) {
    weft_host_buffer *buffer = NULL;
    weft_status status = object_new(sizeof *buffer, &buffer);
    if (status) {
        return status;
    }
    refcount_init(&buffer->refs);
    buffer->memory = memory;
    buffer->offset_bytes = offset_bytes;
    buffer->length = length;
    buffer->dtype = dtype;
    *out = buffer;
    return WEFT_OK;
}

weft_status host_buffer_create(weft_context *context, weft_dtype dtype, size_t length, weft_host_buffer **out) {
    size_t size_bytes;
    weft_status status = buffer_check_size(dtype, length, &size_bytes);
    if (status) {
        return status;
    }
    host_memory *memory = NULL;
    TRY(host_memory_create(context, size_bytes, &memory));
    TRY(handle_new(memory, 0, dtype, length, out));
    memory = NULL;
cleanup:
    host_memory_release(memory);
    return status;
}

WEFT_API weft_status weft_enqueue_create_host_buffer(weft_context *context, weft_dtype dtype, size_t length,
                                                     weft_host_buffer **out) {
    if (out) {
        *out = NULL;
    }
    API_ENTER();
    if (!context || !out) {
        return error_null(context ? "out" : "context");
    }
    return host_buffer_create(context, dtype, length, out);
}

WEFT_API weft_status weft_wrap_host_memory(weft_context *context, weft_dtype dtype, void *data, size_t length,
                                           weft_host_buffer **out) {
    if (out) {
        *out = NULL;
    }
    API_ENTER();
    if (!context || (!data && length) || !out) {
        return error_null(!context ? "context" : !out ? "out" : "data");
    }
    size_t size_bytes;
    weft_status status = buffer_check_size(dtype, length, &size_bytes);
    if (status) {
        return status;
    }
    if ((uintptr_t)data % weft_dtype_size(dtype)) {
        return error_set(WEFT_ERROR_INVALID_ARGUMENT, "data %p is not aligned to %zu bytes, the size of %s", data,
                         weft_dtype_size(dtype), weft_dtype_name(dtype));
    }
    if (size_bytes > UINTPTR_MAX - (uintptr_t)data) {
        return error_set(WEFT_ERROR_OUT_OF_RANGE, "data %p + %zu bytes runs beyond the address space", data, size_bytes);
    }
    host_memory *memory = NULL;
    TRY(host_memory_wrap(context, data, size_bytes, &memory));
    TRY(handle_new(memory, 0, dtype, length, out));
    memory = NULL;
cleanup:
    host_memory_release(memory);
    return status;
}

WEFT_API weft_host_buffer *weft_host_buffer_retain(weft_host_buffer *buffer) {
    if (buffer) {
        refcount_retain(&buffer->refs);
    }
    return buffer;
}

WEFT_API void weft_host_buffer_release(weft_host_buffer *buffer) {
    if (buffer && !API_IS_DOWN() && refcount_release(&buffer->refs)) {
        weft_device_buffer_release(buffer->mapped);
        host_memory_release(buffer->memory);
        free(buffer);
    }
}

WEFT_API size_t weft_host_buffer_length(weft_host_buffer *buffer) {
    return buffer ? buffer->length : 0;
}

WEFT_API weft_dtype weft_host_buffer_dtype(weft_host_buffer *buffer) {
    return buffer ? buffer->dtype : WEFT_INT8;
}

WEFT_API size_t weft_host_buffer_size_bytes(weft_host_buffer *buffer) {
    return buffer ? buffer_bytes(buffer->length, buffer->dtype) : 0;
}

WEFT_API weft_context *weft_host_buffer_context(weft_host_buffer *buffer) {
    return buffer ? buffer->memory->owner : NULL;
}

WEFT_API void *weft_host_buffer_data(weft_host_buffer *buffer) {
    return buffer && buffer->memory->data ? (char *)buffer->memory->data + buffer->offset_bytes : NULL;
}

WEFT_API weft_status weft_host_buffer_create_sub_buffer(weft_host_buffer *buffer, weft_dtype view_dtype, size_t offset,
                                                        size_t length, weft_host_buffer **out) {
    if (out) {
        *out = NULL;
    }
    API_ENTER();
    if (!buffer || !out) {
        return error_null(buffer ? "out" : "buffer");
    }
    size_t offset_bytes;
    weft_status status = buffer_check_view(view_dtype, offset, length, weft_host_buffer_size_bytes(buffer), &offset_bytes);
    if (status) {
        return status;
    }
    host_memory *memory = host_memory_retain(buffer->memory);
    TRY(handle_new(memory, buffer->offset_bytes + offset_bytes, view_dtype, length, out));
    memory = NULL;
cleanup:
    host_memory_release(memory);
    return status;
}
