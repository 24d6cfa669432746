#include "program/cache_folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* Of all entries together, unless WEFT_CACHE_LIMIT says otherwise, in bytes. */
#define LIMIT_BYTES ((uint64_t)512 << 20)

/* No entry is that large; a file that says so is not read. */
#define ENTRY_BYTES_MAX ((off_t)1 << 30)

/* A file that was being written so long ago was left behind. */
enum { ABANDONED_S = 3600 };

static const char suffix[] = ".weft", unfinished[] = ".part";

void cache_file_name(uint64_t high, uint64_t low, char out[CACHE_NAME_BYTES]) {
    snprintf(out, CACHE_NAME_BYTES, "%016" PRIx64 "%016" PRIx64 "%s", high, low, suffix);
}

/* ---- The folder ----------------------------------------------------------------------------------- */

static const char *environment(const char *name) {
    const char *value = secure_getenv(name);
    return value && *value ? value : NULL;
}

static bool is_off(void) {
    const char *value = environment("WEFT_CACHE");
    return value && strcmp(value, "0") == 0;
}

/* Its name, "" when the environment gives none. */
static void name_folder(char path[PATH_MAX]) {
    const char *own = environment("WEFT_CACHE_DIR"), *caches = environment("XDG_CACHE_HOME"), *home = environment("HOME");
    int length = own                        ? snprintf(path, PATH_MAX, "%s", own)
                 : caches && *caches == '/' ? snprintf(path, PATH_MAX, "%s/weft", caches)
                 : home && *home == '/'     ? snprintf(path, PATH_MAX, "%s/.cache/weft", home)
                                            : -1;
    if (length < 0 || length >= PATH_MAX) {
        *path = '\0';
    }
}

/* Makes a folder and those above it, of mode 0700 as far as they are new. */
static void make_folders(char *path) {
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(path, 0700);
        *slash = '/';
    }
    mkdir(path, 0700);
}

int cache_folder_open(char *out, const char **why) {
    char path[PATH_MAX];
    struct stat info;
    name_folder(path);
    if (out) {
        strcpy(out, path);
    }
    if (is_off()) {
        *why = "WEFT_CACHE is 0";
        return -1;
    }
    if (!*path) {
        *why = "neither WEFT_CACHE_DIR, XDG_CACHE_HOME nor HOME names a folder";
        return -1;
    }
    int folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0 && errno == ENOENT) {
        make_folders(path);
        folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    }
    *why = folder < 0 ? "the folder cannot be made or opened" : NULL;
    if (folder >= 0 && (fstat(folder, &info) != 0 || info.st_uid != geteuid())) {
        *why = "the folder belongs to another user";
    } else if (folder >= 0 && info.st_mode & (S_IWGRP | S_IWOTH)) {
        *why = "others may write to the folder";
    }
    if (*why && folder >= 0) {
        close(folder);
        return -1;
    }
    return folder;
}

/* ---- Reading -------------------------------------------------------------------------------------- */

static bool read_all(int file, size_t size, text *out) {
    char chunk[1 << 16];
    size_t before = out->length;
    for (;;) {
        ssize_t count = read(file, chunk, sizeof chunk);
        if (count < 0 && errno == EINTR) {
            continue;
        }
        if (count <= 0) {
            return count == 0 && out->length - before == size && !out->failed;
        }
        text_append(out, chunk, (size_t)count);
    }
}

static bool read_file(int folder, const char *name, text *out, bool is_use) {
    struct stat info;
    int file = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (file < 0) {
        return false;
    }
    bool read = fstat(file, &info) == 0 && S_ISREG(info.st_mode) && info.st_uid == geteuid() && info.st_size <= ENTRY_BYTES_MAX &&
                read_all(file, (size_t)info.st_size, out);
    if (read && is_use) {
        futimens(file, NULL); /* where that fails, it is let go of earlier */
    }
    close(file);
    return read;
}

bool cache_folder_peek(int folder, const char *name, text *out) { return read_file(folder, name, out, false); }
bool cache_folder_read(int folder, const char *name, text *out) { return read_file(folder, name, out, true); }

/* ---- Keeping below the limit ------------------------------------------------------------------------ */

static bool ends_in(const char *name, const char *end) {
    size_t length = strlen(name), end_length = strlen(end);
    return length > end_length && strcmp(name + length - end_length, end) == 0;
}

static int by_use(const void *a, const void *b) {
    const cache_file *first = a, *second = b;
    return first->used_ns < second->used_ns ? -1 : first->used_ns > second->used_ns;
}

/* A stream over the folder, apart from the descriptor. */
static DIR *open_stream(int folder) {
    int copy = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *stream = copy < 0 ? NULL : fdopendir(copy);
    if (!stream && copy >= 0) {
        close(copy);
    }
    return stream;
}

static void remove_abandoned(int folder, const char *name, const struct stat *info) {
    if (ends_in(name, unfinished) && info->st_mtim.tv_sec + ABANDONED_S < time(NULL)) {
        unlinkat(folder, name, 0);
    }
}

bool cache_folder_list(int folder, cache_file **out, size_t *count) {
    text files = {0};
    struct stat info;
    DIR *stream = open_stream(folder);
    *out = NULL;
    *count = 0;
    if (!stream) {
        return false;
    }
    errno = 0;
    for (struct dirent *entry; (entry = readdir(stream)); errno = 0) {
        cache_file file = {.used_ns = 0};
        if (fstatat(folder, entry->d_name, &info, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(info.st_mode)) {
            continue;
        }
        remove_abandoned(folder, entry->d_name, &info);
        if (ends_in(entry->d_name, suffix) && strlen(entry->d_name) < sizeof file.name) {
            strcpy(file.name, entry->d_name);
            file.size_bytes = (uint64_t)info.st_size;
            file.used_ns = (int64_t)info.st_mtim.tv_sec * 1000000000 + info.st_mtim.tv_nsec;
            text_append(&files, (const char *)&file, sizeof file);
        }
    }
    int error = files.failed ? ENOMEM : errno;
    closedir(stream);
    size_t length = files.length;
    cache_file *all = (cache_file *)(void *)text_take(&files);
    if (error || !all) {
        free(all);
        errno = all ? error : ENOMEM;
        return false;
    }
    *out = all;
    *count = length / sizeof **out;
    qsort(*out, *count, sizeof **out, by_use);
    return true;
}

uint64_t cache_folder_limit(void) {
    const char *value = environment("WEFT_CACHE_LIMIT");
    char *end = NULL;
    errno = 0;
    unsigned long long bytes = value ? strtoull(value, &end, 10) : 0;
    return value && *value != '-' && !*end && !errno ? bytes : LIMIT_BYTES;
}

static void evict(int folder) {
    cache_file *files;
    size_t count;
    uint64_t total = 0, limit = cache_folder_limit();
    if (!cache_folder_list(folder, &files, &count)) {
        return;
    }
    for (size_t i = 0; i < count; i++) {
        total += files[i].size_bytes;
    }
    /* Down to three quarters, so that this is not done at every write. */
    for (size_t i = 0, goal = total > limit ? limit / 4 * 3 : limit; total > goal && i < count; i++) {
        if (unlinkat(folder, files[i].name, 0) == 0) {
            total -= files[i].size_bytes;
        }
    }
    free(files);
}

/* ---- Writing -------------------------------------------------------------------------------------- */

static bool write_all(int file, const char *bytes, size_t size) {
    while (size > 0) {
        ssize_t count = write(file, bytes, size);
        if (count < 0 && errno == EINTR) {
            continue;
        }
        if (count <= 0) {
            return false;
        }
        bytes += count;
        size -= (size_t)count;
    }
    return true;
}

/* A name that no other process or thread writes to at the same time. */
static int create_unfinished(int folder, char name[64]) {
    struct timespec now;
    for (int i = 0; i < 16; i++) {
        clock_gettime(CLOCK_MONOTONIC, &now);
        snprintf(name, 64, "%ld-%ld-%lld%s", (long)getpid(), (long)gettid(), (long long)now.tv_sec * 1000000000 + now.tv_nsec,
                 unfinished);
        int file = openat(folder, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
        if (file >= 0 || errno != EEXIST) {
            return file;
        }
    }
    return -1;
}

bool cache_folder_write(int folder, const char *name, const char *bytes, size_t size) {
    char part[64];
    int file = create_unfinished(folder, part);
    if (file < 0) {
        return false;
    }
    bool written = write_all(file, bytes, size);
    written = close(file) == 0 && written; /* some file systems find out here that they are full */
    if (!written || renameat(folder, part, folder, name) != 0) {
        unlinkat(folder, part, 0);
        return false;
    }
    evict(folder);
    return true;
}
