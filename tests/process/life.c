/* Processes that end in every way a program may: life MODE [DELAY_MS]. See test_process_life.c.
 *
 * A mode returns, and the process then leaves main, or it ends the process itself.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

#include "child.h"

static unsigned delay_ms;

static struct {
    weft_context *context, *stream;
    weft_device_buffer *buffer, *view;
    weft_host_buffer *host;
    weft_program *program;
    weft_function *mark, *slow;
    weft_event *event;
} live; /* not on a stack: a leak checker finds what it refers to at exit */

static void sleep_ms(unsigned ms) {
    nanosleep(&(struct timespec){ms / 1000, (long)(ms % 1000) * 1000000}, NULL);
}

static void sleep_for_ever(void) {
    for (;;) pause();
}

static void make_context(void) { EXPECT(weft_context_create(NULL, &live.context) == WEFT_OK); }

static void make_handles(void) {
    make_context();
    EXPECT(weft_context_create_stream(live.context, NULL, &live.stream) == WEFT_OK);
    EXPECT(weft_enqueue_create_buffer(live.context, WEFT_UINT32, 64, &live.buffer) == WEFT_OK);
    EXPECT(weft_device_buffer_create_sub_buffer(live.buffer, WEFT_INT32, 32, 32, &live.view) == WEFT_OK);
    EXPECT(weft_enqueue_create_host_buffer(live.stream, WEFT_UINT32, 64, &live.host) == WEFT_OK);
    EXPECT(weft_compile_program(live.context, child_source, NULL, &live.program) == WEFT_OK);
    EXPECT(weft_program_function(live.program, "mark", &live.mark) == WEFT_OK);
    EXPECT(weft_program_function(live.program, "slow", &live.slow) == WEFT_OK);
    EXPECT(weft_event_create(live.context, NULL, &live.event) == WEFT_OK);
    EXPECT(weft_event_record(live.event, live.stream) == WEFT_OK);
    EXPECT(weft_enqueue_fill(live.buffer, 1) == WEFT_OK);
}

/* Contexts first: everything else outlives them. */
static void release_handles(void) {
    weft_context_release(live.context);
    weft_context_release(live.stream);
    weft_program_release(live.program);
    weft_function_release(live.slow);
    weft_function_release(live.mark);
    weft_device_buffer_release(live.buffer);
    weft_device_buffer_release(live.view);
    weft_host_buffer_release(live.host);
    weft_event_release(live.event);
}

static bool is_emulated(void) {
    const char *api = weft_context_api(live.context);
    return strcmp(api, "oclgrind") == 0 || strcmp(api, "rusticl") == 0;
}

enum { STEPS = 20000 }; /* rusticl stops loops at 65,535 rounds */

static int launches(void) { return is_emulated() ? 20 : 2000; }

static uint32_t after_busy(void) {
    uint32_t v = 1;
    for (int i = 0; i < launches() * STEPS; i++) v = v * 1664525u + (v >> 7) + 1013904223u;
    return v;
}

/* Tenths of a second of kernels that depend on each other, and a copy behind them. */
static void keep_busy(void) {
    for (int i = 0; i < launches(); i++) EXPECT(weft_enqueue_function(live.context, live.slow, 1, 1, live.buffer, STEPS) == WEFT_OK);
    EXPECT(weft_enqueue_copy(live.context, live.host, live.buffer) == WEFT_OK);
}

static pthread_t start(void *(*body)(void *)) {
    pthread_t thread;
    EXPECT(pthread_create(&thread, NULL, body, NULL) == 0);
    return thread;
}

/* ---- Leaving ------------------------------------------------------------------------------------- */

static void work(void) {
    make_context();
    child_work(live.context);
    weft_context_release(live.context);
}

static void live_handles(void) {
    make_handles();
    child_work(live.context);
}

static void live_handles_and_work(void) {
    make_handles();
    keep_busy();
    sleep_ms(delay_ms);
}

static void release_in_flight(void) {
    make_handles();
    keep_busy();
    release_handles();
}

static void context_before_buffers(void) {
    uint32_t out = 0;
    make_handles();
    keep_busy();
    const uint32_t expected = after_busy();
    weft_context_release(live.context);
    weft_context_release(live.stream);
    EXPECT(weft_device_buffer_context(live.buffer) == live.context);
    EXPECT(weft_enqueue_copy_range(live.context, &out, 0, live.buffer, 0, 1) == WEFT_OK);
    EXPECT(weft_synchronize(live.context) == WEFT_OK);
    EXPECT(out == expected && *(uint32_t *)weft_host_buffer_data(live.host) == expected);
    live.context = live.stream = NULL; /* the buffers' now */
    release_handles();
}

/* The library has shut by now: a release does nothing, a call says so, and none reaches the driver. */
static void release_after_shutdown(void) {
    size_t free_bytes, total_bytes;
    EXPECT(weft_number_of_devices(NULL) == 0);
    EXPECT(!weft_has_accelerator());
    EXPECT(weft_synchronize(live.context) == WEFT_ERROR_DRIVER);
    EXPECT(weft_context_get_memory_info(live.context, &free_bytes, &total_bytes) == WEFT_ERROR_DRIVER);
    EXPECT(weft_device_buffer_length(live.buffer) == 64);
    release_handles();
}

static void atexit_before_first_call(void) {
    EXPECT(atexit(release_after_shutdown) == 0);
    make_handles();
    keep_busy();
}

/* Handlers run last come, first served: this one before any that the library or a driver has registered. */
static void atexit_after_first_call(void) {
    make_handles();
    keep_busy();
    EXPECT(atexit(release_after_shutdown) == 0);
}

/* ---- exit() on another thread ---------------------------------------------------------------------- */

/* Only exit() on the main thread tells the library before PoCL's compiler is taken down: elsewhere a kernel must have
 * been compiled by then. */
static void make_compiled_handles(void) {
    make_handles();
    EXPECT(weft_enqueue_function(live.context, live.slow, 1, 1, live.buffer, 1) == WEFT_OK);
    EXPECT(weft_synchronize(live.context) == WEFT_OK);
}

static void *exit_soon(void *unused) {
    (void)unused;
    sleep_ms(delay_ms);
    exit(ALL_RIGHT);
}

static void exit_during_kernel(void) {
    make_compiled_handles();
    keep_busy();
    start(exit_soon);
    WEFT_IGNORE(weft_synchronize(live.context));
    sleep_for_ever();
}

/* Whatever the calls return, they must not fault, nor keep the process from ending. */
static void exit_during_launches(void) {
    make_compiled_handles();
    start(exit_soon);
    for (;;) {
        for (int i = 0; i < 100; i++) WEFT_IGNORE(weft_enqueue_function(live.context, live.slow, 1, 1, live.buffer, 100));
        WEFT_IGNORE(weft_synchronize(live.context));
    }
}

static void *launch_for_ever(void *unused) {
    (void)unused;
    for (;;) {
        for (int i = 0; i < 10; i++) WEFT_IGNORE(weft_enqueue_function(live.context, live.slow, 1, 1, live.buffer, 100));
        WEFT_IGNORE(weft_synchronize(live.context));
    }
    return NULL;
}

static void take_long(void) { sleep_ms(800); }

/* The program's own handlers run first, for longer than a call on another thread lets itself be held back. */
static void exit_with_a_slow_handler(void) {
    make_compiled_handles();
    EXPECT(atexit(take_long) == 0);
    start(launch_for_ever);
    sleep_ms(delay_ms);
}

static void exit_during_create_and_release(void) {
    make_compiled_handles();
    start(exit_soon);
    for (;;) {
        weft_context *stream = NULL;
        weft_device_buffer *buffer = NULL;
        WEFT_IGNORE(weft_context_create_stream(live.context, NULL, &stream));
        WEFT_IGNORE(weft_enqueue_create_buffer(stream, WEFT_UINT32, 64, &buffer));
        WEFT_IGNORE(weft_enqueue_fill(buffer, 1));
        weft_device_buffer_release(buffer);
        weft_context_release(stream);
    }
}

/* A program that keeps a compiler busy for a while, another one each time. */
static void compile_much(int round) {
    char source[20000];
    size_t length = 0;
    for (int i = 0; i < 60; i++) {
        length += (size_t)snprintf(source + length, sizeof source - length,
                                   "kernel void k%d_%d(global float *x, int n) {\n"
                                   "    for (int i = 0; i < n; i++) x[i] = sqrt(x[i] * %d.5f + sin(x[n - i]));\n"
                                   "}\n", round, i, i);
    }
    weft_program *program = NULL;
    WEFT_IGNORE(weft_compile_program(live.context, source, NULL, &program));
    weft_program_release(program);
}

static void *compile_for_ever(void *unused) {
    (void)unused;
    for (int round = 0;; round++) compile_much(round);
    return NULL;
}

static void exit_during_compilation(void) {
    make_context();
    start(compile_for_ever);
    sleep_ms(delay_ms);
}

static void *first_call(void *unused) {
    (void)unused;
    weft_number_of_devices(NULL);
    sleep_for_ever();
    return NULL;
}

static void exit_during_first_call(void) {
    start(first_call);
    sleep_ms(delay_ms);
}

static void *work_on(void *unused) {
    (void)unused;
    sleep_ms(20);
    child_work(live.context);
    exit(ALL_RIGHT);
}

/* The end of the main thread is not the end of the process. */
static void main_thread_leaves(void) {
    make_handles();
    keep_busy();
    start(work_on);
    pthread_exit(NULL);
}

/* ---- Host functions ---------------------------------------------------------------------------------- */

enum { FUNCTIONS = 6 };
static atomic_int called;
static atomic_bool all_enqueued;

static void take_some_time(void *unused) {
    (void)unused;
    sleep_ms(10);
    atomic_fetch_add(&called, 1);
}

static void expect_all_called(void) {
    if (atomic_load(&called) != FUNCTIONS) {
        fprintf(stderr, "%d of %d host functions were called\n", atomic_load(&called), FUNCTIONS);
        _exit(1);
    }
}

/* On two queues, one behind the other. */
static void enqueue_functions(void) {
    EXPECT(atexit(expect_all_called) == 0); /* runs after the library's own handler */
    make_handles();
    for (int i = 0; i < FUNCTIONS - 1; i++) EXPECT(weft_enqueue_host_func(live.context, take_some_time, NULL) == WEFT_OK);
    EXPECT(weft_enqueue_wait_for(live.stream, live.context) == WEFT_OK);
    EXPECT(weft_enqueue_host_func(live.stream, take_some_time, NULL) == WEFT_OK);
}

static void host_functions_pending(void) { enqueue_functions(); }

static void host_functions_released(void) {
    enqueue_functions();
    release_handles();
}

static void not_called(void *unused) {
    (void)unused;
    _exit(1);
}

static void leave(void *unused) {
    (void)unused;
    while (!atomic_load(&all_enqueued)) sleep_ms(1);
    exit(ALL_RIGHT);
}

/* Both queues wait for the function, and the main thread for them. Where functions run in the call, it exits there. */
static void exit_in_a_host_function(void) {
    make_compiled_handles();
    atomic_store(&all_enqueued, is_emulated());
    EXPECT(weft_enqueue_host_func(live.context, leave, NULL) == WEFT_OK);
    keep_busy();
    EXPECT(weft_enqueue_host_func(live.context, not_called, NULL) == WEFT_OK);
    EXPECT(weft_enqueue_wait_for(live.stream, live.context) == WEFT_OK);
    EXPECT(weft_enqueue_copy(live.stream, live.host, live.buffer) == WEFT_OK);
    atomic_store(&all_enqueued, true);
    WEFT_IGNORE(weft_synchronize(live.stream));
    sleep_for_ever();
}

static void wait_until_enqueued(void *unused) {
    (void)unused;
    while (!atomic_load(&all_enqueued)) sleep_ms(1);
}

/* No launch waits for what is before it, not even a process's first. */
static void first_launch_behind_a_host_function(void) {
    make_handles();
    atomic_store(&all_enqueued, is_emulated());
    EXPECT(weft_enqueue_host_func(live.context, wait_until_enqueued, NULL) == WEFT_OK);
    keep_busy();
    atomic_store(&all_enqueued, true);
    EXPECT(weft_synchronize(live.context) == WEFT_OK);
    EXPECT(*(uint32_t *)weft_host_buffer_data(live.host) == after_busy());
}

/* ---- Fork -------------------------------------------------------------------------------------------- */

/* A forked child that runs body must exit with ALL_RIGHT. */
static void expect_child(void (*body)(void)) {
    int status = 0;
    pid_t child = fork();
    EXPECT(child >= 0);
    if (child == 0) {
        child_begin();
        body();
        exit(ALL_RIGHT);
    }
    EXPECT(waitpid(child, &status, 0) == child);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != ALL_RIGHT) {
        fprintf(stderr, "the forked child ended with wait status %#x\n", (unsigned)status);
        _exit(1);
    }
}

static void fork_before_use(void) {
    EXPECT(strcmp(weft_status_name(WEFT_OK), "WEFT_OK") == 0 && weft_version()[0] && !weft_error_message()[0]);
    expect_child(work);
    expect_child(live_handles_and_work);
    work();
}

#define REFUSED(call) EXPECT((call) == WEFT_ERROR_FORKED && strstr(weft_error_message(), "fork"))

static weft_status no_text(void *user, const char *text, size_t size_bytes) {
    (void)user, (void)text, (void)size_bytes;
    return WEFT_OK;
}

static void expect_buffers_refused(void) {
    int32_t host[64] = {0};
    weft_device_buffer *buffer = NULL;
    weft_host_buffer *host_buffer = NULL;
    weft_device_ptr pointer;
    REFUSED(weft_enqueue_create_buffer(live.context, WEFT_INT32, 1, &buffer));
    REFUSED(weft_create_buffer_sync(live.context, WEFT_INT32, 1, &buffer));
    REFUSED(weft_enqueue_create_host_buffer(live.context, WEFT_INT32, 1, &host_buffer));
    REFUSED(weft_wrap_host_memory(live.context, WEFT_INT32, host, 64, &host_buffer));
    REFUSED(weft_device_buffer_create_sub_buffer(live.buffer, WEFT_INT32, 0, 1, &buffer));
    REFUSED(weft_host_buffer_create_sub_buffer(live.host, WEFT_INT32, 0, 1, &host_buffer));
    REFUSED(weft_device_buffer_reassign_ownership_to(live.buffer, live.stream));
    REFUSED(weft_device_buffer_unsafe_ptr(live.buffer, &pointer));
    REFUSED(weft_device_buffer_take_ptr(live.buffer, &pointer));
    REFUSED(weft_wrap_device_ptr(live.context, pointer, WEFT_INT32, 1, false, &buffer));
    REFUSED(weft_device_buffer_map_to_host(live.buffer, &host_buffer));
    REFUSED(weft_device_buffer_unmap(live.buffer, live.host));
    REFUSED(weft_device_buffer_write_to(live.buffer, stdout));
    REFUSED(weft_host_buffer_write_to(live.host, stdout));
    REFUSED(weft_device_buffer_write_with(live.buffer, no_text, NULL));
    REFUSED(weft_host_buffer_write_with(live.host, no_text, NULL));
    REFUSED(weft_enqueue_fill(live.buffer, 1));
    REFUSED(weft_enqueue_fill_range(live.buffer, 0, 1, 1));
    REFUSED(weft_enqueue_fill_bytes(live.buffer, 0, host, 4, 1));
    REFUSED(weft_enqueue_copy(live.context, live.host, live.buffer));
    REFUSED(weft_enqueue_copy_range(live.context, live.host, 0, live.buffer, 0, 1));
    REFUSED(weft_device_buffer_enqueue_copy_to(live.buffer, live.host));
    REFUSED(weft_device_buffer_enqueue_copy_from(live.buffer, live.host));
    REFUSED(weft_host_buffer_enqueue_copy_to(live.host, live.buffer));
    REFUSED(weft_host_buffer_enqueue_copy_from(live.host, live.buffer));
    EXPECT(!buffer && !host_buffer);
}

static void expect_functions_refused(void) {
    weft_program *program = NULL;
    weft_function *function = NULL;
    weft_arg_info info;
    weft_dim grid, block;
    int64_t value;
    REFUSED(weft_compile_program(live.context, child_source, NULL, &program));
    REFUSED(weft_compile_function(live.context, child_source, "mark", NULL, &function));
    REFUSED(weft_program_function(live.program, "mark", &function));
    REFUSED(weft_function_arg_info(live.mark, 0, &info));
    REFUSED(weft_function_get_attribute(live.mark, WEFT_FUNCTION_MAX_THREADS_PER_BLOCK, &value));
    REFUSED(weft_function_suggest_launch(live.mark, 1, &grid, &block));
    REFUSED(weft_enqueue_function(live.context, live.mark, 1, 1, live.buffer));
    REFUSED(weft_enqueue_function_once(live.context, child_source, "mark", 1, 1, live.buffer));
    EXPECT(!program && !function);
}

static weft_status not_measured(weft_context *context, size_t iteration, void *unused) {
    (void)context, (void)iteration;
    not_called(unused);
    return WEFT_OK;
}

static void expect_order_refused(void) {
    weft_event *event = NULL;
    uint64_t ns;
    int least, greatest;
    bool done;
    REFUSED(weft_context_stream_priority_range(live.context, &least, &greatest));
    REFUSED(weft_enqueue_host_func(live.context, not_called, NULL));
    REFUSED(weft_execution_time(live.context, not_measured, NULL, 1, &ns));
    REFUSED(weft_event_create(live.context, NULL, &event));
    REFUSED(weft_event_record(live.event, live.context));
    REFUSED(weft_enqueue_wait_for_event(live.context, live.event));
    REFUSED(weft_event_synchronize(live.event));
    REFUSED(weft_event_query(live.event, &done));
    REFUSED(weft_event_elapsed_ns(live.event, live.event, &ns));
    EXPECT(!event);
}

static void expect_contexts_refused(void) {
    weft_context *context = NULL;
    weft_device_info info;
    size_t free_bytes, total_bytes;
    int64_t value;
    REFUSED(weft_context_create(NULL, &context));
    REFUSED(weft_context_create_stream(live.context, NULL, &context));
    REFUSED(weft_context_get_attribute(live.context, WEFT_DEVICE_MAX_THREADS_PER_BLOCK, &value));
    REFUSED(weft_context_get_memory_info(live.context, &free_bytes, &total_bytes));
    REFUSED(weft_flush(live.context));
    REFUSED(weft_synchronize(live.context));
    REFUSED(weft_enqueue_wait_for(live.context, live.stream));
    REFUSED(weft_device_get_info(NULL, 0, &info));
    EXPECT(weft_number_of_devices(NULL) == 0 && !weft_has_accelerator() && !weft_has_nvidia_gpu_accelerator());
    EXPECT(!context);
}

/* Some drivers' own exit handlers wait for threads that only the parent has. */
static void leave_fork(void) {
    const char *api = weft_context_api(live.context);
    if (strcmp(api, "rusticl") == 0 || strcmp(api, "intel") == 0) {
        _exit(ALL_RIGHT);
    }
    exit(ALL_RIGHT);
}

/* Every call that could touch the driver; then handles that the parent still uses are let go. */
static void expect_refused(void) {
    expect_contexts_refused();
    expect_order_refused();
    expect_buffers_refused();
    expect_functions_refused();
    EXPECT(weft_device_buffer_length(live.buffer) == 64 && weft_host_buffer_data(live.host));
    EXPECT(weft_context_retain(live.context) == live.context);
    EXPECT(weft_device_buffer_context(live.buffer) == live.context);
    release_handles();
    leave_fork();
}

static void fork_of_a_fork(void) {
    expect_child(expect_refused);
    leave_fork();
}

static const char *self_path;

static void exec_work(void) {
    execl(self_path, self_path, "work", (char *)NULL);
    EXPECT(!"exec");
}

static void fork_after_use(void) {
    make_handles();
    keep_busy();
    expect_child(expect_refused);
    expect_child(fork_of_a_fork);
    expect_child(exec_work);
    EXPECT(weft_synchronize(live.context) == WEFT_OK);
    EXPECT(*(uint32_t *)weft_host_buffer_data(live.host) == after_busy());
    child_work(live.context);
    release_handles();
    work();
}

static atomic_bool stop;

static void *work_until_stopped(void *unused) {
    (void)unused;
    while (!stop) child_work(live.context);
    return NULL;
}

static void *ask_until_stopped(void *unused) {
    (void)unused;
    while (!stop) EXPECT(weft_device_buffer_context(live.buffer) == live.context);
    return NULL;
}

/* The forks find the library's locks taken: the child must not wait for them. */
static void fork_while_threads_work(void) {
    make_handles();
    pthread_t threads[] = {start(work_until_stopped), start(ask_until_stopped)};
    for (int i = 0; i < 50; i++) expect_child(expect_refused);
    stop = true;
    for (int i = 0; i < 2; i++) EXPECT(pthread_join(threads[i], NULL) == 0);
    child_work(live.context);
    release_handles();
}

/* Whether the drivers were in use yet is for the library to say; it may not hang over it. */
static void expect_all_or_nothing(void) {
    if (weft_number_of_devices(NULL) > 0) {
        work();
        return;
    }
    REFUSED(weft_context_create(NULL, &live.context));
    _exit(ALL_RIGHT); /* the parent's drivers are half loaded: their exit handlers are not what this is about */
}

static void fork_during_first_call(void) {
    start(first_call);
    sleep_ms(delay_ms);
    expect_child(expect_all_or_nothing);
    work();
}

/* ---- Modes ----------------------------------------------------------------------------------------- */

#define MODE(name) {#name, name}

int main(int argc, char **argv) {
    static const struct {
        const char *name;
        void (*run)(void);
    } modes[] = {MODE(work), MODE(live_handles), MODE(live_handles_and_work), MODE(release_in_flight),
                 MODE(context_before_buffers), MODE(atexit_before_first_call), MODE(atexit_after_first_call),
                 MODE(exit_during_kernel), MODE(exit_during_launches), MODE(exit_during_create_and_release),
                 MODE(exit_during_compilation), MODE(exit_during_first_call), MODE(exit_with_a_slow_handler),
                 MODE(main_thread_leaves), MODE(host_functions_pending), MODE(host_functions_released),
                 MODE(exit_in_a_host_function), MODE(first_launch_behind_a_host_function),
                 MODE(fork_before_use), MODE(fork_after_use), MODE(fork_while_threads_work),
                 MODE(fork_during_first_call)};
    self_path = argv[0];
    delay_ms = argc > 2 ? (unsigned)atoi(argv[2]) : 0;
    child_begin();
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        if (argc > 1 && strcmp(modes[i].name, argv[1]) == 0) {
            modes[i].run();
            return ALL_RIGHT;
        }
    }
    fprintf(stderr, "usage: life MODE [DELAY_MS]\n");
    return 2;
}
