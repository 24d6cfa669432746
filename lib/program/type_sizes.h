/* Sizes of the types a program defines itself: reflection gives only their names. */
#ifndef PROGRAM_TYPE_SIZES_H
#define PROGRAM_TYPE_SIZES_H

#include "program/kernel.h"

/* Fills in the type of each parameter that type_parse did not know: typedefs of built-in types become those,
 * structs get their size and alignment. A type the compiler cannot answer for (an incomplete struct) stays
 * unknown, and launches then check less.
 * Errors: OUT_OF_HOST_MEMORY; DRIVER. */
weft_status type_sizes_resolve(kernel *kernel, device *device, const char *text, const char *options);

#endif
