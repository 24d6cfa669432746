/* streams: two queues on one device, an event between them, a function on the host in a queue's order, and times.
 *
 * Work on one context runs in order; work on two is unordered, and may overlap, but where the program says otherwise.
 */
#include <stdio.h>

#include <weft/weft.h>

enum { NUM_ELEMENTS = 1000, BLOCK = 100 };

static const char source[] =
    "#include <weft.clh>\n"
    "\n"
    "kernel void add(global float *vector, float number) {\n"
    "    vector[global_idx.x] += number;\n"
    "}\n";

/* In queue order: what was enqueued before is done, what comes after waits for the return. */
static void halve(void *user) {
    float *numbers = user;
    for (int i = 0; i < NUM_ELEMENTS; i++) {
        numbers[i] /= 2;
    }
}

typedef struct work {
    weft_function *add;
    weft_device_buffer *vector;
} work;

static weft_status add_one(weft_context *context, size_t iteration, void *user) {
    const work *w = user;
    (void)iteration;
    return weft_enqueue_function(context, w->add, NUM_ELEMENTS / BLOCK, BLOCK, w->vector, 1.0f);
}

int main(void) {
    if (weft_number_of_devices(NULL) == 0) {
        puts("No compatible device found");
        return 0;
    }

    weft_context *compute, *transfer;
    weft_host_buffer *host;
    weft_device_buffer *vector;
    weft_function *add;
    weft_event *ready;
    WEFT_CHECK(weft_context_create(NULL, &compute));
    WEFT_CHECK(weft_context_create_stream(compute, NULL, &transfer));
    WEFT_CHECK(weft_enqueue_create_host_buffer(transfer, WEFT_FLOAT32, NUM_ELEMENTS, &host));
    WEFT_CHECK(weft_enqueue_create_buffer(compute, WEFT_FLOAT32, NUM_ELEMENTS, &vector));
    WEFT_CHECK(weft_compile_function(compute, source, "add", NULL, &add));
    WEFT_CHECK(weft_event_create(compute, NULL, &ready));

    /* The kernel on one queue, what comes of it on the other. */
    WEFT_CHECK(weft_enqueue_fill(vector, 1.0f));
    WEFT_CHECK(weft_enqueue_function(compute, add, NUM_ELEMENTS / BLOCK, BLOCK, vector, 8.0f));
    WEFT_CHECK(weft_event_record(ready, compute));
    WEFT_CHECK(weft_enqueue_wait_for_event(transfer, ready));
    WEFT_CHECK(weft_enqueue_copy(transfer, host, vector));
    WEFT_CHECK(weft_enqueue_host_func(transfer, halve, weft_host_buffer_data(host)));
    WEFT_CHECK(weft_synchronize(transfer));
    printf("Added and halved: ");
    WEFT_CHECK(weft_host_buffer_write_to(host, stdout));
    printf("\n");

    uint64_t total_ns;
    work w = {add, vector};
    WEFT_CHECK(weft_execution_time(compute, add_one, &w, 100, &total_ns));
    printf("100 launches took %s\n", total_ns > 0 ? "some time" : "no time");
    printf("The vector: ");
    WEFT_CHECK(weft_device_buffer_write_to(vector, stdout));
    printf("\n");

    weft_event_release(ready);
    weft_function_release(add);
    weft_device_buffer_release(vector);
    weft_host_buffer_release(host);
    weft_context_release(transfer);
    weft_context_release(compute);
    return 0;
}
