/* weft run: what it prints. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "run.h"
#include "tool.h"

/* ---- Kernels --------------------------------------------------------------------------------------- */

static const char *space_prefix(const weft_arg_info *parameter) {
    switch (parameter->address_space) {
        case WEFT_SPACE_CONSTANT:
            return "constant ";
        case WEFT_SPACE_LOCAL:
            return "local ";
        default:
            return parameter->is_const ? "const " : "";
    }
}

bool report_kernel(weft_function *function, problem *problem) {
    printf("  %s(", weft_function_name(function));
    for (size_t i = 0; i < weft_function_arg_count(function); i++) {
        weft_arg_info parameter;
        if (weft_function_arg_info(function, i, &parameter)) {
            return problem_weft(problem);
        }
        printf("%s%s%s %s", i ? ", " : "", space_prefix(&parameter), parameter.type_name, parameter.name);
    }
    printf(")\n");
    return true;
}

/* ---- Before the launch ------------------------------------------------------------------------------ */

static void print_dim(const char *what, weft_dim dim) {
    printf(", %s %zu", what, dim.x);
    if (dim.y > 1 || dim.z > 1) {
        printf("x%zu", dim.y);
    }
    if (dim.z > 1) {
        printf("x%zu", dim.z);
    }
}

/* "float32 20x30" */
static void print_array(const npy *array) {
    printf("%s ", weft_dtype_name(array->dtype));
    for (size_t i = 0; i < array->rank; i++) {
        printf("%s%zu", i ? "x" : "", array->shape[i]);
    }
    printf("%s", array->rank ? "" : "scalar");
}

static void print_argument(const argument *argument) {
    if (!argument_is_buffer(argument)) {
        printf("%s", argument->text);
        return;
    }
    static const char *const roles[] = {[ROLE_IN] = "in", [ROLE_INOUT] = "inout", [ROLE_OUT] = "out"};
    printf("%s ", roles[argument->role]);
    print_array(&argument->array);
    if (argument->input) {
        printf(" from %s", argument->input);
    }
}

bool report_launch(weft_context *context, weft_function *function, const weft_launch *launch, const argument *arguments,
                   problem *problem) {
    printf("%s on %s:%d, %s", weft_function_name(function), weft_context_api(context), weft_context_id(context),
           weft_context_name(context));
    print_dim("grid", launch->grid_dim);
    print_dim("block", launch->block_dim);
    printf("\n");
    for (size_t i = 0; i < weft_function_arg_count(function); i++) {
        weft_arg_info parameter;
        if (weft_function_arg_info(function, i, &parameter)) {
            return problem_weft(problem);
        }
        printf("  %s%s %s: ", space_prefix(&parameter), parameter.type_name, parameter.name);
        print_argument(&arguments[i]);
        printf("\n");
    }
    fflush(stdout); /* the kernel may print too */
    return true;
}

/* ---- After it --------------------------------------------------------------------------------------- */

static int compare(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* What a run moves at least, if it uses all of its buffers. */
static size_t count_bytes(const argument *arguments, size_t n) {
    size_t bytes = 0;
    for (size_t i = 0; i < n; i++) {
        size_t times = arguments[i].role == ROLE_INOUT ? 2 : argument_is_buffer(&arguments[i]) ? 1 : 0;
        bytes += times * weft_device_buffer_size_bytes(arguments[i].buffer);
    }
    return bytes;
}

static label label_time(double ns) {
    static const char *const units[] = {"ns", "us", "ms", "s"};
    size_t unit = 0;
    for (; ns >= 1000 && unit < 3; unit++) {
        ns /= 1000;
    }
    label label;
    snprintf(label.text, sizeof label.text, "%.*f %s", ns < 10 ? 2 : ns < 100 ? 1 : 0, ns, units[unit]);
    return label;
}

void report_times(double *times, size_t n, const argument *arguments, size_t n_arguments) {
    qsort(times, n, sizeof *times, compare);
    double median = (times[(n - 1) / 2] + times[n / 2]) / 2;
    size_t bytes = count_bytes(arguments, n_arguments);
    if (n > 1) {
        printf("%zu runs after one to warm up: min %s, median %s", n, label_time(times[0]).text, label_time(median).text);
    } else {
        printf("first run: %s", label_time(median).text);
    }
    if (bytes) {
        printf(", %.2f GB/s over %s of buffers", (double)bytes / median, label_bytes(bytes).text);
    }
    printf("\n");
}

bool report_output(const argument *argument, const char *name, problem *problem) {
    printf("%s: ", name);
    if (weft_device_buffer_write_to(argument->buffer, stdout)) {
        return problem_weft(problem);
    }
    printf("\n");
    if (argument->result) {
        printf("%s is in %s\n", name, argument->result);
    }
    return true;
}
