/* What every OpenCL layer says of itself. */
#ifndef TESTS_SUPPORT_LAYER_INFO_H
#define TESTS_SUPPORT_LAYER_INFO_H

#include <CL/cl_layer.h>
#include <string.h>

#define LAYER_INFO(layer_name)                                                                                     \
    CL_API_ENTRY cl_int CL_API_CALL clGetLayerInfo(cl_layer_info what, size_t size, void *out, size_t *size_out) { \
        static const char name[] = layer_name;                                                                     \
        const cl_layer_api_version version = CL_LAYER_API_VERSION_100;                                             \
        const void *answer = what == CL_LAYER_API_VERSION ? (const void *)&version : name;                         \
        size_t length = what == CL_LAYER_API_VERSION ? sizeof version : sizeof name;                               \
        if ((what != CL_LAYER_API_VERSION && what != CL_LAYER_NAME) || (out && size < length)) {                   \
            return CL_INVALID_VALUE;                                                                               \
        }                                                                                                          \
        if (out) {                                                                                                 \
            memcpy(out, answer, length);                                                                           \
        }                                                                                                          \
        if (size_out) {                                                                                            \
            *size_out = length;                                                                                    \
        }                                                                                                          \
        return CL_SUCCESS;                                                                                         \
    }

#endif
