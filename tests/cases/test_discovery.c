/* Cases from public reports, section I: which devices a process finds, and how much memory they grant.
 *
 * Drivers are found once in a process, so the tests that need other drivers ask a child, probe.c.
 */
#include <ctype.h>
#include <dirent.h>
#include <limits.h>
#include <spawn.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

extern char **environ;

/* ---- The child --------------------------------------------------------------------------------- */

static void probe_path(char *path, size_t size_bytes) {
    const char *given = getenv("WEFT_TEST_PROBE");
    char self[PATH_MAX] = "";
    ck_assert_int_gt(readlink("/proc/self/exe", self, sizeof self - 1), 0);
    *strrchr(self, '/') = 0;
    ck_assert_int_lt(snprintf(path, size_bytes, "%s%s", given ? given : self, given ? "" : "/probe"), (int)size_bytes);
    ck_assert_msg(access(path, X_OK) == 0, "%s is not there: build it or set WEFT_TEST_PROBE", path);
}

/* Whether the variable is among the changes, "NAME=VALUE" or, to unset it, "NAME". */
static bool is_changed(const char *variable, const char *const *changes) {
    const size_t length = strcspn(variable, "=");
    for (; *changes; changes++)
        if (strcspn(*changes, "=") == length && strncmp(*changes, variable, length) == 0) return true;
    return false;
}

typedef struct {
    char text[16384];
} answer;

/* Runs the probe in a changed environment and returns what it printed. It must not crash. */
static answer ask(const char *const *changes, const char *api, const char *id) {
    answer said = {""};
    char path[2 * PATH_MAX];
    const char *environment[1024];
    size_t count = 0, length = 0;
    int ends[2], status = 0;
    pid_t child = 0;
    ssize_t got;
    probe_path(path, sizeof path);
    environment[count++] = "LSAN_OPTIONS=detect_leaks=0"; /* whether drivers leak is not the question here */
    for (const char *const *change = changes; *change; change++)
        if (strchr(*change, '=')) environment[count++] = *change;
    for (char **variable = environ; *variable && count < COUNT(environment) - 1; variable++)
        if (!is_changed(*variable, changes) && strncmp(*variable, "LSAN_OPTIONS=", 13) != 0) environment[count++] = *variable;
    environment[count] = NULL;
    char *arguments[] = {path, (char *)(uintptr_t)api, (char *)(uintptr_t)id, NULL};

    posix_spawn_file_actions_t actions;
    ck_assert_int_eq(pipe(ends), 0);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_addclose(&actions, ends[0]);
    posix_spawn_file_actions_addclose(&actions, ends[1]);
    ck_assert_int_eq(posix_spawn(&child, path, &actions, NULL, arguments, (char **)(uintptr_t)environment), 0);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    while ((got = read(ends[0], said.text + length, sizeof said.text - 1 - length)) > 0) length += (size_t)got;
    close(ends[0]);
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == 0, "the probe ended with %d after: %s", status, said.text);
    return said;
}

static void expect_said(const answer *said, const char *text) {
    ck_assert_msg(strstr(said->text, text) != NULL, "no \"%s\" in: %s", text, said->text);
}

/* The answer without what follows its list of devices. */
static answer list_of(answer said) {
    char *context = strstr(said.text, "\ncontext "), *error = strstr(said.text, "\nerror ");
    if (context) context[1] = 0;
    if (error) error[1] = 0;
    return said;
}

/* ---- Sets of drivers --------------------------------------------------------------------------- */

#define MAX_DRIVERS 16

typedef struct {
    size_t count;
    char names[MAX_DRIVERS][512]; /* what the loader opens: a library's name or path */
} drivers;

/* The drivers that the .icd files of a folder name. */
static drivers drivers_of(const char *folder) {
    drivers set = {0, {""}};
    DIR *listing = opendir(folder);
    for (struct dirent *item; listing && set.count < MAX_DRIVERS && (item = readdir(listing));) {
        char path[PATH_MAX];
        const char *ending = strrchr(item->d_name, '.');
        FILE *file = NULL;
        snprintf(path, sizeof path, "%s/%s", folder, item->d_name);
        if (!ending || strcmp(ending, ".icd") != 0 || !(file = fopen(path, "r"))) continue;
        if (fgets(set.names[set.count], sizeof set.names[0], file)) {
            set.names[set.count][strcspn(set.names[set.count], "\r\n")] = 0;
            set.count++;
        }
        fclose(file);
    }
    if (listing) closedir(listing);
    return set;
}

/* The drivers that this process runs on; none when they come in a way that a folder cannot repeat. */
static drivers own_drivers(void) {
    const char *folder = getenv("OCL_ICD_VENDORS");
    return drivers_of(folder ? folder : "/etc/OpenCL/vendors");
}

/* libpocl.so.2 and /usr/lib/libpocl.so.2.10.0 are one. */
static bool same_library(const char *a, const char *b) {
    const char *base_a = strrchr(a, '/') ? strrchr(a, '/') + 1 : a, *base_b = strrchr(b, '/') ? strrchr(b, '/') + 1 : b;
    const char *end_a = strstr(base_a, ".so"), *end_b = strstr(base_b, ".so");
    return end_a && end_b && end_a - base_a == end_b - base_b && strncmp(base_a, base_b, (size_t)(end_a - base_a)) == 0;
}

/* What the machine has beside them. */
static drivers other_drivers(const drivers *own) {
    drivers installed = drivers_of("/etc/OpenCL/vendors"), others = {0, {""}};
    for (size_t i = 0; i < installed.count; i++) {
        bool known = false;
        for (size_t k = 0; k < own->count; k++) known = known || same_library(installed.names[i], own->names[k]);
        if (!known) strcpy(others.names[others.count++], installed.names[i]);
    }
    return others;
}

/* A folder of .icd files; end it with remove_folder. */
typedef struct {
    char path[64];
    char variable[96]; /* OCL_ICD_VENDORS=path */
    size_t files;
} icd_folder;

static icd_folder make_folder(void) {
    icd_folder folder = {"/tmp/weft-icd-XXXXXX", "", 0};
    ck_assert_ptr_nonnull(mkdtemp(folder.path));
    snprintf(folder.variable, sizeof folder.variable, "OCL_ICD_VENDORS=%s", folder.path);
    return folder;
}

static void add_file(icd_folder *folder, const char *name, const char *text) {
    char path[128];
    snprintf(path, sizeof path, "%s/%s", folder->path, name);
    FILE *file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    fprintf(file, "%s\n", text);
    fclose(file);
}

static void add_driver(icd_folder *folder, const char *library) {
    char name[32];
    snprintf(name, sizeof name, "%02zu.icd", folder->files++);
    add_file(folder, name, library);
}

static void add_drivers(icd_folder *folder, const drivers *set) {
    for (size_t i = 0; i < set->count; i++) add_driver(folder, set->names[i]);
}

static void remove_folder(icd_folder *folder) {
    DIR *listing = opendir(folder->path);
    for (struct dirent *item; listing && (item = readdir(listing));) {
        char path[PATH_MAX];
        snprintf(path, sizeof path, "%s/%s", folder->path, item->d_name);
        unlink(path);
    }
    if (listing) closedir(listing);
    rmdir(folder->path);
}

/* ---- C70: one numbering, and the default ------------------------------------------------------- */

static int rank_of_kind(const char *kind) {
    return strcmp(kind, "gpu") == 0 ? 0 : strcmp(kind, "accelerator") == 0 ? 1 : strcmp(kind, "cpu") == 0 ? 2 : 99;
}

START_TEST(c70_gpus_come_first_and_ids_count) {
    const size_t count = weft_number_of_devices("any");
    int rank = 0;
    ck_assert_uint_gt(count, 0);
    ck_assert_uint_eq(weft_number_of_devices(NULL), count);
    ck_assert_uint_eq(weft_number_of_devices("gpu") + weft_number_of_devices("accelerator") + weft_number_of_devices("cpu"),
                      count);
    for (size_t id = 0; id < count; id++) {
        weft_device_info info, again;
        OK(weft_device_get_info("any", (int)id, &info));
        ck_assert_int_ge(rank_of_kind(info.kind), rank);
        rank = rank_of_kind(info.kind);
        ck_assert_int_le(rank, 2);
        OK(weft_device_get_info(info.api, info.id, &again)); /* the same device under its own name */
        ck_assert_str_eq(again.name, info.name);
        ck_assert_int_eq(again.id, info.id);
        ck_assert_str_eq(again.platform, info.platform);
    }
    ck_assert(weft_has_accelerator() == (weft_number_of_devices("cpu") < count));
}
END_TEST

START_TEST(c70_names_in_any_case) {
    char upper[64] = "";
    weft_device_info info;
    OK(weft_device_get_info(NULL, 0, &info));
    for (size_t i = 0; info.api[i]; i++) upper[i] = (char)toupper((unsigned char)info.api[i]);
    ck_assert_uint_gt(weft_number_of_devices(info.api), 0);
    ck_assert_uint_eq(weft_number_of_devices(upper), weft_number_of_devices(info.api));
    ck_assert_uint_eq(weft_number_of_devices("ANY"), weft_number_of_devices("any"));
    ck_assert_uint_eq(weft_number_of_devices("Cpu"), weft_number_of_devices("cpu"));
    ck_assert_uint_eq(weft_number_of_devices("CUDA"), weft_number_of_devices("nvidia"));
}
END_TEST

START_TEST(c70_no_match_is_an_error_that_lists_devices) {
    const struct {
        const char *api;
        int id;
    } wrong[] = {{"no such api", 0}, {"", 0}, {NULL, 1000}, {"any", (int)weft_number_of_devices("any")}, {"any", -1}, {NULL, -1}};
    weft_device_info info, none;
    OK(weft_device_get_info(NULL, 0, &info));
    for (size_t i = 0; i < COUNT(wrong); i++) {
        const weft_context_options options = {.api = wrong[i].api, .device_id = wrong[i].id};
        weft_context *context = NULL;
        FAILS(WEFT_ERROR_NO_DEVICE, weft_context_create(&options, &context));
        ck_assert_ptr_null(context);
        SAYS(info.name);
        SAYS(info.api);
        FAILS(WEFT_ERROR_NO_DEVICE, weft_device_get_info(wrong[i].api, wrong[i].id, &none));
        ck_assert_ptr_null(none.name);
    }
    ck_assert_uint_eq(weft_number_of_devices("no such api"), 0);
    ck_assert_uint_eq(weft_number_of_devices(""), 0);
    test_context_works(test_context());
}
END_TEST

START_TEST(c70_weft_device_chooses_the_default) {
    weft_device_info info;
    char setting[128], expected[128];
    const char *changes[] = {setting, NULL};
    OK(weft_device_get_info("any", 0, &info));
    snprintf(expected, sizeof expected, "\ncontext %s %d\nanswer 42\n", info.api, info.id);

    answer said = ask((const char *const[]){"WEFT_DEVICE", NULL}, NULL, NULL);
    expect_said(&said, expected);
    snprintf(setting, sizeof setting, "WEFT_DEVICE=%s", info.api);
    said = ask(changes, NULL, NULL);
    expect_said(&said, expected);
    snprintf(setting, sizeof setting, "WEFT_DEVICE=%s:%d", info.api, info.id);
    for (char *c = strchr(setting, '='); *c; c++) *c = (char)toupper((unsigned char)*c);
    said = ask(changes, NULL, NULL);
    expect_said(&said, expected);
    snprintf(setting, sizeof setting, "WEFT_DEVICE=%s", info.kind);
    said = ask(changes, NULL, NULL);
    expect_said(&said, expected);
}
END_TEST

START_TEST(c70_second_device_by_index) {
    weft_device_info first;
    char setting[128], expected[128];
    OK(weft_device_get_info("any", 0, &first));
    if (weft_number_of_devices(first.api) < 2) SKIP("only one device");
    snprintf(setting, sizeof setting, "WEFT_DEVICE=%s:1", first.api);
    snprintf(expected, sizeof expected, "\ncontext %s 1\nanswer 42\n", first.api);
    answer said = ask((const char *const[]){setting, NULL}, NULL, NULL);
    expect_said(&said, expected);
    said = ask((const char *const[]){"WEFT_DEVICE", NULL}, first.api, "1");
    expect_said(&said, expected);
}
END_TEST

START_TEST(c70_bad_weft_device_is_an_error) {
    const char *const endings[] = {"nosuch", "nosuch:0", "%s:99", "%s:x", "%s:", "%s:-1", ":0", "%s:0:0", "%s:1e0"};
    weft_device_info info;
    OK(weft_device_get_info("any", 0, &info));
    for (size_t i = 0; i < COUNT(endings); i++) {
        const char *place = strstr(endings[i], "%s");
        char setting[128];
        snprintf(setting, sizeof setting, "WEFT_DEVICE=%s%s", place ? info.api : "", place ? place + 2 : endings[i]);
        answer said = ask((const char *const[]){setting, NULL}, NULL, NULL);
        expect_said(&said, "error WEFT_ERROR_NO_DEVICE ");
        expect_said(&said, "WEFT_DEVICE");
        const char *message = strstr(said.text, "\nerror ");
        ck_assert_msg(strstr(message, info.name) && strstr(message, info.api), "no list of devices in: %s", message);
    }
    /* It speaks only for who names nothing. */
    answer said = ask((const char *const[]){"WEFT_DEVICE=nosuch", NULL}, "any", "0");
    expect_said(&said, "\nanswer 42\n");
}
END_TEST

START_TEST(c70_order_is_not_the_order_of_registration) {
    const drivers own = own_drivers(), others = other_drivers(&own);
    icd_folder forward = make_folder(), backward = make_folder(), alone = make_folder();
    add_drivers(&alone, &own);
    add_drivers(&forward, &own);
    add_drivers(&forward, &others);
    for (size_t i = others.count; i > 0; i--) add_driver(&backward, others.names[i - 1]);
    for (size_t i = own.count; i > 0; i--) add_driver(&backward, own.names[i - 1]);
    const char *const unsorted = "OCL_ICD_PLATFORM_SORT=none"; /* else the loader has an order of its own */
    const answer single = list_of(ask((const char *const[]){alone.variable, "WEFT_DEVICE", NULL}, NULL, NULL));
    const answer one = ask((const char *const[]){forward.variable, unsorted, "WEFT_DEVICE", NULL}, NULL, NULL);
    const answer two = ask((const char *const[]){backward.variable, unsorted, "WEFT_DEVICE", NULL}, NULL, NULL);
    remove_folder(&forward);
    remove_folder(&backward);
    remove_folder(&alone);
    if (strcmp(list_of(one).text, single.text) == 0) SKIP("only one driver");
    ck_assert_str_eq(one.text, two.text); /* the list, the default and that it works */
    expect_said(&one, "\nanswer 42\n");
}
END_TEST

/* ---- C71: drivers that are not there ----------------------------------------------------------- */

static void expect_no_device(const answer *said, const char *place) {
    expect_said(said, "devices 0\n");
    expect_said(said, "error WEFT_ERROR_NO_DEVICE ");
    if (place) expect_said(said, place); /* where drivers were looked for */
}

START_TEST(c71_no_driver_at_all) {
    icd_folder empty = make_folder();
    char missing[128];
    answer said = ask((const char *const[]){empty.variable, NULL}, NULL, NULL);
    expect_no_device(&said, empty.path);
    expect_said(&said, "install");
    said = ask((const char *const[]){empty.variable, NULL}, "gpu", "0");
    expect_no_device(&said, empty.path);
    said = ask((const char *const[]){empty.variable, "WEFT_DEVICE=pocl", NULL}, NULL, NULL);
    expect_no_device(&said, empty.path);
    snprintf(missing, sizeof missing, "%s/missing", empty.variable);
    said = ask((const char *const[]){missing, NULL}, NULL, NULL);
    expect_no_device(&said, NULL);
    remove_folder(&empty);
}
END_TEST

static void add_bad_drivers(icd_folder *folder) {
    char text[128];
    snprintf(text, sizeof text, "%s/text.so", folder->path);
    add_driver(folder, "libweft-no-such-driver.so.1");
    add_driver(folder, text);
    add_driver(folder, "libc.so.6"); /* a library, and no driver */
    add_driver(folder, "");
    add_file(folder, "text.so", "this is no library");
}

START_TEST(c71_bad_drivers_hide_no_good_one) {
    const drivers own = own_drivers();
    if (own.count == 0) SKIP("the driver is not registered by a folder of .icd files");
    icd_folder good = make_folder(), mixed = make_folder();
    add_drivers(&good, &own);
    add_bad_drivers(&mixed);
    add_drivers(&mixed, &own);
    const answer alone = ask((const char *const[]){good.variable, "WEFT_DEVICE", NULL}, NULL, NULL);
    const answer among = ask((const char *const[]){mixed.variable, "WEFT_DEVICE", NULL}, NULL, NULL);
    remove_folder(&good);
    remove_folder(&mixed);
    expect_said(&alone, "\nanswer 42\n");
    ck_assert_str_eq(among.text, alone.text);
}
END_TEST

START_TEST(c71_only_bad_drivers) {
    icd_folder bad = make_folder();
    add_bad_drivers(&bad);
    const answer said = ask((const char *const[]){bad.variable, NULL}, NULL, NULL);
    remove_folder(&bad);
    expect_no_device(&said, bad.path);
    expect_said(&said, "libweft-no-such-driver.so.1"); /* the file to look at */
}
END_TEST

START_TEST(c71_a_driver_registered_twice_is_one) {
    const drivers own = own_drivers();
    if (own.count == 0) SKIP("the driver is not registered by a folder of .icd files");
    icd_folder once = make_folder(), twice = make_folder();
    add_drivers(&once, &own);
    add_drivers(&twice, &own);
    add_drivers(&twice, &own);
    const answer one = ask((const char *const[]){once.variable, "WEFT_DEVICE", NULL}, NULL, NULL);
    const answer two = ask((const char *const[]){twice.variable, "WEFT_DEVICE", NULL}, NULL, NULL);
    remove_folder(&once);
    remove_folder(&twice);
    expect_said(&one, "\nanswer 42\n");
    ck_assert_str_eq(two.text, one.text);
}
END_TEST

/* Mesa's drivers are platforms without a device on a machine without a GPU. */
START_TEST(c71_platform_without_devices) {
    const drivers own = own_drivers(), installed = drivers_of("/etc/OpenCL/vendors");
    bool seen = false;
    for (size_t i = 0; i < installed.count; i++) {
        icd_folder folder = make_folder();
        add_driver(&folder, installed.names[i]);
        answer said = ask((const char *const[]){folder.variable, "RUSTICL_ENABLE", "WEFT_DEVICE", NULL}, NULL, NULL);
        if (strstr(said.text, "devices 0\n")) {
            seen = true;
            expect_no_device(&said, NULL);
            if (own.count > 0 && !on_driver("rusticl")) { /* beside a driver that has one */
                add_drivers(&folder, &own);
                said = ask((const char *const[]){folder.variable, "RUSTICL_ENABLE", "WEFT_DEVICE", NULL}, NULL, NULL);
                expect_said(&said, "\nanswer 42\n");
            }
        }
        remove_folder(&folder);
    }
    if (!seen) SKIP("every installed platform has devices");
}
END_TEST

/* ---- C74: large buffers ------------------------------------------------------------------------ */

START_TEST(c74_largest_buffer_and_beyond) {
    weft_context *ctx = test_context();
    int64_t largest = 0;
    size_t free_bytes = 0, total_bytes = 0;
    char figure[48];
    weft_device_buffer *buffer = NULL;
    OK(weft_context_get_attribute(ctx, WEFT_DEVICE_MAX_ALLOCATION_BYTES, &largest));
    OK(weft_context_get_memory_info(ctx, &free_bytes, &total_bytes));
    ck_assert_int_gt(largest, 0);
    ck_assert_uint_gt(total_bytes, 0);
    ck_assert_uint_le(free_bytes, total_bytes);

    OK(weft_enqueue_create_buffer(ctx, WEFT_UINT8, (size_t)largest, &buffer));
    weft_device_buffer_release(buffer);

    /* Some drivers grant more than they report; where one does not, it is out of memory. */
    weft_status status = weft_enqueue_create_buffer(ctx, WEFT_UINT8, (size_t)largest + 4096, &buffer);
    ck_assert_msg(status == WEFT_OK || status == WEFT_ERROR_OUT_OF_DEVICE_MEMORY, "%s", weft_error_message());
    weft_device_buffer_release(buffer);
    if (status) { /* what was refused is not held */
        snprintf(figure, sizeof figure, ", %zu held by weft", total_bytes - free_bytes);
        SAYS(figure);
    }

    buffer = (weft_device_buffer *)&largest;
    FAILS(WEFT_ERROR_OUT_OF_DEVICE_MEMORY, weft_enqueue_create_buffer(ctx, WEFT_UINT8, (size_t)1 << 60, &buffer));
    ck_assert_ptr_null(buffer);
    SAYS("1152921504606846976");
    snprintf(figure, sizeof figure, "%lld", (long long)largest);
    SAYS(figure);
    snprintf(figure, sizeof figure, "%zu", total_bytes);
    SAYS(figure);
    FAILS(WEFT_ERROR_OUT_OF_DEVICE_MEMORY, weft_create_buffer_sync(ctx, WEFT_FLOAT64, (size_t)1 << 57, &buffer));
    FAILS(WEFT_ERROR_OUT_OF_RANGE, weft_enqueue_create_buffer(ctx, WEFT_FLOAT64, (size_t)1 << 61, &buffer));
    ck_assert_ptr_null(buffer);
    test_context_works(ctx);
}
END_TEST

START_TEST(c74_bytes_beyond_four_gibibytes) {
    weft_context *ctx = test_context();
    const size_t length = (size_t)5 << 30, edge = (size_t)1 << 32, places[] = {0, edge - 8, edge + 8, length - 16};
    size_t free_bytes = 0, total_bytes = 0;
    weft_device_buffer *buffer = NULL;
    OK(weft_context_get_memory_info(ctx, &free_bytes, &total_bytes));
    if (free_bytes < length) SKIP("not enough memory");
    weft_status status = weft_enqueue_create_buffer(ctx, WEFT_UINT8, length, &buffer);
    if (status == WEFT_ERROR_OUT_OF_DEVICE_MEMORY) SKIP("the driver grants no buffer of 5 GiB");
    OK(status);
    for (size_t i = 0; i < COUNT(places); i++) {
        unsigned char bytes[16];
        for (size_t k = 0; k < 16; k++) bytes[k] = (unsigned char)(16 * i + k + 1);
        OK(weft_enqueue_copy_range(ctx, buffer, places[i], bytes, 0, 16));
    }
    for (size_t i = 0; i < COUNT(places); i++) {
        unsigned char bytes[16] = {0};
        OK(weft_enqueue_copy_range(ctx, bytes, 0, buffer, places[i], 16));
        OK(weft_synchronize(ctx));
        for (size_t k = 0; k < 16; k++) ck_assert_uint_eq(bytes[k], 16 * i + k + 1);
    }
    weft_function *add = test_function("kernel void add(global uchar *v, ulong at) { v[at + get_global_id(0)] += 100; }", "add");
    unsigned char bytes[16] = {0};
    OK(weft_enqueue_function(ctx, add, 1, 16, buffer, edge + 8));
    OK(weft_enqueue_function(ctx, add, 1, 16, test_view(buffer, WEFT_UINT8, edge, 64), 8));
    OK(weft_enqueue_copy_range(ctx, bytes, 0, buffer, edge + 8, 16));
    OK(weft_synchronize(ctx));
    for (size_t k = 0; k < 16; k++) ck_assert_uint_eq(bytes[k], (32 + k + 1 + 200) % 256);
    weft_device_buffer_release(buffer);
}
END_TEST

/* ---- C75: an allocation that fails late --------------------------------------------------------- */

enum { QUARTERS = 6 };

/* More than there is, a quarter of it at a time; returns how many buffers got their memory. */
static size_t fill_up(weft_context *ctx, size_t quarter_bytes, weft_device_buffer **buffers) {
    char figure[32];
    snprintf(figure, sizeof figure, "%zu", quarter_bytes);
    for (size_t n = 0; n < QUARTERS; n++) {
        weft_status status = weft_enqueue_create_buffer(ctx, WEFT_UINT8, quarter_bytes, &buffers[n]);
        if (!status) status = weft_enqueue_fill(buffers[n], (uint8_t)(n + 1));
        if (!status) status = weft_synchronize(ctx);
        if (status) {
            ck_assert_msg(status == WEFT_ERROR_OUT_OF_DEVICE_MEMORY, "%s: %s", weft_status_name(status), weft_error_message());
            SAYS(figure);
            weft_device_buffer_release(buffers[n]);
            return n;
        }
    }
    return QUARTERS;
}

START_TEST(c75_more_buffers_than_memory) {
    weft_context *ctx = test_context();
    weft_device_info info;
    weft_device_buffer *buffers[QUARTERS] = {NULL};
    OK(weft_device_get_info(NULL, 0, &info));
    if (info.unified_memory || strcmp(info.kind, "gpu") != 0) SKIP("device memory is the host's, which no test may use up");
    const size_t quarter = info.global_memory_bytes / 4 / 4096 * 4096, n = fill_up(ctx, quarter, buffers);
    ck_assert_uint_gt(n, 1);
    ck_assert_uint_lt(n, QUARTERS);
    for (size_t i = 0; i < n; i++) {
        uint8_t ends[2] = {0};
        OK(weft_enqueue_copy_range(ctx, &ends[0], 0, buffers[i], 0, 1));
        OK(weft_enqueue_copy_range(ctx, &ends[1], 0, buffers[i], quarter - 1, 1));
        OK(weft_synchronize(ctx));
        ck_assert(ends[0] == i + 1 && ends[1] == i + 1);
    }
    weft_device_buffer_release(buffers[n - 1]);
    OK(weft_enqueue_create_buffer(ctx, WEFT_UINT8, quarter, &buffers[n - 1]));
    OK(weft_enqueue_fill(buffers[n - 1], 9));
    test_context_works(ctx);
    for (size_t i = 0; i < n; i++) weft_device_buffer_release(buffers[i]);
}
END_TEST

TESTS(c70_gpus_come_first_and_ids_count, c70_names_in_any_case, c70_no_match_is_an_error_that_lists_devices,
      c70_weft_device_chooses_the_default, c70_second_device_by_index, c70_bad_weft_device_is_an_error,
      c70_order_is_not_the_order_of_registration, c71_no_driver_at_all, c71_bad_drivers_hide_no_good_one, c71_only_bad_drivers,
      c71_a_driver_registered_twice_is_one, c71_platform_without_devices, c74_largest_buffer_and_beyond,
      c74_bytes_beyond_four_gibibytes, c75_more_buffers_than_memory)
