/* weft/device.h: which devices there are, and what each can do.
 *
 * Order: GPUs, then accelerators, then CPUs (a device whose type has the CPU bit is a CPU); inside a kind
 * by platform name, then in the driver's order. Ids count over that order among the devices an api names.
 * A device that is not available, or whose driver cannot compile, is left out.
 *
 * An api is one of these, in any letter case:
 *   NULL or "any"              every device
 *   "gpu" "cpu" "accelerator"  a kind
 *   "nvidia" or "cuda", "amd" or "hip", "intel", "apple" or "metal"   a vendor
 *   "pocl" "rusticl" "oclgrind"                                       an implementation
 *   "opencl"                   a device that none of the vendors and implementations above names
 *
 * WEFT_DEVICE=api[:index] in the environment (nvidia:1, pocl) chooses the device when a program asks for
 * api NULL and id 0. A value that names no device is an error that lists what exists. To walk over all
 * devices, count and ask with "any", which the variable leaves alone.
 */
#ifndef WEFT_DEVICE_H
#define WEFT_DEVICE_H

#include <weft/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A snapshot of one device. Strings are borrowed and live as long as the process. */
typedef struct weft_device_info {
    const char *name;             /* "NVIDIA H200" */
    const char *vendor;           /* "NVIDIA Corporation" */
    const char *api;              /* the device's own token: "nvidia", "amd", "intel", "apple", "pocl", "rusticl", "oclgrind", "opencl" */
    int id;                       /* its index within that token */
    const char *kind;             /* "gpu", "accelerator" or "cpu" */
    const char *platform;         /* the OpenCL platform's name */
    const char *driver_version;
    const char *opencl_version;   /* CL_DEVICE_VERSION */
    const char *opencl_c_version; /* CL_DEVICE_OPENCL_C_VERSION */

    uint32_t compute_units;
    uint32_t clock_mhz;
    uint32_t warp_size;                 /* threads that run in step; 1 where the driver does not say */
    size_t max_threads_per_block;
    size_t max_block_dim[3];
    size_t max_shared_bytes;            /* local memory of one block */
    size_t max_argument_bytes;          /* all arguments of one launch together, as the driver reports it */
    size_t max_allocation_bytes;        /* one buffer, as the driver reports it; some grant more */
    size_t global_memory_bytes;
    size_t cache_bytes;
    size_t view_alignment_bytes;        /* CL_DEVICE_MEM_BASE_ADDR_ALIGN; weft's views work at any element */

    bool unified_memory;                /* host and device memory are one */
    bool fp64;
    bool fp16;
    bool int64_atomics;
    bool subgroups;
    bool svm;                           /* coarse-grained buffers at least */
    bool il;                            /* takes SPIR-V */
    bool timestamps;                    /* commands on timing contexts carry times of the device's clock */

    bool has_pci;                       /* the next line is known */
    uint32_t pci_domain, pci_bus, pci_device, pci_function;
    bool has_uuid;                      /* the next line is known */
    uint8_t uuid[16];
} weft_device_info;

/* How many devices the api names; 0 for none and for an unknown api. Immediate after the drivers are
 * loaded, which the first call does; never fails.
 * Source: the model's DeviceContext.number_of_devices. */
WEFT_API size_t weft_number_of_devices(const char *api);

/* Whether there is a device that is not a CPU. Immediate, never fails. Source: sys.info.has_accelerator. */
WEFT_API bool weft_has_accelerator(void);

/* Whether there is a GPU of that vendor. Immediate, never fails.
 * Source: sys.info.has_nvidia_gpu_accelerator and its siblings. */
WEFT_API bool weft_has_nvidia_gpu_accelerator(void);
WEFT_API bool weft_has_amd_gpu_accelerator(void);
WEFT_API bool weft_has_intel_gpu_accelerator(void);
WEFT_API bool weft_has_apple_gpu_accelerator(void);

/* Describes the device that a context with the same api and device_id would use, without creating one.
 * out is filled, or zeroed on failure. Immediate.
 * Errors: INVALID_ARGUMENT (out is NULL); NO_DEVICE (no driver, unknown api, device_id out of range, bad
 * WEFT_DEVICE), with a message that lists the devices there are.
 * Source: clGetDeviceInfo (OpenCL 4.2). */
WEFT_API WEFT_NODISCARD weft_status weft_device_get_info(const char *api, int device_id, weft_device_info *out);

#ifdef __cplusplus
}
#endif

#endif
