/* weft doctor: why there are the devices that there are, and what to do about the others. */
#include "doctor.h"

#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <weft/weft.h>

#include "tool.h"

/* A driver that has nothing ready may compile its own parts first. */
#define LIMIT_S 60.0

/* ---- The report ------------------------------------------------------------------------------------ */

static bool has_working_device(const json_t *drivers) {
    size_t index, i;
    json_t *driver, *device;
    json_array_foreach(drivers, index, driver) {
        json_array_foreach(json_object_get(driver, "devices"), i, device) {
            if (json_is_null(json_object_get(device, "problem"))) {
                return true;
            }
        }
    }
    return false;
}

/* Works: for a program that starts now, so with all drivers around. */
static json_t *examine(double limit_s) {
    json_t *vendors, *drivers;
    doctor_drivers(limit_s, &vendors, &drivers);
    json_t *report = json_pack("{s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "weft", weft_version(), "vendors", vendors, "drivers",
                               drivers, "layers", doctor_layers(limit_s), "together", doctor_together(limit_s), "gpus", doctor_gpus(),
                               "device_files", doctor_device_files(), "user", doctor_user(), "environment", doctor_environment());
    json_t *trouble = json_object_get(json_object_get(report, "together"), "problem");
    json_object_set_new(report, "works", json_boolean(json_is_null(trouble) && has_working_device(drivers)));
    json_object_set_new(report, "advice", doctor_advice(report));
    return report;
}

/* ---- As text --------------------------------------------------------------------------------------- */

static const char *text_of(const json_t *object, const char *key) {
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

static void print_driver(const json_t *driver) {
    size_t index;
    json_t *device;
    const char *file = text_of(driver, "file"), *library = text_of(driver, "library"), *problem = text_of(driver, "problem");
    printf("  %s%s%s%s%s\n", file, *file && *library ? ": " : "", library, *problem ? ": " : "", problem);
    json_array_foreach(json_object_get(driver, "devices"), index, device) {
        const char *trouble = text_of(device, "problem");
        printf("    %s (%s, %s, driver %s): %s\n", text_of(device, "device"), text_of(device, "name"), text_of(device, "kind"),
               text_of(device, "driver_version"), *trouble ? trouble : "works");
    }
}

static void print_drivers(const json_t *report) {
    size_t index;
    json_t *item;
    const json_t *vendors = json_object_get(report, "vendors");
    const char *from = text_of(vendors, "from"), *problem = text_of(vendors, "problem");
    printf("drivers registered in %s%s%s%s%s\n", text_of(vendors, "path"), *from ? ", set by " : "", from, *problem ? ", which " : "",
           problem);
    json_array_foreach(json_object_get(report, "drivers"), index, item) {
        print_driver(item);
    }
    if (json_array_size(json_object_get(report, "layers"))) {
        printf("layers in OPENCL_LAYERS\n");
    }
    json_array_foreach(json_object_get(report, "layers"), index, item) {
        const char *trouble = text_of(item, "problem");
        printf("  %s: %s\n", text_of(item, "file"), *trouble ? trouble : "loads");
    }
}

static void print_together(const json_t *together) {
    size_t index;
    json_t *device;
    const char *problem = text_of(together, "problem"), *standard = text_of(together, "default");
    printf("programs see");
    json_array_foreach(json_object_get(together, "devices"), index, device) {
        printf("%s %s", index ? "," : "", json_string_value(device));
    }
    printf("%s", json_array_size(json_object_get(together, "devices")) ? "" : " no device");
    printf("%s%s%s%s\n", *standard ? "; by default they use " : "", standard, *problem ? ": " : "", problem);
}

static void print_machine(const json_t *report) {
    size_t index;
    json_t *item;
    const char *name;
    json_array_foreach(json_object_get(report, "gpus"), index, item) {
        printf("%s  %s of %s\n", index ? "" : "GPUs on the PCI bus\n", text_of(item, "slot"), text_of(item, "vendor"));
    }
    json_array_foreach(json_object_get(report, "device_files"), index, item) {
        printf("%s  %s: mode %s, %s:%s, %s\n", index ? "" : "device files\n", text_of(item, "file"), text_of(item, "mode"),
               text_of(item, "owner"), text_of(item, "group"), json_is_true(json_object_get(item, "usable")) ? "usable" : "not usable");
    }
    const json_t *user = json_object_get(report, "user");
    printf("user %s", text_of(user, "name"));
    json_object_foreach(json_object_get(user, "groups"), name, item) {
        printf(", %s group %s", json_is_true(item) ? "in" : json_is_null(item) ? "there is no" : "not in", name);
    }
    printf("\n");
    if (json_object_size(json_object_get(report, "environment"))) {
        printf("environment\n");
    }
    json_object_foreach(json_object_get(report, "environment"), name, item) {
        printf("  %s=%s\n", name, json_string_value(item) ? json_string_value(item) : "(not text)");
    }
}

static void print_report(const json_t *report) {
    size_t index;
    json_t *advice;
    printf("weft %s\n", text_of(report, "weft"));
    print_drivers(report);
    print_together(json_object_get(report, "together"));
    print_machine(report);
    json_array_foreach(json_object_get(report, "advice"), index, advice) {
        printf("%s  %s\n", index ? "" : "what to do\n", json_string_value(advice) ? json_string_value(advice) : "");
    }
    printf("%s\n", json_is_true(json_object_get(report, "works")) ? "weft works here" : "weft does not work here");
}

/* ---- The command ----------------------------------------------------------------------------------- */

static bool parse_limit(const char *text, double *limit_s) {
    char *end;
    *limit_s = strtod(text, &end);
    return end != text && !*end && *limit_s > 0 && *limit_s <= 3600;
}

static int run(int argc, char **argv) {
    static const struct option options[] = {{"json", no_argument, NULL, 'j'}, {"timeout", required_argument, NULL, 't'}, {0}};
    bool json = false;
    double limit_s = LIMIT_S;
    for (int option; (option = getopt_long(argc, argv, "", options, NULL)) != -1;) {
        if (option == 't' && !parse_limit(optarg, &limit_s)) {
            fprintf(stderr, "%s: --timeout is seconds, more than 0 and up to 3600, not \"%s\"\n", argv[0], optarg);
            return EXIT_USAGE;
        }
        if (option != 'j' && option != 't') {
            return EXIT_USAGE;
        }
        json = json || option == 'j';
    }
    if (optind < argc) {
        fprintf(stderr, "%s: what is \"%s\"?\n", argv[0], argv[optind]);
        return EXIT_USAGE;
    }
    json_t *report = examine(limit_s);
    bool works = json_is_true(json_object_get(report, "works"));
    if (json) {
        return json_print(report) && works ? EXIT_SUCCESS : EXIT_FAILURE;
    }
    print_report(report);
    json_decref(report);
    return works ? EXIT_SUCCESS : EXIT_FAILURE;
}

const command command_doctor = {"doctor", "doctor [--json] [--timeout SECONDS]",
                                "says which drivers and devices work, and what to do about the others", run};
