/* weft/event.h: points in a context's queue that others wait for, ask about and measure between.
 *
 * An event is a slot. Recording puts the point "after everything enqueued on that context so far" into it; recording
 * again moves it there. An event that was never recorded counts as passed: waiting for it does nothing.
 * The model's DeviceEvent, and CUDA's events.
 */
#ifndef WEFT_EVENT_H
#define WEFT_EVENT_H

#include <weft/context.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct weft_event weft_event;

/* All zero is the default. */
typedef struct weft_event_options {
    bool timing;        /* for weft_event_elapsed_ns: refused where the device has no timestamps, so that it is known early */
    bool blocking_sync; /* weft_event_synchronize leaves the core to others, and may return some microseconds later */
} weft_event_options;

/* Creates an event for contexts on context's device, not recorded yet; options NULL means all zero. The caller owns
 * *out. Immediate.
 * Errors: INVALID_ARGUMENT (context or out is NULL); UNSUPPORTED (timing on a device without timestamps);
 * OUT_OF_HOST_MEMORY. Source: DeviceContext.create_event. */
WEFT_API WEFT_NODISCARD weft_status weft_event_create(weft_context *context, const weft_event_options *options,
                                                      weft_event **out);

/* Adds a reference and returns the event; NULL gives NULL. Immediate, never fails. */
WEFT_API weft_event *weft_event_retain(weft_event *event);

/* Drops a reference; NULL does nothing. Waits that were enqueued keep what they need. Never fails. */
WEFT_API void weft_event_release(weft_event *event);

/* Enqueues the point on context's queue; what the event held before is forgotten, though waits already enqueued for
 * it stay.
 * Errors: INVALID_ARGUMENT (NULL; context on another device than the event's); DEVICE_LOST; DRIVER.
 * Source: DeviceStream.record_event. */
WEFT_API WEFT_NODISCARD weft_status weft_event_record(weft_event *event, weft_context *context);

/* Work enqueued on context from now on waits until the point is passed. Enqueues, on the device's side; blocks when
 * context is on another device than the event, since no event of one driver holds back another.
 * Errors: INVALID_ARGUMENT (NULL); EXECUTION_FAILED (the work before the point has failed: nothing waits); DRIVER.
 * Source: DeviceStream.enqueue_wait_for. */
WEFT_API WEFT_NODISCARD weft_status weft_enqueue_wait_for_event(weft_context *context, weft_event *event);

/* Blocks until the point is passed. Other failures of the context's work surface at weft_synchronize.
 * Errors: INVALID_ARGUMENT (NULL; in a host function of the context that it was recorded on); EXECUTION_FAILED (the
 * work before the point failed); DEVICE_LOST; DRIVER. Source: DeviceEvent.synchronize. */
WEFT_API WEFT_NODISCARD weft_status weft_event_synchronize(weft_event *event);

/* Whether the point is passed; true for an event never recorded. *done is false on failure. Immediate.
 * Errors: INVALID_ARGUMENT (NULL); EXECUTION_FAILED (the work before the point failed); DRIVER.
 * Source: cudaEventQuery. */
WEFT_API WEFT_NODISCARD weft_status weft_event_query(weft_event *event, bool *done);

/* Nanoseconds on the device's clock from one point to another, 0 when end is the earlier one. Blocks until both are
 * passed. *out is 0 on failure.
 * Errors: INVALID_ARGUMENT (NULL; never recorded; events of two devices); UNSUPPORTED (recorded on a context without
 * timing, or the device's timestamps are no times); EXECUTION_FAILED; DRIVER.
 * Source: cudaEventElapsedTime; CL_PROFILING_COMMAND_END (OpenCL 5.14). */
WEFT_API WEFT_NODISCARD weft_status weft_event_elapsed_ns(weft_event *start, weft_event *end, uint64_t *out);

#ifdef __cplusplus
}
#endif

#endif
