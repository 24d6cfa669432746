/* The model's test_print and test_printf: every thread's line reaches stdout once. */
#include <stdio.h>
#include <unistd.h>

#include "support.h"

enum { BLOCKS = 4, BLOCK = 16, LINES = BLOCKS * BLOCK };

static const char source[] =
    "kernel void say(global int *out, int base, float x) {\n"
    "    int i = get_global_id(0);\n"
    "    printf(\"thread %d of block %d says %.2f\\n\", base + i, (int)get_group_id(0), x);\n"
    "    out[i] = i;\n"
    "}\n";

/* stdout goes to file while the launch runs; asserts wait until it is back. */
static weft_status say_into(FILE *file, weft_function *say, weft_device_buffer *out, int base) {
    fflush(stdout);
    int saved = dup(STDOUT_FILENO);
    dup2(fileno(file), STDOUT_FILENO);
    weft_status status = weft_enqueue_function(test_context(), say, BLOCKS, BLOCK, out, base, 2.5f);
    if (!status) {
        status = weft_synchronize(test_context());
    }
    fflush(stdout);
    dup2(saved, STDOUT_FILENO);
    close(saved);
    return status;
}

/* Case C82 from public reports. */
START_TEST(c82_each_thread_prints_one_line) {
    FILE *file = tmpfile();
    weft_device_buffer *out = test_device_buffer(WEFT_INT32, LINES);
    weft_function *say = test_function(source, "say");
    ck_assert_ptr_nonnull(file);
    OK(say_into(file, say, out, 0));
    OK(say_into(file, say, out, LINES)); /* and each launch its own */
    rewind(file);
    int seen[2 * LINES] = {0};
    char line[128];
    for (int n = 0; n < 2 * LINES; n++) {
        int thread = -1, block = -1, end = 0;
        ck_assert_msg(fgets(line, sizeof line, file) != NULL, "only %d lines", n);
        ck_assert_msg(sscanf(line, "thread %d of block %d says 2.50%n", &thread, &block, &end) == 2 && line[end] == '\n',
                      "line %d: %s", n, line);
        ck_assert_msg(thread >= 0 && thread < 2 * LINES && !seen[thread], "line %d: %s", n, line);
        ck_assert_int_eq(block, thread % LINES / BLOCK);
        ck_assert_int_eq(thread / LINES, n / LINES); /* the first launch before the second */
        seen[thread] = 1;
    }
    ck_assert_ptr_null(fgets(line, sizeof line, file));
    fclose(file);
    int32_t got[LINES];
    test_read(out, got);
    for (int i = 0; i < LINES; i++) {
        ck_assert_int_eq(got[i], i);
    }
}
END_TEST

/* More than any buffer for it holds: lines may be lost, nothing else. */
START_TEST(c82_a_flood_of_lines) {
    const size_t blocks = test_size(1600, 20);
    FILE *file = tmpfile();
    weft_device_buffer *out = test_device_buffer(WEFT_INT32, blocks * 64);
    weft_function *say = test_function(source, "say");
    ck_assert_ptr_nonnull(file);
    fflush(stdout);
    int saved = dup(STDOUT_FILENO);
    dup2(fileno(file), STDOUT_FILENO);
    weft_status status = weft_enqueue_function(test_context(), say, blocks, 64, out, 0, 2.5f);
    status = status ? status : weft_synchronize(test_context());
    fflush(stdout);
    dup2(saved, STDOUT_FILENO);
    close(saved);
    OK(status);
    ck_assert_int_gt(ftell(file), 0);
    fclose(file);
    int32_t *got = calloc(blocks * 64, sizeof *got);
    ck_assert_ptr_nonnull(got);
    test_read(out, got);
    for (size_t i = 0; i < blocks * 64; i++) {
        if (got[i] != (int32_t)i) ck_abort_msg("thread %zu stored %d", i, got[i]);
    }
    free(got);
    test_context_works(test_context());
}
END_TEST

TESTS(c82_each_thread_prints_one_line, c82_a_flood_of_lines)
