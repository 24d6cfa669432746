/* Buffers made, viewed and let go. */
#include "operations.h"

static faults creation_faults(weft_dtype dtype, size_t length) {
    size_t element = weft_dtype_size(dtype), size;
    if (!element) {
        return TYPE;
    }
    if (__builtin_mul_overflow(length, element, &size)) {
        return RANGE;
    }
    return size >> 48 ? NO_MEMORY : 0; /* more than an address space holds */
}

/* A length that may be created, or that must be refused. */
static size_t pick_creation(scene *s, weft_dtype dtype) {
    size_t length = scene_pick_length(s);
    return !creation_faults(dtype, length) && length * weft_dtype_size(dtype) > MOST_BYTES ? 300 : length;
}

static block *device_block(unsigned owner, unsigned device, size_t size) {
    block *made = scene_new_block(size);
    made->owner = owner;
    made->device = device;
    return made;
}

void create_device(scene *s) {
    handle *place = scene_free_device(s);
    if (!place) {
        return;
    }
    unsigned at = scene_pick_stream(s);
    weft_dtype dtype = scene_pick_dtype(s);
    size_t length = pick_creation(s, dtype);
    unsigned how = take(&s->in, 32);
    bool no_context = how == 31, no_out = how == 30, sync = how % 4 == 1;
    weft_device_buffer *made = (void *)s;
    weft_context *context = no_context ? NULL : s->streams[at].handle;
    faults expected = creation_faults(dtype, length) | FAULT_IF(no_context || no_out, WEFT_ERROR_INVALID_ARGUMENT);
    weft_status status = sync ? weft_create_buffer_sync(context, dtype, length, no_out ? NULL : &made)
                              : weft_enqueue_create_buffer(context, dtype, length, no_out ? NULL : &made);
    if (!verdict(expected, status, sync ? "weft_create_buffer_sync" : "weft_enqueue_create_buffer")) {
        CHECK(no_out || !made, "a refused creation set its out-parameter");
        return;
    }
    if (sync) {
        order_synchronized(s, at);
    }
    block *block = device_block(at, s->streams[at].device, length * weft_dtype_size(dtype));
    scene_add_device(s, place, made, block, 0, dtype, length);
}

void create_host(scene *s) {
    handle *place = scene_free_host(s);
    if (!place) {
        return;
    }
    unsigned at = scene_pick_stream(s);
    weft_dtype dtype = scene_pick_dtype(s);
    size_t length = pick_creation(s, dtype);
    weft_host_buffer *made = (void *)s;
    if (!EXPECT(creation_faults(dtype, length), weft_enqueue_create_host_buffer(s->streams[at].handle, dtype, length, &made))) {
        CHECK(!made, "a refused creation set its out-parameter");
        return;
    }
    block *block = scene_new_block(length * weft_dtype_size(dtype));
    block->data = weft_host_buffer_data(made);
    CHECK(block->data && (uintptr_t)block->data % 64 == 0, "host memory is at %p", (void *)block->data);
    scene_add_host(s, place, made, block, 0, dtype, length, at);
}

void wrap_host(scene *s) {
    handle *place = scene_free_host(s);
    if (!place) {
        return;
    }
    unsigned at = scene_pick_stream(s);
    weft_dtype dtype = scene_pick_dtype(s);
    block *pad = scene_pick_pad(s);
    size_t element = weft_dtype_size(dtype), step = element ? element : 1;
    size_t offset = take_rarely(&s->in, 16) ? take(&s->in, 16) : take(&s->in, 8) * step;
    size_t most = (pad->size - offset) / step;
    size_t length = take_rarely(&s->in, 16) ? SIZE_MAX / step - take(&s->in, 4) : scene_pick_length(s) % (most + 1);
    bool no_data = take_rarely(&s->in, 32);
    uint8_t *data = no_data ? NULL : pad->data + offset;
    faults expected = FAULT_IF(!element, WEFT_ERROR_TYPE_MISMATCH) | FAULT_IF(no_data && length, WEFT_ERROR_INVALID_ARGUMENT) |
                      FAULT_IF((uintptr_t)data % step, WEFT_ERROR_INVALID_ARGUMENT) |
                      FAULT_IF(length > pad->size, WEFT_ERROR_OUT_OF_RANGE);
    weft_host_buffer *made = (void *)s;
    if (!EXPECT(expected, weft_wrap_host_memory(s->streams[at].handle, dtype, data, length, &made))) {
        CHECK(!made, "a refused wrap set its out-parameter");
    } else if (no_data) {
        CHECK(!weft_host_buffer_data(made), "nothing was wrapped, yet there is data");
        weft_host_buffer_release(made);
    } else {
        scene_add_host(s, place, made, pad, offset, dtype, length, at);
    }
}

/* Offset and length of a view over `size` bytes, mostly inside. */
static faults pick_view(scene *s, weft_dtype dtype, size_t size, size_t *offset, size_t *length) {
    size_t element = weft_dtype_size(dtype);
    scene_pick_range(s, element ? size / element : size, offset, length);
    if (!element) {
        return TYPE;
    }
    return FAULT_IF(*offset > size / element || *length > size / element - *offset, WEFT_ERROR_OUT_OF_RANGE);
}

void view_device(scene *s) {
    handle *place = scene_free_device(s), *of = scene_pick_device(s);
    size_t offset, length;
    if (!place) {
        return;
    }
    weft_dtype dtype = scene_pick_dtype(s);
    faults expected = pick_view(s, dtype, of->device ? handle_bytes(of) : 0, &offset, &length);
    expected = of->device ? expected : INVALID;
    weft_device_buffer *made = (void *)s;
    if (EXPECT(expected, weft_device_buffer_create_sub_buffer(of->device, dtype, offset, length, &made))) {
        scene_add_device(s, place, made, of->block, of->offset_bytes + offset * weft_dtype_size(dtype), dtype, length);
        place->view = true;
    } else {
        CHECK(!made, "a refused view set its out-parameter");
    }
}

void view_host(scene *s) {
    handle *place = scene_free_host(s), *of = scene_pick_host(s);
    size_t offset, length;
    if (!place) {
        return;
    }
    weft_dtype dtype = scene_pick_dtype(s);
    faults expected = pick_view(s, dtype, of->host ? handle_bytes(of) : 0, &offset, &length);
    expected = of->host ? expected : INVALID;
    weft_host_buffer *made = (void *)s;
    if (EXPECT(expected, weft_host_buffer_create_sub_buffer(of->host, dtype, offset, length, &made))) {
        scene_add_host(s, place, made, of->block, of->offset_bytes + offset * weft_dtype_size(dtype), dtype, length, of->owner);
    } else {
        CHECK(!made, "a refused view set its out-parameter");
    }
}

void retain_or_release(scene *s) {
    bool host = take(&s->in, 2);
    handle *h = host ? scene_pick_host(s) : scene_pick_device(s);
    if (h->refs >= 3 || !h->refs) {
        scene_release(s, h);
    } else if (host) {
        CHECK(weft_host_buffer_retain(h->host) == h->host, "retain gave another handle");
        h->refs++;
    } else {
        CHECK(weft_device_buffer_retain(h->device) == h->device, "retain gave another handle");
        h->refs++;
    }
}

void release_one(scene *s) {
    scene_release(s, take(&s->in, 2) ? scene_pick_host(s) : scene_pick_device(s));
}
