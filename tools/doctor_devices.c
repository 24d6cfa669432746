/* weft doctor: what runs in processes of its own. */
#include <dlfcn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <weft/weft.h>

#include "doctor_devices.h"
#include "tool.h"

/* ---- A library ------------------------------------------------------------------------------------- */

static json_t *load(void *user) {
    const library_question *question = user;
    void *library = dlopen(question->name, RTLD_LAZY | RTLD_LOCAL); /* as the loader does */
    bool found = library && dlsym(library, question->symbol);
    return json_pack("{s:o, s:b}", "problem", library ? json_null() : json_text(dlerror()), "found", found);
}

probe doctor_load(const library_question *question, double limit_s) {
    library_question copy = *question;
    return probe_run(load, &copy, limit_s);
}

/* ---- The devices that a process sees --------------------------------------------------------------- */

/* One driver alone: what else is in the environment may be broken too. */
static void isolate(const char *vendors) {
    if (vendors) {
        setenv("OCL_ICD_VENDORS", vendors, 1);
        unsetenv("OPENCL_LAYERS");
        unsetenv("WEFT_DEVICE");
    }
}

static json_t *json_device(const weft_device_info *info) {
    return json_pack("{s:o, s:s, s:i, s:o, s:s, s:o, s:o, s:o}", "device", json_sprintf("%s:%d", info->api, info->id), "api", info->api,
                     "id", info->id, "name", json_text(info->name), "kind", info->kind, "platform", json_text(info->platform),
                     "driver_version", json_text(info->driver_version), "problem", json_null());
}

static json_t *list(void *user) {
    json_t *devices = json_array();
    weft_device_info info;
    isolate(user);
    size_t count = weft_number_of_devices("any");
    for (size_t i = 0; i < count; i++) {
        if (weft_device_get_info("any", (int)i, &info) == WEFT_OK) {
            json_array_append_new(devices, json_device(&info));
        }
    }
    /* Asked for also when there is none, since weft then says why. */
    bool none = weft_device_get_info(user ? "any" : NULL, 0, &info) != WEFT_OK;
    return json_pack("{s:o, s:o, s:o}", "devices", devices, "default",
                     none ? json_null() : json_sprintf("%s:%d", info.api, info.id), "problem",
                     none ? json_text(weft_error_message()) : json_null());
}

probe doctor_list(const char *vendors, double limit_s) {
    return probe_run(list, (void *)vendors, limit_s);
}

/* ---- A launch -------------------------------------------------------------------------------------- */

enum { LENGTH = 1000 };

static weft_status compute(weft_context *context, int32_t out[LENGTH]) {
    static const char source[] = "kernel void square(global int *x, int add) { int i = get_global_id(0); x[i] = i * i + add; }";
    weft_function *square = NULL;
    weft_device_buffer *buffer = NULL;
    weft_status status = weft_compile_function(context, source, "square", NULL, &square);
    status = status ? status : weft_enqueue_create_buffer(context, WEFT_INT32, LENGTH, &buffer);
    status = status ? status : weft_enqueue_function(context, square, LENGTH / 10, 10, buffer, 7);
    status = status ? status : weft_enqueue_copy(context, out, buffer);
    status = status ? status : weft_synchronize(context);
    weft_device_buffer_release(buffer);
    weft_function_release(square);
    return status;
}

static json_t *launch(void *user) {
    const launch_question *question = user;
    static int32_t out[LENGTH];
    weft_context *context = NULL;
    setenv("WEFT_CACHE", "0", 1); /* the compiler has to work too */
    isolate(question->vendors);
    const weft_context_options options = {.api = question->api, .device_id = question->id};
    weft_status status = weft_context_create(&options, &context);
    status = status ? status : compute(context, out);
    json_t *problem = status ? json_text(weft_error_message()) : json_null();
    for (int i = 0; !status && i < LENGTH; i++) {
        if (out[i] != i * i + 7) {
            json_decref(problem);
            problem = json_sprintf("computes wrong: %d * %d + 7 is %d", i, i, out[i]);
            break;
        }
    }
    return json_pack("{s:o}", "problem", problem);
}

probe doctor_launch(const launch_question *question, double limit_s) {
    launch_question copy = *question;
    return probe_run(launch, &copy, limit_s);
}
