/* Block operations of weft.clh: every one, of every type, in blocks of every kind. And C78, C79. */
#include <math.h>

#include "numbers.h"

enum { BLOCKS = 3, ROWS = 8 };

/* Every row uses the one scratch again at once. */
static const char source[] =
    "#include <weft.clh>\n"
    "kernel void blocks(global const T *in, global T *out) {\n"
    "    BLOCK_SCRATCH(T, scratch);\n"
    "    BLOCK_SCRATCH(T, other);\n"
    "    const int n = block_dim.x * block_dim.y * block_dim.z;\n"
    "    const int t = thread_idx.x + block_dim.x * (thread_idx.y + block_dim.y * thread_idx.z);\n"
    "    const T x = in[block_idx.x * n + t];\n"
    "    global T *row = out + block_idx.x * 8 * n + t;\n"
    "    row[0 * n] = block_sum(x, scratch);\n"
    "    row[1 * n] = block_max(x, scratch);\n"
    "    row[2 * n] = block_min(x, scratch);\n"
    "    row[3 * n] = block_broadcast(x, n / 2, scratch);\n"
    "    row[4 * n] = block_broadcast(x, n - 1, scratch);\n"
    "    row[5 * n] = block_prefix_sum(x, scratch);\n"
    "    row[6 * n] = block_prefix_sum_exclusive(x, scratch);\n"
    "    row[7 * n] = block_max(block_broadcast(x, 0, other), scratch);\n"
    "}\n";

static void check_rows(const number_type *type, const char *x, const char *got, int block_index, weft_dim block) {
    const int n = block_threads(block);
    char whole[3 * NUMBER_SIZE_MAX], with[3 * NUMBER_SIZE_MAX], before[3 * NUMBER_SIZE_MAX] = {0};
    int *order = malloc((size_t)n * sizeof *order);
    ck_assert_ptr_nonnull(order);
    for (int i = 0; i < n; i++) order[i] = i;
    type->fold(x, order, n, whole);
    for (int t = 0; t < n; t++) {
        type->fold(x, order, t + 1, with);
        const void *const want[ROWS] = {
            whole,  whole + type->size, whole + 2 * type->size, x + (size_t)(n / 2) * type->size, x + (size_t)(n - 1) * type->size,
            with,   before,             x};
        for (int row = 0; row < ROWS; row++) {
            char what[64];
            snprintf(what, sizeof what, "row %d of block %d", row, block_index);
            expect_number(type, want[row], got, (size_t)(row * n + t), what, block);
        }
        memcpy(before, with, sizeof before);
    }
    free(order);
}

static void check_block(const number_type *type, weft_function *blocks, weft_dim block) {
    const size_t n = (size_t)block_threads(block), bytes = n * type->size;
    weft_device_buffer *in = test_device_buffer(type->dtype, BLOCKS * n);
    weft_device_buffer *out = test_device_buffer(type->dtype, BLOCKS * ROWS * n);
    char *x = malloc(BLOCKS * bytes), *got = malloc(BLOCKS * ROWS * bytes);
    ck_assert(x && got);
    type->fill(x, BLOCKS * (int)n);
    test_write(in, x);
    OK(weft_enqueue_function(test_context(), blocks, BLOCKS, block, in, out));
    test_read(out, got);
    for (int i = 0; i < BLOCKS; i++) {
        check_rows(type, x + (size_t)i * bytes, got + (size_t)i * ROWS * bytes, i, block);
    }
    free(got);
    free(x);
}

START_TEST(every_operation_on_every_type) { check_every_type(source, "blocks", check_block); }
END_TEST

START_TEST(every_operation_with_32_bit_indices) {
    check_type(number_types(), source, "blocks", check_block, true, false);
}
END_TEST

START_TEST(operations_in_a_loop) {
    static const char loop[] =
        "#include <weft.clh>\n"
        "kernel void loop(global int *out) {\n"
        "    BLOCK_SCRATCH(int, even);\n"
        "    BLOCK_SCRATCH(int, odd);\n"
        "    const int t = thread_idx.x, n = block_dim.x;\n"
        "    for (int i = 0; i < 6; i++) out[i * n + t] = block_sum(t == i ? i + 1 : 0, i % 4 < 2 ? even : odd);\n"
        "}\n";
    enum { TIMES = 6, N = 70 };
    int32_t got[TIMES * N];
    weft_device_buffer *out = test_device_buffer(WEFT_INT32, TIMES * N);
    OK(weft_enqueue_function(test_context(), test_function(loop, "loop"), 1, N, out));
    test_read(out, got);
    for (int i = 0; i < TIMES * N; i++) ck_assert_int_eq(got[i], i / N + 1);
}
END_TEST

START_TEST(scratch_is_small) {
    static const char scratch[] =
        "#include <weft.clh>\n"
        "kernel void size(global int *out) {\n"
        "    BLOCK_SCRATCH(long, scratch);\n"
        "    const long sum = block_sum((long)thread_idx.x, scratch);\n"
        "    out[0] = sizeof(scratch), out[1] = sum;\n"
        "}\n";
    int32_t got[2];
    weft_device_buffer *out = test_device_buffer(WEFT_INT32, 2);
    OK(weft_enqueue_function(test_context(), test_function(scratch, "size"), 1, 10, out));
    test_read(out, got);
    ck_assert_int_le(got[0], (on_driver("pocl") ? 64 + 4096 : 16 + 256) * (int)sizeof(int64_t));
    ck_assert_int_eq(got[1], 45);
}
END_TEST

START_TEST(maximum_and_minimum_pass_over_nan) {
    static const char extremes[] =
        "#include <weft.clh>\n"
        "kernel void extremes(global const float *in, global float *out) {\n"
        "    BLOCK_SCRATCH(float, scratch);\n"
        "    const float x = in[thread_idx.x], most = block_max(x, scratch), least = block_min(x, scratch);\n"
        "    if (thread_idx.x == 0) out[0] = most, out[1] = least;\n"
        "}\n";
    enum { N = 70 };
    float x[N], got[2];
    for (int i = 0; i < N; i++) x[i] = i % 7 == 0 ? NAN : (float)(i - 30);
    weft_device_buffer *in = test_device_buffer(WEFT_FLOAT32, N), *out = test_device_buffer(WEFT_FLOAT32, 2);
    test_write(in, x);
    OK(weft_enqueue_function(test_context(), test_function(extremes, "extremes"), 1, N, in, out));
    test_read(out, got);
    ck_assert_float_eq(got[0], 39);
    ck_assert_float_eq(got[1], -29);
}
END_TEST

/* ---- C78: the guard is around the load only, and all threads reach every barrier ---------------- */

START_TEST(c78_guarded_load_in_block_sum) {
    static const char sum[] =
        "#include <weft.clh>\n"
        "kernel void sum(global const int *in, global int *out, int n) {\n"
        "    BLOCK_SCRATCH(int, scratch);\n"
        "    const int total = block_sum(global_idx.x < n ? in[global_idx.x] : 0, scratch);\n"
        "    if (thread_idx.x == 0) atomic_add(out, total);\n"
        "}\n";
    enum { N = 1000 };
    int32_t x[N], got = 0;
    for (int i = 0; i < N; i++) x[i] = i + 1;
    weft_device_buffer *in = test_device_buffer(WEFT_INT32, N), *out = test_device_buffer(WEFT_INT32, 1);
    test_write(in, x);
    OK(weft_enqueue_fill(out, 0));
    OK(weft_enqueue_function(test_context(), test_function(sum, "sum"), 4, 256, in, out, N));
    test_read(out, &got);
    ck_assert_int_eq(got, 500500);
}
END_TEST

/* ---- C79: nothing assumes a warp's width -------------------------------------------------------- */

START_TEST(c79_sums_by_block_and_by_warp) {
    static const char sums[] =
        "#include <weft.clh>\n"
        "kernel void sums(global int *out) {\n"
        "    BLOCK_SCRATCH(int, scratch);\n"
        "    const int x = thread_idx.x + 1, block = block_sum(x, scratch), warp = warp_sum(x);\n"
        "    if (thread_idx.x == 0) out[0] = block, out[2] = WARP_SIZE;\n"
        "    if (lane_id() == 0) atomic_add(out + 1, warp);\n"
        "}\n";
    static const int blocks[] = {1, 8, 32, 64, 256};
    weft_function *function = test_function(sums, "sums");
    weft_device_buffer *out = test_device_buffer(WEFT_INT32, 3);
    int64_t warp_size = 0;
    OK(weft_context_get_attribute(test_context(), WEFT_DEVICE_WARP_SIZE, &warp_size));
    ck_assert_int_ge(warp_size, 1);
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) {
        const int n = blocks[i];
        int32_t got[3];
        OK(weft_enqueue_fill(out, 0));
        OK(weft_enqueue_function(test_context(), function, 1, n, out));
        test_read(out, got);
        ck_assert_int_eq(got[0], n * (n + 1) / 2);
        ck_assert_int_eq(got[1], n * (n + 1) / 2);
        ck_assert_int_ge(got[2], 1);
    }
}
END_TEST

TESTS(every_operation_on_every_type, every_operation_with_32_bit_indices, operations_in_a_loop, scratch_is_small,
      maximum_and_minimum_pass_over_nan, c78_guarded_load_in_block_sum, c79_sums_by_block_and_by_warp)
