/* Starting the programs of this folder, and looking at how they end. */
#ifndef TESTS_PROCESS_CHILDREN_H
#define TESTS_PROCESS_CHILDREN_H

#include <limits.h>
#include <spawn.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "child.h"
#include "support.h"

extern char **environ;

static inline const char *child_path(const char *name) {
    static char path[PATH_MAX + 64];
    char self[PATH_MAX] = "";
    ck_assert_int_gt(readlink("/proc/self/exe", self, sizeof self - 1), 0);
    *strrchr(self, '/') = '\0';
    snprintf(path, sizeof path, "%s/process/%s", self, name);
    return path;
}

/* Starts the program with up to two arguments; it must find everything right. */
static inline void expect_right_in(char **environment, const char *name, const char *first, const char *second) {
    const char *path = child_path(name);
    char *arguments[] = {(char *)(uintptr_t)path, (char *)(uintptr_t)first, (char *)(uintptr_t)second, NULL};
    pid_t child = 0;
    int status = 0;
    ck_assert_int_eq(posix_spawn(&child, path, NULL, NULL, arguments, environment), 0);
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_msg(!WIFSIGNALED(status), "%s %s %s died of signal %d (%s)", name, first ? first : "", second ? second : "",
                  WTERMSIG(status), strsignal(WTERMSIG(status)));
    ck_assert_msg(WEXITSTATUS(status) == ALL_RIGHT, "%s %s %s exited with %d", name, first ? first : "", second ? second : "",
                  WEXITSTATUS(status));
}

#endif
