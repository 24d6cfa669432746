/* Launches in graphs: every kind of argument, changed between runs, and the ways that views take. */
#include "support.h"

enum { N = 64 };

static const char source[] =
    "#include <weft.clh>\n"
    "typedef struct pair { int a; int b; } pair;\n"
    "kernel void put(global int *out, int x, float y, pair p, global const int *in) {\n"
    "    int i = get_global_id(0);\n"
    "    out[i] = x + (int)y + p.a * p.b + (in ? in[i] : 0);\n"
    "}\n"
    "kernel void small(global char *out, char x) { out[get_global_id(0)] = x; }\n"
    "kernel void turn(global int4 *data) { data[get_global_id(0)] = data[get_global_id(0)].s3210; }\n"
    "kernel void pairs(global int4 *out, global const int4 *in) { out[get_global_id(0)] = in[get_global_id(0)]; }\n"
    "kernel void shared(global int *out, local int *block) {\n"
    "    int l = get_local_id(0), n = get_local_size(0);\n"
    "    block[l] = get_global_id(0);\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    out[get_global_id(0)] = block[n - 1 - l];\n"
    "}\n"
    "kernel void halve(TENSOR2(int, a), int most, WEFT_ASSERTS) {\n"
    "    weft_assert(TENSOR_AT(a, 0, global_idx.x) <= most);\n"
    "    TENSOR_AT(a, 0, global_idx.x) /= 2;\n"
    "}\n";

typedef struct pair {
    int32_t a, b;
} pair;

static weft_function *function(const char *name) {
    return test_function(source, name);
}

static weft_graph *recorded(void) {
    weft_graph *graph = NULL;
    OK(weft_graph_end(test_context(), &graph));
    return graph;
}

static void check_is(weft_device_buffer *buffer, int32_t first, int32_t step) {
    int32_t got[4 * N];
    test_read(buffer, got);
    for (size_t i = 0; i < weft_device_buffer_length(buffer); i++) {
        ck_assert_msg(got[i] == first + (int32_t)i * step, "element %zu is %d instead of %d", i, got[i], first + (int32_t)i * step);
    }
}

static weft_device_buffer *counting(int32_t first, size_t length) {
    weft_device_buffer *buffer = test_device_buffer(WEFT_INT32, length);
    int32_t data[4 * N];
    for (size_t i = 0; i < length; i++) {
        data[i] = first + (int32_t)i;
    }
    test_write(buffer, data);
    return buffer;
}

START_TEST(arguments_change_between_runs) {
    weft_context *ctx = test_context();
    weft_device_buffer *out = test_device_buffer(WEFT_INT32, N), *in = counting(0, N), *other = counting(100, N);
    pair p = {2, 3};
    OK(weft_graph_begin(ctx));
    OK(weft_enqueue_function(ctx, function("put"), N / 8, 8, out, 1, 2.0f, WEFT_VALUE(p), in));
    weft_graph *graph = recorded();
    p.a = 0; /* captured */
    OK(weft_enqueue_graph(ctx, graph));
    check_is(out, 1 + 2 + 6, 1);
    OK(weft_graph_set_arg(graph, 0, 1, 1000));
    OK(weft_enqueue_graph(ctx, graph));
    check_is(out, 1000 + 2 + 6, 1);
    OK(weft_graph_set_arg(graph, 0, 2, 50.0f));
    OK(weft_enqueue_graph(ctx, graph));
    check_is(out, 1000 + 50 + 6, 1);
    const pair q = {7, 9};
    OK(weft_graph_set_arg(graph, 0, 3, WEFT_VALUE(q)));
    OK(weft_enqueue_graph(ctx, graph));
    check_is(out, 1000 + 50 + 63, 1);
    OK(weft_graph_set_arg(graph, 0, 4, other));
    OK(weft_enqueue_graph(ctx, graph));
    check_is(out, 1000 + 50 + 63 + 100, 1);
    OK(weft_graph_set_arg(graph, 0, 4, WEFT_NULL));
    OK(weft_enqueue_graph(ctx, graph));
    check_is(out, 1000 + 50 + 63, 0);
    OK(weft_graph_set_arg(graph, 0, 4, test_view(other, WEFT_INT32, 0, N)));
    OK(weft_graph_set_arg(graph, 0, 0, in));
    OK(weft_enqueue_graph(ctx, graph));
    check_is(in, 1000 + 50 + 63 + 100, 1);
    check_is(out, 1000 + 50 + 63, 0);
    weft_graph_release(graph);
}
END_TEST

START_TEST(runs_keep_the_arguments_they_began_with) {
    weft_context *ctx = test_context();
    weft_device_buffer *outs[8], *in = counting(0, N);
    const pair p = {0, 0};
    for (int i = 0; i < 8; i++) {
        outs[i] = test_device_buffer(WEFT_INT32, N);
    }
    OK(weft_graph_begin(ctx));
    OK(weft_enqueue_function(ctx, function("put"), N / 8, 8, outs[0], 0, 0.0f, WEFT_VALUE(p), in));
    weft_graph *graph = recorded();
    for (int i = 0; i < 8; i++) {
        OK(weft_graph_set_arg(graph, 0, 0, outs[i]));
        OK(weft_graph_set_arg(graph, 0, 1, 10 * i));
        OK(weft_enqueue_graph(ctx, graph));
    }
    weft_graph_release(graph);
    for (int i = 0; i < 8; i++) {
        check_is(outs[i], 10 * i, 1);
    }
}
END_TEST

START_TEST(a_refused_argument_changes_nothing) {
    weft_context *ctx = test_context();
    weft_device_buffer *out = test_device_buffer(WEFT_INT8, N), *wide = counting(0, N);
    int8_t got[N];
    OK(weft_graph_begin(ctx));
    OK(weft_enqueue_function(ctx, function("small"), N / 8, 8, out, 7));
    weft_graph *graph = recorded();
    FAILS(WEFT_ERROR_OUT_OF_RANGE, weft_graph_set_arg(graph, 0, 1, 200));
    SAYS("kernel small, argument 1 (x, char): 200");
    FAILS(WEFT_ERROR_TYPE_MISMATCH, weft_graph_set_arg(graph, 0, 1, 1.5f));
    FAILS(WEFT_ERROR_TYPE_MISMATCH, weft_graph_set_arg(graph, 0, 1, out));
    FAILS(WEFT_ERROR_TYPE_MISMATCH, weft_graph_set_arg(graph, 0, 0, 7));
    FAILS(WEFT_ERROR_OUT_OF_RANGE, weft_graph_set_arg(graph, 0, 2, 7));
    SAYS("index 2 is not below 2");
    FAILS(WEFT_ERROR_OUT_OF_RANGE, weft_graph_set_arg(graph, 1, 0, 7));
    SAYS("node 1 is not below 1");
    OK(weft_enqueue_graph(ctx, graph));
    test_read(out, got);
    for (int i = 0; i < N; i++) {
        ck_assert_int_eq(got[i], 7);
    }
    OK(weft_graph_set_arg(graph, 0, 0, wide)); /* bytes of anything */
    OK(weft_enqueue_graph(ctx, graph));
    weft_graph_release(graph);
}
END_TEST

/* int4 at any element: a sub-buffer, an address, or a stand-in. */
START_TEST(views_at_any_element) {
    weft_context *ctx = test_context();
    static const size_t offsets[] = {0, 1, 2, 3, 4, 8, 31, 32, 33};
    for (size_t o = 0; o < sizeof offsets / sizeof *offsets; o++) {
        size_t at = offsets[o];
        weft_device_buffer *data = counting(0, 2 * N);
        int32_t got[2 * N];
        OK(weft_graph_begin(ctx));
        OK(weft_enqueue_function(ctx, function("turn"), 2, 4, test_view(data, WEFT_INT32, at, 32)));
        weft_graph *graph = recorded();
        for (int round = 1; round < 4; round++) {
            OK(weft_enqueue_graph(ctx, graph));
            test_read(data, got);
            for (size_t i = 0; i < 2 * N; i++) {
                size_t in = i - at, from = i >= at && in < 32 && round % 2 ? at + in / 4 * 4 + 3 - in % 4 : i;
                ck_assert_msg(got[i] == (int32_t)from, "offset %zu, round %d: element %zu is %d", at, round, i, got[i]);
            }
        }
        weft_graph_release(graph);
    }
}
END_TEST

START_TEST(views_take_each_others_place) {
    weft_context *ctx = test_context();
    weft_device_buffer *out = counting(-1000, 32), *in = counting(0, 2 * N);
    OK(weft_graph_begin(ctx));
    OK(weft_enqueue_function(ctx, function("pairs"), 2, 4, out, in));
    weft_graph *graph = recorded();
    static const size_t offsets[] = {1, 4, 0, 32, 3, 2, 5, 0};
    for (size_t o = 0; o < sizeof offsets / sizeof *offsets; o++) {
        weft_device_buffer *view = NULL;
        OK(weft_device_buffer_create_sub_buffer(in, WEFT_INT32, offsets[o], 32, &view));
        OK(weft_graph_set_arg(graph, 0, 1, view));
        weft_device_buffer_release(view);
        OK(weft_enqueue_graph(ctx, graph));
        check_is(out, (int32_t)offsets[o], 1);
    }
    weft_graph_release(graph);
}
END_TEST

/* Memory that was set by address and is replaced, or let go with the graph, while runs use it. */
START_TEST(replaced_memory_outlives_the_runs) {
    weft_context *ctx = test_context(), *sibling = NULL;
    weft_device_buffer *outs[16];
    OK(weft_context_create_stream(ctx, NULL, &sibling));
    for (int i = 0; i < 16; i++) {
        outs[i] = test_device_buffer(WEFT_INT32, 32);
    }
    OK(weft_synchronize(ctx));
    weft_device_buffer *first = counting(0, N);
    OK(weft_graph_begin(ctx));
    OK(weft_enqueue_function(ctx, function("pairs"), 2, 4, outs[0], first));
    weft_graph *graph = recorded();
    for (int i = 0; i < 16; i++) {
        weft_device_buffer *big = NULL, *view = NULL;
        OK(weft_enqueue_create_buffer(ctx, WEFT_INT32, 1 << 14, &big));
        OK(weft_enqueue_fill(big, i));
        OK(weft_device_buffer_create_sub_buffer(big, WEFT_INT32, 4, 32, &view));
        weft_device_buffer_release(big);
        OK(weft_synchronize(ctx));
        OK(weft_graph_set_arg(graph, 0, 0, outs[i]));
        OK(weft_graph_set_arg(graph, 0, 1, view));
        weft_device_buffer_release(view);
        OK(weft_enqueue_graph(i % 2 ? ctx : sibling, graph));
    }
    weft_graph_release(graph);
    OK(weft_synchronize(sibling));
    for (int i = 0; i < 16; i++) {
        check_is(outs[i], i, 0);
    }
    weft_context_release(sibling);
}
END_TEST

START_TEST(overlaps_with_a_stand_in_are_looked_at_again) {
    weft_context *ctx = test_context();
    weft_device_buffer *data = counting(0, 2 * N), *out = test_device_buffer(WEFT_INT32, N);
    OK(weft_graph_begin(ctx));
    OK(weft_enqueue_function(ctx, function("pairs"), 2, 4, out, test_view(data, WEFT_INT32, 1, 32)));
    weft_graph *graph = recorded();
    weft_device_buffer *overlapping = test_view(data, WEFT_INT32, 9, 32);
    weft_status status = weft_graph_set_arg(graph, 0, 0, overlapping);
    weft_status alone = weft_enqueue_function(ctx, function("pairs"), 2, 4, overlapping, test_view(data, WEFT_INT32, 1, 32));
    ck_assert_int_eq(status, alone);
    if (on_driver("pocl") || on_driver("rusticl")) {
        ck_assert_int_eq(status, WEFT_ERROR_UNSUPPORTED);
    }
    weft_graph_release(graph);
}
END_TEST

START_TEST(local_memory) {
    weft_context *ctx = test_context();
    weft_device_buffer *out = test_device_buffer(WEFT_INT32, N);
    int32_t got[N];
    OK(weft_graph_begin(ctx));
    OK(weft_enqueue_function(ctx, function("shared"), N / 8, 8, out, weft_shared_bytes(8 * sizeof(int32_t))));
    weft_graph *graph = recorded();
    FAILS(WEFT_ERROR_LAUNCH_LIMIT, weft_graph_set_arg(graph, 0, 1, weft_shared_bytes((size_t)1 << 30)));
    OK(weft_graph_set_arg(graph, 0, 1, weft_shared_bytes(64 * sizeof(int32_t))));
    for (int round = 0; round < 2; round++) {
        OK(weft_enqueue_fill(out, -1));
        OK(weft_enqueue_graph(ctx, graph));
        test_read(out, got);
        for (int32_t i = 0; i < N; i++) {
            ck_assert_int_eq(got[i], i / 8 * 8 + 7 - i % 8);
        }
    }
    weft_graph_release(graph);
}
END_TEST

START_TEST(tensors_and_assertions) {
    weft_context *ctx = test_context();
    weft_device_buffer *data = test_device_buffer(WEFT_INT32, 2 * N), *second = test_device_buffer(WEFT_INT32, 2 * N);
    weft_tensor a;
    OK(weft_enqueue_fill(data, 1600));
    OK(weft_enqueue_fill(second, 80));
    OK(weft_tensor_row_major(test_view(data, WEFT_INT32, 1, 32), WEFT_SHAPE(2, 16), &a));
    OK(weft_graph_begin(ctx));
    OK(weft_enqueue_function(ctx, function("halve"), 1, 16, a, 1000));
    weft_graph *graph = recorded();
    OK(weft_tensor_row_major(second, WEFT_SHAPE(2, 16), &a)); /* the graph has its own copy */
    OK(weft_enqueue_graph(ctx, graph));
    FAILS(WEFT_ERROR_EXECUTION_FAILED, weft_synchronize(ctx));
    SAYS("kernel halve: assertion");
    OK(weft_graph_set_arg(graph, 0, 1, 1600));
    OK(weft_enqueue_fill(data, 1600));
    OK(weft_enqueue_graph(ctx, graph));
    OK(weft_enqueue_graph(ctx, graph));
    int32_t got[2 * N];
    test_read(data, got);
    for (int i = 0; i < 2 * N; i++) {
        ck_assert_int_eq(got[i], i >= 1 && i < 17 ? 400 : 1600);
    }
    OK(weft_graph_set_arg(graph, 0, 0, a));
    OK(weft_enqueue_graph(ctx, graph));
    test_read(second, got);
    for (int i = 0; i < 2 * N; i++) {
        ck_assert_int_eq(got[i], i < 16 ? 40 : 80);
    }
    OK(weft_graph_set_arg(graph, 0, 1, 1)); /* on another context, whose record is its own */
    weft_context *sibling = NULL;
    OK(weft_context_create_stream(ctx, NULL, &sibling));
    OK(weft_enqueue_graph(sibling, graph));
    OK(weft_synchronize(ctx));
    FAILS(WEFT_ERROR_EXECUTION_FAILED, weft_synchronize(sibling));
    weft_graph_release(graph);
    weft_context_release(sibling);
}
END_TEST

START_TEST(the_node_that_fails_is_named) {
    weft_context *ctx = NULL;
    weft_device_buffer *data = NULL;
    weft_graph *graph = NULL, *outer = NULL;
    weft_tensor a;
    setenv("WEFT_SYNC", "1", 1); /* each launch is waited for */
    OK(weft_context_create_stream(test_context(), NULL, &ctx));
    unsetenv("WEFT_SYNC");
    OK(weft_enqueue_create_buffer(ctx, WEFT_INT32, 16, &data));
    OK(weft_tensor_row_major(data, WEFT_SHAPE(1, 16), &a));
    OK(weft_graph_begin(ctx));
    OK(weft_enqueue_fill(data, 7));
    OK(weft_enqueue_function(ctx, function("halve"), 1, 16, a, 7));
    OK(weft_enqueue_function(ctx, function("halve"), 1, 16, a, 2));
    OK(weft_enqueue_fill(data, 1));
    OK(weft_graph_end(ctx, &graph));
    FAILS(WEFT_ERROR_EXECUTION_FAILED, weft_enqueue_graph(ctx, graph));
    SAYS("weft_enqueue_graph: graph node 2 (kernel halve): kernel halve: assertion");
    int32_t got[16];
    test_read(data, got);
    ck_assert_int_eq(got[0], 1); /* 7 / 2 / 2: what comes after was not enqueued */
    ck_assert_int_eq(got[15], 1);
    OK(weft_enqueue_fill(data, 20));
    OK(weft_graph_begin(ctx));
    OK(weft_enqueue_fill(data, 20));
    OK(weft_enqueue_graph(ctx, graph));
    OK(weft_graph_end(ctx, &outer));
    FAILS(WEFT_ERROR_EXECUTION_FAILED, weft_enqueue_graph(ctx, outer));
    SAYS("weft_enqueue_graph: graph node 1 (graph): graph node 2 (kernel halve): kernel halve: assertion");
    OK(weft_graph_set_arg(graph, 2, 1, 3));
    OK(weft_enqueue_graph(ctx, outer));
    weft_graph_release(outer);
    weft_graph_release(graph);
    weft_device_buffer_release(data);
    weft_context_release(ctx);
}
END_TEST

START_TEST(nodes_that_are_no_launch_have_no_arguments) {
    weft_context *ctx = test_context();
    weft_device_buffer *data = counting(0, N);
    OK(weft_graph_begin(ctx));
    OK(weft_enqueue_fill(data, 1));
    OK(weft_enqueue_copy_range(ctx, data, 0, data, 8, 8));
    weft_graph *graph = recorded();
    FAILS(WEFT_ERROR_INVALID_ARGUMENT, weft_graph_set_arg(graph, 0, 0, 1));
    SAYS("node 0 is no launch: its kind is fill");
    FAILS(WEFT_ERROR_INVALID_ARGUMENT, weft_graph_set_arg(graph, 1, 0, 1));
    SAYS("node 1 is no launch: its kind is copy");
    weft_graph_release(graph);
}
END_TEST

TESTS(arguments_change_between_runs, runs_keep_the_arguments_they_began_with, a_refused_argument_changes_nothing,
      views_at_any_element, views_take_each_others_place, replaced_memory_outlives_the_runs,
      overlaps_with_a_stand_in_are_looked_at_again, local_memory, tensors_and_assertions,
      the_node_that_fails_is_named, nodes_that_are_no_launch_have_no_arguments)
