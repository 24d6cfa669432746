/* The tables of a trace's report. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tool_memory.h"
#include "trace_report.h"

enum { FUNCTIONS, COPIES, QUEUES, GAPS, CALLS };
enum { MOST_GAPS = 100, MOST_GAPS_OF_A_QUEUE = 5 };

static trace_row *new_row(trace_table *table) {
    table->rows = memory_grow(table->rows, table->count, sizeof *table->rows);
    trace_row *row = &table->rows[table->count++];
    *row = (trace_row){.name = TRACE_NONE, .lane = TRACE_NONE};
    return row;
}

__attribute__((format(printf, 3, 4))) static trace_cell cell(double value, const char *missing, const char *format, ...) {
    trace_cell out = {.value = value};
    va_list arguments;
    va_start(arguments, format);
    if (missing || vasprintf(&out.text, format, arguments) < 0) {
        out.text = memory_copy(missing ? missing : "", missing ? strlen(missing) : 0);
    }
    va_end(arguments);
    return out;
}

static trace_cell text(const char *text) {
    return cell(0, text, " ");
}

static trace_cell number(size_t count) {
    return cell((double)count, NULL, "%zu", count);
}

static trace_cell duration(double ns) {
    return cell(ns, NULL, "%s", label_time(ns).text);
}

static trace_cell share(double part, double whole) {
    return cell(whole > 0 ? part / whole : 0, NULL, "%s", label_share(part, whole).text);
}

static trace_cell bytes(double count) {
    return cell(count, NULL, "%s", label_bytes((size_t)count).text);
}

static trace_cell rate(double bytes_moved, double ns) {
    double gb_s = trace_rate(bytes_moved, ns);
    return cell(gb_s, gb_s > 0 ? NULL : "", "%s", label_rate(gb_s).text);
}

static int compare_totals(const void *left, const void *right) {
    const trace_row *a = left, *b = right;
    double x = a->cells[2].value, y = b->cells[2].value;
    return x != y ? (x > y ? -1 : 1) : (a->name > b->name) - (a->name < b->name);
}

static void sort_by_total(trace_table *table) {
    if (table->count) {
        qsort(table->rows, table->count, sizeof *table->rows, compare_totals);
    }
}

static void tabulate_functions(const trace *trace, const trace_analysis *analysis, trace_table *out) {
    *out = (trace_table){.title = "Functions",
                         .note = "GB/s: the sizes of all buffers passed over the time, so at most, for a kernel that uses each byte once",
                         .columns = {" function", "count", "total", "mean", "shortest", "longest", "of busy time", "GB/s at most",
                                     "failed"}};
    for (size_t i = 0; i < trace->names.count; i++) {
        const trace_stats *s = &analysis->functions[i];
        if (s->count) {
            trace_row *row = new_row(out);
            row->name = (uint32_t)i;
            const trace_cell cells[] = {text(trace->names.items[i]), number(s->count), duration(s->total_ns),
                                        duration(s->total_ns / (double)s->count), duration((double)s->min_ns),
                                        duration((double)s->max_ns), share(s->total_ns, analysis->busy_ns),
                                        rate(s->bytes, s->bytes_ns), number(s->n_failed)};
            memcpy(row->cells, cells, sizeof cells);
        }
    }
    sort_by_total(out);
}

static void tabulate_copies(const trace_analysis *analysis, trace_table *out) {
    static const char *const kinds[TRACE_KINDS][2] = {
        [TRACE_TO_DEVICE] = {"host to device, pinned", "host to device, pageable"},
        [TRACE_TO_HOST] = {"device to host, pinned", "device to host, pageable"},
        [TRACE_ON_DEVICE] = {"device to device", "device to device, pageable"},
        [TRACE_FILL] = {"fill", "fill"}};
    *out = (trace_table){.title = "Copies and fills", .columns = {" kind", "count", "total", "mean", "bytes", "GB/s", "failed"}};
    for (size_t kind = 0; kind < TRACE_KINDS; kind++) {
        for (int pageable = 0; pageable < 2; pageable++) {
            const trace_stats *s = &analysis->copies[kind][pageable];
            if (s->count) {
                trace_row *row = new_row(out);
                const trace_cell cells[] = {text(kinds[kind][pageable]), number(s->count), duration(s->total_ns),
                                            duration(s->total_ns / (double)s->count), bytes(s->bytes), rate(s->bytes, s->bytes_ns),
                                            number(s->n_failed)};
                memcpy(row->cells, cells, sizeof cells);
            }
        }
    }
    sort_by_total(out);
}

static trace_cell lane_name(const trace *trace, uint32_t lane) {
    const trace_lane *of = &trace->lanes[lane];
    return cell(lane, NULL, "%s, %s", trace->processes[of->process].name, of->name);
}

static void tabulate_queues(const trace *trace, const trace_analysis *analysis, trace_table *out) {
    *out = (trace_table){.title = "Queues",
                         .note = "from a queue's first command to its last",
                         .columns = {" queue", "commands", "span", "busy", "idle", "idle share"}};
    for (size_t q = 0; q < analysis->n_queues; q++) {
        const trace_queue *queue = &analysis->queues[q];
        if (!queue->n_commands) {
            continue;
        }
        trace_row *row = new_row(out);
        row->lane = queue->lane;
        row->start_ns = queue->first_ns;
        row->end_ns = queue->last_ns;
        const trace_cell cells[] = {lane_name(trace, queue->lane), number(queue->n_commands), duration(queue->busy_ns + queue->idle_ns),
                                    duration(queue->busy_ns), duration(queue->idle_ns),
                                    share(queue->idle_ns, queue->busy_ns + queue->idle_ns)};
        memcpy(row->cells, cells, sizeof cells);
    }
}

typedef struct placed_gap {
    const trace_gap *gap;
    uint32_t lane;
} placed_gap;

static int compare_gaps(const void *left, const void *right) {
    const placed_gap *a = left, *b = right;
    int64_t x = a->gap->end_ns - a->gap->start_ns, y = b->gap->end_ns - b->gap->start_ns;
    return x != y ? (x > y ? -1 : 1) : (a->gap->start_ns > b->gap->start_ns) - (a->gap->start_ns < b->gap->start_ns);
}

static const char *meanwhile(const trace *trace, const trace_gap *gap) {
    if (gap->waits_ns * 2 > gap->end_ns - gap->start_ns) {
        return "the queue itself waits for another or an event";
    }
    return gap->call == TRACE_NONE ? "in no call of weft" : trace->names.items[gap->call];
}

static void tabulate_gaps(const trace *trace, const trace_analysis *analysis, trace_table *out) {
    *out = (trace_table){.title = "Longest idle gaps",
                         .note = "five of each queue, and the call of weft that covers most of the gap",
                         .columns = {" queue", "at", "length", " the host meanwhile"}};
    placed_gap *all = NULL;
    size_t count = 0;
    for (size_t q = 0; q < analysis->n_queues; q++) {
        for (size_t g = 0; g < analysis->queues[q].n_gaps; g++) {
            all = memory_grow(all, count, sizeof *all);
            all[count++] = (placed_gap){&analysis->queues[q].gaps[g], analysis->queues[q].lane};
        }
    }
    if (count) {
        qsort(all, count, sizeof *all, compare_gaps);
    }
    size_t *n_of = memory_new(trace->n_lanes * sizeof *n_of);
    for (size_t i = 0; i < count && out->count < MOST_GAPS; i++) {
        const trace_gap *gap = all[i].gap;
        if (n_of[all[i].lane]++ >= MOST_GAPS_OF_A_QUEUE) {
            continue;
        }
        trace_row *row = new_row(out);
        row->lane = all[i].lane;
        row->start_ns = gap->start_ns;
        row->end_ns = gap->end_ns;
        const trace_cell cells[] = {lane_name(trace, all[i].lane), duration((double)(gap->start_ns - trace->start_ns)),
                                    duration((double)(gap->end_ns - gap->start_ns)),
                                    text(meanwhile(trace, gap))};
        memcpy(row->cells, cells, sizeof cells);
    }
    free(n_of);
    free(all);
}

static void tabulate_calls(const trace *trace, const trace_analysis *analysis, trace_table *out) {
    *out = (trace_table){.title = "Host calls", .columns = {" call", "count", "total", "mean", "shortest", "longest", "failed"}};
    for (size_t i = 0; i < trace->names.count; i++) {
        const trace_stats *s = &analysis->calls[i];
        if (s->count) {
            trace_row *row = new_row(out);
            row->name = (uint32_t)i;
            const trace_cell cells[] = {text(trace->names.items[i]), number(s->count), duration(s->total_ns),
                                        duration(s->total_ns / (double)s->count), duration((double)s->min_ns),
                                        duration((double)s->max_ns), number(s->n_failed)};
            memcpy(row->cells, cells, sizeof cells);
        }
    }
    sort_by_total(out);
}

void trace_tabulate(const trace *trace, const trace_analysis *analysis, trace_table tables[TRACE_TABLES]) {
    tabulate_functions(trace, analysis, &tables[FUNCTIONS]);
    tabulate_copies(analysis, &tables[COPIES]);
    tabulate_queues(trace, analysis, &tables[QUEUES]);
    tabulate_gaps(trace, analysis, &tables[GAPS]);
    tabulate_calls(trace, analysis, &tables[CALLS]);
}

void trace_tables_free(trace_table tables[TRACE_TABLES]) {
    for (size_t t = 0; t < TRACE_TABLES; t++) {
        for (size_t r = 0; r < tables[t].count; r++) {
            for (size_t c = 0; c < TRACE_COLUMNS; c++) {
                free(tables[t].rows[r].cells[c].text);
            }
        }
        free(tables[t].rows);
    }
}
