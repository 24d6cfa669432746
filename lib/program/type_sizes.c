#include "program/type_sizes.h"

#include <stdlib.h>
#include <string.h>

#include "base/api.h"
#include "base/object.h"
#include "base/text.h"
#include "program/build.h"

/* Three numbers a type: size, alignment, and 1 + the index of the built-in type it is another name of. */
enum { ANSWERS = 3 };

static bool is_asked(const param *param) {
    return param->type.base == BASE_UNKNOWN && param->kind != WEFT_PARAM_UNSUPPORTED;
}

/* The type's own name: a pointer's pointee. */
static int name_length(const param *param) {
    size_t length = param->kind == WEFT_PARAM_VALUE ? strlen(param->type_name) : strcspn(param->type_name, "*");
    return (int)length;
}

/* The program with one more kernel, which the program's own compiler answers through. */
static char *question_text(const kernel *kernel, const char *program) {
    text out = {0};
    text_puts(&out, program);
    for (size_t i = 0; i < kernel->n_params; i++) {
        const param *param = &kernel->params[i];
        if (is_asked(param)) {
            text_printf(&out, "\nstruct weft_align_%zu { char c; %.*s t; };", i, name_length(param), param->type_name);
        }
    }
    text_puts(&out, "\nkernel void weft_describe_types(global ulong *weft_out) {\n");
    for (size_t i = 0; i < kernel->n_params; i++) {
        const param *param = &kernel->params[i];
        if (!is_asked(param)) {
            continue;
        }
        int length = name_length(param);
        const char *name = param->type_name;
        text_printf(&out, "weft_out[%zu] = sizeof(%.*s);\n", i * ANSWERS, length, name);
        text_printf(&out, "weft_out[%zu] = sizeof(struct weft_align_%zu) - sizeof(%.*s);\n", i * ANSWERS + 1, i, length, name);
        text_printf(&out, "weft_out[%zu] = 0", i * ANSWERS + 2);
        char builtin[16];
        for (size_t j = 0; type_builtin(j, builtin); j++) {
            bool there = (strncmp(builtin, "double", 6) != 0 || kernel->entry->info.fp64) &&
                         (strncmp(builtin, "half", 4) != 0 || builtin[4] == '\0' || kernel->entry->info.fp16);
            if (there) {
                text_printf(&out, " + (__builtin_types_compatible_p(%.*s, %s) ? %zu : 0)", length, name, builtin, j + 1);
            }
        }
        text_puts(&out, ";\n");
    }
    text_puts(&out, "}\n");
    return text_take(&out);
}

/* Runs the one kernel, one work-item. */
static weft_status ask(device *device, cl_program program, size_t size_bytes, cl_ulong *answers) {
    const device_entry *entry = device->entry;
    cl_command_queue queue;
    cl_int code;
    const char *call = "clCreateKernel";
    cl_kernel kernel = NULL;
    cl_mem out = NULL;
    size_t one = 1;
    weft_status status = device_utility_queue(device, &queue);
    if (status) {
        return status;
    }
    DRIVER(entry, kernel = clCreateKernel(program, "weft_describe_types", &code));
    if (kernel) {
        call = "clCreateBuffer";
        DRIVER(entry, out = clCreateBuffer(device->cl, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, size_bytes, answers, &code));
    }
    if (out) {
        call = "clSetKernelArg";
        DRIVER(entry, code = clSetKernelArg(kernel, 0, sizeof out, &out));
        if (code == CL_SUCCESS) {
            call = "clEnqueueNDRangeKernel";
            DRIVER(entry, code = clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, &one, 0, NULL, NULL));
        }
        if (code == CL_SUCCESS) {
            call = "clEnqueueReadBuffer";
            DRIVER(entry, code = clEnqueueReadBuffer(queue, out, CL_TRUE, 0, size_bytes, answers, 0, NULL, NULL));
        }
        DRIVER(entry, clReleaseMemObject(out));
    }
    if (kernel) {
        DRIVER(entry, clReleaseKernel(kernel));
    }
    return out && code == CL_SUCCESS ? WEFT_OK : driver_error(entry, call, code);
}

static void take_answer(param *param, const cl_ulong *answer) {
    char builtin[16];
    if (answer[2] && type_builtin(answer[2] - 1, builtin)) {
        param->type = type_parse(builtin);
        bool number = param->type.width == 1 && param->type.base != BASE_HALF;
        param->kind = param->kind == WEFT_PARAM_VALUE && number ? WEFT_PARAM_SCALAR : param->kind;
    } else if (answer[0] && answer[1]) {
        param->type = (type_info){BASE_STRUCT, answer[0], 1, answer[0], answer[1]};
    }
}

weft_status type_sizes_resolve(kernel *kernel, device *device, const char *text, const char *options) {
    size_t unknown = 0, size_bytes = kernel->n_params * ANSWERS * sizeof(cl_ulong);
    for (size_t i = 0; i < kernel->n_params; i++) {
        unknown += is_asked(&kernel->params[i]);
    }
    if (!unknown) {
        return WEFT_OK;
    }
    cl_ulong *answers = NULL;
    cl_program program = NULL;
    cl_int code;
    weft_status status = WEFT_OK;
    char *source = question_text(kernel, text);
    if (!source) {
        TRY(error_host_memory(strlen(text)));
    }
    TRY(object_new(size_bytes, &answers));
    program = build_quietly(device, source, options, &code);
    if (program) {
        TRY(ask(device, program, size_bytes, answers));
    } else if (code != CL_BUILD_PROGRAM_FAILURE) {
        TRY(driver_error(device->entry, "clBuildProgram", code));
    }
    for (size_t i = 0; i < kernel->n_params && program; i++) {
        if (is_asked(&kernel->params[i])) {
            take_answer(&kernel->params[i], &answers[i * ANSWERS]);
        }
    }
cleanup:
    if (program) {
        DRIVER(device->entry, clReleaseProgram(program));
    }
    free(answers);
    free(source);
    return status;
}
