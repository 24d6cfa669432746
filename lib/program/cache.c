#include "program/cache.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

#include "base/object.h"
#include "program/cache_entry.h"
#include "program/cache_folder.h"

extern char **environ;

/* ---- What a build depends on besides its text ------------------------------------------------------- */

/* Settings of drivers' compilers start so; these do not change what they make. */
static const char *const settings[] = {"POCL_", "LP_", "GALLIVM_", "RUSTICL_", "CLC_", "MESA_", "NV_", "CUDA_", "IGC_", "AMD_", "LLVM_"};
static const char *const harmless[] = {"POCL_CACHE_DIR=", "POCL_DEVICES=", "RUSTICL_ENABLE=", "CUDA_VISIBLE_DEVICES=", "CUDA_CACHE_PATH=",
                                       "MESA_SHADER_CACHE_DIR="};

static bool starts_with_any(const char *text, const char *const *starts, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (strncmp(text, starts[i], strlen(starts[i])) == 0) {
            return true;
        }
    }
    return false;
}

static bool changes_code(const char *variable) {
    return starts_with_any(variable, settings, sizeof settings / sizeof *settings) &&
           !starts_with_any(variable, harmless, sizeof harmless / sizeof *harmless);
}

static int by_text(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void put_environment(text *out) {
    size_t count = 0, at = 0;
    for (char **variable = environ; variable && *variable; variable++) {
        count += changes_code(*variable);
    }
    const char **chosen = count ? calloc(count, sizeof *chosen) : NULL;
    if (!count) {
        return;
    }
    if (!chosen) {
        out->failed = true;
        return;
    }
    for (char **variable = environ; *variable && at < count; variable++) {
        if (changes_code(*variable)) {
            chosen[at++] = *variable;
        }
    }
    qsort(chosen, at, sizeof *chosen, by_text);
    for (size_t i = 0; i < at; i++) {
        text_printf(out, "%s\n", chosen[i]);
    }
    free(chosen);
}

static void put_device(const device_entry *entry, text *out) {
    const weft_device_info *info = &entry->info;
    char version[256] = "";
    cl_int code;
    DRIVER(entry, code = clGetPlatformInfo(entry->platform, CL_PLATFORM_VERSION, sizeof version - 1, version, NULL));
    out->failed = out->failed || code != CL_SUCCESS;
    text_printf(out, "%s\n%s, %zu bytes\n%s, %s, %s\n%s, %s\nweft %s, format %d\n", info->name, info->vendor,
                info->global_memory_bytes, info->driver_version, info->opencl_version, info->opencl_c_version, info->platform,
                version, weft_version(), CACHE_FORMAT);
}

char *cache_device_identity(const device_entry *entry) {
    text out = {0};
    put_device(entry, &out);
    return text_take(&out);
}

/* In lines; the caller frees it. NULL without memory, or when the driver does not answer. */
static char *identity_of(const device_entry *entry, const assembled *source, const char *options) {
    text out = {0};
    put_device(entry, &out);
    text_printf(&out, "%s\n%zu bytes of source\n", options, source->length);
    put_environment(&out);
    return text_take(&out);
}

static XXH128_hash_t hash_of(const char *identity, const assembled *source) {
    const XXH128_hash_t parts[] = {XXH3_128bits(identity, strlen(identity)), XXH3_128bits(source->text, source->length)};
    return XXH3_128bits(parts, sizeof parts);
}

/* False when there is no cache. */
static bool find_key(const device_entry *entry, const assembled *source, const char *options, cache_key *out) {
    const char *why;
    int folder = entry->quirks & QUIRK_NO_BINARY ? -1 : cache_folder_open(NULL, &why);
    if (folder < 0) {
        return false;
    }
    close(folder);
    out->identity = identity_of(entry, source, options);
    if (out->identity) {
        XXH128_hash_t hash = hash_of(out->identity, source);
        cache_file_name(hash.high64, hash.low64, out->name);
    }
    return out->identity;
}

/* ---- Loading -------------------------------------------------------------------------------------- */

static int by_driver_name(const void *a, const void *b) {
    return strcmp(((const kernel *)a)->driver_name, *(const char *const *)b);
}

/* Whether the driver finds the entry's kernels in the program, and no others. */
static bool has_kernels(const device_entry *entry, cl_program program, const cache_entry *cached) {
    size_t size = 0, found = 0;
    cl_int code;
    DRIVER(entry, code = clGetProgramInfo(program, CL_PROGRAM_KERNEL_NAMES, 0, NULL, &size));
    char *names = code == CL_SUCCESS ? calloc(1, size + 1) : NULL, *rest = NULL;
    if (!names) {
        return false;
    }
    DRIVER(entry, code = clGetProgramInfo(program, CL_PROGRAM_KERNEL_NAMES, size, names, NULL));
    bool same = code == CL_SUCCESS;
    for (char *name = strtok_r(names, ";", &rest); same && name; name = strtok_r(NULL, ";", &rest)) {
        same = false;
        for (size_t i = 0; i < cached->n_kernels && !same; i++) {
            same = by_driver_name(&cached->kernels[i], &name) == 0;
        }
        found++;
    }
    free(names);
    return same && found == cached->n_kernels;
}

/* The driver's program of a binary whose every byte has been verified; NULL when the driver does not want it. */
static cl_program program_of(const device *device, const cache_entry *cached, const char *options) {
    const device_entry *entry = device->entry;
    const unsigned char *binary = cached->binary;
    cl_program program;
    cl_int code, taken = CL_SUCCESS;
    DRIVER(entry, program = clCreateProgramWithBinary(device->cl, 1, &entry->id, &cached->binary_bytes, &binary, &taken, &code));
    if (!program) {
        return NULL;
    }
    DRIVER(entry, code = clBuildProgram(program, 1, &entry->id, options + strlen(BUILD_ARG_INFO), NULL, NULL));
    process_watch_exit(); /* a compiler's first run registers exit handlers */
    if (code == CL_SUCCESS && taken == CL_SUCCESS && has_kernels(entry, program, cached)) {
        return program;
    }
    DRIVER(entry, clReleaseProgram(program));
    return NULL;
}

/* Takes over the entry's kernels. NULL without memory, and the program is released. */
static build *build_of(const device_entry *entry, cl_program program, cache_entry *cached, const char *options) {
    build *made = build_new(entry);
    if (!made) {
        DRIVER(entry, clReleaseProgram(program));
        return NULL;
    }
    made->program = program;
    made->kernels = cached->kernels;
    made->n_kernels = cached->n_kernels;
    cached->kernels = NULL;
    cached->n_kernels = 0;
    for (size_t i = 0; i < made->n_kernels; i++) {
        made->kernels[i].program = program;
        made->kernels[i].entry = entry;
    }
    made->log = strdup(cached->log);
    made->options = strdup(options);
    if (!made->log || !made->options) {
        build_release(made);
        return NULL;
    }
    return made;
}

build *cache_build(const device *device, cache_entry *cached, const char *options) {
    cl_program program = program_of(device, cached, options);
    return program ? build_of(device->entry, program, cached, options) : NULL;
}

static build *read_build(const device *device, const cache_key *key, const char *options) {
    const char *why;
    text bytes = {0};
    cache_entry cached = {0};
    build *made = NULL;
    int folder = cache_folder_open(NULL, &why);
    if (folder >= 0 && cache_folder_read(folder, key->name, &bytes) && cache_entry_read(bytes.data, bytes.length, &cached) &&
        strcmp(cached.identity, key->identity) == 0) {
        made = cache_build(device, &cached, options);
    }
    cache_entry_free(&cached);
    text_free(&bytes);
    if (folder >= 0) {
        close(folder);
    }
    return made;
}

build *cache_load(device *device, const assembled *source, const char *options, cache_key *key) {
    error_copy saved;
    error_save(&saved);
    build *made = find_key(device->entry, source, options, key) ? read_build(device, key, options) : NULL;
    error_restore(&saved);
    return made;
}

/* ---- Storing -------------------------------------------------------------------------------------- */

unsigned char *cache_fetch_binary(const build *build, size_t *size_bytes) {
    unsigned char *binary = NULL;
    cl_int code;
    *size_bytes = 0;
    DRIVER(build->entry, code = clGetProgramInfo(build->program, CL_PROGRAM_BINARY_SIZES, sizeof *size_bytes, size_bytes, NULL));
    if (code == CL_SUCCESS && *size_bytes) {
        binary = malloc(*size_bytes);
    }
    if (binary) {
        DRIVER(build->entry, code = clGetProgramInfo(build->program, CL_PROGRAM_BINARIES, sizeof binary, &binary, NULL));
        if (code != CL_SUCCESS) {
            free(binary);
            binary = NULL;
        }
    }
    return binary;
}

static void write_build(device *device, build *build, const char *identity) {
    const char *why;
    text bytes = {0};
    size_t size = 0;
    int folder = cache_folder_open(NULL, &why);
    unsigned char *binary = folder >= 0 && !build_reflect(device, build) ? cache_fetch_binary(build, &size) : NULL;
    if (binary) {
        cache_entry_write(&(cache_entry){identity, build->log, binary, size, build->kernels, build->n_kernels}, &bytes);
        if (!bytes.failed) {
            cache_folder_write(folder, build->key.name, bytes.data, bytes.length);
        }
    }
    text_free(&bytes);
    free(binary);
    if (folder >= 0) {
        close(folder);
    }
}

/* Once, whoever comes first. */
static void store(device *device, build *build) {
    error_copy saved;
    pthread_mutex_lock(&build->lock);
    char *identity = build->key.identity;
    build->key.identity = NULL;
    pthread_mutex_unlock(&build->lock);
    if (identity && process_hold_exit()) {
        error_save(&saved);
        write_build(device, build, identity);
        error_restore(&saved);
        process_let_exit();
    }
    free(identity);
}

void cache_store(device *device, build *build) {
    if (!(build->entry->quirks & QUIRK_BINARY_AFTER_LAUNCH)) {
        store(device, build);
    }
}

void cache_store_launched(device *device, build *build) {
    for (size_t i = 0; i < build->n_kernels; i++) {
        if (atomic_load(&build->kernels[i].launched)) {
            store(device, build);
            return;
        }
    }
}
