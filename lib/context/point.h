/* A point in a queue: an event of a marker behind everything enqueued so far. */
#ifndef CONTEXT_POINT_H
#define CONTEXT_POINT_H

#include "context/context.h"

/* Makes one, flushed. The result is the driver's code. */
cl_int point_enqueue(weft_context *context, cl_event *out);

/* CL_COMPLETE, still running (positive), or the failure of what is before it (negative). */
cl_int point_status(const device_entry *entry, cl_event point);

/* Whether all before it has ended, well or not; false too when the driver does not say. */
bool point_has_ended(const device_entry *entry, cl_event point);

/* Blocks until then; `sleep` leaves the core to others. */
cl_int point_wait(const device_entry *entry, cl_event point, bool sleep);

void point_release(const device_entry *entry, cl_event point); /* NULL does nothing */

#endif
