/* Silence for what a driver prints by itself while it compiles. */
#ifndef QUIET_H
#define QUIET_H

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

typedef struct quiet {
    int saved; /* standard error; -1: not silenced */
} quiet;

static inline quiet quiet_begin(void) {
    fflush(stderr);
    int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    quiet quiet = {nowhere < 0 ? -1 : fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3)};
    if (quiet.saved >= 0) {
        dup2(nowhere, STDERR_FILENO);
    }
    if (nowhere >= 0) {
        close(nowhere);
    }
    return quiet;
}

static inline void quiet_end(quiet quiet) {
    if (quiet.saved >= 0) {
        dup2(quiet.saved, STDERR_FILENO);
        close(quiet.saved);
    }
}

#endif
