/* trace/ring: order, bounds, closing, and many threads that write to one that reads. */
#include <pthread.h>
#include <sched.h>

#include "support.h"

#include "trace/ring.h"

enum { CELLS = 8 };

static void put(ring *r, uint64_t value) {
    uint64_t position;
    trace_record *record = ring_take(r, &position);
    ck_assert_ptr_nonnull(record);
    record->bytes = value;
    ring_publish(r, position);
}

START_TEST(records_come_out_in_order) {
    ring r = {0};
    trace_record out;
    ck_assert(ring_open(&r, CELLS));
    ck_assert(!ring_pop(&r, &out));
    for (uint64_t round = 0; round < 5 * CELLS; round += 3) {
        for (uint64_t i = 0; i < 3; i++) put(&r, round + i);
        ck_assert_uint_eq(ring_end(&r), round + 3);
        for (uint64_t i = 0; i < 3; i++) {
            ck_assert(ring_pop(&r, &out));
            ck_assert_uint_eq(out.bytes, round + i);
        }
        ck_assert(!ring_pop(&r, &out));
    }
    ring_forget(&r);
}
END_TEST

START_TEST(a_full_ring_takes_nothing) {
    ring r = {0};
    trace_record out;
    uint64_t position;
    ck_assert(ring_open(&r, CELLS));
    for (uint64_t i = 0; i < CELLS; i++) put(&r, i);
    ck_assert_ptr_null(ring_take(&r, &position));
    ck_assert(ring_pop(&r, &out));
    put(&r, CELLS);
    ck_assert_ptr_null(ring_take(&r, &position));
    for (uint64_t i = 1; i <= CELLS; i++) {
        ck_assert(ring_pop(&r, &out));
        ck_assert_uint_eq(out.bytes, i);
    }
    ring_forget(&r);
}
END_TEST

START_TEST(what_is_being_written_is_not_read) {
    ring r = {0};
    trace_record out;
    uint64_t first, second;
    ck_assert(ring_open(&r, CELLS));
    trace_record *one = ring_take(&r, &first), *two = ring_take(&r, &second);
    ck_assert(one && two && one != two);
    two->bytes = 2;
    ring_publish(&r, second);
    ck_assert(!ring_pop(&r, &out)); /* the first comes first */
    one->bytes = 1;
    ring_publish(&r, first);
    for (uint64_t i = 1; i <= 2; i++) {
        ck_assert(ring_pop(&r, &out));
        ck_assert_uint_eq(out.bytes, i);
    }
    ring_forget(&r);
}
END_TEST

START_TEST(a_closed_ring_takes_nothing_until_it_is_opened) {
    ring r = {0};
    trace_record out;
    uint64_t position;
    ck_assert(ring_is_closed(&r));
    ck_assert_ptr_null(ring_take(&r, &position));
    ck_assert(ring_open(&r, CELLS) && !ring_is_closed(&r));
    put(&r, 7);
    ck_assert_uint_eq(ring_close(&r), 1);
    ck_assert(ring_is_closed(&r));
    ck_assert_uint_eq(ring_end(&r), 1);
    ck_assert_ptr_null(ring_take(&r, &position));
    ck_assert(ring_pop(&r, &out) && out.bytes == 7);
    ck_assert(ring_open(&r, CELLS));
    put(&r, 8);
    ck_assert(ring_pop(&r, &out) && out.bytes == 8);
    ring_forget(&r);
    ck_assert(ring_is_closed(&r));
    ck_assert_ptr_null(ring_take(&r, &position));
}
END_TEST

/* ---- Threads --------------------------------------------------------------------------------------- */

enum { WRITERS = 4, EACH = 20000 };

typedef struct shared {
    ring ring;
    atomic_uint next_writer;
} shared;

static void *write_many(void *argument) {
    shared *s = argument;
    uint64_t self = atomic_fetch_add(&s->next_writer, 1);
    for (uint64_t i = 0; i < EACH; i++) {
        uint64_t position;
        trace_record *record;
        while (!(record = ring_take(&s->ring, &position))) sched_yield();
        record->thread = (uint32_t)self;
        record->bytes = i;
        record->grid[0] = ~i;
        ring_publish(&s->ring, position);
    }
    return NULL;
}

START_TEST(threads_lose_and_mix_nothing) {
    static shared s;
    pthread_t threads[WRITERS];
    uint64_t next[WRITERS] = {0}, total = 0;
    trace_record out;
    ck_assert(ring_open(&s.ring, CELLS));
    for (int i = 0; i < WRITERS; i++) ck_assert_int_eq(pthread_create(&threads[i], NULL, write_many, &s), 0);
    while (total < (uint64_t)WRITERS * EACH) {
        if (!ring_pop(&s.ring, &out)) {
            sched_yield();
            continue;
        }
        ck_assert_uint_lt(out.thread, WRITERS);
        ck_assert_uint_eq(out.bytes, next[out.thread]);
        ck_assert_uint_eq(out.grid[0], ~out.bytes);
        next[out.thread]++;
        total++;
    }
    for (int i = 0; i < WRITERS; i++) pthread_join(threads[i], NULL);
    ck_assert(!ring_pop(&s.ring, &out));
    ring_forget(&s.ring);
}
END_TEST

TESTS(records_come_out_in_order, a_full_ring_takes_nothing, what_is_being_written_is_not_read,
      a_closed_ring_takes_nothing_until_it_is_opened, threads_lose_and_mix_nothing)
