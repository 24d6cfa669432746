#include "base/number.h"

#include <float.h>
#include <stdbool.h>
#include <string.h>

/* ---- Shortest decimal digits ----------------------------------------------------------------------
 *
 * Steele and White's method in Burger and Dybvig's form, on exact integers. The value is rest / scale, the
 * numbers that read back as it reach from (rest - below) / scale to (rest + above) / scale, both ends
 * included when the significand is even. Digits are taken from the front until what is left is within that
 * interval, which gives the fewest; exact arithmetic keeps the uneven interval at powers of two right.
 */

/* 2^1074 and 10^324 both need less than 1100 bits; times a 54-bit significand and a digit that is 1160. */
enum { LIMBS = 40 };

typedef struct big {
    uint32_t limb[LIMBS]; /* least significant first; those from count on are zero */
    int count;
} big;

static void big_multiply(big *b, uint32_t factor) {
    uint64_t carry = 0;
    for (int i = 0; i < b->count; i++) {
        carry += (uint64_t)b->limb[i] * factor;
        b->limb[i] = (uint32_t)carry;
        carry >>= 32;
    }
    if (carry) b->limb[b->count++] = (uint32_t)carry;
}

static void big_multiply_power_of_ten(big *b, int power) {
    for (; power >= 9; power -= 9) big_multiply(b, 1000000000);
    for (; power > 0; power--) big_multiply(b, 10);
}

/* value * 2^shift */
static big big_make(uint64_t value, int shift) {
    big b = {{(uint32_t)value, (uint32_t)(value >> 32)}, 2};
    for (; shift >= 31; shift -= 31) big_multiply(&b, UINT32_C(1) << 31);
    big_multiply(&b, UINT32_C(1) << shift);
    while (b.count > 0 && b.limb[b.count - 1] == 0) b.count--;
    return b;
}

static int big_compare(const big *a, const big *b) {
    if (a->count != b->count) return a->count < b->count ? -1 : 1;
    for (int i = a->count - 1; i >= 0; i--) {
        if (a->limb[i] != b->limb[i]) return a->limb[i] < b->limb[i] ? -1 : 1;
    }
    return 0;
}

static big big_sum(const big *a, const big *b) {
    big sum = {{0}, a->count > b->count ? a->count : b->count};
    uint64_t carry = 0;
    for (int i = 0; i < sum.count; i++) {
        carry += (uint64_t)a->limb[i] + b->limb[i];
        sum.limb[i] = (uint32_t)carry;
        carry >>= 32;
    }
    if (carry) sum.limb[sum.count++] = (uint32_t)carry;
    return sum;
}

/* a - b, where a >= b */
static void big_subtract(big *a, const big *b) {
    uint32_t borrow = 0;
    for (int i = 0; i < a->count; i++) {
        uint64_t difference = (uint64_t)a->limb[i] - b->limb[i] - borrow;
        a->limb[i] = (uint32_t)difference;
        borrow = (uint32_t)(difference >> 63);
    }
    while (a->count > 0 && a->limb[a->count - 1] == 0) a->count--;
}

/* A finite positive number: significand * 2^exponent, and how its type continues below it. */
typedef struct binary {
    uint64_t significand;
    int exponent;
    bool narrow_below; /* the next number below is half as far as the one above */
} binary;

typedef struct decimal {
    char digits[20];
    int count;
    int exponent; /* of the first digit */
} decimal;

static decimal shortest(binary value) {
    /* Everything is doubled so that the halves of the gaps are whole, and once more where the gap below is
     * half the one above. */
    int doubled = value.narrow_below ? 2 : 1;
    int up = value.exponent > 0 ? value.exponent : 0, down = up - value.exponent;
    big rest = big_make(value.significand, up + doubled);
    big scale = big_make(1, down + doubled);
    big above = big_make(1, up + doubled - 1);
    big below = big_make(1, up);

    /* 1233 / 4096 is just below log10(2): never too high by the time it is rounded down, at most a few too low. */
    int magnitude = value.exponent;
    for (uint64_t bits = value.significand; bits > 1; bits >>= 1) magnitude++;
    int exponent = magnitude >= 0 ? magnitude * 1233 / 4096 : -((-magnitude * 1234 + 4095) / 4096);
    if (exponent > 0) {
        big_multiply_power_of_ten(&scale, exponent);
    } else {
        big_multiply_power_of_ten(&rest, -exponent);
        big_multiply_power_of_ten(&above, -exponent);
        big_multiply_power_of_ten(&below, -exponent);
    }

    bool even = value.significand % 2 == 0;
    decimal result = {{0}, 0, exponent};
    for (;;) {
        big next = scale, high = big_sum(&rest, &above);
        big_multiply(&next, 10);
        int order = big_compare(&high, &next);
        if (order < 0 || (order == 0 && !even)) break;
        scale = next;
        result.exponent++;
    }
    for (;;) {
        char digit = '0';
        for (; big_compare(&rest, &scale) >= 0; digit++) big_subtract(&rest, &scale);
        big high = big_sum(&rest, &above);
        int to_low = big_compare(&rest, &below), to_high = big_compare(&high, &scale);
        bool low = to_low < 0 || (to_low == 0 && even), fits_up = to_high > 0 || (to_high == 0 && even);
        if (low || fits_up) {
            big twice = big_sum(&rest, &rest);
            int half = big_compare(&twice, &scale);
            bool nearer_up = half > 0 || (half == 0 && digit % 2 == 1);
            result.digits[result.count++] = (char)(digit + (fits_up && (!low || nearer_up)));
            return result;
        }
        result.digits[result.count++] = digit;
        big_multiply(&rest, 10);
        big_multiply(&above, 10);
        big_multiply(&below, 10);
    }
}

/* ---- Layout --------------------------------------------------------------------------------------- */

static size_t write_words(char out[32], bool negative, const char *words) {
    size_t length = strlen(words);
    if (negative) *out++ = '-';
    memcpy(out, words, length + 1);
    return length + negative;
}

static size_t write_decimal(char out[32], bool negative, const decimal *d) {
    char *at = out;
    if (negative) *at++ = '-';
    if (d->exponent < -4 || d->exponent > 15) {
        *at++ = d->digits[0];
        if (d->count > 1) {
            *at++ = '.';
            memcpy(at, d->digits + 1, (size_t)d->count - 1);
            at += d->count - 1;
        }
        int exponent = d->exponent < 0 ? -d->exponent : d->exponent;
        *at++ = 'e';
        *at++ = d->exponent < 0 ? '-' : '+';
        if (exponent >= 100) *at++ = (char)('0' + exponent / 100);
        *at++ = (char)('0' + exponent / 10 % 10);
        *at++ = (char)('0' + exponent % 10);
    } else {
        /* Places run from the first digit, or the unit if that is higher, to the last, or the first decimal. */
        int last = d->exponent - d->count + 1;
        for (int place = d->exponent > 0 ? d->exponent : 0; place >= last || place >= -1; place--) {
            int index = d->exponent - place;
            if (place == -1) *at++ = '.';
            *at++ = index >= 0 && index < d->count ? d->digits[index] : '0';
        }
    }
    *at = '\0';
    return (size_t)(at - out);
}

/* fraction_bits and minimum (the exponent of the last bit of a subnormal) describe the type. */
static size_t write_number(char out[32], bool negative, uint64_t biased, uint64_t fraction, int fraction_bits,
                           int minimum, uint64_t biased_limit) {
    if (biased == biased_limit) return fraction ? write_words(out, false, "nan") : write_words(out, negative, "inf");
    if (biased == 0 && fraction == 0) return write_words(out, negative, "0.0");

    binary value = {fraction, minimum, false};
    if (biased > 0) {
        value.significand |= UINT64_C(1) << fraction_bits;
        value.exponent += (int)biased - 1;
        value.narrow_below = fraction == 0 && biased > 1;
    }
    decimal d = shortest(value);
    return write_decimal(out, negative, &d);
}

size_t number_write_double(char out[32], double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return write_number(out, bits >> 63, bits >> 52 & 0x7FF, bits & 0xFFFFFFFFFFFFF, 52, -1074, 0x7FF);
}

size_t number_write_float(char out[32], float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return write_number(out, bits >> 31, bits >> 23 & 0xFF, bits & 0x7FFFFF, 23, -149, 0xFF);
}

/* ---- The 16-bit formats --------------------------------------------------------------------------- */

static float float_from_bits(uint32_t bits) {
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

float number_from_half(uint16_t bits) {
    uint32_t sign = (bits & 0x8000u) << 16, exponent = bits >> 10 & 0x1Fu, fraction = bits & 0x3FFu;
    if (exponent == 0) return (sign ? -0x1p-24f : 0x1p-24f) * (float)fraction;
    uint32_t widened = exponent == 0x1F ? 0xFF : exponent + 127 - 15;
    return float_from_bits(sign | widened << 23 | fraction << 13);
}

float number_from_bfloat16(uint16_t bits) { return float_from_bits((uint32_t)bits << 16); }

/* Both formats are sign, exponent, fraction, as double is; bias is 2^(exponent bits - 1) - 1. */
static uint16_t narrow(double value, int fraction_bits, int bias) {
    uint64_t bits, infinity = (uint64_t)(2 * bias + 1) << fraction_bits;
    memcpy(&bits, &value, sizeof bits);
    uint64_t sign = bits >> 63 << 15, fraction = bits & 0xFFFFFFFFFFFFF;
    int exponent = (int)(bits >> 52 & 0x7FF) - 1023;
    if (exponent == 1024 && fraction) {
        uint64_t quiet = UINT64_C(1) << (fraction_bits - 1); /* a payload of low bits only must not become infinity */
        return (uint16_t)(sign | infinity | quiet | fraction >> (52 - fraction_bits));
    }

    /* What lies below the smallest normal exponent loses that many more bits. From 54 on nothing is left, and
     * double's own subnormals are among these. */
    int over = exponent - (1 - bias);
    int shift = 52 - fraction_bits + (over < 0 ? -over : 0);
    if (shift > 54) shift = 54;
    uint64_t significand = UINT64_C(1) << 52 | fraction;
    uint64_t kept = significand >> shift, lost = significand & ((UINT64_C(1) << shift) - 1);
    uint64_t half = UINT64_C(1) << (shift - 1);
    kept += lost > half || (lost == half && kept % 2 == 1);

    /* kept has its leading bit, which adds one to the exponent; so does a carry out of the fraction. */
    uint64_t result = ((uint64_t)(over > 0 ? over : 0) << fraction_bits) + kept;
    return (uint16_t)(sign | (result < infinity ? result : infinity));
}

uint16_t number_to_half(double value) { return narrow(value, 10, 15); }
uint16_t number_to_bfloat16(double value) { return narrow(value, 7, 127); }
