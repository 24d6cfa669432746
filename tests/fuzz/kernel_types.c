#include "kernel_types.h"

#define SCALAR(name, base, bytes) {"", name, "", WEFT_PARAM_SCALAR, base, bytes, bytes, bytes, bytes, false, false}
#define VALUE(name, bytes, alignment, data) {"", name, "", WEFT_PARAM_VALUE, OF_ANY, 0, bytes, alignment, data, false, false}
#define POINTER(before, name, after, base, element, bytes, alignment, data, is_const, alone) \
    {before, name, " *" after, WEFT_PARAM_BUFFER, base, element, bytes, alignment, data, is_const, alone}
#define GLOBAL(name, base, element, bytes) POINTER("global ", name, "", base, element, bytes, bytes, bytes, false, false)
#define GLOBAL_CONST(name, base, element, bytes) POINTER("global const ", name, "", base, element, bytes, bytes, bytes, true, false)
#define CONSTANT(name, base, element, bytes) POINTER("constant ", name, "", base, element, bytes, bytes, bytes, true, true)
#define SHARED(name, bytes, alignment) {"local ", name, " *", WEFT_PARAM_SHARED, OF_ANY, 0, bytes, alignment, 0, false, false}

const param_type param_types[] = {
    SCALAR("char", OF_SIGNED, 1), SCALAR("uchar", OF_UNSIGNED, 1), SCALAR("short", OF_SIGNED, 2), SCALAR("ushort", OF_UNSIGNED, 2),
    SCALAR("int", OF_SIGNED, 4), SCALAR("uint", OF_UNSIGNED, 4), SCALAR("long", OF_SIGNED, 8), SCALAR("ulong", OF_UNSIGNED, 8),
    SCALAR("float", OF_FLOAT, 4), SCALAR("double", OF_FLOAT, 8), SCALAR("unsigned int", OF_UNSIGNED, 4),
    SCALAR("my_index", OF_UNSIGNED, 8), SCALAR("my_real", OF_FLOAT, 4),
    VALUE("char2", 2, 2, 2), VALUE("uchar3", 4, 4, 3), VALUE("short4", 8, 8, 8), VALUE("int3", 16, 16, 12),
    VALUE("float4", 16, 16, 16), VALUE("double2", 16, 16, 16), VALUE("long8", 64, 64, 64), VALUE("double16", 128, 128, 128),
    VALUE("my_vector", 16, 16, 16), VALUE("pair", 8, 4, 5), VALUE("triple", 3, 1, 3), VALUE("struct wide", 16, 8, 9),
    VALUE("my_pair", 8, 4, 5),
    GLOBAL("char", OF_SIGNED, 1, 1), GLOBAL("uchar", OF_UNSIGNED, 1, 1), GLOBAL("short", OF_SIGNED, 2, 2),
    GLOBAL("ushort", OF_UNSIGNED, 2, 2), GLOBAL("int", OF_SIGNED, 4, 4), GLOBAL("uint", OF_UNSIGNED, 4, 4),
    GLOBAL("long", OF_SIGNED, 8, 8), GLOBAL("ulong", OF_UNSIGNED, 8, 8), GLOBAL("float", OF_FLOAT, 4, 4),
    GLOBAL("double", OF_FLOAT, 8, 8), GLOBAL("float4", OF_FLOAT, 4, 16), GLOBAL("int2", OF_SIGNED, 4, 8),
    GLOBAL("char4", OF_SIGNED, 1, 4), GLOBAL("ulong2", OF_UNSIGNED, 8, 16), GLOBAL("double8", OF_FLOAT, 8, 64),
    GLOBAL("my_index", OF_UNSIGNED, 8, 8), GLOBAL("my_vector", OF_FLOAT, 4, 16),
    POINTER("global ", "float3", "", OF_FLOAT, 4, 16, 16, 12, false, false),
    POINTER("global ", "pair", "", OF_ANY, 0, 8, 4, 5, false, false),
    POINTER("global const ", "struct wide", "", OF_ANY, 0, 16, 8, 9, true, false),
    POINTER("global ", "void", "", OF_ANY, 0, 0, 0, 1, false, false),
    POINTER("global const ", "void", "", OF_ANY, 0, 0, 0, 1, true, false),
    POINTER("global ", "half", "", OF_HALF, 2, 2, 2, 2, false, false),
    POINTER("global volatile ", "int", "", OF_SIGNED, 4, 4, 4, 4, false, false),
    POINTER("global ", "float", "restrict ", OF_FLOAT, 4, 4, 4, 4, false, true),
    GLOBAL_CONST("int", OF_SIGNED, 4, 4), GLOBAL_CONST("float", OF_FLOAT, 4, 4), GLOBAL_CONST("float4", OF_FLOAT, 4, 16),
    GLOBAL_CONST("ushort", OF_UNSIGNED, 2, 2), GLOBAL_CONST("double", OF_FLOAT, 8, 8),
    CONSTANT("float", OF_FLOAT, 4, 4), CONSTANT("int4", OF_SIGNED, 4, 16), CONSTANT("uchar", OF_UNSIGNED, 1, 1),
    SHARED("float", 4, 4), SHARED("uchar", 1, 1), SHARED("double4", 32, 32), SHARED("pair", 8, 4), SHARED("void", 0, 0),
};
const size_t n_param_types = sizeof param_types / sizeof *param_types;

/* A dtype as a pointee sees it. */
static pointee_base base_of(weft_dtype dtype) {
    switch (dtype) {
        case WEFT_INT8:
        case WEFT_INT16:
        case WEFT_INT32:
        case WEFT_INT64:
            return OF_SIGNED;
        case WEFT_FLOAT32:
        case WEFT_FLOAT64:
            return OF_FLOAT;
        case WEFT_FLOAT16:
            return OF_HALF;
        default:
            return OF_UNSIGNED; /* bfloat16 has no type of its own in OpenCL C */
    }
}

bool pointer_accepts(const param_type *type, weft_dtype dtype) {
    if (type->base == OF_ANY || type->element_bytes == 1) {
        return true;
    }
    if (type->element_bytes != weft_dtype_size(dtype)) {
        return false;
    }
    return type->base == base_of(dtype) || (type->base == OF_UNSIGNED && dtype == WEFT_FLOAT16);
}

size_t pointee_alignment(const param_type *type, weft_dtype dtype) {
    return type->alignment ? type->alignment : weft_dtype_size(dtype);
}
