#include "context/recording.h"

#include <stdlib.h>
#include <string.h>

#include "base/api.h"
#include "base/object.h"

static weft_status append_locked(weft_graph *recording, const node_ops *ops, void *payload) {
    if (recording->n_nodes == recording->room) {
        size_t room = recording->room ? 2 * recording->room : 16;
        node *nodes = realloc(recording->nodes, room * sizeof *nodes);
        if (!nodes) {
            return error_host_memory(room * sizeof *nodes);
        }
        recording->nodes = nodes;
        recording->room = room;
    }
    recording->nodes[recording->n_nodes++] = (node){ops, payload};
    unsigned depth = ops->depth ? ops->depth(payload) : 0;
    recording->depth = depth > recording->depth ? depth : recording->depth;
    return WEFT_OK;
}

weft_status context_record(weft_context *context, const node_ops *ops, void *payload) {
    pthread_mutex_lock(&context->lock);
    bool records = context->recording;
    weft_status status = records ? append_locked(context->recording, ops, payload) : WEFT_OK;
    pthread_mutex_unlock(&context->lock);
    if (!records) {
        node alone = {ops, payload};
        status = recording_run(&(weft_graph){.nodes = &alone, .n_nodes = 1}, context);
    }
    if (status || !records) {
        ops->destroy(payload);
    }
    return status;
}

weft_status context_may_block(weft_context *context) {
    if (!context_is_recording(context)) {
        return context_may_wait(context);
    }
    return error_set(WEFT_ERROR_INVALID_ARGUMENT, "context records a graph, and cannot be waited for until weft_graph_end");
}

weft_status recording_begin(weft_context *context) {
    weft_graph *made = NULL;
    weft_status status = object_new(sizeof *made, &made);
    if (status) {
        return status;
    }
    refcount_init(&made->refs);
    made->device = device_retain(context->device);
    pthread_mutex_lock(&context->lock);
    bool records = context->recording;
    if (!records) {
        context->recording = made;
        atomic_fetch_or(&context->attention, ATTENTION_RECORDING);
    }
    pthread_mutex_unlock(&context->lock);
    if (records) {
        recording_release(made);
        return error_set(WEFT_ERROR_INVALID_ARGUMENT, "context records a graph already");
    }
    return WEFT_OK;
}

static weft_graph *take(weft_context *context) {
    pthread_mutex_lock(&context->lock);
    weft_graph *taken = context->recording;
    context->recording = NULL;
    atomic_fetch_and(&context->attention, ~(unsigned)ATTENTION_RECORDING);
    pthread_mutex_unlock(&context->lock);
    return taken;
}

weft_status recording_end(weft_context *context, weft_graph **out) {
    *out = take(context);
    return *out ? WEFT_OK : error_set(WEFT_ERROR_INVALID_ARGUMENT, "context does not record a graph");
}

void recording_drop(weft_context *context) {
    if (context_is_recording(context)) {
        recording_release(take(context));
    }
}

void recording_release(weft_graph *graph) {
    if (!graph || !refcount_release(&graph->refs)) {
        return;
    }
    for (size_t i = 0; i < graph->n_nodes; i++) {
        graph->nodes[i].ops->destroy(graph->nodes[i].payload);
    }
    free(graph->nodes);
    device_release(graph->device);
    free(graph);
}

/* Nodes that were run, and not yet told to context_submitted. */
typedef struct stretch {
    unsigned commands;
    bool holds_exit;
} stretch;

static weft_status stretch_end(stretch *stretch, weft_context *context) {
    unsigned commands = stretch->commands;
    if (stretch->holds_exit) {
        driver_let_exit(context->device->entry);
    }
    *stretch = (struct stretch){0, false};
    return commands ? context_submitted_many(context, commands) : WEFT_OK;
}

static weft_status run_one_command(const node *node, weft_context *context, stretch *stretch) {
    weft_status status = stretch->holds_exit ? WEFT_OK : driver_hold_exit(context->device->entry);
    if (UNLIKELY(status)) {
        return status;
    }
    stretch->holds_exit = true;
    status = node->ops->run(node->payload, context);
    if (!status && UNLIKELY(++stretch->commands >= context->bound_commands)) {
        status = stretch_end(stretch, context);
    }
    return status;
}

/* Puts the node in front of what went wrong in it. */
static __attribute__((noinline)) void name_node(const weft_graph *graph, size_t i, weft_status status) {
    const node *node = &graph->nodes[i];
    const char *name = node->ops->name ? node->ops->name(node->payload) : NULL;
    error_copy before;
    error_save(&before);
    size_t length = strlen(error_function);
    bool named = strncmp(before.message, error_function, length) == 0 && strncmp(before.message + length, ": ", 2) == 0;
    error_set_cl(status, before.error.cl_code, "graph node %zu (%s%s%s): %s", i, node->ops->kind, name ? " " : "", name ? name : "",
                 before.message + (named ? length + 2 : 0));
}

/* The first failure stays. */
static __attribute__((noinline)) void end_failed(stretch *stretch, weft_context *context) {
    error_copy told;
    error_save(&told);
    WEFT_IGNORE(stretch_end(stretch, context));
    error_restore(&told);
}

weft_status recording_run(const weft_graph *graph, weft_context *context) {
    stretch stretch = {0, false};
    for (size_t i = 0; i < graph->n_nodes; i++) {
        const node *node = &graph->nodes[i];
        weft_status status;
        if (node->ops->one_command) {
            status = run_one_command(node, context, &stretch);
        } else {
            status = stretch_end(&stretch, context);
            status = status ? status : node->ops->run(node->payload, context);
        }
        if (UNLIKELY(status)) {
            name_node(graph, i, status);
            end_failed(&stretch, context);
            return status;
        }
    }
    return stretch_end(&stretch, context);
}
