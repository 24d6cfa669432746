/* Memory for subcommands that build things up: without it they end, and say so. */
#ifndef TOOL_MEMORY_H
#define TOOL_MEMORY_H

#include <stddef.h>

void *memory_new(size_t size_bytes); /* zeroed */

/* The array of count items with room for one more. */
void *memory_grow(void *items, size_t count, size_t item_bytes);

/* length bytes of text, NUL-terminated. */
char *memory_copy(const char *text, size_t length);

/* A text that grows. All zero is the empty one. */
typedef struct memory_text {
    char *data;
    size_t length;
} memory_text;

void memory_append(memory_text *text, const char *bytes, size_t length);
__attribute__((format(printf, 2, 3))) void memory_printf(memory_text *text, const char *format, ...);

/* Hands the text over, NUL-terminated, for the caller to free; text is then empty. */
char *memory_take(memory_text *text);

#endif
