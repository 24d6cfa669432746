/* Fills: any pattern at any offset, in device memory and in host buffers. */
#include <stdlib.h>
#include <string.h>

#include "base/api.h"
#include "base/arith.h"
#include "context/command.h"
#include "context/recording.h"
#include "transfer/transfer.h"

/* clEnqueueFillBuffer takes powers of two up to this. */
enum { DRIVER_PATTERN_BYTES = 128 };

/* A pattern the driver does not take is laid out once in a block of about this size, then doubled. */
enum { BLOCK_BYTES = 64 << 10 };

/* A host buffer is filled by copies out of a filled piece of device memory of about this size. */
enum { HOST_PIECE = 1 << 20 };

/* Where a driver's fill must end, when it counts bytes in 31 bits. */
#define FILL_END_BYTES ((size_t)1 << 31)

static bool is_power_of_two(size_t n) {
    return n && (n & (n - 1)) == 0;
}

/* The shortest power-of-two piece that the pattern repeats: zeros are one byte, whatever their type. */
static size_t shortest_period(const char *pattern, size_t pattern_bytes) {
    size_t period = pattern_bytes;
    while (period > 1 && period % 2 == 0 && memcmp(pattern, pattern + period / 2, period / 2) == 0) {
        period /= 2;
    }
    return period;
}

static weft_status fill_by_driver(weft_context *context, region dst, const void *pattern, size_t pattern_bytes) {
    cl_int code = command_fill(context, dst.memory->mem, dst.offset_bytes, dst.size_bytes, pattern, pattern_bytes);
    return code == CL_SUCCESS ? context_submitted(context) : memory_failed(dst.memory, "clEnqueueFillBuffer", code);
}

static bool driver_takes(const device_entry *entry, const region *dst, size_t pattern_bytes) {
    bool ends_well = !(entry->quirks & QUIRK_FILL_BELOW_2_GIB) || dst->offset_bytes + dst->size_bytes < FILL_END_BYTES;
    return is_power_of_two(pattern_bytes) && pattern_bytes <= DRIVER_PATTERN_BYTES && dst->offset_bytes % pattern_bytes == 0 &&
           ends_well;
}

/* Lays the pattern out on the host, writes that block, and doubles it on the device. */
static weft_status fill_by_doubling(weft_context *context, region dst, const char *pattern, size_t pattern_bytes) {
    size_t whole = size_max(BLOCK_BYTES / pattern_bytes, 1) * pattern_bytes;
    size_t filled = size_min(whole, dst.size_bytes);
    char *block = malloc(filled);
    if (!block) {
        return error_host_memory(filled);
    }
    for (size_t at = 0; at < filled; at++) {
        block[at] = pattern[at % pattern_bytes];
    }
    cl_int code = command_write(context, dst.memory->mem, dst.offset_bytes, filled, block, COMMAND_PAGEABLE);
    if (code != CL_SUCCESS) {
        free(block);
        return memory_failed(dst.memory, "clEnqueueWriteBuffer", code);
    }
    context_retire(context, filled, free, block);
    weft_status status = context_submitted(context);
    while (!status && filled < dst.size_bytes) {
        size_t part = size_min(filled, dst.size_bytes - filled);
        region from = {.memory = dst.memory, .offset_bytes = dst.offset_bytes, .size_bytes = part};
        region to = {.memory = dst.memory, .offset_bytes = dst.offset_bytes + filled, .size_bytes = part};
        status = transfer_copy_here(context, to, from);
        filled += part;
    }
    return status;
}

static weft_status fill_device(weft_context *context, region dst, const char *pattern, size_t pattern_bytes) {
    size_t period = shortest_period(pattern, pattern_bytes);
    if (driver_takes(context->device->entry, &dst, period)) {
        return fill_by_driver(context, dst, pattern, period);
    }
    return fill_by_doubling(context, dst, pattern, pattern_bytes);
}

static weft_status fill_host(weft_context *context, region dst, const char *pattern, size_t pattern_bytes) {
    size_t piece = size_min(HOST_PIECE / pattern_bytes * pattern_bytes, dst.size_bytes);
    memory *filled = NULL;
    weft_status status = memory_create(context, piece, &filled);
    if (status) {
        return status;
    }
    region from = {.memory = filled, .size_bytes = piece};
    TRY(fill_device(context, from, pattern, pattern_bytes));
    for (size_t at = 0; at < dst.size_bytes; at += piece) {
        region to = {.host = dst.host, .data = dst.data + at, .size_bytes = size_min(piece, dst.size_bytes - at)};
        TRY(transfer_copy_here(context, to, from));
    }
cleanup:
    memory_release(filled);
    return status;
}

weft_status transfer_fill(weft_context *context, region dst, const void *pattern, size_t pattern_bytes, size_t count) {
    weft_status status = context_check(context);
    if (UNLIKELY(status)) {
        return status;
    }
    return context_is_recording(context) ? fill_node_record(context, dst, pattern, pattern_bytes, count)
                                         : transfer_fill_now(context, dst, pattern, pattern_bytes, count);
}

weft_status transfer_fill_now(weft_context *context, region dst, const void *pattern, size_t pattern_bytes, size_t count) {
    weft_status status = context_check(context);
    dst.size_bytes = pattern_bytes * count;
    if (status || dst.size_bytes == 0) {
        return status;
    }
    return dst.memory ? fill_device(context, dst, pattern, pattern_bytes) : fill_host(context, dst, pattern, pattern_bytes);
}
