/* Where the process stands in its life: whether it forked after the driver was in use, or is exiting. */
#ifndef BASE_PROCESS_H
#define BASE_PROCESS_H

#include <stdatomic.h>
#include <stdbool.h>

#include <weft/status.h>

enum { PROCESS_RUNNING, PROCESS_FORKED, PROCESS_EXITING };

extern _Atomic int process_state_now;

/* PROCESS_EXITING on the main thread once it ends. Initial-exec, as for error_function. */
extern _Thread_local int process_thread_state __attribute__((tls_model("initial-exec")));

static inline int process_state(void) {
    int state = atomic_load_explicit(&process_state_now, memory_order_relaxed);
    return state ? state : process_thread_state;
}

/* Call before the first call into the driver: from then on a fork marks the child. */
void process_watch_fork(void);

/* Call once the driver is loaded: exit() then marks the process before the driver's own exit handlers run. Call
 * again when the driver may have registered more of them: the last registered run first. */
void process_watch_exit(void);

/* Around driver calls that exit() must not overtake, such as those of a build: drivers crash when their exit
 * handlers run meanwhile. exit() waits for the end; hold is false once it has begun. May nest. */
bool process_hold_exit(void);
void process_let_exit(void);

/* Called at exit when nothing holds it, perhaps twice; the last time, calls on every thread are refused. One hook. */
void process_at_exit(void (*hook)(bool last));

/* The same unless there is a hook. */
void process_at_exit_unless(void (*hook)(bool last));

/* Records why a call is refused in this state, and returns that status. */
weft_status process_refuse(void);

#endif
