/* Calls into the driver, and what its codes mean. */
#ifndef CL_DRIVER_H
#define CL_DRIVER_H

#include <CL/cl.h>

#include "base/error.h"
#include "base/process.h"
#include "cl/discover.h"

/* Every driver call on a device goes through DRIVER(entry, statement): drivers that are not thread-safe see
 * one call at a time. */
#define DRIVER(entry, statement)                               \
    do {                                                       \
        bool serial_ = (entry)->quirks & QUIRK_NOT_THREAD_SAFE; \
        if (serial_) {                                         \
            driver_lock();                                     \
        }                                                      \
        statement;                                             \
        if (serial_) {                                         \
            driver_unlock();                                   \
        }                                                      \
    } while (0)

/* Around what exit() must not overtake on drivers that crash when it finds work in flight. */
static inline weft_status driver_hold_exit(const device_entry *entry) {
    return entry->quirks & QUIRK_DRAIN_BEFORE_EXIT && !process_hold_exit() ? process_refuse() : WEFT_OK;
}
static inline void driver_let_exit(const device_entry *entry) {
    if (entry->quirks & QUIRK_DRAIN_BEFORE_EXIT) {
        process_let_exit();
    }
}

void driver_lock(void);
void driver_unlock(void);

/* At exit: nobody gets into a driver that is not thread-safe any more. Gives up after a while. */
void driver_lock_for_good(void);

/* "CL_INVALID_VALUE"; "unknown OpenCL error" for a code that is none. */
const char *driver_code_name(cl_int code);

/* Records that a driver call failed, and returns the status its code means. */
weft_status driver_error(const device_entry *entry, const char *call, cl_int code);

/* The same under a status the caller knows better, with what it was doing. */
weft_status driver_error_as(weft_status status, const device_entry *entry, const char *call, cl_int code, const char *doing);

#endif
