/* The public copies: operands checked, then handed to transfer_copy. */
#include "base/api.h"
#include "base/arith.h"
#include "transfer/transfer.h"

/* An operand as the checks see it. */
typedef struct side {
    const char *name; /* "dst" or "src" */
    const weft_memory *operand;
    bool is_buffer;
    weft_dtype dtype;   /* of a buffer */
    size_t length;      /* of a buffer or span; WEFT_LENGTH_UNKNOWN for a bare pointer */
    region whole;
} side;

static weft_status side_of(const char *name, const weft_memory *operand, side *out) {
    *out = (side){.name = name, .operand = operand};
    if (!operand->object && (operand->kind != WEFT_MEMORY_POINTER || operand->length == WEFT_LENGTH_UNKNOWN)) {
        return error_null(name);
    }
    switch (operand->kind) {
        case WEFT_MEMORY_DEVICE_BUFFER: {
            const weft_device_buffer *buffer = operand->object;
            *out = (side){name, operand, true, buffer->dtype, buffer->length, region_of_device_buffer(buffer)};
            return WEFT_OK;
        }
        case WEFT_MEMORY_HOST_BUFFER: {
            const weft_host_buffer *buffer = operand->object;
            *out = (side){name, operand, true, buffer->dtype, buffer->length, region_of_host_buffer(buffer)};
            return WEFT_OK;
        }
        case WEFT_MEMORY_POINTER:
            out->length = operand->length;
            out->whole.data = (char *)(uintptr_t)operand->object;
            return WEFT_OK;
        default:
            return error_set(WEFT_ERROR_INVALID_ARGUMENT, "%s is no operand: its kind is %d", name, (int)operand->kind);
    }
}

static weft_status check_type(const side *side, weft_dtype dtype) {
    if (side->is_buffer && side->dtype != dtype) {
        return error_set(WEFT_ERROR_TYPE_MISMATCH, "dst holds %s but src holds %s", weft_dtype_name(dtype),
                         weft_dtype_name(side->dtype));
    }
    if (!side->is_buffer && !(side->operand->dtypes & WEFT_DTYPE_BIT(dtype))) {
        return error_set(WEFT_ERROR_TYPE_MISMATCH, "%s points to another type than the buffer's %s", side->name,
                         weft_dtype_name(dtype));
    }
    return WEFT_OK;
}

/* Both sides, checked against each other in everything but length; *dtype is what moves. */
static weft_status check_sides(weft_context *context, const weft_memory *dst, const weft_memory *src, side *to, side *from,
                               weft_dtype *dtype) {
    if (!context) {
        return error_null("context");
    }
    weft_status status = WEFT_OK;
    TRY(side_of("dst", dst, to));
    TRY(side_of("src", src, from));
    if (!to->is_buffer && !from->is_buffer) {
        TRY(error_set(WEFT_ERROR_INVALID_ARGUMENT, "dst and src are both host pointers; one must be a buffer"));
    }
    if (!to->is_buffer && dst->read_only) {
        TRY(error_set(WEFT_ERROR_INVALID_ARGUMENT, "dst points to const memory"));
    }
    *dtype = to->is_buffer ? to->dtype : from->dtype;
    TRY(check_type(to, *dtype));
    TRY(check_type(from, *dtype));
cleanup:
    return status;
}

static weft_status check_range(const side *side, size_t offset, size_t length, size_t element) {
    if (side->length == WEFT_LENGTH_UNKNOWN ? !size_in_range(offset, length, SIZE_MAX / element)
                                            : !size_in_range(offset, length, side->length)) {
        return error_set(WEFT_ERROR_OUT_OF_RANGE, "%s_offset %zu + length %zu exceeds %s's %zu elements", side->name, offset,
                         length, side->name, size_min(side->length, SIZE_MAX / element));
    }
    return WEFT_OK;
}

/* No memory behind a pointer is right for no elements only, as an empty vector's data. */
static weft_status check_pointer(const side *side, size_t length) {
    return !side->is_buffer && !side->operand->object && length ? error_null(side->name) : WEFT_OK;
}

static region part_of(const side *side, size_t offset, size_t length, size_t element) {
    region part = side->whole;
    if (part.memory) {
        part.offset_bytes += offset * element;
    } else if (part.data) {
        part.data += offset * element;
    }
    part.size_bytes = length * element;
    return part;
}

static weft_status copy_whole(weft_context *context, const weft_memory *dst, const weft_memory *src) {
    side to, from;
    weft_dtype dtype;
    weft_status status = check_sides(context, dst, src, &to, &from, &dtype);
    if (status) {
        return status;
    }
    size_t length = to.is_buffer ? to.length : from.length, element = weft_dtype_size(dtype);
    const side *other = to.is_buffer ? &from : &to;
    if (other->length < length) {
        return error_set(WEFT_ERROR_OUT_OF_RANGE, "src's length %zu and dst's length %zu: %s is too short", from.length,
                         to.length, other->name);
    }
    status = check_pointer(other, length);
    return status ? status : transfer_copy(context, part_of(&to, 0, length, element), part_of(&from, 0, length, element));
}

WEFT_API weft_status weft_enqueue_copy_memory(weft_context *context, weft_memory dst, weft_memory src) {
    API_ENTER_AS("weft_enqueue_copy");
    return copy_whole(context, &dst, &src);
}

WEFT_API weft_status weft_enqueue_copy_range_memory(weft_context *context, weft_memory dst, size_t dst_offset, weft_memory src,
                                                    size_t src_offset, size_t length) {
    API_ENTER_AS("weft_enqueue_copy_range");
    side to, from;
    weft_dtype dtype;
    weft_status status = check_sides(context, &dst, &src, &to, &from, &dtype);
    if (status) {
        return status;
    }
    size_t element = weft_dtype_size(dtype);
    TRY(check_range(&to, dst_offset, length, element));
    TRY(check_range(&from, src_offset, length, element));
    TRY(check_pointer(&to, length));
    TRY(check_pointer(&from, length));
    TRY(transfer_copy(context, part_of(&to, dst_offset, length, element), part_of(&from, src_offset, length, element)));
cleanup:
    return status;
}

/* One side is `buffer`, on whose own context the copy runs. */
static weft_status copy_on_own(weft_memory buffer, const weft_memory *dst, const weft_memory *src) {
    if (!buffer.object) {
        return error_null("buffer");
    }
    weft_context *context =
        buffer.kind == WEFT_MEMORY_DEVICE_BUFFER
            ? memory_owner(((const weft_device_buffer *)buffer.object)->memory)
            : weft_context_retain(((const weft_host_buffer *)buffer.object)->memory->owner);
    weft_status status = copy_whole(context, dst ? dst : &buffer, src ? src : &buffer);
    weft_context_release(context);
    return status;
}

WEFT_API weft_status weft_device_buffer_enqueue_copy_to_memory(weft_device_buffer *buffer, weft_memory dst) {
    API_ENTER_AS("weft_device_buffer_enqueue_copy_to");
    return copy_on_own(weft_memory_from_device_buffer(buffer), &dst, NULL);
}

WEFT_API weft_status weft_device_buffer_enqueue_copy_from_memory(weft_device_buffer *buffer, weft_memory src) {
    API_ENTER_AS("weft_device_buffer_enqueue_copy_from");
    return copy_on_own(weft_memory_from_device_buffer(buffer), NULL, &src);
}

WEFT_API weft_status weft_host_buffer_enqueue_copy_to_memory(weft_host_buffer *buffer, weft_memory dst) {
    API_ENTER_AS("weft_host_buffer_enqueue_copy_to");
    return copy_on_own(weft_memory_from_host_buffer(buffer), &dst, NULL);
}

WEFT_API weft_status weft_host_buffer_enqueue_copy_from_memory(weft_host_buffer *buffer, weft_memory src) {
    API_ENTER_AS("weft_host_buffer_enqueue_copy_from");
    return copy_on_own(weft_memory_from_host_buffer(buffer), NULL, &src);
}

WEFT_API weft_memory weft_memory_from_device_buffer(weft_device_buffer *buffer) {
    return (weft_memory){WEFT_MEMORY_DEVICE_BUFFER, WEFT_ANY_DTYPE, WEFT_LENGTH_UNKNOWN, false, buffer};
}

WEFT_API weft_memory weft_memory_from_host_buffer(weft_host_buffer *buffer) {
    return (weft_memory){WEFT_MEMORY_HOST_BUFFER, WEFT_ANY_DTYPE, WEFT_LENGTH_UNKNOWN, false, buffer};
}

WEFT_API weft_memory weft_memory_from_pointer(void *data, uint32_t dtypes, size_t length) {
    return (weft_memory){WEFT_MEMORY_POINTER, dtypes, length, false, data};
}

WEFT_API weft_memory weft_memory_from_const_pointer(const void *data, uint32_t dtypes, size_t length) {
    return (weft_memory){WEFT_MEMORY_POINTER, dtypes, length, true, data};
}
