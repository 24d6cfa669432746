#include "trace/trace.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/api.h"
#include "base/object.h"
#include "base/text.h"
#include "trace/writer.h"

enum {
    WAKE_EVERY = 4 << 10,   /* records */
    ROOM_PATIENCE_MS = 200, /* how long a thread waits for room before its records get lost */
    EXIT_PATIENCE_MS = 5000
};

atomic_bool trace_on;

static writer the_writer;
static pthread_mutex_t life = PTHREAD_MUTEX_INITIALIZER; /* around starting and stopping */
static bool running;                                     /* guarded by life */
static _Atomic uint64_t began_ns;                        /* of the trace that runs, or ran last */
static weft_error unwritten; /* why WEFT_TRACE could not be followed; status 0: told, or nothing to tell */
static char unwritten_message[sizeof((error_copy *)NULL)->message];

/* ---- Threads tell ---------------------------------------------------------------------------------- */

static _Thread_local struct {
    uint64_t named_in; /* began_ns of the trace that knows the thread */
    uint32_t number;
} self;

static void number_self(void) {
    static atomic_uint others = TRACE_MAIN_THREAD;
    self.number = gettid() == getpid() ? TRACE_MAIN_THREAD : atomic_fetch_add(&others, 1) + 1;
}

/* The writer makes room all the time, unless the disk or a device holds it up. */
static __attribute__((cold, noinline)) trace_record *wait_for_room(uint64_t *position) {
    for (int tenths = 0; tenths < 10 * ROOM_PATIENCE_MS; tenths++) {
        if (ring_is_closed(&the_writer.ring)) {
            return NULL;
        }
        if (atomic_load_explicit(&the_writer.stalled, memory_order_relaxed)) {
            break;
        }
        writer_wake(&the_writer);
        nanosleep(&(struct timespec){0, 100000}, NULL);
        trace_record *record = ring_take(&the_writer.ring, position);
        if (record) {
            return record;
        }
    }
    atomic_store_explicit(&the_writer.stalled, true, memory_order_relaxed);
    atomic_fetch_add(&the_writer.lost, 1);
    return NULL;
}

static trace_slot take(trace_kind kind) {
    trace_slot slot;
    slot.record = ring_take(&the_writer.ring, &slot.position);
    if (UNLIKELY(!slot.record)) {
        slot.record = wait_for_room(&slot.position);
    }
    if (slot.record) {
        slot.record->kind = kind;
        slot.record->thread = self.number;
    }
    return slot;
}

trace_slot trace_take(trace_kind kind) {
    uint64_t trace = atomic_load_explicit(&began_ns, memory_order_relaxed);
    if (UNLIKELY(self.named_in != trace)) {
        if (!self.number) {
            number_self();
        }
        trace_slot name = take(TRACE_THREAD);
        if (!name.record) {
            return name;
        }
        trace_publish(name);
        self.named_in = trace;
    }
    return take(kind);
}

void trace_publish(trace_slot slot) {
    ring_publish(&the_writer.ring, slot.position);
    if (UNLIKELY(slot.position % WAKE_EVERY == WAKE_EVERY - 1)) {
        writer_wake(&the_writer);
    }
}

/* The end is read when the place is taken, so that no record behind it is older. */
void trace_synced(trace_lane *lane, uint64_t start_ns) {
    if (!start_ns || !trace_is_on()) {
        return;
    }
    trace_slot slot = trace_take(TRACE_SYNCED);
    if (slot.record) {
        slot.record->lane = trace_lane_retain(lane);
        slot.record->start_ns = start_ns;
        slot.record->end_ns = clock_now_ns();
        trace_publish(slot);
    }
}

void trace_memory(const device_entry *entry, size_t live_bytes) {
    if (!trace_is_on()) {
        return;
    }
    trace_slot slot = trace_take(TRACE_MEMORY);
    if (slot.record) {
        slot.record->entry = entry;
        slot.record->bytes = live_bytes;
        slot.record->end_ns = clock_now_ns();
        trace_publish(slot);
    }
}

weft_status trace_lane_create(const device_entry *entry, trace_lane **out) {
    weft_status status = object_new(sizeof **out, out);
    if (!status) {
        refcount_init(&(*out)->refs);
        (*out)->entry = entry;
    }
    return status;
}

trace_lane *trace_lane_retain(trace_lane *lane) {
    refcount_retain(&lane->refs);
    return lane;
}

void trace_lane_release(trace_lane *lane) {
    if (lane && refcount_release(&lane->refs)) {
        free(lane);
    }
}

/* ---- Calls ----------------------------------------------------------------------------------------- */

/* A call's begin is one word, which costs an untraced call no more than a register: when, and how many failures the thread
 * had recorded, both modulo what there is room for. */
enum { FAILURE_BITS = 12 };
#define FAILURE_MASK (((uint64_t)1 << FAILURE_BITS) - 1)

static uint64_t call_begins(const char *name) {
    (void)name;
    return clock_now_ns() << FAILURE_BITS | (error_failures() & FAILURE_MASK);
}

static void call_ends(uint64_t begun, const char *name) {
    uint64_t now = clock_now_ns(), took = ((now << FAILURE_BITS) - (begun & ~FAILURE_MASK)) >> FAILURE_BITS;
    if (!trace_is_on() || now - took < atomic_load_explicit(&began_ns, memory_order_relaxed)) {
        return;
    }
    bool failed = ((error_failures() ^ begun) & FAILURE_MASK) != 0;
    trace_slot slot = trace_take(TRACE_CALL);
    if (slot.record) {
        slot.record->name = name;
        slot.record->status = failed ? weft_last_error()->status : WEFT_OK;
        slot.record->start_ns = now - took;
        slot.record->end_ns = now;
        trace_publish(slot);
    }
}

static const api_watcher calls = {call_begins, call_ends};

/* ---- Life ------------------------------------------------------------------------------------------ */

/* The child has the parent's memory and none of its threads. */
static void forked_child(void) {
    life = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    atomic_store(&trace_on, false);
    if (running) {
        atomic_store(&api_watcher_now, NULL);
        writer_forget(&the_writer);
        running = false;
    }
}

static void watch_fork(void) {
    pthread_atfork(NULL, NULL, forked_child);
}

/* The path with the process id for %p, for the caller to free. */
static char *expand(const char *path) {
    text expanded = {0};
    for (const char *at = path; *at; at++) {
        if (at[0] == '%' && at[1] == 'p') {
            text_printf(&expanded, "%d", (int)getpid());
            at++;
        } else {
            text_append(&expanded, at, 1);
        }
    }
    return text_take(&expanded);
}

static weft_status start_locked(const char *path) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    if (running) {
        return error_set(WEFT_ERROR_INVALID_ARGUMENT, "a trace runs already; path \"%.700s\" was not opened", path);
    }
    char *expanded = expand(path);
    if (!expanded) {
        return error_host_memory(strlen(path));
    }
    pthread_once(&once, watch_fork);
    weft_status status = writer_start(&the_writer, expanded);
    free(expanded);
    if (status) {
        return status;
    }
    running = true;
    process_watch_exit();
    process_at_exit_unless(trace_at_exit);
    atomic_store(&began_ns, the_writer.collector.sink.began_ns);
    atomic_store(&api_watcher_now, &calls);
    atomic_store(&trace_on, true);
    return WEFT_OK;
}

weft_status trace_start(const char *path) {
    pthread_mutex_lock(&life);
    weft_status status = start_locked(path);
    pthread_mutex_unlock(&life);
    return status;
}

/* The result is an errno. */
static int stop_locked(unsigned patience_ms) {
    atomic_store(&trace_on, false);
    atomic_store(&api_watcher_now, NULL);
    running = false;
    return writer_stop(&the_writer, patience_ms);
}

weft_status trace_stop(void) {
    char text[128];
    weft_status status = WEFT_OK;
    pthread_mutex_lock(&life);
    if (running) {
        int error = stop_locked(0);
        if (error) {
            status = error_set(WEFT_ERROR_IO, "the trace is not whole, since its file could not be written: %s (errno %d)",
                               strerror_r(error, text, sizeof text), error);
        }
    } else if (unwritten.status) {
        status = error_set(unwritten.status, "there is no trace, although WEFT_TRACE asks for one: %s", unwritten_message);
        unwritten.status = WEFT_OK;
    }
    pthread_mutex_unlock(&life);
    return status;
}

void trace_at_exit(bool last) {
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += EXIT_PATIENCE_MS / 1000;
    if (pthread_mutex_timedlock(&life, &until) != 0) {
        return;
    }
    if (running && last) {
        stop_locked(EXIT_PATIENCE_MS);
    } else if (running) {
        writer_settle(&the_writer, EXIT_PATIENCE_MS);
    }
    pthread_mutex_unlock(&life);
}

/* ---- WEFT_TRACE ------------------------------------------------------------------------------------ */

/* A program must not break over a trace that it knows nothing of: what is wrong waits for a stop that asks. */
static void follow_environment(void) {
    const char *path = secure_getenv("WEFT_TRACE");
    error_copy before;
    atomic_store(&api_watcher_now, NULL);
    if (!path || !*path) {
        return;
    }
    error_save(&before);
    if (trace_start(path)) {
        unwritten = *weft_last_error();
        strcpy(unwritten_message, weft_error_message());
    }
    error_restore(&before);
}

static uint64_t first_call_begins(const char *name) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, follow_environment);
    return trace_is_on() ? call_begins(name) : 0;
}

static const api_watcher first_call = {first_call_begins, call_ends};

__attribute__((constructor)) static void watch_first_call(void) {
    atomic_store(&api_watcher_now, &first_call);
}
