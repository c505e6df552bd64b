/* SPDX-License-Identifier: Apache-2.0 */
/* test_output_unit.c - the twin of output_unit against what docs/output_unit.md says, without a
 * circuit
 *
 * The bench feeds packets in the order in which they are listed, keeps the buffer at the far end,
 * and finds every grant and every flit to be the next one of its lane.
 */
#include "tb/unit/unit.h"

#include <loom/bits.h>
#include <loom/random.h>
#include <stdlib.h>
#include <string.h>

#include "switch/output_unit.h"

enum { UNIT = LOOM_UNIT_FLITS, LINK_MGMT = 15, PACKETS = 4096, NEVER = -1, PATIENCE = 20000 };
enum { RACE = 256 };              /* packets after which a race has its pace */
enum { KEEP_TOGETHER = 1 << 13 }; /* the `message` bit of an entry */
enum {
  TURNS = LOOM_OUTPUT_ROUND_ROBIN,
  BANDWIDTH = LOOM_OUTPUT_BANDWIDTH_TABLE,
  DEFICIT = LOOM_OUTPUT_DEFICIT_TABLE,
  TWO = LOOM_OUTPUT_TWO_TABLE,
  QUANTA = LOOM_OUTPUT_DEFICIT_ROUND_ROBIN,
  FAIR = LOOM_OUTPUT_FAIR_QUEUEING
};

/* ---- the bench ------------------------------------------------------------------------------- */

struct packet {
  uint32_t lane, flits, sl;
  bool more;
  int queued, whole, granted, head; /* cycles; NEVER. The last word came in cycle `whole` */
};

/* The buffer at the far end, by lane. */
struct far {
  uint32_t used[LOOM_VLS], spare[LOOM_VLS]; /* units in use; of these, not needed any more */
  uint32_t cap[LOOM_VLS];
  uint32_t percent;           /* of the cycles in which a unit that is not needed goes back */
  uint32_t granted[LOOM_VLS]; /* units that did not come back */
  uint32_t all_granted[3];    /* of all lanes, one, two and three cycles ago */
};

struct bench {
  struct loom_output_unit s;
  struct loom_output_unit_cfg cfg;
  struct loom_output_unit_in in;   /* of the next cycle */
  struct loom_output_unit_out out; /* of the last cycle */
  int now;                         /* the next cycle */
  void *storage;
  struct far far;
  uint64_t seed;

  /* All packets, in the order of their announcement. */
  struct packet packet[PACKETS];
  uint32_t packets, fed, written;
  uint32_t place;           /* of the next flit that is written */
  uint32_t written_percent; /* of the cycles in which a word comes, if there is one to come */
  uint32_t mute;            /* no word of this packet and of those after it */

  /* What was sent. */
  uint32_t order[PACKETS]; /* packets in the order of their grants */
  uint32_t granted, done;
  int open; /* the packet that is on the link, or NEVER */
  uint32_t open_place;
  uint32_t link_flits, errors;
};

static struct loom_output_unit_cfg shape(void) {
  struct loom_output_unit_cfg cfg;
  loom_output_unit_defaults(&cfg);
  cfg.VLS = 5;
  cfg.ENTRIES = 8;
  cfg.CELLS = 64;
  cfg.MTU_UNITS = 8;
  cfg.REMOTE_UNITS = 128;
  cfg.REMOTE_RESERVED = 8;
  return cfg;
}

static struct loom_output_unit_cfg with_sched(uint32_t sched) {
  struct loom_output_unit_cfg cfg = shape();
  cfg.SCHED = sched;
  cfg.N_HIGH = 8;
  cfg.N_LOW = 8;
  return cfg;
}

/* With the tables of InfiniBand. */
static struct loom_output_unit_cfg two_tables(void) { return with_sched(TWO); }

static uint32_t mgmt_of(const struct bench *b) { return loom_min(LINK_MGMT, b->cfg.VLS - 1); }

static uint32_t units(uint32_t flits) { return (flits + UNIT - 1) / UNIT; }

static uint64_t flit(uint32_t packet, uint32_t place) {
  return loom_scramble((uint64_t)packet << 16 | place) | 1;
}

/* The next packet is listed. */
static uint32_t list(struct bench *b, uint32_t lane, uint32_t flits, uint32_t sl, bool more) {
  assert_in_range(b->packets, 0, PACKETS - 1);
  b->packet[b->packets] = (struct packet){lane, flits, sl, more, NEVER, NEVER, NEVER, NEVER};
  return b->packets++;
}

static uint32_t put(struct bench *b, uint32_t lane, uint32_t flits) {
  return list(b, lane, flits, lane, false);
}

/* A packet is announced and queued in one cycle, which is sure to be admitted. */
static void feed_queue(struct bench *b, bool space) {
  if (!space || b->fed == b->packets)
    return;
  struct packet *p = &b->packet[b->fed++];
  b->in.announce = b->in.queue = 1;
  b->in.announce_len = b->in.queue_len = p->flits;
  b->in.queue_vl = p->lane;
  b->in.queue_sl = p->sl;
  b->in.queue_more = p->more;
  p->queued = b->now;
}

static void feed_words(struct bench *b) {
  if (b->written == b->fed || b->written >= b->mute || !loom_chance(&b->seed, b->written_percent))
    return;
  const struct packet *p = &b->packet[b->written];
  uint32_t n = loom_min(b->cfg.LANES, p->flits - b->place);
  b->in.wr_valid = 1;
  b->in.wr_vl = p->lane;
  b->in.wr_flits = n;
  for (uint32_t i = 0; i < n; i++, b->place++)
    b->in.wr_data[b->place % b->cfg.LANES] = flit(b->written, b->place);
  b->in.wr_last = b->place == p->flits;
  if (!b->in.wr_last)
    return;
  b->packet[b->written++].whole = b->now;
  b->place = 0;
}

static void give_credit(struct bench *b, uint32_t lane) {
  b->in.cr_valid = 1;
  b->in.cr_vl = lane == mgmt_of(b) ? LINK_MGMT : lane;
  b->far.used[lane]--;
  b->far.spare[lane]--;
}

static void far_end_gives(struct bench *b) {
  if (b->in.cr_valid || !loom_chance(&b->seed, b->far.percent))
    return;
  uint32_t from = loom_below(&b->seed, b->cfg.VLS);
  for (uint32_t i = 0; i < b->cfg.VLS; i++)
    if (b->far.spare[(from + i) % b->cfg.VLS]) {
      give_credit(b, (from + i) % b->cfg.VLS);
      return;
    }
}

/* OP-06 */
static void far_end_takes(struct bench *b, uint32_t lane, uint32_t n) {
  struct far *f = &b->far;
  uint32_t pool = b->cfg.REMOTE_UNITS - b->cfg.VLS * b->cfg.REMOTE_RESERVED;
  f->used[lane] += n;
  assert_true(f->used[lane] <= f->cap[lane]);
  for (uint32_t l = 0; l < b->cfg.VLS; l++) {
    uint32_t beyond = f->used[l] - loom_min(f->used[l], b->cfg.REMOTE_RESERVED);
    assert_true(beyond <= pool);
    pool -= beyond;
  }
}

/* Cycles from a grant to the next, at least, by SCHED. */
static int apart(const struct bench *b, uint32_t flits) {
  const int least[] = {5, 6, flits > UNIT ? 5 : 4, 5, 7, 7};
  return least[b->cfg.SCHED];
}

static void watch_grant(struct bench *b) {
  const struct loom_output_unit_out *o = &b->out;
  if (!o->grant_valid) {
    assert_int_equal(o->grant_vl | o->grant_key | o->grant_size, 0);
    return;
  }
  uint32_t i = 0;
  while (i < b->fed && (b->packet[i].lane != o->grant_vl || b->packet[i].granted != NEVER))
    i++;
  assert_true(i < b->fed);
  struct packet *p = &b->packet[i];
  assert_int_equal(o->grant_size, units(p->flits));
  assert_int_equal(o->grant_key, b->cfg.ARB_KEY ? p->sl : p->lane);
  if (b->granted) {
    const struct packet *before = &b->packet[b->order[b->granted - 1]];
    assert_true(b->now - before->granted >= apart(b, before->flits));
  }
  p->granted = b->now;
  b->order[b->granted++] = i;
}

/* The tracker shows a grant and a credit three cycles later. */
static void watch_far(struct bench *b) {
  struct far *f = &b->far;
  uint32_t vl = (uint32_t)b->in.cr_vl, lane = vl == LINK_MGMT ? mgmt_of(b) : vl, sum = 0;
  bool known = vl == LINK_MGMT || vl + 1 < b->cfg.VLS || (b->cfg.VLS > 16 && vl < b->cfg.VLS);
  if (b->out.grant_valid)
    f->granted[b->out.grant_vl] += (uint32_t)b->out.grant_size;
  if (b->in.cr_valid && known && f->granted[lane])
    f->granted[lane]--;
  for (uint32_t l = 0; l < b->cfg.VLS; l++)
    sum += f->granted[l];
  assert_int_equal(b->out.far, f->all_granted[2]);
  f->all_granted[2] = f->all_granted[1];
  f->all_granted[1] = f->all_granted[0];
  f->all_granted[0] = sum;
}

static void watch_link(struct bench *b) {
  const struct loom_output_unit_out *o = &b->out;
  if (!o->out_valid) {
    assert_int_equal(o->out_head | o->out_tail | o->out_vl | o->out_data, 0);
    return;
  }
  b->link_flits++;
  assert_int_equal(o->out_head, b->open == NEVER);
  if (o->out_head) {
    assert_true(b->done < b->granted);
    b->open = (int)b->order[b->done++];
    b->open_place = 0;
    b->packet[b->open].head = b->now;
    far_end_takes(b, b->packet[b->open].lane, units(b->packet[b->open].flits));
  }
  const struct packet *p = &b->packet[b->open];
  assert_int_equal(o->out_vl, p->lane == mgmt_of(b) ? LINK_MGMT : p->lane);
  assert_true(o->out_data == flit((uint32_t)b->open, b->open_place++));
  assert_int_equal(o->out_tail, b->open_place == p->flits);
  if (!o->out_tail)
    return;
  b->far.spare[p->lane] += units(p->flits);
  b->open = NEVER;
}

static void cycle(struct bench *b) {
  struct loom_output_unit_out shown;
  loom_output_unit_show(&b->s, &shown);
  feed_words(b);
  feed_queue(b, shown.space);
  far_end_gives(b);
  loom_output_unit_step(&b->s, &b->in, &b->out);
  assert_memory_equal(&shown, &b->out, sizeof shown);
  watch_grant(b);
  watch_far(b);
  watch_link(b);
  b->errors += b->out.error != 0;
  bool hold = b->in.hold;
  b->in = (struct loom_output_unit_in){.hold = hold};
  b->now++;
}

static void cycles(struct bench *b, uint32_t n) {
  while (n--)
    cycle(b);
}

static void table_write(struct bench *b, uint32_t entry, uint32_t word) {
  b->in.table_we = 1;
  b->in.table_addr = entry;
  b->in.table_data = word;
  cycles(b, 4);
}

/* An entry of weight w for SL s. */
static uint32_t weight(uint32_t s, uint32_t w) { return s << 8 | w; }

static void open_bench(struct bench *b, struct loom_output_unit_cfg cfg) {
  memset(b, 0, sizeof *b);
  b->cfg = cfg;
  assert_null(loom_output_unit_bad_param(&cfg));
  assert_true(loom_output_unit_cfg_ok(&cfg));
  b->storage = malloc(loom_output_unit_storage_size(&cfg));
  assert_non_null(b->storage);
  memset(b->storage, 0xA5, loom_output_unit_storage_size(&cfg)); /* must not show */
  loom_output_unit_init(&b->s, &cfg, b->storage);
  b->written_percent = 100;
  b->far.percent = 100;
  b->mute = PACKETS;
  b->open = NEVER;
  for (uint32_t l = 0; l < LOOM_VLS; l++)
    b->far.cap[l] = cfg.REMOTE_UNITS;
  while (!b->out.ready)
    cycle(b);
  cycles(b, 2 * cfg.VLS + 5); /* all lanes are judged */
}

/* With an entry of 8 units for each of the SLs 0..3. */
static void open_plain(struct bench *b, struct loom_output_unit_cfg cfg) {
  open_bench(b, cfg);
  for (uint32_t e = 0; e < 4; e++)
    table_write(b, e, weight(e, 8));
}

static void close_bench(struct bench *b) { free(b->storage); }

static void until_granted(struct bench *b, uint32_t packet) {
  for (uint32_t i = 0; b->packet[packet].granted == NEVER; i++) {
    assert_true(i < PATIENCE);
    cycle(b);
  }
}

/* Until all is sent, and all credits are back. */
static void drain(struct bench *b) {
  for (uint32_t i = 0; b->done < b->packets || b->open != NEVER || !b->out.idle; i++) {
    assert_true(i < PATIENCE);
    cycle(b);
  }
  assert_int_equal(b->out.total, 0);
  assert_int_equal(b->errors, 0);
}

static struct loom_output_unit_probe probe(const struct bench *b) {
  struct loom_output_unit_probe p;
  loom_output_unit_probe(&b->s, &p);
  return p;
}

/* ---- times ----------------------------------------------------------------------------------- */

/* Where the weights of the keys stand: entry e, or key e. */
static uint32_t first_weight(uint32_t sched) {
  return sched == BANDWIDTH ? LOOM_SBT_REG_WEIGHT : 0;
}

/* Whichever scheduler there is, with its entry in either table. */
static void a_packet_alone_is_on_the_link_9_cycles_after_it_was_queued(void **state) {
  (void)state;
  for (uint32_t sched = 0; sched <= TWO; sched++)
    for (uint32_t lane = 0; lane < 4; lane++)
      for (uint32_t low = 0; low < (sched == TWO ? 2 : 1); low++) {
        struct bench b;
        open_bench(&b, with_sched(sched));
        table_write(&b, first_weight(sched) + low * LOOM_IBARB_REG_LOW + lane, weight(lane, 8));
        uint32_t p = put(&b, lane, 3 * UNIT);
        drain(&b);
        assert_int_equal(b.packet[p].granted - b.packet[p].queued, 4);
        assert_int_equal(b.packet[p].head - b.packet[p].queued, 9);
        close_bench(&b);
      }
}

/* VL15 goes by the scheduler's own way, which is short with turns. */
static void a_management_packet_alone_is_granted_by_the_scheduler(void **state) {
  (void)state;
  for (uint32_t sched = 0; sched <= TWO; sched++) {
    struct bench b;
    open_bench(&b, with_sched(sched));
    uint32_t p = put(&b, mgmt_of(&b), 3 * UNIT);
    drain(&b);
    assert_int_equal(b.packet[p].granted - b.packet[p].queued, 4);
    close_bench(&b);
  }
}

/* Cycles to the link of a packet that is queued so many cycles after one of another lane, in a unit
 * that was idle. */
static int second_of_two(uint32_t sched, uint32_t flits, uint32_t later) {
  struct bench b;
  open_plain(&b, with_sched(sched));
  cycles(&b, 100);
  put(&b, 0, flits);
  cycles(&b, later);
  uint32_t p = put(&b, 1, flits);
  drain(&b);
  int took = b.packet[p].head - b.packet[p].queued;
  close_bench(&b);
  return took;
}

/* The price of going ahead: the scheduler still decides about the first packet. */
static void a_packet_that_comes_while_one_is_ahead_waits_as_long_as_the_page_says(void **state) {
  (void)state;
  for (uint32_t sched = DEFICIT; sched <= TWO; sched++)
    for (uint32_t flits = 1; flits <= 2 * UNIT; flits += UNIT - 1)
      for (uint32_t later = 1; later <= 40; later++) {
        int rest = (sched == TWO ? 31 : 30) - (int)later, due = rest > 9 ? rest : 9;
        if (later <= 2)
          due = sched == TWO ? 34 : 33;
        assert_int_equal(second_of_two(sched, flits, later), due);
        for (uint32_t turns = QUANTA; turns <= FAIR; turns++) {
          int sooner = second_of_two(turns, flits, later);
          assert_true(sooner >= 9 && sooner <= due);
        }
      }
}

/* Lanes that always have a packet of so many flits. */
struct race {
  uint32_t lanes, flits;
  bool one_key; /* for all lanes; else each has its own */
  uint32_t weight;
  bool late; /* packets are granted before they are written */
  uint32_t sched;
  uint32_t base; /* the address of the first weight */
};

static void open_race(struct bench *b, const struct race *r) {
  struct loom_output_unit_cfg cfg = with_sched(r->sched);
  cfg.CELLS = 2048;
  cfg.REMOTE_UNITS = 1024;
  open_bench(b, cfg);
  for (uint32_t e = 0; e < 4; e++)
    table_write(b, r->base + e, weight(e, r->weight));
  for (uint32_t i = 0; i < RACE + 4 * 32 + 32 * r->lanes; i++)
    list(b, i % r->lanes, r->flits, r->one_key ? 0 : i % r->lanes, false);
  b->in.hold = !r->late;
  while (!r->late && b->written < b->packets)
    cycle(b);
  b->in.hold = 0;
  while (b->granted < RACE)
    cycle(b);
}

/* The cycles for 32 packets. */
static uint32_t pace(struct race r) {
  struct bench b;
  open_race(&b, &r);
  int from = b.packet[b.order[b.granted - 1]].granted;
  while (b.granted < RACE + 3 * 32)
    cycle(&b);
  int cycles = b.packet[b.order[b.granted - 1]].granted - from;
  assert_true(r.sched == FAIR || cycles % 3 == 0); /* it is the same every time */
  close_bench(&b);
  return (uint32_t)cycles / 3;
}

static void packets_follow_each_other_as_fast_as_the_page_says(void **state) {
  (void)state;
  for (uint32_t flits = 1; flits <= 24; flits++) {
    uint32_t link = 32 * flits;
    for (uint32_t lanes = 1; lanes <= 4; lanes++)
      for (uint32_t one_key = 0; one_key <= 1; one_key++) {
        uint32_t last = lanes == 1 ? 10 : one_key ? 6 : 4; /* the next entry */
        uint32_t cycles =
            pace((struct race){lanes, flits, one_key, .sched = DEFICIT, .weight = 32});
        assert_int_equal(cycles, loom_max(link, flits <= UNIT ? 31 * 8 + last : 0));
      }
  }
}

static void entries_of_a_packet_each_follow_each_other_as_fast_as_the_page_says(void **state) {
  (void)state;
  for (uint32_t flits = 1; flits <= UNIT; flits++) {
    assert_int_equal(pace((struct race){1, flits, .sched = DEFICIT, .weight = 1}), 32 * 10);
    assert_int_equal(pace((struct race){4, flits, .sched = DEFICIT, .weight = 1}),
                     32 * loom_max(flits, 4));
    for (uint32_t lanes = 2; lanes <= 4; lanes++) {
      struct race r = {lanes, flits, .one_key = true, .sched = DEFICIT, .weight = 1};
      assert_int_equal(pace(r), 32 * loom_max(flits, 6));
    }
  }
}

/* Three packets of 3 units leave a rest of a quantum, and a pass: the packet before hides it. */
static void with_sched_4_packets_follow_each_other_as_fast_as_the_page_says(void **state) {
  (void)state;
  for (uint32_t flits = 1; flits <= 24; flits++)
    for (uint32_t lanes = 1; lanes <= 4; lanes++)
      for (uint32_t one_key = 0; one_key <= 1; one_key++) {
        uint32_t last = lanes == 1 || one_key ? 8 : 7; /* the next turn */
        struct race r = {lanes, flits, one_key, .sched = QUANTA, .weight = 32};
        uint32_t due = lanes > 1 && one_key ? 32 * 7 : 31 * 8 + last;
        if (flits == UNIT && last == 7)
          assert_int_equal(pace(r), due); /* grants go ahead of the link before they wait for it */
        else
          assert_int_equal(pace(r), loom_max(32 * flits, due));
      }
}

/* A lane that comes next again waits for its own stamp, one of several of a key for theirs. */
static void with_sched_5_packets_follow_each_other_as_fast_as_the_page_says(void **state) {
  (void)state;
  for (uint32_t flits = 1; flits <= 24; flits++)
    for (uint32_t lanes = 1; lanes <= 4; lanes++)
      for (uint32_t one_key = 0; one_key <= 1; one_key++) {
        struct race r = {lanes, flits, one_key, .sched = FAIR, .weight = 32};
        uint32_t lone = flits <= UNIT ? 32 * 10 : 32 * 13, apart = flits <= UNIT ? 32 * 7 : 32 * 11;
        uint32_t due = lanes == 1 ? lone : one_key ? 32 * 15 : apart, took = pace(r);
        assert_in_range(took, loom_max(32 * flits, 32 * 7), loom_max(32 * flits, due));
        assert_true(took == loom_max(32 * flits, due) || flits < 2 * UNIT);
        assert_true(lanes > 1 || took == loom_max(32 * flits, due));
      }
}

/* Whichever table has the entries. */
static void with_sched_3_packets_follow_each_other_as_fast_as_the_page_says(void **state) {
  (void)state;
  for (uint32_t low = 0; low <= 1; low++)
    for (uint32_t flits = 1; flits <= 18; flits++)
      for (uint32_t lanes = 1; lanes <= 4; lanes++)
        for (uint32_t one_key = 0; one_key <= 1; one_key++) {
          uint32_t last = lanes == 1 ? 8 : 5; /* the next entry */
          struct race r = {.lanes = lanes,
                           .flits = flits,
                           .one_key = one_key,
                           .weight = 32,
                           .sched = TWO,
                           .base = low * LOOM_IBARB_REG_LOW};
          assert_int_equal(pace(r), loom_max(32 * flits, flits <= UNIT ? 31 * 8 + last : 0));
          r.weight = 1;
          assert_int_equal(pace(r), 32 * loom_max(flits, last));
        }
}

/* Turns have no entries: whatever the weights are, only the packets of a key differ. */
static void with_turns_packets_follow_each_other_as_fast_as_the_page_says(void **state) {
  (void)state;
  for (uint32_t sched = TURNS; sched <= BANDWIDTH; sched++)
    for (uint32_t flits = 1; flits <= 12; flits++)
      for (uint32_t lanes = 1; lanes <= 4; lanes++)
        for (uint32_t one_key = 0; one_key <= 1; one_key++) {
          uint32_t next = lanes == 1 ? 8 : sched == BANDWIDTH ? 6 : 5;
          struct race r = {.lanes = lanes,
                           .flits = flits,
                           .one_key = one_key,
                           .weight = 1,
                           .sched = sched,
                           .base = first_weight(sched)};
          assert_int_equal(pace(r), 32 * loom_max(flits, next));
          bool waits = sched == BANDWIDTH && lanes > 1 && !one_key; /* for the rest of a weight */
          r.weight = 32;
          assert_int_equal(pace(r), loom_max(32 * flits, waits ? 31 * 8 + 6 : 32 * next));
        }
}

static void
packets_that_are_granted_while_they_are_written_are_as_fast_as_whole_ones(void **state) {
  (void)state;
  for (uint32_t flits = 1; flits <= 24; flits++)
    for (uint32_t lanes = 1; lanes <= 4; lanes++)
      for (uint32_t one_key = 0; one_key <= 1; one_key++) {
        struct race r = {
            .lanes = lanes, .flits = flits, .one_key = one_key, .sched = DEFICIT, .weight = 32};
        uint32_t whole = pace(r);
        r.late = true;
        assert_int_equal(pace(r), whole);
      }
}

/* The store finds it whole when its take is done. */
static bool known_when_booked(const struct packet *p) {
  return p->whole != NEVER && p->whole < p->granted;
}

/* A long packet is sent, and packets of so many flits are queued. The words of these come from so
 * many cycles after its grant on, all before it ends. */
static void open_late(struct bench *b, const struct race *r, uint32_t words_at) {
  open_bench(b, shape());
  for (uint32_t e = 0; e < 4; e++)
    table_write(b, e, weight(e, r->weight));
  put(b, 0, 40);
  b->mute = 1;
  until_granted(b, 0);
  for (uint32_t i = 1; i <= 12; i++)
    list(b, i % r->lanes, r->flits, r->one_key ? 0 : i % r->lanes, false);
  cycles(b, words_at);
  b->mute = PACKETS;
  drain(b);
}

/* The second packet is the first one that may not be whole. */
static bool paces_of_a_late_packet(struct race r, uint32_t words_at) {
  struct bench b;
  open_late(&b, &r, words_at);
  const struct packet *before = &b.packet[b.order[0]], *late = &b.packet[b.order[1]];
  const struct packet *next = &b.packet[b.order[2]];
  bool was_late = !known_when_booked(late) && late->whole < before->head + 40 - 6;
  if (was_late) {
    assert_int_equal(late->head - before->head, 40);
    /* Known 3 cycles after its last word, a request in the next one, sent 7 later. */
    int free = late->head + (int)r.flits, known = late->whole + 3;
    assert_int_equal(next->head, known + 1 + 7 > free ? known + 1 + 7 : free);
  }
  close_bench(&b);
  return was_late;
}

static void a_packet_that_was_booked_before_it_was_whole_costs_nothing(void **state) {
  (void)state;
  for (uint32_t flits = 1; flits <= 16; flits++)
    for (uint32_t lanes = 1; lanes <= 4; lanes++)
      for (uint32_t one_key = 0; one_key <= 1; one_key++) {
        uint32_t found = 0;
        for (uint32_t words_at = 16; words_at < 40; words_at++)
          found += paces_of_a_late_packet(
              (struct race){lanes, flits, one_key, .sched = DEFICIT, .weight = 32}, words_at);
        assert_true(found > 3);
      }
}

/* The price of waiting: a selection has weight left, and its lane no packet. The last packet is
 * alone, so that it goes after ten cycles ahead of the scheduler. */
static void a_lane_that_has_no_next_packet_is_waited_for(void **state) {
  (void)state;
  const int gap[2][2][3] = {{{10, 21, 10}, {12, 12, 10}}, {{15, 15, 10}, {12, 12, 10}}};
  for (uint32_t two = 0; two <= 1; two++)
    for (uint32_t one_key = 0; one_key <= 1; one_key++) {
      struct bench b;
      open_plain(&b, two ? two_tables() : shape());
      b.in.hold = 1;
      for (uint32_t i = 0; i < 4; i++)
        list(&b, i, 1, one_key ? 0 : i, false);
      cycles(&b, 60);
      b.in.hold = 0;
      drain(&b);
      for (uint32_t i = 1; i < 4; i++)
        assert_int_equal(b.packet[i].granted - b.packet[i - 1].granted, gap[two][one_key][i - 1]);
      close_bench(&b);
    }
}

static void long_packets_follow_each_other_without_a_gap(void **state) {
  (void)state;
  for (uint32_t lanes = 1; lanes <= 4; lanes++) {
    struct bench b;
    open_plain(&b, shape());
    for (uint32_t i = 0; i < 20; i++)
      put(&b, i % lanes, 8 * UNIT);
    drain(&b);
    for (uint32_t i = 1; i < 20; i++)
      assert_int_equal(b.packet[b.order[i]].head - b.packet[b.order[i - 1]].head, 8 * UNIT);
    close_bench(&b);
  }
}

static void the_unit_is_ready_when_its_largest_memory_is_swept(void **state) {
  (void)state;
  const uint32_t sweep[][3] = {{5, 3, 7}, {5, 32, 8}, {32, 32, 1}, {32, 4, 2}};
  for (uint32_t i = 0; i < sizeof sweep / sizeof sweep[0]; i++) {
    struct bench b;
    struct loom_output_unit_cfg cfg = shape();
    cfg.VLS = sweep[i][0];
    cfg.KEYS = sweep[i][1];
    cfg.ENTRIES = sweep[i][2];
    cfg.REMOTE_RESERVED = 0;
    open_bench(&b, cfg);
    uint32_t longest = loom_max(cfg.VLS, loom_max(cfg.KEYS, cfg.ENTRIES));
    assert_int_equal(b.now, (int)(longest + 1 + 2 * cfg.VLS + 5));
    close_bench(&b);
  }
}

/* The deficits of both tables are one memory, of a power of two for each. */
static void with_sched_3_the_unit_is_ready_when_its_largest_memory_is_swept(void **state) {
  (void)state;
  const uint32_t sweep[][5] = {{5, 3, 7, 2, 8},    {5, 9, 8, 8, 32},  {32, 4, 2, 9, 32},
                               {32, 4, 2, 50, 50}, {5, 4, 64, 1, 64}, {5, 17, 33, 60, 64}};
  for (uint32_t i = 0; i < sizeof sweep / sizeof sweep[0]; i++) {
    struct bench b;
    struct loom_output_unit_cfg cfg = two_tables();
    cfg.VLS = sweep[i][0];
    cfg.KEYS = sweep[i][1];
    cfg.N_HIGH = sweep[i][2];
    cfg.N_LOW = sweep[i][3];
    cfg.REMOTE_RESERVED = 0;
    open_bench(&b, cfg);
    assert_int_equal(b.now, (int)(sweep[i][4] + 1 + 2 * cfg.VLS + 5));
    close_bench(&b);
  }
}

/* ---- requests -------------------------------------------------------------------------------- */

/* Taken in g, read from g + 2 on: its last 16 flits are owed in g + 51. */
static void the_packet_after_a_long_one_is_chosen_when_16_flits_are_left(void **state) {
  (void)state;
  struct bench b;
  open_plain(&b, shape());
  uint32_t first = put(&b, 0, 8 * UNIT), second = put(&b, 1, 5);
  until_granted(&b, first);
  cycles(&b, 20);
  uint32_t urgent = put(&b, 4, 4); /* comes later and goes before */
  drain(&b);
  assert_int_equal(b.packet[urgent].granted - b.packet[first].granted, 54);
  assert_int_equal(b.packet[urgent].head - b.packet[first].head, 8 * UNIT);
  assert_int_equal(b.packet[second].head - b.packet[urgent].head, 4);
  close_bench(&b);
}

static void no_packet_is_requested_for_two_cycles_after_a_grant_of_more_than_a_unit(void **state) {
  (void)state;
  for (uint32_t flits = 1; flits <= 2 * UNIT; flits++) {
    struct bench b;
    open_bench(&b, shape());
    for (uint32_t e = 0; e < 4; e++) /* a packet has all of it: the next one goes at once */
      table_write(&b, e, weight(e, units(flits)));
    b.in.hold = 1; /* none is alone */
    for (uint32_t i = 0; i < 8; i++)
      put(&b, i % 4, flits);
    cycles(&b, 60);
    b.in.hold = 0;
    int soonest = NEVER;
    while (b.granted < 8) {
      cycle(&b);
      uint32_t settle = (uint32_t)probe(&b).settle; /* after the cycle */
      uint32_t since = b.granted ? (uint32_t)(b.now - b.packet[b.order[b.granted - 1]].granted) : 9;
      assert_int_equal(settle, flits > UNIT && since <= 2 ? 3 - since : 0);
    }
    for (uint32_t i = 1; i < 8; i++) {
      int gap = b.packet[b.order[i]].granted - b.packet[b.order[i - 1]].granted;
      soonest = soonest == NEVER || gap < soonest ? gap : soonest;
    }
    assert_int_equal(soonest, flits > UNIT ? 5 : 4);
    close_bench(&b);
  }
}

static void nothing_is_granted_from_two_cycles_after_hold_on(void **state) {
  (void)state;
  struct bench b;
  open_plain(&b, shape());
  for (uint32_t i = 0; i < 200; i++)
    put(&b, i % 4, 1);
  for (uint32_t start = 0; start < 8; start++) {
    until_granted(&b, 10 * start + 10);
    cycles(&b, start);
    b.in.hold = 1;
    cycles(&b, 2);
    uint32_t granted = b.granted;
    cycles(&b, 60);
    assert_int_equal(b.granted, granted);
    b.in.hold = 0;
    cycles(&b, 2);
    assert_int_equal(b.granted, granted);
    cycle(&b);
    assert_int_equal(b.granted, granted + 1);
  }
  drain(&b);
  close_bench(&b);
}

/* Lane 0 is granted in g and has another packet. This is to come into view in g + 4, but for each
 * packet that joins an empty lane from g + 3 on it waits a cycle, and the store takes none: neither
 * lane 1, which was granted in g + 4. */
static void a_granted_packet_waits_for_a_store_that_takes_none(void **state) {
  (void)state;
  for (int joins = 1; joins <= 2; joins++)
    for (int queued = 2; queued <= 5; queued++) {
      struct bench b;
      struct loom_output_unit_cfg cfg = shape();
      cfg.VLS = 6;
      open_bench(&b, cfg);
      for (uint32_t e = 0; e < 4; e++)
        table_write(&b, e, weight(e, 1));
      b.in.hold = 1;
      for (uint32_t i = 0; i < 6; i++)
        put(&b, i % 3, 1);
      cycles(&b, 60);
      b.in.hold = 0;
      until_granted(&b, 0);
      int g = b.now - 1, booked = 0;
      cycles(&b, (uint32_t)queued - 1);
      for (int i = 0; i < joins; i++)
        list(&b, 3 + (uint32_t)i, 1, 3, false);
      while (b.now < g + 12) {
        cycle(&b);
        booked += (int)probe(&b).booked; /* after each of these cycles but the last one */
      }
      int waits = queued == 3 ? joins : queued == 2 ? joins - 1 : 0; /* joins in g + 3, g + 4 */
      assert_int_equal(booked, waits);
      drain(&b);
      assert_int_equal(b.packet[6].queued, g + queued);
      assert_int_equal(b.packet[b.order[1]].granted, g + 4);
      assert_int_equal(b.packet[b.order[1]].head, g + 4 + 5 + waits);
      /* The next one is requested after the take. */
      assert_int_equal(b.packet[b.order[2]].granted, g + (waits == 2 ? 9 : 8));
      close_bench(&b);
    }
}

/* ---- the policy ------------------------------------------------------------------------------ */

/* IB-02, OP-18 */
static void a_management_packet_goes_before_all_others_and_is_vl15_on_the_link(void **state) {
  (void)state;
  for (uint32_t vls = 2; vls <= 32; vls += 5) {
    struct bench b;
    struct loom_output_unit_cfg cfg = shape();
    cfg.VLS = vls;
    cfg.REMOTE_RESERVED = 4;
    open_bench(&b, cfg);
    table_write(&b, 0, weight(0, 8)); /* none for the management lane */
    uint32_t mgmt = mgmt_of(&b);
    b.in.hold = 1;
    for (uint32_t i = 0; i < 3; i++)
      list(&b, 0, 9, 0, false);
    uint32_t urgent = list(&b, mgmt, 9, 7, false);
    cycles(&b, 60);
    b.in.hold = 0;
    drain(&b); /* the bench finds VL15 */
    assert_int_equal(b.order[0], urgent);
    close_bench(&b);
  }
}

/* The lane that is granted next, of two that always have packets of so many flits. waiting[]: those
 * that they have. */
static uint32_t next_of_two(struct bench *b, uint32_t *waiting, uint32_t flits) {
  uint32_t before = b->granted;
  while (b->granted == before) {
    for (uint32_t l = 0; l < 2; l++)
      for (; waiting[l] < 4; waiting[l]++)
        put(b, l, flits);
    cycle(b);
  }
  uint32_t lane = b->packet[b->order[before]].lane;
  waiting[lane]--;
  return lane;
}

/* DT-04 */
static void lanes_share_the_link_as_the_weights_of_the_table_say(void **state) {
  (void)state;
  const uint32_t shares[][2] = {{8, 8}, {32, 8}, {12, 36}, {255, 51}};
  for (uint32_t i = 0; i < sizeof shares / sizeof shares[0]; i++) {
    struct bench b;
    uint32_t sent = 0, waiting[2] = {0};
    open_bench(&b, shape());
    table_write(&b, 0, weight(0, shares[i][0]));
    table_write(&b, 1, weight(1, shares[i][1]));
    for (uint32_t n = 0; n < 3000; n++)
      sent += next_of_two(&b, waiting, 4 * UNIT) == 0;
    double share = sent / 3000.0, want = shares[i][0] / (double)(shares[i][0] + shares[i][1]);
    assert_true(share > want - 0.02 && share < want + 0.02);
    close_bench(&b);
  }
}

/* DT-04: to the packet, although a lane is away for 6 cycles after each grant. */
static void lanes_share_by_weight_with_packets_of_one_unit_too(void **state) {
  (void)state;
  const uint32_t shares[][2] = {{8, 8}, {32, 8}, {12, 36}, {255, 51}};
  for (uint32_t flits = 1; flits <= UNIT; flits += UNIT - 1)
    for (uint32_t i = 0; i < sizeof shares / sizeof shares[0]; i++) {
      struct bench b;
      uint32_t sent = 0, waiting[2] = {0};
      open_bench(&b, shape());
      table_write(&b, 0, weight(0, shares[i][0]));
      table_write(&b, 1, weight(1, shares[i][1]));
      for (uint32_t n = 4 * (shares[i][0] + shares[i][1]); n; n--)
        sent += next_of_two(&b, waiting, flits) == 0;
      assert_int_equal(sent, 4 * shares[i][0]);
      close_bench(&b);
    }
}

/* IB-03: whichever table has the entries. */
static void with_sched_3_lanes_share_by_weight_with_packets_of_one_unit(void **state) {
  (void)state;
  const uint32_t shares[][2] = {{8, 8}, {32, 8}, {12, 36}, {255, 51}};
  for (uint32_t low = 0; low <= 1; low++)
    for (uint32_t flits = 1; flits <= UNIT; flits += UNIT - 1)
      for (uint32_t i = 0; i < sizeof shares / sizeof shares[0]; i++) {
        struct bench b;
        uint32_t sent = 0, waiting[2] = {0};
        open_bench(&b, two_tables());
        for (uint32_t l = 0; l < 2; l++)
          table_write(&b, low * LOOM_IBARB_REG_LOW + l, weight(l, shares[i][l]));
        for (uint32_t n = 4 * (shares[i][0] + shares[i][1]); n; n--)
          sent += next_of_two(&b, waiting, flits) == 0;
        assert_int_equal(sent, 4 * shares[i][0]);
        close_bench(&b);
      }
}

/* SC-01, SC-02: a packet each, or as many as the weights say. */
static void with_turns_lanes_share_by_packets(void **state) {
  (void)state;
  for (uint32_t sched = TURNS; sched <= BANDWIDTH; sched++)
    for (uint32_t flits = 1; flits <= 2 * UNIT; flits += UNIT - 1) {
      struct bench b;
      uint32_t sent = 0, waiting[2] = {4, 4};
      open_bench(&b, with_sched(sched));
      table_write(&b, LOOM_SBT_REG_WEIGHT + 0, 12);
      table_write(&b, LOOM_SBT_REG_WEIGHT + 1, 36);
      b.in.hold = 1; /* none is alone at first */
      for (uint32_t i = 0; i < 8; i++)
        put(&b, i % 2, flits);
      cycles(&b, 100);
      b.in.hold = 0;
      for (uint32_t n = 0; n < 4 * 48; n++)
        sent += next_of_two(&b, waiting, flits) == 0;
      assert_int_equal(sent, 4 * (sched == BANDWIDTH ? 12 : 24));
      close_bench(&b);
    }
}

/* IB-06: lane 0 is high, lane 1 low; 4096 bytes are 64 packets of a unit. A lane of high that is
 * away between two packets lets low go no sooner. */
static void with_sched_3_low_goes_when_high_has_sent_what_the_limit_says(void **state) {
  (void)state;
  for (uint32_t limit = 0; limit <= 3; limit++)
    for (uint32_t flits = 1; flits <= 2 * UNIT; flits += UNIT) {
      struct bench b;
      uint32_t waiting[2] = {0}, high = loom_max(limit * 64 / units(flits), 1);
      open_bench(&b, two_tables());
      table_write(&b, LOOM_IBARB_REG_LIMIT, limit);
      table_write(&b, LOOM_IBARB_REG_MODE, LOOM_IBARB_LOW_BY_PACKET);
      table_write(&b, 5, weight(0, 200));
      table_write(&b, LOOM_IBARB_REG_LOW + 2, weight(1, 200));
      while (next_of_two(&b, waiting, flits) == 0)
        ;
      for (uint32_t round = 0; round < 5; round++) {
        for (uint32_t n = 0; n < high; n++)
          assert_int_equal(next_of_two(&b, waiting, flits), 0);
        int last = b.packet[b.order[b.granted - 1]].granted;
        assert_int_equal(next_of_two(&b, waiting, flits), 1);
        if (flits < UNIT)
          assert_int_equal(b.packet[b.order[b.granted - 1]].granted - last, 5);
      }
      close_bench(&b);
    }
}

/* DT-02: what a key has left is added to its next weight, beyond 255, too. */
static void a_key_may_send_more_than_255_units_at_a_time(void **state) {
  (void)state;
  struct bench b;
  uint32_t waiting[2] = {0}, run = 0, longest = 0, last = 2;
  open_bench(&b, shape());
  table_write(&b, 0, weight(0, 255));
  table_write(&b, 1, weight(1, 255));
  for (uint32_t n = 0; n < 200; n++) {
    uint32_t lane = next_of_two(&b, waiting, 7 * UNIT);
    run = lane == last ? run + 1 : 1;
    longest = loom_max(longest, run);
    last = lane;
  }
  assert_int_equal(longest, 37); /* 259 units; 36 packets are 252 */
  close_bench(&b);
}

/* OP-19 */
static void two_sls_share_a_lane_or_two_lanes_an_sl_as_arb_key_says(void **state) {
  (void)state;
  for (uint32_t by_sl = 0; by_sl < 2; by_sl++) {
    struct bench b;
    struct loom_output_unit_cfg cfg = shape();
    cfg.ARB_KEY = by_sl;
    open_bench(&b, cfg);
    table_write(&b, 0, weight(2, 16)); /* SL 2, or lane 2 */
    uint32_t of_lane = list(&b, 2, 4, 9, false), of_sl = list(&b, 1, 4, 2, false);
    cycles(&b, 200);
    assert_int_equal(b.packet[of_lane].granted != NEVER, !by_sl); /* the bench looks at the key */
    assert_int_equal(b.packet[of_sl].granted != NEVER, by_sl);
    close_bench(&b);
  }
}

static void a_packet_whose_key_has_no_entry_waits_and_holds_up_its_lane_only(void **state) {
  (void)state;
  struct bench b;
  open_plain(&b, shape());
  uint32_t stuck = list(&b, 0, 4, 30, false), after = put(&b, 0, 4);
  for (uint32_t i = 0; i < 20; i++)
    put(&b, 1 + i % 3, 4);
  cycles(&b, 1000);
  assert_int_equal(b.packet[stuck].granted, NEVER);
  assert_int_equal(b.packet[after].granted, NEVER);
  assert_int_equal(b.done, 20);
  table_write(&b, 7, weight(30, 1));
  drain(&b);
  assert_true(b.packet[after].granted > b.packet[stuck].granted);
  close_bench(&b);
}

/* DT-10 */
static void with_the_message_bit_the_packets_of_a_train_are_kept_together(void **state) {
  (void)state;
  for (uint32_t message = 0; message < 2; message++) {
    struct bench b;
    uint32_t changes = 0;
    open_bench(&b, shape());
    table_write(&b, 0, weight(0, 4) | (message ? KEEP_TOGETHER : 0));
    table_write(&b, 1, weight(1, 4) | (message ? KEEP_TOGETHER : 0));
    for (uint32_t i = 0; i < 60; i++) { /* trains of 3 on each lane */
      list(&b, 0, 4 * UNIT, 0, i % 3 < 2);
      list(&b, 1, 4 * UNIT, 1, i % 3 < 2);
    }
    drain(&b);
    for (uint32_t i = 1; i < b.granted; i++)
      if (b.packet[b.order[i]].lane != b.packet[b.order[i - 1]].lane) {
        changes++;
        assert_true(!message || !b.packet[b.order[i - 1]].more);
      }
    assert_int_equal(changes, message ? 39 : 119);
    close_bench(&b);
  }
}

static void while_a_train_is_open_the_link_waits_for_its_next_packet(void **state) {
  (void)state;
  struct bench b;
  open_bench(&b, shape());
  table_write(&b, 0, weight(0, 8) | KEEP_TOGETHER);
  table_write(&b, 1, weight(1, 8));
  uint32_t first = list(&b, 0, 4, 0, true);
  until_granted(&b, first);
  uint32_t other = put(&b, 1, 4);
  cycles(&b, 300);
  assert_int_equal(b.packet[other].granted, NEVER);
  uint32_t last = list(&b, 0, 4, 0, false);
  drain(&b);
  assert_true(b.packet[last].granted < b.packet[other].granted);
  close_bench(&b);
}

/* Its entries have no message bit, and their key is not what has bit 13. */
static void with_sched_3_trains_are_not_kept_together(void **state) {
  (void)state;
  struct bench b;
  uint32_t waits_not = 0;
  open_bench(&b, two_tables());
  table_write(&b, 0, weight(0, 4) | KEEP_TOGETHER);
  table_write(&b, 1, weight(1, 4) | KEEP_TOGETHER);
  for (uint32_t i = 0; i < 60; i++) { /* trains of 3 on each lane */
    list(&b, 0, 4 * UNIT, 0, i % 3 < 2);
    list(&b, 1, 4 * UNIT, 1, i % 3 < 2);
  }
  drain(&b);
  for (uint32_t i = 1; i < b.granted; i++)
    waits_not += b.packet[b.order[i]].lane != b.packet[b.order[i - 1]].lane;
  assert_int_equal(waits_not, 119);
  uint32_t first = list(&b, 0, 4, 0, true);
  until_granted(&b, first);
  uint32_t other = put(&b, 1, 4); /* does not wait for the rest of the train */
  until_granted(&b, other);
  close_bench(&b);
}

/* ---- credits --------------------------------------------------------------------------------- */

/* A far end that has `left` of its 16 units free, all of them in the pool, and gives none back; an
 * entry of 8 units for each of the SLs 0..3. */
static void open_scarce(struct bench *b, uint32_t left) {
  struct loom_output_unit_cfg cfg = shape();
  cfg.REMOTE_UNITS = 16;
  cfg.REMOTE_RESERVED = 0;
  open_plain(b, cfg);
  b->far.percent = 0;
  for (uint32_t n = 16 - left; n; n -= loom_min(n, 8))
    put(b, 3, loom_min(n, 8) * UNIT);
  cycles(b, 300);
  assert_int_equal(b->done, b->packets);
}

/* OP-06 */
static void a_lane_without_credits_for_the_largest_packet_sends_a_smaller_one(void **state) {
  (void)state;
  for (uint32_t left = 1; left < 8; left++) {
    struct bench b;
    open_scarce(&b, left);
    uint32_t fits = put(&b, 0, left * UNIT);
    cycles(&b, 200);
    assert_true(b.packet[fits].granted != NEVER);
    uint32_t none = put(&b, 1, 1);
    cycles(&b, 200);
    assert_int_equal(b.packet[none].granted, NEVER);
    assert_int_equal(b.errors, 0);
    close_bench(&b);

    open_scarce(&b, left);
    uint32_t large = put(&b, 0, left * UNIT + 1);
    cycles(&b, 200);
    assert_int_equal(b.packet[large].granted, NEVER);
    give_credit(&b, 3);
    cycles(&b, 30);
    assert_true(b.packet[large].granted != NEVER);
    assert_int_equal(b.errors, 0);
    close_bench(&b);
  }
}

/* When its head comes long after its last grant, that is. */
static void a_lane_with_credits_for_the_largest_packet_is_not_judged_for_its_size(void **state) {
  (void)state;
  struct bench b;
  open_plain(&b, shape());
  for (uint32_t i = 0; i < 100; i++) {
    put(&b, i % 4, 1 + i * 7 % (8 * UNIT));
    for (uint32_t c = 0; i % 4 == 3 && c < 400; c++) {
      cycle(&b);
      assert_int_equal(probe(&b).look | probe(&b).exact, 0);
    }
  }
  drain(&b);
  close_bench(&b);
}

static void after_a_grant_the_need_is_that_of_the_largest_packet_again(void **state) {
  (void)state;
  struct bench b;
  open_scarce(&b, 7);
  uint32_t small = put(&b, 0, UNIT);
  until_granted(&b, small);
  assert_int_equal(probe(&b).exact, 0); /* after the cycle with the grant */
  cycles(&b, 20);
  assert_int_equal(b.s.tracker.lane[0].need, 8);
  uint32_t large = put(&b, 0, 8 * UNIT); /* too large for 6 units, but not for the need before */
  cycles(&b, 100);
  assert_int_equal(probe(&b).exact, 1 << 0);
  assert_int_equal(b.packet[large].granted, NEVER);
  b.far.percent = 100;
  drain(&b);
  uint32_t next = put(&b, 0, 8 * UNIT);
  drain(&b);
  assert_int_equal(b.packet[next].granted - b.packet[next].queued, 4); /* it was judged ahead */
  close_bench(&b);
}

/* Where a need that goes back and one of a head that was found fall into one cycle, the head's
 * waits in `look`. */
static void a_need_that_goes_back_is_written_before_that_of_a_head(void **state) {
  (void)state;
  uint32_t both = 0;
  for (uint32_t run = 0; run < 40 * 4; run++) {
    struct bench b;
    uint32_t lane = 1 + run % 4; /* the scan is at one of them in that cycle */
    open_scarce(&b, 7);
    table_write(&b, 5, weight(4, 8));
    uint32_t first = put(&b, 0, 2 * UNIT);
    cycles(&b, run / 4);
    uint32_t second = put(&b, lane, 2 * UNIT);
    for (uint32_t i = 0; i < 200; i++) {
      struct loom_output_unit_probe before = probe(&b);
      cycle(&b);
      bool back = b.out.grant_valid && before.exact >> b.out.grant_vl & 1;
      if (!before.look || !back)
        continue;
      both++;
      assert_int_equal(probe(&b).look, 1);
      assert_int_equal(probe(&b).exact, 0);
      cycle(&b);
      assert_int_equal(probe(&b).exact, 1 << lane);
      assert_int_equal(probe(&b).look, 0);
    }
    assert_true(b.packet[first].granted != NEVER);
    assert_true(b.packet[second].granted != NEVER);
    assert_int_equal(b.errors, 0);
    close_bench(&b);
  }
  assert_true(both > 0);
}

/* OP-08 */
static void a_credit_of_a_vl_without_a_lane_is_ignored(void **state) {
  (void)state;
  const uint32_t vls[] = {2, 5, 15, 16, 17, 18, 32};
  for (uint32_t i = 0; i < sizeof vls / sizeof vls[0]; i++) {
    struct bench b;
    struct loom_output_unit_cfg cfg = shape();
    cfg.VLS = vls[i];
    cfg.REMOTE_RESERVED = 4;
    open_bench(&b, cfg);
    b.far.percent = 0;
    table_write(&b, 0, weight(0, 8));
    for (uint32_t l = 0; l < cfg.VLS; l++)
      list(&b, l, 1, 0, false);
    for (uint32_t n = 0; b.done < cfg.VLS && n < PATIENCE; n++)
      cycle(&b);
    cycles(&b, 10);
    assert_int_equal(b.s.tracker.total, cfg.VLS);
    for (uint32_t vl = 0; vl < 32; vl++) {
      bool lane = vl == LINK_MGMT || vl < cfg.VLS - 1 || (cfg.VLS > 16 && vl < cfg.VLS);
      uint32_t before = b.s.tracker.total;
      b.in.cr_valid = 1;
      b.in.cr_vl = vl;
      cycles(&b, 4);
      assert_int_equal(b.s.tracker.total, before - lane);
    }
    cycles(&b, 4);
    assert_int_equal(b.out.idle, 1); /* each lane had its own one back */
    assert_int_equal(b.errors, 0);
    b.in.cr_valid = 1; /* one too many */
    cycles(&b, 4);
    assert_int_equal(b.errors, 1);
    close_bench(&b);
  }
}

static void a_limit_of_the_far_end_is_kept_from_when_it_is_written(void **state) {
  (void)state;
  struct bench b;
  open_plain(&b, shape());
  b.in.hold = 1;
  cycles(&b, 4);
  b.in.cfg_we = 1;
  b.in.cfg_addr = LOOM_TRACKER_REG_CAP + 2;
  b.in.cfg_data = b.far.cap[2] = 5;
  cycles(&b, 20);
  b.in.hold = 0;
  b.far.percent = 0;
  uint32_t small = put(&b, 2, 3 * UNIT), next = put(&b, 2, 3 * UNIT);
  cycles(&b, 200);
  assert_true(b.packet[small].granted != NEVER);
  assert_int_equal(b.packet[next].granted, NEVER);
  uint32_t other = put(&b, 1, 8 * UNIT);
  until_granted(&b, other);
  give_credit(&b, 2);
  until_granted(&b, next);
  b.far.percent = 100;
  drain(&b);
  uint32_t never = put(&b, 2, 5 * UNIT + 1);
  cycles(&b, 200);
  assert_int_equal(b.packet[never].granted, NEVER);
  assert_int_equal(b.errors, 0);
  close_bench(&b);
}

static void nothing_is_granted_under_limits_that_are_not_legal_together(void **state) {
  (void)state;
  struct bench b;
  open_plain(&b, shape());
  for (uint32_t legal = 0; legal < 2; legal++) {
    b.in.hold = 1;
    cycles(&b, 3);
    b.in.cfg_we = 1;
    b.in.cfg_addr = LOOM_TRACKER_REG_TOTAL;
    b.in.cfg_data = legal ? 5 * 8 : 5 * 8 - 1; /* the reserves of five lanes */
    cycles(&b, 4);
    assert_int_equal(b.out.config_ok, !legal);
    cycle(&b);
    assert_int_equal(b.out.config_ok, legal);
    cycles(&b, 20);
    b.in.hold = 0;
    uint32_t p = put(&b, legal, 8 * UNIT); /* a reserve has room for it */
    cycles(&b, 100);
    assert_int_equal(b.packet[p].granted != NEVER, legal);
  }
  drain(&b);
  close_bench(&b);
}

/* The lane is closed by its own grant, but not by that of another lane if credits are left. */
static void a_lane_that_was_granted_is_judged_anew_and_the_others_are_not(void **state) {
  (void)state;
  struct bench b;
  open_plain(&b, shape());
  uint32_t first = put(&b, 0, 1);
  put(&b, 0, 1);
  put(&b, 1, 1);
  until_granted(&b, first);
  assert_int_equal(probe(&b).judged & 1 << 0, 0);
  assert_int_equal(probe(&b).waits, 1 << 1);
  assert_int_equal(b.s.tracker.room, 0x1E);
  cycles(&b, 4); /* to g + 5 */
  assert_int_equal(probe(&b).waits & 1, 1);
  assert_int_equal(b.s.tracker.room & 1, 0);
  assert_int_equal(probe(&b).judged & 1, 0);
  cycles(&b, 1); /* g + 6: the bits of the cycle to come */
  assert_int_equal(b.s.tracker.room & 1, 1);
  assert_int_equal(probe(&b).judged & 1, 1);
  drain(&b);
  close_bench(&b);
}

/* ---- all together ---------------------------------------------------------------------------- */

struct traffic {
  struct loom_output_unit_cfg cfg;
  uint32_t credit_percent, written_percent, hold_percent, sls;
  uint32_t trains; /* with trains: packets in the unit, but for those that end an open train */
  uint32_t looks, books, stays, meets; /* found */
};

/* A lane; one with an open train, if only such a one may go on. */
static uint32_t random_lane(struct bench *b, const bool *more, bool open_only) {
  uint32_t from = loom_below(&b->seed, b->cfg.VLS);
  for (uint32_t i = 0; open_only && i < b->cfg.VLS; i++)
    if (more[(from + i) % b->cfg.VLS])
      return (from + i) % b->cfg.VLS;
  return open_only ? LOOM_VLS : from;
}

/* All packets of a train have one SL. A store that is full of other lanes' packets would never take
 * the next one of an open train. */
static void random_packet(struct bench *b, const struct traffic *t, bool *more, uint32_t *sl) {
  bool full = t->trains && b->packets - b->done >= t->trains;
  uint32_t lane = random_lane(b, more, full);
  if (lane == LOOM_VLS)
    return;
  uint32_t most = loom_chance(&b->seed, 50) ? 2 * UNIT : b->cfg.MTU_UNITS * UNIT;
  uint32_t flits = 1 + loom_below(&b->seed, most);
  if (!more[lane])
    sl[lane] = loom_below(&b->seed, t->sls);
  more[lane] = t->trains && !full && loom_chance(&b->seed, 30);
  list(b, lane, flits, sl[lane], more[lane]);
}

static void random_table(struct bench *b, const struct traffic *t) {
  uint32_t sched = b->cfg.SCHED, first = first_weight(sched);
  bool by_key = sched == BANDWIDTH || sched >= QUANTA;
  uint32_t words = sched == TWO ? b->cfg.N_HIGH : by_key ? b->cfg.KEYS : b->cfg.ENTRIES;
  for (uint32_t e = 0; sched == TWO && e < b->cfg.N_LOW; e++)
    table_write(b, LOOM_IBARB_REG_LOW + e, weight(e % t->sls, 1 + loom_below(&b->seed, 40)));
  for (uint32_t e = 0; e < words; e++) {
    uint32_t key = e % (b->cfg.ARB_KEY ? t->sls : b->cfg.VLS);
    uint32_t together = t->trains && e % 3 ? KEEP_TOGETHER : 0;
    table_write(b, first + e, weight(key, 1 + loom_below(&b->seed, 40)) | together);
  }
}

/* The lane that was looked at has its need written, unless it has room or another need is written.
 */
static void random_cycle(struct bench *b, struct traffic *t) {
  struct loom_output_unit_probe before = probe(b);
  uint32_t lane = b->s.look_vl;
  bool room = b->s.tracker.room >> lane & 1;
  b->in.hold = loom_chance(&b->seed, t->hold_percent);
  cycle(b);
  t->books += before.booked != 0;
  if (!before.look)
    return;
  t->looks++;
  if (b->out.grant_valid && before.exact >> b->out.grant_vl & 1) {
    t->stays++;
    assert_int_equal(probe(b).look, 1);
    assert_int_equal(b->s.look_vl, lane);
    assert_int_equal(probe(b).exact >> lane & 1, 0);
  } else {
    t->meets += b->out.grant_valid != 0;
    assert_int_equal(probe(b).exact >> lane & 1, !room);
  }
}

static void run_traffic(struct traffic *t, uint64_t seed) {
  struct bench b;
  bool more[LOOM_VLS] = {false};
  uint32_t sl[LOOM_VLS] = {0};
  open_bench(&b, t->cfg);
  b.seed = seed;
  b.far.percent = t->credit_percent;
  b.written_percent = t->written_percent;
  random_table(&b, t);
  for (uint32_t c = 0; c < 8000; c++) {
    if (b.packets - b.fed < 3 && loom_chance(&b.seed, 40))
      random_packet(&b, t, more, sl);
    random_cycle(&b, t);
  }
  for (uint32_t l = 0; l < b.cfg.VLS; l++)
    if (more[l])
      list(&b, l, 3, sl[l], false);
  b.in.hold = 0;
  b.far.percent = 100;
  drain(&b);
  assert_true(b.done > 10);
  close_bench(&b);
}

/* OP-06: the bench has the limits of the far end, and the order of each lane. */
static void nothing_is_sent_beyond_the_far_end_whatever_comes_back_and_when(void **state) {
  (void)state;
  struct traffic t = {.cfg = shape(), .written_percent = 100, .sls = 4};
  t.cfg.REMOTE_UNITS = 24;
  t.cfg.REMOTE_RESERVED = 2;
  for (uint32_t percent = 2; percent <= 100; percent += (percent + 1) / 2) {
    t.credit_percent = percent;
    run_traffic(&t, percent);
  }
  assert_true(t.looks > 100);
}

static void a_lane_keeps_its_order_and_its_flits_in_units_of_all_shapes(void **state) {
  (void)state;
  struct traffic t[] = {
      {.cfg = two_tables(), .credit_percent = 12, .written_percent = 50, .sls = 5, .trains = 20},
      {.cfg = two_tables(),
       .credit_percent = 15,
       .written_percent = 100,
       .hold_percent = 9,
       .sls = 9},
      {.cfg = shape(), .credit_percent = 12, .written_percent = 25, .hold_percent = 3, .sls = 6},
      {.cfg = shape(), .credit_percent = 10, .written_percent = 100, .sls = 1},
      {.cfg = shape(), .credit_percent = 12, .written_percent = 60, .hold_percent = 30, .sls = 9},
      {.cfg = shape(), .credit_percent = 15, .written_percent = 30, .sls = 3, .trains = 12},
      {.cfg = with_sched(TURNS), .credit_percent = 12, .written_percent = 60, .sls = 9},
      {.cfg = with_sched(BANDWIDTH), .credit_percent = 12, .written_percent = 60, .sls = 9},
      {.cfg = with_sched(QUANTA), .credit_percent = 12, .written_percent = 60, .sls = 9},
      {.cfg = with_sched(FAIR), .credit_percent = 12, .written_percent = 60, .sls = 9},
  };
  t[0].cfg.N_LOW = 3;
  t[1].cfg.VLS = 32;
  t[1].cfg.N_HIGH = 10;
  t[1].cfg.CELLS = 256;
  t[1].cfg.REMOTE_RESERVED = 3;
  t[2].cfg.LANES = 1;
  t[2].cfg.VLS = 2;
  t[2].cfg.CELLS = 9;
  t[3].cfg.LANES = 2;
  t[3].cfg.ARB_KEY = 0;
  t[3].cfg.KEYS = t[3].cfg.VLS;
  t[3].cfg.REMOTE_UNITS = 20;
  t[3].cfg.REMOTE_RESERVED = 1;
  t[4].cfg.VLS = 32;
  t[4].cfg.ENTRIES = 128;
  t[4].cfg.CELLS = 256;
  t[4].cfg.REMOTE_RESERVED = 3;
  t[5].cfg.VLS = 17;
  t[5].cfg.MTU_UNITS = 3;
  t[5].cfg.CELLS = 100;
  t[5].cfg.REMOTE_UNITS = 20;
  t[5].cfg.REMOTE_RESERVED = 1;
  uint32_t books = 0, stays = 0, meets = 0;
  for (uint32_t i = 0; i < sizeof t / sizeof t[0]; i++)
    for (uint64_t seed = 1; seed <= 5; seed++) {
      run_traffic(&t[i], seed);
      books += t[i].books;
      stays += t[i].stays;
      meets += t[i].meets;
    }
  assert_true(books > 0);
  assert_true(stays > 0);
  assert_true(meets > 0);
}

/* ---- table, announcements, parameters -------------------------------------------------------- */

static void a_table_word_reads_two_cycles_after_its_address(void **state) {
  (void)state;
  struct bench b;
  open_bench(&b, shape());
  b.in.table_we = 1;
  b.in.table_addr = 6;
  b.in.table_data = weight(21, 99);
  cycle(&b);
  assert_int_equal(b.out.busy, 0);
  for (uint32_t i = 0; i < 3; i++) {
    cycle(&b);
    assert_int_equal(b.out.busy, 1);
  }
  b.in.table_addr = 6;
  cycles(&b, 3);
  assert_int_equal(b.out.busy, 0);
  assert_int_equal(b.out.table_rdata, weight(21, 99));
  close_bench(&b);
}

static void an_announcement_that_does_not_fit_is_refused(void **state) {
  (void)state;
  struct bench b;
  struct loom_output_unit_cfg cfg = shape();
  cfg.CELLS = 8;
  open_bench(&b, cfg);
  b.in.announce = 1;
  b.in.announce_len = 8 * UNIT;
  cycles(&b, 3);
  assert_int_equal(b.out.announce_ok, 1);
  assert_int_equal(b.out.total, 8);
  b.in.announce = 1;
  b.in.announce_len = 1;
  cycles(&b, 3);
  assert_int_equal(b.out.announce_ok, 0);
  assert_int_equal(b.out.space, 0);
  assert_int_equal(b.out.total, 8);
  close_bench(&b);
}

static void parameters_are_legal_if_they_are_for_all_three_parts(void **state) {
  (void)state;
  struct loom_output_unit_cfg cfg = shape();
  assert_true(loom_output_unit_cfg_ok(&cfg));
  cfg.LANES = 3;
  assert_false(loom_output_unit_cfg_ok(&cfg));
  cfg = shape();
  cfg.MTU_UNITS = cfg.CELLS + 1;
  assert_false(loom_output_unit_cfg_ok(&cfg));
  cfg = shape();
  cfg.REMOTE_RESERVED = cfg.REMOTE_UNITS / cfg.VLS + 1;
  assert_false(loom_output_unit_cfg_ok(&cfg));
  cfg = shape();
  cfg.KEYS = cfg.VLS - 1;
  assert_true(loom_output_unit_cfg_ok(&cfg));
  cfg.ARB_KEY = 0;
  assert_false(loom_output_unit_cfg_ok(&cfg));
  cfg = two_tables();
  assert_true(loom_output_unit_cfg_ok(&cfg));
  cfg.N_LOW = 65;
  assert_false(loom_output_unit_cfg_ok(&cfg));
  for (uint32_t sched = 0; sched <= 5; sched++) {
    cfg = with_sched(sched);
    assert_int_equal(loom_output_unit_cfg_ok(&cfg), sched <= FAIR);
  }
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_packet_alone_is_on_the_link_9_cycles_after_it_was_queued),
      cmocka_unit_test(a_management_packet_alone_is_granted_by_the_scheduler),
      cmocka_unit_test(a_packet_that_comes_while_one_is_ahead_waits_as_long_as_the_page_says),
      cmocka_unit_test(packets_follow_each_other_as_fast_as_the_page_says),
      cmocka_unit_test(with_sched_4_packets_follow_each_other_as_fast_as_the_page_says),
      cmocka_unit_test(entries_of_a_packet_each_follow_each_other_as_fast_as_the_page_says),
      cmocka_unit_test(with_sched_5_packets_follow_each_other_as_fast_as_the_page_says),
      cmocka_unit_test(with_sched_3_packets_follow_each_other_as_fast_as_the_page_says),
      cmocka_unit_test(with_turns_packets_follow_each_other_as_fast_as_the_page_says),
      cmocka_unit_test(a_lane_that_has_no_next_packet_is_waited_for),
      cmocka_unit_test(packets_that_are_granted_while_they_are_written_are_as_fast_as_whole_ones),
      cmocka_unit_test(a_packet_that_was_booked_before_it_was_whole_costs_nothing),
      cmocka_unit_test(long_packets_follow_each_other_without_a_gap),
      cmocka_unit_test(the_unit_is_ready_when_its_largest_memory_is_swept),
      cmocka_unit_test(with_sched_3_the_unit_is_ready_when_its_largest_memory_is_swept),
      cmocka_unit_test(the_packet_after_a_long_one_is_chosen_when_16_flits_are_left),
      cmocka_unit_test(no_packet_is_requested_for_two_cycles_after_a_grant_of_more_than_a_unit),
      cmocka_unit_test(nothing_is_granted_from_two_cycles_after_hold_on),
      cmocka_unit_test(a_granted_packet_waits_for_a_store_that_takes_none),
      cmocka_unit_test(a_management_packet_goes_before_all_others_and_is_vl15_on_the_link),
      cmocka_unit_test(lanes_share_the_link_as_the_weights_of_the_table_say),
      cmocka_unit_test(lanes_share_by_weight_with_packets_of_one_unit_too),
      cmocka_unit_test(with_sched_3_lanes_share_by_weight_with_packets_of_one_unit),
      cmocka_unit_test(with_turns_lanes_share_by_packets),
      cmocka_unit_test(with_sched_3_low_goes_when_high_has_sent_what_the_limit_says),
      cmocka_unit_test(a_key_may_send_more_than_255_units_at_a_time),
      cmocka_unit_test(two_sls_share_a_lane_or_two_lanes_an_sl_as_arb_key_says),
      cmocka_unit_test(a_packet_whose_key_has_no_entry_waits_and_holds_up_its_lane_only),
      cmocka_unit_test(with_the_message_bit_the_packets_of_a_train_are_kept_together),
      cmocka_unit_test(while_a_train_is_open_the_link_waits_for_its_next_packet),
      cmocka_unit_test(with_sched_3_trains_are_not_kept_together),
      cmocka_unit_test(a_lane_without_credits_for_the_largest_packet_sends_a_smaller_one),
      cmocka_unit_test(a_lane_with_credits_for_the_largest_packet_is_not_judged_for_its_size),
      cmocka_unit_test(after_a_grant_the_need_is_that_of_the_largest_packet_again),
      cmocka_unit_test(a_need_that_goes_back_is_written_before_that_of_a_head),
      cmocka_unit_test(a_credit_of_a_vl_without_a_lane_is_ignored),
      cmocka_unit_test(a_limit_of_the_far_end_is_kept_from_when_it_is_written),
      cmocka_unit_test(nothing_is_granted_under_limits_that_are_not_legal_together),
      cmocka_unit_test(a_lane_that_was_granted_is_judged_anew_and_the_others_are_not),
      cmocka_unit_test(nothing_is_sent_beyond_the_far_end_whatever_comes_back_and_when),
      cmocka_unit_test(a_lane_keeps_its_order_and_its_flits_in_units_of_all_shapes),
      cmocka_unit_test(a_table_word_reads_two_cycles_after_its_address),
      cmocka_unit_test(an_announcement_that_does_not_fit_is_refused),
      cmocka_unit_test(parameters_are_legal_if_they_are_for_all_three_parts),
  };
  return UNIT_RUN("output_unit", tests, NULL, NULL);
}
