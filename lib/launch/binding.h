/* A launch's arguments, checked against the kernel's parameters and set on its kernel object. */
#ifndef LAUNCH_BINDING_H
#define LAUNCH_BINDING_H

#include "memory/buffers.h"
#include "program/program.h"
#include "transfer/transfer.h"

/* A view that the driver or the pointee's alignment does not allow as it is: the kernel works on a copy. */
typedef struct stand_in {
    memory *memory;
    region original;
    bool copy_back;
} stand_in;

typedef struct binding {
    weft_context *context;
    const kernel *kernel;
    device *device;
    const weft_arg *args;
    cl_kernel cl;
    size_t shared_bytes; /* local memory that the arguments ask for */
    stand_in *stand_ins;
    size_t n_stand_ins;
    cl_mem *addressed; /* retained: passed by address, which the driver does not keep alive */
    size_t n_addressed;
    bool launched;
} binding;

/* Checks n_args arguments and sets them on binding->cl. On failure nothing was enqueued. */
weft_status binding_set(binding *binding, size_t n_args);

/* Copies into the stand-ins before the launch, and back from them after it. */
weft_status binding_copy_in(binding *binding);
weft_status binding_copy_back(binding *binding);

/* Lets go of what the launch used; what was passed by address stays until the launch has ended. */
void binding_finish(binding *binding);

#endif
