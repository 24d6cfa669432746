/* The model's test_enqueue_fill: fills of every width, and how a value becomes an element. */
#include <math.h>
#include <stdio.h>

#include "support.h"

static const uint64_t payload_bits = 0x7FF8000012345678;

static double double_from_bits(uint64_t bits) {
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static float float_from_bits(uint32_t bits) {
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

START_TEST(double_in_a_host_buffer) {
    weft_host_buffer *host = test_host_buffer(WEFT_FLOAT64, 8);
    OK(weft_enqueue_fill(host, 0.1));
    OK(weft_synchronize(test_context()));
    const double *data = weft_host_buffer_data(host);
    for (int i = 0; i < 8; i++) {
        ck_assert_double_eq(data[i], 0.1);
    }
}
END_TEST

static void fill_doubles(size_t length, double value) {
    weft_device_buffer *buffer = test_device_buffer(WEFT_FLOAT64, length);
    double *got = calloc(length + 1, sizeof *got);
    OK(weft_enqueue_fill(buffer, value));
    test_read(buffer, got);
    for (size_t i = 0; i < length; i++) {
        if (memcmp(&got[i], &value, sizeof value) != 0) {
            ck_abort_msg("element %zu of %zu is %g instead of %g", i, length, got[i], value);
        }
    }
    ck_assert_double_eq(got[length], 0);
    free(got);
}

START_TEST(double_in_a_device_buffer) {
    fill_doubles(1, 0.1);
    fill_doubles(8, 0.1);
    fill_doubles(1000, -1e300);
    fill_doubles(test_size(1 << 20, 1 << 12), 0.1);
}
END_TEST

START_TEST(nan_and_negative_zero_keep_their_bits) {
    fill_doubles(10, double_from_bits(payload_bits));
    fill_doubles(10, -0.0);
}
END_TEST

START_TEST(float_in_a_device_buffer) {
    weft_device_buffer *buffer = test_device_buffer(WEFT_FLOAT32, 1000);
    float got[1000];
    OK(weft_enqueue_fill(buffer, 0.1f));
    test_read(buffer, got);
    for (int i = 0; i < 1000; i++) {
        ck_assert_float_eq(got[i], 0.1f);
    }
}
END_TEST

/* Elements 3 to 6 of 10 in every dtype; the others keep their bytes. */
START_TEST(range_stays_in_its_bounds) {
    for (weft_dtype dtype = WEFT_INT8; dtype <= WEFT_FLOAT64; dtype++) {
        size_t size = weft_dtype_size(dtype);
        weft_device_buffer *device = test_device_buffer(dtype, 10);
        weft_host_buffer *host = test_host_buffer(dtype, 10);
        uint8_t guard[80], want[80], got[80];
        memset(guard, 0x5A, sizeof guard);
        memcpy(want, guard, sizeof guard);
        memset(want + 3 * size, 0, 4 * size);
        test_write(device, guard);
        memcpy(weft_host_buffer_data(host), guard, 10 * size);
        OK(weft_enqueue_fill_range(device, 3, 4, 0));
        OK(weft_enqueue_fill_range(device, 10, 0, 0));
        OK(weft_enqueue_fill_range(host, 3, 4, 0));
        test_read(device, got);
        ck_assert_mem_eq(got, want, 10 * size);
        ck_assert_mem_eq(weft_host_buffer_data(host), want, 10 * size);
    }
}
END_TEST

/* One row: the value, in that dtype, gives these bits or this status. */
typedef struct row {
    weft_dtype dtype;
    weft_scalar value;
    weft_status status;
    uint64_t bits;
} row;

static void check_rows(const row *rows, size_t n) {
    for (size_t i = 0; i < n; i++) {
        size_t size = weft_dtype_size(rows[i].dtype);
        weft_device_buffer *device = test_device_buffer(rows[i].dtype, 3);
        weft_host_buffer *host = test_host_buffer(rows[i].dtype, 3);
        uint8_t got[24], want[24], guard[24];
        memset(guard, 0x5A, sizeof guard);
        test_write(device, guard);
        memcpy(weft_host_buffer_data(host), guard, 3 * size);
        for (size_t e = 0; e < 3; e++) {
            memcpy(want + e * size, &rows[i].bits, size); /* little endian, as every driver here */
        }
        weft_status device_status = weft_enqueue_fill(device, rows[i].value);
        weft_status host_status = weft_enqueue_fill(host, rows[i].value);
        test_read(device, got);
        ck_assert_msg(device_status == rows[i].status && host_status == rows[i].status, "row %zu: %s and %s instead of %s", i,
                      weft_status_name(device_status), weft_status_name(host_status), weft_status_name(rows[i].status));
        ck_assert_msg(memcmp(got, rows[i].status ? guard : want, 3 * size) == 0, "row %zu: device buffer", i);
        ck_assert_msg(memcmp(weft_host_buffer_data(host), rows[i].status ? guard : want, 3 * size) == 0,
                      "row %zu: host buffer", i);
    }
}

#define CHECK_ROWS(rows) check_rows(rows, sizeof(rows) / sizeof *(rows))
#define BECOMES(dtype, value, bits) {WEFT_##dtype, WEFT_SCALAR(value), WEFT_OK, bits}
#define BEYOND(dtype, value) {WEFT_##dtype, WEFT_SCALAR(value), WEFT_ERROR_OUT_OF_RANGE, 0}
#define INEXACT(dtype, value) {WEFT_##dtype, WEFT_SCALAR(value), WEFT_ERROR_TYPE_MISMATCH, 0}

START_TEST(integers_are_exact_or_refused) {
    const row rows[] = {
        BECOMES(INT8, -128, 0x80), BECOMES(INT8, 127u, 0x7F), BEYOND(INT8, 128), BEYOND(INT8, -129L),
        BECOMES(UINT8, (size_t)255, 0xFF), BEYOND(UINT8, 300), BEYOND(UINT8, -1), BECOMES(UINT8, true, 1),
        BECOMES(INT16, (short)-2, 0xFFFE), BEYOND(INT16, (unsigned short)32768),
        BECOMES(UINT16, 65535, 0xFFFF), BEYOND(UINT16, 65536),
        BECOMES(INT32, INT32_MIN, 0x80000000), BEYOND(INT32, 2147483648u), BECOMES(INT32, (signed char)-3, 0xFFFFFFFD),
        BECOMES(UINT32, UINT32_MAX, UINT32_MAX), BEYOND(UINT32, (int64_t)1 << 32), BEYOND(UINT32, -1LL),
        BECOMES(INT64, INT64_MIN, (uint64_t)1 << 63), BEYOND(INT64, (uint64_t)1 << 63),
        BECOMES(UINT64, UINT64_MAX, UINT64_MAX), BEYOND(UINT64, INT64_MIN), BECOMES(UINT64, (unsigned char)7, 7),
        BECOMES(FLOAT16, 2048, 0x6800), INEXACT(FLOAT16, 2049), BECOMES(FLOAT16, -65504, 0xFBFF), BEYOND(FLOAT16, 70000),
        BECOMES(BFLOAT16, 256, 0x4380), INEXACT(BFLOAT16, 257),
        BECOMES(FLOAT32, 1 << 24, 0x4B800000), INEXACT(FLOAT32, (1 << 24) + 1), BECOMES(FLOAT32, (uint64_t)1 << 63, 0x5F000000),
        BECOMES(FLOAT64, (int64_t)1 << 53, 0x4340000000000000), INEXACT(FLOAT64, ((int64_t)1 << 53) + 1),
        INEXACT(FLOAT64, UINT64_MAX), BECOMES(FLOAT64, INT64_MIN, 0xC3E0000000000000), BECOMES(FLOAT32, INT64_MIN, 0xDF000000),
        INEXACT(FLOAT64, INT64_MIN + 1),
    };
    CHECK_ROWS(rows);
}
END_TEST

START_TEST(floating_values_in_integers_are_exact_or_refused) {
    const row rows[] = {
        BECOMES(INT32, 7.0, 7), BECOMES(INT32, -7.0f, 0xFFFFFFF9), INEXACT(INT32, 1.5), INEXACT(INT32, -0.25f),
        BECOMES(INT32, -0.0, 0), BECOMES(UINT8, -0.0f, 0), BEYOND(UINT8, (double)NAN), BEYOND(INT64, (float)NAN),
        BEYOND(INT32, (float)INFINITY), BEYOND(UINT64, -(double)INFINITY), BEYOND(UINT8, 300.0), BEYOND(UINT8, -1.0),
        BECOMES(UINT32, 4294967295.0, UINT32_MAX), BEYOND(UINT32, 4294967296.0), BEYOND(INT32, 3e9f),
        BECOMES(INT64, -9223372036854775808.0, (uint64_t)1 << 63), BEYOND(INT64, 9223372036854775808.0),
        BECOMES(UINT64, 9223372036854775808.0, (uint64_t)1 << 63), BEYOND(UINT64, 18446744073709551616.0),
    };
    CHECK_ROWS(rows);
}
END_TEST

START_TEST(floating_values_round_to_nearest) {
    const double tie = 1 + 0x1p-11 + 0x1p-40, bfloat_tie = 1 + 0x1p-8 + 0x1p-40; /* just above: rounding twice goes wrong */
    const row rows[] = {
        BECOMES(FLOAT16, 1.0, 0x3C00), BECOMES(FLOAT16, 0.1, 0x2E66), BECOMES(FLOAT16, 0.1f, 0x2E66),
        BECOMES(FLOAT16, 2049.0, 0x6800), BECOMES(FLOAT16, 2051.0, 0x6802), BECOMES(FLOAT16, tie, 0x3C01),
        BECOMES(FLOAT16, 6e-8, 0x0001), BECOMES(FLOAT16, 1e-10, 0x0000), BECOMES(FLOAT16, -0.0f, 0x8000),
        BECOMES(FLOAT16, 65504.0f, 0x7BFF), BEYOND(FLOAT16, 65520.0), BEYOND(FLOAT16, -1e5f),
        BECOMES(FLOAT16, (float)INFINITY, 0x7C00), BECOMES(FLOAT16, -(double)INFINITY, 0xFC00),
        BECOMES(BFLOAT16, 1.0f, 0x3F80), BECOMES(BFLOAT16, 0.1, 0x3DCD), BECOMES(BFLOAT16, bfloat_tie, 0x3F81),
        BECOMES(BFLOAT16, -2.5, 0xC020), BEYOND(BFLOAT16, 1e39), BECOMES(BFLOAT16, -(float)INFINITY, 0xFF80),
        BECOMES(FLOAT32, 0.1, 0x3DCCCCCD), BECOMES(FLOAT32, -0.0, 0x80000000), BECOMES(FLOAT32, -0.0f, 0x80000000),
        BEYOND(FLOAT32, 1e300), BEYOND(FLOAT32, -1e39), BECOMES(FLOAT32, (double)INFINITY, 0x7F800000),
        BECOMES(FLOAT32, 1e-50, 0), BECOMES(FLOAT32, float_from_bits(0x7FC12345), 0x7FC12345),
        BECOMES(FLOAT64, 0.5f, 0x3FE0000000000000), BECOMES(FLOAT64, 0.1f, 0x3FB99999A0000000),
        BECOMES(FLOAT64, double_from_bits(payload_bits), payload_bits),
    };
    CHECK_ROWS(rows);
}
END_TEST

START_TEST(nan_stays_nan_in_every_floating_dtype) {
    static const struct {
        weft_dtype dtype;
        uint64_t infinity, sign;
    } formats[] = {{WEFT_FLOAT16, 0x7C00, 0x8000},
                   {WEFT_BFLOAT16, 0x7F80, 0x8000},
                   {WEFT_FLOAT32, 0x7F800000, 0x80000000},
                   {WEFT_FLOAT64, 0x7FF0000000000000, 0x8000000000000000}};
    for (int i = 0; i < 4; i++) {
        weft_device_buffer *buffer = test_device_buffer(formats[i].dtype, 1);
        for (int from_double = 0; from_double < 2; from_double++) {
            uint64_t bits = 0;
            OK(from_double ? weft_enqueue_fill(buffer, double_from_bits(0x7FF0000000000001)) /* its payload has no high bits */
                           : weft_enqueue_fill(buffer, float_from_bits(0x7FC00001)));
            test_read(buffer, &bits);
            ck_assert_msg((bits & ~formats[i].sign) > formats[i].infinity, "%s: %#llx is no NaN",
                          weft_dtype_name(formats[i].dtype), (unsigned long long)bits);
        }
    }
}
END_TEST

/* Patterns of odd sizes at odd offsets, captured at the call. */
START_TEST(byte_patterns_repeat) {
    enum { SIZE = 20000 };
    static const struct {
        size_t offset, pattern, count;
    } cases[] = {{0, 1, SIZE}, {5, 3, 100}, {7, 16, 33}, {1, 12, 5}, {3, 4095, 2}, {0, 4096, 4}, {SIZE, 7, 0}, {13, 128, 100}};
    static uint8_t pattern[4096], want[SIZE], got[SIZE];
    weft_device_buffer *device = test_device_buffer(WEFT_FLOAT32, SIZE / 4);
    weft_host_buffer *host = test_host_buffer(WEFT_FLOAT32, SIZE / 4);
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        OK(weft_enqueue_fill_bytes(device, 0, "\x5A", 1, SIZE));
        OK(weft_enqueue_fill_bytes(host, 0, "\x5A", 1, SIZE));
        memset(want, 0x5A, sizeof want);
        for (size_t i = 0; i < cases[c].pattern; i++) {
            pattern[i] = (uint8_t)(i * 37 + c);
        }
        for (size_t i = 0; i < cases[c].pattern * cases[c].count; i++) {
            want[cases[c].offset + i] = pattern[i % cases[c].pattern];
        }
        OK(weft_enqueue_fill_bytes(device, cases[c].offset, pattern, cases[c].pattern, cases[c].count));
        OK(weft_enqueue_fill_bytes(host, cases[c].offset, pattern, cases[c].pattern, cases[c].count));
        memset(pattern, 0xEE, sizeof pattern);
        test_read(device, got);
        ck_assert_msg(memcmp(got, want, SIZE) == 0, "case %zu: device buffer", c);
        ck_assert_msg(memcmp(weft_host_buffer_data(host), want, SIZE) == 0, "case %zu: host buffer", c);
    }
}
END_TEST

/* An int32 view that starts at byte 3. */
START_TEST(fill_works_at_any_byte) {
    uint8_t guard[32], got[32];
    memset(guard, 0x5A, sizeof guard);
    weft_device_buffer *parent = test_device_buffer(WEFT_UINT8, 32);
    test_write(parent, guard);
    weft_device_buffer *view = test_view(test_view(parent, WEFT_UINT8, 3, 29), WEFT_INT32, 0, 5);
    OK(weft_enqueue_fill(view, 0x01020304));
    for (int i = 0; i < 5; i++) {
        memcpy(guard + 3 + 4 * i, &(int32_t){0x01020304}, 4);
    }
    test_read(parent, got);
    ck_assert_mem_eq(got, guard, sizeof got);
}
END_TEST

TESTS(double_in_a_host_buffer, double_in_a_device_buffer, nan_and_negative_zero_keep_their_bits, float_in_a_device_buffer,
      range_stays_in_its_bounds, integers_are_exact_or_refused, floating_values_in_integers_are_exact_or_refused,
      floating_values_round_to_nearest, nan_stays_nan_in_every_floating_dtype, byte_patterns_repeat, fill_works_at_any_byte)
