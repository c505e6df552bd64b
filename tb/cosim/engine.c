/* SPDX-License-Identifier: Apache-2.0 */
/* engine.c - drives circuit and twin with the same inputs and compares every output of every cycle
 *
 * Work goes in chunks: the stimulus and the twin run CHUNK cycles ahead (live traffic reacts to the
 * twin), then the circuit follows (lockstep.h). A run is cut into episodes, each with a reset and a
 * new draw of configuration and traffic from (seed, episode), so a rerun can begin at the episode
 * of a difference.
 */
#include "tb/cosim/cosim.h"
#include "tb/cosim/lockstep.h"
#include "tb/cosim/outfile.h"

#include <stdlib.h>
#include <string.h>

enum { CHUNK = 1024, TIME_EVERY = 4 };

struct engine {
  const struct circuit *c;
  const struct dut *dut;
  const struct stim *stim;
  const void *cfg;
  const struct run_opts *o;
  struct run_result *r;
  struct rng rng;
  struct lockstep l;
  void *st;
  /* The twin and its storage, a copy from before the chunk and one from after it. */
  char *twin, *storage, *before, *after;
  size_t storage_size;
  char *again;
  void *last_out; /* what the twin showed in the cycle before the chunk */
  uint64_t episode_start, warmup, chunk_index;
  struct out_writer *record;
};

static void no_memory(void) {
  fputs("cosim: out of memory\n", stderr);
  exit(2);
}

static void *zeroed(size_t n) {
  void *p = calloc(1, n ? n : 1);
  if (!p)
    no_memory();
  return p;
}

static void fail(struct engine *e, const char *why) {
  if (!e->r->failed) {
    e->r->failed = true;
    snprintf(e->r->why, sizeof e->r->why, "%s", why);
  }
}

static void engine_open(struct engine *e) {
  const struct dut *d = e->dut;
  if (!lockstep_open(&e->l, e->c, CHUNK))
    no_memory();
  e->l.plant = e->o->plant;
  e->l.window = (struct window){e->o->wave_dir, e->o->wave_from, e->o->wave_to};
  e->storage_size = d->storage_size(e->cfg);
  e->st = zeroed(e->stim->size);
  e->twin = zeroed(d->twin_size);
  e->storage = zeroed(e->storage_size);
  e->before = zeroed(d->twin_size + e->storage_size);
  e->after = zeroed(d->twin_size + e->storage_size);
  e->again = zeroed(CHUNK * d->out_size);
  e->last_out = zeroed(d->out_size);
}

static void engine_close(struct engine *e) {
  void *all[] = {e->st, e->twin, e->storage, e->before, e->after, e->again, e->last_out};
  lockstep_close(&e->l);
  for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
    free(all[i]);
}

static void snapshot(const struct engine *e, char *to) {
  memcpy(to, e->twin, e->dut->twin_size);
  memcpy(to + e->dut->twin_size, e->storage, e->storage_size);
}

static void restore(const struct engine *e, const char *from) {
  memcpy(e->twin, from, e->dut->twin_size);
  memcpy(e->storage, from + e->dut->twin_size, e->storage_size);
}

/* Reset of both, and a new draw. */
static void episode_begin(struct engine *e, uint64_t cycle, uint64_t index) {
  rng_seed(&e->rng, e->o->seed * 0x2545f4914f6cdd1du + index);
  memset(e->st, 0, e->stim->size);
  memset(e->twin, 0, e->dut->twin_size);
  memset(e->storage, 0, e->storage_size);
  memset(e->last_out, 0, e->dut->out_size);
  e->stim->init(e->st, &e->rng, e->cfg, e->o->scenario);
  e->dut->init(e->twin, e->cfg, e->storage);
  memset(e->l.in, 0, e->dut->in_size);
  if (e->c->handle)
    e->c->api->reset(e->c->handle, e->l.in);
  e->episode_start = cycle;
  e->warmup = e->stim->warmup ? e->stim->warmup(e->cfg) : 0;
}

/* A stimulus that leaves the width of a port would drive the two with different values. */
static void check_inputs(struct engine *e, size_t n) {
  for (size_t i = 0; i < e->dut->field_count; i++) {
    const struct field *f = &e->dut->fields[i];
    uint32_t bits = f->bits(e->cfg);
    if (f->dir != FIELD_IN || bits >= 64)
      continue;
    for (uint32_t lane = 0, lanes = f->lanes(e->cfg); lane < lanes; lane++)
      for (size_t c = 0; c < n; c++)
        if (field_get(f, e->l.in + c * e->dut->in_size, lane) >> bits)
          fail(e, "the stimulus left the width of an input");
  }
}

static void twin_chunk(struct engine *e, uint64_t cycle, size_t n) {
  const struct dut *d = e->dut;
  struct lockstep *l = &e->l;
  bool timed = e->chunk_index % TIME_EVERY == 0;
  if (timed)
    snapshot(e, e->before);
  memset(l->in, 0, n * d->in_size);
  const void *out = e->last_out;
  for (size_t i = 0; i < n; i++) {
    e->stim->next(e->st, cycle + i - e->episode_start, out, l->in + i * d->in_size);
    d->run(e->twin, l->in + i * d->in_size, l->twin_out + i * d->out_size,
           l->twin_probe + i * d->probe_size, 1);
    if (e->stim->look_inside)
      e->stim->look_inside(e->st, e->twin);
    out = l->twin_out + i * d->out_size;
  }
  memcpy(e->last_out, out, d->out_size);
  if (!timed)
    return;
  check_inputs(e, n);
  /* The same cycles again, nothing but the twin: its speed, and that it is a function of its state.
   */
  snapshot(e, e->after);
  restore(e, e->before);
  double t = cpu_seconds();
  d->step_only(e->twin, l->in, e->again, n);
  e->r->twin_seconds += cpu_seconds() - t;
  e->r->twin_cycles += n;
  if (memcmp(e->again, l->twin_out, n * d->out_size) != 0)
    fail(e, "the twin is not deterministic");
  restore(e, e->after);
}

/* Cycles at the beginning of a chunk in which outputs are not defined yet. */
static size_t blind(const struct engine *e, uint64_t cycle, size_t n) {
  uint64_t age = cycle - e->episode_start;
  uint64_t left = age >= e->warmup ? 0 : e->warmup - age;
  return left < n ? (size_t)left : n;
}

static void look_back(struct engine *e, uint64_t cycle, size_t n) {
  const struct dut *d = e->dut;
  const struct lockstep *l = &e->l;
  for (size_t i = 0; i < n; i++) {
    const char *in = l->in + i * d->in_size;
    e->stim->observe(e->st, cycle + i, in, l->circuit_out + i * d->out_size,
                     l->circuit_probe + i * d->probe_size, &e->r->stats);
    if (e->record)
      out_write(e->record, in, l->twin_out + i * d->out_size,
                cycle + i - e->episode_start >= e->warmup);
  }
  char why[sizeof e->r->why];
  if (e->stim->check && !l->differs && !e->stim->check(e->st, why, sizeof why))
    fail(e, why);
}

/* Runs one episode; returns false when the run is over (a difference, or the window is dumped). */
static bool episode(struct engine *e, uint64_t start, uint64_t end, uint64_t index) {
  struct lockstep *l = &e->l;
  episode_begin(e, start, index);
  for (uint64_t cycle = start; cycle < end;) {
    size_t n = lockstep_room(l, cycle, end - cycle);
    twin_chunk(e, cycle, n);
    size_t good = lockstep_follow(l, cycle, n, blind(e, cycle, n));
    if (l->wrong)
      fail(e, l->wrong);
    /* With waves on, the run goes on past a difference to the end of the window. */
    look_back(e, cycle, good < n && !l->waves ? good + 1 : n);
    e->r->cycles += good;
    e->chunk_index++;
    cycle += n;
    if (e->r->failed || !lockstep_goes_on(l, cycle))
      return false;
  }
  return true;
}

static void take_result(struct engine *e) {
  struct run_result *r = e->r;
  r->differs = e->l.differs;
  r->diff = e->l.diff;
  r->rtl_seconds = e->l.seconds;
  r->rtl_cycles = e->l.cycles;
}

void run(struct circuit *c, const struct run_opts *o, struct run_result *r) {
  struct engine e = {
      .c = c, .dut = c->dut, .stim = c->dut->stim, .cfg = c->api->cfg, .o = o, .r = r};
  memset(r, 0, sizeof *r);
  engine_open(&e);
  uint64_t length = e.stim->episode;
  if (!length || o->record || o->scenario)
    length = o->cycles;
  if (o->record && !(e.record = out_create(o->record, c, o->seed, o->cycles)))
    fail(&e, "cannot write the record");
  uint64_t index = 0;
  /* A window later in the run: begin at its episode, those before it do not change it. */
  if (o->wave_dir && length)
    index = o->wave_from / length;
  for (; !r->failed && index * length < o->cycles; index++) {
    uint64_t end = (index + 1) * length;
    if (!episode(&e, index * length, end < o->cycles ? end : o->cycles, index))
      break;
  }
  take_result(&e);
  if (e.record && !out_finish(e.record))
    fail(&e, "cannot write the record");
  char text[sizeof r->report] = "";
  if (!r->differs && !r->failed && e.stim->verdict) {
    if (!e.stim->verdict(e.st, &r->stats, text, sizeof text))
      fail(&e, text);
    else
      memcpy(r->report, text, sizeof text);
  }
  engine_close(&e);
}
