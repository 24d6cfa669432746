/* weft/cache.h: the disk cache of compiled programs, for tools that look at it. Programs need none of this.
 *
 * What a compile call makes is kept, for the next process that compiles the same text with the same options for the same
 * device, driver and version of weft. An entry whose bytes are not as they were written never reaches a driver: the
 * program is then compiled from its source, in silence. Environment:
 *   WEFT_CACHE=0       no cache
 *   WEFT_CACHE_DIR     the folder; else weft in $XDG_CACHE_HOME, else in ~/.cache. It must be the user's own, and nobody
 *                      else's to write to
 *   WEFT_CACHE_LIMIT   bytes of all entries together, 512 MiB without it; beyond it those used longest ago go
 *
 * Nothing here calls a driver. Several processes may do all of it at the same time.
 */
#ifndef WEFT_CACHE_H
#define WEFT_CACHE_H

#include <weft/status.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct weft_cache_info {
    char folder[4096];     /* "" when the environment names none */
    const char *why_not;   /* NULL, or why there is no cache now; lives as long as the process */
    size_t count;          /* of entries */
    uint64_t size_bytes;   /* of all together */
    uint64_t limit_bytes;
} weft_cache_info;

/* What is kept where. Immediate; reads the folder, and makes it when it is not there.
 * Errors: INVALID_ARGUMENT (NULL); IO (the folder cannot be read); OUT_OF_HOST_MEMORY. */
WEFT_API WEFT_NODISCARD weft_status weft_cache_get_info(weft_cache_info *out);

/* One entry. Strings are borrowed for the duration of the visit. */
typedef struct weft_cache_entry {
    const char *name;    /* of the file */
    uint64_t size_bytes;
    int64_t used_ns;     /* last use, since 1970 */
    bool whole;          /* as it was written; otherwise what follows is "", and the next compile replaces it */
    const char *device;  /* "NVIDIA H200" */
    const char *kernels; /* "add, scale" */
} weft_cache_entry;

/* Returns whether to go on. */
typedef bool (*weft_cache_visitor)(const weft_cache_entry *entry, void *user);

/* Calls visit for each entry, those used longest ago first. Reads every file. Without a cache there is nothing to visit.
 * Errors: INVALID_ARGUMENT (NULL); IO (the folder cannot be read); OUT_OF_HOST_MEMORY. */
WEFT_API WEFT_NODISCARD weft_status weft_cache_visit(weft_cache_visitor visit, void *user);

/* Removes every entry, and nothing else from the folder; *out_removed, which may be NULL, gets their number.
 * Errors: IO (an entry cannot be removed, or the folder cannot be read); OUT_OF_HOST_MEMORY. */
WEFT_API WEFT_NODISCARD weft_status weft_cache_clear(size_t *out_removed);

#ifdef __cplusplus
}
#endif

#endif
