/* tools/run_values and run_arguments: any words are an argument or a mistake, and no value is larger than its room.
 *
 * From the root of the tree:
 *   clang -std=c11 -D_GNU_SOURCE -g -O1 -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all -Iinclude -Itools -Ilib \
 *       tests/fuzz/fuzz_values.c tools/run_values.c tools/run_arguments.c tools/npy.c lib/base/dtype.c -lm -o fuzz_values &&
 *       ./fuzz_values -max_total_time=60 -max_len=512 -dict=tests/fuzz/values.dict
 */
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "run.h"

static void require(bool condition) {
    if (!condition) {
        abort();
    }
}

bool problem_usage(problem *problem, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    problem->status = 2;
    require(vsnprintf(problem->text, sizeof problem->text, format, arguments) > 0);
    va_end(arguments);
    return false;
}

bool problem_failure(problem *problem, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    problem->status = 1;
    require(vsnprintf(problem->text, sizeof problem->text, format, arguments) > 0);
    va_end(arguments);
    return false;
}

void weft_device_buffer_release(weft_device_buffer *buffer) { require(!buffer); }

static const weft_arg_info parameters[] = {
    {.name = "a", .type_name = "float", .kind = WEFT_PARAM_SCALAR, .size_bytes = 4},
    {.name = "b", .type_name = "uchar", .kind = WEFT_PARAM_SCALAR, .size_bytes = 1},
    {.name = "c", .type_name = "long", .kind = WEFT_PARAM_SCALAR, .size_bytes = 8},
    {.name = "d", .type_name = "real", .kind = WEFT_PARAM_SCALAR, .size_bytes = 8},
    {.name = "e", .type_name = "half", .kind = WEFT_PARAM_VALUE, .size_bytes = 2},
    {.name = "f", .type_name = "double16", .kind = WEFT_PARAM_VALUE, .size_bytes = 128},
    {.name = "g", .type_name = "short3", .kind = WEFT_PARAM_VALUE, .size_bytes = 8},
    {.name = "h", .type_name = "pair_t", .kind = WEFT_PARAM_VALUE, .size_bytes = 8},
    {.name = "i", .type_name = "unsigned int*", .kind = WEFT_PARAM_BUFFER, .address_space = WEFT_SPACE_GLOBAL, .size_bytes = 4},
    {.name = "j", .type_name = "float4*", .kind = WEFT_PARAM_SHARED, .address_space = WEFT_SPACE_LOCAL, .size_bytes = 16},
    {.name = "k", .type_name = "image2d_t", .kind = WEFT_PARAM_UNSUPPORTED},
};

/* A value that passed has the size of its parameter, where that is known. */
static void check_passed(const argument *argument, const weft_arg_info *parameter) {
    weft_arg arg = argument_pass(argument);
    if (argument->value) {
        require(argument->value->size_bytes > 0 && argument->value->size_bytes <= VALUE_BYTES_MAX);
        require(arg.size_bytes == argument->value->size_bytes);
        bool known = parameter->kind == WEFT_PARAM_VALUE || element_type_parse(parameter->type_name, strlen(parameter->type_name)).width;
        require(!known || arg.size_bytes == parameter->size_bytes);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size == 0) {
        return 0;
    }
    const weft_arg_info *parameter = &parameters[*data % (sizeof parameters / sizeof *parameters)];
    char *text = strndup((const char *)data + 1, size - 1);
    require(text);
    argument argument;
    problem problem = {.status = 0};
    if (argument_parse(text, &argument, &problem) && argument_check(&argument, 0, parameter, &problem)) {
        check_passed(&argument, parameter);
    } else {
        require(problem.status && *problem.text);
    }
    argument_free(&argument);
    free(text);
    return 0;
}
