/* SPDX-License-Identifier: Apache-2.0 */
/* opa_switch.c - twin of rtl/switch/loom_opa_switch.v, written from docs/switch.md and docs/opa.md
 *
 * The work is done in csim/switch; here are the parameters, the rule of routing and its tables. */
#include "switch/opa_switch.h"

#include "switch/switch_device.h"

#include <string.h>

enum { PORTS_OF_MPORT = 4, SCS = 32, SC15 = 15 };

/* ---- routing --------------------------------------------------------------------------------- */

/* The SC with which a packet leaves (OP-10). */
static uint8_t new_sc(const struct loom_opa_switch *s, uint8_t sc, uint32_t entry) {
  if (sc == SC15 ||
      !(s->core.map_mode == LOOM_OPA_MODE_SC2SC || s->core.map_mode == LOOM_OPA_MODE_SC2SL2SC))
    return sc;
  return s->core.map_mode == LOOM_OPA_MODE_SC2SC ? (uint8_t)entry : s->sl2sc[s->sc2sl[sc]];
}

/* The central buffer of an MPort for an output in another one: by the number of the output, or the
 * one that has less in it (OP-05). */
static uint32_t central_for(const struct loom_switch *s, uint32_t mport, uint32_t out) {
  uint32_t first = 2 * mport, k = out & 1;
  uint32_t a = s->buffer[LOOM_SWITCH_CENTRAL][first].total;
  uint32_t b = s->buffer[LOOM_SWITCH_CENTRAL][first + 1].total;
  if (s->central_choice && a != b)
    k = b < a;
  return first + k;
}

static uint32_t target_for(const struct loom_switch *s, uint32_t port, uint32_t out) {
  uint32_t mport = port / PORTS_OF_MPORT;
  if (out / PORTS_OF_MPORT == mport)
    return LOOM_SWITCH_BUFFER(LOOM_SWITCH_OUT, out);
  return LOOM_SWITCH_BUFFER(LOOM_SWITCH_CENTRAL, central_for(s, mport, out));
}

static bool route(const struct loom_switch *core, uint32_t port, uint32_t entry,
                  struct loom_route *route) {
  const struct loom_opa_switch *s = (const struct loom_opa_switch *)core;
  bool management = route->sc == SC15;
  route->sc = new_sc(s, route->sc, entry);
  route->sl = s->sc2sl[route->sc];
  route->target = (uint8_t)target_for(core, port, route->out);
  uint32_t vl = management ? LOOM_SWITCH_VL15 : s->sc2vl[route->sc];
  if (!management &&
      (vl == LOOM_SWITCH_VL15 || route->sc == SC15 || core->lane_of[vl] == LOOM_SWITCH_NO_LANE))
    return false;
  route->lane = core->lane_of[vl];
  return true;
}

static bool map_shows(const struct loom_switch *s) { return s->map_mode == LOOM_OPA_MODE_SC2SC; }

/* ---- registers ------------------------------------------------------------------------------- */

/* The table entry at an address, NULL if there is none. */
static uint8_t *entry_at(struct loom_opa_switch *s, uint32_t addr) {
  if (addr < LOOM_OPA_REG_SC2VL || addr >= LOOM_OPA_REG_SL2SC + SCS)
    return NULL;
  uint8_t *const table[] = {s->sc2vl, s->sc2sl, s->sl2sc};
  return &table[(addr - LOOM_OPA_REG_SC2VL) / SCS][addr % SCS];
}

static void write_register(struct loom_switch *core, uint32_t addr, uint32_t data) {
  uint8_t *entry = entry_at((struct loom_opa_switch *)core, addr);
  if (entry) /* all three tables have the same field */
    *entry = LOOM_GET(LOOM_OPA_REG_SC2VL_VL, data);
}

static uint32_t read_register(const struct loom_switch *core, uint32_t addr) {
  const struct loom_opa_switch *s = (const struct loom_opa_switch *)core;
  if (addr >= LOOM_OPA_REG_SC2VL && addr < LOOM_OPA_REG_SC2VL + SCS)
    return s->sc2vl[addr - LOOM_OPA_REG_SC2VL];
  if (addr >= LOOM_OPA_REG_SC2SL && addr < LOOM_OPA_REG_SC2SL + SCS)
    return s->sc2sl[addr - LOOM_OPA_REG_SC2SL];
  if (addr >= LOOM_OPA_REG_SL2SC && addr < LOOM_OPA_REG_SL2SC + SCS)
    return s->sl2sc[addr - LOOM_OPA_REG_SL2SC];
  return 0;
}

const struct loom_switch_family loom_opa_switch_family = {.id = LOOM_DEVICE_ID_OPA_SWITCH,
                                                          .route = route,
                                                          .map_shows = map_shows,
                                                          .write = write_register,
                                                          .read = read_register};

/* ---- the device ------------------------------------------------------------------------------ */

static struct loom_switch_cfg core_cfg(const struct loom_opa_switch_cfg *cfg) {
  struct loom_switch_cfg core = {
      LOOM_SWITCH_COMMON(cfg),
      .PORTS = PORTS_OF_MPORT * cfg->MPORTS,
      .LIDS = cfg->LIDS,
      .CENTRALS = 2 * cfg->MPORTS,
      .RD_IN = cfg->MPORT_SPEEDUP,
      .RD_CENTRAL = cfg->CENTRAL_SPEEDUP,
      .CENTRAL_SCHED = cfg->CENTRAL_SCHED,
      .CELLS = {cfg->CELLS_IN, cfg->CELLS_CENTRAL, cfg->CELLS_OUT},
      .RESERVED_CENTRAL = cfg->RESERVED_CENTRAL,
  };
#define LOOM_PARAM(NAME, dflt, min, max) core.NAME = cfg->NAME;
#include "switch/switch.params"
#undef LOOM_PARAM
  return core;
}

bool loom_opa_switch_cfg_ok(const struct loom_opa_switch_cfg *cfg) {
  struct loom_switch_cfg core = core_cfg(cfg);
  return !loom_opa_switch_bad_param(cfg) && loom_switch_cfg_ok(&core);
}

size_t loom_opa_switch_storage_size(const struct loom_opa_switch_cfg *cfg) {
  return LOOM_OPA_BYTES(cfg->MPORTS, cfg->CELLS_IN, cfg->CELLS_CENTRAL, cfg->CELLS_OUT, cfg->LIDS);
}

void loom_opa_switch_start(struct loom_opa_switch *s, const struct loom_opa_switch_cfg *cfg,
                           void *storage) {
  struct loom_switch_cfg core = core_cfg(cfg);
  loom_switch_init(&s->core, &core, storage);
  for (uint32_t i = 0; i < SCS; i++)
    s->sc2vl[i] = s->sc2sl[i] = s->sl2sc[i] = (uint8_t)i;
}

void loom_opa_switch_init(struct loom_opa_switch *s, const struct loom_opa_switch_cfg *cfg,
                          void *storage) {
  memset(s, 0, sizeof *s);
  loom_opa_switch_start(s, cfg, storage);
  loom_switch_clear(&s->core);
}

void loom_opa_switch_step(struct loom_opa_switch *s, const struct loom_opa_switch_in *in,
                          struct loom_opa_switch_out *out) {
  LOOM_SWITCH_SHOW(&s->core, out);
  LOOM_SWITCH_EDGE(&s->core, &loom_opa_switch_family, in);
}

void loom_opa_switch_probe(const struct loom_opa_switch *s, struct loom_opa_switch_probe *p) {
  p->granted = s->core.granted[LOOM_SWITCH_IN];
  p->central_granted = s->core.granted[LOOM_SWITCH_CENTRAL];
  p->targeted = s->core.targeted[LOOM_SWITCH_OUT];
  p->idle = s->core.idle;
  p->loom_end = 0;
}
