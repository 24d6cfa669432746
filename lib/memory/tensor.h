/* What a weft_tensor must be. */
#ifndef MEMORY_TENSOR_H
#define MEMORY_TENSOR_H

#include <weft/tensor.h>

#include "memory/buffers.h"

enum { TENSOR_PROBLEM_SIZE = 256 };

/* Whether the tensor has a rank and lies within its buffer; if not, why, for a message that already names it. */
weft_status tensor_check(const weft_tensor *tensor, char problem[TENSOR_PROBLEM_SIZE]);

/* The place in the buffer of a checked tensor's last element; its offset when it has none. */
size_t tensor_last_element(const weft_tensor *tensor);

#endif
