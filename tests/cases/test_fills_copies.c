/* Cases from public reports, section B: zero sizes, fills and copies; and C84, a fill beside other work. */
#include <stdio.h>

#include "support.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* An assertion costs a system call, so loops only assert what is wrong. */
static void expect_floats(const float *actual, const float *expected, size_t length) {
    for (size_t i = 0; i < length; i++)
        if (actual[i] != expected[i]) ck_abort_msg("element %zu is %g instead of %g", i, actual[i], expected[i]);
}

static void expect_bytes(const void *actual, const void *expected, size_t length) {
    const unsigned char *a = actual, *e = expected;
    for (size_t i = 0; i < length; i++)
        if (a[i] != e[i]) ck_abort_msg("byte %zu is %d instead of %d", i, a[i], e[i]);
}

/* ---- C07: nothing ------------------------------------------------------------------------------ */

START_TEST(c07_zero_length_device_buffer) {
    weft_context *ctx = test_context();
    weft_device_buffer *empty = test_device_buffer(WEFT_FLOAT32, 0), *other = test_device_buffer(WEFT_FLOAT32, 0);
    weft_device_buffer *view = test_view(empty, WEFT_FLOAT32, 0, 0), *out = test_device_buffer(WEFT_INT32, 1), *none = NULL;
    float host[1] = {5};
    ck_assert_uint_eq(weft_device_buffer_length(empty), 0);
    ck_assert_uint_eq(weft_device_buffer_size_bytes(empty), 0);
    OK(weft_enqueue_fill(empty, 1.0f));
    OK(weft_enqueue_fill_range(empty, 0, 0, 1.0f));
    OK(weft_enqueue_copy(ctx, empty, host));
    OK(weft_enqueue_copy(ctx, host, empty));
    OK(weft_enqueue_copy(ctx, WEFT_SPAN(host, 0), empty));
    OK(weft_enqueue_copy(ctx, other, empty));
    OK(weft_enqueue_copy(ctx, view, empty));
    OK(weft_enqueue_copy_range(ctx, empty, 0, host, 0, 0));
    FAILS(WEFT_ERROR_OUT_OF_RANGE, weft_device_buffer_create_sub_buffer(empty, WEFT_FLOAT32, 0, 1, &none));
    FAILS(WEFT_ERROR_OUT_OF_RANGE, weft_enqueue_fill_range(empty, 0, 1, 1.0f));

    weft_function *sum = test_function("kernel void sum(global const float *v, int n, global int *out) {\n"
                                       "    int total = 100;\n"
                                       "    for (int i = 0; i < n; i++) total += (int)v[i];\n"
                                       "    out[0] = total;\n"
                                       "}\n", "sum");
    int total = 0;
    OK(weft_enqueue_function(ctx, sum, 1, 1, empty, 0, out));
    test_read(out, &total);
    ck_assert_int_eq(total, 100);
    OK(weft_enqueue_function(ctx, sum, 1, 1, view, 0, out));
    OK(weft_synchronize(ctx));
    ck_assert(host[0] == 5);
}
END_TEST

START_TEST(c07_zero_length_host_buffer) {
    weft_context *ctx = test_context();
    weft_device_buffer *empty = test_device_buffer(WEFT_INT64, 0);
    weft_host_buffer *host = test_host_buffer(WEFT_INT64, 0), *view = NULL, *wrapped = NULL, *mapped = NULL;
    ck_assert_uint_eq(weft_host_buffer_length(host), 0);
    ck_assert_ptr_nonnull(weft_host_buffer_data(host));
    OK(weft_enqueue_fill(host, 1));
    OK(weft_enqueue_copy(ctx, host, empty));
    OK(weft_enqueue_copy(ctx, empty, host));
    OK(weft_host_buffer_create_sub_buffer(host, WEFT_INT64, 0, 0, &view));
    OK(weft_wrap_host_memory(ctx, WEFT_INT64, NULL, 0, &wrapped));
    OK(weft_enqueue_copy(ctx, wrapped, empty));
    OK(weft_device_buffer_map_to_host(empty, &mapped));
    ck_assert_uint_eq(weft_host_buffer_length(mapped), 0);
    OK(weft_device_buffer_unmap(empty, mapped));
    OK(weft_synchronize(ctx));
    weft_host_buffer_release(view);
    weft_host_buffer_release(wrapped);
}
END_TEST

START_TEST(c07_zero_length_prints) {
    char text[64] = "";
    FILE *stream = tmpfile();
    ck_assert_ptr_nonnull(stream);
    OK(weft_device_buffer_write_to(test_device_buffer(WEFT_FLOAT32, 0), stream));
    OK(weft_host_buffer_write_to(test_host_buffer(WEFT_INT8, 0), stream));
    rewind(stream);
    text[fread(text, 1, sizeof text - 1, stream)] = 0;
    fclose(stream);
    ck_assert_str_eq(text, "DeviceBuffer([])HostBuffer([])");
}
END_TEST

/* ---- C09: values of eight bytes ---------------------------------------------------------------- */

/* A buffer of length + 2 elements of -1, filled between the guards, on the device and on the host. */
static void expect_fill_of_eight_bytes(weft_dtype dtype, weft_scalar value, size_t length) {
    const uint64_t guard = UINT64_MAX;
    uint64_t bits = 0;
    memcpy(&bits, &value.value, sizeof bits);
    uint64_t *actual = malloc((length + 2) * sizeof *actual);
    ck_assert_ptr_nonnull(actual);
    weft_device_buffer *device = test_device_buffer(dtype, length + 2);
    weft_host_buffer *host = test_host_buffer(dtype, length + 2);
    OK(weft_enqueue_fill_bytes(device, 0, &guard, sizeof guard, length + 2));
    OK(weft_enqueue_fill_bytes(host, 0, &guard, sizeof guard, length + 2));
    OK(weft_enqueue_fill_range(device, 1, length, value));
    OK(weft_enqueue_fill_range(host, 1, length, value));
    test_read(device, actual);
    const uint64_t *data = weft_host_buffer_data(host);
    ck_assert(actual[0] == guard && actual[length + 1] == guard && data[0] == guard && data[length + 1] == guard);
    for (size_t i = 1; i <= length; i++) {
        if (actual[i] != bits) ck_abort_msg("device element %zu is %#jx", i, (uintmax_t)actual[i]);
        if (data[i] != bits) ck_abort_msg("host element %zu is %#jx", i, (uintmax_t)data[i]);
    }
    OK(weft_enqueue_fill(device, value));
    test_read(device, actual);
    for (size_t i = 0; i < length + 2; i++)
        if (actual[i] != bits) ck_abort_msg("element %zu is %#jx", i, (uintmax_t)actual[i]);
    free(actual);
}

START_TEST(c09_fill_with_eight_bytes) {
    expect_fill_of_eight_bytes(WEFT_FLOAT64, WEFT_SCALAR(0.1), 8);
    expect_fill_of_eight_bytes(WEFT_INT64, WEFT_SCALAR(1), 8);
    expect_fill_of_eight_bytes(WEFT_INT64, WEFT_SCALAR(INT64_C(0x0102030405060708)), 5);
    expect_fill_of_eight_bytes(WEFT_UINT64, WEFT_SCALAR(UINT64_C(0xFEDCBA9876543210)), 5);
    expect_fill_of_eight_bytes(WEFT_FLOAT64, WEFT_SCALAR(-0.1), test_size(1 << 20, 1 << 12) + 1);
}
END_TEST

/* ---- C11: patterns of any size ----------------------------------------------------------------- */

/* Between guards, in a device buffer and in a host buffer. */
static void expect_pattern(size_t offset_bytes, size_t pattern_bytes, size_t count) {
    unsigned char pattern[4096];
    const size_t end = offset_bytes + pattern_bytes * count, size_bytes = end + 300;
    unsigned char *expected = malloc(size_bytes), *actual = malloc(size_bytes);
    ck_assert(expected && actual);
    memset(expected, 0xEE, size_bytes);
    for (size_t i = 0; i < pattern_bytes; i++) pattern[i] = (unsigned char)(1 + i % 233);
    for (size_t i = offset_bytes; i < end; i++) expected[i] = pattern[(i - offset_bytes) % pattern_bytes];

    weft_device_buffer *device = test_device_buffer(WEFT_UINT8, size_bytes);
    weft_host_buffer *host = test_host_buffer(WEFT_UINT8, size_bytes);
    OK(weft_enqueue_fill(device, 0xEE));
    OK(weft_enqueue_fill(host, 0xEE));
    OK(weft_enqueue_fill_bytes(device, offset_bytes, pattern, pattern_bytes, count));
    OK(weft_enqueue_fill_bytes(host, offset_bytes, pattern, pattern_bytes, count));
    memset(pattern, 0, sizeof pattern); /* the pattern was captured at the call */
    test_read(device, actual);
    expect_bytes(actual, expected, size_bytes);
    expect_bytes(weft_host_buffer_data(host), expected, size_bytes);
    free(expected);
    free(actual);
}

START_TEST(c11_pattern_of_any_size) {
    const struct {
        size_t pattern_bytes, count;
    } fills[] = {{3, 7},   {12, 5},  {256, 3},  {1, 11},   {5, 1000}, {64, 9},
                 {127, 2}, {129, 2}, {1000, 4}, {4096, 2}, {12, 0},   {12, test_size(300001, 10001)}};
    for (size_t i = 0; i < COUNT(fills); i++) {
        expect_pattern(0, fills[i].pattern_bytes, fills[i].count);
        expect_pattern(17, fills[i].pattern_bytes, fills[i].count);
    }
}
END_TEST

START_TEST(c11_refused_pattern_writes_nothing) {
    weft_context *ctx = test_context();
    unsigned char pattern[4097] = {9}, before[64], actual[64];
    memset(before, 0xEE, sizeof before);
    weft_device_buffer *buffer = test_device_buffer(WEFT_UINT8, sizeof before);
    test_write(buffer, before);
    FAILS(WEFT_ERROR_OUT_OF_RANGE, weft_enqueue_fill_bytes(buffer, 0, pattern, 0, 1));
    FAILS(WEFT_ERROR_OUT_OF_RANGE, weft_enqueue_fill_bytes(buffer, 0, pattern, 4097, 0));
    FAILS(WEFT_ERROR_OUT_OF_RANGE, weft_enqueue_fill_bytes(buffer, 0, pattern, 13, 5));
    FAILS(WEFT_ERROR_OUT_OF_RANGE, weft_enqueue_fill_bytes(buffer, 63, pattern, 2, 1));
    FAILS(WEFT_ERROR_OUT_OF_RANGE, weft_enqueue_fill_bytes(buffer, 0, pattern, 2, SIZE_MAX / 2 + 2)); /* overflows to 2 */
    FAILS(WEFT_ERROR_INVALID_ARGUMENT, weft_enqueue_fill_bytes(buffer, 0, NULL, 4, 1));
    test_read(buffer, actual);
    expect_bytes(actual, before, sizeof before);
    test_context_works(ctx);
}
END_TEST

/* ---- C12: ranges count elements ---------------------------------------------------------------- */

START_TEST(c12_range_counts_elements) {
    const uint32_t expected[8] = {0, 7, 7, 0, 0, 0, 0, 0};
    uint32_t actual[8] = {0};
    weft_device_buffer *device = test_device_buffer(WEFT_UINT32, 8);
    weft_host_buffer *host = test_host_buffer(WEFT_UINT32, 8);
    OK(weft_enqueue_fill(device, 0));
    OK(weft_enqueue_fill(host, 0));
    OK(weft_enqueue_fill_range(device, 1, 2, 7));
    OK(weft_enqueue_fill_range(host, 1, 2, 7));
    OK(weft_enqueue_fill_range(device, 8, 0, 7)); /* empty, at the very end */
    test_read(device, actual);
    expect_bytes(actual, expected, sizeof expected);
    expect_bytes(weft_host_buffer_data(host), expected, sizeof expected);
}
END_TEST

START_TEST(c12_range_beyond_the_end_writes_nothing) {
    weft_context *ctx = test_context();
    const uint32_t before[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    const struct {
        size_t offset, length;
    } ranges[] = {{7, 2}, {0, 9}, {9, 0}, {SIZE_MAX, 2}, {1, SIZE_MAX}, {SIZE_MAX / 4 + 2, 1}, {0, SIZE_MAX / 4 + 2}};
    uint32_t actual[8] = {0};
    weft_device_buffer *device = test_device_buffer(WEFT_UINT32, 8);
    weft_host_buffer *host = test_host_buffer(WEFT_UINT32, 8);
    test_write(device, before);
    memcpy(weft_host_buffer_data(host), before, sizeof before);
    for (size_t i = 0; i < COUNT(ranges); i++) {
        FAILS(WEFT_ERROR_OUT_OF_RANGE, weft_enqueue_fill_range(device, ranges[i].offset, ranges[i].length, 9));
        FAILS(WEFT_ERROR_OUT_OF_RANGE, weft_enqueue_fill_range(host, ranges[i].offset, ranges[i].length, 9));
    }
    test_read(device, actual);
    expect_bytes(actual, before, sizeof before);
    expect_bytes(weft_host_buffer_data(host), before, sizeof before);
    test_context_works(ctx);
}
END_TEST

/* ---- C13: more bytes than 31 bits count -------------------------------------------------------- */

START_TEST(c13_fill_of_two_gibibytes) {
    weft_context *ctx = test_context();
    const size_t length = ((size_t)1 << 31) + 16, probes[] = {0, ((size_t)1 << 31) - 1, (size_t)1 << 31, length - 1};
    size_t free_bytes = 0, total_bytes = 0;
    weft_device_buffer *buffer = NULL;
    OK(weft_context_get_memory_info(ctx, &free_bytes, &total_bytes));
    if (free_bytes < length + length / 2) SKIP("not enough memory");
    weft_status status = weft_enqueue_create_buffer(ctx, WEFT_UINT8, length, &buffer);
    if (status == WEFT_ERROR_OUT_OF_DEVICE_MEMORY) SKIP("the driver grants no buffer of 2 GiB");
    OK(status);
    OK(weft_enqueue_fill(buffer, 1));
    for (size_t i = 0; i < COUNT(probes); i++) {
        unsigned char byte = 0;
        OK(weft_enqueue_copy_range(ctx, &byte, 0, buffer, probes[i], 1));
        OK(weft_synchronize(ctx));
        ck_assert_msg(byte == 1, "byte %zu is %d", probes[i], byte);
    }
    weft_device_buffer_release(buffer);
    test_context_works(ctx);
}
END_TEST

/* ---- C15: copies that overlap ------------------------------------------------------------------ */

static void expect_copy_inside(size_t dst_offset, size_t src_offset, size_t length, bool through_views) {
    weft_context *ctx = test_context();
    float expected[9], actual[9];
    for (size_t i = 0; i < 9; i++) actual[i] = expected[i] = (float)(i + 1);
    for (size_t i = 0; i < length; i++) expected[dst_offset + i] = (float)(src_offset + i + 1);
    weft_device_buffer *device = test_device_buffer(WEFT_FLOAT32, 9);
    weft_host_buffer *host = test_host_buffer(WEFT_FLOAT32, 9);
    test_write(device, actual);
    memcpy(weft_host_buffer_data(host), actual, sizeof actual);
    if (through_views) {
        weft_host_buffer *to = NULL, *from = NULL;
        OK(weft_host_buffer_create_sub_buffer(host, WEFT_FLOAT32, dst_offset, length, &to));
        OK(weft_host_buffer_create_sub_buffer(host, WEFT_FLOAT32, src_offset, length, &from));
        OK(weft_enqueue_copy(ctx, to, from));
        OK(weft_enqueue_copy(ctx, test_view(device, WEFT_FLOAT32, dst_offset, length),
                             test_view(device, WEFT_FLOAT32, src_offset, length)));
        weft_host_buffer_release(to);
        weft_host_buffer_release(from);
    } else {
        OK(weft_enqueue_copy_range(ctx, host, dst_offset, host, src_offset, length));
        OK(weft_enqueue_copy_range(ctx, device, dst_offset, device, src_offset, length));
    }
    test_read(device, actual);
    expect_floats(actual, expected, 9);
    expect_floats(weft_host_buffer_data(host), expected, 9);
}

START_TEST(c15_overlap_is_as_through_a_temporary) {
    for (int through_views = 0; through_views < 2; through_views++) {
        expect_copy_inside(0, 3, 6, through_views);
        expect_copy_inside(3, 0, 6, through_views);
        expect_copy_inside(2, 2, 5, through_views);
        expect_copy_inside(0, 0, 9, through_views);
        expect_copy_inside(0, 1, 8, through_views);
        expect_copy_inside(1, 0, 8, through_views);
    }
}
END_TEST

/* Far beyond any piece that a library or driver moves at once. */
START_TEST(c15_large_overlap) {
    weft_context *ctx = test_context();
    const size_t length = test_size(5000011, 100003), shifts[] = {1, 4099, length / 2 + 1};
    int32_t *actual = malloc(length * sizeof *actual), *expected = malloc(length * sizeof *expected);
    ck_assert(actual && expected);
    weft_device_buffer *device = test_device_buffer(WEFT_INT32, length);
    weft_host_buffer *host = test_host_buffer(WEFT_INT32, length);
    for (size_t s = 0; s < 2 * COUNT(shifts); s++) {
        const size_t shift = shifts[s / 2], to = s % 2 ? shift : 0, from = s % 2 ? 0 : shift;
        for (size_t i = 0; i < length; i++) actual[i] = expected[i] = (int32_t)i;
        for (size_t i = 0; i < length - shift; i++) expected[to + i] = (int32_t)(from + i);
        memcpy(weft_host_buffer_data(host), actual, length * sizeof *actual);
        test_write(device, actual);
        OK(weft_enqueue_copy_range(ctx, device, to, device, from, length - shift));
        OK(weft_enqueue_copy_range(ctx, host, to, host, from, length - shift));
        test_read(device, actual);
        expect_bytes(actual, expected, length * sizeof *actual);
        expect_bytes(weft_host_buffer_data(host), expected, length * sizeof *actual);
    }
    free(actual);
    free(expected);
}
END_TEST

/* ---- C17: one side is too short ---------------------------------------------------------------- */

START_TEST(c17_short_source_is_refused) {
    weft_context *ctx = test_context();
    const float before[10] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, host[8] = {0};
    float actual[10] = {0};
    weft_device_buffer *ten = test_device_buffer(WEFT_FLOAT32, 10), *eight = test_device_buffer(WEFT_FLOAT32, 8);
    weft_host_buffer *pinned = test_host_buffer(WEFT_FLOAT32, 8);
    test_write(ten, before);
    OK(weft_enqueue_fill(eight, 0));
    OK(weft_enqueue_fill(pinned, 0));
    FAILS(WEFT_ERROR_OUT_OF_RANGE, weft_enqueue_copy(ctx, ten, eight));
    SAYS("8");
    SAYS("10");
    FAILS(WEFT_ERROR_OUT_OF_RANGE, weft_enqueue_copy(ctx, ten, WEFT_SPAN(host, 8)));
    SAYS("8");
    SAYS("10");
    FAILS(WEFT_ERROR_OUT_OF_RANGE, weft_enqueue_copy(ctx, ten, pinned));
    SAYS("8");
    SAYS("10");
    FAILS(WEFT_ERROR_OUT_OF_RANGE, weft_enqueue_copy_range(ctx, ten, 0, eight, 0, 9));
    FAILS(WEFT_ERROR_OUT_OF_RANGE, weft_enqueue_copy_range(ctx, ten, 0, WEFT_SPAN(host, 8), 1, 8));
    test_read(ten, actual);
    expect_floats(actual, before, 10);
    test_context_works(ctx);
}
END_TEST

START_TEST(c17_short_destination_is_refused) {
    weft_context *ctx = test_context();
    const float before[10] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, source[10] = {0};
    float actual[10], span[10];
    memcpy(span, before, sizeof span);
    weft_device_buffer *ten = test_device_buffer(WEFT_FLOAT32, 10), *eight = test_device_buffer(WEFT_FLOAT32, 8);
    OK(weft_enqueue_fill(ten, 0));
    test_write(eight, before);
    FAILS(WEFT_ERROR_OUT_OF_RANGE, weft_enqueue_copy(ctx, WEFT_SPAN(span, 8), ten));
    SAYS("8");
    SAYS("10");
    FAILS(WEFT_ERROR_OUT_OF_RANGE, weft_enqueue_copy_range(ctx, eight, 0, source, 0, 10));
    SAYS("8");
    SAYS("10");
    FAILS(WEFT_ERROR_OUT_OF_RANGE, weft_enqueue_copy_range(ctx, eight, 4, ten, 0, 5));
    FAILS(WEFT_ERROR_OUT_OF_RANGE, weft_enqueue_copy_range(ctx, eight, SIZE_MAX, ten, 0, 2));
    OK(weft_synchronize(ctx));
    expect_floats(span, before, 10);
    test_read(eight, actual);
    expect_floats(actual, before, 8);
    test_context_works(ctx);
}
END_TEST

/* The destination's length counts, so a longer source is no error. */
START_TEST(c17_longer_source_is_cut) {
    weft_context *ctx = test_context();
    const float source[10] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, guarded[10] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 0};
    float actual[10];
    weft_device_buffer *ten = test_device_buffer(WEFT_FLOAT32, 10), *parent = test_device_buffer(WEFT_FLOAT32, 10);
    weft_device_buffer *eight = test_view(parent, WEFT_FLOAT32, 1, 8);
    test_write(ten, source);
    OK(weft_enqueue_fill(parent, 0));
    OK(weft_enqueue_copy(ctx, eight, ten));
    test_read(parent, actual);
    expect_floats(actual, guarded, 10);
    OK(weft_enqueue_fill(parent, 0));
    OK(weft_enqueue_copy(ctx, eight, WEFT_SPAN(source, 10)));
    test_read(parent, actual);
    expect_floats(actual, guarded, 10);
}
END_TEST

/* ---- C84: a fill beside other work ------------------------------------------------------------- */

START_TEST(c84_fill_leaves_other_buffers_alone) {
    weft_context *ctx = test_context();
    const size_t repeats = test_size(100, 20);
    weft_function *copy = test_function("kernel void copy(global const float *in, global float *out, int n) {\n"
                                        "    int i = get_global_id(0);\n"
                                        "    if (i < n) out[i] = in[i];\n"
                                        "}\n", "copy");
    weft_device_buffer *in = test_device_buffer(WEFT_FLOAT32, 8), *out = test_device_buffer(WEFT_FLOAT32, 8);
    weft_device_buffer *third = test_device_buffer(WEFT_FLOAT32, 8);
    for (size_t repeat = 0; repeat < repeats; repeat++) {
        float values[8], back[8] = {0}, expected[8];
        for (int i = 0; i < 8; i++) values[i] = expected[i] = (float)(repeat + 1) + (float)i;
        OK(weft_enqueue_copy(ctx, in, values));
        OK(weft_enqueue_fill(out, -99.0f));
        OK(weft_enqueue_function(ctx, copy, 1, 256, in, out, 8));
        OK(weft_enqueue_fill(third, -77.0f));
        OK(weft_enqueue_copy(ctx, back, out));
        OK(weft_synchronize(ctx));
        expect_floats(back, expected, 8);
    }
}
END_TEST

TESTS(c07_zero_length_device_buffer, c07_zero_length_host_buffer, c07_zero_length_prints, c09_fill_with_eight_bytes,
      c11_pattern_of_any_size, c11_refused_pattern_writes_nothing, c12_range_counts_elements,
      c12_range_beyond_the_end_writes_nothing, c13_fill_of_two_gibibytes, c15_overlap_is_as_through_a_temporary,
      c15_large_overlap, c17_short_source_is_refused, c17_short_destination_is_refused, c17_longer_source_is_cut,
      c84_fill_leaves_other_buffers_alone)
