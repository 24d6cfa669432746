/* The model's test_multi_stream: work on one context, the buffer handed to another, only that one waited for. */
#include "support.h"

static const char source[] =
    "kernel void advance(global int *data, int rounds) {\n"
    "    int i = get_global_id(0), x = data[i];\n"
    "    for (int r = 0; r < rounds; r++) x = x * 3 + 1;\n"
    "    data[i] = x;\n"
    "}\n";

static int32_t after(int32_t x, int rounds) {
    uint32_t y = (uint32_t)x;
    for (int r = 0; r < rounds; r++) {
        y = y * 3 + 1;
    }
    return (int32_t)y;
}

START_TEST(kernel_results_move_to_another_context) {
    size_t length = test_size(1 << 18, 1 << 10);
    int rounds = 100;
    weft_context *first = test_context(), *second = NULL;
    weft_device_buffer *buffer = NULL;
    int32_t *data = calloc(length, sizeof *data);
    OK(weft_context_create(NULL, &second));
    OK(weft_enqueue_create_buffer(first, WEFT_INT32, length, &buffer));
    for (size_t i = 0; i < length; i++) {
        data[i] = (int32_t)i;
    }
    OK(weft_enqueue_copy(first, buffer, data));
    for (int launch = 0; launch < 5; launch++) {
        OK(weft_enqueue_function(first, test_function(source, "advance"), length / 64, 64, buffer, rounds));
    }
    ck_assert_ptr_eq(weft_device_buffer_context(buffer), first);
    OK(weft_device_buffer_reassign_ownership_to(buffer, second));
    ck_assert_ptr_eq(weft_device_buffer_context(buffer), second);
    OK(weft_device_buffer_enqueue_copy_to(buffer, data));
    weft_device_buffer_release(buffer);
    OK(weft_synchronize(second));
    for (size_t i = 0; i < length; i++) {
        if (data[i] != after((int32_t)i, 5 * rounds)) {
            ck_abort_msg("element %zu is %d", i, data[i]);
        }
    }
    free(data);
    weft_context_release(second);
}
END_TEST

START_TEST(copies_move_to_another_context) {
    size_t length = test_size(1 << 20, 1 << 14);
    weft_context *first = test_context(), *second = NULL;
    weft_device_buffer *a = test_device_buffer(WEFT_INT32, length), *b = NULL;
    int32_t *got = calloc(length, sizeof *got);
    OK(weft_context_create_stream(first, NULL, &second));
    OK(weft_enqueue_create_buffer(first, WEFT_INT32, length, &b));
    OK(weft_enqueue_fill(a, 11));
    OK(weft_enqueue_copy(first, b, a));
    OK(weft_device_buffer_reassign_ownership_to(b, second));
    OK(weft_enqueue_fill(a, 12)); /* the first context goes on */
    OK(weft_device_buffer_enqueue_copy_to(b, got));
    OK(weft_synchronize(second));
    for (size_t i = 0; i < length; i++) {
        if (got[i] != 11) {
            ck_abort_msg("element %zu is %d", i, got[i]);
        }
    }
    weft_device_buffer_release(b);
    weft_context_release(second);
    free(got);
}
END_TEST

START_TEST(ownership_goes_back_and_forth) {
    enum { LENGTH = 1024 };
    weft_context *contexts[2] = {test_context(), NULL};
    weft_device_buffer *buffer = test_device_buffer(WEFT_INT32, LENGTH);
    weft_function *advance = test_function(source, "advance");
    int32_t got[LENGTH];
    OK(weft_context_create(NULL, &contexts[1]));
    OK(weft_enqueue_fill(buffer, 2));
    for (int turn = 0; turn < 10; turn++) {
        weft_context *owner = contexts[turn % 2];
        OK(weft_device_buffer_reassign_ownership_to(buffer, owner));
        OK(weft_enqueue_function(owner, advance, LENGTH / 64, 64, buffer, turn));
    }
    OK(weft_device_buffer_reassign_ownership_to(buffer, contexts[0]));
    OK(weft_device_buffer_reassign_ownership_to(buffer, contexts[0])); /* to its owner: legal */
    test_read(buffer, got);
    for (int i = 0; i < LENGTH; i++) {
        ck_assert_int_eq(got[i], after(2, 45));
    }
    weft_context_release(contexts[1]);
}
END_TEST

START_TEST(views_follow_their_parent) {
    weft_context *second = NULL;
    weft_device_buffer *parent = NULL, *view = NULL;
    int32_t got[4];
    OK(weft_context_create(NULL, &second));
    OK(weft_enqueue_create_buffer(test_context(), WEFT_INT32, 16, &parent));
    OK(weft_device_buffer_create_sub_buffer(parent, WEFT_INT32, 8, 4, &view));
    OK(weft_enqueue_fill(parent, 5));
    OK(weft_device_buffer_reassign_ownership_to(parent, second));
    ck_assert_ptr_eq(weft_device_buffer_context(view), second);
    OK(weft_device_buffer_enqueue_copy_to(view, got));
    OK(weft_synchronize(second));
    for (int i = 0; i < 4; i++) {
        ck_assert_int_eq(got[i], 5);
    }
    weft_device_buffer_release(view);
    weft_device_buffer_release(parent);
    weft_context_release(second);
}
END_TEST

TESTS(kernel_results_move_to_another_context, copies_move_to_another_context, ownership_goes_back_and_forth,
      views_follow_their_parent)
