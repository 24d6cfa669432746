#include "base/text.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Makes room for size more bytes and a NUL after them. */
static bool reserve(text *t, size_t size) {
    if (t->failed) return false;
    if (size < t->capacity - t->length) return true;

    size_t capacity = t->capacity > SIZE_MAX / 2 ? SIZE_MAX : t->capacity * 2;
    size_t needed = size < SIZE_MAX - t->length ? t->length + size + 1 : SIZE_MAX;
    if (capacity < needed) capacity = needed;
    if (capacity < 64) capacity = 64;
    char *data = capacity < SIZE_MAX ? realloc(t->data, capacity) : NULL;
    if (!data) {
        t->failed = true;
        return false;
    }
    t->data = data;
    t->capacity = capacity;
    return true;
}

void text_append(text *t, const char *bytes, size_t size) {
    if (size == 0 || !reserve(t, size)) return;
    memcpy(t->data + t->length, bytes, size);
    t->length += size;
}

void text_puts(text *t, const char *string) { text_append(t, string, strlen(string)); }

void text_printf(text *t, const char *format, ...) {
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int size = vsnprintf(NULL, 0, format, args);
    if (size < 0) {
        t->failed = true;
    } else if (reserve(t, (size_t)size)) {
        vsnprintf(t->data + t->length, (size_t)size + 1, format, again);
        t->length += (size_t)size;
    }
    va_end(again);
    va_end(args);
}

char *text_take(text *t) {
    char *data = NULL;
    if (reserve(t, 0)) {
        data = t->data;
        data[t->length] = '\0';
        t->data = NULL;
    }
    text_free(t);
    return data;
}

void text_free(text *t) {
    free(t->data);
    *t = (text){0};
}
