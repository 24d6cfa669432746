/* The objects of one input, each with what the documentation says of it: contents, references, owner, order. */
#ifndef FUZZ_SCENE_H
#define FUZZ_SCENE_H

#include "input.h"
#include "shadow.h"

enum { DEVICES = 2, CONTEXTS = 8, DEVICE_HANDLES = 16, HOST_HANDLES = 12, PADS = 4, TAKEN = 4, EVENTS = 4, HOST_CALLS = 32 };
enum { MOST_BYTES = 1 << 20 };

/* Position n of a context is its n-th command. `seen` holds, for every context, up to which of its commands the next
 * one here comes after. */
typedef struct clock {
    uint64_t seen[CONTEXTS];
} clock;

typedef struct stream {
    weft_context *handle;
    unsigned device;
    unsigned held;  /* the scene's own references */
    unsigned owned; /* device allocations and host buffers that belong to it, and keep it */
    clock clock;    /* its own entry is its position */
} stream;

/* An allocation. */
typedef struct block {
    size_t size;
    cell *cells;
    unsigned handles; /* over it */
    clock written, read; /* the last commands that did */
    bool called;         /* a host function was to write to it */
    /* On a device: */
    unsigned device, owner;
    struct _cl_mem *mem;
    bool taken;
    unsigned mapped;
    /* On the host: */
    uint8_t *data;
} block;

/* A buffer of either kind. */
typedef struct handle {
    weft_device_buffer *device; /* one of these two, or neither: a free place, or NULL passed on purpose */
    weft_host_buffer *host;
    block *block;
    size_t offset_bytes, length;
    weft_dtype dtype;
    unsigned refs;         /* the scene's own */
    unsigned mappings;     /* host buffers that are mappings of this one, and hold it */
    bool view;
    bool wrapped;          /* by weft_wrap_device_ptr, not owning */
    unsigned owner;        /* of a host buffer */
    struct handle *maps;   /* what a host buffer is a mapping of */
    bool open;             /* and was not unmapped yet */
} handle;

typedef struct event {
    weft_event *handle; /* NULL: a free place */
    unsigned device;
    bool recorded;
    clock clock; /* of the context that it was recorded on, at that moment */
} event;

/* What a host function is to do, and whether it did. */
typedef struct host_call {
    uint8_t *data;
    size_t count;
    uint8_t first;
    unsigned runs;
} host_call;

typedef struct scene {
    input in;
    stream streams[CONTEXTS]; /* the first DEVICES of them live as long as the process */
    unsigned n_streams;
    clock host; /* what has certainly ended */
    handle device_buffers[DEVICE_HANDLES];
    handle host_buffers[HOST_HANDLES];
    block *pads[PADS]; /* pageable memory */
    struct {
        block *block;
        weft_device_ptr ptr;
    } taken[TAKEN];
    event events[EVENTS];
    host_call calls[HOST_CALLS];
    unsigned n_calls;
} scene;

/* The contexts on both devices that outlive every input. */
extern weft_context *scene_first[DEVICES];

void scene_begin(scene *s, const uint8_t *data, size_t size);
/* Checks everything, releases everything, and checks that the devices' memory is as it was. */
void scene_end(scene *s);

/* A context that may be used, by its place. */
unsigned scene_pick_stream(scene *s);
handle *scene_pick_device(scene *s); /* none that is mapped; now and then one that holds NULL */
handle *scene_pick_host(scene *s);
handle *scene_free_device(scene *s); /* NULL when there is no place */
handle *scene_free_host(scene *s);
block *scene_pick_pad(scene *s);
weft_dtype scene_pick_dtype(scene *s); /* now and then none */
size_t scene_pick_length(scene *s);    /* now and then far too large */
/* Mostly inside [0, whole); now and then past its end, by one or by anything. */
void scene_pick_range(scene *s, size_t whole, size_t *offset, size_t *length);

static inline size_t handle_bytes(const handle *h) {
    return h->length * weft_dtype_size(h->dtype);
}

static inline cell *handle_cells(const handle *h) {
    return h->block->cells + h->offset_bytes;
}

static inline unsigned handle_owner(const handle *h) {
    return h->device ? h->block->owner : h->owner;
}

/* Notes a new handle over a block. */
void scene_add_device(scene *s, handle *place, weft_device_buffer *buffer, block *block, size_t offset_bytes, weft_dtype dtype,
                      size_t length);
void scene_add_host(scene *s, handle *place, weft_host_buffer *buffer, block *block, size_t offset_bytes, weft_dtype dtype,
                    size_t length, unsigned owner);
block *scene_new_block(size_t size);

/* Releases events, and checks that every host function ran, once. */
void events_end(scene *s);

/* Drops one reference of a handle, here and in weft. */
void scene_release(scene *s, handle *h);
/* Drops one that weft has dropped. */
void scene_dropped(scene *s, handle *h);

/* A context is about to lose something that keeps it: its work is made part of a context that stays. */
void scene_before_owner_goes(scene *s, unsigned owner);

/* Compares a block with the memory itself. */
void scene_check_device(scene *s, const handle *h);
void scene_check_host(scene *s, block *block);

/* ---- Order (order.c) ------------------------------------------------------------------------------ */

/* One clock has also seen what the other has. */
void order_join_clock(clock *to, const clock *from);
/* What is enqueued on `to` from now on comes after what `from` has. */
void order_join(scene *s, unsigned to, unsigned from);
/* Calls that do so, or wait. */
void order_wait_for(scene *s, unsigned to, unsigned from);
void order_synchronize(scene *s, unsigned at);
void order_synchronized(scene *s, unsigned at); /* another call waited */

/* Orders the next command of `at` after all that it must come after to use the block. others: contexts that the call
 * itself waits for. */
void order_before(scene *s, unsigned at, const unsigned *others, unsigned n_others, const block *block, bool writes);
/* The same for the program itself. */
void order_before_host(scene *s, const block *block, bool writes);

/* A command was enqueued; it uses these. */
void order_command(scene *s, unsigned at);
void order_used(scene *s, unsigned at, block *block, bool writes);

#endif
