/* From a trace's JSON objects to lanes of events. */
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tool_memory.h"
#include "trace.h"

/* ---- Texts ----------------------------------------------------------------------------------------- */

static size_t hash_of(const char *text) {
    uint64_t hash = UINT64_C(14695981039346656037);
    for (; *text; text++) {
        hash = (hash ^ (unsigned char)*text) * UINT64_C(1099511628211);
    }
    return (size_t)(hash ^ hash >> 32);
}

static void place(trace_texts *texts, uint32_t number) {
    size_t slot = hash_of(texts->items[number]) & (texts->n_slots - 1);
    while (texts->slots[slot]) {
        slot = (slot + 1) & (texts->n_slots - 1);
    }
    texts->slots[slot] = number + 1;
}

uint32_t trace_text(trace_texts *texts, const char *text) {
    if (texts->count * 2 >= texts->n_slots) {
        texts->n_slots = texts->n_slots ? texts->n_slots * 2 : 64;
        free(texts->slots);
        texts->slots = memory_new(texts->n_slots * sizeof *texts->slots);
        for (uint32_t i = 0; i < texts->count; i++) {
            place(texts, i);
        }
    }
    for (size_t slot = hash_of(text) & (texts->n_slots - 1); texts->slots[slot]; slot = (slot + 1) & (texts->n_slots - 1)) {
        if (!strcmp(texts->items[texts->slots[slot] - 1], text)) {
            return texts->slots[slot] - 1;
        }
    }
    texts->items = memory_grow(texts->items, texts->count, sizeof *texts->items);
    texts->items[texts->count] = memory_copy(text, strlen(text));
    place(texts, (uint32_t)texts->count);
    return (uint32_t)texts->count++;
}

/* ---- Fields ---------------------------------------------------------------------------------------- */

static const char *text_of(const json_t *object, const char *key) {
    return json_string_value(json_object_get(object, key));
}

/* Microseconds as nanoseconds. false: it is no such number, or one of over 30 years. */
static bool time_of(const json_t *object, const char *key, int64_t *out) {
    const json_t *field = json_object_get(object, key);
    double us = json_number_value(field);
    if (!json_is_number(field) || !(fabs(us) < 1e15)) {
        return false;
    }
    *out = llround(us * 1000);
    return true;
}

static bool integer_of(const json_t *object, const char *key, long long *out) {
    const json_t *field = json_object_get(object, key);
    *out = json_integer_value(field);
    return json_is_integer(field);
}

/* Up to an exbibyte, so that sums stay in range. */
static int64_t bytes_of(const json_t *args, const char *key) {
    long long bytes;
    return integer_of(args, key, &bytes) && bytes >= 0 && bytes <= INT64_C(1) << 60 ? bytes : -1;
}

static bool dims_of(const json_t *args, const char *key, uint32_t dims[3]) {
    const json_t *array = json_object_get(args, key);
    for (size_t i = 0; i < 3; i++) {
        const json_t *item = json_array_get(array, i);
        json_int_t value = json_integer_value(item);
        if (!json_is_integer(item) || value < 1 || value > UINT32_MAX) {
            return false;
        }
        dims[i] = (uint32_t)value;
    }
    return true;
}

static uint32_t shape_of(trace *trace, const json_t *args) {
    trace_shape shape;
    char key[80];
    if (!dims_of(args, "grid", shape.grid) || !dims_of(args, "block", shape.block)) {
        return TRACE_NONE;
    }
    snprintf(key, sizeof key, "%" PRIu32 " %" PRIu32 " %" PRIu32 " %" PRIu32 " %" PRIu32 " %" PRIu32, shape.grid[0], shape.grid[1],
             shape.grid[2], shape.block[0], shape.block[1], shape.block[2]);
    uint32_t number = trace_text(&trace->shape_keys, key);
    if (number == trace->n_shapes) {
        trace->shapes = memory_grow(trace->shapes, trace->n_shapes, sizeof *trace->shapes);
        trace->shapes[trace->n_shapes++] = shape;
    }
    return number;
}

static trace_kind kind_of(const json_t *event, const char *name, bool is_host) {
    const char *category = text_of(event, "cat");
    if (is_host) {
        return TRACE_CALL;
    }
    if (!category) {
        return TRACE_OTHER;
    }
    return !strcmp(category, "kernel") ? TRACE_KERNEL
           : !strcmp(category, "fill") ? TRACE_FILL
           : !strcmp(category, "wait") ? TRACE_WAIT
           : strcmp(category, "copy")  ? TRACE_OTHER
           : !strcmp(name, "copy host to device") ? TRACE_TO_DEVICE
           : !strcmp(name, "copy device to host") ? TRACE_TO_HOST
           : !strcmp(name, "copy device to device") ? TRACE_ON_DEVICE
                                                    : TRACE_OTHER;
}

/* ---- Processes and lanes --------------------------------------------------------------------------- */

static void rename_to(char **name, const char *text) {
    free(*name);
    *name = memory_copy(text, strlen(text));
}

static uint32_t process_of(trace *trace, long long pid) {
    for (size_t i = trace->n_processes; i-- > 0;) {
        if (trace->processes[i].pid == pid) {
            return (uint32_t)i;
        }
    }
    char name[40];
    snprintf(name, sizeof name, pid == 1 ? "host" : "device %lld", pid - 1);
    trace->processes = memory_grow(trace->processes, trace->n_processes, sizeof *trace->processes);
    trace->processes[trace->n_processes] = (trace_process){pid, memory_copy(name, strlen(name))};
    return (uint32_t)trace->n_processes++;
}

/* That of the event's pid and tid; TRACE_NONE: it has none. */
static uint32_t lane_of(trace *trace, const json_t *event) {
    long long pid, tid;
    char key[48], name[40];
    if (!integer_of(event, "pid", &pid) || !integer_of(event, "tid", &tid)) {
        return TRACE_NONE;
    }
    snprintf(key, sizeof key, "%lld %lld", pid, tid);
    uint32_t number = trace_text(&trace->lane_keys, key);
    if (number == trace->n_lanes) {
        snprintf(name, sizeof name, pid == 1 ? "thread %lld" : "queue %lld", tid);
        trace->lanes = memory_grow(trace->lanes, trace->n_lanes, sizeof *trace->lanes);
        trace->lanes[trace->n_lanes++] =
            (trace_lane){.process = process_of(trace, pid), .name = memory_copy(name, strlen(name)), .is_host = pid == 1};
    }
    return number;
}

/* ---- Events ---------------------------------------------------------------------------------------- */

static bool take_metadata(trace *trace, const json_t *event) {
    const char *what = text_of(event, "name");
    const json_t *args = json_object_get(event, "args");
    const char *name = text_of(args, "name");
    long long pid;
    if (!what || !integer_of(event, "pid", &pid)) {
        return false;
    }
    if (!strcmp(what, "process_name") && name) {
        uint32_t process = process_of(trace, pid); /* which may move them */
        rename_to(&trace->processes[process].name, name);
    } else if (!strcmp(what, "thread_name") && name) {
        uint32_t lane = lane_of(trace, event);
        if (lane == TRACE_NONE) {
            return false;
        }
        rename_to(&trace->lanes[lane].name, name);
    } else if (!strcmp(what, "weft_trace")) {
        char **const fields[] = {&trace->program, &trace->started, &trace->version};
        static const char *const keys[] = {"program", "started", "version"};
        for (size_t i = 0; i < 3; i++) {
            if (text_of(args, keys[i])) {
                rename_to(fields[i], text_of(args, keys[i]));
            }
        }
        trace->format = json_integer_value(json_object_get(args, "format"));
    }
    return true;
}

static bool take_slice(trace *trace, const json_t *event) {
    const char *name = text_of(event, "name");
    const json_t *args = json_object_get(event, "args");
    int64_t start, duration;
    if (!name || !time_of(event, "ts", &start) || !time_of(event, "dur", &duration) || duration < 0) {
        return false;
    }
    uint32_t number = lane_of(trace, event);
    if (number == TRACE_NONE) {
        return false;
    }
    trace_lane *lane = &trace->lanes[number];
    const char *status = text_of(args, "status");
    trace_event made = {.start_ns = start, .end_ns = start + duration, .bytes = -1, .shape = TRACE_NONE, .call = TRACE_NONE,
                        .call_lane = TRACE_NONE};
    made.name = trace_text(&trace->names, name);
    made.kind = (uint8_t)kind_of(event, name, lane->is_host);
    made.failed = json_is_true(json_object_get(args, "failed")) || (lane->is_host && status && strcmp(status, "WEFT_OK") != 0);
    made.pageable = json_is_true(json_object_get(args, "pageable"));
    if (!lane->is_host) {
        made.bytes = bytes_of(args, made.kind == TRACE_KERNEL ? "buffer_bytes" : "bytes");
        made.shape = made.kind == TRACE_KERNEL ? shape_of(trace, args) : TRACE_NONE;
    }
    lane->events = memory_grow(lane->events, lane->count, sizeof *lane->events);
    lane->events[lane->count++] = made;
    trace->n_events++;
    return true;
}

static bool take_flow(trace *trace, const json_t *event, bool begins) {
    trace_flow flow;
    long long id;
    if (!integer_of(event, "id", &id) || !time_of(event, "ts", &flow.time_ns)) {
        return false;
    }
    flow.id = id;
    flow.lane = lane_of(trace, event);
    if (flow.lane == TRACE_NONE) {
        return false;
    }
    trace_flow **flows = begins ? &trace->begins : &trace->ends;
    size_t *count = begins ? &trace->n_begins : &trace->n_ends;
    *flows = memory_grow(*flows, *count, sizeof **flows);
    (*flows)[(*count)++] = flow;
    return true;
}

static bool take_counter(trace *trace, const json_t *event) {
    const char *name = text_of(event, "name");
    trace_sample sample = {.bytes = bytes_of(json_object_get(event, "args"), "bytes")};
    long long pid;
    if (!name || !integer_of(event, "pid", &pid) || !time_of(event, "ts", &sample.time_ns) || sample.bytes < 0) {
        return false;
    }
    uint32_t process = process_of(trace, pid);
    size_t i = 0;
    while (i < trace->n_counters && (trace->counters[i].process != process || strcmp(trace->counters[i].name, name) != 0)) {
        i++;
    }
    if (i == trace->n_counters) {
        trace->counters = memory_grow(trace->counters, trace->n_counters, sizeof *trace->counters);
        trace->counters[trace->n_counters++] = (trace_counter){.process = process, .name = memory_copy(name, strlen(name))};
    }
    trace_counter *counter = &trace->counters[i];
    counter->samples = memory_grow(counter->samples, counter->count, sizeof *counter->samples);
    counter->samples[counter->count++] = sample;
    return true;
}

/* What the writer had to leave out. */
static bool take_lost(trace *trace, const json_t *event) {
    int64_t lost = bytes_of(json_object_get(event, "args"), "events");
    trace->n_lost += lost > 0 ? (uint64_t)lost : 0;
    return true;
}

bool trace_take(trace *trace, const json_t *event) {
    const char *phase = text_of(event, "ph");
    if (!phase || strlen(phase) != 1) {
        return false;
    }
    switch (*phase) {
        case 'M':
            return take_metadata(trace, event);
        case 'X':
            return take_slice(trace, event);
        case 's':
        case 'f':
            return take_flow(trace, event, *phase == 's');
        case 'C':
            return take_counter(trace, event);
        case 'i':
            return take_lost(trace, event);
        default:
            return false;
    }
}

/* ---- Order ----------------------------------------------------------------------------------------- */

static int compare_events(const void *left, const void *right) {
    const trace_event *a = left, *b = right;
    if (a->start_ns != b->start_ns) {
        return a->start_ns < b->start_ns ? -1 : 1;
    }
    if (a->end_ns != b->end_ns) {
        return a->end_ns > b->end_ns ? -1 : 1;
    }
    if (a->name != b->name) {
        return a->name < b->name ? -1 : 1;
    }
    return (a->bytes > b->bytes) - (a->bytes < b->bytes);
}

static int compare_flows(const void *left, const void *right) {
    const trace_flow *a = left, *b = right;
    return a->id != b->id ? (a->id < b->id ? -1 : 1) : (a->time_ns > b->time_ns) - (a->time_ns < b->time_ns);
}

static int compare_samples(const void *left, const void *right) {
    const trace_sample *a = left, *b = right;
    return a->time_ns != b->time_ns ? (a->time_ns < b->time_ns ? -1 : 1) : (a->bytes > b->bytes) - (a->bytes < b->bytes);
}

typedef struct lane_order {
    trace_lane lane;
    long long pid;
    size_t place;
} lane_order;

static int compare_lanes(const void *left, const void *right) {
    const lane_order *a = left, *b = right;
    return a->pid != b->pid ? (a->pid < b->pid ? -1 : 1) : (a->place > b->place) - (a->place < b->place);
}

/* pid 1 is the host, so that it comes first. Returns where each lane went. */
static uint32_t *sort_lanes(trace *trace) {
    lane_order *order = memory_new(trace->n_lanes * sizeof *order);
    uint32_t *moved = memory_new(trace->n_lanes * sizeof *moved);
    for (size_t i = 0; i < trace->n_lanes; i++) {
        order[i] = (lane_order){trace->lanes[i], trace->processes[trace->lanes[i].process].pid, i};
        order[i].pid = order[i].lane.is_host ? INT64_MIN : order[i].pid;
    }
    qsort(order, trace->n_lanes, sizeof *order, compare_lanes);
    for (size_t i = 0; i < trace->n_lanes; i++) {
        trace->lanes[i] = order[i].lane;
        moved[order[i].place] = (uint32_t)i;
    }
    free(order);
    return moved;
}

/* The first event that starts after time. */
static size_t first_after(const trace_lane *lane, int64_t time) {
    size_t low = 0, high = lane->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (lane->events[middle].start_ns <= time) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* The innermost call around time; calls nest a few deep. */
static uint32_t call_at(const trace_lane *lane, int64_t time) {
    size_t after = first_after(lane, time);
    for (size_t i = after; i-- > 0 && after - i <= 16;) {
        if (lane->events[i].end_ns >= time) {
            return (uint32_t)i;
        }
    }
    return TRACE_NONE;
}

static uint32_t command_at(const trace_lane *lane, int64_t time) {
    size_t after = first_after(lane, time);
    return after > 0 && lane->events[after - 1].start_ns == time ? (uint32_t)(after - 1) : TRACE_NONE;
}

static void connect(trace *trace, const uint32_t *moved) {
    for (size_t b = 0, e = 0; b < trace->n_begins && e < trace->n_ends;) {
        const trace_flow *begin = &trace->begins[b], *end = &trace->ends[e];
        if (begin->id != end->id) {
            b += begin->id < end->id;
            e += begin->id > end->id;
            continue;
        }
        const trace_lane *host = &trace->lanes[moved[begin->lane]], *queue = &trace->lanes[moved[end->lane]];
        uint32_t call = call_at(host, begin->time_ns), command = command_at(queue, end->time_ns);
        if (host->is_host && !queue->is_host && call != TRACE_NONE && command != TRACE_NONE) {
            queue->events[command].call = call;
            queue->events[command].call_lane = moved[begin->lane];
        }
        e++;
    }
}

void trace_finish(trace *trace) {
    uint32_t *moved = sort_lanes(trace);
    trace->start_ns = trace->n_events ? INT64_MAX : 0;
    trace->end_ns = trace->n_events ? INT64_MIN : 0;
    for (size_t i = 0; i < trace->n_lanes; i++) {
        trace_lane *lane = &trace->lanes[i];
        if (lane->count) {
            qsort(lane->events, lane->count, sizeof *lane->events, compare_events);
        }
        for (size_t e = 0; e < lane->count; e++) {
            trace->start_ns = lane->events[e].start_ns < trace->start_ns ? lane->events[e].start_ns : trace->start_ns;
            trace->end_ns = lane->events[e].end_ns > trace->end_ns ? lane->events[e].end_ns : trace->end_ns;
        }
    }
    for (size_t i = 0; i < trace->n_counters; i++) {
        qsort(trace->counters[i].samples, trace->counters[i].count, sizeof(trace_sample), compare_samples);
    }
    if (trace->n_begins) {
        qsort(trace->begins, trace->n_begins, sizeof *trace->begins, compare_flows);
    }
    if (trace->n_ends) {
        qsort(trace->ends, trace->n_ends, sizeof *trace->ends, compare_flows);
    }
    connect(trace, moved);
    free(moved);
}
