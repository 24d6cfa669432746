/* The model's test_device_context: the first program, what a context says of itself, printed buffers, spans. */
#include <stdio.h>

#include "support.h"

enum { LENGTH = 1024, BLOCK = 32 };

static const char vec_source[] =
    "kernel void vec_func(global const float *in0, global const float *in1, global float *out, float s, int len) {\n"
    "    int tid = get_global_id(0);\n"
    "    if (tid >= len) return;\n"
    "    out[tid] = in0[tid] + in1[tid] + s;\n"
    "}\n";

START_TEST(vector_add_goes_through_host_and_device_buffers) {
    weft_context *ctx = test_context();
    weft_host_buffer *in0_host = test_host_buffer(WEFT_FLOAT32, LENGTH);
    weft_host_buffer *in1_host = test_host_buffer(WEFT_FLOAT32, LENGTH);
    weft_host_buffer *out_host = test_host_buffer(WEFT_FLOAT32, LENGTH + BLOCK);
    float *in0 = weft_host_buffer_data(in0_host), *in1 = weft_host_buffer_data(in1_host);
    for (int i = 0; i < LENGTH; i++) {
        in0[i] = (float)i;
        in1[i] = 2;
    }

    weft_device_buffer *in0_device = test_device_buffer(WEFT_FLOAT32, LENGTH);
    weft_device_buffer *in1_device = test_device_buffer(WEFT_FLOAT32, LENGTH);
    weft_device_buffer *out_device = test_device_buffer(WEFT_FLOAT32, LENGTH + BLOCK);
    weft_function *function = test_function(vec_source, "vec_func");
    OK(weft_enqueue_copy(ctx, in0_device, in0_host));
    OK(weft_enqueue_copy(ctx, in1_device, in1_host));
    OK(weft_enqueue_fill(out_device, -1.0f));
    OK(weft_enqueue_function(ctx, function, LENGTH / BLOCK + 1, BLOCK, in0_device, in1_device, out_device, 0.5f, LENGTH));
    OK(weft_enqueue_copy(ctx, out_host, out_device));
    OK(weft_synchronize(ctx));

    const float *out = weft_host_buffer_data(out_host);
    for (int i = 0; i < LENGTH; i++) {
        ck_assert_float_eq(out[i], (float)i + 2.5f);
    }
    for (int i = LENGTH; i < LENGTH + BLOCK; i++) {
        ck_assert_float_eq(out[i], -1);
    }
}
END_TEST

START_TEST(declared_argument_types_are_known) {
    static const struct {
        const char *name, *type_name;
        weft_arg_class kind;
        size_t size_bytes;
    } expected[] = {{"in0", "float*", WEFT_PARAM_BUFFER, 4},
                    {"in1", "float*", WEFT_PARAM_BUFFER, 4},
                    {"out", "float*", WEFT_PARAM_BUFFER, 4},
                    {"s", "float", WEFT_PARAM_SCALAR, 4},
                    {"len", "int", WEFT_PARAM_SCALAR, 4}};
    weft_function *function = test_function(vec_source, "vec_func");
    ck_assert_str_eq(weft_function_name(function), "vec_func");
    ck_assert_uint_eq(weft_function_arg_count(function), 5);
    for (size_t i = 0; i < 5; i++) {
        weft_arg_info info;
        OK(weft_function_arg_info(function, i, &info));
        ck_assert_str_eq(info.name, expected[i].name);
        ck_assert_str_eq(info.type_name, expected[i].type_name);
        ck_assert_int_eq(info.kind, expected[i].kind);
        ck_assert_uint_eq(info.size_bytes, expected[i].size_bytes);
        ck_assert_uint_eq(info.alignment, 4);
        ck_assert_int_eq(info.address_space, i < 3 ? WEFT_SPACE_GLOBAL : WEFT_SPACE_PRIVATE);
        ck_assert(info.is_const == (i < 2));
        ck_assert(!info.is_restrict && !info.is_volatile);
    }
}
END_TEST

START_TEST(context_lives_as_long_as_a_reference) {
    weft_context *ctx = NULL;
    OK(weft_context_create(NULL, &ctx));
    ck_assert_ptr_eq(weft_context_retain(ctx), ctx);
    weft_context_release(ctx);
    test_context_works(ctx);
    weft_context_release(ctx);
}
END_TEST

START_TEST(first_device_has_id_zero) {
    const char *choice = getenv("WEFT_DEVICE");
    if (choice && strchr(choice, ':')) {
        SKIP("WEFT_DEVICE names an index");
    }
    ck_assert_int_eq(weft_context_id(test_context()), 0);
}
END_TEST

#define PRINTS(kind, buffer, expected)                                 \
    do {                                                               \
        char *text_ = NULL;                                            \
        size_t size_bytes_ = 0;                                        \
        FILE *stream_ = open_memstream(&text_, &size_bytes_);          \
        OK(weft_##kind##_buffer_write_to(buffer, stream_));            \
        fclose(stream_);                                               \
        ck_assert_str_eq(text_, expected);                             \
        free(text_);                                                   \
    } while (0)

START_TEST(buffers_print_as_in_the_model) {
    static float data[1001];
    for (int i = 0; i < 1001; i++) {
        data[i] = (float)i;
    }
    weft_host_buffer *host = test_host_buffer(WEFT_FLOAT32, 4);
    weft_device_buffer *device = test_device_buffer(WEFT_FLOAT32, 4);
    memcpy(weft_host_buffer_data(host), data, sizeof(float[4]));
    test_write(device, data);
    PRINTS(host, host, "HostBuffer([0.0, 1.0, 2.0, 3.0])");
    PRINTS(device, device, "DeviceBuffer([0.0, 1.0, 2.0, 3.0])");

    host = test_host_buffer(WEFT_FLOAT32, 1001);
    device = test_device_buffer(WEFT_FLOAT32, 1001);
    memcpy(weft_host_buffer_data(host), data, sizeof data);
    test_write(device, data);
    PRINTS(host, host, "HostBuffer([0.0, 1.0, 2.0, ..., 998.0, 999.0, 1000.0])");
    PRINTS(device, device, "DeviceBuffer([0.0, 1.0, 2.0, ..., 998.0, 999.0, 1000.0])");
}
END_TEST

/* Spans longer than the buffer are legal: the buffer's length counts, and the rest of a span stays as it is. */
static int32_t in[LENGTH + 1], out[LENGTH + 1];

static void spans_start(void) {
    for (int i = 0; i <= LENGTH; i++) {
        in[i] = 7 * i;
        out[i] = -1;
    }
}

static void spans_check(void) {
    for (int i = 0; i < LENGTH; i++) {
        ck_assert_int_eq(out[i], 7 * i);
    }
    ck_assert_int_eq(out[LENGTH], -1);
}

START_TEST(spans_go_both_ways_through_the_context) {
    weft_context *ctx = test_context();
    weft_device_buffer *buffer = test_device_buffer(WEFT_INT32, LENGTH);
    spans_start();
    OK(weft_enqueue_copy(ctx, buffer, WEFT_SPAN((const int32_t *)in, LENGTH + 1)));
    OK(weft_enqueue_copy(ctx, WEFT_SPAN(out, LENGTH), buffer));
    OK(weft_synchronize(ctx));
    spans_check();
}
END_TEST

START_TEST(spans_go_both_ways_through_a_device_buffer) {
    weft_device_buffer *buffer = test_device_buffer(WEFT_INT32, LENGTH);
    spans_start();
    OK(weft_device_buffer_enqueue_copy_from(buffer, WEFT_SPAN(in, LENGTH)));
    OK(weft_device_buffer_enqueue_copy_to(buffer, WEFT_SPAN(out, LENGTH + 1)));
    OK(weft_synchronize(test_context()));
    spans_check();
}
END_TEST

START_TEST(spans_go_both_ways_through_a_host_buffer) {
    weft_host_buffer *buffer = test_host_buffer(WEFT_INT32, LENGTH);
    spans_start();
    OK(weft_host_buffer_enqueue_copy_from(buffer, WEFT_SPAN(in, LENGTH + 1)));
    OK(weft_host_buffer_enqueue_copy_to(buffer, WEFT_SPAN(out, LENGTH + 1)));
    OK(weft_synchronize(test_context()));
    spans_check();
}
END_TEST

TESTS(vector_add_goes_through_host_and_device_buffers, declared_argument_types_are_known,
      context_lives_as_long_as_a_reference, first_device_has_id_zero, buffers_print_as_in_the_model,
      spans_go_both_ways_through_the_context, spans_go_both_ways_through_a_device_buffer,
      spans_go_both_ways_through_a_host_buffer)
