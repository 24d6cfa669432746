/* Runs what a driver may crash, hang or end in a process of its own. */
#ifndef PROBE_H
#define PROBE_H

#include <jansson.h>

/* What one probe found: what the body returned, or else what became of the process that ran it. */
typedef struct probe {
    json_t *answer; /* NULL: the process did not get to one */
    char problem[512]; /* without an answer: "crashes (Segmentation fault)"; with what it printed last */
} probe;

/* Runs body(user) in a child process for at most that long. The caller drops answer. */
probe probe_run(json_t *(*body)(void *user), void *user, double limit_s);

#endif
