/* A bounded queue of records, from many threads to one. No lock: a cell's turn says whose it is. */
#ifndef TRACE_RING_H
#define TRACE_RING_H

#include <stdatomic.h>

#include "trace/record.h"

typedef struct ring_cell {
    _Atomic uint64_t turn; /* less the cell's index: position p: free for p; p + 1: holds p's record */
    trace_record record;
} ring_cell;

/* All zero is a closed ring. */
typedef struct ring {
    ring_cell *cells; /* stays until the process ends: a late thread may look */
    uint64_t count;   /* a power of two */
    _Alignas(64) _Atomic uint64_t tail; /* the next position to take, and whether the ring is closed */
    _Alignas(64) uint64_t head;         /* the reader's */
} ring;

/* Opens a ring that is new or was read to its end; false without memory. */
bool ring_open(ring *ring, uint64_t count);

/* From now on nothing is taken. Returns the last position. */
uint64_t ring_close(ring *ring);

bool ring_is_closed(ring *ring);

/* Lets go of the cells and what they hold. For the child of a fork, where no other thread looks. */
void ring_forget(ring *ring);

/* A record to write to, or NULL when the ring is full or closed. */
trace_record *ring_take(ring *ring, uint64_t *position);
void ring_publish(ring *ring, uint64_t position);

/* The position behind the last record that was taken. */
uint64_t ring_end(ring *ring);

/* The reader's: the next record out, false when there is none or it is still being written. */
bool ring_pop(ring *ring, trace_record *out);

#endif
