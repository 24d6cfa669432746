/* weft doctor: the registered drivers and layers. */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "doctor.h"
#include "doctor_devices.h"
#include "tool.h"

/* ---- Where drivers are registered ------------------------------------------------------------------ */

/* As ocl-icd looks for them: a folder of .icd files, one .icd file, or a library by itself. */
typedef struct vendors {
    const char *path, *from; /* from: the variable that says so, or NULL */
    bool is_folder, is_file;
} vendors;

static bool ends_in_icd(const char *name) {
    size_t length = strlen(name);
    return length > 4 && !strcmp(name + length - 4, ".icd");
}

static vendors find_vendors(void) {
    static const char *const variables[] = {"OCL_ICD_VENDORS", "OPENCL_VENDOR_PATH"};
    vendors vendors = {"/etc/OpenCL/vendors", NULL, true, false};
    struct stat info;
    for (size_t i = 0; i < 2; i++) {
        const char *value = getenv(variables[i]);
        if (value && *value) {
            vendors.path = value;
            vendors.from = variables[i];
            bool folder = i == 1 || (stat(value, &info) == 0 && S_ISDIR(info.st_mode));
            vendors.is_folder = folder;
            vendors.is_file = !folder && ends_in_icd(value);
            break;
        }
    }
    return vendors;
}

/* ---- One driver ------------------------------------------------------------------------------------ */

/* The name of a library on the first line, as the loader reads it. NULL: *problem says why there is none. */
static char *read_icd(const char *path, const char **problem) {
    char line[PATH_MAX] = "";
    FILE *stream = fopen(path, "r");
    if (!stream) {
        *problem = strerror(errno);
        return NULL;
    }
    bool read = fgets(line, sizeof line, stream);
    bool failed = ferror(stream);
    int error = errno;
    fclose(stream);
    line[strcspn(line, "\n")] = '\0';
    *problem = failed ? strerror(error) : !read || !*line ? "is empty: it should name a library" : NULL;
    if (!*problem && strchr(line, '\r')) {
        *problem = "has a line end of DOS, which the loader takes for a part of the library's name";
    }
    return *problem ? NULL : strdup(line);
}

/* Whether the library loads and is a driver; else *problem, to be dropped. */
static bool is_driver(const char *library, double limit_s, json_t **problem) {
    const library_question question = {library, "clGetExtensionFunctionAddress"};
    probe probe = doctor_load(&question, limit_s);
    json_t *said = json_object_get(probe.answer, "problem");
    bool loads = json_is_null(said), driver = json_is_true(json_object_get(probe.answer, "found"));
    *problem = !probe.answer ? json_sprintf("%s when it is loaded", probe.problem)
               : !loads      ? json_sprintf("does not load: %s", json_string_value(said) ? json_string_value(said) : "no reason given")
               : !driver     ? json_text("loads, but is no OpenCL driver: it lacks clGetExtensionFunctionAddress")
                             : json_null();
    json_decref(probe.answer);
    return json_is_null(*problem);
}

static void try_device(const char *folder, json_t *device, double limit_s) {
    const launch_question question = {folder, json_string_value(json_object_get(device, "api")),
                                      (int)json_integer_value(json_object_get(device, "id"))};
    probe probe = doctor_launch(&question, limit_s);
    json_object_set_new(device, "problem",
                        probe.answer ? json_incref(json_object_get(probe.answer, "problem")) : json_text(probe.problem));
    json_decref(probe.answer);
    json_object_del(device, "api");
    json_object_del(device, "id");
}

/* Why a driver that loads has no device, in fewer words than weft has for programs. */
static json_t *without_device(const char *said) {
    static const char without[] = "platforms without one: ";
    const char *platform = strstr(said, without);
    return platform ? json_sprintf("loads, and its platform %s offers no usable device", platform + strlen(without))
           : strstr(said, "no OpenCL platform is there") ? json_text("loads, but offers no platform")
                                                         : json_text(said);
}

/* What the driver that the folder registers offers, and whether it works. */
static void try_devices(const char *folder, json_t *driver, double limit_s) {
    probe probe = doctor_list(folder, limit_s);
    json_t *devices = json_object_get(probe.answer, "devices"), *device;
    size_t index;
    if (!probe.answer) {
        json_object_set_new(driver, "problem", json_sprintf("%s when it is asked for its devices", probe.problem));
    } else if (json_array_size(devices) == 0) {
        const char *said = json_string_value(json_object_get(probe.answer, "problem"));
        json_object_set_new(driver, "problem", without_device(said ? said : "offers no device"));
    } else {
        json_object_set(driver, "devices", devices);
    }
    json_array_foreach(json_object_get(driver, "devices"), index, device) {
        try_device(folder, device, limit_s);
    }
    json_decref(probe.answer);
}

/* Registers the one driver in a folder of its own, as its file does. */
static bool register_alone(const char *folder, const char *icd, const char *library) {
    char path[PATH_MAX], *real = icd ? realpath(icd, NULL) : NULL;
    snprintf(path, sizeof path, "%s/driver.icd", folder);
    bool done = real && symlink(real, path) == 0;
    FILE *stream = icd ? NULL : fopen(path, "w");
    if (stream) {
        done = fputs(library, stream) >= 0;
        done = fclose(stream) == 0 && done;
    }
    free(real);
    return done;
}

static void try_alone(const char *icd, const char *library, json_t *driver, double limit_s) {
    char folder[] = "/tmp/weft-doctor-XXXXXX", path[sizeof folder + sizeof "/driver.icd"];
    if (!mkdtemp(folder)) {
        json_object_set_new(driver, "problem", json_sprintf("cannot be tried: %s: %s", folder, strerror(errno)));
        return;
    }
    if (register_alone(folder, icd, library)) {
        try_devices(folder, driver, limit_s);
    } else {
        json_object_set_new(driver, "problem", json_sprintf("cannot be tried: %s: %s", folder, strerror(errno)));
    }
    snprintf(path, sizeof path, "%s/driver.icd", folder);
    unlink(path);
    rmdir(folder);
}

/* icd NULL: the library is named by the environment itself. */
static json_t *examine(const char *icd, const char *named, double limit_s) {
    const char *file_problem = NULL, *slash = icd ? strrchr(icd, '/') : NULL;
    char *library = icd ? read_icd(icd, &file_problem) : strdup(named);
    json_t *problem = NULL;
    json_t *driver = json_pack("{s:o, s:o, s:o, s:[]}", "file", json_text(slash ? slash + 1 : icd), "library", json_text(library),
                               "problem", json_null(), "devices");
    if (!library) {
        json_object_set_new(driver, "problem", json_text(file_problem));
    } else if (is_driver(library, limit_s, &problem)) {
        json_decref(problem);
        try_alone(icd, library, driver, limit_s);
    } else {
        json_object_set_new(driver, "problem", problem);
    }
    free(library);
    return driver;
}

/* ---- All of them ----------------------------------------------------------------------------------- */

static int is_icd(const struct dirent *entry) { return ends_in_icd(entry->d_name); }

static json_t *examine_folder(const char *folder, double limit_s, json_t **problem) {
    json_t *drivers = json_array();
    struct dirent **files = NULL;
    int count = scandir(folder, &files, is_icd, alphasort);
    *problem = count < 0    ? json_sprintf("cannot be read: %s", strerror(errno))
               : count == 0 ? json_text("holds no .icd file")
                            : json_null();
    for (int i = 0; i < count; i++) {
        char path[PATH_MAX];
        snprintf(path, sizeof path, "%s/%s", folder, files[i]->d_name);
        json_array_append_new(drivers, examine(path, NULL, limit_s));
        free(files[i]);
    }
    free(files);
    return drivers;
}

/* A name without a folder is looked for where drivers usually are registered, and only then here. */
static json_t *examine_file(const char *name, double limit_s) {
    const char *usual = getenv("OPENCL_VENDOR_PATH");
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/%s", usual && *usual ? usual : "/etc/OpenCL/vendors", name);
    bool there = !strchr(name, '/') && access(path, R_OK) == 0;
    return examine(there ? path : name, NULL, limit_s);
}

void doctor_drivers(double limit_s, json_t **out, json_t **drivers) {
    vendors vendors = find_vendors();
    json_t *problem = json_null();
    if (vendors.is_folder) {
        *drivers = examine_folder(vendors.path, limit_s, &problem);
    } else {
        *drivers = json_array();
        json_array_append_new(*drivers, vendors.is_file ? examine_file(vendors.path, limit_s) : examine(NULL, vendors.path, limit_s));
    }
    *out = json_pack("{s:o, s:o, s:o}", "path", json_text(vendors.path), "from", json_text(vendors.from), "problem", problem);
}

json_t *doctor_layers(double limit_s) {
    json_t *layers = json_array();
    const char *variable = getenv("OPENCL_LAYERS");
    char *copy = strdup(variable ? variable : ""), *rest = NULL;
    for (char *name = copy ? strtok_r(copy, ":", &rest) : NULL; name; name = strtok_r(NULL, ":", &rest)) {
        const library_question question = {name, "clInitLayer"};
        probe probe = doctor_load(&question, limit_s);
        json_t *said = json_object_get(probe.answer, "problem");
        bool found = json_is_true(json_object_get(probe.answer, "found"));
        json_t *problem = !probe.answer          ? json_text(probe.problem)
                          : !json_is_null(said) ? json_incref(said)
                          : !found              ? json_text("loads, but is no layer: it lacks clInitLayer")
                                                : json_null();
        json_array_append_new(layers, json_pack("{s:o, s:o}", "file", json_text(name), "problem", problem));
        json_decref(probe.answer);
    }
    free(copy);
    return layers;
}

json_t *doctor_together(double limit_s) {
    probe probe = doctor_list(NULL, limit_s);
    json_t *names = json_array(), *device;
    size_t index;
    json_array_foreach(json_object_get(probe.answer, "devices"), index, device) {
        json_array_append(names, json_object_get(device, "device"));
    }
    json_t *standard = json_object_get(probe.answer, "default"), *problem = json_object_get(probe.answer, "problem");
    json_t *together = json_pack("{s:o, s:O?, s:o}", "devices", names, "default", standard ? standard : json_null(), "problem",
                                 probe.answer ? json_incref(problem) : json_text(probe.problem));
    json_decref(probe.answer);
    return together;
}
