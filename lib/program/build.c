#include "program/build.h"

#include <stdlib.h>
#include <string.h>

#include "base/api.h"
#include "base/object.h"
#include "base/text.h"
#include "program/argless.h"
#include "program/cache.h"

/* The driver's log, trimmed, with lines mapped where the driver counts them otherwise and there is a source; NULL without
 * memory. */
static char *fetch_log(const device_entry *entry, cl_program program, const assembled *source) {
    size_t size = 0;
    cl_int code;
    DRIVER(entry, code = clGetProgramBuildInfo(program, entry->id, CL_PROGRAM_BUILD_LOG, 0, NULL, &size));
    char *log = calloc(1, (code == CL_SUCCESS ? size : 0) + 1);
    if (log && code == CL_SUCCESS && size) {
        DRIVER(entry, clGetProgramBuildInfo(program, entry->id, CL_PROGRAM_BUILD_LOG, size, log, NULL));
    }
    if (!log) {
        return NULL;
    }
    size_t start = strspn(log, " \t\r\n"), end = strlen(log);
    while (end > start && strchr(" \t\r\n", log[end - 1])) {
        end--;
    }
    memmove(log, log + start, end - start);
    log[end - start] = '\0';
    if (source && entry->quirks & QUIRK_LINE_IGNORED) {
        char *mapped = assemble_map_log(source, log);
        free(log);
        log = mapped;
    }
    return log;
}

/* The line of a log that says most: its first error. */
static const char *first_error(const char *log, int *length) {
    const char *at = strstr(log, "error");
    while (at && at > log && at[-1] != '\n') {
        at--;
    }
    at = at ? at : log;
    *length = (int)strcspn(at, "\n");
    return at;
}

static bool is_about_double(const char *log) {
    return log && (strstr(log, "double") || strstr(log, "fp64"));
}

/* Records why the compiler refused, and keeps its whole log for weft_last_build_log. */
static weft_status compile_failed(const device_entry *entry, cl_program program, const assembled *source, const char *options,
                                  cl_int code) {
    if (code == CL_INVALID_BUILD_OPTIONS || code == CL_INVALID_COMPILER_OPTIONS) {
        error_set_build_log(fetch_log(entry, program, source));
        return error_set_cl(WEFT_ERROR_COMPILE_FAILED, code, "options: the compiler of device %s:%d refuses \"%s\"",
                            entry->info.api, entry->info.id, options);
    }
    if (code != CL_BUILD_PROGRAM_FAILURE && code != CL_COMPILE_PROGRAM_FAILURE && code != CL_LINK_PROGRAM_FAILURE &&
        code != CL_INVALID_PROGRAM && code != CL_INVALID_BINARY) {
        return driver_error(entry, "clBuildProgram", code);
    }
    char *log = fetch_log(entry, program, source);
    int length = 0;
    const char *line = log && *log ? first_error(log, &length) : "";
    bool lacks_double = !entry->info.fp64 && is_about_double(log);
    weft_status status = error_set_cl(
        WEFT_ERROR_COMPILE_FAILED, code, "source does not compile for device %s:%d (%s)%s: %.*s", entry->info.api, entry->info.id,
        entry->info.name, lacks_double ? ", which lacks fp64 (double)" : "", length < 400 ? length : 400, line);
    error_set_build_log(log);
    return status;
}

static int by_name(const void *a, const void *b) {
    return strcmp(((const kernel *)a)->name, ((const kernel *)b)->name);
}

/* The name in the source, within the driver's. */
static const char *plain_name(const device_entry *entry, const char *name) {
    static const char prefix[] = "_cl_";
    bool renamed = entry->quirks & QUIRK_KERNEL_RENAMED && strncmp(name, prefix, sizeof prefix - 1) == 0;
    return renamed ? name + sizeof prefix - 1 : name;
}

weft_status build_kernel_names(const device_entry *entry, cl_program program, char **out) {
    size_t count = 0, size = 0;
    char *names = NULL;
    cl_int code;
    weft_status status = WEFT_OK;
    /* NVIDIA's driver crashes when asked for the names of none. */
    DRIVER(entry, code = clGetProgramInfo(program, CL_PROGRAM_NUM_KERNELS, sizeof count, &count, NULL));
    if (code == CL_SUCCESS && count) {
        DRIVER(entry, code = clGetProgramInfo(program, CL_PROGRAM_KERNEL_NAMES, 0, NULL, &size));
    }
    if (code == CL_SUCCESS) {
        TRY(object_new(size + 1, &names));
    }
    if (code == CL_SUCCESS && count) {
        DRIVER(entry, code = clGetProgramInfo(program, CL_PROGRAM_KERNEL_NAMES, size, names, NULL));
    }
    if (code != CL_SUCCESS) {
        TRY(driver_error(entry, "clGetProgramInfo", code));
    }
    *out = names;
    names = NULL;
cleanup:
    free(names);
    return status;
}

static weft_status list_kernels(build *build, const text *padded_names) {
    const device_entry *entry = build->entry;
    char *names = NULL, *rest = NULL;
    weft_status status = WEFT_OK;
    TRY(build_kernel_names(entry, build->program, &names));
    size_t most = 1;
    for (const char *at = names; *at; at++) {
        most += *at == ';';
    }
    TRY(object_new(most * sizeof *build->kernels, &build->kernels));
    for (char *name = strtok_r(names, ";", &rest); name; name = strtok_r(NULL, ";", &rest)) {
        kernel *kernel = &build->kernels[build->n_kernels];
        kernel->driver_name = strdup(name);
        if (!kernel->driver_name) {
            TRY(error_host_memory(strlen(name)));
        }
        kernel->name = plain_name(entry, kernel->driver_name);
        kernel->padded = argless_names(padded_names, kernel->driver_name);
        kernel->program = build->program;
        kernel->entry = entry;
        kernel->id = kernel_next_id();
        build->n_kernels++;
    }
    qsort(build->kernels, build->n_kernels, sizeof *build->kernels, by_name);
cleanup:
    free(names);
    return status;
}

cl_program build_quietly(const device *device, const char *text, const char *options, cl_int *code) {
    const device_entry *entry = device->entry;
    cl_program program;
    DRIVER(entry, program = clCreateProgramWithSource(device->cl, 1, &text, NULL, code));
    if (program) {
        DRIVER(entry, *code = clBuildProgram(program, 1, &entry->id, options, NULL, NULL));
        process_watch_exit(); /* a compiler's first run registers exit handlers */
        if (*code != CL_SUCCESS) {
            DRIVER(entry, clReleaseProgram(program));
            program = NULL;
        }
    }
    return program;
}

build *build_new(const device_entry *entry) {
    build *made;
    if (object_new(sizeof *made, &made)) {
        return NULL;
    }
    refcount_init(&made->refs);
    pthread_mutex_init(&made->lock, NULL);
    made->entry = entry;
    return made;
}

static weft_status compile(device *device, assembled *source, const char *options, build **out) {
    const device_entry *entry = device->entry;
    text padded_names = {0};
    weft_status status = WEFT_OK;
    build *made = build_new(entry);
    if (!made) {
        return WEFT_ERROR_OUT_OF_HOST_MEMORY;
    }
    cl_int code;
    const char *text = source->text;
    DRIVER(entry, made->program = clCreateProgramWithSource(device->cl, 1, &text, &source->length, &code));
    if (!made->program) {
        TRY(driver_error(entry, "clCreateProgramWithSource", code));
    }
    DRIVER(entry, code = clBuildProgram(made->program, 1, &entry->id, options, NULL, NULL));
    process_watch_exit(); /* a compiler's first run registers exit handlers */
    if (code != CL_SUCCESS) {
        char *log = fetch_log(entry, made->program, source);
        cl_program padded = NULL;
        status = argless_build(device, source, options, log, &padded_names, &made->text, &padded);
        free(log);
        TRY(status);
        if (!padded) {
            TRY(compile_failed(entry, made->program, source, options, code));
        }
        DRIVER(entry, clReleaseProgram(made->program));
        made->program = padded;
    }
    made->log = fetch_log(entry, made->program, source);
    made->options = strdup(options);
    if (!made->log || !made->options) {
        TRY(error_host_memory(strlen(options)));
    }
    TRY(list_kernels(made, &padded_names));
    if (!made->text) {
        made->text = source->text;
        source->text = NULL;
    }
    *out = made;
    made = NULL;
cleanup:
    text_free(&padded_names);
    build_release(made);
    return status;
}

weft_status build_compile(device *device, assembled *source, const char *options, build **out) {
    cache_key key = {0};
    weft_status status = WEFT_OK;
    *out = cache_load(device, source, options, &key);
    if (!*out) {
        status = compile(device, source, options, out);
        if (!status) {
            (*out)->key = key;
            key.identity = NULL;
            cache_store(device, *out);
        }
    }
    free(key.identity);
    return status;
}

weft_status build_adopt(const device_entry *entry, cl_program program, build **out) {
    weft_status status = WEFT_OK;
    text none = {0};
    build *made = build_new(entry);
    if (!made) {
        DRIVER(entry, clReleaseProgram(program));
        return WEFT_ERROR_OUT_OF_HOST_MEMORY;
    }
    made->program = program;
    made->log = fetch_log(entry, program, NULL);
    made->options = strdup(BUILD_ARG_INFO);
    if (!made->log || !made->options) {
        TRY(error_host_memory(sizeof BUILD_ARG_INFO));
    }
    TRY(list_kernels(made, &none));
    *out = made;
    made = NULL;
cleanup:
    build_release(made);
    return status;
}

weft_status build_reflect(device *device, build *build) {
    weft_status status = WEFT_OK;
    pthread_mutex_lock(&build->lock);
    for (size_t i = 0; i < build->n_kernels && !status; i++) {
        if (!build->kernels[i].reflected) {
            status = kernel_reflect(&build->kernels[i], device, build->text, build->options);
        }
    }
    pthread_mutex_unlock(&build->lock);
    return status;
}

build *build_retain(build *build) {
    refcount_retain(&build->refs);
    return build;
}

void build_release(build *build) {
    if (!build || !refcount_release(&build->refs)) {
        return;
    }
    for (size_t i = 0; i < build->n_kernels; i++) {
        kernel_destroy(&build->kernels[i]);
    }
    if (build->program) {
        DRIVER(build->entry, clReleaseProgram(build->program));
    }
    pthread_mutex_destroy(&build->lock);
    free(build->kernels);
    free(build->key.identity);
    free(build->text);
    free(build->options);
    free(build->log);
    free(build);
}
