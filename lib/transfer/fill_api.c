/* The public fills: operand and value checked, then handed to transfer_fill. */
#include "base/api.h"
#include "base/arith.h"
#include "base/convert.h"
#include "transfer/transfer.h"

enum { MOST_PATTERN_BYTES = 4096 };

/* The buffer an operand names. */
typedef struct target {
    region whole;
    weft_dtype dtype;
    size_t length;
    weft_context *context; /* held */
} target;

static weft_status target_of(const weft_memory *operand, target *out) {
    if (!operand->object) {
        return error_null("buffer");
    }
    if (operand->kind == WEFT_MEMORY_DEVICE_BUFFER) {
        const weft_device_buffer *buffer = operand->object;
        *out = (target){region_of_device_buffer(buffer), buffer->dtype, buffer->length, memory_owner(buffer->memory)};
    } else if (operand->kind == WEFT_MEMORY_HOST_BUFFER) {
        const weft_host_buffer *buffer = operand->object;
        *out = (target){region_of_host_buffer(buffer), buffer->dtype, buffer->length,
                        context_retain(buffer->memory->owner)};
    } else {
        return error_set(WEFT_ERROR_INVALID_ARGUMENT, "buffer is neither a device nor a host buffer");
    }
    return WEFT_OK;
}

static weft_status fill(target *target, size_t offset_bytes, const void *pattern, size_t pattern_bytes, size_t count) {
    region part = target->whole;
    if (part.memory) {
        part.offset_bytes += offset_bytes;
    } else if (part.data) {
        part.data += offset_bytes;
    }
    return transfer_fill(target->context, part, pattern, pattern_bytes, count);
}

static weft_status to_element(weft_scalar value, weft_dtype dtype, unsigned char out[8]) {
    char shown[40];
    convert_show(value, shown);
    switch (convert_to_dtype(value, dtype, out)) {
        case CONVERSION_OK:
            return WEFT_OK;
        case CONVERSION_OUT_OF_RANGE:
            return error_set(WEFT_ERROR_OUT_OF_RANGE, "value %s is beyond the range of %s", shown, weft_dtype_name(dtype));
        case CONVERSION_INEXACT:
            return error_set(WEFT_ERROR_TYPE_MISMATCH, "value %s would be inexact in %s", shown, weft_dtype_name(dtype));
        default:
            return error_set(WEFT_ERROR_TYPE_MISMATCH, "value is no number: its kind is %d", (int)value.kind);
    }
}

static weft_status fill_elements(const weft_memory *buffer, const size_t *range, weft_scalar value) {
    target target;
    unsigned char element[8];
    weft_status status = target_of(buffer, &target);
    if (status) {
        return status;
    }
    size_t offset = range ? range[0] : 0, length = range ? range[1] : target.length, size = weft_dtype_size(target.dtype);
    if (!size_in_range(offset, length, target.length)) {
        TRY(error_set(WEFT_ERROR_OUT_OF_RANGE, "offset %zu + length %zu exceeds the buffer's %zu elements", offset, length,
                      target.length));
    }
    TRY(to_element(value, target.dtype, element));
    TRY(fill(&target, offset * size, element, size, length));
cleanup:
    context_release(target.context);
    return status;
}

WEFT_API weft_status weft_enqueue_fill_scalar(weft_memory buffer, weft_scalar value) {
    API_ENTER_AS("weft_enqueue_fill");
    return fill_elements(&buffer, NULL, value);
}

WEFT_API weft_status weft_enqueue_fill_range_scalar(weft_memory buffer, size_t offset, size_t length, weft_scalar value) {
    API_ENTER_AS("weft_enqueue_fill_range");
    return fill_elements(&buffer, (const size_t[]){offset, length}, value);
}

WEFT_API weft_status weft_enqueue_fill_memory(weft_memory buffer, size_t offset_bytes, const void *pattern,
                                              size_t pattern_bytes, size_t count) {
    API_ENTER_AS("weft_enqueue_fill_bytes");
    target target;
    if (!pattern) {
        return error_null("pattern");
    }
    if (pattern_bytes < 1 || pattern_bytes > MOST_PATTERN_BYTES) {
        return error_set(WEFT_ERROR_OUT_OF_RANGE, "pattern_bytes is %zu; a pattern has 1 to %d bytes", pattern_bytes,
                         MOST_PATTERN_BYTES);
    }
    weft_status status = target_of(&buffer, &target);
    if (status) {
        return status;
    }
    size_t size_bytes;
    if (!size_multiply(pattern_bytes, count, &size_bytes) ||
        !size_in_range(offset_bytes, size_bytes, target.whole.size_bytes)) {
        TRY(error_set(WEFT_ERROR_OUT_OF_RANGE, "offset_bytes %zu + count %zu x pattern_bytes %zu exceeds the buffer's %zu bytes",
                      offset_bytes, count, pattern_bytes, target.whole.size_bytes));
    }
    TRY(fill(&target, offset_bytes, pattern, pattern_bytes, count));
cleanup:
    context_release(target.context);
    return status;
}
