/* What the subcommands of `weft` share. */
#ifndef TOOL_H
#define TOOL_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/* Besides EXIT_SUCCESS and EXIT_FAILURE. EXIT_MISTAKE ends the process with EXIT_USAGE too. */
enum { EXIT_USAGE = 2, EXIT_MISTAKE = 3 };

/* run returns an exit status. argv[0] is "weft NAME". On EXIT_USAGE it has said what is wrong, and main adds
 * the usage line; on EXIT_MISTAKE it has also said what to write instead. */
typedef struct command {
    const char *name, *usage, *summary;
    int (*run)(int argc, char **argv);
} command;

extern const command command_bench;
extern const command command_bind;
extern const command command_cache;
extern const command command_check;
extern const command command_devices;
extern const command command_doctor;
extern const command command_run;
extern const command command_trace;

/* A short text by value, so that it can be made inside a printf. */
typedef struct label {
    char text[32];
} label;

/* "64 KiB", "139.8 GiB". */
label label_bytes(size_t bytes);

/* A string; null for NULL and for what a driver wrote in no known encoding. */
json_t *json_text(const char *text);

/* Writes json to stdout and drops the reference. false, and a line on stderr, when that fails or json is NULL. */
bool json_print(json_t *json);

#endif
