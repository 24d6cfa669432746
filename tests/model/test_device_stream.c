/* The model's test_device_stream: more queues on one device, alone, together, and ordered by waits. */
#include <limits.h>

#include "support.h"

enum { LENGTH = 256, STREAMS = 8 };

static const char source[] =
    "kernel void advance(global int *data, int factor, int add) {\n"
    "    int i = get_global_id(0);\n"
    "    data[i] = data[i] * factor + add;\n"
    "}\n";

START_TEST(stream_is_a_context_on_the_same_device) {
    weft_context *ctx = test_context(), *stream = NULL;
    OK(weft_context_create_stream(ctx, NULL, &stream));
    ck_assert_str_eq(weft_context_name(stream), weft_context_name(ctx));
    ck_assert_str_eq(weft_context_api(stream), weft_context_api(ctx));
    ck_assert_int_eq(weft_context_id(stream), weft_context_id(ctx));
    test_context_works(stream);
    weft_context_release(stream);
    test_context_works(ctx);
}
END_TEST

START_TEST(timing_stream_works_or_is_refused) {
    weft_context *stream = NULL;
    weft_status status = weft_context_create_stream(test_context(), &(weft_stream_options){.timing = true}, &stream);
    if (status) {
        ck_assert_int_eq(status, WEFT_ERROR_UNSUPPORTED);
        ck_assert_ptr_null(stream);
    } else {
        test_context_works(stream);
        weft_context_release(stream);
    }
}
END_TEST

START_TEST(stream_outlives_the_context_it_came_from) {
    weft_context *first = NULL, *stream = NULL;
    OK(weft_context_create(NULL, &first));
    OK(weft_context_create_stream(first, NULL, &stream));
    weft_context_release(first);
    test_context_works(stream);
    weft_context_release(stream);
}
END_TEST

START_TEST(many_streams_run_side_by_side) {
    weft_context *streams[STREAMS];
    weft_device_buffer *buffers[STREAMS];
    weft_function *advance = test_function(source, "advance");
    for (int s = 0; s < STREAMS; s++) {
        OK(weft_context_create_stream(test_context(), NULL, &streams[s]));
        OK(weft_enqueue_create_buffer(streams[s], WEFT_INT32, LENGTH, &buffers[s]));
        OK(weft_enqueue_fill(buffers[s], s));
    }
    for (int round = 0; round < 3; round++) {
        for (int s = 0; s < STREAMS; s++) {
            OK(weft_enqueue_function(streams[s], advance, LENGTH / 32, 32, buffers[s], 10, s));
        }
    }
    for (int s = 0; s < STREAMS; s++) {
        int32_t got[LENGTH];
        OK(weft_device_buffer_enqueue_copy_to(buffers[s], got));
        OK(weft_synchronize(streams[s]));
        for (int i = 0; i < LENGTH; i++) {
            ck_assert_int_eq(got[i], 1111 * s);
        }
        weft_device_buffer_release(buffers[s]);
        weft_context_release(streams[s]);
    }
}
END_TEST

/* Each stream waits for the one before it; only the last is synchronized. */
START_TEST(wait_orders_a_chain_of_streams) {
    weft_context *streams[STREAMS];
    weft_device_buffer *buffer = test_device_buffer(WEFT_INT32, LENGTH);
    weft_function *advance = test_function(source, "advance");
    OK(weft_enqueue_fill(buffer, 0));
    int32_t expected = 0;
    for (int s = 0; s < STREAMS; s++) {
        OK(weft_context_create_stream(test_context(), NULL, &streams[s]));
        OK(weft_enqueue_wait_for(streams[s], s ? streams[s - 1] : test_context()));
        OK(weft_enqueue_function(streams[s], advance, LENGTH / 32, 32, buffer, 3, s + 1));
        expected = 3 * expected + s + 1;
    }
    int32_t got[LENGTH];
    OK(weft_enqueue_copy(streams[STREAMS - 1], got, buffer));
    OK(weft_synchronize(streams[STREAMS - 1]));
    for (int i = 0; i < LENGTH; i++) {
        ck_assert_int_eq(got[i], expected);
    }
    for (int s = 0; s < STREAMS; s++) {
        weft_context_release(streams[s]);
    }
}
END_TEST

START_TEST(two_streams_take_turns) {
    weft_context *a = test_context(), *b = NULL;
    weft_device_buffer *buffer = test_device_buffer(WEFT_INT32, LENGTH);
    weft_function *advance = test_function(source, "advance");
    OK(weft_context_create_stream(a, NULL, &b));
    OK(weft_enqueue_fill(buffer, 1));
    uint32_t expected = 1;
    for (int turn = 0; turn < 10; turn++) {
        weft_context *mine = turn % 2 ? a : b, *theirs = turn % 2 ? b : a;
        OK(weft_enqueue_wait_for(mine, theirs));
        OK(weft_enqueue_function(mine, advance, LENGTH / 32, 32, buffer, turn % 2 ? 3 : 2, turn));
        expected = expected * (turn % 2 ? 3 : 2) + (uint32_t)turn;
    }
    int32_t got[LENGTH];
    OK(weft_enqueue_wait_for(b, a));
    OK(weft_enqueue_copy(b, got, buffer));
    OK(weft_synchronize(b));
    for (int i = 0; i < LENGTH; i++) {
        ck_assert_int_eq(got[i], (int32_t)expected);
    }
    weft_context_release(b);
}
END_TEST

START_TEST(waiting_for_itself_does_nothing) {
    weft_context *ctx = test_context();
    weft_device_buffer *buffer = test_device_buffer(WEFT_INT32, 1);
    int32_t got = 0;
    OK(weft_enqueue_fill(buffer, 6));
    OK(weft_enqueue_wait_for(ctx, ctx));
    OK(weft_enqueue_function(ctx, test_function(source, "advance"), 1, 1, buffer, 7, 0));
    OK(weft_enqueue_wait_for(ctx, ctx));
    test_read(buffer, &got);
    ck_assert_int_eq(got, 42);
}
END_TEST

/* A stream released with work on it: the work ends, and those who wait for it see it. */
START_TEST(released_stream_finishes_its_work) {
    weft_context *ctx = test_context(), *stream = NULL;
    weft_device_buffer *buffer = test_device_buffer(WEFT_INT32, LENGTH);
    OK(weft_enqueue_fill(buffer, 4));
    OK(weft_context_create_stream(ctx, NULL, &stream));
    OK(weft_enqueue_wait_for(stream, ctx));
    OK(weft_enqueue_function(stream, test_function(source, "advance"), LENGTH / 32, 32, buffer, 10, 2));
    OK(weft_flush(stream));
    OK(weft_enqueue_wait_for(ctx, stream));
    weft_context_release(stream);
    int32_t got[LENGTH];
    test_read(buffer, got);
    for (int i = 0; i < LENGTH; i++) {
        ck_assert_int_eq(got[i], 42);
    }
}
END_TEST

/* Two steps of each queue's own work on each of them, all at once. */
static void expect_streams_work(weft_context *const *streams, size_t count) {
    weft_device_buffer *buffers[2 * STREAMS];
    weft_function *advance = test_function(source, "advance");
    ck_assert_uint_le(count, 2 * STREAMS);
    for (size_t s = 0; s < count; s++) {
        OK(weft_enqueue_create_buffer(streams[s], WEFT_INT32, LENGTH, &buffers[s]));
        OK(weft_enqueue_fill(buffers[s], (int)s));
    }
    for (size_t s = 0; s < 2 * count; s++) {
        OK(weft_enqueue_function(streams[s % count], advance, LENGTH / 32, 32, buffers[s % count], 10, 7));
    }
    for (size_t s = 0; s < count; s++) {
        int32_t got[LENGTH];
        OK(weft_device_buffer_enqueue_copy_to(buffers[s], got));
        OK(weft_synchronize(streams[s]));
        for (int i = 0; i < LENGTH; i++) {
            ck_assert_int_eq(got[i], (int32_t)s * 100 + 77);
        }
        weft_device_buffer_release(buffers[s]);
    }
}

START_TEST(priority_range_holds_the_default) {
    int least = -7, greatest = 7, again = 7, more = 7;
    OK(weft_context_stream_priority_range(test_context(), &least, &greatest));
    ck_assert_int_ge(least, 0); /* the smaller is the more urgent, and 0 is the default */
    ck_assert_int_le(greatest, 0);
    weft_context *stream = NULL;
    OK(weft_context_create_stream(test_context(), &(weft_stream_options){.priority = greatest}, &stream));
    OK(weft_context_stream_priority_range(stream, &again, &more));
    ck_assert_int_eq(again, least);
    ck_assert_int_eq(more, greatest);
    weft_context_release(stream);
}
END_TEST

/* The least, the greatest, what is between, and what is outside and moved to an end; twice each, side by side. */
START_TEST(streams_of_any_priority_work) {
    int least, greatest;
    OK(weft_context_stream_priority_range(test_context(), &least, &greatest));
    const int priorities[STREAMS] = {least, (least + greatest) / 2, greatest, 0, least + 1, greatest - 1, INT_MAX, INT_MIN};
    weft_context *streams[2 * STREAMS];
    for (int s = 0; s < 2 * STREAMS; s++) {
        OK(weft_context_create_stream(test_context(), &(weft_stream_options){.priority = priorities[s % STREAMS]}, &streams[s]));
    }
    expect_streams_work(streams, 2 * STREAMS);
    for (int s = 0; s < 2 * STREAMS; s++) {
        weft_context_release(streams[s]);
    }
}
END_TEST

/* A context's own, and together with the other options. */
START_TEST(contexts_have_priorities_too) {
    weft_context *contexts[2];
    weft_device_info info;
    OK(weft_device_get_info(NULL, 0, &info));
    OK(weft_context_create(&(weft_context_options){.priority = -1}, &contexts[0]));
    OK(weft_context_create(&(weft_context_options){.priority = 1, .blocking_sync = true, .timing = info.timestamps}, &contexts[1]));
    expect_streams_work(contexts, 2);
    for (int c = 0; c < 2; c++) {
        weft_context_release(contexts[c]);
    }
}
END_TEST

TESTS(stream_is_a_context_on_the_same_device, timing_stream_works_or_is_refused, stream_outlives_the_context_it_came_from,
      many_streams_run_side_by_side, wait_orders_a_chain_of_streams, two_streams_take_turns, waiting_for_itself_does_nothing,
      released_stream_finishes_its_work, priority_range_holds_the_default, streams_of_any_priority_work,
      contexts_have_priorities_too)
