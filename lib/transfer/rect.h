/* Copies of boxes: rows and slices with pitches. */
#ifndef TRANSFER_RECT_H
#define TRANSFER_RECT_H

#include "context/command.h"
#include "transfer/transfer.h"

/* A box that begins where `at` does. */
typedef struct rect {
    region at;
    size_t row_bytes, slice_bytes; /* from a row to the next, from a slice to the next */
} rect;

/* Copies a box of at least one byte, on context's queue, ordered with the contexts of both sides. Pitches of several rows
 * or slices are as long as these at least. */
weft_status transfer_rect(weft_context *context, rect dst, rect src, command_extent extent);

/* The same for a context that does not record, and for a node that runs. */
weft_status transfer_rect_now(weft_context *context, rect dst, rect src, command_extent extent);
weft_status rect_node_record(weft_context *context, rect dst, rect src, command_extent extent);

#endif
