/* weft bench order: several queues on one device, events between them, graphs, and threads.
 *
 * The first four cases come in pairs, the same work on one queue and on two: what the second of a pair saves is what
 * the device does at the same time.
 */
#include "bench.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BLOCK = 64, BUSY_BLOCK = 256, BUSY_LAUNCHES = 8, GRAPH_NODES = 16, MAX_THREADS = 8 };

/* The loop stays below 65,536 rounds, where one driver stops. */
static const char source[] =
    "kernel void busy(global float *a) {\n"
    "    float x = get_global_id(0), y = 0.5f;\n"
    "    for (int i = 0; i < 50000; i++) { x = fma(x, 0.999f, y); }\n"
    "    if (x == 1234.5f) { a[0] = x; }\n"
    "}\n"
    "kernel void four(global float *a, int n, float x, uint u) { if (n < 0) a[0] = x + u; }\n";

/* What one thread launches on. */
typedef struct lane {
    weft_context *context;
    cl_command_queue cl_queue;
    cl_kernel cl_four;
    weft_function *four;
    struct order *order;
    size_t n;         /* launches of this turn */
    cl_int code;      /* what came of it */
    weft_status status;
} lane;

typedef struct order {
    bench *bench;
    size_t half_blocks; /* that half of the device's compute units take */
    size_t copy_bytes;
    weft_function *busy, *four;
    weft_device_buffer *buffer, *big;
    weft_host_buffer *pinned;
    weft_event *event;
    weft_graph *graph;
    cl_program cl_program;
    cl_kernel cl_busy, cl_four;
    cl_mem cl_buffer, cl_big, cl_pinned;
    void *cl_pinned_data;
    lane lanes[MAX_THREADS]; /* the first two also serve the cases with two queues */
    size_t n_lanes;
} order;

static cl_int finish_both(order *o) {
    cl_int code = clFlush(o->lanes[0].cl_queue);
    code = code ? code : clFlush(o->lanes[1].cl_queue);
    code = code ? code : clFinish(o->lanes[0].cl_queue);
    return code ? code : clFinish(o->lanes[1].cl_queue);
}

static weft_status synchronize_both(order *o) {
    weft_status status = weft_synchronize(o->lanes[0].context);
    return status ? status : weft_synchronize(o->lanes[1].context);
}

/* ---- Two kernels, one queue or two ------------------------------------------------------------------ */

static cl_int raw_busy(order *o, cl_command_queue queue) {
    const size_t local = BUSY_BLOCK, global = o->half_blocks * BUSY_BLOCK;
    cl_int code = clSetKernelArg(o->cl_busy, 0, sizeof o->cl_buffer, &o->cl_buffer);
    return code ? code : clEnqueueNDRangeKernel(queue, o->cl_busy, 1, NULL, &global, &local, 0, NULL, NULL);
}

static weft_status weft_busy(order *o, weft_context *context) {
    return weft_enqueue_function(context, o->busy, o->half_blocks, BUSY_BLOCK, o->buffer);
}

static cl_int raw_kernels(order *o, size_t n, size_t second) {
    cl_int code = CL_SUCCESS;
    for (size_t i = 0; i < n && !code; i++) {
        code = raw_busy(o, o->lanes[0].cl_queue);
        code = code ? code : raw_busy(o, o->lanes[second].cl_queue);
        code = code ? code : finish_both(o);
    }
    return code;
}

static weft_status weft_kernels(order *o, size_t n, size_t second) {
    weft_status status = WEFT_OK;
    for (size_t i = 0; i < n && !status; i++) {
        status = weft_busy(o, o->lanes[0].context);
        status = status ? status : weft_busy(o, o->lanes[second].context);
        status = status ? status : synchronize_both(o);
    }
    return status;
}

static cl_int raw_kernels_one(void *user, size_t n) { return raw_kernels(user, n, 0); }
static cl_int raw_kernels_two(void *user, size_t n) { return raw_kernels(user, n, 1); }
static weft_status weft_kernels_one(void *user, size_t n) { return weft_kernels(user, n, 0); }
static weft_status weft_kernels_two(void *user, size_t n) { return weft_kernels(user, n, 1); }

/* ---- A pinned copy under kernels --------------------------------------------------------------------- */

static cl_int raw_copies(order *o, size_t n, size_t second) {
    cl_int code = CL_SUCCESS;
    for (size_t i = 0; i < n && !code; i++) {
        for (int k = 0; k < BUSY_LAUNCHES && !code; k++) {
            code = raw_busy(o, o->lanes[0].cl_queue);
        }
        code = code ? code : clEnqueueWriteBuffer(o->lanes[second].cl_queue, o->cl_big, CL_FALSE, 0, o->copy_bytes,
                                                  o->cl_pinned_data, 0, NULL, NULL);
        code = code ? code : finish_both(o);
    }
    return code;
}

static weft_status weft_copies(order *o, size_t n, size_t second) {
    weft_status status = WEFT_OK;
    for (size_t i = 0; i < n && !status; i++) {
        for (int k = 0; k < BUSY_LAUNCHES && !status; k++) {
            status = weft_busy(o, o->lanes[0].context);
        }
        status = status ? status : weft_enqueue_copy(o->lanes[second].context, o->big, o->pinned);
        status = status ? status : synchronize_both(o);
    }
    return status;
}

static cl_int raw_copies_one(void *user, size_t n) { return raw_copies(user, n, 0); }
static cl_int raw_copies_two(void *user, size_t n) { return raw_copies(user, n, 1); }
static weft_status weft_copies_one(void *user, size_t n) { return weft_copies(user, n, 0); }
static weft_status weft_copies_two(void *user, size_t n) { return weft_copies(user, n, 1); }

/* ---- Events: one queue waits for the other ------------------------------------------------------------ */

static cl_int raw_events(void *user, size_t n) {
    order *o = user;
    cl_int code = CL_SUCCESS;
    for (size_t i = 0; i < n && !code; i++) {
        cl_event point = NULL;
        code = clEnqueueMarkerWithWaitList(o->lanes[0].cl_queue, 0, NULL, &point);
        code = code ? code : clFlush(o->lanes[0].cl_queue);
        code = code ? code : clEnqueueBarrierWithWaitList(o->lanes[1].cl_queue, 1, &point, NULL);
        code = code ? code : clFlush(o->lanes[1].cl_queue);
        if (point) {
            clReleaseEvent(point);
        }
    }
    return code ? code : finish_both(o);
}

static weft_status weft_events(void *user, size_t n) {
    order *o = user;
    weft_status status = WEFT_OK;
    for (size_t i = 0; i < n && !status; i++) {
        status = weft_event_record(o->event, o->lanes[0].context);
        status = status ? status : weft_enqueue_wait_for_event(o->lanes[1].context, o->event);
    }
    return status ? status : synchronize_both(o);
}

/* ---- Launches: again and again, as a graph, from threads ---------------------------------------------- */

static cl_int raw_four(const order *o, cl_command_queue queue, cl_kernel kernel, size_t i) {
    const size_t size = BLOCK;
    cl_int n = (cl_int)(i & INT32_MAX);
    cl_float x = 1.0f;
    cl_uint u = (cl_uint)i;
    cl_int code = clSetKernelArg(kernel, 0, sizeof o->cl_buffer, &o->cl_buffer);
    code = code ? code : clSetKernelArg(kernel, 1, sizeof n, &n);
    code = code ? code : clSetKernelArg(kernel, 2, sizeof x, &x);
    code = code ? code : clSetKernelArg(kernel, 3, sizeof u, &u);
    return code ? code : clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &size, &size, 0, NULL, NULL);
}

static weft_status weft_four(const order *o, weft_context *context, weft_function *function, size_t i) {
    return weft_enqueue_function(context, function, 1, BLOCK, o->buffer, (int)(i & INT32_MAX), 1.0f, (unsigned)i);
}

static cl_int raw_sixteen(void *user, size_t n) {
    order *o = user;
    cl_int code = CL_SUCCESS;
    for (size_t i = 0; i < n * GRAPH_NODES && !code; i++) {
        code = raw_four(o, o->lanes[0].cl_queue, o->cl_four, i % GRAPH_NODES);
    }
    return code ? code : clFinish(o->lanes[0].cl_queue);
}

static weft_status weft_sixteen(void *user, size_t n) {
    order *o = user;
    weft_status status = WEFT_OK;
    for (size_t i = 0; i < n * GRAPH_NODES && !status; i++) {
        status = weft_four(o, o->lanes[0].context, o->four, i % GRAPH_NODES);
    }
    return status ? status : weft_synchronize(o->lanes[0].context);
}

static weft_status weft_graphs(void *user, size_t n) {
    order *o = user;
    weft_status status = WEFT_OK;
    for (size_t i = 0; i < n && !status; i++) {
        status = weft_enqueue_graph(o->lanes[0].context, o->graph);
    }
    return status ? status : weft_synchronize(o->lanes[0].context);
}

static void *raw_lane(void *argument) {
    lane *l = argument;
    l->code = CL_SUCCESS;
    for (size_t i = 0; i < l->n && !l->code; i++) {
        l->code = raw_four(l->order, l->cl_queue, l->cl_four, i);
    }
    l->code = l->code ? l->code : clFinish(l->cl_queue);
    return NULL;
}

static void *weft_lane(void *argument) {
    lane *l = argument;
    l->status = WEFT_OK;
    for (size_t i = 0; i < l->n && !l->status; i++) {
        l->status = weft_four(l->order, l->context, l->four, i);
    }
    l->status = l->status ? l->status : weft_synchronize(l->context);
    return NULL;
}

static bool run_lanes(order *o, size_t n, void *(*work)(void *)) {
    pthread_t threads[MAX_THREADS];
    size_t started = 0;
    for (; started < o->n_lanes; started++) {
        o->lanes[started].n = n;
        if (pthread_create(&threads[started], NULL, work, &o->lanes[started])) {
            break;
        }
    }
    for (size_t i = 0; i < started; i++) {
        pthread_join(threads[i], NULL);
    }
    return started == o->n_lanes;
}

static cl_int raw_threads(void *user, size_t n) {
    order *o = user;
    cl_int code = run_lanes(o, n, raw_lane) ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
    for (size_t i = 0; i < o->n_lanes && !code; i++) {
        code = o->lanes[i].code;
    }
    return code;
}

static weft_status weft_threads(void *user, size_t n) {
    order *o = user;
    weft_status status = run_lanes(o, n, weft_lane) ? WEFT_OK : WEFT_ERROR_OUT_OF_HOST_MEMORY;
    for (size_t i = 0; i < o->n_lanes && !status; i++) {
        status = o->lanes[i].status;
    }
    return status;
}

/* ---- The benchmark ------------------------------------------------------------------------------------ */

static cl_int raw_set_up_lanes(order *o) {
    const bench_device *device = &o->bench->device;
    cl_int code = CL_SUCCESS;
    for (size_t i = 0; i < o->n_lanes && !code; i++) {
        o->lanes[i].cl_queue = clCreateCommandQueue(device->cl_context, device->cl_device, 0, &code);
        if (!code) {
            o->lanes[i].cl_four = clCreateKernel(o->cl_program, "four", &code);
        }
    }
    return code;
}

static cl_int raw_set_up(order *o) {
    const bench_device *device = &o->bench->device;
    const char *text = source;
    cl_int code;
    o->cl_program = clCreateProgramWithSource(device->cl_context, 1, &text, NULL, &code);
    code = code ? code : clBuildProgram(o->cl_program, 1, &device->cl_device, "", NULL, NULL);
    if (!code) {
        o->cl_busy = clCreateKernel(o->cl_program, "busy", &code);
    }
    if (!code) {
        o->cl_four = clCreateKernel(o->cl_program, "four", &code);
    }
    if (!code) {
        o->cl_buffer = clCreateBuffer(device->cl_context, CL_MEM_READ_WRITE, BLOCK * sizeof(cl_float), NULL, &code);
    }
    if (!code) {
        o->cl_big = clCreateBuffer(device->cl_context, CL_MEM_READ_WRITE, o->copy_bytes, NULL, &code);
    }
    if (!code) {
        o->cl_pinned = clCreateBuffer(device->cl_context, CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, o->copy_bytes, NULL, &code);
    }
    if (!code) {
        o->cl_pinned_data = clEnqueueMapBuffer(device->cl_queue, o->cl_pinned, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, o->copy_bytes,
                                               0, NULL, NULL, &code);
    }
    if (!code) {
        memset(o->cl_pinned_data, 1, o->copy_bytes);
    }
    return code ? code : raw_set_up_lanes(o);
}

static weft_status weft_set_up_graph(order *o) {
    weft_context *context = o->lanes[0].context;
    weft_status status = weft_graph_begin(context);
    for (size_t i = 0; i < GRAPH_NODES && !status; i++) {
        status = weft_four(o, context, o->four, i);
    }
    return status ? status : weft_graph_end(context, &o->graph);
}

static weft_status weft_set_up(order *o) {
    weft_context *context = o->bench->device.context;
    weft_status status = weft_compile_function(context, source, "busy", NULL, &o->busy);
    status = status ? status : weft_compile_function(context, source, "four", NULL, &o->four);
    status = status ? status : weft_enqueue_create_buffer(context, WEFT_FLOAT32, BLOCK, &o->buffer);
    status = status ? status : weft_enqueue_create_buffer(context, WEFT_UINT8, o->copy_bytes, &o->big);
    status = status ? status : weft_enqueue_create_host_buffer(context, WEFT_UINT8, o->copy_bytes, &o->pinned);
    status = status ? status : weft_event_create(context, NULL, &o->event);
    for (size_t i = 0; i < o->n_lanes && !status; i++) {
        o->lanes[i].order = o;
        o->lanes[i].four = o->four;
        status = weft_context_create_stream(context, NULL, &o->lanes[i].context);
    }
    if (status) {
        return status;
    }
    memset(weft_host_buffer_data(o->pinned), 1, o->copy_bytes);
    return weft_set_up_graph(o);
}

static void raw_tear_down(order *o) {
    for (size_t i = 0; i < o->n_lanes; i++) {
        if (o->lanes[i].cl_four) {
            clReleaseKernel(o->lanes[i].cl_four);
        }
        if (o->lanes[i].cl_queue) {
            clReleaseCommandQueue(o->lanes[i].cl_queue);
        }
    }
    if (o->cl_pinned_data) {
        clEnqueueUnmapMemObject(o->bench->device.cl_queue, o->cl_pinned, o->cl_pinned_data, 0, NULL, NULL);
        clFinish(o->bench->device.cl_queue);
    }
    const cl_mem memories[] = {o->cl_buffer, o->cl_big, o->cl_pinned};
    for (size_t i = 0; i < sizeof memories / sizeof *memories; i++) {
        if (memories[i]) {
            clReleaseMemObject(memories[i]);
        }
    }
    const cl_kernel kernels[] = {o->cl_busy, o->cl_four};
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) {
        if (kernels[i]) {
            clReleaseKernel(kernels[i]);
        }
    }
    if (o->cl_program) {
        clReleaseProgram(o->cl_program);
    }
}

static void weft_tear_down(order *o) {
    weft_graph_release(o->graph);
    weft_event_release(o->event);
    weft_host_buffer_release(o->pinned);
    weft_device_buffer_release(o->big);
    weft_device_buffer_release(o->buffer);
    weft_function_release(o->four);
    weft_function_release(o->busy);
    for (size_t i = 0; i < o->n_lanes; i++) {
        weft_context_release(o->lanes[i].context);
    }
}

/* At least two lanes, for the cases with two queues. */
static size_t threads_to_run(void) {
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    return cores < 2 ? 2 : cores > MAX_THREADS ? MAX_THREADS : (size_t)cores;
}

void bench_order(bench *bench) {
    const weft_device_info *info = &bench->device.info;
    order o = {.bench = bench, .half_blocks = info->compute_units > 1 ? info->compute_units / 2 : 1, .n_lanes = threads_to_run(),
               .copy_bytes = strcmp(info->kind, "cpu") == 0 ? 8 << 20 : 64 << 20};
    const bench_case cases[] = {
        {"2 kernels of half the device, 1 queue", 0, &o, raw_kernels_one, weft_kernels_one},
        {"2 kernels of half the device, 2 queues", 0, &o, raw_kernels_two, weft_kernels_two},
        {"kernels and a pinned copy, 1 queue", 0, &o, raw_copies_one, weft_copies_one},
        {"kernels and a pinned copy, 2 queues", 0, &o, raw_copies_two, weft_copies_two},
        {"record an event, other queue waits", 0, &o, raw_events, weft_events},
        {"16 launches, enqueued again", 0, &o, raw_sixteen, weft_sixteen},
        {"16 launches, against a graph", 0, &o, raw_sixteen, weft_graphs},
        {"a launch on each of N threads", 0, &o, raw_threads, weft_threads},
    };
    cl_int code = raw_set_up(&o);
    if (code) {
        bench_fail_raw(bench, "setting up", code);
    } else if (weft_set_up(&o) != WEFT_OK) {
        bench_fail_weft(bench, "setting up");
    } else {
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
            bench_run(bench, &cases[i]);
        }
    }
    raw_tear_down(&o);
    weft_tear_down(&o);
}
