#include "base/convert.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"

static bool is_integer(weft_scalar scalar) {
    return scalar.kind == WEFT_SCALAR_SIGNED || scalar.kind == WEFT_SCALAR_UNSIGNED;
}

static bool is_negative(weft_scalar scalar) {
    return scalar.kind == WEFT_SCALAR_SIGNED && scalar.value.i < 0;
}

conversion convert_to_integer(weft_scalar scalar, bool to_signed, size_t size_bytes, void *out) {
    unsigned bits = (unsigned)size_bytes * 8;
    bool fits;
    if (is_negative(scalar)) {
        fits = to_signed && scalar.value.i >= INT64_MIN >> (64 - bits);
    } else {
        fits = scalar.value.u <= UINT64_MAX >> (64 - bits + (to_signed ? 1 : 0));
    }
    if (fits) {
        memcpy(out, &scalar.value.u, sizeof scalar.value.u); /* little-endian: the low bytes are the value */
    }
    return fits ? CONVERSION_OK : CONVERSION_OUT_OF_RANGE;
}

static conversion float_to_integer(double value, bool to_signed, size_t size_bytes, void *out) {
    int bits = (int)size_bytes * 8;
    double above = ldexp(1.0, to_signed ? bits - 1 : bits), least = to_signed ? -ldexp(1.0, bits - 1) : 0.0;
    double whole = trunc(value);
    if (!(whole >= least && whole < above)) { /* NaN too */
        return CONVERSION_OUT_OF_RANGE;
    }
    if (value != whole) {
        return CONVERSION_INEXACT;
    }
    uint64_t bytes = whole < 0 ? (uint64_t)(int64_t)whole : (uint64_t)whole;
    memcpy(out, &bytes, size_bytes);
    return CONVERSION_OK;
}

static double as_double(weft_dtype dtype, const unsigned char *bytes) {
    uint16_t half;
    float single;
    double whole;
    switch (dtype) {
        case WEFT_FLOAT16:
            memcpy(&half, bytes, 2);
            return (double)number_from_half(half);
        case WEFT_BFLOAT16:
            memcpy(&half, bytes, 2);
            return (double)number_from_bfloat16(half);
        case WEFT_FLOAT32:
            memcpy(&single, bytes, 4);
            return (double)single;
        default:
            memcpy(&whole, bytes, 8);
            return whole;
    }
}

/* Rounds value into a floating dtype; a finite value that would become infinite is out of range. */
static conversion round_to_dtype(double value, weft_dtype dtype, unsigned char out[8]) {
    if (dtype == WEFT_FLOAT16 || dtype == WEFT_BFLOAT16) {
        uint16_t half = dtype == WEFT_FLOAT16 ? number_to_half(value) : number_to_bfloat16(value);
        memcpy(out, &half, 2);
    } else if (dtype == WEFT_FLOAT32) {
        float single = (float)value;
        memcpy(out, &single, 4);
    } else {
        memcpy(out, &value, 8);
    }
    return isfinite(value) && !isfinite(as_double(dtype, out)) ? CONVERSION_OUT_OF_RANGE : CONVERSION_OK;
}

/* Whether a floating element, itself an integer or not, equals the 64-bit integer. */
static bool equals_integer(double value, weft_scalar scalar) {
    uint64_t back;
    bool negative = is_negative(scalar);
    return float_to_integer(value, negative, 8, &back) == CONVERSION_OK && back == scalar.value.u;
}

static conversion integer_to_float(weft_scalar scalar, weft_dtype dtype, unsigned char out[8]) {
    double value = scalar.kind == WEFT_SCALAR_SIGNED ? (double)scalar.value.i : (double)scalar.value.u;
    conversion rounded = round_to_dtype(value, dtype, out);
    if (rounded) {
        return rounded;
    }
    return equals_integer(as_double(dtype, out), scalar) ? CONVERSION_OK : CONVERSION_INEXACT;
}

conversion convert_to_dtype(weft_scalar scalar, weft_dtype dtype, unsigned char out[8]) {
    bool floating = scalar.kind == WEFT_SCALAR_FLOAT || scalar.kind == WEFT_SCALAR_DOUBLE;
    bool to_float = dtype >= WEFT_FLOAT16;
    bool to_signed = dtype == WEFT_INT8 || dtype == WEFT_INT16 || dtype == WEFT_INT32 || dtype == WEFT_INT64;
    size_t size = weft_dtype_size(dtype);
    if (!floating && !is_integer(scalar)) {
        return CONVERSION_INVALID;
    }
    if (!floating) {
        return to_float ? integer_to_float(scalar, dtype, out) : convert_to_integer(scalar, to_signed, size, out);
    }
    if (scalar.kind == WEFT_SCALAR_FLOAT && dtype == WEFT_FLOAT32) {
        memcpy(out, &scalar.value.f, 4);
        return CONVERSION_OK;
    }
    double value = scalar.kind == WEFT_SCALAR_FLOAT ? (double)scalar.value.f : scalar.value.d;
    return to_float ? round_to_dtype(value, dtype, out) : float_to_integer(value, to_signed, size, out);
}

void convert_show(weft_scalar scalar, char out[40]) {
    switch (scalar.kind) {
        case WEFT_SCALAR_SIGNED:
            snprintf(out, 40, "%" PRId64, scalar.value.i);
            break;
        case WEFT_SCALAR_UNSIGNED:
            snprintf(out, 40, "%" PRIu64, scalar.value.u);
            break;
        case WEFT_SCALAR_FLOAT:
            number_write_float(out, scalar.value.f);
            break;
        case WEFT_SCALAR_DOUBLE:
            number_write_double(out, scalar.value.d);
            break;
        default:
            snprintf(out, 40, "of no known kind");
    }
}
