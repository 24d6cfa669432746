/* The arguments of a recorded launch: checked, kept, and set on a kernel object of their own. */
#ifndef LAUNCH_KEPT_ARGS_H
#define LAUNCH_KEPT_ARGS_H

#include "launch/binding.h"

typedef struct kept_args {
    refcount refs;
    weft_function *function; /* the node's */
    cl_kernel cl;
    weft_arg *args;  /* their buffers are held, */
    void **storage;  /* and what they point to is here */
    size_t shared_bytes;
    bool has_stand_ins; /* then each launch sets the arguments anew */
    bool launched;      /* cl, at least once */
    cl_mem *addressed;  /* held: the driver does not keep what was set by address, */
    size_t n_addressed;
    weft_context **users; /* so these contexts keep it until their launches have ended; held */
    size_t n_users, room_for_users;
} kept_args;

/* Checks and keeps what a launch of the function gets, n_params of them. */
weft_status kept_args_create(weft_function *function, const weft_arg *args, size_t n_args, kept_args **out);
void kept_args_release(kept_args *kept); /* NULL does nothing */

/* Whether one argument can take another's place on the kernel object as it is. */
bool kept_args_fit(const kept_args *kept, size_t index, const weft_arg *arg);

/* Puts such an argument in place; the caller releases *replaced. On failure the old one stays. */
weft_status kept_args_replace(kept_args *kept, size_t index, const weft_arg *arg, weft_device_buffer **replaced);

/* Call before a launch on context of what was set by address. */
weft_status kept_args_used_by(kept_args *kept, weft_context *context);

/* The binding that these arguments are. */
binding kept_args_binding(const kept_args *kept, weft_context *context);

#endif
