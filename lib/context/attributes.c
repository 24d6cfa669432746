/* The model's device attributes, answered from what discovery found. */
#include "base/api.h"
#include "context/context.h"

/* Blocks that fit one dimension when a block is one thread and the other dimensions are 1. */
static int64_t max_grid(const device_entry *entry) {
    uint64_t limit = entry->max_groups < entry->max_items ? entry->max_groups : entry->max_items;
    return limit > INT64_MAX ? INT64_MAX : (int64_t)limit;
}

/* -1: the device does not say; -2: no such attribute. */
static int64_t attribute_of(const device_entry *entry, weft_device_attribute attribute) {
    const weft_device_info *info = &entry->info;
    switch (attribute) {
        case WEFT_DEVICE_MAX_THREADS_PER_BLOCK:
            return (int64_t)info->max_threads_per_block;
        case WEFT_DEVICE_MAX_BLOCK_DIM_X:
        case WEFT_DEVICE_MAX_BLOCK_DIM_Y:
        case WEFT_DEVICE_MAX_BLOCK_DIM_Z:
            return (int64_t)info->max_block_dim[attribute - WEFT_DEVICE_MAX_BLOCK_DIM_X];
        case WEFT_DEVICE_MAX_GRID_DIM_X:
        case WEFT_DEVICE_MAX_GRID_DIM_Y:
        case WEFT_DEVICE_MAX_GRID_DIM_Z:
            return max_grid(entry);
        case WEFT_DEVICE_MAX_SHARED_MEMORY_PER_BLOCK:
        case WEFT_DEVICE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN:
        case WEFT_DEVICE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR:
            return (int64_t)info->max_shared_bytes;
        case WEFT_DEVICE_WARP_SIZE:
            return info->warp_size;
        case WEFT_DEVICE_MAX_REGISTERS_PER_BLOCK:
            return entry->registers_per_block ? (int64_t)entry->registers_per_block : -1;
        case WEFT_DEVICE_CLOCK_RATE:
            return (int64_t)info->clock_mhz * 1000;
        case WEFT_DEVICE_MULTIPROCESSOR_COUNT:
            return info->compute_units;
        case WEFT_DEVICE_INTEGRATED:
            return info->unified_memory;
        case WEFT_DEVICE_L2_CACHE_SIZE:
            return (int64_t)info->cache_bytes;
        case WEFT_DEVICE_COMPUTE_CAPABILITY_MAJOR:
            return entry->capability_major ? (int64_t)entry->capability_major : -1;
        case WEFT_DEVICE_COMPUTE_CAPABILITY_MINOR:
            return entry->capability_major ? (int64_t)entry->capability_minor : -1;
        case WEFT_DEVICE_COOPERATIVE_LAUNCH:
            return 0;
        case WEFT_DEVICE_MAX_ALLOCATION_BYTES:
            return (int64_t)info->max_allocation_bytes;
        case WEFT_DEVICE_PARALLELISM_LEVEL:
            return *info->kind == 'c' ? (int64_t)info->compute_units : -1;
    }
    return -2;
}

WEFT_API weft_status weft_context_get_attribute(weft_context *context, weft_device_attribute attribute, int64_t *out) {
    if (out) {
        *out = 0;
    }
    API_ENTER();
    if (!context || !out) {
        return error_null(context ? "out" : "context");
    }
    const device_entry *entry = context->device->entry;
    int64_t value = attribute_of(entry, attribute);
    if (value == -2) {
        return error_set(WEFT_ERROR_INVALID_ARGUMENT, "attribute %d is not a weft_device_attribute", (int)attribute);
    }
    if (value == -1) {
        return error_set(WEFT_ERROR_UNSUPPORTED, "attribute %d is not known for device %s:%d (%s)", (int)attribute,
                         entry->info.api, entry->info.id, entry->info.name);
    }
    *out = value;
    return WEFT_OK;
}
