/* weft bench kernels: kernels that say where they are by weft.clh's names, against the same written with OpenCL's own
 * functions, each thread with one element of a square of floats. */
#include "bench.h"

#include <stdio.h>
#include <string.h>

enum { BLOCK_X = 32, BLOCK_Y = 8 };

/* Both sides' sources begin with the names they use, and go on with these kernels. */
#define KERNELS                                                                                        \
    "kernel void add(global const float *a, global float *b, INDEX n) {\n"                             \
    "    INDEX x = X, y = Y;\n"                                                                        \
    "    if (x < n && y < n) b[y * n + x] += a[y * n + x];\n"                                          \
    "}\n"                                                                                              \
    "kernel void transpose(global const float *a, global float *b, INDEX n) {\n"                       \
    "    INDEX x = X, y = Y;\n"                                                                        \
    "    if (x < n && y < n) b[x * n + y] = a[y * n + x];\n"                                           \
    "}\n"                                                                                              \
    "kernel void smooth(global const float *a, global float *b, INDEX n) {\n"                          \
    "    INDEX x = X, y = Y;\n"                                                                        \
    "    if (x < 1 || y < 1 || x >= n - 1 || y >= n - 1) return;\n"                                    \
    "    global const float *row = a + y * n + x;\n"                                                   \
    "    b[y * n + x] = 0.2f * (row[0] + row[-1] + row[1] + *(row - n) + row[n]);\n"                    \
    "}\n"

static const char weft_source[] = "#include <weft.clh>\n"
                                  "typedef weft_index INDEX;\n"
                                  "#define X (block_idx.x * block_dim.x + thread_idx.x)\n"
                                  "#define Y global_idx.y\n" KERNELS;
static const char raw_source[] = "#define X get_global_id(0)\n"
                                 "#define Y get_global_id(1)\n" KERNELS;

static const char *const names[] = {"add", "transpose", "smooth"};
enum { N_KERNELS = sizeof names / sizeof *names };

typedef struct kernels {
    weft_context *context;
    weft_device_buffer *a, *b;
    weft_function *function;
    cl_command_queue cl_queue;
    cl_mem cl_a, cl_b;
    cl_kernel cl_kernel;
    size_t side;
    bool narrow; /* 32-bit indices */
} kernels;

static cl_int raw_launches(void *user, size_t n) {
    kernels *k = user;
    const size_t global[] = {k->side, k->side}, local[] = {BLOCK_X, BLOCK_Y};
    const cl_long side = (cl_long)k->side;
    const cl_int narrow_side = (cl_int)k->side;
    cl_int code = clSetKernelArg(k->cl_kernel, 0, sizeof k->cl_a, &k->cl_a);
    code = code ? code : clSetKernelArg(k->cl_kernel, 1, sizeof k->cl_b, &k->cl_b);
    code = code ? code : clSetKernelArg(k->cl_kernel, 2, k->narrow ? sizeof narrow_side : sizeof side,
                                        k->narrow ? (const void *)&narrow_side : &side);
    for (size_t i = 0; i < n && !code; i++) {
        code = clEnqueueNDRangeKernel(k->cl_queue, k->cl_kernel, 2, NULL, global, local, 0, NULL, NULL);
    }
    return code ? code : clFinish(k->cl_queue);
}

static weft_status weft_launches(void *user, size_t n) {
    kernels *k = user;
    const weft_dim grid = WEFT_DIM(k->side / BLOCK_X, k->side / BLOCK_Y), block = WEFT_DIM(BLOCK_X, BLOCK_Y);
    weft_status status = WEFT_OK;
    for (size_t i = 0; i < n && !status; i++) {
        status = weft_enqueue_function(k->context, k->function, grid, block, k->a, k->b, k->side);
    }
    return status ? status : weft_synchronize(k->context);
}

/* Measures the kernels with indices of one width. */
static void bench_width(bench *bench, kernels *k) {
    const char *text = raw_source, *narrow[] = {"WEFT_INDEX_32"};
    const weft_compile_options options = {.defines = narrow, .n_defines = k->narrow};
    weft_program *program = NULL;
    cl_int code;
    cl_program cl_program = clCreateProgramWithSource(bench->device.cl_context, 1, &text, NULL, &code);
    if (!code) {
        code = clBuildProgram(cl_program, 1, &bench->device.cl_device, k->narrow ? "-DINDEX=int" : "-DINDEX=long", NULL, NULL);
    }
    if (code) {
        bench_fail_raw(bench, "building the kernels", code);
    } else if (weft_compile_program(k->context, weft_source, &options, &program) != WEFT_OK) {
        bench_fail_weft(bench, "building the kernels");
    }
    for (size_t i = 0; program && i < N_KERNELS; i++) {
        char name[64];
        snprintf(name, sizeof name, "%s, %d-bit index", names[i], k->narrow ? 32 : 64);
        k->cl_kernel = clCreateKernel(cl_program, names[i], &code);
        if (code) {
            bench_fail_raw(bench, names[i], code);
        } else if (weft_program_function(program, names[i], &k->function) != WEFT_OK) {
            bench_fail_weft(bench, names[i]);
        } else {
            bench_run(bench, &(bench_case){name, 0, k, raw_launches, weft_launches});
            weft_function_release(k->function);
        }
        if (k->cl_kernel) {
            clReleaseKernel(k->cl_kernel);
        }
    }
    weft_program_release(program);
    if (cl_program) {
        clReleaseProgram(cl_program);
    }
}

static cl_int raw_set_up(kernels *k, const bench_device *device) {
    const cl_float zero = 0;
    const size_t bytes = k->side * k->side * sizeof zero;
    cl_int code;
    k->cl_queue = device->cl_queue;
    k->cl_a = clCreateBuffer(device->cl_context, CL_MEM_READ_WRITE, bytes, NULL, &code);
    if (!code) {
        k->cl_b = clCreateBuffer(device->cl_context, CL_MEM_READ_WRITE, bytes, NULL, &code);
    }
    code = code ? code : clEnqueueFillBuffer(k->cl_queue, k->cl_a, &zero, sizeof zero, 0, bytes, 0, NULL, NULL);
    return code ? code : clEnqueueFillBuffer(k->cl_queue, k->cl_b, &zero, sizeof zero, 0, bytes, 0, NULL, NULL);
}

static weft_status weft_set_up(kernels *k, const bench_device *device) {
    k->context = device->context;
    weft_status status = weft_enqueue_create_buffer(k->context, WEFT_FLOAT32, k->side * k->side, &k->a);
    status = status ? status : weft_enqueue_create_buffer(k->context, WEFT_FLOAT32, k->side * k->side, &k->b);
    status = status ? status : weft_enqueue_fill(k->a, 0.0f);
    return status ? status : weft_enqueue_fill(k->b, 0.0f);
}

static void tear_down(kernels *k) {
    weft_device_buffer_release(k->a);
    weft_device_buffer_release(k->b);
    if (k->cl_a) {
        clReleaseMemObject(k->cl_a);
    }
    if (k->cl_b) {
        clReleaseMemObject(k->cl_b);
    }
}

void bench_kernels(bench *bench) {
    const bool gpu = strcmp(bench->device.info.kind, "gpu") == 0, emulated = strcmp(bench->device.info.api, "oclgrind") == 0;
    kernels k = {.side = gpu ? 8192 : emulated ? 64 : 1024};
    cl_int code = raw_set_up(&k, &bench->device);
    if (code) {
        bench_fail_raw(bench, "creating the buffers", code);
    } else if (weft_set_up(&k, &bench->device) != WEFT_OK) {
        bench_fail_weft(bench, "creating the buffers");
    } else {
        for (int narrow = 0; narrow < 2; narrow++) {
            k.narrow = narrow;
            bench_width(bench, &k);
        }
    }
    tear_down(&k);
}
