/* Bad input to events, host functions and measuring. */
#include "surface.h"

static weft_event *event; /* recorded on ctx */

static void count(void *user) { ++*(int *)user; }

static weft_status nothing_to_do(weft_context *context, size_t iteration, void *user) {
    (void)context, (void)iteration, (void)user;
    return WEFT_OK;
}

static void bad_context_stream_priority_range(void) {
    int least = 7, greatest = 7;
    REFUSES(INVALID_ARGUMENT, "context", weft_context_stream_priority_range(NULL, &least, &greatest));
    ck_assert(least == 0 && greatest == 0);
    REFUSES(INVALID_ARGUMENT, "least", weft_context_stream_priority_range(ctx, NULL, &greatest));
    REFUSES(INVALID_ARGUMENT, "greatest", weft_context_stream_priority_range(ctx, &least, NULL));
}

static void bad_enqueue_host_func(void) {
    int calls = 0;
    REFUSES(INVALID_ARGUMENT, "context", weft_enqueue_host_func(NULL, count, &calls));
    REFUSES(INVALID_ARGUMENT, "func", weft_enqueue_host_func(ctx, NULL, &calls));
    OK(weft_synchronize(ctx));
    ck_assert_int_eq(calls, 0);
}

static void bad_execution_time(void) {
    uint64_t ns = 7;
    REFUSES(INVALID_ARGUMENT, "context", weft_execution_time(NULL, nothing_to_do, NULL, 1, &ns));
    ck_assert_uint_eq(ns, 0);
    REFUSES(INVALID_ARGUMENT, "func", weft_execution_time(ctx, NULL, NULL, 1, &ns));
    REFUSES(INVALID_ARGUMENT, "out_total_ns", weft_execution_time(ctx, nothing_to_do, NULL, 1, NULL));
}

static void bad_event_create(void) {
    weft_event *out;
    CLEARS(out, INVALID_ARGUMENT, "context", weft_event_create(NULL, NULL, &out));
    REFUSES(INVALID_ARGUMENT, "out", weft_event_create(ctx, NULL, NULL));
    if (on_driver("rusticl")) {
        CLEARS(out, UNSUPPORTED, "timing", weft_event_create(ctx, &(weft_event_options){.timing = true}, &out));
    }
}

static void bad_event_retain(void) { ck_assert_ptr_null(weft_event_retain(NULL)); }

static void bad_event_release(void) { weft_event_release(NULL); }

static void bad_event_record(void) {
    weft_context *other = test_other_device();
    REFUSES(INVALID_ARGUMENT, "event", weft_event_record(NULL, ctx));
    REFUSES(INVALID_ARGUMENT, "context", weft_event_record(event, NULL));
    if (other) {
        REFUSES(INVALID_ARGUMENT, "event was made for device", weft_event_record(event, other));
    }
}

static void bad_enqueue_wait_for_event(void) {
    REFUSES(INVALID_ARGUMENT, "context", weft_enqueue_wait_for_event(NULL, event));
    REFUSES(INVALID_ARGUMENT, "event", weft_enqueue_wait_for_event(ctx, NULL));
}

static void bad_event_synchronize(void) { REFUSES(INVALID_ARGUMENT, "event", weft_event_synchronize(NULL)); }

static void bad_event_query(void) {
    bool done = true;
    REFUSES(INVALID_ARGUMENT, "event", weft_event_query(NULL, &done));
    ck_assert(!done);
    REFUSES(INVALID_ARGUMENT, "done", weft_event_query(event, NULL));
}

static void bad_event_elapsed_ns(void) {
    weft_context *other = test_other_device();
    weft_event *never = NULL, *there = NULL;
    uint64_t ns = 7;
    OK(weft_event_create(ctx, NULL, &never));
    REFUSES(INVALID_ARGUMENT, "start", weft_event_elapsed_ns(NULL, event, &ns));
    ck_assert_uint_eq(ns, 0);
    REFUSES(INVALID_ARGUMENT, "end", weft_event_elapsed_ns(event, NULL, &ns));
    REFUSES(INVALID_ARGUMENT, "out", weft_event_elapsed_ns(event, event, NULL));
    REFUSES(INVALID_ARGUMENT, "start was never recorded", weft_event_elapsed_ns(never, event, &ns));
    REFUSES(UNSUPPORTED, "start was recorded on a context without timing", weft_event_elapsed_ns(event, event, &ns));
    if (other) {
        OK(weft_event_create(other, NULL, &there));
        REFUSES(INVALID_ARGUMENT, "start was made for device", weft_event_elapsed_ns(event, there, &ns));
        weft_event_release(there);
    }
    weft_event_release(never);
}

START_TEST(bad_order_input_is_refused) {
    static const surface_row rows[] = {SURFACE_ORDER(SURFACE_ROW)};
    OK(weft_event_create(test_context(), NULL, &event));
    OK(weft_event_record(event, test_context()));
    run_rows(rows, sizeof rows / sizeof *rows);
    weft_event_release(event);
}
END_TEST

TESTS(bad_order_input_is_refused)
