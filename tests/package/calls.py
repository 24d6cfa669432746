"""What a program may and may not write: each line is compiled inside a function, in C and in C++."""

# The function's parameters are named after their types.
FRAME = """
#include <weft/weft.h>
typedef struct pair {{ float a, b; }} pair;
weft_status caller(weft_context *context, weft_function *function, weft_device_buffer *device, weft_host_buffer *host,
                   weft_device_ptr pointer, float *floats, const float *fixed, int *ints, pair value, size_t n);
weft_status caller(weft_context *context, weft_function *function, weft_device_buffer *device, weft_host_buffer *host,
                   weft_device_ptr pointer, float *floats, const float *fixed, int *ints, pair value, size_t n) {{
    weft_status status = WEFT_OK;
    {line}
    (void)context, (void)function, (void)device, (void)host, (void)pointer;
    (void)floats, (void)fixed, (void)ints, (void)value, (void)n;
    return status;
}}
"""


def launch(arguments):
    return f"status = weft_enqueue_function(context, function, 1, 1{arguments});"


RIGHT = {
    "copy between buffers": "status = weft_enqueue_copy(context, device, host);",
    "copy from memory": "status = weft_enqueue_copy(context, device, floats);",
    "copy from const memory": "status = weft_enqueue_copy(context, device, fixed);",
    "copy to memory": "status = weft_enqueue_copy(context, ints, device);",
    "copy from an array": "const double array[4] = {0}; status = weft_enqueue_copy(context, device, array);",
    "copy from void": "const void *any = fixed; status = weft_enqueue_copy(context, device, any);",
    "copy from a span": "status = weft_enqueue_copy(context, device, WEFT_SPAN(fixed, n));",
    "copy to a span": "status = weft_enqueue_copy(context, WEFT_SPAN(ints, 4), device);",
    "copy a range": "status = weft_enqueue_copy_range(context, device, 1, fixed, 0, n);",
    "copy a box": "status = weft_enqueue_copy_rect(context, device, WEFT_RECT(0, 4, 0), fixed, NULL, n, n, 1);",
    "copy method": "status = weft_device_buffer_enqueue_copy_to(device, floats);",
    "fill": "status = weft_enqueue_fill(device, 1.5f);",
    "fill a host buffer": "status = weft_enqueue_fill(host, 'c');",
    "fill a range": "status = weft_enqueue_fill_range(device, 0, n, -1);",
    "launch without arguments": launch(""),
    "launch with numbers": launch(", 1, 2u, 3L, 4ULL, 5.0f, 6.0, n, true"),
    "launch with a buffer": launch(", device, WEFT_NULL"),
    "launch with a struct": launch(", WEFT_VALUE(value)"),
    "launch with local memory": launch(", weft_shared_bytes(256)"),
    "launch with 32 arguments": launch(", 0" * 32),
    "launch with a tensor": "weft_tensor t; status = weft_tensor_row_major(device, WEFT_SHAPE(4, n), &t); "
                            "const weft_tensor u = t; " + launch(", t, u, 1, t"),
    "launch over dimensions": "status = weft_enqueue_function(context, function, WEFT_DIM(2, n), WEFT_DIM(4, 4, 4));",
    "launch over any integers": "status = weft_enqueue_function(context, function, (unsigned char)2, 64LL, 1);",
    "launch once": 'status = weft_enqueue_function_once(context, "", "f", n, 64, device, 2);',
    "drop a status": "WEFT_IGNORE(weft_synchronize(context));",
    "check a status": "WEFT_CHECK(weft_synchronize(context));",
    "map": "WEFT_WITH_MAPPED(status, mapped, device) { if (weft_host_buffer_data(mapped)) break; }",
    "map and return": "WEFT_WITH_MAPPED(status, mapped, device) { return weft_enqueue_fill(mapped, 0); }",
}

WRONG = {
    "copy from a buffer **": "status = weft_enqueue_copy(context, host, &device);",
    "copy to a buffer **": "status = weft_enqueue_copy(context, &device, host);",
    "copy to const memory": "status = weft_enqueue_copy(context, fixed, device);",
    "copy to const void": "const void *any = fixed; status = weft_enqueue_copy(context, any, device);",
    "copy from a context": "status = weft_enqueue_copy(context, device, context);",
    "copy to a function": "status = weft_enqueue_copy(context, function, device);",
    "copy from a device pointer": "status = weft_enqueue_copy(context, device, pointer);",
    "copy from a device pointer *": "status = weft_enqueue_copy(context, device, &pointer);",
    "copy from a struct *": "status = weft_enqueue_copy(context, device, &value);",
    "copy from a number": "status = weft_enqueue_copy(context, device, 20);",
    "fill memory": "status = weft_enqueue_fill(floats, 1);",
    "fill with a pointer": "status = weft_enqueue_fill(device, fixed);",
    "fill with a string": 'status = weft_enqueue_fill(device, "0");',
    "fill with a struct": "status = weft_enqueue_fill(device, value);",
    "launch with a host buffer": launch(", host"),
    "launch with a buffer **": launch(", &device"),
    "launch with a float *": launch(", floats"),
    "launch with a string": launch(', "0"'),
    "launch with a struct as it is": launch(", value"),
    "launch with a device pointer": launch(", pointer"),
    "launch with a tensor *": "weft_tensor t; status = weft_tensor_row_major(device, WEFT_SHAPE(4, n), &t); " + launch(", &t"),
    "a shape of 1.5": "weft_tensor t; status = weft_tensor_row_major(device, WEFT_SHAPE(1.5), &t);",
    "a shape of a pointer": "weft_tensor t; status = weft_tensor_row_major(device, WEFT_SHAPE(2, ints), &t);",
    "launch with a context": launch(", context"),
    "launch with 33 arguments": launch(", 0" * 33),
    "launch over 1.5 blocks": "status = weft_enqueue_function(context, function, 1.5, 1, 1);",
    "launch with 1.5 threads": "status = weft_enqueue_function(context, function, 1, WEFT_DIM(1.5f, 2), 1);",
    "launch over a pointer": "status = weft_enqueue_function(context, function, ints, 1, 1);",
    "launch a buffer": "status = weft_enqueue_function(context, device, 1, 1, 1);",
    "map a host buffer": "WEFT_WITH_MAPPED(status, mapped, host) { }",
    "ignore a status": "weft_synchronize(context);",
    "ignore a launch's status": "weft_enqueue_function(context, function, 1, 1, 1);",
}
