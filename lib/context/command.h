/* One command of each kind into a context's queue. All work goes through here, but kernels, whose way is in launch/enqueue.c.
 * The result is the driver's code; nothing is recorded as a failure. */
#ifndef CONTEXT_COMMAND_H
#define CONTEXT_COMMAND_H

#include "context/context.h"

/* How host memory is read and written: or of these bits. */
enum {
    COMMAND_BLOCKING = 1,
    COMMAND_PAGEABLE = 2 /* it is not pinned; only the timeline asks */
};

cl_int command_write(weft_context *context, cl_mem to, size_t offset_bytes, size_t size_bytes, const void *from, unsigned how);
cl_int command_read(weft_context *context, cl_mem from, size_t offset_bytes, size_t size_bytes, void *to, unsigned how);
cl_int command_copy(weft_context *context, cl_mem to, size_t to_offset_bytes, cl_mem from, size_t from_offset_bytes,
                    size_t size_bytes);
cl_int command_fill(weft_context *context, cl_mem to, size_t offset_bytes, size_t size_bytes, const void *pattern,
                    size_t pattern_bytes);

/* Rows of width_bytes, height of them in a slice, depth slices. */
typedef struct command_extent {
    size_t width_bytes, height, depth;
} command_extent;

/* Where they lie. slice_bytes is a multiple of row_bytes. */
typedef struct command_pitch {
    size_t offset_bytes, row_bytes, slice_bytes;
} command_pitch;

/* On the host from's and to's offset counts too. */
cl_int command_write_rect(weft_context *context, cl_mem to, command_pitch to_pitch, const void *from, command_pitch from_pitch,
                          command_extent extent, unsigned how);
cl_int command_read_rect(weft_context *context, cl_mem from, command_pitch from_pitch, void *to, command_pitch to_pitch,
                         command_extent extent, unsigned how);
cl_int command_copy_rect(weft_context *context, cl_mem to, command_pitch to_pitch, cl_mem from, command_pitch from_pitch,
                         command_extent extent);

#endif
