#include "scan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SPACES " \t\r\n\v\f"
#define WORD "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"

/* ---- From text to tokens --------------------------------------------------------------------------- */

/* The end of a line or literal that starts at p; a backslash takes the next character with it. */
static char *end_after(char *p, char terminator) {
    while (*p && *p != terminator) {
        p += p[0] == '\\' && p[1] ? 2 : 1;
    }
    return *p ? p + 1 : p;
}

/* Overwrites comments, directives and literals with spaces. */
static void blank_non_code(char *p) {
    bool line_start = true;
    while (*p) {
        char *end = p;
        if (!strncmp(p, "/*", 2)) {
            char *close = strstr(p + 2, "*/");
            end = close ? close + 2 : p + strlen(p);
        } else if (!strncmp(p, "//", 2) || (*p == '#' && line_start)) {
            end = end_after(p, '\n');
        } else if (*p == '"' || *p == '\'') {
            end = end_after(p + 1, *p);
        }
        if (end > p) {
            line_start = end[-1] == '\n' || (line_start && *p == '/');
            memset(p, ' ', (size_t)(end - p));
            p = end;
        } else {
            line_start = *p == '\n' || (line_start && strchr(SPACES, *p));
            p++;
        }
    }
}

/* A word or one other character; length 0 at the end of the text. */
typedef struct token {
    const char *text;
    size_t length;
} token;

static token token_next(const char **at) {
    const char *text = *at + strspn(*at, SPACES);
    size_t length = strspn(text, WORD);
    if (!length && *text) {
        length = 1;
    }
    *at = text + length;
    return (token){text, length};
}

/* The double underscores around OpenCL's own words are optional. */
static bool token_is(token t, const char *text) {
    if (t.length > 2 && !strncmp(t.text, "__", 2)) {
        t.text += 2;
        t.length -= 2;
    }
    return t.length == strlen(text) && !memcmp(t.text, text, t.length);
}

static bool token_is_word(token t) {
    return t.length && strchr(WORD, *t.text);
}

/* Goes on behind the parenthesis that closes the next one. */
static void skip_parentheses(const char **at) {
    size_t depth = 0;
    do {
        token t = token_next(at);
        if (!t.length) {
            return;
        }
        depth += token_is(t, "(");
        depth -= token_is(t, ")");
    } while (depth);
}

/* ---- Parameters ------------------------------------------------------------------------------------ */

/* Words of a parameter that are no part of its type. */
static const struct {
    const char *word;
    cl_kernel_arg_address_qualifier address;
    cl_kernel_arg_type_qualifier qualifier;
} qualifier_words[] = {
    {"global", CL_KERNEL_ARG_ADDRESS_GLOBAL, 0},
    {"constant", CL_KERNEL_ARG_ADDRESS_CONSTANT, CL_KERNEL_ARG_TYPE_CONST},
    {"local", CL_KERNEL_ARG_ADDRESS_LOCAL, 0},
    {"private", CL_KERNEL_ARG_ADDRESS_PRIVATE, 0},
    {"const", 0, CL_KERNEL_ARG_TYPE_CONST},
    {"volatile", 0, CL_KERNEL_ARG_TYPE_VOLATILE},
    {"restrict", 0, CL_KERNEL_ARG_TYPE_RESTRICT},
    {"read_only", 0, 0},
    {"write_only", 0, 0},
    {"read_write", 0, 0},
};

/* Behind the star a qualifier describes the pointer, and only `restrict` is asked about. */
static bool parameter_qualify(parameter *p, token t, bool behind_star) {
    cl_kernel_arg_type_qualifier wanted =
        behind_star ? CL_KERNEL_ARG_TYPE_RESTRICT : CL_KERNEL_ARG_TYPE_CONST | CL_KERNEL_ARG_TYPE_VOLATILE;
    for (size_t i = 0; i < sizeof qualifier_words / sizeof *qualifier_words; i++) {
        if (token_is(t, qualifier_words[i].word)) {
            p->address = qualifier_words[i].address ? qualifier_words[i].address : p->address;
            p->qualifiers |= qualifier_words[i].qualifier & wanted;
            return true;
        }
    }
    return false;
}

static void type_append(char *type, token t) {
    size_t length = strlen(type);
    if (length && token_is_word(t)) {
        type[length++] = ' ';
    }
    memcpy(type + length, t.text, t.length);
    type[length + t.length] = '\0';
}

/* "unsigned int*" is called "uint*", and "unsigned" "uint" (OpenCL, table of clGetKernelArgInfo). */
static void type_shorten(char *type) {
    static const char prefix[] = "unsigned";
    size_t length = sizeof prefix - 1;
    if (strncmp(type, prefix, length) || (type[length] && !strchr(" *", type[length]))) {
        return;
    }
    if (type[length] == ' ') {
        type[0] = 'u';
        memmove(type + 1, type + length + 1, strlen(type + length + 1) + 1);
    } else {
        memcpy(type, "uint", 4);
        memmove(type + 4, type + length, strlen(type + length) + 1);
    }
}

/* Reads one parameter from its text. The last word is its name. */
static bool parameter_parse(parameter *p, const char *text, size_t length) {
    const char *end = text + length;
    token name = {0};
    *p = (parameter){.address = CL_KERNEL_ARG_ADDRESS_PRIVATE, .type = calloc(1, 2 * length + 1)};
    if (!p->type) {
        return false;
    }
    for (token t = token_next(&text); t.length && t.text < end; t = token_next(&text)) {
        if (token_is(t, "attribute__")) {
            skip_parentheses(&text);
        } else if (!parameter_qualify(p, t, token_is(name, "*"))) {
            if (name.length) {
                type_append(p->type, name);
            }
            name = t;
        }
    }
    type_shorten(p->type);
    if (!strchr(p->type, '*')) { /* the qualifiers of a value are nobody's business */
        p->qualifiers = 0;
    }
    p->name = strndup(name.text ? name.text : "", name.length);
    return p->name;
}

/* Reads "float *a, int n)", up to and with the parenthesis. */
static bool parameters_parse(kernel_source *kernel, const char **at) {
    const char *start = *at;
    for (;;) {
        const char *before = *at;
        token t = token_next(at);
        if (token_is(t, "(")) {
            *at = before;
            skip_parentheses(at);
            continue;
        }
        bool last = !t.length || token_is(t, ")");
        if (!last && !token_is(t, ",")) {
            continue;
        }
        const char *inside = start;
        token first = token_next(&inside);
        bool none = last && (first.text == t.text || (token_is(first, "void") && token_next(&inside).text == t.text));
        if (!none) {
            size_t n = kernel->n_parameters;
            parameter *grown = realloc(kernel->parameters, (n + 1) * sizeof *grown);
            if (!grown) {
                return false;
            }
            kernel->parameters = grown;
            kernel->n_parameters = n + 1;
            if (!parameter_parse(&grown[n], start, (size_t)(t.text - start))) {
                return false;
            }
        }
        if (last) {
            return true;
        }
        start = *at;
    }
}

/* ---- Kernels --------------------------------------------------------------------------------------- */

/* Reads an attribute's parentheses. */
static void attribute_parse(kernel_source *kernel, const char **at) {
    const char *start = *at;
    skip_parentheses(at);
    const char *found = strstr(start, "reqd_work_group_size");
    if (found && found < *at) {
        size_t *block = kernel->required_block;
        sscanf(found, "reqd_work_group_size ( %zu , %zu , %zu", &block[0], &block[1], &block[2]);
    }
}

/* Reads what follows the word `kernel`. *is_kernel: it was the head of a kernel with a body. */
static bool kernel_parse(kernel_source *kernel, const char **at, bool *is_kernel) {
    token name = {0};
    *kernel = (kernel_source){0};
    *is_kernel = false;
    for (token t = token_next(at); !token_is(t, "("); t = token_next(at)) {
        if (!token_is_word(t)) {
            return true;
        }
        if (token_is(t, "attribute__")) {
            attribute_parse(kernel, at);
        } else {
            name = t;
        }
    }
    if (!name.length) {
        return true;
    }
    if (!parameters_parse(kernel, at)) {
        return false;
    }
    *is_kernel = token_is(token_next(at), "{");
    kernel->name = strndup(name.text, name.length);
    return kernel->name;
}

static void kernel_free(kernel_source *kernel) {
    for (size_t i = 0; i < kernel->n_parameters; i++) {
        free(kernel->parameters[i].name);
        free(kernel->parameters[i].type);
    }
    free(kernel->parameters);
    free(kernel->name);
}

void kernels_free(kernel_source *kernels, size_t n_kernels) {
    for (size_t i = 0; i < n_kernels; i++) {
        kernel_free(&kernels[i]);
    }
    free(kernels);
}

static bool kernels_add(kernel_source **kernels, size_t *n, kernel_source kernel) {
    kernel_source *grown = realloc(*kernels, (*n + 1) * sizeof *grown);
    if (!grown) {
        return false;
    }
    *kernels = grown;
    grown[(*n)++] = kernel;
    return true;
}

const kernel_source *kernels_find(const kernel_source *kernels, size_t n_kernels, const char *name) {
    for (size_t i = 0; i < n_kernels; i++) {
        if (!strcmp(kernels[i].name, name)) {
            return &kernels[i];
        }
    }
    return NULL;
}

bool kernels_scan(const char *source, kernel_source **out, size_t *n_out) {
    *out = NULL;
    *n_out = 0;
    char *code = strdup(source);
    if (!code) {
        return false;
    }
    blank_non_code(code);
    bool ok = true;
    const char *at = code;
    for (token t = token_next(&at); ok && t.length; t = token_next(&at)) {
        if (token_is(t, "kernel")) {
            kernel_source kernel;
            bool is_kernel;
            ok = kernel_parse(&kernel, &at, &is_kernel);
            bool keep = ok && is_kernel && !kernels_find(*out, *n_out, kernel.name);
            if (keep) {
                keep = ok = kernels_add(out, n_out, kernel);
            }
            if (!keep) {
                kernel_free(&kernel);
            }
        }
    }
    free(code);
    return ok;
}
