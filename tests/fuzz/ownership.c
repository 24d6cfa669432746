/* Who a buffer belongs to: contexts, raw pointers, mappings. */
#include "operations.h"

static bool is_shared(const handle *h) {
    return h->refs > 1 || h->mappings || h->block->handles > 1;
}

void reassign(scene *s) {
    handle *h = scene_pick_device(s);
    unsigned to = scene_pick_stream(s);
    bool no_context = take_rarely(&s->in, 32);
    if (!h->refs || no_context) {
        EXPECT(INVALID, weft_device_buffer_reassign_ownership_to(h->device, no_context ? NULL : s->streams[to].handle));
        return;
    }
    block *block = h->block;
    unsigned from = block->owner;
    bool moves = block->device != s->streams[to].device;
    faults expected = 0;
    if (moves) {
        /* A handle that weft_wrap_device_ptr made is a view by its description, and the only one all the same. */
        expected = h->view || is_shared(h) || block->taken ? UNSUPPORTED : h->wrapped ? UNSUPPORTED | FAULT(WEFT_OK) : 0;
        const unsigned others[] = {from};
        order_before(s, to, others, 1, block, true); /* nobody else may be using it meanwhile */
    }
    scene_before_owner_goes(s, from);
    if (EXPECT(expected, weft_device_buffer_reassign_ownership_to(h->device, s->streams[to].handle))) {
        order_join(s, to, from);
        if (moves && block->size) {
            order_command(s, to);
            order_used(s, to, block, true);
            order_synchronized(s, to); /* it blocks */
            order_join(s, from, to);
        }
        s->streams[from].owned--;
        s->streams[to].owned++;
        block->owner = to;
        block->device = s->streams[to].device;
        weft_device_ptr ptr;
        MUST(weft_device_buffer_unsafe_ptr(h->device, &ptr));
        block->mem = ptr.mem;
        CHECK(weft_device_buffer_context(h->device) == s->streams[to].handle, "a reassigned buffer is of another context");
    }
}

void take_pointer(scene *s) {
    handle *h = scene_pick_device(s);
    weft_device_ptr ptr = {(void *)s, 1};
    unsigned place = 0;
    while (place < TAKEN && s->taken[place].block) {
        place++;
    }
    if (place == TAKEN) {
        return;
    }
    bool refused = !h->refs || h->view || is_shared(h) || h->block->taken;
    faults expected = refused ? INVALID : h->wrapped ? INVALID | FAULT(WEFT_OK) : 0;
    if (!EXPECT(expected, weft_device_buffer_take_ptr(h->device, &ptr))) {
        CHECK(!ptr.mem && !ptr.offset_bytes, "a refused take_ptr gave a pointer");
        return;
    }
    CHECK(ptr.mem == h->block->mem && ptr.offset_bytes == h->offset_bytes, "take_ptr gave another pointer than unsafe_ptr");
    s->taken[place].block = h->block;
    s->taken[place].ptr = ptr;
    h->block->taken = true;
    scene_dropped(s, h);
}

/* Memory that weft_wrap_device_ptr is to find: of a buffer, or given away. */
static block *pick_memory(scene *s, unsigned *place) {
    *place = take(&s->in, TAKEN);
    block *block = s->taken[*place].block;
    if (!block) {
        block = scene_pick_device(s)->block;
        for (*place = 0; *place < TAKEN && (!block || s->taken[*place].block != block); ++*place) {
        }
    }
    return block;
}

void wrap_pointer(scene *s) {
    unsigned place;
    handle *free = scene_free_device(s);
    block *block = pick_memory(s, &place);
    unsigned at = scene_pick_stream(s);
    weft_dtype dtype = scene_pick_dtype(s);
    size_t element = weft_dtype_size(dtype), size, offset, length;
    scene_pick_range(s, block ? block->size / (element ? element : 1) : 8, &offset, &length);
    bool owning = take(&s->in, 2);
    if (!free || (block && block->mapped)) {
        return;
    }
    const weft_device_ptr ptr = {block ? block->mem : NULL, offset * (element ? element : 1) + take_rarely(&s->in, 8)};
    faults expected = FAULT_IF(!block || block->device != s->streams[at].device, WEFT_ERROR_INVALID_ARGUMENT) |
                      FAULT_IF(!element, WEFT_ERROR_TYPE_MISMATCH) |
                      FAULT_IF(block && owning && !block->taken, WEFT_ERROR_INVALID_ARGUMENT);
    bool overflow = __builtin_mul_overflow(length, element, &size);
    if (block) {
        bool outside = overflow || ptr.offset_bytes > block->size || size > block->size - ptr.offset_bytes;
        expected |= FAULT_IF(outside, WEFT_ERROR_OUT_OF_RANGE);
    } else {
        expected |= FAULT_IF(overflow, WEFT_ERROR_OUT_OF_RANGE);
    }
    if (block && owning) {
        scene_before_owner_goes(s, block->owner);
    }
    weft_device_buffer *made = (void *)s;
    if (!EXPECT(expected, weft_wrap_device_ptr(s->streams[at].handle, ptr, dtype, length, owning, &made))) {
        CHECK(!made, "a refused wrap set its out-parameter");
        return;
    }
    if (owning) {
        s->streams[block->owner].owned--;
        s->streams[at].owned++;
        block->owner = at;
    }
    scene_add_device(s, free, made, block, ptr.offset_bytes, dtype, length);
    free->wrapped = !owning;
    if (owning) {
        block->taken = false;
        s->taken[place].block = NULL;
    }
}

void map_buffer(scene *s) {
    handle *h = scene_pick_device(s), *place = scene_free_host(s);
    weft_host_buffer *made = (void *)s;
    if (!place) {
        return;
    }
    if (!h->refs) {
        EXPECT(INVALID, weft_device_buffer_map_to_host(h->device, &made));
        CHECK(!made, "a refused mapping set its out-parameter");
        return;
    }
    unsigned owner = h->block->owner;
    order_before(s, owner, NULL, 0, h->block, false);
    weft_status status = WEFT_OK;
    if (take(&s->in, 2)) {
        made = weft_mapping_begin(&status, h->device);
    } else {
        status = weft_device_buffer_map_to_host(h->device, &made);
    }
    verdict(0, status, "weft_device_buffer_map_to_host");
    order_synchronized(s, owner);
    block *block = scene_new_block(handle_bytes(h));
    block->data = weft_host_buffer_data(made);
    shadow_copy(block->cells, handle_cells(h), handle_bytes(h));
    scene_add_host(s, place, made, block, 0, h->dtype, h->length, owner);
    shadow_check(block->cells, block->data, block->size, "a mapping");
    place->maps = h;
    place->open = true;
    h->mappings++;
    h->block->mapped++;
}

void unmap_buffer(scene *s) {
    handle *mapped = NULL;
    for (unsigned i = 0; i < HOST_HANDLES; i++) {
        mapped = s->host_buffers[i].open ? &s->host_buffers[i] : mapped;
    }
    handle *other = scene_pick_device(s), *unmapped = scene_pick_host(s);
    if (!mapped || take_rarely(&s->in, 4)) {
        if (!unmapped->maps || unmapped->maps != other) {
            EXPECT(INVALID, weft_device_buffer_unmap(other->device, unmapped->host));
        }
        return;
    }
    handle *h = mapped->maps;
    if (!h->refs) {
        return;
    }
    unsigned owner = h->block->owner;
    const unsigned others[] = {mapped->owner};
    order_before(s, owner, others, 1, h->block, true);
    order_before(s, owner, others, 1, mapped->block, false);
    scene_before_owner_goes(s, mapped->owner);
    weft_status status = WEFT_OK;
    if (take(&s->in, 2)) {
        weft_mapping_end(&status, h->device, mapped->host);
    } else {
        status = weft_device_buffer_unmap(h->device, mapped->host);
    }
    verdict(0, status, "weft_device_buffer_unmap");
    order_join(s, owner, mapped->owner);
    order_command(s, owner);
    order_used(s, owner, h->block, true);
    order_synchronized(s, owner);
    shadow_copy(handle_cells(h), mapped->block->cells, handle_bytes(h));
    h->block->mapped--;
    mapped->open = false;
    scene_dropped(s, mapped);
}
