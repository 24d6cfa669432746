/* Cases C67 and C75 from public reports: a command that fails is noticed, and memory that is missing on first use is told
 * with the buffer's size. The fault layer makes them so on any driver.
 */
#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "fault.h"
#include "support.h"

static struct {
    void (*arm)(const fault_plan *, fault_record *);
    void (*disarm)(void);
    bool (*is_loaded)(void);
} layer;

static fault_record record;

/* Before the first call into weft: the loader then takes this very file for its layer. */
static void load_layer(void) {
    char path[PATH_MAX] = "";
    ck_assert_int_gt(readlink("/proc/self/exe", path, sizeof path - 64), 0);
    strcpy(strrchr(path, '/'), "/fault/libweft_fault_layer.so");
    if (!layer.arm) {
        setenv("OPENCL_LAYERS", path, 1);
        void *library = dlopen(path, RTLD_NOW);
        ck_assert_msg(library != NULL, "%s", dlerror());
        *(void **)&layer.arm = dlsym(library, "fault_arm");
        *(void **)&layer.disarm = dlsym(library, "fault_disarm");
        *(void **)&layer.is_loaded = dlsym(library, "layer_is_loaded");
        ck_assert(layer.arm && layer.disarm && layer.is_loaded);
    }
    test_context();
    ck_assert_msg(layer.is_loaded(), "the loader has not loaded %s", path);
}

/* The nth command from now on that somebody has an event of ends with a failure. */
static void fail_command(unsigned nth) {
    const fault_plan plan = {.kind = FAULT_EVENT, .nth = nth, .choice = 1};
    memset(&record, 0, sizeof record);
    layer.arm(&plan, &record);
}

static weft_context *new_stream(void) {
    weft_context *stream = NULL;
    OK(weft_context_create_stream(test_context(), NULL, &stream));
    return stream;
}

/* The call so far, or else the next synchronize, tells it, promptly and once; then the context works as before. */
static void expect_told_once(weft_context *context, weft_status status) {
    const time_t start = time(NULL);
    if (!status) status = weft_synchronize(context);
    layer.disarm();
    ck_assert_uint_eq(record.fired, 1);
    ck_assert_msg(status != WEFT_OK, "nobody has told of the failure");
    ck_assert_int_eq(weft_last_error()->status, status);
    ck_assert_int_lt(weft_last_error()->cl_code, 0);
    ck_assert_str_ne(weft_error_message(), "");
    ck_assert_int_lt(time(NULL) - start, 20);
    OK(weft_synchronize(context));
    test_context_works(context);
}

START_TEST(c67_a_failed_wait_for_another_context) {
    load_layer();
    weft_context *stream = new_stream();
    weft_device_buffer *buffer = test_device_buffer(WEFT_INT32, 16);
    OK(weft_enqueue_fill(buffer, 1));
    fail_command(2); /* the barrier on the stream; the first event is the marker it waits for */
    expect_told_once(stream, weft_enqueue_wait_for(stream, test_context()));
    OK(weft_synchronize(test_context()));
    weft_context_release(stream);
}
END_TEST

START_TEST(c67_a_failure_on_the_context_waited_for) {
    load_layer();
    weft_context *stream = new_stream();
    weft_device_buffer *buffer = test_device_buffer(WEFT_INT32, 16);
    OK(weft_enqueue_fill(buffer, 1));
    fail_command(1); /* the marker behind the fill: a driver may say so at once, or when it comes to the wait */
    expect_told_once(stream, weft_enqueue_wait_for(stream, test_context()));
    weft_context_release(stream);
}
END_TEST

/* An earlier point of the queue is waited for when too much is in flight. */
START_TEST(c67_a_failure_while_launches_go_on) {
    load_layer();
    weft_context *ctx = test_context();
    weft_device_buffer *buffer = test_device_buffer(WEFT_INT32, 16);
    fail_command(1);
    weft_status status = WEFT_OK;
    for (int i = 0; i < 20000 && !status; i++) status = weft_enqueue_fill_range(buffer, 0, 1, i);
    expect_told_once(ctx, status);
}
END_TEST

/* ---- C75: drivers grant buffers, and look for their memory when they are used ------------------------------- */

/* The nth call into the driver from now on fails with what is the likeliest: no memory, for a command. */
static void fail_call(unsigned nth) {
    const fault_plan plan = {.kind = FAULT_CALL, .nth = nth};
    memset(&record, 0, sizeof record);
    layer.arm(&plan, &record);
}

static void expect_no_memory(weft_status status, const char *says) {
    layer.disarm();
    ck_assert_uint_eq(record.fired, 1);
    ck_assert_msg(status == WEFT_ERROR_OUT_OF_DEVICE_MEMORY, "%s (%s)", weft_status_name(status), weft_error_message());
    SAYS(says);
    OK(weft_synchronize(test_context()));
    test_context_works(test_context());
}

START_TEST(c75_memory_missing_on_first_use) {
    load_layer();
    weft_context *ctx = test_context();
    weft_device_buffer *buffer = test_device_buffer(WEFT_INT32, 1003), *other = test_device_buffer(WEFT_INT32, 1003);
    weft_host_buffer *host = test_host_buffer(WEFT_INT32, 1003);
    weft_function *one = test_function("kernel void one(global int *x) { x[0] = 1; }", "one");
    OK(weft_enqueue_function(ctx, one, 1, 1, buffer)); /* what is done for the first time is done */
    OK(weft_synchronize(ctx));
    fail_call(1);
    expect_no_memory(weft_enqueue_fill(buffer, 1), "4012 bytes");
    fail_call(1);
    expect_no_memory(weft_enqueue_copy(ctx, buffer, host), "4012 bytes");
    fail_call(1);
    expect_no_memory(weft_enqueue_copy(ctx, host, buffer), "4012 bytes");
    fail_call(1);
    expect_no_memory(weft_enqueue_copy(ctx, other, buffer), "4012 bytes");
    fail_call(2); /* behind the argument */
    expect_no_memory(weft_enqueue_function(ctx, one, 1, 1, buffer), "kernel one");
}
END_TEST

/* ---- What failed, and what is left ------------------------------------------------------------------------------ */

START_TEST(c67_an_event_tells_of_the_failure_before_it) {
    load_layer();
    weft_context *ctx = test_context();
    weft_event *event = NULL;
    OK(weft_event_create(ctx, NULL, &event));
    fail_command(1);
    OK(weft_event_record(event, ctx));
    bool done = false;
    weft_status status = WEFT_OK;
    while (!status && !done) status = weft_event_query(event, &done);
    ck_assert_msg(status == WEFT_ERROR_EXECUTION_FAILED && !done, "%s", weft_status_name(status));
    FAILS(WEFT_ERROR_EXECUTION_FAILED, weft_event_synchronize(event));
    weft_context *stream = new_stream();
    FAILS(WEFT_ERROR_EXECUTION_FAILED, weft_enqueue_wait_for_event(stream, event));
    layer.disarm();
    weft_event_release(event);
    weft_context_release(stream);
    test_context_works(ctx);
}
END_TEST

static const char source[] = "kernel void before(global int *x) { x[0] = 1; }\n"
                             "kernel void first(global int *x) { x[0] = 2; }\n"
                             "kernel void second(global int *x) { x[0] = 3; }\n";

static void launch(weft_context *on, weft_function *function, weft_device_buffer *buffer) {
    OK(weft_enqueue_function(on, function, 1, 1, buffer));
}

static size_t times_said(const char *text) {
    size_t times = 0;
    for (const char *at = weft_error_message(); (at = strstr(at, text)); at++) times++;
    return times;
}

START_TEST(what_was_launched_is_listed) {
    load_layer();
    weft_context *ctx = test_context();
    weft_device_buffer *buffer = test_device_buffer(WEFT_INT32, 16);
    weft_function *before = test_function(source, "before"), *first = test_function(source, "first"),
                  *second = test_function(source, "second");
    launch(ctx, first, buffer);
    launch(ctx, second, buffer);
    launch(ctx, before, buffer);
    OK(weft_synchronize(ctx));
    for (int i = 0; i < 10; i++) {
        launch(ctx, first, buffer);
        launch(ctx, second, buffer);
    }
    fail_call(1);
    FAILS(WEFT_ERROR_EXECUTION_FAILED, weft_synchronize(ctx));
    layer.disarm();
    ck_assert_uint_eq(times_said("first"), 1);
    ck_assert_uint_eq(times_said("second"), 1);
    ck_assert_uint_eq(times_said("before"), 0);
    ck_assert_uint_eq(times_said("WEFT_SYNC=1"), 1);
    OK(weft_synchronize(ctx));
    launch(ctx, before, buffer);
    fail_call(1);
    FAILS(WEFT_ERROR_EXECUTION_FAILED, weft_synchronize(ctx));
    layer.disarm();
    ck_assert_uint_eq(times_said("first"), 0);
    ck_assert_uint_eq(times_said("before"), 1);
    test_context_works(ctx);
}
END_TEST

START_TEST(weft_sync_names_the_one) {
    load_layer();
    setenv("WEFT_SYNC", "1", 1);
    weft_context *stream = new_stream();
    unsetenv("WEFT_SYNC");
    weft_device_buffer *buffer = test_device_buffer(WEFT_INT32, 16);
    weft_function *first = test_function(source, "first"), *second = test_function(source, "second");
    launch(stream, first, buffer);
    launch(stream, second, buffer);
    fail_call(3); /* behind the argument and the launch: the wait that follows */
    FAILS(WEFT_ERROR_EXECUTION_FAILED, weft_enqueue_function(stream, first, 1, 1, buffer));
    layer.disarm();
    ck_assert_uint_eq(times_said("first"), 1);
    ck_assert_uint_eq(times_said("second"), 0);
    ck_assert_uint_eq(times_said("WEFT_SYNC"), 0);
    launch(stream, second, buffer);
    weft_context_release(stream);
}
END_TEST

/* The next call into the driver, which fails, is the wait for this. */
static weft_status launch_before_a_failure(weft_context *on, size_t iteration, void *user) {
    (void)iteration;
    weft_device_buffer *buffer = test_device_buffer(WEFT_INT32, 16);
    weft_status status = weft_enqueue_function(on, user, 1, 1, buffer);
    fail_call(1);
    return status;
}

/* Not a failure of the call that was made last in the function that it measures. */
START_TEST(execution_time_tells_its_own_failure) {
    load_layer();
    weft_context *ctx = test_context();
    weft_function *first = test_function(source, "first");
    uint64_t ns = 7;
    FAILS(WEFT_ERROR_EXECUTION_FAILED, weft_execution_time(ctx, launch_before_a_failure, first, 1, &ns));
    layer.disarm();
    ck_assert_str_eq(weft_last_error()->function, "weft_execution_time");
    ck_assert_uint_eq(times_said("first"), 1);
    ck_assert_uint_eq(ns, 0);
    test_context_works(ctx);
}
END_TEST

static void nothing(void *user) { (void)user; }

static weft_status nothing_to_measure(weft_context *context, size_t iteration, void *user) {
    (void)context, (void)iteration, (void)user;
    return WEFT_OK;
}

#define LOST(call)                             \
    do {                                       \
        FAILS(WEFT_ERROR_DEVICE_LOST, (call)); \
        SAYS("was lost");                      \
    } while (0)

static void everything_is_lost(weft_context *on, weft_device_buffer *buffer, weft_function *function, weft_event *event,
                               weft_event *recorded) {
    int32_t words[4] = {0};
    uint64_t ns = 0;
    weft_device_buffer *none = NULL;
    weft_context *no_context = NULL;
    weft_function *no_function = NULL;
    weft_host_buffer *no_host = NULL;
    weft_graph *graph = NULL;
    LOST(weft_synchronize(on));
    LOST(weft_synchronize(on));
    LOST(weft_flush(on));
    LOST(weft_enqueue_function(on, function, 1, 1, buffer));
    LOST(weft_enqueue_copy_range(on, buffer, 0, words, 0, 1));
    LOST(weft_enqueue_copy_rect(on, buffer, WEFT_RECT(0, 4, 0), words, NULL, 2, 2, 1));
    LOST(weft_enqueue_fill(buffer, 1));
    LOST(weft_enqueue_create_buffer(on, WEFT_INT32, 1, &none));
    LOST(weft_context_create_stream(on, NULL, &no_context));
    LOST(weft_compile_function(on, "kernel void other(global int *x) { x[0] = 4; }", "other", NULL, &no_function));
    LOST(weft_event_record(event, on));
    LOST(weft_event_synchronize(recorded));
    LOST(weft_enqueue_wait_for_event(on, recorded));
    LOST(weft_enqueue_wait_for(on, test_context()));
    LOST(weft_enqueue_create_host_buffer(on, WEFT_INT32, 1, &no_host));
    LOST(weft_create_buffer_sync(on, WEFT_INT32, 1, &none));
    LOST(weft_device_buffer_map_to_host(buffer, &no_host));
    LOST(weft_enqueue_host_func(on, nothing, NULL));
    LOST(weft_execution_time(on, nothing_to_measure, NULL, 1, &ns));
    weft_status status = weft_graph_begin(on);
    if (!status) { /* recording needs no device */
        OK(weft_graph_end(on, &graph));
        weft_graph_release(graph);
    }
    ck_assert(!none && !no_context && !no_function && !no_host);
}

START_TEST(a_lost_device_is_lost_for_all_its_contexts) {
    load_layer();
    weft_context *ctx = test_context(), *sibling = new_stream(), *there = test_other_device();
    weft_device_buffer *buffer = test_device_buffer(WEFT_INT32, 16);
    weft_function *first = test_function(source, "first");
    weft_event *event = NULL, *recorded = NULL;
    OK(weft_event_create(ctx, NULL, &event));
    OK(weft_event_create(ctx, NULL, &recorded));
    OK(weft_event_record(recorded, sibling));
    launch(ctx, first, buffer);
    const fault_plan plan = {.kind = FAULT_CALL, .nth = 1, .for_good = true};
    layer.arm(&plan, &record);
    FAILS(WEFT_ERROR_EXECUTION_FAILED, weft_synchronize(ctx));
    ck_assert_uint_eq(times_said("first"), 1);
    layer.disarm();
    everything_is_lost(ctx, buffer, first, event, recorded);
    everything_is_lost(sibling, buffer, first, event, recorded);
    if (there) test_context_works(there);
    weft_event_release(recorded);
    weft_event_release(event);
    weft_context_release(sibling);
}
END_TEST

/* The test before has released all that was on it. */
START_TEST(a_lost_device_comes_back) {
    load_layer();
    test_context_works(test_context());
}
END_TEST

TESTS(c67_a_failed_wait_for_another_context, c67_a_failure_on_the_context_waited_for, c67_a_failure_while_launches_go_on,
      c75_memory_missing_on_first_use, c67_an_event_tells_of_the_failure_before_it, what_was_launched_is_listed,
      weft_sync_names_the_one, execution_time_tells_its_own_failure, a_lost_device_is_lost_for_all_its_contexts, a_lost_device_comes_back)
