/* SPDX-License-Identifier: Apache-2.0 */
/* turns.h - what the schedulers share whose keys take turns: heads, ready bits, held VLs, the steps
 * that leave one VL, and its grant (docs/turns.md; SC-01..04, SC-09)
 *
 * Inside: round_robin, bandwidth_table, deficit_round_robin, and fair_queueing.
 */
#ifndef LOOM_SCHED_TURNS_H
#define LOOM_SCHED_TURNS_H

#include <loom/bits.h>
#include <loom/limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "sched/sched_cycle.h"

enum { LOOM_TURNS_KEY_BITS = 5 };

/* The parameters of a scheduler, and how many cycles it makes no decision after one. */
struct loom_turns_cfg {
  uint32_t vls, keys, mgmt_vl, stay_cycles, pause;
  bool arb_key;
};

struct loom_turns_head {
  uint16_t size;
  uint8_t key;
};

/* VLs that may still come next, and the bits of their key that are known, the highest first. */
struct loom_turns_left {
  uint32_t set, key;
};

/* The VL that comes next, without `some` there is none. */
struct loom_turns_next {
  bool some;
  uint8_t vl, key;
};

/* The sets of VLs have a bit a VL. */
struct loom_turns {
  struct loom_turns_cfg cfg;
  uint32_t mgmt;  /* the set of the management VL, 0 if there is none */
  uint32_t swept; /* words of the memories by key */

  struct loom_turns_head head[LOOM_VLS];
  uint32_t key_bit[LOOM_TURNS_KEY_BITS]; /* the VLs whose head has this bit in its key */
  uint32_t ok, go;
  bool asked;
  uint32_t held, young, stay;

  uint32_t cur;
  uint8_t last_vl[LOOM_KEYS];
  struct loom_turns_left c1, c2, c3;
  struct loom_turns_next next; /* the last step: c4, or c5 of deficit_round_robin */
  uint32_t pause;

  bool grant_valid;
  uint32_t grant_vl, grant_key, grant_size;
};

/* What the decision of a cycle grants. */
enum loom_turns_verdict { LOOM_TURNS_NOTHING, LOOM_TURNS_MGMT, LOOM_TURNS_NEXT };

void loom_turns_init(struct loom_turns *t, const struct loom_turns_cfg *cfg);

/* The memories are swept. */
static inline bool loom_turns_ready(const struct loom_turns *t) { return t->swept == t->cfg.keys; }

/* No VL was granted a short time ago: if the inputs stay as they are, with no head, a few cycles
 * later no step changes any more. */
static inline bool loom_turns_is_calm(const struct loom_turns *t) {
  return loom_turns_ready(t) && !t->stay && !t->pause && !t->grant_valid;
}

/* E of this cycle. */
static inline uint32_t loom_turns_eligible(const struct loom_turns *t) {
  return (t->go | t->held) & ~t->mgmt;
}

/* The head event of this cycle is one of a VL that there is; and its key. */
static inline bool loom_turns_has_head(const struct loom_turns *t,
                                       const struct loom_sched_cycle *in) {
  return in->head_valid && in->head_vl < t->cfg.vls;
}

static inline uint32_t loom_turns_key(const struct loom_turns *t,
                                      const struct loom_sched_cycle *in) {
  return t->cfg.arb_key ? in->head_sl : in->head_vl;
}

/* first(set, from); `from` may be one beyond the last VL. */
static inline uint32_t loom_turns_first(uint32_t set, uint32_t from) {
  return set ? loom_ctz_from(set, from) : 0;
}

/* Those of all VLs whose key is above `cur`, and those whose key it is. */
struct loom_turns_order {
  uint32_t above, same;
};
struct loom_turns_order loom_turns_order(const struct loom_turns *t);

/* What the steps that all have give: from the VLs of which one comes next, and from c1, c2, c3. */
struct loom_turns_left loom_turns_step1(const struct loom_turns *t, uint32_t set);
struct loom_turns_left loom_turns_step2(const struct loom_turns *t);
struct loom_turns_left loom_turns_step3(const struct loom_turns *t);
struct loom_turns_next loom_turns_step4(const struct loom_turns *t);

/* The VL of the last step is ready, with the key that was found. */
static inline bool loom_turns_is_there(const struct loom_turns *t) {
  return t->next.some && t->go >> t->next.vl & 1 && t->head[t->next.vl].key == t->next.key;
}

/* wait: there is no decision in this cycle. */
enum loom_turns_verdict loom_turns_decide(const struct loom_turns *t, bool wait);

/* The edge that ends the cycle, of all but the steps, which are still as they were in it. */
void loom_turns_edge(struct loom_turns *t, const struct loom_sched_cycle *in,
                     enum loom_turns_verdict verdict);

#endif
