/* Preloaded into a program (LD_PRELOAD): records what it does to the files of one folder, and fails on request.
 *
 * Every operation is carried out and appended to a log in the same critical section, so the order of the log is
 * the order of the operations. From the log a test builds the folder as a power failure would leave it
 * (replay.rs). Files that end in "-shm" are not recorded: SQLite rebuilds them after a crash.
 *
 * Environment: OBEYA_DISK_FOLDER, the folder, absolute; OBEYA_DISK_LOG, the log; OBEYA_DISK_FAULT, a file of one
 * byte, mapped, that a test may change at any time: '-' no fault, 'F' the disk is full, 'S' flushes fail, 'M' files
 * without a mode for it cannot be opened for writing, as for a user who is not root. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#define DESCRIPTORS 65536

/* What a descriptor is of: nothing of the folder, a file, or the folder (or one in it). */
static char kinds[DESCRIPTORS];
static char *folders[DESCRIPTORS];

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char folder[PATH_MAX];
static size_t folder_length;
static int log_file = -1;
static const volatile char *fault;

#define REAL(result, name, ...) \
    static result (*real_##name)(__VA_ARGS__); \
    if (!real_##name) real_##name = (result (*)(__VA_ARGS__))dlsym(RTLD_NEXT, #name)

static ssize_t raw_write(int descriptor, const void *data, size_t length) {
    REAL(ssize_t, write, int, const void *, size_t);
    return real_write(descriptor, data, length);
}

__attribute__((constructor)) static void begin(void) {
    REAL(int, open64, const char *, int, ...);
    const char *name = getenv("OBEYA_DISK_FOLDER"), *log = getenv("OBEYA_DISK_LOG"), *word = getenv("OBEYA_DISK_FAULT");
    if (!name || !log || !word || strlen(name) >= sizeof folder) abort();
    strcpy(folder, name);
    int mapped = real_open64(word, O_RDONLY | O_CLOEXEC);
    fault = mmap(NULL, 1, PROT_READ, MAP_SHARED, mapped, 0);
    log_file = real_open64(log, O_WRONLY | O_APPEND | O_CLOEXEC);
    if (fault == MAP_FAILED || log_file < 0) abort();
    folder_length = strlen(folder);
}

/* Appends a record: kind, inode, offset, and two pieces of bytes with their lengths. */
static void record(char kind, uint64_t inode, int64_t offset, const void *first, uint32_t first_length,
                   const void *second, uint32_t second_length) {
    char head[25];
    head[0] = kind;
    memcpy(head + 1, &inode, 8);
    memcpy(head + 9, &offset, 8);
    memcpy(head + 17, &first_length, 4);
    memcpy(head + 21, &second_length, 4);
    struct iovec pieces[3] = {{head, sizeof head}, {(void *)first, first_length}, {(void *)second, second_length}};
    REAL(ssize_t, writev, int, const struct iovec *, int);
    if (real_writev(log_file, pieces, 3) != (ssize_t)(sizeof head + first_length + second_length)) abort();
}

static void record_path(char kind, uint64_t inode, const char *path, const char *second) {
    record(kind, inode, 0, path, (uint32_t)strlen(path), second, second ? (uint32_t)strlen(second) : 0);
}

/* The path below the folder, written to `out`; NULL if it is somewhere else or not recorded. */
static const char *inside(int at, const char *path, char *out) {
    char whole[PATH_MAX];
    if (folder_length == 0) return NULL;
    if (path[0] == '/') {
        if (strlen(path) >= sizeof whole) return NULL;
        strcpy(whole, path);
    } else {
        if (at == AT_FDCWD) {
            if (!getcwd(whole, sizeof whole)) return NULL;
        } else if (at >= 0 && at < DESCRIPTORS && kinds[at] == 'D') {
            strcpy(whole, folder);
            if (folders[at][0]) { strcat(whole, "/"); strcat(whole, folders[at]); }
        } else return NULL;
        if (strlen(whole) + strlen(path) + 2 > sizeof whole) return NULL;
        strcat(whole, "/");
        strcat(whole, path);
    }
    if (strncmp(whole, folder, folder_length) || (whole[folder_length] != '/' && whole[folder_length])) return NULL;
    /* Without empty and "." components. */
    char *to = out;
    for (char *from = whole + folder_length; *from;) {
        while (*from == '/') from++;
        size_t length = strcspn(from, "/");
        if (length == 0 || (length == 1 && *from == '.')) { from += length; continue; }
        if (to != out) *to++ = '/';
        memcpy(to, from, length);
        to += length;
        from += length;
    }
    *to = 0;
    size_t length = (size_t)(to - out);
    if (length >= 4 && !strcmp(to - 4, "-shm")) return NULL;
    return out;
}

static char kind_of(int descriptor) {
    return descriptor >= 0 && descriptor < DESCRIPTORS ? kinds[descriptor] : 0;
}

static uint64_t inode_of(int descriptor) {
    struct stat state;
    return fstat(descriptor, &state) ? 0 : state.st_ino;
}

static off_t size_of(int descriptor) {
    struct stat state;
    return fstat(descriptor, &state) ? 0 : state.st_size;
}

/* Opens, with the lock held by the caller's callers: never. */
static int open_at(int at, const char *path, int flags, mode_t mode) {
    REAL(int, openat64, int, const char *, int, ...);
    char name[PATH_MAX];
    const char *relative = inside(at, path, name);
    if (!relative) return real_openat64(at, path, flags, mode);
    pthread_mutex_lock(&lock);
    int writes = (flags & O_ACCMODE) != O_RDONLY || (flags & O_CREAT);
    struct stat before;
    int was_there = fstatat(at, path, &before, 0) == 0;
    int opened = -1;
    if (writes && *fault == 'M' && was_there && !(flags & O_EXCL) && !(before.st_mode & 0222)) errno = EACCES;
    else opened = real_openat64(at, path, flags, mode);
    int error = errno;
    if (opened >= 0 && opened < DESCRIPTORS) {
        struct stat state;
        fstat(opened, &state);
        kinds[opened] = S_ISDIR(state.st_mode) ? 'D' : S_ISREG(state.st_mode) ? 'F' : 0;
        free(folders[opened]);
        folders[opened] = kinds[opened] == 'D' ? strdup(relative) : NULL;
        if (!was_there && kinds[opened] == 'F') record_path('C', state.st_ino, relative, NULL);
        if (was_there && kinds[opened] == 'F' && (flags & O_TRUNC) && before.st_size > 0)
            record('T', state.st_ino, 0, NULL, 0, NULL, 0);
    }
    pthread_mutex_unlock(&lock);
    errno = error;
    return opened;
}

#define OPEN(name, at, ...) \
    int name(__VA_ARGS__, ...) { \
        mode_t mode = 0; \
        if (flags & (O_CREAT | O_TMPFILE)) { \
            va_list list; \
            va_start(list, flags); \
            mode = va_arg(list, mode_t); \
            va_end(list); \
        } \
        return open_at(at, path, flags, mode); \
    }
OPEN(open, AT_FDCWD, const char *path, int flags)
OPEN(open64, AT_FDCWD, const char *path, int flags)
OPEN(openat, at, int at, const char *path, int flags)
OPEN(openat64, at, int at, const char *path, int flags)

int close(int descriptor) {
    REAL(int, close, int);
    if (!kind_of(descriptor)) return real_close(descriptor);
    pthread_mutex_lock(&lock);
    kinds[descriptor] = 0;
    int closed = real_close(descriptor), error = errno;
    pthread_mutex_unlock(&lock);
    errno = error;
    return closed;
}

static int duplicated(int from, int to) {
    if (to >= 0 && to < DESCRIPTORS && kind_of(from)) {
        kinds[to] = kinds[from];
        folders[to] = folders[from] ? strdup(folders[from]) : NULL;
    }
    return to;
}

int dup(int descriptor) {
    REAL(int, dup, int);
    return duplicated(descriptor, real_dup(descriptor));
}

static int control(int descriptor, int command, void *argument) {
    REAL(int, fcntl64, int, int, ...);
    int done = real_fcntl64(descriptor, command, argument);
    return command == F_DUPFD || command == F_DUPFD_CLOEXEC ? duplicated(descriptor, done) : done;
}

#define FCNTL(name) \
    int name(int descriptor, int command, ...) { \
        va_list list; \
        va_start(list, command); \
        void *argument = va_arg(list, void *); \
        va_end(list); \
        return control(descriptor, command, argument); \
    }
FCNTL(fcntl)
FCNTL(fcntl64)

/* Writes at an offset, or at the descriptor's if it is negative. */
static ssize_t write_at(int descriptor, const void *data, size_t length, off_t offset) {
    REAL(ssize_t, pwrite64, int, const void *, size_t, off_t);
    pthread_mutex_lock(&lock);
    off_t at = offset;
    if (at < 0) {
        REAL(int, fcntl64, int, int, ...);
        int appends = real_fcntl64(descriptor, F_GETFL) & O_APPEND;
        at = appends ? size_of(descriptor) : lseek(descriptor, 0, SEEK_CUR);
    }
    ssize_t written = -1;
    size_t room = length;
    if (*fault == 'F') {
        /* What the file has already, it keeps. */
        off_t left = size_of(descriptor) - at;
        room = left <= 0 ? 0 : (size_t)left < length ? (size_t)left : length;
    }
    if (room == 0 && length > 0) errno = ENOSPC;
    else written = offset < 0 ? raw_write(descriptor, data, room) : real_pwrite64(descriptor, data, room, offset);
    int error = errno;
    if (written > 0) record('W', inode_of(descriptor), at, data, (uint32_t)written, NULL, 0);
    pthread_mutex_unlock(&lock);
    errno = error;
    return written;
}

ssize_t write(int descriptor, const void *data, size_t length) {
    return kind_of(descriptor) == 'F' ? write_at(descriptor, data, length, -1) : raw_write(descriptor, data, length);
}

ssize_t writev(int descriptor, const struct iovec *pieces, int count) {
    REAL(ssize_t, writev, int, const struct iovec *, int);
    if (kind_of(descriptor) != 'F') return real_writev(descriptor, pieces, count);
    /* A short write is allowed: the first piece that is not empty. */
    while (count > 1 && pieces->iov_len == 0) { pieces++; count--; }
    return count > 0 ? write_at(descriptor, pieces->iov_base, pieces->iov_len, -1) : 0;
}

#define PWRITE(name) \
    ssize_t name(int descriptor, const void *data, size_t length, off_t offset) { \
        REAL(ssize_t, name, int, const void *, size_t, off_t); \
        return kind_of(descriptor) == 'F' ? write_at(descriptor, data, length, offset) \
                                          : real_##name(descriptor, data, length, offset); \
    }
PWRITE(pwrite)
PWRITE(pwrite64)

#define FTRUNCATE(name) \
    int name(int descriptor, off_t length) { \
        REAL(int, name, int, off_t); \
        if (kind_of(descriptor) != 'F') return real_##name(descriptor, length); \
        pthread_mutex_lock(&lock); \
        int done = real_##name(descriptor, length), error = errno; \
        if (done == 0) record('T', inode_of(descriptor), length, NULL, 0, NULL, 0); \
        pthread_mutex_unlock(&lock); \
        errno = error; \
        return done; \
    }
FTRUNCATE(ftruncate)
FTRUNCATE(ftruncate64)

/* Nothing is flushed: the log says what a power failure would leave, and the tests are faster. */
static int flushed(int descriptor) {
    pthread_mutex_lock(&lock);
    int fails = *fault == 'S';
    if (fails) ;
    else if (kinds[descriptor] == 'D') record_path('D', 0, folders[descriptor], NULL);
    else record('S', inode_of(descriptor), 0, NULL, 0, NULL, 0);
    pthread_mutex_unlock(&lock);
    if (fails) errno = EIO;
    return fails ? -1 : 0;
}

#define FSYNC(name) \
    int name(int descriptor) { \
        REAL(int, name, int); \
        return kind_of(descriptor) ? flushed(descriptor) : real_##name(descriptor); \
    }
FSYNC(fsync)
FSYNC(fdatasync)

int rename(const char *from, const char *to) {
    REAL(int, rename, const char *, const char *);
    char one[PATH_MAX], two[PATH_MAX];
    const char *source = inside(AT_FDCWD, from, one), *target = inside(AT_FDCWD, to, two);
    if (!source && !target) return real_rename(from, to);
    pthread_mutex_lock(&lock);
    int done = real_rename(from, to), error = errno;
    if (!source || !target) abort();
    if (done == 0) record_path('R', 0, source, target);
    pthread_mutex_unlock(&lock);
    errno = error;
    return done;
}

/* A second name of a file. */
static int linked(int from_at, const char *from, int to_at, const char *to, int flags) {
    REAL(int, linkat, int, const char *, int, const char *, int);
    char one[PATH_MAX], two[PATH_MAX];
    const char *source = inside(from_at, from, one), *target = inside(to_at, to, two);
    if (!source && !target) return real_linkat(from_at, from, to_at, to, flags);
    pthread_mutex_lock(&lock);
    int done = real_linkat(from_at, from, to_at, to, flags), error = errno;
    if (!source || !target) abort();
    if (done == 0) record_path('L', 0, source, target);
    pthread_mutex_unlock(&lock);
    errno = error;
    return done;
}

int linkat(int from_at, const char *from, int to_at, const char *to, int flags) {
    return linked(from_at, from, to_at, to, flags);
}
int link(const char *from, const char *to) { return linked(AT_FDCWD, from, AT_FDCWD, to, 0); }

static int removed(int at, const char *path, int flags) {
    REAL(int, unlinkat, int, const char *, int);
    char name[PATH_MAX];
    const char *relative = inside(at, path, name);
    if (!relative) return real_unlinkat(at, path, flags);
    pthread_mutex_lock(&lock);
    int done = real_unlinkat(at, path, flags), error = errno;
    if (done == 0) record_path('U', 0, relative, NULL);
    pthread_mutex_unlock(&lock);
    errno = error;
    return done;
}

int unlinkat(int at, const char *path, int flags) { return removed(at, path, flags); }
int unlink(const char *path) { return removed(AT_FDCWD, path, 0); }
int rmdir(const char *path) { return removed(AT_FDCWD, path, AT_REMOVEDIR); }

int mkdir(const char *path, mode_t mode) {
    REAL(int, mkdir, const char *, mode_t);
    char name[PATH_MAX];
    const char *relative = inside(AT_FDCWD, path, name);
    if (!relative) return real_mkdir(path, mode);
    pthread_mutex_lock(&lock);
    int done = real_mkdir(path, mode), error = errno;
    if (done == 0) record_path('K', 0, relative, NULL);
    pthread_mutex_unlock(&lock);
    errno = error;
    return done;
}

/* Copies within the kernel: callers fall back to reading and writing. */
ssize_t copy_file_range(int from, off_t *from_offset, int to, off_t *to_offset, size_t length, unsigned flags) {
    REAL(ssize_t, copy_file_range, int, off_t *, int, off_t *, size_t, unsigned);
    if (!kind_of(to)) return real_copy_file_range(from, from_offset, to, to_offset, length, flags);
    errno = ENOSYS;
    return -1;
}

ssize_t sendfile64(int to, int from, off_t *offset, size_t length) {
    REAL(ssize_t, sendfile64, int, int, off_t *, size_t);
    if (!kind_of(to)) return real_sendfile64(to, from, offset, length);
    errno = ENOSYS;
    return -1;
}
