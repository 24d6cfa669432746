/* Random numbers of weft.clh. */
#include <math.h>

#include "support.h"

/* Another program's Philox 4x32-10, in 64-bit arithmetic. */
static void philox(const uint32_t counter[4], const uint32_t key[2], uint32_t out[4]) {
    uint32_t c[4] = {counter[0], counter[1], counter[2], counter[3]};
    for (uint32_t round = 0; round < 10; round++) {
        const uint64_t a = UINT64_C(0xD2511F53) * c[0], b = UINT64_C(0xCD9E8D57) * c[2];
        const uint32_t k0 = key[0] + round * 0x9E3779B9u, k1 = key[1] + round * 0xBB67AE85u;
        const uint32_t next[4] = {(uint32_t)(b >> 32) ^ c[1] ^ k0, (uint32_t)b, (uint32_t)(a >> 32) ^ c[3] ^ k1, (uint32_t)a};
        memcpy(c, next, sizeof c);
    }
    memcpy(out, c, sizeof c);
}

/* Counter, key, result. Source: kat_vectors of Random123, the lines of philox4x32 with 10 rounds. */
static const uint32_t known[3][10] = {
    {0, 0, 0, 0, 0, 0, 0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8},
    {0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd},
    {0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344, 0xa4093822, 0x299f31d0, 0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1},
};

START_TEST(known_answers) {
    static const char source[] =
        "#include <weft.clh>\n"
        "kernel void answers(global const uint *in, global uint4 *out) {\n"
        "    global const uint *row = in + 10 * global_idx.x;\n"
        "    out[global_idx.x] = philox4x32_10((uint4)(row[0], row[1], row[2], row[3]), (uint2)(row[4], row[5]));\n"
        "}\n";
    weft_device_buffer *in = test_device_buffer(WEFT_UINT32, 30), *out = test_device_buffer(WEFT_UINT32, 12);
    uint32_t got[12], host[4];
    test_write(in, known);
    OK(weft_enqueue_function(test_context(), test_function(source, "answers"), 1, 3, in, out));
    test_read(out, got);
    for (int i = 0; i < 3; i++) {
        philox(known[i], known[i] + 4, host);
        ck_assert_mem_eq(host, known[i] + 6, sizeof host);
        ck_assert_mem_eq(got + 4 * i, known[i] + 6, sizeof host);
    }
}
END_TEST

/* The counter carries from word to word, and the streams are those of seed, subsequence and offset. */
START_TEST(streams_and_steps) {
    static const char source[] =
        "#include <weft.clh>\n"
        "kernel void steps(global const ulong *in, global uint4 *out) {\n"
        "    global const ulong *row = in + 3 * global_idx.x;\n"
        "    philox rng = philox_init(row[0], row[1], row[2]);\n"
        "    for (int i = 0; i < 3; i++) out[3 * global_idx.x + i] = philox_step(&rng);\n"
        "}\n";
    static const uint64_t streams[5][3] = {{0x3D30F19CD101, 0, 0},
                                           {42, 7, 0xFFFFFFFF},
                                           {UINT64_MAX, 0xFFFFFFFF, UINT64_MAX},
                                           {1, UINT64_MAX, UINT64_MAX - 1},
                                           {2, UINT64_C(0x123456789), UINT64_C(0xABCDEFFFFFFFF)}};
    weft_device_buffer *in = test_device_buffer(WEFT_UINT64, 15), *out = test_device_buffer(WEFT_UINT32, 60);
    uint32_t got[60], want[4];
    test_write(in, streams);
    OK(weft_enqueue_function(test_context(), test_function(source, "steps"), 1, 5, in, out));
    test_read(out, got);
    for (int i = 0; i < 5; i++) {
        for (uint64_t step = 0; step < 3; step++) {
            const uint64_t low = streams[i][2] + step, high = streams[i][1] + (low < step);
            const uint32_t key[2] = {(uint32_t)streams[i][0], (uint32_t)(streams[i][0] >> 32)};
            const uint32_t counter[4] = {(uint32_t)low, (uint32_t)(low >> 32), (uint32_t)high, (uint32_t)(high >> 32)};
            philox(counter, key, want);
            ck_assert_mem_eq(got + 4 * (3 * i + (int)step), want, sizeof want);
        }
    }
}
END_TEST

enum { STREAMS = 512 };

static const char draws_source[] =
    "#include <weft.clh>\n"
    "kernel void uniform(global float4 *out) {\n"
    "    philox rng = philox_init(5, global_idx.x, 0);\n"
    "    out[global_idx.x] = philox_step_uniform(&rng);\n"
    "}\n"
    "kernel void normal(global float8 *out) {\n"
    "    philox rng = philox_init(5, global_idx.x, 0);\n"
    "    out[global_idx.x] = philox_step_normal(&rng, 10.0f, 2.0f);\n"
    "}\n"
    "kernel void normal_4(global float4 *out) {\n"
    "    philox rng = philox_init(5, global_idx.x, 0);\n"
    "    out[global_idx.x] = philox_step_normal_4(&rng, -1.0f, 0.5f);\n"
    "}\n";

static void draw(const char *kernel, size_t count, float *got) {
    weft_device_buffer *out = test_device_buffer(WEFT_FLOAT32, count * STREAMS);
    OK(weft_enqueue_function(test_context(), test_function(draws_source, kernel), STREAMS / 64, 64, out));
    test_read(out, got);
}

/* The four numbers of a step of draw()'s stream. */
static void raw_step(uint32_t stream, uint32_t step, uint32_t out[4]) {
    philox((const uint32_t[4]){step, 0, stream, 0}, (const uint32_t[2]){5, 0}, out);
}

static void expect_moments(const float *x, size_t n, double mean, double deviation) {
    double sum = 0, squares = 0;
    for (size_t i = 0; i < n; i++) sum += (double)x[i];
    for (size_t i = 0; i < n; i++) squares += ((double)x[i] - mean) * ((double)x[i] - mean);
    ck_assert_double_eq_tol(sum / (double)n, mean, 5 * deviation / sqrt((double)n));
    ck_assert_double_eq_tol(sqrt(squares / (double)n), deviation, 5 * deviation / sqrt((double)n));
}

START_TEST(uniform_numbers_are_below_1) {
    static float got[4 * STREAMS];
    draw("uniform", 4, got);
    for (uint32_t stream = 0; stream < STREAMS; stream++) {
        uint32_t raw[4];
        raw_step(stream, 0, raw);
        for (int i = 0; i < 4; i++) {
            const float want = (float)(raw[i] & 0x7FFFFFFF) * 0x1.fffffep-32f, x = got[4 * stream + (uint32_t)i];
            ck_assert(x >= 0 && x < 1);
            ck_assert_float_eq(x, want);
        }
    }
    expect_moments(got, 4 * STREAMS, 0.5, sqrt(1.0 / 12));
}
END_TEST

/* The largest of the 31-bit numbers is the one that rounding could take to 1. */
START_TEST(the_largest_uniform_number_is_below_1) {
    static const char source[] =
        "#include <weft.clh>\n"
        "kernel void largest(global float *out, uint most) { out[0] = convert_float(most & 0x7FFFFFFFu) * 0x1.fffffep-32f; }\n";
    weft_device_buffer *out = test_device_buffer(WEFT_FLOAT32, 1);
    float got = 0;
    OK(weft_enqueue_function(test_context(), test_function(source, "largest"), 1, 1, out, UINT32_MAX));
    test_read(out, &got);
    ck_assert_float_eq(got, 0x1.fffffep-1f);
}
END_TEST

static double box_muller(double u, double turns, bool sine) {
    const double angle = 2 * acos(-1.0) * turns;
    return sqrt(-2 * log(u)) * (sine ? sin(angle) : cos(angle));
}

START_TEST(normal_numbers) {
    static float got[8 * STREAMS], got_4[4 * STREAMS];
    draw("normal", 8, got);
    draw("normal_4", 4, got_4);
    for (uint32_t stream = 0; stream < STREAMS; stream++) {
        uint32_t a[4], b[4];
        raw_step(stream, 0, a);
        raw_step(stream, 1, b);
        for (uint32_t i = 0; i < 8; i++) {
            const float u = 1.0f - (float)(a[i % 4] & 0x7FFFFFFF) * 0x1.fffffep-32f;
            const float turns = 1.0f - (float)(b[i % 4] & 0x7FFFFFFF) * 0x1.fffffep-32f;
            ck_assert_double_eq_tol((double)got[8 * stream + i], 10 + 2 * box_muller((double)u, (double)turns, i >= 4), 1e-4);
        }
        for (uint32_t i = 0; i < 4; i++) {
            const float u = fmaf((float)a[i & 2], 0x1p-32f, 0x1p-33f), turns = fmaf((float)a[(i & 2) + 1], 0x1p-32f, 0x1p-33f);
            const double want = -1 + 0.5 * box_muller((double)u, (double)turns, i % 2 == 0);
            ck_assert_double_eq_tol((double)got_4[4 * stream + i], want, 1e-4);
        }
    }
    expect_moments(got, 8 * STREAMS, 10, 2);
    expect_moments(got_4, 4 * STREAMS, -1, 0.5);
}
END_TEST

TESTS(known_answers, streams_and_steps, uniform_numbers_are_below_1, the_largest_uniform_number_is_below_1, normal_numbers)
