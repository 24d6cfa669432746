/* How long a context takes for what a function enqueues. */
#include <time.h>

#include "base/api.h"
#include "context/point.h"
#include "context/recording.h"

typedef weft_status (*work)(weft_context *context, size_t iteration, void *user);

static uint64_t host_now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* What func calls names itself; what fails afterwards is this call's. */
static weft_status repeat(weft_context *context, work func, void *user, size_t iterations) {
    const char *own = error_function;
    weft_status status = WEFT_OK;
    for (size_t i = 0; i < iterations && !status; i++) {
        status = func(context, i, user);
    }
    error_function = own;
    return status;
}

static weft_status end_of(weft_context *context, cl_event point, cl_ulong *out) {
    const device_entry *entry = context->device->entry;
    cl_int code = point_status(entry, point);
    if (code < 0) {
        return context_failed(context, "an earlier command", code);
    }
    DRIVER(entry, code = clGetEventProfilingInfo(point, CL_PROFILING_COMMAND_END, sizeof *out, out, NULL));
    return code == CL_SUCCESS ? WEFT_OK : driver_error(entry, "clGetEventProfilingInfo", code);
}

/* The wait after a failure hides it from nobody. */
static weft_status settle_after(weft_context *context, weft_status status) {
    if (status) {
        context_settle(context);
    }
    return status;
}

static weft_status by_device(weft_context *context, work func, void *user, size_t iterations, uint64_t *out) {
    const device_entry *entry = context->device->entry;
    cl_event start = NULL, end = NULL;
    cl_ulong from, to;
    weft_status status;
    TRY(context_point(context, &start));
    TRY(settle_after(context, repeat(context, func, user, iterations)));
    TRY(context_point(context, &end));
    TRY(context_wait(context));
    TRY(end_of(context, start, &from));
    TRY(end_of(context, end, &to));
    *out = to > from ? to - from : 0;
cleanup:
    point_release(entry, start);
    point_release(entry, end);
    return status;
}

static weft_status by_host(weft_context *context, work func, void *user, size_t iterations, uint64_t *out) {
    weft_status status = context_wait(context);
    if (status) {
        return status;
    }
    uint64_t start = host_now_ns();
    status = settle_after(context, repeat(context, func, user, iterations));
    status = status ? status : context_wait(context);
    if (!status) {
        *out = host_now_ns() - start;
    }
    return status;
}

WEFT_API weft_status weft_execution_time(weft_context *context, work func, void *user, size_t iterations, uint64_t *out_total_ns) {
    if (out_total_ns) {
        *out_total_ns = 0;
    }
    API_ENTER();
    if (!context || !func || !out_total_ns) {
        return error_null(!context ? "context" : !func ? "func" : "out_total_ns");
    }
    weft_status status = context_check(context);
    status = status ? status : context_may_block(context);
    if (status) {
        return status;
    }
    bool device = context->timing && context->device->entry->info.timestamps;
    return (device ? by_device : by_host)(context, func, user, iterations, out_total_ns);
}
