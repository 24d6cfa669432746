/* trace/clock: where a device's timestamps are put on the host's clock. */
#include "support.h"

#include "trace/clock.h"

/* A command as it really was, on the host's clock: enqueued in [enqueue, enqueue + 2000], queued in the middle of that, run
 * from start to end, seen `late` ns afterwards. The device's clock is `ahead` of the host's. */
typedef struct truth {
    uint64_t enqueue, start, end, late;
} truth;

static device_times device_of(truth t, uint64_t ahead) {
    return (device_times){t.enqueue + 1000 + ahead, t.start + ahead, t.end + ahead};
}

static host_bounds host_of(truth t, uint64_t after) {
    return (host_bounds){t.enqueue, t.enqueue + 2000, t.end + t.late, after};
}

/* Differences of both signs, and of clocks that started at any time. */
static const uint64_t aheads[] = {0, 1, 5000000000, (uint64_t)1 << 60, (uint64_t)-1, (uint64_t)-5000000000, (uint64_t)1 << 62};
enum { AHEADS = sizeof aheads / sizeof *aheads };

START_TEST(a_command_is_put_where_it_was) {
    for (int i = 0; i < AHEADS; i++) {
        device_clock clock = {0};
        truth t = {7000000000, 7000005000, 7000105000, 50000};
        device_times device = device_of(t, aheads[i]);
        host_bounds host = host_of(t, 0);
        clock_learn(&clock, &device, &host, 0);
        time_span span = clock_place(&clock, &device, &host);
        ck_assert_uint_eq(span.start, t.start); /* the middle of the bounds is the truth here */
        ck_assert_uint_eq(span.end, t.end);
    }
}
END_TEST

/* The first command says little, as its enqueue took long; the others say more. */
START_TEST(bounds_get_tighter) {
    for (int i = 0; i < AHEADS; i++) {
        device_clock clock = {0};
        truth first = {7000000000, 7030000000, 7030100000, 10000000}, next = {7050000000, 7050005000, 7050010000, 20000};
        device_times device = device_of(first, aheads[i]);
        host_bounds host = host_of(first, 0);
        host.enqueue_end = first.enqueue + 30000000;
        clock_learn(&clock, &device, &host, 0);
        ck_assert_int_gt(clock.most - clock.least, 9000000);
        device = device_of(next, aheads[i]);
        host = host_of(next, first.end);
        clock_learn(&clock, &device, &host, 0);
        ck_assert_int_le(clock.most - clock.least, 2000);
        time_span span = clock_place(&clock, &device, &host);
        ck_assert_uint_eq(span.start, next.start);
        ck_assert_uint_eq(span.end, next.end);
    }
}
END_TEST

/* 1000 s of clocks that drift apart by 1 in 10,000: each command stays within what its own enqueue says. */
START_TEST(drift_is_followed) {
    device_clock clock = {0};
    for (uint64_t second = 1; second <= 1000; second++) {
        truth t = {second * 1000000000, second * 1000000000 + 5000, second * 1000000000 + 9000, 3000};
        uint64_t ahead = 123456789 + second * 100000;
        device_times device = device_of(t, ahead);
        host_bounds host = host_of(t, 0);
        clock_learn(&clock, &device, &host, 0);
        time_span span = clock_place(&clock, &device, &host);
        ck_assert_uint_ge(span.start + 1000, t.start);
        ck_assert_uint_le(span.start, t.start + 1000);
        ck_assert_uint_eq(span.end - span.start, 4000);
    }
}
END_TEST

/* A clock that is set, as the time of day may be, is found again with the next command. */
START_TEST(a_jump_is_followed) {
    device_clock clock = {0};
    truth t = {1000000000, 1000005000, 1000009000, 3000}, u = {1001000000, 1001005000, 1001009000, 3000};
    device_times device = device_of(t, 0);
    host_bounds host = host_of(t, 0);
    clock_learn(&clock, &device, &host, 0);
    device = device_of(u, 3600000000000);
    host = host_of(u, t.end);
    clock_learn(&clock, &device, &host, 0);
    time_span span = clock_place(&clock, &device, &host);
    ck_assert_uint_eq(span.start, u.start);
    ck_assert_uint_eq(span.end, u.end);
}
END_TEST

static void check_bounds(time_span span, const host_bounds *host) {
    ck_assert_uint_ge(span.start, host->enqueue_start);
    ck_assert_uint_ge(span.start, host->after);
    ck_assert_uint_le(span.start, span.end);
    if (host->ended >= host->enqueue_start && host->ended >= host->after) ck_assert_uint_le(span.end, host->ended);
}

/* Whatever a driver says, nothing starts before its enqueue or the command before it, or ends after the host saw that. */
START_TEST(nonsense_stays_inside_the_bounds) {
    static const uint64_t values[] = {0, 1, 999, 1000, 5000, 1000000, (uint64_t)1 << 62, UINT64_MAX - 1, UINT64_MAX};
    enum { VALUES = sizeof values / sizeof *values };
    device_clock clock = {0};
    const host_bounds bounds[] = {{1000, 2000, 9000, 0}, {1000, 2000, 9000, 5000}, {1000, 9000, 9000, 1500},
                                  {1000, 1000, 1000, 1000}, {1000, 2000, 3000, 8000}};
    for (int q = 0; q < VALUES; q++)
        for (int s = 0; s < VALUES; s++)
            for (int e = 0; e < VALUES; e++)
                for (size_t b = 0; b < sizeof bounds / sizeof *bounds; b++) {
                    device_times device = {values[q], values[s], values[e]};
                    clock_learn(&clock, &device, &bounds[b], 1000);
                    check_bounds(clock_place(&clock, &device, &bounds[b]), &bounds[b]);
                }
}
END_TEST

START_TEST(a_length_is_kept_when_the_place_is_not) {
    device_clock clock = {.known = true, .least = 0, .most = 0, .at = 1000};
    device_times device = {0, 8000, 12000};
    host_bounds host = {1000, 2000, 10000, 0};
    time_span span = clock_place(&clock, &device, &host); /* it had ended at 10000 */
    ck_assert(span.start == 6000 && span.end == 10000);
    device = (device_times){0, 500, 4500};
    span = clock_place(&clock, &device, &host); /* it was enqueued at 1000 */
    ck_assert(span.start == 1000 && span.end == 5000);
}
END_TEST

START_TEST(without_timestamps_it_is_what_the_host_saw) {
    host_bounds host = {1000, 2000, 9000, 0};
    time_span span = clock_place_seen(&host);
    ck_assert(span.start == 1000 && span.end == 9000);
    host.after = 4000; /* its queue was busy until then */
    span = clock_place_seen(&host);
    ck_assert(span.start == 4000 && span.end == 9000);
    device_clock clock = {0};
    device_times device = {5, 6, 7};
    span = clock_place(&clock, &device, &host); /* nothing learnt */
    ck_assert(span.start == 4000 && span.end == 9000);
}
END_TEST

TESTS(a_command_is_put_where_it_was, bounds_get_tighter, drift_is_followed, a_jump_is_followed,
      nonsense_stays_inside_the_bounds, a_length_is_kept_when_the_place_is_not, without_timestamps_it_is_what_the_host_saw)
