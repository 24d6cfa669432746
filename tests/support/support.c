#include "support.h"

#include <signal.h>
#include <stdio.h>
#include <unistd.h>

/* ---- What the running test owns ------------------------------------------------------------------- */

typedef struct owned {
    struct owned *next;
    void (*release)(void *);
    void *handle;
} owned;

static owned *newest;
static weft_context *test_contexts[2]; /* test_context() and test_other_device(), once asked for */

static void *own(void *handle, void (*release)(void *)) {
    owned *entry = malloc(sizeof *entry);
    ck_assert_ptr_nonnull(entry);
    *entry = (owned){newest, release, handle};
    newest = entry;
    return handle;
}

static void release_all(void) {
    while (newest) {
        owned *entry = newest;
        newest = entry->next;
        entry->release(entry->handle);
        free(entry);
    }
    test_contexts[0] = test_contexts[1] = NULL;
}

static void release_context(void *handle) { weft_context_release(handle); }
static void release_device_buffer(void *handle) { weft_device_buffer_release(handle); }
static void release_host_buffer(void *handle) { weft_host_buffer_release(handle); }
static void release_function(void *handle) { weft_function_release(handle); }

/* ---- Contexts ------------------------------------------------------------------------------------- */

static weft_context *new_context(const weft_context_options *options) {
    weft_context *context = NULL;
    OK(weft_context_create(options, &context));
    return own(context, release_context);
}

weft_context *test_context(void) {
    if (!test_contexts[0]) {
        test_contexts[0] = new_context(NULL);
    }
    return test_contexts[0];
}

weft_context *test_other_device(void) {
    weft_device_info mine, other;
    OK(weft_device_get_info(NULL, 0, &mine));
    for (int id = 0; !test_contexts[1] && (size_t)id < weft_number_of_devices("any"); id++) {
        OK(weft_device_get_info("any", id, &other));
        if (strcmp(mine.api, other.api) != 0 || mine.id != other.id) {
            test_contexts[1] = new_context(&(weft_context_options){.api = "any", .device_id = id});
        }
    }
    return test_contexts[1];
}

const char *test_driver(void) {
    weft_device_info info;
    OK(weft_device_get_info(NULL, 0, &info));
    return info.api;
}

size_t test_size(size_t full, size_t small) { return on_driver("oclgrind") || on_driver("rusticl") ? small : full; }

/* ---- Handles -------------------------------------------------------------------------------------- */

weft_device_buffer *test_device_buffer(weft_dtype dtype, size_t length) {
    weft_device_buffer *buffer = NULL;
    OK(weft_enqueue_create_buffer(test_context(), dtype, length, &buffer));
    return own(buffer, release_device_buffer);
}

weft_host_buffer *test_host_buffer(weft_dtype dtype, size_t length) {
    weft_host_buffer *buffer = NULL;
    OK(weft_enqueue_create_host_buffer(test_context(), dtype, length, &buffer));
    return own(buffer, release_host_buffer);
}

weft_device_buffer *test_view(weft_device_buffer *buffer, weft_dtype dtype, size_t offset, size_t length) {
    weft_device_buffer *view = NULL;
    OK(weft_device_buffer_create_sub_buffer(buffer, dtype, offset, length, &view));
    return own(view, release_device_buffer);
}

weft_function *test_function(const char *source, const char *name) {
    weft_function *function = NULL;
    OK(weft_compile_function(test_context(), source, name, NULL, &function));
    return own(function, release_function);
}

void test_write(weft_device_buffer *buffer, const void *data) {
    OK(weft_device_buffer_enqueue_copy_from(buffer, data));
    OK(weft_synchronize(weft_device_buffer_context(buffer)));
}

void test_read(weft_device_buffer *buffer, void *data) {
    OK(weft_device_buffer_enqueue_copy_to(buffer, data));
    OK(weft_synchronize(weft_device_buffer_context(buffer)));
}

void test_context_works(weft_context *context) {
    static const char source[] = "kernel void square(global int *x) { int i = get_global_id(0); x[i] = i * i; }";
    int32_t squares[64] = {0};
    weft_device_buffer *buffer = NULL;
    weft_function *square = NULL;
    OK(weft_enqueue_create_buffer(context, WEFT_INT32, 64, &buffer));
    own(buffer, release_device_buffer);
    OK(weft_compile_function(context, source, "square", NULL, &square));
    own(square, release_function);
    OK(weft_enqueue_function(context, square, 4, 16, buffer));
    test_read(buffer, squares);
    for (int32_t i = 0; i < 64; i++) {
        ck_assert_int_eq(squares[i], i * i);
    }
}

/* ---- The program ---------------------------------------------------------------------------------- */

static char program[256];          /* test_copy for tests/.../test_copy.c */
static const TTest *const *coming; /* the tests still to be run, and those not chosen between them */
static const TTest *running;

/* Whether WEFT_TEST_ONLY is unset or part of program:test. */
static bool chosen(const TTest *test) {
    const char *only = getenv("WEFT_TEST_ONLY");
    char name[512];
    snprintf(name, sizeof name, "%s:%s", program, test->name);
    return !only || strstr(name, only);
}

static void timed_out(int signal_number) {
    (void)signal_number;
    _exit(124);
}

static void begin_test(void) {
    signal(SIGALRM, timed_out); /* here, since Check puts a handler of its own that kills the process group */
    while (!chosen(*coming)) {
        coming++;
    }
    running = *coming++;
    printf("RUN %s\n", running->name);
    fflush(stdout);
}

void test_skip(const char *reason) {
    printf("SKIP %s: %s\n", running->name, reason);
    fflush(stdout);
}

int test_main(const char *file, const TTest *const *tests) {
    const char *base = strrchr(file, '/') ? strrchr(file, '/') + 1 : file;
    const char *timeout = getenv("WEFT_TEST_TIMEOUT");
    snprintf(program, sizeof program, "%.*s", (int)strcspn(base, "."), base);
    alarm(timeout ? (unsigned)atoi(timeout) : 300);

    TCase *tcase = tcase_create(program);
    tcase_add_checked_fixture(tcase, begin_test, release_all);
    coming = tests;
    for (; *tests; tests++) {
        if (chosen(*tests)) {
            tcase_add_test(tcase, *tests);
        }
    }
    Suite *suite = suite_create(program);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_set_fork_status(runner, CK_NOFORK);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed > 0;
}
