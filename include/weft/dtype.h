/* weft/dtype.h: the element types of buffers. */
#ifndef WEFT_DTYPE_H
#define WEFT_DTYPE_H

#include <weft/status.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum weft_dtype {
    WEFT_INT8,
    WEFT_UINT8,
    WEFT_INT16,
    WEFT_UINT16,
    WEFT_INT32,
    WEFT_UINT32,
    WEFT_INT64,
    WEFT_UINT64,
    WEFT_FLOAT16,
    WEFT_BFLOAT16,
    WEFT_FLOAT32,
    WEFT_FLOAT64
} weft_dtype;

/* The size of one element in bytes; 0 for a number that is no dtype. Immediate, never fails. */
WEFT_API size_t weft_dtype_size(weft_dtype dtype);

/* The dtype's name, such as "float32"; "invalid" for a number that is none. Immediate, never fails.
 * Source: the model's DeviceBuffer.get_type_name. */
WEFT_API const char *weft_dtype_name(weft_dtype dtype);

#ifdef __cplusplus
}
#endif

#endif
