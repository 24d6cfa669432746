#include "program/kernel.h"

#include <ctype.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "base/api.h"
#include "program/reserved.h"
#include "program/type_sizes.h"

weft_status kernel_create_object(const kernel *kernel, cl_kernel *out) {
    cl_int code = CL_SUCCESS;
    DRIVER(kernel->entry, *out = clCreateKernel(kernel->program, kernel->driver_name, &code));
    if (!*out) {
        return driver_error(kernel->entry, "clCreateKernel", code);
    }
    if (kernel->padded) {
        const cl_int unused = 0;
        DRIVER(kernel->entry, code = clSetKernelArg(*out, 0, sizeof unused, &unused));
    }
    if (code != CL_SUCCESS) {
        DRIVER(kernel->entry, clReleaseKernel(*out));
        *out = NULL; /* else the next launch takes it for good */
        return driver_error(kernel->entry, "clSetKernelArg", code);
    }
    return WEFT_OK;
}

uint32_t kernel_next_id(void) {
    static atomic_uint last;
    uint32_t id = atomic_fetch_add_explicit(&last, 1, memory_order_relaxed) + 1;
    return id ? id : kernel_next_id();
}

weft_status kernel_lock(kernel *kernel, kernel_slot **out) {
    weft_status held = driver_hold_exit(kernel->entry);
    if (UNLIKELY(held)) {
        return held;
    }
    for (;;) {
        for (size_t i = 0; i < KERNEL_SLOTS; i++) {
            kernel_slot *slot = &kernel->slots[i];
            if (!atomic_exchange_explicit(&slot->busy, true, memory_order_acquire)) {
                weft_status status = UNLIKELY(!slot->cl) ? kernel_create_object(kernel, &slot->cl) : WEFT_OK;
                if (status) {
                    kernel_unlock(kernel, slot);
                    return status;
                }
                *out = slot;
                return WEFT_OK;
            }
        }
        sched_yield(); /* more threads than slots launch this one kernel */
    }
}

/* Takes out what the driver puts before names that are its built-in functions' too. */
static void remove_prefix(char *text) {
    static const char prefix[] = "_cl_";
    for (char *at = text; (at = strstr(at, prefix));) {
        if (at == text || (!isalnum((unsigned char)at[-1]) && at[-1] != '_')) {
            memmove(at, at + sizeof prefix - 1, strlen(at + sizeof prefix - 1) + 1);
        } else {
            at++;
        }
    }
}

static char *param_text(const kernel *kernel, cl_kernel cl, cl_uint index, cl_kernel_arg_info what, cl_int *code) {
    size_t size = 0;
    char *out = NULL;
    DRIVER(kernel->entry, *code = clGetKernelArgInfo(cl, index, what, 0, NULL, &size));
    if (*code == CL_SUCCESS) {
        out = calloc(1, size + 1);
        *code = CL_OUT_OF_HOST_MEMORY;
    }
    if (out) {
        DRIVER(kernel->entry, *code = clGetKernelArgInfo(cl, index, what, size, out, NULL));
        if (kernel->entry->quirks & QUIRK_KERNEL_RENAMED) {
            remove_prefix(out);
        }
    }
    return out;
}

/* Images, samplers and pipes are opaque handles that weft has no argument for. */
static bool is_opaque(const char *type_name, cl_kernel_arg_access_qualifier access) {
    size_t length = strlen(type_name);
    return access != CL_KERNEL_ARG_ACCESS_NONE || strcmp(type_name, "sampler_t") == 0 ||
           (strncmp(type_name, "image", 5) == 0 && length > 7 && strcmp(type_name + length - 2, "_t") == 0) ||
           strncmp(type_name, "pipe", 4) == 0;
}

/* "global float4*" came as "float4*": what it points to, without qualifiers some drivers leave in. */
static type_info pointee_of(const char *type_name) {
    char name[128];
    size_t length = strcspn(type_name, "*");
    while (length && type_name[length - 1] == ' ') {
        length--;
    }
    if (length >= sizeof name) {
        return (type_info){.base = BASE_UNKNOWN};
    }
    memcpy(name, type_name, length);
    name[length] = '\0';
    return type_parse(name);
}

static weft_status reflect_param(const kernel *kernel, cl_kernel cl, cl_uint index, param *out) {
    const device_entry *entry = kernel->entry;
    out->index = index;
    cl_kernel_arg_address_qualifier space = CL_KERNEL_ARG_ADDRESS_PRIVATE;
    cl_kernel_arg_access_qualifier access = CL_KERNEL_ARG_ACCESS_NONE;
    cl_kernel_arg_type_qualifier qualifier = 0;
    cl_int codes[5];
    out->name = param_text(kernel, cl, index, CL_KERNEL_ARG_NAME, &codes[0]);
    out->type_name = param_text(kernel, cl, index, CL_KERNEL_ARG_TYPE_NAME, &codes[1]);
    DRIVER(entry, codes[2] = clGetKernelArgInfo(cl, index, CL_KERNEL_ARG_ADDRESS_QUALIFIER, sizeof space, &space, NULL));
    DRIVER(entry, codes[3] = clGetKernelArgInfo(cl, index, CL_KERNEL_ARG_ACCESS_QUALIFIER, sizeof access, &access, NULL));
    DRIVER(entry, codes[4] = clGetKernelArgInfo(cl, index, CL_KERNEL_ARG_TYPE_QUALIFIER, sizeof qualifier, &qualifier, NULL));
    for (size_t i = 0; i < 5; i++) {
        if (codes[i] == CL_KERNEL_ARG_INFO_NOT_AVAILABLE) {
            return error_set_cl(WEFT_ERROR_UNSUPPORTED, codes[i],
                                "device %s:%d says nothing of the parameters of kernel %s, so no launch of it could be checked",
                                entry->info.api, entry->info.id, kernel->name);
        }
        if (codes[i] != CL_SUCCESS) {
            return driver_error(entry, "clGetKernelArgInfo", codes[i]);
        }
    }
    out->is_const = qualifier & CL_KERNEL_ARG_TYPE_CONST;
    out->is_restrict = qualifier & CL_KERNEL_ARG_TYPE_RESTRICT;
    out->is_volatile = qualifier & CL_KERNEL_ARG_TYPE_VOLATILE;
    if (is_opaque(out->type_name, access)) {
        out->kind = WEFT_PARAM_UNSUPPORTED;
        out->space = WEFT_SPACE_GLOBAL;
        return WEFT_OK;
    }
    if (space == CL_KERNEL_ARG_ADDRESS_PRIVATE) {
        out->space = WEFT_SPACE_PRIVATE;
        out->type = type_parse(out->type_name);
        bool number = out->type.width == 1 && out->type.base != BASE_HALF;
        out->kind = number ? WEFT_PARAM_SCALAR : WEFT_PARAM_VALUE;
        return WEFT_OK;
    }
    out->type = pointee_of(out->type_name);
    out->space = space == CL_KERNEL_ARG_ADDRESS_LOCAL      ? WEFT_SPACE_LOCAL
                 : space == CL_KERNEL_ARG_ADDRESS_CONSTANT ? WEFT_SPACE_CONSTANT
                                                           : WEFT_SPACE_GLOBAL;
    out->kind = out->space == WEFT_SPACE_LOCAL ? WEFT_PARAM_SHARED : WEFT_PARAM_BUFFER;
    out->is_const = out->is_const || out->space == WEFT_SPACE_CONSTANT;
    return WEFT_OK;
}

static weft_status reflect_group(kernel *kernel, cl_kernel cl) {
    const device_entry *entry = kernel->entry;
    cl_ulong local = 0, private = 0;
    const struct {
        cl_kernel_work_group_info what;
        size_t size;
        void *out;
    } questions[] = {
        {CL_KERNEL_WORK_GROUP_SIZE, sizeof(size_t), &kernel->max_threads_per_block},
        {CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE, sizeof(size_t), &kernel->preferred_multiple},
        {CL_KERNEL_LOCAL_MEM_SIZE, sizeof local, &local},
        {CL_KERNEL_PRIVATE_MEM_SIZE, sizeof private, &private},
        {CL_KERNEL_COMPILE_WORK_GROUP_SIZE, sizeof kernel->required_block, kernel->required_block},
    };
    for (size_t i = 0; i < sizeof questions / sizeof *questions; i++) {
        cl_int code;
        DRIVER(entry, code = clGetKernelWorkGroupInfo(cl, entry->id, questions[i].what, questions[i].size, questions[i].out, NULL));
        if (code != CL_SUCCESS) {
            return driver_error(entry, "clGetKernelWorkGroupInfo", code);
        }
    }
    if (entry->quirks & QUIRK_KERNEL_BLOCK_LIES) {
        kernel->max_threads_per_block = entry->info.max_threads_per_block;
    }
    kernel->static_shared_bytes = entry->quirks & QUIRK_LOCAL_SIZE_DOUBLED ? local / 2 : local;
    kernel->most_shared_bytes = entry->info.max_shared_bytes;
    if (entry->quirks & QUIRK_LOCAL_SIZE_OF_ONE) {
        kernel->static_shared_bytes = local == 1 ? 0 : local;
        kernel->most_shared_bytes--;
    }
    kernel->private_bytes = private;
    return WEFT_OK;
}

void param_free(param *param) {
    free(param->name);
    free(param->type_name);
}

static void params_free(kernel *kernel) {
    for (size_t i = 0; i < kernel->n_params; i++) {
        param_free(&kernel->params[i]);
    }
    free(kernel->params);
    kernel->params = NULL;
    kernel->n_params = 0;
}

static weft_status reflect_params(kernel *kernel, cl_kernel cl, device *device, const char *type_text, const char *options) {
    cl_uint count = 0;
    cl_int code;
    weft_status status = WEFT_OK;
    DRIVER(kernel->entry, code = clGetKernelInfo(cl, CL_KERNEL_NUM_ARGS, sizeof count, &count, NULL));
    if (code != CL_SUCCESS) {
        return driver_error(kernel->entry, "clGetKernelInfo", code);
    }
    count = kernel->padded ? 0 : count;
    kernel->params = calloc(count ? count : 1, sizeof *kernel->params);
    if (!kernel->params) {
        return error_host_memory(count * sizeof *kernel->params);
    }
    kernel->n_params = count;
    for (cl_uint i = 0; i < count; i++) {
        TRY(reflect_param(kernel, cl, i, &kernel->params[i]));
    }
    reserved_fold(kernel);
    if (type_text) {
        TRY(type_sizes_resolve(kernel, device, type_text, options));
    }
cleanup:
    if (status) {
        params_free(kernel);
    }
    return status;
}

weft_status kernel_reflect(kernel *kernel, device *device, const char *type_text, const char *options) {
    kernel_slot *slot = NULL;
    weft_status status = kernel_lock(kernel, &slot);
    if (status) {
        return status;
    }
    if (!kernel->params) {
        TRY(reflect_params(kernel, slot->cl, device, type_text, options));
    }
    TRY(reflect_group(kernel, slot->cl));
    kernel->reflected = true;
cleanup:
    kernel_unlock(kernel, slot);
    return status;
}

void kernel_free_names(kernel *kernel) {
    params_free(kernel);
    free(kernel->driver_name);
}

void kernel_destroy(kernel *kernel) {
    for (size_t i = 0; i < KERNEL_SLOTS; i++) {
        if (kernel->slots[i].cl) {
            DRIVER(kernel->entry, clReleaseKernel(kernel->slots[i].cl));
        }
    }
    kernel_free_names(kernel);
}
