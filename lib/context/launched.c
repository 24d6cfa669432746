#include "context/launched.h"

#include <stdio.h>

/* Turns wrap around. */
static bool is_after(uint32_t turn, uint32_t other) {
    return (int32_t)(turn - other) > 0;
}

void launched_init(launched *launched) {
    atomic_init(&launched->turn, 1);
}

void launched_add_locked(launched *launched, uint32_t id, const char *name) {
    launched_slot *slot = &launched->slots[id % LAUNCHED_SLOTS];
    uint32_t turn = atomic_load(&launched->turn), before = atomic_load(&slot->turn);
    if (atomic_load(&slot->id) && is_after(before, launched->ended)) {
        launched->others = before;
    }
    snprintf(slot->name, sizeof slot->name, "%s", name);
    atomic_store(&slot->turn, turn);
    atomic_store(&slot->id, id);
}

uint32_t launched_begin_wait(launched *launched) {
    return atomic_fetch_add(&launched->turn, 1);
}

void launched_end_locked(launched *launched, uint32_t turn) {
    if (is_after(turn, launched->ended)) {
        launched->ended = turn;
    }
}

void launched_show_locked(const launched *launched, char *out, size_t size) {
    bool others = is_after(launched->others, launched->ended);
    size_t length = 0;
    *out = 0;
    for (size_t i = 0; i < LAUNCHED_SLOTS; i++) {
        const launched_slot *slot = &launched->slots[i];
        if (!atomic_load(&slot->id) || !is_after(atomic_load(&slot->turn), launched->ended)) {
            continue;
        }
        if (length + 2 * LAUNCHED_NAME_BYTES > size) {
            others = true;
            break;
        }
        length += (size_t)snprintf(out + length, size - length, "%s%s", length ? ", " : "; launched since the last synchronize: ",
                                   slot->name);
    }
    if (length && others) {
        snprintf(out + length, size - length, " and others");
    }
}
