#include "context/context.h"

#include <CL/cl_ext.h>
#include <stdlib.h>
#include <string.h>

#include "base/api.h"
#include "base/object.h"
#include "context/asserts.h"
#include "context/host_func.h"
#include "context/point.h"
#include "context/recording.h"

/* Every live context, so that exit() can let their queues run dry. */
static pthread_mutex_t list_lock = PTHREAD_MUTEX_INITIALIZER;
static weft_context *list;

/* A context that exit() must let run dry, with a reference: some drivers crash when they are found compiling or running a
 * kernel, host functions are to be called, and the timeline is to be whole. */
static weft_context *next_to_drain(unsigned pass) {
    weft_context *found = NULL;
    pthread_mutex_lock(&list_lock);
    for (weft_context *context = list; context && !found; context = context->next) {
        bool needed = context->device->entry->quirks & QUIRK_DRAIN_BEFORE_EXIT || context->worker || context->lane;
        if (needed && context->drained != pass && refcount_try_retain(&context->refs)) {
            context->drained = pass;
            found = context;
        }
    }
    pthread_mutex_unlock(&list_lock);
    return found;
}

static void drain_at_exit(bool last) {
    static unsigned pass;
    weft_context *context;
    host_func_abandon();
    pass++;
    while ((context = next_to_drain(pass))) {
        WEFT_IGNORE(context_wait(context));
        refcount_release(&context->refs); /* the last one too: it stays where the list has it */
    }
    trace_at_exit(last);
    if (last) {
        driver_lock_for_good();
    }
}

void context_lose_device(device *device, cl_int code) {
    cl_int none = 0;
    atomic_compare_exchange_strong(&device->lost, &none, code);
    pthread_mutex_lock(&list_lock);
    for (weft_context *context = list; context; context = context->next) {
        if (context->device == device) {
            atomic_fetch_or(&context->attention, ATTENTION_LOST);
        }
    }
    pthread_mutex_unlock(&list_lock);
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

/* Commands between two bounds: enough to hide the cost, few enough to bound drivers' memory (100,000 unsynchronized
 * launches grew drivers by 19 to 55 MB). */
enum { BOUND_COMMANDS = 4096 };

/* WEFT_SYNC=1 makes every call wait for its own work, so that it tells its own failure. */
static unsigned bound_commands(void) {
    const char *sync = getenv("WEFT_SYNC");
    return sync && *sync && strcmp(sync, "0") != 0 ? 1 : BOUND_COMMANDS;
}

static bool has_priorities(const device_entry *entry) {
    return entry->priorities && entry->version >= 200;
}

static cl_command_queue create_queue(device *device, const weft_stream_options *options, bool traced, cl_int *code) {
    const device_entry *entry = device->entry;
    bool profiling = options->timing || (traced && entry->profiling);
    cl_command_queue_properties properties = profiling ? CL_QUEUE_PROFILING_ENABLE : 0;
    cl_command_queue queue;
    if (options->priority == 0 || !has_priorities(entry)) {
        /* The 1.x call: the 2.x one loops for ever in Oclgrind behind a loader. */
        DRIVER(entry, queue = clCreateCommandQueue(device->cl, entry->id, properties, code));
        return queue;
    }
    const cl_queue_properties list[] = {
        CL_QUEUE_PROPERTIES, properties, CL_QUEUE_PRIORITY_KHR,
        options->priority < 0 ? CL_QUEUE_PRIORITY_HIGH_KHR : CL_QUEUE_PRIORITY_LOW_KHR, 0};
    DRIVER(entry, queue = clCreateCommandQueueWithProperties(device->cl, entry->id, list, code));
    return queue;
}

weft_status context_create_queue(device *device, const weft_stream_options *options, weft_context **out) {
    if (options->timing && !device->entry->profiling) {
        return error_set(WEFT_ERROR_UNSUPPORTED, "timing: device %s:%d (%s) has no profiling queues", device->entry->info.api,
                         device->entry->info.id, device->entry->info.name);
    }
    weft_context *context = NULL;
    weft_status status = device_check(device);
    status = status ? status : object_new(sizeof *context, &context);
    if (status) {
        return status;
    }
    if (trace_is_on()) {
        status = trace_lane_create(device->entry, &context->lane);
        if (status) {
            free(context);
            return status;
        }
        context->attention = ATTENTION_TRACED;
    }
    cl_int code;
    context->queue = create_queue(device, options, context->lane, &code);
    if (!context->queue) {
        trace_lane_release(context->lane);
        free(context);
        return driver_error(device->entry, "clCreateCommandQueue", code);
    }
    refcount_init(&context->refs);
    refcount_init(&context->handles);
    pthread_mutex_init(&context->runs, NULL);
    pthread_mutex_init(&context->lock, NULL);
    context->device = device_retain(device);
    launched_init(&context->launched);
    context->timing = options->timing;
    context->blocking_sync = options->blocking_sync;
    context->bound_commands = bound_commands();
    list_add(context);
    if (atomic_load(&device->lost)) { /* since it was looked at */
        atomic_fetch_or(&context->attention, ATTENTION_LOST);
    }
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
    const weft_stream_options queue = {asked->timing, asked->blocking_sync, asked->priority};
    TRY(context_create_queue(device, &queue, out));
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
    const weft_stream_options none = {0};
    return context_create_queue(context->device, options ? options : &none, out);
}

WEFT_API weft_status weft_context_stream_priority_range(weft_context *context, int *least, int *greatest) {
    if (least) {
        *least = 0;
    }
    if (greatest) {
        *greatest = 0;
    }
    API_ENTER();
    if (!context || !least || !greatest) {
        return error_null(!context ? "context" : !least ? "least" : "greatest");
    }
    if (has_priorities(context->device->entry)) {
        *least = 1;
        *greatest = -1;
    }
    return WEFT_OK;
}

WEFT_API weft_context *weft_context_retain(weft_context *context) {
    if (context) {
        refcount_retain(&context->handles);
    }
    return context_retain(context);
}

weft_context *context_retain(weft_context *context) {
    if (context) {
        refcount_retain(&context->refs);
    }
    return context;
}

static void context_destroy(void *what) {
    weft_context *context = what;
    device_entry *entry = context->device->entry;
    if (host_func_defer(&context->destruction, context_destroy, context)) {
        return; /* its queue may wait for that function */
    }
    if (entry->quirks & QUIRK_DRAIN_BEFORE_EXIT && !process_hold_exit()) {
        return; /* exit() has begun, and lets the queue run dry */
    }
    list_remove(context);
    recording_drop(context);
    if (context->oldest) {
        context_drain(context);
    }
    host_func_end(context);
    point_release(entry, context->bound);
    for (size_t i = 0; i < context->n_waits; i++) {
        point_release(entry, context->waits[i]);
    }
    free(context->waits);
    asserts_free(context);
    DRIVER(entry, clReleaseCommandQueue(context->queue));
    driver_let_exit(entry);
    trace_lane_release(context->lane);
    pthread_mutex_destroy(&context->lock);
    pthread_mutex_destroy(&context->runs);
    device_release(context->device);
    free(context);
}

void context_release(weft_context *context) {
    if (context && !API_IS_DOWN() && refcount_release(&context->refs)) {
        context_destroy(context);
    }
}

WEFT_API void weft_context_release(weft_context *context) {
    if (context && !API_IS_DOWN()) {
        if (refcount_release(&context->handles)) {
            recording_drop(context);
        }
        context_release(context);
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
    weft_status status = context_check(context);
    if (status) {
        return status;
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
    weft_status status = context_may_block(context);
    return status ? status : context_wait(context);
}

WEFT_API weft_status weft_enqueue_wait_for(weft_context *context, weft_context *other) {
    API_ENTER();
    if (!context || !other) {
        return error_null(context ? "other" : "context");
    }
    weft_status status = context_check(context);
    if (status) {
        return status;
    }
    return context_is_recording(context) ? wait_node_record(context, other) : context_wait_for(context, other);
}
