#include "context/command.h"

cl_int command_write(weft_context *context, cl_mem to, size_t offset_bytes, size_t size_bytes, const void *from, bool blocking) {
    cl_int code;
    DRIVER(context->device->entry, code = clEnqueueWriteBuffer(context->queue, to, blocking ? CL_TRUE : CL_FALSE, offset_bytes,
                                                               size_bytes, from, 0, NULL, NULL));
    return code;
}

cl_int command_read(weft_context *context, cl_mem from, size_t offset_bytes, size_t size_bytes, void *to, bool blocking) {
    cl_int code;
    DRIVER(context->device->entry, code = clEnqueueReadBuffer(context->queue, from, blocking ? CL_TRUE : CL_FALSE, offset_bytes,
                                                              size_bytes, to, 0, NULL, NULL));
    return code;
}

cl_int command_copy(weft_context *context, cl_mem to, size_t to_offset_bytes, cl_mem from, size_t from_offset_bytes,
                    size_t size_bytes) {
    cl_int code;
    DRIVER(context->device->entry, code = clEnqueueCopyBuffer(context->queue, from, to, from_offset_bytes, to_offset_bytes,
                                                              size_bytes, 0, NULL, NULL));
    return code;
}

cl_int command_fill(weft_context *context, cl_mem to, size_t offset_bytes, size_t size_bytes, const void *pattern,
                    size_t pattern_bytes) {
    cl_int code;
    DRIVER(context->device->entry, code = clEnqueueFillBuffer(context->queue, to, pattern, pattern_bytes, offset_bytes,
                                                              size_bytes, 0, NULL, NULL));
    return code;
}

cl_int command_write_rect(weft_context *context, cl_mem to, command_pitch to_pitch, const void *from, command_pitch from_pitch,
                          command_extent extent, bool blocking) {
    const size_t region[3] = {extent.width_bytes, extent.height, extent.depth};
    const size_t there[3] = {to_pitch.offset_bytes, 0, 0}, here[3] = {from_pitch.offset_bytes, 0, 0};
    cl_int code;
    DRIVER(context->device->entry,
           code = clEnqueueWriteBufferRect(context->queue, to, blocking ? CL_TRUE : CL_FALSE, there, here, region, to_pitch.row_bytes,
                                           to_pitch.slice_bytes, from_pitch.row_bytes, from_pitch.slice_bytes, from, 0, NULL, NULL));
    return code;
}

cl_int command_read_rect(weft_context *context, cl_mem from, command_pitch from_pitch, void *to, command_pitch to_pitch,
                         command_extent extent, bool blocking) {
    const size_t region[3] = {extent.width_bytes, extent.height, extent.depth};
    const size_t there[3] = {from_pitch.offset_bytes, 0, 0}, here[3] = {to_pitch.offset_bytes, 0, 0};
    cl_int code;
    DRIVER(context->device->entry,
           code = clEnqueueReadBufferRect(context->queue, from, blocking ? CL_TRUE : CL_FALSE, there, here, region, from_pitch.row_bytes,
                                          from_pitch.slice_bytes, to_pitch.row_bytes, to_pitch.slice_bytes, to, 0, NULL, NULL));
    return code;
}

cl_int command_copy_rect(weft_context *context, cl_mem to, command_pitch to_pitch, cl_mem from, command_pitch from_pitch,
                         command_extent extent) {
    const size_t region[3] = {extent.width_bytes, extent.height, extent.depth};
    const size_t source[3] = {from_pitch.offset_bytes, 0, 0}, target[3] = {to_pitch.offset_bytes, 0, 0};
    cl_int code;
    DRIVER(context->device->entry,
           code = clEnqueueCopyBufferRect(context->queue, from, to, source, target, region, from_pitch.row_bytes,
                                          from_pitch.slice_bytes, to_pitch.row_bytes, to_pitch.slice_bytes, 0, NULL, NULL));
    return code;
}
