/* Cases from public reports, section C: what a kernel receives is what the caller meant, or the launch is refused. */
#include <stdio.h>

#include "support.h"

/* A buffer of length ints that no kernel here stores, so that a launch that must not run shows. */
#define UNTOUCHED (-12345)

static weft_device_buffer *untouched(size_t length) {
    weft_device_buffer *out = test_device_buffer(WEFT_INT32, length);
    OK(weft_enqueue_fill(out, UNTOUCHED));
    return out;
}

static int first_int(weft_device_buffer *out) {
    int value = 0;
    OK(weft_enqueue_copy_range(test_context(), &value, 0, out, 0, 1));
    OK(weft_synchronize(test_context()));
    return value;
}

/* A refusal's other half: nothing ran, and the context goes on. */
static void expect_untouched(weft_device_buffer *out) {
    ck_assert_int_eq(first_int(out), UNTOUCHED);
    test_context_works(test_context());
}

/* ---- C18: structs by value --------------------------------------------------------------------- */

START_TEST(c18_struct_without_padding) {
    const struct {
        int a, b;
    } pair = {40, 2};
    weft_device_buffer *out = untouched(1);
    weft_function *sum = test_function("typedef struct { int a; int b; } pair;\n"
                                       "kernel void sum(pair first, global int *out) { out[0] = first.a + first.b; }\n", "sum");
    OK(weft_enqueue_function(test_context(), sum, 1, 1, WEFT_VALUE(pair), out));
    ck_assert_int_eq(first_int(out), 42);
}
END_TEST

START_TEST(c18_struct_with_tail_padding) {
    struct {
        int a;
        char b;
    } pair;
    memset(&pair, 0xEE, sizeof pair);
    pair.a = 40;
    pair.b = 2;
    ck_assert_uint_eq(sizeof pair, 8);
    weft_device_buffer *out = untouched(1);
    weft_function *sum = test_function("typedef struct { int a; char b; } pair;\n"
                                       "kernel void sum(pair first, global int *out) { out[0] = first.a + first.b; }\n", "sum");
    OK(weft_enqueue_function(test_context(), sum, 1, 1, WEFT_VALUE(pair), out));
    ck_assert_int_eq(first_int(out), 42);
}
END_TEST

START_TEST(c18_struct_of_another_size_is_refused) {
    weft_context *ctx = test_context();
    const struct {
        int v[4];
    } large = {{40, 2, 0, 0}};
    const struct {
        int v[1];
    } small = {{40}};
    weft_device_buffer *out = untouched(1);
    weft_function *sum = test_function("typedef struct { int a; int b; } pair;\n"
                                       "kernel void sum_of(pair both, global int *out) { out[0] = both.a + both.b; }\n",
                                       "sum_of");
    FAILS(WEFT_ERROR_TYPE_MISMATCH, weft_enqueue_function(ctx, sum, 1, 1, WEFT_VALUE(large), out));
    SAYS("sum_of");
    SAYS("both");
    SAYS("16");
    FAILS(WEFT_ERROR_TYPE_MISMATCH, weft_enqueue_function(ctx, sum, 1, 1, WEFT_VALUE(small), out));
    FAILS(WEFT_ERROR_TYPE_MISMATCH, weft_enqueue_function(ctx, sum, 1, 1, 40, out));
    expect_untouched(out);
}
END_TEST

/* Both are 16 bytes, and b is at 8 here and at 4 there. */
START_TEST(c20_struct_of_another_alignment_is_refused) {
    weft_context *ctx = test_context();
    const struct {
        int32_t a, b, c, d;
    } packed = {1, 0, 5, 0};
    const struct {
        int32_t a;
        int64_t b;
    } right = {1, ((int64_t)1 << 40) + 5};
    int64_t got = 0;
    weft_device_buffer *out = test_device_buffer(WEFT_INT64, 1);
    weft_function *take = test_function("typedef struct { int a; long b; } mixed;\n"
                                        "kernel void take(mixed m, global long *out) { out[0] = m.a + m.b; }\n", "take");
    FAILS(WEFT_ERROR_TYPE_MISMATCH, weft_enqueue_function(ctx, take, 1, 1, WEFT_VALUE(packed), out));
    SAYS("m");
    SAYS("aligned to 8 bytes");
    SAYS("aligned to 4");
    OK(weft_enqueue_function(ctx, take, 1, 1, WEFT_VALUE(right), out));
    test_read(out, &got);
    ck_assert_int_eq(got, ((int64_t)1 << 40) + 6);
}
END_TEST

/* ---- C19: vectors of three --------------------------------------------------------------------- */

typedef struct {
    _Alignas(16) float s[4]; /* float3 takes the room of four */
} three_floats;

static const char third_source[] = "kernel void third(float3 vec, global float *out) { out[0] = vec.z; }";

START_TEST(c19_three_floats_by_value) {
    const three_floats vec = {{1, 2, 3, -1}};
    float actual = 0;
    weft_device_buffer *out = test_device_buffer(WEFT_FLOAT32, 1);
    OK(weft_enqueue_function(test_context(), test_function(third_source, "third"), 1, 1, WEFT_VALUE(vec), out));
    test_read(out, &actual);
    ck_assert(actual == 3);
}
END_TEST

START_TEST(c19_twelve_bytes_are_refused) {
    const struct {
        float s[3];
    } packed = {{1, 2, 3}};
    float actual = 0;
    weft_device_buffer *out = test_device_buffer(WEFT_FLOAT32, 1);
    OK(weft_enqueue_fill(out, -1.0f));
    FAILS(WEFT_ERROR_TYPE_MISMATCH,
          weft_enqueue_function(test_context(), test_function(third_source, "third"), 1, 1, WEFT_VALUE(packed), out));
    SAYS("third");
    SAYS("vec");
    SAYS("12");
    SAYS("16");
    test_read(out, &actual);
    ck_assert(actual == -1);
    test_context_works(test_context());
}
END_TEST

START_TEST(c19_stride_of_three_floats_is_sixteen_bytes) {
    float in[16], actual[4] = {0};
    for (int i = 0; i < 16; i++) in[i] = (float)i;
    weft_device_buffer *vectors = test_device_buffer(WEFT_FLOAT32, 16), *out = test_device_buffer(WEFT_FLOAT32, 4);
    test_write(vectors, in);
    weft_function *thirds = test_function("kernel void thirds(global const float3 *v, global float *out) {\n"
                                          "    size_t i = get_global_id(0);\n"
                                          "    out[i] = v[i].z;\n"
                                          "}\n", "thirds");
    OK(weft_enqueue_function(test_context(), thirds, 1, 4, vectors, out));
    test_read(out, actual);
    ck_assert(actual[0] == 2 && actual[1] == 6 && actual[2] == 10 && actual[3] == 14);
}
END_TEST

START_TEST(c19_struct_with_three_floats) {
    typedef struct {
        three_floats c;
        uint32_t f;
        uint32_t padding[3];
    } node;
    node nodes[2];
    memset(nodes, 0, sizeof nodes);
    nodes[1].c = (three_floats){{1, 2, 3, 0}};
    nodes[1].f = 77;
    uint32_t actual[3] = {0};
    weft_device_buffer *in = test_device_buffer(WEFT_UINT32, sizeof nodes / 4), *out = test_device_buffer(WEFT_UINT32, 3);
    test_write(in, nodes);
    weft_function *read = test_function("typedef struct { float3 c; uint f; } node;\n"
                                        "kernel void read(global const node *n, global uint *out) {\n"
                                        "    out[0] = sizeof(node);\n"
                                        "    out[1] = n[1].f;\n"
                                        "    out[2] = (uint)n[1].c.z;\n"
                                        "}\n", "read");
    OK(weft_enqueue_function(test_context(), read, 1, 1, in, out));
    test_read(out, actual);
    ck_assert_uint_eq(actual[0], 32);
    ck_assert_uint_eq(actual[1], 77);
    ck_assert_uint_eq(actual[2], 3);
}
END_TEST

/* ---- C20: a hole inside a struct --------------------------------------------------------------- */

START_TEST(c20_struct_of_int_and_long) {
    struct {
        int32_t a;
        int64_t b;
    } pair = {1, (INT64_C(1) << 40) + 5};
    int64_t actual[2] = {0};
    ck_assert_uint_eq(sizeof pair, 16); /* elsewhere the program has to pad it */
    weft_device_buffer *out = test_device_buffer(WEFT_INT64, 2);
    weft_function *store = test_function("typedef struct { int a; long b; } pair;\n"
                                         "kernel void store(pair p, global long *out) { out[0] = p.a; out[1] = p.b; }\n",
                                         "store");
    OK(weft_enqueue_function(test_context(), store, 1, 1, WEFT_VALUE(pair), out));
    test_read(out, actual);
    ck_assert_int_eq(actual[0], 1);
    ck_assert_int_eq(actual[1], (INT64_C(1) << 40) + 5);
}
END_TEST

/* ---- C21: integers of another width ------------------------------------------------------------ */

START_TEST(c21_size_t_and_bool_parameters_do_not_compile) {
    weft_context *ctx = test_context();
    weft_function *function = NULL;
    FAILS(WEFT_ERROR_COMPILE_FAILED,
          weft_compile_function(ctx, "kernel void k(size_t n, global int *out) { out[0] = n; }", "k", NULL, &function));
    ck_assert_ptr_null(function);
    ck_assert_ptr_nonnull(strstr(weft_last_build_log(), "size_t"));
    FAILS(WEFT_ERROR_COMPILE_FAILED,
          weft_compile_function(ctx, "kernel void k(bool b, global int *out) { out[0] = b; }", "k", NULL, &function));
    ck_assert_ptr_null(function);
    ck_assert_ptr_nonnull(strstr(weft_last_build_log(), "bool"));
    test_context_works(ctx);
}
END_TEST

START_TEST(c21_integer_fits_or_is_refused) {
    weft_context *ctx = test_context();
    weft_device_buffer *out = untouched(1);
    weft_function *store = test_function("kernel void store(uint number, global int *out) { out[0] = (int)number; }", "store");
    FAILS(WEFT_ERROR_OUT_OF_RANGE, weft_enqueue_function(ctx, store, 1, 1, (size_t)1 << 32, out));
    SAYS("store");
    SAYS("number");
    SAYS("4294967296");
    FAILS(WEFT_ERROR_OUT_OF_RANGE, weft_enqueue_function(ctx, store, 1, 1, -1, out));
    FAILS(WEFT_ERROR_OUT_OF_RANGE, weft_enqueue_function(ctx, store, 1, 1, INT64_MIN, out));
    expect_untouched(out);
    OK(weft_enqueue_function(ctx, store, 1, 1, (size_t)5, out));
    ck_assert_int_eq(first_int(out), 5);
    OK(weft_enqueue_function(ctx, store, 1, 1, (int64_t)7, out));
    ck_assert_int_eq(first_int(out), 7);
    OK(weft_enqueue_function(ctx, store, 1, 1, (size_t)UINT32_MAX, out));
    ck_assert_int_eq(first_int(out), -1);
}
END_TEST

START_TEST(c21_integers_of_every_width) {
    weft_context *ctx = test_context();
    int64_t actual[4] = {0};
    weft_device_buffer *out = test_device_buffer(WEFT_INT64, 4);
    weft_function *store = test_function("kernel void store(char c, ushort s, long l, ulong u, global long *out) {\n"
                                         "    out[0] = c; out[1] = s; out[2] = l; out[3] = (long)u;\n"
                                         "}\n", "store");
    OK(weft_enqueue_fill(out, 0));
    FAILS(WEFT_ERROR_OUT_OF_RANGE, weft_enqueue_function(ctx, store, 1, 1, 128, 0, 0, 0, out));
    FAILS(WEFT_ERROR_OUT_OF_RANGE, weft_enqueue_function(ctx, store, 1, 1, 0, 65536, 0, 0, out));
    FAILS(WEFT_ERROR_OUT_OF_RANGE, weft_enqueue_function(ctx, store, 1, 1, 0, 0, UINT64_MAX, 0, out));
    FAILS(WEFT_ERROR_OUT_OF_RANGE, weft_enqueue_function(ctx, store, 1, 1, 0, 0, 0, -1, out));
    test_read(out, actual);
    for (int i = 0; i < 4; i++) ck_assert_int_eq(actual[i], 0);
    OK(weft_enqueue_function(ctx, store, 1, 1, -128, 65535, -5, (unsigned char)200, out));
    test_read(out, actual);
    ck_assert_int_eq(actual[0], -128);
    ck_assert_int_eq(actual[1], 65535);
    ck_assert_int_eq(actual[2], -5); /* sign-extended from int */
    ck_assert_int_eq(actual[3], 200);
    test_context_works(ctx);
}
END_TEST

/* ---- C22: kinds of argument -------------------------------------------------------------------- */

START_TEST(c22_scalar_of_another_kind_is_refused) {
    weft_context *ctx = test_context();
    weft_device_buffer *out = test_device_buffer(WEFT_FLOAT32, 1);
    float actual = 0;
    OK(weft_enqueue_fill(out, -1.0f));
    weft_function *add = test_function("kernel void add(float left, float right, global float *c) { *c = left + right; }", "add");
    FAILS(WEFT_ERROR_TYPE_MISMATCH, weft_enqueue_function(ctx, add, 1, 1, 3.14, 2.71, out));
    SAYS("add");
    SAYS("left");
    SAYS("float");
    SAYS("double");
    FAILS(WEFT_ERROR_TYPE_MISMATCH, weft_enqueue_function(ctx, add, 1, 1, 3, 2.71f, out));
    SAYS("left");
    SAYS("int");
    FAILS(WEFT_ERROR_TYPE_MISMATCH, weft_enqueue_function(ctx, add, 1, 1, 3.14f, INT64_C(2), out));
    SAYS("right");
    SAYS("1"); /* its index */
    test_read(out, &actual);
    ck_assert(actual == -1);
    const volatile float left = 3.14f, right = 2.71f;
    const volatile float sum = left + right; /* one correctly rounded addition, here and there */
    OK(weft_enqueue_function(ctx, add, 1, 1, 3.14f, 2.71f, out));
    test_read(out, &actual);
    ck_assert(actual == sum);
    test_context_works(ctx);
}
END_TEST

START_TEST(c22_argument_of_another_class_is_refused) {
    weft_context *ctx = test_context();
    const int four = 4;
    weft_device_buffer *out = untouched(1), *floats = test_device_buffer(WEFT_FLOAT32, 4);
    weft_device_buffer *unsigneds = test_device_buffer(WEFT_UINT32, 4);
    weft_function *k = test_function("kernel void k(int n, local int *scratch, global int *out) {\n"
                                     "    scratch[0] = n; out[0] = scratch[0];\n"
                                     "}\n", "k");
    FAILS(WEFT_ERROR_TYPE_MISMATCH, weft_enqueue_function(ctx, k, 1, 1, 4.0f, weft_shared_bytes(4), out));
    FAILS(WEFT_ERROR_TYPE_MISMATCH, weft_enqueue_function(ctx, k, 1, 1, out, weft_shared_bytes(4), out));
    FAILS(WEFT_ERROR_TYPE_MISMATCH, weft_enqueue_function(ctx, k, 1, 1, WEFT_NULL, weft_shared_bytes(4), out));
    FAILS(WEFT_ERROR_TYPE_MISMATCH, weft_enqueue_function(ctx, k, 1, 1, WEFT_VALUE(four), weft_shared_bytes(4), out));
    FAILS(WEFT_ERROR_TYPE_MISMATCH, weft_enqueue_function(ctx, k, 1, 1, 4, out, out));
    FAILS(WEFT_ERROR_TYPE_MISMATCH, weft_enqueue_function(ctx, k, 1, 1, 4, 4, out));
    FAILS(WEFT_ERROR_TYPE_MISMATCH, weft_enqueue_function(ctx, k, 1, 1, 4, weft_shared_bytes(4), 4));
    FAILS(WEFT_ERROR_TYPE_MISMATCH, weft_enqueue_function(ctx, k, 1, 1, 4, weft_shared_bytes(4), weft_shared_bytes(4)));
    FAILS(WEFT_ERROR_TYPE_MISMATCH, weft_enqueue_function(ctx, k, 1, 1, 4, weft_shared_bytes(4), floats));
    FAILS(WEFT_ERROR_TYPE_MISMATCH, weft_enqueue_function(ctx, k, 1, 1, 4, weft_shared_bytes(4), unsigneds));
    SAYS("out");
    SAYS("uint32");
    expect_untouched(out);
    OK(weft_enqueue_function(ctx, k, 1, 1, 4, weft_shared_bytes(4), out));
    ck_assert_int_eq(first_int(out), 4);
}
END_TEST

/* ---- C24: too few, too many, none -------------------------------------------------------------- */

START_TEST(c24_wrong_count_is_refused) {
    weft_context *ctx = test_context();
    weft_device_buffer *out = untouched(1);
    weft_function *k = test_function("kernel void k(int a, int b, global int *out) { out[0] = a + b; }", "k");
    FAILS(WEFT_ERROR_INVALID_ARGUMENT, weft_enqueue_function(ctx, k, 1, 1, 1, out));
    SAYS("3");
    SAYS("2");
    FAILS(WEFT_ERROR_INVALID_ARGUMENT, weft_enqueue_function(ctx, k, 1, 1, 1, 2, out, 4));
    SAYS("3");
    SAYS("4");
    FAILS(WEFT_ERROR_INVALID_ARGUMENT, weft_enqueue_function(ctx, k, 1, 1));
    SAYS("0");
    expect_untouched(out);
    OK(weft_enqueue_function(ctx, k, 1, 1, 1, 2, out));
    ck_assert_int_eq(first_int(out), 3);
}
END_TEST

START_TEST(c24_null_buffer) {
    weft_context *ctx = test_context();
    weft_device_buffer *out = untouched(1), *none = NULL, *input = test_device_buffer(WEFT_FLOAT32, 1);
    OK(weft_enqueue_fill(input, 1.0f));
    weft_function *is_null = test_function("kernel void is_null(global const float *p, global int *out) { out[0] = p ? 2 : 1; }",
                                           "is_null");
    FAILS(WEFT_ERROR_INVALID_ARGUMENT, weft_enqueue_function(ctx, is_null, 1, 1, none, out));
    expect_untouched(out);
    OK(weft_enqueue_function(ctx, is_null, 1, 1, WEFT_NULL, out));
    ck_assert_int_eq(first_int(out), 1);
    OK(weft_enqueue_function(ctx, is_null, 1, 1, input, out));
    ck_assert_int_eq(first_int(out), 2);
}
END_TEST

/* The work keeps a buffer whose last handle went right after the launch. */
START_TEST(c24_buffer_released_after_the_launch) {
    weft_context *ctx = test_context();
    weft_device_buffer *out = untouched(1), *in = NULL;
    weft_function *copy = test_function("kernel void copy(global const int *in, global int *out) { out[0] = in[0]; }", "copy");
    for (int repeat = 0; repeat < 20; repeat++) {
        OK(weft_enqueue_create_buffer(ctx, WEFT_INT32, 1, &in));
        OK(weft_enqueue_fill(in, repeat));
        OK(weft_enqueue_function(ctx, copy, 1, 1, in, out));
        weft_device_buffer_release(in);
        OK(weft_enqueue_create_buffer(ctx, WEFT_INT32, 1, &in)); /* perhaps the same memory */
        OK(weft_enqueue_fill(in, -7));
        weft_device_buffer_release(in);
        ck_assert_int_eq(first_int(out), repeat);
    }
}
END_TEST

/* ---- C25: many bytes of arguments -------------------------------------------------------------- */

/* Drivers grant more than they report, so both ways are right, but no value may be cut. */
START_TEST(c25_large_struct_by_value) {
    weft_context *ctx = test_context();
    struct {
        int v[750];
    } large;
    for (int i = 0; i < 750; i++) large.v[i] = 1000 + i;
    int actual[3] = {0};
    weft_device_buffer *out = untouched(3);
    weft_function *ends = NULL;
    weft_status status = weft_compile_function(ctx,
                                               "typedef struct { int v[750]; } large;\n"
                                               "kernel void ends(large big, global int *out) {\n"
                                               "    out[0] = big.v[0]; out[1] = big.v[400]; out[2] = big.v[749];\n"
                                               "}\n", "ends", NULL, &ends);
    if (!status) status = weft_enqueue_function(ctx, ends, 1, 1, WEFT_VALUE(large), out);
    if (!status) {
        test_read(out, actual);
        ck_assert_int_eq(actual[0], 1000);
        ck_assert_int_eq(actual[1], 1400);
        ck_assert_int_eq(actual[2], 1749);
    } else {
        const bool at_compile = status == WEFT_ERROR_COMPILE_FAILED;
        ck_assert_msg(at_compile || status == WEFT_ERROR_LAUNCH_LIMIT || status == WEFT_ERROR_UNSUPPORTED, "%s: %s",
                      weft_status_name(status), weft_error_message());
        /* The struct's bytes, or those of all arguments. */
        ck_assert(at_compile || strstr(weft_error_message(), "3000") || strstr(weft_error_message(), "3008"));
        expect_untouched(out);
    }
    weft_function_release(ends);
}
END_TEST

/* More arguments than the macro takes, through the function under it. */
START_TEST(c25_sixty_four_arguments) {
    char source[4096] = "kernel void sum(global int *out";
    char *end = source + strlen(source);
    weft_arg args[64];
    int expected = 0;
    weft_device_buffer *out = untouched(1);
    args[0] = WEFT_ARG(out);
    for (int i = 1; i < 64; i++) {
        end += sprintf(end, ", int a%d", i);
        args[i] = WEFT_ARG(i * i);
        expected += i * i * i;
    }
    end += sprintf(end, ") { out[0] = 0");
    for (int i = 1; i < 64; i++) end += sprintf(end, " + %d * a%d", i, i);
    sprintf(end, "; }");
    const weft_launch launch = {{1, 1, 1}, {1, 1, 1}};
    OK(weft_enqueue_function_args(test_context(), test_function(source, "sum"), &launch, args, 64));
    ck_assert_int_eq(first_int(out), expected);
}
END_TEST

/* ---- C26: double where there is none ----------------------------------------------------------- */

static const char halve_source[] = "kernel void halve(global double *v) { v[0] = v[0] / 2; }";

/* Only a kernel that names double may need fp64. */
START_TEST(c26_double_buffers_without_fp64) {
    weft_context *ctx = test_context();
    double values[3] = {0};
    weft_device_buffer *doubles = test_device_buffer(WEFT_FLOAT64, 3), *copy = test_device_buffer(WEFT_FLOAT64, 3);
    OK(weft_enqueue_fill(doubles, 0.1));
    OK(weft_enqueue_fill_range(doubles, 1, 1, -1e300));
    OK(weft_enqueue_copy(ctx, copy, doubles));
    test_read(copy, values);
    ck_assert(values[0] == 0.1 && values[1] == -1e300 && values[2] == 0.1);
    weft_device_buffer *out = untouched(1);
    weft_function *k = test_function("kernel void k(float f, global int *out) { out[0] = (int)(f * 2.0f); }", "k");
    OK(weft_enqueue_function(ctx, k, 1, 1, 10.5f, out));
    ck_assert_int_eq(first_int(out), 21);
}
END_TEST

START_TEST(c26_double_kernel_without_fp64) {
    weft_context *ctx = test_context();
    weft_device_info info;
    weft_function *halve = NULL;
    OK(weft_device_get_info(NULL, 0, &info));
    if (on_driver("rusticl")) ck_assert(!info.fp64);
    if (info.fp64) {
        double value = 5.0;
        weft_device_buffer *buffer = test_device_buffer(WEFT_FLOAT64, 1);
        test_write(buffer, &value);
        OK(weft_enqueue_function(ctx, test_function(halve_source, "halve"), 1, 1, buffer));
        test_read(buffer, &value);
        ck_assert(value == 2.5);
        return;
    }
    FAILS(WEFT_ERROR_COMPILE_FAILED, weft_compile_function(ctx, halve_source, "halve", NULL, &halve));
    ck_assert_ptr_null(halve);
    SAYS("fp64");
    ck_assert_uint_gt(strlen(weft_last_build_log()), 0);

    /* Another mistake is not blamed on that, though weft.clh has functions for double. */
    static const char wrong[] = "#include <weft.clh>\nkernel void k(global int *x) { x[0] = undeclared_name; }\n";
    FAILS(WEFT_ERROR_COMPILE_FAILED, weft_compile_function(ctx, wrong, "k", NULL, &halve));
    SAYS("undeclared_name");
    ck_assert_ptr_null(strstr(weft_error_message(), "fp64"));
    test_context_works(ctx);
}
END_TEST

TESTS(c18_struct_without_padding, c18_struct_with_tail_padding, c18_struct_of_another_size_is_refused,
      c19_three_floats_by_value, c19_twelve_bytes_are_refused, c19_stride_of_three_floats_is_sixteen_bytes,
      c19_struct_with_three_floats, c20_struct_of_int_and_long,
      c20_struct_of_another_alignment_is_refused, c21_size_t_and_bool_parameters_do_not_compile,
      c21_integer_fits_or_is_refused, c21_integers_of_every_width, c22_scalar_of_another_kind_is_refused,
      c22_argument_of_another_class_is_refused, c24_wrong_count_is_refused, c24_null_buffer,
      c24_buffer_released_after_the_launch, c25_large_struct_by_value, c25_sixty_four_arguments,
      c26_double_buffers_without_fp64, c26_double_kernel_without_fp64)
