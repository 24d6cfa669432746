/* Commands of contexts that are traced: they have events, and the timeline gets them. */
#ifndef CONTEXT_TRACED_H
#define CONTEXT_TRACED_H

#include "context/context.h"

/* One command on its way. All zero for what is not traced. */
typedef struct traced {
    uint64_t start_ns;
    cl_event event;
} traced;

static inline bool context_is_traced(weft_context *context) {
    return __builtin_expect(atomic_load_explicit(&context->attention, memory_order_relaxed) & ATTENTION_TRACED, 0);
}

/* Call before the enqueue: where the driver puts the command's event, NULL when nobody wants one. */
cl_event *traced_start(traced *traced);
static inline cl_event *traced_begin(weft_context *context, traced *traced) {
    return context_is_traced(context) ? traced_start(traced) : NULL;
}

/* Call after it, when there is an event: a record to fill in and publish, which keeps the event. Without a record the event
 * is let go. */
trace_slot traced_take(weft_context *context, traced *traced, trace_kind kind);

/* The whole of it for a copy; how: as in context/command.h. */
void traced_copied(weft_context *context, traced *traced, trace_kind kind, size_t size_bytes, unsigned how);

/* A queue is held back by the barrier, whose event stays the caller's. */
void traced_barrier(weft_context *context, uint64_t start_ns, cl_event barrier);

/* The time at which a wait begins, 0 when nobody wants it. */
static inline uint64_t traced_now(weft_context *context) {
    return context_is_traced(context) && trace_is_on() ? clock_now_ns() : 0;
}

#endif
