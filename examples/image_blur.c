/* image_blur: a Gaussian blur of a PNG picture with a two-dimensional grid and shared memory.
 *
 *     image_blur [IN.png [OUT.png [RADIUS]]]
 *
 * Compiles image_blur.cl for the radius asked for, blurs the picture on the device, compares the result
 * with the same blur on the CPU, measures the kernel, and writes the blurred picture.
 */
#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <png.h>
#include <weft/weft.h>

/* The build says where image_blur.cl and picture.png are; a program carried elsewhere looks in "examples". */
#ifndef EXAMPLES_DIR
#define EXAMPLES_DIR "."
#endif

enum { CHANNELS = 4, BLOCK = 16, MAX_RADIUS = 16, MAX_TAPS = 2 * MAX_RADIUS + 1, REPEATS = 5, MAX_LAUNCHES = 100 };

static _Noreturn void fail(const char *path, const char *reason) {
    fprintf(stderr, "image_blur: %s: %s\n", path, reason);
    exit(1);
}

/* ---- PNG files ----------------------------------------------------------------------------------- */

/* Reads the picture as 8-bit RGBA into a new host buffer, from where the device copies it without detours. */
static weft_host_buffer *read_png(weft_context *context, const char *path, int *width, int *height) {
    png_image image = {.version = PNG_IMAGE_VERSION};
    if (!png_image_begin_read_from_file(&image, path)) {
        fail(path, image.message);
    }
    image.format = PNG_FORMAT_RGBA;
    *width = (int)image.width;
    *height = (int)image.height;

    weft_host_buffer *pixels;
    WEFT_CHECK(weft_enqueue_create_host_buffer(context, WEFT_UINT8, PNG_IMAGE_SIZE(image), &pixels));
    WEFT_CHECK(weft_synchronize(context));
    if (!png_image_finish_read(&image, NULL, weft_host_buffer_data(pixels), 0, NULL)) {
        fail(path, image.message);
    }
    return pixels;
}

static void write_png(const char *path, const uint8_t *pixels, int width, int height) {
    png_image image = {.version = PNG_IMAGE_VERSION,
                       .width = (png_uint_32)width,
                       .height = (png_uint_32)height,
                       .format = PNG_FORMAT_RGBA};
    if (!png_image_write_to_file(&image, path, 0, pixels, 0, NULL)) {
        fail(path, image.message);
    }
}

/* ---- The blur on the CPU ------------------------------------------------------------------------- */

/* 2 * radius + 1 weights of a Gaussian, as whole numbers that add up to 65536. */
static void gaussian_weights(int radius, uint32_t *weights) {
    double curve[MAX_TAPS], total = 0;
    const double sigma = radius / 2.0;
    for (int i = 0; i <= 2 * radius; i++) {
        const double distance = (i - radius) / sigma;
        curve[i] = exp(-0.5 * distance * distance);
        total += curve[i];
    }
    uint32_t sum = 0;
    for (int i = 0; i <= 2 * radius; i++) {
        weights[i] = (uint32_t)lround(65536 * curve[i] / total);
        sum += weights[i];
    }
    weights[radius] += 65536 - sum; /* what rounding lost or gained */
}

static int clamp(int value, int low, int high) { return value < low ? low : value > high ? high : value; }

/* Along x, then along y, with the kernel's own arithmetic, so that the results are equal, not only close. The
 * caller frees the picture. */
static uint8_t *blur_on_cpu(const uint8_t *in, const uint32_t *weights, int radius, int width, int height) {
    const size_t row = (size_t)width * CHANNELS;
    uint16_t *lines = malloc((size_t)height * row * sizeof *lines);
    uint8_t *out = malloc((size_t)height * row);
    if (!lines || !out) {
        fail("CPU blur", strerror(ENOMEM));
    }
    for (int y = 0; y < height; y++) {
        for (int x = 0; x < width; x++) {
            for (int channel = 0; channel < CHANNELS; channel++) {
                uint32_t sum = 0;
                for (int i = -radius; i <= radius; i++) {
                    const int from = clamp(x + i, 0, width - 1) * CHANNELS + channel;
                    sum += weights[i + radius] * in[(size_t)y * row + (size_t)from];
                }
                lines[(size_t)y * row + (size_t)(x * CHANNELS + channel)] = (uint16_t)((sum + (1u << 7)) >> 8);
            }
        }
    }
    for (int y = 0; y < height; y++) {
        for (size_t x = 0; x < row; x++) {
            uint32_t sum = 0;
            for (int i = -radius; i <= radius; i++) {
                sum += weights[i + radius] * lines[(size_t)clamp(y + i, 0, height - 1) * row + x];
            }
            out[(size_t)y * row + x] = (uint8_t)((sum + (1u << 23)) >> 24);
        }
    }
    free(lines);
    return out;
}

/* How many bytes of the two pictures differ. */
static size_t differences(const uint8_t *a, const uint8_t *b, size_t size) {
    size_t count = 0;
    for (size_t i = 0; i < size; i++) {
        count += a[i] != b[i];
    }
    return count;
}

/* ---- The blur on the device ---------------------------------------------------------------------- */

/* What a launch needs, and nothing of the host's. */
typedef struct blur {
    weft_function *function;
    weft_device_buffer *in, *out, *weights;
    int width, height;
} blur;

static weft_function *compile_blur(weft_context *context, int radius) {
    char block_define[32], radius_define[32];
    snprintf(block_define, sizeof block_define, "BLOCK=%d", BLOCK);
    snprintf(radius_define, sizeof radius_define, "RADIUS=%d", radius);

    const weft_compile_options options = {
        .defines = (const char *const[]){block_define, radius_define},
        .n_defines = 2,
        .include_dirs = (const char *const[]){EXAMPLES_DIR, "examples"},
        .n_include_dirs = 2,
    };
    weft_function *function;
    WEFT_CHECK(weft_compile_function(context, "#include \"image_blur.cl\"\n", "blur", &options, &function));
    return function;
}

static blur create_blur(weft_context *context, const uint32_t *weights, int radius, int width, int height) {
    blur b = {.function = compile_blur(context, radius), .width = width, .height = height};
    const size_t size = (size_t)width * (size_t)height * CHANNELS;
    const size_t taps = 2 * (size_t)radius + 1;
    WEFT_CHECK(weft_enqueue_create_buffer(context, WEFT_UINT8, size, &b.in));
    WEFT_CHECK(weft_enqueue_create_buffer(context, WEFT_UINT8, size, &b.out));
    WEFT_CHECK(weft_enqueue_create_buffer(context, WEFT_UINT32, taps, &b.weights));
    WEFT_CHECK(weft_enqueue_copy(context, b.weights, WEFT_SPAN(weights, taps)));
    return b;
}

static void release_blur(blur *b) {
    weft_device_buffer_release(b->weights);
    weft_device_buffer_release(b->out);
    weft_device_buffer_release(b->in);
    weft_function_release(b->function);
}

/* One thread per pixel, in square blocks; the last blocks of a row and column reach beyond the edge. */
static void enqueue_blur(weft_context *context, const blur *b) {
    const weft_dim grid = WEFT_DIM((b->width + BLOCK - 1) / BLOCK, (b->height + BLOCK - 1) / BLOCK);
    WEFT_CHECK(weft_enqueue_function(context, b->function, grid, WEFT_DIM(BLOCK, BLOCK), b->in, b->out, b->weights,
                                     b->width, b->height));
}

static double seconds_now(void) {
    struct timespec now;
    timespec_get(&now, TIME_UTC);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Seconds from the first of so many launches to the end of the last, per launch. */
static double time_launches(weft_context *context, const blur *b, int launches) {
    const double start = seconds_now();
    for (int i = 0; i < launches; i++) {
        enqueue_blur(context, b);
    }
    WEFT_CHECK(weft_synchronize(context));
    return (seconds_now() - start) / launches;
}

static int compare_doubles(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The median of a few repeats of many launches; on an emulator, where one launch takes seconds, of that one. The
 * kernel has run before, so its compilation is not in here. */
static void report_time(weft_context *context, const blur *b) {
    double times[REPEATS] = {time_launches(context, b, 1)};
    const bool slow = times[0] > 1.0;
    const int launches = slow ? 1 : clamp((int)(0.05 / times[0]), 1, MAX_LAUNCHES);
    const int repeats = slow ? 1 : REPEATS;
    for (int i = 0; i < repeats && !slow; i++) {
        times[i] = time_launches(context, b, launches);
    }
    qsort(times, (size_t)repeats, sizeof *times, compare_doubles);
    const double median = times[repeats / 2];
    const double bytes = 2.0 * (double)weft_device_buffer_size_bytes(b->in); /* each pixel in once and out once */
    printf("Kernel: %.3f ms, %.3g GB/s (median of %d times %d launches)\n", 1e3 * median, 1e-9 * bytes / median,
           repeats, launches);
}

/* ---- The program --------------------------------------------------------------------------------- */

static int parse_radius(const char *text) {
    char *end;
    const long radius = strtol(text, &end, 10);
    if (end == text || *end || radius < 1 || radius > MAX_RADIUS) {
        fprintf(stderr, "image_blur: the radius is a number from 1 to %d, not \"%s\"\n", MAX_RADIUS, text);
        exit(2);
    }
    return (int)radius;
}

int main(int argc, char **argv) {
    if (argc > 4) {
        fprintf(stderr, "usage: image_blur [IN.png [OUT.png [RADIUS]]]\n");
        return 2;
    }
    const char *in_path = argc > 1 ? argv[1] : EXAMPLES_DIR "/picture.png";
    const char *out_path = argc > 2 ? argv[2] : "blurred.png";
    const int radius = argc > 3 ? parse_radius(argv[3]) : 4;

    if (weft_number_of_devices(NULL) == 0) {
        puts("No compatible device found");
        return 0;
    }

    weft_context *context;
    WEFT_CHECK(weft_context_create(NULL, &context));
    printf("Device: %s (%s:%d)\n", weft_context_name(context), weft_context_api(context), weft_context_id(context));

    int width, height;
    weft_host_buffer *host_in = read_png(context, in_path, &width, &height);
    const size_t size = weft_host_buffer_size_bytes(host_in);
    printf("Picture: %d x %d pixels, blurred with radius %d\n", width, height, radius);

    weft_host_buffer *host_out;
    WEFT_CHECK(weft_enqueue_create_host_buffer(context, WEFT_UINT8, size, &host_out));

    uint32_t weights[MAX_TAPS];
    gaussian_weights(radius, weights);
    blur b = create_blur(context, weights, radius, width, height);
    WEFT_CHECK(weft_enqueue_copy(context, b.in, host_in));
    enqueue_blur(context, &b);
    WEFT_CHECK(weft_enqueue_copy(context, host_out, b.out));

    /* All of that is only enqueued. While the device works on it, the CPU does the same. */
    uint8_t *expected = blur_on_cpu(weft_host_buffer_data(host_in), weights, radius, width, height);

    WEFT_CHECK(weft_synchronize(context));
    const uint8_t *blurred = weft_host_buffer_data(host_out);
    const size_t different = differences(blurred, expected, size);
    if (different) {
        printf("Device and CPU differ in %zu of %zu bytes\n", different, size);
    } else {
        printf("Device and CPU agree in all %zu bytes\n", size);
    }
    report_time(context, &b);
    write_png(out_path, blurred, width, height);
    printf("Wrote %s\n", out_path);

    free(expected);
    release_blur(&b);
    weft_host_buffer_release(host_out);
    weft_host_buffer_release(host_in);
    weft_context_release(context);
    return different != 0;
}
