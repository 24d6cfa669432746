/* A C number as an element of a dtype, or as a kernel's integer: exact, or refused. */
#ifndef BASE_CONVERT_H
#define BASE_CONVERT_H

#include <weft/dtype.h>
#include <weft/scalar.h>

typedef enum conversion {
    CONVERSION_OK,
    CONVERSION_OUT_OF_RANGE, /* the type cannot hold a value of that size */
    CONVERSION_INEXACT,      /* the value would change */
    CONVERSION_INVALID       /* no such kind of scalar */
} conversion;

/* Writes the element's bytes. The same type is copied bitwise; a floating value rounds to nearest in a
 * floating dtype; anything else must be exact. */
conversion convert_to_dtype(weft_scalar scalar, weft_dtype dtype, unsigned char out[8]);

/* Writes the scalar, an integer, as an integer of size_bytes; out has room for 8 in any case. */
conversion convert_to_integer(weft_scalar scalar, bool to_signed, size_t size_bytes, void *out);

/* "300", "1.5", "nan": for messages. */
void convert_show(weft_scalar scalar, char out[40]);

#endif
