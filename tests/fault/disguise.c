#include "disguise.h"

#include <CL/cl_ext.h>
#include <string.h>

#include "fault.h"

static const char *platform; /* NULL: none */
static cl_program broken;    /* the last program that disguise_breaks_build broke */

void layer_disguise(const char *name) {
    platform = name;
}

static void answer_bytes(const void *bytes, size_t length, size_t size, void *out, size_t *size_out) {
    if (size_out) {
        *size_out = length;
    }
    if (out) {
        memcpy(out, bytes, size < length ? size : length);
    }
}

static void answer(const char *text, size_t size, void *out, size_t *size_out) {
    answer_bytes(text, strlen(text) + 1, size, out, size_out);
}

bool disguise_platform_info(cl_platform_info what, size_t size, void *out, size_t *size_out) {
    bool answers = platform && what == CL_PLATFORM_NAME;
    if (answers) {
        answer(platform, size, out, size_out);
    }
    return answers;
}

/* What NVIDIA's and AMD's drivers answer, and no other here: cl_nv_device_attribute_query,
 * cl_amd_device_attribute_query, cl_khr_pci_bus_info, cl_khr_device_uuid. */
static const struct {
    const char *platform;
    cl_device_info what;
    const char *text; /* or, when NULL, numbers */
    cl_uint numbers[4];
    size_t count;
} answers[] = {
    {"NVIDIA", CL_DEVICE_VENDOR, "NVIDIA Corporation", {0}, 0},
    {"NVIDIA", CL_DEVICE_EXTENSIONS, "cl_khr_icd cl_nv_device_attribute_query cl_khr_int64_base_atomics", {0}, 0},
    {"NVIDIA", 0x4000, NULL, {9}, 1},     /* compute capability 9.1 */
    {"NVIDIA", 0x4001, NULL, {1}, 1},
    {"NVIDIA", 0x4002, NULL, {65536}, 1}, /* registers per block */
    {"NVIDIA", 0x4003, NULL, {32}, 1},    /* warp size */
    {"NVIDIA", 0x4008, NULL, {0x1b}, 1},  /* PCI bus */
    {"NVIDIA", 0x4009, NULL, {0x15}, 1},  /* PCI slot: device 2, function 5 */
    {"NVIDIA", 0x400A, NULL, {3}, 1},     /* PCI domain */
    {"AMD", CL_DEVICE_VENDOR, "Advanced Micro Devices, Inc.", {0}, 0},
    {"AMD", CL_DEVICE_EXTENSIONS, "cl_amd_device_attribute_query cl_khr_pci_bus_info cl_khr_device_uuid cl_khr_fp16 cl_khr_priority_hints", {0}, 0},
    {"AMD", CL_DEVICE_QUEUE_PROPERTIES, NULL, {0, 0}, 2}, /* none: no profiling */
    {"AMD", 0x4043, NULL, {64}, 1},          /* wavefront width */
    {"AMD", 0x410F, NULL, {1, 0x41, 7, 2}, 4}, /* domain, bus, device, function */
    {"AMD", 0x106A, NULL, {0x03020100, 0x07060504, 0x0b0a0908, 0x0f0e0d0c}, 4}, /* bytes 0 to 15 */
};

bool disguise_device_info(cl_device_info what, size_t size, void *out, size_t *size_out) {
    if (platform && what == CL_DEVICE_TYPE) {
        answer_bytes(&(cl_device_type){CL_DEVICE_TYPE_GPU}, sizeof(cl_device_type), size, out, size_out);
        return true;
    }
    for (size_t i = 0; platform && i < sizeof answers / sizeof *answers; i++) {
        if (answers[i].what == what && strncmp(platform, answers[i].platform, strlen(answers[i].platform)) == 0) {
            if (answers[i].text) {
                answer(answers[i].text, size, out, size_out);
            } else {
                answer_bytes(answers[i].numbers, answers[i].count * sizeof(cl_uint), size, out, size_out);
            }
            return true;
        }
    }
    return false;
}

static cl_queue_properties priority; /* of the last queue made */

const cl_queue_properties *disguise_queue_properties(const cl_queue_properties *properties) {
    static cl_queue_properties others[16];
    size_t kept = 0;
    priority = 0;
    for (size_t i = 0; platform && properties && properties[i] && kept + 2 < sizeof others / sizeof *others; i += 2) {
        if (properties[i] == CL_QUEUE_PRIORITY_KHR) {
            priority = properties[i + 1];
        } else {
            others[kept++] = properties[i];
            others[kept++] = properties[i + 1];
        }
    }
    others[kept] = 0;
    return platform ? others : properties;
}

unsigned long layer_queue_priority(void) {
    return (unsigned long)priority;
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
