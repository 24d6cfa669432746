/* Launches kernels of many parameter types with every kind of argument and shape. Each is refused with the status that
 * the documentation gives, or leaves exactly what a model of the kernel leaves. */
#include "launch_args.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MOST_LAUNCHES = 40, MOST_THREADS = 1 << 14 };

static weft_context *contexts[2]; /* on two devices */
static weft_function *functions[LAUNCH_KERNELS], *function_elsewhere;
static const char *source;
static weft_device_buffer *root, *foreign;
static weft_device_info device;
static int64_t most_groups;

/* PoCL compiles the rest at the first launch. */
static void launch_nothing(const launch_kernel *kernel, weft_function *function) {
    static const uint8_t zeros[160];
    weft_arg args[MOST_PARAMS];
    for (size_t i = 0; i < kernel->n_params; i++) {
        const param_type *type = kernel->params[i];
        args[i] = type->kind == WEFT_PARAM_BUFFER   ? WEFT_NULL
                  : type->kind == WEFT_PARAM_SHARED ? weft_shared_bytes(0)
                  : type->kind == WEFT_PARAM_VALUE  ? weft_arg_from_value(zeros, type->size_bytes, type->alignment)
                  : type->base != OF_FLOAT          ? WEFT_ARG(0)
                  : type->size_bytes == 4           ? WEFT_ARG(0.0f)
                                                    : WEFT_ARG(0.0);
    }
    weft_dim block = kernel->required[0] ? WEFT_DIM(kernel->required[0], kernel->required[1], kernel->required[2]) : WEFT_DIM(1);
    MUST(weft_enqueue_function_args(contexts[0], function, &(weft_launch){WEFT_DIM(1), block}, args, kernel->n_params));
    MUST(weft_synchronize(contexts[0]));
}

int LLVMFuzzerInitialize(int *argc, char ***argv) {
    (void)argc, (void)argv;
    for (int i = 0; i < 2; i++) {
        MUST(weft_context_create(&(weft_context_options){.api = "any", .device_id = i}, &contexts[i]));
    }
    MUST(weft_device_get_info("any", 0, &device));
    MUST(weft_context_get_attribute(contexts[0], WEFT_DEVICE_MAX_GRID_DIM_X, &most_groups));
    source = launch_kernels_source();
    for (size_t i = 0; i < LAUNCH_KERNELS; i++) {
        MUST(weft_compile_function(contexts[0], source, launch_kernels[i].name, NULL, &functions[i]));
        launch_kernel_check(&launch_kernels[i], functions[i]);
        launch_nothing(&launch_kernels[i], functions[i]);
    }
    MUST(weft_compile_function(contexts[1], source, launch_kernels[0].name, NULL, &function_elsewhere));
    MUST(weft_enqueue_create_buffer(contexts[0], WEFT_UINT8, ROOT_BYTES, &root));
    MUST(weft_enqueue_create_buffer(contexts[1], WEFT_INT32, ROOT_BYTES, &foreign));
    return 0;
}

/* ---- The memory of one input ----------------------------------------------------------------------- */

static void arena_begin(arena *a, input *in) {
    uint8_t bytes[ROOT_BYTES];
    for (size_t i = 0; i < ROOT_BYTES; i++) {
        bytes[i] = (uint8_t)(i * 131 >> 3);
    }
    shadow_write(a->cells, bytes, ROOT_BYTES);
    MUST(weft_enqueue_copy(contexts[0], root, bytes));
    a->foreign = foreign;
    for (unsigned i = 0; i < VIEWS; i++) {
        view *v = &a->views[i];
        v->dtype = (weft_dtype)take(in, 12);
        /* Blocks of 1 KiB with room for what a kernel touches, some of them shared, half of them aligned to anything. */
        v->offset_bytes = (size_t)take(in, 6) * 1024 + (take(in, 2) ? take_byte(in) : 0);
        size_t element = weft_dtype_size(v->dtype), length = (RECORD_BYTES + take_byte(in)) / element;
        v->size_bytes = length * element;
        weft_device_buffer *from = NULL;
        MUST(weft_device_buffer_create_sub_buffer(root, WEFT_INT8, v->offset_bytes, v->size_bytes, &from));
        MUST(weft_device_buffer_create_sub_buffer(from, v->dtype, 0, length, &v->buffer));
        weft_device_buffer_release(from);
    }
}

static void arena_end(arena *a) {
    uint8_t bytes[ROOT_BYTES];
    MUST(weft_enqueue_copy(contexts[0], bytes, root));
    MUST(weft_synchronize(contexts[0]));
    shadow_check(a->cells, bytes, ROOT_BYTES, "memory after the launches");
    for (unsigned i = 0; i < VIEWS; i++) {
        weft_device_buffer_release(a->views[i].buffer);
    }
}

/* ---- The shape ------------------------------------------------------------------------------------- */

static size_t pick_size(input *in) {
    unsigned how = take_byte(in);
    return how >= 252 ? take_edge(in) : how >= 248 ? 0 : how >= 200 ? how : how >= 100 ? 1 : how % 8 + 1;
}

static weft_dim pick_dim(input *in) {
    weft_dim dim = WEFT_DIM(pick_size(in));
    if (take(in, 2)) {
        dim.y = pick_size(in);
        dim.z = pick_size(in);
    }
    return dim;
}

static long double volume(weft_dim dim) {
    return (long double)dim.x * (long double)dim.y * (long double)dim.z;
}

static faults shape_faults(const launch_kernel *kernel, weft_function *function, const weft_launch *launch) {
    const weft_dim *grid = &launch->grid_dim, *block = &launch->block_dim;
    int64_t most_threads = 0;
    MUST(weft_function_get_attribute(function, WEFT_FUNCTION_MAX_THREADS_PER_BLOCK, &most_threads));
    const size_t *most = device.max_block_dim;
    bool too_big = block->x > most[0] || block->y > most[1] || block->z > most[2] || volume(*block) > (long double)most_threads ||
                   volume(*block) > (long double)device.max_threads_per_block;
    bool other = kernel->required[0] &&
                 (block->x != kernel->required[0] || block->y != kernel->required[1] || block->z != kernel->required[2]);
    return FAULT_IF(volume(*grid) == 0 || volume(*block) == 0, WEFT_ERROR_INVALID_ARGUMENT) |
           FAULT_IF(too_big || other || volume(*grid) > (long double)most_groups, WEFT_ERROR_LAUNCH_LIMIT) |
           FAULT_IF(volume(*grid) * volume(*block) >= 0x1p64L, WEFT_ERROR_OUT_OF_RANGE);
}

/* ---- All arguments together ------------------------------------------------------------------------ */

static faults shared_faults(const launch_kernel *kernel, const given *given) {
    long double asked = (long double)kernel->static_bytes, most = (long double)device.max_shared_bytes, least = 0;
    for (size_t i = 0; i < kernel->n_params; i++) {
        if (kernel->params[i]->kind == WEFT_PARAM_SHARED && given[i].arg.kind == WEFT_ARG_SHARED) {
            asked += (long double)given[i].arg.size_bytes;
            least += 1 + (long double)kernel->params[i]->size_bytes; /* what may be rounded up to */
        }
    }
    return FAULT_IF(asked > most, WEFT_ERROR_LAUNCH_LIMIT) | FAULT_IF(asked + least > most && asked <= most, WEFT_OK) |
           FAULT_IF(asked + least > most, WEFT_ERROR_LAUNCH_LIMIT);
}

static bool share_a_byte(const view *a, size_t a_bytes, const view *b, size_t b_bytes) {
    return a->offset_bytes < b->offset_bytes + b_bytes && b->offset_bytes < a->offset_bytes + a_bytes;
}

/* Two arguments over the same bytes, where the kernel would see two memories. */
static faults overlap_faults(const launch_kernel *kernel, const given *given) {
    for (size_t i = 0; i < kernel->n_params; i++) {
        for (size_t j = 0; j < kernel->n_params; j++) {
            const view *a = given[i].view, *b = given[j].view;
            bool written = !kernel->params[i]->is_const || !kernel->params[j]->is_const;
            if (i != j && a && b && needs_stand_in(kernel->params[i], &given[i]) && written &&
                share_a_byte(a, a->size_bytes, b, b->size_bytes)) {
                return UNSUPPORTED;
            }
        }
    }
    return 0;
}

/* OpenCL C leaves open what such a launch does. */
static bool is_undefined(const launch_kernel *kernel, const given *given) {
    for (size_t i = 0; i < kernel->n_params; i++) {
        for (size_t j = 0; j < kernel->n_params; j++) {
            if (i != j && kernel->params[i]->alone && given[i].view && given[j].view &&
                share_a_byte(given[i].view, RECORD_BYTES, given[j].view, RECORD_BYTES)) {
                return true;
            }
        }
    }
    return false;
}

/* ---- What a launch leaves -------------------------------------------------------------------------- */

typedef struct record {
    cell *cells; /* NULL: nothing is recorded */
    size_t n;
} record;

static void put(record *r, const void *bytes, size_t size) {
    CHECK(r->n + size <= RECORD_BYTES, "a record is too long");
    if (r->cells) {
        shadow_write(r->cells + r->n, bytes, size);
    }
    r->n += size;
}

static void model_pointer(record *r, cell *there, const param_type *type) {
    uint8_t bytes[160], is_there = there != NULL;
    put(r, &is_there, 1);
    if (!there) {
        return;
    }
    CHECK(shadow_read(there, bytes, type->data_bytes), "the model reads unknown bytes");
    put(r, bytes, type->data_bytes);
    for (size_t i = 0; i < type->data_bytes && !type->is_const; i++) {
        there[i] ^= 0x5A;
    }
}

static void model(arena *a, const launch_kernel *kernel, const weft_launch *launch, const given *given) {
    const uint64_t shape[6] = {launch->grid_dim.x, launch->block_dim.x, launch->grid_dim.y,
                               launch->block_dim.y, launch->grid_dim.z, launch->block_dim.z};
    const view *out = kernel->n_params ? given[kernel->record].view : NULL;
    record r = {out ? a->cells + out->offset_bytes : NULL, 0};
    if (kernel->n_params) {
        put(&r, shape, sizeof shape);
    }
    for (size_t i = 0; i < kernel->n_params; i++) {
        const param_type *type = kernel->params[i];
        const view *v = given[i].view;
        if (i == kernel->record || type->kind == WEFT_PARAM_SHARED) {
            continue;
        }
        if (type->kind == WEFT_PARAM_BUFFER) {
            model_pointer(&r, v ? a->cells + v->offset_bytes : NULL, type);
        } else {
            put(&r, type->kind == WEFT_PARAM_VALUE ? given[i].data : (const void *)&given[i].arg.value, type->data_bytes);
        }
    }
}

/* ---- One launch ------------------------------------------------------------------------------------ */

/* Sets arguments aside: none, too few, too many, or all. */
static size_t pick_count(input *in, size_t n_params) {
    unsigned how = take(in, 64);
    return how == 63 ? n_params + 1 + take(in, 8) : how == 62 && n_params ? take_byte(in) % n_params : n_params;
}

static void launch_one(arena *a, input *in) {
    const launch_kernel *kernel = &launch_kernels[take(in, LAUNCH_KERNELS)];
    weft_function *function = functions[kernel - launch_kernels];
    given given[MOST_PARAMS + 9] = {0};
    weft_arg args[MOST_PARAMS + 9] = {0};
    weft_launch launch = {pick_dim(in), pick_dim(in)};
    if (kernel->required[0] && !take_rarely(in, 8)) {
        launch.block_dim = WEFT_DIM(kernel->required[0], kernel->required[1], kernel->required[2]);
    }
    size_t n_args = pick_count(in, kernel->n_params);
    faults expected = FAULT_IF(n_args != kernel->n_params, WEFT_ERROR_INVALID_ARGUMENT) | shape_faults(kernel, function, &launch);
    for (size_t i = 0; i < kernel->n_params; i++) {
        pick_arg(in, a, kernel->params[i], &given[i]);
        args[i] = given[i].arg;
        expected |= i < n_args ? arg_faults(kernel->params[i], &given[i]) : 0;
    }
    expected |= shared_faults(kernel, given);
    if (!(expected & ~FAULT(WEFT_OK))) {
        expected |= overlap_faults(kernel, given);
    }
    unsigned nothing = take_byte(in);
    bool elsewhere = nothing == 252, once = nothing % 16 == 7;
    expected |= FAULT_IF(nothing >= 253 || elsewhere || (nothing == 251 && n_args), WEFT_ERROR_INVALID_ARGUMENT);
    if (!(expected & ~FAULT(WEFT_OK))) {
        if (is_undefined(kernel, given)) {
            return;
        }
        if (volume(launch.grid_dim) * volume(launch.block_dim) > MOST_THREADS) {
            launch.grid_dim = WEFT_DIM(1);
        }
    }
    weft_context *context = nothing == 255 ? NULL : contexts[0];
    const weft_launch *shape = nothing == 254 ? NULL : &launch;
    const weft_arg *passed = nothing == 251 ? NULL : args;
    function = nothing == 253 ? NULL : elsewhere ? function_elsewhere : function;
    weft_status status = once ? weft_enqueue_function_once_args(context, source, kernel->name, shape, passed, n_args)
                              : weft_enqueue_function_args(context, function, shape, passed, n_args);
    if (verdict(expected, status, kernel->name)) {
        model(a, kernel, &launch, given);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    input in = {data, data + size};
    arena a;
    arena_begin(&a, &in);
    for (unsigned i = 0; i < MOST_LAUNCHES && in.at < in.end; i++) {
        launch_one(&a, &in);
    }
    arena_end(&a);
    return 0;
}
