/* Programs and kernels. A program's binary is a mark and its source, so it comes back as it went. */
#include "null_driver.h"

static const char binary_mark[] = "weft null program\n";
enum { BINARY_MARK_BYTES = sizeof binary_mark - 1 };

/* ---- Programs -------------------------------------------------------------------------------------- */

/* Takes the source over. */
static cl_program program_new(cl_context context, char *source, cl_int *code) {
    cl_program program = source ? object_new(sizeof *program) : NULL;
    if (program) {
        clRetainContext(context);
        program->context = context;
        program->source = source;
    } else {
        free(source);
    }
    return created(program, code);
}

cl_program clCreateProgramWithSource(cl_context context, cl_uint n_strings, const char **strings, const size_t *lengths,
                                     cl_int *code) {
    char *source = calloc(1, 1);
    size_t length = 0;
    for (cl_uint i = 0; source && i < n_strings; i++) {
        size_t more = lengths && lengths[i] ? lengths[i] : strlen(strings[i]);
        char *grown = realloc(source, length + more + 1);
        if (!grown) {
            free(source);
            return created(NULL, code);
        }
        source = grown;
        memcpy(source + length, strings[i], more);
        length += more;
        source[length] = '\0';
    }
    return program_new(context, source, code);
}

cl_program clCreateProgramWithBinary(cl_context context, cl_uint n_devices, const cl_device_id *devices,
                                     const size_t *lengths, const unsigned char **binaries, cl_int *statuses,
                                     cl_int *code) {
    bool ours = lengths[0] >= BINARY_MARK_BYTES && !memcmp(binaries[0], binary_mark, BINARY_MARK_BYTES);
    if (statuses) {
        *statuses = ours ? CL_SUCCESS : CL_INVALID_BINARY;
    }
    if (!ours) {
        return refused(CL_INVALID_BINARY, code);
    }
    const char *source = (const char *)binaries[0] + BINARY_MARK_BYTES;
    return program_new(context, strndup(source, lengths[0] - BINARY_MARK_BYTES), code);
}

cl_int clRetainProgram(cl_program program) {
    object_retain(&program->object);
    return CL_SUCCESS;
}

cl_int clReleaseProgram(cl_program program) {
    if (object_release(&program->object)) {
        clReleaseContext(program->context);
        kernels_free(program->kernels, program->n_kernels);
        free(program->options);
        free(program->source);
        free(program);
    }
    return CL_SUCCESS;
}

cl_int clBuildProgram(cl_program program, cl_uint n_devices, const cl_device_id *devices, const char *options,
                      void (*notify)(cl_program, void *), void *user) {
    kernels_free(program->kernels, program->n_kernels);
    free(program->options);
    program->options = strdup(options ? options : "");
    program->built = kernels_scan(program->source, &program->kernels, &program->n_kernels) && program->options;
    if (notify) {
        notify(program, user);
    }
    return program->built ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
}

/* The kernels' names with semicolons between them. */
static cl_int answer_kernel_names(cl_program program, size_t capacity, void *out, size_t *out_size) {
    size_t size = 1;
    for (size_t i = 0; i < program->n_kernels; i++) {
        size += strlen(program->kernels[i].name) + 1;
    }
    char *names = calloc(1, size);
    if (!names) {
        return CL_OUT_OF_HOST_MEMORY;
    }
    char *end = names;
    for (size_t i = 0; i < program->n_kernels; i++) {
        end = stpcpy(stpcpy(end, i ? ";" : ""), program->kernels[i].name);
    }
    cl_int result = ANSWER_TEXT(names);
    free(names);
    return result;
}

/* OpenCL's one answer that is not written to out, but to where out points. */
static cl_int answer_binary(cl_program program, size_t capacity, void *out, size_t *out_size) {
    if (out_size) {
        *out_size = sizeof(unsigned char *);
    }
    unsigned char *binary = out ? *(unsigned char **)out : NULL;
    if (binary) {
        memcpy(binary, binary_mark, BINARY_MARK_BYTES);
        memcpy(binary + BINARY_MARK_BYTES, program->source, strlen(program->source));
    }
    return CL_SUCCESS;
}

cl_int clGetProgramInfo(cl_program program, cl_program_info name, size_t capacity, void *out, size_t *out_size) {
    switch (name) {
        case CL_PROGRAM_REFERENCE_COUNT:
            return ANSWER(cl_uint, atomic_load(&program->object.references));
        case CL_PROGRAM_CONTEXT:
            return ANSWER(cl_context, program->context);
        case CL_PROGRAM_NUM_DEVICES:
            return ANSWER(cl_uint, 1);
        case CL_PROGRAM_DEVICES:
            return ANSWER(cl_device_id, &null_device);
        case CL_PROGRAM_SOURCE:
            return ANSWER_TEXT(program->source);
        case CL_PROGRAM_BINARY_SIZES:
            return ANSWER(size_t, BINARY_MARK_BYTES + strlen(program->source));
        case CL_PROGRAM_BINARIES:
            return answer_binary(program, capacity, out, out_size);
        case CL_PROGRAM_NUM_KERNELS:
            return program->built ? ANSWER(size_t, program->n_kernels) : CL_INVALID_PROGRAM_EXECUTABLE;
        case CL_PROGRAM_KERNEL_NAMES:
            return program->built ? answer_kernel_names(program, capacity, out, out_size) : CL_INVALID_PROGRAM_EXECUTABLE;
        case CL_PROGRAM_IL:
            return ANSWER_NOTHING();
        default:
            return CL_INVALID_VALUE;
    }
}

cl_int clGetProgramBuildInfo(cl_program program, cl_device_id device, cl_program_build_info name, size_t capacity, void *out,
                             size_t *out_size) {
    switch (name) {
        case CL_PROGRAM_BUILD_STATUS:
            return ANSWER(cl_build_status, program->built ? CL_BUILD_SUCCESS : CL_BUILD_NONE);
        case CL_PROGRAM_BUILD_OPTIONS:
            return ANSWER_TEXT(program->options ? program->options : "");
        case CL_PROGRAM_BUILD_LOG:
            return ANSWER_TEXT("");
        case CL_PROGRAM_BINARY_TYPE:
            return ANSWER(cl_program_binary_type,
                          program->built ? CL_PROGRAM_BINARY_TYPE_EXECUTABLE : CL_PROGRAM_BINARY_TYPE_NONE);
        case CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE:
            return ANSWER(size_t, 0);
        default:
            return CL_INVALID_VALUE;
    }
}

/* ---- Kernels --------------------------------------------------------------------------------------- */

static cl_kernel kernel_new(cl_program program, const kernel_source *source, cl_int *code) {
    cl_kernel kernel = object_new(sizeof *kernel);
    if (kernel) {
        clRetainProgram(program);
        kernel->program = program;
        kernel->source = source;
    }
    return created(kernel, code);
}

cl_kernel clCreateKernel(cl_program program, const char *name, cl_int *code) {
    const kernel_source *source = kernels_find(program->kernels, program->n_kernels, name);
    if (!source) {
        return refused(program->built ? CL_INVALID_KERNEL_NAME : CL_INVALID_PROGRAM_EXECUTABLE, code);
    }
    return kernel_new(program, source, code);
}

cl_kernel clCloneKernel(cl_kernel kernel, cl_int *code) {
    return kernel_new(kernel->program, kernel->source, code);
}

cl_int clCreateKernelsInProgram(cl_program program, cl_uint capacity, cl_kernel *out, cl_uint *out_count) {
    if (out && capacity < program->n_kernels) {
        return CL_INVALID_VALUE;
    }
    if (out_count) {
        *out_count = (cl_uint)program->n_kernels;
    }
    cl_int code = CL_SUCCESS;
    for (size_t i = 0; out && !code && i < program->n_kernels; i++) {
        out[i] = kernel_new(program, &program->kernels[i], &code);
    }
    return code;
}

cl_int clRetainKernel(cl_kernel kernel) {
    object_retain(&kernel->object);
    return CL_SUCCESS;
}

cl_int clReleaseKernel(cl_kernel kernel) {
    if (object_release(&kernel->object)) {
        clReleaseProgram(kernel->program);
        free(kernel);
    }
    return CL_SUCCESS;
}

cl_int clSetKernelArg(cl_kernel kernel, cl_uint index, size_t size, const void *value) {
    return CL_SUCCESS;
}

cl_int clGetKernelInfo(cl_kernel kernel, cl_kernel_info name, size_t capacity, void *out, size_t *out_size) {
    switch (name) {
        case CL_KERNEL_FUNCTION_NAME:
            return ANSWER_TEXT(kernel->source->name);
        case CL_KERNEL_NUM_ARGS:
            return ANSWER(cl_uint, (cl_uint)kernel->source->n_parameters);
        case CL_KERNEL_REFERENCE_COUNT:
            return ANSWER(cl_uint, atomic_load(&kernel->object.references));
        case CL_KERNEL_CONTEXT:
            return ANSWER(cl_context, kernel->program->context);
        case CL_KERNEL_PROGRAM:
            return ANSWER(cl_program, kernel->program);
        case CL_KERNEL_ATTRIBUTES:
            return ANSWER_TEXT("");
        default:
            return CL_INVALID_VALUE;
    }
}

cl_int clGetKernelArgInfo(cl_kernel kernel, cl_uint index, cl_kernel_arg_info name, size_t capacity, void *out,
                          size_t *out_size) {
    if (index >= kernel->source->n_parameters) {
        return CL_INVALID_ARG_INDEX;
    }
    const parameter *parameter = &kernel->source->parameters[index];
    switch (name) {
        case CL_KERNEL_ARG_ADDRESS_QUALIFIER:
            return ANSWER(cl_kernel_arg_address_qualifier, parameter->address);
        case CL_KERNEL_ARG_ACCESS_QUALIFIER:
            return ANSWER(cl_kernel_arg_access_qualifier, CL_KERNEL_ARG_ACCESS_NONE);
        case CL_KERNEL_ARG_TYPE_NAME:
            return ANSWER_TEXT(parameter->type);
        case CL_KERNEL_ARG_TYPE_QUALIFIER:
            return ANSWER(cl_kernel_arg_type_qualifier, parameter->qualifiers);
        case CL_KERNEL_ARG_NAME:
            return ANSWER_TEXT(parameter->name);
        default:
            return CL_INVALID_VALUE;
    }
}

cl_int clGetKernelWorkGroupInfo(cl_kernel kernel, cl_device_id device, cl_kernel_work_group_info name, size_t capacity,
                                void *out, size_t *out_size) {
    switch (name) {
        case CL_KERNEL_WORK_GROUP_SIZE:
            return ANSWER(size_t, MAX_BLOCK);
        case CL_KERNEL_COMPILE_WORK_GROUP_SIZE:
            return answer(kernel->source->required_block, sizeof kernel->source->required_block, capacity, out, out_size);
        case CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE:
            return ANSWER(size_t, 32);
        case CL_KERNEL_LOCAL_MEM_SIZE:
        case CL_KERNEL_PRIVATE_MEM_SIZE:
            return ANSWER(cl_ulong, 0);
        default:
            return CL_INVALID_VALUE;
    }
}
