/* The types that weft.clh computes with, and results to hold against it, computed on the host.
 *
 * Values are such that every sum is exact, whatever its order, and signed sums stay in range.
 */
#ifndef KERNELS_NUMBERS_H
#define KERNELS_NUMBERS_H

#include <stdio.h>

#include "support.h"

typedef struct number_type {
    const char *name; /* in OpenCL C */
    weft_dtype dtype;
    size_t size;
    void (*fill)(void *values, int n);
    /* Sum, maximum and minimum, one after the other in out, of count values, those at order[0], order[1], ... */
    void (*fold)(const void *values, const int *order, int count, void *out);
} number_type;

/* From -1000 to 1000. */
static inline int number_step(int i) { return i * 7919 % 2001 - 1000; }

#define NUMBER_TYPE(NAME, T, VALUE)                                                      \
    static inline void NAME##_fill(void *values, int n) {                                \
        for (int i = 0; i < n; i++) ((T *)values)[i] = (T)(VALUE);                       \
    }                                                                                    \
    static inline void NAME##_fold(const void *values, const int *order, int count, void *out) { \
        const T *x = values;                                                             \
        T sum = 0, max = count > 0 ? x[order[0]] : 0, min = max;                         \
        for (int i = 0; i < count; i++) {                                                \
            T value = x[order[i]];                                                       \
            sum = (T)(sum + value);                                                      \
            max = value > max ? value : max;                                             \
            min = value < min ? value : min;                                             \
        }                                                                                \
        ((T *)out)[0] = sum, ((T *)out)[1] = max, ((T *)out)[2] = min;                   \
    }

NUMBER_TYPE(int, int32_t, number_step(i) * 500)
NUMBER_TYPE(uint, uint32_t, (uint32_t)(i + 1) * 2654435761u)
NUMBER_TYPE(long, int64_t, (int64_t)number_step(i) * ((INT64_C(1) << 40) + 1))
NUMBER_TYPE(ulong, uint64_t, (uint64_t)(i + 1) * UINT64_C(0x9E3779B97F4A7C15))
NUMBER_TYPE(float, float, (float)number_step(i) * 0.25f)
NUMBER_TYPE(double, double, (double)number_step(i) * 1048576.25)

enum { NUMBER_SIZE_MAX = 8 };

/* NULL behind the last; double only where the device has it. */
static inline const number_type *number_types(void) {
    static number_type types[] = {
        {"int", WEFT_INT32, 4, int_fill, int_fold},       {"uint", WEFT_UINT32, 4, uint_fill, uint_fold},
        {"long", WEFT_INT64, 8, long_fill, long_fold},    {"ulong", WEFT_UINT64, 8, ulong_fill, ulong_fold},
        {"float", WEFT_FLOAT32, 4, float_fill, float_fold}, {"double", WEFT_FLOAT64, 8, double_fill, double_fold},
        {0},
    };
    weft_device_info info;
    OK(weft_device_get_info(NULL, 0, &info));
    if (!info.fp64) {
        types[5].name = NULL;
    }
    return types;
}

/* The function of a source that computes with T, compiled for that type, with 64-bit or with 32-bit index names. */
static inline weft_function *compile_for(const number_type *type, const char *source, const char *name, bool narrow) {
    char typed[32];
    snprintf(typed, sizeof typed, "T=%s", type->name);
    const char *defines[] = {typed, "WEFT_INDEX_32"};
    const weft_compile_options options = {.defines = defines, .n_defines = narrow ? 2 : 1};
    weft_program *program = NULL;
    weft_function *function = NULL;
    OK(weft_compile_program(test_context(), source, &options, &program));
    const char *log = weft_program_build_log(program);
    ck_assert_msg(on_driver("nvidia") || !strstr(log, "warning"), "%s", log); /* NVIDIA's has one for every kernel */
    OK(weft_program_function(program, name, &function));
    weft_program_release(program);
    return function;
}

static inline int block_threads(weft_dim block) { return (int)(block.x * block.y * block.z); }

/* The blocks that every operation is tried with, x = 0 behind the last. An emulator gets those that need no patience;
 * PoCL, which compiles a kernel again for each of them, gets them all only if asked. */
static inline const weft_dim *block_shapes(weft_function *function, bool all) {
    static const weft_dim tried[] = {{33, 1, 1}, {3, 5, 4},   {256, 1, 1}, {1, 1, 1},   {31, 1, 1},
                                     {32, 1, 1}, {64, 1, 1},  {5, 7, 1},   {100, 1, 1}, {16, 17, 1}};
    static weft_dim shapes[sizeof tried / sizeof *tried + 2];
    int64_t most = 0;
    OK(weft_function_get_attribute(function, WEFT_FUNCTION_MAX_THREADS_PER_BLOCK, &most));
    const size_t count = on_driver("pocl") && !all ? 3 : sizeof tried / sizeof *tried;
    const size_t limit = on_driver("oclgrind") ? 100 : 1000000;
    size_t n = 0;
    for (size_t i = 0; i < count; i++) {
        const size_t threads = tried[i].x * tried[i].y * tried[i].z;
        if (threads <= limit && threads <= (size_t)most) shapes[n++] = tried[i];
    }
    if (count > 3 && (size_t)most <= limit) shapes[n++] = WEFT_DIM((size_t)most);
    shapes[n] = (weft_dim){0, 0, 0};
    return shapes;
}

/* Element i of got is that of want, in every bit. */
static inline void expect_number(const number_type *type, const void *want, const void *got, size_t i, const char *what,
                                 weft_dim block) {
    const unsigned char *g = (const unsigned char *)got + i * type->size;
    if (memcmp(want, g, type->size) == 0) return;
    uint64_t wanted = 0, gotten = 0;
    memcpy(&wanted, want, type->size);
    memcpy(&gotten, g, type->size);
    ck_abort_msg("%s of %s, block %zu x %zu x %zu, element %zu: bits %llx instead of %llx", what, type->name, block.x,
                 block.y, block.z, i, (unsigned long long)gotten, (unsigned long long)wanted);
}

/* Checks one block of a kernel that was compiled for a type. */
typedef void (*block_check)(const number_type *type, weft_function *function, weft_dim block);

static inline void check_type(const number_type *type, const char *source, const char *name, block_check check, bool narrow, bool all) {
    weft_function *function = compile_for(type, source, name, narrow);
    for (const weft_dim *block = block_shapes(function, all); block->x > 0; block++) {
        check(type, function, *block);
    }
    weft_function_release(function);
}

/* Every block for int, some for the other types. */
static inline void check_every_type(const char *source, const char *name, block_check check) {
    for (const number_type *type = number_types(); type->name; type++) {
        check_type(type, source, name, check, false, type->dtype == WEFT_INT32);
    }
}

#endif
