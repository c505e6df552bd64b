/* SPDX-License-Identifier: Apache-2.0 */
/* output_choice.h - which packet goes next: one of six schedulers, with lone_grant before it
 * (docs/output_unit.md#inside)
 *
 * Inside: output_unit.
 */
#ifndef LOOM_SWITCH_OUTPUT_CHOICE_H
#define LOOM_SWITCH_OUTPUT_CHOICE_H

#include "sched/bandwidth_table.h"
#include "sched/deficit_round_robin.h"
#include "sched/deficit_table.h"
#include "sched/fair_queueing.h"
#include "sched/lone_grant.h"
#include "sched/round_robin.h"
#include "sched/two_table.h"

/* Parameter SCHED, by the numbers of the switches. */
enum loom_output_sched {
  LOOM_OUTPUT_ROUND_ROBIN = 0,
  LOOM_OUTPUT_BANDWIDTH_TABLE = 1,
  LOOM_OUTPUT_DEFICIT_TABLE = 2,
  LOOM_OUTPUT_TWO_TABLE = 3,
  LOOM_OUTPUT_DEFICIT_ROUND_ROBIN = 4,
  LOOM_OUTPUT_FAIR_QUEUEING = 5,
};

/* Parameters of the schedulers; each has a use for some of them. */
struct loom_output_choice_cfg {
  enum loom_output_sched sched;
  uint32_t vls, keys, arb_key, mgmt_vl;
  uint32_t entries, n_high, n_low;
};

/* What is shown in a cycle; all of it comes from registers. */
struct loom_output_choice_out {
  uint32_t table_rdata;
  bool busy, ready;
  uint32_t served;                 /* keys that have an entry, of the scheduler */
  struct loom_lone_granted passed; /* the scheduler's own grant */
  struct loom_lone_granted grant;  /* what is granted */
};

struct loom_output_choice {
  enum loom_output_sched sched;
  struct loom_output_choice_out shows; /* in the present cycle */
  struct loom_lone_grant lone;
  union {
    struct loom_round_robin turns;
    struct loom_bandwidth_table bandwidth;
    struct loom_deficit_table deficit;
    struct loom_two_table two;
    struct loom_deficit_round_robin quanta;
    struct loom_fair_queueing fair;
  } scheduler; /* by `sched` */

  /* Inputs of the last cycle; cycles in which they stayed and nothing happened, up to `stays`,
   * after which nothing changes any more but what skip does. */
  bool request;
  uint32_t ready, table_addr;
  uint8_t still, stays;
  uint8_t counts; /* in so many edges more only counters change, if the inputs stay */
};

/* The parameters are legal together. */
bool loom_output_choice_cfg_ok(const struct loom_output_choice_cfg *cfg);
void loom_output_choice_init(struct loom_output_choice *s,
                             const struct loom_output_choice_cfg *cfg);
/* The edge that ends the cycle; table_addr always means something. */
void loom_output_choice_edge(struct loom_output_choice *s, const struct loom_sched_cycle *in);
/* The same; it may find that it is at rest some cycles before it would. Gives how many. */
uint32_t loom_output_choice_edge_to_rest(struct loom_output_choice *s,
                                         const struct loom_sched_cycle *in);
/* Nothing changes before an input does: edges may be left out, if skip says how many were. */
static inline bool loom_output_choice_rests(const struct loom_output_choice *s) {
  return s->still == s->stays;
}
void loom_output_choice_skip(struct loom_output_choice *s, uint64_t cycles);

#endif
