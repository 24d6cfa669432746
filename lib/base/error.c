#include "base/error.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/process.h"

_Thread_local const char *error_function = "";

static _Thread_local error_copy record = {.error = {WEFT_OK, 0, "", ""}};

static const struct {
    const char *name;
} status_table[] = {
#define STATUS_ROW(name, meaning) {"WEFT_" #name},
    WEFT_STATUS_LIST(STATUS_ROW)
#undef STATUS_ROW
};

WEFT_API const char *weft_status_name(weft_status status) {
    size_t index = (size_t)status;
    return index < sizeof status_table / sizeof *status_table ? status_table[index].name : "WEFT_ERROR_UNKNOWN";
}

static weft_status record_failure(weft_status status, int32_t cl_code, const char *format, va_list arguments) {
    int used = snprintf(record.message, sizeof record.message, "%s: ", error_function);
    size_t at = used < 0 ? 0 : (size_t)used < sizeof record.message ? (size_t)used : sizeof record.message - 1;
    vsnprintf(record.message + at, sizeof record.message - at, format, arguments);
    for (char *c = record.message; *c; c++) { /* one line, whatever the caller's strings hold */
        *c = (unsigned char)*c < ' ' ? ' ' : *c;
    }
    record.error = (weft_error){status, cl_code, error_function, record.message};
    record.failures++;
    return status;
}

weft_status error_set(weft_status status, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    record_failure(status, 0, format, arguments);
    va_end(arguments);
    return status;
}

weft_status error_set_cl(weft_status status, int32_t cl_code, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    record_failure(status, cl_code, format, arguments);
    va_end(arguments);
    return status;
}

weft_status error_null(const char *argument) {
    return error_set(WEFT_ERROR_INVALID_ARGUMENT, "%s is NULL", argument);
}

weft_status error_host_memory(size_t size_bytes) {
    return error_set(WEFT_ERROR_OUT_OF_HOST_MEMORY, "the host has no memory left for %zu bytes", size_bytes);
}

/* The message's address stays right, since the copy goes back to where it came from. */
void error_save(error_copy *out) {
    *out = record;
}

void error_restore(const error_copy *saved) {
    record = *saved;
}

unsigned error_failures(void) {
    return record.failures;
}

WEFT_API const weft_error *weft_last_error(void) {
    return &record.error;
}

WEFT_API const char *weft_error_message(void) {
    return record.error.message;
}

/* The log is the one part of the record that has no bound; its heap block goes with the thread. */
static _Thread_local char *build_log;
static pthread_key_t build_log_key;
static pthread_once_t build_log_once = PTHREAD_ONCE_INIT;
static bool build_log_key_made;

static void build_log_init(void) {
    build_log_key_made = pthread_key_create(&build_log_key, free) == 0;
}

void error_set_build_log(char *log) {
    pthread_once(&build_log_once, build_log_init);
    if (build_log_key_made && pthread_setspecific(build_log_key, log) != 0) {
        free(log);
        log = NULL;
        pthread_setspecific(build_log_key, NULL);
    }
    free(build_log);
    build_log = log;
}

WEFT_API const char *weft_last_build_log(void) {
    return build_log ? build_log : "";
}

#define VERSION_TEXT_(major, minor, patch) #major "." #minor "." #patch
#define VERSION_TEXT(major, minor, patch) VERSION_TEXT_(major, minor, patch)

WEFT_API const char *weft_version(void) {
    return VERSION_TEXT(WEFT_VERSION_MAJOR, WEFT_VERSION_MINOR, WEFT_VERSION_PATCH);
}

WEFT_API WEFT_NORETURN void weft_check_failed(const char *file, int line, const char *expression) {
    fprintf(stderr, "%s:%d: %s\n  %s (%s)\n", file, line, expression, record.error.message,
            weft_status_name(record.error.status));
    if (record.error.status == WEFT_ERROR_COMPILE_FAILED) {
        fprintf(stderr, "%s\n", weft_last_build_log());
    }
    exit(1);
}
