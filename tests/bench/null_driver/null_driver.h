/* An OpenCL driver that runs no kernel: what is left of a launch is the time of whoever called it.
 *
 * New memory holds zeros, so that what no kernel wrote is the same in every run.
 * Copies and fills happen inside the call, so every event is complete from birth and wait lists mean nothing.
 * Handles are trusted; ranges, sizes and names are checked. What is not here (images, samplers, SVM, pipes,
 * user events, linking) is NULL in the dispatch table, and the device says that it lacks it.
 */
#ifndef NULL_DRIVER_H
#define NULL_DRIVER_H

#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#include <CL/cl.h>
#include <CL/cl_ext.h>
#include <CL/cl_icd.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "scan.h"

/* The interface fixes the parameters; a driver that does nothing has no use for most of them. */
#pragma GCC diagnostic ignored "-Wunused-parameter"

#define KIBI ((size_t)1 << 10)
#define GIBI ((size_t)1 << 30)
#define MAX_BLOCK 1024
#define MAX_ALLOCATION (16 * GIBI)
#define BASE_ALIGNMENT 512 /* bytes */

/* ---- Objects: each starts with what the loader reads, the dispatch table --------------------------- */

typedef struct object {
    const cl_icd_dispatch *dispatch;
    atomic_uint references;
} object;

struct _cl_platform_id {
    object object;
};

struct _cl_device_id {
    object object;
};

struct _cl_context {
    object object;
};

struct _cl_command_queue {
    object object;
    cl_context context;
    cl_command_queue_properties properties;
};

struct _cl_mem {
    object object;
    cl_context context;
    cl_mem parent; /* of a sub-buffer, else NULL */
    cl_mem_flags flags;
    size_t origin, size;
    void *host_pointer; /* the caller's, under CL_MEM_USE_HOST_PTR */
    void *block;        /* the driver's own memory, else NULL */
    unsigned char *data;
    atomic_uint maps;
};

struct _cl_event {
    object object;
    cl_command_queue queue;
    cl_command_type type;
    cl_ulong time_ns;
};

struct _cl_program {
    object object;
    cl_context context;
    char *source;
    char *options;
    kernel_source *kernels; /* once built */
    size_t n_kernels;
    bool built;
};

struct _cl_kernel {
    object object;
    cl_program program;
    const kernel_source *source;
};

extern const cl_icd_dispatch null_dispatch;
extern struct _cl_platform_id null_platform;
extern struct _cl_device_id null_device;

/* Zeroed, with one reference and the dispatch table; NULL when there is no memory. */
void *object_new(size_t size_bytes);

static inline void object_retain(object *object) {
    atomic_fetch_add_explicit(&object->references, 1, memory_order_relaxed);
}

/* Whether that was the last reference. */
static inline bool object_release(object *object) {
    return atomic_fetch_sub_explicit(&object->references, 1, memory_order_acq_rel) == 1;
}

/* Hands out a new object, or says that there is no memory. */
static inline void *created(void *object, cl_int *code) {
    if (code) {
        *code = object ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
    }
    return object;
}

static inline void *refused(cl_int reason, cl_int *code) {
    if (code) {
        *code = reason;
    }
    return NULL;
}

/* ---- Queries: the answering functions name their last parameters capacity, out and out_size --------- */

cl_int answer(const void *value, size_t size_bytes, size_t capacity, void *out, size_t *out_size);

#define ANSWER(type, ...) answer(&(const type){__VA_ARGS__}, sizeof(type), capacity, out, out_size)
#define ANSWER_ARRAY(type, ...) \
    answer((const type[]){__VA_ARGS__}, sizeof((const type[]){__VA_ARGS__}), capacity, out, out_size)
#define ANSWER_TEXT(text) answer(text, strlen(text) + 1, capacity, out, out_size)
#define ANSWER_NOTHING() answer(NULL, 0, capacity, out, out_size)

#endif
