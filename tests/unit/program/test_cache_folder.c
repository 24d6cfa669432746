/* The folder of the disk cache: C51, what a hostile or broken one may do, its limit, and the public view of it. */
#include <fcntl.h>

#include <weft/cache.h>

#include "cache_scene.h"
#include "program/cache_folder.h"

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

/* ---- The limit ------------------------------------------------------------------------------------- */

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

TESTS(c51_no_usable_folder, c51_folder_removed_between_builds, folder_that_others_may_write_to,
      folder_and_file_of_another_user, used_longest_ago_goes_first, abandoned_files_go, public_view)
