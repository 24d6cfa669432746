/* The model's test_multi_context: one function on two contexts of one device. */
#include "support.h"

enum { LENGTH = 512 };

static const char source[] =
    "kernel void add(global const float *in, global float *out, float x) {\n"
    "    out[get_global_id(0)] = in[get_global_id(0)] + x;\n"
    "}\n";

static void run_on(weft_context *ctx, weft_function *function, float x) {
    weft_device_buffer *in = NULL, *out = NULL;
    float data[LENGTH], got[LENGTH];
    for (int i = 0; i < LENGTH; i++) {
        data[i] = (float)i;
    }
    OK(weft_enqueue_create_buffer(ctx, WEFT_FLOAT32, LENGTH, &in));
    OK(weft_enqueue_create_buffer(ctx, WEFT_FLOAT32, LENGTH, &out));
    OK(weft_enqueue_copy(ctx, in, data));
    OK(weft_enqueue_function(ctx, function, LENGTH / 64, 64, in, out, x));
    OK(weft_enqueue_copy(ctx, got, out));
    OK(weft_synchronize(ctx));
    for (int i = 0; i < LENGTH; i++) {
        ck_assert_float_eq(got[i], (float)i + x);
    }
    weft_device_buffer_release(in);
    weft_device_buffer_release(out);
}

START_TEST(source_is_compiled_on_both) {
    weft_context *contexts[2] = {test_context(), NULL};
    OK(weft_context_create(NULL, &contexts[1]));
    for (int c = 0; c < 2; c++) {
        weft_function *function = NULL;
        OK(weft_compile_function(contexts[c], source, "add", NULL, &function));
        run_on(contexts[c], function, (float)(c + 1));
        weft_function_release(function);
    }
    weft_context_release(contexts[1]);
}
END_TEST

START_TEST(function_of_one_runs_on_the_other) {
    weft_context *second = NULL;
    weft_function *function = test_function(source, "add");
    OK(weft_context_create(NULL, &second));
    run_on(test_context(), function, 3);
    run_on(second, function, 4);
    weft_context_release(second);
}
END_TEST

/* Work goes to both before either is waited for. */
START_TEST(contexts_do_not_disturb_each_other) {
    enum { ROUNDS = 10 };
    weft_context *contexts[2] = {test_context(), NULL};
    weft_device_buffer *buffers[2][2] = {{NULL}};
    weft_function *function = test_function(source, "add");
    OK(weft_context_create(NULL, &contexts[1]));
    for (int c = 0; c < 2; c++) {
        for (int b = 0; b < 2; b++) {
            OK(weft_enqueue_create_buffer(contexts[c], WEFT_FLOAT32, LENGTH, &buffers[c][b]));
            OK(weft_enqueue_fill(buffers[c][b], 0.0f));
        }
    }
    for (int round = 0; round < ROUNDS; round++) {
        for (int c = 0; c < 2; c++) {
            OK(weft_enqueue_function(contexts[c], function, LENGTH / 64, 64, buffers[c][round % 2], buffers[c][1 - round % 2],
                                     (float)(c + 1)));
        }
    }
    for (int c = 0; c < 2; c++) {
        float got[LENGTH];
        OK(weft_enqueue_copy(contexts[c], got, buffers[c][ROUNDS % 2]));
        OK(weft_synchronize(contexts[c]));
        for (int i = 0; i < LENGTH; i++) {
            ck_assert_float_eq(got[i], (float)(ROUNDS * (c + 1)));
        }
        weft_device_buffer_release(buffers[c][0]);
        weft_device_buffer_release(buffers[c][1]);
    }
    weft_context_release(contexts[1]);
}
END_TEST

/* A copy between contexts comes after the work of both, and both see it. */
START_TEST(copies_between_contexts_order_themselves) {
    weft_context *first = test_context(), *second = NULL;
    weft_device_buffer *a = test_device_buffer(WEFT_FLOAT32, LENGTH), *b = NULL;
    weft_function *function = test_function(source, "add");
    float got[LENGTH];
    OK(weft_context_create(NULL, &second));
    OK(weft_enqueue_create_buffer(second, WEFT_FLOAT32, LENGTH, &b));
    OK(weft_enqueue_fill(a, 1.0f));
    OK(weft_enqueue_function(first, function, LENGTH / 64, 64, a, a, 1.0f));  /* a = 2 */
    OK(weft_enqueue_fill(b, 100.0f));                                         /* overwritten by the copy */
    OK(weft_enqueue_copy(second, b, a));                                      /* b = 2 */
    OK(weft_enqueue_fill(a, 7.0f));                                           /* after the copy has read it */
    OK(weft_enqueue_function(second, function, LENGTH / 64, 64, b, b, 1.0f)); /* b = 3 */
    OK(weft_enqueue_copy(first, a, b));                                       /* a = 3 */
    test_read(a, got);
    for (int i = 0; i < LENGTH; i++) {
        ck_assert_float_eq(got[i], 3);
    }
    weft_device_buffer_release(b);
    weft_context_release(second);
}
END_TEST

TESTS(source_is_compiled_on_both, function_of_one_runs_on_the_other, contexts_do_not_disturb_each_other,
      copies_between_contexts_order_themselves)
