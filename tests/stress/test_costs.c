/* Cases C68 and C69 from public reports: what timing and waiting cost. Prints the figures and asserts none of them.
 */
#include <stdio.h>
#include <time.h>

#include "support.h"

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* Of this thread alone: a CPU device computes on others. */
static double cpu_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* ---- C68: profiling only when asked ------------------------------------------------------------------------------ */

static double launch_us(weft_context *ctx, weft_function *touch, weft_device_buffer *buffer) {
    const size_t n = test_size(10000, 500);
    double start = 0;
    for (int pass = 0; pass < 2; pass++) { /* the first one warms up */
        start = seconds();
        for (size_t i = 0; i < n; i++) OK(weft_enqueue_function(ctx, touch, 1, 1, buffer));
        OK(weft_synchronize(ctx));
    }
    return (seconds() - start) * 1e6 / (double)n;
}

START_TEST(c68_launches_with_and_without_timing) {
    weft_context *plain = test_context(), *timing = NULL;
    weft_function *touch = test_function("kernel void touch(global int *x) { x[0] = 1; }", "touch");
    weft_device_buffer *buffer = test_device_buffer(WEFT_INT32, 1);
    const weft_status status = weft_context_create_stream(plain, &(weft_stream_options){.timing = true}, &timing);
    if (status == WEFT_ERROR_UNSUPPORTED) {
        SAYS("timing");
        ck_assert_ptr_null(timing);
        test_context_works(plain);
        SKIP("the device has no profiling queues");
    }
    OK(status);
    const double off = launch_us(plain, touch, buffer), on = launch_us(timing, touch, buffer);
    printf("a launch: %.2f us, with timing %.2f us\n", off, on);
    test_context_works(timing);
    weft_context_release(timing);
}
END_TEST

/* ---- C69: busy waiting ----------------------------------------------------------------------------------------------- */

START_TEST(c69_processor_time_of_a_wait) {
    static const char source[] = "kernel void slow(global uint *x, int steps) {\n"
                                 "    uint v = x[0];\n"
                                 "    for (int i = 0; i < steps; i++) v = v * 1664525u + (v >> 7) + 1013904223u;\n"
                                 "    x[0] = v;\n"
                                 "}\n";
    enum { STEPS = 60000 };
    weft_context *ctx = test_context();
    weft_function *slow = test_function(source, "slow");
    weft_device_buffer *buffer = test_device_buffer(WEFT_UINT32, 1);
    const int launches = (int)test_size(500, 20);
    uint32_t out, expected = 1;
    OK(weft_enqueue_fill(buffer, 1));
    for (int i = 0; i < launches; i++) OK(weft_enqueue_function(ctx, slow, 1, 1, buffer, STEPS));
    const double wall = seconds(), cpu = cpu_seconds();
    OK(weft_synchronize(ctx));
    const double waited = seconds() - wall, spent = cpu_seconds() - cpu;
    printf("waited %.3f s, of it %.3f s on the processor (%.0f %%)\n", waited, spent, waited > 0 ? 100 * spent / waited : 0);
    test_read(buffer, &out);
    for (int i = 0; i < launches * STEPS; i++) expected = expected * 1664525u + (expected >> 7) + 1013904223u;
    ck_assert_uint_eq(out, expected);
}
END_TEST

TESTS(c68_launches_with_and_without_timing, c69_processor_time_of_a_wait)
