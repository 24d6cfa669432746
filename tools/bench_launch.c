/* weft bench launch: what it costs to start a kernel that does next to nothing, one block of 64 threads. */
#include "bench.h"

enum { BLOCK = 64 };

/* No body is empty: one driver's compiler refuses that. */
static const char source[] =
    "kernel void four(global float *a, int n, float x, uint u) { if (n < 0) a[0] = x + u; }\n"
    "kernel void one(global float *a) { a[get_local_id(0)] = 1.0f; }\n";

typedef struct launch {
    weft_context *context;
    weft_function *four, *one;
    weft_device_buffer *buffer;
    cl_command_queue cl_queue;
    cl_program cl_program;
    cl_kernel cl_four, cl_one;
    cl_mem cl_buffer;
} launch;

/* ---- Four arguments, each set for each launch ------------------------------------------------------- */

static cl_int raw_four(launch *l, size_t i) {
    const size_t size = BLOCK;
    cl_int n = (cl_int)(i & INT32_MAX);
    cl_float x = 1.0f;
    cl_uint u = (cl_uint)i;
    cl_int code = clSetKernelArg(l->cl_four, 0, sizeof l->cl_buffer, &l->cl_buffer);
    code = code ? code : clSetKernelArg(l->cl_four, 1, sizeof n, &n);
    code = code ? code : clSetKernelArg(l->cl_four, 2, sizeof x, &x);
    code = code ? code : clSetKernelArg(l->cl_four, 3, sizeof u, &u);
    return code ? code : clEnqueueNDRangeKernel(l->cl_queue, l->cl_four, 1, NULL, &size, &size, 0, NULL, NULL);
}

static weft_status weft_four(launch *l, size_t i) {
    return weft_enqueue_function(l->context, l->four, 1, BLOCK, l->buffer, (int)(i & INT32_MAX), 1.0f, (unsigned)i);
}

static cl_int raw_four_batched(void *user, size_t n) {
    launch *l = user;
    cl_int code = CL_SUCCESS;
    for (size_t i = 0; i < n && !code; i++) {
        code = raw_four(l, i);
    }
    return code ? code : clFinish(l->cl_queue);
}

static weft_status weft_four_batched(void *user, size_t n) {
    launch *l = user;
    weft_status status = WEFT_OK;
    for (size_t i = 0; i < n && !status; i++) {
        status = weft_four(l, i);
    }
    return status ? status : weft_synchronize(l->context);
}

static cl_int raw_four_awaited(void *user, size_t n) {
    launch *l = user;
    cl_int code = CL_SUCCESS;
    for (size_t i = 0; i < n && !code; i++) {
        code = raw_four(l, i);
        code = code ? code : clFinish(l->cl_queue);
    }
    return code;
}

static weft_status weft_four_awaited(void *user, size_t n) {
    launch *l = user;
    weft_status status = WEFT_OK;
    for (size_t i = 0; i < n && !status; i++) {
        status = weft_four(l, i);
        status = status ? status : weft_synchronize(l->context);
    }
    return status;
}

/* ---- One buffer ------------------------------------------------------------------------------------ */

static cl_int raw_one_batched(void *user, size_t n) {
    launch *l = user;
    const size_t size = BLOCK;
    cl_int code = CL_SUCCESS;
    for (size_t i = 0; i < n && !code; i++) {
        code = clSetKernelArg(l->cl_one, 0, sizeof l->cl_buffer, &l->cl_buffer);
        code = code ? code : clEnqueueNDRangeKernel(l->cl_queue, l->cl_one, 1, NULL, &size, &size, 0, NULL, NULL);
    }
    return code ? code : clFinish(l->cl_queue);
}

static weft_status weft_one_batched(void *user, size_t n) {
    launch *l = user;
    weft_status status = WEFT_OK;
    for (size_t i = 0; i < n && !status; i++) {
        status = weft_enqueue_function(l->context, l->one, 1, BLOCK, l->buffer);
    }
    return status ? status : weft_synchronize(l->context);
}

/* ---- The benchmark --------------------------------------------------------------------------------- */

static cl_int raw_set_up(launch *l, const bench_device *device) {
    const char *text = source;
    cl_int code;
    l->cl_queue = device->cl_queue;
    l->cl_buffer = clCreateBuffer(device->cl_context, CL_MEM_READ_WRITE, BLOCK * sizeof(cl_float), NULL, &code);
    if (!code) {
        l->cl_program = clCreateProgramWithSource(device->cl_context, 1, &text, NULL, &code);
    }
    code = code ? code : clBuildProgram(l->cl_program, 1, &device->cl_device, "", NULL, NULL);
    if (!code) {
        l->cl_four = clCreateKernel(l->cl_program, "four", &code);
    }
    if (!code) {
        l->cl_one = clCreateKernel(l->cl_program, "one", &code);
    }
    return code;
}

static weft_status weft_set_up(launch *l, const bench_device *device) {
    l->context = device->context;
    weft_status status = weft_enqueue_create_buffer(l->context, WEFT_FLOAT32, BLOCK, &l->buffer);
    status = status ? status : weft_compile_function(l->context, source, "four", NULL, &l->four);
    return status ? status : weft_compile_function(l->context, source, "one", NULL, &l->one);
}

static void tear_down(launch *l) {
    weft_function_release(l->one);
    weft_function_release(l->four);
    weft_device_buffer_release(l->buffer);
    if (l->cl_one) {
        clReleaseKernel(l->cl_one);
    }
    if (l->cl_four) {
        clReleaseKernel(l->cl_four);
    }
    if (l->cl_program) {
        clReleaseProgram(l->cl_program);
    }
    if (l->cl_buffer) {
        clReleaseMemObject(l->cl_buffer);
    }
}

void bench_launch(bench *bench) {
    launch l = {0};
    const bench_case cases[] = {
        {"launch, 4 args, batched", 0, &l, raw_four_batched, weft_four_batched},
        {"launch, 1 buffer arg, batched", 0, &l, raw_one_batched, weft_one_batched},
        {"launch + synchronize", 0, &l, raw_four_awaited, weft_four_awaited},
    };
    cl_int code = raw_set_up(&l, &bench->device);
    if (code) {
        bench_fail_raw(bench, "building the kernels", code);
    } else if (weft_set_up(&l, &bench->device) != WEFT_OK) {
        bench_fail_weft(bench, "building the kernels");
    } else {
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
            bench_run(bench, &cases[i]);
        }
    }
    tear_down(&l);
}
