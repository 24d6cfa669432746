/* weft_assert in kernels: the record that a context gives them, and what is read from it. */
#ifndef CONTEXT_ASSERTS_H
#define CONTEXT_ASSERTS_H

#include "context/context.h"

/* Before and after the launch of a kernel with weft_assert. Between them no other such launch gets into the queue.
 * *record is what the kernel gets, borrowed. On failure nothing is to be ended.
 * Errors: OUT_OF_HOST_MEMORY; OUT_OF_DEVICE_MEMORY; DRIVER. */
weft_status asserts_begin(weft_context *context, const char *kernel_name, cl_mem *record);
void asserts_end(weft_context *context, bool launched);

/* Reads the record, once the queue has run dry: a failure stays until asserts_tell. Says what failed in the driver. */
failure asserts_collect(weft_context *context);

/* Records and returns the failed assertion that was collected, if any, and forgets it. */
weft_status asserts_tell(weft_context *context);

void asserts_free(weft_context *context);

#endif
