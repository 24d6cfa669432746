/* Bad input to graphs. */
#include "surface.h"

static const char source[] =
    "kernel void first(global int *data, char number, local int *shared) {\n"
    "    shared[get_local_id(0)] = number;\n"
    "    if (data) data[0] = shared[0];\n"
    "}\n";

static weft_graph *graph; /* a launch of first on device, and a copy of device onto itself */
static weft_graph *out;

static void bad_graph_begin(void) {
    weft_graph *ended = NULL;
    REFUSES(INVALID_ARGUMENT, "context", weft_graph_begin(NULL));
    OK(weft_graph_begin(ctx));
    REFUSES(INVALID_ARGUMENT, "context records a graph already", weft_graph_begin(ctx));
    OK(weft_graph_end(ctx, &ended));
    weft_graph_release(ended);
}

static void bad_graph_end(void) {
    CLEARS(out, INVALID_ARGUMENT, "context", weft_graph_end(NULL, &out));
    CLEARS(out, INVALID_ARGUMENT, "context does not record", weft_graph_end(ctx, &out));
    OK(weft_graph_begin(ctx));
    REFUSES(INVALID_ARGUMENT, "out", weft_graph_end(ctx, NULL));
    OK(weft_graph_end(ctx, &out)); /* it went on */
    weft_graph_release(out);
    CLEARS(out, INVALID_ARGUMENT, "context does not record", weft_graph_end(ctx, &out));
}

static void bad_graph_retain(void) {
    ck_assert_ptr_null(weft_graph_retain(NULL));
}

static void bad_graph_release(void) {
    weft_graph_release(NULL);
}

static void bad_graph_node_count(void) {
    ck_assert_uint_eq(weft_graph_node_count(NULL), 0);
    ck_assert_uint_eq(weft_graph_node_count(graph), 2);
}

static void bad_enqueue_graph(void) {
    weft_context *other = test_other_device();
    REFUSES(INVALID_ARGUMENT, "context", weft_enqueue_graph(NULL, graph));
    REFUSES(INVALID_ARGUMENT, "graph", weft_enqueue_graph(ctx, NULL));
    if (other) {
        REFUSES(INVALID_ARGUMENT, "graph was recorded on device", weft_enqueue_graph(other, graph));
    }
}

static void bad_graph_set_arg(void) {
    static const size_t beyond[] = {2, 3, SIZE_MAX};
    const weft_tensor nothing = {0};
    const weft_arg no_value = {WEFT_ARG_VALUE, 1, 4, {0}}, no_kind = {(weft_arg_kind)99, 0, 4, {0}};
    weft_context *other = test_other_device();
    REFUSES(INVALID_ARGUMENT, "graph", weft_graph_set_arg(NULL, 0, 0, 1));
    for (size_t i = 0; i < 3; i++) {
        REFUSES(OUT_OF_RANGE, "node ", weft_graph_set_arg(graph, beyond[i], 0, 1));
        SAYS("is not below 2, the number of the graph's nodes");
        REFUSES(OUT_OF_RANGE, "index ", weft_graph_set_arg(graph, 0, beyond[i] + (i < 2), 1));
        SAYS("is not below 3, the number of kernel first's parameters");
    }
    REFUSES(INVALID_ARGUMENT, "node 1 is no launch: its kind is copy", weft_graph_set_arg(graph, 1, 0, 1));
    REFUSES(INVALID_ARGUMENT, "argument 0 (data", weft_graph_set_arg(graph, 0, 0, (weft_device_buffer *)NULL));
    REFUSES(TYPE_MISMATCH, "argument 0 (data", weft_graph_set_arg(graph, 0, 0, 1));
    REFUSES(TYPE_MISMATCH, "argument 0 (data", weft_graph_set_arg(graph, 0, 0, nothing));
    REFUSES(TYPE_MISMATCH, "argument 0 (data", weft_graph_set_arg(graph, 0, 0, no_kind));
    REFUSES(TYPE_MISMATCH, "argument 0 (data", weft_graph_set_arg(graph, 0, 0, no_value));
    REFUSES(OUT_OF_RANGE, "argument 1 (number, char): 128", weft_graph_set_arg(graph, 0, 1, 128));
    REFUSES(OUT_OF_RANGE, "argument 1 (number, char): -129", weft_graph_set_arg(graph, 0, 1, -129));
    REFUSES(TYPE_MISMATCH, "argument 1 (number", weft_graph_set_arg(graph, 0, 1, 1.0));
    REFUSES(TYPE_MISMATCH, "argument 1 (number", weft_graph_set_arg(graph, 0, 1, device));
    REFUSES(TYPE_MISMATCH, "argument 1 (number", weft_graph_set_arg(graph, 0, 1, WEFT_NULL));
    REFUSES(TYPE_MISMATCH, "argument 2 (shared", weft_graph_set_arg(graph, 0, 2, 1));
    REFUSES(LAUNCH_LIMIT, "argument 2 (shared", weft_graph_set_arg(graph, 0, 2, weft_shared_bytes(SIZE_MAX)));
    if (other) {
        weft_device_buffer *there = NULL;
        OK(weft_enqueue_create_buffer(other, WEFT_INT32, LENGTH, &there));
        REFUSES(INVALID_ARGUMENT, "argument 0 (data", weft_graph_set_arg(graph, 0, 0, there));
        weft_device_buffer_release(there);
    }
    OK(weft_enqueue_graph(ctx, graph)); /* with what it was recorded with */
}

START_TEST(bad_graph_input_is_refused) {
    static const surface_row rows[] = {SURFACE_GRAPHS(SURFACE_ROW)};
    weft_context *context = test_context();
    weft_function *first = test_function(source, "first");
    weft_device_buffer *data = test_device_buffer(WEFT_INT32, LENGTH);
    OK(weft_graph_begin(context));
    OK(weft_enqueue_function(context, first, 1, 1, data, VALUE, weft_shared_bytes(4)));
    OK(weft_enqueue_copy_range(context, data, 0, data, 1, 2));
    OK(weft_graph_end(context, &graph));
    run_rows(rows, sizeof rows / sizeof *rows);
    weft_graph_release(graph);
}
END_TEST

TESTS(bad_graph_input_is_refused)
