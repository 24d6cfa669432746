/* Bad input to what creates, views, owns, maps and prints buffers. */
#include <stdio.h>

#include "surface.h"

/* ---- Creation -------------------------------------------------------------------------------------------------- */

typedef weft_status (*create_function)(weft_context *, weft_dtype, size_t, weft_device_buffer **);

static void check_create(create_function create) {
    weft_device_buffer *out;
    CLEARS(out, INVALID_ARGUMENT, "context", create(NULL, WEFT_INT32, LENGTH, &out));
    REFUSES(INVALID_ARGUMENT, "out", create(ctx, WEFT_INT32, LENGTH, NULL));
    for (int i = 0; i < NO_DTYPES; i++) {
        CLEARS(out, TYPE_MISMATCH, "dtype", create(ctx, no_dtypes[i], LENGTH, &out));
    }
    CLEARS(out, OUT_OF_RANGE, "length", create(ctx, WEFT_INT32, SIZE_MAX, &out));
    CLEARS(out, OUT_OF_RANGE, "length", create(ctx, WEFT_FLOAT64, SIZE_MAX / 8 + 1, &out));
    CLEARS(out, OUT_OF_RANGE, "9223372036854775808", create(ctx, WEFT_INT16, (size_t)1 << 63, &out));
    CLEARS(out, OUT_OF_DEVICE_MEMORY, "18446744073709551615", create(ctx, WEFT_UINT8, SIZE_MAX, &out));
    CLEARS(out, OUT_OF_DEVICE_MEMORY, "", create(ctx, WEFT_FLOAT64, SIZE_MAX / 8, &out));
    CLEARS(out, OUT_OF_DEVICE_MEMORY, "1125899906842624", create(ctx, WEFT_UINT8, (size_t)1 << 50, &out)); /* 1 PiB */
}

static void bad_enqueue_create_buffer(void) { check_create(weft_enqueue_create_buffer); }
static void bad_create_buffer_sync(void) { check_create(weft_create_buffer_sync); }

static void bad_enqueue_create_host_buffer(void) {
    weft_host_buffer *out;
    CLEARS(out, INVALID_ARGUMENT, "context", weft_enqueue_create_host_buffer(NULL, WEFT_INT32, LENGTH, &out));
    REFUSES(INVALID_ARGUMENT, "out", weft_enqueue_create_host_buffer(ctx, WEFT_INT32, LENGTH, NULL));
    for (int i = 0; i < NO_DTYPES; i++) {
        CLEARS(out, TYPE_MISMATCH, "dtype", weft_enqueue_create_host_buffer(ctx, no_dtypes[i], LENGTH, &out));
    }
    CLEARS(out, OUT_OF_RANGE, "length", weft_enqueue_create_host_buffer(ctx, WEFT_INT32, SIZE_MAX, &out));
    CLEARS(out, OUT_OF_RANGE, "length", weft_enqueue_create_host_buffer(ctx, WEFT_INT64, SIZE_MAX / 8 + 1, &out));
    CLEARS(out, OUT_OF_HOST_MEMORY, "", weft_enqueue_create_host_buffer(ctx, WEFT_UINT8, SIZE_MAX, &out));
    CLEARS(out, OUT_OF_HOST_MEMORY, "", weft_enqueue_create_host_buffer(ctx, WEFT_FLOAT64, SIZE_MAX / 8, &out));
}

static void bad_wrap_host_memory(void) {
    weft_host_buffer *out;
    int64_t data[2] = {0};
    CLEARS(out, INVALID_ARGUMENT, "context", weft_wrap_host_memory(NULL, WEFT_INT64, data, 2, &out));
    CLEARS(out, INVALID_ARGUMENT, "data", weft_wrap_host_memory(ctx, WEFT_INT64, NULL, 1, &out));
    REFUSES(INVALID_ARGUMENT, "out", weft_wrap_host_memory(ctx, WEFT_INT64, data, 2, NULL));
    for (int i = 0; i < NO_DTYPES; i++) {
        CLEARS(out, TYPE_MISMATCH, "dtype", weft_wrap_host_memory(ctx, no_dtypes[i], data, 2, &out));
    }
    CLEARS(out, INVALID_ARGUMENT, "data", weft_wrap_host_memory(ctx, WEFT_INT16, (char *)data + 1, 1, &out));
    CLEARS(out, INVALID_ARGUMENT, "data", weft_wrap_host_memory(ctx, WEFT_FLOAT64, (char *)data + 4, 1, &out));
    CLEARS(out, OUT_OF_RANGE, "length", weft_wrap_host_memory(ctx, WEFT_INT64, data, SIZE_MAX, &out));
    CLEARS(out, OUT_OF_RANGE, "", weft_wrap_host_memory(ctx, WEFT_INT8, data, SIZE_MAX, &out)); /* beyond the last address */
    OK(weft_wrap_host_memory(ctx, WEFT_INT64, NULL, 0, &out));
    weft_host_buffer_release(out);
}

/* ---- Lifetime and queries ---------------------------------------------------------------------------------------- */

static void bad_device_buffer_retain(void) { ck_assert_ptr_null(weft_device_buffer_retain(NULL)); }
static void bad_host_buffer_retain(void) { ck_assert_ptr_null(weft_host_buffer_retain(NULL)); }
static void bad_device_buffer_release(void) { weft_device_buffer_release(NULL); }
static void bad_host_buffer_release(void) { weft_host_buffer_release(NULL); }
static void bad_device_buffer_length(void) { ck_assert_uint_eq(weft_device_buffer_length(NULL), 0); }
static void bad_host_buffer_length(void) { ck_assert_uint_eq(weft_host_buffer_length(NULL), 0); }
static void bad_device_buffer_dtype(void) { ck_assert_int_eq(weft_device_buffer_dtype(NULL), WEFT_INT8); }
static void bad_host_buffer_dtype(void) { ck_assert_int_eq(weft_host_buffer_dtype(NULL), WEFT_INT8); }
static void bad_device_buffer_size_bytes(void) { ck_assert_uint_eq(weft_device_buffer_size_bytes(NULL), 0); }
static void bad_host_buffer_size_bytes(void) { ck_assert_uint_eq(weft_host_buffer_size_bytes(NULL), 0); }
static void bad_device_buffer_context(void) { ck_assert_ptr_null(weft_device_buffer_context(NULL)); }
static void bad_host_buffer_context(void) { ck_assert_ptr_null(weft_host_buffer_context(NULL)); }
static void bad_host_buffer_data(void) { ck_assert_ptr_null(weft_host_buffer_data(NULL)); }

/* ---- Views --------------------------------------------------------------------------------------------------------- */

/* Both kinds of buffer: LENGTH int32 are 32 bytes. */
#define CHECK_VIEWS(kind, buffer)                                                                                             \
    do {                                                                                                                      \
        weft_##kind##_buffer *out;                                                                                            \
        CLEARS(out, INVALID_ARGUMENT, "buffer", weft_##kind##_buffer_create_sub_buffer(NULL, WEFT_INT32, 0, 1, &out));        \
        REFUSES(INVALID_ARGUMENT, "out", weft_##kind##_buffer_create_sub_buffer(buffer, WEFT_INT32, 0, 1, NULL));             \
        for (int i = 0; i < NO_DTYPES; i++) {                                                                                 \
            CLEARS(out, TYPE_MISMATCH, "view_dtype",                                                                          \
                   weft_##kind##_buffer_create_sub_buffer(buffer, no_dtypes[i], 0, 1, &out));                                 \
        }                                                                                                                     \
        for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++) {                                                         \
            CLEARS(out, OUT_OF_RANGE, "offset",                                                                               \
                   weft_##kind##_buffer_create_sub_buffer(buffer, ranges[i].dtype, ranges[i].offset, ranges[i].length, &out)); \
            SAYS("length");                                                                                                   \
        }                                                                                                                     \
    } while (0)

static const struct {
    weft_dtype dtype;
    size_t offset, length;
} ranges[] = {
    {WEFT_INT32, LENGTH, 1},         {WEFT_INT32, LENGTH + 1, 0},        {WEFT_INT32, 0, LENGTH + 1},
    {WEFT_INT32, 1, SIZE_MAX},       {WEFT_INT32, SIZE_MAX, 1},          {WEFT_INT8, SIZE_MAX, 2},
    {WEFT_INT64, 0, 5},              {WEFT_INT64, SIZE_MAX / 8 + 1, 1},  {WEFT_INT64, (size_t)1 << 61, 4},
    {WEFT_INT8, 33, 0},              {WEFT_INT16, (size_t)1 << 63, 0},   {WEFT_INT32, SIZE_MAX / 4 + 1, 0},
};

static void bad_device_buffer_create_sub_buffer(void) { CHECK_VIEWS(device, device); }
static void bad_host_buffer_create_sub_buffer(void) { CHECK_VIEWS(host, host); }

/* ---- Ownership and raw memory ---------------------------------------------------------------------------------------- */

static void bad_device_buffer_reassign_ownership_to(void) {
    REFUSES(INVALID_ARGUMENT, "buffer", weft_device_buffer_reassign_ownership_to(NULL, ctx));
    REFUSES(INVALID_ARGUMENT, "context", weft_device_buffer_reassign_ownership_to(device, NULL));
    REFUSES(INVALID_ARGUMENT, "buffer", weft_device_buffer_reassign_ownership_to(NULL, NULL));
    weft_context *other = test_other_device();
    if (other) {
        weft_device_buffer_retain(device);
        REFUSES(UNSUPPORTED, "buffer", weft_device_buffer_reassign_ownership_to(device, other));
        weft_device_buffer_release(device);
    }
    ck_assert_ptr_eq(weft_device_buffer_context(device), ctx);
}

static void bad_device_buffer_unsafe_ptr(void) {
    weft_device_ptr out;
    CLEARS(out, INVALID_ARGUMENT, "buffer", weft_device_buffer_unsafe_ptr(NULL, &out));
    REFUSES(INVALID_ARGUMENT, "out", weft_device_buffer_unsafe_ptr(device, NULL));
}

static void bad_device_buffer_take_ptr(void) {
    weft_device_ptr out;
    CLEARS(out, INVALID_ARGUMENT, "buffer", weft_device_buffer_take_ptr(NULL, &out));
    REFUSES(INVALID_ARGUMENT, "out", weft_device_buffer_take_ptr(device, NULL));
    weft_device_buffer *view = test_view(device, WEFT_INT32, 1, 2);
    CLEARS(out, INVALID_ARGUMENT, "buffer", weft_device_buffer_take_ptr(view, &out));
    CLEARS(out, INVALID_ARGUMENT, "buffer", weft_device_buffer_take_ptr(device, &out)); /* the view exists */
}

static void bad_wrap_device_ptr(void) {
    weft_device_buffer *out;
    weft_device_ptr ptr, beyond, foreign = {(struct _cl_mem *)(uintptr_t)0xDEAD0, 0};
    OK(weft_device_buffer_unsafe_ptr(device, &ptr));
    CLEARS(out, INVALID_ARGUMENT, "context", weft_wrap_device_ptr(NULL, ptr, WEFT_INT32, 1, false, &out));
    REFUSES(INVALID_ARGUMENT, "out", weft_wrap_device_ptr(ctx, ptr, WEFT_INT32, 1, false, NULL));
    CLEARS(out, INVALID_ARGUMENT, "ptr", weft_wrap_device_ptr(ctx, (weft_device_ptr){NULL, 0}, WEFT_INT32, 1, false, &out));
    CLEARS(out, INVALID_ARGUMENT, "ptr", weft_wrap_device_ptr(ctx, foreign, WEFT_INT32, 1, false, &out));
    CLEARS(out, INVALID_ARGUMENT, "ptr", weft_wrap_device_ptr(ctx, foreign, WEFT_INT32, 0, true, &out));
    CLEARS(out, INVALID_ARGUMENT, "owning", weft_wrap_device_ptr(ctx, ptr, WEFT_INT32, 1, true, &out));
    for (int i = 0; i < NO_DTYPES; i++) {
        CLEARS(out, TYPE_MISMATCH, "dtype", weft_wrap_device_ptr(ctx, ptr, no_dtypes[i], 1, false, &out));
    }
    CLEARS(out, OUT_OF_RANGE, "length", weft_wrap_device_ptr(ctx, ptr, WEFT_INT32, SIZE_MAX, false, &out));
    CLEARS(out, OUT_OF_RANGE, "length", weft_wrap_device_ptr(ctx, ptr, WEFT_INT8, SIZE_MAX, false, &out));
    beyond = (weft_device_ptr){ptr.mem, SIZE_MAX};
    CLEARS(out, OUT_OF_RANGE, "offset", weft_wrap_device_ptr(ctx, beyond, WEFT_INT8, 1, false, &out));
    CLEARS(out, OUT_OF_RANGE, "offset", weft_wrap_device_ptr(ctx, beyond, WEFT_INT64, 0, false, &out));
    if (test_other_device()) {
        CLEARS(out, INVALID_ARGUMENT, "ptr", weft_wrap_device_ptr(test_other_device(), ptr, WEFT_INT32, 1, false, &out));
    }
}

/* ---- Mapping ------------------------------------------------------------------------------------------------------------ */

static void bad_device_buffer_map_to_host(void) {
    weft_host_buffer *out;
    CLEARS(out, INVALID_ARGUMENT, "buffer", weft_device_buffer_map_to_host(NULL, &out));
    REFUSES(INVALID_ARGUMENT, "out", weft_device_buffer_map_to_host(device, NULL));
}

static void bad_device_buffer_unmap(void) {
    weft_host_buffer *mapped = NULL;
    weft_device_buffer *other = test_device_buffer(WEFT_INT32, LENGTH);
    OK(weft_device_buffer_map_to_host(device, &mapped));
    REFUSES(INVALID_ARGUMENT, "buffer", weft_device_buffer_unmap(NULL, mapped));
    REFUSES(INVALID_ARGUMENT, "mapped", weft_device_buffer_unmap(device, NULL));
    REFUSES(INVALID_ARGUMENT, "mapped", weft_device_buffer_unmap(other, mapped)); /* another buffer's */
    REFUSES(INVALID_ARGUMENT, "mapped", weft_device_buffer_unmap(device, host));  /* no mapping */
    ck_assert_uint_eq(weft_host_buffer_length(mapped), LENGTH); /* still the caller's */
    OK(weft_device_buffer_unmap(device, mapped));
}

/* The two ends of WEFT_WITH_MAPPED have no status of their own. */
static void bad_mapping_begin(void) {
    weft_status status = WEFT_OK;
    ck_assert_ptr_null(weft_mapping_begin(&status, NULL));
    ck_assert_int_eq(status, WEFT_ERROR_INVALID_ARGUMENT);
    ck_assert_ptr_null(weft_mapping_begin(NULL, NULL));
}

static void bad_mapping_end(void) {
    weft_status status = WEFT_ERROR_IO;
    weft_mapping_end(&status, device, NULL); /* mapping had failed: keeps that failure */
    ck_assert_int_eq(status, WEFT_ERROR_IO);
    weft_mapping_end(NULL, NULL, NULL);
    status = WEFT_OK;
    weft_mapping_end(&status, device, host); /* no mapping: stays the caller's */
    ck_assert_int_eq(status, WEFT_ERROR_INVALID_ARGUMENT);
    ck_assert_uint_eq(weft_host_buffer_length(host), LENGTH);
}

/* ---- Printing ------------------------------------------------------------------------------------------------------------- */

static weft_status refuse(void *user, const char *text, size_t size_bytes) {
    (void)text;
    (void)size_bytes;
    return *(weft_status *)user;
}

static void bad_device_buffer_write_to(void) {
    REFUSES(INVALID_ARGUMENT, "buffer", weft_device_buffer_write_to(NULL, stdout));
    REFUSES(INVALID_ARGUMENT, "stream", weft_device_buffer_write_to(device, NULL));
}

static void bad_host_buffer_write_to(void) {
    REFUSES(INVALID_ARGUMENT, "buffer", weft_host_buffer_write_to(NULL, stdout));
    REFUSES(INVALID_ARGUMENT, "stream", weft_host_buffer_write_to(host, NULL));
}

static void bad_device_buffer_write_with(void) {
    weft_status odd = (weft_status)12345;
    REFUSES(INVALID_ARGUMENT, "buffer", weft_device_buffer_write_with(NULL, refuse, &odd));
    REFUSES(INVALID_ARGUMENT, "writer", weft_device_buffer_write_with(device, NULL, NULL));
    REFUSES(IO, "writer", weft_device_buffer_write_with(device, refuse, &odd));
}

static void bad_host_buffer_write_with(void) {
    weft_status odd = (weft_status)12345;
    REFUSES(INVALID_ARGUMENT, "buffer", weft_host_buffer_write_with(NULL, refuse, &odd));
    REFUSES(INVALID_ARGUMENT, "writer", weft_host_buffer_write_with(host, NULL, NULL));
    REFUSES(IO, "writer", weft_host_buffer_write_with(host, refuse, &odd));
}

START_TEST(bad_buffer_input_is_refused) {
    static const surface_row rows[] = {SURFACE_BUFFERS(SURFACE_ROW)};
    run_rows(rows, sizeof rows / sizeof *rows);
}
END_TEST

TESTS(bad_buffer_input_is_refused)
