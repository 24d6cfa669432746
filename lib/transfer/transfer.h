/* Moving bytes: copies and fills between device memory, host buffers and host pointers. */
#ifndef TRANSFER_TRANSFER_H
#define TRANSFER_TRANSFER_H

#include "memory/buffers.h"

/* Bytes somewhere. */
typedef struct region {
    memory *memory;       /* on a device, at offset_bytes; or NULL: */
    host_memory *host;    /* in a host buffer, at data; or NULL: the caller's own memory at data */
    size_t offset_bytes;
    char *data;
    size_t size_bytes;
} region;

region region_of_device_buffer(const weft_device_buffer *buffer);
region region_of_host_buffer(const weft_host_buffer *buffer);

/* Copies dst.size_bytes (src has as many) on context's queue, ordered with the contexts of both; or records that. */
weft_status transfer_copy(weft_context *context, region dst, region src);

/* The same even while the context records. */
weft_status transfer_copy_now(weft_context *context, region dst, region src);

/* The same without the order of other contexts; everything is on context's device. */
weft_status transfer_copy_here(weft_context *context, region dst, region src);

/* What follows a command on memory: it is counted and started, or its refusal recorded. */
weft_status transfer_taken(weft_context *context, const memory *memory, const char *call, cl_int code);

/* COMMAND_PAGEABLE where a host side is, else 0; see context/command.h. */
unsigned transfer_pageable(const region *host_side);

/* Copies between devices, or on another device than context's. Blocks. */
weft_status transfer_across(weft_context *context, region dst, region src);

/* Writes pattern count times from the region's start, on context's queue, which is on the region's device; or records that. */
weft_status transfer_fill(weft_context *context, region dst, const void *pattern, size_t pattern_bytes, size_t count);
weft_status transfer_fill_now(weft_context *context, region dst, const void *pattern, size_t pattern_bytes, size_t count);

/* The two as nodes of the graph that context records. */
weft_status copy_node_record(weft_context *context, region dst, region src);
weft_status fill_node_record(weft_context *context, region dst, const void *pattern, size_t pattern_bytes, size_t count);

/* Runs work between waits that order context's queue with the queues of both regions' owners. */
typedef struct order {
    weft_context *others[2]; /* held; NULL when context itself */
} order;
weft_status order_before(weft_context *context, const region *a, const region *b, order *out);
weft_status order_after(weft_context *context, order *order, weft_status status);

/* Whether the calling thread may wait for the owners' queues: asked before another queue is made to, and is waited for. */
weft_status order_may_wait(const region *a, const region *b);

#endif
