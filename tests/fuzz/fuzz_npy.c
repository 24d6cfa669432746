/* tools/npy: any bytes are an array or a reason, and what was read is written as what is read again.
 *
 * From the root of the tree:
 *   clang -std=c11 -D_GNU_SOURCE -g -O1 -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all -Iinclude -Itools \
 *       tests/fuzz/fuzz_npy.c tools/npy.c lib/base/dtype.c -Ilib -o fuzz_npy && ./fuzz_npy -max_total_time=60
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "npy.h"

static void require(bool condition) {
    if (!condition) {
        abort();
    }
}

static void check_reason(const char *reason) { require(*reason && strlen(reason) < NPY_REASON_BYTES); }

/* The array, whatever wrote it, must come back from npy_write's header. */
static void check_array(const npy *array, size_t size) {
    require(array->offset_bytes >= 10 && array->offset_bytes <= size);
    require(array->rank <= NPY_RANK_MAX && weft_dtype_size(array->dtype) > 0);
    size_t length = 1;
    for (size_t i = 0; i < array->rank; i++) {
        length *= array->shape[i]; /* 0 in the end when one of them is, else npy_parse saw no overflow */
    }
    require(length == array->length);

    unsigned char header[NPY_WRITTEN_BYTES];
    char reason[NPY_REASON_BYTES];
    size_t written = npy_write(array, header);
    npy again;
    require(written <= sizeof header && written % 64 == 0);
    require(npy_parse(header, written, &again, reason));
    require(again.offset_bytes == written && again.dtype == array->dtype && again.rank == array->rank &&
            again.length == array->length && !memcmp(again.shape, array->shape, array->rank * sizeof *array->shape));
}

/* The same bytes as the header's text behind a right front, so that the fuzzer need not find that. */
static void parse_as_header(const uint8_t *data, size_t size) {
    if (size > 4096) {
        return;
    }
    unsigned char bytes[10 + 4096] = "\x93NUMPY\1";
    bytes[8] = (unsigned char)size;
    bytes[9] = (unsigned char)(size >> 8);
    memcpy(bytes + 10, data, size);
    char reason[NPY_REASON_BYTES] = "";
    npy array;
    if (npy_parse(bytes, 10 + size, &array, reason)) {
        check_array(&array, 10 + size);
    } else {
        check_reason(reason);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    unsigned char *bytes = malloc(size ? size : 1); /* its end is where a read beyond it is seen */
    require(bytes);
    memcpy(bytes, data, size);
    char reason[NPY_REASON_BYTES] = "";
    npy array;
    if (npy_parse(bytes, size, &array, reason)) {
        check_array(&array, size);
    } else {
        check_reason(reason);
    }
    free(bytes);
    parse_as_header(data, size);
    return 0;
}
