/* weft run: numbers, vectors and structs from the command line. */
#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "run.h"

/* ---- Types ----------------------------------------------------------------------------------------- */

typedef enum number_kind { NUMBER_SIGNED, NUMBER_UNSIGNED, NUMBER_FLOAT, NUMBER_NONE } number_kind;

/* By dtype. OpenCL C has no bfloat16. */
static const struct {
    const char *name, *in_opencl;
    number_kind kind;
} types[] = {
    [WEFT_INT8] = {"i8", "char", NUMBER_SIGNED},       [WEFT_UINT8] = {"u8", "uchar", NUMBER_UNSIGNED},
    [WEFT_INT16] = {"i16", "short", NUMBER_SIGNED},    [WEFT_UINT16] = {"u16", "ushort", NUMBER_UNSIGNED},
    [WEFT_INT32] = {"i32", "int", NUMBER_SIGNED},      [WEFT_UINT32] = {"u32", "uint", NUMBER_UNSIGNED},
    [WEFT_INT64] = {"i64", "long", NUMBER_SIGNED},     [WEFT_UINT64] = {"u64", "ulong", NUMBER_UNSIGNED},
    [WEFT_FLOAT16] = {"f16", "half", NUMBER_FLOAT},    [WEFT_BFLOAT16] = {"bf16", "bf16", NUMBER_NONE},
    [WEFT_FLOAT32] = {"f32", "float", NUMBER_FLOAT},   [WEFT_FLOAT64] = {"f64", "double", NUMBER_FLOAT},
};
enum { N_TYPES = sizeof types / sizeof *types };

static const char *const long_names[][2] = {
    {"unsigned char", "uchar"}, {"unsigned short", "ushort"}, {"unsigned int", "uint"}, {"unsigned long", "ulong"},
    {"unsigned", "uint"},       {"signed char", "char"},      {"signed int", "int"},
};

static bool is_word(const char *text, size_t length, const char *word) {
    return strlen(word) == length && !memcmp(text, word, length);
}

static size_t parse_width(const char *digits, size_t length) {
    static const struct {
        const char *digits;
        size_t width;
    } widths[] = {{"", 1}, {"2", 2}, {"3", 3}, {"4", 4}, {"8", 8}, {"16", 16}};
    for (size_t i = 0; i < sizeof widths / sizeof *widths; i++) {
        if (is_word(digits, length, widths[i].digits)) {
            return widths[i].width;
        }
    }
    return 0;
}

element_type element_type_parse(const char *name, size_t length) {
    for (size_t i = 0; i < sizeof long_names / sizeof *long_names; i++) {
        if (is_word(name, length, long_names[i][0])) {
            name = long_names[i][1];
            length = strlen(name);
        }
    }
    for (size_t i = 0; i < N_TYPES; i++) {
        size_t base = strlen(types[i].in_opencl);
        if (is_word(name, length, types[i].name)) {
            return (element_type){(weft_dtype)i, 1};
        }
        if (length >= base && !memcmp(name, types[i].in_opencl, base) && parse_width(name + base, length - base)) {
            return (element_type){(weft_dtype)i, parse_width(name + base, length - base)};
        }
    }
    return (element_type){WEFT_INT8, 0};
}

const char *element_type_short(weft_dtype dtype) { return types[dtype].name; }

/* ---- Numbers --------------------------------------------------------------------------------------- */

/* To nearest, ties to even; beyond the largest half it is 0x7C00, infinity. */
static uint16_t half_of(double number) {
    unsigned sign = signbit(number) ? 0x8000 : 0, bits = 0x7C00;
    double size = fabs(number);
    if (isnan(size)) {
        bits = 0x7E00;
    } else if (size < 65536) {
        int exponent;
        frexp(size, &exponent);
        exponent = size < 0x1p-14 ? -14 : exponent - 1;
        bits = (unsigned)((exponent + 14) * 1024) + (unsigned)nearbyint(ldexp(size, 10 - exponent));
    }
    return (uint16_t)(sign | (bits < 0x7C00 || isnan(size) ? bits : 0x7C00));
}

static bool beyond(weft_dtype dtype, const char *text, problem *problem) {
    return problem_usage(problem, "%s is beyond what %s holds", text, types[dtype].name);
}

static bool parse_float(weft_dtype dtype, const char *text, unsigned char *out, problem *problem) {
    char *end;
    double wide = strtod(text, &end);
    if (*end || end == text || strchr(" \t\n\v\f\r", *text)) {
        return problem_usage(problem, "\"%s\" is no number", text);
    }
    float narrow = strtof(text, NULL);
    uint16_t half = half_of(wide);
    bool written_infinite = strchr("iI", text[strspn(text, "+-")]); /* "inf" */
    bool infinite = dtype == WEFT_FLOAT64 ? isinf(wide) : dtype == WEFT_FLOAT32 ? isinf(narrow) : (half & 0x7FFF) == 0x7C00;
    if (infinite && !written_infinite) {
        return beyond(dtype, text, problem);
    }
    const void *bits = dtype == WEFT_FLOAT64 ? (const void *)&wide : dtype == WEFT_FLOAT32 ? (const void *)&narrow : &half;
    memcpy(out, bits, weft_dtype_size(dtype));
    return true;
}

/* Decimal, or hexadecimal after 0x. */
static bool parse_integer(weft_dtype dtype, const char *text, unsigned char *out, problem *problem) {
    bool negative = *text == '-';
    const char *digits = text + (*text == '-' || *text == '+');
    bool hexadecimal = digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X');
    digits += hexadecimal ? 2 : 0;
    if (!*digits || digits[strspn(digits, hexadecimal ? "0123456789abcdefABCDEF" : "0123456789")]) {
        return problem_usage(problem, "\"%s\" is no integer", text);
    }
    errno = 0;
    unsigned long long magnitude = strtoull(digits, NULL, hexadecimal ? 16 : 10);
    size_t bits = 8 * weft_dtype_size(dtype);
    bool is_signed = types[dtype].kind == NUMBER_SIGNED;
    uint64_t most = (is_signed ? UINT64_MAX >> 1 : UINT64_MAX) >> (64 - bits);
    if (errno || magnitude > most + (negative && is_signed) || (negative && !is_signed && magnitude)) {
        return beyond(dtype, text, problem);
    }
    uint64_t number = negative ? 0 - (uint64_t)magnitude : magnitude;
    for (size_t i = 0; i < weft_dtype_size(dtype); i++) {
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
        out[i] = (unsigned char)(number >> 8 * i);
#else
        out[weft_dtype_size(dtype) - 1 - i] = (unsigned char)(number >> 8 * i);
#endif
    }
    return true;
}

static bool parse_number(weft_dtype dtype, const char *text, unsigned char *out, problem *problem) {
    switch (types[dtype].kind) {
        case NUMBER_FLOAT:
            return parse_float(dtype, text, out, problem);
        case NUMBER_NONE:
            return problem_usage(problem, "OpenCL C has no bf16: give its bits as u16");
        default:
            return parse_integer(dtype, text, out, problem);
    }
}

/* ---- Several of them ------------------------------------------------------------------------------- */

static bool reserve(value *value, size_t size_bytes, problem *problem) {
    if (size_bytes > VALUE_BYTES_MAX) {
        return problem_usage(problem, "a value has %d bytes at most", VALUE_BYTES_MAX);
    }
    value->size_bytes = size_bytes;
    return true;
}

/* Rounds the size up as the layout of C and OpenCL C does. */
static bool align(value *value, size_t alignment, problem *problem) {
    value->alignment = alignment > value->alignment ? alignment : value->alignment;
    return reserve(value, (value->size_bytes + alignment - 1) / alignment * alignment, problem);
}

/* The one that is being read: its type, and how many numbers of its last vector there are. */
typedef struct member {
    element_type type;
    size_t filled;
} member;

static bool member_end(const member *member, problem *problem) {
    if (member->filled == member->type.width) {
        return true;
    }
    return problem_usage(problem, "%s%zu takes %zu numbers, not %zu", types[member->type.dtype].in_opencl, member->type.width,
                         member->type.width, member->filled);
}

static bool member_add(member *member, const char *number, value *value, problem *problem) {
    size_t size = weft_dtype_size(member->type.dtype), width = member->type.width;
    if (member->filled % width == 0) { /* a 3-vector is laid out as 4 (OpenCL C 6.1.5) */
        member->filled = 0;
        if (!align(value, size * (width == 3 ? 4 : width), problem)) {
            return false;
        }
    }
    size_t at = value->size_bytes;
    member->filled++;
    return reserve(value, at + size, problem) && parse_number(member->type.dtype, number, value->bytes + at, problem) &&
           (member->filled < width || width != 3 || reserve(value, value->size_bytes + size, problem));
}

/* Numbers between commas, which "TYPE:" in front of one gives another type; changes text. */
static bool parse_list(member member, char *text, value *out, problem *problem) {
    for (char *next; text; text = next) {
        next = strchr(text, ',');
        if (next) {
            *next++ = '\0';
        }
        char *colon = strchr(text, ':');
        if (colon) {
            if (member.type.width && !member_end(&member, problem)) {
                return false;
            }
            member.type = element_type_parse(text, (size_t)(colon - text));
            member.filled = member.type.width;
            if (!member.type.width) {
                return problem_usage(problem, "there is no type \"%.*s\"; there are f32, float4, ...", (int)(colon - text), text);
            }
            text = colon + 1;
        }
        if (!member.type.width) {
            return problem_usage(problem, "a struct begins with a type: struct:f32:%s", text);
        }
        if (!member_add(&member, text, out, problem)) {
            return false;
        }
    }
    return member_end(&member, problem) && align(out, out->alignment, problem);
}

/* The same for one value: a number or a vector, not an array of them. */
bool value_parse_numbers(element_type type, const char *numbers, value *out, problem *problem) {
    *out = (value){.type = type, .alignment = 1};
    size_t given = 1;
    for (const char *at = numbers; (at = strchr(at, ',')) != NULL; at++) {
        given++;
    }
    if (strchr(numbers, ':')) {
        return problem_usage(problem, "\"%s\" is no number", numbers);
    }
    if (given != type.width) {
        return type.width == 1 ? problem_usage(problem, "one number is wanted, not the %zu of %s", given, numbers)
                               : member_end(&(member){type, given}, problem);
    }
    char *text = strdup(numbers);
    bool ok = text ? parse_list((member){type, type.width}, text, out, problem) : problem_failure(problem, "out of memory");
    free(text);
    return ok;
}

static bool parse_struct(const char *members, value *out, problem *problem) {
    *out = (value){.type = {WEFT_INT8, 0}, .alignment = 1};
    char *text = strdup(members);
    bool ok = text ? parse_list((member){{WEFT_INT8, 0}, 0}, text, out, problem) : problem_failure(problem, "out of memory");
    free(text);
    return ok;
}

static int hex_digit(char c) {
    const char *digits = "0123456789abcdef";
    const char *found = c ? strchr(digits, c >= 'A' && c <= 'F' ? c - 'A' + 'a' : c) : NULL;
    return found ? (int)(found - digits) : -1;
}

static bool parse_hex(const char *text, value *out, problem *problem) {
    *out = (value){.type = {WEFT_INT8, 0}, .alignment = 0}; /* of no C type */
    for (; *text; text += 2) {
        int high = hex_digit(text[0]), low = high < 0 ? -1 : hex_digit(text[1]);
        if (low < 0) {
            return problem_usage(problem, "hex: takes two hexadecimal digits a byte");
        }
        if (!reserve(out, out->size_bytes + 1, problem)) {
            return false;
        }
        out->bytes[out->size_bytes - 1] = (unsigned char)(high << 4 | low);
    }
    return out->size_bytes || problem_usage(problem, "hex: takes two hexadecimal digits a byte");
}

bool value_parse(const char *text, value *out, problem *problem) {
    size_t length = strcspn(text, ":");
    const char *rest = text + length + 1;
    if (is_word(text, length, "hex")) {
        return parse_hex(rest, out, problem);
    }
    if (is_word(text, length, "struct")) {
        return parse_struct(rest, out, problem);
    }
    element_type type = element_type_parse(text, length);
    if (!type.width) {
        return problem_usage(problem, "there is no \"%.*s:\"; there are in:, inout:, out:, f32:, float4:, struct:, hex:, shared:",
                             (int)length, text);
    }
    return value_parse_numbers(type, rest, out, problem);
}
