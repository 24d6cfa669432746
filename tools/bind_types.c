#include "bind_types.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "quiet.h"
#include "struct_reader.h"
#include "tool_memory.h"

/* ---- Built-in types -------------------------------------------------------------------------------- */

static const struct {
    const char *name, *c_name;
    size_t bytes;
} scalars[] = {
    {"char", "int8_t", 1},   {"uchar", "uint8_t", 1},   {"short", "int16_t", 2}, {"ushort", "uint16_t", 2},
    {"int", "int32_t", 4},   {"uint", "uint32_t", 4},   {"long", "int64_t", 8},  {"ulong", "uint64_t", 8},
    {"float", "float", 4},   {"double", "double", 8},   {"half", "uint16_t", 2},
};
static const size_t widths[] = {1, 2, 3, 4, 8, 16};
enum { N_SCALARS = sizeof scalars / sizeof *scalars, N_WIDTHS = sizeof widths / sizeof *widths };
enum { N_BUILTINS = N_SCALARS * N_WIDTHS };

static void builtin_name(size_t index, char out[16]) {
    size_t width = widths[index % N_WIDTHS];
    snprintf(out, 16, width == 1 ? "%s" : "%s%zu", scalars[index / N_WIDTHS].name, width);
}

static bool has_builtin(const bind_types *types, size_t index) {
    const char *name = scalars[index / N_WIDTHS].name;
    bool vector = widths[index % N_WIDTHS] > 1;
    return (types->fp64 || strcmp(name, "double")) && (types->fp16 || !vector || strcmp(name, "half"));
}

static void become_builtin(bind_type *type, size_t index) {
    size_t width = widths[index % N_WIDTHS], bytes = scalars[index / N_WIDTHS].bytes;
    type->scalar = scalars[index / N_WIDTHS].name;
    type->c_scalar = scalars[index / N_WIDTHS].c_name;
    type->width = width;
    type->size = type->alignment = bytes * (width == 3 ? 4 : width);
}

static bool is_builtin(const char *name, size_t *index) {
    char builtin[16];
    for (*index = 0; *index < N_BUILTINS; ++*index) {
        builtin_name(*index, builtin);
        if (!strcmp(name, builtin)) {
            return true;
        }
    }
    return false;
}

/* ---- Asking the compiler --------------------------------------------------------------------------- */

/* Answers: size, alignment, 1 + the built-in type that it is; then of each field its offset and, from the whole array down to one
 * element, sizes. */
enum { HEAD = 3 };

static char *question(const bind_types *types, const char *name, const read_struct *fields, size_t *n_answers) {
    memory_text out = {0};
    size_t at = HEAD;
    memory_append(&out, types->text, strlen(types->text));
    memory_printf(&out, "\nstruct weft_bind_align { char c; %s t; };\n", name);
    memory_printf(&out, "__kernel void weft_bind_ask(__global ulong *weft_bind_out) {\n%s weft_bind_value;\n", name);
    memory_printf(&out, "weft_bind_out[0] = sizeof(%s);\n", name);
    memory_printf(&out, "weft_bind_out[1] = sizeof(struct weft_bind_align) - sizeof(%s);\nweft_bind_out[2] = 0", name);
    for (size_t i = 0; i < N_BUILTINS; i++) {
        char builtin[16];
        builtin_name(i, builtin);
        if (has_builtin(types, i)) {
            memory_printf(&out, " + (__builtin_types_compatible_p(%s, %s) ? %zu : 0)", name, builtin, i + 1);
        }
    }
    memory_printf(&out, ";\n");
    for (size_t i = 0; i < fields->count; i++) {
        const char *field = fields->fields[i].name;
        memory_printf(&out, "weft_bind_out[%zu] = (ulong)((__private char *)&weft_bind_value.%s - (__private char *)&weft_bind_value);\n",
                      at++, field);
        for (size_t j = 0; j <= fields->fields[i].dimensions; j++) {
            memory_printf(&out, "weft_bind_out[%zu] = sizeof(weft_bind_value.%s", at++, field);
            for (size_t k = 0; k < j; k++) {
                memory_printf(&out, "[0]");
            }
            memory_printf(&out, ");\n");
        }
    }
    memory_printf(&out, "}\n");
    *n_answers = at;
    return memory_take(&out);
}

static weft_status run_question(bind_types *types, const char *text, uint64_t *answers, size_t n_answers) {
    const weft_compile_options options = {.cl_std = types->cl_std};
    weft_function *function = NULL;
    weft_device_buffer *buffer = NULL;
    quiet hush = quiet_begin(); /* a struct read wrong does not compile */
    weft_status status = weft_compile_function(types->context, text, "weft_bind_ask", &options, &function);
    quiet_end(hush);
    status = status ? status : weft_create_buffer_sync(types->context, WEFT_UINT64, n_answers, &buffer);
    status = status ? status : weft_enqueue_function(types->context, function, 1, 1, buffer);
    status = status ? status : weft_enqueue_copy(types->context, answers, buffer);
    status = status ? status : weft_synchronize(types->context);
    weft_device_buffer_release(buffer);
    weft_function_release(function);
    return status;
}

/* The answers, for the caller to free; NULL when that failed. */
static uint64_t *ask(bind_types *types, const char *name, const read_struct *fields) {
    size_t n_answers;
    char *text = question(types, name, fields, &n_answers);
    uint64_t *answers = memory_new(n_answers * sizeof *answers);
    if (run_question(types, text, answers, n_answers) != WEFT_OK) {
        free(answers);
        answers = NULL;
    }
    free(text);
    return answers;
}

/* ---- Structs --------------------------------------------------------------------------------------- */

static size_t round_up(size_t size, size_t alignment) { return (size + alignment - 1) / alignment * alignment; }

static size_t field_bytes(const bind_types *types, const bind_field *field) {
    size_t bytes = types->types[field->type].size;
    for (size_t i = 0; i < field->dimensions; i++) {
        bytes *= field->extent[i];
    }
    return bytes;
}

/* Takes the answers of one field. false: it is not what the reader thought. */
static bool take_field(const bind_types *types, const read_field *read, size_t type, const uint64_t **at, bind_field *out) {
    enum { MOST = sizeof out->extent / sizeof *out->extent };
    *out = (bind_field){memory_copy(read->name, strlen(read->name)), type, (size_t) * (*at)++, read->dimensions, {0}};
    const uint64_t *sizes = *at;
    *at += read->dimensions + 1;
    for (size_t i = 0; i < read->dimensions && i < MOST; i++) {
        out->extent[i] = sizes[i + 1] ? (size_t)(sizes[i] / sizes[i + 1]) : 0;
    }
    return read->dimensions <= MOST && sizes[read->dimensions] == types->types[type].size && sizes[0] > 0;
}

/* Whether C lays the fields out like that by itself; and whether they follow each other at all. */
static bool is_natural(const bind_types *types, const bind_type *type) {
    size_t end = 0, alignment = 1;
    for (size_t i = 0; i < type->n_fields; i++) {
        const bind_field *field = &type->fields[i];
        size_t wanted = types->types[field->type].alignment;
        if (round_up(end, wanted) != field->offset) {
            return false;
        }
        end = field->offset + field_bytes(types, field);
        alignment = wanted > alignment ? wanted : alignment;
    }
    return alignment == type->alignment && round_up(end, alignment) == type->size;
}

static bool is_in_order(const bind_types *types, const bind_type *type) {
    size_t end = 0;
    for (size_t i = 0; i < type->n_fields; i++) {
        if (type->fields[i].offset < end) {
            return false;
        }
        end = type->fields[i].offset + field_bytes(types, &type->fields[i]);
    }
    return end <= type->size;
}

static void forget_fields(bind_type *type) {
    for (size_t i = 0; i < type->n_fields; i++) {
        free(type->fields[i].name);
    }
    free(type->fields);
    type->fields = NULL;
    type->n_fields = 0;
}

static void take_head(bind_type *type, const uint64_t *answers) {
    type->size = (size_t)answers[0];
    type->alignment = (size_t)answers[1];
    if (answers[2] && answers[2] <= N_BUILTINS) {
        become_builtin(type, (size_t)answers[2] - 1);
    }
}

/* Tries one definition of the struct. false: the compiler does not know it so. */
static bool take_struct(bind_types *types, bind_type *type, const read_struct *read) {
    size_t *field_types = memory_new(read->count * sizeof *field_types);
    bool known = true;
    for (size_t i = 0; i < read->count && known; i++) {
        known = bind_types_find(types, read->fields[i].type, &field_types[i]);
    }
    uint64_t *answers = known ? ask(types, type->name, read) : NULL;
    if (answers) {
        const uint64_t *at = answers + HEAD;
        take_head(type, answers);
        type->fields = memory_new(read->count * sizeof *type->fields);
        for (size_t i = 0; i < read->count && known; i++) {
            known = take_field(types, &read->fields[i], field_types[i], &at, &type->fields[type->n_fields++]);
        }
        known = known && is_in_order(types, type);
        type->padded = known && !is_natural(types, type);
        if (!known) {
            forget_fields(type);
        }
    }
    free(field_types);
    free(answers);
    return answers && known;
}

static bool take_type(bind_types *types, bind_type *type) {
    read_result result;
    bool taken = false;
    size_t index = 0;
    do {
        read_struct read;
        result = struct_read(types->blanked, type->name, index++, &read);
        taken = result == READ_DONE && take_struct(types, type, &read);
        struct_free(&read);
    } while (!taken && result != READ_NONE);
    if (!taken) {
        const read_struct nothing = {0};
        uint64_t *answers = ask(types, type->name, &nothing);
        taken = answers;
        if (answers) {
            take_head(type, answers);
        }
        free(answers);
    }
    return taken;
}

/* ---- All of them ----------------------------------------------------------------------------------- */

void bind_types_begin(bind_types *types, weft_context *context, const char *text, const char *cl_std) {
    weft_device_info info;
    bool known = weft_device_get_info(weft_context_api(context), weft_context_id(context), &info) == WEFT_OK;
    *types = (bind_types){.context = context, .text = text, .cl_std = cl_std, .blanked = struct_blank(text),
                          .fp64 = known && info.fp64, .fp16 = known && info.fp16};
}

void bind_types_end(bind_types *types) {
    for (size_t i = 0; i < types->count; i++) {
        forget_fields(&types->types[i]);
        free(types->types[i].name);
    }
    free(types->types);
    free(types->blanked);
}

/* What the reader takes for a struct in itself must end. */
enum { DEEPEST = 32 };

bool bind_types_find(bind_types *types, const char *name, size_t *out) {
    for (*out = 0; *out < types->count; ++*out) {
        if (!strcmp(types->types[*out].name, name)) {
            return true;
        }
    }
    bind_type type = {.name = memory_copy(name, strlen(name))};
    size_t builtin;
    bool known = true;
    if (is_builtin(name, &builtin)) {
        become_builtin(&type, builtin);
    } else {
        types->depth++;
        known = types->depth < DEEPEST && take_type(types, &type);
        types->depth--;
    }
    if (!known) {
        free(type.name);
        return false;
    }
    types->types = memory_grow(types->types, types->count, sizeof type);
    *out = types->count; /* types of fields came before it */
    types->types[types->count++] = type;
    return true;
}
