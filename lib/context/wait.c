/* Waiting: for a queue, and for another queue. */
#include <stdlib.h>

#include "base/api.h"
#include "base/arith.h"
#include "context/asserts.h"
#include "context/host_func.h"
#include "context/point.h"
#include "context/retire.h"
#include "context/traced.h"

weft_status context_failed(weft_context *context, const char *call, cl_int code) {
    char launched[600];
    pthread_mutex_lock(&context->lock);
    launched_show_locked(&context->launched, launched, sizeof launched);
    pthread_mutex_unlock(&context->lock);
    const weft_device_info *info = &context->device->entry->info;
    const char *hint = !*launched || context->bound_commands == 1 ? "" : "; WEFT_SYNC=1 in the environment finds which";
    return error_set_cl(WEFT_ERROR_EXECUTION_FAILED, code, "a command enqueued since the last synchronize failed: %s failed on device "
                        "%s:%d with %s (%d)%s%s", call, info->api, info->id, driver_code_name(code), code, launched, hint);
}

weft_status context_may_wait(const weft_context *context) {
    if (host_func_runs_for(context)) {
        return error_set(WEFT_ERROR_INVALID_ARGUMENT, "context: a host function cannot wait for the context that it runs for");
    }
    return WEFT_OK;
}

/* Starts what was just enqueued, and every bound_commands waits for the point two bounds back. */
static weft_status bound_in_flight(weft_context *context) {
    const device_entry *entry = context->device->entry;
    cl_event now = NULL, earlier;
    if (context->bound_commands == 1 && !host_func_is_running()) {
        return context_wait(context);
    }
    cl_int code = point_enqueue(context, &now);
    if (code != CL_SUCCESS) {
        return driver_error(entry, "clEnqueueMarkerWithWaitList", code);
    }
    pthread_mutex_lock(&context->lock);
    earlier = context->bound;
    context->bound = now;
    pthread_mutex_unlock(&context->lock);
    if (earlier && !host_func_is_running()) {
        code = point_wait(entry, earlier, context->blocking_sync);
    }
    point_release(entry, earlier);
    return code == CL_SUCCESS ? WEFT_OK : context_failed(context, "clWaitForEvents", code);
}

static inline weft_status submitted(weft_context *context, unsigned commands) {
    unsigned in_flight = atomic_load_explicit(&context->in_flight, memory_order_relaxed) + commands;
    atomic_store_explicit(&context->in_flight, in_flight, memory_order_relaxed);
    if (UNLIKELY(in_flight >= context->bound_commands)) {
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

weft_status context_submitted(weft_context *context) {
    return submitted(context, 1);
}

weft_status context_submitted_many(weft_context *context, unsigned commands) {
    return submitted(context, commands);
}

static failure first_of(failure a, failure b) {
    return a.code != CL_SUCCESS ? a : b;
}

/* Lets go of barriers that have ended. A finish says success even when a barrier's wait list failed, so look at the events
 * themselves. */
static failure look_at_waits_locked(weft_context *context) {
    const device_entry *entry = context->device->entry;
    failure found = {CL_SUCCESS, NULL};
    size_t kept = 0;
    for (size_t i = 0; i < context->n_waits; i++) {
        cl_int code = point_status(entry, context->waits[i]);
        if (code > CL_COMPLETE) {
            context->waits[kept++] = context->waits[i];
            continue;
        }
        found = first_of(found, (failure){code < 0 ? code : CL_SUCCESS, "the wait for another context"});
        point_release(entry, context->waits[i]);
    }
    context->n_waits = kept;
    return found;
}

static failure look_at_events_locked(weft_context *context) {
    failure found = look_at_waits_locked(context);
    cl_int code = context->bound ? point_status(context->device->entry, context->bound) : CL_QUEUED;
    if (code <= CL_COMPLETE) { /* else another thread has just put it there */
        found = first_of(found, (failure){code, "an earlier command"});
        point_release(context->device->entry, context->bound);
        context->bound = NULL;
    }
    return found;
}

/* Waits behind a marker. */
static failure wait_at_marker(weft_context *context) {
    cl_event end = NULL;
    failure found = {point_enqueue(context, &end), "clEnqueueMarkerWithWaitList"};
    if (found.code == CL_SUCCESS) {
        found = (failure){point_wait(context->device->entry, end, context->blocking_sync), "clWaitForEvents"};
        point_release(context->device->entry, end);
    }
    return found;
}

static failure finish(weft_context *context) {
    failure found = {CL_SUCCESS, "clFinish"};
    if (context->device->entry->quirks & QUIRK_FINISH_NEEDS_MARKER || context->blocking_sync) {
        return wait_at_marker(context);
    }
    DRIVER(context->device->entry, found.code = clFinish(context->queue));
    return found;
}

/* Waits until what was enqueued so far has ended. A wait that fails may not have waited, so there is a second one. When
 * that fails too, not for want of memory, the device is lost, and uses none any more. */
static failure run_dry(weft_context *context, bool *lost) {
    failure found = finish(context);
    *lost = found.code != CL_SUCCESS && wait_at_marker(context).code != CL_SUCCESS;
    if (UNLIKELY(*lost) && found.code != CL_OUT_OF_HOST_MEMORY) {
        context_lose_device(context->device, found.code);
    }
    return found;
}

weft_status context_suspect(weft_context *context, const char *call, cl_int code) {
    bool lost = false;
    if (code == CL_INVALID_COMMAND_QUEUE && !host_func_is_running()) {
        run_dry(context, &lost);
    }
    return lost ? context_failed(context, call, code) : WEFT_OK;
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
    if (!host_func_is_pending() && !atomic_exchange(&compiler_ran, true)) {
        context_settle(context);
    }
}

static failure wait_for_all(weft_context *context) {
    uint64_t position = atomic_load_explicit(&context->enqueued, memory_order_acquire);
    bool asserts = UNLIKELY(atomic_load_explicit(&context->asserts_running, memory_order_relaxed)) &&
                   atomic_exchange(&context->asserts_running, false);
    uint32_t turn = launched_begin_wait(&context->launched);
    bool lost;
    uint64_t began = traced_now(context);
    failure found = run_dry(context, &lost);
    if (UNLIKELY(began) && found.code == CL_SUCCESS) {
        trace_synced(context->lane, began);
    }
    uint64_t seen = atomic_load_explicit(&context->completed, memory_order_relaxed);
    while (seen < position && !atomic_compare_exchange_weak_explicit(&context->completed, &seen, position, memory_order_release,
                                                                     memory_order_relaxed)) {
    }
    atomic_store_explicit(&context->in_flight, 0, memory_order_relaxed);
    pthread_mutex_lock(&context->lock);
    found = first_of(found, look_at_events_locked(context));
    if (found.code == CL_SUCCESS && context->untold.code == CL_SUCCESS) {
        launched_end_locked(&context->launched, turn);
    }
    retired *ended = retired_take_locked(context, lost);
    pthread_mutex_unlock(&context->lock);
    retired_dispose(context, ended);
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

void context_waited(weft_context *context) {
    device *device = context->device;
    if (UNLIKELY(atomic_load_explicit(&handler_is_old, memory_order_relaxed)) && atomic_exchange(&handler_is_old, false)) {
        process_watch_exit();
    }
    if (UNLIKELY(atomic_load_explicit(&device->launched, memory_order_relaxed)) && atomic_exchange(&device->launched, false)) {
        tell_builds(device);
    }
}

weft_status context_wait(weft_context *context) {
    weft_status status = context_check(context);
    status = status ? status : context_may_wait(context);
    if (UNLIKELY(status)) {
        return status;
    }
    failure found = wait_for_all(context);
    context_waited(context);
    pthread_mutex_lock(&context->lock);
    found = first_of(context->untold, found);
    context->untold = (failure){CL_SUCCESS, NULL};
    pthread_mutex_unlock(&context->lock);
    /* A failed assertion that a failure of the driver's hides waits for the next call. */
    if (UNLIKELY(found.code != CL_SUCCESS)) {
        status = context_failed(context, found.call, found.code);
        pthread_mutex_lock(&context->lock);
        launched_end_locked(&context->launched, launched_begin_wait(&context->launched));
        pthread_mutex_unlock(&context->lock);
        return status;
    }
    return UNLIKELY(atomic_load_explicit(&context->asserts, memory_order_relaxed)) ? asserts_tell(context) : WEFT_OK;
}

void context_leave_untold(weft_context *context, const char *call, cl_int code) {
    pthread_mutex_lock(&context->lock);
    context->untold = first_of(context->untold, (failure){code, call});
    pthread_mutex_unlock(&context->lock);
}

void context_settle(weft_context *context) {
    if (host_func_runs_for(context)) {
        return;
    }
    failure found = wait_for_all(context);
    context_leave_untold(context, found.call, found.code);
}

void context_drain(weft_context *context) {
    bool lost;
    run_dry(context, &lost);
    retired_dispose(context, retired_take_locked(context, true));
}

/* Makes room for the barriers to come. */
static weft_status make_room_locked(weft_context *context) {
    if (context->n_waits + context->n_waits_to_come <= context->room_for_waits) {
        return WEFT_OK;
    }
    context->untold = first_of(context->untold, look_at_waits_locked(context));
    size_t needed = context->n_waits + context->n_waits_to_come, room = size_max(context->room_for_waits, 8);
    while (needed > room / 2) {
        room *= 2;
    }
    if (room == context->room_for_waits) {
        return WEFT_OK;
    }
    cl_event *waits = realloc(context->waits, room * sizeof *waits);
    if (!waits) {
        return needed <= context->room_for_waits ? WEFT_OK : error_host_memory(room * sizeof *waits);
    }
    context->waits = waits;
    context->room_for_waits = room;
    return WEFT_OK;
}

/* The barrier is remembered for look_at_waits_locked. The driver may block, so the lock is not held meanwhile. */
weft_status context_barrier(weft_context *context, cl_event event) {
    const device_entry *entry = context->device->entry;
    cl_event barrier = NULL;
    cl_int code = CL_SUCCESS;
    pthread_mutex_lock(&context->lock);
    context->n_waits_to_come++;
    weft_status status = make_room_locked(context);
    pthread_mutex_unlock(&context->lock);
    if (!status) {
        uint64_t began = traced_now(context);
        DRIVER(entry, code = clEnqueueBarrierWithWaitList(context->queue, 1, &event, &barrier));
        if (code == CL_SUCCESS && UNLIKELY(began)) {
            traced_barrier(context, began, barrier);
        }
    }
    pthread_mutex_lock(&context->lock);
    context->n_waits_to_come--;
    if (!status && code == CL_SUCCESS) {
        context->waits[context->n_waits++] = barrier;
    }
    pthread_mutex_unlock(&context->lock);
    return status || code == CL_SUCCESS ? status : driver_error(entry, "clEnqueueBarrierWithWaitList", code);
}

weft_status context_point(weft_context *context, cl_event *out) {
    weft_status status = context_check(context);
    if (status) {
        return status;
    }
    cl_int code = point_enqueue(context, out);
    if (code == CL_SUCCESS) {
        return WEFT_OK;
    }
    status = context_suspect(context, "clEnqueueMarkerWithWaitList", code);
    return status ? status : driver_error(context->device->entry, "clEnqueueMarkerWithWaitList", code);
}

weft_status context_wait_for_point(weft_context *context, weft_context *other, cl_event point) {
    /* A failed event in a wait list hangs PoCL. */
    cl_int outcome = point_status(context->device->entry, point);
    if (outcome < 0) {
        return context_failed(other, "an earlier command", outcome);
    }
    weft_status status = context_barrier(context, point);
    return status ? status : context_submitted(context);
}

weft_status context_wait_for(weft_context *context, weft_context *other) {
    if (context == other) {
        return WEFT_OK;
    }
    if (context->device != other->device) {
        return context_wait(other); /* no event of one driver holds back another */
    }
    cl_event point = NULL;
    weft_status status = context_point(other, &point);
    status = status ? status : context_wait_for_point(context, other, point);
    point_release(context->device->entry, point);
    return status;
}

void context_note_launch(weft_context *context, uint32_t id, const char *name) {
    pthread_mutex_lock(&context->lock);
    launched_add_locked(&context->launched, id, name);
    pthread_mutex_unlock(&context->lock);
}
