/* One platform, one device, and everything a caller may ask about them. */
#include "null_driver.h"

#define PLATFORM_EXTENSIONS "cl_khr_icd"
#define DEVICE_EXTENSIONS(X)                      \
    X("cl_khr_byte_addressable_store")             \
    X("cl_khr_fp16")                               \
    X("cl_khr_fp64")                               \
    X("cl_khr_global_int32_base_atomics")          \
    X("cl_khr_global_int32_extended_atomics")      \
    X("cl_khr_local_int32_base_atomics")           \
    X("cl_khr_local_int32_extended_atomics")       \
    X("cl_khr_int64_base_atomics")                 \
    X("cl_khr_int64_extended_atomics")
#define FULL_FP \
    (CL_FP_DENORM | CL_FP_INF_NAN | CL_FP_ROUND_TO_NEAREST | CL_FP_ROUND_TO_ZERO | CL_FP_ROUND_TO_INF | CL_FP_FMA)

struct _cl_platform_id null_platform = {{&null_dispatch, 1}};
struct _cl_device_id null_device = {{&null_dispatch, 1}};

cl_int answer(const void *value, size_t size_bytes, size_t capacity, void *out, size_t *out_size) {
    if (out && capacity < size_bytes) {
        return CL_INVALID_VALUE;
    }
    if (out && size_bytes) {
        memcpy(out, value, size_bytes);
    }
    if (out_size) {
        *out_size = size_bytes;
    }
    return CL_SUCCESS;
}

cl_int clGetPlatformIDs(cl_uint capacity, cl_platform_id *out, cl_uint *out_count) {
    if (out && !capacity) {
        return CL_INVALID_VALUE;
    }
    if (out) {
        *out = &null_platform;
    }
    if (out_count) {
        *out_count = 1;
    }
    return CL_SUCCESS;
}

cl_int clGetPlatformInfo(cl_platform_id platform, cl_platform_info name, size_t capacity, void *out, size_t *out_size) {
    switch (name) {
        case CL_PLATFORM_PROFILE:
            return ANSWER_TEXT("FULL_PROFILE");
        case CL_PLATFORM_VERSION:
            return ANSWER_TEXT("OpenCL 3.0 weft null");
        case CL_PLATFORM_NUMERIC_VERSION:
            return ANSWER(cl_version, CL_MAKE_VERSION(3, 0, 0));
        case CL_PLATFORM_NAME:
            return ANSWER_TEXT("weft null");
        case CL_PLATFORM_VENDOR:
            return ANSWER_TEXT("weft");
        case CL_PLATFORM_EXTENSIONS:
            return ANSWER_TEXT(PLATFORM_EXTENSIONS);
        case CL_PLATFORM_EXTENSIONS_WITH_VERSION:
            return ANSWER(cl_name_version, CL_MAKE_VERSION(1, 0, 0), PLATFORM_EXTENSIONS);
        case CL_PLATFORM_HOST_TIMER_RESOLUTION:
            return ANSWER(cl_ulong, 0);
        case CL_PLATFORM_ICD_SUFFIX_KHR:
            return ANSWER_TEXT("WEFTNULL");
        default:
            return CL_INVALID_VALUE;
    }
}

cl_int clGetDeviceIDs(cl_platform_id platform, cl_device_type type, cl_uint capacity, cl_device_id *out,
                      cl_uint *out_count) {
    if (!(type & (CL_DEVICE_TYPE_GPU | CL_DEVICE_TYPE_DEFAULT))) {
        return CL_DEVICE_NOT_FOUND;
    }
    if (out && !capacity) {
        return CL_INVALID_VALUE;
    }
    if (out) {
        *out = &null_device;
    }
    if (out_count) {
        *out_count = 1;
    }
    return CL_SUCCESS;
}

/* Everything that is one value: X(query, its type, the answer). */
#define DEVICE_VALUES(X)                                                                              \
    X(CL_DEVICE_TYPE, cl_device_type, CL_DEVICE_TYPE_GPU)                                             \
    X(CL_DEVICE_VENDOR_ID, cl_uint, 0)                                                                \
    X(CL_DEVICE_PLATFORM, cl_platform_id, &null_platform)                                             \
    X(CL_DEVICE_PARENT_DEVICE, cl_device_id, NULL)                                                    \
    X(CL_DEVICE_REFERENCE_COUNT, cl_uint, 1)                                                          \
    X(CL_DEVICE_NUMERIC_VERSION, cl_version, CL_MAKE_VERSION(3, 0, 0))                                \
    X(CL_DEVICE_AVAILABLE, cl_bool, CL_TRUE)                                                          \
    X(CL_DEVICE_COMPILER_AVAILABLE, cl_bool, CL_TRUE)                                                 \
    X(CL_DEVICE_LINKER_AVAILABLE, cl_bool, CL_FALSE)                                                  \
    X(CL_DEVICE_ENDIAN_LITTLE, cl_bool, CL_TRUE)                                                      \
    X(CL_DEVICE_ERROR_CORRECTION_SUPPORT, cl_bool, CL_FALSE)                                          \
    X(CL_DEVICE_HOST_UNIFIED_MEMORY, cl_bool, CL_FALSE)                                               \
    X(CL_DEVICE_PREFERRED_INTEROP_USER_SYNC, cl_bool, CL_TRUE)                                        \
    X(CL_DEVICE_EXECUTION_CAPABILITIES, cl_device_exec_capabilities, CL_EXEC_KERNEL)                  \
    X(CL_DEVICE_QUEUE_ON_HOST_PROPERTIES, cl_command_queue_properties, CL_QUEUE_PROFILING_ENABLE)     \
    X(CL_DEVICE_PROFILING_TIMER_RESOLUTION, size_t, 1)                                                \
    X(CL_DEVICE_MAX_COMPUTE_UNITS, cl_uint, 64)                                                       \
    X(CL_DEVICE_MAX_CLOCK_FREQUENCY, cl_uint, 1000)                                                   \
    X(CL_DEVICE_ADDRESS_BITS, cl_uint, 64)                                                            \
    X(CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS, cl_uint, 3)                                                 \
    X(CL_DEVICE_MAX_WORK_GROUP_SIZE, size_t, MAX_BLOCK)                                               \
    X(CL_DEVICE_PREFERRED_WORK_GROUP_SIZE_MULTIPLE, size_t, 32)                                       \
    X(CL_DEVICE_NON_UNIFORM_WORK_GROUP_SUPPORT, cl_bool, CL_FALSE)                                    \
    X(CL_DEVICE_WORK_GROUP_COLLECTIVE_FUNCTIONS_SUPPORT, cl_bool, CL_FALSE)                           \
    X(CL_DEVICE_GENERIC_ADDRESS_SPACE_SUPPORT, cl_bool, CL_FALSE)                                     \
    X(CL_DEVICE_MAX_PARAMETER_SIZE, size_t, 4 * KIBI)                                                 \
    X(CL_DEVICE_MAX_MEM_ALLOC_SIZE, cl_ulong, MAX_ALLOCATION)                                         \
    X(CL_DEVICE_GLOBAL_MEM_SIZE, cl_ulong, 64 * GIBI)                                                 \
    X(CL_DEVICE_GLOBAL_MEM_CACHE_TYPE, cl_device_mem_cache_type, CL_READ_WRITE_CACHE)                 \
    X(CL_DEVICE_GLOBAL_MEM_CACHE_SIZE, cl_ulong, 1024 * KIBI)                                         \
    X(CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE, cl_uint, 64)                                               \
    X(CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE, cl_ulong, 64 * KIBI)                                        \
    X(CL_DEVICE_MAX_CONSTANT_ARGS, cl_uint, 8)                                                        \
    X(CL_DEVICE_LOCAL_MEM_TYPE, cl_device_local_mem_type, CL_LOCAL)                                   \
    X(CL_DEVICE_LOCAL_MEM_SIZE, cl_ulong, 64 * KIBI)                                                  \
    X(CL_DEVICE_MEM_BASE_ADDR_ALIGN, cl_uint, 8 * BASE_ALIGNMENT)                                     \
    X(CL_DEVICE_MIN_DATA_TYPE_ALIGN_SIZE, cl_uint, 128)                                               \
    X(CL_DEVICE_PRINTF_BUFFER_SIZE, size_t, 1024 * KIBI)                                              \
    X(CL_DEVICE_MAX_GLOBAL_VARIABLE_SIZE, size_t, 0)                                                  \
    X(CL_DEVICE_GLOBAL_VARIABLE_PREFERRED_TOTAL_SIZE, size_t, 0)                                      \
    X(CL_DEVICE_HALF_FP_CONFIG, cl_device_fp_config, FULL_FP)                                         \
    X(CL_DEVICE_SINGLE_FP_CONFIG, cl_device_fp_config, FULL_FP)                                       \
    X(CL_DEVICE_DOUBLE_FP_CONFIG, cl_device_fp_config, FULL_FP)                                       \
    X(CL_DEVICE_PREFERRED_VECTOR_WIDTH_CHAR, cl_uint, 1)                                              \
    X(CL_DEVICE_PREFERRED_VECTOR_WIDTH_SHORT, cl_uint, 1)                                             \
    X(CL_DEVICE_PREFERRED_VECTOR_WIDTH_INT, cl_uint, 1)                                               \
    X(CL_DEVICE_PREFERRED_VECTOR_WIDTH_LONG, cl_uint, 1)                                              \
    X(CL_DEVICE_PREFERRED_VECTOR_WIDTH_HALF, cl_uint, 1)                                              \
    X(CL_DEVICE_PREFERRED_VECTOR_WIDTH_FLOAT, cl_uint, 1)                                             \
    X(CL_DEVICE_PREFERRED_VECTOR_WIDTH_DOUBLE, cl_uint, 1)                                            \
    X(CL_DEVICE_NATIVE_VECTOR_WIDTH_CHAR, cl_uint, 1)                                                 \
    X(CL_DEVICE_NATIVE_VECTOR_WIDTH_SHORT, cl_uint, 1)                                                \
    X(CL_DEVICE_NATIVE_VECTOR_WIDTH_INT, cl_uint, 1)                                                  \
    X(CL_DEVICE_NATIVE_VECTOR_WIDTH_LONG, cl_uint, 1)                                                 \
    X(CL_DEVICE_NATIVE_VECTOR_WIDTH_HALF, cl_uint, 1)                                                 \
    X(CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT, cl_uint, 1)                                                \
    X(CL_DEVICE_NATIVE_VECTOR_WIDTH_DOUBLE, cl_uint, 1)                                               \
    X(CL_DEVICE_PARTITION_MAX_SUB_DEVICES, cl_uint, 0)                                                \
    X(CL_DEVICE_PARTITION_AFFINITY_DOMAIN, cl_device_affinity_domain, 0)                              \
    X(CL_DEVICE_IMAGE_SUPPORT, cl_bool, CL_FALSE)                                                     \
    X(CL_DEVICE_PIPE_SUPPORT, cl_bool, CL_FALSE)                                                      \
    X(CL_DEVICE_MAX_PIPE_ARGS, cl_uint, 0)                                                            \
    X(CL_DEVICE_PIPE_MAX_ACTIVE_RESERVATIONS, cl_uint, 0)                                             \
    X(CL_DEVICE_PIPE_MAX_PACKET_SIZE, cl_uint, 0)                                                     \
    X(CL_DEVICE_SVM_CAPABILITIES, cl_device_svm_capabilities, 0)                                      \
    X(CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES, cl_device_device_enqueue_capabilities, 0)                \
    X(CL_DEVICE_QUEUE_ON_DEVICE_PROPERTIES, cl_command_queue_properties, 0)                           \
    X(CL_DEVICE_QUEUE_ON_DEVICE_PREFERRED_SIZE, cl_uint, 0)                                           \
    X(CL_DEVICE_QUEUE_ON_DEVICE_MAX_SIZE, cl_uint, 0)                                                 \
    X(CL_DEVICE_MAX_ON_DEVICE_QUEUES, cl_uint, 0)                                                     \
    X(CL_DEVICE_MAX_ON_DEVICE_EVENTS, cl_uint, 0)                                                     \
    X(CL_DEVICE_MAX_NUM_SUB_GROUPS, cl_uint, 0)                                                       \
    X(CL_DEVICE_SUB_GROUP_INDEPENDENT_FORWARD_PROGRESS, cl_bool, CL_FALSE)                            \
    X(CL_DEVICE_PREFERRED_PLATFORM_ATOMIC_ALIGNMENT, cl_uint, 0)                                      \
    X(CL_DEVICE_PREFERRED_GLOBAL_ATOMIC_ALIGNMENT, cl_uint, 0)                                        \
    X(CL_DEVICE_PREFERRED_LOCAL_ATOMIC_ALIGNMENT, cl_uint, 0)                                         \
    X(CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES, cl_device_atomic_capabilities,                            \
      CL_DEVICE_ATOMIC_ORDER_RELAXED | CL_DEVICE_ATOMIC_SCOPE_WORK_GROUP)                             \
    X(CL_DEVICE_ATOMIC_FENCE_CAPABILITIES, cl_device_atomic_capabilities,                             \
      CL_DEVICE_ATOMIC_ORDER_RELAXED | CL_DEVICE_ATOMIC_ORDER_ACQ_REL | CL_DEVICE_ATOMIC_SCOPE_WORK_GROUP)

cl_int clGetDeviceInfo(cl_device_id device, cl_device_info name, size_t capacity, void *out, size_t *out_size) {
    switch (name) {
#define VALUE(query, type, value) \
    case query:                   \
        return ANSWER(type, value);
        DEVICE_VALUES(VALUE)
#undef VALUE
        case CL_DEVICE_NAME:
            return ANSWER_TEXT("weft null device");
        case CL_DEVICE_VENDOR:
            return ANSWER_TEXT("weft");
        case CL_DRIVER_VERSION:
            return ANSWER_TEXT("1.0");
        case CL_DEVICE_PROFILE:
            return ANSWER_TEXT("FULL_PROFILE");
        case CL_DEVICE_VERSION:
            return ANSWER_TEXT("OpenCL 3.0 weft null");
        case CL_DEVICE_OPENCL_C_VERSION:
            return ANSWER_TEXT("OpenCL C 1.2 weft null");
        case CL_DEVICE_OPENCL_C_ALL_VERSIONS:
            return ANSWER_ARRAY(cl_name_version, {CL_MAKE_VERSION(1, 0, 0), "OpenCL C"},
                                {CL_MAKE_VERSION(1, 1, 0), "OpenCL C"}, {CL_MAKE_VERSION(1, 2, 0), "OpenCL C"});
        case CL_DEVICE_EXTENSIONS:
#define NAME(name) name " "
            return ANSWER_TEXT(DEVICE_EXTENSIONS(NAME));
#undef NAME
        case CL_DEVICE_EXTENSIONS_WITH_VERSION:
#define NAME(name) {CL_MAKE_VERSION(1, 0, 0), name},
            return ANSWER_ARRAY(cl_name_version, DEVICE_EXTENSIONS(NAME));
#undef NAME
        case CL_DEVICE_MAX_WORK_ITEM_SIZES:
            return ANSWER_ARRAY(size_t, MAX_BLOCK, MAX_BLOCK, MAX_BLOCK);
        case CL_DEVICE_BUILT_IN_KERNELS:
        case CL_DEVICE_IL_VERSION:
        case CL_DEVICE_LATEST_CONFORMANCE_VERSION_PASSED:
            return ANSWER_TEXT("");
        case CL_DEVICE_BUILT_IN_KERNELS_WITH_VERSION:
        case CL_DEVICE_ILS_WITH_VERSION:
        case CL_DEVICE_OPENCL_C_FEATURES:
        case CL_DEVICE_PARTITION_TYPE:
            return ANSWER_NOTHING();
        case CL_DEVICE_PARTITION_PROPERTIES:
            return ANSWER(cl_device_partition_property, 0);
        default:
            return CL_INVALID_VALUE;
    }
}

cl_int clRetainDevice(cl_device_id device) {
    return CL_SUCCESS;
}

cl_int clReleaseDevice(cl_device_id device) {
    return CL_SUCCESS;
}
