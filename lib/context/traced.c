#include "context/traced.h"

#include "base/api.h"
#include "context/command.h"
#include "context/host_func.h"
#include "context/point.h"

cl_event *traced_start(traced *traced) {
    if (!trace_is_on()) {
        return NULL;
    }
    traced->start_ns = clock_now_ns();
    return &traced->event;
}

static trace_slot take(weft_context *context, trace_kind kind, uint64_t start_ns, cl_event event) {
    uint64_t now = clock_now_ns();
    trace_slot slot = trace_take(kind);
    if (slot.record) {
        slot.record->entry = context->device->entry;
        slot.record->lane = trace_lane_retain(context->lane);
        slot.record->event = event;
        slot.record->start_ns = start_ns;
        slot.record->end_ns = now;
        slot.record->pageable = slot.record->blocking = false;
    } else {
        point_release(context->device->entry, event);
    }
    return slot;
}

trace_slot traced_take(weft_context *context, traced *traced, trace_kind kind) {
    return take(context, kind, traced->start_ns, traced->event);
}

void traced_copied(weft_context *context, traced *traced, trace_kind kind, size_t size_bytes, unsigned how) {
    trace_slot slot = traced_take(context, traced, kind);
    if (slot.record) {
        slot.record->bytes = size_bytes;
        slot.record->pageable = how & COMMAND_PAGEABLE;
        slot.record->blocking = how & COMMAND_BLOCKING;
        trace_publish(slot);
    }
}

void traced_barrier(weft_context *context, uint64_t start_ns, cl_event barrier) {
    cl_int code;
    DRIVER(context->device->entry, code = clRetainEvent(barrier));
    if (code == CL_SUCCESS) {
        trace_slot slot = take(context, TRACE_WAIT, start_ns, barrier);
        if (slot.record) {
            trace_publish(slot);
        }
    }
}

WEFT_API weft_status weft_trace_start(const char *path) {
    API_ENTER();
    if (!path) {
        return error_null("path");
    }
    if (!*path) {
        return error_set(WEFT_ERROR_INVALID_ARGUMENT, "path is empty");
    }
    return trace_start(path);
}

WEFT_API weft_status weft_trace_stop(void) {
    API_ENTER();
    if (host_func_is_running()) {
        return error_set(WEFT_ERROR_INVALID_ARGUMENT, "a host function cannot stop the trace, since commands wait behind it");
    }
    return trace_stop();
}
