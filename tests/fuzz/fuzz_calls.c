/* Turns an input into a sequence of calls, valid and invalid, and holds every status and every byte against what the
 * documentation says. */
#include "operations.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MOST_OPERATIONS = 200 };

/* The more often it stands here, the more often it is done. */
static operation *const operations[] = {
    create_device, create_device, create_host, wrap_host, view_device, view_device, view_host, retain_or_release, release_one,
    stream_create, stream_release, stream_synchronize, stream_wait_for, stream_ask,
    event_record, event_wait, event_wait, event_release, host_function,
    reassign, take_pointer, wrap_pointer, map_buffer, unmap_buffer,
    copy_whole, copy_whole, copy_range, copy_range, copy_box, copy_box, copy_on_own, print_buffer, host_writes, check_one,
    fill_whole, fill_range, fill_bytes, launch, launch, launch,
};
enum { OPERATIONS = sizeof operations / sizeof *operations };

int LLVMFuzzerInitialize(int *argc, char ***argv) {
    (void)argc, (void)argv;
    for (int i = 0; i < DEVICES; i++) {
        MUST(weft_context_create(&(weft_context_options){.api = "any", .device_id = i}, &scene_first[i]));
    }
    launches_compile();
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    scene s;
    scene_begin(&s, data, size);
    stream_create(&s);
    create_device(&s);
    create_host(&s);
    for (unsigned i = 0; i < MOST_OPERATIONS && s.in.at < s.in.end; i++) {
        operations[take(&s.in, OPERATIONS)](&s);
    }
    scene_end(&s);
    return 0;
}
