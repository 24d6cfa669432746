#include "program/types.h"

#include <stdio.h>
#include <string.h>

static const struct {
    const char *name;
    base_type base;
    size_t bytes;
} scalars[] = {
    {"char", BASE_SIGNED, 1},  {"uchar", BASE_UNSIGNED, 1},  {"short", BASE_SIGNED, 2}, {"ushort", BASE_UNSIGNED, 2},
    {"int", BASE_SIGNED, 4},   {"uint", BASE_UNSIGNED, 4},   {"long", BASE_SIGNED, 8},  {"ulong", BASE_UNSIGNED, 8},
    {"float", BASE_FLOAT, 4},  {"double", BASE_FLOAT, 8},    {"half", BASE_HALF, 2},
};
enum { N_SCALARS = sizeof scalars / sizeof *scalars };

static const size_t widths[] = {1, 2, 3, 4, 8, 16};
enum { N_WIDTHS = sizeof widths / sizeof *widths };

static type_info make(size_t scalar, size_t width) {
    size_t size = scalars[scalar].bytes * (width == 3 ? 4 : width); /* a 3-vector is laid out as 4 (OpenCL C 6.1.5) */
    return (type_info){scalars[scalar].base, scalars[scalar].bytes, width, size, size};
}

type_info type_parse(const char *name) {
    static const char *const long_names[][2] = {
        {"unsigned char", "uchar"}, {"unsigned short", "ushort"}, {"unsigned int", "uint"}, {"unsigned long", "ulong"},
        {"unsigned", "uint"},       {"signed char", "char"},      {"signed int", "int"}};
    for (size_t i = 0; i < sizeof long_names / sizeof *long_names; i++) {
        if (strcmp(name, long_names[i][0]) == 0) {
            name = long_names[i][1];
        }
    }
    if (strcmp(name, "void") == 0) {
        return (type_info){.base = BASE_VOID};
    }
    char built_in[16];
    for (size_t i = 0; type_builtin(i, built_in); i++) {
        if (strcmp(name, built_in) == 0) {
            return make(i / N_WIDTHS, widths[i % N_WIDTHS]);
        }
    }
    return (type_info){.base = BASE_UNKNOWN};
}

const char *type_builtin(size_t index, char out[16]) {
    if (index >= (size_t)N_SCALARS * N_WIDTHS) {
        return NULL;
    }
    size_t width = widths[index % N_WIDTHS];
    snprintf(out, 16, width == 1 ? "%s" : "%s%zu", scalars[index / N_WIDTHS].name, width);
    return out;
}
