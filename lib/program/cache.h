/* The disk cache: builds of earlier processes. Whatever is wrong with it, a build from source is as good: nothing here
 * fails, or touches the error record. */
#ifndef PROGRAM_CACHE_H
#define PROGRAM_CACHE_H

#include "program/build.h"

/* The build of this text from an earlier process, or NULL. *key is what it is, or would be, kept under; all zero when
 * there is no cache. */
build *cache_load(device *device, const assembled *source, const char *options, cache_key *key);

/* Keeps a build that came from source. Where its binary is worth more after launches, call cache_store_launched too. */
void cache_store(device *device, build *build);
void cache_store_launched(device *device, build *build);

#endif
