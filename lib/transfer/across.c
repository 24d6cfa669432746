/* Copies between devices and platforms: no event and no memory object crosses, so the host does. */
#include <stdlib.h>
#include <string.h>

#include "base/api.h"
#include "base/arith.h"
#include "context/command.h"
#include "transfer/transfer.h"

enum { CHUNK = 4 << 20 };

/* Moves between device memory and the host, blocking, on the queue of the memory's owner. */
static weft_status move(const region *device_side, size_t at, void *host, size_t size, bool to_host) {
    unsigned how = COMMAND_BLOCKING | COMMAND_PAGEABLE;
    memory *memory = device_side->memory;
    weft_context *owner = memory_owner(memory);
    cl_int code = to_host ? command_read(owner, memory->mem, device_side->offset_bytes + at, size, host, how)
                          : command_write(owner, memory->mem, device_side->offset_bytes + at, size, host, how);
    context_release(owner);
    return code == CL_SUCCESS ? WEFT_OK
                              : memory_failed(memory, to_host ? "clEnqueueReadBuffer" : "clEnqueueWriteBuffer", code);
}

static weft_status move_chunks(region dst, region src) {
    weft_status status = WEFT_OK;
    size_t chunk = size_min(dst.size_bytes, CHUNK);
    char *between = dst.memory && src.memory ? malloc(chunk) : NULL;
    if (dst.memory && src.memory && !between) {
        return error_host_memory(chunk);
    }
    for (size_t at = 0; at < dst.size_bytes; at += chunk) {
        size_t part = size_min(chunk, dst.size_bytes - at);
        char *from = src.memory ? between ? between : dst.data + at : src.data + at;
        if (src.memory) {
            TRY(move(&src, at, from, part, true));
        }
        if (dst.memory) {
            TRY(move(&dst, at, from, part, false));
        }
    }
cleanup:
    free(between);
    return status;
}

weft_status transfer_across(weft_context *context, region dst, region src) {
    order order = {{NULL, NULL}};
    weft_status status;
    TRY(order_may_wait(&dst, &src));
    /* Every queue concerned has run dry before, and the copy has ended after: that is order enough. */
    TRY(order_before(context, &dst, &src, &order));
    TRY(context_wait(context));
    for (int i = 0; i < 2; i++) {
        if (order.others[i]) {
            TRY(context_wait(order.others[i]));
        }
    }
    TRY(move_chunks(dst, src));
cleanup:
    context_release(order.others[0]);
    context_release(order.others[1]);
    return status;
}
