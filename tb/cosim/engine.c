/* engine.c - drives circuit and twin with the same inputs and compares every output of every cycle
 *
 * Work goes in chunks: the stimulus and the twin run CHUNK cycles ahead (live traffic reacts to the
 * twin), then the circuit runs the same inputs, then everything is compared. The first difference
 * is the same as with a comparison after each cycle, at a fraction of the cost. A run is cut into
 * episodes, each with a reset and a new draw of configuration and traffic from (seed, episode), so
 * a rerun can begin at the episode of a difference.
 */
#define _POSIX_C_SOURCE 200809L /* clock_gettime */
#include "tb/cosim/cosim.h"
#include "tb/cosim/outfile.h"
#include "tb/cosim/waves.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { CHUNK = 1024, TIME_EVERY = 4 };

struct engine {
  const struct circuit *c;
  const struct dut *dut;
  const struct stim *stim;
  const void *cfg;
  const struct run_opts *o;
  struct run_result *r;
  struct rng rng;
  void *st;
  /* The twin and its storage, a copy from before the chunk and one from after it. */
  char *twin, *storage, *before, *after;
  size_t storage_size;
  char *in, *twin_out, *circuit_out, *twin_probe, *circuit_probe, *again;
  void *last_out; /* what the twin showed in the cycle before the chunk */
  uint64_t episode_start, warmup, chunk_index;
  struct out_writer *record;
  struct waves *waves;
};

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void *zeroed(size_t n) {
  void *p = calloc(1, n ? n : 1);
  if (!p) {
    fputs("cosim: out of memory\n", stderr);
    exit(2);
  }
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
  e->storage_size = d->storage_size(e->cfg);
  e->st = zeroed(e->stim->size);
  e->twin = zeroed(d->twin_size);
  e->storage = zeroed(e->storage_size);
  e->before = zeroed(d->twin_size + e->storage_size);
  e->after = zeroed(d->twin_size + e->storage_size);
  e->in = zeroed(CHUNK * d->in_size);
  e->twin_out = zeroed(CHUNK * d->out_size);
  e->circuit_out = zeroed(CHUNK * d->out_size);
  e->again = zeroed(CHUNK * d->out_size);
  e->twin_probe = zeroed(CHUNK * d->probe_size);
  e->circuit_probe = zeroed(CHUNK * d->probe_size);
  e->last_out = zeroed(d->out_size);
}

static void engine_close(struct engine *e) {
  void *all[] = {e->st,    e->twin,       e->storage,       e->before,
                 e->after, e->in,         e->twin_out,      e->circuit_out,
                 e->again, e->twin_probe, e->circuit_probe, e->last_out};
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
  memset(e->in, 0, e->dut->in_size);
  if (e->c->handle)
    e->c->api->reset(e->c->handle, e->in);
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
        if (field_get(f, e->in + c * e->dut->in_size, lane) >> bits)
          fail(e, "the stimulus left the width of an input");
  }
}

static void twin_chunk(struct engine *e, uint64_t cycle, size_t n) {
  const struct dut *d = e->dut;
  bool timed = e->chunk_index % TIME_EVERY == 0;
  if (timed)
    snapshot(e, e->before);
  memset(e->in, 0, n * d->in_size);
  const void *out = e->last_out;
  for (size_t i = 0; i < n; i++) {
    e->stim->next(e->st, cycle + i - e->episode_start, out, e->in + i * d->in_size);
    d->run(e->twin, e->in + i * d->in_size, e->twin_out + i * d->out_size,
           e->twin_probe + i * d->probe_size, 1);
    if (e->stim->look_inside)
      e->stim->look_inside(e->st, e->twin);
    out = e->twin_out + i * d->out_size;
  }
  memcpy(e->last_out, out, d->out_size);
  if (!timed)
    return;
  check_inputs(e, n);
  /* The same cycles again, nothing but the twin: its speed, and that it is a function of its state.
   */
  snapshot(e, e->after);
  restore(e, e->before);
  double t = now();
  d->step_only(e->twin, e->in, e->again, n);
  e->r->twin_seconds += now() - t;
  e->r->twin_cycles += n;
  if (memcmp(e->again, e->twin_out, n * d->out_size) != 0)
    fail(e, "the twin is not deterministic");
  restore(e, e->after);
}

static void circuit_chunk(struct engine *e, size_t n) {
  if (!e->c->handle) {
    memcpy(e->circuit_out, e->twin_out, n * e->dut->out_size);
    memcpy(e->circuit_probe, e->twin_probe, n * e->dut->probe_size);
    return;
  }
  double t = now();
  e->c->api->run(e->c->handle, e->in, e->circuit_out, e->circuit_probe, n);
  if (!e->waves) {
    e->r->rtl_seconds += now() - t;
    e->r->rtl_cycles += n;
  }
}

static void plant(struct engine *e, uint64_t cycle, size_t n) {
  const struct plant *p = &e->o->plant;
  if (!p->on || p->cycle < cycle || p->cycle >= cycle + n)
    return;
  plant_flip(p, e->cfg, e->circuit_out + (p->cycle - cycle) * e->dut->out_size);
}

/* The first cycle of the chunk in which the two differ, n if none. */
static size_t compare(struct engine *e, uint64_t cycle, size_t n) {
  const struct dut *d = e->dut;
  uint64_t age = cycle - e->episode_start;
  size_t first = age >= e->warmup ? 0 : (size_t)(e->warmup - age);
  if (first > n)
    first = n;
  if (memcmp(e->circuit_out + first * d->out_size, e->twin_out + first * d->out_size,
             (n - first) * d->out_size) == 0 &&
      memcmp(e->circuit_probe + first * d->probe_size, e->twin_probe + first * d->probe_size,
             (n - first) * d->probe_size) == 0)
    return n;
  for (size_t i = first; i < n; i++) {
    if (field_differs(d, e->cfg, FIELD_OUT, e->circuit_out + i * d->out_size,
                      e->twin_out + i * d->out_size, &e->r->diff) ||
        field_differs(d, e->cfg, FIELD_PROBE, e->circuit_probe + i * d->probe_size,
                      e->twin_probe + i * d->probe_size, &e->r->diff)) {
      e->r->differs = true;
      e->r->diff.cycle = cycle + i;
      return i;
    }
  }
  fail(e, "the twin writes outside the fields of its list");
  return n;
}

static void look_back(struct engine *e, uint64_t cycle, size_t n) {
  const struct dut *d = e->dut;
  for (size_t i = 0; i < n; i++) {
    const char *in = e->in + i * d->in_size;
    e->stim->observe(e->st, cycle + i, in, e->circuit_out + i * d->out_size,
                     e->circuit_probe + i * d->probe_size, &e->r->stats);
    if (e->record)
      out_write(e->record, in, e->twin_out + i * d->out_size,
                cycle + i - e->episode_start >= e->warmup);
  }
  if (e->waves)
    for (size_t i = 0; i < n; i++)
      waves_cycle(e->waves, cycle + i, e->in + i * d->in_size, e->circuit_out + i * d->out_size,
                  e->twin_out + i * d->out_size, e->circuit_probe + i * d->probe_size,
                  e->twin_probe + i * d->probe_size);
  char why[sizeof e->r->why];
  if (e->stim->check && !e->r->differs && !e->stim->check(e->st, why, sizeof why))
    fail(e, why);
}

/* How far a chunk may go: not over the end of the episode, nor over the ends of the wave window. */
static size_t chunk_length(const struct engine *e, uint64_t cycle, uint64_t episode_end) {
  uint64_t n = episode_end - cycle;
  if (e->o->wave_dir && cycle < e->o->wave_from && n > e->o->wave_from - cycle)
    n = e->o->wave_from - cycle;
  if (e->o->wave_dir && cycle >= e->o->wave_from && cycle < e->o->wave_to &&
      n > e->o->wave_to - cycle)
    n = e->o->wave_to - cycle;
  return n < CHUNK ? (size_t)n : CHUNK;
}

/* Runs one episode; returns false when the run is over (a difference, or the window is dumped). */
static bool episode(struct engine *e, uint64_t start, uint64_t end, uint64_t index) {
  episode_begin(e, start, index);
  for (uint64_t cycle = start; cycle < end;) {
    if (e->o->wave_dir && !e->waves && cycle >= e->o->wave_from && cycle < e->o->wave_to)
      e->waves = waves_open(e->c, e->o->wave_dir, cycle);
    size_t n = chunk_length(e, cycle, end);
    twin_chunk(e, cycle, n);
    circuit_chunk(e, n);
    plant(e, cycle, n);
    size_t good = e->r->differs ? n : compare(e, cycle, n);
    /* With waves on, the run goes on past a difference to the end of the window. */
    look_back(e, cycle, good < n && !e->waves ? good + 1 : n);
    e->r->cycles += good;
    e->chunk_index++;
    cycle += n;
    if ((e->r->differs && !e->waves) || e->r->failed)
      return false;
    if (e->waves && cycle >= e->o->wave_to) {
      waves_close(e->waves, e->c);
      e->waves = NULL;
      if (e->r->differs)
        return false;
    }
  }
  return true;
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
  if (e.waves)
    waves_close(e.waves, c);
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

void difference_print(FILE *f, const struct run_result *r) {
  const struct difference *d = &r->diff;
  static const char *const kind[] = {"input", "output", "probe"};
  static const char *const suffix[] = {"_i", "_o", "_q"};
  fprintf(f, "first difference in cycle %" PRIu64 ", %s %s%s", d->cycle, kind[d->field->dir],
          d->field->name, suffix[d->field->dir]);
  if (d->field->array)
    fprintf(f, " lane %" PRIu32, d->lane);
  fprintf(f, ": circuit 0x%" PRIx64 ", twin 0x%" PRIx64 "\n", d->circuit, d->twin);
  uint64_t n = r->stats.seen < HISTORY ? r->stats.seen : HISTORY;
  for (uint64_t i = r->stats.seen - n; i < r->stats.seen; i++) {
    const struct packet_note *p = &r->stats.last[i % HISTORY];
    fprintf(f, "  packet before it: cycle %" PRIu64 " port %u vl %u dest %u length %u id %u\n",
            p->cycle, p->port, p->vl, p->dest, p->length, p->id);
  }
}
