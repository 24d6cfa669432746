#include "program/argless.h"

#include <stdlib.h>
#include <string.h>

/* Appends the kernel's name, with its NUL, when it takes no arguments. */
static void note_argless(const device_entry *entry, cl_kernel kernel, text *names) {
    cl_uint count = 1;
    char name[256];
    cl_int code;
    DRIVER(entry, code = clGetKernelInfo(kernel, CL_KERNEL_NUM_ARGS, sizeof count, &count, NULL));
    if (code == CL_SUCCESS && count == 0) {
        DRIVER(entry, code = clGetKernelInfo(kernel, CL_KERNEL_FUNCTION_NAME, sizeof name, name, NULL));
        if (code == CL_SUCCESS) {
            text_append(names, name, strlen(name) + 1);
        }
    }
}

static void note_kernels(const device_entry *entry, cl_program program, text *names) {
    cl_uint count = 0;
    cl_int code;
    DRIVER(entry, code = clCreateKernelsInProgram(program, 0, NULL, &count));
    cl_kernel *kernels = code == CL_SUCCESS ? calloc(count ? count : 1, sizeof *kernels) : NULL;
    if (kernels) {
        DRIVER(entry, code = clCreateKernelsInProgram(program, count, kernels, NULL));
        for (cl_uint i = 0; code == CL_SUCCESS && i < count; i++) {
            note_argless(entry, kernels[i], names);
            DRIVER(entry, clReleaseKernel(kernels[i]));
        }
    }
    free(kernels);
}

static char *padded_text(const assembled *source, const text *names) {
    text out = {0};
    for (size_t at = 0; at < names->length; at += strlen(names->data + at) + 1) {
        const char *name = names->data + at;
        text_printf(&out, "#define %s(...) %s(int weft_unused)\n", name, name);
    }
    text_append(&out, source->text, source->length);
    return text_take(&out);
}

cl_program argless_build(const device *device, const assembled *source, const char *options, const char *log, text *names,
                         char **built) {
    cl_program padded = NULL;
    if (!(device->entry->quirks & QUIRK_ARG_INFO_BREAKS) || !strstr(log, "ptxas")) {
        return NULL;
    }
    /* Without argument info the program builds, and says which kernels have no parameters. */
    cl_program plain = build_quietly(device, source->text, options + strlen(BUILD_ARG_INFO));
    if (plain) {
        note_kernels(device->entry, plain, names);
        DRIVER(device->entry, clReleaseProgram(plain));
    }
    if (names->length && !names->failed) {
        *built = padded_text(source, names);
        padded = *built ? build_quietly(device, *built, options) : NULL;
    }
    return padded;
}

bool argless_names(const text *names, const char *name) {
    for (size_t at = 0; at < names->length; at += strlen(names->data + at) + 1) {
        if (strcmp(names->data + at, name) == 0) {
            return true;
        }
    }
    return false;
}
