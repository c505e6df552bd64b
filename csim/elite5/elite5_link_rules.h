/* SPDX-License-Identifier: Apache-2.0 */
/* elite5_link_rules.h - how a link end of an Elite5 router, of either edition, gets up
 * (docs/elite5.md, section Link state; E5-35, E5-36)
 *
 * Inside: elite5_router, crosspoint_router. */
#ifndef LOOM_ELITE5_ELITE5_LINK_RULES_H
#define LOOM_ELITE5_ELITE5_LINK_RULES_H

#include "elite5/elite5_link_state.h"
#include "elite5/elite5_packet.h"
#include "elite5/elite5_settings.h"
#include "parts/prbs31_check.h"

/* Words of a test beyond `prbs_words`. */
enum { LOOM_ELITE5_EXTRA_WORDS = 32 };

struct loom_elite5_link {
  uint8_t state;                /* enum loom_elite5_link_state */
  bool quick, single, check_id; /* register 0x000, but for enable */
  bool seen, told;
  uint32_t expected, far;
  uint32_t sent;
  uint32_t checked, bit_errors;
  uint32_t window_errors;
  uint64_t entered;    /* first cycle of the state */
  uint64_t calm_since; /* first of the cycles up to now in which the link was calm */
  struct loom_prbs31_check check;
  uint64_t trap; /* trap_q, as the fifo keeps it */
};

/* What a link in one of the states 1..4 sees in a cycle. */
struct loom_elite5_link_view {
  bool quiet;
  bool word, head; /* a word of the other end, and whether it has head */
  uint64_t data;
  uint64_t now; /* cycle */
};

/* What becomes of a link. */
struct loom_elite5_link_move {
  bool moves;
  uint8_t state; /* the next one, if it moves */
  uint8_t cause; /* of a trap, 0 if there is none */
};

/* As after reset. */
void loom_elite5_link_init(struct loom_elite5_link *k);
/* Rule 4: there is somebody at the other end of a link in DOWN. Gives the next state. */
enum loom_elite5_link_state loom_elite5_link_start(struct loom_elite5_link *k,
                                                   const struct loom_elite5_settings *set);
/* Words of its test have still to be sent; counts one of them. */
bool loom_elite5_link_draws(struct loom_elite5_link *k, const struct loom_elite5_settings *set);
/* The control word that a link in one of the states 1, 2 and 4 sends; 0 if it sends none. It has
 * none of its test to send. */
uint64_t loom_elite5_link_control(struct loom_elite5_link *k,
                                  const struct loom_elite5_settings *set, uint32_t l, bool quiet);
/* A cycle of a link in one of the states 1..4, after loom_elite5_link_control: what it counts
 * whatever rule applies, then rules 5 to 9 if no earlier one does (`drops`). `told`: before this
 * cycle. */
struct loom_elite5_link_move loom_elite5_link_cycle(struct loom_elite5_link *k,
                                                    const struct loom_elite5_settings *set,
                                                    const struct loom_elite5_link_view *w,
                                                    bool told, bool drops);

#endif
