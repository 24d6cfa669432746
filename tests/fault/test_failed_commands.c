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

TESTS(c67_a_failed_wait_for_another_context, c67_a_failure_on_the_context_waited_for, c67_a_failure_while_launches_go_on,
      c75_memory_missing_on_first_use)
