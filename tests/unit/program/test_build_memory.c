/* program/build_memory: what is remembered, and what is forgotten. On the driver that does nothing, whose builds
 * take no time. */
#include <limits.h>
#include <stdio.h>
#include <unistd.h>

#include "support.h"

#include "context/context.h"
#include "program/build.h"

enum { REMEMBERED = 256 };

static char icd_file[] = "/tmp/weft-null-XXXXXX.icd";

/* Before anything looks for drivers. */
__attribute__((constructor)) static void choose_driver(void) {
    char self[PATH_MAX] = "";
    int file = mkstemps(icd_file, 4);
    if (file < 0 || readlink("/proc/self/exe", self, sizeof self - 1) < 0) {
        abort();
    }
    *strrchr(self, '/') = '\0';
    dprintf(file, "%s/bench/libweft_null_driver.so\n", self);
    close(file);
    setenv("OCL_ICD_VENDORS", icd_file, 1);
    setenv("WEFT_CACHE", "0", 1);
}

__attribute__((destructor)) static void remove_file(void) {
    unlink(icd_file);
}

/* The build of the nth source, with a reference. */
static build *get(weft_context *context, int n, const char *options) {
    char source[64];
    assembled text = {0};
    build *got = NULL;
    snprintf(source, sizeof source, "kernel void f(global int *x) { x[0] = %d; }\n", n);
    OK(assemble_source(source, NULL, &text));
    OK(build_get(context->device, &text, options, &got));
    assembled_free(&text);
    return got;
}

START_TEST(the_same_source_is_one_build) {
    build *first = get(test_context(), 0, BUILD_ARG_INFO), *again = get(test_context(), 0, BUILD_ARG_INFO);
    build *optioned = get(test_context(), 0, BUILD_ARG_INFO " -cl-fast-relaxed-math"), *other = get(test_context(), 1, BUILD_ARG_INFO);
    ck_assert_ptr_eq(first, again);
    ck_assert_ptr_ne(first, optioned);
    ck_assert_ptr_ne(first, other);
    ck_assert_ptr_ne(optioned, other);
    build_release(first);
    build_release(again);
    build_release(optioned);
    build_release(other);
}
END_TEST

/* As many as are remembered stay, whichever order they are used in; one more drops the one used longest ago. */
START_TEST(the_least_recently_used_is_forgotten) {
    build *builds[REMEMBERED + 1];
    for (int i = 0; i < REMEMBERED; i++) {
        builds[i] = get(test_context(), i, BUILD_ARG_INFO);
    }
    for (int i = REMEMBERED - 1; i >= 0; i--) { /* now the last source is the one used longest ago */
        build *again = get(test_context(), i, BUILD_ARG_INFO);
        ck_assert_ptr_eq(again, builds[i]);
        build_release(again);
    }
    builds[REMEMBERED] = get(test_context(), REMEMBERED, BUILD_ARG_INFO);
    for (int i = 0; i < REMEMBERED - 1; i++) {
        build *again = get(test_context(), i, BUILD_ARG_INFO);
        ck_assert_msg(again == builds[i], "source %d was compiled again", i);
        build_release(again);
    }
    build *forgotten = get(test_context(), REMEMBERED - 1, BUILD_ARG_INFO);
    ck_assert_ptr_ne(forgotten, builds[REMEMBERED - 1]);
    ck_assert_str_eq(builds[REMEMBERED - 1]->kernels[0].name, "f"); /* the old one lives while it is held */
    build_release(forgotten);
    for (int i = 0; i <= REMEMBERED; i++) {
        build_release(builds[i]);
    }
}
END_TEST

TESTS(the_same_source_is_one_build, the_least_recently_used_is_forgotten)
