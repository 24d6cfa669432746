/* What is free is never less than nothing, whatever is held. */
#include "support.h"

#include "context/context.h"

START_TEST(free_memory_ends_at_nothing) {
    weft_context *context = test_context();
    size_t free_bytes = 0, total = 0;
    OK(weft_context_get_memory_info(context, &free_bytes, &total));
    const size_t live = atomic_load(&context->device->live_bytes);
    ck_assert_uint_eq(free_bytes, total - live);
    const size_t held[] = {total - 1, total, total + 1, SIZE_MAX};
    for (size_t i = 0; i < sizeof held / sizeof *held; i++) {
        size_t total_then = 0;
        atomic_store(&context->device->live_bytes, held[i]);
        weft_status status = weft_context_get_memory_info(context, &free_bytes, &total_then);
        atomic_store(&context->device->live_bytes, live);
        OK(status);
        ck_assert_uint_eq(free_bytes, i == 0 ? 1 : 0);
        ck_assert_uint_eq(total_then, total);
    }
}
END_TEST

TESTS(free_memory_ends_at_nothing)
