#include "program/argless.h"

#include <stdlib.h>
#include <string.h>

#include "base/api.h"
#include "base/object.h"

/* Appends the kernel's name, with its NUL, when it takes no arguments. */
static cl_int note_argless(const device_entry *entry, cl_kernel kernel, text *names) {
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
    return code;
}

static weft_status note_kernels(const device_entry *entry, cl_program program, text *names) {
    cl_uint count = 0;
    cl_int code;
    cl_kernel *kernels = NULL;
    weft_status status = WEFT_OK;
    DRIVER(entry, code = clCreateKernelsInProgram(program, 0, NULL, &count));
    if (code == CL_SUCCESS) {
        TRY(object_new((count ? count : 1) * sizeof *kernels, &kernels));
        DRIVER(entry, code = clCreateKernelsInProgram(program, count, kernels, NULL));
    }
    if (code != CL_SUCCESS) {
        TRY(driver_error(entry, "clCreateKernelsInProgram", code));
    }
    for (cl_uint i = 0; i < count; i++) {
        code = code == CL_SUCCESS ? note_argless(entry, kernels[i], names) : code;
        DRIVER(entry, clReleaseKernel(kernels[i]));
    }
    if (code != CL_SUCCESS) {
        TRY(driver_error(entry, "clGetKernelInfo", code));
    }
cleanup:
    free(kernels);
    return status;
}

static char *padded_text(const assembled *source, const text *names) {
    text out = {0};
    for (size_t at = 0; at < names->length; at += strlen(names->data + at) + 1) {
        const char *name = names->data + at;
        /* k() has one argument too, an empty one; and some compilers take no macros with any number of them. */
        text_printf(&out, "#define %s(weft_none) %s(int weft_unused)\n", name, name);
    }
    text_append(&out, source->text, source->length);
    return text_take(&out);
}

/* *out stays NULL when the compiler refuses the text. */
static weft_status try_build(const device *device, const char *text, const char *options, cl_program *out) {
    cl_int code;
    *out = build_quietly(device, text, options, &code);
    return *out || code == CL_BUILD_PROGRAM_FAILURE ? WEFT_OK : driver_error(device->entry, "clBuildProgram", code);
}

weft_status argless_build(const device *device, const assembled *source, const char *options, const char *log, text *names,
                          char **built, cl_program *out) {
    cl_program plain = NULL;
    weft_status status;
    *out = NULL;
    if (!(device->entry->quirks & QUIRK_ARG_INFO_BREAKS) || (log && !strstr(log, "ptxas"))) {
        return WEFT_OK;
    }
    if (!log) {
        return error_host_memory(source->length);
    }
    /* Without argument info the program builds, and says which kernels have no parameters. */
    TRY(try_build(device, source->text, options + strlen(BUILD_ARG_INFO), &plain));
    if (plain) {
        TRY(note_kernels(device->entry, plain, names));
    }
    if (names->length || names->failed) {
        *built = names->failed ? NULL : padded_text(source, names);
        if (!*built) {
            TRY(error_host_memory(source->length));
        }
        TRY(try_build(device, *built, options, out));
    }
cleanup:
    if (plain) {
        DRIVER(device->entry, clReleaseProgram(plain));
    }
    return status;
}

bool argless_names(const text *names, const char *name) {
    for (size_t at = 0; at < names->length; at += strlen(names->data + at) + 1) {
        if (strcmp(names->data + at, name) == 0) {
            return true;
        }
    }
    return false;
}
