/* Cases C14 and C56 from public reports, and their kin: loops that must not make the process grow.
 *
 * WEFT_STRESS=full makes the longest loop a hundred times longer. Figures that nothing asserts are printed.
 */
#include <stdio.h>
#include <time.h>

#include "../cases/resident.h"
#include "support.h"

static const char step_source[] = "kernel void step(global uint *x, uint add) { x[get_global_id(0)] += add; }\n"
                                  "kernel void slow(global uint *x, int steps) {\n"
                                  "    uint v = x[0];\n"
                                  "    for (int i = 0; i < steps; i++) v = v * 1664525u + (v >> 7) + 1013904223u;\n"
                                  "    x[0] = v;\n"
                                  "}\n";

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static void expect_growth_below(size_t before_bytes, size_t limit_bytes) {
    const size_t growth = resident_growth(before_bytes);
    printf("growth %.1f MiB\n", (double)growth / (1 << 20));
    ck_assert_msg(growth < limit_bytes, "grew by %zu bytes, limit %zu", growth, limit_bytes);
}

/* ---- C56: long loops that nobody waits for --------------------------------------------------------------------- */

/* The case allows 32 MiB. Unbounded, PoCL takes more than this. */
enum { C56_LIMIT_BYTES = 16 << 20 };

/* Holds the queue up for some tenths of a second, so that what follows piles up in it; returns what the process has. */
static size_t resident_before_holding_up(weft_context *ctx) {
    weft_function *slow = test_function(step_source, "slow");
    weft_device_buffer *scratch = test_device_buffer(WEFT_UINT32, 1);
    OK(weft_enqueue_fill(scratch, 1));
    const size_t before = resident_bytes();
    for (size_t i = 0; i < test_size(4000, 50); i++) OK(weft_enqueue_function(ctx, slow, 1, 1, scratch, 60000));
    return before;
}

static size_t rounds(void) {
    const char *stress = getenv("WEFT_STRESS");
    return test_size(100000, 10000) * (stress && strcmp(stress, "full") == 0 ? 100 : 1);
}

START_TEST(c56_launches_without_synchronize) {
    weft_context *ctx = test_context();
    weft_function *step = test_function(step_source, "step");
    weft_device_buffer *buffer = test_device_buffer(WEFT_UINT32, 4);
    const size_t n = rounds(), warm = n / 10;
    uint32_t out[4];
    size_t before = 0;
    OK(weft_enqueue_fill(buffer, 0));
    for (size_t i = 0; i < n; i++) {
        if (i == warm) before = resident_before_holding_up(ctx);
        OK(weft_enqueue_function(ctx, step, 1, 4, buffer, (uint32_t)i));
    }
    expect_growth_below(before, C56_LIMIT_BYTES);
    test_read(buffer, out);
    for (int k = 0; k < 4; k++) ck_assert_uint_eq(out[k], (uint32_t)((uint64_t)n * (n - 1) / 2)); /* modulo 2^32 */
}
END_TEST

START_TEST(c56_fills_and_copies_without_synchronize) {
    weft_context *ctx = test_context();
    weft_device_buffer *a = test_device_buffer(WEFT_UINT32, 1024), *b = test_device_buffer(WEFT_UINT32, 1024);
    weft_host_buffer *host = test_host_buffer(WEFT_UINT32, 1024);
    const uint32_t n = (uint32_t)test_size(30000, 3000), warm = n / 10;
    size_t before = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (i == warm) before = resident_before_holding_up(ctx);
        OK(weft_enqueue_fill(a, i));
        OK(weft_enqueue_copy(ctx, b, a));
        OK(weft_enqueue_copy(ctx, host, b));
    }
    expect_growth_below(before, C56_LIMIT_BYTES);
    OK(weft_synchronize(ctx));
    const uint32_t *data = weft_host_buffer_data(host);
    for (int k = 0; k < 1024; k++) ck_assert_uint_eq(data[k], n - 1);
}
END_TEST

/* Patterns that no driver fills with keep a block of host memory until the fill has run. */
START_TEST(c56_odd_fills_without_synchronize) {
    weft_context *ctx = test_context();
    weft_device_buffer *buffer = test_device_buffer(WEFT_UINT8, 3000);
    const size_t n = test_size(20000, 1000), warm = n / 10;
    unsigned char pattern[3] = {1, 2, 3}, out[3000];
    size_t before = 0;
    for (size_t i = 0; i < n; i++) {
        if (i == warm) before = resident_before_holding_up(ctx);
        pattern[0] = (unsigned char)i;
        OK(weft_enqueue_fill_bytes(buffer, 0, pattern, 3, 1000));
    }
    expect_growth_below(before, 32 << 20); /* what the case allows: as many blocks as commands may be in flight */
    OK(weft_synchronize(ctx));
    test_read(buffer, out);
    for (int k = 0; k < 3000; k++) ck_assert_uint_eq(out[k], pattern[k % 3]);
}
END_TEST

START_TEST(c56_waits_without_synchronize) {
    weft_context *ctx = test_context(), *queues[2] = {ctx, NULL};
    weft_function *step = test_function(step_source, "step");
    weft_device_buffer *buffer = test_device_buffer(WEFT_UINT32, 1);
    const uint32_t n = (uint32_t)test_size(20000, 1000), warm = n / 10;
    uint32_t out;
    size_t before = 0;
    OK(weft_context_create_stream(queues[0], NULL, &queues[1]));
    OK(weft_enqueue_fill(buffer, 0));
    for (uint32_t i = 0; i < n; i++) {
        if (i == warm) before = resident_before_holding_up(ctx);
        OK(weft_enqueue_wait_for(queues[(i + 1) % 2], queues[i % 2]));
        OK(weft_enqueue_function(queues[(i + 1) % 2], step, 1, 1, buffer, 1u));
    }
    expect_growth_below(before, C56_LIMIT_BYTES);
    OK(weft_synchronize(queues[0]));
    OK(weft_synchronize(queues[1]));
    test_read(buffer, &out);
    ck_assert_uint_eq(out, n);
    weft_context_release(queues[1]);
}
END_TEST

/* ---- C14: fills ------------------------------------------------------------------------------------------------------ */

START_TEST(c14_create_fill_release) {
    enum { LENGTH = 1024 };
    weft_context *ctx = test_context();
    const uint32_t n = (uint32_t)test_size(50000, 3000), warm = n / 10;
    uint32_t out[LENGTH];
    size_t before = 0;
    for (uint32_t i = 0; i < n; i++) {
        weft_device_buffer *buffer = NULL;
        if (i == warm) before = resident_bytes();
        OK(weft_enqueue_create_buffer(ctx, WEFT_UINT32, LENGTH, &buffer));
        OK(weft_enqueue_fill(buffer, i));
        if (i == n - 1) OK(weft_enqueue_copy(ctx, out, buffer));
        weft_device_buffer_release(buffer);
        if (i % 1000 == 999) OK(weft_synchronize(ctx));
    }
    OK(weft_synchronize(ctx));
    expect_growth_below(before, 16 << 20);
    for (int k = 0; k < LENGTH; k++) ck_assert_uint_eq(out[k], n - 1);
}
END_TEST

/* ---- Many live objects ------------------------------------------------------------------------------------------------- */

static double launch_us(weft_context *ctx, weft_function *step, weft_device_buffer *buffer) {
    const size_t n = test_size(10000, 500);
    OK(weft_synchronize(ctx));
    const double start = seconds();
    for (size_t i = 0; i < n; i++) OK(weft_enqueue_function(ctx, step, 1, 1, buffer, 1u));
    OK(weft_synchronize(ctx));
    return (seconds() - start) * 1e6 / (double)n;
}

START_TEST(many_live_buffers) {
    weft_context *ctx = test_context();
    const size_t n = test_size(100000, 2000);
    weft_function *step = test_function(step_source, "step");
    weft_device_buffer **buffers = calloc(n, sizeof *buffers);
    ck_assert_ptr_nonnull(buffers);
    for (size_t i = 0; i < 2; i++) OK(weft_enqueue_create_buffer(ctx, WEFT_UINT32, 4, &buffers[i]));
    launch_us(ctx, step, buffers[0]);
    const double few = launch_us(ctx, step, buffers[0]), start = seconds();
    for (size_t i = 2; i < n; i++) OK(weft_enqueue_create_buffer(ctx, WEFT_UINT32, 4, &buffers[i]));
    const double created = seconds(), many = launch_us(ctx, step, buffers[n / 2]);
    for (size_t i = 0; i < n; i++) OK(weft_enqueue_fill(buffers[i], (uint32_t)i));
    OK(weft_synchronize(ctx));
    for (size_t i = 0; i < n; i += n / 100) {
        uint32_t out[4];
        test_read(buffers[i], out);
        ck_assert_msg(out[0] == i && out[3] == i, "buffer %zu holds %u and %u", i, out[0], out[3]);
    }
    const double begun = seconds();
    for (size_t i = 0; i < n; i++) weft_device_buffer_release(buffers[i]);
    printf("a launch: %.2f us with 2 live buffers, %.2f us with %zu; create %.2f us, release %.2f us\n", few, many, n,
           (created - start) * 1e6 / (double)n, (seconds() - begun) * 1e6 / (double)n);
    free(buffers);
}
END_TEST

/* All live at once, each with contents of its own; the second time needs no more memory than the first. */
START_TEST(many_live_host_buffers) {
    enum { LENGTH = 1024 };
    weft_context *ctx = test_context();
    const size_t n = test_size(10000, 1000);
    weft_device_buffer *sum = test_device_buffer(WEFT_UINT32, LENGTH);
    weft_host_buffer **buffers = calloc(n, sizeof *buffers);
    ck_assert_ptr_nonnull(buffers);
    size_t before = 0;
    for (int pass = 0; pass < 2; pass++) {
        if (pass == 1) before = resident_bytes();
        for (size_t i = 0; i < n; i++) {
            OK(weft_enqueue_create_host_buffer(ctx, WEFT_UINT32, LENGTH, &buffers[i]));
            ck_assert_uint_eq((uintptr_t)weft_host_buffer_data(buffers[i]) % 64, 0);
            ((uint32_t *)weft_host_buffer_data(buffers[i]))[LENGTH - 1] = (uint32_t)i;
        }
        for (size_t i = 0; i + 1 < n; i += 2) { /* every odd one becomes what the even one before it is */
            OK(weft_enqueue_copy(ctx, sum, buffers[i]));
            OK(weft_enqueue_copy(ctx, buffers[i + 1], sum));
        }
        OK(weft_synchronize(ctx));
        for (size_t i = 0; i < n; i++) {
            ck_assert_uint_eq(((uint32_t *)weft_host_buffer_data(buffers[i]))[LENGTH - 1], i - i % 2);
            weft_host_buffer_release(buffers[i]);
        }
    }
    expect_growth_below(before, n * LENGTH * sizeof(uint32_t) + (16 << 20));
    free(buffers);
}
END_TEST

TESTS(c56_launches_without_synchronize, c56_fills_and_copies_without_synchronize, c56_odd_fills_without_synchronize,
      c56_waits_without_synchronize, c14_create_fill_release, many_live_buffers, many_live_host_buffers)
