#include "trace/writer.h"

#include <errno.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "base/thread.h"

enum {
    RING_RECORDS = 16 << 10,
    IDLE_NS = 5000000,        /* between two looks when nothing is in flight */
    LEAST_PAUSE_NS = 50000,   /* when something is */
    MOST_PAUSE_NS = 1000000,
    FLUSH_NS = 50000000,
    SLACK_MS = 1000           /* for a thread that has given up to get out of the driver */
};

static struct timespec from_ns(uint64_t ns) {
    return (struct timespec){(time_t)(ns / 1000000000), (long)(ns % 1000000000)};
}

/* Takes what was there when it was called; a record still being written is waited for. */
static void drain(writer *writer) {
    uint64_t end = ring_end(&writer->ring);
    trace_record record;
    while (writer->ring.head < end && collector_has_room(&writer->collector)) {
        if (ring_pop(&writer->ring, &record)) {
            collector_take(&writer->collector, &record);
            atomic_store_explicit(&writer->stalled, false, memory_order_relaxed);
        } else {
            nanosleep(&(struct timespec){0, 1000}, NULL);
        }
    }
}

/* Says once how many records were lost since it said so last. */
static void tell_lost(writer *writer, uint64_t more) {
    uint64_t lost = atomic_exchange(&writer->lost, 0) + more;
    if (lost) {
        event_lost(&writer->collector.sink, lost, clock_now_ns());
    }
}

static bool nothing_left(writer *writer) {
    return collector_is_idle(&writer->collector) && writer->ring.head == ring_end(&writer->ring);
}

/* Sleeps, then says whether the thread is to end. */
static bool rest(writer *writer, uint64_t pause_ns) {
    struct timespec until = from_ns(clock_now_ns() + pause_ns);
    pthread_mutex_lock(&writer->lock);
    bool idle = nothing_left(writer);
    if (writer->settling && idle) {
        file_flush(&writer->file);
        writer->settling = false;
        pthread_cond_broadcast(&writer->settled);
    }
    if (!writer->ending || !idle) {
        pthread_cond_timedwait(&writer->wake, &writer->lock, &until);
    }
    bool end = writer->ending && (nothing_left(writer) || (writer->give_up_at && clock_now_ns() > writer->give_up_at));
    pthread_mutex_unlock(&writer->lock);
    return end;
}

static void *work(void *argument) {
    writer *writer = argument;
    uint64_t flushed = clock_now_ns(), pause = LEAST_PAUSE_NS;
    do {
        drain(writer);
        if (collector_look(&writer->collector)) {
            drain(writer); /* what tells more of when they ended */
            collector_write(&writer->collector);
            pause = LEAST_PAUSE_NS;
        } else {
            pause = pause + pause / 8 < MOST_PAUSE_NS ? pause + pause / 8 : MOST_PAUSE_NS;
        }
        tell_lost(writer, 0);
        if (clock_now_ns() - flushed > FLUSH_NS) {
            file_flush(&writer->file);
            flushed = clock_now_ns();
        }
    } while (!rest(writer, collector_is_idle(&writer->collector) ? IDLE_NS : pause));
    tell_lost(writer, collector_abandon(&writer->collector));
    return NULL;
}

static int start_thread(writer *writer) {
    pthread_condattr_t monotonic;
    pthread_mutex_init(&writer->lock, NULL);
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&writer->wake, &monotonic);
    pthread_cond_init(&writer->settled, &monotonic);
    pthread_condattr_destroy(&monotonic);
    return thread_start(&writer->thread, work, writer);
}

static weft_status no_file(const char *path, const char *what, int error) {
    char text[128];
    return error_set(WEFT_ERROR_IO, "path \"%.700s\" cannot be %s: %s (errno %d)", path, what,
                     strerror_r(error, text, sizeof text), error);
}

weft_status writer_start(writer *writer, const char *path) {
    int error = file_open(&writer->file, path);
    if (error) {
        return no_file(path, "opened", error);
    }
    if (!ring_open(&writer->ring, RING_RECORDS)) {
        file_close(&writer->file);
        return error_host_memory(RING_RECORDS * sizeof(ring_cell));
    }
    writer->ending = writer->settling = false;
    writer->give_up_at = 0;
    atomic_store(&writer->lost, 0);
    atomic_store(&writer->stalled, false);
    weft_status status = WEFT_OK;
    if (!collector_begin(&writer->collector, &writer->file, clock_now_ns())) {
        status = error_host_memory(sizeof writer->collector);
    }
    file_flush(&writer->file);
    if (!status && writer->file.error) {
        status = no_file(path, "written", writer->file.error);
    }
    error = status ? 0 : start_thread(writer);
    if (error) {
        status = error_set(WEFT_ERROR_OUT_OF_HOST_MEMORY, "no thread can be started for the trace (error %d)", error);
    }
    if (status) {
        ring_close(&writer->ring);
        file_close(&writer->file);
    }
    return status;
}

void writer_wake(writer *writer) {
    pthread_cond_signal(&writer->wake);
}

void writer_settle(writer *writer, unsigned patience_ms) {
    struct timespec until = from_ns(clock_now_ns() + (uint64_t)patience_ms * 1000000);
    pthread_mutex_lock(&writer->lock);
    writer->settling = true;
    pthread_cond_signal(&writer->wake);
    while (writer->settling && pthread_cond_timedwait(&writer->settled, &writer->lock, &until) != ETIMEDOUT) {
    }
    pthread_mutex_unlock(&writer->lock);
}

/* The thread's end, or ETIMEDOUT when something holds it for longer. */
static int join(writer *writer, unsigned patience_ms) {
    if (!patience_ms) {
        return pthread_join(writer->thread, NULL);
    }
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += (patience_ms + SLACK_MS) / 1000;
    return pthread_timedjoin_np(writer->thread, NULL, &until);
}

int writer_stop(writer *writer, unsigned patience_ms) {
    ring_close(&writer->ring);
    pthread_mutex_lock(&writer->lock);
    writer->ending = true;
    writer->give_up_at = patience_ms ? clock_now_ns() + (uint64_t)patience_ms * 1000000 : 0;
    pthread_cond_signal(&writer->wake);
    pthread_mutex_unlock(&writer->lock);
    if (join(writer, patience_ms) != 0) {
        return 0; /* at exit, with the file as the thread has it */
    }
    pthread_cond_destroy(&writer->wake);
    pthread_cond_destroy(&writer->settled);
    pthread_mutex_destroy(&writer->lock);
    return file_close(&writer->file);
}

void writer_forget(writer *writer) {
    if (writer->file.fd >= 0) {
        close(writer->file.fd);
    }
    writer->file.fd = -1;
    ring_forget(&writer->ring);
}
