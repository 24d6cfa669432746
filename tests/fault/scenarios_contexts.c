/* Finding devices, contexts, streams, and waits between them. */
#include <stdio.h>

#include "scene.h"

/* The second device, or with 0 the first. */
static weft_context_options on_device(int id) {
    return (weft_context_options){.api = "any", .device_id = id};
}

/* ---- Devices --------------------------------------------------------------------------------------- */

static size_t describe(const weft_device_info *info, char *out, size_t size) {
    int length = snprintf(out, size, "%s, %s, %s:%d, %s, %s, %s, %s, %s; %u %u %u; %zu %zu %zu %zu; %zu %zu %zu %zu %zu %zu; "
                          "%d %d %d %d %d %d %d; %d %d\n",
                          info->name, info->vendor, info->api, info->id, info->kind, info->platform, info->driver_version,
                          info->opencl_version, info->opencl_c_version, info->compute_units, info->clock_mhz, info->warp_size,
                          info->max_threads_per_block, info->max_block_dim[0], info->max_block_dim[1], info->max_block_dim[2],
                          info->max_shared_bytes, info->max_argument_bytes, info->max_allocation_bytes,
                          info->global_memory_bytes, info->cache_bytes, info->view_alignment_bytes, info->unified_memory,
                          info->fp64, info->fp16, info->int64_atomics, info->subgroups, info->svm, info->il, info->has_pci,
                          info->has_uuid);
    return length < 0 ? 0 : (size_t)length;
}

/* Without a fault, the answer is that of any other clean process. */
static weft_status discover(scene *s) {
    weft_device_info info;
    char answer[FAULT_ANSWER] = "";
    size_t used = 0;
    fault_during("weft_number_of_devices");
    for (size_t id = 0; id < weft_number_of_devices("any") && used < sizeof answer; id++) {
        STEP(weft_device_get_info("any", (int)id, &info));
        used += describe(&info, answer + used, sizeof answer - used);
    }
    if (s->clean && !*s->answer) {
        strcpy(s->answer, answer);
    }
    HOLDS(!s->clean || strcmp(s->answer, answer) == 0);
    return WEFT_OK;
}

static weft_status context_first(scene *s) {
    const weft_context_options first = on_device(0);
    weft_context *context;
    MAKE(context, weft_context_create(&first, &context));
    return WEFT_OK;
}

/* What vendors' drivers say in queries of their own; disguise.c has the numbers. */
static weft_status describe_nvidia(scene *s) {
    weft_device_info info;
    weft_context *context;
    int64_t registers, major, minor;
    fault_during("weft_number_of_devices");
    size_t count = weft_number_of_devices("cuda");
    HOLDS(!s->clean || (count == 2 && weft_has_accelerator() && weft_has_nvidia_gpu_accelerator()));
    STEP(weft_device_get_info("nvidia", 0, &info));
    HOLDS(strcmp(info.vendor, "NVIDIA Corporation") == 0 && strcmp(info.kind, "gpu") == 0 && info.warp_size == 32);
    HOLDS(info.has_pci && info.pci_domain == 3 && info.pci_bus == 0x1b && info.pci_device == 2 && info.pci_function == 5);
    HOLDS(!info.has_uuid && info.int64_atomics && !info.fp16);
    MAKE(context, weft_context_create(&(weft_context_options){.api = "nvidia"}, &context));
    STEP(weft_context_get_attribute(context, WEFT_DEVICE_MAX_REGISTERS_PER_BLOCK, &registers));
    STEP(weft_context_get_attribute(context, WEFT_DEVICE_COMPUTE_CAPABILITY_MAJOR, &major));
    STEP(weft_context_get_attribute(context, WEFT_DEVICE_COMPUTE_CAPABILITY_MINOR, &minor));
    HOLDS(registers == 65536 && major == 9 && minor == 1);
    REFUSED(WEFT_ERROR_UNSUPPORTED, weft_context_get_attribute(context, WEFT_DEVICE_PARALLELISM_LEVEL, &registers));
    return WEFT_OK;
}

static weft_status describe_amd(scene *s) {
    weft_device_info info;
    weft_context *context;
    int64_t registers;
    fault_during("weft_number_of_devices");
    size_t count = weft_number_of_devices("hip");
    HOLDS(!s->clean || (count == 2 && weft_has_amd_gpu_accelerator()));
    HOLDS(!weft_has_nvidia_gpu_accelerator());
    STEP(weft_device_get_info("amd", 0, &info));
    HOLDS(strcmp(info.kind, "gpu") == 0 && strcmp(info.platform, AMD) == 0 && info.warp_size == 64 && info.fp16);
    HOLDS(info.has_pci && info.pci_domain == 1 && info.pci_bus == 0x41 && info.pci_device == 7 && info.pci_function == 2);
    HOLDS(info.has_uuid && !info.int64_atomics);
    for (unsigned i = 0; i < sizeof info.uuid; i++) {
        HOLDS(info.uuid[i] == i);
    }
    MAKE(context, weft_context_create(&(weft_context_options){.api = "amd"}, &context));
    const weft_context_options timing = {.api = "amd", .timing = true};
    weft_context *timed = (void *)s;
    REFUSED(WEFT_ERROR_UNSUPPORTED, weft_context_create(&timing, &timed));
    HOLDS(!timed);
    REFUSED(WEFT_ERROR_UNSUPPORTED, weft_context_get_attribute(context, WEFT_DEVICE_MAX_REGISTERS_PER_BLOCK, &registers));
    REFUSED(WEFT_ERROR_UNSUPPORTED, weft_context_get_attribute(context, WEFT_DEVICE_COMPUTE_CAPABILITY_MINOR, &registers));
    return WEFT_OK;
}

static weft_status no_driver(scene *s) {
    weft_device_info info;
    weft_context *context = (void *)s;
    fault_during("weft_number_of_devices");
    HOLDS(weft_number_of_devices(NULL) == 0 && !weft_has_accelerator());
    REFUSED(WEFT_ERROR_NO_DEVICE, weft_device_get_info(NULL, 0, &info));
    REFUSED(WEFT_ERROR_NO_DEVICE, weft_context_create(NULL, &context));
    HOLDS(!context && !info.name);
    return WEFT_OK;
}

/* ---- Contexts -------------------------------------------------------------------------------------- */

static weft_status context_create(scene *s) {
    const weft_context_options second = on_device(1);
    weft_context *context, *timed;
    int64_t threads;
    size_t free_bytes, total_bytes;
    MAKE(context, weft_context_create(&second, &context));
    MAKE(timed, weft_context_create(&(weft_context_options){.api = "any", .timing = true}, &timed));
    STEP(weft_context_get_attribute(context, WEFT_DEVICE_MAX_THREADS_PER_BLOCK, &threads));
    STEP(weft_context_get_memory_info(context, &free_bytes, &total_bytes));
    STEP(weft_flush(context));
    STEP(weft_synchronize(timed));
    HOLDS(threads > 0 && free_bytes <= total_bytes && weft_context_name(context));
    weft_context_release(weft_context_retain(context));
    return WEFT_OK;
}

static weft_status streams(scene *s) {
    const weft_context_options first = on_device(0);
    weft_context *context, *stream, *timed;
    MAKE(context, weft_context_create(&first, &context));
    MAKE(stream, weft_context_create_stream(context, NULL, &stream));
    MAKE(timed, weft_context_create_stream(stream, &(weft_stream_options){.timing = true}, &timed));
    STEP(weft_synchronize(timed));
    HOLDS(weft_context_id(context) == weft_context_id(timed));
    return WEFT_OK;
}

/* Each of many contexts waits for the one before it, whose buffer it copies. */
static weft_status many_contexts(scene *s) {
    weft_context *before = kept_things.context, *context;
    weft_device_buffer *source, *buffer;
    MAKE(source, weft_enqueue_create_buffer(before, WEFT_INT32, N, &source));
    STEP(weft_enqueue_copy(before, source, s->in));
    for (int i = 0; i < 12; i++) {
        MAKE(context, weft_context_create_stream(before, NULL, &context));
        MAKE(buffer, weft_enqueue_create_buffer(context, WEFT_INT32, N, &buffer));
        STEP(weft_enqueue_wait_for(context, before));
        STEP(weft_enqueue_copy(context, buffer, source));
        source = buffer;
        before = context;
    }
    STEP(weft_enqueue_copy(before, s->out, source));
    STEP(scene_synchronize(s));
    HOLDS(SAME(s->in, s->out));
    return WEFT_OK;
}

/* ---- Waits ----------------------------------------------------------------------------------------- */

static weft_status wait_for(scene *s) {
    weft_context *context = kept_things.context, *sibling = kept_things.sibling;
    weft_device_buffer *buffer;
    MAKE(buffer, weft_enqueue_create_buffer(context, WEFT_INT32, N, &buffer));
    STEP(weft_enqueue_copy(context, buffer, s->in));
    STEP(weft_enqueue_wait_for(sibling, context));
    STEP(weft_enqueue_wait_for(sibling, sibling));
    STEP(weft_enqueue_copy(sibling, s->out, buffer));
    STEP(scene_synchronize(s));
    HOLDS(SAME(s->in, s->out));
    return WEFT_OK;
}

/* More waits than a context remembers. */
static weft_status wait_for_many(scene *s) {
    for (int i = 0; i < 10; i++) {
        STEP(weft_enqueue_wait_for(kept_things.sibling, kept_things.context));
    }
    STEP(weft_synchronize(kept_things.sibling));
    return WEFT_OK;
}

/* A context is let go with waits of its own outstanding. */
static weft_status wait_and_release(scene *s) {
    weft_context *stream;
    MAKE(stream, weft_context_create_stream(kept_things.context, NULL, &stream));
    STEP(weft_enqueue_wait_for(stream, kept_things.context));
    STEP(weft_enqueue_wait_for(kept_things.context, stream));
    scene_release_newest(s);
    STEP(scene_synchronize(s));
    return WEFT_OK;
}

static weft_status wait_across(scene *s) {
    STEP(weft_enqueue_wait_for(kept_things.other, kept_things.context));
    STEP(weft_enqueue_wait_for(kept_things.context, kept_things.other));
    STEP(scene_synchronize(s));
    return WEFT_OK;
}

/* As many commands as a context lets run ahead, and a few more: those that count here. */
static weft_status many_in_flight(scene *s) {
    weft_device_buffer *buffer;
    MAKE(buffer, weft_enqueue_create_buffer(kept_things.context, WEFT_INT32, N, &buffer));
    fault_pause(true);
    for (int i = 0; i < 4094; i++) {
        STEP(weft_enqueue_fill_range(buffer, 0, 1, i));
    }
    fault_pause(false);
    for (int i = 0; i < 4; i++) {
        STEP(weft_enqueue_fill(buffer, i));
    }
    STEP(weft_synchronize(kept_things.context));
    STEP(weft_enqueue_copy(kept_things.context, s->out, buffer));
    STEP(weft_synchronize(kept_things.context));
    HOLDS(s->out[0] == 3 && s->out[N - 1] == 3);
    return WEFT_OK;
}

const scenario context_scenarios[] = {
    {"discover", discover, FRESH | SLOW, NULL},
    {"describe_nvidia", describe_nvidia, FRESH | SLOW, NVIDIA},
    {"describe_amd", describe_amd, FRESH | SLOW, AMD},
    {"context_first", context_first, FRESH | SLOW, NULL},
    {"no_driver", no_driver, FRESH | NO_DRIVER, NULL},
    {"context_create", context_create, 0, NULL},
    {"streams", streams, 0, NULL},
    {"many_contexts", many_contexts, KEEPS, NULL},
    {"wait_for", wait_for, KEEPS, NULL},
    {"wait_for_gpu", wait_for, KEEPS, GPU},
    {"wait_for_many", wait_for_many, KEEPS, NULL},
    {"wait_and_release", wait_and_release, KEEPS, NULL},
    {"wait_across", wait_across, KEEPS, NULL},
    {"many_in_flight", many_in_flight, KEEPS, NULL},
    {NULL, NULL, 0, NULL},
};
