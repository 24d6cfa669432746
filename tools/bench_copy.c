/* weft bench copy: moving bytes between host and device, inside the device, and filling them. */
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tool.h"

/* An operation that would take longer than this is left out, with all larger ones of its kind. */
#define PATIENCE_NS 1e9

/* The two sides hold six buffers of the largest size; the rest is for what drivers keep beside them. */
enum { BUFFERS_AT_ONCE = 8 };

static const size_t sizes[] = {(size_t)4 << 10, (size_t)64 << 10, (size_t)1 << 20, (size_t)16 << 20, (size_t)256 << 20};
enum { N_SIZES = sizeof sizes / sizeof *sizes };

/* Both sides' memory, of the largest size each, and what the operation at hand moves. */
typedef struct copy {
    weft_context *context;
    weft_device_buffer *a, *b;
    weft_host_buffer *pinned;
    cl_command_queue cl_queue;
    cl_mem cl_a, cl_b, cl_pinned;
    void *cl_pinned_data;
    void *pageable;

    size_t size, pattern_size;
    void *cl_host;         /* of a transfer: the raw side's host memory */
    weft_memory weft_host; /* and weft's */
    unsigned char word[4];
} copy;

/* ---- Operations ------------------------------------------------------------------------------------ */

/* Defines raw_NAME and weft_NAME: n operations, then a wait. */
#define OPERATION(name, raw_call, weft_call)                   \
    static cl_int raw_##name(void *user, size_t n) {           \
        copy *c = user;                                        \
        cl_int code = CL_SUCCESS;                              \
        for (size_t i = 0; i < n && !code; i++) {              \
            code = raw_call;                                   \
        }                                                      \
        return code ? code : clFinish(c->cl_queue);            \
    }                                                          \
    static weft_status weft_##name(void *user, size_t n) {     \
        copy *c = user;                                        \
        weft_status status = WEFT_OK;                          \
        for (size_t i = 0; i < n && !status; i++) {            \
            status = weft_call;                                \
        }                                                      \
        return status ? status : weft_synchronize(c->context); \
    }

OPERATION(to_device, clEnqueueWriteBuffer(c->cl_queue, c->cl_a, CL_FALSE, 0, c->size, c->cl_host, 0, NULL, NULL),
          weft_enqueue_copy_range(c->context, c->a, 0, c->weft_host, 0, c->size))

OPERATION(to_host, clEnqueueReadBuffer(c->cl_queue, c->cl_a, CL_FALSE, 0, c->size, c->cl_host, 0, NULL, NULL),
          weft_enqueue_copy_range(c->context, c->weft_host, 0, c->a, 0, c->size))

OPERATION(inside, clEnqueueCopyBuffer(c->cl_queue, c->cl_a, c->cl_b, 0, 0, c->size, 0, NULL, NULL),
          weft_enqueue_copy_range(c->context, c->b, 0, c->a, 0, c->size))

static const unsigned char pattern[16] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
OPERATION(fill, clEnqueueFillBuffer(c->cl_queue, c->cl_a, pattern, c->pattern_size, 0, c->size, 0, NULL, NULL),
          weft_enqueue_fill_bytes(c->a, 0, pattern, c->pattern_size, c->size / c->pattern_size))

static weft_status read_word(copy *c) {
    weft_status status = weft_enqueue_copy_range(c->context, c->word, 0, c->a, 0, sizeof c->word);
    return status ? status : weft_synchronize(c->context);
}
OPERATION(word, clEnqueueReadBuffer(c->cl_queue, c->cl_a, CL_TRUE, 0, sizeof c->word, c->word, 0, NULL, NULL), read_word(c))

/* ---- Memory ---------------------------------------------------------------------------------------- */

static cl_int raw_set_up(copy *c, const bench_device *device, size_t size) {
    static const cl_uchar zero = 0;
    cl_int code;
    c->cl_queue = device->cl_queue;
    c->cl_a = clCreateBuffer(device->cl_context, CL_MEM_READ_WRITE, size, NULL, &code);
    if (!code) {
        c->cl_b = clCreateBuffer(device->cl_context, CL_MEM_READ_WRITE, size, NULL, &code);
    }
    if (!code) {
        c->cl_pinned = clCreateBuffer(device->cl_context, CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, size, NULL, &code);
    }
    if (!code) {
        c->cl_pinned_data = clEnqueueMapBuffer(c->cl_queue, c->cl_pinned, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, size, 0,
                                               NULL, NULL, &code);
    }
    code = code ? code : clEnqueueFillBuffer(c->cl_queue, c->cl_a, &zero, sizeof zero, 0, size, 0, NULL, NULL);
    code = code ? code : clEnqueueFillBuffer(c->cl_queue, c->cl_b, &zero, sizeof zero, 0, size, 0, NULL, NULL);
    return code ? code : clFinish(c->cl_queue);
}

static weft_status weft_set_up(copy *c, const bench_device *device, size_t size) {
    c->context = device->context;
    weft_status status = weft_enqueue_create_buffer(c->context, WEFT_UINT8, size, &c->a);
    status = status ? status : weft_enqueue_create_buffer(c->context, WEFT_UINT8, size, &c->b);
    status = status ? status : weft_enqueue_create_host_buffer(c->context, WEFT_UINT8, size, &c->pinned);
    status = status ? status : weft_enqueue_fill(c->a, 0);
    status = status ? status : weft_enqueue_fill(c->b, 0);
    return status ? status : weft_synchronize(c->context);
}

/* Memory that was never written may be no memory yet, and reads of it too fast. */
static bool set_up(bench *bench, copy *c, size_t size) {
    c->pageable = malloc(size);
    cl_int code = c->pageable ? raw_set_up(c, &bench->device, size) : CL_OUT_OF_HOST_MEMORY;
    if (code) {
        bench_fail_raw(bench, "allocating", code);
        return false;
    }
    if (weft_set_up(c, &bench->device, size) != WEFT_OK) {
        bench_fail_weft(bench, "allocating");
        return false;
    }
    memset(c->pageable, 1, size);
    memset(c->cl_pinned_data, 1, size);
    memset(weft_host_buffer_data(c->pinned), 1, size);
    return true;
}

static void tear_down(copy *c) {
    if (c->cl_pinned_data) {
        clEnqueueUnmapMemObject(c->cl_queue, c->cl_pinned, c->cl_pinned_data, 0, NULL, NULL);
        clFinish(c->cl_queue);
    }
    cl_mem memories[] = {c->cl_a, c->cl_b, c->cl_pinned};
    for (size_t i = 0; i < sizeof memories / sizeof *memories; i++) {
        if (memories[i]) {
            clReleaseMemObject(memories[i]);
        }
    }
    weft_device_buffer_release(c->a);
    weft_device_buffer_release(c->b);
    weft_host_buffer_release(c->pinned);
    free(c->pageable);
}

/* ---- The benchmark --------------------------------------------------------------------------------- */

/* Measures an operation at every size from the smallest worth it up to the largest that there is memory for.
 * per_byte.bytes: how many bytes it reads and writes for one of its size. */
static void run_sizes(bench *bench, copy *c, const char *what, size_t smallest, size_t largest, bench_case per_byte) {
    char name[64], why[96];
    double ns = 0;
    bench_case measured = per_byte;
    measured.name = name;
    measured.user = c;
    for (size_t i = 0; i < N_SIZES; i++) {
        if (sizes[i] < smallest) {
            continue;
        }
        double expected = i ? ns * (double)sizes[i] / (double)sizes[i - 1] : 0;
        snprintf(name, sizeof name, "%s, %s", what, label_bytes(sizes[i]).text);
        if (sizes[i] > largest) {
            bench_skip(bench, name, "more than the device gives");
        } else if (expected > PATIENCE_NS) {
            snprintf(why, sizeof why, "one would take about %.0f s", expected / 1e9);
            bench_skip(bench, name, why);
            ns = expected;
        } else {
            c->size = sizes[i];
            measured.bytes = per_byte.bytes * sizes[i];
            ns = bench_run(bench, &measured);
        }
    }
}

static void run_transfers(bench *bench, copy *c, size_t largest) {
    const struct {
        const char *to_device, *to_host;
        void *cl_host;
        weft_memory weft_host;
    } kinds[] = {
        {"H2D pageable", "D2H pageable", c->pageable, weft_memory_from_pointer(c->pageable, WEFT_ANY_DTYPE, largest)},
        {"H2D pinned", "D2H pinned", c->cl_pinned_data, weft_memory_from_host_buffer(c->pinned)},
    };
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        c->cl_host = kinds[i].cl_host;
        c->weft_host = kinds[i].weft_host;
        run_sizes(bench, c, kinds[i].to_device, sizes[0], largest,
                  (bench_case){.bytes = 1, .raw = raw_to_device, .weft = weft_to_device});
        run_sizes(bench, c, kinds[i].to_host, sizes[0], largest,
                  (bench_case){.bytes = 1, .raw = raw_to_host, .weft = weft_to_host});
    }
}

static void run_fills(bench *bench, copy *c, size_t largest) {
    for (c->pattern_size = 1; c->pattern_size <= sizeof pattern; c->pattern_size *= 2) {
        char what[32];
        snprintf(what, sizeof what, "fill, pattern of %zu B", c->pattern_size);
        run_sizes(bench, c, what, (size_t)1 << 20, largest, (bench_case){.bytes = 1, .raw = raw_fill, .weft = weft_fill});
    }
}

/* The largest size that the device gives as one buffer and has room for. */
static size_t largest_size(const weft_device_info *info) {
    size_t i = N_SIZES - 1;
    while (i && (sizes[i] > info->max_allocation_bytes || sizes[i] > info->global_memory_bytes / BUFFERS_AT_ONCE)) {
        i--;
    }
    return sizes[i];
}

void bench_copy(bench *bench) {
    copy c = {0};
    size_t largest = largest_size(&bench->device.info);
    if (set_up(bench, &c, largest)) {
        run_transfers(bench, &c, largest);
        run_sizes(bench, &c, "device copy, read + write", sizes[0], largest,
                  (bench_case){.bytes = 2, .raw = raw_inside, .weft = weft_inside});
        run_fills(bench, &c, largest);
        bench_run(bench, &(bench_case){.name = "4-byte blocking read", .user = &c, .raw = raw_word, .weft = weft_word});
    }
    tear_down(&c);
}
