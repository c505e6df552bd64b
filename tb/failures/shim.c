/* SPDX-License-Identifier: Apache-2.0 */
/* shim.c - in front of the C library: the N-th call of a kind fails, or the process ends there
 *
 * LOOM_FAIL=FILE:KIND:HOW:N, with LD_PRELOAD. FILE has room for struct counts, which all processes
 * of a command share. KIND is one of `kinds`, HOW one of `hows`. Without a fault (N is 0) the calls
 * are counted only. Programs that the command starts are left alone. docs/failures.md.
 */
#define _GNU_SOURCE /* RTLD_NEXT, renameat2 */

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <unistd.h>

enum kind { MEMORY, OPEN, READ, WRITE, SYNC, MOVE, LOOK, PROCESS, KINDS };
enum how { ONCE, STAYS, KILL, AFTER, HOWS };

static const char *const kinds[KINDS] = {"memory", "open", "read", "write",
                                         "sync",   "move", "look", "process"};
/* Fails once; from then on; the process is killed before the call, or right after it. */
static const char *const hows[HOWS] = {"once", "stays", "kill", "after"};

struct counts {
  uint32_t calls, fired;
};

static struct {
  struct counts *counts; /* NULL: nothing is counted */
  unsigned kind, how;
  uint32_t n;
  bool ends; /* this process, after the call that it is in */
} shim;

/* ---- which call ------------------------------------------------------------------------------ */

static unsigned word(const char *text, const char *const *names, unsigned count) {
  unsigned i = 0;
  while (i < count && strcmp(text, names[i]) != 0)
    i++;
  return i;
}

__attribute__((constructor)) static void begin(void) {
  const char *text = getenv("LOOM_FAIL");
  char file[256], kind[16], how[16];
  unsigned n = 0;
  if (!text || sscanf(text, "%255[^:]:%15[^:]:%15[^:]:%u", file, kind, how, &n) != 4)
    return;
  int state = open(file, O_RDWR | O_CLOEXEC);
  void *counts = mmap(NULL, sizeof(struct counts), PROT_READ | PROT_WRITE, MAP_SHARED, state, 0);
  shim.kind = word(kind, kinds, KINDS);
  shim.how = word(how, hows, HOWS);
  shim.n = n;
  unsetenv("LD_PRELOAD");
  if (state < 0 || counts == MAP_FAILED || shim.kind == KINDS || shim.how == HOWS)
    _exit(99);
  close(state);
  shim.counts = counts;
}

static void end(void) { kill(getpid(), SIGKILL); }

/* Counts a call; true: it must fail, with this reason. */
static bool fails(enum kind kind, int reason) {
  if (!shim.counts || kind != shim.kind)
    return false;
  uint32_t call = __atomic_add_fetch(&shim.counts->calls, 1, __ATOMIC_SEQ_CST);
  if (!shim.n || call < shim.n || (call > shim.n && shim.how != STAYS))
    return false;
  shim.counts->fired = 1;
  if (shim.how == KILL)
    end();
  shim.ends = shim.how == AFTER;
  if (shim.how == AFTER)
    return false;
  errno = reason;
  return true;
}

static void done(void) {
  if (shim.ends)
    end();
}

/* The C library's own function of this name, into a pointer to it. */
static void find(void *function, const char *name) {
  void *symbol = dlsym(RTLD_NEXT, name);
  memcpy(function, &symbol, sizeof symbol);
}

#define WRAP(kind, reason, bad, type, name, parameters, arguments)                                 \
  type name parameters {                                                                           \
    type(*real) parameters;                                                                        \
    find(&real, #name);                                                                            \
    if (fails(kind, reason))                                                                       \
      return bad;                                                                                  \
    type result = real arguments;                                                                  \
    done();                                                                                        \
    return result;                                                                                 \
  }

/* ---- memory ---------------------------------------------------------------------------------- */

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *old, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

/* dlsym takes memory itself, so these are not found by it. */
#define WRAP_MEMORY(name, wrapped, parameters, arguments)                                          \
  void *name parameters {                                                                          \
    void *memory = fails(MEMORY, ENOMEM) ? NULL : wrapped arguments;                               \
    done();                                                                                        \
    return memory;                                                                                 \
  }
WRAP_MEMORY(malloc, __libc_malloc, (size_t size), (size))
WRAP_MEMORY(calloc, __libc_calloc, (size_t count, size_t size), (count, size))
WRAP_MEMORY(realloc, __libc_realloc, (void *old, size_t size), (old, size))
WRAP_MEMORY(aligned_alloc, __libc_memalign, (size_t alignment, size_t size), (alignment, size))
WRAP(MEMORY, ENOMEM, MAP_FAILED, void *, mmap,
     (void *at, size_t size, int protection, int flags, int file, off_t offset),
     (at, size, protection, flags, file, offset))
WRAP(MEMORY, ENOMEM, -1, int, memfd_create, (const char *name, unsigned flags), (name, flags))

/* ---- files ----------------------------------------------------------------------------------- */

int open(const char *name, int flags, ...) {
  int (*real)(const char *, int, ...);
  va_list more;
  va_start(more, flags);
  mode_t mode = flags & O_CREAT ? va_arg(more, mode_t) : 0;
  va_end(more);
  find(&real, "open");
  if (fails(OPEN, EMFILE))
    return -1;
  int file = real(name, flags, mode);
  done();
  return file;
}
WRAP(OPEN, EMFILE, NULL, FILE *, fopen, (const char *name, const char *mode), (name, mode))
WRAP(OPEN, EMFILE, NULL, DIR *, opendir, (const char *name), (name))
WRAP(OPEN, EMFILE, -1, int, dup, (int file), (file))
WRAP(OPEN, EMFILE, -1, int, pipe, (int ends[2]), (ends))
WRAP(OPEN, EMFILE, -1, int, pipe2, (int ends[2], int flags), (ends, flags))

/* A stream must find the error itself, so that it keeps it in mind: its file becomes one that
 * cannot be read, or written. */
static void spoil(FILE *stream, const char *name) {
  int (*real)(const char *, int, ...);
  int file = fileno(stream);
  find(&real, "open");
  int spoilt = file < 0 ? -1 : real(name, O_CLOEXEC | (name[1] ? O_WRONLY : O_RDONLY));
  if (spoilt >= 0)
    dup2(spoilt, file);
}

size_t fread(void *to, size_t size, size_t count, FILE *stream) {
  size_t (*real)(void *, size_t, size_t, FILE *);
  find(&real, "fread");
  if (fails(READ, EIO))
    spoil(stream, "/");
  size_t got = real(to, size, count, stream);
  done();
  return got;
}

size_t fwrite(const void *from, size_t size, size_t count, FILE *stream) {
  size_t (*real)(const void *, size_t, size_t, FILE *);
  find(&real, "fwrite");
  if (stream == stdout && fails(WRITE, ENOSPC))
    spoil(stream, "/dev/full");
  size_t put = real(from, size, count, stream);
  done();
  return put;
}

WRAP(READ, EIO, -1, ssize_t, read, (int file, void *to, size_t size), (file, to, size))
/* A disk that is full takes half of the last piece. */
ssize_t write(int file, const void *from, size_t size) {
  ssize_t (*real)(int, const void *, size_t);
  find(&real, "write");
  if (fails(WRITE, ENOSPC)) {
    ssize_t half = shim.how == STAYS && size > 1 ? real(file, from, size / 2) : 0;
    errno = ENOSPC;
    return half > 0 ? half : -1;
  }
  ssize_t put = real(file, from, size);
  done();
  return put;
}

WRAP(SYNC, EIO, -1, int, fsync, (int file), (file))
/* A file is closed, and then says that what was written to it is lost. */
int close(int file) {
  int (*real)(int);
  find(&real, "close");
  bool bad = fails(SYNC, EIO);
  int result = real(file);
  done();
  if (bad)
    errno = EIO;
  return bad ? -1 : result;
}

/* ---- names ----------------------------------------------------------------------------------- */

WRAP(MOVE, ENOSPC, -1, int, rename, (const char *from, const char *to), (from, to))
/* With LOOM_NO_EXCHANGE as of a file system that cannot do it. */
int renameat2(int at, const char *from, int there, const char *to, unsigned flags) {
  int (*real)(int, const char *, int, const char *, unsigned);
  find(&real, "renameat2");
  if (getenv("LOOM_NO_EXCHANGE")) {
    errno = EINVAL;
    return -1;
  }
  if (fails(MOVE, ENOSPC))
    return -1;
  int result = real(at, from, there, to, flags);
  done();
  return result;
}
WRAP(MOVE, ENOSPC, -1, int, mkdir, (const char *name, mode_t mode), (name, mode))
WRAP(MOVE, ENOSPC, NULL, char *, mkdtemp, (char *name), (name))
WRAP(MOVE, EIO, -1, int, unlink, (const char *name), (name))
WRAP(MOVE, EIO, -1, int, rmdir, (const char *name), (name))

WRAP(LOOK, EIO, -1, int, access, (const char *name, int mode), (name, mode))
WRAP(LOOK, EIO, -1, int, stat, (const char *name, struct stat *to), (name, to))
WRAP(LOOK, EIO, -1, int, lstat, (const char *name, struct stat *to), (name, to))
WRAP(LOOK, EIO, -1, int, fstat, (int file, struct stat *to), (file, to))
WRAP(LOOK, EIO, NULL, char *, realpath, (const char *name, char *to), (name, to))

/* ---- processes ------------------------------------------------------------------------------- */

WRAP(PROCESS, EAGAIN, -1, pid_t, fork, (void), ())
WRAP(PROCESS, EIO, -1, int, poll, (struct pollfd * files, nfds_t count, int wait),
     (files, count, wait))
WRAP(PROCESS, EMFILE, -1, int, signalfd, (int file, const sigset_t *signals, int flags),
     (file, signals, flags))
WRAP(PROCESS, EAGAIN, EAGAIN, int, posix_spawnp,
     (pid_t * pid, const char *program, const posix_spawn_file_actions_t *actions,
      const posix_spawnattr_t *attributes, char *const *argv, char *const *environment),
     (pid, program, actions, attributes, argv, environment))
