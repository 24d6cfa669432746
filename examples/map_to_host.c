/* map_to_host: device buffers that the host fills in place.
 *
 * WEFT_WITH_MAPPED gives its body a host buffer with the device buffer's contents, and copies it back at the
 * end, however the body is left. It copies and waits in both directions, so it suits tests and first
 * versions; the second half spells out the same with the calls that production code would choose from.
 */
#include <stdio.h>

#include <weft/weft.h>

enum { LENGTH = 1024 };

static void print_buffer(const char *label, weft_device_buffer *buffer) {
    printf("%s: ", label);
    WEFT_CHECK(weft_device_buffer_write_to(buffer, stdout));
    printf("\n");
}

/* Both buffers are mapped at once: the input counts up, the output is 255 everywhere. */
static void fill_mapped(weft_device_buffer *in_device, weft_device_buffer *out_device) {
    weft_status status = WEFT_OK;
    WEFT_WITH_MAPPED(status, in_host, in_device) {
        WEFT_WITH_MAPPED(status, out_host, out_device) {
            float *in = weft_host_buffer_data(in_host);
            float *out = weft_host_buffer_data(out_host);
            for (int i = 0; i < LENGTH; i++) {
                in[i] = (float)i;
                out[i] = 255;
            }
        }
    }
    WEFT_CHECK(status);
}

/* What mapping one buffer does, step by step. */
static void fill_by_hand(weft_context *context, weft_device_buffer *in_device) {
    weft_host_buffer *in_host;
    WEFT_CHECK(weft_enqueue_create_host_buffer(context, WEFT_FLOAT32, LENGTH, &in_host));
    WEFT_CHECK(weft_device_buffer_enqueue_copy_to(in_device, in_host));
    WEFT_CHECK(weft_synchronize(context));

    float *in = weft_host_buffer_data(in_host);
    for (int i = 0; i < LENGTH; i++) {
        in[i] = (float)i;
    }

    WEFT_CHECK(weft_host_buffer_enqueue_copy_to(in_host, in_device));
    WEFT_CHECK(weft_synchronize(context));
    weft_host_buffer_release(in_host);
}

int main(void) {
    if (weft_number_of_devices(NULL) == 0) {
        puts("No compatible device found");
        return 0;
    }

    weft_context *context;
    weft_device_buffer *in_device, *out_device, *by_hand;
    WEFT_CHECK(weft_context_create(NULL, &context));
    WEFT_CHECK(weft_enqueue_create_buffer(context, WEFT_FLOAT32, LENGTH, &in_device));
    WEFT_CHECK(weft_enqueue_create_buffer(context, WEFT_FLOAT32, LENGTH, &out_device));
    WEFT_CHECK(weft_enqueue_create_buffer(context, WEFT_FLOAT32, LENGTH, &by_hand));

    fill_mapped(in_device, out_device);
    print_buffer("Input", in_device);
    print_buffer("Output", out_device);

    fill_by_hand(context, by_hand);
    print_buffer("Input, by hand", by_hand);

    weft_device_buffer_release(by_hand);
    weft_device_buffer_release(out_device);
    weft_device_buffer_release(in_device);
    weft_context_release(context);
    return 0;
}
