/* What all contexts on one device share: its cl_context, its memory and its compiled programs. */
#ifndef CONTEXT_DEVICE_H
#define CONTEXT_DEVICE_H

#include <pthread.h>
#include <stdatomic.h>

#include "base/refcount.h"
#include "cl/driver.h"

typedef struct device {
    refcount refs;
    device_entry *entry;
    cl_context cl;
    pthread_mutex_t lock;     /* guards what follows */
    cl_command_queue utility; /* for mapping pinned memory and asking kernels; made when first needed */
    struct memory *memories;  /* live device memory, for weft_wrap_device_ptr */
    struct build_memory *builds; /* programs compiled so far; see program/build.h */
    void (*builds_free)(struct build_memory *builds);
    void (*builds_launched)(struct device *device); /* after the end of a kernel's first launch, where that matters */
    atomic_bool launched; /* a kernel for the first time, since builds_launched was called */
    atomic_size_t live_bytes; /* of device memory that weft holds */
    _Atomic cl_int lost; /* what the driver said when the device was lost; 0 while it is there */
} device;

/* The shared state of a device, made when there is none. The caller owns one reference. */
weft_status device_acquire(device_entry *entry, device **out);
device *device_retain(device *device);
void device_release(device *device);

/* Records that the device is lost, and returns that status. */
weft_status device_lost(const device *device);

/* Whether the device can be used. */
static inline weft_status device_check(device *device) {
    return atomic_load_explicit(&device->lost, memory_order_relaxed) ? device_lost(device) : WEFT_OK;
}

/* A queue of the device's own, apart from every context's. Borrowed. */
weft_status device_utility_queue(device *device, cl_command_queue *out);

#endif
