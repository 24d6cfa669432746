/* A process whose kernel writes where it must not, on a device that notices: faulty. See test_lost_device.c. */
#include <stdlib.h>
#include <string.h>

#include "child.h"

static const char source[] = "kernel void before(global int *x) { x[0] = 1; }\n"
                             "kernel void stray(global int *x, long far) { x[far] = 1; }\n"
                             "kernel void after(global int *x) { x[1] = 2; }\n";

/* Elements beyond any buffer. */
static const int64_t far_away = (int64_t)1 << 38;

static weft_context *context, *sibling;
static weft_device_buffer *buffer;
static weft_function *before, *stray, *after;

static void make_handles(void) {
    EXPECT(weft_context_create(NULL, &context) == WEFT_OK);
    EXPECT(weft_context_create_stream(context, NULL, &sibling) == WEFT_OK);
    EXPECT(weft_enqueue_create_buffer(context, WEFT_INT32, 64, &buffer) == WEFT_OK);
    EXPECT(weft_compile_function(context, source, "before", NULL, &before) == WEFT_OK);
    EXPECT(weft_compile_function(context, source, "stray", NULL, &stray) == WEFT_OK);
    EXPECT(weft_compile_function(context, source, "after", NULL, &after) == WEFT_OK);
}

static void release_handles(void) {
    weft_function_release(after);
    weft_function_release(stray);
    weft_function_release(before);
    weft_device_buffer_release(buffer);
    weft_context_release(sibling);
    weft_context_release(context);
}

static bool message_says(const char *text) { return strstr(weft_error_message(), text) != NULL; }

/* The failure may show as soon as the next call. */
static void find_the_failure(void) {
    weft_status status = weft_enqueue_function(context, stray, 1, 1, buffer, far_away);
    const char *sync = getenv("WEFT_SYNC");
    if (sync) {
        EXPECT(status == WEFT_ERROR_EXECUTION_FAILED && message_says("stray") && !message_says("before"));
        return;
    }
    EXPECT(status == WEFT_OK);
    status = weft_enqueue_function(context, after, 1, 1, buffer);
    bool at_once = status;
    status = at_once ? status : weft_synchronize(context);
    EXPECT(status == WEFT_ERROR_EXECUTION_FAILED && message_says("stray") && !message_says("before"));
    EXPECT(at_once || message_says("after"));
    EXPECT(message_says("WEFT_SYNC=1"));
}

static void nothing(void *user) { (void)user; }

#define LOST(call) EXPECT((call) == WEFT_ERROR_DEVICE_LOST)

static void everything_is_lost(weft_context *on) {
    int32_t word = 0;
    weft_device_buffer *none = NULL;
    weft_context *no_context = NULL;
    weft_function *no_function = NULL;
    weft_event *event = NULL;
    LOST(weft_synchronize(on));
    LOST(weft_synchronize(on)); /* and again */
    LOST(weft_enqueue_function(on, before, 1, 1, buffer));
    LOST(weft_enqueue_copy_range(on, buffer, 0, &word, 0, 1));
    LOST(weft_enqueue_fill(buffer, 1));
    LOST(weft_enqueue_create_buffer(on, WEFT_INT32, 1, &none));
    LOST(weft_context_create_stream(on, NULL, &no_context));
    LOST(weft_context_create(NULL, &no_context));
    LOST(weft_compile_function(on, "kernel void other(global int *x) { x[0] = 3; }", "other", NULL, &no_function));
    LOST(weft_enqueue_host_func(on, nothing, NULL));
    LOST(weft_flush(on));
    EXPECT(weft_event_create(on, NULL, &event) == WEFT_OK);
    LOST(weft_event_record(event, on));
    weft_event_release(event);
    EXPECT(!none && !no_context && !no_function);
}

/* Any other device. */
static void others_live_on(void) {
    const char *api = weft_context_api(context);
    for (int id = 0; (size_t)id < weft_number_of_devices(NULL); id++) {
        const weft_context_options options = {.api = "any", .device_id = id};
        weft_context *other = NULL;
        weft_status status = weft_context_create(&options, &other);
        if (status) {
            EXPECT(status == WEFT_ERROR_DEVICE_LOST); /* that one */
            continue;
        }
        EXPECT(strcmp(weft_context_api(other), api) != 0 || weft_context_id(other) != weft_context_id(context));
        child_work(other);
        weft_context_release(other);
    }
}

int main(void) {
    child_begin();
    make_handles();
    EXPECT(weft_enqueue_function(context, before, 1, 1, buffer) == WEFT_OK);
    EXPECT(weft_synchronize(context) == WEFT_OK);
    find_the_failure();
    everything_is_lost(context);
    everything_is_lost(sibling);
    others_live_on();
    release_handles();
    return ALL_RIGHT;
}
