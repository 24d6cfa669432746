/* What the documentation says a call returns, and whether it did. */
#ifndef FUZZ_VERDICT_H
#define FUZZ_VERDICT_H

#include <stdbool.h>
#include <stdint.h>

#include <weft/weft.h>

/* A set of statuses: every reason for which a call is to be refused. It must then return one of them, since the
 * documentation does not say which check comes first; WEFT_OK must be in the set to be among them. An empty set means
 * WEFT_OK. */
typedef uint32_t faults;

#define FAULT(status) (UINT32_C(1) << (status))
#define FAULT_IF(condition, status) ((condition) ? FAULT(status) : UINT32_C(0))

enum {
    INVALID = 1u << WEFT_ERROR_INVALID_ARGUMENT,
    RANGE = 1u << WEFT_ERROR_OUT_OF_RANGE,
    TYPE = 1u << WEFT_ERROR_TYPE_MISMATCH,
    LIMIT = 1u << WEFT_ERROR_LAUNCH_LIMIT,
    UNSUPPORTED = 1u << WEFT_ERROR_UNSUPPORTED,
    NO_MEMORY = 1u << WEFT_ERROR_OUT_OF_DEVICE_MEMORY | 1u << WEFT_ERROR_OUT_OF_HOST_MEMORY
};

/* Ends the process with what went wrong, which is what a fuzzer sees. */
__attribute__((format(printf, 1, 2), noreturn)) void wrong(const char *format, ...);

#define CHECK(condition, ...) ((condition) ? (void)0 : wrong(__VA_ARGS__))

/* Checks the status of a call and, when it failed, the record it left. True when it succeeded. */
bool verdict(faults expected, weft_status status, const char *call);

#define EXPECT(expected, call) verdict(expected, (call), #call)
#define MUST(call) ((void)verdict(0, (call), #call))

/* The bytes of value as an element of dtype, as weft/buffer.h says fills convert it; out is not written when refused.
 * *any_nan: the element is a NaN of unspecified payload. */
faults convert_by_model(weft_scalar value, weft_dtype dtype, uint8_t out[8], bool *any_nan);

#endif
