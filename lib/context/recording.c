#include "context/recording.h"

#include <stdlib.h>
#include <string.h>

#include "base/api.h"
#include "base/object.h"

static weft_status append_locked(recording *recording, const node_ops *ops, void *payload) {
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
    return WEFT_OK;
}

weft_status context_record(weft_context *context, const node_ops *ops, void *payload) {
    pthread_mutex_lock(&context->lock);
    bool records = context->recording;
    weft_status status = records ? append_locked(context->recording, ops, payload) : WEFT_OK;
    pthread_mutex_unlock(&context->lock);
    if (!records) {
        node alone = {ops, payload};
        status = recording_run(&(recording){&alone, 1, 1}, context);
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
    recording *made = NULL;
    weft_status status = object_new(sizeof *made, &made);
    if (status) {
        return status;
    }
    pthread_mutex_lock(&context->lock);
    bool records = context->recording;
    if (!records) {
        context->recording = made;
        atomic_fetch_or(&context->attention, ATTENTION_RECORDING);
    }
    pthread_mutex_unlock(&context->lock);
    if (records) {
        free(made);
        return error_set(WEFT_ERROR_INVALID_ARGUMENT, "context records a graph already");
    }
    return WEFT_OK;
}

static recording *take(weft_context *context) {
    pthread_mutex_lock(&context->lock);
    recording *taken = context->recording;
    context->recording = NULL;
    atomic_fetch_and(&context->attention, ~(unsigned)ATTENTION_RECORDING);
    pthread_mutex_unlock(&context->lock);
    return taken;
}

weft_status recording_end(weft_context *context, recording **out) {
    *out = take(context);
    return *out ? WEFT_OK : error_set(WEFT_ERROR_INVALID_ARGUMENT, "context does not record a graph");
}

void recording_drop(weft_context *context) {
    if (context_is_recording(context)) {
        recording_free(take(context));
    }
}

void recording_free(recording *recording) {
    if (!recording) {
        return;
    }
    for (size_t i = 0; i < recording->n_nodes; i++) {
        recording->nodes[i].ops->destroy(recording->nodes[i].payload);
    }
    free(recording->nodes);
    free(recording);
}

/* Puts the node in front of what went wrong in it. */
static weft_status failed(const recording *recording, size_t i, weft_status status) {
    const node *node = &recording->nodes[i];
    const char *name = node->ops->name ? node->ops->name(node->payload) : NULL;
    error_copy before;
    error_save(&before);
    size_t length = strlen(error_function);
    bool named = strncmp(before.message, error_function, length) == 0 && strncmp(before.message + length, ": ", 2) == 0;
    return error_set_cl(status, before.error.cl_code, "graph node %zu (%s%s%s): %s", i, node->ops->kind, name ? " " : "",
                        name ? name : "", before.message + (named ? length + 2 : 0));
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

weft_status recording_run(const recording *recording, weft_context *context) {
    stretch stretch = {0, false};
    for (size_t i = 0; i < recording->n_nodes; i++) {
        const node *node = &recording->nodes[i];
        weft_status status = WEFT_OK;
        if (node->ops->one_command) {
            status = run_one_command(node, context, &stretch);
        } else {
            status = stretch_end(&stretch, context);
            status = status ? status : node->ops->run(node->payload, context);
        }
        if (UNLIKELY(status)) {
            status = failed(recording, i, status);
            error_copy told;
            error_save(&told);
            if (stretch_end(&stretch, context)) { /* the first failure stays */
                error_restore(&told);
            }
            return status;
        }
    }
    return stretch_end(&stretch, context);
}
