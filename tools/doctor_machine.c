/* weft doctor: what of the machine and the user decides whether a driver can work. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <grp.h>
#include <pwd.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "doctor.h"
#include "tool.h"

extern char **environ;

/* ---- GPUs ------------------------------------------------------------------------------------------ */

/* A number in a file of sysfs, such as 0x10de. */
static unsigned long read_number(const char *folder, const char *name) {
    char path[512], line[32] = "";
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *stream = fopen(path, "r");
    bool read = stream && fgets(line, sizeof line, stream);
    if (stream) {
        fclose(stream);
    }
    return read ? strtoul(line, NULL, 16) : 0;
}

static const char *vendor_name(unsigned long vendor) {
    return vendor == 0x10de ? "nvidia" : vendor == 0x1002 ? "amd" : vendor == 0x8086 ? "intel" : NULL;
}

json_t *doctor_gpus(void) {
    json_t *gpus = json_array();
    glob_t found;
    if (glob("/sys/bus/pci/devices/*", 0, NULL, &found) == 0) {
        for (size_t i = 0; i < found.gl_pathc; i++) {
            enum { DISPLAY = 0x03, ACCELERATOR = 0x12 };
            const char *folder = found.gl_pathv[i], *vendor = vendor_name(read_number(folder, "vendor"));
            unsigned long class = read_number(folder, "class") >> 16;
            if (vendor && (class == DISPLAY || class == ACCELERATOR)) {
                json_array_append_new(gpus, json_pack("{s:s, s:s}", "slot", strrchr(folder, '/') + 1, "vendor", vendor));
            }
        }
        globfree(&found);
    }
    return gpus;
}

/* ---- Device files ---------------------------------------------------------------------------------- */

static json_t *owner_name(uid_t owner) {
    const struct passwd *entry = getpwuid(owner);
    return entry ? json_text(entry->pw_name) : json_sprintf("%lu", (unsigned long)owner);
}

static json_t *group_name(gid_t group) {
    const struct group *entry = getgrgid(group);
    return entry ? json_text(entry->gr_name) : json_sprintf("%lu", (unsigned long)group);
}

json_t *doctor_device_files(void) {
    static const char *const patterns[] = {"/dev/dri/card*", "/dev/dri/renderD*", "/dev/kfd", "/dev/nvidia*", "/dev/nvidia-caps/*"};
    json_t *files = json_array();
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) {
        glob_t found;
        if (glob(patterns[i], 0, NULL, &found) != 0) {
            continue;
        }
        for (size_t j = 0; j < found.gl_pathc; j++) {
            struct stat info;
            const char *path = found.gl_pathv[j];
            if (stat(path, &info) == 0 && S_ISCHR(info.st_mode)) {
                bool usable = faccessat(AT_FDCWD, path, R_OK | W_OK, AT_EACCESS) == 0;
                json_array_append_new(files, json_pack("{s:o, s:o, s:o, s:o, s:b}", "file", json_text(path), "mode",
                                                       json_sprintf("%04o", (unsigned)info.st_mode & 07777), "owner",
                                                       owner_name(info.st_uid), "group", group_name(info.st_gid), "usable", usable));
            }
        }
        globfree(&found);
    }
    return files;
}

/* ---- The user -------------------------------------------------------------------------------------- */

static bool is_member(gid_t group) {
    gid_t groups[256];
    int count = getgroups(256, groups);
    bool member = getegid() == group;
    for (int i = 0; i < count; i++) {
        member = member || groups[i] == group;
    }
    return member;
}

/* Null where there is no such group. */
static json_t *membership(const char *name) {
    const struct group *group = getgrnam(name);
    return group ? json_boolean(is_member(group->gr_gid)) : json_null();
}

json_t *doctor_user(void) {
    return json_pack("{s:o, s:{s:o, s:o}}", "name", owner_name(geteuid()), "groups", "render", membership("render"), "video",
                     membership("video"));
}

/* ---- The environment ------------------------------------------------------------------------------- */

/* Whether it changes what weft, the loader or a driver does. */
static bool matters(const char *variable) {
    static const char *const starts[] = {
        "WEFT_", "OCL_ICD_", "OPENCL_", "POCL_", "RUSTICL_", "OCLGRIND_", "CUDA_VISIBLE_DEVICES=", "CUDA_DEVICE_ORDER=",
        "CUDA_CACHE_", "NVIDIA_", "ROCR_", "HIP_", "GPU_DEVICE_", "ZE_", "MESA_", "LIBGL_", "GALLIUM_DRIVER=", "LP_NUM_",
        "LD_PRELOAD=", "LD_LIBRARY_PATH="};
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++) {
        if (!strncmp(variable, starts[i], strlen(starts[i]))) {
            return true;
        }
    }
    return false;
}

static int compare(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

json_t *doctor_environment(void) {
    json_t *object = json_object();
    size_t count = 0, n = 0;
    while (environ[n]) {
        n++;
    }
    char **names = calloc(n + 1, sizeof *names);
    for (size_t i = 0; i < n && names; i++) {
        if (matters(environ[i])) {
            names[count++] = environ[i];
        }
    }
    if (names) {
        qsort(names, count, sizeof *names, compare);
    }
    for (size_t i = 0; i < count; i++) {
        char *name = strndup(names[i], strcspn(names[i], "="));
        const char *equals = strchr(names[i], '=');
        json_object_set_new(object, name ? name : "", json_text(equals ? equals + 1 : ""));
        free(name);
    }
    free(names);
    return object;
}
