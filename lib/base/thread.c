#include "base/thread.h"

#include <signal.h>

int thread_start(pthread_t *out, void *(*work)(void *argument), void *argument) {
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int failed = pthread_create(out, NULL, work, argument);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return failed;
}
