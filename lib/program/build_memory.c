/* What a device remembers of its builds: the same text with the same options compiles once, also when
 * several threads ask at once. */
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "base/api.h"
#include "base/object.h"
#include "program/build.h"
#include "program/cache.h"

/* Programs that generate sources without end do not grow without end. */
enum { REMEMBERED = 256 };

typedef struct build_key {
    XXH128_hash_t text, options;
} build_key;

typedef struct remembered {
    struct remembered *next; /* most recently used first */
    build_key key;
    build *build; /* NULL while a thread compiles it */
} remembered;

struct build_memory {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    remembered *first;
};

static build_key key_of(const assembled *source, const char *options) {
    return (build_key){XXH3_128bits(source->text, source->length), XXH3_128bits(options, strlen(options))};
}

static bool same_key(const build_key *a, const build_key *b) {
    return XXH128_isEqual(a->text, b->text) && XXH128_isEqual(a->options, b->options);
}

static void memory_free(struct build_memory *memory) {
    while (memory->first) {
        remembered *item = memory->first;
        memory->first = item->next;
        build_release(item->build);
        free(item);
    }
    pthread_cond_destroy(&memory->changed);
    pthread_mutex_destroy(&memory->lock);
    free(memory);
}

/* Keeps on disk what has been launched since: a few builds at most, each with a reference meanwhile. */
static void memory_launched(device *device) {
    struct build_memory *memory = device->builds;
    build *builds[REMEMBERED];
    size_t count = 0;
    pthread_mutex_lock(&memory->lock);
    for (remembered *item = memory->first; item && count < REMEMBERED; item = item->next) {
        if (item->build) {
            builds[count++] = build_retain(item->build);
        }
    }
    pthread_mutex_unlock(&memory->lock);
    for (size_t i = 0; i < count; i++) {
        cache_store_launched(device, builds[i]);
        build_release(builds[i]);
    }
}

static weft_status memory_of(device *device, struct build_memory **out) {
    weft_status status = WEFT_OK;
    pthread_mutex_lock(&device->lock);
    if (!device->builds) {
        status = object_new(sizeof *device->builds, &device->builds);
        if (!status) {
            pthread_mutex_init(&device->builds->lock, NULL);
            pthread_cond_init(&device->builds->changed, NULL);
            device->builds_free = memory_free;
            device->builds_launched = memory_launched;
        }
    }
    *out = device->builds;
    pthread_mutex_unlock(&device->lock);
    return status;
}

static void unlink_locked(struct build_memory *memory, remembered *item) {
    remembered **at = &memory->first;
    while (*at != item) {
        at = &(*at)->next;
    }
    *at = item->next;
}

/* The entry of a key, moved to the front; waits while another thread compiles it. */
static remembered *find_locked(struct build_memory *memory, const build_key *key) {
    for (;;) {
        remembered *item = memory->first;
        while (item && !same_key(&item->key, key)) {
            item = item->next;
        }
        if (!item || item->build) {
            if (item) {
                unlink_locked(memory, item);
                item->next = memory->first;
                memory->first = item;
            }
            return item;
        }
        pthread_cond_wait(&memory->changed, &memory->lock);
    }
}

/* Drops the entry used longest ago once there are too many; one being compiled stays. */
static void forget_locked(struct build_memory *memory) {
    size_t count = 0;
    remembered *last = NULL;
    for (remembered *item = memory->first; item; item = item->next) {
        count++;
        last = item->build ? item : last;
    }
    if (count > REMEMBERED && last) {
        unlink_locked(memory, last);
        build_release(last->build);
        free(last);
    }
}

weft_status build_get(device *device, assembled *source, const char *options, build **out) {
    struct build_memory *memory;
    weft_status status = memory_of(device, &memory);
    if (status) {
        return status;
    }
    build_key key = key_of(source, options);
    pthread_mutex_lock(&memory->lock);
    remembered *item = find_locked(memory, &key);
    if (item) {
        *out = build_retain(item->build);
        pthread_mutex_unlock(&memory->lock);
        return WEFT_OK;
    }
    TRY(object_new(sizeof *item, &item));
    item->key = key;
    item->next = memory->first;
    memory->first = item;
    pthread_mutex_unlock(&memory->lock);

    status = build_compile(device, source, options, out);

    pthread_mutex_lock(&memory->lock);
    if (status) {
        unlink_locked(memory, item);
        free(item);
    } else {
        item->build = build_retain(*out);
        forget_locked(memory);
    }
    pthread_cond_broadcast(&memory->changed);
cleanup:
    pthread_mutex_unlock(&memory->lock);
    return status;
}
