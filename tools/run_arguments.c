/* weft run: one argument from the command line, and whether it suits the kernel's parameter. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "run.h"

/* ---- Taking apart ---------------------------------------------------------------------------------- */

static const char *after(const char *text, const char *prefix) {
    size_t length = strlen(prefix);
    return strncmp(text, prefix, length) ? NULL : text + length;
}

static bool copy(const char *text, size_t length, char **out, problem *problem) {
    *out = strndup(text, length);
    return *out || problem_failure(problem, "out of memory");
}

/* Reads the type in front of a colon; *text moves behind it. */
static bool parse_type(const char **text, weft_dtype *out, problem *problem) {
    size_t length = strcspn(*text, ":");
    element_type type = element_type_parse(*text, length);
    if (!(*text)[length]) {
        return problem_usage(problem, "a colon is missing after \"%s\"", *text);
    }
    if (type.width > 1) {
        const char *element = element_type_short(type.dtype);
        return problem_usage(problem, "a buffer is of numbers: %s:%s, not %.*s", element, type.width == 3 ? "Nx4" : "...", (int)length,
                             *text);
    }
    if (!type.width) {
        return problem_usage(problem, "there is no type \"%.*s\"; there are i8 to i64, u8 to u64, f16, bf16, f32 and f64", (int)length,
                             *text);
    }
    *out = type.dtype;
    *text += length + 1;
    return true;
}

/* A file may have a colon in its name, so a file that is there is taken whole. */
static bool parse_paths(const char *text, bool has_result, argument *out, problem *problem) {
    const char *colon = has_result && access(text, F_OK) != 0 ? strrchr(text, ':') : NULL;
    size_t length = colon ? (size_t)(colon - text) : strlen(text);
    if (length == 0 || (colon && !colon[1])) {
        return problem_usage(problem, "a file's name is missing");
    }
    return copy(text, length, &out->input, problem) && (!colon || copy(colon + 1, strlen(colon + 1), &out->result, problem));
}

static bool parse_input(const char *text, argument *out, problem *problem) {
    const char *raw = after(text, "raw:");
    out->raw = raw;
    text = raw ? raw : text;
    return (!raw || parse_type(&text, &out->array.dtype, problem)) && parse_paths(text, out->role == ROLE_INOUT, out, problem);
}

/* "20x30", up to a colon or the end; *text moves there. */
static bool parse_shape(const char **text, npy *out, problem *problem) {
    const char *start = *text;
    size_t whole = strcspn(start, ":");
    for (;;) {
        size_t size = 0, digits = strspn(*text, "0123456789");
        bool fits = digits > 0 && out->rank < NPY_RANK_MAX;
        for (size_t i = 0; fits && i < digits; i++) {
            fits = !__builtin_mul_overflow(size, (size_t)10, &size) && !__builtin_add_overflow(size, (size_t)((*text)[i] - '0'), &size);
        }
        *text += digits;
        if (!fits || !strchr("x,:", **text)) {
            return problem_usage(problem, "a shape is 1000, 20x30 or 2x3x4, not \"%.*s\"", (int)whole, start);
        }
        out->shape[out->rank++] = size;
        if (**text == ':' || !**text) {
            return npy_measure(out) || problem_usage(problem, "a shape of %.*s has more than 2^64 elements", (int)whole, start);
        }
        ++*text;
    }
}

static bool parse_output(const char *text, argument *out, problem *problem) {
    if (!parse_type(&text, &out->array.dtype, problem) || !parse_shape(&text, &out->array, problem)) {
        return false;
    }
    if (*text && !text[1]) {
        return problem_usage(problem, "a file's name is missing");
    }
    return !*text || copy(text + 1, strlen(text + 1), &out->result, problem);
}

static bool parse_shared(const char *text, argument *out, problem *problem) {
    value *number = malloc(sizeof *number);
    if (!number) {
        return problem_failure(problem, "out of memory");
    }
    bool ok = value_parse_numbers((element_type){WEFT_UINT64, 1}, text, number, problem);
    uint64_t bytes = 0;
    memcpy(&bytes, number->bytes, sizeof bytes);
    free(number);
    out->shared_bytes = ok ? (size_t)bytes : 0;
    return ok;
}

static bool parse_role(const char *text, argument *out, problem *problem) {
    const char *rest;
    if ((rest = after(text, "in:")) != NULL) {
        out->role = ROLE_IN;
        return parse_input(rest, out, problem);
    }
    if ((rest = after(text, "inout:")) != NULL) {
        out->role = ROLE_INOUT;
        return parse_input(rest, out, problem);
    }
    if ((rest = after(text, "out:")) != NULL) {
        out->role = ROLE_OUT;
        return parse_output(rest, out, problem);
    }
    if ((rest = after(text, "shared:")) != NULL) {
        out->role = ROLE_SHARED;
        return parse_shared(rest, out, problem);
    }
    if (!strcmp(text, "null")) {
        out->role = ROLE_NULL;
        return true;
    }
    out->role = strchr(text, ':') ? ROLE_VALUE : ROLE_BARE;
    out->value = malloc(sizeof *out->value);
    if (!out->value) {
        return problem_failure(problem, "out of memory");
    }
    return out->role == ROLE_BARE || value_parse(text, out->value, problem);
}

bool argument_parse(const char *text, argument *out, problem *problem) {
    *out = (argument){.text = text, .file = -1};
    if (parse_role(text, out, problem)) {
        return true;
    }
    char why[sizeof problem->text];
    memcpy(why, problem->text, sizeof why);
    snprintf(problem->text, sizeof problem->text, "argument %.200s: %.7000s", text, why);
    return false;
}

void argument_free(argument *argument) {
    weft_device_buffer_release(argument->buffer);
    weft_device_buffer_release(argument->original);
    if (argument->file >= 0) {
        close(argument->file);
    }
    free(argument->input);
    free(argument->result);
    free(argument->target);
    free(argument->value);
}

/* ---- Checking -------------------------------------------------------------------------------------- */

/* "argument 2, n (uint)" */
#define PLACE "argument %zu, %s (%s): "
#define PLACE_OF(index, parameter) index, (parameter)->name, (parameter)->type_name

/* What "float*" points to; width 0 for void, structs and typedefs, which weft itself looks at. */
static element_type pointee(const char *type_name) {
    const char *end = strchr(type_name, '*');
    size_t length = end ? (size_t)(end - type_name) : strlen(type_name);
    while (length > 0 && type_name[length - 1] == ' ') {
        length--;
    }
    return element_type_parse(type_name, length);
}

/* As weft_enqueue_function: any in bytes, 16-bit floats also as ushort. */
static bool pointee_accepts(element_type pointee, weft_dtype dtype) {
    bool bits = pointee.dtype == WEFT_UINT16 && (dtype == WEFT_FLOAT16 || dtype == WEFT_BFLOAT16);
    return !pointee.width || weft_dtype_size(pointee.dtype) == 1 || pointee.dtype == dtype || bits;
}

static bool check_buffer(const argument *argument, size_t index, const weft_arg_info *parameter, problem *problem) {
    element_type wanted = pointee(parameter->type_name);
    const npy *array = &argument->array;
    if (argument->role != ROLE_IN && (parameter->is_const || parameter->address_space == WEFT_SPACE_CONSTANT)) {
        return problem_usage(problem, PLACE "nothing comes out of it, since it is const; give in:FILE", PLACE_OF(index, parameter));
    }
    if (pointee_accepts(wanted, array->dtype)) {
        return true;
    }
    if (argument->role == ROLE_OUT || argument->raw) {
        return problem_usage(problem, PLACE "%s is not its type; give %s", PLACE_OF(index, parameter),
                             element_type_short(array->dtype), element_type_short(wanted.dtype));
    }
    return problem_usage(problem, PLACE "%s holds %s; save x.astype('%s')", PLACE_OF(index, parameter), argument->input,
                         weft_dtype_name(array->dtype), weft_dtype_name(wanted.dtype));
}

static bool is_float(weft_dtype dtype) { return dtype >= WEFT_FLOAT16; }

/* A number or vector of a type that is known: read as the parameter's own type. */
static bool check_known(argument *argument, size_t index, const weft_arg_info *parameter, element_type wanted, problem *problem) {
    const value *given = argument->value;
    if (argument->role == ROLE_VALUE) {
        bool same = given->type.dtype == wanted.dtype && given->type.width == wanted.width;
        bool integers = given->type.width == 1 && wanted.width == 1 && !is_float(given->type.dtype) && !is_float(wanted.dtype);
        bool bytes = given->type.width == 0 && parameter->kind == WEFT_PARAM_VALUE && given->size_bytes == parameter->size_bytes;
        if (same || bytes) {
            return true;
        }
        if (!integers) {
            return problem_usage(problem, PLACE "%s is not its type; give %s:%s", PLACE_OF(index, parameter), argument->text,
                                 wanted.width == 1 ? element_type_short(wanted.dtype) : parameter->type_name,
                                 wanted.width == 1 ? "20" : "1,2,...");
        }
    }
    const char *numbers = argument->role == ROLE_BARE ? argument->text : strchr(argument->text, ':') + 1;
    struct problem why;
    if (value_parse_numbers(wanted, numbers, argument->value, &why)) {
        return true;
    }
    problem_usage(problem, PLACE "%s", PLACE_OF(index, parameter), why.text);
    problem->status = why.status;
    return false;
}

static bool check_value(argument *argument, size_t index, const weft_arg_info *parameter, problem *problem) {
    element_type wanted = element_type_parse(parameter->type_name, strlen(parameter->type_name));
    if (wanted.width) {
        return check_known(argument, index, parameter, wanted, problem);
    }
    if (argument->role == ROLE_BARE) {
        return problem_usage(problem, PLACE "%s is of a type of the program's own, %zu bytes: say what it is, as in f32:20, i32:20 or "
                             "struct:f32:1,i32:2", PLACE_OF(index, parameter), argument->text, parameter->size_bytes);
    }
    const value *given = argument->value;
    if (parameter->kind == WEFT_PARAM_SCALAR && given->type.width != 1) {
        return problem_usage(problem, PLACE "it is one number of %zu bytes, not %s", PLACE_OF(index, parameter), parameter->size_bytes,
                             argument->text);
    }
    if (parameter->kind == WEFT_PARAM_VALUE && parameter->size_bytes && given->size_bytes != parameter->size_bytes) {
        return problem_usage(problem, PLACE "it has %zu bytes, and %s has %zu", PLACE_OF(index, parameter), parameter->size_bytes,
                             argument->text, given->size_bytes);
    }
    return true;
}

bool argument_check(argument *argument, size_t index, const weft_arg_info *parameter, problem *problem) {
    bool is_value = argument->role == ROLE_VALUE || argument->role == ROLE_BARE;
    switch (parameter->kind) {
        case WEFT_PARAM_SCALAR:
        case WEFT_PARAM_VALUE:
            return is_value ? check_value(argument, index, parameter, problem)
                            : problem_usage(problem, PLACE "it is a value, not %s", PLACE_OF(index, parameter), argument->text);
        case WEFT_PARAM_BUFFER:
            if (argument_is_buffer(argument)) {
                return check_buffer(argument, index, parameter, problem);
            }
            return argument->role == ROLE_NULL ||
                   problem_usage(problem, PLACE "it is a buffer, not %s; give in:FILE, inout:FILE, out:TYPE:SHAPE or null",
                                 PLACE_OF(index, parameter), argument->text);
        case WEFT_PARAM_SHARED:
            return argument->role == ROLE_SHARED || problem_usage(problem, PLACE "it is local memory, not %s; give shared:BYTES",
                                                                  PLACE_OF(index, parameter), argument->text);
        case WEFT_PARAM_TENSOR:
            return problem_failure(problem, PLACE "weft run passes no tensors", PLACE_OF(index, parameter));
        default:
            return problem_failure(problem, PLACE "weft launches no kernels with images, samplers or pipes", PLACE_OF(index, parameter));
    }
}

/* ---- Passing --------------------------------------------------------------------------------------- */

/* A number as the launch takes it: widened to 64 bits. */
static weft_arg pass_number(const value *value) {
    weft_arg arg = {.size_bytes = value->size_bytes, .kind = WEFT_ARG_SIGNED};
    union {
        int8_t i8; uint8_t u8; int16_t i16; uint16_t u16; int32_t i32; uint32_t u32; int64_t i64; uint64_t u64; float f; double d;
    } number;
    memcpy(&number, value->bytes, value->size_bytes);
    switch (value->type.dtype) {
        case WEFT_INT8: arg.value.i = number.i8; break;
        case WEFT_INT16: arg.value.i = number.i16; break;
        case WEFT_INT32: arg.value.i = number.i32; break;
        case WEFT_INT64: arg.value.i = number.i64; break;
        case WEFT_UINT8: arg.kind = WEFT_ARG_UNSIGNED, arg.value.u = number.u8; break;
        case WEFT_UINT16: arg.kind = WEFT_ARG_UNSIGNED, arg.value.u = number.u16; break;
        case WEFT_UINT32: arg.kind = WEFT_ARG_UNSIGNED, arg.value.u = number.u32; break;
        case WEFT_UINT64: arg.kind = WEFT_ARG_UNSIGNED, arg.value.u = number.u64; break;
        case WEFT_FLOAT32: arg.kind = WEFT_ARG_FLOAT, arg.value.f = number.f; break;
        case WEFT_FLOAT64: arg.kind = WEFT_ARG_DOUBLE, arg.value.d = number.d; break;
        default: return weft_arg_from_value(value->bytes, value->size_bytes, value->alignment);
    }
    return arg;
}

weft_arg argument_pass(const argument *argument) {
    switch (argument->role) {
        case ROLE_IN:
        case ROLE_INOUT:
        case ROLE_OUT:
            return weft_arg_from_buffer(argument->buffer);
        case ROLE_SHARED:
            return weft_shared_bytes(argument->shared_bytes);
        case ROLE_NULL:
            return weft_arg_null();
        default:
            return argument->value->type.width == 1
                       ? pass_number(argument->value)
                       : weft_arg_from_value(argument->value->bytes, argument->value->size_bytes, argument->value->alignment);
    }
}
