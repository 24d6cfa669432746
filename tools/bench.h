/* Benchmarks: OpenCL as an expert would call it and weft do the same work on one device in one process, turn
 * by turn, so that whatever disturbs the machine disturbs both. What counts is the ratio of the medians.
 */
#ifndef BENCH_H
#define BENCH_H

#include <CL/cl.h>
#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <weft/weft.h>

/* One device, opened twice. */
typedef struct bench_device {
    weft_device_info info;
    weft_context *context;
    cl_device_id cl_device;
    cl_context cl_context;
    cl_command_queue cl_queue;
} bench_device;

typedef struct bench {
    bench_device device;
    size_t repeat;  /* samples of each side */
    json_t *json;   /* collects the results; NULL: a table is printed instead */
    bool failed;    /* a case could not run */
} bench;

/* Each side does n operations, waits for their end, and stops at the first failure. A case is described by
 * nanoseconds for one operation, or, when an operation moves bytes, by GB/s. */
typedef struct bench_case {
    const char *name;
    size_t bytes; /* moved by one operation; 0: time it */
    void *user;
    cl_int (*raw)(void *user, size_t n);
    weft_status (*weft)(void *user, size_t n);
} bench_case;

/* Measures and reports a case. Returns how long the slower side takes for one operation, in nanoseconds; 0 on failure. */
double bench_run(bench *bench, const bench_case *measured);

/* Reports a case whose samples, bench->repeat of each side in nanoseconds, were taken some other way. Sorts them. */
void bench_report(bench *bench, const char *name, double *raw, double *weft);

/* Reports that a case is left out. */
void bench_skip(bench *bench, const char *name, const char *why);

/* Says on stderr what failed, and marks the benchmark as failed. what: a call, or what was being done. */
void bench_fail_raw(bench *bench, const char *what, cl_int code);
void bench_fail_weft(bench *bench, const char *what);

/* Opens the device that "api" or "api:id" names, the default device for NULL, through weft and directly.
 * false: it has said why. Close it in any case. */
bool bench_device_open(bench *bench, const char *name);
void bench_device_close(bench_device *device);

/* The benchmarks. */
void bench_launch(bench *bench);
void bench_copy(bench *bench);
void bench_compile(bench *bench);
void bench_kernels(bench *bench);
void bench_tensors(bench *bench);
void bench_order(bench *bench);

/* What a process that bench_compile has started does. */
void bench_compile_child(bench *bench, const char *what);

#endif
