/* weft devices: what weft sees, in the order in which ids count. */
#include <errno.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <weft/weft.h>

#include "tool.h"

/* ---- As a table ------------------------------------------------------------------------------------ */

enum { N_COLUMNS = 11, CELL_BYTES = 128 };

typedef struct row {
    char cells[N_COLUMNS][CELL_BYTES];
} row;

static const row titles = {
    {"#", "device", "kind", "name", "platform", "driver", "units", "memory", "max block", "shared", "features"}};

static void append(char cell[CELL_BYTES], const char *format, ...) {
    size_t length = strlen(cell);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(cell + length, CELL_BYTES - length, format, arguments);
    va_end(arguments);
}

static row row_of(size_t index, const weft_device_info *device) {
    const struct {
        bool there;
        const char *name;
    } features[] = {
        {device->fp64, "fp64"},
        {device->fp16, "fp16"},
        {device->int64_atomics, "int64-atomics"},
        {device->subgroups, "subgroups"},
        {device->svm, "svm"},
        {device->il, "il"},
        {device->unified_memory, "unified-memory"},
        {device->timestamps, "timestamps"},
    };
    row row = {{""}};
    char(*cell)[CELL_BYTES] = row.cells;
    append(*cell++, "%zu", index);
    append(*cell++, "%s:%d", device->api, device->id);
    append(*cell++, "%s", device->kind);
    append(*cell++, "%s", device->name);
    append(*cell++, "%s", device->platform);
    append(*cell++, "%s", device->driver_version);
    append(*cell++, "%u", device->compute_units);
    append(*cell++, "%s", label_bytes(device->global_memory_bytes).text);
    append(*cell++, "%zu", device->max_threads_per_block);
    append(*cell++, "%s", label_bytes(device->max_shared_bytes).text);
    for (size_t i = 0; i < sizeof features / sizeof *features; i++) {
        if (features[i].there) {
            append(*cell, "%s%s", **cell ? " " : "", features[i].name);
        }
    }
    return row;
}

static int print_table(const weft_device_info *devices, size_t n) {
    row *rows = calloc(n + 1, sizeof *rows);
    if (!rows) {
        perror("weft devices");
        return EXIT_FAILURE;
    }
    rows[0] = titles;
    for (size_t i = 0; i < n; i++) {
        rows[i + 1] = row_of(i, &devices[i]);
    }
    for (size_t i = 0; i <= n; i++) {
        for (size_t column = 0; column + 1 < N_COLUMNS; column++) {
            size_t width = 0;
            for (size_t j = 0; j <= n; j++) {
                size_t length = strlen(rows[j].cells[column]);
                width = length > width ? length : width;
            }
            printf("%-*s  ", (int)width, rows[i].cells[column]);
        }
        printf("%s\n", rows[i].cells[N_COLUMNS - 1]);
    }
    free(rows);
    return EXIT_SUCCESS;
}

/* ---- As JSON --------------------------------------------------------------------------------------- */

static json_t *json_pci(const weft_device_info *device) {
    return json_sprintf("%04x:%02x:%02x.%x", device->pci_domain, device->pci_bus, device->pci_device, device->pci_function);
}

static json_t *json_uuid(const uint8_t uuid[16]) {
    char text[33];
    for (size_t i = 0; i < 16; i++) {
        snprintf(text + 2 * i, 3, "%02x", uuid[i]);
    }
    return json_string(text);
}

/* Keys are the names of the fields. */
static json_t *json_device(const weft_device_info *device) {
    json_t *json = json_object();
#define SET(field, value) json_object_set_new(json, #field, value)
#define TEXT(field) SET(field, json_text(device->field))
#define NUMBER(field) SET(field, json_integer((json_int_t)device->field))
#define FLAG(field) SET(field, json_boolean(device->field))
    TEXT(api);
    NUMBER(id);
    TEXT(kind);
    TEXT(name);
    TEXT(vendor);
    TEXT(platform);
    TEXT(driver_version);
    TEXT(opencl_version);
    TEXT(opencl_c_version);
    NUMBER(compute_units);
    NUMBER(clock_mhz);
    NUMBER(warp_size);
    NUMBER(max_threads_per_block);
    const size_t *dim = device->max_block_dim;
    SET(max_block_dim, json_pack("[I, I, I]", (json_int_t)dim[0], (json_int_t)dim[1], (json_int_t)dim[2]));
    NUMBER(max_shared_bytes);
    NUMBER(max_argument_bytes);
    NUMBER(max_allocation_bytes);
    NUMBER(global_memory_bytes);
    NUMBER(cache_bytes);
    NUMBER(view_alignment_bytes);
    FLAG(unified_memory);
    FLAG(fp64);
    FLAG(fp16);
    FLAG(int64_atomics);
    FLAG(subgroups);
    FLAG(svm);
    FLAG(il);
    FLAG(timestamps);
    SET(pci, device->has_pci ? json_pci(device) : json_null());
    SET(uuid, device->has_uuid ? json_uuid(device->uuid) : json_null());
#undef FLAG
#undef NUMBER
#undef TEXT
#undef SET
    return json;
}

static int print_json(const weft_device_info *devices, size_t n) {
    json_t *list = json_array();
    for (size_t i = 0; i < n; i++) {
        json_array_append_new(list, json_device(&devices[i]));
    }
    return json_print(list) ? EXIT_SUCCESS : EXIT_FAILURE;
}

/* ---- The command ----------------------------------------------------------------------------------- */

static int run(int argc, char **argv) {
    static const struct option options[] = {{"json", no_argument, NULL, 'j'}, {0}};
    bool json = false;
    for (int option; (option = getopt_long(argc, argv, "", options, NULL)) != -1;) {
        if (option != 'j') {
            return EXIT_USAGE;
        }
        json = true;
    }
    if (optind < argc) {
        fprintf(stderr, "%s: what is \"%s\"?\n", argv[0], argv[optind]);
        return EXIT_USAGE;
    }
    /* "any", not NULL: WEFT_DEVICE must not stand in for the first. Id 0 is asked for even when there is
     * none, since weft then says what is wrong. */
    size_t n = weft_number_of_devices("any");
    n = n ? n : 1;
    weft_device_info *devices = calloc(n, sizeof *devices);
    for (size_t i = 0; i < n; i++) {
        if (!devices || weft_device_get_info("any", (int)i, &devices[i]) != WEFT_OK) {
            fprintf(stderr, "%s: %s\n", argv[0], devices ? weft_error_message() : strerror(errno));
            free(devices);
            return EXIT_FAILURE;
        }
    }
    int status = json ? print_json(devices, n) : print_table(devices, n);
    free(devices);
    return status;
}

const command command_devices = {"devices", "devices [--json]", "lists the devices and what each can do", run};
