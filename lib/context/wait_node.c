/* A recorded wait for another context: for what is enqueued there when the graph runs. */
#include "context/recording.h"

static weft_status run(void *payload, weft_context *context) {
    return context_wait_for(context, payload);
}

static void destroy(void *payload) {
    context_release(payload);
}

weft_status wait_node_record(weft_context *context, weft_context *other) {
    static const node_ops ops = {.kind = "wait", .run = run, .destroy = destroy};
    return context_record(context, &ops, context_retain(other));
}
