/*
 * Stands between a program and the C library (LD_PRELOAD) for operations that change files below one folder. It can
 * write them down, so that a power cut can be played back; end the program right before the n-th of them; let them
 * fail as on a full or broken disk; and move the clock when the n-th of them happens. Settings come from the environment:
 *
 *   ANCHOR_SHIM_UNDER     absolute folder; nothing outside of it is touched or counted
 *   ANCHOR_SHIM_MATCH     only paths that contain one of these texts (separated by |; $ at its end: that end so) are
 *                         counted and can fail
 *   ANCHOR_SHIM_KINDS     only these kinds of operations, letters as in the trace; all by default
 *   ANCHOR_SHIM_TRACE     file that gets every operation; ANCHOR_SHIM_ACK: a file whose writes are noted as acknowledgements
 *   ANCHOR_SHIM_MARK      a file it makes when it does one of these three:
 *   ANCHOR_SHIM_KILL_AT   the operation (1 = first) before which the program kills itself with SIGKILL
 *   ANCHOR_SHIM_FAIL_AT   the first operation that fails, ANCHOR_SHIM_FAIL_COUNT how many do (0 = all from then on),
 *   ANCHOR_SHIM_ERRNO     with which error number
 *   ANCHOR_SHIM_JUMP_AT   the operation at which the wall clock jumps by ANCHOR_SHIM_JUMP_SECONDS
 *
 * A trace is a sequence of records: kind (1 byte), length of path (u32), offset (u64), length of data (u64), path, data.
 * Kinds: C create, W write, T truncate (offset = new size), S sync of a file or folder, R rename (data = new path),
 * U unlink, A acknowledgement.
 */
#include "watch.h"

#define REAL(type, name, ...) \
    static type (*real)(__VA_ARGS__); \
    if (real == NULL) real = (type (*)(__VA_ARGS__))dlsym(RTLD_NEXT, name);

/* ---- writing ---- */

/* What happens around a write of `size` bytes at `offset` (-1: where the descriptor stands). */
#define AROUND_WRITE(fd, buffer, size, offset, call) \
    char path[2048]; \
    path_of(fd, path, sizeof path); \
    int is_ack = ack != NULL && strcmp(path, ack) == 0; \
    if (path[0] == 0 || (!is_ack && (under == NULL || strncmp(path, under, strlen(under)) != 0))) return call; \
    pthread_mutex_lock(&lock); \
    int refused = enter('W', path); \
    int64_t at = (offset) >= 0 ? (int64_t)(offset) : (int64_t)lseek(fd, 0, SEEK_CUR); \
    if ((offset) < 0 && (fcntl(fd, F_GETFL) & O_APPEND)) at = (int64_t)lseek(fd, 0, SEEK_END); \
    ssize_t done = -1; \
    int failure = refused; \
    if (!refused) { done = call; failure = errno; } \
    if (done > 0 && trace >= 0) note(is_ack ? 'A' : 'W', path, (uint64_t)at, buffer, (uint64_t)done); \
    pthread_mutex_unlock(&lock); \
    if (done < 0) errno = failure; \
    return done;

ssize_t write(int fd, const void *buffer, size_t size) {
    REAL(ssize_t, "write", int, const void *, size_t)
    AROUND_WRITE(fd, buffer, size, -1, real(fd, buffer, size))
}

ssize_t pwrite(int fd, const void *buffer, size_t size, off_t offset) {
    REAL(ssize_t, "pwrite", int, const void *, size_t, off_t)
    AROUND_WRITE(fd, buffer, size, offset, real(fd, buffer, size, offset))
}

ssize_t pwrite64(int fd, const void *buffer, size_t size, off64_t offset) {
    REAL(ssize_t, "pwrite64", int, const void *, size_t, off64_t)
    AROUND_WRITE(fd, buffer, size, offset, real(fd, buffer, size, offset))
}

/* Copies within the kernel can fail but are not traced: databases do not use them. */
ssize_t copy_file_range(int from, off64_t *from_at, int to, off64_t *to_at, size_t size, unsigned flags) {
    REAL(ssize_t, "copy_file_range", int, off64_t *, int, off64_t *, size_t, unsigned)
    char path[2048];
    path_of(to, path, sizeof path);
    pthread_mutex_lock(&lock);
    int refused = enter('W', path);
    pthread_mutex_unlock(&lock);
    if (refused) { errno = refused; return -1; }
    return real(from, from_at, to, to_at, size, flags);
}

ssize_t sendfile64(int to, int from, off64_t *at, size_t size) {
    REAL(ssize_t, "sendfile64", int, int, off64_t *, size_t)
    char path[2048];
    path_of(to, path, sizeof path);
    pthread_mutex_lock(&lock);
    int refused = enter('W', path);
    pthread_mutex_unlock(&lock);
    if (refused) { errno = refused; return -1; }
    return real(to, from, at, size);
}

/* ---- everything else that is one system call on one path ---- */

#define AROUND_FD(kind, fd, offset, call) \
    char path[2048]; \
    path_of(fd, path, sizeof path); \
    if (under == NULL || strncmp(path, under, strlen(under)) != 0) return call; \
    pthread_mutex_lock(&lock); \
    int failure = enter(kind, path); \
    int result = -1; \
    if (!failure) { result = call; failure = errno; } \
    if (result == 0 && traced(path)) note(kind, path, (uint64_t)(offset), NULL, 0); \
    pthread_mutex_unlock(&lock); \
    if (result < 0) errno = failure; \
    return result;

int fsync(int fd) {
    REAL(int, "fsync", int)
    AROUND_FD('S', fd, 0, real(fd))
}

int fdatasync(int fd) {
    REAL(int, "fdatasync", int)
    AROUND_FD('S', fd, 0, real(fd))
}

int ftruncate(int fd, off_t size) {
    REAL(int, "ftruncate", int, off_t)
    AROUND_FD('T', fd, size, real(fd, size))
}

int ftruncate64(int fd, off64_t size) {
    REAL(int, "ftruncate64", int, off64_t)
    AROUND_FD('T', fd, size, real(fd, size))
}

#define AROUND_PATH(kind, given, data, size, call) \
    char path[2048]; \
    absolute(given, path, sizeof path); \
    if (under == NULL || strncmp(path, under, strlen(under)) != 0) return call; \
    pthread_mutex_lock(&lock); \
    int failure = enter(kind, path); \
    int result = -1; \
    if (!failure) { result = call; failure = errno; } \
    if (result == 0 && traced(path)) note(kind, path, 0, data, size); \
    pthread_mutex_unlock(&lock); \
    if (result < 0) errno = failure; \
    return result;

int rename(const char *from, const char *to) {
    REAL(int, "rename", const char *, const char *)
    char target[2048];
    absolute(to, target, sizeof target);
    AROUND_PATH('R', from, target, strlen(target), real(from, to))
}

int unlink(const char *given) {
    REAL(int, "unlink", const char *)
    AROUND_PATH('U', given, NULL, 0, real(given))
}

int mkdir(const char *given, mode_t mode) {
    REAL(int, "mkdir", const char *, mode_t)
    AROUND_PATH('C', given, NULL, 0, real(given, mode))
}

/* Opening counts when it makes a file or empties one. */
static int around_open(const char *given, int flags, mode_t mode, int (*real)(const char *, int, ...)) {
    char path[2048];
    absolute(given, path, sizeof path);
    if (!(flags & (O_CREAT | O_TRUNC)) || under == NULL || strncmp(path, under, strlen(under)) != 0) return real(given, flags, mode);
    pthread_mutex_lock(&lock);
    struct stat before;
    int existed = stat(path, &before) == 0;
    int changes = !existed || ((flags & O_TRUNC) && before.st_size > 0);
    int failure = changes ? enter(existed ? 'T' : 'C', path) : 0;
    int fd = -1;
    if (!failure) { fd = real(given, flags, mode); failure = errno; }
    if (fd >= 0 && changes && traced(path)) note(existed ? 'T' : 'C', path, 0, NULL, 0);
    pthread_mutex_unlock(&lock);
    if (fd < 0) errno = failure;
    return fd;
}

#define OPEN(name) \
    int name(const char *given, int flags, ...) { \
        static int (*real)(const char *, int, ...); \
        if (real == NULL) real = (int (*)(const char *, int, ...))dlsym(RTLD_NEXT, #name); \
        va_list rest; \
        va_start(rest, flags); \
        mode_t mode = (flags & (O_CREAT | O_TMPFILE)) ? va_arg(rest, mode_t) : 0; \
        va_end(rest); \
        return around_open(given, flags, mode, real); \
    }
OPEN(open)
OPEN(open64)

/* ---- the clock ---- */

int clock_gettime(clockid_t which, struct timespec *time) {
    REAL(int, "clock_gettime", clockid_t, struct timespec *)
    int result = real(which, time);
    if (result == 0 && which == CLOCK_REALTIME && jumped) time->tv_sec += jump_seconds;
    return result;
}

int gettimeofday(struct timeval *restrict time, void *restrict zone) {
    REAL(int, "gettimeofday", struct timeval *, void *)
    int result = real(time, zone);
    if (result == 0 && jumped) time->tv_sec += jump_seconds;
    return result;
}
