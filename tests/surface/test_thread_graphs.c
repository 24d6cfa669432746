/* One graph from many threads: recorded, enqueued and changed at once. */
#include <pthread.h>
#include <stdio.h>

#include "support.h"

enum { THREADS = 8, LENGTH = 64 };

static const char source[] =
    "kernel void triple(global int *out, global const int *in) { out[get_global_id(0)] = 3 * in[get_global_id(0)]; }\n"
    "kernel void next(global int *out, global const int *in, int by) { out[get_global_id(0)] = in[get_global_id(0)] + by; }\n"
    "kernel void count(global int *out, int by) { atomic_add(&out[get_global_id(0)], by); }\n";

typedef struct worker {
    int number;
    size_t rounds;
    weft_context *context;
    char note[1024]; /* "" while all is well */
    pthread_t thread;
} worker;

static worker workers[THREADS];
static weft_graph *graph;
static weft_device_buffer *data;
static weft_device_buffer *views[THREADS];

/* In a worker: note what is wrong, and stop. */
#define WORKER_OK(call)                                                                          \
    do {                                                                                         \
        if ((call) != WEFT_OK) {                                                                 \
            snprintf(w->note, sizeof w->note, "line %d: %s", __LINE__, weft_error_message());    \
            return NULL;                                                                         \
        }                                                                                        \
    } while (0)

static void all_threads(void *(*work)(void *), weft_context *context, size_t rounds) {
    for (int t = 0; t < THREADS; t++) {
        workers[t] = (worker){.number = t, .rounds = rounds, .context = context};
        ck_assert_int_eq(pthread_create(&workers[t].thread, NULL, work, &workers[t]), 0);
    }
    for (int t = 0; t < THREADS; t++) {
        pthread_join(workers[t].thread, NULL);
    }
    for (int t = 0; t < THREADS; t++) {
        ck_assert_msg(!workers[t].note[0], "thread %d: %s", t, workers[t].note);
    }
}

static weft_function *function(const char *name) {
    return test_function(source, name);
}

static void *enqueue(void *argument) {
    worker *w = argument;
    for (size_t i = 0; i < w->rounds; i++) {
        WORKER_OK(weft_enqueue_graph(w->context, graph));
    }
    return NULL;
}

/* Were two runs to mix, one would be lost. */
START_TEST(each_run_is_whole) {
    weft_context *ctx = test_context();
    size_t rounds = test_size(100, 5);
    weft_device_buffer *between = test_device_buffer(WEFT_INT32, LENGTH);
    int32_t got[LENGTH];
    uint32_t want = 1;
    data = test_device_buffer(WEFT_INT32, LENGTH);
    OK(weft_enqueue_fill(data, 1));
    OK(weft_graph_begin(ctx));
    OK(weft_enqueue_function(ctx, function("triple"), LENGTH / 16, 16, between, data));
    OK(weft_enqueue_fill_range(between, 0, 0, 0));
    OK(weft_enqueue_function(ctx, function("next"), LENGTH / 16, 16, data, between, 1));
    OK(weft_graph_end(ctx, &graph));
    all_threads(enqueue, ctx, rounds);
    weft_graph_release(graph);
    test_read(data, got);
    for (size_t i = 0; i < THREADS * rounds; i++) {
        want = want * 3 + 1;
    }
    for (int i = 0; i < LENGTH; i++) {
        ck_assert_int_eq(got[i], (int32_t)want);
    }
}
END_TEST

static void *enqueue_on_own_stream(void *argument) {
    worker *w = argument;
    weft_context *own = NULL;
    WORKER_OK(weft_context_create_stream(w->context, NULL, &own));
    for (size_t i = 0; i < w->rounds; i++) {
        WORKER_OK(weft_enqueue_graph(own, graph));
    }
    WORKER_OK(weft_synchronize(own));
    weft_context_release(own);
    return NULL;
}

START_TEST(one_graph_on_many_streams) {
    weft_context *ctx = test_context();
    size_t rounds = test_size(100, 5);
    int32_t got[LENGTH];
    data = test_device_buffer(WEFT_INT32, LENGTH);
    OK(weft_enqueue_fill(data, 0));
    OK(weft_synchronize(ctx));
    OK(weft_graph_begin(ctx));
    OK(weft_enqueue_function(ctx, function("count"), LENGTH / 16, 16, data, 1));
    OK(weft_enqueue_function(ctx, function("count"), LENGTH / 16, 16, data, 2));
    OK(weft_graph_end(ctx, &graph));
    all_threads(enqueue_on_own_stream, ctx, rounds);
    weft_graph_release(graph);
    test_read(data, got);
    for (int i = 0; i < LENGTH; i++) {
        ck_assert_int_eq(got[i], (int32_t)(3 * THREADS * rounds));
    }
}
END_TEST

/* Half of them change, half of them run. */
static void *change_or_run(void *argument) {
    worker *w = argument;
    for (size_t i = 0; i < w->rounds; i++) {
        if (w->number % 2) {
            WORKER_OK(weft_graph_set_arg(graph, 0, 2, 1000 * w->number));
            WORKER_OK(weft_graph_set_arg(graph, 0, 1, views[w->number]));
            if (weft_graph_set_arg(graph, 0, 1, 1) != WEFT_ERROR_TYPE_MISMATCH) {
                snprintf(w->note, sizeof w->note, "a number in a buffer's place is taken");
                return NULL;
            }
        } else {
            WORKER_OK(weft_enqueue_graph(w->context, graph));
        }
    }
    return NULL;
}

/* Whole arguments only: each is what one of the threads set. */
START_TEST(arguments_change_while_it_runs) {
    weft_context *ctx = test_context();
    int32_t got[LENGTH], numbers[2 * LENGTH];
    weft_device_buffer *in = test_device_buffer(WEFT_INT32, 2 * LENGTH);
    for (int i = 0; i < 2 * LENGTH; i++) {
        numbers[i] = i;
    }
    test_write(in, numbers);
    for (int t = 0; t < THREADS; t++) {
        views[t] = test_view(in, WEFT_INT32, (size_t)t, LENGTH); /* by each way that a view may take */
    }
    data = test_device_buffer(WEFT_INT32, LENGTH);
    OK(weft_graph_begin(ctx));
    OK(weft_enqueue_function(ctx, function("next"), LENGTH / 16, 16, data, views[1], 1000));
    OK(weft_graph_end(ctx, &graph));
    all_threads(change_or_run, ctx, test_size(100, 5));
    OK(weft_enqueue_graph(ctx, graph));
    weft_graph_release(graph);
    test_read(data, got);
    int32_t by = got[0] / 1000 * 1000, offset = got[0] - by;
    ck_assert_msg(by / 1000 % 2 == 1 && by / 1000 < THREADS && offset % 2 == 1 && offset < THREADS, "element 0 is %d", got[0]);
    for (int i = 0; i < LENGTH; i++) {
        ck_assert_int_eq(got[i], by + offset + i);
    }
}
END_TEST

static void *record(void *argument) {
    worker *w = argument;
    weft_function *count = NULL;
    WORKER_OK(weft_compile_function(w->context, source, "count", NULL, &count));
    for (size_t i = 0; i < w->rounds; i++) {
        WORKER_OK(weft_enqueue_function(w->context, count, LENGTH / 16, 16, data, w->number));
    }
    weft_function_release(count);
    return NULL;
}

START_TEST(many_record) {
    weft_context *ctx = test_context();
    size_t rounds = test_size(50, 5);
    int32_t got[LENGTH];
    data = test_device_buffer(WEFT_INT32, LENGTH);
    OK(weft_enqueue_fill(data, 0));
    OK(weft_graph_begin(ctx));
    all_threads(record, ctx, rounds);
    OK(weft_graph_end(ctx, &graph));
    ck_assert_uint_eq(weft_graph_node_count(graph), THREADS * rounds);
    OK(weft_enqueue_graph(ctx, graph));
    weft_graph_release(graph);
    test_read(data, got);
    for (int i = 0; i < LENGTH; i++) {
        ck_assert_int_eq(got[i], (int32_t)rounds * THREADS * (THREADS - 1) / 2);
    }
}
END_TEST

/* What is enqueued while others begin and end is run, then or with a graph. */
static void *begin_end_or_launch(void *argument) {
    worker *w = argument;
    weft_function *count = NULL;
    WORKER_OK(weft_compile_function(w->context, source, "count", NULL, &count));
    for (size_t i = 0; i < w->rounds; i++) {
        weft_graph *own = NULL;
        if (w->number) {
            WORKER_OK(weft_enqueue_function(w->context, count, LENGTH / 16, 16, data, 1));
        } else {
            WORKER_OK(weft_graph_begin(w->context));
            WORKER_OK(weft_graph_end(w->context, &own));
            WORKER_OK(weft_enqueue_graph(w->context, own));
            weft_graph_release(own);
        }
    }
    weft_function_release(count);
    return NULL;
}

START_TEST(nothing_is_lost_between_begin_and_end) {
    weft_context *ctx = test_context();
    size_t rounds = test_size(100, 10);
    int32_t got[LENGTH];
    data = test_device_buffer(WEFT_INT32, LENGTH);
    OK(weft_enqueue_fill(data, 0));
    all_threads(begin_end_or_launch, ctx, rounds);
    test_read(data, got);
    for (int i = 0; i < LENGTH; i++) {
        ck_assert_int_eq(got[i], (int32_t)rounds * (THREADS - 1));
    }
}
END_TEST

TESTS(each_run_is_whole, one_graph_on_many_streams, arguments_change_while_it_runs, many_record,
      nothing_is_lost_between_begin_and_end)
