/* Commands: they have happened when the call returns. */
#include <time.h>

#include "null_driver.h"

/* Ends every command: an event only when the caller wants one. */
static cl_int complete(cl_command_queue queue, cl_command_type type, cl_event *out) {
    if (!out) {
        return CL_SUCCESS;
    }
    cl_event event = object_new(sizeof *event);
    if (!event) {
        return CL_OUT_OF_HOST_MEMORY;
    }
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    clRetainCommandQueue(queue);
    event->queue = queue;
    event->type = type;
    event->time_ns = (cl_ulong)now.tv_sec * 1000000000u + (cl_ulong)now.tv_nsec;
    *out = event;
    return CL_SUCCESS;
}

cl_int clFlush(cl_command_queue queue) {
    return CL_SUCCESS;
}

cl_int clFinish(cl_command_queue queue) {
    return CL_SUCCESS;
}

cl_int clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions, const size_t *offset,
                              const size_t *global, const size_t *local, cl_uint n_waits, const cl_event *waits,
                              cl_event *event) {
    return complete(queue, CL_COMMAND_NDRANGE_KERNEL, event);
}

cl_int clEnqueueMarkerWithWaitList(cl_command_queue queue, cl_uint n_waits, const cl_event *waits, cl_event *event) {
    return complete(queue, CL_COMMAND_MARKER, event);
}

cl_int clEnqueueBarrierWithWaitList(cl_command_queue queue, cl_uint n_waits, const cl_event *waits, cl_event *event) {
    return complete(queue, CL_COMMAND_BARRIER, event);
}

cl_int clEnqueueMigrateMemObjects(cl_command_queue queue, cl_uint n_memories, const cl_mem *memories,
                                  cl_mem_migration_flags flags, cl_uint n_waits, const cl_event *waits, cl_event *event) {
    return complete(queue, CL_COMMAND_MIGRATE_MEM_OBJECTS, event);
}

/* ---- Lines of bytes -------------------------------------------------------------------------------- */

static bool in_range(cl_mem memory, size_t offset, size_t size) {
    return size && offset <= memory->size && size <= memory->size - offset;
}

cl_int clEnqueueReadBuffer(cl_command_queue queue, cl_mem source, cl_bool blocking, size_t offset, size_t size, void *host,
                           cl_uint n_waits, const cl_event *waits, cl_event *event) {
    if (!in_range(source, offset, size)) {
        return CL_INVALID_VALUE;
    }
    memmove(host, source->data + offset, size);
    return complete(queue, CL_COMMAND_READ_BUFFER, event);
}

cl_int clEnqueueWriteBuffer(cl_command_queue queue, cl_mem target, cl_bool blocking, size_t offset, size_t size,
                            const void *host, cl_uint n_waits, const cl_event *waits, cl_event *event) {
    if (!in_range(target, offset, size)) {
        return CL_INVALID_VALUE;
    }
    memmove(target->data + offset, host, size);
    return complete(queue, CL_COMMAND_WRITE_BUFFER, event);
}

cl_int clEnqueueCopyBuffer(cl_command_queue queue, cl_mem source, cl_mem target, size_t source_offset, size_t target_offset,
                           size_t size, cl_uint n_waits, const cl_event *waits, cl_event *event) {
    if (!in_range(source, source_offset, size) || !in_range(target, target_offset, size)) {
        return CL_INVALID_VALUE;
    }
    const unsigned char *from = source->data + source_offset;
    unsigned char *to = target->data + target_offset;
    if (from < to + size && to < from + size) {
        return CL_MEM_COPY_OVERLAP;
    }
    memcpy(to, from, size);
    return complete(queue, CL_COMMAND_COPY_BUFFER, event);
}

cl_int clEnqueueFillBuffer(cl_command_queue queue, cl_mem target, const void *pattern, size_t pattern_size, size_t offset,
                           size_t size, cl_uint n_waits, const cl_event *waits, cl_event *event) {
    bool pattern_is_legal = pattern_size && pattern_size <= 128 && !(pattern_size & (pattern_size - 1));
    if (!pattern_is_legal || !in_range(target, offset, size) || offset % pattern_size || size % pattern_size) {
        return CL_INVALID_VALUE;
    }
    unsigned char *start = target->data + offset;
    memcpy(start, pattern, pattern_size);
    for (size_t filled = pattern_size; filled < size;) {
        size_t step = filled < size - filled ? filled : size - filled;
        memcpy(start + filled, start, step);
        filled += step;
    }
    return complete(queue, CL_COMMAND_FILL_BUFFER, event);
}

void *clEnqueueMapBuffer(cl_command_queue queue, cl_mem memory, cl_bool blocking, cl_map_flags flags, size_t offset,
                         size_t size, cl_uint n_waits, const cl_event *waits, cl_event *event, cl_int *code) {
    if (!in_range(memory, offset, size)) {
        return refused(CL_INVALID_VALUE, code);
    }
    cl_int result = complete(queue, CL_COMMAND_MAP_BUFFER, event);
    if (result) {
        return refused(result, code);
    }
    atomic_fetch_add(&memory->maps, 1);
    return created(memory->data + offset, code);
}

cl_int clEnqueueUnmapMemObject(cl_command_queue queue, cl_mem memory, void *mapped, cl_uint n_waits, const cl_event *waits,
                               cl_event *event) {
    atomic_fetch_sub(&memory->maps, 1);
    return complete(queue, CL_COMMAND_UNMAP_MEM_OBJECT, event);
}

/* ---- Boxes ----------------------------------------------------------------------------------------- */

typedef struct box {
    unsigned char *first;
    size_t row_pitch, slice_pitch;
} box;

/* Pitch 0 means tight. */
static box box_at(void *base, const size_t origin[3], const size_t region[3], size_t row_pitch, size_t slice_pitch) {
    size_t row = row_pitch ? row_pitch : region[0];
    size_t slice = slice_pitch ? slice_pitch : row * region[1];
    return (box){(unsigned char *)base + origin[2] * slice + origin[1] * row + origin[0], row, slice};
}

/* Whether a box with something in it ends inside the memory. */
static bool box_in_range(cl_mem memory, box box, const size_t region[3]) {
    if (!region[0] || !region[1] || !region[2]) {
        return false;
    }
    size_t extent = (region[2] - 1) * box.slice_pitch + (region[1] - 1) * box.row_pitch + region[0];
    return in_range(memory, (size_t)(box.first - memory->data), extent);
}

static void box_copy(box to, box from, const size_t region[3]) {
    for (size_t z = 0; z < region[2]; z++) {
        for (size_t y = 0; y < region[1]; y++) {
            memmove(to.first + z * to.slice_pitch + y * to.row_pitch,
                    from.first + z * from.slice_pitch + y * from.row_pitch, region[0]);
        }
    }
}

cl_int clEnqueueReadBufferRect(cl_command_queue queue, cl_mem source, cl_bool blocking, const size_t *buffer_origin,
                               const size_t *host_origin, const size_t *region, size_t buffer_row, size_t buffer_slice,
                               size_t host_row, size_t host_slice, void *host, cl_uint n_waits, const cl_event *waits,
                               cl_event *event) {
    box from = box_at(source->data, buffer_origin, region, buffer_row, buffer_slice);
    if (!box_in_range(source, from, region)) {
        return CL_INVALID_VALUE;
    }
    box_copy(box_at(host, host_origin, region, host_row, host_slice), from, region);
    return complete(queue, CL_COMMAND_READ_BUFFER_RECT, event);
}

cl_int clEnqueueWriteBufferRect(cl_command_queue queue, cl_mem target, cl_bool blocking, const size_t *buffer_origin,
                                const size_t *host_origin, const size_t *region, size_t buffer_row, size_t buffer_slice,
                                size_t host_row, size_t host_slice, const void *host, cl_uint n_waits, const cl_event *waits,
                                cl_event *event) {
    box to = box_at(target->data, buffer_origin, region, buffer_row, buffer_slice);
    if (!box_in_range(target, to, region)) {
        return CL_INVALID_VALUE;
    }
    box_copy(to, box_at((void *)host, host_origin, region, host_row, host_slice), region);
    return complete(queue, CL_COMMAND_WRITE_BUFFER_RECT, event);
}

cl_int clEnqueueCopyBufferRect(cl_command_queue queue, cl_mem source, cl_mem target, const size_t *source_origin,
                               const size_t *target_origin, const size_t *region, size_t source_row, size_t source_slice,
                               size_t target_row, size_t target_slice, cl_uint n_waits, const cl_event *waits,
                               cl_event *event) {
    box from = box_at(source->data, source_origin, region, source_row, source_slice);
    box to = box_at(target->data, target_origin, region, target_row, target_slice);
    if (!box_in_range(source, from, region) || !box_in_range(target, to, region)) {
        return CL_INVALID_VALUE;
    }
    box_copy(to, from, region);
    return complete(queue, CL_COMMAND_COPY_BUFFER_RECT, event);
}
