/* weft/context.h: a context is one in-order queue of work on one device.
 *
 * The model's DeviceContext and DeviceStream. All contexts on a device share its memory and its compiled
 * functions; work on different contexts is unordered unless the program orders it with
 * weft_enqueue_wait_for, or a copy or a change of ownership does.
 */
#ifndef WEFT_CONTEXT_H
#define WEFT_CONTEXT_H

#include <weft/device.h>
#include <weft/status.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct weft_context weft_context;

/* All zero means: the default device, no timing. */
typedef struct weft_context_options {
    const char *api; /* see weft/device.h; NULL: any */
    int device_id;   /* index among the devices that api names */
    bool timing;     /* a profiling queue: commands carry device timestamps, and launches cost more */
    bool blocking_sync; /* waits leave the core to others, and may return some microseconds later */
    int priority;    /* see weft_context_stream_priority_range */
} weft_context_options;

typedef struct weft_stream_options {
    bool timing; /* as above */
    bool blocking_sync;
    int priority;
} weft_stream_options;

/* Codes are the model's (and CUDA's). */
typedef enum weft_device_attribute {
    WEFT_DEVICE_MAX_THREADS_PER_BLOCK = 1,
    WEFT_DEVICE_MAX_BLOCK_DIM_X = 2,
    WEFT_DEVICE_MAX_BLOCK_DIM_Y = 3,
    WEFT_DEVICE_MAX_BLOCK_DIM_Z = 4,
    WEFT_DEVICE_MAX_GRID_DIM_X = 5, /* blocks a launch may have in that dimension when the others are 1 and a block is one thread */
    WEFT_DEVICE_MAX_GRID_DIM_Y = 6,
    WEFT_DEVICE_MAX_GRID_DIM_Z = 7,
    WEFT_DEVICE_MAX_SHARED_MEMORY_PER_BLOCK = 8, /* bytes */
    WEFT_DEVICE_WARP_SIZE = 10,
    WEFT_DEVICE_MAX_REGISTERS_PER_BLOCK = 12, /* NVIDIA only */
    WEFT_DEVICE_CLOCK_RATE = 13,              /* kHz */
    WEFT_DEVICE_MULTIPROCESSOR_COUNT = 16,
    WEFT_DEVICE_INTEGRATED = 18, /* 1: host and device memory are one */
    WEFT_DEVICE_L2_CACHE_SIZE = 38, /* bytes */
    WEFT_DEVICE_COMPUTE_CAPABILITY_MAJOR = 75, /* NVIDIA only */
    WEFT_DEVICE_COMPUTE_CAPABILITY_MINOR = 76, /* NVIDIA only */
    WEFT_DEVICE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR = 81, /* bytes; a lower bound */
    WEFT_DEVICE_COOPERATIVE_LAUNCH = 95, /* always 0 */
    WEFT_DEVICE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN = 97, /* bytes */
    WEFT_DEVICE_MAX_ALLOCATION_BYTES = 1001, /* what the driver reports; some grant more */
    WEFT_DEVICE_PARALLELISM_LEVEL = 1000 /* CPU devices: threads that run kernels */
} weft_device_attribute;

/* Creates a context on the device that options name; options NULL means all zero. The caller owns *out
 * and ends it with weft_context_release. Blocks while the driver starts (the first time in a process).
 * Errors: INVALID_ARGUMENT (out is NULL); NO_DEVICE (nothing matches; the message lists what exists);
 * OUT_OF_HOST_MEMORY; UNSUPPORTED (timing on a device without it); DRIVER (the driver cannot make a context or queue).
 * Source: the model's DeviceContext(device_id, api=). */
WEFT_API WEFT_NODISCARD weft_status weft_context_create(const weft_context_options *options, weft_context **out);

/* Creates another queue on the same device. It is a context like any other; the caller owns it.
 * options NULL means all zero. Immediate.
 * Errors: INVALID_ARGUMENT (context or out is NULL); OUT_OF_HOST_MEMORY; UNSUPPORTED; DRIVER.
 * Source: the model's DeviceContext.create_stream. */
WEFT_API WEFT_NODISCARD weft_status weft_context_create_stream(weft_context *context, const weft_stream_options *options,
                                                               weft_context **out);

/* The priorities that context's device tells apart: smaller is more urgent, *least >= *greatest. Both are 0 where the
 * driver has no priorities. A context's priority is a hint; one outside the range is moved to its end. Both outs are
 * required, and 0 on failure. Immediate.
 * Errors: INVALID_ARGUMENT (NULL).
 * Source: DeviceContext.stream_priority_range; cl_khr_priority_hints. */
WEFT_API WEFT_NODISCARD weft_status weft_context_stream_priority_range(weft_context *context, int *least, int *greatest);

/* Adds a reference and returns the context; NULL gives NULL. Immediate, never fails. */
WEFT_API weft_context *weft_context_retain(weft_context *context);

/* Drops a reference; NULL does nothing. Enqueued work runs to its end. The last release may block until
 * copies to host buffers that were released in flight have ended. Buffers and functions keep what they
 * need of the context. Never fails. */
WEFT_API void weft_context_release(weft_context *context);

/* The device's name, its own api token, and its index within that token. Borrowed for the context's life.
 * NULL gives NULL, NULL and -1. Immediate, never fail. Source: DeviceContext.name, api, id. */
WEFT_API const char *weft_context_name(weft_context *context);
WEFT_API const char *weft_context_api(weft_context *context);
WEFT_API int weft_context_id(weft_context *context);

/* Reads one attribute of the context's device into *out (0 on failure). Immediate.
 * Errors: INVALID_ARGUMENT (NULL, or an attribute that is not in the enum); UNSUPPORTED (the device does not say).
 * Source: DeviceContext.get_attribute. */
WEFT_API WEFT_NODISCARD weft_status weft_context_get_attribute(weft_context *context, weft_device_attribute attribute,
                                                               int64_t *out);

/* The device's memory in bytes: the whole, and what is free as far as this process can know (the whole
 * less what weft holds on it). Both outs are required. Immediate.
 * Errors: INVALID_ARGUMENT (NULL). Source: DeviceContext.get_memory_info. */
WEFT_API WEFT_NODISCARD weft_status weft_context_get_memory_info(weft_context *context, size_t *free_bytes,
                                                                 size_t *total_bytes);

/* Makes sure that everything enqueued so far has been handed to the device. Immediate.
 * Errors: INVALID_ARGUMENT (NULL); DRIVER. Source: clFlush (OpenCL 5.15). */
WEFT_API WEFT_NODISCARD weft_status weft_flush(weft_context *context);

/* Blocks until everything enqueued on this context so far has ended. Errors of earlier work that could
 * not be known when it was enqueued surface here.
 * Errors: INVALID_ARGUMENT (NULL; in a host function of this context; while it records a graph); EXECUTION_FAILED (a
 * command failed while it ran: the message lists the functions launched since the last synchronize, and with WEFT_SYNC=1
 * in the environment every call waits for its own work and names the one; or a weft_assert in a kernel failed: the
 * message says which and where); DEVICE_LOST (an earlier failure took the device with it); DRIVER.
 * Source: DeviceContext.synchronize. */
WEFT_API WEFT_NODISCARD weft_status weft_synchronize(weft_context *context);

/* Work enqueued on context from now on waits for what is enqueued on other now. For a context and itself:
 * legal, does nothing. Enqueues; blocks instead when the two contexts are on different devices, since no
 * event of one driver can hold back another.
 * Errors: INVALID_ARGUMENT (NULL); EXECUTION_FAILED (other's work has failed); DRIVER.
 * Source: DeviceContext.enqueue_wait_for. */
WEFT_API WEFT_NODISCARD weft_status weft_enqueue_wait_for(weft_context *context, weft_context *other);

/* Calls func(user) on the host when everything enqueued before has ended, once, also if that has failed; what is
 * enqueued afterwards waits for its return. func runs on a thread of the library's, one per context. It may call
 * anything but what waits for its own context, which is INVALID_ARGUMENT; it may enqueue there. It must return, or end
 * the process: the context's functions that are left are not called then.
 * Enqueues; where the driver cannot hold a queue back for the host (rusticl, Oclgrind) the call blocks instead, until
 * func has returned on the calling thread.
 * Errors: INVALID_ARGUMENT (context or func is NULL); OUT_OF_HOST_MEMORY (also: no thread can be started); DEVICE_LOST;
 * DRIVER. On failure func is not called.
 * Source: DeviceStream.enqueue_host_func; cudaLaunchHostFunc. */
WEFT_API WEFT_NODISCARD weft_status weft_enqueue_host_func(weft_context *context, void (*func)(void *user), void *user);

/* Calls func(context, i, user) for i = 0 to iterations - 1 and measures what it enqueues on context: *out_total_ns is
 * the whole, not divided, from when the work enqueued before has ended until this has. On a timing context the device's
 * clock measures; otherwise, or where the device's timestamps are no times (weft_device_info.timestamps), the host's
 * around a wait. Blocks. A failure of func ends it and is returned after the wait; *out_total_ns is 0 on failure.
 * Errors: INVALID_ARGUMENT (NULL; in a host function of context; while it records a graph); func's; those of
 * weft_synchronize.
 * Source: DeviceContext.execution_time. */
WEFT_API WEFT_NODISCARD weft_status weft_execution_time(weft_context *context,
                                                        weft_status (*func)(weft_context *context, size_t iteration, void *user),
                                                        void *user, size_t iterations, uint64_t *out_total_ns);

#ifdef __cplusplus
}
#endif

#endif
