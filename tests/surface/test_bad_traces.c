/* Bad input to the timeline. */
#include <unistd.h>

#include "surface.h"

static const char path[] = "surface.json"; /* each program has a folder of its own */

static void bad_trace_start(void) {
    static char long_path[10000];
    memset(long_path, 'x', sizeof long_path - 1);
    REFUSES(INVALID_ARGUMENT, "path is NULL", weft_trace_start(NULL));
    REFUSES(INVALID_ARGUMENT, "path is empty", weft_trace_start(""));
    REFUSES(IO, "no_such_folder/a.json", weft_trace_start("no_such_folder/a.json"));
    REFUSES(IO, "path \"/\"", weft_trace_start("/"));
    REFUSES(IO, "path \"/dev/full\"", weft_trace_start("/dev/full"));
    REFUSES(IO, "File name too long", weft_trace_start(long_path));
    OK(weft_trace_start(path));
    REFUSES(INVALID_ARGUMENT, "a trace runs already", weft_trace_start("other.json"));
    REFUSES(INVALID_ARGUMENT, "path is NULL", weft_trace_start(NULL));
    OK(weft_trace_stop());
    ck_assert_int_ne(access("other.json", F_OK), 0);
}

static void bad_trace_stop(void) {
    OK(weft_trace_stop()); /* there is none */
    OK(weft_trace_start(path));
    OK(weft_trace_stop());
    OK(weft_trace_stop());
}

START_TEST(bad_trace_input_is_refused) {
    static const surface_row rows[] = {SURFACE_TRACES(SURFACE_ROW)};
    run_rows(rows, sizeof rows / sizeof *rows);
}
END_TEST

TESTS(bad_trace_input_is_refused)
