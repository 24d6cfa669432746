/* What the disk cache keeps and finds: cases C45 to C53 from public reports. */
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>

#include "cache_scene.h"
#include "program/cache_entry.h"

extern char **environ;

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

/* What is no macro reaches the compiler as an option. */
START_TEST(c48_each_standard) {
    static const char text[] = "typedef struct { short a; int b; } pair;\n"
                               "kernel void k(global int *out, float2 v, pair p, local int *s) { out[0] = __OPENCL_C_VERSION__ + p.b; }\n";
    static const char *const standards[] = {"CL1.1", "CL1.2"};
    open_folder();
    for (int i = 0; i < 6; i++) {
        const options o = {.text = text, .cl_std = standards[i % 2]};
        ck_assert_int_eq(compile_on(NULL, o), i % 2 ? 120 : 110);
    }
    close_folder();
}
END_TEST

/* PoCL's binary is final when it is first asked for, and worth more with what launches have compiled. */
START_TEST(kept_after_a_launch) {
    if (!on_driver("pocl")) SKIP("other drivers' binaries gain nothing from launches");
    static const char text[] = "kernel void one(global int *x) { x[0] = 1; }\n";
    weft_context *context = NULL;
    weft_function *one = NULL;
    weft_device_buffer *buffer = NULL;
    char name[64];
    open_folder();
    OK(weft_context_create(NULL, &context));
    OK(weft_compile_function(context, text, "one", NULL, &one));
    OK(weft_enqueue_create_buffer(context, WEFT_INT32, 1, &buffer));
    OK(weft_synchronize(context));
    ck_assert_uint_eq(count_files(name), 0);
    OK(weft_enqueue_function(context, one, 1, 1, buffer));
    OK(weft_synchronize(context));
    ck_assert_uint_eq(count_files(name), 1);
    weft_device_buffer_release(buffer);
    weft_function_release(one);
    weft_context_release(context);
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

TESTS(child_compiles, a_build_is_kept_and_found, tensors_and_assertions_are_kept, off_means_off, c45_changed_header,
      c48_each_value_of_a_macro, c48_each_standard, kept_after_a_launch, c47_entry_of_another_driver, c47_settings_of_the_compiler, c53_binary_of_another_program,
      c49_damaged_entries, c49_no_file_where_the_entry_should_be, c52_every_device_gets_its_own, many_processes_start_cold)
