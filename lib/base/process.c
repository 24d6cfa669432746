#include "base/process.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"

/* How long exit() lets itself be held: what holds it may be the call that a signal handler interrupted to exit. */
enum { PATIENCE_MS = 5000 };

/* How long a hold waits after the main thread has ended, to see whether exit() ended it. */
enum { DOUBT_MS = 500 };

_Atomic int process_state_now = PROCESS_RUNNING;
_Thread_local int process_thread_state = PROCESS_RUNNING;

static void (*_Atomic exit_hook)(bool last);
static atomic_uint holds;
static _Thread_local unsigned own_holds;
static atomic_bool main_thread_ended;

static void forked_child(void) {
    atomic_store_explicit(&process_state_now, PROCESS_FORKED, memory_order_relaxed);
}

static void wait_a_ms(void) {
    nanosleep(&(struct timespec){0, 1000000}, NULL);
}

/* In one order with the end of the main thread and with `exiting`: either this sees them, or they see the hold. */
static bool try_hold(void) {
    atomic_fetch_add(&holds, 1);
    if (own_holds || (atomic_load(&process_state_now) == PROCESS_RUNNING && !atomic_load(&main_thread_ended))) {
        return true;
    }
    atomic_fetch_sub(&holds, 1);
    return false;
}

bool process_hold_exit(void) {
    while (!try_hold()) {
        for (int ms = 0; process_state() == PROCESS_RUNNING && ms < DOUBT_MS; ms++) {
            wait_a_ms();
        }
        if (process_state() != PROCESS_RUNNING) {
            return false;
        }
        /* That was pthread_exit, in a C library where it ends the thread's objects; in glibc 2.36 it does not. */
        atomic_store(&main_thread_ended, false);
    }
    own_holds++;
    return true;
}

void process_let_exit(void) {
    own_holds--;
    atomic_fetch_sub(&holds, 1);
}

static void end_work(bool last) {
    for (int ms = 0; atomic_load(&holds) && ms < PATIENCE_MS; ms++) {
        wait_a_ms();
    }
    void (*hook)(bool) = atomic_load(&exit_hook);
    if (hook) {
        hook(last);
    }
}

/* Registered after the driver's own handlers and destructors, so it runs before them. */
static void exiting(void) {
    int running = PROCESS_RUNNING;
    if (atomic_compare_exchange_strong(&process_state_now, &running, PROCESS_EXITING)) {
        end_work(true);
    }
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

/* Drivers' compilers register exit handlers while they work, which then run before ours. */
static void main_thread_ends(void *unused) {
    (void)unused;
    if (process_state() == PROCESS_RUNNING) {
        atomic_store(&main_thread_ended, true);
        end_work(false);
        process_thread_state = PROCESS_EXITING;
    }
}

__attribute__((constructor)) static void watch_main_thread(void) {
    if (gettid() == getpid()) {
        __cxa_thread_atexit_impl(main_thread_ends, NULL, &__dso_handle);
    }
}

void process_at_exit(void (*hook)(bool last)) {
    atomic_store(&exit_hook, hook);
}

void process_at_exit_unless(void (*hook)(bool last)) {
    void (*none)(bool) = NULL;
    atomic_compare_exchange_strong(&exit_hook, &none, hook);
}

weft_status process_refuse(void) {
    if (process_state() == PROCESS_FORKED) {
        return error_set(WEFT_ERROR_FORKED, "this process was forked after its parent had used the driver; "
                                            "use weft in the parent, or exec, or fork before the first weft call");
    }
    return error_set(WEFT_ERROR_DRIVER, "the process is exiting and the driver may be gone");
}
