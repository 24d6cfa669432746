/* The model's test_external_and_static_shared_mem and test_shared_mem_barrier. */
#include "support.h"

enum { BLOCK = 64, BLOCKS = 4, LENGTH = BLOCK * BLOCKS };

static const char both_source[] =
    "#include <weft.clh>\n"
    "kernel void both(global const float *in, global float *out, local float *dynamic, local int *more) {\n"
    "    SHARED(float, fixed, 64);\n"
    "    int t = thread_idx.x, n = block_dim.x;\n"
    "    fixed[t] = in[global_idx.x];\n"
    "    dynamic[t] = 100 * in[global_idx.x];\n"
    "    more[t] = t;\n"
    "    block_barrier();\n"
    "    out[global_idx.x] = fixed[n - 1 - t] + dynamic[(t + 1) % n] + more[(t + 2) % n];\n"
    "}\n";

START_TEST(static_and_dynamic_memory_together) {
    float in[LENGTH], got[LENGTH];
    for (int i = 0; i < LENGTH; i++) {
        in[i] = (float)(i % 50);
    }
    weft_device_buffer *a = test_device_buffer(WEFT_FLOAT32, LENGTH), *b = test_device_buffer(WEFT_FLOAT32, LENGTH);
    test_write(a, in);
    OK(weft_enqueue_function(test_context(), test_function(both_source, "both"), BLOCKS, BLOCK, a, b,
                             weft_shared_bytes(sizeof(float[BLOCK])), weft_shared_bytes(sizeof(int32_t[BLOCK]))));
    test_read(b, got);
    for (int i = 0; i < LENGTH; i++) {
        const float *block = in + i / BLOCK * BLOCK;
        int t = i % BLOCK;
        ck_assert_float_eq(got[i], block[BLOCK - 1 - t] + 100 * block[(t + 1) % BLOCK] + (float)((t + 2) % BLOCK));
    }
}
END_TEST

/* A block's sum by a tree in shared memory, one barrier for each level. */
START_TEST(tree_sum_in_static_memory) {
    static const char source[] =
        "kernel void sum(global const int *in, global int *out) {\n"
        "    local int tree[64];\n"
        "    int t = get_local_id(0);\n"
        "    tree[t] = in[get_global_id(0)];\n"
        "    for (int half_size = 32; half_size; half_size /= 2) {\n"
        "        barrier(CLK_LOCAL_MEM_FENCE);\n"
        "        if (t < half_size) tree[t] += tree[t + half_size];\n"
        "    }\n"
        "    if (t == 0) out[get_group_id(0)] = tree[0];\n"
        "}\n";
    int32_t in[LENGTH], got[BLOCKS + 1];
    for (int i = 0; i < LENGTH; i++) {
        in[i] = i;
    }
    weft_device_buffer *a = test_device_buffer(WEFT_INT32, LENGTH), *b = test_device_buffer(WEFT_INT32, BLOCKS + 1);
    test_write(a, in);
    OK(weft_enqueue_fill(b, -1));
    OK(weft_enqueue_function(test_context(), test_function(source, "sum"), BLOCKS, BLOCK, a, b));
    test_read(b, got);
    for (int block = 0; block < BLOCKS; block++) {
        ck_assert_int_eq(got[block], BLOCK * BLOCK * block + BLOCK * (BLOCK - 1) / 2);
    }
    ck_assert_int_eq(got[BLOCKS], -1);
}
END_TEST

START_TEST(no_shared_bytes_are_legal) {
    static const char source[] =
        "kernel void maybe(global int *out, local int *shared, int n) {\n"
        "    for (int i = 0; i < n; i++) shared[i] = i;\n"
        "    out[0] = n ? shared[n - 1] : 7;\n"
        "}\n";
    weft_function *maybe = test_function(source, "maybe");
    weft_device_buffer *out = test_device_buffer(WEFT_INT32, 1);
    int32_t got = 0;
    OK(weft_enqueue_function(test_context(), maybe, 1, 1, out, weft_shared_bytes(0), 0));
    test_read(out, &got);
    ck_assert_int_eq(got, 7);
    OK(weft_enqueue_function(test_context(), maybe, 1, 1, out, weft_shared_bytes(40), 10));
    test_read(out, &got);
    ck_assert_int_eq(got, 9);
}
END_TEST

TESTS(static_and_dynamic_memory_together, tree_sum_in_static_memory, no_shared_bytes_are_legal)
