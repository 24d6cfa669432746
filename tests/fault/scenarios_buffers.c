/* Buffers: making them, views, ownership, mapping, printing. */
#include <stdio.h>

#include "scene.h"

static weft_status create_buffers(scene *s) {
    weft_context *context;
    weft_device_buffer *buffer, *ready, *empty;
    weft_host_buffer *host, *wrapped;
    MAKE(context, weft_context_create(&(weft_context_options){.api = "any"}, &context));
    MAKE(buffer, weft_enqueue_create_buffer(context, WEFT_INT32, N, &buffer));
    MAKE(ready, weft_create_buffer_sync(context, WEFT_FLOAT64, N, &ready));
    MAKE(empty, weft_enqueue_create_buffer(context, WEFT_INT8, 0, &empty));
    MAKE(host, weft_enqueue_create_host_buffer(context, WEFT_INT32, N, &host));
    MAKE(wrapped, weft_wrap_host_memory(context, WEFT_INT32, s->in, N, &wrapped));
    HOLDS(weft_host_buffer_data(host) && weft_host_buffer_data(wrapped) == s->in);
    weft_device_buffer_release(weft_device_buffer_retain(ready));
    return WEFT_OK;
}

static weft_status views(scene *s) {
    weft_context *context = kept_things.context;
    weft_device_buffer *buffer, *view, *part;
    weft_host_buffer *host, *half;
    MAKE(buffer, weft_enqueue_create_buffer(context, WEFT_INT32, N, &buffer));
    MAKE(view, weft_device_buffer_create_sub_buffer(buffer, WEFT_INT32, N / 4, N / 2, &view));
    MAKE(part, weft_device_buffer_create_sub_buffer(view, WEFT_INT16, N / 2, N / 2, &part));
    MAKE(host, weft_enqueue_create_host_buffer(context, WEFT_INT32, N, &host));
    MAKE(half, weft_host_buffer_create_sub_buffer(host, WEFT_INT32, N / 2, N / 2, &half));
    STEP(weft_enqueue_copy(context, buffer, s->in));
    STEP(weft_enqueue_fill(part, 0));
    STEP(weft_enqueue_copy(context, half, view));
    STEP(weft_enqueue_copy(context, s->out, buffer));
    STEP(weft_synchronize(context));
    HOLDS(memcmp(weft_host_buffer_data(half), s->out + N / 4, N * 2) == 0);
    HOLDS(s->out[N / 2 - 1] == s->in[N / 2 - 1] && s->out[N / 2] == 0 && s->out[N / 2 + N / 4] == s->in[N / 2 + N / 4]);
    return WEFT_OK;
}

static weft_status wrap_pointers(scene *s) {
    weft_context *context = kept_things.context;
    weft_device_buffer *buffer, *same, *again;
    weft_device_ptr ptr;
    MAKE(buffer, weft_enqueue_create_buffer(context, WEFT_INT32, N, &buffer));
    STEP(weft_enqueue_copy(context, buffer, s->in));
    STEP(weft_device_buffer_unsafe_ptr(buffer, &ptr));
    MAKE(same, weft_wrap_device_ptr(context, ptr, WEFT_INT32, N, false, &same));
    STEP(weft_enqueue_copy(context, s->out, same));
    STEP(weft_synchronize(context));
    HOLDS(SAME(s->in, s->out));
    scene_release_newest(s);
    STEP(weft_device_buffer_take_ptr(buffer, &ptr));
    s->n_handles--; /* it is consumed */
    fault_during("weft_wrap_device_ptr");
    weft_status status = scene_returned(s, weft_wrap_device_ptr(kept_things.sibling, ptr, WEFT_INT32, N, true, &again));
    if (status) { /* the memory is still the scene's: it must not leak */
        fault_pause(true);
        MAKE(again, weft_wrap_device_ptr(kept_things.sibling, ptr, WEFT_INT32, N, true, &again));
        return status;
    }
    scene_own(s, HANDLE_DEVICE_BUFFER, again);
    return WEFT_OK;
}

static weft_status reassign(scene *s) {
    weft_device_buffer *buffer;
    MAKE(buffer, weft_enqueue_create_buffer(kept_things.context, WEFT_INT32, N, &buffer));
    STEP(weft_enqueue_copy(kept_things.context, buffer, s->in));
    STEP(weft_device_buffer_reassign_ownership_to(buffer, kept_things.sibling));
    HOLDS(weft_device_buffer_context(buffer) == kept_things.sibling);
    STEP(weft_device_buffer_enqueue_copy_to(buffer, s->out));
    STEP(weft_synchronize(kept_things.sibling));
    HOLDS(SAME(s->in, s->out));
    return WEFT_OK;
}

/* A move that fails leaves the buffer where it was, with what it held. */
static weft_status reassign_across(scene *s) {
    weft_device_buffer *buffer;
    MAKE(buffer, weft_enqueue_create_buffer(kept_things.context, WEFT_INT32, N, &buffer));
    STEP(weft_enqueue_copy(kept_things.context, buffer, s->in));
    fault_during("weft_device_buffer_reassign_ownership_to");
    weft_status status = scene_returned(s, weft_device_buffer_reassign_ownership_to(buffer, kept_things.other));
    fault_pause(true);
    HOLDS(weft_device_buffer_context(buffer) == (status ? kept_things.context : kept_things.other));
    STEP(weft_device_buffer_enqueue_copy_to(buffer, s->out));
    STEP(weft_synchronize(weft_device_buffer_context(buffer)));
    HOLDS(SAME(s->in, s->out));
    fault_pause(false);
    return status;
}

static weft_status map(scene *s) {
    weft_device_buffer *buffer;
    weft_host_buffer *host = NULL;
    MAKE(buffer, weft_enqueue_create_buffer(kept_things.context, WEFT_INT32, N, &buffer));
    STEP(weft_enqueue_copy(kept_things.context, buffer, s->in));
    MAKE(host, weft_device_buffer_map_to_host(buffer, &host));
    HOLDS(memcmp(weft_host_buffer_data(host), s->in, sizeof s->in) == 0);
    memset(weft_host_buffer_data(host), 0x11, sizeof s->in);
    s->n_handles--; /* unmap takes it over, also on failure */
    STEP(weft_device_buffer_unmap(buffer, host));
    STEP(weft_device_buffer_enqueue_copy_to(buffer, s->out));
    STEP(weft_synchronize(kept_things.context));
    HOLDS(s->out[0] == 0x11111111 && s->out[N - 1] == 0x11111111);
    return WEFT_OK;
}

static weft_status map_scope(scene *s) {
    weft_device_buffer *buffer;
    weft_status status = WEFT_OK;
    MAKE(buffer, weft_enqueue_create_buffer(kept_things.context, WEFT_INT32, N, &buffer));
    fault_during("WEFT_WITH_MAPPED");
    WEFT_WITH_MAPPED(status, host, buffer) {
        memcpy(weft_host_buffer_data(host), s->in, sizeof s->in);
    }
    STEP(status);
    STEP(weft_device_buffer_enqueue_copy_to(buffer, s->out));
    STEP(weft_synchronize(kept_things.context));
    HOLDS(SAME(s->in, s->out));
    return WEFT_OK;
}

typedef struct printed {
    char text[256];
    size_t length;
} printed;

static weft_status collect(void *user, const char *text, size_t size_bytes) {
    printed *out = user;
    memcpy(out->text + out->length, text, size_bytes);
    out->length += size_bytes;
    return WEFT_OK;
}

static weft_status print(scene *s) {
    static FILE *sink;
    printed device = {{0}, 0}, host = {{0}, 0};
    weft_context *context = kept_things.context;
    weft_device_buffer *buffer, *four;
    weft_host_buffer *wrapped;
    sink = sink ? sink : fopen("/dev/null", "w");
    MAKE(buffer, weft_enqueue_create_buffer(context, WEFT_INT32, 4 * N, &buffer));
    MAKE(four, weft_device_buffer_create_sub_buffer(buffer, WEFT_INT32, 0, 4, &four));
    MAKE(wrapped, weft_wrap_host_memory(context, WEFT_INT32, s->in, 4, &wrapped));
    STEP(weft_enqueue_fill(buffer, 7));
    STEP(weft_device_buffer_write_with(buffer, collect, &device)); /* long: shortened */
    STEP(weft_host_buffer_write_with(wrapped, collect, &host));
    STEP(weft_device_buffer_write_to(four, sink));
    STEP(weft_host_buffer_write_to(wrapped, sink));
    HOLDS(strcmp(device.text, "DeviceBuffer([7, 7, 7, ..., 7, 7, 7])") == 0);
    HOLDS(strcmp(host.text, "HostBuffer([1, 4, 7, 10])") == 0);
    return WEFT_OK;
}

/* The elements to print are still on their way while a call fails. */
static weft_status print_held(scene *s) {
    printed text = {{0}, 0};
    weft_device_buffer *buffer;
    MAKE(buffer, weft_enqueue_create_buffer(kept_things.context, WEFT_INT32, 4 * N, &buffer));
    STEP(weft_enqueue_fill(buffer, 7));
    layer_hold_next();
    STEP(weft_device_buffer_write_with(buffer, collect, &text));
    HOLDS(strcmp(text.text, "DeviceBuffer([7, 7, 7, ..., 7, 7, 7])") == 0);
    return WEFT_OK;
}

const scenario buffer_scenarios[] = {
    {"create_buffers", create_buffers, 0, NULL},
    {"create_buffers_gpu", create_buffers, 0, GPU},
    {"views", views, KEEPS, NULL},
    {"views_gpu", views, KEEPS, GPU},
    {"wrap_pointers", wrap_pointers, KEEPS, NULL},
    {"reassign", reassign, KEEPS, NULL},
    {"reassign_across", reassign_across, KEEPS, NULL},
    {"map", map, KEEPS, NULL},
    {"map_gpu", map, KEEPS, GPU},
    {"map_scope", map_scope, KEEPS, NULL},
    {"print", print, KEEPS, NULL},
    {"print_held", print_held, KEEPS, NULL},
    {"print_held_gpu", print_held, KEEPS, GPU},
    {NULL, NULL, 0, NULL},
};
