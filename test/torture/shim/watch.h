/* Which operations count, what is written down about them, and what is done to them; see disk-shim.c. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static const char *under, *match, *kinds, *ack, *mark;
static long kill_at, fail_at, fail_count, jump_at, jump_seconds, seen;
static int fail_errno, trace = -1;
static volatile int jumped;

static long number(const char *name) {
    const char *text = getenv(name);
    return text == NULL ? 0 : strtol(text, NULL, 10);
}

__attribute__((constructor)) static void read_settings(void) {
    under = getenv("ANCHOR_SHIM_UNDER");
    match = getenv("ANCHOR_SHIM_MATCH");
    kinds = getenv("ANCHOR_SHIM_KINDS");
    ack = getenv("ANCHOR_SHIM_ACK");
    mark = getenv("ANCHOR_SHIM_MARK");
    kill_at = number("ANCHOR_SHIM_KILL_AT");
    fail_at = number("ANCHOR_SHIM_FAIL_AT");
    fail_count = number("ANCHOR_SHIM_FAIL_COUNT");
    fail_errno = (int)number("ANCHOR_SHIM_ERRNO");
    jump_at = number("ANCHOR_SHIM_JUMP_AT");
    jump_seconds = number("ANCHOR_SHIM_JUMP_SECONDS");
    const char *file = getenv("ANCHOR_SHIM_TRACE");
    if (file != NULL) {
        int low = (int)syscall(SYS_openat, AT_FDCWD, file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
        /* High, so that a program that closes what it does not know is unlikely to meet it. */
        trace = (int)syscall(SYS_fcntl, low, F_DUPFD_CLOEXEC, 300);
        syscall(SYS_close, low);
    }
}

static void put(const void *data, size_t size) {
    const char *at = data;
    while (size > 0) {
        long done = syscall(SYS_write, trace, at, size);
        if (done <= 0) abort(); /* a trace with a gap would prove nothing */
        at += done;
        size -= (size_t)done;
    }
}

static void note(char kind, const char *path, uint64_t offset, const void *data, uint64_t size) {
    uint32_t length = (uint32_t)strlen(path);
    put(&kind, 1);
    put(&length, sizeof length);
    put(&offset, sizeof offset);
    put(&size, sizeof size);
    put(path, length);
    if (size > 0) put(data, size);
}

static int matches(const char *path) {
    if (match == NULL) return 1;
    char texts[1024];
    snprintf(texts, sizeof texts, "%s", match);
    char *rest = NULL;
    for (char *text = strtok_r(texts, "|", &rest); text != NULL; text = strtok_r(NULL, "|", &rest)) {
        size_t length = strlen(text);
        const char *end = path + strlen(path);
        if (length > 1 && text[length - 1] == '$') {
            if (end - path >= (long)length - 1 && strncmp(end - length + 1, text, length - 1) == 0) return 1;
        } else if (strstr(path, text) != NULL) return 1;
    }
    return 0;
}

/* Tells those outside that what was asked for has happened. */
static void leave_mark(void) {
    if (mark == NULL) return;
    long file = syscall(SYS_openat, AT_FDCWD, mark, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
    if (file >= 0) syscall(SYS_close, file);
}

/* Called with the lock held, before the operation. Returns 0 to go on, or the error number it shall fail with. */
static int enter(char kind, const char *path) {
    if (under == NULL || strncmp(path, under, strlen(under)) != 0) return 0;
    if ((kinds != NULL && strchr(kinds, kind) == NULL) || !matches(path)) return 0;
    seen++;
    if (seen == kill_at) {
        leave_mark();
        kill(getpid(), SIGKILL);
    }
    if (seen == jump_at) {
        jumped = 1;
        leave_mark();
    }
    /* Deleting needs no room. */
    if (kind == 'U' && (fail_errno == ENOSPC || fail_errno == EDQUOT)) return 0;
    if (fail_at == 0 || seen < fail_at || (fail_count > 0 && seen >= fail_at + fail_count)) return 0;
    leave_mark();
    return fail_errno;
}

static int traced(const char *path) {
    return trace >= 0 && under != NULL && strncmp(path, under, strlen(under)) == 0;
}

/* Path of a descriptor, empty for pipes and sockets. */
static void path_of(int fd, char *path, size_t size) {
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    long length = syscall(SYS_readlinkat, AT_FDCWD, link, path, size - 1);
    path[length > 0 && path[0] == '/' ? length : 0] = 0;
}

static void absolute(const char *given, char *path, size_t size) {
    if (given[0] == '/') snprintf(path, size, "%s", given);
    else {
        char folder[2048];
        if (getcwd(folder, sizeof folder) == NULL) folder[0] = 0;
        snprintf(path, size, "%s/%s", folder, given);
    }
}
