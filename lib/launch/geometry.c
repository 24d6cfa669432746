#include "launch/geometry.h"

#include "base/api.h"
#include "base/arith.h"

static const char axis[] = "xyz";

static weft_status zero_dimension(const char *which, const size_t *sizes) {
    int i = sizes[0] == 0 ? 0 : sizes[1] == 0 ? 1 : 2;
    return error_set(WEFT_ERROR_INVALID_ARGUMENT, "%s.%c is 0 or negative; it must be a positive number", which, axis[i]);
}

/* Why a block of that many threads does not fit. */
static weft_status block_refused(const kernel *kernel, const size_t *block, size_t threads) {
    const weft_device_info *info = &kernel->entry->info;
    for (int i = 0; i < 3; i++) {
        if (block[i] > info->max_block_dim[i]) {
            return error_set(WEFT_ERROR_LAUNCH_LIMIT, "block_dim.%c is %zu; device %s:%d takes at most %zu", axis[i], block[i],
                             info->api, info->id, info->max_block_dim[i]);
        }
    }
    bool by_device = threads > info->max_threads_per_block;
    return error_set(WEFT_ERROR_LAUNCH_LIMIT, "block_dim (%zu, %zu, %zu) has %zu threads; %s %s takes at most %zu on device %s:%d",
                     block[0], block[1], block[2], threads, by_device ? "a block of" : "kernel",
                     by_device ? "any kernel" : kernel->name,
                     by_device ? info->max_threads_per_block : kernel->max_threads_per_block, info->api, info->id);
}

static weft_status check_required(const kernel *kernel, const size_t *block) {
    const size_t *required = kernel->required_block;
    if (block[0] != required[0] || block[1] != required[1] || block[2] != required[2]) {
        return error_set(WEFT_ERROR_LAUNCH_LIMIT, "block_dim is (%zu, %zu, %zu); kernel %s requires (%zu, %zu, %zu)", block[0],
                         block[1], block[2], kernel->name, required[0], required[1], required[2]);
    }
    return WEFT_OK;
}

/* What the driver computes right: some go wrong, or down, on more. */
static weft_status check_totals(const kernel *kernel, const size_t *grid, size_t threads) {
    const device_entry *entry = kernel->entry;
    size_t blocks, items;
    if (!size_multiply(grid[0], grid[1], &blocks) || !size_multiply(blocks, grid[2], &blocks) ||
        !size_multiply(blocks, threads, &items)) {
        return error_set(WEFT_ERROR_OUT_OF_RANGE, "grid_dim (%zu, %zu, %zu) times %zu threads a block is more than a size_t holds",
                         grid[0], grid[1], grid[2], threads);
    }
    if (blocks > entry->max_groups || items > entry->max_items) {
        bool by_blocks = blocks > entry->max_groups;
        return error_set(WEFT_ERROR_LAUNCH_LIMIT, "grid_dim (%zu, %zu, %zu) has %zu %s; the driver of device %s:%d computes at "
                                                  "most %llu in one launch", grid[0], grid[1], grid[2], by_blocks ? blocks : items,
                         by_blocks ? "blocks" : "threads", entry->info.api, entry->info.id,
                         (unsigned long long)(by_blocks ? entry->max_groups : entry->max_items));
    }
    return WEFT_OK;
}

weft_status geometry_of(const kernel *kernel, const weft_launch *launch, geometry *out) {
    const weft_device_info *info = &kernel->entry->info;
    const size_t grid[3] = {launch->grid_dim.x, launch->grid_dim.y, launch->grid_dim.z};
    const size_t block[3] = {launch->block_dim.x, launch->block_dim.y, launch->block_dim.z};
    if (UNLIKELY(!grid[0] || !grid[1] || !grid[2])) {
        return zero_dimension("grid_dim", grid);
    }
    if (UNLIKELY(!block[0] || !block[1] || !block[2])) {
        return zero_dimension("block_dim", block);
    }
    size_t threads = SIZE_MAX;
    bool small = block[0] <= info->max_block_dim[0] && block[1] <= info->max_block_dim[1] && block[2] <= info->max_block_dim[2] &&
                 size_multiply(block[0], block[1], &threads) && size_multiply(threads, block[2], &threads);
    if (UNLIKELY(!small || threads > kernel->max_threads_per_block || threads > info->max_threads_per_block)) {
        return block_refused(kernel, block, threads);
    }
    weft_status status = check_totals(kernel, grid, threads);
    if (!status && kernel->required_block[0]) {
        status = check_required(kernel, block);
    }
    if (UNLIKELY(status)) {
        return status;
    }
    for (int i = 0; i < 3; i++) {
        out->local[i] = block[i];
        out->global[i] = grid[i] * block[i];
    }
    out->dimensions = out->global[2] > 1 ? 3 : out->global[1] > 1 ? 2 : 1;
    return WEFT_OK;
}
