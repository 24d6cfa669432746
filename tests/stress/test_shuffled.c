/* A long shuffle of launches, copies, fills, waits and host functions over four contexts of one device, against the same
 * steps done one after the other on the host. Launches are ordered by nothing but the waits and events that the shuffle puts
 * before them. SHUFFLE_SEED chooses other steps. */
#include "support.h"

enum { CONTEXTS = 4, BUFFERS = 5, HOSTS = 2, OBJECTS = BUFFERS + HOSTS, N = 512, BLOCK = 64 };

/* Slow enough that what comes too early comes too early. */
static const char source[] = "kernel void mix(global uint *to, global const uint *from, uint factor, uint add) {\n"
                             "    int i = get_global_id(0);\n"
                             "    uint v = from[i];\n"
                             "    for (int k = 0; k < 300; k++) v = v * 1664525u + (v >> 9) + add;\n"
                             "    to[i] = to[i] * factor + v;\n"
                             "}\n";

/* The first BUFFERS are device buffers, the others host buffers. */
typedef struct object {
    weft_device_buffer *device;
    weft_host_buffer *host;
    uint32_t model[N];
    bool written_by[CONTEXTS], used_by[CONTEXTS]; /* since the last time that everything was ordered after it */
} object;

static weft_context *contexts[CONTEXTS];
static object objects[OBJECTS];
static weft_event *events[CONTEXTS];
static weft_function *mix;
static uint64_t state;
static uint64_t seed;
static size_t step;

static unsigned below(unsigned n) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(state >> 33) % n;
}

/* Puts the next command on context c behind all that it must not overtake. */
static void order(unsigned c, object *o, bool writes) {
    for (unsigned d = 0; d < CONTEXTS; d++) {
        if (d != c && (o->written_by[d] || (writes && o->used_by[d]))) {
            if (below(2)) {
                OK(weft_enqueue_wait_for(contexts[c], contexts[d]));
            } else {
                OK(weft_event_record(events[d], contexts[d]));
                OK(weft_enqueue_wait_for_event(contexts[c], events[d]));
            }
        }
    }
}

static void used(unsigned c, object *o, bool writes) {
    if (writes) { /* ordered after all others, so that whoever comes after this comes after them */
        memset(o->written_by, 0, sizeof o->written_by);
        memset(o->used_by, 0, sizeof o->used_by);
        o->written_by[c] = true;
    }
    o->used_by[c] = true;
}

static void check(const object *o, const uint32_t *got, const char *what) {
    for (int i = 0; i < N; i++) {
        ck_assert_msg(got[i] == o->model[i], "SHUFFLE_SEED=%llu, step %zu, %s %d: element %d is %u instead of %u",
                      (unsigned long long)seed, step, what, (int)(o - objects), i,
                      got[i], o->model[i]);
    }
}

static void launch(unsigned c) {
    object *to = &objects[below(BUFFERS)], *from = &objects[below(BUFFERS)];
    if (to == from) return;
    unsigned factor = below(7), add = below(1000);
    order(c, to, true);
    order(c, from, false);
    OK(weft_enqueue_function(contexts[c], mix, N / BLOCK, BLOCK, to->device, from->device, factor, add));
    used(c, to, true);
    used(c, from, false);
    for (int i = 0; i < N; i++) {
        uint32_t v = from->model[i];
        for (int k = 0; k < 300; k++) v = v * 1664525u + (v >> 9) + add;
        to->model[i] = to->model[i] * factor + v;
    }
}

static weft_memory operand(const object *o) {
    return o->device ? weft_memory_from_device_buffer(o->device) : weft_memory_from_host_buffer(o->host);
}

static void copy(unsigned c) {
    object *to = &objects[below(OBJECTS)], *from = &objects[below(OBJECTS)];
    size_t length = below(N), to_offset = below((unsigned)(N - length)), from_offset = below((unsigned)(N - length));
    order(c, to, true);
    order(c, from, false);
    OK(weft_enqueue_copy_range_memory(contexts[c], operand(to), to_offset, operand(from), from_offset, length));
    used(c, to, true);
    used(c, from, false);
    memmove(to->model + to_offset, from->model + from_offset, length * sizeof *to->model);
}

/* From memory that is gone afterwards. */
static void write(unsigned c) {
    object *to = &objects[below(BUFFERS)];
    uint32_t data[N];
    for (int i = 0; i < N; i++) data[i] = below(1u << 30);
    order(c, to, true);
    OK(weft_enqueue_copy(contexts[c], to->device, data));
    used(c, to, true);
    memcpy(to->model, data, sizeof data);
    memset(data, 0xFF, sizeof data);
}

/* On the buffer's own context, the first. */
static void fill(void) {
    object *to = &objects[below(OBJECTS)];
    uint32_t value = below(1u << 30);
    order(0, to, true);
    if (to->device) {
        OK(weft_enqueue_fill(to->device, value));
    } else {
        OK(weft_enqueue_fill(to->host, value));
    }
    used(0, to, true);
    for (int i = 0; i < N; i++) to->model[i] = value;
}

static void triple(void *user) {
    uint32_t *data = user;
    for (int i = 0; i < N; i++) data[i] = data[i] * 3 + 1;
}

static void host_function(unsigned c) {
    object *o = &objects[BUFFERS + below(HOSTS)];
    order(c, o, true);
    OK(weft_enqueue_host_func(contexts[c], triple, weft_host_buffer_data(o->host)));
    used(c, o, true);
    triple(o->model);
}

static void look(unsigned c) {
    object *o = &objects[below(OBJECTS)];
    uint32_t got[N];
    order(c, o, false);
    if (o->device) OK(weft_enqueue_copy(contexts[c], got, o->device));
    OK(weft_synchronize(contexts[c]));
    for (unsigned d = 0; !o->device && d < CONTEXTS; d++) {
        if (o->written_by[d]) OK(weft_synchronize(contexts[d]));
    }
    check(o, o->device ? got : weft_host_buffer_data(o->host), "object");
}

static void one_step(void) {
    unsigned c = below(CONTEXTS), what = below(40);
    if (what < 20) {
        launch(c);
    } else if (what < 27) {
        copy(c);
    } else if (what < 30) {
        write(c);
    } else if (what < 33) {
        fill();
    } else if (what < 35) {
        host_function(c);
    } else if (what < 37) {
        OK(weft_synchronize(contexts[c]));
    } else if (what == 37) {
        bool done;
        OK(weft_event_query(events[c], &done));
        OK(weft_event_synchronize(events[c]));
    } else {
        look(c);
    }
}

static void make(void) {
    contexts[0] = test_context();
    for (int c = 1; c < CONTEXTS; c++) OK(weft_context_create_stream(contexts[0], NULL, &contexts[c]));
    for (int c = 0; c < CONTEXTS; c++) OK(weft_event_create(contexts[0], NULL, &events[c]));
    mix = test_function(source, "mix");
    for (int i = 0; i < OBJECTS; i++) {
        object *o = &objects[i];
        *o = (object){0};
        for (int j = 0; j < N; j++) o->model[j] = below(1u << 30);
        if (i < BUFFERS) {
            o->device = test_device_buffer(WEFT_UINT32, N);
            test_write(o->device, o->model);
        } else {
            o->host = test_host_buffer(WEFT_UINT32, N);
            memcpy(weft_host_buffer_data(o->host), o->model, sizeof o->model);
        }
    }
}

static void finish(void) {
    for (int c = 0; c < CONTEXTS; c++) OK(weft_synchronize(contexts[c]));
    for (int i = 0; i < OBJECTS; i++) {
        uint32_t got[N];
        if (objects[i].device) test_read(objects[i].device, got);
        check(&objects[i], objects[i].device ? got : weft_host_buffer_data(objects[i].host), "at the end, object");
    }
    for (int c = 0; c < CONTEXTS; c++) {
        weft_event_release(events[c]);
        if (c) weft_context_release(contexts[c]);
    }
}

START_TEST(shuffled_work_is_as_in_order) {
    const char *given = getenv("SHUFFLE_SEED");
    state = seed = given ? strtoull(given, NULL, 10) : 1;
    make();
    for (step = 0; step < test_size(10000, 400); step++) one_step();
    finish();
}
END_TEST

TESTS(shuffled_work_is_as_in_order)
