/* weft/tensor.h: a device buffer seen as an array of one to four dimensions.
 *
 * A tensor is a plain value: a buffer, borrowed, and where in it each element lies. Element (i, j) of one of rank 2
 * is the buffer's element offset + i * strides[0] + j * strides[1]. It is passed as one argument to a kernel's
 * parameter TENSOR2(float, a), or of another rank and type; see weft.clh. All functions here are immediate.
 * The model's TileTensor and LayoutTensor.
 */
#ifndef WEFT_TENSOR_H
#define WEFT_TENSOR_H

#include <weft/buffer.h>
#include <weft/scalar.h>
#include <weft/status.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { WEFT_MAX_RANK = 4 };

/* A number for each dimension: lengths, strides or a position, in elements. WEFT_SHAPE(m, n) makes one. */
typedef struct weft_shape {
    size_t rank; /* 1 to WEFT_MAX_RANK */
    size_t at[WEFT_MAX_RANK];
} weft_shape;

/* The functions below make tensors that lie within their buffer; a launch checks it again. */
typedef struct weft_tensor {
    weft_device_buffer *buffer; /* borrowed: to be kept as long as the tensor is used */
    size_t offset;              /* elements of the buffer before element (0, 0, ...) */
    size_t rank;
    size_t shape[WEFT_MAX_RANK];
    size_t strides[WEFT_MAX_RANK];
} weft_tensor;

/* A tensor over the first elements of a buffer without gaps: row-major, where neighbours in the last dimension are
 * neighbours in memory, or column-major, where those in the first are. The buffer may be longer. A length of 0 is legal.
 * *out is zeroed on failure.
 * Errors: INVALID_ARGUMENT (NULL; shape's rank); OUT_OF_RANGE (the elements overflow a size_t, or the buffer is shorter).
 * Source: the model's row_major and col_major layouts. */
WEFT_API WEFT_NODISCARD weft_status weft_tensor_row_major(weft_device_buffer *buffer, weft_shape shape, weft_tensor *out);
WEFT_API WEFT_NODISCARD weft_status weft_tensor_column_major(weft_device_buffer *buffer, weft_shape shape, weft_tensor *out);

/* A tensor with any strides: padded rows, a transposed matrix, every other element, one row many times (stride 0).
 * Errors: as weft_tensor_row_major; INVALID_ARGUMENT (shape and strides of unequal rank). */
WEFT_API WEFT_NODISCARD weft_status weft_tensor_strided(weft_device_buffer *buffer, weft_shape shape, weft_shape strides,
                                                        weft_tensor *out);

/* The part of a tensor that begins at position and has that shape; strides stay. A tile of a tile is one. *out is
 * zeroed on failure.
 * Errors: INVALID_ARGUMENT (NULL; position or shape of another rank than the tensor's); OUT_OF_RANGE (a dimension ends
 * beyond the tensor's, or the tensor is none). Source: LayoutTensor.tile and slice. */
WEFT_API WEFT_NODISCARD weft_status weft_tensor_tile(const weft_tensor *tensor, weft_shape position, weft_shape shape,
                                                     weft_tensor *out);

static inline weft_shape weft_shape_make(size_t rank, size_t a, size_t b, size_t c, size_t d) {
    weft_shape shape = {rank, {a, b, c, d}};
    return shape;
}

/* A negative number becomes one that no buffer holds. */
#ifdef __cplusplus
}

extern "C++" {
template <typename T> inline size_t weft_shape_number(T v) {
    static_assert((T)0.5 == (T)0, "a length is an integer");
    return static_cast<size_t>(v);
}
template <> inline size_t weft_shape_number<bool>(bool v) { return v ? 1 : 0; }
}

#else

static inline size_t weft_shape_signed_(long long v) { return (size_t)v; }
static inline size_t weft_shape_unsigned_(unsigned long long v) { return (size_t)v; }
#define weft_shape_number(x) _Generic((x), WEFT_INTEGER_CASES(weft_shape_signed_, weft_shape_unsigned_))(x)

#endif

/* WEFT_SHAPE(n), WEFT_SHAPE(m, n) and so on: one to four integers of any type. */
#define WEFT_SHAPE(...) \
    WEFT_SHAPE_PICK_(__VA_ARGS__, WEFT_SHAPE_4_, WEFT_SHAPE_3_, WEFT_SHAPE_2_, WEFT_SHAPE_1_, 0)(__VA_ARGS__)
#define WEFT_SHAPE_PICK_(a, b, c, d, name, ...) name
#define WEFT_SHAPE_1_(a) weft_shape_make(1, weft_shape_number(a), 0, 0, 0)
#define WEFT_SHAPE_2_(a, b) weft_shape_make(2, weft_shape_number(a), weft_shape_number(b), 0, 0)
#define WEFT_SHAPE_3_(a, b, c) weft_shape_make(3, weft_shape_number(a), weft_shape_number(b), weft_shape_number(c), 0)
#define WEFT_SHAPE_4_(a, b, c, d) \
    weft_shape_make(4, weft_shape_number(a), weft_shape_number(b), weft_shape_number(c), weft_shape_number(d))

#endif
