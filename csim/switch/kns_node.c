/* SPDX-License-Identifier: Apache-2.0 */
/* kns_node.c - twin of rtl/switch/loom_kns_node.v, written from docs/kns.md
 *
 * An ib_switch without LFT: the work is done in csim/switch, the rule of routing is that of
 * csim/switch. */
#include "switch/kns_node.h"

#include <string.h>

#include "switch/ib_rule.h"

const struct loom_switch_family loom_kns_node_family = {.id = LOOM_DEVICE_ID_KNS_NODE,
                                                        .route = loom_ib_rule,
                                                        .map_shows = loom_ib_map_shows,
                                                        .lookup = loom_kns_lookup,
                                                        .write = loom_kns_write,
                                                        .read = loom_kns_read};

static struct loom_switch_cfg core_cfg(const struct loom_kns_node_cfg *cfg) {
  struct loom_switch_cfg core = LOOM_IB_CORE(cfg, cfg->HOSTS + cfg->DIMS, 0);
#define LOOM_PARAM(NAME, dflt, min, max) core.NAME = cfg->NAME;
#include "switch/switch.params"
#undef LOOM_PARAM
  return core;
}

bool loom_kns_node_cfg_ok(const struct loom_kns_node_cfg *cfg) {
  struct loom_switch_cfg core = core_cfg(cfg);
  return !loom_kns_node_bad_param(cfg) && loom_switch_cfg_ok(&core) &&
         loom_kns_fits(cfg->HOSTS, cfg->DIMS, cfg->W);
}

size_t loom_kns_node_storage_size(const struct loom_kns_node_cfg *cfg) {
  return LOOM_KNS_BYTES(cfg->HOSTS + cfg->DIMS, cfg->CELLS_IN, cfg->CELLS_OUT);
}

void loom_kns_node_start(struct loom_kns_node *s, const struct loom_kns_node_cfg *cfg,
                         void *storage) {
  struct loom_switch_cfg core = core_cfg(cfg);
  loom_switch_init(&s->kns.core, &core, storage);
  loom_kns_place_init(&s->kns.place, LOOM_KNS_NODE, cfg->HOSTS, cfg->DIMS, cfg->W);
}

void loom_kns_node_init(struct loom_kns_node *s, const struct loom_kns_node_cfg *cfg,
                        void *storage) {
  memset(s, 0, sizeof *s);
  loom_kns_node_start(s, cfg, storage);
  loom_switch_clear(&s->kns.core);
}

void loom_kns_node_step(struct loom_kns_node *s, const struct loom_kns_node_in *in,
                        struct loom_kns_node_out *out) {
  LOOM_SWITCH_SHOW(&s->kns.core, out);
  LOOM_SWITCH_EDGE(&s->kns.core, &loom_kns_node_family, in);
}

void loom_kns_node_probe(const struct loom_kns_node *s, struct loom_kns_node_probe *p) {
  p->granted = s->kns.core.granted[LOOM_SWITCH_IN];
  p->targeted = s->kns.core.targeted[LOOM_SWITCH_OUT];
  p->idle = s->kns.core.idle;
  p->loom_end = 0;
}
