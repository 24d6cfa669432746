/* Which kernels were launched since the last wait, for the message when one of them fails. */
#ifndef CONTEXT_LAUNCHED_H
#define CONTEXT_LAUNCHED_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { LAUNCHED_IDS = 16, LAUNCHED_NAMES = 16, LAUNCHED_NAME_BYTES = 64 };

typedef struct launched_names {
    char names[LAUNCHED_NAMES][LAUNCHED_NAME_BYTES];
    unsigned count;
    bool more; /* than there is room for */
} launched_names;

/* Guarded by the context's lock, but for ids. */
typedef struct launched {
    _Atomic uint32_t ids[LAUNCHED_IDS]; /* kernels whose names are in `now`, by id modulo LAUNCHED_IDS */
    launched_names now, before; /* since the last wait began, and what that wait waits for */
} launched;

/* Whether the kernel is known to be noted. */
static inline bool launched_has(const launched *launched, uint32_t id) {
    return atomic_load_explicit(&launched->ids[id % LAUNCHED_IDS], memory_order_relaxed) == id;
}

void launched_note_locked(launched *launched, uint32_t id, const char *name);

/* A wait begins: what was launched up to now is what it waits for. */
void launched_turn_locked(launched *launched);

/* That has ended. */
void launched_forget_locked(launched *launched);

/* "; launched since the last synchronize: a, b and others", or "" for none, into out. */
void launched_show_locked(const launched *launched, char *out, size_t size);

#endif
