/* program/assemble: any source, with any headers and options, becomes a text and a map of its lines, or is refused.
 *
 * The input is parts between NUL bytes: the source, then those that `parts` names. From the root of the tree:
 *   clang -std=c11 -D_GNU_SOURCE -g -O1 -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all -Iinclude -Ilib \
 *       tests/fuzz/fuzz_assemble.c lib/program/assemble.c lib/program/directive.c lib/program/defines.c lib/base/text.c \
 *       -o fuzz_assemble && ./fuzz_assemble -max_total_time=60 -timeout=20 -dict=tests/fuzz/assemble.dict
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "program/assemble.h"
#include "program/prelude.h"

const char prelude_text[] = "#ifndef WEFT_CLH\n#define WEFT_CLH\nint of_the_prelude;\n#endif\n";

enum { SOURCE, HEADER_A, HEADER_B, HEADER_C, DEFINE_1, DEFINE_2, EXTRA, NAME, LOG, N_PARTS };

static const char *const headers[N_PARTS] = {[HEADER_A] = "a.h", [HEADER_B] = "b.h", [HEADER_C] = "sub/c.h"};
static char root[] = "/dev/shm/weft_fuzz_XXXXXX";
static char sub[64];

static void require(bool condition) {
    if (!condition) {
        abort();
    }
}

static void clean_up(void) {
    for (size_t i = 0; i < N_PARTS; i++) {
        char path[128];
        snprintf(path, sizeof path, "%s/%s", root, headers[i] ? headers[i] : "none");
        unlink(path);
    }
    rmdir(sub);
    rmdir(root);
}

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerInitialize(int *argc, char ***argv) {
    (void)argc, (void)argv;
    require(mkdtemp(root) && snprintf(sub, sizeof sub, "%s/sub", root) > 0 && mkdir(sub, 0700) == 0);
    return atexit(clean_up);
}

static void write_header(const char *name, const char *text) {
    char path[128];
    snprintf(path, sizeof path, "%s/%s", root, name);
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    require(file >= 0 && write(file, text, strlen(text)) == (ssize_t)strlen(text) && close(file) == 0);
}

/* Cuts the copy at its NUL bytes; what is missing is empty. The last part has the rest, up to its first NUL. */
static void cut(char *copy, size_t size, const char *parts[N_PARTS]) {
    char *at = copy, *end = copy + size;
    for (size_t i = 0; i < N_PARTS; i++) {
        parts[i] = at;
        at += strlen(at);
        at += at < end;
    }
}

static size_t count_lines(const char *text) {
    size_t lines = 1;
    for (; (text = strchr(text, '\n')) != NULL; text++) {
        lines++;
    }
    return lines;
}

static void check(const assembled *a, weft_status status) {
    if (status == WEFT_ERROR_INVALID_ARGUMENT) {
        require(*a->reason && !strchr(a->reason, '\n') && !a->text);
        return;
    }
    require(status == WEFT_OK && a->text && strlen(a->text) == a->length);
    require(a->map.count > 0 && a->map.segments[0].first == 1);
    size_t lines = count_lines(a->text);
    for (size_t i = 0; i < a->map.count; i++) {
        const line_segment *segment = &a->map.segments[i];
        require(segment->line >= 1 && segment->first <= lines + 1 && segment->file);
        require(i == 0 || segment[-1].first <= segment->first);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char *copy = malloc(size + 1);
    require(copy);
    memcpy(copy, data, size);
    copy[size] = '\0';
    const char *parts[N_PARTS];
    cut(copy, size, parts);
    for (size_t i = 0; i < N_PARTS; i++) {
        if (headers[i]) {
            write_header(headers[i], parts[i]);
        }
    }
    const char *defines[] = {parts[DEFINE_1], parts[DEFINE_2]}, *directories[] = {root, sub};
    const weft_compile_options options = {
        .source_name = *parts[NAME] ? parts[NAME] : NULL,
        .defines = defines,
        .n_defines = *parts[DEFINE_2] ? 2 : *parts[DEFINE_1] ? 1 : 0,
        .include_dirs = directories,
        .n_include_dirs = 2,
        .extra = *parts[EXTRA] ? parts[EXTRA] : NULL,
    };
    assembled first, again;
    weft_status status = assemble_source(parts[SOURCE], &options, &first);
    check(&first, status);
    if (status == WEFT_OK) {
        if (first.length < 65536) { /* else that costs more than it finds */
            require(assemble_source(parts[SOURCE], &options, &again) == WEFT_OK && !strcmp(first.text, again.text));
            assembled_free(&again);
        }
        char *log = assemble_map_log(&first, parts[LOG]);
        require(log);
        free(log);
    }
    assembled_free(&first);
    free(copy);
    return 0;
}
