/* weft_assert: reported at synchronize, once, with kernel, place and thread; the context goes on working. */
#include <pthread.h>
#include <stdio.h>

#include "support.h"

static const char source[] =
    "#include <weft.clh>\n"
    "void check(int i, int n, WEFT_ASSERTS) {\n"
    "    weft_assert(i != 2 * n);\n" /* line 3 */
    "}\n"
    "kernel void scale(global float *x, int n, WEFT_ASSERTS) {\n"
    "    int i = global_idx.x;\n"
    "    weft_assert(i < n);\n" /* line 7 */
    "    x[i] = 2 * i;\n"
    "}\n"
    "kernel void helped(int n, WEFT_ASSERTS) { check(global_idx.x, n, WEFT_PASS_ASSERTS); }\n"
    "kernel void nothing_else(WEFT_ASSERTS) {\n"
    "    weft_assert(global_idx.x != 5);\n" /* line 12 */
    "}\n"
    "kernel void somewhere(WEFT_ASSERTS) {\n"
    "    int x = block_idx.x, y = block_idx.y, z = block_idx.z, i = thread_idx.x, j = thread_idx.y, k = thread_idx.z;\n"
    "    weft_assert(x != 1 || y != 2 || z != 3 || i != 2 || j != 1 || k != 0);\n" /* line 16 */
    "}\n"
    "kernel void counts(global int *n, WEFT_ASSERTS) { weft_assert(atomic_inc(n) >= 0); }\n"
    "kernel void mixed(WEFT_ASSERTS, float a, local float *s, global float *x) {\n"
    "    s[0] = a;\n"
    "    weft_assert(s[0] == 3);\n"
    "    x[0] = s[0];\n"
    "}\n"
    "kernel void plain(global float *x) { x[global_idx.x] = 7; }\n";

enum { BLOCK = 64 };

static weft_function *made[16];
static unsigned n_made;

/* Released by the next test that begins with forget(). */
static weft_function *function_with(const char *name, const weft_compile_options *options) {
    weft_function *function = NULL;
    ck_assert_uint_lt(n_made, 16);
    OK(weft_compile_function(test_context(), source, name, options, &function));
    return made[n_made++] = function;
}

static weft_function *function_of(const char *name) {
    const weft_compile_options options = {.source_name = "dir/scale.cl"};
    return function_with(name, &options);
}

static void forget(void) {
    while (n_made) {
        weft_function_release(made[--n_made]);
    }
}

/* The next synchronize reports exactly this failure, and the one after it nothing. */
static void reports(weft_context *ctx, const char *front, const char *end) {
    FAILS(WEFT_ERROR_EXECUTION_FAILED, weft_synchronize(ctx));
    SAYS(front);
    SAYS(end);
    ck_assert_str_eq(weft_last_error()->function, "weft_synchronize");
    OK(weft_synchronize(ctx));
}

/* Comes first: the first kernel of a process may be waited for where nobody can be told. */
START_TEST(first_failure_and_count) {
    weft_context *ctx = test_context();
    weft_device_buffer *x = test_device_buffer(WEFT_FLOAT32, 2 * BLOCK);
    float got[2 * BLOCK];
    OK(weft_enqueue_function(ctx, function_of("scale"), 2, BLOCK, x, BLOCK));
    reports(ctx, "kernel scale: assertion \"i < n\" failed at dir/scale.cl:7, block (1, 0, 0), thread (", "; 64 failures in all");
    test_read(x, got); /* the threads went on */
    for (int i = 0; i < 2 * BLOCK; i++) {
        ck_assert_float_eq(got[i], (float)(2 * i));
    }
    OK(weft_enqueue_function(ctx, function_of("scale"), 1, BLOCK, x, BLOCK));
    OK(weft_synchronize(ctx));
    test_context_works(ctx);
    forget();
}
END_TEST

START_TEST(block_and_thread_in_three_dimensions) {
    OK(weft_enqueue_function(test_context(), function_of("somewhere"), WEFT_DIM(2, 3, 4), WEFT_DIM(4, 2, 2)));
    reports(test_context(), "failed at dir/scale.cl:16, block (1, 2, 3), thread (2, 1, 0)", "; 1 failure in all");
    forget();
}
END_TEST

START_TEST(in_a_helper_function) {
    OK(weft_enqueue_function(test_context(), function_of("helped"), 1, BLOCK, 16));
    reports(test_context(), "kernel helped: assertion \"i != 2 * n\" failed at dir/scale.cl:3, block (0, 0, 0), thread (32, 0, 0)",
            "; 1 failure in all");
    forget();
}
END_TEST

/* The first of the queue is kept, and names its own kernel. */
START_TEST(several_kernels_on_one_context) {
    weft_context *ctx = test_context();
    weft_device_buffer *x = test_device_buffer(WEFT_FLOAT32, BLOCK);
    weft_function *scale = function_of("scale"), *alone = function_of("nothing_else"), *plain = function_of("plain");
    OK(weft_enqueue_function(ctx, scale, 1, BLOCK, x, BLOCK));
    OK(weft_enqueue_function(ctx, alone, 1, BLOCK));
    OK(weft_enqueue_function(ctx, plain, 1, BLOCK, x));
    OK(weft_enqueue_function(ctx, scale, 1, BLOCK, x, 60));
    reports(ctx, "kernel nothing_else: assertion \"global_idx.x != 5\" failed at dir/scale.cl:12, block (0, 0, 0), thread (5, 0, 0)",
            "; 5 failures in all");
    OK(weft_enqueue_function(ctx, scale, 1, BLOCK, x, 63));
    reports(ctx, "kernel scale: assertion", "thread (63, 0, 0); 1 failure in all");
    OK(weft_enqueue_function(ctx, plain, 1, BLOCK, x));
    OK(weft_synchronize(ctx));
    forget();
}
END_TEST

START_TEST(each_context_has_its_own) {
    weft_context *first = test_context(), *second = NULL, *third = NULL;
    weft_function *alone = function_of("nothing_else"), *helped = function_of("helped");
    OK(weft_context_create_stream(first, NULL, &second));
    OK(weft_context_create(NULL, &third));
    OK(weft_enqueue_function(first, alone, 1, BLOCK));
    OK(weft_enqueue_function(second, helped, 1, BLOCK, 3));
    OK(weft_synchronize(third));
    reports(second, "kernel helped", "thread (6, 0, 0); 1 failure in all");
    reports(first, "kernel nothing_else", "thread (5, 0, 0); 1 failure in all");
    OK(weft_enqueue_function(third, alone, 1, 5));
    OK(weft_synchronize(third));
    weft_context_release(second);
    weft_context_release(third);
    forget();
}
END_TEST

/* The function, and the context, may go before the failure was told. */
START_TEST(released_before_it_is_told) {
    weft_context *other = NULL;
    OK(weft_enqueue_function(test_context(), function_of("nothing_else"), 1, BLOCK));
    forget();
    reports(test_context(), "kernel nothing_else: assertion \"global_idx.x != 5\"", "; 1 failure in all");
    for (int i = 0; i < 3; i++) {
        OK(weft_context_create_stream(test_context(), NULL, &other));
        OK(weft_enqueue_function(other, function_of("nothing_else"), 1, BLOCK));
        weft_context_release(other);
    }
    OK(weft_synchronize(test_context()));
    test_context_works(test_context());
    forget();
}
END_TEST

/* A host buffer that more contexts use than it remembers makes weft wait for one of them, where nobody can be told. */
START_TEST(found_where_nobody_can_be_told) {
    enum { CONTEXTS = 6 };
    weft_context *contexts[CONTEXTS] = {NULL};
    weft_function *alone = function_of("nothing_else");
    weft_device_buffer *device = test_device_buffer(WEFT_INT32, 4);
    weft_host_buffer *host = test_host_buffer(WEFT_INT32, 4);
    for (int i = 0; i < CONTEXTS; i++) {
        OK(weft_context_create_stream(test_context(), NULL, &contexts[i]));
        OK(weft_enqueue_function(contexts[i], alone, 1, BLOCK));
    }
    OK(weft_enqueue_fill(host, 0));
    for (int i = 0; i < CONTEXTS; i++) {
        OK(weft_enqueue_copy(contexts[i], device, host));
    }
    for (int i = 0; i < CONTEXTS; i++) {
        reports(contexts[i], "kernel nothing_else", "; 1 failure in all");
        weft_context_release(contexts[i]);
    }
    forget();
}
END_TEST

START_TEST(other_calls_that_wait_tell_it) {
    weft_context *ctx = test_context();
    weft_device_buffer *x = test_device_buffer(WEFT_INT32, 4);
    weft_host_buffer *mapped = NULL;
    OK(weft_enqueue_fill(x, 1));
    OK(weft_enqueue_function(ctx, function_of("nothing_else"), 1, BLOCK));
    FAILS(WEFT_ERROR_EXECUTION_FAILED, weft_device_buffer_map_to_host(x, &mapped));
    SAYS("kernel nothing_else: assertion");
    ck_assert_ptr_null(mapped);
    OK(weft_synchronize(ctx));
    forget();
}
END_TEST

typedef struct crew {
    weft_function *function;
    int launches;
} crew;

static void *launch_all(void *user) {
    const crew *crew = user;
    for (int i = 0; i < crew->launches; i++) {
        if (weft_enqueue_function(test_context(), crew->function, 1, BLOCK) != WEFT_OK) {
            return user;
        }
    }
    return NULL;
}

/* Each failure is counted once, whatever the launches and the synchronizes of other threads do. */
START_TEST(launched_from_several_threads) {
    enum { THREADS = 4 };
    pthread_t threads[THREADS];
    crew crews[2] = {{function_of("nothing_else"), (int)test_size(200, 10)}, {function_of("somewhere"), (int)test_size(200, 10)}};
    unsigned long total = 0;
    for (int i = 0; i < THREADS; i++) {
        ck_assert_int_eq(pthread_create(&threads[i], NULL, launch_all, &crews[i % 2]), 0);
    }
    for (int round = 0, running = THREADS; round < 2 || running; round++) {
        if (running && round >= 3) {
            void *failed = NULL;
            pthread_join(threads[--running], &failed);
            ck_assert_ptr_null(failed);
        }
        if (weft_synchronize(test_context()) != WEFT_OK) {
            SAYS("kernel nothing_else: assertion \"global_idx.x != 5\" failed at dir/scale.cl:12, block (0, 0, 0), thread (5, 0, 0)");
            total += strtoul(strstr(weft_error_message(), "(5, 0, 0); ") + strlen("(5, 0, 0); "), NULL, 10);
        }
    }
    ck_assert_uint_eq(total, (unsigned long)(2 * crews[0].launches)); /* two threads launched it */
    OK(weft_synchronize(test_context()));
    forget();
}
END_TEST

START_TEST(parameter_is_not_shown) {
    weft_function *scale = function_of("scale"), *mixed = function_of("mixed"), *alone = function_of("nothing_else");
    weft_device_buffer *x = test_device_buffer(WEFT_FLOAT32, BLOCK);
    weft_arg_info info;
    float got[BLOCK];
    ck_assert_uint_eq(weft_function_arg_count(scale), 2);
    ck_assert_uint_eq(weft_function_arg_count(mixed), 3);
    ck_assert_uint_eq(weft_function_arg_count(alone), 0);
    OK(weft_function_arg_info(scale, 1, &info));
    ck_assert_str_eq(info.name, "n");
    FAILS(WEFT_ERROR_OUT_OF_RANGE, weft_function_arg_info(scale, 2, &info));
    FAILS(WEFT_ERROR_INVALID_ARGUMENT, weft_enqueue_function(test_context(), scale, 1, BLOCK, x, BLOCK, x));
    SAYS("kernel scale takes 2 arguments, given 3");
    OK(weft_enqueue_fill(x, 0));
    OK(weft_enqueue_function(test_context(), mixed, 1, 1, 3.0f, weft_shared_bytes(4), x));
    test_read(x, got);
    ck_assert_float_eq(got[0], 3);
    OK(weft_enqueue_function(test_context(), mixed, 1, 1, 4.0f, weft_shared_bytes(4), x));
    reports(test_context(), "kernel mixed: assertion \"s[0] == 3\"", "; 1 failure in all");
    FAILS(WEFT_ERROR_TYPE_MISMATCH, weft_enqueue_function(test_context(), mixed, 1, 1, 3, weft_shared_bytes(4), x));
    SAYS("argument 0 (a, float)");
    forget();
}
END_TEST

START_TEST(condition_is_evaluated_once) {
    weft_device_buffer *n = test_device_buffer(WEFT_INT32, 1);
    int32_t got = 0;
    OK(weft_enqueue_fill(n, 0));
    OK(weft_enqueue_function(test_context(), function_of("counts"), 1, BLOCK, n));
    test_read(n, &got);
    ck_assert_int_eq(got, BLOCK);
    forget();
}
END_TEST

START_TEST(ndebug_and_32_bit_index) {
    static const char *const none[] = {"NDEBUG"}, *const narrow[] = {"WEFT_INDEX_32"};
    const weft_compile_options without = {.defines = none, .n_defines = 1}, with = {.defines = narrow, .n_defines = 1};
    weft_function *off = function_with("nothing_else", &without), *counts = function_with("counts", &without);
    weft_device_buffer *n = test_device_buffer(WEFT_INT32, 1);
    int32_t got = -1;
    ck_assert_uint_eq(weft_function_arg_count(off), 0);
    OK(weft_enqueue_fill(n, 0));
    OK(weft_enqueue_function(test_context(), off, 1, BLOCK));
    OK(weft_enqueue_function(test_context(), counts, 1, BLOCK, n));
    OK(weft_synchronize(test_context()));
    test_read(n, &got);
    ck_assert_int_eq(got, 0);
    OK(weft_enqueue_function(test_context(), function_with("nothing_else", &with), 1, BLOCK));
    reports(test_context(), "kernel nothing_else: assertion \"global_idx.x != 5\" failed at kernel.cl:12", "thread (5, 0, 0); 1 failure in all");
    forget();
}
END_TEST

/* What is longer than the record has room for is cut, and nothing else suffers. */
START_TEST(long_names_are_cut) {
    char name[201], condition[601], file[401], text[2000], expected[512];
    memset(name, 'k', sizeof name - 1);
    memset(condition, '!', sizeof condition - 1);
    memset(file, 'f', sizeof file - 1);
    name[sizeof name - 1] = condition[sizeof condition - 1] = file[sizeof file - 1] = '\0';
    snprintf(text, sizeof text, "#include <weft.clh>\nkernel void %s(WEFT_ASSERTS) { weft_assert(%sfalse); }\n", name, condition);
    const weft_compile_options options = {.source_name = file};
    weft_function *function = NULL;
    OK(weft_compile_function(test_context(), text, name, &options, &function));
    OK(weft_enqueue_function(test_context(), function, 1, 1));
    snprintf(expected, sizeof expected, "kernel %.127s: assertion \"%.255s\"", name, condition);
    FAILS(WEFT_ERROR_EXECUTION_FAILED, weft_synchronize(test_context()));
    SAYS(expected);
    snprintf(expected, sizeof expected, "failed at %.255s:2, block", file);
    SAYS(expected);
    OK(weft_synchronize(test_context()));
    weft_function_release(function);
}
END_TEST

TESTS(first_failure_and_count, block_and_thread_in_three_dimensions, in_a_helper_function, several_kernels_on_one_context,
      each_context_has_its_own, released_before_it_is_told, found_where_nobody_can_be_told, other_calls_that_wait_tell_it,
      launched_from_several_threads, parameter_is_not_shown, condition_is_evaluated_once, ndebug_and_32_bit_index,
      long_names_are_cut)
