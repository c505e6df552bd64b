/* SPDX-License-Identifier: Apache-2.0 */
/* test_turns.c - the twins of round_robin and bandwidth_table against docs/turns.md, and against
 * sched_rr and sched_sbt, whose policies they have
 */
#include "tb/unit/unit.h"

#include <loom/bits.h>
#include <stdio.h>
#include <string.h>

#include "sched/bandwidth_table.h"
#include "sched/round_robin.h"
#include "sched/sched_rr.h"
#include "sched/sched_sbt.h"

enum { VLS = 32, NO_GRANT = -1, PATIENCE = 200, ENDLESS = UINT32_MAX };
enum { WEIGHT = LOOM_SBT_REG_WEIGHT, MODE = LOOM_SBT_REG_MODE };

typedef struct loom_bandwidth_table_in sched_in;
typedef struct loom_bandwidth_table_out sched_out;

/* The packets of one VL: packet i has the SL sl[i % sls]. */
struct flow {
  uint32_t size, sl[2], sls, left, sent;
};

/* A scheduler with queues before it. A head is told `late` cycles after the cycle that follows its
 * grant, and ready in the cycle after that. */
struct sim {
  bool weights; /* bandwidth_table, else round_robin */
  struct loom_round_robin rr;
  struct loom_bandwidth_table bt;
  struct loom_sched_rr old_rr;
  struct loom_sched_sbt old_bt;
  struct loom_bandwidth_table_cfg cfg;
  struct flow flow[VLS];
  uint32_t told;    /* VLs whose head is known */
  uint32_t blocked; /* VLs without room */
  uint32_t late;
  uint32_t resting[VLS]; /* cycles until the next head is told */
  uint64_t cycle;
  bool write;
  uint32_t addr, data;
  uint32_t was_ready[2]; /* the ready bits of the last cycle, and of the one before */
  bool asked[2];
  /* Of the last cycle, and of the last grant. */
  uint32_t rdata, key, size;
  bool busy, ready;
  uint64_t granted_at;
};

struct options {
  bool weights;
  uint32_t vls, keys, by_vl, mgmt_vl, stay;
};

/* Cycles from grant to grant, and from the first ready bit to the grant. */
static uint32_t apart(const struct sim *s) { return s->weights ? 6 : 5; }
static uint32_t from_idle(const struct sim *s) { return s->weights ? 7 : 6; }

static struct loom_bandwidth_table_cfg config(struct options o) {
  struct loom_bandwidth_table_cfg c;
  loom_bandwidth_table_defaults(&c);
  c.VLS = o.vls ? o.vls : c.VLS;
  c.KEYS = o.keys ? o.keys : c.KEYS;
  c.ARB_KEY = !o.by_vl;
  c.MGMT_VL = o.mgmt_vl ? o.mgmt_vl : c.MGMT_VL;
  c.STAY_CYCLES = o.stay;
  assert_true(loom_bandwidth_table_cfg_ok(&c));
  return c;
}

static void tell_a_head(struct sim *s, sched_in *in) {
  for (uint32_t v = 0; v < s->cfg.VLS; v++) {
    const struct flow *f = &s->flow[v];
    if (!f->left || s->told >> v & 1 || s->resting[v])
      continue;
    in->head_valid = 1;
    in->head_vl = v;
    in->head_size = f->size;
    in->head_sl = f->sl[f->sls ? f->sent % f->sls : 0];
    s->told |= 1u << v;
    return;
  }
}

/* What the page promises of each grant: ready and asked for two cycles before, and so far apart. */
static void judge(struct sim *s, const sched_out *out) {
  assert_true(s->was_ready[1] >> out->grant_vl & 1);
  assert_true(s->asked[1]);
  assert_int_equal(out->grant_size, s->flow[out->grant_vl].size);
  if (s->granted_at)
    assert_true(s->cycle - s->granted_at >= apart(s));
  s->granted_at = s->cycle;
}

/* The same inputs for the scheduler of the two that is tested. */
static void step(struct sim *s, const sched_in *in, sched_out *out) {
  if (s->weights) {
    loom_bandwidth_table_step(&s->bt, in, out);
    return;
  }
  struct loom_round_robin_in i = {.request = in->request,
                                  .ready = in->ready,
                                  .head_valid = in->head_valid,
                                  .head_vl = in->head_vl,
                                  .head_size = in->head_size,
                                  .head_sl = in->head_sl,
                                  .table_we = in->table_we,
                                  .table_addr = in->table_addr,
                                  .table_data = in->table_data};
  struct loom_round_robin_out o;
  loom_round_robin_step(&s->rr, &i, &o);
  *out = (sched_out){.table_rdata = o.table_rdata,
                     .busy = o.busy,
                     .ready = o.ready,
                     .grant_valid = o.grant_valid,
                     .grant_vl = o.grant_vl,
                     .grant_key = o.grant_key,
                     .grant_size = o.grant_size};
}

/* One cycle; the VL that was granted in it or NO_GRANT. */
static int cycle(struct sim *s, bool request) {
  sched_in in = {.request = request,
                 .ready = s->told & ~s->blocked,
                 .table_we = s->write,
                 .table_addr = s->addr,
                 .table_data = s->data};
  sched_out out;
  tell_a_head(s, &in);
  for (uint32_t v = 0; v < VLS; v++)
    s->resting[v] -= s->resting[v] > 0;
  step(s, &in, &out);
  if (out.grant_valid)
    judge(s, &out);
  s->was_ready[1] = s->was_ready[0], s->was_ready[0] = (uint32_t)in.ready;
  s->asked[1] = s->asked[0], s->asked[0] = request;
  s->write = false;
  s->cycle++;
  s->rdata = (uint32_t)out.table_rdata;
  s->busy = out.busy;
  s->ready = out.ready;
  if (!out.grant_valid) {
    assert_int_equal(out.grant_vl | out.grant_key | out.grant_size, 0);
    return NO_GRANT;
  }
  struct flow *f = &s->flow[out.grant_vl];
  s->told &= ~(1u << out.grant_vl);
  s->resting[out.grant_vl] = s->late;
  f->left -= f->left != ENDLESS;
  f->sent++;
  s->key = (uint32_t)out.grant_key;
  s->size = (uint32_t)out.grant_size;
  return (int)out.grant_vl;
}

static void idle(struct sim *s, uint32_t cycles) {
  for (uint32_t i = 0; i < cycles; i++)
    assert_int_equal(cycle(s, false), NO_GRANT);
}

/* Until everything was told, and has stood still for as long as the page says. */
static void settle(struct sim *s) { idle(s, 3 * s->cfg.VLS + 16); }

static void start(struct sim *s, struct options o) {
  memset(s, 0, sizeof *s);
  s->weights = o.weights;
  s->cfg = config(o);
  struct loom_round_robin_cfg rr;
  loom_round_robin_defaults(&rr);
  rr.VLS = s->cfg.VLS, rr.KEYS = s->cfg.KEYS, rr.ARB_KEY = s->cfg.ARB_KEY;
  rr.MGMT_VL = s->cfg.MGMT_VL, rr.STAY_CYCLES = s->cfg.STAY_CYCLES;
  loom_round_robin_init(&s->rr, &rr);
  loom_bandwidth_table_init(&s->bt, &s->cfg);
  struct loom_sched_rr_cfg old;
  loom_sched_rr_defaults(&old);
  old.VLS = s->cfg.VLS, old.KEYS = s->cfg.KEYS, old.ARB_KEY = s->cfg.ARB_KEY;
  old.MGMT_VL = s->cfg.MGMT_VL;
  loom_sched_rr_init(&s->old_rr, &old);
  struct loom_sched_sbt_cfg sbt;
  loom_sched_sbt_defaults(&sbt);
  sbt.VLS = old.VLS, sbt.KEYS = old.KEYS, sbt.ARB_KEY = old.ARB_KEY, sbt.MGMT_VL = old.MGMT_VL;
  loom_sched_sbt_init(&s->old_bt, &sbt);
  idle(s, s->cfg.KEYS);
}

static void queue(struct sim *s, uint32_t vl, uint32_t sl, uint32_t size, uint32_t count) {
  s->flow[vl] = (struct flow){.size = size, .sl = {sl}, .sls = 1, .left = count};
}

static void table_write(struct sim *s, uint32_t addr, uint32_t data) {
  s->write = true;
  s->addr = addr;
  s->data = data;
  cycle(s, false);
}

static uint32_t table_read(struct sim *s, uint32_t addr) {
  s->addr = addr;
  for (uint32_t i = 0; i < 3; i++)
    cycle(s, false);
  return s->rdata;
}

/* The next grant; NO_GRANT if none comes. */
static int next_grant(struct sim *s) {
  for (uint32_t i = 0; i < PATIENCE; i++) {
    int vl = cycle(s, true);
    if (vl != NO_GRANT)
      return vl;
  }
  return NO_GRANT;
}

static void expect_order(struct sim *s, bool settled, const char *order) {
  char seen[128] = "";
  size_t n = strlen(order);
  for (size_t i = 0; i < n; i++) {
    if (settled)
      settle(s);
    int vl = next_grant(s);
    seen[i] = vl == NO_GRANT ? '-' : (char)('0' + vl);
  }
  assert_string_equal(seen, order);
}

static uint64_t random_q;

static uint32_t below(uint32_t n) {
  random_q = random_q * 6364136223846793005u + 1442695040888963407u;
  return n > 0 ? (uint32_t)(random_q >> 33) % n : 0;
}

/* ---- the policies are those of sched_rr and sched_sbt ---------------------------------------- */

/* The lists of the two differ in nothing but probes. */
_Static_assert(sizeof(struct loom_sched_rr_in) == sizeof(struct loom_sched_sbt_in),
               "the old schedulers have one interface");

static bool old_step(struct sim *s, const struct loom_sched_sbt_in *in, uint32_t *vl,
                     uint32_t *key) {
  struct loom_sched_sbt_out out;
  if (s->weights) {
    loom_sched_sbt_step(&s->old_bt, in, &out);
  } else {
    struct loom_sched_rr_in i;
    struct loom_sched_rr_out o;
    memcpy(&i, in, sizeof i);
    loom_sched_rr_step(&s->old_rr, &i, &o);
    out = (struct loom_sched_sbt_out){
        .grant_valid = o.grant_valid, .grant_vl = o.grant_vl, .grant_key = o.grant_key};
  }
  *vl = (uint32_t)out.grant_vl;
  *key = (uint32_t)out.grant_key;
  return out.grant_valid;
}

/* The next grant of the old scheduler for the heads and ready bits of `s`; NO_GRANT if none. */
static int old_grant(struct sim *s, uint32_t *key) {
  struct loom_sched_sbt_in in = {0};
  uint32_t vl;
  for (uint32_t v = 0; v < s->cfg.VLS; v++) {
    const struct flow *f = &s->flow[v];
    in.head_valid |= (uint64_t)(f->left && !(s->blocked >> v & 1)) << v;
    in.head_size[v] = f->size;
    in.head_sl[v] = f->sl[f->sls ? f->sent % f->sls : 0];
    in.credits[v] = 4095;
  }
  old_step(s, &in, &vl, key);
  for (uint32_t i = 0; i < 8; i++) {
    in.request = i == 0;
    if (old_step(s, &in, &vl, key))
      return (int)vl;
  }
  return NO_GRANT;
}

static void write_both(struct sim *s, uint32_t addr, uint32_t data) {
  struct loom_sched_sbt_in in = {.table_we = 1, .table_addr = addr, .table_data = data};
  uint32_t vl, key;
  old_step(s, &in, &vl, &key);
  table_write(s, addr, data);
}

static void compare_states(struct sim *s) {
  struct loom_bandwidth_table_probe p;
  if (!s->weights)
    return;
  for (uint32_t k = 0; k < s->cfg.KEYS; k++)
    assert_int_equal(table_read(s, WEIGHT + k),
                     (uint32_t)s->old_bt.remaining[k] << 8 | s->old_bt.weight[k]);
  loom_bandwidth_table_probe(&s->bt, &p);
  assert_int_equal(p.cur, s->old_bt.cur);
  assert_int_equal(p.last, s->old_bt.last);
  assert_int_equal(p.weighted, loom_popcount(s->old_bt.weighted));
  assert_int_equal(p.unspent, loom_popcount(s->old_bt.rich));
  assert_int_equal(p.cur_has, s->old_bt.remaining[p.cur] > 0);
}

static void new_packets(struct sim *s, uint32_t chance) {
  for (uint32_t v = 0; v < s->cfg.VLS; v++)
    if (!s->flow[v].left && below(256) < chance)
      queue(s, v, below(4) ? v * 7 % 11 % s->cfg.KEYS : below(s->cfg.KEYS), 1 + below(100), 1);
}

/* Scenes in which heads, ready bits, weights and mode stand still until each grant. */
static void compare_with_the_old_one(struct options opt, uint32_t scenes) {
  static const uint32_t most[] = {1, 2, 4, 40};
  struct sim s;
  start(&s, opt);
  for (uint32_t i = 0; i < scenes; i++) {
    uint32_t chance = 1 + below(256), key = 0, largest = most[below(4)];
    for (uint32_t n = below(2 * s.cfg.KEYS); n && s.weights; n--)
      write_both(&s, WEIGHT + below(s.cfg.KEYS), below(3) ? 1 + below(largest) : 0);
    if (s.weights)
      write_both(&s, MODE, below(4));
    for (uint32_t n = below(60); n; n--) {
      new_packets(&s, chance);
      s.blocked = below(3) ? 0 : below(UINT32_MAX) & below(UINT32_MAX);
      settle(&s);
      int theirs = old_grant(&s, &key);
      int ours = next_grant(&s);
      assert_int_equal(ours, theirs);
      if (ours != NO_GRANT)
        assert_int_equal(s.key, key);
      compare_states(&s);
    }
  }
}

static void compare_all_sizes(bool weights) {
  compare_with_the_old_one((struct options){.weights = weights, .vls = 9, .mgmt_vl = 8}, 100);
  compare_with_the_old_one(
      (struct options){.weights = weights, .vls = 32, .mgmt_vl = 32, .by_vl = 1, .stay = 8}, 20);
  compare_with_the_old_one(
      (struct options){.weights = weights, .vls = 5, .keys = 3, .mgmt_vl = 2, .stay = 4}, 200);
  compare_with_the_old_one((struct options){.weights = weights, .vls = 1, .keys = 1, .mgmt_vl = 32},
                           20);
}

static void the_order_of_grants_is_that_of_sched_rr(void **state) {
  (void)state;
  random_q = 1;
  compare_all_sizes(false);
}

static void the_order_of_grants_is_that_of_sched_sbt_in_all_modes(void **state) {
  (void)state;
  random_q = 2;
  compare_all_sizes(true);
}

/* At full speed a VL is away for some cycles after each grant: it is held as long. */
static void held_vls_keep_the_order_of_a_backlog_at_full_speed(void **state) {
  (void)state;
  random_q = 3;
  for (uint32_t scene = 0; scene < 80; scene++) {
    struct sim s;
    start(&s, (struct options){.weights = scene & 1, .vls = 12, .mgmt_vl = 32, .stay = 8});
    for (uint32_t k = 0; k < 12 && s.weights; k++)
      write_both(&s, WEIGHT + k, below(5));
    if (s.weights)
      write_both(&s, MODE, below(3));
    for (uint32_t v = 0; v < 1 + below(12); v++)
      queue(&s, v, v * 5 % 7, 1 + below(64), ENDLESS);
    s.late = below(4);
    settle(&s);
    for (uint32_t n = 0; n < 300; n++) {
      uint32_t key = 0;
      int vl = old_grant(&s, &key);
      assert_int_equal(next_grant(&s), vl);
      assert_int_equal(s.key, key);
    }
  }
}

/* SC-01: an SL with two VLs gets no more than one with a single VL. */
static void keys_take_turns_and_then_their_vls(void **state) {
  (void)state;
  struct sim s;
  start(&s, (struct options){.stay = 8});
  queue(&s, 0, 4, 1, ENDLESS);
  queue(&s, 1, 4, 1, ENDLESS);
  queue(&s, 2, 9, 1, ENDLESS);
  settle(&s);
  expect_order(&s, false, "021202120212");
}

/* SC-04: weights 2 / 1. */
static void weights_give_the_patterns_of_sched_sbt(void **state) {
  (void)state;
  static const char *const order[] = {"001001001001", "001000100010", "001001001001"};
  for (uint32_t mode = 0; mode < 3; mode++) {
    struct sim s;
    start(&s, (struct options){.weights = true, .stay = 8});
    table_write(&s, WEIGHT + 0, 2);
    table_write(&s, WEIGHT + 1, 1);
    table_write(&s, MODE, mode);
    queue(&s, 0, 0, 1, ENDLESS);
    queue(&s, 1, 1, 1, ENDLESS);
    settle(&s);
    expect_order(&s, false, order[mode]);
  }
}

/* ---- times ----------------------------------------------------------------------------------- */

static void a_backlog_of_held_vls_is_granted_at_full_pace(void **state) {
  (void)state;
  for (uint32_t weights = 0; weights < 2; weights++)
    for (uint32_t vls = 1; vls < 5; vls++) {
      struct sim s;
      start(&s, (struct options){.weights = weights, .stay = 8});
      for (uint32_t k = 0; k < 4; k++)
        table_write(&s, WEIGHT + k, 3);
      for (uint32_t v = 0; v < vls; v++)
        queue(&s, v, v, 1, ENDLESS);
      settle(&s);
      next_grant(&s);
      for (uint32_t n = 0; n < 40; n++) {
        uint64_t last = s.granted_at;
        assert_true(next_grant(&s) != NO_GRANT);
        assert_int_equal(s.granted_at - last, apart(&s));
      }
    }
}

static void an_idle_output_grants_6_or_7_cycles_after_the_ready_bit(void **state) {
  (void)state;
  for (uint32_t weights = 0; weights < 2; weights++) {
    struct sim s;
    start(&s, (struct options){.weights = weights});
    settle(&s);
    for (uint32_t i = 0; i < 20; i++)
      assert_int_equal(cycle(&s, true), NO_GRANT);
    queue(&s, 3, 5, 7, 1);
    cycle(&s, true); /* the head event */
    uint64_t ready = s.cycle;
    assert_int_equal(next_grant(&s), 3);
    assert_int_equal(s.granted_at - ready, from_idle(&s));
  }
}

static void a_held_vl_that_comes_next_goes_2_cycles_after_its_ready_bit(void **state) {
  (void)state;
  for (uint32_t weights = 0; weights < 2; weights++) {
    struct sim s;
    start(&s, (struct options){.weights = weights, .stay = 8});
    queue(&s, 3, 5, 7, ENDLESS);
    settle(&s);
    s.late = 5; /* head event in g + 6, ready in g + 7 */
    next_grant(&s);
    uint64_t ready = s.granted_at + 7;
    assert_int_equal(next_grant(&s), 3);
    assert_int_equal(s.granted_at - ready, 2);
  }
}

/* While its key has weight left, a VL that is away is waited for, STAY_CYCLES long. */
static void weight_waits_for_a_held_vl_and_no_longer(void **state) {
  (void)state;
  for (uint32_t stay = 0; stay <= 8; stay += 8) {
    struct sim s;
    start(&s, (struct options){.weights = true, .stay = stay});
    table_write(&s, WEIGHT + 0, 3);
    table_write(&s, WEIGHT + 1, 1);
    queue(&s, 0, 0, 1, ENDLESS);
    queue(&s, 1, 1, 1, ENDLESS);
    s.late = 4;
    settle(&s);
    expect_order(&s, false, stay ? "000100010001" : "0101");
  }
  struct sim s;
  start(&s, (struct options){.weights = true, .stay = 8});
  table_write(&s, WEIGHT + 0, 3);
  table_write(&s, WEIGHT + 1, 1);
  queue(&s, 0, 0, 1, 1); /* no packet follows */
  queue(&s, 1, 1, 1, 1);
  settle(&s);
  assert_int_equal(next_grant(&s), 0);
  uint64_t first = s.granted_at;
  assert_int_equal(next_grant(&s), 1);
  assert_true(s.granted_at - first > 8 && s.granted_at - first <= apart(&s) + 8 + 10);
}

/* The second grant is 5 cycles after the first, which was to be held for 8: it is for 9. */
static void a_vl_stays_held_when_another_is_granted(void **state) {
  (void)state;
  struct sim s;
  start(&s, (struct options){.stay = 8});
  queue(&s, 0, 0, 1, 1);
  queue(&s, 1, 1, 1, 1);
  settle(&s);
  assert_int_equal(next_grant(&s), 0);
  assert_int_equal(next_grant(&s), 1);
  for (uint32_t i = 1; i < 10; i++) { /* from the cycle after the grant on */
    struct loom_round_robin_probe p;
    loom_round_robin_probe(&s.rr, &p);
    assert_int_equal(p.held, i < 4 ? 3 : i < 8 ? 2 : 0);
    cycle(&s, false);
  }
}

static void management_packets_go_first_and_count_nowhere(void **state) {
  (void)state;
  for (uint32_t weights = 0; weights < 2; weights++) {
    struct sim s;
    start(&s, (struct options){.weights = weights, .vls = 4, .mgmt_vl = 3});
    table_write(&s, WEIGHT + 0, 2);
    table_write(&s, WEIGHT + 1, 1);
    for (uint32_t v = 0; v < 2; v++)
      queue(&s, v, v, 1, ENDLESS);
    queue(&s, 3, 0, 9, 3);
    expect_order(&s, true, weights ? "333001001" : "333010101");
    queue(&s, 3, 1, 9, 1);
    expect_order(&s, true, weights ? "3001" : "301");
  }
}

static void a_head_without_a_size_or_a_key_never_goes(void **state) {
  (void)state;
  for (uint32_t weights = 0; weights < 2; weights++) {
    struct sim s;
    start(&s, (struct options){.weights = weights, .keys = 20});
    queue(&s, 0, 20, 1, 1);
    queue(&s, 1, 0, 0, 1);
    settle(&s);
    assert_int_equal(next_grant(&s), NO_GRANT);
  }
}

/* ---- table accesses -------------------------------------------------------------------------- */

static void round_robin_has_no_registers(void **state) {
  (void)state;
  struct sim s;
  start(&s, (struct options){0});
  for (uint32_t a = 0; a < 1024; a += 31) {
    table_write(&s, a, UINT32_MAX);
    assert_int_equal(table_read(&s, a), 0);
  }
}

static void weights_and_mode_read_as_they_were_written(void **state) {
  (void)state;
  struct sim s;
  start(&s, (struct options){.weights = true, .keys = 20});
  for (uint32_t a = 0; a < 1024; a++)
    table_write(&s, a, 0xABCD0000 + (a * 37 & 0xFF));
  for (uint32_t a = 0; a < 1024; a++) {
    uint32_t w = a * 37 & 0xFF;
    assert_int_equal(table_read(&s, a), a < 20 ? w << 8 | w : a == MODE ? w & 3 : 0);
  }
}

static void memories_are_swept_after_reset(void **state) {
  (void)state;
  for (uint32_t weights = 0; weights < 2; weights++) {
    struct sim s;
    start(&s, (struct options){.weights = weights});
    /* `start` has taken the cycles of the sweep: its last one was busy, the next is not */
    assert_true(s.busy && !s.ready);
    cycle(&s, false);
    assert_true(!s.busy && s.ready);
    for (uint32_t k = 0; k < 32; k++)
      assert_int_equal(table_read(&s, WEIGHT + k), 0);
  }
}

static void writes_hold_up_the_grants_that_follow_them(void **state) {
  (void)state;
  struct sim s;
  start(&s, (struct options){.weights = true});
  queue(&s, 0, 0, 1, ENDLESS);
  settle(&s);
  for (uint32_t i = 0; i < 30; i++) {
    s.write = true, s.addr = i % 2 ? MODE : WEIGHT, s.data = 1;
    int vl = cycle(&s, true);
    if (i > 2)
      assert_int_equal(vl, NO_GRANT);
  }
  s.write = true, s.addr = WEIGHT, s.data = 1;
  uint64_t written = s.cycle;
  assert_int_equal(cycle(&s, true), NO_GRANT);
  assert_int_equal(next_grant(&s), 0);
  assert_int_equal(s.granted_at - written, 8);
}

static void parameters_that_do_not_fit_are_refused(void **state) {
  (void)state;
  struct loom_bandwidth_table_cfg c = config((struct options){0});
  struct loom_round_robin_cfg r;
  loom_round_robin_defaults(&r);
  c.ARB_KEY = r.ARB_KEY = 0;
  c.KEYS = r.KEYS = 15;
  assert_false(loom_bandwidth_table_cfg_ok(&c));
  assert_false(loom_round_robin_cfg_ok(&r));
  c.KEYS = r.KEYS = 16;
  assert_true(loom_bandwidth_table_cfg_ok(&c));
  assert_true(loom_round_robin_cfg_ok(&r));
  c.STAY_CYCLES = r.STAY_CYCLES = 9;
  assert_string_equal(loom_bandwidth_table_bad_param(&c), "STAY_CYCLES");
  assert_string_equal(loom_round_robin_bad_param(&r), "STAY_CYCLES");
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_order_of_grants_is_that_of_sched_rr),
      cmocka_unit_test(the_order_of_grants_is_that_of_sched_sbt_in_all_modes),
      cmocka_unit_test(held_vls_keep_the_order_of_a_backlog_at_full_speed),
      cmocka_unit_test(keys_take_turns_and_then_their_vls),
      cmocka_unit_test(weights_give_the_patterns_of_sched_sbt),
      cmocka_unit_test(a_backlog_of_held_vls_is_granted_at_full_pace),
      cmocka_unit_test(an_idle_output_grants_6_or_7_cycles_after_the_ready_bit),
      cmocka_unit_test(a_held_vl_that_comes_next_goes_2_cycles_after_its_ready_bit),
      cmocka_unit_test(weight_waits_for_a_held_vl_and_no_longer),
      cmocka_unit_test(a_vl_stays_held_when_another_is_granted),
      cmocka_unit_test(management_packets_go_first_and_count_nowhere),
      cmocka_unit_test(a_head_without_a_size_or_a_key_never_goes),
      cmocka_unit_test(round_robin_has_no_registers),
      cmocka_unit_test(weights_and_mode_read_as_they_were_written),
      cmocka_unit_test(memories_are_swept_after_reset),
      cmocka_unit_test(writes_hold_up_the_grants_that_follow_them),
      cmocka_unit_test(parameters_that_do_not_fit_are_refused)};
  return UNIT_RUN("turns", tests, NULL, NULL);
}
