#include "trace/collector.h"

#include <stdio.h>
#include <stdlib.h>

#include "cl/driver.h"
#include "trace/trace.h"

/* What two contexts have in flight at most. */
enum { MOST_PENDING = 16 << 10 };

struct pending {
    trace_record record;
    uint64_t ended_by; /* a time at which it is known to have ended */
    bool ended, failed, unknown; /* unknown: the driver does not say */
    pending *next;
};

bool collector_begin(collector *collector, event_file *file, uint64_t began_ns) {
    if (!collector->pool) {
        collector->pool = calloc(MOST_PENDING, sizeof *collector->pool);
        if (!collector->pool) {
            return false;
        }
    }
    collector->sink = (event_sink){file, began_ns, 0};
    collector->trace++;
    collector->n_devices = 0;
    collector->busy = NULL;
    event_lane_name(&collector->sink, "process_name", HOST_PID, 0, "host");
    event_about(&collector->sink);
    return true;
}

bool collector_has_room(const collector *collector) {
    return collector->unused || collector->pool_used < MOST_PENDING;
}

static unsigned pid_of(const collector *collector, const traced_device *device) {
    return HOST_PID + 1 + (unsigned)(device - collector->devices);
}

/* NVIDIA counts in microseconds. */
static cl_ulong resolution_of(const device_entry *entry) {
    size_t ns = 0;
    cl_int code;
    DRIVER(entry, code = clGetDeviceInfo(entry->id, CL_DEVICE_PROFILING_TIMER_RESOLUTION, sizeof ns, &ns, NULL));
    return code == CL_SUCCESS && ns < 1000000 ? ns : 1000;
}

static traced_device *device_of(collector *collector, const device_entry *entry) {
    for (unsigned i = 0; i < collector->n_devices; i++) {
        if (collector->devices[i].entry == entry) {
            return &collector->devices[i];
        }
    }
    if (collector->n_devices == TRACE_DEVICES) {
        return &collector->devices[TRACE_DEVICES - 1];
    }
    traced_device *device = &collector->devices[collector->n_devices++];
    *device = (traced_device){.entry = entry, .resolution_ns = resolution_of(entry)};
    char name[512];
    snprintf(name, sizeof name, "%s:%d %s", entry->info.api, entry->info.id, entry->info.name);
    event_lane_name(&collector->sink, "process_name", pid_of(collector, device), 0, name);
    return device;
}

static void name_lane(collector *collector, trace_lane *lane) {
    if (lane->named_in == collector->trace) {
        return;
    }
    traced_device *device = device_of(collector, lane->entry);
    char name[32];
    lane->named_in = collector->trace;
    lane->number = ++device->lanes;
    snprintf(name, sizeof name, "queue %u", lane->number);
    event_lane_name(&collector->sink, "thread_name", pid_of(collector, device), lane->number, name);
}

static void name_thread(collector *collector, unsigned thread) {
    char name[32] = "main thread";
    if (thread != TRACE_MAIN_THREAD) {
        snprintf(name, sizeof name, "thread %u", thread);
    }
    event_lane_name(&collector->sink, "thread_name", HOST_PID, thread, name);
}

/* Everything on the lane whose enqueue was over at start_ns had ended at end_ns. */
static void limit(trace_lane *lane, uint64_t start_ns, uint64_t end_ns) {
    for (pending *at = lane->first; at; at = at->next) {
        if (at->record.end_ns <= start_ns && end_ns < at->ended_by) {
            at->ended_by = end_ns;
        }
    }
}

/* The pool's memory is touched only as far as it is needed. */
static pending *next_unused(collector *collector) {
    pending *found = collector->unused;
    if (!found) {
        return &collector->pool[collector->pool_used++];
    }
    collector->unused = found->next;
    return found;
}

static void take_command(collector *collector, const trace_record *record) {
    trace_lane *lane = record->lane;
    pending *made = next_unused(collector);
    *made = (pending){.record = *record, .ended_by = record->blocking ? record->end_ns : UINT64_MAX};
    if (record->blocking) {
        limit(lane, record->start_ns, record->end_ns);
    }
    if (lane->last) {
        lane->last->next = made;
    } else {
        lane->first = made;
        lane->next = collector->busy;
        collector->busy = lane;
    }
    lane->last = made;
    name_lane(collector, lane);
}

void collector_take(collector *collector, const trace_record *record) {
    switch (record->kind) {
        case TRACE_THREAD:
            name_thread(collector, record->thread);
            break;
        case TRACE_CALL:
            event_call(&collector->sink, record);
            break;
        case TRACE_MEMORY:
            event_memory(&collector->sink, pid_of(collector, device_of(collector, record->entry)), record);
            break;
        case TRACE_SYNCED:
            limit(record->lane, record->start_ns, record->end_ns);
            trace_lane_release(record->lane);
            break;
        default:
            take_command(collector, record);
    }
}

static bool has_ended(pending *command, const device_entry *entry) {
    cl_int code, status = CL_QUEUED;
    DRIVER(entry, code = clGetEventInfo(command->record.event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
    command->unknown = code != CL_SUCCESS;
    command->ended = command->unknown || status <= CL_COMPLETE;
    command->failed = !command->unknown && status < 0;
    return command->ended;
}

/* The moment is taken after the driver's answer. */
bool collector_look(collector *collector) {
    bool any = false;
    for (trace_lane *lane = collector->busy; lane; lane = lane->next) {
        for (pending *at = lane->first; at && (at->ended || has_ended(at, lane->entry)); at = at->next) {
            uint64_t now = clock_now_ns();
            at->ended_by = now < at->ended_by ? now : at->ended_by;
            any = true;
        }
    }
    return any;
}

static bool read_times(const device_entry *entry, const pending *command, device_times *out) {
    if (command->failed || command->unknown || !entry->info.timestamps) {
        return false;
    }
    const cl_profiling_info names[] = {CL_PROFILING_COMMAND_QUEUED, CL_PROFILING_COMMAND_START, CL_PROFILING_COMMAND_END};
    cl_ulong times[3];
    for (int i = 0; i < 3; i++) {
        cl_int code;
        DRIVER(entry, code = clGetEventProfilingInfo(command->record.event, names[i], sizeof *times, &times[i], NULL));
        if (code != CL_SUCCESS) {
            return false;
        }
    }
    *out = (device_times){times[0], times[1], times[2]};
    return true;
}

static void write_command(collector *collector, trace_lane *lane, const pending *command) {
    const trace_record *record = &command->record;
    traced_device *device = device_of(collector, lane->entry);
    host_bounds host = {record->start_ns, record->end_ns, command->ended_by, lane->after};
    device_times times;
    time_span span = clock_place_seen(&host);
    uint64_t run_ns = span.end - span.start;
    if (read_times(lane->entry, command, &times)) {
        clock_learn(&device->clock, &times, &host, device->resolution_ns);
        uint64_t waited_from = span.start;
        span = clock_place(&device->clock, &times, &host);
        run_ns = times.end > times.start ? times.end - times.start : 0;
        span.start = record->kind == TRACE_WAIT ? waited_from : span.start;
    }
    lane->after = span.end;
    event_command(&collector->sink, pid_of(collector, device), lane->number, record, span, run_ns, command->failed);
}

/* The lane goes with its last command, when its context has gone. */
static void drop_first(collector *collector, trace_lane *lane) {
    pending *command = lane->first;
    lane->first = command->next;
    lane->last = lane->first ? lane->last : NULL;
    command->next = collector->unused;
    collector->unused = command;
}

void collector_write(collector *collector) {
    trace_lane **at = &collector->busy;
    while (*at) {
        trace_lane *lane = *at;
        unsigned done = 0;
        for (; lane->first && lane->first->ended; done++) {
            write_command(collector, lane, lane->first);
            DRIVER(lane->entry, clReleaseEvent(lane->first->record.event));
            drop_first(collector, lane);
        }
        if (lane->first) {
            at = &lane->next;
        } else {
            *at = lane->next;
        }
        for (; done > 0; done--) {
            trace_lane_release(lane);
        }
    }
}

uint64_t collector_abandon(collector *collector) {
    uint64_t count = 0;
    while (collector->busy) {
        trace_lane *lane = collector->busy;
        collector->busy = lane->next;
        for (; lane->first; count++) {
            drop_first(collector, lane);
        }
    }
    return count;
}
