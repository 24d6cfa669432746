/* A driver's binaries: out of a build, and back into one. */
#ifndef PROGRAM_BINARY_H
#define PROGRAM_BINARY_H

#include "program/build.h"
#include "program/cache_entry.h"

/* What a binary is good for: device, driver and version of weft, in lines, the device's name first. The caller frees *out.
 * Errors: OUT_OF_HOST_MEMORY; DRIVER. */
weft_status binary_identity(const device_entry *entry, char **out);

/* A build's binary. The caller frees *out.
 * Errors: OUT_OF_HOST_MEMORY; UNSUPPORTED (the driver has none); DRIVER. */
weft_status binary_fetch(const build *build, unsigned char **out, size_t *size_bytes);

/* A build from an entry whose bytes have been verified; takes over its kernels. What a driver makes of other bytes is a
 * crash.
 * Errors: OUT_OF_HOST_MEMORY; UNSUPPORTED (the driver finds other kernels in it); DRIVER. */
weft_status binary_build(const device *device, cache_entry *verified, const char *options, build **out);

#endif
