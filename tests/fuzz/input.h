/* A fuzzer's input as a source of decisions; when it has run out, every decision is 0. */
#ifndef FUZZ_INPUT_H
#define FUZZ_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct input {
    const uint8_t *at, *end;
} input;

static inline uint8_t take_byte(input *in) {
    return in->at < in->end ? *in->at++ : 0;
}

/* One of 0 .. below - 1; below is at most 256. */
static inline unsigned take(input *in, unsigned below) {
    return take_byte(in) % below;
}

/* True once in `of` times, and never once the input has run out. */
static inline bool take_rarely(input *in, unsigned of) {
    return take(in, of) == of - 1;
}

static inline uint64_t take_bits(input *in, unsigned bytes) {
    uint64_t bits = 0;
    for (unsigned i = 0; i < bytes; i++) {
        bits = bits << 8 | take_byte(in);
    }
    return bits;
}

/* A number at or near an edge of the integer types, as sizes and values go wrong there. */
static inline uint64_t take_edge(input *in) {
    uint64_t edge = UINT64_C(1) << take(in, 64);
    return edge + take(in, 5) - 2;
}

#endif
