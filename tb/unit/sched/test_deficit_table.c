/* SPDX-License-Identifier: Apache-2.0 */
/* test_deficit_table.c - the twin of deficit_table against docs/tables.md and against sched_dtable,
 * whose policy it has
 */
#include "tb/unit/unit.h"

#include <loom/bits.h>
#include <loom/random.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "sched/deficit_table.h"
#include "tb/unit/sched/served_gaps.h"

enum { VLS = 32, NO_GRANT = -1, PATIENCE = 10000, SWEEP = 128 };
enum {
  DEFICIT = LOOM_DTABLE_REG_DEFICIT,
  ACC = LOOM_DTABLE_REG_ACC,
  PTR = LOOM_DTABLE_REG_PTR,
  CUR = LOOM_DTABLE_REG_CUR,
  IB_HIGH = LOOM_DTABLE_REG_IB_HIGH,
  IB_LOW = LOOM_DTABLE_REG_IB_LOW
};

/* The packets of one VL: packet i has the SL sl[i % sls] and is the last of its message if
 * i % message is message - 1. */
struct flow {
  uint32_t size, sl[2], sls, left, sent, message;
};

/* A scheduler with queues before it. After a grant in g the next head is told in g + away - 1 and
 * ready in g + away; in g + 1 and g + 2, as fast as the page lets a user be, if `away` is 0. */
struct sim {
  struct loom_deficit_table d;
  struct flow flow[VLS];
  uint32_t told;    /* VLs whose head is known */
  uint32_t blocked; /* VLs without room */
  uint32_t away;
  uint64_t back[VLS]; /* cycles in which heads are ready */
  uint64_t cycle;
  bool write;
  uint32_t addr, data;
  /* Of the last cycle, and of the last grant. */
  uint32_t rdata, served, key, size;
  bool busy, ready;
  uint64_t granted_at;
};

struct options {
  uint32_t vls, keys, by_vl, mgmt_vl, entries, ib8, stay;
};

static struct loom_deficit_table_cfg config(struct options o) {
  struct loom_deficit_table_cfg c;
  loom_deficit_table_defaults(&c);
  c.VLS = o.vls ? o.vls : c.VLS;
  c.KEYS = o.keys ? o.keys : c.KEYS;
  c.ARB_KEY = !o.by_vl;
  c.MGMT_VL = o.mgmt_vl ? o.mgmt_vl : c.MGMT_VL;
  c.ENTRIES = o.entries ? o.entries : c.ENTRIES;
  c.IB_WEIGHTS = o.ib8;
  c.STAY_CYCLES = o.stay;
  assert_true(loom_deficit_table_cfg_ok(&c));
  return c;
}

static void tell_a_head(struct sim *s, struct loom_deficit_table_in *in) {
  for (uint32_t v = 0; v < s->d.cfg.VLS; v++) {
    const struct flow *f = &s->flow[v];
    if (!f->left || s->told >> v & 1 || s->cycle + 1 < s->back[v])
      continue;
    in->head_valid = 1;
    in->head_vl = v;
    in->head_size = f->size;
    in->head_sl = f->sl[f->sls ? f->sent % f->sls : 0];
    in->head_last = !f->message || f->sent % f->message == f->message - 1;
    s->told |= 1u << v;
    return;
  }
}

/* One cycle; the VL that was granted in it or NO_GRANT. */
static int cycle(struct sim *s, bool request) {
  struct loom_deficit_table_in in = {.request = request,
                                     .ready = s->told & ~s->blocked,
                                     .table_we = s->write,
                                     .table_addr = s->addr,
                                     .table_data = s->data};
  struct loom_deficit_table_out out;
  tell_a_head(s, &in);
  loom_deficit_table_step(&s->d, &in, &out);
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
  assert_true(s->told >> out.grant_vl & 1);
  assert_int_equal(out.grant_size, f->size);
  s->told &= ~(1u << out.grant_vl);
  f->left--;
  f->sent++;
  s->key = (uint32_t)out.grant_key;
  s->size = (uint32_t)out.grant_size;
  s->granted_at = s->cycle - 1;
  s->back[out.grant_vl] = s->granted_at + s->away;
  return (int)out.grant_vl;
}

static void settle(struct sim *s) {
  for (uint32_t i = 0; i < 3 * s->d.cfg.VLS + 12; i++)
    assert_int_equal(cycle(s, false), NO_GRANT);
}

static void start(struct sim *s, struct options o) {
  struct loom_deficit_table_cfg c = config(o);
  memset(s, 0, sizeof *s);
  loom_deficit_table_init(&s->d, &c);
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

static uint32_t entry(uint32_t key, uint32_t weight) { return key << 8 | weight; }
static uint32_t message_entry(uint32_t key, uint32_t weight) {
  return LOOM_PUT(LOOM_MESSAGE_ENTRY_MESSAGE, 1) | entry(key, weight);
}

/* The next grant, from a view that has settled. */
static int grant(struct sim *s) {
  settle(s);
  for (uint32_t i = 0; i < PATIENCE; i++) {
    int vl = cycle(s, true);
    if (vl != NO_GRANT)
      return vl;
  }
  return NO_GRANT;
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

/* ---- the policy is that of sched_dtable ------------------------------------------------------ */

static uint64_t random_q;

static uint32_t below(uint32_t n) {
  random_q = random_q * 6364136223846793005u + 1442695040888963407u;
  return n > 0 ? (uint32_t)(random_q >> 33) % n : 0;
}

/* The next grant of sched_dtable for the heads and ready bits of `s`, asked for as long as the
 * other one was; -1 if there is none. */
static int other_grant(struct loom_sched_dtable *o, const struct sim *s, uint32_t *key) {
  struct loom_sched_dtable_in in = {0};
  struct loom_sched_dtable_out out;
  for (uint32_t v = 0; v < s->d.cfg.VLS; v++) {
    const struct flow *f = &s->flow[v];
    in.head_valid |= (uint64_t)(f->left && !(s->blocked >> v & 1)) << v;
    in.head_size[v] = f->size;
    in.head_sl[v] = f->sl[0];
    in.credits[v] = 4095;
  }
  loom_sched_dtable_step(o, &in, &out);
  for (uint32_t i = 0; i < PATIENCE; i++) {
    in.request = o->front.phase == LOOM_SCHED_SEARCH && !o->front.grant_valid;
    loom_sched_dtable_step(o, &in, &out);
    if (!out.grant_valid)
      continue;
    *key = (uint32_t)out.grant_key;
    return (int)out.grant_vl;
  }
  return NO_GRANT;
}

static void compare_states(const struct sim *s, const struct loom_sched_dtable *o) {
  assert_int_equal(s->d.acc, o->acc);
  assert_int_equal(s->d.cur_valid, o->cur_valid);
  if (o->cur_valid)
    assert_int_equal(s->d.cur, o->cur);
  assert_int_equal(s->d.ptr, o->ptr);
  assert_memory_equal(s->d.deficit, o->deficit, sizeof o->deficit);
  assert_memory_equal(s->d.last_vl, o->front.last_vl, s->d.cfg.KEYS);
}

static void write_both(struct sim *s, struct loom_sched_dtable *o, uint32_t e, uint32_t data) {
  struct loom_sched_dtable_in in = {.table_we = 1, .table_addr = e, .table_data = data};
  struct loom_sched_dtable_out out;
  loom_sched_dtable_step(o, &in, &out);
  table_write(s, e, data);
}

static void new_packets(struct sim *s, uint32_t longest, uint32_t chance) {
  for (uint32_t v = 0; v < s->d.cfg.VLS; v++)
    if (!s->flow[v].left && below(256) < chance)
      queue(s, v, below(4) ? v * 7 % 11 % s->d.cfg.KEYS : below(s->d.cfg.KEYS), 1 + below(longest),
            1);
}

/* Scenes in which heads, ready bits and table stand still until each grant. */
static void compare_with_sched_dtable(struct options opt, uint32_t scenes) {
  static const uint32_t longest[] = {1, 4, 32, 200};
  struct sim s;
  struct loom_sched_dtable o;
  struct loom_sched_dtable_cfg c;
  start(&s, opt);
  loom_sched_dtable_defaults(&c);
  c.VLS = s.d.cfg.VLS, c.KEYS = s.d.cfg.KEYS, c.ARB_KEY = s.d.cfg.ARB_KEY;
  c.MGMT_VL = s.d.cfg.MGMT_VL, c.ENTRIES = s.d.cfg.ENTRIES, c.IB_WEIGHTS = s.d.cfg.IB_WEIGHTS;
  loom_sched_dtable_init(&o, &c);
  for (uint32_t i = 0; i < scenes; i++) {
    uint32_t most = longest[below(4)], chance = 1 + below(256), key = 0;
    for (uint32_t n = below(8) ? below(3) : c.ENTRIES; n; n--)
      write_both(&s, &o, below(c.ENTRIES), entry(below(32), below(4) ? 1 + below(most) : 0));
    for (uint32_t n = below(30); n; n--) {
      new_packets(&s, most, chance);
      s.blocked = below(3) ? 0 : below(UINT32_MAX) & below(UINT32_MAX);
      settle(&s);
      int theirs = other_grant(&o, &s, &key);
      int ours = grant(&s);
      assert_int_equal(ours, theirs);
      if (ours != NO_GRANT)
        assert_int_equal(s.key, key);
      compare_states(&s, &o);
    }
  }
}

static void the_order_of_grants_is_that_of_sched_dtable(void **state) {
  (void)state;
  random_q = 1;
  compare_with_sched_dtable((struct options){.vls = 9, .mgmt_vl = 8}, 150);
  compare_with_sched_dtable((struct options){.vls = 9, .mgmt_vl = 8, .ib8 = 1}, 100);
  compare_with_sched_dtable((struct options){.vls = 32, .mgmt_vl = 32, .by_vl = 1}, 40);
  compare_with_sched_dtable((struct options){.vls = 5, .keys = 3, .mgmt_vl = 2, .entries = 7}, 300);
  compare_with_sched_dtable((struct options){.vls = 1, .keys = 1, .mgmt_vl = 32, .entries = 1}, 60);
}

/* ---- DT and IB vectors ----------------------------------------------------------------------- */

/* DT-03: the example with a deficit, state by state. */
static void a_deficit_is_carried_as_in_the_example(void **state) {
  (void)state;
  struct sim s;
  start(&s, (struct options){.entries = 2});
  table_write(&s, 0, entry(0, 3));
  table_write(&s, 1, entry(1, 3));
  queue(&s, 0, 0, 2, 3);
  assert_int_equal(grant(&s), 0);
  assert_int_equal(table_read(&s, ACC), 1);
  assert_int_equal(grant(&s), 0); /* 1 is stored, the same entry comes again: 3 + 1 - 2 */
  assert_int_equal(table_read(&s, ACC), 2);
  assert_int_equal(table_read(&s, DEFICIT), 1);
  assert_int_equal(grant(&s), 0);
  assert_int_equal(table_read(&s, ACC), 0);
  assert_int_equal(grant(&s), NO_GRANT);
  assert_int_equal(table_read(&s, DEFICIT), 0);
  assert_int_equal(table_read(&s, CUR), 0);
}

/* DT-04: T-Tab5.4, 64 entries in the ruler layout. */
static void weights_give_the_published_shares(void **state) {
  (void)state;
  static const uint32_t size[7] = {3, 2, 32, 32, 16, 16, 16}, count[7] = {5, 16, 6, 1, 1, 1, 1};
  static const uint32_t first[7] = {4, 11, 40, 93, 21, 39, 17}, then[7] = {3, 0, 41, 94, 22, 0, 0};
  static const uint32_t should[7] = {101, 176, 322, 375, 43, 39, 17};
  uint32_t seen[7] = {0};
  uint64_t units[7] = {0}, all = 0;
  struct sim s;
  start(&s, (struct options){.entries = 64});
  for (uint32_t e = 0; e < 64; e++) {
    uint32_t sl = loom_min(loom_ctz(e + 1), 6);
    table_write(&s, e, entry(sl, seen[sl]++ < count[sl] ? first[sl] : then[sl]));
  }
  for (uint32_t sl = 0; sl < 7; sl++)
    queue(&s, sl, sl, size[sl], UINT32_MAX);
  settle(&s);
  for (uint32_t n = 0; n < 300000;) {
    if (cycle(&s, true) == NO_GRANT)
      continue;
    n++;
    units[s.key] += s.size;
    all += s.size;
  }
  for (uint32_t sl = 0; sl < 7; sl++)
    if (fabs((double)units[sl] / (double)all - should[sl] / 1073.0) > 2e-4)
      fail_msg("SL %u: %.5f", sl, (double)units[sl] / (double)all);
}

/* DT-02c: an entry below one packet is no grant, its weight is saved up. */
static void an_entry_below_a_packet_saves_up_its_weight(void **state) {
  (void)state;
  struct sim s;
  start(&s, (struct options){.entries = 3});
  table_write(&s, 1, entry(4, 3));
  queue(&s, 9, 4, 7, 1);
  assert_int_equal(grant(&s), 9); /* 3, 6, 9 */
  assert_int_equal(table_read(&s, ACC), 2);
  assert_int_equal(table_read(&s, PTR), 1);
}

/* DT-02f, DT-02e: without room the accumulator and deficit of the selected key are lost. */
static void a_key_without_room_loses_its_weight_and_deficit(void **state) {
  (void)state;
  struct sim s;
  start(&s, (struct options){.entries = 2});
  table_write(&s, 0, entry(0, 5));
  table_write(&s, 1, entry(1, 5));
  queue(&s, 0, 0, 2, 100);
  queue(&s, 1, 1, 3, 100);
  expect_order(&s, "001"); /* key 0 carries 1 over */
  assert_int_equal(table_read(&s, DEFICIT), 1);
  s.blocked = 1;
  expect_order(&s, "1"); /* 2 carried over, and 5 + 2 - 3 */
  assert_int_equal(table_read(&s, ACC), 4);
  s.blocked = 3;
  assert_int_equal(grant(&s), NO_GRANT);
  assert_int_equal(table_read(&s, ACC), 0);
  assert_int_equal(table_read(&s, DEFICIT + 1), 0);
  assert_int_equal(table_read(&s, DEFICIT), 1);
  s.blocked = 0;
  expect_order(&s, "0");
  assert_int_equal(table_read(&s, ACC), 5 + 1 - 2);
}

/* OP-20: an SL whose packet waits for another one in a shared VL is not active. */
static void a_key_whose_packet_is_not_at_the_head_is_not_active(void **state) {
  (void)state;
  struct sim s;
  start(&s, (struct options){.entries = 4});
  table_write(&s, 0, entry(2, 8));
  queue(&s, 6, 1, 1, 2);
  s.flow[6].sl[1] = 2, s.flow[6].sls = 2;
  assert_int_equal(grant(&s), NO_GRANT);
  table_write(&s, 1, entry(1, 1));
  assert_int_equal(grant(&s), 6);
  assert_int_equal(s.key, 1);
  assert_int_equal(grant(&s), 6);
  assert_int_equal(s.key, 2);
}

/* DT-02d */
static void vls_of_a_key_take_turns(void **state) {
  (void)state;
  struct sim s;
  start(&s, (struct options){.entries = 2});
  table_write(&s, 0, entry(0, 3));
  table_write(&s, 1, entry(1, 1));
  queue(&s, 2, 0, 1, 7);
  queue(&s, 5, 0, 1, 100);
  queue(&s, 7, 1, 1, 100);
  expect_order(&s, "222755572227");
}

/* IB-02: VL15 goes first, in the middle of a selection, and counts nowhere. */
static void management_packets_go_first_and_count_nowhere(void **state) {
  (void)state;
  struct sim s;
  start(&s, (struct options){.entries = 2});
  table_write(&s, 0, entry(0, 4));
  queue(&s, 0, 0, 1, 100);
  expect_order(&s, "00");
  queue(&s, 15, 9, 700, 2);
  assert_int_equal(grant(&s), 15);
  assert_int_equal(s.key, 9);
  assert_int_equal(s.size, 700);
  assert_int_equal(table_read(&s, ACC), 2);
  assert_int_equal(grant(&s), 15);
  assert_int_equal(grant(&s), 0);
  assert_int_equal(table_read(&s, ACC), 1);
}

/* DT-10 */
static void the_packets_of_a_message_stay_together(void **state) {
  (void)state;
  for (uint32_t together = 0; together <= 1; together++) {
    struct sim s;
    start(&s, (struct options){.entries = 2});
    table_write(&s, 0, together ? message_entry(0, 2) : entry(0, 2));
    table_write(&s, 1, entry(1, 2));
    queue(&s, 3, 0, 2, 100);
    queue(&s, 4, 1, 2, 100);
    s.flow[3].message = 3;
    expect_order(&s, together ? "333433343334" : "343434343434");
    assert_int_equal(table_read(&s, LOOM_DTABLE_REG_ENTRY) >> LOOM_MESSAGE_ENTRY_MESSAGE_AT,
                     together);
  }
}

/* DT-10: nothing but management packets goes meanwhile. */
static void the_output_waits_for_a_message_without_room(void **state) {
  (void)state;
  struct sim s;
  start(&s, (struct options){.entries = 2});
  table_write(&s, 0, message_entry(0, 9));
  table_write(&s, 1, entry(1, 9));
  queue(&s, 3, 0, 2, 100);
  queue(&s, 4, 1, 2, 100);
  s.flow[3].message = 3;
  expect_order(&s, "33");
  s.blocked = 1 << 3;
  expect_order(&s, "-");
  queue(&s, 15, 0, 1, 1);
  assert_int_equal(grant(&s), 15);
  expect_order(&s, "-");
  s.blocked = 0;
  expect_order(&s, "3");
}

/* ---- time ------------------------------------------------------------------------------------ */

/* Runs of n grants with a request all the time are `apart` cycles apart. */
static void expect_pace(struct sim *s, uint32_t n, uint64_t apart) {
  settle(s);
  while (cycle(s, true) == NO_GRANT)
    continue;
  for (uint64_t last = s->granted_at; n; n--, last = s->granted_at) {
    while (cycle(s, true) == NO_GRANT)
      assert_true(s->cycle - last < 100);
    assert_int_equal(s->granted_at - last, apart);
  }
}

static void packets_of_a_selection_go_every_fourth_cycle(void **state) {
  (void)state;
  struct sim s;
  start(&s, (struct options){0});
  table_write(&s, 77, entry(3, 200));
  queue(&s, 2, 3, 1, 100000);
  expect_pace(&s, 1000, 4);
}

static void entries_of_a_packet_each_go_every_fourth_cycle(void **state) {
  (void)state;
  for (uint32_t vls = 1; vls <= 8; vls++) {
    struct sim s;
    start(&s, (struct options){0});
    for (uint32_t e = 0; e < 128; e++)
      table_write(&s, e, entry(e % vls, 4));
    for (uint32_t v = 0; v < vls; v++)
      queue(&s, v, v, 4, 100000);
    expect_pace(&s, 1000, 4);
  }
}

/* An entry at the other end of the table is found in the same time. */
static void an_idle_output_grants_13_cycles_after_the_ready_bit(void **state) {
  (void)state;
  for (uint32_t e = 0; e < 128; e++) {
    struct sim s;
    start(&s, (struct options){0});
    table_write(&s, e, entry(5, 9));
    settle(&s);
    queue(&s, 1, 5, 2, 1);
    cycle(&s, true); /* the head event; the ready bit is in the next cycle */
    uint64_t from = s.cycle;
    while (cycle(&s, true) == NO_GRANT)
      assert_true(s.cycle - from < 100);
    assert_int_equal(s.granted_at - from, 13);
  }
}

static void a_waiting_selection_grants_2_cycles_after_request_and_ready_bit(void **state) {
  (void)state;
  struct sim s;
  start(&s, (struct options){0});
  table_write(&s, 3, entry(5, 9));
  queue(&s, 1, 5, 2, 3);
  for (uint32_t n = 0; n < 3; n++) { /* the first from the entry that was found ahead */
    settle(&s);
    uint64_t from = s.cycle;
    while (cycle(&s, true) == NO_GRANT)
      continue;
    assert_int_equal(s.granted_at - from, 2);
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

/* VL 2 with key 0, and VL 7 with key 1, are about to be granted, by entries of w0 and w1 units. */
static void start_two(struct sim *s, uint32_t stay, uint32_t w0, uint32_t w1) {
  start(s, (struct options){.entries = 2, .stay = stay});
  table_write(s, 0, entry(0, w0));
  table_write(s, 1, entry(1, w1));
  queue(s, 2, 0, 1, UINT32_MAX);
  queue(s, 7, 1, 1, UINT32_MAX);
  settle(s);
}

/* A VL that is back in g + STAY_CYCLES is in time, one that comes a cycle later is not. */
static void a_selection_with_weight_left_waits_for_its_vl_and_no_longer(void **state) {
  (void)state;
  for (uint32_t stay = 3; stay <= 8; stay++)
    for (uint32_t away = 2; away <= stay + 1; away++)
      for (uint32_t more = 0; more <= 1; more++) { /* with another VL of the key */
        struct sim s;
        int vl;
        start_two(&s, stay, 9, 9);
        s.away = away;
        if (more)
          queue(&s, 5, 0, 1, 9);
        settle(&s);
        next_after(&s, &vl);
        assert_int_equal(vl, 2);
        uint32_t gap = next_after(&s, &vl);
        assert_int_equal(vl, away <= stay ? 2 : more ? 5 : 7);
        assert_int_equal(gap, away > stay ? stay + (more ? 4 : 2) : loom_max(away + 2, 4));
      }
}

static void without_stay_cycles_a_selection_does_not_wait(void **state) {
  (void)state;
  for (uint32_t away = 2; away <= 3; away++) {
    struct sim s;
    int vl;
    start_two(&s, 0, 9, 9);
    s.away = away;
    next_after(&s, &vl);
    assert_int_equal(next_after(&s, &vl), 4);
    assert_int_equal(vl, away == 2 ? 2 : 7);
  }
}

static void a_selection_whose_weight_is_used_up_does_not_wait(void **state) {
  (void)state;
  for (uint32_t w = 1; w <= 4; w++) {
    struct sim s;
    int vl;
    start_two(&s, 8, w, 9);
    s.away = 6;
    next_after(&s, &vl);
    for (uint32_t n = 1; n < w; n++) {
      assert_int_equal(next_after(&s, &vl), 8);
      assert_int_equal(vl, 2);
    }
    assert_int_equal(next_after(&s, &vl), 4);
    assert_int_equal(vl, 7);
  }
}

static void a_selection_does_not_wait_once_a_head_of_another_key_came(void **state) {
  (void)state;
  for (uint32_t head = 1; head <= 5; head++) {
    struct sim s;
    int vl;
    start_two(&s, 8, 9, 9);
    s.flow[2].sl[1] = 1, s.flow[2].sls = 2;
    s.away = head + 1;
    next_after(&s, &vl);
    assert_int_equal(vl, 2);
    s.blocked = 1 << 2;
    assert_int_equal(next_after(&s, &vl), head + 3);
    assert_int_equal(vl, 7);
  }
}

/* DT-02f */
static void a_selection_whose_vl_stays_away_is_dropped_after_its_stay(void **state) {
  (void)state;
  for (uint32_t stay = 3; stay <= 8; stay++) {
    struct sim s;
    int vl;
    start_two(&s, stay, 9, 0);
    s.flow[2].left = 1;
    next_after(&s, &vl);
    while (s.cycle < s.granted_at + stay + 1) {
      assert_int_equal(cycle(&s, true), NO_GRANT);
      assert_true(s.d.cur_valid);
      assert_int_equal(s.d.acc, 8);
    }
    cycle(&s, true); /* the decision in g + stay + 1 */
    assert_false(s.d.cur_valid);
    assert_int_equal(s.d.acc, 0);
    assert_int_equal(s.d.deficit[0], 0);
  }
}

/* A selection is dropped some cycles before its VL is ready again: that costs nothing more. */
static void a_vl_whose_selection_was_dropped_comes_back_like_any_other(void **state) {
  (void)state;
  for (uint32_t before = 1; before <= 8; before++) {
    struct sim s;
    start(&s, (struct options){.stay = 8});
    table_write(&s, 3, entry(5, 9));
    queue(&s, 1, 5, 2, 1);
    settle(&s);
    while (cycle(&s, true) == NO_GRANT)
      continue;
    settle(&s);
    assert_true(s.d.cur_valid && !s.d.view.shown);
    for (uint32_t i = 0; i < before; i++) {
      if (i == before - 1)
        queue(&s, 1, 5, 2, 1); /* the head event; the ready bit is in the next cycle */
      cycle(&s, true);
    }
    uint64_t from = s.cycle;
    while (cycle(&s, true) == NO_GRANT)
      assert_true(s.cycle - from < 100);
    assert_int_equal(s.granted_at - from, 13);
  }
}

/* Whether the view changes in 1000 cycles, with n VLs that have a key and an entry each. */
static bool view_changes(uint32_t stay, uint32_t away, uint32_t n, uint32_t weight) {
  struct sim s;
  bool changes = false;
  uint32_t grants = 0;
  start(&s, (struct options){.entries = 4, .stay = stay});
  for (uint32_t v = 0; v < n; v++) {
    table_write(&s, v, entry(v, weight));
    queue(&s, v, v, 1, UINT32_MAX);
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
    assert_true(view_changes(stay, stay + 1, 1, 9));
  }
}

/* The view is told of a head in h, picks the VL in h + 2, and shows it no more from h + 3 on. */
static void a_vl_with_a_head_of_another_key_leaves_the_view_at_once(void **state) {
  (void)state;
  for (uint32_t moved = 0; moved <= 1; moved++) {
    struct sim s;
    int vl;
    start_two(&s, 8, 9, 9);
    s.flow[2].sl[1] = 1, s.flow[2].sls = 1 + moved;
    s.away = 4;
    next_after(&s, &vl);
    assert_int_equal(vl, 2);
    s.blocked = 1 << 2;
    uint64_t leaves = s.granted_at + (moved ? 3 + 3 : 8 + 2);
    while (s.cycle < leaves) {
      assert_true(s.d.view.shown & 1 << 2);
      cycle(&s, false);
    }
    assert_false(s.d.view.shown & 1 << 2);
  }
}

/* A grant to another VL ends no stay and makes none longer. */
static void a_vl_that_stays_away_leaves_the_view_after_its_stay(void **state) {
  (void)state;
  for (uint32_t stay = 5; stay <= 8; stay++) {
    struct sim s;
    int vl;
    start_two(&s, stay, 1, 1);
    s.flow[2].left = 1;
    next_after(&s, &vl);
    assert_int_equal(vl, 2);
    uint64_t leaves = s.granted_at + stay + 2;
    assert_int_equal(next_after(&s, &vl), 4);
    assert_int_equal(vl, 7);
    while (s.cycle < leaves) {
      assert_true(s.d.view.shown & 1 << 2);
      cycle(&s, true);
    }
    assert_false(s.d.view.shown & 1 << 2);
  }
}

/* IB-02 */
static void a_management_packet_goes_while_a_selection_waits(void **state) {
  (void)state;
  struct sim s;
  int vl;
  start_two(&s, 8, 9, 9);
  s.away = 8;
  queue(&s, 15, 0, 3, 1);
  s.blocked = 1 << 15;
  next_after(&s, &vl);
  assert_int_equal(vl, 2);
  s.blocked = 0;
  assert_int_equal(next_after(&s, &vl), 4);
  assert_int_equal(vl, 15);
  assert_int_equal(next_after(&s, &vl), 6); /* 10 after its last grant, as without */
  assert_int_equal(vl, 2);
  assert_int_equal(s.d.acc, 7);
}

/* DT-04: the VLs come back as late as those of output_unit. */
static void vls_that_are_away_share_by_their_weights(void **state) {
  (void)state;
  static const uint32_t weights[][2] = {{8, 8}, {32, 8}, {3, 9}, {255, 51}};
  for (uint32_t i = 0; i < sizeof weights / sizeof weights[0]; i++)
    for (uint32_t stay = 0; stay <= 8; stay += 8) {
      const uint32_t *w = weights[i];
      struct sim s;
      uint32_t of_first = 0, n = 4 * (w[0] + w[1]);
      int vl;
      start_two(&s, stay, w[0], w[1]);
      s.away = 6;
      for (uint32_t k = 0; k < n; k++) {
        next_after(&s, &vl);
        of_first += vl == 2;
      }
      assert_int_equal(of_first, stay ? 4 * w[0] : n / 2); /* without, a packet with each entry */
    }
}

/* ---- the table ------------------------------------------------------------------------------- */

static void memories_are_swept_after_reset(void **state) {
  (void)state;
  struct sim s = {0};
  struct loom_deficit_table_cfg c = config((struct options){.entries = 40});
  loom_deficit_table_init(&s.d, &c);
  for (uint32_t i = 0; i < 40; i++) {
    s.write = i < 39;
    s.data = entry(1, 1);
    cycle(&s, true);
    assert_true(s.busy && !s.ready);
  }
  cycle(&s, true);
  assert_true(!s.busy && s.ready);
  assert_int_equal(table_read(&s, 0), 0);
}

static void a_write_every_fourth_cycle_is_never_lost(void **state) {
  (void)state;
  struct sim s;
  start(&s, (struct options){0});
  for (uint32_t v = 0; v < 9; v++)
    queue(&s, v, v, 3, 100000);
  for (uint32_t e = 0; e < 128; e++)
    table_write(&s, e, entry(e % 9, e));
  for (uint32_t e = 0; e < 128; e++)
    assert_int_equal(table_read(&s, e), entry(e % 9, e));
  s.write = true, s.addr = 5, s.data = entry(1, 1);
  cycle(&s, false);
  s.write = true, s.addr = 6, s.data = entry(1, 1);
  cycle(&s, false);
  assert_true(s.busy);
  settle(&s);
  assert_int_equal(table_read(&s, 5), entry(1, 1));
  assert_int_equal(table_read(&s, 6), entry(6, 6));
}

/* DT-11: the image on the InfiniBand tables. */
static void the_table_lies_on_the_infiniband_tables(void **state) {
  (void)state;
  struct sim s;
  start(&s, (struct options){.entries = 100, .keys = 20});
  table_write(&s, 63, message_entry(17, 200));
  table_write(&s, 99, 0xFFFFFFFF);
  assert_int_equal(table_read(&s, 63), message_entry(17, 200));
  assert_int_equal(table_read(&s, 99), 0x3FFF);
  assert_int_equal(table_read(&s, IB_HIGH + 63), 1 << 8 | 200); /* four bits of the key */
  queue(&s, 0, 3, 900, 1);
  table_write(&s, 0, entry(3, 200));
  s.addr = DEFICIT + 3;
  for (uint32_t i = 0; i < 60 && s.rdata != 600; i++)
    cycle(&s, true);
  assert_int_equal(s.rdata, 600);
  assert_int_equal(table_read(&s, IB_LOW + 3), 255);
  assert_int_equal(grant(&s), 0);
  assert_int_equal(table_read(&s, ACC), 100);
  assert_int_equal(table_read(&s, LOOM_DTABLE_REG_IB_ACC), 100);
  assert_int_equal(table_read(&s, CUR), 1 << 8 | 3);
}

static void addresses_beyond_the_table_change_nothing(void **state) {
  (void)state;
  struct sim s;
  start(&s, (struct options){.entries = 100, .keys = 20});
  for (uint32_t a = 100; a < 1024; a++) {
    table_write(&s, a, 0xFFFFFFFF);
    assert_int_equal(table_read(&s, a), a == PTR ? 99 : 0);
  }
}

static void parameters_that_do_not_fit_are_refused(void **state) {
  (void)state;
  struct loom_deficit_table_cfg c = config((struct options){0});
  c.ARB_KEY = 0;
  c.KEYS = 15;
  assert_false(loom_deficit_table_cfg_ok(&c));
  c.KEYS = 16;
  assert_true(loom_deficit_table_cfg_ok(&c));
  c.ENTRIES = 129;
  assert_string_equal(loom_deficit_table_bad_param(&c), "ENTRIES");
}

/* The entry of a key is written away, and anew: it is not served for as long as no entry has it. */
static void a_key_is_served_while_it_has_an_entry_with_a_weight(void **state) {
  (void)state;
  struct sim s;
  start(&s, (struct options){.keys = 20});
  assert_int_equal(s.served, 0);
  table_write(&s, 5, entry(7, 30)); /* bit 7 shows from the fifth cycle after the write on */
  cycle(&s, false);
  assert_int_equal(s.served, 0);
  cycle(&s, false);
  assert_int_equal(s.served, 1 << 7);
  table_write(&s, 120, message_entry(7, 1));
  table_write(&s, 5, entry(19, 255)); /* another entry still has 7 */
  cycle(&s, false);
  cycle(&s, false);
  assert_int_equal(s.served, 1 << 7 | 1 << 19);
  table_write(&s, 120, entry(7, 0)); /* no weight; gone in the fourth cycle */
  cycle(&s, false);
  assert_int_equal(s.served, 1 << 19);
  table_write(&s, 63, entry(20, 3)); /* no such key */
  table_write(&s, 5, entry(19, 1));  /* written anew: away for one cycle */
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
    s.addr = loom_below(&seed, 6);
    s.data = entry(loom_below(&seed, 3), loom_below(&seed, 2));
    cycle(&s, false);
    count_served_gaps(&gaps, (uint32_t)s.served);
  }
  check_served_gaps(&gaps);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_order_of_grants_is_that_of_sched_dtable),
      cmocka_unit_test(a_deficit_is_carried_as_in_the_example),
      cmocka_unit_test(weights_give_the_published_shares),
      cmocka_unit_test(an_entry_below_a_packet_saves_up_its_weight),
      cmocka_unit_test(a_key_without_room_loses_its_weight_and_deficit),
      cmocka_unit_test(a_key_whose_packet_is_not_at_the_head_is_not_active),
      cmocka_unit_test(vls_of_a_key_take_turns),
      cmocka_unit_test(management_packets_go_first_and_count_nowhere),
      cmocka_unit_test(the_packets_of_a_message_stay_together),
      cmocka_unit_test(the_output_waits_for_a_message_without_room),
      cmocka_unit_test(packets_of_a_selection_go_every_fourth_cycle),
      cmocka_unit_test(entries_of_a_packet_each_go_every_fourth_cycle),
      cmocka_unit_test(an_idle_output_grants_13_cycles_after_the_ready_bit),
      cmocka_unit_test(a_waiting_selection_grants_2_cycles_after_request_and_ready_bit),
      cmocka_unit_test(a_selection_with_weight_left_waits_for_its_vl_and_no_longer),
      cmocka_unit_test(without_stay_cycles_a_selection_does_not_wait),
      cmocka_unit_test(a_selection_whose_weight_is_used_up_does_not_wait),
      cmocka_unit_test(a_selection_does_not_wait_once_a_head_of_another_key_came),
      cmocka_unit_test(a_selection_whose_vl_stays_away_is_dropped_after_its_stay),
      cmocka_unit_test(a_vl_whose_selection_was_dropped_comes_back_like_any_other),
      cmocka_unit_test(the_view_does_not_change_when_a_vl_is_back_in_time),
      cmocka_unit_test(a_vl_with_a_head_of_another_key_leaves_the_view_at_once),
      cmocka_unit_test(a_vl_that_stays_away_leaves_the_view_after_its_stay),
      cmocka_unit_test(a_management_packet_goes_while_a_selection_waits),
      cmocka_unit_test(vls_that_are_away_share_by_their_weights),
      cmocka_unit_test(memories_are_swept_after_reset),
      cmocka_unit_test(a_write_every_fourth_cycle_is_never_lost),
      cmocka_unit_test(the_table_lies_on_the_infiniband_tables),
      cmocka_unit_test(addresses_beyond_the_table_change_nothing),
      cmocka_unit_test(parameters_that_do_not_fit_are_refused),
      cmocka_unit_test(a_key_is_served_while_it_has_an_entry_with_a_weight),
      cmocka_unit_test(a_key_is_not_served_for_1_cycle_or_for_5_and_more),
  };
  return UNIT_RUN("deficit_table", tests, NULL, NULL);
}
