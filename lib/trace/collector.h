/* Records on their way to the file: what is known is written, commands wait for their end. One thread. */
#ifndef TRACE_COLLECTOR_H
#define TRACE_COLLECTOR_H

#include "base/refcount.h"
#include "trace/events.h"

typedef struct pending pending;

/* One queue. Kept by its context and by its records. */
struct trace_lane {
    refcount refs;
    const device_entry *entry;
    /* The writer's: */
    uint64_t named_in;         /* the trace that knows it by name */
    unsigned number;           /* among the device's lanes of that trace */
    uint64_t after;            /* the end of the last command written */
    pending *first, *last;     /* commands that were not written yet, in order */
    struct trace_lane *next;   /* that has some */
};

enum { TRACE_DEVICES = 64 };

typedef struct traced_device {
    const device_entry *entry;
    device_clock clock;
    cl_ulong resolution_ns;
    unsigned lanes;
} traced_device;

typedef struct collector {
    event_sink sink;
    uint64_t trace; /* counts traces */
    traced_device devices[TRACE_DEVICES];
    unsigned n_devices;
    pending *pool, *unused; /* the pool stays until the process ends */
    size_t pool_used;
    struct trace_lane *busy;
} collector;

/* Begins another trace, whose first events go to the file; false without memory. */
bool collector_begin(collector *collector, event_file *file, uint64_t began_ns);

/* Whether another command can be taken. */
bool collector_has_room(const collector *collector);

/* Whether every command has been written. */
static inline bool collector_is_idle(const collector *collector) {
    return !collector->busy;
}

/* Takes over the record's references. */
void collector_take(collector *collector, const trace_record *record);

/* Asks the driver which commands have ended; the result says whether any has. Then, when every record is taken that may
 * say more about them: writes them. */
bool collector_look(collector *collector);
void collector_write(collector *collector);

/* Gives up the commands that have not ended, without a call into the driver; returns their number. */
uint64_t collector_abandon(collector *collector);

#endif
