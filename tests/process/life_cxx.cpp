// Destructors in C++: life_cxx. Of static objects, one made before the first call into weft and one after it, both
// destroyed when the library has shut; and of a thread's object, destroyed while the library works.
#include "child.h"

namespace {

struct Handles {
    weft_context *context = nullptr;
    weft_device_buffer *buffer = nullptr;
    weft_function *slow = nullptr;
    weft_status expected;

    explicit Handles(weft_status at_end) : expected(at_end) {}
    Handles(const Handles &) = delete;
    Handles &operator=(const Handles &) = delete;

    ~Handles() {
        EXPECT(weft_synchronize(context) == expected);
        EXPECT((weft_number_of_devices(nullptr) > 0) == (expected == WEFT_OK));
        weft_context_release(context);
        weft_device_buffer_release(buffer);
        weft_function_release(slow);
    }

    void use() {
        EXPECT(weft_context_create(nullptr, &context) == WEFT_OK);
        EXPECT(weft_enqueue_create_buffer(context, WEFT_UINT32, 1, &buffer) == WEFT_OK);
        EXPECT(weft_enqueue_fill(buffer, 1) == WEFT_OK);
        EXPECT(weft_compile_function(context, child_source, "slow", nullptr, &slow) == WEFT_OK);
        for (int i = 0; i < 10; i++) EXPECT(weft_enqueue_function(context, slow, 1, 1, buffer, 20000) == WEFT_OK);
    }
};

Handles early(WEFT_ERROR_DRIVER);
thread_local Handles local(WEFT_OK);

}

int main() {
    child_begin();
    early.use();
    child_work(early.context);
    static Handles late(WEFT_ERROR_DRIVER);
    late.use();
    local.use();
    return ALL_RIGHT;
}
