/* Kernels without parameters, on a driver that cannot build them together with argument info. */
#ifndef PROGRAM_ARGLESS_H
#define PROGRAM_ARGLESS_H

#include "base/text.h"
#include "program/build.h"

/* Builds once more a program whose build failed with that log, NULL when there was no memory for it: with one unused
 * parameter for each kernel that has none. Their names go to *names, the text that was built to *built, malloc'ed. *out
 * is NULL where that is not the reason, or does not help.
 * Errors: OUT_OF_HOST_MEMORY; DRIVER. */
weft_status argless_build(const device *device, const assembled *source, const char *options, const char *log, text *names,
                          char **built, cl_program *out);

/* Whether the name is among them. */
bool argless_names(const text *names, const char *name);

#endif
