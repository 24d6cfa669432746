/* Arithmetic on sizes that says when it overflows. */
#ifndef BASE_ARITH_H
#define BASE_ARITH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

static inline bool size_multiply(size_t a, size_t b, size_t *out) {
    return !__builtin_mul_overflow(a, b, out);
}

/* Whether [offset, offset + length) lies within [0, whole). */
static inline bool size_in_range(size_t offset, size_t length, size_t whole) {
    return offset <= whole && length <= whole - offset;
}

/* Whether [a, a + a_length) and [b, b + b_length) share a byte. */
static inline bool size_overlap(size_t a, size_t a_length, size_t b, size_t b_length) {
    return a < b + b_length && b < a + a_length && a_length && b_length;
}

static inline size_t size_min(size_t a, size_t b) {
    return a < b ? a : b;
}

static inline size_t size_max(size_t a, size_t b) {
    return a > b ? a : b;
}

#endif
