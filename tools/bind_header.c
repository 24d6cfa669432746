#include "bind_header.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bind_text.h"

/* Appends a line, broken behind commas where it gets too long. */
static void put_line(memory_text *out, const char *line, const char *indent) {
    enum { WIDTH = 120 };
    while (strlen(line) > WIDTH) {
        size_t at = WIDTH;
        while (at > 0 && strncmp(&line[at - 1], ", ", 2)) {
            at--;
        }
        if (at == 0) {
            break;
        }
        memory_append(out, line, at);
        memory_printf(out, "\n%s", indent);
        line += at + 1;
    }
    memory_printf(out, "%s\n", line);
}

/* The same for a line that was put together, which it frees. */
static void put_made_line(memory_text *out, memory_text *made, const char *indent) {
    char *line = memory_take(made);
    put_line(out, line, indent);
    free(line);
}

/* ---- Names ----------------------------------------------------------------------------------------- */

/* Of C, of C++ and of common macros. */
static const char *const taken[] = {
    "alignas", "alignof", "and", "and_eq", "asm", "auto", "bitand", "bitor", "bool", "break", "case", "catch", "char",
    "char16_t", "char32_t", "char8_t", "class", "co_await", "co_return", "co_yield", "compl", "concept", "const",
    "const_cast", "consteval", "constexpr", "constinit", "continue", "decltype", "default", "delete", "do", "double",
    "dynamic_cast", "else", "enum", "explicit", "export", "extern", "false", "float", "for", "friend", "goto", "if",
    "inline", "int", "long", "mutable", "namespace", "new", "noexcept", "not", "not_eq", "nullptr", "operator", "or",
    "or_eq", "private", "protected", "public", "register", "reinterpret_cast", "requires", "restrict", "return", "short",
    "signed", "sizeof", "static", "static_assert", "static_cast", "struct", "switch", "template", "this", "thread_local",
    "throw", "true", "try", "typedef", "typeid", "typename", "typeof", "union", "unsigned", "using", "virtual", "void",
    "volatile", "wchar_t", "while", "xor", "xor_eq", "assert", "errno", "linux", "unix", "main", "stdin", "stdout", "stderr"};

/* Of what a launch has before its arguments, and of types that come behind them. */
static const char *const taken_in_launch[] = {"ctx",     "grid",     "block",   "int8_t",   "uint8_t", "int16_t", "uint16_t",
                                              "int32_t", "uint32_t", "int64_t", "uint64_t", "size_t"};

static bool is_among(const char *name, const char *const *names, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (!strcmp(name, names[i])) {
            return true;
        }
    }
    return false;
}

bool bind_name_is_free(const char *name) { return !is_among(name, taken, sizeof taken / sizeof *taken); }

static char *free_name(const char *name) {
    memory_text out = {0};
    memory_printf(&out, "%s%s", name, bind_name_is_free(name) ? "" : "_");
    return memory_take(&out);
}

static const char *tag_of(const bind_type *type) { return strncmp(type->name, "struct ", 7) ? type->name : type->name + 7; }

/* Of a value in C: "int32_t", "weft_float4", "pair_t". */
static void put_type_name(memory_text *out, const bind_header *header, const bind_type *type) {
    if (!type->scalar) {
        bool plain = header->prefix_all || bind_name_is_free(tag_of(type));
        memory_printf(out, "%s%s%s%s", header->prefix_all ? header->prefix : "", header->prefix_all ? "_" : "", tag_of(type),
                      plain ? "" : "_");
    } else if (type->width > 1) {
        memory_printf(out, "weft_%s%zu", type->scalar, type->width);
    } else {
        memory_printf(out, "%s", strcmp(type->scalar, "half") ? type->c_scalar : "weft_half");
    }
}

static char *type_name(const bind_header *header, const bind_type *type) {
    memory_text out = {0};
    put_type_name(&out, header, type);
    return memory_take(&out);
}

static bool is_value(const bind_param *param) { return param->kind == WEFT_PARAM_VALUE || param->kind == WEFT_PARAM_SCALAR; }

/* Whether a parameter of that name would hide a type that another one needs, or is there twice. */
static bool is_in_the_way(const bind_header *header, const bind_kernel *kernel, char **names, size_t index, const char *name) {
    bool in_the_way = !bind_name_is_free(name) || is_among(name, taken_in_launch, sizeof taken_in_launch / sizeof *taken_in_launch);
    for (size_t i = 0; i < kernel->n_params; i++) {
        const bind_param *param = &kernel->params[i];
        if (i < index) {
            in_the_way = in_the_way || !strcmp(names[i], name);
        }
        if (i != index && is_value(param)) {
            char *type = type_name(header, &header->types->types[param->type]);
            in_the_way = in_the_way || !strcmp(type, name);
            free(type);
        }
    }
    return in_the_way;
}

/* The C names of a kernel's parameters, for the caller to free one by one. */
static char **param_names(const bind_header *header, const bind_kernel *kernel) {
    char **names = memory_new(kernel->n_params * sizeof *names);
    for (size_t i = 0; i < kernel->n_params; i++) {
        memory_text name = {0};
        memory_printf(&name, "%s%s", kernel->params[i].name, kernel->params[i].kind == WEFT_PARAM_SHARED ? "_bytes" : "");
        while (is_in_the_way(header, kernel, names, i, name.data)) {
            memory_append(&name, "_", 1);
        }
        names[i] = memory_take(&name);
    }
    return names;
}

/* ---- Types ----------------------------------------------------------------------------------------- */

static void put_upper(memory_text *out, const char *name) {
    for (; *name; name++) {
        char c = (char)toupper((unsigned char)*name);
        memory_append(out, &c, 1);
    }
}

/* Vectors, and half as its bits: they are the same in every such header. */
static void put_builtin(memory_text *out, const bind_type *type, const char *name) {
    static const char *const components[] = {"x", "x, y", "x, y, z", "x, y, z, w"};
    memory_printf(out, "typedef struct __attribute__((aligned(%zu))) %s { %s ", type->alignment, name, type->c_scalar);
    if (type->width == 1) {
        memory_printf(out, "bits");
    } else if (type->width <= 4) {
        memory_printf(out, "%s", components[type->width - 1]);
    } else {
        memory_printf(out, "s[%zu]", type->width);
    }
    memory_printf(out, "; } %s;\n", name);
}

static void put_field(memory_text *out, const bind_header *header, const bind_field *field) {
    char *name = free_name(field->name);
    memory_printf(out, "    ");
    put_type_name(out, header, &header->types->types[field->type]);
    memory_printf(out, " %s", name);
    for (size_t i = 0; i < field->dimensions; i++) {
        memory_printf(out, "[%zu]", field->extent[i]);
    }
    memory_printf(out, ";\n");
    free(name);
}

static size_t field_bytes(const bind_types *types, const bind_field *field) {
    size_t bytes = types->types[field->type].size;
    for (size_t i = 0; i < field->dimensions; i++) {
        bytes *= field->extent[i];
    }
    return bytes;
}

static void put_padding(memory_text *out, size_t from, size_t to) {
    if (to > from) {
        memory_printf(out, "    unsigned char weft_padding_%zu[%zu];\n", from, to - from);
    }
}

static void put_struct(memory_text *out, const bind_header *header, const bind_type *type, const char *name) {
    bool exact = type->padded || !type->n_fields;
    size_t end = 0;
    memory_printf(out, "typedef struct ");
    if (exact) {
        memory_printf(out, "__attribute__((packed, aligned(%zu))) ", type->alignment);
    }
    memory_printf(out, "%s {\n", name);
    if (!type->n_fields) {
        memory_printf(out, "    unsigned char bytes[%zu]; /* its fields are not known */\n", type->size);
        end = type->size;
    }
    for (size_t i = 0; i < type->n_fields; i++) {
        const bind_field *field = &type->fields[i];
        if (exact) {
            put_padding(out, end, field->offset);
        }
        put_field(out, header, field);
        end = field->offset + field_bytes(header->types, field);
    }
    if (exact) {
        put_padding(out, end, type->size);
    }
    memory_printf(out, "} %s;\n", name);
}

static void put_layout(memory_text *out, const bind_type *type, const char *name) {
    memory_printf(out, "WEFT_KERNEL_TYPE(%s, %zu, %zu);\n", name, type->size, type->alignment);
    for (size_t i = 0; i < type->n_fields; i++) {
        char *field = free_name(type->fields[i].name);
        memory_printf(out, "WEFT_KERNEL_FIELD(%s, %s, %zu);\n", name, field, type->fields[i].offset);
        free(field);
    }
}

static void put_type(memory_text *out, const bind_header *header, const bind_type *type) {
    bool plain = type->scalar && type->width == 1 && strcmp(type->scalar, "half");
    if (plain) {
        return;
    }
    char *name = type_name(header, type);
    for (int define = 0; define < 2; define++) {
        memory_printf(out, define ? "#define " : "#ifndef ");
        memory_printf(out, "%s", type->scalar ? "" : "WEFT_STRUCT_");
        put_upper(out, name);
        memory_printf(out, "%s\n", type->scalar ? "_TYPE" : "");
    }
    if (type->scalar) {
        put_builtin(out, type, name);
    } else {
        put_struct(out, header, type, name);
    }
    memory_printf(out, "#endif\n");
    put_layout(out, type, name);
    memory_printf(out, "\n");
    free(name);
}

static void mark(const bind_types *types, size_t index, bool *used) {
    used[index] = true;
    for (size_t i = 0; i < types->types[index].n_fields; i++) {
        mark(types, types->types[index].fields[i].type, used);
    }
}

static void put_types(memory_text *out, const bind_header *header) {
    bool *used = memory_new(header->types->count * sizeof *used);
    for (size_t i = 0; i < header->n_kernels; i++) {
        const bind_kernel *kernel = &header->kernels[i];
        for (size_t j = 0; j < kernel->n_params && !kernel->unsupported; j++) {
            if (is_value(&kernel->params[j])) {
                mark(header->types, kernel->params[j].type, used);
            }
        }
    }
    for (size_t i = 0; i < header->types->count; i++) {
        bool twice = false; /* a typedef of a vector is the vector */
        char *name = type_name(header, &header->types->types[i]);
        for (size_t j = 0; j < i && used[i]; j++) {
            char *other = type_name(header, &header->types->types[j]);
            twice = twice || (used[j] && !strcmp(name, other));
            free(other);
        }
        if (used[i] && !twice) {
            put_type(out, header, &header->types->types[i]);
        }
        free(name);
    }
    free(used);
}

/* ---- Kernels --------------------------------------------------------------------------------------- */

/* Compilers note that passing these by value was changed long ago; so they go by address. */
enum { MOST_ALIGNMENT_BY_VALUE = 16 };

static bool by_address(const bind_type *type) { return type->alignment > MOST_ALIGNMENT_BY_VALUE; }

/* As the kernel has it: "global const float *x". */
static void put_original(memory_text *out, const bind_kernel *kernel) {
    static const char *const spaces[] = {"", "global ", "constant ", "local "};
    memory_text line = {0};
    memory_printf(&line, "/* kernel void %s(", kernel->name);
    for (size_t i = 0; i < kernel->n_params; i++) {
        const bind_param *param = &kernel->params[i];
        bool is_const = param->is_const && param->space == WEFT_SPACE_GLOBAL && param->kind == WEFT_PARAM_BUFFER;
        size_t length = strlen(param->type_name);
        const char *blank = length && param->type_name[length - 1] == '*' ? "" : " ";
        memory_printf(&line, "%s%s%s%s%s%s", i ? ", " : "", param->kind == WEFT_PARAM_UNSUPPORTED ? "" : spaces[param->space],
                      is_const ? "const " : "", param->type_name, blank, param->name);
    }
    memory_printf(&line, "%s)%s */", kernel->n_params ? "" : "void",
                  kernel->unsupported ? ": weft has no argument for images, samplers and pipes" : "");
    put_made_line(out, &line, " * ");
}

static void put_param(memory_text *out, const bind_header *header, const bind_param *param, const char *name) {
    if (param->kind == WEFT_PARAM_BUFFER) {
        memory_printf(out, "weft_device_buffer *%s", name);
    } else if (param->kind == WEFT_PARAM_SHARED) {
        memory_printf(out, "size_t %s", name);
    } else if (param->kind == WEFT_PARAM_TENSOR) {
        memory_printf(out, "weft_tensor %s", name);
    } else {
        const bind_type *type = &header->types->types[param->type];
        memory_printf(out, "%s", by_address(type) ? "const " : "");
        put_type_name(out, header, type);
        memory_printf(out, " %s%s", by_address(type) ? "*" : "", name);
    }
}

static void put_arg(memory_text *out, const bind_header *header, const bind_param *param, const char *name) {
    if (param->kind == WEFT_PARAM_BUFFER) {
        memory_printf(out, "weft_arg_from_buffer(%s)", name);
    } else if (param->kind == WEFT_PARAM_SHARED) {
        memory_printf(out, "weft_shared_bytes(%s)", name);
    } else if (param->kind == WEFT_PARAM_TENSOR) {
        memory_printf(out, "weft_arg_from_tensor(&%s)", name);
    } else {
        const bind_type *type = &header->types->types[param->type];
        bool number = type->scalar && type->width == 1 && strcmp(type->scalar, "half");
        const char *format = number           ? "WEFT_ARG(%s)"
                             : by_address(type) ? "weft_arg_from_value(%s, sizeof *%s, __alignof__(*%s))"
                                                : "WEFT_VALUE(%s)";
        for (const char *at = format; *at; at++) {
            bool is_name = at[0] == '%' && at[1] == 's';
            memory_append(out, is_name ? name : at, is_name ? strlen(name) : 1);
            at += is_name;
        }
    }
}

static void put_kernel(memory_text *out, const bind_header *header, const bind_kernel *kernel, size_t index, const char *set) {
    put_original(out, kernel);
    if (kernel->unsupported) {
        memory_printf(out, "\n");
        return;
    }
    char **names = param_names(header, kernel);
    memory_text line = {0};
    memory_printf(&line, "WEFT_NODISCARD static inline weft_status %s%s%s(weft_context *ctx, weft_dim grid, weft_dim block",
                  header->prefix_all ? header->prefix : "", header->prefix_all ? "_" : "", kernel->name);
    for (size_t i = 0; i < kernel->n_params; i++) {
        memory_printf(&line, ", ");
        put_param(&line, header, &kernel->params[i], names[i]);
    }
    memory_printf(&line, ") {");
    put_made_line(out, &line, "    ");
    memory_printf(out, "    const weft_launch weft_launch_ = weft_launch_of(grid, block);\n");
    if (kernel->n_params) {
        memory_printf(&line, "    const weft_arg weft_args_[] = {");
        for (size_t i = 0; i < kernel->n_params; i++) {
            memory_printf(&line, "%s", i ? ", " : "");
            put_arg(&line, header, &kernel->params[i], names[i]);
            free(names[i]);
        }
        memory_printf(&line, "};");
        put_made_line(out, &line, "        ");
    }
    memory_printf(out, "    return weft_kernel_set_enqueue(&%s, ctx, %zu, &weft_launch_, %s, %zu);\n}\n\n", set, index,
                  kernel->n_params ? "weft_args_" : "NULL", kernel->n_params);
    free(names);
}

bool bind_header_has_type(const bind_header *header, const char *name) {
    bool has = false;
    for (size_t i = 0; i < header->types->count; i++) {
        char *type = type_name(header, &header->types->types[i]);
        has = has || (!header->types->types[i].scalar && !strcmp(type, name));
        free(type);
    }
    return has;
}

/* ---- The whole ------------------------------------------------------------------------------------- */

/* Headers with the same text may share what devices made of it, and no others: FNV-1a. */
static uint64_t hash(const bind_header *header, const char *types) {
    const char *const parts[] = {header->prefix, header->prefix_all ? "all" : "", header->text, header->cl_std ? header->cl_std : "", types};
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        for (const char *at = parts[i]; *at; at++) {
            hash = (hash ^ (unsigned char)*at) * 0x100000001b3u;
        }
        hash = (hash ^ 0xFF) * 0x100000001b3u;
    }
    return hash;
}

static void put_head(memory_text *out, const bind_header *header, const char *guard) {
    const char *prefix = header->prefix;
    memory_printf(out, "/* %s for C11 and C++17, written by `weft bind`: do not edit.\n *\n", header->file);
    memory_printf(out,
                  " * Each kernel is a function that launches it on a context, checked as weft_enqueue_function checks. It compiles\n"
                  " * once per device, at the first launch or in %s_load(ctx), and is kept until %s_unload(). All of it may be\n"
                  " * called from any thread. Values aligned to more than 16 bytes are passed by address. To use a struct of your own,\n"
                  " * define it, and WEFT_STRUCT_ with its name in capitals, before this header: its layout is then checked.\n */\n",
                  prefix, prefix);
    memory_printf(out, "#ifndef %s\n#define %s\n\n#include <stddef.h>\n#include <stdint.h>\n#include <weft/weft.h>\n\n", guard, guard);
    memory_printf(out, "#ifdef __cplusplus\nextern \"C++\" {\n#endif\n\n");
}

static void put_program(memory_text *out, const bind_header *header, const char *set) {
    const char *prefix = header->prefix;
    memory_printf(out, "#pragma GCC diagnostic push\n#pragma GCC diagnostic ignored \"-Woverlength-strings\"\n");
    memory_printf(out, "static const char %s_source[] =\n", prefix);
    bind_text_quote(out, header->text);
    memory_printf(out, ";\n#pragma GCC diagnostic pop\n\nstatic const char *const %s_names[] = {", prefix);
    for (size_t i = 0; i < header->n_kernels; i++) {
        memory_printf(out, "%s\"%s\"", i ? ", " : "", header->kernels[i].name);
    }
    const char *quote = header->cl_std ? "\"" : "";
    memory_printf(out, "};\n\n/* One for the whole program, however many of its files include this. */\n"
                       "__attribute__((weak, visibility(\"hidden\"))) weft_kernel_set %s =\n"
                       "    WEFT_KERNEL_SET(%s_source, %s_names, %zu, %s%s%s);\n\n",
                  set, prefix, prefix, header->n_kernels, quote, header->cl_std ? header->cl_std : "NULL", quote);
    memory_printf(out, "/* Compiles for the context's device, if that has not been done. Blocks. */\n"
                       "WEFT_NODISCARD static inline weft_status %s_load(weft_context *ctx) {\n"
                       "    weft_function *first = NULL;\n"
                       "    weft_status status = weft_kernel_set_function(&%s, ctx, 0, &first);\n"
                       "    weft_function_release(first);\n    return status;\n}\n\n", prefix, set);
    memory_printf(out, "/* Lets go of what was compiled, for every device; the next launch compiles again. */\n"
                       "static inline void %s_unload(void) { weft_kernel_set_unload(&%s); }\n\n", prefix, set);
}

char *bind_header_write(const bind_header *header) {
    memory_text out = {0}, types = {0}, set = {0}, guard = {0};
    put_types(&types, header);
    char *type_text = memory_take(&types);
    uint64_t number = hash(header, type_text);
    memory_printf(&set, "%s_kernels_%016" PRIx64, header->prefix, number);
    memory_printf(&guard, "WEFT_BIND_");
    put_upper(&guard, set.data);
    put_head(&out, header, guard.data);
    memory_printf(&out, "%s", type_text);
    put_program(&out, header, set.data);
    for (size_t i = 0; i < header->n_kernels; i++) {
        put_kernel(&out, header, &header->kernels[i], i, set.data);
    }
    memory_printf(&out, "#ifdef __cplusplus\n}\n#endif\n\n#endif\n");
    free(type_text);
    free(set.data);
    free(guard.data);
    return memory_take(&out);
}
