/* SPDX-License-Identifier: Apache-2.0 */
/* two_table.h - twin of loom_two_table: InfiniBand arbiter with its tables in RAM
 * (docs/tables.md#two_table; IB-02..06, DT-01)
 *
 * Registers in another form than in the circuit:
 *   swept: the count of view.sweep
 *   limited, sent_some, high_some, low_some: none: compared with limit, sent and left
 *   going: view.go and held
 *   mgmt_size, mgmt_key: head of the management VL
 *   high_entry, high_key, high_left, high_act: side[LOOM_IBARB_HIGH]
 *   low_entry, low_key, low_left, low_act: side[LOOM_IBARB_LOW]
 *   high_search, high_front_valid: side[LOOM_IBARB_HIGH].search
 *   low_search, low_front_valid: side[LOOM_IBARB_LOW].search
 *   c1_due, c2_due, c3_due, c4_due: due_or_turn of each candidate
 *   c4_owed: base of c4, where the packet does not fit
 */
#ifndef LOOM_SCHED_TWO_TABLE_H
#define LOOM_SCHED_TWO_TABLE_H

#define LOOM_DUT two_table
#define LOOM_DEF "sched/two_table.def"
#include <loom/def.h>

#include <stdbool.h>

#include "sched/sched_cycle.h"
#include "sched/sched_ibarb.h"
#include "sched/table_search.h"
#include "sched/table_view.h"

enum { LOOM_TWO_TABLE_ENTRIES = 64 }; /* of a table, at most */

/* One of the two tables, its search and its selection; units of 64 bytes. */
struct loom_two_table_side {
  uint32_t entries;
  struct loom_table_search search;
  bool any;                  /* an entry has an active key */
  uint32_t entry, key, left; /* of the selection; left = 0: there is none */
  bool act;                  /* its key is active */
  uint16_t deficit[LOOM_KEYS];
};

/* A decision that is being made ready, in one of four steps, each with the fields of those before
 * it that are still needed. Units of 64 bytes. */
struct loom_two_table_candidate {
  bool valid;
  bool low, due_or_turn, cont;
  bool some, go, fits;  /* c3; c4 */
  uint8_t vl;           /* c3, c4 */
  uint32_t key, weight; /* c1 */
  uint32_t set, ahead;  /* c2: sets of VLs */
  uint32_t old, add;    /* c2 */
  uint32_t base;        /* c3, c4 */
  uint32_t size, rest;  /* c4 */
};

/* The decision that is being made ready. */
struct loom_two_table_prepared {
  struct loom_two_table_candidate c1;
  struct loom_two_table_candidate c2;
  struct loom_two_table_candidate c3;
  struct loom_two_table_candidate c4;
  uint32_t mgmt_go; /* 0, 1 */
};

/* The entries of both tables stand in `view`, those of the low one from LOOM_TWO_TABLE_ENTRIES on;
 * so does the set `hit` of those whose key is active. Units of 64 bytes. */
struct loom_two_table {
  struct loom_two_table_cfg cfg;
  struct loom_table_view view;
  struct loom_two_table_side side[2]; /* by enum loom_ibarb_side */
  struct loom_two_table_prepared prepared;

  /* The policy. */
  bool asked;
  uint32_t limit; /* of high priority, in 4096 bytes; 255: none */
  uint32_t mode;  /* LOOM_IBARB_DEFICIT, LOOM_IBARB_LOW_BY_PACKET */
  uint32_t sent;  /* units of high since low had its turn */
  bool turn;      /* a low entry is being served to its end */
  uint32_t pause;
  uint32_t held, young; /* sets of VLs that were granted a short time ago: all; the last one */
  uint32_t stay, wane;  /* cycles for which the last one is held yet, and the one before it */
  uint8_t last_vl[LOOM_KEYS];

  /* Output registers, and the address of the last cycle. */
  bool grant_valid;
  uint32_t grant_vl, grant_key, grant_size;
  uint32_t addr, table_rdata;
};

/* The parameters are legal together. */
bool loom_two_table_cfg_ok(const struct loom_two_table_cfg *cfg);
void loom_two_table_init(struct loom_two_table *s, const struct loom_two_table_cfg *cfg);
void loom_two_table_step(struct loom_two_table *s, const struct loom_two_table_in *in,
                         struct loom_two_table_out *out);
/* The edge that ends the cycle, for users that look at the registers themselves. Gives whether
 * something may have changed: true. */
bool loom_two_table_edge(struct loom_two_table *s, const struct loom_sched_cycle *in);
/* What the outputs show in the present cycle: all of them are registers. */
void loom_two_table_show(const struct loom_two_table *s, struct loom_two_table_out *out);
/* Nothing is under way: if its inputs stay as they are, with no head and no write of the table, a
 * few cycles later nothing changes any more. */
bool loom_two_table_is_calm(const struct loom_two_table *s);
void loom_two_table_probe(const struct loom_two_table *s, struct loom_two_table_probe *p);

#endif
