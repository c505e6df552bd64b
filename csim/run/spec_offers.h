/* SPDX-License-Identifier: Apache-2.0 */
/* spec_offers.h - the offers of a fabric file, for its hosts and a seed (docs/traffic.md) */
#ifndef LOOM_RUN_SPEC_OFFERS_H
#define LOOM_RUN_SPEC_OFFERS_H

#include "run/spec.h"

struct loom_spec_offers {
  uint32_t offers;
  struct loom_offer_cfg *offer; /* lists are the spec's and those of */
  uint32_t **places;            /* tasks that sit on hosts in random order, by offer */
};

/* The spec stays while they are used. Freed afterwards in any case. False: out of memory. */
bool loom_spec_offers_make(struct loom_spec_offers *o, const struct loom_spec *s, uint32_t hosts,
                           uint64_t seed);
void loom_spec_offers_free(struct loom_spec_offers *o);

#endif
