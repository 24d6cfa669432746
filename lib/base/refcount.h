/* The head of every handle. */
#ifndef BASE_REFCOUNT_H
#define BASE_REFCOUNT_H

#include <stdatomic.h>
#include <stdbool.h>

typedef struct refcount {
    atomic_uint count;
} refcount;

static inline void refcount_init(refcount *refs) {
    atomic_init(&refs->count, 1);
}

static inline void refcount_retain(refcount *refs) {
    atomic_fetch_add_explicit(&refs->count, 1, memory_order_relaxed);
}

/* Retains unless the last reference is already gone. */
static inline bool refcount_try_retain(refcount *refs) {
    unsigned seen = atomic_load_explicit(&refs->count, memory_order_relaxed);
    while (seen) {
        if (atomic_compare_exchange_weak_explicit(&refs->count, &seen, seen + 1, memory_order_relaxed,
                                                  memory_order_relaxed)) {
            return true;
        }
    }
    return false;
}

/* True when this was the last reference. Acquire and release: a release-only decrement is a race. */
static inline bool refcount_release(refcount *refs) {
    return atomic_fetch_sub_explicit(&refs->count, 1, memory_order_acq_rel) == 1;
}

static inline bool refcount_is_one(refcount *refs) {
    return atomic_load_explicit(&refs->count, memory_order_acquire) == 1;
}

#endif
