/* The model's test_host_func, and case C66 of public reports: functions on the host in a queue's order, and what they may do. */
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#include "support.h"

enum { N = 128 };

static const char source[] = "kernel void add(global int *x, int n) { x[get_global_id(0)] += n; }";

static weft_context *context;
static weft_function *add;
static weft_device_buffer *buffer;
static weft_host_buffer *host;
static int32_t *numbers; /* of host */

/* What one function found, for the test to look at when it has returned. */
static atomic_int calls;
static weft_status found[16];
static char said[16][256];

static void note(int i, weft_status status) {
    found[i] = status;
    snprintf(said[i], sizeof said[i], "%s", status ? weft_error_message() : "");
}

static void make(void) {
    context = test_context();
    add = test_function(source, "add");
    buffer = test_device_buffer(WEFT_INT32, N);
    host = test_host_buffer(WEFT_INT32, N);
    numbers = weft_host_buffer_data(host);
    OK(weft_enqueue_fill(buffer, 0));
    OK(weft_synchronize(context));
    memset(found, 0, sizeof found);
    atomic_store(&calls, 0);
}

static bool functions_run_in_the_call(void) { return on_driver("rusticl") || on_driver("oclgrind"); }

static void launch(weft_context *on, int n) { OK(weft_enqueue_function(on, add, 1, N, buffer, n)); }

static void expect(int value) {
    int32_t now[N];
    test_read(buffer, now);
    for (int i = 0; i < N; i++) ck_assert_int_eq(now[i], value);
}

static void twice(void *user) {
    int32_t *data = user;
    for (int i = 0; i < N; i++) data[i] *= 2;
    atomic_fetch_add(&calls, 1);
}

START_TEST(c66_runs_once_between_what_is_around_it) {
    make();
    int expected = 0, rounds = (int)test_size(10, 5);
    for (int round = 0; round < rounds; round++) {
        launch(context, 3);
        OK(weft_enqueue_copy(context, host, buffer));
        OK(weft_enqueue_host_func(context, twice, numbers));
        OK(weft_enqueue_copy(context, buffer, host));
        launch(context, 1);
        expected = (expected + 3) * 2 + 1;
    }
    expect(expected);
    ck_assert_int_eq(atomic_load(&calls), rounds);
}
END_TEST

static void append(void *user) {
    int *slot = user;
    *slot = atomic_fetch_add(&calls, 1);
}

START_TEST(functions_run_in_their_order) {
    enum { MANY = 200 };
    int order[MANY];
    make();
    for (int i = 0; i < MANY; i++) OK(weft_enqueue_host_func(context, append, &order[i]));
    OK(weft_synchronize(context));
    for (int i = 0; i < MANY; i++) ck_assert_int_eq(order[i], i);
}
END_TEST

/* Everything that would wait for the function's own context, and never end. */
static weft_status nothing_to_measure(weft_context *on, size_t iteration, void *user) {
    (void)on, (void)iteration, (void)user;
    return WEFT_OK;
}

static weft_event *own_event;

static void waits_for_itself(void *user) {
    weft_host_buffer *mapped = user;
    weft_device_buffer *made = user;
    uint64_t ns = 7;
    note(0, weft_synchronize(context));
    note(1, weft_event_synchronize(own_event));
    note(2, weft_device_buffer_map_to_host(buffer, &mapped));
    note(3, weft_execution_time(context, nothing_to_measure, NULL, 1, &ns));
    note(4, weft_create_buffer_sync(context, WEFT_INT32, 4, &made));
    note(5, weft_device_buffer_write_to(buffer, stderr));
    atomic_fetch_add(&calls, mapped || made || ns ? 100 : 1);
}

START_TEST(c66_what_waits_for_its_own_context_is_refused) {
    make();
    OK(weft_event_create(context, NULL, &own_event));
    launch(context, 5);
    OK(weft_event_record(own_event, context));
    OK(weft_enqueue_host_func(context, waits_for_itself, &calls));
    OK(weft_synchronize(context));
    ck_assert_int_eq(atomic_load(&calls), 1);
    for (int i = 0; i < 6; i++) {
        ck_assert_msg(found[i] == WEFT_ERROR_INVALID_ARGUMENT, "call %d: %s", i, weft_status_name(found[i]));
        ck_assert_msg(strstr(said[i], "host function"), "call %d says \"%s\"", i, said[i]);
    }
    expect(5);
    weft_event_release(own_event);
}
END_TEST

/* All that does not wait is as anywhere else. */
static void uses_the_library(void *user) {
    const int32_t captured[N] = {40, [N / 2] = 41};
    weft_device_buffer *made = NULL;
    weft_function *other = NULL;
    (void)user;
    note(0, weft_enqueue_create_buffer(context, WEFT_INT32, N, &made));
    note(1, weft_enqueue_fill(made, 7));
    note(2, weft_enqueue_copy(context, made, captured)); /* pageable: captured, not waited for */
    note(3, weft_compile_function(context, "kernel void more(global int *x) { x[get_global_id(0)] += 2; }", "more", NULL, &other));
    note(4, weft_enqueue_function(context, other, 1, N, made));
    note(5, weft_enqueue_copy(context, host, made));
    note(6, weft_enqueue_host_func(context, append, &numbers[N - 1]));
    const weft_rect column = {0, N / 2, 0};
    note(7, weft_enqueue_copy_rect(context, buffer, &column, captured, &column, 1, 2, 1));
    weft_function_release(other);
    weft_device_buffer_release(made);
}

START_TEST(c66_it_may_use_the_library) {
    make();
    launch(context, 5);
    OK(weft_enqueue_host_func(context, uses_the_library, NULL));
    OK(weft_synchronize(context)); /* what the function has enqueued may come after that */
    OK(weft_synchronize(context));
    for (int i = 0; i < 8; i++) ck_assert_msg(found[i] == WEFT_OK, "call %d: %s", i, said[i]);
    ck_assert_int_eq(numbers[0], 42);
    for (int i = 1; i < N - 1; i++) ck_assert_int_eq(numbers[i], i == N / 2 ? 43 : 2);
    ck_assert_int_eq(numbers[N - 1], 0); /* the inner function's */
    ck_assert_int_eq(atomic_load(&calls), 1);
    int32_t now[N];
    test_read(buffer, now);
    ck_assert_int_eq(now[0], 40);
    ck_assert_int_eq(now[1], 5);
    ck_assert_int_eq(now[N / 2], 41);
}
END_TEST

static weft_context *others[2];

/* Waits for another context, which may have functions of its own. */
static void waits_for_another(void *user) {
    note(*(int *)user, weft_synchronize(others[*(int *)user]));
    atomic_fetch_add(&calls, 1);
}

START_TEST(it_may_wait_for_other_contexts) {
    int zero = 0, one = 1;
    make();
    for (int i = 0; i < 2; i++) OK(weft_context_create_stream(context, NULL, &others[i]));
    launch(others[1], 1);
    OK(weft_enqueue_host_func(others[0], waits_for_another, &one)); /* for the second */
    OK(weft_enqueue_host_func(context, waits_for_another, &zero));  /* for the first */
    OK(weft_synchronize(context));
    ck_assert_int_eq(atomic_load(&calls), 2);
    ck_assert_int_eq(found[0], WEFT_OK);
    ck_assert_int_eq(found[1], WEFT_OK);
    expect(1);
    for (int i = 0; i < 2; i++) weft_context_release(others[i]);
}
END_TEST

/* The other queue is made to wait for the function's, whose buffer it writes: nothing may wait for it meanwhile. */
static weft_context *far; /* on another device, or NULL */

static void copies_on_another_queue(void *user) {
    int32_t captured[N];
    const weft_rect column = {0, 2, 0};
    weft_device_buffer *there = NULL;
    for (int i = 0; i < N; i++) captured[i] = 30 + i;
    note(0, weft_enqueue_copy(user, buffer, captured));
    captured[0] = captured[2] = 7;
    note(1, weft_enqueue_copy_rect(user, buffer, &column, captured, &column, 1, 2, 1));
    memset(captured, 0xFF, sizeof captured);
    weft_context_release(user); /* the last reference */
    if (far) {
        weft_context *sibling = NULL;
        note(2, weft_context_create_stream(context, NULL, &sibling));
        note(3, weft_enqueue_create_buffer(far, WEFT_INT32, N, &there));
        note(4, weft_enqueue_copy(sibling, buffer, there));
        note(5, weft_enqueue_copy(sibling, there, buffer));
        note(6, weft_enqueue_copy_rect(sibling, buffer, &column, there, &column, 1, 2, 1));
        note(7, weft_enqueue_copy(far, buffer, there));
        weft_device_buffer_release(there);
        weft_context_release(sibling);
    }
    atomic_fetch_add(&calls, 1);
}

START_TEST(c66_copies_on_another_queue_do_not_wait_for_its_own) {
    weft_context *stream = NULL;
    make();
    far = test_other_device();
    OK(weft_context_create_stream(context, NULL, &stream));
    OK(weft_enqueue_host_func(context, copies_on_another_queue, stream));
    OK(weft_synchronize(context));
    OK(weft_synchronize(context)); /* the copies made it wait for theirs */
    ck_assert_int_eq(atomic_load(&calls), 1);
    for (int i = 0; i < 4; i++) ck_assert_msg(found[i] == WEFT_OK, "call %d: %s", i, said[i]);
    int32_t now[N];
    test_read(buffer, now);
    ck_assert_int_eq(now[0], 7);
    ck_assert_int_eq(now[2], 7);
    ck_assert_int_eq(now[1], 31);
    for (int i = 3; i < N; i++) ck_assert_int_eq(now[i], 30 + i);
    for (int i = 4; far && i < 8; i++) {
        ck_assert_msg(found[i] == WEFT_ERROR_INVALID_ARGUMENT, "call %d: %s", i, weft_status_name(found[i]));
        ck_assert_msg(strstr(said[i], "host function"), "call %d says \"%s\"", i, said[i]);
    }
}
END_TEST

/* The last reference to a queue that waits for the function, and to memory in use on two. */
static weft_host_buffer *shared;
static atomic_bool enqueued; /* all that uses them */

static void lets_go(void *user) {
    while (!atomic_load(&enqueued)) nanosleep(&(struct timespec){0, 20000}, NULL);
    weft_context_release(user);
    weft_host_buffer_release(shared);
    atomic_fetch_add(&calls, 1);
}

START_TEST(it_may_let_go_of_what_waits_for_it) {
    make();
    for (int round = 0; round < 20; round++) {
        weft_context *waiting = NULL;
        OK(weft_context_create_stream(context, NULL, &waiting));
        OK(weft_enqueue_create_host_buffer(context, WEFT_INT32, N, &shared));
        memset(weft_host_buffer_data(shared), 0, N * sizeof(int32_t));
        launch(context, 1);
        bool calls_here = functions_run_in_the_call(); /* it has then let go */
        atomic_store(&enqueued, calls_here);
        OK(weft_enqueue_host_func(context, lets_go, waiting));
        if (!calls_here) {
            OK(weft_enqueue_wait_for(waiting, context));
            OK(weft_enqueue_copy(waiting, buffer, shared));
            OK(weft_enqueue_wait_for(context, waiting));
            atomic_store(&enqueued, true);
        }
        OK(weft_synchronize(context));
    }
    ck_assert_int_eq(atomic_load(&calls), 20);
    test_context_works(context);
}
END_TEST

static void count(void *user) {
    (void)user;
    atomic_fetch_add(&calls, 1);
}

/* What it lets go of waits for a later function of the same queue. */
START_TEST(it_may_let_go_of_what_waits_for_a_later_one) {
    if (functions_run_in_the_call()) SKIP("functions run in the call there: none is enqueued while another runs");
    make();
    for (int round = 0; round < 20; round++) {
        weft_context *waiting = NULL;
        OK(weft_context_create_stream(context, NULL, &waiting));
        OK(weft_enqueue_create_host_buffer(context, WEFT_INT32, N, &shared));
        memset(weft_host_buffer_data(shared), 0, N * sizeof(int32_t));
        atomic_store(&enqueued, false);
        OK(weft_enqueue_host_func(context, lets_go, waiting));
        launch(context, 1);
        OK(weft_enqueue_host_func(context, count, NULL));
        OK(weft_enqueue_wait_for(waiting, context));
        OK(weft_enqueue_copy_range(waiting, buffer, 0, shared, 0, 1)); /* what the end of waiting has to wait for */
        atomic_store(&enqueued, true);
        OK(weft_synchronize(context));
    }
    ck_assert_int_eq(atomic_load(&calls), 40);
    int32_t now[N];
    test_read(buffer, now);
    ck_assert_int_eq(now[0], 0);
    ck_assert_int_eq(now[N - 1], 20);
}
END_TEST

/* Its own context's last reference, too. */
START_TEST(released_right_after_the_call) {
    make();
    for (int round = 0; round < 20; round++) {
        weft_context *stream = NULL;
        OK(weft_context_create_stream(context, NULL, &stream));
        OK(weft_enqueue_host_func(stream, count, NULL));
        weft_context_release(stream);
    }
    while (atomic_load(&calls) < 20) nanosleep(&(struct timespec){0, 20000}, NULL);
    test_context_works(context);
}
END_TEST

/* The program's last reference to its own context, and contexts made and gone in a function. */
static void ends_its_own(void *user) {
    weft_context *made = NULL;
    note(0, weft_context_create_stream(user, NULL, &made));
    note(1, weft_enqueue_wait_for(made, user));
    note(2, weft_enqueue_host_func(made, count, NULL));
    weft_context_release(made);
    note(3, weft_enqueue_host_func(user, count, NULL));
    weft_context_release(user);
    atomic_fetch_add(&calls, 1);
}

START_TEST(it_may_end_its_own_context) {
    make();
    for (int round = 1; round <= 20; round++) {
        weft_context *stream = NULL;
        OK(weft_context_create_stream(context, NULL, &stream));
        OK(weft_enqueue_host_func(stream, ends_its_own, stream));
        while (atomic_load(&calls) < 3 * round) nanosleep(&(struct timespec){0, 20000}, NULL);
        for (int i = 0; i < 4; i++) ck_assert_msg(found[i] == WEFT_OK, "call %d: %s", i, said[i]);
    }
    test_context_works(context);
}
END_TEST

enum { THREADS = 4 };

static void *enqueue_many(void *user) {
    size_t rounds = test_size(250, 25);
    for (size_t i = 0; i < rounds; i++) {
        if (weft_enqueue_host_func(user, count, NULL)) return user;
    }
    return NULL;
}

START_TEST(from_many_threads) {
    pthread_t threads[THREADS];
    void *failed = NULL;
    make();
    for (int i = 0; i < THREADS; i++) ck_assert_int_eq(pthread_create(&threads[i], NULL, enqueue_many, context), 0);
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], &failed);
        ck_assert_ptr_null(failed);
    }
    OK(weft_synchronize(context));
    ck_assert_int_eq(atomic_load(&calls), THREADS * (int)test_size(250, 25));
}
END_TEST

/* A launch bounds what is in flight by waits, which a function must not be caught in. */
static void enqueues_thousands(void *user) {
    (void)user;
    weft_status status = WEFT_OK;
    for (size_t i = 0; i < test_size(10000, 100) && !status; i++) status = weft_enqueue_function(context, add, 1, N, buffer, 1);
    note(0, status);
}

START_TEST(it_may_enqueue_thousands_of_launches) {
    make();
    launch(context, 0); /* compiled */
    OK(weft_enqueue_host_func(context, enqueues_thousands, NULL));
    OK(weft_synchronize(context));
    OK(weft_synchronize(context));
    ck_assert_msg(found[0] == WEFT_OK, "%s", said[0]);
    expect((int)test_size(10000, 100));
}
END_TEST

TESTS(c66_runs_once_between_what_is_around_it, functions_run_in_their_order,
      c66_what_waits_for_its_own_context_is_refused, c66_it_may_use_the_library,
      c66_copies_on_another_queue_do_not_wait_for_its_own, it_may_wait_for_other_contexts,
      it_may_let_go_of_what_waits_for_it, it_may_let_go_of_what_waits_for_a_later_one, released_right_after_the_call,
      it_may_end_its_own_context, from_many_threads, it_may_enqueue_thousands_of_launches)
