/* Events, host functions, measuring. */
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

#include "scene.h"

static weft_status make_buffer(scene *s, weft_device_buffer **out) {
    MAKE(*out, weft_enqueue_create_buffer(kept_things.context, WEFT_INT32, N, out));
    STEP(weft_enqueue_copy(kept_things.context, *out, s->in));
    return WEFT_OK;
}

/* The copy out runs on a queue that waits for the event. */
static weft_status event_orders(scene *s) {
    weft_device_buffer *buffer;
    weft_event *event;
    bool done = false;
    STEP(make_buffer(s, &buffer));
    MAKE(event, weft_event_create(kept_things.context, NULL, &event));
    STEP(weft_enqueue_wait_for_event(kept_things.sibling, event)); /* for nothing yet */
    STEP(weft_event_record(event, kept_things.context));
    STEP(weft_enqueue_wait_for_event(kept_things.sibling, event));
    STEP(weft_enqueue_copy(kept_things.sibling, s->out, buffer));
    STEP(weft_event_record(event, kept_things.sibling)); /* it moves */
    STEP(weft_event_synchronize(event));
    STEP(weft_event_query(event, &done));
    STEP(scene_synchronize(s));
    HOLDS(done && SAME(s->in, s->out));
    return WEFT_OK;
}

static weft_status event_across(scene *s) {
    weft_device_buffer *buffer;
    weft_event *event;
    STEP(make_buffer(s, &buffer));
    MAKE(event, weft_event_create(kept_things.context, NULL, &event));
    STEP(weft_enqueue_copy(kept_things.context, s->out, buffer));
    STEP(weft_event_record(event, kept_things.context));
    STEP(weft_enqueue_wait_for_event(kept_things.other, event));
    HOLDS(SAME(s->in, s->out));
    STEP(scene_synchronize(s));
    return WEFT_OK;
}

static weft_status event_elapsed(scene *s) {
    weft_context *timed;
    weft_event *start, *end;
    uint64_t ns = 0;
    MAKE(timed, weft_context_create_stream(kept_things.context, &(weft_stream_options){.timing = true, .blocking_sync = true}, &timed));
    MAKE(start, weft_event_create(timed, &(weft_event_options){.timing = true}, &start));
    MAKE(end, weft_event_create(timed, &(weft_event_options){.blocking_sync = true}, &end));
    STEP(weft_event_record(start, timed));
    STEP(weft_event_record(end, timed));
    STEP(weft_event_elapsed_ns(start, end, &ns));
    STEP(weft_event_synchronize(end));
    STEP(weft_synchronize(timed));
    return WEFT_OK;
}

static atomic_int calls;
static int enqueued; /* functions that are to be called, once each */
static int32_t numbers[N];

static void begin(void) {
    atomic_store(&calls, 0);
    enqueued = 0;
}

static weft_status enqueue(scene *s, weft_context *on, void (*func)(void *user), void *user) {
    fault_during("weft_enqueue_host_func(on, func, user)");
    weft_status status = scene_returned(s, weft_enqueue_host_func(on, func, user));
    enqueued += !status;
    return status;
}

/* Waits until all are called, also where the wait for the queue fails. */
static weft_status end(scene *s, weft_context *on) {
    fault_during("weft_synchronize(on)");
    weft_status status = scene_returned(s, weft_synchronize(on));
    while (atomic_load(&calls) < enqueued) {
        nanosleep(&(struct timespec){0, 20000}, NULL);
    }
    return status;
}

static void negate(void *user) {
    (void)user;
    for (int i = 0; i < N; i++) {
        numbers[i] = -numbers[i];
    }
    atomic_fetch_add(&calls, 1);
}

static weft_status host_function(scene *s) {
    weft_device_buffer *buffer;
    STEP(make_buffer(s, &buffer));
    begin();
    STEP(weft_enqueue_copy(kept_things.context, numbers, buffer));
    weft_status status = enqueue(s, kept_things.context, negate, NULL);
    status = status ? status : enqueue(s, kept_things.context, negate, NULL);
    weft_status waited = end(s, kept_things.context);
    if (status || waited) {
        return status ? status : waited;
    }
    HOLDS(atomic_load(&calls) == 2 && memcmp(numbers, s->in, sizeof numbers) == 0);
    return WEFT_OK;
}

/* In the function: the last reference to a queue that waits for it, and memory that is captured. */
static weft_context *waiting;
static weft_device_buffer *written;
static weft_status written_status;

static void let_go(void *user) {
    const int32_t first = 17, box[4] = {4, 7, 10, 13}; /* as they are */
    written_status = scene_returned(user, weft_enqueue_copy_range(kept_things.context, written, 0, &first, 0, 1));
    weft_status status = weft_enqueue_copy_rect(kept_things.context, written, WEFT_RECT(1, 2, 0), box, WEFT_RECT(0, 2, 0), 1, 2, 1);
    written_status = written_status ? written_status : scene_returned(user, status);
    weft_context_release(waiting);
    atomic_fetch_add(&calls, 1);
}

static weft_status host_function_lets_go(scene *s) {
    weft_device_buffer *buffer;
    STEP(make_buffer(s, &buffer));
    STEP(weft_context_create_stream(kept_things.context, NULL, &waiting));
    begin();
    written = buffer;
    weft_status status = enqueue(s, kept_things.context, let_go, s);
    if (status) {
        weft_context_release(waiting);
        return status;
    }
    status = end(s, kept_things.context);
    if (status || written_status) {
        return status ? status : written_status;
    }
    STEP(weft_enqueue_copy(kept_things.context, s->out, buffer));
    STEP(scene_synchronize(s));
    HOLDS(atomic_load(&calls) == 1 && s->out[0] == 17 && s->out[1] == s->in[1]);
    return WEFT_OK;
}

static weft_status call_on(scene *s, weft_context *context) {
    begin();
    weft_status status = enqueue(s, context, negate, NULL);
    weft_status waited = end(s, context);
    if (status || waited) {
        return status ? status : waited;
    }
    HOLDS(atomic_load(&calls) == 1);
    return WEFT_OK;
}

static weft_status host_function_of_own(scene *s) {
    weft_context *context;
    MAKE(context, weft_context_create_stream(kept_things.context, NULL, &context));
    return call_on(s, context);
}

/* On a driver that is flushed after each command: behind the function, too. */
static weft_status host_function_flushed(scene *s) {
    weft_context *context;
    MAKE(context, weft_context_create(&(weft_context_options){.api = "any"}, &context));
    return call_on(s, context);
}

static weft_status sync_stream(scene *s, weft_context **out) {
    MAKE(*out, weft_context_create_stream(kept_things.context, NULL, out));
    return WEFT_OK;
}

/* The call waits for its own work there, and that may fail. A function is not called when it was refused. */
static weft_status host_function_in_sync_mode(scene *s) {
    weft_context *context;
    setenv("WEFT_SYNC", "1", 1);
    weft_status made = sync_stream(s, &context);
    unsetenv("WEFT_SYNC");
    if (made) {
        return made;
    }
    begin();
    weft_status status = enqueue(s, context, negate, NULL);
    weft_status waited = end(s, context);
    if (status) {
        nanosleep(&(struct timespec){0, 2000000}, NULL);
    }
    HOLDS(atomic_load(&calls) == enqueued);
    return status ? status : waited;
}

static weft_status square(weft_context *context, size_t iteration, void *user) {
    (void)iteration;
    return weft_enqueue_function(context, kept_things.square, N / 16, 16, (weft_device_buffer *)user);
}

static weft_status measure(scene *s, weft_context *context) {
    weft_device_buffer *buffer;
    uint64_t ns = 0;
    STEP(make_buffer(s, &buffer));
    STEP(weft_enqueue_wait_for(context, kept_things.context));
    STEP(weft_execution_time(context, square, buffer, 2, &ns));
    STEP(weft_enqueue_copy(context, s->out, buffer));
    STEP(scene_synchronize(s));
    HOLDS(s->out[3] == 9 && s->out[N - 1] == (N - 1) * (N - 1));
    return WEFT_OK;
}

static weft_status execution_time(scene *s) {
    return measure(s, kept_things.sibling);
}

static weft_status execution_time_timed(scene *s) {
    weft_context *timed;
    MAKE(timed, weft_context_create_stream(kept_things.context, &(weft_stream_options){.timing = true}, &timed));
    return measure(s, timed);
}

/* A graph of what waits and calls, and of a box. */
static weft_status graph_of_order(scene *s) {
    weft_context *context;
    weft_device_buffer *buffer;
    weft_event *event;
    weft_graph *graph;
    MAKE(context, weft_context_create_stream(kept_things.context, NULL, &context));
    STEP(make_buffer(s, &buffer));
    MAKE(event, weft_event_create(context, NULL, &event));
    STEP(weft_graph_begin(context));
    weft_status status = scene_returned(s, weft_enqueue_wait_for(context, kept_things.context));
    status = status ? status : scene_returned(s, weft_enqueue_copy(context, numbers, buffer));
    status = status ? status : scene_returned(s, weft_enqueue_host_func(context, negate, NULL));
    status = status ? status : scene_returned(s, weft_enqueue_copy_rect(context, buffer, WEFT_RECT(0, N / 4, 0), numbers,
                                                                        WEFT_RECT(0, N / 4, 0), N / 8, 4, 1));
    status = status ? status : scene_returned(s, weft_event_record(event, context));
    status = status ? status : scene_returned(s, weft_enqueue_wait_for_event(context, event));
    MAKE(graph, weft_graph_end(context, &graph));
    if (status) {
        return status;
    }
    STEP(weft_enqueue_graph(context, graph));
    STEP(weft_event_synchronize(event));
    STEP(weft_synchronize(context));
    STEP(weft_enqueue_copy(kept_things.context, s->out, buffer));
    STEP(scene_synchronize(s));
    HOLDS(s->out[1] == -s->in[1] && s->out[N / 8] == s->in[N / 8] && s->out[N / 4 + 1] == -s->in[N / 4 + 1]);
    return WEFT_OK;
}

/* On a driver that has them; 0: the queue was made without. */
static weft_status priorities(scene *s) {
    static const struct {
        int asked;
        unsigned long expected; /* CL_QUEUE_PRIORITY_KHR */
    } rows[] = {{-1, 1}, {0, 0}, {1, 4}, {-7, 1}, {7, 4}};
    weft_context *context;
    int least = 7, greatest = 7;
    MAKE(context, weft_context_create(&(weft_context_options){.api = "any"}, &context));
    STEP(weft_context_stream_priority_range(context, &least, &greatest));
    HOLDS(least == 1 && greatest == -1);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        weft_context *stream;
        MAKE(stream, weft_context_create_stream(context, &(weft_stream_options){.priority = rows[i].asked}, &stream));
        HOLDS(layer_queue_priority() == rows[i].expected);
        STEP(weft_synchronize(stream));
    }
    return WEFT_OK;
}

const scenario order_scenarios[] = {
    {"event_orders", event_orders, KEEPS, NULL},
    {"event_across", event_across, KEEPS, NULL},
    {"event_elapsed", event_elapsed, KEEPS, NULL},
    {"host_function", host_function, KEEPS, NULL},
    {"host_function_lets_go", host_function_lets_go, KEEPS, NULL},
    {"host_function_of_own", host_function_of_own, KEEPS, NULL},
    {"host_function_flushed", host_function_flushed, 0, AMD},
    {"host_function_in_sync_mode", host_function_in_sync_mode, KEEPS, NULL},
    {"graph_of_order", graph_of_order, KEEPS, NULL},
    {"priorities", priorities, 0, AMD},
    {"execution_time", execution_time, KEEPS, NULL},
    {"execution_time_timed", execution_time_timed, KEEPS, NULL},
    {NULL, NULL, 0, NULL},
};
