/* SPDX-License-Identifier: Apache-2.0 */
/* bench.c - speed of the twins against their own Verilated circuits, in one run (make bench)
 *
 *     bench FOLDER    FOLDER holds a circuit as shim.so for each case in the table `cases`
 *
 * Circuit and twin get the same stimulus, recorded beforehand, in turns; each alone, on one thread.
 * A figure is the median of RUNS runs in CPU time, so that other work on the machine counts little.
 * The outputs of both must agree, or the figures mean nothing.
 *
 * Exit status: 0 measured, 1 outputs differ, 2 a circuit cannot be loaded.
 */
#define _GNU_SOURCE /* dlopen, clock_gettime */
#include <dlfcn.h>
#include <inttypes.h>
#include <loom/head.h>
#include <loom/random.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "sched/sched_port.h"
#include "tb/cosim/shim.h"
#include "tb/ends/credits.h"

enum { RUNS = 5, PORT_CYCLES = 1 << 16, SCHED_CYCLES = 1 << 13, UNIT = LOOM_UNIT_FLITS };

/* Ratios that the design asks for on sched_port: at saturation and at 1 % load. */
enum { WANT_BUSY = 4, WANT_IDLE = 20 };

/* ---- twins, all alike ------------------------------------------------------------------------ */

struct twin {
  const char *name;
  size_t size, in_size, out_size, probe_size;
  size_t (*storage)(const void *cfg);
  void (*init)(void *s, const void *cfg, void *storage);
  void (*run)(void *s, const void *in, void *out, size_t n);
};

static size_t no_storage(const void *cfg) {
  (void)cfg;
  return 0;
}

static size_t port_storage(const void *cfg) { return loom_sched_port_storage_size(cfg); }

#define TWIN_RUN(N)                                                                                \
  static void run_##N(void *s, const void *in, void *out, size_t n) {                              \
    const struct loom_##N##_in *i = in;                                                            \
    struct loom_##N##_out *o = out;                                                                \
    for (size_t c = 0; c < n; c++)                                                                 \
      loom_##N##_step(s, &i[c], &o[c]);                                                            \
  }
#define TWIN_INIT(N)                                                                               \
  static void init_##N(void *s, const void *cfg, void *storage) {                                  \
    (void)storage;                                                                                 \
    loom_##N##_init(s, cfg);                                                                       \
  }
#define TWIN(N, storage)                                                                           \
  {                                                                                                \
#N, sizeof(struct loom_##N), sizeof(struct loom_##N##_in), sizeof(struct loom_##N##_out),      \
        sizeof(struct loom_##N##_probe), storage, init_##N, run_##N                                \
  }

TWIN_INIT(sched_rr)
TWIN_RUN(sched_rr)
TWIN_INIT(sched_sbt)
TWIN_RUN(sched_sbt)
TWIN_INIT(sched_dtable)
TWIN_RUN(sched_dtable)
TWIN_INIT(sched_ibarb)
TWIN_RUN(sched_ibarb)
TWIN_RUN(sched_port)

static void init_sched_port(void *s, const void *cfg, void *storage) {
  loom_sched_port_init(s, cfg, storage);
}

static const struct twin twins[] = {
    TWIN(sched_rr, no_storage),    TWIN(sched_sbt, no_storage),    TWIN(sched_dtable, no_storage),
    TWIN(sched_ibarb, no_storage), TWIN(sched_port, port_storage),
};

/* ---- what is measured ------------------------------------------------------------------------ */

/* One circuit and its twin with a recorded stimulus. */
struct pair {
  const struct twin *twin;
  const struct shim_api *api;
  void *library, *circuit, *state, *storage;
  size_t cycles, warm;       /* length of the stimulus; so many of it are not timed */
  char *in, *out[2], *probe; /* out: of circuit and twin */
};

struct load {
  const char *name;
  uint32_t pause; /* a packet of n flits, one a cycle, is followed by n * pause cycles of silence */
};

static const struct load saturated = {"saturation", 0}, idle = {"1 % load", 99};

struct test_case {
  const char *folder, *twin;
  const struct load *load;
};

static const struct test_case cases[] = {
    {"sched_port-paper_dtable_sl", "sched_port", &saturated},
    {"sched_port-paper_dtable_sl", "sched_port", &idle},
    {"sched_port-paper_rr_sl", "sched_port", &saturated},
    {"sched_port-paper_sbt_sl", "sched_port", &saturated},
    {"sched_port-paper_ibarb_vl", "sched_port", &saturated},
    {"sched_rr-paper_sl", "sched_rr", &saturated},
    {"sched_sbt-paper_sl", "sched_sbt", &saturated},
    {"sched_dtable-paper_sl", "sched_dtable", &saturated},
    {"sched_ibarb-paper_vl", "sched_ibarb", &saturated},
};

static void *allocate(size_t count, size_t size) {
  void *p = calloc(count + 1, size + 1);
  if (!p) {
    fprintf(stderr, "bench: out of memory\n");
    exit(2);
  }
  return p;
}

static bool pair_open(struct pair *p, const char *dir, const struct test_case *t) {
  char path[512];
  memset(p, 0, sizeof *p);
  for (size_t i = 0; i < sizeof twins / sizeof twins[0]; i++)
    if (strcmp(twins[i].name, t->twin) == 0)
      p->twin = &twins[i];
  snprintf(path, sizeof path, "%s/%s/shim.so", dir, t->folder);
  p->library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  p->api = p->library ? dlsym(p->library, "loom_shim") : NULL;
  if (!p->api || !p->twin || strcmp(p->api->dut, t->twin) != 0) {
    fprintf(stderr, "%s: not a circuit of %s\n", path, t->twin);
    return false;
  }
  p->circuit = p->api->open(0);
  p->state = allocate(1, p->twin->size);
  p->storage = allocate(1, p->twin->storage(p->api->cfg));
  p->cycles = strcmp(t->twin, "sched_port") == 0 ? PORT_CYCLES : SCHED_CYCLES;
  p->in = allocate(p->cycles, p->twin->in_size);
  p->probe = allocate(p->cycles, p->twin->probe_size);
  for (int i = 0; i < 2; i++)
    p->out[i] = allocate(p->cycles, p->twin->out_size);
  return true;
}

static void pair_close(struct pair *p) {
  free(p->in);
  free(p->probe);
  free(p->out[0]);
  free(p->out[1]);
  free(p->state);
  free(p->storage);
  p->api->close(p->circuit);
  dlclose(p->library);
}

/* ---- stimulus -------------------------------------------------------------------------------- */

static uint32_t between(uint64_t *seed, uint32_t low, uint32_t high) {
  return low + (uint32_t)(loom_random(seed) % (high - low + 1));
}

/* Word i of the tables, so that each of 16 keys has its share; false beyond the last. */
static bool table_word(const char *scheduler, uint32_t i, uint32_t *addr, uint32_t *data) {
  uint32_t key = i % 15, weight = 8 + i % 32;
  *addr = i;
  *data = key << 8 | weight;
  if (strcmp(scheduler, "sched_sbt") == 0)
    return *data = weight, i < 16;
  if (strcmp(scheduler, "sched_dtable") == 0)
    return i < 128;
  if (strcmp(scheduler, "sched_ibarb") != 0)
    return false;
  if (i >= 64)
    *addr = i < 128 ? 0x80 + i - 64 : 0x100, *data = i < 128 ? *data : 1;
  return i <= 128;
}

/* Every VL has a packet all the time, a new one of another size after each grant. */
static void record_scheduler(struct pair *p) {
  /* The structs of all schedulers have the same fields. */
  struct loom_sched_rr_in now = {.head_valid = 0x7FFF};
  uint64_t seed = 1;
  for (uint32_t vl = 0; vl < 16; vl++) {
    now.head_size[vl] = between(&seed, 1, 32);
    now.head_sl[vl] = vl;
    now.credits[vl] = 1000;
  }
  p->twin->init(p->state, p->api->cfg, p->storage);
  for (size_t c = 0; c < p->cycles; c++) {
    uint32_t addr, data;
    struct loom_sched_rr_out out;
    now.table_we = table_word(p->twin->name, (uint32_t)c, &addr, &data);
    now.table_addr = now.table_we ? addr : 0;
    now.table_data = now.table_we ? data : 0;
    now.request = !now.table_we;
    memcpy(p->in + c * p->twin->in_size, &now, sizeof now);
    p->twin->run(p->state, &now, &out, 1);
    if (out.grant_valid)
      now.head_size[out.grant_vl] = between(&seed, 1, 32);
  }
}

/* A sender that keeps within the buffer of the port, and a receiver that gives back every unit. */
struct link_ends {
  uint64_t seed;
  struct loom_credit_tracker sent;
  struct end_receiver receiver;
  uint32_t vl, len, left, silent;
};

static void offer(struct link_ends *e, const struct load *load, struct loom_sched_port_in *in) {
  if (e->silent) {
    e->silent--;
    return;
  }
  if (!e->left) {
    uint32_t vl = between(&e->seed, 0, 14), len = between(&e->seed, 8, 64);
    if (!end_send(&e->sent, vl, len))
      return;
    e->vl = vl;
    e->left = e->len = len;
    in->in_head = 1;
  }
  in->in_valid = 1;
  in->in_vl = e->vl;
  in->in_tail = e->left == 1;
  in->in_data = in->in_head ? end_head(e->vl, e->left, 0, 0, 0) : loom_random(&e->seed);
  if (--e->left == 0)
    e->silent = e->len * load->pause;
}

static void accept(struct link_ends *e, const struct loom_sched_port_out *out) {
  if (out->in_cr_valid)
    end_credit(&e->sent, (uint32_t)out->in_cr_vl);
  if (out->out_valid)
    end_receive(&e->receiver, (uint32_t)out->out_vl, out->out_tail);
}

static void write_register(struct loom_sched_port_in *in, uint32_t addr, uint32_t data) {
  in->reg_we = 1;
  in->reg_addr = addr;
  in->reg_wdata = data;
}

static void record_port(struct pair *p, const struct load *load) {
  struct loom_sched_port_in *in = (struct loom_sched_port_in *)p->in;
  const struct loom_sched_port_cfg *cfg = p->api->cfg;
  static const char *const scheduler[] = {"sched_rr", "sched_sbt", "sched_dtable", "sched_ibarb"};
  struct link_ends e = {.seed = 1};
  /* At saturation the port is held until its buffer is full: then every VL has packets waiting. */
  p->warm = load->pause ? 0 : (size_t)cfg->CELLS * UNIT;
  end_account_init(&e.sent, cfg->VLS, 13, cfg->CELLS, cfg->RESERVED);
  p->twin->init(p->state, cfg, p->storage);
  for (size_t c = 0; c < p->cycles; c++) {
    struct loom_sched_port_out out;
    uint32_t addr, data;
    if (c > 0 && table_word(scheduler[cfg->SCHED], (uint32_t)c - 1, &addr, &data))
      write_register(&in[c], LOOM_PORT_REG_TABLE + addr, data);
    else if (c == 0 || c == p->warm)
      write_register(&in[c], LOOM_PORT_REG_CONTROL, c < p->warm);
    offer(&e, load, &in[c]);
    uint32_t vl = end_give(&e.receiver, ~0u, 0);
    if (vl != END_NO_LANE) {
      in[c].out_cr_valid = 1;
      in[c].out_cr_vl = vl;
    }
    p->twin->run(p->state, &in[c], &out, 1);
    accept(&e, &out);
  }
}

/* ---- measuring ------------------------------------------------------------------------------- */

static double cpu_seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* A circuit that stops early would look fast. */
static void run_circuit(struct pair *p, const char *in, char *out, size_t n) {
  if (p->api->run(p->circuit, in, out, p->probe, n) != n)
    exit(1);
}

/* Cycles per second over `rounds` rounds of the whole stimulus, each from reset. */
static double time_circuit(struct pair *p, uint32_t rounds) {
  const struct twin *t = p->twin;
  size_t w = p->warm, n = p->cycles - w;
  double seconds = 0;
  for (uint32_t r = 0; r < rounds; r++) {
    p->api->reset(p->circuit, p->in + p->cycles * t->in_size); /* all 0 after the last */
    run_circuit(p, p->in, p->out[0], w);
    double from = cpu_seconds();
    run_circuit(p, p->in + w * t->in_size, p->out[0] + w * t->out_size, n);
    seconds += cpu_seconds() - from;
  }
  return (double)rounds * (double)n / seconds;
}

static double time_twin(struct pair *p, uint32_t rounds) {
  const struct twin *t = p->twin;
  size_t w = p->warm, n = p->cycles - w;
  double seconds = 0;
  for (uint32_t r = 0; r < rounds; r++) {
    t->init(p->state, p->api->cfg, p->storage);
    t->run(p->state, p->in, p->out[1], w);
    double from = cpu_seconds();
    t->run(p->state, p->in + w * t->in_size, p->out[1] + w * t->out_size, n);
    seconds += cpu_seconds() - from;
  }
  return (double)rounds * (double)n / seconds;
}

static int ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double median(double *v) {
  qsort(v, RUNS, sizeof *v, ascending);
  return v[RUNS / 2];
}

/* Flits on the link out in a cycle, on average. */
static double flits_per_cycle(const struct pair *p) {
  const struct loom_sched_port_out *out = (const struct loom_sched_port_out *)p->out[1];
  uint64_t flits = 0;
  if (strcmp(p->twin->name, "sched_port") != 0)
    return 0;
  for (size_t c = p->warm; c < p->cycles; c++)
    flits += out[c].out_valid;
  return (double)flits / (double)(p->cycles - p->warm);
}

static void print_case(const struct pair *p, const struct test_case *t, double circuit,
                       double twin) {
  double flits = flits_per_cycle(p);
  printf("%-27s %-11s %8.3f %8.3f %6.1f", t->folder, t->load->name, circuit / 1e6, twin / 1e6,
         twin / circuit);
  if (flits > 0)
    printf(" %8.3f %13.3f", flits, flits * twin / 1e6);
  else
    printf(" %8s %13s", "-", "-");
  printf(" %10zu %7zu\n", p->api->state_size(p->circuit),
         p->twin->size + p->twin->storage(p->api->cfg));
}

/* False if circuit and twin do not agree. */
static bool measure(struct pair *p, const struct test_case *t, double *ratio) {
  double circuit[RUNS], twin[RUNS];
  uint32_t more = t->load == &idle ? 40 : 8; /* the twin is that much faster: as long a time */
  uint32_t rounds = (uint32_t)(PORT_CYCLES / p->cycles);
  for (uint32_t i = 0; i < RUNS; i++) {
    circuit[i] = time_circuit(p, rounds);
    twin[i] = time_twin(p, rounds * more);
  }
  if (memcmp(p->out[0], p->out[1], p->cycles * p->twin->out_size) != 0) {
    fprintf(stderr, "%s: circuit and twin differ; make sim tells where\n", t->folder);
    return false;
  }
  double slow = median(circuit), fast = median(twin);
  print_case(p, t, slow, fast);
  *ratio = fast / slow;
  return true;
}

static void print_verdict(const char *name, double ratio, int want) {
  printf("sched_port at %s: %.1f times its circuit, %s the %d asked for\n", name, ratio,
         ratio >= want ? "at least" : "below", want);
}

int main(int argc, char **argv) {
  double ratio[sizeof cases / sizeof cases[0]];
  if (argc != 2) {
    fprintf(stderr, "usage: bench FOLDER\n");
    return 2;
  }
  printf("Million cycles a second of circuit and twin, alone, one thread, CPU time, median of %d; "
         "flits on the link out\nper cycle and million per second in the twin; bytes of state.\n\n"
         "%-27s %-11s %8s %8s %6s %8s %13s %10s %7s\n",
         RUNS, "device", "traffic", "circuit", "twin", "ratio", "flits/c", "Mflit-hops/s",
         "circuit B", "twin B");
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    struct pair p;
    if (!pair_open(&p, argv[1], &cases[i]))
      return 2;
    if (strcmp(p.twin->name, "sched_port") == 0)
      record_port(&p, cases[i].load);
    else
      record_scheduler(&p);
    bool agree = measure(&p, &cases[i], &ratio[i]);
    pair_close(&p);
    if (!agree)
      return 1;
  }
  printf("\n");
  print_verdict(saturated.name, ratio[0], WANT_BUSY);
  print_verdict(idle.name, ratio[1], WANT_IDLE);
  return 0;
}
