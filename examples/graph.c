/* graph: work recorded once, and enqueued as often as one likes with one call.
 *
 * A step of a simulation is a few launches and copies that are always the same. Between weft_graph_begin and
 * weft_graph_end they are recorded instead of run. Each run of the graph is then one call, which checks nothing again;
 * an argument may change between runs.
 */
#include <stdio.h>

#include <weft/weft.h>

enum { LENGTH = 16, BLOCK = 8 };

static const char source[] =
    "#include <weft.clh>\n"
    "\n"
    "/* Heat flows from the warmer neighbour to the colder one. */\n"
    "kernel void diffuse(global float *next, global const float *now, long size, float rate) {\n"
    "    long i = global_idx.x;\n"
    "    if (i < size) {\n"
    "        float left = now[max(i - 1, 0L)], right = now[min(i + 1, size - 1)];\n"
    "        next[i] = now[i] + rate * (left - 2.0f * now[i] + right);\n"
    "    }\n"
    "}\n";

int main(void) {
    if (weft_number_of_devices(NULL) == 0) {
        puts("No compatible device found");
        return 0;
    }

    weft_context *context;
    weft_function *diffuse;
    weft_device_buffer *now, *next;
    WEFT_CHECK(weft_context_create(NULL, &context));
    WEFT_CHECK(weft_compile_function(context, source, "diffuse", NULL, &diffuse));
    WEFT_CHECK(weft_enqueue_create_buffer(context, WEFT_FLOAT32, LENGTH, &now));
    WEFT_CHECK(weft_enqueue_create_buffer(context, WEFT_FLOAT32, LENGTH, &next));
    const float start[LENGTH] = {[LENGTH / 2] = 1024.0f};
    WEFT_CHECK(weft_enqueue_copy(context, now, start));

    /* One step: node 0 computes, node 1 takes the result as what is now. */
    weft_graph *step;
    WEFT_CHECK(weft_graph_begin(context));
    WEFT_CHECK(weft_enqueue_function(context, diffuse, LENGTH / BLOCK, BLOCK, next, now, LENGTH, 0.25f));
    WEFT_CHECK(weft_enqueue_copy(context, now, next));
    WEFT_CHECK(weft_graph_end(context, &step));
    printf("A step has %zu nodes\n", weft_graph_node_count(step));

    WEFT_CHECK(weft_enqueue_graph(context, step));
    WEFT_CHECK(weft_enqueue_graph(context, step));
    printf("After 2 steps: ");
    WEFT_CHECK(weft_device_buffer_write_to(now, stdout));

    /* Parameter 3 of node 0, the rate: runs from now on have the new one. */
    WEFT_CHECK(weft_graph_set_arg(step, 0, 3, 0.125f));
    WEFT_CHECK(weft_enqueue_graph(context, step));
    printf("\nAnd a slower one: ");
    WEFT_CHECK(weft_device_buffer_write_to(now, stdout));
    printf("\n");

    /* The graph keeps what it uses; handles may go in any order. */
    weft_function_release(diffuse);
    weft_device_buffer_release(next);
    weft_device_buffer_release(now);
    weft_graph_release(step);
    weft_context_release(context);
    return 0;
}
