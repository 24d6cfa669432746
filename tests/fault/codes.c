/* What each call can fail with: the errors that OpenCL 3.0 lists for it and those that drivers were seen to
 * give, the likeliest first. */
#include <CL/cl.h>
#include <errno.h>
#include <string.h>

#include "fault.h"

enum {
    PLATFORM_NOT_FOUND = -1001, /* cl_khr_icd */
    DEVICE_LOST = -9999         /* NVIDIA, after a kernel's bad access */
};

#define MEMORY CL_MEM_OBJECT_ALLOCATION_FAILURE
#define RESOURCES CL_OUT_OF_RESOURCES
#define HOST_MEMORY CL_OUT_OF_HOST_MEMORY
#define WAIT_LIST CL_INVALID_EVENT_WAIT_LIST
#define MISALIGNED CL_MISALIGNED_SUB_BUFFER_OFFSET
#define FAILED_EVENT CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST

/* Of every command on a queue, and of those that move bytes. */
#define COMMAND RESOURCES, HOST_MEMORY, CL_INVALID_COMMAND_QUEUE, CL_INVALID_CONTEXT, WAIT_LIST, DEVICE_LOST
#define MOVE MEMORY, COMMAND, CL_INVALID_MEM_OBJECT, CL_INVALID_VALUE, MISALIGNED

static const struct {
    const char *call;
    int codes[20];
} rows[] = {
    {"clGetPlatformIDs", {HOST_MEMORY, PLATFORM_NOT_FOUND, CL_INVALID_VALUE}},
    {"clGetPlatformInfo", {HOST_MEMORY, CL_INVALID_PLATFORM, CL_INVALID_VALUE}},
    {"clGetDeviceIDs",
     {RESOURCES, CL_DEVICE_NOT_FOUND, HOST_MEMORY, CL_INVALID_PLATFORM, CL_INVALID_DEVICE_TYPE, CL_INVALID_VALUE}},
    /* Not CL_INVALID_VALUE: so a driver says that it does not know the question, which is an answer. */
    {"clGetDeviceInfo", {RESOURCES, HOST_MEMORY, CL_INVALID_DEVICE}},
    {"clCreateContext",
     {RESOURCES, CL_DEVICE_NOT_AVAILABLE, HOST_MEMORY, CL_INVALID_PLATFORM, CL_INVALID_PROPERTY, CL_INVALID_VALUE,
      CL_INVALID_DEVICE, DEVICE_LOST}},
    {"clCreateCommandQueue",
     {RESOURCES, HOST_MEMORY, CL_INVALID_CONTEXT, CL_INVALID_DEVICE, CL_INVALID_VALUE, CL_INVALID_QUEUE_PROPERTIES}},
    {"clCreateCommandQueueWithProperties",
     {RESOURCES, HOST_MEMORY, CL_INVALID_CONTEXT, CL_INVALID_DEVICE, CL_INVALID_VALUE, CL_INVALID_QUEUE_PROPERTIES}},
    {"clCreateBuffer",
     {MEMORY, CL_INVALID_BUFFER_SIZE, RESOURCES, HOST_MEMORY, CL_INVALID_CONTEXT, CL_INVALID_PROPERTY, CL_INVALID_VALUE,
      CL_INVALID_HOST_PTR}},
    {"clCreateSubBuffer", {MISALIGNED, MEMORY, RESOURCES, HOST_MEMORY, CL_INVALID_MEM_OBJECT, CL_INVALID_VALUE}},
    {"clSetMemObjectDestructorCallback", {RESOURCES, HOST_MEMORY, CL_INVALID_MEM_OBJECT, CL_INVALID_VALUE}},
    {"clCreateProgramWithSource", {HOST_MEMORY, RESOURCES, CL_INVALID_CONTEXT, CL_INVALID_VALUE}},
    {"clCreateProgramWithBinary",
     {CL_INVALID_BINARY, HOST_MEMORY, RESOURCES, CL_INVALID_CONTEXT, CL_INVALID_DEVICE, CL_INVALID_VALUE}},
    {"clCreateProgramWithIL", {HOST_MEMORY, RESOURCES, CL_INVALID_OPERATION, CL_INVALID_CONTEXT, CL_INVALID_VALUE}},
    {"clBuildProgram",
     {CL_BUILD_PROGRAM_FAILURE, CL_INVALID_BUILD_OPTIONS, RESOURCES, HOST_MEMORY, CL_COMPILER_NOT_AVAILABLE,
      CL_INVALID_BINARY, CL_INVALID_OPERATION, CL_INVALID_PROGRAM, CL_INVALID_VALUE, CL_INVALID_DEVICE}},
    {"clGetProgramInfo", {RESOURCES, HOST_MEMORY, CL_INVALID_PROGRAM, CL_INVALID_PROGRAM_EXECUTABLE, CL_INVALID_VALUE}},
    {"clGetProgramBuildInfo", {RESOURCES, HOST_MEMORY, CL_INVALID_DEVICE, CL_INVALID_PROGRAM, CL_INVALID_VALUE}},
    {"clCreateKernel",
     {RESOURCES, HOST_MEMORY, CL_INVALID_PROGRAM, CL_INVALID_PROGRAM_EXECUTABLE, CL_INVALID_KERNEL_NAME,
      CL_INVALID_KERNEL_DEFINITION, CL_INVALID_VALUE}},
    {"clCreateKernelsInProgram",
     {RESOURCES, HOST_MEMORY, CL_INVALID_PROGRAM, CL_INVALID_PROGRAM_EXECUTABLE, CL_INVALID_VALUE}},
    {"clGetKernelInfo", {RESOURCES, HOST_MEMORY, CL_INVALID_KERNEL, CL_INVALID_VALUE}},
    {"clGetKernelArgInfo",
     {CL_KERNEL_ARG_INFO_NOT_AVAILABLE, RESOURCES, HOST_MEMORY, CL_INVALID_KERNEL, CL_INVALID_ARG_INDEX, CL_INVALID_VALUE}},
    {"clGetKernelWorkGroupInfo", {RESOURCES, HOST_MEMORY, CL_INVALID_DEVICE, CL_INVALID_KERNEL, CL_INVALID_VALUE}},
    {"clSetKernelArg",
     {RESOURCES, CL_INVALID_ARG_SIZE, HOST_MEMORY, CL_INVALID_KERNEL, CL_INVALID_ARG_INDEX, CL_INVALID_ARG_VALUE,
      CL_INVALID_MEM_OBJECT, CL_MAX_SIZE_RESTRICTION_EXCEEDED}},
    {"clSetKernelArgSVMPointer",
     {RESOURCES, CL_INVALID_ARG_VALUE, HOST_MEMORY, CL_INVALID_OPERATION, CL_INVALID_KERNEL, CL_INVALID_ARG_INDEX}},
    {"clEnqueueNDRangeKernel",
     {MEMORY, COMMAND, CL_INVALID_PROGRAM_EXECUTABLE, CL_INVALID_KERNEL, CL_INVALID_KERNEL_ARGS, CL_INVALID_WORK_DIMENSION,
      CL_INVALID_GLOBAL_WORK_SIZE, CL_INVALID_GLOBAL_OFFSET, CL_INVALID_WORK_GROUP_SIZE, CL_INVALID_WORK_ITEM_SIZE,
      MISALIGNED}},
    {"clEnqueueReadBuffer", {MOVE, FAILED_EVENT, CL_INVALID_OPERATION}},
    {"clEnqueueWriteBuffer", {MOVE, FAILED_EVENT, CL_INVALID_OPERATION}},
    {"clEnqueueCopyBuffer", {MOVE, CL_MEM_COPY_OVERLAP}},
    {"clEnqueueReadBufferRect", {MOVE, FAILED_EVENT, CL_INVALID_OPERATION}},
    {"clEnqueueWriteBufferRect", {MOVE, FAILED_EVENT, CL_INVALID_OPERATION}},
    {"clEnqueueCopyBufferRect", {MOVE, CL_MEM_COPY_OVERLAP}},
    {"clEnqueueFillBuffer", {MOVE}},
    {"clEnqueueMapBuffer", {CL_MAP_FAILURE, MOVE, FAILED_EVENT, CL_INVALID_OPERATION}},
    {"clEnqueueUnmapMemObject", {COMMAND, CL_INVALID_MEM_OBJECT, CL_INVALID_VALUE}},
    {"clEnqueueMarkerWithWaitList", {COMMAND}},
    {"clEnqueueBarrierWithWaitList", {COMMAND}},
    {"clFlush", {RESOURCES, HOST_MEMORY, CL_INVALID_COMMAND_QUEUE, DEVICE_LOST}},
    {"clFinish", {RESOURCES, CL_INVALID_COMMAND_QUEUE, HOST_MEMORY, DEVICE_LOST}},
    {"clWaitForEvents", {FAILED_EVENT, RESOURCES, HOST_MEMORY, CL_INVALID_VALUE, CL_INVALID_CONTEXT, CL_INVALID_EVENT}},
    {"clGetEventInfo", {RESOURCES, HOST_MEMORY, CL_INVALID_EVENT, CL_INVALID_VALUE}},
    {"clGetEventProfilingInfo",
     {CL_PROFILING_INFO_NOT_AVAILABLE, RESOURCES, HOST_MEMORY, CL_INVALID_EVENT, CL_INVALID_VALUE}},
    {"clCreateUserEvent", {RESOURCES, HOST_MEMORY, CL_INVALID_CONTEXT}},
    {"clSetUserEventStatus", {RESOURCES, HOST_MEMORY, CL_INVALID_EVENT, CL_INVALID_OPERATION}},

    {"event", {FAILED_EVENT, RESOURCES, -1, DEVICE_LOST}},
    {"hold", {1}}, /* no failure, but it counts as one that happened */

    {"malloc", {ENOMEM}},
    {"calloc", {ENOMEM}},
    {"realloc", {ENOMEM}},
    {"aligned_alloc", {ENOMEM}},
    {"posix_memalign", {ENOMEM}},
    {"strdup", {ENOMEM}},
    {"strndup", {ENOMEM}},
    {"mmap", {ENOMEM, EAGAIN}},
    {"pthread_create", {EAGAIN}},
    {"pthread_key_create", {EAGAIN, ENOMEM}},
    {"pthread_setspecific", {ENOMEM}},
    {"open", {EMFILE, EACCES, EIO, ENOMEM}},
    {"openat", {EMFILE, EACCES, ENOSPC, EROFS}},
    {"fdopendir", {ENOMEM}},
    {"fstatat", {EIO, ENOENT}},
    {"futimens", {EROFS}},
    {"read", {EIO, EINTR}},
    {"write", {ENOSPC, EIO, EINTR}},
    {"fstat", {EIO, ENOMEM}},
    {"fopen", {EMFILE, EACCES, ENOMEM}},
    {"fgets", {EIO}},
    {"fwrite", {ENOSPC, EPIPE}},
    {"fflush", {EIO, ENOSPC}},
    {"opendir", {EMFILE, EACCES, ENOMEM}},
    {"readdir", {EIO}},
    {"mkdir", {EACCES, ENOSPC}},
    {"renameat", {EACCES, ENOSPC}},
    {"unlinkat", {EACCES}},
    {"dlopen", {ENOENT}},
};

const int *fault_codes(fault_kind kind, const char *call) {
    call = kind == FAULT_EVENT ? "event" : kind == FAULT_HOLD ? "hold" : call;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (strcmp(rows[i].call, call) == 0) {
            return rows[i].codes;
        }
    }
    return NULL;
}
