/* The model's test_dim: grid and block dimensions in every form that a launch takes. */
#include "support.h"

static const char source[] =
    "kernel void shape(global int *out) {\n"
    "    if (get_global_id(0) || get_global_id(1) || get_global_id(2)) return;\n"
    "    for (int d = 0; d < 3; d++) {\n"
    "        out[d] = get_num_groups(d);\n"
    "        out[3 + d] = get_local_size(d);\n"
    "    }\n"
    "}\n";

static void dim_is(weft_dim dim, size_t x, size_t y, size_t z) {
    ck_assert_uint_eq(dim.x, x);
    ck_assert_uint_eq(dim.y, y);
    ck_assert_uint_eq(dim.z, z);
}

START_TEST(missing_components_are_one) {
    dim_is(WEFT_DIM(8), 8, 1, 1);
    dim_is(WEFT_DIM(8, 2), 8, 2, 1);
    dim_is(WEFT_DIM(8, 2, 3), 8, 2, 3);
    dim_is(WEFT_DIM_OF(8), 8, 1, 1);
    dim_is(WEFT_DIM_OF(WEFT_DIM(8, 2, 3)), 8, 2, 3);
    dim_is(WEFT_DIM(WEFT_DIM(4, 5).y), 5, 1, 1);
}
END_TEST

START_TEST(any_integer_type_makes_a_dimension) {
    dim_is(WEFT_DIM((char)7, (signed char)8, (unsigned char)9), 7, 8, 9);
    dim_is(WEFT_DIM((short)7, (unsigned short)8, 9u), 7, 8, 9);
    dim_is(WEFT_DIM(7L, 8uL, 9LL), 7, 8, 9);
    dim_is(WEFT_DIM(7uLL, (size_t)8, true), 7, 8, 1);
    dim_is(WEFT_DIM_OF((short)7), 7, 1, 1);
    dim_is(WEFT_DIM_OF((uint8_t)200), 200, 1, 1);
    dim_is(WEFT_DIM(SIZE_MAX), SIZE_MAX, 1, 1);
}
END_TEST

START_TEST(negative_components_become_zero) {
    dim_is(WEFT_DIM(-1), 0, 1, 1);
    dim_is(WEFT_DIM(1, INT64_MIN, (short)-1), 1, 0, 0);
    dim_is(WEFT_DIM_OF(-5L), 0, 1, 1);
}
END_TEST

#define LAUNCHES(grid, block, gx, gy, gz, bx, by, bz)                                 \
    do {                                                                              \
        const int32_t want_[6] = {gx, gy, gz, bx, by, bz};                            \
        int32_t got_[6];                                                              \
        OK(weft_enqueue_fill(out, -1));                                               \
        OK(weft_enqueue_function(test_context(), shape, grid, block, out));           \
        test_read(out, got_);                                                         \
        ck_assert_mem_eq(got_, want_, sizeof want_);                                  \
    } while (0)

START_TEST(launch_takes_every_form) {
    weft_function *shape = test_function(source, "shape");
    weft_device_buffer *out = test_device_buffer(WEFT_INT32, 6);
    const weft_dim grid = {2, 3, 4};
    const size_t blocks = 3;
    LAUNCHES(5, 4, 5, 1, 1, 4, 1, 1);
    LAUNCHES(blocks, (short)4, 3, 1, 1, 4, 1, 1);
    LAUNCHES(WEFT_DIM(5), WEFT_DIM(4), 5, 1, 1, 4, 1, 1);
    LAUNCHES(WEFT_DIM(2, 2), WEFT_DIM(2, 2, 1), 2, 2, 1, 2, 2, 1);
    LAUNCHES(grid, WEFT_DIM(2, 1, 2), 2, 3, 4, 2, 1, 2);
    LAUNCHES(1u, WEFT_DIM(1, 1, 4), 1, 1, 1, 1, 1, 4);
    LAUNCHES(WEFT_DIM(1, 7), 1, 1, 7, 1, 1, 1, 1);
}
END_TEST

#define NAMES(text, grid, block)                                                                            \
    do {                                                                                                    \
        FAILS(WEFT_ERROR_INVALID_ARGUMENT, weft_enqueue_function(test_context(), shape, grid, block, out)); \
        SAYS(text);                                                                                         \
    } while (0)

START_TEST(zero_is_refused_by_name) {
    weft_function *shape = test_function(source, "shape");
    weft_device_buffer *out = test_device_buffer(WEFT_INT32, 6);
    int32_t got[6];
    OK(weft_enqueue_fill(out, 9));
    NAMES("grid_dim.x", 0, 1);
    NAMES("grid_dim.x", -1, 1);
    NAMES("grid_dim.y", WEFT_DIM(1, 0), 1);
    NAMES("grid_dim.z", WEFT_DIM(1, 1, 0), 1);
    NAMES("block_dim.x", 1, WEFT_DIM(0, 1, 1));
    NAMES("block_dim.y", 1, WEFT_DIM(1, -3, 1));
    NAMES("block_dim.z", 1, WEFT_DIM(1, 1, 0u));
    test_read(out, got);
    for (int i = 0; i < 6; i++) {
        ck_assert_int_eq(got[i], 9);
    }
}
END_TEST

TESTS(missing_components_are_one, any_integer_type_makes_a_dimension, negative_components_become_zero,
      launch_takes_every_form, zero_is_refused_by_name)
