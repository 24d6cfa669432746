/* The model's test_host_mapped: map a device buffer, read, write, and find it changed. */
#include "support.h"

enum { LENGTH = 64 };

static weft_device_buffer *buffer_of(int32_t value) {
    weft_device_buffer *buffer = test_device_buffer(WEFT_INT32, LENGTH);
    OK(weft_enqueue_fill(buffer, value));
    return buffer;
}

static void buffer_is(weft_device_buffer *buffer, int32_t first, int32_t rest) {
    int32_t got[LENGTH];
    test_read(buffer, got);
    for (int i = 0; i < LENGTH; i++) {
        ck_assert_int_eq(got[i], i == 0 ? first : rest);
    }
}

START_TEST(body_reads_and_writes) {
    weft_device_buffer *buffer = buffer_of(3);
    weft_status status = WEFT_OK;
    int bodies = 0;
    WEFT_WITH_MAPPED(status, host, buffer) {
        bodies++;
        ck_assert_uint_eq(weft_host_buffer_length(host), LENGTH);
        ck_assert_int_eq(weft_host_buffer_dtype(host), WEFT_INT32);
        int32_t *data = weft_host_buffer_data(host);
        for (int i = 0; i < LENGTH; i++) {
            ck_assert_int_eq(data[i], 3);
            data[i] = i ? 4 : 5;
        }
    }
    ck_assert_int_eq(status, WEFT_OK);
    ck_assert_int_eq(bodies, 1);
    buffer_is(buffer, 5, 4);
}
END_TEST

START_TEST(two_buffers_are_mapped_at_once) {
    weft_device_buffer *a = buffer_of(1), *b = buffer_of(2);
    weft_status status = WEFT_OK;
    WEFT_WITH_MAPPED(status, x, a) {
        WEFT_WITH_MAPPED(status, y, b) {
            int32_t *left = weft_host_buffer_data(x), *right = weft_host_buffer_data(y), first = left[0];
            left[0] = right[0];
            right[0] = first;
        }
    }
    ck_assert_int_eq(status, WEFT_OK);
    buffer_is(a, 2, 1);
    buffer_is(b, 1, 2);
}
END_TEST

static int leave_by_return(weft_device_buffer *buffer, weft_status *status) {
    WEFT_WITH_MAPPED(*status, host, buffer) {
        *(int32_t *)weft_host_buffer_data(host) = 9;
        return 17;
    }
    return 0;
}

START_TEST(writes_survive_break_continue_and_return) {
    weft_device_buffer *buffer = buffer_of(1);
    weft_status status = WEFT_OK;
    int bodies = 0;
    WEFT_WITH_MAPPED(status, host, buffer) {
        *(int32_t *)weft_host_buffer_data(host) = 7;
        bodies++;
        break;
    }
    ck_assert_int_eq(status, WEFT_OK);
    buffer_is(buffer, 7, 1);
    WEFT_WITH_MAPPED(status, host, buffer) {
        *(int32_t *)weft_host_buffer_data(host) = 8;
        if (++bodies) {
            continue;
        }
        bodies = 100;
    }
    ck_assert_int_eq(status, WEFT_OK);
    buffer_is(buffer, 8, 1);
    ck_assert_int_eq(bodies, 2);
    ck_assert_int_eq(leave_by_return(buffer, &status), 17);
    ck_assert_int_eq(status, WEFT_OK);
    buffer_is(buffer, 9, 1);
}
END_TEST

START_TEST(body_does_not_run_without_a_mapping) {
    weft_status status = WEFT_OK;
    weft_device_buffer *nothing = NULL;
    WEFT_WITH_MAPPED(status, host, nothing) {
        ck_abort_msg("the body ran with %p", (void *)host);
    }
    ck_assert_int_eq(status, WEFT_ERROR_INVALID_ARGUMENT);
}
END_TEST

START_TEST(status_keeps_the_first_failure) {
    weft_device_buffer *buffer = buffer_of(1), *nothing = NULL;
    weft_status status = WEFT_OK;
    WEFT_WITH_MAPPED(status, host, nothing) { ck_abort_msg("the body ran with %p", (void *)host); }
    WEFT_WITH_MAPPED(status, host, buffer) { *(int32_t *)weft_host_buffer_data(host) = 3; }
    ck_assert_int_eq(status, WEFT_ERROR_INVALID_ARGUMENT);
    buffer_is(buffer, 3, 1);
}
END_TEST

START_TEST(mapping_waits_for_work_before_it) {
    static const char source[] = "kernel void twice(global int *data) { data[get_global_id(0)] *= 2; }\n";
    weft_device_buffer *buffer = buffer_of(21);
    weft_host_buffer *mapped = NULL;
    OK(weft_enqueue_function(test_context(), test_function(source, "twice"), LENGTH / 8, 8, buffer));
    OK(weft_device_buffer_map_to_host(buffer, &mapped));
    ck_assert_int_eq(((int32_t *)weft_host_buffer_data(mapped))[LENGTH - 1], 42);
    OK(weft_device_buffer_unmap(buffer, mapped));
}
END_TEST

START_TEST(view_is_mapped_alone) {
    weft_device_buffer *buffer = buffer_of(1), *view = test_view(buffer, WEFT_INT32, 3, 10);
    weft_status status = WEFT_OK;
    WEFT_WITH_MAPPED(status, host, view) {
        ck_assert_uint_eq(weft_host_buffer_length(host), 10);
        memset(weft_host_buffer_data(host), 0, sizeof(int32_t[10]));
    }
    ck_assert_int_eq(status, WEFT_OK);
    int32_t got[LENGTH];
    test_read(buffer, got);
    for (int i = 0; i < LENGTH; i++) {
        ck_assert_int_eq(got[i], i >= 3 && i < 13 ? 0 : 1);
    }
}
END_TEST

START_TEST(only_its_own_mapping_is_unmapped) {
    weft_device_buffer *a = buffer_of(1), *b = buffer_of(2);
    weft_host_buffer *mapped = NULL, *plain = test_host_buffer(WEFT_INT32, LENGTH);
    OK(weft_device_buffer_map_to_host(a, &mapped));
    FAILS(WEFT_ERROR_INVALID_ARGUMENT, weft_device_buffer_unmap(b, mapped));
    FAILS(WEFT_ERROR_INVALID_ARGUMENT, weft_device_buffer_unmap(a, plain));
    *(int32_t *)weft_host_buffer_data(mapped) = 6; /* both are still the caller's */
    OK(weft_device_buffer_unmap(a, mapped));
    buffer_is(a, 6, 1);
    buffer_is(b, 2, 2);
}
END_TEST

TESTS(body_reads_and_writes, two_buffers_are_mapped_at_once, writes_survive_break_continue_and_return,
      body_does_not_run_without_a_mapping, status_keeps_the_first_failure, mapping_waits_for_work_before_it, view_is_mapped_alone,
      only_its_own_mapping_is_unmapped)
