/* Host memory that outlives its handle until the commands that use it have ended. */
#include <stdlib.h>

#include "base/api.h"
#include "context/host_func.h"
#include "context/point.h"
#include "context/retire.h"

/* Retired memory that may pile up before a release waits for the oldest. */
enum { RETIRED_BYTES = 256 << 20 };

retired *retired_take_locked(weft_context *context, bool all) {
    const device_entry *entry = context->device->entry;
    retired *ended = context->oldest, *last = NULL;
    for (retired *item = ended; item && (all || point_has_ended(entry, item->done)); item = item->next) {
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

void retired_dispose(weft_context *context, retired *ended) {
    while (ended) {
        retired *next = ended->next;
        ended->dispose(ended->what);
        point_release(context->device->entry, ended->done);
        free(ended);
        ended = next;
    }
}

static void append_locked(weft_context *context, retired *item) {
    if (context->newest) {
        context->newest->next = item;
    } else {
        context->oldest = item;
    }
    context->newest = item;
    context->retired_bytes += item->size_bytes;
}

/* The oldest item's point when too much has piled up, with a reference; else NULL. */
static cl_event full_locked(weft_context *context) {
    if (context->retired_bytes <= RETIRED_BYTES || host_func_is_running()) {
        return NULL;
    }
    cl_event done = context->oldest->done;
    DRIVER(context->device->entry, clRetainEvent(done));
    return done;
}

void context_retire(weft_context *context, size_t size_bytes, void (*dispose)(void *), void *what) {
    const device_entry *entry = context->device->entry;
    retired *item = calloc(1, sizeof *item);
    cl_event done = NULL;
    if (!item || point_enqueue(context, &done) != CL_SUCCESS) {
        free(item);
        if (host_func_runs_for(context)) {
            return; /* neither a place to keep it nor a way to wait: it stays */
        }
        context_settle(context);
        dispose(what);
        return;
    }
    *item = (retired){NULL, done, size_bytes, dispose, what};
    pthread_mutex_lock(&context->lock);
    append_locked(context, item);
    cl_event first = full_locked(context);
    pthread_mutex_unlock(&context->lock);
    if (first) {
        point_wait(entry, first, context->blocking_sync);
        point_release(entry, first);
    }
    pthread_mutex_lock(&context->lock);
    retired *ended = retired_take_locked(context, false);
    pthread_mutex_unlock(&context->lock);
    retired_dispose(context, ended);
}
