/*
 * All-pairs n-body step. Positions are (x, y, z, mass), velocities (x, y, z, unused).
 * Bodies are read in tiles of one work-group through local memory.
 * The number of bodies must be a multiple of the work-group size.
 */

#ifndef SOFTENING
#define SOFTENING 0.01f
#endif

typedef struct {
    float dt;
    float damping;
    uint  count;
} SimParams;

float3 bodyBodyInteraction(float3 acc, float4 bi, float4 bj)
{
    float3 r = bj.xyz - bi.xyz;
    float distSqr = dot(r, r) + SOFTENING;
    float invDist = 1.0f / sqrt(distSqr);
    float invDistCube = invDist * invDist * invDist;
    return acc + r * (bj.w * invDistCube);
}

__kernel void nbody_step(
    __global const float4* restrict oldPos,
    __global float4* restrict newPos,
    __global float4* restrict vel,
    __local float4* sharedPos,
    const SimParams params)
{
    const uint gid = get_global_id(0);
    const uint lid = get_local_id(0);
    const uint localSize = get_local_size(0);
    const uint numTiles = params.count / localSize;

    float4 myPos = oldPos[gid];
    float3 acc = (float3)(0.0f, 0.0f, 0.0f);

    for (uint tile = 0; tile < numTiles; ++tile) {
        sharedPos[lid] = oldPos[tile * localSize + lid];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint j = 0; j < localSize; ++j)
            acc = bodyBodyInteraction(acc, myPos, sharedPos[j]);
        barrier(CLK_LOCAL_MEM_FENCE);
    }

    float4 myVel = vel[gid];
    myVel.xyz = (myVel.xyz + acc * params.dt) * params.damping;
    myPos.xyz += myVel.xyz * params.dt;

    newPos[gid] = myPos;
    vel[gid] = myVel;
}
