#include "program/reserved.h"

#include <string.h>

/* Behind the "struct" that most drivers leave in. */
static const char *tag_of(const char *type_name) {
    static const char word[] = "struct ";
    return strncmp(type_name, word, sizeof word - 1) == 0 ? type_name + sizeof word - 1 : type_name;
}

static bool is_record(const param *param) {
    static const char tag[] = "weft_assert_record";
    const char *name = tag_of(param->type_name), *rest = name + sizeof tag - 1;
    return param->kind == WEFT_PARAM_BUFFER && strncmp(name, tag, sizeof tag - 1) == 0 && rest[strspn(rest, " ")] == '*';
}

/* "weft_rows_layout_32_3" and the like, as tensor.clh names them. */
static tensor_form layout_form(const param *param) {
    static const struct {
        const char *prefix;
        bool is_rows, is_narrow;
    } layouts[] = {{"weft_layout_64_", false, false},
                   {"weft_layout_32_", false, true},
                   {"weft_rows_layout_64_", true, false},
                   {"weft_rows_layout_32_", true, true}};
    const char *name = tag_of(param->type_name);
    for (size_t i = 0; i < sizeof layouts / sizeof *layouts && param->kind == WEFT_PARAM_VALUE; i++) {
        size_t length = strlen(layouts[i].prefix);
        if (strncmp(name, layouts[i].prefix, length) == 0 && name[length] >= '1' && name[length] <= '4' && !name[length + 1]) {
            return (tensor_form){(size_t)(name[length] - '0'), layouts[i].is_rows, layouts[i].is_narrow};
        }
    }
    return (tensor_form){0, false, false};
}

void reserved_fold(kernel *kernel) {
    size_t kept = 0;
    for (size_t i = 0; i < kernel->n_params; i++) {
        param *param = &kernel->params[i], *previous = kept ? &kernel->params[kept - 1] : NULL;
        tensor_form form = layout_form(param);
        if (is_record(param)) {
            kernel->has_asserts = true;
            kernel->asserts_index = param->index;
            param_free(param);
        } else if (form.rank && previous && previous->kind == WEFT_PARAM_BUFFER && previous->space == WEFT_SPACE_GLOBAL) {
            previous->kind = WEFT_PARAM_TENSOR;
            previous->tensor = form;
            param_free(param);
        } else {
            kernel->params[kept++] = *param;
        }
    }
    kernel->n_params = kept;
}
