/* Fills: any value into any dtype, any pattern. */
#include <math.h>

#include "operations.h"

/* A buffer of either kind, or nothing that can be filled. */
typedef struct target {
    handle *buffer; /* NULL: nothing */
    weft_memory operand;
} target;

static target pick_target(scene *s) {
    unsigned kind = take(&s->in, 64);
    if (kind == 63) {
        return (target){NULL, weft_memory_from_pointer(s->pads[0]->data, WEFT_ANY_DTYPE, 1)};
    }
    handle *h = kind % 2 ? scene_pick_host(s) : scene_pick_device(s);
    return (target){h->refs ? h : NULL,
                    kind % 2 ? weft_memory_from_host_buffer(h->host) : weft_memory_from_device_buffer(h->device)};
}

static weft_scalar pick_value(scene *s) {
    /* Edges of the formats, and numbers that would round wrong by way of a float. */
    static const double special[] = {0.0, -0.0, 1.5, 65504, 65519.99, 65520, 3.3895313892515355e38, 3.4028235677973366e38,
                                     5.9604644775390625e-8, 2.98e-8, 1e-40, 1e-45, 1e300, 255, 256, -129, 9.2233720368547758e18,
                                     0x1.0020000001p0, 0x1.0100000001p0, 0x1.00000100000001p0};
    unsigned how = take(&s->in, 16);
    uint64_t bits = how % 2 ? take_edge(&s->in) : take_bits(&s->in, 1 + take(&s->in, 8));
    float single;
    double whole;
    uint32_t low = (uint32_t)bits;
    memcpy(&single, &low, sizeof single);
    memcpy(&whole, &bits, sizeof whole);
    switch (how >> 1) {
        case 0:
            return weft_scalar_from_unsigned(bits & 0xFF, 1);
        case 1:
            return weft_scalar_from_signed((int16_t)bits, 2);
        case 2:
            return weft_scalar_from_signed((int64_t)bits, 8);
        case 3:
            return weft_scalar_from_unsigned(bits, 8);
        case 4:
            return weft_scalar_from_float(single);
        case 5:
            return weft_scalar_from_double(whole);
        case 6:
            return weft_scalar_from_double(special[bits % (sizeof special / sizeof *special)]);
        default:
            return bits % 16 == 15 ? (weft_scalar){0} : bits % 16 == 14 ? (weft_scalar){.kind = (weft_scalar_kind)9}
                                                                        : WEFT_SCALAR((float)(int8_t)bits / 4);
    }
}

/* A fill of `size` bytes at `offset` is about to run, and has. */
static unsigned order_fill(scene *s, handle *h, size_t size) {
    unsigned owner = handle_owner(h);
    if (size) {
        order_before(s, owner, NULL, 0, h->block, true);
    }
    return owner;
}

static void note_fill(scene *s, handle *h, size_t offset, const uint8_t *pattern, size_t pattern_bytes, size_t size) {
    if (size) {
        order_command(s, handle_owner(h));
        order_used(s, handle_owner(h), h->block, true);
    }
    for (size_t i = 0; i < size; i++) {
        handle_cells(h)[offset + i] = pattern[i % pattern_bytes];
    }
}

static bool is_nan(weft_dtype dtype, const uint8_t *element) {
    uint64_t bits = 0;
    memcpy(&bits, element, weft_dtype_size(dtype));
    return dtype == WEFT_FLOAT16    ? (bits & 0x7FFF) > 0x7C00
           : dtype == WEFT_BFLOAT16 ? (bits & 0x7FFF) > 0x7F80
           : dtype == WEFT_FLOAT32  ? (bits & 0x7FFFFFFF) > 0x7F800000
                                    : (bits << 1) > UINT64_C(0xFFE0000000000000);
}

/* A NaN's payload is the library's choice where it had to convert: what it chose is read back. */
static void take_nan(scene *s, handle *h, size_t offset, size_t size, uint8_t *element) {
    unsigned owner = handle_owner(h);
    size_t bytes = weft_dtype_size(h->dtype);
    if (size) {
        void *data = element;
        weft_memory source = h->device ? weft_memory_from_device_buffer(h->device) : weft_memory_from_host_buffer(h->host);
        MUST(weft_enqueue_copy_range(s->streams[owner].handle, data, 0, source, offset / bytes, 1));
        order_synchronize(s, owner);
        CHECK(is_nan(h->dtype, element), "a NaN filled a %s buffer with something else", weft_dtype_name(h->dtype));
    }
}

static void fill_elements(scene *s, bool ranged) {
    target t = pick_target(s);
    weft_scalar value = pick_value(s);
    handle *h = t.buffer;
    size_t offset = 0, length = h ? h->length : 0, element = h ? weft_dtype_size(h->dtype) : 1;
    if (ranged) {
        scene_pick_range(s, length, &offset, &length);
    }
    uint8_t bytes[8] = {0};
    bool nan = false;
    faults expected = h ? convert_by_model(value, h->dtype, bytes, &nan) |
                              FAULT_IF(offset > h->length || length > h->length - offset, WEFT_ERROR_OUT_OF_RANGE)
                        : INVALID;
    if (!expected) {
        order_fill(s, h, length * element);
    }
    weft_status status = ranged ? weft_enqueue_fill_range_scalar(t.operand, offset, length, value)
                                : weft_enqueue_fill_scalar(t.operand, value);
    if (verdict(expected, status, ranged ? "weft_enqueue_fill_range" : "weft_enqueue_fill")) {
        if (nan) {
            take_nan(s, h, offset * element, length * element, bytes);
        }
        note_fill(s, h, offset * element, bytes, element, length * element);
    }
}

void fill_whole(scene *s) {
    fill_elements(s, false);
}

void fill_range(scene *s) {
    fill_elements(s, true);
}

void fill_bytes(scene *s) {
    target t = pick_target(s);
    handle *h = t.buffer;
    size_t pattern_bytes = take(&s->in, 8) ? 1 + take(&s->in, 40) : scene_pick_length(s);
    size_t offset, count, whole = h ? handle_bytes(h) : 0, size = 0;
    uint8_t pattern[4096], given[4096], first = take_byte(&s->in), step = take_byte(&s->in);
    for (size_t i = 0; i < sizeof pattern; i++) {
        given[i] = pattern[i] = (uint8_t)(first + i * step);
    }
    scene_pick_range(s, whole, &offset, &count);
    bool past = offset > whole || count > whole - offset;
    count = pattern_bytes ? count / pattern_bytes + (past && count % pattern_bytes) : count;
    bool no_pattern = take_rarely(&s->in, 64);
    bool overflow = __builtin_mul_overflow(pattern_bytes, count, &size);
    faults expected = FAULT_IF(no_pattern || !h, WEFT_ERROR_INVALID_ARGUMENT) |
                      FAULT_IF(pattern_bytes < 1 || pattern_bytes > 4096, WEFT_ERROR_OUT_OF_RANGE) |
                      FAULT_IF(h && (overflow || offset > whole || size > whole - offset), WEFT_ERROR_OUT_OF_RANGE);
    if (!expected) {
        order_fill(s, h, size);
    }
    weft_status status = weft_enqueue_fill_memory(t.operand, offset, no_pattern ? NULL : given, pattern_bytes, count);
    memset(given, 0xEE, sizeof given); /* it was captured at the call */
    if (verdict(expected, status, "weft_enqueue_fill_bytes")) {
        note_fill(s, h, offset, pattern, pattern_bytes, size);
    }
}
