/* What a fresh process finds: prints the devices, then makes a context and runs a kernel on it.
 *
 * probe [API [ID]]: the context's options; without them the default device. Always exits with 0, so that a crash
 * shows. test_discovery.c runs it with its own sets of drivers.
 */
#include <stdio.h>
#include <stdlib.h>

#include <weft/weft.h>

static int failed(void) {
    printf("error %s %s\n", weft_status_name(weft_last_error()->status), weft_error_message());
    return 0;
}

int main(int argc, char **argv) {
    static const char source[] = "kernel void answer(global int *out) { out[0] = 42; }";
    const weft_context_options options = {.api = argc > 1 ? argv[1] : NULL, .device_id = argc > 2 ? atoi(argv[2]) : 0};
    const size_t count = weft_number_of_devices(NULL);
    weft_context *context = NULL;
    weft_device_buffer *out = NULL;
    weft_function *answer = NULL;
    int value = 0;

    printf("devices %zu\n", count);
    for (size_t id = 0; id < count; id++) {
        weft_device_info info;
        if (weft_device_get_info("any", (int)id, &info)) return failed();
        printf("device %s %d %s %s, %s\n", info.api, info.id, info.kind, info.name, info.platform);
    }
    if (weft_context_create(&options, &context)) return failed();
    printf("context %s %d\n", weft_context_api(context), weft_context_id(context));
    if (weft_enqueue_create_buffer(context, WEFT_INT32, 1, &out) ||
        weft_compile_function(context, source, "answer", NULL, &answer) || weft_enqueue_function(context, answer, 1, 1, out) ||
        weft_enqueue_copy(context, &value, out) || weft_synchronize(context))
        return failed();
    printf("answer %d\n", value);
    weft_function_release(answer);
    weft_device_buffer_release(out);
    weft_context_release(context);
    return 0;
}
