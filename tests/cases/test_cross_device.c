/* Cases from public reports, section I: C72 and C73, work that crosses contexts, devices and platforms. */
#include <stdio.h>

#include "support.h"

static const char add_source[] = "kernel void add(global int *v, ulong n, int value) {\n"
                                 "    size_t i = get_global_id(0);\n"
                                 "    if (i < n) v[i] += value;\n"
                                 "}\n";

/* A second context, on the same device or on another; the caller releases it. */
static weft_context *other_context(bool same_device) {
    weft_context *context = NULL;
    if (!same_device) return weft_context_retain(test_other_device());
    OK(weft_context_create(NULL, &context));
    return context;
}

static weft_function *compile_add(weft_context *ctx) {
    weft_function *add = NULL;
    OK(weft_compile_function(ctx, add_source, "add", NULL, &add));
    return add;
}

static weft_device_buffer *create_ints(weft_context *ctx, size_t length) {
    weft_device_buffer *buffer = NULL;
    OK(weft_enqueue_create_buffer(ctx, WEFT_INT32, length, &buffer));
    return buffer;
}

static weft_status enqueue_add(weft_context *ctx, weft_function *add, weft_device_buffer *buffer, int value) {
    const size_t length = weft_device_buffer_length(buffer);
    return weft_enqueue_function(ctx, add, (length + 63) / 64, 64, buffer, length, value);
}

static void expect_ints(weft_device_buffer *buffer, const int *expected) {
    const size_t length = weft_device_buffer_length(buffer);
    int *actual = malloc(length * sizeof *actual);
    ck_assert_ptr_nonnull(actual);
    test_read(buffer, actual);
    for (size_t i = 0; i < length; i++)
        if (actual[i] != expected[i]) ck_abort_msg("element %zu of %zu is %d instead of %d", i, length, actual[i], expected[i]);
    free(actual);
}

/* A device as messages and WEFT_DEVICE write it, since names repeat. */
typedef struct {
    char text[64];
} device_name;

static device_name name_of(weft_context *ctx) {
    device_name name;
    snprintf(name.text, sizeof name.text, "%s:%d", weft_context_api(ctx), weft_context_id(ctx));
    return name;
}

/* ---- C72: objects of another context ----------------------------------------------------------- */

START_TEST(c72_contexts_of_one_device_share) {
    weft_context *a = test_context(), *b = other_context(true);
    const int start[3] = {10, 20, 30}, expected[3] = {111, 121, 131};
    weft_function *add = compile_add(b);
    weft_device_buffer *buffer = create_ints(b, 3);
    OK(weft_enqueue_copy(b, buffer, start));
    OK(enqueue_add(b, add, buffer, 1));
    OK(weft_enqueue_wait_for(a, b));
    OK(enqueue_add(a, add, buffer, 100)); /* b's function on b's buffer, in a */
    OK(weft_enqueue_wait_for(b, a));
    expect_ints(buffer, expected);
    weft_function_release(add);
    weft_device_buffer_release(buffer);
    weft_context_release(b);
}
END_TEST

/* Buffers and functions outlive the context that made them. */
START_TEST(c72_objects_outlive_their_context) {
    weft_context *a = test_context(), *b = other_context(true);
    const int start[3] = {1, 2, 3};
    int actual[3] = {0};
    weft_function *add = compile_add(b);
    weft_device_buffer *buffer = create_ints(b, 3);
    OK(weft_enqueue_copy(b, buffer, start));
    OK(weft_enqueue_wait_for(a, b));
    weft_context_release(b);
    OK(enqueue_add(a, add, buffer, 5));
    OK(weft_enqueue_copy(a, actual, buffer));
    OK(weft_synchronize(a));
    ck_assert(actual[0] == 6 && actual[1] == 7 && actual[2] == 8);
    weft_function_release(add);
    weft_device_buffer_release(buffer);
}
END_TEST

START_TEST(c72_launch_across_devices_is_refused) {
    weft_context *a = test_context(), *b = test_other_device();
    if (!b) SKIP("only one device");
    const int start[3] = {10, 20, 30};
    weft_function *add_a = compile_add(a), *add_b = compile_add(b);
    weft_device_buffer *buffer_a = create_ints(a, 3), *buffer_b = create_ints(b, 3);
    OK(weft_enqueue_copy(a, buffer_a, start));
    OK(weft_enqueue_copy(b, buffer_b, start));
    FAILS(WEFT_ERROR_INVALID_ARGUMENT, enqueue_add(a, add_a, buffer_b, 1));
    SAYS(name_of(a).text);
    SAYS(name_of(b).text);
    FAILS(WEFT_ERROR_INVALID_ARGUMENT, enqueue_add(a, add_b, buffer_a, 1));
    SAYS(name_of(a).text);
    SAYS(name_of(b).text);
    FAILS(WEFT_ERROR_INVALID_ARGUMENT, enqueue_add(b, add_b, buffer_a, 1));
    FAILS(WEFT_ERROR_INVALID_ARGUMENT, enqueue_add(b, add_a, buffer_a, 1));
    expect_ints(buffer_a, start);
    expect_ints(buffer_b, start);
    weft_function_release(add_a);
    weft_function_release(add_b);
    weft_device_buffer_release(buffer_a);
    weft_device_buffer_release(buffer_b);
    test_context_works(a);
    test_context_works(b);
}
END_TEST

START_TEST(c72_copy_and_wait_across_devices) {
    weft_context *a = test_context(), *b = test_other_device();
    if (!b) SKIP("only one device");
    const int start[5] = {1, 2, 3, 4, 5}, there[7] = {-1, 11, 12, 13, 14, 15, -1}, back[5] = {11, 12, 13, 14, 15};
    weft_function *add = compile_add(a);
    weft_device_buffer *buffer_a = create_ints(a, 5), *parent_b = create_ints(b, 7), *view_b = NULL;
    OK(weft_device_buffer_create_sub_buffer(parent_b, WEFT_INT32, 1, 5, &view_b));
    OK(weft_enqueue_fill(parent_b, -1));
    OK(weft_enqueue_copy(a, buffer_a, start));
    OK(enqueue_add(a, add, buffer_a, 10));
    OK(weft_enqueue_wait_for(b, a));
    OK(weft_enqueue_copy(a, view_b, buffer_a)); /* runs on a, and b sees it */
    expect_ints(parent_b, there);
    OK(weft_enqueue_fill(buffer_a, 0));
    OK(weft_enqueue_copy(b, buffer_a, view_b)); /* runs on b, after a's fill */
    expect_ints(buffer_a, back);
    FAILS(WEFT_ERROR_OUT_OF_RANGE, weft_enqueue_copy(a, parent_b, buffer_a));
    expect_ints(parent_b, there);
    weft_function_release(add);
    weft_device_buffer_release(view_b);
    weft_device_buffer_release(parent_b);
    weft_device_buffer_release(buffer_a);
    test_context_works(a);
    test_context_works(b);
}
END_TEST

/* The copy comes after what its own context holds too, which owns neither buffer. */
START_TEST(c72_copy_across_devices_on_a_third_context) {
    weft_context *a = test_context(), *b = test_other_device(), *c = other_context(true);
    if (!b) {
        weft_context_release(c);
        SKIP("only one device");
    }
    const size_t length = test_size(1 << 17, 64);
    int *expected = malloc(length * sizeof *expected);
    ck_assert_ptr_nonnull(expected);
    weft_function *add = compile_add(a);
    weft_device_buffer *buffer_a = create_ints(a, length), *buffer_b = create_ints(b, length);
    for (size_t i = 0; i < length; i++) expected[i] = 51;
    OK(weft_enqueue_fill(buffer_a, 1));
    OK(weft_enqueue_wait_for(c, a));
    for (int i = 0; i < 50; i++) OK(enqueue_add(c, add, buffer_a, 1));
    OK(weft_enqueue_copy(c, buffer_b, buffer_a));
    expect_ints(buffer_b, expected);
    free(expected);
    weft_function_release(add);
    weft_device_buffer_release(buffer_a);
    weft_device_buffer_release(buffer_b);
    weft_context_release(c);
}
END_TEST

/* ---- C73: there and back, always the newest data ----------------------------------------------- */

/* No host wait before the end of a repeat, and other work on a right after each copy, which the copy must not see. */
static void expect_round_trips(bool same_device, size_t length, size_t repeats) {
    weft_context *a = test_context(), *b = other_context(same_device);
    weft_function *add_a = compile_add(a), *add_b = compile_add(b);
    weft_device_buffer *buffer_a = create_ints(a, length), *buffer_b = create_ints(b, length);
    int *start = malloc(length * sizeof *start), *expected_b = malloc(length * sizeof *expected_b);
    int *expected_a = malloc(length * sizeof *expected_a);
    ck_assert(start && expected_a && expected_b);
    OK(weft_synchronize(b));
    for (size_t repeat = 0; repeat < repeats; repeat++) {
        for (size_t i = 0; i < length; i++) {
            start[i] = (int)(i + 7 * repeat);
            expected_b[i] = start[i] + 101;
            expected_a[i] = expected_b[i] + 1000;
        }
        OK(weft_enqueue_copy(a, buffer_a, start));
        OK(enqueue_add(a, add_a, buffer_a, 1));
        OK(weft_enqueue_copy(b, buffer_b, buffer_a));
        OK(enqueue_add(a, add_a, buffer_a, -5000));
        OK(enqueue_add(b, add_b, buffer_b, 100));
        OK(weft_enqueue_copy(a, buffer_a, buffer_b));
        OK(enqueue_add(a, add_a, buffer_a, 1000));
        expect_ints(buffer_a, expected_a);
        expect_ints(buffer_b, expected_b);
    }
    free(start);
    free(expected_a);
    free(expected_b);
    weft_device_buffer_release(buffer_a);
    weft_device_buffer_release(buffer_b);
    weft_function_release(add_a);
    weft_function_release(add_b);
    weft_context_release(b);
}

static void expect_round_trips_of_all_lengths(bool same_device) {
    expect_round_trips(same_device, 1, test_size(100, 20));
    expect_round_trips(same_device, 3, test_size(100, 20));
    expect_round_trips(same_device, test_size((1 << 20) + 1, (1 << 13) + 1), test_size(10, 3));
}

START_TEST(c73_round_trip_between_contexts) {
    expect_round_trips_of_all_lengths(true);
}
END_TEST

START_TEST(c73_round_trip_between_devices) {
    if (!test_other_device()) SKIP("only one device");
    expect_round_trips_of_all_lengths(false);
}
END_TEST

TESTS(c72_contexts_of_one_device_share, c72_objects_outlive_their_context, c72_launch_across_devices_is_refused,
      c72_copy_and_wait_across_devices,
      c72_copy_across_devices_on_a_third_context, c73_round_trip_between_contexts, c73_round_trip_between_devices)
