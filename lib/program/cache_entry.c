#include "program/cache_entry.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

/* In the machine's own byte order, as the binary is. */
typedef struct header {
    char magic[8];
    uint32_t format, byte_order;
    uint64_t size_bytes;    /* of header and body */
    XXH128_hash_t checksum; /* of the body */
} header;

static const char magic[8] = "weftcach";
enum { BYTE_ORDER_MARK = 0x01020304 };

/* ---- Writing -------------------------------------------------------------------------------------- */

static void put_number(text *out, uint64_t value) { text_append(out, (const char *)&value, sizeof value); }

static void put_bytes(text *out, const void *bytes, size_t size) {
    put_number(out, size);
    text_append(out, bytes, size);
}

/* With its NUL, so that a reader can use it in place. */
static void put_string(text *out, const char *string) { put_bytes(out, string, strlen(string) + 1); }

static void put_param(text *out, const param *param) {
    put_string(out, param->name);
    put_string(out, param->type_name);
    put_number(out, param->kind);
    put_number(out, param->space);
    put_number(out, (uint64_t)param->is_const | (uint64_t)param->is_restrict << 1 | (uint64_t)param->is_volatile << 2);
    put_number(out, param->type.base);
    put_number(out, param->type.element_bytes);
    put_number(out, param->type.width);
    put_number(out, param->type.size_bytes);
    put_number(out, param->type.alignment);
    put_number(out, param->index);
    put_number(out, param->tensor.rank);
    put_number(out, (uint64_t)param->tensor.is_rows | (uint64_t)param->tensor.is_narrow << 1);
}

static void put_body(text *out, const cache_entry *entry) {
    put_string(out, entry->identity);
    put_string(out, entry->log);
    put_number(out, entry->n_kernels);
    for (size_t i = 0; i < entry->n_kernels; i++) {
        const kernel *kernel = &entry->kernels[i];
        put_string(out, kernel->driver_name);
        put_number(out, (uint64_t)(kernel->name - kernel->driver_name));
        put_number(out, kernel->padded);
        put_number(out, kernel->has_asserts);
        put_number(out, kernel->asserts_index);
        put_number(out, kernel->n_params);
        for (size_t k = 0; k < kernel->n_params; k++) {
            put_param(out, &kernel->params[k]);
        }
    }
    put_bytes(out, entry->binary, entry->binary_bytes);
}

void cache_entry_write(const cache_entry *entry, text *out) {
    header head = {.format = CACHE_FORMAT, .byte_order = BYTE_ORDER_MARK};
    memcpy(head.magic, magic, sizeof magic);
    text_append(out, (const char *)&head, sizeof head);
    put_body(out, entry);
    if (!out->failed) {
        head.size_bytes = out->length;
        head.checksum = XXH3_128bits(out->data + sizeof head, out->length - sizeof head);
        memcpy(out->data, &head, sizeof head);
    }
}

/* ---- Reading -------------------------------------------------------------------------------------- */

/* The rest of the body. Errors stick, and what is read after one is 0 or "". */
typedef struct reader {
    const char *at, *end;
    bool failed, no_memory;
} reader;

static const char *get_bytes(reader *r, size_t size) {
    if (r->failed || size > (size_t)(r->end - r->at)) {
        r->failed = true;
        return NULL;
    }
    const char *bytes = r->at;
    r->at += size;
    return bytes;
}

/* A number below limit. */
static uint64_t get_number(reader *r, uint64_t limit) {
    uint64_t value = 0;
    const char *bytes = get_bytes(r, sizeof value);
    if (bytes) {
        memcpy(&value, bytes, sizeof value);
    }
    if (value >= limit) {
        r->failed = true;
        return 0;
    }
    return value;
}

static const char *get_string(reader *r) {
    size_t size = get_number(r, SIZE_MAX);
    const char *string = get_bytes(r, size);
    if (!string || size == 0 || strnlen(string, size) != size - 1) {
        r->failed = true;
        return "";
    }
    return string;
}

static char *get_copy(reader *r) {
    char *copy = strdup(get_string(r));
    r->no_memory = r->no_memory || !copy;
    r->failed = r->failed || !copy;
    return copy;
}

/* An array of count items, each of which takes at least least_bytes of what is left. */
static void *get_array(reader *r, uint64_t count, size_t least_bytes, size_t item_bytes) {
    if (r->failed || count > (uint64_t)(r->end - r->at) / least_bytes) {
        r->failed = true;
        return NULL;
    }
    void *items = calloc(count ? count : 1, item_bytes);
    r->failed = r->no_memory = !items;
    return items;
}

static void get_param(reader *r, param *out) {
    out->name = get_copy(r);
    out->type_name = get_copy(r);
    out->kind = (weft_arg_class)get_number(r, WEFT_PARAM_TENSOR + 1);
    out->space = (weft_address_space)get_number(r, WEFT_SPACE_LOCAL + 1);
    uint64_t flags = get_number(r, 8);
    out->is_const = flags & 1;
    out->is_restrict = flags & 2;
    out->is_volatile = flags & 4;
    out->type.base = (base_type)get_number(r, BASE_STRUCT + 1);
    out->type.element_bytes = get_number(r, SIZE_MAX);
    out->type.width = get_number(r, SIZE_MAX);
    out->type.size_bytes = get_number(r, SIZE_MAX);
    out->type.alignment = get_number(r, SIZE_MAX);
    out->index = (cl_uint)get_number(r, UINT32_MAX);
    out->tensor.rank = get_number(r, WEFT_MAX_RANK + 1);
    uint64_t form = get_number(r, 4);
    out->tensor.is_rows = form & 1;
    out->tensor.is_narrow = form & 2;
}

static void get_kernel(reader *r, kernel *out) {
    enum { PARAM_BYTES = 13 * sizeof(uint64_t) };
    out->driver_name = get_copy(r);
    uint64_t skip = get_number(r, out->driver_name ? strlen(out->driver_name) + 1 : 1);
    out->name = out->driver_name ? out->driver_name + skip : NULL;
    out->padded = get_number(r, 2);
    out->has_asserts = get_number(r, 2);
    out->asserts_index = (cl_uint)get_number(r, UINT32_MAX);
    uint64_t n_params = get_number(r, UINT32_MAX);
    out->params = get_array(r, n_params, PARAM_BYTES, sizeof *out->params);
    while (!r->failed && out->n_params < n_params) {
        get_param(r, &out->params[out->n_params++]);
    }
}

bool cache_entry_read(const char *bytes, size_t size, cache_entry *out) {
    enum { KERNEL_BYTES = 6 * sizeof(uint64_t) };
    header head;
    *out = (cache_entry){0};
    if (size < sizeof head) {
        return false;
    }
    memcpy(&head, bytes, sizeof head);
    const char *body = bytes + sizeof head;
    if (memcmp(head.magic, magic, sizeof magic) != 0 || head.format != CACHE_FORMAT || head.byte_order != BYTE_ORDER_MARK ||
        head.size_bytes != size || !XXH128_isEqual(XXH3_128bits(body, size - sizeof head), head.checksum)) {
        return false;
    }
    reader r = {.at = body, .end = bytes + size};
    out->identity = get_string(&r);
    out->log = get_string(&r);
    uint64_t n_kernels = get_number(&r, UINT32_MAX);
    out->kernels = get_array(&r, n_kernels, KERNEL_BYTES, sizeof *out->kernels);
    while (!r.failed && out->n_kernels < n_kernels) {
        get_kernel(&r, &out->kernels[out->n_kernels++]);
    }
    out->binary_bytes = get_number(&r, SIZE_MAX);
    out->binary = get_bytes(&r, out->binary_bytes);
    if (r.failed || r.at != r.end) {
        cache_entry_free(out);
        out->no_memory = r.no_memory;
        return false;
    }
    return true;
}

bool cache_entry_begins(const void *bytes, size_t size) {
    return size >= sizeof magic && memcmp(bytes, magic, sizeof magic) == 0;
}

void cache_entry_free(cache_entry *entry) {
    for (size_t i = 0; i < entry->n_kernels; i++) {
        kernel_free_names(&entry->kernels[i]);
    }
    free(entry->kernels);
    *entry = (cache_entry){0};
}
