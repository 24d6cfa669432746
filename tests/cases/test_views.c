/* Cases from public reports, section A: views at any offset, of any buffer, on every path. */
#include "resident.h"
#include "support.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* An assertion costs a system call, so loops only assert what is wrong. */
static void expect_ints(const int *actual, const int *expected, size_t length) {
    for (size_t i = 0; i < length; i++)
        if (actual[i] != expected[i]) ck_abort_msg("element %zu is %d instead of %d", i, actual[i], expected[i]);
}

static void expect_floats(const float *actual, const float *expected, size_t length) {
    for (size_t i = 0; i < length; i++)
        if (actual[i] != expected[i]) ck_abort_msg("element %zu is %g instead of %g", i, actual[i], expected[i]);
}

static void expect_bytes(const unsigned char *actual, const unsigned char *expected, size_t length) {
    for (size_t i = 0; i < length; i++)
        if (actual[i] != expected[i]) ck_abort_msg("byte %zu is %d instead of %d", i, actual[i], expected[i]);
}

/* ---- C01: a view at an offset that the device does not like ------------------------------------ */

START_TEST(c01_view_at_any_element) {
    float host[100], expected[100];
    for (size_t i = 0; i < COUNT(host); i++) {
        host[i] = (float)i;
        expected[i] = i >= 3 && i < 13 ? 2.0f * (float)i : (float)i;
    }
    weft_device_buffer *parent = test_device_buffer(WEFT_FLOAT32, COUNT(host));
    test_write(parent, host);
    weft_device_buffer *view = test_view(parent, WEFT_FLOAT32, 3, 10);
    weft_function *twice = test_function("kernel void twice(global float *v) { v[get_global_id(0)] *= 2; }", "twice");
    OK(weft_enqueue_function(test_context(), twice, 1, 10, view));
    test_read(parent, host);
    expect_floats(host, expected, COUNT(host));
}
END_TEST

/* Offsets of every remainder, on bytes, up to past the first aligned one that drivers accept. */
START_TEST(c01_view_at_every_byte) {
    unsigned char host[256], expected[256];
    weft_device_buffer *parent = test_device_buffer(WEFT_UINT8, COUNT(host));
    weft_function *add = test_function("kernel void add(global uchar *v) { v[get_global_id(0)] += 50; }", "add");
    for (size_t offset = 0; offset < 140; offset += offset < 20 || offset > 120 ? 1 : 13) {
        for (size_t i = 0; i < COUNT(host); i++) {
            host[i] = (unsigned char)(i % 200);
            expected[i] = (unsigned char)(host[i] + (i >= offset && i < offset + 9 ? 50 : 0));
        }
        test_write(parent, host);
        OK(weft_enqueue_function(test_context(), add, 1, 9, test_view(parent, WEFT_UINT8, offset, 9)));
        test_read(parent, host);
        expect_bytes(host, expected, COUNT(host));
    }
}
END_TEST

/* A float4 * wants 16 bytes, the view has 4: the pointee's alignment must not become the program's problem. */
START_TEST(c01_view_less_aligned_than_the_vector) {
    float host[40], expected[40];
    for (size_t i = 0; i < COUNT(host); i++) {
        host[i] = (float)i;
        expected[i] = (float)i + (i >= 1 && i < 33 ? 100.0f : 0.0f);
    }
    weft_device_buffer *parent = test_device_buffer(WEFT_FLOAT32, COUNT(host));
    test_write(parent, host);
    weft_function *add = test_function("kernel void add(global float4 *v) { v[get_global_id(0)] += 100.0f; }", "add");
    OK(weft_enqueue_function(test_context(), add, 1, 8, test_view(parent, WEFT_FLOAT32, 1, 32)));
    test_read(parent, host);
    expect_floats(host, expected, COUNT(host));
}
END_TEST

START_TEST(c01_large_view_at_an_odd_element) {
    const size_t length = test_size((1u << 20) + 7, (1u << 12) + 7);
    int *host = malloc(length * sizeof *host), *expected = malloc(length * sizeof *expected);
    ck_assert(host && expected);
    for (size_t i = 0; i < length; i++) {
        host[i] = (int)i;
        expected[i] = (int)i + (i >= 1 && i < length - 2 ? 1000000000 : 0);
    }
    weft_device_buffer *parent = test_device_buffer(WEFT_INT32, length);
    test_write(parent, host);
    weft_function *add = test_function("kernel void add(global int *v, ulong n) {\n"
                                       "    size_t i = get_global_id(0);\n"
                                       "    if (i < n) v[i] += 1000000000;\n"
                                       "}\n", "add");
    OK(weft_enqueue_function(test_context(), add, (length + 63) / 64, 64, test_view(parent, WEFT_INT32, 1, length - 3),
                             length - 3));
    test_read(parent, host);
    expect_ints(host, expected, length);
    free(host);
    free(expected);
}
END_TEST

START_TEST(c01_view_beyond_the_buffer_is_refused) {
    weft_context *ctx = test_context();
    float host[8] = {1, 2, 3, 4, 5, 6, 7, 8}, expected[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    weft_device_buffer *parent = test_device_buffer(WEFT_FLOAT32, 8), *view = parent;
    test_write(parent, host);
    FAILS(WEFT_ERROR_OUT_OF_RANGE, weft_device_buffer_create_sub_buffer(parent, WEFT_FLOAT32, 7, 2, &view));
    ck_assert_ptr_null(view);
    FAILS(WEFT_ERROR_OUT_OF_RANGE, weft_device_buffer_create_sub_buffer(parent, WEFT_FLOAT32, 9, 0, &view));
    FAILS(WEFT_ERROR_OUT_OF_RANGE, weft_device_buffer_create_sub_buffer(parent, WEFT_FLOAT32, SIZE_MAX, 2, &view));
    FAILS(WEFT_ERROR_OUT_OF_RANGE, weft_device_buffer_create_sub_buffer(parent, WEFT_FLOAT64, SIZE_MAX / 4, 1, &view));
    test_read(parent, host);
    expect_floats(host, expected, 8);
    test_context_works(ctx);
}
END_TEST

/* ---- C03: a view of a view --------------------------------------------------------------------- */

START_TEST(c03_view_of_a_view) {
    float host[100], expected[100];
    for (size_t i = 0; i < COUNT(host); i++) {
        host[i] = (float)i;
        expected[i] = i >= 8 && i < 12 ? -1.0f : (float)i;
    }
    weft_device_buffer *root = test_device_buffer(WEFT_FLOAT32, COUNT(host));
    test_write(root, host);
    weft_device_buffer *outer = test_view(root, WEFT_FLOAT32, 5, 50), *inner = test_view(outer, WEFT_FLOAT32, 3, 4);
    weft_function *set = test_function("kernel void set(global float *v) { v[get_global_id(0)] = -1; }", "set");
    OK(weft_enqueue_function(test_context(), set, 1, 4, inner));
    test_read(root, host);
    expect_floats(host, expected, COUNT(host));
}
END_TEST

/* Bounds are the view's own, not the root's. */
START_TEST(c03_inner_view_stays_inside_the_outer) {
    weft_context *ctx = test_context();
    weft_device_buffer *root = test_device_buffer(WEFT_FLOAT32, 100), *outer = test_view(root, WEFT_FLOAT32, 5, 50);
    weft_device_buffer *inner = NULL;
    FAILS(WEFT_ERROR_OUT_OF_RANGE, weft_device_buffer_create_sub_buffer(outer, WEFT_FLOAT32, 48, 3, &inner));
    ck_assert_ptr_null(inner);
    OK(weft_device_buffer_create_sub_buffer(outer, WEFT_FLOAT32, 48, 2, &inner));
    weft_device_buffer_release(inner);
    test_context_works(ctx);
}
END_TEST

/* Through a view of bytes a float can begin at any byte. */
START_TEST(c03_floats_inside_a_view_of_bytes) {
    unsigned char host[32], expected[32];
    memset(host, 0xEE, sizeof host);
    memset(expected, 0xEE, sizeof expected);
    const float values[4] = {2.5f, 3.5f, 4.5f, 5.5f};
    memcpy(expected + 3, values, sizeof values);
    weft_device_buffer *root = test_device_buffer(WEFT_UINT8, sizeof host);
    test_write(root, host);
    weft_device_buffer *floats = test_view(test_view(root, WEFT_UINT8, 3, 16), WEFT_FLOAT32, 0, 4);
    weft_function *set = test_function("kernel void set(global float *v) { v[get_global_id(0)] = get_global_id(0) + 2.5f; }",
                                       "set");
    OK(weft_enqueue_function(test_context(), set, 1, 4, floats));
    test_read(root, host);
    expect_bytes(host, expected, sizeof host);
    float back[4] = {0};
    test_read(floats, back);
    expect_floats(back, values, 4);
}
END_TEST

/* ---- C04: two views of one buffer in one launch ------------------------------------------------ */

static void add_one_view_to_another(size_t first, size_t second, size_t length) {
    unsigned char host[256], expected[256];
    for (size_t i = 0; i < COUNT(host); i++) host[i] = expected[i] = (unsigned char)(i % 200);
    for (size_t i = 0; i < length; i++) expected[first + i] = (unsigned char)(host[first + i] + host[second + i]);
    weft_device_buffer *buffer = test_device_buffer(WEFT_UINT8, COUNT(host));
    test_write(buffer, host);
    weft_function *add = test_function("kernel void add(global uchar *p0, global const uchar *p1) {\n"
                                       "    size_t i = get_global_id(0);\n"
                                       "    p0[i] += p1[i];\n"
                                       "}\n", "add");
    OK(weft_enqueue_function(test_context(), add, 1, length, test_view(buffer, WEFT_UINT8, first, length),
                             test_view(buffer, WEFT_UINT8, second, length)));
    test_read(buffer, host);
    expect_bytes(host, expected, COUNT(host));
}

START_TEST(c04_two_views_of_one_buffer) {
    add_one_view_to_another(0, 128, 127);
    add_one_view_to_another(128, 0, 127);
    add_one_view_to_another(1, 129, 126);  /* neither at an aligned byte */
    add_one_view_to_another(100, 1, 99);   /* end to end */
    add_one_view_to_another(1, 2, 1);
}
END_TEST

/* One thread adds 1 through the first view, then doubles through the second: the shared elements show whether
 * both names meant the same memory. A library that needs temporaries must refuse rather than get it wrong. */
static void expect_right_or_refused(const char *source) {
    weft_context *ctx = test_context();
    int host[16], before[16], expected[16];
    for (int i = 0; i < 16; i++) {
        host[i] = before[i] = 10 * i;
        expected[i] = i == 0 || i > 12 ? 10 * i : i < 5 ? 10 * i + 1 : i < 9 ? 2 * (10 * i + 1) : 20 * i;
    }
    weft_device_buffer *buffer = test_device_buffer(WEFT_INT32, 16);
    test_write(buffer, host);
    weft_status status = weft_enqueue_function(ctx, test_function(source, "both"), 1, 1, test_view(buffer, WEFT_INT32, 1, 8),
                                               test_view(buffer, WEFT_INT32, 5, 8));
    ck_assert_msg(status == WEFT_OK || status == WEFT_ERROR_UNSUPPORTED, "%s: %s", weft_status_name(status),
                  weft_error_message());
    test_read(buffer, host);
    expect_ints(host, status == WEFT_OK ? expected : before, 16);
    test_context_works(ctx);
}

START_TEST(c04_overlapping_views_are_right_or_refused) {
    expect_right_or_refused("kernel void both(global int *a, global int *b) {\n"
                            "    for (int i = 0; i < 8; i++) a[i] += 1;\n"
                            "    for (int i = 0; i < 8; i++) b[i] *= 2;\n"
                            "}\n");
    /* Vectors want more alignment than either view has. */
    expect_right_or_refused("kernel void both(global int4 *a, global int *b) {\n"
                            "    for (int i = 0; i < 2; i++) a[i] += 1;\n"
                            "    for (int i = 0; i < 8; i++) b[i] *= 2;\n"
                            "}\n");
    expect_right_or_refused("kernel void both(global int4 *a, global int4 *b) {\n"
                            "    for (int i = 0; i < 2; i++) a[i] += 1;\n"
                            "    for (int i = 0; i < 2; i++) b[i] *= 2;\n"
                            "}\n");
}
END_TEST

/* ---- C05: a view outlives its parent's handle -------------------------------------------------- */

START_TEST(c05_view_outlives_its_parent) {
    weft_context *ctx = test_context();
    int host[16], actual[4] = {0};
    const int expected[4] = {104, 105, 106, 107};
    for (int i = 0; i < 16; i++) host[i] = i;
    weft_device_buffer *parent = NULL, *view = NULL;
    OK(weft_enqueue_create_buffer(ctx, WEFT_INT32, 16, &parent));
    OK(weft_enqueue_copy(ctx, parent, host));
    OK(weft_device_buffer_create_sub_buffer(parent, WEFT_INT32, 4, 4, &view));
    weft_device_buffer_release(parent);
    weft_function *add = test_function("kernel void add(global int *v) { v[get_global_id(0)] += 100; }", "add");
    OK(weft_enqueue_function(ctx, add, 1, 4, view));
    OK(weft_enqueue_copy(ctx, actual, view));
    OK(weft_synchronize(ctx));
    weft_device_buffer_release(view);
    expect_ints(actual, expected, 4);
}
END_TEST

/* Many times the memory that the bound allows, and more than the small devices have. */
START_TEST(c05_memory_returns_after_the_last_view) {
    weft_context *ctx = test_context();
    const size_t size_bytes = test_size((size_t)16 << 20, (size_t)4 << 20);
    size_t before = 0;
    for (int round = 0; round < 40; round++) {
        weft_device_buffer *parent = NULL, *view = NULL;
        unsigned char first = 0;
        if (round == 4) before = resident_bytes();
        OK(weft_enqueue_create_buffer(ctx, WEFT_UINT8, size_bytes, &parent));
        OK(weft_device_buffer_create_sub_buffer(parent, WEFT_UINT8, 1, size_bytes - 1, &view));
        weft_device_buffer_release(parent);
        OK(weft_enqueue_fill(view, round));
        OK(weft_enqueue_copy_range(ctx, &first, 0, view, 0, 1));
        OK(weft_synchronize(ctx));
        weft_device_buffer_release(view);
        ck_assert_int_eq(first, round);
    }
    ck_assert_uint_lt(resident_growth(before), 10 * size_bytes);
}
END_TEST

/* ---- C06: the offset on every path ------------------------------------------------------------- */

#define PARENT_LENGTH 1024
#define VIEW_OFFSET 128
#define VIEW_LENGTH 64

/* A parent whose every element is a guard of its own value, and what it must hold in the end. */
static int parent_expected[PARENT_LENGTH];

static weft_device_buffer *guarded_parent(void) {
    weft_device_buffer *parent = test_device_buffer(WEFT_INT32, PARENT_LENGTH);
    for (int i = 0; i < PARENT_LENGTH; i++) parent_expected[i] = 5000 + i;
    test_write(parent, parent_expected);
    return parent;
}

static weft_device_buffer *middle(weft_device_buffer *parent) {
    return test_view(parent, WEFT_INT32, VIEW_OFFSET, VIEW_LENGTH);
}

static void expect_parent(weft_device_buffer *parent) {
    int actual[PARENT_LENGTH] = {0};
    test_read(parent, actual);
    expect_ints(actual, parent_expected, PARENT_LENGTH);
}

START_TEST(c06_fill_of_a_view) {
    weft_device_buffer *parent = guarded_parent();
    OK(weft_enqueue_fill_range(middle(parent), 4, 8, 9));
    for (int i = 132; i < 140; i++) parent_expected[i] = 9;
    expect_parent(parent);
    OK(weft_enqueue_fill(middle(parent), -3));
    for (int i = 0; i < VIEW_LENGTH; i++) parent_expected[VIEW_OFFSET + i] = -3;
    expect_parent(parent);
    const int pattern = 77;
    OK(weft_enqueue_fill_bytes(middle(parent), sizeof pattern, &pattern, sizeof pattern, 2));
    parent_expected[129] = parent_expected[130] = 77;
    expect_parent(parent);
}
END_TEST

START_TEST(c06_copy_from_host_to_a_view) {
    weft_context *ctx = test_context();
    weft_device_buffer *parent = guarded_parent();
    int values[VIEW_LENGTH];
    for (int i = 0; i < VIEW_LENGTH; i++) values[i] = parent_expected[VIEW_OFFSET + i] = -i;
    OK(weft_enqueue_copy(ctx, middle(parent), values));
    expect_parent(parent);
    OK(weft_enqueue_copy_range(ctx, middle(parent), 10, values, 60, 3));
    for (int i = 0; i < 3; i++) parent_expected[VIEW_OFFSET + 10 + i] = -(60 + i);
    expect_parent(parent);
    weft_host_buffer *pinned = test_host_buffer(WEFT_INT32, VIEW_LENGTH);
    int *data = weft_host_buffer_data(pinned);
    for (int i = 0; i < VIEW_LENGTH; i++) data[i] = parent_expected[VIEW_OFFSET + i] = 300 + i;
    OK(weft_enqueue_copy(ctx, middle(parent), pinned));
    expect_parent(parent);
}
END_TEST

START_TEST(c06_copy_from_a_view_to_host) {
    weft_context *ctx = test_context();
    weft_device_buffer *parent = guarded_parent();
    int values[VIEW_LENGTH + 2];
    weft_host_buffer *pinned = test_host_buffer(WEFT_INT32, VIEW_LENGTH + 2), *inside = NULL;
    int *data = weft_host_buffer_data(pinned);
    for (int i = 0; i < VIEW_LENGTH + 2; i++) values[i] = data[i] = -1;
    OK(weft_enqueue_copy(ctx, values + 1, middle(parent)));
    OK(weft_host_buffer_create_sub_buffer(pinned, WEFT_INT32, 1, VIEW_LENGTH, &inside));
    OK(weft_enqueue_copy(ctx, inside, middle(parent)));
    OK(weft_synchronize(ctx));
    weft_host_buffer_release(inside);
    expect_ints(values + 1, parent_expected + VIEW_OFFSET, VIEW_LENGTH);
    expect_ints(data + 1, parent_expected + VIEW_OFFSET, VIEW_LENGTH);
    ck_assert(values[0] == -1 && values[VIEW_LENGTH + 1] == -1);
    ck_assert(data[0] == -1 && data[VIEW_LENGTH + 1] == -1);
    expect_parent(parent);
}
END_TEST

START_TEST(c06_copy_from_a_view_to_a_view) {
    weft_context *ctx = test_context();
    weft_device_buffer *source = guarded_parent(), *parent = guarded_parent();
    OK(weft_enqueue_fill_range(source, 700, VIEW_LENGTH, 42));
    OK(weft_enqueue_copy(ctx, middle(parent), test_view(source, WEFT_INT32, 700, VIEW_LENGTH)));
    for (int i = 0; i < VIEW_LENGTH; i++) parent_expected[VIEW_OFFSET + i] = 42;
    expect_parent(parent);
    OK(weft_enqueue_copy_range(ctx, middle(parent), 5, test_view(source, WEFT_INT32, 20, 10), 7, 3));
    for (int i = 0; i < 3; i++) parent_expected[VIEW_OFFSET + 5 + i] = 5000 + 27 + i;
    expect_parent(parent);
}
END_TEST

START_TEST(c06_launch_on_a_view) {
    weft_device_buffer *parent = guarded_parent();
    weft_function *set = test_function("kernel void set(global int *v) { v[get_global_id(0)] = 7; }", "set");
    OK(weft_enqueue_function(test_context(), set, 2, VIEW_LENGTH / 2, middle(parent)));
    for (int i = 0; i < VIEW_LENGTH; i++) parent_expected[VIEW_OFFSET + i] = 7;
    expect_parent(parent);
}
END_TEST

START_TEST(c06_map_of_a_view) {
    weft_device_buffer *parent = guarded_parent();
    weft_host_buffer *mapped = NULL;
    weft_device_buffer *view = middle(parent);
    OK(weft_device_buffer_map_to_host(view, &mapped));
    ck_assert_uint_eq(weft_host_buffer_length(mapped), VIEW_LENGTH);
    int *data = weft_host_buffer_data(mapped);
    expect_ints(data, parent_expected + VIEW_OFFSET, VIEW_LENGTH);
    for (int i = 0; i < VIEW_LENGTH; i++) data[i] = parent_expected[VIEW_OFFSET + i] = 900 - i;
    OK(weft_device_buffer_unmap(view, mapped));
    expect_parent(parent);
}
END_TEST

/* Host buffers have views too: a fill and a copy of one touch only its part. */
START_TEST(c06_view_of_a_host_buffer) {
    weft_context *ctx = test_context();
    int expected[32];
    weft_host_buffer *parent = test_host_buffer(WEFT_INT32, 32), *view = NULL;
    int *data = weft_host_buffer_data(parent);
    for (int i = 0; i < 32; i++) data[i] = expected[i] = 60 + i;
    OK(weft_host_buffer_create_sub_buffer(parent, WEFT_INT32, 5, 6, &view));
    ck_assert_ptr_eq(weft_host_buffer_data(view), data + 5);
    OK(weft_enqueue_fill_range(view, 1, 2, 9));
    expected[6] = expected[7] = 9;
    weft_device_buffer *device = test_device_buffer(WEFT_INT32, 6);
    OK(weft_enqueue_fill(device, 4));
    OK(weft_enqueue_copy_range(ctx, view, 3, device, 0, 2));
    expected[8] = expected[9] = 4;
    OK(weft_synchronize(ctx));
    expect_ints(data, expected, 32);
    OK(weft_enqueue_copy(ctx, device, view));
    int actual[6] = {0};
    test_read(device, actual);
    expect_ints(actual, expected + 5, 6);
    weft_host_buffer_release(view);
}
END_TEST

TESTS(c01_view_at_any_element, c01_view_at_every_byte, c01_view_less_aligned_than_the_vector, c01_large_view_at_an_odd_element,
      c01_view_beyond_the_buffer_is_refused, c03_view_of_a_view, c03_inner_view_stays_inside_the_outer,
      c03_floats_inside_a_view_of_bytes, c04_two_views_of_one_buffer, c04_overlapping_views_are_right_or_refused,
      c05_view_outlives_its_parent, c05_memory_returns_after_the_last_view, c06_fill_of_a_view, c06_copy_from_host_to_a_view,
      c06_copy_from_a_view_to_host, c06_copy_from_a_view_to_a_view, c06_launch_on_a_view, c06_map_of_a_view,
      c06_view_of_a_host_buffer)
