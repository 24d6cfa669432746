/* The model's test_external_shared_mem: 16 KiB of shared memory whose size the launch chooses. */
#include "support.h"

enum { FLOATS = 16 * 1024 / 4, BLOCK = 64 };

static const char source[] =
    "kernel void reverse(global float *out, local float *shared, int n) {\n"
    "    int t = get_local_id(0), block = get_local_size(0);\n"
    "    for (int i = t; i < n; i += block) shared[i] = i + get_group_id(0);\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    for (int i = t; i < n; i += block) out[get_group_id(0) * n + i] = shared[n - 1 - i];\n"
    "}\n";

START_TEST(kernel_uses_16_kib) {
    weft_device_buffer *buffer = test_device_buffer(WEFT_FLOAT32, 2 * FLOATS + 1);
    OK(weft_enqueue_fill(buffer, -1));
    OK(weft_enqueue_function(test_context(), test_function(source, "reverse"), 2, BLOCK, buffer,
                             weft_shared_bytes(sizeof(float[FLOATS])), FLOATS));
    static float got[2 * FLOATS + 1];
    test_read(buffer, got);
    for (int i = 0; i < 2 * FLOATS; i++) {
        ck_assert_float_eq(got[i], (float)(FLOATS - 1 - i % FLOATS + i / FLOATS));
    }
    ck_assert_float_eq(got[2 * FLOATS], -1);
}
END_TEST

START_TEST(size_changes_between_launches) {
    weft_device_buffer *buffer = test_device_buffer(WEFT_FLOAT32, FLOATS);
    weft_function *reverse = test_function(source, "reverse");
    static float got[FLOATS];
    for (int n = 64; n <= FLOATS; n *= 8) {
        OK(weft_enqueue_fill(buffer, -1));
        OK(weft_enqueue_function(test_context(), reverse, 1, BLOCK, buffer, weft_shared_bytes((size_t)n * 4), n));
        test_read(buffer, got);
        for (int i = 0; i < FLOATS; i++) {
            ck_assert_float_eq(got[i], i < n ? (float)(n - 1 - i) : -1);
        }
    }
}
END_TEST

TESTS(kernel_uses_16_kib, size_changes_between_launches)
