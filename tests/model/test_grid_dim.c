/* The model's test_grid_dim: the kernel sees the launch's dimensions, and each block and thread runs once. */
#include "support.h"

static const char names_source[] =
    "#include <weft.clh>\n"
    "kernel void dims(global int *out) {\n"
    "    if (thread_idx.x == 0 && thread_idx.y == 0 && thread_idx.z == 0) atomic_inc(&out[6]);\n"
    "    atomic_inc(&out[7]);\n"
    "    if (global_idx.x != 0 || global_idx.y != 0 || global_idx.z != 0) return;\n"
    "    out[0] = grid_dim.x;  out[1] = grid_dim.y;  out[2] = grid_dim.z;\n"
    "    out[3] = block_dim.x; out[4] = block_dim.y; out[5] = block_dim.z;\n"
    "}\n";

static const char plain_source[] =
    "kernel void dims(global int *out) {\n"
    "    if (get_local_id(0) + get_local_id(1) + get_local_id(2) == 0) atomic_inc(&out[6]);\n"
    "    atomic_inc(&out[7]);\n"
    "    if (get_global_id(0) + get_global_id(1) + get_global_id(2) != 0) return;\n"
    "    for (int d = 0; d < 3; d++) {\n"
    "        out[d] = get_num_groups(d);\n"
    "        out[3 + d] = get_local_size(d);\n"
    "    }\n"
    "}\n";

static void check_dims(const char *source) {
    static const int shapes[][6] = {{1, 1, 1, 1, 1, 1}, {14, 15, 16, 2, 3, 4}, {1, 300, 2, 8, 1, 1}, {65, 1, 1, 1, 2, 16}};
    weft_function *dims = test_function(source, "dims");
    weft_device_buffer *out = test_device_buffer(WEFT_INT32, 9);
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        const int *s = shapes[i];
        const int blocks = s[0] * s[1] * s[2], threads = blocks * s[3] * s[4] * s[5];
        const int32_t want[9] = {s[0], s[1], s[2], s[3], s[4], s[5], blocks, threads, 0};
        int32_t got[9];
        OK(weft_enqueue_fill(out, 0));
        OK(weft_enqueue_function(test_context(), dims, WEFT_DIM(s[0], s[1], s[2]), WEFT_DIM(s[3], s[4], s[5]), out));
        test_read(out, got);
        ck_assert_msg(memcmp(got, want, sizeof want) == 0, "shape %zu: %d blocks, %d threads", i, got[6], got[7]);
    }
}

START_TEST(model_names) { check_dims(names_source); }
END_TEST

START_TEST(plain_opencl_names) { check_dims(plain_source); }
END_TEST

TESTS(model_names, plain_opencl_names)
