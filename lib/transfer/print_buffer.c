/* Printing buffers: what is shown of a device buffer is copied out first. */
#include <stdlib.h>

#include "base/api.h"
#include "context/recording.h"
#include "memory/print.h"
#include "transfer/transfer.h"

/* Reads count elements from element `first` on, and waits. */
static weft_status read_out(weft_device_buffer *buffer, weft_context *context, size_t first, size_t count, void *out) {
    size_t element = weft_dtype_size(buffer->dtype);
    region src = region_of_device_buffer(buffer);
    src.offset_bytes += first * element;
    src.size_bytes = count * element;
    region dst = {.data = out, .size_bytes = count * element};
    weft_status status = transfer_copy(context, dst, src);
    return status ? status : context_wait(context);
}

static weft_status print_device(weft_device_buffer *buffer, weft_writer writer, void *user) {
    bool shortened = buffer->length >= PRINT_SHORT_FROM;
    size_t shown = shortened ? PRINT_EDGE : buffer->length;
    char tail[PRINT_EDGE * 8];
    char *head = malloc(shown * 8 + 1);
    if (!head) {
        return error_host_memory(shown * 8 + 1);
    }
    weft_context *context = memory_owner(buffer->memory);
    weft_status status;
    TRY(context_may_block(context));
    TRY(read_out(buffer, context, 0, shown, head));
    if (shortened) {
        TRY(read_out(buffer, context, buffer->length - PRINT_EDGE, PRINT_EDGE, tail));
    }
    TRY(print_elements("DeviceBuffer", buffer->dtype, buffer->length, head, tail, writer, user));
cleanup:
    context_release(context);
    free(head);
    return status;
}

static weft_status print_host(weft_host_buffer *buffer, weft_writer writer, void *user) {
    const char *data = weft_host_buffer_data(buffer);
    size_t element = weft_dtype_size(buffer->dtype);
    const char *tail = buffer->length >= PRINT_EDGE ? data + (buffer->length - PRINT_EDGE) * element : data;
    return print_elements("HostBuffer", buffer->dtype, buffer->length, data, tail, writer, user);
}

WEFT_API weft_status weft_device_buffer_write_with(weft_device_buffer *buffer, weft_writer writer, void *user) {
    API_ENTER();
    return buffer && writer ? print_device(buffer, writer, user) : error_null(buffer ? "writer" : "buffer");
}

WEFT_API weft_status weft_host_buffer_write_with(weft_host_buffer *buffer, weft_writer writer, void *user) {
    API_ENTER();
    return buffer && writer ? print_host(buffer, writer, user) : error_null(buffer ? "writer" : "buffer");
}

WEFT_API weft_status weft_device_buffer_write_to(weft_device_buffer *buffer, FILE *stream) {
    API_ENTER();
    return buffer && stream ? print_device(buffer, print_to_stream, stream) : error_null(buffer ? "stream" : "buffer");
}

WEFT_API weft_status weft_host_buffer_write_to(weft_host_buffer *buffer, FILE *stream) {
    API_ENTER();
    return buffer && stream ? print_host(buffer, print_to_stream, stream) : error_null(buffer ? "stream" : "buffer");
}
