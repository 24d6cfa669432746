/* A trace's report as one HTML page: its parts, and between them the data as JSON. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tool_memory.h"
#include "trace_page.h"
#include "trace_report.h"

enum { MOST_SHOWN = 300000 }; /* events on the timeline */

/* ---- Texts ----------------------------------------------------------------------------------------- */

/* JSON inside of HTML: no text may end the script element. */
static int put_escaped(const char *bytes, size_t length, void *user) {
    FILE *stream = user;
    for (size_t i = 0; i < length; i++) {
        if (bytes[i] == '<') {
            fputs("\\u003c", stream);
        } else {
            putc(bytes[i], stream);
        }
    }
    return 0;
}

static void put_text(FILE *stream, const char *text) {
    json_t *json = json_string(text);
    json_t *shown = json ? json : json_string("?"); /* the path is the user's, and may be in any encoding */
    json_dump_callback(shown, put_escaped, stream, JSON_ENCODE_ANY);
    json_decref(shown);
}

static void put_texts(FILE *stream, const char *key, char *const *texts, size_t count) {
    fprintf(stream, "\"%s\":[", key);
    for (size_t i = 0, n_put = 0; i < count; i++) {
        if (texts[i]) {
            fputs(n_put++ ? "," : "", stream);
            put_text(stream, texts[i]);
        }
    }
    fputs("],\n", stream);
}

/* ---- Findings and tables --------------------------------------------------------------------------- */

static void put_findings(FILE *stream, const trace_findings *findings) {
    fputs("\"findings\":[", stream);
    for (size_t i = 0; i < findings->count; i++) {
        fputs(i ? ",\n[" : "[", stream);
        put_text(stream, findings->items[i].text);
        putc(',', stream);
        put_text(stream, findings->items[i].saving_ns > 0 ? label_time(findings->items[i].saving_ns).text : "");
        putc(']', stream);
    }
    fputs("],\n", stream);
}

/* [texts, what each sorts by, name, lane, start, end]; -1: it has none. */
static void put_row(FILE *stream, const trace *trace, const trace_row *row, size_t n_columns) {
    fputs("[[", stream);
    for (size_t c = 0; c < n_columns; c++) {
        fputs(c ? "," : "", stream);
        put_text(stream, row->cells[c].text);
    }
    fputs("],[", stream);
    for (size_t c = 0; c < n_columns; c++) {
        fprintf(stream, "%s%.9g", c ? "," : "", row->cells[c].value);
    }
    bool has_place = row->lane != TRACE_NONE;
    fprintf(stream, "],%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64 "]", row->name == TRACE_NONE ? -1 : (int64_t)row->name,
            has_place ? (int64_t)row->lane : -1, has_place ? row->start_ns - trace->start_ns : 0,
            has_place ? row->end_ns - trace->start_ns : 0);
}

static void put_table(FILE *stream, const trace *trace, const trace_table *table) {
    size_t n_columns = 0;
    fputs("{\"title\":", stream);
    put_text(stream, table->title);
    fputs(",\"note\":", stream);
    put_text(stream, table->note ? table->note : "");
    fputs(",\"columns\":[", stream);
    for (; n_columns < TRACE_COLUMNS && table->columns[n_columns]; n_columns++) {
        fputs(n_columns ? "," : "", stream);
        put_text(stream, table->columns[n_columns]);
    }
    fputs("],\"rows\":[", stream);
    for (size_t r = 0; r < table->count; r++) {
        fputs(r ? ",\n" : "\n", stream);
        put_row(stream, trace, &table->rows[r], n_columns);
    }
    fputs("]}", stream);
}

/* ---- Events ---------------------------------------------------------------------------------------- */

static int compare_durations(const void *left, const void *right) {
    const int64_t *a = left, *b = right;
    return (*a < *b) - (*a > *b);
}

/* How long an event must be to be shown, and how many of exactly that length are. */
static int64_t shortest_shown(const trace *trace, size_t *n_equal) {
    *n_equal = SIZE_MAX;
    if (trace->n_events <= MOST_SHOWN) {
        return 0;
    }
    int64_t *durations = memory_new(trace->n_events * sizeof *durations);
    size_t count = 0;
    for (size_t i = 0; i < trace->n_lanes; i++) {
        for (size_t e = 0; e < trace->lanes[i].count; e++) {
            durations[count++] = trace->lanes[i].events[e].end_ns - trace->lanes[i].events[e].start_ns;
        }
    }
    qsort(durations, count, sizeof *durations, compare_durations);
    int64_t shortest = durations[MOST_SHOWN - 1];
    for (*n_equal = 0; *n_equal < MOST_SHOWN && durations[MOST_SHOWN - 1 - *n_equal] == shortest;) {
        ++*n_equal;
    }
    free(durations);
    return shortest;
}

/* For each lane the place of each event among those shown, TRACE_NONE: it is not. */
static uint32_t **choose_shown(const trace *trace) {
    size_t n_equal;
    int64_t shortest = shortest_shown(trace, &n_equal);
    uint32_t **places = memory_new(trace->n_lanes * sizeof *places);
    for (size_t i = 0; i < trace->n_lanes; i++) {
        const trace_lane *lane = &trace->lanes[i];
        uint32_t n_shown = 0;
        places[i] = memory_new(lane->count * sizeof **places);
        for (size_t e = 0; e < lane->count; e++) {
            int64_t duration = lane->events[e].end_ns - lane->events[e].start_ns;
            bool shown = duration > shortest || (duration == shortest && n_equal > 0);
            n_equal -= shown && duration == shortest;
            places[i][e] = shown ? n_shown++ : TRACE_NONE;
        }
    }
    return places;
}

typedef int64_t field(const trace_event *event, uint32_t **places);

static int64_t duration_field(const trace_event *event, uint32_t **places) {
    (void)places;
    return event->end_ns - event->start_ns;
}

static int64_t name_field(const trace_event *event, uint32_t **places) {
    (void)places;
    return event->name;
}

/* The kind, and bits for failed and pageable. */
static int64_t kind_field(const trace_event *event, uint32_t **places) {
    (void)places;
    return event->kind | event->failed << 4 | event->pageable << 5;
}

static int64_t bytes_field(const trace_event *event, uint32_t **places) {
    (void)places;
    return event->bytes;
}

static int64_t shape_field(const trace_event *event, uint32_t **places) {
    (void)places;
    return event->shape == TRACE_NONE ? -1 : (int64_t)event->shape;
}

static int64_t call_field(const trace_event *event, uint32_t **places) {
    uint32_t place = event->call == TRACE_NONE ? TRACE_NONE : places[event->call_lane][event->call];
    return place == TRACE_NONE ? -1 : (int64_t)place;
}

static int64_t call_lane_field(const trace_event *event, uint32_t **places) {
    return call_field(event, places) < 0 ? -1 : (int64_t)event->call_lane;
}

static void put_field(FILE *stream, const char *key, const trace_lane *lane, uint32_t lane_number, uint32_t **places, field *get) {
    const char *comma = "";
    fprintf(stream, ",\"%s\":[", key);
    for (size_t e = 0; e < lane->count; e++) {
        if (places[lane_number][e] != TRACE_NONE) {
            fprintf(stream, "%s%" PRId64, comma, get(&lane->events[e], places));
            comma = ",";
        }
    }
    putc(']', stream);
}

/* Starts as distances from the one before: shorter, and exact. */
static void put_starts(FILE *stream, const trace *trace, const trace_lane *lane, const uint32_t *places) {
    int64_t before = trace->start_ns;
    const char *comma = "";
    fputs(",\"start\":[", stream);
    for (size_t e = 0; e < lane->count; e++) {
        if (places[e] != TRACE_NONE) {
            fprintf(stream, "%s%" PRId64, comma, lane->events[e].start_ns - before);
            before = lane->events[e].start_ns;
            comma = ",";
        }
    }
    putc(']', stream);
}

static void put_lane(FILE *stream, const trace *trace, uint32_t number, uint32_t **places) {
    const trace_lane *lane = &trace->lanes[number];
    fputs("{\"process\":", stream);
    put_text(stream, trace->processes[lane->process].name);
    fputs(",\"name\":", stream);
    put_text(stream, lane->name);
    fprintf(stream, ",\"host\":%d", lane->is_host);
    put_starts(stream, trace, lane, places[number]);
    put_field(stream, "duration", lane, number, places, duration_field);
    put_field(stream, "text", lane, number, places, name_field);
    put_field(stream, "kind", lane, number, places, kind_field);
    if (!lane->is_host) {
        put_field(stream, "bytes", lane, number, places, bytes_field);
        put_field(stream, "shape", lane, number, places, shape_field);
        put_field(stream, "call", lane, number, places, call_field);
        put_field(stream, "callLane", lane, number, places, call_lane_field);
    }
    putc('}', stream);
}

static void put_lanes(FILE *stream, const trace *trace) {
    uint32_t **places = choose_shown(trace);
    fputs("\"lanes\":[", stream);
    for (uint32_t i = 0; i < trace->n_lanes; i++) {
        fputs(i ? ",\n" : "\n", stream);
        put_lane(stream, trace, i, places);
    }
    fputs("],\n", stream);
    for (size_t i = 0; i < trace->n_lanes; i++) {
        free(places[i]);
    }
    free(places);
}

static void put_shapes(FILE *stream, const trace *trace) {
    fputs("\"shapes\":[", stream);
    for (size_t i = 0; i < trace->n_shapes; i++) {
        const uint32_t *grid = trace->shapes[i].grid, *block = trace->shapes[i].block;
        fprintf(stream, "%s[[%u,%u,%u],[%u,%u,%u]]", i ? "," : "", grid[0], grid[1], grid[2], block[0], block[1], block[2]);
    }
    fputs("],\n", stream);
}

static void put_counters(FILE *stream, const trace *trace) {
    fputs("\"counters\":[", stream);
    for (size_t c = 0; c < trace->n_counters; c++) {
        const trace_counter *counter = &trace->counters[c];
        size_t step = counter->count / 20000 + 1;
        fputs(c ? ",\n{\"process\":" : "\n{\"process\":", stream);
        put_text(stream, trace->processes[counter->process].name);
        fputs(",\"name\":", stream);
        put_text(stream, counter->name);
        fputs(",\"samples\":[", stream);
        for (size_t i = 0; i < counter->count; i += step) {
            fprintf(stream, "%s[%" PRId64 ",%" PRId64 "]", i ? "," : "", counter->samples[i].time_ns - trace->start_ns,
                    counter->samples[i].bytes);
        }
        fputs("]}", stream);
    }
    fputs("],\n", stream);
}

/* ---- The page -------------------------------------------------------------------------------------- */

bool trace_write_page(const trace_report *report, FILE *stream) {
    const trace *trace = report->trace;
    static const char marker[] = "<!--DATA-->";
    const char *cut = strstr(trace_page, marker);
    fwrite(trace_page, 1, (size_t)(cut - trace_page), stream);
    fputs("{\n\"facts\":[", stream);
    for (size_t i = 0; report->facts[0][i]; i++) {
        fputs(i ? ",[" : "[", stream);
        put_text(stream, report->facts[0][i]);
        putc(',', stream);
        put_text(stream, report->facts[1][i]);
        putc(']', stream);
    }
    fputs("],\n", stream);
    put_texts(stream, "warnings", report->warnings, 4);
    put_findings(stream, &report->findings);
    fputs("\"tables\":[", stream);
    for (size_t t = 0; t < TRACE_TABLES; t++) {
        fputs(t ? ",\n" : "\n", stream);
        put_table(stream, trace, &report->tables[t]);
    }
    fputs("],\n", stream);
    put_texts(stream, "names", trace->names.items, trace->names.count);
    put_shapes(stream, trace);
    put_counters(stream, trace);
    put_lanes(stream, trace);
    fprintf(stream, "\"leftOut\":%zu,\"length\":%" PRId64 "}", trace->n_events > MOST_SHOWN ? trace->n_events - MOST_SHOWN : 0,
            trace->end_ns - trace->start_ns);
    fputs(cut + sizeof marker - 1, stream);
    return !ferror(stream) && fflush(stream) == 0;
}
