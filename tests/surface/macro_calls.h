/* The macros of the interface, called the same in C and in C++: test_macros.c and test_macros_cpp.cpp both
 * include this, after naming the table it makes. */
#ifndef MACRO_CALLS
#error "define MACRO_CALLS, the name of the table"
#endif

#include <weft/weft.h>

enum { N_DIMS = 12, N_FILLS = 15, N_SHAPES = 6 };

typedef struct macro_calls {
    /* take_N of the program, with N arguments: out, 2, 3, ... N. */
    weft_status (*launch)(weft_context *ctx, weft_function *function, int n, weft_device_buffer *out);
    weft_status (*launch_once)(weft_context *ctx, const char *source, int n, weft_device_buffer *out);
    /* scalars(out, one long for each integer type, one float, one struct). */
    weft_status (*launch_scalars)(weft_context *ctx, weft_function *function, weft_device_buffer *out);
    /* tensors(a, b): a tile of a 6 by 8 matrix of 48 elements, 2 by 3 from (4, 5), twice, once as a const lvalue. */
    weft_status (*launch_tensors)(weft_context *ctx, weft_function *function, weft_device_buffer *out);
    /* Node 0 of the graph launches scalars, node 1 tensors; every argument is set to what those two pass. */
    weft_status (*set_args)(weft_graph *graph, weft_device_buffer *numbers, weft_device_buffer *matrix);
    void (*dims)(weft_dim out[N_DIMS]);
    void (*shapes)(weft_shape out[N_SHAPES]);
    /* Fills element i of an int64 and of a float64 host buffer with a number of type i. */
    weft_status (*fill)(weft_host_buffer *ints, weft_host_buffer *doubles);
    /* Copies 1, 2, 3 through each pointer type; buffers are by dtype, of 3 elements. *right: it all arrived. */
    weft_status (*copy)(weft_context *ctx, weft_host_buffer *const *buffers, bool *right);
    /* Each writes value into element 0 of a mapped int32 buffer and leaves in its own way. */
    weft_status (*map)(weft_device_buffer *buffer, int32_t value);
    weft_status (*map_break)(weft_device_buffer *buffer, int32_t value);
    weft_status (*map_continue)(weft_device_buffer *buffer, int32_t value);
    weft_status (*map_return)(weft_device_buffer *buffer, int32_t value);
    weft_status (*map_exception)(weft_device_buffer *buffer, int32_t value); /* NULL in C */
} macro_calls;

struct macro_pair {
    int32_t a;
    float b;
};
enum macro_enum { MACRO_ENUMERATOR = 11 };

/* ---- Launches ------------------------------------------------------------------------------------------------------ */

#define ARGS_1 out
#define ARGS_2 ARGS_1, 2
#define ARGS_3 ARGS_2, 3
#define ARGS_4 ARGS_3, 4
#define ARGS_5 ARGS_4, 5
#define ARGS_6 ARGS_5, 6
#define ARGS_7 ARGS_6, 7
#define ARGS_8 ARGS_7, 8
#define ARGS_9 ARGS_8, 9
#define ARGS_10 ARGS_9, 10
#define ARGS_11 ARGS_10, 11
#define ARGS_12 ARGS_11, 12
#define ARGS_13 ARGS_12, 13
#define ARGS_14 ARGS_13, 14
#define ARGS_15 ARGS_14, 15
#define ARGS_16 ARGS_15, 16
#define ARGS_17 ARGS_16, 17
#define ARGS_18 ARGS_17, 18
#define ARGS_19 ARGS_18, 19
#define ARGS_20 ARGS_19, 20
#define ARGS_21 ARGS_20, 21
#define ARGS_22 ARGS_21, 22
#define ARGS_23 ARGS_22, 23
#define ARGS_24 ARGS_23, 24
#define ARGS_25 ARGS_24, 25
#define ARGS_26 ARGS_25, 26
#define ARGS_27 ARGS_26, 27
#define ARGS_28 ARGS_27, 28
#define ARGS_29 ARGS_28, 29
#define ARGS_30 ARGS_29, 30
#define ARGS_31 ARGS_30, 31
#define ARGS_32 ARGS_31, 32
#define ALL_COUNTS(X)                                                                                                  \
    X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12) X(13) X(14) X(15) X(16) X(17) X(18) X(19) X(20)     \
    X(21) X(22) X(23) X(24) X(25) X(26) X(27) X(28) X(29) X(30) X(31) X(32)

static weft_status macro_launch(weft_context *ctx, weft_function *function, int n, weft_device_buffer *out) {
    switch (n) {
        case 0: return weft_enqueue_function(ctx, function, 1, 1);
#define LAUNCH_CASE(n) case n: return weft_enqueue_function(ctx, function, 1, 1, ARGS_##n);
        ALL_COUNTS(LAUNCH_CASE)
        default: return WEFT_ERROR_IO;
    }
}

static weft_status macro_launch_once(weft_context *ctx, const char *source, int n, weft_device_buffer *out) {
    switch (n) {
        case 0: return weft_enqueue_function_once(ctx, source, "take_0", 1, 1);
#define ONCE_CASE(n) case n: return weft_enqueue_function_once(ctx, source, "take_" #n, 1, 1, ARGS_##n);
        ALL_COUNTS(ONCE_CASE)
        default: return WEFT_ERROR_IO;
    }
}

static weft_status macro_launch_scalars(weft_context *ctx, weft_function *function, weft_device_buffer *out) {
    const struct macro_pair pairs[2] = {{0, 0}, {21, 0.25f}};
    const size_t one = 1;
    return weft_enqueue_function(ctx, function, one, WEFT_DIM(1, 1u, one), out, true, 'A', (signed char)-2, (unsigned char)200,
                                 (short)-300, (unsigned short)60000, -70000, 4000000000u, -5000000000L, 6000000000uL, -7LL,
                                 8uLL, WEFT_SCALAR(9), (size_t)10, MACRO_ENUMERATOR, 0.5f, WEFT_VALUE(pairs[1]));
}

static weft_status macro_launch_tensors(weft_context *ctx, weft_function *function, weft_device_buffer *out) {
    weft_tensor whole, tile;
    weft_status status = weft_tensor_row_major(out, WEFT_SHAPE(6, 8u), &whole);
    if (!status) {
        status = weft_tensor_tile(&whole, WEFT_SHAPE(4L, (short)5), WEFT_SHAPE(2, (size_t)3), &tile);
    }
    if (status) {
        return status;
    }
    const weft_tensor fixed = tile;
    weft_tensor many[2] = {whole, tile};
    return weft_enqueue_function(ctx, function, 1, WEFT_DIM(3, 2), many[1], fixed, 1);
}

static weft_status macro_set_args(weft_graph *graph, weft_device_buffer *numbers, weft_device_buffer *matrix) {
    const struct macro_pair pairs[2] = {{0, 0}, {21, 0.25f}};
    const size_t one = 1;
    weft_tensor whole, tile;
    weft_status status = weft_tensor_row_major(matrix, WEFT_SHAPE(6, 8), &whole);
    if (!status) {
        status = weft_tensor_tile(&whole, WEFT_SHAPE(4, 5), WEFT_SHAPE(2, 3), &tile);
    }
    if (status) {
        return status;
    }
    const weft_tensor fixed = tile;
#define SET(node, index, ...) status = status ? status : weft_graph_set_arg(graph, node, index, __VA_ARGS__)
    SET(0, 0, numbers);
    SET(0, one, true);
    SET(0, 2, 'A');
    SET(0, 3, (signed char)-2);
    SET(0, 4, (unsigned char)200);
    SET(0, 5, (short)-300);
    SET(0, 6, (unsigned short)60000);
    SET(0, 7, -70000);
    SET(0, 8, 4000000000u);
    SET(0, 9, -5000000000L);
    SET(0, 10, 6000000000uL);
    SET(0, 11, -7LL);
    SET(0, 12, 8uLL);
    SET(0, 13, WEFT_SCALAR(9));
    SET(0, 14, (size_t)10);
    SET(0, 15, MACRO_ENUMERATOR);
    SET(0, 16, 0.5f);
    SET(0, 17, WEFT_VALUE(pairs[1]));
    SET(1, 0, tile);
    SET(1, 1, fixed);
    SET(1, 2, WEFT_ARG(1));
#undef SET
    return status;
}

static void macro_shapes(weft_shape out[N_SHAPES]) {
    const unsigned char small = 200;
    out[0] = WEFT_SHAPE(8);
    out[1] = WEFT_SHAPE(8, 2u);
    out[2] = WEFT_SHAPE(true, 'A', small);
    out[3] = WEFT_SHAPE(1L, 2LL, 3uL, 4uLL);
    out[4] = WEFT_SHAPE((size_t)1 << 40, MACRO_ENUMERATOR);
    out[5] = WEFT_SHAPE(-1, (short)-2);
}

static void macro_dims(weft_dim out[N_DIMS]) {
    const weft_dim dim = {3, 4, 5};
    const short negative = -4;
    out[0] = WEFT_DIM(8);
    out[1] = WEFT_DIM(8, 2);
    out[2] = WEFT_DIM(8, 2, 3);
    out[3] = WEFT_DIM('\7', (unsigned char)200, (unsigned short)9);
    out[4] = WEFT_DIM(7L, 8uL, (size_t)9);
    out[5] = WEFT_DIM(true, 8LL, 9uLL);
    out[6] = WEFT_DIM(-1, 1, negative);
    out[7] = WEFT_DIM_OF(6);
    out[8] = WEFT_DIM_OF(dim);
    out[9] = WEFT_DIM_OF((size_t)1 << 40);
    out[10] = WEFT_DIM_OF(negative);
    out[11] = WEFT_DIM(MACRO_ENUMERATOR, dim.z);
}

/* ---- Fills and copies -------------------------------------------------------------------------------------------------- */

#define RETURN_IF_FAILED(call)         \
    do {                               \
        weft_status status_ = (call);  \
        if (status_) {                 \
            return status_;            \
        }                              \
    } while (0)

static weft_status macro_fill(weft_host_buffer *ints, weft_host_buffer *doubles) {
    size_t at = 0;
#define FILL_ONE(value)                                                     \
    do {                                                                    \
        RETURN_IF_FAILED(weft_enqueue_fill_range(ints, at, 1, value));      \
        RETURN_IF_FAILED(weft_enqueue_fill_range(doubles, at, 1, value));   \
        at++;                                                               \
    } while (0)
    FILL_ONE(true);
    FILL_ONE((char)65);
    FILL_ONE((signed char)-2);
    FILL_ONE((unsigned char)200);
    FILL_ONE((short)-300);
    FILL_ONE((unsigned short)60000);
    FILL_ONE(-70000);
    FILL_ONE(4000000000u);
    FILL_ONE(-5000000000L);
    FILL_ONE(6000000000uL);
    FILL_ONE(-7LL);
    FILL_ONE(8uLL);
    FILL_ONE(-9.0f);
    FILL_ONE(1e15);
    FILL_ONE(WEFT_SCALAR(15));
    return WEFT_OK;
}

static weft_status macro_copy(weft_context *ctx, weft_host_buffer *const *buffers, bool *right) {
    *right = true;
#define COPY_TYPE(type, dtype)                                                                                   \
    do {                                                                                                         \
        type in[3] = {1, 2, 3}, out[4] = {0, 0, 0, 0};                                                           \
        const type *source = in;                                                                                 \
        void *anything = out;                                                                                    \
        weft_host_buffer *buffer = buffers[dtype];                                                               \
        RETURN_IF_FAILED(weft_enqueue_copy(ctx, buffer, in));                                                    \
        RETURN_IF_FAILED(weft_enqueue_copy(ctx, WEFT_SPAN(out, 3), buffer));                                     \
        RETURN_IF_FAILED(weft_synchronize(ctx));                                                                 \
        *right = *right && out[0] == (type)1 && out[1] == (type)2 && out[2] == (type)3 && out[3] == (type)0;     \
        RETURN_IF_FAILED(weft_enqueue_fill(buffer, 0));                                                          \
        RETURN_IF_FAILED(weft_enqueue_copy(ctx, buffer, WEFT_SPAN(source, 3)));                                  \
        RETURN_IF_FAILED(weft_enqueue_copy_range(ctx, out, 1, buffer, 0, 3));                                    \
        RETURN_IF_FAILED(weft_enqueue_copy_rect(ctx, buffer, NULL, source, WEFT_RECT(0, 3, 3), 3, 1, 1));        \
        RETURN_IF_FAILED(weft_synchronize(ctx));                                                                 \
        *right = *right && out[0] == (type)1 && out[1] == (type)1 && out[2] == (type)2 && out[3] == (type)3;     \
        RETURN_IF_FAILED(weft_host_buffer_enqueue_copy_from(buffer, source));                                    \
        RETURN_IF_FAILED(weft_host_buffer_enqueue_copy_to(buffer, anything));                                    \
        RETURN_IF_FAILED(weft_synchronize(ctx));                                                                 \
        *right = *right && out[0] == (type)1 && out[1] == (type)2 && out[2] == (type)3 && out[3] == (type)3;     \
    } while (0)
    COPY_TYPE(char, WEFT_INT8);
    COPY_TYPE(char, WEFT_UINT8);
    COPY_TYPE(signed char, WEFT_INT8);
    COPY_TYPE(unsigned char, WEFT_UINT8);
    COPY_TYPE(short, WEFT_INT16);
    COPY_TYPE(unsigned short, WEFT_UINT16);
    COPY_TYPE(unsigned short, WEFT_FLOAT16);
    COPY_TYPE(unsigned short, WEFT_BFLOAT16);
    COPY_TYPE(int, WEFT_INT32);
    COPY_TYPE(unsigned, WEFT_UINT32);
    COPY_TYPE(long, sizeof(long) == 8 ? WEFT_INT64 : WEFT_INT32);
    COPY_TYPE(unsigned long, sizeof(long) == 8 ? WEFT_UINT64 : WEFT_UINT32);
    COPY_TYPE(long long, WEFT_INT64);
    COPY_TYPE(unsigned long long, WEFT_UINT64);
    COPY_TYPE(float, WEFT_FLOAT32);
    COPY_TYPE(double, WEFT_FLOAT64);
    return WEFT_OK;
}

/* ---- Mapping -------------------------------------------------------------------------------------------------------------- */

static weft_status macro_map(weft_device_buffer *buffer, int32_t value) {
    weft_status status = WEFT_OK;
    WEFT_WITH_MAPPED(status, host, buffer) { *(int32_t *)weft_host_buffer_data(host) = value; }
    return status;
}

static weft_status macro_map_break(weft_device_buffer *buffer, int32_t value) {
    weft_status status = WEFT_OK;
    WEFT_WITH_MAPPED(status, host, buffer) {
        *(int32_t *)weft_host_buffer_data(host) = value;
        if (value) {
            break;
        }
        status = WEFT_ERROR_IO;
    }
    return status;
}

static weft_status macro_map_continue(weft_device_buffer *buffer, int32_t value) {
    weft_status status = WEFT_OK;
    WEFT_WITH_MAPPED(status, host, buffer) {
        *(int32_t *)weft_host_buffer_data(host) = value;
        if (value) {
            continue;
        }
        status = WEFT_ERROR_IO;
    }
    return status;
}

static weft_status macro_map_return(weft_device_buffer *buffer, int32_t value) {
    weft_status status = WEFT_OK;
    WEFT_WITH_MAPPED(status, host, buffer) {
        *(int32_t *)weft_host_buffer_data(host) = value;
        return WEFT_OK;
    }
    return status ? status : WEFT_ERROR_IO;
}

#ifdef __cplusplus
static weft_status macro_map_exception(weft_device_buffer *buffer, int32_t value) {
    weft_status status = WEFT_OK;
    try {
        WEFT_WITH_MAPPED(status, host, buffer) {
            *(int32_t *)weft_host_buffer_data(host) = value;
            throw value;
        }
    } catch (int32_t caught) {
        return caught == value ? status : WEFT_ERROR_IO;
    }
    return WEFT_ERROR_IO;
}
extern "C" {
#else
#define macro_map_exception NULL
#endif

extern const macro_calls MACRO_CALLS;
const macro_calls MACRO_CALLS = {macro_launch, macro_launch_once, macro_launch_scalars, macro_launch_tensors, macro_set_args, macro_dims,
                                 macro_shapes, macro_fill, macro_copy, macro_map, macro_map_break,
                                 macro_map_continue, macro_map_return, macro_map_exception};

#ifdef __cplusplus
}
#endif
