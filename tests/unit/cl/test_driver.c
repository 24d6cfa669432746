/* cl/driver: the codes' names, and the status that each means. Names and numbers are those of the OpenCL 3.0 headers. */
#include <pthread.h>
#include <sched.h>

#include "support.h"

#include "cl/driver.h"

static const struct {
    cl_int code;
    const char *name;
} codes[] = {
    {0, "CL_SUCCESS"},
    {-1, "CL_DEVICE_NOT_FOUND"},
    {-2, "CL_DEVICE_NOT_AVAILABLE"},
    {-3, "CL_COMPILER_NOT_AVAILABLE"},
    {-4, "CL_MEM_OBJECT_ALLOCATION_FAILURE"},
    {-5, "CL_OUT_OF_RESOURCES"},
    {-6, "CL_OUT_OF_HOST_MEMORY"},
    {-7, "CL_PROFILING_INFO_NOT_AVAILABLE"},
    {-8, "CL_MEM_COPY_OVERLAP"},
    {-9, "CL_IMAGE_FORMAT_MISMATCH"},
    {-10, "CL_IMAGE_FORMAT_NOT_SUPPORTED"},
    {-11, "CL_BUILD_PROGRAM_FAILURE"},
    {-12, "CL_MAP_FAILURE"},
    {-13, "CL_MISALIGNED_SUB_BUFFER_OFFSET"},
    {-14, "CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST"},
    {-15, "CL_COMPILE_PROGRAM_FAILURE"},
    {-16, "CL_LINKER_NOT_AVAILABLE"},
    {-17, "CL_LINK_PROGRAM_FAILURE"},
    {-18, "CL_DEVICE_PARTITION_FAILED"},
    {-19, "CL_KERNEL_ARG_INFO_NOT_AVAILABLE"},
    {-30, "CL_INVALID_VALUE"},
    {-31, "CL_INVALID_DEVICE_TYPE"},
    {-32, "CL_INVALID_PLATFORM"},
    {-33, "CL_INVALID_DEVICE"},
    {-34, "CL_INVALID_CONTEXT"},
    {-35, "CL_INVALID_QUEUE_PROPERTIES"},
    {-36, "CL_INVALID_COMMAND_QUEUE"},
    {-37, "CL_INVALID_HOST_PTR"},
    {-38, "CL_INVALID_MEM_OBJECT"},
    {-39, "CL_INVALID_IMAGE_FORMAT_DESCRIPTOR"},
    {-40, "CL_INVALID_IMAGE_SIZE"},
    {-41, "CL_INVALID_SAMPLER"},
    {-42, "CL_INVALID_BINARY"},
    {-43, "CL_INVALID_BUILD_OPTIONS"},
    {-44, "CL_INVALID_PROGRAM"},
    {-45, "CL_INVALID_PROGRAM_EXECUTABLE"},
    {-46, "CL_INVALID_KERNEL_NAME"},
    {-47, "CL_INVALID_KERNEL_DEFINITION"},
    {-48, "CL_INVALID_KERNEL"},
    {-49, "CL_INVALID_ARG_INDEX"},
    {-50, "CL_INVALID_ARG_VALUE"},
    {-51, "CL_INVALID_ARG_SIZE"},
    {-52, "CL_INVALID_KERNEL_ARGS"},
    {-53, "CL_INVALID_WORK_DIMENSION"},
    {-54, "CL_INVALID_WORK_GROUP_SIZE"},
    {-55, "CL_INVALID_WORK_ITEM_SIZE"},
    {-56, "CL_INVALID_GLOBAL_OFFSET"},
    {-57, "CL_INVALID_EVENT_WAIT_LIST"},
    {-58, "CL_INVALID_EVENT"},
    {-59, "CL_INVALID_OPERATION"},
    {-60, "CL_INVALID_GL_OBJECT"},
    {-61, "CL_INVALID_BUFFER_SIZE"},
    {-62, "CL_INVALID_MIP_LEVEL"},
    {-63, "CL_INVALID_GLOBAL_WORK_SIZE"},
    {-64, "CL_INVALID_PROPERTY"},
    {-65, "CL_INVALID_IMAGE_DESCRIPTOR"},
    {-66, "CL_INVALID_COMPILER_OPTIONS"},
    {-67, "CL_INVALID_LINKER_OPTIONS"},
    {-68, "CL_INVALID_DEVICE_PARTITION_COUNT"},
    {-69, "CL_INVALID_PIPE_SIZE"},
    {-70, "CL_INVALID_DEVICE_QUEUE"},
    {-71, "CL_INVALID_SPEC_ID"},
    {-72, "CL_MAX_SIZE_RESTRICTION_EXCEEDED"},
    {-1001, "CL_PLATFORM_NOT_FOUND_KHR"},
};

/* What a code means when nothing better is known; every other one is the driver's. */
static const struct {
    cl_int code;
    weft_status status;
} meanings[] = {
    {-4, WEFT_ERROR_OUT_OF_DEVICE_MEMORY}, {-61, WEFT_ERROR_OUT_OF_DEVICE_MEMORY}, {-6, WEFT_ERROR_OUT_OF_HOST_MEMORY},
    {-53, WEFT_ERROR_LAUNCH_LIMIT},        {-54, WEFT_ERROR_LAUNCH_LIMIT},         {-55, WEFT_ERROR_LAUNCH_LIMIT},
    {-63, WEFT_ERROR_LAUNCH_LIMIT},        {-14, WEFT_ERROR_EXECUTION_FAILED},
};

static weft_status meaning_of(cl_int code) {
    for (size_t i = 0; i < sizeof meanings / sizeof *meanings; i++) {
        if (meanings[i].code == code) {
            return meanings[i].status;
        }
    }
    return WEFT_ERROR_DRIVER;
}

START_TEST(codes_have_their_names) {
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++) {
        ck_assert_str_eq(driver_code_name(codes[i].code), codes[i].name);
    }
    static const cl_int unknown[] = {1, -20, -29, -73, -1000, -9999};
    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++) {
        ck_assert_str_eq(driver_code_name(unknown[i]), "unknown OpenCL error");
    }
}
END_TEST

START_TEST(a_failed_call_is_told_with_its_meaning) {
    const device_entry entry = {.info = {.api = "pocl", .id = 3}};
    char said[256];
    error_function = "the_function";
    for (size_t i = 1; i < sizeof codes / sizeof *codes; i++) {
        ck_assert_int_eq(driver_error(&entry, "clSomething", codes[i].code), meaning_of(codes[i].code));
        snprintf(said, sizeof said, "the_function: clSomething failed on device pocl:3 with %s (%d)", codes[i].name,
                 codes[i].code);
        ck_assert_str_eq(weft_error_message(), said);
        ck_assert_int_eq(weft_last_error()->status, meaning_of(codes[i].code));
        ck_assert_int_eq(weft_last_error()->cl_code, codes[i].code);
    }
    ck_assert_int_eq(driver_error(&entry, "clSomething", -9999), WEFT_ERROR_DRIVER);
}
END_TEST

START_TEST(a_caller_may_know_better) {
    const device_entry entry = {.info = {.api = "nvidia", .id = 0}};
    error_function = "the_function";
    ck_assert_int_eq(driver_error_as(WEFT_ERROR_EXECUTION_FAILED, &entry, "clFinish", -36, "a command failed"),
                     WEFT_ERROR_EXECUTION_FAILED);
    ck_assert_str_eq(weft_error_message(),
                     "the_function: a command failed: clFinish failed on device nvidia:0 with CL_INVALID_COMMAND_QUEUE (-36)");
    ck_assert_int_eq(weft_last_error()->status, WEFT_ERROR_EXECUTION_FAILED);
    ck_assert_int_eq(weft_last_error()->cl_code, -36);
    ck_assert_str_eq(weft_last_error()->function, "the_function");
}
END_TEST

/* ---- One call at a time ------------------------------------------------------------------------------ */

enum { THREADS = 4, CALLS = 500 };

static int calls; /* not atomic: calls that meet lose some */

static void *call_often(void *entry) {
    for (int i = 0; i < CALLS; i++) {
        DRIVER((const device_entry *)entry, int seen = calls; sched_yield(); calls = seen + 1);
    }
    return NULL;
}

START_TEST(a_driver_that_is_not_thread_safe_sees_one_call_at_a_time) {
    device_entry entry = {.quirks = QUIRK_NOT_THREAD_SAFE};
    pthread_t threads[THREADS];
    calls = 0;
    for (int i = 0; i < THREADS; i++) {
        ck_assert_int_eq(pthread_create(&threads[i], NULL, call_often, &entry), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
    }
    ck_assert_int_eq(calls, THREADS * CALLS);
}
END_TEST

TESTS(codes_have_their_names, a_failed_call_is_told_with_its_meaning, a_caller_may_know_better,
      a_driver_that_is_not_thread_safe_sees_one_call_at_a_time)
