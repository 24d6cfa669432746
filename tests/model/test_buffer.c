/* The model's test_buffer: pointers that weft did not give, or gave once, are refused and nothing crashes. */
#include "support.h"

enum { LENGTH = 16 };

static weft_device_buffer *const poison = (weft_device_buffer *)(uintptr_t)0x10;

static void refuse_wrap(weft_device_ptr ptr, bool owning) {
    weft_device_buffer *out = poison;
    FAILS(WEFT_ERROR_INVALID_ARGUMENT, weft_wrap_device_ptr(test_context(), ptr, WEFT_INT32, 1, owning, &out));
    SAYS("ptr");
    ck_assert_ptr_null(out);
}

START_TEST(foreign_pointers_are_refused) {
    long foreign[64] = {0};
    for (int owning = 0; owning < 2; owning++) {
        refuse_wrap((weft_device_ptr){NULL, 0}, owning);
        refuse_wrap((weft_device_ptr){(struct _cl_mem *)foreign, 0}, owning);
        refuse_wrap((weft_device_ptr){(struct _cl_mem *)(uintptr_t)0x1234, 64}, owning);
    }
    OK(weft_synchronize(test_context()));
    test_context_works(test_context());
}
END_TEST

START_TEST(only_taken_pointers_can_be_owned) {
    weft_device_buffer *buffer = test_device_buffer(WEFT_INT32, LENGTH);
    weft_device_ptr ptr;
    int32_t data[LENGTH] = {5, 6, 7}, got[LENGTH];
    test_write(buffer, data);
    OK(weft_device_buffer_unsafe_ptr(buffer, &ptr));
    refuse_wrap(ptr, true);
    test_read(buffer, got); /* the buffer is as it was */
    ck_assert_mem_eq(got, data, sizeof got);
}
END_TEST

START_TEST(memory_is_owned_once) {
    weft_context *ctx = test_context();
    weft_device_buffer *buffer = NULL, *again = NULL;
    weft_device_ptr ptr;
    int32_t data[LENGTH] = {8, 9, 10}, got[LENGTH];
    OK(weft_enqueue_create_buffer(ctx, WEFT_INT32, LENGTH, &buffer));
    test_write(buffer, data);
    OK(weft_device_buffer_take_ptr(buffer, &ptr));
    OK(weft_wrap_device_ptr(ctx, ptr, WEFT_INT32, LENGTH, true, &again));
    refuse_wrap(ptr, true);
    test_read(again, got);
    ck_assert_mem_eq(got, data, sizeof got);
    weft_device_buffer_release(again);
    refuse_wrap(ptr, false); /* gone */
    refuse_wrap(ptr, true);
}
END_TEST

START_TEST(wrapping_twice_gives_views_of_one_memory) {
    weft_context *ctx = test_context();
    weft_device_buffer *buffer = NULL, *a = NULL, *b = NULL;
    weft_device_ptr ptr;
    int32_t got[LENGTH];
    OK(weft_enqueue_create_buffer(ctx, WEFT_INT32, LENGTH, &buffer));
    OK(weft_device_buffer_unsafe_ptr(buffer, &ptr));
    OK(weft_wrap_device_ptr(ctx, ptr, WEFT_INT32, LENGTH, false, &a));
    OK(weft_wrap_device_ptr(ctx, ptr, WEFT_INT16, LENGTH, false, &b));
    weft_device_buffer_release(buffer); /* the wraps hold the memory */
    OK(weft_enqueue_fill(a, 1));
    OK(weft_enqueue_fill(b, -1)); /* its first half */
    test_read(a, got);
    for (int i = 0; i < LENGTH; i++) {
        ck_assert_int_eq(got[i], i < LENGTH / 2 ? -1 : 1);
    }
    weft_device_buffer_release(a);
    weft_device_buffer_release(b);
}
END_TEST

START_TEST(wrap_stays_inside_the_memory) {
    weft_context *ctx = test_context();
    weft_device_buffer *buffer = test_device_buffer(WEFT_INT32, LENGTH), *out = poison;
    weft_device_ptr ptr;
    OK(weft_device_buffer_unsafe_ptr(buffer, &ptr));
    FAILS(WEFT_ERROR_OUT_OF_RANGE, weft_wrap_device_ptr(ctx, ptr, WEFT_INT64, SIZE_MAX / 8, false, &out));
    ck_assert_ptr_null(out);
    ptr.offset_bytes = SIZE_MAX - 3;
    FAILS(WEFT_ERROR_OUT_OF_RANGE, weft_wrap_device_ptr(ctx, ptr, WEFT_INT32, 1, false, &out));
}
END_TEST

START_TEST(shared_buffers_cannot_be_taken) {
    weft_device_buffer *buffer = NULL, *view = NULL;
    weft_device_ptr ptr = {(struct _cl_mem *)(uintptr_t)0x10, 1};
    OK(weft_enqueue_create_buffer(test_context(), WEFT_INT32, LENGTH, &buffer));
    OK(weft_device_buffer_create_sub_buffer(buffer, WEFT_INT32, 0, LENGTH, &view));
    FAILS(WEFT_ERROR_INVALID_ARGUMENT, weft_device_buffer_take_ptr(buffer, &ptr)); /* a view exists */
    ck_assert(ptr.mem == NULL && ptr.offset_bytes == 0);
    FAILS(WEFT_ERROR_INVALID_ARGUMENT, weft_device_buffer_take_ptr(view, &ptr)); /* is a view */
    weft_device_buffer_release(view);
    weft_device_buffer_retain(buffer);
    FAILS(WEFT_ERROR_INVALID_ARGUMENT, weft_device_buffer_take_ptr(buffer, &ptr)); /* another reference */
    weft_device_buffer_release(buffer);
    ck_assert_uint_eq(weft_device_buffer_length(buffer), LENGTH);

    OK(weft_device_buffer_take_ptr(buffer, &ptr));
    OK(weft_wrap_device_ptr(test_context(), ptr, WEFT_INT32, LENGTH, true, &buffer));
    weft_device_buffer_release(buffer);
}
END_TEST

TESTS(foreign_pointers_are_refused, only_taken_pointers_can_be_owned, memory_is_owned_once,
      wrapping_twice_gives_views_of_one_memory, wrap_stays_inside_the_memory, shared_buffers_cannot_be_taken)
