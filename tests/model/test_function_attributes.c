/* The model's test_function_attributes: what a compiled function says of itself. */
#include "support.h"

static int64_t attribute(weft_function *function, weft_function_attribute code) {
    int64_t value = -1;
    OK(weft_function_get_attribute(function, code, &value));
    return value;
}

static int64_t device_attribute(weft_device_attribute code) {
    int64_t value = -1;
    OK(weft_context_get_attribute(test_context(), code, &value));
    return value;
}

static const char trivial_source[] = "kernel void trivial(global int *out) { out[get_global_id(0)] = 1; }\n";

START_TEST(trivial_kernel_needs_no_memory_of_its_own) {
    weft_function *trivial = test_function(trivial_source, "trivial");
    int64_t private_bytes = attribute(trivial, WEFT_FUNCTION_LOCAL_SIZE_BYTES);
    ck_assert(private_bytes == 0 || on_driver("pocl")); /* which says 1024 for every kernel */
    ck_assert_int_eq(attribute(trivial, WEFT_FUNCTION_SHARED_SIZE_BYTES), 0);
}
END_TEST

START_TEST(limits_fit_the_device) {
    weft_function *trivial = test_function(trivial_source, "trivial");
    int64_t block = attribute(trivial, WEFT_FUNCTION_MAX_THREADS_PER_BLOCK);
    ck_assert_int_ge(block, 1);
    ck_assert_int_le(block, device_attribute(WEFT_DEVICE_MAX_THREADS_PER_BLOCK));
    ck_assert_int_ge(attribute(trivial, WEFT_FUNCTION_PREFERRED_BLOCK_MULTIPLE), 1);
    int64_t dynamic = attribute(trivial, WEFT_FUNCTION_MAX_DYNAMIC_SHARED_SIZE_BYTES);
    ck_assert_int_ge(dynamic, 16 * 1024);
    ck_assert_int_le(dynamic, device_attribute(WEFT_DEVICE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN));

    weft_device_buffer *out = test_device_buffer(WEFT_INT32, (size_t)block);
    int32_t *got = calloc((size_t)block, sizeof *got);
    OK(weft_enqueue_fill(out, 0));
    OK(weft_enqueue_function(test_context(), trivial, 1, block, out)); /* the whole of it works */
    test_read(out, got);
    for (int64_t i = 0; i < block; i++) {
        ck_assert_int_eq(got[i], 1);
    }
    free(got);
}
END_TEST

START_TEST(static_shared_memory_counts) {
    static const char source[] =
        "kernel void tile(global int *out) {\n"
        "    local int shared[1024];\n"
        "    shared[get_local_id(0)] = 5;\n"
        "    barrier(CLK_LOCAL_MEM_FENCE);\n"
        "    out[get_global_id(0)] = shared[get_local_size(0) - 1 - get_local_id(0)];\n"
        "}\n";
    weft_function *tile = test_function(source, "tile");
    int64_t fixed = attribute(tile, WEFT_FUNCTION_SHARED_SIZE_BYTES);
    int64_t dynamic = attribute(tile, WEFT_FUNCTION_MAX_DYNAMIC_SHARED_SIZE_BYTES);
    if (fixed == 0) {
        SKIP("the driver does not count a kernel's own local memory"); /* PoCL 5 */
    }
    ck_assert_int_ge(fixed, 4096);
    ck_assert_int_ge(dynamic, 0);
    ck_assert_int_le(fixed + dynamic, device_attribute(WEFT_DEVICE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN));
}
END_TEST

START_TEST(required_block_is_known) {
    static const char source[] =
        "kernel __attribute__((reqd_work_group_size(8, 2, 1))) void fixed_block(global int *out) {\n"
        "    out[get_global_id(0) + 8 * get_global_id(1)] = 1;\n"
        "}\n";
    weft_function *fixed_block = test_function(source, "fixed_block"), *trivial = test_function(trivial_source, "trivial");
    ck_assert_int_eq(attribute(fixed_block, WEFT_FUNCTION_REQUIRED_BLOCK_X), 8);
    ck_assert_int_eq(attribute(fixed_block, WEFT_FUNCTION_REQUIRED_BLOCK_Y), 2);
    ck_assert_int_eq(attribute(fixed_block, WEFT_FUNCTION_REQUIRED_BLOCK_Z), 1);
    ck_assert_int_eq(attribute(trivial, WEFT_FUNCTION_REQUIRED_BLOCK_X), 0);
    ck_assert_int_eq(attribute(trivial, WEFT_FUNCTION_REQUIRED_BLOCK_Y), 0);
    ck_assert_int_eq(attribute(trivial, WEFT_FUNCTION_REQUIRED_BLOCK_Z), 0);
    weft_device_buffer *out = test_device_buffer(WEFT_INT32, 16);
    int32_t got[16];
    OK(weft_enqueue_function(test_context(), fixed_block, 1, WEFT_DIM(8, 2), out));
    FAILS(WEFT_ERROR_LAUNCH_LIMIT, weft_enqueue_function(test_context(), fixed_block, 1, 16, out));
    SAYS("fixed_block");
    test_read(out, got);
    for (int i = 0; i < 16; i++) {
        ck_assert_int_eq(got[i], 1);
    }
}
END_TEST

START_TEST(suggested_launch_covers_the_threads) {
    static const size_t counts[] = {1, 2, 63, 64, 1000, 4097, 1000003};
    weft_function *trivial = test_function(trivial_source, "trivial");
    size_t limit = (size_t)attribute(trivial, WEFT_FUNCTION_MAX_THREADS_PER_BLOCK);
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        weft_dim grid, block;
        OK(weft_function_suggest_launch(trivial, counts[i], &grid, &block));
        ck_assert(grid.y == 1 && grid.z == 1 && block.y == 1 && block.z == 1);
        ck_assert_uint_ge(block.x, 1);
        ck_assert_uint_le(block.x, limit);
        ck_assert_uint_eq(grid.x, (counts[i] + block.x - 1) / block.x);
    }
}
END_TEST

TESTS(trivial_kernel_needs_no_memory_of_its_own, limits_fit_the_device, static_shared_memory_counts, required_block_is_known,
      suggested_launch_covers_the_threads)
