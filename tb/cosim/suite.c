/* SPDX-License-Identifier: Apache-2.0 */
/* suite.c - runs a list of jobs in worker processes and prints the table
 *
 * A process a job: circuits live in shared objects of the same class name, and a fault in one run
 * leaves the others standing. The child sends its result through a pipe as one struct.
 */
#define _GNU_SOURCE /* scandir, fork */
#include "tb/cosim/suite.h"

#include "tb/cosim/case.h"
#include "tb/cosim/follow.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { WORKERS_MAX = 256 };
enum { AROUND_BEFORE = 200, AROUND_AFTER = 24, CASE_CYCLES = 200000, PORT_CASE_CYCLES = 1000000 };

struct outcome {
  int status; /* exit status of the job */
  struct run_result r;
  struct bfs_result b;
};

/* ---- the list -------------------------------------------------------------------------------- */

static bool add(struct job_list *l, const struct job *j) {
  struct job *more = realloc(l->job, (l->count + 1) * sizeof *more);
  if (!more)
    return false;
  l->job = more;
  l->job[l->count++] = *j;
  return true;
}

static bool add_config(struct job_list *l, const struct listed_config *c) {
  struct job j = {.name = "random", .cycles = c->cycles, .alone = !c->circuit, .params = c->params};
  snprintf(j.dut, sizeof j.dut, "%s", c->device);
  snprintf(j.config, sizeof j.config, "%s", c->name);
  return add(l, &j);
}

static const struct job *config_of(const struct job_list *l, const char *dut, const char *config) {
  for (size_t i = 0; i < l->count; i++)
    if (!strcmp(l->job[i].dut, dut) && !strcmp(l->job[i].config, config))
      return &l->job[i];
  return NULL;
}

static bool add_directed(struct job_list *l, const struct listed_case *k) {
  const struct job *c = config_of(l, k->device, k->config);
  if (!c) {
    fprintf(stderr, "%s %s %s: no such configuration\n", k->device, k->config, k->name);
    return false;
  }
  struct job j = *c;
  j.directed = true;
  j.cycles = k->cycles;
  j.late = k->late;
  j.alone |= k->twin;
  snprintf(j.name, sizeof j.name, "%s%s", k->name, j.alone && !c->alone ? ":twin" : "");
  snprintf(j.case_name, sizeof j.case_name, "%s", k->name);
  return add(l, &j);
}

/* What tb/devices.py has read. */
static bool add_listed(struct job_list *l) {
  bool good = true;
  for (const struct listed_config *c = listed_configs; good && c->device; c++)
    good = add_config(l, c);
  for (const struct listed_case *k = listed_cases; good && k->device; k++)
    good = add_directed(l, k);
  return good;
}

/* The configuration that a published table needs of its scheduler and of sched_port. */
static void paper_config(char *to, size_t size, const struct loom_published *f, unsigned mode,
                         bool port) {
  const char *key = f->key == LOOM_PUBLISHED_KEY_SL ? "sl" : "vl";
  bool ib8 = f->scheduler == LOOM_PUBLISHED_DTABLE && mode == LOOM_PUBLISHED_DTABLE_IB8;
  snprintf(to, size, "paper_%s%s%s%s", port ? loom_published_scheduler_name(f->scheduler) : "",
           port ? "_" : "", key, ib8 ? "_ib8" : "");
}

/* A period of a table is a number of credits or of packets; a port needs 8 cycles for a credit, so
 * where large packets are counted it takes longer until a broken period does not show. */
static uint64_t case_cycles(const struct loom_published_case *c, bool port) {
  uint32_t size = 0;
  for (uint32_t i = 0; i < c->flow_count; i++)
    size = c->flow[i].size > size ? c->flow[i].size : size;
  if (!port)
    return CASE_CYCLES;
  return size > 1 && c->measure == LOOM_PUBLISHED_PACKETS ? 3 * PORT_CASE_CYCLES : PORT_CASE_CYCLES;
}

static bool add_case(struct job_list *l, const char *path, const struct loom_published *f,
                     const struct loom_published_case *c, bool port) {
  struct job j = {.cycles = case_cycles(c, port)};
  if (port)
    snprintf(j.dut, sizeof j.dut, "sched_port");
  else
    snprintf(j.dut, sizeof j.dut, "sched_%s", loom_published_scheduler_name(f->scheduler));
  paper_config(j.config, sizeof j.config, f, c->mode, port);
  if (snprintf(j.path, sizeof j.path, "%s", path) >= (int)sizeof j.path) {
    fprintf(stderr, "%s: the name is too long\n", path);
    return false;
  }
  snprintf(j.case_name, sizeof j.case_name, "%s", c->name);
  const char *stem = strrchr(path, '/') + 1;
  snprintf(j.name, sizeof j.name, "%.*s:%.24s", (int)(strlen(stem) - 5), stem, c->name);
  for (size_t i = 0; i < l->count; i++)
    if (!strcmp(l->job[i].dut, j.dut) && !strcmp(l->job[i].config, j.config))
      return add(l, &j);
  fprintf(stderr, "%s: case %s needs %s %s, which is not in the list of configurations\n", path,
          c->name, j.dut, j.config);
  return false;
}

static bool add_published(struct job_list *l, const char *path) {
  struct loom_published f;
  struct loom_error err;
  bool good = loom_published_load(&f, path, &err);
  if (!good) {
    fprintf(stderr, "%s\n", err.line);
    return false;
  }
  for (uint32_t i = 0; good && i < f.case_count; i++)
    good = add_case(l, path, &f, &f.cases[i], false) && add_case(l, path, &f, &f.cases[i], true);
  loom_published_free(&f);
  return good;
}

static bool add_stream(struct job_list *l, const char *path) {
  struct pkt_file f;
  struct job j = {0};
  if (!pkt_load(&f, path, stderr))
    return false;
  const char *stem = strrchr(path, '/') + 1;
  snprintf(j.dut, sizeof j.dut, "%s", f.device);
  snprintf(j.config, sizeof j.config, "%s", f.config);
  if (snprintf(j.path, sizeof j.path, "%s", path) >= (int)sizeof j.path) {
    fprintf(stderr, "%s: the name is too long\n", path);
    return false;
  }
  snprintf(j.name, sizeof j.name, "%.*s", (int)(strlen(stem) - 4), stem);
  j.cycles = f.cycles;
  pkt_free(&f);
  return add(l, &j);
}

static int is_pkt(const struct dirent *e) {
  size_t n = strlen(e->d_name);
  return n > 4 && strcmp(e->d_name + n - 4, ".pkt") == 0;
}

static int is_yaml(const struct dirent *e) {
  size_t n = strlen(e->d_name);
  return n > 5 && strcmp(e->d_name + n - 5, ".yaml") == 0;
}

/* Calls `take` with each file that `is` accepts; a folder that is not there has none. */
static bool each_file(struct job_list *l, const char *vectors, const char *folder,
                      int (*is)(const struct dirent *),
                      bool (*take)(struct job_list *l, const char *path)) {
  char path[512];
  struct dirent **name;
  snprintf(path, sizeof path, "%.120s/%.60s", vectors, folder);
  int n = scandir(path, &name, is, alphasort);
  bool good = n >= 0 || errno == ENOENT;
  if (!good)
    fprintf(stderr, "%s: %s\n", path, strerror(errno));
  for (int i = 0; i < n; i++) {
    snprintf(path, sizeof path, "%.120s/%.60s/%s", vectors, folder, name[i]->d_name);
    good = good && take(l, path);
    free(name[i]);
  }
  if (n >= 0)
    free(name);
  return good;
}

/* All runs of a configuration stand together, where the configuration is listed: small devices come
 * first, and what they need is built first. */
static bool sort_by_config(struct job_list *l) {
  struct job *sorted = malloc((l->count + 1) * sizeof *sorted);
  size_t n = 0;
  if (!sorted)
    return false;
  for (size_t i = 0; i < l->count; i++) {
    const struct job *first = config_of(l, l->job[i].dut, l->job[i].config);
    for (size_t j = i; first == &l->job[i] && j < l->count; j++)
      if (config_of(l, l->job[j].dut, l->job[j].config) == first)
        sorted[n++] = l->job[j];
  }
  free(l->job);
  l->job = sorted;
  return true;
}

bool suite_read(struct job_list *l, const char *vectors) {
  return add_listed(l) && each_file(l, vectors, "papers", is_yaml, add_published) &&
         each_file(l, vectors, "sched_port", is_pkt, add_stream) && sort_by_config(l);
}

void suite_free(struct job_list *l) {
  free(l->job);
  memset(l, 0, sizeof *l);
}

/* ---- one job --------------------------------------------------------------------------------- */

static void wave_dir(char *to, size_t size, const struct job *j, const struct suite_opts *o) {
  snprintf(to, size, "%s/%s-%s-%s", o->waves, j->dut, j->config, j->name);
}

/* The same seed once more, with waves of a window. */
static void dump_waves(const struct job *j, const struct suite_opts *o,
                       const struct run_opts *first, uint64_t from, uint64_t to) {
  char dir[256];
  struct circuit c;
  struct run_opts again = *first;
  struct run_result *r = malloc(sizeof *r);
  if (!r || !circuit_open_waves(&c, o->circuits, j->dut, j->config, o->seed)) {
    free(r);
    return;
  }
  wave_dir(dir, sizeof dir, j, o);
  again.wave_dir = dir;
  again.wave_from = from;
  again.wave_to = to;
  again.record = NULL;
  if (again.cycles > to)
    again.cycles = to;
  run(&c, &again, r);
  circuit_close(&c);
  free(r);
}

static int run_job(const struct job *j, const struct suite_opts *o, struct outcome *out) {
  struct circuit c;
  struct run_opts ro = {.seed = o->seed, .cycles = o->cycles ? o->cycles : j->cycles};
  struct scenario sc = {.directed = j->case_name, .cycles = ro.cycles};
  if (!(j->alone ? circuit_none(&c, j->dut, j->config, j->params)
                 : circuit_open(&c, o->circuits, j->dut, j->config, o->bfs ? 0 : o->seed)))
    return 2;
  if (j->path[0] && !scenario_load(&sc, j->path, j->case_name))
    return 2;
  if (o->plant && !plant_parse(&ro.plant, o->plant, c.dut, c.api->cfg))
    return 2;
  int status;
  if (o->bfs) {
    bfs(&c, o->max_states, &ro.plant, &out->b);
    status = out->b.differs || out->b.failed || !out->b.complete;
  } else {
    ro.scenario = j->path[0] || j->directed ? &sc : NULL;
    ro.record = o->record;
    run(&c, &ro, &out->r);
    status = out->r.differs || out->r.failed;
    if (j->alone || o->no_waves) {
      /* nothing to compare, or nobody to look */
    } else if (out->r.differs) {
      uint64_t at = out->r.diff.cycle;
      dump_waves(j, o, &ro, at > AROUND_BEFORE ? at - AROUND_BEFORE : 0, at + AROUND_AFTER);
    } else if (o->always_waves) {
      dump_waves(j, o, &ro, 0, o->wave_to);
    }
  }
  if (j->path[0])
    scenario_free(&sc);
  circuit_close(&c);
  return status;
}

/* ---- the table ------------------------------------------------------------------------------- */

/* The field pointer of a child is good here too: it is a constant of the same program image. */
static void print_difference(const struct job *j, const struct suite_opts *o,
                             const struct outcome *out) {
  char dir[256];
  wave_dir(dir, sizeof dir, j, o);
  printf("%s %s %s: ", j->dut, j->config, j->name);
  difference_print(stdout, &out->r.diff, &out->r.stats);
  printf("  seed %" PRIu64, o->seed);
  if (!o->no_waves)
    printf("; waves: gtkwave %s/waves.gtkw (twin.fst), %s/rtl.fst", dir, dir);
  putchar('\n');
  printf("  again: make sim DUT=%s CONFIG=%s CASE=%s SEED=%" PRIu64 " CYCLES=%" PRIu64 "%s%s\n",
         j->dut, j->config, j->name, o->seed, o->cycles ? o->cycles : j->cycles,
         o->plant ? " PLANT=" : "", o->plant ? o->plant : "");
}

static void shares_text(char *to, size_t size, const struct stats *s) {
  size_t n = 0;
  to[0] = 0;
  for (uint32_t k = 0; s->has_shares && k < SHARES_MAX && n < size; k++)
    if (s->amount[k])
      n += (size_t)snprintf(to + n, size - n, "%s%u:%.2f", n ? " " : "", k, stats_share(s, k));
}

static double rate(uint64_t cycles, double seconds) {
  return seconds > 0 ? (double)cycles / seconds / 1e6 : 0;
}

static void print_run(const struct job *j, const struct outcome *out) {
  const struct run_result *r = &out->r;
  char label[128], shares[512];
  double twin = rate(r->twin_cycles, r->twin_seconds), rtl = rate(r->rtl_cycles, r->rtl_seconds);
  snprintf(label, sizeof label, "%s %s %s", j->dut, j->config, j->name);
  shares_text(shares, sizeof shares, &r->stats);
  printf("%-56s %9" PRIu64 " %9" PRIu64 " %9" PRIu64 " %8.3f %8.3f %6.1f  %s%s\n", label, r->cycles,
         r->stats.packets, r->stats.grants, twin, rtl, rtl > 0 ? twin / rtl : 0, shares,
         out->status ? "  FAILED" : "");
  if (r->report[0])
    printf("  %s\n", r->report);
}

static void print_json(FILE *to, const struct job *j, const struct suite_opts *o,
                       const struct outcome *out) {
  const struct run_result *r = &out->r;
  const char *gap = "";
  fprintf(to,
          "{\"dut\": \"%s\", \"config\": \"%s\", \"case\": \"%s\", \"seed\": %" PRIu64
          ", \"status\": %d, ",
          j->dut, j->config, j->name, o->seed, out->status);
  if (o->bfs) {
    fprintf(to,
            "\"states\": %" PRIu64 ", \"transitions\": %" PRIu64 ", \"depth\": %" PRIu64
            ", \"complete\": %s, \"bounded\": %s}\n",
            out->b.states, out->b.transitions, out->b.depth, out->b.complete ? "true" : "false",
            out->b.bounded ? "true" : "false");
    return;
  }
  fprintf(to,
          "\"cycles\": %" PRIu64 ", \"packets\": %" PRIu64 ", \"grants\": %" PRIu64
          ", \"twin_mcycles_s\": %.4f, \"rtl_mcycles_s\": %.4f, \"shares\": {",
          r->cycles, r->stats.packets, r->stats.grants, rate(r->twin_cycles, r->twin_seconds),
          rate(r->rtl_cycles, r->rtl_seconds));
  for (uint32_t k = 0; r->stats.has_shares && k < SHARES_MAX; k++)
    if (r->stats.amount[k]) {
      fprintf(to, "%s\"%u\": %.4f", gap, k, stats_share(&r->stats, k));
      gap = ", ";
    }
  fprintf(to, "}");
  if (r->report[0])
    fprintf(to, ", \"report\": \"%s\"", r->report);
  if (r->differs)
    fprintf(to,
            ", \"difference\": {\"cycle\": %" PRIu64 ", \"field\": \"%s\", \"lane\": %u, "
            "\"circuit\": \"0x%" PRIx64 "\", \"twin\": \"0x%" PRIx64 "\"}",
            r->diff.cycle, r->diff.field->name, r->diff.lane, r->diff.circuit, r->diff.twin);
  fprintf(to, "}\n");
}

static void print_outcome(const struct job *j, const struct suite_opts *o,
                          const struct outcome *out) {
  if (o->json)
    print_json(stdout, j, o, out);
  else if (o->bfs)
    printf("%s %s %s: %" PRIu64 " states, %" PRIu64 " transitions, depth %" PRIu64 "%s\n",
           out->status ? "FAIL" : "PASS", j->dut, j->config, out->b.states, out->b.transitions,
           out->b.depth,
           out->b.bounded    ? ", every path of this depth"
           : out->b.complete ? ", every state"
                             : ", not complete");
  else if (o->test)
    printf("%s %s %s %s %s, %" PRIu64 " cycles%s%s\n", out->status ? "FAIL" : "PASS",
           j->alone ? "twin" : "lock-step", j->dut, j->config, j->name, out->r.cycles,
           out->r.report[0] ? ": " : "", out->r.report);
  else
    print_run(j, out);
  if (out->r.failed && !o->json)
    printf("%s %s %s: %s\n", j->dut, j->config, j->name, out->r.why);
  if (o->bfs && out->b.differs) {
    static const struct stats none;
    difference_print(o->json ? stderr : stdout, &out->b.diff, &none);
  }
  if (o->bfs && out->b.failed)
    fprintf(stderr, "%s %s: %s\n", j->dut, j->config, out->b.why);
  if (out->r.differs && !o->json)
    print_difference(j, o, out);
  fflush(stdout);
}

/* ---- workers --------------------------------------------------------------------------------- */

struct worker {
  pid_t pid;
  int pipe;
  size_t job;
};

static bool start(struct worker *w, const struct job_list *l, size_t job,
                  const struct suite_opts *o) {
  int ends[2];
  fflush(NULL);
  if (pipe(ends) != 0)
    return false;
  w->job = job;
  w->pid = fork();
  if (w->pid == 0) {
    struct outcome out;
    memset(&out, 0, sizeof out);
    close(ends[0]);
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* no run outlives the command */
    out.status = run_job(&l->job[job], o, &out);
    ssize_t sent = write(ends[1], &out, sizeof out);
    fflush(NULL);
    _exit(sent == (ssize_t)sizeof out ? 0 : 2);
  }
  close(ends[1]);
  w->pipe = ends[0];
  return w->pid > 0;
}

/* Reads what the child sends; a child that died sends less, and counts as a failed check. */
static void finish(struct worker *w, struct outcome *out) {
  size_t got = 0;
  int code;
  while (got < sizeof *out) {
    ssize_t n = read(w->pipe, (char *)out + got, sizeof *out - got);
    if (n <= 0)
      break;
    got += (size_t)n;
  }
  close(w->pipe);
  waitpid(w->pid, &code, 0);
  if (got < sizeof *out) {
    memset(out, 0, sizeof *out);
    out->status = 1;
    out->r.failed = true;
    snprintf(out->r.why, sizeof out->r.why, "the run died (wait status %d)", code);
  }
}

static bool chosen(const struct job *j, const struct suite_opts *o) {
  bool search = strncmp(j->config, "bfs", 3) == 0 && !j->path[0] && !j->directed;
  if (o->bfs ? !search : j->cycles == 0 && !o->cycles)
    return false;
  if (!o->bfs && j->late != o->late && !o->name)
    return false;
  return (!o->dut || !strcmp(o->dut, j->dut)) && (!o->config || !strcmp(o->config, j->config)) &&
         (!o->name || !strcmp(o->name, j->name));
}

static void table_head(void) {
  printf("%-56s %9s %9s %9s %8s %8s %6s  %s\n", "case", "cycles", "packets", "grants", "twin",
         "RTL", "ratio", "shares (%)");
  printf("%-56s %9s %9s %9s %8s %8s\n", "", "", "", "", "Mcyc/s", "Mcyc/s");
}

struct totals {
  size_t jobs, failed;
  uint64_t cycles, states, transitions;
  bool waves; /* some were written */
  int status;
};

static void count(struct totals *t, const struct suite_opts *o, const struct outcome *out) {
  t->jobs++;
  t->failed += out->status != 0;
  t->cycles += out->r.cycles;
  t->states += out->b.states;
  t->transitions += out->b.transitions;
  t->waves |= !o->no_waves && (out->r.differs || o->always_waves);
  if (out->status > t->status)
    t->status = out->status;
}

static void progress(const struct suite_opts *o, const struct totals *t, size_t all) {
  if (isatty(STDERR_FILENO) && !o->json)
    fprintf(stderr, "\r%zu of %zu runs\r", t->jobs, all);
}

/* The chosen runs, and what came of those that are done. */
struct suite {
  const struct job_list *l;
  const struct suite_opts *o;
  size_t *pick; /* places in the list */
  struct outcome *out;
  size_t n;
  struct follow follow;
  FILE *results; /* NULL: none are kept */
};

static void close_suite(struct suite *s) {
  free(s->pick);
  free(s->out);
  follow_free(&s->follow);
  if (s->results)
    fclose(s->results);
}

/* False when nothing can be run; then one line has said why. */
static bool open_suite(struct suite *s, const struct job_list *l, const struct suite_opts *o) {
  *s = (struct suite){.l = l, .o = o};
  s->pick = calloc(l->count + 1, sizeof *s->pick);
  s->out = calloc(l->count + 1, sizeof *s->out);
  follow_init(&s->follow, o->follow);
  for (size_t i = 0; s->pick && i < l->count; i++)
    if (chosen(&l->job[i], o))
      s->pick[s->n++] = i;
  bool good = s->pick && s->out;
  if (!good) {
    fprintf(stderr, "cosim: no memory\n");
  } else if (s->n == 0 || (o->record && s->n != 1)) {
    fprintf(stderr, "cosim: %zu runs fit --dut, --config and --case%s\n", s->n,
            o->record ? ", --record needs one" : "");
    good = false;
  } else if (o->results && !(s->results = fopen(o->results, "w"))) {
    fprintf(stderr, "--results %s: %s\n", o->results, strerror(errno));
    good = false;
  }
  if (!good)
    close_suite(s);
  return good;
}

static const struct job *job_of(const struct suite *s, size_t i) { return &s->l->job[s->pick[i]]; }

/* Waits for its circuit only when there is no run to wait for. */
static bool may_start(struct suite *s, size_t i, bool wait) {
  const struct job *j = job_of(s, i);
  return j->alone || follow_ready(&s->follow, j->dut, j->config, wait);
}

static void report(struct suite *s, struct totals *t, size_t i) {
  count(t, s->o, &s->out[i]);
  print_outcome(job_of(s, i), s->o, &s->out[i]);
  if (s->results)
    print_json(s->results, job_of(s, i), s->o, &s->out[i]);
  progress(s->o, t, s->n);
}

/* Started in order, printed in order, each line as soon as those before it are there. */
static void run_suite(struct suite *s, struct totals *t) {
  struct worker w[WORKERS_MAX];
  unsigned workers = s->o->workers < 1 ? 1 : s->o->workers;
  workers = workers > WORKERS_MAX ? WORKERS_MAX : workers;
  size_t started = 0;
  for (size_t done = 0; done < s->n; done++) {
    while (started < s->n && started - done < workers && may_start(s, started, started == done)) {
      if (!start(&w[started % workers], s->l, s->pick[started], s->o)) {
        perror("cosim: cannot start a run");
        t->status = 2;
      }
      started++;
    }
    if (started == done) {
      fprintf(stderr, "cosim: the circuit %s-%s was not built: %zu runs are left out\n",
              job_of(s, done)->dut, job_of(s, done)->config, s->n - done);
      t->status = 2;
      return;
    }
    finish(&w[done % workers], &s->out[done]);
    report(s, t, done);
  }
}

/* What was compared, what failed, and where more about it lies. */
static void print_end(const struct suite *s, const struct totals *t) {
  const struct suite_opts *o = s->o;
  if (o->bfs) {
    printf("%zu searches, %" PRIu64 " states, %" PRIu64 " transitions, %zu failed\n", t->jobs,
           t->states, t->transitions, t->failed);
    return;
  }
  printf("%zu runs, %.1f million cycles compared, %zu with a difference or a failed check\n",
         t->jobs, (double)t->cycles / 1e6, t->failed);
  if (o->test)
    return;
  for (size_t i = 0; i < t->jobs; i++)
    if (s->out[i].status)
      printf("  %s %s %s\n", job_of(s, i)->dut, job_of(s, i)->config, job_of(s, i)->name);
  if (o->results)
    printf("results: %s\n", o->results);
  if (t->waves)
    printf("waves: %s\n", o->waves);
  else
    printf("waves: none; WAVES=1 (--waves) writes some into %s\n", o->waves);
}

int suite_run(const struct job_list *l, const struct suite_opts *o) {
  struct suite s;
  struct totals t = {0};
  if (!open_suite(&s, l, o))
    return 2;
  if (!o->json && !o->bfs && !o->test)
    table_head();
  run_suite(&s, &t);
  if (!o->json)
    print_end(&s, &t);
  close_suite(&s);
  return t.status;
}

int suite_print_circuits(const struct job_list *l, const struct suite_opts *o) {
  struct suite s;
  struct suite_opts only = *o;
  const struct job *last = NULL;
  only.results = NULL;
  if (!open_suite(&s, l, &only))
    return 2;
  for (size_t i = 0; i < s.n; i++) {
    const struct job *j = job_of(&s, i);
    if (j->alone || (last && !strcmp(last->dut, j->dut) && !strcmp(last->config, j->config)))
      continue;
    printf("%s-%s\n", j->dut, j->config);
    last = j;
  }
  close_suite(&s);
  return 0;
}
