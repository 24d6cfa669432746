#include "transfer/captured.h"

#include "base/object.h"

weft_status captured_new(weft_context *context, size_t size_bytes, captured **out) {
    weft_status status = object_new(sizeof **out + size_bytes, out);
    if (!status) {
        (*out)->context = context;
        (*out)->size_bytes = size_bytes;
    }
    return status;
}

/* The context lives until its host function has returned, and what that put off. */
static void retire(void *what) {
    captured *captured = what;
    context_retire(captured->context, captured->size_bytes, free, captured);
}

void captured_used(captured *captured, cl_int code) {
    if (code != CL_SUCCESS) {
        free(captured);
    } else {
        host_func_defer(&captured->end, retire, captured);
    }
}
