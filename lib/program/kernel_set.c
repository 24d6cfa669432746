#include "program/kernel_set.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/api.h"
#include "base/object.h"
#include "program/program.h"

/* What one device made of a set. */
struct weft_loaded {
    struct weft_loaded *next;
    device *device; /* held by the program */
    weft_program *program;
    weft_function *functions[]; /* one a name */
};

/* Guards the list of every set: it is held for a few instructions. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void loaded_free(struct weft_loaded *loaded, size_t count) {
    for (size_t i = 0; loaded && i < count; i++) {
        weft_function_release(loaded->functions[i]);
    }
    if (loaded) {
        weft_program_release(loaded->program);
        free(loaded);
    }
}

static struct weft_loaded *find_locked(const weft_kernel_set *set, const device *device) {
    struct weft_loaded *loaded = set->first;
    while (loaded && loaded->device != device) {
        loaded = loaded->next;
    }
    return loaded;
}

/* A reference to the function, if the device has compiled the set. */
static weft_function *find_function(const weft_kernel_set *set, const device *device, size_t index) {
    pthread_mutex_lock(&lock);
    struct weft_loaded *loaded = find_locked(set, device);
    weft_function *function = loaded ? weft_function_retain(loaded->functions[index]) : NULL;
    pthread_mutex_unlock(&lock);
    return function;
}

/* Threads that come here together share one build, and all but one drop their handles to it. */
static weft_status load(weft_kernel_set *set, weft_context *context) {
    const weft_compile_options options = {.cl_std = set->cl_std};
    struct weft_loaded *loaded = NULL;
    weft_status status = object_new(sizeof *loaded + set->count * sizeof *loaded->functions, &loaded);
    if (status) {
        return status;
    }
    loaded->device = context->device;
    TRY(program_compile(context, set->source, &options, &loaded->program));
    for (size_t i = 0; i < set->count; i++) {
        TRY(program_function(loaded->program, set->names[i], &loaded->functions[i]));
    }
    pthread_mutex_lock(&lock);
    if (!find_locked(set, loaded->device)) {
        loaded->next = set->first;
        set->first = loaded;
        loaded = NULL;
    }
    pthread_mutex_unlock(&lock);
cleanup:
    loaded_free(loaded, set->count);
    return status;
}

weft_status kernel_set_get(weft_kernel_set *set, weft_context *context, size_t index, weft_function **out) {
    if (!set || !context) {
        return error_null(set ? "context" : "set");
    }
    if (!set->source || (!set->names && set->count)) {
        return error_null(set->source ? "set->names" : "set->source");
    }
    if (index >= set->count) {
        return error_set(WEFT_ERROR_OUT_OF_RANGE, "index %zu is not below %zu, the number of kernels in the set", index, set->count);
    }
    weft_status status = WEFT_OK;
    while (!status && !(*out = find_function(set, context->device, index))) {
        status = load(set, context); /* another thread may unload before the next look */
    }
    return status;
}

WEFT_API weft_status weft_kernel_set_function(weft_kernel_set *set, weft_context *context, size_t index, weft_function **out) {
    if (out) {
        *out = NULL;
    }
    API_ENTER();
    if (!out) {
        return error_null("out");
    }
    return kernel_set_get(set, context, index, out);
}

WEFT_API void weft_kernel_set_unload(weft_kernel_set *set) {
    if (!set || API_IS_DOWN()) {
        return;
    }
    pthread_mutex_lock(&lock);
    struct weft_loaded *loaded = set->first;
    set->first = NULL;
    pthread_mutex_unlock(&lock);
    while (loaded) {
        struct weft_loaded *next = loaded->next;
        loaded_free(loaded, set->count);
        loaded = next;
    }
}
