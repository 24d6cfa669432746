/* Warp operations of weft.clh: every one, of every type, in whole and in short warps. */
#include <math.h>

#include "numbers.h"

enum { SHUFFLES = 10, ROWS = SHUFFLES + 5, PLACES = 3 };

static const char source[] =
    "#include <weft.clh>\n"
    "kernel void warps(global const T *in, global T *out, global int *places, global ulong *votes) {\n"
    "    const int n = block_dim.x * block_dim.y * block_dim.z;\n"
    "    const int t = thread_idx.x + block_dim.x * (thread_idx.y + block_dim.y * thread_idx.z);\n"
    "    const T x = in[t];\n"
    "    places[3 * t] = lane_id(), places[3 * t + 1] = warp_id(), places[3 * t + 2] = WARP_SIZE;\n"
    "    out[0 * n + t] = shuffle_idx(x, 3);\n"
    "    out[1 * n + t] = shuffle_idx(x, lane_id() * 5 + 1);\n"
    "    out[2 * n + t] = shuffle_up(x, 1);\n"
    "    out[3 * n + t] = shuffle_up(x, 5);\n"
    "    out[4 * n + t] = shuffle_up(x, 1000000);\n"
    "    out[5 * n + t] = shuffle_down(x, 1);\n"
    "    out[6 * n + t] = shuffle_down(x, 0xFFFFFFFFu);\n"
    "    out[7 * n + t] = shuffle_xor(x, 1);\n"
    "    out[8 * n + t] = shuffle_xor(x, 9);\n"
    "    out[9 * n + t] = warp_broadcast(x);\n"
    "    out[10 * n + t] = warp_sum(x);\n"
    "    out[11 * n + t] = warp_max(x);\n"
    "    out[12 * n + t] = warp_min(x);\n"
    "    out[13 * n + t] = warp_prefix_sum(x);\n"
    "    out[14 * n + t] = warp_prefix_sum_exclusive(x);\n"
    "    votes[t] = warp_vote(t % 3 == 1);\n"
    "}\n";

/* Which thread is where. */
typedef struct warp_map {
    int threads, size;
    const int32_t *places; /* lane, warp and WARP_SIZE of each thread */
    int *members;          /* size for each warp: the threads, in the order of their lanes, then -1 */
} warp_map;

/* Every thread has a lane of a warp for itself, and a warp's lanes have no gap. */
static warp_map read_map(const int32_t *places, weft_dim block) {
    warp_map map = {block_threads(block), places[2], places, NULL};
    ck_assert_int_ge(map.size, 1);
    const size_t slots = (size_t)map.threads * (size_t)map.size;
    map.members = malloc((slots + 1) * sizeof *map.members);
    ck_assert_ptr_nonnull(map.members);
    for (size_t i = 0; i <= slots; i++) map.members[i] = -1;
    for (int t = 0; t < map.threads; t++) {
        const int lane = places[PLACES * t], warp = places[PLACES * t + 1];
        ck_assert_int_eq(places[PLACES * t + 2], map.size);
        ck_assert(lane >= 0 && lane < map.size && warp >= 0 && warp < map.threads);
        if (map.size == 1 || on_driver("nvidia") || block.x == (size_t)map.threads) {
            ck_assert_int_eq(lane, t % map.size);
            ck_assert_int_eq(warp, t / map.size);
        }
        ck_assert_int_eq(map.members[warp * map.size + lane], -1);
        map.members[warp * map.size + lane] = t;
    }
    for (size_t i = 0; i < slots; i++) {
        ck_assert(map.members[i] >= 0 || i % (size_t)map.size == (size_t)map.size - 1 || map.members[i + 1] < 0);
    }
    return map;
}

static const int *warp_of(const warp_map *map, int thread) {
    return map->members + map->places[PLACES * thread + 1] * map->size;
}

static int warp_count(const warp_map *map, int thread) {
    int count = 0;
    while (count < map->size && warp_of(map, thread)[count] >= 0) count++;
    return count;
}

/* The thread in that lane of the thread's warp; the thread itself, if there is none. */
static int thread_in_lane(const warp_map *map, int thread, int lane) {
    return lane >= 0 && lane < warp_count(map, thread) ? warp_of(map, thread)[lane] : thread;
}

static void check_shuffles(const number_type *type, const warp_map *map, const char *x, const void *got,
                           weft_dim block) {
    for (int t = 0; t < map->threads; t++) {
        const int lane = map->places[PLACES * t];
        const int lanes[SHUFFLES] = {3 % map->size, (lane * 5 + 1) % map->size, lane - 1, lane - 5, -1,
                                     lane + 1,      map->size,                  lane ^ 1, lane ^ 9, 0};
        for (int row = 0; row < SHUFFLES; row++) {
            const char *want = x + (size_t)thread_in_lane(map, t, lanes[row]) * type->size;
            expect_number(type, want, got, (size_t)(row * map->threads + t), "a shuffle", block);
        }
    }
}

static void check_reductions(const number_type *type, const warp_map *map, const char *x, const void *got,
                             weft_dim block) {
    char whole[3 * NUMBER_SIZE_MAX], with[3 * NUMBER_SIZE_MAX], before[3 * NUMBER_SIZE_MAX];
    for (int t = 0; t < map->threads; t++) {
        const int lane = map->places[PLACES * t];
        type->fold(x, warp_of(map, t), warp_count(map, t), whole);
        type->fold(x, warp_of(map, t), lane + 1, with);
        type->fold(x, warp_of(map, t), lane, before);
        const void *const want[] = {whole, whole + type->size, whole + 2 * type->size, with, before};
        for (int i = 0; i < 5; i++) {
            expect_number(type, want[i], got, (size_t)((SHUFFLES + i) * map->threads + t), "a reduction", block);
        }
    }
}

static void check_votes(const warp_map *map, const uint64_t *votes) {
    for (int t = 0; t < map->threads; t++) {
        uint64_t want = 0;
        for (int lane = 0; lane < warp_count(map, t); lane++) {
            want |= (uint64_t)(warp_of(map, t)[lane] % 3 == 1) << lane;
        }
        ck_assert_uint_eq(votes[t], want);
    }
}

static void check_block(const number_type *type, weft_function *warps, weft_dim block) {
    const size_t n = (size_t)block_threads(block);
    weft_device_buffer *in = test_device_buffer(type->dtype, n), *out = test_device_buffer(type->dtype, ROWS * n);
    weft_device_buffer *places = test_device_buffer(WEFT_INT32, PLACES * n);
    weft_device_buffer *votes = test_device_buffer(WEFT_UINT64, n);
    char *x = malloc(n * type->size), *got = malloc(ROWS * n * type->size);
    int32_t *got_places = malloc(PLACES * n * sizeof *got_places);
    uint64_t *got_votes = malloc(n * sizeof *got_votes);
    ck_assert(x && got && got_places && got_votes);
    type->fill(x, (int)n);
    test_write(in, x);
    OK(weft_enqueue_function(test_context(), warps, 1, block, in, out, places, votes));
    test_read(out, got);
    test_read(places, got_places);
    test_read(votes, got_votes);
    warp_map map = read_map(got_places, block);
    check_shuffles(type, &map, x, got, block);
    check_reductions(type, &map, x, got, block);
    check_votes(&map, got_votes);
    free(map.members);
    free(got_votes);
    free(got_places);
    free(got);
    free(x);
}

START_TEST(every_operation_on_every_type) { check_every_type(source, "warps", check_block); }
END_TEST

START_TEST(every_operation_with_32_bit_indices) {
    check_type(number_types(), source, "warps", check_block, true, false);
}
END_TEST

START_TEST(threads_of_a_warp_exchange_through_memory) {
    static const char neighbours[] =
        "#include <weft.clh>\n"
        "kernel void neighbours(global int *out) {\n"
        "    SHARED(int, cell, 100);\n"
        "    const int t = thread_idx.x, first = t - lane_id(), n = block_dim.x;\n"
        "    const int last = min(first + WARP_SIZE, n) - 1;\n"
        "    for (int i = 0; i < 5; i++) {\n"
        "        cell[t] = 10 * t + i;\n"
        "        syncwarp();\n"
        "        out[i * n + t] = cell[first + last - t];\n"
        "        syncwarp();\n"
        "    }\n"
        "    if (t == 0) out[5 * n] = WARP_SIZE;\n"
        "}\n";
    enum { N = 100, TIMES = 5 };
    int32_t got[TIMES * N + 1];
    weft_device_buffer *out = test_device_buffer(WEFT_INT32, TIMES * N + 1);
    OK(weft_enqueue_function(test_context(), test_function(neighbours, "neighbours"), 1, N, out));
    test_read(out, got);
    const int size = got[TIMES * N];
    for (int i = 0; i < TIMES; i++) {
        for (int t = 0; t < N; t++) {
            const int first = t / size * size, last = (first + size < N ? first + size : N) - 1;
            ck_assert_int_eq(got[i * N + t], 10 * (first + last - t) + i);
        }
    }
}
END_TEST

START_TEST(maximum_and_minimum_pass_over_nan) {
    static const char extremes[] =
        "#include <weft.clh>\n"
        "kernel void extremes(global float *out) {\n"
        "    const float x = lane_id() == 0 && WARP_SIZE > 1 ? NAN : (float)lane_id();\n"
        "    const float most = warp_max(x), least = warp_min(x);\n"
        "    if (thread_idx.x == 0) out[0] = most, out[1] = least, out[2] = WARP_SIZE;\n"
        "}\n";
    float got[3];
    weft_device_buffer *out = test_device_buffer(WEFT_FLOAT32, 3);
    OK(weft_enqueue_function(test_context(), test_function(extremes, "extremes"), 1, 64, out));
    test_read(out, got);
    ck_assert_float_ge(got[2], 1);
    ck_assert_float_eq(got[0], got[2] - 1);
    ck_assert_float_eq(got[1], got[2] > 1 ? 1 : 0);
}
END_TEST

TESTS(every_operation_on_every_type, every_operation_with_32_bit_indices, threads_of_a_warp_exchange_through_memory,
      maximum_and_minimum_pass_over_nan)
