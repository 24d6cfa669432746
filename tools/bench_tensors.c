/* weft bench tensors: what tensors cost in a kernel, against the same kernel with pointers and row lengths. */
#include "bench.h"

#include <stdio.h>
#include <string.h>

enum { TILE = 16, MATRIX = 4000, MATRIX_ON_CPU = 500 };

/* INDEX is long or int. */
static const char raw_source[] =
    "#define TILE 16\n"
    "#define AT(f, k) ((INDEX)get_##f(k))\n"
    "kernel void copy(global float *to, global const float *from, INDEX rows, INDEX columns, INDEX to_pitch, INDEX from_pitch) {\n"
    "    INDEX i = AT(global_id, 1), j = AT(global_id, 0);\n"
    "    if (i < rows && j < columns) to[i * to_pitch + j] = from[i * from_pitch + j];\n"
    "}\n"
    "kernel void transpose(global float *to, global const float *from, INDEX rows, INDEX columns, INDEX to_pitch,\n"
    "                      INDEX from_pitch) {\n"
    "    local float tile[TILE * (TILE + 1)];\n"
    "    INDEX y = AT(local_id, 1), x = AT(local_id, 0);\n"
    "    INDEX i = AT(group_id, 1) * TILE + y, j = AT(group_id, 0) * TILE + x;\n"
    "    tile[y * (TILE + 1) + x] = i < rows && j < columns ? from[i * from_pitch + j] : 0;\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    i = AT(group_id, 0) * TILE + y, j = AT(group_id, 1) * TILE + x;\n"
    "    if (i < columns && j < rows) to[i * to_pitch + j] = tile[x * (TILE + 1) + y];\n"
    "}\n"
    "kernel void multiply(global float *c, global const float *a, global const float *b, INDEX rows, INDEX columns, INDEX inner,\n"
    "                     INDEX c_pitch, INDEX a_pitch, INDEX b_pitch) {\n"
    "    local float a_tile[TILE * TILE], b_tile[TILE * TILE];\n"
    "    INDEX y = AT(local_id, 1), x = AT(local_id, 0);\n"
    "    INDEX i = AT(group_id, 1) * TILE + y, j = AT(group_id, 0) * TILE + x;\n"
    "    float sum = 0;\n"
    "    for (INDEX k = 0; k < inner; k += TILE) {\n"
    "        a_tile[y * TILE + x] = i < rows && k + x < inner ? a[i * a_pitch + k + x] : 0;\n"
    "        b_tile[y * TILE + x] = k + y < inner && j < columns ? b[(k + y) * b_pitch + j] : 0;\n"
    "        barrier(CLK_LOCAL_MEM_FENCE);\n"
    "        for (int l = 0; l < TILE; l++) sum += a_tile[y * TILE + l] * b_tile[l * TILE + x];\n"
    "        barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    }\n"
    "    if (i < rows && j < columns) c[i * c_pitch + j] = sum;\n"
    "}\n";

/* TENSOR is TENSOR2 or TENSOR2_ROWS. */
static const char weft_source[] =
    "#include <weft.clh>\n"
    "#define TILE 16\n"
    "kernel void copy(TENSOR(float, to), TENSOR(const float, from)) {\n"
    "    weft_index i = global_idx.y, j = global_idx.x;\n"
    "    if (TENSOR_HAS(to, i, j)) TENSOR_AT(to, i, j) = TENSOR_AT(from, i, j);\n"
    "}\n"
    "kernel void transpose(TENSOR(float, to), TENSOR(const float, from)) {\n"
    "    SHARED(float, shared, TILE * (TILE + 1));\n"
    "    TENSOR_TILE(source, from, TILE, TILE, block_idx.y, block_idx.x);\n"
    "    weft_index y = thread_idx.y, x = thread_idx.x;\n"
    "    shared[y * (TILE + 1) + x] = TENSOR_GET(source, y, x);\n"
    "    block_barrier();\n"
    "    TENSOR_TILE(target, to, TILE, TILE, block_idx.x, block_idx.y);\n"
    "    if (TENSOR_HAS(target, y, x)) TENSOR_AT(target, y, x) = shared[x * (TILE + 1) + y];\n"
    "}\n"
    "kernel void multiply(TENSOR(float, c), TENSOR(const float, a), TENSOR(const float, b)) {\n"
    "    SHARED(float, a_shared, TILE * TILE);\n"
    "    SHARED(float, b_shared, TILE * TILE);\n"
    "    weft_index y = thread_idx.y, x = thread_idx.x;\n"
    "    float sum = 0;\n"
    "    for (weft_index k = 0; k * TILE < TENSOR_DIM(a, 1); k++) {\n"
    "        TENSOR_TILE(a_tile, a, TILE, TILE, block_idx.y, k);\n"
    "        TENSOR_TILE(b_tile, b, TILE, TILE, k, block_idx.x);\n"
    "        a_shared[y * TILE + x] = TENSOR_GET(a_tile, y, x);\n"
    "        b_shared[y * TILE + x] = TENSOR_GET(b_tile, y, x);\n"
    "        block_barrier();\n"
    "        for (int l = 0; l < TILE; l++) sum += a_shared[y * TILE + l] * b_shared[l * TILE + x];\n"
    "        block_barrier();\n"
    "    }\n"
    "    TENSOR_TILE(c_tile, c, TILE, TILE, block_idx.y, block_idx.x);\n"
    "    if (TENSOR_HAS(c_tile, y, x)) TENSOR_AT(c_tile, y, x) = sum;\n"
    "}\n";

/* One way to compile the kernels of both sides. */
typedef struct kernels {
    weft_context *context;
    cl_command_queue cl_queue;
    cl_long size; /* matrices are size by size */
    bool narrow;
    weft_device_buffer *buffers[3];
    weft_tensor tensors[3];
    weft_function *copy, *transpose, *multiply;
    cl_mem cl_buffers[3];
    cl_program cl_program;
    cl_kernel cl_copy, cl_transpose, cl_multiply;
} kernels;

/* ---- OpenCL ---------------------------------------------------------------------------------------- */

/* Sets n buffers and then m times the size. */
static cl_int raw_set(const kernels *k, cl_kernel kernel, cl_uint n, cl_uint m) {
    const cl_int narrow = (cl_int)k->size;
    cl_int code = CL_SUCCESS;
    for (cl_uint i = 0; i < n && !code; i++) {
        code = clSetKernelArg(kernel, i, sizeof(cl_mem), &k->cl_buffers[i]);
    }
    for (cl_uint i = n; i < n + m && !code; i++) {
        code = k->narrow ? clSetKernelArg(kernel, i, sizeof narrow, &narrow) : clSetKernelArg(kernel, i, sizeof k->size, &k->size);
    }
    return code;
}

static cl_int raw_run(kernels *k, cl_kernel kernel, cl_uint buffers, cl_uint sizes, size_t n) {
    const size_t blocks = ((size_t)k->size + TILE - 1) / TILE, global[] = {blocks * TILE, blocks * TILE}, local[] = {TILE, TILE};
    cl_int code = CL_SUCCESS;
    for (size_t i = 0; i < n && !code; i++) {
        code = raw_set(k, kernel, buffers, sizes);
        code = code ? code : clEnqueueNDRangeKernel(k->cl_queue, kernel, 2, NULL, global, local, 0, NULL, NULL);
    }
    return code ? code : clFinish(k->cl_queue);
}

static cl_int raw_copy(void *user, size_t n) { return raw_run(user, ((kernels *)user)->cl_copy, 2, 4, n); }
static cl_int raw_transpose(void *user, size_t n) { return raw_run(user, ((kernels *)user)->cl_transpose, 2, 4, n); }
static cl_int raw_multiply(void *user, size_t n) { return raw_run(user, ((kernels *)user)->cl_multiply, 3, 6, n); }

/* ---- weft ------------------------------------------------------------------------------------------ */

static weft_status weft_run(kernels *k, weft_function *function, size_t n) {
    const weft_tensor *t = k->tensors;
    const size_t blocks = ((size_t)k->size + TILE - 1) / TILE;
    weft_status status = WEFT_OK;
    for (size_t i = 0; i < n && !status; i++) {
        status = function == k->multiply
                     ? weft_enqueue_function(k->context, function, WEFT_DIM(blocks, blocks), WEFT_DIM(TILE, TILE), t[0], t[1], t[2])
                     : weft_enqueue_function(k->context, function, WEFT_DIM(blocks, blocks), WEFT_DIM(TILE, TILE), t[0], t[1]);
    }
    return status ? status : weft_synchronize(k->context);
}

static weft_status weft_copy(void *user, size_t n) { return weft_run(user, ((kernels *)user)->copy, n); }
static weft_status weft_transpose(void *user, size_t n) { return weft_run(user, ((kernels *)user)->transpose, n); }
static weft_status weft_multiply(void *user, size_t n) { return weft_run(user, ((kernels *)user)->multiply, n); }

/* ---- The benchmark --------------------------------------------------------------------------------- */

static cl_int raw_set_up(kernels *k, const bench_device *device) {
    const char *text = raw_source;
    const float zero = 0;
    const size_t bytes = (size_t)(k->size * k->size) * sizeof zero;
    cl_int code = CL_SUCCESS;
    k->cl_queue = device->cl_queue;
    for (size_t i = 0; i < 3 && !code; i++) {
        k->cl_buffers[i] = clCreateBuffer(device->cl_context, CL_MEM_READ_WRITE, bytes, NULL, &code);
        code = code ? code : clEnqueueFillBuffer(k->cl_queue, k->cl_buffers[i], &zero, sizeof zero, 0, bytes, 0, NULL, NULL);
    }
    if (!code) {
        k->cl_program = clCreateProgramWithSource(device->cl_context, 1, &text, NULL, &code);
    }
    code = code ? code
                : clBuildProgram(k->cl_program, 1, &device->cl_device, k->narrow ? "-DINDEX=int" : "-DINDEX=long", NULL, NULL);
    if (!code) {
        k->cl_copy = clCreateKernel(k->cl_program, "copy", &code);
    }
    if (!code) {
        k->cl_transpose = clCreateKernel(k->cl_program, "transpose", &code);
    }
    if (!code) {
        k->cl_multiply = clCreateKernel(k->cl_program, "multiply", &code);
    }
    return code;
}

static weft_status weft_set_up(kernels *k, const bench_device *device, bool rows) {
    const char *const defines[] = {rows ? "TENSOR=TENSOR2_ROWS" : "TENSOR=TENSOR2", "WEFT_INDEX_32"};
    const weft_compile_options options = {.defines = defines, .n_defines = k->narrow ? 2 : 1};
    weft_status status = WEFT_OK;
    k->context = device->context;
    for (size_t i = 0; i < 3 && !status; i++) {
        status = weft_enqueue_create_buffer(k->context, WEFT_FLOAT32, (size_t)(k->size * k->size), &k->buffers[i]);
        status = status ? status : weft_enqueue_fill(k->buffers[i], 0);
        status = status ? status : weft_tensor_row_major(k->buffers[i], WEFT_SHAPE(k->size, k->size), &k->tensors[i]);
    }
    status = status ? status : weft_compile_function(k->context, weft_source, "copy", &options, &k->copy);
    status = status ? status : weft_compile_function(k->context, weft_source, "transpose", &options, &k->transpose);
    return status ? status : weft_compile_function(k->context, weft_source, "multiply", &options, &k->multiply);
}

static void tear_down(kernels *k) {
    weft_function_release(k->copy);
    weft_function_release(k->transpose);
    weft_function_release(k->multiply);
    cl_kernel const cl_kernels[] = {k->cl_copy, k->cl_transpose, k->cl_multiply};
    for (size_t i = 0; i < 3; i++) {
        weft_device_buffer_release(k->buffers[i]);
        if (cl_kernels[i]) {
            clReleaseKernel(cl_kernels[i]);
        }
        if (k->cl_buffers[i]) {
            clReleaseMemObject(k->cl_buffers[i]);
        }
    }
    if (k->cl_program) {
        clReleaseProgram(k->cl_program);
    }
}

static void run_cases(bench *bench, kernels *k, const char *form) {
    const struct {
        const char *name;
        cl_int (*raw)(void *user, size_t n);
        weft_status (*weft)(void *user, size_t n);
    } kinds[] = {{"copy", raw_copy, weft_copy}, {"transpose", raw_transpose, weft_transpose}, {"multiply", raw_multiply, weft_multiply}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        char name[64];
        snprintf(name, sizeof name, "%s, %s, %d-bit index", kinds[i].name, form, k->narrow ? 32 : 64);
        const bench_case measured = {name, 0, k, kinds[i].raw, kinds[i].weft};
        bench_run(bench, &measured);
    }
}

void bench_tensors(bench *bench) {
    static const struct {
        const char *form;
        bool rows, narrow;
    } forms[] = {{"rows", true, false}, {"rows", true, true}, {"any strides", false, false}, {"any strides", false, true}};
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        kernels k = {.size = strcmp(bench->device.info.kind, "cpu") ? MATRIX : MATRIX_ON_CPU, .narrow = forms[i].narrow};
        cl_int code = raw_set_up(&k, &bench->device);
        if (code) {
            bench_fail_raw(bench, "building the kernels", code);
        } else if (weft_set_up(&k, &bench->device, forms[i].rows) != WEFT_OK) {
            bench_fail_weft(bench, "building the kernels");
        } else {
            run_cases(bench, &k, forms[i].form);
        }
        tear_down(&k);
    }
}
