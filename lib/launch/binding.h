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
    bool only_checks; /* stand-ins are counted, not made */
} binding;

/* "kernel add, argument 1 (b, float): ...": the front of every complaint about an argument. */
#define ARGUMENT "kernel %s, argument %zu (%s, %s): "
#define ARGUMENT_OF(binding, i) \
    (binding)->kernel->name, i, (binding)->kernel->params[i].name, (binding)->kernel->params[i].type_name

/* Checks n_args arguments and sets them on binding->cl. On failure nothing was enqueued. */
weft_status binding_set(binding *binding, size_t n_args);

/* The same for argument i alone; overlaps are not looked at. */
weft_status binding_set_one(binding *binding, size_t i);

/* Sets one argument of the driver's; i: of the user's, which a failure names. */
weft_status binding_set_argument(binding *binding, size_t i, cl_uint index, size_t size_bytes, const void *value);

/* Sets the pointer to a view, or to what stands for it. */
weft_status binding_set_view(binding *binding, size_t i, weft_device_buffer *buffer);

/* Checks a tensor and sets its pointer and its layout. */
weft_status binding_set_tensor(binding *binding, size_t i);

/* Records that argument i is not what the kernel wants. */
weft_status binding_mismatch(const binding *binding, size_t i);
weft_status binding_foreign_buffer(const binding *binding, size_t i, const weft_device_buffer *buffer);

/* Whether elements of dtype may stand where the kernel sees the pointee. */
bool binding_accepts(const type_info *pointee, weft_dtype dtype);

/* The buffer an argument is about, NULL if none. */
weft_device_buffer *binding_buffer_of(const weft_arg *arg);

/* Copies into the stand-ins before the launch, and back from them after it. */
weft_status binding_copy_in(binding *binding);
weft_status binding_copy_back(binding *binding);

/* Lets go of what the launch used; what was passed by address stays until the launch has ended. */
void binding_finish(binding *binding);

#endif
