/* The macros of the interface do the same in C and in C++: the calls are in macro_calls.h, compiled as both. */
#include <stdio.h>

#include "support.h"

#define MACRO_CALLS c_macro_calls
#include "macro_calls.h"

/* Absent in a build without a C++ compiler. */
extern const macro_calls cpp_macro_calls __attribute__((weak));

#define BOTH_LANGUAGES(name)                                      \
    START_TEST(name##_in_c) { name(&c_macro_calls); }             \
    END_TEST                                                      \
    START_TEST(name##_in_cpp) {                                   \
        if (!&cpp_macro_calls) {                                  \
            SKIP("built without C++");                            \
        }                                                         \
        name(&cpp_macro_calls);                                   \
    }                                                             \
    END_TEST

enum { MOST_ARGS = 32 };

/* take_0 .. take_32: writes what it got as arguments 2 .. N into out, and N first. */
static const char *take_source(void) {
    static char *source;
    size_t size_bytes;
    if (source) {
        return source;
    }
    FILE *text = open_memstream(&source, &size_bytes);
    /* Not empty, and nothing that a compiler finds to be so: NVIDIA's fails on an empty body. */
    fprintf(text, "kernel void take_0(void) { if (get_global_id(0) == 1u << 30) printf(\"never\"); }\n");
    for (int n = 1; n <= MOST_ARGS; n++) {
        fprintf(text, "kernel void take_%d(global int *out", n);
        for (int i = 2; i <= n; i++) {
            fprintf(text, ", int a%d", i);
        }
        fprintf(text, ") { out[0] = %d;", n);
        for (int i = 2; i <= n; i++) {
            fprintf(text, " out[%d] = a%d;", i - 1, i);
        }
        fprintf(text, " }\n");
    }
    fclose(text);
    return source;
}

static void check_taken(weft_device_buffer *out, int n) {
    int32_t got[MOST_ARGS + 1];
    test_read(out, got);
    for (int i = 0; i <= MOST_ARGS; i++) {
        ck_assert_msg(got[i] == (n && i < n ? i ? i + 1 : n : -1), "%d arguments: out[%d] is %d", n, i, got[i]);
    }
}

static void every_argument_count(const macro_calls *calls) {
    weft_program *program = NULL;
    weft_device_buffer *out = test_device_buffer(WEFT_INT32, MOST_ARGS + 1);
    OK(weft_compile_program(test_context(), take_source(), NULL, &program));
    for (int n = 0; n <= MOST_ARGS; n++) {
        weft_function *function = NULL;
        char name[16];
        sprintf(name, "take_%d", n);
        OK(weft_program_function(program, name, &function));
        OK(weft_enqueue_fill(out, -1));
        OK(calls->launch(test_context(), function, n, out));
        check_taken(out, n);
        weft_function_release(function);
    }
    for (int n = 0; n <= MOST_ARGS; n += 8) {
        OK(weft_enqueue_fill(out, -1));
        OK(calls->launch_once(test_context(), take_source(), n, out));
        check_taken(out, n);
    }
    weft_program_release(program);
}
BOTH_LANGUAGES(every_argument_count)

static const char scalars_source[] =
    "typedef struct { int a; float b; } pair_t;\n"
    "kernel void scalars(global long *out, long a0, long a1, long a2, long a3, long a4, long a5, long a6, long a7, long a8,\n"
    "                    long a9, long a10, long a11, long a12, long a13, long a14, float f, pair_t p) {\n"
    "    out[0] = a0; out[1] = a1; out[2] = a2; out[3] = a3; out[4] = a4; out[5] = a5; out[6] = a6; out[7] = a7;\n"
    "    out[8] = a8; out[9] = a9; out[10] = a10; out[11] = a11; out[12] = a12; out[13] = a13; out[14] = a14;\n"
    "    out[15] = as_int(f); out[16] = p.a; out[17] = as_int(p.b);\n"
    "}\n";

static void check_scalars(weft_device_buffer *out) {
    static const int64_t want[18] = {1, 65, -2, 200, -300, 60000, -70000, 4000000000, -5000000000, 6000000000, -7, 8, 9, 10, 11,
                                     0x3F000000, 21, 0x3E800000};
    int64_t got[18];
    test_read(out, got);
    for (int i = 0; i < 18; i++) {
        ck_assert_msg(got[i] == want[i], "out[%d] is %lld", i, (long long)got[i]);
    }
}

static void every_scalar_type(const macro_calls *calls) {
    weft_device_buffer *out = test_device_buffer(WEFT_INT64, 18);
    OK(calls->launch_scalars(test_context(), test_function(scalars_source, "scalars"), out));
    check_scalars(out);
}
BOTH_LANGUAGES(every_scalar_type)

static const char tensors_source[] =
    "#include <weft.clh>\n"
    "kernel void tensors(TENSOR2(int, a), TENSOR2(const int, b), int n) {\n"
    "    int i = global_idx.y, j = global_idx.x;\n"
    "    TENSOR_AT(a, i, j) = TENSOR_AT(b, i, j) + n;\n"
    "}\n";

static void tensors_in_a_launch(const macro_calls *calls) {
    weft_device_buffer *out = test_device_buffer(WEFT_INT32, 48);
    int32_t got[48];
    OK(weft_enqueue_fill(out, 5));
    OK(calls->launch_tensors(test_context(), test_function(tensors_source, "tensors"), out));
    test_read(out, got);
    for (int i = 0; i < 48; i++) {
        ck_assert_int_eq(got[i], i / 8 >= 4 && i % 8 >= 5 ? 6 : 5);
    }
}
BOTH_LANGUAGES(tensors_in_a_launch)

/* Recorded with other arguments than are set. */
static void every_argument_set(const macro_calls *calls) {
    const struct macro_pair pair = {0, 0};
    weft_context *ctx = test_context();
    weft_device_buffer *numbers = test_device_buffer(WEFT_INT64, 18), *matrix = test_device_buffer(WEFT_INT32, 48);
    weft_device_buffer *unused = test_device_buffer(WEFT_INT64, 18);
    weft_tensor whole;
    weft_graph *graph = NULL;
    int32_t got[48];
    OK(weft_enqueue_fill(matrix, 5));
    OK(weft_tensor_row_major(matrix, WEFT_SHAPE(6, 8), &whole));
    OK(weft_graph_begin(ctx));
    OK(weft_enqueue_function(ctx, test_function(scalars_source, "scalars"), 1, 1, unused, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
                             0.0f, WEFT_VALUE(pair)));
    OK(weft_enqueue_function(ctx, test_function(tensors_source, "tensors"), 1, WEFT_DIM(3, 2), whole, whole, 0));
    OK(weft_graph_end(ctx, &graph));
    OK(calls->set_args(graph, numbers, matrix));
    OK(weft_enqueue_graph(ctx, graph));
    weft_graph_release(graph);
    check_scalars(numbers);
    test_read(matrix, got);
    for (int i = 0; i < 48; i++) {
        ck_assert_int_eq(got[i], i / 8 >= 4 && i % 8 >= 5 ? 6 : 5);
    }
}
BOTH_LANGUAGES(every_argument_set)

static void every_shape(const macro_calls *calls) {
    static const weft_shape want[N_SHAPES] = {{1, {8}}, {2, {8, 2}}, {3, {1, 65, 200}}, {4, {1, 2, 3, 4}},
                                              {2, {(size_t)1 << 40, 11}}, {2, {SIZE_MAX, SIZE_MAX - 1}}};
    weft_shape got[N_SHAPES];
    calls->shapes(got);
    for (int i = 0; i < N_SHAPES; i++) {
        ck_assert_msg(got[i].rank == want[i].rank && memcmp(got[i].at, want[i].at, sizeof want[i].at) == 0, "shape %d", i);
    }
}
BOTH_LANGUAGES(every_shape)

static void every_dim(const macro_calls *calls) {
    static const weft_dim want[N_DIMS] = {{8, 1, 1}, {8, 2, 1}, {8, 2, 3}, {7, 200, 9}, {7, 8, 9},               {1, 8, 9},
                                          {0, 1, 0}, {6, 1, 1}, {3, 4, 5}, {(size_t)1 << 40, 1, 1}, {0, 1, 1}, {11, 5, 1}};
    weft_dim got[N_DIMS];
    calls->dims(got);
    for (int i = 0; i < N_DIMS; i++) {
        ck_assert_msg(got[i].x == want[i].x && got[i].y == want[i].y && got[i].z == want[i].z, "dim %d is %zu, %zu, %zu", i,
                      got[i].x, got[i].y, got[i].z);
    }
}
BOTH_LANGUAGES(every_dim)

static void every_fill(const macro_calls *calls) {
    static const int64_t want[N_FILLS] = {1,          65,          -2,         200, -300, 60000, -70000,
                                          4000000000, -5000000000, 6000000000, -7,  8,    -9,    1000000000000000, 15};
    weft_host_buffer *ints = test_host_buffer(WEFT_INT64, N_FILLS), *doubles = test_host_buffer(WEFT_FLOAT64, N_FILLS);
    OK(calls->fill(ints, doubles));
    OK(weft_synchronize(test_context()));
    for (int i = 0; i < N_FILLS; i++) {
        ck_assert_int_eq(((int64_t *)weft_host_buffer_data(ints))[i], want[i]);
        ck_assert_double_eq(((double *)weft_host_buffer_data(doubles))[i], (double)want[i]);
    }
}
BOTH_LANGUAGES(every_fill)

static void every_pointer_type(const macro_calls *calls) {
    weft_host_buffer *buffers[WEFT_FLOAT64 + 1];
    bool right = false;
    for (weft_dtype dtype = WEFT_INT8; dtype <= WEFT_FLOAT64; dtype++) {
        buffers[dtype] = test_host_buffer(dtype, 3);
    }
    OK(calls->copy(test_context(), buffers, &right));
    ck_assert(right);
}
BOTH_LANGUAGES(every_pointer_type)

static void every_way_out_of_a_mapping(const macro_calls *calls) {
    weft_status (*const maps[])(weft_device_buffer *, int32_t) = {calls->map, calls->map_break, calls->map_continue,
                                                                 calls->map_return, calls->map_exception};
    weft_device_buffer *buffer = test_device_buffer(WEFT_INT32, 2);
    for (int i = 0; i < 5; i++) {
        int32_t got[2];
        if (maps[i]) {
            OK(weft_enqueue_fill(buffer, -1));
            OK(maps[i](buffer, 100 + i));
            test_read(buffer, got);
            ck_assert_int_eq(got[0], 100 + i);
            ck_assert_int_eq(got[1], -1);
        }
    }
    FAILS(WEFT_ERROR_INVALID_ARGUMENT, calls->map(NULL, 1));
    FAILS(WEFT_ERROR_INVALID_ARGUMENT, calls->map_return(NULL, 1));
}
BOTH_LANGUAGES(every_way_out_of_a_mapping)

TESTS(every_argument_count_in_c, every_argument_count_in_cpp, every_scalar_type_in_c, every_scalar_type_in_cpp, tensors_in_a_launch_in_c,
      tensors_in_a_launch_in_cpp, every_argument_set_in_c, every_argument_set_in_cpp, every_shape_in_c, every_shape_in_cpp, every_dim_in_c,
      every_dim_in_cpp, every_fill_in_c, every_fill_in_cpp, every_pointer_type_in_c, every_pointer_type_in_cpp,
      every_way_out_of_a_mapping_in_c, every_way_out_of_a_mapping_in_cpp)
