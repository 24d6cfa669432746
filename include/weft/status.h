/* weft/status.h: what every call returns, and what it says when it fails.
 *
 * Conventions of the whole interface, stated once:
 *
 *  - A name with `enqueue` in it puts work on a context's in-order queue and returns. Every other
 *    call is immediate, or blocks and says so. Enqueued work starts without further calls.
 *  - Every call that can fail returns weft_status. Out-parameters come last and are NULL (or zero)
 *    on failure. A refused call changes nothing and leaves the context usable.
 *  - Sizes, offsets and lengths count elements unless the name ends in `_bytes`. Grid dimensions
 *    count blocks, block dimensions count threads.
 *  - Handles are reference counted. `create`, `compile` and `map` give the caller one reference,
 *    `_retain` adds one, `_release` drops one, `_release(NULL)` does nothing. A handle may be released
 *    the moment after work that uses it was enqueued: the work keeps what it needs.
 *  - Every function may be called from any thread, on any live handle, at the same time. Work
 *    enqueued by one thread keeps its order.
 *  - Bad input is refused before the driver sees it, with a message that names the argument, the
 *    limit and the value. weft never aborts, exits or prints.
 *  - After fork() in a process that had used the driver, every call in the child returns
 *    WEFT_ERROR_FORKED. Once exit() has begun, releases do nothing and other calls fail.
 */
#ifndef WEFT_STATUS_H
#define WEFT_STATUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define WEFT_VERSION_MAJOR 0
#define WEFT_VERSION_MINOR 1
#define WEFT_VERSION_PATCH 0

#if defined(__GNUC__)
#define WEFT_API __attribute__((visibility("default")))
#define WEFT_NODISCARD __attribute__((warn_unused_result))
#define WEFT_NORETURN __attribute__((noreturn))
#else
#define WEFT_API
#define WEFT_NODISCARD
#define WEFT_NORETURN
#endif

/* Every status: X(NAME, "what it means"). The enum, the names and the meanings come from here. */
#define WEFT_STATUS_LIST(X)                                                                                          \
    X(OK, "success")                                                                                                 \
    X(ERROR_INVALID_ARGUMENT, "NULL, zero dimension, wrong count, empty source, unknown attribute, foreign object")  \
    X(ERROR_OUT_OF_RANGE, "out of bounds, a product that overflows, or a value beyond the type's range")             \
    X(ERROR_TYPE_MISMATCH, "wrong dtype or kind of value, or a value that would be inexact")                         \
    X(ERROR_NO_DEVICE, "no device matches")                                                                          \
    X(ERROR_OUT_OF_HOST_MEMORY, "the host has no memory left")                                                       \
    X(ERROR_OUT_OF_DEVICE_MEMORY, "the driver refuses the memory")                                                   \
    X(ERROR_COMPILE_FAILED, "the source does not compile; weft_last_build_log() says why")                           \
    X(ERROR_FUNCTION_NOT_FOUND, "the program has no kernel of that name")                                            \
    X(ERROR_LAUNCH_LIMIT, "block size, local memory or work-items the device or driver cannot take")                 \
    X(ERROR_UNSUPPORTED, "the device lacks it")                                                                      \
    X(ERROR_EXECUTION_FAILED, "a kernel or a command failed while it ran")                                           \
    X(ERROR_DEVICE_LOST, "the device is gone for the rest of the process")                                           \
    X(ERROR_IO, "a stream or file failed")                                                                           \
    X(ERROR_FORKED, "the process forked after the driver was in use")                                                \
    X(ERROR_DRIVER, "anything else from the driver; see cl_code")

typedef enum weft_status {
#define WEFT_STATUS_ENUM(name, meaning) WEFT_##name,
    WEFT_STATUS_LIST(WEFT_STATUS_ENUM)
#undef WEFT_STATUS_ENUM
} weft_status;

/* A thread's last failure. The strings live until the thread's next failure; no heap is behind them. */
typedef struct weft_error {
    weft_status status;
    int32_t cl_code;      /* the driver's code, 0 when weft itself refused */
    const char *function; /* the weft function that failed, "" before any failure */
    const char *message;  /* one line that begins with the function's name, "" before any failure */
} weft_error;

/* The name of a status, such as "WEFT_ERROR_OUT_OF_RANGE"; "WEFT_ERROR_UNKNOWN" for a number that is none.
 * Immediate, never fails. */
WEFT_API const char *weft_status_name(weft_status status);

/* The calling thread's last failure. Borrowed, never NULL; a successful call leaves it as it was.
 * Immediate, never fails. */
WEFT_API const weft_error *weft_last_error(void);

/* The same as weft_last_error()->message. Immediate, never fails. */
WEFT_API const char *weft_error_message(void);

/* The whole log of the calling thread's last failed build, with the caller's own line numbers; "" if
 * there was none. Borrowed until this thread's next build. Immediate, never fails. */
WEFT_API const char *weft_last_build_log(void);

/* The library's version, "0.1.0". Immediate, never fails. */
WEFT_API const char *weft_version(void);

/* Prints the last failure with file and line to stderr and exits with status 1; under WEFT_CHECK. */
WEFT_API WEFT_NORETURN void weft_check_failed(const char *file, int line, const char *expression);

/* For examples and small programs: on failure prints the message with file and line, and exits with 1. */
#define WEFT_CHECK(expression)                                           \
    do {                                                                 \
        if ((expression) != WEFT_OK) {                                   \
            weft_check_failed(__FILE__, __LINE__, #expression);          \
        }                                                                \
    } while (0)

/* Drops a status on purpose. */
#define WEFT_IGNORE(expression)                        \
    do {                                               \
        weft_status weft_ignored_ = (expression);      \
        (void)weft_ignored_;                           \
    } while (0)

#ifdef __cplusplus
}
#endif

#endif
