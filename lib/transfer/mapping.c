/* Mapping a device buffer: copy out, wait; copy in, wait. */
#include "base/api.h"
#include "context/recording.h"
#include "transfer/transfer.h"

static weft_status map(weft_device_buffer *buffer, weft_host_buffer **out) {
    weft_host_buffer *host = NULL;
    weft_context *context = memory_owner(buffer->memory);
    weft_status status;
    TRY(context_may_block(context));
    TRY(host_buffer_create(context, buffer->dtype, buffer->length, &host));
    TRY(transfer_copy(context, region_of_host_buffer(host), region_of_device_buffer(buffer)));
    TRY(context_wait(context));
    host->mapped = weft_device_buffer_retain(buffer);
    *out = host;
    host = NULL;
cleanup:
    weft_host_buffer_release(host);
    context_release(context);
    return status;
}

WEFT_API weft_status weft_device_buffer_map_to_host(weft_device_buffer *buffer, weft_host_buffer **out) {
    if (out) {
        *out = NULL;
    }
    API_ENTER();
    if (!buffer || !out) {
        return error_null(buffer ? "out" : "buffer");
    }
    return map(buffer, out);
}

WEFT_API weft_status weft_device_buffer_unmap(weft_device_buffer *buffer, weft_host_buffer *mapped) {
    API_ENTER();
    if (!buffer || !mapped) {
        return error_null(buffer ? "mapped" : "buffer");
    }
    if (mapped->mapped != buffer) {
        return error_set(WEFT_ERROR_INVALID_ARGUMENT, "mapped is not a mapping of this buffer");
    }
    weft_context *context = memory_owner(buffer->memory);
    weft_status status = context_may_block(context);
    if (status) {
        context_release(context);
        return status;
    }
    TRY(transfer_copy(context, region_of_device_buffer(buffer), region_of_host_buffer(mapped)));
    TRY(context_wait(context));
cleanup:
    weft_host_buffer_release(mapped);
    context_release(context);
    return status;
}

/* The first failure stays. */
static void note(weft_status *status, weft_status now) {
    if (status && !*status) {
        *status = now;
    }
}

WEFT_API weft_host_buffer *weft_mapping_begin(weft_status *status, weft_device_buffer *buffer) {
    weft_host_buffer *host = NULL;
    note(status, weft_device_buffer_map_to_host(buffer, &host));
    return host;
}

WEFT_API void weft_mapping_end(weft_status *status, weft_device_buffer *buffer, weft_host_buffer *mapped) {
    if (mapped) {
        weft_status now = weft_device_buffer_unmap(buffer, mapped);
        if (now == WEFT_ERROR_INVALID_ARGUMENT && buffer && mapped->mapped == buffer) { /* no wait is allowed: it is still ours */
            weft_host_buffer_release(mapped);
        }
        note(status, now);
    }
}
