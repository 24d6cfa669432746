#include "base/api.h"

const api_watcher *_Atomic api_watcher_now;

/* The watcher may have left since. */
void api_call_end(uint64_t begun, const char *name) {
    const api_watcher *watcher = atomic_load_explicit(&api_watcher_now, memory_order_acquire);
    if (watcher) {
        watcher->end(begun, name);
    }
}
