/* compile_once: one compilation, many launches; and compilation and launch in one step.
 *
 * A compiled function may be launched as often as needed, with other arguments and other dimensions each
 * time. For a kernel that runs only now and then, weft_enqueue_function_once takes the source itself and
 * remembers what it compiled.
 */
#include <stdio.h>

#include <weft/weft.h>

enum { NUM_ELEMENTS = 20 };

static const char source[] =
    "#include <weft.clh>\n"
    "\n"
    "kernel void scalar_add(global float *vector, long size, float scalar) {\n"
    "    if (global_idx.x < size) {\n"
    "        vector[global_idx.x] += scalar;\n"
    "    }\n"
    "}\n";

static void print_buffer(const char *label, weft_device_buffer *buffer) {
    printf("%s: ", label);
    WEFT_CHECK(weft_device_buffer_write_to(buffer, stdout));
    printf("\n");
}

int main(void) {
    if (weft_number_of_devices(NULL) == 0) {
        puts("No compatible device found");
        return 0;
    }

    weft_context *context;
    weft_device_buffer *vector;
    WEFT_CHECK(weft_context_create(NULL, &context));
    WEFT_CHECK(weft_enqueue_create_buffer(context, WEFT_FLOAT32, NUM_ELEMENTS, &vector));
    WEFT_CHECK(weft_enqueue_fill(vector, 0.0f));

    /* Compile once, launch three times: one block, five blocks, and a few threads more than elements. */
    weft_function *scalar_add;
    WEFT_CHECK(weft_compile_function(context, source, "scalar_add", NULL, &scalar_add));
    WEFT_CHECK(weft_enqueue_function(context, scalar_add, 1, NUM_ELEMENTS, vector, NUM_ELEMENTS, 20.0f));
    print_buffer("After one launch", vector);
    WEFT_CHECK(weft_enqueue_function(context, scalar_add, 5, 4, vector, NUM_ELEMENTS, 0.25f));
    WEFT_CHECK(weft_enqueue_function(context, scalar_add, 3, 8, vector, NUM_ELEMENTS / 2, -20.25f));
    print_buffer("After three launches", vector);
    weft_function_release(scalar_add);

    /* Both in one step. Here not even the first call compiles: this source is known by now. */
    WEFT_CHECK(weft_enqueue_function_once(context, source, "scalar_add", 1, NUM_ELEMENTS, vector, NUM_ELEMENTS, 1.0f));
    print_buffer("After one more, in one step", vector);

    weft_device_buffer_release(vector);
    weft_context_release(context);
    return 0;
}
