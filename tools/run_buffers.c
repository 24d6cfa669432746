/* weft run: files into device buffers, and device buffers into files. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "run.h"

enum { CHUNK_BYTES = 16 << 20 }; /* of pinned memory, through which everything passes */

static bool failed(problem *problem, const char *path) { return problem_failure(problem, "%s: %s", path, strerror(errno)); }

/* ---- Opening --------------------------------------------------------------------------------------- */

/* Reads up to size bytes from offset on; fewer only at the file's end. -1 with errno set. */
static ssize_t read_at(int file, void *out, size_t size, size_t offset) {
    size_t done = 0;
    while (done < size) {
        ssize_t n = pread(file, (char *)out + done, size - done, (off_t)(offset + done));
        if (n == 0) {
            break;
        }
        if (n > 0) {
            done += (size_t)n;
        } else if (errno != EINTR) {
            return -1;
        }
    }
    return (ssize_t)done;
}

static bool read_header(argument *argument, problem *problem) {
    unsigned char *bytes = malloc(NPY_PARSED_BYTES);
    char reason[NPY_REASON_BYTES];
    ssize_t size = bytes ? read_at(argument->file, bytes, NPY_PARSED_BYTES, 0) : -1;
    bool ok = true;
    if (size < 0) {
        ok = failed(problem, argument->input);
    } else if (!npy_parse(bytes, (size_t)size, &argument->array, reason)) {
        ok = problem_failure(problem, "%s %s", argument->input, reason);
    }
    free(bytes);
    return ok;
}

/* Whether the file holds what its header says, before any memory is taken for it. */
static bool check_length(argument *argument, size_t file_bytes, problem *problem) {
    npy *array = &argument->array;
    size_t element = weft_dtype_size(array->dtype);
    if (argument->raw) {
        array->rank = 1;
        array->shape[0] = array->length = file_bytes / element;
        return file_bytes % element == 0 || problem_failure(problem, "%s has %zu bytes, which are no whole number of %s", argument->input,
                                                            file_bytes, weft_dtype_name(array->dtype));
    }
    size_t there = file_bytes > array->offset_bytes ? file_bytes - array->offset_bytes : 0;
    size_t expected;
    if (!__builtin_mul_overflow(array->length, element, &expected) && there == expected) {
        return true;
    }
    return problem_failure(problem, "%s has %zu bytes of data, but its header says %zu elements of %zu bytes", argument->input, there,
                           array->length, element);
}

bool buffer_open(argument *argument, problem *problem) {
    struct stat info;
    argument->file = open(argument->input, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* a pipe must not block */
    if (argument->file < 0 || fstat(argument->file, &info)) {
        return failed(problem, argument->input);
    }
    if (!S_ISREG(info.st_mode)) {
        return problem_failure(problem, "%s is %s, not a file", argument->input, S_ISDIR(info.st_mode) ? "a directory" : "a device or pipe");
    }
    return (argument->raw || read_header(argument, problem)) && check_length(argument, (size_t)info.st_size, problem);
}

/* ---- In -------------------------------------------------------------------------------------------- */

static bool make_chunk(weft_context *context, const npy *array, weft_host_buffer **out, problem *problem) {
    size_t most = CHUNK_BYTES / weft_dtype_size(array->dtype);
    return weft_enqueue_create_host_buffer(context, array->dtype, array->length < most ? array->length : most, out) == WEFT_OK ||
           problem_weft(problem);
}

static bool load_file(const argument *argument, weft_context *context, weft_host_buffer *chunk, problem *problem) {
    const npy *array = &argument->array;
    size_t element = weft_dtype_size(array->dtype), most = weft_host_buffer_length(chunk);
    for (size_t done = 0, n; done < array->length; done += n) {
        n = array->length - done < most ? array->length - done : most;
        ssize_t size = read_at(argument->file, weft_host_buffer_data(chunk), n * element, array->offset_bytes + done * element);
        if (size < 0) {
            return failed(problem, argument->input);
        }
        if ((size_t)size < n * element) {
            return problem_failure(problem, "%s became shorter while it was read", argument->input);
        }
        if (weft_enqueue_copy_range(context, argument->buffer, done, chunk, 0, n) || weft_synchronize(context)) {
            return problem_weft(problem);
        }
    }
    return true;
}

static bool fill_with_zeros(weft_device_buffer *buffer, problem *problem) {
    static const unsigned char zero = 0;
    return weft_enqueue_fill_bytes(buffer, 0, &zero, 1, weft_device_buffer_size_bytes(buffer)) == WEFT_OK || problem_weft(problem);
}

static bool load_contents(argument *argument, weft_context *context, problem *problem) {
    if (argument->role == ROLE_OUT) {
        return fill_with_zeros(argument->buffer, problem);
    }
    weft_host_buffer *chunk = NULL;
    bool ok = make_chunk(context, &argument->array, &chunk, problem) && load_file(argument, context, chunk, problem);
    weft_host_buffer_release(chunk);
    return ok;
}

bool buffer_load(argument *argument, weft_context *context, bool changes, problem *problem) {
    const npy *array = &argument->array;
    if (weft_enqueue_create_buffer(context, array->dtype, array->length, &argument->buffer)) {
        return problem_weft(problem);
    }
    if (!load_contents(argument, context, problem)) {
        return false;
    }
    if (!changes || argument->role == ROLE_OUT) {
        return true;
    }
    return (weft_enqueue_create_buffer(context, array->dtype, array->length, &argument->original) == WEFT_OK &&
            weft_enqueue_copy(context, argument->original, argument->buffer) == WEFT_OK) ||
           problem_weft(problem);
}

bool buffer_restore(const argument *argument, weft_context *context, problem *problem) {
    if (argument->role == ROLE_OUT) {
        return fill_with_zeros(argument->buffer, problem);
    }
    return !argument->original || weft_enqueue_copy(context, argument->buffer, argument->original) == WEFT_OK || problem_weft(problem);
}

/* ---- Out ------------------------------------------------------------------------------------------- */

static bool is_npy(const char *path) {
    size_t length = strlen(path);
    return length >= 4 && !strcmp(path + length - 4, ".npy");
}

/* The directory that path is in, with the slash; "" for the current one. */
static int directory_length(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? (int)(slash - path + 1) : 0;
}

/* Where path leads: what is behind a link, else the name in its directory. NULL with errno set. */
static char *resolve(const char *path) {
    char *target = realpath(path, NULL);
    if (target || errno != ENOENT) {
        return target;
    }
    int length = directory_length(path);
    char *directory = length ? strndup(path, (size_t)length) : strdup(".");
    char *whole = directory ? realpath(directory, NULL) : NULL;
    target = whole && asprintf(&target, "%s/%s", strcmp(whole, "/") ? whole : "", path + length) >= 0 ? target : NULL;
    free(whole);
    free(directory);
    return target;
}

bool buffer_check_result(argument *argument, problem *problem) {
    struct stat info;
    argument->target = resolve(argument->result);
    if (!argument->target || (stat(argument->target, &info) && errno != ENOENT)) {
        return failed(problem, argument->result);
    }
    if (stat(argument->target, &info) == 0 && !S_ISREG(info.st_mode)) {
        return problem_failure(problem, "%s is %s, which no result replaces", argument->result,
                               S_ISDIR(info.st_mode) ? "a directory" : "a device or pipe");
    }
    char *directory = strndup(argument->target, (size_t)directory_length(argument->target));
    bool ok = directory && access(directory, W_OK | X_OK) == 0;
    free(directory);
    return ok || problem_failure(problem, "%s cannot be written in its directory: %s", argument->result, strerror(errno));
}

/* Makes a new file beside path; its name replaces temporary. -1 with errno set. */
static int create_beside(const char *path, char temporary[PATH_MAX]) {
    int file = -1;
    errno = EEXIST;
    for (int i = 0; i < 100 && file < 0 && errno == EEXIST; i++) {
        if (snprintf(temporary, PATH_MAX, "%.*s.weft-run-%ld-%d", directory_length(path), path, (long)getpid(), i) >= PATH_MAX) {
            errno = ENAMETOOLONG;
            return -1;
        }
        file = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    }
    return file;
}

static bool write_all(int file, const void *bytes, size_t size) {
    while (size > 0) {
        ssize_t n = write(file, bytes, size);
        if (n < 0 && errno != EINTR) {
            return false;
        }
        bytes = (const char *)bytes + (n > 0 ? n : 0);
        size -= n > 0 ? (size_t)n : 0;
    }
    return true;
}

static bool store_elements(const argument *argument, weft_context *context, int file, problem *problem) {
    const npy *array = &argument->array;
    weft_host_buffer *chunk = NULL;
    bool ok = make_chunk(context, array, &chunk, problem);
    size_t most = weft_host_buffer_length(chunk);
    for (size_t done = 0, n; ok && done < array->length; done += n) {
        n = array->length - done < most ? array->length - done : most;
        if (weft_enqueue_copy_range(context, chunk, 0, argument->buffer, done, n) || weft_synchronize(context)) {
            ok = problem_weft(problem);
        } else if (!write_all(file, weft_host_buffer_data(chunk), n * weft_dtype_size(array->dtype))) {
            ok = failed(problem, argument->result);
        }
    }
    weft_host_buffer_release(chunk);
    return ok;
}

static bool store_header(const argument *argument, int file, problem *problem) {
    unsigned char header[NPY_WRITTEN_BYTES];
    return !is_npy(argument->result) || write_all(file, header, npy_write(&argument->array, header)) || failed(problem, argument->result);
}

bool buffer_store(const argument *argument, weft_context *context, problem *problem) {
    char temporary[PATH_MAX];
    int file = create_beside(argument->target, temporary);
    if (file < 0) {
        return failed(problem, argument->result);
    }
    bool ok = store_header(argument, file, problem) && store_elements(argument, context, file, problem);
    if (close(file) && ok) {
        ok = failed(problem, argument->result);
    }
    if (ok && rename(temporary, argument->target)) {
        ok = failed(problem, argument->result);
    }
    if (!ok) {
        unlink(temporary);
    }
    return ok;
}
