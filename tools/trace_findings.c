/* What would make a traced program faster. Each finding is a sentence with the figures it rests on. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tool_memory.h"
#include "trace_report.h"

typedef struct search {
    const trace *trace;
    const trace_analysis *analysis;
    trace_findings *found;
} search;

#define TIME(ns) label_time(ns).text
#define RATE(gb_s) label_rate(gb_s).text
#define BYTES(bytes) label_bytes((size_t)(bytes)).text
#define SHARE(part, whole) label_share(part, whole).text

__attribute__((format(printf, 3, 4))) static void say(const search *in, double saving_ns, const char *format, ...) {
    char *text = NULL;
    va_list arguments;
    va_start(arguments, format);
    int length = vasprintf(&text, format, arguments);
    va_end(arguments);
    in->found->items = memory_grow(in->found->items, in->found->count, sizeof *in->found->items);
    in->found->items[in->found->count++] = (trace_finding){length < 0 ? memory_new(1) : text, saving_ns > 0 ? saving_ns : 0};
}

static const char *name_of(const search *in, const trace_event *event) {
    return in->trace->names.items[event->name];
}

static double duration_of(const trace_event *event) {
    return (double)(event->end_ns - event->start_ns);
}

/* ---- The queue waits for the host ------------------------------------------------------------------ */

static void find_short_waits(const search *in) {
    double idle_ns = 0, span_ns = 0;
    for (size_t d = 0; d < in->analysis->n_devices; d++) {
        const trace_queue *all = &in->analysis->devices[d].all;
        span_ns += all->busy_ns + all->idle_ns;
        for (size_t g = 0; g < all->n_gaps; g++) {
            idle_ns += all->gaps[g].ends_short_wait ? (double)all->gaps[g].launch_ns : 0;
        }
    }
    if (in->analysis->n_short_waits >= 10 && idle_ns >= 0.05 * span_ns) {
        say(in, idle_ns,
            "%zu of %zu synchronizing calls come after only one or two commands, and all queues are idle for %s (%s of the time) "
            "while the host returns from them and enqueues again: enqueue more before each wait.",
            in->analysis->n_short_waits, in->analysis->n_waits, TIME(idle_ns), SHARE(idle_ns, span_ns));
    }
}

static bool is_in_gap_of_wait(const trace_queue *queue, size_t *g, int64_t start_ns) {
    while (*g < queue->n_gaps && queue->gaps[*g].start_ns < start_ns) {
        ++*g;
    }
    return *g < queue->n_gaps && queue->gaps[*g].start_ns == start_ns && queue->gaps[*g].ends_short_wait;
}

/* Kernels that follow each other without a wait between them. */
static void find_short_kernels(const search *in) {
    double apart_ns = 0, run_ns = 0;
    size_t count = 0;
    for (size_t d = 0; d < in->analysis->n_devices; d++) {
        const trace_device *device = &in->analysis->devices[d];
        size_t gap = 0;
        for (size_t i = 1; i < device->count; i++) {
            const trace_event *before = &device->events[i - 1], *event = &device->events[i];
            int64_t distance = event->start_ns - before->end_ns;
            if (event->kind == TRACE_KERNEL && before->kind == TRACE_KERNEL && distance >= 0 && distance < 1000000 &&
                duration_of(event) < 20e3 && !is_in_gap_of_wait(&device->all, &gap, before->end_ns)) {
                apart_ns += (double)distance;
                run_ns += duration_of(event);
                count++;
            }
        }
    }
    if (count >= 50 && apart_ns > run_ns) {
        say(in, apart_ns,
            "%zu kernels run for only %s on average and begin %s after the one before has ended, %s in all: enqueue them as one "
            "graph, or give each more work with a larger grid.",
            count, TIME(run_ns / (double)count), TIME(apart_ns / (double)count), TIME(apart_ns));
    }
}

static void find_compiles(const search *in) {
    double total_ns = 0, span_ns = (double)(in->trace->end_ns - in->trace->start_ns);
    size_t count = 0;
    int64_t longest = 0;
    for (size_t t = 0; t < in->analysis->n_threads; t++) {
        for (size_t i = 0; i < in->analysis->threads[t].count; i++) {
            const trace_event *call = in->analysis->threads[t].calls[i];
            if (strstr(name_of(in, call), "_compile_")) {
                count++;
                total_ns += duration_of(call);
                longest = call->end_ns - call->start_ns > longest ? call->end_ns - call->start_ns : longest;
            }
        }
    }
    if (count >= 10 && total_ns >= 0.05 * span_ns) {
        say(in, total_ns - (double)longest,
            "%zu compile calls take %s, %s of the trace's time: compile each program once, and keep its functions.", count,
            TIME(total_ns), SHARE(total_ns, span_ns));
    }
}

/* ---- Copies ---------------------------------------------------------------------------------------- */

static const char *const kind_names[TRACE_KINDS] = {[TRACE_TO_DEVICE] = "host to device",
                                                    [TRACE_TO_HOST] = "device to host",
                                                    [TRACE_ON_DEVICE] = "device to device"};

/* The best rate of large copies of a kind, else that of the best copy at all. */
static double best_rate_of(const search *in, trace_kind kind) {
    double best = 0;
    for (size_t i = 0; i < in->trace->n_lanes; i++) {
        for (size_t e = 0; e < in->trace->lanes[i].count; e++) {
            const trace_event *event = &in->trace->lanes[i].events[e];
            if (event->kind == kind && event->bytes >= 0 && !event->failed) {
                best = fmax(best, trace_rate((double)event->bytes, duration_of(event)));
            }
        }
    }
    return best;
}

typedef struct copy_rows {
    size_t n_rows, n_copies;
    double bytes, ns;
} copy_rows;

static bool is_small_copy(const trace_event *event, trace_kind kind) {
    return event->kind == kind && event->bytes >= 0 && event->bytes <= 64 << 10 && !event->failed;
}

/* Rows of at least 8 small copies of a kind with no other command between. */
static copy_rows rows_of(const trace_lane *lane, trace_kind kind) {
    copy_rows all = {0}, row = {0};
    for (size_t i = 0; i <= lane->count; i++) {
        if (i < lane->count && is_small_copy(&lane->events[i], kind)) {
            row.n_copies++;
            row.bytes += (double)lane->events[i].bytes;
            row.ns += duration_of(&lane->events[i]);
            continue;
        }
        if (row.n_copies >= 8) {
            all = (copy_rows){all.n_rows + 1, all.n_copies + row.n_copies, all.bytes + row.bytes, all.ns + row.ns};
        }
        row = (copy_rows){0};
    }
    return all;
}

static void find_small_copies(const search *in) {
    for (trace_kind kind = TRACE_TO_DEVICE; kind <= TRACE_ON_DEVICE; kind++) {
        copy_rows all = {0};
        for (size_t q = 0; q < in->analysis->n_queues; q++) {
            copy_rows some = rows_of(&in->trace->lanes[in->analysis->queues[q].lane], kind);
            all = (copy_rows){all.n_rows + some.n_rows, all.n_copies + some.n_copies, all.bytes + some.bytes, all.ns + some.ns};
        }
        double best = best_rate_of(in, kind), together_ns = best > 0 ? all.bytes / best : 0;
        if (all.n_copies >= 50 && all.ns > 2 * together_ns) {
            say(in, all.ns - together_ns,
                "%zu copies %s of %s on average come in rows with nothing between (%zu rows) and take %s; at the %s of this "
                "trace's best such copy their bytes need %s: gather them into one copy a row.",
                all.n_copies, kind_names[kind], BYTES(all.bytes / (double)all.n_copies), all.n_rows, TIME(all.ns), RATE(best),
                TIME(together_ns));
        }
    }
}

static void find_pageable_copies(const search *in) {
    for (trace_kind kind = TRACE_TO_DEVICE; kind <= TRACE_TO_HOST; kind++) {
        const trace_stats *pinned = &in->analysis->copies[kind][0], *pageable = &in->analysis->copies[kind][1];
        double rate = trace_rate(pageable->bytes, pageable->bytes_ns), pinned_rate = trace_rate(pinned->bytes, pinned->bytes_ns);
        if (pageable->bytes < 1 << 20) {
            continue;
        }
        if (pinned->bytes >= 1 << 20 && pinned_rate > 1.1 * rate) {
            say(in, pageable->bytes_ns - pageable->bytes / pinned_rate,
                "%zu copies %s use pageable memory and move %s at %s in %s, where pinned memory has %s: keep this data in host "
                "buffers (weft_enqueue_create_host_buffer).",
                pageable->count, kind_names[kind], BYTES(pageable->bytes), RATE(rate), TIME(pageable->total_ns), RATE(pinned_rate));
        } else if (pinned->bytes < 1 << 20) {
            say(in, 0,
                "%zu copies %s use pageable memory and move %s at %s in %s: host buffers (weft_enqueue_create_host_buffer) are "
                "pinned, and usually faster.",
                pageable->count, kind_names[kind], BYTES(pageable->bytes), RATE(rate), TIME(pageable->total_ns));
        }
    }
}

/* ---- Copies and kernels of one device at the same time ----------------------------------------------- */

static bool is_transfer(const trace_event *event) {
    return event->kind == TRACE_TO_DEVICE || event->kind == TRACE_TO_HOST;
}

/* Whether a copy from or to the host runs while a kernel does. */
static bool any_overlap(const trace_device *device) {
    int64_t ends[2] = {INT64_MIN, INT64_MIN};
    for (size_t i = 0; i < device->count; i++) {
        const trace_event *event = &device->events[i];
        bool copies = is_transfer(event);
        if (!copies && event->kind != TRACE_KERNEL) {
            continue;
        }
        if (event->start_ns < ends[!copies] && event->start_ns < event->end_ns) {
            return true;
        }
        ends[copies] = event->end_ns > ends[copies] ? event->end_ns : ends[copies];
    }
    return false;
}

static void find_serial_copies(const search *in) {
    for (size_t d = 0; d < in->analysis->n_devices; d++) {
        const trace_device *device = &in->analysis->devices[d];
        double kernels_ns = 0, copies_ns = 0;
        for (size_t i = 0; i < device->count; i++) {
            const trace_event *event = &device->events[i];
            kernels_ns += event->kind == TRACE_KERNEL ? duration_of(event) : 0;
            copies_ns += is_transfer(event) ? duration_of(event) : 0;
        }
        double less = fmin(kernels_ns, copies_ns), more = fmax(kernels_ns, copies_ns);
        if (device->n_queues >= 2 && less > 0 && less >= 0.05 * more && !any_overlap(device)) {
            const trace_lane *lane = &in->trace->lanes[device->all.lane];
            say(in, less,
                "%s has %zu queues, yet no copy from or to the host (%s in all) runs while a kernel (%s) does: put copies on a queue of "
                "their own, and split the work so that one part is copied while another computes.",
                in->trace->processes[lane->process].name, device->n_queues, TIME(copies_ns), TIME(kernels_ns));
        }
    }
}

/* ---- Kernels --------------------------------------------------------------------------------------- */

/* Devices that run a block's threads one after the other. */
static bool is_cpu(const char *device) {
    return !strncmp(device, "pocl:", 5) || !strncmp(device, "oclgrind:", 9) || !strncmp(device, "intel_cpu:", 10) ||
           strstr(device, "llvmpipe");
}

typedef struct block_use {
    uint32_t name;
    size_t count;
    double ns, lost_ns;
    const trace_shape *shape; /* of the first one */
} block_use;

static void add_block(const search *in, const trace_event *event, block_use *use) {
    const trace_shape *shape = &in->trace->shapes[event->shape];
    double threads = (double)shape->block[0] * shape->block[1] * shape->block[2];
    double lanes = ceil(threads / 32) * 32;
    if (threads < lanes || threads < 64) {
        use->name = event->name;
        use->shape = use->count ? use->shape : shape;
        use->count++;
        use->ns += duration_of(event);
        use->lost_ns += duration_of(event) * (1 - threads / lanes);
    }
}

static int compare_uses(const void *left, const void *right) {
    const block_use *a = left, *b = right;
    return a->ns != b->ns ? (a->ns > b->ns ? -1 : 1) : (a->name > b->name) - (a->name < b->name);
}

static void find_blocks(const search *in) {
    block_use *uses = memory_new(in->trace->names.count * sizeof *uses);
    for (size_t q = 0; q < in->analysis->n_queues; q++) {
        const trace_lane *lane = &in->trace->lanes[in->analysis->queues[q].lane];
        for (size_t e = 0; e < lane->count && !is_cpu(in->trace->processes[lane->process].name); e++) {
            if (lane->events[e].shape != TRACE_NONE) {
                add_block(in, &lane->events[e], &uses[lane->events[e].name]);
            }
        }
    }
    if (in->trace->names.count) {
        qsort(uses, in->trace->names.count, sizeof *uses, compare_uses);
    }
    for (size_t i = 0; i < in->trace->names.count && i < 3; i++) {
        if (uses[i].count && uses[i].ns >= 0.01 * in->analysis->busy_ns) {
            const uint32_t *block = uses[i].shape->block;
            say(in, uses[i].lost_ns,
                "%s runs %zu times (%s, %s of the busy time) with blocks such as %ux%ux%u, that are no multiple of 32 threads or "
                "under 64: a warp has 32 lanes and few warps hide no latency, so use blocks of 128 to 256 threads.",
                in->trace->names.items[uses[i].name], uses[i].count, TIME(uses[i].ns), SHARE(uses[i].ns, in->analysis->busy_ns),
                block[0], block[1], block[2]);
        }
    }
    free(uses);
}

static void find_dominant_function(const search *in) {
    for (size_t i = 0; i < in->trace->names.count; i++) {
        const trace_stats *function = &in->analysis->functions[i];
        double rate = trace_rate(function->bytes, function->bytes_ns), best = in->analysis->best_copy;
        if (function->bytes > 0 && function->total_ns >= 0.5 * in->analysis->busy_ns && rate < 0.25 * best) {
            say(in, function->bytes_ns - function->bytes / best,
                "%s takes %s, %s of the busy time, and moves at most %s if it uses each byte of its buffers once, where this trace's best "
                "copy has %s: let neighbouring threads use neighbouring elements, and look for work that is done twice.",
                in->trace->names.items[i], TIME(function->total_ns), SHARE(function->total_ns, in->analysis->busy_ns), RATE(rate),
                RATE(best));
        }
    }
}

/* ---- Memory ---------------------------------------------------------------------------------------- */

/* Growth: the lowest level of each quarter of the samples is above that of the one before. */
static void find_growth(const search *in) {
    for (size_t c = 0; c < in->trace->n_counters; c++) {
        const trace_counter *counter = &in->trace->counters[c];
        int64_t low[4] = {INT64_MAX, INT64_MAX, INT64_MAX, INT64_MAX};
        for (size_t i = 0; i < counter->count; i++) {
            int64_t *lowest = &low[i * 4 / counter->count];
            *lowest = counter->samples[i].bytes < *lowest ? counter->samples[i].bytes : *lowest;
        }
        if (counter->count >= 16 && low[1] > low[0] && low[2] > low[1] && low[3] > low[2] && low[3] - low[0] >= 1 << 20) {
            say(in, 0,
                "%s of %s grows: its lowest level is %s in the first quarter of its changes and %s in the last: look for buffers that "
                "are never released.",
                counter->name, in->trace->processes[counter->process].name, BYTES(low[0]), BYTES(low[3]));
        }
    }
}

/* ---- All of it ------------------------------------------------------------------------------------- */

static int compare_findings(const void *left, const void *right) {
    const trace_finding *a = left, *b = right;
    return a->saving_ns != b->saving_ns ? (a->saving_ns > b->saving_ns ? -1 : 1) : strcmp(a->text, b->text);
}

void trace_find(const trace *trace, const trace_analysis *analysis, trace_findings *out) {
    const search in = {trace, analysis, out};
    *out = (trace_findings){0};
    find_short_waits(&in);
    find_short_kernels(&in);
    find_compiles(&in);
    find_small_copies(&in);
    find_pageable_copies(&in);
    find_serial_copies(&in);
    find_blocks(&in);
    find_dominant_function(&in);
    find_growth(&in);
    if (out->count) {
        qsort(out->items, out->count, sizeof *out->items, compare_findings);
    }
}

void trace_findings_free(trace_findings *findings) {
    for (size_t i = 0; i < findings->count; i++) {
        free(findings->items[i].text);
    }
    free(findings->items);
}
