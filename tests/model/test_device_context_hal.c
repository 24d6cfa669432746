/* The model's test_device_context_hal: one small case for each thing that a context and its buffers do. */
#include "support.h"

enum { LENGTH = 100 };

static const char scale_source[] =
    "kernel void scale(global float *data, float by) { data[get_global_id(0)] *= by; }\n";

static float in[LENGTH], out[LENGTH + 1];

static void host_data_start(void) {
    for (int i = 0; i < LENGTH; i++) {
        in[i] = (float)i + 0.25f;
    }
    for (int i = 0; i <= LENGTH; i++) {
        out[i] = -1;
    }
}

/* out holds in, scaled, and nothing beyond it was written. */
static void out_check(float by) {
    for (int i = 0; i < LENGTH; i++) {
        ck_assert_float_eq(out[i], ((float)i + 0.25f) * by);
    }
    ck_assert_float_eq(out[LENGTH], -1);
}

START_TEST(synchronize_works_on_default_and_new_stream) {
    weft_context *ctx = test_context(), *stream = NULL;
    OK(weft_synchronize(ctx));
    OK(weft_synchronize(ctx));
    OK(weft_context_create_stream(ctx, NULL, &stream));
    ck_assert_ptr_ne(stream, ctx);
    OK(weft_synchronize(stream));
    weft_context_release(stream);
}
END_TEST

START_TEST(round_trip) {
    weft_context *ctx = test_context();
    weft_device_buffer *buffer = test_device_buffer(WEFT_FLOAT32, LENGTH);
    host_data_start();
    OK(weft_enqueue_copy(ctx, buffer, in));
    OK(weft_enqueue_copy(ctx, out, buffer));
    OK(weft_synchronize(ctx));
    out_check(1);
}
END_TEST

START_TEST(create_buffer_sync_gives_memory_for_any_context) {
    weft_context *ctx = test_context(), *stream = NULL;
    weft_device_buffer *buffer = NULL;
    OK(weft_context_create_stream(ctx, NULL, &stream));
    OK(weft_create_buffer_sync(ctx, WEFT_FLOAT32, LENGTH, &buffer));
    host_data_start();
    OK(weft_enqueue_copy(stream, buffer, in));
    OK(weft_enqueue_copy(stream, out, buffer));
    OK(weft_synchronize(stream));
    out_check(1);
    weft_device_buffer_release(buffer);
    weft_context_release(stream);
}
END_TEST

START_TEST(empty_buffers_take_part_in_everything) {
    weft_context *ctx = test_context();
    weft_device_buffer *device = test_device_buffer(WEFT_FLOAT32, 0), *other = test_device_buffer(WEFT_FLOAT32, 0);
    weft_host_buffer *host = test_host_buffer(WEFT_FLOAT32, 0), *mapped = NULL;
    ck_assert_uint_eq(weft_device_buffer_length(device), 0);
    ck_assert_uint_eq(weft_device_buffer_size_bytes(device), 0);
    ck_assert_int_eq(weft_device_buffer_dtype(device), WEFT_FLOAT32);
    ck_assert_ptr_eq(weft_device_buffer_context(device), ctx);
    OK(weft_enqueue_copy(ctx, device, host));
    OK(weft_enqueue_copy(ctx, host, device));
    OK(weft_enqueue_copy(ctx, other, device));
    OK(weft_enqueue_copy(ctx, device, out));
    OK(weft_enqueue_fill(device, 1.0f));
    OK(weft_enqueue_fill(host, 1.0f));
    OK(weft_device_buffer_map_to_host(device, &mapped));
    ck_assert_uint_eq(weft_host_buffer_length(mapped), 0);
    OK(weft_device_buffer_unmap(device, mapped));
    OK(weft_synchronize(ctx));
    test_context_works(ctx);
}
END_TEST

START_TEST(buffer_knows_its_context) {
    weft_context *ctx = test_context(), *stream = NULL;
    weft_device_buffer *buffer = NULL, *view = NULL;
    weft_host_buffer *host = NULL;
    OK(weft_context_create_stream(ctx, NULL, &stream));
    OK(weft_enqueue_create_buffer(stream, WEFT_INT16, LENGTH, &buffer));
    OK(weft_enqueue_create_host_buffer(stream, WEFT_INT16, LENGTH, &host));
    OK(weft_device_buffer_create_sub_buffer(buffer, WEFT_INT8, 3, 5, &view));
    ck_assert_ptr_eq(weft_device_buffer_context(buffer), stream);
    ck_assert_ptr_eq(weft_device_buffer_context(view), stream);
    ck_assert_ptr_eq(weft_host_buffer_context(host), stream);
    weft_device_buffer_release(buffer);
    weft_device_buffer_release(view);
    weft_host_buffer_release(host);
    weft_context_release(stream);
}
END_TEST

START_TEST(span_pointer_host_and_device_copies_agree) {
    weft_context *ctx = test_context();
    weft_device_buffer *a = test_device_buffer(WEFT_FLOAT32, LENGTH), *b = test_device_buffer(WEFT_FLOAT32, LENGTH);
    weft_host_buffer *g = test_host_buffer(WEFT_FLOAT32, LENGTH), *h = test_host_buffer(WEFT_FLOAT32, LENGTH);
    host_data_start();
    OK(weft_enqueue_copy(ctx, g, WEFT_SPAN(in, LENGTH)));   /* span to host buffer */
    OK(weft_enqueue_copy(ctx, a, g));                       /* host to device */
    OK(weft_enqueue_copy(ctx, b, a));                       /* device to device */
    OK(weft_enqueue_copy(ctx, h, b));                       /* device to host */
    OK(weft_enqueue_copy(ctx, g, h));                       /* host to host */
    OK(weft_enqueue_copy(ctx, out, g));                     /* host buffer to pointer */
    OK(weft_synchronize(ctx));
    out_check(1);
}
END_TEST

START_TEST(host_buffer_is_plain_memory) {
    weft_host_buffer *host = test_host_buffer(WEFT_FLOAT32, LENGTH);
    float *data = weft_host_buffer_data(host);
    ck_assert_ptr_nonnull(data);
    ck_assert_uint_eq((uintptr_t)data % 64, 0);
    ck_assert_uint_eq(weft_host_buffer_length(host), LENGTH);
    ck_assert_uint_eq(weft_host_buffer_size_bytes(host), sizeof(float[LENGTH]));
    host_data_start();
    memcpy(data, in, sizeof in);
    OK(weft_host_buffer_enqueue_copy_to(host, out));
    OK(weft_synchronize(test_context()));
    out_check(1);
    ck_assert_ptr_eq(weft_host_buffer_data(host), data);
}
END_TEST

START_TEST(map_to_host_reads_and_writes) {
    weft_device_buffer *buffer = test_device_buffer(WEFT_FLOAT32, LENGTH);
    weft_host_buffer *mapped = NULL;
    host_data_start();
    test_write(buffer, in);
    OK(weft_device_buffer_map_to_host(buffer, &mapped));
    float *data = weft_host_buffer_data(mapped);
    ck_assert_mem_eq(data, in, sizeof in);
    for (int i = 0; i < LENGTH; i++) {
        data[i] *= 2;
    }
    OK(weft_device_buffer_unmap(buffer, mapped));
    test_read(buffer, out);
    out_check(2);
}
END_TEST

START_TEST(compiled_function_is_used_again) {
    weft_context *ctx = test_context();
    weft_device_buffer *buffer = test_device_buffer(WEFT_FLOAT32, LENGTH);
    weft_function *first = test_function(scale_source, "scale"), *second = test_function(scale_source, "scale");
    host_data_start();
    test_write(buffer, in);
    for (int i = 0; i < 3; i++) {
        OK(weft_enqueue_function(ctx, first, LENGTH / 10, 10, buffer, 2.0f));
        OK(weft_enqueue_function(ctx, second, LENGTH / 10, 10, buffer, 1.5f));
    }
    test_read(buffer, out);
    out_check(27);
}
END_TEST

START_TEST(dynamic_shared_memory_reverses_a_block) {
    static const char source[] =
        "kernel void reverse(global float *data, local float *shared) {\n"
        "    int t = get_local_id(0), n = get_local_size(0);\n"
        "    shared[t] = data[get_global_id(0)];\n"
        "    barrier(CLK_LOCAL_MEM_FENCE);\n"
        "    data[get_global_id(0)] = shared[n - 1 - t];\n"
        "}\n";
    weft_device_buffer *buffer = test_device_buffer(WEFT_FLOAT32, LENGTH);
    host_data_start();
    test_write(buffer, in);
    OK(weft_enqueue_function(test_context(), test_function(source, "reverse"), LENGTH / 10, 10, buffer,
                             weft_shared_bytes(sizeof(float[10]))));
    test_read(buffer, out);
    for (int i = 0; i < LENGTH; i++) {
        ck_assert_float_eq(out[i], in[i / 10 * 10 + 9 - i % 10]);
    }
}
END_TEST

START_TEST(launch_on_a_stream) {
    weft_context *ctx = test_context(), *stream = NULL;
    weft_device_buffer *buffer = test_device_buffer(WEFT_FLOAT32, LENGTH);
    host_data_start();
    test_write(buffer, in);
    OK(weft_context_create_stream(ctx, NULL, &stream));
    OK(weft_enqueue_function(stream, test_function(scale_source, "scale"), LENGTH, 1, buffer, 3.0f));
    OK(weft_synchronize(stream));
    test_read(buffer, out);
    out_check(3);
    weft_context_release(stream);
}
END_TEST

TESTS(synchronize_works_on_default_and_new_stream, round_trip, create_buffer_sync_gives_memory_for_any_context,
      empty_buffers_take_part_in_everything, buffer_knows_its_context, span_pointer_host_and_device_copies_agree,
      host_buffer_is_plain_memory, map_to_host_reads_and_writes, compiled_function_is_used_again,
      dynamic_shared_memory_reverses_a_block, launch_on_a_stream)
