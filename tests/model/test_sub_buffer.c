/* The model's test_device_context_sub_buffer: kernels, copies and fills on views of one parent. */
#include "support.h"

enum { LENGTH = 128 };

static const char add_source[] =
    "kernel void add(global const float *a, global const float *b, global float *out) {\n"
    "    int i = get_global_id(0);\n"
    "    out[i] = a[i] + b[i];\n"
    "}\n";

/* a, b and the result are three views of one buffer, one guard element before, between and after them; no
 * view is aligned to anything but its element. */
START_TEST(kernel_runs_on_views_of_one_parent) {
    enum { A = 1, B = A + LENGTH + 1, OUT = B + LENGTH + 1, WHOLE = OUT + LENGTH + 1 };
    static float data[WHOLE];
    for (int i = 0; i < WHOLE; i++) {
        data[i] = -1;
    }
    for (int i = 0; i < LENGTH; i++) {
        data[A + i] = (float)i;
        data[B + i] = (float)(1000 * i);
    }
    weft_device_buffer *parent = test_device_buffer(WEFT_FLOAT32, WHOLE);
    test_write(parent, data);
    OK(weft_enqueue_function(test_context(), test_function(add_source, "add"), LENGTH / 16, 16,
                             test_view(parent, WEFT_FLOAT32, A, LENGTH), test_view(parent, WEFT_FLOAT32, B, LENGTH),
                             test_view(parent, WEFT_FLOAT32, OUT, LENGTH)));
    static float got[WHOLE];
    test_read(parent, got);
    for (int i = 0; i < LENGTH; i++) {
        data[OUT + i] = (float)(1001 * i);
    }
    for (int i = 0; i < WHOLE; i++) {
        ck_assert_float_eq(got[i], data[i]);
    }
}
END_TEST

START_TEST(offset_counts_elements_of_the_view) {
    uint8_t bytes[64], got[64];
    for (int i = 0; i < 64; i++) {
        bytes[i] = (uint8_t)(100 + i);
    }
    weft_device_buffer *parent = test_device_buffer(WEFT_FLOAT32, 16);
    test_write(parent, bytes);
    weft_device_buffer *view = test_view(parent, WEFT_UINT8, 4, 8); /* bytes 4 to 11 */
    ck_assert_uint_eq(weft_device_buffer_length(view), 8);
    ck_assert_uint_eq(weft_device_buffer_size_bytes(view), 8);
    ck_assert_int_eq(weft_device_buffer_dtype(view), WEFT_UINT8);
    test_read(view, got);
    ck_assert_mem_eq(got, bytes + 4, 8);

    weft_device_buffer *inner = test_view(view, WEFT_UINT16, 1, 3); /* bytes 6 to 11 */
    test_read(inner, got);
    ck_assert_mem_eq(got, bytes + 6, 6);

    OK(weft_enqueue_fill(inner, 0xABCD));
    memset(bytes + 6, 0, 6);
    for (int i = 6; i < 12; i += 2) {
        memcpy(bytes + i, &(uint16_t){0xABCD}, 2);
    }
    test_read(parent, got);
    ck_assert_mem_eq(got, bytes, 64);
}
END_TEST

START_TEST(view_holds_its_parent) {
    weft_device_buffer *parent = NULL, *view = NULL, *inner = NULL;
    weft_host_buffer *host = NULL, *host_view = NULL;
    int32_t data[8] = {10, 11, 12, 13, 14, 15, 16, 17}, got[3] = {0};
    OK(weft_enqueue_create_buffer(test_context(), WEFT_INT32, 8, &parent));
    OK(weft_device_buffer_create_sub_buffer(parent, WEFT_INT32, 1, 6, &view));
    OK(weft_device_buffer_create_sub_buffer(view, WEFT_INT32, 2, 3, &inner));
    test_write(parent, data);
    weft_device_buffer_release(parent);
    weft_device_buffer_release(view);
    test_read(inner, got);
    ck_assert_mem_eq(got, data + 3, sizeof got);
    weft_device_buffer_release(inner);

    OK(weft_enqueue_create_host_buffer(test_context(), WEFT_INT32, 8, &host));
    memcpy(weft_host_buffer_data(host), data, sizeof data);
    OK(weft_host_buffer_create_sub_buffer(host, WEFT_INT32, 5, 3, &host_view));
    ck_assert_ptr_eq(weft_host_buffer_data(host_view), (int32_t *)weft_host_buffer_data(host) + 5);
    weft_host_buffer_release(host);
    ck_assert_mem_eq(weft_host_buffer_data(host_view), data + 5, sizeof(int32_t[3]));
    weft_host_buffer_release(host_view);
}
END_TEST

START_TEST(views_end_at_the_end) {
    weft_device_buffer *parent = test_device_buffer(WEFT_INT16, 5), *out = parent; /* 10 bytes */
    OK(weft_device_buffer_create_sub_buffer(parent, WEFT_INT32, 0, 2, &out));
    weft_device_buffer_release(out);
    OK(weft_device_buffer_create_sub_buffer(parent, WEFT_INT8, 10, 0, &out));
    ck_assert_uint_eq(weft_device_buffer_length(out), 0);
    weft_device_buffer_release(out);
    FAILS(WEFT_ERROR_OUT_OF_RANGE, weft_device_buffer_create_sub_buffer(parent, WEFT_INT32, 0, 3, &out));
    ck_assert_ptr_null(out);
    FAILS(WEFT_ERROR_OUT_OF_RANGE, weft_device_buffer_create_sub_buffer(parent, WEFT_INT32, 1, 2, &out));
    FAILS(WEFT_ERROR_OUT_OF_RANGE, weft_device_buffer_create_sub_buffer(parent, WEFT_INT16, 6, 0, &out));
}
END_TEST

/* float4 wants 16 bytes of alignment; the view starts at 4. */
START_TEST(vector_pointee_runs_on_an_unaligned_view) {
    static const char source[] =
        "kernel void twice(global const float4 *in, global float4 *out) {\n"
        "    out[get_global_id(0)] = 2 * in[get_global_id(0)];\n"
        "}\n";
    float data[34], got[34];
    for (int i = 0; i < 34; i++) {
        data[i] = (float)i;
    }
    weft_device_buffer *in = test_device_buffer(WEFT_FLOAT32, 34), *out = test_device_buffer(WEFT_FLOAT32, 34);
    test_write(in, data);
    OK(weft_enqueue_fill(out, -1));
    OK(weft_enqueue_function(test_context(), test_function(source, "twice"), 2, 4,
                             test_view(in, WEFT_FLOAT32, 1, 32), test_view(out, WEFT_FLOAT32, 1, 32)));
    test_read(out, got);
    for (int i = 0; i < 34; i++) {
        ck_assert_float_eq(got[i], i == 0 || i == 33 ? -1 : 2 * (float)i);
    }
}
END_TEST

/* The same unaligned memory twice in one launch: right, or refused, never wrong. */
START_TEST(overlapping_views_are_right_or_refused) {
    static const char source[] =
        "kernel void both(global float *a, global float *b) {\n"
        "    int i = get_global_id(0);\n"
        "    if (i % 2) a[i] = 100; else b[i] = 200;\n"
        "}\n";
    float data[9] = {0, 1, 2, 3, 4, 5, 6, 7, 8}, got[9];
    weft_device_buffer *parent = test_device_buffer(WEFT_FLOAT32, 9);
    test_write(parent, data);
    weft_status status = weft_enqueue_function(test_context(), test_function(source, "both"), 1, 8,
                                               test_view(parent, WEFT_FLOAT32, 1, 8), test_view(parent, WEFT_FLOAT32, 1, 8));
    if (status) {
        ck_assert_msg(status == WEFT_ERROR_UNSUPPORTED, "%s", weft_error_message());
    } else {
        for (int i = 0; i < 8; i++) {
            data[1 + i] = i % 2 ? 100 : 200;
        }
    }
    test_read(parent, got);
    ck_assert_mem_eq(got, data, sizeof got);
}
END_TEST

START_TEST(launch_keeps_a_view_released_at_once) {
    weft_device_buffer *parent = NULL, *view = NULL;
    weft_device_buffer *out = test_device_buffer(WEFT_FLOAT32, LENGTH);
    weft_function *add = test_function(add_source, "add");
    OK(weft_enqueue_create_buffer(test_context(), WEFT_FLOAT32, LENGTH + 1, &parent));
    OK(weft_enqueue_fill(parent, 21.0f));
    OK(weft_device_buffer_create_sub_buffer(parent, WEFT_FLOAT32, 1, LENGTH, &view));
    OK(weft_enqueue_function(test_context(), add, LENGTH / 16, 16, view, view, out));
    weft_device_buffer_release(parent);
    weft_device_buffer_release(view);
    static float got[LENGTH];
    test_read(out, got);
    for (int i = 0; i < LENGTH; i++) {
        ck_assert_float_eq(got[i], 42);
    }
}
END_TEST

TESTS(kernel_runs_on_views_of_one_parent, offset_counts_elements_of_the_view, view_holds_its_parent, views_end_at_the_end,
      vector_pointee_runs_on_an_unaligned_view, overlapping_views_are_right_or_refused, launch_keeps_a_view_released_at_once)
