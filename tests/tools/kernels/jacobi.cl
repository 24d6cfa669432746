/* One Jacobi sweep for the 2D Poisson equation, laplace(u) = f, on a grid of
 * width x height points with spacing h. The border is kept. Also sums up the
 * squared change of every work-group, for the host to judge convergence.
 */
kernel void jacobi_sweep(global const float *u, global const float *f, global float *unew,
                         global float *partial, local float *scratch,
                         unsigned int width, unsigned int height, float h)
{
    size_t x = get_global_id(0);
    size_t y = get_global_id(1);
    size_t lid = get_local_id(1) * get_local_size(0) + get_local_id(0);
    size_t items = get_local_size(0) * get_local_size(1);
    float change = 0.0f;

    if (x < width && y < height) {
        size_t i = y * width + x;
        float value = u[i];
        if (x > 0 && x < width - 1 && y > 0 && y < height - 1)
            value = 0.25f * (u[i - 1] + u[i + 1] + u[i - width] + u[i + width] - h * h * f[i]);
        unew[i] = value;
        change = (value - u[i]) * (value - u[i]);
    }

    scratch[lid] = change;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (size_t stride = items / 2; stride > 0; stride /= 2) {
        if (lid < stride)
            scratch[lid] += scratch[lid + stride];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (lid == 0)
        partial[get_group_id(1) * get_num_groups(0) + get_group_id(0)] = scratch[0];
}
