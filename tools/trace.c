/* weft trace: reports on what WEFT_TRACE has recorded. */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "tool.h"
#include "tool_memory.h"
#include "trace_report.h"

static const char help[] =
    "A program with WEFT_TRACE=FILE.json in its environment writes what it and its devices do into that file, unchanged itself:\n"
    "\n"
    "  WEFT_TRACE=run.json ./program\n"
    "  weft trace report run.json              what would make it faster, and the figures, as text\n"
    "  weft trace report run.json -o run.html  the same and the timeline, as a page that needs no network\n"
    "\n"
    "%p in the file's name becomes the process id. weft_trace_start() and weft_trace_stop() trace a part of a program.\n"
    "ui.perfetto.dev opens the file, too. One that was cut off is read up to its last whole line.\n";

static void add_fact(trace_report *report, const char *what, const char *value) {
    size_t i = 0;
    while (report->facts[0][i]) {
        i++;
    }
    report->facts[0][i] = memory_copy(what, strlen(what));
    report->facts[1][i] = memory_copy(value, strlen(value));
}

static void gather_facts(trace_report *report) {
    const trace *trace = report->trace;
    char text[128];
    const char *const known[][2] = {{"Trace", report->path}, {"Program", trace->program}, {"Started", trace->started},
                                    {"weft", trace->version}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (known[i][1]) {
            add_fact(report, known[i][0], known[i][1]);
        }
    }
    add_fact(report, "Length", label_time((double)(trace->end_ns - trace->start_ns)).text);
    snprintf(text, sizeof text, "%zu in %zu lanes", trace->n_events, trace->n_lanes);
    add_fact(report, "Events", text);
}

static void gather_warnings(trace_report *report) {
    char text[160];
    size_t count = 0;
    if (report->trace->is_cut_off) {
        static const char cut[] = "The trace was cut off: the report is on what it holds up to there.";
        report->warnings[count++] = memory_copy(cut, strlen(cut));
    }
    if (report->trace->n_lost) {
        snprintf(text, sizeof text, "%" PRIu64 " events were lost while the program ran: they came faster than they could be written.",
                 report->trace->n_lost);
        report->warnings[count++] = memory_copy(text, strlen(text));
    }
    if (report->trace->n_ignored) {
        snprintf(text, sizeof text, "%zu lines of the file are no events, and were left out.", report->trace->n_ignored);
        report->warnings[count++] = memory_copy(text, strlen(text));
    }
}

static void report_free(trace_report *report) {
    for (size_t i = 0; report->facts[0][i]; i++) {
        free(report->facts[0][i]);
        free(report->facts[1][i]);
    }
    for (size_t i = 0; report->warnings[i]; i++) {
        free(report->warnings[i]);
    }
    trace_tables_free(report->tables);
    trace_findings_free(&report->findings);
    trace_analysis_free(&report->analysis);
}

static bool is_same_file(const char *path, const char *other) {
    struct stat a, b;
    return stat(path, &a) == 0 && stat(other, &b) == 0 && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

static bool write_page(const trace_report *report, const char *who, const char *path) {
    if (is_same_file(path, report->path)) {
        fprintf(stderr, "%s: %s is the trace itself\n", who, path);
        return false;
    }
    FILE *stream = fopen(path, "w");
    bool written = stream && trace_write_page(report, stream);
    int error = errno;
    if (stream && fclose(stream) && written) {
        written = false;
        error = errno;
    }
    if (!written) {
        fprintf(stderr, "%s: %s: %s\n", who, path, strerror(error));
    }
    return written;
}

static int show(const char *who, const char *path, const char *page) {
    trace trace;
    if (!trace_read(&trace, who, path)) {
        trace_free(&trace);
        return EXIT_FAILURE;
    }
    trace_report report = {.path = path, .trace = &trace};
    trace_analyse(&trace, &report.analysis);
    trace_find(&trace, &report.analysis, &report.findings);
    trace_tabulate(&trace, &report.analysis, report.tables);
    gather_facts(&report);
    gather_warnings(&report);
    bool shown = true;
    if (page) {
        shown = write_page(&report, who, page);
    } else {
        trace_print(&report);
        shown = fflush(stdout) == 0;
    }
    report_free(&report);
    trace_free(&trace);
    return shown ? EXIT_SUCCESS : EXIT_FAILURE;
}

static int run(int argc, char **argv) {
    static const struct option options[] = {{"output", required_argument, NULL, 'o'}, {"help", no_argument, NULL, 'h'}, {0}};
    const char *page = NULL;
    for (int option; (option = getopt_long(argc, argv, "o:h", options, NULL)) != -1;) {
        if (option == 'h') {
            printf("usage: weft %s\n\n%s", command_trace.usage, help);
            return EXIT_SUCCESS;
        }
        if (option == '?') {
            return EXIT_USAGE;
        }
        page = optarg;
    }
    if (optind + 2 != argc || strcmp(argv[optind], "report") != 0) {
        fprintf(stderr, "%s: name a file that a program wrote with WEFT_TRACE=FILE.json in its environment\n", argv[0]);
        return EXIT_USAGE;
    }
    return show(argv[0], argv[optind + 1], page);
}

const command command_trace = {"trace", "trace report FILE.json [-o REPORT.html]",
                               "says what a traced program did, and what would make it faster", run};
