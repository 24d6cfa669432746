/* weft: the command. Finds the subcommand and leaves the rest to it. */
#include "tool.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <weft/weft.h>

static const command *const commands[] = {&command_devices, &command_doctor, &command_run,  &command_check,
                                          &command_bind,    &command_cache,  &command_trace,  &command_bench};
enum { N_COMMANDS = sizeof commands / sizeof *commands };

label label_bytes(size_t bytes) {
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    double value = (double)bytes;
    size_t unit = 0;
    while (value >= 1024 && unit + 1 < sizeof units / sizeof *units) {
        value /= 1024;
        unit++;
    }
    bool whole = value == (double)(size_t)value;
    label label;
    snprintf(label.text, sizeof label.text, "%.*f %s", whole ? 0 : 1, value, units[unit]);
    return label;
}

json_t *json_text(const char *text) {
    json_t *json = json_string(text);
    return json ? json : json_null();
}

bool json_print(json_t *json) {
    bool printed = json && json_dumpf(json, stdout, JSON_INDENT(2)) == 0 && putchar('\n') != EOF;
    if (!printed) {
        fprintf(stderr, "weft: cannot write JSON (out of memory, a name that is not UTF-8, or a full disk)\n");
    }
    json_decref(json);
    return printed;
}

static void print_usage(FILE *stream) {
    fprintf(stream, "usage: weft COMMAND [OPTIONS]\n\ncommands:\n");
    for (size_t i = 0; i < N_COMMANDS; i++) {
        fprintf(stream, "  %-10s%s\n  %-10sweft %s\n", commands[i]->name, commands[i]->summary, "", commands[i]->usage);
    }
    fprintf(stream, "\nweft --version and weft --help print what they say.\n");
}

static int execute(const command *command, int argc, char **argv) {
    char name[32];
    snprintf(name, sizeof name, "weft %s", command->name);
    argv[0] = name;
    int status = command->run(argc, argv);
    if (status == EXIT_USAGE) {
        fprintf(stderr, "usage: weft %s\n", command->usage);
    }
    return status == EXIT_MISTAKE ? EXIT_USAGE : status;
}

static int dispatch(int argc, char **argv) {
    const char *name = argc > 1 ? argv[1] : "";
    for (size_t i = 0; i < N_COMMANDS; i++) {
        if (!strcmp(name, commands[i]->name)) {
            return execute(commands[i], argc - 1, argv + 1);
        }
    }
    if (!strcmp(name, "--version")) {
        printf("weft %s\n", weft_version());
        return EXIT_SUCCESS;
    }
    if (!strcmp(name, "--help")) {
        print_usage(stdout);
        return EXIT_SUCCESS;
    }
    if (*name) {
        fprintf(stderr, "weft: there is no command \"%s\"\n", name);
    }
    print_usage(stderr);
    return EXIT_USAGE;
}

int main(int argc, char **argv) {
    int status = dispatch(argc, argv);
    if (fflush(stdout) || ferror(stdout)) {
        perror("weft: stdout");
        status = status ? status : EXIT_FAILURE;
    }
    return status;
}
