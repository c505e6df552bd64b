/* SPDX-License-Identifier: Apache-2.0 */
/* deficit_round_robin.c - twin of rtl/sched/loom_deficit_round_robin.v, written from docs/turns.md
 *
 * A cycle: first the decision and all steps are worked out, while the registers still hold their
 * old values; then the grant, the pass or the write takes effect. */
#include "sched/deficit_round_robin.h"

#include <string.h>

#include "sched/sched_front.h"

enum { PAUSE = 6, FIRST_QUANTUM = 64 };

bool loom_deficit_round_robin_cfg_ok(const struct loom_deficit_round_robin_cfg *cfg) {
  return !loom_deficit_round_robin_bad_param(cfg) && LOOM_SCHED_KEYS_OK(cfg);
}

void loom_deficit_round_robin_init(struct loom_deficit_round_robin *s,
                                   const struct loom_deficit_round_robin_cfg *cfg) {
  struct loom_turns_cfg turns = {.vls = cfg->VLS,
                                 .keys = cfg->KEYS,
                                 .mgmt_vl = cfg->MGMT_VL,
                                 .stay_cycles = cfg->STAY_CYCLES,
                                 .pause = PAUSE,
                                 .arb_key = cfg->ARB_KEY};
  memset(s, 0, sizeof *s);
  loom_turns_init(&s->turns, &turns);
  s->turns.cur = cfg->KEYS - 1;
  memset(s->quantum, FIRST_QUANTUM, sizeof s->quantum);
}

/* ---- the six steps --------------------------------------------------------------------------- */

static struct loom_deficit_c0 step0(const struct loom_deficit_round_robin *s) {
  struct loom_turns_order order = loom_turns_order(&s->turns);
  return (struct loom_deficit_c0){.set = loom_turns_eligible(&s->turns),
                                  .first = order.above | (s->open ? order.same : 0)};
}

static struct loom_turns_left step1(const struct loom_deficit_round_robin *s) {
  uint32_t first = s->c0.set & s->c0.first;
  return loom_turns_step1(&s->turns, first ? first : s->c0.set);
}

static struct loom_deficit_c4 step4(const struct loom_deficit_round_robin *s) {
  uint32_t key = s->turns.c3.key;
  bool goes_on = s->open && key == s->turns.cur;
  return (struct loom_deficit_c4){.next = loom_turns_step4(&s->turns),
                                  .base = s->deficit[key] + (goes_on ? 0u : s->quantum[key])};
}

static struct loom_deficit_c5 step5(const struct loom_deficit_round_robin *s) {
  uint32_t size = s->turns.head[s->c4.next.vl].size, base = s->c4.base;
  return (struct loom_deficit_c5){.fits = size <= base, .base = base, .rest = base - size};
}

/* What each step gives at the end of a cycle. */
struct prepared {
  struct loom_deficit_c0 c0;
  struct loom_turns_left c1, c2, c3;
  struct loom_deficit_c4 c4;
  struct loom_deficit_c5 c5;
};

static struct prepared prepare(const struct loom_deficit_round_robin *s) {
  return (struct prepared){.c0 = step0(s),
                           .c1 = step1(s),
                           .c2 = loom_turns_step2(&s->turns),
                           .c3 = loom_turns_step3(&s->turns),
                           .c4 = step4(s),
                           .c5 = step5(s)};
}

static void steps_edge(struct loom_deficit_round_robin *s, const struct prepared *p) {
  s->turns.next = s->c4.next;
  s->c5 = p->c5;
  s->c4 = p->c4;
  s->turns.c3 = p->c3;
  s->turns.c2 = p->c2;
  s->turns.c1 = p->c1;
  s->c0 = p->c0;
}

/* ---- grants, passes and writes --------------------------------------------------------------- */

/* What comes next is ready, but does not fit: no request is needed to know that. */
static bool passes(const struct loom_deficit_round_robin *s) {
  const struct loom_turns *t = &s->turns;
  return loom_turns_ready(t) && !t->pause && !(t->go & t->mgmt) && loom_turns_is_there(t) &&
         !s->c5.fits;
}

static void forget_edge(struct loom_deficit_round_robin *s) {
  if (s->forget)
    s->deficit[s->forget_key] = 0;
  s->forget = false;
}

/* The turn of the key that comes next, after a grant or a pass; `cur` is still the old one. */
static void turn_edge(struct loom_deficit_round_robin *s, bool granted) {
  uint32_t key = s->turns.next.key, left = granted ? s->c5.rest : s->c5.base;
  if (s->open && key != s->turns.cur) {
    s->forget = true;
    s->forget_key = s->turns.cur;
  }
  s->deficit[key] = (uint16_t)left;
  s->open = granted && left > 0;
}

static void write_edge(struct loom_deficit_round_robin *s, const struct loom_sched_cycle *in) {
  if (!in->table_we || !loom_turns_ready(&s->turns) || in->table_addr >= s->turns.cfg.keys)
    return;
  uint32_t quantum = LOOM_GET(LOOM_DRR_REG_QUANTUM_QUANTUM, in->table_data);
  s->quantum[in->table_addr] = (uint8_t)(quantum ? quantum : 1);
}

static uint32_t table_read(const struct loom_deficit_round_robin *s, uint32_t addr) {
  if (!loom_turns_ready(&s->turns) || addr >= s->turns.cfg.keys)
    return 0;
  return LOOM_PUT(LOOM_DRR_REG_QUANTUM_DEFICIT, s->deficit[addr]) |
         LOOM_PUT(LOOM_DRR_REG_QUANTUM_QUANTUM, s->quantum[addr]);
}

/* ---- step ------------------------------------------------------------------------------------ */

void loom_deficit_round_robin_show(const struct loom_deficit_round_robin *s,
                                   struct loom_deficit_round_robin_out *out) {
  const struct loom_turns *t = &s->turns;
  memset(out, 0, sizeof *out);
  out->table_rdata = s->table_rdata;
  out->ready = loom_turns_ready(t);
  out->busy = !loom_turns_ready(t);
  out->grant_valid = t->grant_valid;
  out->grant_vl = t->grant_vl;
  out->grant_key = t->grant_key;
  out->grant_size = t->grant_size;
}

bool loom_deficit_round_robin_edge(struct loom_deficit_round_robin *s,
                                   const struct loom_sched_cycle *in) {
  struct loom_turns *t = &s->turns;
  bool pass = passes(s);
  enum loom_turns_verdict verdict = loom_turns_decide(t, pass);
  struct prepared next = prepare(s);
  uint32_t key = t->next.key;

  s->table_rdata = table_read(s, s->addr);
  s->addr = in->table_addr;
  forget_edge(s);
  if (pass || verdict == LOOM_TURNS_NEXT)
    turn_edge(s, !pass);
  write_edge(s, in);
  loom_turns_edge(t, in, verdict);
  if (pass) {
    t->cur = key;
    t->pause = PAUSE;
  }
  steps_edge(s, &next);
  return true;
}

void loom_deficit_round_robin_step(struct loom_deficit_round_robin *s,
                                   const struct loom_deficit_round_robin_in *in,
                                   struct loom_deficit_round_robin_out *out) {
  loom_deficit_round_robin_show(s, out);
  loom_deficit_round_robin_edge(s, &LOOM_SCHED_CYCLE(in));
}

bool loom_deficit_round_robin_is_calm(const struct loom_deficit_round_robin *s) {
  return loom_turns_is_calm(&s->turns) && !s->forget;
}

void loom_deficit_round_robin_probe(const struct loom_deficit_round_robin *s,
                                    struct loom_deficit_round_robin_probe *p) {
  p->cur = s->turns.cur;
  p->open = s->open;
  p->pause = s->turns.pause;
  p->held = s->turns.held;
  p->c5_some = s->turns.next.some;
  p->forget = s->forget;
  p->loom_end = 0;
}
