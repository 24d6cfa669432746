/* Copies on one device. */
#include <string.h>

#include "base/api.h"
#include "base/arith.h"
#include "context/command.h"
#include "context/recording.h"
#include "transfer/captured.h"
#include "transfer/transfer.h"

/* Host-to-host copies pass through this much device memory at a time. */
enum { HOST_CHUNK = 16 << 20 };

region region_of_device_buffer(const weft_device_buffer *buffer) {
    return (region){.memory = buffer->memory, .offset_bytes = buffer->offset_bytes,
                    .size_bytes = buffer_bytes(buffer->length, buffer->dtype)};
}

region region_of_host_buffer(const weft_host_buffer *buffer) {
    char *data = buffer->memory->data; /* NULL when nothing was wrapped, and then no offset may be added */
    return (region){.host = buffer->memory, .data = data ? data + buffer->offset_bytes : NULL,
                    .size_bytes = buffer_bytes(buffer->length, buffer->dtype)};
}

weft_status transfer_taken(weft_context *context, const memory *memory, const char *call, cl_int code) {
    if (code == CL_SUCCESS) {
        return context_submitted(context);
    }
    weft_status status = context_suspect(context, call, code);
    return status ? status : memory_failed(memory, call, code);
}

unsigned transfer_pageable(const region *host_side) {
    return host_side->host && host_side->host->kind != HOST_WRAPPED ? 0 : COMMAND_PAGEABLE;
}

static weft_status write_captured(weft_context *context, region dst, region src) {
    captured *block = NULL;
    weft_status status = captured_new(context, dst.size_bytes, &block);
    if (status) {
        return status;
    }
    memcpy(block->data, src.data, dst.size_bytes);
    cl_int code = command_write(context, dst.memory->mem, dst.offset_bytes, dst.size_bytes, block->data, COMMAND_PAGEABLE);
    captured_used(block, code);
    return transfer_taken(context, dst.memory, "clEnqueueWriteBuffer", code);
}

/* Host to device. A host buffer's memory stays put, so its copy need not be waited for; the caller's own
 * memory is captured before the call returns. */
static weft_status write_device(weft_context *context, region dst, region src) {
    if (!src.host && host_func_is_running()) { /* the queue may wait for the function's */
        return write_captured(context, dst, src);
    }
    cl_int code = command_write(context, dst.memory->mem, dst.offset_bytes, dst.size_bytes, src.data,
                                (src.host ? 0u : COMMAND_BLOCKING) | transfer_pageable(&src));
    if (code == CL_SUCCESS && src.host) {
        host_memory_used(src.host, context);
    }
    return transfer_taken(context, dst.memory, "clEnqueueWriteBuffer", code);
}

static weft_status read_device(weft_context *context, region dst, region src) {
    cl_int code = command_read(context, src.memory->mem, src.offset_bytes, dst.size_bytes, dst.data, transfer_pageable(&dst));
    if (code == CL_SUCCESS && dst.host) {
        host_memory_used(dst.host, context);
    }
    return transfer_taken(context, src.memory, "clEnqueueReadBuffer", code);
}

static weft_status copy_device(weft_context *context, region dst, region src) {
    cl_int code = command_copy(context, dst.memory->mem, dst.offset_bytes, src.memory->mem, src.offset_bytes, dst.size_bytes);
    return transfer_taken(context, dst.memory, "clEnqueueCopyBuffer", code);
}

/* OpenCL refuses a copy whose regions overlap. */
static weft_status copy_overlapping(weft_context *context, region dst, region src) {
    memory *temporary = NULL;
    weft_status status = memory_create(context, dst.size_bytes, &temporary);
    if (status) {
        return status;
    }
    region between = {.memory = temporary, .size_bytes = dst.size_bytes};
    TRY(copy_device(context, between, src));
    TRY(copy_device(context, dst, between));
cleanup:
    memory_release(temporary);
    return status;
}

/* Host to host, in queue order: through device memory, since no driver command moves host bytes alone. Chunks go
 * in the direction that never overwrites what is still to be read. */
static weft_status copy_host(weft_context *context, region dst, region src) {
    memory *temporary = NULL;
    size_t size = dst.size_bytes, chunk = size_min(size, HOST_CHUNK);
    bool backwards = (uintptr_t)dst.data > (uintptr_t)src.data;
    weft_status status = memory_create(context, chunk, &temporary);
    if (status) {
        return status;
    }
    for (size_t done = 0; done < size; done += chunk) {
        size_t part = size_min(chunk, size - done), at = backwards ? size - done - part : done;
        region between = {.memory = temporary, .size_bytes = part};
        region from = {.host = src.host, .data = src.data + at, .size_bytes = part};
        region to = {.host = dst.host, .data = dst.data + at, .size_bytes = part};
        TRY(write_device(context, between, from));
        TRY(read_device(context, to, between));
    }
cleanup:
    memory_release(temporary);
    return status;
}

weft_status transfer_copy_here(weft_context *context, region dst, region src) {
    if (dst.memory && src.memory) {
        if (dst.memory != src.memory || !size_overlap(dst.offset_bytes, dst.size_bytes, src.offset_bytes, dst.size_bytes)) {
            return copy_device(context, dst, src);
        }
        return dst.offset_bytes == src.offset_bytes ? WEFT_OK : copy_overlapping(context, dst, src);
    }
    if (dst.memory) {
        return write_device(context, dst, src);
    }
    return src.memory ? read_device(context, dst, src) : copy_host(context, dst, src);
}

static bool elsewhere(const weft_context *context, const region *region) {
    return region->memory && region->memory->device != context->device;
}

weft_status transfer_copy(weft_context *context, region dst, region src) {
    weft_status status = context_check(context);
    if (UNLIKELY(status)) {
        return status;
    }
    return context_is_recording(context) ? copy_node_record(context, dst, src) : transfer_copy_now(context, dst, src);
}

weft_status transfer_copy_now(weft_context *context, region dst, region src) {
    weft_status status = context_check(context);
    if (status || dst.size_bytes == 0) {
        return status;
    }
    if (elsewhere(context, &dst) || elsewhere(context, &src)) {
        return transfer_across(context, dst, src);
    }
    order order;
    status = order_before(context, &dst, &src, &order);
    if (!status) {
        status = transfer_copy_here(context, dst, src);
    }
    status = order_after(context, &order, status);
    if (status && !dst.memory && !dst.host) {
        context_settle(context); /* a copy that fails after the driver took it must not write to the caller's memory later */
    }
    return status;
}
