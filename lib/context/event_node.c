/* Recorded events, waits for them, and host functions: each happens when the graph runs. */
#include <stdlib.h>

#include "base/object.h"
#include "context/event.h"
#include "context/host_func.h"
#include "context/recording.h"

static weft_status record_run(void *payload, weft_context *context) {
    return event_record(payload, context);
}

static weft_status wait_run(void *payload, weft_context *context) {
    return event_enqueue_wait(context, payload);
}

static void destroy_event(void *payload) {
    event_release(payload);
}

weft_status event_node_record(weft_context *context, weft_event *event) {
    static const node_ops ops = {.kind = "event record", .run = record_run, .destroy = destroy_event};
    return context_record(context, &ops, event_retain(event));
}

weft_status event_node_wait(weft_context *context, weft_event *event) {
    static const node_ops ops = {.kind = "wait for an event", .run = wait_run, .destroy = destroy_event};
    return context_record(context, &ops, event_retain(event));
}

typedef struct host_func {
    void (*func)(void *user);
    void *user;
} host_func;

static weft_status host_func_run(void *payload, weft_context *context) {
    const host_func *node = payload;
    return host_func_enqueue(context, node->func, node->user);
}

weft_status host_func_record(weft_context *context, void (*func)(void *user), void *user) {
    static const node_ops ops = {.kind = "host function", .run = host_func_run, .destroy = free};
    host_func *node = NULL;
    weft_status status = object_new(sizeof *node, &node);
    if (status) {
        return status;
    }
    *node = (host_func){func, user};
    return context_record(context, &ops, node);
}
