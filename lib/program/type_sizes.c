#include "program/type_sizes.h"

#include <stdlib.h>
#include <string.h>

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
static bool ask(device *device, cl_program program, size_t size_bytes, cl_ulong *answers) {
    const device_entry *entry = device->entry;
    cl_command_queue queue;
    cl_int code = CL_SUCCESS;
    cl_kernel kernel = NULL;
    cl_mem out = NULL;
    size_t one = 1;
    bool asked = false;
    if (device_utility_queue(device, &queue) == WEFT_OK) {
        DRIVER(entry, kernel = clCreateKernel(program, "weft_describe_types", &code));
        DRIVER(entry, out = clCreateBuffer(device->cl, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, size_bytes, answers, &code));
    }
    if (kernel && out) {
        DRIVER(entry, code = clSetKernelArg(kernel, 0, sizeof out, &out));
        if (code == CL_SUCCESS) {
            DRIVER(entry, code = clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, &one, 0, NULL, NULL));
        }
        if (code == CL_SUCCESS) {
            DRIVER(entry, code = clEnqueueReadBuffer(queue, out, CL_TRUE, 0, size_bytes, answers, 0, NULL, NULL));
        }
        asked = code == CL_SUCCESS;
    }
    if (out) {
        DRIVER(entry, clReleaseMemObject(out));
    }
    if (kernel) {
        DRIVER(entry, clReleaseKernel(kernel));
    }
    return asked;
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

void type_sizes_resolve(kernel *kernel, device *device, const char *text, const char *options) {
    size_t unknown = 0;
    for (size_t i = 0; i < kernel->n_params; i++) {
        unknown += is_asked(&kernel->params[i]);
    }
    if (!unknown) {
        return;
    }
    char *source = question_text(kernel, text);
    cl_ulong *answers = calloc(kernel->n_params * ANSWERS, sizeof *answers);
    cl_program program = source && answers ? build_quietly(device, source, options) : NULL;
    if (program && ask(device, program, kernel->n_params * ANSWERS * sizeof *answers, answers)) {
        for (size_t i = 0; i < kernel->n_params; i++) {
            if (is_asked(&kernel->params[i])) {
                take_answer(&kernel->params[i], &answers[i * ANSWERS]);
            }
        }
    }
    if (program) {
        DRIVER(device->entry, clReleaseProgram(program));
    }
    free(answers);
    free(source);
}
