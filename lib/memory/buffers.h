/* Buffers: device and host memory, and the handles and views over them. */
#ifndef MEMORY_BUFFERS_H
#define MEMORY_BUFFERS_H

#include <weft/buffer.h>

#include "context/context.h"

/* One allocation on a device. Every handle over it, root or view, holds a reference. */
typedef struct memory {
    refcount refs;
    device *device;
    cl_mem mem;
    char *host; /* the same bytes, where kernels take addresses inside host memory; else NULL */
    size_t size_bytes;
    _Atomic(weft_context *) owner; /* held; changes under device->lock */
    /* Guarded by device->lock: */
    bool taken;          /* weft_device_buffer_take_ptr gave it away; it holds one reference itself */
    struct memory *next, *previous;
} memory;

struct weft_device_buffer {
    refcount refs;
    memory *memory; /* changes only in a move to another device, which nobody else may watch */
    size_t offset_bytes;
    size_t length;
    weft_dtype dtype;
    bool view;
    _Atomic(cl_mem) sub; /* a sub-buffer at offset_bytes, made by the first launch that takes one */
};

/* A context whose commands use a block of host memory. */
typedef struct host_use {
    weft_context *context; /* held */
    uint64_t position;     /* of the last command there that does */
} host_use;

/* One block of host memory that copies may use. */
typedef struct host_memory {
    refcount refs;
    device *device; /* held */
    void *data;
    size_t size_bytes;
    enum { HOST_HEAP, HOST_PINNED, HOST_WRAPPED } kind;
    cl_mem pinned;
    weft_context *owner;  /* held; never changes */
    pthread_mutex_t lock; /* guards what follows */
    host_use *uses;        /* few_uses, until there are more */
    size_t n_uses, room_for_uses;
    host_use few_uses[4];
    deferred end;
} host_memory;

struct weft_host_buffer {
    refcount refs;
    host_memory *memory;
    size_t offset_bytes;
    size_t length;
    weft_dtype dtype;
    weft_device_buffer *mapped; /* the buffer this is a mapping of, held; or NULL */
};

static inline size_t buffer_bytes(size_t length, weft_dtype dtype) {
    return length * weft_dtype_size(dtype);
}

/* Device memory of size_bytes, owned by context; the caller owns one reference. */
weft_status memory_create(weft_context *context, size_t size_bytes, memory **out);
memory *memory_retain(memory *memory);
void memory_release(memory *memory);

/* Records that the driver refused a command on this memory. */
weft_status memory_failed(const memory *memory, const char *call, cl_int code);

weft_context *memory_owner(memory *memory); /* with a reference */
static inline bool memory_is_owned_by(memory *memory, const weft_context *context) {
    return atomic_load_explicit(&memory->owner, memory_order_relaxed) == context;
}
void memory_set_owner(memory *memory, weft_context *context);

weft_status device_buffer_create(weft_context *context, weft_dtype dtype, size_t length, weft_device_buffer **out);
weft_status host_buffer_create(weft_context *context, weft_dtype dtype, size_t length, weft_host_buffer **out);

weft_status host_memory_create(weft_context *context, size_t size_bytes, host_memory **out);
weft_status host_memory_wrap(weft_context *context, void *data, size_t size_bytes, host_memory **out); /* not owned */
host_memory *host_memory_retain(host_memory *memory);
void host_memory_release(host_memory *memory);

/* The command that context's queue just took uses the memory: it stays until that has ended. */
void host_memory_used(host_memory *memory, weft_context *context);

/* Checks a dtype and that length elements of it fit in a size_t; *size_bytes gets the product. */
weft_status buffer_check_size(weft_dtype dtype, size_t length, size_t *size_bytes);

/* Checks a view of length elements from offset on over size_bytes; *offset_bytes gets its place. */
weft_status buffer_check_view(weft_dtype dtype, size_t offset, size_t length, size_t size_bytes, size_t *offset_bytes);

#endif
