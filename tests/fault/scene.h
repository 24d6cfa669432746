/* One run of a scenario: what it owns, and what it noticed. */
#ifndef FAULT_SCENE_H
#define FAULT_SCENE_H

#include <stdint.h>
#include <string.h>

#include <weft/weft.h>

#include "fault.h"

enum { N = 256, SCENE_HANDLES = 64, FAULT_ANSWER = 4096 };

typedef enum handle_kind {
    HANDLE_CONTEXT,
    HANDLE_DEVICE_BUFFER,
    HANDLE_HOST_BUFFER,
    HANDLE_PROGRAM,
    HANDLE_FUNCTION,
    HANDLE_GRAPH,
    HANDLE_EVENT
} handle_kind;

/* Arrays that copies use stand here, since a copy may be in flight when its scenario has given up. */
typedef struct scene {
    int32_t in[N], out[N]; /* in[i] is i * 3 + 1, out is 0 at first */
    struct {
        handle_kind kind;
        void *handle;
    } handles[SCENE_HANDLES]; /* released at the end, the newest first */
    unsigned n_handles;
    char problem[512]; /* the first thing that no fault excuses */
    char message[512]; /* of the last call that failed, and the driver's code */
    int32_t cl_code;
    bool clean;        /* no fault is to be expected */
    char *answer;      /* for FRESH scenarios, of FAULT_ANSWER bytes: what a clean process answers, "" at first */
} scene;

/* What scenarios that say so find open, made before any fault, and used by all their runs. */
typedef struct kept {
    weft_context *context, *sibling; /* on the first device */
    weft_context *other;             /* on the second */
    weft_function *square, *add, *scale, *reverse; /* of kept_source, on the first */
} kept;

extern kept kept_things;
extern const char kept_source[];

/* Opens what scenarios keep, and lets go of it. */
weft_status scene_keep(scene *s);
void scene_let_go(void);

void scene_own(scene *s, handle_kind kind, void *handle);
void scene_release_newest(scene *s);
void scene_release_all(scene *s);
__attribute__((format(printf, 2, 3))) void scene_problem(scene *s, const char *format, ...);

/* Checks the record of a call that failed; returns status. */
weft_status scene_returned(scene *s, weft_status status);

/* The same for a call that had to fail as expected: WEFT_OK if it did. */
weft_status scene_refused(scene *s, weft_status expected, weft_status status, const char *call);

/* Synchronizes every context that the scene holds or keeps: that is where late failures show. */
weft_status scene_synchronize(scene *s);

/* A call that is to succeed, or a helper made of such calls. When it fails, so does the scenario, which a
 * fault excuses. */
#define STEP(call)                                       \
    do {                                                 \
        fault_during(#call);                             \
        weft_status status_ = scene_returned(s, (call)); \
        if (status_) {                                   \
            return status_;                              \
        }                                                \
    } while (0)

/* A call that is to set `handle`, which is the scene's from then on; on failure it must be NULL. */
#define MAKE(handle, call)                                                       \
    do {                                                                         \
        (handle) = (void *)s; /* anything but NULL */                            \
        fault_during(#call);                                                     \
        weft_status status_ = scene_returned(s, (call));                         \
        if (status_) {                                                           \
            if (handle) {                                                        \
                scene_problem(s, "%s failed, and %s is not NULL", #call, #handle); \
            }                                                                    \
            return status_;                                                      \
        }                                                                        \
        scene_own(s, HANDLE_KIND(handle), (handle));                             \
    } while (0)

/* A call that is to fail with that status. */
#define REFUSED(expected, call)                                                          \
    do {                                                                                 \
        fault_during(#call);                                                             \
        weft_status status_ = scene_refused(s, (expected), (call), #call);               \
        if (status_) {                                                                   \
            return status_;                                                              \
        }                                                                                \
    } while (0)

/* What must hold when every call so far has succeeded. */
#define HOLDS(condition)                                                    \
    do {                                                                    \
        if (!(condition)) {                                                 \
            scene_problem(s, "%s:%d: %s is wrong", __func__, __LINE__, #condition); \
        }                                                                   \
    } while (0)

#define HANDLE_KIND(handle)                      \
    _Generic((handle),                           \
        weft_context *: HANDLE_CONTEXT,          \
        weft_device_buffer *: HANDLE_DEVICE_BUFFER, \
        weft_host_buffer *: HANDLE_HOST_BUFFER,  \
        weft_program *: HANDLE_PROGRAM,          \
        weft_function *: HANDLE_FUNCTION,        \
        weft_graph *: HANDLE_GRAPH,              \
        weft_event *: HANDLE_EVENT)

#define SAME(a, b) (memcmp((a), (b), sizeof(a)) == 0)

/* ---- Scenarios ------------------------------------------------------------------------------------- */

enum {
    KEEPS = 1 << 0,     /* runs on kept_things */
    FRESH = 1 << 1,     /* each run in a process of its own, since what it looks at happens once in a process */
    SLOW = 1 << 2,      /* a quick sweep leaves calls out */
    NO_DRIVER = 1 << 3  /* no driver is registered */
};

/* Platforms that PoCL is made to be, with its devices as GPUs, so that weft takes its paths for them: a finish behind
 * a marker, a flush after each command, sub-buffers anywhere, pinned memory; one call at a time, and logs mapped;
 * kernels without parameters that do not build. */
#define GPU "rusticl"
#define SERIAL "Oclgrind"
#define NVIDIA "NVIDIA CUDA"
#define AMD "AMD Accelerated Parallel Processing" /* a driver that weft knows nothing of */

typedef struct scenario {
    const char *name;
    weft_status (*run)(scene *s);
    unsigned flags;
    const char *disguise; /* what the platform is made to be, or NULL */
} scenario;

/* Each ends with one that has no name. */
extern const scenario context_scenarios[], copy_scenarios[], buffer_scenarios[], program_scenarios[], launch_scenarios[],
    graph_scenarios[], order_scenarios[], trace_scenarios[];

#endif
