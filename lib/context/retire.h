/* What waits for a retired thing, for those who know that time has come. */
#ifndef CONTEXT_RETIRE_H
#define CONTEXT_RETIRE_H

#include "context/context.h"

/* Takes from the front what has ended (all of it, when everything is known to have ended). Under context->lock. */
retired *retired_take_locked(weft_context *context, bool all);

/* Disposes of what was taken. Not under context->lock. */
void retired_dispose(weft_context *context, retired *ended);

#endif
