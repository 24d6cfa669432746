/* tests/fault: failures on demand, and a ledger of what they must not leave behind.
 *
 * libweft_fault_layer.so is an OpenCL layer, for OPENCL_LAYERS, and hooks over what libweft.so calls in the C
 * library. So the library under test is the one that ships. The sweep links the layer too, and both see one state.
 */
#ifndef FAULT_FAULT_H
#define FAULT_FAULT_H

#include <stdbool.h>
#include <stddef.h>

/* ---- Faults --------------------------------------------------------------------------------------- */

typedef enum fault_kind {
    FAULT_CALL,   /* a driver's entry point fails with an OpenCL code */
    FAULT_EVENT,  /* a command is taken, and its event ends with a negative status */
    FAULT_HOLD,   /* a command starts late: no failure, and nothing may come of it */
    FAULT_SYSTEM, /* an allocation or system call fails with an errno */
    FAULT_KINDS
} fault_kind;

/* The nth call of that kind, counted from 1, fails: once only, or it and all later ones. */
typedef struct fault_plan {
    fault_kind kind;
    unsigned nth;
    unsigned choice; /* among the codes that this call can give; wraps around */
    bool for_good;
} fault_plan;

typedef struct fault_site {
    const char *call;   /* "clGetDeviceInfo", "calloc" */
    unsigned detail;    /* what a query asks for, else 0 */
    const char *during; /* what fault_during said */
} fault_site;

enum { FAULT_SITES = 64 };

typedef struct fault_record {
    unsigned fired;     /* calls that failed */
    int code;           /* of the first one: OpenCL's, or an errno */
    unsigned n_choices; /* codes it could have given */
    fault_site sites[FAULT_SITES]; /* where, each once */
    unsigned n_sites;
} fault_record;

/* Starts a plan, and says where to keep its record. */
void fault_arm(const fault_plan *plan, fault_record *record);
void fault_disarm(void);

/* While paused, calls neither count nor fail: for the preparations of a scenario. */
void fault_pause(bool paused);

/* Names what the calling thread is doing; the text outlives the plan. */
void fault_during(const char *what);

/* Whether the calling thread has said what it does: the library's own threads never do. */
bool fault_knows_thread(void);

/* Called at each call that can fail: 0, or the code to fail with. */
int fault_hit(fault_kind kind, const char *call, unsigned detail);

/* Whether the plan is one that fails calls from then on. */
bool fault_is_for_good(void);

/* The codes a call can give, the likeliest first, 0 after the last; NULL for an unknown call. */
const int *fault_codes(fault_kind kind, const char *call);

/* ---- The ledger ----------------------------------------------------------------------------------- */

typedef enum ledger_kind {
    LEDGER_CONTEXT,
    LEDGER_QUEUE,
    LEDGER_MEMORY,
    LEDGER_PROGRAM,
    LEDGER_KERNEL,
    LEDGER_EVENT,
    LEDGER_MAPPING, /* by the memory that is mapped */
    LEDGER_BLOCK, /* heap memory that libweft.so holds, and so on */
    LEDGER_FILE,
    LEDGER_STREAM,
    LEDGER_FOLDER,
    LEDGER_LIBRARY,
    LEDGER_KINDS
} ledger_kind;

void ledger_made(ledger_kind kind, const void *what, const char *call);

/* False, and noted as a problem, when the object does not live. */
bool ledger_lives(ledger_kind kind, const void *what);
bool ledger_retained(ledger_kind kind, const void *what);
bool ledger_released(ledger_kind kind, const void *what);

/* An event that is to end with a negative status, and that status; 0 for one that ends as it does. Whether the
 * caller was told. */
void ledger_fail_event(const void *event, int status);
int ledger_event_failure(const void *event);
void ledger_tell_failure(const void *event);
bool ledger_told_failure(const void *event);

typedef struct ledger_balance {
    size_t live[LEDGER_KINDS];
    unsigned last; /* the entry made last */
} ledger_balance;

void ledger_read(ledger_balance *out);

/* Puts up to `most` of what lives into out; returns how many. */
size_t ledger_list(ledger_kind kind, void **out, size_t most);

/* Whether the same number of everything lives as at `before`. Otherwise out says what does not, and where
 * entries that are new were made. */
bool ledger_matches(const ledger_balance *before, char *out, size_t size);

/* Notes misuse, such as a release too many. The first is kept. */
__attribute__((format(printf, 1, 2))) void ledger_note(const char *format, ...);

/* Takes the note; false when there is none. */
bool ledger_take_note(char *out, size_t size);

/* How many objects the driver gave, and references taken and dropped, since the start. */
typedef struct ledger_totals {
    size_t made, retained, released;
} ledger_totals;

ledger_totals ledger_read_totals(void);

/* ---- The layer, and the hooks in the C library ---------------------------------------------------- */

/* Whether the loader has loaded the layer. */
bool layer_is_loaded(void);

/* Whether the layer knows the entry point, so that it can fail. */
bool layer_covers(const char *entry_point);

/* Makes every platform one of that name, and every device a GPU, so that weft takes the paths for them; NULL: as
 * they are. */
void layer_disguise(const char *platform);

/* CL_QUEUE_PRIORITY_KHR of the last queue made in disguise; 0: without. */
unsigned long layer_queue_priority(void);

/* The next command waits for some milliseconds before it runs. */
void layer_hold_next(void);

/* Puts the hooks under what libweft.so calls. Returns the first of its imports from OpenCL that the layer does not
 * cover, NULL when all is well. */
const char *system_hook_library(void);

/* Looks whether memory that libweft.so had freed was written since; notes it. */
void system_check_freed(void);

/* Frees what libweft.so allocated and handed over. */
void system_free(void *block);

#endif
