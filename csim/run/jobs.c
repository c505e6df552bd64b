/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* prctl, MAP_ANONYMOUS, strsignal */

#include "run/jobs.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "io/streams.h"

enum { JOBS_MAX = 256, PIECE = 1 << 16, GLANCE_MS = 250, MINUTE = 60 };

/* A process at work. */
struct worker {
  pid_t pid; /* 0: free */
  int pipe;
  uint32_t index;
  bool again;           /* the first process ended without a result */
  unsigned char *bytes; /* of its point, so far */
  size_t size, room;
};

struct pool {
  const struct loom_jobs *jobs;
  struct worker worker[JOBS_MAX];
  uint32_t workers; /* places */
  uint32_t most;    /* that may work at a time */
  uint32_t begun, finished;
  uint32_t again[JOBS_MAX], agains; /* points that are to be tried once more */
  uint64_t *cycle;                  /* by worker, shared with it: where it is */
  bool terminal;                    /* the progress goes to one */
  double start, said; /* when, in seconds: the beginning, and the last line of progress */
  int signals;        /* where signals that end everything can be read; -1: nowhere */
  char *why;
  size_t why_size;
};

uint32_t loom_cores(void) {
  long cores = sysconf(_SC_NPROCESSORS_ONLN);
  return cores < 1 ? 1 : cores > JOBS_MAX ? JOBS_MAX : (uint32_t)cores;
}

/* ---- progress -------------------------------------------------------------------------------- */

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Runs that are done, with the parts of those under way. */
static double runs_done(const struct pool *p) {
  const struct loom_jobs *j = p->jobs;
  double done = p->finished;
  for (uint32_t w = 0; w < p->workers; w++)
    if (p->worker[w].pid && j->cycles)
      done += p->cycle[w] < j->cycles ? (double)p->cycle[w] / (double)j->cycles : 1;
  return done;
}

/* Such as `12 of 40 runs, 31 %, 5.2 runs a minute, 6 min left`. */
static void print_progress(const struct pool *p, double time) {
  const struct loom_jobs *j = p->jobs;
  double done = runs_done(p), spent = time - p->start;
  fprintf(j->progress, "%" PRIu32 " of %" PRIu32 " runs, %.0f %%", p->finished, j->count,
          100 * done / j->count);
  if (done > 0 && spent > 1) {
    double left = spent * (j->count - done) / done;
    fprintf(j->progress, ", %.3g runs a minute, %.0f %s left", 60 * done / spent,
            left < 100 ? left : left / 60, left < 100 ? "s" : "min");
  }
}

static void show(struct pool *p) {
  FILE *out = p->jobs->progress;
  double time = out ? now() : 0;
  if (!out || (!p->terminal && time - p->said < p->jobs->pause))
    return;
  p->said = time;
  fputs(p->terminal ? "\r" : "", out);
  print_progress(p, time);
  fputs(p->terminal ? "   " : "\n", out);
  fflush(out);
}

static void end_progress(const struct pool *p) {
  if (p->jobs->progress && p->terminal) {
    fprintf(p->jobs->progress, "\r%*s\r", 70, "");
    fflush(p->jobs->progress);
  }
}

/* ---- processes ------------------------------------------------------------------------------- */

static bool give_up(struct pool *p, const char *what) {
  snprintf(p->why, p->why_size, "%s: %s", what, strerror(errno));
  return false;
}

static void tick_there(void *context, uint64_t cycle) { *(volatile uint64_t *)context = cycle; }

/* When memory ends, a process with a point ends, and none that has nothing to do with it. */
static void go_first(void) {
  static const char most[] = "1000";
  int file = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
  if (file >= 0 && write(file, most, sizeof most - 1) < 0)
    errno = 0; /* then as the system has it */
  if (file >= 0)
    close(file);
}

/* The life of a process: a point, its bytes into the pipe. Whoever holds an end of another one's
 * pipe would keep that one from seeing that nobody reads any more. */
static void live(const struct pool *p, uint32_t w, uint32_t index, int out) {
  const struct loom_jobs *j = p->jobs;
  struct loom_point point;
  size_t size = 0;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  go_first();
  for (uint32_t other = 0; other < p->workers; other++)
    if (p->worker[other].pid)
      close(p->worker[other].pipe);
  j->run(j->context, index, &point, tick_there, &p->cycle[w]);
  unsigned char *bytes = loom_point_pack(&point, &size);
  for (size_t sent = 0; bytes && sent < size;) {
    ssize_t n = write(out, bytes + sent, size - sent);
    if (n < 0 && errno != EINTR)
      break;
    sent += n > 0 ? (size_t)n : 0;
  }
  _exit(0);
}

static bool begin(struct pool *p, uint32_t w, uint32_t index, bool again) {
  int ends[2];
  struct worker *worker = &p->worker[w];
  if (pipe(ends))
    return give_up(p, "pipe");
  p->cycle[w] = 0;
  pid_t pid = fork();
  if (pid < 0) {
    close(ends[0]);
    close(ends[1]);
    return give_up(p, "fork");
  }
  if (pid == 0) {
    close(ends[0]);
    live(p, w, index, ends[1]);
  }
  close(ends[1]);
  *worker = (struct worker){.pid = pid, .pipe = ends[0], .index = index, .again = again};
  return true;
}

/* Takes what is in the pipe; 1 more to come, 0 the end, -1 out of memory. */
static int take(struct worker *w) {
  if (w->room - w->size < PIECE) {
    unsigned char *more = realloc(w->bytes, 2 * w->room + PIECE);
    if (!more)
      return -1;
    w->bytes = more;
    w->room = 2 * w->room + PIECE;
  }
  ssize_t n = read(w->pipe, w->bytes + w->size, w->room - w->size);
  if (n < 0)
    return errno == EINTR ? 1 : 0;
  w->size += (size_t)n;
  return n > 0;
}

/* How it ended, as waitpid has it. */
static int release(struct worker *w, bool kill_it) {
  int status = 0;
  if (!w->pid)
    return status;
  if (kill_it)
    kill(w->pid, SIGKILL);
  close(w->pipe);
  while (waitpid(w->pid, &status, 0) < 0 && errno == EINTR)
    ;
  free(w->bytes);
  *w = (struct worker){.pid = 0};
  return status;
}

/* Of a point that two processes left without a result. */
static void say_lost(struct loom_point *point, int status) {
  if (WIFSIGNALED(status))
    loom_plan_fail(&point->refused, LOOM_EXIT_FAILED, "run",
                   "its process was killed twice, by signal %d (%s)", WTERMSIG(status),
                   strsignal(WTERMSIG(status)));
  else
    loom_plan_fail(&point->refused, LOOM_EXIT_FAILED, "run",
                   "its process ended twice before it had a result, with status %d",
                   WEXITSTATUS(status));
}

/* Perhaps all of them together have taken too much: it is tried alone, and then fewer go on. */
static void try_again(struct pool *p, uint32_t index) {
  p->again[p->agains++] = index;
  p->most = (p->most + 1) / 2;
}

static bool finish(struct pool *p, uint32_t w) {
  struct worker *worker = &p->worker[w];
  struct loom_point point;
  uint32_t index = worker->index;
  bool again = worker->again;
  bool whole = loom_point_unpack(&point, worker->bytes, worker->size);
  int status = release(worker, false);
  if ((!whole || point.lost) && !again) {
    try_again(p, index);
    loom_point_free(&point);
    return true;
  }
  if (!whole)
    say_lost(&point, status);
  p->finished++;
  bool go = p->jobs->done(p->jobs->context, index, &point);
  loom_point_free(&point);
  return go;
}

/* A signal asks for the end. */
static bool hear(struct pool *p) {
  struct signalfd_siginfo info;
  if (read(p->signals, &info, sizeof info) == sizeof info)
    snprintf(p->why, p->why_size, "ended by signal %u (%s)", (unsigned)info.ssi_signo,
             strsignal((int)info.ssi_signo));
  return !p->why[0];
}

/* Waits for the pipes and serves them. */
static bool serve(struct pool *p) {
  struct pollfd fds[JOBS_MAX + 1];
  for (uint32_t w = 0; w < p->workers; w++)
    fds[w] = (struct pollfd){.fd = p->worker[w].pid ? p->worker[w].pipe : -1, .events = POLLIN};
  fds[p->workers] = (struct pollfd){.fd = p->signals, .events = POLLIN};
  if (poll(fds, p->workers + 1, GLANCE_MS) < 0 && errno != EINTR)
    return give_up(p, "poll");
  show(p);
  if ((fds[p->workers].revents & POLLIN) && !hear(p))
    return false;
  for (uint32_t w = 0; w < p->workers; w++) {
    if (!p->worker[w].pid || !(fds[w].revents & (POLLIN | POLLHUP)))
      continue;
    int more = take(&p->worker[w]);
    if (more < 0)
      return give_up(p, "memory");
    if (!more && !finish(p, w))
      return false;
  }
  return true;
}

static uint32_t at_work(const struct pool *p, bool *alone) {
  uint32_t count = 0;
  *alone = false;
  for (uint32_t w = 0; w < p->workers; w++) {
    count += p->worker[w].pid != 0;
    *alone = *alone || (p->worker[w].pid && p->worker[w].again);
  }
  return count;
}

/* Begins what may begin in a place that is free. */
static bool fill(struct pool *p, uint32_t w) {
  bool alone = false;
  uint32_t working = at_work(p, &alone);
  if (p->agains)
    return working || begin(p, w, p->again[--p->agains], true);
  return alone || working >= p->most || p->begun == p->jobs->count ||
         begin(p, w, p->begun++, false);
}

static bool run_points(struct pool *p) {
  bool go = true;
  p->workers = p->most = p->jobs->jobs;
  while (go && p->finished < p->jobs->count) {
    for (uint32_t w = 0; go && w < p->workers; w++)
      if (!p->worker[w].pid)
        go = fill(p, w);
    go = go && serve(p);
  }
  for (uint32_t w = 0; w < p->workers; w++)
    release(&p->worker[w], true);
  return go;
}

/* Unless whoever began this process wants it ignored, as nohup does. */
static void add_ending(sigset_t *ending, int number) {
  struct sigaction now;
  if (!sigaction(number, NULL, &now) && now.sa_handler != SIG_IGN)
    sigaddset(ending, number);
}

/* Signals that would end this process can be read instead, by the pool alone: its processes
 * inherit that they are blocked, and a Ctrl-C reaches them, too. */
static bool run_apart(struct pool *p) {
  sigset_t ending, before;
  sigemptyset(&ending);
  add_ending(&ending, SIGINT);
  add_ending(&ending, SIGTERM);
  add_ending(&ending, SIGHUP);
  sigprocmask(SIG_BLOCK, &ending, &before);
  p->signals = signalfd(-1, &ending, SFD_CLOEXEC);
  bool ok = p->signals >= 0 ? run_points(p) : give_up(p, "signalfd");
  if (p->signals >= 0)
    close(p->signals);
  sigprocmask(SIG_SETMASK, &before, NULL);
  return ok;
}

bool loom_jobs_run(const struct loom_jobs *jobs, char *why, size_t size) {
  struct loom_jobs cfg = *jobs;
  cfg.jobs = cfg.jobs > JOBS_MAX ? JOBS_MAX : cfg.jobs;
  cfg.jobs = cfg.jobs > cfg.count ? cfg.count : cfg.jobs;
  cfg.pause = cfg.pause > 0 ? cfg.pause : MINUTE;
  size_t bytes = JOBS_MAX * sizeof(uint64_t);
  struct pool *p = calloc(1, sizeof *p);
  void *shared = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  why[0] = 0;
  if (!p || (intptr_t)shared == -1) {
    snprintf(why, size, "out of memory");
    free(p);
    return false;
  }
  *p = (struct pool){.jobs = &cfg, .cycle = shared, .signals = -1, .why = why, .why_size = size};
  p->start = p->said = now();
  p->terminal = cfg.progress && fileno(cfg.progress) >= 0 && isatty(fileno(cfg.progress));
  bool ok = run_apart(p);
  end_progress(p);
  munmap(shared, bytes);
  free(p);
  return ok;
}
