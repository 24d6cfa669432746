/* The header that `weft bind` writes. */
#ifndef BIND_HEADER_H
#define BIND_HEADER_H

#include <weft/weft.h>

#include "bind_types.h"
#include "tool_memory.h"

typedef struct bind_param {
    char *name, *type_name; /* as in the kernel; of a pointer: "float *" */
    weft_arg_class kind;
    weft_address_space space;
    bool is_const;
    size_t type; /* of a value: its index */
} bind_param;

typedef struct bind_kernel {
    const char *name; /* the program's */
    bind_param *params;
    size_t n_params;
    bool unsupported; /* takes what weft has no argument for */
} bind_kernel;

typedef struct bind_header {
    const char *file;    /* the source's name, without folders */
    const char *prefix;  /* of what stands for the whole program */
    bool prefix_all;     /* of kernels and structs too */
    const char *text;
    const char *cl_std;
    const bind_types *types;
    const bind_kernel *kernels;
    size_t n_kernels;
} bind_header;

/* Whether C and C++ take the name, at the top of a program. */
bool bind_name_is_free(const char *name);

/* Whether the header defines a struct of that C name. */
bool bind_header_has_type(const bind_header *header, const char *name);

/* The header's text, for the caller to free. The same on every machine and device. */
char *bind_header_write(const bind_header *header);

#endif
