/* The model's test_id: every thread of a 3-D launch knows where it is. */
#include "support.h"

enum { GX = 3, GY = 2, GZ = 2, BX = 4, BY = 3, BZ = 2, THREADS = GX * GY * GZ * BX * BY * BZ, FIELDS = 9 };

static const char names_source[] =
    "#include <weft.clh>\n"
    "kernel void ids(global int *out) {\n"
    "    int at = global_idx.x + grid_dim.x * block_dim.x * (global_idx.y + grid_dim.y * block_dim.y * global_idx.z);\n"
    "    global int *row = out + 9 * at;\n"
    "    row[0] = thread_idx.x; row[1] = thread_idx.y; row[2] = thread_idx.z;\n"
    "    row[3] = block_idx.x;  row[4] = block_idx.y;  row[5] = block_idx.z;\n"
    "    row[6] = global_idx.x; row[7] = global_idx.y; row[8] = global_idx.z;\n"
    "}\n";

static const char plain_source[] =
    "kernel void ids(global int *out) {\n"
    "    int at = get_global_id(0) + get_global_size(0) * (get_global_id(1) + get_global_size(1) * get_global_id(2));\n"
    "    global int *row = out + 9 * at;\n"
    "    for (int d = 0; d < 3; d++) {\n"
    "        row[d] = get_local_id(d);\n"
    "        row[3 + d] = get_group_id(d);\n"
    "        row[6 + d] = get_global_id(d);\n"
    "    }\n"
    "}\n";

static void check_ids(const char *source) {
    static int32_t got[THREADS * FIELDS + 1];
    weft_device_buffer *out = test_device_buffer(WEFT_INT32, THREADS * FIELDS + 1);
    OK(weft_enqueue_fill(out, -1));
    OK(weft_enqueue_function(test_context(), test_function(source, "ids"), WEFT_DIM(GX, GY, GZ), WEFT_DIM(BX, BY, BZ), out));
    test_read(out, got);
    const int32_t *row = got;
    for (int z = 0; z < GZ * BZ; z++) {
        for (int y = 0; y < GY * BY; y++) {
            for (int x = 0; x < GX * BX; x++, row += FIELDS) {
                const int32_t want[FIELDS] = {x % BX, y % BY, z % BZ, x / BX, y / BY, z / BZ, x, y, z};
                ck_assert_mem_eq(row, want, sizeof want);
            }
        }
    }
    ck_assert_int_eq(*row, -1);
}

START_TEST(model_names) { check_ids(names_source); }
END_TEST

START_TEST(plain_opencl_names) { check_ids(plain_source); }
END_TEST

START_TEST(ids_are_signed_and_as_wide_as_asked) {
    static const char source[] =
        "#include <weft.clh>\n"
        "kernel void width(global int *out) {\n"
        "    out[0] = sizeof(thread_idx.x);\n"
        "    out[1] = sizeof(global_idx.z);\n"
        "    out[2] = thread_idx.x - 1 < 0;\n"
        "    out[3] = sizeof(grid_dim.y);\n"
        "}\n";
    static const char narrow[] = "WEFT_INDEX_32=1";
    for (int bits = 32; bits <= 64; bits += 32) {
        const char *defines[] = {narrow};
        const weft_compile_options options = {.defines = defines, .n_defines = bits == 32};
        weft_function *width = NULL;
        weft_device_buffer *out = test_device_buffer(WEFT_INT32, 4);
        OK(weft_compile_function(test_context(), source, "width", &options, &width));
        OK(weft_enqueue_function(test_context(), width, 1, 1, out));
        weft_function_release(width);
        int32_t got[4];
        test_read(out, got);
        ck_assert_int_eq(got[0], bits / 8);
        ck_assert_int_eq(got[1], bits / 8);
        ck_assert_int_eq(got[2], 1);
        ck_assert_int_eq(got[3], bits / 8);
    }
}
END_TEST

TESTS(model_names, plain_opencl_names, ids_are_signed_and_as_wide_as_asked)
