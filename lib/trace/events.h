/* The events of the file, one function a kind, as Chrome's trace event format has them. */
#ifndef TRACE_EVENTS_H
#define TRACE_EVENTS_H

#include "trace/clock.h"
#include "trace/event_file.h"
#include "trace/record.h"

/* Where times count from, and where events go. */
typedef struct event_sink {
    event_file *file;
    uint64_t began_ns; /* CLOCK_MONOTONIC */
    uint64_t flows;    /* arrows so far */
} event_sink;

/* The process id of the host in the file; devices follow. */
enum { HOST_PID = 1 };

void event_about(event_sink *sink); /* version, program, time of day */
void event_lane_name(event_sink *sink, const char *what, unsigned pid, unsigned tid, const char *name);
void event_call(event_sink *sink, const trace_record *call);
void event_memory(event_sink *sink, unsigned pid, const trace_record *change);
void event_lost(event_sink *sink, uint64_t events, uint64_t at_ns);

/* A command and the arrow to it from its enqueue. run_ns: how long it ran on the device, 0 when not known. */
void event_command(event_sink *sink, unsigned pid, unsigned tid, const trace_record *command, time_span span, uint64_t run_ns,
                   bool failed);

#endif
