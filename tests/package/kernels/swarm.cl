/* What the test of `weft bind` calls: each kind of argument, and results that a program can foresee. */
#include <weft.clh>
#include "swarm_types.h"
#ifdef NO_COMPILER_DEFINES_THIS
#include "absent.h"
#endif

/* data[i] = data[i] * factor + by.first + by.second[1], and scratch takes part. */
kernel void advance(global float *data, int size, float factor, pair_t by, local float *scratch) {
    int i = (int)global_idx.x;
    scratch[thread_idx.x] = by.first + by.second[1];
    block_barrier();
    if (i < size) data[i] = data[i] * factor + scratch[thread_idx.x] * STEP;
}

/* Every number of the arguments, in order; of a float, four times as much. */
kernel void gather(global long *out, char c, uchar uc, short s, ushort us, uint ui, long l, ulong ul, index_t n, float4 f4, int3 i3,
                   color_t color, short8 s8) {
    int k = 0;
    out[k++] = c; out[k++] = uc; out[k++] = s; out[k++] = us; out[k++] = ui; out[k++] = l; out[k++] = (long)ul; out[k++] = n;
    out[k++] = (long)(f4.x * 4); out[k++] = (long)(f4.w * 4); out[k++] = i3.x; out[k++] = i3.z;
    out[k++] = (long)(color.x * 4); out[k++] = (long)(color.w * 4); out[k++] = s8.s0; out[k++] = s8.s7;
}

/* Structs that C would lay out differently, and others that are not plain; each on its own, which all drivers but rusticl get right. */
kernel void take_packed(global float *out, packed_t p) { out[0] = p.tag; out[1] = p.value; }
kernel void take_spread(global float *out, spread_t s) { out[2] = s.tag; out[3] = s.value; }
kernel void take_nest(global float *out, struct nest n) { out[4] = n.inner[1].first; out[5] = n.grid[1][2]; out[6] = n.at.y; }
kernel void take_choice(global float *out, choice_t c) { out[7] = c.as.real; out[8] = c.tag; }
kernel void take_wide(global float *out, wide_t w) { out[9] = w.wide.s7; out[10] = w.end; }

/* Names that C and C++ have other uses for. */
kernel void words(global int *grid, int block, int class, local int *ctx, int int32_t) {
    grid[0] = block * 100 + class * 10 + int32_t;
}

kernel void picture(read_only image2d_t in, global int *out) { out[0] = get_image_width(in); }

kernel void idle(void) {}
