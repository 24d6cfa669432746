#include "program/assemble.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"
#include "program/defines.h"
#include "program/directive.h"
#include "program/prelude.h"

/* Includes are expanded before any macro is known for sure, so also where an include guard would stop the
 * preprocessor. These bound what a cycle or a dense mesh of headers can then grow to. */
enum { DEPTH_MAX = 64, INCLUDES_MAX = 4096, TEXT_MAX = 64 << 20 };

/* ---- Characters ----------------------------------------------------------------------------------- */

static size_t count_lines(const char *from, const char *to) {
    size_t lines = 0;
    while (from < to && (from = memchr(from, '\n', (size_t)(to - from))) != NULL) lines++, from++;
    return lines;
}

/* The length of the valid UTF-8 sequence at s, 0 if it is none. */
static size_t utf8_length(const unsigned char *s) {
    size_t n = s[0] < 0x80 ? 1 : s[0] < 0xC2 ? 0 : s[0] < 0xE0 ? 2 : s[0] < 0xF0 ? 3 : s[0] < 0xF5 ? 4 : 0;
    for (size_t i = 1; i < n; i++) {
        if ((s[i] & 0xC0) != 0x80) return 0;
    }
    bool overlong = (s[0] == 0xE0 && s[1] < 0xA0) || (s[0] == 0xF0 && s[1] < 0x90);
    bool beyond = (s[0] == 0xED && s[1] > 0x9F) || (s[0] == 0xF4 && s[1] > 0x8F);
    return overlong || beyond ? 0 : n;
}

/* Writes a C string literal. What no driver takes in a log, control bytes and broken UTF-8, becomes '?':
 * rusticl ends the process over a log that is not UTF-8. */
static void append_quoted(text *t, const char *string, size_t size) {
    text_puts(t, "\"");
    for (const char *end = string + size; string < end;) {
        size_t length = utf8_length((const unsigned char *)string);
        if (*string == '"' || *string == '\\') text_puts(t, "\\");
        if (length == 0 || length > (size_t)(end - string) || (unsigned char)*string < ' ' || *string == 0x7F) {
            text_puts(t, "?");
            length = 1;
        } else {
            text_append(t, string, length);
        }
        string += length;
    }
    text_puts(t, "\"");
}

/* Appends without a byte order mark, with LF for CRLF and CR, and with a newline at the end. */
static void append_normalised(text *t, const char *bytes, size_t size) {
    const char *at = bytes, *end = bytes + size;
    if (size >= 3 && memcmp(at, "\xEF\xBB\xBF", 3) == 0) at += 3;
    if (at == end) return;
    for (const char *cr; (cr = memchr(at, '\r', (size_t)(end - at))) != NULL; at = cr + 1) {
        text_append(t, at, (size_t)(cr - at));
        if (cr + 1 == end || cr[1] != '\n') text_puts(t, "\n");
    }
    text_append(t, at, (size_t)(end - at));
    if (end[-1] != '\n' && end[-1] != '\r') text_puts(t, "\n");
}

/* ---- What is known of macros ----------------------------------------------------------------------
 *
 * Text between an #if and its #else or #endif is a region, live or not. After a #define, its macro is
 * defined wherever that region is still open and live. So an #ifndef of that macro, and an include of a file
 * whose #pragma once was met, are dead there whatever the compiler makes of the conditions: they are not
 * expanded. That is what ends cycles of guarded headers.
 */

typedef struct macro {
    const char *name;
    size_t length;
    size_t region; /* where it is known to be defined; 0 after an #undef */
} macro;

typedef struct region {
    size_t id;
    bool dead;        /* for certain */
    const char *name; /* that of an #ifndef, up to its #else */
    size_t length;
    size_t segments; /* of the map, at its #if */
} region;

typedef struct source_file {
    struct source_file *next;
    char *text;
    dev_t device;
    ino_t inode;
    bool once;
    char once_macro[32]; /* stands for "the #pragma once of this file was met" */
} source_file;

typedef struct assembly {
    const weft_compile_options *options;
    line_map *map;
    text out; /* its failed flag also stands for every other allocation here */
    source_file *files;
    size_t n_files, n_includes;
    macro *macros;
    size_t n_macros;
    region *regions; /* the open ones, outermost first */
    size_t n_regions, last_region;
    size_t counted, lines; /* lines of out.data, up to its byte counted */
} assembly;

/* The array of count items with room for one more; NULL, and the assembly has failed, without memory. */
static void *grow(assembly *a, void *items, size_t count, size_t item_size) {
    if (count > 0 && (count & (count - 1)) != 0) return items; /* it can only be full at a power of two */
    void *grown = realloc(items, (count > 0 ? count * 2 : 1) * item_size);
    if (!grown) a->out.failed = true;
    return grown;
}

static macro *find_macro(const assembly *a, const char *name, size_t length) {
    for (size_t i = 0; i < a->n_macros; i++) {
        macro *m = &a->macros[i];
        if (m->length == length && memcmp(m->name, name, length) == 0) return m;
    }
    return NULL;
}

static bool is_defined(const assembly *a, const macro *m) {
    for (size_t i = 0; m && i < a->n_regions; i++) {
        if (a->regions[i].id == m->region) return true;
    }
    return false;
}

static region *open_region(const assembly *a) { return &a->regions[a->n_regions - 1]; }

static void define_macro(assembly *a, const char *name, size_t length) {
    macro *m = find_macro(a, name, length);
    if (is_defined(a, m)) return;
    if (!m) {
        macro *macros = grow(a, a->macros, a->n_macros, sizeof *macros);
        if (!macros) return;
        a->macros = macros;
        m = &macros[a->n_macros++];
        *m = (macro){name, length, 0};
    }
    m->region = open_region(a)->id;
}

static void undefine_macro(assembly *a, const char *name, size_t length) {
    macro *m = find_macro(a, name, length);
    if (m) m->region = 0;
}

static void push_region(assembly *a, region r) {
    region *regions = grow(a, a->regions, a->n_regions, sizeof *regions);
    if (!regions) return;
    a->regions = regions;
    regions[a->n_regions++] = r;
}

/* Opens the region of #ifndef name. A guard, which goes on to define the name, is live whenever what is around
 * it is, if the name was never defined before: it then is no region of its own. */
static void push_unless_defined(assembly *a, const char *name, size_t length, bool guard) {
    const char *extra = a->options->extra;
    macro *m = find_macro(a, name, length);
    region r = {open_region(a)->id, open_region(a)->dead || is_defined(a, m), name, length, a->map->count};
    if (!guard || m || (extra && memmem(extra, strlen(extra), name, length))) r.id = ++a->last_region;
    push_region(a, r);
}

/* Behind an #ifndef whose text ends with the macro defined, it is defined in any case. */
static void pop_region(assembly *a) {
    region r = *open_region(a);
    bool defined = r.name && is_defined(a, find_macro(a, r.name, r.length));
    a->n_regions--;
    if (defined) define_macro(a, r.name, r.length);
}

/* ---- Files ---------------------------------------------------------------------------------------- */

/* Fails with errno set. */
static bool read_all(int fd, text *bytes) {
    char chunk[16384];
    for (;;) {
        ssize_t size = read(fd, chunk, sizeof chunk);
        if (size == 0) break;
        if (size < 0 && errno == EINTR) continue;
        if (size < 0) return false;
        text_append(bytes, chunk, (size_t)size);
    }
    errno = EILSEQ;
    return bytes->length == 0 || !memchr(bytes->data, '\0', bytes->length);
}

static source_file *add_file(assembly *a, int fd, const struct stat *info) {
    text bytes = {0}, normalised = {0};
    source_file *file = NULL;
    if (read_all(fd, &bytes)) {
        append_normalised(&normalised, bytes.data ? bytes.data : "", bytes.length);
        file = calloc(1, sizeof *file);
        char *data = bytes.failed ? NULL : text_take(&normalised);
        if (file && data) {
            *file = (source_file){a->files, data, info->st_dev, info->st_ino, directive_present(data, DIRECTIVE_ONCE), {0}};
            snprintf(file->once_macro, sizeof file->once_macro, "weft_once_%zu", ++a->n_files);
            a->files = file;
        } else {
            a->out.failed = true;
            free(data);
            free(file);
            file = NULL;
        }
    }
    int error = errno;
    text_free(&normalised);
    text_free(&bytes);
    errno = error;
    return file;
}

/* The file at path, read once however many paths lead to it; NULL, with errno set, if that does not work. */
static source_file *open_file(assembly *a, const char *path) {
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* a pipe must not block */
    if (fd < 0) return NULL;
    source_file *file = NULL;
    struct stat info;
    if (fstat(fd, &info) == 0) {
        if (S_ISREG(info.st_mode)) {
            for (file = a->files; file; file = file->next) {
                if (file->device == info.st_dev && file->inode == info.st_ino) break;
            }
            if (!file) file = add_file(a, fd, &info);
        } else {
            errno = S_ISDIR(info.st_mode) ? EISDIR : EINVAL;
        }
    }
    int error = errno;
    close(fd);
    errno = error;
    return file;
}

/* Where a header was looked for and, when it was there, why it did not serve. */
static void note_failure(text *tried, const char *directory, size_t length, int error) {
    if (length > 0) {
        text_puts(tried, tried->length > 0 ? ", " : " in ");
        append_quoted(tried, directory, length);
    }
    switch (error) {
    case ENOENT:
    case ENOTDIR: break;
    case EACCES: text_puts(tried, " (there it may not be read)"); break;
    case EISDIR: text_puts(tried, " (there it is a directory)"); break;
    case EINVAL: text_puts(tried, " (there it is no regular file)"); break;
    case EILSEQ: text_puts(tried, " (there it is not text: it has NUL bytes)"); break;
    default: text_printf(tried, " (there it cannot be read: error %d)", error); break;
    }
}

/* NULL with errno set when the header cannot be had there. */
static source_file *try_directory(assembly *a, const char *directory, size_t length, const directive *d, char **path,
                                  text *tried) {
    text t = {0};
    text_append(&t, directory, length);
    if (length > 0 && directory[length - 1] != '/') text_puts(&t, "/");
    text_append(&t, d->name, d->length);
    *path = text_take(&t);
    if (!*path) {
        a->out.failed = true;
        errno = ENOMEM;
        return NULL;
    }
    source_file *file = open_file(a, *path);
    if (!file) {
        int error = errno;
        note_failure(tried, directory, length, error);
        free(*path);
        *path = NULL;
        errno = error;
    }
    return file;
}

/* Whether a search may go on: what is there and cannot be read must not be replaced by another file of its name. */
static bool is_elsewhere(int error) { return error == ENOENT || error == ENOTDIR || error == EISDIR; }

/* Finds what the directive in file from names: *path, for the caller to free, is where. NULL if it is nowhere
 * in the places that tried lists, cannot be read in the last of them, or without memory. */
static source_file *find_header(assembly *a, const char *from, const directive *d, char **path, text *tried) {
    if (d->name[0] == '/') return try_directory(a, "", 0, d, path, tried);

    source_file *file = NULL;
    const char *slash = d->name[-1] == '"' ? strrchr(from, '/') : NULL;
    errno = ENOENT;
    if (slash) file = try_directory(a, from, slash == from ? 1 : (size_t)(slash - from), d, path, tried);
    for (size_t i = 0; !file && is_elsewhere(errno) && i < a->options->n_include_dirs; i++) {
        const char *directory = a->options->include_dirs[i];
        file = try_directory(a, directory, strlen(directory), d, path, tried);
    }
    if (!file && tried->length == 0) text_puts(tried, ": there is no directory to search");
    return file;
}

/* ---- Expansion ------------------------------------------------------------------------------------ */

/* Takes over the name; gives one that lives as long as the map, NULL without memory. */
static const char *keep_name(assembly *a, char *name) {
    line_map *map = a->map;
    for (size_t i = 0; i < map->name_count; i++) {
        if (strcmp(map->names[i], name) == 0) {
            free(name);
            return map->names[i];
        }
    }
    char **names = grow(a, map->names, map->name_count, sizeof *names);
    if (!names) {
        free(name);
        return NULL;
    }
    map->names = names;
    return names[map->name_count++] = name;
}

static void add_segment(assembly *a, line_segment segment) {
    line_segment *segments = grow(a, a->map->segments, a->map->count, sizeof *segments);
    if (!segments) return;
    a->map->segments = segments;
    segments[a->map->count++] = segment;
}

/* Makes the next line that line of the file. The newline is the caller's to add: what follows an include on
 * its line then follows this. */
static void put_line(assembly *a, size_t line, const char *file) {
    text_printf(&a->out, "#line %zu ", line);
    append_quoted(&a->out, file, strlen(file));
    if (a->out.failed) return;
    const char *data = a->out.data;
    a->lines += count_lines(data + a->counted, data + a->out.length);
    a->counted = a->out.length;
    add_segment(a, (line_segment){a->lines + 2, file, line});
}

static void put_error(assembly *a, const directive *d, const char *what, const text *where) {
    text_puts(&a->out, "#error ");
    append_quoted(&a->out, d->name, d->length);
    text_puts(&a->out, what);
    text_append(&a->out, where->data, where->length);
    text_puts(&a->out, "\n");
}

static void expand(assembly *a, const char *source, const source_file *file, const char *name, size_t depth);

static void expand_header(assembly *a, const char *source, const source_file *file, const char *name, size_t depth) {
    put_line(a, 1, name);
    text_puts(&a->out, "\n");
    expand(a, source, file, name, depth);
}

/* A file with #pragma once stands between #ifndef and #endif, and the pragma becomes the #define for them. */
static void expand_once(assembly *a, const source_file *file, const char *name, size_t depth) {
    const char *guard = file->once_macro;
    if (is_defined(a, find_macro(a, guard, strlen(guard)))) return;
    push_unless_defined(a, guard, strlen(guard), true);
    text_printf(&a->out, "#ifndef %s\n", guard);
    if (a->out.failed) return;
    expand_header(a, file->text, file, name, depth);
    text_puts(&a->out, "#endif\n");
    pop_region(a);
}

/* Puts what the directive in file from includes in place of it. */
static void expand_include(assembly *a, const char *from, const directive *d, size_t depth) {
    text tried = {0};
    if (depth > DEPTH_MAX) {
        put_error(a, d, " is included too deeply; there may be a cycle", &tried);
        return;
    }
    if (a->n_includes == INCLUDES_MAX || a->out.length > TEXT_MAX) {
        put_error(a, d, " is not included: there are too many includes; there may be a cycle", &tried);
        return;
    }
    a->n_includes++;
    bool builtin = directive_is_word(d->name, d->length, "weft.clh");
    char *path = NULL;
    source_file *file = builtin && d->name[-1] == '<' ? NULL : find_header(a, from, d, &path, &tried);
    if (file) {
        const char *name = keep_name(a, path);
        if (name && file->once) expand_once(a, file, name, depth);
        if (name && !file->once) expand_header(a, file->text, NULL, name, depth);
    } else if (builtin) {
        expand_header(a, prelude_text, NULL, "weft.clh", depth);
    } else {
        put_error(a, d, " is not found", &tried);
    }
    a->out.failed |= tried.failed;
    text_free(&tried);
}

/* One file on its way into the text. */
typedef struct expansion {
    scanner s;
    const char *copied; /* the text has the file up to here */
    const char *counted;
    size_t line; /* the one that counted is in */
    const char *name;
} expansion;

static void copy_to(assembly *a, expansion *e, const char *end) {
    text_append(&a->out, e->copied, (size_t)(end - e->copied));
    e->copied = end;
}

static size_t current_line(expansion *e) {
    e->line += count_lines(e->counted, e->s.at);
    e->counted = e->s.at;
    return e->line;
}

/* A compiler that skips a region skips the #line directives in it too, and would count the lines of headers there
 * as this file's. So behind #else and #endif of such regions its line is set again. */
static void restore_line(assembly *a, expansion *e) {
    directive_finish_line(&e->s);
    copy_to(a, e, e->s.at);
    if (!e->s.line_start) return; /* the file ends within the line */
    put_line(a, current_line(e), e->name);
    text_puts(&a->out, "\n");
}

/* Appends the source with its includes expanded. file is that of a source with #pragma once, else NULL; depth
 * counts the files around this one. */
static void expand(assembly *a, const char *source, const source_file *file, const char *name, size_t depth) {
    expansion e = {{source, true, false}, source, source, 1, name};
    size_t base = a->n_regions;

    for (directive d = directive_next(&e.s); d.kind != DIRECTIVE_END && !a->out.failed; d = directive_next(&e.s)) {
        region innermost = *open_region(a);
        bool inside = a->n_regions > base;
        switch (d.kind) {
        case DIRECTIVE_INCLUDE:
            if (innermost.dead) break;
            copy_to(a, &e, d.start);
            expand_include(a, name, &d, depth + 1);
            e.copied = e.s.at;
            put_line(a, current_line(&e) + 1, name);
            break;
        case DIRECTIVE_ONCE:
            if (!file) break; /* in the caller's source it means nothing */
            copy_to(a, &e, d.start);
            text_printf(&a->out, "#define %s", file->once_macro);
            e.copied = e.s.at;
            define_macro(a, file->once_macro, strlen(file->once_macro));
            break;
        case DIRECTIVE_IF:
            push_region(a, (region){++a->last_region, innermost.dead, NULL, 0, a->map->count});
            break;
        case DIRECTIVE_IFNDEF: {
            scanner ahead = e.s;
            directive next = directive_next(&ahead);
            bool same = next.length == d.length && memcmp(next.name, d.name, d.length) == 0;
            push_unless_defined(a, d.name, d.length, same && next.kind == DIRECTIVE_DEFINE);
            break;
        }
        case DIRECTIVE_ELSE:
            if (!inside) break;
            a->n_regions--;
            push_region(a, (region){++a->last_region, open_region(a)->dead, NULL, 0, innermost.segments});
            if (a->map->count > innermost.segments) restore_line(a, &e);
            break;
        case DIRECTIVE_ENDIF:
            if (!inside) break;
            pop_region(a);
            if (a->map->count > innermost.segments) restore_line(a, &e);
            break;
        case DIRECTIVE_DEFINE:
            define_macro(a, d.name, d.length);
            break;
        case DIRECTIVE_UNDEF:
            undefine_macro(a, d.name, d.length);
            break;
        default:
            break;
        }
    }
    text_puts(&a->out, e.copied);
    a->n_regions = base;

    if (depth > 0 && e.s.in_comment) {
        text_puts(&a->out, "*/\n#error this header ends inside a comment\n");
    } else if (depth > 0 && !e.s.line_start) {
        text_puts(&a->out, "\n"); /* it ends with a continuation, which must not take in what follows */
    }
}

/* ---- The whole ------------------------------------------------------------------------------------ */

static void assemble(assembly *a, const text *defines, const char *source) {
    const weft_compile_options *options = a->options;
    char *copy = strdup(options->source_name ? options->source_name : "kernel.cl");
    const char *name = copy ? keep_name(a, copy) : NULL;
    if (!name) {
        a->out.failed = true;
        return;
    }
    push_region(a, (region){++a->last_region, false, NULL, 0, 0});
    add_segment(a, (line_segment){1, name, 1});
    if (a->out.failed) return;

    if (options->n_defines > 0) {
        put_line(a, 1, "<defines>");
        text_puts(&a->out, "\n");
        text_append(&a->out, defines->data, defines->length);
    }
    for (size_t i = 0; i < options->n_defines; i++) {
        define_macro(a, options->defines[i], directive_word_length(options->defines[i]));
    }
    if (options->source_name || options->n_defines > 0 || directive_present(source, DIRECTIVE_INCLUDE)) {
        put_line(a, 1, name);
        text_puts(&a->out, "\n");
    }
    expand(a, source, NULL, name, 0);
}

weft_status assemble_source(const char *source, const weft_compile_options *options, assembled *out) {
    static const weft_compile_options none = {0};
    *out = (assembled){0};
    if (!options) options = &none;
    text defines = {0}, normalised = {0};
    assembly a = {.options = options, .map = &out->map};
    char *own = NULL;

    weft_status status = defines_write(options, &defines, out);
    if (status) goto cleanup;
    status = WEFT_ERROR_OUT_OF_HOST_MEMORY;
    append_normalised(&normalised, source, strlen(source));
    own = text_take(&normalised);
    if (!own) goto cleanup;
    assemble(&a, &defines, own);
    out->length = a.out.length;
    out->text = text_take(&a.out);
    if (out->text) status = WEFT_OK;
cleanup:
    while (a.files) {
        source_file *file = a.files;
        a.files = file->next;
        free(file->text);
        free(file);
    }
    free(a.macros);
    free(a.regions);
    free(own);
    text_free(&normalised);
    text_free(&a.out);
    text_free(&defines);
    return status;
}

void assembled_free(assembled *a) {
    for (size_t i = 0; i < a->map.name_count; i++) free(a->map.names[i]);
    free(a->map.names);
    free(a->map.segments);
    free(a->text);
    *a = (assembled){0};
}

/* The length of what a compiler may call the text at this place of its log, the colon included. */
static size_t physical_name_length(const char *at) {
    static const char *const names[] = {"input.cl:", "<kernel>:"}; /* Oclgrind, NVIDIA */
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strncmp(at, names[i], strlen(names[i])) == 0) return strlen(names[i]);
    }
    return 0;
}

char *assemble_map_log(const assembled *a, const char *log) {
    text mapped = {0};
    const char *copied = log;
    for (const char *at = log; *at; at++) {
        size_t length = physical_name_length(at);
        if (length == 0 || at[length] < '1' || at[length] > '9') continue;
        if (at > log && (directive_is_word_part(at[-1]) || strchr("./-", at[-1]))) continue; /* a longer name's end */

        char *end;
        unsigned long line = strtoul(at + length, &end, 10);
        const line_segment *segment = a->map.segments;
        while (segment + 1 < a->map.segments + a->map.count && segment[1].first <= line) segment++;
        text_append(&mapped, copied, (size_t)(at - copied));
        text_printf(&mapped, "%s:%zu", segment->file, segment->line + (line - segment->first));
        copied = end;
        at = end - 1;
    }
    text_puts(&mapped, copied);
    return text_take(&mapped);
}
