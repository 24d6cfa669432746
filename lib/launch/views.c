#include "launch/views.h"

#include <stdlib.h>

#include "base/api.h"
#include "base/arith.h"

/* The view's sub-buffer, made once; NULL when the driver takes none there. */
static cl_mem sub_buffer(const device_entry *entry, weft_device_buffer *buffer) {
    cl_mem sub = atomic_load_explicit(&buffer->sub, memory_order_acquire);
    size_t size = buffer_bytes(buffer->length, buffer->dtype);
    if (sub || (buffer->offset_bytes % entry->info.view_alignment_bytes && !(entry->quirks & QUIRK_SUB_BUFFER_ANYWHERE))) {
        return sub;
    }
    const cl_buffer_region place = {buffer->offset_bytes, size};
    cl_int code;
    DRIVER(entry, sub = clCreateSubBuffer(buffer->memory->mem, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &place, &code));
    cl_mem other = NULL;
    if (sub && !atomic_compare_exchange_strong(&buffer->sub, &other, sub)) {
        DRIVER(entry, clReleaseMemObject(sub)); /* another thread was first */
        sub = other;
    }
    return sub;
}

static weft_status stand_in_for(binding *binding, weft_device_buffer *buffer, bool is_const, cl_mem *out) {
    if (!binding->stand_ins) {
        binding->stand_ins = calloc(binding->kernel->n_params, sizeof *binding->stand_ins);
        if (!binding->stand_ins) {
            return error_host_memory(binding->kernel->n_params * sizeof *binding->stand_ins);
        }
    }
    stand_in *stand_in = &binding->stand_ins[binding->n_stand_ins];
    stand_in->original = region_of_device_buffer(buffer);
    stand_in->copy_back = !is_const;
    if (binding->only_checks) {
        binding->n_stand_ins++;
        *out = buffer->memory->mem;
        return WEFT_OK;
    }
    weft_status status = memory_create(binding->context, stand_in->original.size_bytes, &stand_in->memory);
    if (!status) {
        binding->n_stand_ins++;
        *out = stand_in->memory->mem;
    }
    return status;
}

/* Sets the address itself, and keeps the memory for the launch: the driver's object alone, since weft's own holds
 * its context, which in turn holds what is retired. */
static weft_status set_address(binding *binding, size_t i, weft_device_buffer *buffer) {
    const kernel *kernel = binding->kernel;
    if (!binding->addressed) {
        binding->addressed = calloc(kernel->n_params, sizeof *binding->addressed);
        if (!binding->addressed) {
            return error_host_memory(kernel->n_params * sizeof *binding->addressed);
        }
    }
    cl_int code;
    DRIVER(kernel->entry, code = clSetKernelArgSVMPointer(binding->cl, kernel->params[i].index,
                                                          buffer->memory->host + buffer->offset_bytes));
    if (code != CL_SUCCESS) {
        return driver_error(kernel->entry, "clSetKernelArgSVMPointer", code);
    }
    DRIVER(kernel->entry, clRetainMemObject(buffer->memory->mem));
    binding->addressed[binding->n_addressed++] = buffer->memory->mem;
    return WEFT_OK;
}

weft_status view_argument(binding *binding, size_t i, weft_device_buffer *buffer, size_t alignment, cl_mem *out) {
    *out = NULL;
    if (buffer->length == 0) {
        *out = buffer->memory->mem; /* nothing there to touch */
        return WEFT_OK;
    }
    if (alignment && buffer->offset_bytes % alignment == 0) {
        *out = sub_buffer(binding->kernel->entry, buffer);
        if (*out) {
            return WEFT_OK;
        }
        if (buffer->memory->host) {
            return set_address(binding, i, buffer);
        }
    }
    return stand_in_for(binding, buffer, binding->kernel->params[i].is_const, out);
}

weft_status views_check_overlap(const binding *binding, size_t n_args) {
    const kernel *kernel = binding->kernel;
    for (size_t s = 0; s < binding->n_stand_ins; s++) {
        const stand_in *stand_in = &binding->stand_ins[s];
        size_t overlaps = 0;
        for (size_t i = 0; i < n_args; i++) {
            const weft_device_buffer *buffer = binding_buffer_of(&binding->args[i]);
            if (!buffer) {
                continue;
            }
            const region other = region_of_device_buffer(buffer);
            bool writes = stand_in->copy_back || !kernel->params[i].is_const;
            overlaps += writes && other.memory == stand_in->original.memory &&
                        size_overlap(other.offset_bytes, other.size_bytes, stand_in->original.offset_bytes,
                                     stand_in->original.size_bytes);
        }
        /* Its own argument is one of them when it is written. */
        if (overlaps > (stand_in->copy_back ? 1 : 0)) {
            return error_set(WEFT_ERROR_UNSUPPORTED, "kernel %s: arguments overlap at byte offset %zu, where device %s:%d cannot take "
                             "a view in place; copy one of them apart, or align the view to %zu bytes", kernel->name,
                             stand_in->original.offset_bytes, kernel->entry->info.api, kernel->entry->info.id,
                             kernel->entry->info.view_alignment_bytes);
        }
    }
    return WEFT_OK;
}

weft_status binding_copy_in(binding *binding) {
    weft_status status = WEFT_OK;
    for (size_t i = 0; i < binding->n_stand_ins && !status; i++) {
        const stand_in *stand_in = &binding->stand_ins[i];
        region copy = {.memory = stand_in->memory, .size_bytes = stand_in->original.size_bytes};
        status = transfer_copy_here(binding->context, copy, stand_in->original);
    }
    return status;
}

weft_status binding_copy_back(binding *binding) {
    weft_status status = WEFT_OK;
    for (size_t i = 0; i < binding->n_stand_ins && !status; i++) {
        const stand_in *stand_in = &binding->stand_ins[i];
        region copy = {.memory = stand_in->memory, .size_bytes = stand_in->original.size_bytes};
        if (stand_in->copy_back) {
            status = transfer_copy_here(binding->context, stand_in->original, copy);
        }
    }
    return status;
}

/* Drivers that take addresses are safe to call from any thread. */
static void release_object(void *what) {
    clReleaseMemObject(what);
}

void binding_finish(binding *binding) {
    for (size_t i = 0; i < binding->n_stand_ins; i++) {
        memory_release(binding->stand_ins[i].memory);
    }
    for (size_t i = 0; i < binding->n_addressed; i++) {
        if (binding->launched) {
            context_retire(binding->context, 0, release_object, binding->addressed[i]);
        } else {
            release_object(binding->addressed[i]);
        }
    }
    free(binding->stand_ins);
    free(binding->addressed);
}
