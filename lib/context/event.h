/* What a graph does with events: its nodes run when the graph does. */
#ifndef CONTEXT_EVENT_H
#define CONTEXT_EVENT_H

#include <weft/event.h>

#include "context/context.h"

weft_event *event_retain(weft_event *event);
void event_release(weft_event *event);

/* The calls of the same names, their arguments checked. */
weft_status event_record(weft_event *event, weft_context *context);
weft_status event_enqueue_wait(weft_context *context, weft_event *event);

/* The same as nodes of the graph that context records. */
weft_status event_node_record(weft_context *context, weft_event *event);
weft_status event_node_wait(weft_context *context, weft_event *event);

#endif
