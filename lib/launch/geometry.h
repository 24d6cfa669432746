/* From a grid of blocks to an NDRange. */
#ifndef LAUNCH_GEOMETRY_H
#define LAUNCH_GEOMETRY_H

#include "program/kernel.h"

typedef struct geometry {
    cl_uint dimensions; /* trailing ones are left out */
    size_t global[3];
    size_t local[3];
} geometry;

/* Checks the launch against every limit of the kernel, its device and its driver, and translates it. */
weft_status geometry_of(const kernel *kernel, const weft_launch *launch, geometry *out);

#endif
