#include "program/program.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/api.h"
#include "base/object.h"
#include "base/text.h"

/* "CL1.2", "CL3.0", "CLC++1.0": a word that cannot smuggle in another option. */
static bool is_standard(const char *word) {
    return strncmp(word, "CL", 2) == 0 && word[strspn(word, "CL+.0123456789")] == '\0';
}

/* What is left for the driver's option parser: the rest is in the text. */
static weft_status driver_options(const device_entry *entry, const weft_compile_options *options, char **out) {
    text line = {0};
    text_puts(&line, BUILD_ARG_INFO);
    if (options && options->cl_std) {
        if (!is_standard(options->cl_std)) {
            text_free(&line);
            return error_set(WEFT_ERROR_INVALID_ARGUMENT, "options.cl_std is \"%.64s\"; \"CL1.2\" and \"CL3.0\" are such names",
                             options->cl_std);
        }
        text_printf(&line, " -cl-std=%s", options->cl_std);
        if (entry->quirks & QUIRK_MACROS_ARE_FIXED && strcmp(options->cl_std, "CL3.0") != 0) {
            text_puts(&line, " -D WEFT_NO_TENSORS");
        }
    }
    if (options && options->fast_math) {
        text_puts(&line, " -cl-fast-relaxed-math");
    }
    if (options && options->extra && *options->extra) {
        text_printf(&line, " %s", options->extra);
    }
    *out = text_take(&line);
    return *out ? WEFT_OK : error_host_memory(64);
}

static weft_status check_source(const char *source, const weft_compile_options *options) {
    if (!source[strspn(source, " \t\r\n\f\v")]) {
        return error_set(WEFT_ERROR_INVALID_ARGUMENT, "source is empty");
    }
    if (options && options->n_defines && !options->defines) {
        return error_set(WEFT_ERROR_INVALID_ARGUMENT, "options.defines is NULL but n_defines is %zu", options->n_defines);
    }
    if (options && options->n_include_dirs && !options->include_dirs) {
        return error_set(WEFT_ERROR_INVALID_ARGUMENT, "options.include_dirs is NULL but n_include_dirs is %zu",
                         options->n_include_dirs);
    }
    return WEFT_OK;
}

/* Fills *out, which the caller frees in any case. */
static weft_status assemble(const char *source, const weft_compile_options *options, assembled *out) {
    weft_status status = assemble_source(source, options, out);
    if (status) {
        return status == WEFT_ERROR_OUT_OF_HOST_MEMORY ? error_host_memory(strlen(source)) : error_set(status, "%s", out->reason);
    }
    return WEFT_OK;
}

WEFT_API weft_status weft_assemble_source(const char *source, const weft_compile_options *options, char **out) {
    if (out) {
        *out = NULL;
    }
    API_ENTER();
    if (!source || !out) {
        return error_null(source ? "out" : "source");
    }
    assembled assembled = {0};
    weft_status status = check_source(source, options);
    if (status) {
        return status;
    }
    status = assemble(source, options, &assembled);
    if (!status) {
        *out = assembled.text;
        assembled.text = NULL;
    }
    assembled_free(&assembled);
    return status;
}

weft_status program_compile(weft_context *context, const char *source, const weft_compile_options *options, weft_program **out) {
    weft_program *program = NULL;
    assembled assembled = {0};
    char *line = NULL;
    weft_status status = check_source(source, options);
    status = status ? status : context_check(context);
    if (status) {
        return status;
    }
    TRY(driver_options(context->device->entry, options, &line));
    TRY(assemble(source, options, &assembled));
    TRY(object_new(sizeof *program, &program));
    refcount_init(&program->refs);
    if (!process_hold_exit()) {
        TRY(process_refuse());
    }
    status = build_get(context->device, &assembled, line, &program->build);
    process_let_exit();
    TRY(status);
    program->device = device_retain(context->device);
    *out = program;
    program = NULL;
cleanup:
    free(program);
    assembled_free(&assembled);
    free(line);
    return status;
}

WEFT_API weft_status weft_compile_program(weft_context *context, const char *source, const weft_compile_options *options,
                                          weft_program **out) {
    if (out) {
        *out = NULL;
    }
    API_ENTER();
    if (!context || !source || !out) {
        return error_null(!context ? "context" : !source ? "source" : "out");
    }
    return program_compile(context, source, options, out);
}

WEFT_API weft_program *weft_program_retain(weft_program *program) {
    if (program) {
        refcount_retain(&program->refs);
    }
    return program;
}

WEFT_API void weft_program_release(weft_program *program) {
    if (program && !API_IS_DOWN() && refcount_release(&program->refs)) {
        build_release(program->build);
        device_release(program->device);
        free(program);
    }
}

WEFT_API size_t weft_program_function_count(weft_program *program) {
    return program ? program->build->n_kernels : 0;
}

WEFT_API const char *weft_program_function_name(weft_program *program, size_t index) {
    return program && index < program->build->n_kernels ? program->build->kernels[index].name : NULL;
}

WEFT_API const char *weft_program_build_log(weft_program *program) {
    return program ? program->build->log : NULL;
}

/* A name that differs only in case: what was probably meant. */
static const char *near_match(const build *build, const char *name) {
    for (size_t i = 0; i < build->n_kernels; i++) {
        if (strcasecmp(build->kernels[i].name, name) == 0) {
            return build->kernels[i].name;
        }
    }
    return NULL;
}

static weft_status not_found(const build *build, const char *name) {
    text list = {0};
    for (size_t i = 0; i < build->n_kernels; i++) {
        text_printf(&list, "%s%s", i ? ", " : "", build->kernels[i].name);
    }
    char *names = text_take(&list);
    const char *near = near_match(build, name);
    weft_status status = error_set(WEFT_ERROR_FUNCTION_NOT_FOUND, "no kernel \"%.100s\"%s%s%s; the program's kernels: %s", name,
                                   near ? " (did you mean \"" : "", near ? near : "", near ? "\"?)" : "",
                                   !names ? "(no memory to list them)" : *names ? names : "none");
    free(names);
    return status;
}

static weft_status reflected_kernel(weft_program *program, const char *name, kernel **out) {
    build *build = program->build;
    kernel *kernel = build->kernels;
    while (kernel < build->kernels + build->n_kernels && strcmp(kernel->name, name) != 0) {
        kernel++;
    }
    if (kernel == build->kernels + build->n_kernels) {
        return not_found(build, name);
    }
    weft_status status = WEFT_OK;
    pthread_mutex_lock(&build->lock);
    if (!kernel->reflected) {
        bool held = process_hold_exit();
        status = held ? kernel_reflect(kernel, program->device, build->text, build->options) : process_refuse();
        if (held) {
            process_let_exit();
        }
    }
    pthread_mutex_unlock(&build->lock);
    *out = kernel;
    return status;
}

weft_status program_function(weft_program *program, const char *name, weft_function **out) {
    weft_function *function = NULL;
    kernel *kernel = NULL;
    weft_status status = reflected_kernel(program, name, &kernel);
    if (status) {
        return status;
    }
    TRY(object_new(sizeof *function, &function));
    refcount_init(&function->refs);
    function->program = weft_program_retain(program);
    function->device = program->device;
    function->kernel = kernel;
    *out = function;
cleanup:
    return status;
}

WEFT_API weft_status weft_program_function(weft_program *program, const char *name, weft_function **out) {
    if (out) {
        *out = NULL;
    }
    API_ENTER();
    if (!program || !name || !out) {
        return error_null(!program ? "program" : !name ? "name" : "out");
    }
    return program_function(program, name, out);
}

WEFT_API weft_status weft_compile_function(weft_context *context, const char *source, const char *name,
                                           const weft_compile_options *options, weft_function **out) {
    if (out) {
        *out = NULL;
    }
    API_ENTER();
    if (!context || !source || !name || !out) {
        return error_null(!context ? "context" : !source ? "source" : !name ? "name" : "out");
    }
    weft_program *program = NULL;
    weft_status status = program_compile(context, source, options, &program);
    if (status) {
        return status;
    }
    status = program_function(program, name, out);
    weft_program_release(program);
    return status;
}
