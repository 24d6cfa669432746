/* sub_buffer: views, which are buffers over a part of another buffer's memory.
 *
 * A view may start at any element, may read the memory as another type, may be taken of a view, and works
 * wherever a buffer does: in fills, copies, prints and kernels. It keeps the memory alive by itself.
 */
#include <stdio.h>

#include <weft/weft.h>

enum { LENGTH = 12 };

static const char source[] =
    "#include <weft.clh>\n"
    "\n"
    "kernel void negate(global float *vector, long size) {\n"
    "    if (global_idx.x < size) {\n"
    "        vector[global_idx.x] = -vector[global_idx.x];\n"
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

    float numbers[LENGTH];
    for (int i = 0; i < LENGTH; i++) {
        numbers[i] = (float)i;
    }

    weft_context *context;
    weft_device_buffer *whole;
    WEFT_CHECK(weft_context_create(NULL, &context));
    WEFT_CHECK(weft_enqueue_create_buffer(context, WEFT_FLOAT32, LENGTH, &whole));
    WEFT_CHECK(weft_enqueue_copy(context, whole, numbers));
    print_buffer("Whole", whole);

    /* Elements 3 to 9, and of those the last two: offsets count from the start of what is viewed. */
    weft_device_buffer *middle, *end_of_middle;
    WEFT_CHECK(weft_device_buffer_create_sub_buffer(whole, WEFT_FLOAT32, 3, 7, &middle));
    WEFT_CHECK(weft_device_buffer_create_sub_buffer(middle, WEFT_FLOAT32, 5, 2, &end_of_middle));

    /* A kernel gets the view as a pointer to its first element. */
    WEFT_CHECK(weft_enqueue_function_once(context, source, "negate", 1, 7, middle, 7));
    WEFT_CHECK(weft_enqueue_fill(end_of_middle, 100.0f));
    print_buffer("Middle, negated, its end filled", middle);
    print_buffer("Whole", whole);

    /* The same bits as another type; offset and length count elements of that type. */
    weft_device_buffer *bits;
    WEFT_CHECK(weft_device_buffer_create_sub_buffer(whole, WEFT_UINT32, 0, 3, &bits));
    print_buffer("Bits of the first three", bits);
    WEFT_CHECK(weft_enqueue_fill(bits, 0x40490fdbu));
    print_buffer("Whole, first three written as bits", whole);

    /* Copies between views need no arithmetic on offsets; overlapping ones come out right, too. */
    weft_device_buffer *first, *second;
    WEFT_CHECK(weft_device_buffer_create_sub_buffer(whole, WEFT_FLOAT32, 0, 8, &first));
    WEFT_CHECK(weft_device_buffer_create_sub_buffer(whole, WEFT_FLOAT32, 4, 8, &second));
    WEFT_CHECK(weft_enqueue_copy(context, first, second));
    print_buffer("Whole, moved down by four", whole);

    /* Handles may go in any order. */
    weft_device_buffer_release(whole);
    print_buffer("Middle, without its parent", middle);

    weft_device_buffer_release(second);
    weft_device_buffer_release(first);
    weft_device_buffer_release(bits);
    weft_device_buffer_release(end_of_middle);
    weft_device_buffer_release(middle);
    weft_context_release(context);
    return 0;
}
