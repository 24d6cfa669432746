/* The folder of the disk cache: which one it is, and files in it that appear whole or not at all.
 *
 * Nothing here records an error: without a folder, or with one that fails, there is no cache, and builds go on.
 */
#ifndef PROGRAM_CACHE_FOLDER_H
#define PROGRAM_CACHE_FOLDER_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

/* Opens it: $WEFT_CACHE_DIR, else weft in $XDG_CACHE_HOME or in ~/.cache, made with mode 0700 when it is not there.
 * path (PATH_MAX bytes, may be NULL) gets its name, "" when there is none. Returns a descriptor for the caller to close;
 * -1 when WEFT_CACHE is 0, when no folder is named, when it cannot be used, and when it belongs to somebody else or others
 * may write to it: *why then says which. */
int cache_folder_open(char *path, const char **why);

/* Appends the file's bytes; false when it is no regular file of this user's or cannot be read. */
bool cache_folder_peek(int folder, const char *name, text *out);

/* The same, and notes that it was used now. */
bool cache_folder_read(int folder, const char *name, text *out);

/* Puts a file in the place of whatever has that name; false when that does not work, and nothing has changed then. Lets go
 * of the files used longest ago when all together are beyond the limit. */
bool cache_folder_write(int folder, const char *name, const char *bytes, size_t size);

/* Of all entries together, in bytes. */
uint64_t cache_folder_limit(void);

typedef struct cache_file {
    char name[64];
    uint64_t size_bytes;
    int64_t used_ns; /* since 1970 */
} cache_file;

/* The entries, those used longest ago first; *out is the caller's to free. False, and errno, without memory (ENOMEM) or when
 * the folder cannot be read. */
bool cache_folder_list(int folder, cache_file **out, size_t *count);

/* "0123...ef.weft", of 32 hexadecimal digits. */
enum { CACHE_NAME_BYTES = 32 + 5 + 1 };
void cache_file_name(uint64_t high, uint64_t low, char out[CACHE_NAME_BYTES]);

#endif
