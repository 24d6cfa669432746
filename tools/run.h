/* weft run: what its parts share. */
#ifndef RUN_H
#define RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>
#include <weft/weft.h>

#include "npy.h"

/* ---- What went wrong ------------------------------------------------------------------------------- */

/* One line for the user, and the exit status that goes with it. What can fail returns false and fills one. */
typedef struct problem {
    int status;
    char text[8192]; /* room for two paths */
} problem;

/* A mistake in the command line, something that failed, and a call of weft that failed. Each returns false. */
__attribute__((format(printf, 2, 3))) bool problem_usage(problem *problem, const char *format, ...);
__attribute__((format(printf, 2, 3))) bool problem_failure(problem *problem, const char *format, ...);
bool problem_weft(problem *problem);

/* ---- Values (run_values.c) ------------------------------------------------------------------------- */

/* One of OpenCL's: width 1 for a number, 2, 3, 4, 8 or 16 for a vector; width 0: not known. */
typedef struct element_type {
    weft_dtype dtype;
    size_t width;
} element_type;

/* "f32", "float", "float4", "unsigned int". Width 0 for anything else. */
element_type element_type_parse(const char *name, size_t length);

/* "f32", as the arguments spell it. */
const char *element_type_short(weft_dtype dtype);

enum { VALUE_BYTES_MAX = 4096 };

typedef struct value {
    element_type type; /* width 0: bytes of a type that only the kernel knows */
    size_t size_bytes, alignment;
    unsigned char bytes[VALUE_BYTES_MAX];
} value;

/* "f32:20", "float4:1,2,3,4", "struct:f32:1,i32:2,3", "hex:0102ff". */
bool value_parse(const char *text, value *out, problem *problem);

/* "20" or "1,2,3,4", of a type that is known. */
bool value_parse_numbers(element_type type, const char *numbers, value *out, problem *problem);

/* ---- Arguments (run_arguments.c) ------------------------------------------------------------------- */

typedef enum role { ROLE_IN, ROLE_INOUT, ROLE_OUT, ROLE_VALUE, ROLE_BARE, ROLE_SHARED, ROLE_NULL } role;

typedef struct argument {
    const char *text; /* as given */
    role role;

    npy array;    /* IN, INOUT, OUT: what is in the buffer */
    char *input;  /* IN, INOUT: the file's path */
    bool raw;     /* the file is bytes of array.dtype, nothing else */
    int file;     /* the same, open; -1: not */
    char *result; /* INOUT, OUT: where to write it; NULL: nowhere */
    char *target; /* the same, behind links and from the root; set by buffer_check_result */
    weft_device_buffer *buffer, *original; /* original: the contents before a run, where runs may change them */

    value *value;        /* VALUE, BARE once it is checked */
    size_t shared_bytes; /* SHARED */
} argument;

static inline bool argument_is_buffer(const argument *argument) { return argument->role <= ROLE_OUT; }

/* Takes text apart, which must outlive the argument. Opens nothing. The caller ends it with argument_free in any case. */
bool argument_parse(const char *text, argument *out, problem *problem);
void argument_free(argument *argument);

/* Checks the argument against the kernel's parameter of that index, and gives a bare number its type. */
bool argument_check(argument *argument, size_t index, const weft_arg_info *parameter, problem *problem);

/* What the launch gets. */
weft_arg argument_pass(const argument *argument);

/* ---- Buffers (run_buffers.c) ----------------------------------------------------------------------- */

/* Opens the file and learns dtype and shape from it, or from its size. */
bool buffer_open(argument *argument, problem *problem);

/* Makes the device buffer, with the file's contents or zeros. changes: runs may write to it, and there are several. */
bool buffer_load(argument *argument, weft_context *context, bool changes, problem *problem);

/* Puts back what a run may have changed. Enqueues. */
bool buffer_restore(const argument *argument, weft_context *context, problem *problem);

/* Whether the result can go where it is meant to, as far as that can be known. */
bool buffer_check_result(argument *argument, problem *problem);

/* Writes the result to its file, which appears or changes at once and whole. */
bool buffer_store(const argument *argument, weft_context *context, problem *problem);

/* ---- The command line (run_options.c) -------------------------------------------------------------- */

typedef struct request {
    const char *source, *kernel; /* kernel NULL: the only one */
    const char *api;             /* NULL: the default device */
    int device_id;
    char api_text[64];
    weft_launch launch; /* a dimension of 0: not given */
    size_t repeat;
    weft_compile_options compile;
    const char **includes, **defines;
    argument *arguments;
    size_t n_arguments;
    bool help;
} request;

extern const char run_help[];

/* Reads the command line; opens nothing. The caller ends the request with request_free in any case. */
bool request_parse(int argc, char **argv, request *out, problem *problem);
void request_free(request *request);

/* ---- What it prints (run_report.c) ----------------------------------------------------------------- */

/* "saxpy(const float *x, float *y, float a, uint n)" and a newline. */
bool report_kernel(weft_function *function, problem *problem);

bool report_launch(weft_context *context, weft_function *function, const weft_launch *launch, const argument *arguments,
                   problem *problem);

/* times: of n runs, in nanoseconds; sorts them. */
void report_times(double *times, size_t n, const argument *arguments, size_t n_arguments);

bool report_output(const argument *argument, const char *name, problem *problem);

#endif
