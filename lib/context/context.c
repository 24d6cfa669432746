#include "context/context.h"

#include <stdlib.h>

#include "base/api.h"
#include "base/object.h"
#include "context/asserts.h"

/* Every live context, so that exit() can let their queues run dry. */
static pthread_mutex_t list_lock = PTHREAD_MUTEX_INITIALIZER;
static weft_context *list;

/* Some drivers crash when exit() finds them compiling or running a kernel. */
static void drain_at_exit(bool last) {
    pthread_mutex_lock(&list_lock);
    for (weft_context *context = list; context; context = context->next) {
        if (context->device->entry->quirks & QUIRK_DRAIN_BEFORE_EXIT) {
            WEFT_IGNORE(context_wait(context));
        }
    }
    pthread_mutex_unlock(&list_lock);
    if (last) {
        driver_lock_for_good();
    }
}

static void list_add(weft_context *context) {
    process_at_exit(drain_at_exit);
    pthread_mutex_lock(&list_lock);
    context->next = list;
    if (list) {
        list->previous = context;
    }
    list = context;
    pthread_mutex_unlock(&list_lock);
}

static void list_remove(weft_context *context) {
    pthread_mutex_lock(&list_lock);
    if (context->previous) {
        context->previous->next = context->next;
    } else if (list == context) {
        list = context->next;
    }
    if (context->next) {
        context->next->previous = context->previous;
    }
    pthread_mutex_unlock(&list_lock);
}

weft_status context_create_queue(device *device, bool timing, weft_context **out) {
    if (timing && !device->entry->profiling) {
        return error_set(WEFT_ERROR_UNSUPPORTED, "timing: device %s:%d (%s) has no profiling queues", device->entry->info.api,
                         device->entry->info.id, device->entry->info.name);
    }
    weft_context *context = NULL;
    weft_status status = object_new(sizeof *context, &context);
    if (status) {
        return status;
    }
    cl_int code;
    /* The 1.x call: the 2.x one loops for ever in Oclgrind behind a loader. */
    DRIVER(device->entry, context->queue = clCreateCommandQueue(device->cl, device->entry->id,
                                                                timing ? CL_QUEUE_PROFILING_ENABLE : 0, &code));
    if (!context->queue) {
        free(context);
        return driver_error(device->entry, "clCreateCommandQueue", code);
    }
    refcount_init(&context->refs);
    pthread_mutex_init(&context->lock, NULL);
    context->device = device_retain(device);
    list_add(context);
    *out = context;
    return WEFT_OK;
}

WEFT_API weft_status weft_context_create(const weft_context_options *options, weft_context **out) {
    if (out) {
        *out = NULL;
    }
    API_ENTER();
    if (!out) {
        return error_null("out");
    }
    const weft_context_options none = {0};
    const weft_context_options *asked = options ? options : &none;
    device_entry *entry = NULL;
    device *device = NULL;
    weft_status status = discover_find(asked->api, asked->device_id, &entry);
    if (status) {
        return status;
    }
    TRY(device_acquire(entry, &device));
    TRY(context_create_queue(device, asked->timing, out));
cleanup:
    device_release(device);
    return status;
}

WEFT_API weft_status weft_context_create_stream(weft_context *context, const weft_stream_options *options, weft_context **out) {
    if (out) {
        *out = NULL;
    }
    API_ENTER();
    if (!context || !out) {
        return error_null(context ? "out" : "context");
    }
    return context_create_queue(context->device, options && options->timing, out);
}

WEFT_API weft_context *weft_context_retain(weft_context *context) {
    if (context) {
        refcount_retain(&context->refs);
    }
    return context;
}

static void context_destroy(weft_context *context) {
    device_entry *entry = context->device->entry;
    if (entry->quirks & QUIRK_DRAIN_BEFORE_EXIT && !process_hold_exit()) {
        return; /* exit() has begun, and lets the queue run dry */
    }
    list_remove(context);
    if (context->oldest) {
        context_drain(context);
    }
    if (context->bound) {
        DRIVER(entry, clReleaseEvent(context->bound));
    }
    for (unsigned i = 0; i < context->n_waits; i++) {
        DRIVER(entry, clReleaseEvent(context->waits[i]));
    }
    asserts_free(context);
    DRIVER(entry, clReleaseCommandQueue(context->queue));
    driver_let_exit(entry);
    pthread_mutex_destroy(&context->lock);
    device_release(context->device);
    free(context);
}

WEFT_API void weft_context_release(weft_context *context) {
    if (context && !API_IS_DOWN() && refcount_release(&context->refs)) {
        context_destroy(context);
    }
}

WEFT_API const char *weft_context_name(weft_context *context) {
    return context ? context->device->entry->info.name : NULL;
}

WEFT_API const char *weft_context_api(weft_context *context) {
    return context ? context->device->entry->info.api : NULL;
}

WEFT_API int weft_context_id(weft_context *context) {
    return context ? context->device->entry->info.id : -1;
}

WEFT_API weft_status weft_context_get_memory_info(weft_context *context, size_t *free_bytes, size_t *total_bytes) {
    if (free_bytes) {
        *free_bytes = 0;
    }
    if (total_bytes) {
        *total_bytes = 0;
    }
    API_ENTER();
    if (!context || !free_bytes || !total_bytes) {
        return error_null(!context ? "context" : !free_bytes ? "free_bytes" : "total_bytes");
    }
    size_t total = context->device->entry->info.global_memory_bytes;
    size_t live = atomic_load_explicit(&context->device->live_bytes, memory_order_relaxed);
    *total_bytes = total;
    *free_bytes = live < total ? total - live : 0;
    return WEFT_OK;
}

WEFT_API weft_status weft_flush(weft_context *context) {
    API_ENTER();
    if (!context) {
        return error_null("context");
    }
    cl_int code;
    DRIVER(context->device->entry, code = clFlush(context->queue));
    return code == CL_SUCCESS ? WEFT_OK : driver_error(context->device->entry, "clFlush", code);
}

WEFT_API weft_status weft_synchronize(weft_context *context) {
    API_ENTER();
    if (!context) {
        return error_null("context");
    }
    return context_wait(context);
}

WEFT_API weft_status weft_enqueue_wait_for(weft_context *context, weft_context *other) {
    API_ENTER();
    if (!context || !other) {
        return error_null(context ? "other" : "context");
    }
    return context_wait_for(context, other);
}
