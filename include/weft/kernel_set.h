/* weft/kernel_set.h: a program's kernels as static data, under the headers that `weft bind` writes.
 *
 * A set is a source and the names of its kernels. What each device made of it is kept in the set: it compiles
 * once per device, at its first use, and stays until weft_kernel_set_unload or the end of the process.
 */
#ifndef WEFT_KERNEL_SET_H
#define WEFT_KERNEL_SET_H

#include <stddef.h>

#include <weft/function.h>

#ifdef __cplusplus
extern "C" {
#endif

/* An object of static storage that everything but weft leaves alone: WEFT_KERNEL_SET(source, names, n, cl_std). */
typedef struct weft_kernel_set {
    const char *source;        /* OpenCL C that needs no files */
    const char *const *names;  /* of its kernels */
    size_t count;
    const char *cl_std;        /* as in weft_compile_options */
    struct weft_loaded *first; /* weft's own */
} weft_kernel_set;

/* Refuse to compile where C and OpenCL C disagree on a type that kernels take by value. */
#ifdef __cplusplus
#define WEFT_KERNEL_TYPE(type, size_bytes, alignment) \
    static_assert(sizeof(type) == (size_bytes) && alignof(type) == (alignment), #type " is not what the kernel takes")
#define WEFT_KERNEL_FIELD(type, field, offset_bytes) \
    static_assert(offsetof(type, field) == (offset_bytes), #type "." #field " is not where the kernel looks for it")
#else
#define WEFT_KERNEL_TYPE(type, size_bytes, alignment) \
    _Static_assert(sizeof(type) == (size_bytes) && _Alignof(type) == (alignment), #type " is not what the kernel takes")
#define WEFT_KERNEL_FIELD(type, field, offset_bytes) \
    _Static_assert(offsetof(type, field) == (offset_bytes), #type "." #field " is not where the kernel looks for it")
#endif

#define WEFT_KERNEL_SET(source, names, count, cl_std) {source, names, count, cl_std, NULL}

/* The kernel names[index] on the context's device. Compiles what this device has not compiled yet, which blocks. The caller owns *out.
 * Errors: INVALID_ARGUMENT (NULL); OUT_OF_RANGE (index); of weft_compile_program and weft_program_function. */
WEFT_API WEFT_NODISCARD weft_status weft_kernel_set_function(weft_kernel_set *set, weft_context *context, size_t index,
                                                             weft_function **out);

/* Launches the kernel names[index], as weft_enqueue_function_args does. Enqueues; compiles first, as above.
 * Errors: of weft_kernel_set_function and weft_enqueue_function_args. */
WEFT_API WEFT_NODISCARD weft_status weft_kernel_set_enqueue(weft_kernel_set *set, weft_context *context, size_t index,
                                                            const weft_launch *launch, const weft_arg *args, size_t n_args);

/* Lets go of what every device made of the set; the next use compiles again. Enqueued launches run to their end. NULL does
 * nothing. Immediate, never fails. */
WEFT_API void weft_kernel_set_unload(weft_kernel_set *set);

#ifdef __cplusplus
}
#endif

#endif
