/* What `weft trace report` says of a trace: computed once, shown as text and as a page. */
#ifndef TRACE_REPORT_H
#define TRACE_REPORT_H

#include "tool.h"
#include "trace.h"

/* ---- Figures: sums are double, exact up to 104 days and 8 PiB -------------------------------------------- */

typedef struct trace_stats {
    size_t count, n_failed;
    double total_ns;
    int64_t min_ns, max_ns;
    double bytes, bytes_ns; /* of those whose bytes are known: how many, and their time */
} trace_stats;

/* A time in which a queue runs nothing between two commands. */
typedef struct trace_gap {
    int64_t start_ns, end_ns;
    uint32_t call;      /* the name of the call that covers most of it; TRACE_NONE: the host is in no call of weft */
    int64_t covered_ns; /* by that call */
    int64_t waits_ns;   /* in which the queue waits for another or an event */
    int64_t launch_ns;  /* in which the host is in enqueueing or synchronizing calls */
    bool ends_short_wait; /* a wait after one or two commands ends in it */
} trace_gap;

typedef struct trace_queue {
    uint32_t lane;
    size_t n_commands;
    double busy_ns, idle_ns;
    int64_t first_ns, last_ns;
    trace_gap *gaps; /* by start */
    size_t n_gaps;
} trace_queue;

/* The queues of a device as one: it is idle where none of them runs a command. */
typedef struct trace_device {
    trace_event *events; /* of all its queues, by start */
    size_t count, n_queues; /* n_queues: those with commands */
    trace_queue all; /* its lane is one of them */
} trace_device;

/* The outermost calls of a thread: they do not overlap. */
typedef struct trace_thread {
    const trace_event **calls;
    size_t count;
} trace_thread;

typedef struct trace_analysis {
    trace_stats *functions, *calls;   /* by name */
    trace_stats copies[TRACE_KINDS][2]; /* by kind, pageable last */
    double best_copy;                 /* GB/s of the fastest copy of at least 1 MiB; 0: there is none */
    double busy_ns;                   /* of all queues */
    trace_queue *queues;
    trace_device *devices;
    trace_thread *threads;
    size_t n_queues, n_devices, n_threads;
    size_t n_waits, n_short_waits; /* synchronizing calls, and those after one or two commands */
} trace_analysis;

void trace_analyse(const trace *trace, trace_analysis *out);
void trace_analysis_free(trace_analysis *analysis);

bool trace_is_synchronize(const char *name);

static inline double trace_rate(double bytes, double ns) {
    return ns > 0 ? bytes / ns : 0; /* bytes a nanosecond are GB/s */
}

/* ---- Findings: what would help, most first -------------------------------------------------------------- */

typedef struct trace_finding {
    char *text;
    double saving_ns; /* at most; 0: not known */
} trace_finding;

typedef struct trace_findings {
    trace_finding *items;
    size_t count;
} trace_findings;

void trace_find(const trace *trace, const trace_analysis *analysis, trace_findings *out);
void trace_findings_free(trace_findings *findings);

/* ---- Tables --------------------------------------------------------------------------------------------- */

enum { TRACE_COLUMNS = 9, TRACE_TABLES = 5 };

typedef struct trace_cell {
    char *text;
    double value; /* what the column is sorted by */
} trace_cell;

typedef struct trace_row {
    trace_cell cells[TRACE_COLUMNS];
    uint32_t name;            /* the events it is about, TRACE_NONE: not by name */
    uint32_t lane;            /* the place in time it is about, TRACE_NONE: none */
    int64_t start_ns, end_ns;
} trace_row;

typedef struct trace_table {
    const char *title, *note, *columns[TRACE_COLUMNS]; /* a column of text begins with a space */
    trace_row *rows;
    size_t count;
} trace_table;

/* Functions, copies, queues, gaps and host calls, in this order. */
void trace_tabulate(const trace *trace, const trace_analysis *analysis, trace_table tables[TRACE_TABLES]);
void trace_tables_free(trace_table tables[TRACE_TABLES]);

/* ---- Showing it ----------------------------------------------------------------------------------------- */

typedef struct trace_report {
    const char *path;
    const trace *trace;
    trace_analysis analysis;
    trace_findings findings;
    trace_table tables[TRACE_TABLES];
    char *facts[2][8]; /* what, and its value; NULL ends them */
    char *warnings[4]; /* NULL ends them */
} trace_report;

void trace_print(const trace_report *report);

/* false, with errno: it could not all be written. */
bool trace_write_page(const trace_report *report, FILE *stream);

label label_time(double ns);   /* "12.3 us" */
label label_rate(double gb_s); /* "12.3 GB/s" */
label label_share(double part, double whole);

#endif
