/* What few programs do, and what little of the other tests reaches: each right, or refused with a reason. */
#include "support.h"

/* ---- Compiling ------------------------------------------------------------------------------------- */

static const char add_one_source[] = "kernel void add_one(global int *x) { x[get_global_id(0)] += 1; }";

START_TEST(a_standard_is_asked_for) {
    const weft_compile_options options = {.cl_std = "CL1.2"};
    static const char source[] = "kernel void version(global int *out) { out[0] = __OPENCL_C_VERSION__; }";
    weft_function *version = NULL;
    weft_device_buffer *out = test_device_buffer(WEFT_INT32, 1);
    int32_t got = 0;
    OK(weft_compile_function(test_context(), source, "version", &options, &version));
    OK(weft_enqueue_function(test_context(), version, 1, 1, out));
    test_read(out, &got);
    ck_assert_int_eq(got, 120);
    weft_function_release(version);
}
END_TEST

START_TEST(a_standard_is_one_word) {
    static const char *const wrong[] = {"", "1.2", "CL1.2 -w", "CL1.2\t-w", "cl1.2", "CL1.2;", "C", "-cl-std=CL1.2"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        const weft_compile_options options = {.cl_std = wrong[i]};
        weft_program *program = (void *)&options;
        FAILS(WEFT_ERROR_INVALID_ARGUMENT, weft_compile_program(test_context(), add_one_source, &options, &program));
        ck_assert_ptr_null(program);
        SAYS("options.cl_std");
    }
    test_context_works(test_context());
}
END_TEST

/* ---- Parameters that weft has no argument for ------------------------------------------------------ */

START_TEST(images_and_samplers_are_refused) {
    static const char source[] =
        "kernel void fetch(read_only image2d_t picture, global int *out) { out[0] = get_image_width(picture); }\n"
        "kernel void sample(sampler_t how, global int *out) { out[0] = 1; }\n";
    weft_device_buffer *out = test_device_buffer(WEFT_INT32, 4);
    weft_arg_info info;
    weft_function *fetch = NULL, *sample = NULL;
    if (weft_compile_function(test_context(), source, "fetch", NULL, &fetch) != WEFT_OK) {
        SKIP("the driver's compiler knows no images");
    }
    OK(weft_compile_function(test_context(), source, "sample", NULL, &sample));
    OK(weft_function_arg_info(fetch, 0, &info));
    ck_assert_int_eq(info.kind, WEFT_PARAM_UNSUPPORTED);
    OK(weft_function_arg_info(sample, 0, &info));
    ck_assert_int_eq(info.kind, WEFT_PARAM_UNSUPPORTED);
    FAILS(WEFT_ERROR_UNSUPPORTED, weft_enqueue_function(test_context(), fetch, 1, 1, out, out));
    SAYS("kernel fetch, argument 0 (picture, image2d_t)");
    FAILS(WEFT_ERROR_UNSUPPORTED, weft_enqueue_function(test_context(), sample, 1, 1, 0, out));
    SAYS("kernel sample, argument 0 (how, sampler_t)");
    weft_function_release(fetch);
    weft_function_release(sample);
    test_context_works(test_context());
}
END_TEST

START_TEST(a_tensor_is_no_number) {
    weft_function *function = test_function("kernel void put(global int *out, int value) { out[0] = value; }", "put");
    weft_device_buffer *out = test_device_buffer(WEFT_INT32, 1);
    const weft_launch launch = {{1, 1, 1}, {1, 1, 1}};
    const weft_tensor tensor = {.buffer = out, .rank = 1, .shape = {1}, .strides = {1}};
    weft_arg args[2] = {WEFT_ARG(out), WEFT_ARG(tensor)};
    FAILS(WEFT_ERROR_TYPE_MISMATCH, weft_enqueue_function_args(test_context(), function, &launch, args, 2));
    SAYS("expected int, given a tensor");
    args[1].value.tensor = NULL;
    FAILS(WEFT_ERROR_TYPE_MISMATCH, weft_enqueue_function_args(test_context(), function, &launch, args, 2));
    SAYS("expected int, given a tensor of nothing");
}
END_TEST

/* Without elements it may begin where the buffer ends, and not behind. */
START_TEST(an_empty_tensor_begins_within_its_buffer) {
    weft_function *function = test_function("#include <weft.clh>\nkernel void put(TENSOR1(int, none), global int *out) {\n"
                                            "    out[0] = 7;\n"
                                            "}\n", "put");
    weft_device_buffer *none = test_device_buffer(WEFT_INT32, 4), *out = test_device_buffer(WEFT_INT32, 1);
    weft_tensor tensor = {.buffer = none, .offset = 5, .rank = 1, .shape = {0}, .strides = {1}};
    int32_t got = 0;
    FAILS(WEFT_ERROR_OUT_OF_RANGE, weft_enqueue_function(test_context(), function, 1, 1, tensor, out));
    SAYS("offset 5 is beyond the buffer's 4 elements");
    tensor.offset = 4;
    OK(weft_enqueue_function(test_context(), function, 1, 1, tensor, out));
    test_read(out, &got);
    ck_assert_int_eq(got, 7);
}
END_TEST

/* Beyond what an int counts, where the kernel has asked for that. */
START_TEST(a_narrow_tensor_ends_where_an_int_does) {
    const size_t far = (size_t)1 << 31;
    weft_function *function = test_function("#define WEFT_INDEX_32\n#include <weft.clh>\n"
                                            "kernel void put(TENSOR1(char, bytes), int unused) {}\n", "put");
    weft_device_buffer *buffer = NULL;
    if (weft_enqueue_create_buffer(test_context(), WEFT_INT8, far + 1, &buffer) != WEFT_OK) {
        SKIP("the device has no buffer of more than 2 GiB");
    }
    const weft_tensor tensor = {.buffer = buffer, .rank = 1, .shape = {2}, .strides = {far}};
    weft_status status = weft_enqueue_function(test_context(), function, 1, 1, tensor, 0);
    weft_device_buffer_release(buffer);
    ck_assert_int_eq(status, WEFT_ERROR_OUT_OF_RANGE);
    SAYS("2147483648 is beyond 2147483647, the largest index with WEFT_INDEX_32");
}
END_TEST

START_TEST(a_comment_is_no_program) {
    static const char *const images[] = {"// nothing but a comment", "// a comment\n", "\n \n", "/", "// .version"};
    for (size_t i = 0; i < sizeof images / sizeof *images; i++) {
        weft_program *program = (void *)&images;
        FAILS(WEFT_ERROR_INVALID_ARGUMENT, weft_load_program(test_context(), images[i], strlen(images[i]), &program));
        ck_assert_ptr_null(program);
        SAYS("image");
    }
}
END_TEST

/* What PoCL puts before its built-in functions' names may be part of a name. */
START_TEST(names_keep_what_looks_like_a_prefix) {
    weft_function *function = test_function("typedef int my_cl_int;\n"
                                            "kernel void put_cl_it(global my_cl_int *out_cl_, int step) { out_cl_[0] = step; }",
                                            "put_cl_it");
    weft_arg_info info;
    ck_assert_str_eq(weft_function_name(function), "put_cl_it");
    OK(weft_function_arg_info(function, 0, &info));
    ck_assert_str_eq(info.name, "out_cl_");
    ck_assert_str_eq(info.type_name, "my_cl_int*");
    OK(weft_function_arg_info(function, 1, &info));
    ck_assert_str_eq(info.name, "step");
}
END_TEST

START_TEST(a_value_without_bytes_is_refused) {
    weft_function *function = test_function("typedef struct { int a, b; } two;\n"
                                            "kernel void put(global int *out, two values) { out[0] = values.a; }", "put");
    weft_device_buffer *out = test_device_buffer(WEFT_INT32, 1);
    const weft_launch launch = {{1, 1, 1}, {1, 1, 1}};
    int value[2] = {1, 2};
    weft_arg args[2] = {WEFT_ARG(out), WEFT_VALUE(value)};
    args[1].value.data = NULL;
    FAILS(WEFT_ERROR_INVALID_ARGUMENT, weft_enqueue_function_args(test_context(), function, &launch, args, 2));
    SAYS("argument 1 (values, ");
    args[1] = WEFT_VALUE(value);
    args[1].size_bytes = 0;
    FAILS(WEFT_ERROR_INVALID_ARGUMENT, weft_enqueue_function_args(test_context(), function, &launch, args, 2));
    SAYS("argument 1 (values, ");
    args[1] = WEFT_VALUE(value);
    OK(weft_enqueue_function_args(test_context(), function, &launch, args, 2));
    int32_t got = 0;
    test_read(out, &got);
    ck_assert_int_eq(got, 1);
}
END_TEST

/* ---- Views as arguments ---------------------------------------------------------------------------- */

static void expect_any_offset(const char *source) {
    weft_function *function = test_function(source, "put");
    weft_device_buffer *out = test_device_buffer(WEFT_INT32, 64);
    int32_t got[64];
    for (size_t offset = 0; offset < 40; offset += 13) {
        OK(weft_enqueue_fill(out, -1));
        OK(weft_enqueue_function(test_context(), function, 1, 1, test_view(out, WEFT_INT32, offset, 2)));
        test_read(out, got);
        for (size_t k = 0; k < 64; k++) {
            ck_assert_int_eq(got[k], k == offset ? 7 : -1);
        }
    }
}

START_TEST(a_pointer_to_void_takes_views) {
    expect_any_offset("kernel void put(global void *out) { ((global int *)out)[0] = 7; }");
}
END_TEST

/* Types whose names say nothing of the alignment that the kernel wants: one too long for weft to look at, and one that
 * is never completed. */
START_TEST(a_pointer_to_an_unknown_type_takes_views) {
    char name[200] = "", source[1024];
    memset(name, 'n', sizeof name - 1);
    snprintf(source, sizeof source, "typedef int %s;\nkernel void put(global %s *out) { out[0] = 7; }", name, name);
    expect_any_offset(source);
    expect_any_offset("struct hidden;\nkernel void put(global struct hidden *out) { *(global int *)out = 7; }");
}
END_TEST

START_TEST(an_empty_view_is_an_argument) {
    weft_function *function = test_function("kernel void put(global int *none, global int *out) { out[0] = none != 0; }", "put");
    weft_device_buffer *whole = test_device_buffer(WEFT_INT32, 8), *out = test_device_buffer(WEFT_INT32, 1);
    int32_t got = 0;
    OK(weft_enqueue_function(test_context(), function, 1, 1, test_view(whole, WEFT_INT32, 3, 0), out));
    test_read(out, &got);
    ck_assert_int_eq(got, 1);
}
END_TEST

/* The view wants a stand-in, and what stands beside it is no buffer. */
START_TEST(scalars_beside_a_misaligned_view) {
    weft_function *function = test_function("kernel void put(int a, global int4 *out, int b, local int *scratch) {\n"
                                            "    scratch[0] = a + b;\n"
                                            "    out[0] = (int4)(a, b, scratch[0], 4);\n"
                                            "}\n", "put");
    weft_device_buffer *out = test_device_buffer(WEFT_INT32, 16);
    int32_t got[16];
    OK(weft_enqueue_fill(out, -1));
    OK(weft_enqueue_function(test_context(), function, 1, 1, 1, test_view(out, WEFT_INT32, 5, 4), 2, weft_shared_bytes(16)));
    test_read(out, got);
    static const int32_t expected[16] = {-1, -1, -1, -1, -1, 1, 2, 3, 4, -1, -1, -1, -1, -1, -1, -1};
    ck_assert_mem_eq(got, expected, sizeof got);
}
END_TEST

/* ---- Questions ------------------------------------------------------------------------------------- */

START_TEST(a_required_block_is_suggested) {
    weft_function *function = test_function(
        "kernel __attribute__((reqd_work_group_size(8, 2, 1))) void fixed(global int *out) { out[0] = 1; }", "fixed");
    weft_dim grid, block;
    OK(weft_function_suggest_launch(function, 100, &grid, &block));
    ck_assert(block.x == 8 && block.y == 2 && block.z == 1);
    ck_assert(grid.x == 7 && grid.y == 1 && grid.z == 1); /* of 16 threads each */
}
END_TEST

START_TEST(parallelism_is_a_processors) {
    weft_device_info info;
    int64_t level = 0;
    OK(weft_device_get_info(NULL, 0, &info));
    if (strcmp(info.kind, "cpu") == 0) {
        OK(weft_context_get_attribute(test_context(), WEFT_DEVICE_PARALLELISM_LEVEL, &level));
        ck_assert_int_eq(level, info.compute_units);
    } else {
        FAILS(WEFT_ERROR_UNSUPPORTED, weft_context_get_attribute(test_context(), WEFT_DEVICE_PARALLELISM_LEVEL, &level));
    }
}
END_TEST

/* ---- Much in flight -------------------------------------------------------------------------------- */

/* More commands than a context lets run ahead, and nobody waits for them. */
START_TEST(a_busy_stream_is_released) {
    weft_context *stream = NULL;
    weft_device_buffer *buffer = NULL;
    int32_t got = 0, commands = (int32_t)test_size(10000, 9000);
    OK(weft_context_create_stream(test_context(), NULL, &stream));
    OK(weft_enqueue_create_buffer(stream, WEFT_INT32, 1, &buffer));
    for (int32_t i = 0; i < commands; i++) {
        OK(weft_enqueue_fill(buffer, i));
    }
    OK(weft_enqueue_wait_for(test_context(), stream));
    weft_context_release(stream);
    OK(weft_enqueue_copy(test_context(), &got, buffer));
    OK(weft_synchronize(test_context()));
    ck_assert_int_eq(got, commands - 1);
    weft_device_buffer_release(buffer);
}
END_TEST

/* Host memory that is released while copies from it wait piles up only so far. */
START_TEST(released_host_memory_does_not_pile_up) {
    static const char spin_source[] = "kernel void spin(global uint *x, int times) {\n"
                                      "    uint v = x[0];\n"
                                      "    for (int i = 0; i < times; i++) v = v * 1664525u + (v >> 9);\n"
                                      "    x[0] = v;\n"
                                      "}\n";
    const size_t length = test_size(24, 1) << 20;
    weft_device_buffer *device = test_device_buffer(WEFT_UINT32, length);
    uint32_t got = 0;
    OK(weft_enqueue_fill(device, 1));
    OK(weft_enqueue_function(test_context(), test_function(spin_source, "spin"), 1, 1, device, (int)test_size(100000000, 1000)));
    for (uint32_t i = 0; i < 4; i++) {
        weft_host_buffer *host = NULL;
        OK(weft_enqueue_create_host_buffer(test_context(), WEFT_UINT32, length, &host));
        uint32_t *data = weft_host_buffer_data(host);
        data[0] = data[length - 1] = i;
        OK(weft_enqueue_copy(test_context(), device, host));
        weft_host_buffer_release(host);
    }
    OK(weft_enqueue_copy(test_context(), &got, test_view(device, WEFT_UINT32, length - 1, 1)));
    OK(weft_synchronize(test_context()));
    ck_assert_uint_eq(got, 3);
}
END_TEST

/* ---- Raw pointers ---------------------------------------------------------------------------------- */

/* A taken pointer may come back with an offset; the buffer then moves to another device as any other. */
START_TEST(a_wrapped_offset_moves) {
    weft_context *other = test_other_device();
    if (!other) {
        SKIP("one device");
    }
    weft_device_buffer *buffer = NULL, *wrapped = NULL;
    weft_device_ptr pointer;
    int32_t got[64], start[128];
    for (int32_t i = 0; i < 128; i++) {
        start[i] = i;
    }
    OK(weft_enqueue_create_buffer(test_context(), WEFT_INT32, 128, &buffer));
    test_write(buffer, start);
    OK(weft_device_buffer_take_ptr(buffer, &pointer));
    pointer.offset_bytes += 64 * sizeof *got;
    OK(weft_wrap_device_ptr(test_context(), pointer, WEFT_INT32, 64, true, &wrapped));
    OK(weft_enqueue_function(test_context(), test_function(add_one_source, "add_one"), 4, 16, wrapped));
    OK(weft_device_buffer_reassign_ownership_to(wrapped, other));
    test_read(wrapped, got);
    for (int32_t i = 0; i < 64; i++) {
        ck_assert_int_eq(got[i], 64 + i + 1);
    }
    weft_function *there = NULL; /* and a kernel there takes it */
    OK(weft_compile_function(other, add_one_source, "add_one", NULL, &there));
    OK(weft_enqueue_function(other, there, 4, 16, wrapped));
    test_read(wrapped, got);
    for (int32_t i = 0; i < 64; i++) {
        ck_assert_int_eq(got[i], 64 + i + 2);
    }
    weft_function_release(there);
    weft_device_buffer_release(wrapped);
}
END_TEST

TESTS(a_standard_is_asked_for, a_standard_is_one_word, images_and_samplers_are_refused, a_tensor_is_no_number,
      an_empty_tensor_begins_within_its_buffer, a_narrow_tensor_ends_where_an_int_does, a_comment_is_no_program, names_keep_what_looks_like_a_prefix, a_value_without_bytes_is_refused,
      a_pointer_to_void_takes_views, a_pointer_to_an_unknown_type_takes_views, an_empty_view_is_an_argument,
      scalars_beside_a_misaligned_view, a_required_block_is_suggested, parallelism_is_a_processors, a_busy_stream_is_released,
      released_host_memory_does_not_pile_up, a_wrapped_offset_moves)
