#include "cl/describe.h"

#include <CL/cl_ext.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Vendor queries of cl_nv_device_attribute_query, cl_amd_device_attribute_query, cl_khr_pci_bus_info, cl_khr_device_uuid. */
enum {
    NV_CAPABILITY_MAJOR = 0x4000,
    NV_CAPABILITY_MINOR = 0x4001,
    NV_REGISTERS_PER_BLOCK = 0x4002,
    NV_WARP_SIZE = 0x4003,
    NV_PCI_BUS = 0x4008,
    NV_PCI_SLOT = 0x4009,
    NV_PCI_DOMAIN = 0x400A,
    AMD_WAVEFRONT_WIDTH = 0x4043,
    KHR_PCI_BUS_INFO = 0x410F,
    KHR_UUID = 0x106A
};

char *describe_platform_name(cl_platform_id platform) {
    size_t size = 0;
    char *name = NULL;
    if (clGetPlatformInfo(platform, CL_PLATFORM_NAME, 0, NULL, &size) == CL_SUCCESS) {
        name = calloc(1, size + 1);
        if (name && clGetPlatformInfo(platform, CL_PLATFORM_NAME, size, name, NULL) != CL_SUCCESS) {
            free(name);
            name = NULL;
        }
    }
    return name;
}

/* Answers that must be there make the description fail together; the others stay zero. */
typedef struct questions {
    cl_device_id id;
    bool failed;
} questions;

static const char *ask_text(questions *ask, cl_device_info what) {
    size_t size = 0;
    char *answer = NULL;
    if (clGetDeviceInfo(ask->id, what, 0, NULL, &size) == CL_SUCCESS) {
        answer = calloc(1, size + 1);
    }
    if (!answer || clGetDeviceInfo(ask->id, what, size, answer, NULL) != CL_SUCCESS) {
        free(answer);
        ask->failed = true;
        return NULL;
    }
    return answer;
}

static void ask_value(questions *ask, cl_device_info what, size_t size, void *answer) {
    if (clGetDeviceInfo(ask->id, what, size, answer, NULL) != CL_SUCCESS) {
        ask->failed = true;
    }
}

static uint32_t ask_u32(questions *ask, cl_device_info what) {
    cl_uint answer = 0;
    ask_value(ask, what, sizeof answer, &answer);
    return answer;
}

static uint64_t ask_u64(questions *ask, cl_device_info what) {
    cl_ulong answer = 0;
    ask_value(ask, what, sizeof answer, &answer);
    return answer;
}

static size_t ask_size(questions *ask, cl_device_info what) {
    size_t answer = 0;
    ask_value(ask, what, sizeof answer, &answer);
    return answer;
}

/* Whether an optional question was answered, which a driver need not know. One that just now has no memory, or no
 * device, fails the description: the answer is for the life of the process. */
static bool answered(questions *ask, cl_int code) {
    ask->failed = ask->failed || code == CL_OUT_OF_RESOURCES || code == CL_OUT_OF_HOST_MEMORY || code == CL_INVALID_DEVICE;
    return code == CL_SUCCESS;
}

static bool try_ask(questions *ask, cl_device_info what, size_t size, void *answer) {
    return answered(ask, clGetDeviceInfo(ask->id, what, size, answer, NULL));
}

static const char *implementation_of(const char *platform) {
    static const char *const known[][2] = {
        {"Portable Computing Language", "pocl"}, {"rusticl", "rusticl"}, {"Oclgrind", "oclgrind"}, {"NVIDIA CUDA", "nvidia"}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (strstr(platform, known[i][0])) {
            return known[i][1];
        }
    }
    return "";
}

/* A CPU is named by its implementation, since its vendor is the processor's. */
static const char *token_of(const device_entry *entry) {
    static const char *const vendors[][2] = {{"NVIDIA", "nvidia"}, {"Advanced Micro Devices", "amd"}, {"AMD", "amd"},
                                             {"Intel", "intel"},   {"Apple", "apple"}};
    if (!*entry->implementation || strcmp(entry->info.kind, "cpu") != 0) {
        for (size_t i = 0; i < sizeof vendors / sizeof *vendors; i++) {
            if (strstr(entry->info.vendor, vendors[i][0])) {
                return vendors[i][1];
            }
        }
    }
    return *entry->implementation ? entry->implementation : "opencl";
}

/* Work-groups of one launch. PoCL: 2^32 gave SIGILL, 2^32 + 5 success and wrong results, 2^33 an assert. NVIDIA's
 * driver took 2^63 and never came back; 2^31 - 1 is the hardware's grid. Oclgrind lists every group, 22 bytes each,
 * before the first runs, and aborts without memory. No driver was seen to be right beyond 2^32 - 1. */
static uint64_t max_groups_of(const char *implementation) {
    return strcmp(implementation, "nvidia") == 0     ? INT32_MAX
           : strcmp(implementation, "oclgrind") == 0 ? UINT64_C(1) << 26
                                                     : UINT32_MAX;
}

static bool has_word(const char *list, const char *word) {
    size_t length = strlen(word);
    for (const char *at = list; (at = strstr(at, word)); at += length) {
        if ((at == list || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0')) {
            return true;
        }
    }
    return false;
}

static void describe_limits(questions *ask, weft_device_info *info) {
    info->compute_units = ask_u32(ask, CL_DEVICE_MAX_COMPUTE_UNITS);
    info->clock_mhz = ask_u32(ask, CL_DEVICE_MAX_CLOCK_FREQUENCY);
    info->max_threads_per_block = ask_size(ask, CL_DEVICE_MAX_WORK_GROUP_SIZE);
    info->max_shared_bytes = ask_u64(ask, CL_DEVICE_LOCAL_MEM_SIZE);
    info->max_argument_bytes = ask_size(ask, CL_DEVICE_MAX_PARAMETER_SIZE);
    info->max_allocation_bytes = ask_u64(ask, CL_DEVICE_MAX_MEM_ALLOC_SIZE);
    info->global_memory_bytes = ask_u64(ask, CL_DEVICE_GLOBAL_MEM_SIZE);
    info->cache_bytes = ask_u64(ask, CL_DEVICE_GLOBAL_MEM_CACHE_SIZE);
    info->view_alignment_bytes = ask_u32(ask, CL_DEVICE_MEM_BASE_ADDR_ALIGN) / 8;
    info->unified_memory = ask_u32(ask, CL_DEVICE_HOST_UNIFIED_MEMORY) != 0;
    size_t sizes[16] = {0};
    if (ask_u32(ask, CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS) <= 16) {
        ask_value(ask, CL_DEVICE_MAX_WORK_ITEM_SIZES, sizeof sizes, sizes);
    }
    memcpy(info->max_block_dim, sizes, sizeof info->max_block_dim);
}

static void describe_capabilities(questions *ask, device_entry *entry) {
    weft_device_info *info = &entry->info;
    const char *extensions = ask_text(ask, CL_DEVICE_EXTENSIONS);
    if (!extensions) {
        return;
    }
    cl_bitfield bits = 0;
    info->fp64 = try_ask(ask, CL_DEVICE_DOUBLE_FP_CONFIG, sizeof bits, &bits) && bits != 0;
    info->fp16 = has_word(extensions, "cl_khr_fp16");
    info->int64_atomics = has_word(extensions, "cl_khr_int64_base_atomics");
    info->subgroups = has_word(extensions, "cl_khr_subgroups") || has_word(extensions, "cl_intel_subgroups");
    /* Queries of OpenCL 2.x only where the device speaks it: Oclgrind behind a loader hangs on some. */
    bits = 0;
    info->svm = entry->version >= 200 && try_ask(ask, CL_DEVICE_SVM_CAPABILITIES, sizeof bits, &bits) &&
                (bits & CL_DEVICE_SVM_COARSE_GRAIN_BUFFER);
    info->il = has_word(extensions, "cl_khr_il_program");
    if (entry->version >= 210 && !info->il) {
        size_t size = 0;
        info->il = answered(ask, clGetDeviceInfo(entry->id, CL_DEVICE_IL_VERSION, 0, NULL, &size)) && size > 1;
    }
    cl_bitfield queue = 0;
    ask_value(ask, CL_DEVICE_QUEUE_PROPERTIES, sizeof queue, &queue);
    entry->profiling = queue & CL_QUEUE_PROFILING_ENABLE;
    entry->priorities = has_word(extensions, "cl_khr_priority_hints");
    info->timestamps = entry->profiling && !(entry->quirks & QUIRK_TIMES_ARE_NONE);

    cl_uint warp = 1;
    info->warp_size = 1;
    if (has_word(extensions, "cl_nv_device_attribute_query")) {
        try_ask(ask, NV_WARP_SIZE, sizeof warp, &warp);
        try_ask(ask, NV_CAPABILITY_MAJOR, sizeof(cl_uint), &entry->capability_major);
        try_ask(ask, NV_CAPABILITY_MINOR, sizeof(cl_uint), &entry->capability_minor);
        try_ask(ask, NV_REGISTERS_PER_BLOCK, sizeof(cl_uint), &entry->registers_per_block);
        cl_uint slot = 0;
        info->has_pci = try_ask(ask, NV_PCI_BUS, sizeof(cl_uint), &info->pci_bus) &&
                        try_ask(ask, NV_PCI_SLOT, sizeof slot, &slot);
        try_ask(ask, NV_PCI_DOMAIN, sizeof(cl_uint), &info->pci_domain);
        info->pci_device = slot >> 3;
        info->pci_function = slot & 7;
    } else if (has_word(extensions, "cl_amd_device_attribute_query")) {
        try_ask(ask, AMD_WAVEFRONT_WIDTH, sizeof warp, &warp);
    }
    info->warp_size = warp ? warp : 1;
    if (has_word(extensions, "cl_khr_pci_bus_info")) {
        cl_uint pci[4];
        info->has_pci = try_ask(ask, KHR_PCI_BUS_INFO, sizeof pci, pci);
        if (info->has_pci) {
            info->pci_domain = pci[0], info->pci_bus = pci[1], info->pci_device = pci[2], info->pci_function = pci[3];
        }
    }
    if (has_word(extensions, "cl_khr_device_uuid")) {
        info->has_uuid = try_ask(ask, KHR_UUID, sizeof info->uuid, info->uuid);
    }
    free((void *)extensions);
}

static void entry_free(device_entry *entry) {
    const weft_device_info *info = &entry->info;
    const char *const texts[] = {info->platform, info->name, info->vendor, info->driver_version, info->opencl_version,
                                 info->opencl_c_version};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        free((void *)texts[i]);
    }
    free(entry);
}

device_entry *describe_device(cl_platform_id platform, cl_device_id id) {
    device_entry *entry = calloc(1, sizeof *entry);
    if (!entry) {
        return NULL;
    }
    questions ask = {id, false};
    weft_device_info *info = &entry->info;
    entry->platform = platform;
    entry->id = id;
    info->platform = describe_platform_name(platform);
    info->name = ask_text(&ask, CL_DEVICE_NAME);
    info->vendor = ask_text(&ask, CL_DEVICE_VENDOR);
    info->driver_version = ask_text(&ask, CL_DRIVER_VERSION);
    info->opencl_version = ask_text(&ask, CL_DEVICE_VERSION);
    info->opencl_c_version = ask_text(&ask, CL_DEVICE_OPENCL_C_VERSION);
    cl_device_type type = ask_u64(&ask, CL_DEVICE_TYPE);
    if (ask.failed || !info->platform) {
        entry_free(entry);
        return NULL;
    }
    info->kind = type & CL_DEVICE_TYPE_CPU ? "cpu" : type & CL_DEVICE_TYPE_GPU ? "gpu" : "accelerator";
    entry->implementation = implementation_of(info->platform);
    entry->quirks = quirks_of(entry->implementation);
    if (strcmp(entry->implementation, "pocl") == 0 && strncmp(info->name, "basic", 5) == 0) {
        entry->quirks |= QUIRK_NO_USER_EVENTS; /* this device of PoCL's runs a command inside its enqueue call */
    }
    entry->max_groups = max_groups_of(entry->implementation);
    entry->max_items = entry->quirks & QUIRK_ITEMS_BELOW_2_32 ? UINT32_MAX : UINT64_MAX;
    info->api = token_of(entry);
    int major = 1, minor = 0;
    sscanf(info->opencl_version, "OpenCL %d.%d", &major, &minor);
    entry->version = major * 100 + minor * 10;
    describe_limits(&ask, info);
    describe_capabilities(&ask, entry);
    entry->usable = ask_u32(&ask, CL_DEVICE_AVAILABLE) && ask_u32(&ask, CL_DEVICE_COMPILER_AVAILABLE);
    if (ask.failed) {
        entry_free(entry);
        return NULL;
    }
    return entry;
}
