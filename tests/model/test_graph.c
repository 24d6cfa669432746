/* The model's test_device_graph_builder: what a context records is run again, in order, as often as one likes. */
#include "support.h"

enum { N = 64 };

static const char source[] =
    "kernel void add(global int *data, int by) { data[get_global_id(0)] += by; }\n"
    "kernel void scale(global int *data, int by) { data[get_global_id(0)] *= by; }\n"
    "kernel void sum(global int *out, global const int *a, global const int *b) {\n"
    "    int i = get_global_id(0);\n"
    "    out[i] = a[i] + b[i];\n"
    "}\n";

static weft_graph *recorded(weft_context *context) {
    weft_graph *graph = NULL;
    OK(weft_graph_end(context, &graph));
    ck_assert_ptr_nonnull(graph);
    return graph;
}

static weft_function *function(const char *name) {
    return test_function(source, name);
}

/* Element i is first + i * step. */
static void check_is(weft_device_buffer *buffer, int32_t first, int32_t step) {
    int32_t *got = malloc(weft_device_buffer_size_bytes(buffer));
    test_read(buffer, got);
    for (size_t i = 0; i < weft_device_buffer_length(buffer); i++) {
        ck_assert_msg(got[i] == first + (int32_t)i * step, "element %zu is %d instead of %d", i, got[i], first + (int32_t)i * step);
    }
    free(got);
}

static void write_is(weft_device_buffer *buffer, int32_t first, int32_t step) {
    int32_t *data = malloc(weft_device_buffer_size_bytes(buffer));
    for (size_t i = 0; i < weft_device_buffer_length(buffer); i++) {
        data[i] = first + (int32_t)i * step;
    }
    test_write(buffer, data);
    free(data);
}

START_TEST(an_empty_graph_does_nothing) {
    weft_context *ctx = test_context();
    OK(weft_graph_begin(ctx));
    weft_graph *graph = recorded(ctx);
    ck_assert_uint_eq(weft_graph_node_count(graph), 0);
    OK(weft_enqueue_graph(ctx, graph));
    OK(weft_synchronize(ctx));
    weft_graph_release(graph);
}
END_TEST

START_TEST(nothing_runs_while_it_is_recorded) {
    weft_context *ctx = test_context();
    weft_device_buffer *data = test_device_buffer(WEFT_INT32, N);
    write_is(data, 1, 1);
    OK(weft_graph_begin(ctx));
    OK(weft_enqueue_function(ctx, function("add"), N / 8, 8, data, 5));
    OK(weft_enqueue_fill(data, 7));
    weft_graph *graph = recorded(ctx);
    ck_assert_uint_eq(weft_graph_node_count(graph), 2);
    check_is(data, 1, 1);
    OK(weft_enqueue_graph(ctx, graph));
    check_is(data, 7, 0);
    weft_graph_release(graph);
}
END_TEST

START_TEST(nodes_run_in_the_order_of_the_calls) {
    weft_context *ctx = test_context();
    weft_device_buffer *data = test_device_buffer(WEFT_INT32, N);
    write_is(data, 1, 1);
    OK(weft_graph_begin(ctx));
    OK(weft_enqueue_function(ctx, function("add"), N / 8, 8, data, 3));
    OK(weft_enqueue_function(ctx, function("scale"), N / 8, 8, data, 2));
    OK(weft_enqueue_function(ctx, function("add"), N / 8, 8, data, 1));
    weft_graph *graph = recorded(ctx);
    ck_assert_uint_eq(weft_graph_node_count(graph), 3);
    int32_t first = 1, step = 1;
    for (int i = 0; i < 4; i++) {
        OK(weft_enqueue_graph(ctx, graph));
        first = (first + 3) * 2 + 1;
        step *= 2;
    }
    check_is(data, first, step);
    weft_graph_release(graph);
}
END_TEST

START_TEST(copies_of_all_kinds) {
    weft_context *ctx = test_context();
    weft_device_buffer *a = test_device_buffer(WEFT_INT32, N), *b = test_device_buffer(WEFT_INT32, N);
    weft_host_buffer *in = test_host_buffer(WEFT_INT32, N), *out = test_host_buffer(WEFT_INT32, N);
    int32_t source_array[N], *from = weft_host_buffer_data(in), *to = weft_host_buffer_data(out), read[N], between[N];
    OK(weft_graph_begin(ctx));
    OK(weft_enqueue_copy(ctx, a, source_array));       /* pointer to device */
    OK(weft_enqueue_copy(ctx, b, a));                  /* device to device */
    OK(weft_enqueue_copy_range(ctx, b, 1, in, 0, 8));  /* host buffer to device */
    OK(weft_enqueue_copy_range(ctx, b, 20, b, 16, 8)); /* onto itself, overlapping */
    OK(weft_enqueue_copy(ctx, out, b));                /* device to host buffer */
    OK(weft_enqueue_copy(ctx, read, b));               /* device to pointer */
    OK(weft_device_buffer_enqueue_copy_to(a, between));
    OK(weft_host_buffer_enqueue_copy_from(in, out));   /* host buffer to host buffer */
    OK(weft_enqueue_copy_range(ctx, b, 0, a, 0, 0));   /* nothing */
    OK(weft_enqueue_copy_rect(ctx, b, NULL, a, NULL, 0, 1, 1));
    weft_graph *graph = recorded(ctx);
    ck_assert_uint_eq(weft_graph_node_count(graph), 10);
    for (int32_t round = 1; round < 4; round++) {
        for (int32_t i = 0; i < N; i++) {
            source_array[i] = round * 1000 + i;
            from[i] = -round * 1000 - i;
            read[i] = between[i] = to[i] = 0;
        }
        OK(weft_enqueue_graph(ctx, graph));
        OK(weft_synchronize(ctx));
        for (int32_t i = 0; i < N; i++) {
            int32_t plain = round * 1000 + i;
            int32_t expected = i >= 1 && i < 9 ? -round * 1000 - (i - 1) : i >= 20 && i < 28 ? plain - 4 : plain;
            ck_assert_int_eq(read[i], expected);
            ck_assert_int_eq(to[i], expected);
            ck_assert_int_eq(from[i], expected);
            ck_assert_int_eq(between[i], plain);
        }
    }
    weft_graph_release(graph);
}
END_TEST

START_TEST(fills_of_all_widths) {
    static const weft_dtype dtypes[] = {WEFT_UINT8, WEFT_UINT16, WEFT_UINT32, WEFT_UINT64};
    weft_context *ctx = test_context();
    for (size_t d = 0; d < 4; d++) {
        weft_device_buffer *data = test_device_buffer(dtypes[d], N);
        size_t width = weft_dtype_size(dtypes[d]);
        unsigned char got[N * 8], zero[N * 8] = {0};
        OK(weft_graph_begin(ctx));
        OK(weft_enqueue_fill(data, 0x5A));
        OK(weft_enqueue_fill_range(data, 3, 5, 0x3C));
        weft_graph *graph = recorded(ctx);
        for (int round = 0; round < 2; round++) {
            test_write(data, zero);
            OK(weft_enqueue_graph(ctx, graph));
            test_read(data, got);
            for (size_t i = 0; i < N * width; i++) {
                size_t element = i / width;
                int expected = i % width ? 0 : element >= 3 && element < 8 ? 0x3C : 0x5A; /* little endian */
                ck_assert_msg(got[i] == expected, "width %zu, byte %zu: %d", width, i, got[i]);
            }
        }
        weft_graph_release(graph);
    }
}
END_TEST

START_TEST(a_fill_keeps_its_pattern) {
    weft_context *ctx = test_context();
    weft_device_buffer *data = test_device_buffer(WEFT_UINT8, 10);
    weft_host_buffer *host = test_host_buffer(WEFT_UINT8, 10);
    unsigned char pattern[3] = {1, 2, 3}, got[10], *on_host = weft_host_buffer_data(host);
    OK(weft_graph_begin(ctx));
    OK(weft_enqueue_fill(data, 9));
    OK(weft_enqueue_fill(host, 9));
    OK(weft_enqueue_fill_bytes(data, 1, pattern, 3, 2));
    OK(weft_enqueue_fill_bytes(host, 1, pattern, 3, 2));
    weft_graph *graph = recorded(ctx);
    memset(pattern, 0, sizeof pattern);
    OK(weft_enqueue_graph(ctx, graph));
    test_read(data, got);
    static const unsigned char expected[10] = {9, 1, 2, 3, 1, 2, 3, 9, 9, 9};
    ck_assert_mem_eq(got, expected, 10);
    ck_assert_mem_eq(on_host, expected, 10);
    weft_graph_release(graph);
}
END_TEST

START_TEST(another_stream_runs_it) {
    weft_context *ctx = test_context(), *sibling = NULL;
    weft_device_buffer *data = test_device_buffer(WEFT_INT32, N);
    int32_t got[N];
    OK(weft_context_create_stream(ctx, NULL, &sibling));
    write_is(data, 0, 1);
    OK(weft_graph_begin(ctx));
    OK(weft_enqueue_function(ctx, function("add"), N / 8, 8, data, 10));
    OK(weft_enqueue_copy(ctx, got, data));
    weft_graph *graph = recorded(ctx);
    for (int round = 1; round < 5; round++) {
        weft_context *where = round % 2 ? sibling : ctx;
        memset(got, 0, sizeof got);
        OK(weft_enqueue_graph(where, graph));
        OK(weft_synchronize(where));
        for (int32_t i = 0; i < N; i++) {
            ck_assert_int_eq(got[i], i + 10 * round);
        }
    }
    weft_graph_release(graph);
    weft_context_release(sibling);
}
END_TEST

START_TEST(recorded_waits) {
    weft_context *ctx = test_context(), *sibling = NULL;
    weft_device_buffer *data = test_device_buffer(WEFT_INT32, N);
    OK(weft_context_create_stream(ctx, NULL, &sibling));
    write_is(data, 0, 1);
    OK(weft_graph_begin(ctx));
    OK(weft_enqueue_wait_for(ctx, sibling));
    OK(weft_enqueue_wait_for(ctx, ctx));
    OK(weft_enqueue_function(ctx, function("scale"), N / 8, 8, data, 3));
    weft_graph *graph = recorded(ctx);
    ck_assert_uint_eq(weft_graph_node_count(graph), 3);
    OK(weft_enqueue_function(sibling, function("add"), N / 8, 8, data, 1));
    OK(weft_enqueue_graph(ctx, graph));
    OK(weft_enqueue_wait_for(sibling, ctx));
    OK(weft_enqueue_function(sibling, function("add"), N / 8, 8, data, 1));
    OK(weft_enqueue_graph(ctx, graph));
    check_is(data, 12, 9);
    weft_graph_release(graph);
    weft_context_release(sibling);
}
END_TEST

START_TEST(a_graph_in_a_graph_is_one_node) {
    weft_context *ctx = test_context();
    weft_device_buffer *data = test_device_buffer(WEFT_INT32, N);
    write_is(data, 0, 1);
    OK(weft_graph_begin(ctx));
    OK(weft_enqueue_function(ctx, function("add"), N / 8, 8, data, 1));
    weft_graph *one = recorded(ctx);
    OK(weft_graph_begin(ctx));
    OK(weft_enqueue_function(ctx, function("scale"), N / 8, 8, data, 2));
    weft_graph *two = recorded(ctx);
    OK(weft_graph_begin(ctx));
    OK(weft_enqueue_graph(ctx, one));
    OK(weft_enqueue_graph(ctx, two));
    OK(weft_enqueue_graph(ctx, one));
    weft_graph *whole = recorded(ctx);
    ck_assert_uint_eq(weft_graph_node_count(whole), 3);
    OK((weft_graph_set_arg)(one, 0, 1, weft_arg_from_scalar(WEFT_SCALAR(5)))); /* seen by the graphs that hold it */
    weft_graph_release(one);
    weft_graph_release(two);
    OK(weft_enqueue_graph(ctx, whole));
    OK(weft_enqueue_graph(ctx, whole));
    check_is(data, (0 + 5) * 2 + 5 + 5 + ((0 + 5) * 2 + 5 + 5) + 5, 4);
    weft_graph_release(whole);
}
END_TEST

START_TEST(graphs_nest_deep_and_not_for_ever) {
    weft_context *ctx = test_context();
    weft_graph *graph = NULL, *inner;
    OK(weft_graph_begin(ctx));
    graph = recorded(ctx);
    for (int depth = 1; depth <= 64; depth++) {
        OK(weft_graph_begin(ctx));
        OK(weft_enqueue_graph(ctx, graph));
        inner = graph;
        graph = recorded(ctx);
        weft_graph_release(inner);
    }
    OK(weft_enqueue_graph(ctx, graph));
    OK(weft_graph_begin(ctx));
    FAILS(WEFT_ERROR_OUT_OF_RANGE, weft_enqueue_graph(ctx, graph));
    SAYS("64");
    weft_graph_release(graph);
    weft_graph_release(recorded(ctx));
}
END_TEST

START_TEST(everything_goes_right_after) {
    weft_context *ctx = test_context();
    weft_device_buffer *in = NULL, *out = test_device_buffer(WEFT_INT32, N);
    weft_program *program = NULL;
    weft_function *sum = NULL;
    weft_host_buffer *host = NULL;
    OK(weft_enqueue_create_buffer(ctx, WEFT_INT32, N, &in));
    OK(weft_enqueue_create_host_buffer(ctx, WEFT_INT32, N, &host));
    OK(weft_compile_program(ctx, source, NULL, &program));
    OK(weft_program_function(program, "sum", &sum));
    for (int32_t i = 0; i < N; i++) {
        ((int32_t *)weft_host_buffer_data(host))[i] = i;
    }
    OK(weft_graph_begin(ctx));
    OK(weft_enqueue_copy(ctx, in, host));
    OK(weft_enqueue_function(ctx, sum, N / 8, 8, out, in, in));
    weft_graph *graph = recorded(ctx);
    weft_device_buffer_release(in);
    weft_host_buffer_release(host);
    weft_function_release(sum);
    weft_program_release(program);
    OK(weft_enqueue_graph(ctx, graph));
    check_is(out, 0, 2);
    OK(weft_enqueue_fill(out, 0));
    OK(weft_enqueue_graph(ctx, graph));
    weft_graph_release(graph);
    check_is(out, 0, 2);
}
END_TEST

START_TEST(a_thousand_runs) {
    weft_context *ctx = test_context();
    size_t runs = test_size(1000, 100);
    weft_device_buffer *data = test_device_buffer(WEFT_INT32, N);
    write_is(data, 0, 1);
    OK(weft_graph_begin(ctx));
    for (int i = 0; i < 10; i++) {
        OK(weft_enqueue_function(ctx, function("add"), N / 8, 8, data, i));
    }
    weft_graph *graph = recorded(ctx);
    for (size_t i = 0; i < runs; i++) {
        OK(weft_enqueue_graph(ctx, graph));
    }
    weft_graph_release(graph);
    check_is(data, (int32_t)runs * 45, 1);
}
END_TEST

typedef struct meddler {
    weft_graph *running, *other;
    weft_status statuses[2];
} meddler;

/* While the run that it is part of waits for it. */
static void meddle(void *user) {
    meddler *self = user;
    self->statuses[0] = (weft_graph_set_arg)(self->running, 2, 1, weft_arg_from_scalar(WEFT_SCALAR(10)));
    self->statuses[1] = weft_enqueue_graph(test_context(), self->other);
}

START_TEST(a_host_function_changes_and_runs_graphs) {
    weft_context *ctx = test_context();
    weft_device_buffer *data = test_device_buffer(WEFT_INT32, N), *more = test_device_buffer(WEFT_INT32, N);
    meddler self = {.statuses = {WEFT_ERROR_IO, WEFT_ERROR_IO}};
    int32_t array[N];
    for (int32_t i = 0; i < N; i++) {
        array[i] = i;
    }
    write_is(more, 0, 1);
    OK(weft_graph_begin(ctx));
    OK(weft_enqueue_function(ctx, function("add"), N / 8, 8, more, 100));
    self.other = recorded(ctx);
    OK(weft_graph_begin(ctx));
    OK(weft_enqueue_host_func(ctx, meddle, &self));
    OK(weft_enqueue_copy(ctx, data, array)); /* most drivers block here until the function has returned */
    OK(weft_enqueue_function(ctx, function("add"), N / 8, 8, data, 1));
    self.running = recorded(ctx);
    OK(weft_enqueue_graph(ctx, self.running));
    OK(weft_synchronize(ctx));
    ck_assert_int_eq(self.statuses[0], WEFT_OK);
    ck_assert_int_eq(self.statuses[1], WEFT_OK);
    OK(weft_enqueue_graph(ctx, self.running)); /* by now with the new argument, whatever the driver did */
    OK(weft_synchronize(ctx));
    check_is(data, 10, 1);
    check_is(more, 200, 1);
    weft_graph_release(self.running);
    weft_graph_release(self.other);
}
END_TEST

START_TEST(what_waits_is_refused_while_recording) {
    weft_context *ctx = test_context();
    weft_device_buffer *data = test_device_buffer(WEFT_INT32, N), *made = NULL;
    weft_host_buffer *mapped = NULL, *before = NULL;
    write_is(data, 4, 0);
    OK(weft_device_buffer_map_to_host(data, &before));
    OK(weft_graph_begin(ctx));
    FAILS(WEFT_ERROR_INVALID_ARGUMENT, weft_graph_begin(ctx));
    SAYS("records a graph");
    FAILS(WEFT_ERROR_INVALID_ARGUMENT, weft_synchronize(ctx));
    SAYS("context records a graph");
    FAILS(WEFT_ERROR_INVALID_ARGUMENT, weft_device_buffer_map_to_host(data, &mapped));
    FAILS(WEFT_ERROR_INVALID_ARGUMENT, weft_device_buffer_unmap(data, before));
    FAILS(WEFT_ERROR_INVALID_ARGUMENT, weft_create_buffer_sync(ctx, WEFT_INT32, N, &made));
    FAILS(WEFT_ERROR_INVALID_ARGUMENT, weft_device_buffer_write_to(data, stdout));
    FAILS(WEFT_ERROR_INVALID_ARGUMENT, weft_enqueue_function(ctx, function("add"), 1, 1, data));
    FAILS(WEFT_ERROR_INVALID_ARGUMENT, weft_enqueue_function(ctx, function("add"), 0, 1, data, 1));
    FAILS(WEFT_ERROR_TYPE_MISMATCH, weft_enqueue_function(ctx, function("add"), 1, 1, data, 1.0f));
    FAILS(WEFT_ERROR_INVALID_ARGUMENT, weft_graph_end(ctx, NULL));
    OK(weft_enqueue_create_buffer(ctx, WEFT_INT32, N, &made));
    OK(weft_flush(ctx));
    weft_graph *graph = recorded(ctx);
    ck_assert_uint_eq(weft_graph_node_count(graph), 0);
    FAILS(WEFT_ERROR_INVALID_ARGUMENT, weft_graph_end(ctx, &(weft_graph *){NULL}));
    SAYS("does not record");
    OK(weft_device_buffer_unmap(data, before));
    weft_graph_release(graph);
    weft_device_buffer_release(made);
    check_is(data, 4, 0);
}
END_TEST

START_TEST(a_mapping_may_end_while_recording) {
    weft_context *ctx = test_context();
    weft_device_buffer *data = test_device_buffer(WEFT_INT32, N);
    weft_status status = WEFT_OK;
    write_is(data, 4, 0);
    WEFT_WITH_MAPPED(status, mapped, data) {
        ((int32_t *)weft_host_buffer_data(mapped))[0] = 5;
        OK(weft_graph_begin(ctx));
    }
    ck_assert_int_eq(status, WEFT_ERROR_INVALID_ARGUMENT); /* and the host buffer is gone all the same */
    weft_graph *graph = recorded(ctx);
    ck_assert_uint_eq(weft_graph_node_count(graph), 0);
    weft_graph_release(graph);
    check_is(data, 4, 0);
}
END_TEST

START_TEST(an_abandoned_recording_is_dropped) {
    weft_context *ctx = NULL;
    weft_device_buffer *data = NULL;
    OK(weft_context_create_stream(test_context(), NULL, &ctx));
    OK(weft_enqueue_create_buffer(ctx, WEFT_INT32, N, &data));
    OK(weft_enqueue_fill(data, 1));
    OK(weft_graph_begin(ctx));
    OK(weft_enqueue_function(ctx, function("add"), N / 8, 8, data, 1));
    OK(weft_enqueue_wait_for(ctx, test_context()));
    weft_context_release(ctx);
    check_is(data, 1, 0); /* its context goes on without it */
    weft_device_buffer_release(data);
}
END_TEST

START_TEST(a_sibling_is_not_recorded) {
    weft_context *ctx = test_context(), *sibling = NULL;
    weft_device_buffer *data = test_device_buffer(WEFT_INT32, N);
    int32_t got[N] = {0};
    OK(weft_context_create_stream(ctx, NULL, &sibling));
    OK(weft_enqueue_fill(data, 3));
    OK(weft_graph_begin(ctx));
    OK(weft_enqueue_copy(sibling, got, data)); /* after what ctx has enqueued, and no node of its */
    OK(weft_synchronize(sibling));
    weft_graph *graph = recorded(ctx);
    ck_assert_uint_eq(weft_graph_node_count(graph), 0);
    for (int i = 0; i < N; i++) {
        ck_assert_int_eq(got[i], 3);
    }
    weft_graph_release(graph);
    weft_context_release(sibling);
}
END_TEST

START_TEST(another_device_is_refused_and_copied_to) {
    weft_context *ctx = test_context(), *other = test_other_device();
    if (!other) {
        SKIP("one device only");
    }
    weft_device_buffer *here = test_device_buffer(WEFT_INT32, N), *there = NULL;
    OK(weft_enqueue_create_buffer(other, WEFT_INT32, N, &there));
    OK(weft_graph_begin(ctx));
    OK(weft_enqueue_copy(ctx, there, here));
    weft_graph *graph = recorded(ctx);
    FAILS(WEFT_ERROR_INVALID_ARGUMENT, weft_enqueue_graph(other, graph));
    SAYS("graph was recorded on device");
    write_is(here, 7, 3);
    OK(weft_enqueue_graph(ctx, graph));
    int32_t got[N];
    OK(weft_enqueue_copy(other, got, there));
    OK(weft_synchronize(other));
    for (int32_t i = 0; i < N; i++) {
        ck_assert_int_eq(got[i], 7 + 3 * i);
    }
    weft_graph_release(graph);
    weft_device_buffer_release(there);
}
END_TEST

TESTS(an_empty_graph_does_nothing, nothing_runs_while_it_is_recorded, nodes_run_in_the_order_of_the_calls, copies_of_all_kinds,
      fills_of_all_widths, a_fill_keeps_its_pattern, another_stream_runs_it, recorded_waits, a_graph_in_a_graph_is_one_node,
      graphs_nest_deep_and_not_for_ever, everything_goes_right_after, a_thousand_runs, a_host_function_changes_and_runs_graphs, what_waits_is_refused_while_recording,
      a_mapping_may_end_while_recording, an_abandoned_recording_is_dropped, a_sibling_is_not_recorded, another_device_is_refused_and_copied_to)
