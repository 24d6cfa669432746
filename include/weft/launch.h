/* weft/launch.h: the macros under weft_enqueue_function. */
#ifndef WEFT_LAUNCH_H
#define WEFT_LAUNCH_H

#include <weft/function.h>

/* ---- Arguments ----------------------------------------------------------------------------------- */

#ifdef __cplusplus
extern "C" {
#endif

static inline weft_arg weft_arg_from_scalar(weft_scalar scalar) {
    weft_arg arg = {(weft_arg_kind)scalar.kind, 0, scalar.size_bytes, {scalar.value.i}};
    return arg;
}
static inline weft_arg weft_arg_from_buffer(weft_device_buffer *buffer) {
    weft_arg arg = {WEFT_ARG_BUFFER, 0, 0, {0}};
    arg.value.buffer = buffer;
    return arg;
}
static inline weft_arg weft_arg_from_value(const void *data, size_t size_bytes, size_t alignment) {
    weft_arg arg = {WEFT_ARG_VALUE, (uint32_t)alignment, size_bytes, {0}};
    arg.value.data = data;
    return arg;
}
static inline weft_arg weft_arg_null(void) {
    weft_arg arg = {WEFT_ARG_NULL, 0, 0, {0}};
    return arg;
}
/* The tensor is read during the launch; keep it until then. */
static inline weft_arg weft_arg_from_tensor(const weft_tensor *tensor) {
    weft_arg arg = {WEFT_ARG_TENSOR, 0, 0, {0}};
    arg.value.tensor = tensor;
    return arg;
}
/* Local memory for a local pointer parameter, in bytes; 0 is legal. */
static inline weft_arg weft_shared_bytes(size_t size_bytes) {
    weft_arg arg = {WEFT_ARG_SHARED, 0, size_bytes, {0}};
    return arg;
}
#define WEFT_NULL weft_arg_null()

#ifdef __cplusplus
}

extern "C++" {
static inline weft_arg weft_arg_of(weft_device_buffer *buffer) { return weft_arg_from_buffer(buffer); }
static inline weft_arg weft_arg_of(weft_arg arg) { return arg; }
static inline weft_arg weft_arg_of(const weft_tensor &tensor) { return weft_arg_from_tensor(&tensor); }
/* Numbers only; a pointer would otherwise convert to bool. */
template <typename T> inline auto weft_arg_of(T x) -> decltype(weft_arg_from_scalar(weft_scalar_of(x))) {
    static_assert(!__is_class(T) || __is_same(T, weft_scalar), "pass structs and vectors as WEFT_VALUE(lvalue)");
    return weft_arg_from_scalar(weft_scalar_of(x));
}
template <typename T> weft_arg weft_arg_of(T *) = delete; /* only device buffers may be passed as pointers */
template <typename T> inline weft_arg weft_arg_of_value(const T &x) { return weft_arg_from_value(&x, sizeof x, alignof(T)); }
}
#define WEFT_ARG(x) weft_arg_of(x)
#define WEFT_VALUE(...) weft_arg_of_value(__VA_ARGS__)

#else

static inline weft_arg weft_arg_identity_(weft_arg arg) { return arg; }
#define WEFT_ARG_BUILDER(suffix, type) \
    static inline weft_arg weft_arg_of_##suffix(type v) { return weft_arg_from_scalar(weft_scalar_of_##suffix(v)); }
WEFT_ARG_BUILDER(bool, bool)
WEFT_ARG_BUILDER(char, char)
WEFT_ARG_BUILDER(schar, signed char)
WEFT_ARG_BUILDER(uchar, unsigned char)
WEFT_ARG_BUILDER(short, short)
WEFT_ARG_BUILDER(ushort, unsigned short)
WEFT_ARG_BUILDER(int, int)
WEFT_ARG_BUILDER(uint, unsigned)
WEFT_ARG_BUILDER(long, long)
WEFT_ARG_BUILDER(ulong, unsigned long)
WEFT_ARG_BUILDER(llong, long long)
WEFT_ARG_BUILDER(ullong, unsigned long long)
WEFT_ARG_BUILDER(float, float)
WEFT_ARG_BUILDER(double, double)
WEFT_ARG_BUILDER(scalar, weft_scalar)
#undef WEFT_ARG_BUILDER

/* A tensor is passed by the address of a copy, which lives as long as the block around the call. */
#define WEFT_ARG_OPERAND_(x) _Generic((x), weft_tensor: (__typeof__((void)0, (x))[1]){x}, default: (x))

#define WEFT_ARG(x)                              \
    _Generic((x),                                \
        weft_device_buffer *: weft_arg_from_buffer, \
        weft_tensor: weft_arg_from_tensor,       \
        weft_arg: weft_arg_identity_,            \
        bool: weft_arg_of_bool,                  \
        char: weft_arg_of_char,                  \
        signed char: weft_arg_of_schar,          \
        unsigned char: weft_arg_of_uchar,        \
        short: weft_arg_of_short,                \
        unsigned short: weft_arg_of_ushort,      \
        int: weft_arg_of_int,                    \
        unsigned: weft_arg_of_uint,              \
        long: weft_arg_of_long,                  \
        unsigned long: weft_arg_of_ulong,        \
        long long: weft_arg_of_llong,            \
        unsigned long long: weft_arg_of_ullong,  \
        float: weft_arg_of_float,                \
        double: weft_arg_of_double,              \
        weft_scalar: weft_arg_of_scalar)(WEFT_ARG_OPERAND_(x))
#define WEFT_VALUE(...) weft_arg_from_value(&(__VA_ARGS__), sizeof(__VA_ARGS__), __alignof__(__VA_ARGS__))

#endif

/* ---- Dimensions ---------------------------------------------------------------------------------- */

/* A negative component becomes 0, which a launch refuses by name. */
#ifdef __cplusplus
extern "C++" {
template <typename T> inline size_t weft_dim_component(T v) {
    static_assert((T)0.5 == (T)0, "a dimension is an integer");
    return v < (T)0 ? 0 : static_cast<size_t>(v);
}
template <> inline size_t weft_dim_component<bool>(bool v) { return v ? 1 : 0; }
static inline weft_dim weft_dim_make(size_t x, size_t y = 1, size_t z = 1) { return weft_dim{x, y, z}; }
template <typename T> inline weft_dim weft_dim_from(T v) { return weft_dim{weft_dim_component(v), 1, 1}; }
template <> inline weft_dim weft_dim_from<weft_dim>(weft_dim v) { return v; }
}
#define WEFT_DIM_OF(x) weft_dim_from(x)

#else

static inline size_t weft_dim_signed_(long long v) { return v < 0 ? 0 : (size_t)v; }
static inline size_t weft_dim_unsigned_(unsigned long long v) { return (size_t)v; }
static inline weft_dim weft_dim_make(size_t x, size_t y, size_t z) {
    weft_dim dim = {x, y, z};
    return dim;
}
static inline weft_dim weft_dim_line_signed_(long long v) { return weft_dim_make(weft_dim_signed_(v), 1, 1); }
static inline weft_dim weft_dim_line_unsigned_(unsigned long long v) { return weft_dim_make(weft_dim_unsigned_(v), 1, 1); }
static inline weft_dim weft_dim_identity_(weft_dim v) { return v; }

#define weft_dim_component(x) _Generic((x), WEFT_INTEGER_CASES(weft_dim_signed_, weft_dim_unsigned_))(x)
#define WEFT_DIM_OF(x) \
    _Generic((x), weft_dim: weft_dim_identity_, WEFT_INTEGER_CASES(weft_dim_line_signed_, weft_dim_line_unsigned_))(x)

#endif

#define WEFT_DIM_PICK_(_1, _2, _3, name, ...) name
#define WEFT_DIM_1_(x) weft_dim_make(weft_dim_component(x), 1, 1)
#define WEFT_DIM_2_(x, y) weft_dim_make(weft_dim_component(x), weft_dim_component(y), 1)
#define WEFT_DIM_3_(x, y, z) weft_dim_make(weft_dim_component(x), weft_dim_component(y), weft_dim_component(z))
#define WEFT_DIM(...) WEFT_DIM_PICK_(__VA_ARGS__, WEFT_DIM_3_, WEFT_DIM_2_, WEFT_DIM_1_, 0)(__VA_ARGS__)

static inline weft_launch weft_launch_of(weft_dim grid_dim, weft_dim block_dim) {
    weft_launch launch = {grid_dim, block_dim};
    return launch;
}

/* ---- The launch ---------------------------------------------------------------------------------- */

#ifdef __cplusplus
extern "C++" {
template <typename G, typename B, typename... A>
WEFT_NODISCARD inline weft_status weft_enqueue_function(weft_context *context, weft_function *function, G grid_dim,
                                                        B block_dim, A... a) {
    static_assert(sizeof...(A) <= 32, "more than 32 arguments: use weft_enqueue_function_args");
    const weft_launch launch = weft_launch_of(WEFT_DIM_OF(grid_dim), WEFT_DIM_OF(block_dim));
    const weft_arg args[sizeof...(A) + 1] = {WEFT_ARG(a)...};
    return weft_enqueue_function_args(context, function, &launch, args, sizeof...(A));
}
template <typename G, typename B, typename... A>
WEFT_NODISCARD inline weft_status weft_enqueue_function_once(weft_context *context, const char *source, const char *name,
                                                             G grid_dim, B block_dim, A... a) {
    static_assert(sizeof...(A) <= 32, "more than 32 arguments: use weft_enqueue_function_once_args");
    const weft_launch launch = weft_launch_of(WEFT_DIM_OF(grid_dim), WEFT_DIM_OF(block_dim));
    const weft_arg args[sizeof...(A) + 1] = {WEFT_ARG(a)...};
    return weft_enqueue_function_once_args(context, source, name, &launch, args, sizeof...(A));
}
}

#else

#define weft_enqueue_function(...) \
    weft_enqueue_function_args(WEFT_LAUNCH_HEAD_(__VA_ARGS__, 0), WEFT_LAUNCH_ARGS_(__VA_ARGS__))
#define weft_enqueue_function_once(context, source, ...)                                     \
    weft_enqueue_function_once_args(context, source, WEFT_ONCE_HEAD_(__VA_ARGS__, 0),        \
                                    WEFT_LAUNCH_ARGS_(context, __VA_ARGS__))

#define WEFT_LAUNCH_HEAD_(c, f, g, b, ...) c, f, &(const weft_launch){WEFT_DIM_OF(g), WEFT_DIM_OF(b)}
#define WEFT_ONCE_HEAD_(name, g, b, ...) name, &(const weft_launch){WEFT_DIM_OF(g), WEFT_DIM_OF(b)}

/* "array, count" of what follows the four fixed operands: none is NULL, 0; more than 32 become an undeclared
 * name that says what to use instead. */
#define WEFT_LAUNCH_ARGS_(...) WEFT_PASTE_(WEFT_ARGS_, WEFT_COUNT_ARGS_(__VA_ARGS__))(__VA_ARGS__)
#define WEFT_PASTE_(a, b) WEFT_PASTE_2_(a, b)
#define WEFT_PASTE_2_(a, b) a##b
#define WEFT_ARGS_TOO_MANY(...) more_than_32_arguments_use_weft_enqueue_function_args
#define WEFT_PICK_(                                                                                             \
    a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, a17, a18, a19, a20, a21,         \
    a22, a23, a24, a25, a26, a27, a28, a29, a30, a31, a32, a33, a34, a35, a36, a37, a38, a39, a40, a41,         \
    a42, a43, a44, a45, a46, a47, a48, a49, a50, a51, a52, a53, a54, a55, a56, a57, a58, a59, a60, a61,         \
    a62, a63, a64, a65, a66, a67, picked, ...) picked
#define WEFT_COUNT_ARGS_(...)                                                                                   \
    WEFT_PICK_(__VA_ARGS__, TOO_MANY, TOO_MANY, TOO_MANY, TOO_MANY, TOO_MANY, TOO_MANY, TOO_MANY,               \
    TOO_MANY, TOO_MANY, TOO_MANY, TOO_MANY, TOO_MANY, TOO_MANY, TOO_MANY, TOO_MANY, TOO_MANY, TOO_MANY,         \
    TOO_MANY, TOO_MANY, TOO_MANY, TOO_MANY, TOO_MANY, TOO_MANY, TOO_MANY, TOO_MANY, TOO_MANY, TOO_MANY,         \
    TOO_MANY, TOO_MANY, TOO_MANY, TOO_MANY, TOO_MANY, 32, 31, 30, 29, 28, 27, 26, 25, 24, 23, 22, 21,           \
    20, 19, 18, 17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0, 0, 0, 0, 0)
#define WEFT_MAP_1_(a) WEFT_ARG(a)
#define WEFT_MAP_2_(a, ...) WEFT_ARG(a), WEFT_MAP_1_(__VA_ARGS__)
#define WEFT_MAP_3_(a, ...) WEFT_ARG(a), WEFT_MAP_2_(__VA_ARGS__)
#define WEFT_MAP_4_(a, ...) WEFT_ARG(a), WEFT_MAP_3_(__VA_ARGS__)
#define WEFT_MAP_5_(a, ...) WEFT_ARG(a), WEFT_MAP_4_(__VA_ARGS__)
#define WEFT_MAP_6_(a, ...) WEFT_ARG(a), WEFT_MAP_5_(__VA_ARGS__)
#define WEFT_MAP_7_(a, ...) WEFT_ARG(a), WEFT_MAP_6_(__VA_ARGS__)
#define WEFT_MAP_8_(a, ...) WEFT_ARG(a), WEFT_MAP_7_(__VA_ARGS__)
#define WEFT_MAP_9_(a, ...) WEFT_ARG(a), WEFT_MAP_8_(__VA_ARGS__)
#define WEFT_MAP_10_(a, ...) WEFT_ARG(a), WEFT_MAP_9_(__VA_ARGS__)
#define WEFT_MAP_11_(a, ...) WEFT_ARG(a), WEFT_MAP_10_(__VA_ARGS__)
#define WEFT_MAP_12_(a, ...) WEFT_ARG(a), WEFT_MAP_11_(__VA_ARGS__)
#define WEFT_MAP_13_(a, ...) WEFT_ARG(a), WEFT_MAP_12_(__VA_ARGS__)
#define WEFT_MAP_14_(a, ...) WEFT_ARG(a), WEFT_MAP_13_(__VA_ARGS__)
#define WEFT_MAP_15_(a, ...) WEFT_ARG(a), WEFT_MAP_14_(__VA_ARGS__)
#define WEFT_MAP_16_(a, ...) WEFT_ARG(a), WEFT_MAP_15_(__VA_ARGS__)
#define WEFT_MAP_17_(a, ...) WEFT_ARG(a), WEFT_MAP_16_(__VA_ARGS__)
#define WEFT_MAP_18_(a, ...) WEFT_ARG(a), WEFT_MAP_17_(__VA_ARGS__)
#define WEFT_MAP_19_(a, ...) WEFT_ARG(a), WEFT_MAP_18_(__VA_ARGS__)
#define WEFT_MAP_20_(a, ...) WEFT_ARG(a), WEFT_MAP_19_(__VA_ARGS__)
#define WEFT_MAP_21_(a, ...) WEFT_ARG(a), WEFT_MAP_20_(__VA_ARGS__)
#define WEFT_MAP_22_(a, ...) WEFT_ARG(a), WEFT_MAP_21_(__VA_ARGS__)
#define WEFT_MAP_23_(a, ...) WEFT_ARG(a), WEFT_MAP_22_(__VA_ARGS__)
#define WEFT_MAP_24_(a, ...) WEFT_ARG(a), WEFT_MAP_23_(__VA_ARGS__)
#define WEFT_MAP_25_(a, ...) WEFT_ARG(a), WEFT_MAP_24_(__VA_ARGS__)
#define WEFT_MAP_26_(a, ...) WEFT_ARG(a), WEFT_MAP_25_(__VA_ARGS__)
#define WEFT_MAP_27_(a, ...) WEFT_ARG(a), WEFT_MAP_26_(__VA_ARGS__)
#define WEFT_MAP_28_(a, ...) WEFT_ARG(a), WEFT_MAP_27_(__VA_ARGS__)
#define WEFT_MAP_29_(a, ...) WEFT_ARG(a), WEFT_MAP_28_(__VA_ARGS__)
#define WEFT_MAP_30_(a, ...) WEFT_ARG(a), WEFT_MAP_29_(__VA_ARGS__)
#define WEFT_MAP_31_(a, ...) WEFT_ARG(a), WEFT_MAP_30_(__VA_ARGS__)
#define WEFT_MAP_32_(a, ...) WEFT_ARG(a), WEFT_MAP_31_(__VA_ARGS__)
#define WEFT_ARGS_0(c, f, g, b) NULL, 0
#define WEFT_ARGS_1(c, f, g, b, ...) (const weft_arg[]){WEFT_MAP_1_(__VA_ARGS__)}, 1
#define WEFT_ARGS_2(c, f, g, b, ...) (const weft_arg[]){WEFT_MAP_2_(__VA_ARGS__)}, 2
#define WEFT_ARGS_3(c, f, g, b, ...) (const weft_arg[]){WEFT_MAP_3_(__VA_ARGS__)}, 3
#define WEFT_ARGS_4(c, f, g, b, ...) (const weft_arg[]){WEFT_MAP_4_(__VA_ARGS__)}, 4
#define WEFT_ARGS_5(c, f, g, b, ...) (const weft_arg[]){WEFT_MAP_5_(__VA_ARGS__)}, 5
#define WEFT_ARGS_6(c, f, g, b, ...) (const weft_arg[]){WEFT_MAP_6_(__VA_ARGS__)}, 6
#define WEFT_ARGS_7(c, f, g, b, ...) (const weft_arg[]){WEFT_MAP_7_(__VA_ARGS__)}, 7
#define WEFT_ARGS_8(c, f, g, b, ...) (const weft_arg[]){WEFT_MAP_8_(__VA_ARGS__)}, 8
#define WEFT_ARGS_9(c, f, g, b, ...) (const weft_arg[]){WEFT_MAP_9_(__VA_ARGS__)}, 9
#define WEFT_ARGS_10(c, f, g, b, ...) (const weft_arg[]){WEFT_MAP_10_(__VA_ARGS__)}, 10
#define WEFT_ARGS_11(c, f, g, b, ...) (const weft_arg[]){WEFT_MAP_11_(__VA_ARGS__)}, 11
#define WEFT_ARGS_12(c, f, g, b, ...) (const weft_arg[]){WEFT_MAP_12_(__VA_ARGS__)}, 12
#define WEFT_ARGS_13(c, f, g, b, ...) (const weft_arg[]){WEFT_MAP_13_(__VA_ARGS__)}, 13
#define WEFT_ARGS_14(c, f, g, b, ...) (const weft_arg[]){WEFT_MAP_14_(__VA_ARGS__)}, 14
#define WEFT_ARGS_15(c, f, g, b, ...) (const weft_arg[]){WEFT_MAP_15_(__VA_ARGS__)}, 15
#define WEFT_ARGS_16(c, f, g, b, ...) (const weft_arg[]){WEFT_MAP_16_(__VA_ARGS__)}, 16
#define WEFT_ARGS_17(c, f, g, b, ...) (const weft_arg[]){WEFT_MAP_17_(__VA_ARGS__)}, 17
#define WEFT_ARGS_18(c, f, g, b, ...) (const weft_arg[]){WEFT_MAP_18_(__VA_ARGS__)}, 18
#define WEFT_ARGS_19(c, f, g, b, ...) (const weft_arg[]){WEFT_MAP_19_(__VA_ARGS__)}, 19
#define WEFT_ARGS_20(c, f, g, b, ...) (const weft_arg[]){WEFT_MAP_20_(__VA_ARGS__)}, 20
#define WEFT_ARGS_21(c, f, g, b, ...) (const weft_arg[]){WEFT_MAP_21_(__VA_ARGS__)}, 21
#define WEFT_ARGS_22(c, f, g, b, ...) (const weft_arg[]){WEFT_MAP_22_(__VA_ARGS__)}, 22
#define WEFT_ARGS_23(c, f, g, b, ...) (const weft_arg[]){WEFT_MAP_23_(__VA_ARGS__)}, 23
#define WEFT_ARGS_24(c, f, g, b, ...) (const weft_arg[]){WEFT_MAP_24_(__VA_ARGS__)}, 24
#define WEFT_ARGS_25(c, f, g, b, ...) (const weft_arg[]){WEFT_MAP_25_(__VA_ARGS__)}, 25
#define WEFT_ARGS_26(c, f, g, b, ...) (const weft_arg[]){WEFT_MAP_26_(__VA_ARGS__)}, 26
#define WEFT_ARGS_27(c, f, g, b, ...) (const weft_arg[]){WEFT_MAP_27_(__VA_ARGS__)}, 27
#define WEFT_ARGS_28(c, f, g, b, ...) (const weft_arg[]){WEFT_MAP_28_(__VA_ARGS__)}, 28
#define WEFT_ARGS_29(c, f, g, b, ...) (const weft_arg[]){WEFT_MAP_29_(__VA_ARGS__)}, 29
#define WEFT_ARGS_30(c, f, g, b, ...) (const weft_arg[]){WEFT_MAP_30_(__VA_ARGS__)}, 30
#define WEFT_ARGS_31(c, f, g, b, ...) (const weft_arg[]){WEFT_MAP_31_(__VA_ARGS__)}, 31
#define WEFT_ARGS_32(c, f, g, b, ...) (const weft_arg[]){WEFT_MAP_32_(__VA_ARGS__)}, 32

#endif

#endif
