/* SPDX-License-Identifier: Apache-2.0 */
/* switches.c - speed of the twins of switches and routers against their own Verilated circuits, in
 * one run (make bench)
 *
 *     switches FOLDER    FOLDER holds a circuit as shim.so for each case in the table `cases`
 *
 * Traffic is that of the lock-step bench's directed cases, recorded beforehand; circuit and twin
 * get the same, in turns, each alone, on one thread. A figure is the median of RUNS runs in CPU
 * time. The outputs of both must agree, or the figures mean nothing.
 *
 * Exit status: 0 measured, 1 outputs differ, 2 a circuit cannot be loaded.
 */
#define _GNU_SOURCE /* clock_gettime */
#include <inttypes.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tb/cosim/case.h"
#include "tb/cosim/cosim.h"

/* CYCLES and WARM are multiples of STRETCH. */
enum { RUNS = 5, STRETCH = 50, CYCLES = 12000, WARM = 4000, IDLE_ROUNDS = 20, BUSY_ROUNDS = 4 };

struct bench_case {
  const char *dut, *config, *name, *load;
  uint32_t rounds; /* of the twin in a run: as long a time as the circuit's */
};

static const struct bench_case cases[] = {
    {"opa_switch", "p48", "uniform", "full", BUSY_ROUNDS},
    {"opa_switch", "p48", "nine_tenths", "0.9", BUSY_ROUNDS},
    {"opa_switch", "p48", "one_percent", "1 %", IDLE_ROUNDS},
    {"ib_switch", "p36", "uniform", "full", BUSY_ROUNDS},
    {"ib_switch", "p36", "nine_tenths", "0.9", BUSY_ROUNDS},
    {"ib_switch", "p36", "one_percent", "1 %", IDLE_ROUNDS},
    {"elite5_router", "p32", "uniform", "full", BUSY_ROUNDS},
    {"elite5_router", "p32", "nine_tenths", "0.9", BUSY_ROUNDS},
    {"elite5_router", "p32", "one_percent", "1 %", IDLE_ROUNDS},
};

struct pair {
  struct circuit c;
  const struct dut *d;
  size_t circuit_bytes, twin_bytes;
  char *twin, *storage, *in, *out[2], *probe; /* out: of circuit and twin */
  char *hot_in, *hot_out;                     /* STRETCH cycles */
};

static char *allocate(size_t count, size_t size) {
  char *p = calloc(count + 1, size + 1);
  if (!p) {
    fprintf(stderr, "switches: out of memory\n");
    exit(2);
  }
  return p;
}

static size_t heap(void) {
  struct mallinfo2 m = mallinfo2();
  return m.uordblks + m.hblkhd;
}

static bool pair_open(struct pair *p, const char *folder, const struct bench_case *t) {
  memset(p, 0, sizeof *p);
  size_t before = heap();
  if (!circuit_open(&p->c, folder, t->dut, t->config, 1))
    return false;
  p->circuit_bytes = heap() - before;
  const struct dut *d = p->d = p->c.dut;
  size_t storage = d->storage_size(p->c.api->cfg);
  p->twin_bytes = d->twin_size + storage;
  p->twin = allocate(1, d->twin_size);
  p->storage = allocate(1, storage);
  p->in = allocate(CYCLES + 1, d->in_size);
  p->probe = allocate(STRETCH, d->probe_size);
  p->hot_in = allocate(STRETCH, d->in_size);
  p->hot_out = allocate(STRETCH, d->out_size);
  for (int i = 0; i < 2; i++)
    p->out[i] = allocate(CYCLES, d->out_size);
  return true;
}

static void pair_close(struct pair *p) {
  char *all[] = {p->twin, p->storage, p->in, p->out[0], p->out[1], p->probe, p->hot_in, p->hot_out};
  for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
    free(all[i]);
  circuit_close(&p->c);
}

/* The stimulus reacts to the twin, so it is recorded with it. */
static void record(struct pair *p, const struct bench_case *t) {
  const struct dut *d = p->d;
  const struct scenario sc = {.directed = t->name, .cycles = CYCLES};
  struct rng rng;
  char *st = allocate(1, d->stim->size), *out = allocate(1, d->out_size);
  rng_seed(&rng, 1);
  d->stim->init(st, &rng, p->c.api->cfg, &sc);
  d->init(p->twin, p->c.api->cfg, p->storage);
  for (size_t c = 0; c < CYCLES; c++) {
    d->stim->next(st, c, out, p->in + c * d->in_size);
    d->step_only(p->twin, p->in + c * d->in_size, out, 1);
  }
  free(st);
  free(out);
}

static double cpu_seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* n cycles of circuit (side 0) or twin (side 1). */
static void step(struct pair *p, int side, const char *in, char *out, size_t n) {
  if (side)
    p->d->step_only(p->twin, (void *)in, out, n);
  else if (p->c.api->run(p->c.handle, (void *)in, out, p->probe, n) != n)
    exit(1); /* it has said which assertion failed */
}

static void reset(struct pair *p, int side) {
  if (side)
    p->d->init(p->twin, p->c.api->cfg, p->storage);
  else
    p->c.api->reset(p->c.handle, p->in + CYCLES * p->d->in_size); /* all 0 after the last */
}

/* Cycles a second from reset, without the first WARM. A stretch at a time goes through buffers that
 * stay in the cache, as between neighbours in a fabric: only the steps are timed. */
static double speed(struct pair *p, int side, uint32_t rounds) {
  const struct dut *d = p->d;
  double seconds = 0;
  for (uint32_t r = 0; r < rounds; r++) {
    reset(p, side);
    for (size_t c = 0; c < CYCLES; c += STRETCH) {
      memcpy(p->hot_in, p->in + c * d->in_size, STRETCH * d->in_size);
      double from = cpu_seconds();
      step(p, side, p->hot_in, p->hot_out, STRETCH);
      seconds += c >= WARM ? cpu_seconds() - from : 0;
      memcpy(p->out[side] + c * d->out_size, p->hot_out, STRETCH * d->out_size);
    }
  }
  return rounds * (double)(CYCLES - WARM) / seconds;
}

static int ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double median(double *v) {
  qsort(v, RUNS, sizeof *v, ascending);
  return v[RUNS / 2];
}

static const struct field *field_named(const struct dut *d, const char *name) {
  const struct field *f = d->fields;
  while (strcmp(f->name, name) != 0)
    f++;
  return f;
}

/* Flits (of a router: words) on all links out in a cycle, on average. */
static double flits_a_cycle(const struct pair *p) {
  const struct field *valid = field_named(p->d, "out_valid");
  uint32_t lanes = valid->lanes(p->c.api->cfg);
  uint64_t flits = 0;
  for (size_t c = WARM; c < CYCLES; c++)
    for (uint32_t port = 0; port < lanes; port++)
      flits += field_get(valid, p->out[1] + c * p->d->out_size, port);
  return (double)flits / (CYCLES - WARM);
}

static void print_case(const struct pair *p, const struct bench_case *t, double circuit,
                       double twin) {
  char name[64];
  double flits = flits_a_cycle(p);
  snprintf(name, sizeof name, "%s %s", t->dut, t->config);
  printf("%-18s %-5s %9.1f %9.1f %6.1f %8.2f %13.2f %11zu %9zu\n", name, t->load, circuit / 1e3,
         twin / 1e3, twin / circuit, flits, flits * twin / 1e6, p->circuit_bytes, p->twin_bytes);
}

/* False if circuit and twin do not agree. */
static bool measure(struct pair *p, const struct bench_case *t) {
  double circuit[RUNS], twin[RUNS];
  for (uint32_t i = 0; i < RUNS; i++) {
    circuit[i] = speed(p, 0, 1);
    twin[i] = speed(p, 1, t->rounds);
  }
  if (memcmp(p->out[0], p->out[1], CYCLES * p->d->out_size) != 0) {
    fprintf(stderr, "%s %s: circuit and twin differ; make sim tells where\n", t->dut, t->config);
    return false;
  }
  print_case(p, t, median(circuit), median(twin));
  return true;
}

int main(int argc, char **argv) {
  if (argc != 2) {
    fprintf(stderr, "usage: switches FOLDER\n");
    return 2;
  }
  printf(
      "\nThousand switch-cycles a second of circuit and twin, alone, one thread, CPU time, median "
      "of %d; flits on all\nlinks out per cycle and million flit-hops per second in the twin; "
      "bytes of a switch.\n\n%-18s %-5s %9s %9s %6s %8s %13s %11s %9s\n",
      RUNS, "device", "load", "circuit", "twin", "ratio", "flits/c", "Mflit-hops/s", "circuit B",
      "twin B");
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    struct pair p;
    if (!pair_open(&p, argv[1], &cases[i]))
      return 2;
    record(&p, &cases[i]);
    bool agree = measure(&p, &cases[i]);
    pair_close(&p);
    if (!agree)
      return 1;
  }
  return 0;
}
