#include "cl/driver.h"

#include <pthread.h>
#include <time.h>

static pthread_mutex_t serial = PTHREAD_MUTEX_INITIALIZER;

void driver_lock(void) {
    pthread_mutex_lock(&serial);
}

void driver_unlock(void) {
    pthread_mutex_unlock(&serial);
}

void driver_lock_for_good(void) {
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 5;
    pthread_mutex_timedlock(&serial, &until);
}

const char *driver_code_name(cl_int code) {
    switch (code) {
#define CODE(name) \
    case name:     \
        return #name;
        CODE(CL_SUCCESS)
        CODE(CL_DEVICE_NOT_FOUND)
        CODE(CL_DEVICE_NOT_AVAILABLE)
        CODE(CL_COMPILER_NOT_AVAILABLE)
        CODE(CL_MEM_OBJECT_ALLOCATION_FAILURE)
        CODE(CL_OUT_OF_RESOURCES)
        CODE(CL_OUT_OF_HOST_MEMORY)
        CODE(CL_PROFILING_INFO_NOT_AVAILABLE)
        CODE(CL_MEM_COPY_OVERLAP)
        CODE(CL_IMAGE_FORMAT_MISMATCH)
        CODE(CL_IMAGE_FORMAT_NOT_SUPPORTED)
        CODE(CL_BUILD_PROGRAM_FAILURE)
        CODE(CL_MAP_FAILURE)
        CODE(CL_MISALIGNED_SUB_BUFFER_OFFSET)
        CODE(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST)
        CODE(CL_COMPILE_PROGRAM_FAILURE)
        CODE(CL_LINKER_NOT_AVAILABLE)
        CODE(CL_LINK_PROGRAM_FAILURE)
        CODE(CL_DEVICE_PARTITION_FAILED)
        CODE(CL_KERNEL_ARG_INFO_NOT_AVAILABLE)
        CODE(CL_INVALID_VALUE)
        CODE(CL_INVALID_DEVICE_TYPE)
        CODE(CL_INVALID_PLATFORM)
        CODE(CL_INVALID_DEVICE)
        CODE(CL_INVALID_CONTEXT)
        CODE(CL_INVALID_QUEUE_PROPERTIES)
        CODE(CL_INVALID_COMMAND_QUEUE)
        CODE(CL_INVALID_HOST_PTR)
        CODE(CL_INVALID_MEM_OBJECT)
        CODE(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR)
        CODE(CL_INVALID_IMAGE_SIZE)
        CODE(CL_INVALID_SAMPLER)
        CODE(CL_INVALID_BINARY)
        CODE(CL_INVALID_BUILD_OPTIONS)
        CODE(CL_INVALID_PROGRAM)
        CODE(CL_INVALID_PROGRAM_EXECUTABLE)
        CODE(CL_INVALID_KERNEL_NAME)
        CODE(CL_INVALID_KERNEL_DEFINITION)
        CODE(CL_INVALID_KERNEL)
        CODE(CL_INVALID_ARG_INDEX)
        CODE(CL_INVALID_ARG_VALUE)
        CODE(CL_INVALID_ARG_SIZE)
        CODE(CL_INVALID_KERNEL_ARGS)
        CODE(CL_INVALID_WORK_DIMENSION)
        CODE(CL_INVALID_WORK_GROUP_SIZE)
        CODE(CL_INVALID_WORK_ITEM_SIZE)
        CODE(CL_INVALID_GLOBAL_OFFSET)
        CODE(CL_INVALID_EVENT_WAIT_LIST)
        CODE(CL_INVALID_EVENT)
        CODE(CL_INVALID_OPERATION)
        CODE(CL_INVALID_GL_OBJECT)
        CODE(CL_INVALID_BUFFER_SIZE)
        CODE(CL_INVALID_MIP_LEVEL)
        CODE(CL_INVALID_GLOBAL_WORK_SIZE)
        CODE(CL_INVALID_PROPERTY)
        CODE(CL_INVALID_IMAGE_DESCRIPTOR)
        CODE(CL_INVALID_COMPILER_OPTIONS)
        CODE(CL_INVALID_LINKER_OPTIONS)
        CODE(CL_INVALID_DEVICE_PARTITION_COUNT)
        CODE(CL_INVALID_PIPE_SIZE)
        CODE(CL_INVALID_DEVICE_QUEUE)
        CODE(CL_INVALID_SPEC_ID)
        CODE(CL_MAX_SIZE_RESTRICTION_EXCEEDED)
#undef CODE
        case -1001:
            return "CL_PLATFORM_NOT_FOUND_KHR";
        default:
            return "unknown OpenCL error";
    }
}

/* What a code means when nothing better is known. */
static weft_status status_of(cl_int code) {
    switch (code) {
        case CL_MEM_OBJECT_ALLOCATION_FAILURE:
        case CL_INVALID_BUFFER_SIZE:
            return WEFT_ERROR_OUT_OF_DEVICE_MEMORY;
        case CL_OUT_OF_HOST_MEMORY:
            return WEFT_ERROR_OUT_OF_HOST_MEMORY;
        case CL_INVALID_WORK_GROUP_SIZE:
        case CL_INVALID_WORK_ITEM_SIZE:
        case CL_INVALID_WORK_DIMENSION:
        case CL_INVALID_GLOBAL_WORK_SIZE:
            return WEFT_ERROR_LAUNCH_LIMIT;
        case CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST:
            return WEFT_ERROR_EXECUTION_FAILED;
        default:
            return WEFT_ERROR_DRIVER;
    }
}

weft_status driver_error(const device_entry *entry, const char *call, cl_int code) {
    return error_set_cl(status_of(code), code, "%s failed on device %s:%d with %s (%d)", call, entry->info.api, entry->info.id,
                        driver_code_name(code), code);
}

weft_status driver_error_as(weft_status status, const device_entry *entry, const char *call, cl_int code, const char *doing) {
    return error_set_cl(status, code, "%s: %s failed on device %s:%d with %s (%d)", doing, call, entry->info.api,
                        entry->info.id, driver_code_name(code), code);
}
