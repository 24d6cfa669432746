/* The OpenCL layer: stands between the loader and the drivers, and fails, holds and keeps count. */
#include <CL/cl.h>
#include <CL/cl_icd.h>
#include <CL/cl_layer.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

#include "disguise.h"
#include "fault.h"
#include "layer_info.h"

/* How long a held command waits: long enough for the caller to go on and let go of everything. */
enum { HOLD_NS = 3000000 };

static const cl_icd_dispatch *next; /* the drivers, or the next layer */

/* ---- Misuse: a handle that does not live never reaches the driver, which would crash ---------------- */

static cl_int queue_lives(cl_command_queue queue) {
    return ledger_lives(LEDGER_QUEUE, queue) ? CL_SUCCESS : CL_INVALID_COMMAND_QUEUE;
}

static cl_int memory_lives(cl_mem memory) {
    return ledger_lives(LEDGER_MEMORY, memory) ? CL_SUCCESS : CL_INVALID_MEM_OBJECT;
}

static cl_int program_lives(cl_program program) {
    return ledger_lives(LEDGER_PROGRAM, program) ? CL_SUCCESS : CL_INVALID_PROGRAM;
}

static cl_int kernel_lives(cl_kernel kernel) {
    return ledger_lives(LEDGER_KERNEL, kernel) ? CL_SUCCESS : CL_INVALID_KERNEL;
}

static cl_int context_lives(cl_context context) {
    return ledger_lives(LEDGER_CONTEXT, context) ? CL_SUCCESS : CL_INVALID_CONTEXT;
}

static cl_int events_live(cl_uint count, const cl_event *events) {
    for (cl_uint i = 0; i < count; i++) {
        if (!ledger_lives(LEDGER_EVENT, events[i])) {
            return CL_INVALID_EVENT;
        }
    }
    return CL_SUCCESS;
}

/* ---- Failing a call ------------------------------------------------------------------------------- */

/* Held while a queue is let go, and while the queues that there are get one reference more. */
static pthread_mutex_t queues_live = PTHREAD_MUTEX_INITIALIZER;

/* 0, or the code to fail with. A device that fails from then on is lost, and does nothing more: what its queues hold
 * ends first. Not on the library's own threads, beside which queues may go; the scenario's fails next. */
static cl_int fails(const char *call, unsigned detail) {
    cl_int code = fault_hit(FAULT_CALL, call, detail);
    void *queues[64];
    bool ends = code && fault_is_for_good() && fault_knows_thread();
    pthread_mutex_lock(&queues_live);
    size_t count = ends ? ledger_list(LEDGER_QUEUE, queues, sizeof queues / sizeof *queues) : 0;
    for (size_t i = 0; i < count; i++) {
        next->clRetainCommandQueue(queues[i]);
    }
    pthread_mutex_unlock(&queues_live);
    for (size_t i = 0; i < count; i++) {
        next->clFinish(queues[i]);
        next->clReleaseCommandQueue(queues[i]);
    }
    return code;
}

/* ---- Holding a command ---------------------------------------------------------------------------- */

static atomic_bool hold_the_next;

void layer_hold_next(void) {
    atomic_store(&hold_the_next, true);
}

static void *open_gate(void *gate) {
    nanosleep(&(struct timespec){0, HOLD_NS}, NULL);
    next->clSetUserEventStatus(gate, CL_COMPLETE);
    next->clReleaseEvent(gate);
    return NULL;
}

/* Puts a barrier into the queue that a thread opens later. */
static void hold(cl_command_queue queue) {
    cl_context context;
    cl_int code = next->clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, sizeof context, &context, NULL);
    cl_event gate = code ? NULL : next->clCreateUserEvent(context, &code);
    pthread_t thread;
    if (!gate) {
        ledger_note("a queue could not be held: %d", code);
        return;
    }
    code = next->clEnqueueBarrierWithWaitList(queue, 1, &gate, NULL);
    if (code || pthread_create(&thread, NULL, open_gate, gate)) {
        ledger_note("a queue could not be held: %d", code);
        open_gate(gate);
    } else {
        pthread_detach(thread);
    }
}

/* ---- Commands ------------------------------------------------------------------------------------- */

static cl_int begin_command(const char *call, cl_command_queue queue, cl_mem a, cl_mem b, cl_uint n_waits,
                            const cl_event *waits) {
    bool held = atomic_exchange(&hold_the_next, false);
    cl_int code = queue_lives(queue);
    code = code || !a ? code : memory_lives(a);
    code = code || !b ? code : memory_lives(b);
    code = code ? code : events_live(n_waits, waits);
    code = code ? code : fails(call, 0);
    if (!code && (fault_hit(FAULT_HOLD, call, 0) || held)) {
        hold(queue);
    }
    return code;
}

/* A command fails when the fault says so, or when one that it waits for does. */
static void end_command(const char *call, cl_uint n_waits, const cl_event *waits, cl_event *event) {
    cl_int status = 0;
    for (cl_uint i = 0; i < n_waits; i++) {
        if (ledger_told_failure(waits[i])) {
            ledger_note("%s waits for an event that is known to have failed, which hangs some drivers", call);
        }
        status = ledger_event_failure(waits[i]) ? CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST : status;
    }
    if (event) {
        ledger_made(LEDGER_EVENT, *event, call);
        cl_int fault = fault_hit(FAULT_EVENT, call, 0);
        ledger_fail_event(*event, fault ? fault : status);
    }
}

/* Parameters end in the wait list and the event; `queue`, and a and b where there are some, are among them. */
#define COMMAND(name, a, b, parameters, arguments)                               \
    static cl_int CL_API_CALL layer_##name parameters {                          \
        cl_int code = begin_command(#name, queue, a, b, n_waits, waits);         \
        code = code ? code : next->name arguments;                               \
        if (!code) {                                                             \
            end_command(#name, n_waits, waits, event);                           \
        }                                                                        \
        return code;                                                             \
    }

COMMAND(clEnqueueReadBuffer, memory, NULL,
        (cl_command_queue queue, cl_mem memory, cl_bool blocking, size_t offset, size_t size, void *data, cl_uint n_waits,
         const cl_event *waits, cl_event *event),
        (queue, memory, blocking, offset, size, data, n_waits, waits, event))
COMMAND(clEnqueueWriteBuffer, memory, NULL,
        (cl_command_queue queue, cl_mem memory, cl_bool blocking, size_t offset, size_t size, const void *data,
         cl_uint n_waits, const cl_event *waits, cl_event *event),
        (queue, memory, blocking, offset, size, data, n_waits, waits, event))
COMMAND(clEnqueueCopyBuffer, src, dst,
        (cl_command_queue queue, cl_mem src, cl_mem dst, size_t src_offset, size_t dst_offset, size_t size, cl_uint n_waits,
         const cl_event *waits, cl_event *event),
        (queue, src, dst, src_offset, dst_offset, size, n_waits, waits, event))
COMMAND(clEnqueueReadBufferRect, memory, NULL,
        (cl_command_queue queue, cl_mem memory, cl_bool blocking, const size_t *there, const size_t *here, const size_t *region,
         size_t row, size_t slice, size_t host_row, size_t host_slice, void *data, cl_uint n_waits, const cl_event *waits,
         cl_event *event),
        (queue, memory, blocking, there, here, region, row, slice, host_row, host_slice, data, n_waits, waits, event))
COMMAND(clEnqueueWriteBufferRect, memory, NULL,
        (cl_command_queue queue, cl_mem memory, cl_bool blocking, const size_t *there, const size_t *here, const size_t *region,
         size_t row, size_t slice, size_t host_row, size_t host_slice, const void *data, cl_uint n_waits, const cl_event *waits,
         cl_event *event),
        (queue, memory, blocking, there, here, region, row, slice, host_row, host_slice, data, n_waits, waits, event))
COMMAND(clEnqueueCopyBufferRect, src, dst,
        (cl_command_queue queue, cl_mem src, cl_mem dst, const size_t *from, const size_t *to, const size_t *region, size_t src_row,
         size_t src_slice, size_t dst_row, size_t dst_slice, cl_uint n_waits, const cl_event *waits, cl_event *event),
        (queue, src, dst, from, to, region, src_row, src_slice, dst_row, dst_slice, n_waits, waits, event))
COMMAND(clEnqueueFillBuffer, memory, NULL,
        (cl_command_queue queue, cl_mem memory, const void *pattern, size_t pattern_size, size_t offset, size_t size,
         cl_uint n_waits, const cl_event *waits, cl_event *event),
        (queue, memory, pattern, pattern_size, offset, size, n_waits, waits, event))
COMMAND(clEnqueueNDRangeKernel, NULL, NULL,
        (cl_command_queue queue, cl_kernel kernel, cl_uint dimensions, const size_t *offset, const size_t *global,
         const size_t *local, cl_uint n_waits, const cl_event *waits, cl_event *event),
        (queue, kernel, dimensions, offset, global, local, n_waits, waits, event))
COMMAND(clEnqueueMarkerWithWaitList, NULL, NULL,
        (cl_command_queue queue, cl_uint n_waits, const cl_event *waits, cl_event *event), (queue, n_waits, waits, event))
COMMAND(clEnqueueBarrierWithWaitList, NULL, NULL,
        (cl_command_queue queue, cl_uint n_waits, const cl_event *waits, cl_event *event), (queue, n_waits, waits, event))

static cl_int CL_API_CALL layer_clEnqueueUnmapMemObject(cl_command_queue queue, cl_mem memory, void *mapped, cl_uint n_waits,
                                                        const cl_event *waits, cl_event *event) {
    cl_int code = begin_command("clEnqueueUnmapMemObject", queue, memory, NULL, n_waits, waits);
    if (!code && !ledger_released(LEDGER_MAPPING, memory)) {
        code = CL_INVALID_VALUE;
    }
    code = code ? code : next->clEnqueueUnmapMemObject(queue, memory, mapped, n_waits, waits, event);
    if (!code) {
        end_command("clEnqueueUnmapMemObject", n_waits, waits, event);
    }
    return code;
}

static void *CL_API_CALL layer_clEnqueueMapBuffer(cl_command_queue queue, cl_mem memory, cl_bool blocking, cl_map_flags flags,
                                                  size_t offset, size_t size, cl_uint n_waits, const cl_event *waits,
                                                  cl_event *event, cl_int *code_out) {
    cl_int code = begin_command("clEnqueueMapBuffer", queue, memory, NULL, n_waits, waits);
    void *mapped = NULL;
    if (!code) {
        mapped = next->clEnqueueMapBuffer(queue, memory, blocking, flags, offset, size, n_waits, waits, event, &code);
    }
    if (!code) {
        ledger_made(LEDGER_MAPPING, memory, "clEnqueueMapBuffer");
        end_command("clEnqueueMapBuffer", n_waits, waits, event);
    }
    if (code_out) {
        *code_out = code;
    }
    return mapped;
}

/* ---- Calls that make an object -------------------------------------------------------------------- */

/* The parameters end in code_out. */
#define CREATE(name, kind, type, lives, parameters, arguments)               \
    static type CL_API_CALL layer_##name parameters {                        \
        cl_int code = lives;                                                 \
        code = code ? code : fails(#name, 0);                \
        type made = code ? NULL : next->name arguments;                      \
        if (made) {                                                          \
            ledger_made(kind, made, #name);                                  \
        } else if (code && code_out) {                                       \
            *code_out = code;                                                \
        }                                                                    \
        return made;                                                         \
    }

typedef void(CL_CALLBACK *context_callback)(const char *, const void *, size_t, void *);

CREATE(clCreateContext, LEDGER_CONTEXT, cl_context, CL_SUCCESS,
       (const cl_context_properties *properties, cl_uint count, const cl_device_id *devices, context_callback notify,
        void *user, cl_int *code_out),
       (properties, count, devices, notify, user, code_out))
CREATE(clCreateCommandQueue, LEDGER_QUEUE, cl_command_queue, context_lives(context),
       (cl_context context, cl_device_id device, cl_command_queue_properties properties, cl_int *code_out),
       (context, device, ((void)disguise_queue_properties(NULL), properties), code_out))
CREATE(clCreateCommandQueueWithProperties, LEDGER_QUEUE, cl_command_queue, context_lives(context),
       (cl_context context, cl_device_id device, const cl_queue_properties *properties, cl_int *code_out),
       (context, device, disguise_queue_properties(properties), code_out))
CREATE(clCreateUserEvent, LEDGER_EVENT, cl_event, context_lives(context), (cl_context context, cl_int *code_out),
       (context, code_out))
CREATE(clCreateBuffer, LEDGER_MEMORY, cl_mem, context_lives(context),
       (cl_context context, cl_mem_flags flags, size_t size, void *host, cl_int *code_out),
       (context, flags, size, host, code_out))
CREATE(clCreateSubBuffer, LEDGER_MEMORY, cl_mem, memory_lives(memory),
       (cl_mem memory, cl_mem_flags flags, cl_buffer_create_type type, const void *region, cl_int *code_out),
       (memory, flags, type, region, code_out))
CREATE(clCreateProgramWithSource, LEDGER_PROGRAM, cl_program, context_lives(context),
       (cl_context context, cl_uint count, const char **texts, const size_t *lengths, cl_int *code_out),
       (context, count, texts, lengths, code_out))
CREATE(clCreateProgramWithBinary, LEDGER_PROGRAM, cl_program, context_lives(context),
       (cl_context context, cl_uint count, const cl_device_id *devices, const size_t *sizes, const unsigned char **binaries,
        cl_int *taken, cl_int *code_out),
       (context, count, devices, sizes, binaries, taken, code_out))
CREATE(clCreateProgramWithIL, LEDGER_PROGRAM, cl_program, context_lives(context),
       (cl_context context, const void *il, size_t length, cl_int *code_out), (context, il, length, code_out))
CREATE(clCreateKernel, LEDGER_KERNEL, cl_kernel, program_lives(program),
       (cl_program program, const char *name, cl_int *code_out), (program, name, code_out))

static cl_int CL_API_CALL layer_clCreateKernelsInProgram(cl_program program, cl_uint most, cl_kernel *out, cl_uint *count) {
    cl_uint made = 0;
    cl_int code = program_lives(program);
    code = code ? code : fails("clCreateKernelsInProgram", 0);
    code = code ? code : next->clCreateKernelsInProgram(program, most, out, &made);
    for (cl_uint i = 0; !code && out && i < made; i++) {
        ledger_made(LEDGER_KERNEL, out[i], "clCreateKernelsInProgram");
    }
    if (!code && count) {
        *count = made;
    }
    return code;
}

/* ---- References, which only count: weft cannot do anything about a release that fails --------------- */

#define REFERENCE(verb, counted, noun, kind, type, dead)                                     \
    static cl_int CL_API_CALL layer_cl##verb##noun(type object) {                            \
        return counted(kind, object) ? next->cl##verb##noun(object) : dead;                  \
    }
#define REFERENCES(noun, kind, type, dead)                                \
    REFERENCE(Retain, ledger_retained, noun, kind, type, dead)            \
    REFERENCE(Release, ledger_released, noun, kind, type, dead)

REFERENCES(Context, LEDGER_CONTEXT, cl_context, CL_INVALID_CONTEXT)
REFERENCE(Retain, ledger_retained, CommandQueue, LEDGER_QUEUE, cl_command_queue, CL_INVALID_COMMAND_QUEUE)
REFERENCES(MemObject, LEDGER_MEMORY, cl_mem, CL_INVALID_MEM_OBJECT)
REFERENCES(Program, LEDGER_PROGRAM, cl_program, CL_INVALID_PROGRAM)
REFERENCES(Kernel, LEDGER_KERNEL, cl_kernel, CL_INVALID_KERNEL)
REFERENCES(Event, LEDGER_EVENT, cl_event, CL_INVALID_EVENT)

static cl_int CL_API_CALL layer_clReleaseCommandQueue(cl_command_queue queue) {
    pthread_mutex_lock(&queues_live);
    cl_int code = ledger_released(LEDGER_QUEUE, queue) ? next->clReleaseCommandQueue(queue) : CL_INVALID_COMMAND_QUEUE;
    pthread_mutex_unlock(&queues_live);
    return code;
}

/* ---- The rest ------------------------------------------------------------------------------------- */

#define CALL(name, detail, lives, parameters, arguments)                          \
    static cl_int CL_API_CALL layer_##name parameters {                           \
        cl_int code = lives;                                                      \
        code = code ? code : fails(#name, (unsigned)(detail));    \
        return code ? code : next->name arguments;                                \
    }

typedef void(CL_CALLBACK *memory_callback)(cl_mem, void *);

CALL(clGetPlatformIDs, 0, CL_SUCCESS, (cl_uint most, cl_platform_id *out, cl_uint *count), (most, out, count))
CALL(clGetDeviceIDs, 0, CL_SUCCESS,
     (cl_platform_id platform, cl_device_type type, cl_uint most, cl_device_id *out, cl_uint *count),
     (platform, type, most, out, count))
CALL(clSetMemObjectDestructorCallback, 0, memory_lives(memory), (cl_mem memory, memory_callback notify, void *user),
     (memory, notify, user))
CALL(clGetProgramInfo, what, program_lives(program),
     (cl_program program, cl_program_info what, size_t size, void *out, size_t *size_out),
     (program, what, size, out, size_out))
CALL(clSetKernelArg, 0, kernel_lives(kernel), (cl_kernel kernel, cl_uint index, size_t size, const void *value),
     (kernel, index, size, value))
CALL(clSetKernelArgSVMPointer, 0, kernel_lives(kernel), (cl_kernel kernel, cl_uint index, const void *value),
     (kernel, index, value))
CALL(clGetKernelInfo, what, kernel_lives(kernel),
     (cl_kernel kernel, cl_kernel_info what, size_t size, void *out, size_t *size_out),
     (kernel, what, size, out, size_out))
CALL(clGetKernelArgInfo, what, kernel_lives(kernel),
     (cl_kernel kernel, cl_uint index, cl_kernel_arg_info what, size_t size, void *out, size_t *size_out),
     (kernel, index, what, size, out, size_out))
CALL(clGetKernelWorkGroupInfo, what, kernel_lives(kernel),
     (cl_kernel kernel, cl_device_id device, cl_kernel_work_group_info what, size_t size, void *out, size_t *size_out),
     (kernel, device, what, size, out, size_out))
CALL(clFlush, 0, queue_lives(queue), (cl_command_queue queue), (queue))
CALL(clFinish, 0, queue_lives(queue), (cl_command_queue queue), (queue))

static cl_int CL_API_CALL layer_clWaitForEvents(cl_uint count, const cl_event *events) {
    cl_int code = events_live(count, events);
    code = code ? code : fails("clWaitForEvents", 0);
    code = code ? code : next->clWaitForEvents(count, events);
    for (cl_uint i = 0; i < count && !code; i++) {
        code = ledger_event_failure(events[i]) ? CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST : CL_SUCCESS;
    }
    return code;
}

/* A failure shows once the command has really ended: one in order does not end before those in front of it. */
static cl_int CL_API_CALL layer_clGetEventInfo(cl_event event, cl_event_info what, size_t size, void *out, size_t *size_out) {
    cl_int code = events_live(1, &event);
    code = code ? code : fails("clGetEventInfo", what);
    code = code ? code : next->clGetEventInfo(event, what, size, out, size_out);
    cl_int failure = ledger_event_failure(event), *status = out;
    if (!code && failure && what == CL_EVENT_COMMAND_EXECUTION_STATUS && status && *status <= CL_COMPLETE) {
        *status = failure;
        ledger_tell_failure(event);
    }
    return code;
}

static cl_int CL_API_CALL layer_clGetEventProfilingInfo(cl_event event, cl_profiling_info what, size_t size, void *out,
                                                       size_t *size_out) {
    cl_int code = events_live(1, &event);
    code = code ? code : fails("clGetEventProfilingInfo", what);
    return code ? code : next->clGetEventProfilingInfo(event, what, size, out, size_out);
}

/* Failing from now on it would hold a queue for ever, since nothing else lets that go on. */
static cl_int CL_API_CALL layer_clSetUserEventStatus(cl_event event, cl_int status) {
    cl_int code = events_live(1, &event);
    code = code || fault_is_for_good() ? code : fails("clSetUserEventStatus", 0);
    return code ? code : next->clSetUserEventStatus(event, status);
}

/* ---- What a disguise changes ---------------------------------------------------------------------- */

static cl_int CL_API_CALL layer_clGetPlatformInfo(cl_platform_id platform, cl_platform_info what, size_t size, void *out,
                                                  size_t *size_out) {
    cl_int code = fails("clGetPlatformInfo", what);
    if (code || disguise_platform_info(what, size, out, size_out)) {
        return code;
    }
    return next->clGetPlatformInfo(platform, what, size, out, size_out);
}

static cl_int CL_API_CALL layer_clGetDeviceInfo(cl_device_id device, cl_device_info what, size_t size, void *out,
                                                size_t *size_out) {
    cl_int code = fails("clGetDeviceInfo", what);
    if (code || disguise_device_info(what, size, out, size_out)) {
        return code;
    }
    return next->clGetDeviceInfo(device, what, size, out, size_out);
}

typedef void(CL_CALLBACK *program_callback)(cl_program, void *);

static cl_int CL_API_CALL layer_clBuildProgram(cl_program program, cl_uint count, const cl_device_id *devices,
                                               const char *options, program_callback notify, void *user) {
    cl_int code = program_lives(program);
    code = code ? code : fails("clBuildProgram", 0);
    if (!code && disguise_breaks_build(next, program, options)) {
        code = CL_BUILD_PROGRAM_FAILURE;
    }
    return code ? code : next->clBuildProgram(program, count, devices, options, notify, user);
}

static cl_int CL_API_CALL layer_clGetProgramBuildInfo(cl_program program, cl_device_id device, cl_program_build_info what,
                                                      size_t size, void *out, size_t *size_out) {
    cl_int code = program_lives(program);
    code = code ? code : fails("clGetProgramBuildInfo", what);
    if (code || disguise_build_info(program, what, size, out, size_out)) {
        return code;
    }
    return next->clGetProgramBuildInfo(program, device, what, size, out, size_out);
}

/* ---- What the loader looks up --------------------------------------------------------------------- */

#define ENTRY_POINTS(X)                                                                                                    \
    X(clGetPlatformIDs) X(clGetPlatformInfo) X(clGetDeviceIDs) X(clGetDeviceInfo)                                          \
    X(clCreateContext) X(clRetainContext) X(clReleaseContext)                                                              \
    X(clCreateCommandQueue) X(clRetainCommandQueue) X(clReleaseCommandQueue) X(clFlush) X(clFinish)                        \
    X(clCreateBuffer) X(clCreateSubBuffer) X(clSetMemObjectDestructorCallback) X(clRetainMemObject) X(clReleaseMemObject)  \
    X(clCreateProgramWithSource) X(clCreateProgramWithBinary) X(clCreateProgramWithIL) X(clBuildProgram)                   \
    X(clGetProgramInfo) X(clGetProgramBuildInfo)                                                                           \
    X(clRetainProgram) X(clReleaseProgram)                                                                                 \
    X(clCreateKernel) X(clCreateKernelsInProgram) X(clSetKernelArg) X(clSetKernelArgSVMPointer)                            \
    X(clGetKernelInfo) X(clGetKernelArgInfo) X(clGetKernelWorkGroupInfo) X(clRetainKernel) X(clReleaseKernel)              \
    X(clEnqueueReadBuffer) X(clEnqueueWriteBuffer) X(clEnqueueCopyBuffer) X(clEnqueueFillBuffer)                           \
    X(clEnqueueReadBufferRect) X(clEnqueueWriteBufferRect) X(clEnqueueCopyBufferRect)                                      \
    X(clEnqueueMapBuffer) X(clEnqueueUnmapMemObject) X(clEnqueueNDRangeKernel)                                             \
    X(clEnqueueMarkerWithWaitList) X(clEnqueueBarrierWithWaitList)                                                         \
    X(clWaitForEvents) X(clGetEventInfo) X(clGetEventProfilingInfo) X(clRetainEvent) X(clReleaseEvent)                     \
    X(clCreateUserEvent) X(clSetUserEventStatus) X(clCreateCommandQueueWithProperties)

/* The loader fills what is left out with the next table's entries. */
static const cl_icd_dispatch table = {
#define ENTRY(name) .name = layer_##name,
    ENTRY_POINTS(ENTRY)
#undef ENTRY
};

static const char *const names[] = {
#define ENTRY(name) #name,
    ENTRY_POINTS(ENTRY)
#undef ENTRY
};

bool layer_is_loaded(void) {
    return next != NULL;
}

bool layer_covers(const char *entry_point) {
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcmp(names[i], entry_point) == 0) {
            return true;
        }
    }
    return false;
}

LAYER_INFO("weft fault layer")

CL_API_ENTRY cl_int CL_API_CALL clInitLayer(cl_uint n_entries, const cl_icd_dispatch *target, cl_uint *n_entries_out,
                                            const cl_icd_dispatch **out) {
    if (n_entries < sizeof table / sizeof(void *) || !target || !n_entries_out || !out) {
        return CL_INVALID_VALUE;
    }
    next = target;
    *n_entries_out = sizeof table / sizeof(void *);
    *out = &table;
    return CL_SUCCESS;
}

/* What newer loaders call; their headers declare it, those of Debian 12 do not. */
CL_API_ENTRY cl_int CL_API_CALL clInitLayerWithProperties(cl_uint n_entries, const cl_icd_dispatch *target,
                                                          cl_uint *n_entries_out, const cl_icd_dispatch **out,
                                                          const intptr_t *properties);

CL_API_ENTRY cl_int CL_API_CALL clInitLayerWithProperties(cl_uint n_entries, const cl_icd_dispatch *target,
                                                          cl_uint *n_entries_out, const cl_icd_dispatch **out,
                                                          const intptr_t *properties) {
    (void)properties;
    return clInitLayer(n_entries, target, n_entries_out, out);
}
