/* program/types: sizes and alignments are those of OpenCL C 3.0, sections 6.3.1, 6.3.2 and 6.3.5. */
#include "support.h"

#include "program/types.h"

static const struct {
    const char *name;
    base_type base;
    size_t bytes;
} scalars[] = {{"char", BASE_SIGNED, 1},  {"uchar", BASE_UNSIGNED, 1}, {"short", BASE_SIGNED, 2}, {"ushort", BASE_UNSIGNED, 2},
               {"int", BASE_SIGNED, 4},   {"uint", BASE_UNSIGNED, 4},  {"long", BASE_SIGNED, 8},  {"ulong", BASE_UNSIGNED, 8},
               {"float", BASE_FLOAT, 4},  {"double", BASE_FLOAT, 8},   {"half", BASE_HALF, 2}};
enum { N_SCALARS = sizeof scalars / sizeof *scalars };

static void expect(const char *name, base_type base, size_t element_bytes, size_t width, size_t size_bytes) {
    const type_info type = type_parse(name);
    ck_assert_msg(type.base == base && type.element_bytes == element_bytes && type.width == width &&
                      type.size_bytes == size_bytes && type.alignment == size_bytes,
                  "%s: base %d, %zu bytes of %zu elements of %zu, aligned to %zu", name, (int)type.base, type.size_bytes,
                  type.width, type.element_bytes, type.alignment);
}

START_TEST(built_in_types_are_known) {
    static const size_t widths[] = {2, 3, 4, 8, 16};
    for (size_t i = 0; i < N_SCALARS; i++) {
        expect(scalars[i].name, scalars[i].base, scalars[i].bytes, 1, scalars[i].bytes);
        for (size_t k = 0; k < sizeof widths / sizeof *widths; k++) {
            char name[32];
            snprintf(name, sizeof name, "%s%zu", scalars[i].name, widths[k]);
            expect(name, scalars[i].base, scalars[i].bytes, widths[k], scalars[i].bytes * (widths[k] == 3 ? 4 : widths[k]));
        }
    }
}
END_TEST

START_TEST(long_spellings_are_the_same_types) {
    expect("unsigned char", BASE_UNSIGNED, 1, 1, 1);
    expect("unsigned short", BASE_UNSIGNED, 2, 1, 2);
    expect("unsigned int", BASE_UNSIGNED, 4, 1, 4);
    expect("unsigned", BASE_UNSIGNED, 4, 1, 4);
    expect("unsigned long", BASE_UNSIGNED, 8, 1, 8);
    expect("signed char", BASE_SIGNED, 1, 1, 1);
    expect("signed int", BASE_SIGNED, 4, 1, 4);
}
END_TEST

START_TEST(other_names_are_unknown) {
    static const char *const names[] = {"",       "float5", "float1", "float0",  "float32", "float4x", "float04 ", "floats",
                                        "int 4",  "Int",    "bool",   "size_t",  "pair_t",  "struct pair", "image2d_t",
                                        "integer", "charm", "half-4", "double-2"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        ck_assert_msg(type_parse(names[i]).base == BASE_UNKNOWN, "\"%s\" is known", names[i]);
    }
    ck_assert_int_eq(type_parse("void").base, BASE_VOID);
}
END_TEST

START_TEST(every_built_in_is_listed_once) {
    char name[16], other[16];
    size_t count = 0;
    for (; type_builtin(count, name); count++) {
        ck_assert_ptr_eq(type_builtin(count, name), name);
        ck_assert_int_ne(type_parse(name).base, BASE_UNKNOWN);
        for (size_t i = 0; i < count; i++) {
            ck_assert_str_ne(type_builtin(i, other), name);
        }
    }
    ck_assert_uint_eq(count, N_SCALARS * 6);
    ck_assert_ptr_null(type_builtin(SIZE_MAX, name));
}
END_TEST

TESTS(built_in_types_are_known, long_spellings_are_the_same_types, other_names_are_unknown, every_built_in_is_listed_once)
