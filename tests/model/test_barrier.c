/* The model's test_barrier and test_sync: what was written before a block's barrier is seen after it. */
#include "support.h"

enum { BLOCK = 64, BLOCKS = 3, LENGTH = BLOCK * BLOCKS, ROUNDS = 5 };

/* Every round each thread takes its right neighbour's value. */
static const char names_source[] =
    "#include <weft.clh>\n"
    "kernel void rotate_block(global const int *in, global int *out, int rounds) {\n"
    "    SHARED(int, tile, 64);\n"
    "    int t = thread_idx.x, n = block_dim.x, value = in[global_idx.x];\n"
    "    for (int round = 0; round < rounds; round++) {\n"
    "        tile[t] = value;\n"
    "        block_barrier();\n"
    "        value = tile[(t + 1) % n];\n"
    "        block_barrier();\n"
    "    }\n"
    "    out[global_idx.x] = value;\n"
    "}\n";

static const char plain_source[] =
    "kernel void rotate_block(global const int *in, global int *out, int rounds) {\n"
    "    local int tile[64];\n"
    "    int t = get_local_id(0), n = get_local_size(0), value = in[get_global_id(0)];\n"
    "    for (int round = 0; round < rounds; round++) {\n"
    "        tile[t] = value;\n"
    "        barrier(CLK_LOCAL_MEM_FENCE);\n"
    "        value = tile[(t + 1) % n];\n"
    "        barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    }\n"
    "    out[get_global_id(0)] = value;\n"
    "}\n";

static void check_rotation(const char *source) {
    int32_t in[LENGTH], got[LENGTH];
    for (int i = 0; i < LENGTH; i++) {
        in[i] = 1000 + i;
    }
    weft_device_buffer *a = test_device_buffer(WEFT_INT32, LENGTH), *b = test_device_buffer(WEFT_INT32, LENGTH);
    test_write(a, in);
    OK(weft_enqueue_function(test_context(), test_function(source, "rotate_block"), BLOCKS, BLOCK, a, b, ROUNDS));
    test_read(b, got);
    for (int i = 0; i < LENGTH; i++) {
        ck_assert_int_eq(got[i], 1000 + i / BLOCK * BLOCK + (i % BLOCK + ROUNDS) % BLOCK);
    }
}

START_TEST(shared_memory_model_names) { check_rotation(names_source); }
END_TEST

START_TEST(shared_memory_plain_opencl) { check_rotation(plain_source); }
END_TEST

/* The model's barrier orders global memory within the block too. */
START_TEST(global_memory_is_ordered_within_the_block) {
    static const char source[] =
        "#include <weft.clh>\n"
        "kernel void swap_in_block(global int *data, global int *out) {\n"
        "    data[global_idx.x] = 2 * global_idx.x;\n"
        "    block_barrier();\n"
        "    out[global_idx.x] = data[block_idx.x * block_dim.x + block_dim.x - 1 - thread_idx.x];\n"
        "}\n";
    int32_t got[LENGTH];
    weft_device_buffer *data = test_device_buffer(WEFT_INT32, LENGTH), *out = test_device_buffer(WEFT_INT32, LENGTH);
    OK(weft_enqueue_fill(data, -1));
    OK(weft_enqueue_function(test_context(), test_function(source, "swap_in_block"), BLOCKS, BLOCK, data, out));
    test_read(out, got);
    for (int i = 0; i < LENGTH; i++) {
        ck_assert_int_eq(got[i], 2 * (i / BLOCK * BLOCK + BLOCK - 1 - i % BLOCK));
    }
}
END_TEST

TESTS(shared_memory_model_names, shared_memory_plain_opencl, global_memory_is_ordered_within_the_block)
