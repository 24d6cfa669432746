/* docs/kernels.md: its examples compile, and it shows every name that weft.clh gives to kernels. And the header compiles,
 * without a word, under each version of the language. */
#include <stdio.h>

#include "support.h"

/* The text of a file of this source tree; the caller frees it. */
static char *read_file(const char *folder, const char *name) {
    const char *include = getenv("SURFACE_INCLUDE_DIR");
    char path[4096];
    ck_assert_msg(include != NULL, "SURFACE_INCLUDE_DIR is not set: start this with run.py");
    snprintf(path, sizeof path, "%s/../%s/%s", include, folder, name);
    FILE *file = fopen(path, "rb");
    ck_assert_msg(file != NULL, "%s cannot be read", path);
    ck_assert_int_eq(fseek(file, 0, SEEK_END), 0);
    const long size = ftell(file);
    char *text = calloc((size_t)size + 1, 1);
    ck_assert_ptr_nonnull(text);
    rewind(file);
    ck_assert_uint_eq(fread(text, 1, (size_t)size, file), (size_t)size);
    fclose(file);
    return text;
}

static const char opening[] = "\n```c\n", closing[] = "\n```\n";

/* The source of the next example from *at on, for the caller to free; NULL behind the last. */
static char *next_example(const char **at) {
    const char *start = strstr(*at, opening);
    if (!start) return NULL;
    start += strlen(opening);
    const char *end = strstr(start, closing);
    ck_assert_ptr_nonnull(end);
    char *example = calloc((size_t)(end - start) + 64, 1);
    ck_assert_ptr_nonnull(example);
    sprintf(example, "#include <weft.clh>\n%.*s\n", (int)(end - start), start);
    *at = end;
    return example;
}

static void check_example(const char *example, bool narrow) {
    const char *defines[] = {"WEFT_INDEX_32"};
    const weft_compile_options options = {.defines = defines, .n_defines = narrow};
    weft_device_info info;
    OK(weft_device_get_info(NULL, 0, &info));
    const bool needs_atomics = strstr(example, "_long(") || strstr(example, "_double("), needs_double = strstr(example, "double");
    weft_program *program = NULL;
    if ((needs_atomics && !info.int64_atomics) || (needs_double && !info.fp64)) {
        FAILS(WEFT_ERROR_COMPILE_FAILED, weft_compile_program(test_context(), example, &options, &program));
        return;
    }
    const weft_status status = weft_compile_program(test_context(), example, &options, &program);
    ck_assert_msg(status == WEFT_OK, "%s\n%s\n%s", example, weft_error_message(), weft_last_build_log());
    ck_assert_uint_ge(weft_program_function_count(program), 1);
    weft_program_release(program);
}

START_TEST(examples_compile) {
    char *page = read_file("docs", "kernels.md");
    const char *at = page;
    size_t count = 0;
    for (char *example; (example = next_example(&at)) != NULL; count++) {
        check_example(example, false);
        check_example(example, true);
        free(example);
    }
    ck_assert_uint_ge(count, 10);
    free(page);
}
END_TEST

START_TEST(every_name_is_shown) {
    static const char *const names[] = {
        "thread_idx", "block_idx", "block_dim", "grid_dim", "global_idx", "block_barrier()", "SHARED(", "lane_id()", "warp_id()",
        "WARP_SIZE", "syncwarp()", "shuffle_idx(", "shuffle_up(", "shuffle_down(", "shuffle_xor(", "warp_broadcast(", "warp_sum(",
        "warp_max(", "warp_min(", "warp_prefix_sum(", "warp_prefix_sum_exclusive(", "warp_vote(", "BLOCK_SCRATCH(", "block_sum(",
        "block_max(", "block_min(", "block_broadcast(", "block_prefix_sum(", "block_prefix_sum_exclusive(", "atomic_add_float(",
        "atomic_add_double(", "atomic_add_long(", "atomic_sub_long(", "atomic_xchg_long(", "atomic_cmpxchg_long(",
        "atomic_min_long(", "atomic_max_long(", "atomic_and_ulong(", "atomic_or_ulong(", "atomic_xor_ulong(", "philox_init(",
        "philox_step(", "philox_step_uniform(", "philox_step_normal(", "philox_step_normal_4(", "philox4x32_10(",
        "TENSOR2(", "TENSOR2_ROWS(", "TENSOR_AT(", "TENSOR_HAS(", "TENSOR_TILE(", "TENSOR_GET(", "WEFT_ASSERTS",
        "weft_assert(",
    };
    char *page = read_file("docs", "kernels.md"), shown[20000] = "";
    const char *at = page;
    for (char *example; (example = next_example(&at)) != NULL; free(example)) {
        ck_assert_uint_lt(strlen(shown) + strlen(example), sizeof shown);
        strcat(shown, example);
    }
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        ck_assert_msg(strstr(shown, names[i]) != NULL, "%s is in no example", names[i]);
    }
    free(page);
}
END_TEST

static weft_status compile_as(const char *source, const char *standard, weft_program **out) {
    return weft_compile_program(test_context(), source, &(weft_compile_options){.cl_std = standard}, out);
}

START_TEST(every_standard_that_the_device_takes) {
    static const char plain[] = "kernel void one(global int *x) { x[0] = 1; }\n";
    static const char with_header[] =
        "#include <weft.clh>\n"
        "kernel void one(global float *x) {\n"
        "    BLOCK_SCRATCH(float, scratch);\n"
        "    philox rng = philox_init(1, 2, 3);\n"
        "    x[0] = block_sum(warp_sum(x[1]), scratch) + philox_step_uniform(&rng).x;\n"
        "    atomic_add_float(x + 2, 1.0f);\n"
        "}\n";
    static const char *const standards[] = {"CL1.1", "CL1.2", "CL2.0", "CL3.0"};
    size_t taken = 0;
    for (size_t i = 0; i < sizeof standards / sizeof *standards; i++) {
        weft_program *program = NULL;
        if (compile_as(plain, standards[i], &program) != WEFT_OK) continue;
        weft_program_release(program);
        const weft_status status = compile_as(with_header, standards[i], &program);
        ck_assert_msg(status == WEFT_OK, "%s: %.2000s", standards[i], weft_last_build_log());
        const char *log = weft_program_build_log(program);
        ck_assert_msg(on_driver("nvidia") || !strstr(log, "warning"), "%s: %.2000s", standards[i], log);
        weft_program_release(program);
        taken++;
    }
    ck_assert_uint_ge(taken, 1);
}
END_TEST

TESTS(examples_compile, every_name_is_shown, every_standard_that_the_device_takes)
