/* SPDX-License-Identifier: Apache-2.0 */
/* play.c - runs circuit and twin, or the twin alone, on recorded vectors */
#include "tb/cosim/play.h"

#include "tb/cosim/outfile.h"
#include "tb/cosim/suite.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct player {
  struct circuit c;
  struct out_file f;
  struct plant plant;
  char *in, *out, *probe, *twin, *storage;
  struct run_result r;
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

/* Compares `p->out` with the file where the file cares; `who` shows it: circuit or twin. */
static bool agrees(struct player *p, uint64_t cycle, const char *who) {
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
      uint64_t got = field_get(f, p->out, l);
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

static bool run_cycles(struct player *p) {
  const struct dut *d = p->c.dut;
  memset(p->in, 0, d->in_size);
  d->init(p->twin, p->c.api->cfg, p->storage);
  p->c.api->reset(p->c.handle, p->in);
  for (uint64_t cycle = 0; cycle < p->f.cycles; cycle++) {
    apply(p, cycle);
    memset(p->out, 0, d->out_size);
    d->run(p->twin, p->in, p->out, p->probe, 1);
    if (!agrees(p, cycle, "twin"))
      return false;
    memset(p->out, 0, d->out_size);
    bool kept = p->c.api->run(p->c.handle, p->in, p->out, p->probe, 1) == 1;
    if (p->plant.on && p->plant.cycle == cycle)
      plant_flip(&p->plant, p->c.api->cfg, p->out);
    if (!agrees(p, cycle, "circuit") || !kept)
      return false;
  }
  return true;
}

/* What a cycle needs beside circuit and file; false after one line on stderr. */
static bool take_memory(struct player *p, const char *path) {
  const struct dut *d = p->c.dut;
  const void *cfg = p->c.api->cfg;
  p->in = calloc(1, d->in_size);
  p->out = calloc(1, d->out_size);
  p->probe = calloc(1, d->probe_size);
  p->twin = calloc(1, d->twin_size);
  p->storage = calloc(1, d->storage_size(cfg) + 1);
  return p->in && p->out && p->probe && p->twin && p->storage &&
         out_fits(&p->f, path, d, cfg, stderr);
}

static void close_player(struct player *p) {
  free(p->in);
  free(p->out);
  free(p->probe);
  free(p->twin);
  free(p->storage);
  circuit_close(&p->c);
  out_free(&p->f);
}

int play(const char *path, const char *circuits, const char *plant) {
  struct player p = {0};
  int status = 2;
  if (!out_load(&p.f, path, stderr))
    return 2;
  if (!circuit_open(&p.c, circuits, p.f.dut, p.f.config, 1)) {
    out_free(&p.f);
    return 2;
  }
  if (take_memory(&p, path) && (!plant || plant_parse(&p.plant, plant, p.c.dut, p.c.api->cfg)))
    status = run_cycles(&p) ? 0 : 1;
  if (status == 0)
    printf("%s: %" PRIu64 " cycles, circuit and twin as recorded\n", path, p.f.cycles);
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
    good = good && agrees(p, cycle, "twin");
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
