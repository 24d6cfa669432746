/* tests/support: what every test program shares.
 *
 * A test program is one file, test_NAME.c, with START_TEST functions and TESTS(...) naming them, run once
 * per driver by tests/run.py. Tests run in one process without forking (drivers do not survive a fork); a test that
 * must die does so in a child program of its own.
 */
#ifndef TESTS_SUPPORT_H
#define TESTS_SUPPORT_H

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include <weft/weft.h>

/* The call succeeds; on failure the test shows weft's own message. */
#define OK(call)                                                                                         \
    do {                                                                                                 \
        weft_status status_ = (call);                                                                    \
        ck_assert_msg(status_ == WEFT_OK, "%s: %s: %s", #call, weft_status_name(status_), weft_error_message()); \
    } while (0)

/* The call fails with exactly this status, and leaves a record that says so. */
#define FAILS(expected, call)                                                                            \
    do {                                                                                                 \
        weft_status status_ = (call);                                                                    \
        ck_assert_msg(status_ == (expected), "%s: %s instead of %s (%s)", #call, weft_status_name(status_), #expected, \
                      weft_error_message());                                                             \
        ck_assert_msg(weft_last_error()->status == (expected) && weft_error_message()[0], "%s: no record", #call); \
    } while (0)

/* The last failure's message contains the text. */
#define SAYS(text)                                                                                      \
    ck_assert_msg(strstr(weft_error_message(), (text)) != NULL, "\"%s\" does not say \"%s\"", weft_error_message(), (text))

/* Leaves the test, which counts as skipped for that reason. */
#define SKIP(reason)         \
    do {                     \
        test_skip(reason);   \
        return;              \
    } while (0)

void test_skip(const char *reason);

/* A context on the default device, made for this test and released after it. */
weft_context *test_context(void);

/* A context on another device than test_context()'s, made for this test and released after it; NULL when
 * there is only one device. */
weft_context *test_other_device(void);

/* The api token of the default device: "pocl", "rusticl", "oclgrind", "nvidia". */
const char *test_driver(void);
static inline bool on_driver(const char *token) { return strcmp(test_driver(), token) == 0; }

/* Slow emulators get smaller work: full on real drivers, small on Oclgrind and rusticl. */
size_t test_size(size_t full, size_t small);

/* Handles on test_context(), with unspecified contents, released after the test. */
weft_device_buffer *test_device_buffer(weft_dtype dtype, size_t length);
weft_host_buffer *test_host_buffer(weft_dtype dtype, size_t length);
weft_device_buffer *test_view(weft_device_buffer *buffer, weft_dtype dtype, size_t offset, size_t length);
weft_function *test_function(const char *source, const char *name);

/* Copies host data (size_bytes of it) into a device buffer and back, and waits. */
void test_write(weft_device_buffer *buffer, const void *data);
void test_read(weft_device_buffer *buffer, void *data);

/* The context still works: compiles a kernel, runs it, checks its result. */
void test_context_works(weft_context *context);

/* The program: runs these tests in this order. */
#define TESTS(...)                                            \
    int main(void) {                                          \
        const TTest *const tests[] = {__VA_ARGS__, NULL};     \
        return test_main(__FILE__, tests);                    \
    }

int test_main(const char *file, const TTest *const *tests);

#endif
