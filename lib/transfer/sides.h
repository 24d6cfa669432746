/* The two sides of a copy, checked. */
#ifndef TRANSFER_SIDES_H
#define TRANSFER_SIDES_H

#include "transfer/transfer.h"

/* An operand as the checks see it. */
typedef struct side {
    const char *name; /* "dst" or "src" */
    const weft_memory *operand;
    bool is_buffer;
    weft_dtype dtype;   /* of a buffer */
    size_t length;      /* of a buffer or span; WEFT_LENGTH_UNKNOWN for a bare pointer */
    region whole;
} side;

/* Both sides, checked against each other in everything but length; *dtype is what moves. */
weft_status sides_check(weft_context *context, const weft_memory *dst, const weft_memory *src, side *to, side *from,
                        weft_dtype *dtype);

/* No memory behind a pointer is right for no elements only, as an empty vector's data. */
weft_status side_check_pointer(const side *side, size_t length);

#endif
