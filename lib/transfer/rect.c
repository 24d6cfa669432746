/* Copies of boxes: rows and slices with pitches. */
#include "transfer/rect.h"

#include <stdlib.h>
#include <string.h>

#include "base/api.h"
#include "base/arith.h"
#include "context/recording.h"
#include "transfer/captured.h"

/* What passes through memory between two sides goes in pieces of about this size. */
enum { PIECE_BYTES = 16 << 20 };

typedef weft_status (*step)(weft_context *context, rect dst, rect src, command_extent extent);

static size_t tight_bytes(command_extent extent) {
    return extent.width_bytes * extent.height * extent.depth;
}

/* The bytes from the first to behind the last. */
static size_t span(const rect *rect, command_extent extent) {
    return (extent.depth - 1) * rect->slice_bytes + (extent.height - 1) * rect->row_bytes + extent.width_bytes;
}

static region spanned(const rect *rect, command_extent extent) {
    region whole = rect->at;
    whole.size_bytes = span(rect, extent);
    return whole;
}

static rect moved(rect from, size_t bytes) {
    if (from.at.memory) {
        from.at.offset_bytes += bytes;
    } else {
        from.at.data += bytes;
    }
    return from;
}

static rect tight(region at, command_extent extent) {
    return (rect){at, extent.width_bytes, extent.width_bytes * extent.height};
}

/* Rows and slices without gaps become longer rows; what is left out has one row, one slice. */
static void fold(rect *dst, rect *src, command_extent *extent) {
    if (extent->height == 1) { /* slices of one row are the rows */
        *extent = (command_extent){extent->width_bytes, extent->depth, 1};
        dst->row_bytes = dst->slice_bytes;
        src->row_bytes = src->slice_bytes;
    } else if (dst->row_bytes == extent->width_bytes && src->row_bytes == extent->width_bytes) {
        *extent = (command_extent){extent->width_bytes * extent->height, extent->depth, 1};
        dst->row_bytes = dst->slice_bytes;
        src->row_bytes = src->slice_bytes;
    }
    if (extent->depth == 1) {
        dst->slice_bytes = dst->row_bytes * extent->height;
        src->slice_bytes = src->row_bytes * extent->height;
    }
}

static bool is_line(const rect *dst, const rect *src, command_extent extent) {
    bool rows = dst->row_bytes == extent.width_bytes && src->row_bytes == extent.width_bytes;
    return extent.depth == 1 && (extent.height == 1 || rows);
}

/* ---- In pieces ----------------------------------------------------------------------------------------- */

static weft_status each_group_of_rows(weft_context *context, rect dst, rect src, command_extent extent, step step) {
    size_t rows = size_max(PIECE_BYTES / extent.width_bytes, 1);
    weft_status status = WEFT_OK;
    for (size_t y = 0; y < extent.height && !status; y += rows) {
        const command_extent piece = {extent.width_bytes, size_min(rows, extent.height - y), 1};
        status = step(context, moved(dst, y * dst.row_bytes), moved(src, y * src.row_bytes), piece);
    }
    return status;
}

static weft_status each_piece(weft_context *context, rect dst, rect src, command_extent extent, step step) {
    size_t slice = extent.width_bytes * extent.height, slices = PIECE_BYTES / slice;
    weft_status status = WEFT_OK;
    for (size_t z = 0; z < extent.depth && !status; z += size_max(slices, 1)) {
        rect to = moved(dst, z * dst.slice_bytes), from = moved(src, z * src.slice_bytes);
        const command_extent piece = {extent.width_bytes, extent.height, size_min(slices, extent.depth - z)};
        status = slices ? step(context, to, from, piece) : each_group_of_rows(context, to, from, extent, step);
    }
    return status;
}

/* ---- On one device --------------------------------------------------------------------------------------- */

static command_pitch pitch_of(const rect *rect) {
    return (command_pitch){rect->at.memory ? rect->at.offset_bytes : 0, rect->row_bytes, rect->slice_bytes};
}

static weft_status write_captured(weft_context *context, rect dst, rect src, command_extent extent) {
    captured *block = NULL;
    weft_status status = captured_new(context, tight_bytes(extent), &block);
    if (status) {
        return status;
    }
    char *to = block->data;
    for (size_t z = 0; z < extent.depth; z++) {
        for (size_t y = 0; y < extent.height; y++, to += extent.width_bytes) {
            memcpy(to, src.at.data + z * src.slice_bytes + y * src.row_bytes, extent.width_bytes);
        }
    }
    const rect packed = tight((region){.data = block->data}, extent);
    cl_int code = command_write_rect(context, dst.at.memory->mem, pitch_of(&dst), block->data, pitch_of(&packed), extent,
                                     COMMAND_PAGEABLE);
    captured_used(block, code);
    return transfer_taken(context, dst.at.memory, "clEnqueueWriteBufferRect", code);
}

static weft_status through_device(weft_context *context, rect dst, rect src, command_extent extent);

/* One command. As for lines, the caller's own memory is captured before the call returns. */
static weft_status one_command(weft_context *context, rect dst, rect src, command_extent extent) {
    if (dst.at.memory && src.at.memory) {
        cl_int code = command_copy_rect(context, dst.at.memory->mem, pitch_of(&dst), src.at.memory->mem, pitch_of(&src), extent);
        /* PoCL 3.1 refuses many boxes of one buffer that do not overlap. */
        return code == CL_MEM_COPY_OVERLAP ? through_device(context, dst, src, extent)
                                           : transfer_taken(context, dst.at.memory, "clEnqueueCopyBufferRect", code);
    }
    if (dst.at.memory && !src.at.host && host_func_is_running()) {
        return write_captured(context, dst, src, extent);
    }
    memory *memory = dst.at.memory ? dst.at.memory : src.at.memory;
    host_memory *host = dst.at.memory ? src.at.host : dst.at.host;
    unsigned how = transfer_pageable(dst.at.memory ? &src.at : &dst.at);
    cl_int code;
    if (dst.at.memory) {
        how |= host ? 0u : COMMAND_BLOCKING;
        code = command_write_rect(context, memory->mem, pitch_of(&dst), src.at.data, pitch_of(&src), extent, how);
    } else {
        code = command_read_rect(context, memory->mem, pitch_of(&src), dst.at.data, pitch_of(&dst), extent, how);
    }
    if (code == CL_SUCCESS && host) {
        host_memory_used(host, context);
    }
    return transfer_taken(context, memory, dst.at.memory ? "clEnqueueWriteBufferRect" : "clEnqueueReadBufferRect", code);
}

/* OpenCL wants slices a whole number of rows apart. */
static weft_status commands(weft_context *context, rect dst, rect src, command_extent extent) {
    if (dst.slice_bytes % dst.row_bytes == 0 && src.slice_bytes % src.row_bytes == 0) {
        return one_command(context, dst, src, extent);
    }
    const command_extent slice = {extent.width_bytes, extent.height, 1};
    weft_status status = WEFT_OK;
    for (size_t z = 0; z < extent.depth && !status; z++) {
        rect to = moved(dst, z * dst.slice_bytes), from = moved(src, z * src.slice_bytes);
        to.slice_bytes = to.row_bytes * extent.height;
        from.slice_bytes = from.row_bytes * extent.height;
        status = one_command(context, to, from, slice);
    }
    return status;
}

/* All at once, so that nothing is written before everything has been read. */
static weft_status through_device(weft_context *context, rect dst, rect src, command_extent extent) {
    memory *temporary = NULL;
    weft_status status = memory_create(context, tight_bytes(extent), &temporary);
    if (status) {
        return status;
    }
    const rect between = tight((region){.memory = temporary, .size_bytes = tight_bytes(extent)}, extent);
    TRY(commands(context, between, src, extent));
    TRY(commands(context, dst, between, extent));
cleanup:
    memory_release(temporary);
    return status;
}

/* Whether the two share a byte, as far as that can be told without looking at each row: boxes that lie in one grid of rows
 * and slices are compared in it, others by the bytes from first to last. */
static bool overlap(const rect *dst, const rect *src, command_extent extent) {
    const region *to = &dst->at, *from = &src->at;
    if (to->memory != from->memory) {
        return false;
    }
    size_t a = to->memory ? to->offset_bytes : (uintptr_t)to->data, b = from->memory ? from->offset_bytes : (uintptr_t)from->data;
    if (!size_overlap(a, span(dst, extent), b, span(src, extent))) {
        return false;
    }
    bool one_grid = dst->row_bytes == src->row_bytes && (extent.depth == 1 || dst->slice_bytes == src->slice_bytes);
    if (!one_grid || extent.depth > 1) {
        return true;
    }
    /* Rows of one grid: columns apart, or rows apart, counted from the lower of the two. */
    size_t apart = a > b ? a - b : b - a, row = dst->row_bytes;
    size_t columns = apart % row, rows = apart / row;
    bool same_rows = columns < extent.width_bytes && rows < extent.height;
    bool next_rows = columns > row - extent.width_bytes && rows + 1 < extent.height; /* the end of a row meets the next one's */
    return same_rows || next_rows;
}

/* OpenCL copies within one buffer between equal pitches only. */
static bool within_refused(const rect *dst, const rect *src) {
    return dst->at.memory && dst->at.memory == src->at.memory &&
           (dst->row_bytes != src->row_bytes || dst->slice_bytes != src->slice_bytes);
}

static weft_status copy_here(weft_context *context, rect dst, rect src, command_extent extent) {
    if (overlap(&dst, &src, extent) || within_refused(&dst, &src)) {
        return through_device(context, dst, src, extent);
    }
    return dst.at.memory || src.at.memory ? commands(context, dst, src, extent)
                                          : each_piece(context, dst, src, extent, through_device);
}

/* ---- Between devices --------------------------------------------------------------------------------------- */

/* Each side on its owner's queue, through the host. */
static weft_status through_host(weft_context *context, rect dst, rect src, command_extent extent) {
    weft_context *reader = src.at.memory ? memory_owner(src.at.memory) : context_retain(context);
    weft_context *writer = dst.at.memory ? memory_owner(dst.at.memory) : context_retain(context);
    rect between = tight((region){.size_bytes = tight_bytes(extent)}, extent);
    weft_status status;
    bool needed = src.at.memory && dst.at.memory;
    char *block = needed ? malloc(tight_bytes(extent)) : NULL;
    if (needed && !block) {
        TRY(error_host_memory(tight_bytes(extent)));
    }
    between.at.data = block;
    if (src.at.memory) {
        TRY(commands(reader, needed ? between : dst, src, extent));
        TRY(context_wait(reader));
    }
    if (dst.at.memory) {
        TRY(commands(writer, dst, needed ? between : src, extent));
        TRY(context_wait(writer));
    }
cleanup:
    if (status && src.at.memory) {
        context_settle(reader); /* it may still write to the block */
    }
    free(block);
    context_release(reader);
    context_release(writer);
    return status;
}

static weft_status copy_across(weft_context *context, rect dst, rect src, command_extent extent, const region *to, const region *from) {
    order order = {{NULL, NULL}};
    weft_status status;
    TRY(order_may_wait(to, from));
    /* As transfer_across: every queue concerned has run dry before, and the copy has ended after. */
    TRY(order_before(context, to, from, &order));
    TRY(context_wait(context));
    for (int i = 0; i < 2; i++) {
        if (order.others[i]) {
            TRY(context_wait(order.others[i]));
        }
    }
    TRY(each_piece(context, dst, src, extent, through_host));
cleanup:
    context_release(order.others[0]);
    context_release(order.others[1]);
    return status;
}

/* ---- The copy ------------------------------------------------------------------------------------------------ */

static bool elsewhere(const weft_context *context, const region *region) {
    return region->memory && region->memory->device != context->device;
}

weft_status transfer_rect(weft_context *context, rect dst, rect src, command_extent extent) {
    fold(&dst, &src, &extent);
    if (is_line(&dst, &src, extent)) {
        return transfer_copy(context, spanned(&dst, extent), spanned(&src, extent));
    }
    return context_is_recording(context) ? rect_node_record(context, dst, src, extent)
                                         : transfer_rect_now(context, dst, src, extent);
}

weft_status transfer_rect_now(weft_context *context, rect dst, rect src, command_extent extent) {
    const region to = spanned(&dst, extent), from = spanned(&src, extent);
    weft_status status = context_check(context);
    if (status) {
        return status;
    }
    if (elsewhere(context, &to) || elsewhere(context, &from)) {
        return copy_across(context, dst, src, extent, &to, &from);
    }
    order order;
    status = order_before(context, &to, &from, &order);
    if (!status) {
        status = copy_here(context, dst, src, extent);
    }
    status = order_after(context, &order, status);
    if (status && !to.memory && !to.host) {
        context_settle(context); /* what fails after the driver took it must not write to the caller's memory later */
    }
    return status;
}
