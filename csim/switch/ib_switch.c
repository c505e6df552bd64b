/* SPDX-License-Identifier: Apache-2.0 */
/* ib_switch.c - twin of rtl/switch/loom_ib_switch.v, written from docs/switch.md and docs/ib.md
 *
 * The work is done in csim/switch, the rule of routing stands in ib_rule.c. */
#include "switch/ib_switch.h"

#include "switch/ib_rule.h"

#include <string.h>

const struct loom_switch_family loom_ib_switch_family = {
    .id = LOOM_DEVICE_ID_IB_SWITCH, .route = loom_ib_rule, .map_shows = loom_ib_map_shows};

static struct loom_switch_cfg core_cfg(const struct loom_ib_switch_cfg *cfg) {
  struct loom_switch_cfg core = LOOM_IB_CORE(cfg, cfg->PORTS, cfg->LIDS);
#define LOOM_PARAM(NAME, dflt, min, max) core.NAME = cfg->NAME;
#include "switch/switch.params"
#undef LOOM_PARAM
  return core;
}

bool loom_ib_switch_cfg_ok(const struct loom_ib_switch_cfg *cfg) {
  struct loom_switch_cfg core = core_cfg(cfg);
  return !loom_ib_switch_bad_param(cfg) && loom_switch_cfg_ok(&core);
}

size_t loom_ib_switch_storage_size(const struct loom_ib_switch_cfg *cfg) {
  return LOOM_IB_BYTES(cfg->PORTS, cfg->CELLS_IN, cfg->CELLS_OUT, cfg->LIDS);
}

void loom_ib_switch_start(struct loom_ib_switch *s, const struct loom_ib_switch_cfg *cfg,
                          void *storage) {
  struct loom_switch_cfg core = core_cfg(cfg);
  loom_switch_init(&s->core, &core, storage);
}

void loom_ib_switch_init(struct loom_ib_switch *s, const struct loom_ib_switch_cfg *cfg,
                         void *storage) {
  memset(s, 0, sizeof *s);
  loom_ib_switch_start(s, cfg, storage);
  loom_switch_clear(&s->core);
}

void loom_ib_switch_step(struct loom_ib_switch *s, const struct loom_ib_switch_in *in,
                         struct loom_ib_switch_out *out) {
  LOOM_SWITCH_SHOW(&s->core, out);
  LOOM_SWITCH_EDGE(&s->core, &loom_ib_switch_family, in);
}

void loom_ib_switch_probe(const struct loom_ib_switch *s, struct loom_ib_switch_probe *p) {
  p->granted = s->core.granted[LOOM_SWITCH_IN];
  p->targeted = s->core.targeted[LOOM_SWITCH_OUT];
  p->idle = s->core.idle;
  p->loom_end = 0;
}
