/* Launches of a few kernels whose results are easy to model, with views, structs, local memory and null buffers. Those
 * with two buffers run one thread, so that overlapping views have one right result. */
#include "operations.h"

static const char source[] =
    "typedef struct { int first; short second; } pair;\n"
    "kernel void add(global int *a, int k, uint n) { uint i = get_global_id(0); if (i < n) a[i] += k; }\n"
    "kernel void add_late(global uchar *a, int k, uint n) {\n" /* so that what does not wait is seen */
    "    for (volatile uint i = 0; i < 1000000; i++);\n"
    "    for (uint i = 0; i < n; i++) a[i] += k;\n"
    "}\n"
    "kernel void add_four(global int4 *a, int4 k, uint n) { uint i = get_global_id(0); if (i < n) a[i] += k; }\n"
    "kernel void chain(global uint *to, global const uint *from, uint n) {\n"
    "    for (uint i = 0; i < n; i++) to[i] = from[i] * 3 + i;\n"
    "}\n"
    "kernel void mix(global ushort *to, global const ushort *from, uint n) {\n"
    "    for (uint i = 0; i < n; i++) to[i] = from ? to[i] ^ from[i] : to[i] + 1;\n"
    "}\n"
    "kernel void stamp(global void *to, pair p, uint n) {\n"
    "    global char *bytes = to;\n"
    "    for (uint i = 0; i < n; i++) bytes[i] = p.first + p.second * (int)i;\n"
    "}\n"
    "kernel void reverse(global uchar *a, local uchar *scratch, uint n) {\n"
    "    uint i = get_local_id(0);\n"
    "    if (i < n) scratch[i] = a[i];\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    if (i < n) a[i] = scratch[n - 1 - i];\n"
    "}\n";

enum { ADD, ADD_LATE, ADD_FOUR, CHAIN, MIX, STAMP, REVERSE, KERNELS };
static const char *const names[KERNELS] = {"add", "add_late", "add_four", "chain", "mix", "stamp", "reverse"};
static const size_t element_bytes[KERNELS] = {4, 1, 16, 4, 2, 1, 1};

static weft_function *functions[DEVICES][KERNELS];

static bool accepts(unsigned kernel, weft_dtype dtype) {
    switch (kernel) {
        case ADD:
        case ADD_FOUR:
            return dtype == WEFT_INT32;
        case CHAIN:
            return dtype == WEFT_UINT32;
        case MIX:
            return dtype == WEFT_UINT16 || dtype == WEFT_FLOAT16 || dtype == WEFT_BFLOAT16;
        default:
            return true;
    }
}

typedef struct pair {
    int32_t first;
    int16_t second;
} pair;

typedef struct work {
    unsigned kernel;
    handle *to, *from; /* from: NULL when there is none, or a null buffer was passed */
    int32_t k[4];
    pair p;
    uint32_t n;
} work;

static faults buffer_faults(const scene *s, unsigned at, unsigned kernel, const handle *h) {
    return FAULT_IF(!h->refs || h->block->device != s->streams[at].device, WEFT_ERROR_INVALID_ARGUMENT) |
           FAULT_IF(h->refs && !accepts(kernel, h->dtype), WEFT_ERROR_TYPE_MISMATCH);
}

/* The launch works on an aligned copy of the view: the others may not overlap it then. */
static bool needs_copy(unsigned kernel, const handle *h) {
    size_t alignment = kernel == STAMP ? weft_dtype_size(h->dtype) : element_bytes[kernel];
    return h->length && h->offset_bytes % alignment;
}

static bool overlap(const handle *a, const handle *b) {
    return a->block == b->block && handle_bytes(a) && handle_bytes(b) && a->offset_bytes < b->offset_bytes + handle_bytes(b) &&
           b->offset_bytes < a->offset_bytes + handle_bytes(a);
}

/* ---- The model: what a kernel leaves ---------------------------------------------------------------- */

/* One element of a result; unknown when it comes from what is. */
static void update(cell *to, const cell *from, size_t bytes, uint32_t (*result)(uint32_t, const work *, uint32_t), const work *w,
                   uint32_t i) {
    uint32_t value = 0;
    if (from && !shadow_read(from, &value, bytes)) {
        shadow_forget(to, bytes);
        return;
    }
    value = result(value, w, i);
    shadow_write(to, &value, bytes);
}

static uint32_t added(uint32_t value, const work *w, uint32_t i) {
    return value + (uint32_t)w->k[w->kernel == ADD_FOUR ? i % 4 : 0];
}

static uint32_t chained(uint32_t value, const work *w, uint32_t i) {
    (void)w;
    return value * 3 + i;
}

static uint32_t next(uint32_t value, const work *w, uint32_t i) {
    (void)w, (void)i;
    return value + 1;
}

static uint32_t stamped(uint32_t value, const work *w, uint32_t i) {
    (void)value;
    return (uint32_t)w->p.first + (uint32_t)w->p.second * i;
}

static void model_mix(cell *to, const cell *from, const work *w) {
    for (uint32_t i = 0; i < w->n; i++, to += 2) {
        uint16_t a, b;
        if (!from) {
            update(to, to, 2, next, w, i);
        } else if (shadow_read(to, &a, 2) && shadow_read(from + i * 2, &b, 2)) {
            a ^= b;
            shadow_write(to, &a, 2);
        } else {
            shadow_forget(to, 2);
        }
    }
}

static void model_reverse(cell *a, uint32_t n) {
    for (uint32_t i = 0; i < n / 2; i++) {
        cell other = a[i];
        a[i] = a[n - 1 - i];
        a[n - 1 - i] = other;
    }
}

static void model(const work *w) {
    cell *to = handle_cells(w->to), *from = w->from ? handle_cells(w->from) : NULL;
    switch (w->kernel) {
        case MIX:
            model_mix(to, from, w);
            return;
        case REVERSE:
            model_reverse(to, w->n);
            return;
        case STAMP:
            for (uint32_t i = 0; i < w->n; i++) {
                update(to + i, NULL, 1, stamped, w, i);
            }
            return;
        default:
            for (uint32_t i = 0; i < w->n * (w->kernel == ADD_FOUR ? 4 : 1); i++) {
                size_t bytes = w->kernel == ADD_LATE ? 1 : 4;
                update(to + i * bytes, (from ? from : to) + i * bytes, bytes, w->kernel == CHAIN ? chained : added, w, i);
            }
    }
}

/* ---- The launch ----------------------------------------------------------------------------------- */

static weft_arg buffer_or_null(const handle *h) {
    return h ? weft_arg_from_buffer(h->device) : WEFT_NULL;
}

/* Fills the arguments of the kernel; returns how many. */
static size_t arguments(const work *w, weft_arg *out) {
    size_t n = 0;
    out[n++] = weft_arg_from_buffer(w->to->device);
    switch (w->kernel) {
        case ADD:
        case ADD_LATE:
            out[n++] = WEFT_ARG(w->k[0]);
            break;
        case ADD_FOUR:
            out[n++] = weft_arg_from_value(w->k, sizeof w->k, 16);
            break;
        case STAMP:
            out[n++] = WEFT_VALUE(w->p);
            break;
        case REVERSE:
            out[n++] = weft_shared_bytes(w->n);
            break;
        default:
            out[n++] = buffer_or_null(w->from);
    }
    out[n++] = WEFT_ARG(w->n);
    return n;
}

static work pick_work(scene *s) {
    work w = {.kernel = take(&s->in, KERNELS), .to = scene_pick_device(s)};
    w.from = w.kernel == CHAIN || w.kernel == MIX ? scene_pick_device(s) : NULL;
    if (w.kernel == MIX && take_rarely(&s->in, 4)) {
        w.from = NULL;
    }
    for (unsigned i = 0; i < 4; i++) {
        w.k[i] = (int32_t)(take_bits(&s->in, 2) * 65599);
    }
    memset(&w.p, 0xEE, sizeof w.p);
    w.p.first = w.k[0];
    w.p.second = (int16_t)w.k[1];
    if (w.to->refs) {
        size_t most = handle_bytes(w.to) / element_bytes[w.kernel];
        size_t other = w.from && w.from->refs ? handle_bytes(w.from) / element_bytes[w.kernel] : most;
        most = most < other ? most : other;
        most = most < 4096 ? most : 4096; /* a reverse is one block */
        w.n = (uint32_t)(take(&s->in, 2) ? most : take_byte(&s->in) % (most + 1));
    }
    return w;
}

void launch(scene *s) {
    unsigned at = scene_pick_stream(s);
    work w = pick_work(s);
    bool two = w.kernel == CHAIN || w.kernel == MIX;
    weft_arg args[3];
    size_t n_args = arguments(&w, args);
    bool by_one = two || w.kernel == STAMP || w.kernel == ADD_LATE, one_block = w.kernel == REVERSE;
    size_t block_size = by_one ? 1 : one_block ? w.n + !w.n : 1 + take(&s->in, 64);
    size_t blocks = by_one || one_block ? 1 : (w.n + block_size - 1) / block_size + !w.n;
    const weft_launch shape = {WEFT_DIM(blocks), WEFT_DIM(block_size)};
    faults expected = buffer_faults(s, at, w.kernel, w.to) | (w.from ? buffer_faults(s, at, w.kernel, w.from) : 0);
    if (!expected && w.from && overlap(w.to, w.from) && (needs_copy(w.kernel, w.to) || needs_copy(w.kernel, w.from))) {
        expected = UNSUPPORTED;
    }
    unsigned of = take_rarely(&s->in, 32) ? !s->streams[at].device : s->streams[at].device;
    expected |= FAULT_IF(of != s->streams[at].device, WEFT_ERROR_INVALID_ARGUMENT);
    if (!expected) {
        order_before(s, at, NULL, 0, w.to->block, true);
        if (w.from) {
            order_before(s, at, NULL, 0, w.from->block, false);
        }
    }
    weft_status status = weft_enqueue_function_args(s->streams[at].handle, functions[of][w.kernel], &shape, args, n_args);
    if (verdict(expected, status, names[w.kernel])) {
        order_command(s, at);
        order_used(s, at, w.to->block, true);
        if (w.from) {
            order_used(s, at, w.from->block, false);
        }
        model(&w);
    }
}

/* PoCL compiles the rest at the first launch. */
static void launch_once(unsigned device, unsigned kernel) {
    weft_context *context = scene_first[device];
    weft_device_buffer *buffer = NULL;
    weft_dtype dtype = kernel == CHAIN ? WEFT_UINT32 : kernel == MIX ? WEFT_UINT16 : WEFT_INT32;
    const weft_launch shape = {WEFT_DIM(1), WEFT_DIM(1)};
    MUST(weft_enqueue_create_buffer(context, dtype, 0, &buffer));
    handle to = {.device = buffer};
    work w = {.kernel = kernel, .to = &to, .from = kernel == CHAIN ? &to : NULL};
    weft_arg args[3];
    size_t n_args = arguments(&w, args);
    MUST(weft_enqueue_function_args(context, functions[device][kernel], &shape, args, n_args));
    MUST(weft_synchronize(context));
    weft_device_buffer_release(buffer);
}

void launches_compile(void) {
    for (unsigned d = 0; d < DEVICES; d++) {
        for (unsigned i = 0; i < KERNELS; i++) {
            MUST(weft_compile_function(scene_first[d], source, names[i], NULL, &functions[d][i]));
            launch_once(d, i);
        }
    }
}
