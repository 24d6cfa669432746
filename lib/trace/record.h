/* What the program's threads tell the writer: records of fixed size, without text to format. */
#ifndef TRACE_RECORD_H
#define TRACE_RECORD_H

#include <CL/cl.h>

#include "cl/discover.h"

typedef enum trace_kind {
    TRACE_THREAD, /* the first record of a thread */
    TRACE_CALL,   /* of a public function; name is a literal */
    TRACE_KERNEL,
    TRACE_HOST_TO_DEVICE,
    TRACE_DEVICE_TO_HOST,
    TRACE_DEVICE_TO_DEVICE,
    TRACE_FILL,
    TRACE_WAIT,   /* a queue is held back */
    TRACE_SYNCED, /* the host has waited: what was enqueued on the lane before start_ns has ended by end_ns */
    TRACE_MEMORY  /* the device's bytes changed */
} trace_kind;

enum { TRACE_NAME_BYTES = 128 };

/* Times are CLOCK_MONOTONIC's. Those of a command are the host's, from before to after its enqueue. */
typedef struct trace_record {
    trace_kind kind;
    uint32_t thread;
    uint64_t start_ns, end_ns;
    const device_entry *entry;
    struct trace_lane *lane; /* of a command: with a reference */
    cl_event event;          /* of a command: with a reference */
    uint64_t bytes;          /* moved, filled, passed to a kernel, live */
    const char *name;        /* of a call */
    weft_status status;      /* of a call */
    uint32_t pattern_bytes;
    bool pageable;
    bool blocking; /* the command had ended at end_ns */
    uint64_t grid[3], block[3];
    char kernel[TRACE_NAME_BYTES];
} trace_record;

static inline bool trace_is_command(trace_kind kind) {
    return kind >= TRACE_KERNEL && kind <= TRACE_WAIT;
}

#endif
