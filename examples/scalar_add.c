/* scalar_add: the first program. Adds a number to every element of a vector on the device.
 *
 * Shows the whole cycle: a context, a host buffer and a device buffer, a copy in, a compiled kernel, a
 * launch of one block, a copy out, and the one wait that makes the result readable.
 */
#include <stdio.h>

#include <weft/weft.h>

enum { NUM_ELEMENTS = 20 };

static const char source[] =
    "#include <weft.clh>\n"
    "\n"
    "kernel void scalar_add(global float *vector, long size, float scalar) {\n"
    /* Each thread works on one element: which one follows from its place in its block and the block's in the grid. */
    "    long idx = block_idx.x * block_dim.x + thread_idx.x;\n"
    /* There may be more threads than elements; those beyond the end do nothing. */
    "    if (idx < size) {\n"
    "        vector[idx] += scalar;\n"
    "    }\n"
    "}\n";

static void print_buffer(const char *label, weft_host_buffer *buffer) {
    printf("%s: ", label);
    WEFT_CHECK(weft_host_buffer_write_to(buffer, stdout));
    printf("\n");
}

int main(void) {
    if (weft_number_of_devices(NULL) == 0) {
        puts("No compatible device found");
        return 0;
    }

    weft_context *context;
    weft_host_buffer *host_buffer;
    weft_device_buffer *device_buffer;
    weft_function *scalar_add;

    /* NULL: the default device. */
    WEFT_CHECK(weft_context_create(NULL, &context));

    /* Input data in host memory that the device reaches quickly. */
    WEFT_CHECK(weft_enqueue_create_host_buffer(context, WEFT_FLOAT32, NUM_ELEMENTS, &host_buffer));
    WEFT_CHECK(weft_synchronize(context));
    float *elements = weft_host_buffer_data(host_buffer);
    for (int i = 0; i < NUM_ELEMENTS; i++) {
        elements[i] = (float)i;
    }
    print_buffer("Original host buffer", host_buffer);

    WEFT_CHECK(weft_enqueue_create_buffer(context, WEFT_FLOAT32, NUM_ELEMENTS, &device_buffer));
    WEFT_CHECK(weft_enqueue_copy(context, device_buffer, host_buffer));

    /* One block with a thread per element. The kernel's arguments follow the two dimensions. */
    WEFT_CHECK(weft_compile_function(context, source, "scalar_add", NULL, &scalar_add));
    WEFT_CHECK(weft_enqueue_function(context, scalar_add, 1, NUM_ELEMENTS, device_buffer, NUM_ELEMENTS, 20.0f));

    /* All of this was only enqueued: wait before looking at the result. */
    WEFT_CHECK(weft_enqueue_copy(context, host_buffer, device_buffer));
    WEFT_CHECK(weft_synchronize(context));
    print_buffer("Modified host buffer", host_buffer);

    weft_function_release(scalar_add);
    weft_device_buffer_release(device_buffer);
    weft_host_buffer_release(host_buffer);
    weft_context_release(context);
    return 0;
}
