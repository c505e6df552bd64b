/* SPDX-License-Identifier: Apache-2.0 */
/* test_elan5.c - the endpoint of docs/elan5.md, two of them back to back over links of the fabric:
 * packets on the wire, replies, exactly-once operations, damage, bring-up
 */
#include "tb/unit/unit.h"

#include <loom/bits.h>
#include <loom/random.h>
#include <stdlib.h>
#include <string.h>

#include "elan5/elan5_barrier.h"
#include "elite5/elite5_header.h"
#include "fabric/elite5_class.h"

enum { SMALL_MEMORY = 32768, PATIENCE = 200000 };

/* ---- a pair ---------------------------------------------------------------------------------- */

/* A reply, or nothing. */
struct reply {
  bool valid, ack;
  uint8_t vc;
};

/* An endpoint whose links the test listens to, and sometimes changes what they bring. */
struct tap {
  struct pair *p;
  struct loom_elan5 *e;
  uint32_t device;
  bool tail;          /* link 0 has brought one in the last cycle */
  struct reply reply; /* and this */
  /* Link 0 brings this in the next cycle. */
  struct loom_flow say;
  struct reply answer;
};

struct pair {
  struct loom_fabric *fabric;
  uint32_t latency;
  struct tap tap[2];
  struct loom_elan5 *a, *b; /* nodes 0 and 1 */
  uint64_t seed;
  /* What the test does to replies on their way to a. */
  bool withhold;         /* keep them back */
  uint32_t refuse, lose; /* percent of ACKs that become NACKs; that vanish */
  struct reply kept[2 * LOOM_ELAN5_VCS];
  uint32_t keeps;
};

struct pair_cfg {
  uint32_t latency;
  struct loom_elan5_cfg endpoint;
};

static struct pair_cfg plain(void) {
  struct pair_cfg cfg = {.latency = 1};
  loom_elan5_defaults(&cfg.endpoint);
  cfg.endpoint.memory = SMALL_MEMORY;
  cfg.endpoint.nodes = 2;
  return cfg;
}

/* ---- what the links bring -------------------------------------------------------------------- */

/* An arrival of its own, with its wires before it. */
union arrival {
  struct {
    struct loom_fabric_wires wires;
    uint8_t
        room[sizeof(struct loom_fabric_arrival) + LOOM_ELAN5_LINKS * sizeof(struct loom_link_in)];
  } all;
  uint64_t align;
};

static struct reply reply_of(const struct loom_fabric_arrival *in, uint32_t lane) {
  const struct loom_fabric_wires *w = loom_fabric_wires(in);
  return (struct reply){
      .valid = w->reply >> lane & 1, .ack = w->ack >> lane & 1, .vc = in->port[lane].rep_vc};
}

static void set_reply(struct loom_fabric_wires *w, struct loom_fabric_arrival *in, uint32_t lane,
                      struct reply reply) {
  uint64_t bit = 1ull << lane;
  w->reply = reply.valid ? w->reply | bit : w->reply & ~bit;
  w->ack = reply.valid && reply.ack ? w->ack | bit : w->ack & ~bit;
  in->port[lane].rep_vc = reply.vc;
}

/* What becomes of a reply to a. */
static struct reply tamper(struct pair *p, struct reply reply) {
  if (p->withhold) {
    p->kept[p->keeps++] = reply;
    reply.valid = false;
  } else if (reply.ack && loom_chance(&p->seed, p->refuse)) {
    reply.ack = false;
  } else if (reply.ack && loom_chance(&p->seed, p->lose)) {
    reply.valid = false;
  }
  return reply;
}

static void add_word(struct loom_fabric_arrival *in, const struct loom_flow *word) {
  if (!(word->flags & LOOM_FLOW_VALID))
    return;
  in->valid |= 1;
  in->head |= word->flags & LOOM_FLOW_HEAD ? 1 : 0;
  in->tail |= word->flags & LOOM_FLOW_TAIL ? 1 : 0;
  in->port[0].vl = word->vl;
  in->port[0].data = word->data;
}

static void step_tap(void *device, uint64_t now, const struct loom_fabric_arrival *arrival,
                     const struct loom_fabric_show *show) {
  struct tap *t = device;
  union arrival copy;
  struct loom_fabric_wires *w = &copy.all.wires;
  struct loom_fabric_arrival *in = (struct loom_fabric_arrival *)(w + 1);
  memcpy(w, loom_fabric_wires(arrival), sizeof *w);
  memcpy(in, arrival, sizeof *in + LOOM_ELAN5_LINKS * sizeof in->port[0]);
  t->tail = in->tail & 1;
  t->reply = reply_of(in, 0);
  for (uint32_t lane = 0; t == &t->p->tap[0] && lane < t->e->cfg.links; lane++)
    if (w->reply >> lane & 1)
      set_reply(w, in, lane, tamper(t->p, reply_of(in, lane)));
  if (t->answer.valid)
    set_reply(w, in, 0, t->answer);
  add_word(in, &t->say);
  t->say.flags = 0;
  t->answer.valid = false;
  loom_elan5_fabric_step(t->e, now, in, show);
}

static bool tap_sleeps(const void *device) {
  const struct tap *t = device;
  return loom_elan5_sleeps(t->e);
}

static const struct loom_fabric_class tap_class = {.name = "tap",
                                                   .ports = LOOM_ELAN5_LINKS,
                                                   .wires = true,
                                                   .spared = loom_elite5_is_spared,
                                                   .step = step_tap,
                                                   .sleeps = tap_sleeps};

static bool nothing_is_spared(bool head, bool tail, uint64_t word) {
  (void)head;
  (void)tail;
  (void)word;
  return false;
}

/* The same at the end of a link whose errors take words of link control, too. */
static const struct loom_fabric_class noisy_tap_class = {.name = "tap",
                                                         .ports = LOOM_ELAN5_LINKS,
                                                         .wires = true,
                                                         .spared = nothing_is_spared,
                                                         .step = step_tap,
                                                         .sleeps = tap_sleeps};

/* ---- cycles ---------------------------------------------------------------------------------- */

static bool add_node(struct pair *p, uint32_t number, const struct loom_elan5_cfg *cfg) {
  struct tap *t = &p->tap[number];
  t->p = p;
  t->e = loom_elan5_new(p->fabric, cfg, number);
  t->device = t->e ? loom_elan5_add(p->fabric, &tap_class, t, t->e) : LOOM_FABRIC_NONE;
  return t->device != LOOM_FABRIC_NONE;
}

/* Without waiting for the links. */
static struct pair *open_down(struct pair_cfg cfg) {
  struct pair *p = calloc(1, sizeof *p);
  assert_non_null(p);
  p->fabric = loom_fabric_create(&(struct loom_fabric_cfg){
      .devices = 2, .links = cfg.endpoint.links, .latency = cfg.latency, .seed = 1});
  assert_non_null(p->fabric);
  p->latency = cfg.latency;
  assert_true(add_node(p, 0, &cfg.endpoint) && add_node(p, 1, &cfg.endpoint));
  p->a = p->tap[0].e;
  p->b = p->tap[1].e;
  p->seed = 1;
  for (uint32_t lane = 0; lane < cfg.endpoint.links; lane++)
    assert_int_equal(loom_fabric_connect(p->fabric, 0, lane, 1, lane, cfg.latency), lane);
  return p;
}

static uint64_t words_of(const struct pair *p, uint32_t link) {
  uint64_t flits[2];
  loom_fabric_link_flits(p->fabric, link, flits);
  return flits[0] + flits[1];
}

static bool is_up(const struct pair *p) {
  for (uint32_t lane = 0; lane < p->a->cfg.links; lane++)
    if (p->a->link[lane].port.state != LOOM_ELITE5_UP ||
        p->b->link[lane].port.state != LOOM_ELITE5_UP)
      return false;
  return true;
}

static void cycle(struct pair *p) {
  for (uint32_t node = 0; node < 2; node++) {
    p->tap[node].tail = false;
    p->tap[node].reply.valid = false;
  }
  loom_fabric_step(p->fabric);
}

static void cycles(struct pair *p, uint32_t n) {
  for (; n; n--)
    cycle(p);
}

static struct pair *open_pair(struct pair_cfg cfg) {
  struct pair *p = open_down(cfg);
  for (uint32_t i = 0; i < PATIENCE && !is_up(p); i++)
    cycle(p);
  assert_true(is_up(p));
  cycles(p, cfg.endpoint.settle + 2);
  return p;
}

static void close_pair(struct pair *p) {
  loom_fabric_destroy(p->fabric);
  free(p);
}

static void until_idle(struct pair *p) {
  uint32_t i = 0;
  while (i < PATIENCE && !(loom_elan5_idle(p->a) && loom_elan5_idle(p->b))) {
    cycle(p);
    i++;
  }
  assert_true(i < PATIENCE);
}

static const struct loom_elan5_target TO_B = {.dest = 1};

static void fill(struct loom_elan5 *e, uint64_t seed) {
  for (uint32_t i = 0; i < e->cfg.memory; i++)
    e->memory[i] = (uint8_t)loom_random(&seed);
}

/* ---- packets --------------------------------------------------------------------------------- */

/* E5-04. */
static void a_put_takes_the_segments_and_words_of_its_size(void **state) {
  (void)state;
  static const struct {
    uint32_t data, segments, bytes, words;
  } row[] = {{4, 1, 32, 4},     {8, 1, 32, 4},       {64, 1, 88, 11},      {232, 1, 256, 32},
             {256, 2, 284, 36}, {984, 4, 1020, 128}, {1024, 5, 1064, 133}, {4096, 17, 4184, 523}};
  struct pair_cfg cfg = plain();
  cfg.endpoint.packet = 4096;
  struct pair *p = open_pair(cfg);
  fill(p->a, 1);
  for (uint32_t i = 0; i < sizeof row / sizeof *row; i++) {
    struct loom_elan5_wire wire = loom_elan5_wire(row[i].data);
    assert_int_equal(wire.segments, row[i].segments);
    assert_int_equal(wire.bytes, row[i].bytes);
    assert_int_equal(wire.words, row[i].words);
    uint64_t before = words_of(p, 0);
    memset(p->b->memory, 0, p->b->cfg.memory);
    uint32_t t = loom_elan5_put(p->a, TO_B, 256, 512, row[i].data);
    until_idle(p);
    assert_int_equal(loom_elan5_done(p->a, t), LOOM_ELAN5_DONE);
    assert_int_equal(words_of(p, 0) - before, row[i].words);
    assert_memory_equal(p->b->memory + 256, p->a->memory + 512, row[i].data);
    assert_int_equal(p->b->memory[256 + row[i].data], 0);
  }
  close_pair(p);
}

/* E5-05. */
static void address_words_and_trailers_are_read_back_as_packed(void **state) {
  (void)state;
  uint64_t seed = 5;
  for (uint32_t i = 0; i < 1000; i++) {
    struct loom_elan5_address back;
    const struct loom_elan5_address a = {.op = (uint8_t)loom_below(&seed, 16),
                                         .once = loom_below(&seed, 2),
                                         .pad = (uint8_t)loom_below(&seed, 8),
                                         .tag = (uint8_t)loom_below(&seed, 256),
                                         .at = loom_random(&seed) >> 16};
    loom_elan5_unpack_address(&back, loom_elan5_pack_address(&a));
    assert_int_equal(back.op, a.op);
    assert_int_equal(back.once, a.once);
    assert_int_equal(back.pad, a.pad);
    assert_int_equal(back.tag, a.tag);
    assert_int_equal(back.at, a.at);
  }
  /* CRC-32 of "12345" and the id "6789". */
  uint32_t crc = loom_elan5_crc_add(loom_elan5_crc_start(), (const uint8_t *)"12345", 5);
  assert_int_equal(loom_elan5_trailer(crc, 0x36373839), 0x36373839CBF43926ull);
}

static void every_size_arrives_over_any_number_of_links(void **state) {
  (void)state;
  for (uint32_t links = 1; links <= 4; links++) {
    struct pair_cfg cfg = plain();
    cfg.endpoint.links = links;
    cfg.latency = links;
    cfg.endpoint.packet = links == 3 ? 104 : 1024;
    struct pair *p = open_pair(cfg);
    fill(p->a, links);
    for (uint32_t bytes = 0; bytes < 5000; bytes = bytes * 5 / 4 + 1) {
      memset(p->b->memory, 0, p->b->cfg.memory);
      uint32_t t = loom_elan5_put(p->a, TO_B, bytes & 63, bytes, bytes);
      until_idle(p);
      assert_int_equal(loom_elan5_done(p->a, t), LOOM_ELAN5_DONE);
      assert_memory_equal(p->b->memory + (bytes & 63), p->a->memory + bytes, bytes);
      assert_int_equal(p->b->memory[(bytes & 63) + bytes], 0);
    }
    const struct loom_elan5_counters *c = &p->a->counters;
    assert_int_equal(c->begun, c->acks);
    assert_int_equal(p->b->counters.bad + c->nacks + c->reply_errors + c->link_errors, 0);
    close_pair(p);
  }
}

/* ---- replies --------------------------------------------------------------------------------- */

/* a hears a reply that was kept back. */
static void let_go(struct pair *p, uint32_t which) {
  p->tap[0].answer = p->kept[which];
  loom_fabric_wake(p->fabric, p->tap[0].device);
  cycle(p);
}

static void expect_window(uint32_t vcs, uint32_t bvcs) {
  struct pair_cfg cfg = plain();
  cfg.endpoint.vcs = vcs;
  cfg.endpoint.bvcs = bvcs;
  struct pair *p = open_pair(cfg);
  p->withhold = true;
  for (uint32_t i = 0; i < LOOM_ELAN5_OWN_TRANSFERS; i++)
    assert_int_not_equal(loom_elan5_put_word(p->a, TO_B, 8, i), LOOM_ELAN5_NONE);
  cycles(p, 1000);
  assert_int_equal(p->a->counters.begun, vcs - bvcs);
  assert_int_equal(p->keeps, vcs - bvcs);
  for (uint32_t i = 0; i < vcs - bvcs && p->a->counters.begun < LOOM_ELAN5_OWN_TRANSFERS; i++) {
    uint32_t vc = p->kept[i].vc;
    uint64_t before = p->a->counters.begun;
    let_go(p, i);
    cycles(p, 300);
    assert_int_equal(p->a->counters.begun, before + 1);
    assert_int_equal(p->kept[p->keeps - 1].vc, vc);
    p->keeps--;
  }
  close_pair(p);
}

/* E5-03. */
static void each_vc_has_one_packet_under_way(void **state) {
  (void)state;
  expect_window(32, 0);
  expect_window(32, 4);
  expect_window(9, 1);
}

/* E5-03: one transfer of many packets takes no more of them than many do, nor in the other class.
 */
static void a_long_transfer_takes_the_vcs_of_its_class_alone(void **state) {
  (void)state;
  for (uint32_t group = 0; group < 2; group++) {
    struct pair_cfg cfg = plain();
    cfg.endpoint.vcs = 9;
    cfg.endpoint.bvcs = 2;
    struct pair *p = open_pair(cfg);
    p->withhold = true;
    const struct loom_elan5_target to = {.dest = 1, .group = group != 0};
    assert_int_equal(loom_elan5_put(p->a, to, 0, 0, 20 * cfg.endpoint.packet), 0);
    cycles(p, 4000);
    assert_int_equal(p->a->counters.begun, group ? 2 : 7);
    for (uint32_t i = 0; i < p->keeps; i++)
      assert_true(group == (p->kept[i].vc >= 7));
    close_pair(p);
  }
}

/* A transfer of one word, which has all the time that it needs. */
static void put_and_wait(struct pair *p) {
  assert_int_not_equal(loom_elan5_put_word(p->a, TO_B, 8, 1), LOOM_ELAN5_NONE);
  cycles(p, 40);
  for (uint64_t left = p->a->finished; left; left &= left - 1)
    loom_elan5_done(p->a, (uint32_t)__builtin_ctzll(left));
}

/* E5-14: numbers are given away until one that has no ACK is 64 back; packets that need none of
 * them go on. */
static void a_full_window_holds_back_what_needs_a_number_alone(void **state) {
  (void)state;
  enum { WAIT = 2, PACKETS = 10 };
  struct pair_cfg cfg = plain();
  cfg.endpoint.write_latency = 0;
  struct pair *p = open_pair(cfg);
  fill(p->a, 2);
  p->withhold = true;
  put_and_wait(p);
  p->withhold = false;
  assert_int_equal(p->keeps, 1);
  for (uint32_t i = 1; i < LOOM_ELAN5_WINDOW + WAIT; i++)
    put_and_wait(p);
  assert_int_equal(p->a->counters.begun, LOOM_ELAN5_WINDOW);
  assert_int_equal(p->a->counters.acks, LOOM_ELAN5_WINDOW - 1);
  loom_elan5_put(p->a, TO_B, 1024, 2048, PACKETS * cfg.endpoint.packet);
  cycles(p, 4000);
  assert_int_equal(p->a->counters.begun, LOOM_ELAN5_WINDOW + PACKETS - 1);
  assert_int_equal(p->b->counters.effects, LOOM_ELAN5_WINDOW);
  let_go(p, 0);
  until_idle(p);
  assert_int_equal(p->a->counters.begun, LOOM_ELAN5_WINDOW + PACKETS + WAIT);
  assert_int_equal(p->b->counters.effects, LOOM_ELAN5_WINDOW + 1 + WAIT);
  assert_memory_equal(p->b->memory + 1024, p->a->memory + 2048, PACKETS * cfg.endpoint.packet);
  close_pair(p);
}

/* E5-15. */
static void only_the_last_ack_waits_for_the_memory(void **state) {
  (void)state;
  for (uint32_t latency = 0; latency <= 109; latency += 109) {
    struct pair_cfg cfg = plain();
    cfg.endpoint.write_latency = latency;
    struct pair *p = open_pair(cfg);
    uint64_t tail[8], reply[8];
    uint32_t tails = 0, replies = 0;
    loom_elan5_put(p->a, TO_B, 0, 0, 5 * 1024);
    while (replies < 5) {
      uint64_t now = loom_fabric_now(p->fabric);
      cycle(p);
      if (p->tap[1].tail)
        tail[tails++] = now;
      if (p->tap[0].reply.valid)
        reply[replies++] = now;
    }
    for (uint32_t i = 0; i < 4; i++)
      assert_int_equal(reply[i] - tail[i], 1 + p->latency);
    assert_int_equal(reply[4] - tail[4], 1 + p->latency + latency);
    close_pair(p);
  }
}

/* E5-18. */
static void the_age_of_a_packet_is_the_latency_of_its_link(void **state) {
  (void)state;
  for (uint32_t latency = 1; latency < 60; latency += 9) {
    struct pair_cfg cfg = plain();
    cfg.latency = latency;
    struct pair *p = open_pair(cfg);
    loom_elan5_put(p->a, TO_B, 0, 0, 9000);
    until_idle(p);
    assert_int_equal(p->b->counters.age_min, latency);
    assert_int_equal(p->b->counters.age_max, latency);
    close_pair(p);
  }
}

/* ---- exactly once ---------------------------------------------------------------------------- */

/* E5-14. */
static void refused_packets_have_their_effect_exactly_once(void **state) {
  (void)state;
  enum { EVENTS = 34000 }; /* so numbers come round */
  for (uint32_t links = 1; links <= 2; links++) {
    struct pair_cfg cfg = plain();
    cfg.endpoint.links = links;
    struct pair *p = open_pair(cfg);
    fill(p->a, 4);
    p->refuse = 30;
    uint32_t begun = 0, bulk = LOOM_ELAN5_NONE;
    for (uint32_t i = 0; i < 100 * PATIENCE && begun < EVENTS; i++) {
      if (loom_elan5_count(p->a, TO_B, 3, 1) != LOOM_ELAN5_NONE)
        begun++;
      for (uint64_t left = p->a->finished; left; left &= left - 1)
        loom_elan5_done(p->a, (uint32_t)__builtin_ctzll(left));
      cycle(p);
      if (begun == EVENTS / 2 && bulk == LOOM_ELAN5_NONE)
        bulk = loom_elan5_put(p->a, TO_B, 0, 4096, 10000);
    }
    until_idle(p);
    assert_int_equal(p->b->event[3].count, EVENTS);
    assert_true(p->b->counters.duplicates > EVENTS / 5);
    assert_memory_equal(p->b->memory, p->a->memory + 4096, 10000);
    const struct loom_elan5_counters *c = &p->a->counters;
    assert_int_equal(c->begun, c->acks + c->nacks);
    close_pair(p);
  }
}

/* E5-14: replies that vanish: the link starts anew, and what had its effect does not have it
 * again. */
static void packets_whose_acks_are_lost_have_their_effect_once(void **state) {
  (void)state;
  enum { MESSAGES = 200 };
  struct pair_cfg cfg = plain();
  cfg.endpoint.timeout = 500;
  cfg.endpoint.links = 2;
  struct pair *p = open_pair(cfg);
  p->lose = 3;
  uint32_t begun = 0, taken = 0;
  for (uint32_t i = 0; i < 100 * PATIENCE && taken < MESSAGES; i++) {
    if (begun < MESSAGES) {
      p->a->memory[begun] = (uint8_t)begun;
      begun += loom_elan5_queue(p->a, TO_B, begun, 1) != LOOM_ELAN5_NONE;
    }
    for (uint64_t left = p->a->finished; left; left &= left - 1)
      loom_elan5_done(p->a, (uint32_t)__builtin_ctzll(left));
    cycle(p);
    struct loom_elan5_message m;
    if (loom_elan5_take_message(p->b, &m)) {
      assert_int_equal(m.source, 0);
      assert_int_equal(m.bytes, 1);
      taken++;
    }
  }
  p->lose = 0;
  until_idle(p);
  assert_int_equal(taken, MESSAGES);
  assert_int_equal(p->b->messages, 0);
  assert_true(p->a->counters.timeouts > 0);
  assert_true(p->b->counters.duplicates > 0);
  const struct loom_elan5_counters *c = &p->a->counters;
  assert_int_equal(c->begun, c->acks + c->nacks + c->lost);
  close_pair(p);
}

/* E5-14: the last packet waits for the others: what it completes is there. */
static void what_the_last_packet_completes_is_there(void **state) {
  (void)state;
  struct pair *p = open_pair(plain());
  fill(p->a, 9);
  p->refuse = 40;
  for (uint32_t round = 0; round < 20; round++) {
    memset(p->b->memory, 0, p->b->cfg.memory);
    uint64_t effects = p->b->counters.effects;
    uint32_t t = loom_elan5_put(p->a, TO_B, 0, 1000 * round, 9000);
    while (p->b->counters.effects == effects)
      cycle(p);
    assert_memory_equal(p->b->memory, p->a->memory + 1000 * round, 9000);
    until_idle(p);
    assert_int_equal(loom_elan5_done(p->a, t), LOOM_ELAN5_DONE);
  }
  close_pair(p);
}

/* ---- operations ------------------------------------------------------------------------------ */

static void both_sides_may_get_from_each_other_at_once(void **state) {
  (void)state;
  struct pair_cfg cfg = plain();
  cfg.endpoint.links = 2;
  struct pair *p = open_pair(cfg);
  const struct loom_elan5_target to_a = {.dest = 0};
  fill(p->a, 1);
  fill(p->b, 2);
  enum { HALF = SMALL_MEMORY / 2, EACH = 300 };
  /* All transfers of both sides are gets: 16 are left to answer with. */
  for (uint32_t i = 0; i < LOOM_ELAN5_OWN_TRANSFERS; i++) {
    assert_int_equal(loom_elan5_get(p->a, TO_B, i * EACH, HALF + i * EACH, EACH), i);
    assert_int_equal(loom_elan5_get(p->b, to_a, i * EACH, HALF + i * EACH, EACH), i);
  }
  assert_int_equal(loom_elan5_get(p->a, TO_B, 0, 0, 8), LOOM_ELAN5_NONE);
  until_idle(p);
  assert_int_equal(p->b->counters.sent_acks, p->a->counters.acks);
  for (uint32_t i = 0; i < LOOM_ELAN5_OWN_TRANSFERS; i++)
    assert_int_equal(loom_elan5_done(p->a, i), LOOM_ELAN5_DONE);
  assert_memory_equal(p->a->memory + HALF, p->b->memory, LOOM_ELAN5_OWN_TRANSFERS * EACH);
  assert_memory_equal(p->b->memory + HALF, p->a->memory, LOOM_ELAN5_OWN_TRANSFERS * EACH);
  /* A long one, while NACKs come. */
  p->refuse = 30;
  assert_int_equal(loom_elan5_get(p->a, TO_B, HALF, 0, HALF - 1), 0);
  until_idle(p);
  assert_memory_equal(p->a->memory, p->b->memory + HALF, HALF - 1);
  close_pair(p);
}

/* Replies to answers are kept back, so a has none left to answer with. */
static void a_get_is_refused_while_nothing_can_answer_it(void **state) {
  (void)state;
  enum { ANSWERS = LOOM_ELAN5_TRANSFERS - LOOM_ELAN5_OWN_TRANSFERS, GETS = ANSWERS + 4 };
  struct pair *p = open_pair(plain());
  p->withhold = true;
  for (uint32_t i = 0; i < GETS; i++)
    loom_elan5_get(p->b, (struct loom_elan5_target){.dest = 0}, 0, 0, 8);
  cycles(p, 2000);
  assert_int_equal(loom_popcount(p->b->finished), ANSWERS);
  assert_int_equal(p->b->counters.acks, ANSWERS);
  p->withhold = false;
  for (uint32_t i = 0; i < p->keeps; i++)
    let_go(p, i);
  until_idle(p);
  assert_int_equal(loom_popcount(p->b->finished), GETS);
  assert_int_equal(p->b->counters.acks, GETS);
  assert_true(p->b->counters.nacks >= GETS - ANSWERS);
  assert_int_equal(p->a->counters.refused, p->b->counters.nacks);
  assert_int_equal(p->a->counters.sent_nacks, p->b->counters.nacks);
  assert_int_equal(p->a->counters.sent_acks, GETS);
  close_pair(p);
}

static void the_answer_of_a_get_goes_to_the_node_that_asks(void **state) {
  (void)state;
  struct pair *p = open_pair(plain());
  for (uint32_t i = 0; i < 3; i++) {
    loom_elan5_get(p->b, (struct loom_elan5_target){.dest = 0}, 0, 0, 8);
    loom_elan5_get(p->a, TO_B, 0, 0, 8);
    until_idle(p);
    assert_int_equal(p->a->transfer[LOOM_ELAN5_OWN_TRANSFERS].to.dest, 1);
    assert_int_equal(p->b->transfer[LOOM_ELAN5_OWN_TRANSFERS].to.dest, 0);
  }
  close_pair(p);
}

static void a_full_queue_refuses_messages(void **state) {
  (void)state;
  struct pair *p = open_pair(plain());
  fill(p->a, 3);
  for (uint32_t i = 0; i < 40; i++)
    assert_int_not_equal(loom_elan5_queue(p->a, TO_B, 16 * i, 1 + 5 * i), LOOM_ELAN5_NONE);
  cycles(p, 2000);
  assert_int_equal(p->b->messages, 16);
  assert_true(p->b->counters.refused > 0);
  bool seen[40] = {false};
  uint32_t taken = 0;
  for (uint32_t left = PATIENCE; taken < 40 && left; left--, cycle(p)) {
    struct loom_elan5_message m;
    if (!loom_elan5_take_message(p->b, &m))
      continue;
    uint32_t i = (m.bytes - 1) / 5;
    assert_false(seen[i]);
    assert_memory_equal(m.data, p->a->memory + 16 * i, m.bytes);
    seen[i] = true;
    taken++;
  }
  assert_int_equal(taken, 40);
  until_idle(p);
  assert_int_equal(loom_elan5_queue(p->a, TO_B, 0, 233), LOOM_ELAN5_NONE);
  close_pair(p);
}

static enum loom_elan5_result ask(struct pair *p, uint64_t address, uint64_t word) {
  uint32_t t = loom_elan5_conditional(p->a, TO_B, address, word);
  until_idle(p);
  return loom_elan5_done(p->a, t);
}

/* E5-31. */
static void a_conditional_tells_whether_all_bits_are_equal(void **state) {
  (void)state;
  struct pair *p = open_pair(plain());
  loom_elan5_store(p->b->memory + 64, 0x1234567890ABCDEFull);
  assert_int_equal(ask(p, 64, 0x1234567890ABCDEFull), LOOM_ELAN5_DONE);
  for (uint32_t bit = 0; bit < 64; bit++)
    assert_int_equal(ask(p, 64, 0x1234567890ABCDEFull ^ 1ull << bit), LOOM_ELAN5_FAILED);
  assert_int_equal(ask(p, 72, 0), LOOM_ELAN5_DONE);
  assert_int_equal(ask(p, SMALL_MEMORY, 0), LOOM_ELAN5_FAILED);
  assert_int_equal(p->a->counters.failed, 65);
  close_pair(p);
}

static void addresses_outside_of_memory_are_refused(void **state) {
  (void)state;
  struct pair *p = open_pair(plain());
  assert_int_equal(loom_elan5_put(p->a, TO_B, 0, SMALL_MEMORY - 8, 16), LOOM_ELAN5_NONE);
  uint32_t t = loom_elan5_put(p->a, TO_B, SMALL_MEMORY - 8, 0, 16);
  until_idle(p);
  assert_int_equal(loom_elan5_done(p->a, t), LOOM_ELAN5_DONE);
  assert_int_equal(p->b->counters.addresses, 1);
  t = loom_elan5_count(p->a, TO_B, LOOM_ELAN5_EVENTS, 1);
  until_idle(p);
  assert_int_equal(loom_elan5_done(p->a, t), LOOM_ELAN5_DONE);
  assert_int_equal(p->b->counters.addresses, 2);
  close_pair(p);
}

/* Priority first, then in turn. */
static void urgent_packets_go_first(void **state) {
  (void)state;
  struct pair *p = open_pair(plain());
  const struct loom_elan5_target urgent = {.dest = 1, .prio = 3};
  uint32_t bulk = loom_elan5_put(p->a, TO_B, 0, 0, 20000);
  cycles(p, 400);
  uint32_t t = loom_elan5_put_word(p->a, urgent, 30000, 7);
  uint32_t waited = 0;
  for (; loom_elan5_load(p->b->memory + 30000) != 7; waited++)
    cycle(p);
  /* At most the rest of one packet of 133 words, and its own 4. */
  assert_true(waited <= 133 + 4 + 3);
  until_idle(p);
  assert_int_equal(loom_elan5_done(p->a, t), LOOM_ELAN5_DONE);
  assert_int_equal(loom_elan5_done(p->a, bulk), LOOM_ELAN5_DONE);
  close_pair(p);
}

/* Two of one priority share the link by packets. */
static void equal_transfers_take_turns(void **state) {
  (void)state;
  struct pair *p = open_pair(plain());
  enum { HALF = SMALL_MEMORY / 2, PACKET = 133 /* words */ };
  uint32_t one = loom_elan5_put(p->a, TO_B, 0, 0, HALF);
  uint32_t two = loom_elan5_put(p->a, TO_B, HALF, HALF, HALF);
  for (uint32_t i = 0; i < 20; i++) {
    cycles(p, PACKET);
    assert_in_range(p->a->transfer[one].begun + 1 - p->a->transfer[two].begun, 0, 2);
  }
  assert_true(p->a->transfer[two].begun >= 9);
  close_pair(p);
}

/* A packet that is refused again and again waits for at most 32 times the least back-off. */
static void the_back_off_doubles_five_times(void **state) {
  (void)state;
  enum { LEAST = 16, BACKOFF = 8 };
  struct pair_cfg cfg = plain();
  cfg.endpoint.backoff = BACKOFF;
  cfg.endpoint.write_latency = 0;
  struct pair *p = open_pair(cfg);
  uint64_t longest = 0, nacks = 0;
  p->refuse = 100;
  loom_elan5_put_word(p->a, TO_B, 0, 1);
  while (p->a->counters.nacks < 200) {
    uint64_t now = loom_fabric_now(p->fabric);
    cycle(p);
    if (p->a->counters.nacks == nacks)
      continue;
    nacks = p->a->counters.nacks;
    uint64_t wait = p->a->next_due - now;
    assert_in_range(wait, LEAST, LEAST + (BACKOFF << loom_min((uint32_t)nacks - 1, 5)) - 1);
    longest = wait > longest ? wait : longest;
  }
  assert_true(longest >= LEAST + (BACKOFF << 4));
  p->refuse = 0;
  until_idle(p);
  close_pair(p);
}

/* ---- barriers -------------------------------------------------------------------------------- */

/* E5-32: its event goes up once, as soon as a transfer is free. */
static void a_barrier_waits_for_a_free_transfer(void **state) {
  (void)state;
  enum { EVENT = 5 };
  static const uint16_t node[] = {1, 0};
  struct loom_elan5_barrier barrier;
  struct pair *p = open_pair(plain());
  loom_elan5_barrier_init(&barrier,
                          &(struct loom_elan5_barrier_cfg){.type = LOOM_ELAN5_BARRIER_EVENTS,
                                                           .members = 2,
                                                           .self = 1,
                                                           .node = node,
                                                           .event = EVENT,
                                                           .arity = 2});
  p->withhold = true;
  while (loom_elan5_put_word(p->a, TO_B, 8, 1) != LOOM_ELAN5_NONE)
    ;
  loom_elan5_barrier_enter(&barrier, p->a);
  for (uint32_t i = 0; i < 300; i++, cycle(p))
    loom_elan5_barrier_step(&barrier, p->a);
  assert_true(barrier.all_ready);
  assert_int_equal(barrier.sent_up, 0);
  p->withhold = false;
  for (uint32_t i = 0; i < p->keeps; i++)
    let_go(p, i);
  until_idle(p);
  loom_elan5_done(p->a, 0);
  for (uint32_t i = 0; i < 300; i++, cycle(p))
    loom_elan5_barrier_step(&barrier, p->a);
  assert_int_equal(barrier.sent_up, 1);
  assert_int_equal(p->b->event[EVENT].count, 1);
  close_pair(p);
}

/* ---- damage ---------------------------------------------------------------------------------- */

/* E5-07. */
static void wrong_bits_are_refused_and_the_data_arrives_whole(void **state) {
  (void)state;
  struct pair_cfg cfg = plain();
  cfg.endpoint.links = 2;
  struct pair *p = open_pair(cfg);
  fill(p->a, 8);
  for (uint32_t lane = 0; lane < 2; lane++)
    loom_fabric_errors(p->fabric, lane, 0.002);
  enum { BYTES = 16000 };
  for (uint32_t round = 0; round < 10; round++) {
    memset(p->b->memory, 0, p->b->cfg.memory);
    uint32_t t = loom_elan5_put(p->a, TO_B, 3, 1000 * round, BYTES);
    uint64_t count = p->b->event[0].count;
    for (uint32_t i = 0; i < 20; i++)
      loom_elan5_count(p->a, TO_B, 0, 1);
    until_idle(p);
    assert_int_equal(loom_elan5_done(p->a, t), LOOM_ELAN5_DONE);
    for (uint64_t left = p->a->finished; left; left &= left - 1)
      loom_elan5_done(p->a, (uint32_t)__builtin_ctzll(left));
    assert_memory_equal(p->b->memory + 3, p->a->memory + 1000 * round, BYTES);
    assert_int_equal(p->b->event[0].count, count + 20);
  }
  assert_true(p->b->counters.bad > 10);
  assert_int_equal(p->b->counters.bad, p->a->counters.nacks);
  close_pair(p);
}

/* Puts words on the wire of b, whose link hears nothing else; gives the reply, 2 if there is none.
 */
static uint32_t say(struct pair *p, const uint64_t *word, uint32_t words, uint32_t vc, bool tail) {
  uint32_t reply = 2;
  for (uint32_t i = 0; i < words + 4; i++) {
    if (i < words) {
      p->tap[1].say =
          (struct loom_flow){.flags = (uint8_t)(LOOM_FLOW_VALID | (i % 32 ? 0 : LOOM_FLOW_HEAD) |
                                                (tail && i + 1 == words ? LOOM_FLOW_TAIL : 0)),
                             .vl = (uint8_t)vc,
                             .data = word[i]};
      loom_fabric_wake(p->fabric, p->tap[1].device);
    }
    cycle(p);
    if (p->tap[0].reply.valid)
      reply = p->tap[0].reply.ack;
  }
  return reply;
}

/* The words of an event packet for b. */
static void event_words(uint64_t *word, uint32_t vc, uint16_t number) {
  const struct loom_elite5_first first = {.vc = (uint8_t)vc, .len = 24, .dest = 1};
  const struct loom_elan5_address address = {.op = LOOM_ELAN5_EVENT, .once = true, .at = 1};
  uint8_t payload[16];
  word[0] = loom_elite5_pack_first(&first);
  word[1] = loom_elan5_pack_address(&address);
  word[2] = 1;
  loom_elan5_store(payload, word[1]);
  loom_elan5_store(payload + 8, word[2]);
  word[3] = loom_elan5_trailer(loom_elan5_crc_add(loom_elan5_crc_start(), payload, 16), number);
}

static void damaged_packets_have_no_effect(void **state) {
  (void)state;
  struct pair *p = open_pair(plain());
  uint64_t word[64] = {0};
  event_words(word, 5, 0);
  assert_int_equal(say(p, word, 4, 5, true), 1);
  /* Cut short, too long, without its head, on a wrong VC. */
  assert_int_equal(say(p, word, 3, 5, true), 0);
  assert_int_equal(say(p, word, 5, 5, true), 0);
  assert_int_equal(say(p, word, 4, 6, true), 0);
  assert_int_equal(say(p, word, 1, 5, true), 0);
  /* Any wrong bit. */
  for (uint32_t bit = 0; bit < 4 * 64; bit++) {
    event_words(word, 5, (uint16_t)(1 + bit));
    word[bit / 64] ^= 1ull << bit % 64;
    assert_int_equal(say(p, word, 4, 5, true), 0);
  }
  /* A void segment ends what was begun. */
  event_words(word, 5, 1);
  assert_int_equal(say(p, word, 4, 5, false), 2);
  uint64_t nothing = loom_elite5_void(5);
  p->b->link[0].receiver.segment.active = false;
  assert_int_equal(say(p, &nothing, 1, 5, true), 0);
  assert_int_equal(p->b->event[1].count, 1);
  /* A stray word. */
  uint64_t errors = p->b->counters.link_errors;
  p->tap[1].say = (struct loom_flow){.flags = LOOM_FLOW_VALID};
  loom_fabric_wake(p->fabric, p->tap[1].device);
  cycles(p, 5);
  assert_int_equal(p->b->counters.link_errors, errors + 1);
  assert_true(loom_elan5_idle(p->b));
  close_pair(p);
}

/* A part of a packet that was right, with the CRC at its end, and then one that is wrong. */
static void a_packet_with_one_bad_segment_has_no_effect(void **state) {
  (void)state;
  enum { WORDS = LOOM_ELITE5_SEGMENT_WORDS, BODY = LOOM_ELITE5_FIRST_BYTES - LOOM_ELAN5_WORD };
  struct pair *p = open_pair(plain());
  const struct loom_elite5_first first = {.vc = 5, .len = LOOM_ELITE5_FIRST_BYTES, .dest = 1};
  const struct loom_elan5_address address = {.op = LOOM_ELAN5_PUT, .at = 64};
  uint8_t payload[BODY];
  uint64_t word[WORDS] = {loom_elite5_pack_first(&first), loom_elan5_pack_address(&address)};
  for (uint32_t i = 2; i < WORDS - 1; i++)
    word[i] = ~0ull;
  for (uint32_t i = 1; i < WORDS - 1; i++)
    loom_elan5_store(payload + (i - 1) * LOOM_ELAN5_WORD, word[i]);
  word[WORDS - 1] =
      loom_elan5_trailer(loom_elan5_crc_add(loom_elan5_crc_start(), payload, BODY), 0);
  assert_int_equal(say(p, word, WORDS, 5, false), 2);
  uint64_t nothing = loom_elite5_void(5);
  assert_int_equal(say(p, &nothing, 1, 5, true), 0);
  assert_int_equal(p->b->memory[64], 0);
  assert_int_equal(say(p, word, WORDS, 5, true), 1);
  assert_int_equal(p->b->memory[64], 0xFF);
  close_pair(p);
}

static void a_packet_number_that_was_seen_does_not_count_again(void **state) {
  (void)state;
  struct pair *p = open_pair(plain());
  uint64_t word[4];
  static const struct {
    uint16_t number;
    bool counts;
  } row[] = {{1000, true},  {1000, false}, {1001, true}, {998, true},   {998, false},
             {1063, true},  {1000, false}, {999, false}, {1002, true},  {32767, false},
             {1300, true},  {1063, false}, {1299, true}, {1237, true},  {1236, false},
             {17000, true}, {32740, true}, {100, true},  {32730, false}};
  for (uint32_t i = 0; i < sizeof row / sizeof *row; i++) {
    uint64_t before = p->b->event[1].count;
    event_words(word, 2, row[i].number);
    assert_int_equal(say(p, word, 4, 2, true), 1);
    assert_int_equal(p->b->event[1].count - before, row[i].counts);
  }
  close_pair(p);
}

/* ---- links that come and go ------------------------------------------------------------------ */

/* E5-25. */
static void links_may_come_and_go_under_transfers(void **state) {
  (void)state;
  enum { ROUNDS = 60 };
  struct pair_cfg cfg = plain();
  cfg.endpoint.links = 3;
  cfg.latency = 5;
  struct pair *p = open_pair(cfg);
  fill(p->a, 6);
  uint64_t sent = 0;
  uint32_t bulk = LOOM_ELAN5_NONE;
  for (uint32_t round = 0; round < ROUNDS; round++) {
    uint32_t lane = loom_below(&p->seed, 3);
    loom_fabric_join(p->fabric, lane, false);
    for (uint32_t i = 0; i < 300; i++) {
      if (loom_elan5_count(p->a, TO_B, 1, 1) != LOOM_ELAN5_NONE)
        sent++;
      if (bulk == LOOM_ELAN5_NONE)
        bulk = loom_elan5_put(p->a, TO_B, 0, 4000, 20000);
      else if (loom_elan5_done(p->a, bulk) != LOOM_ELAN5_RUNNING)
        bulk = LOOM_ELAN5_NONE;
      for (uint64_t left = p->a->finished; left; left &= left - 1)
        if (__builtin_ctzll(left) != (int)bulk)
          loom_elan5_done(p->a, (uint32_t)__builtin_ctzll(left));
      cycle(p);
    }
    loom_fabric_join(p->fabric, lane, true);
    cycles(p, loom_below(&p->seed, 100));
  }
  until_idle(p);
  assert_int_equal(p->b->event[1].count, sent);
  assert_memory_equal(p->b->memory, p->a->memory + 4000, 20000);
  const struct loom_elan5_counters *c = &p->a->counters;
  assert_true(c->lost > 0);
  assert_int_equal(c->begun, c->acks + c->nacks + c->lost);
  close_pair(p);
}

/* ---- bring-up -------------------------------------------------------------------------------- */

/* A pair whose ports do the whole sequence; `a` expects this far end. */
static struct pair *open_slowly(uint32_t expected, double errors, uint32_t limit) {
  struct pair_cfg cfg = plain();
  cfg.latency = 7;
  struct pair *p = open_down(cfg);
  for (uint32_t node = 0; node < 2; node++) {
    struct loom_elan5_port_cfg port;
    loom_elan5_port_defaults(&port);
    port.quick = false;
    port.check = node == 0;
    port.expected = expected;
    port.chip_id = 0x100 + node;
    port.link = 40 + node;
    port.prbs_limit = limit;
    loom_elan5_set_port(p->tap[node].e, 0, &port);
    loom_fabric_replace(p->fabric, p->tap[node].device, &noisy_tap_class, &p->tap[node]);
  }
  loom_fabric_errors(p->fabric, 0, errors);
  return p;
}

/* E5-35. */
static void two_endpoints_bring_their_link_up(void **state) {
  (void)state;
  struct pair *p = open_slowly(0x010129, 0, 0);
  cycles(p, 1300);
  assert_int_equal(p->a->link[0].port.state, LOOM_ELITE5_UP);
  assert_int_equal(p->b->link[0].port.state, LOOM_ELITE5_UP);
  assert_int_equal(p->a->link[0].port.far, 0x010129);
  assert_int_equal(p->b->link[0].port.far, 0x010028);
  assert_int_equal(p->a->link[0].port.checked, 1024);
  assert_int_equal(p->a->link[0].port.bit_errors, 0);
  uint32_t t = loom_elan5_put_word(p->a, TO_B, 0, 99);
  until_idle(p);
  assert_int_equal(loom_elan5_done(p->a, t), LOOM_ELAN5_DONE);
  close_pair(p);
}

/* E5-35. */
static void a_wrong_cable_ends_in_bad_identity(void **state) {
  (void)state;
  struct pair *p = open_slowly(0x010128, 0, 0);
  cycles(p, 3000);
  assert_int_equal(p->a->link[0].port.state, LOOM_ELITE5_BADID);
  assert_int_equal(p->a->link[0].port.far, 0x010129);
  assert_int_not_equal(p->b->link[0].port.state, LOOM_ELITE5_UP);
  close_pair(p);
}

/* E5-35. */
static void a_line_with_too_many_bit_errors_fails_its_test(void **state) {
  (void)state;
  struct pair *p = open_slowly(0x010129, 0.02, 4);
  cycles(p, 3000);
  assert_int_equal(p->a->link[0].port.state, LOOM_ELITE5_FAILED);
  assert_in_range(p->a->link[0].port.bit_errors, 5, 60);
  close_pair(p);
  p = open_slowly(0x010129, 0.005, 200);
  cycles(p, 3000);
  assert_int_equal(p->a->link[0].port.state, LOOM_ELITE5_UP);
  assert_in_range(p->a->link[0].port.bit_errors, 1, 20);
  close_pair(p);
}

/* E5-30. */
static void packets_to_groups_fit_into_the_buffers_for_broadcasts(void **state) {
  (void)state;
  for (uint32_t pool = 0; pool <= 32; pool++)
    for (uint32_t bvcs = 1; bvcs <= 8; bvcs++) {
      struct loom_elan5_cfg cfg;
      loom_elan5_defaults(&cfg);
      cfg.packet = 4096;
      cfg.pool = pool;
      cfg.bvcs = bvcs;
      uint32_t most = loom_elan5_group_packet(&cfg), segments = 1 + pool / bvcs;
      assert_in_range(loom_elan5_wire(most).segments, 1, segments);
      assert_true(most == 4096 || loom_elan5_wire(most + 8).segments > segments);
      cfg.packet = 64;
      assert_int_equal(loom_elan5_group_packet(&cfg), 64);
    }
}

static void each_vc_of_each_link_has_a_record(void **state) {
  (void)state;
  for (uint32_t links = 1; links <= LOOM_ELAN5_LINKS; links++)
    for (uint32_t vcs = 2; vcs <= LOOM_ELAN5_VCS; vcs++) {
      struct pair_cfg cfg = plain();
      cfg.endpoint.links = links;
      cfg.endpoint.vcs = vcs;
      cfg.endpoint.bvcs = 1;
      struct pair *p = open_down(cfg);
      assert_int_equal(loom_popcount(p->a->free[0]) + loom_popcount(p->a->free[1]), links * vcs);
      close_pair(p);
    }
}

static void wrong_configurations_are_refused(void **state) {
  (void)state;
  struct loom_elan5_cfg cfg;
  loom_elan5_defaults(&cfg);
  assert_true(loom_elan5_cfg_ok(&cfg));
  struct loom_elan5_cfg bad[] = {cfg, cfg, cfg, cfg, cfg, cfg};
  bad[0].links = 5;
  bad[1].vcs = 33;
  bad[2].packet = 4104;
  bad[3].packet = 1020;
  bad[4].backoff = 3;
  bad[5].bvcs = cfg.vcs;
  for (uint32_t i = 0; i < sizeof bad / sizeof *bad; i++)
    assert_false(loom_elan5_cfg_ok(&bad[i]));
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_put_takes_the_segments_and_words_of_its_size),
      cmocka_unit_test(address_words_and_trailers_are_read_back_as_packed),
      cmocka_unit_test(every_size_arrives_over_any_number_of_links),
      cmocka_unit_test(each_vc_has_one_packet_under_way),
      cmocka_unit_test(a_long_transfer_takes_the_vcs_of_its_class_alone),
      cmocka_unit_test(a_full_window_holds_back_what_needs_a_number_alone),
      cmocka_unit_test(only_the_last_ack_waits_for_the_memory),
      cmocka_unit_test(the_age_of_a_packet_is_the_latency_of_its_link),
      cmocka_unit_test(refused_packets_have_their_effect_exactly_once),
      cmocka_unit_test(packets_whose_acks_are_lost_have_their_effect_once),
      cmocka_unit_test(what_the_last_packet_completes_is_there),
      cmocka_unit_test(both_sides_may_get_from_each_other_at_once),
      cmocka_unit_test(a_get_is_refused_while_nothing_can_answer_it),
      cmocka_unit_test(the_answer_of_a_get_goes_to_the_node_that_asks),
      cmocka_unit_test(a_full_queue_refuses_messages),
      cmocka_unit_test(a_conditional_tells_whether_all_bits_are_equal),
      cmocka_unit_test(addresses_outside_of_memory_are_refused),
      cmocka_unit_test(urgent_packets_go_first),
      cmocka_unit_test(equal_transfers_take_turns),
      cmocka_unit_test(the_back_off_doubles_five_times),
      cmocka_unit_test(a_barrier_waits_for_a_free_transfer),
      cmocka_unit_test(wrong_bits_are_refused_and_the_data_arrives_whole),
      cmocka_unit_test(damaged_packets_have_no_effect),
      cmocka_unit_test(a_packet_with_one_bad_segment_has_no_effect),
      cmocka_unit_test(a_packet_number_that_was_seen_does_not_count_again),
      cmocka_unit_test(links_may_come_and_go_under_transfers),
      cmocka_unit_test(two_endpoints_bring_their_link_up),
      cmocka_unit_test(a_wrong_cable_ends_in_bad_identity),
      cmocka_unit_test(a_line_with_too_many_bit_errors_fails_its_test),
      cmocka_unit_test(packets_to_groups_fit_into_the_buffers_for_broadcasts),
      cmocka_unit_test(each_vc_of_each_link_has_a_record),
      cmocka_unit_test(wrong_configurations_are_refused),
  };
  return UNIT_RUN("elan5", tests, NULL, NULL);
}
