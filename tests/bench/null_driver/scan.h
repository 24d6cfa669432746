/* Finds the kernels in OpenCL C source and reads their parameters, without compiling anything.
 *
 * Macros are not expanded: a kernel whose head is written by one is not found, and directives are skipped, so
 * both sides of an #if are seen; the first of two kernels with one name counts.
 */
#ifndef SCAN_H
#define SCAN_H

#include <CL/cl.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct parameter {
    char *name;
    char *type; /* as clGetKernelArgInfo gives it: "float*", "uint" */
    cl_kernel_arg_address_qualifier address;
    cl_kernel_arg_type_qualifier qualifiers;
} parameter;

typedef struct kernel_source {
    char *name;
    size_t required_block[3]; /* reqd_work_group_size, zeros without */
    parameter *parameters;
    size_t n_parameters;
} kernel_source;

/* The caller frees *out with kernels_free, also on failure. false: there is no memory. */
bool kernels_scan(const char *source, kernel_source **out, size_t *n_out);
/* NULL when there is none of that name. */
const kernel_source *kernels_find(const kernel_source *kernels, size_t n_kernels, const char *name);
void kernels_free(kernel_source *kernels, size_t n_kernels);

#endif
