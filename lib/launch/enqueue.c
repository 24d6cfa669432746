/* The launch itself. */
#include <string.h>

#include "base/api.h"
#include "base/arith.h"
#include "context/asserts.h"
#include "context/recording.h"
#include "context/traced.h"
#include "launch/enqueue.h"
#include "program/kernel_set.h"

/* All arguments together, as the device counts them. */
static size_t argument_bytes(const binding *binding) {
    size_t bytes = 0;
    for (size_t i = 0; i < binding->kernel->n_params; i++) {
        const param *param = &binding->kernel->params[i];
        bool by_value = param->kind == WEFT_PARAM_SCALAR || param->kind == WEFT_PARAM_VALUE;
        bytes += by_value ? size_max(param->type.size_bytes, binding->args[i].size_bytes) : sizeof(cl_mem);
        bytes += (2 * param->tensor.rank + (param->tensor.rank > 0)) * (param->tensor.is_narrow ? sizeof(cl_int) : sizeof(cl_long));
    }
    return bytes;
}

weft_status launch_refused(const binding *binding, const geometry *geometry, cl_int code) {
    const kernel *kernel = binding->kernel;
    const weft_device_info *info = &kernel->entry->info;
    bool too_big = code == CL_OUT_OF_RESOURCES || code == CL_INVALID_KERNEL_ARGS || code == CL_INVALID_WORK_GROUP_SIZE ||
                   code == CL_INVALID_WORK_ITEM_SIZE;
    if (code == CL_MEM_OBJECT_ALLOCATION_FAILURE) {
        return error_set_cl(WEFT_ERROR_OUT_OF_DEVICE_MEMORY, code,
                            "device %s:%d has no memory for the buffers passed to kernel %s: it has %zu bytes, weft holds %zu (%s)",
                            info->api, info->id, kernel->name, info->global_memory_bytes,
                            atomic_load_explicit(&binding->device->live_bytes, memory_order_relaxed), driver_code_name(code));
    }
    if (!too_big) {
        weft_status status = context_suspect(binding->context, "clEnqueueNDRangeKernel", code);
        return status ? status : driver_error(kernel->entry, "clEnqueueNDRangeKernel", code);
    }
    return error_set_cl(WEFT_ERROR_LAUNCH_LIMIT, code,
                        "the driver of device %s:%d refuses kernel %s with %s (%d): block (%zu, %zu, %zu), %zu bytes of dynamic and "
                        "%zu of static local memory (limit %zu), %zu bytes of arguments (reported limit %zu)", info->api, info->id,
                        kernel->name, driver_code_name(code), code, geometry->local[0], geometry->local[1], geometry->local[2],
                        binding->shared_bytes, kernel->static_shared_bytes, info->max_shared_bytes, argument_bytes(binding),
                        info->max_argument_bytes);
}

static size_t buffer_bytes_of(const binding *binding) {
    size_t bytes = 0;
    for (size_t i = 0; i < binding->kernel->n_params; i++) {
        const weft_device_buffer *buffer = binding_buffer_of(&binding->args[i]);
        bytes += buffer ? buffer_bytes(buffer->length, buffer->dtype) : 0;
    }
    return bytes;
}

/* The same on a context that is traced. */
static __attribute__((cold, noinline)) cl_int enqueue_traced(const binding *binding, const geometry *geometry) {
    cl_int code;
    traced traced = {0};
    cl_event *event = traced_begin(binding->context, &traced);
    DRIVER(binding->kernel->entry,
           code = clEnqueueNDRangeKernel(binding->context->queue, binding->cl, geometry->dimensions, NULL, geometry->global,
                                         geometry->local, 0, NULL, event));
    trace_slot slot = {0};
    if (traced.event && code == CL_SUCCESS) {
        slot = traced_take(binding->context, &traced, TRACE_KERNEL);
    }
    if (slot.record) {
        for (int i = 0; i < 3; i++) {
            slot.record->grid[i] = geometry->global[i] / geometry->local[i];
            slot.record->block[i] = geometry->local[i];
        }
        slot.record->bytes = buffer_bytes_of(binding);
        size_t length = strnlen(binding->kernel->name, TRACE_NAME_BYTES - 1);
        memcpy(slot.record->kernel, binding->kernel->name, length);
        slot.record->kernel[length] = '\0';
        trace_publish(slot);
    }
    return code;
}

static inline __attribute__((always_inline)) cl_int enqueue_kernel(const binding *binding, const geometry *geometry) {
    if (context_is_traced(binding->context)) {
        return enqueue_traced(binding, geometry);
    }
    cl_int code;
    DRIVER(binding->kernel->entry,
           code = clEnqueueNDRangeKernel(binding->context->queue, binding->cl, geometry->dimensions, NULL, geometry->global,
                                         geometry->local, 0, NULL, NULL));
    return code;
}

/* The same for a kernel with weft_assert. */
static __attribute__((cold, noinline)) weft_status enqueue_with_asserts(const binding *binding, const geometry *geometry, cl_int *code) {
    cl_mem record;
    weft_status status = asserts_begin(binding->context, binding->kernel->name, &record);
    if (status) {
        return status;
    }
    DRIVER(binding->kernel->entry, *code = clSetKernelArg(binding->cl, binding->kernel->asserts_index, sizeof record, &record));
    if (*code == CL_SUCCESS) {
        *code = enqueue_kernel(binding, geometry);
    } else {
        status = driver_error(binding->kernel->entry, "clSetKernelArg", *code);
    }
    asserts_end(binding->context, *code == CL_SUCCESS);
    return status;
}

static inline __attribute__((always_inline)) weft_status enqueue_bound(binding *binding, const geometry *geometry) {
    weft_status status = WEFT_OK;
    cl_int code;
    context_launches(binding->context, binding->kernel->id, binding->kernel->name);
    if (UNLIKELY(binding->n_stand_ins)) {
        TRY(binding_copy_in(binding));
    }
    if (UNLIKELY(binding->kernel->has_asserts)) {
        TRY(enqueue_with_asserts(binding, geometry, &code));
    } else {
        code = enqueue_kernel(binding, geometry);
    }
    if (UNLIKELY(code != CL_SUCCESS)) {
        TRY(launch_refused(binding, geometry, code));
    }
    binding->launched = true;
    if (UNLIKELY(binding->n_stand_ins)) {
        TRY(binding_copy_back(binding));
    }
cleanup:
    return status;
}

weft_status launch_bound(binding *binding, const geometry *geometry) {
    return enqueue_bound(binding, geometry);
}

static inline __attribute__((always_inline)) weft_status launch(weft_context *context, weft_function *function, const geometry *geometry,
                                                                const weft_arg *args, size_t n_args) {
    kernel_slot *slot;
    weft_status status = kernel_lock(function->kernel, &slot);
    if (UNLIKELY(status)) {
        return status;
    }
    binding binding = {.context = context, .kernel = function->kernel, .device = function->device, .args = args, .cl = slot->cl};
    status = binding_set(&binding, n_args);
    status = UNLIKELY(status) ? status : enqueue_bound(&binding, geometry);
    bool first = binding.launched && !slot->launched;
    slot->launched = slot->launched || first;
    kernel_unlock(function->kernel, slot);
    if (UNLIKELY(first)) {
        atomic_store(&function->kernel->launched, true);
        context_first_launch(context);
    }
    if (UNLIKELY(binding.stand_ins || binding.addressed)) {
        binding_finish(&binding);
    }
    return status;
}

weft_status launch_args(weft_context *context, weft_function *function, const geometry *geometry, const weft_arg *args, size_t n_args) {
    return launch(context, function, geometry, args, n_args);
}

/* What a context that is not as most are does with a launch; *done: that is all. */
static __attribute__((cold, noinline)) weft_status attend(weft_context *context, weft_function *function, const weft_launch *launch,
                                                          const weft_arg *args, size_t n_args, bool *done) {
    weft_status status = context_check(context);
    bool records = context_is_recording(context);
    *done = status || records;
    return status || !records ? status : launch_node_record(context, function, launch, args, n_args);
}

static weft_status enqueue(weft_context *context, weft_function *function, const weft_launch *asked, const weft_arg *args,
                           size_t n_args) {
    if (UNLIKELY(function->device != context->device)) {
        const weft_device_info *there = &function->device->entry->info, *here = &context->device->entry->info;
        return error_set(WEFT_ERROR_INVALID_ARGUMENT, "function %s was compiled for device %s:%d, context is on %s:%d",
                         function->kernel->name, there->api, there->id, here->api, here->id);
    }
    weft_status status;
    if (UNLIKELY(atomic_load_explicit(&context->attention, memory_order_relaxed))) {
        bool done;
        status = attend(context, function, asked, args, n_args, &done);
        if (done) {
            return status;
        }
    }
    geometry geometry;
    status = geometry_of(function->kernel, asked, &geometry);
    if (UNLIKELY(status)) {
        return status;
    }
    status = launch(context, function, &geometry, args, n_args);
    return UNLIKELY(status) ? status : context_submitted(context);
}

static weft_status check_operands(const void *context, const char *name, const void *function, const weft_launch *launch,
                                  const weft_arg *args, size_t n_args) {
    if (UNLIKELY(!context || !function || !launch || (!args && n_args))) {
        return error_null(!context ? "context" : !function ? name : !launch ? "launch" : "args");
    }
    return WEFT_OK;
}

WEFT_API weft_status weft_enqueue_function_args(weft_context *context, weft_function *function, const weft_launch *launch,
                                                const weft_arg *args, size_t n_args) {
    API_ENTER_AS("weft_enqueue_function");
    weft_status status = check_operands(context, "function", function, launch, args, n_args);
    return UNLIKELY(status) ? status : enqueue(context, function, launch, args, n_args);
}

WEFT_API weft_status weft_enqueue_function_once_args(weft_context *context, const char *source, const char *name,
                                                     const weft_launch *launch, const weft_arg *args, size_t n_args) {
    API_ENTER_AS("weft_enqueue_function_once");
    weft_status status = check_operands(context, source ? "name" : "source", source ? name : NULL, launch, args, n_args);
    if (status) {
        return status;
    }
    weft_program *program = NULL;
    weft_function *function = NULL;
    TRY(program_compile(context, source, NULL, &program));
    TRY(program_function(program, name, &function));
    TRY(enqueue(context, function, launch, args, n_args));
cleanup:
    weft_function_release(function);
    weft_program_release(program);
    return status;
}

WEFT_API weft_status weft_kernel_set_enqueue(weft_kernel_set *set, weft_context *context, size_t index, const weft_launch *launch,
                                             const weft_arg *args, size_t n_args) {
    API_ENTER();
    weft_function *function = NULL;
    weft_status status = check_operands(context, "set", set, launch, args, n_args);
    if (UNLIKELY(status)) {
        return status;
    }
    TRY(kernel_set_get(set, context, index, &function));
    TRY(enqueue(context, function, launch, args, n_args));
cleanup:
    weft_function_release(function);
    return status;
}
