/* The timeline: what fails must stop neither the program nor the trace. */
#include "scene.h"

/* On a queue that is traced, behind one of its own kind: every kind of command, and a context that goes with work in flight. */
static weft_status work(scene *s) {
    weft_context *context, *sibling;
    weft_device_buffer *a, *b;
    weft_host_buffer *host;
    MAKE(context, weft_context_create_stream(kept_things.context, NULL, &context));
    MAKE(sibling, weft_context_create_stream(kept_things.context, NULL, &sibling));
    MAKE(a, weft_enqueue_create_buffer(context, WEFT_INT32, N, &a));
    MAKE(b, weft_enqueue_create_buffer(context, WEFT_INT32, N, &b));
    MAKE(host, weft_enqueue_create_host_buffer(context, WEFT_INT32, N, &host));
    STEP(weft_enqueue_fill(b, 7));
    STEP(weft_enqueue_copy(context, a, s->in));
    STEP(weft_enqueue_function(context, kept_things.add, N / 16, 16, a, b, a));
    STEP(weft_enqueue_copy(context, host, a));
    STEP(weft_enqueue_wait_for(sibling, context));
    STEP(weft_enqueue_copy(sibling, b, host));
    STEP(weft_enqueue_copy(sibling, s->out, b));
    STEP(weft_synchronize(sibling));
    STEP(weft_synchronize(context));
    for (int i = 0; i < N; i++) {
        HOLDS(s->out[i] == s->in[i] + 7);
    }
    STEP(weft_enqueue_function(context, kept_things.square, N / 16, 16, a));
    return WEFT_OK;
}

/* The trace is ended in any case, as the next run starts another. */
static weft_status traced(scene *s) {
    STEP(weft_trace_start("/dev/null"));
    weft_status status = work(s);
    scene_release_all(s);
    fault_during("weft_trace_stop");
    weft_status stopped = weft_trace_stop();
    return status ? status : scene_returned(s, stopped);
}

const scenario trace_scenarios[] = {
    {"traced", traced, KEEPS, NULL},
    {"traced_gpu", traced, KEEPS, GPU},
    {NULL, NULL, 0, NULL},
};
