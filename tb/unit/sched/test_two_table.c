/* SPDX-License-Identifier: Apache-2.0 */
/* test_two_table.c - the twin of two_table against docs/tables.md and against sched_ibarb, whose
 * policy it has
 */
#include "tb/unit/unit.h"

#include <loom/bits.h>
#include <loom/random.h>
#include <stdio.h>
#include <string.h>

#include "sched/two_table.h"
#include "tb/unit/sched/served_gaps.h"

enum { VLS = 32, NO_GRANT = -1, PATIENCE = 10000, ENDLESS = UINT32_MAX, SWEEP = 64, APART = 5 };
enum {
  LOW = LOOM_IBARB_REG_LOW,
  LIMIT = LOOM_IBARB_REG_LIMIT,
  MODE = LOOM_IBARB_REG_MODE,
  SENT = LOOM_IBARB_REG_SENT,
  TURN = LOOM_IBARB_REG_TURN,
  SELECTION_HIGH = LOOM_IBARB_REG_SELECTION_HIGH,
  SELECTION_LOW = LOOM_IBARB_REG_SELECTION_LOW
};

/* The packets of one VL: packet i has the SL sl[i % sls]. */
struct flow {
  uint32_t size, sl[2], sls, left, sent;
};

/* A scheduler with queues before it. After a grant in g the next head is told in g + away - 1 and
 * ready in g + away; in g + 1 and g + 2, as fast as the page lets a user be, if `away` is 0. */
struct sim {
  struct loom_two_table d;
  struct flow flow[VLS];
  uint32_t told;    /* VLs whose head is known */
  uint32_t blocked; /* VLs without room */
  uint32_t away;
  uint64_t back[VLS]; /* cycles in which heads are ready */
  uint64_t cycle;
  bool write;
  uint32_t addr, data;
  uint32_t was_ready[2]; /* the ready bits of the last cycle, and of the one before */
  bool asked[2];
  /* Of the last cycle, and of the last grant. */
  uint32_t rdata, served, key, size;
  bool busy, ready;
  uint64_t granted_at;
};

struct options {
  uint32_t vls, keys, by_vl, mgmt_vl, n_high, n_low, stay;
};

static struct loom_two_table_cfg config(struct options o) {
  struct loom_two_table_cfg c;
  loom_two_table_defaults(&c);
  c.VLS = o.vls ? o.vls : c.VLS;
  c.KEYS = o.keys ? o.keys : c.KEYS;
  c.ARB_KEY = !o.by_vl;
  c.MGMT_VL = o.mgmt_vl ? o.mgmt_vl : c.MGMT_VL;
  c.N_HIGH = o.n_high ? o.n_high : c.N_HIGH;
  c.N_LOW = o.n_low ? o.n_low : c.N_LOW;
  c.STAY_CYCLES = o.stay;
  assert_true(loom_two_table_cfg_ok(&c));
  return c;
}

static void tell_a_head(struct sim *s, struct loom_two_table_in *in) {
  for (uint32_t v = 0; v < s->d.cfg.VLS; v++) {
    const struct flow *f = &s->flow[v];
    if (!f->left || s->told >> v & 1 || s->cycle + 1 < s->back[v])
      continue;
    in->head_valid = 1;
    in->head_vl = v;
    in->head_size = f->size;
    in->head_sl = f->sl[f->sls ? f->sent % f->sls : 0];
    s->told |= 1u << v;
    return;
  }
}

/* What the page promises of each grant: ready and asked for two cycles before, and 5 apart. */
static void judge(struct sim *s, const struct loom_two_table_out *out) {
  assert_true(s->was_ready[1] >> out->grant_vl & 1);
  assert_true(s->asked[1]);
  assert_int_equal(out->grant_size, s->flow[out->grant_vl].size);
  if (s->granted_at)
    assert_true(s->cycle - s->granted_at >= APART);
  s->granted_at = s->cycle;
}

/* One cycle; the VL that was granted in it or NO_GRANT. */
static int cycle(struct sim *s, bool request) {
  struct loom_two_table_in in = {.request = request,
                                 .ready = s->told & ~s->blocked,
                                 .table_we = s->write,
                                 .table_addr = s->addr,
                                 .table_data = s->data};
  struct loom_two_table_out out;
  tell_a_head(s, &in);
  loom_two_table_step(&s->d, &in, &out);
  if (out.grant_valid)
    judge(s, &out);
  s->was_ready[1] = s->was_ready[0], s->was_ready[0] = (uint32_t)in.ready;
  s->asked[1] = s->asked[0], s->asked[0] = request;
  s->write = false;
  s->cycle++;
  s->rdata = (uint32_t)out.table_rdata;
  s->served = (uint32_t)out.served;
  s->busy = out.busy;
  s->ready = out.ready;
  if (!out.grant_valid) {
    assert_int_equal(out.grant_vl | out.grant_key | out.grant_size, 0);
    return NO_GRANT;
  }
  struct flow *f = &s->flow[out.grant_vl];
  s->told &= ~(1u << out.grant_vl);
  s->back[out.grant_vl] = s->granted_at + s->away;
  f->left -= f->left != ENDLESS;
  f->sent++;
  s->key = (uint32_t)out.grant_key;
  s->size = (uint32_t)out.grant_size;
  return (int)out.grant_vl;
}

/* Until everything was told, and has stood still for as long as the page says. */
static void settle(struct sim *s) {
  for (uint32_t i = 0; i < 3 * s->d.cfg.VLS + 16; i++)
    assert_int_equal(cycle(s, false), NO_GRANT);
}

static void start(struct sim *s, struct options o) {
  struct loom_two_table_cfg c = config(o);
  memset(s, 0, sizeof *s);
  loom_two_table_init(&s->d, &c);
  for (uint32_t i = 0; i < SWEEP; i++)
    cycle(s, false);
}

static void queue(struct sim *s, uint32_t vl, uint32_t sl, uint32_t size, uint32_t count) {
  s->flow[vl] = (struct flow){.size = size, .sl = {sl}, .sls = 1, .left = count};
}

static void table_write(struct sim *s, uint32_t addr, uint32_t data) {
  s->write = true;
  s->addr = addr;
  s->data = data;
  for (uint32_t i = 0; i < 4; i++)
    cycle(s, false);
}

static uint32_t table_read(struct sim *s, uint32_t addr) {
  s->addr = addr;
  for (uint32_t i = 0; i < 3; i++)
    cycle(s, false);
  return s->rdata;
}

/* Of a selection. */
static uint32_t left_of(struct sim *s, uint32_t addr) { return table_read(s, addr) & 0xFFFF; }

/* The next grant; NO_GRANT if none comes. */
static int next_grant(struct sim *s) {
  for (uint32_t i = 0; i < PATIENCE; i++) {
    int vl = cycle(s, true);
    if (vl != NO_GRANT)
      return vl;
  }
  return NO_GRANT;
}

/* The next grant, from a state that has settled. */
static int grant(struct sim *s) {
  settle(s);
  return next_grant(s);
}

static void expect_order(struct sim *s, const char *order) {
  char seen[128] = "";
  size_t n = strlen(order);
  for (size_t i = 0; i < n; i++) {
    int vl = grant(s);
    seen[i] = vl == NO_GRANT ? '-' : (char)('0' + vl);
  }
  assert_string_equal(seen, order);
}

static uint64_t random_q;

static uint32_t below(uint32_t n) {
  random_q = random_q * 6364136223846793005u + 1442695040888963407u;
  return n > 0 ? (uint32_t)(random_q >> 33) % n : 0;
}

/* ---- the policy is that of sched_ibarb ------------------------------------------------------- */

static void init_other(struct loom_sched_ibarb *o, const struct sim *s) {
  struct loom_sched_ibarb_cfg c;
  loom_sched_ibarb_defaults(&c);
  c.VLS = s->d.cfg.VLS, c.KEYS = s->d.cfg.KEYS, c.ARB_KEY = s->d.cfg.ARB_KEY;
  c.MGMT_VL = s->d.cfg.MGMT_VL, c.N_HIGH = s->d.cfg.N_HIGH, c.N_LOW = s->d.cfg.N_LOW;
  loom_sched_ibarb_init(o, &c);
}

/* The next grant of sched_ibarb for the heads and ready bits of `s`, asked for as long as the
 * other one was; NO_GRANT if there is none. */
static int other_grant(struct loom_sched_ibarb *o, const struct sim *s, uint32_t *key) {
  struct loom_sched_ibarb_in in = {0};
  struct loom_sched_ibarb_out out;
  for (uint32_t v = 0; v < s->d.cfg.VLS; v++) {
    const struct flow *f = &s->flow[v];
    in.head_valid |= (uint64_t)(f->left && !(s->blocked >> v & 1)) << v;
    in.head_size[v] = f->size;
    in.head_sl[v] = f->sl[0];
    in.credits[v] = 4095;
  }
  loom_sched_ibarb_step(o, &in, &out);
  for (uint32_t i = 0; i < PATIENCE; i++) {
    in.request = o->front.phase == LOOM_SCHED_SEARCH && !o->front.grant_valid;
    loom_sched_ibarb_step(o, &in, &out);
    if (!out.grant_valid)
      continue;
    *key = (uint32_t)out.grant_key;
    return (int)out.grant_vl;
  }
  return NO_GRANT;
}

static void compare_states(const struct sim *s, const struct loom_sched_ibarb *o) {
  assert_int_equal(s->d.sent, o->sent);
  assert_int_equal(s->d.turn, o->turn);
  for (uint32_t x = 0; x < 2; x++) {
    assert_int_equal(s->d.side[x].entry, o->side[x].entry);
    assert_int_equal(s->d.side[x].key, o->side[x].key);
    assert_int_equal(s->d.side[x].left, o->side[x].left);
    assert_memory_equal(s->d.side[x].deficit, o->side[x].deficit, sizeof o->side[x].deficit);
  }
  assert_memory_equal(s->d.last_vl, o->front.last_vl, s->d.cfg.KEYS);
}

static void write_both(struct sim *s, struct loom_sched_ibarb *o, uint32_t addr, uint32_t data) {
  struct loom_sched_ibarb_in in = {.table_we = 1, .table_addr = addr, .table_data = data};
  struct loom_sched_ibarb_out out;
  loom_sched_ibarb_step(o, &in, &out);
  table_write(s, addr, data);
}

static void some_entry(struct sim *s, struct loom_sched_ibarb *o, uint32_t longest) {
  bool low = below(2);
  uint32_t e = below(low ? s->d.cfg.N_LOW : s->d.cfg.N_HIGH);
  write_both(s, o, (low ? LOW : 0) + e,
             loom_sched_entry(below(s->d.cfg.KEYS), below(4) ? 1 + below(longest) : 0));
}

static void new_packets(struct sim *s, uint32_t longest, uint32_t chance) {
  for (uint32_t v = 0; v < s->d.cfg.VLS; v++)
    if (!s->flow[v].left && below(256) < chance)
      queue(s, v, below(4) ? v * 7 % 11 % s->d.cfg.KEYS : below(s->d.cfg.KEYS), 1 + below(longest),
            1);
}

/* Scenes in which heads, ready bits, tables and registers stand still until each grant. */
static void compare_with_sched_ibarb(struct options opt, bool deficit, uint32_t scenes) {
  static const uint32_t longest[] = {1, 4, 32, 200}, limit[] = {0, 0, 1, 2, 9, 255};
  struct sim s;
  struct loom_sched_ibarb o;
  start(&s, opt);
  init_other(&o, &s);
  for (uint32_t i = 0; i < scenes; i++) {
    uint32_t most = longest[below(4)], chance = 1 + below(256), key = 0;
    for (uint32_t n = below(8) ? below(3) : s.d.cfg.N_HIGH + s.d.cfg.N_LOW; n; n--)
      some_entry(&s, &o, most);
    write_both(&s, &o, LIMIT, limit[below(6)]);
    write_both(&s, &o, MODE, 2 * below(2) + deficit);
    for (uint32_t n = below(40); n; n--) {
      new_packets(&s, most, chance);
      s.blocked = below(3) ? 0 : below(UINT32_MAX) & below(UINT32_MAX);
      settle(&s);
      int theirs = other_grant(&o, &s, &key);
      int ours = next_grant(&s);
      assert_int_equal(ours, theirs);
      if (ours != NO_GRANT)
        assert_int_equal(s.key, key);
      compare_states(&s, &o);
    }
  }
}

static void the_order_of_grants_is_that_of_sched_ibarb(void **state) {
  (void)state;
  random_q = 1;
  for (uint32_t deficit = 0; deficit <= 1; deficit++) {
    compare_with_sched_ibarb((struct options){.vls = 9, .mgmt_vl = 8}, deficit, 150);
    compare_with_sched_ibarb((struct options){.vls = 9, .mgmt_vl = 8, .stay = 8}, deficit, 150);
    compare_with_sched_ibarb((struct options){.vls = 32, .mgmt_vl = 32, .by_vl = 1}, deficit, 30);
    compare_with_sched_ibarb(
        (struct options){.vls = 5, .keys = 3, .mgmt_vl = 2, .n_high = 7, .n_low = 3}, deficit, 300);
    compare_with_sched_ibarb(
        (struct options){.vls = 2, .keys = 1, .mgmt_vl = 32, .n_high = 1, .n_low = 1}, deficit, 60);
  }
}

/* A backlog that never ends, at full speed: the order, and so each key's share, is the same. With
 * STAY_CYCLES = 8 also if the VLs come back as late as those of output_unit. */
static void weights_divide_a_backlog_as_those_of_sched_ibarb(void **state) {
  (void)state;
  random_q = 2;
  for (uint32_t scene = 0; scene < 120; scene++) {
    struct sim s;
    struct loom_sched_ibarb o;
    start(&s, (struct options){.vls = 16, .mgmt_vl = 32, .stay = scene % 2 * 8});
    s.away = scene % 2 * 6;
    init_other(&o, &s);
    for (uint32_t n = 0; n < 40; n++)
      some_entry(&s, &o, 64);
    write_both(&s, &o, LIMIT, below(4) ? below(5) : 255);
    write_both(&s, &o, MODE, below(4));
    for (uint32_t v = 0; v < 16; v++)
      queue(&s, v, v * 5 % 12, 1 + below(64), ENDLESS);
    uint64_t ours[LOOM_KEYS] = {0}, theirs[LOOM_KEYS] = {0};
    settle(&s);
    for (uint32_t n = 0; n < 500; n++) {
      uint32_t key = 0;
      int vl = other_grant(&o, &s, &key);
      assert_int_equal(next_grant(&s), vl);
      assert_true(vl != NO_GRANT);
      ours[s.key] += s.size;
      theirs[key] += s.flow[vl].size;
    }
    assert_memory_equal(ours, theirs, sizeof ours);
    compare_states(&s, &o);
  }
}

/* ---- high, low and the limit ----------------------------------------------------------------- */

/* Packets of 16 units of the VLs 0, 1 (high) and 2 (low), which never end. */
static void load(struct sim *s, uint32_t limit, uint32_t mode) {
  start(s, (struct options){.n_high = 2, .n_low = 1});
  table_write(s, 0, loom_sched_entry(0, 2 * 16));
  table_write(s, 1, loom_sched_entry(1, 16));
  table_write(s, LOW, loom_sched_entry(2, 16));
  table_write(s, LIMIT, limit);
  table_write(s, MODE, mode);
  for (uint32_t vl = 0; vl < 3; vl++)
    queue(s, vl, vl, 16, ENDLESS);
}

/* IB-06: 64 units are four packets. */
static void high_goes_before_low_up_to_the_limit(void **state) {
  (void)state;
  struct sim s;
  load(&s, 1, 0);
  expect_order(&s, "00102010021001200102");
  load(&s, 2, 0);
  expect_order(&s, "00100100210010010201");
}

/* IB-06 */
static void a_limit_of_255_never_ends(void **state) {
  (void)state;
  struct sim s;
  load(&s, 255, 0);
  settle(&s);
  for (uint32_t n = 0; n < 3000; n++)
    assert_true(next_grant(&s) != 2);
  assert_int_equal(table_read(&s, SENT), 16383); /* it saturates */
  s.flow[0].left = s.flow[1].left = 0;
  s.told = 1 << 2, s.blocked = 3;
  assert_int_equal(grant(&s), 2);
  assert_int_equal(table_read(&s, SENT), 0);
}

/* IB-06 */
static void a_limit_of_0_is_one_high_packet_then_low(void **state) {
  (void)state;
  struct sim s;
  load(&s, 0, 0);
  expect_order(&s, "02021202021202");
}

/* A low turn lasts for an entry, or for a packet, as the mode says. */
static void a_low_turn_is_an_entry_or_a_packet(void **state) {
  (void)state;
  struct sim s;
  load(&s, 1, 0);
  table_write(&s, LOW, loom_sched_entry(2, 48));
  expect_order(&s, "00102220100222");
  load(&s, 1, LOOM_IBARB_LOW_BY_PACKET);
  table_write(&s, LOW, loom_sched_entry(2, 48));
  expect_order(&s, "00102010021001");
}

static void an_interrupted_high_entry_resumes_with_what_it_had_left(void **state) {
  (void)state;
  struct sim s;
  load(&s, 0, 0);
  table_write(&s, 0, loom_sched_entry(0, 40));
  expect_order(&s, "0202021202020212");
  load(&s, 0, 0);
  expect_order(&s, "02");
  assert_int_equal(left_of(&s, SELECTION_HIGH), 16);
}

static void a_due_low_turn_waits_for_a_packet(void **state) {
  (void)state;
  struct sim s;
  load(&s, 1, 0);
  s.flow[2].left = 0;
  expect_order(&s, "0010010");
  assert_int_equal(table_read(&s, SENT), 7 * 16);
  s.flow[2].left = 2;
  expect_order(&s, "201002");
  expect_order(&s, "10010010");
}

/* A low turn ends when its VL has nothing more to send. */
static void a_low_turn_ends_when_its_vl_is_idle(void **state) {
  (void)state;
  struct sim s;
  load(&s, 0, 0);
  table_write(&s, LOW, loom_sched_entry(2, 200));
  s.flow[2].left = 2;
  expect_order(&s, "0220");
  assert_int_equal(table_read(&s, TURN), 0);
  assert_int_equal(left_of(&s, SELECTION_LOW), 200 - 32);
}

static void low_goes_when_high_has_nothing(void **state) {
  (void)state;
  struct sim s;
  load(&s, 255, 0);
  s.flow[0].left = 3, s.flow[1].left = 0;
  expect_order(&s, "0002222");
  assert_int_equal(table_read(&s, TURN), 0);
  s.flow[1].left = 2;
  expect_order(&s, "1122");
}

static void an_entry_of_weight_0_is_passed_over(void **state) {
  (void)state;
  struct sim s;
  load(&s, 1, 0);
  table_write(&s, 0, loom_sched_entry(0, 0));
  expect_order(&s, "1111211112");
  table_write(&s, 1, loom_sched_entry(1, 0));
  expect_order(&s, "222");
  table_write(&s, LOW, loom_sched_entry(2, 0));
  expect_order(&s, "-");
}

/* IB-03: what a VL sends by one table does not count for the other. */
static void a_vl_may_be_in_both_tables(void **state) {
  (void)state;
  struct sim s;
  start(&s, (struct options){.n_high = 1, .n_low = 2});
  table_write(&s, 0, loom_sched_entry(4, 5));
  table_write(&s, LOW, loom_sched_entry(4, 3));
  table_write(&s, LOW + 1, loom_sched_entry(6, 3));
  table_write(&s, LIMIT, 0);
  queue(&s, 4, 4, 2, ENDLESS);
  queue(&s, 6, 6, 2, ENDLESS);
  expect_order(&s, "4");
  assert_int_equal(left_of(&s, SELECTION_HIGH), 3);
  expect_order(&s, "4");
  assert_int_equal(left_of(&s, SELECTION_HIGH), 3);
  assert_int_equal(left_of(&s, SELECTION_LOW), 1);
  expect_order(&s, "4"
                   "4"
                   "66"
                   "4"
                   "44"
                   "4"
                   "66");
}

/* ---- the VLs, deficits, management ----------------------------------------------------------- */

static void vls_of_a_key_take_turns_by_entry(void **state) {
  (void)state;
  struct sim s;
  start(&s, (struct options){.n_high = 2});
  table_write(&s, 0, loom_sched_entry(0, 3));
  table_write(&s, 1, loom_sched_entry(1, 1));
  queue(&s, 2, 0, 1, 7);
  queue(&s, 5, 0, 1, 100);
  queue(&s, 7, 1, 1, 100);
  table_write(&s, LIMIT, 255);
  expect_order(&s, "222755572227");
}

/* IB-05: in deficit mode 5 6 7 8 units: the fourth time two packets of 4 go. */
static void deficit_mode_carries_the_rest_of_an_entry_over(void **state) {
  (void)state;
  struct sim s;
  start(&s, (struct options){.n_high = 2});
  table_write(&s, 0, loom_sched_entry(0, 5));
  table_write(&s, 1, loom_sched_entry(1, 5));
  table_write(&s, LIMIT, 255);
  table_write(&s, MODE, LOOM_IBARB_DEFICIT);
  queue(&s, 0, 0, 4, ENDLESS);
  queue(&s, 1, 1, 4, ENDLESS);
  expect_order(&s, "01010100110");
}

/* A selection that is left because its key is idle loses what it had. */
static void what_an_idle_key_had_left_is_lost(void **state) {
  (void)state;
  for (uint32_t mode = 0; mode <= 1; mode++) {
    struct sim s;
    start(&s, (struct options){.n_high = 2});
    table_write(&s, 0, loom_sched_entry(0, 5));
    table_write(&s, 1, loom_sched_entry(1, 5));
    table_write(&s, LIMIT, 255);
    table_write(&s, MODE, mode);
    queue(&s, 0, 0, 2, ENDLESS);
    queue(&s, 1, 1, 5, ENDLESS);
    expect_order(&s, "0");
    assert_int_equal(left_of(&s, SELECTION_HIGH), 3);
    s.blocked = 1;
    expect_order(&s, "1");
    s.blocked = 0;
    expect_order(&s, "0");
    assert_int_equal(left_of(&s, SELECTION_HIGH), 3); /* 5 - 2: nothing of the last time */
  }
}

/* IB-02: in the middle of a selection, counted nowhere. */
static void management_packets_go_first_and_count_nowhere(void **state) {
  (void)state;
  struct sim s;
  load(&s, 1, 0);
  expect_order(&s, "0");
  queue(&s, 15, 9, 700, 2);
  assert_int_equal(grant(&s), 15);
  assert_int_equal(s.key, 9);
  assert_int_equal(s.size, 700);
  assert_int_equal(table_read(&s, SENT), 16);
  assert_int_equal(left_of(&s, SELECTION_HIGH), 16);
  assert_int_equal(grant(&s), 15);
  expect_order(&s, "0102");
}

/* OP-20: an SL whose packet waits for another one in a shared VL is not active. */
static void a_key_whose_packet_is_not_at_the_head_is_not_active(void **state) {
  (void)state;
  struct sim s;
  start(&s, (struct options){.n_low = 4});
  table_write(&s, 0, loom_sched_entry(2, 8));
  queue(&s, 6, 1, 1, 2);
  s.flow[6].sl[1] = 2, s.flow[6].sls = 2;
  assert_int_equal(grant(&s), NO_GRANT);
  table_write(&s, LOW + 1, loom_sched_entry(1, 1));
  assert_int_equal(grant(&s), 6);
  assert_int_equal(s.key, 1);
  assert_int_equal(grant(&s), 6);
  assert_int_equal(s.key, 2);
}

/* ---- time ------------------------------------------------------------------------------------ */

/* Runs of n grants with a request all the time are `apart` cycles apart. */
static void expect_pace(struct sim *s, uint32_t n, uint64_t apart) {
  settle(s);
  next_grant(s);
  for (uint64_t last = s->granted_at; n; n--, last = s->granted_at) {
    next_grant(s);
    assert_int_equal(s->granted_at - last, apart);
  }
}

static void packets_of_a_selection_go_every_fifth_cycle(void **state) {
  (void)state;
  for (uint32_t n = 0; n < 4; n++) {
    struct sim s;
    start(&s, (struct options){0});
    s.away = 2 + n % 2;
    table_write(&s, n / 2 * LOW + 37, loom_sched_entry(3, 200));
    queue(&s, 2, 3, 1, ENDLESS);
    expect_pace(&s, 1000, 5);
  }
}

/* In both tables, whose sides take turns. */
static void entries_of_a_packet_each_go_every_fifth_cycle(void **state) {
  (void)state;
  for (uint32_t n = 2; n <= 17; n++) {
    uint32_t vls = n / 2;
    struct sim s;
    start(&s, (struct options){0});
    s.away = 2 + n % 2;
    for (uint32_t e = 0; e < 64; e++) {
      table_write(&s, e, loom_sched_entry(e % vls, 4));
      table_write(&s, LOW + e, loom_sched_entry(e * 3 % vls, 4));
    }
    for (uint32_t v = 0; v < vls; v++)
      queue(&s, v, v, 4, ENDLESS);
    expect_pace(&s, 1000, 5);
  }
}

/* 3, 6, then 9 units: two entries without a grant cost 5 cycles each. */
static void an_entry_below_a_packet_costs_5_cycles(void **state) {
  (void)state;
  struct sim s;
  start(&s, (struct options){.n_high = 3});
  table_write(&s, 1, loom_sched_entry(4, 3));
  table_write(&s, MODE, LOOM_IBARB_DEFICIT);
  queue(&s, 9, 4, 7, 1);
  settle(&s);
  uint64_t from = s.cycle;
  assert_int_equal(next_grant(&s), 9);
  assert_int_equal(s.granted_at - from, 2 + 2 * 5);
  assert_int_equal(left_of(&s, SELECTION_HIGH), 2);
}

/* An entry at the other end of a table is found in the same time. */
static void an_idle_output_grants_14_cycles_after_the_ready_bit(void **state) {
  (void)state;
  for (uint32_t e = 0; e < 128; e++) {
    struct sim s;
    start(&s, (struct options){0});
    table_write(&s, e < 64 ? e : LOW + e - 64, loom_sched_entry(5, 9));
    settle(&s);
    queue(&s, 1, 5, 2, 1);
    cycle(&s, true); /* the head event; the ready bit is in the next cycle */
    uint64_t from = s.cycle;
    assert_int_equal(next_grant(&s), 1);
    assert_int_equal(s.granted_at - from, 14);
  }
}

/* n VLs that turn ready together: at most n - 1 cycles later. */
static void vls_that_turn_ready_together_wait_a_cycle_each(void **state) {
  (void)state;
  for (uint32_t n = 1; n <= 15; n++) {
    struct sim s;
    start(&s, (struct options){0});
    for (uint32_t e = 0; e < 30; e++)
      table_write(&s, e / 2 + LOW * (e % 2), loom_sched_entry(e / 2, 9));
    s.blocked = UINT32_MAX;
    for (uint32_t v = 0; v < n; v++)
      queue(&s, v, v, 2, 1);
    settle(&s);
    s.blocked = 0;
    uint64_t from = s.cycle;
    assert_true(next_grant(&s) != NO_GRANT);
    assert_in_range(s.granted_at - from, 14, 14 + n - 1);
  }
}

static void a_waiting_entry_grants_2_cycles_after_request_and_ready_bit(void **state) {
  (void)state;
  struct sim s;
  start(&s, (struct options){0});
  table_write(&s, 3, loom_sched_entry(5, 9));
  queue(&s, 1, 5, 2, 3);
  for (uint32_t n = 0; n < 3; n++) { /* the first from the entry that was found ahead */
    settle(&s);
    uint64_t from = s.cycle;
    assert_int_equal(next_grant(&s), 1);
    assert_int_equal(s.granted_at - from, 2);
  }
}

/* The front of another key outlives the search that begins again. */
static void the_next_entry_goes_10_cycles_after_a_key_turned_idle(void **state) {
  (void)state;
  struct sim s;
  start(&s, (struct options){.n_high = 2});
  table_write(&s, 0, loom_sched_entry(0, 200));
  table_write(&s, 1, loom_sched_entry(1, 200));
  queue(&s, 0, 0, 3, 2);
  queue(&s, 1, 1, 3, 2);
  settle(&s);
  assert_int_equal(next_grant(&s), 0);
  assert_int_equal(next_grant(&s), 0);
  uint64_t last = s.granted_at;
  assert_int_equal(next_grant(&s), 1);
  assert_int_equal(s.granted_at - last, 10);
}

/* Ready bits blink, heads come and go, everything is written: cycle() judges each grant. */
static void nothing_is_granted_that_was_not_ready_two_cycles_before(void **state) {
  (void)state;
  random_q = 3;
  uint32_t grants = 0;
  for (uint32_t scene = 0; scene < 40; scene++) {
    struct sim s;
    start(&s, (struct options){.vls = 9, .mgmt_vl = 8, .keys = 12});
    uint32_t blink = 1 + below(40), write = 4 + below(400);
    for (uint32_t i = 0; i < 5000; i++) {
      if (!below(blink))
        s.blocked ^= 1u << below(9);
      if (!below(4))
        new_packets(&s, 20, 100);
      s.write = !below(i < 500 ? 4 : write);
      s.addr = below(8) ? below(64) + LOW * below(2) : LIMIT + below(2);
      s.data = s.addr < LIMIT ? loom_sched_entry(below(12), below(30)) : below(4);
      grants += cycle(&s, below(8) > 0) != NO_GRANT;
    }
  }
  assert_true(grants > 1000);
}

/* Low asks all the time beside a high table that never rests, with any limit but 255. */
static void low_waits_for_the_limit_and_a_packet_at_most(void **state) {
  (void)state;
  for (uint32_t limit = 0; limit < 20; limit++) {
    struct sim s;
    load(&s, limit, LOOM_IBARB_LOW_BY_PACKET);
    settle(&s);
    uint32_t high = 0;
    for (uint32_t n = 0; n < 1000; n++) {
      bool low = next_grant(&s) == 2;
      if (low)
        assert_int_equal(high, loom_max(64 * limit, 16));
      high = low ? 0 : high + 16;
    }
  }
}

/* ---- VLs that are away ----------------------------------------------------------------------- */

/* The cycles from the last grant to the next one, with a request all the time. */
static uint32_t next_after(struct sim *s, int *vl) {
  uint64_t last = s->granted_at, from = s->cycle;
  while ((*vl = cycle(s, true)) == NO_GRANT)
    assert_true(s->cycle - from < 100);
  return (uint32_t)(s->granted_at - last);
}

/* VL 2 with key 0, and VL 7 with key 1, are about to be granted, by entries of w0 and w1 units;
 * both of the table at `base`. */
static void start_two(struct sim *s, uint32_t stay, uint32_t base, uint32_t w0, uint32_t w1) {
  start(s, (struct options){.n_high = 2, .n_low = 2, .stay = stay});
  table_write(s, LIMIT, 255);
  table_write(s, base, loom_sched_entry(0, w0));
  table_write(s, base + 1, loom_sched_entry(1, w1));
  queue(s, 2, 0, 1, ENDLESS);
  queue(s, 7, 1, 1, ENDLESS);
  settle(s);
}

/* A VL that is back in g + STAY_CYCLES is in time; one that is back when others have gone is not.
 * Without STAY_CYCLES it is as with 3. */
static void a_selection_with_weight_left_waits_for_its_vl_and_no_longer(void **state) {
  (void)state;
  for (uint32_t base = 0; base <= LOW; base += LOW)
    for (uint32_t stay = 0; stay <= 8; stay++)
      for (uint32_t more = 0; more <= 1; more++) { /* with another VL of the key */
        uint32_t most = loom_max(stay, 3);
        for (uint32_t away = 2; away <= most + 5; away++) {
          if (away > most && away < most + 3)
            continue;
          struct sim s;
          int vl;
          start_two(&s, stay, base, 9, 9);
          s.away = away;
          if (more)
            queue(&s, 5, 0, 1, 9);
          settle(&s);
          next_after(&s, &vl);
          assert_int_equal(vl, 2);
          uint32_t gap = next_after(&s, &vl);
          assert_int_equal(vl, away <= most ? 2 : more ? 5 : 7);
          assert_int_equal(gap, away > most ? most + (more ? 4 : 7) : loom_max(away + 2, 5));
        }
      }
}

static void a_selection_whose_weight_is_used_up_does_not_wait(void **state) {
  (void)state;
  for (uint32_t w = 1; w <= 4; w++) {
    struct sim s;
    int vl;
    start_two(&s, 8, 0, w, 9);
    s.away = 6;
    next_after(&s, &vl);
    for (uint32_t n = 1; n < w; n++) {
      assert_int_equal(next_after(&s, &vl), 8);
      assert_int_equal(vl, 2);
    }
    assert_int_equal(next_after(&s, &vl), 5);
    assert_int_equal(vl, 7);
  }
}

/* IB-06: low has its turn by the limit, and not because a VL of high is away. */
static void low_does_not_go_in_place_of_a_vl_of_high_that_is_away(void **state) {
  (void)state;
  for (uint32_t stay = 0; stay <= 8; stay += 8) {
    struct sim s;
    int vl;
    uint32_t low = 0;
    start(&s, (struct options){.n_high = 1, .n_low = 1, .stay = stay});
    table_write(&s, 0, loom_sched_entry(0, 99));
    table_write(&s, LOW, loom_sched_entry(1, 255));
    table_write(&s, LIMIT, 1);
    table_write(&s, MODE, LOOM_IBARB_LOW_BY_PACKET);
    queue(&s, 2, 0, 16, ENDLESS);
    queue(&s, 7, 1, 16, ENDLESS);
    s.away = 8;
    settle(&s);
    for (uint32_t n = 0; n < 100; n++) {
      next_after(&s, &vl);
      low += vl == 7;
    }
    if (stay) /* four packets of high, then one of low */
      assert_int_equal(low, 20);
    else /* low goes on with what it has left while VL 2 is away */
      assert_true(low > 40);
  }
}

static void a_selection_does_not_wait_once_a_head_of_another_key_came(void **state) {
  (void)state;
  for (uint32_t head = 1; head <= 6; head++) {
    struct sim s;
    int vl;
    start_two(&s, 8, 0, 9, 9);
    s.flow[2].sl[1] = 1, s.flow[2].sls = 2;
    s.away = head + 1;
    next_after(&s, &vl);
    assert_int_equal(vl, 2);
    s.blocked = 1 << 2;
    assert_int_equal(next_after(&s, &vl), head + 8);
    assert_int_equal(vl, 7);
  }
}

/* It is held from the grant on: that to another VL ends no stay and makes none longer. */
static void a_vl_that_stays_away_leaves_the_view_after_its_stay(void **state) {
  (void)state;
  for (uint32_t stay = 3; stay <= 8; stay++)
    for (uint32_t pause = 0; pause <= stay + 3; pause++) { /* cycles without a request */
      struct sim s;
      int vl;
      start_two(&s, stay, 0, 1, 1);
      s.flow[2].left = 1;
      next_after(&s, &vl);
      assert_int_equal(vl, 2);
      uint64_t leaves = s.granted_at + stay + 3, on = s.cycle + pause;
      while (s.cycle < leaves) {
        assert_true(s.d.view.shown & 1 << 2);
        assert_int_equal(s.d.held >> 2 & 1, s.cycle < leaves - 2);
        cycle(&s, s.cycle >= on);
      }
      assert_false(s.d.view.shown & 1 << 2);
    }
}

/* Whether the view changes in 1000 cycles, with n VLs that have a key and an entry each. */
static bool view_changes(uint32_t stay, uint32_t away, uint32_t n, uint32_t weight) {
  struct sim s;
  bool changes = false;
  uint32_t grants = 0;
  start(&s, (struct options){.n_high = 4, .stay = stay});
  for (uint32_t v = 0; v < n; v++) {
    table_write(&s, v, loom_sched_entry(v, weight));
    queue(&s, v, v, 1, ENDLESS);
  }
  s.away = away;
  settle(&s);
  for (uint32_t i = 0; i < 1000; i++) {
    grants += cycle(&s, true) != NO_GRANT;
    changes |= s.d.view.change;
  }
  assert_true(grants > 30);
  return changes;
}

static void the_view_does_not_change_when_a_vl_is_back_in_time(void **state) {
  (void)state;
  for (uint32_t stay = 3; stay <= 8; stay++) {
    for (uint32_t n = 1; n <= 4; n++)
      for (uint32_t away = 2; away <= stay; away++) {
        assert_false(view_changes(stay, away, n, 1));
        assert_false(view_changes(stay, away, n, 9));
      }
    assert_true(view_changes(stay, stay + 2, 1, 9));
  }
}

/* IB-02 */
static void a_management_packet_goes_while_a_selection_waits(void **state) {
  (void)state;
  struct sim s;
  int vl;
  start_two(&s, 8, 0, 9, 9);
  s.away = 8;
  queue(&s, 15, 0, 3, 1);
  s.blocked = 1 << 15;
  next_after(&s, &vl);
  assert_int_equal(vl, 2);
  s.blocked = 0;
  assert_int_equal(next_after(&s, &vl), 5);
  assert_int_equal(vl, 15);
  assert_int_equal(next_after(&s, &vl), 5); /* 10 after its last grant, as without */
  assert_int_equal(vl, 2);
  assert_int_equal(left_of(&s, SELECTION_HIGH), 7);
}

/* IB-03: the VLs come back as late as those of output_unit. */
static void vls_that_are_away_share_by_their_weights(void **state) {
  (void)state;
  static const uint32_t weights[][2] = {{8, 8}, {32, 8}, {3, 9}, {255, 51}};
  for (uint32_t base = 0; base <= LOW; base += LOW)
    for (uint32_t i = 0; i < sizeof weights / sizeof weights[0]; i++)
      for (uint32_t stay = 0; stay <= 8; stay += 8) {
        const uint32_t *w = weights[i];
        struct sim s;
        uint32_t of_first = 0, n = 4 * (w[0] + w[1]);
        int vl;
        start_two(&s, stay, base, w[0], w[1]);
        s.away = 6;
        for (uint32_t k = 0; k < n; k++) {
          next_after(&s, &vl);
          of_first += vl == 2;
        }
        assert_int_equal(of_first, stay ? 4 * w[0] : n / 2); /* without, a packet with each entry */
      }
}

/* ---- the tables ------------------------------------------------------------------------------ */

/* A front of the old entry is not granted after the write. */
static void a_write_drops_what_was_found_ahead(void **state) {
  (void)state;
  struct sim s;
  load(&s, 255, 0);
  s.flow[0].left = 0;
  settle(&s);
  assert_true(s.d.side[LOOM_IBARB_HIGH].search.front_valid);
  assert_int_equal(s.d.side[LOOM_IBARB_HIGH].search.front_entry, 1);
  table_write(&s, 1, loom_sched_entry(1, 0));
  assert_false(s.d.side[LOOM_IBARB_HIGH].search.front_valid);
  assert_false(s.d.prepared.c4.valid);
  assert_int_equal(next_grant(&s), 2);
  table_write(&s, 0, loom_sched_entry(1, 16));
  expect_order(&s, "1");
}

static void a_write_of_limit_or_mode_decides_the_next_grant(void **state) {
  (void)state;
  struct sim s;
  load(&s, 255, 0);
  expect_order(&s, "001");
  settle(&s);
  s.write = true, s.addr = LIMIT, s.data = 0;
  cycle(&s, true); /* a request in the cycle of the write */
  assert_false(s.d.prepared.c1.valid || s.d.prepared.c4.valid);
  assert_false(s.busy);
  assert_int_equal(next_grant(&s), 2);
  assert_int_equal(table_read(&s, LIMIT), 0);
}

static void memories_are_swept_after_reset(void **state) {
  (void)state;
  static const uint32_t keys[] = {1, 2, 9, 32}, cycles[] = {10, 10, 32, 64};
  for (uint32_t n = 0; n < 4; n++) {
    struct sim s = {0};
    struct loom_two_table_cfg c =
        config((struct options){.vls = 1, .keys = keys[n], .n_high = 3, .n_low = 10});
    loom_two_table_init(&s.d, &c);
    for (uint32_t i = 0; i < cycles[n]; i++) {
      s.write = i < cycles[n] - 1;
      s.addr = i % 3 ? SELECTION_HIGH : i % 2 ? LIMIT : 0;
      s.data = loom_sched_entry(1, 1);
      cycle(&s, true);
      assert_true(s.busy && !s.ready);
      assert_int_equal(s.rdata, 0);
    }
    cycle(&s, true);
    assert_true(!s.busy && s.ready);
    assert_int_equal(table_read(&s, 0), 0);
    assert_int_equal(table_read(&s, LIMIT), 0);
    assert_int_equal(table_read(&s, SELECTION_LOW), 9u << 16);
  }
}

static void a_write_every_fourth_cycle_is_never_lost(void **state) {
  (void)state;
  struct sim s;
  start(&s, (struct options){0});
  for (uint32_t v = 0; v < 9; v++)
    queue(&s, v, v, 3, ENDLESS);
  for (uint32_t e = 0; e < 128; e++)
    table_write(&s, e / 2 + LOW * (e % 2), loom_sched_entry(e % 9, e));
  for (uint32_t e = 0; e < 128; e++)
    assert_int_equal(table_read(&s, e / 2 + LOW * (e % 2)), loom_sched_entry(e % 9, e));
  s.write = true, s.addr = 5, s.data = loom_sched_entry(1, 1);
  cycle(&s, false);
  s.write = true, s.addr = LOW + 6, s.data = loom_sched_entry(1, 1);
  cycle(&s, false);
  assert_true(s.busy);
  settle(&s);
  assert_int_equal(table_read(&s, 5), loom_sched_entry(1, 1));
  assert_int_equal(table_read(&s, LOW + 6), loom_sched_entry(13 % 9, 13));
}

static void there_are_its_entries_and_nothing_beyond_them(void **state) {
  (void)state;
  struct sim s;
  start(&s, (struct options){.n_high = 64, .n_low = 3});
  for (uint32_t a = 0; a < 1024; a++)
    table_write(&s, a, 0xFFFFFFFF);
  for (uint32_t a = 0; a < 1024; a++) {
    uint32_t should = a == LIMIT ? 255 : a == MODE ? 3 : 0;
    if (a < 64 || (a >= LOW && a < LOW + 3))
      should = 0x1FFF;
    if (a == SELECTION_HIGH)
      should = 63u << 16;
    if (a == SELECTION_LOW)
      should = 2u << 16;
    assert_int_equal(table_read(&s, a), should);
  }
}

static void parameters_that_do_not_fit_are_refused(void **state) {
  (void)state;
  struct loom_two_table_cfg c = config((struct options){0});
  c.ARB_KEY = 0;
  c.KEYS = 15;
  assert_false(loom_two_table_cfg_ok(&c));
  c.KEYS = 16;
  assert_true(loom_two_table_cfg_ok(&c));
  c.N_LOW = 65;
  assert_string_equal(loom_two_table_bad_param(&c), "N_LOW");
}

/* The entry of a key is written away, and anew: it is not served for as long as no entry has it. */
static void a_key_is_served_while_it_has_an_entry_with_a_weight(void **state) {
  (void)state;
  struct sim s;
  start(&s, (struct options){.keys = 20});
  assert_int_equal(s.served, 0);
  table_write(&s, 5, 7 << 8 | 30); /* bit 7 shows from the fifth cycle after the write on */
  cycle(&s, false);
  assert_int_equal(s.served, 0);
  cycle(&s, false);
  assert_int_equal(s.served, 1 << 7);
  table_write(&s, LOW + 2, 7 << 8 | 1);
  table_write(&s, 5, 19 << 8 | 255); /* the low table still has 7 */
  cycle(&s, false);
  cycle(&s, false);
  assert_int_equal(s.served, 1 << 7 | 1 << 19);
  table_write(&s, LOW + 2, 7 << 8); /* no weight; gone in the fourth cycle */
  cycle(&s, false);
  assert_int_equal(s.served, 1 << 19);
  table_write(&s, LOW + 63, 20 << 8 | 3); /* no such key */
  table_write(&s, 5, 19 << 8 | 1);        /* written anew: away for one cycle */
  cycle(&s, false);
  assert_int_equal(s.served, 0);
  cycle(&s, false);
  assert_int_equal(s.served, 1 << 19);
}

/* Writes as close as they are taken, of few entries and fewer keys. */
static void a_key_is_not_served_for_1_cycle_or_for_5_and_more(void **state) {
  (void)state;
  struct sim s;
  uint64_t seed = 1;
  struct served_gaps gaps = {.keys = 3};
  start(&s, (struct options){.keys = 3});
  for (uint32_t i = 0; i < 100000; i++) {
    s.write = loom_below(&seed, 3) > 0;
    s.addr = (loom_below(&seed, 2) ? LOW : 0) + loom_below(&seed, 3);
    s.data = loom_below(&seed, 3) << 8 | loom_below(&seed, 2);
    cycle(&s, false);
    count_served_gaps(&gaps, (uint32_t)s.served);
  }
  check_served_gaps(&gaps);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_order_of_grants_is_that_of_sched_ibarb),
      cmocka_unit_test(weights_divide_a_backlog_as_those_of_sched_ibarb),
      cmocka_unit_test(high_goes_before_low_up_to_the_limit),
      cmocka_unit_test(a_limit_of_255_never_ends),
      cmocka_unit_test(a_limit_of_0_is_one_high_packet_then_low),
      cmocka_unit_test(a_low_turn_is_an_entry_or_a_packet),
      cmocka_unit_test(an_interrupted_high_entry_resumes_with_what_it_had_left),
      cmocka_unit_test(a_due_low_turn_waits_for_a_packet),
      cmocka_unit_test(a_low_turn_ends_when_its_vl_is_idle),
      cmocka_unit_test(low_goes_when_high_has_nothing),
      cmocka_unit_test(an_entry_of_weight_0_is_passed_over),
      cmocka_unit_test(a_vl_may_be_in_both_tables),
      cmocka_unit_test(vls_of_a_key_take_turns_by_entry),
      cmocka_unit_test(deficit_mode_carries_the_rest_of_an_entry_over),
      cmocka_unit_test(what_an_idle_key_had_left_is_lost),
      cmocka_unit_test(management_packets_go_first_and_count_nowhere),
      cmocka_unit_test(a_key_whose_packet_is_not_at_the_head_is_not_active),
      cmocka_unit_test(packets_of_a_selection_go_every_fifth_cycle),
      cmocka_unit_test(entries_of_a_packet_each_go_every_fifth_cycle),
      cmocka_unit_test(an_entry_below_a_packet_costs_5_cycles),
      cmocka_unit_test(an_idle_output_grants_14_cycles_after_the_ready_bit),
      cmocka_unit_test(vls_that_turn_ready_together_wait_a_cycle_each),
      cmocka_unit_test(a_waiting_entry_grants_2_cycles_after_request_and_ready_bit),
      cmocka_unit_test(the_next_entry_goes_10_cycles_after_a_key_turned_idle),
      cmocka_unit_test(nothing_is_granted_that_was_not_ready_two_cycles_before),
      cmocka_unit_test(low_waits_for_the_limit_and_a_packet_at_most),
      cmocka_unit_test(a_selection_with_weight_left_waits_for_its_vl_and_no_longer),
      cmocka_unit_test(a_selection_whose_weight_is_used_up_does_not_wait),
      cmocka_unit_test(low_does_not_go_in_place_of_a_vl_of_high_that_is_away),
      cmocka_unit_test(a_selection_does_not_wait_once_a_head_of_another_key_came),
      cmocka_unit_test(a_vl_that_stays_away_leaves_the_view_after_its_stay),
      cmocka_unit_test(the_view_does_not_change_when_a_vl_is_back_in_time),
      cmocka_unit_test(a_management_packet_goes_while_a_selection_waits),
      cmocka_unit_test(vls_that_are_away_share_by_their_weights),
      cmocka_unit_test(a_write_drops_what_was_found_ahead),
      cmocka_unit_test(a_write_of_limit_or_mode_decides_the_next_grant),
      cmocka_unit_test(memories_are_swept_after_reset),
      cmocka_unit_test(a_write_every_fourth_cycle_is_never_lost),
      cmocka_unit_test(there_are_its_entries_and_nothing_beyond_them),
      cmocka_unit_test(parameters_that_do_not_fit_are_refused),
      cmocka_unit_test(a_key_is_served_while_it_has_an_entry_with_a_weight),
      cmocka_unit_test(a_key_is_not_served_for_1_cycle_or_for_5_and_more),
  };
  return UNIT_RUN("two_table", tests, NULL, NULL);
}
