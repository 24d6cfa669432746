#include "launch/kept_args.h"

#include <stdlib.h>
#include <string.h>

#include "base/api.h"
#include "base/object.h"

binding kept_args_binding(const kept_args *kept, weft_context *context) {
    return (binding){.context = context,
                     .kernel = kept->function->kernel,
                     .device = kept->function->device,
                     .args = kept->args,
                     .cl = kept->cl,
                     .shared_bytes = kept->shared_bytes};
}

static weft_status copy_of(const void *data, size_t size_bytes, void **out) {
    *out = malloc(size_bytes);
    if (!*out) {
        return error_host_memory(size_bytes);
    }
    memcpy(*out, data, size_bytes);
    return WEFT_OK;
}

/* The argument has been checked. */
static weft_status keep(kept_args *kept, size_t i, const weft_arg *arg) {
    weft_arg own = *arg;
    weft_status status = WEFT_OK;
    if (arg->kind == WEFT_ARG_VALUE) {
        status = copy_of(arg->value.data, arg->size_bytes, &kept->storage[i]);
        own.value.data = kept->storage[i];
    } else if (arg->kind == WEFT_ARG_TENSOR) {
        status = copy_of(arg->value.tensor, sizeof *arg->value.tensor, &kept->storage[i]);
        own.value.tensor = kept->storage[i];
    }
    if (!status) {
        weft_device_buffer_retain(binding_buffer_of(&own));
        kept->args[i] = own;
    }
    return status;
}

/* Checks everything, and sets it where each launch need not do it anew. */
static weft_status set_all(kept_args *kept, const weft_arg *args, size_t n_args) {
    binding binding = kept_args_binding(kept, NULL);
    binding.args = args;
    binding.only_checks = true;
    weft_status status = binding_set(&binding, n_args);
    if (!status) {
        kept->shared_bytes = binding.shared_bytes;
        kept->has_stand_ins = binding.n_stand_ins;
        kept->addressed = binding.addressed;
        kept->n_addressed = binding.n_addressed;
        binding.addressed = NULL;
        binding.n_addressed = 0;
    }
    binding_finish(&binding);
    return status;
}

static weft_status create(kept_args *kept, const weft_arg *args, size_t n_args) {
    const kernel *kernel = kept->function->kernel;
    size_t room = kernel->n_params + 1; /* not 0 */
    weft_status status = kernel_create_object(kernel, &kept->cl);
    status = status ? status : set_all(kept, args, n_args);
    if (status) {
        return status;
    }
    kept->args = calloc(room, sizeof *kept->args);
    kept->storage = calloc(room, sizeof *kept->storage);
    if (!kept->args || !kept->storage) {
        return error_host_memory(room * sizeof *kept->args);
    }
    for (size_t i = 0; i < n_args && !status; i++) {
        status = keep(kept, i, &args[i]);
    }
    return status;
}

weft_status kept_args_create(weft_function *function, const weft_arg *args, size_t n_args, kept_args **out) {
    kept_args *kept = NULL;
    weft_status status = object_new(sizeof *kept, &kept);
    if (status) {
        return status;
    }
    refcount_init(&kept->refs);
    kept->function = function;
    TRY(driver_hold_exit(function->kernel->entry));
    status = create(kept, args, n_args);
    driver_let_exit(function->kernel->entry);
    TRY(status);
    *out = kept;
    kept = NULL;
cleanup:
    kept_args_release(kept);
    return status;
}

/* Drivers that take addresses are safe to call from any thread. */
static void release_object(void *what) {
    clReleaseMemObject(what);
}

static void let_go_of_addressed(kept_args *kept) {
    for (size_t i = 0; i < kept->n_addressed; i++) {
        for (size_t user = 0; user < kept->n_users; user++) {
            clRetainMemObject(kept->addressed[i]);
            context_retire(kept->users[user], 0, release_object, kept->addressed[i]);
        }
        release_object(kept->addressed[i]);
    }
    for (size_t user = 0; user < kept->n_users; user++) {
        context_release(kept->users[user]);
    }
    free(kept->addressed);
    free(kept->users);
}

void kept_args_release(kept_args *kept) {
    if (!kept || !refcount_release(&kept->refs)) {
        return;
    }
    let_go_of_addressed(kept);
    if (kept->cl) {
        DRIVER(kept->function->kernel->entry, clReleaseKernel(kept->cl));
    }
    for (size_t i = 0; kept->args && kept->storage && i < kept->function->kernel->n_params; i++) {
        weft_device_buffer_release(binding_buffer_of(&kept->args[i]));
        free(kept->storage[i]);
    }
    free(kept->args);
    free(kept->storage);
    free(kept);
}

bool kept_args_fit(const kept_args *kept, size_t index, const weft_arg *arg) {
    if (kept->has_stand_ins || kept->addressed) {
        return false;
    }
    switch (kept->function->kernel->params[index].kind) {
        case WEFT_PARAM_SCALAR:
            return true;
        case WEFT_PARAM_BUFFER:
            return arg->kind != WEFT_ARG_BUFFER || !arg->value.buffer || !arg->value.buffer->offset_bytes;
        default:
            return false;
    }
}

weft_status kept_args_replace(kept_args *kept, size_t index, const weft_arg *arg, weft_device_buffer **replaced) {
    const weft_arg before = kept->args[index];
    binding binding = kept_args_binding(kept, NULL);
    kept->args[index] = *arg;
    weft_status status = binding_set_one(&binding, index);
    if (status) {
        kept->args[index] = before;
        return status;
    }
    weft_device_buffer_retain(binding_buffer_of(arg));
    *replaced = binding_buffer_of(&before);
    return WEFT_OK;
}

weft_status kept_args_used_by(kept_args *kept, weft_context *context) {
    for (size_t i = 0; i < kept->n_users; i++) {
        if (kept->users[i] == context) {
            return WEFT_OK;
        }
    }
    if (kept->n_users == kept->room_for_users) {
        size_t room = 2 * kept->room_for_users + 2;
        weft_context **users = realloc(kept->users, room * sizeof *users);
        if (!users) {
            return error_host_memory(room * sizeof *users);
        }
        kept->users = users;
        kept->room_for_users = room;
    }
    kept->users[kept->n_users++] = context_retain(context);
    return WEFT_OK;
}
