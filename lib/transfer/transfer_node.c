/* Recorded copies and fills. */
#include <stdlib.h>
#include <string.h>

#include "base/api.h"
#include "base/object.h"
#include "context/recording.h"
#include "transfer/rect.h"

static void region_retain(const region *region) {
    if (region->memory) {
        memory_retain(region->memory);
    } else if (region->host) {
        host_memory_retain(region->host);
    }
}

static void region_release(const region *region) {
    if (region->memory) {
        memory_release(region->memory);
    } else if (region->host) {
        host_memory_release(region->host);
    }
}

typedef struct copy_node {
    region dst, src;
} copy_node;

static weft_status copy_run(void *payload, weft_context *context) {
    const copy_node *node = payload;
    return transfer_copy_now(context, node->dst, node->src);
}

static void copy_destroy(void *payload) {
    copy_node *node = payload;
    region_release(&node->dst);
    region_release(&node->src);
    free(node);
}

weft_status copy_node_record(weft_context *context, region dst, region src) {
    static const node_ops ops = {.kind = "copy", .run = copy_run, .destroy = copy_destroy};
    copy_node *node = NULL;
    weft_status status = object_new(sizeof *node, &node);
    if (status) {
        return status;
    }
    *node = (copy_node){dst, src};
    region_retain(&dst);
    region_retain(&src);
    return context_record(context, &ops, node);
}

typedef struct rect_node {
    rect dst, src;
    command_extent extent;
} rect_node;

static weft_status rect_run(void *payload, weft_context *context) {
    const rect_node *node = payload;
    return transfer_rect_now(context, node->dst, node->src, node->extent);
}

static void rect_destroy(void *payload) {
    rect_node *node = payload;
    region_release(&node->dst.at);
    region_release(&node->src.at);
    free(node);
}

weft_status rect_node_record(weft_context *context, rect dst, rect src, command_extent extent) {
    static const node_ops ops = {.kind = "copy", .run = rect_run, .destroy = rect_destroy};
    rect_node *node = NULL;
    weft_status status = object_new(sizeof *node, &node);
    if (status) {
        return status;
    }
    *node = (rect_node){dst, src, extent};
    region_retain(&dst.at);
    region_retain(&src.at);
    return context_record(context, &ops, node);
}

typedef struct fill_node {
    region dst;
    size_t count, pattern_bytes;
    unsigned char pattern[];
} fill_node;

static weft_status fill_run(void *payload, weft_context *context) {
    const fill_node *node = payload;
    return transfer_fill_now(context, node->dst, node->pattern, node->pattern_bytes, node->count);
}

static void fill_destroy(void *payload) {
    fill_node *node = payload;
    region_release(&node->dst);
    free(node);
}

weft_status fill_node_record(weft_context *context, region dst, const void *pattern, size_t pattern_bytes, size_t count) {
    static const node_ops ops = {.kind = "fill", .run = fill_run, .destroy = fill_destroy};
    fill_node *node = NULL;
    weft_status status = object_new(sizeof *node + pattern_bytes, &node);
    if (status) {
        return status;
    }
    node->dst = dst;
    node->count = count;
    node->pattern_bytes = pattern_bytes;
    memcpy(node->pattern, pattern, pattern_bytes);
    region_retain(&dst);
    return context_record(context, &ops, node);
}
