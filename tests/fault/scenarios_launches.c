/* Launches, and every kind of argument. */
#include <pthread.h>

#include "scene.h"

static weft_status make_buffer(scene *s, weft_context *context, weft_device_buffer **out) {
    MAKE(*out, weft_enqueue_create_buffer(context, WEFT_INT32, N, out));
    STEP(weft_enqueue_copy(context, *out, s->in));
    return WEFT_OK;
}

static weft_status take_out(scene *s, weft_device_buffer *buffer) {
    STEP(weft_device_buffer_enqueue_copy_to(buffer, s->out));
    STEP(weft_synchronize(weft_device_buffer_context(buffer)));
    return WEFT_OK;
}

static weft_status launch(scene *s) {
    weft_context *context = kept_things.context;
    weft_device_buffer *a, *sum;
    STEP(make_buffer(s, context, &a));
    STEP(make_buffer(s, context, &sum));
    STEP(weft_enqueue_function(context, kept_things.square, N / 16, 16, sum));
    STEP(weft_enqueue_function(context, kept_things.add, N / 16, 16, a, sum, sum));
    STEP(take_out(s, sum));
    for (int i = 0; i < N; i++) {
        HOLDS(s->out[i] == s->in[i] + i * i);
    }
    return WEFT_OK;
}

static weft_status launch_every_argument(scene *s) {
    const struct {
        int32_t by;
        char more;
    } amount = {5, 3};
    weft_context *context = kept_things.context;
    weft_device_buffer *buffer;
    weft_dim grid, block;
    STEP(make_buffer(s, context, &buffer));
    STEP(weft_function_suggest_launch(kept_things.scale, N, &grid, &block));
    STEP(weft_enqueue_function(context, kept_things.scale, grid, block, buffer, 2, 1.5f, WEFT_VALUE(amount),
                               weft_shared_bytes(N * sizeof(int32_t))));
    STEP(take_out(s, buffer));
    for (int i = 0; i < N; i++) {
        HOLDS(s->out[i] == s->in[i] * 10 + 4);
    }
    return WEFT_OK;
}

/* Views that a driver takes as they are, or through an address, and one that its pointee does not suit. */
static weft_status launch_views(scene *s) {
    weft_context *context = kept_things.context;
    weft_device_buffer *buffer, *other, *aligned, *odd, *even;
    STEP(make_buffer(s, context, &buffer));
    STEP(make_buffer(s, context, &other));
    MAKE(aligned, weft_device_buffer_create_sub_buffer(other, WEFT_INT32, N / 2, N / 2, &aligned));
    MAKE(even, weft_device_buffer_create_sub_buffer(other, WEFT_INT32, 3, N / 4, &even));
    MAKE(odd, weft_device_buffer_create_sub_buffer(buffer, WEFT_INT32, 1, N / 2, &odd));
    STEP(weft_enqueue_function(context, kept_things.square, N / 32, 16, aligned));
    STEP(weft_enqueue_function(context, kept_things.reverse, 2, 16, odd, even));
    STEP(take_out(s, buffer));
    HOLDS(s->out[0] == s->in[0] && s->out[1] == s->in[4] + s->in[3] && s->out[2] == s->in[3] + s->in[3]);
    HOLDS(s->out[128] == s->in[125] + s->in[34] && s->out[129] == s->in[129]);
    STEP(take_out(s, other));
    HOLDS(s->out[N / 2 - 1] == s->in[N / 2 - 1] && s->out[N / 2 + 5] == 25);
    return WEFT_OK;
}

/* A stand-in that cannot be copied back, while the launch that writes to another view is yet to run. */
static weft_status launch_views_held(scene *s) {
    weft_context *context = kept_things.context;
    weft_device_buffer *buffer, *other, *odd, *even;
    STEP(make_buffer(s, context, &buffer));
    STEP(make_buffer(s, context, &other));
    MAKE(odd, weft_device_buffer_create_sub_buffer(buffer, WEFT_INT32, 1, N / 2, &odd));
    MAKE(even, weft_device_buffer_create_sub_buffer(other, WEFT_INT32, 3, N / 4, &even));
    layer_hold_next();
    STEP(weft_enqueue_function(context, kept_things.reverse, 2, 16, odd, even));
    scene_release_all(s);
    STEP(scene_synchronize(s));
    return WEFT_OK;
}

/* Everything goes right after the launch, which has not begun. */
static weft_status launch_and_release(scene *s) {
    weft_context *context;
    weft_device_buffer *buffer, *view;
    MAKE(context, weft_context_create_stream(kept_things.context, NULL, &context));
    STEP(make_buffer(s, context, &buffer));
    MAKE(view, weft_device_buffer_create_sub_buffer(buffer, WEFT_INT32, 1, 16, &view));
    layer_hold_next();
    STEP(weft_enqueue_function(context, kept_things.square, 1, 16, view));
    return WEFT_OK;
}

static const char assert_source[] =
    "#include <weft.clh>\n"
    "kernel void halve(TENSOR2(int, a), int most, WEFT_ASSERTS) {\n"
    "    weft_assert(TENSOR_AT(a, 0, global_idx.x) <= most);\n"
    "    TENSOR_AT(a, 0, global_idx.x) /= 2;\n"
    "}\n"
    "kernel void never(WEFT_ASSERTS) { weft_assert(global_idx.x < 16); }\n";

/* Tensors over a view at any byte, and assertions that hold. */
static weft_status launch_tensors(scene *s) {
    weft_context *context;
    weft_program *program;
    weft_function *halve, *never;
    weft_device_buffer *buffer, *view;
    weft_tensor tensor;
    MAKE(context, weft_context_create_stream(kept_things.context, NULL, &context));
    STEP(make_buffer(s, context, &buffer));
    MAKE(view, weft_device_buffer_create_sub_buffer(buffer, WEFT_INT32, 1, N / 2, &view));
    MAKE(program, weft_compile_program(context, assert_source, NULL, &program));
    MAKE(halve, weft_program_function(program, "halve", &halve));
    MAKE(never, weft_program_function(program, "never", &never));
    STEP(weft_tensor_row_major(view, WEFT_SHAPE(2, 16), &tensor));
    STEP(weft_enqueue_function(context, halve, 1, 16, tensor, 1000));
    STEP(weft_enqueue_function(context, never, 1, 16));
    STEP(take_out(s, buffer));
    HOLDS(s->out[0] == s->in[0] && s->out[1] == s->in[1] / 2 && s->out[16] == s->in[16] / 2 && s->out[17] == s->in[17]);
    return WEFT_OK;
}

/* An assertion that fails is told once, after whatever else fails. */
static weft_status launch_failing_assert(scene *s) {
    weft_context *context;
    weft_function *halve;
    weft_device_buffer *buffer;
    weft_tensor tensor;
    MAKE(context, weft_context_create_stream(kept_things.context, NULL, &context));
    STEP(make_buffer(s, context, &buffer));
    MAKE(halve, weft_compile_function(context, assert_source, "halve", NULL, &halve));
    STEP(weft_tensor_row_major(buffer, WEFT_SHAPE(2, 16), &tensor));
    STEP(weft_enqueue_function(context, halve, 1, 16, tensor, 45));
    fault_during("weft_synchronize(context)");
    weft_status told = weft_synchronize(context);
    if (told != WEFT_ERROR_EXECUTION_FAILED || weft_last_error()->cl_code) {
        HOLDS(scene_returned(s, told));
        HOLDS(weft_synchronize(context)); /* it is still to be told */
        return told;
    }
    HOLDS(strstr(weft_error_message(), "thread (15, 0, 0); 1 failure in all"));
    STEP(take_out(s, buffer));
    HOLDS(s->out[0] == s->in[0] / 2 && s->out[15] == s->in[15] / 2 && s->out[16] == s->in[16]);
    return WEFT_OK;
}

static weft_status launch_once(scene *s) {
    static const char source[] = "kernel void set(global int *x, int by) { x[get_global_id(0)] = by; }";
    weft_context *context;
    weft_device_buffer *buffer;
    MAKE(context, weft_context_create(&(weft_context_options){.api = "any"}, &context));
    STEP(make_buffer(s, context, &buffer));
    STEP(weft_enqueue_function_once(context, source, "set", N / 16, 16, buffer, 6));
    STEP(weft_enqueue_function_once(context, source, "set", 1, 16, buffer, 7));
    STEP(take_out(s, buffer));
    HOLDS(s->out[0] == 7 && s->out[15] == 7 && s->out[16] == 6 && s->out[N - 1] == 6);
    return WEFT_OK;
}

static weft_status launch_from_set(scene *s, weft_kernel_set *set) {
    weft_context *context;
    weft_device_buffer *buffer;
    weft_function *negate;
    const weft_launch launch = {WEFT_DIM(N / 16), WEFT_DIM(16)};
    MAKE(context, weft_context_create(&(weft_context_options){.api = "any"}, &context));
    STEP(make_buffer(s, context, &buffer));
    const weft_arg args[] = {WEFT_ARG(buffer), WEFT_ARG(6)};
    STEP(weft_kernel_set_enqueue(set, context, 0, &launch, args, 2));
    weft_kernel_set_unload(set);
    STEP(weft_kernel_set_enqueue(set, context, 0, &launch, args, 2));
    MAKE(negate, weft_kernel_set_function(set, context, 1, &negate));
    STEP(weft_enqueue_function(context, negate, 1, 16, buffer));
    STEP(take_out(s, buffer));
    HOLDS(s->out[0] == -6 && s->out[15] == -6 && s->out[16] == 6 && s->out[N - 1] == 6);
    return WEFT_OK;
}

static weft_status launch_set(scene *s) {
    static const char source[] = "kernel void put(global int *x, int by) { x[get_global_id(0)] = by; }\n"
                                 "kernel void negate(global int *x) { x[get_global_id(0)] *= -1; }\n";
    static const char *const names[] = {"put", "negate"};
    weft_kernel_set set = WEFT_KERNEL_SET(source, names, 2, NULL);
    weft_status status = launch_from_set(s, &set);
    weft_kernel_set_unload(&set);
    return status;
}

static weft_status launch_without_parameters(scene *s) {
    static const char source[] = "kernel void idle(void) {}\nkernel void rest(void) {}\n"
                                 "kernel void set(global int *x) { x[get_global_id(0)] = 9; }";
    weft_context *context;
    weft_program *program;
    weft_function *idle, *set;
    weft_device_buffer *buffer;
    MAKE(context, weft_context_create(&(weft_context_options){.api = "any"}, &context));
    MAKE(program, weft_compile_program(context, source, NULL, &program));
    MAKE(idle, weft_program_function(program, "idle", &idle));
    MAKE(set, weft_program_function(program, "set", &set));
    STEP(make_buffer(s, context, &buffer));
    STEP(weft_enqueue_function(context, idle, 1, 16));
    STEP(weft_enqueue_function(context, set, N / 16, 16, buffer));
    STEP(take_out(s, buffer));
    HOLDS(weft_function_arg_count(idle) == 0 && s->out[0] == 9 && s->out[N - 1] == 9);
    return WEFT_OK;
}

enum { THREADS = 3 };

typedef struct launcher {
    scene *s;
    weft_context *context;
    weft_function *square;
    weft_device_buffer *buffer;
    weft_status status;
} launcher;

static void *launch_in_thread(void *argument) {
    launcher *self = argument;
    fault_during("weft_enqueue_function");
    for (int i = 0; i < 4 && !self->status; i++) {
        self->status =
            scene_returned(self->s, weft_enqueue_function(self->context, self->square, N / 16, 16, self->buffer));
    }
    return NULL;
}

/* One function launched by several threads. */
static weft_status launch_in_threads(scene *s) {
    weft_context *context;
    weft_function *square;
    pthread_t threads[THREADS];
    launcher launchers[THREADS];
    weft_status status = WEFT_OK;
    MAKE(context, weft_context_create(&(weft_context_options){.api = "any"}, &context));
    MAKE(square, weft_compile_function(context, kept_source, "square", NULL, &square));
    for (int i = 0; i < THREADS; i++) {
        launchers[i] = (launcher){s, context, square, NULL, WEFT_OK};
        STEP(make_buffer(s, context, &launchers[i].buffer));
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_create(&threads[i], NULL, launch_in_thread, &launchers[i]);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        status = status ? status : launchers[i].status;
    }
    for (int i = 0; i < THREADS && !status; i++) {
        STEP(take_out(s, launchers[i].buffer));
        HOLDS(s->out[N - 1] == (N - 1) * (N - 1));
    }
    return status;
}

/* So often that a quick sweep, too, meets every code of setting an argument and of a launch. */
static weft_status launch_again(scene *s) {
    enum { TIMES = 20 };
    weft_device_buffer *buffer;
    STEP(make_buffer(s, kept_things.context, &buffer));
    for (int i = 0; i < TIMES; i++) {
        STEP(weft_enqueue_function(kept_things.context, kept_things.square, N / 16, 16, buffer));
    }
    STEP(take_out(s, buffer));
    for (int i = 0; i < N; i++) {
        HOLDS(s->out[i] == i * i);
    }
    return WEFT_OK;
}

/* What weft refuses by itself, and what must not have reached the driver. */
static weft_status refusals(scene *s) {
    weft_context *context = kept_things.context;
    weft_device_buffer *buffer, *elsewhere, *none = (void *)s;
    weft_host_buffer *no_host = (void *)s;
    weft_program *no_program = (void *)s;
    double real = 1.5;
    int64_t value;
    STEP(make_buffer(s, context, &buffer));
    STEP(make_buffer(s, kept_things.other, &elsewhere));
    REFUSED(WEFT_ERROR_INVALID_ARGUMENT, weft_enqueue_create_buffer(NULL, WEFT_INT32, N, &none));
    REFUSED(WEFT_ERROR_OUT_OF_RANGE, weft_enqueue_create_buffer(context, WEFT_INT32, SIZE_MAX / 2, &none));
    REFUSED(WEFT_ERROR_OUT_OF_DEVICE_MEMORY, weft_enqueue_create_buffer(context, WEFT_INT8, SIZE_MAX / 4, &none));
    REFUSED(WEFT_ERROR_OUT_OF_RANGE, weft_device_buffer_create_sub_buffer(buffer, WEFT_INT32, N, 1, &none));
    REFUSED(WEFT_ERROR_TYPE_MISMATCH, weft_enqueue_create_host_buffer(context, (weft_dtype)99, N, &no_host));
    REFUSED(WEFT_ERROR_TYPE_MISMATCH, weft_enqueue_copy(context, buffer, &real));
    REFUSED(WEFT_ERROR_OUT_OF_RANGE, weft_enqueue_copy(context, buffer, WEFT_SPAN(s->in, N - 1)));
    REFUSED(WEFT_ERROR_TYPE_MISMATCH, weft_enqueue_fill(buffer, real));
    REFUSED(WEFT_ERROR_OUT_OF_RANGE, weft_enqueue_fill(buffer, INT64_MAX));
    REFUSED(WEFT_ERROR_INVALID_ARGUMENT, weft_enqueue_function(context, kept_things.square, 0, 16, buffer));
    REFUSED(WEFT_ERROR_INVALID_ARGUMENT, weft_enqueue_function(context, kept_things.square, 1, 16));
    REFUSED(WEFT_ERROR_INVALID_ARGUMENT, weft_enqueue_function(context, kept_things.square, 1, 16, elsewhere));
    REFUSED(WEFT_ERROR_INVALID_ARGUMENT, weft_enqueue_function(kept_things.other, kept_things.square, 1, 16, elsewhere));
    REFUSED(WEFT_ERROR_LAUNCH_LIMIT, weft_enqueue_function(context, kept_things.square, 1, 1 << 20, buffer));
    REFUSED(WEFT_ERROR_TYPE_MISMATCH, weft_enqueue_function(context, kept_things.square, 1, 16, 5));
    REFUSED(WEFT_ERROR_INVALID_ARGUMENT, weft_compile_program(context, " ", NULL, &no_program));
    REFUSED(WEFT_ERROR_INVALID_ARGUMENT, weft_context_get_attribute(context, (weft_device_attribute)9999, &value));
    HOLDS(!none && !no_host && !no_program && value == 0);
    STEP(take_out(s, buffer));
    HOLDS(SAME(s->in, s->out));
    return WEFT_OK;
}

const scenario launch_scenarios[] = {
    {"launch", launch, KEEPS, NULL},
    {"launch_again", launch_again, KEEPS, NULL},
    {"launch_every_argument", launch_every_argument, KEEPS, NULL},
    {"launch_every_argument_gpu", launch_every_argument, KEEPS, GPU},
    {"launch_views", launch_views, KEEPS, NULL},
    {"launch_views_gpu", launch_views, KEEPS, GPU},
    {"launch_views_held", launch_views_held, KEEPS, NULL},
    {"launch_and_release", launch_and_release, KEEPS, NULL},
    {"launch_tensors", launch_tensors, KEEPS, NULL},
    {"launch_tensors_gpu", launch_tensors, KEEPS, GPU},
    {"launch_failing_assert", launch_failing_assert, KEEPS, NULL},
    {"launch_failing_assert_gpu", launch_failing_assert, KEEPS, GPU},
    {"launch_once", launch_once, SLOW, NULL},
    {"launch_set", launch_set, SLOW, NULL},
    {"launch_without_parameters", launch_without_parameters, SLOW, NVIDIA},
    {"launch_in_threads", launch_in_threads, SLOW, NULL},
    {"launch_in_threads_serial", launch_in_threads, SLOW, SERIAL},
    {"refusals", refusals, KEEPS, NULL},
    {NULL, NULL, 0, NULL},
};
