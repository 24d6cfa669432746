#include "base/process.h"

#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/error.h"

_Atomic int process_state_now = PROCESS_RUNNING;

static void (*_Atomic exit_hook)(void);

static void forked_child(void) {
    atomic_store_explicit(&process_state_now, PROCESS_FORKED, memory_order_relaxed);
}

static void run_exit_hook(void) {
    void (*hook)(void) = atomic_load(&exit_hook);
    if (hook && process_state() == PROCESS_RUNNING) {
        hook();
    }
}

static pthread_mutex_t holds_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t holds_changed = PTHREAD_COND_INITIALIZER;
static unsigned holds;

void process_hold_exit(void) {
    pthread_mutex_lock(&holds_lock);
    holds++;
    pthread_mutex_unlock(&holds_lock);
}

void process_let_exit(void) {
    pthread_mutex_lock(&holds_lock);
    holds--;
    pthread_cond_broadcast(&holds_changed);
    pthread_mutex_unlock(&holds_lock);
}

/* Registered after the driver's own handlers and destructors, so it runs before them. */
static void exiting(void) {
    if (process_state() != PROCESS_RUNNING) {
        return;
    }
    run_exit_hook();
    atomic_store_explicit(&process_state_now, PROCESS_EXITING, memory_order_relaxed);
    pthread_mutex_lock(&holds_lock);
    while (holds) {
        pthread_cond_wait(&holds_changed, &holds_lock);
    }
    pthread_mutex_unlock(&holds_lock);
}

static void watch_fork(void) {
    pthread_atfork(NULL, NULL, forked_child);
}

void process_watch_fork(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, watch_fork);
}

void process_watch_exit(void) {
    atexit(exiting);
}

/* glibc: runs when the calling thread ends, and at exit() before every handler of atexit. */
extern int __cxa_thread_atexit_impl(void (*function)(void *), void *argument, void *library);
extern void *__dso_handle;

static void main_thread_ends(void *unused) {
    (void)unused;
    run_exit_hook();
}

void process_at_exit(void (*hook)(void)) {
    static atomic_bool registered;
    atomic_store(&exit_hook, hook);
    /* Drivers' compilers register exit handlers while they work, which then run before ours. */
    if (gettid() == getpid() && !atomic_exchange(&registered, true)) {
        __cxa_thread_atexit_impl(main_thread_ends, NULL, &__dso_handle);
    }
}

weft_status process_refuse(void) {
    if (process_state() == PROCESS_FORKED) {
        return error_set(WEFT_ERROR_FORKED, "this process was forked after its parent had used the driver; "
                                            "use weft in the parent, or exec, or fork before the first weft call");
    }
    return error_set(WEFT_ERROR_DRIVER, "the process is exiting and the driver may be gone");
}
