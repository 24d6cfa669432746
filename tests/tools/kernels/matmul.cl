// Matrix multiplication, C = alpha * A * B + beta * C, row-major.
//   A is M x K, B is K x N, C is M x N; all of them of type real.
// One work-item per element of C, tiles of TS x TS through local memory.
// The global size may exceed the matrix: the edges are guarded.

#ifndef TS
#define TS 8
#endif

typedef float real;

// Reference version: no local memory.
__kernel void matmul_naive(const int M, const int N, const int K,
                           const real alpha, const __global real* A, const __global real* B,
                           const real beta, __global real* C)
{
    const int col = get_global_id(0);
    const int row = get_global_id(1);
    if (row >= M || col >= N) return;

    real acc = 0;
    for (int k = 0; k < K; k++)
        acc += A[row * K + k] * B[k * N + col];
    C[row * N + col] = alpha * acc + beta * C[row * N + col];
}

__kernel __attribute__((reqd_work_group_size(TS, TS, 1)))
void matmul_tiled(const int M, const int N, const int K,
                  const real alpha, const __global real* A, const __global real* B,
                  const real beta, __global real* C)
{
    __local real Asub[TS][TS];
    __local real Bsub[TS][TS];

    const int x = get_local_id(0);
    const int y = get_local_id(1);
    const int col = get_group_id(0) * TS + x;
    const int row = get_group_id(1) * TS + y;

    real acc = 0;
    for (int t = 0; t < (K + TS - 1) / TS; t++) {
        const int ak = t * TS + x;
        const int bk = t * TS + y;
        Asub[y][x] = (row < M && ak < K) ? A[row * K + ak] : 0;
        Bsub[y][x] = (bk < K && col < N) ? B[bk * N + col] : 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < TS; k++)
            acc += Asub[y][k] * Bsub[k][x];
        barrier(CLK_LOCAL_MEM_FENCE);
    }

    if (row < M && col < N)
        C[row * N + col] = alpha * acc + beta * C[row * N + col];
}
