/* What the programs share that test_process_life.c starts: how they fail, and a piece of work with a known result. */
#ifndef TESTS_PROCESS_CHILD_H
#define TESTS_PROCESS_CHILD_H

#include <stdio.h>
#include <unistd.h>

#include <weft/weft.h>

#include "no_leak_check.h"

/* The status of a child that found everything right: neither a crash nor an early exit(0) gives it. */
enum { ALL_RIGHT = 7 };

/* A child that hangs dies of SIGALRM after this. Call child_begin first, also after a fork. */
enum { WATCHDOG_S = 60 };
static inline void child_begin(void) { alarm(WATCHDOG_S); }

/* Without exit handlers, since they are what is being tested. */
static inline void child_failed(const char *file, int line, const char *what) {
    fprintf(stderr, "%s:%d: not so: %s (%s)\n", file, line, what, weft_error_message());
    _exit(1);
}
#define EXPECT(condition) ((condition) ? (void)0 : child_failed(__FILE__, __LINE__, #condition))

static const char child_source[] = "kernel void mark(global int *x) { int i = get_global_id(0); x[i] = 3 * i + 1; }\n"
                                   "kernel void slow(global uint *x, int steps) {\n"
                                   "    uint v = x[0];\n"
                                   "    for (int i = 0; i < steps; i++) v = v * 1664525u + (v >> 7) + 1013904223u;\n"
                                   "    x[0] = v;\n"
                                   "}\n";

/* The library works from end to end on this context. */
static inline void child_work(weft_context *context) {
    enum { N = 64 };
    int32_t out[N] = {0};
    weft_device_buffer *buffer = NULL;
    weft_function *mark = NULL;
    EXPECT(weft_enqueue_create_buffer(context, WEFT_INT32, N, &buffer) == WEFT_OK);
    EXPECT(weft_compile_function(context, child_source, "mark", NULL, &mark) == WEFT_OK);
    EXPECT(weft_enqueue_function(context, mark, N / 16, 16, buffer) == WEFT_OK);
    EXPECT(weft_device_buffer_enqueue_copy_to(buffer, out) == WEFT_OK);
    EXPECT(weft_synchronize(context) == WEFT_OK);
    for (int32_t i = 0; i < N; i++) {
        EXPECT(out[i] == 3 * i + 1);
    }
    weft_function_release(mark);
    weft_device_buffer_release(buffer);
}

#endif
