#include "memory/tensor.h"

#include <stdio.h>
#include <string.h>

#include "base/api.h"
#include "base/arith.h"

/* "(2, 3)" */
static void show(const size_t *numbers, size_t rank, char out[96]) {
    size_t length = 0;
    for (size_t i = 0; i < rank; i++) {
        length += (size_t)snprintf(out + length, 96 - length, "%s%zu", i ? ", " : "(", numbers[i]);
    }
    snprintf(out + length, 96 - length, ")");
}

static bool is_rank(size_t rank) {
    return rank >= 1 && rank <= WEFT_MAX_RANK;
}

static bool is_empty(const weft_tensor *tensor) {
    for (size_t i = 0; i < tensor->rank; i++) {
        if (!tensor->shape[i]) {
            return true;
        }
    }
    return false;
}

/* The place of the last element; false when it overflows. */
static bool last_element(const weft_tensor *tensor, size_t *out) {
    size_t last = tensor->offset, step;
    for (size_t i = 0; i < tensor->rank; i++) {
        if (!size_multiply(tensor->shape[i] - 1, tensor->strides[i], &step) || last > SIZE_MAX - step) {
            return false;
        }
        last += step;
    }
    *out = last;
    return true;
}

size_t tensor_last_element(const weft_tensor *tensor) {
    size_t last;
    return is_empty(tensor) || !last_element(tensor, &last) ? tensor->offset : last;
}

/* The number of elements; false when it overflows. */
static bool count_elements(const weft_tensor *tensor, size_t *out) {
    *out = 1;
    for (size_t i = 0; i < tensor->rank; i++) {
        if (!size_multiply(*out, tensor->shape[i], out)) {
            return false;
        }
    }
    return true;
}

weft_status tensor_check(const weft_tensor *tensor, char problem[TENSOR_PROBLEM_SIZE]) {
    char shape[96], strides[96];
    size_t count, last = 0;
    if (!is_rank(tensor->rank)) {
        snprintf(problem, TENSOR_PROBLEM_SIZE, "rank %zu is not within 1 to %d", tensor->rank, WEFT_MAX_RANK);
        return WEFT_ERROR_INVALID_ARGUMENT;
    }
    if (!tensor->buffer) {
        snprintf(problem, TENSOR_PROBLEM_SIZE, "buffer is NULL");
        return WEFT_ERROR_INVALID_ARGUMENT;
    }
    size_t length = tensor->buffer->length;
    if (is_empty(tensor)) {
        if (tensor->offset <= length) {
            return WEFT_OK;
        }
        snprintf(problem, TENSOR_PROBLEM_SIZE, "offset %zu is beyond the buffer's %zu elements", tensor->offset, length);
        return WEFT_ERROR_OUT_OF_RANGE;
    }
    bool counted = count_elements(tensor, &count), placed = last_element(tensor, &last);
    if (counted && placed && last < length) {
        return WEFT_OK;
    }
    show(tensor->shape, tensor->rank, shape);
    show(tensor->strides, tensor->rank, strides);
    if (counted && placed) {
        snprintf(problem, TENSOR_PROBLEM_SIZE, "shape %s with strides %s ends at element %zu; the buffer has %zu", shape, strides,
                 last, length);
    } else {
        snprintf(problem, TENSOR_PROBLEM_SIZE, "shape %s with strides %s overflows; the buffer has %zu elements", shape, strides,
                 length);
    }
    return WEFT_ERROR_OUT_OF_RANGE;
}

static weft_status check_rank(const char *argument, size_t rank) {
    return is_rank(rank) ? WEFT_OK
                         : error_set(WEFT_ERROR_INVALID_ARGUMENT, "%s.rank is %zu, not within 1 to %d", argument, rank, WEFT_MAX_RANK);
}

/* Gives it out when it lies within its buffer. */
static weft_status commit(const weft_tensor *made, weft_tensor *out) {
    char problem[TENSOR_PROBLEM_SIZE];
    weft_status status = tensor_check(made, problem);
    if (status) {
        return error_set(status, "%s", problem);
    }
    *out = *made;
    return WEFT_OK;
}

/* A tensor without gaps. */
static weft_status make_dense(weft_device_buffer *buffer, weft_shape shape, bool row_major, weft_tensor *out) {
    if (!buffer || !out) {
        return error_null(buffer ? "out" : "buffer");
    }
    weft_status status = check_rank("shape", shape.rank);
    if (status) {
        return status;
    }
    weft_tensor made = {.buffer = buffer, .rank = shape.rank};
    size_t stride = 1;
    for (size_t i = 0; i < shape.rank; i++) {
        size_t k = row_major ? shape.rank - 1 - i : i;
        made.shape[k] = shape.at[k];
        made.strides[k] = stride;
        if (!size_multiply(stride, shape.at[k], &stride)) {
            char shown[96];
            show(shape.at, shape.rank, shown);
            return error_set(WEFT_ERROR_OUT_OF_RANGE, "shape %s overflows; the buffer has %zu elements", shown, buffer->length);
        }
    }
    return commit(&made, out);
}

static void clear(weft_tensor *out) {
    if (out) {
        memset(out, 0, sizeof *out);
    }
}

WEFT_API weft_status weft_tensor_row_major(weft_device_buffer *buffer, weft_shape shape, weft_tensor *out) {
    clear(out);
    API_ENTER();
    return make_dense(buffer, shape, true, out);
}

WEFT_API weft_status weft_tensor_column_major(weft_device_buffer *buffer, weft_shape shape, weft_tensor *out) {
    clear(out);
    API_ENTER();
    return make_dense(buffer, shape, false, out);
}

WEFT_API weft_status weft_tensor_strided(weft_device_buffer *buffer, weft_shape shape, weft_shape strides, weft_tensor *out) {
    clear(out);
    API_ENTER();
    if (!buffer || !out) {
        return error_null(buffer ? "out" : "buffer");
    }
    weft_status status = check_rank("shape", shape.rank);
    if (status) {
        return status;
    }
    if (strides.rank != shape.rank) {
        return error_set(WEFT_ERROR_INVALID_ARGUMENT, "strides.rank is %zu, shape's is %zu", strides.rank, shape.rank);
    }
    weft_tensor made = {.buffer = buffer, .rank = shape.rank};
    memcpy(made.shape, shape.at, shape.rank * sizeof *made.shape);
    memcpy(made.strides, strides.at, strides.rank * sizeof *made.strides);
    return commit(&made, out);
}

static weft_status check_tile(const weft_tensor *tensor, const weft_shape *position, const weft_shape *shape) {
    const weft_shape *const given[] = {position, shape};
    static const char *const names[] = {"position", "shape"};
    for (size_t i = 0; i < 2; i++) {
        if (given[i]->rank != tensor->rank) {
            return error_set(WEFT_ERROR_INVALID_ARGUMENT, "%s.rank is %zu, the tensor's is %zu", names[i], given[i]->rank, tensor->rank);
        }
    }
    for (size_t i = 0; i < tensor->rank; i++) {
        if (!size_in_range(position->at[i], shape->at[i], tensor->shape[i])) {
            return error_set(WEFT_ERROR_OUT_OF_RANGE, "position %zu and shape %zu in dimension %zu are not within the tensor's %zu",
                             position->at[i], shape->at[i], i, tensor->shape[i]);
        }
    }
    return WEFT_OK;
}

WEFT_API weft_status weft_tensor_tile(const weft_tensor *tensor, weft_shape position, weft_shape shape, weft_tensor *out) {
    const weft_tensor none = {0}, whole = tensor ? *tensor : none; /* out may be the same one */
    char problem[TENSOR_PROBLEM_SIZE];
    clear(out);
    API_ENTER();
    if (!tensor || !out) {
        return error_null(tensor ? "out" : "tensor");
    }
    weft_status status = tensor_check(&whole, problem);
    if (status) {
        return error_set(status, "tensor: %s", problem);
    }
    status = check_tile(&whole, &position, &shape);
    if (status) {
        return status;
    }
    weft_tensor made = whole;
    memcpy(made.shape, shape.at, made.rank * sizeof *made.shape);
    for (size_t i = 0; i < made.rank && !is_empty(&made); i++) {
        made.offset += position.at[i] * made.strides[i]; /* an element's place, which was checked */
    }
    return commit(&made, out);
}
