/* Sums over a trace, and when its queues ran nothing. */
#include <stdlib.h>
#include <string.h>

#include "tool_memory.h"
#include "trace_report.h"

bool trace_is_synchronize(const char *name) {
    return strstr(name, "synchronize");
}

/* Whether the call makes a queue do something. */
static bool is_enqueue(const char *name) {
    return strstr(name, "enqueue") && !strstr(name, "create");
}

/* ---- Sums ------------------------------------------------------------------------------------------ */

static void add(trace_stats *stats, const trace_event *event) {
    int64_t duration = event->end_ns - event->start_ns;
    stats->min_ns = stats->count && stats->min_ns < duration ? stats->min_ns : duration;
    stats->max_ns = stats->count && stats->max_ns > duration ? stats->max_ns : duration;
    stats->total_ns += (double)duration;
    stats->count++;
    stats->n_failed += event->failed;
    if (event->bytes >= 0 && !event->failed) {
        stats->bytes += (double)event->bytes;
        stats->bytes_ns += (double)duration;
    }
}

static void add_event(trace_analysis *out, const trace_event *event) {
    if (event->kind == TRACE_CALL) {
        add(&out->calls[event->name], event);
    } else if (event->kind == TRACE_KERNEL) {
        add(&out->functions[event->name], event);
    } else if (trace_is_copy(event) || event->kind == TRACE_FILL) {
        add(&out->copies[event->kind][event->pageable], event);
    }
    if (trace_is_copy(event) && event->bytes >= 1 << 20 && !event->failed) {
        double rate = trace_rate((double)event->bytes, (double)(event->end_ns - event->start_ns));
        out->best_copy = rate > out->best_copy ? rate : out->best_copy;
    }
}

/* ---- The host -------------------------------------------------------------------------------------- */

static void collect_calls(const trace_lane *lane, trace_thread *out) {
    int64_t end = INT64_MIN;
    out->calls = memory_new(lane->count * sizeof(const trace_event *));
    for (size_t i = 0; i < lane->count; i++) {
        if (lane->events[i].start_ns >= end) {
            out->calls[out->count++] = &lane->events[i];
            end = lane->events[i].end_ns;
        }
    }
}

/* Ends of waits that came after one or two commands. */
typedef struct wait_ends {
    int64_t *times;
    size_t count;
} wait_ends;

static int compare_times(const void *left, const void *right) {
    const int64_t *a = left, *b = right;
    return (*a > *b) - (*a < *b);
}

static void collect_waits(const trace *trace, trace_analysis *out, wait_ends *ends) {
    for (size_t t = 0; t < out->n_threads; t++) {
        size_t n_enqueued = 0;
        for (size_t i = 0; i < out->threads[t].count; i++) {
            const trace_event *call = out->threads[t].calls[i];
            const char *name = trace->names.items[call->name];
            n_enqueued += is_enqueue(name);
            if (!trace_is_synchronize(name)) {
                continue;
            }
            out->n_waits++;
            if (n_enqueued == 1 || n_enqueued == 2) {
                ends->times = memory_grow(ends->times, ends->count, sizeof *ends->times);
                ends->times[ends->count++] = call->end_ns;
            }
            n_enqueued = 0;
        }
    }
    out->n_short_waits = ends->count;
    if (ends->count) {
        qsort(ends->times, ends->count, sizeof *ends->times, compare_times);
    }
}

static bool any_within(const wait_ends *ends, int64_t from, int64_t to) {
    size_t low = 0, high = ends->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (ends->times[middle] < from) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < ends->count && ends->times[low] <= to;
}

/* ---- Gaps ------------------------------------------------------------------------------------------ */

static int64_t overlap(int64_t a_start, int64_t a_end, int64_t b_start, int64_t b_end) {
    int64_t start = a_start > b_start ? a_start : b_start, end = a_end < b_end ? a_end : b_end;
    return end > start ? end - start : 0;
}

static void ask_thread(const trace *trace, const trace_thread *thread, trace_gap *gap) {
    size_t low = 0, high = thread->count;
    while (low < high) { /* the first call that ends in the gap or later */
        size_t middle = low + (high - low) / 2;
        if (thread->calls[middle]->end_ns <= gap->start_ns) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    for (; low < thread->count && thread->calls[low]->start_ns < gap->end_ns; low++) {
        const trace_event *call = thread->calls[low];
        const char *name = trace->names.items[call->name];
        int64_t shared = overlap(call->start_ns, call->end_ns, gap->start_ns, gap->end_ns);
        if (shared > gap->covered_ns) {
            gap->covered_ns = shared;
            gap->call = call->name;
        }
        gap->launch_ns += is_enqueue(name) || trace_is_synchronize(name) ? shared : 0;
    }
}

static void add_gap(const trace *trace, const trace_analysis *analysis, const wait_ends *ends, trace_queue *queue, trace_gap gap) {
    int64_t length = gap.end_ns - gap.start_ns;
    for (size_t t = 0; t < analysis->n_threads; t++) {
        ask_thread(trace, &analysis->threads[t], &gap);
        gap.launch_ns = gap.launch_ns < length ? gap.launch_ns : length;
    }
    if (gap.covered_ns * 2 < length) { /* mostly the program's own work */
        gap.call = TRACE_NONE;
        gap.covered_ns = 0;
    }
    gap.ends_short_wait = any_within(ends, gap.start_ns, gap.end_ns);
    queue->gaps = memory_grow(queue->gaps, queue->n_gaps, sizeof *queue->gaps);
    queue->gaps[queue->n_gaps++] = gap;
    queue->idle_ns += (double)length;
}

static void analyse_queue(const trace *trace, const trace_analysis *analysis, const wait_ends *ends, const trace_event *events,
                          size_t count, trace_queue *queue) {
    int64_t waits_ns = 0;
    for (size_t i = 0; i < count; i++) {
        const trace_event *event = &events[i];
        if (!trace_is_work(event)) {
            waits_ns += event->end_ns - event->start_ns;
            continue;
        }
        if (!queue->n_commands) {
            queue->first_ns = queue->last_ns = event->start_ns;
        } else if (event->start_ns > queue->last_ns) {
            int64_t length = event->start_ns - queue->last_ns;
            add_gap(trace, analysis, ends, queue,
                    (trace_gap){.start_ns = queue->last_ns, .end_ns = event->start_ns, .call = TRACE_NONE,
                                .waits_ns = waits_ns < length ? waits_ns : length});
        }
        waits_ns = 0;
        queue->last_ns = event->end_ns > queue->last_ns ? event->end_ns : queue->last_ns;
        queue->n_commands++;
    }
    queue->busy_ns = (double)(queue->last_ns - queue->first_ns) - queue->idle_ns;
}

/* ---- Devices --------------------------------------------------------------------------------------- */

static int compare_starts(const void *left, const void *right) {
    const trace_event *a = left, *b = right;
    return a->start_ns != b->start_ns ? (a->start_ns < b->start_ns ? -1 : 1) : (a->end_ns > b->end_ns) - (a->end_ns < b->end_ns);
}

/* The device of the queues from first on: lanes are sorted by device. Returns the queue after its last one. */
static size_t analyse_device(const trace *trace, const trace_analysis *analysis, const wait_ends *ends, size_t first, trace_device *out) {
    const uint32_t process = trace->lanes[analysis->queues[first].lane].process;
    size_t end = first;
    for (; end < analysis->n_queues && trace->lanes[analysis->queues[end].lane].process == process; end++) {
        out->count += trace->lanes[analysis->queues[end].lane].count;
        out->n_queues += analysis->queues[end].n_commands > 0;
    }
    out->events = memory_new(out->count * sizeof *out->events);
    for (size_t q = first, placed = 0; q < end; q++) {
        const trace_lane *lane = &trace->lanes[analysis->queues[q].lane];
        if (lane->count) {
            memcpy(out->events + placed, lane->events, lane->count * sizeof *out->events);
        }
        placed += lane->count;
    }
    qsort(out->events, out->count, sizeof *out->events, compare_starts);
    out->all.lane = analysis->queues[first].lane;
    analyse_queue(trace, analysis, ends, out->events, out->count, &out->all);
    return end;
}

/* ---- All of it ------------------------------------------------------------------------------------- */

void trace_analyse(const trace *trace, trace_analysis *out) {
    wait_ends ends = {0};
    *out = (trace_analysis){0};
    out->functions = memory_new(trace->names.count * sizeof *out->functions);
    out->calls = memory_new(trace->names.count * sizeof *out->calls);
    out->threads = memory_new(trace->n_lanes * sizeof *out->threads);
    out->queues = memory_new(trace->n_lanes * sizeof *out->queues);
    for (size_t i = 0; i < trace->n_lanes; i++) {
        for (size_t e = 0; e < trace->lanes[i].count; e++) {
            add_event(out, &trace->lanes[i].events[e]);
        }
        if (trace->lanes[i].is_host) {
            collect_calls(&trace->lanes[i], &out->threads[out->n_threads++]);
        } else {
            out->queues[out->n_queues++].lane = (uint32_t)i;
        }
    }
    collect_waits(trace, out, &ends);
    for (size_t q = 0; q < out->n_queues; q++) {
        const trace_lane *lane = &trace->lanes[out->queues[q].lane];
        analyse_queue(trace, out, &ends, lane->events, lane->count, &out->queues[q]);
        out->busy_ns += out->queues[q].busy_ns;
    }
    out->devices = memory_new(out->n_queues * sizeof *out->devices);
    for (size_t q = 0; q < out->n_queues; out->n_devices++) {
        q = analyse_device(trace, out, &ends, q, &out->devices[out->n_devices]);
    }
    free(ends.times);
}

void trace_analysis_free(trace_analysis *analysis) {
    for (size_t q = 0; q < analysis->n_queues; q++) {
        free(analysis->queues[q].gaps);
    }
    for (size_t d = 0; d < analysis->n_devices; d++) {
        free(analysis->devices[d].events);
        free(analysis->devices[d].all.gaps);
    }
    for (size_t t = 0; t < analysis->n_threads; t++) {
        free(analysis->threads[t].calls);
    }
    free(analysis->queues);
    free(analysis->devices);
    free(analysis->threads);
    free(analysis->functions);
    free(analysis->calls);
}
