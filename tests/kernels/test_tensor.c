/* Tensors as kernel arguments, and what kernels do with them. */
#include <stdio.h>

#include "support.h"

/* Compiled with FORM(n) TENSORn or TENSORn_ROWS. */
static const char source[] =
    "#include <weft.clh>\n"
    "#if ROWS\n"
    "#define T(n) TENSOR##n##_ROWS\n"
    "#else\n"
    "#define T(n) TENSOR##n\n"
    "#endif\n"
    "kernel void mark1(T(1)(int, a)) {\n"
    "    int i = global_idx.x;\n"
    "    if (TENSOR_HAS(a, i)) TENSOR_AT(a, i) += 1000 + i;\n"
    "}\n"
    "kernel void mark2(T(2)(int, a)) {\n"
    "    int i = global_idx.y, j = global_idx.x;\n"
    "    if (TENSOR_HAS(a, i, j)) TENSOR_AT(a, i, j) += 1000 + 10 * i + j;\n"
    "}\n"
    "kernel void mark3(T(3)(int, a)) {\n"
    "    int i = global_idx.z, j = global_idx.y, k = global_idx.x;\n"
    "    if (TENSOR_HAS(a, i, j, k)) TENSOR_AT(a, i, j, k) += 1000 + 100 * i + 10 * j + k;\n"
    "}\n"
    "kernel void mark4(T(4)(int, a)) {\n"
    "    for (int i = -1; i <= TENSOR_DIM(a, 0); i++) {\n"
    "        int j = global_idx.z, k = global_idx.y, l = global_idx.x;\n"
    "        if (TENSOR_HAS(a, i, j, k, l)) TENSOR_AT(a, i, j, k, l) += 10000 + 1000 * i + 100 * j + 10 * k + l;\n"
    "    }\n"
    "}\n"
    "kernel void describe(T(3)(const float, a), global long *out) {\n"
    "    for (int k = 0; k < 3; k++) { out[k] = TENSOR_DIM(a, k); out[3 + k] = TENSOR_STRIDE(a, k); }\n"
    "    out[6] = TENSOR_OFFSET(a, 1, 1, 1);\n"
    "    out[7] = TENSOR_HAS(a, -1, 0, 0) + 2 * TENSOR_HAS(a, 0, TENSOR_DIM(a, 1), 0) + 4 * TENSOR_HAS(a, 0, 0, 1L << 32) + 8 * TENSOR_HAS(a, 1, 1, 1);\n"
    "}\n"
    "kernel void copy2(T(2)(float, to), T(2)(const float, from)) {\n"
    "    int i = global_idx.y, j = global_idx.x;\n"
    "    if (TENSOR_HAS(to, i, j)) TENSOR_AT(to, i, j) = TENSOR_AT(from, i, j);\n"
    "}\n";

enum { LENGTH = 400 };

static weft_function *function_in(const char *name, bool rows, bool narrow) {
    static weft_function *made[32];
    static unsigned n_made;
    const char *const defines[] = {rows ? "ROWS=1" : "ROWS=0", "WEFT_INDEX_32"};
    const weft_compile_options options = {.defines = defines, .n_defines = narrow ? 2 : 1};
    weft_function **out = &made[n_made++ % 32];
    weft_function_release(*out);
    *out = NULL;
    OK(weft_compile_function(test_context(), source, name, &options, out));
    return *out;
}

/* Adds to host memory what a mark kernel adds to the tensor's elements. */
static void mark_on_host(const weft_tensor *t, int32_t *memory) {
    size_t shape[4] = {1, 1, 1, 1}, strides[4] = {0};
    for (size_t k = 0; k < t->rank; k++) {
        shape[4 - t->rank + k] = t->shape[k];
        strides[4 - t->rank + k] = t->strides[k];
    }
    for (size_t i = 0; i < shape[0]; i++) {
        for (size_t j = 0; j < shape[1]; j++) {
            for (size_t k = 0; k < shape[2]; k++) {
                for (size_t l = 0; l < shape[3]; l++) {
                    size_t value = (t->rank == 4 ? 10000 : 1000) + 1000 * i + 100 * j + 10 * k + l;
                    memory[t->offset + i * strides[0] + j * strides[1] + k * strides[2] + l * strides[3]] += (int32_t)value;
                }
            }
        }
    }
}

static void check_marks(weft_tensor tensor, bool rows, bool narrow) {
    static const char *const names[] = {"mark1", "mark2", "mark3", "mark4"};
    int32_t want[LENGTH] = {0}, got[LENGTH];
    OK(weft_enqueue_fill(tensor.buffer, 0));
    const size_t y = tensor.rank > 1 ? 2 : 1, z = tensor.rank > 2 ? 2 : 1;
    OK(weft_enqueue_function(test_context(), function_in(names[tensor.rank - 1], rows, narrow), WEFT_DIM(2, y, z),
                             WEFT_DIM(4, y > 1 ? 4 : 1, z > 1 ? 4 : 1), tensor));
    test_read(tensor.buffer, got);
    mark_on_host(&tensor, want);
    for (int i = 0; i < LENGTH; i++) {
        ck_assert_msg(got[i] == want[i], "rank %zu, %s, %s: element %d is %d, not %d", tensor.rank, rows ? "rows" : "any strides",
                      narrow ? "32 bits" : "64 bits", i, got[i], want[i]);
    }
}

START_TEST(every_rank_form_and_index) {
    weft_device_buffer *buffer = test_device_buffer(WEFT_INT32, LENGTH);
    static const size_t shape[4] = {5, 7, 3, 2};
    for (size_t rank = 1; rank <= 4; rank++) {
        weft_shape dims = {rank, {shape[0], shape[1], shape[2], shape[3]}};
        for (int form = 0; form < 4; form++) {
            weft_tensor tensor;
            OK(weft_tensor_row_major(buffer, dims, &tensor));
            check_marks(tensor, form & 1, form & 2);
        }
        weft_tensor tensor;
        OK(weft_tensor_column_major(buffer, dims, &tensor));
        check_marks(tensor, false, false);
        check_marks(tensor, false, true);
    }
}
END_TEST

START_TEST(strides_and_tiles) {
    weft_device_buffer *buffer = test_device_buffer(WEFT_INT32, LENGTH);
    weft_tensor whole, tile, inner;
    OK(weft_tensor_strided(buffer, WEFT_SHAPE(6, 8), WEFT_SHAPE(20, 2), &whole)); /* padded rows, every other element */
    check_marks(whole, false, false);
    OK(weft_tensor_tile(&whole, WEFT_SHAPE(1, 2), WEFT_SHAPE(4, 5), &tile));
    ck_assert_uint_eq(tile.offset, 24);
    check_marks(tile, false, false);
    OK(weft_tensor_tile(&tile, WEFT_SHAPE(3, 1), WEFT_SHAPE(1, 4), &inner));
    ck_assert_uint_eq(inner.offset, 24 + 60 + 2);
    check_marks(inner, false, true);
    OK(weft_tensor_row_major(buffer, WEFT_SHAPE(6, 8), &whole));
    OK(weft_tensor_tile(&whole, WEFT_SHAPE(2, 3), WEFT_SHAPE(4, 5), &whole)); /* into itself */
    ck_assert_uint_eq(whole.offset, 19);
    check_marks(whole, true, false);
    check_marks(whole, true, true);
    OK(weft_tensor_strided(buffer, WEFT_SHAPE(3, 1), WEFT_SHAPE(7, 5), &tile)); /* one column: its stride is not used */
    check_marks(tile, true, false);
}
END_TEST

/* A tensor of nothing is legal, from the first place to behind the last. */
START_TEST(empty_tensors) {
    weft_device_buffer *buffer = test_device_buffer(WEFT_INT32, LENGTH), *none = test_device_buffer(WEFT_INT32, 0);
    weft_tensor whole, empty;
    OK(weft_tensor_row_major(buffer, WEFT_SHAPE(20, 20), &whole));
    OK(weft_tensor_tile(&whole, WEFT_SHAPE(20, 20), WEFT_SHAPE(0, 0), &empty));
    check_marks(empty, true, false);
    OK(weft_tensor_row_major(buffer, WEFT_SHAPE(0, 20), &empty));
    check_marks(empty, false, true);
    OK(weft_tensor_row_major(none, WEFT_SHAPE(0), &empty));
    OK(weft_enqueue_function(test_context(), function_in("mark1", false, false), 1, 8, empty));
    OK(weft_synchronize(test_context()));
}
END_TEST

START_TEST(one_row_many_times) {
    weft_device_buffer *row = test_device_buffer(WEFT_FLOAT32, 8), *out = test_device_buffer(WEFT_FLOAT32, 64);
    weft_tensor from, to;
    float in[8], got[64];
    for (int i = 0; i < 8; i++) {
        in[i] = (float)i;
    }
    test_write(row, in);
    OK(weft_tensor_strided(row, WEFT_SHAPE(8, 8), WEFT_SHAPE(0, 1), &from));
    OK(weft_tensor_row_major(out, WEFT_SHAPE(8, 8), &to));
    OK(weft_enqueue_function(test_context(), function_in("copy2", true, false), WEFT_DIM(2, 2), WEFT_DIM(4, 4), to, from));
    test_read(out, got);
    for (int i = 0; i < 64; i++) {
        ck_assert_float_eq(got[i], (float)(i % 8));
    }
}
END_TEST

/* Views at any element, and at no whole number of elements, which a kernel sees through a copy. */
START_TEST(over_views) {
    weft_device_buffer *bytes = test_device_buffer(WEFT_UINT8, 4 * LENGTH + 8);
    static uint8_t zero[4 * LENGTH + 8], got[4 * LENGTH + 8];
    for (size_t at = 0; at < 8; at++) {
        weft_device_buffer *odd = test_view(bytes, WEFT_UINT8, at, 4 * LENGTH), *view = test_view(odd, WEFT_INT32, 1, LENGTH - 1);
        int32_t want[LENGTH] = {0};
        weft_tensor whole, tile;
        OK(weft_tensor_row_major(view, WEFT_SHAPE(9, 9), &whole));
        OK(weft_tensor_tile(&whole, WEFT_SHAPE(2, 1), WEFT_SHAPE(5, 6), &tile));
        test_write(bytes, zero);
        OK(weft_enqueue_function(test_context(), function_in("mark2", false, false), WEFT_DIM(2, 2), WEFT_DIM(4, 4), tile));
        test_read(bytes, got);
        mark_on_host(&tile, want);
        ck_assert_msg(memcmp(got + at + 4, want, sizeof want - 4) == 0, "at byte %zu", at);
    }
}
END_TEST

START_TEST(dims_strides_and_bounds) {
    static const char *const names[] = {"any strides", "rows"};
    weft_device_buffer *buffer = test_device_buffer(WEFT_FLOAT32, LENGTH), *out = test_device_buffer(WEFT_INT64, 8);
    weft_tensor whole, tensor;
    OK(weft_tensor_row_major(buffer, WEFT_SHAPE(4, 5, 6), &whole));
    OK(weft_tensor_tile(&whole, WEFT_SHAPE(1, 2, 3), WEFT_SHAPE(2, 3, 2), &tensor));
    static const int64_t want[8] = {2, 3, 2, 30, 6, 1, 30 + 12 + 3 + 30 + 6 + 1, 8};
    for (int form = 0; form < 4; form++) {
        int64_t got[8];
        OK(weft_enqueue_function(test_context(), function_in("describe", form & 1, form & 2), 1, 1, tensor, out));
        test_read(out, got);
        for (int i = 0; i < 8; i++) {
            /* An index beyond 32 bits is what it becomes there: 0. */
            int64_t wanted = i == 7 && (form & 2) ? 8 + 4 : want[i];
            ck_assert_msg(got[i] == wanted, "%s: number %d is %lld", names[form & 1], i, (long long)got[i]);
        }
    }
}
END_TEST

/* ---- In kernels ---------------------------------------------------------------------------------------------------- */

static const char tile_source[] =
    "#include <weft.clh>\n"
    "#define TILE 8\n"
    "#define PITCH (TILE + 1)\n"
    "void put(TENSOR2(float, a), int i, int j, float value) { TENSOR_AT(a, i, j) = value; }\n"
    "kernel void transpose(TENSOR2(float, to), TENSOR2(const float, from)) {\n"
    "    SHARED(float, shared, TILE * PITCH);\n"
    "    for (int k = thread_idx.x + block_dim.x * thread_idx.y; k < TILE * PITCH; k += block_dim.x * block_dim.y) shared[k] = -5;\n"
    "    block_barrier();\n"
    "    TENSOR_TILE(source, from, TILE, TILE, block_idx.y, block_idx.x);\n"
    "    TENSOR_TILE_TO_SHARED(shared, PITCH, source, TILE, TILE);\n"
    "    block_barrier();\n"
    "    TENSOR_TILE(target, to, TILE, TILE, block_idx.x, block_idx.y);\n"
    "    for (int i = thread_idx.y; i < TENSOR_DIM(target, 0); i += block_dim.y)\n"
    "        for (int j = thread_idx.x; j < TENSOR_DIM(target, 1); j += block_dim.x)\n"
    "            put(TENSOR_PASS(target), i, j, shared[j * PITCH + i]);\n"
    "}\n"
    "kernel void load(TENSOR2_ROWS(const float, from), global float *out, int row, int column) {\n"
    "    SHARED(float, shared, TILE * PITCH);\n"
    "    for (int k = thread_idx.x + block_dim.x * thread_idx.y; k < TILE * PITCH; k += block_dim.x * block_dim.y) shared[k] = -5;\n"
    "    block_barrier();\n"
    "    TENSOR_TILE(t, from, TILE, TILE, row, column);\n"
    "    TENSOR_TILE_TO_SHARED(shared, PITCH, t, TILE, TILE);\n"
    "    block_barrier();\n"
    "    if (thread_idx.x == 0 && thread_idx.y == 0) {\n"
    "        for (int k = 0; k < TILE * PITCH; k++) out[k] = shared[k];\n"
    "        out[TILE * PITCH] = TENSOR_DIM(t, 0);\n"
    "        out[TILE * PITCH + 1] = TENSOR_DIM(t, 1);\n"
    "    }\n"
    "}\n"
    "kernel void multiply(TENSOR2_ROWS(float, c), TENSOR2_ROWS(const float, a), TENSOR2(const float, b)) {\n"
    "    SHARED(float, a_shared, TILE * TILE);\n"
    "    SHARED(float, b_shared, TILE * TILE);\n"
    "    int y = thread_idx.y, x = thread_idx.x;\n"
    "    float sum = 0;\n"
    "    for (weft_index k = 0; k * TILE < TENSOR_DIM(a, 1); k++) {\n"
    "        TENSOR_TILE(a_tile, a, TILE, TILE, block_idx.y, k);\n"
    "        TENSOR_TILE(b_tile, b, TILE, TILE, k, block_idx.x);\n"
    "        TENSOR_TILE_TO_SHARED(a_shared, TILE, a_tile, TILE, TILE);\n"
    "        TENSOR_TILE_TO_SHARED(b_shared, TILE, b_tile, TILE, TILE);\n"
    "        block_barrier();\n"
    "        for (int l = 0; l < TILE; l++) sum += a_shared[y * TILE + l] * b_shared[l * TILE + x];\n"
    "        block_barrier();\n"
    "    }\n"
    "    TENSOR_TILE(c_tile, c, TILE, TILE, block_idx.y, block_idx.x);\n"
    "    if (TENSOR_HAS(c_tile, y, x)) TENSOR_AT(c_tile, y, x) = sum;\n"
    "}\n"
    "typedef struct pair { float a; int b; } pair;\n"
    "typedef float real;\n"
    "kernel void typedefs(TENSOR1(real, a)) { TENSOR_AT(a, global_idx.x) *= 2; }\n"
    "kernel void atomics(TENSOR1(int, a)) { atomic_inc(&TENSOR_AT(a, 1)); }\n"
    "kernel void halves(TENSOR2(half, a)) {\n"
    "    int i = global_idx.y, j = global_idx.x;\n"
    "    vstore_half(vload_half(TENSOR_OFFSET(a, i, j), a) + 1, TENSOR_OFFSET(a, i, j), a);\n"
    "}\n"
    "kernel void vectors(TENSOR1(float4, a)) { TENSOR_AT(a, global_idx.x) += 1; }\n"
    "kernel void structs(TENSOR1(pair, a)) { TENSOR_AT(a, global_idx.x).a += 1; }\n"
    "kernel void beside(global float4 *p, TENSOR1(const float, a)) { p[0] += TENSOR_AT(a, 0); }\n"
    "kernel void among(float x, TENSOR1(float, a), local float *s, TENSOR2(float, b), int n, WEFT_ASSERTS) {\n"
    "    weft_assert(n == 4);\n"
    "    s[0] = x;\n"
    "    TENSOR_AT(a, 1) = s[0];\n"
    "    TENSOR_AT(b, 1, 1) = n;\n"
    "}\n";

START_TEST(transpose_by_tiles) {
    enum { ROWS = 21, COLUMNS = 18 };
    static const weft_dim blocks[] = {{8, 8, 1}, {8, 2, 1}, {16, 16, 1}, {5, 3, 1}, {32, 1, 1}};
    weft_device_buffer *a = test_device_buffer(WEFT_FLOAT32, ROWS * COLUMNS), *b = test_device_buffer(WEFT_FLOAT32, ROWS * COLUMNS);
    weft_function *transpose = test_function(tile_source, "transpose");
    float in[ROWS * COLUMNS], got[ROWS * COLUMNS];
    weft_tensor from, to;
    for (int i = 0; i < ROWS * COLUMNS; i++) {
        in[i] = (float)i;
    }
    test_write(a, in);
    OK(weft_tensor_row_major(a, WEFT_SHAPE(ROWS, COLUMNS), &from));
    OK(weft_tensor_row_major(b, WEFT_SHAPE(COLUMNS, ROWS), &to));
    for (size_t k = 0; k < sizeof blocks / sizeof *blocks; k++) {
        OK(weft_enqueue_fill(b, -1));
        OK(weft_enqueue_function(test_context(), transpose, WEFT_DIM(3, 3), blocks[k], to, from));
        test_read(b, got);
        for (int i = 0; i < ROWS * COLUMNS; i++) {
            ck_assert_msg(got[i] == in[i % ROWS * COLUMNS + i / ROWS], "block %zu: element %d is %g", k, i, (double)got[i]);
        }
    }
}
END_TEST

/* At an edge zeros fill the tile, beyond it all of it; the column between rows stays. */
START_TEST(tile_to_shared_fills_with_zeros) {
    enum { ROWS = 10, COLUMNS = 13, TILE = 8, PITCH = 9 };
    weft_device_buffer *a = test_device_buffer(WEFT_FLOAT32, ROWS * COLUMNS), *out = test_device_buffer(WEFT_FLOAT32, TILE * PITCH + 2);
    weft_function *load = test_function(tile_source, "load");
    float in[ROWS * COLUMNS], got[TILE * PITCH + 2];
    weft_tensor from;
    for (int i = 0; i < ROWS * COLUMNS; i++) {
        in[i] = (float)(i + 1);
    }
    test_write(a, in);
    OK(weft_tensor_row_major(a, WEFT_SHAPE(ROWS, COLUMNS), &from));
    for (int row = -1; row < 3; row++) {
        for (int column = -1; column < 3; column++) {
            OK(weft_enqueue_function(test_context(), load, 1, WEFT_DIM(4, 4), from, out, row, column));
            test_read(out, got);
            int lengths[2] = {0, 0};
            for (int i = 0; i < TILE; i++) {
                for (int j = 0; j < PITCH; j++) {
                    int r = row * TILE + i, c = column * TILE + j;
                    bool there = row >= 0 && column >= 0 && r < ROWS && c < COLUMNS && j < TILE;
                    float want = j == TILE ? -5 : there ? in[r * COLUMNS + c] : 0;
                    ck_assert_msg(got[i * PITCH + j] == want, "tile (%d, %d): (%d, %d) is %g, not %g", row, column, i, j,
                                  (double)got[i * PITCH + j], (double)want);
                }
                lengths[0] += row >= 0 && row * TILE + i < ROWS;
                lengths[1] += column >= 0 && column * TILE + i < COLUMNS;
            }
            ck_assert_float_eq(got[TILE * PITCH], (float)lengths[0]);
            ck_assert_float_eq(got[TILE * PITCH + 1], (float)lengths[1]);
        }
    }
}
END_TEST

START_TEST(get_is_zero_where_there_is_nothing) {
    static const char source[] = "#include <weft.clh>\n"
                                 "kernel void get(TENSOR2(const int, a), global int *out) {\n"
                                 "    for (int i = -1; i < 4; i++)\n"
                                 "        for (int j = -1; j < 4; j++) out[(i + 1) * 5 + j + 1] = TENSOR_GET(a, i, j);\n"
                                 "}\n";
    const int32_t in[6] = {1, 2, 3, 4, 5, 6};
    int32_t got[25];
    weft_device_buffer *a = test_device_buffer(WEFT_INT32, 6), *out = test_device_buffer(WEFT_INT32, 25);
    weft_tensor tensor;
    test_write(a, in);
    OK(weft_tensor_row_major(a, WEFT_SHAPE(2, 3), &tensor));
    OK(weft_enqueue_function(test_context(), test_function(source, "get"), 1, 1, tensor, out));
    test_read(out, got);
    for (int i = -1; i < 4; i++) {
        for (int j = -1; j < 4; j++) {
            const bool there = i >= 0 && i < 2 && j >= 0 && j < 3;
            ck_assert_int_eq(got[(i + 1) * 5 + j + 1], there ? in[i * 3 + j] : 0);
        }
    }
}
END_TEST

/* Of small whole numbers, so that every order of additions gives the same. b is column-major. */
START_TEST(multiply_by_tiles) {
    enum { M = 19, N = 10, K = 27 };
    weft_device_buffer *a = test_device_buffer(WEFT_FLOAT32, M * K), *b = test_device_buffer(WEFT_FLOAT32, K * N),
                       *c = test_device_buffer(WEFT_FLOAT32, M * N);
    float left[M * K], right[K * N], got[M * N];
    weft_tensor tensors[3];
    for (int i = 0; i < M * K; i++) {
        left[i] = (float)(i % 11 - 5);
    }
    for (int i = 0; i < K * N; i++) {
        right[i] = (float)(i % 7 - 3);
    }
    test_write(a, left);
    test_write(b, right);
    OK(weft_tensor_row_major(a, WEFT_SHAPE(M, K), &tensors[0]));
    OK(weft_tensor_column_major(b, WEFT_SHAPE(K, N), &tensors[1]));
    OK(weft_tensor_row_major(c, WEFT_SHAPE(M, N), &tensors[2]));
    OK(weft_enqueue_function(test_context(), test_function(tile_source, "multiply"), WEFT_DIM(2, 3), WEFT_DIM(8, 8), tensors[2],
                             tensors[0], tensors[1]));
    test_read(c, got);
    for (int i = 0; i < M * N; i++) {
        float sum = 0;
        for (int k = 0; k < K; k++) {
            sum += left[i / N * K + k] * right[i % N * K + k];
        }
        ck_assert_float_eq(got[i], sum);
    }
}
END_TEST

START_TEST(elements_of_other_types) {
    weft_device_buffer *floats = test_device_buffer(WEFT_FLOAT32, 8), *ints = test_device_buffer(WEFT_INT32, 8),
                       *halves = test_device_buffer(WEFT_FLOAT16, 8);
    float f[8];
    int32_t i[8];
    uint16_t h[8];
    weft_tensor tensor;
    OK(weft_enqueue_fill(floats, 1.5f));
    OK(weft_enqueue_fill(ints, 3));
    OK(weft_enqueue_fill(halves, 0.5f));
    OK(weft_tensor_row_major(floats, WEFT_SHAPE(8), &tensor));
    OK(weft_enqueue_function(test_context(), test_function(tile_source, "typedefs"), 1, 8, tensor));
    FAILS(WEFT_ERROR_TYPE_MISMATCH, weft_enqueue_function(test_context(), test_function(tile_source, "vectors"), 1, 2, tensor));
    FAILS(WEFT_ERROR_TYPE_MISMATCH, weft_enqueue_function(test_context(), test_function(tile_source, "structs"), 1, 2, tensor));
    FAILS(WEFT_ERROR_TYPE_MISMATCH, weft_enqueue_function(test_context(), test_function(tile_source, "atomics"), 1, 2, tensor));
    SAYS("kernel atomics, argument 0 (a, int*): expected a tensor of rank 1 of its pointee's type, given a tensor of rank 1 of float32");
    OK(weft_tensor_strided(ints, WEFT_SHAPE(2), WEFT_SHAPE(5), &tensor));
    OK(weft_enqueue_function(test_context(), test_function(tile_source, "atomics"), 1, 8, tensor));
    OK(weft_tensor_column_major(halves, WEFT_SHAPE(2, 4), &tensor));
    OK(weft_enqueue_function(test_context(), test_function(tile_source, "halves"), 1, WEFT_DIM(4, 2), tensor));
    test_read(floats, f);
    test_read(ints, i);
    test_read(halves, h);
    for (int k = 0; k < 8; k++) {
        ck_assert_float_eq(f[k], 3);
        ck_assert_int_eq(i[k], k == 5 ? 11 : 3);
        ck_assert_uint_eq(h[k], 0x3E00); /* 1.5 */
    }
}
END_TEST

START_TEST(among_other_arguments) {
    weft_function *among = test_function(tile_source, "among");
    weft_device_buffer *a = test_device_buffer(WEFT_FLOAT32, 3), *b = test_device_buffer(WEFT_FLOAT32, 9);
    float got_a[3], got_b[9];
    weft_tensor first, second;
    weft_arg_info info;
    ck_assert_uint_eq(weft_function_arg_count(among), 5);
    static const char *const names[] = {"x", "a", "s", "b", "n"};
    static const weft_arg_class kinds[] = {WEFT_PARAM_SCALAR, WEFT_PARAM_TENSOR, WEFT_PARAM_SHARED, WEFT_PARAM_TENSOR, WEFT_PARAM_SCALAR};
    static const size_t ranks[] = {0, 1, 0, 2, 0};
    for (size_t i = 0; i < 5; i++) {
        OK(weft_function_arg_info(among, i, &info));
        ck_assert_str_eq(info.name, names[i]);
        ck_assert_int_eq(info.kind, kinds[i]);
        ck_assert_uint_eq(info.rank, ranks[i]);
        ck_assert(!info.is_rows && !info.is_const);
    }
    OK(weft_function_arg_info(function_in("copy2", true, true), 1, &info));
    ck_assert(info.is_rows && info.is_const && info.rank == 2 && info.size_bytes == 4 && info.address_space == WEFT_SPACE_GLOBAL);
    OK(weft_enqueue_fill(a, 0));
    OK(weft_enqueue_fill(b, 0));
    OK(weft_tensor_row_major(a, WEFT_SHAPE(3), &first));
    OK(weft_tensor_row_major(b, WEFT_SHAPE(3, 3), &second));
    OK(weft_enqueue_function(test_context(), among, 1, 1, 2.5f, first, weft_shared_bytes(4), second, 4));
    test_read(a, got_a);
    test_read(b, got_b);
    ck_assert_float_eq(got_a[1], 2.5f);
    ck_assert_float_eq(got_b[4], 4);
    FAILS(WEFT_ERROR_TYPE_MISMATCH, weft_enqueue_function(test_context(), among, 1, 1, 2.5f, first, weft_shared_bytes(4), second, 4.0f));
    SAYS("argument 4 (n, int)");
    FAILS(WEFT_ERROR_INVALID_ARGUMENT, weft_enqueue_function(test_context(), among, 1, 1, 2.5f, first, weft_shared_bytes(4), second));
    SAYS("takes 5 arguments, given 4");
}
END_TEST

/* The buffer may go once the launch was enqueued, and the tensor with it. */
START_TEST(released_after_the_launch) {
    weft_device_buffer *from = NULL, *to = test_device_buffer(WEFT_FLOAT32, 64);
    float got[64];
    weft_tensor source_tensor, target;
    OK(weft_enqueue_create_buffer(test_context(), WEFT_FLOAT32, 65, &from));
    OK(weft_enqueue_fill(from, 4));
    weft_device_buffer *view = NULL;
    OK(weft_device_buffer_create_sub_buffer(from, WEFT_FLOAT32, 1, 64, &view));
    OK(weft_tensor_row_major(view, WEFT_SHAPE(8, 8), &source_tensor));
    OK(weft_tensor_row_major(to, WEFT_SHAPE(8, 8), &target));
    OK(weft_enqueue_function(test_context(), function_in("copy2", true, false), WEFT_DIM(2, 2), WEFT_DIM(4, 4), target, source_tensor));
    weft_device_buffer_release(view);
    weft_device_buffer_release(from);
    memset(&source_tensor, 0xEE, sizeof source_tensor);
    test_read(to, got);
    for (int i = 0; i < 64; i++) {
        ck_assert_float_eq(got[i], 4);
    }
}
END_TEST

/* ---- Refused ------------------------------------------------------------------------------------------------------- */

START_TEST(arguments_that_do_not_fit) {
    weft_context *ctx = test_context();
    weft_device_buffer *buffer = test_device_buffer(WEFT_FLOAT32, 64), *ints = test_device_buffer(WEFT_INT32, 64);
    weft_function *copy = function_in("copy2", false, false), *rows = function_in("copy2", true, false),
                  *narrow = function_in("copy2", false, true), *plain = test_function("kernel void p(global float *x) { x[0] = 1; }", "p");
    weft_tensor good, bad;
    OK(weft_tensor_row_major(buffer, WEFT_SHAPE(8, 8), &good));
#define REFUSED(status, function, second, text)                                                                \
    do {                                                                                                       \
        FAILS(status, weft_enqueue_function(ctx, function, WEFT_DIM(2, 2), WEFT_DIM(4, 4), good, second));     \
        SAYS("kernel copy2, argument 1 (from, float*): ");                                                     \
        SAYS(text);                                                                                            \
    } while (0)
    OK(weft_tensor_row_major(buffer, WEFT_SHAPE(4, 4, 4), &bad));
    REFUSED(WEFT_ERROR_TYPE_MISMATCH, copy, bad, "expected a tensor of rank 2 of its pointee's type, given a tensor of rank 3 of float32");
    OK(weft_tensor_row_major(ints, WEFT_SHAPE(8, 8), &bad));
    REFUSED(WEFT_ERROR_TYPE_MISMATCH, copy, bad, "given a tensor of rank 2 of int32");
    REFUSED(WEFT_ERROR_TYPE_MISMATCH, copy, buffer, "given a buffer of float32");
    REFUSED(WEFT_ERROR_TYPE_MISMATCH, copy, 1.0f, "given float");
    REFUSED(WEFT_ERROR_TYPE_MISMATCH, copy, WEFT_NULL, "given WEFT_NULL");
    REFUSED(WEFT_ERROR_TYPE_MISMATCH, copy, WEFT_VALUE(good), "given WEFT_VALUE");
    REFUSED(WEFT_ERROR_INVALID_ARGUMENT, copy, weft_arg_from_tensor(NULL), "the tensor is NULL");
    OK(weft_tensor_column_major(buffer, WEFT_SHAPE(8, 8), &bad));
    REFUSED(WEFT_ERROR_TYPE_MISMATCH, rows, bad, "TENSOR2_ROWS takes tensors whose last stride is 1, given 8");
    bad = good;
    bad.offset = 1;
    REFUSED(WEFT_ERROR_OUT_OF_RANGE, copy, bad, "shape (8, 8) with strides (8, 1) ends at element 64; the buffer has 64");
    bad = good;
    bad.strides[0] = SIZE_MAX / 2;
    REFUSED(WEFT_ERROR_OUT_OF_RANGE, copy, bad, "overflows");
    bad = good;
    bad.rank = 5;
    REFUSED(WEFT_ERROR_INVALID_ARGUMENT, copy, bad, "rank 5 is not within 1 to 4");
    bad = good;
    bad.rank = 0;
    REFUSED(WEFT_ERROR_INVALID_ARGUMENT, copy, bad, "rank 0");
    bad = good;
    bad.buffer = NULL;
    REFUSED(WEFT_ERROR_INVALID_ARGUMENT, copy, bad, "buffer is NULL");
    OK(weft_tensor_strided(buffer, WEFT_SHAPE(1, 8), WEFT_SHAPE((size_t)1 << 31, 1), &bad));
    REFUSED(WEFT_ERROR_OUT_OF_RANGE, narrow, bad, "2147483648 is beyond 2147483647, the largest index with WEFT_INDEX_32");
    OK(weft_tensor_strided(buffer, WEFT_SHAPE(1, 8), WEFT_SHAPE((size_t)1 << 63, 1), &bad));
    REFUSED(WEFT_ERROR_OUT_OF_RANGE, copy, bad, "9223372036854775808 is beyond");
    FAILS(WEFT_ERROR_TYPE_MISMATCH, weft_enqueue_function(ctx, plain, 1, 1, good));
    SAYS("kernel p, argument 0 (x, float*): expected a device buffer of its pointee's type, given a tensor of rank 2 of float32");
    if (test_other_device()) {
        weft_device_buffer *foreign = NULL;
        OK(weft_enqueue_create_buffer(test_other_device(), WEFT_FLOAT32, 64, &foreign));
        OK(weft_tensor_row_major(foreign, WEFT_SHAPE(8, 8), &bad));
        REFUSED(WEFT_ERROR_INVALID_ARGUMENT, copy, bad, "the buffer is on device");
        weft_device_buffer_release(foreign);
    }
    OK(weft_enqueue_fill(buffer, 2));
    OK(weft_enqueue_function(ctx, copy, WEFT_DIM(2, 2), WEFT_DIM(4, 4), good, good));
    OK(weft_synchronize(ctx));
}
END_TEST

/* float4 at element 1 goes through a copy, which would not see what the tensor is given. */
START_TEST(overlap_with_a_copied_view) {
    weft_device_buffer *buffer = test_device_buffer(WEFT_FLOAT32, 64);
    weft_tensor whole, apart;
    weft_function *beside = test_function(tile_source, "beside");
    float got[64];
    OK(weft_enqueue_fill(buffer, 1));
    OK(weft_tensor_row_major(buffer, WEFT_SHAPE(64), &whole));
    FAILS(WEFT_ERROR_UNSUPPORTED, weft_enqueue_function(test_context(), beside, 1, 1, test_view(buffer, WEFT_FLOAT32, 1, 8), whole));
    SAYS("overlap");
    OK(weft_tensor_row_major(test_view(buffer, WEFT_FLOAT32, 32, 8), WEFT_SHAPE(8), &apart));
    OK(weft_enqueue_function(test_context(), beside, 1, 1, test_view(buffer, WEFT_FLOAT32, 1, 8), apart));
    test_read(buffer, got);
    for (int i = 0; i < 64; i++) {
        ck_assert_float_eq(got[i], i >= 1 && i < 5 ? 2 : 1);
    }
}
END_TEST

TESTS(every_rank_form_and_index, strides_and_tiles, empty_tensors, one_row_many_times, over_views, dims_strides_and_bounds,
      transpose_by_tiles, tile_to_shared_fills_with_zeros, get_is_zero_where_there_is_nothing, multiply_by_tiles, elements_of_other_types, among_other_arguments,
      released_after_the_launch, arguments_that_do_not_fit, overlap_with_a_copied_view)
