/* SPDX-License-Identifier: Apache-2.0 */
/* kns_switch.c - twin of rtl/switch/loom_kns_switch.v, written from docs/kns.md
 *
 * An ib_switch without LFT: the work is done in csim/switch, the rule of routing is that of
 * csim/switch. */
#include "switch/kns_switch.h"

#include "switch/ib_rule.h"

/* The node with the right coordinate in this dimension; there are K (KN-02). */
static bool lookup(const struct loom_switch *core, uint32_t dest, uint32_t *out) {
  const struct loom_kns *s = (const struct loom_kns *)core;
  if (!loom_kns_here(s, dest) || s->dimension >= s->dims)
    return false;
  *out = loom_kns_coordinate(s, dest, s->dimension);
  return true;
}

static void write_register(struct loom_switch *core, uint32_t addr, uint32_t data) {
  if (addr == LOOM_KNS_REG_DIMENSION)
    ((struct loom_kns *)core)->dimension = LOOM_GET(LOOM_KNS_REG_DIMENSION_DIMENSION, data);
  else
    loom_kns_write(core, addr, data);
}

static uint32_t read_register(const struct loom_switch *core, uint32_t addr) {
  if (addr == LOOM_KNS_REG_DIMENSION)
    return ((const struct loom_kns *)core)->dimension;
  return loom_kns_read(core, addr);
}

const struct loom_switch_family loom_kns_switch_family = {.id = LOOM_DEVICE_ID_KNS_SWITCH,
                                                          .route = loom_ib_rule,
                                                          .map_shows = loom_ib_map_shows,
                                                          .lookup = lookup,
                                                          .write = write_register,
                                                          .read = read_register};

static struct loom_switch_cfg core_cfg(const struct loom_kns_switch_cfg *cfg) {
  struct loom_switch_cfg core = LOOM_IB_CORE(cfg, cfg->K, 0);
#define LOOM_PARAM(NAME, dflt, min, max) core.NAME = cfg->NAME;
#include "switch/switch.params"
#undef LOOM_PARAM
  return core;
}

bool loom_kns_switch_cfg_ok(const struct loom_kns_switch_cfg *cfg) {
  struct loom_switch_cfg core = core_cfg(cfg);
  return !loom_kns_switch_bad_param(cfg) && loom_kns_cfg_ok(&core, cfg->HOSTS, cfg->DIMS, cfg->W);
}

size_t loom_kns_switch_storage_size(const struct loom_kns_switch_cfg *cfg) {
  return LOOM_KNS_BYTES(cfg->K, cfg->CELLS_IN, cfg->CELLS_OUT);
}

void loom_kns_switch_init(struct loom_kns_switch *s, const struct loom_kns_switch_cfg *cfg,
                          void *storage) {
  struct loom_switch_cfg core = core_cfg(cfg);
  loom_kns_init(&s->kns, &core, cfg->HOSTS, cfg->DIMS, cfg->W, storage);
}

void loom_kns_switch_step(struct loom_kns_switch *s, const struct loom_kns_switch_in *in,
                          struct loom_kns_switch_out *out) {
  LOOM_SWITCH_SHOW(&s->kns.core, out);
  LOOM_SWITCH_EDGE(&s->kns.core, &loom_kns_switch_family, in);
}

void loom_kns_switch_probe(const struct loom_kns_switch *s, struct loom_kns_switch_probe *p) {
  p->granted = s->kns.core.granted[LOOM_SWITCH_IN];
  p->targeted = s->kns.core.targeted[LOOM_SWITCH_OUT];
  p->idle = s->kns.core.idle;
  p->loom_end = 0;
}
