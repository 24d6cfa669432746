/* round_trip: upload, compute, download, with as few transfers as possible.
 *
 * Host and device have memories of their own, and moving data between them is slow next to computing. Three
 * kernels in a row work on data that stays on the device; only the input travels in and only the result out.
 * The host's side is plain C arrays, which copies accept as well as host buffers.
 */
#include <stdio.h>

#include <weft/weft.h>

enum { N = 1000, BLOCK = 256, BLOCKS = (N + BLOCK - 1) / BLOCK };

/* Several kernels in one source share one compilation. */
static const char source[] =
    "#include <weft.clh>\n"
    "\n"
    "kernel void square(global const float *in, global float *out, long n) {\n"
    "    long i = global_idx.x;\n"
    "    if (i < n) out[i] = in[i] * in[i];\n"
    "}\n"
    "\n"
    "kernel void scale(global float *data, long n, float factor) {\n"
    "    long i = global_idx.x;\n"
    "    if (i < n) data[i] *= factor;\n"
    "}\n"
    "\n"
    "kernel void shift(global float *data, long n, float offset) {\n"
    "    long i = global_idx.x;\n"
    "    if (i < n) data[i] += offset;\n"
    "}\n";

int main(void) {
    if (weft_number_of_devices(NULL) == 0) {
        puts("No compatible device found");
        return 0;
    }

    static float input[N], output[N];
    for (int i = 0; i < N; i++) {
        input[i] = (float)i;
    }

    weft_context *context;
    weft_program *program;
    weft_function *square, *scale, *shift;
    WEFT_CHECK(weft_context_create(NULL, &context));
    WEFT_CHECK(weft_compile_program(context, source, NULL, &program));
    WEFT_CHECK(weft_program_function(program, "square", &square));
    WEFT_CHECK(weft_program_function(program, "scale", &scale));
    WEFT_CHECK(weft_program_function(program, "shift", &shift));

    /* Upload. */
    weft_device_buffer *device_in, *device_out;
    WEFT_CHECK(weft_enqueue_create_buffer(context, WEFT_FLOAT32, N, &device_in));
    WEFT_CHECK(weft_enqueue_create_buffer(context, WEFT_FLOAT32, N, &device_out));
    WEFT_CHECK(weft_enqueue_copy(context, device_in, input));

    /* Compute. The queue keeps the order, so each kernel sees what the one before it wrote. */
    WEFT_CHECK(weft_enqueue_function(context, square, BLOCKS, BLOCK, device_in, device_out, N));
    WEFT_CHECK(weft_enqueue_function(context, scale, BLOCKS, BLOCK, device_out, N, 0.5f));
    WEFT_CHECK(weft_enqueue_function(context, shift, BLOCKS, BLOCK, device_out, N, 1.0f));

    /* Nothing later needs the input. Work in flight keeps what it uses, so its release need not wait. */
    weft_device_buffer_release(device_in);

    /* Download. A span says how much room there is, and the copy checks it. */
    WEFT_CHECK(weft_enqueue_copy(context, WEFT_SPAN(output, N), device_out));
    WEFT_CHECK(weft_synchronize(context));

    int wrong = 0;
    for (int i = 0; i < N; i++) {
        wrong += output[i] != 0.5f * (float)(i * i) + 1.0f;
    }
    printf("1 upload, 3 kernels of %d blocks of %d threads, 1 download\n", BLOCKS, BLOCK);
    for (int i = 0; i < 5; i++) {
        printf("%g -> %g\n", (double)input[i], (double)output[i]);
    }
    printf("%d correct, %d wrong\n", N - wrong, wrong);

    weft_device_buffer_release(device_out);
    weft_function_release(shift);
    weft_function_release(scale);
    weft_function_release(square);
    weft_program_release(program);
    weft_context_release(context);
    return wrong != 0;
}
