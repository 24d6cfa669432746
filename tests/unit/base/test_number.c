/* base/number: decimal text against the C library's exact conversions, and the 16-bit formats against every
 * value and every midpoint they have. */
#include "support.h"

#include <float.h>
#include <inttypes.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>

#include "base/number.h"

/* For what is checked millions of times: Check's own macros write to a pipe on every pass. */
#define EXPECT(condition, ...)             \
    do {                                   \
        if (!(condition)) {                \
            ck_abort_msg(__VA_ARGS__);     \
        }                                  \
    } while (0)

static const char *double_text(double value) {
    static char out[32];
    size_t length = number_write_double(out, value);
    EXPECT(length == strlen(out), "%s has length %zu", out, length);
    return out;
}

static const char *float_text(float value) {
    static char out[32];
    size_t length = number_write_float(out, value);
    EXPECT(length == strlen(out), "%s has length %zu", out, length);
    return out;
}

/* xorshift64*: the same numbers on every run. */
static uint64_t next_random(void) {
    static uint64_t state = UINT64_C(0x9E3779B97F4A7C15);
    state ^= state >> 12;
    state ^= state << 25;
    state ^= state >> 27;
    return state * UINT64_C(0x2545F4914F6CDD1D);
}

static double double_from(uint64_t bits) {
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static float float_from(uint32_t bits) {
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

START_TEST(special_values) {
    ck_assert_str_eq(double_text(0.0), "0.0");
    ck_assert_str_eq(double_text(-0.0), "-0.0");
    ck_assert_str_eq(double_text((double)INFINITY), "inf");
    ck_assert_str_eq(double_text(-(double)INFINITY), "-inf");
    ck_assert_str_eq(double_text(double_from(UINT64_C(0x7FF0000000000001))), "nan");
    ck_assert_str_eq(double_text(double_from(UINT64_C(0xFFF8000000000000))), "nan");
    ck_assert_str_eq(float_text(0.0f), "0.0");
    ck_assert_str_eq(float_text(-0.0f), "-0.0");
    ck_assert_str_eq(float_text(INFINITY), "inf");
    ck_assert_str_eq(float_text(-INFINITY), "-inf");
    ck_assert_str_eq(float_text(float_from(0xFFC00000)), "nan");
}
END_TEST

START_TEST(known_doubles) {
    ck_assert_str_eq(double_text(1.0), "1.0");
    ck_assert_str_eq(double_text(-20.0), "-20.0");
    ck_assert_str_eq(double_text(0.1), "0.1");
    ck_assert_str_eq(double_text(0.1 + 0.2), "0.30000000000000004");
    ck_assert_str_eq(double_text(100.5), "100.5");
    ck_assert_str_eq(double_text(0.0001), "0.0001");
    ck_assert_str_eq(double_text(0.00012345), "0.00012345");
    ck_assert_str_eq(double_text(0.00001), "1e-05");
    ck_assert_str_eq(double_text(0.000015), "1.5e-05");
    ck_assert_str_eq(double_text(0.000099999), "9.9999e-05");
    ck_assert_str_eq(double_text(1e15), "1000000000000000.0");
    ck_assert_str_eq(double_text(9999999999999998.0), "9999999999999998.0");
    ck_assert_str_eq(double_text(1e16), "1e+16");
    ck_assert_str_eq(double_text(-1.25e100), "-1.25e+100");
    ck_assert_str_eq(double_text(1e22), "1e+22");
    ck_assert_str_eq(double_text(1e23), "1e+23"); /* an end of the interval, which counts for an even significand */
    ck_assert_str_eq(double_text(9007199254740992.0), "9007199254740992.0");
    ck_assert_str_eq(double_text(DBL_MAX), "1.7976931348623157e+308");
    ck_assert_str_eq(double_text(DBL_MIN), "2.2250738585072014e-308");
    ck_assert_str_eq(double_text(-DBL_MIN), "-2.2250738585072014e-308");
    ck_assert_str_eq(double_text(double_from(1)), "5e-324");
    /* A power of two: the 16-digit number nearest to it, ...801e-14, belongs to its neighbour. */
    ck_assert_str_eq(double_text(0x1p-44), "5.684341886080802e-14");
}
END_TEST

START_TEST(known_floats) {
    ck_assert_str_eq(float_text(20.0f), "20.0");
    ck_assert_str_eq(float_text(0.1f), "0.1");
    ck_assert_str_eq(float_text(123456.79f), "123456.79");
    ck_assert_str_eq(float_text(16777216.0f), "16777216.0");
    ck_assert_str_eq(float_text(0x1p33f), "8589935000.0");
    ck_assert_str_eq(float_text(0.0001f), "0.0001");
    ck_assert_str_eq(float_text(0.00001f), "1e-05");
    ck_assert_str_eq(float_text(1e15f), "1000000000000000.0");
    ck_assert_str_eq(float_text(1e16f), "1e+16");
    ck_assert_str_eq(float_text(FLT_MAX), "3.4028235e+38");
    ck_assert_str_eq(float_text(FLT_MIN), "1.1754944e-38");
    ck_assert_str_eq(float_text(float_from(1)), "1e-45");
    ck_assert_str_eq(float_text(number_from_half(0x3555)), "0.33325195");
    ck_assert_str_eq(float_text(number_from_bfloat16(0x3EAB)), "0.33398438");
}
END_TEST

/* ---- The shortest text ---------------------------------------------------------------------------- */

typedef struct digits {
    uint64_t number; /* without trailing zeros */
    int count;
    int exponent; /* of the last digit */
} digits;

/* Takes a decimal number apart and checks the layout rules on the way. */
static digits parse(const char *string) {
    digits d = {0, 0, 0};
    bool point = false;
    const char *at = string + (*string == '-');
    for (; *at && *at != 'e'; at++) {
        if (*at == '.') {
            point = true;
        } else {
            d.number = d.number * 10 + (uint64_t)(*at - '0');
            d.exponent -= point;
        }
    }
    if (*at == 'e') {
        EXPECT((at[1] == '-' || at[1] == '+') && strlen(at) >= 4, "%s", string);
        d.exponent += atoi(at + 1);
    } else {
        EXPECT(point, "%s", string);
    }
    bool exponent_form = *at == 'e';
    while (d.number % 10 == 0) {
        d.number /= 10;
        d.exponent++;
    }
    for (uint64_t n = d.number; n; n /= 10) {
        d.count++;
    }
    int first = d.exponent + d.count - 1;
    EXPECT(exponent_form == (first < -4 || first > 15), "%s", string);
    return d;
}

static bool reads_back(uint64_t number, int exponent, double value, bool is_float) {
    char string[64];
    snprintf(string, sizeof string, "%" PRIu64 "e%d", number, exponent);
    return is_float ? strtof(string, NULL) == (float)value : strtod(string, NULL) == value;
}

/* value's correctly rounded decimal of so many digits. */
static digits rounded(double value, int count) {
    char string[64];
    snprintf(string, sizeof string, "%.*e", count - 1, value);
    digits d = {0, count, atoi(strchr(string, 'e') + 1) - (count - 1)};
    for (const char *at = string; *at != 'e'; at++) {
        if (*at != '.') {
            d.number = d.number * 10 + (uint64_t)(*at - '0');
        }
    }
    return d;
}

static void check_shortest(double value, bool is_float) {
    if (!isfinite(value) || value == 0) {
        return;
    }
    const char *string = is_float ? float_text((float)value) : double_text(value);
    EXPECT((string[0] == '-') == (signbit(value) != 0), "%s for %a", string, value);
    value = fabs(value);
    digits d = parse(string);
    EXPECT(reads_back(d.number, d.exponent, value, is_float), "%s is not %a", string, value);

    /* Nearest: the correctly rounded number if that reads back, else the one beside it that does. */
    digits nearest = rounded(value, d.count);
    EXPECT(d.exponent == nearest.exponent, "%s for %a", string, value);
    if (d.number != nearest.number) {
        EXPECT(d.number + 1 == nearest.number || d.number == nearest.number + 1, "%s for %a", string, value);
        EXPECT(!reads_back(nearest.number, nearest.exponent, value, is_float), "%s for %a", string, value);
    }
    /* Shortest: of one digit less, neither the number nearest nor those around it read back. */
    if (d.count > 1) {
        digits shorter = rounded(value, d.count - 1);
        for (uint64_t n = shorter.number - 1; n <= shorter.number + 1; n++) {
            EXPECT(!reads_back(n, shorter.exponent, value, is_float), "%s for %a", string, value);
        }
    }
}

START_TEST(random_doubles_print_shortest) {
    for (int i = 0; i < 1000000; i++) {
        check_shortest(double_from(next_random()), false);
    }
}
END_TEST

START_TEST(random_floats_print_shortest) {
    for (int i = 0; i < 1000000; i++) {
        check_shortest((double)float_from((uint32_t)(next_random() >> 32)), true);
    }
}
END_TEST

/* Where the gap below is half the one above, and right beside it. */
START_TEST(powers_of_two_print_shortest) {
    for (int exponent = -1074; exponent <= 1023; exponent++) {
        double power = ldexp(1, exponent);
        check_shortest(power, false);
        check_shortest(nextafter(power, 0), false);
        check_shortest(nextafter(power, DBL_MAX), false);
    }
    for (int exponent = -149; exponent <= 127; exponent++) {
        float power = ldexpf(1, exponent);
        check_shortest((double)power, true);
        check_shortest((double)nextafterf(power, 0), true);
        check_shortest((double)nextafterf(power, FLT_MAX), true);
    }
}
END_TEST

START_TEST(plain_decimals_print_as_written) {
    char written[64];
    for (int i = 1; i < 100000; i++) {
        snprintf(written, sizeof written, "%d.%d", i / 10, i % 10);
        ck_assert_str_eq(double_text(i / 10.0), written);
        ck_assert_str_eq(float_text((float)i / 10.0f), written);
    }
}
END_TEST

START_TEST(a_decimal_comma_does_not_matter) {
    static const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8", "de_DE", "fr_FR.UTF-8", "ru_RU.UTF-8"};
    locale_t comma = (locale_t)0;
    for (size_t i = 0; !comma && i < sizeof names / sizeof *names; i++) {
        comma = newlocale(LC_ALL_MASK, names[i], (locale_t)0);
    }
    if (!comma) {
        SKIP("no locale with a decimal comma is installed");
    }
    locale_t before = uselocale(comma);
    char crafted[32];
    snprintf(crafted, sizeof crafted, "%.1f", 0.5);
    char wide[32];
    number_write_double(wide, 0.5);
    char narrow[32];
    number_write_float(narrow, 1e-7f);
    uselocale(before);
    freelocale(comma);
    ck_assert_str_eq(crafted, "0,5");
    ck_assert_str_eq(wide, "0.5");
    ck_assert_str_eq(narrow, "1e-07");
}
END_TEST

/* ---- The 16-bit formats --------------------------------------------------------------------------- */

START_TEST(known_halves) {
    ck_assert(number_from_half(0x3C00) == 1.0f);
    ck_assert(number_from_half(0xC000) == -2.0f);
    ck_assert(number_from_half(0x7BFF) == 65504.0f);
    ck_assert(number_from_half(0x0400) == 0x1p-14f);
    ck_assert(number_from_half(0x0001) == 0x1p-24f);
    ck_assert(number_from_half(0x7C00) == INFINITY);
    ck_assert(number_from_half(0xFC00) == -INFINITY);
    ck_assert(isnan(number_from_half(0x7C01)));
    ck_assert_uint_eq(number_to_half(1e6), 0x7C00);
    ck_assert_uint_eq(number_to_half(-1e300), 0xFC00);
    ck_assert_uint_eq(number_to_half(-0.0), 0x8000);
    ck_assert_uint_eq(number_to_half(double_from(1)), 0);
    ck_assert_uint_eq(number_to_half(-DBL_MIN), 0x8000);
    /* By way of float this would round twice, to 0x3C00. */
    ck_assert_uint_eq(number_to_half(1 + 0x1p-11 + 0x1p-40), 0x3C01);
}
END_TEST

START_TEST(known_bfloats) {
    ck_assert(number_from_bfloat16(0x3F80) == 1.0f);
    ck_assert(number_from_bfloat16(0xC2C8) == -100.0f);
    ck_assert(number_from_bfloat16(0x0001) == 0x1p-133f);
    ck_assert(number_from_bfloat16(0x7F80) == INFINITY);
    ck_assert(isnan(number_from_bfloat16(0xFFFF)));
    ck_assert_uint_eq(number_to_bfloat16(1e300), 0x7F80);
    ck_assert_uint_eq(number_to_bfloat16((double)FLT_MAX), 0x7F80);
    ck_assert_uint_eq(number_to_bfloat16(-double_from(1)), 0x8000);
    ck_assert_uint_eq(number_to_bfloat16(1 + 0x1p-8 + 0x1p-40), 0x3F81);
}
END_TEST

START_TEST(every_value_survives) {
    for (uint32_t bits = 0; bits <= 0xFFFF; bits++) {
        uint16_t b = (uint16_t)bits;
        float half = number_from_half(b), bfloat = number_from_bfloat16(b);
        bool half_nan = (bits & 0x7FFF) > 0x7C00, bfloat_nan = (bits & 0x7FFF) > 0x7F80;
        EXPECT(!isnan(half) == !half_nan && !isnan(bfloat) == !bfloat_nan, "0x%04X", bits);
        /* A NaN keeps its payload and becomes quiet. */
        EXPECT(number_to_half((double)half) == (bits | (half_nan ? 0x200 : 0)), "0x%04X", bits);
        EXPECT(number_to_bfloat16((double)bfloat) == (bits | (bfloat_nan ? 0x40 : 0)), "0x%04X", bits);
        check_shortest((double)half, true);
        check_shortest((double)bfloat, true);
    }
}
END_TEST

/* A NaN whose payload is in the low bits only has none left; it must not turn into infinity. */
START_TEST(nan_stays_nan) {
    ck_assert(isnan(number_from_half(number_to_half(double_from(UINT64_C(0x7FF0000000000001))))));
    ck_assert(isnan(number_from_bfloat16(number_to_bfloat16(double_from(UINT64_C(0xFFF0000000000001))))));
}
END_TEST

static void check_rounding(float (*from)(uint16_t), uint16_t (*to)(double), uint16_t infinity, double beyond) {
    for (uint16_t bits = 0; bits < infinity; bits++) {
        uint16_t above = (uint16_t)(bits + 1);
        double low = (double)from(bits), high = above == infinity ? beyond : (double)from(above);
        double middle = (low + high) / 2;
        uint16_t even = bits % 2 == 0 ? bits : above;
        EXPECT(to(nextafter(middle, 0)) == (bits), "0x%04X", bits);
        EXPECT(to(middle) == (even), "0x%04X", bits);
        EXPECT(to(nextafter(middle, DBL_MAX)) == (above), "0x%04X", bits);
        EXPECT(to(-nextafter(middle, 0)) == (0x8000 | bits), "0x%04X", bits);
        EXPECT(to(-middle) == (0x8000 | even), "0x%04X", bits);
        EXPECT(to(-nextafter(middle, DBL_MAX)) == (0x8000 | above), "0x%04X", bits);
    }
}

START_TEST(every_midpoint_rounds_to_even) {
    check_rounding(number_from_half, number_to_half, 0x7C00, 0x1p16);
    check_rounding(number_from_bfloat16, number_to_bfloat16, 0x7F80, 0x1p128);
}
END_TEST

TESTS(special_values, known_doubles, known_floats, random_doubles_print_shortest, random_floats_print_shortest,
      powers_of_two_print_shortest, plain_decimals_print_as_written, a_decimal_comma_does_not_matter, known_halves,
      known_bfloats, every_value_survives, nan_stays_nan, every_midpoint_rounds_to_even)
