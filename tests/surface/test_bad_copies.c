/* Bad input to fills and copies, through the functions under the macros. */
#include <math.h>

#include "surface.h"

static weft_memory device_side(void) { return weft_memory_from_device_buffer(device); }
static weft_memory host_side(void) { return weft_memory_from_host_buffer(host); }

/* No operands: kinds that do not exist, and no object behind those that do. */
static const weft_memory no_operands[] = {
    {.kind = WEFT_MEMORY_NONE},
    {.kind = WEFT_MEMORY_NONE, .object = no_operands},
    {.kind = (weft_memory_kind)4, .dtypes = WEFT_ANY_DTYPE, .length = 1, .object = no_operands},
    {.kind = (weft_memory_kind)-1, .dtypes = WEFT_ANY_DTYPE, .length = 1, .object = no_operands},
    {.kind = WEFT_MEMORY_DEVICE_BUFFER},
    {.kind = WEFT_MEMORY_HOST_BUFFER},
    {.kind = WEFT_MEMORY_POINTER, .dtypes = WEFT_ANY_DTYPE, .length = LENGTH},
};
enum { NO_OPERANDS = sizeof no_operands / sizeof *no_operands };

/* ---- Operands ---------------------------------------------------------------------------------------------------- */

/* These never fail; what they make of NULL is refused where it is used. */
static void bad_memory_from_device_buffer(void) { ck_assert_ptr_null(weft_memory_from_device_buffer(NULL).object); }
static void bad_memory_from_host_buffer(void) { ck_assert_ptr_null(weft_memory_from_host_buffer(NULL).object); }

static void bad_memory_from_pointer(void) {
    weft_memory memory = weft_memory_from_pointer(NULL, 0, SIZE_MAX);
    ck_assert(memory.kind == WEFT_MEMORY_POINTER && memory.object == NULL && !memory.read_only);
}

static void bad_memory_from_const_pointer(void) {
    weft_memory memory = weft_memory_from_const_pointer(NULL, UINT32_MAX, 0);
    ck_assert(memory.kind == WEFT_MEMORY_POINTER && memory.object == NULL && memory.read_only);
}

/* ---- Fills --------------------------------------------------------------------------------------------------------- */

static void bad_enqueue_fill_scalar(void) {
    int32_t plain[LENGTH];
    weft_device_buffer *bytes = test_device_buffer(WEFT_UINT8, LENGTH), *floats = test_device_buffer(WEFT_FLOAT32, LENGTH);
    for (int i = 0; i < NO_OPERANDS; i++) {
        REFUSES(INVALID_ARGUMENT, "buffer", weft_enqueue_fill_scalar(no_operands[i], WEFT_SCALAR(1)));
    }
    REFUSES(INVALID_ARGUMENT, "buffer",
            weft_enqueue_fill_scalar(weft_memory_from_pointer(plain, WEFT_ANY_DTYPE, LENGTH), WEFT_SCALAR(1)));
    REFUSES(TYPE_MISMATCH, "value", weft_enqueue_fill_scalar(device_side(), (weft_scalar){.kind = WEFT_SCALAR_NONE}));
    REFUSES(TYPE_MISMATCH, "value", weft_enqueue_fill_scalar(device_side(), (weft_scalar){.kind = (weft_scalar_kind)99}));
    REFUSES(TYPE_MISMATCH, "value", weft_enqueue_fill_scalar(host_side(), (weft_scalar){.kind = (weft_scalar_kind)-1}));
    REFUSES(TYPE_MISMATCH, "value", weft_enqueue_fill(device, 1.5));
    REFUSES(OUT_OF_RANGE, "value", weft_enqueue_fill(device, (double)NAN));
    REFUSES(OUT_OF_RANGE, "value", weft_enqueue_fill(host, INT64_MIN));
    REFUSES(OUT_OF_RANGE, "300", weft_enqueue_fill(bytes, 300));
    SAYS("uint8");
    REFUSES(OUT_OF_RANGE, "1e+300", weft_enqueue_fill(floats, 1e300));
}

static void bad_enqueue_fill_range_scalar(void) {
    static const size_t ranges[][2] = {{0, LENGTH + 1}, {LENGTH, 1},   {LENGTH + 1, 0},         {SIZE_MAX, 1},
                                       {1, SIZE_MAX},   {SIZE_MAX, 0}, {SIZE_MAX - 3, 4},       {SIZE_MAX, SIZE_MAX},
                                       {3, LENGTH - 2}, {1, LENGTH},   {SIZE_MAX / 4 + 1, 1},   {(size_t)1 << 62, 0}};
    for (int i = 0; i < NO_OPERANDS; i++) {
        REFUSES(INVALID_ARGUMENT, "buffer", weft_enqueue_fill_range_scalar(no_operands[i], 0, 1, WEFT_SCALAR(1)));
    }
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++) {
        REFUSES(OUT_OF_RANGE, "offset", weft_enqueue_fill_range(device, ranges[i][0], ranges[i][1], 1));
        SAYS("length");
        REFUSES(OUT_OF_RANGE, "offset", weft_enqueue_fill_range(host, ranges[i][0], ranges[i][1], 1));
    }
    REFUSES(TYPE_MISMATCH, "value", weft_enqueue_fill_range(device, 1, 2, 0.5f));
    REFUSES(OUT_OF_RANGE, "value", weft_enqueue_fill_range(host, 1, 2, UINT32_MAX));
}

static void bad_enqueue_fill_memory(void) {
    static const char pattern[4097] = {1};
    static const struct {
        size_t offset_bytes, pattern_bytes, count;
    } ranges[] = {
        {0, 1, 33},       {32, 1, 1},          {33, 1, 0},       {0, 3, 11},       {1, 32, 1},
        {SIZE_MAX, 1, 1}, {0, 4096, SIZE_MAX}, {0, 1, SIZE_MAX}, {1, 1, SIZE_MAX}, {0, 2, ((size_t)1 << 63) + 1},
    };
    for (int i = 0; i < NO_OPERANDS; i++) {
        REFUSES(INVALID_ARGUMENT, "buffer", weft_enqueue_fill_memory(no_operands[i], 0, pattern, 1, 1));
    }
    REFUSES(INVALID_ARGUMENT, "pattern", weft_enqueue_fill_memory(device_side(), 0, NULL, 1, 1));
    REFUSES(OUT_OF_RANGE, "pattern_bytes", weft_enqueue_fill_memory(device_side(), 0, pattern, 0, 1));
    REFUSES(OUT_OF_RANGE, "4097", weft_enqueue_fill_memory(device_side(), 0, pattern, 4097, 0));
    REFUSES(OUT_OF_RANGE, "pattern_bytes", weft_enqueue_fill_memory(host_side(), 0, pattern, SIZE_MAX, 1));
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++) {
        REFUSES(OUT_OF_RANGE, "offset_bytes", weft_enqueue_fill_memory(device_side(), ranges[i].offset_bytes, pattern,
                                                                       ranges[i].pattern_bytes, ranges[i].count));
        SAYS("count");
        REFUSES(OUT_OF_RANGE, "offset_bytes", weft_enqueue_fill_memory(host_side(), ranges[i].offset_bytes, pattern,
                                                                       ranges[i].pattern_bytes, ranges[i].count));
    }
}

/* ---- Copies ---------------------------------------------------------------------------------------------------------- */

/* Sides that do not fit an int32 buffer of LENGTH elements, whichever side that is. */
static void check_other_sides(weft_status (*copy)(weft_memory other), const char *other, bool is_dst) {
    static int32_t ints[LENGTH];
    static float floats[LENGTH];
    const uint32_t int32 = WEFT_DTYPE_BIT(WEFT_INT32);
    for (int i = 0; i < NO_OPERANDS; i++) {
        REFUSES(INVALID_ARGUMENT, other, copy(no_operands[i]));
    }
    REFUSES(TYPE_MISMATCH, other, copy(weft_memory_from_pointer(floats, WEFT_DTYPE_BIT(WEFT_FLOAT32), LENGTH)));
    REFUSES(TYPE_MISMATCH, other, copy(weft_memory_from_pointer(ints, 0, LENGTH)));
    REFUSES(TYPE_MISMATCH, other, copy(weft_memory_from_device_buffer(test_device_buffer(WEFT_UINT32, LENGTH))));
    SAYS("uint32");
    SAYS("int32");
    REFUSES(TYPE_MISMATCH, other, copy(weft_memory_from_host_buffer(test_host_buffer(WEFT_FLOAT32, LENGTH))));
    REFUSES(OUT_OF_RANGE, other, copy(weft_memory_from_pointer(ints, int32, LENGTH - 1)));
    REFUSES(OUT_OF_RANGE, other, copy(weft_memory_from_pointer(ints, int32, 0)));
    SAYS("8");
    SAYS("0");
    if (is_dst) {
        REFUSES(INVALID_ARGUMENT, "dst", copy(weft_memory_from_const_pointer(ints, int32, LENGTH)));
    } else {
        REFUSES(OUT_OF_RANGE, "src", copy(weft_memory_from_device_buffer(test_device_buffer(WEFT_INT32, LENGTH - 1))));
        REFUSES(OUT_OF_RANGE, "src", copy(weft_memory_from_host_buffer(test_host_buffer(WEFT_INT32, 0))));
    }
}

/* Between buffers dst's length counts. */
static void check_longer_dst(weft_status (*copy)(weft_memory dst)) {
    REFUSES(OUT_OF_RANGE, "src", copy(weft_memory_from_device_buffer(test_device_buffer(WEFT_INT32, LENGTH + 1))));
    SAYS("8");
    SAYS("9");
    REFUSES(OUT_OF_RANGE, "src", copy(weft_memory_from_host_buffer(test_host_buffer(WEFT_INT32, LENGTH + 1))));
}

static weft_status copy_into_device(weft_memory src) { return weft_enqueue_copy_memory(ctx, device_side(), src); }
static weft_status copy_into_host(weft_memory src) { return weft_enqueue_copy_memory(ctx, host_side(), src); }
static weft_status copy_from_device(weft_memory dst) { return weft_enqueue_copy_memory(ctx, dst, device_side()); }
static weft_status copy_from_host(weft_memory dst) { return weft_enqueue_copy_memory(ctx, dst, host_side()); }

static void bad_enqueue_copy_memory(void) {
    int32_t a[LENGTH] = {0}, b[LENGTH] = {0};
    const weft_memory from = weft_memory_from_const_pointer(a, WEFT_ANY_DTYPE, LENGTH);
    const weft_memory to = weft_memory_from_pointer(b, WEFT_ANY_DTYPE, LENGTH);
    REFUSES(INVALID_ARGUMENT, "context", weft_enqueue_copy_memory(NULL, device_side(), host_side()));
    REFUSES(INVALID_ARGUMENT, "dst", weft_enqueue_copy_memory(ctx, to, from)); /* two host pointers */
    SAYS("src");
    check_other_sides(copy_into_device, "src", false);
    check_other_sides(copy_into_host, "src", false);
    check_other_sides(copy_from_device, "dst", true);
    check_other_sides(copy_from_host, "dst", true);
    check_longer_dst(copy_from_device);
    check_longer_dst(copy_from_host);
}

static weft_status range_into_device(weft_memory src) {
    return weft_enqueue_copy_range_memory(ctx, device_side(), 0, src, 0, LENGTH);
}
static weft_status range_from_host(weft_memory dst) {
    return weft_enqueue_copy_range_memory(ctx, dst, 0, host_side(), 0, LENGTH);
}

static void bad_enqueue_copy_range_memory(void) {
    static const size_t ranges[][2] = {{0, LENGTH + 1}, {LENGTH, 1},   {LENGTH + 1, 0},       {SIZE_MAX, 1},
                                       {1, SIZE_MAX},   {SIZE_MAX, 0}, {SIZE_MAX - 3, 4},     {SIZE_MAX, SIZE_MAX},
                                       {3, LENGTH - 2}, {1, LENGTH},   {SIZE_MAX / 4 + 1, 1}, {(size_t)1 << 62, 0}};
    int32_t pointer[LENGTH];
    const weft_memory span = weft_memory_from_pointer(pointer, WEFT_ANY_DTYPE, LENGTH);
    const weft_memory unbounded = weft_memory_from_pointer(pointer, WEFT_ANY_DTYPE, WEFT_LENGTH_UNKNOWN);
    REFUSES(INVALID_ARGUMENT, "context", weft_enqueue_copy_range_memory(NULL, device_side(), 0, host_side(), 0, 1));
    REFUSES(INVALID_ARGUMENT, "dst", weft_enqueue_copy_range_memory(ctx, span, 0, span, 0, 1));
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++) {
        size_t offset = ranges[i][0], length = ranges[i][1];
        REFUSES(OUT_OF_RANGE, "dst_offset", weft_enqueue_copy_range_memory(ctx, device_side(), offset, unbounded, 0, length));
        SAYS("length");
        REFUSES(OUT_OF_RANGE, "dst_offset", weft_enqueue_copy_range_memory(ctx, host_side(), offset, unbounded, 0, length));
        REFUSES(OUT_OF_RANGE, "_offset", weft_enqueue_copy_range_memory(ctx, unbounded, 0, device_side(), offset, length));
        REFUSES(OUT_OF_RANGE, "_offset", weft_enqueue_copy_range_memory(ctx, unbounded, 0, host_side(), offset, length));
        REFUSES(OUT_OF_RANGE, "", weft_enqueue_copy_range_memory(ctx, device_side(), 0, span, offset, length));
        REFUSES(OUT_OF_RANGE, "", weft_enqueue_copy_range_memory(ctx, span, offset, host_side(), 0, length));
    }
    /* The pointer's own arithmetic would leave the address space. */
    REFUSES(OUT_OF_RANGE, "src_offset", weft_enqueue_copy_range_memory(ctx, device_side(), 0, unbounded, SIZE_MAX, 1));
    REFUSES(OUT_OF_RANGE, "src_offset", weft_enqueue_copy_range_memory(ctx, device_side(), 0, unbounded, SIZE_MAX / 4, 1));
    REFUSES(OUT_OF_RANGE, "dst_offset", weft_enqueue_copy_range_memory(ctx, unbounded, SIZE_MAX, device_side(), 0, 1));
    check_other_sides(range_into_device, "src", false);
    check_other_sides(range_from_host, "dst", true);
}

static weft_status rect_into_device(weft_memory src) {
    return weft_enqueue_copy_rect_memory(ctx, device_side(), NULL, src, NULL, 2, 2, 2);
}
static weft_status rect_from_host(weft_memory dst) {
    return weft_enqueue_copy_rect_memory(ctx, dst, NULL, host_side(), NULL, 2, 2, 2);
}

/* Boxes of 2 x 2 x 2 elements, of which the buffers hold eight. */
static void bad_enqueue_copy_rect_memory(void) {
    static const weft_rect beyond[] = {{1, 0, 0}, {0, 3, 0}, {0, 2, 5}, {SIZE_MAX, 0, 0}, {0, SIZE_MAX / 2, 0}, {0, 0, SIZE_MAX},
                                       {0, SIZE_MAX / 4, SIZE_MAX / 2}, {SIZE_MAX - 7, 0, 0}};
    static const weft_rect short_row = {0, 1, 0}, short_slice = {0, 0, 3};
    int32_t pointer[LENGTH];
    const weft_memory span = weft_memory_from_pointer(pointer, WEFT_ANY_DTYPE, LENGTH);
    const weft_memory unbounded = weft_memory_from_pointer(pointer, WEFT_ANY_DTYPE, WEFT_LENGTH_UNKNOWN);
    REFUSES(INVALID_ARGUMENT, "context", weft_enqueue_copy_rect_memory(NULL, device_side(), NULL, host_side(), NULL, 1, 1, 1));
    REFUSES(INVALID_ARGUMENT, "dst", weft_enqueue_copy_rect_memory(ctx, span, NULL, span, NULL, 1, 1, 1));
    for (size_t i = 0; i < sizeof beyond / sizeof *beyond; i++) {
        REFUSES(OUT_OF_RANGE, "dst", weft_enqueue_copy_rect_memory(ctx, device_side(), &beyond[i], unbounded, NULL, 2, 2, 2));
        REFUSES(OUT_OF_RANGE, "dst", weft_enqueue_copy_rect_memory(ctx, host_side(), &beyond[i], device_side(), NULL, 2, 2, 2));
        REFUSES(OUT_OF_RANGE, "src", weft_enqueue_copy_rect_memory(ctx, device_side(), NULL, host_side(), &beyond[i], 2, 2, 2));
        REFUSES(OUT_OF_RANGE, "src", weft_enqueue_copy_rect_memory(ctx, device_side(), NULL, span, &beyond[i], 2, 2, 2));
    }
    REFUSES(OUT_OF_RANGE, "src", weft_enqueue_copy_rect_memory(ctx, device_side(), NULL, unbounded, &beyond[3], 2, 2, 2));
    REFUSES(INVALID_ARGUMENT, "row_pitch 1", weft_enqueue_copy_rect_memory(ctx, device_side(), &short_row, host_side(), NULL, 2, 2, 1));
    REFUSES(INVALID_ARGUMENT, "slice_pitch 3", weft_enqueue_copy_rect_memory(ctx, device_side(), NULL, host_side(), &short_slice, 2, 2, 2));
    static const size_t sizes[][3] = {{9, 1, 1}, {1, 9, 1}, {1, 1, 9}, {SIZE_MAX, 2, 1}, {2, SIZE_MAX, 2}, {2, 2, SIZE_MAX},
                                      {SIZE_MAX, SIZE_MAX, SIZE_MAX}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        const size_t *of = sizes[i];
        REFUSES(OUT_OF_RANGE, "dst", weft_enqueue_copy_rect_memory(ctx, device_side(), NULL, unbounded, NULL, of[0], of[1], of[2]));
    }
    check_other_sides(rect_into_device, "src", false);
    check_other_sides(rect_from_host, "dst", true);
}

static weft_status device_to(weft_memory dst) { return weft_device_buffer_enqueue_copy_to_memory(device, dst); }
static weft_status device_from(weft_memory src) { return weft_device_buffer_enqueue_copy_from_memory(device, src); }
static weft_status host_to(weft_memory dst) { return weft_host_buffer_enqueue_copy_to_memory(host, dst); }
static weft_status host_from(weft_memory src) { return weft_host_buffer_enqueue_copy_from_memory(host, src); }

static void bad_device_buffer_enqueue_copy_to_memory(void) {
    REFUSES(INVALID_ARGUMENT, "buffer", weft_device_buffer_enqueue_copy_to_memory(NULL, host_side()));
    check_other_sides(device_to, "dst", true);
    check_longer_dst(device_to);
}

static void bad_device_buffer_enqueue_copy_from_memory(void) {
    REFUSES(INVALID_ARGUMENT, "buffer", weft_device_buffer_enqueue_copy_from_memory(NULL, host_side()));
    check_other_sides(device_from, "src", false);
}

static void bad_host_buffer_enqueue_copy_to_memory(void) {
    REFUSES(INVALID_ARGUMENT, "buffer", weft_host_buffer_enqueue_copy_to_memory(NULL, device_side()));
    check_other_sides(host_to, "dst", true);
    check_longer_dst(host_to);
}

static void bad_host_buffer_enqueue_copy_from_memory(void) {
    REFUSES(INVALID_ARGUMENT, "buffer", weft_host_buffer_enqueue_copy_from_memory(NULL, device_side()));
    check_other_sides(host_from, "src", false);
}

START_TEST(bad_copy_input_is_refused) {
    static const surface_row rows[] = {SURFACE_COPIES(SURFACE_ROW)};
    run_rows(rows, sizeof rows / sizeof *rows);
}
END_TEST

TESTS(bad_copy_input_is_refused)
