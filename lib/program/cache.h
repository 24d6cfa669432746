/* The disk cache: builds of earlier processes. Whatever is wrong with it, a build from source is as good: nothing here
 * fails, or touches the error record. */
#ifndef PROGRAM_CACHE_H
#define PROGRAM_CACHE_H

#include "program/build.h"

struct cache_entry;

/* The build of this text from an earlier process, or NULL. *key is what it is, or would be, kept under; all zero when
 * there is no cache. */
build *cache_load(device *device, const assembled *source, const char *options, cache_key *key);

/* Parts of it, for programs that users keep themselves: what a device and its driver are, in lines, the device's name first;
 * a build from an entry whose bytes have been verified, which gives its kernels away; a build's binary. The first and the
 * last are the caller's to free. NULL without memory, and when the driver refuses. */
char *cache_device_identity(const device_entry *entry);
build *cache_build(const device *device, struct cache_entry *cached, const char *options);
unsigned char *cache_fetch_binary(const build *build, size_t *size_bytes);

/* Keeps a build that came from source. Where its binary is worth more after launches, call cache_store_launched too. */
void cache_store(device *device, build *build);
void cache_store_launched(device *device, build *build);

#endif
