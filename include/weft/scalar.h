/* weft/scalar.h: a C number with its type, as fills and launches take it. */
#ifndef WEFT_SCALAR_H
#define WEFT_SCALAR_H

#include <weft/status.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum weft_scalar_kind {
    WEFT_SCALAR_NONE,
    WEFT_SCALAR_SIGNED,   /* value.i; size_bytes 1, 2, 4 or 8 */
    WEFT_SCALAR_UNSIGNED, /* value.u; size_bytes 1, 2, 4 or 8 */
    WEFT_SCALAR_FLOAT,    /* value.f; size_bytes 4 */
    WEFT_SCALAR_DOUBLE    /* value.d; size_bytes 8 */
} weft_scalar_kind;

/* value is widened to 64 bits; size_bytes is the size of the C type it came from. */
typedef struct weft_scalar {
    weft_scalar_kind kind;
    uint32_t size_bytes;
    union {
        int64_t i;
        uint64_t u;
        float f;
        double d;
    } value;
} weft_scalar;

/* Builders, one per kind. In C and C++ use WEFT_SCALAR(x), which accepts every integer type, float and double,
 * and nothing else. Callers without macros fill the struct. */
static inline weft_scalar weft_scalar_from_signed(int64_t value, size_t size_bytes) {
    weft_scalar scalar = {WEFT_SCALAR_SIGNED, (uint32_t)size_bytes, {value}};
    return scalar;
}
static inline weft_scalar weft_scalar_from_unsigned(uint64_t value, size_t size_bytes) {
    weft_scalar scalar = {WEFT_SCALAR_UNSIGNED, (uint32_t)size_bytes, {0}};
    scalar.value.u = value;
    return scalar;
}
static inline weft_scalar weft_scalar_from_float(float value) {
    weft_scalar scalar = {WEFT_SCALAR_FLOAT, 4, {0}};
    scalar.value.f = value;
    return scalar;
}
static inline weft_scalar weft_scalar_from_double(double value) {
    weft_scalar scalar = {WEFT_SCALAR_DOUBLE, 8, {0}};
    scalar.value.d = value;
    return scalar;
}

/* One builder per C type, overloaded in C++ and picked by _Generic in C. char has no sign of its own in C:
 * it is taken as the 8-bit integer it is on this machine. */
#ifdef __cplusplus
}
#define WEFT_SCALAR_BUILDER(suffix, type) static inline weft_scalar weft_scalar_of(type v)
#else
#define WEFT_SCALAR_BUILDER(suffix, type) static inline weft_scalar weft_scalar_of_##suffix(type v)
#endif
WEFT_SCALAR_BUILDER(bool, bool) { return weft_scalar_from_unsigned(v ? 1u : 0u, 1); }
WEFT_SCALAR_BUILDER(char, char) {
    return (char)-1 < 0 ? weft_scalar_from_signed(v, 1) : weft_scalar_from_unsigned((unsigned char)v, 1);
}
WEFT_SCALAR_BUILDER(schar, signed char) { return weft_scalar_from_signed(v, 1); }
WEFT_SCALAR_BUILDER(uchar, unsigned char) { return weft_scalar_from_unsigned(v, 1); }
WEFT_SCALAR_BUILDER(short, short) { return weft_scalar_from_signed(v, sizeof v); }
WEFT_SCALAR_BUILDER(ushort, unsigned short) { return weft_scalar_from_unsigned(v, sizeof v); }
WEFT_SCALAR_BUILDER(int, int) { return weft_scalar_from_signed(v, sizeof v); }
WEFT_SCALAR_BUILDER(uint, unsigned) { return weft_scalar_from_unsigned(v, sizeof v); }
WEFT_SCALAR_BUILDER(long, long) { return weft_scalar_from_signed(v, sizeof v); }
WEFT_SCALAR_BUILDER(ulong, unsigned long) { return weft_scalar_from_unsigned(v, sizeof v); }
WEFT_SCALAR_BUILDER(llong, long long) { return weft_scalar_from_signed(v, sizeof v); }
WEFT_SCALAR_BUILDER(ullong, unsigned long long) { return weft_scalar_from_unsigned(v, sizeof v); }
WEFT_SCALAR_BUILDER(float, float) { return weft_scalar_from_float(v); }
WEFT_SCALAR_BUILDER(double, double) { return weft_scalar_from_double(v); }
WEFT_SCALAR_BUILDER(scalar, weft_scalar) { return v; }
#undef WEFT_SCALAR_BUILDER

#ifdef __cplusplus
extern "C++" {
template <typename T> weft_scalar weft_scalar_of(T *) = delete; /* a pointer would otherwise convert to bool */
}
#define WEFT_SCALAR(x) weft_scalar_of(x)
#else
#define WEFT_SCALAR(x)                           \
    _Generic((x),                                \
        bool: weft_scalar_of_bool,               \
        char: weft_scalar_of_char,               \
        signed char: weft_scalar_of_schar,       \
        unsigned char: weft_scalar_of_uchar,     \
        short: weft_scalar_of_short,             \
        unsigned short: weft_scalar_of_ushort,   \
        int: weft_scalar_of_int,                 \
        unsigned: weft_scalar_of_uint,           \
        long: weft_scalar_of_long,               \
        unsigned long: weft_scalar_of_ulong,     \
        long long: weft_scalar_of_llong,         \
        unsigned long long: weft_scalar_of_ullong, \
        float: weft_scalar_of_float,             \
        double: weft_scalar_of_double,           \
        weft_scalar: weft_scalar_of_scalar)(x)

/* The cases of a _Generic over every integer type. */
#define WEFT_INTEGER_CASES(if_signed, if_unsigned)                                            \
    bool: if_unsigned, char: if_signed, signed char: if_signed, unsigned char: if_unsigned,   \
    short: if_signed, unsigned short: if_unsigned, int: if_signed, unsigned: if_unsigned,     \
    long: if_signed, unsigned long: if_unsigned, long long: if_signed, unsigned long long: if_unsigned
#endif

#endif
