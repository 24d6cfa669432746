/* Programs as bytes: what one process writes and another loads, and SPIR-V. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/api.h"
#include "base/object.h"
#include "program/binary.h"
#include "program/program.h"

/* ---- Loading -------------------------------------------------------------------------------------- */

static int first_line(const char *text) {
    size_t length = strcspn(text, "\n");
    return length < 200 ? (int)length : 200;
}

static weft_status load_own(device *device, const void *image, size_t size, build **out) {
    const weft_device_info *info = &device->entry->info;
    cache_entry entry;
    weft_status status = WEFT_OK;
    char *identity = NULL;
    if (!cache_entry_read(image, size, &entry)) {
        return entry.no_memory ? error_host_memory(size)
                               : error_set(WEFT_ERROR_INVALID_ARGUMENT,
                                           "image: its %zu bytes are not as weft_program_write_to wrote them", size);
    }
    TRY(binary_identity(device->entry, &identity));
    if (strcmp(identity, entry.identity) != 0) {
        TRY(error_set(WEFT_ERROR_UNSUPPORTED,
                      "image was made for %.*s, by another driver or version of weft if that is device %s:%d (%s)", first_line(entry.identity),
                      entry.identity, info->api, info->id, info->name));
    }
    TRY(binary_build(device, &entry, BUILD_ARG_INFO, out));
cleanup:
    free(identity);
    cache_entry_free(&entry);
    return status;
}

/* Builds a program that the driver has taken, and owns it. */
static weft_status build_taken(const device_entry *entry, cl_program program, build **out) {
    cl_int code;
    DRIVER(entry, code = clBuildProgram(program, 1, &entry->id, BUILD_ARG_INFO, NULL, NULL));
    process_watch_exit(); /* a compiler's first run registers exit handlers */
    if (code == CL_SUCCESS) {
        return build_adopt(entry, program, out);
    }
    char log[2048] = "";
    cl_int log_code;
    DRIVER(entry, log_code = clGetProgramBuildInfo(program, entry->id, CL_PROGRAM_BUILD_LOG, sizeof log - 1, log, NULL));
    DRIVER(entry, clReleaseProgram(program));
    error_set_build_log(log_code == CL_SUCCESS ? strdup(log) : NULL);
    return error_set_cl(WEFT_ERROR_COMPILE_FAILED, code, "image does not build for device %s:%d (%s): %.200s", entry->info.api,
                        entry->info.id, entry->info.name, log);
}

static weft_status load_spirv(device *device, const void *image, size_t size, build **out) {
    const device_entry *entry = device->entry;
    cl_program program;
    cl_int code;
    if (!entry->info.il) {
        return error_set(WEFT_ERROR_UNSUPPORTED, "image is SPIR-V, which device %s:%d (%s) does not take", entry->info.api,
                         entry->info.id, entry->info.name);
    }
    if (size % 4 != 0 || size < 20) {
        return error_set(WEFT_ERROR_INVALID_ARGUMENT, "image: SPIR-V of %zu bytes is cut; it has 20 at least, and whole words", size);
    }
    DRIVER(entry, program = clCreateProgramWithIL(device->cl, image, size, &code));
    return program ? build_taken(entry, program, out) : driver_error(entry, "clCreateProgramWithIL", code);
}

static weft_status load_ptx(device *device, const void *image, size_t size, build **out) {
    const device_entry *entry = device->entry;
    const unsigned char *text = image;
    cl_program program;
    cl_int code, taken;
    if (!(entry->quirks & QUIRK_TAKES_PTX)) {
        return error_set(WEFT_ERROR_UNSUPPORTED, "image is PTX, which device %s:%d (%s) does not take", entry->info.api,
                         entry->info.id, entry->info.name);
    }
    DRIVER(entry, program = clCreateProgramWithBinary(device->cl, 1, &entry->id, &size, &text, &taken, &code));
    return program ? build_taken(entry, program, out) : driver_error(entry, "clCreateProgramWithBinary", code);
}

static bool begins(const void *image, size_t size, const char *start, size_t length) {
    return size >= length && memcmp(image, start, length) == 0;
}

/* Comments, then ".version". */
static bool is_ptx(const char *text, size_t size) {
    const char *end = text + size;
    while (text < end && (*text == '\n' || *text == '\r' || *text == ' ' || *text == '/')) {
        const char *line = *text == '/' ? memchr(text, '\n', (size_t)(end - text)) : text;
        if (!line) {
            return false;
        }
        text = line + 1;
    }
    return begins(text, (size_t)(end - text), ".version", 8);
}

static weft_status load(device *device, const void *image, size_t size, build **out) {
    if (cache_entry_begins(image, size)) {
        return load_own(device, image, size, out);
    }
    if (begins(image, size, "\x03\x02\x23\x07", 4) || begins(image, size, "\x07\x23\x02\x03", 4)) {
        return load_spirv(device, image, size, out);
    }
    if (is_ptx(image, size)) {
        return load_ptx(device, image, size, out);
    }
    if (begins(image, size, "poclbin", 7) || begins(image, size, "BC\xC0\xDE", 4) || begins(image, size, "\x7F" "ELF", 4)) {
        return error_set(WEFT_ERROR_UNSUPPORTED, "image is a driver's own binary, which may crash the driver when it is damaged: "
                                                 "load what weft_program_write_to writes");
    }
    return error_set(WEFT_ERROR_INVALID_ARGUMENT, "image: its %zu bytes are neither a program of weft_program_write_to, SPIR-V nor PTX",
                     size);
}

WEFT_API weft_status weft_load_program(weft_context *context, const void *image, size_t size_bytes, weft_program **out) {
    if (out) {
        *out = NULL;
    }
    API_ENTER();
    if (!context || !image || !out) {
        return error_null(!context ? "context" : !image ? "image" : "out");
    }
    weft_program *program = NULL;
    weft_status status = context_check(context);
    status = status ? status : object_new(sizeof *program, &program);
    if (status) {
        return status;
    }
    refcount_init(&program->refs);
    if (!process_hold_exit()) {
        TRY(process_refuse());
    }
    status = load(context->device, image, size_bytes, &program->build);
    process_let_exit();
    TRY(status);
    program->device = device_retain(context->device);
    *out = program;
    program = NULL;
cleanup:
    free(program);
    return status;
}

/* ---- Writing -------------------------------------------------------------------------------------- */

/* The program's bytes. */
static weft_status image_of(weft_program *program, text *out) {
    build *build = program->build;
    size_t size = 0;
    unsigned char *binary = NULL;
    char *identity = NULL;
    weft_status status;
    TRY(build_reflect(program->device, build));
    TRY(binary_identity(build->entry, &identity));
    TRY(binary_fetch(build, &binary, &size));
    cache_entry_write(&(cache_entry){.identity = identity, .log = build->log, .binary = binary, .binary_bytes = size,
                                      .kernels = build->kernels, .n_kernels = build->n_kernels}, out);
    if (out->failed) {
        TRY(error_host_memory(size));
    }
cleanup:
    free(binary);
    free(identity);
    return status;
}

static weft_status write_image(weft_program *program, weft_writer writer, void *user) {
    text image = {0};
    if (!process_hold_exit()) {
        return process_refuse();
    }
    weft_status status = image_of(program, &image);
    process_let_exit();
    status = status ? status : writer(user, image.data, image.length);
    text_free(&image);
    return status;
}

static weft_status write_to_stream(void *stream, const char *bytes, size_t size) {
    return fwrite(bytes, 1, size, stream) == size ? WEFT_OK : error_set(WEFT_ERROR_IO, "the stream takes no %zu bytes", size);
}

WEFT_API weft_status weft_program_write_with(weft_program *program, weft_writer writer, void *user) {
    API_ENTER();
    return program && writer ? write_image(program, writer, user) : error_null(program ? "writer" : "program");
}

WEFT_API weft_status weft_program_write_to(weft_program *program, FILE *stream) {
    API_ENTER();
    return program && stream ? write_image(program, write_to_stream, stream) : error_null(program ? "stream" : "program");
}
