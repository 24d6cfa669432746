/* The C++ half of test_macros.c: the same calls, as C++17. */
#define MACRO_CALLS cpp_macro_calls
#include "macro_calls.h"
