/* Events and host functions: what the program orders by them, and what it finds done. */
#include "operations.h"

/* A point that an event was recorded at, as the clocks of the model see it. */
void event_record(scene *s) {
    unsigned at = scene_pick_stream(s);
    event *e = &s->events[take(&s->in, EVENTS)];
    if (!e->handle) {
        e->device = s->streams[at].device;
        e->recorded = false;
        MUST(weft_event_create(s->streams[at].handle, NULL, &e->handle));
    }
    if (take_rarely(&s->in, 16)) {
        EXPECT(INVALID, weft_event_record(e->handle, NULL));
        EXPECT(INVALID, weft_event_record(NULL, s->streams[at].handle));
        return;
    }
    faults expected = FAULT_IF(e->device != s->streams[at].device, WEFT_ERROR_INVALID_ARGUMENT);
    if (EXPECT(expected, weft_event_record(e->handle, s->streams[at].handle))) {
        e->recorded = true;
        e->clock = s->streams[at].clock;
    }
}

static void passed(scene *s, const event *e) {
    if (e->recorded) {
        order_join_clock(&s->host, &e->clock);
    }
}

void event_wait(scene *s) {
    unsigned at = scene_pick_stream(s);
    event *e = &s->events[take(&s->in, EVENTS)];
    bool done = true;
    if (!e->handle) {
        EXPECT(INVALID, weft_enqueue_wait_for_event(s->streams[at].handle, NULL));
        EXPECT(INVALID, weft_event_synchronize(NULL));
        EXPECT(INVALID, weft_event_query(NULL, &done));
        CHECK(!done, "a refused query says done");
        return;
    }
    switch (take(&s->in, 4)) {
        case 0:
            MUST(weft_event_synchronize(e->handle));
            passed(s, e);
            break;
        case 1:
            MUST(weft_event_query(e->handle, &done));
            CHECK(done || e->recorded, "an event never recorded is not done");
            if (done) {
                passed(s, e);
            }
            break;
        default:
            MUST(weft_enqueue_wait_for_event(s->streams[at].handle, e->handle));
            if (e->recorded) {
                order_join_clock(&s->streams[at].clock, &e->clock);
                if (s->streams[at].device != e->device) {
                    passed(s, e);
                }
            }
    }
}

void event_release(scene *s) {
    event *e = &s->events[take(&s->in, EVENTS)];
    weft_event_release(e->handle);
    e->handle = NULL;
}

/* Counts up through a part of a host buffer. */
static void write_numbers(void *user) {
    host_call *call = user;
    for (size_t i = 0; i < call->count; i++) {
        call->data[i] = (uint8_t)(call->first + i);
    }
    call->runs++;
}

void host_function(scene *s) {
    unsigned at = scene_pick_stream(s);
    handle *h = scene_pick_host(s);
    if (s->n_calls == HOST_CALLS || !h->refs) {
        EXPECT(INVALID, weft_enqueue_host_func(s->streams[at].handle, NULL, s));
        EXPECT(INVALID, weft_enqueue_host_func(NULL, write_numbers, s));
        return;
    }
    size_t size = handle_bytes(h), from = size ? take_byte(&s->in) % size : 0, count = take_byte(&s->in);
    host_call *call = &s->calls[s->n_calls++];
    *call = (host_call){(uint8_t *)weft_host_buffer_data(h->host) + from, count < size - from ? count : size - from,
                        take_byte(&s->in), 0};
    order_before(s, at, NULL, 0, h->block, true);
    MUST(weft_enqueue_host_func(s->streams[at].handle, write_numbers, call));
    order_command(s, at);
    order_used(s, at, h->block, true);
    h->block->called = true;
    for (size_t i = 0; i < call->count; i++) {
        h->block->cells[h->offset_bytes + from + i] = (uint8_t)(call->first + i);
    }
}

void events_end(scene *s) {
    for (unsigned i = 0; i < EVENTS; i++) {
        weft_event_release(s->events[i].handle);
    }
    for (unsigned i = 0; i < s->n_calls; i++) {
        CHECK(s->calls[i].runs == 1, "host function %u ran %u times", i, s->calls[i].runs);
    }
}
