#include "context/point.h"

#include <time.h>

cl_int point_enqueue(weft_context *context, cl_event *out) {
    cl_int code;
    DRIVER(context->device->entry, code = clEnqueueMarkerWithWaitList(context->queue, 0, NULL, out));
    if (code == CL_SUCCESS) {
        DRIVER(context->device->entry, code = clFlush(context->queue));
        if (code != CL_SUCCESS) {
            point_release(context->device->entry, *out);
            *out = NULL;
        }
    }
    return code;
}

static cl_int ask(const device_entry *entry, cl_event point, cl_int *status) {
    cl_int code;
    *status = CL_QUEUED;
    DRIVER(entry, code = clGetEventInfo(point, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof *status, status, NULL));
    return code;
}

cl_int point_status(const device_entry *entry, cl_event point) {
    cl_int status, code = ask(entry, point, &status);
    return code == CL_SUCCESS ? status : code;
}

bool point_has_ended(const device_entry *entry, cl_event point) {
    cl_int status, code = ask(entry, point, &status);
    return code == CL_SUCCESS && status <= CL_COMPLETE;
}

/* Asks again after about an eighth of the time waited so far: late by that much at most, and soon rarely on the core. */
static cl_int sleep_until(const device_entry *entry, cl_event point) {
    enum { LEAST_NS = 20000, MOST_NS = 1000000 };
    cl_int status, code;
    for (long pause = LEAST_NS; (code = ask(entry, point, &status)) == CL_SUCCESS && status > CL_COMPLETE; pause += pause / 8) {
        pause = pause > MOST_NS ? MOST_NS : pause;
        nanosleep(&(struct timespec){0, pause}, NULL);
    }
    return code != CL_SUCCESS ? code : status < 0 ? CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST : CL_SUCCESS;
}

cl_int point_wait(const device_entry *entry, cl_event point, bool sleep) {
    if (sleep) {
        return sleep_until(entry, point);
    }
    cl_int code;
    DRIVER(entry, code = clWaitForEvents(1, &point));
    return code;
}

void point_release(const device_entry *entry, cl_event point) {
    if (point) {
        DRIVER(entry, clReleaseEvent(point));
    }
}
