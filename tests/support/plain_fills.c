/* An OpenCL layer, for OPENCL_LAYERS, that makes a write of every fill: Oclgrind's check of uninitialised values
 * does not see all that a fill has written. Used by tests/oclgrind.py.
 */
#include <CL/cl_layer.h>
#include <stdlib.h>
#include <string.h>

#include "layer_info.h"

static const cl_icd_dispatch *next;
static cl_icd_dispatch table;

static cl_int CL_API_CALL fill_by_writing(cl_command_queue queue, cl_mem memory, const void *pattern, size_t pattern_bytes,
                                          size_t offset, size_t size, cl_uint n_waits, const cl_event *waits, cl_event *event) {
    char *block = malloc(size ? size : 1);
    if (!block || !pattern_bytes || size % pattern_bytes) {
        free(block);
        return CL_INVALID_VALUE;
    }
    for (size_t at = 0; at < size; at += pattern_bytes) {
        memcpy(block + at, pattern, pattern_bytes);
    }
    cl_int code = next->clEnqueueWriteBuffer(queue, memory, CL_TRUE, offset, size, block, n_waits, waits, event);
    free(block);
    return code;
}

LAYER_INFO("weft plain fills layer")

CL_API_ENTRY cl_int CL_API_CALL clInitLayer(cl_uint n_entries, const cl_icd_dispatch *target, cl_uint *n_entries_out,
                                            const cl_icd_dispatch **out) {
    if (n_entries < sizeof table / sizeof(void *) || !target || !n_entries_out || !out) {
        return CL_INVALID_VALUE;
    }
    next = target;
    table = *target;
    table.clEnqueueFillBuffer = fill_by_writing;
    *n_entries_out = sizeof table / sizeof(void *);
    *out = &table;
    return CL_SUCCESS;
}
