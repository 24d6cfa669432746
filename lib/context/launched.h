/* Which kernels were launched since the last wait, for the message when one of them fails. */
#ifndef CONTEXT_LAUNCHED_H
#define CONTEXT_LAUNCHED_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { LAUNCHED_SLOTS = 32, LAUNCHED_NAME_BYTES = 64 };

/* A kernel's last launch. Kernels are numbered, so only programs with more of them than slots share one. */
typedef struct launched_slot {
    _Atomic uint32_t id;
    _Atomic uint32_t turn; /* the launch was in */
    char name[LAUNCHED_NAME_BYTES];
} launched_slot;

/* Each wait begins a turn. Names and what is not atomic are guarded by the context's lock. A launch that races with a wait
 * may be missed. */
typedef struct launched {
    _Atomic uint32_t turn;
    uint32_t ended;  /* turns up to this one have ended well, or their failure was told */
    uint32_t others; /* the last turn in which a kernel lost its slot to another */
    launched_slot slots[LAUNCHED_SLOTS];
} launched;

void launched_init(launched *launched);

/* Notes a launch; false: launched_add_locked must do it. */
static inline bool launched_note(launched *launched, uint32_t id) {
    launched_slot *slot = &launched->slots[id % LAUNCHED_SLOTS];
    uint32_t turn = atomic_load_explicit(&launched->turn, memory_order_relaxed);
    if (atomic_load_explicit(&slot->id, memory_order_relaxed) != id) {
        return false;
    }
    if (atomic_load_explicit(&slot->turn, memory_order_relaxed) != turn) {
        atomic_store_explicit(&slot->turn, turn, memory_order_relaxed);
    }
    return true;
}

void launched_add_locked(launched *launched, uint32_t id, const char *name);

/* A wait begins: the result is the turn it waits for. */
uint32_t launched_begin_wait(launched *launched);

/* That turn has ended, or its failure was told. */
void launched_end_locked(launched *launched, uint32_t turn);

/* "; launched since the last synchronize: a, b and others", or "" for none, into out. */
void launched_show_locked(const launched *launched, char *out, size_t size);

#endif
