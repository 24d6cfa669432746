/* weft/function.h: compile OpenCL C, look at a kernel, launch it over a grid of blocks.
 *
 * Kernels are OpenCL C, plain or with `#include <weft.clh>`, which weft finds by itself. To compile a file,
 * compile the source `#include "file.cl"` with its directory among include_dirs. Programs and
 * functions belong to a device: every context on it may use them. The same source with the same options
 * compiles once while a context, buffer, program or function of that device lives.
 */
#ifndef WEFT_FUNCTION_H
#define WEFT_FUNCTION_H

#include <weft/buffer.h>
#include <weft/context.h>
#include <weft/scalar.h>
#include <weft/status.h>
#include <weft/tensor.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct weft_program weft_program;
typedef struct weft_function weft_function;

/* ---- Compiling ----------------------------------------------------------------------------------- */

/* All zero means: none of it. Strings and arrays are read during the call only. */
typedef struct weft_compile_options {
    const char *source_name;         /* what logs call the source; "kernel.cl" when NULL */
    const char *const *defines;      /* "N=4", "N" (1), "F(x)=((x)+1)" */
    size_t n_defines;
    const char *const *include_dirs; /* searched after the including file's own directory, in order */
    size_t n_include_dirs;
    const char *cl_std;              /* "CL1.2", "CL3.0"; the device's default when NULL */
    bool fast_math;                  /* -cl-fast-relaxed-math; off unless asked */
    const char *extra;               /* passed to the driver's compiler as it is */
} weft_compile_options;

/* Compiles OpenCL C (NUL-terminated) for the context's device; options NULL means all zero. The caller owns
 * *out. Blocks while the driver compiles.
 * Errors: INVALID_ARGUMENT (NULL, empty source, NULL or malformed entry in options); COMPILE_FAILED (weft_last_build_log()
 * has the whole log with the caller's own lines); OUT_OF_HOST_MEMORY; OUT_OF_DEVICE_MEMORY; DRIVER.
 * Source: clBuildProgram (OpenCL 5.8.2); the model compiles ahead of time. */
WEFT_API WEFT_NODISCARD weft_status weft_compile_program(weft_context *context, const char *source,
                                                         const weft_compile_options *options, weft_program **out);

/* Gives the text that a driver's compiler would see: defines in front, includes and <weft.clh> in place, #line
 * where lines come from elsewhere. It needs no files any more, and compiles like the source wherever it is given as one; cl_std,
 * fast_math and extra are not in it. An include that is not found has become an #error on its line. The caller frees *out with free().
 * Needs no device. Immediate but for reading files.
 * Errors: INVALID_ARGUMENT (NULL source or out, empty source, NULL or malformed entry in options); OUT_OF_HOST_MEMORY. */
WEFT_API WEFT_NODISCARD weft_status weft_assemble_source(const char *source, const weft_compile_options *options, char **out);

/* Looks up a kernel by name. The caller owns *out; the function holds its program. Immediate.
 * Errors: INVALID_ARGUMENT (NULL); FUNCTION_NOT_FOUND (the message lists the kernels there are); OUT_OF_HOST_MEMORY; DRIVER.
 * Source: clCreateKernel (OpenCL 5.9.1). */
WEFT_API WEFT_NODISCARD weft_status weft_program_function(weft_program *program, const char *name, weft_function **out);

/* Both in one step. Errors: of both. Source: DeviceContext.compile_function. */
WEFT_API WEFT_NODISCARD weft_status weft_compile_function(weft_context *context, const char *source, const char *name,
                                                          const weft_compile_options *options, weft_function **out);

/* Makes a program of bytes instead of source, for the context's device. image is one of
 * - what weft_program_write_to wrote for such a device and driver, verified by its checksum; kernels are checked as if they
 *   came from source;
 * - SPIR-V, where the device takes it (weft_device_info.il);
 * - PTX text, on NVIDIA.
 * The caller owns *out, and may free image at once. Blocks while the driver compiles.
 * Errors: INVALID_ARGUMENT (NULL, none of these, cut or changed); UNSUPPORTED (made for another device or driver, and the
 * message says for which; SPIR-V or PTX where the device takes none; a driver's own binary, since drivers crash on one that
 * is damaged); COMPILE_FAILED (weft_last_build_log()); OUT_OF_HOST_MEMORY; DRIVER.
 * weft_program_function then fails with UNSUPPORTED when the driver says nothing of a kernel's parameters.
 * Source: clCreateProgramWithBinary, clCreateProgramWithIL (OpenCL 5.8.1). */
WEFT_API WEFT_NODISCARD weft_status weft_load_program(weft_context *context, const void *image, size_t size_bytes,
                                                      weft_program **out);

/* Writes the compiled program, for weft_load_program on the same kind of device with the same driver and version of weft.
 * Blocks; some drivers compile for it. Errors: INVALID_ARGUMENT (NULL); UNSUPPORTED (the driver gives no binary);
 * OUT_OF_HOST_MEMORY; IO (the stream fails); DRIVER; what the writer returns.
 * Source: CL_PROGRAM_BINARIES. */
WEFT_API WEFT_NODISCARD weft_status weft_program_write_to(weft_program *program, FILE *stream);
WEFT_API WEFT_NODISCARD weft_status weft_program_write_with(weft_program *program, weft_writer writer, void *user);

/* References, as for buffers. */
WEFT_API weft_program *weft_program_retain(weft_program *program);
WEFT_API void weft_program_release(weft_program *program);
WEFT_API weft_function *weft_function_retain(weft_function *function);
WEFT_API void weft_function_release(weft_function *function);

/* The program's kernels, sorted by name, and the log of its build ("" when the compiler said nothing).
 * Borrowed for the program's life. NULL or an index out of range gives 0, NULL and NULL. Immediate, never fail. */
WEFT_API size_t weft_program_function_count(weft_program *program);
WEFT_API const char *weft_program_function_name(weft_program *program, size_t index);
WEFT_API const char *weft_program_build_log(weft_program *program);

/* ---- Reflection ---------------------------------------------------------------------------------- */

typedef enum weft_arg_class {
    WEFT_PARAM_SCALAR,      /* by value: a built-in number */
    WEFT_PARAM_VALUE,       /* by value: a vector, half or struct; WEFT_VALUE. A typedef is what it stands for */
    WEFT_PARAM_BUFFER,      /* global or constant pointer */
    WEFT_PARAM_SHARED,      /* local pointer */
    WEFT_PARAM_UNSUPPORTED, /* image, sampler, pipe: cannot be launched through weft */
    WEFT_PARAM_TENSOR       /* TENSOR2(T, a) and its kin: one parameter, described by its pointer; weft_tensor */
} weft_arg_class;

typedef enum weft_address_space {
    WEFT_SPACE_PRIVATE,
    WEFT_SPACE_GLOBAL,
    WEFT_SPACE_CONSTANT,
    WEFT_SPACE_LOCAL
} weft_address_space;

typedef struct weft_arg_info {
    const char *name;      /* borrowed for the function's life */
    const char *type_name; /* as written in the source: "float*", "uint", "pair_t" */
    weft_arg_class kind;
    weft_address_space address_space;
    bool is_const;         /* pointer to const */
    bool is_restrict;
    bool is_volatile;
    size_t size_bytes;     /* of the value, or of what a pointer points to; 0 when not known (void, incomplete structs) */
    size_t alignment;      /* that the value or pointee wants, in bytes; 0 when not known */
    size_t rank;           /* TENSOR: its dimensions; else 0 */
    bool is_rows;          /* TENSOR2_ROWS and its kin: the last stride must be 1 */
} weft_arg_info;

/* Codes below 1000 are the model's (and CUDA's). */
typedef enum weft_function_attribute {
    WEFT_FUNCTION_MAX_THREADS_PER_BLOCK = 0,
    WEFT_FUNCTION_SHARED_SIZE_BYTES = 1,             /* local memory the kernel declares itself */
    WEFT_FUNCTION_LOCAL_SIZE_BYTES = 3,              /* private memory of one thread */
    WEFT_FUNCTION_MAX_DYNAMIC_SHARED_SIZE_BYTES = 8, /* what weft_shared_bytes arguments may add up to */
    WEFT_FUNCTION_PREFERRED_BLOCK_MULTIPLE = 1000,
    WEFT_FUNCTION_REQUIRED_BLOCK_X = 1001,           /* reqd_work_group_size, 0 when the kernel does not say */
    WEFT_FUNCTION_REQUIRED_BLOCK_Y = 1002,
    WEFT_FUNCTION_REQUIRED_BLOCK_Z = 1003
} weft_function_attribute;

typedef struct weft_dim {
    size_t x, y, z;
} weft_dim;

/* The kernel's name, borrowed for the function's life; NULL gives NULL. Immediate, never fails. */
WEFT_API const char *weft_function_name(weft_function *function);

/* How many arguments a launch takes: the kernel's parameters, a tensor counted as one and that of WEFT_ASSERTS not at
 * all; NULL gives 0. Immediate, never fails. */
WEFT_API size_t weft_function_arg_count(weft_function *function);

/* Describes parameter index into *out (zeroed on failure). Immediate.
 * Errors: INVALID_ARGUMENT (NULL); OUT_OF_RANGE (index). Source: clGetKernelArgInfo (OpenCL 5.9.4). */
WEFT_API WEFT_NODISCARD weft_status weft_function_arg_info(weft_function *function, size_t index, weft_arg_info *out);

/* Reads one attribute into *out (0 on failure). Immediate.
 * Errors: INVALID_ARGUMENT (NULL, unknown attribute). Source: DeviceFunction.get_attribute. */
WEFT_API WEFT_NODISCARD weft_status weft_function_get_attribute(weft_function *function, weft_function_attribute attribute,
                                                                int64_t *out);

/* A good one-dimensional launch for that many threads: *block within every limit of kernel and device, and
 * the kernel's required size where it has one; *grid the fewest blocks that cover threads. Immediate.
 * Errors: INVALID_ARGUMENT (NULL, 0 threads); LAUNCH_LIMIT (more threads than the device takes in one launch). */
WEFT_API WEFT_NODISCARD weft_status weft_function_suggest_launch(weft_function *function, size_t threads, weft_dim *grid,
                                                                 weft_dim *block);

/* ---- Launching ----------------------------------------------------------------------------------- */

typedef struct weft_launch {
    weft_dim grid_dim;  /* blocks */
    weft_dim block_dim; /* threads of one block */
} weft_launch;

typedef enum weft_arg_kind {
    WEFT_ARG_SIGNED = WEFT_SCALAR_SIGNED,     /* value.i; size_bytes of the C type */
    WEFT_ARG_UNSIGNED = WEFT_SCALAR_UNSIGNED, /* value.u */
    WEFT_ARG_FLOAT = WEFT_SCALAR_FLOAT,       /* value.f */
    WEFT_ARG_DOUBLE = WEFT_SCALAR_DOUBLE,     /* value.d */
    WEFT_ARG_BUFFER,                          /* value.buffer */
    WEFT_ARG_NULL,                            /* a null buffer */
    WEFT_ARG_VALUE,                           /* value.data, size_bytes of it */
    WEFT_ARG_SHARED,                          /* size_bytes of local memory */
    WEFT_ARG_TENSOR                           /* value.tensor */
} weft_arg_kind;

typedef struct weft_arg {
    weft_arg_kind kind;
    uint32_t alignment; /* VALUE: of the C type, in bytes; a struct needs that of the kernel's at least. 0: not checked */
    size_t size_bytes;
    union {
        int64_t i;
        uint64_t u;
        float f;
        double d;
        weft_device_buffer *buffer;
        const void *data;
        const weft_tensor *tensor;
    } value;
} weft_arg;

/* weft_enqueue_function(context, function, grid_dim, block_dim, args...): launches grid_dim blocks of
 * block_dim threads each. A dimension is a weft_dim or any integer; WEFT_DIM(2, 2) makes one, missing
 * components are 1. Each of up to 32 args is a device buffer, a weft_tensor, a C number, WEFT_VALUE(lvalue) for structs,
 * vectors and half, weft_shared_bytes(n) for a local pointer, or WEFT_NULL for a null buffer; anything else does
 * not compile. Arguments are captured at the call. Enqueues.
 *
 * Every argument is checked against the kernel's own parameter, in count, kind and type. Integers may change
 * width or sign when the value survives. A buffer's dtype must match the pointee, sign included; void *,
 * char-sized pointees and structs accept any, vectors take their component's; a typedef is what it stands for. A view works at any offset that
 * suits its pointee; where the driver cannot take it, or the pointee wants more alignment, the launch goes
 * through an aligned temporary. A tensor has the parameter's rank, its buffer's dtype is exactly the element type, and
 * it lies within its buffer. A parameter declared by WEFT_ASSERTS gets no argument.
 *
 * Errors: INVALID_ARGUMENT (NULL; a zero dimension, named; wrong argument count; function or buffer of another device);
 * TYPE_MISMATCH (function, index, parameter name, expected and given type); OUT_OF_RANGE (an integer that the
 * parameter cannot hold; a tensor beyond its buffer, or with numbers beyond 32 bits for a kernel with WEFT_INDEX_32;
 * grid times block overflows); LAUNCH_LIMIT (block beyond the device's or the kernel's limit or
 * not the required size; too much local memory; more blocks or threads than the driver computes correctly);
 * UNSUPPORTED (image and sampler parameters; overlapping arguments that need a temporary); OUT_OF_HOST_MEMORY; OUT_OF_DEVICE_MEMORY; DRIVER.
 * Source: DeviceContext.enqueue_function. */
WEFT_API WEFT_NODISCARD weft_status weft_enqueue_function_args(weft_context *context, weft_function *function,
                                                               const weft_launch *launch, const weft_arg *args,
                                                               size_t n_args);

/* weft_enqueue_function_once(context, source, name, grid_dim, block_dim, args...): compiles (remembered, so the
 * second call does not compile) and launches. Errors: of weft_compile_function and weft_enqueue_function.
 * Source: DeviceContext.enqueue_function[f]. */
WEFT_API WEFT_NODISCARD weft_status weft_enqueue_function_once_args(weft_context *context, const char *source, const char *name,
                                                                    const weft_launch *launch, const weft_arg *args,
                                                                    size_t n_args);

#ifdef __cplusplus
}
#endif

#include <weft/launch.h>

#endif
