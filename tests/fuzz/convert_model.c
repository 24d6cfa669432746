/* Conversions of fills, by arithmetic on the formats' definitions rather than on their bits. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "verdict.h"

/* A binary format: precision counts the leading one. */
typedef struct format {
    int precision, least_exponent, most_exponent, bytes;
} format;

static const format formats[] = {
    [WEFT_FLOAT16] = {11, -14, 15, 2},
    [WEFT_BFLOAT16] = {8, -126, 127, 2},
    [WEFT_FLOAT32] = {24, -126, 127, 4},
    [WEFT_FLOAT64] = {53, -1022, 1023, 8},
};

static bool is_integer_dtype(weft_dtype dtype) {
    return dtype <= WEFT_UINT64;
}

/* value rounded to the nearest of the format's numbers, ties to even; infinite when beyond the largest. The scaling by
 * powers of two is exact, also where the result is subnormal. */
static long double nearest(long double value, const format *format) {
    if (value == 0 || !isfinite(value)) {
        return value;
    }
    int exponent = ilogbl(value);
    exponent = exponent < format->least_exponent ? format->least_exponent : exponent;
    int step = exponent - format->precision + 1;
    long double rounded = ldexpl(rintl(ldexpl(value, -step)), step);
    return fabsl(rounded) >= ldexpl(1, format->most_exponent + 1) ? copysignl(INFINITY, value) : rounded;
}

/* The bits of a number that the format holds. */
static void encode(long double value, const format *format, uint8_t *out) {
    int fraction_bits = format->precision - 1;
    uint64_t biased = 0, fraction = 0;
    if (isinf(value)) {
        biased = (uint64_t)(format->most_exponent + format->most_exponent + 1);
    } else if (value != 0) {
        int exponent = ilogbl(value);
        bool normal = exponent >= format->least_exponent;
        int step = (normal ? exponent : format->least_exponent) - fraction_bits;
        fraction = (uint64_t)ldexpl(fabsl(value), -step);
        biased = normal ? (uint64_t)(exponent + format->most_exponent) : 0;
        fraction &= (UINT64_C(1) << fraction_bits) - 1;
    }
    uint64_t sign = signbit(value) ? UINT64_C(1) << (format->bytes * 8 - 1) : 0;
    uint64_t bits = sign | biased << fraction_bits | fraction;
    memcpy(out, &bits, (size_t)format->bytes);
}

static faults to_integer(long double value, weft_dtype dtype, uint8_t *out) {
    int bits = (int)weft_dtype_size(dtype) * 8;
    bool is_signed = dtype == WEFT_INT8 || dtype == WEFT_INT16 || dtype == WEFT_INT32 || dtype == WEFT_INT64;
    long double least = is_signed ? -ldexpl(1, bits - 1) : 0, above = ldexpl(1, is_signed ? bits - 1 : bits);
    if (isnan(value)) {
        return RANGE;
    }
    faults found = FAULT_IF(truncl(value) < least || truncl(value) >= above, WEFT_ERROR_OUT_OF_RANGE) |
                   FAULT_IF(value != truncl(value), WEFT_ERROR_TYPE_MISMATCH);
    if (!found) {
        uint64_t whole = value < 0 ? (uint64_t)(int64_t)value : (uint64_t)value;
        memcpy(out, &whole, weft_dtype_size(dtype));
    }
    return found;
}

faults convert_by_model(weft_scalar value, weft_dtype dtype, uint8_t out[8], bool *any_nan) {
    long double number;
    bool integer = false;
    *any_nan = false;
    switch (value.kind) {
        case WEFT_SCALAR_SIGNED:
            number = value.value.i, integer = true; /* a long double holds every 64-bit integer */
            break;
        case WEFT_SCALAR_UNSIGNED:
            number = value.value.u, integer = true;
            break;
        case WEFT_SCALAR_FLOAT:
            number = value.value.f;
            break;
        case WEFT_SCALAR_DOUBLE:
            number = value.value.d;
            break;
        default:
            return TYPE;
    }
    if (is_integer_dtype(dtype)) {
        return to_integer(number, dtype, out);
    }
    weft_scalar_kind own = dtype == WEFT_FLOAT32   ? WEFT_SCALAR_FLOAT
                           : dtype == WEFT_FLOAT64 ? WEFT_SCALAR_DOUBLE
                                                   : WEFT_SCALAR_NONE;
    if (value.kind == own) {
        memcpy(out, &value.value, weft_dtype_size(dtype));
        return 0;
    }
    *any_nan = isnan(number);
    long double rounded = nearest(number, &formats[dtype]);
    faults found = FAULT_IF(isfinite(number) && isinf(rounded), WEFT_ERROR_OUT_OF_RANGE) |
                   FAULT_IF(integer && rounded != number, WEFT_ERROR_TYPE_MISMATCH);
    if (!found && !*any_nan) {
        encode(rounded, &formats[dtype], out);
    }
    return found;
}

_Static_assert(LDBL_MANT_DIG >= 64, "the model counts in 64-bit integers exactly");
