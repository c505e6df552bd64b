/* SPDX-License-Identifier: Apache-2.0 */
/* play.c - runs circuit and twin, or the twin alone, on recorded vectors */
#include "tb/cosim/play.h"

#include "tb/cosim/outfile.h"
#include "tb/cosim/suite.h"
#include "tb/cosim/waves.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct player {
  struct circuit c;
  struct out_file f;
  struct plant plant;
  struct waves *waves;
  char *in, *out, *probe, *twin, *storage;
  char *circuit_out, *circuit_probe;
  uint64_t warmup; /* cycles in which the two may differ: memories that were not written */
};

static void apply(const struct player *p, uint64_t cycle) {
  const struct dut *d = p->c.dut;
  size_t port = 0;
  memset(p->in, 0, d->in_size);
  for (size_t i = 0; i < d->field_count; i++) {
    const struct field *f = &d->fields[i];
    if (f->dir == FIELD_PROBE)
      continue;
    const struct out_port *o = &p->f.ports[port++];
    for (uint32_t l = 0; o->input && l < o->lanes; l++)
      field_set(f, p->in, l,
                out_value(&p->f, p->f.in, p->f.in_bytes, cycle, o->at + l * o->bits, o->bits));
  }
}

/* Compares `seen` with the file where the file cares; `who` shows it: circuit or twin. */
static bool agrees(struct player *p, uint64_t cycle, const char *who, const char *seen) {
  const struct dut *d = p->c.dut;
  size_t port = 0;
  for (size_t i = 0; i < d->field_count; i++) {
    const struct field *f = &d->fields[i];
    if (f->dir == FIELD_PROBE)
      continue;
    const struct out_port *o = &p->f.ports[port++];
    for (uint32_t l = 0; !o->input && l < o->lanes; l++) {
      uint32_t at = o->at + l * o->bits;
      uint64_t care = out_value(&p->f, p->f.care, p->f.out_bytes, cycle, at, o->bits);
      uint64_t want = out_value(&p->f, p->f.out, p->f.out_bytes, cycle, at, o->bits);
      uint64_t got = field_get(f, seen, l);
      if ((got ^ want) & care) {
        printf("first difference in cycle %" PRIu64 ", output %s_o lane %u: %s 0x%" PRIx64
               ", recorded 0x%" PRIx64 "\n",
               cycle, f->name, l, who, got, want);
        return false;
      }
    }
  }
  return true;
}

/* Circuit and twin show the same, whatever the file says of it. */
static bool same(const struct player *p, uint64_t cycle) {
  const struct dut *d = p->c.dut;
  const void *cfg = p->c.api->cfg;
  struct difference diff = {.cycle = cycle};
  struct stats none = {0};
  if (!field_differs(d, cfg, FIELD_OUT, p->circuit_out, p->out, &diff) &&
      !field_differs(d, cfg, FIELD_PROBE, p->circuit_probe, p->probe, &diff))
    return true;
  difference_print(stdout, &diff, &none);
  return false;
}

/* One cycle of both. False if they are to be run no further. */
static bool run_cycle(struct player *p, uint64_t cycle) {
  const struct dut *d = p->c.dut;
  apply(p, cycle);
  memset(p->out, 0, d->out_size);
  memset(p->circuit_out, 0, d->out_size);
  d->run(p->twin, p->in, p->out, p->probe, 1);
  bool kept = p->c.api->run(p->c.handle, p->in, p->circuit_out, p->circuit_probe, 1) == 1;
  if (p->plant.on && p->plant.cycle == cycle)
    plant_flip(&p->plant, p->c.api->cfg, p->circuit_out);
  if (p->waves)
    waves_cycle(p->waves, cycle, p->in, p->circuit_out, p->out, p->circuit_probe, p->probe);
  return agrees(p, cycle, "twin", p->out) && agrees(p, cycle, "circuit", p->circuit_out) &&
         (cycle < p->warmup || same(p, cycle)) && kept;
}

static bool run_cycles(struct player *p) {
  const struct dut *d = p->c.dut;
  memset(p->in, 0, d->in_size);
  d->init(p->twin, p->c.api->cfg, p->storage);
  p->c.api->reset(p->c.handle, p->in);
  uint64_t cycle = 0;
  while (cycle < p->f.cycles && run_cycle(p, cycle))
    cycle++;
  return cycle == p->f.cycles;
}

/* What a cycle needs beside circuit and file; false after one line on stderr. */
static bool take_memory(struct player *p, const char *path) {
  const struct dut *d = p->c.dut;
  const void *cfg = p->c.api->cfg;
  p->warmup = d->stim->warmup ? d->stim->warmup(cfg) : 0;
  p->in = calloc(1, d->in_size);
  p->out = calloc(1, d->out_size);
  p->probe = calloc(1, d->probe_size);
  p->circuit_out = calloc(1, d->out_size);
  p->circuit_probe = calloc(1, d->probe_size);
  p->twin = calloc(1, d->twin_size);
  p->storage = calloc(1, d->storage_size(cfg) + 1);
  return p->in && p->out && p->probe && p->circuit_out && p->circuit_probe && p->twin &&
         p->storage && out_fits(&p->f, path, d, cfg, stderr);
}

static void close_player(struct player *p) {
  if (p->waves)
    waves_close(p->waves, &p->c);
  free(p->in);
  free(p->out);
  free(p->probe);
  free(p->circuit_out);
  free(p->circuit_probe);
  free(p->twin);
  free(p->storage);
  circuit_close(&p->c);
  out_free(&p->f);
}

int play(const char *path, const char *circuits, const char *plant, const char *waves) {
  struct player p = {0};
  int status = 2;
  if (!out_load(&p.f, path, stderr))
    return 2;
  if (!(waves ? circuit_open_waves : circuit_open)(&p.c, circuits, p.f.dut, p.f.config, 1)) {
    out_free(&p.f);
    return 2;
  }
  bool ready =
      take_memory(&p, path) && (!plant || plant_parse(&p.plant, plant, p.c.dut, p.c.api->cfg));
  char dir[256];
  snprintf(dir, sizeof dir, "%s/%s-%s-play", waves ? waves : "", p.f.dut, p.f.config);
  if (ready && waves && !(p.waves = waves_open(&p.c, dir, 0)))
    ready = false;
  if (ready)
    status = run_cycles(&p) ? 0 : 1;
  if (status == 0)
    printf("%s: %" PRIu64 " cycles, circuit and twin as recorded\n", path, p.f.cycles);
  if (p.waves)
    printf("waves: gtkwave %s/waves.gtkw (twin.fst), %s/rtl.fst\n", dir, dir);
  close_player(&p);
  return status;
}

/* ---- the twin alone -------------------------------------------------------------------------- */

static const struct listed_config *listed(const struct out_file *f) {
  const struct listed_config *c = listed_configs;
  while (c->device && (strcmp(c->device, f->dut) != 0 || strcmp(c->name, f->config) != 0))
    c++;
  return c->device ? c : NULL;
}

static bool run_twin(struct player *p, struct out_writer *w) {
  const struct dut *d = p->c.dut;
  bool good = true;
  d->init(p->twin, p->c.api->cfg, p->storage);
  for (uint64_t cycle = 0; cycle < p->f.cycles; cycle++) {
    apply(p, cycle);
    memset(p->out, 0, d->out_size);
    d->run(p->twin, p->in, p->out, p->probe, 1);
    out_write(w, p->in, p->out, true);
    good = good && agrees(p, cycle, "twin", p->out);
  }
  return good;
}

int play_twin(const char *path, const char *record) {
  struct player p = {0};
  if (!out_load(&p.f, path, stderr))
    return 2;
  const struct listed_config *c = listed(&p.f);
  if (!c)
    fprintf(stderr, "%s:1: configuration: %s %s is not in the list\n", path, p.f.dut, p.f.config);
  if (!c || !circuit_none(&p.c, c->device, c->name, c->params)) {
    out_free(&p.f);
    return 2;
  }
  struct out_writer *w =
      take_memory(&p, path) ? out_create(record, &p.c, p.f.seed, p.f.cycles) : NULL;
  int status = 2;
  if (w) {
    status = run_twin(&p, w) ? 0 : 1;
    if (!out_finish(w))
      status = 2;
  }
  close_player(&p);
  return status;
}
