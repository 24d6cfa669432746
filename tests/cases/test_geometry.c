/* Cases from public reports, section D: grids and blocks, and the limits of both; and C78, barriers in full blocks. */
#include <stdio.h>

#include "support.h"

#define GUARD (-12345)

static weft_device_buffer *guarded(size_t length) {
    weft_device_buffer *out = test_device_buffer(WEFT_INT32, length);
    OK(weft_enqueue_fill(out, GUARD));
    return out;
}

static void expect_guards(weft_device_buffer *out) {
    const size_t length = weft_device_buffer_length(out);
    int *actual = malloc(length * sizeof *actual);
    ck_assert_ptr_nonnull(actual);
    test_read(out, actual);
    for (size_t i = 0; i < length; i++)
        if (actual[i] != GUARD) ck_abort_msg("element %zu became %d", i, actual[i]);
    free(actual);
}

static int64_t device_attribute(weft_device_attribute attribute) {
    int64_t value = 0;
    OK(weft_context_get_attribute(test_context(), attribute, &value));
    return value;
}

static int64_t max_threads(weft_function *function) {
    int64_t value = 0;
    OK(weft_function_get_attribute(function, WEFT_FUNCTION_MAX_THREADS_PER_BLOCK, &value));
    return value;
}

/* Each thread of a block marks its own element. */
static weft_function *mark_function(void) {
    return test_function("kernel void mark(global int *out) {\n"
                         "    size_t row = get_local_id(2) * get_local_size(1) + get_local_id(1);\n"
                         "    out[row * get_local_size(0) + get_local_id(0)] = 1;\n"
                         "}\n", "mark");
}

/* Launches one block, and every thread of it must have run, no other. */
static void expect_block_works(weft_function *mark, weft_dim block) {
    const size_t threads = block.x * block.y * block.z, length = threads + 64;
    int *actual = malloc(length * sizeof *actual);
    ck_assert_ptr_nonnull(actual);
    weft_device_buffer *out = guarded(length);
    OK(weft_enqueue_function(test_context(), mark, 1, block, out));
    test_read(out, actual);
    for (size_t i = 0; i < length; i++)
        if (actual[i] != (i < threads ? 1 : GUARD)) ck_abort_msg("thread %zu: %d", i, actual[i]);
    free(actual);
}

/* ---- C28: no local memory ---------------------------------------------------------------------- */

START_TEST(c28_shared_memory_of_zero_bytes) {
    weft_context *ctx = test_context();
    weft_device_buffer *out = guarded(2);
    int actual[2] = {0};
    weft_function *k = test_function("kernel void k(local int *scratch, int n, global int *out) {\n"
                                     "    if (n) scratch[get_local_id(0)] = n;\n"
                                     "    out[0] = n ? scratch[get_local_id(0)] : 7;\n"
                                     "}\n", "k");
    OK(weft_enqueue_function(ctx, k, 1, 1, weft_shared_bytes(0), 0, out));
    test_read(out, actual);
    ck_assert_int_eq(actual[0], 7);
    ck_assert_int_eq(actual[1], GUARD);
    OK(weft_enqueue_function(ctx, k, 1, 1, weft_shared_bytes(sizeof(int)), 9, out));
    test_read(out, actual);
    ck_assert_int_eq(actual[0], 9);
    ck_assert_int_eq(actual[1], GUARD);
}
END_TEST

/* ---- C29: a grid counts blocks ----------------------------------------------------------------- */

START_TEST(c29_grid_counts_blocks) {
    weft_device_buffer *out = guarded(1100), *count = test_device_buffer(WEFT_INT32, 1);
    int actual[1100], threads = 0;
    OK(weft_enqueue_fill(count, 0));
    weft_function *k = test_function("kernel void k(global int *out, global int *count, int n) {\n"
                                     "    int i = get_global_id(0);\n"
                                     "    atomic_inc(count);\n"
                                     "    if (i < n) out[i] = i;\n"
                                     "}\n", "k");
    OK(weft_enqueue_function(test_context(), k, 4, 256, out, count, 1000));
    test_read(out, actual);
    test_read(count, &threads);
    ck_assert_int_eq(threads, 1024);
    for (int i = 0; i < 1100; i++)
        if (actual[i] != (i < 1000 ? i : GUARD)) ck_abort_msg("element %d is %d", i, actual[i]);
}
END_TEST

START_TEST(c29_three_dimensions) {
    enum { THREADS = 3 * 5 * 7 * 2 * 3 * 4, GUARDS = 16 };
    weft_device_buffer *runs = test_device_buffer(WEFT_INT32, THREADS + GUARDS), *sizes = guarded(6);
    int actual[THREADS + GUARDS], seen[6] = {0};
    const int expected[6] = {3, 5, 7, 2, 3, 4};
    OK(weft_enqueue_fill(runs, 0));
    weft_function *k = test_function("kernel void k(global int *runs, global int *sizes) {\n"
                                     "    size_t id = (get_global_id(2) * get_global_size(1) + get_global_id(1)) *\n"
                                     "                get_global_size(0) + get_global_id(0);\n"
                                     "    atomic_inc(runs + id);\n"
                                     "    if (id == 0)\n"
                                     "        for (int d = 0; d < 3; d++) {\n"
                                     "            sizes[d] = get_num_groups(d);\n"
                                     "            sizes[3 + d] = get_local_size(d);\n"
                                     "        }\n"
                                     "}\n", "k");
    OK(weft_enqueue_function(test_context(), k, WEFT_DIM(3, 5, 7), WEFT_DIM(2, 3, 4), runs, sizes));
    test_read(runs, actual);
    test_read(sizes, seen);
    for (int i = 0; i < THREADS + GUARDS; i++)
        if (actual[i] != (i < THREADS)) ck_abort_msg("id %d ran %d times", i, actual[i]);
    for (int i = 0; i < 6; i++) ck_assert_int_eq(seen[i], expected[i]);
}
END_TEST

/* ---- C30 and C31: a zero dimension ------------------------------------------------------------- */

START_TEST(c30_zero_grid_dimension) {
    weft_context *ctx = test_context();
    weft_device_buffer *out = guarded(1);
    weft_function *mark = mark_function();
    FAILS(WEFT_ERROR_INVALID_ARGUMENT, weft_enqueue_function(ctx, mark, WEFT_DIM(0, 1, 1), 1, out));
    SAYS("grid_dim.x");
    FAILS(WEFT_ERROR_INVALID_ARGUMENT, weft_enqueue_function(ctx, mark, WEFT_DIM(1, 0, 1), 1, out));
    SAYS("grid_dim.y");
    FAILS(WEFT_ERROR_INVALID_ARGUMENT, weft_enqueue_function(ctx, mark, WEFT_DIM(4, 4, 0), 1, out));
    SAYS("grid_dim.z");
    FAILS(WEFT_ERROR_INVALID_ARGUMENT, weft_enqueue_function(ctx, mark, 0, 1, out));
    SAYS("grid_dim.x");
    FAILS(WEFT_ERROR_INVALID_ARGUMENT, weft_enqueue_function(ctx, mark, -1, 1, out));
    SAYS("grid_dim.x");
    expect_guards(out);
    test_context_works(ctx);
}
END_TEST

START_TEST(c31_zero_block_dimension) {
    weft_context *ctx = test_context();
    weft_device_buffer *out = guarded(1);
    weft_function *mark = mark_function();
    FAILS(WEFT_ERROR_INVALID_ARGUMENT, weft_enqueue_function(ctx, mark, 4, WEFT_DIM(0, 1, 1), out));
    SAYS("block_dim.x");
    FAILS(WEFT_ERROR_INVALID_ARGUMENT, weft_enqueue_function(ctx, mark, 4, WEFT_DIM(8, 0, 1), out));
    SAYS("block_dim.y");
    FAILS(WEFT_ERROR_INVALID_ARGUMENT, weft_enqueue_function(ctx, mark, 4, WEFT_DIM(8, 1, 0), out));
    SAYS("block_dim.z");
    expect_guards(out);
    test_context_works(ctx);
}
END_TEST

/* ---- C33: more threads than 31 bits count ------------------------------------------------------ */

START_TEST(c33_more_than_two_to_the_31_threads) {
    if (on_driver("oclgrind")) SKIP("an interpreter needs hours for 2^31 threads");
    weft_context *ctx = test_context();
    weft_device_buffer *out = test_device_buffer(WEFT_INT32, 2);
    int actual[2] = {0};
    OK(weft_enqueue_fill(out, 0));
    weft_function *k = test_function("kernel void k(global int *out) {\n"
                                     "    size_t i = get_global_id(0);\n"
                                     "    if (i == (1UL << 31) + 3) out[0] = 1;\n"
                                     "    if (i == 0) atomic_inc(out + 1);\n"
                                     "}\n", "k");
    weft_status status = weft_enqueue_function(ctx, k, (1u << 23) + 2, 256, out);
    const int expected = status == WEFT_OK;
    ck_assert_msg(status == WEFT_OK || status == WEFT_ERROR_LAUNCH_LIMIT, "%s", weft_error_message());
    test_read(out, actual);
    ck_assert_int_eq(actual[0], expected);
    ck_assert_int_eq(actual[1], expected);
    test_context_works(ctx);
}
END_TEST

START_TEST(c33_beyond_the_grid_limit) {
    weft_context *ctx = test_context();
    weft_device_buffer *out = guarded(1);
    weft_function *mark = mark_function();
    const weft_device_attribute limits[3] = {WEFT_DEVICE_MAX_GRID_DIM_X, WEFT_DEVICE_MAX_GRID_DIM_Y, WEFT_DEVICE_MAX_GRID_DIM_Z};
    for (int d = 0; d < 3; d++) {
        const int64_t limit = device_attribute(limits[d]);
        const size_t beyond = (size_t)limit + 1;
        ck_assert_int_gt(limit, 0);
        FAILS(WEFT_ERROR_LAUNCH_LIMIT,
              weft_enqueue_function(ctx, mark, WEFT_DIM(d == 0 ? beyond : 1, d == 1 ? beyond : 1, d == 2 ? beyond : 1), 1, out));
    }
    FAILS(WEFT_ERROR_OUT_OF_RANGE, weft_enqueue_function(ctx, mark, SIZE_MAX / 2, 4, out));
    weft_status status = weft_enqueue_function(ctx, mark, WEFT_DIM(SIZE_MAX / 2, 4, 4), 1, out);
    ck_assert(status == WEFT_ERROR_OUT_OF_RANGE || status == WEFT_ERROR_LAUNCH_LIMIT);
    expect_guards(out);
    test_context_works(ctx);
}
END_TEST

/* ---- C34: the kernel's own limit --------------------------------------------------------------- */

START_TEST(c34_block_at_the_kernels_limit) {
    weft_context *ctx = test_context();
    weft_function *mark = mark_function();
    const int64_t limit = max_threads(mark);
    char asked[32], allowed[32];
    snprintf(asked, sizeof asked, "%lld", 2 * (long long)limit);
    snprintf(allowed, sizeof allowed, "%lld", (long long)limit);
    ck_assert_int_gt(limit, 0);
    expect_block_works(mark, WEFT_DIM(limit));
    weft_device_buffer *out = guarded((size_t)limit);
    FAILS(WEFT_ERROR_LAUNCH_LIMIT, weft_enqueue_function(ctx, mark, 1, 2 * limit, out));
    SAYS(asked);
    SAYS(allowed);
    if (device_attribute(WEFT_DEVICE_MAX_BLOCK_DIM_Y) >= 2) { /* each dimension in its limits, the product not */
        FAILS(WEFT_ERROR_LAUNCH_LIMIT, weft_enqueue_function(ctx, mark, 1, WEFT_DIM(limit, 2), out));
        SAYS(asked);
        SAYS(allowed);
    }
    expect_guards(out);
    test_context_works(ctx);
}
END_TEST

START_TEST(c34_required_block) {
    weft_context *ctx = test_context();
    weft_function *eight = test_function("kernel __attribute__((reqd_work_group_size(8, 1, 1)))\n"
                                         "void eight(global int *out) { out[get_local_id(0)] = 1; }\n", "eight");
    weft_device_buffer *out = guarded(16);
    FAILS(WEFT_ERROR_LAUNCH_LIMIT, weft_enqueue_function(ctx, eight, 1, 4, out));
    FAILS(WEFT_ERROR_LAUNCH_LIMIT, weft_enqueue_function(ctx, eight, 1, 16, out));
    FAILS(WEFT_ERROR_LAUNCH_LIMIT, weft_enqueue_function(ctx, eight, 1, WEFT_DIM(4, 2), out));
    SAYS("8");
    expect_guards(out);
    expect_block_works(eight, WEFT_DIM(8));
    test_context_works(ctx);
}
END_TEST

/* ---- C35: the limit of each dimension ---------------------------------------------------------- */

START_TEST(c35_block_at_the_limit_of_each_dimension) {
    weft_context *ctx = test_context();
    weft_function *mark = mark_function();
    weft_device_buffer *out = guarded(16);
    const weft_device_attribute limits[3] = {WEFT_DEVICE_MAX_BLOCK_DIM_X, WEFT_DEVICE_MAX_BLOCK_DIM_Y,
                                             WEFT_DEVICE_MAX_BLOCK_DIM_Z};
    const char *const names[3] = {"block_dim.x", "block_dim.y", "block_dim.z"};
    for (int d = 0; d < 3; d++) {
        const int64_t limit = device_attribute(limits[d]);
        const size_t beyond = (size_t)limit + 1;
        ck_assert_int_gt(limit, 0);
        if (limit <= max_threads(mark))
            expect_block_works(mark, WEFT_DIM(d == 0 ? limit : 1, d == 1 ? limit : 1, d == 2 ? limit : 1));
        FAILS(WEFT_ERROR_LAUNCH_LIMIT,
              weft_enqueue_function(ctx, mark, 1, WEFT_DIM(d == 0 ? beyond : 1, d == 1 ? beyond : 1, d == 2 ? beyond : 1), out));
        SAYS(names[d]);
    }
    expect_guards(out);
    test_context_works(ctx);
}
END_TEST

/* ---- C78: a barrier in a block that is not full of work ---------------------------------------- */

START_TEST(c78_reduction_of_a_partly_filled_grid) {
    enum { N = 1000, BLOCKS = 4 };
    int host[N], sums[BLOCKS + 2];
    for (int i = 0; i < N; i++) host[i] = i + 1;
    weft_device_buffer *in = test_device_buffer(WEFT_INT32, N), *out = guarded(BLOCKS + 2);
    test_write(in, host);
    weft_function *sum = test_function("kernel void sum(global const int *in, int n, local int *scratch, global int *out) {\n"
                                       "    int i = get_global_id(0), t = get_local_id(0);\n"
                                       "    scratch[t] = i < n ? in[i] : 0;\n"
                                       "    for (int half_ = get_local_size(0) / 2; half_ > 0; half_ /= 2) {\n"
                                       "        barrier(CLK_LOCAL_MEM_FENCE);\n"
                                       "        if (t < half_) scratch[t] += scratch[t + half_];\n"
                                       "    }\n"
                                       "    if (t == 0) out[get_group_id(0)] = scratch[0];\n"
                                       "}\n", "sum");
    for (int repeat = 0; repeat < 5; repeat++) {
        OK(weft_enqueue_fill(out, GUARD));
        OK(weft_enqueue_function(test_context(), sum, BLOCKS, 256, in, (int)N, weft_shared_bytes(256 * sizeof(int)),
                                 test_view(out, WEFT_INT32, 1, BLOCKS)));
        test_read(out, sums);
        ck_assert_int_eq(sums[1] + sums[2] + sums[3] + sums[4], 500500);
        ck_assert_int_eq(sums[1], 256 * 257 / 2); /* 1 .. 256 */
        ck_assert(sums[0] == GUARD && sums[BLOCKS + 1] == GUARD);
    }
}
END_TEST

/* ---- C83: many launch sizes ----------------------------------------------------------------------- */

/* Some drivers compile a kernel anew for each block size. */
START_TEST(c83_many_launch_sizes) {
    enum { MOST = 200 * 64 };
    static const char source[] = "kernel void mark(global int *x, int n) {\n"
                                 "    int i = (int)get_global_id(0);\n"
                                 "    if (i < n) x[i] += n;\n"
                                 "}\n";
    weft_context *ctx = test_context();
    weft_function *mark = test_function(source, "mark");
    weft_device_buffer *buffer = test_device_buffer(WEFT_INT32, MOST);
    const int grids = (int)test_size(200, 20), blocks = (int)test_size(24, 6);
    static int32_t out[MOST], expected[MOST];
    memset(expected, 0, sizeof expected);
    OK(weft_enqueue_fill(buffer, 0));
    for (int grid = 1; grid <= grids; grid++) {
        const int n = grid * 64 - 1;
        OK(weft_enqueue_function(ctx, mark, grid, 64, buffer, n));
        for (int i = 0; i < n; i++) expected[i] += n;
    }
    for (int block = 1; block <= blocks; block++) {
        const int n = 3 * block;
        OK(weft_enqueue_function(ctx, mark, 3, block, buffer, n));
        for (int i = 0; i < n; i++) expected[i] += n;
    }
    test_read(buffer, out);
    for (int i = 0; i < MOST; i++) {
        if (out[i] != expected[i]) ck_abort_msg("element %d is %d instead of %d", i, out[i], expected[i]);
    }
}
END_TEST

TESTS(c28_shared_memory_of_zero_bytes, c29_grid_counts_blocks, c29_three_dimensions, c30_zero_grid_dimension,
      c31_zero_block_dimension, c33_more_than_two_to_the_31_threads, c33_beyond_the_grid_limit, c34_block_at_the_kernels_limit,
      c34_required_block, c35_block_at_the_limit_of_each_dimension, c78_reduction_of_a_partly_filled_grid, c83_many_launch_sizes)
