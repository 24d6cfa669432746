/* Bad input to status, dtype, device and context; and the check that no exported function was forgotten. */
#include <ctype.h>
#include <glob.h>
#include <pthread.h>
#include <spawn.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "surface.h"

/* ---- Status ------------------------------------------------------------------------------------------------- */

static void bad_status_name(void) {
    ck_assert_str_eq(weft_status_name((weft_status)-1), "WEFT_ERROR_UNKNOWN");
    ck_assert_str_eq(weft_status_name((weft_status)(WEFT_ERROR_DRIVER + 1)), "WEFT_ERROR_UNKNOWN");
    ck_assert_str_eq(weft_status_name((weft_status)INT32_MAX), "WEFT_ERROR_UNKNOWN");
}

/* Whether a thread that never failed has an empty record. */
static void *fresh_record(void *result) {
    const weft_error *error = weft_last_error();
    *(bool *)result = error && error->status == WEFT_OK && error->cl_code == 0 && !strcmp(error->function, "") &&
                      !strcmp(error->message, "") && !strcmp(weft_error_message(), "") && !strcmp(weft_last_build_log(), "");
    return NULL;
}

static void check_fresh_record(void) {
    pthread_t thread;
    bool empty = false;
    ck_assert_int_eq(pthread_create(&thread, NULL, fresh_record, &empty), 0);
    pthread_join(thread, NULL);
    ck_assert(empty);
}

static void bad_last_error(void) {
    FAILS(WEFT_ERROR_INVALID_ARGUMENT, weft_synchronize(NULL));
    const weft_error *error = weft_last_error();
    ck_assert_int_eq(error->cl_code, 0); /* weft itself refused */
    ck_assert_str_eq(error->function, "weft_synchronize");
    check_fresh_record();
    OK(weft_synchronize(ctx)); /* a success leaves the record as it was */
    ck_assert_int_eq(weft_last_error()->status, WEFT_ERROR_INVALID_ARGUMENT);
}

static void bad_error_message(void) {
    FAILS(WEFT_ERROR_INVALID_ARGUMENT, weft_flush(NULL));
    ck_assert_str_eq(weft_error_message(), weft_last_error()->message);
    ck_assert_ptr_nonnull(strstr(weft_error_message(), "weft_flush"));
}

static void bad_last_build_log(void) {
    weft_program *program = NULL;
    FAILS(WEFT_ERROR_COMPILE_FAILED,
          weft_compile_program(ctx, "kernel void f(global int *p) { p[0] = strange; }", NULL, &program));
    ck_assert_ptr_nonnull(strstr(weft_last_build_log(), "strange"));
    check_fresh_record();
}

static void bad_version(void) { ck_assert_str_eq(weft_version(), "0.1.0"); }

/* weft_check_failed ends the process: this program starts itself again with the case in its environment, and
 * the constructor runs before main would. */
static const char child_variable[] = "SURFACE_CHECK_FAILED";

__attribute__((constructor)) static void be_the_child(void) {
    const char *choice = getenv(child_variable);
    if (choice) {
        bool nothing = strcmp(choice, "null") == 0;
        weft_context *context;
        weft_program *program;
        if (strcmp(choice, "build") == 0 && weft_context_create(NULL, &context) == WEFT_OK) {
            WEFT_CHECK(weft_compile_program(context, "kernel void f(global int *p) { p[0] = strange; }", NULL, &program));
        }
        weft_check_failed(nothing ? NULL : "file.c", 7, nothing ? NULL : "the_call()");
        _exit(0);
    }
}

static void run_child(const char *choice, char text[4096]) {
    FILE *file = tmpfile();
    char *argv[] = {"child", NULL};
    pid_t child;
    int ending = 0;
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, fileno(file), STDERR_FILENO);
    setenv(child_variable, choice, 1);
    int failed = posix_spawn(&child, "/proc/self/exe", &actions, NULL, argv, environ);
    unsetenv(child_variable);
    posix_spawn_file_actions_destroy(&actions);
    ck_assert_int_eq(failed, 0);
    ck_assert_int_eq(waitpid(child, &ending, 0), child);
    ck_assert_msg(WIFEXITED(ending) && WEXITSTATUS(ending) == 1, "the child with %s ended with %d", choice, ending);
    rewind(file);
    text[fread(text, 1, 4095, file)] = 0;
    fclose(file);
}

static void bad_check_failed(void) {
    char text[4096];
    run_child("text", text);
    ck_assert_msg(strstr(text, "file.c:7") && strstr(text, "the_call()"), "%s", text);
    run_child("null", text);
    run_child("build", text); /* the compiler's whole log comes behind the message */
    const char *message = strstr(text, "WEFT_ERROR_COMPILE_FAILED");
    ck_assert_msg(message && strstr(message, "strange"), "%s", text);
}

/* ---- Dtype -------------------------------------------------------------------------------------------------- */

static void bad_dtype_size(void) {
    for (int i = 0; i < NO_DTYPES; i++) {
        ck_assert_uint_eq(weft_dtype_size(no_dtypes[i]), 0);
    }
}

static void bad_dtype_name(void) {
    for (int i = 0; i < NO_DTYPES; i++) {
        ck_assert_str_eq(weft_dtype_name(no_dtypes[i]), "invalid");
    }
}

/* ---- Devices -------------------------------------------------------------------------------------------------- */

/* No api; the last one is longer than any buffer for it. */
static const char *bad_api(int i) {
    static char endless[5000];
    static const char *const apis[] = {"", "nosuch", "%s%n", "gpu\n", "nvidia:0", endless};
    memset(endless, 'x', sizeof endless - 1);
    return apis[i];
}
enum { BAD_APIS = 6 };

static void bad_number_of_devices(void) {
    for (int i = 0; i < BAD_APIS; i++) {
        ck_assert_uint_eq(weft_number_of_devices(bad_api(i)), 0);
    }
}

static void check_has(bool first, bool second, bool exists) {
    ck_assert(first == second);
    ck_assert(!first || exists);
}

static void bad_has_accelerator(void) {
    check_has(weft_has_accelerator(), weft_has_accelerator(), weft_number_of_devices(NULL) > weft_number_of_devices("cpu"));
}
static void bad_has_nvidia_gpu_accelerator(void) {
    check_has(weft_has_nvidia_gpu_accelerator(), weft_has_nvidia_gpu_accelerator(), weft_number_of_devices("nvidia"));
}
static void bad_has_amd_gpu_accelerator(void) {
    check_has(weft_has_amd_gpu_accelerator(), weft_has_amd_gpu_accelerator(), weft_number_of_devices("amd"));
}
static void bad_has_intel_gpu_accelerator(void) {
    check_has(weft_has_intel_gpu_accelerator(), weft_has_intel_gpu_accelerator(), weft_number_of_devices("intel"));
}
static void bad_has_apple_gpu_accelerator(void) {
    check_has(weft_has_apple_gpu_accelerator(), weft_has_apple_gpu_accelerator(), weft_number_of_devices("apple"));
}

static void bad_device_get_info(void) {
    weft_device_info info;
    const char *name = weft_context_name(ctx); /* among the devices that the message lists */
    REFUSES(INVALID_ARGUMENT, "out", weft_device_get_info(NULL, 0, NULL));
    CLEARS(info, NO_DEVICE, "device_id", weft_device_get_info("any", -1, &info));
    SAYS(name);
    CLEARS(info, NO_DEVICE, "2147483647", weft_device_get_info("any", INT32_MAX, &info));
    CLEARS(info, NO_DEVICE, "device_id", weft_device_get_info("any", INT32_MIN, &info));
    for (int i = 0; i < BAD_APIS; i++) {
        CLEARS(info, NO_DEVICE, "api", weft_device_get_info(bad_api(i), 0, &info));
    }
    CLEARS(info, NO_DEVICE, "nosuch", weft_device_get_info("nosuch", 0, &info));
    SAYS(name);
}

/* ---- Contexts -------------------------------------------------------------------------------------------------- */

static void bad_context_create(void) {
    weft_context *out;
    const weft_context_options beyond = {.api = "any", .device_id = 1 << 20}, negative = {.api = "any", .device_id = -3};
    REFUSES(INVALID_ARGUMENT, "out", weft_context_create(NULL, NULL));
    CLEARS(out, NO_DEVICE, "1048576", weft_context_create(&beyond, &out));
    SAYS(weft_context_name(ctx));
    CLEARS(out, NO_DEVICE, "-3", weft_context_create(&negative, &out));
    for (int i = 0; i < BAD_APIS; i++) {
        CLEARS(out, NO_DEVICE, "api", weft_context_create(&(weft_context_options){.api = bad_api(i)}, &out));
    }
}

static void bad_context_create_stream(void) {
    weft_context *out;
    CLEARS(out, INVALID_ARGUMENT, "context", weft_context_create_stream(NULL, NULL, &out));
    REFUSES(INVALID_ARGUMENT, "out", weft_context_create_stream(ctx, NULL, NULL));
    REFUSES(INVALID_ARGUMENT, "context", weft_context_create_stream(NULL, NULL, NULL));
}

static void bad_context_retain(void) { ck_assert_ptr_null(weft_context_retain(NULL)); }
static void bad_context_release(void) { weft_context_release(NULL); }
static void bad_context_name(void) { ck_assert_ptr_null(weft_context_name(NULL)); }
static void bad_context_api(void) { ck_assert_ptr_null(weft_context_api(NULL)); }
static void bad_context_id(void) { ck_assert_int_eq(weft_context_id(NULL), -1); }

static void bad_context_get_attribute(void) {
    static const int unknown[] = {0, -1, 9, 77, 96, 999, 1002, INT32_MAX, INT32_MIN};
    int64_t out;
    CLEARS(out, INVALID_ARGUMENT, "context", weft_context_get_attribute(NULL, WEFT_DEVICE_WARP_SIZE, &out));
    REFUSES(INVALID_ARGUMENT, "out", weft_context_get_attribute(ctx, WEFT_DEVICE_WARP_SIZE, NULL));
    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++) {
        CLEARS(out, INVALID_ARGUMENT, "attribute", weft_context_get_attribute(ctx, (weft_device_attribute)unknown[i], &out));
    }
    SAYS("-2147483648");
}

static void bad_context_get_memory_info(void) {
    size_t free_bytes, total_bytes;
    CLEARS(free_bytes, INVALID_ARGUMENT, "context", weft_context_get_memory_info(NULL, &free_bytes, &total_bytes));
    CLEARS(total_bytes, INVALID_ARGUMENT, "context", weft_context_get_memory_info(NULL, &free_bytes, &total_bytes));
    CLEARS(total_bytes, INVALID_ARGUMENT, "free_bytes", weft_context_get_memory_info(ctx, NULL, &total_bytes));
    CLEARS(free_bytes, INVALID_ARGUMENT, "total_bytes", weft_context_get_memory_info(ctx, &free_bytes, NULL));
}

static void bad_flush(void) { REFUSES(INVALID_ARGUMENT, "context", weft_flush(NULL)); }
static void bad_synchronize(void) { REFUSES(INVALID_ARGUMENT, "context", weft_synchronize(NULL)); }

static void bad_enqueue_wait_for(void) {
    REFUSES(INVALID_ARGUMENT, "context", weft_enqueue_wait_for(NULL, ctx));
    REFUSES(INVALID_ARGUMENT, "other", weft_enqueue_wait_for(ctx, NULL));
    REFUSES(INVALID_ARGUMENT, "context", weft_enqueue_wait_for(NULL, NULL));
}

/* ---- The disk cache --------------------------------------------------------------------------------------------- */

static void bad_cache_get_info(void) { REFUSES(INVALID_ARGUMENT, "out", weft_cache_get_info(NULL)); }
static void bad_cache_visit(void) { REFUSES(INVALID_ARGUMENT, "visit", weft_cache_visit(NULL, NULL)); }

static void bad_cache_clear(void) {
    char folder[256];
    snprintf(folder, sizeof folder, "%s", getenv("WEFT_CACHE_DIR") ? getenv("WEFT_CACHE_DIR") : "");
    setenv("WEFT_CACHE_DIR", "/proc/none", 1);
    OK(weft_cache_clear(NULL)); /* there is nothing to remove */
    *folder ? setenv("WEFT_CACHE_DIR", folder, 1) : unsetenv("WEFT_CACHE_DIR");
}

START_TEST(bad_input_is_refused) {
    static const surface_row rows[] = {SURFACE_GENERAL(SURFACE_ROW)};
    run_rows(rows, sizeof rows / sizeof *rows);
}
END_TEST

/* ---- Nothing forgotten --------------------------------------------------------------------------------------------- */

static const char *const listed[] = {
#define SURFACE_NAME(name) "weft_" #name,
    SURFACE_GENERAL(SURFACE_NAME) SURFACE_BUFFERS(SURFACE_NAME) SURFACE_COPIES(SURFACE_NAME) SURFACE_TENSORS(SURFACE_NAME)
    SURFACE_FUNCTIONS(SURFACE_NAME) SURFACE_GRAPHS(SURFACE_NAME) SURFACE_ORDER(SURFACE_NAME) SURFACE_TRACES(SURFACE_NAME)
#undef SURFACE_NAME
};

/* The function that a declaration declares: the name before the first parenthesis. */
static void declared_name(const char *declaration, char name[128]) {
    const char *end = declaration + strcspn(declaration, "("), *start = end;
    while (start > declaration && (isalnum((unsigned char)start[-1]) || start[-1] == '_')) {
        start--;
    }
    snprintf(name, 128, "%.*s", (int)(end - start), start);
}

/* How many declarations a header has; each must be listed. */
static size_t check_header(const char *path) {
    static char text[1 << 17];
    size_t count = 0;
    FILE *file = fopen(path, "r");
    ck_assert_msg(file != NULL, "%s", path);
    text[fread(text, 1, sizeof text - 1, file)] = 0;
    fclose(file);
    for (const char *at = strstr(text, "\nWEFT_API "); at; at = strstr(at + 1, "\nWEFT_API ")) {
        char name[128];
        bool found = false;
        declared_name(at + strlen("\nWEFT_API "), name);
        for (size_t i = 0; i < sizeof listed / sizeof *listed; i++) {
            found |= strcmp(name, listed[i]) == 0;
        }
        ck_assert_msg(found, "%s declares %s, which no test of bad input covers", path, name);
        count++;
    }
    return count;
}

START_TEST(every_exported_function_is_covered) {
#ifdef WEFT_INCLUDE_DIR
    const char *folder = WEFT_INCLUDE_DIR;
#else
    const char *folder = getenv("SURFACE_INCLUDE_DIR");
#endif
    char pattern[4096];
    glob_t headers;
    size_t count = 0;
    snprintf(pattern, sizeof pattern, "%s/weft/*.h", folder ? folder : "");
    if (!folder || glob(pattern, 0, NULL, &headers)) {
        SKIP("the headers are not on this machine");
    }
    for (size_t i = 0; i < headers.gl_pathc; i++) {
        count += check_header(headers.gl_pathv[i]);
    }
    globfree(&headers);
    ck_assert_uint_eq(count, sizeof listed / sizeof *listed); /* and nothing is listed that is gone */
}
END_TEST

TESTS(bad_input_is_refused, every_exported_function_is_covered)
