/* Copies and fills, one scenario a path. */
#include "scene.h"

static weft_status make_buffer(scene *s, weft_context *context, weft_device_buffer **out) {
    MAKE(*out, weft_enqueue_create_buffer(context, WEFT_INT32, N, out));
    return WEFT_OK;
}

static weft_status make_host_buffer(scene *s, weft_context *context, weft_host_buffer **out) {
    MAKE(*out, weft_enqueue_create_host_buffer(context, WEFT_INT32, N, out));
    return WEFT_OK;
}

static weft_status take_out(scene *s, weft_context *context, weft_device_buffer *buffer) {
    STEP(weft_enqueue_copy(context, s->out, buffer));
    STEP(scene_synchronize(s));
    HOLDS(SAME(s->in, s->out));
    return WEFT_OK;
}

static weft_status copy_pointers(scene *s) {
    weft_context *context;
    weft_device_buffer *buffer;
    MAKE(context, weft_context_create(&(weft_context_options){.api = "any"}, &context));
    STEP(make_buffer(s, context, &buffer));
    STEP(weft_device_buffer_enqueue_copy_from(buffer, s->in));
    STEP(weft_device_buffer_enqueue_copy_to(buffer, s->out));
    STEP(weft_synchronize(context));
    HOLDS(SAME(s->in, s->out));
    return WEFT_OK;
}

static weft_status copy_host_buffers(scene *s) {
    weft_context *context;
    weft_device_buffer *buffer;
    weft_host_buffer *from, *to;
    MAKE(context, weft_context_create(&(weft_context_options){.api = "any"}, &context));
    STEP(make_buffer(s, context, &buffer));
    STEP(make_host_buffer(s, context, &from));
    STEP(make_host_buffer(s, context, &to));
    memcpy(weft_host_buffer_data(from), s->in, sizeof s->in);
    STEP(weft_host_buffer_enqueue_copy_to(from, buffer));
    STEP(weft_host_buffer_enqueue_copy_from(to, buffer));
    STEP(weft_synchronize(context));
    HOLDS(memcmp(weft_host_buffer_data(to), s->in, sizeof s->in) == 0);
    return WEFT_OK;
}

static weft_status copy_device(scene *s) {
    weft_context *context = kept_things.context;
    weft_device_buffer *from, *to;
    STEP(make_buffer(s, context, &from));
    STEP(make_buffer(s, context, &to));
    STEP(weft_enqueue_copy(context, from, s->in));
    STEP(weft_enqueue_copy(context, to, from));
    return take_out(s, context, to);
}

static weft_status copy_ranges(scene *s) {
    weft_context *context = kept_things.context;
    weft_device_buffer *buffer;
    STEP(make_buffer(s, context, &buffer));
    STEP(weft_enqueue_copy_range(context, buffer, 0, s->in, 0, N / 2));
    STEP(weft_enqueue_copy_range(context, buffer, N / 2, WEFT_SPAN(s->in, N), N / 2, N / 2));
    return take_out(s, context, buffer);
}

static weft_status copy_overlapping(scene *s) {
    weft_context *context = kept_things.context;
    weft_device_buffer *buffer;
    STEP(make_buffer(s, context, &buffer));
    STEP(weft_enqueue_copy(context, buffer, s->in));
    STEP(weft_enqueue_copy_range(context, buffer, 1, buffer, 0, N - 1));
    STEP(weft_enqueue_copy_range(context, buffer, 0, buffer, 1, N - 1));
    STEP(weft_enqueue_copy_range(context, buffer, N - 1, s->in, N - 1, 1));
    return take_out(s, context, buffer);
}

/* A column of a quarter of the elements, the second of four: to the device, within it, and back. */
static weft_status copy_boxes(scene *s) {
    weft_context *context = kept_things.context;
    weft_device_buffer *buffer;
    weft_host_buffer *host;
    const weft_rect column = {N / 16, N / 4, 0}, next = {N / 8, N / 4, 0};
    STEP(make_buffer(s, context, &buffer));
    STEP(make_host_buffer(s, context, &host));
    STEP(weft_enqueue_copy(context, buffer, s->in));
    STEP(weft_enqueue_copy_rect(context, buffer, &next, buffer, &column, N / 16, 4, 1));
    STEP(weft_enqueue_copy_rect(context, host, &column, buffer, &next, N / 16, 4, 1));
    STEP(weft_enqueue_copy_rect(context, buffer, &next, s->in, &next, N / 16, 4, 1));
    STEP(weft_enqueue_copy_rect(context, buffer, &column, host, &column, N / 16, 4, 1));
    STEP(weft_enqueue_copy_rect(context, buffer, &next, buffer, WEFT_RECT(0, N / 16, 0), N / 16, 4, 1)); /* rows closer by */
    STEP(weft_enqueue_copy_rect(context, buffer, &next, s->in, &next, N / 16, 4, 1));
    STEP(weft_enqueue_copy_rect(context, s->out, &column, buffer, &next, N / 16, 4, 1));
    return take_out(s, context, buffer);
}

static weft_status copy_boxes_across(scene *s) {
    weft_context *here = kept_things.context, *there = kept_things.other;
    weft_device_buffer *from, *to;
    const weft_rect halves[2] = {{0, N / 4, 0}, {N / 8, N / 4, 0}};
    STEP(make_buffer(s, here, &from));
    STEP(make_buffer(s, there, &to));
    STEP(weft_enqueue_copy(here, from, s->in));
    STEP(weft_enqueue_copy_rect(here, to, &halves[0], from, &halves[0], N / 8, 4, 1));
    STEP(weft_enqueue_copy_rect(there, to, &halves[1], from, &halves[1], N / 8, 4, 1));
    return take_out(s, there, to);
}

static weft_status copy_host_to_host(scene *s) {
    weft_context *context = kept_things.context;
    weft_host_buffer *from, *to;
    STEP(make_host_buffer(s, context, &from));
    STEP(make_host_buffer(s, context, &to));
    memcpy(weft_host_buffer_data(from), s->in, sizeof s->in);
    STEP(weft_enqueue_copy(context, to, from));
    STEP(weft_synchronize(context));
    HOLDS(memcmp(weft_host_buffer_data(to), s->in, sizeof s->in) == 0);
    return WEFT_OK;
}

/* Copies on a third context, ordered with both buffers' own. */
static weft_status copy_between_contexts(scene *s) {
    weft_context *here = kept_things.context, *there = kept_things.sibling, *third;
    weft_device_buffer *from, *to;
    MAKE(third, weft_context_create_stream(here, NULL, &third));
    STEP(make_buffer(s, here, &from));
    STEP(make_buffer(s, there, &to));
    STEP(weft_enqueue_copy(here, from, s->in));
    STEP(weft_enqueue_copy(third, to, from));
    return take_out(s, there, to);
}

static weft_status copy_between_devices(scene *s) {
    weft_context *here = kept_things.context, *there = kept_things.other;
    weft_device_buffer *from, *to, *back;
    STEP(make_buffer(s, here, &from));
    STEP(make_buffer(s, there, &to));
    STEP(make_buffer(s, here, &back));
    STEP(weft_enqueue_copy(here, from, s->in));
    STEP(weft_enqueue_copy(here, to, from));
    STEP(weft_enqueue_copy(there, back, to));
    return take_out(s, here, back);
}

/* Device memory of one device and a host buffer of the other's. */
static weft_status copy_host_across(scene *s) {
    weft_context *here = kept_things.context, *there = kept_things.other;
    weft_device_buffer *buffer;
    weft_host_buffer *host;
    STEP(make_buffer(s, there, &buffer));
    STEP(make_host_buffer(s, here, &host));
    memcpy(weft_host_buffer_data(host), s->in, sizeof s->in);
    STEP(weft_enqueue_copy(here, buffer, host));
    memset(weft_host_buffer_data(host), 0, sizeof s->in);
    STEP(weft_enqueue_copy(here, host, buffer));
    STEP(weft_synchronize(here));
    HOLDS(memcmp(weft_host_buffer_data(host), s->in, sizeof s->in) == 0);
    return WEFT_OK;
}

/* A copy that fails although it was taken writes nothing later. */
static weft_status copy_out_held(scene *s) {
    weft_device_buffer *buffer;
    STEP(make_buffer(s, kept_things.sibling, &buffer));
    STEP(weft_enqueue_copy(kept_things.context, buffer, s->in));
    layer_hold_next();
    fault_during("weft_enqueue_copy");
    weft_status status = scene_returned(s, weft_enqueue_copy(kept_things.context, s->out, buffer));
    if (status) {
        const int32_t first = s->out[0];
        memset(s->out, 0x22, sizeof s->out);
        fault_pause(true);
        WEFT_IGNORE(scene_synchronize(s));
        HOLDS(s->out[0] == 0x22222222 && s->out[N - 1] == 0x22222222 && (first == 0 || first == s->in[0]));
        return status;
    }
    STEP(scene_synchronize(s));
    HOLDS(SAME(s->in, s->out));
    return WEFT_OK;
}

/* A host buffer is let go while the copy out of it has not begun. */
static weft_status release_in_flight(scene *s) {
    weft_context *context = kept_things.context;
    weft_device_buffer *buffer;
    weft_host_buffer *host;
    STEP(make_buffer(s, context, &buffer));
    STEP(make_host_buffer(s, context, &host));
    memcpy(weft_host_buffer_data(host), s->in, sizeof s->in);
    layer_hold_next();
    STEP(weft_enqueue_copy(context, buffer, host));
    scene_release_newest(s);
    return take_out(s, context, buffer);
}

/* The same for a copy into it, with a synchronize before that may fail. */
static weft_status release_after_synchronize(scene *s) {
    weft_context *context = kept_things.context;
    weft_device_buffer *buffer;
    weft_host_buffer *host;
    STEP(make_buffer(s, context, &buffer));
    STEP(make_host_buffer(s, context, &host));
    STEP(weft_enqueue_copy(context, buffer, s->in));
    layer_hold_next();
    STEP(weft_enqueue_copy(context, host, buffer));
    STEP(weft_synchronize(context));
    scene_release_newest(s);
    return take_out(s, context, buffer);
}

/* A host buffer that more contexts use than it keeps account of. */
static weft_status host_buffer_in_many_contexts(scene *s) {
    weft_context *context;
    weft_device_buffer *buffer;
    weft_host_buffer *host;
    STEP(make_host_buffer(s, kept_things.context, &host));
    memcpy(weft_host_buffer_data(host), s->in, sizeof s->in);
    for (int i = 0; i < 6; i++) {
        MAKE(context, weft_context_create_stream(kept_things.context, NULL, &context));
        STEP(make_buffer(s, context, &buffer));
        STEP(weft_enqueue_copy(context, buffer, host));
    }
    return take_out(s, context, buffer);
}

static weft_status fill(scene *s) {
    weft_context *context = kept_things.context;
    weft_device_buffer *buffer;
    STEP(make_buffer(s, context, &buffer));
    STEP(weft_enqueue_fill(buffer, 258));
    STEP(weft_enqueue_fill_range(buffer, 1, 2, -1));
    STEP(weft_enqueue_copy(context, s->out, buffer));
    STEP(weft_synchronize(context));
    HOLDS(s->out[0] == 258 && s->out[1] == -1 && s->out[2] == -1 && s->out[3] == 258 && s->out[N - 1] == 258);
    return WEFT_OK;
}

/* A pattern that no driver takes, over more than one block of it. */
static weft_status fill_pattern(scene *s) {
    static char content[300000];
    weft_context *context = kept_things.context;
    weft_device_buffer *buffer;
    memset(content, 0, sizeof content);
    MAKE(buffer, weft_enqueue_create_buffer(context, WEFT_INT8, sizeof content, &buffer));
    STEP(weft_enqueue_fill_bytes(buffer, 0, "abc", 3, sizeof content / 3));
    STEP(weft_enqueue_copy(context, content, buffer));
    STEP(weft_synchronize(context));
    HOLDS(memcmp(content, "abcabcabc", 9) == 0 && memcmp(content + sizeof content - 3, "abc", 3) == 0);
    return WEFT_OK;
}

static weft_status fill_host_buffer(scene *s) {
    weft_context *context = kept_things.context;
    weft_host_buffer *host;
    STEP(make_host_buffer(s, context, &host));
    STEP(weft_enqueue_fill(host, 77));
    STEP(weft_enqueue_fill_bytes(host, 0, "xyz", 3, 2));
    STEP(weft_synchronize(context));
    const int32_t *data = weft_host_buffer_data(host);
    HOLDS(memcmp(data, "xyzxyz", 6) == 0 && data[2] == 77 && data[N - 1] == 77);
    return WEFT_OK;
}

const scenario copy_scenarios[] = {
    {"copy_pointers", copy_pointers, 0, NULL},
    {"copy_pointers_gpu", copy_pointers, 0, GPU},
    {"copy_host_buffers", copy_host_buffers, 0, NULL},
    {"copy_host_buffers_gpu", copy_host_buffers, 0, GPU},
    {"copy_device", copy_device, KEEPS, NULL},
    {"copy_ranges", copy_ranges, KEEPS, NULL},
    {"copy_overlapping", copy_overlapping, KEEPS, NULL},
    {"copy_boxes", copy_boxes, KEEPS, NULL},
    {"copy_boxes_across", copy_boxes_across, KEEPS, NULL},
    {"copy_host_to_host", copy_host_to_host, KEEPS, NULL},
    {"copy_between_contexts", copy_between_contexts, KEEPS, NULL},
    {"copy_between_devices", copy_between_devices, KEEPS, NULL},
    {"copy_between_devices_gpu", copy_between_devices, KEEPS, GPU},
    {"copy_host_across", copy_host_across, KEEPS, NULL},
    {"copy_out_held", copy_out_held, KEEPS, NULL},
    {"copy_out_held_gpu", copy_out_held, KEEPS, GPU},
    {"release_in_flight", release_in_flight, KEEPS, NULL},
    {"release_in_flight_gpu", release_in_flight, KEEPS, GPU},
    {"release_after_synchronize", release_after_synchronize, KEEPS, NULL},
    {"host_buffer_in_many_contexts", host_buffer_in_many_contexts, KEEPS, NULL},
    {"fill", fill, KEEPS, NULL},
    {"fill_pattern", fill_pattern, KEEPS, NULL},
    {"fill_host_buffer", fill_host_buffer, KEEPS, NULL},
    {NULL, NULL, 0, NULL},
};
