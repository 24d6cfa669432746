#include "launch_kernels.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

launch_kernel launch_kernels[LAUNCH_KERNELS];

static const param_type record_type = {"global ", "uchar", " *", WEFT_PARAM_BUFFER, OF_UNSIGNED, 1, 1, 1, 1, false, false};

static char text[64 << 10];
static size_t length;

__attribute__((format(printf, 1, 2))) static void put(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int written = vsnprintf(text + length, sizeof text - length, format, arguments);
    va_end(arguments);
    length += (size_t)written;
    CHECK(written >= 0 && length < sizeof text, "the kernels' source is too long");
}

/* Kernel i takes 0 to 8 of the types, in turn, and the record somewhere among them; one kernel takes very many. */
static void lay_out(void) {
    size_t next = 0;
    for (size_t i = 0; i < LAUNCH_KERNELS; i++) {
        launch_kernel *kernel = &launch_kernels[i];
        snprintf(kernel->name, sizeof kernel->name, "k%zu", i);
        size_t types = i == 1 ? 32 : i % 9;
        kernel->record = types ? i * 5 % (types + 1) : 0;
        kernel->n_params = types ? types + 1 : 0;
        for (size_t j = 0; j < kernel->n_params; j++) {
            kernel->params[j] = j == kernel->record ? &record_type : &param_types[next++ % n_param_types];
        }
        if (i % 8 == 5) {
            memcpy(kernel->required, (const size_t[]){4, 2, 1}, sizeof kernel->required);
        }
        kernel->static_bytes = i % 8 == 3 ? 512 : 0;
    }
}

/* Thread 0 of the whole records the shape, then argument by argument: a value's bytes; of a pointer whether it is
 * null, and the bytes of its first element, which it then changes where it may. */
static void put_param(const param_type *type, size_t i) {
    if (type->kind == WEFT_PARAM_SHARED) {
        return;
    }
    if (type->kind != WEFT_PARAM_BUFFER) {
        put("    { %s v = p%zu; PUT(&v, %zu); }\n", type->name, i, type->data_bytes);
        return;
    }
    bool opaque = strcmp(type->name, "void") == 0 || strcmp(type->name, "half") == 0;
    const char *seen = strcmp(type->name, "half") == 0 ? "ushort" : opaque ? "uchar" : type->name;
    const char *space = strncmp(type->before, "constant", 8) == 0 ? "constant" : "global const";
    put("    { uchar there = p%zu != 0; PUT(&there, 1); }\n", i);
    put("    if (p%zu) { %s v = *(%s %s *)p%zu; PUT(&v, %zu); }\n", i, seen, space, seen, i, type->data_bytes);
    if (!type->is_const) {
        put("    if (p%zu) for (int j = 0; j < %zu; j++) ((global uchar *)p%zu)[j] ^= 0x5A;\n", i, type->data_bytes, i);
    }
}

static void put_kernel(const launch_kernel *kernel) {
    put("kernel ");
    if (kernel->required[0]) {
        put("__attribute__((reqd_work_group_size(%zu, %zu, %zu))) ", kernel->required[0], kernel->required[1], kernel->required[2]);
    }
    put("void %s(", kernel->name);
    for (size_t i = 0; i < kernel->n_params; i++) {
        const param_type *type = kernel->params[i];
        put("%s%s%s%s%s%zu", i ? ", " : "", type->before, type->name, type->after, i == kernel->record ? " record" : " p", i);
    }
    put(") {\n");
    if (kernel->static_bytes) {
        put("    local uchar own[%zu];\n    own[get_local_id(0) %% %zu] = 1;\n", kernel->static_bytes, kernel->static_bytes);
    }
    if (kernel->n_params) {
        put("    if (get_global_id(0) || get_global_id(1) || get_global_id(2)) return;\n"
            "    uint k = 0; global uchar *record = record%zu;\n    for (uint d = 0; d < 3; d++) { SHAPE(d); }\n", kernel->record);
    }
    for (size_t i = 0; i < kernel->n_params; i++) {
        if (i != kernel->record) {
            put_param(kernel->params[i], i);
        }
    }
    put("}\n");
}

const char *launch_kernels_source(void) {
    lay_out();
    put("typedef ulong my_index; typedef float my_real; typedef float4 my_vector;\n"
        "typedef struct { int a; char b; } pair; typedef pair my_pair;\n"
        "typedef struct { uchar a, b, c; } triple; struct wide { long a; char b; };\n"
        "#define PUT(from, n) do { if (record) for (int j = 0; j < (n); j++) \\\n"
        "    record[k++] = ((const private uchar *)(from))[j]; } while (0)\n"
        "#define SHAPE(d) ulong groups = get_num_groups(d), size = get_local_size(d); PUT(&groups, 8); PUT(&size, 8)\n");
    for (size_t i = 0; i < LAUNCH_KERNELS; i++) {
        put_kernel(&launch_kernels[i]);
    }
    return text;
}

void launch_kernel_check(const launch_kernel *kernel, weft_function *function) {
    size_t count = weft_function_arg_count(function);
    CHECK(count == kernel->n_params, "kernel %s has %zu parameters instead of %zu", kernel->name, count, kernel->n_params);
    for (size_t i = 0; i < count; i++) {
        const param_type *type = kernel->params[i];
        weft_arg_info info;
        MUST(weft_function_arg_info(function, i, &info));
        CHECK(info.kind == type->kind && info.size_bytes == type->size_bytes && info.alignment == type->alignment,
              "kernel %s, parameter %zu (%s%s): kind %d, %zu bytes, alignment %zu", kernel->name, i, type->name, type->after,
              (int)info.kind, info.size_bytes, info.alignment);
        CHECK(info.kind != WEFT_PARAM_BUFFER || info.is_const == type->is_const, "kernel %s, parameter %zu: const is %d",
              kernel->name, i, info.is_const);
    }
}
