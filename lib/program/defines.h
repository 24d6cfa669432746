/* The caller's compile options, checked, and the defines among them as text. */
#ifndef PROGRAM_DEFINES_H
#define PROGRAM_DEFINES_H

#include "base/text.h"
#include "program/assemble.h"

/* Appends a #define line for each of options->defines. A malformed entry, also of include_dirs, is
 * INVALID_ARGUMENT, with what is wrong in out->reason. */
weft_status defines_write(const weft_compile_options *options, text *defines, assembled *out);

#endif
