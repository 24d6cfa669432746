/* Opens one device twice: through weft, and directly. */
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Through weft ---------------------------------------------------------------------------------- */

/* Splits "api:id". false when what follows the colon is no id. */
static bool parse_name(const char *name, char api[64], int *id) {
    const char *colon = strchr(name, ':');
    snprintf(api, 64, "%.*s", colon ? (int)(colon - name) : 63, name);
    char *end = NULL;
    long value = colon ? strtol(colon + 1, &end, 10) : 0;
    *id = (int)value;
    return !colon || (end != colon + 1 && !*end && value >= 0 && value <= 9999);
}

static bool open_weft(bench *bench, const char *name) {
    bench_device *device = &bench->device;
    char api[64];
    weft_context_options options = {0};
    if (name) {
        if (!parse_name(name, api, &options.device_id)) {
            fprintf(stderr, "weft bench: a device is api or api:id, not \"%s\"\n", name);
            return false;
        }
        options.api = api;
    }
    bool ok = weft_device_get_info(options.api, options.device_id, &device->info) == WEFT_OK &&
              weft_context_create(&options, &device->context) == WEFT_OK;
    if (!ok) {
        bench_fail_weft(bench, name ? name : "the default device");
    }
    return ok;
}

/* How many devices of the same name on platforms of the same name weft lists before this one. */
static size_t twins_before(const weft_device_info *info) {
    size_t twins = 0;
    weft_device_info other;
    for (int i = 0; weft_device_get_info("any", i, &other) == WEFT_OK; i++) {
        if (!strcmp(other.api, info->api) && other.id == info->id) {
            break;
        }
        twins += !strcmp(other.name, info->name) && !strcmp(other.platform, info->platform);
    }
    return twins;
}

/* ---- Directly -------------------------------------------------------------------------------------- */

enum { MAX_PLATFORMS = 32, MAX_DEVICES = 64, NAME_BYTES = 1024 };

static bool platform_is(cl_platform_id platform, const char *name) {
    char text[NAME_BYTES];
    return clGetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof text, text, NULL) == CL_SUCCESS && !strcmp(text, name);
}

/* weft leaves out a device that is not there or cannot compile. */
static bool device_is(cl_device_id device, const char *name) {
    char text[NAME_BYTES];
    cl_bool available = CL_FALSE, compiles = CL_FALSE;
    clGetDeviceInfo(device, CL_DEVICE_AVAILABLE, sizeof available, &available, NULL);
    clGetDeviceInfo(device, CL_DEVICE_COMPILER_AVAILABLE, sizeof compiles, &compiles, NULL);
    return available && compiles && clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof text, text, NULL) == CL_SUCCESS &&
           !strcmp(text, name);
}

static cl_device_id find_directly(const weft_device_info *info) {
    size_t twins = twins_before(info);
    cl_platform_id platforms[MAX_PLATFORMS];
    cl_uint n_platforms = 0;
    clGetPlatformIDs(MAX_PLATFORMS, platforms, &n_platforms);
    for (cl_uint i = 0; i < n_platforms && i < MAX_PLATFORMS; i++) {
        cl_device_id devices[MAX_DEVICES];
        cl_uint n_devices = 0;
        if (!platform_is(platforms[i], info->platform) ||
            clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL, MAX_DEVICES, devices, &n_devices) != CL_SUCCESS) {
            continue;
        }
        for (cl_uint j = 0; j < n_devices && j < MAX_DEVICES; j++) {
            if (device_is(devices[j], info->name) && !twins--) {
                return devices[j];
            }
        }
    }
    return NULL;
}

static bool open_directly(bench *bench) {
    bench_device *device = &bench->device;
    cl_int code = CL_DEVICE_NOT_FOUND;
    device->cl_device = find_directly(&device->info);
    if (device->cl_device) {
        device->cl_context = clCreateContext(NULL, 1, &device->cl_device, NULL, NULL, &code);
    }
    if (device->cl_context) { /* the older call, since the newer one never returns on some drivers */
        device->cl_queue = clCreateCommandQueue(device->cl_context, device->cl_device, 0, &code);
    }
    if (code) {
        bench_fail_raw(bench, device->info.name, code);
    }
    return !code;
}

bool bench_device_open(bench *bench, const char *name) {
    return open_weft(bench, name) && open_directly(bench);
}

void bench_device_close(bench_device *device) {
    if (device->cl_queue) {
        clReleaseCommandQueue(device->cl_queue);
    }
    if (device->cl_context) {
        clReleaseContext(device->cl_context);
    }
    weft_context_release(device->context);
}
