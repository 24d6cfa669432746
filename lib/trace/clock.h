/* Where a device's timestamps lie on the host's clock.
 *
 * Each command bounds the difference between the two: its enqueue began before the driver queued it, and it ended before
 * the host saw that it had. The bounds of many commands are held together, and given up when clocks drift apart.
 */
#ifndef TRACE_CLOCK_H
#define TRACE_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

/* All zero knows nothing. */
typedef struct device_clock {
    bool known;
    int64_t least, most; /* what to add to a timestamp for the host's time */
    uint64_t at;         /* the host's time when they were found */
} device_clock;

/* When a command was queued, started and ended on the device's clock. */
typedef struct device_times {
    uint64_t queued, start, end;
} device_times;

/* What the host knows of a command. */
typedef struct host_bounds {
    uint64_t enqueue_start, enqueue_end;
    uint64_t ended; /* by then it had */
    uint64_t after; /* the end of the command before it in its queue */
} host_bounds;

typedef struct time_span {
    uint64_t start, end;
} time_span;

uint64_t clock_now_ns(void);

/* resolution_ns: the steps of the device's clock. */
void clock_learn(device_clock *clock, const device_times *device, const host_bounds *host, uint64_t resolution_ns);

/* The command on the host's clock: as long as on the device's where the bounds allow, and never outside of them. */
time_span clock_place(const device_clock *clock, const device_times *device, const host_bounds *host);

/* The same where the device says nothing: from its enqueue, or from the end of the command before it. */
time_span clock_place_seen(const host_bounds *host);

#endif
