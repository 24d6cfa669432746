/* What libweft.so calls in the C library, hooked.
 *
 * The hooks replace entries of the library's own table of imports. So only its calls fail and count, whatever
 * the drivers do meanwhile.
 */
#include <dirent.h>
#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <malloc.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fault.h"

/* Whether the call fails now; then errno says why. */
static bool fails(const char *call) {
    int code = fault_hit(FAULT_SYSTEM, call, 0);
    if (code) {
        errno = code == EINTR && fault_is_for_good() ? EIO : code; /* no signal interrupts for ever */
    }
    return code != 0;
}

/* ---- Memory --------------------------------------------------------------------------------------- */

/* Freed blocks wait here, filled with a pattern, so that commands still in flight find no memory of somebody
 * else's, and what they write is seen. */
enum { WAITING = 128, PATTERN = 0xDD, PATTERN_BYTES = 4096 };

static pthread_mutex_t waiting_lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned char *waiting[WAITING];
static unsigned oldest;

static size_t pattern_size(unsigned char *block) {
    size_t size = malloc_usable_size(block);
    return size < PATTERN_BYTES ? size : PATTERN_BYTES;
}

static void check_freed_locked(unsigned char *block) {
    size_t size = block ? pattern_size(block) : 0, at = 0;
    while (at < size && block[at] == PATTERN) {
        at++;
    }
    if (at < size) {
        ledger_note("a block of %zu bytes was written to at byte %zu after it was freed", malloc_usable_size(block), at);
        memset(block, PATTERN, size);
    }
}

void system_check_freed(void) {
    pthread_mutex_lock(&waiting_lock);
    for (unsigned i = 0; i < WAITING; i++) {
        check_freed_locked(waiting[i]);
    }
    pthread_mutex_unlock(&waiting_lock);
}

static void *made(void *block, const char *call) {
    if (block) {
        ledger_made(LEDGER_BLOCK, block, call);
    }
    return block;
}

static void *hook_malloc(size_t size) {
    return fails("malloc") ? NULL : made(malloc(size), "malloc");
}

static void *hook_calloc(size_t count, size_t size) {
    return fails("calloc") ? NULL : made(calloc(count, size), "calloc");
}

static void *hook_aligned_alloc(size_t alignment, size_t size) {
    return fails("aligned_alloc") ? NULL : made(aligned_alloc(alignment, size), "aligned_alloc");
}

static int hook_posix_memalign(void **out, size_t alignment, size_t size) {
    if (fails("posix_memalign")) {
        return errno;
    }
    int code = posix_memalign(out, alignment, size);
    made(code ? NULL : *out, "posix_memalign");
    return code;
}

static char *hook_strdup(const char *string) {
    return fails("strdup") ? NULL : made(strdup(string), "strdup");
}

static char *hook_strndup(const char *string, size_t size) {
    return fails("strndup") ? NULL : made(strndup(string, size), "strndup");
}

static void *hook_realloc(void *block, size_t size) {
    if (fails("realloc") || (block && !ledger_released(LEDGER_BLOCK, block))) {
        return NULL;
    }
    return made(realloc(block, size), "realloc");
}

static void hook_free(void *block) {
    if (!block || !ledger_released(LEDGER_BLOCK, block)) {
        return;
    }
    memset(block, PATTERN, pattern_size(block));
    pthread_mutex_lock(&waiting_lock);
    unsigned char *gone = waiting[oldest];
    check_freed_locked(gone);
    waiting[oldest] = block;
    oldest = (oldest + 1) % WAITING;
    pthread_mutex_unlock(&waiting_lock);
    free(gone);
}

void system_free(void *block) { hook_free(block); }

static void *hook_mmap(void *address, size_t size, int protection, int flags, int fd, off_t offset) {
    return fails("mmap") ? MAP_FAILED : mmap(address, size, protection, flags, fd, offset);
}

/* ---- Threads -------------------------------------------------------------------------------------- */

static int hook_pthread_create(pthread_t *out, const pthread_attr_t *attributes, void *(*start)(void *), void *argument) {
    return fails("pthread_create") ? errno : pthread_create(out, attributes, start, argument);
}

static int hook_pthread_key_create(pthread_key_t *out, void (*destroy)(void *)) {
    return fails("pthread_key_create") ? errno : pthread_key_create(out, destroy);
}

static int hook_pthread_setspecific(pthread_key_t key, const void *value) {
    return value && fails("pthread_setspecific") ? errno : pthread_setspecific(key, value);
}

/* ---- Files ---------------------------------------------------------------------------------------- */

static int hook_open(const char *path, int flags, ...) {
    va_list arguments;
    va_start(arguments, flags);
    mode_t mode = flags & O_CREAT ? va_arg(arguments, mode_t) : 0;
    va_end(arguments);
    int fd = fails("open") ? -1 : open(path, flags, mode);
    if (fd >= 0) {
        ledger_made(LEDGER_FILE, (const void *)(intptr_t)fd, "open");
    }
    return fd;
}

static int hook_openat(int folder, const char *path, int flags, ...) {
    va_list arguments;
    va_start(arguments, flags);
    mode_t mode = flags & O_CREAT ? va_arg(arguments, mode_t) : 0;
    va_end(arguments);
    int fd = fails("openat") ? -1 : openat(folder, path, flags, mode);
    if (fd >= 0) {
        ledger_made(LEDGER_FILE, (const void *)(intptr_t)fd, "openat");
    }
    return fd;
}

static int hook_close(int fd) {
    ledger_released(LEDGER_FILE, (const void *)(intptr_t)fd);
    return close(fd);
}

static ssize_t hook_read(int fd, void *out, size_t size) {
    return fails("read") ? -1 : read(fd, out, size);
}

static ssize_t hook_write(int fd, const void *data, size_t size) {
    return fails("write") ? -1 : write(fd, data, size);
}

static int hook_fstat(int fd, struct stat *out) {
    return fails("fstat") ? -1 : fstat(fd, out);
}

static int hook_mkdir(const char *path, mode_t mode) {
    return fails("mkdir") ? -1 : mkdir(path, mode);
}

static int hook_fstatat(int folder, const char *path, struct stat *out, int flags) {
    return fails("fstatat") ? -1 : fstatat(folder, path, out, flags);
}

static int hook_futimens(int fd, const struct timespec times[2]) {
    return fails("futimens") ? -1 : futimens(fd, times);
}

static int hook_renameat(int from_folder, const char *from, int to_folder, const char *to) {
    return fails("renameat") ? -1 : renameat(from_folder, from, to_folder, to);
}

static int hook_unlinkat(int folder, const char *path, int flags) {
    return fails("unlinkat") ? -1 : unlinkat(folder, path, flags);
}

static FILE *hook_fopen(const char *path, const char *mode) {
    FILE *stream = fails("fopen") ? NULL : fopen(path, mode);
    if (stream) {
        ledger_made(LEDGER_STREAM, stream, "fopen");
    }
    return stream;
}

static int hook_fclose(FILE *stream) {
    ledger_released(LEDGER_STREAM, stream);
    return fclose(stream);
}

static char *hook_fgets(char *out, int size, FILE *stream) {
    return fails("fgets") ? NULL : fgets(out, size, stream);
}

static size_t hook_fwrite(const void *data, size_t size, size_t count, FILE *stream) {
    return fails("fwrite") ? 0 : fwrite(data, size, count, stream);
}

static int hook_fflush(FILE *stream) {
    return fails("fflush") ? EOF : fflush(stream);
}

static DIR *hook_opendir(const char *path) {
    DIR *folder = fails("opendir") ? NULL : opendir(path);
    if (folder) {
        ledger_made(LEDGER_FOLDER, folder, "opendir");
    }
    return folder;
}

/* The stream has the descriptor from then on. */
static DIR *hook_fdopendir(int fd) {
    DIR *folder = fails("fdopendir") ? NULL : fdopendir(fd);
    if (folder) {
        ledger_released(LEDGER_FILE, (const void *)(intptr_t)fd);
        ledger_made(LEDGER_FOLDER, folder, "fdopendir");
    }
    return folder;
}

static struct dirent *hook_readdir(DIR *folder) {
    return fails("readdir") ? NULL : readdir(folder);
}

static int hook_closedir(DIR *folder) {
    ledger_released(LEDGER_FOLDER, folder);
    return closedir(folder);
}

static void *hook_dlopen(const char *path, int flags) {
    /* A real failure, since its text is what dlerror gives. */
    void *library = dlopen(fails("dlopen") ? "libno-such-library.so" : path, flags);
    if (library) {
        ledger_made(LEDGER_LIBRARY, library, "dlopen");
    }
    return library;
}

static int hook_dlclose(void *library) {
    ledger_released(LEDGER_LIBRARY, library);
    return dlclose(library);
}

/* ---- The table of imports ------------------------------------------------------------------------- */

#define HOOK(name) {#name, (uintptr_t)hook_##name}
#define HOOK_64(name) HOOK(name), {#name "64", (uintptr_t)hook_##name}

static const struct {
    const char *name;
    uintptr_t hook;
} hooks[] = {
    HOOK(malloc), HOOK(calloc), HOOK(realloc), HOOK(aligned_alloc), HOOK(posix_memalign), HOOK(free),
    HOOK(strdup), HOOK(strndup),
    HOOK_64(mmap), HOOK(pthread_create), HOOK(pthread_key_create), HOOK(pthread_setspecific),
    HOOK_64(open), HOOK_64(openat), HOOK(close), HOOK(read), HOOK(write), HOOK_64(fstat), HOOK_64(fstatat),
    HOOK(futimens), HOOK(mkdir), HOOK(renameat), HOOK(unlinkat),
    HOOK_64(fopen), HOOK(fclose), HOOK(fgets), HOOK(fwrite), HOOK(fflush),
    HOOK(opendir), HOOK(fdopendir), HOOK_64(readdir), HOOK(closedir), HOOK(dlopen), HOOK(dlclose),
};

/* The entries lie in memory that the loader has made read-only. */
static void replace(uintptr_t *slot, uintptr_t by) {
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), start = (uintptr_t)slot & ~(page - 1);
    if (mprotect((void *)start, page, PROT_READ | PROT_WRITE) != 0) {
        abort();
    }
    *slot = by;
}

/* What the dynamic section says of one kind of thing, 0 when nothing. */
static uintptr_t dynamic_value(const struct link_map *map, int64_t tag) {
    const ElfW(Dyn) *at = map->l_ld;
    while (at->d_tag != DT_NULL && at->d_tag != tag) {
        at++;
    }
    return at->d_tag == tag ? (uintptr_t)at->d_un.d_ptr : 0;
}

/* Goes over one table of relocations; returns an import from OpenCL that the layer does not cover. */
static const char *hook_table(const struct link_map *map, uintptr_t table, size_t size) {
    const char *uncovered = NULL;
    const ElfW(Sym) *symbols = (const void *)dynamic_value(map, DT_SYMTAB);
    const char *texts = (const void *)dynamic_value(map, DT_STRTAB);
    const ElfW(Rela) *at = (const void *)table, *end = at + size / sizeof *at;
    for (; at < end; at++) {
        const ElfW(Sym) *symbol = &symbols[ELF64_R_SYM(at->r_info)];
        const char *name = texts + symbol->st_name;
        if (symbol->st_shndx != SHN_UNDEF) {
            continue;
        }
        for (size_t i = 0; i < sizeof hooks / sizeof *hooks; i++) {
            if (strcmp(hooks[i].name, name) == 0) {
                replace((uintptr_t *)(map->l_addr + at->r_offset), hooks[i].hook);
            }
        }
        bool driver = name[0] == 'c' && name[1] == 'l' && name[2] >= 'A' && name[2] <= 'Z';
        if (driver && !layer_covers(name)) {
            uncovered = name;
        }
    }
    return uncovered;
}

const char *system_hook_library(void) {
    Dl_info info;
    struct link_map *map = NULL;
    if (!dladdr1(dlsym(RTLD_DEFAULT, "weft_version"), &info, (void **)&map, RTLD_DL_LINKMAP) || !map) {
        abort();
    }
    const char *data = hook_table(map, dynamic_value(map, DT_RELA), dynamic_value(map, DT_RELASZ));
    const char *calls = hook_table(map, dynamic_value(map, DT_JMPREL), dynamic_value(map, DT_PLTRELSZ));
    return data ? data : calls;
}
