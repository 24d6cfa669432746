#include "npy.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define MAGIC "\x93NUMPY"

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
enum { OWN_ORDER = '<', OTHER_ORDER = '>' };
#else
enum { OWN_ORDER = '>', OTHER_ORDER = '<' };
#endif
enum { ALIGNMENT = 64 }; /* of the elements in the file */

static const struct {
    weft_dtype dtype;
    char kind, digit;
} types[] = {
    {WEFT_INT8, 'i', '1'},    {WEFT_UINT8, 'u', '1'},   {WEFT_INT16, 'i', '2'},   {WEFT_UINT16, 'u', '2'},
    {WEFT_INT32, 'i', '4'},   {WEFT_UINT32, 'u', '4'},  {WEFT_INT64, 'i', '8'},   {WEFT_UINT64, 'u', '8'},
    {WEFT_FLOAT16, 'f', '2'}, {WEFT_FLOAT32, 'f', '4'}, {WEFT_FLOAT64, 'f', '8'}, {WEFT_BFLOAT16, 'V', '2'},
};
enum { N_TYPES = sizeof types / sizeof *types };

/* ---- The header's text ----------------------------------------------------------------------------- */

typedef struct parser {
    const char *at, *end;
    char *reason;
} parser;

__attribute__((format(printf, 2, 3))) static bool refuse(parser *p, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(p->reason, NPY_REASON_BYTES, format, arguments);
    va_end(arguments);
    return false;
}

static void skip_space(parser *p) {
    while (p->at < p->end && (*p->at == ' ' || *p->at == '\t' || *p->at == '\n' || *p->at == '\r')) {
        p->at++;
    }
}

/* Takes the character, if it is what comes next. */
static bool take(parser *p, char c) {
    skip_space(p);
    bool there = p->at < p->end && *p->at == c;
    p->at += there;
    return there;
}

static bool take_word(parser *p, const char *word) {
    skip_space(p);
    size_t length = strlen(word);
    bool there = (size_t)(p->end - p->at) >= length && !memcmp(p->at, word, length);
    p->at += there ? length : 0;
    return there;
}

static bool parse_string(parser *p, const char **text, size_t *length) {
    char quote = take(p, '\'') ? '\'' : take(p, '"') ? '"' : '\0';
    const char *close = quote ? memchr(p->at, quote, (size_t)(p->end - p->at)) : NULL;
    if (!close || memchr(p->at, '\\', (size_t)(close - p->at))) {
        return false;
    }
    *text = p->at;
    *length = (size_t)(close - p->at);
    p->at = close + 1;
    return true;
}

/* ---- Its three entries ----------------------------------------------------------------------------- */

static bool refuse_type(parser *p, char kind, const char *descr, int length) {
    const char *bytes = length > 0 && descr[length - 1] == '8' ? "float32" : "float64";
    switch (kind) {
        case 'b':
        case '?':
            return refuse(p, "holds bool: save x.view('uint8')");
        case 'c':
            return refuse(p, "holds complex numbers: save x.view('%s')", bytes);
        case 'O':
            return refuse(p, "holds Python objects, which no device reads");
        case 'S':
        case 'U':
            return refuse(p, "holds text, which is no array of numbers");
        case 'M':
        case 'm':
            return refuse(p, "holds times: save x.view('int64')");
        default:
            return refuse(p, "holds elements of type '%.*s', which weft does not have", length, descr);
    }
}

static bool parse_descr(parser *p, npy *out) {
    skip_space(p);
    if (p->at < p->end && *p->at == '[') {
        return refuse(p, "holds structs: save x.view('uint8')");
    }
    const char *descr;
    size_t length;
    if (!parse_string(p, &descr, &length)) {
        return refuse(p, "has a damaged header: 'descr' is no type");
    }
    int shown = length < 16 ? (int)length : 16;
    char order = length > 0 && strchr("<>=|", *descr) ? *descr : '\0';
    const char *type = order ? descr + 1 : descr;
    size_t rest = length - (order ? 1 : 0);
    for (size_t i = 0; i < N_TYPES; i++) {
        if (rest == 2 && type[0] == types[i].kind && type[1] == types[i].digit) {
            out->dtype = types[i].dtype;
            if (order == OTHER_ORDER && weft_dtype_size(out->dtype) > 1) {
                return refuse(p, "has its bytes in the other order ('%.*s'): save x.astype('%c%.2s')", shown, descr, OWN_ORDER, type);
            }
            return true;
        }
    }
    return refuse_type(p, rest ? *type : '\0', descr, shown);
}

static bool parse_order(parser *p, bool *fortran) {
    *fortran = take_word(p, "True");
    return *fortran || take_word(p, "False") || refuse(p, "has a damaged header: 'fortran_order' is neither True nor False");
}

static bool parse_dimension(parser *p, size_t *out) {
    skip_space(p);
    if (p->at < p->end && *p->at == '-') {
        return refuse(p, "has a damaged header: a dimension of its shape is negative");
    }
    const char *start = p->at;
    size_t value = 0;
    for (; p->at < p->end && *p->at >= '0' && *p->at <= '9'; p->at++) {
        if (__builtin_mul_overflow(value, (size_t)10, &value) || __builtin_add_overflow(value, (size_t)(*p->at - '0'), &value)) {
            return refuse(p, "has a damaged header: a dimension of its shape is beyond 64 bits");
        }
    }
    if (p->at == start) {
        return refuse(p, "has a damaged header: its shape is no tuple of integers");
    }
    if (p->at < p->end && *p->at == 'L') { /* as Python 2 wrote it */
        p->at++;
    }
    *out = value;
    return true;
}

static bool parse_shape(parser *p, npy *out) {
    if (!take(p, '(')) {
        return refuse(p, "has a damaged header: its shape is no tuple of integers");
    }
    out->rank = 0;
    while (!take(p, ')')) {
        if (out->rank == NPY_RANK_MAX) {
            return refuse(p, "has more than %d dimensions", NPY_RANK_MAX);
        }
        if (!parse_dimension(p, &out->shape[out->rank])) {
            return false;
        }
        out->rank++;
        skip_space(p);
        if (!take(p, ',') && (p->at == p->end || *p->at != ')')) {
            return refuse(p, "has a damaged header: its shape is no tuple of integers");
        }
    }
    return npy_measure(out) || refuse(p, "has a shape of more than 2^64 elements");
}

/* ---- The whole ------------------------------------------------------------------------------------- */

/* Whether the elements lie in one order only, whatever that is called. */
static bool is_line(const npy *array) {
    size_t wide = 0;
    for (size_t i = 0; i < array->rank; i++) {
        wide += array->shape[i] > 1;
    }
    return wide < 2 || array->length == 0;
}

static bool parse_dictionary(parser *p, npy *out) {
    static const char *const keys[] = {"descr", "fortran_order", "shape"};
    enum { N_KEYS = sizeof keys / sizeof *keys };
    bool seen[N_KEYS] = {false}, fortran = false;
    if (!take(p, '{')) {
        return refuse(p, "has a damaged header: it is no dictionary");
    }
    while (!take(p, '}')) {
        const char *name;
        size_t length, key = 0;
        if (!parse_string(p, &name, &length) || !take(p, ':')) {
            return refuse(p, "has a damaged header: it is no dictionary");
        }
        while (key < N_KEYS && (strlen(keys[key]) != length || memcmp(keys[key], name, length) != 0)) {
            key++;
        }
        if (key == N_KEYS || seen[key]) {
            return refuse(p, "has a damaged header: it has '%.*s'%s", length < 32 ? (int)length : 32, name,
                          key == N_KEYS ? ", which no .npy has" : " twice");
        }
        seen[key] = true;
        if (!(key == 0 ? parse_descr(p, out) : key == 1 ? parse_order(p, &fortran) : parse_shape(p, out))) {
            return false;
        }
        skip_space(p);
        if (!take(p, ',') && (p->at == p->end || *p->at != '}')) {
            return refuse(p, "has a damaged header: it is no dictionary");
        }
    }
    for (size_t i = 0; i < N_KEYS; i++) {
        if (!seen[i]) {
            return refuse(p, "has a damaged header: it lacks '%s'", keys[i]);
        }
    }
    skip_space(p);
    if (p->at < p->end) {
        return refuse(p, "has a damaged header: something follows the dictionary");
    }
    return !fortran || is_line(out) || refuse(p, "is in Fortran order: save numpy.ascontiguousarray(x)");
}

bool npy_parse(const unsigned char *bytes, size_t size, npy *out, char reason[NPY_REASON_BYTES]) {
    parser p = {.reason = reason};
    *out = (npy){0};
    if (size == 0) {
        return refuse(&p, "is empty");
    }
    if (size >= 4 && !memcmp(bytes, "PK\3\4", 4)) {
        return refuse(&p, "is a .npz archive: save one array with numpy.save");
    }
    if (memcmp(bytes, MAGIC, size < 6 ? size : 6) != 0) {
        return refuse(&p, "is no .npy file; plain bytes are raw:TYPE:FILE");
    }
    if (size < 10) {
        return refuse(&p, "ends within its header");
    }
    unsigned major = bytes[6], minor = bytes[7];
    if (major < 1 || major > 3 || minor != 0) {
        return refuse(&p, "is .npy version %u.%u; weft reads 1.0, 2.0 and 3.0", major, minor);
    }
    size_t start = major == 1 ? 10 : 12;
    size_t length = bytes[8] | (size_t)bytes[9] << 8;
    if (major > 1) {
        length = size < start ? SIZE_MAX : length | (size_t)bytes[10] << 16 | (size_t)bytes[11] << 24;
    }
    if (length > size - (size < start ? size : start)) {
        return size < NPY_PARSED_BYTES ? refuse(&p, "ends within its header")
                                       : refuse(&p, "has a header of %zu bytes; weft reads up to 65535", length);
    }
    p.at = (const char *)bytes + start;
    p.end = p.at + length;
    out->offset_bytes = start + length;
    return parse_dictionary(&p, out);
}

bool npy_measure(npy *array) {
    array->length = 1;
    for (size_t i = 0; i < array->rank; i++) {
        if (array->shape[i] == 0) {
            array->length = 0;
            return true;
        }
    }
    for (size_t i = 0; i < array->rank; i++) {
        if (__builtin_mul_overflow(array->length, array->shape[i], &array->length)) {
            return false;
        }
    }
    return true;
}

size_t npy_write(const npy *array, unsigned char out[NPY_WRITTEN_BYTES]) {
    enum { START = 10 };
    char *text = (char *)out + START;
    size_t room = NPY_WRITTEN_BYTES - START, type = 0;
    while (types[type].dtype != array->dtype) {
        type++;
    }
    char order = types[type].kind == 'V' || types[type].digit == '1' ? '|' : OWN_ORDER;
    size_t length = (size_t)snprintf(text, room, "{'descr': '%c%c%c', 'fortran_order': False, 'shape': (", order,
                                     types[type].kind, types[type].digit);
    for (size_t i = 0; i < array->rank; i++) {
        length += (size_t)snprintf(text + length, room - length, "%s%zu%s", i ? " " : "", array->shape[i],
                                   i + 1 < array->rank || array->rank == 1 ? "," : "");
    }
    length += (size_t)snprintf(text + length, room - length, "), }");
    size_t whole = (START + length + 1 + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT; /* it ends with a newline */
    memset(text + length, ' ', whole - START - length);
    out[whole - 1] = '\n';
    memcpy(out, MAGIC "\1\0", 8);
    out[8] = (unsigned char)(whole - START);
    out[9] = (unsigned char)((whole - START) >> 8);
    return whole;
}
