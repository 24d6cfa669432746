#include "context/launched.h"

#include <stdio.h>
#include <string.h>

static void add(launched_names *names, const char *name) {
    for (unsigned i = 0; i < names->count; i++) {
        if (strncmp(names->names[i], name, LAUNCHED_NAME_BYTES - 1) == 0) {
            return;
        }
    }
    if (names->count < LAUNCHED_NAMES) {
        snprintf(names->names[names->count++], LAUNCHED_NAME_BYTES, "%s", name);
    } else {
        names->more = true;
    }
}

void launched_note_locked(launched *launched, uint32_t id, const char *name) {
    add(&launched->now, name);
    atomic_store_explicit(&launched->ids[id % LAUNCHED_IDS], id, memory_order_relaxed);
}

void launched_turn_locked(launched *launched) {
    if (!launched->now.count) {
        return;
    }
    for (unsigned i = 0; i < LAUNCHED_IDS; i++) {
        atomic_store_explicit(&launched->ids[i], 0, memory_order_relaxed);
    }
    for (unsigned i = 0; i < launched->now.count; i++) {
        add(&launched->before, launched->now.names[i]);
    }
    launched->before.more |= launched->now.more;
    launched->now.count = 0;
    launched->now.more = false;
}

void launched_forget_locked(launched *launched) {
    launched->before.count = 0;
    launched->before.more = false;
}

void launched_show_locked(const launched *launched, char *out, size_t size) {
    const launched_names *names = &launched->before;
    size_t length = 0;
    unsigned shown = 0;
    *out = 0;
    for (; shown < names->count && length + LAUNCHED_NAME_BYTES + 60 < size; shown++) {
        length += (size_t)snprintf(out + length, size - length, "%s%s", shown ? ", " : "; launched since the last synchronize: ",
                                   names->names[shown]);
    }
    if (shown < names->count || names->more) {
        snprintf(out + length, size - length, " and others");
    }
}
