/* The model's test_device_event and what its hal tests say of events: points in queues, waited for, asked about, measured. */
#include <time.h>

#include "support.h"

enum { N = 256, STREAMS = 4 };

static const char source[] = "kernel void advance(global int *x, int factor, int add) {\n"
                             "    int i = get_global_id(0);\n"
                             "    x[i] = x[i] * factor + add;\n"
                             "}\n";

static weft_event *new_event(void) {
    weft_event *event = NULL;
    OK(weft_event_create(test_context(), NULL, &event));
    return event;
}

static weft_context *new_stream(bool timing) {
    weft_context *stream = NULL;
    OK(weft_context_create_stream(test_context(), &(weft_stream_options){.timing = timing}, &stream));
    return stream;
}

static weft_function *function; /* of this test's */

static void advance(weft_context *on, weft_device_buffer *buffer, int factor, int add) {
    OK(weft_enqueue_function(on, function, N / 64, 64, buffer, factor, add));
}

static weft_device_buffer *zeros(void) {
    weft_device_buffer *buffer = test_device_buffer(WEFT_INT32, N);
    function = test_function(source, "advance");
    OK(weft_enqueue_fill(buffer, 0));
    OK(weft_synchronize(test_context()));
    return buffer;
}

static void expect(weft_context *on, weft_device_buffer *buffer, int value) {
    int32_t got[N];
    OK(weft_enqueue_copy(on, got, buffer));
    OK(weft_synchronize(on));
    for (int i = 0; i < N; i++) ck_assert_int_eq(got[i], value);
}

static bool is_done(weft_event *event) {
    bool done = false;
    OK(weft_event_query(event, &done));
    return done;
}

/* A queue held back by a sleeping host function, where the driver can be held back. */
static void nap(void *user) {
    (void)user;
    nanosleep(&(struct timespec){0, 50000000}, NULL);
}

START_TEST(never_recorded_counts_as_passed) {
    weft_event *event = new_event();
    weft_device_buffer *buffer = zeros();
    ck_assert(is_done(event));
    OK(weft_event_synchronize(event));
    OK(weft_enqueue_wait_for_event(test_context(), event));
    advance(test_context(), buffer, 1, 3);
    expect(test_context(), buffer, 3);
    weft_event_release(event);
}
END_TEST

START_TEST(synchronize_waits_for_what_is_before) {
    weft_event *event = new_event();
    weft_host_buffer *host = test_host_buffer(WEFT_INT32, N);
    const int32_t *data = weft_host_buffer_data(host);
    weft_device_buffer *buffer = zeros();
    for (int round = 1; round <= (int)test_size(100, 10); round++) {
        advance(test_context(), buffer, 1, 1);
        OK(weft_enqueue_copy(test_context(), host, buffer));
        OK(weft_event_record(event, test_context()));
        OK(weft_event_synchronize(event));
        for (int i = 0; i < N; i++) ck_assert_int_eq(data[i], round);
        ck_assert(is_done(event));
    }
    weft_event_release(event);
}
END_TEST

START_TEST(blocking_sync_waits_too) {
    weft_event *event = NULL;
    weft_host_buffer *host = test_host_buffer(WEFT_INT32, N);
    const int32_t *data = weft_host_buffer_data(host);
    weft_device_buffer *buffer = zeros();
    OK(weft_event_create(test_context(), &(weft_event_options){.blocking_sync = true}, &event));
    for (int round = 1; round <= (int)test_size(20, 5); round++) {
        OK(weft_enqueue_host_func(test_context(), nap, NULL));
        advance(test_context(), buffer, 1, 1);
        OK(weft_enqueue_copy(test_context(), host, buffer));
        OK(weft_event_record(event, test_context()));
        OK(weft_event_synchronize(event));
        for (int i = 0; i < N; i++) ck_assert_int_eq(data[i], round);
    }
    weft_event_release(event);
}
END_TEST

/* Polling alone makes it true, however little else is called. */
START_TEST(c64_query_turns_true) {
    weft_event *event = new_event();
    weft_device_buffer *buffer = zeros();
    for (int round = 0; round < 20; round++) {
        advance(test_context(), buffer, 1, 1);
        OK(weft_event_record(event, test_context()));
        while (!is_done(event)) {
        }
    }
    expect(test_context(), buffer, 20);
    weft_event_release(event);
}
END_TEST

/* Nobody flushes the recording queue, and only the waiter is waited for. */
START_TEST(c64_another_queue_waits_for_an_event) {
    weft_event *event = new_event();
    weft_context *stream = new_stream(false);
    weft_device_buffer *buffer = zeros();
    int expected = 0;
    for (int round = 1; round <= (int)test_size(100, 10); round++) {
        advance(test_context(), buffer, 3, round);
        OK(weft_event_record(event, test_context()));
        OK(weft_enqueue_wait_for_event(stream, event));
        advance(stream, buffer, 1, 2);
        expected = (int)((unsigned)expected * 3 + (unsigned)round + 2);
        OK(weft_event_record(event, stream));
        OK(weft_enqueue_wait_for_event(test_context(), event));
    }
    expect(test_context(), buffer, expected);
    weft_context_release(stream);
    weft_event_release(event);
}
END_TEST

START_TEST(a_chain_over_several_queues) {
    weft_context *streams[STREAMS];
    weft_event *events[STREAMS];
    weft_device_buffer *buffer = zeros();
    int expected = 0;
    for (int s = 0; s < STREAMS; s++) {
        streams[s] = new_stream(false);
        events[s] = new_event();
    }
    for (int s = 0; s < STREAMS; s++) {
        if (s) OK(weft_enqueue_wait_for_event(streams[s], events[s - 1]));
        advance(streams[s], buffer, 2, s + 1);
        expected = expected * 2 + s + 1;
        OK(weft_event_record(events[s], streams[s]));
    }
    OK(weft_enqueue_wait_for_event(test_context(), events[STREAMS - 1]));
    expect(test_context(), buffer, expected);
    for (int s = 0; s < STREAMS; s++) {
        ck_assert(is_done(events[s])); /* all are before the last */
        weft_event_release(events[s]);
        weft_context_release(streams[s]);
    }
}
END_TEST

/* The second point replaces the first, but not for a wait that was enqueued for that. */
START_TEST(recording_again_moves_the_event) {
    weft_event *event = new_event();
    weft_context *stream = new_stream(false), *third = new_stream(false);
    weft_device_buffer *one = zeros(), *two = zeros();
    advance(stream, one, 1, 5);
    OK(weft_event_record(event, stream));
    OK(weft_enqueue_wait_for_event(third, event));
    OK(weft_enqueue_host_func(test_context(), nap, NULL));
    advance(test_context(), two, 1, 7);
    OK(weft_event_record(event, test_context()));
    advance(third, one, 2, 0);
    expect(third, one, 10);
    OK(weft_event_synchronize(event));
    expect(stream, two, 7);
    weft_event_release(event);
    weft_context_release(third);
    weft_context_release(stream);
}
END_TEST

START_TEST(released_in_flight) {
    weft_device_buffer *buffer = zeros();
    for (int round = 0; round < 20; round++) {
        weft_context *stream = new_stream(false);
        weft_event *event = new_event();
        advance(stream, buffer, 1, 1);
        OK(weft_event_record(event, stream));
        OK(weft_enqueue_wait_for_event(test_context(), event));
        weft_event_release(event);
        weft_context_release(stream);
        advance(test_context(), buffer, 2, 0);
        OK(weft_synchronize(test_context()));
    }
    expect(test_context(), buffer, (1 << 21) - 2);
}
END_TEST

START_TEST(references) {
    weft_event *event = new_event();
    ck_assert_ptr_eq(weft_event_retain(event), event);
    weft_event_release(event);
    OK(weft_event_record(event, test_context()));
    OK(weft_event_synchronize(event));
    weft_event_release(event);
    weft_event_release(NULL);
    ck_assert_ptr_null(weft_event_retain(NULL));
}
END_TEST

START_TEST(another_device_waits) {
    weft_context *there = test_other_device();
    if (!there) SKIP("one device");
    weft_event *event = new_event();
    weft_device_buffer *buffer = zeros();
    weft_host_buffer *host = test_host_buffer(WEFT_INT32, N);
    const int32_t *data = weft_host_buffer_data(host);
    advance(test_context(), buffer, 1, 9);
    OK(weft_enqueue_copy(test_context(), host, buffer));
    OK(weft_event_record(event, test_context()));
    OK(weft_enqueue_wait_for_event(there, event)); /* blocks */
    for (int i = 0; i < N; i++) ck_assert_int_eq(data[i], 9);
    FAILS(WEFT_ERROR_INVALID_ARGUMENT, weft_event_record(event, there));
    OK(weft_event_synchronize(event));
    weft_event_release(event);
}
END_TEST

static uint64_t now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* What the device measured lies within what passed on the host, but for the difference of two clocks. */
START_TEST(elapsed_time_between_events) {
    weft_event *start = new_event(), *end = new_event();
    weft_context *timed = new_stream(true);
    weft_device_buffer *buffer = zeros();
    weft_device_info info;
    uint64_t ns = 7;
    OK(weft_device_get_info(NULL, 0, &info));
    advance(timed, buffer, 1, 1); /* what is compiled at first use is */
    OK(weft_synchronize(timed));
    uint64_t before = now_ns();
    OK(weft_event_record(start, timed));
    for (int i = 0; i < 50; i++) advance(timed, buffer, 1, 1);
    OK(weft_event_record(end, timed));
    weft_status status = weft_event_elapsed_ns(start, end, &ns);
    uint64_t host_ns = now_ns() - before;
    if (!info.timestamps) {
        ck_assert_int_eq(status, WEFT_ERROR_UNSUPPORTED);
        SAYS("without timestamps");
        ck_assert_uint_eq(ns, 0);
    } else {
        ck_assert_int_eq(status, WEFT_OK);
        ck_assert_uint_gt(ns, 0);
        ck_assert_uint_le(ns, host_ns + host_ns / 100 + 10000);
        OK(weft_event_elapsed_ns(end, start, &ns));
        ck_assert_uint_eq(ns, 0);
        OK(weft_event_elapsed_ns(start, start, &ns));
        ck_assert_uint_eq(ns, 0);
    }
    expect(timed, buffer, 51);
    weft_event_release(end);
    weft_event_release(start);
    weft_context_release(timed);
}
END_TEST

START_TEST(c68_no_times_without_timing) {
    weft_event *event = new_event();
    uint64_t ns = 7;
    OK(weft_event_record(event, test_context()));
    FAILS(WEFT_ERROR_UNSUPPORTED, weft_event_elapsed_ns(event, event, &ns));
    SAYS("weft_execution_time");
    ck_assert_uint_eq(ns, 0);
    test_context_works(test_context());
    weft_event_release(event);
}
END_TEST

TESTS(never_recorded_counts_as_passed, synchronize_waits_for_what_is_before, blocking_sync_waits_too, c64_query_turns_true,
      c64_another_queue_waits_for_an_event, a_chain_over_several_queues, recording_again_moves_the_event, released_in_flight,
      references, another_device_waits, elapsed_time_between_events, c68_no_times_without_timing)
