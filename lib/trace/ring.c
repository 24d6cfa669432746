#include "trace/ring.h"

#include <stdlib.h>

#define CLOSED ((uint64_t)1 << 63)

/* Memory that starts as zeros is left alone until a record needs it. */
bool ring_open(ring *ring, uint64_t count) {
    if (!ring->cells) {
        ring->cells = calloc(count, sizeof *ring->cells);
        if (!ring->cells) {
            return false;
        }
        ring->count = count;
    }
    atomic_fetch_and(&ring->tail, ~CLOSED);
    return true;
}

void ring_forget(ring *ring) {
    free(ring->cells);
    ring->cells = NULL;
    ring->count = 0;
    ring->head = 0;
    atomic_store(&ring->tail, CLOSED);
}

uint64_t ring_close(ring *ring) {
    return atomic_fetch_or(&ring->tail, CLOSED) & ~CLOSED;
}

bool ring_is_closed(ring *ring) {
    return !ring->count || atomic_load_explicit(&ring->tail, memory_order_relaxed) & CLOSED;
}

trace_record *ring_take(ring *ring, uint64_t *position) {
    uint64_t at = atomic_load_explicit(&ring->tail, memory_order_acquire);
    while (!(at & CLOSED) && ring->count) {
        uint64_t index = at & (ring->count - 1);
        ring_cell *cell = &ring->cells[index];
        uint64_t turn = atomic_load_explicit(&cell->turn, memory_order_acquire) + index;
        if (turn == at) {
            if (atomic_compare_exchange_weak(&ring->tail, &at, at + 1)) {
                *position = at;
                return &cell->record;
            }
        } else if (turn < at) {
            return NULL; /* the record of a round ago */
        } else {
            at = atomic_load_explicit(&ring->tail, memory_order_acquire);
        }
    }
    return NULL;
}

void ring_publish(ring *ring, uint64_t position) {
    uint64_t index = position & (ring->count - 1);
    atomic_store_explicit(&ring->cells[index].turn, position + 1 - index, memory_order_release);
}

uint64_t ring_end(ring *ring) {
    return atomic_load(&ring->tail) & ~CLOSED;
}

bool ring_pop(ring *ring, trace_record *out) {
    uint64_t index = ring->head & (ring->count - 1);
    ring_cell *cell = &ring->cells[index];
    if (atomic_load_explicit(&cell->turn, memory_order_acquire) + index != ring->head + 1) {
        return false;
    }
    *out = cell->record;
    atomic_store_explicit(&cell->turn, ring->head + ring->count - index, memory_order_release);
    ring->head++;
    return true;
}
