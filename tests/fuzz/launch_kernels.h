/* The kernels that fuzz_launch launches: each records what it received, and changes what it may change. */
#ifndef FUZZ_LAUNCH_KERNELS_H
#define FUZZ_LAUNCH_KERNELS_H

#include "kernel_types.h"

enum { MOST_PARAMS = 34, LAUNCH_KERNELS = 24, RECORD_BYTES = 1024 };

typedef struct launch_kernel {
    char name[16];
    const param_type *params[MOST_PARAMS];
    size_t n_params;
    size_t record;      /* which of them is the record; n_params when there is none */
    size_t required[3]; /* 0: not required */
    size_t static_bytes; /* of local memory */
} launch_kernel;

extern launch_kernel launch_kernels[LAUNCH_KERNELS];

/* Lays the kernels out, and returns the source of all. */
const char *launch_kernels_source(void);

/* Checks what reflection says of a kernel against the table. */
void launch_kernel_check(const launch_kernel *kernel, weft_function *function);

#endif
