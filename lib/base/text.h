/* base/text: a byte string that grows.
 *
 * Errors stick: once an append has failed, further ones do nothing and text_take gives NULL, so a caller
 * builds a whole text and checks once.
 */
#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>

/* All zero is the empty text. data is not NUL-terminated. */
typedef struct text {
    char *data;
    size_t length, capacity;
    bool failed;
} text;

void text_append(text *t, const char *bytes, size_t size);
void text_puts(text *t, const char *string);
__attribute__((format(printf, 2, 3))) void text_printf(text *t, const char *format, ...);

/* Hands the bytes over, NUL-terminated, for the caller to free; NULL when memory ran out on the way. The
 * text is empty afterwards, also on failure. */
char *text_take(text *t);

void text_free(text *t);

#endif
