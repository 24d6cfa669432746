/* The disk cache: cases C45 to C53 from public reports, and what a hostile or broken folder may do. */
#include <dirent.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <weft/cache.h>

#include "program/cache_entry.h"
#include "program/cache_folder.h"
#include "support.h"

extern char **environ;

static const char source[] = "typedef struct { short a; int b; } pair;\n"
                             "kernel void k(global int *out, float2 v, pair p, local int *scratch) { out[0] = N + p.b; }\n";

/* ---- A folder for each test -------------------------------------------------------------------------- */

static char folder[64], before[256];

static const char *in_folder(const char *name) {
    static char path[512];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static void empty_folder(void) {
    DIR *stream = opendir(folder);
    for (struct dirent *entry; stream && (entry = readdir(stream));) {
        if (*entry->d_name != '.' && unlink(in_folder(entry->d_name)) != 0) rmdir(in_folder(entry->d_name));
    }
    if (stream) closedir(stream);
}

static void close_folder(void) {
    empty_folder();
    rmdir(folder);
    setenv("WEFT_CACHE_DIR", before, 1);
    unsetenv("WEFT_CACHE_LIMIT");
}

static void open_folder(void) {
    strcpy(folder, "/tmp/weft-cache-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(before, sizeof before, "%s", getenv("WEFT_CACHE_DIR") ? getenv("WEFT_CACHE_DIR") : "");
    setenv("WEFT_CACHE_DIR", folder, 1);
}

/* How many files, and the one there is. */
static size_t count_files(char name[64]) {
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

static const char *only_file(void) {
    static char name[64];
    ck_assert_uint_eq(count_files(name), 1);
    return in_folder(name);
}

static ino_t inode(const char *path) {
    struct stat info;
    ck_assert_int_eq(stat(path, &info), 0);
    return info.st_ino;
}

/* ---- Compiling as a new process would ---------------------------------------------------------------- */

typedef struct options {
    const char *text;
    int n;
    const char *include_dir;
} options;

/* With a context of its own, so that nothing is remembered; checks the parameters, and returns what the kernel stored. */
static int compile_on(const weft_context_options *where, options o) {
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
    weft_compile_options compile = {.defines = defines, .n_defines = 1, .include_dirs = &o.include_dir, .n_include_dirs = o.include_dir ? 1 : 0};
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

static int compile(int n) { return compile_on(NULL, (options){.n = n}); }

#define NEEDS_CACHE()                                                                          \
    do {                                                                                       \
        if (on_driver("oclgrind")) SKIP("Oclgrind's programs are compiled from source always"); \
    } while (0)

/* ---- Hits and misses ------------------------------------------------------------------------------------ */

START_TEST(a_build_is_kept_and_found) {
    NEEDS_CACHE();
    open_folder();
    ck_assert_int_eq(compile(7), 7);
    const ino_t kept = inode(only_file());
    struct stat info;
    ck_assert_int_eq(stat(only_file(), &info), 0);
    ck_assert_uint_eq(info.st_mode & 0777, 0600);
    const struct timespec long_ago[2] = {{1000, 0}, {1000, 0}};
    ck_assert_int_eq(utimensat(AT_FDCWD, only_file(), long_ago, 0), 0);
    ck_assert_int_eq(compile(7), 7);
    ck_assert_uint_eq(inode(only_file()), kept);
    ck_assert_int_eq(stat(only_file(), &info), 0);
    ck_assert_int_gt(info.st_mtim.tv_sec, 1000); /* its use was noted */
    close_folder();
}
END_TEST

/* What macros of weft.clh make of a kernel's parameters is in the entry, too. */
START_TEST(tensors_and_assertions_are_kept) {
    static const char text[] = "#include <weft.clh>\n"
                               "kernel void k(int n, TENSOR2_ROWS(int, a), WEFT_ASSERTS) { weft_assert(n < 9); TENSOR_AT(a, 1, 1) = n; }\n";
    NEEDS_CACHE();
    open_folder();
    for (int i = 8; i < 10; i++) {
        weft_context *context = NULL;
        weft_function *function = NULL;
        weft_device_buffer *buffer = NULL;
        weft_arg_info info;
        weft_tensor tensor;
        int32_t out[6] = {0};
        OK(weft_context_create(NULL, &context));
        OK(weft_compile_function(context, text, "k", NULL, &function));
        ck_assert_uint_eq(weft_function_arg_count(function), 2);
        OK(weft_function_arg_info(function, 1, &info));
        ck_assert(info.kind == WEFT_PARAM_TENSOR && info.rank == 2 && info.is_rows && !strcmp(info.name, "a"));
        OK(weft_enqueue_create_buffer(context, WEFT_INT32, 6, &buffer));
        OK(weft_tensor_row_major(buffer, WEFT_SHAPE(2, 3), &tensor));
        OK(weft_enqueue_function(context, function, 1, 1, i, tensor));
        weft_status status = weft_synchronize(context);
        ck_assert_int_eq(status, i == 8 ? WEFT_OK : WEFT_ERROR_EXECUTION_FAILED);
        OK(weft_enqueue_copy(context, out, buffer));
        OK(weft_synchronize(context));
        ck_assert_int_eq(out[4], i);
        weft_device_buffer_release(buffer);
        weft_function_release(function);
        weft_context_release(context);
        only_file();
    }
    close_folder();
}
END_TEST

START_TEST(off_means_off) {
    char name[64];
    open_folder();
    setenv("WEFT_CACHE", "0", 1);
    ck_assert_int_eq(compile(7), 7);
    ck_assert_uint_eq(count_files(name), 0);
    unsetenv("WEFT_CACHE");
    close_folder();
}
END_TEST

/* ---- C45, C48: what is in the key ------------------------------------------------------------------------- */

static void write_file(const char *path, const void *bytes, size_t size) {
    FILE *file = fopen(path, "wb");
    ck_assert_ptr_nonnull(file);
    ck_assert_uint_eq(fwrite(bytes, 1, size, file), size);
    ck_assert_int_eq(fclose(file), 0);
}

START_TEST(c45_changed_header) {
    static const char text[] = "#include \"v.h\"\ntypedef struct { short a; int b; } pair;\n"
                               "kernel void k(global int *out, float2 v, pair p, local int *s) { out[0] = V + p.b; }\n";
    char headers[] = "/tmp/weft-headers-XXXXXX", path[64];
    open_folder();
    ck_assert_ptr_nonnull(mkdtemp(headers));
    snprintf(path, sizeof path, "%s/v.h", headers);
    const struct timespec same[2] = {{5000, 0}, {5000, 0}};
    for (int v = 1; v <= 2; v++) {
        char header[32];
        snprintf(header, sizeof header, "#define V %d\n", v);
        write_file(path, header, strlen(header));
        ck_assert_int_eq(utimensat(AT_FDCWD, path, same, 0), 0);
        for (int i = 0; i < 2; i++) ck_assert_int_eq(compile_on(NULL, (options){.text = text, .include_dir = headers}), v);
    }
    unlink(path);
    rmdir(headers);
    close_folder();
}
END_TEST

START_TEST(c48_each_value_of_a_macro) {
    char name[64];
    open_folder();
    for (int i = 0; i < 10; i++) ck_assert_int_eq(compile(1 + i % 2), 1 + i % 2);
    if (!on_driver("oclgrind")) ck_assert_uint_eq(count_files(name), 2);
    close_folder();
}
END_TEST

/* ---- C47, C53: an entry of another driver, of another program ----------------------------------------------- */

static text read_file(const char *path) {
    text bytes = {0};
    char chunk[4096];
    FILE *file = fopen(path, "rb");
    ck_assert_ptr_nonnull(file);
    for (size_t count; (count = fread(chunk, 1, sizeof chunk, file)) > 0;) text_append(&bytes, chunk, count);
    fclose(file);
    ck_assert(!bytes.failed);
    return bytes;
}

/* Rewrites the entry at path, whole and with a right checksum, with that identity or that binary. */
static void alter_entry(const char *path, const char *identity, const cache_entry *other) {
    text bytes = read_file(path), altered = {0};
    cache_entry entry;
    ck_assert(cache_entry_read(bytes.data, bytes.length, &entry));
    cache_entry changed = entry;
    if (identity) changed.identity = identity;
    if (other) {
        changed.binary = other->binary;
        changed.binary_bytes = other->binary_bytes;
    }
    cache_entry_write(&changed, &altered);
    write_file(path, altered.data, altered.length);
    cache_entry_free(&entry);
    text_free(&bytes);
    text_free(&altered);
}

START_TEST(c47_entry_of_another_driver) {
    NEEDS_CACHE();
    open_folder();
    ck_assert_int_eq(compile(7), 7);
    alter_entry(only_file(), "weft 0.0.1, format 0\nanother driver\n", NULL);
    const ino_t foreign = inode(only_file());
    ck_assert_int_eq(compile(7), 7);
    ck_assert_uint_ne(inode(only_file()), foreign);
    close_folder();
}
END_TEST

START_TEST(c47_settings_of_the_compiler) {
    char name[64];
    NEEDS_CACHE();
    open_folder();
    ck_assert_int_eq(compile(7), 7);
    setenv("LP_NATIVE_VECTOR_WIDTH", "128", 1);
    ck_assert_int_eq(compile(7), 7);
    unsetenv("LP_NATIVE_VECTOR_WIDTH");
    ck_assert_uint_eq(count_files(name), 2);
    close_folder();
}
END_TEST

/* A whole entry whose binary is that of a program with another kernel. */
START_TEST(c53_binary_of_another_program) {
    NEEDS_CACHE();
    weft_context *context = NULL;
    weft_function *other = NULL;
    weft_device_buffer *buffer = NULL;
    open_folder();
    OK(weft_context_create(NULL, &context));
    OK(weft_compile_function(context, "kernel void other(global int *x) { x[0] = 1; }", "other", NULL, &other));
    OK(weft_enqueue_create_buffer(context, WEFT_INT32, 1, &buffer));
    OK(weft_enqueue_function(context, other, 1, 1, buffer));
    OK(weft_synchronize(context));
    weft_device_buffer_release(buffer);
    weft_function_release(other);
    weft_context_release(context);
    text bytes = read_file(only_file());
    cache_entry entry;
    ck_assert(cache_entry_read(bytes.data, bytes.length, &entry));
    empty_folder();

    ck_assert_int_eq(compile(7), 7);
    alter_entry(only_file(), NULL, &entry);
    const ino_t foreign = inode(only_file());
    ck_assert_int_eq(compile(7), 7);
    ck_assert_uint_ne(inode(only_file()), foreign);
    cache_entry_free(&entry);
    text_free(&bytes);
    close_folder();
}
END_TEST

/* ---- C49: damage ------------------------------------------------------------------------------------------------ */

START_TEST(c49_damaged_entries) {
    NEEDS_CACHE();
    char path[512];
    open_folder();
    ck_assert_int_eq(compile(7), 7);
    strcpy(path, only_file());
    text whole = read_file(path);
    for (int damage = 0; damage < 8; damage++) {
        text bytes = {0};
        text_append(&bytes, whole.data, whole.length);
        size_t size = bytes.length;
        switch (damage) {
        case 0: size = 0; break;
        case 1: size /= 2; break;
        case 2: memset(bytes.data, 0x5a, size); break;
        case 3: bytes.data[size / 2] ^= 1; break;
        case 4: bytes.data[8] ^= 1; break; /* the format */
        case 5: bytes.data[size - 1] ^= 0x80; break;
        case 6: size -= 1; break;
        case 7: text_append(&bytes, "x", 1), size++; break;
        }
        write_file(path, bytes.data, size);
        const ino_t damaged = inode(path);
        ck_assert_int_eq(compile(7), 7);
        ck_assert_uint_ne(inode(path), damaged);
        text_free(&bytes);
        bytes = read_file(path);
        cache_entry entry;
        ck_assert_msg(cache_entry_read(bytes.data, bytes.length, &entry), "not repaired after damage %d", damage);
        cache_entry_free(&entry);
        text_free(&bytes);
    }
    text_free(&whole);
    close_folder();
}
END_TEST

START_TEST(c49_no_file_where_the_entry_should_be) {
    NEEDS_CACHE();
    char path[512], elsewhere[] = "/tmp/weft-elsewhere-XXXXXX";
    open_folder();
    ck_assert_int_eq(compile(7), 7);
    strcpy(path, only_file());
    text bytes = read_file(path);

    unlink(path);
    ck_assert_int_eq(mkdir(path, 0700), 0);
    ck_assert_int_eq(compile(7), 7);
    rmdir(path);

    ck_assert_int_eq(mkfifo(path, 0600), 0);
    ck_assert_int_eq(compile(7), 7); /* and does not wait for a writer */

    const int file = mkstemp(elsewhere); /* a link is not followed, and what it points to stays */
    ck_assert_int_eq(write(file, bytes.data, bytes.length), bytes.length);
    close(file);
    unlink(path);
    ck_assert_int_eq(symlink(elsewhere, path), 0);
    ck_assert_int_eq(compile(7), 7);
    struct stat info;
    ck_assert_int_eq(lstat(path, &info), 0);
    ck_assert(S_ISREG(info.st_mode));
    ck_assert_int_eq(stat(elsewhere, &info), 0);
    unlink(elsewhere);
    text_free(&bytes);
    close_folder();
}
END_TEST

/* ---- C51: folders that cannot be used ------------------------------------------------------------------------------ */

static void expect_no_folder(void) {
    const char *why = NULL;
    ck_assert_int_lt(cache_folder_open(NULL, &why), 0);
    ck_assert_ptr_nonnull(why);
    ck_assert_int_eq(compile(7), 7);
}

START_TEST(c51_no_usable_folder) {
    char home[256], caches[256], name[64];
    open_folder();
    snprintf(home, sizeof home, "%s", getenv("HOME") ? getenv("HOME") : "/");
    snprintf(caches, sizeof caches, "%s", getenv("XDG_CACHE_HOME") ? getenv("XDG_CACHE_HOME") : "");
    write_file(in_folder("file"), "", 0);
    char inside[600];
    snprintf(inside, sizeof inside, "%s/below", in_folder("file"));
    static const char *const bad[] = {"/proc/none/x", "/dev/null"};
    for (int i = 0; i < 3; i++) {
        setenv("WEFT_CACHE_DIR", i < 2 ? bad[i] : inside, 1);
        expect_no_folder();
    }
    unsetenv("WEFT_CACHE_DIR");
    setenv("XDG_CACHE_HOME", "relative", 1);
    setenv("HOME", "", 1);
    expect_no_folder();
    unsetenv("HOME");
    expect_no_folder();
    setenv("HOME", "/proc/none", 1);
    expect_no_folder();
    ck_assert_int_ne(access("relative", F_OK), 0);

    setenv("HOME", home, 1);
    *caches ? setenv("XDG_CACHE_HOME", caches, 1) : unsetenv("XDG_CACHE_HOME");
    setenv("WEFT_CACHE_DIR", folder, 1);
    ck_assert_uint_eq(count_files(name), 1);
    close_folder();
}
END_TEST

START_TEST(c51_folder_removed_between_builds) {
    open_folder();
    ck_assert_int_eq(compile(7), 7);
    empty_folder();
    ck_assert_int_eq(rmdir(folder), 0);
    ck_assert_int_eq(compile(8), 8);
    ck_assert_int_eq(compile(7), 7);
    struct stat info;
    if (!on_driver("oclgrind")) {
        ck_assert_int_eq(stat(folder, &info), 0);
        ck_assert_uint_eq(info.st_mode & 0777, 0700);
    }
    close_folder();
}
END_TEST

START_TEST(folder_that_others_may_write_to) {
    char name[64];
    open_folder();
    ck_assert_int_eq(chmod(folder, 0777), 0);
    expect_no_folder();
    ck_assert_int_eq(chmod(folder, 0720), 0);
    expect_no_folder();
    ck_assert_uint_eq(count_files(name), 0);
    ck_assert_int_eq(chmod(folder, 0700), 0);
    close_folder();
}
END_TEST

START_TEST(folder_and_file_of_another_user) {
    NEEDS_CACHE();
    if (geteuid() != 0) SKIP("only root can give files away");
    open_folder();
    ck_assert_int_eq(compile(7), 7);
    ck_assert_int_eq(chown(only_file(), 12345, 12345), 0);
    const ino_t foreign = inode(only_file());
    ck_assert_int_eq(compile(7), 7);
    ck_assert_uint_ne(inode(only_file()), foreign);
    ck_assert_int_eq(chown(folder, 12345, 12345), 0);
    expect_no_folder();
    close_folder();
}
END_TEST

/* ---- C52: devices ------------------------------------------------------------------------------------------------------- */

START_TEST(c52_every_device_gets_its_own) {
    open_folder();
    for (int round = 0; round < 2; round++) {
        for (size_t id = 0; id < weft_number_of_devices("any"); id++) {
            ck_assert_int_eq(compile_on(&(weft_context_options){.api = "any", .device_id = (int)id}, (options){.n = 7}), 7);
        }
    }
    close_folder();
}
END_TEST

/* ---- Many processes, many entries ------------------------------------------------------------------------------------------ */

/* Run by other tests, in a process of its own. */
START_TEST(child_compiles) {
    ck_assert_int_eq(compile(7), 7);
}
END_TEST

START_TEST(many_processes_start_cold) {
    enum { PROCESSES = 32 };
    char *argv[] = {(char *)(uintptr_t)"test_cache", NULL}, name[64];
    pid_t children[PROCESSES];
    const int n = (int)test_size(PROCESSES, 4);
    open_folder();
    size_t variables = 0;
    while (environ[variables]) variables++;
    char **own = calloc(variables + 3, sizeof *own);
    ck_assert_ptr_nonnull(own);
    own[0] = (char *)(uintptr_t)"WEFT_TEST_ONLY=test_cache:child_compiles"; /* the first of a name counts */
    own[1] = (char *)(uintptr_t)"CK_TAP_LOG_FILE_NAME=/dev/null";
    memcpy(own + 2, environ, variables * sizeof *own);
    posix_spawn_file_actions_t silent;
    posix_spawn_file_actions_init(&silent);
    posix_spawn_file_actions_addopen(&silent, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    for (int i = 0; i < n; i++) ck_assert_int_eq(posix_spawn(&children[i], "/proc/self/exe", &silent, NULL, argv, own), 0);
    for (int i = 0; i < n; i++) {
        int status = -1;
        ck_assert_int_eq(waitpid(children[i], &status, 0), children[i]);
        ck_assert_int_eq(status, 0);
    }
    posix_spawn_file_actions_destroy(&silent);
    free(own);
    if (!on_driver("oclgrind")) {
        ck_assert_uint_eq(count_files(name), 1);
        text bytes = read_file(in_folder(name));
        cache_entry entry;
        ck_assert(cache_entry_read(bytes.data, bytes.length, &entry));
        cache_entry_free(&entry);
        text_free(&bytes);
    }
    close_folder();
}
END_TEST

START_TEST(used_longest_ago_goes_first) {
    char names[4][CACHE_NAME_BYTES], bytes[1000] = {0};
    const char *why = NULL;
    open_folder();
    const int fd = cache_folder_open(NULL, &why);
    ck_assert_int_ge(fd, 0);
    setenv("WEFT_CACHE_LIMIT", "3500", 1);
    for (int i = 0; i < 4; i++) {
        cache_file_name(1, (uint64_t)i, names[i]);
        if (i < 3) {
            ck_assert(cache_folder_write(fd, names[i], bytes, sizeof bytes));
            const struct timespec used[2] = {{1000 + i, 0}, {1000 + i, 0}};
            ck_assert_int_eq(utimensat(fd, names[i], used, 0), 0);
        }
    }
    text read = {0};
    ck_assert(cache_folder_read(fd, names[0], &read)); /* now the second is the one used longest ago */
    ck_assert_uint_eq(read.length, sizeof bytes);
    ck_assert(cache_folder_write(fd, names[3], bytes, sizeof bytes)); /* 4000 bytes: down to 2625 or fewer */
    ck_assert_int_eq(access(in_folder(names[0]), F_OK), 0);
    ck_assert_int_ne(access(in_folder(names[1]), F_OK), 0);
    ck_assert_int_ne(access(in_folder(names[2]), F_OK), 0);
    ck_assert_int_eq(access(in_folder(names[3]), F_OK), 0);
    text_free(&read);
    close(fd);
    close_folder();
}
END_TEST

/* What a process that was killed left behind goes after an hour. */
START_TEST(abandoned_files_go) {
    const char *why = NULL;
    cache_file *files = NULL;
    size_t count = 1;
    open_folder();
    const int fd = cache_folder_open(NULL, &why);
    write_file(in_folder("1-1-1.part"), "x", 1);
    write_file(in_folder("2-2-2.part"), "x", 1);
    write_file(in_folder("notes.txt"), "x", 1);
    const struct timespec old[2] = {{1000, 0}, {1000, 0}};
    ck_assert_int_eq(utimensat(fd, "1-1-1.part", old, 0), 0);
    ck_assert_int_eq(utimensat(fd, "notes.txt", old, 0), 0);
    ck_assert(cache_folder_list(fd, &files, &count));
    ck_assert_uint_eq(count, 0);
    ck_assert_int_ne(access(in_folder("1-1-1.part"), F_OK), 0);
    ck_assert_int_eq(access(in_folder("2-2-2.part"), F_OK), 0);
    ck_assert_int_eq(access(in_folder("notes.txt"), F_OK), 0);
    free(files);
    close(fd);
    close_folder();
}
END_TEST

/* ---- The public view --------------------------------------------------------------------------------------- */

typedef struct seen {
    size_t count, whole;
    char kernels[64], device[256];
    size_t most;
} seen;

static bool look(const weft_cache_entry *entry, void *user) {
    seen *s = user;
    s->count++;
    s->whole += entry->whole;
    ck_assert_uint_gt(entry->size_bytes, 0);
    if (entry->whole) {
        snprintf(s->kernels, sizeof s->kernels, "%s", entry->kernels);
        snprintf(s->device, sizeof s->device, "%s", entry->device);
    }
    return s->count < s->most;
}

START_TEST(public_view) {
    NEEDS_CACHE();
    weft_cache_info info;
    weft_device_info device;
    seen s = {.most = 10};
    size_t removed = 99;
    char name[64];
    open_folder();
    OK(weft_cache_get_info(&info));
    ck_assert_str_eq(info.folder, folder);
    ck_assert(!info.why_not && info.count == 0 && info.size_bytes == 0 && info.limit_bytes == (uint64_t)512 << 20);
    ck_assert_int_eq(compile(7), 7);
    write_file(in_folder("00000000000000000000000000000000.weft"), "damaged", 7);
    write_file(in_folder("notes.txt"), "x", 1);
    OK(weft_cache_visit(look, &s));
    ck_assert(s.count == 2 && s.whole == 1);
    ck_assert_str_eq(s.kernels, "k");
    OK(weft_device_get_info(NULL, 0, &device));
    ck_assert_str_eq(s.device, device.name);
    s = (seen){.most = 1};
    OK(weft_cache_visit(look, &s));
    ck_assert_uint_eq(s.count, 1);
    OK(weft_cache_get_info(&info));
    ck_assert_uint_eq(info.count, 2);
    ck_assert_uint_gt(info.size_bytes, 7);
    FAILS(WEFT_ERROR_INVALID_ARGUMENT, weft_cache_get_info(NULL));
    FAILS(WEFT_ERROR_INVALID_ARGUMENT, weft_cache_visit(NULL, NULL));
    OK(weft_cache_clear(&removed));
    ck_assert_uint_eq(removed, 2);
    ck_assert_uint_eq(count_files(name), 1);
    ck_assert_str_eq(name, "notes.txt");
    setenv("WEFT_CACHE", "0", 1);
    OK(weft_cache_get_info(&info));
    ck_assert_str_eq(info.why_not, "WEFT_CACHE is 0");
    OK(weft_cache_visit(look, &s));
    OK(weft_cache_clear(NULL));
    unsetenv("WEFT_CACHE");
    close_folder();
}
END_TEST

TESTS(child_compiles, a_build_is_kept_and_found, tensors_and_assertions_are_kept, off_means_off, c45_changed_header, c48_each_value_of_a_macro,
      c47_entry_of_another_driver, c47_settings_of_the_compiler, c53_binary_of_another_program, c49_damaged_entries,
      c49_no_file_where_the_entry_should_be, c51_no_usable_folder, c51_folder_removed_between_builds,
      folder_that_others_may_write_to, folder_and_file_of_another_user, c52_every_device_gets_its_own,
      many_processes_start_cold, used_longest_ago_goes_first, abandoned_files_go, public_view)
