#include "base/process.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/error.h"

_Atomic int process_state_now = PROCESS_RUNNING;

static void (*_Atomic exit_hook)(void);

static void forked_child(void) {
    atomic_store_explicit(&process_state_now, PROCESS_FORKED, memory_order_relaxed);
}

/* Registered after the driver was loaded, so it runs before the driver's own handlers and destructors. */
static void exiting(void) {
    if (process_state() == PROCESS_RUNNING) {
        void (*hook)(void) = atomic_load(&exit_hook);
        if (hook) {
            hook();
        }
        atomic_store_explicit(&process_state_now, PROCESS_EXITING, memory_order_relaxed);
    }
}

static void watch(void) {
    pthread_atfork(NULL, NULL, forked_child);
    atexit(exiting);
}

void process_watch(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, watch);
}

void process_at_exit(void (*hook)(void)) {
    atomic_store(&exit_hook, hook);
}

weft_status process_refuse(void) {
    if (process_state() == PROCESS_FORKED) {
        return error_set(WEFT_ERROR_FORKED, "this process was forked after its parent had used the driver; "
                                            "use weft in the parent, or exec, or fork before the first weft call");
    }
    return error_set(WEFT_ERROR_DRIVER, "the process is exiting and the driver may be gone");
}
