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
