/* weft bind: a header with a program's source and a C function for each of its kernels. */
#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bind_header.h"
#include "bind_text.h"
#include "device_option.h"
#include "quiet.h"
#include "source.h"
#include "tool.h"

typedef struct bind_options {
    const char *file, *output, *name, *device, *dependencies;
    source_options source;
} bind_options;

/* ---- What there is to bind ------------------------------------------------------------------------- */

/* A type's name as drivers agree on it: one blank between two words, and before the star. */
static char *tidy(const char *name) {
    memory_text out = {0};
    for (const char *at = name; *at; at++) {
        bool blank = isspace((unsigned char)*at);
        if (*at == '*' || (blank && isalnum((unsigned char)at[1]))) {
            memory_append(&out, " ", out.length && out.data[out.length - 1] != '*' && out.data[out.length - 1] != ' ');
        }
        memory_append(&out, at, !blank);
    }
    return memory_take(&out);
}

static bool describe_param(const char *who, bind_types *types, weft_function *function, size_t index, bind_param *out) {
    weft_arg_info info;
    if (weft_function_arg_info(function, index, &info) != WEFT_OK) {
        fprintf(stderr, "%s: %s\n", who, weft_error_message());
        return false;
    }
    bool is_value = info.kind == WEFT_PARAM_VALUE || info.kind == WEFT_PARAM_SCALAR;
    char unnamed[32];
    snprintf(unnamed, sizeof unnamed, "argument_%zu", index);
    const char *name = *info.name ? info.name : unnamed;
    *out = (bind_param){memory_copy(name, strlen(name)), tidy(info.type_name), info.kind, info.address_space, info.is_const, 0};
    if (is_value && !bind_types_find(types, out->type_name, &out->type)) {
        fprintf(stderr, "%s: kernel %s, parameter %s: the compiler does not say what %s is: %s\n", who, weft_function_name(function),
                info.name, out->type_name, weft_error_message());
        return false;
    }
    return true;
}

static bool describe_kernel(const char *who, bind_types *types, weft_function *function, bind_kernel *out) {
    out->n_params = weft_function_arg_count(function);
    out->params = memory_new(out->n_params * sizeof *out->params);
    bool known = true;
    for (size_t i = 0; i < out->n_params && known; i++) {
        known = describe_param(who, types, function, i, &out->params[i]);
        out->unsupported = out->unsupported || out->params[i].kind == WEFT_PARAM_UNSUPPORTED;
    }
    if (out->unsupported) {
        fprintf(stderr, "%s: kernel %s gets no function: weft has no argument for images, samplers and pipes\n", who, out->name);
    }
    return known;
}

static void kernels_free(bind_kernel *kernels, size_t count) {
    for (size_t i = 0; i < count; i++) {
        for (size_t j = 0; j < kernels[i].n_params && kernels[i].params; j++) {
            free(kernels[i].params[j].name);
            free(kernels[i].params[j].type_name);
        }
        free(kernels[i].params);
    }
    free(kernels);
}

/* ---- Names ----------------------------------------------------------------------------------------- */

static const char *file_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* "image-blur.cl" makes "image_blur". */
static char *prefix_of(const char *file) {
    memory_text out = {0};
    size_t length = strcspn(file, ".");
    memory_printf(&out, "%s", length && isdigit((unsigned char)*file) ? "_" : "");
    for (size_t i = 0; i < length; i++) {
        bool fits = isalnum((unsigned char)file[i]) && (unsigned char)file[i] < 0x80;
        memory_append(&out, fits ? &file[i] : "_", 1);
    }
    return memory_take(&out);
}

static bool is_identifier(const char *name) {
    bool fits = *name && !isdigit((unsigned char)*name);
    for (; *name; name++) {
        fits = fits && (isalnum((unsigned char)*name) || *name == '_') && (unsigned char)*name < 0x80;
    }
    return fits;
}

/* Whether the header's names differ from each other and from words of C and C++. */
static bool check_names(const char *who, const bind_header *header) {
    static const char *const suffixes[] = {"load", "unload", "source", "names"};
    for (size_t i = 0; i < header->n_kernels; i++) {
        const char *kernel = header->kernels[i].name;
        size_t length = strlen(header->prefix);
        bool same_start = !header->prefix_all && !strncmp(kernel, header->prefix, length) && kernel[length] == '_';
        const char *rest = header->prefix_all ? kernel : same_start ? kernel + length + 1 : "";
        bool fits = header->prefix_all || (bind_name_is_free(kernel) && !bind_header_has_type(header, kernel));
        for (size_t j = 0; j < sizeof suffixes / sizeof *suffixes; j++) {
            fits = fits && strcmp(rest, suffixes[j]);
        }
        if (!fits) {
            fprintf(stderr, "%s: a kernel named %s gives no C function%s\n", who, kernel,
                    header->prefix_all ? "" : "; --name PREFIX puts PREFIX_ in front");
            return false;
        }
    }
    return true;
}

/* ---- The command ----------------------------------------------------------------------------------- */

/* Writes all of it or nothing. */
static bool write_file(const char *who, const char *path, const char *text) {
    FILE *stream = path ? fopen(path, "w") : stdout;
    bool written = stream && fputs(text, stream) >= 0 && !fflush(stream);
    int error = errno;
    if (stream && path && fclose(stream)) {
        error = errno;
        written = false;
    }
    if (!written) {
        fprintf(stderr, "%s: %s: %s\n", who, path ? path : "standard output", strerror(error));
        if (stream && path) {
            remove(path);
        }
    }
    return written;
}

static bool write_header(const char *who, const bind_options *options, const char *text, const bind_header *header) {
    char *out = bind_header_write(header);
    bool written = write_file(who, options->output, out);
    if (written && options->dependencies && !bind_text_dependencies(options->dependencies, options->output, text)) {
        fprintf(stderr, "%s: %s: %s\n", who, options->dependencies, strerror(errno));
        written = false;
    }
    free(out);
    return written;
}

static bool bind_program(const char *who, const bind_options *options, const source *source, const char *text,
                         weft_context *context, weft_program *program) {
    bind_types types;
    bind_types_begin(&types, context, text, options->source.cl_std);
    size_t count = weft_program_function_count(program);
    bind_kernel *kernels = memory_new(count * sizeof *kernels);
    bool known = count;
    if (!count) {
        fprintf(stderr, "%s: %s has no kernel\n", who, options->file);
    }
    for (size_t i = 0; i < count && known; i++) {
        weft_function *function = NULL;
        kernels[i].name = weft_program_function_name(program, i);
        known = weft_program_function(program, kernels[i].name, &function) == WEFT_OK;
        if (!known) {
            fprintf(stderr, "%s: %s\n", who, weft_error_message());
        }
        known = known && describe_kernel(who, &types, function, &kernels[i]);
        weft_function_release(function);
    }
    char *own_prefix = prefix_of(file_name(options->file)), *short_text = bind_text_shorten(text, source);
    const bind_header header = {.file = file_name(options->file),
                                .prefix = options->name ? options->name : own_prefix,
                                .prefix_all = options->name,
                                .text = short_text,
                                .cl_std = options->source.cl_std,
                                .types = &types,
                                .kernels = kernels,
                                .n_kernels = count};
    bool written = known && check_names(who, &header) && write_header(who, options, text, &header);
    free(own_prefix);
    free(short_text);
    kernels_free(kernels, count);
    bind_types_end(&types);
    return written;
}

static bool compile(const char *who, const source *source, weft_context *context, weft_program **out) {
    quiet hush = quiet_begin();
    weft_status status = weft_compile_program(context, source->text, &source->options, out);
    quiet_end(hush);
    if (status) {
        fprintf(stderr, "%s: %s\n", who, weft_error_message());
    }
    if (status == WEFT_ERROR_COMPILE_FAILED) {
        fprintf(stderr, "%s\n", weft_last_build_log());
    }
    return !status;
}

static bool bind_source(const char *who, const bind_options *options) {
    source source;
    char *text = NULL;
    weft_context *context = NULL;
    weft_program *program = NULL;
    bool bound = source_open(&source, who, options->file, &options->source) && device_option_open(who, options->device, &context);
    if (bound && weft_assemble_source(source.text, &source.options, &text) != WEFT_OK) {
        fprintf(stderr, "%s: %s\n", who, weft_error_message());
        bound = false;
    }
    bound = bound && compile(who, &source, context, &program) && bind_program(who, options, &source, text, context, program);
    weft_program_release(program);
    weft_context_release(context);
    free(text);
    source_close(&source);
    return bound;
}

static bool parse(int argc, char **argv, bind_options *options) {
    static const struct option long_options[] = {
        {"output", required_argument, NULL, 'o'}, {"name", required_argument, NULL, 'n'},
        {"device", required_argument, NULL, 'd'}, {"depfile", required_argument, NULL, 'f'}, SOURCE_LONG_OPTIONS, {0}};
    for (int option; (option = getopt_long(argc, argv, "o:" SOURCE_SHORT_OPTIONS, long_options, NULL)) != -1;) {
        const char **value = option == 'o'   ? &options->output
                             : option == 'n' ? &options->name
                             : option == 'd' ? &options->device
                             : option == 'f' ? &options->dependencies
                                             : NULL;
        if (value) {
            *value = optarg;
        } else if (!source_options_take(&options->source, option, optarg)) {
            return false;
        }
    }
    const char *problem = optind == argc                                    ? "there is no file to bind"
                          : optind + 1 < argc                               ? "one file at a time"
                          : options->name && !is_identifier(options->name)  ? "--name is to be a C identifier"
                          : options->dependencies && !options->output       ? "--depfile is about the file that -o names"
                                                                            : NULL;
    if (problem) {
        fprintf(stderr, "%s: %s\n", argv[0], problem);
        return false;
    }
    options->file = argv[optind];
    return true;
}

static int run(int argc, char **argv) {
    bind_options options = {0};
    int status = EXIT_FAILURE;
    if (!source_options_new(&options.source, argc)) {
        perror(argv[0]);
    } else if (!parse(argc, argv, &options)) {
        status = EXIT_USAGE;
    } else {
        status = bind_source(argv[0], &options) ? EXIT_SUCCESS : EXIT_FAILURE;
    }
    source_options_free(&options.source);
    return status;
}

const command command_bind = {"bind", "bind FILE.cl [-o FILE.h] [--name PREFIX] [--depfile FILE] [--device API[:ID]] " SOURCE_USAGE,
                              "writes a header with the kernels as C functions", run};
