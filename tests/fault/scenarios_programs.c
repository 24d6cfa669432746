/* Compiling, and what programs say of themselves. */
#include <pthread.h>

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

/* The second compilation is remembered; several kernels of one program. */
static weft_status compile_again(scene *s) {
    weft_context *context;
    weft_program *program, *again;
    weft_function *add, *square;
    STEP(open_context(s, &context));
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

const scenario program_scenarios[] = {
    {"compile", compile, SLOW, NULL},
    {"compile_again", compile_again, SLOW, NULL},
    {"compile_error", compile_error, SLOW, NULL},
    {"compile_error_serial", compile_error, SLOW, SERIAL},
    {"compile_in_threads", compile_in_threads, SLOW, NULL},
    {"function_missing", function_missing, KEEPS, NULL},
    {NULL, NULL, 0, NULL},
};
