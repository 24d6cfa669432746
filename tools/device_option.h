/* --device API[:ID], for subcommands that use one device or all. */
#ifndef DEVICE_OPTION_H
#define DEVICE_OPTION_H

#include <stdbool.h>
#include <stddef.h>
#include <weft/weft.h>

/* The devices that name ("api" or "api:id") stands for: that one; NULL: every device, in weft's order. *out is the caller's
 * to free. false: it has said why, after `who`. */
bool device_option_list(const char *who, const char *name, weft_device_info **out, size_t *count);

/* A context on that device; NULL as the name: on the default one. false: it has said why. */
bool device_option_open(const char *who, const char *name, weft_context **out);

#endif
