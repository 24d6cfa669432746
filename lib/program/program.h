/* Program and function handles. */
#ifndef PROGRAM_PROGRAM_H
#define PROGRAM_PROGRAM_H

#include "context/context.h"
#include "program/build.h"

struct weft_program {
    refcount refs;
    device *device; /* held */
    build *build;   /* held */
};

struct weft_function {
    refcount refs;
    device *device; /* the program's */
    kernel *kernel; /* the build's */
    weft_program *program; /* held */
};

weft_status program_compile(weft_context *context, const char *source, const weft_compile_options *options, weft_program **out);
weft_status program_function(weft_program *program, const char *name, weft_function **out);

#endif
