/* Kernels as static data, and what each device made of them. */
#ifndef PROGRAM_KERNEL_SET_H
#define PROGRAM_KERNEL_SET_H

#include <weft/kernel_set.h>

/* The kernel of that index on the context's device, compiled if need be; the caller releases it. *out is NULL before. */
weft_status kernel_set_get(weft_kernel_set *set, weft_context *context, size_t index, weft_function **out);

#endif
