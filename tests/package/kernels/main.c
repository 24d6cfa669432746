/* Launches the kernels of swarm.cl through the header that `weft bind` wrote. Also compiled as C++. Prints what they computed. */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <weft/weft.h>

#include "swarm.h"

weft_status advance_elsewhere(weft_context *ctx, weft_device_buffer *data);

static void show(weft_context *ctx, weft_device_buffer *buffer, const char *name) {
    printf("%s ", name);
    WEFT_CHECK(weft_synchronize(ctx));
    WEFT_CHECK(weft_device_buffer_write_to(buffer, stdout));
    printf("\n");
}

static void call_advance(weft_context *ctx) {
    weft_device_buffer *data;
    pair_t by = {1, {2, 3}};
    WEFT_CHECK(weft_enqueue_create_buffer(ctx, WEFT_FLOAT32, 6, &data));
    WEFT_CHECK(weft_enqueue_fill(data, 1.0f));
    WEFT_CHECK(advance(ctx, WEFT_DIM(2), WEFT_DIM(4), data, 5, 0.5f, by, 4 * sizeof(float)));
    WEFT_CHECK(advance_elsewhere(ctx, data));
    show(ctx, data, "advance");
    weft_device_buffer_release(data);
}

static void call_gather(weft_context *ctx) {
    weft_device_buffer *out;
    weft_float4 f4 = {1.5f, 0, 0, 2.5f}, color = {6.5f, 0, 0, 7.5f};
    weft_int3 i3 = {-3, 0, 4};
    weft_short8 s8 = {{-8, 0, 0, 0, 0, 0, 0, 9}};
    WEFT_CHECK(weft_enqueue_create_buffer(ctx, WEFT_INT64, 16, &out));
    WEFT_CHECK(gather(ctx, WEFT_DIM(1), WEFT_DIM(1), out, -1, 255, -300, 65535, 4000000000u, -5000000000, 9007199254740993u, -7, f4, i3,
                      color, s8));
    show(ctx, out, "gather");
    weft_device_buffer_release(out);
}

/* few: leaves out what rusticl refuses or reads wrong. */
static void call_layouts(weft_context *ctx, bool few) {
    weft_device_buffer *out;
    weft_dim one = WEFT_DIM(1);
    packed_t packed = {1, 2};
    spread_t spread;
    nest nested = {{{0, {0, 0}}, {5, {0, 0}}}, {{0, 0, 0}, {0, 0, 6}}, 0, {0, 7}};
    choice_t choice;
    wide_t wide = {{{0, 0, 0, 0, 0, 0, 0, 10}}, 11};
    float real = 8;
    spread.tag = 3;
    spread.value = 4;
    memcpy(choice.bytes, &real, sizeof real);
    choice.bytes[4] = 9;
    WEFT_CHECK(weft_enqueue_create_buffer(ctx, WEFT_FLOAT32, 11, &out));
    WEFT_CHECK(weft_enqueue_fill(out, 0));
    if (!few) {
        WEFT_CHECK(take_packed(ctx, one, one, out, packed));
        WEFT_CHECK(take_nest(ctx, one, one, out, nested));
    }
    WEFT_CHECK(take_spread(ctx, one, one, out, spread));
    WEFT_CHECK(take_choice(ctx, one, one, out, choice));
    WEFT_CHECK(take_wide(ctx, one, one, out, &wide));
    show(ctx, out, "layouts");
    weft_device_buffer_release(out);
}

static void call_words(weft_context *ctx) {
    weft_device_buffer *out;
    WEFT_CHECK(weft_enqueue_create_buffer(ctx, WEFT_INT32, 1, &out));
    WEFT_CHECK(words(ctx, WEFT_DIM(1), WEFT_DIM(1), out, 4, 5, sizeof(int), 6));
    show(ctx, out, "words");
    weft_device_buffer_release(out);
}

int main(int argc, char **argv) {
    weft_context *ctx;
    WEFT_CHECK(weft_context_create(NULL, &ctx));
    WEFT_CHECK(swarm_load(ctx));
    call_advance(ctx);
    call_gather(ctx);
    call_layouts(ctx, argc > 1 && !strcmp(argv[1], "few"));
    swarm_unload();
    call_words(ctx);
    WEFT_CHECK(idle(ctx, WEFT_DIM(3), WEFT_DIM(2)));
    WEFT_CHECK(weft_synchronize(ctx));
    swarm_unload();
    weft_context_release(ctx);
    return 0;
}
