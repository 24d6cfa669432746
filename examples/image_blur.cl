/* image_blur.cl: Gaussian blur of an RGBA picture, both directions in one launch.
 *
 * A block of BLOCK x BLOCK threads makes as many pixels. It first brings those pixels, and a border of RADIUS
 * around them (the halo), into shared memory, where all its threads find their neighbours: with blocks of 16 and
 * radius 4, a pixel is fetched from global memory 2.25 times instead of 81. Weights are fixed-point numbers that
 * add up to 65536; whole numbers give the same picture on every device. The host defines BLOCK and RADIUS.
 */
#include <weft.clh>

#define TILE (BLOCK + 2 * RADIUS)
#define TAPS (2 * RADIUS + 1)

kernel void blur(global const uchar4 *in, global uchar4 *out, constant uint *weights, int width, int height) {
    SHARED(uchar4, tile, TILE * TILE);   /* pixels with their halo */
    SHARED(ushort4, lines, TILE * BLOCK); /* blurred along x, with 8 more bits than a pixel */

    const int thread_x = (int)thread_idx.x, thread_y = (int)thread_idx.y;
    const int left = (int)block_idx.x * BLOCK - RADIUS;
    const int top = (int)block_idx.y * BLOCK - RADIUS;

    /* The tile is larger than the block, so threads load several pixels. Edges of the picture repeat outwards. */
    for (int y = thread_y; y < TILE; y += BLOCK) {
        for (int x = thread_x; x < TILE; x += BLOCK) {
            const int from_x = clamp(left + x, 0, width - 1);
            const int from_y = clamp(top + y, 0, height - 1);
            tile[y * TILE + x] = in[(size_t)from_y * width + from_x];
        }
    }
    block_barrier();

    for (int y = thread_y; y < TILE; y += BLOCK) {
        uint4 sum = 0;
        for (int tap = 0; tap < TAPS; tap++) {
            sum += weights[tap] * convert_uint4(tile[y * TILE + thread_x + tap]);
        }
        lines[y * BLOCK + thread_x] = convert_ushort4((sum + (1u << 7)) >> 8u);
    }
    block_barrier();

    /* Only now may threads beyond the picture's edge leave: every thread of a block has to reach its barriers. */
    if (global_idx.x >= width || global_idx.y >= height) {
        return;
    }
    uint4 sum = 0;
    for (int tap = 0; tap < TAPS; tap++) {
        sum += weights[tap] * convert_uint4(lines[(thread_y + tap) * BLOCK + thread_x]);
    }
    out[(size_t)global_idx.y * width + global_idx.x] = convert_uchar4((sum + (1u << 23)) >> 24u);
}
