#include "source.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Options --------------------------------------------------------------------------------------- */

bool source_options_new(source_options *options, int argc) {
    *options = (source_options){0};
    options->defines = calloc((size_t)argc + 1, sizeof *options->defines);
    options->include_dirs = calloc((size_t)argc + 1, sizeof *options->include_dirs);
    return options->defines && options->include_dirs;
}

void source_options_free(source_options *options) {
    free(options->defines);
    free(options->include_dirs);
}

bool source_options_take(source_options *options, int option, const char *value) {
    switch (option) {
        case 'I':
            options->include_dirs[options->n_include_dirs++] = value;
            return true;
        case 'D':
            options->defines[options->n_defines++] = value;
            return true;
        case 'S':
            options->cl_std = value;
            return true;
        default:
            return false;
    }
}

/* ---- Files ----------------------------------------------------------------------------------------- */

/* The stream's bytes, NUL-terminated, for the caller to free; NULL with errno set. */
static char *read_all(FILE *stream, size_t *length) {
    size_t capacity = 4096;
    char *bytes = malloc(capacity);
    *length = 0;
    while (bytes) {
        *length += fread(bytes + *length, 1, capacity - *length, stream);
        if (ferror(stream)) {
            int error = errno;
            free(bytes);
            errno = error;
            return NULL;
        }
        if (*length < capacity) {
            bytes[*length] = '\0';
            return bytes;
        }
        capacity *= 2;
        char *grown = realloc(bytes, capacity);
        if (!grown) {
            free(bytes);
        }
        bytes = grown;
    }
    errno = ENOMEM;
    return NULL;
}

static bool read_text(source *source, const char *who, const char *path) {
    size_t length = 0;
    FILE *stream = fopen(path, "r");
    source->text = stream ? read_all(stream, &length) : NULL;
    if (!source->text) {
        fprintf(stderr, "%s: %s: %s\n", who, path, strerror(errno));
    }
    if (stream) {
        fclose(stream);
    }
    bool is_text = source->text && strlen(source->text) == length;
    if (source->text && !is_text) {
        fprintf(stderr, "%s: %s: not a text, it has NUL bytes\n", who, path);
    }
    return is_text;
}

bool source_open(source *source, const char *who, const char *path, const source_options *options) {
    *source = (struct source){0};
    if (!read_text(source, who, path)) {
        return false;
    }
    size_t size = strlen(path) + sizeof "./";
    source->name = malloc(size);
    if (!source->name) {
        fprintf(stderr, "%s: %s: %s\n", who, path, strerror(errno));
        return false;
    }
    snprintf(source->name, size, "%s%s", strchr(path, '/') ? "" : "./", path);
    source->options = (weft_compile_options){.source_name = source->name,
                                             .defines = options->defines,
                                             .n_defines = options->n_defines,
                                             .include_dirs = options->include_dirs,
                                             .n_include_dirs = options->n_include_dirs,
                                             .cl_std = options->cl_std};
    return true;
}

void source_close(source *source) {
    free(source->text);
    free(source->name);
}

const char *source_shown_name(const char *name) {
    return strncmp(name, "./", 2) ? name : name + 2;
}
