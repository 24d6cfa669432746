/* The model's test_timing: execution_time over copies that go round, with right data each time. */
#include <time.h>

#include "support.h"

enum { N = 1000, ROUNDS = 100 };

typedef struct trip {
    weft_device_buffer *device;
    weft_host_buffer *there, *back;
    size_t calls, fails_at;
} trip;

static weft_status round_trip(weft_context *context, size_t iteration, void *user) {
    trip *t = user;
    ck_assert_uint_eq(iteration, t->calls);
    t->calls++;
    if (t->calls == t->fails_at) return weft_enqueue_fill_range(t->device, N, 1, 0.0f);
    OK(weft_enqueue_copy(context, t->device, t->there));
    OK(weft_enqueue_copy(context, t->back, t->device));
    return WEFT_OK;
}

static trip new_trip(void) {
    trip t = {test_device_buffer(WEFT_FLOAT32, N), test_host_buffer(WEFT_FLOAT32, N), test_host_buffer(WEFT_FLOAT32, N), 0, 0};
    float *data = weft_host_buffer_data(t.there);
    for (int i = 0; i < N; i++) data[i] = (float)i;
    return t;
}

static uint64_t now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static void measure(weft_context *context) {
    trip t = new_trip();
    uint64_t ns = 0, before = now_ns();
    OK(weft_execution_time(context, round_trip, &t, ROUNDS, &ns));
    uint64_t host_ns = now_ns() - before;
    ck_assert_uint_eq(t.calls, ROUNDS);
    ck_assert_uint_gt(ns, 0);
    ck_assert_uint_le(ns, host_ns + host_ns / 100 + 10000); /* two clocks */
    const float *data = weft_host_buffer_data(t.back);
    for (int i = 0; i < N; i++) ck_assert_float_eq(data[i], (float)i);
}

START_TEST(by_the_host) { measure(test_context()); }
END_TEST

START_TEST(by_the_device) {
    weft_context *timed = NULL;
    OK(weft_context_create_stream(test_context(), &(weft_stream_options){.timing = true}, &timed));
    measure(timed);
    weft_context_release(timed);
}
END_TEST

START_TEST(the_first_failure_ends_it) {
    trip t = new_trip();
    uint64_t ns = 7;
    t.fails_at = 4;
    FAILS(WEFT_ERROR_OUT_OF_RANGE, weft_execution_time(test_context(), round_trip, &t, ROUNDS, &ns));
    ck_assert_uint_eq(t.calls, 4);
    ck_assert_uint_eq(ns, 0);
    test_context_works(test_context());
}
END_TEST

START_TEST(nothing_takes_no_calls) {
    trip t = new_trip();
    uint64_t ns = 7;
    OK(weft_execution_time(test_context(), round_trip, &t, 0, &ns));
    ck_assert_uint_eq(t.calls, 0);
    ck_assert_uint_lt(ns, 1000000000);
}
END_TEST

TESTS(by_the_host, by_the_device, the_first_failure_ends_it, nothing_takes_no_calls)
