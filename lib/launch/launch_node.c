/* Recorded launches. The arguments are set on a kernel object of the node's own, so that a run is one call. */
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "base/api.h"
#include "base/object.h"
#include "context/recording.h"
#include "launch/enqueue.h"
#include "launch/kept_args.h"

typedef struct launch_node {
    weft_function *function; /* held */
    geometry geometry;
    atomic_bool busy; /* guards what follows; held for one launch at most */
    bool plain;       /* the launch is one call of the driver's */
    kept_args *args;
    pthread_mutex_t changes; /* one change of an argument at a time; taken before busy */
} launch_node;

static inline void lock(launch_node *node) {
    while (atomic_exchange_explicit(&node->busy, true, memory_order_acquire)) {
        sched_yield();
    }
}

static inline void unlock(launch_node *node) {
    atomic_store_explicit(&node->busy, false, memory_order_release);
}

static bool is_plain(const launch_node *node) {
    const kept_args *args = node->args;
    return args->launched && !args->has_stand_ins && !args->addressed && !node->function->kernel->has_asserts;
}

static weft_status run_with_stand_ins(launch_node *node, weft_context *context) {
    kept_args *args = node->args;
    refcount_retain(&args->refs);
    unlock(node);
    weft_status status = launch_args(context, node->function, &node->geometry, args->args, node->function->kernel->n_params);
    kept_args_release(args);
    return status;
}

/* All that a launch may need. Unlocks the node. */
static __attribute__((cold, noinline)) weft_status run_carefully(launch_node *node, weft_context *context) {
    kernel *kernel = node->function->kernel;
    kept_args *args = node->args;
    if (args->has_stand_ins) {
        return run_with_stand_ins(node, context);
    }
    binding binding = kept_args_binding(args, context);
    weft_status status = context_check(context);
    status = status || !args->addressed ? status : kept_args_used_by(args, context);
    status = status ? status : launch_bound(&binding, &node->geometry);
    bool first = binding.launched && !args->launched;
    args->launched = args->launched || first;
    node->plain = is_plain(node);
    unlock(node);
    if (first) {
        atomic_store(&kernel->launched, true);
        context_first_launch(context);
    }
    return status;
}

/* Unlocks the node: to say why may take a wait for the queue. */
static __attribute__((cold, noinline)) weft_status refused(launch_node *node, weft_context *context, cl_int code) {
    const kernel *kernel = node->function->kernel;
    binding binding = kept_args_binding(node->args, context);
    weft_arg *args = malloc((kernel->n_params + 1) * sizeof *args);
    if (args) {
        memcpy(args, node->args->args, kernel->n_params * sizeof *args);
    }
    unlock(node);
    binding.args = args;
    weft_status status = args ? launch_refused(&binding, &node->geometry, code)
                              : driver_error(kernel->entry, "clEnqueueNDRangeKernel", code);
    free(args);
    return status;
}

static weft_status run(void *payload, weft_context *context) {
    launch_node *node = payload;
    lock(node);
    if (UNLIKELY(!node->plain || atomic_load_explicit(&context->attention, memory_order_relaxed))) {
        return run_carefully(node, context);
    }
    const kernel *kernel = node->function->kernel;
    const geometry *geometry = &node->geometry;
    cl_int code;
    context_launches(context, kernel->id, kernel->name);
    DRIVER(kernel->entry, code = clEnqueueNDRangeKernel(context->queue, node->args->cl, geometry->dimensions, NULL, geometry->global,
                                                        geometry->local, 0, NULL, NULL));
    if (UNLIKELY(code != CL_SUCCESS)) {
        return refused(node, context, code);
    }
    unlock(node);
    return WEFT_OK;
}

static void put(launch_node *node, kept_args *args) {
    lock(node);
    kept_args *before = node->args;
    args->launched = before->launched; /* then the driver has compiled what it needs */
    node->args = args;
    node->plain = is_plain(node);
    unlock(node);
    kept_args_release(before);
}

/* Sets all arguments on another kernel object. */
static weft_status rebuild_locked(launch_node *node, size_t index, const weft_arg *arg) {
    size_t n_args = node->function->kernel->n_params;
    weft_arg *args = malloc(n_args * sizeof *args);
    if (!args) {
        return error_host_memory(n_args * sizeof *args);
    }
    for (size_t i = 0; i < n_args; i++) {
        args[i] = i == index ? *arg : node->args->args[i];
    }
    kept_args *made = NULL;
    weft_status status = kept_args_create(node->function, args, n_args, &made);
    if (!status) {
        put(node, made);
    }
    free(args);
    return status;
}

static weft_status set_arg(void *payload, size_t index, const weft_arg *arg) {
    launch_node *node = payload;
    const kernel *kernel = node->function->kernel;
    if (index >= kernel->n_params) {
        return error_set(WEFT_ERROR_OUT_OF_RANGE, "index %zu is not below %zu, the number of kernel %s's parameters", index,
                         kernel->n_params, kernel->name);
    }
    weft_device_buffer *replaced = NULL;
    weft_status status;
    pthread_mutex_lock(&node->changes);
    if (kept_args_fit(node->args, index, arg)) {
        lock(node);
        status = kept_args_replace(node->args, index, arg, &replaced);
        unlock(node);
    } else {
        status = rebuild_locked(node, index, arg);
    }
    pthread_mutex_unlock(&node->changes);
    weft_device_buffer_release(replaced);
    return status;
}

static void destroy(void *payload) {
    launch_node *node = payload;
    kept_args_release(node->args);
    weft_function_release(node->function);
    pthread_mutex_destroy(&node->changes);
    free(node);
}

static const char *name(const void *payload) {
    return ((const launch_node *)payload)->function->kernel->name;
}

weft_status launch_node_record(weft_context *context, weft_function *function, const weft_launch *launch, const weft_arg *args,
                               size_t n_args) {
    static const node_ops ops = {
        .kind = "kernel", .name = name, .run = run, .set_arg = set_arg, .destroy = destroy, .one_command = true};
    geometry geometry;
    launch_node *node = NULL;
    weft_status status = geometry_of(function->kernel, launch, &geometry);
    status = status ? status : object_new(sizeof *node, &node);
    if (status) {
        return status;
    }
    node->geometry = geometry;
    pthread_mutex_init(&node->changes, NULL);
    node->function = weft_function_retain(function);
    TRY(kept_args_create(function, args, n_args, &node->args));
    return context_record(context, &ops, node);
cleanup:
    destroy(node);
    return status;
}
