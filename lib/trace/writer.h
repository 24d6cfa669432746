/* The thread that writes the file. */
#ifndef TRACE_WRITER_H
#define TRACE_WRITER_H

#include <pthread.h>

#include "trace/collector.h"
#include "trace/ring.h"

typedef struct writer {
    ring ring;
    _Atomic uint64_t lost; /* records for which there was no room */
    atomic_bool stalled;   /* threads do not wait for room until there is some again */
    collector collector;
    event_file file;
    pthread_t thread;
    pthread_mutex_t lock; /* guards what follows */
    pthread_cond_t wake, settled;
    bool ending;
    bool settling;     /* somebody waits until nothing is left to write */
    uint64_t give_up_at; /* 0: never */
} writer;

/* Opens the file, writes its first events and starts the thread. Errors as weft_trace_start has them. */
weft_status writer_start(writer *writer, const char *path);

/* Hurries the thread. */
void writer_wake(writer *writer);

/* Waits until everything told so far is in the file, for patience_ms at most. */
void writer_settle(writer *writer, unsigned patience_ms);

/* Takes no more, writes the rest and ends the file. patience_ms 0: for as long as it takes. The result is an errno. */
int writer_stop(writer *writer, unsigned patience_ms);

/* In the child of a fork, where there is no thread. */
void writer_forget(writer *writer);

#endif
