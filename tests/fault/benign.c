/* Sites where a failure is no failure of the call, and why. */
#include "benign.h"

#include <string.h>

/* Launches that pass a view by its address, and keep its memory until they have ended. */
#define BY_ADDRESS "launch_views launch_views_held launch_and_release"
/* Runs of graphs that do so, or that write what must stay until it is written. */
#define GRAPHS_KEEP "graph_views graph_and_release graph_patterns"
#define REFUSED_BUILD "compile_error compile_error_serial"

#define WAITS_INSTEAD "without a marker to keep memory until its command has ended, the call waits"
#define KEPT_LONGER "memory that is not known to be out of use is kept until the next wait"
#define WITHOUT_LOG "the compiler's refusal is told without its log"
#define UNMAPPING "the flush of an unmapping, which need not happen soon"
#define WITHOUT_CACHE "what the cache cannot give is compiled, and what it cannot keep is not kept"
#define NO_CACHE "a cache whose folder cannot be opened is told as none, with the reason"
#define NOT_WHOLE "an entry that cannot be read is told as not whole, one that cannot be looked at is left out"
#define CACHES "cache_cold cache_cold_gpu cache_warm cache_warm_gpu"
#define HOST_FUNCTIONS                                                                   \
    "host_function host_function_lets_go host_function_of_own host_function_flushed " \
    "host_function_in_sync_mode graph_of_order"
#define TRACES "traced traced_gpu"
#define TIMELINE_ASKS "the work was done; of its event only the timeline asks, and shows that it failed"
#define NOBODY_ASKS "the context is released without a synchronize, which would tell"

static const benign_row rows[] = {
    {NULL, "release", NULL, "a release returns nothing, and lets go of everything all the same"},
    {NULL, "weft_number_of_devices", NULL, "it returns a count, and asks again the next time"},
    {NULL, NULL, "no_driver", "there is no device either way; the message just says less of why"},
    {"clGetProgramBuildInfo", NULL, NULL, "a log that cannot be had is empty; what was built is as good"},
    {"calloc", "weft_compile_program", REFUSED_BUILD, WITHOUT_LOG},
    {"pthread_setspecific", "weft_compile_program", REFUSED_BUILD, WITHOUT_LOG},
    {"realloc", "weft_compile_program", "compile_error_serial", WITHOUT_LOG},
    {"realloc", "weft_compile_function", "function_missing", "the message cannot list the kernels there are"},
    {"clBuildProgram", "weft_program_function", NULL, "a type that the compiler cannot tell of stays unknown"},
    {"clBuildProgram", "weft_compile_program", REFUSED_BUILD, "the compiler refuses the source in any case"},
    {"clCreateSubBuffer", "weft_enqueue_function", NULL, "a view that the driver does not take is passed another way"},
    {"calloc", "weft_enqueue_copy", "host_buffer_in_many_contexts",
     "without room for one more context, the first is waited for and forgotten"},
    {"clCreateSubBuffer", "weft_enqueue_graph", "graph_views_gpu", "a view that the driver does not take is passed another way"},
    {"clCreateSubBuffer", "weft_graph_set_arg", "graph_views_gpu", "a view that the driver does not take is passed another way"},
    {"clGetEventInfo", "weft_synchronize", NULL, KEPT_LONGER},
    {"clGetEventInfo", "weft_enqueue_fill_bytes", NULL, KEPT_LONGER},
    {"clGetEventInfo", "weft_enqueue_function", BY_ADDRESS, KEPT_LONGER},
    {"clEnqueueUnmapMemObject", NULL, NULL, "pinned memory ends with its memory object, mapped or not"},
    {"clFlush", "weft_device_buffer_unmap", NULL, UNMAPPING},
    {"clFlush", "weft_synchronize", "release_in_flight_gpu", UNMAPPING},
    {"clEnqueueMarkerWithWaitList", "weft_enqueue_fill_bytes", NULL, WAITS_INSTEAD},
    {"clFlush", "weft_enqueue_fill_bytes", NULL, WAITS_INSTEAD},
    {"calloc", "weft_enqueue_fill_bytes", NULL, WAITS_INSTEAD},
    {"clEnqueueMarkerWithWaitList", "weft_enqueue_function", BY_ADDRESS, WAITS_INSTEAD},
    {"clFlush", "weft_enqueue_function", BY_ADDRESS, WAITS_INSTEAD},
    {"calloc", "weft_enqueue_function", BY_ADDRESS, WAITS_INSTEAD},
    {"clFinish", "weft_enqueue_function", "launch_and_release", NOBODY_ASKS},
    {"clGetEventInfo", "weft_enqueue_graph", GRAPHS_KEEP, KEPT_LONGER},
    {"clEnqueueMarkerWithWaitList", "weft_enqueue_graph", GRAPHS_KEEP, WAITS_INSTEAD},
    {"clFlush", "weft_enqueue_graph", GRAPHS_KEEP, WAITS_INSTEAD},
    {"calloc", "weft_enqueue_graph", GRAPHS_KEEP, WAITS_INSTEAD},
    {"clGetEventInfo", "weft_graph_set_arg", "graph_views", KEPT_LONGER},
    {"clEnqueueMarkerWithWaitList", "weft_graph_set_arg", "graph_views", WAITS_INSTEAD},
    {"clFlush", "weft_graph_set_arg", "graph_views", WAITS_INSTEAD},
    {"calloc", "weft_graph_set_arg", "graph_views", WAITS_INSTEAD},
    {"clWaitForEvents", NULL, HOST_FUNCTIONS, "a host function's thread that could not wait asks until it is its turn"},
    {NULL, "", "host_function_lets_go", "what a host function captured or let go is kept longer, or waited for"},
    {"clSetUserEventStatus", NULL, HOST_FUNCTIONS, "what lets the queue go on is done again"},
    {"clSetKernelArg", "weft_enqueue_function", "launch_every_argument_gpu", "a struct is tried without its padding"},
    {NULL, "weft_compile_program", CACHES, WITHOUT_CACHE},
    {NULL, "weft_synchronize", CACHES, WITHOUT_CACHE},
    {"open", NULL, "cache_looked_at", NO_CACHE},
    {"fstat", NULL, "cache_looked_at", NO_CACHE},
    {"fstatat", NULL, "cache_looked_at", NOT_WHOLE},
    {NULL, "weft_cache_visit", "cache_looked_at", NOT_WHOLE},
    {NULL, "weft_context_create", "context_first", "a device that cannot be described is left out, and the next one taken"},
    {"clEnqueueMarkerWithWaitList", "weft_enqueue_wait_for", "wait_and_release", NOBODY_ASKS},
    {"clEnqueueBarrierWithWaitList", "weft_enqueue_wait_for", "wait_and_release", NOBODY_ASKS},
    {NULL, "", TRACES, "the timeline's own thread shows a command without what the driver does not say"},
    {"clRetainEvent", "weft_enqueue_wait_for", TRACES, "the wait is not shown in the timeline"},
    {"clEnqueueFillBuffer", "weft_enqueue_fill", TRACES, TIMELINE_ASKS},
    {"clEnqueueWriteBuffer", "weft_enqueue_copy", TRACES, TIMELINE_ASKS},
    {"clEnqueueReadBuffer", "weft_enqueue_copy", TRACES, TIMELINE_ASKS},
    {"clEnqueueNDRangeKernel", "weft_enqueue_function", TRACES, TIMELINE_ASKS},
};

const benign_row *benign_rows(size_t *count) {
    *count = sizeof rows / sizeof *rows;
    return rows;
}

/* Whether what was done is that function: "weft_flush(context)" is weft_flush. */
static bool is_function(const char *during, const char *function) {
    size_t length = strlen(function);
    return strncmp(during, function, length) == 0 && (during[length] == '(' || during[length] == '\0');
}

static bool has_word(const char *list, const char *word) {
    size_t length = strlen(word);
    for (const char *at = list; (at = strstr(at, word)); at += length) {
        if ((at == list || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0')) {
            return true;
        }
    }
    return false;
}

const benign_row *benign_find(const fault_site *site, const char *scenario) {
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const benign_row *row = &rows[i];
        if ((!row->call || strcmp(row->call, site->call) == 0) && (!row->during || is_function(site->during, row->during)) &&
            (!row->only || has_word(row->only, scenario))) {
            return row;
        }
    }
    return NULL;
}
