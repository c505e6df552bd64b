/* SPDX-License-Identifier: Apache-2.0 */
/* sc_rule.h - the rule of Omni-Path: the tables of the bus of a switch, and those of an input unit,
 * which it asks one stage after the other (docs/mport_switch.md, The rule; docs/input_unit.md;
 * OP-10, OP-18, OP-19)
 * Inside: input_unit.
 */
#ifndef LOOM_SWITCH_SC_RULE_H
#define LOOM_SWITCH_SC_RULE_H

#include <loom/limits.h>
#include <stdbool.h>
#include <stdint.h>

enum { LOOM_SCS = 32 };

/* ---- of an input unit ------------------------------------------------------------------------ */

/* All that the rule needs of the SC with which a packet goes on. */
struct loom_sc_verdict {
  uint8_t sl, lane; /* lane: 0 without one */
  bool has;         /* it has a lane */
  uint16_t mtu;     /* of this lane, in units */
};

/* They hold what SC_WORDs said. */
struct loom_sc_tables {
  uint8_t sc2sl[LOOM_SCS], sl2sc[LOOM_SCS];
  struct loom_sc_verdict verdict[LOOM_SCS];
};

/* What stage 2 finds for a packet. */
struct loom_sc_change {
  uint8_t sc;    /* that it has from here on */
  bool unlawful; /* it may not have this one */
};

/* `word`: the SC_WORD of this SC. */
void loom_sc_tables_write(struct loom_sc_tables *s, uint32_t sc, uint32_t word);

/* Stage 1: sl1 of a packet that comes with this SC. */
static inline uint8_t loom_sc_tables_sl(const struct loom_sc_tables *s, uint32_t sc) {
  return s->sc2sl[sc];
}

/* Stage 2: `mode` is the map mode, `entry` that of the map for this SC and the output. */
struct loom_sc_change loom_sc_tables_change(const struct loom_sc_tables *s, uint32_t mode,
                                            uint32_t sc, uint32_t entry, uint32_t sl1);

/* Stage 3: the packet has a lane at its output. */
static inline bool loom_sc_tables_has_vl(const struct loom_sc_tables *s,
                                         struct loom_sc_change change) {
  return s->verdict[change.sc].has && !change.unlawful;
}

/* ---- of the bus ------------------------------------------------------------------------------ */

/* Each maps a number to itself after reset. */
struct loom_sc_rule {
  uint32_t vls; /* lanes */
  uint8_t sc2vl[LOOM_SCS], sc2sl[LOOM_SCS], sl2sc[LOOM_SCS];
};

void loom_sc_rule_init(struct loom_sc_rule *s, uint32_t vls);
/* The SC_WORD of this SC; `mtu`: units of the largest packet of each lane. */
uint32_t loom_sc_rule_word(const struct loom_sc_rule *s, const uint16_t *mtu, uint32_t sc);

#endif
