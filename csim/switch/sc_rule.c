/* SPDX-License-Identifier: Apache-2.0 */
/* sc_rule.c - the rule of Omni-Path, written from docs/mport_switch.md and docs/input_unit.md
 * Inside: input_unit. */
#include "switch/sc_rule.h"

#include <loom/bits.h>
#include <string.h>

#define LOOM_NAMES "switch/input_unit.fields"
#include <loom/names.h>

enum { MGMT = 15 }; /* the SC and the VL of management */
enum { MODE_MAP = 1, MODE_SL2SC = 2 };

/* ---- of an input unit ------------------------------------------------------------------------ */

void loom_sc_tables_write(struct loom_sc_tables *s, uint32_t sc, uint32_t word) {
  s->sl2sc[sc] = (uint8_t)LOOM_GET(LOOM_SC_WORD_NEW_SC, word);
  s->sc2sl[sc] = (uint8_t)LOOM_GET(LOOM_SC_WORD_SL, word);
  s->verdict[sc] = (struct loom_sc_verdict){.sl = s->sc2sl[sc],
                                            .lane = (uint8_t)LOOM_GET(LOOM_SC_WORD_LANE, word),
                                            .has = LOOM_GET(LOOM_SC_WORD_HAS, word),
                                            .mtu = (uint16_t)LOOM_GET(LOOM_SC_WORD_MTU, word)};
}

static uint32_t next_sc(const struct loom_sc_tables *s, uint32_t mode, uint32_t sc, uint32_t entry,
                        uint32_t sl1) {
  if (sc == MGMT)
    return MGMT;
  if (mode == MODE_MAP)
    return entry;
  return mode == MODE_SL2SC ? s->sl2sc[sl1] : sc;
}

struct loom_sc_change loom_sc_tables_change(const struct loom_sc_tables *s, uint32_t mode,
                                            uint32_t sc, uint32_t entry, uint32_t sl1) {
  uint32_t next = next_sc(s, mode, sc, entry, sl1);
  return (struct loom_sc_change){.sc = (uint8_t)next, .unlawful = next == MGMT && sc != MGMT};
}

/* ---- of the bus ------------------------------------------------------------------------------ */

void loom_sc_rule_init(struct loom_sc_rule *s, uint32_t vls) {
  s->vls = vls;
  for (uint32_t i = 0; i < LOOM_SCS; i++)
    s->sc2vl[i] = s->sc2sl[i] = s->sl2sc[i] = (uint8_t)i;
}

/* The lane of the VL of an SC; false: it has none. */
static bool find_lane(const struct loom_sc_rule *s, uint32_t sc, uint32_t *lane) {
  uint32_t vl = s->sc2vl[sc];
  bool is_lane = vl < s->vls - 1 || (s->vls > MGMT + 1 && vl < s->vls);
  *lane = sc == MGMT ? loom_min(MGMT, s->vls - 1) : vl;
  return sc == MGMT || (vl != MGMT && is_lane);
}

uint32_t loom_sc_rule_word(const struct loom_sc_rule *s, const uint16_t *mtu, uint32_t sc) {
  uint32_t lane;
  uint32_t word =
      LOOM_PUT(LOOM_SC_WORD_NEW_SC, s->sl2sc[sc]) | LOOM_PUT(LOOM_SC_WORD_SL, s->sc2sl[sc]);
  if (!find_lane(s, sc, &lane))
    return word;
  return word | LOOM_PUT(LOOM_SC_WORD_LANE, lane) | LOOM_PUT(LOOM_SC_WORD_HAS, 1) |
         LOOM_PUT(LOOM_SC_WORD_MTU, mtu[lane]);
}
