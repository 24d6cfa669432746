/* A trace file as tests look at it. The reader is strict: a line that is no JSON object, or a file that is no array of such
 * lines, fails the test. */
#ifndef TESTS_TRACE_FILE_H
#define TESTS_TRACE_FILE_H

#include <ctype.h>
#include <stdio.h>
#include <time.h>

#include "support.h"

/* ---- JSON ------------------------------------------------------------------------------------------ */

static inline const char *json_skip(const char *at);

static inline const char *json_word(const char *at, const char *word) {
    return strncmp(at, word, strlen(word)) == 0 ? at + strlen(word) : NULL;
}

static inline const char *json_string_end(const char *at) {
    for (at++; *at != '"'; at++) {
        if ((unsigned char)*at < ' ') return NULL;
        if (*at == '\\' && !strchr("\"\\/bfnrtu", *++at)) return NULL;
    }
    return at + 1;
}

static inline const char *json_number_end(const char *at) {
    at += *at == '-';
    if (!isdigit((unsigned char)*at) || (at[0] == '0' && isdigit((unsigned char)at[1]))) return NULL;
    while (isdigit((unsigned char)*at)) at++;
    if (*at == '.') {
        if (!isdigit((unsigned char)*++at)) return NULL;
        while (isdigit((unsigned char)*at)) at++;
    }
    return at;
}

static inline const char *json_list_end(const char *at, char close, bool named) {
    for (at++; *at != close;) {
        if (named) {
            at = *at == '"' ? json_string_end(at) : NULL;
            if (!at || *at++ != ':') return NULL;
        }
        at = json_skip(at);
        if (!at || (*at != ',' && *at != close)) return NULL;
        if (*at == ',' && *++at == close) return NULL;
    }
    return at + 1;
}

/* Behind the value at `at`, or NULL when there is none. No spaces: the library writes none. */
static inline const char *json_skip(const char *at) {
    switch (*at) {
        case '{': return json_list_end(at, '}', true);
        case '[': return json_list_end(at, ']', false);
        case '"': return json_string_end(at);
        case 't': return json_word(at, "true");
        case 'f': return json_word(at, "false");
        default: return json_number_end(at);
    }
}

/* The value of a member of the object at `at`, or NULL. */
static inline const char *json_member(const char *at, const char *name) {
    if (!at) return NULL;
    for (at++; *at != '}'; at += *at == ',') {
        const char *value = json_string_end(at) + 1;
        if (strncmp(at + 1, name, strlen(name)) == 0 && at[1 + strlen(name)] == '"') return value;
        at = json_skip(value);
    }
    return NULL;
}

/* ---- Events ---------------------------------------------------------------------------------------- */

typedef struct event {
    char ph, cat[16], name[160];
    unsigned pid, tid;
    uint64_t ts, dur, end, id; /* in ns */
    const char *args;          /* the object's text, or NULL */
    bool matched;
} event;

typedef struct trace_file {
    char *text;
    event *events;
    size_t count;
} trace_file;

static inline void copy_text(char *out, size_t size, const char *value) {
    out[0] = '\0';
    if (!value) return;
    ck_assert_msg(*value == '"', "%.40s is no string", value);
    const char *end = json_string_end(value);
    ck_assert_uint_lt((size_t)(end - value), size);
    snprintf(out, size, "%.*s", (int)(end - value - 2), value + 1);
}

static inline uint64_t number_of(const char *value) {
    return value ? strtoull(value, NULL, 10) : 0;
}

/* Exactly three decimals. */
static inline uint64_t ns_of(const char *value) {
    char *end;
    if (!value) return 0;
    uint64_t us = strtoull(value, &end, 10);
    ck_assert_msg(*end == '.' && json_number_end(value) == end + 4, "%.40s is no time", value);
    return us * 1000 + strtoull(end + 1, NULL, 10);
}

static inline uint64_t arg_number(const event *e, const char *name) {
    const char *value = json_member(e->args, name);
    ck_assert_msg(value != NULL, "%s has no %s", e->name, name);
    return number_of(value);
}

static inline bool arg_is(const event *e, const char *name, const char *expected) {
    const char *value = json_member(e->args, name);
    return value && strncmp(value, expected, strlen(expected)) == 0 && json_skip(value) == value + strlen(expected);
}

static inline bool arg_exists(const event *e, const char *name) {
    return json_member(e->args, name);
}

static inline event event_from(const char *line) {
    event e = {.args = json_member(line, "args"), .id = number_of(json_member(line, "id"))};
    char ph[8];
    copy_text(ph, sizeof ph, json_member(line, "ph"));
    e.ph = ph[0];
    copy_text(e.cat, sizeof e.cat, json_member(line, "cat"));
    copy_text(e.name, sizeof e.name, json_member(line, "name"));
    e.pid = (unsigned)number_of(json_member(line, "pid"));
    e.tid = (unsigned)number_of(json_member(line, "tid"));
    e.ts = ns_of(json_member(line, "ts"));
    e.dur = ns_of(json_member(line, "dur"));
    e.end = e.ts + e.dur;
    ck_assert_msg(ph[0] && !ph[1] && e.pid, "%.100s is no event", line);
    return e;
}

static inline char *read_text(const char *path) {
    FILE *stream = fopen(path, "r");
    size_t room = 64u << 20;
    char *text = malloc(room);
    ck_assert_msg(stream && text, "%s cannot be read", path);
    text[fread(text, 1, room - 1, stream)] = '\0';
    fclose(stream);
    return text;
}

/* With `whole`, the file must have its end; without, the last line may be cut off. */
static inline trace_file trace_read(const char *path, bool whole) {
    trace_file t = {.text = read_text(path)};
    size_t room = 1;
    for (const char *c = t.text; *c; c++) room += *c == '\n';
    t.events = calloc(room + 1, sizeof *t.events);
    ck_assert_msg(strncmp(t.text, "[\n", 2) == 0, "%s does not begin an array", path);
    char *at = t.text + 2;
    for (;;) {
        const char *end = *at == '{' ? json_skip(at) : NULL;
        if (!end && !whole) break;
        ck_assert_msg(end != NULL, "%s: %.200s is no object", path, at);
        t.events[t.count++] = event_from(at);
        at += end - at;
        if (*at != ',') break;
        if (!whole && !at[1]) break;
        ck_assert_msg(at[1] == '\n', "%s: no line ends after an event", path);
        at += 2;
    }
    ck_assert_msg(!whole || strcmp(at, "\n]\n") == 0, "%s has no end: %.40s", path, at);
    return t;
}

static inline void trace_free(trace_file *t) {
    free(t->events);
    free(t->text);
}

/* ---- What must hold of any file -------------------------------------------------------------------- */

static inline bool is_command(const event *e) { return e->ph == 'X' && e->pid > 1; }

static inline size_t count(const trace_file *t, char ph, const char *cat) {
    size_t n = 0;
    for (size_t i = 0; i < t->count; i++) n += t->events[i].ph == ph && strcmp(t->events[i].cat, cat) == 0;
    return n;
}

/* The nth event of a lane, in the order of time. */
static inline const event *nth(const trace_file *t, unsigned pid, unsigned tid, size_t n) {
    const event *found = NULL;
    for (size_t i = 0; i < t->count; i++) {
        const event *e = &t->events[i];
        if (e->ph == 'X' && e->pid == pid && e->tid == tid && n-- == 0) found = e;
    }
    ck_assert_msg(found != NULL, "lane %u of %u is too short", tid, pid);
    return found;
}

static inline size_t length_of(const trace_file *t, unsigned pid, unsigned tid) {
    size_t n = 0;
    for (size_t i = 0; i < t->count; i++) n += t->events[i].ph == 'X' && t->events[i].pid == pid && t->events[i].tid == tid;
    return n;
}

static inline const event *named(const trace_file *t, const char *what, unsigned pid, unsigned tid) {
    const event *found = NULL;
    for (size_t i = 0; i < t->count; i++) {
        const event *e = &t->events[i];
        if (e->ph == 'M' && strcmp(e->name, what) == 0 && e->pid == pid && (tid == 0 || e->tid == tid)) {
            ck_assert_msg(!found, "%s of %u, %u is there twice", what, pid, tid);
            found = e;
        }
    }
    ck_assert_msg(found != NULL, "no %s for %u, %u", what, pid, tid);
    return found;
}

/* Commands of one queue come one after the other, in the order of the file. */
static inline void check_queues(const trace_file *t) {
    for (size_t i = 0; i < t->count; i++) {
        if (!is_command(&t->events[i])) continue;
        for (size_t k = i + 1; k < t->count; k++) {
            const event *a = &t->events[i], *b = &t->events[k];
            if (is_command(b) && a->pid == b->pid && a->tid == b->tid) {
                ck_assert_msg(a->end <= b->ts, "%s and %s overlap", a->name, b->name);
                break;
            }
        }
    }
}

/* The host call that an arrow comes from. */
static inline const event *call_around(const trace_file *t, const event *arrow) {
    for (size_t i = 0; i < t->count; i++) {
        const event *e = &t->events[i];
        if (e->ph == 'X' && e->pid == 1 && e->tid == arrow->tid && e->ts <= arrow->ts && arrow->ts <= e->end) return e;
    }
    return NULL;
}

/* Each command has one arrow, from within a call that began before it did. */
static inline void check_flows(const trace_file *t) {
    size_t commands = 0, arrows = 0;
    for (size_t i = 0; i < t->count; i++) {
        event *to = &t->events[i];
        commands += is_command(to);
        if (to->ph != 'f') continue;
        event *from = NULL;
        const event *command = NULL;
        for (size_t k = 0; k < t->count; k++) {
            event *e = &t->events[k];
            if (e->ph == 's' && e->id == to->id) {
                ck_assert_msg(!from, "arrow %llu begins twice", (unsigned long long)to->id);
                from = e;
            }
            if (is_command(e) && e->pid == to->pid && e->tid == to->tid && e->ts == to->ts && !e->matched) {
                command = command ? command : e;
            }
        }
        ck_assert_msg(from && command, "arrow %llu has no end", (unsigned long long)to->id);
        ((event *)(uintptr_t)command)->matched = true;
        const event *call = call_around(t, from);
        ck_assert_msg(call != NULL, "%s comes from no call", command->name);
        ck_assert_msg(from->ts <= command->ts && call->ts <= command->ts, "%s began before its enqueue", command->name);
        ck_assert_str_eq(to->cat, "enqueue");
        arrows++;
    }
    ck_assert_uint_eq(count(t, 's', "enqueue"), arrows);
    ck_assert_uint_eq(commands, arrows);
}

/* Once, near the top: the program, and when it ran. */
static inline void check_head(const trace_file *t) {
    const event *about = named(t, "weft_trace", 1, 0);
    ck_assert(arg_is(about, "format", "1"));
    ck_assert(arg_is(about, "version", "\"0.1.0\""));
    ck_assert(arg_exists(about, "program"));
    char started[32], today[32];
    time_t now = time(NULL);
    struct tm utc;
    copy_text(started, sizeof started, json_member(about->args, "started"));
    ck_assert_uint_eq(strlen(started), strlen("2026-11-30T12:00:00Z"));
    strftime(today, sizeof today, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));
    ck_assert_int_le(strcmp(started, today), 0);
    ck_assert(arg_is(named(t, "process_name", 1, 0), "name", "\"host\""));
    ck_assert(arg_is(named(t, "thread_name", 1, 1), "name", "\"main thread\""));
}

#endif
