#include "probe.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double now_s(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* ---- The child ------------------------------------------------------------------------------------- */

/* Exit handlers of a broken driver are left out: what it had to tell is told. */
static _Noreturn void run_child(json_t *(*body)(void *user), void *user, int answer_fd, int printed_fd) {
    const struct rlimit no_core = {0, 0};
    int nowhere = open("/dev/null", O_RDONLY | O_CLOEXEC);
    setpgid(0, 0);
    setrlimit(RLIMIT_CORE, &no_core);
    dup2(nowhere, STDIN_FILENO);
    dup2(printed_fd, STDOUT_FILENO);
    dup2(printed_fd, STDERR_FILENO);
    json_t *answer = body(user);
    bool told = answer && json_dumpfd(answer, answer_fd, JSON_COMPACT) == 0;
    _exit(told ? EXIT_SUCCESS : EXIT_FAILURE);
}

/* ---- The parent ------------------------------------------------------------------------------------ */

/* A child that has ended and is not waited for keeps its number, so that nobody else is meant by it. */
static bool has_ended(pid_t child) {
    siginfo_t info = {0};
    return waitid(P_PID, (id_t)child, &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid == child;
}

/* Waits until there is something to read. false: the time is over, or the child is gone and nothing is left; what it
 * started may keep its end of the pipe open. */
static bool is_readable(int fd, pid_t child, double deadline_s) {
    enum { LOOK_MS = 20 };
    for (;;) {
        bool ended = has_ended(child); /* before the look: what it wrote last is then seen */
        struct pollfd ready = {.fd = fd, .events = POLLIN};
        int count = poll(&ready, 1, ended ? 0 : LOOK_MS);
        if (count > 0 || ended || now_s() >= deadline_s) {
            return count > 0;
        }
    }
}

/* Reads until the child is done or the time is over. */
static char *read_answer(int fd, pid_t child, double deadline_s, size_t *length) {
    enum { CHUNK = 65536 };
    char *bytes = NULL;
    *length = 0;
    while (is_readable(fd, child, deadline_s)) {
        char *grown = realloc(bytes, *length + CHUNK);
        if (!grown) {
            break;
        }
        bytes = grown;
        ssize_t size = read(fd, bytes + *length, CHUNK);
        if (size <= 0) {
            break;
        }
        *length += (size_t)size;
    }
    return bytes;
}

/* Waits for the child's end, and ends it and what it started when the time is over. false: it had to. */
static bool reap(pid_t child, double deadline_s, int *status) {
    const struct timespec pause = {0, 5000000};
    bool ended;
    while (!(ended = has_ended(child)) && now_s() < deadline_s) {
        nanosleep(&pause, NULL);
    }
    kill(-child, SIGKILL);
    kill(child, SIGKILL); /* it may not have its group yet */
    waitpid(child, status, 0);
    return ended;
}

/* The last line that the child printed, which is often why it ended. */
static void last_line(int fd, char *out, size_t size) {
    char bytes[4096];
    off_t end = lseek(fd, 0, SEEK_END), from = end > (off_t)sizeof bytes - 1 ? end - (off_t)sizeof bytes + 1 : 0;
    ssize_t length = end > 0 ? pread(fd, bytes, sizeof bytes - 1, from) : 0;
    while (length > 0 && strchr(" \t\r\n", bytes[length - 1])) {
        length--;
    }
    bytes[length > 0 ? length : 0] = '\0';
    const char *newline = strrchr(bytes, '\n'), *line = newline ? newline + 1 : bytes;
    out[0] = '\0';
    if (*line) {
        snprintf(out, size, "; it printed: %.200s", line);
    }
    for (; *out; out++) {
        *out = (unsigned char)*out < ' ' || *out == 0x7F ? '?' : *out;
    }
}

static void explain(probe *probe, bool in_time, int status, double limit_s, int printed_fd) {
    char printed[256];
    last_line(printed_fd, printed, sizeof printed);
    if (!in_time) {
        snprintf(probe->problem, sizeof probe->problem, "hangs: no answer in %g s%s", limit_s, printed);
    } else if (WIFSIGNALED(status)) {
        snprintf(probe->problem, sizeof probe->problem, "crashes (%s)%s", strsignal(WTERMSIG(status)), printed);
    } else {
        snprintf(probe->problem, sizeof probe->problem, "ends the process (exit status %d)%s", WEXITSTATUS(status), printed);
    }
}

probe probe_run(json_t *(*body)(void *user), void *user, double limit_s) {
    probe probe = {NULL, ""};
    int fds[2] = {-1, -1}, printed_fd = memfd_create("printed", MFD_CLOEXEC);
    double deadline_s = now_s() + limit_s;
    fflush(NULL); /* or the child has it too */
    pid_t child = printed_fd >= 0 && pipe2(fds, O_CLOEXEC) == 0 ? fork() : -1;
    if (child == 0) {
        close(fds[0]);
        run_child(body, user, fds[1], printed_fd);
    }
    if (child < 0) {
        snprintf(probe.problem, sizeof probe.problem, "cannot be tried: %s", strerror(errno));
    } else {
        close(fds[1]);
        fds[1] = -1;
        size_t length;
        int status = 0;
        char *bytes = read_answer(fds[0], child, deadline_s, &length);
        probe.answer = bytes ? json_loadb(bytes, length, 0, NULL) : NULL;
        bool in_time = reap(child, probe.answer ? 0 : deadline_s, &status); /* whoever has answered may go */
        if (!probe.answer) {
            explain(&probe, in_time, status, limit_s, printed_fd);
        }
        free(bytes);
    }
    for (size_t i = 0; i < 2; i++) {
        if (fds[i] >= 0) {
            close(fds[i]);
        }
    }
    if (printed_fd >= 0) {
        close(printed_fd);
    }
    return probe;
}
