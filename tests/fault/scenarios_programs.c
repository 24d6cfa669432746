/* Compiling, and what programs say of themselves. */
#include <dirent.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "scene.h"

static weft_status open_context(scene *s, weft_context **out) {
    MAKE(*out, weft_context_create(&(weft_context_options){.api = "any"}, out));
    return WEFT_OK;
}

/* Defines, a header with a header, and a struct whose size only the compiler knows. */
static weft_status compile(scene *s) {
    static const char source[] = "#include <weft.clh>\n"
                                 "#include \"shape.h\"\n"
                                 "typedef float number_t;\n"
                                 "kernel void grow(global shape_t *shapes, shape_t by, number_t times,\n"
                                 "                 global const uint *n) {\n"
                                 "    shapes[get_global_id(0)].width += by.width * (int)times * WIDTH + (int)*n;\n"
                                 "}\n";
    static const char *const defines[] = {"WIDTH=2", "UNUSED"}, *const folders[] = {FAULT_DATA};
    const weft_compile_options options = {.source_name = "grow.cl", .defines = defines, .n_defines = 2,
                                          .include_dirs = folders, .n_include_dirs = 1, .fast_math = true};
    weft_context *context;
    weft_program *program;
    weft_function *grow;
    weft_arg_info info;
    int64_t threads;
    STEP(open_context(s, &context));
    MAKE(program, weft_compile_program(context, source, &options, &program));
    MAKE(grow, weft_program_function(program, "grow", &grow));
    STEP(weft_function_arg_info(grow, 1, &info));
    STEP(weft_function_get_attribute(grow, WEFT_FUNCTION_MAX_THREADS_PER_BLOCK, &threads));
    HOLDS(weft_program_function_count(program) == 1 && strcmp(weft_function_name(grow), "grow") == 0);
    HOLDS(strcmp(info.type_name, "shape_t") == 0 && threads > 0);
    HOLDS(!s->clean || (info.size_bytes == 8 && info.alignment == 4));
    return WEFT_OK;
}

/* Of a standard that some compilers take strictly. */
static weft_status compile_standard(scene *s) {
    static const char source[] = "#include <weft.clh>\nkernel void one(global int *x) { x[global_idx.x] = 1; }\n";
    const weft_compile_options options = {.cl_std = "CL1.2"};
    weft_context *context;
    weft_function *one;
    STEP(open_context(s, &context));
    MAKE(one, weft_compile_function(context, source, "one", &options, &one));
    HOLDS(weft_function_arg_count(one) == 1);
    return WEFT_OK;
}

/* The second compilation is remembered; several kernels of one program. */
static weft_status compile_again(scene *s) {
    weft_context *context;
    weft_program *program, *again;
    weft_function *add, *square;
    char *text;
    STEP(open_context(s, &context));
    STEP(weft_assemble_source(kept_source, NULL, &text));
    HOLDS(strcmp(text, kept_source) == 0);
    system_free(text);
    MAKE(program, weft_compile_program(context, kept_source, NULL, &program));
    MAKE(again, weft_compile_program(context, kept_source, NULL, &again));
    MAKE(add, weft_program_function(again, "add", &add));
    MAKE(square, weft_compile_function(context, kept_source, "square", NULL, &square));
    HOLDS(weft_function_arg_count(add) == 3);
    return WEFT_OK;
}

static weft_status compile_error(scene *s) {
    static const char wrong[] = "kernel void f(global int *x) { x[0] = y; }";
    static const char incomplete[] = "#include \"none.h\"\nkernel void f(global int *x) { x[0] = 0; }";
    weft_context *context;
    weft_program *program;
    STEP(open_context(s, &context));
    program = (void *)s;
    REFUSED(WEFT_ERROR_COMPILE_FAILED, weft_compile_program(context, wrong, NULL, &program));
    HOLDS(!program && (!s->clean || strstr(weft_last_build_log(), "y")));
    program = (void *)s;
    REFUSED(WEFT_ERROR_COMPILE_FAILED, weft_compile_program(context, incomplete, NULL, &program));
    HOLDS(!program);
    return WEFT_OK;
}

static weft_status function_missing(scene *s) {
    weft_function *function = (void *)s;
    REFUSED(WEFT_ERROR_FUNCTION_NOT_FOUND,
            weft_compile_function(kept_things.context, kept_source, "SQUARE", NULL, &function));
    HOLDS(!function && (!s->clean || strstr(weft_error_message(), "square")));
    return WEFT_OK;
}

/* Threads that want the same program at once: one compiles, and the others wait for it. */
enum { THREADS = 3 };

typedef struct compiler {
    scene *s;
    weft_context *context;
    weft_program *program;
    weft_status status;
} compiler;

static void *compile_in_thread(void *argument) {
    compiler *self = argument;
    scene *s = self->s;
    fault_during("weft_compile_program");
    self->status = scene_returned(s, weft_compile_program(self->context, kept_source, NULL, &self->program));
    HOLDS(!self->status == (self->program != NULL));
    return NULL;
}

static weft_status compile_in_threads(scene *s) {
    weft_context *context;
    pthread_t threads[THREADS];
    compiler compilers[THREADS];
    weft_status status = WEFT_OK;
    STEP(open_context(s, &context));
    for (int i = 0; i < THREADS; i++) {
        compilers[i] = (compiler){s, context, NULL, WEFT_OK};
        pthread_create(&threads[i], NULL, compile_in_thread, &compilers[i]);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        status = status ? status : compilers[i].status;
        weft_program_release(compilers[i].program);
    }
    return status;
}

/* ---- The disk cache ---------------------------------------------------------------------------------- */

static weft_status compile_and_run(scene *s) {
    static const char source[] = "typedef struct { int by; } step_t;\n"
                                 "kernel void step_all(global int *x, step_t step) { x[get_global_id(0)] += step.by; }\n";
    const struct { int32_t by; } step = {5};
    weft_context *context;
    weft_program *program;
    weft_function *step_all;
    weft_device_buffer *buffer;
    STEP(open_context(s, &context));
    MAKE(program, weft_compile_program(context, source, NULL, &program));
    MAKE(step_all, weft_program_function(program, "step_all", &step_all));
    MAKE(buffer, weft_enqueue_create_buffer(context, WEFT_INT32, N, &buffer));
    STEP(weft_enqueue_copy(context, buffer, s->in));
    STEP(weft_enqueue_function(context, step_all, N / 16, 16, buffer, WEFT_VALUE(step)));
    STEP(weft_enqueue_copy(context, s->out, buffer));
    STEP(weft_synchronize(context));
    for (int i = 0; i < N; i++) {
        if (s->out[i] != s->in[i] + 5) {
            HOLDS(!"the result");
            break;
        }
    }
    return WEFT_OK;
}

static void remove_cache(const char *folder) {
    char path[512];
    DIR *stream = opendir(folder);
    for (struct dirent *entry; stream && (entry = readdir(stream));) {
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        unlink(path);
    }
    if (stream) {
        closedir(stream);
    }
    rmdir(folder);
    setenv("WEFT_CACHE", "0", 1);
}

static bool count_entry(const weft_cache_entry *entry, void *user) {
    unsigned *whole = user;
    *whole += entry->whole && entry->device[0] && entry->kernels[0];
    return true;
}

/* What tools ask of it. */
static weft_status look_at_cache(scene *s) {
    static weft_cache_info info; /* too large for a stack */
    unsigned whole = 0;
    size_t removed;
    STEP(weft_cache_get_info(&info));
    STEP(weft_cache_visit(count_entry, &whole));
    HOLDS(!s->clean || (!info.why_not && info.count > 0 && whole == info.count));
    STEP(weft_cache_clear(&removed));
    HOLDS(!s->clean || removed == info.count);
    return WEFT_OK;
}

static weft_status with_cache(scene *s, bool warm, weft_status (*then)(scene *s)) {
    char folder[] = "/tmp/weft-fault-XXXXXX";
    weft_status status = WEFT_OK;
    HOLDS(mkdtemp(folder));
    setenv("WEFT_CACHE", "1", 1);
    setenv("WEFT_CACHE_DIR", folder, 1);
    if (warm) {
        fault_pause(true);
        status = compile_and_run(s);
        memset(s->out, 0, sizeof s->out);
        while (s->n_handles) {
            scene_release_newest(s);
        }
        fault_pause(false);
    }
    status = status ? status : then(s);
    remove_cache(folder);
    return status;
}

static weft_status cache_cold(scene *s) { return with_cache(s, false, compile_and_run); }
static weft_status cache_warm(scene *s) { return with_cache(s, true, compile_and_run); }
static weft_status cache_looked_at(scene *s) { return with_cache(s, true, look_at_cache); }

/* ---- Programs as bytes ------------------------------------------------------------------------------- */

typedef struct image {
    char bytes[1 << 18];
    size_t size;
} image;

static weft_status keep_bytes(void *user, const char *bytes, size_t size) {
    image *image = user;
    if (size > sizeof image->bytes) {
        return WEFT_ERROR_IO;
    }
    memcpy(image->bytes, bytes, size);
    image->size = size;
    return WEFT_OK;
}

static weft_status write_and_load(scene *s) {
    static image image;
    weft_program *program, *loaded;
    weft_function *square;
    MAKE(program, weft_compile_program(kept_things.context, kept_source, NULL, &program));
    STEP(weft_program_write_with(program, keep_bytes, &image));
    MAKE(loaded, weft_load_program(kept_things.context, image.bytes, image.size, &loaded));
    MAKE(square, weft_program_function(loaded, "square", &square));
    HOLDS(weft_function_arg_count(square) == weft_function_arg_count(kept_things.square));
    return WEFT_OK;
}

const scenario program_scenarios[] = {
    {"compile", compile, SLOW, NULL},
    {"compile_standard", compile_standard, SLOW, NVIDIA},
    {"compile_again", compile_again, SLOW, NULL},
    {"compile_error", compile_error, SLOW, NULL},
    {"compile_error_serial", compile_error, SLOW, SERIAL},
    {"compile_in_threads", compile_in_threads, SLOW, NULL},
    {"cache_cold", cache_cold, SLOW, NULL},
    {"cache_cold_gpu", cache_cold, SLOW, GPU},
    {"cache_warm", cache_warm, SLOW, NULL},
    {"cache_warm_gpu", cache_warm, SLOW, GPU},
    {"write_and_load", write_and_load, KEEPS, NULL},
    {"write_and_load_gpu", write_and_load, KEEPS, GPU},
    {"cache_looked_at", cache_looked_at, 0, NULL},
    {"function_missing", function_missing, KEEPS, NULL},
    {NULL, NULL, 0, NULL},
};
