/* Races on what threads share: handles whose last reference any of them drops, contexts that come and go, buffers and
 * queues in common. tests/surface/test_threads.c is about threads that mind their own business.
 */
#include "crew.h"

/* What the members share; set before they start. */
static struct {
    weft_context *context;
    weft_function *function;
    weft_device_buffer *buffer;
    weft_host_buffer *host;
    weft_context *streams[CREW];
    size_t rounds;
} shared;

static const char ramp_source[] = "kernel void ramp(global int *x, int first, int step) {\n"
                                  "    int i = get_global_id(0);\n"
                                  "    x[i] = first + step * i;\n"
                                  "}\n";

static weft_context *new_stream(void) {
    weft_context *stream = NULL;
    OK(weft_context_create_stream(shared.context, NULL, &stream));
    return stream;
}

static void share(size_t rounds) {
    memset(&shared, 0, sizeof shared);
    shared.context = test_context();
    shared.function = test_function(ramp_source, "ramp");
    shared.rounds = rounds;
}

static void share_streams(size_t rounds) {
    share(rounds);
    for (int i = 0; i < CREW; i++) shared.streams[i] = new_stream();
}

static void release_streams(void) {
    for (int i = 0; i < CREW; i++) weft_context_release(shared.streams[i]);
}

static bool is_ramp(const int32_t *x, size_t length, int32_t first, int32_t step) {
    for (size_t i = 0; i < length; i++) {
        if (x[i] != first + step * (int32_t)i) {
            return false;
        }
    }
    return true;
}

/* ---- One function, many arguments ---------------------------------------------------------------------- */

enum { N = 64 };

/* Four launches before the first wait, each with arguments of its own. */
static void launch(member *me) {
    weft_context *context = shared.context;
    weft_device_buffer *buffers[4] = {NULL};
    int32_t out[4][N];
    for (int i = 0; i < 4; i++) CREW_OK(me, weft_enqueue_create_buffer(context, WEFT_INT32, N, &buffers[i]));
    for (size_t round = 0; round < shared.rounds; round++) {
        const int32_t first = (int32_t)(me->id * 1000000 + round * 10);
        for (int i = 0; i < 4; i++) CREW_OK(me, weft_enqueue_function(context, shared.function, N / 16, 16, buffers[i], first + i, i + 1));
        for (int i = 0; i < 4; i++) CREW_OK(me, weft_enqueue_copy(context, out[i], buffers[i]));
        CREW_OK(me, weft_synchronize(context));
        for (int i = 0; i < 4; i++) CREW_EXPECT(me, is_ramp(out[i], N, first + i, i + 1));
    }
    for (int i = 0; i < 4; i++) weft_device_buffer_release(buffers[i]);
}

START_TEST(more_threads_than_kernel_objects) {
    share(test_size(300, 20));
    crew_run(launch);
}
END_TEST

/* ---- Buffers --------------------------------------------------------------------------------------------- */

/* A buffer of random length, used in every way; all of it on a context that others use as well. */
static void use_buffer(member *me, weft_context *context, weft_context *other) {
    const size_t length = 16 + roll(me, 1000), at = roll(me, 8), part = length - at - roll(me, 8);
    const int32_t value = (int32_t)roll(me, 1000), changed = value + 1;
    int32_t out[1024];
    weft_device_buffer *buffer = NULL, *view = NULL, *copy = NULL;
    weft_host_buffer *host = NULL, *mapped = NULL;
    CREW_OK(me, weft_enqueue_create_buffer(context, WEFT_INT32, length, &buffer));
    CREW_OK(me, weft_enqueue_fill(buffer, value));
    CREW_OK(me, weft_device_buffer_create_sub_buffer(buffer, WEFT_INT32, at, part, &view));
    CREW_OK(me, weft_enqueue_function(context, shared.function, part, 1, view, value, 1));
    CREW_OK(me, weft_enqueue_create_buffer(context, WEFT_INT32, part, &copy));
    CREW_OK(me, weft_enqueue_copy(context, copy, view));
    CREW_OK(me, weft_enqueue_create_host_buffer(context, WEFT_INT32, part, &host));
    CREW_OK(me, weft_enqueue_copy(context, host, copy));
    weft_device_buffer_release(view);
    CREW_OK(me, weft_device_buffer_reassign_ownership_to(buffer, other));
    CREW_OK(me, weft_device_buffer_map_to_host(buffer, &mapped));
    const int32_t *before = weft_host_buffer_data(mapped);
    CREW_EXPECT(me, is_ramp(before, at, value, 0));
    CREW_EXPECT(me, is_ramp(before + at, part, value, 1));
    CREW_EXPECT(me, is_ramp(before + at + part, length - at - part, value, 0));
    ((int32_t *)weft_host_buffer_data(mapped))[0] = changed;
    CREW_OK(me, weft_device_buffer_unmap(buffer, mapped));
    CREW_OK(me, weft_enqueue_copy(other, out, buffer));
    CREW_OK(me, weft_synchronize(other));
    CREW_EXPECT(me, out[0] == changed && (at + part == length || out[length - 1] == value));
    CREW_OK(me, weft_synchronize(context));
    CREW_EXPECT(me, is_ramp(weft_host_buffer_data(host), part, value, 1));
    weft_host_buffer_release(host);
    weft_device_buffer_release(copy);
    weft_device_buffer_release(buffer);
}

static void use_buffers(member *me) {
    for (size_t round = 0; round < shared.rounds && !me->failure[0]; round++) {
        use_buffer(me, shared.context, shared.streams[me->id]);
    }
}

START_TEST(buffers_change_hands) {
    share_streams(test_size(100, 8));
    crew_run(use_buffers);
    release_streams();
}
END_TEST

/* Each member owns every CREW-th piece of one buffer, and reaches it by views and ranges. */
static void work_on_own_pieces(member *me) {
    weft_context *stream = shared.streams[me->id];
    for (size_t round = 0; round < shared.rounds; round++) {
        const size_t piece = (round * CREW + me->id) % (CREW * 4);
        weft_device_buffer *view = NULL;
        CREW_OK(me, weft_device_buffer_create_sub_buffer(shared.buffer, WEFT_INT32, piece * N + 1, N - 1, &view));
        CREW_OK(me, weft_enqueue_fill_range(shared.buffer, piece * N, N, -1));
        CREW_OK(me, weft_enqueue_wait_for(stream, shared.context)); /* the fill is on the buffer's own context */
        CREW_OK(me, weft_enqueue_function(stream, shared.function, N - 1, 1, view, (int32_t)piece, 2));
        CREW_OK(me, weft_enqueue_wait_for(shared.context, stream));
        weft_device_buffer_release(view);
    }
}

START_TEST(one_buffer_in_pieces) {
    share_streams(test_size(100, 8));
    int32_t out[CREW * 4 * N];
    shared.buffer = test_device_buffer(WEFT_INT32, CREW * 4 * N);
    crew_run(work_on_own_pieces);
    test_read(shared.buffer, out);
    const size_t touched = shared.rounds < 4 ? shared.rounds * CREW : CREW * 4;
    for (size_t piece = 0; piece < touched; piece++) {
        ck_assert_int_eq(out[piece * N], -1);
        ck_assert_msg(is_ramp(out + piece * N + 1, N - 1, (int32_t)piece, 2), "piece %zu", piece);
    }
    release_streams();
}
END_TEST

/* All members send the one host buffer to buffers of their own, on their own streams, and drop their reference. */
static void upload_and_let_go(member *me) {
    weft_context *stream = shared.streams[me->id];
    int32_t out[N];
    for (size_t round = 0; round < shared.rounds; round++) {
        weft_device_buffer *buffer = NULL;
        weft_host_buffer *host = weft_host_buffer_retain(shared.host), *view = NULL;
        CREW_OK(me, weft_enqueue_create_buffer(stream, WEFT_INT32, N, &buffer));
        CREW_OK(me, weft_host_buffer_create_sub_buffer(host, WEFT_INT32, me->id, N, &view));
        weft_host_buffer_release(host);
        CREW_OK(me, weft_enqueue_copy(stream, buffer, view));
        weft_host_buffer_release(view);
        CREW_OK(me, weft_enqueue_copy(stream, out, buffer));
        weft_device_buffer_release(buffer);
        CREW_OK(me, weft_synchronize(stream));
        CREW_EXPECT(me, is_ramp(out, N, (int32_t)me->id, 1));
    }
}

START_TEST(one_host_buffer_read_by_all) {
    share_streams(test_size(200, 10));
    shared.host = test_host_buffer(WEFT_INT32, N + CREW);
    int32_t *data = weft_host_buffer_data(shared.host);
    for (int32_t i = 0; i < N + CREW; i++) data[i] = i;
    crew_run(upload_and_let_go);
    release_streams();
}
END_TEST

/* ---- The last reference ------------------------------------------------------------------------------------ */

enum { HANDED_OUT = 200 };

static weft_device_buffer *handed_out[HANDED_OUT];
static weft_function *functions[HANDED_OUT];

/* Everybody uses and then drops the same handles at about the same time: one of them is the last. */
static void use_and_drop(member *me) {
    for (int i = 0; i < HANDED_OUT; i++) {
        CREW_OK(me, weft_enqueue_function(shared.streams[me->id], functions[i], N, 1, handed_out[i], i, 1));
        weft_device_buffer_release(handed_out[i]);
        weft_function_release(functions[i]);
    }
    CREW_OK(me, weft_synchronize(shared.streams[me->id]));
    weft_context_release(shared.streams[me->id]);
}

START_TEST(last_reference_dropped_by_any) {
    share(0);
    weft_context *stream = new_stream();
    for (int i = 0; i < CREW; i++) shared.streams[i] = i ? weft_context_retain(stream) : stream;
    for (int i = 0; i < HANDED_OUT; i++) {
        OK(weft_enqueue_create_buffer(stream, WEFT_INT32, N, &handed_out[i]));
        OK(weft_compile_function(stream, ramp_source, "ramp", NULL, &functions[i]));
        for (int k = 1; k < CREW; k++) {
            weft_device_buffer_retain(handed_out[i]);
            weft_function_retain(functions[i]);
        }
    }
    crew_run(use_and_drop);
    test_context_works(shared.context);
}
END_TEST

/* ---- Contexts ------------------------------------------------------------------------------------------------ */

/* No context outlives a round, so what the device's contexts share comes and goes under everybody's feet. */
static void live_and_die(member *me) {
    for (size_t round = 0; round < shared.rounds; round++) {
        weft_context *context = NULL;
        weft_device_buffer *buffer = NULL;
        weft_function *function = NULL;
        int32_t out[N];
        CREW_OK(me, weft_context_create(NULL, &context));
        CREW_OK(me, weft_enqueue_create_buffer(context, WEFT_INT32, N, &buffer));
        CREW_OK(me, weft_compile_function(context, ramp_source, "ramp", NULL, &function));
        CREW_OK(me, weft_enqueue_function(context, function, N, 1, buffer, (int32_t)me->id, 3));
        CREW_OK(me, weft_enqueue_copy(context, out, buffer));
        CREW_OK(me, weft_synchronize(context));
        CREW_EXPECT(me, is_ramp(out, N, (int32_t)me->id, 3));
        weft_context_release(context);
        weft_function_release(function);
        weft_device_buffer_release(buffer);
    }
}

START_TEST(contexts_come_and_go) {
    memset(&shared, 0, sizeof shared);
    shared.rounds = test_size(40, 3);
    crew_run(live_and_die);
}
END_TEST

/* Everybody waits for everybody, in both directions. */
static void wait_for_all(member *me) {
    weft_context *stream = shared.streams[me->id];
    for (size_t round = 0; round < shared.rounds; round++) {
        CREW_OK(me, weft_enqueue_function(stream, shared.function, N, 1, shared.buffer, 5, 7));
        CREW_OK(me, weft_enqueue_wait_for(stream, shared.streams[roll(me, CREW)]));
        CREW_OK(me, weft_flush(stream));
    }
    CREW_OK(me, weft_synchronize(shared.streams[(me->id + 1) % CREW]));
}

START_TEST(streams_wait_for_each_other) {
    int32_t out[N];
    share_streams(test_size(200, 10));
    shared.buffer = test_device_buffer(WEFT_INT32, N);
    crew_run(wait_for_all);
    for (int i = 0; i < CREW; i++) OK(weft_synchronize(shared.streams[i]));
    test_read(shared.buffer, out);
    ck_assert(is_ramp(out, N, 5, 7)); /* whoever wrote last wrote the same */
    release_streams();
}
END_TEST

TESTS(contexts_come_and_go, more_threads_than_kernel_objects, buffers_change_hands, one_buffer_in_pieces,
      one_host_buffer_read_by_all, last_reference_dropped_by_any, streams_wait_for_each_other)
