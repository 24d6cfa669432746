#include "launch_args.h"

static bool is_integer(weft_arg_kind kind) {
    return kind == WEFT_ARG_SIGNED || kind == WEFT_ARG_UNSIGNED;
}

static weft_arg integer(bool is_signed, uint64_t bits, size_t size_bytes) {
    unsigned spare = 64 - (unsigned)size_bytes * 8;
    uint64_t low = bits << spare;
    return is_signed ? weft_arg_from_scalar(weft_scalar_from_signed((int64_t)low >> spare, size_bytes))
                     : weft_arg_from_scalar(weft_scalar_from_unsigned(low >> spare, size_bytes));
}

static weft_arg any_number(input *in) {
    uint64_t bits = take(in, 2) ? take_edge(in) : take_bits(in, 8);
    unsigned kind = take(in, 6);
    double whole;
    float single;
    uint32_t low = (uint32_t)bits;
    memcpy(&whole, &bits, sizeof whole);
    memcpy(&single, &low, sizeof single);
    if (kind < 4) {
        return integer(kind % 2, bits, (size_t)1 << take(in, 4));
    }
    return weft_arg_from_scalar(kind == 4 ? weft_scalar_from_float(single) : weft_scalar_from_double(whole));
}

static void give_buffer(input *in, const arena *arena, given *out) {
    out->view = &arena->views[take(in, VIEWS)];
    out->arg = weft_arg_from_buffer(out->view->buffer);
}

static void give_value(input *in, size_t size_bytes, size_t alignment, given *out) {
    for (size_t i = 0; i < size_bytes && i < sizeof out->data; i++) {
        out->data[i] = take_byte(in);
    }
    out->arg = weft_arg_from_value(out->data, size_bytes, alignment);
}

static void pick_any(input *in, const arena *arena, given *out) {
    switch (take(in, 10)) {
        case 0:
            out->arg = WEFT_NULL;
            break;
        case 1:
            out->arg = weft_arg_from_buffer(NULL);
            break;
        case 2:
            out->arg = weft_arg_from_buffer(arena->foreign);
            break;
        case 3:
            out->arg = weft_shared_bytes(take(in, 2) ? take_byte(in) : take_edge(in));
            break;
        case 4:
            give_value(in, take_byte(in) % sizeof out->data, 8, out);
            break;
        case 5:
            out->arg = weft_arg_from_value(NULL, take_byte(in), 4);
            break;
        case 6:
            out->arg = (weft_arg){.kind = (weft_arg_kind)(take(in, 2) ? 0 : 9 + take_byte(in)), .size_bytes = 4};
            break;
        case 7:
        case 8:
            out->arg = any_number(in);
            break;
        default:
            give_buffer(in, arena, out);
    }
}

/* A number that the parameter takes, as another integer type when that holds it. */
static weft_arg right_number(input *in, const param_type *type) {
    uint64_t bits = take_bits(in, (unsigned)type->size_bytes);
    if (type->base == OF_FLOAT) {
        float single;
        double whole;
        uint32_t low = (uint32_t)bits;
        memcpy(&single, &low, sizeof single);
        memcpy(&whole, &bits, sizeof whole);
        return weft_arg_from_scalar(type->size_bytes == 4 ? weft_scalar_from_float(single) : weft_scalar_from_double(whole));
    }
    weft_arg own = integer(type->base == OF_SIGNED, bits, type->size_bytes);
    bool negative = own.kind == WEFT_ARG_SIGNED && own.value.i < 0;
    bool as_signed = own.value.u <= INT64_MAX || negative;
    return take(in, 2) ? own : integer(as_signed, own.value.u, 8);
}

void pick_arg(input *in, const arena *arena, const param_type *type, given *out) {
    *out = (given){0};
    if (take_rarely(in, 24)) {
        pick_any(in, arena, out);
        return;
    }
    switch (type->kind) {
        case WEFT_PARAM_SCALAR:
            out->arg = right_number(in, type);
            break;
        case WEFT_PARAM_VALUE:
            give_value(in, type->size_bytes, type->alignment, out);
            break;
        case WEFT_PARAM_SHARED:
            out->arg = weft_shared_bytes(take(in, 4) ? take_byte(in) : (size_t)1 << (14 + take(in, 7))); /* up to the limit */
            break;
        default:
            if (take_rarely(in, 8)) {
                out->arg = WEFT_NULL;
                break;
            }
            give_buffer(in, arena, out);
            for (unsigned i = 0; i < VIEWS && !pointer_accepts(type, out->view->dtype); i++) {
                out->view = &arena->views[i];
                out->arg = weft_arg_from_buffer(out->view->buffer);
            }
    }
}

/* ---- The rules ------------------------------------------------------------------------------------ */

static bool points_to_nothing(const weft_arg *arg) {
    return (arg->kind == WEFT_ARG_BUFFER && !arg->value.buffer) ||
           (arg->kind == WEFT_ARG_VALUE && (!arg->value.data || !arg->size_bytes));
}

static faults scalar_faults(const param_type *type, const weft_arg *arg) {
    if (type->base == OF_FLOAT) {
        return FAULT_IF(arg->kind != (type->size_bytes == 4 ? WEFT_ARG_FLOAT : WEFT_ARG_DOUBLE), WEFT_ERROR_TYPE_MISMATCH);
    }
    if (!is_integer(arg->kind)) {
        return TYPE;
    }
    __int128 value = arg->kind == WEFT_ARG_SIGNED ? (__int128)arg->value.i : (__int128)arg->value.u, one = 1;
    unsigned bits = (unsigned)type->size_bytes * 8;
    __int128 least = type->base == OF_SIGNED ? -(one << (bits - 1)) : 0;
    __int128 most = (one << (type->base == OF_SIGNED ? bits - 1 : bits)) - 1;
    return FAULT_IF(value < least || value > most, WEFT_ERROR_OUT_OF_RANGE);
}

faults arg_faults(const param_type *type, const given *given) {
    const weft_arg *arg = &given->arg;
    faults nothing = FAULT_IF(points_to_nothing(arg), WEFT_ERROR_INVALID_ARGUMENT);
    switch (type->kind) {
        case WEFT_PARAM_SCALAR: {
            faults found = scalar_faults(type, arg);
            return found ? found | nothing : 0;
        }
        case WEFT_PARAM_VALUE:
            return nothing |
                   FAULT_IF(arg->kind != WEFT_ARG_VALUE || arg->size_bytes != type->size_bytes, WEFT_ERROR_TYPE_MISMATCH);
        case WEFT_PARAM_SHARED:
            return FAULT_IF(arg->kind != WEFT_ARG_SHARED, WEFT_ERROR_TYPE_MISMATCH) | nothing;
        default:
            if (arg->kind == WEFT_ARG_NULL) {
                return 0;
            }
            if (arg->kind != WEFT_ARG_BUFFER) {
                return TYPE | nothing;
            }
            if (given->view) {
                return FAULT_IF(!pointer_accepts(type, given->view->dtype), WEFT_ERROR_TYPE_MISMATCH);
            }
            return INVALID | FAULT_IF(arg->value.buffer && !pointer_accepts(type, WEFT_INT32), WEFT_ERROR_TYPE_MISMATCH);
    }
}

bool needs_stand_in(const param_type *type, const given *given) {
    return type->kind == WEFT_PARAM_BUFFER && given->view &&
           given->view->offset_bytes % pointee_alignment(type, given->view->dtype) != 0;
}
