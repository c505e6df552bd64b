/* SPDX-License-Identifier: Apache-2.0 */
/* sc_rule.c - the rule of Omni-Path, written from docs/mport_switch.md
 * Inside: input_unit. */
#include "switch/sc_rule.h"

#include <loom/bits.h>
#include <string.h>

enum { MGMT = 15 }; /* the SC and the VL of management */
enum { MODE_MAP = 1, MODE_SL2SC = 2 };

/* The lane of the VL of an SC; false: it has none. */
static bool find_lane(const struct loom_sc_rule *s, uint32_t sc, uint8_t *lane) {
  uint8_t vl = s->sc2vl[sc];
  bool is_lane = vl < s->vls - 1 || (s->vls > MGMT + 1 && vl < s->vls);
  *lane = sc == MGMT ? s->mgmt : vl;
  return sc == MGMT || (vl != MGMT && is_lane);
}

static void judge(struct loom_sc_rule *s, uint32_t sc) {
  struct loom_sc_verdict v = {.sl = s->sc2sl[sc]};
  uint8_t lane;
  if (find_lane(s, sc, &lane)) {
    v.has = true;
    v.lane = lane;
    v.mtu = s->mtu[lane];
  }
  s->verdict[sc] = v;
}

static void judge_all(struct loom_sc_rule *s) {
  for (uint32_t sc = 0; sc < LOOM_SCS; sc++)
    judge(s, sc);
}

void loom_sc_rule_init(struct loom_sc_rule *s, uint32_t vls, uint32_t mtu_units) {
  memset(s, 0, sizeof *s);
  s->vls = vls;
  s->mgmt = (uint8_t)loom_min(MGMT, vls - 1);
  for (uint32_t i = 0; i < LOOM_SCS; i++)
    s->sc2vl[i] = s->sc2sl[i] = s->sl2sc[i] = (uint8_t)i;
  for (uint32_t lane = 0; lane < vls; lane++)
    s->mtu[lane] = (uint16_t)mtu_units;
  judge_all(s);
}

void loom_sc_rule_write_sc2vl(struct loom_sc_rule *s, uint32_t sc, uint32_t vl) {
  s->sc2vl[sc] = (uint8_t)vl;
  judge(s, sc);
}

void loom_sc_rule_write_sc2sl(struct loom_sc_rule *s, uint32_t sc, uint32_t sl) {
  s->sc2sl[sc] = (uint8_t)sl;
  judge(s, sc);
}

void loom_sc_rule_write_sl2sc(struct loom_sc_rule *s, uint32_t sl, uint32_t sc) {
  s->sl2sc[sl] = (uint8_t)sc;
}

void loom_sc_rule_write_mtu(struct loom_sc_rule *s, uint32_t lane, uint32_t units) {
  s->mtu[lane] = (uint16_t)units;
  judge_all(s);
}

static uint32_t next_sc(const struct loom_sc_rule *s, uint32_t mode, uint32_t sc, uint32_t entry,
                        uint32_t sl1) {
  if (sc == MGMT)
    return MGMT;
  if (mode == MODE_MAP)
    return entry;
  return mode == MODE_SL2SC ? s->sl2sc[sl1] : sc;
}

struct loom_sc_change loom_sc_rule_change(const struct loom_sc_rule *s, uint32_t mode, uint32_t sc,
                                          uint32_t entry, uint32_t sl1) {
  uint32_t next = next_sc(s, mode, sc, entry, sl1);
  return (struct loom_sc_change){.sc = (uint8_t)next, .unlawful = next == MGMT && sc != MGMT};
}
