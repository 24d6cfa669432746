/* The timeline: what the rest of the library tells it. Nothing here waits for a device or formats text, but for starting
 * and stopping. */
#ifndef TRACE_TRACE_H
#define TRACE_TRACE_H

#include <stdatomic.h>

#include <weft/trace.h>

#include "trace/clock.h"
#include "trace/record.h"

enum { TRACE_MAIN_THREAD = 1 };

extern atomic_bool trace_on;

static inline bool trace_is_on(void) {
    return __builtin_expect(atomic_load_explicit(&trace_on, memory_order_relaxed), 0);
}

/* A queue in the timeline. */
typedef struct trace_lane trace_lane;
weft_status trace_lane_create(const device_entry *entry, trace_lane **out);
trace_lane *trace_lane_retain(trace_lane *lane);
void trace_lane_release(trace_lane *lane); /* NULL does nothing */

/* A place for one record; kind and thread are set. */
typedef struct trace_slot {
    trace_record *record; /* NULL: no trace, or no room, and then the record counts as lost */
    uint64_t position;
} trace_slot;
trace_slot trace_take(trace_kind kind);
void trace_publish(trace_slot slot);

/* A wait that began at start_ns has seen the end of what was enqueued on the lane before. */
void trace_synced(trace_lane *lane, uint64_t start_ns);

void trace_memory(const device_entry *entry, size_t live_bytes);

weft_status trace_start(const char *path);
weft_status trace_stop(void);

/* At exit, before the driver goes: what has ended is written, and the last time the file is ended. */
void trace_at_exit(bool last);

#endif
