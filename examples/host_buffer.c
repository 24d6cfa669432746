/* host_buffer: memory of the host that the device copies from and to fastest.
 *
 * Creates a host buffer of 1,024 elements, fills it with squares through a plain pointer, and prints it;
 * from 1,000 elements on a buffer prints only its first and last three.
 */
#include <stdio.h>

#include <weft/weft.h>

enum { LENGTH = 1024 };

int main(void) {
    if (weft_number_of_devices(NULL) == 0) {
        puts("No compatible device found");
        return 0;
    }

    weft_context *context;
    weft_host_buffer *host_buffer;
    WEFT_CHECK(weft_context_create(NULL, &context));

    /* Creation is enqueued like everything else: wait before the first use by the host. */
    WEFT_CHECK(weft_enqueue_create_host_buffer(context, WEFT_FLOAT32, LENGTH, &host_buffer));
    WEFT_CHECK(weft_synchronize(context));

    float *elements = weft_host_buffer_data(host_buffer);
    for (int i = 0; i < LENGTH; i++) {
        elements[i] = (float)(i * i);
    }

    printf("%zu elements of %s, %zu bytes\n", weft_host_buffer_length(host_buffer),
           weft_dtype_name(weft_host_buffer_dtype(host_buffer)), weft_host_buffer_size_bytes(host_buffer));
    WEFT_CHECK(weft_host_buffer_write_to(host_buffer, stdout));
    printf("\n");

    weft_host_buffer_release(host_buffer);
    weft_context_release(context);
    return 0;
}
