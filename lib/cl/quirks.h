/* How drivers differ from what OpenCL says. One row per quirk in quirks.c, with its evidence. */
#ifndef CL_QUIRKS_H
#define CL_QUIRKS_H

#include <stddef.h>
#include <stdint.h>

/* A bit each in device_entry.quirks. */
typedef enum quirk {
    QUIRK_FINISH_NEEDS_MARKER = 1 << 0, /* clFinish right after clFlush returns early: finish behind a marker */
    QUIRK_SUBMITS_EAGERLY = 1 << 1,     /* work starts without clFlush */
    QUIRK_NOT_THREAD_SAFE = 1 << 2,     /* one thread at a time inside the driver */
    QUIRK_LINE_IGNORED = 1 << 3,        /* build logs count physical lines whatever #line says */
    QUIRK_KERNEL_BLOCK_LIES = 1 << 4,   /* CL_KERNEL_WORK_GROUP_SIZE is too small: the device's limit holds */
    QUIRK_LOCAL_SIZE_DOUBLED = 1 << 5,  /* CL_KERNEL_LOCAL_MEM_SIZE says twice what the kernel declares */
    QUIRK_LOCAL_SIZE_OF_ONE = 1 << 6,   /* CL_KERNEL_LOCAL_MEM_SIZE says 1 for a kernel without local memory */
    QUIRK_ITEMS_BELOW_2_32 = 1 << 7,    /* more work-items abort the process */
    QUIRK_MEMORY_OVERCOMMITS = 1 << 8,  /* buffers beyond the device's memory are granted, then abort or get killed */
    QUIRK_DRAIN_BEFORE_EXIT = 1 << 9,   /* crashes when exit() finds work in flight */
    QUIRK_FILL_BELOW_2_GIB = 1 << 10,   /* a fill that goes beyond byte 2^31 of a buffer breaks the context */
    QUIRK_SUB_BUFFER_ANYWHERE = 1 << 11, /* takes sub-buffers at offsets below its own alignment */
    QUIRK_HOST_POINTER_ARGUMENTS = 1 << 13, /* a kernel may be given any address inside a USE_HOST_PTR buffer */
    QUIRK_KERNEL_RENAMED = 1 << 14,     /* kernels and parameters named like a built-in (step, dot) get a prefix */
    QUIRK_ARG_INFO_BREAKS = 1 << 15,    /* with -cl-kernel-arg-info, kernels without parameters do not build */
    QUIRK_BINARY_AFTER_LAUNCH = 1 << 16, /* a program's binary is final when it is first asked for, and holds what launches compiled */
    QUIRK_TAKES_PTX = 1 << 18,          /* a program's binary is PTX, a text that a compiler checks */
    QUIRK_MACROS_ARE_FIXED = 1 << 19,   /* refuses macros with any number of arguments under -cl-std below CL3.0 */
    QUIRK_NO_BINARY = 1 << 17,          /* programs are better compiled from their source */
    QUIRK_TIMES_ARE_NONE = 1 << 20,     /* profiling queues work, but their timestamps are no times */
    QUIRK_NO_USER_EVENTS = 1 << 21,     /* a queue cannot be held back until the host sets an event */
    QUIRK_STRUCT_UNPADDED = 1 << 12,    /* wants a struct argument without its tail padding */
} quirk;

typedef struct quirk_row {
    quirk bit;
    const char *implementation; /* "pocl", "rusticl", "oclgrind", "nvidia" */
    const char *name;
    const char *evidence;
} quirk_row;

/* The table, for whoever wants to print it. */
const quirk_row *quirk_rows(size_t *count);

/* Every bit that holds for an implementation. */
uint32_t quirks_of(const char *implementation);

#endif
