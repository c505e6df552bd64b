/* SPDX-License-Identifier: Apache-2.0 */
/* test_crossbar_groups.c - the twin of crossbar_switch with groups of ports against what
 * docs/port_groups.md and docs/crossbar_switch.md say, without a circuit
 *
 * As `load` and `above` are a cycle late each, and members are looked at two cycles after the head,
 * a port counts by the totals of its two trackers as they are while the head is on the link. So the
 * bench knows the one port of every packet. */
#include "tb/unit/unit.h"

#include <stdlib.h>
#include <string.h>

#include "parts/credit_tracker.h"
#include "tb/unit/switch/crossbar_bench.h"
#include "tb/unit/switch/group_rule.h"

enum { BY_PORT, BY_LID, BY_FLOW, BY_LOAD, MODES };
enum { SLOTS = LOOM_GROUP_SLOTS, GROUPS = 64, LIDS = 256, CLASSES = LOOM_GROUP_THRESHOLDS };
enum { NOWHERE = 63, HIGHEST = 8191 };
enum { FREE = LOOM_SWITCH_WIN_GROUP_FREE };
enum { TURNED = LOOM_SWITCH_WIN_GROUP_TURNED, CROWDED = LOOM_SWITCH_WIN_GROUP_CROWDED };

/* ---- what was written ------------------------------------------------------------------------ */

struct tables {
  uint8_t mode[LIDS], out[LIDS];
  uint64_t members[GROUPS];
  uint8_t slot[GROUPS][SLOTS];
  uint32_t lids, count, hash, sls, threshold[CLASSES];
  uint32_t free, turned, crowded; /* heads that count so */
};

static struct tables *tables_of(const struct bench *b) { return b->tables; }

/* `above` of each port for a head that is on the link now. */
static void look_at_loads(const struct bench *b, uint64_t *above) {
  for (uint32_t o = 0; o < b->cfg.PORTS; o++) {
    const struct loom_chassis_port *p = &b->s->chassis.port[o];
    uint32_t load = p->crossing.tracker.total + p->output.tracker.total;
    above[o] = 0;
    for (uint32_t k = 0; k < CLASSES; k++)
      above[o] |= (uint64_t)(load >= tables_of(b)->threshold[k]) << k;
  }
}

static bool is_loose(const struct tables *t, const struct packet *p) {
  return t->sls >> p->sl & 1 && p->vl != VL_MGMT && !p->after && !p->more;
}

static uint32_t choose_port(const struct bench *b, uint64_t members, uint32_t slot) {
  struct tables *t = tables_of(b);
  uint64_t above[PORTS];
  look_at_loads(b, above);
  uint32_t port = port_by_load(b->cfg.PORTS, members, above, slot);
  t->free++;
  t->turned += port != slot;
  t->crowded += first_below(b->cfg.PORTS, members, above, CLASSES - 1, slot) == b->cfg.PORTS;
  return port;
}

/* The one port of a head, by the tables. */
static uint64_t port_of(const struct bench *b, const struct packet *p) {
  const struct tables *t = tables_of(b);
  if (p->dest >= t->lids)
    return 0;
  uint32_t mode = t->mode[p->dest], out = t->out[p->dest];
  if (mode != BY_PORT) {
    if (out >= t->count)
      return 0;
    uint64_t members = t->members[out];
    out = t->slot[out][mode == BY_LID ? lid_index(p->dest) : flow_index(p->src, p->dest, t->hash)];
    if (mode == BY_LOAD && members && is_loose(t, p))
      out = choose_port(b, members, out);
  }
  return out < b->cfg.PORTS ? 1ull << out : 0;
}

/* Any port, while tables are written. */
static uint64_t anywhere(const struct bench *b, const struct packet *p) {
  return p->dest < tables_of(b)->lids ? b->s->chassis.all : 0;
}

/* ---- writing --------------------------------------------------------------------------------- */

static void write_lft(struct bench *b, uint32_t lid, uint32_t mode, uint32_t out) {
  struct tables *t = tables_of(b);
  write_reg(b, LOOM_SWITCH_REG_LFT + lid,
            LOOM_PUT(LOOM_SWITCH_REG_LFT_MODE, mode) | LOOM_PUT(LOOM_SWITCH_REG_LFT_OUT, out));
  t->mode[lid] = (uint8_t)mode;
  t->out[lid] = (uint8_t)out;
}

static void write_lids(struct bench *b, uint32_t lids) {
  write_reg(b, LOOM_SWITCH_REG_LFT_COUNT, lids);
  tables_of(b)->lids = lids;
}

static void write_members(struct bench *b, uint32_t group, uint64_t members) {
  for (uint32_t h = 0; h < 2; h++)
    write_reg(b, LOOM_SWITCH_REG_GROUP_MEMBERS + 2 * group + h, (uint32_t)(members >> 32 * h));
  tables_of(b)->members[group] = members;
}

static void write_slot(struct bench *b, uint32_t group, uint32_t slot, uint32_t port) {
  write_reg(b, LOOM_SWITCH_REG_GROUP_SLOTS + SLOTS * group + slot, port);
  tables_of(b)->slot[group][slot] = (uint8_t)port;
}

static void write_slots(struct bench *b, uint32_t group, uint32_t port) {
  for (uint32_t k = 0; k < SLOTS; k++)
    write_slot(b, group, k, port);
}

static void write_count(struct bench *b, uint32_t count) {
  write_reg(b, LOOM_SWITCH_REG_GROUP_COUNT, count);
  tables_of(b)->count = count;
}

static void write_hash(struct bench *b, uint32_t hash) {
  write_reg(b, LOOM_SWITCH_REG_GROUP_HASH, hash);
  tables_of(b)->hash = hash;
}

static void write_sls(struct bench *b, uint32_t sls) {
  write_reg(b, LOOM_SWITCH_REG_GROUP_SLS, sls);
  tables_of(b)->sls = sls;
}

static void write_threshold(struct bench *b, uint32_t k, uint32_t load) {
  write_reg(b, LOOM_SWITCH_REG_GROUP_LOAD + k, load);
  tables_of(b)->threshold[k] = load;
}

static void write_thresholds(struct bench *b, uint32_t low, uint32_t middle, uint32_t high) {
  write_threshold(b, 0, low);
  write_threshold(b, 1, middle);
  write_threshold(b, 2, high);
}

/* Slot k has member k mod n. */
static void write_group(struct bench *b, uint32_t group, uint64_t members) {
  uint64_t left = 0;
  write_members(b, group, members);
  for (uint32_t k = 0; k < SLOTS; k++, left &= left - 1) {
    left = left ? left : members;
    write_slot(b, group, k, loom_ctz(left));
  }
}

/* ---- opening --------------------------------------------------------------------------------- */

static struct loom_crossbar_switch_cfg group_shape(void) {
  struct loom_crossbar_switch_cfg cfg = shape();
  cfg.PORTS = 6;
  cfg.GROUPS = 4;
  cfg.LIDS = LIDS;
  return cfg;
}

/* What the registers have after reset; LID p leads to port p. */
static void hold_tables(struct bench *b) {
  struct tables *t = calloc(1, sizeof *t);
  assert_non_null(t);
  b->tables = t;
  b->may = port_of;
  t->lids = b->cfg.PORTS;
  t->sls = UINT32_MAX;
  for (uint32_t port = 0; port < b->cfg.PORTS; port++)
    t->out[port] = (uint8_t)port;
  for (uint32_t k = 0; k < CLASSES; k++)
    t->threshold[k] = loom_min(b->cfg.MTU_UNITS << 2 * k, HIGHEST);
}

static struct bench *open_groups(const struct loom_crossbar_switch_cfg *cfg) {
  struct bench *b = open_bench(cfg);
  hold_tables(b);
  write_lids(b, cfg->LIDS);
  return b;
}

static uint32_t sum_of_ports(struct bench *b, uint32_t reg) {
  uint32_t sum = 0;
  for (uint32_t port = 0; port < b->cfg.PORTS; port++)
    sum += read_port(b, port, reg);
  return sum;
}

static void free_groups(struct bench *b) {
  free(b->tables);
  close_bench(b);
}

/* Heads and tails came as they must, as late as the groups make them. */
static void close_groups(struct bench *b) {
  assert_int_equal(sum_of_ports(b, LOOM_SWITCH_WIN_LINK_ERRORS), 0);
  free_groups(b);
}

static void expect_counts(struct bench *b, uint32_t freely, uint32_t turned, uint32_t crowded) {
  assert_int_equal(sum_of_ports(b, FREE), freely);
  assert_int_equal(sum_of_ports(b, TURNED), turned);
  assert_int_equal(sum_of_ports(b, CROWDED), crowded);
}

/* ---- times ----------------------------------------------------------------------------------- */

static int took(struct bench *b, uint32_t from, uint32_t dest, uint32_t len) {
  const struct packet *p = await(b, post(b, from, 0, 0, dest, len));
  int cycles_taken = p->came - p->sent;
  until_idle(b);
  return cycles_taken;
}

/* From every port to every port by way of a group of one. */
static void expect_latency(const struct loom_crossbar_switch_cfg *cfg, int expected) {
  struct bench *b = open_groups(cfg);
  write_count(b, 1);
  for (uint32_t mode = BY_PORT; mode < MODES; mode++)
    for (uint32_t out = 0; out < cfg->PORTS; out++) {
      write_group(b, 0, 1ull << out);
      write_lft(b, 100, mode, mode == BY_PORT ? out : 0);
      cycles(b, 10);
      for (uint32_t in = 0; in < cfg->PORTS; in++)
        assert_int_equal(took(b, in, 100, 1 + 9 * in), expected);
    }
  close_groups(b);
}

static void groups_take_three_cycles_in_every_mode(void **state) {
  (void)state;
  for (uint32_t round = 0; round < 4; round++) {
    struct loom_crossbar_switch_cfg cfg = group_shape();
    cfg.GROUPS = 1;
    cfg.SPEEDUP = 1 + round % 2;
    cfg.IN_DELAY = round / 2 * 5;
    cfg.OUT_DELAY = round / 2 * 11;
    expect_latency(&cfg, 3 + (round < 2 ? 20 : 19 + 5 + 11));
  }
}

/* Cycles from a head to the credit for it. */
static int credit_after(uint32_t groups) {
  struct loom_crossbar_switch_cfg cfg = shape();
  cfg.GROUPS = groups;
  struct bench *b = open_bench(&cfg);
  int from = b->now, back = NEVER;
  post(b, 2, 1, 1, 3, 8);
  for (int i = 0; i < 100 && back == NEVER; i++) {
    cycle(b);
    if (b->out.in_cr_valid[2])
      back = b->now - from;
  }
  assert_int_not_equal(back, NEVER);
  close_bench(b);
  return back;
}

static void credits_come_back_three_cycles_later(void **state) {
  (void)state;
  assert_int_equal(credit_after(1), credit_after(0) + 3);
  assert_int_equal(credit_after(64), credit_after(0) + 3);
}

/* ---- which port ------------------------------------------------------------------------------ */

/* Anything in the tables, also what leads nowhere. */
static void write_anything(struct bench *b) {
  const struct loom_crossbar_switch_cfg *cfg = &b->cfg;
  for (uint32_t g = 0; g < cfg->GROUPS; g++) {
    write_members(b, g, g % 8 == 1 ? 0 : (loom_random(&b->seed) & b->s->chassis.all) | 1);
    for (uint32_t k = 0; k < SLOTS; k++)
      write_slot(b, g, k, loom_chance(&b->seed, 5) ? NOWHERE : loom_below(&b->seed, b->cfg.PORTS));
  }
  for (uint32_t lid = 0; lid < cfg->LIDS; lid++) {
    uint32_t mode = loom_below(&b->seed, MODES);
    write_lft(b, lid, mode,
              loom_below(&b->seed, mode == BY_PORT ? cfg->PORTS + 1 : cfg->GROUPS + 1) % 64);
  }
  write_lids(b, cfg->LIDS - 3);
  write_count(b, cfg->GROUPS - (cfg->GROUPS > 2));
  write_hash(b, loom_below(&b->seed, 4));
  write_sls(b, loom_chance(&b->seed, 50) ? UINT32_MAX : 0xD);
  write_thresholds(b, 2, 6, 14);
  cycles(b, 10);
}

/* From any of the addresses behind a port; of a train now and then. */
static void post_anything(struct bench *b, uint32_t len) {
  uint32_t port = loom_below(&b->seed, b->cfg.PORTS), vl = vl_of(b, loom_below(&b->seed, 4));
  uint32_t number = post(b, port, vl, loom_below(&b->seed, 4), loom_below(&b->seed, b->cfg.LIDS),
                         1 + loom_below(&b->seed, len));
  struct packet *p = &b->packet[number];
  p->src += SOURCES * loom_below(&b->seed, 1024);
  p->after = loom_chance(&b->seed, 10);
  p->more = loom_chance(&b->seed, 10);
}

/* Without the scheduler that keeps trains together, as those here do not end. */
static struct loom_crossbar_switch_cfg round_shape(uint32_t round) {
  struct loom_crossbar_switch_cfg cfg = group_shape();
  cfg.PORTS = (const uint32_t[]){2, 6, 7, 40}[round % 4];
  cfg.GROUPS = (const uint32_t[]){1, 4, 63, 64}[round % 4];
  cfg.SPEEDUP = 1 + round / 2 % 2;
  cfg.SCHED = (const uint32_t[]){TWO_TABLE, ROUND_ROBIN, BANDWIDTH_TABLE}[round % 3];
  cfg.IN_DELAY = round % 3;
  cfg.OUT_DELAY = round % 5 * 2;
  return cfg;
}

static void every_mode_takes_the_port_of_its_rule(void **state) {
  (void)state;
  for (uint32_t round = 0; round < 12; round++) {
    struct loom_crossbar_switch_cfg cfg = round_shape(round);
    struct bench *b = open_groups(&cfg);
    b->seed = round;
    write_anything(b);
    uint32_t packets = 500 * cfg.PORTS;
    packets = loom_min(packets, 6000);
    for (uint32_t i = 0; i < packets; i++)
      post_anything(b, loom_chance(&b->seed, 30) ? 64 : 8);
    for (uint32_t i = 0; i < packets / cfg.PORTS * 4; i++) {
      if (i % 64 == 0)
        b->receiver[loom_below(&b->seed, cfg.PORTS)].stopped = loom_chance(&b->seed, 30);
      cycle(b);
    }
    for (uint32_t port = 0; port < cfg.PORTS; port++)
      b->receiver[port].stopped = false;
    expect_came(b, packets);
    const struct tables *t = tables_of(b);
    assert_in_range(b->unknown, 1, packets * 2 / 3);
    assert_in_range(t->free, packets / 40, packets / 2);
    assert_in_range(t->turned, 1, t->free);
    expect_counts(b, t->free, t->turned, t->crowded);
    close_groups(b);
  }
}

/* A group of one, and no group, give the ports of plain entries. */
static void a_group_of_one_is_its_port(void **state) {
  (void)state;
  struct loom_crossbar_switch_cfg cfg = group_shape();
  struct bench *b = open_groups(&cfg);
  write_count(b, 4);
  write_thresholds(b, 0, 0, 0); /* whatever its load is */
  for (uint32_t g = 0; g < 4; g++)
    write_group(b, g, 1ull << g);
  for (uint32_t lid = 0; lid < 64; lid++)
    write_lft(b, lid, lid % MODES, lid / MODES % 4);
  cycles(b, 10);
  for (uint32_t i = 0; i < 400; i++)
    post(b, i % 6, i % 3, 1, i % 64, 1 + i % 20);
  expect_came(b, 400);
  for (uint32_t i = 1; i <= 400; i++)
    assert_int_equal(b->packet[i].out, b->packet[i].dest / MODES % 4);
  expect_counts(b, 100, 0, 100);
  close_groups(b);
}

/* ---- what leads nowhere ---------------------------------------------------------------------- */

static void what_leads_nowhere_is_dropped(void **state) {
  (void)state;
  static const struct {
    uint32_t mode, out;
  } cases[] = {{BY_LID, 2},  {BY_FLOW, 2}, {BY_LOAD, 2},  /* beyond GROUP_COUNT */
               {BY_LID, 4},  {BY_FLOW, 4}, {BY_LOAD, 63}, /* beyond GROUPS */
               {BY_FLOW, 1}, {BY_LID, 1},  {BY_LOAD, 1},  /* a slot that is no port, no members */
               {BY_PORT, 6}, {BY_PORT, 63}};
  for (uint32_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    struct loom_crossbar_switch_cfg cfg = group_shape();
    struct bench *b = open_groups(&cfg);
    for (uint32_t g = 0; g < 4; g++)
      write_group(b, g, 0x3F);
    write_slots(b, 1, i % 2 ? 6 : NOWHERE);
    write_members(b, 1, 0);
    write_count(b, 2);
    write_lft(b, 77, cases[i].mode, cases[i].out);
    cycles(b, 10);
    post(b, 3, 1, 1, 77, 30);
    expect_trap(b, UNKNOWN, 3, 1, 77);
    until_idle(b);
    assert_int_equal(b->sender[3].used[1], 0); /* its credits came back */
    expect_counts(b, 0, 0, 0);
    close_groups(b);
  }
}

/* A member may be picked where the slot is no port. */
static void members_serve_where_a_slot_does_not(void **state) {
  (void)state;
  struct loom_crossbar_switch_cfg cfg = group_shape();
  struct bench *b = open_groups(&cfg);
  write_slots(b, 0, NOWHERE);
  write_members(b, 0, 0x28);
  write_count(b, 1);
  write_lft(b, 77, BY_LOAD, 0);
  cycles(b, 10);
  assert_int_equal(await(b, post(b, 0, 0, 0, 77, 3))->out, 3);
  cycles(b, 20);
  expect_counts(b, 1, 1, 0);
  close_groups(b);
}

/* ---- loads ----------------------------------------------------------------------------------- */

/* Packets of one unit by load to group 0, one after the other. */
static void post_slowly(struct bench *b, uint32_t packets) {
  for (uint32_t i = 0; i < packets; i++) {
    post(b, 0, 0, 0, 77, 8);
    cycles(b, 60);
  }
}

/* So many packets in a row came out here. */
static void expect_run(const struct bench *b, uint32_t *number, uint32_t packets, uint32_t port) {
  for (uint32_t i = 0; i < packets; i++, ++*number)
    assert_int_equal(b->packet[*number].out, port);
}

/* From the slot's port on, up to one threshold after the other; one port is stuck, the two others
 * get no credits back. */
static void ports_fill_class_by_class(void **state) {
  (void)state;
  struct loom_crossbar_switch_cfg cfg = group_shape();
  struct bench *b = open_groups(&cfg);
  write_members(b, 0, 1 << 1 | 1 << 2 | 1 << 4);
  write_slots(b, 0, 2);
  write_count(b, 1);
  write_lft(b, 77, BY_LOAD, 0);
  write_thresholds(b, 4, 7, 12);
  write_reg(b, port_reg(2, LOOM_SWITCH_WIN_HOLD), 1);
  b->receiver[1].stopped = b->receiver[4].stopped = true;
  cycles(b, 10);
  post_slowly(b, 3 * 12 + 5);
  expect_counts(b, 3 * 12 + 5, 2 * 12, 5);
  write_reg(b, port_reg(2, LOOM_SWITCH_WIN_HOLD), 0);
  b->receiver[1].stopped = b->receiver[4].stopped = false;
  expect_came(b, 3 * 12 + 5);
  uint32_t number = 1;
  for (uint32_t class = 0; class < CLASSES; class ++) {
    static const uint32_t more[CLASSES] = {4, 3, 5}, turn[] = {2, 4, 1};
    for (uint32_t i = 0; i < 3; i++)
      expect_run(b, &number, more[class], turn[i]);
  }
  expect_run(b, &number, 5, 2); /* all are above all thresholds */
  close_groups(b);
}

/* The port of a packet that comes so many cycles after one for the same slot, whose credit comes
 * back at once or not. */
static uint32_t second_port(uint32_t later, bool credit) {
  struct loom_crossbar_switch_cfg cfg = group_shape();
  struct bench *b = open_groups(&cfg);
  write_members(b, 0, 1 << 1 | 1 << 2);
  write_slots(b, 0, 1);
  write_count(b, 1);
  write_lft(b, 77, BY_LOAD, 0);
  write_thresholds(b, 1, 8, 20);
  cycles(b, 10);
  b->receiver[1].stopped = !credit;
  uint32_t first = post(b, 0, 0, 0, 77, 1);
  cycles(b, (int)later);
  uint32_t second = post(b, 3, 0, 0, 77, 1);
  await(b, first);
  await(b, second);
  assert_int_equal(b->packet[first].out, 1);
  assert_int_equal(b->packet[second].sent - b->packet[first].sent, later);
  uint32_t out = b->packet[second].out;
  close_groups(b);
  return out;
}

/* Booked in c + 12, it counts for members that are looked at in c + 17, of heads in c + 15. */
static void a_booking_shows_after_five_cycles(void **state) {
  (void)state;
  for (uint32_t later = 1; later < 60; later++)
    assert_int_equal(second_port(later, false), later < 15 ? 1 : 2);
}

/* The first packet is on the link out in c + 23, its credit comes in c + 24, the tracker shows it
 * in c + 27. */
static void a_credit_that_comes_back_lowers_the_load(void **state) {
  (void)state;
  for (uint32_t later = 15; later < 60; later++)
    assert_int_equal(second_port(later, true), later < 27 ? 2 : 1);
}

/* A port whose far end gives no credits is left alone while others have less; so is one with HOLD.
 */
static void a_stuck_port_is_left_alone(void **state) {
  (void)state;
  for (uint32_t stop = 0; stop < 2; stop++) {
    struct loom_crossbar_switch_cfg cfg = group_shape();
    struct bench *b = open_groups(&cfg);
    write_group(b, 0, 1 << 3 | 1 << 4 | 1 << 5);
    write_count(b, 1);
    write_lft(b, 77, BY_LOAD, 0);
    b->pause = 60; /* so the two others can carry all */
    if (stop)
      b->receiver[4].stopped = true;
    else
      write_reg(b, port_reg(4, LOOM_SWITCH_WIN_HOLD), 1);
    cycles(b, 10);
    for (uint32_t i = 0; i < 600; i++) {
      post(b, i % 3, i % 3, 1, 77, 16);
      b->packet[b->packets - 1].src += SOURCES * (i / 3);
    }
    cycles(b, 600 / 3 * 16 * 3);
    if (!stop)
      assert_in_range(b->came, 560, 599); /* but for those that wait there */
    b->receiver[4].stopped = false;
    write_reg(b, port_reg(4, LOOM_SWITCH_WIN_HOLD), 0);
    expect_came(b, 600);
    uint32_t there = 0;
    for (uint32_t i = 1; i <= 600; i++)
      there += b->packet[i].out == 4;
    assert_in_range(there, 4, 40);
    close_groups(b);
  }
}

/* As many inputs as members, all lanes with packets at any time: flits out, of those that the links
 * could carry, in 1/1000; and the fullest port, of the mean. */
struct shares {
  uint32_t carried, fullest;
};

static struct shares saturate(uint32_t mode, uint32_t len) {
  enum { MEMBERS = 4, WARM = 2000, RUN = 10000 };
  struct loom_crossbar_switch_cfg cfg;
  loom_crossbar_switch_defaults(&cfg);
  cfg.PORTS = 2 * MEMBERS;
  cfg.LIDS = LIDS;
  cfg.GROUPS = 1;
  struct bench *b = open_bench_of(&cfg, units(len));
  hold_tables(b);
  write_lids(b, LIDS);
  write_group(b, 0, 0xF << MEMBERS);
  write_count(b, 1);
  for (uint32_t lid = 0; lid < LIDS; lid++)
    write_lft(b, lid, mode, 0);
  uint64_t sum = 0, most = 0;
  for (int i = 0; i < WARM + RUN; i++) {
    for (uint32_t port = 0; port < MEMBERS; port++)
      for (uint32_t lane = 0; lane < 8; lane++)
        if (!b->sender[port].waits[lane].first)
          post(b, port, lane, lane, loom_below(&b->seed, LIDS), len);
    if (i == WARM)
      memset(b->flits, 0, sizeof b->flits);
    cycle(b);
  }
  for (uint32_t port = 0; port < cfg.PORTS; port++) {
    sum += b->flits[port];
    most = b->flits[port] > most ? b->flits[port] : most;
  }
  close_groups(b);
  return (struct shares){.carried = (uint32_t)(1000 * sum / (MEMBERS * RUN)),
                         .fullest = (uint32_t)(1000 * MEMBERS * most / sum)};
}

static void a_saturated_group_carries_as_many_links_as_it_has(void **state) {
  (void)state;
  for (uint32_t len = 8; len <= 64; len *= 2) {
    struct shares by_load = saturate(BY_LOAD, len);
    assert_in_range(by_load.carried, 980, 1000);
    assert_in_range(by_load.fullest, 1000, 1020);
    assert_in_range(saturate(BY_FLOW, len).carried, 900, by_load.carried);
  }
}

/* ---- order ----------------------------------------------------------------------------------- */

/* Pairs of successive packets of a flow of which the later one came first. */
static uint32_t overtakings(const struct bench *b) {
  uint32_t count = 0;
  for (uint32_t i = 1; i < b->packets; i++) {
    const struct packet *p = &b->packet[i], *before = NULL;
    for (uint32_t k = i - 1; k > 0 && !before; k--)
      if (b->packet[k].src == p->src && b->packet[k].dest == p->dest && b->packet[k].sl == p->sl)
        before = &b->packet[k];
    count += before && before->came > p->came;
  }
  return count;
}

/* Of 8 flows over a group, one member of which is slow or not. */
static uint32_t overtakings_by(uint32_t mode, bool slow, bool thresholds) {
  struct loom_crossbar_switch_cfg cfg = group_shape();
  struct bench *b = open_groups(&cfg);
  write_group(b, 0, 1 << 3 | 1 << 4 | 1 << 5);
  write_count(b, 1);
  for (uint32_t lid = 64; lid < 72; lid++)
    write_lft(b, lid, mode, 0);
  if (!thresholds)
    write_thresholds(b, HIGHEST, HIGHEST, HIGHEST);
  cycles(b, 10);
  for (uint32_t i = 0; i < 1000; i++)
    post(b, 0, 0, 0, 64 + loom_below(&b->seed, 8), 1 + loom_below(&b->seed, 40));
  for (int i = 0; i < PATIENCE; i++)
    if (slow && i % 400 % 390 == 0)
      write_reg(b, port_reg(4, LOOM_SWITCH_WIN_HOLD), i % 400 == 0);
    else
      cycle(b);
  write_reg(b, port_reg(4, LOOM_SWITCH_WIN_HOLD), 0);
  expect_came(b, 1000);
  uint32_t count = overtakings(b);
  close_groups(b);
  return count;
}

static void packets_of_a_flow_overtake_by_load_only(void **state) {
  (void)state;
  for (uint32_t mode = BY_LID; mode <= BY_FLOW; mode++)
    for (uint32_t slow = 0; slow < 2; slow++)
      assert_int_equal(overtakings_by(mode, slow, true), 0);
  assert_in_range(overtakings_by(BY_LOAD, true, true), 5, 500);
  assert_int_equal(overtakings_by(BY_LOAD, true, false), 0); /* all in one class */
}

/* ---- registers ------------------------------------------------------------------------------- */

/* What a register has before and after a write, and the first reads that show it. */
static void expect_becomes(struct bench *b, uint32_t addr, uint32_t before, uint32_t written,
                           uint32_t kept) {
  assert_int_equal(read_reg(b, addr), before);
  write_reg(b, addr, written);
  assert_int_equal(read_reg(b, addr), before); /* one cycle later */
  assert_int_equal(read_reg(b, addr), kept);
  write_reg(b, addr, before);
  cycle(b);
  assert_int_equal(read_reg(b, addr), before); /* two cycles later */
  write_reg(b, addr, kept);
  cycle(b);
}

static void registers_of_groups_read_what_was_written(void **state) {
  (void)state;
  struct loom_crossbar_switch_cfg cfg = group_shape();
  cfg.GROUPS = 5;
  struct bench *b = new_bench(&cfg);
  uint32_t all = UINT32_MAX;
  expect_becomes(b, LOOM_SWITCH_REG_GROUP_COUNT, 5u << 16, 3, 5u << 16 | 3);
  expect_becomes(b, LOOM_SWITCH_REG_GROUP_COUNT, 5u << 16 | 3, 0xFF0002, 5u << 16 | 2);
  expect_becomes(b, LOOM_SWITCH_REG_GROUP_COUNT, 5u << 16 | 2, 0x100, 5u << 16 | 5);
  expect_becomes(b, LOOM_SWITCH_REG_GROUP_COUNT, 5u << 16 | 5, 0x10000, 5u << 16);
  expect_becomes(b, LOOM_SWITCH_REG_GROUP_HASH, 0, all, 3);
  expect_becomes(b, LOOM_SWITCH_REG_GROUP_HASH, 3, 0xFE, 2);
  expect_becomes(b, LOOM_SWITCH_REG_GROUP_SLS, all, 0x12345678, 0x12345678);
  for (uint32_t k = 0; k < CLASSES; k++)
    expect_becomes(b, LOOM_SWITCH_REG_GROUP_LOAD + k, cfg.MTU_UNITS << 2 * k, all - k, 8191 - k);
  write_reg(b, LOOM_SWITCH_REG_GROUP_LOAD + CLASSES, 7);
  cycles(b, 2);
  assert_int_equal(read_reg(b, LOOM_SWITCH_REG_GROUP_LOAD + CLASSES), 0);
  for (uint32_t k = 0; k < CLASSES; k++)
    assert_int_equal(read_reg(b, LOOM_SWITCH_REG_GROUP_LOAD + k), 8191 - k);
  close_bench(b);
}

static void thresholds_after_reset_follow_the_mtu(void **state) {
  (void)state;
  static const uint32_t of[][1 + CLASSES] = {
      {1, 1, 4, 16}, {8, 8, 32, 128}, {511, 511, 2044, 8176}, {512, 512, 2048, 8191}};
  for (uint32_t i = 0; i < 4; i++) {
    struct loom_crossbar_switch_cfg cfg = group_shape();
    cfg.MTU_UNITS = of[i][0];
    cfg.CELLS_IN = cfg.CELLS_OUT = cfg.REMOTE_UNITS = 2048;
    struct bench *b = new_bench(&cfg);
    for (uint32_t k = 0; k < CLASSES; k++)
      assert_int_equal(read_reg(b, LOOM_SWITCH_REG_GROUP_LOAD + k), of[i][1 + k]);
    close_bench(b);
  }
}

static uint32_t members_reg(uint32_t group, uint32_t half) {
  return LOOM_SWITCH_REG_GROUP_MEMBERS + 2 * group + half;
}
static uint32_t slot_reg(uint32_t group, uint32_t slot) {
  return LOOM_SWITCH_REG_GROUP_SLOTS + SLOTS * group + slot;
}

/* Written are all groups that registers could have, with words that differ. */
static void write_every_group(struct bench *b) {
  for (uint32_t g = 0; g < GROUPS; g++) {
    for (uint32_t h = 0; h < 2; h++)
      write_reg(b, members_reg(g, h), ~(g + 100 * h));
    for (uint32_t k = 0; k < SLOTS; k++)
      write_reg(b, slot_reg(g, k), 0xFFC0 | ((g + k) % 64));
  }
  cycle(b);
}

static void expect_group(struct bench *b, uint32_t g, bool known) {
  uint64_t ports = b->s->chassis.all;
  for (uint32_t h = 0; h < 2; h++)
    assert_int_equal(read_reg(b, members_reg(g, h)),
                     known ? ~(g + 100 * h) & (uint32_t)(ports >> 32 * h) : 0);
  for (uint32_t k = 0; k < SLOTS; k += 21)
    assert_int_equal(read_reg(b, slot_reg(g, k)), known ? (g + k) % 64 : 0);
}

/* Groups from GROUPS on are not there, and those from GROUP_COUNT on are not shown. */
static void tables_read_what_was_written_up_to_the_count(void **state) {
  (void)state;
  static const uint32_t ports[] = {2, 32, 33, 48}, groups[] = {1, 2, 33, 64};
  for (uint32_t i = 0; i < 4; i++) {
    struct loom_crossbar_switch_cfg cfg = group_shape();
    cfg.PORTS = ports[i];
    cfg.GROUPS = groups[i];
    struct bench *b = new_bench(&cfg);
    write_every_group(b);
    for (uint32_t count = 0; count <= groups[i]; count += count / 2 + 1) {
      write_reg(b, LOOM_SWITCH_REG_GROUP_COUNT, count);
      cycle(b);
      for (uint32_t g = 0; g < GROUPS; g += 1 + g / 8)
        expect_group(b, g, g < count);
    }
    close_bench(b);
  }
}

static void tables_are_written_two_cycles_later(void **state) {
  (void)state;
  struct loom_crossbar_switch_cfg cfg = group_shape();
  struct bench *b = new_bench(&cfg);
  write_reg(b, LOOM_SWITCH_REG_GROUP_COUNT, 4);
  cycle(b);
  expect_becomes(b, members_reg(3, 0), 0, UINT32_MAX, 0x3F);
  expect_becomes(b, members_reg(3, 1), 0, UINT32_MAX, 0);
  expect_becomes(b, slot_reg(3, 63), 0, UINT32_MAX, 63);
  expect_becomes(b, slot_reg(3, 62), 0, 0x45, 5);
  expect_becomes(b, members_reg(3, 0), 0x3F, 0x15, 0x15); /* the others stay */
  expect_becomes(b, slot_reg(3, 63), 63, 1, 1);
  expect_becomes(b, slot_reg(4, 0), 0, UINT32_MAX, 0);
  close_bench(b);
}

static void entries_have_a_mode_with_groups_only(void **state) {
  (void)state;
  for (uint32_t groups = 0; groups < 2; groups++) {
    struct loom_crossbar_switch_cfg cfg = group_shape();
    cfg.GROUPS = groups;
    struct bench *b = new_bench(&cfg);
    write_reg(b, LOOM_SWITCH_REG_LFT_COUNT, cfg.LIDS);
    cycle(b);
    for (uint32_t lid = 0; lid < cfg.LIDS; lid += 15)
      expect_becomes(b, LOOM_SWITCH_REG_LFT + lid, 0, 0xFFFFFF00 | lid, groups ? lid : lid % 64);
    close_bench(b);
  }
}

static void without_groups_there_are_no_registers_of_them(void **state) {
  (void)state;
  struct loom_crossbar_switch_cfg cfg = group_shape();
  cfg.GROUPS = 0;
  struct bench *b = open_bench(&cfg);
  static const uint32_t regs[] = {
      LOOM_SWITCH_REG_GROUP_COUNT,       LOOM_SWITCH_REG_GROUP_HASH,
      LOOM_SWITCH_REG_GROUP_SLS,         LOOM_SWITCH_REG_GROUP_LOAD,
      LOOM_SWITCH_REG_GROUP_LOAD + 1,    LOOM_SWITCH_REG_GROUP_LOAD + 2,
      LOOM_SWITCH_REG_GROUP_MEMBERS,     LOOM_SWITCH_REG_GROUP_SLOTS,
      LOOM_SWITCH_REG_GROUP_MEMBERS + 1, LOOM_SWITCH_REG_GROUP_SLOTS + 9};
  for (uint32_t i = 0; i < sizeof regs / sizeof regs[0]; i++)
    expect_kept(b, regs[i], 0);
  write_reg(b, LOOM_SWITCH_REG_LFT + 1, LOOM_PUT(LOOM_SWITCH_REG_LFT_MODE, BY_LOAD) | 1);
  cycles(b, 2);
  const struct packet *p = await(b, post(b, 0, 0, 0, 1, 3));
  assert_int_equal(p->came - p->sent, 20);
  cycles(b, 20);
  for (uint32_t a = FREE; a <= CROWDED; a++)
    assert_int_equal(sum_of_ports(b, a), 0);
  close_bench(b);
}

static void groups_go_by_tables_only(void **state) {
  (void)state;
  static const struct {
    uint32_t route, groups;
    bool legal;
  } cases[] = {{BY_LFT, 0, true},   {BY_LFT, 1, true},    {BY_LFT, 64, true},
               {BY_LFT, 65, false}, {BY_SWITCH, 0, true}, {BY_SWITCH, 1, false},
               {BY_NODE, 0, true},  {BY_NODE, 64, false}};
  for (uint32_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    struct loom_crossbar_switch_cfg cfg = group_shape();
    cfg.ROUTE = cases[i].route;
    cfg.GROUPS = cases[i].groups;
    cfg.HOSTS = 4;
    cfg.DIMS = 2;
    assert_int_equal(loom_crossbar_switch_cfg_ok(&cfg), cases[i].legal);
  }
}

/* ---- when a write counts --------------------------------------------------------------------- */

/* A head comes to port 0 so many cycles after a write, or before; the port where it comes out. */
static uint32_t port_at(struct bench *b, uint32_t addr, uint32_t data, int later) {
  uint32_t number = 0;
  b->may = anywhere;
  for (int i = later < 0 ? later : 0; i < 10; i++) {
    if (i == later)
      number = post(b, 0, 0, 0, 77, 1);
    if (i == 0)
      write_reg(b, addr, data);
    else
      cycle(b);
  }
  cycles(b, 100);
  return b->packet[number].came == NEVER ? b->cfg.PORTS : b->packet[number].out;
}

/* The flow of that head goes to port 1, by its slot: LID 77, group 0. */
static void prepare_flow(struct bench *b) {
  write_slots(b, 0, 1);
  write_members(b, 0, 1 << 1);
  write_count(b, 4);
  write_sls(b, 0);
  write_lft(b, 77, BY_LOAD, 0);
}

static void prepare_other_slot(struct bench *b) {
  prepare_flow(b);
  write_slot(b, 0, flow_index(0, 77, 1), 2);
}

static void prepare_no_group(struct bench *b) {
  prepare_flow(b);
  write_count(b, 0);
}

static void prepare_member(struct bench *b) {
  prepare_flow(b);
  write_members(b, 0, 1 << 2);
}

static void prepare_load(struct bench *b) {
  prepare_flow(b);
  write_sls(b, UINT32_MAX);
}

/* What goes to port 1 stays there. */
static void prepare_loaded(struct bench *b) {
  prepare_load(b);
  write_members(b, 0, 1 << 1 | 1 << 2);
  write_thresholds(b, 100, 100, 100);
  write_reg(b, port_reg(1, LOOM_SWITCH_WIN_HOLD), 1);
  for (uint32_t i = 0; i < 3; i++)
    post(b, 0, 0, 0, 1, 8);
  cycles(b, 60);
}

/* The index of the flow by another part of the hash is another one. */
static void a_write_counts_from_a_certain_cycle(void **state) {
  (void)state;
  const struct {
    void (*prepare)(struct bench *b);
    uint32_t addr, data, before, after;
    int from;
  } cases[] = {
      {prepare_flow, LOOM_SWITCH_REG_LFT + 77, 2, 1, 2, 3},
      {prepare_flow, LOOM_SWITCH_REG_LFT_COUNT, 77, 1, 6, 3},
      {prepare_flow, slot_reg(0, flow_index(0, 77, 0)), 2, 1, 2, 2},
      {prepare_other_slot, LOOM_SWITCH_REG_GROUP_HASH, 1, 1, 2, 3},
      {prepare_no_group, LOOM_SWITCH_REG_GROUP_COUNT, 1, 6, 1, 2},
      {prepare_member, LOOM_SWITCH_REG_GROUP_SLS, 1, 1, 2, 3},
      {prepare_load, members_reg(0, 0), 1 << 2, 1, 2, 2},
      {prepare_loaded, LOOM_SWITCH_REG_GROUP_LOAD, 2, 6, 2, 2},
  };
  assert_int_not_equal(flow_index(0, 77, 0), flow_index(0, 77, 1));
  for (uint32_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
    for (int later = -4; later < 8; later++) {
      struct loom_crossbar_switch_cfg cfg = group_shape();
      struct bench *b = open_groups(&cfg);
      cases[i].prepare(b);
      cycles(b, 10);
      assert_int_equal(port_at(b, cases[i].addr, cases[i].data, later),
                       later < cases[i].from ? cases[i].before : cases[i].after);
      close_groups(b);
    }
}

/* ---- rest ------------------------------------------------------------------------------------ */

/* All that may be written under traffic; every slot is a port, every group is known. */
static void rewrite(struct bench *b) {
  uint32_t group = loom_below(&b->seed, b->cfg.GROUPS), port = loom_below(&b->seed, b->cfg.PORTS);
  switch (loom_below(&b->seed, 6)) {
  case 0:
    write_reg(b, members_reg(group, loom_below(&b->seed, 2)), (uint32_t)loom_random(&b->seed));
    break;
  case 1:
    write_reg(b, slot_reg(group, loom_below(&b->seed, SLOTS)), port);
    break;
  case 2:
    write_reg(b, LOOM_SWITCH_REG_GROUP_HASH, loom_below(&b->seed, 4));
    break;
  case 3:
    write_reg(b, LOOM_SWITCH_REG_GROUP_SLS, (uint32_t)loom_random(&b->seed));
    break;
  case 4:
    write_reg(b, LOOM_SWITCH_REG_GROUP_LOAD + loom_below(&b->seed, CLASSES),
              loom_below(&b->seed, 12));
    break;
  default:
    write_reg(b, LOOM_SWITCH_REG_LFT + loom_below(&b->seed, LIDS),
              LOOM_PUT(LOOM_SWITCH_REG_LFT_MODE, loom_below(&b->seed, MODES)) |
                  LOOM_PUT(LOOM_SWITCH_REG_LFT_OUT, loom_min(group, port)));
  }
}

/* A flit of no packet, which wakes nothing but the way to its input. */
static void stray(struct bench *b, uint32_t port) {
  if (!b->sender[port].current)
    b->in.in_valid[port] = 1;
}

static void disturb(struct bench *b, bool posts) {
  uint32_t ports = b->cfg.PORTS;
  if (posts && loom_below(&b->seed, 60) == 0) {
    post(b, loom_below(&b->seed, ports), loom_below(&b->seed, 3), loom_below(&b->seed, 3),
         loom_below(&b->seed, LIDS), 1 + loom_below(&b->seed, 64));
    b->packet[b->packets - 1].src += SOURCES * loom_below(&b->seed, 1024);
  }
  if (loom_below(&b->seed, 500) == 0)
    b->receiver[loom_below(&b->seed, ports)].stopped = loom_chance(&b->seed, 50);
  if (loom_below(&b->seed, 1000) == 0)
    write_reg(b, port_reg(loom_below(&b->seed, ports), LOOM_SWITCH_WIN_HOLD),
              loom_chance(&b->seed, 30));
  if (loom_below(&b->seed, posts ? 100 : 400) == 0)
    rewrite(b);
  if (loom_below(&b->seed, 300) == 0)
    stray(b, loom_below(&b->seed, ports));
  if (loom_below(&b->seed, 100) == 0) { /* which tells whether it has come there in time */
    b->in.reg_re = 1;
    b->in.reg_addr = port_reg(loom_below(&b->seed, ports), LOOM_SWITCH_WIN_LINK_ERRORS);
  }
}

/* Packets now and then, and tables rewritten under them; nothing is lost either. */
static void a_unit_at_rest_shows_what_it_would(void **state) {
  (void)state;
  for (uint32_t round = 0; round < 8; round++) {
    struct loom_crossbar_switch_cfg cfg = round_shape(round);
    struct bench *b = open_both(&cfg);
    hold_tables(b);
    b->seed = round;
    write_anything(b);
    write_count(b, cfg.GROUPS);
    for (uint32_t g = 0; g < cfg.GROUPS; g++)
      write_group(b, g, b->s->chassis.all);
    for (uint32_t lid = 0; lid < LIDS; lid++)
      write_lft(b, lid, lid % MODES, loom_min(lid, cfg.GROUPS - 1) % cfg.PORTS);
    b->may = anywhere;
    b->pause = (const uint32_t[]){0, 90, 98}[round % 3];
    for (uint32_t i = 0; i < 20000; i++) {
      disturb(b, i % 1000 < 600);
      cycle(b);
    }
    assert_in_range(b->slept, 100, 18000);
    for (uint32_t port = 0; port < cfg.PORTS; port++)
      b->receiver[port].stopped = false;
    b->pause = 0;
    write_reg(b, port_reg(LOOM_SWITCH_EVERY, LOOM_SWITCH_WIN_HOLD), 0);
    expect_came(b, b->packets - 1);
    free_groups(b);
  }
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(groups_take_three_cycles_in_every_mode),
      cmocka_unit_test(credits_come_back_three_cycles_later),
      cmocka_unit_test(every_mode_takes_the_port_of_its_rule),
      cmocka_unit_test(a_group_of_one_is_its_port),
      cmocka_unit_test(what_leads_nowhere_is_dropped),
      cmocka_unit_test(members_serve_where_a_slot_does_not),
      cmocka_unit_test(ports_fill_class_by_class),
      cmocka_unit_test(a_booking_shows_after_five_cycles),
      cmocka_unit_test(a_credit_that_comes_back_lowers_the_load),
      cmocka_unit_test(a_stuck_port_is_left_alone),
      cmocka_unit_test(a_saturated_group_carries_as_many_links_as_it_has),
      cmocka_unit_test(packets_of_a_flow_overtake_by_load_only),
      cmocka_unit_test(registers_of_groups_read_what_was_written),
      cmocka_unit_test(thresholds_after_reset_follow_the_mtu),
      cmocka_unit_test(tables_read_what_was_written_up_to_the_count),
      cmocka_unit_test(tables_are_written_two_cycles_later),
      cmocka_unit_test(entries_have_a_mode_with_groups_only),
      cmocka_unit_test(without_groups_there_are_no_registers_of_them),
      cmocka_unit_test(groups_go_by_tables_only),
      cmocka_unit_test(a_write_counts_from_a_certain_cycle),
      cmocka_unit_test(a_unit_at_rest_shows_what_it_would),
  };
  return UNIT_RUN("crossbar_groups", tests, NULL, NULL);
}
