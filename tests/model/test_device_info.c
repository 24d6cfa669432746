/* Which devices there are and what each says: counts, order, names, limits, and the choice by environment. */
#include <stdio.h>

#include "support.h"

START_TEST(kinds_add_up) {
    size_t all = weft_number_of_devices(NULL);
    ck_assert_uint_ge(all, 1);
    ck_assert_uint_eq(weft_number_of_devices("any"), all);
    ck_assert_uint_eq(weft_number_of_devices("gpu") + weft_number_of_devices("accelerator") + weft_number_of_devices("cpu"), all);
    ck_assert(weft_has_accelerator() == (weft_number_of_devices("gpu") + weft_number_of_devices("accelerator") > 0));
}
END_TEST

START_TEST(api_names_have_aliases_and_no_case) {
    static const char *const same[][2] = {{"nvidia", "cuda"}, {"amd", "hip"}, {"apple", "metal"},     {"any", "ANY"},
                                          {"gpu", "Gpu"},     {"cpu", "CPU"}, {"PoCL", "pocl"},       {"RUSTICL", "rusticl"},
                                          {"CUDA", "NVidia"}, {"Hip", "AMD"}, {"Oclgrind", "oclgrind"}};
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        ck_assert_uint_eq(weft_number_of_devices(same[i][0]), weft_number_of_devices(same[i][1]));
    }
    static const char *const unknown[] = {"", "nosuch", "gpu0", "pocl:0", " gpu", "gp"};
    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++) {
        ck_assert_uint_eq(weft_number_of_devices(unknown[i]), 0);
    }
    ck_assert_uint_ge(weft_number_of_devices(test_driver()), 1);
}
END_TEST

static int kind_rank(const char *kind) {
    static const char *const kinds[] = {"gpu", "accelerator", "cpu"};
    for (int i = 0; i < 3; i++) {
        if (strcmp(kind, kinds[i]) == 0) {
            return i;
        }
    }
    ck_abort_msg("a device of kind \"%s\"", kind);
    return -1;
}

/* GPUs, accelerators, CPUs; by platform name within a kind; ids count within the token. */
START_TEST(devices_are_in_their_order) {
    size_t n = weft_number_of_devices("any");
    weft_device_info before = {0};
    for (size_t i = 0; i < n; i++) {
        weft_device_info info, same;
        OK(weft_device_get_info("any", (int)i, &info));
        if (i) {
            ck_assert_int_ge(kind_rank(info.kind), kind_rank(before.kind));
            ck_assert(kind_rank(info.kind) > kind_rank(before.kind) || strcmp(info.platform, before.platform) >= 0);
        }
        int id = 0;
        for (size_t j = 0; j < i; j++) {
            OK(weft_device_get_info("any", (int)j, &same));
            id += strcmp(same.api, info.api) == 0;
        }
        ck_assert_int_eq(info.id, id);
        OK(weft_device_get_info(info.api, info.id, &same));
        ck_assert_str_eq(same.name, info.name);
        ck_assert_str_eq(same.platform, info.platform);
        ck_assert_int_eq(same.id, info.id);
        before = info;
    }
}
END_TEST

START_TEST(every_device_describes_itself) {
    static const char *const tokens[] = {"nvidia", "amd", "intel", "apple", "pocl", "rusticl", "oclgrind", "opencl"};
    bool nvidia_gpu = false, amd_gpu = false, intel_gpu = false, apple_gpu = false;
    for (size_t i = 0; i < weft_number_of_devices("any"); i++) {
        weft_device_info info;
        OK(weft_device_get_info("any", (int)i, &info));
        const char *const texts[] = {info.name, info.vendor, info.api, info.kind, info.platform, info.driver_version,
                                     info.opencl_version, info.opencl_c_version};
        for (int t = 0; t < 8; t++) {
            ck_assert_msg(texts[t] && texts[t][0], "device %zu: text %d is empty", i, t);
        }
        bool known = false;
        for (size_t t = 0; t < sizeof tokens / sizeof *tokens; t++) {
            known |= strcmp(info.api, tokens[t]) == 0;
        }
        ck_assert_msg(known, "api %s", info.api);
        ck_assert_int_eq(strncmp(info.opencl_version, "OpenCL ", 7), 0);
        ck_assert_int_eq(strncmp(info.opencl_c_version, "OpenCL C ", 9), 0);
        ck_assert_uint_ge(info.compute_units, 1);
        ck_assert_uint_ge(info.warp_size, 1);
        ck_assert_uint_ge(info.max_threads_per_block, 1);
        for (int d = 0; d < 3; d++) {
            ck_assert_uint_ge(info.max_block_dim[d], 1);
        }
        ck_assert_uint_ge(info.max_shared_bytes, 1024);
        ck_assert_uint_ge(info.max_argument_bytes, 256);
        ck_assert_uint_ge(info.max_allocation_bytes, 1 << 20);
        ck_assert_uint_ge(info.global_memory_bytes, info.max_allocation_bytes / 2);
        ck_assert_uint_ge(info.view_alignment_bytes, 1);
        bool gpu = strcmp(info.kind, "gpu") == 0;
        nvidia_gpu |= gpu && strcmp(info.api, "nvidia") == 0;
        amd_gpu |= gpu && strcmp(info.api, "amd") == 0;
        intel_gpu |= gpu && strcmp(info.api, "intel") == 0;
        apple_gpu |= gpu && strcmp(info.api, "apple") == 0;
    }
    ck_assert(weft_has_nvidia_gpu_accelerator() == nvidia_gpu);
    ck_assert(weft_has_amd_gpu_accelerator() == amd_gpu);
    ck_assert(weft_has_intel_gpu_accelerator() == intel_gpu);
    ck_assert(weft_has_apple_gpu_accelerator() == apple_gpu);
}
END_TEST

/* What the probes of these drivers found. */
START_TEST(known_drivers_say_what_they_can) {
    weft_context *ctx = test_context();
    weft_device_info info;
    OK(weft_device_get_info(weft_context_api(ctx), weft_context_id(ctx), &info));
    if (on_driver("nvidia")) {
        ck_assert_str_eq(info.kind, "gpu");
        ck_assert(info.fp64 && info.int64_atomics && !info.fp16 && !info.unified_memory);
        ck_assert_uint_eq(info.warp_size, 32);
    } else if (on_driver("rusticl")) {
        ck_assert_str_eq(info.kind, "cpu");
        ck_assert(!info.fp64 && !info.fp16 && !info.int64_atomics && !info.svm);
    } else if (on_driver("pocl") || on_driver("oclgrind")) {
        ck_assert_str_eq(info.kind, "cpu");
        ck_assert(info.fp64 && info.int64_atomics);
    } else {
        SKIP("a driver that was not probed");
    }
}
END_TEST

static void no_device(const char *api, int id) {
    weft_device_info info;
    memset(&info, 0x5A, sizeof info);
    weft_context *ctx = (weft_context *)(uintptr_t)0x10;
    FAILS(WEFT_ERROR_NO_DEVICE, weft_device_get_info(api, id, &info));
    SAYS(weft_context_name(test_context())); /* lists what exists */
    ck_assert(info.name == NULL && info.api == NULL && info.compute_units == 0 && info.global_memory_bytes == 0);
    FAILS(WEFT_ERROR_NO_DEVICE, weft_context_create(&(weft_context_options){.api = api, .device_id = id}, &ctx));
    SAYS(weft_context_name(test_context()));
    ck_assert_ptr_null(ctx);
}

START_TEST(what_is_not_there_is_refused_with_a_list) {
    no_device("nosuch", 0);
    no_device("any", -1);
    no_device("any", (int)weft_number_of_devices("any"));
    no_device(test_driver(), (int)weft_number_of_devices(test_driver()));
    no_device("any", INT32_MAX);
    no_device("cpu", INT32_MIN);
}
END_TEST

START_TEST(environment_chooses_the_default) {
    weft_context *ctx = test_context();
    const char *before = getenv("WEFT_DEVICE");
    char *restore = before ? strdup(before) : NULL, choice[64];
    weft_device_info info, other;
    for (size_t i = 0; i < weft_number_of_devices("any"); i++) {
        OK(weft_device_get_info("any", (int)i, &info));
        snprintf(choice, sizeof choice, "%s:%d", info.api, info.id);
        setenv("WEFT_DEVICE", choice, 1);
        OK(weft_device_get_info(NULL, 0, &other));
        ck_assert_str_eq(other.api, info.api);
        ck_assert_int_eq(other.id, info.id);
    }
    OK(weft_device_get_info("any", 0, &info));
    setenv("WEFT_DEVICE", info.api, 1); /* without an index: the first */
    OK(weft_device_get_info(NULL, 0, &other));
    ck_assert_str_eq(other.api, info.api);
    ck_assert_int_eq(other.id, 0);
    static const char *const bad[] = {"nosuch", "nosuch:0", "cpu:99", "cpu:-1", "cpu:", "cpu:x", "any:0x", ":0"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        setenv("WEFT_DEVICE", bad[i], 1);
        FAILS(WEFT_ERROR_NO_DEVICE, weft_device_get_info(NULL, 0, &other));
        SAYS("WEFT_DEVICE");
        SAYS(bad[i]);
        SAYS(weft_context_name(ctx));
        OK(weft_device_get_info("any", 0, &other)); /* whoever asks by name is not concerned */
    }
    if (restore) {
        setenv("WEFT_DEVICE", restore, 1);
    } else {
        unsetenv("WEFT_DEVICE");
    }
    free(restore);
    OK(weft_device_get_info(NULL, 0, &other));
    ck_assert_str_eq(other.api, weft_context_api(ctx));
    ck_assert_int_eq(other.id, weft_context_id(ctx));
}
END_TEST

TESTS(kinds_add_up, api_names_have_aliases_and_no_case, devices_are_in_their_order, every_device_describes_itself,
      known_drivers_say_what_they_can, what_is_not_there_is_refused_with_a_list, environment_chooses_the_default)
