/* A driver that is broken in the way that BROKEN says; built once for each by test_doctor.py. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void misbehave(const char *when) {
    static char behaviour[64];
    snprintf(behaviour, sizeof behaviour, "%s", BROKEN);
    if (strncmp(behaviour, when, strlen(when)) != 0) {
        return;
    }
    const char *how = behaviour + strlen(when);
    if (!strcmp(how, "crash")) {
        raise(SIGSEGV);
    } else if (!strcmp(how, "abort")) {
        fprintf(stderr, "first line\nassertion of the driver failed\n");
        abort();
    } else if (!strcmp(how, "exit")) {
        exit(0);
    } else if (!strcmp(how, "hang")) {
        signal(SIGTERM, SIG_IGN);
        for (;;) {
            pause();
        }
    } else if (!strcmp(how, "silent")) { /* the answer's way is closed, and it hangs */
        for (int fd = 0; fd < 256; fd++) {
            close(fd);
        }
        for (;;) {
            pause();
        }
    } else if (!strcmp(how, "child")) { /* leaves somebody behind who keeps the answer's way open */
        if (fork() == 0) {
            for (;;) {
                pause();
            }
        }
        raise(SIGSEGV);
    }
}

__attribute__((constructor)) static void load(void) { misbehave("load-"); }

static int get_platforms(unsigned count, void **platforms, unsigned *available) {
    (void)count, (void)platforms;
    misbehave("ask-");
    if (available) {
        *available = 0;
    }
    return -1001; /* CL_PLATFORM_NOT_FOUND_KHR */
}

void *clGetExtensionFunctionAddress(const char *name);
void *clGetExtensionFunctionAddress(const char *name) {
    int (*function)(unsigned, void **, unsigned *) = get_platforms;
    void *address = NULL;
    if (!strcmp(name, "clIcdGetPlatformIDsKHR")) {
        memcpy(&address, &function, sizeof address);
    }
    return address;
}

int clGetPlatformInfo(void *platform, unsigned name, size_t size, void *value, size_t *needed);
int clGetPlatformInfo(void *platform, unsigned name, size_t size, void *value, size_t *needed) {
    (void)platform, (void)name, (void)size, (void)value, (void)needed;
    return -30;
}
