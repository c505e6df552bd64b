/* SPDX-License-Identifier: Apache-2.0 */
/* make_routing.c - a routing by the name of its engine (docs/route.md) */
#include "routing/engine.h"

static bool run(struct loom_routing *r, enum loom_routing_engine engine,
                const struct loom_routing_options *o, struct loom_routing_error *err) {
  switch (engine) {
  case LOOM_ROUTING_MINHOP:
    return loom_routing_minhop(r, err);
  case LOOM_ROUTING_UPDN:
    return loom_routing_updn(r, o, err);
  case LOOM_ROUTING_FTREE:
  case LOOM_ROUTING_VALIANT:
    return loom_routing_ftree(r, err);
  case LOOM_ROUTING_DOR:
    return loom_routing_dor(r, o, err);
  case LOOM_ROUTING_DOR_VALIANT:
    return loom_routing_dor_valiant(r, o, err);
  case LOOM_ROUTING_DOR_UGAL:
    return loom_routing_dor_ugal(r, o, err);
  case LOOM_ROUTING_DRAGONFLY:
    return loom_routing_dragonfly(r, o, err);
  case LOOM_ROUTING_DRAGONFLY_VALIANT:
    return loom_routing_dragonfly_valiant(r, o, err);
  case LOOM_ROUTING_DRAGONFLY_UGAL:
    return loom_routing_dragonfly_ugal(r, o, err);
  case LOOM_ROUTING_DRAGONFLYPLUS:
    return loom_routing_dragonflyplus(r, o, err);
  case LOOM_ROUTING_DRAGONFLYPLUS_VALIANT:
    return loom_routing_dragonflyplus_valiant(r, o, err);
  case LOOM_ROUTING_DRAGONFLYPLUS_UGAL:
    return loom_routing_dragonflyplus_ugal(r, o, err);
  case LOOM_ROUTING_SLIMFLY:
    return loom_routing_slimfly(r, o, err);
  case LOOM_ROUTING_SLIMFLY_VALIANT:
    return loom_routing_slimfly_valiant(r, o, err);
  case LOOM_ROUTING_HDOR:
    return loom_routing_hdor(r, o, err);
  case LOOM_ROUTING_LASH:
    return loom_routing_lash(r, o, err);
  case LOOM_ROUTING_DFSSSP:
    return loom_routing_dfsssp(r, o, err);
  }
  return loom_routing_fail(err, "no such engine");
}

static uint32_t ways_of(const struct loom_routing *r, enum loom_routing_engine engine) {
  if (engine == LOOM_ROUTING_DOR_VALIANT || engine == LOOM_ROUTING_SLIMFLY_VALIANT)
    return r->switches - 1;
  if (engine == LOOM_ROUTING_DOR_UGAL)
    return loom_routing_others(r);
  if (engine == LOOM_ROUTING_VALIANT)
    return loom_routing_ways(r);
  return loom_routing_vias(r, loom_routing_is_dragonflyplus(engine));
}

/* The least LMC that gives each host a LID for each way up, or for each other group or switch, or
 * the largest that LIDs have room for. */
static uint32_t valiant_lmc(const struct loom_topo *topo, enum loom_routing_engine engine,
                            struct loom_routing_error *err) {
  struct loom_routing *r = loom_routing_create(topo, 0, err);
  if (!r)
    return 0;
  if (topo->lmc) {
    loom_routing_destroy(r);
    return topo->lmc;
  }
  uint32_t ways = ways_of(r, engine);
  uint32_t top = r->lids - 1;
  uint32_t lmc = 0;
  while (lmc < LOOM_ROUTING_LMC && 1u << lmc < ways &&
         (top << (lmc + 1)) + (2u << lmc) - 1 <= LOOM_TOPO_LID_MAX)
    lmc++;
  loom_routing_destroy(r);
  return lmc;
}

struct loom_routing *loom_routing_make(const struct loom_topo *topo,
                                       enum loom_routing_engine engine,
                                       const struct loom_routing_options *options,
                                       struct loom_routing_error *err) {
  uint32_t lmc = options->lmc;
  if (lmc == LOOM_ROUTING_LMC_AUTO)
    lmc = loom_routing_has_ways(engine) ? valiant_lmc(topo, engine, err) : 0;
  struct loom_routing *r = loom_routing_create(topo, lmc, err);
  if (r && run(r, engine, options, err) &&
      loom_routing_engine_trunk(r, engine, options->trunk, err))
    return r;
  loom_routing_destroy(r);
  return NULL;
}
