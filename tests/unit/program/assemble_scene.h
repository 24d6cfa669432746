/* What the tests of assembly share: a directory of headers, and texts to assemble and look at. */
#ifndef TESTS_ASSEMBLE_SCENE_H
#define TESTS_ASSEMBLE_SCENE_H

#include "support.h"
#include <ftw.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>
#include "program/assemble.h"

/* ---- A directory for the test's headers ----------------------------------------------------------- */

static char root[64];

static inline void workspace_open(void) {
    strcpy(root, "/tmp/weft_assemble_XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(root));
}

static inline int remove_entry(const char *path, const struct stat *info, int type, struct FTW *where) {
    (void)info, (void)type, (void)where;
    return remove(path);
}

static inline void workspace_close(void) { ck_assert_int_eq(nftw(root, remove_entry, 8, FTW_DEPTH | FTW_PHYS), 0); }

/* The path in the workspace, in one of a few buffers that take turns. */
static inline const char *in_root(const char *name) {
    static char paths[8][512];
    static size_t turn;
    char *path = paths[turn++ % 8];
    snprintf(path, sizeof paths[0], "%s/%s", root, name);
    return path;
}

static inline const char *make_directory(const char *name) {
    const char *path = in_root(name);
    ck_assert_int_eq(mkdir(path, 0700), 0);
    return path;
}

static inline void write_bytes(const char *name, const char *bytes, size_t size) {
    FILE *file = fopen(in_root(name), "wb");
    ck_assert_ptr_nonnull(file);
    ck_assert_uint_eq(fwrite(bytes, 1, size, file), size);
    ck_assert_int_eq(fclose(file), 0);
}

static inline void write_header(const char *name, const char *content) { write_bytes(name, content, strlen(content)); }

/* ---- Assembling ----------------------------------------------------------------------------------- */

static assembled result;

static inline const char *assemble_with(const char *source, const weft_compile_options *options) {
    assembled_free(&result);
    ck_assert_int_eq(assemble_source(source, options, &result), WEFT_OK);
    ck_assert_uint_eq(result.length, strlen(result.text));
    return result.text;
}

/* With the workspace as the only include directory. */
static inline const char *assemble_here(const char *source) {
    const char *directories[] = {root};
    return assemble_with(source, &(weft_compile_options){.include_dirs = directories, .n_include_dirs = 1});
}

static inline void refuses(const weft_compile_options *options, const char *reason) {
    assembled_free(&result);
    ck_assert_int_eq(assemble_source("int x;\n", options, &result), WEFT_ERROR_INVALID_ARGUMENT);
    ck_assert_msg(strstr(result.reason, reason) != NULL, "\"%s\" does not say \"%s\"", result.reason, reason);
    ck_assert_ptr_null(strchr(result.reason, '\n'));
}

static inline void refuses_define(const char *entry, const char *reason) {
    const char *defines[] = {"FINE=1", entry};
    refuses(&(weft_compile_options){.defines = defines, .n_defines = 2}, reason);
    ck_assert_ptr_nonnull(strstr(result.reason, "defines[1]"));
}

static inline size_t count(const char *string, const char *part) {
    size_t n = 0;
    for (; (string = strstr(string, part)) != NULL; string += strlen(part)) {
        n++;
    }
    return n;
}

/* The same text with the workspace's path as @. */
static inline void assert_text(const char *expected) {
    char given[4096] = "";
    size_t length = 0;
    for (const char *at = result.text; *at && length < sizeof given - 1;) {
        bool path = strncmp(at, root, strlen(root)) == 0;
        given[length++] = path ? '@' : *at;
        at += path ? strlen(root) : 1;
    }
    given[length] = '\0';
    ck_assert_str_eq(given, expected);
}

#define CONTAINS(part) ck_assert_msg(strstr(result.text, (part)) != NULL, "no \"%s\" in:\n%s", (part), result.text)
#define LACKS(part) ck_assert_msg(strstr(result.text, (part)) == NULL, "\"%s\" in:\n%s", (part), result.text)

#endif
