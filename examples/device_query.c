/* device_query: which devices there are, and what each can do.
 *
 * Asks for the number of devices, for the kinds of accelerator, and for the description of every device.
 * None of it creates a context.
 */
#include <stdio.h>

#include <weft/weft.h>

static const char *yes_no(bool value) { return value ? "yes" : "no"; }

static double mebibytes(size_t bytes) { return (double)bytes / (1024.0 * 1024.0); }

static void print_device(const weft_device_info *info) {
    printf("%s:%d  %s (%s)\n", info->api, info->id, info->name, info->kind);
    printf("  vendor            %s\n", info->vendor);
    printf("  platform          %s, driver %s\n", info->platform, info->driver_version);
    printf("  OpenCL            %s, %s\n", info->opencl_version, info->opencl_c_version);
    printf("  compute units     %u at %u MHz, warps of %u\n", info->compute_units, info->clock_mhz, info->warp_size);
    printf("  block             up to %zu threads, %zu x %zu x %zu\n", info->max_threads_per_block,
           info->max_block_dim[0], info->max_block_dim[1], info->max_block_dim[2]);
    printf("  shared memory     %zu KiB a block\n", info->max_shared_bytes / 1024);
    printf("  global memory     %.0f MiB, one buffer up to %.0f MiB, %s host memory\n",
           mebibytes(info->global_memory_bytes), mebibytes(info->max_allocation_bytes),
           info->unified_memory ? "shared with" : "apart from");
    printf("  cache             %zu KiB\n", info->cache_bytes / 1024);
    printf("  fp64 %s, fp16 %s, int64 atomics %s, subgroups %s, SVM %s, SPIR-V %s\n", yes_no(info->fp64),
           yes_no(info->fp16), yes_no(info->int64_atomics), yes_no(info->subgroups), yes_no(info->svm),
           yes_no(info->il));
    if (info->has_pci) {
        printf("  PCI               %04x:%02x:%02x.%x\n", info->pci_domain, info->pci_bus, info->pci_device,
               info->pci_function);
    }
}

int main(void) {
    if (weft_number_of_devices(NULL) == 0) {
        puts("No compatible device found");
        return 0;
    }

    printf("weft %s, %zu devices: %zu GPUs, %zu CPUs\n", weft_version(), weft_number_of_devices("any"),
           weft_number_of_devices("gpu"), weft_number_of_devices("cpu"));
    printf("Accelerator: %s (NVIDIA GPU %s, AMD GPU %s, Intel GPU %s, Apple GPU %s)\n",
           yes_no(weft_has_accelerator()), yes_no(weft_has_nvidia_gpu_accelerator()),
           yes_no(weft_has_amd_gpu_accelerator()), yes_no(weft_has_intel_gpu_accelerator()),
           yes_no(weft_has_apple_gpu_accelerator()));

    /* NULL and 0 name the default device, which WEFT_DEVICE in the environment may change; "any" counts all. */
    weft_device_info info;
    WEFT_CHECK(weft_device_get_info(NULL, 0, &info));
    printf("Default: %s:%d  %s\n", info.api, info.id, info.name);

    const int count = (int)weft_number_of_devices("any");
    for (int id = 0; id < count; id++) {
        printf("\n");
        WEFT_CHECK(weft_device_get_info("any", id, &info));
        print_device(&info);
    }
    return 0;
}
