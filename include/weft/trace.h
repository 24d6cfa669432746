/* weft/trace.h: a timeline of what a program does on its devices.
 *
 * WEFT_TRACE=file.json in the environment traces a whole process without a change to the program; the calls below
 * trace a part of it. The file is JSON in Chrome's trace event format, which ui.perfetto.dev and `weft trace report`
 * read. It holds the host's calls, a lane for each thread, and the device's commands, a lane for each context, on one
 * time axis. It is written as the program runs; one that was cut off is readable up to there.
 *
 * A context made while a trace runs has a profiling queue, whose commands have device timestamps. Of other contexts
 * the trace has the host's calls only. Where a device's timestamps are no times (rusticl), its lanes show when the
 * host saw a command end.
 */
#ifndef WEFT_TRACE_H
#define WEFT_TRACE_H

#include <weft/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Starts tracing into a new file; one that exists is replaced. Immediate.
 * Errors: INVALID_ARGUMENT (NULL or empty path; a trace runs already); IO (the file cannot be written; the message says
 * why); OUT_OF_HOST_MEMORY. */
WEFT_API WEFT_NODISCARD weft_status weft_trace_start(const char *path);

/* Ends the trace and the file. Blocks until the commands traced so far have ended. Without a trace it does nothing.
 * Errors: IO (the disk is full, for example: the file ends with the last event that was written). */
WEFT_API WEFT_NODISCARD weft_status weft_trace_stop(void);

#ifdef __cplusplus
}
#endif

#endif
