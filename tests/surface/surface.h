/* tests/surface: bad input to the whole public interface, one row for each exported function.
 *
 * A row calls its function with each argument NULL, out of range, of the wrong dtype or device, near SIZE_MAX.
 * Every refusal has the status that the header says, a record that names function and argument, and cleared
 * out-parameters; after each row what the rows share is as it was, and the context works on.
 */
#ifndef TESTS_SURFACE_H
#define TESTS_SURFACE_H

#include "support.h"

/* Every exported function, by the file that has its row; test_bad_input.c compares the lists with the headers. */
#define SURFACE_GENERAL(X)                                                                                             \
    X(status_name) X(last_error) X(error_message) X(last_build_log) X(version) X(check_failed)                         \
    X(dtype_size) X(dtype_name)                                                                                        \
    X(number_of_devices) X(has_accelerator) X(has_nvidia_gpu_accelerator) X(has_amd_gpu_accelerator)                   \
    X(has_intel_gpu_accelerator) X(has_apple_gpu_accelerator) X(device_get_info)                                       \
    X(context_create) X(context_create_stream) X(context_retain) X(context_release) X(context_name) X(context_api)     \
    X(context_id) X(context_get_attribute) X(context_get_memory_info) X(flush) X(synchronize) X(enqueue_wait_for)      \
    X(cache_get_info) X(cache_visit) X(cache_clear)

#define SURFACE_BUFFERS(X)                                                                                             \
    X(enqueue_create_buffer) X(create_buffer_sync) X(enqueue_create_host_buffer) X(wrap_host_memory)                   \
    X(device_buffer_retain) X(host_buffer_retain) X(device_buffer_release) X(host_buffer_release)                      \
    X(device_buffer_length) X(host_buffer_length) X(device_buffer_dtype) X(host_buffer_dtype)                          \
    X(device_buffer_size_bytes) X(host_buffer_size_bytes) X(device_buffer_context) X(host_buffer_context)              \
    X(host_buffer_data) X(device_buffer_create_sub_buffer) X(host_buffer_create_sub_buffer)                            \
    X(device_buffer_reassign_ownership_to) X(device_buffer_unsafe_ptr) X(device_buffer_take_ptr) X(wrap_device_ptr)    \
    X(device_buffer_map_to_host) X(device_buffer_unmap) X(mapping_begin) X(mapping_end)                                \
    X(device_buffer_write_to) X(host_buffer_write_to) X(device_buffer_write_with) X(host_buffer_write_with)

#define SURFACE_COPIES(X)                                                                                              \
    X(memory_from_device_buffer) X(memory_from_host_buffer) X(memory_from_pointer) X(memory_from_const_pointer)        \
    X(enqueue_fill_scalar) X(enqueue_fill_range_scalar) X(enqueue_fill_memory)                                         \
    X(enqueue_copy_memory) X(enqueue_copy_range_memory) X(enqueue_copy_rect_memory)                                     \
    X(device_buffer_enqueue_copy_to_memory) X(device_buffer_enqueue_copy_from_memory)                                  \
    X(host_buffer_enqueue_copy_to_memory) X(host_buffer_enqueue_copy_from_memory)

#define SURFACE_TENSORS(X) X(tensor_row_major) X(tensor_column_major) X(tensor_strided) X(tensor_tile)

#define SURFACE_ORDER(X)                                                                                               \
    X(context_stream_priority_range) X(enqueue_host_func) X(execution_time)                                            \
    X(event_create) X(event_retain) X(event_release) X(event_record) X(enqueue_wait_for_event)                         \
    X(event_synchronize) X(event_query) X(event_elapsed_ns)

#define SURFACE_GRAPHS(X)                                                                                              \
    X(graph_begin) X(graph_end) X(graph_retain) X(graph_release) X(graph_node_count) X(enqueue_graph) X(graph_set_arg)

#define SURFACE_TRACES(X) X(trace_start) X(trace_stop)

#define SURFACE_FUNCTIONS(X)                                                                                           \
    X(assemble_source) X(compile_program) X(program_function) X(compile_function)                                      \
    X(program_retain) X(program_release) X(function_retain) X(function_release)                                        \
    X(program_function_count) X(program_function_name) X(program_build_log)                                            \
    X(function_name) X(function_arg_count) X(function_arg_info) X(function_get_attribute) X(function_suggest_launch)   \
    X(enqueue_function_args) X(enqueue_function_once_args) X(load_program)                                             \
    X(program_write_to) X(program_write_with)                                                                          \
    X(kernel_set_function) X(kernel_set_enqueue) X(kernel_set_unload)

typedef struct surface_row {
    const char *function; /* as exported */
    void (*refusals)(void);
} surface_row;

#define SURFACE_ROW(name) {"weft_" #name, bad_##name},

/* What the rows share. Both buffers hold LENGTH int32 of VALUE. */
enum { LENGTH = 8, VALUE = 5 };
static weft_context *ctx;
static weft_device_buffer *device;
static weft_host_buffer *host;
static const char *row;

/* No dtypes. */
static const weft_dtype no_dtypes[] = {(weft_dtype)12, (weft_dtype)-1, (weft_dtype)1000};
enum { NO_DTYPES = 3 };

/* The record's function is the row's, or the macro's over it. */
static inline void check_record(const char *argument, const char *call) {
    const weft_error *error = weft_last_error();
    size_t length = strlen(error->function);
    bool exported = strcmp(error->function, row) == 0;
    bool macro = strncmp(error->function, row, length) == 0 && strrchr(row, '_') == row + length;
    bool bytes = strcmp(row, "weft_enqueue_fill_memory") == 0 && strcmp(error->function, "weft_enqueue_fill_bytes") == 0;
    ck_assert_msg(exported || macro || bytes, "%s: the record names %s", call, error->function);
    ck_assert_msg(strncmp(error->message, error->function, length) == 0, "%s: \"%s\"", call, error->message);
    ck_assert_msg(strstr(error->message + length, argument), "%s: \"%s\" does not say \"%s\"", call, error->message, argument);
    ck_assert_msg(!strchr(error->message, '\n'), "%s: \"%s\" is not one line", call, error->message);
}

static inline bool is_clear(const void *out, size_t size_bytes) {
    const unsigned char *bytes = out;
    while (size_bytes && !bytes[size_bytes - 1]) {
        size_bytes--;
    }
    return size_bytes == 0;
}

/* The call fails with that status and names that argument. */
#define REFUSES(expected, argument, call)      \
    do {                                       \
        FAILS(WEFT_ERROR_##expected, call);    \
        check_record(argument, #call);         \
    } while (0)

/* And leaves out, a variable, NULL or zero. */
#define CLEARS(out, expected, argument, call)                                                   \
    do {                                                                                        \
        memset(&(out), 0x5A, sizeof(out));                                                      \
        REFUSES(expected, argument, call);                                                      \
        ck_assert_msg(is_clear(&(out), sizeof(out)), "%s: %s is not cleared", #call, #out);     \
    } while (0)

static inline void check_shared(void) {
    int32_t got[LENGTH + 1] = {0}, *data = weft_host_buffer_data(host);
    OK(weft_enqueue_copy(ctx, got, device));
    OK(weft_synchronize(ctx));
    for (int i = 0; i < LENGTH; i++) {
        ck_assert_msg(got[i] == VALUE && data[i] == VALUE, "after %s: element %d is %d and %d", row, i, got[i], data[i]);
    }
    ck_assert_int_eq(got[LENGTH], 0);
}

static inline void run_rows(const surface_row *rows, size_t n) {
    ctx = test_context();
    device = test_device_buffer(WEFT_INT32, LENGTH);
    host = test_host_buffer(WEFT_INT32, LENGTH);
    OK(weft_enqueue_fill(device, VALUE));
    OK(weft_enqueue_fill(host, VALUE));
    OK(weft_synchronize(ctx));
    for (size_t i = 0; i < n; i++) {
        row = rows[i].function;
        rows[i].refusals();
        check_shared();
    }
    test_context_works(ctx);
}

#endif
