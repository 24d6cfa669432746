/* weft doctor: what to do about what it found. */
#include <stdbool.h>
#include <string.h>

#include "doctor.h"
#include "tool.h"

static const char *text_of(const json_t *object, const char *key) {
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

static bool works(const json_t *driver) {
    size_t index;
    json_t *device;
    json_array_foreach(json_object_get(driver, "devices"), index, device) {
        if (json_is_null(json_object_get(device, "problem"))) {
            return true;
        }
    }
    return false;
}

/* Debian's package of a driver, by what its library is called; NULL: not known. */
static const char *package_of(const char *library) {
    static const char *const packages[][2] = {
        {"libpocl", "pocl-opencl-icd"},          {"libRusticl", "mesa-opencl-icd"},     {"libMesaOpenCL", "mesa-opencl-icd"},
        {"libnvidia-opencl", "nvidia-opencl-icd"}, {"libigdrcl", "intel-opencl-icd"},   {"oclgrind", "oclgrind"},
        {"libamdocl", "rocm-opencl-icd"},        {"beignet", "beignet-opencl-icd"}};
    for (size_t i = 0; i < sizeof packages / sizeof *packages; i++) {
        if (strstr(library, packages[i][0])) {
            return packages[i][1];
        }
    }
    return NULL;
}

/* A driver that is registered and not there, or built for another machine. */
static void advise_driver(json_t *advice, const json_t *driver, const char *vendors) {
    const char *problem = text_of(driver, "problem"), *library = text_of(driver, "library"), *package = package_of(library);
    const char *file = text_of(driver, "file");
    if (strstr(problem, "cannot open shared object file") && package) {
        json_array_append_new(advice, json_sprintf("%s names %s: apt install %s", file, library, package));
    }
    if (strstr(problem, "wrong ELF class")) {
        json_array_append_new(advice, json_sprintf("%s names a library of another word size: install the one of this "
                                                   "architecture, or remove %s/%s", file, vendors, file));
    }
    if (strstr(problem, "platform rusticl offers no usable device")) {
        json_array_append_new(advice, json_text("rusticl shows no device unasked: set RUSTICL_ENABLE to its driver, such as radeonsi, "
                                                "iris or llvmpipe (CPU)"));
    }
}

static void advise_packages(json_t *advice, const json_t *report) {
    size_t index;
    json_t *gpu;
    bool seen[3] = {false, false, false};
    static const char *const vendors[] = {"nvidia", "amd", "intel"};
    static const char *const packages[] = {
        "for the NVIDIA GPU: apt install nvidia-opencl-icd, from non-free, or NVIDIA's own driver",
        "for the AMD GPU: apt install mesa-opencl-icd and set RUSTICL_ENABLE=radeonsi, or AMD's ROCm",
        "for the Intel GPU: apt install intel-opencl-icd"};
    json_array_foreach(json_object_get(report, "gpus"), index, gpu) {
        for (size_t i = 0; i < 3; i++) {
            if (!strcmp(text_of(gpu, "vendor"), vendors[i]) && !seen[i]) {
                seen[i] = true;
                json_array_append_new(advice, json_text(packages[i]));
            }
        }
    }
    json_array_append_new(advice, json_text("for any CPU: apt install pocl-opencl-icd"));
}

static void advise_files(json_t *advice, const json_t *report) {
    size_t index;
    json_t *file;
    json_array_foreach(json_object_get(report, "device_files"), index, file) {
        const char *group = text_of(file, "group");
        if (json_is_true(json_object_get(file, "usable")) || strstr(text_of(file, "file"), "/card")) {
            continue; /* card files are for screens */
        }
        if (!strcmp(group, "root")) {
            json_array_append_new(advice, json_sprintf("%s is for root alone, mode %s", text_of(file, "file"), text_of(file, "mode")));
        } else {
            json_array_append_new(advice, json_sprintf("%s is for group %s: usermod -aG %s %s, and log in again", text_of(file, "file"),
                                                       group, group, text_of(json_object_get(report, "user"), "name")));
        }
    }
}

json_t *doctor_advice(const json_t *report) {
    json_t *advice = json_array(), *driver;
    size_t index, working = 0;
    const char *vendors = text_of(json_object_get(report, "vendors"), "path");
    json_array_foreach(json_object_get(report, "drivers"), index, driver) {
        working += works(driver);
        advise_driver(advice, driver, vendors);
    }
    json_t *together = json_object_get(report, "together");
    const char *trouble = text_of(together, "problem");
    if (working && *trouble && json_array_size(json_object_get(together, "devices"))) {
        json_array_append_new(advice, json_text("WEFT_DEVICE names no device that is there: change it or leave it out"));
    } else if (working && *trouble) {
        json_array_append_new(advice, json_sprintf("drivers that work alone do not work together: move the .icd file of one "
                                                   "with a problem out of %s", vendors));
    }
    advise_files(advice, report);
    if (!working) {
        advise_packages(advice, report);
    }
    return advice;
}
