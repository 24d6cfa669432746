/* A program that includes this leaves with live handles on purpose: no leak of its counts. */
#ifndef TESTS_PROCESS_NO_LEAK_CHECK_H
#define TESTS_PROCESS_NO_LEAK_CHECK_H

#if defined(__SANITIZE_ADDRESS__)
#define UNDER_ADDRESS_SANITIZER
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define UNDER_ADDRESS_SANITIZER
#endif
#endif

#ifdef UNDER_ADDRESS_SANITIZER
#ifdef __cplusplus
extern "C"
#endif
int __lsan_is_turned_off(void);
int __lsan_is_turned_off(void) { return 1; } /* LeakSanitizer's own hook */
#endif

#endif
