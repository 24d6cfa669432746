/* What an input can do, by file. */
#ifndef FUZZ_OPERATIONS_H
#define FUZZ_OPERATIONS_H

#include "scene.h"

typedef void operation(scene *s);

/* create.c */
operation create_device, create_host, wrap_host, view_device, view_host, retain_or_release, release_one;
/* contexts.c */
operation stream_create, stream_release, stream_synchronize, stream_wait_for, stream_ask;
/* ownership.c */
operation reassign, take_pointer, wrap_pointer, map_buffer, unmap_buffer;
/* copies.c */
operation copy_whole, copy_on_own, copy_range, copy_box, print_buffer, host_writes, check_one;
/* events.c */
operation event_record, event_wait, event_release, host_function;
/* fills.c */
operation fill_whole, fill_range, fill_bytes;
/* launches.c */
operation launch;

/* Compiles what launches need, once. */
void launches_compile(void);

#endif
