#include "device_option.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Splits "api:id". false when what follows the colon is no id. */
static bool parse(const char *who, const char *name, char api[64], int *id) {
    const char *colon = strchr(name, ':');
    size_t length = colon ? (size_t)(colon - name) : strlen(name);
    char *end = NULL;
    long value = colon ? strtol(colon + 1, &end, 10) : 0;
    snprintf(api, 64, "%.*s", length < 64 ? (int)length : 63, name);
    *id = (int)value;
    bool well_formed = length > 0 && length < 64 && (!colon || (end != colon + 1 && !*end && value >= 0 && value <= 9999));
    if (!well_formed) {
        fprintf(stderr, "%s: a device is api or api:id, not \"%s\"\n", who, name);
    }
    return well_formed;
}

bool device_option_list(const char *who, const char *name, weft_device_info **out, size_t *count) {
    char api[64] = "any";
    int id = 0;
    *out = NULL;
    *count = 1;
    if (name && !parse(who, name, api, &id)) {
        return false;
    }
    if (!name) {
        /* One is asked for even when there is none, since weft then says what is wrong. */
        size_t n = weft_number_of_devices(api);
        *count = n ? n : 1;
    }
    weft_device_info *devices = calloc(*count, sizeof *devices);
    for (size_t i = 0; i < *count; i++) {
        if (!devices || weft_device_get_info(api, id + (int)i, &devices[i]) != WEFT_OK) {
            fprintf(stderr, "%s: %s\n", who, devices ? weft_error_message() : strerror(errno));
            free(devices);
            return false;
        }
    }
    *out = devices;
    return true;
}

bool device_option_open(const char *who, const char *name, weft_context **out) {
    char api[64];
    weft_context_options options = {0};
    *out = NULL;
    if (name) {
        if (!parse(who, name, api, &options.device_id)) {
            return false;
        }
        options.api = api;
    }
    if (weft_context_create(&options, out) != WEFT_OK) {
        fprintf(stderr, "%s: %s\n", who, weft_error_message());
        return false;
    }
    return true;
}
