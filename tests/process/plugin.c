/* A shared object that uses weft, for a program that does not: see loader.c. */
#include "child.h"

void plugin_work(void);
void plugin_leave_work(void);

static struct {
    weft_context *context;
    weft_device_buffer *buffer;
    weft_function *slow;
} live;

void plugin_work(void) {
    weft_context *context = NULL;
    EXPECT(weft_context_create(NULL, &context) == WEFT_OK);
    child_work(context);
    weft_context_release(context);
}

/* Leaves handles and kernels behind, for the destructor. */
void plugin_leave_work(void) {
    EXPECT(weft_context_create(NULL, &live.context) == WEFT_OK);
    EXPECT(weft_enqueue_create_buffer(live.context, WEFT_UINT32, 1, &live.buffer) == WEFT_OK);
    EXPECT(weft_enqueue_fill(live.buffer, 1) == WEFT_OK);
    EXPECT(weft_compile_function(live.context, child_source, "slow", NULL, &live.slow) == WEFT_OK);
    for (int i = 0; i < 10; i++) EXPECT(weft_enqueue_function(live.context, live.slow, 1, 1, live.buffer, 20000) == WEFT_OK);
}

/* Runs at dlclose, while the library works, or at exit, after it has shut. */
__attribute__((destructor)) static void unload(void) {
    weft_context_release(live.context);
    weft_device_buffer_release(live.buffer);
    weft_function_release(live.slow);
}
