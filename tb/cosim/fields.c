/* SPDX-License-Identifier: Apache-2.0 */
/* fields.c - values of fields, and what a run measures */
#include "tb/cosim/cosim.h"

#include <string.h>

uint64_t field_get(const struct field *f, const void *base, uint32_t lane) {
  uint64_t v;
  memcpy(&v, (const char *)base + f->offset + lane * sizeof v, sizeof v);
  return v;
}

void field_set(const struct field *f, void *base, uint32_t lane, uint64_t value) {
  memcpy((char *)base + f->offset + lane * sizeof value, &value, sizeof value);
}

bool field_differs(const struct dut *dut, const void *cfg, enum field_dir dir, const void *circuit,
                   const void *twin, struct difference *d) {
  for (size_t i = 0; i < dut->field_count; i++) {
    const struct field *f = &dut->fields[i];
    if (f->dir != dir)
      continue;
    for (uint32_t lane = 0; lane < f->lanes(cfg); lane++) {
      uint64_t a = field_get(f, circuit, lane), b = field_get(f, twin, lane);
      if (a != b) {
        d->field = f;
        d->lane = lane;
        d->circuit = a;
        d->twin = b;
        return true;
      }
    }
  }
  return false;
}

const struct dut *dut_find(const char *name) {
  for (const struct dut *const *d = loom_duts; *d; d++)
    if (strcmp((*d)->name, name) == 0)
      return *d;
  return NULL;
}

void stats_note(struct stats *s, const struct packet_note *note) {
  s->last[s->seen++ % HISTORY] = *note;
}

double stats_share(const struct stats *s, uint32_t k) {
  uint64_t sum = 0;
  for (uint32_t i = 0; i < SHARES_MAX; i++)
    sum += s->amount[i];
  return sum ? 100.0 * (double)s->amount[k] / (double)sum : 0.0;
}
