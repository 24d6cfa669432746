#include "bind_text.h"

#include <stdlib.h>
#include <string.h>

/* ---- Names in #line -------------------------------------------------------------------------------- */

/* The name in a #line directive, without its quotes; NULL if the line is none. */
static const char *line_name(const char *line, size_t *length) {
    const char *at = line + strspn(line, " \t");
    if (strncmp(at, "#line ", 6)) {
        return NULL;
    }
    at += 6 + strspn(at + 6, "0123456789");
    if (strncmp(at, " \"", 2)) {
        return NULL;
    }
    const char *name = at + 2;
    *length = 0;
    while (name[*length] && name[*length] != '"' && name[*length] != '\n') {
        *length += name[*length] == '\\' && name[*length + 1] ? 2 : 1;
    }
    return name[*length] == '"' ? name : NULL;
}

/* What of name is left below the folder; name itself if it is not there. */
static const char *below(const char *name, const char *folder, size_t folder_length) {
    while (folder_length && folder[folder_length - 1] == '/') {
        folder_length--;
    }
    bool inside = !strncmp(name, folder, folder_length) && name[folder_length] == '/';
    return inside ? name + folder_length + strspn(name + folder_length, "/") : name;
}

static const char *short_name(const char *name, const source *source) {
    const char *slash = strrchr(source->name, '/'), *best = below(name, source->name, (size_t)(slash - source->name));
    for (size_t i = 0; i < source->options.n_include_dirs; i++) {
        const char *folder = source->options.include_dirs[i], *rest = below(name, folder, strlen(folder));
        best = rest > best ? rest : best;
    }
    bool outside = *best == '/' || !strncmp(best, "../", 3) || strstr(best, "/../");
    return outside ? strrchr(best, '/') + 1 : best;
}

/* "#error "x.h" is not found in FOLDERS": without the folders. It is there for a compiler that looks past it. */
static size_t error_length(const char *line, size_t length) {
    static const char missing[] = "\" is not found";
    const char *said = strncmp(line, "#error \"", 8) ? NULL : strstr(line, missing);
    return said && said < line + length ? (size_t)(said - line) + sizeof missing - 1 : length;
}

char *bind_text_shorten(const char *text, const source *source) {
    memory_text out = {0};
    for (const char *at = text; *at;) {
        size_t length = strcspn(at, "\n"), name_length = 0;
        const char *name = line_name(at, &name_length);
        if (name) {
            char *copy = memory_copy(name, name_length);
            memory_append(&out, at, (size_t)(name - at));
            memory_printf(&out, "%s", short_name(copy, source));
            memory_append(&out, name + name_length, length - (size_t)(name + name_length - at));
            free(copy);
        } else {
            memory_append(&out, at, error_length(at, length));
        }
        memory_append(&out, "\n", 1);
        at += length + (at[length] == '\n');
    }
    return memory_take(&out);
}

/* ---- As C ------------------------------------------------------------------------------------------ */

void bind_text_quote(memory_text *out, const char *text) {
    memory_append(out, "    \"", 5);
    for (const char *at = text; *at; at++) {
        unsigned char c = (unsigned char)*at;
        if (c == '\n' && at[1]) {
            memory_append(out, "\\n\"\n    \"", 9);
        } else if (c == '\n' || c == '\t') {
            memory_append(out, c == '\n' ? "\\n" : "\\t", 2);
        } else if (c == '"' || c == '\\' || c == '?') { /* ? for trigraphs */
            memory_printf(out, "\\%c", c);
        } else if (c < ' ' || c > '~') {
            memory_printf(out, "\\%03o", c);
        } else {
            memory_append(out, at, 1);
        }
    }
    memory_append(out, "\"", 1);
}

/* ---- For build systems ----------------------------------------------------------------------------- */

/* Whether an earlier #line of the text has the name. */
static bool is_named_before(const char *text, const char *end, const char *name, size_t name_length) {
    while (text < end) {
        size_t length;
        const char *earlier = line_name(text, &length);
        if (earlier && length == name_length && !memcmp(earlier, name, length)) {
            return true;
        }
        text += strcspn(text, "\n") + 1;
    }
    return false;
}

static void write_name(FILE *stream, const char *name, size_t length) {
    for (size_t i = 0; i < length; i++) {
        if (strchr(" #\\", name[i])) {
            putc('\\', stream);
        }
        fputs(name[i] == '$' ? "$" : "", stream);
        putc(name[i], stream);
    }
}

bool bind_text_dependencies(const char *path, const char *target, const char *text) {
    FILE *stream = fopen(path, "w");
    if (!stream) {
        return false;
    }
    write_name(stream, target, strlen(target));
    putc(':', stream);
    for (const char *at = text; *at;) {
        size_t length = strcspn(at, "\n"), name_length = 0;
        const char *name = line_name(at, &name_length);
        bool first = name && !is_named_before(text, at, name, name_length);
        char *copy = first ? memory_copy(name, name_length) : NULL, *path = copy ? realpath(copy, NULL) : NULL;
        if (path) { /* <weft.clh> and <defines> are no files */
            putc(' ', stream);
            write_name(stream, path, strlen(path));
        }
        free(path);
        free(copy);
        at += length + (at[length] == '\n');
    }
    putc('\n', stream);
    bool failed = ferror(stream);
    return fclose(stream) == 0 && !failed;
}
