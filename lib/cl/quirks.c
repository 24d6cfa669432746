#include "cl/quirks.h"

#include <string.h>

/* Measured with PoCL 3.1, rusticl of Mesa 22.3.6 on llvmpipe, Oclgrind 21.10, NVIDIA 580.159 on an H200. */
static const quirk_row rows[] = {
    {QUIRK_FINISH_NEEDS_MARKER, "rusticl", "finish-needs-marker",
     "clFlush then clFinish returned in 0.0 ms with the event still QUEUED; a marker's event waits properly"},
    {QUIRK_SUBMITS_EAGERLY, "pocl", "submits-eagerly", "a launch's event turned COMPLETE with no flush"},
    {QUIRK_SUBMITS_EAGERLY, "nvidia", "submits-eagerly", "a launch's event turned COMPLETE with no flush"},
    {QUIRK_NOT_THREAD_SAFE, "oclgrind", "not-thread-safe", "8 threads with contexts of their own: 15 of 400 results wrong"},
    {QUIRK_LINE_IGNORED, "oclgrind", "line-ignored", "build logs print input.cl:<physical line> after a #line"},
    {QUIRK_LINE_IGNORED, "nvidia", "line-ignored", "build logs print <kernel>:<physical line> after a #line"},
    {QUIRK_KERNEL_BLOCK_LIES, "rusticl", "kernel-block-lies", "says 32 for a kernel that runs right with 1024"},
    {QUIRK_KERNEL_BLOCK_LIES, "nvidia", "kernel-block-lies",
     "says 256 for a kernel that runs right with 512 and 1024, and for one that requires 1024"},
    {QUIRK_ARG_INFO_BREAKS, "nvidia", "arg-info-breaks",
     "kernel void k(void) fails inside ptxas with -cl-kernel-arg-info; without it there is no argument info"},
    {QUIRK_LOCAL_SIZE_DOUBLED, "rusticl", "local-size-doubled", "says 32768 for a kernel with 16384 bytes of local memory"},
    {QUIRK_LOCAL_SIZE_OF_ONE, "nvidia", "local-size-of-one",
     "says 1 for an empty kernel; all 48 KiB as dynamic local memory fail with CL_OUT_OF_RESOURCES"},
    {QUIRK_ITEMS_BELOW_2_32, "rusticl", "items-below-2^32", "2^32 work-items panic the process; 2^31 run"},
    {QUIRK_MEMORY_OVERCOMMITS, "pocl", "memory-overcommits", "ignores its own global limit; exhaustion is an assert at enqueue"},
    {QUIRK_MEMORY_OVERCOMMITS, "rusticl", "memory-overcommits", "zero-fills at creation: 40 x 2 GiB got the process killed"},
    {QUIRK_MEMORY_OVERCOMMITS, "oclgrind", "memory-overcommits", "grants more than its maximum allocation"},
    {QUIRK_MEMORY_OVERCOMMITS, "nvidia", "memory-overcommits", "granted 2^60 bytes and 2^64 - 1; the first use fails"},
    {QUIRK_DRAIN_BEFORE_EXIT, "pocl", "drain-before-exit", "exit() while work was compiling crashed 4 times of 6"},
    {QUIRK_FILL_BELOW_2_GIB, "nvidia", "fill-below-2-gib", "1 byte filled at offset 2^31: finish gave -36, the context was lost; 2 GiB in pieces as well"},
    {QUIRK_DRAIN_BEFORE_EXIT, "rusticl", "drain-before-exit", "exit() with work in flight crashed 4 times of 24"},
    {QUIRK_SUB_BUFFER_ANYWHERE, "nvidia", "sub-buffer-anywhere", "asks for 512 bytes, took every multiple of 4"},
    {QUIRK_SUB_BUFFER_ANYWHERE, "rusticl", "sub-buffer-anywhere", "asks for 512 bytes, took offset 12"},
    {QUIRK_SUB_BUFFER_ANYWHERE, "oclgrind", "sub-buffer-anywhere", "asks for 128 bytes, took offset 12"},
    {QUIRK_HOST_POINTER_ARGUMENTS, "pocl", "host-pointer-arguments",
     "clSetKernelArgSVMPointer at +12 into USE_HOST_PTR memory ran right; sub-buffers need 128 bytes"},
    {QUIRK_KERNEL_RENAMED, "pocl", "kernel-renamed", "kernel void step(...) is listed, and found, as _cl_step only; a parameter step is told as _cl_step"},
    {QUIRK_BINARY_AFTER_LAUNCH, "pocl", "binary-after-launch",
     "a launch from a binary asked for after one launch took 0.2 ms, from one asked for before 250 ms; asked again it is the same"},
    {QUIRK_TAKES_PTX, "nvidia", "takes-ptx", "the binary of a program is PTX; changed, it fails to build, or runs as changed"},
    {QUIRK_MACROS_ARE_FIXED, "nvidia", "macros-are-fixed",
     "#define V(...) with -cl-std=CL1.1, CL1.2 or CL2.0: \"variadic macros not supported\"; without the option, and with CL3.0, it is taken"},
    {QUIRK_NO_BINARY, "oclgrind", "no-binary", "compiles in 10 ms, and its reports quote the program's source"},
    {QUIRK_TIMES_ARE_NONE, "rusticl", "times-are-none", "commands' timestamps are 0, 1, 2 and 3, whatever they took"},
    {QUIRK_NO_USER_EVENTS, "rusticl", "no-user-events", "a finish returned while a user event that it waits for was not set"},
    {QUIRK_NO_USER_EVENTS, "oclgrind", "no-user-events", "a flush blocks on a user event that is not set"},
    {QUIRK_STRUCT_UNPADDED, "rusticl", "struct-unpadded", "struct {int; char;} of 8 bytes: CL_INVALID_ARG_SIZE, with 5: right"},
};

const quirk_row *quirk_rows(size_t *count) {
    *count = sizeof rows / sizeof *rows;
    return rows;
}

uint32_t quirks_of(const char *implementation) {
    uint32_t bits = 0;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (strcmp(rows[i].implementation, implementation) == 0) {
            bits |= (uint32_t)rows[i].bit;
        }
    }
    return bits;
}
