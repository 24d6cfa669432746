/* Elements as the model prints them. */
#ifndef MEMORY_PRINT_H
#define MEMORY_PRINT_H

#include <weft/buffer.h>

/* From this length on only PRINT_EDGE elements at each end are shown. */
enum { PRINT_SHORT_FROM = 1000, PRINT_EDGE = 3 };

/* Writes NAME([...]) for length elements. head holds the first elements: all of them below PRINT_SHORT_FROM,
 * else PRINT_EDGE, and tail the last PRINT_EDGE. */
weft_status print_elements(const char *name, weft_dtype dtype, size_t length, const void *head, const void *tail,
                           weft_writer writer, void *user);

/* The writer of write_to; user is its FILE. */
weft_status print_to_stream(void *user, const char *text, size_t size_bytes);

#endif
