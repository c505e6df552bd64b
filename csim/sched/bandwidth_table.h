/* SPDX-License-Identifier: Apache-2.0 */
/* bandwidth_table.h - twin of loom_bandwidth_table: weights by key, in packets
 * (docs/turns.md#bandwidth_table; SC-02..04)
 *
 * Registers in another form than in the circuit:
 *   c0_count: none: compared at once, for c0.restore
 *   c1_turned, c1_near, c2_turned: none: c1.fixed is found at once
 */
#ifndef LOOM_SCHED_BANDWIDTH_TABLE_H
#define LOOM_SCHED_BANDWIDTH_TABLE_H

#define LOOM_DUT bandwidth_table
#define LOOM_DEF "sched/bandwidth_table.def"
#include <loom/def.h>

#include "sched/sched_sbt.h"
#include "sched/turns.h"

/* What goes along with c1 to c3, the steps of turns, and with c4. */
struct loom_bandwidth_flags {
  bool charged, restore, literal;
};

struct loom_bandwidth_c0 {
  struct loom_bandwidth_flags flags;
  uint32_t set, first; /* sets of VLs */
  bool back;
};

struct loom_bandwidth_fixed {
  struct loom_bandwidth_flags flags;
  bool some;
  uint8_t fixed; /* the VL for literal mode */
};

struct loom_bandwidth_rest {
  struct loom_bandwidth_flags flags;
  uint8_t rest; /* of the weight of the key, after the grant */
  bool had;     /* before it, there was some */
};

/* Weights in packets; the state by key and by VL in sets of a bit each. */
struct loom_bandwidth_table {
  struct loom_turns turns; /* with cur, last_vl, and c1 to c4 */
  uint8_t weight[LOOM_KEYS], left[LOOM_KEYS];
  uint32_t whole; /* keys with their whole weight left, whatever stands in `left` */
  uint32_t last;  /* VL granted last in literal mode */
  uint32_t mode;  /* 2 bits, enum loom_sbt_mode; 3 acts as LOOM_SBT_TEXT */
  bool cur_has;
  uint32_t weighted, unspent; /* keys with weight, with some left: how many */

  /* What the keys of the VLs have. */
  uint32_t pays, weighs;
  bool look;
  uint32_t scan, look_vl, look_key;

  /* A write of a weight. */
  bool write;
  uint32_t write_key;
  uint8_t write_weight;

  /* The decision that is being made ready, beside that in turns. */
  struct loom_bandwidth_c0 c0;
  struct loom_bandwidth_fixed c1, c2;
  struct loom_bandwidth_flags c3;
  struct loom_bandwidth_rest c4;

  uint32_t addr, table_rdata; /* the address of the last cycle */
};

/* The parameters are legal together. */
bool loom_bandwidth_table_cfg_ok(const struct loom_bandwidth_table_cfg *cfg);
void loom_bandwidth_table_init(struct loom_bandwidth_table *s,
                               const struct loom_bandwidth_table_cfg *cfg);
void loom_bandwidth_table_step(struct loom_bandwidth_table *s,
                               const struct loom_bandwidth_table_in *in,
                               struct loom_bandwidth_table_out *out);
/* The edge that ends the cycle, for users that look at the registers themselves. Gives whether
 * something may have changed: true. */
bool loom_bandwidth_table_edge(struct loom_bandwidth_table *s, const struct loom_sched_cycle *in);
/* What the outputs show in the present cycle: all of them are registers. */
void loom_bandwidth_table_show(const struct loom_bandwidth_table *s,
                               struct loom_bandwidth_table_out *out);
/* Nothing is under way: if its inputs stay as they are, with no head and no write, after each VL
 * was looked at once, and a few cycles, nothing changes any more but which VL is looked at. */
static inline bool loom_bandwidth_table_is_calm(const struct loom_bandwidth_table *s) {
  return loom_turns_is_calm(&s->turns) && !s->write;
}
/* Does to that what so many steps would. */
void loom_bandwidth_table_skip(struct loom_bandwidth_table *s, uint64_t cycles);
void loom_bandwidth_table_probe(const struct loom_bandwidth_table *s,
                                struct loom_bandwidth_table_probe *p);

#endif
