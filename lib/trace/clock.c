#include "trace/clock.h"

#include <time.h>

/* Clocks that are not steered together drift by less than 1 in this. */
enum { DRIFT = 2000 };

uint64_t clock_now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static uint64_t later(uint64_t a, uint64_t b) {
    return a > b ? a : b;
}

/* Differences wrap around, as both clocks may have started at any time. */
static int64_t difference(uint64_t host, uint64_t device) {
    return (int64_t)(host - device);
}

void clock_learn(device_clock *clock, const device_times *device, const host_bounds *host, uint64_t resolution_ns) {
    int64_t step = (int64_t)resolution_ns;
    int64_t least = difference(host->enqueue_start, device->queued) - step;
    int64_t most = difference(host->enqueue_end, device->queued) + step;
    int64_t by_start = difference(host->enqueue_start, device->start) - step;
    int64_t by_end = difference(host->ended, device->end) + step;
    least = by_start > least ? by_start : least;
    most = by_end < most ? by_end : most;
    if (least > most) {
        return; /* such timestamps say nothing */
    }
    int64_t drift = host->enqueue_end > clock->at ? (int64_t)((host->enqueue_end - clock->at) / DRIFT) : 0;
    int64_t old_least = clock->least - drift, old_most = clock->most + drift;
    bool agrees = clock->known && old_least <= most && least <= old_most;
    clock->least = agrees && old_least > least ? old_least : least;
    clock->most = agrees && old_most < most ? old_most : most;
    clock->at = host->enqueue_end;
    clock->known = true;
}

static uint64_t first_moment(const host_bounds *host) {
    return later(host->enqueue_start, host->after);
}

time_span clock_place(const device_clock *clock, const device_times *device, const host_bounds *host) {
    if (!clock->known || device->end < device->start) {
        return clock_place_seen(host);
    }
    uint64_t offset = (uint64_t)(clock->least + (clock->most - clock->least) / 2), length = device->end - device->start;
    uint64_t last = later(host->ended, first_moment(host)), end = device->end + offset;
    end = difference(end, last) > 0 ? last : end;
    uint64_t start = later(length < end ? end - length : 0, first_moment(host));
    start = start < last ? start : last;
    return (time_span){start, length < last - start ? start + length : last};
}

time_span clock_place_seen(const host_bounds *host) {
    uint64_t start = first_moment(host);
    return (time_span){start, later(start, host->ended)};
}
