/* The model's test_function: every kind of argument, what the launch converts, and what it refuses. */
#include <stdio.h>
#include <stdlib.h>

#include "support.h"

/* ---- Numbers -------------------------------------------------------------------------------------- */

static const char numbers_source[] =
    "kernel void numbers(global long *out, char p_char, uchar p_uchar, short p_short, ushort p_ushort, int p_int, uint p_uint,\n"
    "                    long p_long, ulong p_ulong, float p_float) {\n"
    "    out[0] = p_char; out[1] = p_uchar; out[2] = p_short; out[3] = p_ushort; out[4] = p_int; out[5] = p_uint;\n"
    "    out[6] = p_long; out[7] = (long)p_ulong; out[8] = as_int(p_float);\n"
    "}\n";

enum { P_CHAR = 1, P_UCHAR, P_SHORT, P_USHORT, P_INT, P_UINT, P_LONG, P_ULONG, P_FLOAT, N_PARAMS };

static const char *const param_names[] = {"out",    "p_char", "p_uchar", "p_short", "p_ushort",
                                          "p_int",  "p_uint", "p_long",  "p_ulong", "p_float"};

/* One number for one parameter: it arrives as seen, or the launch fails with status. */
typedef struct row {
    int param;
    weft_scalar value;
    weft_status status;
    int64_t seen;
} row;

#define ARRIVES(param, value, seen) {param, WEFT_SCALAR(value), WEFT_OK, (int64_t)(seen)}
#define BEYOND(param, value) {param, WEFT_SCALAR(value), WEFT_ERROR_OUT_OF_RANGE, 0}
#define MISMATCH(param, value) {param, WEFT_SCALAR(value), WEFT_ERROR_TYPE_MISMATCH, 0}

static void check_rows(const row *rows, size_t n) {
    weft_function *numbers = test_function(numbers_source, "numbers");
    weft_device_buffer *out = test_device_buffer(WEFT_INT64, N_PARAMS - 1);
    const weft_launch launch = {WEFT_DIM(1), WEFT_DIM(1)};
    for (size_t i = 0; i < n; i++) {
        weft_arg args[N_PARAMS];
        int64_t got[N_PARAMS - 1];
        args[0] = WEFT_ARG(out);
        for (int p = 1; p < N_PARAMS; p++) {
            args[p] = p == P_FLOAT ? WEFT_ARG(0.5f) : WEFT_ARG(77);
        }
        args[rows[i].param] = WEFT_ARG(rows[i].value);
        OK(weft_enqueue_fill(out, -7));
        weft_status status = weft_enqueue_function_args(test_context(), numbers, &launch, args, N_PARAMS);
        ck_assert_msg(status == rows[i].status, "row %zu: %s instead of %s", i, weft_status_name(status),
                      weft_status_name(rows[i].status));
        test_read(out, got);
        for (int p = 1; p < N_PARAMS; p++) {
            int64_t want = status ? -7 : p == rows[i].param ? rows[i].seen : p == P_FLOAT ? 0x3F000000 : 77;
            ck_assert_msg(got[p - 1] == want, "row %zu: %s is %lld", i, param_names[p], (long long)got[p - 1]);
        }
        if (status) {
            SAYS("numbers");
            SAYS(param_names[rows[i].param]);
            SAYS(param_names[rows[i].param] + 2); /* its type */
        }
    }
}

START_TEST(integers_change_width_and_sign_when_the_value_survives) {
    const row rows[] = {
        ARRIVES(P_CHAR, -128LL, -128), ARRIVES(P_CHAR, (size_t)127, 127), ARRIVES(P_CHAR, 'x', 'x'),
        ARRIVES(P_UCHAR, 255, 255), ARRIVES(P_UCHAR, (signed char)3, 3), ARRIVES(P_SHORT, -32768L, -32768),
        ARRIVES(P_USHORT, 65535u, 65535), ARRIVES(P_INT, INT32_MIN, INT32_MIN), ARRIVES(P_INT, true, 1),
        ARRIVES(P_INT, (int64_t)-5, -5), ARRIVES(P_UINT, UINT32_MAX, UINT32_MAX), ARRIVES(P_UINT, 5, 5),
        ARRIVES(P_LONG, -1, -1), ARRIVES(P_LONG, UINT32_MAX, UINT32_MAX), ARRIVES(P_LONG, INT64_MIN, INT64_MIN),
        ARRIVES(P_LONG, (uint64_t)INT64_MAX, INT64_MAX), ARRIVES(P_ULONG, 5, 5), ARRIVES(P_ULONG, UINT64_MAX, UINT64_MAX),
        ARRIVES(P_ULONG, INT64_MAX, INT64_MAX), ARRIVES(P_FLOAT, 1.0f, 0x3F800000), ARRIVES(P_FLOAT, -0.0f, INT32_MIN),
    };
    check_rows(rows, sizeof rows / sizeof *rows);
}
END_TEST

START_TEST(integers_beyond_the_parameter_are_refused) {
    const row rows[] = {
        BEYOND(P_CHAR, 128), BEYOND(P_CHAR, -129), BEYOND(P_UCHAR, 256), BEYOND(P_UCHAR, -1), BEYOND(P_SHORT, 32768u),
        BEYOND(P_USHORT, 65536L), BEYOND(P_INT, 2147483648u), BEYOND(P_INT, -2147483649LL), BEYOND(P_UINT, (int64_t)1 << 32),
        BEYOND(P_UINT, -1), BEYOND(P_LONG, UINT64_MAX), BEYOND(P_LONG, (uint64_t)1 << 63), BEYOND(P_ULONG, -1),
        BEYOND(P_ULONG, INT64_MIN),
    };
    check_rows(rows, sizeof rows / sizeof *rows);
}
END_TEST

START_TEST(integer_and_floating_types_do_not_mix) {
    const row rows[] = {
        MISMATCH(P_FLOAT, 1), MISMATCH(P_FLOAT, 1u), MISMATCH(P_FLOAT, 1.0), MISMATCH(P_FLOAT, true),
        MISMATCH(P_INT, 1.0f), MISMATCH(P_INT, 1.0), MISMATCH(P_ULONG, 0.0), MISMATCH(P_CHAR, 2.0f),
    };
    check_rows(rows, sizeof rows / sizeof *rows);
}
END_TEST

START_TEST(double_parameter_takes_doubles_only) {
    static const char source[] =
        "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n"
        "kernel void take(global double *out, double x) { out[0] = x; }\n";
    weft_context *ctx = test_context();
    weft_device_info info;
    OK(weft_device_get_info(weft_context_api(ctx), weft_context_id(ctx), &info));
    if (!info.fp64) {
        SKIP("no fp64");
    }
    weft_function *take = test_function(source, "take");
    weft_device_buffer *out = test_device_buffer(WEFT_FLOAT64, 1);
    double got = 0;
    OK(weft_enqueue_function(ctx, take, 1, 1, out, 0.1));
    test_read(out, &got);
    ck_assert_double_eq(got, 0.1);
    FAILS(WEFT_ERROR_TYPE_MISMATCH, weft_enqueue_function(ctx, take, 1, 1, out, 0.1f));
    FAILS(WEFT_ERROR_TYPE_MISMATCH, weft_enqueue_function(ctx, take, 1, 1, out, 1));
}
END_TEST

/* ---- Structs and vectors ---------------------------------------------------------------------------- */

typedef struct pair {
    int32_t a;
    float b;
    int64_t c;
} pair;

typedef struct mixed {
    int8_t a;
    int32_t b;
    int16_t c;
} mixed;

typedef struct float4 {
    _Alignas(16) float at[4];
} float4;

static const char structs_source[] =
    "typedef struct { int a; float b; long c; } pair_t;\n"
    "struct mixed { char a; int b; short c; };\n"
    "typedef float real;\n"
    "kernel void structs(global float *out, pair_t p, struct mixed m, float4 v, real r, int scalar) {\n"
    "    out[0] = p.a; out[1] = p.b; out[2] = p.c; out[3] = m.a; out[4] = m.b; out[5] = m.c;\n"
    "    out[6] = v.x; out[7] = v.y; out[8] = v.z; out[9] = v.w; out[10] = r; out[11] = scalar;\n"
    "}\n";

START_TEST(structs_and_vectors_pass_by_value) {
    weft_function *structs = test_function(structs_source, "structs");
    weft_device_buffer *out = test_device_buffer(WEFT_FLOAT32, 12);
    pair p = {-1, 2.5f, 3};
    mixed m = {-4, 5, -6};
    float4 v = {{7, 8, 9, 10.5f}};
    float got[12];
    OK(weft_enqueue_function(test_context(), structs, 1, 1, out, WEFT_VALUE(p), WEFT_VALUE(m), WEFT_VALUE(v), 11.25f, 12));
    memset(&p, 0, sizeof p); /* captured at the call */
    memset(&v, 0, sizeof v);
    test_read(out, got);
    const float want[12] = {-1, 2.5f, 3, -4, 5, -6, 7, 8, 9, 10.5f, 11.25f, 12};
    for (int i = 0; i < 12; i++) {
        ck_assert_float_eq(got[i], want[i]);
    }
}
END_TEST

START_TEST(values_are_checked_by_size) {
    weft_context *ctx = test_context();
    weft_function *structs = test_function(structs_source, "structs");
    weft_device_buffer *out = test_device_buffer(WEFT_FLOAT32, 12);
    pair p = {0};
    mixed m = {0};
    float4 v = {{0}};
    const float r = 0;
    int32_t integer = 0;
    char large[64] = {0};
    OK(weft_enqueue_fill(out, 3));
    FAILS(WEFT_ERROR_TYPE_MISMATCH,
          weft_enqueue_function(ctx, structs, 1, 1, out, WEFT_VALUE(large), WEFT_VALUE(m), WEFT_VALUE(v), r, 1));
    SAYS("64");
    FAILS(WEFT_ERROR_TYPE_MISMATCH,
          weft_enqueue_function(ctx, structs, 1, 1, out, WEFT_VALUE(p), WEFT_VALUE(p), WEFT_VALUE(v), r, 1));
    SAYS("16");
    FAILS(WEFT_ERROR_TYPE_MISMATCH,
          weft_enqueue_function(ctx, structs, 1, 1, out, WEFT_VALUE(p), WEFT_VALUE(m), WEFT_VALUE(large), r, 1));
    FAILS(WEFT_ERROR_TYPE_MISMATCH, weft_enqueue_function(ctx, structs, 1, 1, out, WEFT_VALUE(p), WEFT_VALUE(m), WEFT_VALUE(v), r,
                                                          WEFT_VALUE(integer))); /* a scalar parameter */
    SAYS("scalar");
    FAILS(WEFT_ERROR_TYPE_MISMATCH,
          weft_enqueue_function(ctx, structs, 1, 1, out, 1, WEFT_VALUE(m), WEFT_VALUE(v), r, 1));
    float got[12];
    test_read(out, got);
    for (int i = 0; i < 12; i++) {
        ck_assert_float_eq(got[i], 3);
    }
}
END_TEST

START_TEST(half_passes_as_its_bits) {
    static const char source[] =
        "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n"
        "kernel void take(global float *out, half h) { out[0] = h; }\n";
    weft_context *ctx = test_context();
    weft_device_info info;
    OK(weft_device_get_info(weft_context_api(ctx), weft_context_id(ctx), &info));
    if (!info.fp16) {
        SKIP("no fp16");
    }
    weft_device_buffer *out = test_device_buffer(WEFT_FLOAT32, 1);
    uint16_t half = 0xC100;
    float got = 0;
    OK(weft_enqueue_function(ctx, test_function(source, "take"), 1, 1, out, WEFT_VALUE(half)));
    test_read(out, &got);
    ck_assert_float_eq(got, -2.5f);
}
END_TEST

/* ---- Buffers ---------------------------------------------------------------------------------------- */

#define BIT(dtype) WEFT_DTYPE_BIT(WEFT_##dtype)

START_TEST(pointee_decides_which_dtypes_fit) {
    static const char source[] =
        "typedef int number;\n"
        "struct pair { int a; float b; };\n"
        "kernel void take(global uchar *p0, global char *p1, global short *p2, global ushort *p3, global int *p4,\n"
        "                 global uint *p5, global long *p6, global ulong *p7, global half *p8, global float *p9,\n"
        "                 global void *p10, global float4 *p11, global struct pair *p12, global number *p13,\n"
        "                 constant int *p14, global const float *restrict p15) {\n"
        "    p0[0] = 1;\n"
        "}\n";
    static const uint32_t fits[] = {WEFT_ANY_DTYPE, WEFT_ANY_DTYPE, BIT(INT16), BIT(UINT16) | BIT(FLOAT16) | BIT(BFLOAT16),
                                    BIT(INT32), BIT(UINT32), BIT(INT64), BIT(UINT64), BIT(FLOAT16), BIT(FLOAT32),
                                    WEFT_ANY_DTYPE, BIT(FLOAT32), WEFT_ANY_DTYPE, BIT(INT32), BIT(INT32), BIT(FLOAT32)};
    enum { N = sizeof fits / sizeof *fits };
    weft_function *take = test_function(source, "take");
    const weft_launch launch = {WEFT_DIM(1), WEFT_DIM(1)};
    weft_device_buffer *out = test_device_buffer(WEFT_UINT8, 1);
    for (weft_dtype dtype = WEFT_INT8; dtype <= WEFT_FLOAT64; dtype++) {
        weft_device_buffer *buffer = test_device_buffer(dtype, 16);
        for (int p = 0; p < N; p++) {
            weft_arg args[N];
            for (int i = 0; i < N; i++) {
                args[i] = WEFT_NULL;
            }
            args[0] = WEFT_ARG(out);
            args[p] = WEFT_ARG(buffer);
            weft_status status = weft_enqueue_function_args(test_context(), take, &launch, args, N);
            weft_status want = fits[p] >> dtype & 1 ? WEFT_OK : WEFT_ERROR_TYPE_MISMATCH;
            ck_assert_msg(status == want, "%s for parameter %d: %s", weft_dtype_name(dtype), p, weft_status_name(status));
            if (status) {
                char name[8];
                snprintf(name, sizeof name, "p%d", p);
                SAYS(name);
                SAYS(weft_dtype_name(dtype));
            }
        }
    }
    OK(weft_synchronize(test_context()));
}
END_TEST

static const char kinds_source[] =
    "kernel void kinds(global int *buffer, int number, local int *shared) {\n"
    "    shared[0] = number;\n"
    "    if (buffer) buffer[0] = shared[0];\n"
    "}\n";

START_TEST(kind_must_match_the_parameter) {
    weft_context *ctx = test_context();
    weft_function *kinds = test_function(kinds_source, "kinds");
    weft_device_buffer *buffer = test_device_buffer(WEFT_INT32, 1);
    const weft_arg shared = weft_shared_bytes(4);
    int32_t got = 0;
    OK(weft_enqueue_function(ctx, kinds, 1, 1, buffer, 42, shared));
    test_read(buffer, &got);
    ck_assert_int_eq(got, 42);
    FAILS(WEFT_ERROR_TYPE_MISMATCH, weft_enqueue_function(ctx, kinds, 1, 1, 42, 42, shared));
    SAYS("buffer");
    FAILS(WEFT_ERROR_TYPE_MISMATCH, weft_enqueue_function(ctx, kinds, 1, 1, shared, 42, shared));
    FAILS(WEFT_ERROR_TYPE_MISMATCH, weft_enqueue_function(ctx, kinds, 1, 1, WEFT_VALUE(got), 42, shared));
    FAILS(WEFT_ERROR_TYPE_MISMATCH, weft_enqueue_function(ctx, kinds, 1, 1, buffer, buffer, shared));
    SAYS("number");
    FAILS(WEFT_ERROR_TYPE_MISMATCH, weft_enqueue_function(ctx, kinds, 1, 1, buffer, WEFT_NULL, shared));
    FAILS(WEFT_ERROR_TYPE_MISMATCH, weft_enqueue_function(ctx, kinds, 1, 1, buffer, shared, shared));
    FAILS(WEFT_ERROR_TYPE_MISMATCH, weft_enqueue_function(ctx, kinds, 1, 1, buffer, 42, buffer));
    SAYS("shared");
    FAILS(WEFT_ERROR_TYPE_MISMATCH, weft_enqueue_function(ctx, kinds, 1, 1, buffer, 42, WEFT_NULL));
    FAILS(WEFT_ERROR_TYPE_MISMATCH, weft_enqueue_function(ctx, kinds, 1, 1, buffer, 42, 4));
    FAILS(WEFT_ERROR_INVALID_ARGUMENT, weft_enqueue_function(ctx, kinds, 1, 1));
    FAILS(WEFT_ERROR_INVALID_ARGUMENT, weft_enqueue_function(ctx, kinds, 1, 1, buffer, 42));
    SAYS("3");
    SAYS("2");
    FAILS(WEFT_ERROR_INVALID_ARGUMENT, weft_enqueue_function(ctx, kinds, 1, 1, buffer, 42, shared, 1));
    test_read(buffer, &got);
    ck_assert_int_eq(got, 42);
}
END_TEST

START_TEST(null_and_empty_buffers_arrive) {
    static const char source[] =
        "kernel void sum(global const float *a, global const float *b, global float *out, int n) {\n"
        "    float x = a ? 1 : 10;\n"
        "    for (int i = 0; i < n; i++) x += b[i];\n"
        "    out[0] = x;\n"
        "}\n";
    weft_context *ctx = test_context();
    weft_function *sum = test_function(source, "sum");
    weft_device_buffer *out = test_device_buffer(WEFT_FLOAT32, 1), *empty = test_device_buffer(WEFT_FLOAT32, 0);
    float got = 0;
    OK(weft_enqueue_function(ctx, sum, 1, 1, WEFT_NULL, empty, out, 0));
    test_read(out, &got);
    ck_assert_float_eq(got, 10);
    OK(weft_enqueue_function(ctx, sum, 1, 1, out, WEFT_NULL, out, 0));
    test_read(out, &got);
    ck_assert_float_eq(got, 1);
}
END_TEST

/* ---- Compile and launch in one step ------------------------------------------------------------------- */

START_TEST(once_compiles_and_launches) {
    weft_context *ctx = test_context();
    weft_device_buffer *buffer = test_device_buffer(WEFT_INT32, 1);
    int32_t got = 0;
    for (int i = 1; i <= 3; i++) {
        OK(weft_enqueue_function_once(ctx, kinds_source, "kinds", 1, 1, buffer, i, weft_shared_bytes(4)));
        test_read(buffer, &got);
        ck_assert_int_eq(got, i);
    }
    FAILS(WEFT_ERROR_FUNCTION_NOT_FOUND, weft_enqueue_function_once(ctx, kinds_source, "kind", 1, 1, buffer));
    SAYS("kinds");
    FAILS(WEFT_ERROR_COMPILE_FAILED,
          weft_enqueue_function_once(ctx, "kernel void x(global int *p) { nonsense; }", "x", 1, 1, buffer));
    ck_assert_ptr_nonnull(strstr(weft_last_build_log(), "nonsense"));
    test_read(buffer, &got);
    ck_assert_int_eq(got, 3);
}
END_TEST

START_TEST(program_lists_its_kernels) {
    static const char source[] =
        "kernel void zebra(global int *out) { out[0] = 1; }\n"
        "kernel void apple(global int *out) { out[0] = N; }\n";
    const char *defines[] = {"N=5"};
    const weft_compile_options options = {.source_name = "fruit.cl", .defines = defines, .n_defines = 1};
    weft_program *program = NULL;
    weft_function *apple = NULL, *none = apple;
    OK(weft_compile_program(test_context(), source, &options, &program));
    ck_assert_uint_eq(weft_program_function_count(program), 2);
    ck_assert_str_eq(weft_program_function_name(program, 0), "apple");
    ck_assert_str_eq(weft_program_function_name(program, 1), "zebra");
    ck_assert_ptr_nonnull(weft_program_build_log(program));
    OK(weft_program_function(program, "apple", &apple));
    FAILS(WEFT_ERROR_FUNCTION_NOT_FOUND, weft_program_function(program, "pear", &none));
    SAYS("pear");
    SAYS("apple");
    SAYS("zebra");
    ck_assert_ptr_null(none);
    weft_program_release(program); /* the function holds it */
    weft_device_buffer *out = test_device_buffer(WEFT_INT32, 1);
    int32_t got = 0;
    OK(weft_enqueue_function(test_context(), apple, 1, 1, out));
    weft_function_release(apple); /* and the launch holds the function */
    test_read(out, &got);
    ck_assert_int_eq(got, 5);
}
END_TEST

START_TEST(kernel_is_named_like_a_built_in_function) {
    static const char source[] = "kernel void step(global int *out) { out[0] = 4; }\n";
    weft_function *step = test_function(source, "step");
    weft_device_buffer *out = test_device_buffer(WEFT_INT32, 1);
    int32_t got = 0;
    ck_assert_str_eq(weft_function_name(step), "step");
    OK(weft_enqueue_function(test_context(), step, 1, 1, out));
    test_read(out, &got);
    ck_assert_int_eq(got, 4);
}
END_TEST

START_TEST(assembled_source_needs_no_files) {
    static const char source[] =
        "#include <weft.clh>\n"
        "#include \"absent.h\"\n"
        "kernel void mark(global int *out) { out[thread_idx.x] = N; }\n";
    const char *defines[] = {"N=7"}, *directories[] = {"."};
    const weft_compile_options options = {.source_name = "mark.cl", .defines = defines, .n_defines = 1, .include_dirs = directories,
                                          .n_include_dirs = 1};
    char *text = NULL, *again = NULL;
    OK(weft_assemble_source(source, &options, &text)); /* programs run in an empty folder */
    ck_assert_ptr_nonnull(strstr(text, "#error \"absent.h\""));
    free(text);
    FILE *header = fopen("absent.h", "w");
    ck_assert_ptr_nonnull(header);
    fclose(header);
    OK(weft_assemble_source(source, &options, &text));
    OK(weft_assemble_source(text, NULL, &again));
    remove("absent.h");
    ck_assert_ptr_null(strstr(text, "#include"));
    ck_assert_str_eq(text, again);
    weft_function *mark = test_function(text, "mark");
    weft_device_buffer *out = test_device_buffer(WEFT_INT32, 2);
    int32_t got[2] = {0};
    OK(weft_enqueue_function(test_context(), mark, 1, 2, out));
    test_read(out, got);
    ck_assert_int_eq(got[0], 7);
    ck_assert_int_eq(got[1], 7);
    free(text);
    free(again);
}
END_TEST

/* Also where kernels without parameters are built in another way. */
START_TEST(no_parameters_under_a_standard) {
    static const char source[] = "kernel void idle(void) {}\nkernel void rest() {}\n";
    const weft_compile_options options = {.cl_std = "CL1.2"};
    weft_program *program = NULL;
    weft_function *function = NULL;
    OK(weft_compile_program(test_context(), source, &options, &program));
    for (int i = 0; i < 2; i++) {
        OK(weft_program_function(program, i ? "rest" : "idle", &function));
        ck_assert_uint_eq(weft_function_arg_count(function), 0);
        OK(weft_enqueue_function(test_context(), function, 2, 8));
        weft_function_release(function);
    }
    OK(weft_synchronize(test_context()));
    weft_program_release(program);
}
END_TEST

TESTS(integers_change_width_and_sign_when_the_value_survives, integers_beyond_the_parameter_are_refused,
      integer_and_floating_types_do_not_mix, double_parameter_takes_doubles_only, structs_and_vectors_pass_by_value,
      values_are_checked_by_size, half_passes_as_its_bits, pointee_decides_which_dtypes_fit, kind_must_match_the_parameter,
      null_and_empty_buffers_arrive, once_compiles_and_launches, program_lists_its_kernels,
      kernel_is_named_like_a_built_in_function, assembled_source_needs_no_files,
      no_parameters_under_a_standard)
