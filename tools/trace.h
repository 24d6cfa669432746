/* A trace in memory, as the parts of `weft trace report` share it. */
#ifndef TRACE_H
#define TRACE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TRACE_NONE UINT32_MAX

/* ---- Texts that occur many times, each once; a text's number is its place ------------------------------ */

typedef struct trace_texts {
    char **items;
    size_t count;
    uint32_t *slots;
    size_t n_slots;
} trace_texts;

uint32_t trace_text(trace_texts *texts, const char *text);

/* ---- What happened --------------------------------------------------------------------------------- */

typedef enum trace_kind {
    TRACE_CALL,
    TRACE_KERNEL,
    TRACE_TO_DEVICE, /* copies */
    TRACE_TO_HOST,
    TRACE_ON_DEVICE,
    TRACE_FILL,
    TRACE_WAIT,
    TRACE_OTHER,
    TRACE_KINDS
} trace_kind;

typedef struct trace_event {
    int64_t start_ns, end_ns;
    int64_t bytes; /* -1 where it is not known */
    uint32_t name, shape; /* shape: TRACE_NONE, or a number among shapes */
    uint32_t call;        /* of a command: the host call that enqueued it, in the host lane call_lane; or TRACE_NONE */
    uint32_t call_lane;
    uint8_t kind;
    bool pageable, failed;
} trace_event;

typedef struct trace_lane {
    uint32_t process; /* a number among processes */
    char *name;       /* "main thread", "queue 1" */
    bool is_host;
    trace_event *events; /* by start; of equal ones the longer first, as calls nest */
    size_t count;
} trace_lane;

typedef struct trace_process {
    long long pid;
    char *name;
} trace_process;

typedef struct trace_shape {
    uint32_t grid[3], block[3];
} trace_shape;

typedef struct trace_sample {
    int64_t time_ns, bytes;
} trace_sample;

/* Device memory over time. */
typedef struct trace_counter {
    uint32_t process;
    char *name;
    trace_sample *samples; /* by time */
    size_t count;
} trace_counter;

typedef struct trace_flow {
    int64_t id, time_ns;
    uint32_t lane;
} trace_flow;

typedef struct trace {
    char *program, *started, *version; /* NULL where the file does not say */
    json_int_t format; /* 0: the file has no weft_trace line */
    bool is_cut_off;
    uint64_t n_lost;      /* events that the writer had no room for */
    size_t n_ignored; /* lines that are no events, and events that cannot be */
    trace_process *processes;
    trace_lane *lanes; /* the host's first, then by process, each in order of appearance */
    trace_counter *counters;
    trace_shape *shapes;
    size_t n_processes, n_lanes, n_counters, n_shapes, n_events;
    int64_t start_ns, end_ns; /* of all events */
    trace_texts names, lane_keys, shape_keys;
    trace_flow *begins, *ends; /* while reading */
    size_t n_begins, n_ends;
} trace;

/* Reads a file that weft wrote, whole or cut off. false, and a line on stderr: it is none. */
bool trace_read(trace *trace, const char *who, const char *path);
void trace_free(trace *trace);

/* Takes in one event of the file; false: it is none. */
bool trace_take(trace *trace, const json_t *event);

/* Sorts, and finds each command's call: after the last event. */
void trace_finish(trace *trace);

static inline bool trace_is_work(const trace_event *event) {
    return event->kind != TRACE_CALL && event->kind != TRACE_WAIT;
}

static inline bool trace_is_copy(const trace_event *event) {
    return event->kind >= TRACE_TO_DEVICE && event->kind <= TRACE_ON_DEVICE;
}

#endif
