/* weft run: one kernel of a source file, launched on arrays from files. */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "run.h"
#include "tool.h"

enum { SOURCE_MAX = 64 << 20 };

/* ---- What went wrong ------------------------------------------------------------------------------- */

static bool problem_set(problem *problem, int status, const char *format, va_list arguments) {
    problem->status = status;
    vsnprintf(problem->text, sizeof problem->text, format, arguments);
    return false;
}

bool problem_usage(problem *problem, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    problem_set(problem, EXIT_USAGE, format, arguments);
    va_end(arguments);
    return false;
}

bool problem_failure(problem *problem, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    problem_set(problem, EXIT_FAILURE, format, arguments);
    va_end(arguments);
    return false;
}

bool problem_weft(problem *problem) { return problem_failure(problem, "%s", weft_error_message()); }

/* Files and arguments may hold anything; a terminal should not get it. */
static void problem_print(problem *problem) {
    for (char *c = problem->text; *c; c++) {
        *c = (unsigned char)*c < ' ' || *c == 0x7F ? '?' : *c;
    }
    fflush(stdout);
    fprintf(stderr, "weft run: %s\n", problem->text);
}

/* ---- Compiling ------------------------------------------------------------------------------------- */

static bool read_source(const char *path, char **out, problem *problem) {
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat info;
    if (file < 0 || fstat(file, &info)) {
        problem_failure(problem, "%s: %s", path, strerror(errno));
    } else if (!S_ISREG(info.st_mode) || info.st_size > SOURCE_MAX) {
        problem_failure(problem, "%s is %s", path, S_ISREG(info.st_mode) ? "beyond the 64 MiB that a source has at most"
                                                   : S_ISDIR(info.st_mode) ? "a directory, not a file of kernels"
                                                                           : "a device or pipe, not a file of kernels");
    } else if ((*out = calloc(1, (size_t)info.st_size + 1)) == NULL) {
        problem_failure(problem, "out of memory");
    } else {
        ssize_t size = pread(file, *out, (size_t)info.st_size, 0);
        if (size != info.st_size) {
            problem_failure(problem, "%s: %s", path, size < 0 ? strerror(errno) : "it became shorter while it was read");
        } else if (size == 0) {
            problem_failure(problem, "%s is empty", path);
        } else if (strlen(*out) != (size_t)size) {
            problem_failure(problem, "%s is not text: it has NUL bytes", path);
        } else {
            close(file);
            return true;
        }
    }
    if (file >= 0) {
        close(file);
    }
    return false;
}

static bool compile(const request *request, weft_context *context, weft_program **out, problem *problem) {
    char *source = NULL;
    if (!read_source(request->source, &source, problem)) {
        free(source);
        return false;
    }
    weft_compile_options options = request->compile;
    options.source_name = request->source;
    weft_status status = weft_compile_program(context, source, &options, out);
    free(source);
    if (status == WEFT_ERROR_COMPILE_FAILED) {
        problem_failure(problem, "%s does not compile:", request->source);
        problem_print(problem);
        const char *log = weft_last_build_log();
        size_t length = strlen(log);
        fprintf(stderr, "%s%s", log, length > 0 && log[length - 1] == '\n' ? "" : "\n");
        problem->text[0] = '\0';
        return false;
    }
    if (status == WEFT_ERROR_INVALID_ARGUMENT) { /* an option's */
        return problem_usage(problem, "%s", weft_error_message());
    }
    return status == WEFT_OK || problem_weft(problem);
}

/* Lists the kernels on stdout, and asks for one. */
static bool list_kernels(const request *request, weft_program *program, problem *problem) {
    for (size_t i = 0; i < weft_program_function_count(program); i++) {
        weft_function *function;
        if (weft_program_function(program, weft_program_function_name(program, i), &function)) {
            return problem_weft(problem);
        }
        bool ok = report_kernel(function, problem);
        weft_function_release(function);
        if (!ok) {
            return false;
        }
    }
    return problem_usage(problem, "name a kernel of %s, with --grid and --block", request->source);
}

static bool choose_kernel(const request *request, weft_program *program, weft_function **out, problem *problem) {
    size_t n = weft_program_function_count(program);
    if (n == 0) {
        return problem_failure(problem, "%s has no kernels", request->source);
    }
    if (!request->kernel && (n > 1 || !request->launch.grid_dim.x || !request->launch.block_dim.x)) {
        return list_kernels(request, program, problem);
    }
    const char *name = request->kernel ? request->kernel : weft_program_function_name(program, 0);
    weft_status status = weft_program_function(program, name, out);
    if (status == WEFT_ERROR_FUNCTION_NOT_FOUND) {
        return problem_usage(problem, "%s", weft_error_message());
    }
    return status == WEFT_OK || problem_weft(problem);
}

/* ---- Launching ------------------------------------------------------------------------------------- */

static bool check_results(const request *request, problem *problem) {
    for (size_t i = 0; i < request->n_arguments; i++) {
        argument *argument = &request->arguments[i];
        if (argument->result && !buffer_check_result(argument, problem)) {
            return false;
        }
        for (size_t j = 0; argument->result && j < i; j++) {
            if (request->arguments[j].result && !strcmp(request->arguments[j].target, argument->target)) {
                return problem_usage(problem, "arguments %zu and %zu both write %s", j, i, argument->result);
            }
        }
    }
    return true;
}

static bool check_arguments(const request *request, weft_function *function, problem *problem) {
    size_t wanted = weft_function_arg_count(function);
    for (size_t i = 0; i < wanted && i < request->n_arguments; i++) {
        weft_arg_info parameter;
        if (weft_function_arg_info(function, i, &parameter)) {
            return problem_weft(problem);
        }
        if (wanted == request->n_arguments && !argument_check(&request->arguments[i], i, &parameter, problem)) {
            return false;
        }
    }
    if (wanted != request->n_arguments) {
        weft_arg_info missing = {.name = "", .type_name = ""};
        bool few = request->n_arguments < wanted && weft_function_arg_info(function, request->n_arguments, &missing) == WEFT_OK;
        return problem_usage(problem, "%s takes %zu arguments, not %zu: %s%s%s%s", weft_function_name(function), wanted, request->n_arguments,
                             few ? "the next is " : "there are too many", missing.type_name, few ? " " : "", missing.name);
    }
    return true;
}

static bool load(const request *request, weft_function *function, weft_context *context, problem *problem) {
    for (size_t i = 0; i < request->n_arguments; i++) {
        argument *argument = &request->arguments[i];
        weft_arg_info parameter;
        if (weft_function_arg_info(function, i, &parameter)) {
            return problem_weft(problem);
        }
        bool changes = request->repeat > 1 && !parameter.is_const && parameter.address_space == WEFT_SPACE_GLOBAL;
        if (argument_is_buffer(argument) && !buffer_load(argument, context, changes, problem)) {
            return false;
        }
    }
    return true;
}

static double now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static bool launch_once(const request *request, weft_function *function, weft_context *context, const weft_arg *args, double *out_ns,
                        problem *problem) {
    for (size_t i = 0; i < request->n_arguments; i++) {
        const argument *argument = &request->arguments[i];
        if (argument_is_buffer(argument) && !buffer_restore(argument, context, problem)) {
            return false;
        }
    }
    if (weft_synchronize(context)) {
        return problem_weft(problem);
    }
    double start = now_ns();
    weft_status status = weft_enqueue_function_args(context, function, &request->launch, args, request->n_arguments);
    status = status ? status : weft_synchronize(context);
    *out_ns = now_ns() - start;
    return status == WEFT_OK || problem_weft(problem);
}

static bool launch(const request *request, weft_function *function, weft_context *context, problem *problem) {
    double *times = calloc(request->repeat, sizeof *times);
    weft_arg *args = calloc(request->n_arguments + 1, sizeof *args);
    bool ok = (times && args) || problem_failure(problem, "out of memory");
    for (size_t i = 0; ok && i < request->n_arguments; i++) {
        args[i] = argument_pass(&request->arguments[i]);
    }
    if (ok && request->repeat > 1) {
        ok = launch_once(request, function, context, args, &times[0], problem);
    }
    for (size_t i = 0; ok && i < request->repeat; i++) {
        ok = launch_once(request, function, context, args, &times[i], problem);
    }
    if (ok) {
        report_times(times, request->repeat, request->arguments, request->n_arguments);
    }
    free(times);
    free(args);
    return ok;
}

static bool finish(const request *request, weft_function *function, weft_context *context, problem *problem) {
    for (size_t i = 0; i < request->n_arguments; i++) {
        const argument *argument = &request->arguments[i];
        weft_arg_info parameter;
        if (weft_function_arg_info(function, i, &parameter)) {
            return problem_weft(problem);
        }
        if (argument->result && !buffer_store(argument, context, problem)) {
            return false;
        }
        if ((argument->role == ROLE_OUT || argument->role == ROLE_INOUT) && !report_output(argument, parameter.name, problem)) {
            return false;
        }
    }
    return true;
}

/* ---- The command ----------------------------------------------------------------------------------- */

/* What can be refused without a device is refused first. */
static bool open_inputs(const request *request, problem *problem) {
    if (request->kernel && !(request->launch.grid_dim.x && request->launch.block_dim.x)) {
        return problem_usage(problem, "--%s is missing", request->launch.grid_dim.x ? "block" : "grid");
    }
    for (size_t i = 0; i < request->n_arguments; i++) {
        argument *argument = &request->arguments[i];
        if (argument->input && !buffer_open(argument, problem)) {
            return false;
        }
    }
    return check_results(request, problem);
}

static bool execute(const request *request, problem *problem) {
    weft_context *context = NULL;
    weft_program *program = NULL;
    weft_function *function = NULL;
    const weft_context_options device = {.api = request->api, .device_id = request->device_id};
    bool ok = open_inputs(request, problem) && (weft_context_create(&device, &context) == WEFT_OK || problem_weft(problem)) &&
              compile(request, context, &program, problem) && choose_kernel(request, program, &function, problem) &&
              check_arguments(request, function, problem) && load(request, function, context, problem) &&
              report_launch(context, function, &request->launch, request->arguments, problem) &&
              launch(request, function, context, problem) && finish(request, function, context, problem);
    weft_function_release(function);
    weft_program_release(program);
    weft_context_release(context);
    return ok;
}

static int run(int argc, char **argv) {
    request request = {0};
    problem problem = {.status = EXIT_SUCCESS};
    bool ok = request_parse(argc, argv, &request, &problem);
    if (ok && request.help) {
        printf("%s", run_help);
    } else if (ok) {
        ok = execute(&request, &problem);
    }
    if (!ok && *problem.text) {
        problem_print(&problem);
    }
    request_free(&request);
    return ok ? EXIT_SUCCESS : problem.status == EXIT_USAGE ? EXIT_MISTAKE : problem.status;
}

const command command_run = {"run", "run FILE.cl [KERNEL] --grid G --block B [OPTION]... ARG...",
                             "launches a kernel of a file on arrays from .npy files; weft run --help", run};
