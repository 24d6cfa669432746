/* Printing as in the model (reference 8.5): every dtype and length, special values, streams and writers that fail. */
#include <math.h>
#include <stdio.h>

#include "support.h"

/* ---- Helpers ------------------------------------------------------------------------------------------ */

/* A sink for write_with; fails at piece number fail_at. */
typedef struct sink {
    char text[16384];
    size_t length;
    int pieces, fail_at;
    weft_status status;
} sink;

static weft_status sink_write(void *user, const char *text, size_t size_bytes) {
    sink *s = user;
    if (++s->pieces == s->fail_at) {
        return s->status;
    }
    ck_assert_uint_lt(s->length + size_bytes, sizeof s->text);
    memcpy(s->text + s->length, text, size_bytes);
    s->length += size_bytes;
    s->text[s->length] = 0;
    return WEFT_OK;
}

static void check_text(weft_dtype dtype, const void *data, size_t length, const char *list) {
    static sink written;
    char *streamed = NULL, *want = malloc(strlen(list) + 20);
    weft_host_buffer *host = test_host_buffer(dtype, length);
    weft_device_buffer *device = test_device_buffer(dtype, length);
    memcpy(weft_host_buffer_data(host), data, length * weft_dtype_size(dtype));
    test_write(device, data);
    for (int on_host = 0; on_host < 2; on_host++) {
        size_t size_bytes = 0;
        FILE *stream = open_memstream(&streamed, &size_bytes);
        written = (sink){.text = ""};
        sprintf(want, "%s([%s])", on_host ? "HostBuffer" : "DeviceBuffer", list);
        OK(on_host ? weft_host_buffer_write_to(host, stream) : weft_device_buffer_write_to(device, stream));
        OK(on_host ? weft_host_buffer_write_with(host, sink_write, &written)
                   : weft_device_buffer_write_with(device, sink_write, &written));
        fclose(stream);
        ck_assert_str_eq(streamed, want);
        ck_assert_str_eq(written.text, want);
        free(streamed);
    }
    free(want);
}

/* The bits of a small whole number, 0 to 99, in a dtype. */
static uint64_t bits_of(weft_dtype dtype, unsigned n) {
    float f = (float)n;
    double d = n;
    uint32_t f_bits;
    uint64_t d_bits;
    int exponent;
    float mantissa = frexpf(f, &exponent); /* in [0.5, 1) */
    memcpy(&f_bits, &f, sizeof f_bits);
    memcpy(&d_bits, &d, sizeof d_bits);
    switch (dtype) {
    case WEFT_FLOAT64: return d_bits;
    case WEFT_FLOAT32: return f_bits;
    case WEFT_BFLOAT16: return f_bits >> 16; /* eight bits of mantissa are enough */
    case WEFT_FLOAT16: return n ? (uint64_t)(mantissa * 2048 - 1024) + ((uint64_t)(exponent + 14) << 10) : 0;
    default: return n;
    }
}

/* ---- Lengths and dtypes ---------------------------------------------------------------------------------- */

START_TEST(every_dtype_in_every_length) {
    static const size_t lengths[] = {0, 1, 999, 1000, 1001};
    static uint8_t data[1001 * 8];
    static char list[16384];
    for (weft_dtype dtype = WEFT_INT8; dtype <= WEFT_FLOAT64; dtype++) {
        for (int l = 0; l < 5; l++) {
            size_t length = lengths[l], at = 0;
            const char *point = dtype >= WEFT_FLOAT16 ? ".0" : "";
            list[0] = 0;
            for (size_t i = 0; i < length; i++) {
                uint64_t bits = bits_of(dtype, i % 100);
                memcpy(data + i * weft_dtype_size(dtype), &bits, weft_dtype_size(dtype)); /* little endian */
                if (length < 1000 || i < 3 || i >= length - 3) {
                    at += (size_t)sprintf(list + at, "%s%u%s", i ? ", " : "", (unsigned)(i % 100), point);
                } else if (i == 3) {
                    at += (size_t)sprintf(list + at, ", ...");
                }
            }
            check_text(dtype, data, length, list);
        }
    }
}
END_TEST

/* ---- Values ------------------------------------------------------------------------------------------------- */

START_TEST(integers_print_in_decimal) {
    check_text(WEFT_INT8, (int8_t[]){-128, -1, 127}, 3, "-128, -1, 127");
    check_text(WEFT_UINT8, (uint8_t[]){0, 128, 255}, 3, "0, 128, 255");
    check_text(WEFT_INT16, (int16_t[]){INT16_MIN, INT16_MAX}, 2, "-32768, 32767");
    check_text(WEFT_UINT16, (uint16_t[]){UINT16_MAX}, 1, "65535");
    check_text(WEFT_INT32, (int32_t[]){INT32_MIN, INT32_MAX}, 2, "-2147483648, 2147483647");
    check_text(WEFT_UINT32, (uint32_t[]){UINT32_MAX}, 1, "4294967295");
    check_text(WEFT_INT64, (int64_t[]){INT64_MIN, INT64_MAX}, 2, "-9223372036854775808, 9223372036854775807");
    check_text(WEFT_UINT64, (uint64_t[]){UINT64_MAX}, 1, "18446744073709551615");
}
END_TEST

START_TEST(floats_print_their_shortest_digits) {
    const float data[] = {NAN,   INFINITY, -INFINITY, -0.0f,  0.1f,       1e15f,      1e16f,         1e-5f,
                          1e-4f, -2.5f,    1e38f,     1e-45f, 16777216.0f, 123456.79f, 3.4028235e38f, 0.00012345f};
    check_text(WEFT_FLOAT32, data, sizeof data / sizeof *data,
               "nan, inf, -inf, -0.0, 0.1, 1000000000000000.0, 1e+16, 1e-05, "
               "0.0001, -2.5, 1e+38, 1e-45, 16777216.0, 123456.79, 3.4028235e+38, 0.00012345");
}
END_TEST

START_TEST(doubles_print_their_shortest_digits) {
    const double data[] = {(double)NAN, (double)INFINITY, -(double)INFINITY, -0.0,   0.1,
                           0.1 + 0.2,   1e15,             1e16,              1.5e16, 9007199254740992.0,
                           1e-4,        1e-5,             0.000099999,       -1e22,  123456789012345678.0,
                           5e-324,      1e100,            1e-100,            100.0,  1.7976931348623157e308};
    check_text(WEFT_FLOAT64, data, sizeof data / sizeof *data,
               "nan, inf, -inf, -0.0, 0.1, "
               "0.30000000000000004, 1000000000000000.0, 1e+16, 1.5e+16, 9007199254740992.0, "
               "0.0001, 1e-05, 9.9999e-05, -1e+22, 1.2345678901234568e+17, "
               "5e-324, 1e+100, 1e-100, 100.0, 1.7976931348623157e+308");
}
END_TEST

/* Widened to float32, so the digits are that format's. */
START_TEST(sixteen_bit_floats_print_as_float32) {
    check_text(WEFT_FLOAT16, (uint16_t[]){0x3C00, 0xC100, 0x2E66, 0x7BFF, 0x0001, 0x8000, 0x7C00, 0xFC00, 0x7E00}, 9,
               "1.0, -2.5, 0.099975586, 65504.0, 5.9604645e-08, -0.0, inf, -inf, nan");
    check_text(WEFT_BFLOAT16, (uint16_t[]){0x3F80, 0xC020, 0x3DCE, 0x7F80, 0xFF80, 0x8000, 0x7FC0}, 7,
               "1.0, -2.5, 0.10058594, inf, -inf, -0.0, nan");
}
END_TEST

START_TEST(views_print_as_buffers) {
    int32_t data[20];
    static sink written;
    for (int i = 0; i < 20; i++) {
        data[i] = i;
    }
    weft_device_buffer *parent = test_device_buffer(WEFT_INT32, 20);
    test_write(parent, data);
    written = (sink){.text = ""};
    OK(weft_device_buffer_write_with(test_view(parent, WEFT_INT32, 7, 3), sink_write, &written));
    ck_assert_str_eq(written.text, "DeviceBuffer([7, 8, 9])");
}
END_TEST

START_TEST(printing_comes_after_work_before_it) {
    weft_device_buffer *buffer = test_device_buffer(WEFT_INT32, 3);
    static sink written;
    written = (sink){.text = ""};
    OK(weft_enqueue_fill(buffer, 8));
    OK(weft_device_buffer_write_with(buffer, sink_write, &written));
    ck_assert_str_eq(written.text, "DeviceBuffer([8, 8, 8])");
}
END_TEST

/* ---- Failures -------------------------------------------------------------------------------------------------- */

/* What a stream has buffered counts as well. */
START_TEST(stream_that_fails_is_io) {
    static const struct {
        const char *path, *mode;
        int buffering;
    } streams[] = {{"/dev/full", "w", _IONBF}, {"/dev/full", "w", _IOFBF},
                   {"/dev/null", "r", _IONBF}, {"/dev/null", "r", _IOFBF}};
    weft_host_buffer *host = test_host_buffer(WEFT_FLOAT32, 3);
    weft_device_buffer *device = test_device_buffer(WEFT_FLOAT32, 3);
    OK(weft_enqueue_fill(host, 1.5f));
    OK(weft_enqueue_fill(device, 1.5f));
    OK(weft_synchronize(test_context()));
    for (int i = 0; i < 4; i++) {
        FILE *stream = fopen(streams[i].path, streams[i].mode);
        if (!stream) {
            SKIP("no /dev/full");
        }
        setvbuf(stream, NULL, streams[i].buffering, BUFSIZ);
        FAILS(WEFT_ERROR_IO, weft_host_buffer_write_to(host, stream));
        clearerr(stream);
        FAILS(WEFT_ERROR_IO, weft_device_buffer_write_to(device, stream));
        fclose(stream);
    }
    test_context_works(test_context());
}
END_TEST

START_TEST(writer_that_fails_stops_the_printing) {
    static const weft_status statuses[] = {WEFT_ERROR_IO, WEFT_ERROR_UNSUPPORTED, WEFT_ERROR_OUT_OF_HOST_MEMORY, (weft_status)-1};
    static sink written;
    weft_host_buffer *host = test_host_buffer(WEFT_INT32, 900);
    weft_device_buffer *device = test_device_buffer(WEFT_INT32, 900);
    OK(weft_enqueue_fill(host, 123456789));
    OK(weft_enqueue_fill(device, 123456789));
    OK(weft_synchronize(test_context()));
    for (int i = 0; i < 4; i++) {
        written = (sink){.fail_at = 1, .status = statuses[i]};
        FAILS(WEFT_ERROR_IO, weft_host_buffer_write_with(host, sink_write, &written));
        ck_assert_int_eq(written.pieces, 1);
        written = (sink){.fail_at = 1, .status = statuses[i]};
        FAILS(WEFT_ERROR_IO, weft_device_buffer_write_with(device, sink_write, &written));
        ck_assert_int_eq(written.pieces, 1);
    }
    test_context_works(test_context());
}
END_TEST

TESTS(every_dtype_in_every_length, integers_print_in_decimal, floats_print_their_shortest_digits,
      doubles_print_their_shortest_digits, sixteen_bit_floats_print_as_float32, views_print_as_buffers,
      printing_comes_after_work_before_it, stream_that_fails_is_io, writer_that_fails_stops_the_printing)
