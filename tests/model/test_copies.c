/* The model's test_copies: round trips, swapped halves, and arithmetic on raw device pointers. */
#include "support.h"

/* Every test runs with 64 and with a million elements. */
#define BOTH_LENGTHS(name, run)                \
    START_TEST(name) {                         \
        run(64);                               \
        run(test_size(1 << 20, 1 << 16));      \
    }                                          \
    END_TEST

/* Host data in and out, with one guard element behind out. */
typedef struct data {
    size_t length;
    float *in, *out;
} data;

static data data_make(size_t length) {
    data d = {length, calloc(length, sizeof(float)), calloc(length + 1, sizeof(float))};
    for (size_t i = 0; i < length; i++) {
        d.in[i] = (float)i;
        d.out[i] = -1;
    }
    d.out[length] = -2;
    return d;
}

/* out holds what in held, or that with its halves swapped. */
static void data_check(data d, bool swapped) {
    for (size_t i = 0; i < d.length; i++) {
        size_t from = swapped ? (i + d.length / 2) % d.length : i;
        if (d.out[i] != (float)from) { /* an assert that passes costs a system call */
            ck_abort_msg("element %zu is %g instead of %zu", i, (double)d.out[i], from);
        }
    }
    ck_assert_float_eq(d.out[d.length], -2);
    free(d.in);
    free(d.out);
}

static void through_context(size_t length) {
    data d = data_make(length);
    weft_context *ctx = test_context();
    weft_device_buffer *a = test_device_buffer(WEFT_FLOAT32, length), *b = test_device_buffer(WEFT_FLOAT32, length);
    OK(weft_enqueue_copy(ctx, a, d.in));
    memset(d.in, 0xFF, length * sizeof *d.in); /* the source is captured */
    OK(weft_enqueue_copy(ctx, b, a));
    OK(weft_enqueue_copy(ctx, d.out, b));
    OK(weft_synchronize(ctx));
    data_check(d, false);
}
BOTH_LENGTHS(round_trip_through_the_context, through_context)

static void through_buffers(size_t length) {
    data d = data_make(length);
    weft_device_buffer *a = test_device_buffer(WEFT_FLOAT32, length), *b = test_device_buffer(WEFT_FLOAT32, length);
    weft_device_buffer *c = test_device_buffer(WEFT_FLOAT32, length);
    OK(weft_device_buffer_enqueue_copy_from(a, d.in));
    OK(weft_device_buffer_enqueue_copy_to(a, b));
    OK(weft_device_buffer_enqueue_copy_from(c, b));
    OK(weft_device_buffer_enqueue_copy_to(c, d.out));
    OK(weft_synchronize(test_context()));
    data_check(d, false);
}
BOTH_LENGTHS(round_trip_through_buffers, through_buffers)

static void through_host_buffers(size_t length) {
    data d = data_make(length);
    weft_host_buffer *in = test_host_buffer(WEFT_FLOAT32, length), *out = test_host_buffer(WEFT_FLOAT32, length);
    weft_device_buffer *a = test_device_buffer(WEFT_FLOAT32, length);
    memcpy(weft_host_buffer_data(in), d.in, length * sizeof *d.in);
    OK(weft_host_buffer_enqueue_copy_to(in, a));
    OK(weft_host_buffer_enqueue_copy_from(out, a));
    OK(weft_host_buffer_enqueue_copy_to(out, d.out));
    OK(weft_synchronize(test_context()));
    data_check(d, false);
}
BOTH_LENGTHS(round_trip_through_host_buffers, through_host_buffers)

static void swap_sub_buffers(size_t length) {
    data d = data_make(length);
    size_t half = length / 2;
    weft_context *ctx = test_context();
    weft_device_buffer *a = test_device_buffer(WEFT_FLOAT32, length), *b = test_device_buffer(WEFT_FLOAT32, length);
    OK(weft_enqueue_copy(ctx, a, d.in));
    OK(weft_enqueue_copy(ctx, test_view(b, WEFT_FLOAT32, 0, half), test_view(a, WEFT_FLOAT32, half, half)));
    OK(weft_enqueue_copy(ctx, test_view(b, WEFT_FLOAT32, half, half), test_view(a, WEFT_FLOAT32, 0, half)));
    OK(weft_enqueue_copy(ctx, d.out, b));
    OK(weft_synchronize(ctx));
    data_check(d, true);
}
BOTH_LENGTHS(halves_swapped_through_sub_buffers, swap_sub_buffers)

static void swap_spans(size_t length) {
    data d = data_make(length);
    size_t half = length / 2;
    weft_context *ctx = test_context();
    weft_device_buffer *low = test_device_buffer(WEFT_FLOAT32, half), *high = test_device_buffer(WEFT_FLOAT32, half);
    OK(weft_enqueue_copy(ctx, low, WEFT_SPAN(d.in, half)));
    OK(weft_enqueue_copy(ctx, high, WEFT_SPAN(d.in + half, half)));
    OK(weft_enqueue_copy(ctx, WEFT_SPAN(d.out + half, half), low));
    OK(weft_enqueue_copy(ctx, WEFT_SPAN(d.out, half), high));
    OK(weft_synchronize(ctx));
    data_check(d, true);
}
BOTH_LENGTHS(halves_swapped_through_spans, swap_spans)

static void swap_ranges(size_t length) {
    data d = data_make(length);
    size_t half = length / 2;
    weft_context *ctx = test_context();
    weft_device_buffer *a = test_device_buffer(WEFT_FLOAT32, length);
    OK(weft_enqueue_copy_range(ctx, a, 0, d.in, half, half));
    OK(weft_enqueue_copy_range(ctx, a, half, WEFT_SPAN(d.in, half), 0, half));
    OK(weft_enqueue_copy_range(ctx, d.out, 0, a, 0, length));
    OK(weft_synchronize(ctx));
    data_check(d, true);
}
BOTH_LENGTHS(halves_swapped_through_ranges, swap_ranges)

/* The halves of a, by pointer arithmetic, as non-owning buffers. */
static void copy_out_swapped(weft_device_ptr ptr, data d) {
    size_t half = d.length / 2;
    weft_context *ctx = test_context();
    weft_device_buffer *low = NULL, *high = NULL;
    OK(weft_wrap_device_ptr(ctx, ptr, WEFT_FLOAT32, half, false, &low));
    ptr.offset_bytes += half * sizeof(float);
    OK(weft_wrap_device_ptr(ctx, ptr, WEFT_FLOAT32, half, false, &high));
    OK(weft_enqueue_copy(ctx, d.out, high));
    OK(weft_enqueue_copy(ctx, d.out + half, low));
    OK(weft_synchronize(ctx));
    weft_device_buffer_release(low);
    weft_device_buffer_release(high);
}

static void swap_unsafe_ptr(size_t length) {
    data d = data_make(length);
    weft_device_buffer *a = test_device_buffer(WEFT_FLOAT32, length);
    weft_device_ptr ptr;
    OK(weft_enqueue_copy(test_context(), a, d.in));
    OK(weft_device_buffer_unsafe_ptr(a, &ptr));
    copy_out_swapped(ptr, d);
    data_check(d, true);
}
BOTH_LENGTHS(halves_swapped_through_unsafe_ptr, swap_unsafe_ptr)

static void swap_take_ptr(size_t length) {
    data d = data_make(length);
    weft_device_buffer *a = NULL;
    weft_device_ptr ptr;
    OK(weft_enqueue_create_buffer(test_context(), WEFT_FLOAT32, length, &a));
    OK(weft_enqueue_copy(test_context(), a, d.in));
    OK(weft_device_buffer_take_ptr(a, &ptr));
    copy_out_swapped(ptr, d);
    OK(weft_wrap_device_ptr(test_context(), ptr, WEFT_FLOAT32, length, true, &a)); /* takes it back */
    memset(d.out, 0, length * sizeof *d.out);
    copy_out_swapped(ptr, d);
    weft_device_buffer_release(a);
    data_check(d, true);
}
BOTH_LENGTHS(halves_swapped_through_take_ptr, swap_take_ptr)

/* The pointer of a view points to the view's first element. */
START_TEST(pointer_of_a_view_counts_its_offset) {
    weft_device_buffer *a = test_device_buffer(WEFT_INT32, 64), *b = NULL;
    weft_device_ptr whole, part;
    int32_t in[64], got[2];
    for (int i = 0; i < 64; i++) {
        in[i] = i;
    }
    test_write(a, in);
    OK(weft_device_buffer_unsafe_ptr(a, &whole));
    OK(weft_device_buffer_unsafe_ptr(test_view(a, WEFT_INT32, 30, 4), &part));
    ck_assert_ptr_eq(part.mem, whole.mem);
    ck_assert_uint_eq(part.offset_bytes - whole.offset_bytes, 30 * 4);
    part.offset_bytes -= 20 * 4;
    OK(weft_wrap_device_ptr(test_context(), part, WEFT_INT32, 2, false, &b));
    test_read(b, got);
    ck_assert(got[0] == 10 && got[1] == 11);
    weft_device_buffer_release(b);
}
END_TEST

/* A source may be longer than its destination, never shorter. */
START_TEST(destination_decides_the_length) {
    weft_context *ctx = test_context();
    weft_device_buffer *large = test_device_buffer(WEFT_INT16, 100), *small = test_device_buffer(WEFT_INT16, 60);
    weft_host_buffer *host = test_host_buffer(WEFT_INT16, 61);
    int16_t got[100];
    OK(weft_enqueue_fill(large, 5));
    OK(weft_enqueue_fill(small, 6));
    OK(weft_enqueue_fill(host, 7));
    FAILS(WEFT_ERROR_OUT_OF_RANGE, weft_enqueue_copy(ctx, large, small));
    SAYS("100");
    SAYS("60");
    FAILS(WEFT_ERROR_OUT_OF_RANGE, weft_enqueue_copy(ctx, host, small));
    FAILS(WEFT_ERROR_OUT_OF_RANGE, weft_enqueue_copy(ctx, large, WEFT_SPAN(got, 99)));
    SAYS("100");
    SAYS("99");
    FAILS(WEFT_ERROR_OUT_OF_RANGE, weft_enqueue_copy(ctx, WEFT_SPAN(got, 99), large));
    test_read(large, got);
    for (int i = 0; i < 100; i++) {
        ck_assert_int_eq(got[i], 5);
    }
    OK(weft_enqueue_copy(ctx, small, large));
    OK(weft_enqueue_copy_range(ctx, large, 39, host, 0, 61));
    test_read(small, got);
    for (int i = 0; i < 60; i++) {
        ck_assert_int_eq(got[i], 5);
    }
    test_read(large, got);
    for (int i = 0; i < 100; i++) {
        ck_assert_int_eq(got[i], i < 39 ? 5 : 7);
    }
}
END_TEST

/* Overlaps in both directions, within a device buffer and within a host buffer. */
START_TEST(overlapping_copies_go_as_through_a_temporary) {
    enum { N = 1000 };
    static const struct {
        size_t to, from;
    } shifts[] = {{1, 0}, {0, 1}, {0, 333}, {333, 0}, {7, 7}};
    weft_context *ctx = test_context();
    weft_device_buffer *device = test_device_buffer(WEFT_INT32, N);
    weft_host_buffer *host = test_host_buffer(WEFT_INT32, N);
    static int32_t in[N], want[N], got[N];
    for (int i = 0; i < N; i++) {
        in[i] = 3 * i;
    }
    for (size_t s = 0; s < sizeof shifts / sizeof *shifts; s++) {
        size_t to = shifts[s].to, from = shifts[s].from, length = N - (to > from ? to : from) - 1;
        memcpy(want, in, sizeof in);
        memmove(want + to, in + from, length * sizeof *in);
        test_write(device, in);
        memcpy(weft_host_buffer_data(host), in, sizeof in);
        OK(weft_enqueue_copy_range(ctx, device, to, device, from, length));
        OK(weft_enqueue_copy_range(ctx, host, to, host, from, length));
        test_read(device, got);
        ck_assert_msg(memcmp(got, want, sizeof want) == 0, "device, shift %zu", s);
        ck_assert_msg(memcmp(weft_host_buffer_data(host), want, sizeof want) == 0, "host, shift %zu", s);
    }
    weft_device_buffer *to = test_view(device, WEFT_INT32, 10, 900), *from = test_view(device, WEFT_INT32, 0, 900);
    test_write(device, in);
    OK(weft_enqueue_copy(ctx, to, from)); /* the same through views */
    memcpy(want, in, sizeof in);
    memmove(want + 10, in, sizeof(int32_t[900]));
    test_read(device, got);
    ck_assert_mem_eq(got, want, sizeof want);
}
END_TEST

START_TEST(wrapped_host_memory_takes_part) {
    weft_context *ctx = test_context();
    double mine[102];
    for (int i = 0; i < 102; i++) {
        mine[i] = i;
    }
    weft_host_buffer *wrapped = NULL;
    OK(weft_wrap_host_memory(ctx, WEFT_FLOAT64, mine + 1, 100, &wrapped));
    ck_assert_ptr_eq(weft_host_buffer_data(wrapped), mine + 1);
    ck_assert_uint_eq(weft_host_buffer_length(wrapped), 100);
    weft_device_buffer *device = test_device_buffer(WEFT_FLOAT64, 100);
    OK(weft_enqueue_copy(ctx, device, wrapped));
    OK(weft_enqueue_fill(wrapped, 0.5));
    OK(weft_enqueue_copy_range(ctx, wrapped, 50, device, 0, 50));
    OK(weft_synchronize(ctx));
    for (int i = 0; i < 102; i++) {
        ck_assert_double_eq(mine[i], i == 0 || i == 101 ? i : i <= 50 ? 0.5 : i - 50);
    }
    weft_host_buffer_release(wrapped);
    ck_assert_double_eq(mine[100], 50); /* still ours */
}
END_TEST

TESTS(round_trip_through_the_context, round_trip_through_buffers, round_trip_through_host_buffers,
      halves_swapped_through_sub_buffers, halves_swapped_through_spans, halves_swapped_through_ranges,
      halves_swapped_through_unsafe_ptr, halves_swapped_through_take_ptr, pointer_of_a_view_counts_its_offset,
      destination_decides_the_length, overlapping_copies_go_as_through_a_temporary, wrapped_host_memory_takes_part)
