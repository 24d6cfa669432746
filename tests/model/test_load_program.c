/* Programs that one process writes and another loads: the model's compiled functions, OpenCL's binaries and SPIR-V. */
#include <stdio.h>
#include <stdlib.h>

#include "support.h"

static const char source[] = "typedef struct { int by; float times; } step_t;\n"
                             "kernel void step_all(global int *x, step_t step) { x[get_global_id(0)] += step.by; }\n"
                             "kernel void nothing(global int *unused) { if (unused) unused[0] = unused[0]; }\n";

typedef struct bytes {
    char *data;
    size_t size;
} bytes;

static weft_status keep(void *user, const char *data, size_t size) {
    bytes *all = user;
    all->data = realloc(all->data, all->size + size);
    ck_assert_ptr_nonnull(all->data);
    memcpy(all->data + all->size, data, size);
    all->size += size;
    return WEFT_OK;
}

static bytes image_of_source(void) {
    bytes image = {NULL, 0};
    weft_program *program = NULL;
    OK(weft_compile_program(test_context(), source, NULL, &program));
    OK(weft_program_write_with(program, keep, &image));
    weft_program_release(program);
    ck_assert_uint_gt(image.size, 0);
    return image;
}

START_TEST(what_was_written_can_be_loaded) {
    const struct { int32_t by; float times; } step = {5, 1};
    int32_t x[4] = {1, 2, 3, 4};
    bytes image = image_of_source();
    weft_program *program = NULL;
    weft_function *step_all = NULL;
    weft_arg_info info;
    OK(weft_load_program(test_context(), image.data, image.size, &program));
    free(image.data);
    ck_assert_uint_eq(weft_program_function_count(program), 2);
    ck_assert_str_eq(weft_program_function_name(program, 0), "nothing");
    OK(weft_program_function(program, "step_all", &step_all));
    weft_program_release(program);
    OK(weft_function_arg_info(step_all, 1, &info));
    ck_assert_str_eq(info.name, "step");
    ck_assert_str_eq(info.type_name, "step_t");
    ck_assert_uint_eq(info.size_bytes, 8);
    weft_device_buffer *buffer = test_device_buffer(WEFT_INT32, 4);
    test_write(buffer, x);
    FAILS(WEFT_ERROR_TYPE_MISMATCH, weft_enqueue_function(test_context(), step_all, 1, 4, buffer, 5));
    OK(weft_enqueue_function(test_context(), step_all, 1, 4, buffer, WEFT_VALUE(step)));
    test_read(buffer, x);
    for (int i = 0; i < 4; i++) ck_assert_int_eq(x[i], i + 6);
    weft_function_release(step_all);
}
END_TEST

START_TEST(a_stream_takes_the_same_bytes) {
    bytes image = image_of_source();
    FILE *file = tmpfile();
    weft_program *program = NULL, *again = NULL;
    ck_assert_ptr_nonnull(file);
    OK(weft_load_program(test_context(), image.data, image.size, &program));
    OK(weft_program_write_to(program, file)); /* a loaded program can be written too */
    ck_assert_int_gt(ftell(file), 0);
    bytes copy = {malloc((size_t)ftell(file)), (size_t)ftell(file)};
    rewind(file);
    ck_assert_uint_eq(fread(copy.data, 1, copy.size, file), copy.size);
    OK(weft_load_program(test_context(), copy.data, copy.size, &again));
    ck_assert_uint_eq(weft_program_function_count(again), 2);
    weft_program_release(again);
    weft_program_release(program);
    fclose(file);
    free(copy.data);
    free(image.data);
}
END_TEST

/* No byte of it reaches the driver. */
START_TEST(damage_is_noticed) {
    bytes image = image_of_source();
    weft_program *program = NULL;
    for (size_t i = 0; i < 40; i++) {
        const size_t at = i < 20 ? i * image.size / 20 : image.size - 1 - (i - 20);
        image.data[at] ^= 4;
        const weft_status status = weft_load_program(test_context(), image.data, image.size, &program);
        ck_assert_msg(status == WEFT_ERROR_INVALID_ARGUMENT, "byte %zu changed: %s", at, weft_status_name(status));
        ck_assert_ptr_null(program);
        image.data[at] ^= 4;
    }
    for (size_t cut = 1; cut <= image.size; cut += image.size / 10) {
        FAILS(WEFT_ERROR_INVALID_ARGUMENT, weft_load_program(test_context(), image.data, image.size - cut, &program));
    }
    test_context_works(test_context());
    free(image.data);
}
END_TEST

START_TEST(made_for_another_device) {
    weft_context *other = test_other_device();
    weft_device_info here, there;
    if (!other) SKIP("only one device");
    OK(weft_device_get_info(NULL, 0, &here));
    OK(weft_device_get_info(weft_context_api(other), weft_context_id(other), &there));
    bytes image = image_of_source();
    weft_program *program = NULL;
    if (strcmp(here.platform, there.platform) == 0) {
        OK(weft_load_program(other, image.data, image.size, &program)); /* a twin */
        weft_program_release(program);
    } else {
        FAILS(WEFT_ERROR_UNSUPPORTED, weft_load_program(other, image.data, image.size, &program));
        SAYS(here.name);
        SAYS(there.name);
        ck_assert_ptr_null(program);
    }
    free(image.data);
}
END_TEST

/* kernel void set(global uint *out) { *out = 42; }, by the SPIR-V specification. */
static const uint32_t module[] = {
    0x07230203, 0x00010000, 0, 9, 0,            /* magic, version 1.0, generator, bound, schema */
    2 << 16 | 17, 4, 2 << 16 | 17, 6,           /* OpCapability Addresses, Kernel */
    3 << 16 | 14, 2, 2,                         /* OpMemoryModel Physical64 OpenCL */
    4 << 16 | 15, 6, 6, 0x00746573,             /* OpEntryPoint Kernel %6 "set" */
    2 << 16 | 19, 1,                            /* %1 = OpTypeVoid */
    4 << 16 | 21, 2, 32, 0,                     /* %2 = OpTypeInt 32 0 */
    4 << 16 | 32, 3, 5, 2,                      /* %3 = OpTypePointer CrossWorkgroup %2 */
    4 << 16 | 33, 4, 1, 3,                      /* %4 = OpTypeFunction %1 %3 */
    4 << 16 | 43, 2, 5, 42,                     /* %5 = OpConstant %2 42 */
    5 << 16 | 54, 1, 6, 0, 4, 3 << 16 | 55, 3, 7, /* %6 = OpFunction, %7 its parameter */
    2 << 16 | 248, 8, 5 << 16 | 62, 7, 5, 2, 4, /* OpLabel, OpStore %7 %5 Aligned 4 */
    1 << 16 | 253, 1 << 16 | 56,                /* OpReturn, OpFunctionEnd */
};

START_TEST(spirv_where_the_device_takes_it) {
    weft_device_info info;
    weft_program *program = NULL;
    weft_function *set = NULL;
    uint32_t out = 0;
    OK(weft_device_get_info(NULL, 0, &info));
    if (!info.il) {
        FAILS(WEFT_ERROR_UNSUPPORTED, weft_load_program(test_context(), module, sizeof module, &program));
        SAYS("SPIR-V");
        ck_assert_ptr_null(program);
        return;
    }
    FAILS(WEFT_ERROR_INVALID_ARGUMENT, weft_load_program(test_context(), module, 18, &program));
    OK(weft_load_program(test_context(), module, sizeof module, &program));
    ck_assert_uint_eq(weft_program_function_count(program), 1);
    ck_assert_str_eq(weft_program_function_name(program, 0), "set");
    const weft_status status = weft_program_function(program, "set", &set);
    if (status == WEFT_ERROR_UNSUPPORTED) {
        SAYS("parameters of kernel set");
    } else {
        OK(status);
        weft_device_buffer *buffer = test_device_buffer(WEFT_UINT32, 1);
        OK(weft_enqueue_function(test_context(), set, 1, 1, buffer));
        test_read(buffer, &out);
        ck_assert_uint_eq(out, 42);
        weft_function_release(set);
    }
    weft_program_release(program);
}
END_TEST

START_TEST(ptx_where_the_device_takes_it) {
    static const char good[] = "//\n// by hand\n//\n.version 7.0\n.target sm_50\n.address_size 64\n"
                               ".visible .entry set(.param .u64 .ptr .global .align 4 set_param_0)\n{\n"
                               ".reg .b64 %rd<3>;\n.reg .b32 %r<2>;\nld.param.u64 %rd1, [set_param_0];\n"
                               "mov.u32 %r1, 42;\nst.global.u32 [%rd1], %r1;\nret;\n}\n";
    static const char bad[] = ".version 7.0\n.target sm_50\n.address_size 64\nnonsense;\n";
    weft_program *program = NULL;
    if (!on_driver("nvidia")) {
        FAILS(WEFT_ERROR_UNSUPPORTED, weft_load_program(test_context(), good, sizeof good - 1, &program));
        SAYS("PTX");
        return;
    }
    const weft_status status = weft_load_program(test_context(), bad, sizeof bad - 1, &program);
    ck_assert_msg(status == WEFT_ERROR_COMPILE_FAILED || status == WEFT_ERROR_DRIVER, "%s", weft_status_name(status));
    ck_assert_ptr_null(program);
    OK(weft_load_program(test_context(), good, sizeof good - 1, &program));
    ck_assert_uint_eq(weft_program_function_count(program), 1);
    ck_assert_str_eq(weft_program_function_name(program, 0), "set");
    weft_program_release(program);
    test_context_works(test_context());
}
END_TEST

/* As in a process that only loads. */
START_TEST(a_device_that_has_compiled_nothing_loads) {
    const struct { int32_t by; float times; } step = {5, 1};
    bytes image = {NULL, 0};
    int32_t x[4] = {1, 2, 3, 4};
    weft_context *context = NULL;
    weft_program *program = NULL;
    weft_function *step_all = NULL;
    weft_device_buffer *buffer = NULL;
    OK(weft_context_create(NULL, &context));
    OK(weft_compile_program(context, source, NULL, &program));
    OK(weft_program_write_with(program, keep, &image));
    weft_program_release(program);
    weft_context_release(context); /* and with the last one what the device remembers */
    OK(weft_context_create(NULL, &context));
    OK(weft_load_program(context, image.data, image.size, &program));
    free(image.data);
    OK(weft_program_function(program, "step_all", &step_all));
    OK(weft_enqueue_create_buffer(context, WEFT_INT32, 4, &buffer));
    test_write(buffer, x);
    OK(weft_enqueue_function(context, step_all, 1, 4, buffer, WEFT_VALUE(step)));
    test_read(buffer, x);
    for (int i = 0; i < 4; i++) ck_assert_int_eq(x[i], i + 6);
    weft_function_release(step_all);
    weft_program_release(program);
    weft_device_buffer_release(buffer);
    weft_context_release(context);
}
END_TEST

TESTS(what_was_written_can_be_loaded, a_stream_takes_the_same_bytes, damage_is_noticed, made_for_another_device,
      spirv_where_the_device_takes_it, ptx_where_the_device_takes_it,
      a_device_that_has_compiled_nothing_loads)
