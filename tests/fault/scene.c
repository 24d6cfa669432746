#include "scene.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>

kept kept_things;

const char kept_source[] =
    "typedef struct { int by; char more; } amount_t;\n"
    "kernel void square(global int *x) { int i = get_global_id(0); x[i] = i * i; }\n"
    "kernel void add(global const int *a, global const int *b, global int *c) {\n"
    "    int i = get_global_id(0);\n"
    "    c[i] = a[i] + b[i];\n"
    "}\n"
    "kernel void scale(global int *x, int by, float offset, amount_t amount, local int *scratch) {\n"
    "    int i = get_local_id(0);\n"
    "    scratch[i] = x[get_global_id(0)];\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    x[get_global_id(0)] = scratch[i] * by * amount.by + amount.more + (int)offset;\n"
    "}\n"
    "kernel void reverse(global int4 *x, global int *y) {\n"
    "    int i = get_global_id(0);\n"
    "    x[i] = x[i].wzyx + y[i];\n"
    "    y[i] = -1;\n"
    "}\n";

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* scenarios have threads */

void scene_problem(scene *s, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    pthread_mutex_lock(&lock);
    if (!*s->problem) {
        vsnprintf(s->problem, sizeof s->problem, format, arguments);
    }
    pthread_mutex_unlock(&lock);
    va_end(arguments);
}

void scene_own(scene *s, handle_kind kind, void *handle) {
    if (!handle || handle == s) {
        scene_problem(s, "a call succeeded and set no handle");
    } else if (s->n_handles == SCENE_HANDLES) {
        scene_problem(s, "a scene holds at most %d handles", SCENE_HANDLES);
    } else {
        s->handles[s->n_handles].kind = kind;
        s->handles[s->n_handles++].handle = handle;
    }
}

void scene_release_newest(scene *s) {
    void *handle = s->handles[--s->n_handles].handle;
    fault_during("release");
    switch (s->handles[s->n_handles].kind) {
        case HANDLE_CONTEXT:
            weft_context_release(handle);
            break;
        case HANDLE_DEVICE_BUFFER:
            weft_device_buffer_release(handle);
            break;
        case HANDLE_HOST_BUFFER:
            weft_host_buffer_release(handle);
            break;
        case HANDLE_PROGRAM:
            weft_program_release(handle);
            break;
        case HANDLE_FUNCTION:
            weft_function_release(handle);
            break;
        case HANDLE_EVENT:
            weft_event_release(handle);
            break;
        case HANDLE_GRAPH:
            weft_graph_release(handle);
            break;
    }
}

void scene_release_all(scene *s) {
    while (s->n_handles) {
        scene_release_newest(s);
    }
}

weft_status scene_returned(scene *s, weft_status status) {
    const weft_error *error = weft_last_error();
    if (!status) {
        return WEFT_OK;
    }
    pthread_mutex_lock(&lock);
    snprintf(s->message, sizeof s->message, "%s", error->message);
    s->cl_code = error->cl_code;
    pthread_mutex_unlock(&lock);
    if (error->status != status) {
        scene_problem(s, "the record says %s, the call %s", weft_status_name(error->status), weft_status_name(status));
    } else if (!*error->function || strncmp(error->message, error->function, strlen(error->function)) != 0 ||
               !error->message[strlen(error->function)] || strchr(error->message, '\n')) {
        scene_problem(s, "the message is not one line that starts with the function: \"%s\"", error->message);
    }
    return status;
}

weft_status scene_refused(scene *s, weft_status expected, weft_status status, const char *call) {
    if (!status) {
        scene_problem(s, "%s succeeded instead of %s", call, weft_status_name(expected));
    }
    return scene_returned(s, status) == expected ? WEFT_OK : status;
}

weft_status scene_synchronize(scene *s) {
    weft_context *const keep[] = {kept_things.context, kept_things.sibling, kept_things.other};
    for (size_t i = 0; i < sizeof keep / sizeof *keep && keep[i]; i++) {
        STEP(weft_synchronize(keep[i]));
    }
    for (unsigned i = 0; i < s->n_handles; i++) {
        if (s->handles[i].kind == HANDLE_CONTEXT) {
            STEP(weft_synchronize(s->handles[i].handle));
        }
    }
    return WEFT_OK;
}

static weft_status keep_function(scene *s, weft_program *program, const char *name, weft_function **out) {
    STEP(weft_program_function(program, name, out));
    return WEFT_OK;
}

weft_status scene_keep(scene *s) {
    kept *keep = &kept_things;
    weft_program *program;
    STEP(weft_context_create(&(weft_context_options){.api = "any"}, &keep->context));
    STEP(weft_context_create_stream(keep->context, NULL, &keep->sibling));
    STEP(weft_context_create(&(weft_context_options){.api = "any", .device_id = 1}, &keep->other));
    STEP(weft_compile_program(keep->context, kept_source, NULL, &program));
    STEP(keep_function(s, program, "square", &keep->square));
    STEP(keep_function(s, program, "add", &keep->add));
    STEP(keep_function(s, program, "scale", &keep->scale));
    STEP(keep_function(s, program, "reverse", &keep->reverse));
    weft_program_release(program);
    return WEFT_OK;
}

void scene_let_go(void) {
    weft_function_release(kept_things.square);
    weft_function_release(kept_things.add);
    weft_function_release(kept_things.scale);
    weft_function_release(kept_things.reverse);
    weft_context_release(kept_things.context);
    weft_context_release(kept_things.sibling);
    weft_context_release(kept_things.other);
    kept_things = (kept){0};
}
