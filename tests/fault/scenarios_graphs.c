/* Graphs: recorded, run, changed, and let go. */
#include "scene.h"

typedef struct things {
    weft_context *context;
    weft_device_buffer *a, *b, *view;
    weft_host_buffer *host;
    weft_function *halve;
    weft_graph *inner;
} things;

typedef weft_status (*body)(scene *s, things *t);

static weft_status make_buffer(scene *s, weft_context *context, weft_device_buffer **out) {
    MAKE(*out, weft_enqueue_create_buffer(context, WEFT_INT32, N, out));
    STEP(weft_enqueue_copy(context, *out, s->in));
    return WEFT_OK;
}

static weft_status make_things(scene *s, things *t) {
    MAKE(t->context, weft_context_create_stream(kept_things.context, NULL, &t->context));
    STEP(make_buffer(s, t->context, &t->a));
    STEP(make_buffer(s, t->context, &t->b));
    return WEFT_OK;
}

static weft_status take_out(scene *s, weft_device_buffer *buffer) {
    STEP(weft_device_buffer_enqueue_copy_to(buffer, s->out));
    STEP(scene_synchronize(s));
    return WEFT_OK;
}

/* The recording ends in any case, so that the context can be waited for. */
static weft_status record(scene *s, things *t, body body, weft_graph **out) {
    STEP(weft_graph_begin(t->context));
    weft_status status = body(s, t);
    MAKE(*out, weft_graph_end(t->context, out));
    return status;
}

static weft_status launches(scene *s, things *t) {
    const struct {
        int32_t by;
        char more;
    } amount = {1, 0};
    STEP(weft_enqueue_function(t->context, kept_things.square, N / 16, 16, t->a));
    STEP(weft_enqueue_function(t->context, kept_things.scale, 1, 16, t->b, 2, 1.0f, WEFT_VALUE(amount), weft_shared_bytes(64)));
    STEP(weft_enqueue_function(t->context, kept_things.add, N / 16, 16, t->a, t->b, t->b));
    return WEFT_OK;
}

static weft_status graph_launches(scene *s) {
    things t = {0};
    weft_graph *graph;
    weft_device_buffer *other;
    STEP(make_things(s, &t));
    STEP(make_buffer(s, t.context, &other));
    STEP(record(s, &t, launches, &graph));
    STEP(weft_enqueue_graph(t.context, graph));
    STEP(weft_graph_set_arg(graph, 1, 1, 3));
    STEP(weft_graph_set_arg(graph, 1, 4, weft_shared_bytes(128)));
    STEP(weft_graph_set_arg(graph, 2, 2, other));
    REFUSED(WEFT_ERROR_TYPE_MISMATCH, weft_graph_set_arg(graph, 2, 2, 1));
    STEP(weft_enqueue_wait_for(kept_things.sibling, t.context));
    STEP(weft_enqueue_graph(kept_things.sibling, graph));
    STEP(weft_enqueue_wait_for(t.context, kept_things.sibling));
    STEP(take_out(s, t.b));
    HOLDS(s->out[2] == ((s->in[2] * 2 + 1) + 4) * 3 + 1 && s->out[20] == s->in[20] + 400);
    STEP(take_out(s, other));
    HOLDS(s->out[2] == ((s->in[2] * 2 + 1) + 4) * 3 + 1 + 4 && s->out[20] == s->in[20] + 800);
    return WEFT_OK;
}

static weft_status copies(scene *s, things *t) {
    STEP(weft_enqueue_fill(t->a, 5));
    STEP(weft_enqueue_copy_range(t->context, t->a, 0, s->in, 0, N / 2));
    STEP(weft_enqueue_copy_range(t->context, t->a, 1, t->a, 0, 4));
    STEP(weft_enqueue_copy(t->context, t->host, t->a));
    STEP(weft_enqueue_copy(t->context, t->b, t->host));
    STEP(weft_enqueue_fill(t->host, 6));
    STEP(weft_enqueue_wait_for(t->context, kept_things.sibling));
    STEP(weft_enqueue_copy(t->context, t->view, t->b));
    STEP(weft_enqueue_copy(t->context, s->out, t->view));
    return WEFT_OK;
}

/* With host memory, another stream's buffer, or another device's. */
static weft_status run_copies(scene *s, weft_context *there) {
    things t = {0};
    weft_graph *graph;
    STEP(make_things(s, &t));
    STEP(make_buffer(s, there, &t.view));
    MAKE(t.host, weft_enqueue_create_host_buffer(t.context, WEFT_INT32, N, &t.host));
    STEP(record(s, &t, copies, &graph));
    for (int i = 0; i < 2; i++) {
        memset(s->out, 0, sizeof s->out);
        STEP(weft_enqueue_graph(t.context, graph));
        STEP(scene_synchronize(s));
        HOLDS(s->out[0] == s->in[0] && s->out[1] == s->in[0] && s->out[4] == s->in[3] && s->out[5] == s->in[5] && s->out[N - 1] == 5);
        HOLDS(((int32_t *)weft_host_buffer_data(t.host))[N - 1] == 6);
    }
    return WEFT_OK;
}

static weft_status graph_copies(scene *s) { return run_copies(s, kept_things.sibling); }
static weft_status graph_copies_across(scene *s) { return run_copies(s, kept_things.other); }

static weft_status patterns(scene *s, things *t) {
    STEP(weft_enqueue_fill_bytes(t->a, 1, "abc", 3, 5));
    STEP(weft_enqueue_fill_bytes(t->host, 1, "abc", 3, 5));
    return WEFT_OK;
}

static weft_status graph_patterns(scene *s) {
    things t = {0};
    weft_graph *graph;
    STEP(make_things(s, &t));
    MAKE(t.host, weft_enqueue_create_host_buffer(t.context, WEFT_INT32, N, &t.host));
    STEP(record(s, &t, patterns, &graph));
    STEP(weft_enqueue_graph(t.context, graph));
    STEP(take_out(s, t.a));
    HOLDS(memcmp((char *)s->out + 1, "abcabcabcabcabc", 15) == 0 && s->out[4] == s->in[4]);
    HOLDS(memcmp((char *)weft_host_buffer_data(t.host) + 1, "abcabcabcabcabc", 15) == 0);
    return WEFT_OK;
}

static weft_status views(scene *s, things *t) {
    STEP(weft_enqueue_function(t->context, kept_things.square, 2, 16, t->view));
    STEP(weft_enqueue_function(t->context, kept_things.reverse, 2, 16, t->view, t->b));
    return WEFT_OK;
}

/* By address, and with a stand-in. */
static weft_status graph_views(scene *s) {
    things t = {0};
    weft_graph *graph;
    weft_device_buffer *even;
    STEP(make_things(s, &t));
    MAKE(t.view, weft_device_buffer_create_sub_buffer(t.a, WEFT_INT32, 1, N / 2, &t.view));
    MAKE(even, weft_device_buffer_create_sub_buffer(t.b, WEFT_INT32, 3, N / 4, &even));
    STEP(record(s, &t, views, &graph));
    layer_hold_next();
    STEP(weft_enqueue_graph(t.context, graph));
    STEP(weft_graph_set_arg(graph, 1, 1, even));
    STEP(weft_enqueue_wait_for(kept_things.sibling, t.context));
    STEP(weft_enqueue_graph(kept_things.sibling, graph));
    STEP(weft_graph_set_arg(graph, 0, 0, even));
    STEP(weft_enqueue_wait_for(t.context, kept_things.sibling));
    STEP(take_out(s, t.a));
    HOLDS(s->out[0] == s->in[0] && s->out[1] == 9 - 1 && s->out[128] == s->in[128] + s->in[31] + s->in[34] && s->out[129] == s->in[129]);
    return WEFT_OK;
}

static const char assert_source[] =
    "#include <weft.clh>\n"
    "kernel void halve(TENSOR2(int, a), int most, WEFT_ASSERTS) {\n"
    "    weft_assert(TENSOR_AT(a, 0, global_idx.x) <= most);\n"
    "    TENSOR_AT(a, 0, global_idx.x) /= 2;\n"
    "}\n";

static weft_status halving(scene *s, things *t) {
    weft_tensor tensor;
    STEP(weft_tensor_row_major(t->view, WEFT_SHAPE(2, 16), &tensor));
    STEP(weft_enqueue_function(t->context, t->halve, 1, 16, tensor, 1000));
    return WEFT_OK;
}

static weft_status nesting(scene *s, things *t) {
    STEP(weft_enqueue_graph(t->context, t->inner));
    STEP(weft_enqueue_graph(t->context, t->inner));
    return WEFT_OK;
}

static weft_status graph_nested(scene *s) {
    things t = {0};
    weft_graph *graph;
    STEP(make_things(s, &t));
    MAKE(t.view, weft_device_buffer_create_sub_buffer(t.a, WEFT_INT32, 1, N / 2, &t.view));
    MAKE(t.halve, weft_compile_function(t.context, assert_source, "halve", NULL, &t.halve));
    STEP(record(s, &t, halving, &t.inner));
    STEP(record(s, &t, nesting, &graph));
    STEP(weft_enqueue_graph(t.context, graph));
    STEP(take_out(s, t.a));
    HOLDS(s->out[0] == s->in[0] && s->out[1] == s->in[1] / 4 && s->out[16] == s->in[16] / 4 && s->out[17] == s->in[17]);
    return WEFT_OK;
}

/* The graph goes first, with its runs yet to begin. */
static weft_status graph_and_release(scene *s) {
    things t = {0};
    weft_graph *graph;
    STEP(make_things(s, &t));
    MAKE(t.view, weft_device_buffer_create_sub_buffer(t.a, WEFT_INT32, 1, N / 2, &t.view));
    STEP(record(s, &t, views, &graph));
    layer_hold_next();
    STEP(weft_enqueue_graph(t.context, graph));
    return WEFT_OK;
}

/* A context that goes while it records. */
static weft_status graph_abandoned(scene *s) {
    things t = {0};
    STEP(make_things(s, &t));
    STEP(weft_synchronize(t.context));
    STEP(weft_graph_begin(t.context));
    weft_status status = launches(s, &t);
    scene_release_all(s);
    return status;
}

const scenario graph_scenarios[] = {
    {"graph_launches", graph_launches, KEEPS, NULL},
    {"graph_launches_gpu", graph_launches, KEEPS, GPU},
    {"graph_copies", graph_copies, KEEPS, NULL},
    {"graph_copies_gpu", graph_copies, KEEPS, GPU},
    {"graph_copies_across", graph_copies_across, KEEPS, NULL},
    {"graph_patterns", graph_patterns, KEEPS, NULL},
    {"graph_views", graph_views, KEEPS, NULL},
    {"graph_views_gpu", graph_views, KEEPS, GPU},
    {"graph_nested", graph_nested, KEEPS, NULL},
    {"graph_and_release", graph_and_release, KEEPS, NULL},
    {"graph_abandoned", graph_abandoned, KEEPS, NULL},
    {NULL, NULL, 0, NULL},
};
