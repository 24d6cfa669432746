#include "memory/print.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/api.h"
#include "base/number.h"
#include "base/text.h"

static void put_element(text *out, weft_dtype dtype, const char *at) {
    union {
        int8_t i8;
        uint8_t u8;
        int16_t i16;
        uint16_t u16;
        int32_t i32;
        uint32_t u32;
        int64_t i64;
        uint64_t u64;
        float f32;
        double f64;
    } value;
    char digits[32];
    memcpy(&value, at, weft_dtype_size(dtype));
    switch (dtype) {
        case WEFT_INT8:
            text_printf(out, "%" PRId8, value.i8);
            break;
        case WEFT_UINT8:
            text_printf(out, "%" PRIu8, value.u8);
            break;
        case WEFT_INT16:
            text_printf(out, "%" PRId16, value.i16);
            break;
        case WEFT_UINT16:
            text_printf(out, "%" PRIu16, value.u16);
            break;
        case WEFT_INT32:
            text_printf(out, "%" PRId32, value.i32);
            break;
        case WEFT_UINT32:
            text_printf(out, "%" PRIu32, value.u32);
            break;
        case WEFT_INT64:
            text_printf(out, "%" PRId64, value.i64);
            break;
        case WEFT_UINT64:
            text_printf(out, "%" PRIu64, value.u64);
            break;
        case WEFT_FLOAT16:
            text_append(out, digits, number_write_float(digits, number_from_half(value.u16)));
            break;
        case WEFT_BFLOAT16:
            text_append(out, digits, number_write_float(digits, number_from_bfloat16(value.u16)));
            break;
        case WEFT_FLOAT32:
            text_append(out, digits, number_write_float(digits, value.f32));
            break;
        case WEFT_FLOAT64:
            text_append(out, digits, number_write_double(digits, value.f64));
            break;
    }
}

static void put_list(text *out, weft_dtype dtype, size_t count, const char *elements) {
    for (size_t i = 0; i < count; i++) {
        text_puts(out, i ? ", " : "");
        put_element(out, dtype, elements + i * weft_dtype_size(dtype));
    }
}

weft_status print_to_stream(void *user, const char *text, size_t size_bytes) {
    FILE *stream = user;
    errno = 0;
    return fwrite(text, 1, size_bytes, stream) == size_bytes && fflush(stream) == 0 ? WEFT_OK : WEFT_ERROR_IO;
}

weft_status print_elements(const char *name, weft_dtype dtype, size_t length, const void *head, const void *tail,
                           weft_writer writer, void *user) {
    text out = {0};
    bool shortened = length >= PRINT_SHORT_FROM;
    text_printf(&out, "%s([", name);
    put_list(&out, dtype, shortened ? PRINT_EDGE : length, head);
    if (shortened) {
        text_puts(&out, ", ..., ");
        put_list(&out, dtype, PRINT_EDGE, tail);
    }
    text_puts(&out, "])");
    weft_status status = out.failed ? error_host_memory(out.length) : WEFT_OK;
    if (!status) {
        weft_status written = writer(user, out.data, out.length);
        if (written && writer == print_to_stream) {
            status = error_set(WEFT_ERROR_IO, "stream does not take the text: %s", strerrordesc_np(errno));
        } else if (written) {
            status = error_set(WEFT_ERROR_IO, "the writer stopped with status %s", weft_status_name(written));
        }
    }
    text_free(&out);
    return status;
}
