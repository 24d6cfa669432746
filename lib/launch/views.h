/* Views as kernel arguments: a sub-buffer where the driver takes one, an address
 * where device memory is the host's, else an aligned stand-in. */
#ifndef LAUNCH_VIEWS_H
#define LAUNCH_VIEWS_H

#include "launch/binding.h"

/* The memory object to set as argument i for a buffer at a nonzero offset; NULL when the argument was set by address. */
weft_status view_argument(binding *binding, size_t i, weft_device_buffer *buffer, size_t alignment, cl_mem *out);

/* Refuses arguments that overlap a stand-in, unless both are const: the kernel would see two memories. */
weft_status views_check_overlap(const binding *binding, size_t n_args);

#endif
