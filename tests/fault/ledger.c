#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "fault.h"

typedef struct entry {
    struct entry *next;
    ledger_kind kind;
    const void *what;
    const char *call; /* that made it */
    unsigned number;
    unsigned references;
    int failure; /* of an event */
    bool seen;   /* the failure was told */
} entry;

enum { BUCKETS = 1024, SHOWN = 3 };

static const char *const kind_names[LEDGER_KINDS] = {
    [LEDGER_CONTEXT] = "cl_context", [LEDGER_QUEUE] = "cl_command_queue", [LEDGER_MEMORY] = "cl_mem",
    [LEDGER_PROGRAM] = "cl_program", [LEDGER_KERNEL] = "cl_kernel",       [LEDGER_EVENT] = "cl_event",
    [LEDGER_MAPPING] = "mapping",    [LEDGER_BLOCK] = "heap block",       [LEDGER_FILE] = "file descriptor",
    [LEDGER_STREAM] = "stream",      [LEDGER_FOLDER] = "folder",          [LEDGER_LIBRARY] = "library"};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static entry *buckets[BUCKETS];
static ledger_balance balance;
static ledger_totals totals;
static char note[512];

/* Where the pointer to the entry is, or would be. */
static entry **place_locked(ledger_kind kind, const void *what) {
    entry **at = &buckets[((uintptr_t)what >> 4) % BUCKETS];
    while (*at && ((*at)->what != what || (*at)->kind != kind)) {
        at = &(*at)->next;
    }
    return at;
}

static void note_locked(const char *format, va_list arguments) {
    if (!*note) {
        vsnprintf(note, sizeof note, format, arguments);
    }
}

void ledger_note(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    pthread_mutex_lock(&lock);
    note_locked(format, arguments);
    pthread_mutex_unlock(&lock);
    va_end(arguments);
}

bool ledger_take_note(char *out, size_t size) {
    pthread_mutex_lock(&lock);
    bool any = *note;
    if (any) {
        snprintf(out, size, "%s", note);
    }
    *note = '\0';
    pthread_mutex_unlock(&lock);
    return any;
}

void ledger_made(ledger_kind kind, const void *what, const char *call) {
    entry *made = calloc(1, sizeof *made);
    if (!made) {
        abort();
    }
    pthread_mutex_lock(&lock);
    *made = (entry){.kind = kind, .what = what, .call = call, .number = ++balance.last, .references = 1};
    entry **at = place_locked(kind, what);
    made->next = *at ? (*at)->next : NULL; /* a driver may give an old address again before we saw it go */
    free(*at);
    balance.live[kind] += *at == NULL;
    *at = made;
    totals.made += kind < LEDGER_MAPPING;
    pthread_mutex_unlock(&lock);
}

bool ledger_lives(ledger_kind kind, const void *what) {
    pthread_mutex_lock(&lock);
    bool lives = *place_locked(kind, what) != NULL;
    pthread_mutex_unlock(&lock);
    if (!lives) {
        ledger_note("a %s was used that does not live", kind_names[kind]);
    }
    return lives;
}

bool ledger_retained(ledger_kind kind, const void *what) {
    bool lives = ledger_lives(kind, what);
    if (lives) {
        pthread_mutex_lock(&lock);
        (*place_locked(kind, what))->references++;
        totals.retained += kind < LEDGER_MAPPING;
        pthread_mutex_unlock(&lock);
    }
    return lives;
}

static void drop_locked(ledger_kind kind, const void *what) {
    entry **at = place_locked(kind, what), *found = *at;
    if (found && !--found->references) {
        *at = found->next;
        balance.live[kind]--;
        free(found);
        if (kind == LEDGER_MEMORY) {
            drop_locked(LEDGER_MAPPING, what); /* a mapping ends with its memory at the latest */
        }
    }
}

bool ledger_released(ledger_kind kind, const void *what) {
    bool lives = ledger_lives(kind, what);
    pthread_mutex_lock(&lock);
    totals.released += lives && kind < LEDGER_MAPPING;
    drop_locked(kind, what);
    pthread_mutex_unlock(&lock);
    return lives;
}

void ledger_fail_event(const void *event, int status) {
    pthread_mutex_lock(&lock);
    entry *found = *place_locked(LEDGER_EVENT, event);
    if (found) {
        found->failure = status;
    }
    pthread_mutex_unlock(&lock);
}

int ledger_event_failure(const void *event) {
    pthread_mutex_lock(&lock);
    const entry *found = *place_locked(LEDGER_EVENT, event);
    int failure = found ? found->failure : 0;
    pthread_mutex_unlock(&lock);
    return failure;
}

void ledger_tell_failure(const void *event) {
    pthread_mutex_lock(&lock);
    entry *found = *place_locked(LEDGER_EVENT, event);
    if (found) {
        found->seen = true;
    }
    pthread_mutex_unlock(&lock);
}

bool ledger_told_failure(const void *event) {
    pthread_mutex_lock(&lock);
    const entry *found = *place_locked(LEDGER_EVENT, event);
    bool told = found && found->seen;
    pthread_mutex_unlock(&lock);
    return told;
}

void ledger_read(ledger_balance *out) {
    pthread_mutex_lock(&lock);
    *out = balance;
    pthread_mutex_unlock(&lock);
}

size_t ledger_list(ledger_kind kind, void **out, size_t most) {
    size_t count = 0;
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < BUCKETS; i++) {
        for (const entry *at = buckets[i]; at && count < most; at = at->next) {
            if (at->kind == kind) {
                out[count++] = (void *)(uintptr_t)at->what;
            }
        }
    }
    pthread_mutex_unlock(&lock);
    return count;
}

ledger_totals ledger_read_totals(void) {
    pthread_mutex_lock(&lock);
    ledger_totals read = totals;
    pthread_mutex_unlock(&lock);
    return read;
}

/* Appends to out, which has used bytes; returns how many it has then. */
__attribute__((format(printf, 4, 5))) static size_t say(char *out, size_t size, size_t used, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int more = used < size ? vsnprintf(out + used, size - used, format, arguments) : 0;
    va_end(arguments);
    return used + (more > 0 ? (size_t)more : 0);
}

static size_t say_new_locked(ledger_kind kind, unsigned before, char *out, size_t size, size_t used) {
    int shown = 0;
    for (size_t i = 0; i < BUCKETS; i++) {
        for (const entry *at = buckets[i]; at; at = at->next) {
            if (at->kind == kind && at->number > before && shown++ < SHOWN) {
                used = say(out, size, used, "%s%s", shown == 1 ? ", new from " : ", ", at->call);
            }
        }
    }
    return used;
}

bool ledger_matches(const ledger_balance *before, char *out, size_t size) {
    size_t used = 0;
    pthread_mutex_lock(&lock);
    for (int kind = 0; kind < LEDGER_KINDS; kind++) {
        size_t live = balance.live[kind], was = before->live[kind];
        if (live != was) {
            used = say(out, size, used, "%s%zu of kind %s live, %zu before", used ? "; " : "", live, kind_names[kind], was);
            used = say_new_locked((ledger_kind)kind, before->last, out, size, used);
        }
    }
    pthread_mutex_unlock(&lock);
    return used == 0;
}
