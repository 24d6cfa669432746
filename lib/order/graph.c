/* Graphs: what a context recorded, run again. */
#include "base/api.h"
#include "context/host_func.h"
#include "context/recording.h"

/* Graphs in graphs in graphs: a run calls itself for each. */
enum { MOST_DEPTH = 64 };

WEFT_API weft_status weft_graph_begin(weft_context *context) {
    API_ENTER();
    if (!context) {
        return error_null("context");
    }
    weft_status status = context_check(context);
    return status ? status : recording_begin(context);
}

WEFT_API weft_status weft_graph_end(weft_context *context, weft_graph **out) {
    if (out) {
        *out = NULL;
    }
    API_ENTER();
    if (!context || !out) {
        return error_null(context ? "out" : "context");
    }
    return recording_end(context, out);
}

WEFT_API weft_graph *weft_graph_retain(weft_graph *graph) {
    if (graph) {
        refcount_retain(&graph->refs);
    }
    return graph;
}

WEFT_API void weft_graph_release(weft_graph *graph) {
    if (!API_IS_DOWN()) {
        recording_release(graph);
    }
}

WEFT_API size_t weft_graph_node_count(weft_graph *graph) {
    return graph ? graph->n_nodes : 0;
}

static weft_status run_inner(void *payload, weft_context *context) {
    return recording_run(payload, context);
}

static void release_inner(void *payload) {
    recording_release(payload);
}

static unsigned depth_of_inner(const void *payload) {
    return ((const weft_graph *)payload)->depth + 1;
}

static weft_status record(weft_context *context, weft_graph *graph) {
    static const node_ops ops = {.kind = "graph", .run = run_inner, .destroy = release_inner, .depth = depth_of_inner};
    if (graph->depth >= MOST_DEPTH) {
        return error_set(WEFT_ERROR_OUT_OF_RANGE, "graph holds graphs within graphs %u deep; %d is the most", graph->depth,
                         MOST_DEPTH);
    }
    return context_record(context, &ops, weft_graph_retain(graph));
}

static weft_status run(weft_context *context, weft_graph *graph) {
    weft_graph_retain(graph); /* a host function that is called during the run may let go of it */
    bool alone = !host_func_is_running(); /* such a function may be what the run that has the lock waits for */
    if (alone) {
        pthread_mutex_lock(&context->runs);
    }
    weft_status status = recording_run(graph, context);
    if (alone) {
        pthread_mutex_unlock(&context->runs);
    }
    recording_release(graph);
    return status;
}

WEFT_API weft_status weft_enqueue_graph(weft_context *context, weft_graph *graph) {
    API_ENTER();
    if (!context || !graph) {
        return error_null(context ? "graph" : "context");
    }
    if (graph->device != context->device) {
        const weft_device_info *there = &graph->device->entry->info, *here = &context->device->entry->info;
        return error_set(WEFT_ERROR_INVALID_ARGUMENT, "graph was recorded on device %s:%d, context is on %s:%d", there->api, there->id,
                         here->api, here->id);
    }
    weft_status status = context_check(context);
    if (UNLIKELY(status)) {
        return status;
    }
    return context_is_recording(context) ? record(context, graph) : run(context, graph);
}

WEFT_API weft_status(weft_graph_set_arg)(weft_graph *graph, size_t node, size_t index, weft_arg arg) {
    API_ENTER_AS("weft_graph_set_arg");
    if (!graph) {
        return error_null("graph");
    }
    if (node >= graph->n_nodes) {
        return error_set(WEFT_ERROR_OUT_OF_RANGE, "node %zu is not below %zu, the number of the graph's nodes", node, graph->n_nodes);
    }
    const struct node *at = &graph->nodes[node];
    if (!at->ops->set_arg) {
        return error_set(WEFT_ERROR_INVALID_ARGUMENT, "node %zu is no launch: its kind is %s", node, at->ops->kind);
    }
    return at->ops->set_arg(at->payload, index, &arg);
}
