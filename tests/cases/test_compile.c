/* Cases from public reports, section E: what the compiler is given, and what it says. */
#include <locale.h>
#include <math.h>
#include <pthread.h>
#include <spawn.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

extern char **environ;

/* Runs the function's one-int kernel and returns what it stored. */
static int run_int(weft_function *function) {
    int value = -12345;
    weft_device_buffer *out = test_device_buffer(WEFT_INT32, 1);
    OK(weft_enqueue_fill(out, value));
    OK(weft_enqueue_function(test_context(), function, 1, 1, out));
    test_read(out, &value);
    return value;
}

/* ---- C37: the build log ------------------------------------------------------------------------ */

static const char error_on_line_7[] = "kernel void k(global int *out) {\n"
                                      "    int a = 1;\n"
                                      "    int b = 2;\n"
                                      "    int c = 3;\n"
                                      "    int d = 4;\n"
                                      "    int e = 5;\n"
                                      "    out[0] = a + b + c + d + e + undeclared_name;\n"
                                      "}\n";

START_TEST(c37_error_names_identifier_and_line) {
    weft_context *ctx = test_context();
    weft_function *function = NULL;
    FAILS(WEFT_ERROR_COMPILE_FAILED, weft_compile_function(ctx, error_on_line_7, "k", NULL, &function));
    ck_assert_ptr_null(function);
    const char *log = weft_last_build_log();
    ck_assert_msg(strstr(log, "undeclared_name") != NULL, "no identifier in: %s", log);
    ck_assert_msg(strstr(log, ":7:") != NULL, "no line 7 in: %s", log);
    test_context_works(ctx);
}
END_TEST

START_TEST(c37_long_log_is_whole) {
    enum { NOTES = 1500 };
    weft_context *ctx = test_context();
    weft_program *program = NULL;
    static char source[NOTES * 80 + 200];
    char *end = source;
    for (int i = 0; i < NOTES; i++) end += sprintf(end, "#warning note_%04d_of_a_log_that_is_longer_than_any_fixed_size\n", i);
    sprintf(end, "kernel void k(global int *out) { out[0] = undeclared_name; }\n");
    FAILS(WEFT_ERROR_COMPILE_FAILED, weft_compile_program(ctx, source, NULL, &program));
    ck_assert_ptr_null(program);
    const char *log = weft_last_build_log();
    ck_assert_uint_gt(strlen(log), 65536);
    for (int i = 0; i < NOTES; i++) {
        char note[32];
        sprintf(note, "note_%04d_of", i);
        if (strstr(log, note) == NULL) ck_abort_msg("%s is missing", note);
    }
    ck_assert_ptr_nonnull(strstr(log, "undeclared_name"));
    test_context_works(ctx);
}
END_TEST

START_TEST(c37_clean_build_says_nothing) {
    weft_program *program = NULL;
    OK(weft_compile_program(test_context(), "kernel void k(global int *out) { out[0] = 1; }\n", NULL, &program));
    const char *log = weft_program_build_log(program);
    ck_assert_ptr_nonnull(log);
    if (!on_driver("nvidia")) ck_assert_str_eq(log, ""); /* there every good build has a remark */
    weft_program_release(program);
}
END_TEST

START_TEST(c37_warning_is_kept) {
    weft_program *program = NULL;
    weft_function *function = NULL;
    OK(weft_compile_program(test_context(), "#warning a_remark_for_the_log\nkernel void k(global int *out) { out[0] = 1; }\n",
                            NULL, &program));
    const bool kept = strstr(weft_program_build_log(program), "a_remark_for_the_log") != NULL;
    OK(weft_program_function(program, "k", &function));
    ck_assert_int_eq(run_int(function), 1);
    weft_function_release(function);
    weft_program_release(program);
    if (!kept && on_driver("rusticl")) SKIP("rusticl has no log of a build that succeeds");
    ck_assert(kept);
}
END_TEST

/* What another thread's failed build left with that thread. */
typedef struct {
    weft_context *context;
    weft_status status;
    bool log_before, log_after;
} other_thread;

static void *compile_elsewhere(void *argument) {
    other_thread *other = argument;
    weft_program *program = NULL;
    other->log_before = weft_last_build_log()[0] != 0;
    other->status = weft_compile_program(other->context, error_on_line_7, NULL, &program);
    other->log_after = strstr(weft_last_build_log(), "undeclared_name") != NULL;
    return NULL;
}

START_TEST(c37_log_belongs_to_its_thread) {
    weft_context *ctx = test_context();
    weft_program *program = NULL;
    other_thread other = {.context = ctx};
    pthread_t thread;
    FAILS(WEFT_ERROR_COMPILE_FAILED,
          weft_compile_program(ctx, "kernel void k(global int *out) { out[0] = another_name; }\n", NULL, &program));
    ck_assert_int_eq(pthread_create(&thread, NULL, compile_elsewhere, &other), 0);
    pthread_join(thread, NULL);
    ck_assert_int_eq(other.status, WEFT_ERROR_COMPILE_FAILED);
    ck_assert(!other.log_before && other.log_after);
    ck_assert_ptr_nonnull(strstr(weft_last_build_log(), "another_name"));
    ck_assert_ptr_null(strstr(weft_last_build_log(), "undeclared_name"));
    test_context_works(ctx);
}
END_TEST

/* Drivers of NVIDIA's crash when asked for the names of no kernels. */
START_TEST(c43_program_without_kernels) {
    weft_context *ctx = test_context();
    weft_program *program = NULL;
    weft_function *function = NULL;
    OK(weft_compile_program(ctx, "int twice(int x) { return 2 * x; }\n", NULL, &program));
    ck_assert_uint_eq(weft_program_function_count(program), 0);
    ck_assert_ptr_null(weft_program_function_name(program, 0));
    FAILS(WEFT_ERROR_FUNCTION_NOT_FOUND, weft_program_function(program, "twice", &function));
    SAYS("none");
    weft_program_release(program);
    test_context_works(ctx);
}
END_TEST

/* ---- C38, C39: include directories -------------------------------------------------------------- */

/* A header in a directory of that name, given by the options alone, says 42. */
static void expect_header_found_in(const char *name) {
    static const char source[] = "#include \"answer.h\"\nkernel void k(global int *out) { out[0] = ANSWER; }\n";
    char root[] = "/tmp/weft-include-XXXXXX", directory[128], header[160];
    ck_assert_ptr_nonnull(mkdtemp(root));
    snprintf(directory, sizeof directory, "%s/%s", root, name);
    snprintf(header, sizeof header, "%s/answer.h", directory);
    ck_assert_int_eq(mkdir(directory, 0700), 0);
    FILE *file = fopen(header, "w");
    ck_assert_ptr_nonnull(file);
    fputs("#define ANSWER 42\n", file);
    ck_assert_int_eq(fclose(file), 0);
    const char *const directories[] = {directory};
    weft_function *function = NULL;
    weft_status status = weft_compile_function(test_context(), source, "k",
                                               &(weft_compile_options){.include_dirs = directories, .n_include_dirs = 1}, &function);
    unlink(header);
    rmdir(directory);
    rmdir(root);
    ck_assert_msg(!status, "%s: %s\n%s", name, weft_error_message(), weft_last_build_log());
    ck_assert_int_eq(run_int(function), 42);
    weft_function_release(function);
}

START_TEST(c38_include_directory_with_a_space) {
    expect_header_found_in("in c");
    expect_header_found_in(" in  c ");
}
END_TEST

START_TEST(c39_include_directory_that_looks_like_an_option) {
    static const char *const names[] = {"x-g", "a-cl-opt-disable", "p=q", "a,b", "\xC3\xA4", "-I", "it's", "a\"b", "a\\b", "$HOME"};
    for (size_t i = 0; i < COUNT(names); i++) expect_header_found_in(names[i]);
}
END_TEST

/* ---- C40: macro values ------------------------------------------------------------------------- */

START_TEST(c40_macro_values_arrive_as_given) {
    const char *const defines[] = {"TABLE={0,1,-2}", "GREETING=\"hello, weft\"", "EMPTY=", "PLAIN",
                                   "ADD(x)=((x)+100)", "SUM=1 + 2"};
    const weft_compile_options options = {.defines = defines, .n_defines = COUNT(defines)};
    static const char source[] = "kernel void k(global int *out) {\n"
                                 "    int t[] = TABLE;\n"
                                 "    out[0] = t[0]; out[1] = t[1]; out[2] = t[2];\n"
                                 "    out[3] = sizeof(t) / sizeof(int);\n"
                                 "    out[4] = GREETING[0]; out[5] = GREETING[6]; out[6] = sizeof(GREETING);\n"
                                 "    out[7] = 5 EMPTY;\n"
                                 "    out[8] = PLAIN;\n"
                                 "    out[9] = ADD(7);\n"
                                 "    out[10] = 10 * SUM;\n"
                                 "}\n";
    const int expected[11] = {0, 1, -2, 3, 'h', ' ', 12, 5, 1, 107, 12};
    int actual[11] = {0};
    weft_function *k = NULL;
    weft_device_buffer *out = test_device_buffer(WEFT_INT32, 11);
    OK(weft_compile_function(test_context(), source, "k", &options, &k));
    OK(weft_enqueue_function(test_context(), k, 1, 1, out));
    weft_function_release(k);
    test_read(out, actual);
    for (int i = 0; i < 11; i++)
        if (actual[i] != expected[i]) ck_abort_msg("value %d is %d", i, actual[i]);
}
END_TEST

/* The same source with another value is another program. */
START_TEST(c40_each_value_gets_its_own_program) {
    static const char source[] = "kernel void k(global int *out) { out[0] = K; }";
    const char *const ones[] = {"K=1"}, *const twos[] = {"K=2"};
    for (int round = 0; round < 3; round++) {
        weft_function *one = NULL, *two = NULL;
        OK(weft_compile_function(test_context(), source, "k", &(weft_compile_options){.defines = ones, .n_defines = 1}, &one));
        OK(weft_compile_function(test_context(), source, "k", &(weft_compile_options){.defines = twos, .n_defines = 1}, &two));
        ck_assert_int_eq(run_int(one), 1);
        ck_assert_int_eq(run_int(two), 2);
        weft_function_release(one);
        weft_function_release(two);
    }
}
END_TEST

START_TEST(c40_malformed_macros_are_refused) {
    static const char source[] = "kernel void k(global int *out) { out[0] = 1; }";
    const char *const bad[] = {NULL, "", "=3", "4X=3"};
    for (size_t i = 0; i < COUNT(bad); i++) {
        weft_program *program = NULL;
        const weft_compile_options options = {.defines = bad + i, .n_defines = 1};
        FAILS(WEFT_ERROR_INVALID_ARGUMENT, weft_compile_program(test_context(), source, &options, &program));
        ck_assert_ptr_null(program);
    }
    test_context_works(test_context());
}
END_TEST

/* ---- C41: a locale whose decimal point is a comma ---------------------------------------------- */

static char locale_folder[64];

/* Builds de_DE.UTF-8 into a folder of our own; machines seldom have it. */
static void build_comma_locale(void) {
    char path[96];
    pid_t child = 0;
    posix_spawn_file_actions_t quiet;
    strcpy(locale_folder, "/tmp/weft-locale-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(locale_folder));
    snprintf(path, sizeof path, "%s/de_DE.UTF-8", locale_folder);
    char *const arguments[] = {"localedef", "-i", "de_DE", "-f", "UTF-8", path, NULL};
    posix_spawn_file_actions_init(&quiet);
    posix_spawn_file_actions_addopen(&quiet, STDOUT_FILENO, "/dev/null", 1, 0);
    posix_spawn_file_actions_addopen(&quiet, STDERR_FILENO, "/dev/null", 1, 0);
    if (posix_spawnp(&child, "localedef", &quiet, NULL, arguments, environ) == 0) waitpid(child, NULL, 0);
    posix_spawn_file_actions_destroy(&quiet);
    setenv("LOCPATH", locale_folder, 1);
}

static void remove_comma_locale(void) {
    char command[96];
    snprintf(command, sizeof command, "rm -rf '%s'", locale_folder);
    if (locale_folder[0] && system(command) != 0) fputs("the test's locale stays\n", stderr);
    unsetenv("LOCPATH");
}

/* Fills, compiles, prints: 0.5 and 1e-7 must arrive whatever the locale says. */
static void expect_points(void) {
    weft_context *ctx = test_context();
    const char *const defines[] = {"X=0.5f", "Y=1e-7f"};
    const weft_compile_options options = {.defines = defines, .n_defines = 2};
    float actual[3] = {0};
    char text[64] = "";
    weft_function *k = NULL;
    weft_device_buffer *out = test_device_buffer(WEFT_FLOAT32, 3);
    OK(weft_compile_function(ctx, "kernel void k(global float *out) { out[0] = X; out[1] = Y; }", "k", &options, &k));
    OK(weft_enqueue_fill(out, 2.5f));
    OK(weft_enqueue_function(ctx, k, 1, 1, out));
    weft_function_release(k);
    test_read(out, actual);
    ck_assert(actual[0] == 0.5f && actual[1] == 1e-7f && actual[2] == 2.5f);
    FILE *stream = tmpfile();
    ck_assert_ptr_nonnull(stream);
    OK(weft_device_buffer_write_to(out, stream));
    rewind(stream);
    text[fread(text, 1, sizeof text - 1, stream)] = 0;
    fclose(stream);
    ck_assert_str_eq(text, "DeviceBuffer([0.5, 1e-07, 2.5])");
}

START_TEST(c41_decimal_comma) {
    char comma[16];
    if (!setlocale(LC_ALL, "de_DE.UTF-8")) {
        build_comma_locale();
        if (!setlocale(LC_ALL, "de_DE.UTF-8")) {
            remove_comma_locale();
            SKIP("no locale with a decimal comma");
        }
    }
    snprintf(comma, sizeof comma, "%.1f", 0.5);
    ck_assert_str_eq(comma, "0,5");
    expect_points();

    locale_t own = duplocale(LC_GLOBAL_LOCALE); /* now only this thread's */
    setlocale(LC_ALL, "C");
    ck_assert(own != (locale_t)0);
    locale_t before = uselocale(own);
    expect_points();
    snprintf(comma, sizeof comma, "%.1f", 0.5); /* and it stayed the thread's */
    uselocale(before);
    freelocale(own);
    ck_assert_str_eq(comma, "0,5");
    remove_comma_locale();
}
END_TEST

/* ---- C42: bytes of the source ------------------------------------------------------------------ */

START_TEST(c42_source_bytes) {
    static const char *const sources[] = {
        "\xEF\xBB\xBF" "kernel void k(global int *out) { out[0] = 42; }\n",                          /* byte order mark */
        "#define ANSWER \\\r\n    42\r\nkernel void k(global int *out) {\r\n    out[0] = ANSWER;\r\n}\r\n", /* CRLF, continued */
        "/* gr\xC3\xB6\xC3\x9F" "er */ kernel void k(global int *out) { out[0] = 42; } // \xE2\x82\xAC\n",       /* UTF-8 */
        "/* gr\xF6\xDF" "er */ kernel void k(global int *out) { out[0] = 42; } // \xE4\n",            /* Latin-1 */
        "kernel void k(global int *out) { out[0] = 42; }",                                           /* no newline at the end */
        "kernel void k(global int *out) { out[0] = 42; } // the end",
    };
    for (size_t i = 0; i < COUNT(sources); i++) {
        weft_function *k = NULL;
        OK(weft_compile_function(test_context(), sources[i], "k", NULL, &k));
        ck_assert_msg(run_int(k) == 42, "source %zu", i);
        weft_function_release(k);
    }
}
END_TEST

START_TEST(c42_empty_source_is_refused) {
    weft_program *program = NULL;
    FAILS(WEFT_ERROR_INVALID_ARGUMENT, weft_compile_program(test_context(), "", NULL, &program));
    FAILS(WEFT_ERROR_INVALID_ARGUMENT, weft_compile_program(test_context(), NULL, NULL, &program));
    ck_assert_ptr_null(program);
    test_context_works(test_context());
}
END_TEST

/* ---- C43: kernels by name ---------------------------------------------------------------------- */

START_TEST(c43_missing_kernel_lists_what_there_is) {
    weft_context *ctx = test_context();
    weft_program *adds = NULL, *subs = NULL;
    weft_function *function = NULL;
    OK(weft_compile_program(ctx, "kernel void add(global int *v) { v[0] += 1; }", NULL, &adds));
    OK(weft_compile_program(ctx, "kernel void sub(global int *v) { v[0] -= 1; }", NULL, &subs));
    FAILS(WEFT_ERROR_FUNCTION_NOT_FOUND, weft_program_function(subs, "add", &function));
    ck_assert_ptr_null(function);
    SAYS("sub");
    FAILS(WEFT_ERROR_FUNCTION_NOT_FOUND, weft_program_function(adds, "Add", &function));
    SAYS("add");
    FAILS(WEFT_ERROR_FUNCTION_NOT_FOUND, weft_program_function(adds, "ad", &function));
    FAILS(WEFT_ERROR_FUNCTION_NOT_FOUND, weft_program_function(adds, "", &function));
    ck_assert_ptr_null(function);
    OK(weft_program_function(subs, "sub", &function));
    weft_function_release(function);
    weft_program_release(adds);
    weft_program_release(subs);
    test_context_works(ctx);
}
END_TEST

START_TEST(c43_programs_keep_their_own_kernel) {
    weft_function *first = test_function("kernel void f(global int *out) { out[0] = 1; }", "f");
    weft_function *second = test_function("kernel void f(global int *out) { out[0] = 2; }", "f");
    ck_assert_int_eq(run_int(first), 1);
    ck_assert_int_eq(run_int(second), 2);
    ck_assert_int_eq(run_int(first), 1);
}
END_TEST

/* ---- C44: no relaxed mathematics unless asked -------------------------------------------------- */

/* Zero and one come as arguments, since rusticl's compiler takes x * 0.0f for 0 whatever the options. */
START_TEST(c44_special_values_by_default) {
    enum { NOT_A_NUMBER, INFINITE, MINUS_ZERO, TINY, N };
    const float in[N] = {NAN, INFINITY, -0.0f, 1e-40f};
    float times_zero[N], inverse[N], same[N];
    int is_nan[N], is_inf[N];
    weft_device_buffer *x = test_device_buffer(WEFT_FLOAT32, N), *z = test_device_buffer(WEFT_FLOAT32, N);
    weft_device_buffer *i = test_device_buffer(WEFT_FLOAT32, N), *s = test_device_buffer(WEFT_FLOAT32, N);
    weft_device_buffer *nan = test_device_buffer(WEFT_INT32, N), *inf = test_device_buffer(WEFT_INT32, N);
    test_write(x, in);
    weft_function *k = test_function("kernel void k(global const float *x, global float *times_zero, global float *inverse,\n"
                                     "              global float *same, global int *is_nan, global int *is_inf,\n"
                                     "              float zero, float one) {\n"
                                     "    size_t i = get_global_id(0);\n"
                                     "    times_zero[i] = x[i] * zero;\n"
                                     "    inverse[i] = one / x[i];\n"
                                     "    same[i] = x[i] * one;\n"
                                     "    is_nan[i] = isnan(x[i]);\n"
                                     "    is_inf[i] = isinf(x[i]);\n"
                                     "}\n", "k");
    OK(weft_enqueue_function(test_context(), k, N, 1, x, z, i, s, nan, inf, 0.0f, 1.0f));
    test_read(z, times_zero);
    test_read(i, inverse);
    test_read(s, same);
    test_read(nan, is_nan);
    test_read(inf, is_inf);
    ck_assert(is_nan[NOT_A_NUMBER] && !is_nan[INFINITE] && !is_nan[MINUS_ZERO] && !is_nan[TINY]);
    ck_assert(!is_inf[NOT_A_NUMBER] && is_inf[INFINITE] && !is_inf[MINUS_ZERO] && !is_inf[TINY]);
    ck_assert(isnan(times_zero[NOT_A_NUMBER]) && isnan(times_zero[INFINITE]));
    ck_assert(times_zero[MINUS_ZERO] == 0 && times_zero[TINY] == 0);
    ck_assert(isnan(inverse[NOT_A_NUMBER]) && inverse[INFINITE] == 0 && inverse[MINUS_ZERO] == -INFINITY);
    ck_assert(same[MINUS_ZERO] == 0 && signbit(same[MINUS_ZERO]));
    ck_assert(same[TINY] == 1e-40f || same[TINY] == 0); /* a device may flush what is that small */
}
END_TEST

TESTS(c37_error_names_identifier_and_line, c37_long_log_is_whole, c37_clean_build_says_nothing, c37_warning_is_kept,
      c37_log_belongs_to_its_thread, c38_include_directory_with_a_space,
      c39_include_directory_that_looks_like_an_option, c40_macro_values_arrive_as_given, c40_each_value_gets_its_own_program,
      c40_malformed_macros_are_refused, c42_source_bytes, c42_empty_source_is_refused, c43_missing_kernel_lists_what_there_is,
      c43_program_without_kernels,
      c43_programs_keep_their_own_kernel, c44_special_values_by_default, c41_decimal_comma)
