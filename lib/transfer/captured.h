/* The caller's memory, captured for a copy in a host function: such a function cannot wait for its own queue, nor for one that
 * waits for that. */
#ifndef TRANSFER_CAPTURED_H
#define TRANSFER_CAPTURED_H

#include "context/host_func.h"

typedef struct captured {
    weft_context *context; /* held */
    size_t size_bytes;
    deferred end;
    char data[];
} captured;

/* Room for size_bytes. Call in a host function, as the other one. */
weft_status captured_new(weft_context *context, size_t size_bytes, captured **out);

/* The driver's answer to the command that reads it: it stays until that has ended, or goes at once. */
void captured_used(captured *captured, cl_int code);

#endif
