/* trace/event_file: strings and times as JSON has them, and what is on the disk when writing fails. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

#include "support.h"

#include "trace/event_file.h"

static const char *quoted(const char *string) {
    static event_line line;
    line.length = 0;
    line_string(&line, string);
    line.text[line.length] = '\0';
    return line.text;
}

START_TEST(strings_are_escaped) {
    static const struct {
        const char *string, *expected;
    } rows[] = {
        {"", "\"\""},
        {"vector_add", "\"vector_add\""},
        {"a\"b\\c/d", "\"a\\\"b\\\\c/d\""},
        {"\t\n\x01\x1f\x7f", "\"\\u0009\\u000a\\u0001\\u001f\\u007f\""},
        {"\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80", "\"\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80\""},
        {"\xff", "\"\\ufffd\""},
        {"a\xc3", "\"a\\ufffd\""},                         /* cut off */
        {"\xc0\xaf", "\"\\ufffd\\ufffd\""},                /* too long a form */
        {"\xed\xa0\x80", "\"\\ufffd\\ufffd\\ufffd\""},     /* half of a pair */
        {"\xf4\x90\x80\x80", "\"\\ufffd\\ufffd\\ufffd\\ufffd\""}, /* beyond the last character */
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) ck_assert_str_eq(quoted(rows[i].string), rows[i].expected);
}
END_TEST

START_TEST(long_strings_end) {
    char string[5000];
    memset(string, 1, sizeof string - 1);
    string[sizeof string - 1] = '\0';
    const char *text = quoted(string);
    size_t length = strlen(text);
    ck_assert_uint_le(length, 1002);
    ck_assert_uint_eq((length - 2) % 6, 0);
    ck_assert(text[0] == '"' && text[length - 1] == '"');
}
END_TEST

START_TEST(times_are_microseconds) {
    static const struct {
        uint64_t ns;
        const char *expected;
    } rows[] = {{0, "0.000"}, {1, "0.001"}, {999, "0.999"}, {1000, "1.000"}, {1234567, "1234.567"},
                {UINT64_MAX, "18446744073709551.615"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        event_line line = {.length = 0};
        line_us(&line, rows[i].ns);
        line.text[line.length] = '\0';
        ck_assert_str_eq(line.text, rows[i].expected);
    }
}
END_TEST

static const char path[] = "events.json"; /* each program has a folder of its own */

static char *contents(void) {
    static char text[1 << 20];
    FILE *stream = fopen(path, "r");
    ck_assert_ptr_nonnull(stream);
    text[fread(text, 1, sizeof text - 1, stream)] = '\0';
    fclose(stream);
    return text;
}

static void add(event_file *file, const char *event) {
    event_line line = {.length = 0};
    line_printf(&line, "%s", event);
    file_add(file, &line);
}

START_TEST(a_file_is_an_array) {
    static event_file file;
    ck_assert_int_eq(file_open(&file, path), 0);
    add(&file, "{\"a\":1}");
    file_flush(&file);
    ck_assert_str_eq(contents(), "[\n{\"a\":1}");
    add(&file, "{\"b\":2}");
    ck_assert_int_eq(file_close(&file), 0);
    ck_assert_str_eq(contents(), "[\n{\"a\":1},\n{\"b\":2}\n]\n");
    ck_assert_int_eq(file_open(&file, path), 0); /* again, from nothing */
    ck_assert_str_eq(contents(), "");
    ck_assert_int_eq(file_close(&file), 0);
    ck_assert_int_eq(file_open(&file, "no_such_folder/events.json"), ENOENT);
}
END_TEST

/* What is full here is not the disk but what the process may write to one file. */
START_TEST(a_full_disk_leaves_whole_events) {
    static event_file file;
    struct rlimit before, small;
    signal(SIGXFSZ, SIG_IGN);
    ck_assert_int_eq(getrlimit(RLIMIT_FSIZE, &before), 0);
    small = before;
    small.rlim_cur = 100000;
    ck_assert_int_eq(file_open(&file, path), 0);
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &small), 0);
    for (int i = 0; i < 20000; i++) add(&file, "{\"event\":1}");
    int error = file_close(&file);
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &before), 0);
    ck_assert_int_eq(error, EFBIG);
    const char *text = contents();
    size_t length = strlen(text), tail = strlen("{\"event\":1}\n]\n");
    ck_assert_uint_gt(length, 50000);
    ck_assert_uint_le(length, 100000);
    ck_assert_str_eq(text + length - tail, "{\"event\":1}\n]\n");
}
END_TEST

TESTS(strings_are_escaped, long_strings_end, times_are_microseconds, a_file_is_an_array, a_full_disk_leaves_whole_events)
