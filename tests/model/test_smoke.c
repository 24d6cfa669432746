/* The model's test_smoke: names, memory, attributes, a stream, copies of handles. */
#include <stdio.h>

#include "support.h"

START_TEST(context_has_a_name_and_an_api) {
    weft_context *ctx = test_context();
    weft_device_info info;
    ck_assert_str_ne(weft_context_name(ctx), "");
    ck_assert_str_eq(weft_context_api(ctx), test_driver());
    ck_assert_int_ge(weft_context_id(ctx), 0);
    ck_assert_uint_lt((size_t)weft_context_id(ctx), weft_number_of_devices(weft_context_api(ctx)));
    OK(weft_device_get_info(weft_context_api(ctx), weft_context_id(ctx), &info));
    ck_assert_str_eq(info.name, weft_context_name(ctx));
    if (on_driver("nvidia")) {
        ck_assert_ptr_nonnull(strstr(weft_context_name(ctx), "NVIDIA"));
    }
}
END_TEST

START_TEST(version_is_the_headers_version) {
    char expected[32];
    snprintf(expected, sizeof expected, "%d.%d.%d", WEFT_VERSION_MAJOR, WEFT_VERSION_MINOR, WEFT_VERSION_PATCH);
    ck_assert_str_eq(weft_version(), expected);
    ck_assert_str_eq(weft_version(), "0.1.0");
}
END_TEST

START_TEST(statuses_and_dtypes_have_names) {
    ck_assert_str_eq(weft_status_name(WEFT_OK), "WEFT_OK");
    ck_assert_str_eq(weft_status_name(WEFT_ERROR_OUT_OF_RANGE), "WEFT_ERROR_OUT_OF_RANGE");
    ck_assert_str_eq(weft_status_name(WEFT_ERROR_DRIVER), "WEFT_ERROR_DRIVER");
    static const struct {
        const char *name;
        size_t size_bytes;
    } dtypes[] = {{"int8", 1},  {"uint8", 1},   {"int16", 2},   {"uint16", 2},   {"int32", 4},   {"uint32", 4},
                  {"int64", 8}, {"uint64", 8},  {"float16", 2}, {"bfloat16", 2}, {"float32", 4}, {"float64", 8}};
    for (int i = 0; i < 12; i++) {
        ck_assert_str_eq(weft_dtype_name((weft_dtype)i), dtypes[i].name);
        ck_assert_uint_eq(weft_dtype_size((weft_dtype)i), dtypes[i].size_bytes);
    }
}
END_TEST

START_TEST(memory_info_follows_what_is_held) {
    enum { SIZE = 1 << 20 };
    weft_context *ctx = test_context();
    size_t free_before = 0, free_after = 0, total = 0;
    OK(weft_context_get_memory_info(ctx, &free_before, &total));
    ck_assert_uint_gt(total, 0);
    ck_assert_uint_le(free_before, total);
    weft_device_buffer *buffer = test_device_buffer(WEFT_UINT8, SIZE);
    OK(weft_enqueue_fill(buffer, 1));
    OK(weft_context_get_memory_info(ctx, &free_after, &total));
    ck_assert_uint_le(free_after + SIZE, total);
    ck_assert_uint_le(free_after, free_before);
}
END_TEST

static int64_t attribute(weft_device_attribute code) {
    int64_t value = -1;
    OK(weft_context_get_attribute(test_context(), code, &value));
    return value;
}

START_TEST(attributes_agree_with_the_device) {
    weft_context *ctx = test_context();
    weft_device_info info;
    OK(weft_device_get_info(weft_context_api(ctx), weft_context_id(ctx), &info));
    int64_t threads = attribute(WEFT_DEVICE_MAX_THREADS_PER_BLOCK);
    ck_assert_int_eq(threads, (int64_t)info.max_threads_per_block);
    ck_assert_int_ge(threads, 1);
    for (int d = 0; d < 3; d++) {
        ck_assert_int_eq(attribute((weft_device_attribute)(WEFT_DEVICE_MAX_BLOCK_DIM_X + d)), (int64_t)info.max_block_dim[d]);
        ck_assert_int_ge(attribute((weft_device_attribute)(WEFT_DEVICE_MAX_GRID_DIM_X + d)), 65535);
    }
    ck_assert_int_eq(attribute(WEFT_DEVICE_MAX_SHARED_MEMORY_PER_BLOCK), (int64_t)info.max_shared_bytes);
    ck_assert_int_eq(attribute(WEFT_DEVICE_WARP_SIZE), info.warp_size);
    ck_assert_int_eq(attribute(WEFT_DEVICE_CLOCK_RATE), (int64_t)info.clock_mhz * 1000);
    ck_assert_int_eq(attribute(WEFT_DEVICE_MULTIPROCESSOR_COUNT), info.compute_units);
    ck_assert_int_eq(attribute(WEFT_DEVICE_INTEGRATED), info.unified_memory);
    ck_assert_int_eq(attribute(WEFT_DEVICE_L2_CACHE_SIZE), (int64_t)info.cache_bytes);
    ck_assert_int_ge(attribute(WEFT_DEVICE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR), (int64_t)info.max_shared_bytes);
    ck_assert_int_eq(attribute(WEFT_DEVICE_COOPERATIVE_LAUNCH), 0);
    ck_assert_int_ge(attribute(WEFT_DEVICE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN), (int64_t)info.max_shared_bytes);
    ck_assert_int_eq(attribute(WEFT_DEVICE_MAX_ALLOCATION_BYTES), (int64_t)info.max_allocation_bytes);
}
END_TEST

START_TEST(compute_capability_is_nvidias) {
    static const weft_device_attribute codes[] = {WEFT_DEVICE_COMPUTE_CAPABILITY_MAJOR, WEFT_DEVICE_COMPUTE_CAPABILITY_MINOR,
                                                  WEFT_DEVICE_MAX_REGISTERS_PER_BLOCK};
    for (int i = 0; i < 3; i++) {
        int64_t value = -1;
        if (on_driver("nvidia")) {
            OK(weft_context_get_attribute(test_context(), codes[i], &value));
            ck_assert_int_ge(value, i == 1 ? 0 : 1);
        } else {
            FAILS(WEFT_ERROR_UNSUPPORTED, weft_context_get_attribute(test_context(), codes[i], &value));
            ck_assert_int_eq(value, 0);
        }
    }
}
END_TEST

START_TEST(handles_are_counted) {
    weft_context *ctx = test_context();
    weft_device_buffer *device = NULL, *same = NULL;
    weft_host_buffer *host = NULL;
    OK(weft_enqueue_create_buffer(ctx, WEFT_INT32, 4, &device));
    OK(weft_enqueue_create_host_buffer(ctx, WEFT_INT32, 4, &host));
    same = weft_device_buffer_retain(device);
    ck_assert_ptr_eq(same, device); /* the same memory */
    OK(weft_enqueue_fill(device, 9));
    weft_device_buffer_release(device);
    ck_assert_ptr_eq(weft_host_buffer_retain(host), host);
    weft_host_buffer_release(host);
    OK(weft_enqueue_copy(ctx, host, same));
    OK(weft_synchronize(ctx));
    for (int i = 0; i < 4; i++) {
        ck_assert_int_eq(((int32_t *)weft_host_buffer_data(host))[i], 9);
    }
    weft_device_buffer_release(same);
    weft_host_buffer_release(host);
}
END_TEST

START_TEST(buffers_and_functions_outlive_their_context) {
    static const char source[] = "kernel void add(global int *data, int x) { data[get_global_id(0)] += x; }\n";
    weft_context *first = NULL, *second = NULL;
    weft_device_buffer *buffer = NULL;
    weft_function *function = NULL;
    int32_t got[4];
    OK(weft_context_create(NULL, &first));
    OK(weft_enqueue_create_buffer(first, WEFT_INT32, 4, &buffer));
    OK(weft_enqueue_fill(buffer, 40));
    OK(weft_compile_function(first, source, "add", NULL, &function));
    OK(weft_synchronize(first));
    weft_context_release(first);
    OK(weft_context_create(NULL, &second));
    OK(weft_enqueue_function(second, function, 1, 4, buffer, 2));
    OK(weft_enqueue_copy(second, got, buffer));
    OK(weft_synchronize(second));
    for (int i = 0; i < 4; i++) {
        ck_assert_int_eq(got[i], 42);
    }
    weft_device_buffer_release(buffer);
    weft_function_release(function);
    weft_context_release(second);
}
END_TEST

TESTS(context_has_a_name_and_an_api, version_is_the_headers_version, statuses_and_dtypes_have_names,
      memory_info_follows_what_is_held, attributes_agree_with_the_device, compute_capability_is_nvidias, handles_are_counted,
      buffers_and_functions_outlive_their_context)
