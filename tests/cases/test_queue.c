/* Cases from public reports, section H: queues that wait for each other, and for the host. */
#include <time.h>

#include "support.h"

static const char advance_source[] = "kernel void advance(global uint *x, uint add) {\n"
                                     "    uint v = x[0];\n"
                                     "    for (int i = 0; i < 500; i++) v = v * 1664525u + (v >> 9) + add;\n"
                                     "    x[0] = v;\n"
                                     "}\n";

static uint32_t host_advance(uint32_t v, uint32_t add) {
    for (int i = 0; i < 500; i++) v = v * 1664525u + (v >> 9) + add;
    return v;
}

static weft_context *new_stream(void) {
    weft_context *stream = NULL;
    OK(weft_context_create_stream(test_context(), NULL, &stream));
    return stream;
}

static weft_context *new_context(void) {
    weft_context *context = NULL;
    OK(weft_context_create(NULL, &context));
    return context;
}

/* ---- C64: waiting for a queue that nobody flushed ---------------------------------------------- */

/* Only the waiter is ever waited for; a runner's watchdog ends the test if the other queue never starts. */
static void expect_wait_without_flush(weft_context *waiter) {
    weft_context *ctx = test_context();
    weft_function *advance = test_function(advance_source, "advance");
    weft_device_buffer *buffer = test_device_buffer(WEFT_UINT32, 1);
    for (uint32_t repeat = 0; repeat < 20; repeat++) {
        uint32_t start = 1000 + repeat, actual = 0, expected = start;
        OK(weft_enqueue_copy(ctx, buffer, &start));
        for (uint32_t i = 0; i < 5; i++) {
            OK(weft_enqueue_function(ctx, advance, 1, 1, buffer, i));
            expected = host_advance(expected, i);
        }
        OK(weft_enqueue_wait_for(waiter, ctx));
        OK(weft_enqueue_copy(waiter, &actual, buffer));
        OK(weft_synchronize(waiter));
        ck_assert_uint_eq(actual, expected);
    }
    weft_context_release(waiter);
}

START_TEST(c64_stream_waits_without_a_flush) {
    expect_wait_without_flush(new_stream());
}
END_TEST

START_TEST(c64_context_waits_without_a_flush) {
    expect_wait_without_flush(new_context());
}
END_TEST

/* The value goes back and forth between two queues, and each step needs the one before. */
START_TEST(c64_two_queues_take_turns) {
    weft_context *queues[2] = {test_context(), new_stream()};
    weft_function *advance = test_function(advance_source, "advance");
    weft_device_buffer *buffer = test_device_buffer(WEFT_UINT32, 1);
    uint32_t actual = 0, expected = 1;
    const uint32_t turns = (uint32_t)test_size(200, 60);
    OK(weft_enqueue_copy(queues[0], buffer, &expected));
    for (uint32_t turn = 1; turn <= turns; turn++) {
        OK(weft_enqueue_wait_for(queues[turn % 2], queues[(turn + 1) % 2]));
        OK(weft_enqueue_function(queues[turn % 2], advance, 1, 1, buffer, turn));
        expected = host_advance(expected, turn);
    }
    OK(weft_enqueue_copy(queues[turns % 2], &actual, buffer));
    OK(weft_synchronize(queues[turns % 2]));
    ck_assert_uint_eq(actual, expected);
    weft_context_release(queues[1]);
}
END_TEST

START_TEST(c64_waiting_for_itself_or_for_nothing) {
    weft_context *ctx = test_context(), *idle = new_stream();
    weft_function *advance = test_function(advance_source, "advance");
    weft_device_buffer *buffer = test_device_buffer(WEFT_UINT32, 1);
    uint32_t actual = 0;
    OK(weft_enqueue_fill(buffer, 1));
    OK(weft_enqueue_wait_for(ctx, ctx));
    OK(weft_enqueue_wait_for(ctx, idle));
    OK(weft_enqueue_function(ctx, advance, 1, 1, buffer, 3));
    OK(weft_enqueue_wait_for(ctx, ctx));
    test_read(buffer, &actual);
    ck_assert_uint_eq(actual, host_advance(1, 3));
    FAILS(WEFT_ERROR_INVALID_ARGUMENT, weft_enqueue_wait_for(ctx, NULL));
    FAILS(WEFT_ERROR_INVALID_ARGUMENT, weft_enqueue_wait_for(NULL, ctx));
    weft_context_release(idle);
    test_context_works(ctx);
}
END_TEST

/* ---- C65: synchronize right after a flush ------------------------------------------------------ */

START_TEST(c65_synchronize_after_flush_waits) {
    weft_context *ctx = test_context();
    const size_t repeats = test_size(200, 20);
    weft_function *advance = test_function(advance_source, "advance");
    weft_device_buffer *buffer = test_device_buffer(WEFT_UINT32, 1);
    weft_host_buffer *pinned = test_host_buffer(WEFT_UINT32, 1);
    volatile uint32_t *result = weft_host_buffer_data(pinned);
    for (size_t repeat = 0; repeat < repeats; repeat++) {
        uint32_t expected = (uint32_t)repeat;
        *result = 0;
        OK(weft_enqueue_fill(buffer, expected));
        for (uint32_t i = 0; i < 8; i++) {
            OK(weft_enqueue_function(ctx, advance, 1, 1, buffer, i));
            expected = host_advance(expected, i);
        }
        OK(weft_enqueue_copy(ctx, pinned, buffer));
        OK(weft_flush(ctx));
        OK(weft_synchronize(ctx));
        ck_assert_uint_eq(*result, expected);
    }
}
END_TEST

START_TEST(c65_synchronize_of_an_idle_queue) {
    weft_context *ctx = test_context();
    OK(weft_synchronize(ctx));
    OK(weft_flush(ctx));
    OK(weft_synchronize(ctx));
    OK(weft_synchronize(ctx));
    FAILS(WEFT_ERROR_INVALID_ARGUMENT, weft_flush(NULL));
    FAILS(WEFT_ERROR_INVALID_ARGUMENT, weft_synchronize(NULL));
    test_context_works(ctx);
}
END_TEST

/* ---- C69: waiting without a busy core ----------------------------------------------------------- */

static double seconds(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static void nap(void *user) {
    (void)user;
    nanosleep(&(struct timespec){0, 500000000}, NULL);
}

/* The queue is busy with a function that sleeps, so all the time that the process uses is the waiter's. */
START_TEST(c69_blocking_sync_leaves_the_core_to_others) {
    if (on_driver("rusticl") || on_driver("oclgrind")) SKIP("host functions run in the call there, and nothing is left to wait for");
    weft_context *stream = NULL;
    OK(weft_context_create_stream(test_context(), &(weft_stream_options){.blocking_sync = true}, &stream));
    OK(weft_enqueue_host_func(stream, nap, NULL));
    double wall = seconds(CLOCK_MONOTONIC), used = seconds(CLOCK_PROCESS_CPUTIME_ID);
    OK(weft_synchronize(stream));
    wall = seconds(CLOCK_MONOTONIC) - wall;
    used = seconds(CLOCK_PROCESS_CPUTIME_ID) - used;
    ck_assert_msg(used < 0.3 * wall, "%.3f s of the core in %.3f s", used, wall);
    weft_context_release(stream);
}
END_TEST

TESTS(c64_stream_waits_without_a_flush, c64_context_waits_without_a_flush, c64_two_queues_take_turns,
      c64_waiting_for_itself_or_for_nothing, c65_synchronize_after_flush_waits, c65_synchronize_of_an_idle_queue,
      c69_blocking_sync_leaves_the_core_to_others)
