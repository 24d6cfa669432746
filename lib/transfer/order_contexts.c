/* The order of a copy with the contexts its buffers belong to. */
#include "base/api.h"
#include "transfer/transfer.h"

static weft_context *owner_of(const region *region) {
    return region->memory ? memory_owner(region->memory) : region->host ? context_retain(region->host->owner) : NULL;
}

/* Most copies are: no lock is taken to see that. */
static bool is_of(const region *region, const weft_context *context) {
    return region->memory ? memory_is_owned_by(region->memory, context) : !region->host || region->host->owner == context;
}

weft_status order_may_wait(const region *a, const region *b) {
    const region *regions[2] = {a, b};
    weft_status status = WEFT_OK;
    for (int i = 0; i < 2 && !status; i++) {
        weft_context *owner = owner_of(regions[i]);
        status = owner ? context_may_wait(owner) : WEFT_OK;
        context_release(owner);
    }
    return status;
}

weft_status order_before(weft_context *context, const region *a, const region *b, order *out) {
    const region *regions[2] = {a, b};
    weft_status status = WEFT_OK;
    *out = (order){{NULL, NULL}};
    for (int i = 0; i < 2; i++) {
        if (!regions[i] || is_of(regions[i], context)) {
            continue;
        }
        weft_context *owner = owner_of(regions[i]);
        if (owner == context || owner == out->others[0]) {
            context_release(owner);
            continue;
        }
        out->others[i] = owner;
        weft_status waited = owner && !status ? context_wait_for(context, owner) : WEFT_OK;
        status = status ? status : waited;
    }
    return status;
}

weft_status order_after(weft_context *context, order *order, weft_status status) {
    for (int i = 0; i < 2; i++) {
        if (order->others[i]) {
            weft_status waited = status ? WEFT_OK : context_wait_for(order->others[i], context);
            status = status ? status : waited;
            context_release(order->others[i]);
        }
    }
    return status;
}
