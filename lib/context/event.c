/* Events: slots for points of queues. */
#include <stdlib.h>

#include "base/api.h"
#include "base/object.h"
#include "context/event.h"
#include "context/point.h"
#include "context/recording.h"
#include "context/traced.h"

struct weft_event {
    refcount refs;
    device *device; /* held */
    bool blocking_sync;
    pthread_mutex_t lock;  /* guards what follows */
    cl_event point;        /* NULL: never recorded */
    weft_context *context; /* held; whose queue the point is in */
    uint64_t at_ns;        /* when it was recorded, for the timeline; 0 without one */
};

/* What the slot holds at a moment, with references. */
typedef struct recorded {
    cl_event point;
    weft_context *context;
    uint64_t at_ns;
} recorded;

static recorded recorded_now(weft_event *event) {
    pthread_mutex_lock(&event->lock);
    recorded now = {event->point, event->context, event->at_ns};
    if (now.point) {
        DRIVER(event->device->entry, clRetainEvent(now.point));
        context_retain(now.context);
    }
    pthread_mutex_unlock(&event->lock);
    return now;
}

static void recorded_release(const weft_event *event, recorded what) {
    point_release(event->device->entry, what.point);
    context_release(what.context);
}

WEFT_API weft_status weft_event_create(weft_context *context, const weft_event_options *options, weft_event **out) {
    if (out) {
        *out = NULL;
    }
    API_ENTER();
    if (!context || !out) {
        return error_null(context ? "out" : "context");
    }
    const weft_device_info *info = &context->device->entry->info;
    if (options && options->timing && !info->timestamps) {
        return error_set(WEFT_ERROR_UNSUPPORTED, "timing: device %s:%d (%s) has no timestamps", info->api, info->id, info->name);
    }
    weft_event *event = NULL;
    weft_status status = object_new(sizeof *event, &event);
    if (status) {
        return status;
    }
    refcount_init(&event->refs);
    pthread_mutex_init(&event->lock, NULL);
    event->device = device_retain(context->device);
    event->blocking_sync = options && options->blocking_sync;
    *out = event;
    return WEFT_OK;
}

weft_event *event_retain(weft_event *event) {
    refcount_retain(&event->refs);
    return event;
}

void event_release(weft_event *event) {
    if (!refcount_release(&event->refs)) {
        return;
    }
    recorded_release(event, (recorded){event->point, event->context, event->at_ns});
    device_release(event->device);
    pthread_mutex_destroy(&event->lock);
    free(event);
}

WEFT_API weft_event *weft_event_retain(weft_event *event) {
    return event ? event_retain(event) : NULL;
}

WEFT_API void weft_event_release(weft_event *event) {
    if (event && !API_IS_DOWN()) {
        event_release(event);
    }
}

weft_status event_record(weft_event *event, weft_context *context) {
    cl_event point = NULL;
    uint64_t at_ns = traced_now(context);
    weft_status status = context_point(context, &point);
    if (status) {
        return status;
    }
    context_retain(context);
    pthread_mutex_lock(&event->lock);
    recorded before = {event->point, event->context, event->at_ns};
    event->point = point;
    event->context = context;
    event->at_ns = at_ns;
    pthread_mutex_unlock(&event->lock);
    recorded_release(event, before);
    return WEFT_OK;
}

WEFT_API weft_status weft_event_record(weft_event *event, weft_context *context) {
    API_ENTER();
    if (!event || !context) {
        return error_null(event ? "context" : "event");
    }
    if (event->device != context->device) {
        const weft_device_info *there = &event->device->entry->info, *here = &context->device->entry->info;
        return error_set(WEFT_ERROR_INVALID_ARGUMENT, "event was made for device %s:%d, context is on %s:%d", there->api, there->id,
                         here->api, here->id);
    }
    return context_is_recording(context) ? event_node_record(context, event) : event_record(event, context);
}

/* Blocks until the point is passed. */
static weft_status wait(const weft_event *event, recorded what) {
    weft_status status = context_check(what.context);
    status = status ? status : context_may_wait(what.context);
    if (status) {
        return status;
    }
    const device_entry *entry = event->device->entry;
    cl_int code = point_wait(entry, what.point, event->blocking_sync || what.context->blocking_sync);
    cl_int outcome = point_status(entry, what.point);
    context_waited(what.context);
    if (code == CL_SUCCESS && outcome == CL_COMPLETE) {
        trace_synced(what.context->lane, what.at_ns);
        return WEFT_OK;
    }
    if (outcome < 0) {
        return context_failed(what.context, "an earlier command", outcome);
    }
    return driver_error(entry, "clWaitForEvents", code);
}

weft_status event_enqueue_wait(weft_context *context, weft_event *event) {
    recorded what = recorded_now(event);
    weft_status status = WEFT_OK;
    if (what.point && what.context != context) {
        status = context_check(context);
        status = status                             ? status
                 : context->device == event->device ? context_wait_for_point(context, what.context, what.point)
                                                    : wait(event, what);
    }
    recorded_release(event, what);
    return status;
}

WEFT_API weft_status weft_enqueue_wait_for_event(weft_context *context, weft_event *event) {
    API_ENTER();
    if (!context || !event) {
        return error_null(context ? "event" : "context");
    }
    weft_status status = context_check(context);
    if (status) {
        return status;
    }
    return context_is_recording(context) ? event_node_wait(context, event) : event_enqueue_wait(context, event);
}

WEFT_API weft_status weft_event_synchronize(weft_event *event) {
    API_ENTER();
    if (!event) {
        return error_null("event");
    }
    recorded what = recorded_now(event);
    weft_status status = what.point ? wait(event, what) : WEFT_OK;
    recorded_release(event, what);
    return status;
}

WEFT_API weft_status weft_event_query(weft_event *event, bool *done) {
    if (done) {
        *done = false;
    }
    API_ENTER();
    if (!event || !done) {
        return error_null(event ? "done" : "event");
    }
    recorded what = recorded_now(event);
    cl_int code = what.point ? point_status(event->device->entry, what.point) : CL_COMPLETE;
    weft_status status = code < 0 ? context_failed(what.context, "an earlier command", code) : WEFT_OK;
    *done = code == CL_COMPLETE;
    recorded_release(event, what);
    return status;
}

/* When the point was passed, on the device's clock. */
static weft_status passed_at(const weft_event *event, recorded what, const char *name, cl_ulong *out) {
    const device_entry *entry = event->device->entry;
    if (!what.point) {
        return error_set(WEFT_ERROR_INVALID_ARGUMENT, "%s was never recorded", name);
    }
    if (!what.context->timing || !entry->info.timestamps) {
        return error_set(WEFT_ERROR_UNSUPPORTED, "%s was recorded on a context %s; weft_execution_time measures with the host's clock there",
                         name, what.context->timing ? "of a device without timestamps" : "without timing");
    }
    weft_status status = wait(event, what);
    if (status) {
        return status;
    }
    cl_int code;
    DRIVER(entry, code = clGetEventProfilingInfo(what.point, CL_PROFILING_COMMAND_END, sizeof *out, out, NULL));
    return code == CL_SUCCESS ? WEFT_OK : driver_error(entry, "clGetEventProfilingInfo", code);
}

WEFT_API weft_status weft_event_elapsed_ns(weft_event *start, weft_event *end, uint64_t *out) {
    if (out) {
        *out = 0;
    }
    API_ENTER();
    if (!start || !end || !out) {
        return error_null(!start ? "start" : !end ? "end" : "out");
    }
    if (start->device != end->device) {
        const weft_device_info *there = &start->device->entry->info, *here = &end->device->entry->info;
        return error_set(WEFT_ERROR_INVALID_ARGUMENT, "start was made for device %s:%d, end for %s:%d", there->api, there->id,
                         here->api, here->id);
    }
    cl_ulong from = 0, to = 0;
    recorded first = recorded_now(start), last = recorded_now(end);
    weft_status status = passed_at(start, first, "start", &from);
    status = status ? status : passed_at(end, last, "end", &to);
    if (!status) {
        *out = to > from ? to - from : 0;
    }
    recorded_release(start, first);
    recorded_release(end, last);
    return status;
}
