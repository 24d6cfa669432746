/* Calling the host from a queue: a marker, behind which a thread calls the function, and a barrier on an event that the
 * thread sets afterwards. */
#include "context/host_func.h"

#include <stdlib.h>

#include "base/api.h"
#include "base/object.h"
#include "base/thread.h"
#include "context/point.h"
#include "context/recording.h"

_Thread_local weft_context *host_func_context;

static atomic_uint pending; /* calls that hold a queue back, or are about to */

bool host_func_is_pending(void) {
    return atomic_load(&pending) > 0;
}

/* What this thread puts off until after the function that it is in. */
static _Thread_local deferred *put_off;

typedef struct host_call {
    struct host_call *next;
    cl_event before; /* what it comes after */
    cl_event gate;   /* what comes after it */
    void (*func)(void *user);
    void *user;
} host_call;

struct host_worker {
    weft_context *context; /* not held: calls hold it */
    pthread_t thread;
    cl_event held_back;    /* the gate of the function that runs; the thread's own */
    pthread_mutex_t order; /* keeps calls in the order of the queue: held while the driver is called, which may block */
    pthread_mutex_t lock;  /* guards what follows */
    pthread_cond_t wake;
    host_call *first, *last;
    bool ending;
    bool orphan;    /* nobody waits for the thread's end */
    bool abandoned; /* exit() came in a function: no other is called */
};

/* Whose thread this is, or NULL. */
static _Thread_local struct host_worker *own_worker;

bool host_func_defer(deferred *node, void (*run)(void *what), void *what) {
    if (!host_func_is_running()) {
        return false;
    }
    *node = (deferred){put_off, run, what};
    put_off = node;
    return true;
}

static void *run_deferred(void *first) {
    for (deferred *node = first, *next; node; node = next) {
        next = node->next;
        node->run(node->what);
    }
    return NULL;
}

static deferred *take_put_off(void) {
    deferred *first = put_off;
    put_off = NULL;
    return first;
}

/* It may wait for a queue that waits for the context's next functions: not on the thread that calls those. */
static void run_elsewhere(deferred *first) {
    pthread_t thread;
    if (first && thread_start(&thread, run_deferred, first) == 0) {
        pthread_detach(thread);
    } else {
        run_deferred(first);
    }
}

static void call(weft_context *context, void (*func)(void *user), void *user) {
    weft_context *outer = host_func_context;
    host_func_context = context;
    func(user);
    host_func_context = outer;
}

static host_call *next_call(struct host_worker *worker) {
    pthread_mutex_lock(&worker->lock);
    while (!worker->first && !worker->ending) {
        pthread_cond_wait(&worker->wake, &worker->lock);
    }
    host_call *next = worker->first;
    if (next) {
        worker->first = next->next;
        worker->last = worker->first ? worker->last : NULL;
    }
    pthread_mutex_unlock(&worker->lock);
    return next;
}

static void free_worker(struct host_worker *worker) {
    pthread_cond_destroy(&worker->wake);
    pthread_mutex_destroy(&worker->lock);
    pthread_mutex_destroy(&worker->order);
    free(worker);
}

/* Nothing else lets the queue go on, so a failure that passes must not matter. */
static void open_gate(const device_entry *entry, cl_event gate) {
    cl_int code = CL_INVALID_VALUE;
    for (int i = 0; i < 3 && code != CL_SUCCESS; i++) {
        DRIVER(entry, code = clSetUserEventStatus(gate, CL_COMPLETE));
    }
}

/* A wait that fails may not have waited: then the point itself is asked. What failed before it is told by the next wait. */
static void await(weft_context *context, cl_event before) {
    const device_entry *entry = context->device->entry;
    if (point_wait(entry, before, context->blocking_sync) != CL_SUCCESS) {
        point_wait(entry, before, true);
    }
    cl_int code = point_status(entry, before);
    if (code < 0) {
        context_leave_untold(context, "an earlier command", code);
    }
}

/* Runs one call. The context and its worker may be gone afterwards. */
static void serve(struct host_worker *worker, host_call *next) {
    weft_context *context = worker->context;
    const device_entry *entry = context->device->entry;
    await(context, next->before); /* failed or not: the function is called once */
    context_waited(context);
    worker->held_back = next->gate;
    call(context, next->func, next->user);
    open_gate(entry, next->gate);
    atomic_fetch_sub(&pending, 1);
    point_release(entry, next->before);
    point_release(entry, next->gate);
    free(next);
    run_elsewhere(take_put_off());
    context_release(context);
}

static void *work(void *argument) {
    struct host_worker *worker = own_worker = argument;
    host_call *next;
    while ((next = next_call(worker))) {
        serve(worker, next);
    }
    if (worker->orphan) {
        free_worker(worker);
    }
    return NULL;
}

static weft_status worker_create(weft_context *context, struct host_worker **out) {
    struct host_worker *worker = NULL;
    weft_status status = object_new(sizeof *worker, &worker);
    if (status) {
        return status;
    }
    worker->context = context;
    pthread_mutex_init(&worker->order, NULL);
    pthread_mutex_init(&worker->lock, NULL);
    pthread_cond_init(&worker->wake, NULL);
    int failed = thread_start(&worker->thread, work, worker);
    if (failed) {
        free_worker(worker);
        return error_set(WEFT_ERROR_OUT_OF_HOST_MEMORY, "no thread can be started for host functions (error %d)", failed);
    }
    *out = worker;
    return WEFT_OK;
}

static weft_status worker_of(weft_context *context, struct host_worker **out) {
    weft_status status = WEFT_OK;
    pthread_mutex_lock(&context->lock);
    *out = atomic_load_explicit(&context->worker, memory_order_relaxed);
    if (!*out) {
        status = worker_create(context, out);
        atomic_store_explicit(&context->worker, *out, memory_order_relaxed);
    }
    pthread_mutex_unlock(&context->lock);
    return status;
}

void host_func_end(weft_context *context) {
    struct host_worker *worker = atomic_load_explicit(&context->worker, memory_order_relaxed);
    if (!worker) {
        return;
    }
    bool own = pthread_equal(worker->thread, pthread_self()); /* it held the last reference */
    pthread_mutex_lock(&worker->lock);
    worker->ending = true;
    worker->orphan = own;
    pthread_cond_signal(&worker->wake);
    pthread_mutex_unlock(&worker->lock);
    if (own) {
        pthread_detach(worker->thread);
    } else {
        pthread_join(worker->thread, NULL);
        free_worker(worker);
    }
}

/* The functions that are left are not called: they may need what the one that runs holds. */
void host_func_abandon(void) {
    struct host_worker *worker = own_worker;
    bool runs = host_func_is_running();
    host_func_context = NULL;
    if (!worker || !runs) {
        return;
    }
    const device_entry *entry = worker->context->device->entry;
    open_gate(entry, worker->held_back);
    pthread_mutex_lock(&worker->lock);
    worker->abandoned = true;
    for (host_call *item = worker->first; item; item = item->next) {
        open_gate(entry, item->gate);
    }
    pthread_mutex_unlock(&worker->lock);
}

static void push(struct host_worker *worker, host_call *item) {
    pthread_mutex_lock(&worker->lock);
    if (worker->abandoned) {
        open_gate(worker->context->device->entry, item->gate);
    }
    if (worker->last) {
        worker->last->next = item;
    } else {
        worker->first = item;
    }
    worker->last = item;
    pthread_cond_signal(&worker->wake);
    pthread_mutex_unlock(&worker->lock);
}

/* Marker, barrier, and the call between them. */
static weft_status enqueue_in_order(weft_context *context, struct host_worker *worker, host_call *item) {
    const device_entry *entry = context->device->entry;
    cl_int code;
    DRIVER(entry, item->gate = clCreateUserEvent(context->device->cl, &code));
    if (!item->gate) {
        return driver_error(entry, "clCreateUserEvent", code);
    }
    weft_status status = context_point(context, &item->before);
    status = status ? status : context_barrier(context, item->gate);
    if (!status) {
        push(worker, item);
    }
    return status;
}

/* The function will be called, so its call has not failed: what fails from now on is for the next wait to tell. */
static void submit(weft_context *context) {
    if (context->bound_commands == 1 && !host_func_is_running()) {
        context_settle(context);
    } else if (context_submitted(context)) {
        context_leave_untold(context, "an earlier command", weft_last_error()->cl_code);
    }
}

static weft_status enqueue_call(weft_context *context, void (*func)(void *user), void *user) {
    const device_entry *entry = context->device->entry;
    struct host_worker *worker = NULL;
    host_call *item = NULL;
    weft_status status = worker_of(context, &worker);
    status = status ? status : object_new(sizeof *item, &item);
    if (status) {
        return status;
    }
    *item = (host_call){.func = func, .user = user};
    context_retain(context); /* the item's */
    context_retain(context); /* this call's: the function may let go of the program's last one before it returns */
    atomic_fetch_add(&pending, 1);
    pthread_mutex_lock(&worker->order);
    status = enqueue_in_order(context, worker, item);
    pthread_mutex_unlock(&worker->order);
    if (status) {
        atomic_fetch_sub(&pending, 1);
        point_release(entry, item->before);
        point_release(entry, item->gate);
        free(item);
        context_release(context);
    } else {
        submit(context);
    }
    context_release(context);
    return status;
}

/* Where the driver cannot hold a queue back. */
static weft_status call_here(weft_context *context, void (*func)(void *user), void *user) {
    weft_context *outer = host_func_context;
    host_func_context = NULL; /* nothing is held back: the wait ends */
    context_settle(context);
    host_func_context = outer;
    call(context, func, user);
    if (!outer) {
        run_deferred(take_put_off());
    }
    return WEFT_OK;
}

weft_status host_func_enqueue(weft_context *context, void (*func)(void *user), void *user) {
    return context->device->entry->quirks & QUIRK_NO_USER_EVENTS ? call_here(context, func, user) : enqueue_call(context, func, user);
}

WEFT_API weft_status weft_enqueue_host_func(weft_context *context, void (*func)(void *user), void *user) {
    API_ENTER();
    if (!context || !func) {
        return error_null(context ? "func" : "context");
    }
    weft_status status = context_check(context);
    if (status) {
        return status;
    }
    return context_is_recording(context) ? host_func_record(context, func, user) : host_func_enqueue(context, func, user);
}
