#include "cl/discover.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/api.h"
#include "base/arith.h"
#include "base/process.h"
#include "base/text.h"
#include "cl/describe.h"
#include "cl/driver.h"
#include "cl/icd_files.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
    device_entry *all;      /* every device ever found */
    device_entry **ordered; /* those of the last scan, in weft's order */
    size_t count;
    bool complete;          /* the last scan met no failing platform or device: no need to look again */
    text idle;              /* names of platforms that offered no device */
    int platforms;
} found;

static int kind_rank(const device_entry *entry) {
    return strcmp(entry->info.kind, "gpu") == 0 ? 0 : strcmp(entry->info.kind, "accelerator") == 0 ? 1 : 2;
}

/* Stable insertion: kind, then platform name, then the driver's order. */
static void insert_in_order(device_entry *entry) {
    for (size_t i = 0; i < found.count; i++) {
        if (found.ordered[i] == entry) {
            return; /* its driver is registered twice */
        }
    }
    size_t at = found.count++;
    for (; at > 0; at--) {
        const device_entry *before = found.ordered[at - 1];
        int order = kind_rank(before) - kind_rank(entry);
        if (order < 0 || (order == 0 && strcmp(before->info.platform, entry->info.platform) <= 0)) {
            break;
        }
        found.ordered[at] = found.ordered[at - 1];
    }
    found.ordered[at] = entry;
}

/* The entry of a device: the one from an earlier scan, or a new one; NULL when it cannot be described. */
static device_entry *entry_of(cl_platform_id platform, cl_device_id id) {
    for (device_entry *entry = found.all; entry; entry = entry->next) {
        if (entry->id == id) {
            return entry;
        }
    }
    device_entry *entry = describe_device(platform, id);
    if (entry) {
        entry->next = found.all;
        found.all = entry;
    }
    return entry;
}

static void scan_platform(cl_platform_id platform) {
    cl_uint count = 0;
    cl_int code = clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, NULL, &count);
    if (code == CL_DEVICE_NOT_FOUND || (code == CL_SUCCESS && count == 0)) {
        char *name = describe_platform_name(platform);
        text_printf(&found.idle, "%s%s", found.idle.length ? ", " : "", name ? name : "unnamed");
        free(name);
        return;
    }
    cl_device_id *ids = calloc(count ? count : 1, sizeof *ids);
    device_entry **grown = realloc(found.ordered, (found.count + count) * sizeof *grown);
    if (grown) {
        found.ordered = grown;
    }
    if (code != CL_SUCCESS || !ids || !grown || clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, count, ids, NULL) != CL_SUCCESS) {
        found.complete = false;
        free(ids);
        return;
    }
    for (cl_uint i = 0; i < count; i++) {
        device_entry *entry = entry_of(platform, ids[i]);
        if (!entry) {
            found.complete = false;
        } else if (entry->usable) {
            insert_in_order(entry);
        }
    }
    free(ids);
}

/* Looks at every platform, unless an earlier look was complete. One that fails hides no other. */
static void scan_locked(void) {
    if (found.complete) {
        return;
    }
    found.count = 0;
    found.complete = true;
    text_free(&found.idle);
    cl_uint count = 0;
    cl_int code = clGetPlatformIDs(0, NULL, &count);
    cl_platform_id *platforms = code == CL_SUCCESS && count ? calloc(count, sizeof *platforms) : NULL;
    if (platforms && clGetPlatformIDs(count, platforms, NULL) == CL_SUCCESS) {
        for (cl_uint i = 0; i < count; i++) {
            scan_platform(platforms[i]);
        }
    }
    free(platforms);
    found.platforms = (int)count;
    found.complete = found.complete && found.count > 0;
    for (size_t i = 0; i < found.count; i++) {
        found.ordered[i]->info.id = 0;
        for (size_t j = 0; j < i; j++) {
            found.ordered[i]->info.id += strcmp(found.ordered[j]->info.api, found.ordered[i]->info.api) == 0;
        }
    }
    static bool watched;
    if (!watched) {
        process_watch_exit();
        watched = true;
    }
}

static void scan_and_lock(void) {
    process_watch_fork();
    bool held = process_hold_exit();
    pthread_mutex_lock(&lock);
    if (held) {
        driver_lock();
        scan_locked();
        driver_unlock();
        process_let_exit();
    }
}

/* Whether the api names the device. */
static bool matches(const device_entry *entry, const char *api) {
    static const char *const aliases[][2] = {{"cuda", "nvidia"}, {"hip", "amd"}, {"metal", "apple"}};
    if (!api || strcasecmp(api, "any") == 0) {
        return true;
    }
    for (size_t i = 0; i < sizeof aliases / sizeof *aliases; i++) {
        if (strcasecmp(api, aliases[i][0]) == 0) {
            api = aliases[i][1];
        }
    }
    return *api && (strcasecmp(api, entry->info.kind) == 0 || strcasecmp(api, entry->info.api) == 0 ||
                    strcasecmp(api, entry->implementation) == 0);
}

static device_entry *pick_locked(const char *api, int id) {
    for (size_t i = 0; i < found.count; i++) {
        if (matches(found.ordered[i], api) && id-- == 0) {
            return found.ordered[i];
        }
    }
    return NULL;
}

static size_t count_locked(const char *api) {
    size_t count = 0;
    for (size_t i = 0; i < found.count; i++) {
        count += matches(found.ordered[i], api);
    }
    return count;
}

static weft_status no_device_locked(const char *asked) {
    text say = {0};
    if (found.count) {
        text_puts(&say, "; devices: ");
        for (size_t i = 0; i < found.count; i++) {
            const weft_device_info *info = &found.ordered[i]->info;
            text_printf(&say, "%s%s:%d (%s, %s)", i ? ", " : "", info->api, info->id, info->name, info->kind);
        }
    } else if (found.platforms) {
        text_puts(&say, ": no OpenCL platform offers a usable device; platforms without one: ");
        text_append(&say, found.idle.data, found.idle.length);
    } else {
        text_puts(&say, ": no OpenCL platform is there");
        icd_files_explain(&say);
    }
    char *text = text_take(&say);
    weft_status status = error_set(WEFT_ERROR_NO_DEVICE, "%s%s", asked, text ? text : "");
    free(text);
    return status;
}

/* WEFT_DEVICE=api[:index], which stands in for "any device, the first". */
static weft_status from_environment_locked(const char *value, device_entry **out) {
    char api[64], asked[128];
    const char *colon = strchr(value, ':');
    size_t length = colon ? (size_t)(colon - value) : strlen(value);
    char *end = NULL;
    long id = colon ? strtol(colon + 1, &end, 10) : 0;
    bool well_formed = length > 0 && length < sizeof api && (!colon || (end != colon + 1 && *end == '\0' && id >= 0 && id <= 9999));
    snprintf(api, sizeof api, "%.*s", (int)size_min(length, sizeof api - 1), value);
    *out = well_formed ? pick_locked(api, (int)id) : NULL;
    if (*out) {
        return WEFT_OK;
    }
    snprintf(asked, sizeof asked, "WEFT_DEVICE=%.64s %s", value, well_formed ? "names no device" : "is not api or api:index");
    return no_device_locked(asked);
}

weft_status discover_find(const char *api, int id, device_entry **out) {
    weft_status status = WEFT_OK;
    char asked[160];
    const char *environment = !api && id == 0 ? getenv("WEFT_DEVICE") : NULL;
    scan_and_lock();
    if (environment && *environment) {
        status = from_environment_locked(environment, out);
    } else {
        *out = id >= 0 ? pick_locked(api, id) : NULL;
        if (!*out) {
            size_t count = count_locked(api);
            if (count) {
                snprintf(asked, sizeof asked, "device_id %d is not below %zu, the number of \"%.32s\" devices", id, count,
                         api ? api : "any");
            } else {
                snprintf(asked, sizeof asked, "no OpenCL device found for api \"%.64s\"", api ? api : "any");
            }
            status = no_device_locked(asked);
        }
    }
    pthread_mutex_unlock(&lock);
    return status;
}

WEFT_API size_t weft_number_of_devices(const char *api) {
    if (API_IS_DOWN()) {
        return 0;
    }
    scan_and_lock();
    size_t count = count_locked(api);
    pthread_mutex_unlock(&lock);
    return count;
}

/* A device of that api and kind; kind NULL: any that is not a CPU. */
static bool has_device(const char *api, const char *kind) {
    if (API_IS_DOWN()) {
        return false;
    }
    bool has = false;
    scan_and_lock();
    for (size_t i = 0; i < found.count && !has; i++) {
        const weft_device_info *info = &found.ordered[i]->info;
        has = kind ? strcmp(info->kind, kind) == 0 && strcmp(info->api, api) == 0 : strcmp(info->kind, "cpu") != 0;
    }
    pthread_mutex_unlock(&lock);
    return has;
}

WEFT_API bool weft_has_accelerator(void) {
    return has_device(NULL, NULL);
}

WEFT_API bool weft_has_nvidia_gpu_accelerator(void) {
    return has_device("nvidia", "gpu");
}

WEFT_API bool weft_has_amd_gpu_accelerator(void) {
    return has_device("amd", "gpu");
}

WEFT_API bool weft_has_intel_gpu_accelerator(void) {
    return has_device("intel", "gpu");
}

WEFT_API bool weft_has_apple_gpu_accelerator(void) {
    return has_device("apple", "gpu");
}

WEFT_API weft_status weft_device_get_info(const char *api, int device_id, weft_device_info *out) {
    if (out) {
        memset(out, 0, sizeof *out);
    }
    API_ENTER();
    if (!out) {
        return error_null("out");
    }
    device_entry *entry = NULL;
    weft_status status = discover_find(api, device_id, &entry);
    if (status) {
        return status;
    }
    *out = entry->info;
    return WEFT_OK;
}
