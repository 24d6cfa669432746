/* Bad input to what compiles, looks at and launches functions. */
#include "surface.h"

static const char source[] =
    "kernel void first(global int *data, int number, local int *shared) {\n"
    "    shared[get_local_id(0)] = number;\n"
    "    if (data) data[0] = shared[0];\n"
    "}\n"
    "kernel __attribute__((reqd_work_group_size(4, 2, 1))) void second(global int *data) { data[0] = 1; }\n";

static weft_program *program;
static weft_function *first, *second;

/* ---- Compiling --------------------------------------------------------------------------------------------------- */

typedef weft_status (*compile)(const weft_compile_options *options);

static weft_program *program_out;
static weft_function *function_out;

static weft_status compile_program_with(const weft_compile_options *options) {
    return weft_compile_program(ctx, source, options, &program_out);
}

static weft_status compile_function_with(const weft_compile_options *options) {
    return weft_compile_function(ctx, source, "first", options, &function_out);
}

static char *text_out;

static weft_status assemble_with(const weft_compile_options *options) {
    return weft_assemble_source(source, options, &text_out);
}

/* A list of options with one entry that is none. */
static void check_lists(compile compile) {
    static const char *const defines[] = {NULL, "", "=1", "1A=2", "A B=1"}, *const include_dirs[] = {NULL, ""};
    for (size_t i = 0; i < sizeof defines / sizeof *defines; i++) {
        const char *const list[] = {"GOOD=1", defines[i]};
        REFUSES(INVALID_ARGUMENT, "defines", compile(&(weft_compile_options){.defines = list, .n_defines = 2}));
    }
    for (size_t i = 0; i < sizeof include_dirs / sizeof *include_dirs; i++) {
        const char *const list[] = {".", include_dirs[i]};
        REFUSES(INVALID_ARGUMENT, "include_dirs", compile(&(weft_compile_options){.include_dirs = list, .n_include_dirs = 2}));
    }
    REFUSES(INVALID_ARGUMENT, "defines", compile(&(weft_compile_options){.n_defines = 1}));
    REFUSES(INVALID_ARGUMENT, "defines", compile(&(weft_compile_options){.n_defines = SIZE_MAX}));
    REFUSES(INVALID_ARGUMENT, "include_dirs", compile(&(weft_compile_options){.n_include_dirs = SIZE_MAX}));
}

static void check_options(compile compile) {
    check_lists(compile);
    REFUSES(COMPILE_FAILED, "", compile(&(weft_compile_options){.extra = "-weft-no-such-option"}));
}

static void bad_assemble_source(void) {
    CLEARS(text_out, INVALID_ARGUMENT, "source", weft_assemble_source(NULL, NULL, &text_out));
    CLEARS(text_out, INVALID_ARGUMENT, "source", weft_assemble_source("", NULL, &text_out));
    CLEARS(text_out, INVALID_ARGUMENT, "source", weft_assemble_source(" \n", NULL, &text_out));
    REFUSES(INVALID_ARGUMENT, "out", weft_assemble_source(source, NULL, NULL));
    check_lists(assemble_with);
    ck_assert_ptr_null(text_out);
}

static void bad_compile_program(void) {
    CLEARS(program_out, INVALID_ARGUMENT, "context", weft_compile_program(NULL, source, NULL, &program_out));
    CLEARS(program_out, INVALID_ARGUMENT, "source", weft_compile_program(ctx, NULL, NULL, &program_out));
    CLEARS(program_out, INVALID_ARGUMENT, "source", weft_compile_program(ctx, "", NULL, &program_out));
    REFUSES(INVALID_ARGUMENT, "out", weft_compile_program(ctx, source, NULL, NULL));
    CLEARS(program_out, COMPILE_FAILED, "", weft_compile_program(ctx, "kernel void f(", NULL, &program_out));
    ck_assert_str_ne(weft_last_build_log(), "");
    CLEARS(program_out, COMPILE_FAILED, "", weft_compile_program(ctx, "#include \"no_such_file.h\"\n", NULL, &program_out));
    ck_assert_ptr_nonnull(strstr(weft_last_build_log(), "no_such_file.h"));
    check_options(compile_program_with);
    ck_assert_ptr_null(program_out);
}

static void bad_compile_function(void) {
    CLEARS(function_out, INVALID_ARGUMENT, "context", weft_compile_function(NULL, source, "first", NULL, &function_out));
    CLEARS(function_out, INVALID_ARGUMENT, "source", weft_compile_function(ctx, NULL, "first", NULL, &function_out));
    CLEARS(function_out, INVALID_ARGUMENT, "source", weft_compile_function(ctx, "", "first", NULL, &function_out));
    CLEARS(function_out, INVALID_ARGUMENT, "name", weft_compile_function(ctx, source, NULL, NULL, &function_out));
    REFUSES(INVALID_ARGUMENT, "out", weft_compile_function(ctx, source, "first", NULL, NULL));
    CLEARS(function_out, FUNCTION_NOT_FOUND, "third", weft_compile_function(ctx, source, "third", NULL, &function_out));
    SAYS("first");
    CLEARS(function_out, COMPILE_FAILED, "", weft_compile_function(ctx, "kernel void f(", "f", NULL, &function_out));
    check_options(compile_function_with);
    ck_assert_ptr_null(function_out);
}

static void bad_program_function(void) {
    static const char *const names[] = {"", "third", "Second", "first ", "%s%n", "firs", "firstsecond"};
    CLEARS(function_out, INVALID_ARGUMENT, "program", weft_program_function(NULL, "first", &function_out));
    CLEARS(function_out, INVALID_ARGUMENT, "name", weft_program_function(program, NULL, &function_out));
    REFUSES(INVALID_ARGUMENT, "out", weft_program_function(program, "first", NULL));
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        CLEARS(function_out, FUNCTION_NOT_FOUND, names[i], weft_program_function(program, names[i], &function_out));
        SAYS("first");
        SAYS("second");
    }
}

/* ---- Lifetime and queries ------------------------------------------------------------------------------------------ */

static void bad_program_retain(void) { ck_assert_ptr_null(weft_program_retain(NULL)); }
static void bad_program_release(void) { weft_program_release(NULL); }
static void bad_function_retain(void) { ck_assert_ptr_null(weft_function_retain(NULL)); }
static void bad_function_release(void) { weft_function_release(NULL); }
static void bad_program_function_count(void) { ck_assert_uint_eq(weft_program_function_count(NULL), 0); }

static void bad_program_function_name(void) {
    ck_assert_ptr_null(weft_program_function_name(NULL, 0));
    ck_assert_ptr_null(weft_program_function_name(program, 2));
    ck_assert_ptr_null(weft_program_function_name(program, SIZE_MAX));
}

static weft_status refuse_bytes(void *user, const char *bytes, size_t size) {
    (void)user, (void)bytes, (void)size;
    return WEFT_ERROR_IO;
}

static void bad_program_write_to(void) {
    FILE *file = fopen("/dev/null", "r");
    REFUSES(INVALID_ARGUMENT, "program", weft_program_write_to(NULL, stdout));
    REFUSES(INVALID_ARGUMENT, "stream", weft_program_write_to(program, NULL));
    ck_assert_ptr_nonnull(file);
    REFUSES(IO, "stream", weft_program_write_to(program, file));
    fclose(file);
}

static void bad_program_write_with(void) {
    REFUSES(INVALID_ARGUMENT, "program", weft_program_write_with(NULL, refuse_bytes, NULL));
    REFUSES(INVALID_ARGUMENT, "writer", weft_program_write_with(program, NULL, NULL));
    ck_assert_int_eq(weft_program_write_with(program, refuse_bytes, NULL), WEFT_ERROR_IO);
}

static void bad_load_program(void) {
    static const struct {
        const char *bytes;
        size_t size;
        weft_status status;
    } images[] = {
        {"", 0, WEFT_ERROR_INVALID_ARGUMENT},           {"kernel void f() {}", 18, WEFT_ERROR_INVALID_ARGUMENT},
        {"weftcach", 8, WEFT_ERROR_INVALID_ARGUMENT},   {"weftcachxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", 48, WEFT_ERROR_INVALID_ARGUMENT},
        {"poclbin\0xxxxxxxx", 16, WEFT_ERROR_UNSUPPORTED}, {"\x7F" "ELFxxxx", 8, WEFT_ERROR_UNSUPPORTED},
        {"BC\xC0\xDE", 4, WEFT_ERROR_UNSUPPORTED},
    };
    weft_program *out;
    CLEARS(out, INVALID_ARGUMENT, "context", weft_load_program(NULL, "x", 1, &out));
    CLEARS(out, INVALID_ARGUMENT, "image", weft_load_program(ctx, NULL, 1, &out));
    REFUSES(INVALID_ARGUMENT, "out", weft_load_program(ctx, "x", 1, NULL));
    for (size_t i = 0; i < sizeof images / sizeof *images; i++) {
        out = (void *)ctx;
        FAILS(images[i].status, weft_load_program(ctx, images[i].bytes, images[i].size, &out));
        SAYS("image");
        ck_assert_ptr_null(out);
    }
}

static void bad_program_build_log(void) { ck_assert_ptr_null(weft_program_build_log(NULL)); }
static void bad_function_name(void) { ck_assert_ptr_null(weft_function_name(NULL)); }
static void bad_function_arg_count(void) { ck_assert_uint_eq(weft_function_arg_count(NULL), 0); }

static void bad_function_arg_info(void) {
    weft_arg_info out;
    CLEARS(out, INVALID_ARGUMENT, "function", weft_function_arg_info(NULL, 0, &out));
    REFUSES(INVALID_ARGUMENT, "out", weft_function_arg_info(first, 0, NULL));
    CLEARS(out, OUT_OF_RANGE, "index", weft_function_arg_info(first, 3, &out));
    CLEARS(out, OUT_OF_RANGE, "18446744073709551615", weft_function_arg_info(first, SIZE_MAX, &out));
}

static void bad_function_get_attribute(void) {
    static const int unknown[] = {-1, 2, 4, 9, 999, 1004, INT32_MAX, INT32_MIN};
    int64_t out;
    CLEARS(out, INVALID_ARGUMENT, "function", weft_function_get_attribute(NULL, WEFT_FUNCTION_SHARED_SIZE_BYTES, &out));
    REFUSES(INVALID_ARGUMENT, "out", weft_function_get_attribute(first, WEFT_FUNCTION_SHARED_SIZE_BYTES, NULL));
    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++) {
        CLEARS(out, INVALID_ARGUMENT, "attribute",
               weft_function_get_attribute(first, (weft_function_attribute)unknown[i], &out));
    }
}

static void bad_function_suggest_launch(void) {
    weft_dim grid, block;
    CLEARS(grid, INVALID_ARGUMENT, "function", weft_function_suggest_launch(NULL, 1, &grid, &block));
    CLEARS(block, INVALID_ARGUMENT, "function", weft_function_suggest_launch(NULL, 1, &grid, &block));
    CLEARS(block, INVALID_ARGUMENT, "grid", weft_function_suggest_launch(first, 1, NULL, &block));
    CLEARS(grid, INVALID_ARGUMENT, "block", weft_function_suggest_launch(first, 1, &grid, NULL));
    CLEARS(grid, INVALID_ARGUMENT, "threads", weft_function_suggest_launch(first, 0, &grid, &block));
    CLEARS(grid, LAUNCH_LIMIT, "threads", weft_function_suggest_launch(first, SIZE_MAX, &grid, &block));
    CLEARS(block, LAUNCH_LIMIT, "threads", weft_function_suggest_launch(first, SIZE_MAX, &grid, &block));
}

/* ---- Launching -------------------------------------------------------------------------------------------------------- */

/* Both launches, so that both refuse alike: of `first` (device, 1, 4 bytes shared), with that one part bad. */
typedef weft_status (*launch)(const weft_launch *launch, const weft_arg *args, size_t n_args);

static weft_status launch_function(const weft_launch *launch, const weft_arg *args, size_t n_args) {
    return weft_enqueue_function_args(ctx, first, launch, args, n_args);
}

static weft_status launch_once(const weft_launch *launch, const weft_arg *args, size_t n_args) {
    return weft_enqueue_function_once_args(ctx, source, "first", launch, args, n_args);
}

static const char *const set_names[] = {"first", "third"};
static weft_kernel_set set = WEFT_KERNEL_SET(source, set_names, 1, NULL);

static weft_status launch_set(const weft_launch *launch, const weft_arg *args, size_t n_args) {
    return weft_kernel_set_enqueue(&set, ctx, 0, launch, args, n_args);
}

static const weft_launch one = {{1, 1, 1}, {1, 1, 1}};

static void check_arguments(launch launch) {
    const weft_arg good[] = {WEFT_ARG(device), WEFT_ARG(VALUE), weft_shared_bytes(4), WEFT_ARG(1)};
    struct {
        size_t index;
        weft_arg arg;
        weft_status status;
    } bad[] = {
        {0, {.kind = (weft_arg_kind)0}, WEFT_ERROR_TYPE_MISMATCH},
        {1, {.kind = (weft_arg_kind)99}, WEFT_ERROR_TYPE_MISMATCH},
        {2, {.kind = (weft_arg_kind)-1}, WEFT_ERROR_TYPE_MISMATCH},
        {0, weft_arg_from_buffer(NULL), WEFT_ERROR_INVALID_ARGUMENT},
        {0, weft_arg_from_buffer(test_device_buffer(WEFT_UINT32, 1)), WEFT_ERROR_TYPE_MISMATCH},
        {0, weft_arg_from_value(NULL, 8, 8), WEFT_ERROR_TYPE_MISMATCH},
        {0, WEFT_ARG(0), WEFT_ERROR_TYPE_MISMATCH},
        {1, WEFT_ARG(device), WEFT_ERROR_TYPE_MISMATCH},
        {1, weft_arg_from_buffer(NULL), WEFT_ERROR_TYPE_MISMATCH},
        {1, WEFT_ARG(2147483648u), WEFT_ERROR_OUT_OF_RANGE},
        {1, WEFT_ARG(1.0f), WEFT_ERROR_TYPE_MISMATCH},
        {1, WEFT_VALUE(one), WEFT_ERROR_TYPE_MISMATCH},
        {1, WEFT_NULL, WEFT_ERROR_TYPE_MISMATCH},
        {2, weft_shared_bytes(SIZE_MAX), WEFT_ERROR_LAUNCH_LIMIT},
        {2, weft_shared_bytes((size_t)1 << 30), WEFT_ERROR_LAUNCH_LIMIT},
        {2, WEFT_ARG(4), WEFT_ERROR_TYPE_MISMATCH},
        {2, weft_arg_from_buffer(NULL), WEFT_ERROR_TYPE_MISMATCH},
        {2, WEFT_NULL, WEFT_ERROR_TYPE_MISMATCH},
    };
    static const char *const names[] = {"data", "number", "shared"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        weft_arg args[3] = {good[0], good[1], good[2]};
        args[bad[i].index] = bad[i].arg;
        weft_status status = launch(&one, args, 3);
        ck_assert_msg(status == bad[i].status, "%s, argument %zu: %s", row, i, weft_status_name(status));
        check_record(names[bad[i].index], "launch");
        SAYS("first"); /* the kernel */
    }
    static const size_t counts[] = {0, 1, 2, 4, SIZE_MAX};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        REFUSES(INVALID_ARGUMENT, "3", launch(&one, good, counts[i]));
    }
    REFUSES(INVALID_ARGUMENT, "args", launch(&one, NULL, 3));
    REFUSES(INVALID_ARGUMENT, "launch", launch(NULL, good, 3));
    if (test_other_device()) {
        weft_arg args[3] = {good[0], good[1], good[2]};
        weft_device_buffer *foreign = NULL;
        OK(weft_enqueue_create_buffer(test_other_device(), WEFT_INT32, 1, &foreign));
        args[0] = WEFT_ARG(foreign);
        REFUSES(INVALID_ARGUMENT, "data", launch(&one, args, 3));
        weft_device_buffer_release(foreign);
    }
}

static size_t *component(weft_dim *dim, int d) { return d == 0 ? &dim->x : d == 1 ? &dim->y : &dim->z; }

static void check_dimensions(launch launch) {
    const weft_arg args[] = {WEFT_ARG(device), WEFT_ARG(VALUE), weft_shared_bytes(4)};
    static const char *const names[2][3] = {{"grid_dim.x", "grid_dim.y", "grid_dim.z"},
                                            {"block_dim.x", "block_dim.y", "block_dim.z"}};
    weft_device_info info;
    OK(weft_device_get_info(weft_context_api(ctx), weft_context_id(ctx), &info));
    for (int d = 0; d < 3; d++) {
        weft_launch bad[4] = {one, one, one, one};
        *component(&bad[0].grid_dim, d) = 0;
        *component(&bad[1].block_dim, d) = 0;
        *component(&bad[2].block_dim, d) = info.max_block_dim[d] + 1;
        *component(&bad[3].block_dim, d) = SIZE_MAX;
        REFUSES(INVALID_ARGUMENT, names[0][d], launch(&bad[0], args, 3));
        REFUSES(INVALID_ARGUMENT, names[1][d], launch(&bad[1], args, 3));
        REFUSES(LAUNCH_LIMIT, "block_dim", launch(&bad[2], args, 3));
        REFUSES(LAUNCH_LIMIT, "block_dim", launch(&bad[3], args, 3));

        int64_t most = 0; /* blocks in this dimension */
        OK(weft_context_get_attribute(ctx, (weft_device_attribute)(WEFT_DEVICE_MAX_GRID_DIM_X + d), &most));
        if (most < INT64_MAX) {
            bad[0] = one;
            *component(&bad[0].grid_dim, d) = (size_t)most + 1;
            REFUSES(LAUNCH_LIMIT, "grid_dim", launch(&bad[0], args, 3));
        }
    }
    const weft_launch too_many_threads = {{1, 1, 1}, {info.max_threads_per_block, 2, 1}};
    const weft_launch overflow = {{(size_t)1 << 63, 1, 1}, {2, 1, 1}};
    const weft_launch endless = {{SIZE_MAX, SIZE_MAX, SIZE_MAX}, {1, 1, 1}};
    if (info.max_block_dim[1] > 1) {
        REFUSES(LAUNCH_LIMIT, "block_dim", launch(&too_many_threads, args, 3));
    }
    REFUSES(OUT_OF_RANGE, "grid_dim", launch(&overflow, args, 3));
    REFUSES(OUT_OF_RANGE, "grid_dim", launch(&endless, args, 3));
}

static void bad_enqueue_function_args(void) {
    const weft_arg args[] = {WEFT_ARG(device), WEFT_ARG(VALUE), weft_shared_bytes(4)};
    REFUSES(INVALID_ARGUMENT, "context", weft_enqueue_function_args(NULL, first, &one, args, 3));
    REFUSES(INVALID_ARGUMENT, "function", weft_enqueue_function_args(ctx, NULL, &one, args, 3));
    check_arguments(launch_function);
    check_dimensions(launch_function);
    static const weft_dim not_required[] = {{8, 1, 1}, {2, 4, 1}, {4, 2, 2}, {1, 1, 1}};
    for (int i = 0; i < 4; i++) {
        const weft_launch wrong_block = {{1, 1, 1}, not_required[i]};
        REFUSES(LAUNCH_LIMIT, "second", weft_enqueue_function_args(ctx, second, &wrong_block, args, 1));
    }
    if (test_other_device()) {
        REFUSES(INVALID_ARGUMENT, "function", weft_enqueue_function_args(test_other_device(), first, &one, args, 3));
    }
}

static void bad_enqueue_function_once_args(void) {
    const weft_arg args[] = {WEFT_ARG(device), WEFT_ARG(VALUE), weft_shared_bytes(4)};
    REFUSES(INVALID_ARGUMENT, "context", weft_enqueue_function_once_args(NULL, source, "first", &one, args, 3));
    REFUSES(INVALID_ARGUMENT, "source", weft_enqueue_function_once_args(ctx, NULL, "first", &one, args, 3));
    REFUSES(INVALID_ARGUMENT, "source", weft_enqueue_function_once_args(ctx, "", "first", &one, args, 3));
    REFUSES(INVALID_ARGUMENT, "name", weft_enqueue_function_once_args(ctx, source, NULL, &one, args, 3));
    REFUSES(FUNCTION_NOT_FOUND, "third", weft_enqueue_function_once_args(ctx, source, "third", &one, args, 3));
    REFUSES(COMPILE_FAILED, "", weft_enqueue_function_once_args(ctx, "kernel void f(", "f", &one, args, 3));
    check_arguments(launch_once);
    check_dimensions(launch_once);
}

static void bad_kernel_set_function(void) {
    weft_kernel_set none = WEFT_KERNEL_SET(NULL, set_names, 1, NULL), unnamed = WEFT_KERNEL_SET(source, NULL, 1, NULL),
                    wrong = WEFT_KERNEL_SET("kernel void f(", set_names, 1, NULL), missing = WEFT_KERNEL_SET(source, set_names, 2, NULL),
                    standard = WEFT_KERNEL_SET(source, set_names, 1, "1.2");
    CLEARS(function_out, INVALID_ARGUMENT, "set", weft_kernel_set_function(NULL, ctx, 0, &function_out));
    CLEARS(function_out, INVALID_ARGUMENT, "context", weft_kernel_set_function(&set, NULL, 0, &function_out));
    REFUSES(INVALID_ARGUMENT, "out", weft_kernel_set_function(&set, ctx, 0, NULL));
    CLEARS(function_out, OUT_OF_RANGE, "index", weft_kernel_set_function(&set, ctx, 1, &function_out));
    CLEARS(function_out, OUT_OF_RANGE, "18446744073709551615", weft_kernel_set_function(&set, ctx, SIZE_MAX, &function_out));
    CLEARS(function_out, INVALID_ARGUMENT, "set->source", weft_kernel_set_function(&none, ctx, 0, &function_out));
    CLEARS(function_out, INVALID_ARGUMENT, "set->names", weft_kernel_set_function(&unnamed, ctx, 0, &function_out));
    CLEARS(function_out, COMPILE_FAILED, "", weft_kernel_set_function(&wrong, ctx, 0, &function_out));
    CLEARS(function_out, FUNCTION_NOT_FOUND, "third", weft_kernel_set_function(&missing, ctx, 0, &function_out));
    CLEARS(function_out, INVALID_ARGUMENT, "cl_std", weft_kernel_set_function(&standard, ctx, 0, &function_out));
    ck_assert(!none.first && !unnamed.first && !wrong.first && !missing.first && !standard.first);
}

static void bad_kernel_set_enqueue(void) {
    const weft_arg args[] = {WEFT_ARG(device), WEFT_ARG(VALUE), weft_shared_bytes(4)};
    REFUSES(INVALID_ARGUMENT, "set", weft_kernel_set_enqueue(NULL, ctx, 0, &one, args, 3));
    REFUSES(INVALID_ARGUMENT, "context", weft_kernel_set_enqueue(&set, NULL, 0, &one, args, 3));
    REFUSES(OUT_OF_RANGE, "index", weft_kernel_set_enqueue(&set, ctx, 1, &one, args, 3));
    check_arguments(launch_set);
    check_dimensions(launch_set);
    weft_kernel_set_unload(&set);
    ck_assert_ptr_null(set.first);
}

static void bad_kernel_set_unload(void) {
    weft_kernel_set_unload(NULL);
    weft_kernel_set_unload(&set);
    weft_kernel_set_unload(&set);
}

START_TEST(bad_function_input_is_refused) {
    static const surface_row rows[] = {SURFACE_FUNCTIONS(SURFACE_ROW)};
    OK(weft_compile_program(test_context(), source, NULL, &program));
    OK(weft_program_function(program, "first", &first));
    OK(weft_program_function(program, "second", &second));
    run_rows(rows, sizeof rows / sizeof *rows);
    weft_function_release(first);
    weft_function_release(second);
    weft_program_release(program);
}
END_TEST

TESTS(bad_function_input_is_refused)
