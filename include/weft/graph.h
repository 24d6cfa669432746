/* weft/graph.h: work recorded once and enqueued many times with one call.
 *
 * Between weft_graph_begin and weft_graph_end, what any thread enqueues on the context is recorded instead of
 * executed: launches, copies, fills, waits, event records, host functions, other graphs. Each such call is one node;
 * nodes are numbered from 0 in the order of the calls, and run in that order. All checks happen while recording.
 * A graph keeps what it uses: functions, buffers, contexts, events. Numbers, structs, tensors and patterns are captured
 * by the call. A bare host pointer stays the caller's, and is read or written each time the graph runs.
 * While a context records, creating and releasing buffers works as always; what would wait for its queue
 * (weft_synchronize, weft_create_buffer_sync, mapping, printing a device buffer, execution_time) is INVALID_ARGUMENT.
 * Other contexts are not recorded: a wait or a copy of theirs that concerns this one is about what it had enqueued before.
 * Releasing a context's last handle drops its recording.
 * The model's DeviceGraph, and CUDA's stream capture.
 */
#ifndef WEFT_GRAPH_H
#define WEFT_GRAPH_H

#include <weft/context.h>
#include <weft/launch.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct weft_graph weft_graph;

/* Starts recording what is enqueued on context. Immediate.
 * Errors: INVALID_ARGUMENT (NULL; context records already); OUT_OF_HOST_MEMORY; DEVICE_LOST.
 * Source: cudaStreamBeginCapture; DeviceContext.create_device_graph. */
WEFT_API WEFT_NODISCARD weft_status weft_graph_begin(weft_context *context);

/* Ends the recording, and gives the graph to the caller. Immediate. A call that was refused while recording is no
 * node. out NULL is refused and the recording goes on.
 * Errors: INVALID_ARGUMENT (NULL; context does not record). Source: cudaStreamEndCapture. */
WEFT_API WEFT_NODISCARD weft_status weft_graph_end(weft_context *context, weft_graph **out);

/* Adds a reference and returns the graph; NULL gives NULL. Immediate, never fails. */
WEFT_API weft_graph *weft_graph_retain(weft_graph *graph);

/* Drops a reference; NULL does nothing. Runs that were enqueued end as they began. Never fails. */
WEFT_API void weft_graph_release(weft_graph *graph);

/* The number of nodes; 0 for NULL. Immediate, never fails. */
WEFT_API size_t weft_graph_node_count(weft_graph *graph);

/* Enqueues every node in order on context, which may be any context on the device the graph was recorded on. Blocks
 * only where a node does (a copy with pageable memory or between devices), or while another thread enqueues a graph on
 * context: nothing of one run gets between the nodes of another, but for what a host function enqueues. Copies are ordered
 * with the contexts of both their buffers, as always; launches and fills with context alone. While context records, the
 * whole graph becomes one node; graphs may be 64 within each other.
 * Errors: INVALID_ARGUMENT (NULL; context on another device); OUT_OF_RANGE (more than 64 within each other); those of the
 * nodes: what came before the failing node was enqueued, what comes after was not, and the message names the node.
 * Source: DeviceGraph.replay. */
WEFT_API WEFT_NODISCARD weft_status weft_enqueue_graph(weft_context *context, weft_graph *graph);

/* Changes one argument of the launch that is node `node`; index counts the function's parameters. Checked as by a
 * launch. Runs already enqueued keep the old one; graphs that hold this one see the new. Immediate. On failure the old
 * argument stays.
 * Errors: INVALID_ARGUMENT (NULL; the node is no launch; the buffer is on another device); OUT_OF_RANGE (node, index, a
 * number beyond the parameter's type); TYPE_MISMATCH; LAUNCH_LIMIT (local memory); UNSUPPORTED (overlapping views, as for a
 * launch); OUT_OF_HOST_MEMORY.
 * Source: cudaGraphExecKernelNodeSetParams. */
WEFT_API WEFT_NODISCARD weft_status weft_graph_set_arg(weft_graph *graph, size_t node, size_t index, weft_arg arg);

#ifdef __cplusplus
}

extern "C++" {
/* Any argument that weft_enqueue_function takes. */
template <typename T>
WEFT_NODISCARD inline weft_status weft_graph_set_arg(weft_graph *graph, size_t node, size_t index, T value) {
    return weft_graph_set_arg(graph, node, index, static_cast<weft_arg>(WEFT_ARG(value)));
}
}

#else

/* Any argument that weft_enqueue_function takes. */
#define weft_graph_set_arg(graph, node, index, ...) (weft_graph_set_arg)(graph, node, index, WEFT_ARG(__VA_ARGS__))

#endif

#endif
