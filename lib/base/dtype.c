#include <weft/dtype.h>

static const struct {
    const char *name;
    size_t size;
} dtypes[] = {
    [WEFT_INT8] = {"int8", 1},       [WEFT_UINT8] = {"uint8", 1},       [WEFT_INT16] = {"int16", 2},
    [WEFT_UINT16] = {"uint16", 2},   [WEFT_INT32] = {"int32", 4},       [WEFT_UINT32] = {"uint32", 4},
    [WEFT_INT64] = {"int64", 8},     [WEFT_UINT64] = {"uint64", 8},     [WEFT_FLOAT16] = {"float16", 2},
    [WEFT_BFLOAT16] = {"bfloat16", 2}, [WEFT_FLOAT32] = {"float32", 4}, [WEFT_FLOAT64] = {"float64", 8},
};

WEFT_API size_t weft_dtype_size(weft_dtype dtype) {
    return (size_t)dtype < sizeof dtypes / sizeof *dtypes ? dtypes[dtype].size : 0;
}

WEFT_API const char *weft_dtype_name(weft_dtype dtype) {
    return (size_t)dtype < sizeof dtypes / sizeof *dtypes ? dtypes[dtype].name : "invalid";
}
