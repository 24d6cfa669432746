/* Which devices the drivers offer, in weft's order. */
#ifndef CL_DISCOVER_H
#define CL_DISCOVER_H

#include <CL/cl.h>

#include <weft/device.h>

#include "cl/quirks.h"

/* One device as discovery found it. Lives as long as the process. */
typedef struct device_entry {
    weft_device_info info;
    const char *implementation; /* "pocl", "rusticl", "oclgrind", "nvidia", or "" */
    cl_platform_id platform;
    cl_device_id id;
    uint32_t quirks;         /* or of quirk bits */
    bool usable;             /* available, and its driver compiles */
    int version;             /* of OpenCL: major * 100 + minor * 10, so 120 and 300 */
    uint64_t max_groups;     /* work-groups and work-items of one launch that the driver computes right */
    uint64_t max_items;
    bool profiling;
    bool priorities;         /* cl_khr_priority_hints */
    uint32_t registers_per_block;          /* 0 when not known */
    uint32_t capability_major, capability_minor; /* NVIDIA; 0 when not known */
    struct device *shared;   /* what all contexts on it share, or NULL; guarded by the lock in context/device.c */
    struct device_entry *next;
} device_entry;

/* The device that api and id name (weft/device.h says how), or a NO_DEVICE error that lists what exists. */
weft_status discover_find(const char *api, int id, device_entry **out);

#endif
