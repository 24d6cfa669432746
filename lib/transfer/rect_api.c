/* The public copy of boxes: checked, then handed to transfer_rect. */
#include "base/api.h"
#include "base/arith.h"
#include "transfer/rect.h"
#include "transfer/sides.h"

/* How many elements of each. */
typedef struct box {
    size_t width, height, depth;
} box;

static weft_status check_pitch(const char *name, const char *which, size_t pitch, size_t least, size_t count) {
    if (pitch < least && count > 1) {
        return error_set(WEFT_ERROR_INVALID_ARGUMENT, "%s_rect.%s_pitch %zu is less than the %zu elements of a %s", name, which, pitch,
                         least, which);
    }
    return WEFT_OK;
}

/* Fills in tight pitches. Where there is one row or one slice only, its pitch does not matter. */
static weft_status check_pitches(const side *side, const weft_rect *given, box box, weft_rect *out) {
    *out = given ? *given : (weft_rect){0};
    out->row_pitch = out->row_pitch ? out->row_pitch : box.width;
    weft_status status = check_pitch(side->name, "row", out->row_pitch, box.width, box.height);
    if (status) {
        return status;
    }
    size_t tight;
    if (!size_multiply(box.height, out->row_pitch, &tight)) {
        return error_set(WEFT_ERROR_OUT_OF_RANGE, "%s: height %zu times row_pitch %zu overflows", side->name, box.height, out->row_pitch);
    }
    out->slice_pitch = out->slice_pitch ? out->slice_pitch : tight;
    size_t least = box.height > 1 ? tight - out->row_pitch + box.width : box.width; /* the last row needs no pitch */
    return check_pitch(side->name, "slice", out->slice_pitch, least, box.depth);
}

static weft_status check_inside(const side *side, const weft_rect *rect, box box, size_t element) {
    size_t slices, rows, end, whole = side->length == WEFT_LENGTH_UNKNOWN ? SIZE_MAX / element : side->length;
    bool counted = size_multiply(box.depth - 1, rect->slice_pitch, &slices) && size_multiply(box.height - 1, rect->row_pitch, &rows) &&
                   !__builtin_add_overflow(slices, rows, &end) && !__builtin_add_overflow(end, box.width, &end) &&
                   !__builtin_add_overflow(end, rect->offset, &end);
    if (!counted || end > whole) {
        return error_set(WEFT_ERROR_OUT_OF_RANGE, "%s: a box of %zu x %zu x %zu at offset %zu with row_pitch %zu and slice_pitch %zu "
                         "ends behind element %zu%s, beyond %s's %zu elements", side->name, box.width, box.height, box.depth,
                         rect->offset, rect->row_pitch, rect->slice_pitch, counted ? end : SIZE_MAX, counted ? "" : " or more",
                         side->name, whole);
    }
    return WEFT_OK;
}

static weft_status check_side(const side *side, const weft_rect *given, box box, size_t element, rect *out) {
    weft_rect checked;
    weft_status status = check_pitches(side, given, box, &checked);
    status = status ? status : check_inside(side, &checked, box, element);
    status = status ? status : side_check_pointer(side, box.width);
    if (status) {
        return status;
    }
    /* A pitch that does not matter may be anything: it must not overflow below. */
    size_t row = box.height > 1 ? checked.row_pitch : box.width, slice = box.depth > 1 ? checked.slice_pitch : row * box.height;
    *out = (rect){side->whole, row * element, slice * element};
    if (out->at.memory) {
        out->at.offset_bytes += checked.offset * element;
    } else {
        out->at.data += checked.offset * element;
    }
    return WEFT_OK;
}

WEFT_API weft_status weft_enqueue_copy_rect_memory(weft_context *context, weft_memory dst, const weft_rect *dst_rect, weft_memory src,
                                                   const weft_rect *src_rect, size_t width, size_t height, size_t depth) {
    API_ENTER_AS("weft_enqueue_copy_rect");
    side to, from;
    weft_dtype dtype;
    weft_status status = sides_check(context, &dst, &src, &to, &from, &dtype);
    if (status) {
        return status;
    }
    if (!width || !height || !depth) { /* nothing, but for a graph a node */
        to.whole.size_bytes = from.whole.size_bytes = 0;
        return transfer_copy(context, to.whole, from.whole);
    }
    const box box = {width, height, depth};
    size_t element = weft_dtype_size(dtype);
    rect target, source;
    status = check_side(&to, dst_rect, box, element, &target);
    status = status ? status : check_side(&from, src_rect, box, element, &source);
    return status ? status : transfer_rect(context, target, source, (command_extent){width * element, height, depth});
}
