/* The timeline: what a traced program did is in its file, each thing once, and in an order that can have been. */
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "trace_file.h"

static const char source[] =
    "kernel void twice(global int *a) { a[get_global_id(0)] *= 2; }\n"
    "kernel void add_into(global int *a, const global int *b, int c) {\n"
    "    size_t i = (get_global_id(2) * get_global_size(1) + get_global_id(1)) * get_global_size(0) + get_global_id(0);\n"
    "    a[i] += b[i] + c;\n"
    "}\n";

static const char path[] = "trace.json"; /* each run has a folder of its own */

/* What was enqueued by a thread before its synchronize had ended when that returned. */
static void check_synchronized(const trace_file *t, const event *synchronize, unsigned pid, unsigned tid) {
    for (size_t i = 0; i < t->count; i++) {
        const event *command = &t->events[i];
        if (!is_command(command) || command->pid != pid || command->tid != tid) continue;
        ck_assert_msg(command->end <= synchronize->end, "%s ended %llu ns after the synchronize", command->name,
                      (unsigned long long)(command->end - synchronize->end));
    }
}

/* ---- A small program ------------------------------------------------------------------------------- */

enum { N = 1024 };

typedef struct scene {
    weft_context *a, *b;
    weft_function *twice, *add_into;
    weft_device_buffer *x, *y;
    weft_host_buffer *host;
} scene;

static scene open_scene(void) {
    scene s;
    OK(weft_context_create(NULL, &s.a));
    OK(weft_context_create_stream(s.a, NULL, &s.b));
    OK(weft_compile_function(s.a, source, "twice", NULL, &s.twice));
    OK(weft_compile_function(s.a, source, "add_into", NULL, &s.add_into));
    OK(weft_enqueue_create_buffer(s.a, WEFT_INT32, N, &s.x));
    OK(weft_enqueue_create_buffer(s.a, WEFT_INT32, N, &s.y));
    OK(weft_enqueue_create_host_buffer(s.a, WEFT_INT32, N, &s.host));
    return s;
}

static void close_scene(scene *s) {
    weft_host_buffer_release(s->host);
    weft_device_buffer_release(s->y);
    weft_device_buffer_release(s->x);
    weft_function_release(s->add_into);
    weft_function_release(s->twice);
    weft_context_release(s->b);
    weft_context_release(s->a);
}

static int32_t pageable[N];

/* One command of each kind; the queue of a has eight, that of b two. */
static void run_scene(const scene *s) {
    OK(weft_enqueue_fill(s->x, 3));
    OK(weft_enqueue_copy(s->a, s->y, s->x));
    OK(weft_enqueue_function(s->a, s->twice, WEFT_DIM(N / 64), WEFT_DIM(64), s->x));
    OK(weft_enqueue_function(s->a, s->add_into, WEFT_DIM(4, 2, 2), WEFT_DIM(8, 4, 2), s->x, s->y, 1));
    OK(weft_enqueue_copy(s->a, s->host, s->x));
    OK(weft_enqueue_copy(s->a, s->y, s->host));
    OK(weft_enqueue_copy(s->a, pageable, s->y));
    OK(weft_enqueue_wait_for(s->b, s->a));
    OK(weft_enqueue_function(s->b, s->twice, WEFT_DIM(N / 64), WEFT_DIM(64), s->y));
    OK(weft_enqueue_copy(s->a, s->x, pageable));
    OK(weft_synchronize(s->a));
    OK(weft_synchronize(s->b));
    ck_assert_int_eq(pageable[0], 2 * 3 + 3 + 1);
    ck_assert_int_eq(pageable[N - 1], 10);
}

static void check_copy(const event *e, const char *name, bool is_pageable) {
    ck_assert_str_eq(e->cat, "copy");
    ck_assert_str_eq(e->name, name);
    ck_assert_uint_eq(arg_number(e, "bytes"), N * sizeof(int32_t));
    ck_assert_int_eq(arg_exists(e, "pageable"), is_pageable);
    ck_assert(!arg_exists(e, "failed"));
    ck_assert(arg_exists(e, "gb_per_s") || e->dur < 2000);
}

static void check_kernel(const event *e, const char *name, const char *grid, const char *block, size_t bytes) {
    ck_assert_str_eq(e->cat, "kernel");
    ck_assert_str_eq(e->name, name);
    ck_assert_msg(arg_is(e, "grid", grid) && arg_is(e, "block", block), "%s: %.100s", e->name, e->args);
    ck_assert_uint_eq(arg_number(e, "buffer_bytes"), bytes);
    ck_assert(!arg_exists(e, "failed"));
}

static void check_scene(const trace_file *t, unsigned a, unsigned b) {
    size_t bytes = N * sizeof(int32_t);
    ck_assert_uint_eq(length_of(t, 2, a), 8);
    ck_assert_uint_eq(length_of(t, 2, b), 2);
    const event *fill = nth(t, 2, a, 0);
    ck_assert_str_eq(fill->cat, "fill");
    ck_assert_str_eq(fill->name, "fill");
    ck_assert_uint_eq(arg_number(fill, "bytes"), bytes);
    ck_assert_uint_eq(arg_number(fill, "pattern_bytes"), 4);
    check_copy(nth(t, 2, a, 1), "copy device to device", false);
    check_kernel(nth(t, 2, a, 2), "twice", "[16,1,1]", "[64,1,1]", bytes);
    check_kernel(nth(t, 2, a, 3), "add_into", "[4,2,2]", "[8,4,2]", 2 * bytes);
    check_copy(nth(t, 2, a, 4), "copy device to host", false);
    check_copy(nth(t, 2, a, 5), "copy host to device", false);
    check_copy(nth(t, 2, a, 6), "copy device to host", true);
    check_copy(nth(t, 2, a, 7), "copy host to device", true);
    ck_assert_str_eq(nth(t, 2, b, 0)->cat, "wait");
    ck_assert_str_eq(nth(t, 2, b, 0)->name, "wait for queue");
    check_kernel(nth(t, 2, b, 1), "twice", "[16,1,1]", "[64,1,1]", bytes);
}

/* The main thread's calls, in order, with how often each comes. */
static void check_calls(const trace_file *t, const char *const *names, size_t n) {
    size_t k = 0;
    for (size_t i = 0; i < t->count; i++) {
        const event *e = &t->events[i];
        if (e->ph != 'X' || e->pid != 1) continue;
        ck_assert_msg(k < n && strcmp(e->name, names[k]) == 0, "call %zu is %s, not %s", k, e->name, k < n ? names[k] : "none");
        ck_assert_str_eq(e->cat, "call");
        ck_assert_msg(arg_is(e, "status", "\"WEFT_OK\""), "%s: %.60s", e->name, e->args);
        ck_assert_uint_eq(e->tid, 1);
        k++;
    }
    ck_assert_uint_eq(k, n);
}

static const char *const scene_calls[] = {
    "weft_context_create", "weft_context_create_stream", "weft_compile_function", "weft_compile_function",
    "weft_enqueue_create_buffer", "weft_enqueue_create_buffer", "weft_enqueue_create_host_buffer",
    "weft_enqueue_fill", "weft_enqueue_copy", "weft_enqueue_function", "weft_enqueue_function", "weft_enqueue_copy",
    "weft_enqueue_copy", "weft_enqueue_copy", "weft_enqueue_wait_for", "weft_enqueue_function", "weft_enqueue_copy",
    "weft_synchronize", "weft_synchronize"};
enum { SCENE_CALLS = sizeof scene_calls / sizeof *scene_calls };

static const event *call(const trace_file *t, size_t n) { return nth(t, 1, 1, n); }

START_TEST(each_command_is_there_once) {
    OK(weft_trace_start(path));
    scene s = open_scene();
    run_scene(&s);
    close_scene(&s);
    OK(weft_trace_stop());
    trace_file t = trace_read(path, true);
    check_head(&t);
    check_scene(&t, 1, 2);
    check_calls(&t, scene_calls, SCENE_CALLS);
    check_queues(&t);
    check_flows(&t);
    check_synchronized(&t, call(&t, SCENE_CALLS - 2), 2, 1);
    check_synchronized(&t, call(&t, SCENE_CALLS - 1), 2, 2);
    ck_assert_uint_eq(count(&t, 'i', "lost"), 0);
    ck_assert(arg_is(named(&t, "thread_name", 2, 1), "name", "\"queue 1\""));
    ck_assert(arg_is(named(&t, "thread_name", 2, 2), "name", "\"queue 2\""));
    char name[160], start[32];
    copy_text(name, sizeof name, json_member(named(&t, "process_name", 2, 0)->args, "name"));
    snprintf(start, sizeof start, "%s:0 ", test_driver());
    ck_assert_msg(strncmp(name, start, strlen(start)) == 0, "the device is \"%s\"", name);
    trace_free(&t);
}
END_TEST

/* A queue waits for the other's commands: what comes behind the wait runs after them. */
START_TEST(a_wait_is_between_what_it_waits_for_and_what_waits) {
    OK(weft_trace_start(path));
    scene s = open_scene();
    OK(weft_enqueue_function(s.a, s.twice, WEFT_DIM(N / 64), WEFT_DIM(64), s.x));
    OK(weft_enqueue_wait_for(s.b, s.a));
    OK(weft_enqueue_function(s.b, s.twice, WEFT_DIM(N / 64), WEFT_DIM(64), s.x));
    OK(weft_synchronize(s.b));
    close_scene(&s);
    OK(weft_trace_stop());
    trace_file t = trace_read(path, true);
    const event *first = nth(&t, 2, 1, 0), *wait = nth(&t, 2, 2, 0), *second = nth(&t, 2, 2, 1);
    ck_assert_str_eq(wait->cat, "wait");
    ck_assert_uint_le(wait->end, second->ts);
    if (!on_driver("rusticl")) ck_assert_uint_le(first->ts, second->ts); /* there, they end when the host looks */
    check_flows(&t);
    trace_free(&t);
}
END_TEST

/* What is recorded is no command; each run of the graph has those that it holds. */
START_TEST(graphs_run_their_commands) {
    OK(weft_trace_start(path));
    scene s = open_scene();
    weft_graph *graph = NULL;
    OK(weft_graph_begin(s.a));
    OK(weft_enqueue_fill(s.x, 3));
    OK(weft_enqueue_function(s.a, s.twice, WEFT_DIM(N / 64), WEFT_DIM(64), s.x));
    OK(weft_enqueue_function(s.a, s.add_into, WEFT_DIM(4, 2, 2), WEFT_DIM(8, 4, 2), s.x, s.x, 1));
    OK(weft_graph_end(s.a, &graph));
    for (int i = 0; i < 3; i++) OK(weft_enqueue_graph(s.a, graph));
    OK(weft_synchronize(s.a));
    weft_graph_release(graph);
    close_scene(&s);
    OK(weft_trace_stop());
    trace_file t = trace_read(path, true);
    ck_assert_uint_eq(length_of(&t, 2, 1), 9);
    for (size_t i = 0; i < 9; i += 3) {
        ck_assert_str_eq(nth(&t, 2, 1, i)->name, "fill");
        check_kernel(nth(&t, 2, 1, i + 1), "twice", "[16,1,1]", "[64,1,1]", N * sizeof(int32_t));
        check_kernel(nth(&t, 2, 1, i + 2), "add_into", "[4,2,2]", "[8,4,2]", 2 * N * sizeof(int32_t));
    }
    for (size_t i = 0; i < t.count; i++) {
        if (t.events[i].ph == 's') ck_assert_str_eq(call_around(&t, &t.events[i])->name, "weft_enqueue_graph");
    }
    check_queues(&t);
    check_flows(&t);
    check_synchronized(&t, call(&t, length_of(&t, 1, 1) - 1), 2, 1);
    trace_free(&t);
}
END_TEST

START_TEST(boxes_are_copies) {
    const weft_rect whole = {0, 32, 0}, part = {5, 40, 0};
    OK(weft_trace_start(path));
    scene s = open_scene();
    OK(weft_enqueue_copy_rect(s.a, s.x, &whole, s.host, &part, 16, 8, 2));
    OK(weft_enqueue_copy_rect(s.a, s.y, &part, s.x, &whole, 16, 8, 2));
    OK(weft_enqueue_copy_rect(s.a, pageable, &whole, s.y, &part, 16, 8, 2));
    OK(weft_synchronize(s.a));
    close_scene(&s);
    OK(weft_trace_stop());
    static const char *const names[] = {"copy host to device", "copy device to device", "copy device to host"};
    trace_file t = trace_read(path, true);
    ck_assert_uint_eq(length_of(&t, 2, 1), 3);
    for (size_t i = 0; i < 3; i++) {
        ck_assert_str_eq(nth(&t, 2, 1, i)->name, names[i]);
        ck_assert_uint_eq(arg_number(nth(&t, 2, 1, i), "bytes"), 16 * 8 * 2 * sizeof(int32_t));
        ck_assert_int_eq(arg_exists(nth(&t, 2, 1, i), "pageable"), i == 2);
    }
    check_flows(&t);
    trace_free(&t);
}
END_TEST

START_TEST(memory_is_counted) {
    OK(weft_trace_start(path));
    weft_context *context;
    weft_device_buffer *small, *large;
    OK(weft_context_create(NULL, &context));
    OK(weft_enqueue_create_buffer(context, WEFT_INT32, 1000, &small));
    OK(weft_enqueue_create_buffer(context, WEFT_UINT8, 100000, &large));
    weft_device_buffer_release(small);
    weft_device_buffer_release(large);
    weft_context_release(context);
    OK(weft_trace_stop());
    static const uint64_t expected[] = {4000, 104000, 100000, 0};
    trace_file t = trace_read(path, true);
    size_t n = 0;
    uint64_t before = 0;
    for (size_t i = 0; i < t.count; i++) {
        const event *e = &t.events[i];
        if (e->ph != 'C') continue;
        ck_assert_str_eq(e->name, "device memory");
        ck_assert(n < 4 && e->pid == 2 && e->ts >= before);
        ck_assert_uint_eq(arg_number(e, "bytes"), expected[n++]);
        before = e->ts;
    }
    ck_assert_uint_eq(n, 4);
    trace_free(&t);
}
END_TEST

START_TEST(calls_that_fail_say_so) {
    OK(weft_trace_start(path));
    weft_context *context = NULL;
    FAILS(WEFT_ERROR_NO_DEVICE, weft_context_create(&(weft_context_options){.api = "none such"}, &context));
    FAILS(WEFT_ERROR_INVALID_ARGUMENT, weft_synchronize(NULL));
    OK(weft_context_create(NULL, &context));
    OK(weft_flush(context));
    weft_context_release(context);
    OK(weft_trace_stop());
    static const char *const calls[][2] = {{"weft_context_create", "\"WEFT_ERROR_NO_DEVICE\""},
                                           {"weft_synchronize", "\"WEFT_ERROR_INVALID_ARGUMENT\""},
                                           {"weft_context_create", "\"WEFT_OK\""},
                                           {"weft_flush", "\"WEFT_OK\""}};
    trace_file t = trace_read(path, true);
    ck_assert_uint_eq(length_of(&t, 1, 1), 4);
    for (size_t i = 0; i < 4; i++) {
        ck_assert_str_eq(call(&t, i)->name, calls[i][0]);
        ck_assert(arg_is(call(&t, i), "status", calls[i][1]));
    }
    trace_free(&t);
}
END_TEST

/* An event's wait is a wait too. */
START_TEST(event_synchronize_is_an_end) {
    OK(weft_trace_start(path));
    scene s = open_scene();
    weft_event *event = NULL;
    OK(weft_event_create(s.a, NULL, &event));
    OK(weft_enqueue_function(s.a, s.twice, WEFT_DIM(N / 64), WEFT_DIM(64), s.x));
    OK(weft_event_record(event, s.a));
    OK(weft_event_synchronize(event));
    weft_event_release(event);
    close_scene(&s);
    OK(weft_trace_stop());
    trace_file t = trace_read(path, true);
    const struct event *last = call(&t, length_of(&t, 1, 1) - 1);
    ck_assert_str_eq(last->name, "weft_event_synchronize");
    check_synchronized(&t, last, 2, 1);
    trace_free(&t);
}
END_TEST

/* ---- Starting and stopping ------------------------------------------------------------------------- */

START_TEST(a_trace_may_follow_another) {
    OK(weft_trace_stop()); /* none */
    OK(weft_trace_start("first.json"));
    scene s = open_scene();
    run_scene(&s);
    OK(weft_trace_stop());
    run_scene(&s); /* in neither */
    OK(weft_trace_start(path));
    FAILS(WEFT_ERROR_INVALID_ARGUMENT, weft_trace_start("third.json"));
    SAYS("third.json");
    run_scene(&s);
    OK(weft_trace_stop());
    OK(weft_trace_stop());
    close_scene(&s);
    ck_assert_int_ne(access("third.json", F_OK), 0);
    trace_file first = trace_read("first.json", true), second = trace_read(path, true);
    check_calls(&first, scene_calls, SCENE_CALLS);
    check_scene(&first, 1, 2);
    check_scene(&second, 1, 2);
    check_head(&second);
    check_flows(&first);
    check_flows(&second);
    trace_free(&first);
    trace_free(&second);
}
END_TEST

/* Of contexts made before the trace there are the host's calls. */
START_TEST(earlier_contexts_have_calls_only) {
    scene s = open_scene();
    OK(weft_trace_start(path));
    run_scene(&s);
    OK(weft_trace_stop());
    trace_file t = trace_read(path, true);
    check_calls(&t, scene_calls + 7, SCENE_CALLS - 7);
    for (size_t i = 0; i < t.count; i++) ck_assert(t.events[i].pid == 1);
    trace_free(&t);
    close_scene(&s);
}
END_TEST

/* The stop waits for what is in flight, also when its context has gone. */
START_TEST(stopping_waits) {
    OK(weft_trace_start(path));
    scene s = open_scene();
    for (int i = 0; i < 20; i++) OK(weft_enqueue_function(s.a, s.twice, WEFT_DIM(N / 64), WEFT_DIM(64), s.x));
    close_scene(&s);
    OK(weft_trace_stop());
    trace_file t = trace_read(path, true);
    ck_assert_uint_eq(count(&t, 'X', "kernel"), 20);
    check_queues(&t);
    check_flows(&t);
    trace_free(&t);
}
END_TEST

START_TEST(files_that_cannot_be_written) {
    FAILS(WEFT_ERROR_IO, weft_trace_start("no_such_folder/trace.json"));
    SAYS("no_such_folder/trace.json");
    SAYS("No such file or directory");
    FAILS(WEFT_ERROR_IO, weft_trace_start("/dev/full"));
    SAYS("No space left on device");
    FAILS(WEFT_ERROR_INVALID_ARGUMENT, weft_trace_start(NULL));
    FAILS(WEFT_ERROR_INVALID_ARGUMENT, weft_trace_start(""));
    OK(weft_trace_stop());
}
END_TEST

/* What is full is what the process may write to one file; the file is whole up to there. */
START_TEST(a_disk_that_gets_full) {
    struct rlimit before, small;
    scene s = open_scene();
    signal(SIGXFSZ, SIG_IGN);
    ck_assert_int_eq(getrlimit(RLIMIT_FSIZE, &before), 0);
    small = before;
    small.rlim_cur = 100000;
    OK(weft_trace_start(path));
    setrlimit(RLIMIT_FSIZE, &small);
    weft_status status = WEFT_OK; /* no assertion meanwhile: Check writes to a file too */
    for (int i = 0; i < 3000 && !status; i++) status = weft_flush(s.a);
    status = status ? status : weft_trace_stop();
    setrlimit(RLIMIT_FSIZE, &before);
    ck_assert_int_eq(status, WEFT_ERROR_IO);
    SAYS("File too large");
    trace_file t = trace_read(path, true);
    ck_assert_uint_gt(t.count, 10);
    trace_free(&t);
    OK(weft_trace_stop());
    OK(weft_trace_start(path)); /* and it works again */
    run_scene(&s);
    OK(weft_trace_stop());
    close_scene(&s);
}
END_TEST

/* ---- Threads --------------------------------------------------------------------------------------- */

enum { THREADS = 4 };

static size_t launches;

static void *run_thread(void *argument) {
    scene s = open_scene();
    for (size_t i = 0; i < launches; i++) {
        OK(weft_enqueue_function(s.a, s.twice, WEFT_DIM(N / 64), WEFT_DIM(64), s.x));
        OK(weft_enqueue_copy(s.a, s.host, s.x));
    }
    OK(weft_synchronize(s.a));
    close_scene(&s);
    return argument;
}

START_TEST(threads_have_lanes) {
    pthread_t threads[THREADS];
    launches = test_size(200, 20);
    OK(weft_trace_start(path));
    for (int i = 0; i < THREADS; i++) ck_assert_int_eq(pthread_create(&threads[i], NULL, run_thread, NULL), 0);
    for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
    OK(weft_trace_stop());
    trace_file t = trace_read(path, true);
    ck_assert_uint_eq(count(&t, 'X', "kernel"), THREADS * launches);
    ck_assert_uint_eq(count(&t, 'X', "copy"), THREADS * launches);
    ck_assert_uint_eq(count(&t, 'i', "lost"), 0);
    check_queues(&t);
    check_flows(&t);
    size_t lanes = 0;
    for (size_t i = 0; i < t.count; i++) {
        const event *e = &t.events[i];
        if (e->ph != 'M' || strcmp(e->name, "thread_name") != 0 || e->pid != 1) continue;
        size_t n = length_of(&t, 1, e->tid);
        ck_assert_uint_eq(n, 7 + 2 * launches + 1);
        ck_assert_str_eq(nth(&t, 1, e->tid, n - 1)->name, "weft_synchronize");
        lanes++;
    }
    ck_assert_uint_eq(lanes, THREADS);
    trace_free(&t);
}
END_TEST

/* Starting and stopping beside threads that work: no file is broken, nothing hangs. */
START_TEST(traces_come_and_go_under_load) {
    pthread_t threads[THREADS];
    launches = test_size(300, 20);
    for (int i = 0; i < THREADS; i++) ck_assert_int_eq(pthread_create(&threads[i], NULL, run_thread, NULL), 0);
    for (int i = 0; i < 10; i++) {
        OK(weft_trace_start(path));
        nanosleep(&(struct timespec){0, 2000000}, NULL);
        OK(weft_trace_stop());
        trace_file t = trace_read(path, true);
        check_queues(&t);
        trace_free(&t);
    }
    for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
}
END_TEST

/* More than the ring holds: what does not fit is waited for, or said to be lost. */
START_TEST(nothing_is_lost_in_silence) {
    size_t calls = test_size(100000, 100000), lost = 0;
    scene s = open_scene();
    OK(weft_trace_start(path));
    for (size_t i = 0; i < calls; i++) WEFT_IGNORE(weft_flush(NULL));
    OK(weft_trace_stop());
    trace_file t = trace_read(path, true);
    for (size_t i = 0; i < t.count; i++) {
        if (t.events[i].ph == 'i') lost += arg_number(&t.events[i], "events");
    }
    ck_assert_uint_eq(count(&t, 'X', "call") + lost, calls);
    trace_free(&t);
    close_scene(&s);
}
END_TEST

/* Behind a host function nothing ends before it does. */
static void stop_inside(void *user) { *(weft_status *)user = weft_trace_stop(); }

START_TEST(a_host_function_cannot_stop_it) {
    weft_status status = WEFT_OK;
    OK(weft_trace_start(path));
    weft_context *context;
    OK(weft_context_create(NULL, &context));
    OK(weft_enqueue_host_func(context, stop_inside, &status));
    OK(weft_synchronize(context));
    ck_assert_int_eq(status, WEFT_ERROR_INVALID_ARGUMENT);
    weft_context_release(context);
    OK(weft_trace_stop());
    trace_file t = trace_read(path, true);
    trace_free(&t);
}
END_TEST

TESTS(each_command_is_there_once, a_wait_is_between_what_it_waits_for_and_what_waits, graphs_run_their_commands,
      boxes_are_copies, memory_is_counted, calls_that_fail_say_so,
      event_synchronize_is_an_end, a_trace_may_follow_another, earlier_contexts_have_calls_only, stopping_waits,
      files_that_cannot_be_written, a_disk_that_gets_full, threads_have_lanes, traces_come_and_go_under_load,
      nothing_is_lost_in_silence, a_host_function_cannot_stop_it)
