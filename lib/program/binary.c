#include "program/binary.h"

#include <stdlib.h>
#include <string.h>

#include "base/api.h"
#include "base/object.h"

weft_status binary_identity(const device_entry *entry, char **out) {
    const weft_device_info *info = &entry->info;
    char version[256] = "";
    text lines = {0};
    cl_int code;
    DRIVER(entry, code = clGetPlatformInfo(entry->platform, CL_PLATFORM_VERSION, sizeof version - 1, version, NULL));
    if (code != CL_SUCCESS) {
        return driver_error(entry, "clGetPlatformInfo", code);
    }
    text_printf(&lines, "%s\n%s, %zu bytes\n%s, %s, %s\n%s, %s\nweft %s, format %d\n", info->name, info->vendor,
                info->global_memory_bytes, info->driver_version, info->opencl_version, info->opencl_c_version, info->platform,
                version, weft_version(), CACHE_FORMAT);
    *out = text_take(&lines);
    return *out ? WEFT_OK : error_host_memory(sizeof version);
}

weft_status binary_fetch(const build *build, unsigned char **out, size_t *size_bytes) {
    const device_entry *entry = build->entry;
    unsigned char *binary = NULL;
    weft_status status = WEFT_OK;
    cl_int code;
    *size_bytes = 0;
    DRIVER(entry, code = clGetProgramInfo(build->program, CL_PROGRAM_BINARY_SIZES, sizeof *size_bytes, size_bytes, NULL));
    if (code == CL_SUCCESS && !*size_bytes) {
        return error_set(WEFT_ERROR_UNSUPPORTED, "the driver of device %s:%d gives no binary of the program", entry->info.api,
                         entry->info.id);
    }
    if (code == CL_SUCCESS) {
        TRY(object_new(*size_bytes, &binary));
        DRIVER(entry, code = clGetProgramInfo(build->program, CL_PROGRAM_BINARIES, sizeof binary, &binary, NULL));
    }
    if (code != CL_SUCCESS) {
        TRY(driver_error(entry, "clGetProgramInfo", code));
    }
    *out = binary;
    binary = NULL;
cleanup:
    free(binary);
    return status;
}

static bool is_among(const cache_entry *cached, const char *name) {
    for (size_t i = 0; i < cached->n_kernels; i++) {
        if (strcmp(cached->kernels[i].driver_name, name) == 0) {
            return true;
        }
    }
    return false;
}

/* That the driver finds the entry's kernels in the program, and no others. */
static weft_status check_kernels(const device_entry *entry, cl_program program, const cache_entry *cached) {
    size_t found = 0;
    char *names = NULL, *rest = NULL;
    weft_status status = WEFT_OK;
    TRY(build_kernel_names(entry, program, &names));
    for (char *name = strtok_r(names, ";", &rest); name; name = strtok_r(NULL, ";", &rest)) {
        found += is_among(cached, name) ? 1 : cached->n_kernels + 1;
    }
    if (found != cached->n_kernels) {
        TRY(error_set(WEFT_ERROR_UNSUPPORTED, "the driver of device %s:%d finds other kernels in the binary than it was made with",
                      entry->info.api, entry->info.id));
    }
cleanup:
    free(names);
    return status;
}

static weft_status create(const device *device, const cache_entry *cached, const char *options, cl_program *out) {
    const device_entry *entry = device->entry;
    const unsigned char *binary = cached->binary;
    cl_program program;
    cl_int code, taken = CL_SUCCESS;
    weft_status status = WEFT_OK;
    DRIVER(entry, program = clCreateProgramWithBinary(device->cl, 1, &entry->id, &cached->binary_bytes, &binary, &taken, &code));
    if (!program) {
        return driver_error(entry, "clCreateProgramWithBinary", code);
    }
    /* Without argument info, which the entry has and a driver may not. */
    DRIVER(entry, code = clBuildProgram(program, 1, &entry->id, options + strlen(BUILD_ARG_INFO), NULL, NULL));
    process_watch_exit(); /* a compiler's first run registers exit handlers */
    if (code != CL_SUCCESS || taken != CL_SUCCESS) {
        TRY(driver_error(entry, "clBuildProgram", code ? code : taken));
    }
    TRY(check_kernels(entry, program, cached));
    *out = program;
    program = NULL;
cleanup:
    if (program) {
        DRIVER(entry, clReleaseProgram(program));
    }
    return status;
}

weft_status binary_build(const device *device, cache_entry *verified, const char *options, build **out) {
    weft_status status = WEFT_OK;
    build *made = build_new(device->entry);
    if (!made) {
        return WEFT_ERROR_OUT_OF_HOST_MEMORY;
    }
    TRY(create(device, verified, options, &made->program));
    made->kernels = verified->kernels;
    made->n_kernels = verified->n_kernels;
    verified->kernels = NULL;
    verified->n_kernels = 0;
    for (size_t i = 0; i < made->n_kernels; i++) {
        made->kernels[i].program = made->program;
        made->kernels[i].entry = device->entry;
        made->kernels[i].id = kernel_next_id();
    }
    made->log = strdup(verified->log);
    made->options = strdup(options);
    if (!made->log || !made->options) {
        TRY(error_host_memory(strlen(verified->log)));
    }
    *out = made;
    made = NULL;
cleanup:
    build_release(made);
    return status;
}
