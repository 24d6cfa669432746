/* A context: one in-order queue on a device, and what waits for it. */
#ifndef CONTEXT_CONTEXT_H
#define CONTEXT_CONTEXT_H

#include <weft/context.h>

#include "context/device.h"
#include "context/launched.h"
#include "trace/trace.h"

/* What a host function puts off until it has returned; see context/host_func.h. */
typedef struct deferred {
    struct deferred *next;
    void (*run)(void *what);
    void *what;
} deferred;

/* Host memory that enqueued commands may still use: handed to the context when its owner lets go, and
 * disposed of once the commands have ended. */
typedef struct retired {
    struct retired *next;
    cl_event done;
    size_t size_bytes;
    void (*dispose)(void *what);
    void *what;
} retired;

/* A failure that no call has told yet; code 0: none. */
typedef struct failure {
    cl_int code;
    const char *call;
} failure;

/* What may set a context apart. */
enum {
    ATTENTION_LOST = 1,      /* the device is lost: calls answer DEVICE_LOST */
    ATTENTION_RECORDING = 2, /* a graph is recorded: what is enqueued becomes a node */
    ATTENTION_TRACED = 4,    /* commands have events, and go to the timeline */
};

struct weft_context {
    refcount refs;    /* all references */
    refcount handles; /* those of the program: with the last one goes a recording, whose nodes may hold the context */
    device *device;
    cl_command_queue queue;

    bool timing;             /* a profiling queue */
    bool blocking_sync;      /* waits leave the core to others */
    unsigned bound_commands; /* between two bounds on what is in flight; 1 with WEFT_SYNC=1 */

    /* How many commands that use host memory were enqueued, and how many of them are known to have ended.
     * Counted after the driver took the command, so a wait that reads `enqueued` first covers them. */
    _Atomic uint64_t enqueued;
    _Atomic uint64_t completed;

    /* Commands since the last bound on what is in flight; racing threads may lose counts, which only moves the bound. */
    atomic_uint in_flight;

    trace_lane *lane;      /* in the timeline; NULL without ATTENTION_TRACED */
    atomic_uint attention; /* or of attention bits: why commands take a slower way; 0 for most contexts */

    _Atomic(struct asserts *) asserts; /* what weft_assert found; made by the first launch that needs it */
    atomic_bool asserts_running;       /* a kernel with weft_assert was launched since the record was last read */

    _Atomic(struct host_worker *) worker; /* runs host functions; made by the first */

    pthread_mutex_t runs; /* held by who runs a graph, so that each run is whole */

    pthread_mutex_t lock; /* guards what follows */
    cl_event bound;       /* an earlier point of the queue; at most twice bound_commands run ahead of it */
    cl_event *waits;      /* barriers of waits for other queues, whose outcome the next synchronize looks at */
    size_t n_waits, n_waits_to_come, room_for_waits;
    launched launched;
    struct weft_graph *recording; /* of a graph; NULL: none */
    failure untold; /* found where nobody could be told: the next wait returns it */
    retired *oldest, *newest;
    size_t retired_bytes;

    weft_context *next, *previous; /* all live contexts, for the exit hook and lost devices */
    unsigned drained;              /* the exit hook's pass that has seen it */
    deferred destruction;
};

/* A queue on the device; takes over no reference. */
weft_status context_create_queue(device *device, const weft_stream_options *options, weft_context **out);

/* References of the library's own. */
weft_context *context_retain(weft_context *context); /* NULL gives NULL */
void context_release(weft_context *context);         /* NULL does nothing */

/* Contexts on the device answer DEVICE_LOST from now on; code is what the driver said. */
void context_lose_device(device *device, cl_int code);

/* Whether the context can take commands. */
static inline weft_status context_check(weft_context *context) {
    return atomic_load_explicit(&context->attention, memory_order_relaxed) & ATTENTION_LOST ? device_lost(context->device) : WEFT_OK;
}

/* Call after each command that the driver took: makes it start where the driver waits for a flush, and
 * bounds what is in flight. */
weft_status context_submitted(weft_context *context);
weft_status context_submitted_many(weft_context *context, unsigned commands);

/* Call after a kernel's first launch: PoCL compiles it on a thread of its own, where its compiler registers exit
 * handlers. Those must run after weft's, so weft's is registered again once that is over: at the next wait, and
 * for the first kernel of the process at once, unless a host function may hold the queue back. */
void context_first_launch(weft_context *context);

/* Blocks until everything enqueued so far has ended; the first failure found is recorded and returned. */
weft_status context_wait(weft_context *context);

/* Whether the calling thread may wait for the context; the refusal is recorded. */
weft_status context_may_wait(const weft_context *context);

/* Call after any wait for the context's commands. */
void context_waited(weft_context *context);

/* Records that a command of the context failed while it ran, with what may have done it. */
weft_status context_failed(weft_context *context, const char *call, cl_int code);

/* Call when the driver refuses a command: a queue that is broken means that the device is lost, and that is recorded. */
weft_status context_suspect(weft_context *context, const char *call, cl_int code);

/* Keeps a failure for the next context_wait to tell, unless it has one already. */
void context_leave_untold(weft_context *context, const char *call, cl_int code);

/* The same where nobody can be told: the next context_wait returns what was found. Does nothing in a host function of
 * the context. */
void context_settle(weft_context *context);

/* Blocks until everything has ended, and disposes of all that was retired. For a context that nobody else holds. */
void context_drain(weft_context *context);

/* Work enqueued on context from now on waits for what is enqueued on other now; blocks across devices. */
weft_status context_wait_for(weft_context *context, weft_context *other);

/* A point behind everything enqueued so far; see context/point.h. */
weft_status context_point(weft_context *context, cl_event *out);

/* context_wait_for, for an earlier point of a queue on the same device. Borrows the point. */
weft_status context_wait_for_point(weft_context *context, weft_context *other, cl_event point);

/* Holds the queue back until the event has ended; the event must not have failed. The caller goes on to
 * context_submitted. */
weft_status context_barrier(weft_context *context, cl_event event);

/* Notes a kernel that is about to be launched; id: kernel->id. */
void context_note_launch(weft_context *context, uint32_t id, const char *name);
static inline void context_launches(weft_context *context, uint32_t id, const char *name) {
    if (!launched_note(&context->launched, id)) {
        context_note_launch(context, id, name);
    }
}

/* Disposes of `what` after what is enqueued now. Never fails: without memory or events it waits instead. */
void context_retire(weft_context *context, size_t size_bytes, void (*dispose)(void *), void *what);

/* Counts a command that uses host memory, just taken by the driver; the result is its position. */
static inline uint64_t context_count(weft_context *context) {
    return atomic_fetch_add_explicit(&context->enqueued, 1, memory_order_acq_rel) + 1;
}

/* Whether the command at that position is known to have ended. */
static inline bool context_is_past(weft_context *context, uint64_t position) {
    return atomic_load_explicit(&context->completed, memory_order_acquire) >= position;
}

#endif
