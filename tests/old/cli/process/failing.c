/* A file system that fails: the Nth call of one function, on files of one folder, is refused.

   Preloaded, these stand before the C library's. A file that is refused at close is closed. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#define DESCRIPTORS 1024

static char folder[4096] = "", call[16] = "";
static int countdown = 0, error = 0, fired = 0;
static char watched[DESCRIPTORS];

/* Fail the Nth call from now on with an error; return whether the last one that was to fail did. */
int fail(const char *in, const char *function, int nth, int with) {
    int before = fired;
    strncpy(folder, in, sizeof folder - 1);
    strncpy(call, function, sizeof call - 1);
    countdown = nth, error = with, fired = 0;
    return before;
}

/* Watch a descriptor that was open before. */
void watch(int descriptor) { watched[descriptor] = 1; }

static int inside(const char *path) { return *folder && !strncmp(path, folder, strlen(folder)); }

static int known(int descriptor) {
    return descriptor >= 0 && descriptor < DESCRIPTORS && watched[descriptor];
}

static int refused(const char *function, int concerned) {
    if (!concerned || strcmp(function, call) || --countdown) return 0;
    fired = 1;
    errno = error;
    return 1;
}

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static int opened(int descriptor, const char *path) {
    if (descriptor >= 0 && descriptor < DESCRIPTORS) watched[descriptor] = inside(path);
    return descriptor;
}

#define OPEN(name)                                                                   \
    int name(const char *path, int flags, ...) {                                     \
        va_list rest;                                                                \
        va_start(rest, flags);                                                       \
        int mode = va_arg(rest, int);                                                \
        va_end(rest);                                                                \
        if (refused("open", inside(path))) return -1;                                \
        return opened(NEXT(name)(path, flags, mode), path);                          \
    }
OPEN(open)
OPEN(open64)

#define OPENAT(name)                                                                 \
    int name(int at, const char *path, int flags, ...) {                             \
        va_list rest;                                                                \
        va_start(rest, flags);                                                       \
        int mode = va_arg(rest, int);                                                \
        va_end(rest);                                                                \
        if (refused("open", inside(path))) return -1;                                \
        return opened(NEXT(name)(at, path, flags, mode), path);                      \
    }
OPENAT(openat)
OPENAT(openat64)

#define FCNTL(name)                                                                  \
    int name(int descriptor, int command, ...) {                                     \
        va_list rest;                                                                \
        va_start(rest, command);                                                     \
        void *argument = va_arg(rest, void *);                                       \
        va_end(rest);                                                                \
        int duplicates = command == F_DUPFD_CLOEXEC || command == F_DUPFD;           \
        if (duplicates && refused("dup", known(descriptor))) return -1;              \
        int copy = NEXT(name)(descriptor, command, argument);                        \
        if (duplicates && copy >= 0 && copy < DESCRIPTORS)                           \
            watched[copy] = known(descriptor);                                       \
        return copy;                                                                 \
    }
FCNTL(fcntl)
FCNTL(fcntl64)

ssize_t write(int descriptor, const void *data, size_t size) {
    if (refused("write", known(descriptor))) return -1;
    return NEXT(write)(descriptor, data, size);
}

#define ON_DESCRIPTOR(name, parameters, ...)                                         \
    int name parameters {                                                            \
        if (refused(#name, known(descriptor))) return -1;                            \
        return NEXT(name)(__VA_ARGS__);                                              \
    }
ON_DESCRIPTOR(fsync, (int descriptor), descriptor)
ON_DESCRIPTOR(flock, (int descriptor, int operation), descriptor, operation)
ON_DESCRIPTOR(fchmod, (int descriptor, mode_t mode), descriptor, mode)
ON_DESCRIPTOR(fchown, (int descriptor, uid_t owner, gid_t group), descriptor, owner, group)

int close(int descriptor) {
    int fails = refused("close", known(descriptor));
    if (known(descriptor)) watched[descriptor] = 0;
    int result = NEXT(close)(descriptor);
    if (!fails) return result;
    errno = error;
    return -1;
}

int rename(const char *from, const char *to) {
    if (refused("rename", inside(from))) return -1;
    return NEXT(rename)(from, to);
}

int unlink(const char *path) {
    if (refused("unlink", inside(path))) return -1;
    return NEXT(unlink)(path);
}
