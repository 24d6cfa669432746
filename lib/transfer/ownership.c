/* Moving a buffer to another context. */
#include "base/api.h"
#include "transfer/transfer.h"

/* The work of the new owner waits for what the old one has enqueued. */
static weft_status wait_for_owner(const weft_device_buffer *buffer, weft_context *context) {
    weft_context *owner = memory_owner(buffer->memory);
    weft_status status = context_wait_for(context, owner);
    context_release(owner);
    return status;
}

static weft_status move_to_sibling(weft_device_buffer *buffer, weft_context *context) {
    weft_status status = wait_for_owner(buffer, context);
    if (!status) {
        memory_set_owner(buffer->memory, context);
    }
    return status;
}

static weft_status move_to_device(weft_device_buffer *buffer, weft_context *context) {
    memory *before = buffer->memory, *after = NULL;
    if (buffer->view || !refcount_is_one(&buffer->refs) || !refcount_is_one(&before->refs)) {
        return error_set(WEFT_ERROR_UNSUPPORTED, "buffer cannot move from device %s:%d to %s:%d while other references or views "
                                                 "of it exist", before->device->entry->info.api, before->device->entry->info.id,
                         context->device->entry->info.api, context->device->entry->info.id);
    }
    weft_status status = memory_create(context, before->size_bytes, &after);
    if (status) {
        return status;
    }
    TRY(wait_for_owner(buffer, context)); /* an empty buffer has nothing to copy, and moves the queue all the same */
    region dst = {.memory = after, .size_bytes = before->size_bytes};
    region src = {.memory = before, .size_bytes = before->size_bytes};
    TRY(transfer_copy_now(context, dst, src));
    cl_mem sub = atomic_exchange(&buffer->sub, NULL);
    if (sub) {
        DRIVER(before->device->entry, clReleaseMemObject(sub));
    }
    buffer->memory = after;
    after = before;
cleanup:
    memory_release(after);
    return status;
}

WEFT_API weft_status weft_device_buffer_reassign_ownership_to(weft_device_buffer *buffer, weft_context *context) {
    API_ENTER();
    if (!buffer || !context) {
        return error_null(buffer ? "context" : "buffer");
    }
    return buffer->memory->device == context->device ? move_to_sibling(buffer, context) : move_to_device(buffer, context);
}
