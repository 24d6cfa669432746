/* Every function may be called from any thread: eight threads launch, make, copy, compile and fail at once.
 *
 * Check's asserts belong to the main thread: a worker stops at the first thing that is wrong and leaves a note.
 */
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>

#include "support.h"

enum { THREADS = 8, LENGTH = 64 };

static const char source[] =
    "kernel void advance(global int *data, int factor, int add) {\n"
    "    int i = get_global_id(0);\n"
    "    data[i] = data[i] * factor + add + i;\n"
    "}\n";

typedef struct worker {
    int number;
    size_t rounds;
    char note[1024]; /* "" while all is well */
    pthread_t thread;
} worker;

static weft_context *ctx;
static weft_function *advance;
static weft_device_buffer *shared;
static pthread_barrier_t everybody;

static void leave_note(worker *w, int line, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int at = snprintf(w->note, sizeof w->note, "line %d: ", line);
    vsnprintf(w->note + at, sizeof w->note - (size_t)at, format, arguments);
    va_end(arguments);
}

/* In a worker: note what is wrong, and stop. */
#define WORKER_CHECK(condition, ...)                \
    do {                                            \
        if (!(condition)) {                         \
            leave_note(w, __LINE__, __VA_ARGS__);   \
            return;                                 \
        }                                           \
    } while (0)
#define WORKER_OK(call) WORKER_CHECK((call) == WEFT_OK, "%s", weft_error_message())

/* What a thread runs; casting a function pointer through void * would not be C. */
static void (*job)(worker *);

static void *run(void *w) {
    job(w);
    return NULL;
}

static void all_threads(void (*work)(worker *), size_t rounds) {
    static worker workers[THREADS];
    job = work;
    for (int t = 0; t < THREADS; t++) {
        workers[t] = (worker){.number = t, .rounds = rounds};
        ck_assert_int_eq(pthread_create(&workers[t].thread, NULL, run, &workers[t]), 0);
    }
    for (int t = 0; t < THREADS; t++) {
        pthread_join(workers[t].thread, NULL);
    }
    for (int t = 0; t < THREADS; t++) {
        ck_assert_msg(!workers[t].note[0], "thread %d: %s", t, workers[t].note);
    }
    test_context_works(test_context());
}

/* ---- Launches ------------------------------------------------------------------------------------------------------- */

/* Own buffer, own arguments; each thread's launches are in its own order. */
static void launch_on(worker *w, weft_context *context) {
    weft_device_buffer *buffer = NULL;
    int32_t got[LENGTH], want[LENGTH];
    WORKER_OK(weft_enqueue_create_buffer(context, WEFT_INT32, LENGTH, &buffer));
    WORKER_OK(weft_enqueue_fill(buffer, w->number));
    for (int i = 0; i < LENGTH; i++) {
        want[i] = w->number;
    }
    for (size_t round = 0; round < w->rounds; round++) {
        int32_t factor = round % 10 ? 2 : 0, add = (int32_t)(100 * round) + w->number; /* 0 keeps the numbers small */
        WORKER_OK(weft_enqueue_function(context, advance, LENGTH / 16, 16, buffer, factor, add));
        for (int i = 0; i < LENGTH; i++) {
            want[i] = want[i] * factor + add + i;
        }
    }
    WORKER_OK(weft_enqueue_copy(context, got, buffer));
    WORKER_OK(weft_synchronize(context));
    for (int i = 0; i < LENGTH; i++) {
        WORKER_CHECK(got[i] == want[i], "element %d is %d instead of %d", i, got[i], want[i]);
    }
    weft_device_buffer_release(buffer);
}

static void launch_on_shared_context(worker *w) { launch_on(w, ctx); }

static void launch_on_own_stream(worker *w) {
    weft_context *stream = NULL;
    WORKER_OK(weft_context_create_stream(ctx, NULL, &stream));
    launch_on(w, stream);
    weft_context_release(stream);
}

static void launch_on_own_context(worker *w) {
    weft_context *own = NULL;
    WORKER_OK(weft_context_create(NULL, &own));
    launch_on(w, own);
    weft_context_release(own);
}

START_TEST(one_function_on_one_context) {
    ctx = test_context();
    advance = test_function(source, "advance");
    all_threads(launch_on_shared_context, test_size(200, 20));
}
END_TEST

START_TEST(one_function_on_many_streams) {
    ctx = test_context();
    advance = test_function(source, "advance");
    all_threads(launch_on_own_stream, test_size(100, 10));
}
END_TEST

START_TEST(one_function_on_many_contexts) {
    advance = test_function(source, "advance");
    all_threads(launch_on_own_context, test_size(100, 10));
}
END_TEST

/* One thread after the other lets go of what all of them use. */
static const char *const set_names[] = {"advance"};
static weft_kernel_set set = WEFT_KERNEL_SET(source, set_names, 1, NULL);

static void launch_from_set(worker *w) {
    weft_device_buffer *buffer = NULL;
    int32_t got[LENGTH];
    const weft_launch launch = {WEFT_DIM(LENGTH / 16), WEFT_DIM(16)};
    WORKER_OK(weft_enqueue_create_buffer(ctx, WEFT_INT32, LENGTH, &buffer));
    for (size_t round = 0; round < w->rounds; round++) {
        const weft_arg args[] = {WEFT_ARG(buffer), WEFT_ARG(0), WEFT_ARG(w->number)};
        WORKER_OK(weft_kernel_set_enqueue(&set, ctx, 0, &launch, args, 3));
        if (round % THREADS == (size_t)w->number) {
            weft_kernel_set_unload(&set);
        }
    }
    WORKER_OK(weft_enqueue_copy(ctx, got, buffer));
    WORKER_OK(weft_synchronize(ctx));
    for (int i = 0; i < LENGTH; i++) {
        WORKER_CHECK(got[i] == w->number + i, "element %d is %d", i, got[i]);
    }
    weft_device_buffer_release(buffer);
}

START_TEST(one_kernel_set) {
    ctx = test_context();
    all_threads(launch_from_set, test_size(50, 9));
    weft_kernel_set_unload(&set);
    ck_assert_ptr_null(set.first);
}
END_TEST

/* ---- Objects ----------------------------------------------------------------------------------------------------------- */

static void use_objects(worker *w) {
    for (size_t round = 0; round < w->rounds; round++) {
        weft_device_buffer *a = NULL, *b = NULL, *view = NULL;
        weft_host_buffer *host = NULL, *mapped = NULL;
        weft_device_ptr ptr;
        int32_t value = 1000 * w->number + (int32_t)round, got[LENGTH];
        size_t offset = (size_t)w->number;
        WORKER_OK(weft_enqueue_create_buffer(ctx, WEFT_INT32, LENGTH, &a));
        WORKER_OK(weft_create_buffer_sync(ctx, WEFT_INT32, LENGTH, &b));
        WORKER_OK(weft_enqueue_create_host_buffer(ctx, WEFT_INT32, LENGTH, &host));
        WORKER_OK(weft_device_buffer_create_sub_buffer(a, WEFT_INT32, offset, 10, &view));
        WORKER_OK(weft_enqueue_fill(a, -1));
        WORKER_OK(weft_enqueue_fill(view, value));
        WORKER_OK(weft_enqueue_copy(ctx, b, a));
        WORKER_OK(weft_enqueue_copy(ctx, host, b));
        WORKER_OK(weft_enqueue_copy(ctx, got, b));
        weft_device_buffer_release(a); /* in flight */
        weft_device_buffer_release(view);
        WORKER_OK(weft_synchronize(ctx));
        const int32_t *data = weft_host_buffer_data(host);
        for (size_t i = 0; i < LENGTH; i++) {
            int32_t want = i >= offset && i < offset + 10 ? value : -1;
            WORKER_CHECK(got[i] == want && data[i] == want, "element %zu is %d and %d instead of %d", i, got[i], data[i], want);
        }
        WORKER_OK(weft_device_buffer_map_to_host(b, &mapped));
        WORKER_CHECK(((int32_t *)weft_host_buffer_data(mapped))[offset] == value, "round %zu", round);
        WORKER_OK(weft_device_buffer_unmap(b, mapped));
        WORKER_OK(weft_device_buffer_take_ptr(b, &ptr));
        WORKER_OK(weft_wrap_device_ptr(ctx, ptr, WEFT_INT32, LENGTH, true, &b));
        weft_device_buffer_release(b);
        weft_host_buffer_release(host);
    }
}

START_TEST(buffers_views_and_copies) {
    ctx = test_context();
    all_threads(use_objects, test_size(50, 5));
}
END_TEST

/* Everybody compiles the same source, and one of his own. */
static void compile_sources(worker *w) {
    for (size_t round = 0; round < w->rounds; round++) {
        char own_source[256];
        weft_function *common = NULL, *own = NULL;
        weft_device_buffer *buffer = NULL;
        int32_t got = 0, constant = 10 * w->number + (int32_t)round;
        snprintf(own_source, sizeof own_source, "kernel void own(global int *data) { data[0] = %d; }", constant);
        WORKER_OK(weft_compile_function(ctx, source, "advance", NULL, &common));
        WORKER_OK(weft_compile_function(ctx, own_source, "own", NULL, &own));
        WORKER_OK(weft_enqueue_create_buffer(ctx, WEFT_INT32, 1, &buffer));
        WORKER_OK(weft_enqueue_function(ctx, own, 1, 1, buffer));
        WORKER_OK(weft_enqueue_function(ctx, common, 1, 1, buffer, 3, 1));
        WORKER_OK(weft_enqueue_function_once(ctx, source, "advance", 1, 1, buffer, 1, 1));
        weft_function_release(common);
        weft_function_release(own);
        WORKER_OK(weft_enqueue_copy(ctx, &got, buffer));
        WORKER_OK(weft_synchronize(ctx));
        WORKER_CHECK(got == 3 * constant + 2, "%d instead of %d", got, 3 * constant + 2);
        weft_device_buffer_release(buffer);
    }
}

START_TEST(compiling) {
    ctx = test_context();
    all_threads(compile_sources, 2);
}
END_TEST

static void count_references(worker *w) {
    for (size_t round = 0; round < w->rounds; round++) {
        weft_device_buffer *view = NULL;
        WORKER_CHECK(weft_device_buffer_retain(shared) == shared, "buffer");
        WORKER_CHECK(weft_function_retain(advance) == advance, "function");
        WORKER_CHECK(weft_context_retain(ctx) == ctx, "context");
        WORKER_OK(weft_device_buffer_create_sub_buffer(shared, WEFT_INT32, 0, LENGTH, &view));
        WORKER_CHECK(weft_device_buffer_context(view) == ctx, "context of the view");
        weft_device_buffer_release(view);
        weft_device_buffer_release(shared);
        weft_function_release(advance);
        weft_context_release(ctx);
    }
}

START_TEST(references_are_counted_by_all) {
    int32_t got[LENGTH];
    ctx = test_context();
    advance = test_function(source, "advance");
    shared = test_device_buffer(WEFT_INT32, LENGTH);
    OK(weft_enqueue_fill(shared, 6));
    all_threads(count_references, 10000);
    test_read(shared, got);
    ck_assert_int_eq(got[LENGTH - 1], 6);
}
END_TEST

/* ---- Failures ------------------------------------------------------------------------------------------------------------ */

/* Everybody fails in his own way before anybody looks. */
static void fail_and_read(worker *w) {
    weft_device_buffer *view = NULL;
    weft_program *program = NULL;
    weft_context *none = NULL;
    char number[32], bad_source[128], symbol[32];
    bool even = w->number % 2 == 0;
    for (size_t round = 0; round < w->rounds; round++) {
        size_t beyond = 1000000 + 1000 * (size_t)w->number + round;
        weft_status status = even ? weft_device_buffer_create_sub_buffer(shared, WEFT_INT32, beyond, 1, &view)
                                  : weft_context_create(&(weft_context_options){.api = "any", .device_id = (int)beyond}, &none);
        pthread_barrier_wait(&everybody);
        const weft_error *error = weft_last_error();
        snprintf(number, sizeof number, "%zu", beyond);
        bool right = status == (even ? WEFT_ERROR_OUT_OF_RANGE : WEFT_ERROR_NO_DEVICE) && error->status == status &&
                     strstr(error->message, number) && error->message == weft_error_message() &&
                     strcmp(error->function, even ? "weft_device_buffer_create_sub_buffer" : "weft_context_create") == 0;
        pthread_barrier_wait(&everybody); /* before a check, so that nobody waits for one who has stopped */
        if (!right && !w->note[0]) {
            leave_note(w, __LINE__, "round %zu: %s: %s", round, weft_status_name(status), error->message);
        }
    }
    snprintf(symbol, sizeof symbol, "unknown_%d", w->number);
    snprintf(bad_source, sizeof bad_source, "kernel void f(global int *p) { p[0] = %s; }", symbol);
    weft_status status = weft_compile_program(ctx, bad_source, NULL, &program);
    pthread_barrier_wait(&everybody);
    WORKER_CHECK(status == WEFT_ERROR_COMPILE_FAILED, "%s", weft_error_message());
    WORKER_CHECK(strstr(weft_last_build_log(), symbol), "%s", weft_last_build_log());
}

START_TEST(each_thread_has_its_own_last_error) {
    ctx = test_context();
    shared = test_device_buffer(WEFT_INT32, LENGTH);
    pthread_barrier_init(&everybody, NULL, THREADS);
    FAILS(WEFT_ERROR_INVALID_ARGUMENT, weft_flush(NULL));
    all_threads(fail_and_read, 100);
    ck_assert_str_eq(weft_last_error()->function, "weft_flush"); /* the main thread's is untouched */
    pthread_barrier_destroy(&everybody);
}
END_TEST

TESTS(one_function_on_one_context, one_function_on_many_streams, one_function_on_many_contexts, one_kernel_set,
      buffers_views_and_copies, compiling, references_are_counted_by_all, each_thread_has_its_own_last_error)
