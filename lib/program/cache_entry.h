/* An entry of the disk cache as bytes: a build without its driver object. Knows neither drivers nor files. */
#ifndef PROGRAM_CACHE_ENTRY_H
#define PROGRAM_CACHE_ENTRY_H

#include "base/text.h"
#include "program/kernel.h"

/* Raised when the bytes, or what weft makes of a source, change. */
enum { CACHE_FORMAT = 3 };

/* What is inside. Strings and the binary are borrowed from whoever filled it; kernels are its own after a read. */
typedef struct cache_entry {
    const char *identity; /* all that a build depends on besides its text, in lines; the device's name is the first */
    const char *log;
    const void *binary;
    size_t binary_bytes;
    kernel *kernels; /* names, padding and parameters */
    size_t n_kernels;
    bool no_memory; /* that is why a read failed */
} cache_entry;

/* Appends the entry to an empty text. */
void cache_entry_write(const cache_entry *entry, text *out);

/* Reads bytes that must last as long as *out, which cache_entry_free ends. False, and *out empty, when they are not
 * what cache_entry_write made: another format, cut, changed, or followed by more; also without memory,
 * which out->no_memory then says. */
bool cache_entry_read(const char *bytes, size_t size, cache_entry *out);

void cache_entry_free(cache_entry *entry);

/* Whether the bytes begin as an entry does. */
bool cache_entry_begins(const void *bytes, size_t size);

#endif
