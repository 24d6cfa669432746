/* Copies between every two kinds of operand. */
#include "operations.h"

/* One side of a copy. */
typedef struct side {
    weft_memory operand;
    handle *buffer; /* or: */
    block *pad;
    size_t pad_offset, pad_bytes; /* the part of it that the pointer may be used for */
    weft_dtype dtype;             /* of a buffer */
    size_t length;                /* of a buffer or span */
} side;

/* A pointer into a pad, bare or a span, of any type. */
static void pick_pointer(scene *s, bool is_dst, side *out) {
    block *pad = scene_pick_pad(s);
    unsigned how = take_byte(&s->in);
    out->pad = pad;
    out->pad_offset = how % 8 * 8;
    out->pad_bytes = pad->size - (out->pad_offset < pad->size ? out->pad_offset : (out->pad_offset = 0));
    out->length = how >> 3 & 1 ? scene_pick_length(s) : WEFT_LENGTH_UNKNOWN;
    uint32_t dtypes = how >> 4 & 1 ? UINT32_C(1) << take(&s->in, 12) : WEFT_ANY_DTYPE;
    void *data = how >= 248 ? NULL : pad->data + out->pad_offset;
    bool read_only = is_dst ? how % 16 == 15 : how & 1;
    out->operand = read_only ? weft_memory_from_const_pointer(data, dtypes, out->length)
                             : weft_memory_from_pointer(data, dtypes, out->length);
}

static side pick_side(scene *s, bool is_dst) {
    side side = {0};
    unsigned kind = take(&s->in, 64);
    if (kind == 63) {
        side.operand.kind = (weft_memory_kind)(take(&s->in, 4) * 5);
        side.operand.object = side.operand.kind == WEFT_MEMORY_NONE ? NULL : s;
    } else if (kind % 3 == 0) {
        side.buffer = scene_pick_device(s);
        side.operand = weft_memory_from_device_buffer(side.buffer->device);
    } else if (kind % 3 == 1) {
        side.buffer = scene_pick_host(s);
        side.operand = weft_memory_from_host_buffer(side.buffer->host);
    } else {
        pick_pointer(s, is_dst, &side);
    }
    if (side.buffer) {
        side.buffer = side.buffer->refs ? side.buffer : NULL;
        side.dtype = side.buffer ? side.buffer->dtype : WEFT_INT8;
        side.length = side.buffer ? side.buffer->length : 0;
    }
    return side;
}

/* Whether it is nothing that a copy takes. */
static bool is_nothing(const side *side) {
    bool pointer = side->operand.kind == WEFT_MEMORY_POINTER;
    return !side->buffer && !(pointer && (side->operand.object || side->length != WEFT_LENGTH_UNKNOWN));
}

/* What is wrong before lengths matter. */
static faults side_faults(const side *dst, const side *src, weft_dtype *dtype) {
    *dtype = WEFT_INT8;
    if (is_nothing(dst) || is_nothing(src) || (!dst->buffer && !src->buffer)) {
        return INVALID;
    }
    *dtype = dst->buffer ? dst->dtype : src->dtype;
    const side *pointer = dst->buffer ? src->buffer ? NULL : src : dst;
    bool differ = pointer ? !(pointer->operand.dtypes & WEFT_DTYPE_BIT(*dtype)) : dst->dtype != src->dtype;
    return FAULT_IF(differ, WEFT_ERROR_TYPE_MISMATCH) |
           FAULT_IF(!dst->buffer && dst->operand.read_only, WEFT_ERROR_INVALID_ARGUMENT);
}

static faults pointer_faults(const side *side, size_t length) {
    return FAULT_IF(!side->buffer && !side->operand.object && length, WEFT_ERROR_INVALID_ARGUMENT);
}

static faults range_faults(const side *side, size_t offset, size_t length, size_t element) {
    size_t whole = side->length == WEFT_LENGTH_UNKNOWN ? SIZE_MAX / element : side->length;
    return FAULT_IF(offset > whole || length > whole - offset, WEFT_ERROR_OUT_OF_RANGE);
}

/* False when a pointer's memory ends before what the copy may use: only the program knows that. */
static bool has_memory(const side *side, size_t offset, size_t size) {
    return side->buffer || !side->operand.object || (offset <= side->pad_bytes && size <= side->pad_bytes - offset);
}

static block *block_of(const side *side) {
    return side->buffer ? side->buffer->block : side->pad;
}

static cell *cells_of(const side *side) {
    return side->buffer ? handle_cells(side->buffer) : side->pad->cells + side->pad_offset;
}

/* Puts before the copy what must come before it; a pointer's memory is captured at the call. */
static void order_copy(scene *s, unsigned at, const side *dst, const side *src, unsigned *others, unsigned *n_others) {
    *n_others = 0;
    const side *sides[] = {dst, src};
    for (unsigned i = 0; i < 2; i++) {
        if (sides[i]->buffer) {
            others[(*n_others)++] = handle_owner(sides[i]->buffer);
        }
    }
    order_before(s, at, others, *n_others, block_of(dst), true);
    if (src->buffer) {
        order_before(s, at, others, *n_others, block_of(src), false);
    } else {
        order_before_host(s, block_of(src), false);
    }
}

static bool is_elsewhere(const scene *s, unsigned at, const side *side) {
    return side->buffer && side->buffer->device && side->buffer->block->device != s->streams[at].device;
}

/* The copy was enqueued. */
static void note_copy(scene *s, unsigned at, const side *dst, const side *src, const unsigned *others, unsigned n_others) {
    for (unsigned i = 0; i < n_others; i++) {
        order_join(s, at, others[i]);
    }
    order_command(s, at);
    order_used(s, at, block_of(dst), true);
    if (src->buffer) {
        order_used(s, at, block_of(src), false);
    }
    for (unsigned i = 0; i < n_others; i++) {
        order_join(s, others[i], at);
    }
    if (is_elsewhere(s, at, dst) || is_elsewhere(s, at, src)) {
        order_synchronized(s, at); /* between devices it blocks */
    }
}

typedef struct copy {
    side dst, src;
    weft_dtype dtype;
    size_t dst_offset, src_offset, length;
} copy;

/* Makes one copy: `call` enqueues it on context `at`. */
static void run_copy(scene *s, unsigned at, const copy *c, faults expected, weft_status (*call)(scene *, unsigned, const copy *),
                     const char *name) {
    size_t element = weft_dtype_size(c->dtype), size = c->length * element;
    size_t to = c->dst_offset * element, from = c->src_offset * element;
    unsigned others[2], n_others = 0;
    if (!expected && (!has_memory(&c->dst, to, size) || !has_memory(&c->src, from, size))) {
        return;
    }
    bool moves = !expected && size;
    if (moves) {
        order_copy(s, at, &c->dst, &c->src, others, &n_others);
    }
    verdict(expected, call(s, at, c), name);
    if (moves) {
        note_copy(s, at, &c->dst, &c->src, others, n_others);
        shadow_copy(cells_of(&c->dst) + to, cells_of(&c->src) + from, size);
    }
}

static faults whole_faults(copy *c) {
    faults found = side_faults(&c->dst, &c->src, &c->dtype);
    if (found) {
        return found;
    }
    c->length = c->dst.buffer ? c->dst.length : c->src.length;
    const side *other = c->dst.buffer ? &c->src : &c->dst;
    return FAULT_IF(other->length < c->length, WEFT_ERROR_OUT_OF_RANGE) | pointer_faults(other, c->length);
}

static weft_status call_whole(scene *s, unsigned at, const copy *c) {
    return weft_enqueue_copy_memory(s->streams[at].handle, c->dst.operand, c->src.operand);
}

void copy_whole(scene *s) {
    unsigned at = scene_pick_stream(s);
    copy c = {.dst = pick_side(s, true), .src = pick_side(s, false)};
    faults expected = whole_faults(&c);
    if (take_rarely(&s->in, 64)) {
        EXPECT(expected | INVALID, weft_enqueue_copy_memory(NULL, c.dst.operand, c.src.operand));
        return;
    }
    run_copy(s, at, &c, expected, call_whole, "weft_enqueue_copy");
}

static weft_status call_to(scene *s, unsigned at, const copy *c) {
    (void)s, (void)at;
    return c->src.operand.kind == WEFT_MEMORY_DEVICE_BUFFER
               ? weft_device_buffer_enqueue_copy_to_memory(c->src.buffer ? c->src.buffer->device : NULL, c->dst.operand)
               : weft_host_buffer_enqueue_copy_to_memory(c->src.buffer ? c->src.buffer->host : NULL, c->dst.operand);
}

static weft_status call_from(scene *s, unsigned at, const copy *c) {
    (void)s, (void)at;
    return c->dst.operand.kind == WEFT_MEMORY_DEVICE_BUFFER
               ? weft_device_buffer_enqueue_copy_from_memory(c->dst.buffer ? c->dst.buffer->device : NULL, c->src.operand)
               : weft_host_buffer_enqueue_copy_from_memory(c->dst.buffer ? c->dst.buffer->host : NULL, c->src.operand);
}

void copy_on_own(scene *s) {
    copy c = {.dst = pick_side(s, true), .src = pick_side(s, false)};
    bool to = take(&s->in, 2);
    side *own = to ? &c.src : &c.dst;
    if (own->operand.kind != WEFT_MEMORY_DEVICE_BUFFER && own->operand.kind != WEFT_MEMORY_HOST_BUFFER) {
        return;
    }
    unsigned at = own->buffer ? handle_owner(own->buffer) : 0;
    run_copy(s, at, &c, whole_faults(&c), to ? call_to : call_from, to ? "enqueue_copy_to" : "enqueue_copy_from");
}

static weft_status call_range(scene *s, unsigned at, const copy *c) {
    return weft_enqueue_copy_range_memory(s->streams[at].handle, c->dst.operand, c->dst_offset, c->src.operand, c->src_offset,
                                          c->length);
}

/* How many elements there are, as the copy is told or as the program knows. */
static size_t extent(const side *side, size_t element) {
    size_t whole = side->buffer ? side->length : side->pad_bytes / element;
    return side->length < whole ? side->length : whole;
}

void copy_range(scene *s) {
    unsigned at = scene_pick_stream(s);
    copy c = {.dst = pick_side(s, true), .src = pick_side(s, false)};
    faults expected = side_faults(&c.dst, &c.src, &c.dtype);
    size_t element = weft_dtype_size(c.dtype);
    bool by_dst = take(&s->in, 2);
    size_t *first = by_dst ? &c.dst_offset : &c.src_offset, *second = by_dst ? &c.src_offset : &c.dst_offset, ignored;
    scene_pick_range(s, extent(by_dst ? &c.dst : &c.src, element), first, &c.length);
    size_t other = extent(by_dst ? &c.src : &c.dst, element);
    if (c.length <= other) {
        scene_pick_range(s, other - c.length, second, &ignored);
    } else if (!take_rarely(&s->in, 8)) {
        c.length = other;
    }
    if (!expected) {
        expected = range_faults(&c.dst, c.dst_offset, c.length, element) | range_faults(&c.src, c.src_offset, c.length, element) |
                   pointer_faults(&c.dst, c.length) | pointer_faults(&c.src, c.length);
    }
    run_copy(s, at, &c, expected, call_range, "weft_enqueue_copy_range");
}

/* ---- Boxes ------------------------------------------------------------------------------------------ */

__extension__ typedef unsigned __int128 wide; /* what no size overflows */

typedef struct box_side {
    weft_rect rect;
    wide row, slice, end; /* with tight pitches filled in, and the element behind the last */
} box_side;

typedef struct box {
    copy copy;
    box_side dst, src;
    size_t width, height, depth;
} box;

static void pick_rect(scene *s, const box *b, const side *side, size_t element, box_side *out) {
    unsigned how = take_byte(&s->in);
    size_t whole = extent(side, element);
    out->rect.offset = how & 1 ? whole ? take_byte(&s->in) % whole : 0 : 0;
    out->rect.row_pitch = how & 2 ? b->width + take(&s->in, 8) - (how & 4 && how & 8 && how & 16) : 0;
    out->row = out->rect.row_pitch ? out->rect.row_pitch : b->width;
    out->rect.slice_pitch = how & 32 ? (size_t)out->row * b->height + take(&s->in, 8) - (how & 64 ? 2u : 0u) : 0;
    if (how == 255) {
        *(how & 1 && take(&s->in, 2) ? &out->rect.offset : &out->rect.row_pitch) = (size_t)take_edge(&s->in);
        out->row = out->rect.row_pitch ? out->rect.row_pitch : b->width;
    }
    out->slice = out->rect.slice_pitch ? out->rect.slice_pitch : out->row * b->height;
    out->end = out->rect.offset + (b->depth - 1) * out->slice + (b->height - 1) * out->row + b->width;
}

static faults box_faults(const box *b, const side *side, const box_side *at, size_t element) {
    wide whole = side->length == WEFT_LENGTH_UNKNOWN ? SIZE_MAX / element : side->length;
    wide least = (b->height - 1) * at->row + b->width;
    return FAULT_IF(b->height > 1 && at->row < b->width, WEFT_ERROR_INVALID_ARGUMENT) |
           FAULT_IF(b->depth > 1 && at->slice < least, WEFT_ERROR_INVALID_ARGUMENT) |
           FAULT_IF(at->row * b->height > SIZE_MAX || at->end > whole, WEFT_ERROR_OUT_OF_RANGE) | pointer_faults(side, b->width);
}

/* As through a temporary. */
static void box_model(const box *b, size_t element) {
    size_t row = b->width * element, at = 0;
    cell *between = shadow_new(row * b->height * b->depth), *to = cells_of(&b->copy.dst), *from = cells_of(&b->copy.src);
    for (int writes = 0; writes < 2; writes++, at = 0) {
        for (size_t z = 0; z < b->depth; z++) {
            for (size_t y = 0; y < b->height; y++, at += row) {
                const box_side *side = writes ? &b->dst : &b->src;
                size_t place = (side->rect.offset + z * (size_t)side->slice + y * (size_t)side->row) * element;
                shadow_copy(writes ? to + place : between + at, writes ? between + at : from + place, row);
            }
        }
    }
    free(between);
}

static bool box_has_memory(const side *side, const box_side *at, size_t element) {
    return side->buffer || !side->operand.object || at->end * element <= side->pad_bytes;
}

void copy_box(scene *s) {
    unsigned at = scene_pick_stream(s), others[2], n_others = 0;
    box b = {.copy = {.dst = pick_side(s, true), .src = pick_side(s, false)}};
    faults expected = side_faults(&b.copy.dst, &b.copy.src, &b.copy.dtype);
    size_t element = weft_dtype_size(b.copy.dtype);
    b.width = take(&s->in, 24);
    b.height = take(&s->in, 6);
    b.depth = take(&s->in, 4);
    bool moves = b.width && b.height && b.depth;
    if (moves) {
        pick_rect(s, &b, &b.copy.dst, element, &b.dst);
        pick_rect(s, &b, &b.copy.src, element, &b.src);
        if (!expected) {
            expected = box_faults(&b, &b.copy.dst, &b.dst, element) | box_faults(&b, &b.copy.src, &b.src, element);
        }
        if (!expected && (!box_has_memory(&b.copy.dst, &b.dst, element) || !box_has_memory(&b.copy.src, &b.src, element))) {
            return;
        }
    }
    moves = moves && !expected;
    if (moves) {
        order_copy(s, at, &b.copy.dst, &b.copy.src, others, &n_others);
    }
    EXPECT(expected, weft_enqueue_copy_rect_memory(s->streams[at].handle, b.copy.dst.operand, &b.dst.rect, b.copy.src.operand,
                                                   &b.src.rect, b.width, b.height, b.depth));
    if (moves) {
        note_copy(s, at, &b.copy.dst, &b.copy.src, others, n_others);
        box_model(&b, element);
    }
}

/* ---- The program's own look at memory -------------------------------------------------------------- */

/* A writer that gives up after so many pieces. */
static weft_status write_some(void *user, const char *text, size_t size_bytes) {
    unsigned *left = user;
    for (size_t i = 0; i < size_bytes; i++) {
        CHECK(text[i] >= ' ' && text[i] <= '~', "printed byte %d", text[i]);
    }
    return (*left)-- ? WEFT_OK : WEFT_ERROR_INVALID_ARGUMENT;
}

void print_buffer(scene *s) {
    bool host = take(&s->in, 2), gives_up = take(&s->in, 2);
    handle *h = host ? scene_pick_host(s) : scene_pick_device(s);
    unsigned left = gives_up ? 0 : UINT32_MAX;
    faults expected = !h->refs ? INVALID : gives_up ? FAULT(WEFT_ERROR_IO) : 0;
    if (!h->refs) {
        EXPECT(expected, weft_device_buffer_write_with(NULL, write_some, &left));
        EXPECT(expected, weft_host_buffer_write_with(NULL, write_some, &left));
    } else if (host) {
        order_before_host(s, h->block, false);
        EXPECT(expected, weft_host_buffer_write_with(h->host, write_some, &left));
    } else {
        order_before(s, h->block->owner, NULL, 0, h->block, false);
        EXPECT(expected, weft_device_buffer_write_with(h->device, write_some, &left));
    }
}

/* The program writes a host buffer's memory itself. */
void host_writes(scene *s) {
    handle *h = scene_pick_host(s);
    if (!h->refs) {
        return;
    }
    size_t size = handle_bytes(h), at = size ? take_byte(&s->in) % size : 0, count = take_byte(&s->in);
    count = count < size - at ? count : size - at;
    order_before_host(s, h->block, true);
    uint8_t *data = weft_host_buffer_data(h->host), first = take_byte(&s->in);
    for (size_t i = at; i < at + count; i++) {
        data[i] = (uint8_t)(first + i);
        h->block->cells[h->offset_bytes + i] = data[i];
    }
}

void check_one(scene *s) {
    bool host = take(&s->in, 2);
    handle *h = host ? scene_pick_host(s) : scene_pick_device(s);
    if (h->refs && host) {
        scene_check_host(s, h->block);
    } else if (h->refs) {
        scene_check_device(s, h);
    }
}
