/* Bad input to tensors. */
#include "surface.h"

static weft_tensor out;

static weft_shape shape_of(size_t rank, size_t a, size_t b, size_t c, size_t d) { return weft_shape_make(rank, a, b, c, d); }

/* What both layouts without gaps refuse. */
static void check_dense(weft_status (*make)(weft_device_buffer *, weft_shape, weft_tensor *)) {
    CLEARS(out, INVALID_ARGUMENT, "buffer", make(NULL, WEFT_SHAPE(2), &out));
    REFUSES(INVALID_ARGUMENT, "out", make(device, WEFT_SHAPE(2), NULL));
    CLEARS(out, INVALID_ARGUMENT, "shape.rank is 0", make(device, shape_of(0, 1, 1, 1, 1), &out));
    CLEARS(out, INVALID_ARGUMENT, "shape.rank is 5", make(device, shape_of(5, 1, 1, 1, 1), &out));
    CLEARS(out, INVALID_ARGUMENT, "18446744073709551615", make(device, shape_of(SIZE_MAX, 1, 1, 1, 1), &out));
    CLEARS(out, OUT_OF_RANGE, "the buffer has 8", make(device, WEFT_SHAPE(9), &out));
    CLEARS(out, OUT_OF_RANGE, "shape (3, 3)", make(device, WEFT_SHAPE(3, 3), &out));
    CLEARS(out, OUT_OF_RANGE, "shape (2, 2, 3)", make(device, WEFT_SHAPE(2, 2, 3), &out));
    CLEARS(out, OUT_OF_RANGE, "(3, 1, 1, 3)", make(device, WEFT_SHAPE(3, 1, 1, 3), &out));
    CLEARS(out, OUT_OF_RANGE, "overflows", make(device, WEFT_SHAPE((size_t)1 << 32, (size_t)1 << 32), &out));
    CLEARS(out, OUT_OF_RANGE, "overflows", make(device, WEFT_SHAPE(SIZE_MAX, 2, 2), &out));
    CLEARS(out, OUT_OF_RANGE, "18446744073709551615", make(device, WEFT_SHAPE(-1), &out));
}

static void bad_tensor_row_major(void) { check_dense(weft_tensor_row_major); }
static void bad_tensor_column_major(void) { check_dense(weft_tensor_column_major); }

static void bad_tensor_strided(void) {
    const weft_shape two = WEFT_SHAPE(2, 2);
    CLEARS(out, INVALID_ARGUMENT, "buffer", weft_tensor_strided(NULL, two, two, &out));
    REFUSES(INVALID_ARGUMENT, "out", weft_tensor_strided(device, two, two, NULL));
    CLEARS(out, INVALID_ARGUMENT, "shape.rank is 0", weft_tensor_strided(device, shape_of(0, 0, 0, 0, 0), two, &out));
    CLEARS(out, INVALID_ARGUMENT, "shape.rank is 5", weft_tensor_strided(device, shape_of(5, 0, 0, 0, 0), two, &out));
    CLEARS(out, INVALID_ARGUMENT, "strides.rank is 1, shape's is 2", weft_tensor_strided(device, two, WEFT_SHAPE(1), &out));
    CLEARS(out, INVALID_ARGUMENT, "strides.rank is 9", weft_tensor_strided(device, two, shape_of(9, 0, 0, 0, 0), &out));
    CLEARS(out, OUT_OF_RANGE, "ends at element 8; the buffer has 8", weft_tensor_strided(device, two, WEFT_SHAPE(1, 7), &out));
    CLEARS(out, OUT_OF_RANGE, "strides (18446744073709551615, 1)", weft_tensor_strided(device, two, WEFT_SHAPE(-1, 1), &out));
    CLEARS(out, OUT_OF_RANGE, "overflows", weft_tensor_strided(device, two, WEFT_SHAPE(SIZE_MAX, SIZE_MAX), &out));
    /* One element many times is legal, but not more often than one can count. */
    OK(weft_tensor_strided(device, WEFT_SHAPE(1000, 1000), WEFT_SHAPE(0, 0), &out));
    CLEARS(out, OUT_OF_RANGE, "overflows", weft_tensor_strided(device, WEFT_SHAPE(SIZE_MAX, 2), WEFT_SHAPE(0, 0), &out));
}

static void bad_tensor_tile(void) {
    const weft_shape zero = WEFT_SHAPE(0, 0), one = WEFT_SHAPE(1, 1);
    weft_tensor whole, bad;
    OK(weft_tensor_row_major(device, WEFT_SHAPE(2, 4), &whole));
    CLEARS(out, INVALID_ARGUMENT, "tensor", weft_tensor_tile(NULL, zero, one, &out));
    REFUSES(INVALID_ARGUMENT, "out", weft_tensor_tile(&whole, zero, one, NULL));
    CLEARS(out, INVALID_ARGUMENT, "position.rank is 1, the tensor's is 2", weft_tensor_tile(&whole, WEFT_SHAPE(0), one, &out));
    CLEARS(out, INVALID_ARGUMENT, "shape.rank is 3, the tensor's is 2", weft_tensor_tile(&whole, zero, WEFT_SHAPE(1, 1, 1), &out));
    CLEARS(out, OUT_OF_RANGE, "position 1 and shape 2 in dimension 0", weft_tensor_tile(&whole, WEFT_SHAPE(1, 0), WEFT_SHAPE(2, 1), &out));
    CLEARS(out, OUT_OF_RANGE, "position 0 and shape 5 in dimension 1", weft_tensor_tile(&whole, zero, WEFT_SHAPE(1, 5), &out));
    CLEARS(out, OUT_OF_RANGE, "the tensor's 4", weft_tensor_tile(&whole, WEFT_SHAPE(0, 5), WEFT_SHAPE(1, 0), &out));
    CLEARS(out, OUT_OF_RANGE, "dimension 1", weft_tensor_tile(&whole, WEFT_SHAPE(0, SIZE_MAX), WEFT_SHAPE(1, 2), &out));
    CLEARS(out, OUT_OF_RANGE, "dimension 0", weft_tensor_tile(&whole, zero, WEFT_SHAPE(-1, 1), &out));
    const weft_tensor nothing = {0};
    CLEARS(out, INVALID_ARGUMENT, "tensor", weft_tensor_tile(&nothing, zero, one, &out));
    bad = whole;
    bad.rank = 7;
    CLEARS(out, INVALID_ARGUMENT, "rank 7", weft_tensor_tile(&bad, zero, one, &out));
    bad = whole;
    bad.offset = SIZE_MAX;
    CLEARS(out, OUT_OF_RANGE, "tensor: ", weft_tensor_tile(&bad, zero, one, &out));
    bad = whole;
    CLEARS(bad, INVALID_ARGUMENT, "tensor", weft_tensor_tile(&bad, zero, one, &bad)); /* 0x5A bytes all over */
}

START_TEST(bad_tensor_input_is_refused) {
    static const surface_row rows[] = {SURFACE_TENSORS(SURFACE_ROW)};
    run_rows(rows, sizeof rows / sizeof *rows);
}
END_TEST

TESTS(bad_tensor_input_is_refused)
