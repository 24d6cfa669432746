/* PoCL in the clothes of other drivers, as far as weft looks at them. For layer.c. */
#ifndef FAULT_DISGUISE_H
#define FAULT_DISGUISE_H

#include <CL/cl.h>
#include <CL/cl_icd.h>
#include <stdbool.h>

/* Whether the disguise answers a query; then the answer is there. */
bool disguise_platform_info(cl_platform_info what, size_t size, void *out, size_t *size_out);
bool disguise_device_info(cl_device_info what, size_t size, void *out, size_t *size_out);
bool disguise_build_info(cl_program program, cl_program_build_info what, size_t size, void *out, size_t *size_out);

/* A queue's properties as PoCL knows them; what it does not know is remembered. */
const cl_queue_properties *disguise_queue_properties(const cl_queue_properties *properties);

/* Whether the build fails in disguise. */
bool disguise_breaks_build(const cl_icd_dispatch *driver, cl_program program, const char *options);

#endif
