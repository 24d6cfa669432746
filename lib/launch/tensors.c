/* A tensor as a kernel argument: a pointer and a layout. */
#include "memory/tensor.h"

#include "base/api.h"
#include "base/arith.h"
#include "launch/binding.h"

/* As in kernels/tensor.clh: shape, strides, offset. */
enum { MOST_NUMBERS = 2 * WEFT_MAX_RANK + 1 };

weft_device_buffer *binding_buffer_of(const weft_arg *arg) {
    return arg->kind == WEFT_ARG_BUFFER   ? arg->value.buffer
           : arg->kind == WEFT_ARG_TENSOR ? arg->value.tensor->buffer
                                          : NULL;
}

/* The elements are the buffer's, one by one. */
static bool same_element(const type_info *pointee, weft_dtype dtype) {
    return pointee->base == BASE_UNKNOWN || (binding_accepts(pointee, dtype) && pointee->size_bytes == weft_dtype_size(dtype));
}

static weft_status check(const binding *binding, size_t i, const param *param, const weft_tensor *tensor) {
    char problem[TENSOR_PROBLEM_SIZE];
    weft_status status = tensor_check(tensor, problem);
    if (UNLIKELY(status)) {
        return error_set(status, ARGUMENT "tensor: %s", ARGUMENT_OF(binding, i), problem);
    }
    if (UNLIKELY(tensor->buffer->memory->device != binding->device)) {
        return binding_foreign_buffer(binding, i, tensor->buffer);
    }
    if (UNLIKELY(tensor->rank != param->tensor.rank || !same_element(&param->type, tensor->buffer->dtype))) {
        return binding_mismatch(binding, i);
    }
    size_t last = tensor->rank - 1;
    if (UNLIKELY(param->tensor.is_rows && tensor->strides[last] != 1 && tensor->shape[last] > 1)) {
        return error_set(WEFT_ERROR_TYPE_MISMATCH, ARGUMENT "TENSOR%zu_ROWS takes tensors whose last stride is 1, given %zu",
                         ARGUMENT_OF(binding, i), tensor->rank, tensor->strides[last]);
    }
    return WEFT_OK;
}

static weft_status too_large(const binding *binding, size_t i, size_t number, size_t most) {
    return error_set(WEFT_ERROR_OUT_OF_RANGE, ARGUMENT "tensor: %zu is beyond %zu, the largest index%s", ARGUMENT_OF(binding, i),
                     number, most, binding->kernel->params[i].tensor.is_narrow ? " with WEFT_INDEX_32" : "");
}

static weft_status set_layout(binding *binding, size_t i, const weft_tensor *tensor, size_t offset, size_t most) {
    const param *param = &binding->kernel->params[i];
    size_t rank = tensor->rank, count = 2 * rank + 1, numbers[MOST_NUMBERS];
    cl_long wide[MOST_NUMBERS];
    cl_int narrow[MOST_NUMBERS];
    for (size_t k = 0; k < rank; k++) {
        numbers[k] = tensor->shape[k];
        numbers[rank + k] = tensor->strides[k];
    }
    numbers[2 * rank] = offset;
    for (size_t k = 0; k < count; k++) {
        if (UNLIKELY(numbers[k] > most)) {
            return too_large(binding, i, numbers[k], most);
        }
        wide[k] = (cl_long)numbers[k];
        narrow[k] = (cl_int)numbers[k];
    }
    return param->tensor.is_narrow ? binding_set_argument(binding, i, param->index + 1, count * sizeof *narrow, narrow)
                                   : binding_set_argument(binding, i, param->index + 1, count * sizeof *wide, wide);
}

weft_status binding_set_tensor(binding *binding, size_t i) {
    const param *param = &binding->kernel->params[i];
    const weft_tensor *tensor = binding->args[i].value.tensor;
    if (binding->args[i].kind != WEFT_ARG_TENSOR) {
        return binding_mismatch(binding, i);
    }
    if (!tensor) {
        return error_set(WEFT_ERROR_INVALID_ARGUMENT, ARGUMENT "the tensor is NULL", ARGUMENT_OF(binding, i));
    }
    weft_status status = check(binding, i, param, tensor);
    if (UNLIKELY(status)) {
        return status;
    }
    const size_t most = param->tensor.is_narrow ? INT32_MAX : INT64_MAX;
    size_t offset = tensor->offset, last = tensor_last_element(tensor);
    if (UNLIKELY(last > most)) {
        return too_large(binding, i, last, most);
    }
    /* A view needs no pointer of its own: the layout says where it begins. */
    weft_device_buffer *buffer = tensor->buffer;
    size_t size = weft_dtype_size(buffer->dtype), before = buffer->offset_bytes / size;
    if (buffer->offset_bytes % size == 0 && before <= most - last) {
        offset += before;
        status = binding_set_argument(binding, i, param->index, sizeof(cl_mem), &buffer->memory->mem);
    } else {
        status = binding_set_view(binding, i, buffer);
    }
    return status ? status : set_layout(binding, i, tensor, offset, most);
}
