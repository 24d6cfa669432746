#include "tool_memory.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *there(void *memory) {
    if (!memory) {
        fputs("weft: out of memory\n", stderr);
        exit(EXIT_FAILURE);
    }
    return memory;
}

void *memory_new(size_t size_bytes) {
    return there(calloc(1, size_bytes ? size_bytes : 1));
}

void *memory_grow(void *items, size_t count, size_t item_bytes) {
    if (count > 0 && (count & (count - 1)) != 0) {
        return items; /* it can only be full at a power of two */
    }
    return there(realloc(items, (count > 0 ? count * 2 : 1) * item_bytes));
}

char *memory_copy(const char *text, size_t length) {
    return there(strndup(text, length));
}

void memory_append(memory_text *text, const char *bytes, size_t length) {
    text->data = there(realloc(text->data, text->length + length + 1));
    memcpy(text->data + text->length, bytes, length);
    text->length += length;
    text->data[text->length] = '\0';
}

void memory_printf(memory_text *text, const char *format, ...) {
    va_list arguments;
    char *made = NULL;
    va_start(arguments, format);
    int length = vasprintf(&made, format, arguments);
    va_end(arguments);
    memory_append(text, there(length < 0 ? NULL : made), (size_t)(length < 0 ? 0 : length));
    free(made);
}

char *memory_take(memory_text *text) {
    char *data = text->data ? text->data : memory_new(1);
    *text = (memory_text){0};
    return data;
}
