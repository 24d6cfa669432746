/* weft bench compile: from the source to the first result, in a process that has compiled nothing yet.
 *
 * Each sample is a child process, this program again, which reports nanoseconds. The contexts are open when the clock
 * starts. Folders of drivers' caches and of weft's are this benchmark's own.
 */
#include "bench.h"

#include <ftw.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

static const char source[] =
    "#define TILE 16\n"
    "float weigh(float x, int k) { return x / (1.0f + 0.25f * (float)(k * k)); }\n"
    "kernel void smooth(global const float *in, global float *out, int n, float factor) {\n"
    "    local float tile[TILE + 2];\n"
    "    int i = (int)get_global_id(0), t = (int)get_local_id(0) + 1;\n"
    "    tile[t] = i < n ? in[i] : 0.0f;\n"
    "    if (t == 1) tile[0] = i > 0 ? in[i - 1] : 0.0f;\n"
    "    if (t == TILE) tile[TILE + 1] = i + 1 < n ? in[i + 1] : 0.0f;\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    float sum = 0.0f;\n"
    "    for (int k = -1; k <= 1; k++) sum += weigh(tile[t + k], k);\n"
    "    if (i < n) out[i] = factor * sum;\n"
    "}\n";

enum { N = 256, BLOCK = 16, PATH_BYTES = 256 };

static double now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

/* ---- The child ----------------------------------------------------------------------------------------- */

/* The program from its binary in a file, or from source, whose binary then goes to the file, if one is named. */
static cl_int raw_program(const bench_device *device, const char *file, bool load, cl_program *out) {
    static unsigned char bytes[16 << 20];
    const unsigned char *binary = bytes;
    const char *text = source;
    size_t size = 0;
    cl_int code;
    if (load) {
        FILE *stream = fopen(file, "rb");
        size = stream ? fread(bytes, 1, sizeof bytes, stream) : 0;
        if (stream) {
            fclose(stream);
        }
        *out = clCreateProgramWithBinary(device->cl_context, 1, &device->cl_device, &size, &binary, NULL, &code);
    } else {
        *out = clCreateProgramWithSource(device->cl_context, 1, &text, NULL, &code);
    }
    return code ? code : clBuildProgram(*out, 1, &device->cl_device, "", NULL, NULL);
}

/* What the driver gives after a launch, which is when PoCL's is complete. */
static bool save_binary(cl_program program, const char *file) {
    size_t size = 0;
    clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, NULL);
    unsigned char *binary = malloc(size + 1);
    FILE *stream = fopen(file, "wb");
    bool saved = binary && stream && size &&
                 clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof binary, &binary, NULL) == CL_SUCCESS &&
                 fwrite(binary, 1, size, stream) == size;
    free(binary);
    return stream && fclose(stream) == 0 && saved;
}

static cl_int raw_child(const bench_device *device, const char *file, bool load) {
    const size_t global = N, local = BLOCK;
    const cl_int n = N;
    const cl_float factor = 2;
    float in[N] = {1}, out[N];
    cl_program program = NULL;
    cl_int code = CL_SUCCESS;
    cl_mem buffers[2] = {clCreateBuffer(device->cl_context, CL_MEM_COPY_HOST_PTR, sizeof in, in, NULL),
                         clCreateBuffer(device->cl_context, CL_MEM_READ_WRITE, sizeof out, NULL, NULL)};
    double start = now_ns();
    code = raw_program(device, file, load, &program);
    cl_kernel kernel = code ? NULL : clCreateKernel(program, "smooth", &code);
    code = code ? code : clSetKernelArg(kernel, 0, sizeof buffers[0], &buffers[0]);
    code = code ? code : clSetKernelArg(kernel, 1, sizeof buffers[1], &buffers[1]);
    code = code ? code : clSetKernelArg(kernel, 2, sizeof n, &n);
    code = code ? code : clSetKernelArg(kernel, 3, sizeof factor, &factor);
    code = code ? code : clEnqueueNDRangeKernel(device->cl_queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL);
    code = code ? code : clEnqueueReadBuffer(device->cl_queue, buffers[1], CL_TRUE, 0, sizeof out, out, 0, NULL, NULL);
    printf("%.0f\n", now_ns() - start);
    if (!code && file && !load && !save_binary(program, file)) {
        code = CL_INVALID_PROGRAM_EXECUTABLE;
    }
    return code;
}

static weft_status weft_child(const bench_device *device) {
    weft_context *context = device->context;
    weft_device_buffer *in = NULL, *out = NULL;
    weft_function *smooth = NULL;
    float data[N] = {1};
    weft_status status = weft_enqueue_create_buffer(context, WEFT_FLOAT32, N, &in);
    status = status ? status : weft_enqueue_create_buffer(context, WEFT_FLOAT32, N, &out);
    status = status ? status : weft_enqueue_copy(context, in, data);
    status = status ? status : weft_synchronize(context);
    double start = now_ns();
    status = status ? status : weft_compile_function(context, source, "smooth", NULL, &smooth);
    status = status ? status : weft_enqueue_function(context, smooth, N / BLOCK, BLOCK, in, out, N, 2.0f);
    status = status ? status : weft_enqueue_copy(context, data, out);
    status = status ? status : weft_synchronize(context);
    printf("%.0f\n", now_ns() - start);
    return status;
}

void bench_compile_child(bench *bench, const char *what) {
    const char *file = strchr(what, ':');
    cl_int code = CL_SUCCESS;
    if (strcmp(what, "weft") != 0) {
        code = raw_child(&bench->device, file ? file + 1 : NULL, strncmp(what, "binary", 6) == 0);
    } else if (weft_child(&bench->device)) {
        bench_fail_weft(bench, "compiling");
    }
    if (code) {
        bench_fail_raw(bench, "compiling", code);
    }
}

/* ---- The parent ---------------------------------------------------------------------------------------- */

typedef struct workplace {
    char root[64], driver[PATH_BYTES], cache[PATH_BYTES], binary[PATH_BYTES], device[64];
} workplace;

static int remove_entry(const char *path, const struct stat *info, int kind, struct FTW *place) {
    (void)info, (void)kind, (void)place;
    return remove(path);
}

static void empty(const char *folder) {
    nftw(folder, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
    mkdir(folder, 0700);
}

/* One sample, in nanoseconds; 0 when the child fails. */
static double run_child(const workplace *place, const char *what) {
    char option[PATH_BYTES + 64], device[96], line[64] = "";
    char *arguments[] = {(char *)(uintptr_t)"weft", (char *)(uintptr_t)"bench", (char *)(uintptr_t)"compile", option, device, NULL};
    int ends[2], status = -1;
    pid_t child;
    snprintf(option, sizeof option, "--child=%s", what);
    snprintf(device, sizeof device, "--device=%s", place->device);
    if (pipe(ends)) {
        return 0;
    }
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_addclose(&actions, ends[0]);
    bool started = posix_spawn(&child, "/proc/self/exe", &actions, NULL, arguments, environ) == 0;
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    FILE *stream = fdopen(ends[0], "r");
    bool said = started && stream && fgets(line, sizeof line, stream);
    if (stream) {
        fclose(stream);
    } else {
        close(ends[0]);
    }
    bool ended = started && waitpid(child, &status, 0) == child && status == 0;
    return said && ended ? strtod(line, NULL) : 0;
}

typedef struct compile_case {
    const char *name, *raw; /* what the raw side does: "source", or "binary" */
    bool driver_cold, weft_cold;
} compile_case;

static void run_case(bench *bench, const workplace *place, const compile_case *c) {
    double *samples = calloc(2 * bench->repeat, sizeof *samples), *weft = samples + bench->repeat;
    char binary[PATH_BYTES + 16];
    bool ok = samples;
    snprintf(binary, sizeof binary, "binary:%s", place->binary);
    for (size_t i = 0; ok && i < bench->repeat; i++) {
        for (int side = 0; ok && side < 2; side++) {
            if (c->driver_cold) {
                empty(place->driver);
            }
            if (side && c->weft_cold) {
                empty(place->cache);
            }
            double *out = side ? &weft[i] : &samples[i];
            *out = run_child(place, side ? "weft" : strcmp(c->raw, "binary") == 0 ? binary : c->raw);
            ok = *out > 0;
        }
    }
    if (ok) {
        bench_report(bench, c->name, samples, weft);
    } else {
        bench_fail_raw(bench, c->name, CL_INVALID_PROGRAM);
    }
    free(samples);
}

void bench_compile(bench *bench) {
    static const compile_case cases[] = {
        {"second process", "source", false, false},
        {"second process, driver's cache cold", "source", true, false},
        {"second process, raw from a binary", "binary", false, false},
        {"first process", "source", true, true},
    };
    workplace place = {.root = "/tmp/weft-bench-XXXXXX"};
    char save[PATH_BYTES + 16];
    if (!mkdtemp(place.root)) {
        perror("weft bench: a folder in /tmp");
        bench->failed = true;
        return;
    }
    snprintf(place.driver, sizeof place.driver, "%s/driver", place.root);
    snprintf(place.cache, sizeof place.cache, "%s/weft", place.root);
    snprintf(place.binary, sizeof place.binary, "%s/binary", place.root);
    snprintf(place.device, sizeof place.device, "%.48s:%d", bench->device.info.api, bench->device.info.id);
    snprintf(save, sizeof save, "source:%s", place.binary);
    setenv("WEFT_CACHE_DIR", place.cache, 1);
    unsetenv("WEFT_CACHE");
    setenv("POCL_CACHE_DIR", place.driver, 1);
    setenv("CUDA_CACHE_PATH", place.driver, 1);
    setenv("MESA_SHADER_CACHE_DIR", place.driver, 1);
    empty(place.driver);
    if (run_child(&place, save) > 0 && run_child(&place, "weft") > 0) { /* the first process */
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
            run_case(bench, &place, &cases[i]);
        }
    } else {
        bench_fail_raw(bench, "the first compilation", CL_INVALID_PROGRAM);
    }
    nftw(place.root, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}
