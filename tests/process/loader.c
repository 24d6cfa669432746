/* A program that knows nothing of weft loads a shared object that uses it: loader PLUGIN close|stay. */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "no_leak_check.h"

enum { ALL_RIGHT = 7, WATCHDOG_S = 60 }; /* as in child.h, which is weft's */

static void *checked(void *pointer) {
    if (!pointer) {
        fprintf(stderr, "loader: %s\n", dlerror());
        exit(1);
    }
    return pointer;
}

static void call(void *plugin, const char *name) {
    void (*function)(void);
    *(void **)&function = checked(dlsym(plugin, name));
    function();
}

int main(int argc, char **argv) {
    if (argc != 3) {
        fprintf(stderr, "usage: loader PLUGIN close|stay\n");
        return 2;
    }
    alarm(WATCHDOG_S);
    /* Twice: what the first dlclose left behind must not trouble the second. */
    for (int round = 0; round < 2; round++) {
        void *plugin = checked(dlopen(argv[1], RTLD_NOW | RTLD_LOCAL));
        call(plugin, "plugin_work");
        call(plugin, "plugin_leave_work");
        if (strcmp(argv[2], "close") == 0) {
            dlclose(plugin);
        }
    }
    return ALL_RIGHT;
}
