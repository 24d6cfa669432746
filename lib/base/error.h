/* The calling thread's record of its last failure. */
#ifndef BASE_ERROR_H
#define BASE_ERROR_H

#include <weft/status.h>

/* The public function the thread is in. Initial-exec: one instruction on every call's path. */
extern _Thread_local const char *error_function __attribute__((tls_model("initial-exec")));

/* Records a failure of the current public function and returns status. The message gets the function's name
 * in front: say argument, limit and value. */
weft_status error_set(weft_status status, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The same with the driver's code. */
weft_status error_set_cl(weft_status status, int32_t cl_code, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* The shorthands that nearly every check ends in. */
weft_status error_null(const char *argument);
weft_status error_host_memory(size_t size_bytes);

/* The record as it is, and back: around work whose failure is no failure of the call. */
typedef struct error_copy {
    weft_error error;
    char message[1024];
    unsigned failures; /* so far */
} error_copy;
void error_save(error_copy *out);
void error_restore(const error_copy *saved);

/* How many failures the thread has recorded, less those that were put back. */
unsigned error_failures(void);

/* Makes log (malloc'ed, may be NULL) the thread's build log; ownership passes. */
void error_set_build_log(char *log);

#endif
