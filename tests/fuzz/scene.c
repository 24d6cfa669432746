#include "scene.h"

weft_context *scene_first[DEVICES];

static size_t free_at_begin[DEVICES];

static size_t free_bytes(unsigned device) {
    size_t unused = 0, whole = 0;
    MUST(weft_context_get_memory_info(scene_first[device], &unused, &whole));
    return unused;
}

block *scene_new_block(size_t size) {
    block *made = calloc(1, sizeof *made);
    CHECK(made, "no memory for the model");
    made->size = size;
    made->cells = shadow_new(size);
    return made;
}

static void block_free(block *block) {
    free(block->cells);
    free(block);
}

static bool is_pad(const scene *s, const block *block) {
    for (unsigned i = 0; i < PADS; i++) {
        if (s->pads[i] == block) {
            return true;
        }
    }
    return false;
}

static block *new_pad(size_t size, uint8_t first) {
    block *pad = scene_new_block(size);
    pad->data = malloc(size);
    CHECK(pad->data, "no memory for the model");
    for (size_t i = 0; i < size; i++) {
        pad->data[i] = (uint8_t)(first + i * 7);
    }
    shadow_write(pad->cells, pad->data, size);
    return pad;
}

void scene_begin(scene *s, const uint8_t *data, size_t size) {
    static const size_t pad_bytes[PADS] = {64, 1000, 4096, 70000};
    *s = (scene){.in = {data, data + size}, .n_streams = DEVICES};
    for (unsigned i = 0; i < DEVICES; i++) {
        s->streams[i] = (stream){.handle = scene_first[i], .device = i, .held = 1};
        free_at_begin[i] = free_bytes(i);
    }
    for (unsigned i = 0; i < PADS; i++) {
        s->pads[i] = new_pad(pad_bytes[i], (uint8_t)i);
    }
}

/* ---- Choices -------------------------------------------------------------------------------------- */

unsigned scene_pick_stream(scene *s) {
    unsigned at = take(&s->in, s->n_streams);
    return s->streams[at].held ? at : s->streams[at].device;
}

static handle *pick(scene *s, handle *all, unsigned n) {
    static handle none;
    unsigned first = take_byte(&s->in);
    if (first == 255) {
        return none = (handle){0}, &none;
    }
    for (unsigned i = 0; i < n; i++) {
        handle *h = &all[(first + i) % n];
        if (h->refs && !h->block->mapped) {
            return h;
        }
    }
    return none = (handle){0}, &none;
}

handle *scene_pick_device(scene *s) {
    return pick(s, s->device_buffers, DEVICE_HANDLES);
}

handle *scene_pick_host(scene *s) {
    return pick(s, s->host_buffers, HOST_HANDLES);
}

static handle *free_place(handle *all, unsigned n) {
    for (unsigned i = 0; i < n; i++) {
        if (!all[i].block) {
            return &all[i];
        }
    }
    return NULL;
}

handle *scene_free_device(scene *s) {
    return free_place(s->device_buffers, DEVICE_HANDLES);
}

handle *scene_free_host(scene *s) {
    return free_place(s->host_buffers, HOST_HANDLES);
}

block *scene_pick_pad(scene *s) {
    return s->pads[take(&s->in, PADS)];
}

weft_dtype scene_pick_dtype(scene *s) {
    static const weft_dtype frequent[] = {WEFT_INT32, WEFT_UINT32, WEFT_INT32, WEFT_UINT16}; /* kernels take these */
    unsigned choice = take_byte(&s->in);
    return choice >= 252 ? (weft_dtype)(choice - 240) : choice < 128 ? frequent[choice % 4] : (weft_dtype)(choice % 12);
}

size_t scene_pick_length(scene *s) {
    unsigned choice = take(&s->in, 32);
    if (choice == 31) {
        return take_edge(&s->in);
    }
    return choice >= 28 ? take_bits(&s->in, 2) : take_byte(&s->in);
}

void scene_pick_range(scene *s, size_t whole, size_t *offset, size_t *length) {
    unsigned how = take(&s->in, 32);
    *offset = scene_pick_length(s);
    *length = scene_pick_length(s);
    if (how == 31) {
        return;
    }
    *offset %= whole + 1;
    size_t rest = whole - *offset;
    *length = how >= 29 ? rest + 1 : how % 2 ? rest : *length % (rest + 1);
}

/* ---- Handles -------------------------------------------------------------------------------------- */

void scene_add_device(scene *s, handle *place, weft_device_buffer *buffer, block *block, size_t offset_bytes, weft_dtype dtype,
                      size_t length) {
    weft_device_ptr ptr;
    *place = (handle){.device = buffer, .block = block, .offset_bytes = offset_bytes, .dtype = dtype, .length = length, .refs = 1};
    if (block->handles++ == 0 && !block->taken) {
        s->streams[block->owner].owned++;
    }
    CHECK(weft_device_buffer_length(buffer) == length && weft_device_buffer_dtype(buffer) == dtype &&
              weft_device_buffer_size_bytes(buffer) == handle_bytes(place),
          "a device buffer does not say its length, dtype or size");
    CHECK(weft_device_buffer_context(buffer) == s->streams[block->owner].handle, "a device buffer is of another context");
    MUST(weft_device_buffer_unsafe_ptr(buffer, &ptr));
    CHECK(ptr.mem && ptr.offset_bytes == offset_bytes, "a device buffer's pointer is at %zu instead of %zu", ptr.offset_bytes,
          offset_bytes);
    block->mem = ptr.mem;
}

void scene_add_host(scene *s, handle *place, weft_host_buffer *buffer, block *block, size_t offset_bytes, weft_dtype dtype,
                    size_t length, unsigned owner) {
    *place = (handle){.host = buffer, .block = block, .offset_bytes = offset_bytes, .dtype = dtype, .length = length, .refs = 1,
                      .owner = owner};
    block->handles++;
    s->streams[owner].owned++;
    CHECK(weft_host_buffer_length(buffer) == length && weft_host_buffer_dtype(buffer) == dtype &&
              weft_host_buffer_size_bytes(buffer) == handle_bytes(place),
          "a host buffer does not say its length, dtype or size");
    CHECK(weft_host_buffer_context(buffer) == s->streams[owner].handle, "a host buffer is of another context");
    CHECK(weft_host_buffer_data(buffer) == block->data + offset_bytes, "a host buffer's data is elsewhere");
}

void scene_before_owner_goes(scene *s, unsigned owner) {
    stream *stream = &s->streams[owner];
    if (stream->held) {
        return;
    }
    /* Only its buffers keep it; its handle is borrowed from them. */
    order_wait_for(s, stream->device, owner);
}

static void forget(scene *s, handle *h) {
    block *block = h->block;
    block->handles--;
    if (h->host) {
        s->streams[h->owner].owned--;
    } else if (!block->handles && !block->taken) {
        s->streams[block->owner].owned--;
    }
    if (!block->handles && !block->taken && !is_pad(s, block)) {
        block_free(block);
    }
    *h = (handle){0};
}

void scene_dropped(scene *s, handle *h) {
    handle *maps = h->maps;
    if (--h->refs || h->mappings) {
        return;
    }
    if (maps) {
        maps->block->mapped -= h->open;
        if (--maps->mappings == 0 && !maps->refs) {
            forget(s, maps);
        }
    }
    forget(s, h);
}

void scene_release(scene *s, handle *h) {
    if (!h->refs) {
        weft_device_buffer_release(h->device);
        weft_host_buffer_release(h->host);
        return;
    }
    scene_before_owner_goes(s, handle_owner(h));
    if (h->block->called) {
        order_before_host(s, h->block, true); /* a host function has its bare address */
    }
    if (h->maps) {
        scene_before_owner_goes(s, handle_owner(h->maps));
    }
    if (h->device) {
        weft_device_buffer_release(h->device);
    } else {
        weft_host_buffer_release(h->host);
    }
    scene_dropped(s, h);
}

/* ---- Checks --------------------------------------------------------------------------------------- */

void scene_check_host(scene *s, block *block) {
    order_before_host(s, block, false);
    shadow_check(block->cells, block->data, block->size, "host memory");
}

void scene_check_device(scene *s, const handle *h) {
    size_t size = handle_bytes(h);
    unsigned owner = h->block->owner;
    uint8_t *bytes = malloc(size + !size);
    CHECK(bytes, "no memory for the model");
    order_before(s, owner, NULL, 0, h->block, false);
    MUST(weft_enqueue_copy(s->streams[owner].handle, (void *)bytes, h->device));
    order_synchronize(s, owner);
    shadow_check(handle_cells(h), bytes, size, "device memory");
    free(bytes);
}

static void check_all(scene *s) {
    for (unsigned i = 0; i < DEVICE_HANDLES; i++) {
        if (s->device_buffers[i].refs && !s->device_buffers[i].block->mapped) {
            scene_check_device(s, &s->device_buffers[i]);
        }
    }
    for (unsigned i = 0; i < HOST_HANDLES; i++) {
        if (s->host_buffers[i].refs) {
            scene_check_host(s, s->host_buffers[i].block);
        }
    }
    for (unsigned i = 0; i < PADS; i++) {
        scene_check_host(s, s->pads[i]);
        order_before_host(s, s->pads[i], true); /* it must outlive the copies that use it */
    }
}

static void release_all(scene *s) {
    for (unsigned i = 0; i < HOST_HANDLES; i++) {
        while (s->host_buffers[i].refs) {
            scene_release(s, &s->host_buffers[i]);
        }
    }
    for (unsigned i = 0; i < DEVICE_HANDLES; i++) {
        while (s->device_buffers[i].refs) {
            scene_release(s, &s->device_buffers[i]);
        }
    }
    for (unsigned i = 0; i < TAKEN; i++) {
        block *block = s->taken[i].block;
        if (block) {
            weft_device_buffer *last = NULL;
            scene_before_owner_goes(s, block->owner);
            MUST(weft_wrap_device_ptr(scene_first[block->device], s->taken[i].ptr, WEFT_INT8, 0, true, &last));
            weft_device_buffer_release(last);
            block_free(block);
        }
    }
    for (unsigned i = DEVICES; i < s->n_streams; i++) {
        for (; s->streams[i].held; s->streams[i].held--) {
            weft_context_release(s->streams[i].handle);
        }
    }
}

void scene_end(scene *s) {
    check_all(s);
    release_all(s);
    for (unsigned i = 0; i < DEVICES; i++) {
        order_synchronize(s, i);
        CHECK(free_bytes(i) == free_at_begin[i], "%zu bytes are free on device %u instead of %zu", free_bytes(i), i,
              free_at_begin[i]);
    }
    events_end(s);
    for (unsigned i = 0; i < PADS; i++) {
        free(s->pads[i]->data);
        block_free(s->pads[i]);
    }
}
