/* weft check: whether kernels compile on the devices there are, and what the compilers make of them. */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <weft/weft.h>

#include "device_option.h"
#include "diagnostics.h"
#include "quiet.h"
#include "source.h"
#include "tool.h"

/* ---- What a build gives ---------------------------------------------------------------------------- */

static const char *const kinds[] = {"scalar", "value", "buffer", "shared", "unsupported"};
static const char *const spaces[] = {"private", "global", "constant", "local"};

static json_t *json_param(weft_function *function, size_t index) {
    weft_arg_info info;
    if (weft_function_arg_info(function, index, &info) != WEFT_OK) {
        return json_null();
    }
    return json_pack("{s:o, s:o, s:s, s:s, s:b, s:I, s:I}", "name", json_text(info.name), "type", json_text(info.type_name), "kind",
                     kinds[info.kind], "address_space", spaces[info.address_space], "const", info.is_const, "size_bytes",
                     (json_int_t)info.size_bytes, "alignment", (json_int_t)info.alignment);
}

static json_t *json_attribute(weft_function *function, weft_function_attribute attribute) {
    int64_t value;
    return weft_function_get_attribute(function, attribute, &value) == WEFT_OK ? json_integer(value) : json_null();
}

static json_t *json_kernel(weft_function *function) {
    json_t *params = json_array();
    for (size_t i = 0; i < weft_function_arg_count(function); i++) {
        json_array_append_new(params, json_param(function, i));
    }
    return json_pack("{s:s, s:o, s:o, s:o, s:o, s:[o, o, o]}", "name", weft_function_name(function), "parameters", params,
                     "local_bytes", json_attribute(function, WEFT_FUNCTION_SHARED_SIZE_BYTES), "private_bytes",
                     json_attribute(function, WEFT_FUNCTION_LOCAL_SIZE_BYTES), "max_block",
                     json_attribute(function, WEFT_FUNCTION_MAX_THREADS_PER_BLOCK), "required_block",
                     json_attribute(function, WEFT_FUNCTION_REQUIRED_BLOCK_X),
                     json_attribute(function, WEFT_FUNCTION_REQUIRED_BLOCK_Y),
                     json_attribute(function, WEFT_FUNCTION_REQUIRED_BLOCK_Z));
}

/* Compiles, and describes every kernel into kernels. */
static weft_status compile(const weft_device_info *device, const source *source, json_t *kernels, char **log) {
    weft_context *context = NULL;
    weft_program *program = NULL;
    const weft_context_options options = {.api = device->api, .device_id = device->id};
    weft_status status = weft_context_create(&options, &context);
    if (!status) {
        status = weft_compile_program(context, source->text, &source->options, &program);
        *log = strdup(status ? weft_last_build_log() : weft_program_build_log(program));
    }
    for (size_t i = 0; !status && i < weft_program_function_count(program); i++) {
        weft_function *function = NULL;
        status = weft_program_function(program, weft_program_function_name(program, i), &function);
        if (!status) {
            json_array_append_new(kernels, json_kernel(function));
        }
        weft_function_release(function);
    }
    weft_program_release(program);
    weft_context_release(context);
    return status;
}

/* One file on one device. */
static json_t *build(const char *path, const weft_device_info *device, const source *source) {
    char *log = NULL, *text = NULL;
    json_t *kernels = json_array();
    /* First, since it also forgets the log of an earlier failure. */
    weft_status status = weft_assemble_source(source->text, &source->options, &text);
    if (!status) {
        quiet hush = quiet_begin(); /* PoCL prints as well as logs */
        status = compile(device, source, kernels, &log);
        quiet_end(hush);
    }
    json_t *result =
        json_pack("{s:o, s:o, s:o, s:b, s:o, s:o, s:o, s:o}", "file", json_text(path), "device",
                  json_sprintf("%s:%d", device->api, device->id), "device_name", json_text(device->name), "compiles", !status, "error",
                  status ? json_text(weft_error_message()) : json_null(), "diagnostics",
                  log && text ? diagnostics_of(log, text) : json_array(), "log", json_text(log ? log : ""), "kernels", kernels);
    free(text);
    free(log);
    return result;
}

/* ---- As text --------------------------------------------------------------------------------------- */

static const char *text_of(const json_t *object, const char *key) {
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "?";
}

static long long number_of(const json_t *object, const char *key) {
    return (long long)json_integer_value(json_object_get(object, key));
}

/* "global const float *in" */
static void print_param(const json_t *param) {
    const char *space = text_of(param, "address_space"), *type = text_of(param, "type");
    size_t length = strcspn(type, "*");
    while (length && type[length - 1] == ' ') {
        length--;
    }
    bool is_private = !strcmp(space, "private");
    bool is_const = json_is_true(json_object_get(param, "const")) && !is_private && strcmp(space, "constant");
    printf("%s%s%s%.*s %s%s", is_private ? "" : space, is_private ? "" : " ", is_const ? "const " : "", (int)length, type,
           type + strcspn(type, "*"), text_of(param, "name"));
}

static void print_kernel(const json_t *kernel, int name_width) {
    size_t index;
    json_t *param;
    label local = label_bytes((size_t)number_of(kernel, "local_bytes")),
          private = label_bytes((size_t)number_of(kernel, "private_bytes"));
    printf("  %-*s  %9s  %9s  %9lld  ", name_width, text_of(kernel, "name"), local.text, private.text,
           number_of(kernel, "max_block"));
    json_array_foreach(json_object_get(kernel, "parameters"), index, param) {
        fputs(index ? ", " : "", stdout);
        print_param(param);
    }
    putchar('\n');
}

static void print_kernels(const json_t *kernels) {
    static const char title[] = "kernel";
    int width = sizeof title - 1;
    size_t index;
    json_t *kernel;
    json_array_foreach(kernels, index, kernel) {
        int length = (int)strlen(text_of(kernel, "name"));
        width = length > width ? length : width;
    }
    if (json_array_size(kernels)) {
        printf("  %-*s  %9s  %9s  %9s  %s\n", width, title, "local", "private", "max block", "parameters");
    }
    json_array_foreach(kernels, index, kernel) {
        print_kernel(kernel, width);
    }
}

static void print_build(const json_t *build) {
    size_t index, errors = 0;
    json_t *diagnostic;
    bool compiles = json_is_true(json_object_get(build, "compiles"));
    printf("%s %s for %s (%s)\n", text_of(build, "file"), compiles ? "compiles" : "does not compile", text_of(build, "device"),
           text_of(build, "device_name"));
    json_array_foreach(json_object_get(build, "diagnostics"), index, diagnostic) {
        diagnostics_print(diagnostic);
        errors += !strcmp(text_of(diagnostic, "severity"), "error");
    }
    if (!compiles && !errors) {
        printf("%s\n%s%s", text_of(build, "error"), text_of(build, "log"), *text_of(build, "log") ? "\n" : "");
    }
    print_kernels(json_object_get(build, "kernels"));
}

/* ---- The command ----------------------------------------------------------------------------------- */

/* Compiles every file for every device. false: something does not. */
static bool check_all(const char *who, char **paths, int n_paths, const source_options *options, const weft_device_info *devices,
                      size_t n_devices, json_t *builds) {
    bool all = true;
    for (int i = 0; i < n_paths; i++) {
        source source;
        bool is_open = source_open(&source, who, paths[i], options);
        for (size_t j = 0; is_open && j < n_devices; j++) {
            json_t *result = build(paths[i], &devices[j], &source);
            all = all && json_is_true(json_object_get(result, "compiles"));
            if (builds) {
                json_array_append_new(builds, result);
            } else {
                print_build(result);
                json_decref(result);
            }
        }
        all = all && is_open;
        source_close(&source);
    }
    return all;
}

static int check(int argc, char **argv, source_options *options) {
    static const struct option long_options[] = {
        {"device", required_argument, NULL, 'd'}, {"json", no_argument, NULL, 'j'}, SOURCE_LONG_OPTIONS, {0}};
    const char *device = NULL;
    bool json = false;
    for (int option; (option = getopt_long(argc, argv, SOURCE_SHORT_OPTIONS, long_options, NULL)) != -1;) {
        if (option == 'd') {
            device = optarg;
        } else if (option == 'j') {
            json = true;
        } else if (!source_options_take(options, option, optarg)) {
            return EXIT_USAGE;
        }
    }
    if (optind == argc) {
        fprintf(stderr, "%s: there is no file to check\n", argv[0]);
        return EXIT_USAGE;
    }
    weft_device_info *devices;
    size_t n_devices;
    if (!device_option_list(argv[0], device, &devices, &n_devices)) {
        return EXIT_FAILURE;
    }
    setenv("WEFT_CACHE", "0", 1); /* what the compiler says now, not what it said once */
    json_t *builds = json ? json_array() : NULL;
    bool all = check_all(argv[0], argv + optind, argc - optind, options, devices, n_devices, builds);
    bool printed = !json || json_print(builds);
    free(devices);
    return all && printed ? EXIT_SUCCESS : EXIT_FAILURE;
}

static int run(int argc, char **argv) {
    source_options options;
    int status = EXIT_FAILURE;
    if (source_options_new(&options, argc)) {
        status = check(argc, argv, &options);
    } else {
        perror(argv[0]);
    }
    source_options_free(&options);
    return status;
}

const command command_check = {"check", "check FILE.cl... [--device API[:ID]] [--json] " SOURCE_USAGE,
                               "compiles kernels for the devices there are, and shows what is wrong with them", run};
