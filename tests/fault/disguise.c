#include "disguise.h"

#include <string.h>

#include "fault.h"

static const char *platform; /* NULL: none */
static cl_program broken;    /* the last program that disguise_breaks_build broke */

void layer_disguise(const char *name) {
    platform = name;
}

static void answer(const char *text, size_t size, void *out, size_t *size_out) {
    size_t length = strlen(text) + 1;
    if (size_out) {
        *size_out = length;
    }
    if (out) {
        memcpy(out, text, size < length ? size : length);
    }
}

bool disguise_platform_info(cl_platform_info what, size_t size, void *out, size_t *size_out) {
    bool answers = platform && what == CL_PLATFORM_NAME;
    if (answers) {
        answer(platform, size, out, size_out);
    }
    return answers;
}

void disguise_device_info(cl_device_info what, void *out) {
    if (platform && what == CL_DEVICE_TYPE && out) {
        memcpy(out, &(cl_device_type){CL_DEVICE_TYPE_GPU}, sizeof(cl_device_type));
    }
}

/* NVIDIA's driver does not build kernels without parameters together with argument info. */
bool disguise_breaks_build(const cl_icd_dispatch *driver, cl_program program, const char *options) {
    char source[4096] = "";
    if (!platform || !strstr(platform, "NVIDIA") || !options || !strstr(options, "-cl-kernel-arg-info")) {
        return false;
    }
    driver->clGetProgramInfo(program, CL_PROGRAM_SOURCE, sizeof source - 1, source, NULL);
    bool breaks = strstr(source, "(void)") && !strstr(source, "weft_unused");
    broken = breaks ? program : NULL;
    return breaks;
}

bool disguise_build_info(cl_program program, cl_program_build_info what, size_t size, void *out, size_t *size_out) {
    bool answers = broken && program == broken && what == CL_PROGRAM_BUILD_LOG;
    if (answers) {
        answer("ptxas fatal   : (a kernel without parameters)", size, out, size_out);
    }
    return answers;
}
