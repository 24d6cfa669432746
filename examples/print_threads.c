/* print_threads: who is who in a launch.
 *
 * Launches a grid of 2 x 2 x 1 blocks of 4 x 4 x 2 threads. Every thread prints its block's index, its own
 * index in the block, and its index in the whole launch, as given and as calculated: 128 lines, in no
 * particular order.
 */
#include <stdio.h>

#include <weft/weft.h>

static const char source[] =
    "#include <weft.clh>\n"
    "\n"
    "kernel void print_threads(void) {\n"
    "    printf(\"%ld\\t%ld\\t%ld\\t%ld\\t%ld\\t%ld\\t%ld\\t%ld\\t%ld\\t%ld\\t%ld\\t%ld\\n\",\n"
    "           block_idx.x, block_idx.y, block_idx.z,\n"
    "           thread_idx.x, thread_idx.y, thread_idx.z,\n"
    "           global_idx.x, global_idx.y, global_idx.z,\n"
    "           block_dim.x * block_idx.x + thread_idx.x,\n"
    "           block_dim.y * block_idx.y + thread_idx.y,\n"
    "           block_dim.z * block_idx.z + thread_idx.z);\n"
    "}\n";

int main(void) {
    if (weft_number_of_devices(NULL) == 0) {
        puts("No compatible device found");
        return 0;
    }

    weft_context *context;
    weft_function *print_threads;
    WEFT_CHECK(weft_context_create(NULL, &context));
    WEFT_CHECK(weft_compile_function(context, source, "print_threads", NULL, &print_threads));

    puts("block_idx\t\tthread_idx\t\tglobal_idx\t\tcalculated global_idx");
    puts("x\ty\tz\tx\ty\tz\tx\ty\tz\tx\ty\tz");
    puts("--------------------\t--------------------\t--------------------\t--------------------");
    /* Kernels may print past our own stream: hand over what stands in it first. */
    fflush(stdout);

    WEFT_CHECK(weft_enqueue_function(context, print_threads,
                                     WEFT_DIM(2, 2, 1),   /* blocks of the grid */
                                     WEFT_DIM(4, 4, 2))); /* threads of a block */
    WEFT_CHECK(weft_synchronize(context));
    puts("Done");

    weft_function_release(print_threads);
    weft_context_release(context);
    return 0;
}
