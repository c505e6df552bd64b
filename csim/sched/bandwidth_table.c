/* SPDX-License-Identifier: Apache-2.0 */
/* bandwidth_table.c - twin of rtl/sched/loom_bandwidth_table.v, written from docs/turns.md
 *
 * A cycle: first the decision, all steps and what the VLs pay are worked out, while the registers
 * still hold their old values; then the grant or the write takes effect. */
#include "sched/bandwidth_table.h"

#include <string.h>

enum { PAUSE = 5 };

bool loom_bandwidth_table_cfg_ok(const struct loom_bandwidth_table_cfg *cfg) {
  return !loom_bandwidth_table_bad_param(cfg) && LOOM_SCHED_KEYS_OK(cfg);
}

void loom_bandwidth_table_init(struct loom_bandwidth_table *s,
                               const struct loom_bandwidth_table_cfg *cfg) {
  struct loom_turns_cfg turns = {.vls = cfg->VLS,
                                 .keys = cfg->KEYS,
                                 .mgmt_vl = cfg->MGMT_VL,
                                 .stay_cycles = cfg->STAY_CYCLES,
                                 .pause = PAUSE,
                                 .arb_key = cfg->ARB_KEY};
  memset(s, 0, sizeof *s);
  loom_turns_init(&s->turns, &turns);
}

static uint8_t remaining(const struct loom_bandwidth_table *s, uint32_t key) {
  return s->whole >> key & 1 ? s->weight[key] : s->left[key];
}

/* ---- the five steps -------------------------------------------------------------------------- */

/* The VLs that may come next, of those that are eligible. */
static struct loom_bandwidth_c0 step0(const struct loom_bandwidth_table *s) {
  struct loom_turns_order order = loom_turns_order(&s->turns);
  uint32_t eligible = loom_turns_eligible(&s->turns);
  uint32_t a = eligible & ((s->pays & ~order.same) | (s->cur_has ? order.same : 0));
  uint32_t b = eligible & s->weighs;
  struct loom_bandwidth_c0 c = {.set = a ? a : eligible,
                                .first = order.above | (a ? order.same : 0),
                                .flags = {.charged = a != 0}};
  if (s->mode == LOOM_SBT_LITERAL) {
    c.flags.literal = true;
    c.flags.restore = !a && loom_popcount(eligible) == s->weighted;
    c.back = !a;
  } else if (!a && b && (s->mode != LOOM_SBT_SUM_ZERO || !s->unspent)) {
    c.set = b;
    c.flags.charged = c.flags.restore = true;
  }
  return c;
}

/* The highest VL of the set below `from`, or of all; 0 if it is empty. */
static uint32_t last_before(uint32_t set, uint32_t from) {
  uint32_t below = set & (uint32_t)loom_mask(from), those = below ? below : set;
  return those ? 31u - (uint32_t)__builtin_clz(those) : 0;
}

static struct loom_bandwidth_fixed step1(const struct loom_bandwidth_table *s) {
  const struct loom_bandwidth_c0 *c = &s->c0;
  uint32_t fixed = c->back ? last_before(c->set, s->last) : loom_turns_first(c->set, s->last);
  return (struct loom_bandwidth_fixed){
      .flags = c->flags, .some = c->set != 0, .fixed = (uint8_t)fixed};
}

static struct loom_turns_left step1_set(const struct loom_bandwidth_table *s) {
  uint32_t first = s->c0.set & s->c0.first;
  return loom_turns_step1(&s->turns, first ? first : s->c0.set);
}

static struct loom_turns_left step3_set(const struct loom_bandwidth_table *s) {
  if (!s->c2.flags.literal)
    return loom_turns_step3(&s->turns);
  return (struct loom_turns_left){.set = s->c2.some ? 1u << s->c2.fixed : 0,
                                  .key = s->turns.head[s->c2.fixed].key};
}

static struct loom_bandwidth_rest step4(const struct loom_bandwidth_table *s) {
  uint32_t key = s->turns.c3.key;
  uint8_t r = s->c3.restore ? s->weight[key] : remaining(s, key);
  return (struct loom_bandwidth_rest){
      .flags = s->c3, .rest = (uint8_t)(r - (s->c3.charged && r > 0)), .had = r > 0};
}

/* What each step gives at the end of a cycle: beside turns, and in it. */
struct prepared {
  struct loom_bandwidth_c0 c0;
  struct loom_bandwidth_fixed c1;
  struct loom_bandwidth_rest c4;
  struct loom_turns_left set1, set2, set3;
  struct loom_turns_next next;
};

static struct prepared prepare(const struct loom_bandwidth_table *s) {
  return (struct prepared){.c0 = step0(s),
                           .c1 = step1(s),
                           .c4 = step4(s),
                           .set1 = step1_set(s),
                           .set2 = loom_turns_step2(&s->turns),
                           .set3 = step3_set(s),
                           .next = loom_turns_step4(&s->turns)};
}

static void steps_edge(struct loom_bandwidth_table *s, const struct prepared *p) {
  s->c4 = p->c4;
  s->c3 = s->c2.flags;
  s->c2 = s->c1;
  s->c1 = p->c1;
  s->c0 = p->c0;
  s->turns.c1 = p->set1;
  s->turns.c2 = p->set2;
  s->turns.c3 = p->set3;
  s->turns.next = p->next;
}

/* ---- what the keys of the VLs have ----------------------------------------------------------- */

static uint32_t with_bit(uint32_t set, uint32_t bit, bool in) {
  return (set & ~bit) | (in ? bit : 0);
}

/* restores: a grant of this cycle gives all keys their weight again. */
static void pays_edge(struct loom_bandwidth_table *s, bool restores) {
  uint32_t same = loom_turns_order(&s->turns).same, vl = 1u << s->look_vl;
  s->pays = (s->pays & ~same) | (s->cur_has ? same : 0);
  if (s->look) {
    s->weighs = with_bit(s->weighs, vl, s->weight[s->look_key] > 0);
    s->pays = with_bit(s->pays, vl, remaining(s, s->look_key) > 0);
  }
  if (restores)
    s->pays = s->weighs;
}

static void look_edge(struct loom_bandwidth_table *s, const struct loom_sched_cycle *in) {
  s->look = true;
  if (loom_turns_has_head(&s->turns, in)) {
    s->look_vl = in->head_vl;
    s->look_key = loom_turns_key(&s->turns, in);
    return;
  }
  s->look_vl = s->scan;
  s->look_key = s->turns.head[s->scan].key;
  s->scan = s->scan + 1 < s->turns.cfg.vls ? s->scan + 1 : 0;
}

void loom_bandwidth_table_skip(struct loom_bandwidth_table *s, uint64_t cycles) {
  uint32_t vls = s->turns.cfg.vls;
  if (!cycles)
    return;
  s->scan = (uint32_t)((s->scan + cycles) % vls);
  s->look_vl = s->scan ? s->scan - 1 : vls - 1;
  s->look_key = s->turns.head[s->look_vl].key;
}

/* ---- grants and writes ----------------------------------------------------------------------- */

/* The weights after the grant of c4; those of turns are still as they were. */
static void pay(struct loom_bandwidth_table *s) {
  uint32_t key = s->turns.next.key, bit = 1u << key;
  if (s->c4.flags.literal)
    s->last = s->turns.next.vl;
  if (s->c4.flags.restore) {
    s->whole = UINT32_MAX;
    s->unspent = s->weighted;
  }
  s->whole &= ~bit;
  s->left[key] = s->c4.rest;
  s->cur_has = s->c4.rest > 0;
  s->unspent = s->unspent - s->c4.had + s->cur_has;
}

/* A weight that was written in the last cycle. */
static void weight_edge(struct loom_bandwidth_table *s) {
  uint32_t key = s->write_key;
  bool has = s->write_weight > 0;
  s->weighted = s->weighted + has - (s->weight[key] > 0);
  s->unspent = s->unspent + has - (remaining(s, key) > 0);
  s->weight[key] = s->write_weight;
  s->whole |= 1u << key;
  if (key == s->turns.cur)
    s->cur_has = has;
}

/* The table port. Says whether the mode was written. */
static bool write_edge(struct loom_bandwidth_table *s, const struct loom_sched_cycle *in,
                       bool busy) {
  uint32_t addr = in->table_addr, data = in->table_data;
  s->write = false;
  if (!in->table_we || busy)
    return false;
  if (addr == LOOM_SBT_REG_MODE) {
    s->mode = LOOM_GET(LOOM_SBT_REG_MODE_MODE, data);
    return true;
  }
  if (addr < s->turns.cfg.keys) {
    s->write = true;
    s->write_key = addr;
    s->write_weight = LOOM_GET(LOOM_SBT_REG_WEIGHT_WEIGHT, data);
  }
  return false;
}

static uint32_t table_read(const struct loom_bandwidth_table *s, uint32_t addr) {
  if (!loom_turns_ready(&s->turns))
    return 0;
  if (addr < s->turns.cfg.keys)
    return LOOM_PUT(LOOM_SBT_REG_WEIGHT_REMAINING, remaining(s, addr)) |
           LOOM_PUT(LOOM_SBT_REG_WEIGHT_WEIGHT, s->weight[addr]);
  return addr == LOOM_SBT_REG_MODE ? s->mode : 0;
}

/* ---- step ------------------------------------------------------------------------------------ */

void loom_bandwidth_table_show(const struct loom_bandwidth_table *s,
                               struct loom_bandwidth_table_out *out) {
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

bool loom_bandwidth_table_edge(struct loom_bandwidth_table *s, const struct loom_sched_cycle *in) {
  struct loom_turns *t = &s->turns;
  enum loom_turns_verdict verdict = loom_turns_decide(t, s->write);
  struct prepared next = prepare(s);
  bool busy = !loom_turns_ready(t), written = s->write;

  s->table_rdata = table_read(s, s->addr);
  s->addr = in->table_addr;
  pays_edge(s, verdict == LOOM_TURNS_NEXT && s->c4.flags.restore);
  look_edge(s, in);
  if (verdict == LOOM_TURNS_NEXT)
    pay(s);
  if (written)
    weight_edge(s);
  bool mode = write_edge(s, in, busy);
  loom_turns_edge(t, in, verdict);
  if (written || mode)
    t->pause = PAUSE;
  steps_edge(s, &next);
  return true;
}

void loom_bandwidth_table_step(struct loom_bandwidth_table *s,
                               const struct loom_bandwidth_table_in *in,
                               struct loom_bandwidth_table_out *out) {
  loom_bandwidth_table_show(s, out);
  loom_bandwidth_table_edge(s, &LOOM_SCHED_CYCLE(in));
}

void loom_bandwidth_table_probe(const struct loom_bandwidth_table *s,
                                struct loom_bandwidth_table_probe *p) {
  p->cur = s->turns.cur;
  p->last = s->last;
  p->cur_has = s->cur_has;
  p->weighted = s->weighted;
  p->unspent = s->unspent;
  p->pause = s->turns.pause;
  p->held = s->turns.held;
  p->c4_some = s->turns.next.some;
  p->loom_end = 0;
}
