/* SPDX-License-Identifier: Apache-2.0 */
/* lone_grant.h - twin of loom_lone_grant: a packet that is alone is granted ahead of the scheduler
 * (docs/lone_grant.md; DT-01, DT-10, IB-02, OP-18..20)
 *
 * Registers in another form than in the circuit:
 *   masked, only: ahead, ahead_vl, late, unserved
 *   try: trying, as C++ has no such name
 */
#ifndef LOOM_SCHED_LONE_GRANT_H
#define LOOM_SCHED_LONE_GRANT_H

#define LOOM_DUT lone_grant
#define LOOM_DEF "sched/lone_grant.def"
#include <loom/def.h>

#include <loom/limits.h>
#include <stdbool.h>

#include "sched/sched_cycle.h"

/* The packet at the head of a VL; size in units of 64 bytes. */
struct loom_lone_head {
  uint16_t size;
  uint8_t sl;
  bool last; /* of its message */
};

struct loom_lone_grant {
  struct loom_lone_grant_cfg cfg;
  uint32_t mgmt; /* the set of the management VL, empty if there is none */

  struct loom_lone_head head[LOOM_VLS];
  uint32_t more; /* VLs whose head is followed by another packet of its message, a bit a VL */

  bool one; /* one VL alone was ready in the last cycle, with a request */
  uint8_t one_vl;
  bool trying; /* it goes now, unless the scheduler grants */
  uint8_t try_vl, try_key;
  uint16_t try_size;
  bool ahead; /* the scheduler has yet to grant what went */
  uint8_t ahead_vl, ahead_key;
  uint8_t unserved; /* cycles in which this key had no entry */
  bool late;        /* the scheduler is not told yet of the next head of ahead_vl */
  uint8_t quiet;    /* cycles until a packet may go ahead */
  bool train;       /* the last grant is followed by another packet of its message */
  uint8_t train_vl;
};

/* A grant; size in units of 64 bytes, all fields 0 if not valid. */
struct loom_lone_granted {
  bool valid;
  bool early; /* ahead of the scheduler */
  uint8_t vl, key;
  uint16_t size;
};

/* What the scheduler shows. */
struct loom_lone_sched {
  uint32_t served; /* keys that have an entry, a bit a key */
  const struct loom_lone_granted *grant;
};

/* The parameters are legal together. */
bool loom_lone_grant_cfg_ok(const struct loom_lone_grant_cfg *cfg);
void loom_lone_grant_init(struct loom_lone_grant *s, const struct loom_lone_grant_cfg *cfg);
void loom_lone_grant_step(struct loom_lone_grant *s, const struct loom_lone_grant_in *in,
                          struct loom_lone_grant_out *out);
/* The edge that ends the cycle, for users that look at the registers themselves; `out` is what the
 * scheduler is told in it. Writes of its table go by. False: nothing changed but `quiet`; then
 * nothing else will, if the inputs stay, before `quiet` has come to 0. */
bool loom_lone_grant_edge(struct loom_lone_grant *s, const struct loom_sched_cycle *in,
                          const struct loom_lone_sched *sched, struct loom_sched_cycle *out);
/* So many of these edges. */
static inline void loom_lone_grant_count(struct loom_lone_grant *s, uint32_t cycles) {
  s->quiet = (uint8_t)(s->quiet > cycles ? s->quiet - cycles : 0);
}
/* The grant of the present cycle, which follows from the scheduler's alone. */
struct loom_lone_granted loom_lone_grant_show(const struct loom_lone_grant *s,
                                              const struct loom_lone_granted *sched);
/* Nothing is under way: if its inputs stay as they are, with no head, nothing changes after a cycle
 * unless a packet goes ahead. */
static inline bool loom_lone_grant_is_calm(const struct loom_lone_grant *s) {
  return !s->trying && !s->ahead && !s->late && !s->quiet && !s->unserved;
}
void loom_lone_grant_probe(const struct loom_lone_grant *s, struct loom_lone_grant_probe *p);

#endif
