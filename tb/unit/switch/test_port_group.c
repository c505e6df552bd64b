/* SPDX-License-Identifier: Apache-2.0 */
/* test_port_group.c - the twin of port_group against what docs/port_groups.md says, without a
 * circuit
 *
 * The bench works out by loops over ports and bits what the twin finds by words. */
#include "tb/unit/unit.h"

#include <loom/head.h>
#include <loom/random.h>
#include <stdlib.h>
#include <string.h>

#include "parts/crc16.h"
#include "switch/port_group.h"
#include "tb/unit/switch/group_rule.h"

enum { BY_PORT, BY_LID, BY_FLOW, BY_LOAD, MODES };
enum { SLOTS = 64, MOST_PORTS = 48, MOST_GROUPS = 64, HASHES = 3, MGMT_VL = 15 };
enum { ANSWERS = 4, COUNTS = 5 }; /* cycles from a head to its answer, and to its pulses */

/* ---- the bench ------------------------------------------------------------------------------- */

struct bench {
  struct loom_port_group s;
  struct loom_port_group_cfg cfg;
  struct loom_port_group_in in;   /* of the next cycle; flags are cleared after it */
  struct loom_port_group_out out; /* of the last cycle */
  void *storage;
  uint64_t seed;
  /* What is in the tables. */
  uint64_t members[MOST_GROUPS];
  uint8_t slot[MOST_GROUPS][SLOTS];
};

/* What a head got. */
struct answer {
  bool known, free, turned, crowded;
  uint32_t port;
};

static void tick(struct bench *b) {
  loom_port_group_step(&b->s, &b->in, &b->out);
  b->in.head = b->in.vl = b->in.data = 0;
  b->in.found_known = b->in.found_mode = b->in.found_out = 0;
  b->in.members_we = b->in.slot_we = 0;
}

static struct bench *start(uint32_t ports, uint32_t groups) {
  struct bench *b = calloc(1, sizeof *b);
  assert_non_null(b);
  loom_port_group_defaults(&b->cfg);
  b->cfg.PORTS = ports;
  b->cfg.GROUPS = groups;
  assert_true(loom_port_group_cfg_ok(&b->cfg));
  size_t size = loom_port_group_storage_size(&b->cfg);
  b->storage = malloc(size);
  assert_non_null(b->storage);
  memset(b->storage, 0x5A, size); /* init owes nothing to what was there */
  loom_port_group_init(&b->s, &b->cfg, b->storage);
  b->in.count = groups;
  b->in.sls = UINT32_MAX;
  b->seed = 1;
  return b;
}

static void stop(struct bench *b) {
  free(b->storage);
  free(b);
}

static void write_members(struct bench *b, uint32_t group, uint64_t members) {
  for (uint32_t h = 0; h < 2; h++) {
    b->in.members_we = 1;
    b->in.members_addr = 2 * group + h;
    b->in.members_data = members >> 32 * h & UINT32_MAX;
    tick(b);
  }
  b->members[group] = members;
}

static void write_slot(struct bench *b, uint32_t group, uint32_t slot, uint32_t port) {
  b->in.slot_we = 1;
  b->in.slot_addr = group * SLOTS + slot;
  b->in.slot_data = port;
  tick(b);
  b->slot[group][slot] = (uint8_t)port;
}

static void write_slots(struct bench *b, uint32_t group, uint32_t port) {
  for (uint32_t k = 0; k < SLOTS; k++)
    write_slot(b, group, k, port);
}

/* Any members and slots. */
static void fill(struct bench *b) {
  for (uint32_t g = 0; g < b->cfg.GROUPS; g++) {
    write_members(b, g, loom_random(&b->seed) & loom_mask(b->cfg.PORTS));
    for (uint32_t k = 0; k < SLOTS; k++)
      write_slot(b, g, k, loom_below(&b->seed, SLOTS));
  }
}

static uint64_t head(uint32_t src, uint32_t dest) {
  return LOOM_PUT64(LOOM_HEAD_SRC, src) | LOOM_PUT64(LOOM_HEAD_DEST, dest) |
         LOOM_PUT64(LOOM_HEAD_LEN, 1);
}

/* The answer for one head whose entry of the LFT names `out` in this mode. */
static struct answer ask_on(struct bench *b, uint32_t vl, uint64_t data, uint32_t mode,
                            uint32_t out) {
  struct answer a;
  b->in.head = 1;
  b->in.vl = vl;
  b->in.data = data;
  tick(b);
  b->in.found_known = mode != BY_PORT || out < b->cfg.PORTS;
  b->in.found_mode = mode;
  b->in.found_out = out;
  for (uint32_t c = 1; c <= ANSWERS; c++)
    tick(b);
  a.known = b->out.known;
  a.port = (uint32_t)b->out.port;
  assert_true(a.known || !a.port);
  assert_false(b->out.free || b->out.turned || b->out.crowded);
  tick(b);
  a.free = b->out.free;
  a.turned = b->out.turned;
  a.crowded = b->out.crowded;
  assert_false(b->out.known || b->out.port);
  tick(b);
  assert_false(b->out.free || b->out.turned || b->out.crowded);
  return a;
}

static struct answer ask(struct bench *b, uint64_t data, uint32_t mode, uint32_t out) {
  return ask_on(b, 0, data, mode, out);
}

static bool takes(struct answer a, uint32_t port) { return a.known && a.port == port; }

static bool counts_nothing(struct answer a) { return !a.free && !a.turned && !a.crowded; }

/* ---- the rules, bit by bit ------------------------------------------------------------------- */

static struct answer by_load(uint32_t ports, uint64_t members, const uint64_t *above,
                             uint32_t slot) {
  struct answer a = {
      .known = true, .free = true, .port = port_by_load(ports, members, above, slot)};
  a.turned = a.port != slot;
  a.crowded = first_below(ports, members, above, 2, slot) == ports;
  return a;
}

static struct answer by_slot(uint32_t ports, uint32_t slot) {
  return (struct answer){.known = slot < ports, .port = slot < ports ? slot : 0};
}

static void same(struct answer a, struct answer b) {
  assert_int_equal(a.known, b.known);
  assert_int_equal(a.port, b.port);
  assert_int_equal(a.free, b.free);
  assert_int_equal(a.turned, b.turned);
  assert_int_equal(a.crowded, b.crowded);
}

/* A source whose flow to `dest` has this slot. */
static uint32_t source_for(uint32_t dest, uint32_t hash, uint32_t slot) {
  uint32_t src = 0;
  while (flow_index(src, dest, hash) != slot)
    src++;
  return src;
}

/* ---- the indexes ----------------------------------------------------------------------------- */

/* As the stage after the head has it. */
static uint32_t stage_index(uint32_t mode, uint32_t src, uint32_t dest, uint32_t hash) {
  static const struct loom_port_group_tables none = {0};
  struct loom_port_group s;
  struct loom_port_group_cfg cfg;
  loom_port_group_defaults(&cfg);
  loom_port_group_init(&s, &cfg, NULL);
  const struct loom_port_group_cycle cycle = {
      .head = true, .data = head(src, dest), .hash = (uint8_t)hash};
  loom_port_group_edge(&s, &cycle, &none);
  return mode == BY_LID ? s.a.by_lid : s.a.by_flow;
}

static void the_index_of_a_flow_is_that_of_the_page(void **state) {
  static const uint32_t printed[][6] = {{0x0000, 0x0000, 0x84C0, 0, 38, 33},
                                        {0x0FAA, 0x0055, 0x2023, 35, 1, 8},
                                        {0x00FF, 0x5511, 0xB8F9, 57, 7, 46}};
  (void)state;
  for (uint32_t i = 0; i < 3; i++) {
    const uint32_t *row = printed[i];
    assert_int_equal(crc_of(row[0], row[1]), row[2]);
    for (uint32_t hash = 0; hash < HASHES; hash++)
      assert_int_equal(stage_index(BY_FLOW, row[0], row[1], hash), row[3 + hash]);
    assert_int_equal(stage_index(BY_FLOW, row[0], row[1], 3), row[3]);
  }
}

static uint32_t crc_of_part(uint32_t src, uint32_t dest) {
  struct loom_crc16 part;
  struct loom_crc16_cfg cfg;
  struct loom_crc16_out out;
  const uint32_t byte[] = {src >> 8, src & 255, dest >> 8, dest & 255};
  loom_crc16_defaults(&cfg);
  loom_crc16_init(&part, &cfg);
  for (uint32_t i = 0; i < 4; i++) {
    struct loom_crc16_in in = {.valid = 1, .bytes = 1, .data = (uint64_t)byte[i] << 56};
    loom_crc16_step(&part, &in, &out);
  }
  loom_crc16_step(&part, &(struct loom_crc16_in){0}, &out);
  return (uint32_t)out.crc;
}

static void the_index_of_a_flow_is_bits_of_the_part_crc16(void **state) {
  uint64_t seed = 7;
  (void)state;
  for (uint32_t i = 0; i < 20000; i++) {
    uint32_t src = loom_below(&seed, 65536), dest = loom_below(&seed, 65536);
    uint32_t crc = crc_of_part(src, dest);
    assert_int_equal(stage_index(BY_FLOW, src, dest, 0), crc & 63);
    assert_int_equal(stage_index(BY_FLOW, src, dest, 1), crc >> 5 & 63);
    assert_int_equal(stage_index(BY_FLOW, src, dest, 2), crc >> 10);
  }
}

static void lids_in_a_row_have_each_slot_once(void **state) {
  (void)state;
  for (uint32_t first = 0; first < 65536; first += SLOTS) {
    uint64_t seen = 0;
    for (uint32_t lid = first; lid < first + SLOTS; lid++) {
      uint32_t index = stage_index(BY_LID, 0x1234, lid, 0);
      assert_int_equal(index, lid_index(lid));
      seen |= 1ull << index;
    }
    assert_true(seen == UINT64_MAX);
  }
}

/* ---- how flows spread ------------------------------------------------------------------------ */

enum { HOSTS = 2048, ROWS = 32, COLUMNS = 64 };

static uint32_t neighbour(uint32_t host) { return (host + 1) % HOSTS; }
static uint32_t opposite(uint32_t host) { return (host + HOSTS / 2) % HOSTS; }
static uint32_t transposed(uint32_t host) { return host % COLUMNS * ROWS + host / COLUMNS; }

/* Hosts that all send in one pattern: no port has more than twice its part. */
static void flows_of_a_pattern_spread_over_a_group(void **state) {
  enum { MEMBERS = 8 };
  static uint32_t (*const pattern[])(uint32_t) = {neighbour, opposite, transposed};
  (void)state;
  for (uint32_t p = 0; p < 3; p++)
    for (uint32_t hash = 0; hash < HASHES; hash++)
      for (uint32_t first = 0; first < 2; first++) { /* LID of the first host */
        uint32_t flows[MEMBERS] = {0};
        for (uint32_t host = 0; host < HOSTS; host++)
          flows[stage_index(BY_FLOW, first + host, first + pattern[p](host), hash) % MEMBERS]++;
        for (uint32_t m = 0; m < MEMBERS; m++)
          assert_in_range(flows[m], 1, 2 * HOSTS / MEMBERS);
      }
}

/* What has slot x of one switch and slot y of the next one. */
static void count_pairs(uint32_t hash, uint32_t next, uint32_t flows[SLOTS][SLOTS]) {
  memset(flows, 0, sizeof(uint32_t) * SLOTS * SLOTS);
  for (uint32_t src = 1; src <= 256; src++)
    for (uint32_t dest = 1; dest <= 256; dest++) {
      uint32_t x = stage_index(BY_FLOW, src, dest, hash);
      flows[x][stage_index(BY_FLOW, src, dest, next)]++;
    }
}

/* Slot k has member k mod n: what the first switch sends to `member` of m, over n. */
static void check_spread(uint32_t flows[SLOTS][SLOTS], uint32_t m, uint32_t member, uint32_t n) {
  uint32_t of[16] = {0}, all = 0;
  for (uint32_t x = member; x < SLOTS; x += m)
    for (uint32_t y = 0; y < SLOTS; y++) {
      of[y % n] += flows[x][y];
      all += flows[x][y];
    }
  for (uint32_t i = 0; i < n; i++) {
    assert_true(of[i] > 0);
    assert_in_range(of[i] * n, 1, 2 * all);
  }
}

/* The flows that come by one port of a switch go to all ports of the next one. */
static void a_switch_with_another_hash_spreads_what_comes(void **state) {
  static uint32_t flows[SLOTS][SLOTS];
  (void)state;
  for (uint32_t pair = 0; pair < HASHES * HASHES; pair++) {
    if (pair / HASHES == pair % HASHES)
      continue;
    count_pairs(pair / HASHES, pair % HASHES, flows);
    for (uint32_t m = 2; m <= 16; m++)
      for (uint32_t n = 2; n <= 16; n++)
        for (uint32_t member = 0; member < m; member++)
          check_spread(flows, m, member, n);
  }
}

/* ---- what each mode takes -------------------------------------------------------------------- */

static void modes_take_what_their_rules_name(uint32_t ports, uint32_t groups) {
  struct bench *b = start(ports, groups);
  fill(b);
  for (uint32_t out = 0; out < SLOTS; out++)
    same(ask(b, head(3, 5), BY_PORT, out), by_slot(ports, out));
  for (uint32_t g = 0; g < groups; g++)
    for (uint32_t k = 0; k < SLOTS; k++) {
      uint32_t dest = loom_below(&b->seed, 1024) * SLOTS, hash = loom_below(&b->seed, HASHES);
      b->in.hash = hash;
      dest += k ^ lid_index(dest);
      uint32_t src = source_for(dest, hash, (k + 5) % SLOTS);
      uint32_t flow = b->slot[g][(k + 5) % SLOTS];
      for (uint32_t o = 0; o < ports; o++)
        b->in.above[o] = loom_mask(loom_below(&b->seed, 4));
      same(ask(b, head(src, dest), BY_LID, g), by_slot(ports, b->slot[g][k]));
      same(ask(b, head(src, dest), BY_FLOW, g), by_slot(ports, flow));
      same(ask(b, head(src, dest), BY_LOAD, g),
           b->members[g] ? by_load(ports, b->members[g], b->in.above, flow) : by_slot(ports, flow));
    }
  stop(b);
}

static void each_mode_takes_the_port_that_its_rule_names(void **state) {
  (void)state;
  modes_take_what_their_rules_name(2, 1);
  modes_take_what_their_rules_name(8, 16);
  modes_take_what_their_rules_name(33, 5);
  modes_take_what_their_rules_name(48, 64);
}

/* A port of 8 in one of five ways: in one of the four classes, or no member. */
enum { WAYS = 5, NO_MEMBER = 4, PORTS_8 = 8, SETS = 390625 /* WAYS to the power of PORTS_8 */ };

struct load_case {
  uint64_t members, above[PORTS_8];
  uint32_t slot;
};

static struct load_case load_case(uint32_t set, uint32_t slot, uint64_t *seed) {
  struct load_case c = {.slot = slot};
  for (uint32_t o = 0; o < PORTS_8; o++, set /= WAYS) {
    uint32_t way = set % WAYS;
    c.members |= (uint64_t)(way != NO_MEMBER) << o;
    c.above[o] = loom_mask(way == NO_MEMBER ? loom_below(seed, 4) : way);
  }
  return c;
}

/* The words of the switch: a set of ports for each threshold. */
static void words_of(const struct load_case *c, uint64_t *above) {
  for (uint32_t k = 0; k < LOOM_GROUP_THRESHOLDS; k++) {
    above[k] = 0;
    for (uint32_t o = 0; o < PORTS_8; o++)
      above[k] |= (c->above[o] >> k & 1) << o;
  }
}

static struct answer shown(const struct loom_port_group *s) {
  return (struct answer){.known = s->e.valid, .port = loom_port_group_port(s)};
}

/* Every set of 8 ports, each in every class, from every port on: a head a cycle. */
static void load_takes_the_first_of_the_lowest_class(void **state) {
  enum { FROMS = PORTS_8 + 1, CASES = (SETS - 1) * FROMS, RING = 8 };
  static const uint8_t from[FROMS] = {0, 1, 2, 3, 4, 5, 6, 7, 63};
  struct load_case ring[RING];
  struct loom_port_group s;
  struct loom_port_group_cfg cfg;
  uint64_t members = 0, seed = 3;
  uint8_t slots[SLOTS] = {0};
  const struct loom_port_group_tables tables = {.groups = 1, .members = &members, .slots = slots};
  uint64_t flit = head(source_for(9, 0, 17), 9);
  (void)state;
  memset(ring, 0, sizeof ring);
  loom_port_group_defaults(&cfg);
  loom_port_group_init(&s, &cfg, NULL);
  for (uint32_t i = 0; i < CASES + COUNTS; i++) {
    struct loom_port_group_cycle cycle = {.head = i < CASES,
                                          .data = flit,
                                          .found = i >= 1 && i <= CASES,
                                          .mode = BY_LOAD,
                                          .count = 1,
                                          .sls = 1};
    if (i < CASES)
      ring[i % RING] = load_case(i / FROMS, from[i % FROMS], &seed);
    members = ring[(i + RING - 1) % RING].members;
    slots[17] = (uint8_t)ring[(i + RING - 1) % RING].slot;
    words_of(&ring[(i + RING - 2) % RING], cycle.above);
    if (i >= ANSWERS && i < CASES + ANSWERS) {
      const struct load_case *c = &ring[(i + RING - ANSWERS) % RING];
      struct answer want = by_load(PORTS_8, c->members, c->above, c->slot);
      assert_true(takes(shown(&s), want.port));
    }
    if (i >= COUNTS) {
      const struct load_case *c = &ring[(i + RING - COUNTS) % RING];
      struct answer want = by_load(PORTS_8, c->members, c->above, c->slot);
      assert_true(s.free && s.turned == want.turned && s.crowded == want.crowded);
    }
    loom_port_group_edge(&s, &cycle, &tables);
  }
}

static void what_load_does_not_take_goes_by_flow(void **state) {
  (void)state;
  struct bench *b = start(8, 16);
  enum { SC = 19 };
  uint64_t plain = head(source_for(77, 0, 40), 77) | LOOM_PUT64(LOOM_HEAD_SC, SC);
  write_members(b, 3, 0x0F);
  write_slot(b, 3, 40, 5); /* no member: to tell the two */
  same(ask(b, plain, BY_LOAD, 3), (struct answer){.known = true, .free = true, .turned = true});
  for (uint32_t train = 1; train < 4; train++) {
    uint64_t after = LOOM_PUT64(LOOM_HEAD_AFTER, train & 1);
    uint64_t more = LOOM_PUT64(LOOM_HEAD_MORE, train >> 1);
    same(ask(b, plain | after | more, BY_LOAD, 3), by_slot(8, 5));
  }
  for (uint32_t vl = 0; vl < 32; vl++)
    assert_int_equal(ask_on(b, vl, plain, BY_LOAD, 3).free, vl != MGMT_VL);
  same(ask_on(b, MGMT_VL, plain, BY_LOAD, 3), by_slot(8, 5));
  b->in.sls = ~(1u << SC);
  same(ask(b, plain, BY_LOAD, 3), by_slot(8, 5));
  b->in.sls = 1u << SC;
  assert_true(ask(b, plain, BY_LOAD, 3).free);
  stop(b);
}

/* ---- corner cases ---------------------------------------------------------------------------- */

static void a_group_beyond_the_count_is_unknown(void **state) {
  (void)state;
  struct bench *b = start(8, 16);
  for (uint32_t g = 0; g < 16; g++) {
    write_slots(b, g, 4);
    write_members(b, g, 0x10);
  }
  for (uint32_t count = 0; count <= 16; count++)
    for (uint32_t mode = BY_LID; mode < MODES; mode++)
      for (uint32_t g = 0; g < 64; g++) {
        b->in.count = count;
        struct answer a = ask(b, head(1, 2), mode, g);
        assert_int_equal(a.known, g < count);
        assert_int_equal(a.free, g < count && mode == BY_LOAD);
      }
  b->in.count = 0; /* ports do not ask for it */
  assert_true(takes(ask(b, head(1, 2), BY_PORT, 7), 7));
  stop(b);
}

static void an_lid_that_is_not_known_stays_so(void **state) {
  (void)state;
  struct bench *b = start(8, 16);
  write_slots(b, 0, 4);
  write_members(b, 0, 0x10);
  for (uint32_t mode = 0; mode < MODES; mode++) {
    b->in.head = 1;
    b->in.data = head(1, 2);
    tick(b);
    b->in.found_mode = mode;
    for (uint32_t c = 1; c <= COUNTS; c++) {
      tick(b);
      assert_false(b->out.known || b->out.port || b->out.free);
    }
  }
  stop(b);
}

static void an_empty_group_goes_by_its_slot(void **state) {
  (void)state;
  struct bench *b = start(8, 16);
  write_slots(b, 2, 6);
  write_members(b, 2, 0);
  for (uint32_t o = 0; o < 8; o++)
    b->in.above[o] = 7;
  same(ask(b, head(1, 2), BY_LOAD, 2), by_slot(8, 6));
  write_slots(b, 2, 8);
  same(ask(b, head(1, 2), BY_LOAD, 2), by_slot(8, 8));
  stop(b);
}

static void a_slot_beyond_the_ports_is_nowhere(void **state) {
  (void)state;
  struct bench *b = start(8, 1);
  write_members(b, 0, 0xC0);
  for (uint32_t port = 0; port < SLOTS; port++) {
    write_slots(b, 0, port);
    same(ask(b, head(1, 2), BY_LID, 0), by_slot(8, port));
    same(ask(b, head(1, 2), BY_FLOW, 0), by_slot(8, port));
    /* Load goes by members all the same, and no member has that number. */
    struct answer a = ask(b, head(1, 2), BY_LOAD, 0);
    assert_true(takes(a, port == 7 ? 7 : 6));
    assert_int_equal(a.turned, port != 6 && port != 7);
  }
  stop(b);
}

/* One that is not a plain port only by what counts it. */
static void a_group_of_one_is_a_plain_port(void **state) {
  (void)state;
  struct bench *b = start(8, 16);
  for (uint32_t port = 0; port < 8; port++) {
    write_slots(b, 1, port);
    write_members(b, 1, 1ull << port);
    for (uint32_t above = 0; above < 8; above++) {
      for (uint32_t o = 0; o < 8; o++)
        b->in.above[o] = o == port ? above : 0;
      for (uint32_t mode = 0; mode < MODES; mode++) {
        struct answer a = ask(b, head(above, port), mode, mode == BY_PORT ? port : 1);
        assert_true(takes(a, port));
        assert_int_equal(a.free, mode == BY_LOAD);
        assert_false(a.turned);
        assert_int_equal(a.crowded, mode == BY_LOAD && above & 4);
      }
    }
  }
  stop(b);
}

/* The sets are tried in the order of their thresholds, whatever these are. */
static void thresholds_need_not_rise(void **state) {
  (void)state;
  struct bench *b = start(8, 1);
  write_slots(b, 0, 0);
  write_members(b, 0, 0x0E);
  b->in.above[0] = 0; /* no member */
  for (uint32_t all = 0; all < 512; all++) {
    for (uint32_t o = 1; o <= 3; o++)
      b->in.above[o] = all >> 3 * (o - 1) & 7;
    same(ask(b, head(1, 2), BY_LOAD, 0), by_load(8, 0x0E, b->in.above, 0));
  }
  stop(b);
}

/* With thresholds of 0 all ports are above all of them. */
static void load_is_flow_while_all_ports_are_in_one_class(void **state) {
  (void)state;
  struct bench *b = start(8, 1);
  write_members(b, 0, 0xB5);
  for (uint32_t k = 0, o = 0; k < SLOTS; k++, o++) {
    while (!(0xB5 >> o % 8 & 1))
      o++;
    write_slot(b, 0, k, o % 8);
  }
  for (uint32_t above = 0; above < 8; above++) {
    for (uint32_t o = 0; o < 8; o++)
      b->in.above[o] = above;
    for (uint32_t src = 0; src < 100; src++) {
      struct answer load = ask(b, head(src, 9), BY_LOAD, 0),
                    flow = ask(b, head(src, 9), BY_FLOW, 0);
      assert_true(takes(load, flow.port) && !load.turned && counts_nothing(flow));
    }
  }
  stop(b);
}

static void a_length_of_0_and_any_lane_are_looked_up(void **state) {
  (void)state;
  struct bench *b = start(8, 1);
  write_slots(b, 0, 3);
  write_members(b, 0, 0x08);
  uint64_t none = head(1, 2) & ~LOOM_PUT64(LOOM_HEAD_LEN, 0xFFF);
  for (uint32_t vl = 0; vl < 32; vl++)
    for (uint32_t mode = BY_LID; mode < MODES; mode++) {
      struct answer a = ask_on(b, vl, none, mode, 0);
      assert_true(takes(a, 3));
      assert_int_equal(a.free, mode == BY_LOAD && vl != MGMT_VL);
    }
  stop(b);
}

/* ---- writes ---------------------------------------------------------------------------------- */

static void writes_beyond_groups_and_ports_are_ignored(void **state) {
  (void)state;
  struct bench *b = start(33, 5);
  fill(b);
  for (uint32_t addr = 2 * 5; addr < 128; addr++) {
    b->in.members_we = 1;
    b->in.members_addr = addr;
    b->in.members_data = UINT32_MAX;
    tick(b);
  }
  for (uint32_t addr = 5 * SLOTS; addr < 4096; addr++) {
    b->in.slot_we = 1;
    b->in.slot_addr = addr;
    b->in.slot_data = 1;
    tick(b);
  }
  for (uint32_t g = 0; g < 5; g++) {
    assert_true(b->s.own.members[g] == b->members[g]);
    assert_memory_equal(&b->s.own.slots[g * SLOTS], b->slot[g], SLOTS);
  }
  write_members(b, 4, UINT64_MAX);
  assert_true(b->s.own.members[4] == loom_mask(33));
  stop(b);
}

static void halves_of_members_are_written_apart(void **state) {
  (void)state;
  struct bench *b = start(48, 2);
  write_members(b, 1, 0x812345678ull);
  write_members(b, 0, 0);
  b->in.members_we = 1;
  b->in.members_addr = 2;
  b->in.members_data = 0x80000000;
  tick(b);
  assert_true(b->s.own.members[1] == 0x880000000ull);
  b->in.members_we = 1;
  b->in.members_addr = 3;
  b->in.members_data = 0xFFFF8000;
  tick(b);
  assert_true(b->s.own.members[1] == 0x800080000000ull && !b->s.own.members[0]);
  stop(b);
}

/* Words that are written at the edge at which a lookup reads them are read as they were. */
static void a_lookup_sees_what_was_before_its_edge(void **state) {
  (void)state;
  for (uint32_t late = 0; late < 4; late++) { /* the write is in cycle c + late */
    struct bench *b = start(8, 1);
    write_slots(b, 0, 1);
    write_members(b, 0, 0x02);
    for (uint32_t c = 0; c <= 2 * ANSWERS; c++) {
      /* A flow, and by load at the same time of the next one. */
      b->in.head = c == 0 || c == ANSWERS;
      b->in.data = head(source_for(9, 0, 17), 9);
      b->in.found_known = c == 1 || c == ANSWERS + 1;
      b->in.found_mode = c == 1 ? BY_FLOW : BY_LOAD;
      if (c == late) {
        b->in.slot_we = 1;
        b->in.slot_addr = 17;
        b->in.slot_data = 6;
      }
      if (c == late + ANSWERS) {
        b->in.members_we = 1;
        b->in.members_addr = 0;
        b->in.members_data = 0x20;
      }
      tick(b);
      if (c == ANSWERS)
        assert_int_equal(b->out.port, late < 1 ? 6 : 1);
      if (c == 2 * ANSWERS)
        assert_int_equal(b->out.port, late < 1 ? 5 : 1);
    }
    stop(b);
  }
}

/* hash and sls count in c, count in c + 1, above in c + 2; changes elsewhere do nothing. */
static void registers_count_in_the_cycle_that_looks_at_them(void **state) {
  (void)state;
  uint32_t src = source_for(9, 0, 17), other = flow_index(src, 9, 1);
  assert_int_not_equal(other, 17);
  for (uint32_t now = 0; now <= ANSWERS; now++)
    for (uint32_t what = 0; what < 4; what++) {
      struct bench *b = start(8, 1);
      write_members(b, 0, 0x0C);
      write_slots(b, 0, 2);
      write_slot(b, 0, other, 3);
      for (uint32_t c = 0; c <= ANSWERS; c++) {
        bool changed = c == now;
        b->in.hash = what == 0 && changed;
        b->in.sls = what == 1 && changed ? 0 : UINT32_MAX;
        b->in.count = what == 2 && changed ? 0 : 1;
        b->in.above[2] = what == 3 && changed ? 1 : 0;
        b->in.head = c == 0;
        b->in.data = head(src, 9);
        b->in.found_known = c == 1;
        b->in.found_mode = BY_LOAD;
        tick(b);
      }
      bool known = b->out.known;
      uint32_t port = (uint32_t)b->out.port;
      tick(b);
      assert_int_equal(known, !(what == 2 && now == 1));
      if (known)
        assert_int_equal(port, (what == 0 && now == 0) || (what == 3 && now == 2) ? 3 : 2);
      assert_int_equal(b->out.free, known && !(what == 1 && now == 0));
      stop(b);
    }
}

/* ---- traffic --------------------------------------------------------------------------------- */

/* A head under way, as the rules have it. */
struct flight {
  bool head, loose, valid, choose;
  uint32_t index[2]; /* by LID, by flow */
  uint32_t slot;
  uint64_t members;
  struct answer answer;
};

static void fly(struct bench *b, struct flight *f) {
  uint64_t data = b->in.data;
  uint32_t src = LOOM_GET(LOOM_HEAD_SRC, data), dest = LOOM_GET(LOOM_HEAD_DEST, data);
  *f = (struct flight){.head = b->in.head};
  f->loose = b->in.sls >> LOOM_GET(LOOM_HEAD_SC, data) & 1 && b->in.vl != MGMT_VL &&
             !LOOM_GET(LOOM_HEAD_AFTER, data) && !LOOM_GET(LOOM_HEAD_MORE, data);
  f->index[0] = lid_index(dest);
  f->index[1] = flow_index(src, dest, (uint32_t)b->in.hash);
}

static void look_up(struct bench *b, struct flight *f) {
  uint32_t mode = (uint32_t)b->in.found_mode, out = (uint32_t)b->in.found_out;
  f->valid = f->head && b->in.found_known && (mode == BY_PORT || out < b->in.count);
  if (!f->valid)
    return;
  f->slot = mode == BY_PORT ? out : b->slot[out][f->index[mode != BY_LID]];
  f->members = mode == BY_LOAD && f->loose ? b->members[out] : 0;
}

static void pick(struct bench *b, struct flight *f) {
  if (f->valid && f->members)
    f->answer = by_load(b->cfg.PORTS, f->members, b->in.above, f->slot);
  else if (f->valid)
    f->answer = by_slot(b->cfg.PORTS, f->slot);
}

static void draw(struct bench *b, bool had_head) {
  uint32_t ports = b->cfg.PORTS, groups = b->cfg.GROUPS;
  b->in.head = loom_chance(&b->seed, 80);
  b->in.vl = loom_below(&b->seed, 16);
  b->in.data = loom_random(&b->seed);
  if (loom_chance(&b->seed, 80)) /* of no train */
    b->in.data &= ~(LOOM_PUT64(LOOM_HEAD_AFTER, 1) | LOOM_PUT64(LOOM_HEAD_MORE, 1));
  b->in.found_mode = loom_below(&b->seed, MODES);
  b->in.found_out = loom_below(&b->seed, loom_chance(&b->seed, 80) ? groups : 64);
  b->in.found_known = loom_chance(&b->seed, 90) &&
                      (!had_head || b->in.found_mode != BY_PORT || b->in.found_out < ports);
  uint32_t loaded = loom_chance(&b->seed, 50) ? 98 : 0; /* percent of the ports, all three bits */
  for (uint32_t o = 0; o < ports; o++)
    b->in.above[o] = loom_chance(&b->seed, loaded) ? 7 : loom_below(&b->seed, 8);
  b->in.hash = loom_below(&b->seed, 4);
  b->in.count = loom_chance(&b->seed, 90) ? groups : loom_below(&b->seed, groups + 1);
  b->in.sls = (uint32_t)(loom_random(&b->seed) | loom_random(&b->seed));
  b->in.members_we = loom_chance(&b->seed, 50);
  b->in.members_addr = loom_below(&b->seed, loom_min(2 * groups, 128));
  b->in.members_data = loom_random(&b->seed) & loom_random(&b->seed) & UINT32_MAX;
  b->in.slot_we = loom_chance(&b->seed, 50);
  b->in.slot_addr = loom_below(&b->seed, SLOTS * groups);
  b->in.slot_data = loom_below(&b->seed, loom_chance(&b->seed, 90) ? ports : 64);
}

/* What the cycle writes, after what it reads. */
static void note_writes(struct bench *b) {
  uint32_t place = b->in.members_addr % 2 * 32;
  uint64_t *members = &b->members[b->in.members_addr / 2];
  if (b->in.members_we)
    *members = ((*members & ~(0xFFFFFFFFull << place)) | b->in.members_data << place) &
               loom_mask(b->cfg.PORTS);
  if (b->in.slot_we)
    b->slot[b->in.slot_addr / SLOTS][b->in.slot_addr % SLOTS] = (uint8_t)b->in.slot_data;
}

static void traffic(uint32_t ports, uint32_t groups, uint32_t cycles) {
  enum { RING = 8 };
  struct flight ring[RING];
  struct bench *b = start(ports, groups);
  uint32_t picked = 0, turned = 0, crowded = 0;
  memset(ring, 0, sizeof ring);
  fill(b);
  for (uint32_t c = RING; c < cycles + RING; c++) {
    draw(b, ring[(c - 1) % RING].head);
    fly(b, &ring[c % RING]);
    look_up(b, &ring[(c - 1) % RING]);
    pick(b, &ring[(c - 2) % RING]);
    note_writes(b);
    tick(b);
    const struct answer *now = &ring[(c - ANSWERS) % RING].answer;
    const struct answer *past = &ring[(c - COUNTS) % RING].answer;
    struct answer got = {.known = b->out.known,
                         .port = (uint32_t)b->out.port,
                         .free = b->out.free,
                         .turned = b->out.turned,
                         .crowded = b->out.crowded};
    same(got, (struct answer){.known = now->known,
                              .port = now->port,
                              .free = past->free,
                              .turned = past->turned,
                              .crowded = past->crowded});
    picked += got.free;
    turned += got.turned;
    crowded += got.crowded;
  }
  assert_true(picked > cycles / 50 && turned > cycles / 100 && crowded > cycles / 100);
  stop(b);
}

static void heads_in_every_cycle_are_all_answered(void **state) {
  (void)state;
  traffic(2, 1, 100000);
  traffic(8, 16, 200000);
  traffic(33, 5, 100000);
  traffic(48, 64, 200000);
}

/* ---- rest ------------------------------------------------------------------------------------ */

/* The edges after which a unit rests that had one head. */
static uint32_t edges_of(uint32_t mode, bool found) {
  struct loom_port_group s;
  struct loom_port_group_cfg cfg;
  uint64_t members = 0x06;
  uint8_t slots[SLOTS] = {0};
  const struct loom_port_group_tables tables = {.groups = 1, .members = &members, .slots = slots};
  loom_port_group_defaults(&cfg);
  loom_port_group_init(&s, &cfg, NULL);
  assert_true(loom_port_group_rests(&s));
  uint32_t edges = 0;
  do {
    const struct loom_port_group_cycle cycle = {.head = edges == 0,
                                                .found = edges == 1 && found,
                                                .mode = (uint8_t)mode,
                                                .count = 1,
                                                .sls = UINT32_MAX};
    loom_port_group_edge(&s, &cycle, &tables);
    edges++;
  } while (!loom_port_group_rests(&s));
  return edges;
}

static void a_unit_rests_when_nothing_is_under_way(void **state) {
  (void)state;
  assert_int_equal(edges_of(BY_PORT, false), 2);
  assert_int_equal(edges_of(BY_FLOW, true), 5);
  assert_int_equal(edges_of(BY_LOAD, true), 6); /* the last one clears the pulses */
}

static void a_unit_at_rest_that_is_not_stepped_equals_one_that_is(void **state) {
  struct loom_port_group always, seldom;
  struct loom_port_group_cfg cfg;
  uint64_t seed = 11, members[4] = {0x0F, 0xF0, 0xA5, 0};
  uint8_t slots[4 * SLOTS];
  const struct loom_port_group_tables tables = {.groups = 4, .members = members, .slots = slots};
  uint32_t left_out = 0, cycles = 200000;
  (void)state;
  for (uint32_t k = 0; k < sizeof slots; k++)
    slots[k] = (uint8_t)loom_below(&seed, 10);
  loom_port_group_defaults(&cfg);
  loom_port_group_init(&always, &cfg, NULL);
  loom_port_group_init(&seldom, &cfg, NULL);
  for (uint32_t c = 0; c < cycles; c++) {
    struct loom_port_group_cycle cycle = {.head = loom_chance(&seed, 15),
                                          .vl = (uint8_t)loom_below(&seed, 16),
                                          .data = loom_random(&seed) & loom_random(&seed),
                                          .found = loom_chance(&seed, 90),
                                          .mode = (uint8_t)loom_below(&seed, MODES),
                                          .out = (uint8_t)loom_below(&seed, 5),
                                          .count = 4,
                                          .hash = (uint8_t)loom_below(&seed, 4),
                                          .sls = UINT32_MAX};
    for (uint32_t k = 0; k < LOOM_GROUP_THRESHOLDS; k++)
      cycle.above[k] = loom_random(&seed);
    same(shown(&always), shown(&seldom));
    assert_true(always.free == seldom.free && always.turned == seldom.turned &&
                always.crowded == seldom.crowded);
    loom_port_group_edge(&always, &cycle, &tables);
    if (cycle.head || !loom_port_group_rests(&seldom))
      loom_port_group_edge(&seldom, &cycle, &tables);
    else
      left_out++;
  }
  assert_in_range(left_out, cycles / 5, cycles);
}

/* ---- run ------------------------------------------------------------------------------------- */

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_index_of_a_flow_is_that_of_the_page),
      cmocka_unit_test(the_index_of_a_flow_is_bits_of_the_part_crc16),
      cmocka_unit_test(lids_in_a_row_have_each_slot_once),
      cmocka_unit_test(flows_of_a_pattern_spread_over_a_group),
      cmocka_unit_test(a_switch_with_another_hash_spreads_what_comes),
      cmocka_unit_test(each_mode_takes_the_port_that_its_rule_names),
      cmocka_unit_test(load_takes_the_first_of_the_lowest_class),
      cmocka_unit_test(what_load_does_not_take_goes_by_flow),
      cmocka_unit_test(a_group_beyond_the_count_is_unknown),
      cmocka_unit_test(an_lid_that_is_not_known_stays_so),
      cmocka_unit_test(an_empty_group_goes_by_its_slot),
      cmocka_unit_test(a_slot_beyond_the_ports_is_nowhere),
      cmocka_unit_test(a_group_of_one_is_a_plain_port),
      cmocka_unit_test(thresholds_need_not_rise),
      cmocka_unit_test(load_is_flow_while_all_ports_are_in_one_class),
      cmocka_unit_test(a_length_of_0_and_any_lane_are_looked_up),
      cmocka_unit_test(writes_beyond_groups_and_ports_are_ignored),
      cmocka_unit_test(halves_of_members_are_written_apart),
      cmocka_unit_test(a_lookup_sees_what_was_before_its_edge),
      cmocka_unit_test(registers_count_in_the_cycle_that_looks_at_them),
      cmocka_unit_test(heads_in_every_cycle_are_all_answered),
      cmocka_unit_test(a_unit_rests_when_nothing_is_under_way),
      cmocka_unit_test(a_unit_at_rest_that_is_not_stepped_equals_one_that_is),
  };
  return UNIT_RUN("port_group", tests, NULL, NULL);
}
