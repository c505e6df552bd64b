/* SPDX-License-Identifier: Apache-2.0 */
/* sched_ibarb.h - twin of loom_sched_ibarb: InfiniBand arbiter with a high and a low table
 * (docs/sched.md; IB-02..06)
 *
 * Registers in another form than in the circuit:
 *   high_table_key, high_table_weight, low_table_key, low_table_weight: side[].table
 *   high_live, low_live: side[].table.of_key, the other way round
 *   high_entry, high_key, high_left, high_deficit: side[LOOM_IBARB_HIGH]
 *   low_entry, low_key, low_left, low_deficit: side[LOOM_IBARB_LOW]
 *   keep_vl, keep_size: none: the VL is chosen in DECIDE
 */
#ifndef LOOM_SCHED_SCHED_IBARB_H
#define LOOM_SCHED_SCHED_IBARB_H

#define LOOM_DUT sched_ibarb
#define LOOM_DEF "sched/sched_ibarb.def"
#include <loom/def.h>

#include "sched/sched_front.h"
#include "sched/sched_table.h"

#define LOOM_NAMES "sched/sched_ibarb.regs"
#include <loom/names.h>

/* Bits of the mode. */
enum {
  LOOM_IBARB_DEFICIT = 1 << LOOM_IBARB_REG_MODE_DEFICIT_AT,
  LOOM_IBARB_LOW_BY_PACKET = 1 << LOOM_IBARB_REG_MODE_LOW_BY_PACKET_AT,
};

enum loom_ibarb_side { LOOM_IBARB_HIGH = 0, LOOM_IBARB_LOW = 1 };

/* One of the two tables and its selection; units of 64 bytes. */
struct loom_ibarb_table {
  struct loom_sched_table table;
  uint32_t entry; /* of the selection */
  uint32_t key;
  uint32_t left; /* what the selection may still send; 0: no selection */
  uint16_t deficit[LOOM_KEYS];
};

/* What SEARCH decided. */
struct loom_ibarb_choice {
  uint32_t side;        /* enum loom_ibarb_side */
  uint32_t due_or_turn; /* low goes because it is its turn, not because high has nothing */
  uint32_t cont;        /* the selection of the side can go on */
  struct loom_sched_next next;
};

struct loom_sched_ibarb {
  struct loom_sched_front front;
  struct loom_ibarb_table side[2]; /* by enum loom_ibarb_side */
  uint32_t limit;                  /* of high priority, in 4096 bytes; 255: none */
  uint32_t mode;
  uint32_t sent; /* units of high since low had its turn */
  bool turn;     /* a low entry is being served to its end */
  struct loom_ibarb_choice choice;
};

/* The parameters are legal together. */
bool loom_sched_ibarb_cfg_ok(const struct loom_sched_ibarb_cfg *cfg);
void loom_sched_ibarb_init(struct loom_sched_ibarb *s, const struct loom_sched_ibarb_cfg *cfg);
void loom_sched_ibarb_step(struct loom_sched_ibarb *s, const struct loom_sched_ibarb_in *in,
                           struct loom_sched_ibarb_out *out);
void loom_sched_ibarb_probe(const struct loom_sched_ibarb *s, struct loom_sched_ibarb_probe *p);

extern const struct loom_sched_policy loom_sched_ibarb_policy;

#endif
