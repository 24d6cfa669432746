#include "context/device.h"

#include <stdlib.h>

#include "base/api.h"
#include "base/object.h"

/* Guards device_entry.shared. */
static pthread_mutex_t sharing = PTHREAD_MUTEX_INITIALIZER;

static weft_status device_create(device_entry *entry, device **out) {
    device *made = NULL;
    weft_status status = object_new(sizeof *made, &made);
    if (status) {
        return status;
    }
    refcount_init(&made->refs);
    pthread_mutex_init(&made->lock, NULL);
    made->entry = entry;
    const cl_context_properties properties[] = {CL_CONTEXT_PLATFORM, (cl_context_properties)entry->platform, 0};
    cl_int code;
    DRIVER(entry, made->cl = clCreateContext(properties, 1, &entry->id, NULL, NULL, &code));
    if (!made->cl) {
        status = driver_error(entry, "clCreateContext", code);
        pthread_mutex_destroy(&made->lock);
        free(made);
        return status;
    }
    *out = made;
    return WEFT_OK;
}

weft_status device_acquire(device_entry *entry, device **out) {
    weft_status status = WEFT_OK;
    pthread_mutex_lock(&sharing);
    if (entry->shared && refcount_try_retain(&entry->shared->refs)) {
        *out = entry->shared;
    } else {
        status = device_create(entry, out);
        if (!status) {
            entry->shared = *out;
        }
    }
    pthread_mutex_unlock(&sharing);
    return status;
}

device *device_retain(device *device) {
    refcount_retain(&device->refs);
    return device;
}

void device_release(device *device) {
    if (!device || !refcount_release(&device->refs)) {
        return;
    }
    pthread_mutex_lock(&sharing);
    if (device->entry->shared == device) {
        device->entry->shared = NULL;
    }
    pthread_mutex_unlock(&sharing);
    if (device->builds) {
        device->builds_free(device->builds);
    }
    if (device->utility) {
        DRIVER(device->entry, clReleaseCommandQueue(device->utility));
    }
    DRIVER(device->entry, clReleaseContext(device->cl));
    pthread_mutex_destroy(&device->lock);
    free(device);
}

weft_status device_lost(const device *device) {
    const weft_device_info *info = &device->entry->info;
    cl_int code = atomic_load(&device->lost);
    return error_set_cl(WEFT_ERROR_DEVICE_LOST, code, "device %s:%d was lost when an earlier command failed with %s (%d); it may come "
                        "back for a process that has released everything on it, or for a new one", info->api, info->id,
                        driver_code_name(code), code);
}

weft_status device_utility_queue(device *device, cl_command_queue *out) {
    weft_status status = WEFT_OK;
    pthread_mutex_lock(&device->lock);
    if (!device->utility) {
        cl_int code;
        DRIVER(device->entry, device->utility = clCreateCommandQueue(device->cl, device->entry->id, 0, &code));
        if (!device->utility) {
            status = driver_error(device->entry, "clCreateCommandQueue", code);
        }
    }
    *out = device->utility;
    pthread_mutex_unlock(&device->lock);
    return status;
}
