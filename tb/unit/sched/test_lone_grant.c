/* SPDX-License-Identifier: Apache-2.0 */
/* test_lone_grant.c - the twin of lone_grant against docs/lone_grant.md: alone, with a scheduler
 * that grants what the test says, and before the twins of the schedulers with tables
 */
#include "tb/unit/unit.h"

#include <loom/bits.h>
#include <loom/random.h>
#include <string.h>

#include "sched/deficit_table.h"
#include "sched/lone_grant.h"
#include "sched/two_table.h"

enum { MGMT = 15, NO_GRANT = -1 };

/* ---- with a scheduler that grants what the test says ----------------------------------------- */

struct sim {
  struct loom_lone_grant d;
  struct loom_lone_grant_in in;   /* of the next cycle; pulses go after it */
  struct loom_lone_grant_out out; /* of the last cycle */
};

static void start_of(struct sim *s, uint32_t quiet, uint32_t arb_key) {
  struct loom_lone_grant_cfg c;
  loom_lone_grant_defaults(&c);
  c.QUIET = quiet;
  c.ARB_KEY = arb_key;
  assert_true(loom_lone_grant_cfg_ok(&c));
  memset(s, 0, sizeof *s);
  loom_lone_grant_init(&s->d, &c);
  s->in.request = 1;
  s->in.sched_served = loom_mask(32);
}

static void start(struct sim *s) { start_of(s, 8, 1); }

/* The VL that is granted in this cycle, or NO_GRANT. */
static int cycle(struct sim *s) {
  loom_lone_grant_step(&s->d, &s->in, &s->out);
  s->in.head_valid = s->in.head_vl = s->in.head_size = s->in.head_sl = s->in.head_last = 0;
  s->in.sched_grant_valid = s->in.sched_grant_vl = 0;
  s->in.sched_grant_key = s->in.sched_grant_size = 0;
  return s->out.grant_valid ? (int)s->out.grant_vl : NO_GRANT;
}

static void silence(struct sim *s, uint32_t cycles) {
  while (cycles--)
    assert_int_equal(cycle(s), NO_GRANT);
}

static void head(struct sim *s, uint32_t vl, uint32_t size, uint32_t sl, bool last) {
  s->in.head_valid = 1;
  s->in.head_vl = vl;
  s->in.head_size = size;
  s->in.head_sl = sl;
  s->in.head_last = last;
}

/* A head is told, and its VL is ready from the next cycle on. */
static void arrive(struct sim *s, uint32_t vl, uint32_t size, uint32_t sl, bool last) {
  head(s, vl, size, sl, last);
  silence(s, 1);
  s->in.ready |= 1ull << vl;
}

/* The scheduler grants in the next cycle. */
static void sched_grants(struct sim *s, uint32_t vl, uint32_t key, uint32_t size) {
  s->in.sched_grant_valid = 1;
  s->in.sched_grant_vl = vl;
  s->in.sched_grant_key = key;
  s->in.sched_grant_size = size;
}

/* A packet goes ahead; its ready bit was 1 in c, and the next cycle is c + 3. */
static void goes_ahead(struct sim *s, uint32_t vl) {
  silence(s, 2);
  assert_int_equal(cycle(s), (int)vl);
  s->in.ready &= ~(1ull << vl);
}

static void a_packet_alone_goes_as_the_page_says_cycle_by_cycle(void **state) {
  (void)state;
  for (uint32_t arb_key = 0; arb_key <= 1; arb_key++)
    for (uint32_t vl = 0; vl < MGMT; vl++) {
      struct sim s;
      start_of(&s, 8, arb_key);
      arrive(&s, vl, 5 + vl, 20, true);
      assert_int_equal(s.out.sched_head_valid, 1); /* at once */
      assert_int_equal(s.out.sched_head_vl, vl);
      assert_int_equal(s.out.sched_head_size, 5 + vl);
      assert_int_equal(s.out.sched_head_sl, 20);
      assert_int_equal(s.out.sched_head_last, 1);
      silence(&s, 1); /* c */
      assert_int_equal(s.out.sched_request, 1);
      assert_int_equal(s.out.sched_ready, 1 << vl);
      silence(&s, 1); /* c + 1, the attempt */
      assert_int_equal(s.out.sched_request, 0);
      assert_int_equal(cycle(&s), (int)vl); /* c + 2 */
      assert_int_equal(s.out.grant_key, arb_key ? 20 : vl);
      assert_int_equal(s.out.grant_size, 5 + vl);
      assert_int_equal(s.out.sched_request, 0);
      s.in.ready = 0;
      arrive(&s, (vl + 1) % MGMT, 1, 1, true); /* of no account while the scheduler decides */
      for (uint32_t i = 0; i < 100; i++) {     /* c + 4 and later */
        s.in.request = i % 40 < 20;
        silence(&s, 1);
        assert_int_equal(s.out.sched_request, 1);
        assert_int_equal(s.out.sched_ready, 1 << vl);
      }
      sched_grants(&s, vl, arb_key ? 20 : vl, 5 + vl);
      silence(&s, 1); /* it is not shown a second time */
      s.in.request = 0;
      silence(&s, 1);
      assert_int_equal(s.out.sched_request, 0);
      assert_int_equal(s.out.sched_ready, 1 << (vl + 1) % MGMT);
    }
}

static void what_is_not_alone_or_may_not_go_waits_for_the_scheduler(void **state) {
  (void)state;
  struct sim s;
  start(&s); /* two are ready */
  arrive(&s, 1, 1, 1, true);
  s.in.request = 0;
  arrive(&s, 2, 1, 2, true);
  s.in.request = 1;
  silence(&s, 30);
  s.in.ready = 1 << 2; /* now one is alone */
  goes_ahead(&s, 2);

  start(&s); /* without a request */
  s.in.request = 0;
  arrive(&s, 1, 1, 1, true);
  silence(&s, 30);
  s.in.request = 1;
  goes_ahead(&s, 1);

  start(&s);
  arrive(&s, MGMT, 1, 1, true);
  silence(&s, 30);

  start(&s);
  arrive(&s, 1, 0, 1, true); /* of no size */
  silence(&s, 30);

  start(&s);
  s.in.sched_served = ~(1ull << 9) & loom_mask(32);
  arrive(&s, 1, 1, 9, true); /* without an entry */
  silence(&s, 30);
  s.in.sched_served |= 1 << 9; /* in this cycle it is attempted */
  silence(&s, 1);
  assert_int_equal(cycle(&s), 1);
}

static void a_key_that_the_scheduler_does_not_have_is_not_granted(void **state) {
  (void)state;
  struct sim s;
  start(&s);
  s.d.cfg.KEYS = 20;
  arrive(&s, 1, 1, 20, true);
  silence(&s, 30);
}

static void a_vl_that_is_ready_for_a_cycle_goes_if_it_was_alone_in_it(void **state) {
  (void)state;
  struct sim s;
  start(&s);
  arrive(&s, 3, 7, 1, true);
  silence(&s, 1);
  s.in.ready = 0; /* as the page promises: ready two cycles before its grant */
  silence(&s, 1);
  assert_int_equal(cycle(&s), 3);
}

/* Grants of either kind: what goes ahead comes 2 cycles after QUIET ones without any. */
static void nothing_goes_ahead_for_quiet_cycles_after_a_grant(void **state) {
  (void)state;
  for (uint32_t quiet = 1; quiet <= 15; quiet++)
    for (uint32_t shown = 0; shown <= 1; shown++) {
      struct sim s;
      start_of(&s, quiet, 1);
      arrive(&s, 1, 1, 1, true);
      if (!shown) {
        goes_ahead(&s, 1);
        silence(&s, 40);
      }
      sched_grants(&s, 1, 1, 1);
      assert_int_equal(cycle(&s), shown ? 1 : NO_GRANT); /* in g */
      s.in.ready = 0;
      arrive(&s, 2, 1, 2, true);
      silence(&s, quiet < 2 ? 2 : quiet); /* to g + 1 + QUIET; ready in g + 2, so g + 4 at least */
      assert_int_equal(cycle(&s), 2);
    }
}

static void the_grant_of_the_scheduler_goes_first(void **state) {
  (void)state;
  for (uint32_t at = 0; at <= 2; at++) { /* the bit, the attempt, what would be the grant */
    struct sim s;
    start(&s);
    arrive(&s, 4, 9, 4, true);
    silence(&s, at);
    sched_grants(&s, MGMT, 3, 2);
    assert_int_equal(cycle(&s), MGMT);
    assert_int_equal(s.out.grant_key, 3);
    assert_int_equal(s.out.grant_size, 2);
    silence(&s, 9); /* g + 9: what waits is alone still */
    assert_int_equal(cycle(&s), 4);
  }
}

static void a_head_that_comes_while_its_vl_is_ahead_is_told_afterwards(void **state) {
  (void)state;
  struct sim s;
  start(&s);
  arrive(&s, 6, 3, 6, true);
  goes_ahead(&s, 6);
  silence(&s, 2);
  head(&s, 6, 12, 7, false);
  silence(&s, 1);
  assert_int_equal(s.out.sched_head_valid, 0);
  s.in.ready = 1 << 6 | 1 << 2;
  silence(&s, 3);
  assert_int_equal(s.out.sched_ready, 1 << 6); /* of the packet before it */
  head(&s, 8, 1, 9, true);                     /* that of another VL passes */
  silence(&s, 1);
  assert_int_equal(s.out.sched_head_vl, 8);
  sched_grants(&s, 6, 6, 3);
  silence(&s, 1);
  head(&s, 9, 4, 1, true); /* and goes before it */
  silence(&s, 1);
  assert_int_equal(s.out.sched_head_vl, 9);
  assert_int_equal(s.out.sched_ready, 1 << 2); /* without that of the head that is late */
  silence(&s, 1);
  assert_int_equal(s.out.sched_head_valid, 1);
  assert_int_equal(s.out.sched_head_vl, 6);
  assert_int_equal(s.out.sched_head_size, 12);
  assert_int_equal(s.out.sched_head_sl, 7);
  assert_int_equal(s.out.sched_head_last, 0);
  assert_int_equal(s.out.sched_ready, 1 << 2);
  silence(&s, 1);
  assert_int_equal(s.out.sched_head_valid | s.out.sched_head_vl | s.out.sched_head_size, 0);
  assert_int_equal(s.out.sched_ready, 1 << 6 | 1 << 2);
}

/* Its ready bit falls a cycle later; four cycles without the entry are the end. */
static void a_packet_ahead_is_given_up_when_its_key_loses_its_entry(void **state) {
  (void)state;
  for (uint32_t lost = 1; lost <= 8; lost++) {
    struct sim s;
    start(&s);
    arrive(&s, 6, 3, 17, true);
    goes_ahead(&s, 6);
    s.in.ready = 1 << 1;
    silence(&s, 5);
    s.in.sched_served &= ~(1ull << 17);
    for (uint32_t i = 1; i <= lost; i++) {
      silence(&s, 1);
      assert_int_equal(s.out.sched_ready, i == 1 ? 1 << 6 : i <= 4 ? 0 : 1 << 1);
    }
    s.in.sched_served |= 1 << 17;
    silence(&s, 1);
    assert_int_equal(s.out.sched_ready, lost < 4 ? 0 : 1 << 1);
    silence(&s, 1);
    assert_int_equal(s.out.sched_ready, lost < 3 ? 1 << 6 : 1 << 1);
  }
}

/* What was given up a long time after its grant leaves no quiet cycles behind. */
static void a_head_that_the_scheduler_does_not_know_yet_does_not_go_ahead(void **state) {
  (void)state;
  struct sim s;
  start(&s);
  arrive(&s, 6, 3, 17, true);
  goes_ahead(&s, 6);
  silence(&s, 20);
  s.in.sched_served &= ~(1ull << 17);
  arrive(&s, 6, 4, 5, true);
  silence(&s, 3);
  for (uint32_t vl = 7; vl < MGMT; vl++) { /* heads in every cycle keep it back */
    head(&s, vl, 1, 1, true);
    silence(&s, 1);
    assert_int_equal(s.out.sched_ready, 0);
  }
  silence(&s, 1);
  assert_int_equal(s.out.sched_head_vl, 6);
  silence(&s, 1);
  assert_int_equal(cycle(&s), 6);
}

/* DT-10 */
static void nothing_goes_ahead_between_the_packets_of_a_train_but_its_own(void **state) {
  (void)state;
  struct sim s;
  start(&s);
  arrive(&s, 6, 3, 6, false);
  goes_ahead(&s, 6);
  sched_grants(&s, 6, 6, 3);
  silence(&s, 20);
  arrive(&s, 2, 1, 2, true);
  silence(&s, 20);
  sched_grants(&s, MGMT, 0, 1); /* VL15 does not end it */
  assert_int_equal(cycle(&s), MGMT);
  silence(&s, 20);
  s.in.ready = 0;
  arrive(&s, 6, 4, 6, true);
  goes_ahead(&s, 6);
  sched_grants(&s, 6, 6, 4);
  silence(&s, 10);
  s.in.ready = 1 << 2;
  goes_ahead(&s, 2);
}

/* ---- before a scheduler ---------------------------------------------------------------------- */

enum kind { DEFICIT, TWO };

/* A scheduler with one packet at a time; with `lone`, behind lone_grant. */
struct port {
  enum kind kind;
  bool lone;
  struct loom_lone_grant d;
  struct loom_deficit_table deficit;
  struct loom_two_table two;
  struct loom_lone_grant_in in; /* what the user says in the next cycle */
  uint32_t sched_grants;        /* that the scheduler made, shown or not */
  bool write;
  uint32_t addr, data;
};

static void open_port(struct port *p, enum kind kind, bool lone) {
  struct loom_lone_grant_cfg l;
  struct loom_deficit_table_cfg d;
  struct loom_two_table_cfg t;
  memset(p, 0, sizeof *p);
  p->kind = kind;
  p->lone = lone;
  loom_lone_grant_defaults(&l);
  loom_deficit_table_defaults(&d);
  loom_two_table_defaults(&t);
  d.STAY_CYCLES = t.STAY_CYCLES = 8;
  loom_lone_grant_init(&p->d, &l);
  loom_deficit_table_init(&p->deficit, &d);
  loom_two_table_init(&p->two, &t);
}

/* What the scheduler shows goes to lone_grant in the same cycle. */
static void look(const struct port *p, struct loom_lone_grant_in *in) {
  struct loom_deficit_table_out d;
  struct loom_two_table_out t;
  loom_deficit_table_show(&p->deficit, &d);
  loom_two_table_show(&p->two, &t);
  bool two = p->kind == TWO;
  in->sched_served = two ? t.served : d.served;
  in->sched_grant_valid = two ? t.grant_valid : d.grant_valid;
  in->sched_grant_vl = two ? t.grant_vl : d.grant_vl;
  in->sched_grant_key = two ? t.grant_key : d.grant_key;
  in->sched_grant_size = two ? t.grant_size : d.grant_size;
}

static void step_scheduler(struct port *p, const struct loom_lone_grant_out *o) {
  struct loom_deficit_table_in d = {.request = o->sched_request,
                                    .ready = o->sched_ready,
                                    .head_valid = o->sched_head_valid,
                                    .head_vl = o->sched_head_vl,
                                    .head_size = o->sched_head_size,
                                    .head_sl = o->sched_head_sl,
                                    .head_last = o->sched_head_last,
                                    .table_we = p->write,
                                    .table_addr = p->addr,
                                    .table_data = p->data};
  struct loom_two_table_in t = {.request = d.request,
                                .ready = d.ready,
                                .head_valid = d.head_valid,
                                .head_vl = d.head_vl,
                                .head_size = d.head_size,
                                .head_sl = d.head_sl,
                                .table_we = d.table_we,
                                .table_addr = d.table_addr,
                                .table_data = d.table_data};
  struct loom_deficit_table_out deficit;
  struct loom_two_table_out two;
  if (p->kind == DEFICIT)
    loom_deficit_table_step(&p->deficit, &d, &deficit);
  else
    loom_two_table_step(&p->two, &t, &two);
}

/* The VL that is granted in this cycle, or NO_GRANT. */
static int port_cycle(struct port *p) {
  struct loom_lone_grant_in in = p->in;
  struct loom_lone_grant_out o = {.sched_request = in.request,
                                  .sched_ready = in.ready,
                                  .sched_head_valid = in.head_valid,
                                  .sched_head_vl = in.head_vl,
                                  .sched_head_size = in.head_size,
                                  .sched_head_sl = in.head_sl,
                                  .sched_head_last = in.head_last};
  look(p, &in);
  p->sched_grants += in.sched_grant_valid != 0;
  o.grant_valid = in.sched_grant_valid;
  o.grant_vl = in.sched_grant_vl;
  if (p->lone)
    loom_lone_grant_step(&p->d, &in, &o);
  step_scheduler(p, &o);
  p->in.head_valid = 0;
  p->write = false;
  return o.grant_valid ? (int)o.grant_vl : NO_GRANT;
}

static void port_cycles(struct port *p, uint32_t n) {
  while (n--)
    assert_int_equal(port_cycle(p), NO_GRANT);
}

static void port_write(struct port *p, uint32_t addr, uint32_t data) {
  p->write = true;
  p->addr = addr;
  p->data = data;
  port_cycles(p, 4);
}

/* One packet, which is alone for so many cycles; those that it waits for its grant. */
static uint32_t send_alone(struct port *p, uint32_t vl, uint32_t sl, uint32_t size, bool last,
                           uint32_t cycles) {
  uint32_t waits = 0;
  p->in.request = p->in.head_valid = 1;
  p->in.head_vl = vl;
  p->in.head_size = size;
  p->in.head_sl = sl;
  p->in.head_last = last;
  port_cycles(p, 1);
  p->in.ready = 1ull << vl;
  while (port_cycle(p) != (int)vl)
    assert_true(++waits < 2000);
  p->in.ready = 0;
  port_cycles(p, cycles > waits ? cycles - waits : 0);
  return waits;
}

static uint32_t entry_at(const struct port *p, uint32_t e) {
  if (p->kind == DEFICIT)
    return e;
  return (e % 2 ? LOOM_IBARB_REG_LOW : LOOM_IBARB_REG_HIGH) + e / 2;
}

static void fill_tables(struct port *p, uint64_t *seed, uint32_t most) {
  port_cycles(p, 140);
  for (uint32_t e = 0; e < 16; e++) {
    uint32_t message = p->kind == DEFICIT && loom_below(seed, 2) ? 1u << 13 : 0;
    port_write(p, entry_at(p, e), message | e % 8 << 8 | (1 + loom_below(seed, most)));
  }
  if (p->kind == TWO)
    port_write(p, LOOM_IBARB_REG_MODE, LOOM_IBARB_DEFICIT);
}

static void compare_ports(const struct port *a, const struct port *b) {
  assert_int_equal(a->deficit.ptr, b->deficit.ptr);
  assert_int_equal(a->deficit.cur_valid, b->deficit.cur_valid);
  assert_int_equal(a->deficit.cur, b->deficit.cur);
  assert_int_equal(a->deficit.acc, b->deficit.acc);
  assert_int_equal(a->deficit.open, b->deficit.open);
  assert_int_equal(a->deficit.kept_vl, b->deficit.kept_vl);
  assert_memory_equal(a->deficit.deficit, b->deficit.deficit, sizeof a->deficit.deficit);
  assert_memory_equal(a->deficit.last_vl, b->deficit.last_vl, sizeof a->deficit.last_vl);
  for (uint32_t x = 0; x < 2; x++) {
    assert_int_equal(a->two.side[x].entry, b->two.side[x].entry);
    assert_int_equal(a->two.side[x].key, b->two.side[x].key);
    assert_int_equal(a->two.side[x].left, b->two.side[x].left);
    assert_memory_equal(a->two.side[x].deficit, b->two.side[x].deficit,
                        sizeof a->two.side[x].deficit);
  }
  assert_int_equal(a->two.sent, b->two.sent);
  assert_int_equal(a->two.turn, b->two.turn);
  assert_memory_equal(a->two.last_vl, b->two.last_vl, sizeof a->two.last_vl);
}

/* Packets alone, now and then in trains of one VL and SL: whatever entries the scheduler goes
 * through, it charges them as if the packets had waited. */
static void the_scheduler_charges_its_tables_as_if_the_packet_had_waited(void **state) {
  (void)state;
  for (uint32_t round = 0; round < 40; round++) {
    struct port a, b;
    enum kind kind = round % 2 ? TWO : DEFICIT;
    uint32_t most = round % 4 < 2 ? 4 : 200, sooner = 0;
    uint64_t seed = round, seed_b = round;
    open_port(&a, kind, true);
    open_port(&b, kind, false);
    fill_tables(&a, &seed, most);
    fill_tables(&b, &seed_b, most);
    uint32_t vl = 0, sl = 0;
    bool last = true;
    for (uint32_t n = 0; n < 60; n++) {
      if (last) {
        vl = loom_below(&seed, MGMT);
        sl = loom_below(&seed, 8);
      }
      last = loom_below(&seed, 3) > 0;
      uint32_t size = 1 + loom_below(&seed, 32), apart = 10 + loom_below(&seed, 100);
      uint32_t waits_a = send_alone(&a, vl, sl, size, last, 400 + apart);
      uint32_t waits_b = send_alone(&b, vl, sl, size, last, 400 + apart);
      assert_int_equal(waits_a, 2);
      assert_true(waits_b >= 2);
      sooner += waits_b > waits_a;
      compare_ports(&a, &b);
    }
    assert_true(sooner > 0);
    assert_int_equal(a.d.ahead, 0);
  }
}

/* A packet that comes while the one before it is still decided about waits for that. */
static void the_scheduler_grants_each_packet_once_however_soon_it_comes(void **state) {
  (void)state;
  for (enum kind kind = DEFICIT; kind <= TWO; kind++)
    for (uint32_t soon = 0; soon < 24; soon++) {
      struct port p;
      uint64_t seed = 5;
      open_port(&p, kind, true);
      fill_tables(&p, &seed, 200);
      for (uint32_t n = 0; n < 8; n++)
        (void)send_alone(&p, n / 2 % 2 ? 3 : 1, 2, 5, true, soon);
      port_cycles(&p, 100);
      assert_int_equal(p.sched_grants, 8);
      assert_int_equal(p.d.ahead | p.d.late, 0);
    }
}

static void a_packet_whose_entry_is_deleted_while_it_is_ahead_is_forgotten(void **state) {
  (void)state;
  for (enum kind kind = DEFICIT; kind <= TWO; kind++)
    for (uint32_t when = 0; when < 20; when++) {
      struct port p;
      open_port(&p, kind, true);
      port_cycles(&p, 140);
      port_write(&p, 3, 4 << 8 | 1);
      assert_int_equal(send_alone(&p, 3, 4, 30, true, when + 2), 2);
      port_write(&p, 3, 5 << 8 | 200);
      port_cycles(&p, 40);
      assert_int_equal(p.d.ahead, 0);
      assert_int_equal(send_alone(&p, 3, 5, 30, true, 100), 2); /* another key goes on */
      assert_int_equal(p.d.ahead, 0);
    }
}

/* ---- before a scheduler, with traffic of many ------------------------------------------------ */

enum { CROWD_KEYS = 8, CROWD_ENTRIES = 16, CROWD_VLS = 16, SELDOM = 16384 };

struct crowd_lane {
  bool there, told, open; /* a packet; its head event was; it is not the first of its message */
  uint32_t sl, size;
  bool last;
};

/* A user of a port with packets on many VLs, who writes entries anew now and then; each key has the
 * same entries all the time, with other weights and message bits. */
struct crowd {
  struct port p;
  uint64_t seed;
  uint32_t entries, arrive, write; /* entries in use; chances in SELDOM */
  uint32_t weight[CROWD_ENTRIES];  /* as written */
  struct crowd_lane lane[CROWD_VLS];
  uint32_t went, size, key, settled; /* what went ahead last; cycles ahead without a write */
  uint32_t wrote;                    /* cycles since the last write */
};

static void crowd_packets(struct crowd *c) {
  uint32_t start = loom_below(&c->seed, CROWD_VLS);
  for (uint32_t n = 0; n < CROWD_VLS; n++) {
    uint32_t v = (start + n) % CROWD_VLS;
    struct crowd_lane *l = &c->lane[v];
    if (!l->there && loom_below(&c->seed, SELDOM) < (l->open ? SELDOM / 32 : c->arrive)) {
      l->there = true;
      l->told = false;
      l->sl = l->open ? l->sl : loom_below(&c->seed, CROWD_KEYS);
      l->size = 1 + loom_below(&c->seed, 32);
      l->last = loom_below(&c->seed, 3) > 0;
      l->open = !l->last;
    }
    if (l->there && l->told) {
      c->p.in.ready |= 1ull << v;
    } else if (l->there && !c->p.in.head_valid) {
      c->p.in.head_valid = 1;
      c->p.in.head_vl = v;
      c->p.in.head_size = l->size;
      c->p.in.head_sl = l->sl;
      c->p.in.head_last = l->last;
      l->told = true;
    }
  }
}

static void crowd_write(struct crowd *c, uint32_t e) {
  uint32_t message = c->p.kind == DEFICIT && loom_below(&c->seed, 2) ? 1u << 13 : 0;
  c->weight[e] = 1 + loom_below(&c->seed, loom_below(&c->seed, 2) ? 3 : 60);
  c->p.write = true;
  c->p.addr = entry_at(&c->p, e);
  c->p.data = message | e % CROWD_KEYS << 8 | c->weight[e];
  c->wrote = 0;
}

/* Cycles in which a packet that stays ready alone is granted, by what docs/tables.md says: the view
 * has come through, a selection is left, and each entry adds its weight, for 5 cycles each. */
static uint32_t crowd_bound(const struct crowd *c) {
  uint32_t least = UINT32_MAX, view = 2 * CROWD_VLS + (c->p.kind == TWO ? 16 : 12);
  for (uint32_t e = c->key; e < c->entries; e += CROWD_KEYS)
    least = loom_min(least, c->weight[e]);
  return view + 5 * (1 + (c->size + least - 1) / least);
}

/* Returns the cycles for which a packet has been ahead, without a write. */
static uint32_t crowd_cycle(struct crowd *c) {
  crowd_packets(c);
  if (c->wrote++ >= 4 && loom_below(&c->seed, SELDOM) < c->write)
    crowd_write(c, loom_below(&c->seed, c->entries));
  c->p.in.request = loom_below(&c->seed, 16) > 0;
  int vl = port_cycle(&c->p);
  c->p.in.ready = 0;
  if (vl != NO_GRANT) {
    struct crowd_lane *l = &c->lane[vl];
    assert_true(l->there && l->told);
    l->there = false;
    c->size = l->size;
    c->key = l->sl;
  }
  c->went += vl != NO_GRANT && c->p.d.ahead;
  c->settled = c->p.d.ahead && c->wrote > 4 ? c->settled + 1 : 0;
  return c->settled;
}

/* With the STAY_CYCLES and QUIET of an output_unit: while a packet is ahead nothing else is
 * granted, so the size and key of the last grant are its own. */
static void a_packet_is_ahead_no_longer_than_its_scheduler_takes_for_it(void **state) {
  (void)state;
  uint32_t longest = 0, went = 0;
  for (uint32_t round = 0; round < 48; round++) {
    struct crowd c = {.seed = round, .entries = round % 4 < 2 ? CROWD_ENTRIES : CROWD_KEYS};
    open_port(&c.p, round % 2 ? TWO : DEFICIT, true);
    fill_tables(&c.p, &c.seed, 1);
    for (uint32_t e = CROWD_KEYS; e < CROWD_ENTRIES && c.entries == CROWD_KEYS; e++)
      port_write(&c.p, entry_at(&c.p, e), 0);
    for (uint32_t e = 0; e < CROWD_ENTRIES; e++)
      c.weight[e] = 1;
    for (uint32_t n = 0; n < 20000; n++) {
      if (n % 1000 == 0) {
        c.arrive = 1u << loom_below(&c.seed, 11);
        c.write = loom_below(&c.seed, 2) ? 0 : 16u << loom_below(&c.seed, 6);
      }
      uint32_t ahead = crowd_cycle(&c);
      assert_true(ahead <= crowd_bound(&c));
      longest = loom_max(longest, ahead);
    }
    went += c.went;
  }
  assert_true(went > 1000);
  assert_true(longest > 100); /* the crowd has packets that wait for many entries */
}

static void parameters_that_do_not_fit_are_refused(void **state) {
  (void)state;
  struct loom_lone_grant_cfg c;
  loom_lone_grant_defaults(&c);
  c.ARB_KEY = 0;
  c.KEYS = 15;
  assert_false(loom_lone_grant_cfg_ok(&c));
  c.KEYS = 16;
  assert_true(loom_lone_grant_cfg_ok(&c));
  c.QUIET = 0;
  assert_string_equal(loom_lone_grant_bad_param(&c), "QUIET");
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_packet_alone_goes_as_the_page_says_cycle_by_cycle),
      cmocka_unit_test(what_is_not_alone_or_may_not_go_waits_for_the_scheduler),
      cmocka_unit_test(a_key_that_the_scheduler_does_not_have_is_not_granted),
      cmocka_unit_test(a_vl_that_is_ready_for_a_cycle_goes_if_it_was_alone_in_it),
      cmocka_unit_test(nothing_goes_ahead_for_quiet_cycles_after_a_grant),
      cmocka_unit_test(the_grant_of_the_scheduler_goes_first),
      cmocka_unit_test(a_head_that_comes_while_its_vl_is_ahead_is_told_afterwards),
      cmocka_unit_test(a_packet_ahead_is_given_up_when_its_key_loses_its_entry),
      cmocka_unit_test(a_head_that_the_scheduler_does_not_know_yet_does_not_go_ahead),
      cmocka_unit_test(nothing_goes_ahead_between_the_packets_of_a_train_but_its_own),
      cmocka_unit_test(the_scheduler_charges_its_tables_as_if_the_packet_had_waited),
      cmocka_unit_test(the_scheduler_grants_each_packet_once_however_soon_it_comes),
      cmocka_unit_test(a_packet_whose_entry_is_deleted_while_it_is_ahead_is_forgotten),
      cmocka_unit_test(a_packet_is_ahead_no_longer_than_its_scheduler_takes_for_it),
      cmocka_unit_test(parameters_that_do_not_fit_are_refused),
  };
  return UNIT_RUN("lone_grant", tests, NULL, NULL);
}
