#include "context/command.h"

#include "context/traced.h"

cl_int command_write(weft_context *context, cl_mem to, size_t offset_bytes, size_t size_bytes, const void *from, unsigned how) {
    cl_int code;
    traced traced = {0};
    cl_event *event = traced_begin(context, &traced);
    cl_bool blocking = how & COMMAND_BLOCKING ? CL_TRUE : CL_FALSE;
    DRIVER(context->device->entry,
           code = clEnqueueWriteBuffer(context->queue, to, blocking, offset_bytes, size_bytes, from, 0, NULL, event));
    if (traced.event && code == CL_SUCCESS) {
        traced_copied(context, &traced, TRACE_HOST_TO_DEVICE, size_bytes, how);
    }
    return code;
}

cl_int command_read(weft_context *context, cl_mem from, size_t offset_bytes, size_t size_bytes, void *to, unsigned how) {
    cl_int code;
    traced traced = {0};
    cl_event *event = traced_begin(context, &traced);
    cl_bool blocking = how & COMMAND_BLOCKING ? CL_TRUE : CL_FALSE;
    DRIVER(context->device->entry,
           code = clEnqueueReadBuffer(context->queue, from, blocking, offset_bytes, size_bytes, to, 0, NULL, event));
    if (traced.event && code == CL_SUCCESS) {
        traced_copied(context, &traced, TRACE_DEVICE_TO_HOST, size_bytes, how);
    }
    return code;
}

cl_int command_copy(weft_context *context, cl_mem to, size_t to_offset_bytes, cl_mem from, size_t from_offset_bytes,
                    size_t size_bytes) {
    cl_int code;
    traced traced = {0};
    cl_event *event = traced_begin(context, &traced);
    DRIVER(context->device->entry, code = clEnqueueCopyBuffer(context->queue, from, to, from_offset_bytes, to_offset_bytes,
                                                              size_bytes, 0, NULL, event));
    if (traced.event && code == CL_SUCCESS) {
        traced_copied(context, &traced, TRACE_DEVICE_TO_DEVICE, size_bytes, 0);
    }
    return code;
}

cl_int command_fill(weft_context *context, cl_mem to, size_t offset_bytes, size_t size_bytes, const void *pattern,
                    size_t pattern_bytes) {
    cl_int code;
    traced traced = {0};
    cl_event *event = traced_begin(context, &traced);
    DRIVER(context->device->entry, code = clEnqueueFillBuffer(context->queue, to, pattern, pattern_bytes, offset_bytes,
                                                              size_bytes, 0, NULL, event));
    trace_slot slot = {0};
    if (traced.event && code == CL_SUCCESS) {
        slot = traced_take(context, &traced, TRACE_FILL);
    }
    if (slot.record) {
        slot.record->bytes = size_bytes;
        slot.record->pattern_bytes = (uint32_t)pattern_bytes;
        trace_publish(slot);
    }
    return code;
}

static size_t bytes_of(command_extent extent) {
    return extent.width_bytes * extent.height * extent.depth;
}

cl_int command_write_rect(weft_context *context, cl_mem to, command_pitch to_pitch, const void *from, command_pitch from_pitch,
                          command_extent extent, unsigned how) {
    const size_t region[3] = {extent.width_bytes, extent.height, extent.depth};
    const size_t there[3] = {to_pitch.offset_bytes, 0, 0}, here[3] = {from_pitch.offset_bytes, 0, 0};
    cl_int code;
    traced traced = {0};
    cl_event *event = traced_begin(context, &traced);
    cl_bool blocking = how & COMMAND_BLOCKING ? CL_TRUE : CL_FALSE;
    DRIVER(context->device->entry,
           code = clEnqueueWriteBufferRect(context->queue, to, blocking, there, here, region, to_pitch.row_bytes, to_pitch.slice_bytes,
                                           from_pitch.row_bytes, from_pitch.slice_bytes, from, 0, NULL, event));
    if (traced.event && code == CL_SUCCESS) {
        traced_copied(context, &traced, TRACE_HOST_TO_DEVICE, bytes_of(extent), how);
    }
    return code;
}

cl_int command_read_rect(weft_context *context, cl_mem from, command_pitch from_pitch, void *to, command_pitch to_pitch,
                         command_extent extent, unsigned how) {
    const size_t region[3] = {extent.width_bytes, extent.height, extent.depth};
    const size_t there[3] = {from_pitch.offset_bytes, 0, 0}, here[3] = {to_pitch.offset_bytes, 0, 0};
    cl_int code;
    traced traced = {0};
    cl_event *event = traced_begin(context, &traced);
    cl_bool blocking = how & COMMAND_BLOCKING ? CL_TRUE : CL_FALSE;
    DRIVER(context->device->entry,
           code = clEnqueueReadBufferRect(context->queue, from, blocking, there, here, region, from_pitch.row_bytes,
                                          from_pitch.slice_bytes, to_pitch.row_bytes, to_pitch.slice_bytes, to, 0, NULL, event));
    if (traced.event && code == CL_SUCCESS) {
        traced_copied(context, &traced, TRACE_DEVICE_TO_HOST, bytes_of(extent), how);
    }
    return code;
}

cl_int command_copy_rect(weft_context *context, cl_mem to, command_pitch to_pitch, cl_mem from, command_pitch from_pitch,
                         command_extent extent) {
    const size_t region[3] = {extent.width_bytes, extent.height, extent.depth};
    const size_t source[3] = {from_pitch.offset_bytes, 0, 0}, target[3] = {to_pitch.offset_bytes, 0, 0};
    cl_int code;
    traced traced = {0};
    cl_event *event = traced_begin(context, &traced);
    DRIVER(context->device->entry,
           code = clEnqueueCopyBufferRect(context->queue, from, to, source, target, region, from_pitch.row_bytes,
                                          from_pitch.slice_bytes, to_pitch.row_bytes, to_pitch.slice_bytes, 0, NULL, event));
    if (traced.event && code == CL_SUCCESS) {
        traced_copied(context, &traced, TRACE_DEVICE_TO_DEVICE, bytes_of(extent), 0);
    }
    return code;
}
