/* What every public function starts with, and the visibility of what is exported. */
#ifndef BASE_API_H
#define BASE_API_H

#include <stdint.h>

#include "base/error.h"
#include "base/process.h"

#define UNLIKELY(condition) __builtin_expect(!!(condition), 0)

/* Who is told of public calls, while somebody is. */
typedef struct api_watcher {
    uint64_t (*begin)(const char *name); /* 0: not to be told of the end */
    void (*end)(uint64_t begun, const char *name);
} api_watcher;
extern const api_watcher *_Atomic api_watcher_now; /* NULL for none */

typedef struct api_call {
    uint64_t begun;
    const char *name;
} api_call;
void api_call_end(uint64_t begun, const char *name);

static inline __attribute__((always_inline)) api_call api_call_begin(const char *name) {
    const api_watcher *watcher = atomic_load_explicit(&api_watcher_now, memory_order_relaxed);
    return (api_call){UNLIKELY(watcher) ? watcher->begin(name) : 0, name};
}

static inline __attribute__((always_inline)) void api_call_leave(const api_call *call) {
    if (UNLIKELY(call->begun)) {
        api_call_end(call->begun, call->name);
    }
}

/* Names the public function for the error record, and refuses when the process has forked or is exiting. */
#define API_ENTER_AS(name)                                                                    \
    __attribute__((cleanup(api_call_leave), unused)) const api_call api_call_ = api_call_begin(name); \
    do {                                                                                      \
        error_function = (name);                                                              \
        if (UNLIKELY(process_state())) {                                                      \
            return process_refuse();                                                          \
        }                                                                                     \
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
