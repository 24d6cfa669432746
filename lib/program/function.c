/* What a function says of itself. */
#include <stdlib.h>
#include <string.h>

#include "base/api.h"
#include "base/arith.h"
#include "program/program.h"

/* Threads of a block when nothing asks for another number: full warps on every GPU, and enough of them to
 * hide latency. */
enum { USUAL_BLOCK = 256 };

WEFT_API weft_function *weft_function_retain(weft_function *function) {
    if (function) {
        refcount_retain(&function->refs);
    }
    return function;
}

WEFT_API void weft_function_release(weft_function *function) {
    if (function && !API_IS_DOWN() && refcount_release(&function->refs)) {
        weft_program_release(function->program);
        free(function);
    }
}

WEFT_API const char *weft_function_name(weft_function *function) {
    return function ? function->kernel->name : NULL;
}

WEFT_API size_t weft_function_arg_count(weft_function *function) {
    return function ? function->kernel->n_params : 0;
}

WEFT_API weft_status weft_function_arg_info(weft_function *function, size_t index, weft_arg_info *out) {
    if (out) {
        memset(out, 0, sizeof *out);
    }
    API_ENTER();
    if (!function || !out) {
        return error_null(function ? "out" : "function");
    }
    const kernel *kernel = function->kernel;
    if (index >= kernel->n_params) {
        return error_set(WEFT_ERROR_OUT_OF_RANGE, "index %zu is not below %zu, the number of %s's parameters", index,
                         kernel->n_params, kernel->name);
    }
    const param *param = &kernel->params[index];
    *out = (weft_arg_info){param->name,     param->type_name,   param->kind,        param->space,          param->is_const,
                           param->is_restrict, param->is_volatile, param->type.size_bytes, param->type.alignment,
                           param->tensor.rank, param->tensor.is_rows};
    return WEFT_OK;
}

WEFT_API weft_status weft_function_get_attribute(weft_function *function, weft_function_attribute attribute, int64_t *out) {
    if (out) {
        *out = 0;
    }
    API_ENTER();
    if (!function || !out) {
        return error_null(function ? "out" : "function");
    }
    const kernel *kernel = function->kernel;
    size_t shared = kernel->most_shared_bytes, value = 0;
    switch (attribute) {
        case WEFT_FUNCTION_MAX_THREADS_PER_BLOCK:
            value = kernel->max_threads_per_block;
            break;
        case WEFT_FUNCTION_SHARED_SIZE_BYTES:
            value = kernel->static_shared_bytes;
            break;
        case WEFT_FUNCTION_LOCAL_SIZE_BYTES:
            value = kernel->private_bytes;
            break;
        case WEFT_FUNCTION_MAX_DYNAMIC_SHARED_SIZE_BYTES:
            value = shared > kernel->static_shared_bytes ? shared - kernel->static_shared_bytes : 0;
            break;
        case WEFT_FUNCTION_PREFERRED_BLOCK_MULTIPLE:
            value = kernel->preferred_multiple;
            break;
        case WEFT_FUNCTION_REQUIRED_BLOCK_X:
        case WEFT_FUNCTION_REQUIRED_BLOCK_Y:
        case WEFT_FUNCTION_REQUIRED_BLOCK_Z:
            value = kernel->required_block[attribute - WEFT_FUNCTION_REQUIRED_BLOCK_X];
            break;
        default:
            return error_set(WEFT_ERROR_INVALID_ARGUMENT, "attribute %d is not a weft_function_attribute", (int)attribute);
    }
    *out = value > INT64_MAX ? INT64_MAX : (int64_t)value;
    return WEFT_OK;
}

static weft_dim good_block(const kernel *kernel, size_t threads) {
    if (kernel->required_block[0]) {
        return (weft_dim){kernel->required_block[0], kernel->required_block[1], kernel->required_block[2]};
    }
    const weft_device_info *info = &kernel->entry->info;
    size_t most = size_min(size_min(kernel->max_threads_per_block, info->max_threads_per_block), info->max_block_dim[0]);
    size_t block = size_max(size_min(USUAL_BLOCK, most), 1), step = kernel->preferred_multiple;
    if (step > 1 && step <= block) {
        block -= block % step;
    }
    return (weft_dim){size_min(block, threads), 1, 1};
}

WEFT_API weft_status weft_function_suggest_launch(weft_function *function, size_t threads, weft_dim *grid, weft_dim *block) {
    if (grid) {
        *grid = (weft_dim){0, 0, 0};
    }
    if (block) {
        *block = (weft_dim){0, 0, 0};
    }
    API_ENTER();
    if (!function || !grid || !block) {
        return error_null(!function ? "function" : !grid ? "grid" : "block");
    }
    if (threads == 0) {
        return error_set(WEFT_ERROR_INVALID_ARGUMENT, "threads is 0; a launch has at least 1");
    }
    const kernel *kernel = function->kernel;
    weft_dim good = good_block(kernel, threads);
    size_t size = good.x * good.y * good.z, blocks = threads / size + (threads % size != 0);
    if (blocks > kernel->entry->max_groups || blocks > kernel->entry->max_items / size) {
        return error_set(WEFT_ERROR_LAUNCH_LIMIT, "threads is %zu; a launch on device %s:%d has at most %llu blocks and %llu threads",
                         threads, kernel->entry->info.api, kernel->entry->info.id,
                         (unsigned long long)kernel->entry->max_groups, (unsigned long long)kernel->entry->max_items);
    }
    *block = good;
    *grid = (weft_dim){blocks, 1, 1};
    return WEFT_OK;
}
