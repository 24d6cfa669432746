/* Which command comes after which, by the rules at the head of weft/context.h and weft/buffer.h. */
#include "scene.h"

void order_join_clock(clock *to, const clock *from) {
    for (unsigned i = 0; i < CONTEXTS; i++) {
        to->seen[i] = to->seen[i] > from->seen[i] ? to->seen[i] : from->seen[i];
    }
}

void order_join(scene *s, unsigned to, unsigned from) {
    if (to != from) {
        order_join_clock(&s->streams[to].clock, &s->streams[from].clock);
    }
}

void order_synchronized(scene *s, unsigned at) {
    order_join_clock(&s->host, &s->streams[at].clock);
}

void order_synchronize(scene *s, unsigned at) {
    MUST(weft_synchronize(s->streams[at].handle));
    order_synchronized(s, at);
}

void order_wait_for(scene *s, unsigned to, unsigned from) {
    MUST(weft_enqueue_wait_for(s->streams[to].handle, s->streams[from].handle));
    order_join(s, to, from);
    if (s->streams[to].device != s->streams[from].device) {
        order_synchronized(s, from);
    }
}

/* A context through which the program can wait for command `position` of context `of`. */
static unsigned reach(const scene *s, unsigned of, uint64_t position) {
    if (s->streams[of].held || s->streams[of].owned) {
        return of;
    }
    unsigned first = s->streams[of].device;
    CHECK(s->streams[first].clock.seen[of] >= position, "the model lost a context's work");
    return first;
}

static bool is_after(const scene *s, unsigned at, unsigned of, uint64_t position) {
    return s->streams[at].clock.seen[of] >= position || s->host.seen[of] >= position;
}

static uint64_t last_use(const block *block, unsigned of, bool writes) {
    uint64_t written = block->written.seen[of], read = block->read.seen[of];
    return writes && read > written ? read : written;
}

void order_before(scene *s, unsigned at, const unsigned *others, unsigned n_others, const block *block, bool writes) {
    for (unsigned of = 0; of < s->n_streams; of++) {
        uint64_t position = last_use(block, of, writes);
        bool after = is_after(s, at, of, position);
        for (unsigned i = 0; i < n_others; i++) {
            after = after || is_after(s, others[i], of, position);
        }
        if (after) {
            continue;
        }
        unsigned through = reach(s, of, position);
        if (take(&s->in, 4)) {
            order_wait_for(s, at, through);
        } else {
            order_synchronize(s, through);
        }
    }
}

void order_before_host(scene *s, const block *block, bool writes) {
    for (unsigned of = 0; of < s->n_streams; of++) {
        uint64_t position = last_use(block, of, writes);
        if (s->host.seen[of] < position) {
            order_synchronize(s, reach(s, of, position));
        }
    }
}

void order_command(scene *s, unsigned at) {
    s->streams[at].clock.seen[at]++;
}

void order_used(scene *s, unsigned at, block *block, bool writes) {
    clock *use = writes ? &block->written : &block->read;
    use->seen[at] = s->streams[at].clock.seen[at];
}
