#include "context/asserts.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/api.h"
#include "base/object.h"
#include "context/command.h"

/* As in kernels/assert.clh. The driver fills `launched` in one command, of the largest size that all take. */
typedef struct record {
    char launched[128];
    char name[128], file[256], expression[256];
    cl_long block[3], thread[3];
    cl_int line;
    cl_uint failures;
} record;

struct asserts {
    pthread_mutex_t lock; /* guards what follows */
    cl_mem memory;
    char launched[sizeof((record *)NULL)->launched]; /* what the queue will have put there */
    bool failed;  /* first is to be told */
    record first;
};

static weft_status create(weft_context *context, struct asserts **out) {
    const device_entry *entry = context->device->entry;
    struct asserts *made = NULL;
    record nothing = {0};
    weft_status status = object_new(sizeof *made, &made);
    if (status) {
        return status;
    }
    cl_int code;
    DRIVER(entry, made->memory = clCreateBuffer(context->device->cl, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof nothing,
                                                &nothing, &code));
    if (!made->memory) {
        free(made);
        return driver_error(entry, "clCreateBuffer", code);
    }
    pthread_mutex_init(&made->lock, NULL);
    *out = made;
    return WEFT_OK;
}

static weft_status asserts_of(weft_context *context, struct asserts **out) {
    weft_status status = WEFT_OK;
    *out = atomic_load_explicit(&context->asserts, memory_order_acquire);
    if (*out) {
        return WEFT_OK;
    }
    pthread_mutex_lock(&context->lock);
    *out = atomic_load_explicit(&context->asserts, memory_order_relaxed);
    if (!*out) {
        status = create(context, out);
        atomic_store_explicit(&context->asserts, *out, memory_order_release);
    }
    pthread_mutex_unlock(&context->lock);
    return status;
}

/* Tells the record which kernel comes next, by a command in the queue. */
static weft_status name_kernel_locked(weft_context *context, struct asserts *asserts, const char *name) {
    char launched[sizeof asserts->launched] = {0};
    memcpy(launched, name, strnlen(name, sizeof launched - 1));
    if (memcmp(launched, asserts->launched, sizeof launched) == 0) {
        return WEFT_OK;
    }
    cl_int code = command_fill(context, asserts->memory, offsetof(record, launched), sizeof launched, launched, sizeof launched);
    if (code != CL_SUCCESS) {
        return driver_error(context->device->entry, "clEnqueueFillBuffer", code);
    }
    memcpy(asserts->launched, launched, sizeof launched);
    return WEFT_OK;
}

weft_status asserts_begin(weft_context *context, const char *kernel_name, cl_mem *out) {
    struct asserts *asserts = NULL;
    weft_status status = asserts_of(context, &asserts);
    if (status) {
        return status;
    }
    pthread_mutex_lock(&asserts->lock);
    status = name_kernel_locked(context, asserts, kernel_name);
    *out = asserts->memory;
    if (status) {
        pthread_mutex_unlock(&asserts->lock);
    }
    return status;
}

void asserts_end(weft_context *context, bool launched) {
    if (launched) {
        atomic_store_explicit(&context->asserts_running, true, memory_order_release);
    }
    pthread_mutex_unlock(&atomic_load_explicit(&context->asserts, memory_order_acquire)->lock);
}

/* Reads what has been recorded so far, and with `reset` makes the record empty again: no launch gets in between. *reset
 * is false afterwards if that did not happen. */
static failure read_record(weft_context *context, struct asserts *asserts, bool *reset, record *out) {
    const device_entry *entry = context->device->entry;
    const cl_uchar zero = 0;
    cl_event done = NULL;
    failure found = {CL_SUCCESS, "clEnqueueReadBuffer"};
    pthread_mutex_lock(&asserts->lock);
    DRIVER(entry, found.code = clEnqueueReadBuffer(context->queue, asserts->memory, CL_FALSE, 0, sizeof *out, out, 0, NULL, &done));
    if (found.code == CL_SUCCESS && *reset) {
        size_t rest = offsetof(record, name);
        found.call = "clEnqueueFillBuffer";
        found.code = command_fill(context, asserts->memory, rest, sizeof *out - rest, &zero, sizeof zero);
    }
    *reset = *reset && found.code == CL_SUCCESS;
    pthread_mutex_unlock(&asserts->lock);
    if (done) { /* waited for in any case: the driver writes to *out until then */
        failure flushed = {CL_SUCCESS, "clFlush"}, waited = {CL_SUCCESS, "clWaitForEvents"};
        DRIVER(entry, flushed.code = clFlush(context->queue));
        DRIVER(entry, waited.code = clWaitForEvents(1, &done));
        DRIVER(entry, clReleaseEvent(done));
        if (waited.code != CL_SUCCESS) { /* it may not have waited */
            DRIVER(entry, clFinish(context->queue));
        }
        found = found.code != CL_SUCCESS ? found : flushed.code != CL_SUCCESS ? flushed : waited;
    }
    return found;
}

/* Keeps what was read until it is told. */
static void keep(struct asserts *asserts, const record *read) {
    pthread_mutex_lock(&asserts->lock);
    if (asserts->failed) {
        asserts->first.failures += read->failures < UINT32_MAX - asserts->first.failures ? read->failures : 0;
    } else {
        asserts->first = *read;
        asserts->failed = true;
    }
    pthread_mutex_unlock(&asserts->lock);
}

failure asserts_collect(weft_context *context) {
    struct asserts *asserts = atomic_load_explicit(&context->asserts, memory_order_acquire);
    record now, last;
    bool reset = false;
    failure found = read_record(context, asserts, &reset, &now);
    if (found.code == CL_SUCCESS && now.failures) {
        reset = true;
        found = read_record(context, asserts, &reset, &last); /* another thread may have been here first */
        now = found.code == CL_SUCCESS ? last : now;
    }
    if (reset && now.failures) {
        keep(asserts, &now);
    }
    if (found.code != CL_SUCCESS && !reset) {
        atomic_store(&context->asserts_running, true); /* to be read again */
    }
    return found;
}

static weft_status tell(const record *r) {
    return error_set(WEFT_ERROR_EXECUTION_FAILED,
                     "kernel %.127s: assertion \"%.255s\" failed at %.255s:%d, block (%lld, %lld, %lld), thread (%lld, %lld, %lld); "
                     "%u failure%s in all", r->name, r->expression, r->file, r->line, (long long)r->block[0],
                     (long long)r->block[1], (long long)r->block[2], (long long)r->thread[0], (long long)r->thread[1],
                     (long long)r->thread[2], r->failures, r->failures == 1 ? "" : "s");
}

weft_status asserts_tell(weft_context *context) {
    struct asserts *asserts = atomic_load_explicit(&context->asserts, memory_order_acquire);
    if (!asserts) {
        return WEFT_OK;
    }
    pthread_mutex_lock(&asserts->lock);
    weft_status status = asserts->failed ? tell(&asserts->first) : WEFT_OK;
    asserts->failed = false;
    pthread_mutex_unlock(&asserts->lock);
    return status;
}

void asserts_free(weft_context *context) {
    struct asserts *asserts = atomic_load_explicit(&context->asserts, memory_order_acquire);
    if (asserts) {
        DRIVER(context->device->entry, clReleaseMemObject(asserts->memory));
        pthread_mutex_destroy(&asserts->lock);
        free(asserts);
    }
}
