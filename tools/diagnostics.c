#include "diagnostics.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "source.h"
#include "tool.h"

/* ---- Lines of the source --------------------------------------------------------------------------- */

/* Whether the line is #line N "FILE", and what it says. file is as long as the line. */
static bool is_line_directive(const char *line, size_t length, char *file, size_t *number) {
    const char *at = line, *end = line + length;
    at += strspn(at, " \t");
    if (strncmp(at, "#line ", 6) || at >= end) {
        return false;
    }
    char *after;
    *number = strtoul(at + 6, &after, 10);
    if (after == at + 6 || strncmp(after, " \"", 2) || after >= end) {
        return false;
    }
    for (at = after + 2; at < end && *at != '"'; at++) {
        at += *at == '\\';
        *file++ = *at;
    }
    *file = '\0';
    return true;
}

/* That line of that file in an assembled text, for the caller to free; NULL if it is not there. */
static char *find_line(const char *text, const char *file, size_t number) {
    char *current = calloc(1, strlen(text) + 1), *found = NULL;
    size_t line = 0;
    for (const char *at = text; current && *at && !found;) {
        size_t length = strcspn(at, "\n"), next;
        if (is_line_directive(at, length, current, &next)) {
            line = next - 1;
        } else if (++line == number && !strcmp(current, file)) {
            found = strndup(at, length);
        }
        at += length + (at[length] == '\n');
    }
    free(current);
    return found;
}

/* ---- Messages -------------------------------------------------------------------------------------- */

typedef struct place {
    char file[1024];
    size_t line, column;
    const char *severity, *message;
    size_t message_length;
} place;

/* "error: " and the like at the start of text: its length, 0 if there is none. */
static size_t severity_at(const char *text, const char **severity) {
    static const char *const words[][2] = {
        {"fatal error: ", "error"}, {"error: ", "error"}, {"warning: ", "warning"}, {"note: ", "note"}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (!strncmp(text, words[i][0], strlen(words[i][0]))) {
            *severity = words[i][1];
            return strlen(words[i][0]);
        }
    }
    return 0;
}

/* Takes "FILE:LINE[:COLUMN]: error: MESSAGE" apart, and PoCL's "error: FILE:LINE:COLUMN: MESSAGE". */
static bool parse(const char *line, size_t length, place *out) {
    const char *end = line + length, *in_front = NULL;
    line += severity_at(line, &in_front);
    for (const char *colon = line; (colon = memchr(colon, ':', (size_t)(end - colon))) != NULL; colon++) {
        char *after;
        size_t file_length = (size_t)(colon - line);
        out->line = strtoul(colon + 1, &after, 10);
        if (after == colon + 1 || *after != ':' || file_length == 0 || file_length >= sizeof out->file) {
            continue;
        }
        const char *column = after + 1;
        out->column = strtoul(column, &after, 10);
        out->column = after > column && *after == ':' ? out->column : 0;
        const char *rest = out->column ? after + 1 : column;
        rest += strspn(rest, " ");
        out->severity = in_front;
        size_t word = severity_at(rest, &out->severity);
        if (out->severity && rest + word <= end) {
            memcpy(out->file, line, file_length);
            out->file[file_length] = '\0';
            out->message = rest + word;
            out->message_length = (size_t)(end - out->message);
            return true;
        }
    }
    return false;
}

/* PoCL logs warnings twice. Takes the reference. */
static void append_once(json_t *list, json_t *diagnostic) {
    size_t index;
    json_t *earlier;
    json_array_foreach(list, index, earlier) {
        if (json_equal(earlier, diagnostic)) {
            json_decref(diagnostic);
            return;
        }
    }
    json_array_append_new(list, diagnostic);
}

json_t *diagnostics_of(const char *log, const char *text) {
    json_t *list = json_array();
    for (const char *at = log; *at;) {
        size_t length = strcspn(at, "\n");
        place place;
        if (parse(at, length, &place)) {
            char *line = find_line(text, place.file, place.line), *message = strndup(place.message, place.message_length);
            append_once(list, json_pack("{s:s, s:o, s:I, s:I, s:o, s:o}", "severity", place.severity, "file",
                                        json_text(source_shown_name(place.file)), "line", (json_int_t)place.line, "column",
                                        (json_int_t)place.column, "message", json_text(message), "source", json_text(line)));
            free(message);
            free(line);
        }
        at += length + (at[length] == '\n');
    }
    return list;
}

/* ---- Printing -------------------------------------------------------------------------------------- */

/* Blanks as wide as the line up to the column: tabs stay, a character of several bytes is one place wide. */
static void print_indent(const char *line, size_t column) {
    for (size_t i = 0; i + 1 < column && line[i]; i++) {
        if (((unsigned char)line[i] & 0xC0) != 0x80) {
            putchar(line[i] == '\t' ? '\t' : ' ');
        }
    }
}

void diagnostics_print(const json_t *diagnostic) {
    const char *file = "", *severity = "", *message = NULL, *line = NULL;
    json_int_t number = 0, column = 0;
    json_unpack((json_t *)diagnostic, "{s?s, s?s, s?I, s?I, s?s, s?s}", "severity", &severity, "file", &file, "line", &number, "column",
                &column, "message", &message, "source", &line);
    printf("%s:%lld:", file, (long long)number);
    if (column) {
        printf("%lld:", (long long)column);
    }
    printf(" %s: %s\n", severity, message ? message : "(in no known encoding)");
    if (line) {
        printf("%5lld | %s\n", (long long)number, line);
    }
    if (line && column) {
        printf("      | ");
        print_indent(line, (size_t)column);
        puts("^");
    }
}
