/* The types of values that kernels take: what they are in C, as the compiler says. */
#ifndef BIND_TYPES_H
#define BIND_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <weft/weft.h>

typedef struct bind_field {
    char *name;
    size_t type; /* its index; an array's element */
    size_t offset;
    size_t dimensions, extent[4]; /* of an array, outermost first */
} bind_field;

typedef struct bind_type {
    char *name; /* in OpenCL C: "uint", "float4", "pair_t", "struct pair" */
    size_t size, alignment;
    const char *scalar;     /* of a number or vector: in OpenCL C; NULL: a struct */
    const char *c_scalar;   /* the same in C */
    size_t width;           /* of a vector, else 1 */
    bind_field *fields;     /* none: the struct is opaque */
    size_t n_fields;
    bool padded;            /* C would lay the fields out otherwise */
} bind_type;

typedef struct bind_types {
    weft_context *context;
    const char *text; /* the assembled source */
    const char *cl_std;
    char *blanked;
    bool fp64, fp16;
    size_t depth; /* structs in structs, while they are found out */
    bind_type *types; /* a struct stands behind the types of its fields */
    size_t count;
} bind_types;

void bind_types_begin(bind_types *types, weft_context *context, const char *text, const char *cl_std);
void bind_types_end(bind_types *types);

/* Finds out what the type is, and *out, its index. false: the compiler does not say, and weft_error_message() tells why. */
bool bind_types_find(bind_types *types, const char *name, size_t *out);

#endif
