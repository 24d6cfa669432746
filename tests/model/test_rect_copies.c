/* weft_enqueue_copy_rect: boxes with pitches between all kinds of memory, against a loop on the host. */
#include <stdint.h>

#include "support.h"

enum { LENGTH = 6000 };

typedef enum kind { DEVICE, HOST_BUFFER, POINTER, SPAN, KINDS } kind;

/* One side: memory of some kind, and what it should hold. */
typedef struct side {
    kind kind;
    weft_device_buffer *device;
    weft_host_buffer *host;
    uint16_t *data;
    uint16_t model[LENGTH];
} side;

typedef struct box {
    weft_rect at;
    size_t width, height, depth;
} box;

static uint32_t state;
static size_t below(size_t n) {
    state = state * 1664525u + 1013904223u;
    return (size_t)(state >> 8) % n;
}

static void make(side *s, kind kind, weft_context *context) {
    *s = (side){.kind = kind};
    s->data = malloc(sizeof s->model);
    for (size_t i = 0; i < LENGTH; i++) s->data[i] = s->model[i] = (uint16_t)below(65536);
    if (kind == DEVICE) {
        OK(weft_enqueue_create_buffer(context, WEFT_UINT16, LENGTH, &s->device));
        OK(weft_enqueue_copy(context, s->device, s->data));
    } else if (kind == HOST_BUFFER) {
        OK(weft_enqueue_create_host_buffer(context, WEFT_UINT16, LENGTH, &s->host));
        memcpy(weft_host_buffer_data(s->host), s->data, sizeof s->model);
    }
}

static weft_memory operand(const side *s) {
    switch (s->kind) {
        case DEVICE:
            return weft_memory_from_device_buffer(s->device);
        case HOST_BUFFER:
            return weft_memory_from_host_buffer(s->host);
        case POINTER:
            return WEFT_DESTINATION(s->data);
        default:
            return WEFT_SPAN(s->data, LENGTH);
    }
}

static void end(side *s, weft_context *context) {
    if (s->kind == DEVICE) OK(weft_enqueue_copy(context, s->data, s->device));
    OK(weft_synchronize(context));
    const uint16_t *now = s->kind == HOST_BUFFER ? weft_host_buffer_data(s->host) : s->data;
    for (size_t i = 0; i < LENGTH; i++) {
        ck_assert_msg(now[i] == s->model[i], "kind %d: element %zu is %u instead of %u", (int)s->kind, i, now[i], s->model[i]);
    }
    weft_device_buffer_release(s->device);
    weft_host_buffer_release(s->host);
    free(s->data);
}

static size_t row_of(const box *b) { return b->at.row_pitch ? b->at.row_pitch : b->width; }
static size_t slice_of(const box *b) { return b->at.slice_pitch ? b->at.slice_pitch : row_of(b) * b->height; }

static size_t place(const box *b, size_t x, size_t y, size_t z) {
    return b->at.offset + z * slice_of(b) + y * row_of(b) + x;
}

/* As through a temporary. */
static void copy_model(uint16_t *dst, const box *to, const uint16_t *src, const box *from) {
    uint16_t *between = malloc(to->width * to->height * to->depth * sizeof *between), *p = between;
    for (size_t z = 0; z < to->depth; z++)
        for (size_t y = 0; y < to->height; y++)
            for (size_t x = 0; x < to->width; x++) *p++ = src[place(from, x, y, z)];
    p = between;
    for (size_t z = 0; z < to->depth; z++)
        for (size_t y = 0; y < to->height; y++)
            for (size_t x = 0; x < to->width; x++) dst[place(to, x, y, z)] = *p++;
    free(between);
}

/* A box of this extent somewhere within LENGTH; pitches tight, padded, and slices that are no whole number of rows. */
static box somewhere(size_t width, size_t height, size_t depth) {
    box b = {{0}, width, height, depth};
    if (below(3)) b.at.row_pitch = width + below(5);
    switch (below(3)) {
        case 0:
            break;
        case 1:
            b.at.slice_pitch = row_of(&b) * (height + below(3));
            break;
        default:
            b.at.slice_pitch = row_of(&b) * (height - 1) + width + below(9);
    }
    size_t whole = place(&b, width - 1, height - 1, depth - 1) + 1;
    ck_assert_uint_le(whole, LENGTH);
    b.at.offset = below(LENGTH - whole + 1);
    return b;
}

static void copy(weft_context *context, side *dst, const box *to, side *src, const box *from) {
    copy_model(dst->model, to, src->model, from);
    OK(weft_enqueue_copy_rect_memory(context, operand(dst), &to->at, operand(src), &from->at, to->width, to->height, to->depth));
}

static void extent(size_t *width, size_t *height, size_t *depth) {
    *width = 1 + below(40);
    *height = 1 + below(8);
    *depth = 1 + below(6);
}

START_TEST(boxes_between_all_kinds_of_memory) {
    weft_context *context = test_context();
    size_t rounds = test_size(40, 4);
    for (int to = 0; to < KINDS; to++) {
        for (int from = 0; from < KINDS; from++) {
            if (to >= POINTER && from >= POINTER) continue;
            state = (uint32_t)(to * KINDS + from + 1);
            side dst, src;
            make(&dst, (kind)to, context);
            make(&src, (kind)from, context);
            for (size_t i = 0; i < rounds; i++) {
                size_t width, height, depth;
                extent(&width, &height, &depth);
                const box a = somewhere(width, height, depth), b = somewhere(width, height, depth);
                copy(context, &dst, &a, &src, &b);
                if (to >= POINTER || from >= POINTER) OK(weft_synchronize(context));
            }
            end(&dst, context);
            end(&src, context);
        }
    }
}
END_TEST

static void overlapping(kind kind) {
    weft_context *context = test_context();
    side s;
    state = 77;
    make(&s, kind, context);
    for (size_t i = 0; i < test_size(200, 20); i++) {
        size_t width, height, depth;
        extent(&width, &height, &depth);
        if (i % 2) depth = 1;
        box a = somewhere(width, height, depth), b = somewhere(width, height, depth);
        if (i % 3) b.at = a.at; /* one grid */
        if (i % 3) b.at.offset = (a.at.offset / 2) + below(3);
        copy(context, &s, &a, &s, &b);
    }
    end(&s, context);
}

START_TEST(boxes_that_overlap_on_the_device) { overlapping(DEVICE); }
END_TEST

START_TEST(boxes_that_overlap_in_a_host_buffer) { overlapping(HOST_BUFFER); }
END_TEST

/* The left half of an image onto its right half: neighbours in every row, apart all the same. */
START_TEST(columns_of_one_image) {
    weft_context *context = test_context();
    side s;
    state = 5;
    make(&s, DEVICE, context);
    const box left = {{0, 60, 0}, 30, 100, 1}, right = {{30, 60, 0}, 30, 100, 1}, wrapped = {{45, 60, 0}, 30, 99, 1};
    copy(context, &s, &right, &s, &left);
    const box first = {{0, 60, 0}, 30, 99, 1};
    copy(context, &s, &wrapped, &s, &first); /* a row's end lies in the next one's begin */
    end(&s, context);
}
END_TEST

START_TEST(nothing_and_no_rects) {
    weft_context *context = test_context();
    side dst, src;
    state = 9;
    make(&dst, DEVICE, context);
    make(&src, HOST_BUFFER, context);
    OK(weft_enqueue_copy_rect(context, dst.device, NULL, src.host, NULL, 0, 5, 5));
    OK(weft_enqueue_copy_rect(context, dst.device, NULL, src.host, NULL, 5, 0, 5));
    OK(weft_enqueue_copy_rect(context, dst.device, NULL, src.host, NULL, 5, 5, 0));
    const box whole = {{0, 0, 0}, 10, 20, 30};
    copy_model(dst.model, &whole, src.model, &whole);
    OK(weft_enqueue_copy_rect(context, dst.device, NULL, src.host, NULL, 10, 20, 30));
    end(&dst, context);
    end(&src, context);
}
END_TEST

START_TEST(views_count_from_their_own_begin) {
    weft_context *context = test_context();
    side dst, src;
    state = 10;
    make(&dst, DEVICE, context);
    make(&src, DEVICE, context);
    weft_device_buffer *view = test_view(dst.device, WEFT_UINT16, 7, 1000), *other = test_view(src.device, WEFT_UINT16, 13, 500);
    const box to = {{7 + 3, 11, 0}, 9, 10, 1}, from = {{13 + 1, 12, 0}, 9, 10, 1};
    copy_model(dst.model, &to, src.model, &from);
    const weft_rect a = {3, 11, 0}, b = {1, 12, 0};
    OK(weft_enqueue_copy_rect(context, view, &a, other, &b, 9, 10, 1));
    end(&dst, context);
    end(&src, context);
}
END_TEST

/* More than one piece, where bytes pass through memory between. */
START_TEST(large_boxes_through_pieces) {
    weft_context *context = test_context();
    const size_t width = 2000, height = test_size(3000, 20), pitch = 2001;
    weft_host_buffer *src = test_host_buffer(WEFT_INT32, pitch * height), *dst = test_host_buffer(WEFT_INT32, width * height);
    int32_t *from = weft_host_buffer_data(src), *to = weft_host_buffer_data(dst);
    for (size_t i = 0; i < pitch * height; i++) from[i] = (int32_t)i;
    const weft_rect padded = {0, pitch, 0};
    OK(weft_enqueue_copy_rect(context, dst, NULL, src, &padded, width, height, 1));
    OK(weft_synchronize(context));
    for (size_t y = 0; y < height; y++)
        ck_assert_mem_eq(to + y * width, from + y * pitch, width * sizeof *to);
}
END_TEST

START_TEST(boxes_between_devices) {
    weft_context *here = test_context(), *there = test_other_device();
    if (!there) SKIP("one device");
    for (int kinds = 0; kinds < 3; kinds++) {
        side dst, src;
        state = 20 + (uint32_t)kinds;
        make(&dst, kinds == 1 ? POINTER : DEVICE, here);
        make(&src, kinds == 2 ? POINTER : DEVICE, kinds == 2 ? here : there);
        for (int i = 0; i < 10; i++) {
            size_t width, height, depth;
            extent(&width, &height, &depth);
            const box a = somewhere(width, height, depth), b = somewhere(width, height, depth);
            copy(i % 2 && kinds == 0 ? there : here, &dst, &a, &src, &b);
        }
        end(&dst, here);
        end(&src, kinds == 2 ? here : there);
    }
}
END_TEST

/* The source on the stack may be changed after the call, as for any copy. */
START_TEST(order_with_other_contexts) {
    weft_context *context = test_context(), *sibling = NULL;
    OK(weft_context_create_stream(context, NULL, &sibling));
    side dst, src;
    state = 30;
    make(&dst, DEVICE, context);
    make(&src, DEVICE, sibling);
    for (int i = 0; i < 20; i++) {
        size_t width, height, depth;
        extent(&width, &height, &depth);
        const box a = somewhere(width, height, depth), b = somewhere(width, height, depth);
        copy(i % 2 ? context : sibling, &dst, &a, &src, &b);
        copy(i % 2 ? sibling : context, &src, &b, &dst, &a);
    }
    end(&dst, context);
    end(&src, sibling);
    weft_context_release(sibling);
}
END_TEST

TESTS(boxes_between_all_kinds_of_memory, boxes_that_overlap_on_the_device, boxes_that_overlap_in_a_host_buffer,
      columns_of_one_image, nothing_and_no_rects, views_count_from_their_own_begin, large_boxes_through_pieces,
      boxes_between_devices, order_with_other_contexts)
