/* SPDX-License-Identifier: Apache-2.0 */
#include "run/spec_offers.h"

#include <stdlib.h>

#include <loom/random.h>

bool loom_spec_offers_make(struct loom_spec_offers *o, const struct loom_spec *s, uint32_t hosts,
                           uint64_t seed) {
  *o = (struct loom_spec_offers){.offers = s->offers};
  o->offer = calloc((size_t)s->offers + 1, sizeof *o->offer);
  o->places = calloc((size_t)s->offers + 1, sizeof *o->places);
  if (!o->offer || !o->places)
    return false;
  for (uint32_t i = 0; i < s->offers; i++) {
    const struct loom_spec_offer *from = &s->offer[i];
    struct loom_pattern_cfg *p = &o->offer[i].pattern;
    o->offer[i] = from->cfg;
    p->hosts = hosts;
    p->targets = from->targets;
    p->file = from->permutation.to;
    if (!from->random_places)
      continue;
    o->places[i] = calloc(hosts, sizeof **o->places);
    if (!o->places[i])
      return false;
    loom_pattern_scatter(hosts, loom_scramble(seed + i + 1), o->places[i]);
    p->places = o->places[i];
  }
  return true;
}

void loom_spec_offers_free(struct loom_spec_offers *o) {
  for (uint32_t i = 0; o->places && i < o->offers; i++)
    free(o->places[i]);
  free(o->places);
  free(o->offer);
}
