/* memory/device_memory: what only its inside shows. */
#include "support.h"

#include "memory/buffers.h"

/* Between the last release and the removal from the list, other threads still find the memory there. */
START_TEST(memory_being_released_is_not_wrapped) {
    weft_device_buffer *buffer = test_device_buffer(WEFT_INT32, 4), *again = (void *)buffer;
    weft_device_ptr pointer;
    OK(weft_device_buffer_unsafe_ptr(buffer, &pointer));
    atomic_store(&buffer->memory->refs.count, 0);
    FAILS(WEFT_ERROR_INVALID_ARGUMENT, weft_wrap_device_ptr(test_context(), pointer, WEFT_INT32, 4, false, &again));
    atomic_store(&buffer->memory->refs.count, 1);
    ck_assert_ptr_null(again);
    SAYS("being released");
    OK(weft_wrap_device_ptr(test_context(), pointer, WEFT_INT32, 4, false, &again));
    weft_device_buffer_release(again);
    ck_assert(refcount_is_one(&buffer->memory->refs));
}
END_TEST

TESTS(memory_being_released_is_not_wrapped)
