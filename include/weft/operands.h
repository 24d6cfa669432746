/* weft/operands.h: the macros that turn a C or C++ expression into one side of a copy or fill.
 *
 * Any other pointer type (a buffer **, another handle, a weft_device_ptr *) does not compile.
 */
#ifndef WEFT_OPERANDS_H
#define WEFT_OPERANDS_H

#include <weft/buffer.h>

/* One builder per element type, for pointers to it and to const of it. uint16_t * also stands for both
 * 16-bit floats, which C has no type for; char * for both 8-bit integers; void * for everything. */
#define WEFT_POINTER_TYPES(X)                                                                              \
    X(void, void, WEFT_ANY_DTYPE)                                                                          \
    X(char, char, WEFT_DTYPE_BIT(WEFT_INT8) | WEFT_DTYPE_BIT(WEFT_UINT8))                                  \
    X(schar, signed char, WEFT_DTYPE_BIT(WEFT_INT8))                                                       \
    X(uchar, unsigned char, WEFT_DTYPE_BIT(WEFT_UINT8))                                                    \
    X(short, short, WEFT_DTYPE_BIT(WEFT_INT16))                                                            \
    X(ushort, unsigned short,                                                                              \
      WEFT_DTYPE_BIT(WEFT_UINT16) | WEFT_DTYPE_BIT(WEFT_FLOAT16) | WEFT_DTYPE_BIT(WEFT_BFLOAT16))          \
    X(int, int, WEFT_DTYPE_BIT(WEFT_INT32))                                                                \
    X(uint, unsigned, WEFT_DTYPE_BIT(WEFT_UINT32))                                                         \
    X(long, long, sizeof(long) == 8 ? WEFT_DTYPE_BIT(WEFT_INT64) : WEFT_DTYPE_BIT(WEFT_INT32))             \
    X(ulong, unsigned long, sizeof(long) == 8 ? WEFT_DTYPE_BIT(WEFT_UINT64) : WEFT_DTYPE_BIT(WEFT_UINT32)) \
    X(llong, long long, WEFT_DTYPE_BIT(WEFT_INT64))                                                        \
    X(ullong, unsigned long long, WEFT_DTYPE_BIT(WEFT_UINT64))                                             \
    X(float, float, WEFT_DTYPE_BIT(WEFT_FLOAT32))                                                          \
    X(double, double, WEFT_DTYPE_BIT(WEFT_FLOAT64))

#ifdef __cplusplus

extern "C++" {
#define WEFT_OPERAND_BUILDERS(suffix, type, dtypes)                                      \
    static inline weft_memory weft_destination_of(type *p, size_t length) {              \
        return weft_memory_from_pointer(p, dtypes, length);                              \
    }                                                                                    \
    static inline weft_memory weft_source_of(const type *p, size_t length) {             \
        return weft_memory_from_const_pointer(p, dtypes, length);                        \
    }
WEFT_POINTER_TYPES(WEFT_OPERAND_BUILDERS)
#undef WEFT_OPERAND_BUILDERS

static inline weft_memory weft_buffer_of(weft_device_buffer *b) { return weft_memory_from_device_buffer(b); }
static inline weft_memory weft_buffer_of(weft_host_buffer *b) { return weft_memory_from_host_buffer(b); }
static inline weft_memory weft_buffer_of(weft_memory m) { return m; }

/* Exact types only: a weft_device_buffer ** would otherwise convert to void *. */
template <typename T> struct weft_operand {
    static weft_memory destination(T) = delete;
    static weft_memory source(T) = delete;
    static weft_memory span(T, size_t) = delete;
};
#define WEFT_OPERAND_TYPE(suffix, type, dtypes)                                                      \
    template <> struct weft_operand<type *> {                                                        \
        static weft_memory destination(type *p) { return weft_destination_of(p, WEFT_LENGTH_UNKNOWN); } \
        static weft_memory source(type *p) { return weft_source_of(p, WEFT_LENGTH_UNKNOWN); }        \
        static weft_memory span(type *p, size_t n) { return weft_destination_of(p, n); }             \
    };                                                                                               \
    template <> struct weft_operand<const type *> {                                                  \
        static weft_memory source(const type *p) { return weft_source_of(p, WEFT_LENGTH_UNKNOWN); }  \
        static weft_memory span(const type *p, size_t n) { return weft_source_of(p, n); }            \
    };
WEFT_POINTER_TYPES(WEFT_OPERAND_TYPE)
#undef WEFT_OPERAND_TYPE
#define WEFT_OPERAND_HANDLE(type)                                            \
    template <> struct weft_operand<type> {                                  \
        static weft_memory destination(type b) { return weft_buffer_of(b); } \
        static weft_memory source(type b) { return weft_buffer_of(b); }      \
    };
WEFT_OPERAND_HANDLE(weft_device_buffer *)
WEFT_OPERAND_HANDLE(weft_host_buffer *)
WEFT_OPERAND_HANDLE(weft_memory)
#undef WEFT_OPERAND_HANDLE

/* By value, so that an array decays to a pointer. */
template <typename T> inline weft_memory weft_destination_operand(T x) { return weft_operand<T>::destination(x); }
template <typename T> inline weft_memory weft_source_operand(T x) { return weft_operand<T>::source(x); }
template <typename T> inline weft_memory weft_span_operand(T x, size_t n) { return weft_operand<T>::span(x, n); }
}

#define WEFT_BUFFER(x) weft_buffer_of(x)
#define WEFT_DESTINATION(x) weft_destination_operand(x)
#define WEFT_SOURCE(x) weft_source_operand(x)
#define WEFT_SPAN(pointer, length) weft_span_operand(pointer, length)

#else

#define WEFT_OPERAND_BUILDERS(suffix, type, dtypes)                                              \
    static inline weft_memory weft_pointer_to_##suffix(type *p) {                                \
        return weft_memory_from_pointer(p, dtypes, WEFT_LENGTH_UNKNOWN);                         \
    }                                                                                            \
    static inline weft_memory weft_pointer_to_const_##suffix(const type *p) {                    \
        return weft_memory_from_const_pointer(p, dtypes, WEFT_LENGTH_UNKNOWN);                   \
    }
WEFT_POINTER_TYPES(WEFT_OPERAND_BUILDERS)
#undef WEFT_OPERAND_BUILDERS

static inline weft_memory weft_memory_identity_(weft_memory memory) { return memory; }
static inline weft_memory weft_memory_with_length_(weft_memory memory, size_t length) {
    memory.length = length;
    return memory;
}

#define WEFT_POINTER_CASES(MODIFIER, prefix)                       \
    MODIFIER void *: prefix##void,                                 \
    MODIFIER char *: prefix##char,                                 \
    MODIFIER signed char *: prefix##schar,                         \
    MODIFIER unsigned char *: prefix##uchar,                       \
    MODIFIER short *: prefix##short,                               \
    MODIFIER unsigned short *: prefix##ushort,                     \
    MODIFIER int *: prefix##int,                                   \
    MODIFIER unsigned *: prefix##uint,                             \
    MODIFIER long *: prefix##long,                                 \
    MODIFIER unsigned long *: prefix##ulong,                       \
    MODIFIER long long *: prefix##llong,                           \
    MODIFIER unsigned long long *: prefix##ullong,                 \
    MODIFIER float *: prefix##float,                               \
    MODIFIER double *: prefix##double

#define WEFT_BUFFER_CASES                                      \
    weft_device_buffer *: weft_memory_from_device_buffer,      \
    weft_host_buffer *: weft_memory_from_host_buffer,          \
    weft_memory: weft_memory_identity_

#define WEFT_BUFFER(x) _Generic((x), WEFT_BUFFER_CASES)(x)
#define WEFT_DESTINATION(x) _Generic((x), WEFT_BUFFER_CASES, WEFT_POINTER_CASES(, weft_pointer_to_))(x)
#define WEFT_SOURCE(x) \
    _Generic((x), WEFT_BUFFER_CASES, WEFT_POINTER_CASES(, weft_pointer_to_), WEFT_POINTER_CASES(const, weft_pointer_to_const_))(x)
#define WEFT_SPAN(pointer, length)                                                                                \
    weft_memory_with_length_(_Generic((pointer), WEFT_POINTER_CASES(, weft_pointer_to_),                          \
                                      WEFT_POINTER_CASES(const, weft_pointer_to_const_))(pointer),                \
                             length)

#endif

/* WEFT_WITH_MAPPED(status, host, buffer) { ... }: maps buffer (a weft_device_buffer *), declares host (a
 * weft_host_buffer *) for the body, and unmaps at the body's end, also on break, continue and return.
 * status is a weft_status variable of the caller's, set to WEFT_OK before: it keeps the first failure. The
 * body does not run if mapping failed. goto and longjmp out of the body are not seen in C. Blocks at both ends.
 * Source: `with buffer.map_to_host() as host` in the model. */
#ifdef __cplusplus
extern "C++" {
struct weft_mapping_scope {
    weft_status *status;
    weft_device_buffer *buffer;
    weft_host_buffer *mapped;
    bool entered = false;
    weft_mapping_scope(weft_status *s, weft_device_buffer *b) : status(s), buffer(b), mapped(weft_mapping_begin(s, b)) {}
    ~weft_mapping_scope() { weft_mapping_end(status, buffer, mapped); }
    weft_mapping_scope(const weft_mapping_scope &) = delete;
    weft_mapping_scope &operator=(const weft_mapping_scope &) = delete;
    bool enter() { return !entered && (entered = true) && mapped; }
};
}
#define WEFT_WITH_MAPPED(status, host, buffer)                                   \
    for (weft_mapping_scope weft_scope_##host(&(status), buffer); weft_scope_##host.enter();) \
        for (weft_host_buffer *host = weft_scope_##host.mapped; host; host = NULL)
#else
typedef struct weft_mapping_scope {
    weft_status *status;
    weft_device_buffer *buffer;
    weft_host_buffer *mapped;
    bool entered;
} weft_mapping_scope;
static inline weft_mapping_scope weft_mapping_scope_begin_(weft_status *status, weft_device_buffer *buffer) {
    weft_mapping_scope scope = {status, buffer, weft_mapping_begin(status, buffer), false};
    return scope;
}
static inline void weft_mapping_scope_end_(weft_mapping_scope *scope) {
    weft_mapping_end(scope->status, scope->buffer, scope->mapped);
}
#define WEFT_WITH_MAPPED(status, host, buffer)                                                                  \
    for (weft_mapping_scope weft_scope_##host __attribute__((cleanup(weft_mapping_scope_end_))) =                   \
             weft_mapping_scope_begin_(&(status), buffer);                                                          \
         !weft_scope_##host.entered && weft_scope_##host.mapped;)                                                  \
        for (weft_host_buffer *host = (weft_scope_##host.entered = true, weft_scope_##host.mapped); host; host = NULL)
#endif

#endif
