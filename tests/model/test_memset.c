/* The model's test_memset: each width, and cascades of fills and copies. */
#include "support.h"

enum { LENGTH = 10000 };

/* LENGTH elements are these bits, but for others at both ends. */
static void all_are(const uint8_t *got, size_t size, uint64_t bits, uint64_t ends) {
    for (size_t i = 0; i < LENGTH; i++) {
        if (memcmp(got + i * size, i == 0 || i == LENGTH - 1 ? &ends : &bits, size) != 0) {
            ck_abort_msg("element %zu, of %zu bytes, is wrong", i, size);
        }
    }
}

/* a gets the value, b a copy, then a gets another: b keeps the first. */
static void cascade(weft_dtype dtype, weft_scalar value, uint64_t bits, weft_scalar other, uint64_t other_bits) {
    weft_context *ctx = test_context();
    size_t size = weft_dtype_size(dtype);
    weft_device_buffer *a = test_device_buffer(dtype, LENGTH), *b = test_device_buffer(dtype, LENGTH);
    weft_host_buffer *host = test_host_buffer(dtype, LENGTH);
    uint8_t *got = malloc(LENGTH * size);
    OK(weft_enqueue_memset(a, value));
    OK(weft_enqueue_copy(ctx, b, a));
    OK(weft_enqueue_memset(a, other));
    OK(weft_enqueue_memset(host, other));
    OK(weft_enqueue_copy_range(ctx, host, 1, b, 1, LENGTH - 2));
    test_read(a, got);
    all_are(got, size, other_bits, other_bits);
    test_read(b, got);
    all_are(got, size, bits, bits);
    all_are(weft_host_buffer_data(host), size, bits, other_bits);
    free(got);
}

START_TEST(uint8) { cascade(WEFT_UINT8, WEFT_SCALAR(7), 7, WEFT_SCALAR(255), 255); }
END_TEST
START_TEST(float16) { cascade(WEFT_FLOAT16, WEFT_SCALAR(1.5f), 0x3E00, WEFT_SCALAR(-2), 0xC000); }
END_TEST
START_TEST(float32) { cascade(WEFT_FLOAT32, WEFT_SCALAR(1.5f), 0x3FC00000, WEFT_SCALAR(-2.0f), 0xC0000000); }
END_TEST
START_TEST(float64) { cascade(WEFT_FLOAT64, WEFT_SCALAR(1.5), 0x3FF8000000000000, WEFT_SCALAR(-2.0), 0xC000000000000000); }
END_TEST
START_TEST(int64) {
    cascade(WEFT_INT64, WEFT_SCALAR(INT64_C(0x0123456789ABCDEF)), 0x0123456789ABCDEF, WEFT_SCALAR(-2), UINT64_MAX - 1);
}
END_TEST

/* Fills and copies of different sizes into one buffer land in the order in which they were enqueued. */
START_TEST(later_fills_win) {
    weft_context *ctx = test_context();
    weft_device_buffer *a = test_device_buffer(WEFT_INT32, LENGTH), *b = test_device_buffer(WEFT_INT32, LENGTH);
    for (int i = 0; i < 10; i++) {
        OK(weft_enqueue_memset(a, i));
        OK(weft_enqueue_copy_range(ctx, b, (size_t)i * 1000, a, (size_t)i * 1000, LENGTH - (size_t)i * 1000));
        OK(weft_enqueue_memset(a, -1));
    }
    static int32_t got[LENGTH];
    test_read(b, got);
    for (int i = 0; i < LENGTH; i++) {
        if (got[i] != i / 1000) {
            ck_abort_msg("element %d is %d", i, got[i]);
        }
    }
}
END_TEST

TESTS(uint8, float16, float32, float64, int64, later_fills_win)
