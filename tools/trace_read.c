/* A trace's file: one event a line, read a line at a time. */
#include <ctype.h>
#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tool_memory.h"
#include "trace.h"

enum { LONGEST_LINE = 16 << 20 };

typedef struct reader {
    FILE *stream;
    char *line;
    size_t length, capacity;
    bool is_ended, is_too_long; /* is_ended: by a line break */
} reader;

/* The next line into line, NUL-terminated. false: there is none, or it is too long. */
static bool next_line(reader *in) {
    in->length = 0;
    in->is_ended = false;
    for (;;) {
        if (in->length + 2 > in->capacity) {
            in->is_too_long = in->capacity >= LONGEST_LINE;
            if (in->is_too_long) {
                return false;
            }
            char *grown = memory_new(in->capacity ? in->capacity * 2 : 4096);
            memcpy(grown, in->line ? in->line : "", in->length);
            free(in->line);
            in->line = grown;
            in->capacity = in->capacity ? in->capacity * 2 : 4096;
        }
        int c = getc_unlocked(in->stream);
        if (c == EOF || c == '\n') {
            in->is_ended = c == '\n';
            in->line[in->length] = '\0';
            return in->is_ended || in->length > 0;
        }
        in->line[in->length++] = (char)c;
    }
}

typedef struct progress {
    bool has_begun, has_ended;
    size_t n_taken;
} progress;

/* The events of one line. */
static void take_line(trace *trace, const reader *in, progress *so_far) {
    for (size_t at = 0; at < in->length;) {
        const char c = in->line[at];
        if (isspace((unsigned char)c) || c == ',') {
            at++;
        } else if (c == '[' && !so_far->has_begun) {
            so_far->has_begun = true;
            at++;
        } else if (c == ']' && !so_far->has_ended) {
            so_far->has_ended = true;
            at++;
        } else {
            json_error_t error;
            json_t *event = c == '{' && so_far->has_begun && !so_far->has_ended
                                ? json_loadb(in->line + at, in->length - at, JSON_DISABLE_EOF_CHECK, &error)
                                : NULL;
            if (!event && c == '{' && !in->is_ended) {
                return; /* where the file was cut off */
            }
            bool taken = event && trace_take(trace, event);
            json_decref(event);
            so_far->n_taken += taken;
            trace->n_ignored += !taken;
            if (!event || error.position <= 0) {
                return;
            }
            at += (size_t)error.position;
        }
    }
}

/* Why a file that was read to its end is no trace; NULL: it is one. */
static const char *why_not(const trace *trace, const progress *read) {
    if (!read->has_begun) {
        return "not a trace: it does not begin with [";
    }
    if (!read->n_taken && trace->n_ignored) {
        return "not a trace: it holds no events";
    }
    if (trace->format > 1) {
        return "a trace of a later format than this weft reads";
    }
    return trace->format == 1 || !trace->n_events ? NULL : "not a trace of weft: it has no weft_trace line";
}

static bool read_stream(trace *trace, FILE *stream, const char *who, const char *path) {
    reader in = {.stream = stream};
    progress so_far = {0};
    const char *problem = NULL;
    while (!problem && next_line(&in)) {
        take_line(trace, &in, &so_far);
        problem = so_far.has_begun || !in.length ? NULL : why_not(trace, &so_far);
    }
    free(in.line);
    if (ferror(stream)) {
        problem = strerror(errno);
    } else if (in.is_too_long) {
        problem = "not a trace: it has a line of over 16 MiB";
    } else if (!problem) {
        problem = why_not(trace, &so_far);
    }
    if (problem) {
        fprintf(stderr, "%s: %s: %s\n", who, path, problem);
    }
    trace->is_cut_off = !so_far.has_ended;
    return !problem;
}

bool trace_read(trace *trace, const char *who, const char *path) {
    *trace = (struct trace){0};
    FILE *stream = fopen(path, "r");
    if (!stream) {
        fprintf(stderr, "%s: %s: %s\n", who, path, strerror(errno));
        return false;
    }
    bool is_read = read_stream(trace, stream, who, path);
    fclose(stream);
    if (is_read) {
        trace_finish(trace);
    }
    return is_read;
}

void trace_free(trace *trace) {
    trace_texts *const texts[] = {&trace->names, &trace->lane_keys, &trace->shape_keys};
    for (size_t t = 0; t < sizeof texts / sizeof *texts; t++) {
        for (size_t i = 0; i < texts[t]->count; i++) {
            free(texts[t]->items[i]);
        }
        free(texts[t]->items);
        free(texts[t]->slots);
    }
    for (size_t i = 0; i < trace->n_lanes; i++) {
        free(trace->lanes[i].name);
        free(trace->lanes[i].events);
    }
    for (size_t i = 0; i < trace->n_processes; i++) {
        free(trace->processes[i].name);
    }
    for (size_t i = 0; i < trace->n_counters; i++) {
        free(trace->counters[i].name);
        free(trace->counters[i].samples);
    }
    free(trace->processes);
    free(trace->lanes);
    free(trace->counters);
    free(trace->shapes);
    free(trace->begins);
    free(trace->ends);
    free(trace->program);
    free(trace->started);
    free(trace->version);
}
