#include "transfer/captured.h"

#include "base/object.h"

weft_status captured_new(weft_context *context, size_t size_bytes, captured **out) {
    weft_status status = object_new(sizeof **out + size_bytes, out);
    if (!status) {
        (*out)->context = context_retain(context);
        (*out)->size_bytes = size_bytes;
    }
    return status;
}

static void retire(void *what) {
    captured *captured = what;
    weft_context *context = captured->context;
    context_retire(context, captured->size_bytes, free, captured);
    context_release(context);
}

void captured_used(captured *captured, cl_int code) {
    if (code != CL_SUCCESS) {
        context_release(captured->context);
        free(captured);
    } else {
        host_func_defer(&captured->end, retire, captured);
    }
}
