/* ib_switch.c - twin of rtl/ib/loom_ib_switch.v, written from docs/switch.md and docs/ib.md
 *
 * The work is done in csim/route; here are the parameters and the rule of routing. */
#include "ib/ib_switch.h"

#include "route/switch_device.h"

#include <string.h>

enum { KIND_IB = 1, MODE_SL2VL = 1 };

LOOM_SWITCH_LINKS_FIT(ib_switch);

/* SL2VL by input, output and SL; management stays what it is (IB-02). */
static bool route(const struct loom_switch *s, uint32_t port, uint32_t entry,
                  struct loom_route *route) {
  bool mapped = route->lane != s->mgmt && s->map_mode & MODE_SL2VL;
  (void)port;
  route->sl = route->sc;
  route->target = (uint8_t)LOOM_NODE(LOOM_SWITCH_OUT, route->out);
  if (!mapped)
    return true;
  if (entry == LOOM_SWITCH_VL15 || s->lane_of[entry] == LOOM_SWITCH_NO_LANE)
    return false;
  route->lane = s->lane_of[entry];
  return true;
}

static bool map_shows(const struct loom_switch *s) { return s->map_mode & MODE_SL2VL; }

static const struct loom_switch_kind kind = {.id = KIND_IB, .route = route, .map_shows = map_shows};

static struct loom_switch_cfg core_cfg(const struct loom_ib_switch_cfg *cfg) {
  return (struct loom_switch_cfg){
      LOOM_SWITCH_COMMON(cfg),
      .PORTS = cfg->PORTS,
      .RD_IN = cfg->SPEEDUP,
      .CELLS = {[LOOM_SWITCH_IN] = cfg->CELLS_IN, [LOOM_SWITCH_OUT] = cfg->CELLS_OUT},
      .RESERVED = {[LOOM_SWITCH_IN] = cfg->RESERVED_IN, [LOOM_SWITCH_OUT] = cfg->RESERVED_OUT},
  };
}

bool loom_ib_switch_cfg_ok(const struct loom_ib_switch_cfg *cfg) {
  struct loom_switch_cfg core = core_cfg(cfg);
  return !loom_ib_switch_bad_param(cfg) && loom_switch_cfg_ok(&core);
}

size_t loom_ib_switch_storage_size(const struct loom_ib_switch_cfg *cfg) {
  return LOOM_IB_BYTES(cfg->PORTS, cfg->CELLS_IN, cfg->CELLS_OUT, cfg->LIDS);
}

void loom_ib_switch_init(struct loom_ib_switch *s, const struct loom_ib_switch_cfg *cfg,
                         void *storage) {
  struct loom_switch_cfg core = core_cfg(cfg);
  memset(s, 0, sizeof *s);
  loom_switch_init(&s->core, &core, storage);
}

void loom_ib_switch_step(struct loom_ib_switch *s, const struct loom_ib_switch_in *in,
                         struct loom_ib_switch_out *out) {
  LOOM_SWITCH_SHOW(ib_switch, &s->core, out);
  loom_switch_edge(&s->core, &kind, LOOM_SWITCH_INPUTS(in));
}

void loom_ib_switch_probe(const struct loom_ib_switch *s, struct loom_ib_switch_probe *p) {
  p->granted = s->core.granted[LOOM_SWITCH_IN];
  p->targeted = s->core.targeted[LOOM_SWITCH_OUT];
  p->idle = s->core.idle;
  p->loom_end = 0;
}
