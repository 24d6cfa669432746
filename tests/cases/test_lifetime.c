/* Cases from public reports, section G: who keeps which memory, and for how long. */
#include <stdio.h>

#include "resident.h"
#include "support.h"

/* A chain of dependent steps that no compiler shortens, so that what is enqueued behind it finds the queue busy. */
static const char slow_source[] = "kernel void slow(global uint *out, int steps) {\n"
                                  "    uint x = out[0];\n"
                                  "    for (int i = 0; i < steps; i++) x = x * 1664525u + (x >> 7) + 1013904223u;\n"
                                  "    out[0] = x;\n"
                                  "}\n";

static void keep_busy(weft_context *ctx, weft_function *slow, weft_device_buffer *scratch) {
    const int launches = (int)test_size(20, 3), steps = (int)test_size(60000, 2000);
    for (int i = 0; i < launches; i++) OK(weft_enqueue_function(ctx, slow, 1, 1, scratch, steps));
}

static weft_device_buffer *busy_scratch(void) {
    weft_device_buffer *scratch = test_device_buffer(WEFT_UINT32, 1);
    OK(weft_enqueue_fill(scratch, 1));
    return scratch;
}

/* ---- C57: a kernel does not keep its last buffer ----------------------------------------------- */

START_TEST(c57_kernel_keeps_no_memory) {
    weft_context *ctx = test_context();
    const size_t size_bytes = test_size((size_t)32 << 20, (size_t)4 << 20), length = size_bytes / sizeof(int);
    size_t before = 0;
    weft_function *mark = test_function("kernel void mark(global int *v, ulong at, int value) { v[at] = value; }", "mark");
    for (int round = 0; round < 50; round++) {
        weft_device_buffer *buffer = NULL;
        int last[2] = {0};
        if (round == 5) before = resident_bytes();
        OK(weft_enqueue_create_buffer(ctx, WEFT_INT32, length, &buffer));
        OK(weft_enqueue_fill(buffer, -1));
        OK(weft_enqueue_function(ctx, mark, 1, 1, buffer, length - 1, round));
        OK(weft_enqueue_copy_range(ctx, last, 0, buffer, length - 2, 2));
        OK(weft_synchronize(ctx));
        weft_device_buffer_release(buffer);
        ck_assert(last[0] == -1 && last[1] == round);
    }
    ck_assert_uint_lt(resident_growth(before), 10 * size_bytes);
}
END_TEST

/* ---- C59: the source of an upload -------------------------------------------------------------- */

static void expect_sevens(weft_device_buffer *buffer) {
    const size_t length = weft_device_buffer_length(buffer);
    int *actual = malloc(length * sizeof *actual);
    ck_assert_ptr_nonnull(actual);
    test_read(buffer, actual);
    for (size_t i = 0; i < length; i++)
        if (actual[i] != 7) ck_abort_msg("element %zu of %zu is %d", i, length, actual[i]);
    free(actual);
}

START_TEST(c59_source_may_be_reused_at_once) {
    weft_context *ctx = test_context();
    weft_function *slow = test_function(slow_source, "slow");
    weft_function *add = test_function("kernel void add(global int *v, ulong n) {\n"
                                       "    size_t i = get_global_id(0);\n"
                                       "    if (i < n) v[i] += 1;\n"
                                       "}\n", "add");
    weft_device_buffer *scratch = busy_scratch();
    const size_t lengths[] = {1, 1000, test_size(1 << 20, 1 << 12), test_size((5 << 20) + 3, (1 << 12) + 3)};
    for (int i = 0; i < 4; i++) {
        int *source = malloc(lengths[i] * sizeof *source);
        ck_assert_ptr_nonnull(source);
        weft_device_buffer *buffer = test_device_buffer(WEFT_INT32, lengths[i]);
        for (size_t k = 0; k < lengths[i]; k++) source[k] = 6;
        keep_busy(ctx, slow, scratch);
        OK(weft_enqueue_copy(ctx, buffer, source));
        for (size_t k = 0; k < lengths[i]; k++) source[k] = -2;
        OK(weft_enqueue_function(ctx, add, (lengths[i] + 63) / 64, 64, buffer, lengths[i]));
        expect_sevens(buffer);
        free(source);
    }
}
END_TEST

START_TEST(c59_source_may_be_freed_at_once) {
    weft_context *ctx = test_context();
    weft_function *slow = test_function(slow_source, "slow");
    weft_device_buffer *scratch = busy_scratch(), *buffers[8];
    for (int i = 0; i < 8; i++) {
        const size_t length = test_size((size_t)1000 << i, (size_t)100 << i);
        int *source = malloc(length * sizeof *source);
        ck_assert_ptr_nonnull(source);
        for (size_t k = 0; k < length; k++) source[k] = 7;
        buffers[i] = test_device_buffer(WEFT_INT32, length);
        keep_busy(ctx, slow, scratch);
        OK(weft_enqueue_copy(ctx, buffers[i], source));
        memset(source, 0x55, length * sizeof *source);
        free(source);
    }
    for (int i = 0; i < 8; i++) expect_sevens(buffers[i]);
}
END_TEST

/* ---- C60: the end of a download ---------------------------------------------------------------- */

enum { DOWNLOAD = 10000 };

static const char last_source[] = "kernel void last(global const uint *x, global uint *out) {\n"
                                  "    size_t i = get_global_id(0);\n"
                                  "    out[i] = x[0] + (uint)i;\n"
                                  "}\n";

/* What the kernels compute, by the host. */
static uint32_t after_busy(void) {
    const size_t steps = test_size(20, 3) * test_size(60000, 2000);
    uint32_t x = 1;
    for (size_t i = 0; i < steps; i++) x = x * 1664525u + (x >> 7) + 1013904223u;
    return x;
}

static void enqueue_slow_result(weft_context *ctx, weft_device_buffer *out) {
    weft_device_buffer *scratch = busy_scratch();
    keep_busy(ctx, test_function(slow_source, "slow"), scratch);
    OK(weft_enqueue_function(ctx, test_function(last_source, "last"), DOWNLOAD / 10, 10, scratch, out));
}

static void expect_slow_result(const uint32_t *actual) {
    const uint32_t first = after_busy();
    for (uint32_t i = 0; i < DOWNLOAD; i++)
        if (actual[i] != first + i) ck_abort_msg("element %u", i);
}

START_TEST(c60_download_is_whole_after_synchronize) {
    weft_context *ctx = test_context();
    weft_device_buffer *out = test_device_buffer(WEFT_UINT32, DOWNLOAD);
    weft_host_buffer *pinned = test_host_buffer(WEFT_UINT32, DOWNLOAD);
    uint32_t *pageable = calloc(DOWNLOAD, sizeof *pageable);
    ck_assert_ptr_nonnull(pageable);
    enqueue_slow_result(ctx, out);
    OK(weft_enqueue_copy(ctx, pinned, out));
    OK(weft_enqueue_copy(ctx, pageable, out));
    OK(weft_synchronize(ctx));
    expect_slow_result(weft_host_buffer_data(pinned));
    expect_slow_result(pageable);
    free(pageable);
}
END_TEST

START_TEST(c60_download_is_whole_after_a_waiter_synchronizes) {
    weft_context *ctx = test_context(), *waiter = NULL;
    OK(weft_context_create_stream(ctx, NULL, &waiter));
    weft_device_buffer *out = test_device_buffer(WEFT_UINT32, DOWNLOAD);
    weft_host_buffer *pinned = test_host_buffer(WEFT_UINT32, DOWNLOAD);
    enqueue_slow_result(ctx, out);
    OK(weft_enqueue_copy(ctx, pinned, out));
    OK(weft_enqueue_wait_for(waiter, ctx));
    OK(weft_synchronize(waiter));
    expect_slow_result(weft_host_buffer_data(pinned));
    weft_context_release(waiter);
}
END_TEST

/* ---- C61: pinned memory ------------------------------------------------------------------------ */

START_TEST(c61_each_copy_sees_its_own_bytes) {
    enum { N = 5000 };
    weft_context *ctx = test_context();
    int *actual = malloc(N * sizeof *actual);
    ck_assert_ptr_nonnull(actual);
    weft_host_buffer *pinned = test_host_buffer(WEFT_INT32, N);
    weft_device_buffer *first = test_device_buffer(WEFT_INT32, N), *second = test_device_buffer(WEFT_INT32, N);
    int *data = weft_host_buffer_data(pinned);
    ck_assert_uint_eq((uintptr_t)data % 64, 0);
    for (int i = 0; i < N; i++) data[i] = i;
    OK(weft_enqueue_copy(ctx, first, pinned));
    OK(weft_synchronize(ctx));
    for (int i = 0; i < N; i++) data[i] = -i;
    OK(weft_enqueue_copy(ctx, second, pinned));
    OK(weft_synchronize(ctx));
    for (int i = 0; i < N; i++) data[i] = 1;
    test_read(first, actual);
    for (int i = 0; i < N; i++)
        if (actual[i] != i) ck_abort_msg("element %d is %d", i, actual[i]);
    test_read(second, actual);
    for (int i = 0; i < N; i++)
        if (actual[i] != -i) ck_abort_msg("element %d is %d", i, actual[i]);

    weft_function *add = test_function("kernel void add(global int *v) { v[get_global_id(0)] += 3; }", "add");
    OK(weft_enqueue_function(ctx, add, N / 10, 10, first));
    OK(weft_enqueue_copy(ctx, pinned, first));
    OK(weft_synchronize(ctx));
    ck_assert_ptr_eq(weft_host_buffer_data(pinned), data); /* stable for the buffer's life */
    for (int i = 0; i < N; i++)
        if (data[i] != i + 3) ck_abort_msg("element %d is %d", i, data[i]);
    free(actual);
}
END_TEST

START_TEST(c61_released_while_a_copy_is_queued) {
    weft_context *ctx = test_context();
    weft_function *slow = test_function(slow_source, "slow");
    weft_device_buffer *scratch = busy_scratch(), *buffers[10], *source = test_device_buffer(WEFT_INT32, 3000);
    OK(weft_enqueue_fill(source, 5));
    for (int i = 0; i < 10; i++) {
        weft_host_buffer *up = NULL, *down = NULL;
        buffers[i] = test_device_buffer(WEFT_INT32, 3000);
        OK(weft_enqueue_create_host_buffer(ctx, WEFT_INT32, 3000, &up));
        OK(weft_enqueue_create_host_buffer(ctx, WEFT_INT32, 3000, &down));
        int *data = weft_host_buffer_data(up);
        for (int k = 0; k < 3000; k++) data[k] = 7;
        keep_busy(ctx, slow, scratch);
        OK(weft_enqueue_copy(ctx, buffers[i], up));
        OK(weft_enqueue_copy(ctx, down, source));
        weft_host_buffer_release(up);
        weft_host_buffer_release(down);
        OK(weft_enqueue_create_host_buffer(ctx, WEFT_INT32, 3000, &up)); /* perhaps the same memory */
        memset(weft_host_buffer_data(up), 0x55, 3000 * sizeof *data);
        weft_host_buffer_release(up);
    }
    for (int i = 0; i < 10; i++) expect_sevens(buffers[i]);
}
END_TEST

START_TEST(c61_no_growth_from_create_and_release) {
    weft_context *ctx = test_context();
    const size_t rounds = test_size(10000, 1000), warm = rounds / 10, size_bytes = 64 << 10;
    size_t before = 0;
    weft_device_buffer *device = test_device_buffer(WEFT_UINT8, size_bytes);
    for (size_t round = 0; round < rounds; round++) {
        weft_host_buffer *pinned = NULL;
        if (round == warm) before = resident_bytes();
        OK(weft_enqueue_create_host_buffer(ctx, WEFT_UINT8, size_bytes, &pinned));
        memset(weft_host_buffer_data(pinned), (int)(round % 251), size_bytes);
        if (round % 10 == 0) OK(weft_enqueue_copy(ctx, device, pinned));
        weft_host_buffer_release(pinned);
        if (round % 1000 == 999) OK(weft_synchronize(ctx));
    }
    OK(weft_synchronize(ctx));
    /* Far below what the rounds together touched. */
    ck_assert_uint_lt(resident_growth(before), (rounds - warm) * size_bytes / 2);
}
END_TEST

TESTS(c57_kernel_keeps_no_memory, c59_source_may_be_reused_at_once, c59_source_may_be_freed_at_once,
      c60_download_is_whole_after_synchronize, c60_download_is_whole_after_a_waiter_synchronizes,
      c61_each_copy_sees_its_own_bytes, c61_released_while_a_copy_is_queued, c61_no_growth_from_create_and_release)
