/* What the tests of the disk cache share: a folder for each test, and compiling as a new process would. */
#ifndef TESTS_UNIT_CACHE_SCENE_H
#define TESTS_UNIT_CACHE_SCENE_H

#include <dirent.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support.h"

static const char source[] = "typedef struct { short a; int b; } pair;\n"
                             "kernel void k(global int *out, float2 v, pair p, local int *scratch) { out[0] = N + p.b; }\n";

/* ---- A folder for each test -------------------------------------------------------------------------- */

static char folder[64], before[256];

static inline const char *in_folder(const char *name) {
    static char path[512];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static inline void empty_folder(void) {
    DIR *stream = opendir(folder);
    for (struct dirent *entry; stream && (entry = readdir(stream));) {
        if (*entry->d_name != '.' && unlink(in_folder(entry->d_name)) != 0) rmdir(in_folder(entry->d_name));
    }
    if (stream) closedir(stream);
}

static inline void close_folder(void) {
    empty_folder();
    rmdir(folder);
    setenv("WEFT_CACHE_DIR", before, 1);
    unsetenv("WEFT_CACHE_LIMIT");
}

static inline void open_folder(void) {
    strcpy(folder, "/tmp/weft-cache-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(before, sizeof before, "%s", getenv("WEFT_CACHE_DIR") ? getenv("WEFT_CACHE_DIR") : "");
    setenv("WEFT_CACHE_DIR", folder, 1);
}

/* How many files, and the one there is. */
static inline size_t count_files(char name[64]) {
    size_t count = 0;
    DIR *stream = opendir(folder);
    ck_assert_ptr_nonnull(stream);
    for (struct dirent *entry; (entry = readdir(stream));) {
        if (*entry->d_name == '.') continue;
        ck_assert_uint_lt(strlen(entry->d_name), 64);
        strcpy(name, entry->d_name);
        count++;
    }
    closedir(stream);
    return count;
}

static inline const char *only_file(void) {
    static char name[64];
    ck_assert_uint_eq(count_files(name), 1);
    return in_folder(name);
}

static inline ino_t inode(const char *path) {
    struct stat info;
    ck_assert_int_eq(stat(path, &info), 0);
    return info.st_ino;
}

static inline void write_file(const char *path, const void *bytes, size_t size) {
    FILE *file = fopen(path, "wb");
    ck_assert_ptr_nonnull(file);
    ck_assert_uint_eq(fwrite(bytes, 1, size, file), size);
    ck_assert_int_eq(fclose(file), 0);
}

/* ---- Compiling as a new process would ---------------------------------------------------------------- */

typedef struct options {
    const char *text;
    int n;
    const char *include_dir, *cl_std;
} options;

/* With a context of its own, so that nothing is remembered; checks the parameters, and returns what the kernel stored. */
static inline int compile_on(const weft_context_options *where, options o) {
    char define[32];
    int32_t out = 0;
    const struct { int16_t a; int32_t b; } pair = {1, 1000};
    const float v[2] __attribute__((aligned(8))) = {1, 2};
    weft_context *context = NULL;
    weft_function *function = NULL;
    weft_device_buffer *buffer = NULL;
    weft_arg_info info;
    snprintf(define, sizeof define, "N=%d", o.n);
    const char *const defines[] = {define};
    weft_compile_options compile = {.defines = defines, .n_defines = 1, .include_dirs = &o.include_dir, .n_include_dirs = o.include_dir ? 1 : 0,
                                    .cl_std = o.cl_std};
    OK(weft_context_create(where, &context));
    OK(weft_compile_function(context, o.text ? o.text : source, "k", &compile, &function));
    ck_assert_uint_eq(weft_function_arg_count(function), 4);
    OK(weft_function_arg_info(function, 0, &info));
    ck_assert_str_eq(info.name, "out");
    ck_assert(info.kind == WEFT_PARAM_BUFFER && info.size_bytes == 4 && !info.is_const);
    OK(weft_function_arg_info(function, 2, &info));
    ck_assert_str_eq(info.type_name, "pair");
    ck_assert(info.kind == WEFT_PARAM_VALUE && info.size_bytes == 8 && info.alignment == 4);
    OK(weft_enqueue_create_buffer(context, WEFT_INT32, 1, &buffer));
    FAILS(WEFT_ERROR_TYPE_MISMATCH, weft_enqueue_function(context, function, 1, 1, buffer, WEFT_VALUE(v), WEFT_VALUE(v[0]), weft_shared_bytes(4)));
    SAYS("(p, pair)");
    OK(weft_enqueue_function(context, function, 1, 1, buffer, WEFT_VALUE(v), WEFT_VALUE(pair), weft_shared_bytes(4)));
    OK(weft_enqueue_copy(context, &out, buffer));
    OK(weft_synchronize(context));
    weft_device_buffer_release(buffer);
    weft_function_release(function);
    weft_context_release(context);
    return out - 1000;
}

static inline int compile(int n) { return compile_on(NULL, (options){.n = n}); }

#define NEEDS_CACHE()                                                                          \
    do {                                                                                       \
        if (on_driver("oclgrind")) SKIP("Oclgrind's programs are compiled from source always"); \
    } while (0)

#endif
