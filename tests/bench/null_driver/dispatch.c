/* What the loader gets: the table, and the names it looks up in the library. */
#include "null_driver.h"

/* Exported, yet calls from here stay here: the loader in the same process exports one of the names too. */
#define EXPORT __attribute__((visibility("protected")))

const cl_icd_dispatch null_dispatch = {
#define ENTRY(name) .name = name
    ENTRY(clGetPlatformIDs),
    ENTRY(clGetPlatformInfo),
    ENTRY(clGetDeviceIDs),
    ENTRY(clGetDeviceInfo),
    ENTRY(clRetainDevice),
    ENTRY(clReleaseDevice),
    ENTRY(clCreateContext),
    ENTRY(clCreateContextFromType),
    ENTRY(clRetainContext),
    ENTRY(clReleaseContext),
    ENTRY(clGetContextInfo),
    ENTRY(clCreateCommandQueue),
    ENTRY(clCreateCommandQueueWithProperties),
    ENTRY(clRetainCommandQueue),
    ENTRY(clReleaseCommandQueue),
    ENTRY(clGetCommandQueueInfo),
    ENTRY(clCreateBuffer),
    ENTRY(clCreateBufferWithProperties),
    ENTRY(clCreateSubBuffer),
    ENTRY(clRetainMemObject),
    ENTRY(clReleaseMemObject),
    ENTRY(clGetMemObjectInfo),
    ENTRY(clCreateProgramWithSource),
    ENTRY(clCreateProgramWithBinary),
    ENTRY(clRetainProgram),
    ENTRY(clReleaseProgram),
    ENTRY(clBuildProgram),
    ENTRY(clGetProgramInfo),
    ENTRY(clGetProgramBuildInfo),
    ENTRY(clCreateKernel),
    ENTRY(clCloneKernel),
    ENTRY(clCreateKernelsInProgram),
    ENTRY(clRetainKernel),
    ENTRY(clReleaseKernel),
    ENTRY(clSetKernelArg),
    ENTRY(clGetKernelInfo),
    ENTRY(clGetKernelArgInfo),
    ENTRY(clGetKernelWorkGroupInfo),
    ENTRY(clRetainEvent),
    ENTRY(clReleaseEvent),
    ENTRY(clWaitForEvents),
    ENTRY(clSetEventCallback),
    ENTRY(clGetEventInfo),
    ENTRY(clGetEventProfilingInfo),
    ENTRY(clFlush),
    ENTRY(clFinish),
    ENTRY(clEnqueueNDRangeKernel),
    ENTRY(clEnqueueMarkerWithWaitList),
    ENTRY(clEnqueueBarrierWithWaitList),
    ENTRY(clEnqueueMigrateMemObjects),
    ENTRY(clEnqueueReadBuffer),
    ENTRY(clEnqueueWriteBuffer),
    ENTRY(clEnqueueCopyBuffer),
    ENTRY(clEnqueueFillBuffer),
    ENTRY(clEnqueueMapBuffer),
    ENTRY(clEnqueueUnmapMemObject),
    ENTRY(clEnqueueReadBufferRect),
    ENTRY(clEnqueueWriteBufferRect),
    ENTRY(clEnqueueCopyBufferRect),
    ENTRY(clGetExtensionFunctionAddress),
    ENTRY(clGetExtensionFunctionAddressForPlatform),
#undef ENTRY
};

EXPORT cl_int clIcdGetPlatformIDsKHR(cl_uint capacity, cl_platform_id *out, cl_uint *out_count) {
    return clGetPlatformIDs(capacity, out, out_count);
}

/* Some loaders look for clGetPlatformInfo here. It is not exported: the loader's own would answer to the name. */
EXPORT void *clGetExtensionFunctionAddress(const char *name) {
    static const struct {
        const char *name;
        void (*function)(void);
    } functions[] = {
        {"clIcdGetPlatformIDsKHR", (void (*)(void))clIcdGetPlatformIDsKHR},
        {"clGetPlatformInfo", (void (*)(void))clGetPlatformInfo},
    };
    void *address = NULL;
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        if (!strcmp(name, functions[i].name)) {
            /* C has no cast from a function to an object. */
            memcpy(&address, &functions[i].function, sizeof address);
        }
    }
    return address;
}

void *clGetExtensionFunctionAddressForPlatform(cl_platform_id platform, const char *name) {
    return clGetExtensionFunctionAddress(name);
}
