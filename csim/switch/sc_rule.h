/* SPDX-License-Identifier: Apache-2.0 */
/* sc_rule.h - the tables of the rule of Omni-Path that all inputs of an MPort share, and what an
 * input unit asks of them, a stage after the other (docs/mport_switch.md, The rule; OP-10, OP-18,
 * OP-19)
 * Inside: input_unit.
 */
#ifndef LOOM_SWITCH_SC_RULE_H
#define LOOM_SWITCH_SC_RULE_H

#include <loom/limits.h>
#include <stdbool.h>
#include <stdint.h>

enum { LOOM_SCS = 32 };

/* All that the rule needs of an SC. */
struct loom_sc_verdict {
  uint8_t sl, lane; /* lane: 0 without one */
  bool has;         /* it has a lane */
  uint16_t mtu;     /* of this lane, in units */
};

/* The circuit works verdicts out all the time, an SC a cycle, and no packet comes until a write
 * shows in them; here they are those of the tables at once. */
struct loom_sc_rule {
  uint32_t vls;
  uint8_t mgmt; /* the management lane */
  uint8_t sc2vl[LOOM_SCS], sc2sl[LOOM_SCS], sl2sc[LOOM_SCS];
  uint16_t mtu[LOOM_VLS]; /* by lane */
  struct loom_sc_verdict verdict[LOOM_SCS];
};

/* What stage 2 finds for a packet. */
struct loom_sc_change {
  uint8_t sc;    /* that it has from here on */
  bool unlawful; /* it may not have this one */
};

/* `mtu_units`: the largest packet of each lane. */
void loom_sc_rule_init(struct loom_sc_rule *s, uint32_t vls, uint32_t mtu_units);
void loom_sc_rule_write_sc2vl(struct loom_sc_rule *s, uint32_t sc, uint32_t vl);
void loom_sc_rule_write_sc2sl(struct loom_sc_rule *s, uint32_t sc, uint32_t sl);
void loom_sc_rule_write_sl2sc(struct loom_sc_rule *s, uint32_t sl, uint32_t sc);
void loom_sc_rule_write_mtu(struct loom_sc_rule *s, uint32_t lane, uint32_t units);

/* Stage 1: sl1 of a packet that comes with this SC. */
static inline uint8_t loom_sc_rule_sl(const struct loom_sc_rule *s, uint32_t sc) {
  return s->sc2sl[sc];
}

/* Stage 2: `mode` is the map mode, `entry` that of the map for this SC and the output. */
struct loom_sc_change loom_sc_rule_change(const struct loom_sc_rule *s, uint32_t mode, uint32_t sc,
                                          uint32_t entry, uint32_t sl1);

/* Stage 3: the packet has a lane at its output. */
static inline bool loom_sc_rule_has_vl(const struct loom_sc_rule *s, struct loom_sc_change change) {
  return s->verdict[change.sc].has && !change.unlawful;
}

#endif
