/* weft run: the command line. */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "run.h"

enum { REPEAT_MAX = 1000000 };

const char run_help[] =
    "usage: weft run FILE.cl [KERNEL] --grid G --block B [OPTION]... ARG...\n"
    "\n"
    "Compiles FILE.cl and launches KERNEL over G blocks of B threads, each 4, 4x2 or 4x2x1. Shows the launch, the time\n"
    "and what came out. KERNEL may be left out when there is one; with FILE.cl alone, the kernels are listed.\n"
    "\n"
    "One ARG for each of the kernel's parameters, in order:\n"
    "  in:x.npy               a buffer with the file's array\n"
    "  inout:x.npy[:y.npy]    the same, shown afterwards and written to y.npy\n"
    "  out:f32:20x30[:y.npy]  a buffer of zeros, shown afterwards and written to y.npy\n"
    "  20, -1.5, 1,2,3,4      a number or vector of the parameter's type\n"
    "  f32:20, float4:1,2,3,4 the same with its type\n"
    "  struct:f32:1,i32:2,3   a struct by its members; a type holds until the next one\n"
    "  hex:0102ff             a vector or struct by its bytes in memory\n"
    "  shared:4096            bytes of local memory\n"
    "  null                   no buffer\n"
    "Types are i8 to i64, u8 to u64, f16, bf16, f32, f64 and OpenCL's char to double16. raw:f32:x.bin in place of x.npy\n"
    "is a file of elements without a header. A result whose name does not end in .npy is written so.\n"
    "\n"
    "options:\n"
    "  --device API[:ID]      where, as weft devices lists them; else WEFT_DEVICE, else the first\n"
    "  --repeat N             one run to warm up and N that are timed, each on the same input\n"
    "  -I DIR                 searches DIR for includes\n"
    "  -D NAME[=VALUE]        defines a macro\n"
    "  --cl-std CL3.0         the version of OpenCL C\n"
    "  --fast-math            -cl-fast-relaxed-math\n"
    "  --build-options TEXT   more for the driver's compiler\n"
    "\n"
    "Times are the host's, from the launch until it has ended. GB/s count each buffer once, an inout twice.\n"
    "Exit status: 0, 1 when something failed, 2 when the command line is wrong.\n";

/* Room for a list of as many entries as the command line has words. */
static bool request_init(request *request, size_t words, problem *problem) {
    request->repeat = 1;
    request->includes = calloc(words, sizeof *request->includes);
    request->defines = calloc(words, sizeof *request->defines);
    request->arguments = calloc(words, sizeof *request->arguments);
    request->compile.include_dirs = request->includes;
    request->compile.defines = request->defines;
    return (request->includes && request->defines && request->arguments) || problem_failure(problem, "out of memory");
}

void request_free(request *request) {
    for (size_t i = 0; i < request->n_arguments; i++) {
        argument_free(&request->arguments[i]);
    }
    free(request->arguments);
    free(request->includes);
    free(request->defines);
}

/* Decimal digits from *text on, which moves behind them. */
static bool parse_count(const char **text, size_t *out) {
    char *end;
    errno = 0;
    unsigned long long count = strtoull(*text, &end, 10);
    bool ok = **text >= '0' && **text <= '9' && !errno && count <= SIZE_MAX;
    *out = (size_t)count;
    *text = end;
    return ok;
}

static bool parse_dim(const char *option, const char *text, weft_dim *out, problem *problem) {
    size_t sizes[3] = {1, 1, 1}, n = 0;
    const char *at = text;
    bool ok;
    do {
        ok = parse_count(&at, &sizes[n]) && sizes[n] > 0;
        n++;
    } while (ok && n < 3 && (*at == 'x' || *at == ',') && at++);
    *out = (weft_dim){sizes[0], sizes[1], sizes[2]};
    return (ok && !*at) || problem_usage(problem, "--%s takes 4, 4x2 or 4x2x1, each at least 1, not \"%s\"", option, text);
}

static bool parse_device(const char *text, request *out, problem *problem) {
    size_t length = strcspn(text, ":"), id = 0;
    const char *at = text + length;
    bool ok = length > 0 && length < sizeof out->api_text;
    if (ok && *at) {
        at++;
        ok = parse_count(&at, &id) && !*at && id < 10000;
    }
    if (!ok) {
        return problem_usage(problem, "--device takes nvidia, pocl:1 or another that weft devices lists, not \"%s\"", text);
    }
    memcpy(out->api_text, text, length);
    out->api = out->api_text;
    out->device_id = (int)id;
    return true;
}

static bool parse_repeat(const char *text, size_t *out, problem *problem) {
    const char *at = text;
    return (parse_count(&at, out) && !*at && *out >= 1 && *out <= REPEAT_MAX) ||
           problem_usage(problem, "--repeat takes 1 to %d, not \"%s\"", REPEAT_MAX, text);
}

/* A kernel's name, where an argument could also be. */
static bool is_name(const char *text) {
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789";
    static const char *const values[] = {"null", "nan", "inf", "infinity", "NaN", "NAN", "INF"};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        if (!strcmp(text, values[i])) {
            return false;
        }
    }
    return *text && !strchr("0123456789", *text) && !text[strspn(text, letters)];
}

static bool parse_word(const char *text, request *out, problem *problem) {
    if (!out->source) {
        out->source = text;
    } else if (!out->kernel && out->n_arguments == 0 && is_name(text)) {
        out->kernel = text;
    } else {
        return argument_parse(text, &out->arguments[out->n_arguments++], problem);
    }
    return true;
}

static const struct option options[] = {
    {"grid", required_argument, NULL, 'g'},   {"block", required_argument, NULL, 'b'},  {"device", required_argument, NULL, 'd'},
    {"repeat", required_argument, NULL, 'r'}, {"cl-std", required_argument, NULL, 's'}, {"fast-math", no_argument, NULL, 'f'},
    {"help", no_argument, NULL, 'h'},         {"build-options", required_argument, NULL, 'o'}, {0}};

static bool parse_option(int option, request *out, problem *problem) {
    switch (option) {
        case 1:
            return parse_word(optarg, out, problem);
        case 'g':
            return parse_dim("grid", optarg, &out->launch.grid_dim, problem);
        case 'b':
            return parse_dim("block", optarg, &out->launch.block_dim, problem);
        case 'd':
            return parse_device(optarg, out, problem);
        case 'r':
            return parse_repeat(optarg, &out->repeat, problem);
        case 'I':
            out->includes[out->compile.n_include_dirs++] = optarg;
            return true;
        case 'D':
            out->defines[out->compile.n_defines++] = optarg;
            return true;
        case 's':
            out->compile.cl_std = optarg;
            return true;
        case 'o':
            out->compile.extra = optarg;
            return true;
        case 'f':
            out->compile.fast_math = true;
            return true;
        case 'h':
            out->help = true;
            return true;
        default:
            return problem_usage(problem, "%s", ""); /* getopt has said it */
    }
}

/* "-5" is an argument, not an option. */
static bool is_negative_number(const char *text) {
    return text[0] == '-' && (strchr("0123456789.", text[1]) ? text[1] : !strncmp(text + 1, "inf", 3));
}

bool request_parse(int argc, char **argv, request *out, problem *problem) {
    bool ok = request_init(out, (size_t)argc, problem);
    for (int option = 0; ok && !out->help && optind < argc && option != -1;) {
        if (is_negative_number(argv[optind])) {
            ok = parse_word(argv[optind++], out, problem);
        } else if ((option = getopt_long(argc, argv, "-I:D:", options, NULL)) != -1) {
            ok = parse_option(option, out, problem);
        }
    }
    for (; ok && !out->help && optind < argc; optind++) { /* behind -- */
        ok = parse_word(argv[optind], out, problem);
    }
    return ok && (out->source || out->help || problem_usage(problem, "name a file of kernels; weft run --help says more"));
}
