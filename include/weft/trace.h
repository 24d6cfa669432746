/* weft/trace.h: a timeline of what a program does on its devices.
 *
 * WEFT_TRACE=file.json in the environment traces a whole process without a change to the program, from its first call of
 * weft to its exit; %p in the path becomes the process id, so that several processes have a file each. When that file
 * cannot be written, the program runs untraced, and weft_trace_stop says why. The calls below trace a part of a program.
 *
 * The file is JSON in Chrome's trace event format, which ui.perfetto.dev and `weft trace report` read. It holds the host's
 * calls that can fail, a lane for each thread, and the device's commands, a lane for each context, on one time axis, with
 * an arrow from each enqueue to what it enqueued, and the memory held on each device. It is written as the program runs, at
 * least every 100 ms; one that was cut off is readable up to there.
 *
 * A context made while a trace runs has a profiling queue, whose commands have device timestamps. Of other contexts
 * the trace has the host's calls only. A command is never shown to start before its enqueue, nor to end after a wait for it
 * has. Where a device's timestamps are no times (rusticl), its lanes show when the host saw a command end.
 *
 * Profiling costs what the driver asks for it: on an H200 about 8 us a launch. When events come faster than they can be
 * written, calls wait for up to 0.2 s; what is left out after that is counted in an event of its own. The child of a fork has
 * no trace.
 */
#ifndef WEFT_TRACE_H
#define WEFT_TRACE_H

#include <weft/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Starts tracing into a new file; one that exists is replaced. %p in the path becomes the process id. Immediate.
 * Errors: INVALID_ARGUMENT (NULL or empty path; a trace runs already); IO (the file cannot be written; the message says
 * why); OUT_OF_HOST_MEMORY. */
WEFT_API WEFT_NODISCARD weft_status weft_trace_start(const char *path);

/* Ends the trace and the file. Blocks until the commands traced so far have ended. Without a trace it does nothing.
 * Errors: IO (the disk is full, for example: the file ends with the last event that was written; or WEFT_TRACE named a file
 * that could not be written, told once); INVALID_ARGUMENT (in a host function, behind which commands wait). */
WEFT_API WEFT_NODISCARD weft_status weft_trace_stop(void);

#ifdef __cplusplus
}
#endif

#endif
