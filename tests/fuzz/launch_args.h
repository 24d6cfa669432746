/* Arguments for a parameter, right and wrong, and what each must lead to. */
#ifndef FUZZ_LAUNCH_ARGS_H
#define FUZZ_LAUNCH_ARGS_H

#include "input.h"
#include "launch_kernels.h"
#include "shadow.h"

enum { VIEWS = 6, ROOT_BYTES = 8192 };

/* A view of the one allocation that all launches of an input work on. */
typedef struct view {
    weft_device_buffer *buffer;
    size_t offset_bytes, size_bytes;
    weft_dtype dtype;
} view;

typedef struct arena {
    cell cells[ROOT_BYTES];
    view views[VIEWS];
    weft_device_buffer *foreign; /* on another device */
} arena;

/* An argument, with what is behind it. */
typedef struct given {
    weft_arg arg;
    const view *view;  /* of a buffer of the arena's */
    uint8_t data[160]; /* of a value */
} given;

/* Mostly one that the parameter takes. */
void pick_arg(input *in, const arena *arena, const param_type *type, given *out);

/* Why the parameter refuses it. */
faults arg_faults(const param_type *type, const given *given);

/* Whether the launch needs an aligned copy of the view. */
bool needs_stand_in(const param_type *type, const given *given);

#endif
