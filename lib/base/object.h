/* Zeroed memory for an object, with the error record set when there is none. */
#ifndef BASE_OBJECT_H
#define BASE_OBJECT_H

#include <stdlib.h>

#include "base/error.h"

static inline weft_status object_new(size_t size_bytes, void *out) {
    void *object = calloc(1, size_bytes);
    *(void **)out = object;
    return object ? WEFT_OK : error_host_memory(size_bytes);
}

#endif
