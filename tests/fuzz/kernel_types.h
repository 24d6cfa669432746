/* Types of kernel parameters, and what the documentation says may be passed for each. */
#ifndef FUZZ_KERNEL_TYPES_H
#define FUZZ_KERNEL_TYPES_H

#include <stddef.h>

#include "verdict.h"

typedef enum pointee_base { OF_SIGNED, OF_UNSIGNED, OF_FLOAT, OF_HALF, OF_ANY } pointee_base;

typedef struct param_type {
    const char *before, *name, *after; /* "global const ", "float", " *restrict"; with no star it is by value */
    weft_arg_class kind;
    pointee_base base;    /* of one component, for scalars and pointees */
    size_t element_bytes; /* of one component */
    size_t size_bytes, alignment; /* 0: void */
    size_t data_bytes;    /* that are no padding */
    bool is_const;
    bool alone;           /* memory that the compiler may take for its own: constant, restrict */
} param_type;

extern const param_type param_types[];
extern const size_t n_param_types;


/* Whether a buffer of dtype may be passed for the pointer. */
bool pointer_accepts(const param_type *type, weft_dtype dtype);

/* The alignment that the pointee wants of a buffer. */
size_t pointee_alignment(const param_type *type, weft_dtype dtype);

#endif
