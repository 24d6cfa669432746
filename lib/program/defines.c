#include "program/defines.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "program/directive.h"

/* Past a macro's parameter list, NULL if it is none. */
static const char *skip_parameters(const char *at) {
    bool empty = false;
    for (bool first = true; first || (*at == ',' && !empty); first = false) {
        at++;
        while (directive_is_blank(*at)) at++;
        const char *parameter = at;
        at += directive_word_length(at);
        if (strncmp(at, "...", 3) == 0) at += 3;
        empty = at == parameter;
        if (empty && !first) return NULL;
        while (directive_is_blank(*at)) at++;
    }
    return *at == ')' ? at + 1 : NULL;
}

/* Appends NAME=VALUE as a line; returns what is wrong with it, or NULL. */
static const char *put_define(text *out, const char *entry) {
    if (!entry) return "is NULL";
    if (strpbrk(entry, "\r\n")) return "has a newline in it";
    const char *at = entry + directive_word_length(entry);
    if (at == entry) return "does not start with a macro's name";
    if (*at == '(') at = skip_parameters(at);
    if (!at) return "has a malformed parameter list";
    if (*at != '\0' && *at != '=') return "has something between the name and the =";

    size_t start = out->length;
    text_puts(out, "#define ");
    text_append(out, entry, (size_t)(at - entry));
    text_puts(out, " ");
    text_puts(out, *at ? at + 1 : "1");
    text_append(out, "\n", 2); /* the NUL is for the scanner */
    if (out->failed) return NULL;
    out->length--;

    scanner s = {out->data + start, true, false};
    while (directive_next(&s).kind != DIRECTIVE_END) continue;
    return s.in_comment || !s.line_start ? "goes on after its line: a comment or a backslash is open" : NULL;
}

__attribute__((format(printf, 2, 3))) static weft_status refuse(assembled *out, const char *format, ...) {
    va_list args;
    va_start(args, format);
    vsnprintf(out->reason, sizeof out->reason, format, args);
    va_end(args);
    for (char *at = out->reason; *at; at++) {
        if ((unsigned char)*at < ' ') *at = ' ';
    }
    return WEFT_ERROR_INVALID_ARGUMENT;
}

weft_status defines_write(const weft_compile_options *options, text *defines, assembled *out) {
    if (!options->defines && options->n_defines > 0) {
        return refuse(out, "defines is NULL, n_defines is %zu", options->n_defines);
    }
    if (!options->include_dirs && options->n_include_dirs > 0) {
        return refuse(out, "include_dirs is NULL, n_include_dirs is %zu", options->n_include_dirs);
    }
    for (size_t i = 0; i < options->n_include_dirs; i++) {
        const char *directory = options->include_dirs[i];
        if (!directory || !*directory) return refuse(out, "include_dirs[%zu] is %s", i, directory ? "empty" : "NULL");
    }
    for (size_t i = 0; i < options->n_defines; i++) {
        const char *entry = options->defines[i], *fault = put_define(defines, entry);
        if (fault && entry) return refuse(out, "defines[%zu], \"%.300s\", %s", i, entry, fault);
        if (fault) return refuse(out, "defines[%zu] %s", i, fault);
    }
    return defines->failed ? WEFT_ERROR_OUT_OF_HOST_MEMORY : WEFT_OK;
}
