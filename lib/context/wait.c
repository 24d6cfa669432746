/* Waiting: for a queue, for another queue, for what host memory was lent to. */
#include <stdlib.h>

#include "base/api.h"
#include "base/object.h"
#include "context/asserts.h"

/* Commands between two bounds: enough to hide the cost, few enough to bound drivers' memory (100,000 unsynchronized
 * launches grew drivers by 19 to 55 MB). */
enum { BOUND_COMMANDS = 4096 };

/* Retired memory that may pile up before a release waits for the oldest. */
enum { RETIRED_BYTES = 256 << 20 };

static weft_status failed(weft_context *context, const char *call, cl_int code) {
    return driver_error_as(WEFT_ERROR_EXECUTION_FAILED, context->device->entry, call, code,
                           "a command enqueued since the last synchronize failed");
}

/* A command's status: CL_COMPLETE, still running (positive), or its failure (negative). */
static cl_int event_status(const device_entry *entry, cl_event event) {
    cl_int status = CL_QUEUED, code;
    DRIVER(entry, code = clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
    return code == CL_SUCCESS ? status : code;
}

/* Whether a command has ended, well or not; false too when the driver does not say. */
static bool has_ended(const device_entry *entry, cl_event event) {
    cl_int status = CL_QUEUED, code;
    DRIVER(entry, code = clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
    return code == CL_SUCCESS && status <= CL_COMPLETE;
}

/* A marker behind everything enqueued so far, flushed. */
static cl_int marker(weft_context *context, cl_event *out) {
    cl_int code;
    DRIVER(context->device->entry, code = clEnqueueMarkerWithWaitList(context->queue, 0, NULL, out));
    if (code == CL_SUCCESS) {
        DRIVER(context->device->entry, code = clFlush(context->queue));
        if (code != CL_SUCCESS) {
            DRIVER(context->device->entry, clReleaseEvent(*out));
        }
    }
    return code;
}

static cl_int wait_event(const device_entry *entry, cl_event event) {
    cl_int code;
    DRIVER(entry, code = clWaitForEvents(1, &event));
    return code;
}

/* Takes from the front what has ended (all of it, when everything is known to have ended). */
static retired *take_ended_locked(weft_context *context, bool all) {
    const device_entry *entry = context->device->entry;
    retired *ended = context->oldest, *last = NULL;
    for (retired *item = ended; item && (all || has_ended(entry, item->done)); item = item->next) {
        context->retired_bytes -= item->size_bytes;
        last = item;
    }
    if (!last) {
        return NULL;
    }
    context->oldest = last->next;
    if (!context->oldest) {
        context->newest = NULL;
    }
    last->next = NULL;
    return ended;
}

static void dispose_all(weft_context *context, retired *ended) {
    while (ended) {
        retired *next = ended->next;
        ended->dispose(ended->what);
        DRIVER(context->device->entry, clReleaseEvent(ended->done));
        free(ended);
        ended = next;
    }
}

void context_retire(weft_context *context, size_t size_bytes, void (*dispose)(void *), void *what) {
    retired *item = calloc(1, sizeof *item);
    cl_event done = NULL;
    if (!item || marker(context, &done) != CL_SUCCESS) {
        free(item);
        context_settle(context);
        dispose(what);
        return;
    }
    *item = (retired){NULL, done, size_bytes, dispose, what};
    pthread_mutex_lock(&context->lock);
    if (context->newest) {
        context->newest->next = item;
    } else {
        context->oldest = item;
    }
    context->newest = item;
    context->retired_bytes += size_bytes;
    if (context->retired_bytes > RETIRED_BYTES) {
        wait_event(context->device->entry, context->oldest->done);
    }
    retired *ended = take_ended_locked(context, false);
    pthread_mutex_unlock(&context->lock);
    dispose_all(context, ended);
}

/* Starts what was just enqueued, and every BOUND_COMMANDS waits for the point two bounds back. */
static weft_status bound_in_flight(weft_context *context) {
    cl_event now = NULL, earlier;
    cl_int code = marker(context, &now);
    if (code != CL_SUCCESS) {
        return driver_error(context->device->entry, "clEnqueueMarkerWithWaitList", code);
    }
    pthread_mutex_lock(&context->lock);
    earlier = context->bound;
    context->bound = now;
    pthread_mutex_unlock(&context->lock);
    if (earlier) {
        code = wait_event(context->device->entry, earlier);
        DRIVER(context->device->entry, clReleaseEvent(earlier));
    }
    return code == CL_SUCCESS ? WEFT_OK : failed(context, "clWaitForEvents", code);
}

weft_status context_submitted(weft_context *context) {
    unsigned in_flight = atomic_load_explicit(&context->in_flight, memory_order_relaxed) + 1;
    atomic_store_explicit(&context->in_flight, in_flight, memory_order_relaxed);
    if (UNLIKELY(in_flight >= BOUND_COMMANDS)) {
        atomic_store_explicit(&context->in_flight, 0, memory_order_relaxed);
        return bound_in_flight(context);
    }
    if (context->device->entry->quirks & QUIRK_SUBMITS_EAGERLY) {
        return WEFT_OK;
    }
    cl_int code;
    DRIVER(context->device->entry, code = clFlush(context->queue));
    return code == CL_SUCCESS ? WEFT_OK : driver_error(context->device->entry, "clFlush", code);
}

static failure first_of(failure a, failure b) {
    return a.code != CL_SUCCESS ? a : b;
}

/* A finish says success even when a barrier's wait list failed: look at the events themselves. */
static failure look_at_events_locked(weft_context *context) {
    const device_entry *entry = context->device->entry;
    failure found = {CL_SUCCESS, NULL};
    for (unsigned i = 0; i < context->n_waits; i++) {
        cl_int code = event_status(entry, context->waits[i]);
        found = first_of(found, (failure){code < 0 ? code : CL_SUCCESS, "the wait for another context"});
        DRIVER(entry, clReleaseEvent(context->waits[i]));
    }
    context->n_waits = 0;
    cl_int code = context->bound ? event_status(entry, context->bound) : CL_QUEUED;
    if (code <= CL_COMPLETE) { /* else another thread has just put it there */
        found = first_of(found, (failure){code, "an earlier command"});
        DRIVER(entry, clReleaseEvent(context->bound));
        context->bound = NULL;
    }
    return found;
}

/* Waits behind a marker. */
static failure wait_at_marker(weft_context *context) {
    cl_event end = NULL;
    failure found = {marker(context, &end), "clEnqueueMarkerWithWaitList"};
    if (found.code == CL_SUCCESS) {
        found = (failure){wait_event(context->device->entry, end), "clWaitForEvents"};
        DRIVER(context->device->entry, clReleaseEvent(end));
    }
    return found;
}

static failure finish(weft_context *context) {
    failure found = {CL_SUCCESS, "clFinish"};
    if (context->device->entry->quirks & QUIRK_FINISH_NEEDS_MARKER) {
        return wait_at_marker(context);
    }
    DRIVER(context->device->entry, found.code = clFinish(context->queue));
    return found;
}

/* Waits until what was enqueued so far has ended. A wait that fails may not have waited, so there is a second one. When
 * that fails too, the device is lost, and uses no memory any more. */
static failure run_dry(weft_context *context, bool *lost) {
    failure found = finish(context);
    *lost = found.code != CL_SUCCESS && wait_at_marker(context).code != CL_SUCCESS;
    return found;
}

/* A kernel was launched for the first time since the exit handler was registered. */
static atomic_bool handler_is_old;

void context_first_launch(weft_context *context) {
    static atomic_bool compiler_ran;
    if (context->device->entry->quirks & QUIRK_BINARY_AFTER_LAUNCH) {
        atomic_store(&context->device->launched, true);
    }
    if (!(context->device->entry->quirks & QUIRK_DRAIN_BEFORE_EXIT)) {
        return;
    }
    atomic_store(&handler_is_old, true);
    if (!atomic_exchange(&compiler_ran, true)) {
        context_settle(context);
    }
}

static failure wait_for_all(weft_context *context) {
    uint64_t position = atomic_load_explicit(&context->enqueued, memory_order_acquire);
    bool asserts = UNLIKELY(atomic_load_explicit(&context->asserts_running, memory_order_relaxed)) &&
                   atomic_exchange(&context->asserts_running, false);
    bool lost;
    failure found = run_dry(context, &lost);
    uint64_t seen = atomic_load_explicit(&context->completed, memory_order_relaxed);
    while (seen < position && !atomic_compare_exchange_weak_explicit(&context->completed, &seen, position, memory_order_release,
                                                                     memory_order_relaxed)) {
    }
    atomic_store_explicit(&context->in_flight, 0, memory_order_relaxed);
    if (UNLIKELY(atomic_load_explicit(&handler_is_old, memory_order_relaxed)) && atomic_exchange(&handler_is_old, false)) {
        process_watch_exit();
    }
    pthread_mutex_lock(&context->lock);
    found = first_of(found, look_at_events_locked(context));
    retired *ended = take_ended_locked(context, lost);
    pthread_mutex_unlock(&context->lock);
    dispose_all(context, ended);
    if (UNLIKELY(asserts)) {
        found = first_of(found, asserts_collect(context));
    }
    return found;
}

/* Programs that were only loaded leave no builds to tell. */
static void tell_builds(device *device) {
    pthread_mutex_lock(&device->lock);
    void (*launched)(struct device *) = device->builds_launched;
    pthread_mutex_unlock(&device->lock);
    if (launched) {
        launched(device);
    }
}

weft_status context_wait(weft_context *context) {
    device *device = context->device;
    failure found = wait_for_all(context);
    if (UNLIKELY(atomic_load_explicit(&device->launched, memory_order_relaxed)) && atomic_exchange(&device->launched, false)) {
        tell_builds(device);
    }
    pthread_mutex_lock(&context->lock);
    found = first_of(context->untold, found);
    context->untold = (failure){CL_SUCCESS, NULL};
    pthread_mutex_unlock(&context->lock);
    /* A failed assertion that a failure of the driver's hides waits for the next call. */
    if (UNLIKELY(found.code != CL_SUCCESS)) {
        return failed(context, found.call, found.code);
    }
    return UNLIKELY(atomic_load_explicit(&context->asserts, memory_order_relaxed)) ? asserts_tell(context) : WEFT_OK;
}

void context_settle(weft_context *context) {
    failure found = wait_for_all(context);
    pthread_mutex_lock(&context->lock);
    context->untold = first_of(context->untold, found);
    pthread_mutex_unlock(&context->lock);
}

void context_drain(weft_context *context) {
    bool lost;
    run_dry(context, &lost);
    dispose_all(context, take_ended_locked(context, true));
}

/* Remembers a barrier for look_at_waits_locked; with no place left, the oldest is looked at and let go. */
static weft_status remember_wait(weft_context *context, cl_event barrier) {
    weft_status status = WEFT_OK;
    pthread_mutex_lock(&context->lock);
    if (context->n_waits == sizeof context->waits / sizeof *context->waits) {
        cl_int code = wait_event(context->device->entry, context->waits[0]);
        if (code != CL_SUCCESS) {
            status = failed(context, "the wait for another context", code);
        }
        DRIVER(context->device->entry, clReleaseEvent(context->waits[0]));
        context->n_waits--;
        for (unsigned i = 0; i < context->n_waits; i++) {
            context->waits[i] = context->waits[i + 1];
        }
    }
    context->waits[context->n_waits++] = barrier;
    pthread_mutex_unlock(&context->lock);
    return status;
}

weft_status context_wait_for(weft_context *context, weft_context *other) {
    if (context == other) {
        return WEFT_OK;
    }
    if (context->device != other->device) {
        return context_wait(other); /* no event of one driver holds back another */
    }
    const device_entry *entry = context->device->entry;
    cl_event point = NULL, barrier = NULL;
    cl_int code = marker(other, &point);
    if (code != CL_SUCCESS) {
        return driver_error(entry, "clEnqueueMarkerWithWaitList", code);
    }
    /* A failed event in a wait list hangs PoCL. */
    cl_int outcome = event_status(entry, point);
    if (outcome < 0) {
        DRIVER(entry, clReleaseEvent(point));
        return failed(other, "an earlier command", outcome);
    }
    DRIVER(entry, code = clEnqueueBarrierWithWaitList(context->queue, 1, &point, &barrier));
    DRIVER(entry, clReleaseEvent(point));
    if (code != CL_SUCCESS) {
        return driver_error(entry, "clEnqueueBarrierWithWaitList", code);
    }
    weft_status status = remember_wait(context, barrier);
    weft_status submitted = context_submitted(context);
    return status ? status : submitted;
}
