/* A trace's report as one page: the template around the data, which the page's script draws. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace_page.h"
#include "trace_report.h"

/* Within a script element no text may hold "<". */
static void write_text(FILE *out, const char *text) {
    json_t *json = json_text(text);
    char *quoted = json_dumps(json, JSON_ENCODE_ANY | JSON_ENSURE_ASCII);
    json_decref(json);
    for (const char *c = quoted ? quoted : "null"; *c; c++) {
        if (*c == '<') {
            fputs("\\u003c", out);
        } else {
            putc(*c, out);
        }
    }
    free(quoted);
}

static void write_texts(FILE *out, const char *key, const char *const *texts, size_t count) {
    fprintf(out, "\"%s\":[", key);
    for (size_t i = 0; i < count; i++) {
        fputs(i ? "," : "", out);
        write_text(out, texts[i]);
    }
    fputs("],\n", out);
}

static void write_head(FILE *out, const trace_report *report) {
    fputs("\"facts\":[", out);
    for (size_t i = 0; report->facts[0][i]; i++) {
        fputs(i ? ",[" : "[", out);
        write_text(out, report->facts[0][i]);
        putc(',', out);
        write_text(out, report->facts[1][i]);
        putc(']', out);
    }
    fputs("],\n\"warnings\":[", out);
    for (size_t i = 0; i < 2 && report->warnings[i]; i++) {
        fputs(i ? "," : "", out);
        write_text(out, report->warnings[i]);
    }
    fputs("],\n\"findings\":[", out);
    for (size_t i = 0; i < report->findings.count; i++) {
        fputs(i ? "," : "", out);
        write_text(out, report->findings.items[i].text);
    }
    fputs("],\n", out);
}

/* A row: its cells as [text, value to sort by], and the place in the timeline that it is about. */
static void write_row(FILE *out, const trace_row *row, size_t n_columns) {
    fputs("{\"cells\":[", out);
    for (size_t c = 0; c < n_columns; c++) {
        fputs(c ? ",[" : "[", out);
        write_text(out, row->cells[c].text);
        fprintf(out, ",%.17g]", row->cells[c].value);
    }
    putc(']', out);
    if (row->name != TRACE_NONE) {
        fprintf(out, ",\"name\":%" PRIu32, row->name);
    }
    if (row->lane != TRACE_NONE) {
        fprintf(out, ",\"lane\":%" PRIu32 ",\"from\":%" PRId64 ",\"to\":%" PRId64, row->lane, row->start_ns, row->end_ns);
    }
    putc('}', out);
}

static void write_tables(FILE *out, const trace_report *report) {
    fputs("\"tables\":[", out);
    for (size_t t = 0; t < TRACE_TABLES; t++) {
        const trace_table *table = &report->tables[t];
        size_t n_columns = 0;
        while (n_columns < TRACE_COLUMNS && table->columns[n_columns]) {
            n_columns++;
        }
        fputs(t ? ",\n{" : "{", out);
        fputs("\"title\":", out);
        write_text(out, table->title);
        fputs(",\"note\":", out);
        write_text(out, table->note);
        putc(',', out);
        write_texts(out, "columns", table->columns, n_columns);
        fputs("\"rows\":[", out);
        for (size_t r = 0; r < table->count; r++) {
            fputs(r ? ",\n" : "\n", out);
            write_row(out, &table->rows[r], n_columns);
        }
        fputs("]}", out);
    }
    fputs("],\n", out);
}

/* [start, duration, name, kind, flags, bytes, shape, lane and place of its call], the last ones left out when unknown. */
static void write_event(FILE *out, const trace_event *event) {
    fprintf(out, "[%" PRId64 ",%" PRId64 ",%" PRIu32 ",%u,%d", event->start_ns, event->end_ns - event->start_ns, event->name,
            (unsigned)event->kind, event->failed + 2 * event->pageable);
    if (event->bytes >= 0 || event->shape != TRACE_NONE || event->call != TRACE_NONE) {
        fprintf(out, ",%" PRId64 ",%" PRId64, event->bytes, event->shape == TRACE_NONE ? -1 : (int64_t)event->shape);
    }
    if (event->call != TRACE_NONE) {
        fprintf(out, ",%" PRIu32 ",%" PRIu32, event->call_lane, event->call);
    }
    putc(']', out);
}

static void write_lanes(FILE *out, const trace *trace) {
    fputs("\"lanes\":[", out);
    for (size_t i = 0; i < trace->n_lanes; i++) {
        const trace_lane *lane = &trace->lanes[i];
        fputs(i ? ",\n{\"name\":" : "\n{\"name\":", out);
        write_text(out, lane->name);
        fputs(",\"process\":", out);
        write_text(out, trace->processes[lane->process].name);
        fprintf(out, ",\"host\":%s,\"events\":[", lane->is_host ? "true" : "false");
        for (size_t e = 0; e < lane->count; e++) {
            fputs(e ? ",\n" : "\n", out);
            write_event(out, &lane->events[e]);
        }
        fputs("]}", out);
    }
    fputs("],\n\"counters\":[", out);
    for (size_t i = 0; i < trace->n_counters; i++) {
        const trace_counter *counter = &trace->counters[i];
        fputs(i ? ",{\"name\":" : "{\"name\":", out);
        write_text(out, counter->name);
        fputs(",\"process\":", out);
        write_text(out, trace->processes[counter->process].name);
        fputs(",\"samples\":[", out);
        for (size_t s = 0; s < counter->count; s++) {
            fprintf(out, "%s[%" PRId64 ",%" PRId64 "]", s ? "," : "", counter->samples[s].time_ns, counter->samples[s].bytes);
        }
        fputs("]}", out);
    }
    fputs("],\n\"shapes\":[", out);
    for (size_t i = 0; i < trace->n_shapes; i++) {
        const trace_shape *shape = &trace->shapes[i];
        fprintf(out, "%s[%u,%u,%u,%u,%u,%u]", i ? "," : "", shape->grid[0], shape->grid[1], shape->grid[2], shape->block[0],
                shape->block[1], shape->block[2]);
    }
    fputs("]\n", out);
}

bool trace_write_page(const trace_report *report, FILE *out) {
    static const char marker[] = "<!--DATA-->";
    const trace *trace = report->trace;
    const char *cut = strstr(trace_page, marker);
    fwrite(trace_page, 1, (size_t)(cut - trace_page), out);
    fputs("{", out);
    write_head(out, report);
    write_tables(out, report);
    write_texts(out, "names", (const char *const *)trace->names.items, trace->names.count);
    fprintf(out, "\"start\":%" PRId64 ",\"end\":%" PRId64 ",\n", trace->start_ns, trace->end_ns);
    write_lanes(out, trace);
    fputs("}", out);
    fputs(cut + sizeof marker - 1, out);
    return fflush(out) == 0 && !ferror(out);
}
