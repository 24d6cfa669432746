/* What the bytes of an allocation must be: one cell a byte, with a mark for those that nothing has written yet. */
#ifndef FUZZ_SHADOW_H
#define FUZZ_SHADOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "verdict.h"

typedef uint16_t cell;
enum { UNKNOWN = 0x100 };

static inline cell *shadow_new(size_t size) {
    cell *cells = malloc((size + !size) * sizeof *cells);
    CHECK(cells, "no memory for the model");
    for (size_t i = 0; i < size; i++) {
        cells[i] = UNKNOWN;
    }
    return cells;
}

static inline void shadow_forget(cell *cells, size_t size) {
    for (size_t i = 0; i < size; i++) {
        cells[i] = UNKNOWN;
    }
}

static inline void shadow_write(cell *cells, const void *bytes, size_t size) {
    for (size_t i = 0; i < size; i++) {
        cells[i] = ((const uint8_t *)bytes)[i];
    }
}

/* False when one of the bytes is unknown. */
static inline bool shadow_read(const cell *cells, void *bytes, size_t size) {
    for (size_t i = 0; i < size; i++) {
        if (cells[i] & UNKNOWN) {
            return false;
        }
        ((uint8_t *)bytes)[i] = (uint8_t)cells[i];
    }
    return true;
}

static inline void shadow_copy(cell *to, const cell *from, size_t size) {
    memmove(to, from, size * sizeof *to);
}

static inline void shadow_check(const cell *cells, const void *bytes, size_t size, const char *what) {
    for (size_t i = 0; i < size; i++) {
        uint8_t actual = ((const uint8_t *)bytes)[i];
        CHECK(cells[i] & UNKNOWN || cells[i] == actual, "%s: byte %zu of %zu is %u instead of %u", what, i, size, actual, cells[i]);
    }
}

#endif
