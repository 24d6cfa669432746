/* Contexts made, ordered, waited for and let go. */
#include "operations.h"

void stream_create(scene *s) {
    if (s->n_streams == CONTEXTS) {
        return;
    }
    unsigned of = scene_pick_stream(s);
    weft_stream_options options = {.timing = take_rarely(&s->in, 4)};
    weft_context *made = (void *)s;
    if (take_rarely(&s->in, 32)) {
        EXPECT(INVALID, weft_context_create_stream(NULL, &options, &made));
        CHECK(!made, "a refused stream set its out-parameter");
        return;
    }
    MUST(weft_context_create_stream(s->streams[of].handle, &options, &made));
    s->streams[s->n_streams++] = (stream){.handle = made, .device = s->streams[of].device, .held = 1};
}

/* Its work goes on; the program can wait for it through another context only. */
void stream_release(scene *s) {
    unsigned at = scene_pick_stream(s);
    stream *stream = &s->streams[at];
    if (at < DEVICES) {
        weft_context_release(NULL);
        return;
    }
    if (take(&s->in, 2)) {
        order_wait_for(s, stream->device, at);
    } else {
        order_synchronize(s, at);
        order_join(s, stream->device, at);
    }
    stream->held--;
    weft_context_release(stream->handle);
}

void stream_synchronize(scene *s) {
    unsigned at = scene_pick_stream(s);
    if (take_rarely(&s->in, 16)) {
        EXPECT(INVALID, weft_synchronize(NULL));
        EXPECT(INVALID, weft_flush(NULL));
    } else if (take_rarely(&s->in, 8)) {
        MUST(weft_flush(s->streams[at].handle));
    } else {
        order_synchronize(s, at);
    }
}

void stream_wait_for(scene *s) {
    unsigned to = scene_pick_stream(s), from = scene_pick_stream(s);
    if (take_rarely(&s->in, 16)) {
        EXPECT(INVALID, weft_enqueue_wait_for(s->streams[to].handle, NULL));
        EXPECT(INVALID, weft_enqueue_wait_for(NULL, s->streams[from].handle));
    } else {
        order_wait_for(s, to, from);
    }
}

void stream_ask(scene *s) {
    static const weft_device_attribute known[] = {WEFT_DEVICE_MAX_THREADS_PER_BLOCK, WEFT_DEVICE_MAX_GRID_DIM_Y,
                                                  WEFT_DEVICE_WARP_SIZE, WEFT_DEVICE_INTEGRATED};
    weft_context *context = s->streams[scene_pick_stream(s)].handle;
    unsigned which = take(&s->in, 8);
    int64_t value = -1;
    if (which < 4) {
        MUST(weft_context_get_attribute(context, known[which], &value));
    } else {
        weft_device_attribute asked = which == 4 ? WEFT_DEVICE_WARP_SIZE : (weft_device_attribute)(2000 + which);
        EXPECT(INVALID, weft_context_get_attribute(which == 4 ? NULL : context, asked, &value));
        CHECK(value == 0, "a refused question left %lld", (long long)value);
    }
}
