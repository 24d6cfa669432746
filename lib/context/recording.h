/* What a context enqueues while it records: nodes, to be run later and many times. */
#ifndef CONTEXT_RECORDING_H
#define CONTEXT_RECORDING_H

#include <weft/graph.h>

#include "context/context.h"

/* What a node does with its payload. Each folder has the nodes of what it enqueues. Runs may overlap. */
typedef struct node_ops {
    const char *kind;                         /* "kernel" */
    const char *(*name)(const void *payload); /* which one; NULL: the kind says all */
    weft_status (*run)(void *payload, weft_context *context);
    weft_status (*set_arg)(void *payload, size_t index, const weft_arg *arg); /* NULL: the node is no launch */
    void (*destroy)(void *payload);
    unsigned (*depth)(const void *payload); /* of a graph within, counted from 1; NULL: no graph */
    bool one_command; /* run enqueues one command, and leaves driver_hold_exit and context_submitted to its caller */
} node_ops;

typedef struct node {
    const node_ops *ops;
    void *payload;
} node;

/* While a context records it, and afterwards, when its nodes stay what they are. */
struct weft_graph {
    refcount refs;
    device *device; /* held */
    node *nodes;
    size_t n_nodes, room;
    unsigned depth; /* of the deepest graph within it; 0: none */
};

/* A call that enqueues asks this once its arguments are checked; if so it makes a node of them. */
static inline bool context_is_recording(weft_context *context) {
    return atomic_load_explicit(&context->attention, memory_order_relaxed) & ATTENTION_RECORDING;
}

/* Appends a node, and takes over the payload, on failure too. Runs it at once if another thread has just ended the
 * recording. Errors: OUT_OF_HOST_MEMORY; those of the run. */
weft_status context_record(weft_context *context, const node_ops *ops, void *payload);

/* Whether a call that is there to wait for the context may: not while it records, nor where context_may_wait says no. The
 * refusal is recorded. */
weft_status context_may_block(weft_context *context);

/* weft_enqueue_wait_for as a node. */
weft_status wait_node_record(weft_context *context, weft_context *other);

/* Starts a recording, and ends it: the graph is the caller's. Errors: INVALID_ARGUMENT; OUT_OF_HOST_MEMORY. */
weft_status recording_begin(weft_context *context);
weft_status recording_end(weft_context *context, weft_graph **out);

/* Ends the context's recording, if there is one, and frees it. */
void recording_drop(weft_context *context);

/* Runs every node in order. The failure names the node. */
weft_status recording_run(const weft_graph *graph, weft_context *context);

/* Drops a reference; NULL does nothing. */
void recording_release(weft_graph *graph);

#endif
