/* Atomics of weft.clh: C80, floating sums with the right old value, and C81, 64 bits. */
#include <math.h>

#include "support.h"

enum { BLOCK = 64 };

static bool device_can(bool fp64, bool int64_atomics) {
    weft_device_info info;
    OK(weft_device_get_info(NULL, 0, &info));
    return (!fp64 || info.fp64) && (!int64_atomics || info.int64_atomics);
}

/* A program that uses what the device lacks does not compile, and its log has the reason. */
static void expect_lacking(const char *source, const char *reason) {
    weft_program *program = NULL;
    FAILS(WEFT_ERROR_COMPILE_FAILED, weft_compile_program(test_context(), source, NULL, &program));
    ck_assert_ptr_null(program);
    ck_assert_msg(strstr(weft_last_build_log(), reason), "%s", weft_last_build_log());
    test_context_works(test_context());
}

/* ---- C80: floating sums ------------------------------------------------------------------------- */

/* All of 0 .. n - 1 are there, each once. */
static void expect_each_once(const double *values, size_t n) {
    char *seen = calloc(n, 1);
    ck_assert_ptr_nonnull(seen);
    for (size_t i = 0; i < n; i++) {
        ck_assert_msg(values[i] >= 0 && values[i] < (double)n && values[i] == (double)(size_t)values[i], "old value %g", values[i]);
        ck_assert_msg(!seen[(size_t)values[i]], "old value %g twice", values[i]);
        seen[(size_t)values[i]] = 1;
    }
    free(seen);
}

static const char global_float[] =
    "#include <weft.clh>\n"
    "kernel void count(global float *cell, global float *old) { old[global_idx.x] = atomic_add_float(cell, 1.0f); }\n";

START_TEST(c80_float_sum_in_global_memory) {
    const size_t n = test_size(65536, 4096);
    weft_device_buffer *cell = test_device_buffer(WEFT_FLOAT32, 1), *old = test_device_buffer(WEFT_FLOAT32, n);
    float sum = 0, *got = malloc(n * sizeof *got);
    double *values = malloc(n * sizeof *values);
    ck_assert(got && values);
    OK(weft_enqueue_fill(cell, 0.0f));
    OK(weft_enqueue_function(test_context(), test_function(global_float, "count"), n / BLOCK, BLOCK, cell, old));
    test_read(cell, &sum);
    test_read(old, got);
    ck_assert_float_eq(sum, (float)n);
    for (size_t i = 0; i < n; i++) values[i] = (double)got[i];
    expect_each_once(values, n);
    free(values);
    free(got);
}
END_TEST

static const char local_float[] =
    "#include <weft.clh>\n"
    "kernel void count(global float *sums, global float *old) {\n"
    "    SHARED(float, cell, 1);\n"
    "    if (thread_idx.x == 0) cell[0] = 0;\n"
    "    block_barrier();\n"
    "    old[global_idx.x] = atomic_add_float(cell, 1.0f);\n"
    "    block_barrier();\n"
    "    if (thread_idx.x == 0) sums[block_idx.x] = cell[0];\n"
    "}\n";

START_TEST(c80_float_sum_in_local_memory) {
    enum { GRID = 4, N = GRID * BLOCK };
    float sums[GRID], got[N];
    weft_device_buffer *cells = test_device_buffer(WEFT_FLOAT32, GRID), *old = test_device_buffer(WEFT_FLOAT32, N);
    OK(weft_enqueue_function(test_context(), test_function(local_float, "count"), GRID, BLOCK, cells, old));
    test_read(cells, sums);
    test_read(old, got);
    for (int block = 0; block < GRID; block++) {
        double values[BLOCK];
        for (int i = 0; i < BLOCK; i++) values[i] = (double)got[block * BLOCK + i];
        ck_assert_float_eq(sums[block], BLOCK);
        expect_each_once(values, BLOCK);
    }
}
END_TEST

/* A cell with a NaN, or with a sum that no longer grows, does not hold the loop up. */
START_TEST(c80_float_sums_that_stand_still) {
    static const char source[] =
        "#include <weft.clh>\n"
        "kernel void add(global float *cells) { atomic_add_float(cells + global_idx.x % 3, 1.0f); }\n";
    float cells[3] = {NAN, INFINITY, 16777216.0f};
    weft_device_buffer *buffer = test_device_buffer(WEFT_FLOAT32, 3);
    test_write(buffer, cells);
    OK(weft_enqueue_function(test_context(), test_function(source, "add"), 1, BLOCK, buffer));
    test_read(buffer, cells);
    ck_assert_float_nan(cells[0]);
    ck_assert_float_infinite(cells[1]);
    ck_assert_float_eq(cells[2], 16777216.0f);
}
END_TEST

static const char doubles[] =
    "#include <weft.clh>\n"
    "kernel void count(global double *cell, global double *old, global double *sums) {\n"
    "    SHARED(double, mine, 1);\n"
    "    if (thread_idx.x == 0) mine[0] = 0;\n"
    "    block_barrier();\n"
    "    atomic_add_double(mine, 0.5);\n"
    "    block_barrier();\n"
    "    if (thread_idx.x == 0) sums[block_idx.x] = mine[0];\n"
    "    old[global_idx.x] = atomic_add_double(cell, 1.0);\n"
    "}\n";

START_TEST(c80_double_sums) {
    if (!device_can(true, true)) {
        expect_lacking(doubles, device_can(true, false) ? "weft_error_this_device_lacks_64_bit_atomics" : "double");
        return;
    }
    enum { GRID = 16, N = GRID * BLOCK };
    double sum = 0, values[N], sums[GRID];
    weft_device_buffer *cell = test_device_buffer(WEFT_FLOAT64, 1), *old = test_device_buffer(WEFT_FLOAT64, N);
    weft_device_buffer *blocks = test_device_buffer(WEFT_FLOAT64, GRID);
    OK(weft_enqueue_fill(cell, 0.0));
    OK(weft_enqueue_function(test_context(), test_function(doubles, "count"), GRID, BLOCK, cell, old, blocks));
    test_read(cell, &sum);
    test_read(old, values);
    test_read(blocks, sums);
    ck_assert_double_eq(sum, N);
    expect_each_once(values, N);
    for (int i = 0; i < GRID; i++) ck_assert_double_eq(sums[i], BLOCK * 0.5);
}
END_TEST

/* ---- C81: 64 bits ------------------------------------------------------------------------------- */

static const char base[] =
    "#include <weft.clh>\n"
    "kernel void base(global long *cells, global ulong *ucells, global long *sums) {\n"
    "    SHARED(long, mine, 1);\n"
    "    SHARED(ulong, theirs, 1);\n"
    "    if (thread_idx.x == 0) mine[0] = 0, theirs[0] = 0;\n"
    "    block_barrier();\n"
    "    atomic_sub_long(mine, 1l << 33);\n"
    "    atomic_add_ulong(theirs, 1ul << 60);\n"
    "    block_barrier();\n"
    "    if (thread_idx.x == 0) sums[2 * block_idx.x] = mine[0], sums[2 * block_idx.x + 1] = theirs[0];\n"
    "    atomic_add_long(cells, 1l << 20);\n"
    "    atomic_sub_ulong(ucells, 1);\n"
    "    if (atomic_cmpxchg_long(cells + 1, 0, global_idx.x + 1) == 0) atomic_add_long(cells + 2, 1);\n"
    "    if (atomic_xchg_ulong(ucells + 1, 7) == 5) atomic_add_ulong(ucells + 2, 1);\n"
    "}\n";

START_TEST(c81_64_bit_sums) {
    if (!device_can(false, true)) {
        expect_lacking(base, "weft_error_this_device_lacks_64_bit_atomics");
        return;
    }
    enum { GRID = 8192 / BLOCK };
    int64_t cells[3] = {0}, sums[2 * GRID];
    uint64_t ucells[3] = {0, 5, 0};
    weft_device_buffer *a = test_device_buffer(WEFT_INT64, 3), *b = test_device_buffer(WEFT_UINT64, 3);
    weft_device_buffer *c = test_device_buffer(WEFT_INT64, 2 * GRID);
    test_write(a, cells);
    test_write(b, ucells);
    OK(weft_enqueue_function(test_context(), test_function(base, "base"), GRID, BLOCK, a, b, c));
    test_read(a, cells);
    test_read(b, ucells);
    test_read(c, sums);
    ck_assert_int_eq(cells[0], INT64_C(1) << 33);
    ck_assert(cells[1] >= 1 && cells[1] <= 8192);
    ck_assert_int_eq(cells[2], 1);
    ck_assert_uint_eq(ucells[0], UINT64_MAX - 8191);
    ck_assert_uint_eq(ucells[1], 7);
    ck_assert_uint_eq(ucells[2], 1);
    for (int i = 0; i < GRID; i++) {
        ck_assert_int_eq(sums[2 * i], -((int64_t)BLOCK << 33));
        ck_assert_int_eq(sums[2 * i + 1], 0); /* 64 times 2^60 */
    }
}
END_TEST

static const char extended[] =
    "#include <weft.clh>\n"
    "kernel void extended(global long *cells, global ulong *ucells) {\n"
    "    const long i = global_idx.x - 100;\n"
    "    atomic_min_long(cells, i << 40), atomic_max_long(cells + 1, i << 40);\n"
    "    atomic_and_long(cells + 2, ~(1l << (i & 31))), atomic_or_long(cells + 3, 1l << (32 + (i & 31)));\n"
    "    atomic_xor_long(cells + 4, i << 40);\n"
    "    atomic_min_ulong(ucells, i << 40), atomic_max_ulong(ucells + 1, i << 40);\n"
    "    atomic_and_ulong(ucells + 2, ~(1ul << (i & 31))), atomic_or_ulong(ucells + 3, 1ul << (32 + (i & 31)));\n"
    "    atomic_xor_ulong(ucells + 4, i << 40);\n"
    "}\n";

START_TEST(c81_64_bit_extremes_and_bits) {
    if (!device_can(false, true)) {
        expect_lacking(extended, "weft_error_this_device_lacks_extended_64_bit_atomics");
        return;
    }
    enum { N = 4 * BLOCK };
    int64_t cells[5] = {0, 0, -1, 0, 0}, bits = 0;
    uint64_t ucells[5] = {UINT64_MAX, 0, UINT64_MAX, 0, 0};
    for (int64_t i = -100; i < N - 100; i++) bits ^= i * (INT64_C(1) << 40);
    weft_device_buffer *a = test_device_buffer(WEFT_INT64, 5), *b = test_device_buffer(WEFT_UINT64, 5);
    test_write(a, cells);
    test_write(b, ucells);
    OK(weft_enqueue_function(test_context(), test_function(extended, "extended"), N / BLOCK, BLOCK, a, b));
    test_read(a, cells);
    test_read(b, ucells);
    const int64_t want[5] = {-100 * (INT64_C(1) << 40), (N - 101) * (INT64_C(1) << 40), -(INT64_C(1) << 32),
                             -(INT64_C(1) << 32), bits};
    const uint64_t uwant[5] = {0, (uint64_t)-(INT64_C(1) << 40), UINT64_C(0xFFFFFFFF00000000), UINT64_C(0xFFFFFFFF00000000),
                               (uint64_t)bits};
    ck_assert_mem_eq(cells, want, sizeof want);
    ck_assert_mem_eq(ucells, uwant, sizeof uwant);
}
END_TEST

TESTS(c80_float_sum_in_global_memory, c80_float_sum_in_local_memory, c80_float_sums_that_stand_still, c80_double_sums,
      c81_64_bit_sums, c81_64_bit_extremes_and_bits)
