/* Two devices: copies both ways, buffers that move, and launches that refuse what belongs to the other. */
#include <stdio.h>

#include "support.h"

enum { LENGTH = 5000 };

static const char source[] = "kernel void add(global int *data, int x) { data[get_global_id(0)] += x; }\n";

static weft_context *here, *there;

#define NEED_TWO_DEVICES()             \
    do {                               \
        here = test_context();         \
        there = test_other_device();   \
        if (!there) {                  \
            SKIP("only one device");   \
        }                              \
    } while (0)

static weft_device_buffer *buffer_on(weft_context *ctx, size_t length) {
    weft_device_buffer *buffer = NULL;
    OK(weft_enqueue_create_buffer(ctx, WEFT_INT32, length, &buffer));
    return buffer;
}

/* Element i is base + i; the guard element behind is -1. */
static void counts_from(const int32_t *got, int32_t base) {
    for (int i = 0; i < LENGTH; i++) {
        ck_assert_int_eq(got[i], base + i);
    }
    ck_assert_int_eq(got[LENGTH], -1);
}

static int32_t in[LENGTH + 1], out[LENGTH + 1];

static void host_data_start(int32_t base) {
    for (int i = 0; i <= LENGTH; i++) {
        in[i] = base + i;
        out[i] = -1;
    }
}

/* The copy is on either context's queue; nothing is synchronized between fill, copy and read. */
START_TEST(device_buffers_copy_both_ways) {
    NEED_TWO_DEVICES();
    for (int queue = 0; queue < 2; queue++) {
        weft_device_buffer *a = buffer_on(here, LENGTH), *b = buffer_on(there, LENGTH), *c = buffer_on(here, LENGTH);
        host_data_start(10 * queue);
        OK(weft_enqueue_copy(here, a, in));
        OK(weft_enqueue_copy(queue ? here : there, b, a));
        OK(weft_enqueue_fill(a, 0)); /* after the copy */
        OK(weft_enqueue_copy(queue ? there : here, c, b));
        OK(weft_enqueue_fill(b, 0));
        OK(weft_enqueue_copy(here, out, c));
        OK(weft_synchronize(here));
        counts_from(out, 10 * queue);
        weft_device_buffer_release(a);
        weft_device_buffer_release(b);
        weft_device_buffer_release(c);
    }
}
END_TEST

START_TEST(ranges_and_views_keep_their_bounds) {
    NEED_TWO_DEVICES();
    weft_device_buffer *a = buffer_on(here, 20), *b = buffer_on(there, 20), *from = NULL, *to = NULL;
    int32_t got[20];
    OK(weft_enqueue_fill(a, 1));
    OK(weft_enqueue_fill(b, 2));
    OK(weft_device_buffer_create_sub_buffer(a, WEFT_INT32, 3, 10, &from));
    OK(weft_device_buffer_create_sub_buffer(b, WEFT_INT32, 5, 10, &to));
    OK(weft_enqueue_copy(there, to, from));
    OK(weft_enqueue_copy_range(here, b, 19, a, 0, 1));
    OK(weft_enqueue_copy_range(here, b, 20, a, 20, 0));
    OK(weft_device_buffer_enqueue_copy_to(b, got));
    OK(weft_synchronize(there));
    for (int i = 0; i < 20; i++) {
        ck_assert_int_eq(got[i], (i >= 5 && i < 15) || i == 19 ? 1 : 2);
    }
    weft_device_buffer_release(from);
    weft_device_buffer_release(to);
    weft_device_buffer_release(a);
    weft_device_buffer_release(b);
}
END_TEST

START_TEST(host_buffers_serve_either_device) {
    NEED_TWO_DEVICES();
    weft_host_buffer *host = NULL;
    weft_device_buffer *a = buffer_on(here, LENGTH), *b = buffer_on(there, LENGTH);
    OK(weft_enqueue_create_host_buffer(there, WEFT_INT32, LENGTH, &host));
    host_data_start(77);
    memcpy(weft_host_buffer_data(host), in, sizeof(int32_t[LENGTH]));
    OK(weft_enqueue_copy(here, a, host)); /* there's host buffer, here's device */
    OK(weft_synchronize(here));
    memset(weft_host_buffer_data(host), 0, sizeof(int32_t[LENGTH]));
    OK(weft_enqueue_copy(here, host, a));
    OK(weft_enqueue_copy(there, b, host)); /* sees what here's queue wrote */
    OK(weft_enqueue_copy(there, out, b));
    OK(weft_synchronize(there));
    counts_from(out, 77);
    weft_device_buffer_release(a);
    weft_device_buffer_release(b);
    weft_host_buffer_release(host);
}
END_TEST

START_TEST(host_pointers_work_on_either_queue) {
    NEED_TWO_DEVICES();
    weft_device_buffer *a = buffer_on(here, LENGTH);
    host_data_start(5);
    OK(weft_enqueue_copy(there, a, in)); /* a foreign queue for a's device */
    OK(weft_enqueue_copy(there, out, a));
    OK(weft_synchronize(there));
    counts_from(out, 5);
    weft_device_buffer_release(a);
}
END_TEST

START_TEST(ownership_moves_the_contents) {
    NEED_TWO_DEVICES();
    weft_device_buffer *buffer = buffer_on(here, LENGTH);
    weft_function *add = NULL;
    OK(weft_compile_function(there, source, "add", NULL, &add));
    host_data_start(0);
    OK(weft_enqueue_copy(here, buffer, in));
    OK(weft_enqueue_function(here, test_function(source, "add"), LENGTH / 50, 50, buffer, 100));
    OK(weft_device_buffer_reassign_ownership_to(buffer, there));
    ck_assert_ptr_eq(weft_device_buffer_context(buffer), there);
    OK(weft_enqueue_function(there, add, LENGTH / 50, 50, buffer, 1000));
    OK(weft_device_buffer_enqueue_copy_to(buffer, out));
    OK(weft_synchronize(there));
    counts_from(out, 1100);
    OK(weft_device_buffer_reassign_ownership_to(buffer, here)); /* and back */
    host_data_start(0);
    OK(weft_device_buffer_enqueue_copy_to(buffer, out));
    OK(weft_synchronize(here));
    counts_from(out, 1100);
    weft_device_buffer_release(buffer);
    weft_function_release(add);
}
END_TEST

/* An empty buffer has no contents to move, and its move is a wait all the same. */
START_TEST(an_empty_buffer_moves_the_queue) {
    NEED_TWO_DEVICES();
    static const char slow[] = "kernel void slow(global uint *x, int steps) {\n"
                               "    uint v = x[0];\n"
                               "    for (int i = 0; i < steps; i++) v = v * 1664525u + (v >> 7) + 1013904223u;\n"
                               "    x[0] = v | 1;\n"
                               "}\n";
    weft_function *function = test_function(slow, "slow");
    weft_device_buffer *scratch = NULL, *empty = buffer_on(here, 0);
    weft_host_buffer *host = test_host_buffer(WEFT_UINT32, 1);
    OK(weft_enqueue_create_buffer(here, WEFT_UINT32, 1, &scratch));
    OK(weft_enqueue_fill(scratch, 0));
    OK(weft_enqueue_fill(host, 0));
    OK(weft_synchronize(here));
    for (int i = 0; i < (int)test_size(200, 10); i++) OK(weft_enqueue_function(here, function, 1, 1, scratch, 60000));
    OK(weft_enqueue_copy(here, host, scratch));
    OK(weft_device_buffer_reassign_ownership_to(empty, there));
    OK(weft_synchronize(there));
    const uint32_t *data = weft_host_buffer_data(host);
    ck_assert_uint_eq(data[0] & 1, 1);
    weft_device_buffer_release(empty);
    weft_device_buffer_release(scratch);
}
END_TEST

START_TEST(shared_buffers_stay_where_they_are) {
    NEED_TWO_DEVICES();
    weft_device_buffer *buffer = buffer_on(here, 4), *view = NULL;
    int32_t got[4];
    OK(weft_enqueue_fill(buffer, 6));
    OK(weft_device_buffer_create_sub_buffer(buffer, WEFT_INT32, 0, 2, &view));
    FAILS(WEFT_ERROR_UNSUPPORTED, weft_device_buffer_reassign_ownership_to(buffer, there));
    weft_device_buffer_release(view);
    weft_device_buffer_retain(buffer);
    FAILS(WEFT_ERROR_UNSUPPORTED, weft_device_buffer_reassign_ownership_to(buffer, there));
    weft_device_buffer_release(buffer);
    ck_assert_ptr_eq(weft_device_buffer_context(buffer), here);
    test_read(buffer, got);
    for (int i = 0; i < 4; i++) {
        ck_assert_int_eq(got[i], 6);
    }
    OK(weft_device_buffer_reassign_ownership_to(buffer, there)); /* now it is alone */
    weft_device_buffer_release(buffer);
}
END_TEST

/* The message names both devices as api:id. */
static void says_device(weft_context *ctx) {
    char device[64];
    snprintf(device, sizeof device, "%s:%d", weft_context_api(ctx), weft_context_id(ctx));
    SAYS(device);
}

START_TEST(launch_refuses_what_is_foreign) {
    NEED_TWO_DEVICES();
    weft_device_buffer *mine = buffer_on(here, 64), *theirs = buffer_on(there, 64);
    weft_function *add = test_function(source, "add");
    int32_t got[64];
    OK(weft_enqueue_fill(mine, 1));
    OK(weft_enqueue_fill(theirs, 2));
    FAILS(WEFT_ERROR_INVALID_ARGUMENT, weft_enqueue_function(here, add, 1, 64, theirs, 1)); /* a foreign buffer */
    SAYS("add");
    SAYS("data");
    says_device(here);
    says_device(there);
    FAILS(WEFT_ERROR_INVALID_ARGUMENT, weft_enqueue_function(there, add, 1, 64, theirs, 1)); /* a foreign function */
    SAYS("function");
    says_device(here);
    says_device(there);
    OK(weft_enqueue_copy(here, got, mine));
    OK(weft_synchronize(here));
    ck_assert_int_eq(got[63], 1);
    OK(weft_enqueue_copy(there, got, theirs));
    OK(weft_synchronize(there));
    ck_assert_int_eq(got[63], 2);
    weft_device_buffer_release(mine);
    weft_device_buffer_release(theirs);
    test_context_works(here);
    test_context_works(there);
}
END_TEST

START_TEST(raw_pointers_stay_on_their_device) {
    NEED_TWO_DEVICES();
    weft_device_buffer *buffer = buffer_on(here, 8), *wrapped = buffer;
    weft_device_ptr ptr;
    OK(weft_device_buffer_unsafe_ptr(buffer, &ptr));
    FAILS(WEFT_ERROR_INVALID_ARGUMENT, weft_wrap_device_ptr(there, ptr, WEFT_INT32, 8, false, &wrapped));
    ck_assert_ptr_null(wrapped);
    weft_device_buffer_release(buffer);
}
END_TEST

START_TEST(one_device_waits_for_the_other) {
    NEED_TWO_DEVICES();
    weft_device_buffer *buffer = buffer_on(here, LENGTH);
    weft_host_buffer *host = NULL;
    OK(weft_enqueue_create_host_buffer(here, WEFT_INT32, LENGTH, &host));
    host_data_start(3);
    OK(weft_enqueue_copy(here, buffer, in));
    OK(weft_enqueue_copy(here, host, buffer));
    OK(weft_enqueue_wait_for(there, here));
    OK(weft_synchronize(there)); /* so what here had enqueued has ended */
    memcpy(out, weft_host_buffer_data(host), sizeof(int32_t[LENGTH]));
    counts_from(out, 3);
    weft_device_buffer_release(buffer);
    weft_host_buffer_release(host);
}
END_TEST

/* ---- Programs ----------------------------------------------------------------------------------------- */

typedef struct image {
    char bytes[1 << 20];
    size_t size;
} image;

static weft_status keep_bytes(void *user, const char *bytes, size_t size) {
    image *kept = user;
    ck_assert_uint_le(size, sizeof kept->bytes - kept->size);
    memcpy(kept->bytes + kept->size, bytes, size);
    kept->size += size;
    return WEFT_OK;
}

/* A written program is for devices of the same kind. */
START_TEST(written_programs_stay_with_their_kind) {
    NEED_TWO_DEVICES();
    static image kept;
    weft_device_info mine, other;
    weft_program *program = NULL, *loaded = (void *)&kept;
    kept.size = 0;
    OK(weft_device_get_info(weft_context_api(here), weft_context_id(here), &mine));
    OK(weft_device_get_info(weft_context_api(there), weft_context_id(there), &other));
    OK(weft_compile_program(here, source, NULL, &program));
    weft_status written = weft_program_write_with(program, keep_bytes, &kept);
    weft_program_release(program);
    if (written == WEFT_ERROR_UNSUPPORTED) {
        SKIP("the driver gives no binaries");
    }
    OK(written);
    if (strcmp(mine.platform, other.platform) == 0 && strcmp(mine.name, other.name) == 0) {
        weft_function *add = NULL;
        weft_device_buffer *buffer = buffer_on(there, LENGTH);
        OK(weft_load_program(there, kept.bytes, kept.size, &loaded));
        OK(weft_program_function(loaded, "add", &add));
        host_data_start(0);
        OK(weft_enqueue_copy(there, buffer, in));
        OK(weft_enqueue_function(there, add, LENGTH / 50, 50, buffer, 7));
        OK(weft_device_buffer_enqueue_copy_to(buffer, out));
        OK(weft_synchronize(there));
        counts_from(out, 7);
        weft_device_buffer_release(buffer);
        weft_function_release(add);
        weft_program_release(loaded);
    } else {
        FAILS(WEFT_ERROR_UNSUPPORTED, weft_load_program(there, kept.bytes, kept.size, &loaded));
        ck_assert_ptr_null(loaded);
        SAYS(mine.name);
        SAYS(other.name);
    }
}
END_TEST

/* Each device compiles a set for itself, and finds its own again. */
START_TEST(a_kernel_set_serves_both) {
    NEED_TWO_DEVICES();
    static const char *const names[] = {"add"};
    static weft_kernel_set set = WEFT_KERNEL_SET(source, names, 1, NULL);
    weft_context *const contexts[] = {here, there, here, there};
    const weft_launch launch = {{LENGTH / 50, 1, 1}, {50, 1, 1}};
    for (int32_t i = 0; i < 4; i++) {
        weft_device_buffer *buffer = buffer_on(contexts[i], LENGTH);
        host_data_start(0);
        OK(weft_enqueue_copy(contexts[i], buffer, in));
        OK(weft_kernel_set_enqueue(&set, contexts[i], 0, &launch, (weft_arg[]){WEFT_ARG(buffer), WEFT_ARG(i)}, 2));
        OK(weft_device_buffer_enqueue_copy_to(buffer, out));
        OK(weft_synchronize(contexts[i]));
        counts_from(out, i);
        weft_device_buffer_release(buffer);
    }
    weft_kernel_set_unload(&set);
}
END_TEST

TESTS(device_buffers_copy_both_ways, ranges_and_views_keep_their_bounds, host_buffers_serve_either_device,
      host_pointers_work_on_either_queue, ownership_moves_the_contents, an_empty_buffer_moves_the_queue,
      shared_buffers_stay_where_they_are,
      launch_refuses_what_is_foreign, raw_pointers_stay_on_their_device, one_device_waits_for_the_other,
      written_programs_stay_with_their_kind, a_kernel_set_serves_both)
