/* A crew of threads that run one body at the same time, for the stress tests.
 *
 * Check's assertions leave by longjmp and so belong to the main thread: a body notes its first failure and
 * returns, and crew_run asserts that there is none.
 */
#ifndef TESTS_STRESS_CREW_H
#define TESTS_STRESS_CREW_H

#include <pthread.h>
#include <stdio.h>

#include "support.h"

enum { CREW = 12 }; /* more than weft keeps kernel objects for one function */

typedef struct member {
    unsigned id; /* 0 .. CREW - 1 */
    uint32_t dice;
    void (*body)(struct member *);
    pthread_barrier_t *start;
    pthread_t thread;
    char failure[2048]; /* "" while all is right */
} member;

#define NOTE(me, ...) snprintf((me)->failure, sizeof(me)->failure, __VA_ARGS__)

/* In a body: the call succeeds, or the condition holds, or the member gives up. */
#define CREW_OK(me, call)                                                                   \
    do {                                                                                    \
        weft_status status_ = (call);                                                       \
        if (status_) {                                                                      \
            NOTE(me, "%s:%d: %s: %s: %s", __FILE__, __LINE__, #call, weft_status_name(status_), weft_error_message()); \
            return;                                                                         \
        }                                                                                   \
    } while (0)
#define CREW_EXPECT(me, condition)                                           \
    do {                                                                     \
        if (!(condition)) {                                                  \
            NOTE(me, "%s:%d: not so: %s", __FILE__, __LINE__, #condition);   \
            return;                                                          \
        }                                                                    \
    } while (0)

/* A number below limit; another sequence for each member, the same in every run. */
static inline uint32_t roll(member *me, uint32_t limit) {
    me->dice = me->dice * 1664525u + 1013904223u;
    return (me->dice >> 8) % limit;
}

static inline void *crew_member(void *argument) {
    member *me = argument;
    pthread_barrier_wait(me->start);
    me->body(me);
    return NULL;
}

/* Runs body once on each of CREW threads, all starting together. */
static inline void crew_run(void (*body)(member *)) {
    member crew[CREW];
    pthread_barrier_t start;
    memset(crew, 0, sizeof crew);
    ck_assert_int_eq(pthread_barrier_init(&start, NULL, CREW), 0);
    for (unsigned i = 0; i < CREW; i++) {
        crew[i] = (member){.id = i, .dice = 12345 + i, .body = body, .start = &start};
        ck_assert_int_eq(pthread_create(&crew[i].thread, NULL, crew_member, &crew[i]), 0);
    }
    for (unsigned i = 0; i < CREW; i++) pthread_join(crew[i].thread, NULL);
    pthread_barrier_destroy(&start);
    for (unsigned i = 0; i < CREW; i++) ck_assert_msg(!crew[i].failure[0], "thread %u: %s", i, crew[i].failure);
}

#endif
