#include "verdict.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void wrong(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fputs("WRONG: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    abort();
}

/* "WEFT_ERROR_A or WEFT_ERROR_B". */
static void name_all(faults expected, char *out, size_t size) {
    out[0] = '\0';
    for (unsigned i = 0; i < 32; i++) {
        if (expected >> i & 1) {
            size_t used = strlen(out);
            snprintf(out + used, size - used, "%s%s", used ? " or " : "", weft_status_name((weft_status)i));
        }
    }
}

bool verdict(faults expected, weft_status status, const char *call) {
    expected = expected ? expected : FAULT(WEFT_OK);
    if (!(expected >> status & 1)) {
        char names[400];
        name_all(expected, names, sizeof names);
        wrong("%s gave %s instead of %s (%s)", call, weft_status_name(status), names, weft_error_message());
    }
    if (status != WEFT_OK) {
        const weft_error *error = weft_last_error();
        CHECK(error->status == status, "%s: the record says %s", call, weft_status_name(error->status));
        CHECK(error->function[0] && strncmp(error->message, error->function, strlen(error->function)) == 0,
              "%s: \"%s\" does not begin with the function's name", call, error->message);
    }
    return status == WEFT_OK;
}
