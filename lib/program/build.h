/* Compiled programs, and the memory by which the same text compiles once per device. */
#ifndef PROGRAM_BUILD_H
#define PROGRAM_BUILD_H

#include "program/assemble.h"
#include "program/kernel.h"

/* What every options string begins with. */
#define BUILD_ARG_INFO "-cl-kernel-arg-info"

/* Where the disk cache keeps a build, see program/cache.h. */
typedef struct cache_key {
    char name[40];  /* of the file */
    char *identity; /* malloc'ed; NULL once it is kept, and when it will not be */
} cache_key;

/* A program the driver compiled. Holds no reference to its device, which remembers it. */
typedef struct build {
    refcount refs;
    const device_entry *entry;
    cl_program program;
    char *text;    /* what the compiler saw */
    char *options;
    char *log;     /* trimmed, in the caller's lines */
    kernel *kernels; /* sorted by name */
    size_t n_kernels;
    pthread_mutex_t lock; /* guards the kernels' reflection, and what follows */
    cache_key key;
} build;

/* The driver's program of a text, or NULL; records nothing. *code gets the driver's. */
cl_program build_quietly(const device *device, const char *text, const char *options, cl_int *code);

/* One with nothing in it, and one reference; NULL without memory, which is recorded. */
build *build_new(const device_entry *entry);

/* Compiles, or takes what an earlier process did. Takes over source's text on success. */
weft_status build_compile(device *device, assembled *source, const char *options, build **out);

/* The build of a text on a device: remembered, or compiled now. The caller owns one reference. */
weft_status build_get(device *device, assembled *source, const char *options, build **out);
/* The names of a program's kernels, separated by semicolons, for the caller to free.
 * Errors: OUT_OF_HOST_MEMORY; DRIVER. */
weft_status build_kernel_names(const device_entry *entry, cl_program program, char **out);

/* One over a program that the driver has built from something else than source; on failure the program is released.
 * Errors: OUT_OF_HOST_MEMORY; DRIVER. */
weft_status build_adopt(const device_entry *entry, cl_program program, build **out);

/* Has every kernel reflected. Errors: of kernel_reflect. */
weft_status build_reflect(device *device, build *build);
build *build_retain(build *build);
void build_release(build *build);

#endif
