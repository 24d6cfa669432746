#include "fault.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static fault_plan plan;
static fault_record *record; /* NULL: nothing is armed */
static unsigned seen;        /* calls of the plan's kind so far */
static bool pausing;

static _Thread_local const char *now_during = "";

void fault_arm(const fault_plan *asked, fault_record *keep) {
    pthread_mutex_lock(&lock);
    plan = *asked;
    memset(keep, 0, sizeof *keep);
    record = keep;
    seen = 0;
    pausing = false;
    pthread_mutex_unlock(&lock);
}

void fault_disarm(void) {
    pthread_mutex_lock(&lock);
    record = NULL;
    pthread_mutex_unlock(&lock);
}

void fault_pause(bool paused) {
    pthread_mutex_lock(&lock);
    pausing = paused;
    pthread_mutex_unlock(&lock);
}

void fault_during(const char *what) {
    now_during = what;
}

bool fault_knows_thread(void) {
    return *now_during;
}

static void note_site_locked(const char *call, unsigned detail) {
    for (unsigned i = 0; i < record->n_sites; i++) {
        const fault_site *site = &record->sites[i];
        if (site->call == call && site->detail == detail && site->during == now_during) {
            return;
        }
    }
    if (record->n_sites < FAULT_SITES) {
        record->sites[record->n_sites++] = (fault_site){call, detail, now_during};
    }
}

/* From then on a driver gives one code, as a lost device does; each system call gives one of its own. */
static int fail_locked(fault_kind kind, const char *call, unsigned detail) {
    const int *codes = fault_codes(kind, call);
    unsigned n_codes = 0;
    while (codes[n_codes]) {
        n_codes++;
    }
    int code = codes[plan.choice % n_codes];
    code = code == EINTR && plan.for_good ? codes[0] : code; /* no call is interrupted for ever */
    if (!record->fired++) {
        record->code = code;
        record->n_choices = n_codes;
    }
    note_site_locked(call, detail);
    return kind == FAULT_CALL ? record->code : code;
}

bool fault_is_for_good(void) {
    pthread_mutex_lock(&lock);
    bool for_good = record && plan.for_good;
    pthread_mutex_unlock(&lock);
    return for_good;
}

int fault_hit(fault_kind kind, const char *call, unsigned detail) {
    int code = 0;
    pthread_mutex_lock(&lock);
    if (record && plan.kind == kind && !pausing) {
        seen++;
        if (seen == plan.nth || (plan.for_good && seen > plan.nth)) {
            code = fail_locked(kind, call, detail);
        }
    }
    pthread_mutex_unlock(&lock);
    return code;
}
