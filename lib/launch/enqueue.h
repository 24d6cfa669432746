/* Launching, once the geometry is checked. The caller goes on to context_submitted. */
#ifndef LAUNCH_ENQUEUE_H
#define LAUNCH_ENQUEUE_H

#include "launch/binding.h"
#include "launch/geometry.h"

/* Checks and sets the arguments on a kernel object of the function's, and launches that. */
weft_status launch_args(weft_context *context, weft_function *function, const geometry *geometry, const weft_arg *args, size_t n_args);

/* Launches what is set on the binding's own kernel object, with what belongs around a launch. */
weft_status launch_bound(binding *binding, const geometry *geometry);

/* Records why the driver refused a launch. */
weft_status launch_refused(const binding *binding, const geometry *geometry, cl_int code);

/* A launch as a node of the graph that context records. */
weft_status launch_node_record(weft_context *context, weft_function *function, const weft_launch *launch, const weft_arg *args,
                               size_t n_args);

#endif
