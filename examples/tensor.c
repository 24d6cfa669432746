/* tensor: a buffer as a matrix, and a part of one, which a kernel indexes by row and column.
 *
 * The kernel asserts what it expects; synchronize says when that does not hold, with file, line and thread.
 */
#include <stdio.h>

#include <weft/weft.h>

enum { ROWS = 4, COLUMNS = 6 };

static const char source[] =
    "#include <weft.clh>\n"
    "\n"
    "kernel void transpose(TENSOR2(float, to), TENSOR2(const float, from), WEFT_ASSERTS) {\n"
    "    int i = global_idx.y, j = global_idx.x;\n"
    "    weft_assert(TENSOR_DIM(to, 0) == TENSOR_DIM(from, 1));\n"
    "    if (TENSOR_HAS(from, i, j) && TENSOR_HAS(to, j, i)) {\n"
    "        TENSOR_AT(to, j, i) = TENSOR_AT(from, i, j);\n"
    "    }\n"
    "}\n";

int main(void) {
    if (weft_number_of_devices(NULL) == 0) {
        puts("No compatible device found");
        return 0;
    }

    float numbers[ROWS * COLUMNS];
    for (int i = 0; i < ROWS * COLUMNS; i++) {
        numbers[i] = (float)i;
    }

    weft_context *context;
    weft_device_buffer *in, *out;
    weft_function *transpose;
    const weft_compile_options options = {.source_name = "transpose.cl"};
    WEFT_CHECK(weft_context_create(NULL, &context));
    WEFT_CHECK(weft_enqueue_create_buffer(context, WEFT_FLOAT32, ROWS * COLUMNS, &in));
    WEFT_CHECK(weft_enqueue_create_buffer(context, WEFT_FLOAT32, ROWS * COLUMNS, &out));
    WEFT_CHECK(weft_enqueue_copy(context, in, numbers));
    WEFT_CHECK(weft_compile_function(context, source, "transpose", &options, &transpose));

    weft_tensor matrix, transposed;
    WEFT_CHECK(weft_tensor_row_major(in, WEFT_SHAPE(ROWS, COLUMNS), &matrix));
    WEFT_CHECK(weft_tensor_row_major(out, WEFT_SHAPE(COLUMNS, ROWS), &transposed));
    WEFT_CHECK(weft_enqueue_function(context, transpose, WEFT_DIM(1, 1), WEFT_DIM(8, 8), transposed, matrix));
    printf("Transposed: ");
    WEFT_CHECK(weft_device_buffer_write_to(out, stdout));
    printf("\n");

    /* A tile is a tensor, too: rows 1 and 2, columns 3 and 4, on top of what is there. */
    weft_tensor tile, corner;
    WEFT_CHECK(weft_tensor_tile(&matrix, WEFT_SHAPE(1, 3), WEFT_SHAPE(2, 2), &tile));
    WEFT_CHECK(weft_tensor_tile(&transposed, WEFT_SHAPE(4, 2), WEFT_SHAPE(2, 2), &corner));
    WEFT_CHECK(weft_enqueue_fill(out, 0));
    WEFT_CHECK(weft_enqueue_function(context, transpose, WEFT_DIM(1, 1), WEFT_DIM(8, 8), corner, tile));
    printf("The tile in a corner: ");
    WEFT_CHECK(weft_device_buffer_write_to(out, stdout));
    printf("\n");

    /* One block of one thread, and shapes that do not belong together. */
    WEFT_CHECK(weft_enqueue_function(context, transpose, 1, 1, matrix, matrix));
    if (weft_synchronize(context) != WEFT_OK) {
        printf("%s\n", weft_error_message());
    }

    weft_function_release(transpose);
    weft_device_buffer_release(out);
    weft_device_buffer_release(in);
    weft_context_release(context);
    return 0;
}
