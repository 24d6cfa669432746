#include "transfer/sides.h"

#include "base/api.h"

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

weft_status sides_check(weft_context *context, const weft_memory *dst, const weft_memory *src, side *to, side *from,
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

weft_status side_check_pointer(const side *side, size_t length) {
    return !side->is_buffer && !side->operand->object && length ? error_null(side->name) : WEFT_OK;
}
