/* How much memory of the machine the process holds, for the cases about growth. */
#ifndef TESTS_CASES_RESIDENT_H
#define TESTS_CASES_RESIDENT_H

#include <stddef.h>
#include <stdio.h>
#include <unistd.h>

/* A sanitizer keeps freed memory for a while, so that growth says nothing there. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define UNDER_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define UNDER_SANITIZER 1
#endif
#endif

/* Resident memory in bytes; 0 where nobody can say, and then no growth is seen. */
static inline size_t resident_bytes(void) {
#ifdef UNDER_SANITIZER
    return 0;
#else
    FILE *file = fopen("/proc/self/statm", "r");
    unsigned long total = 0, resident = 0;
    if (!file) return 0;
    if (fscanf(file, "%lu %lu", &total, &resident) != 2) resident = 0;
    fclose(file);
    return resident * (size_t)sysconf(_SC_PAGESIZE);
#endif
}

static inline size_t resident_growth(size_t before_bytes) {
    size_t now = resident_bytes();
    return now > before_bytes ? now - before_bytes : 0;
}

#endif
