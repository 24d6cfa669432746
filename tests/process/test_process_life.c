/* Cases C76 and C77 from public reports: processes that fork, and processes that end while the library is in use.
 *
 * Each test starts programs of this folder (process/life and others in the build) and looks at how they end. On
 * PoCL they also run with an empty kernel cache, so that work is still being compiled when they leave.
 */
#include <ftw.h>
#include <limits.h>
#include <stdio.h>

#include "children.h"
#include "support.h"

static int remove_entry(const char *path, const struct stat *status, int kind, struct FTW *place) {
    (void)status, (void)kind, (void)place;
    return remove(path);
}

static void expect_right(const char *name, const char *first, const char *second) {
    expect_right_in(environ, name, first, second);
}

/* Also with no kernel compiled yet, where the driver keeps them. */
static void expect_right_warm_and_cold(const char *name, const char *first, const char *second) {
    char folder[] = "cold-XXXXXX", path[PATH_MAX], setting[PATH_MAX + 16];
    char *environment[1024] = {setting};
    size_t count = 1;
    expect_right(name, first, second);
    if (!on_driver("pocl")) return;
    ck_assert(mkdtemp(folder) && realpath(folder, path));
    snprintf(setting, sizeof setting, "POCL_CACHE_DIR=%s", path);
    for (char **variable = environ; *variable && count < 1023; variable++)
        if (strncmp(*variable, "POCL_CACHE_DIR=", 15) != 0) environment[count++] = *variable;
    expect_right_in(environment, name, first, second);
    nftw(folder, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

static void expect_life(const char *mode) { expect_right_warm_and_cold("life", mode, NULL); }

/* The process ends at these moments, in milliseconds after it has given the driver something to do. */
static void expect_life_while_working(const char *mode) {
    static const char *const moments[] = {"0", "20", "80"};
    for (int i = 0; i < 3; i++) expect_right_warm_and_cold("life", mode, moments[i]);
}

/* The process ends or forks at these moments after another thread has begun the first call. */
static void expect_life_while_loading(const char *mode) {
    static const char *const moments[] = {"0", "2", "5", "10", "20", "50", "100"};
    for (int i = 0; i < 7; i++) expect_right("life", mode, moments[i]);
}

/* ---- C77: exit and unload -------------------------------------------------------------------------- */

START_TEST(c77_exit_with_live_handles) {
    expect_life("live_handles");
    expect_life_while_working("live_handles_and_work");
}
END_TEST

START_TEST(c77_exit_after_release_in_flight) {
    expect_life("release_in_flight");
}
END_TEST

START_TEST(c77_release_in_an_early_atexit_handler) {
    expect_life("atexit_before_first_call");
}
END_TEST

START_TEST(c77_release_in_a_late_atexit_handler) {
    expect_life("atexit_after_first_call");
}
END_TEST

START_TEST(c77_release_in_static_destructors) {
    if (access(child_path("life_cxx"), X_OK) != 0) SKIP("built without a C++ compiler");
    expect_right_warm_and_cold("life_cxx", NULL, NULL);
}
END_TEST

START_TEST(c77_dlclose) {
    char plugin[PATH_MAX + 64];
    strcpy(plugin, child_path("plugin.so"));
    expect_right_warm_and_cold("loader", plugin, "close");
    expect_right_warm_and_cold("loader", plugin, "stay");
}
END_TEST

START_TEST(c77_exit_on_another_thread_during_a_kernel) {
    expect_life_while_working("exit_during_kernel");
}
END_TEST

START_TEST(c77_exit_on_another_thread_during_launches) {
    expect_life_while_working("exit_during_launches");
}
END_TEST

START_TEST(c77_exit_handlers_that_take_long) {
    expect_right("life", "exit_with_a_slow_handler", "20");
}
END_TEST

START_TEST(c77_exit_on_another_thread_during_create_and_release) {
    expect_life_while_working("exit_during_create_and_release");
}
END_TEST

START_TEST(c77_exit_during_compilation) {
    expect_life_while_working("exit_during_compilation");
}
END_TEST

START_TEST(c77_exit_during_the_first_call) {
    expect_life_while_loading("exit_during_first_call");
}
END_TEST

START_TEST(c77_main_thread_leaves_first) {
#ifdef UNDER_ADDRESS_SANITIZER
    SKIP("AddressSanitizer itself fails when the main thread ends by pthread_exit");
#endif
    expect_life("main_thread_leaves");
}
END_TEST

START_TEST(c77_context_before_its_buffers) {
    expect_life("context_before_buffers");
}
END_TEST

/* All are called before the process ends. */
START_TEST(c77_exit_with_host_functions_pending) {
    expect_life("host_functions_pending");
    expect_life("host_functions_released");
}
END_TEST

START_TEST(c77_exit_in_a_host_function) {
    expect_life("exit_in_a_host_function");
}
END_TEST

START_TEST(c66_a_first_launch_does_not_wait_for_a_host_function) {
    expect_life("first_launch_behind_a_host_function");
}
END_TEST

/* ---- C76: fork ---------------------------------------------------------------------------------------- */

START_TEST(c76_fork_before_any_use) {
    expect_right("life", "fork_before_use", NULL);
}
END_TEST

START_TEST(c76_fork_after_use) {
    expect_right("life", "fork_after_use", NULL);
}
END_TEST

START_TEST(c76_fork_while_threads_work) {
#ifdef UNDER_ADDRESS_SANITIZER
    SKIP("AddressSanitizer's allocator may be locked for ever in a child of a process with threads");
#endif
    expect_right("life", "fork_while_threads_work", NULL);
}
END_TEST

START_TEST(c76_fork_during_the_first_call) {
#ifdef UNDER_ADDRESS_SANITIZER
    SKIP("AddressSanitizer's allocator may be locked for ever in a child of a process with threads");
#endif
    expect_life_while_loading("fork_during_first_call");
}
END_TEST

TESTS(c77_exit_with_live_handles, c77_exit_after_release_in_flight, c77_release_in_an_early_atexit_handler,
      c77_release_in_a_late_atexit_handler, c77_release_in_static_destructors, c77_dlclose,
      c77_exit_on_another_thread_during_a_kernel, c77_exit_on_another_thread_during_launches,
      c77_exit_handlers_that_take_long, c77_exit_on_another_thread_during_create_and_release, c77_exit_during_compilation, c77_exit_during_the_first_call,
      c77_main_thread_leaves_first, c77_context_before_its_buffers,
      c77_exit_with_host_functions_pending, c77_exit_in_a_host_function,
      c66_a_first_launch_does_not_wait_for_a_host_function, c76_fork_before_any_use, c76_fork_after_use,
      c76_fork_while_threads_work, c76_fork_during_the_first_call)
