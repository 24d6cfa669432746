/* Runs a scenario with its first call failing, then its second, until no fault fires any more; then so for the
 * next kind of fault. After each trial a clean run in the same process must give the right answer.
 *
 * Trials run in a child process, which goes on after the last one when a trial has killed it.
 */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "benign.h"
#include "scene.h"

enum {
    TRIAL_SECONDS = 60,   /* after which a trial hangs */
    SETTLE_MS = 5000,     /* in which drivers let go of what was released */
    SETTLE_FIRST_NS = 30000000, /* the same, where there is nothing yet to compare with */
    QUICK_STEP = 3,       /* of a quick sweep over a slow scenario; odd, so that faults are once and for good in turn */
    SCENES = 16,          /* runs after which a scene's arrays are used again: nothing is in flight for so long */
    MOST_FAILURES = 20,   /* after which a scenario is given up */
    MOST_CALLS = 100000
};

typedef enum depth { DEPTH_QUICK, DEPTH_DEFAULT, DEPTH_FULL } depth;

/* What the child knows and its parent must too; in memory of both. */
typedef struct progress {
    fault_kind kind; /* the next trial, or the one that is running */
    unsigned nth, variant;
    unsigned trials;
    bool done;
    fault_record record;
    unsigned injected, benign, failures;
    ledger_totals totals; /* of the driver's objects, over all processes */
    unsigned excused[64]; /* by row of the benign sites */
    bool referenced;      /* for FRESH scenarios: what follows is what a clean process has */
    ledger_balance reference;
    char answer[FAULT_ANSWER];
} progress;

static const scenario *scenario_now;
static progress *now;
static depth how_deep = DEPTH_DEFAULT;

/* ---- Plans ----------------------------------------------------------------------------------------- */

/* How many ways to fail one call: with every code, once and from then on; or with a code or two. */
static unsigned count_variants(const fault_record *record) {
    switch (now->kind == FAULT_HOLD ? DEPTH_QUICK : how_deep) {
        case DEPTH_QUICK:
            return 1;
        case DEPTH_DEFAULT:
            return record->n_choices > 1 ? 3 : 2;
        default:
            return 2 * record->n_choices;
    }
}

/* Less deep, the codes take turns over the calls. */
static fault_plan plan_now(void) {
    fault_plan plan = {.kind = now->kind, .nth = now->nth};
    switch (how_deep) {
        case DEPTH_QUICK:
            plan.for_good = now->nth % 2;
            plan.choice = now->nth / 2;
            break;
        case DEPTH_DEFAULT:
            plan.for_good = now->variant == 1;
            plan.choice = now->variant * now->nth;
            break;
        default:
            plan.for_good = now->variant % 2;
            plan.choice = now->variant / 2;
    }
    plan.for_good = plan.for_good && now->kind != FAULT_HOLD;
    return plan;
}

static void advance(void) {
    now->trials++;
    if (!now->record.fired) {
        now->kind++;
        now->nth = 1;
        now->variant = 0;
    } else if (++now->variant >= count_variants(&now->record)) {
        now->nth += how_deep == DEPTH_QUICK && scenario_now->flags & SLOW ? QUICK_STEP : 1;
        now->variant = 0;
    }
    now->done = now->kind >= FAULT_KINDS || now->failures >= MOST_FAILURES;
}

/* Of the function that was called, without its arguments. */
static int name_length(const fault_site *site) {
    return (int)strcspn(site->during, "(");
}

__attribute__((format(printf, 1, 2))) static void fail(const char *format, ...) {
    static const char *const kinds[] = {"driver call", "event", "held command", "system call"};
    const fault_record *record = &now->record;
    const fault_plan plan = plan_now();
    va_list arguments;
    printf("FAIL %s: %s %u", scenario_now->name, kinds[plan.kind < FAULT_KINDS ? plan.kind : 0], plan.nth);
    if (record->fired) {
        const fault_site *site = &record->sites[0];
        printf(" (%s 0x%x in %.*s, code %d, %s)", site->call, site->detail, name_length(site), site->during, record->code,
               plan.for_good ? "from then on" : "once");
    }
    printf(": ");
    va_start(arguments, format);
    vprintf(format, arguments);
    va_end(arguments);
    printf("\n");
    fflush(stdout);
    now->failures++;
}

/* ---- One run --------------------------------------------------------------------------------------- */

typedef struct run {
    scene *scene;
    weft_status status;
} run;

/* In a thread of its own, so that no record of an earlier failure is there, and none stays. */
static void *run_in_thread(void *argument) {
    run *self = argument;
    self->status = scenario_now->run(self->scene);
    scene_release_all(self->scene);
    return NULL;
}

static scene *new_scene(bool clean) {
    static scene scenes[SCENES];
    static unsigned used;
    scene *s = &scenes[used++ % SCENES];
    memset(s, 0, sizeof *s);
    for (int i = 0; i < N; i++) {
        s->in[i] = i * 3 + 1;
    }
    s->clean = clean;
    s->answer = now->answer;
    return s;
}

static weft_status run_once(scene *s) {
    run it = {.scene = s};
    pthread_t thread;
    if (pthread_create(&thread, NULL, run_in_thread, &it) != 0) {
        abort();
    }
    pthread_join(thread, NULL);
    return it.status;
}

/* What is kept looks at what earlier runs have left with it. */
static void quiesce(void) {
    if (scenario_now->flags & KEEPS) {
        WEFT_IGNORE(weft_synchronize(kept_things.context));
        WEFT_IGNORE(weft_synchronize(kept_things.sibling));
        WEFT_IGNORE(weft_synchronize(kept_things.other));
    }
}

static bool is_lost(weft_context *context) {
    return context && weft_synchronize(context) == WEFT_ERROR_DEVICE_LOST;
}

/* A fault from then on may have looked like a lost device. That comes back when everything on it has been released. */
static void reopen_if_lost(void) {
    if (!(scenario_now->flags & KEEPS) || !(is_lost(kept_things.context) || is_lost(kept_things.other))) {
        return;
    }
    scene_let_go();
    scene *s = new_scene(true);
    int waited_ms = 0;
    weft_status status;
    while ((status = scene_keep(s)) == WEFT_ERROR_DEVICE_LOST && waited_ms++ < SETTLE_MS) {
        nanosleep(&(struct timespec){0, 1000000}, NULL); /* a thread of the library still lets go */
    }
    if (status) {
        fail("a lost device does not come back: %s", s->message);
        return;
    }
    for (int i = 0; i < 2; i++) { /* what is made at first use is there again */
        s = new_scene(true);
        if (run_once(s)) {
            fail("on a device that came back: %s", s->message);
        }
    }
}

/* As much is alive as before the run, and memory that was let go was let go by all. */
static void settle(const ledger_balance *before, const char *after) {
    char difference[512];
    quiesce();
    int waited_ms = 0;
    while (!ledger_matches(before, difference, sizeof difference) && waited_ms++ < SETTLE_MS) {
        nanosleep(&(struct timespec){0, 1000000}, NULL);
        quiesce(); /* what threads of the library have retired meanwhile */
    }
    if (waited_ms > SETTLE_MS) {
        fail("after %s: %s", after, difference);
    }
    system_check_freed();
    if (ledger_take_note(difference, sizeof difference)) {
        fail("during %s: %s", after, difference);
    }
}

static void run_clean(const ledger_balance *before) {
    scene *s = new_scene(true);
    if (run_once(s)) {
        fail("then a clean run fails: %s", s->message);
    } else if (*s->problem) {
        fail("then in a clean run %s", s->problem);
    }
    settle(before, "the clean run");
}

/* ---- One trial ------------------------------------------------------------------------------------- */

/* A success in spite of a fault: each site must be known as one that does not matter. */
static void excuse(const fault_record *record, bool for_good) {
    size_t count;
    const benign_row *rows = benign_rows(&count);
    if (now->kind == FAULT_SYSTEM && record->code == EINTR && !for_good) {
        now->benign++; /* what a signal interrupts is done again */
        return;
    }
    for (unsigned i = 0; i < record->n_sites; i++) {
        const fault_site *site = &record->sites[i];
        const benign_row *row = benign_find(site, scenario_now->name);
        if (!row) {
            fail("success, although %s failed in %.*s", site->call, name_length(site), site->during);
            return;
        }
        now->excused[row - rows]++;
    }
    now->benign++;
}

/* A failure must come from the fault, and say so, unless the site is known to be told otherwise. */
static void check_failure(const fault_record *record, weft_status status, const scene *s) {
    bool memory = now->kind == FAULT_SYSTEM && strstr("malloc calloc realloc strdup strndup", record->sites[0].call) != NULL;
    if (!record->fired) {
        fail("failed without a fault: %s", s->message);
    } else if (now->kind == FAULT_HOLD) {
        fail("failed, although the command was only held: %s", s->message);
    } else if (benign_find(&record->sites[0], scenario_now->name)) {
        return;
    } else if (memory && status != WEFT_ERROR_OUT_OF_HOST_MEMORY && status != WEFT_ERROR_NO_DEVICE) {
        fail("no memory, but: %s", s->message);
    } else if (now->kind == FAULT_CALL && s->cl_code != record->code && status != WEFT_ERROR_NO_DEVICE) {
        fail("cl_code is %d: %s", s->cl_code, s->message);
    }
}

static void try_now(const ledger_balance *before) {
    const fault_plan plan = plan_now();
    scene *s = new_scene(false);
    alarm(TRIAL_SECONDS);
    fault_arm(&plan, &now->record);
    weft_status status = run_once(s);
    fault_disarm();
    now->injected += now->record.fired > 0;
    if (*s->problem) {
        fail("%s", s->problem);
    } else if (status) {
        check_failure(&now->record, status, s);
    } else if (now->record.fired && plan.kind != FAULT_HOLD) {
        excuse(&now->record, plan.for_good);
    }
    reopen_if_lost();
    if (!(scenario_now->flags & FRESH)) { /* there, only the clean run completes what the process keeps */
        settle(before, "the failing run");
    }
    run_clean(before);
    alarm(0);
    if (now->nth > MOST_CALLS) {
        fail("there is no end of calls");
        now->failures = MOST_FAILURES;
    }
}

/* ---- The child ------------------------------------------------------------------------------------- */

static void prepare(ledger_balance *before) {
    scene *s = new_scene(true);
    now->record.fired = 0;
    if (scenario_now->flags & NO_DRIVER) {
        setenv("OCL_ICD_VENDORS", FAULT_DATA, 1);
    }
    layer_disguise(scenario_now->disguise);
    if ((scenario_now->flags & KEEPS) && scene_keep(s)) {
        fail("preparing: %s", weft_error_message());
    }
    if (scenario_now->flags & FRESH && now->referenced) {
        *before = now->reference;
        return;
    }
    for (int i = 0; i < 3; i++) {
        if (i > 0) {
            nanosleep(&(struct timespec){0, SETTLE_FIRST_NS}, NULL);
            quiesce();
            ledger_read(before);
        }
        s = new_scene(true);
        if (run_once(s) || *s->problem) {
            fail("without any fault: %s%s", s->message, s->problem);
        }
        quiesce();
    }
    if (!(scenario_now->flags & NO_DRIVER) && (!layer_is_loaded() || !before->live[LEDGER_BLOCK])) {
        fail("the OpenCL loader has not loaded the layer, or the hooks see no memory");
    }
    settle(before, "a clean run");
}

static void sweep(void) {
    ledger_balance before;
    unsigned failures = now->failures;
    alarm(TRIAL_SECONDS);
    prepare(&before);
    if (now->failures > failures) {
        now->done = true; /* nothing can be learnt from it */
        return;
    }
    if (scenario_now->flags & FRESH && !now->referenced) {
        now->referenced = true;
        now->reference = before;
        return;
    }
    do {
        failures = now->failures;
        try_now(&before);
        if (now->failures > failures) {
            ledger_read(&before); /* the next trial is not to blame */
        }
        advance();
    } while (!now->done && !(scenario_now->flags & FRESH));
}

/* At the end, no object of the driver's lives. */
static void let_go(void) {
    char left[512];
    ledger_balance nothing;
    alarm(TRIAL_SECONDS);
    scene_let_go();
    ledger_read(&nothing);
    memset(nothing.live, 0, LEDGER_BLOCK * sizeof *nothing.live);
    if (!ledger_matches(&nothing, left, sizeof left)) {
        fail("never released: %s", left);
    }
    const ledger_totals totals = ledger_read_totals();
    now->totals.made += totals.made;
    now->totals.retained += totals.retained;
    now->totals.released += totals.released;
}

/* ---- The parent, which never calls the driver ------------------------------------------------------- */

static void explain_death(int status) {
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM) {
        fail("hangs");
    } else if (WIFSIGNALED(status)) {
        fail("is killed by signal %d (%s)", WTERMSIG(status), strsignal(WTERMSIG(status)));
    } else {
        fail("exits with status %d", WEXITSTATUS(status));
    }
}

static void supervise(void) {
    now->nth = 1;
    while (!now->done) {
        unsigned trials = now->trials;
        bool referenced = now->referenced;
        int status;
        fflush(stdout);
        pid_t child = fork();
        if (child == 0) {
            sweep();
            let_go();
            fflush(stdout);
            exit(0);
        }
        if (child < 0 || waitpid(child, &status, 0) != child) {
            perror("fork");
            exit(1);
        }
        if (status != 0) {
            explain_death(status);
            bool in_trial = now->trials > trials || now->record.fired;
            advance();
            now->done = now->done || !in_trial;
        } else if (now->trials == trials && now->referenced == referenced) {
            now->done = true;
        }
    }
}

static const scenario *const tables[] = {context_scenarios, buffer_scenarios, copy_scenarios, program_scenarios,
                                         launch_scenarios,  graph_scenarios,  order_scenarios, trace_scenarios};

static const scenario *find_scenario(const char *name) {
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        for (const scenario *at = tables[i]; at->name; at++) {
            if (name && strcmp(at->name, name) == 0) {
                return at;
            }
            if (!name) {
                printf("%s\n", at->name);
            }
        }
    }
    return NULL;
}

/* One line a benign row, with a count that may be 0: sweep.py adds them up. */
static void report(void) {
    size_t count;
    const benign_row *rows = benign_rows(&count);
    for (size_t i = 0; i < count; i++) {
        printf("benign %u %s in %s%s%s: %s\n", now->excused[i], rows[i].call ? rows[i].call : "any call",
               rows[i].during ? rows[i].during : "any function", rows[i].only ? ", scenarios " : "",
               rows[i].only ? rows[i].only : "", rows[i].reason);
    }
    printf("%s: %u faults injected, %u of them benign, %u failures; %zu driver objects made, %zu retained, %zu released\n",
           scenario_now->name, now->injected, now->benign, now->failures, now->totals.made, now->totals.retained,
           now->totals.released);
}

int main(int argc, char **argv) {
    int at = 1;
    for (; at < argc && strncmp(argv[at], "--", 2) == 0; at++) {
        if (strcmp(argv[at], "--list") == 0) {
            find_scenario(NULL);
            return 0;
        }
        how_deep = strcmp(argv[at], "--quick") == 0 ? DEPTH_QUICK : strcmp(argv[at], "--full") == 0 ? DEPTH_FULL : how_deep;
    }
    scenario_now = at + 1 == argc ? find_scenario(argv[at]) : NULL;
    if (!scenario_now) {
        fprintf(stderr, "usage: %s --list | [--quick | --full] SCENARIO\n", argv[0]);
        return 2;
    }
    Dl_info layer;
    const char *uncovered = system_hook_library();
    if (uncovered) {
        printf("FAIL: the fault layer does not cover %s, which libweft.so calls\n", uncovered);
        return 1;
    }
    if (!dladdr(dlsym(RTLD_DEFAULT, "fault_arm"), &layer)) {
        abort();
    }
    setenv("OPENCL_LAYERS", layer.dli_fname, 1); /* the very file that is linked: the loader then finds this layer */
    now = mmap(NULL, sizeof *now, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (now == MAP_FAILED) {
        perror("mmap");
        return 1;
    }
    supervise();
    report();
    return now->failures > 0;
}
