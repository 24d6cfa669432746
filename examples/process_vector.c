/* process_vector: more threads than elements.
 *
 * 2,000 elements in blocks of 512 threads take 4 blocks, which are 2,048 threads. The bounds check in the
 * kernel keeps the last 48 of them away from memory that is not theirs.
 */
#include <stdio.h>

#include <weft/weft.h>

enum { LENGTH = 2000, BLOCK = 512, BLOCKS = (LENGTH + BLOCK - 1) / BLOCK };

static const char source[] =
    "#include <weft.clh>\n"
    "\n"
    "kernel void process_vector(global float *vector, long size) {\n"
    "    if (global_idx.x < size) {\n"
    "        vector[global_idx.x] = vector[global_idx.x] * vector[global_idx.x] + 1.0f;\n"
    "    }\n"
    "}\n";

int main(void) {
    if (weft_number_of_devices(NULL) == 0) {
        puts("No compatible device found");
        return 0;
    }

    weft_context *context;
    weft_host_buffer *host;
    weft_device_buffer *vector;
    weft_function *process_vector;
    WEFT_CHECK(weft_context_create(NULL, &context));
    WEFT_CHECK(weft_enqueue_create_host_buffer(context, WEFT_FLOAT32, LENGTH, &host));
    WEFT_CHECK(weft_enqueue_create_buffer(context, WEFT_FLOAT32, LENGTH, &vector));
    WEFT_CHECK(weft_compile_function(context, source, "process_vector", NULL, &process_vector));

    WEFT_CHECK(weft_synchronize(context));
    float *elements = weft_host_buffer_data(host);
    for (int i = 0; i < LENGTH; i++) {
        elements[i] = (float)i;
    }

    WEFT_CHECK(weft_enqueue_copy(context, vector, host));
    WEFT_CHECK(weft_enqueue_function(context, process_vector, BLOCKS, BLOCK, vector, LENGTH));
    WEFT_CHECK(weft_enqueue_copy(context, host, vector));
    WEFT_CHECK(weft_synchronize(context));

    /* The numbers are whole and small enough for a float to hold them exactly. */
    int wrong = 0;
    for (int i = 0; i < LENGTH; i++) {
        wrong += elements[i] != (float)(i * i + 1);
    }
    printf("%d elements, %d blocks of %d threads, %d threads beyond the end\n", LENGTH, BLOCKS, BLOCK,
           BLOCKS * BLOCK - LENGTH);
    printf("%d correct, %d wrong\n", LENGTH - wrong, wrong);

    weft_function_release(process_vector);
    weft_device_buffer_release(vector);
    weft_host_buffer_release(host);
    weft_context_release(context);
    return wrong != 0;
}
