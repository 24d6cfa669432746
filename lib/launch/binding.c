#include "launch/binding.h"

#include <stdlib.h>
#include <string.h>

#include "base/api.h"
#include "base/arith.h"
#include "base/convert.h"
#include "launch/views.h"

/* The most a type's natural alignment can be (double16); what an unknown pointee may want. */
enum { LARGEST_ALIGNMENT = 128 };

static const char *arg_type_name(const weft_arg *arg, char out[64]) {
    static const char *const integers[2][9] = {
        {"?", "uint8", "uint16", "?", "uint32", "?", "?", "?", "uint64"}, {"?", "int8", "int16", "?", "int32", "?", "?", "?", "int64"}};
    switch (arg->kind) {
        case WEFT_ARG_SIGNED:
        case WEFT_ARG_UNSIGNED:
            return arg->size_bytes <= 8 ? integers[arg->kind == WEFT_ARG_SIGNED][arg->size_bytes] : "?";
        case WEFT_ARG_FLOAT:
            return "float";
        case WEFT_ARG_DOUBLE:
            return "double";
        case WEFT_ARG_BUFFER:
            if (!arg->value.buffer) {
                return "a NULL buffer";
            }
            snprintf(out, 64, "a buffer of %s", weft_dtype_name(arg->value.buffer->dtype));
            return out;
        case WEFT_ARG_NULL:
            return "WEFT_NULL";
        case WEFT_ARG_VALUE:
            snprintf(out, 64, "WEFT_VALUE of %zu bytes", arg->size_bytes);
            return out;
        case WEFT_ARG_SHARED:
            return "weft_shared_bytes";
        case WEFT_ARG_TENSOR:
            if (!arg->value.tensor || !arg->value.tensor->buffer) {
                return "a tensor of nothing";
            }
            snprintf(out, 64, "a tensor of rank %zu of %s", arg->value.tensor->rank,
                     weft_dtype_name(arg->value.tensor->buffer->dtype));
            return out;
    }
    return "no argument";
}

weft_status binding_mismatch(const binding *binding, size_t i) {
    char given[64], tensor[64];
    const param *param = &binding->kernel->params[i];
    snprintf(tensor, sizeof tensor, "a tensor of rank %zu of its pointee's type", param->tensor.rank);
    const char *wanted = param->kind == WEFT_PARAM_BUFFER   ? "a device buffer of its pointee's type"
                         : param->kind == WEFT_PARAM_SHARED ? "weft_shared_bytes(n)"
                         : param->kind == WEFT_PARAM_VALUE  ? "WEFT_VALUE(lvalue)"
                         : param->kind == WEFT_PARAM_TENSOR ? tensor
                                                            : param->type_name;
    return error_set(WEFT_ERROR_TYPE_MISMATCH, ARGUMENT "expected %s, given %s", ARGUMENT_OF(binding, i), wanted,
                     arg_type_name(&binding->args[i], given));
}

static weft_status set_failed(const binding *binding, size_t i, cl_int code) {
    const device_entry *entry = binding->kernel->entry;
    if (code == CL_INVALID_ARG_SIZE) {
        return error_set_cl(WEFT_ERROR_TYPE_MISMATCH, code, ARGUMENT "the driver refuses a value of %zu bytes",
                            ARGUMENT_OF(binding, i), binding->args[i].size_bytes);
    }
    return driver_error(entry, "clSetKernelArg", code);
}

static inline weft_status set(binding *binding, size_t i, cl_uint index, size_t size_bytes, const void *value) {
    cl_int code;
    DRIVER(binding->kernel->entry, code = clSetKernelArg(binding->cl, index, size_bytes, value));
    return UNLIKELY(code != CL_SUCCESS) ? set_failed(binding, i, code) : WEFT_OK;
}

weft_status binding_set_argument(binding *binding, size_t i, cl_uint index, size_t size_bytes, const void *value) {
    return set(binding, i, index, size_bytes, value);
}

static inline __attribute__((always_inline)) weft_status bind_scalar(binding *binding, size_t i, const param *param,
                                                                     const weft_arg *arg) {
    if (param->type.base == BASE_SIGNED || param->type.base == BASE_UNSIGNED) {
        weft_arg_kind same = param->type.base == BASE_SIGNED ? WEFT_ARG_SIGNED : WEFT_ARG_UNSIGNED;
        if (arg->kind == same && arg->size_bytes == param->type.size_bytes) {
            return set(binding, i, param->index, arg->size_bytes, &arg->value);
        }
        if (arg->kind != WEFT_ARG_SIGNED && arg->kind != WEFT_ARG_UNSIGNED) {
            return binding_mismatch(binding, i);
        }
        const weft_scalar scalar = {(weft_scalar_kind)arg->kind, (uint32_t)arg->size_bytes, {arg->value.i}};
        uint64_t bits;
        if (convert_to_integer(scalar, param->type.base == BASE_SIGNED, param->type.size_bytes, &bits)) {
            char shown[40];
            convert_show(scalar, shown);
            return error_set(WEFT_ERROR_OUT_OF_RANGE, ARGUMENT "%s does not fit", ARGUMENT_OF(binding, i), shown);
        }
        return set(binding, i, param->index, param->type.size_bytes, &bits);
    }
    bool is_double = param->type.size_bytes == 8;
    if (arg->kind != (is_double ? WEFT_ARG_DOUBLE : WEFT_ARG_FLOAT)) {
        return binding_mismatch(binding, i);
    }
    return set(binding, i, param->index, param->type.size_bytes, &arg->value);
}

/* Some drivers count a struct without its tail padding: below the whole size, down to one alignment less. */
static weft_status set_struct(binding *binding, size_t i, const param *param, size_t size_bytes, const void *data) {
    const device_entry *entry = binding->kernel->entry;
    cl_int code = CL_INVALID_ARG_SIZE;
    size_t alignment = param->type.base == BASE_STRUCT ? param->type.alignment : 0;
    size_t least = entry->quirks & QUIRK_STRUCT_UNPADDED && alignment && alignment < size_bytes ? size_bytes - alignment + 1
                                                                                                : size_bytes;
    for (size_t size = size_bytes; code == CL_INVALID_ARG_SIZE && size >= size_max(least, 1); size--) {
        DRIVER(entry, code = clSetKernelArg(binding->cl, param->index, size, data));
    }
    return code == CL_SUCCESS ? WEFT_OK : set_failed(binding, i, code);
}

static weft_status bind_value(binding *binding, size_t i, const param *param, const weft_arg *arg) {
    bool unknown = param->type.base == BASE_UNKNOWN;
    bool number = arg->kind == WEFT_ARG_SIGNED || arg->kind == WEFT_ARG_UNSIGNED || arg->kind == WEFT_ARG_FLOAT ||
                  arg->kind == WEFT_ARG_DOUBLE;
    if (arg->kind != WEFT_ARG_VALUE && !(unknown && number)) {
        return binding_mismatch(binding, i);
    }
    const void *data = arg->kind == WEFT_ARG_VALUE ? arg->value.data : &arg->value;
    if (!data || !arg->size_bytes) {
        return error_set(WEFT_ERROR_INVALID_ARGUMENT, ARGUMENT "WEFT_VALUE points to nothing", ARGUMENT_OF(binding, i));
    }
    if (!unknown && arg->size_bytes != param->type.size_bytes) {
        return error_set(WEFT_ERROR_TYPE_MISMATCH, ARGUMENT "expected %zu bytes, given %zu", ARGUMENT_OF(binding, i),
                         param->type.size_bytes, arg->size_bytes);
    }
    /* A struct of the same size with members elsewhere; a vector has no members to be elsewhere. */
    bool checked = arg->kind == WEFT_ARG_VALUE && arg->alignment && param->type.base == BASE_STRUCT;
    if (checked && arg->alignment < param->type.alignment) {
        return error_set(WEFT_ERROR_TYPE_MISMATCH, ARGUMENT "expected a struct aligned to %zu bytes, given one aligned to %u",
                         ARGUMENT_OF(binding, i), param->type.alignment, arg->alignment);
    }
    return set_struct(binding, i, param, arg->size_bytes, data);
}

static weft_status bind_shared(binding *binding, size_t i, const param *param, const weft_arg *arg) {
    if (arg->kind != WEFT_ARG_SHARED) {
        return binding_mismatch(binding, i);
    }
    /* Some drivers refuse 0 bytes; a kernel may well not touch the pointer. */
    size_t size = size_max(arg->size_bytes, size_max(param->type.size_bytes, 1));
    const kernel *kernel = binding->kernel;
    size_t whole = kernel->most_shared_bytes, used = kernel->static_shared_bytes + binding->shared_bytes;
    if (!size_in_range(used, size, whole)) {
        return error_set(WEFT_ERROR_LAUNCH_LIMIT, ARGUMENT "%zu bytes of local memory, with %zu bytes that the kernel declares and "
                         "%zu of other arguments, exceed the %zu of device %s:%d", ARGUMENT_OF(binding, i), size,
                         kernel->static_shared_bytes, binding->shared_bytes, whole, kernel->entry->info.api,
                         kernel->entry->info.id);
    }
    binding->shared_bytes += size;
    return set(binding, i, param->index, size, NULL);
}

static inline bool accepts(const type_info *pointee, weft_dtype dtype) {
    static const struct {
        base_type base;
        size_t bytes;
    } of[] = {
        [WEFT_INT8] = {BASE_SIGNED, 1},    [WEFT_UINT8] = {BASE_UNSIGNED, 1},    [WEFT_INT16] = {BASE_SIGNED, 2},
        [WEFT_UINT16] = {BASE_UNSIGNED, 2}, [WEFT_INT32] = {BASE_SIGNED, 4},     [WEFT_UINT32] = {BASE_UNSIGNED, 4},
        [WEFT_INT64] = {BASE_SIGNED, 8},   [WEFT_UINT64] = {BASE_UNSIGNED, 8},   [WEFT_FLOAT16] = {BASE_HALF, 2},
        [WEFT_BFLOAT16] = {BASE_UNSIGNED, 2}, [WEFT_FLOAT32] = {BASE_FLOAT, 4}, [WEFT_FLOAT64] = {BASE_FLOAT, 8}};
    switch (pointee->base) {
        case BASE_UNKNOWN:
        case BASE_VOID:
        case BASE_STRUCT:
            return true;
        default:
            break;
    }
    bool bits_of_half = dtype == WEFT_FLOAT16 && pointee->base == BASE_UNSIGNED && pointee->element_bytes == 2;
    return pointee->element_bytes == 1 || bits_of_half ||
           (pointee->base == of[dtype].base && pointee->element_bytes == of[dtype].bytes);
}

bool binding_accepts(const type_info *pointee, weft_dtype dtype) {
    return accepts(pointee, dtype);
}

/* The alignment an argument at that address must have. */
static size_t wanted_alignment(const param *param, const weft_device_buffer *buffer) {
    switch (param->type.base) {
        case BASE_VOID:
            return weft_dtype_size(buffer->dtype);
        case BASE_UNKNOWN:
            return LARGEST_ALIGNMENT;
        default:
            return param->type.alignment;
    }
}

weft_status binding_foreign_buffer(const binding *binding, size_t i, const weft_device_buffer *buffer) {
    const device_entry *here = binding->kernel->entry, *there = buffer->memory->device->entry;
    return error_set(WEFT_ERROR_INVALID_ARGUMENT, ARGUMENT "the buffer is on device %s:%d, the launch on %s:%d",
                     ARGUMENT_OF(binding, i), there->info.api, there->info.id, here->info.api, here->info.id);
}

weft_status binding_set_view(binding *binding, size_t i, weft_device_buffer *buffer) {
    const param *param = &binding->kernel->params[i];
    cl_mem mem;
    weft_status status = view_argument(binding, i, buffer, wanted_alignment(param, buffer), &mem);
    return status || !mem ? status : set(binding, i, param->index, sizeof mem, &mem);
}

static inline __attribute__((always_inline)) weft_status bind_buffer(binding *binding, size_t i, const param *param,
                                                                     const weft_arg *arg) {
    if (arg->kind == WEFT_ARG_NULL) {
        return set(binding, i, param->index, sizeof(cl_mem), NULL);
    }
    if (arg->kind != WEFT_ARG_BUFFER) {
        return binding_mismatch(binding, i);
    }
    weft_device_buffer *buffer = arg->value.buffer;
    if (UNLIKELY(!buffer)) {
        return error_set(WEFT_ERROR_INVALID_ARGUMENT, ARGUMENT "the buffer is NULL; pass WEFT_NULL to mean it", ARGUMENT_OF(binding, i));
    }
    if (UNLIKELY(buffer->memory->device != binding->device)) {
        return binding_foreign_buffer(binding, i, buffer);
    }
    if (UNLIKELY(!accepts(&param->type, buffer->dtype))) {
        return binding_mismatch(binding, i);
    }
    if (UNLIKELY(buffer->offset_bytes)) {
        return binding_set_view(binding, i, buffer);
    }
    return set(binding, i, param->index, sizeof(cl_mem), &buffer->memory->mem);
}

static weft_status wrong_count(const kernel *kernel, size_t n_args) {
    return error_set(WEFT_ERROR_INVALID_ARGUMENT, "kernel %s takes %zu arguments, given %zu", kernel->name, kernel->n_params, n_args);
}

static inline __attribute__((always_inline)) weft_status bind(binding *binding, size_t i) {
    const param *param = &binding->kernel->params[i];
    const weft_arg *arg = &binding->args[i];
    switch (param->kind) {
        case WEFT_PARAM_BUFFER:
            return bind_buffer(binding, i, param, arg);
        case WEFT_PARAM_SCALAR:
            return bind_scalar(binding, i, param, arg);
        case WEFT_PARAM_VALUE:
            return bind_value(binding, i, param, arg);
        case WEFT_PARAM_SHARED:
            return bind_shared(binding, i, param, arg);
        case WEFT_PARAM_TENSOR:
            return binding_set_tensor(binding, i);
        default:
            return error_set(WEFT_ERROR_UNSUPPORTED, ARGUMENT "weft launches no kernels with images, samplers or pipes",
                             ARGUMENT_OF(binding, i));
    }
}

weft_status binding_set_one(binding *binding, size_t i) {
    return bind(binding, i);
}

weft_status binding_set(binding *binding, size_t n_args) {
    const kernel *kernel = binding->kernel;
    if (UNLIKELY(n_args != kernel->n_params)) {
        return wrong_count(kernel, n_args);
    }
    for (size_t i = 0; i < n_args; i++) {
        weft_status status = bind(binding, i);
        if (UNLIKELY(status)) {
            return status;
        }
    }
    return binding->n_stand_ins ? views_check_overlap(binding, n_args) : WEFT_OK;
}
