/* Threads of the library's own. */
#ifndef BASE_THREAD_H
#define BASE_THREAD_H

#include <pthread.h>

/* Starts one that takes no signals: those are for the program's own threads. 0, or an errno. */
int thread_start(pthread_t *out, void *(*work)(void *argument), void *argument);

#endif
