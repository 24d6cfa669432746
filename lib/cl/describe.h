/* Asks a driver what one of its devices is. */
#ifndef CL_DESCRIBE_H
#define CL_DESCRIBE_H

#include "cl/discover.h"

/* A new entry, without its id and place in the order; NULL when the driver or the host fails. */
device_entry *describe_device(cl_platform_id platform, cl_device_id id);

/* malloc'ed, NULL on failure. */
char *describe_platform_name(cl_platform_id platform);

#endif
