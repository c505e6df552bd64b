/* SPDX-License-Identifier: Apache-2.0 */
/* test_sched.c - the scheduler twins against docs/sched.md and the published tables, no circuit
 *
 * The published tables are built here from the rules of their papers, not read from vectors/papers:
 * two ways to the same numbers.
 */
#include "tb/unit/unit.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "sched/sched_dtable.h"
#include "sched/sched_ibarb.h"
#include "sched/sched_rr.h"
#include "sched/sched_sbt.h"

/* ---- a scheduler with queues before it ------------------------------------------------------- */

enum kind { RR, SBT, DTABLE, IBARB };
enum { VLS = 32, ENDLESS = UINT32_MAX, CREDITS = 4095, NO_GRANT = -1, PATIENCE = 600 };

/* The packets of one VL: all of one size; packet i has SL sl[i % sls]. */
struct flow {
  uint32_t size, sl[4], sls, left, sent;
};

struct sim {
  enum kind kind;
  union {
    struct loom_sched_front front;
    struct loom_sched_rr rr;
    struct loom_sched_sbt sbt;
    struct loom_sched_dtable dtable;
    struct loom_sched_ibarb ibarb;
  } u;
  uint32_t vls;
  struct flow flow[VLS];
  uint32_t credits[VLS];
  /* The write of the next cycle, and the address that is read when there is none. */
  bool write;
  uint32_t addr, data;
  uint64_t cycle;
  /* Of the last grant. */
  uint32_t key, size;
  uint64_t granted_at;
  uint32_t rdata;
};

struct options {
  uint32_t vls, keys, by_vl, mgmt_vl, entries, ib8, n_high, n_low;
};

#define COMMON(c, o)                                                                               \
  do {                                                                                             \
    (c).VLS = (o).vls ? (o).vls : 16;                                                              \
    (c).KEYS = (o).keys ? (o).keys : 32;                                                           \
    (c).ARB_KEY = !(o).by_vl;                                                                      \
    (c).MGMT_VL = (o).mgmt_vl ? (o).mgmt_vl : 15;                                                  \
  } while (0)

static void start(struct sim *s, enum kind kind, struct options o) {
  memset(s, 0, sizeof *s);
  s->kind = kind;
  s->vls = o.vls ? o.vls : 16;
  for (uint32_t vl = 0; vl < VLS; vl++)
    s->credits[vl] = CREDITS;
  if (kind == RR) {
    struct loom_sched_rr_cfg c;
    loom_sched_rr_defaults(&c);
    COMMON(c, o);
    assert_true(loom_sched_rr_cfg_ok(&c));
    loom_sched_rr_init(&s->u.rr, &c);
  } else if (kind == SBT) {
    struct loom_sched_sbt_cfg c;
    loom_sched_sbt_defaults(&c);
    COMMON(c, o);
    assert_true(loom_sched_sbt_cfg_ok(&c));
    loom_sched_sbt_init(&s->u.sbt, &c);
  } else if (kind == DTABLE) {
    struct loom_sched_dtable_cfg c;
    loom_sched_dtable_defaults(&c);
    COMMON(c, o);
    c.ENTRIES = o.entries ? o.entries : 128;
    c.IB_WEIGHTS = o.ib8;
    assert_true(loom_sched_dtable_cfg_ok(&c));
    loom_sched_dtable_init(&s->u.dtable, &c);
  } else {
    struct loom_sched_ibarb_cfg c;
    loom_sched_ibarb_defaults(&c);
    COMMON(c, o);
    c.N_HIGH = o.n_high ? o.n_high : 64;
    c.N_LOW = o.n_low ? o.n_low : 64;
    assert_true(loom_sched_ibarb_cfg_ok(&c));
    loom_sched_ibarb_init(&s->u.ibarb, &c);
  }
}

static void queue(struct sim *s, uint32_t vl, uint32_t sl, uint32_t size, uint32_t count) {
  s->flow[vl] = (struct flow){.size = size, .sl = {sl}, .sls = 1, .left = count};
}

/* All four devices have the same ports. */
#define FILL(s, in)                                                                                \
  do {                                                                                             \
    (in).request = request;                                                                        \
    for (uint32_t vl = 0; vl < (s)->vls; vl++) {                                                   \
      const struct flow *f = &(s)->flow[vl];                                                       \
      if (f->left) {                                                                               \
        (in).head_valid |= 1u << vl;                                                               \
        (in).head_size[vl] = f->size;                                                              \
        (in).head_sl[vl] = f->sl[f->sent % f->sls];                                                \
      }                                                                                            \
      (in).credits[vl] = (s)->credits[vl];                                                         \
    }                                                                                              \
    (in).table_we = (s)->write;                                                                    \
    (in).table_addr = (s)->addr;                                                                   \
    (in).table_data = (s)->data;                                                                   \
  } while (0)

#define RUN(s, name)                                                                               \
  do {                                                                                             \
    struct loom_sched_##name##_in in = {0};                                                        \
    struct loom_sched_##name##_out out;                                                            \
    FILL(s, in);                                                                                   \
    loom_sched_##name##_step(&(s)->u.name, &in, &out);                                             \
    (s)->rdata = (uint32_t)out.table_rdata;                                                        \
    valid = out.grant_valid != 0, vl_out = (uint32_t)out.grant_vl;                                 \
    (s)->key = (uint32_t)out.grant_key, (s)->size = (uint32_t)out.grant_size;                      \
  } while (0)

/* One cycle; the VL that was granted in it or NO_GRANT. The queue is one shorter from the next on.
 */
static int cycle(struct sim *s, bool request) {
  bool valid = false;
  uint32_t vl_out = 0;
  if (s->kind == RR)
    RUN(s, rr);
  else if (s->kind == SBT)
    RUN(s, sbt);
  else if (s->kind == DTABLE)
    RUN(s, dtable);
  else
    RUN(s, ibarb);
  s->write = false;
  s->cycle++;
  if (!valid) {
    assert_int_equal(vl_out | s->key | s->size, 0);
    return NO_GRANT;
  }
  struct flow *f = &s->flow[vl_out];
  assert_true(f->left > 0);
  assert_int_equal(s->size, f->size);
  if (f->left != ENDLESS)
    f->left--;
  f->sent++;
  s->granted_at = s->cycle - 1;
  return (int)vl_out;
}

/* The next grant, with heads and credits settled before each search; NO_GRANT if none comes. */
static int grant(struct sim *s) {
  cycle(s, false); /* the snapshot of what the queues are now */
  for (uint32_t i = 0; i < PATIENCE; i++) {
    int vl = cycle(s, s->u.front.phase == LOOM_SCHED_SEARCH && !s->u.front.grant_valid);
    if (vl != NO_GRANT)
      return vl;
  }
  return NO_GRANT;
}

static void table_write(struct sim *s, uint32_t addr, uint32_t data) {
  s->write = true;
  s->addr = addr;
  s->data = data;
  cycle(s, false);
}

static uint32_t table_read(struct sim *s, uint32_t addr) {
  s->addr = addr;
  cycle(s, false);
  cycle(s, false);
  return s->rdata;
}

static uint32_t entry(uint32_t key, uint32_t weight) { return key << 8 | weight; }

/* The VLs of the next grants, as a string of digits; '-' where none came. */
static void expect_order(struct sim *s, const char *order) {
  char seen[128] = "";
  size_t n = strlen(order);
  for (size_t i = 0; i < n; i++) {
    int vl = grant(s);
    seen[i] = vl == NO_GRANT ? '-' : (char)('0' + vl);
  }
  assert_string_equal(seen, order);
}

struct shares {
  uint64_t packets[32], units[32], all_packets, all_units;
};

static double percent(uint64_t part, uint64_t all) { return 100.0 * (double)part / (double)all; }

/* n grants with every flow saturated and a request all the time; by key. */
static struct shares saturate(struct sim *s, uint64_t n) {
  struct shares r = {0};
  for (uint64_t idle = 0; r.all_packets < n && idle < PATIENCE; idle++) {
    if (cycle(s, true) == NO_GRANT)
      continue;
    idle = 0;
    r.packets[s->key]++, r.all_packets++;
    r.units[s->key] += s->size, r.all_units += s->size;
  }
  assert_int_equal(r.all_packets, n);
  return r;
}

static void expect_near(const char *what, uint32_t i, double is, double should, double tolerance) {
  if (!(fabs(is - should) <= tolerance))
    fail_msg("%s, key %u: %.5f, not %.5f +- %.5f", what, i, is, should, tolerance);
}

/* ---- common to all --------------------------------------------------------------------------- */

static void configure_any(struct sim *s, enum kind kind) {
  start(s, kind, (struct options){0});
  for (uint32_t k = 0; k < 8; k++)
    if (kind != RR)
      table_write(s, k, kind == SBT ? 4 : entry(k, 4));
}

static void a_grant_comes_every_second_cycle(void **state) {
  (void)state;
  for (enum kind kind = RR; kind <= IBARB; kind++) {
    struct sim s;
    configure_any(&s, kind);
    for (uint32_t vl = 0; vl < 8; vl++)
      queue(&s, vl, vl, 1, ENDLESS);
    cycle(&s, false);
    uint64_t asked = s.cycle;
    for (uint32_t i = 0; i < 200; i++)
      assert_int_equal(cycle(&s, true) != NO_GRANT, i >= 2 && i % 2 == 0);
    assert_int_equal(s.granted_at, asked + 198);
  }
}

static void without_a_request_there_is_no_grant(void **state) {
  (void)state;
  for (enum kind kind = RR; kind <= IBARB; kind++) {
    struct sim s;
    configure_any(&s, kind);
    queue(&s, 3, 3, 2, ENDLESS);
    for (uint32_t i = 0; i < 50; i++)
      assert_int_equal(cycle(&s, false), NO_GRANT);
  }
}

/* A size above the credits, of 0, or a key beyond KEYS makes a head invisible (IB-04, DT-02f). */
static void a_head_beyond_its_credits_or_keys_is_invisible(void **state) {
  (void)state;
  for (enum kind kind = RR; kind <= IBARB; kind++) {
    struct sim s;
    configure_any(&s, kind);
    queue(&s, 2, 2, 4, ENDLESS);
    s.credits[2] = 3;
    assert_int_equal(grant(&s), NO_GRANT);
    s.credits[2] = 4;
    assert_int_equal(grant(&s), 2);
    assert_int_equal(s.key, 2);
    queue(&s, 2, 2, 0, ENDLESS);
    assert_int_equal(grant(&s), NO_GRANT);

    start(&s, kind, (struct options){.keys = 4});
    if (kind != RR)
      table_write(&s, 0, kind == SBT ? 4 : entry(4, 4));
    queue(&s, 1, 4, 1, ENDLESS);
    assert_int_equal(grant(&s), NO_GRANT);
  }
}

/* VL15 goes first, changes nothing and counts nowhere (IB-02). */
static void management_goes_first_and_counts_nowhere(void **state) {
  (void)state;
  for (enum kind kind = RR; kind <= IBARB; kind++) {
    struct sim with, without;
    configure_any(&with, kind);
    configure_any(&without, kind);
    if (kind == IBARB) {
      table_write(&with, LOOM_IBARB_REG_LIMIT, 1);
      table_write(&without, LOOM_IBARB_REG_LIMIT, 1);
    }
    for (uint32_t vl = 0; vl < 3; vl++) {
      queue(&with, vl, vl, 2, ENDLESS);
      queue(&without, vl, vl, 2, ENDLESS);
    }
    for (uint32_t i = 0; i < 300; i++) {
      if (i % 7 == 3) {
        queue(&with, 15, 1, 5, 2);
        assert_int_equal(grant(&with), 15);
        assert_int_equal(with.key, 1);
        assert_int_equal(with.size, 5);
        assert_int_equal(grant(&with), 15);
      }
      assert_int_equal(grant(&with), grant(&without));
    }
  }
}

static void management_needs_credits_and_may_not_exist(void **state) {
  (void)state;
  struct sim s;
  start(&s, RR, (struct options){0});
  queue(&s, 15, 0, 5, ENDLESS);
  queue(&s, 1, 1, 1, ENDLESS);
  s.credits[15] = 4;
  assert_int_equal(grant(&s), 1);
  s.credits[15] = 5;
  assert_int_equal(grant(&s), 15);
  start(&s, RR, (struct options){.mgmt_vl = 32});
  queue(&s, 15, 0, 5, ENDLESS);
  queue(&s, 1, 1, 1, ENDLESS);
  expect_order(&s, "?1?1");
}

/* The probe shows the phases, a management DECIDE apart from another. */
static void the_probe_shows_the_phases(void **state) {
  (void)state;
  struct sim s;
  struct loom_sched_rr_probe p;
  start(&s, RR, (struct options){0});
  queue(&s, 15, 0, 1, 1);
  queue(&s, 1, 1, 1, 1);
  cycle(&s, false);
  static const uint32_t phase[] = {0, 1, 0, 0, 0, 1, 0}, mgmt[] = {0, 1, 0, 0, 0, 0, 0};
  for (uint32_t i = 0; i < 7; i++) {
    loom_sched_rr_probe(&s.u.rr, &p);
    assert_int_equal(p.phase, phase[i]);
    assert_int_equal(p.mgmt, mgmt[i]);
    assert_int_equal(cycle(&s, i == 0 || i == 4), i == 2 ? 15 : i == 6 ? 1 : NO_GRANT);
  }
}

/* During SEARCH that goes on to DECIDE the snapshot stands still: what is granted was there. */
static void the_snapshot_stands_still_until_the_decision(void **state) {
  (void)state;
  for (enum kind kind = RR; kind <= IBARB; kind++) {
    struct sim s;
    configure_any(&s, kind);
    queue(&s, 5, 5, 3, 1);
    cycle(&s, false);
    s.flow[5].left = 0; /* gone in the cycle of the search */
    cycle(&s, true);
    cycle(&s, false);
    s.flow[5].left = 1;
    assert_int_equal(cycle(&s, false), 5);
  }
}

static void illegal_parameters_are_refused_by_name(void **state) {
  (void)state;
  struct loom_sched_rr_cfg c;
  loom_sched_rr_defaults(&c);
  c.ARB_KEY = 0;
  c.KEYS = 15;
  assert_false(loom_sched_rr_cfg_ok(&c));
  c.KEYS = 16;
  assert_true(loom_sched_rr_cfg_ok(&c));
  c.VLS = 33;
  assert_string_equal(loom_sched_rr_bad_param(&c), "VLS");
}

/* ---- round robin ----------------------------------------------------------------------------- */

/* SC-01: SL0 on two VLs gets half, not two thirds, and its VLs take turns; by VL it gets two
 * thirds. */
static void round_robin_goes_over_sls_or_over_vls(void **state) {
  (void)state;
  for (uint32_t by_vl = 0; by_vl <= 1; by_vl++) {
    struct sim s;
    start(&s, RR, (struct options){.by_vl = by_vl});
    queue(&s, 0, 0, 1, ENDLESS);
    queue(&s, 1, 0, 1, ENDLESS);
    queue(&s, 2, 1, 1, ENDLESS);
    expect_order(&s, by_vl ? "012012012" : "021202120");
  }
}

static void round_robin_gives_each_key_an_equal_share(void **state) {
  (void)state;
  struct sim s;
  start(&s, RR, (struct options){0});
  queue(&s, 0, 0, 1, ENDLESS), queue(&s, 1, 0, 1, ENDLESS), queue(&s, 2, 1, 1, ENDLESS);
  struct shares r = saturate(&s, 60000);
  assert_int_equal(r.packets[0], 30000);
  assert_int_equal(s.flow[0].sent, 15000);
  assert_int_equal(s.flow[1].sent, 15000);
  start(&s, RR, (struct options){.by_vl = 1});
  queue(&s, 0, 0, 1, ENDLESS), queue(&s, 1, 0, 1, ENDLESS), queue(&s, 2, 1, 1, ENDLESS);
  r = saturate(&s, 60000);
  assert_int_equal(r.packets[0] + r.packets[1], 40000);
  assert_int_equal(r.packets[2], 20000);
}

/* SC-05: shares in packets are not shares in bytes. */
static void shares_in_packets_are_not_shares_in_bytes(void **state) {
  (void)state;
  static const uint32_t size[] = {2, 4, 8, 16, 16}, weight[] = {10, 30, 50, 5, 5};
  static const double rr[] = {4.3, 8.7, 17.4, 34.8, 34.8}, sbt[] = {2.9, 17.1, 57.1, 11.4, 11.4};
  for (enum kind kind = RR; kind <= SBT; kind++) {
    struct sim s;
    start(&s, kind, (struct options){0});
    for (uint32_t i = 0; i < 5; i++) {
      queue(&s, i, i, size[i], ENDLESS);
      if (kind == SBT)
        table_write(&s, i, weight[i]);
    }
    struct shares r = saturate(&s, 100000);
    for (uint32_t i = 0; i < 5; i++)
      expect_near("SC-05", i, percent(r.units[i], r.all_units), kind == RR ? rr[i] : sbt[i], 0.05);
  }
}

/* ---- simple bandwidth table ------------------------------------------------------------------ */

enum { SBT_MODE = 32, TEXT = 0, LITERAL = 1, SUM_ZERO = 2 };

static void sbt_start(struct sim *s, uint32_t mode, const uint32_t *weight, uint32_t n) {
  start(s, SBT, (struct options){0});
  table_write(s, SBT_MODE, mode);
  for (uint32_t k = 0; k < n; k++) {
    table_write(s, k, weight[k]);
    queue(s, k, k, 1, ENDLESS);
  }
}

static void sbt_serves_keys_in_the_pattern_of_its_mode(void **state) {
  (void)state;
  struct sim s;
  sbt_start(&s, TEXT, (const uint32_t[]){2, 1}, 2);
  expect_order(&s, "001001001001");
  sbt_start(&s, LITERAL, (const uint32_t[]){2, 1}, 2);
  expect_order(&s, "00100010001000");
  sbt_start(&s, 3, (const uint32_t[]){2, 1}, 2); /* acts as text */
  expect_order(&s, "001001001001");
  assert_int_equal(table_read(&s, SBT_MODE), 3);
}

/* SC-02: 55/45, after three packets of SL0 52 are left. */
static void sbt_takes_a_packet_from_the_remaining_weight(void **state) {
  (void)state;
  for (uint32_t mode = TEXT; mode <= SUM_ZERO; mode++) {
    struct sim s;
    sbt_start(&s, mode, (const uint32_t[]){55, 45}, 2);
    expect_order(&s, "000");
    assert_int_equal(table_read(&s, 0), 52 << 8 | 55);
    assert_int_equal(table_read(&s, 1), 45 << 8 | 45);
  }
}

struct sbt_row {
  const char *name;
  uint32_t keys, weight[5];
  uint32_t idle; /* keys without packets */
  double text[5], literal[5];
};

/* SC-04, one key a VL. */
static const struct sbt_row sbt_rows[] = {
    {"2/1", 2, {2, 1}, 0, {200.0 / 3, 100.0 / 3}, {75, 25}},
    {"55/45", 2, {55, 45}, 0, {55, 45}, {55.45, 44.55}},
    {"20/10", 2, {20, 10}, 0, {66.67, 33.33}, {67.74, 32.26}},
    {"A", 3, {60, 30, 10}, 0, {60, 30, 10}, {59.73, 30.04, 10.23}},
    {"A, SL2 idle", 3, {60, 30, 10}, 4, {66.67, 33.33, 0}, {50, 50, 0}},
    {"T-Tab4.9",
     5,
     {10, 10, 50, 5, 5},
     0,
     {12.5, 12.5, 62.5, 6.25, 6.25},
     {12.59, 12.59, 61.98, 6.42, 6.42}},
};

static void sbt_gives_the_published_shares_in_both_modes(void **state) {
  (void)state;
  enum { GRANTS = 240000 };
  for (size_t i = 0; i < sizeof sbt_rows / sizeof sbt_rows[0]; i++)
    for (uint32_t mode = TEXT; mode <= LITERAL; mode++) {
      const struct sbt_row *row = &sbt_rows[i];
      struct sim s;
      sbt_start(&s, mode, row->weight, row->keys);
      for (uint32_t k = 0; k < row->keys; k++)
        if (row->idle >> k & 1)
          s.flow[k].left = 0;
      struct shares r = saturate(&s, GRANTS);
      for (uint32_t k = 0; k < row->keys; k++)
        expect_near(row->name, k, percent(r.packets[k], GRANTS),
                    mode == TEXT ? row->text[k] : row->literal[k], 0.02);
    }
}

/* SC-04, chapter 4: five SLs on eight VLs, the last two SLs share VL6 and VL7 (TP-03). */
static void sbt_gives_the_shares_of_chapter_4_on_shared_vls(void **state) {
  (void)state;
  enum { GRANTS = 200000 };
  static const uint32_t weight[] = {10, 30, 50, 5, 5};
  for (uint32_t mode = TEXT; mode <= LITERAL; mode++) {
    struct sim s;
    start(&s, SBT, (struct options){0});
    table_write(&s, SBT_MODE, mode);
    for (uint32_t k = 0; k < 5; k++)
      table_write(&s, k, weight[k]);
    for (uint32_t vl = 0; vl < 8; vl++)
      queue(&s, vl, vl / 2, 1, ENDLESS);
    for (uint32_t vl = 6; vl < 8; vl++)
      s.flow[vl].sl[1] = 4, s.flow[vl].sls = 2;
    struct shares r = saturate(&s, GRANTS);
    if (mode == TEXT) {
      for (uint32_t k = 0; k < 5; k++)
        expect_near("chapter 4", k, percent(r.packets[k], GRANTS), weight[k], 0.02);
    } else {
      for (uint32_t vl = 0; vl < 8; vl += 2)
        expect_near("chapter 4 literal", vl, percent(s.flow[vl].sent + s.flow[vl + 1].sent, GRANTS),
                    25, 0.02);
      for (uint32_t k = 0; k < 5; k++)
        assert_int_equal(table_read(&s, k) >> 8, 0); /* never restored */
    }
  }
}

/* Sum-zero waits for the weight of every key; until then the others go round robin (SC-03). */
static void sum_zero_waits_for_the_weight_of_every_key(void **state) {
  (void)state;
  struct sim s;
  sbt_start(&s, SUM_ZERO, (const uint32_t[]){2, 1, 1}, 3);
  s.flow[2].left = 0;
  expect_order(&s, "0010101");
  assert_int_equal(table_read(&s, 2) >> 8, 1);
  s.flow[2].left = 1;
  expect_order(&s, "2"); /* the last weight: now everything is used up */
  expect_order(&s, "001");
  assert_int_equal(table_read(&s, 2) >> 8, 1);
}

/* Remaining weight stays while a key has nothing to send; the only key sends without weight. */
static void sbt_keeps_the_weight_of_a_key_that_is_idle(void **state) {
  (void)state;
  struct sim s;
  sbt_start(&s, TEXT, (const uint32_t[]){3, 0}, 2);
  s.flow[1].left = 0;
  expect_order(&s, "0");
  s.flow[0].left = 0, s.flow[1].left = ENDLESS;
  expect_order(&s, "11");
  assert_int_equal(table_read(&s, 0), 2 << 8 | 3);
  s.flow[0].left = ENDLESS;
  expect_order(&s, "000000"); /* key 1 has no weight at all */
}

static void a_write_of_a_weight_wins_over_a_charge(void **state) {
  (void)state;
  struct sim s;
  sbt_start(&s, TEXT, (const uint32_t[]){3, 3}, 2);
  cycle(&s, true);
  s.write = true, s.addr = 0, s.data = 9; /* at the edge that charges key 0 */
  cycle(&s, false);
  assert_int_equal(cycle(&s, false), 0);
  assert_int_equal(table_read(&s, 0), 9 << 8 | 9);
  /* A restore at the same edge: the others are restored. */
  sbt_start(&s, TEXT, (const uint32_t[]){1, 1}, 2);
  expect_order(&s, "01");
  cycle(&s, false);
  cycle(&s, true);
  s.write = true, s.addr = 1, s.data = 7;
  cycle(&s, false);
  assert_int_equal(cycle(&s, false), 0);
  assert_int_equal(table_read(&s, 0), 0 << 8 | 1);
  assert_int_equal(table_read(&s, 1), 7 << 8 | 7);
}

/* A mode written between SEARCH and DECIDE touches the next decision, not this one. */
static void a_mode_written_between_phases_touches_the_next_decision(void **state) {
  (void)state;
  struct sim s;
  struct loom_sched_sbt_probe p;
  sbt_start(&s, LITERAL, (const uint32_t[]){1, 1}, 2);
  s.flow[0].left = 0;
  cycle(&s, false);
  s.write = true, s.addr = SBT_MODE, s.data = TEXT;
  cycle(&s, true);
  cycle(&s, false);
  assert_int_equal(cycle(&s, false), 1);
  loom_sched_sbt_probe(&s.u.sbt, &p);
  assert_int_equal(p.last, 1);
  assert_int_equal(p.cur, 1);
}

/* ---- deficit table --------------------------------------------------------------------------- */

enum {
  DEFICIT = LOOM_DTABLE_REG_DEFICIT,
  ACC = LOOM_DTABLE_REG_ACC,
  PTR = LOOM_DTABLE_REG_PTR,
  CUR = LOOM_DTABLE_REG_CUR,
  IB_HIGH = LOOM_DTABLE_REG_IB_HIGH,
  IB_LOW = LOOM_DTABLE_REG_IB_LOW
};

/* Which key stands at a place of the ruler layout of n keys (DT-05). */
static uint32_t ruler(uint32_t place, uint32_t n) { return loom_min(loom_ctz(place + 1), n - 1); }

/* A published table: per SL its packet size, and up to two weights: the first for `count` entries,
 * then the second. */
struct published {
  const char *name;
  uint32_t entries, sls;
  uint32_t size[7], count[7], first[7], then[7];
  uint32_t units[7], all; /* printed sums */
  uint32_t max_acc, max_deficit;
};

/* DT-08 */
static const struct published published[] = {
    {"T-Tab4.4",
     128,
     3,
     {1, 2, 3},
     {21, 11, 11},
     {7, 12, 12},
     {6, 13, 13},
     {405, 405, 405},
     1215,
     15,
     2},
    {"T-Tab4.9",
     128,
     5,
     {2, 4, 8, 16, 16},
     {32, 32, 16, 8, 8},
     {7, 39, 130, 26, 26},
     {6, 0, 0, 0, 0},
     {416, 1248, 2080, 208, 208},
     4160,
     136,
     14},
    {"T-Tab5.4",
     64,
     7,
     {3, 2, 32, 32, 16, 16, 16},
     {5, 16, 6, 1, 1, 1, 1},
     {4, 11, 40, 93, 21, 39, 17},
     {3, 0, 41, 94, 22, 0, 0},
     {101, 176, 322, 375, 43, 39, 17},
     1073,
     125,
     31},
};

static void load_published(struct sim *s, const struct published *t, uint32_t ib8) {
  uint32_t seen[7] = {0}, sum[7] = {0}, all = 0;
  start(s, DTABLE, (struct options){.entries = t->entries, .ib8 = ib8});
  for (uint32_t e = 0; e < t->entries; e++) {
    uint32_t sl = ruler(e, t->sls);
    uint32_t weight = seen[sl]++ < t->count[sl] ? t->first[sl] : t->then[sl];
    table_write(s, e, entry(sl, weight));
    sum[sl] += weight, all += weight;
  }
  for (uint32_t sl = 0; sl < t->sls; sl++) {
    assert_int_equal(sum[sl], t->units[sl]);
    queue(s, sl, sl, t->size[sl], ENDLESS);
  }
  assert_int_equal(all, t->all);
}

/* DT-04 and the bounds of DT-02. */
static void dtable_gives_the_published_shares_within_its_bounds(void **state) {
  (void)state;
  enum { GRANTS = 1000000 };
  for (size_t i = 0; i < sizeof published / sizeof published[0]; i++) {
    const struct published *t = &published[i];
    struct sim s;
    uint64_t units[7] = {0}, all = 0;
    uint32_t max_acc = 0, max_deficit = 0;
    load_published(&s, t, 0);
    for (uint64_t n = 0; n < GRANTS;) {
      if (cycle(&s, true) == NO_GRANT)
        continue;
      n++;
      units[s.key] += s.size, all += s.size;
      max_acc = loom_max(max_acc, s.u.dtable.acc + s.size);
      for (uint32_t sl = 0; sl < t->sls; sl++)
        max_deficit = loom_max(max_deficit, s.u.dtable.deficit[sl]);
    }
    for (uint32_t sl = 0; sl < t->sls; sl++)
      expect_near(t->name, sl, percent(units[sl], all), percent(t->units[sl], t->all), 0.01);
    assert_int_equal(max_acc, t->max_acc);
    assert_int_equal(max_deficit, t->max_deficit);
  }
}

/* DT-11: no published table saturates 8 bits; the grants are those of the wide mode. */
static void eight_bits_are_enough_for_the_published_tables(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof published / sizeof published[0]; i++) {
    struct sim wide, narrow;
    load_published(&wide, &published[i], 0);
    load_published(&narrow, &published[i], 1);
    for (uint32_t c = 0; c < 100000; c++)
      assert_int_equal(cycle(&wide, true), cycle(&narrow, true));
  }
}

struct selection {
  uint32_t entry, sl, acc, packets, deficit;
};

/* Watches whole selections go by: entry, accumulator before the first packet, packets, what is
 * left. */
static void expect_selections(struct sim *s, const struct selection *should, size_t n) {
  struct selection now = {0};
  bool open = false;
  for (size_t i = 0; i <= n;) {
    int vl = grant(s);
    if (vl == NO_GRANT && i + 1 < n)
      fail_msg("selection %zu does not come", i);
    bool fresh = !open || vl == NO_GRANT || s->u.dtable.ptr != now.entry ||
                 s->u.dtable.acc + s->size != now.acc - now.packets * s->size;
    if (open && fresh) {
      const struct selection *want = &should[i];
      if (now.entry != want->entry || now.sl != want->sl || now.acc != want->acc ||
          now.packets != want->packets || s->u.dtable.deficit[now.sl] != want->deficit)
        fail_msg("selection %zu: entry %u SL%u %u > %u > %u", i, now.entry, now.sl, now.acc,
                 now.packets, s->u.dtable.deficit[now.sl]);
      if (++i == n)
        return;
    }
    if (fresh)
      now = (struct selection){
          .entry = s->u.dtable.ptr, .sl = s->key, .acc = s->u.dtable.acc + s->size};
    now.packets++;
    open = true;
  }
}

/* T-Tab4.5 after the correction. */
static void load_tab_4_5(struct sim *s) {
  static const uint32_t weight[] = {4, 2, 3, 4, 3, 3, 3, 4};
  start(s, DTABLE, (struct options){.entries = 8});
  for (uint32_t e = 0; e < 8; e++)
    table_write(s, e, entry(e % 2 == 0 ? 0 : e % 4 == 1 ? 1 : 2, weight[e]));
  for (uint32_t sl = 0; sl < 3; sl++)
    queue(s, sl, sl, sl + 1, ENDLESS);
}

static void dtable_selects_as_the_golden_trace_does(void **state) {
  (void)state;
  static const struct selection gv3[] = {
      {0, 0, 4, 4, 0}, {1, 1, 2, 1, 0}, {2, 0, 3, 3, 0}, {3, 2, 4, 1, 1},
      {4, 0, 3, 3, 0}, {5, 1, 3, 1, 1}, {6, 0, 3, 3, 0}, {7, 2, 5, 1, 2},
      {0, 0, 4, 4, 0}, {1, 1, 3, 1, 1}, {2, 0, 3, 3, 0}, {3, 2, 6, 2, 0},
      {4, 0, 3, 3, 0}, {5, 1, 4, 2, 0}, {6, 0, 3, 3, 0}, {7, 2, 4, 1, 1},
  };
  struct sim s;
  load_tab_4_5(&s);
  expect_selections(&s, gv3, sizeof gv3 / sizeof gv3[0]);
  load_tab_4_5(&s);
  struct shares r = saturate(&s, 1000000);
  expect_near("GV-3", 0, percent(r.units[0], r.all_units), 1300.0 / 26, 0.01);
  expect_near("GV-3", 1, percent(r.units[1], r.all_units), 500.0 / 26, 0.01);
  expect_near("GV-3", 2, percent(r.units[2], r.all_units), 800.0 / 26, 0.01);
}

/* DT-03: the example with a deficit, state by state. */
static void dtable_follows_the_example_with_a_deficit(void **state) {
  (void)state;
  struct sim s;
  start(&s, DTABLE, (struct options){.entries = 2});
  table_write(&s, 0, entry(0, 3));
  table_write(&s, 1, entry(1, 3));
  queue(&s, 0, 0, 2, 3);
  assert_int_equal(grant(&s), 0);
  assert_int_equal(table_read(&s, ACC), 1);
  assert_int_equal(s.flow[0].left, 2);
  assert_int_equal(grant(&s), 0); /* 1 is stored, the same entry comes again: 3 + 1 - 2 */
  assert_int_equal(table_read(&s, ACC), 2);
  assert_int_equal(table_read(&s, DEFICIT), 1);
  assert_int_equal(grant(&s), 0);
  assert_int_equal(table_read(&s, ACC), 0);
  assert_int_equal(grant(&s), NO_GRANT);
  assert_int_equal(table_read(&s, DEFICIT), 0);
  assert_int_equal(table_read(&s, CUR), 0);
}

/* DT-06: the same bandwidth, but the key with more entries waits less. */
static void a_key_with_more_entries_waits_less(void **state) {
  (void)state;
  struct sim s;
  uint64_t time = 0, last[3] = {0}, gap[3] = {0}, sum[3] = {0}, units[3] = {0};
  start(&s, DTABLE, (struct options){.entries = 64});
  for (uint32_t e = 0; e < 64; e++) {
    static const uint32_t weight[] = {2, 4, 3};
    table_write(&s, e, entry(ruler(e, 3), weight[ruler(e, 3)]));
  }
  for (uint32_t sl = 0; sl < 3; sl++)
    queue(&s, sl, sl, 1, ENDLESS);
  for (uint32_t i = 0; i < 200000; i++) {
    grant(&s);
    time += s.size;
    gap[s.key] = time - last[s.key] > gap[s.key] ? time - last[s.key] : gap[s.key];
    sum[s.key] += (time - last[s.key]) * (time - last[s.key]);
    last[s.key] = time;
    units[s.key]++;
  }
  expect_near("DT-06", 0, percent(units[0], time), percent(units[1], time), 0.02);
  assert_true(gap[0] < gap[1]);
  /* A packet that comes at any time waits half the mean squared gap. */
  assert_true(sum[0] < sum[1]);
}

/* DT-02c: an entry below one packet is no grant, its weight is saved up. */
static void an_entry_below_a_packet_saves_its_weight_up(void **state) {
  (void)state;
  struct sim s;
  start(&s, DTABLE, (struct options){.entries = 3});
  table_write(&s, 1, entry(4, 3));
  queue(&s, 9, 4, 7, ENDLESS);
  cycle(&s, false);
  uint64_t from = s.cycle;
  while (cycle(&s, true) == NO_GRANT)
    continue;
  assert_int_equal(s.granted_at - from, 6); /* 3, 6, 9: two rounds without a grant */
  assert_int_equal(table_read(&s, ACC), 2);
}

/* DT-02f: without credits the key is inactive: the accumulator is lost, and so is its deficit; the
 * deficit of a key that is only passed over stays (DT-02e). */
static void a_key_without_credits_loses_its_weight_and_deficit(void **state) {
  (void)state;
  struct sim s;
  start(&s, DTABLE, (struct options){.entries = 2});
  table_write(&s, 0, entry(0, 5));
  table_write(&s, 1, entry(1, 5));
  queue(&s, 0, 0, 2, ENDLESS);
  queue(&s, 1, 1, 3, ENDLESS);
  expect_order(&s, "001"); /* key 0 carries 1 over */
  assert_int_equal(table_read(&s, DEFICIT), 1);
  s.credits[0] = 1;
  expect_order(&s, "1"); /* 2 carried over, and 5 + 2 - 3 */
  assert_int_equal(table_read(&s, ACC), 4);
  assert_int_equal(table_read(&s, DEFICIT), 1);
  s.credits[1] = 2;
  assert_int_equal(grant(&s), NO_GRANT);
  assert_int_equal(table_read(&s, ACC), 0);
  assert_int_equal(table_read(&s, DEFICIT + 1), 0);
  assert_int_equal(table_read(&s, DEFICIT), 1);
  s.credits[0] = s.credits[1] = 9;
  expect_order(&s, "0");
  assert_int_equal(table_read(&s, ACC), 5 + 1 - 2);
}

/* OP-20: an SL whose packet is behind another one in a shared VL is not active. */
static void a_key_behind_another_in_a_shared_vl_is_not_active(void **state) {
  (void)state;
  struct sim s;
  start(&s, DTABLE, (struct options){.entries = 4});
  table_write(&s, 0, entry(2, 8));
  queue(&s, 6, 1, 1, 2);
  s.flow[6].sl[1] = 2, s.flow[6].sls = 2; /* SL1, and SL2 after it */
  assert_int_equal(grant(&s), NO_GRANT);
  table_write(&s, 1, entry(1, 1));
  assert_int_equal(grant(&s), 6);
  assert_int_equal(s.key, 1);
  assert_int_equal(grant(&s), 6);
  assert_int_equal(s.key, 2);
}

/* DT-02d: the VLs of a key take turns by selection; the selection moves on when its VL runs dry. */
static void the_vls_of_a_key_take_turns(void **state) {
  (void)state;
  struct sim s;
  start(&s, DTABLE, (struct options){.entries = 2});
  table_write(&s, 0, entry(0, 3));
  table_write(&s, 1, entry(1, 1));
  queue(&s, 2, 0, 1, ENDLESS);
  queue(&s, 5, 0, 1, ENDLESS);
  queue(&s, 7, 1, 1, ENDLESS);
  expect_order(&s, "222755572");
  s.flow[2].left = 0;
  expect_order(&s, "557");
}

/* Tables are read and written while packets go; SEARCH's latch is not touched (docs/sched.md). */
static void tables_are_read_and_written_while_packets_go(void **state) {
  (void)state;
  struct sim s;
  start(&s, DTABLE, (struct options){.entries = 2});
  table_write(&s, 0, entry(0, 8));
  queue(&s, 0, 0, 4, ENDLESS);
  cycle(&s, false);
  s.write = true, s.addr = 0, s.data = entry(0, 200); /* in the cycle of the search */
  cycle(&s, true);
  cycle(&s, false);
  assert_int_equal(cycle(&s, false), 0);
  assert_int_equal(table_read(&s, ACC), 4); /* with the old weight */
  assert_int_equal(table_read(&s, 0), entry(0, 200));
  expect_order(&s, "00");
  assert_int_equal(table_read(&s, ACC), 196);
  table_write(&s, 0, entry(1, 200)); /* key 0 loses its entry, not its selection */
  expect_order(&s, "0");
  assert_int_equal(table_read(&s, ACC), 192);
  /* A read sees the state before the edge at which the word is written. */
  s.write = true, s.addr = 1, s.data = entry(3, 9);
  cycle(&s, false);
  cycle(&s, false);
  assert_int_equal(s.rdata, 0);
  cycle(&s, false);
  assert_int_equal(s.rdata, entry(3, 9));
}

static void dtable_has_its_entries_and_nothing_beyond_them(void **state) {
  (void)state;
  struct sim s;
  start(&s, DTABLE, (struct options){.entries = 100, .keys = 20});
  table_write(&s, 99, 0xFFFFFFFF);
  assert_int_equal(table_read(&s, 99), 0x1FFF);
  for (uint32_t a = 100; a < 1024; a++) {
    table_write(&s, a, 0xFFFFFFFF);
    assert_int_equal(table_read(&s, a), a == PTR ? 99 : 0);
  }
}

/* DT-11: the image on the InfiniBand tables, bit for bit; T-Tab5.4 does not saturate. */
static void dtable_lies_on_the_infiniband_tables_bit_for_bit(void **state) {
  (void)state;
  struct sim s;
  load_published(&s, &published[2], 1);
  for (uint32_t n = 0; n < 5000; n++) {
    cycle(&s, true);
    if (n % 97)
      continue;
    uint32_t acc = s.u.dtable.acc;
    uint16_t deficit[32];
    memcpy(deficit, s.u.dtable.deficit, sizeof deficit);
    bool busy = s.u.front.phase == LOOM_SCHED_DECIDE;
    for (uint32_t i = 0; i < 64 && !busy; i++) {
      assert_int_equal(table_read(&s, IB_HIGH + i),
                       s.u.dtable.table.key[i] << 8 | s.u.dtable.table.weight[i]);
      assert_int_equal(table_read(&s, IB_LOW + i), i < 16 ? deficit[i] : i == 63 ? acc : 0);
    }
  }
  /* Above 255 the image saturates in wide mode, the state itself in 8-bit mode. */
  for (uint32_t ib8 = 0; ib8 <= 1; ib8++) {
    start(&s, DTABLE, (struct options){.entries = 1, .ib8 = ib8});
    table_write(&s, 0, entry(17, 250));
    queue(&s, 0, 17, 255, 2);
    assert_int_equal(grant(&s), 0); /* 250, then 500 or 255 */
    assert_int_equal(table_read(&s, ACC), ib8 ? 0 : 245);
    assert_int_equal(table_read(&s, IB_HIGH), 1 << 8 | 250); /* four bits of the key */
  }
  start(&s, DTABLE, (struct options){.entries = 1});
  table_write(&s, 0, entry(3, 200));
  queue(&s, 0, 3, 900, ENDLESS);
  cycle(&s, false);
  for (uint32_t i = 0; i < 4; i++) /* two DECIDEs that save up */
    cycle(&s, true);
  assert_int_equal(table_read(&s, DEFICIT + 3), 400);
  assert_int_equal(table_read(&s, IB_LOW + 3), 255);
}

/* ---- InfiniBand arbiter ---------------------------------------------------------------------- */

enum {
  LOW = LOOM_IBARB_REG_LOW,
  LIMIT = LOOM_IBARB_REG_LIMIT,
  MODE = LOOM_IBARB_REG_MODE,
  SENT = LOOM_IBARB_REG_SENT,
  TURN = LOOM_IBARB_REG_TURN
};

/* T-Tab6.1 (IB-08): ruler order; SL3 is on the low table. */
static void load_tab_6_1(struct sim *s, bool b) {
  start(s, IBARB, (struct options){0});
  for (uint32_t e = 0; e < 64; e++) {
    static const uint32_t weight_b[] = {22, 27, 18};
    uint32_t sl = ruler(e, 3), a = sl == 0   ? (e >= 48 ? 9 : 8)
                                   : sl == 1 ? (e >= 57 ? 9 : 10)
                                             : (e >= 43 ? 6 : 7);
    table_write(s, e, entry(sl, b ? weight_b[sl] : a));
  }
  table_write(s, LOW, entry(3, b ? 2 : 6));
  table_write(s, LIMIT, 1);
  for (uint32_t sl = 0; sl < 4; sl++)
    queue(s, sl, sl, 1, ENDLESS);
}

/* Until `high` packets of the high table have gone. */
static struct shares run_high(struct sim *s, uint64_t high) {
  struct shares r = {0};
  while (r.all_packets - r.packets[3] < high) {
    if (cycle(s, true) == NO_GRANT)
      continue;
    r.packets[s->key]++, r.all_packets++;
  }
  return r;
}

/* IB-09: 300 runs through the high table, to the printed digits. */
static void ibarb_gives_the_published_shares(void **state) {
  (void)state;
  static const double share[2][4] = {{45.7159, 27.3603, 18.3556, 8.5683},
                                     {47.9403, 29.4179, 19.6119, 3.0299}};
  static const uint32_t round[2] = {264 + 158 + 106, 704 + 432 + 288}, low[2] = {6, 2};
  static const uint32_t turns[2] = {2474, 6674};
  for (uint32_t b = 0; b <= 1; b++) {
    struct sim s;
    load_tab_6_1(&s, b);
    struct shares r = run_high(&s, 300ull * round[b]);
    for (uint32_t sl = 0; sl < 4; sl++)
      expect_near(b ? "IB-09 B" : "IB-09 A", sl, percent(r.packets[sl], r.all_packets),
                  share[b][sl], 0.00005);
    assert_int_equal(r.packets[3], turns[b] * low[b]);
  }
}

/* IB-11: the share of the low SL over the limit; IB-06: 0 and 255. */
static void the_low_share_falls_with_the_limit(void **state) {
  (void)state;
  static const struct {
    uint32_t limit;
    double share, tolerance;
  } sweep[] = {{0, 85.71, 0.005},  {1, 8.568, 0.004},   {2, 4.476, 0.004},
               {3, 3.027, 0.004},  {4, 2.287, 0.004},   {8, 1.157, 0.002},
               {16, 0.580, 0.002}, {254, 0.034, 0.002}, {255, 0, 0}};
  for (size_t i = 0; i < sizeof sweep / sizeof sweep[0]; i++) {
    struct sim s;
    load_tab_6_1(&s, false);
    table_write(&s, LIMIT, sweep[i].limit);
    struct shares r = run_high(&s, 300 * 528);
    expect_near("IB-11, limit", sweep[i].limit, percent(r.packets[3], r.all_packets),
                sweep[i].share, sweep[i].tolerance);
  }
  struct sim s;
  load_tab_6_1(&s, false);
  table_write(&s, LIMIT, 0);
  table_write(&s, MODE, 2); /* one high packet, one low packet */
  struct shares r = saturate(&s, 100000);
  assert_int_equal(r.packets[3], 50000);
}

static void limit_0_is_one_packet_and_limit_255_is_unlimited(void **state) {
  (void)state;
  struct sim s;
  load_tab_6_1(&s, false);
  table_write(&s, LIMIT, 0);
  expect_order(&s, "033333303333330333333");
  load_tab_6_1(&s, false);
  table_write(&s, LIMIT, 255);
  for (uint32_t i = 0; i < 20000; i++)
    assert_int_not_equal(grant(&s), 3);
  assert_int_equal(table_read(&s, SENT), 16383);
  for (uint32_t sl = 0; sl < 3; sl++)
    s.flow[sl].left = 0;
  expect_order(&s, "333333333"); /* high has nothing to send */
}

/* IB-12: real packets on configuration A, all rows and columns. */
static void ibarb_gives_the_published_shares_for_real_packets(void **state) {
  (void)state;
  static const struct {
    uint32_t units;
    double share[3]; /* by mode: round up + entry, round up + packet, deficit + entry */
    double tolerance[3];
  } rows[] = {
      {1, {8.571, 1.538, 8.571}, {.004, .004, .004}},
      {2, {8.571, 3.030, 8.571}, {.004, .004, .004}},
      {4, {11.11, 5.882, 8.571}, {.005, .004, .004}},
      {8, {11.11, 11.11, 8.571}, {.005, .005, .004}},
      {16, {20.0, 20.0, 8.571}, {.05, .05, .004}},
      {32, {33.3, 33.3, 8.571}, {.05, .05, .004}},
      {64, {50.0, 50.0, 8.571}, {.05, .05, .004}},
  };
  static const uint32_t modes[] = {0, 2, 1};
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
    for (uint32_t m = 0; m < 3; m++) {
      struct sim s;
      load_tab_6_1(&s, false);
      table_write(&s, MODE, modes[m]);
      for (uint32_t sl = 0; sl < 4; sl++)
        s.flow[sl].size = rows[i].units;
      cycle(&s, false);
      struct shares r = saturate(&s, 200000);
      expect_near("IB-12, units", rows[i].units, percent(r.packets[3], r.all_packets),
                  rows[i].share[m], rows[i].tolerance[m]);
    }
}

/* GV-2: high VL0 2, VL1 1; low VL2 1; the limit is 4 units: packets of 16 units make 4 the limit.
 */
static void ibarb_grants_as_the_golden_trace_does(void **state) {
  (void)state;
  struct sim s;
  start(&s, IBARB, (struct options){.n_high = 2, .n_low = 1});
  table_write(&s, 0, entry(0, 2 * 16));
  table_write(&s, 1, entry(1, 16));
  table_write(&s, LOW, entry(2, 16));
  table_write(&s, LIMIT, 1);
  for (uint32_t vl = 0; vl < 3; vl++)
    queue(&s, vl, vl, 16, ENDLESS);
  expect_order(&s, "00102010021001200102");
}

/* T-Fig6.1: 3968 bytes have gone; three packets of VL0 and two of VL2 wait. */
static void ibarb_grants_as_figure_6_1_does(void **state) {
  (void)state;
  struct sim s;
  start(&s, IBARB, (struct options){0});
  table_write(&s, 0, entry(0, 31));
  table_write(&s, 1, entry(1, 31));
  table_write(&s, LOW, entry(2, 2));
  table_write(&s, LOW + 1, entry(3, 2));
  table_write(&s, LIMIT, 1);
  queue(&s, 0, 0, 1, 65);
  for (uint32_t i = 0; i < 62; i++)
    assert_int_equal(grant(&s), 0);
  assert_int_equal(table_read(&s, SENT) * 64, 3968);
  queue(&s, 2, 2, 1, 2);
  expect_order(&s, "00220-");
}

/* The interrupted high entry resumes with what it had left. */
static void an_interrupted_high_entry_resumes_with_what_it_had_left(void **state) {
  (void)state;
  struct sim s;
  start(&s, IBARB, (struct options){0});
  table_write(&s, 0, entry(0, 96));
  table_write(&s, 1, entry(1, 32));
  table_write(&s, LOW, entry(2, 32));
  table_write(&s, LIMIT, 1);
  for (uint32_t vl = 0; vl < 3; vl++)
    queue(&s, vl, vl, 32, ENDLESS);
  expect_order(&s, "00201200"
                   "2"
                   "0");
}

/* A due turn waits until low has a packet; low beside an idle high can be interrupted (docs). */
static void a_due_low_turn_waits_for_a_packet(void **state) {
  (void)state;
  struct sim s;
  start(&s, IBARB, (struct options){0});
  table_write(&s, 0, entry(0, 32));
  table_write(&s, LOW, entry(2, 2));
  table_write(&s, LIMIT, 1);
  queue(&s, 0, 0, 32, ENDLESS);
  queue(&s, 2, 2, 1, 0);
  expect_order(&s, "00000");
  assert_int_equal(table_read(&s, SENT), 160);
  s.flow[2].left = ENDLESS;
  expect_order(&s, "2");
  assert_int_equal(table_read(&s, TURN), 1);
  expect_order(&s, "20022");
  s.flow[0].left = 0;
  expect_order(&s, "22");
  assert_int_equal(table_read(&s, TURN), 0);
  expect_order(&s, "2"); /* one unit of the entry is left */
  s.flow[0].left = 1;
  expect_order(&s, "02");
  assert_int_equal(table_read(&s, LOOM_IBARB_REG_SELECTION_LOW), 0 << 16 | 0);
}

/* A low turn ends when its VL has nothing more to send. */
static void a_low_turn_ends_when_its_vl_is_idle(void **state) {
  (void)state;
  struct sim s;
  start(&s, IBARB, (struct options){0});
  table_write(&s, 0, entry(0, 200));
  table_write(&s, LOW, entry(2, 6));
  table_write(&s, LIMIT, 0);
  queue(&s, 0, 0, 1, ENDLESS);
  queue(&s, 2, 2, 1, 2);
  expect_order(&s, "02200000");
  assert_int_equal(table_read(&s, TURN), 0);
}

/* Deficit mode: the rest of an entry is carried over, and lost when its VL runs dry. */
static void deficit_mode_carries_the_rest_of_an_entry_over(void **state) {
  (void)state;
  struct sim s;
  start(&s, IBARB, (struct options){.n_high = 2});
  table_write(&s, 0, entry(0, 5));
  table_write(&s, 1, entry(1, 5));
  table_write(&s, LIMIT, 255);
  table_write(&s, MODE, 1);
  queue(&s, 0, 0, 4, ENDLESS);
  queue(&s, 1, 1, 4, ENDLESS);
  expect_order(&s, "01010100110"); /* 5 6 7 8: the fourth time two packets go */
  start(&s, IBARB, (struct options){.n_high = 2});
  table_write(&s, 0, entry(0, 5));
  table_write(&s, 1, entry(1, 5));
  table_write(&s, LIMIT, 255);
  table_write(&s, MODE, 1);
  queue(&s, 0, 0, 4, ENDLESS);
  queue(&s, 1, 1, 4, ENDLESS);
  for (uint32_t i = 0; i < 12; i++) {
    assert_int_equal(grant(&s), 0);
    s.flow[0].left = 0; /* its selection ends here with one unit left, which is lost */
    assert_int_equal(grant(&s), 1);
    s.flow[0].left = ENDLESS, s.flow[1].left = 0;
    assert_int_equal(grant(&s), 0);
    s.flow[0].left = 0, s.flow[1].left = ENDLESS;
    assert_int_equal(grant(&s), 1);
    s.flow[0].left = ENDLESS, s.flow[1].left = 0;
    cycle(&s, false);
    s.flow[1].left = ENDLESS;
    assert_true(s.u.ibarb.side[0].deficit[0] == 0 && s.u.ibarb.side[0].deficit[1] == 0);
  }
}

/* A selection that ends idle in the other mode leaves what deficit mode kept. */
static void the_rest_of_an_entry_outlives_round_up_mode(void **state) {
  (void)state;
  struct sim s;
  start(&s, IBARB, (struct options){.n_high = 2});
  table_write(&s, 0, entry(0, 5));
  table_write(&s, 1, entry(1, 5));
  table_write(&s, LIMIT, 255);
  table_write(&s, MODE, 1);
  queue(&s, 0, 0, 4, ENDLESS);
  queue(&s, 1, 1, 4, ENDLESS);
  expect_order(&s, "01");
  assert_int_equal(s.u.ibarb.side[0].deficit[0], 1);
  table_write(&s, MODE, 0);
  expect_order(&s, "10");
  s.flow[0].left = 0; /* with one unit left */
  assert_int_equal(grant(&s), 1);
  assert_int_equal(s.u.ibarb.side[0].deficit[0], 1);
}

static void entries_without_credits_are_passed_over(void **state) {
  (void)state;
  struct sim s;
  load_tab_6_1(&s, false);
  expect_order(&s, "000");
  s.credits[0] = 0;
  expect_order(&s, "1111111111"
                   "2222222"
                   "111");
  s.credits[0] = s.credits[1] = s.credits[2] = s.credits[3] = 0;
  assert_int_equal(grant(&s), NO_GRANT);
  s.credits[3] = 1;
  expect_order(&s, "3333333");
}

static void ibarb_has_its_entries_and_nothing_beyond_them(void **state) {
  (void)state;
  struct sim s;
  start(&s, IBARB, (struct options){.n_high = 128, .n_low = 3});
  for (uint32_t a = 0; a < 1024; a++)
    table_write(&s, a, 0xFFFFFFFF);
  for (uint32_t a = 0; a < 1024; a++) {
    uint32_t should = a < 0x83 ? 0x1FFF : a == LIMIT ? 255 : a == MODE ? 3 : 0;
    if (a == LOOM_IBARB_REG_SELECTION_HIGH)
      should = 127u << 16;
    if (a == LOOM_IBARB_REG_SELECTION_LOW)
      should = 2u << 16;
    assert_int_equal(table_read(&s, a), should);
  }
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_grant_comes_every_second_cycle),
      cmocka_unit_test(without_a_request_there_is_no_grant),
      cmocka_unit_test(a_head_beyond_its_credits_or_keys_is_invisible),
      cmocka_unit_test(management_goes_first_and_counts_nowhere),
      cmocka_unit_test(management_needs_credits_and_may_not_exist),
      cmocka_unit_test(the_probe_shows_the_phases),
      cmocka_unit_test(the_snapshot_stands_still_until_the_decision),
      cmocka_unit_test(illegal_parameters_are_refused_by_name),
      cmocka_unit_test(round_robin_goes_over_sls_or_over_vls),
      cmocka_unit_test(round_robin_gives_each_key_an_equal_share),
      cmocka_unit_test(shares_in_packets_are_not_shares_in_bytes),
      cmocka_unit_test(sbt_serves_keys_in_the_pattern_of_its_mode),
      cmocka_unit_test(sbt_takes_a_packet_from_the_remaining_weight),
      cmocka_unit_test(sbt_gives_the_published_shares_in_both_modes),
      cmocka_unit_test(sbt_gives_the_shares_of_chapter_4_on_shared_vls),
      cmocka_unit_test(sum_zero_waits_for_the_weight_of_every_key),
      cmocka_unit_test(sbt_keeps_the_weight_of_a_key_that_is_idle),
      cmocka_unit_test(a_write_of_a_weight_wins_over_a_charge),
      cmocka_unit_test(a_mode_written_between_phases_touches_the_next_decision),
      cmocka_unit_test(dtable_gives_the_published_shares_within_its_bounds),
      cmocka_unit_test(eight_bits_are_enough_for_the_published_tables),
      cmocka_unit_test(dtable_selects_as_the_golden_trace_does),
      cmocka_unit_test(dtable_follows_the_example_with_a_deficit),
      cmocka_unit_test(a_key_with_more_entries_waits_less),
      cmocka_unit_test(an_entry_below_a_packet_saves_its_weight_up),
      cmocka_unit_test(a_key_without_credits_loses_its_weight_and_deficit),
      cmocka_unit_test(a_key_behind_another_in_a_shared_vl_is_not_active),
      cmocka_unit_test(the_vls_of_a_key_take_turns),
      cmocka_unit_test(tables_are_read_and_written_while_packets_go),
      cmocka_unit_test(dtable_has_its_entries_and_nothing_beyond_them),
      cmocka_unit_test(dtable_lies_on_the_infiniband_tables_bit_for_bit),
      cmocka_unit_test(ibarb_gives_the_published_shares),
      cmocka_unit_test(the_low_share_falls_with_the_limit),
      cmocka_unit_test(limit_0_is_one_packet_and_limit_255_is_unlimited),
      cmocka_unit_test(ibarb_gives_the_published_shares_for_real_packets),
      cmocka_unit_test(ibarb_grants_as_the_golden_trace_does),
      cmocka_unit_test(ibarb_grants_as_figure_6_1_does),
      cmocka_unit_test(an_interrupted_high_entry_resumes_with_what_it_had_left),
      cmocka_unit_test(a_due_low_turn_waits_for_a_packet),
      cmocka_unit_test(a_low_turn_ends_when_its_vl_is_idle),
      cmocka_unit_test(deficit_mode_carries_the_rest_of_an_entry_over),
      cmocka_unit_test(the_rest_of_an_entry_outlives_round_up_mode),
      cmocka_unit_test(entries_without_credits_are_passed_over),
      cmocka_unit_test(ibarb_has_its_entries_and_nothing_beyond_them),
  };
  return UNIT_RUN("sched", tests, NULL, NULL);
}
