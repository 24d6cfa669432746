/* The public view of the disk cache. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <weft/cache.h>

#include "base/api.h"
#include "program/cache_entry.h"
#include "program/cache_folder.h"

/* Opens the folder and lists it. *folder is -1, and there are no files, when there is no cache. */
static weft_status list_files(char *path, const char **why, int *folder, cache_file **files, size_t *count) {
    *files = NULL;
    *count = 0;
    *folder = cache_folder_open(path, why);
    if (*folder >= 0 && !cache_folder_list(*folder, files, count)) {
        bool memory = errno == ENOMEM;
        close(*folder);
        return memory ? error_host_memory(sizeof **files) : error_set(WEFT_ERROR_IO, "the cache's folder cannot be read");
    }
    return WEFT_OK;
}

static void end_list(int folder, cache_file *files) {
    free(files);
    if (folder >= 0) {
        close(folder);
    }
}

WEFT_API weft_status weft_cache_get_info(weft_cache_info *out) {
    error_function = __func__;
    if (!out) {
        return error_null("out");
    }
    cache_file *files;
    int folder;
    memset(out, 0, sizeof *out);
    weft_status status = list_files(out->folder, &out->why_not, &folder, &files, &out->count);
    if (status) {
        return status;
    }
    for (size_t i = 0; i < out->count; i++) {
        out->size_bytes += files[i].size_bytes;
    }
    out->limit_bytes = cache_folder_limit();
    end_list(folder, files);
    return WEFT_OK;
}

/* The kernels' names; NULL without memory. */
static char *name_kernels(const cache_entry *entry) {
    text names = {0};
    for (size_t i = 0; i < entry->n_kernels; i++) {
        text_printf(&names, "%s%s", i ? ", " : "", entry->kernels[i].name);
    }
    return text_take(&names);
}

static weft_status visit_file(int folder, const cache_file *file, weft_cache_visitor visit, void *user, bool *on) {
    text bytes = {0};
    cache_entry entry = {0};
    weft_cache_entry seen = {file->name, file->size_bytes, file->used_ns, false, "", ""};
    char *kernels = NULL, device[256] = "";
    weft_status status = WEFT_OK;
    bool whole = cache_folder_peek(folder, file->name, &bytes) && cache_entry_read(bytes.data, bytes.length, &entry);
    if (bytes.failed || entry.no_memory) {
        TRY(error_host_memory(file->size_bytes));
    }
    if (whole) {
        kernels = name_kernels(&entry);
        if (!kernels) {
            TRY(error_host_memory(bytes.length));
        }
        snprintf(device, sizeof device, "%.*s", (int)strcspn(entry.identity, "\n"), entry.identity);
        seen.whole = true;
        seen.device = device;
        seen.kernels = kernels;
    }
    *on = visit(&seen, user);
cleanup:
    free(kernels);
    cache_entry_free(&entry);
    text_free(&bytes);
    return status;
}

WEFT_API weft_status weft_cache_visit(weft_cache_visitor visit, void *user) {
    error_function = __func__;
    if (!visit) {
        return error_null("visit");
    }
    const char *why;
    cache_file *files;
    size_t count;
    int folder;
    bool on = true;
    weft_status status = list_files(NULL, &why, &folder, &files, &count);
    if (status) {
        return status;
    }
    for (size_t i = 0; i < count && on && !status; i++) {
        status = visit_file(folder, &files[i], visit, user, &on);
    }
    end_list(folder, files);
    return status;
}

WEFT_API weft_status weft_cache_clear(size_t *out_removed) {
    error_function = __func__;
    if (out_removed) {
        *out_removed = 0;
    }
    const char *why;
    cache_file *files;
    size_t count, removed = 0;
    int folder;
    weft_status status = list_files(NULL, &why, &folder, &files, &count);
    if (status) {
        return status;
    }
    for (size_t i = 0; i < count; i++) {
        if (unlinkat(folder, files[i].name, 0) == 0) {
            removed++;
        } else {
            status = error_set(WEFT_ERROR_IO, "%s cannot be removed", files[i].name);
        }
    }
    end_list(folder, files);
    if (out_removed) {
        *out_removed = removed;
    }
    return status;
}
