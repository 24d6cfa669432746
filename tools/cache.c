/* weft cache: what the disk cache of compiled programs holds. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <weft/weft.h>

#include "tool.h"

static int failed(void) {
    fprintf(stderr, "weft cache: %s\n", weft_error_message());
    return EXIT_FAILURE;
}

/* ---- list and verify -------------------------------------------------------------------------------- */

typedef struct tally {
    bool print;
    size_t whole, damaged;
} tally;

static bool visit(const weft_cache_entry *entry, void *user) {
    tally *seen = user;
    const time_t used = (time_t)(entry->used_ns / 1000000000);
    struct tm local;
    char day[32] = "?";
    if (localtime_r(&used, &local)) {
        strftime(day, sizeof day, "%Y-%m-%d %H:%M", &local);
    }
    seen->whole += entry->whole;
    seen->damaged += !entry->whole;
    if (!entry->whole) {
        printf("%s  %s  %s  damaged: the next compile replaces it\n", entry->name, day, label_bytes(entry->size_bytes).text);
    } else if (seen->print) {
        printf("%s  %s  %s  %s: %s\n", entry->name, day, label_bytes(entry->size_bytes).text, entry->device, entry->kernels);
    }
    return true;
}

static int walk(bool print) {
    weft_cache_info info;
    tally seen = {.print = print};
    if (weft_cache_get_info(&info) || weft_cache_visit(visit, &seen)) {
        return failed();
    }
    printf("%s: ", *info.folder ? info.folder : "no folder");
    if (info.why_not) {
        printf("no cache, because %s\n", info.why_not);
        return EXIT_SUCCESS;
    }
    printf("%zu entries, %zu damaged, %s of at most %s\n", seen.whole + seen.damaged, seen.damaged,
           label_bytes(info.size_bytes).text, label_bytes(info.limit_bytes).text);
    return seen.damaged && !print ? EXIT_FAILURE : EXIT_SUCCESS;
}

static int clear(void) {
    size_t removed = 0;
    if (weft_cache_clear(&removed)) {
        return failed();
    }
    printf("%zu entries removed\n", removed);
    return EXIT_SUCCESS;
}

static int run(int argc, char **argv) {
    const char *what = argc > 1 ? argv[1] : "list";
    if (argc > 2) {
        fprintf(stderr, "weft cache: one of list, verify and clear, not \"%s\" too\n", argv[2]);
        return EXIT_USAGE;
    }
    if (strcmp(what, "list") == 0 || strcmp(what, "verify") == 0) {
        return walk(*what == 'l');
    }
    if (strcmp(what, "clear") == 0) {
        return clear();
    }
    fprintf(stderr, "weft cache: \"%s\" is none of list, verify and clear\n", what);
    return EXIT_USAGE;
}

const command command_cache = {"cache", "cache [list|verify|clear]", "what is in the disk cache of compiled programs", run};
