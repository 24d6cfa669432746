/* WEFT_TRACE, and processes that end, crash and fork while a trace runs. */
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../process/no_leak_check.h"
#include "trace_file.h"

#if defined(__SANITIZE_THREAD__)
#define UNDER_THREAD_SANITIZER
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define UNDER_THREAD_SANITIZER
#endif
#endif

static const char source[] = "kernel void twice(global int *a) { a[get_global_id(0)] *= 2; }";

enum { N = 1024 };

extern char **environ;

/* This program starts itself again with the case in its environment, and the constructor runs before main would. */
static const char child_variable[] = "TRACE_TEST_CHILD";

static void child_work(bool synchronize) {
    weft_context *context;
    weft_function *twice;
    weft_device_buffer *x;
    WEFT_CHECK(weft_context_create(NULL, &context));
    WEFT_CHECK(weft_compile_function(context, source, "twice", NULL, &twice));
    WEFT_CHECK(weft_enqueue_create_buffer(context, WEFT_INT32, N, &x));
    for (int i = 0; i < 5; i++) {
        WEFT_CHECK(weft_enqueue_function(context, twice, N / 64, 64, x));
    }
    if (synchronize) {
        WEFT_CHECK(weft_synchronize(context));
    }
}

/* The child of a fork has no trace: its calls are refused, its exit leaves the parent's file alone. */
static void child_forks(void) {
    child_work(true);
    pid_t pid = fork();
    if (pid == 0) {
        bool refused = weft_synchronize(NULL) == WEFT_ERROR_FORKED && weft_trace_stop() == WEFT_ERROR_FORKED;
        exit(refused ? 0 : 1);
    }
    int status = 1;
    if (waitpid(pid, &status, 0) != pid || status != 0) _exit(3);
    child_work(true);
}

/* It had not used the driver yet: the child may do so, with a trace of its own. */
static void child_forks_early(void) {
    WEFT_CHECK(weft_trace_start("parent.json"));
    WEFT_IGNORE(weft_flush(NULL));
    pid_t pid = fork();
    if (pid == 0) {
        WEFT_CHECK(weft_trace_stop()); /* it has none */
        WEFT_CHECK(weft_trace_start("child.json"));
        WEFT_IGNORE(weft_flush(NULL));
        WEFT_CHECK(weft_trace_stop());
        exit(0);
    }
    int status = 1;
    if (waitpid(pid, &status, 0) != pid || status != 0) _exit(3);
    WEFT_IGNORE(weft_flush(NULL));
    WEFT_CHECK(weft_trace_stop());
}

static void child_is_untraced(void) {
    child_work(true);
    if (weft_trace_stop() != WEFT_ERROR_IO || !strstr(weft_error_message(), "no_such_folder") ||
        !strstr(weft_error_message(), "WEFT_TRACE")) {
        _exit(4);
    }
    WEFT_CHECK(weft_trace_stop());
}

/* Long enough after its work for the file to have it. */
static void child_crashes(void) {
    child_work(true);
    nanosleep(&(struct timespec){0, 500000000}, NULL);
    raise(SIGKILL);
}

__attribute__((constructor)) static void be_the_child(void) {
    const char *mode = getenv(child_variable);
    if (!mode) return;
    if (strcmp(mode, "in_flight") == 0) child_work(false);
    if (strcmp(mode, "synchronized") == 0) child_work(true);
    if (strcmp(mode, "no_context") == 0) WEFT_IGNORE(weft_flush(NULL));
    if (strcmp(mode, "forks") == 0) child_forks();
    if (strcmp(mode, "forks_early") == 0) child_forks_early();
    if (strcmp(mode, "untraced") == 0) child_is_untraced();
    if (strcmp(mode, "crashes") == 0) child_crashes();
    exit(0);
}

/* Returns the child's process id; its status is as expected. */
static pid_t run_child(const char *mode, const char *trace, int signal_expected) {
    char self[PATH_MAX] = "", child[64], setting[PATH_MAX];
    ck_assert_int_gt(readlink("/proc/self/exe", self, sizeof self - 1), 0);
    char *arguments[] = {self, NULL}, *environment[1024] = {child};
    size_t n = 1;
    snprintf(child, sizeof child, "%s=%s", child_variable, mode);
    if (trace) {
        snprintf(setting, sizeof setting, "WEFT_TRACE=%s", trace);
        environment[n++] = setting;
    }
    for (char **variable = environ; *variable && n < 1023; variable++) environment[n++] = *variable;
    pid_t pid = 0;
    int status = 0;
    ck_assert_int_eq(posix_spawn(&pid, self, NULL, NULL, arguments, environment), 0);
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    if (signal_expected) {
        ck_assert_msg(WIFSIGNALED(status) && WTERMSIG(status) == signal_expected, "%s: status %x", mode, status);
    } else {
        ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == 0, "%s: status %x", mode, status);
    }
    return pid;
}

static void check_child_file(const char *file, size_t kernels, bool whole) {
    trace_file t = trace_read(file, whole);
    ck_assert_uint_eq(count(&t, 'X', "kernel"), kernels);
    ck_assert_uint_gt(count(&t, 'X', "call"), 0);
    check_head(&t);
    check_queues(&t);
    check_flows(&t);
    trace_free(&t);
}

START_TEST(the_environment_traces_a_program) {
    run_child("synchronized", "child.json", 0);
    check_child_file("child.json", 5, true);
    char name[64];
    snprintf(name, sizeof name, "child-%d.json", (int)run_child("synchronized", "child-%p.json", 0));
    check_child_file(name, 5, true);
}
END_TEST

START_TEST(exit_ends_the_file) {
    run_child("in_flight", "child.json", 0);
    check_child_file("child.json", 5, true);
    run_child("no_context", "child.json", 0);
    trace_file t = trace_read("child.json", true);
    ck_assert_uint_eq(count(&t, 'X', "call"), 1);
    check_head(&t);
    trace_free(&t);
}
END_TEST

START_TEST(a_crash_leaves_what_was_written) {
    run_child("crashes", "child.json", SIGKILL);
    check_child_file("child.json", 5, false);
}
END_TEST

START_TEST(forked_children_leave_the_file_alone) {
    run_child("forks", "child.json", 0);
    trace_file t = trace_read("child.json", true);
    ck_assert_uint_eq(count(&t, 'X', "kernel"), 10);
    trace_free(&t);
}
END_TEST

START_TEST(a_fork_before_the_driver_may_trace) {
#ifdef UNDER_THREAD_SANITIZER
    SKIP("ThreadSanitizer does not survive a thread that the child of a fork starts");
#endif
    run_child("forks_early", NULL, 0);
    trace_file parent = trace_read("parent.json", true), child = trace_read("child.json", true);
    ck_assert_uint_eq(count(&parent, 'X', "call"), 2);
    ck_assert_uint_eq(count(&child, 'X', "call"), 1);
    trace_free(&parent);
    trace_free(&child);
}
END_TEST

START_TEST(a_bad_path_breaks_no_program) {
    run_child("untraced", "no_such_folder/child.json", 0);
    run_child("synchronized", "", 0);
    run_child("synchronized", "no_such_folder/child.json", 0);
}
END_TEST

/* Cut off at any byte, the lines before are whole. */
START_TEST(a_file_that_was_cut_off) {
    run_child("synchronized", "child.json", 0);
    char *text = read_text("child.json");
    size_t length = strlen(text), events = 0;
    for (size_t cut = 2; cut < length; cut += 97) {
        FILE *stream = fopen("cut.json", "w");
        ck_assert(stream && fwrite(text, 1, cut, stream) == cut && fclose(stream) == 0);
        trace_file t = trace_read("cut.json", false);
        ck_assert_uint_ge(t.count, events);
        events = t.count;
        trace_free(&t);
    }
    ck_assert_uint_gt(events, 20);
    free(text);
}
END_TEST

TESTS(the_environment_traces_a_program, exit_ends_the_file, a_crash_leaves_what_was_written, forked_children_leave_the_file_alone,
      a_fork_before_the_driver_may_trace, a_bad_path_breaks_no_program, a_file_that_was_cut_off)
