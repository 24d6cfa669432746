/* Graphs that hold waits, event records, host functions and copies of boxes: all of it happens when the graph runs. */
#include "support.h"

enum { N = 64 };

static const char source[] = "kernel void add(global int *x, int n) { x[get_global_id(0)] += n; }";

static weft_context *context, *sibling;
static weft_function *add;
static weft_device_buffer *buffer;
static weft_host_buffer *host;

static void make(void) {
    context = test_context();
    OK(weft_context_create_stream(context, NULL, &sibling));
    add = test_function(source, "add");
    buffer = test_device_buffer(WEFT_INT32, N);
    host = test_host_buffer(WEFT_INT32, N);
    OK(weft_enqueue_fill(buffer, 0));
    OK(weft_synchronize(context));
}

static void launch(weft_context *on, int n) { OK(weft_enqueue_function(on, add, 1, N, buffer, n)); }

static void expect(int value) {
    int32_t now[N];
    test_read(buffer, now);
    for (int i = 0; i < N; i++) ck_assert_int_eq(now[i], value);
}

static weft_graph *end_graph(size_t nodes) {
    weft_graph *graph = NULL;
    OK(weft_graph_end(context, &graph));
    ck_assert_uint_eq(weft_graph_node_count(graph), nodes);
    return graph;
}

START_TEST(events_are_recorded_when_the_graph_runs) {
    make();
    weft_event *event;
    bool done = false;
    OK(weft_event_create(context, NULL, &event));
    OK(weft_graph_begin(context));
    launch(context, 1);
    OK(weft_event_record(event, context));
    weft_graph *graph = end_graph(2);
    OK(weft_event_query(event, &done));
    ck_assert(done); /* never recorded so far */
    for (int run = 1; run <= 10; run++) {
        OK(weft_enqueue_graph(context, graph));
        OK(weft_enqueue_wait_for_event(sibling, event));
        launch(sibling, 1);
        OK(weft_enqueue_wait_for(context, sibling));
    }
    OK(weft_synchronize(sibling));
    OK(weft_synchronize(context));
    expect(20);
    weft_graph_release(graph);
    weft_event_release(event);
    weft_context_release(sibling);
}
END_TEST

START_TEST(a_graph_waits_for_what_the_event_holds_then) {
    make();
    weft_event *event;
    OK(weft_event_create(context, NULL, &event));
    OK(weft_graph_begin(context));
    OK(weft_enqueue_wait_for_event(context, event));
    OK(weft_enqueue_copy(context, host, buffer));
    weft_graph *graph = end_graph(2);
    const int32_t *data = weft_host_buffer_data(host);
    weft_event_release(event); /* the graph keeps it */
    for (int run = 1; run <= 10; run++) {
        launch(sibling, 1);
        OK(weft_event_record(event, sibling));
        OK(weft_enqueue_graph(context, graph));
        OK(weft_synchronize(context));
        for (int i = 0; i < N; i++) ck_assert_int_eq(data[i], run);
    }
    weft_graph_release(graph);
    weft_context_release(sibling);
}
END_TEST

/* Doubles what the graph copied out, which it then copies back. */
static void twice(void *user) {
    int32_t *data = user;
    for (int i = 0; i < N; i++) data[i] *= 2;
}

START_TEST(host_functions_run_with_the_graph) {
    make();
    int32_t *data = weft_host_buffer_data(host);
    data[0] = 99;
    OK(weft_graph_begin(context));
    launch(context, 1);
    OK(weft_enqueue_copy(context, host, buffer));
    OK(weft_enqueue_host_func(context, twice, data));
    OK(weft_enqueue_copy(context, buffer, host));
    weft_graph *graph = end_graph(4);
    ck_assert_int_eq(data[0], 99);
    int expected = 0;
    for (int run = 0; run < 5; run++) {
        OK(weft_enqueue_graph(context, graph));
        expected = (expected + 1) * 2;
    }
    OK(weft_synchronize(context));
    expect(expected);
    weft_graph_release(graph);
    weft_context_release(sibling);
}
END_TEST

START_TEST(waits_for_another_context_are_for_its_work_then) {
    make();
    OK(weft_graph_begin(context));
    OK(weft_enqueue_wait_for(context, sibling));
    OK(weft_enqueue_wait_for(context, context)); /* nothing to do, and no node */
    launch(context, 1);
    weft_graph *graph = NULL;
    OK(weft_graph_end(context, &graph));
    for (int run = 1; run <= 5; run++) {
        launch(sibling, 10);
        OK(weft_enqueue_graph(context, graph));
        OK(weft_enqueue_wait_for(sibling, context));
    }
    OK(weft_synchronize(context));
    expect(55);
    weft_graph_release(graph);
    weft_context_release(sibling);
}
END_TEST

START_TEST(boxes_are_copied_with_the_graph) {
    make();
    int32_t *data = weft_host_buffer_data(host);
    const weft_rect left = {0, 8, 0}, right = {4, 8, 0};
    for (int i = 0; i < N; i++) data[i] = i;
    OK(weft_graph_begin(context));
    OK(weft_enqueue_copy_rect(context, buffer, &right, host, &left, 4, 8, 1));
    OK(weft_enqueue_copy_rect(context, buffer, &left, host, &right, 4, 8, 1));
    weft_graph *graph = end_graph(2);
    expect(0);
    for (int run = 0; run < 3; run++) {
        OK(weft_enqueue_graph(context, graph));
        OK(weft_synchronize(context));
        int32_t now[N];
        test_read(buffer, now);
        for (int i = 0; i < N; i++) ck_assert_int_eq(now[i], data[i ^ 4]);
        for (int i = 0; i < N; i++) data[i] += 100;
    }
    weft_graph_release(graph);
    weft_context_release(sibling);
}
END_TEST

TESTS(events_are_recorded_when_the_graph_runs, a_graph_waits_for_what_the_event_holds_then, host_functions_run_with_the_graph,
      waits_for_another_context_are_for_its_work_then, boxes_are_copied_with_the_graph)
