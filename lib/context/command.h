/* One command of each kind into a context's queue. All work goes through here, but kernels, whose way is in launch/enqueue.c.
 * The result is the driver's code; nothing is recorded as a failure. */
#ifndef CONTEXT_COMMAND_H
#define CONTEXT_COMMAND_H

#include "context/context.h"

cl_int command_write(weft_context *context, cl_mem to, size_t offset_bytes, size_t size_bytes, const void *from, bool blocking);
cl_int command_read(weft_context *context, cl_mem from, size_t offset_bytes, size_t size_bytes, void *to, bool blocking);
cl_int command_copy(weft_context *context, cl_mem to, size_t to_offset_bytes, cl_mem from, size_t from_offset_bytes,
                    size_t size_bytes);
cl_int command_fill(weft_context *context, cl_mem to, size_t offset_bytes, size_t size_bytes, const void *pattern,
                    size_t pattern_bytes);

#endif
