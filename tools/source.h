/* Kernel sources named on a command line: how they are to be compiled, and their text. */
#ifndef SOURCE_H
#define SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <weft/weft.h>

/* What -I, -D and --cl-std said. */
typedef struct source_options {
    const char **defines, **include_dirs;
    size_t n_defines, n_include_dirs;
    const char *cl_std;
} source_options;

#define SOURCE_USAGE "[-I DIRECTORY] [-D NAME[=VALUE]] [--cl-std=STD]"
#define SOURCE_SHORT_OPTIONS "I:D:"
#define SOURCE_LONG_OPTIONS {"cl-std", required_argument, NULL, 'S'}

/* Room for what argc words may say. false without memory. Free it in any case. */
bool source_options_new(source_options *options, int argc);
void source_options_free(source_options *options);

/* Takes an option that getopt found. false: it is none of these. */
bool source_options_take(source_options *options, int option, const char *value);

/* A file's text, and what compiles it: weft_compile_program(context, s.text, &s.options, ...). */
typedef struct source {
    char *text, *name;
    weft_compile_options options; /* borrows from name and from what the command line said */
} source;

/* Reads the file at path. false: it has said why, after `who`. Close it in any case. */
bool source_open(source *source, const char *who, const char *path, const source_options *options);
void source_close(source *source);

/* A name in a log as the user knows it: a file named without a folder is compiled as ./FILE, so that it finds
 * the headers beside it. */
const char *source_shown_name(const char *name);

#endif
