/* The public copies: operands checked, then handed to transfer_copy. */
#include "base/api.h"
#include "base/arith.h"
#include "transfer/sides.h"

static weft_status check_range(const side *side, size_t offset, size_t length, size_t element) {
    if (side->length == WEFT_LENGTH_UNKNOWN ? !size_in_range(offset, length, SIZE_MAX / element)
                                            : !size_in_range(offset, length, side->length)) {
        return error_set(WEFT_ERROR_OUT_OF_RANGE, "%s_offset %zu + length %zu exceeds %s's %zu elements", side->name, offset,
                         length, side->name, size_min(side->length, SIZE_MAX / element));
    }
    return WEFT_OK;
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
    weft_status status = sides_check(context, dst, src, &to, &from, &dtype);
    if (status) {
        return status;
    }
    size_t length = to.is_buffer ? to.length : from.length, element = weft_dtype_size(dtype);
    const side *other = to.is_buffer ? &from : &to;
    if (other->length < length) {
        return error_set(WEFT_ERROR_OUT_OF_RANGE, "src's length %zu and dst's length %zu: %s is too short", from.length,
                         to.length, other->name);
    }
    status = side_check_pointer(other, length);
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
    weft_status status = sides_check(context, &dst, &src, &to, &from, &dtype);
    if (status) {
        return status;
    }
    size_t element = weft_dtype_size(dtype);
    TRY(check_range(&to, dst_offset, length, element));
    TRY(check_range(&from, src_offset, length, element));
    TRY(side_check_pointer(&to, length));
    TRY(side_check_pointer(&from, length));
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
            : context_retain(((const weft_host_buffer *)buffer.object)->memory->owner);
    weft_status status = copy_whole(context, dst ? dst : &buffer, src ? src : &buffer);
    context_release(context);
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
