#include "program/cache.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

#include "program/binary.h"
#include "program/cache_folder.h"

extern char **environ;

/* ---- What a build depends on besides its text ------------------------------------------------------- */

/* Settings of drivers' compilers start so; these do not change what they make. */
static const char *const settings[] = {"POCL_", "LP_", "GALLIVM_", "RUSTICL_", "CLC_", "MESA_", "NV_", "CUDA_", "IGC_",
                                       "AMD_", "LLVM_"};
static const char *const harmless[] = {"POCL_CACHE_DIR=", "POCL_DEVICES=", "RUSTICL_ENABLE=", "CUDA_VISIBLE_DEVICES=",
                                       "CUDA_CACHE_PATH=", "MESA_SHADER_CACHE_DIR="};

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

/* In lines; the caller frees it. NULL without memory, or when the driver does not answer. */
static char *identity_of(const device_entry *entry, const assembled *source, const char *options) {
    char *device = NULL;
    text out = {0};
    if (binary_identity(entry, &device)) {
        return NULL;
    }
    text_printf(&out, "%s%s\n%zu bytes of source\n", device, options, source->length);
    free(device);
    put_environment(&out);
    return text_take(&out);
}

static XXH128_hash_t hash_of(const char *identity, const assembled *source) {
    const XXH128_hash_t parts[] = {XXH3_128bits(identity, strlen(identity)), XXH3_128bits(source->text, source->length)};
    return XXH3_128bits(parts, sizeof parts);
}

static bool find_key(const device_entry *entry, const assembled *source, const char *options, cache_key *out) {
    out->identity = identity_of(entry, source, options);
    if (out->identity) {
        XXH128_hash_t hash = hash_of(out->identity, source);
        cache_file_name(hash.high64, hash.low64, out->name);
    }
    return out->identity;
}

/* ---- Loading -------------------------------------------------------------------------------------- */

static build *read_build(const device *device, int folder, const cache_key *key, const char *options) {
    text bytes = {0};
    cache_entry cached = {0};
    build *made = NULL;
    if (cache_folder_read(folder, key->name, &bytes) && cache_entry_read(bytes.data, bytes.length, &cached) &&
        strcmp(cached.identity, key->identity) == 0) {
        WEFT_IGNORE(binary_build(device, &cached, options, &made));
    }
    cache_entry_free(&cached);
    text_free(&bytes);
    return made;
}

build *cache_load(device *device, const assembled *source, const char *options, cache_key *key) {
    const char *why;
    build *made = NULL;
    error_copy saved;
    int folder = device->entry->quirks & QUIRK_NO_BINARY ? -1 : cache_folder_open(NULL, &why);
    if (folder < 0) {
        return NULL;
    }
    error_save(&saved);
    if (find_key(device->entry, source, options, key)) {
        made = read_build(device, folder, key, options);
    }
    error_restore(&saved);
    close(folder);
    return made;
}

/* ---- Storing -------------------------------------------------------------------------------------- */

static void write_build(device *device, build *build, const char *identity) {
    const char *why;
    text bytes = {0};
    size_t size;
    unsigned char *binary = NULL;
    int folder = cache_folder_open(NULL, &why);
    if (folder >= 0 && !build_reflect(device, build) && !binary_fetch(build, &binary, &size)) {
        cache_entry_write(&(cache_entry){.identity = identity, .log = build->log, .binary = binary, .binary_bytes = size,
                                      .kernels = build->kernels, .n_kernels = build->n_kernels}, &bytes);
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
