/* Host functions: what a queue calls on the host, and what such a function must not wait for. */
#ifndef CONTEXT_HOST_FUNC_H
#define CONTEXT_HOST_FUNC_H

#include "context/context.h"

/* The context whose host function this thread runs, or NULL. Initial-exec, as for error_function. */
extern _Thread_local weft_context *host_func_context __attribute__((tls_model("initial-exec")));

/* In a host function, a wait for the function's own context would never end, nor would one for a context whose queue
 * waits for that one. */
static inline bool host_func_is_running(void) {
    return host_func_context != NULL;
}
static inline bool host_func_runs_for(const weft_context *context) {
    return host_func_context == context;
}

/* Whether any context of the process waits for a host function, which may wait for anything. */
bool host_func_is_pending(void);

/* Does run(what) once the host function that runs has returned and its queue goes on; the node is part of what is put off.
 * False when none runs: then the caller does it itself. */
bool host_func_defer(deferred *node, void (*run)(void *what), void *what);

/* weft_enqueue_host_func, its arguments checked. */
weft_status host_func_enqueue(weft_context *context, void (*func)(void *user), void *user);

/* The same as a node of the graph that context records. */
weft_status host_func_record(weft_context *context, void (*func)(void *user), void *user);

/* For exit(): the host function in which it was called does not return. What it holds back goes on. */
void host_func_abandon(void);

/* Ends the context's thread. Nothing is left for it to do. */
void host_func_end(weft_context *context);

#endif
