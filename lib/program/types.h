/* OpenCL C type names as reflection gives them. */
#ifndef PROGRAM_TYPES_H
#define PROGRAM_TYPES_H

#include <stddef.h>

typedef enum base_type { BASE_UNKNOWN, BASE_VOID, BASE_SIGNED, BASE_UNSIGNED, BASE_FLOAT, BASE_HALF, BASE_STRUCT } base_type;

/* All zero: not known. */
typedef struct type_info {
    base_type base;
    size_t element_bytes; /* of one component */
    size_t width;         /* components: 1, or a vector's */
    size_t size_bytes;
    size_t alignment;
} type_info;

/* What a built-in type's name says ("uint", "unsigned int", "float4", "void"); BASE_UNKNOWN for any other. */
type_info type_parse(const char *name);

/* The built-in numeric type names, scalars and vectors, NULL after the last. */
const char *type_builtin(size_t index, char out[16]);

#endif
