/* What every public function starts with, and the visibility of what is exported. */
#ifndef BASE_API_H
#define BASE_API_H

#include "base/error.h"
#include "base/process.h"

#define UNLIKELY(condition) __builtin_expect(!!(condition), 0)

/* Names the public function for the error record, and refuses when the process has forked or is exiting. */
#define API_ENTER_AS(name)               \
    do {                                 \
        error_function = (name);         \
        if (UNLIKELY(process_state())) { \
            return process_refuse();     \
        }                                \
    } while (0)
#define API_ENTER() API_ENTER_AS(__func__)

/* For public functions that return no status. */
#define API_IS_DOWN() UNLIKELY(process_state())

/* Inside a function with one exit: on failure, on to its cleanup with `status` set. */
#define TRY(expression)        \
    do {                       \
        status = (expression); \
        if (status) {          \
            goto cleanup;      \
        }                      \
    } while (0)

#endif
