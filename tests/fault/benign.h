/* Sites where a failure is no failure of the call. */
#ifndef FAULT_BENIGN_H
#define FAULT_BENIGN_H

#include "fault.h"

typedef struct benign_row {
    const char *call;   /* NULL: any */
    const char *during; /* the weft function; NULL: any */
    const char *only;   /* the scenarios where it holds, with blanks between; NULL: all */
    const char *reason;
} benign_row;

const benign_row *benign_rows(size_t *count);

/* The row that excuses a site, or NULL. */
const benign_row *benign_find(const fault_site *site, const char *scenario);

#endif
