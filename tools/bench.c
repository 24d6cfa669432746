/* weft bench: options, measuring and reporting. */
#include "bench.h"

#include <getopt.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tool.h"

#define MILLISECONDS 1e6
/* A sample is long enough for clock and scheduler to vanish in it, and short enough for an emulator to end. */
#define SAMPLE_NS (20 * MILLISECONDS)
#define LONG_SAMPLE_NS (200 * MILLISECONDS)

enum { DEFAULT_REPEAT = 9, MAX_REPEAT = 1000 };

/* ---- Failures -------------------------------------------------------------------------------------- */

void bench_fail_raw(bench *bench, const char *what, cl_int code) {
    fprintf(stderr, "weft bench: %s: OpenCL error %d\n", what, code);
    bench->failed = true;
}

void bench_fail_weft(bench *bench, const char *what) {
    fprintf(stderr, "weft bench: %s: %s\n", what, weft_error_message());
    bench->failed = true;
}

/* ---- Measuring ------------------------------------------------------------------------------------- */

typedef enum side { RAW, WEFT, N_SIDES } side;

static double now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

/* Runs n operations of one side. false: that failed and was reported. */
static bool sample(bench *bench, const bench_case *c, side side, size_t n, double *out_ns) {
    double start = now_ns();
    cl_int code = side == RAW ? c->raw(c->user, n) : CL_SUCCESS;
    weft_status status = side == WEFT ? c->weft(c->user, n) : WEFT_OK;
    *out_ns = now_ns() - start;
    if (code) {
        bench_fail_raw(bench, c->name, code);
    } else if (status) {
        bench_fail_weft(bench, c->name);
    }
    return !code && !status;
}

/* Finds how many operations make a sample: as many as the faster side needs to fill one, unless the slower
 * side then takes too long. 0 on failure. */
static size_t calibrate(bench *bench, const bench_case *c) {
    double raw, weft;
    /* Drivers compile, allocate and grow when something is done for the first time. */
    if (!sample(bench, c, RAW, 1, &raw) || !sample(bench, c, WEFT, 1, &weft)) {
        return 0;
    }
    for (size_t n = 1;; n *= 2) {
        if (!sample(bench, c, RAW, n, &raw) || !sample(bench, c, WEFT, n, &weft)) {
            return 0;
        }
        double faster = raw < weft ? raw : weft, slower = raw < weft ? weft : raw;
        if (faster >= SAMPLE_NS || slower >= LONG_SAMPLE_NS) {
            return n;
        }
    }
}

static int compare(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Of sorted samples. */
static double median(const double *samples, size_t n) {
    return (samples[(n - 1) / 2] + samples[n / 2]) / 2;
}

/* How far the middle half of sorted samples spreads, as a part of the median. */
static double spread(const double *samples, size_t n) {
    return (samples[n - 1 - n / 4] - samples[n / 4]) / median(samples, n);
}

/* ---- Reporting ------------------------------------------------------------------------------------- */

static json_t *json_samples(const double *samples, size_t n) {
    json_t *list = json_array();
    for (size_t i = 0; i < n; i++) {
        json_array_append_new(list, json_real(samples[i]));
    }
    return list;
}

static void json_add(bench *bench, json_t *result) {
    json_array_append_new(json_object_get(bench->json, "cases"), result);
}

/* n operations made each sample; samples are of one operation, in nanoseconds, sorted. */
static void report(bench *bench, const bench_case *c, size_t n, double *samples[N_SIDES]) {
    bool is_rate = c->bytes;
    double raw = median(samples[RAW], bench->repeat), weft = median(samples[WEFT], bench->repeat);
    if (is_rate) {
        raw = (double)c->bytes / raw;
        weft = (double)c->bytes / weft;
    }
    const char *unit = is_rate ? "GB/s" : "ns";
    if (bench->json) {
        json_add(bench, json_pack("{s:s, s:s, s:I, s:f, s:f, s:f, s:o, s:o}", "name", c->name, "unit", unit, "operations",
                                  (json_int_t)n, "raw", raw, "weft", weft, "weft_over_raw", weft / raw, "raw_samples_ns",
                                  json_samples(samples[RAW], bench->repeat), "weft_samples_ns",
                                  json_samples(samples[WEFT], bench->repeat)));
        return;
    }
    bool is_long = !is_rate && raw >= 10 * MILLISECONDS;
    int digits = is_rate || is_long ? 2 : 1;
    if (is_long) {
        raw /= MILLISECONDS;
        weft /= MILLISECONDS;
        unit = "ms";
    }
    printf("%-38s %12.*f %12.*f %-4s %8.3f x the %s %5.0f%% %5.0f%%\n", c->name, digits, raw, digits, weft, unit, weft / raw,
           is_rate ? "rate" : "time", 100 * spread(samples[RAW], bench->repeat), 100 * spread(samples[WEFT], bench->repeat));
    fflush(stdout);
}

void bench_skip(bench *bench, const char *name, const char *why) {
    if (bench->json) {
        json_add(bench, json_pack("{s:s, s:s}", "name", name, "skipped", why));
    } else {
        printf("%-38s skipped: %s\n", name, why);
    }
}

void bench_report(bench *bench, const char *name, double *raw, double *weft) {
    double *samples[N_SIDES] = {raw, weft};
    for (side side = RAW; side < N_SIDES; side++) {
        qsort(samples[side], bench->repeat, sizeof(double), compare);
    }
    report(bench, &(bench_case){.name = name}, 1, samples);
}

double bench_run(bench *bench, const bench_case *c) {
    double *memory = calloc(N_SIDES * bench->repeat, sizeof *memory);
    if (!memory) {
        bench_fail_raw(bench, c->name, CL_OUT_OF_HOST_MEMORY);
        return 0;
    }
    double *samples[N_SIDES] = {memory, memory + bench->repeat};
    double slower = 0;
    size_t n = calibrate(bench, c);
    bool ok = n;
    for (size_t i = 0; ok && i < bench->repeat; i++) {
        for (side side = RAW; ok && side < N_SIDES; side++) {
            ok = sample(bench, c, side, n, &samples[side][i]);
            samples[side][i] /= (double)n;
        }
    }
    if (ok) {
        for (side side = RAW; side < N_SIDES; side++) {
            qsort(samples[side], bench->repeat, sizeof(double), compare);
            double ns = median(samples[side], bench->repeat);
            slower = ns > slower ? ns : slower;
        }
        report(bench, c, n, samples);
    }
    free(memory);
    return slower;
}

/* ---- The command ----------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    void (*run)(bench *bench);
} suites[] = {{"launch", bench_launch}, {"copy", bench_copy}, {"compile", bench_compile}, {"kernels", bench_kernels},
            {"tensors", bench_tensors}, {"order", bench_order}};
enum { N_SUITES = sizeof suites / sizeof *suites };

static size_t suite_find(const char *name) {
    size_t i = 0;
    while (i < N_SUITES && strcmp(name, suites[i].name)) {
        i++;
    }
    return i;
}

static bool parse_repeat(const char *text, size_t *out) {
    char *end;
    long repeat = strtol(text, &end, 10);
    *out = (size_t)repeat;
    return end != text && !*end && repeat > 0 && repeat <= MAX_REPEAT;
}

static void introduce(const bench *bench, const char *suite) {
    const weft_device_info *info = &bench->device.info;
    if (bench->json) {
        return;
    }
    printf("%s on %s:%d, %s (%s, driver %s), weft %s\n", suite, info->api, info->id, info->name, info->platform,
           info->driver_version, weft_version());
    printf("medians of %zu samples of each side, taken in turn; spread: of the middle half of them\n\n", bench->repeat);
    printf("%-38s %12s %12s %-4s %19s %13s\n", "", "OpenCL", "weft", "", "weft is at", "spread");
}

static int run_suite(bench *bench, size_t suite, const char *device, bool json) {
    if (!bench_device_open(bench, device)) {
        bench_device_close(&bench->device);
        return EXIT_FAILURE;
    }
    const weft_device_info *info = &bench->device.info;
    if (json) {
        bench->json = json_pack("{s:s, s:s, s:{s:s, s:i, s:s, s:s, s:s}, s:I, s:[]}", "benchmark", suites[suite].name,
                                "weft", weft_version(), "device", "api", info->api, "id", info->id, "name", info->name,
                                "platform", info->platform, "driver_version", info->driver_version, "repeat",
                                (json_int_t)bench->repeat, "cases");
    }
    introduce(bench, suites[suite].name);
    suites[suite].run(bench);
    bench_device_close(&bench->device);
    bool printed = !json || json_print(bench->json);
    return printed && !bench->failed ? EXIT_SUCCESS : EXIT_FAILURE;
}

static int run_child(bench *bench, const char *device, const char *what) {
    if (bench_device_open(bench, device)) {
        bench_compile_child(bench, what);
    }
    bench_device_close(&bench->device);
    return bench->failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

static int run(int argc, char **argv) {
    static const struct option options[] = {{"json", no_argument, NULL, 'j'},
                                            {"device", required_argument, NULL, 'd'},
                                            {"repeat", required_argument, NULL, 'r'},
                                            {"child", required_argument, NULL, 'c'}, /* not for users */
                                            {0}};
    bench bench = {.repeat = DEFAULT_REPEAT};
    const char *device = NULL, *child = NULL;
    bool json = false;
    for (int option; (option = getopt_long(argc, argv, "", options, NULL)) != -1;) {
        if (option == 'j') {
            json = true;
        } else if (option == 'd') {
            device = optarg;
        } else if (option == 'c') {
            child = optarg;
        } else if (option == '?') {
            return EXIT_USAGE;
        } else if (!parse_repeat(optarg, &bench.repeat)) {
            fprintf(stderr, "%s: --repeat takes 1 to %d, not \"%s\"\n", argv[0], MAX_REPEAT, optarg);
            return EXIT_USAGE;
        }
    }
    size_t suite = optind + 1 == argc ? suite_find(argv[optind]) : N_SUITES;
    if (suite == N_SUITES) {
        fprintf(stderr, "%s: name one benchmark: launch, copy, compile, kernels, tensors or order\n", argv[0]);
        return EXIT_USAGE;
    }
    return child ? run_child(&bench, device, child) : run_suite(&bench, suite, device, json);
}

const command command_bench = {"bench", "bench launch|copy|compile|kernels|tensors|order [--json] [--device api[:id]] [--repeat N]",
                               "measures weft against the same work in plain OpenCL", run};
