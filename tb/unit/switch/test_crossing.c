/* SPDX-License-Identifier: Apache-2.0 */
/* test_crossing.c - the twin of crossing against what docs/crossing.md says, without a circuit
 *
 * The bench books packets, plays the inputs that send their words and the store that frees their
 * units. It finds the words at the store to be those of the packets in the order of their starts,
 * each as long as it was booked, and no more units in use than there are. */
#include "tb/unit/unit.h"

#include <loom/bits.h>
#include <loom/random.h>
#include <stdlib.h>
#include <string.h>

#include "parts/credit_tracker.h"
#include "switch/crossing.h"

#define LOOM_NAMES "switch/input_unit.fields"
#include <loom/names.h>

enum {
  UNIT = LOOM_UNIT_FLITS,
  PACKETS = 4096,
  NEVER = -1,
  PATIENCE = 20000,
  FLIGHT = 4,
  APART = 3
};

/* ---- the bench ------------------------------------------------------------------------------- */

struct packet {
  uint32_t source, lane, flits, sl;
  bool more;
  bool space, sure;            /* the store had space at its booking; its input was sure of it */
  int booked, started, queued; /* cycles; NEVER */
  int entered;                 /* its record, ahead of its start */
  int first, last;             /* of its words at the input, as planned at its start */
};

/* An input sends what started at it, one after the other. */
struct source {
  int sends, then;     /* the packet, and the one after it; or NEVER */
  uint32_t place;      /* of its next flit */
  int end_from;        /* the cycle from which it says that it ends */
  bool starts, silent; /* it takes a start; it does not say that it ends */
};

struct bench {
  struct loom_crossing s;
  struct loom_crossing_cfg cfg;
  struct loom_crossing_in in;   /* of the next cycle */
  struct loom_crossing_out out; /* of the last cycle */
  int now;                      /* the next cycle */
  void *storage;
  uint64_t seed;
  uint32_t number; /* of the output */
  struct source source[48];
  uint32_t late;          /* the first word comes up to so many cycles later than it could */
  uint32_t gap_percent;   /* of the cycles of a packet in which no word of it comes */
  uint32_t stray_percent; /* of the cycles in which an input has a word for another output */
  uint32_t sure_percent;  /* of the packets of one unit at most of which an input can be sure */
  uint32_t space_percent; /* of the cycles in which the store has space for sure */
  uint32_t free_percent;
  int booked_at; /* the last booking */
  bool ready[2]; /* target_ready of one and two cycles ago */

  struct packet packet[PACKETS];
  uint32_t packets, started, queued; /* in this order */
  uint32_t arriving, place;          /* the packet whose word is next at the store */
  uint32_t done;
  uint32_t used[LOOM_VLS], spare[LOOM_VLS]; /* units that are booked; of these, sent meanwhile */
  uint32_t all_used[3];                     /* of all lanes, one, two and three cycles ago */
  uint32_t errors, words;
  bool word;             /* of the last cycle, at the inputs, */
  uint64_t word_data[4]; /* and its lanes */
};

static struct loom_crossing_cfg shape(void) {
  struct loom_crossing_cfg cfg;
  loom_crossing_defaults(&cfg);
  cfg.PORTS = 4;
  cfg.VLS = 5;
  cfg.CELLS = 64;
  cfg.RESERVED = 8;
  cfg.MTU_UNITS = 8;
  return cfg;
}

static uint32_t units(uint32_t flits) { return (flits + UNIT - 1) / UNIT; }

static uint64_t flit(uint32_t packet, uint32_t place) {
  return loom_scramble((uint64_t)packet << 16 | place) | 1;
}

static uint64_t info_of(const struct packet *p) {
  return LOOM_PUT(LOOM_HEAD_INFO_MORE, p->more) | LOOM_PUT(LOOM_HEAD_INFO_SL, p->sl) |
         LOOM_PUT(LOOM_HEAD_INFO_UNITS, units(p->flits)) | LOOM_PUT(LOOM_HEAD_INFO_LEN, p->flits);
}

static uint32_t speed_of(const struct bench *b, uint32_t source) {
  bool fast = b->cfg.FAST_FROM && source >= b->cfg.FAST_FROM;
  return fast ? b->cfg.FAST_SPEEDUP : b->cfg.SPEEDUP;
}

static uint32_t lanes_for(uint32_t speed) { return speed == 3 ? 4 : speed; }

/* Of all words here. */
static uint32_t lanes_of(const struct bench *b) {
  return lanes_for(loom_max(b->cfg.SPEEDUP, b->cfg.FAST_SPEEDUP));
}

/* Words, as wide as can be, of the flits from `place` on: a word stays within its unit. */
static uint32_t words_from(const struct bench *b, const struct packet *p, uint32_t place) {
  uint32_t words = 0, speed = speed_of(b, p->source);
  for (; place < p->flits; words++)
    place += loom_min(speed, loom_min(UNIT - place % UNIT, p->flits - place));
  return words;
}

static uint32_t words_of(const struct bench *b, const struct packet *p) {
  return words_from(b, p, 0);
}

/* A packet is booked in the next cycle. */
static uint32_t book_with(struct bench *b, struct packet p) {
  assert_in_range(b->packets, 0, PACKETS - 1);
  p.booked = b->now;
  p.space = loom_chance(&b->seed, b->space_percent);
  b->in.space = p.space;
  p.started = p.queued = p.entered = NEVER;
  b->booked_at = b->now;
  b->packet[b->packets] = p;
  b->in.book = 1;
  b->in.book_source = p.source;
  b->in.book_vl = p.lane;
  b->in.book_info = info_of(&p);
  b->used[p.lane] += units(p.flits);
  return b->packets++;
}

static uint32_t book(struct bench *b, uint32_t source, uint32_t lane, uint32_t flits) {
  return book_with(b, (struct packet){.source = source, .lane = lane, .flits = flits, .sl = lane});
}

static bool has_sent(const struct bench *b, const struct source *s) {
  return s->sends == NEVER || s->place == b->packet[s->sends].flits;
}

static void send_next(struct bench *b, struct source *s) {
  if (s->then == NEVER || !has_sent(b, s))
    return;
  s->sends = s->then;
  s->then = NEVER;
  s->place = 0;
}

/* A word of `n` flits in the lanes of an input; one with fewer lanes repeats them. */
static void fill_lanes(struct bench *b, uint32_t i, uint32_t n) {
  struct source *s = &b->source[i];
  uint32_t own = lanes_for(speed_of(b, i));
  for (uint32_t lane = 0; lane < lanes_of(b); lane++)
    for (uint32_t k = s->place; k < s->place + n; k++)
      if (k % own == lane % own)
        b->in.word_data[i * lanes_of(b) + lane] = flit((uint32_t)s->sends, k);
  memcpy(b->word_data, &b->in.word_data[i * lanes_of(b)], lanes_of(b) * sizeof(uint64_t));
}

static void send_word(struct bench *b, uint32_t i, const struct packet *p) {
  struct source *s = &b->source[i];
  uint32_t n = loom_min(speed_of(b, i), loom_min(UNIT - s->place % UNIT, p->flits - s->place));
  b->in.word_valid |= 1ull << i;
  b->in.word_target[i] = b->number;
  b->in.word_flits[i] = n;
  fill_lanes(b, i, n);
  b->in.word_last |= (uint64_t)(s->place + n == p->flits) << i;
  s->place += n;
  b->word = true;
}

/* For another output. */
static void send_stray(struct bench *b, uint32_t i) {
  b->in.word_valid |= 1ull << i;
  b->in.word_target[i] = (b->number + 1) % b->cfg.PORTS;
  b->in.word_flits[i] = 1;
  b->in.word_data[i * lanes_of(b)] = loom_random(&b->seed);
  b->in.word_last |= (uint64_t)loom_chance(&b->seed, 50) << i;
}

/* The words of an input in this cycle: of the packet that it sends, or for another output. */
static void source_sends(struct bench *b, uint32_t i) {
  struct source *s = &b->source[i];
  send_next(b, s);
  b->in.word_target[i] = 0;
  b->in.word_flits[i] = 0;
  memset(&b->in.word_data[i * lanes_of(b)], 0, lanes_of(b) * sizeof(uint64_t));
  const struct packet *p = s->sends == NEVER ? NULL : &b->packet[s->sends];
  bool ours = p && b->now >= p->first && s->place < p->flits;
  uint32_t words = ours ? words_from(b, p, s->place) : 0;
  if (ours && b->now + (int)words <= p->last && loom_chance(&b->seed, b->gap_percent))
    ours = false;
  /* another packet's words can only come when ours have not begun, or are over */
  bool stray =
      (!p || b->now < p->first || s->place == p->flits) && loom_chance(&b->seed, b->stray_percent);
  if (ours)
    send_word(b, i, p);
  else if (stray)
    send_stray(b, i);
}

/* The packet that is booked and did not start, or NULL. */
static struct packet *waiting(struct bench *b) {
  struct packet *p = &b->packet[b->started];
  return b->started < b->packets && p->booked < b->now ? p : NULL;
}

/* The input can send the words of a packet that starts now as early as that may be. */
static bool can_be_sure(const struct bench *b, const struct packet *p) {
  const struct source *s = &b->source[p->source];
  return p->flits <= UNIT && s->then == NEVER &&
         (s->sends == NEVER || b->packet[s->sends].last < b->now + FLIGHT);
}

/* Of the inputs without a booking the bits mean nothing. */
static void say_sure(struct bench *b) {
  struct packet *p = waiting(b);
  b->in.sure = loom_random(&b->seed) & loom_mask(b->cfg.PORTS);
  if (!p)
    return;
  p->sure = can_be_sure(b, p) && loom_chance(&b->seed, b->sure_percent);
  b->in.sure &= ~(1ull << p->source);
  b->in.sure |= (uint64_t)p->sure << p->source;
}

static void sources_act(struct bench *b) {
  b->in.word_valid = b->in.word_last = b->in.end = b->in.start_ok = 0;
  b->word = false;
  for (uint32_t i = 0; i < b->cfg.PORTS; i++) {
    struct source *s = &b->source[i];
    bool ends = b->now >= s->end_from && !s->silent;
    source_sends(b, i);
    send_next(b, s);
    b->in.end |= (uint64_t)ends << i;
    b->in.start_ok |= (uint64_t)(s->starts && s->then == NEVER && (ends || has_sent(b, s))) << i;
  }
  say_sure(b);
}

/* As late as the user's duty allows, its input says that it ends. */
static void start_at_source(struct bench *b, uint32_t packet) {
  struct packet *p = &b->packet[packet];
  struct source *s = &b->source[p->source];
  int words = (int)words_of(b, p);
  int gaps = p->sure ? 0 : words * (int)b->gap_percent / 50;
  p->first = b->now + FLIGHT + (p->sure ? 0 : (int)loom_below(&b->seed, b->late + 1));
  if (s->sends != NEVER && p->first <= b->packet[s->sends].last)
    p->first = b->packet[s->sends].last + 1;
  p->last = p->first + words - 1 + gaps;
  assert_int_equal(s->then, NEVER);
  s->then = (int)packet;
  s->end_from = p->last - (p->sure ? FLIGHT : (int)b->cfg.END_CYCLES) + 1;
  if (s->end_from <= b->now)
    s->end_from = b->now + 1;
}

static void watch_start(struct bench *b) {
  struct packet *p = waiting(b);
  if (!p || !b->out.free || !(b->in.start_ok >> p->source & 1))
    return;
  assert_true(b->now > p->booked + !p->space);
  p->started = b->now;
  start_at_source(b, b->started++);
}

static void expect_record(const struct loom_crossing_out *o, const struct packet *p) {
  assert_int_equal(o->queue_vl, p->lane);
  assert_int_equal(o->queue_len, p->flits);
  assert_int_equal(o->queue_sl, p->sl);
  assert_int_equal(o->queue_more, p->more);
}

/* The cycle in which the record of a packet enters the delay. */
static int enters(const struct bench *b, const struct packet *p) {
  if (!b->cfg.AHEAD)
    return p->started;
  return p->entered;
}

/* A record that goes ahead enters when the store admits it for sure and no packet is open; `open`:
 * at the beginning of the cycle. */
static void watch_ahead(struct bench *b, bool open) {
  struct packet *p = b->packets ? &b->packet[b->packets - 1] : NULL;
  if (b->cfg.AHEAD && p && p->entered == NEVER && !open && b->now >= p->booked + (p->space ? 0 : 2))
    p->entered = b->now;
}

/* What shows without a delay while no record joins, or NULL. */
static const struct packet *shows_early(struct bench *b) {
  if (b->cfg.OUT_DELAY)
    return NULL;
  struct packet *p = b->packets ? &b->packet[b->packets - 1] : NULL;
  if (b->cfg.AHEAD)
    return p && p->entered == NEVER ? p : NULL;
  return waiting(b);
}

static void watch_queue(struct bench *b) {
  const struct loom_crossing_out *o = &b->out;
  struct packet *p = b->queued < b->packets ? &b->packet[b->queued] : NULL;
  bool joins = p && enters(b, p) != NEVER && enters(b, p) + (int)b->cfg.OUT_DELAY == b->now;
  assert_int_equal(o->queue, joins);
  if (joins) {
    p->queued = b->now;
    b->queued++;
  } else {
    p = NULL;
  }
  const struct packet *shows = p ? p : shows_early(b);
  expect_record(o, shows ? shows : &(struct packet){0});
}

/* A word that was at its input a cycle ago, and no other; they come packet by packet. */
static void watch_words(struct bench *b, bool comes, const uint64_t *data) {
  const struct loom_crossing_out *o = &b->out;
  assert_int_equal(o->wr_valid, comes);
  if (!comes) {
    assert_int_equal(o->wr_vl | o->wr_last | o->wr_flits, 0);
    for (uint32_t k = 0; k < 4; k++)
      assert_true(o->wr_data[k] == 0);
    return;
  }
  b->words++;
  assert_true(b->arriving < b->started);
  const struct packet *p = &b->packet[b->arriving];
  assert_int_equal(o->wr_vl, p->lane);
  for (uint32_t k = 0; k < o->wr_flits; k++, b->place++)
    assert_true(o->wr_data[b->place % lanes_of(b)] == flit(b->arriving, b->place));
  for (uint32_t k = 0; k < 4; k++)
    assert_true(o->wr_data[k] == (k < lanes_of(b) ? data[k] : 0));
  assert_int_equal(o->wr_last, b->place == p->flits);
  if (!o->wr_last)
    return;
  b->spare[p->lane] += units(p->flits);
  b->arriving++;
  b->done++;
  b->place = 0;
}

/* OP-06 */
static void watch_room(const struct bench *b) {
  uint32_t pool = b->cfg.CELLS - b->cfg.VLS * b->cfg.RESERVED;
  for (uint32_t l = 0; l < b->cfg.VLS; l++) {
    uint32_t beyond = b->used[l] - loom_min(b->used[l], b->cfg.RESERVED);
    assert_true(beyond <= pool);
    pool -= beyond;
  }
}

/* The tracker shows a booking and a freed unit three cycles later. */
static void watch_total(struct bench *b) {
  uint32_t sum = 0;
  for (uint32_t l = 0; l < b->cfg.VLS; l++)
    sum += b->used[l];
  assert_int_equal(b->out.total, b->all_used[2]);
  b->all_used[2] = b->all_used[1];
  b->all_used[1] = b->all_used[0];
  b->all_used[0] = sum;
}

static void free_unit(struct bench *b, uint32_t lane) {
  b->in.free_valid = 1;
  b->in.free_vl = lane;
  b->used[lane]--;
  b->spare[lane]--;
}

static void store_frees(struct bench *b) {
  uint32_t from = loom_below(&b->seed, b->cfg.VLS);
  if (b->in.free_valid || !loom_chance(&b->seed, b->free_percent))
    return;
  for (uint32_t i = 0; i < b->cfg.VLS; i++)
    if (b->spare[(from + i) % b->cfg.VLS]) {
      free_unit(b, (from + i) % b->cfg.VLS);
      return;
    }
}

static void cycle(struct bench *b) {
  struct loom_crossing_out shown;
  bool comes = b->word;
  uint64_t data[4];
  memcpy(data, b->word_data, sizeof data);
  sources_act(b);
  store_frees(b);
  bool open = b->s.open;
  loom_crossing_show(&b->s, &b->in, &shown);
  loom_crossing_step(&b->s, &b->in, &b->out);
  assert_memory_equal(&shown, &b->out, sizeof shown);
  assert_int_equal(b->out.announce, b->in.book);
  assert_int_equal(b->out.announce_len, b->in.book ? b->packet[b->packets - 1].flits : 0);
  watch_start(b);
  watch_ahead(b, open);
  watch_queue(b);
  watch_words(b, comes, data);
  watch_room(b);
  watch_total(b);
  b->errors += b->out.error != 0;
  b->ready[1] = b->ready[0];
  b->ready[0] = b->out.target_ready;
  b->in.space = loom_chance(&b->seed, 50); /* without a booking it is no matter */
  b->in.book = b->in.book_source = b->in.book_vl = b->in.book_info = 0;
  b->in.free_valid = b->in.free_vl = 0;
  b->in.need_we = b->in.need_vl = b->in.need_units = 0;
  b->in.cfg_we = b->in.cfg_addr = b->in.cfg_data = 0;
  b->now++;
}

static void cycles(struct bench *b, uint32_t n) {
  while (n--)
    cycle(b);
}

static void open_bench(struct bench *b, struct loom_crossing_cfg cfg) {
  memset(b, 0, sizeof *b);
  b->cfg = cfg;
  assert_null(loom_crossing_bad_param(&cfg));
  assert_true(loom_crossing_cfg_ok(&cfg));
  b->storage = malloc(loom_crossing_storage_size(&cfg) + 1);
  assert_non_null(b->storage);
  memset(b->storage, 0xA5, loom_crossing_storage_size(&cfg)); /* must not show */
  loom_crossing_init(&b->s, &cfg, b->storage);
  b->free_percent = b->space_percent = 100;
  b->number = cfg.PORTS - 1;
  b->in.number = b->number;
  b->booked_at = -1000;
  for (uint32_t i = 0; i < cfg.PORTS; i++)
    b->source[i] = (struct source){.sends = NEVER, .then = NEVER, .starts = true};
  while (!b->out.ready)
    cycle(b);
  cycles(b, 2 * cfg.VLS + 5); /* all lanes are judged */
  assert_int_equal(b->out.room, loom_mask(cfg.VLS));
}

static void close_bench(struct bench *b) {
  assert_int_equal(b->errors, 0);
  free(b->storage);
}

static void until_ready(struct bench *b) {
  for (uint32_t i = 0; !b->ready[1] || b->now - b->booked_at < APART; i++) {
    assert_true(i < PATIENCE);
    cycle(b);
  }
}

static void until_started(struct bench *b, uint32_t packet) {
  for (uint32_t i = 0; b->packet[packet].started == NEVER; i++) {
    assert_true(i < PATIENCE);
    cycle(b);
  }
}

/* Until all that was booked is at the store, and left it. */
static void drain(struct bench *b) {
  for (uint32_t i = 0; b->done < b->packets || b->queued < b->packets || !b->out.idle; i++) {
    assert_true(i < PATIENCE);
    cycle(b);
  }
}

static struct loom_crossing_probe probe(const struct bench *b) {
  struct loom_crossing_probe p;
  loom_crossing_probe(&b->s, &p);
  return p;
}

/* ---- times ----------------------------------------------------------------------------------- */

static void a_packet_alone_starts_the_cycle_after_its_booking_and_its_words_follow(void **state) {
  (void)state;
  for (uint32_t speedup = 1; speedup <= 4; speedup++)
    for (uint32_t delay = 0; delay <= 255; delay = 3 * delay + 1) {
      struct bench b;
      struct loom_crossing_cfg cfg = shape();
      cfg.SPEEDUP = speedup;
      cfg.OUT_DELAY = delay;
      open_bench(&b, cfg);
      uint32_t p =
          book_with(&b, (struct packet){.source = 3, .lane = 1, .flits = 5, .sl = 21, .more = 1});
      cycles(&b, 6);
      assert_int_equal(b.packet[p].started - b.packet[p].booked, 1);
      assert_int_equal(b.words, 0);
      cycle(&b); /* b + 6 */
      assert_int_equal(b.words, 1);
      drain(&b);
      assert_int_equal(b.packet[p].queued - b.packet[p].booked, 1 + delay);
      close_bench(&b);
    }
}

static void records_wait_in_the_delay_while_others_start(void **state) {
  (void)state;
  struct bench b;
  struct loom_crossing_cfg cfg = shape();
  cfg.OUT_DELAY = 40;
  open_bench(&b, cfg);
  for (uint32_t i = 0; i < 20; i++) {
    until_ready(&b);
    book_with(&b,
              (struct packet){.source = i % 4, .lane = i % 5, .flits = 1, .sl = i, .more = i & 1});
    cycle(&b);
  }
  assert_true(b.started > b.queued + 2);
  drain(&b); /* each was queued 40 cycles after its start: watch_queue() */
  close_bench(&b);
}

static void
the_next_packet_starts_end_cycles_less_4_after_its_input_says_that_one_ends(void **state) {
  (void)state;
  for (uint32_t end_cycles = 5; end_cycles <= 31; end_cycles += 5) {
    struct bench b;
    struct loom_crossing_cfg cfg = shape();
    cfg.END_CYCLES = end_cycles;
    open_bench(&b, cfg);
    uint32_t first = book(&b, 0, 0, 8 * UNIT);
    until_started(&b, first);
    until_ready(&b); /* as its input says that it ends */
    int x = b.source[0].end_from;
    assert_int_equal(b.now - 2, x);
    uint32_t second = book(&b, 1, 0, 8 * UNIT);
    drain(&b);
    /* unless the booking is later than that */
    int begin = (int)loom_max((uint32_t)x + end_cycles - 4, (uint32_t)b.packet[second].booked + 1);
    assert_int_equal(b.packet[second].started, begin);
    close_bench(&b);
  }
}

/* The words are as late as an input may send them after it said so: no gap, and no mixture. */
static void words_of_two_inputs_follow_each_other_without_a_gap(void **state) {
  (void)state;
  struct bench b;
  open_bench(&b, shape());
  for (uint32_t i = 0; i < 10; i++) {
    until_ready(&b);
    book(&b, i % 4, i % 5, 8 * UNIT);
    cycle(&b);
  }
  drain(&b);
  for (uint32_t i = 1; i < 10; i++)
    assert_int_equal(b.packet[i].first, b.packet[i - 1].last + 1);
  close_bench(&b);
}

/* ---- bookings and starts --------------------------------------------------------------------- */

static void there_is_one_booking_at_most_that_did_not_start(void **state) {
  (void)state;
  struct bench b;
  open_bench(&b, shape());
  b.source[0].starts = false;
  uint32_t p = book(&b, 0, 0, 4);
  cycle(&b);
  for (uint32_t i = 0; i < 50; i++) {
    cycle(&b);
    assert_int_equal(b.out.target_ready, 0);
    assert_true(probe(&b).booked);
  }
  b.source[0].starts = true;
  cycle(&b);
  assert_int_equal(b.packet[p].started, b.now - 1);
  assert_false(probe(&b).booked);
  drain(&b);
  close_bench(&b);
}

static void a_packet_starts_as_soon_as_its_input_is_ready_for_it_and_no_other_input(void **state) {
  (void)state;
  struct bench b;
  open_bench(&b, shape());
  for (uint32_t i = 0; i < 4; i++)
    b.source[i].starts = i != 1;
  uint32_t p = book(&b, 1, 0, 4);
  cycles(&b, 30);
  assert_int_equal(b.packet[p].started, NEVER);
  for (uint32_t i = 0; i < 4; i++)
    b.source[i].starts = i == 1;
  int x = b.now;
  drain(&b);
  assert_int_equal(b.packet[p].started, x);
  close_bench(&b);
}

static void the_next_one_is_booked_at_once_only_after_a_short_packet(void **state) {
  (void)state;
  for (uint32_t flits = 11; flits <= 14; flits++) {
    struct bench b;
    open_bench(&b, shape());
    b.source[0].silent = true;
    uint32_t p = book(&b, 0, 0, flits);
    until_started(&b, p);
    for (uint32_t i = 0; i < 30; i++) {
      assert_int_equal(b.out.target_ready, flits <= b.cfg.SHORT);
      assert_true(probe(&b).open);
      cycle(&b);
    }
    b.source[0].silent = false;
    cycle(&b);
    assert_int_equal(b.out.target_ready, 1); /* in the cycle in which it says so */
    assert_false(probe(&b).open);
    drain(&b);
    close_bench(&b);
  }
}

static void a_booked_packet_does_not_start_while_one_is_open(void **state) {
  (void)state;
  struct bench b;
  open_bench(&b, shape());
  b.source[0].silent = true;
  uint32_t first = book(&b, 0, 0, 4);
  until_started(&b, first);
  uint32_t second = book(&b, 1, 3, 4);
  cycles(&b, 60);
  assert_int_equal(b.packet[second].started, NEVER);
  b.source[0].silent = false;
  int x = b.now;
  drain(&b);
  assert_int_equal(b.packet[second].started, x + (int)b.cfg.END_CYCLES - 4);
  close_bench(&b);
}

/* Its level may still be that of the packet before. */
static void an_input_does_not_end_a_packet_in_the_cycle_of_its_start(void **state) {
  (void)state;
  struct bench b;
  open_bench(&b, shape());
  uint32_t first = book(&b, 0, 0, 4);
  drain(&b);
  assert_int_equal(b.in.end & 1, 1);
  uint32_t second = book(&b, 0, 0, 8 * UNIT);
  until_started(&b, second);
  assert_int_equal(b.in.end & 1, 1); /* in the cycle of its start */
  assert_true(probe(&b).open);
  assert_int_equal(probe(&b).pause, 0);
  cycle(&b);
  assert_true(probe(&b).open);
  drain(&b);
  assert_true(b.packet[first].started < b.packet[second].started);
  close_bench(&b);
}

static void the_pause_counts_down_from_end_cycles_less_5(void **state) {
  (void)state;
  struct bench b;
  struct loom_crossing_cfg cfg = shape();
  cfg.END_CYCLES = 11;
  open_bench(&b, cfg);
  uint32_t p = book(&b, 0, 0, 4);
  until_started(&b, p);
  assert_true(probe(&b).open);
  cycle(&b); /* it is short, so it ends at once */
  for (uint32_t i = 0; i <= 6; i++, cycle(&b)) {
    assert_false(probe(&b).open);
    assert_int_equal(probe(&b).pause, 6 - i);
  }
  assert_int_equal(probe(&b).pause, 0);
  drain(&b);
  close_bench(&b);
}

static void packets_that_are_sure_start_every_3_cycles_or_one_word_after_the_other(void **state) {
  (void)state;
  for (uint32_t speedup = 1; speedup <= 4; speedup++)
    for (uint32_t flits = 1; flits <= UNIT + 1; flits++)
      for (uint32_t sources = 1; sources <= 4; sources += 3) {
        struct bench b;
        struct loom_crossing_cfg cfg = shape();
        cfg.SPEEDUP = speedup;
        open_bench(&b, cfg);
        b.sure_percent = 100;
        for (uint32_t i = 0; i < 20; i++) {
          until_ready(&b);
          book(&b, i % sources, i % 5, flits);
          cycle(&b);
        }
        drain(&b);
        int every = (int)loom_max(APART, words_of(&b, &b.packet[0]));
        for (uint32_t i = 1; i < 20; i++) {
          assert_int_equal(b.packet[i].sure, flits <= UNIT);
          if (flits <= UNIT)
            assert_int_equal(b.packet[i].started - b.packet[i - 1].started, every);
        }
        close_bench(&b);
      }
}

static void a_packet_that_is_sure_pauses_for_the_words_of_its_input(void **state) {
  (void)state;
  const uint32_t speeds[][2] = {{1, 4}, {4, 1}, {3, 4}, {2, 3}};
  for (uint32_t n = 0; n < 4; n++)
    for (uint32_t from = 0; from < 4; from++)
      for (uint32_t flits = 1; flits <= UNIT; flits++) {
        struct bench b;
        struct loom_crossing_cfg cfg = shape();
        cfg.SPEEDUP = speeds[n][0];
        cfg.FAST_SPEEDUP = speeds[n][1];
        cfg.FAST_FROM = from;
        open_bench(&b, cfg);
        b.sure_percent = 100;
        for (uint32_t source = 0; source < 4; source++) {
          uint32_t speed = from && source >= from ? speeds[n][1] : speeds[n][0];
          until_ready(&b);
          uint32_t p = book(&b, source, source, flits);
          until_started(&b, p);
          assert_true(b.packet[p].sure);
          assert_int_equal(probe(&b).pause, (flits + speed - 1) / speed - 1);
        }
        drain(&b);
        close_bench(&b);
      }
}

/* Its start may be far. */
static void ahead_a_record_goes_with_its_booking_or_when_the_store_admits_it(void **state) {
  (void)state;
  for (uint32_t delay = 0; delay <= 255; delay = 5 * delay + 1)
    for (uint32_t space = 0; space <= 100; space += 100)
      for (uint32_t wait = 0; wait <= 50; wait += 10) {
        struct bench b;
        struct loom_crossing_cfg cfg = shape();
        cfg.AHEAD = 1;
        cfg.OUT_DELAY = delay;
        open_bench(&b, cfg);
        b.space_percent = space;
        b.source[2].starts = wait == 0;
        uint32_t p = book(&b, 2, 3, 7);
        cycles(&b, 1 + wait);
        b.source[2].starts = true;
        drain(&b);
        int start = (int)loom_max(space ? 1 : 2, wait ? 1 + wait : 0);
        assert_int_equal(b.packet[p].started - b.packet[p].booked, start);
        assert_int_equal(b.packet[p].queued - b.packet[p].booked, (int)delay + (space ? 0 : 2));
        close_bench(&b);
      }
}

/* The words of the open packet may be long in coming. */
static void ahead_a_record_waits_while_a_packet_is_open(void **state) {
  (void)state;
  for (uint32_t space = 0; space <= 100; space += 100)
    for (int wait = 0; wait <= 20; wait += 5) {
      struct bench b;
      struct loom_crossing_cfg cfg = shape();
      cfg.AHEAD = 1;
      open_bench(&b, cfg);
      b.space_percent = space;
      b.source[1].silent = true;
      uint32_t first = book(&b, 1, 0, UNIT + 1);
      until_started(&b, first);
      until_ready(&b);
      uint32_t second = book(&b, 2, 1, UNIT);
      cycles(&b, 3 + (uint32_t)wait);
      assert_true(probe(&b).open);
      assert_int_equal(b.packet[second].queued, NEVER);
      b.source[1].silent = false;
      while (probe(&b).open)
        cycle(&b);
      int over = b.now;
      drain(&b);
      assert_int_equal(b.packet[second].queued, over);
      assert_true(b.packet[second].started > over);
      close_bench(&b);
    }
}

/* The page: the store must know a packet to be admitted before it is queued. */
static void without_space_a_packet_starts_a_cycle_later(void **state) {
  (void)state;
  struct bench b;
  open_bench(&b, shape());
  for (uint32_t space = 0; space <= 100; space += 100) {
    b.space_percent = space;
    uint32_t p = book(&b, 0, 0, 4);
    cycle(&b);
    assert_int_equal(probe(&b).wait, !space);
    drain(&b);
    assert_int_equal(b.packet[p].started - b.packet[p].booked, space ? 1 : 2);
  }
  close_bench(&b);
}

/* ---- words ----------------------------------------------------------------------------------- */

static void words_for_other_outputs_and_of_other_inputs_are_not_taken(void **state) {
  (void)state;
  struct bench b;
  open_bench(&b, shape());
  b.stray_percent = 100;
  cycles(&b, 20);
  assert_int_equal(b.words, 0);
  b.late = 30;
  for (uint32_t i = 0; i < 40; i++) {
    until_ready(&b);
    book(&b, loom_below(&b.seed, 4), i % 5, 1 + i);
    cycle(&b);
  }
  drain(&b);
  assert_true(b.words > 200);
  close_bench(&b);
}

/* OP-08. All shapes and paces: who comes, when its words come, when its input says so. */
static void words_of_two_packets_are_never_mixed_whatever_the_pace(void **state) {
  (void)state;
  /* PORTS, VLS, SPEEDUP, SHORT, END_CYCLES, OUT_DELAY, AHEAD, FAST_FROM, FAST_SPEEDUP */
  const uint32_t shapes[][9] = {{4, 5, 1, 12, 8, 0, 0, 0, 1},     {2, 2, 2, 0, 5, 1, 0, 0, 1},
                                {48, 5, 4, 12, 31, 255, 0, 0, 1}, {4, 5, 2, 4095, 9, 7, 0, 0, 1},
                                {7, 3, 4, 30, 7, 2, 0, 0, 1},     {4, 5, 3, 8, 5, 0, 1, 0, 1},
                                {4, 5, 3, 12, 7, 4, 1, 0, 1},     {8, 5, 3, 8, 6, 0, 0, 4, 4},
                                {6, 2, 4, 12, 8, 255, 1, 1, 3},   {4, 5, 2, 12, 13, 1, 1, 2, 1}};
  for (uint32_t n = 0; n < sizeof shapes / sizeof shapes[0]; n++)
    for (uint32_t pace = 0; pace < 8; pace++) {
      struct bench b;
      struct loom_crossing_cfg cfg = shape();
      cfg.PORTS = shapes[n][0];
      cfg.VLS = shapes[n][1];
      cfg.SPEEDUP = shapes[n][2];
      cfg.SHORT = shapes[n][3];
      cfg.END_CYCLES = shapes[n][4];
      cfg.OUT_DELAY = shapes[n][5];
      cfg.AHEAD = shapes[n][6];
      cfg.FAST_FROM = shapes[n][7];
      cfg.FAST_SPEEDUP = shapes[n][8];
      open_bench(&b, cfg);
      b.seed = 100 * n + pace;
      b.late = pace & 1 ? 20 : 0;
      b.gap_percent = pace & 2 ? 50 : 0;
      b.stray_percent = pace & 4 ? 30 : 0;
      b.free_percent = pace & 1 ? 100 : 15;
      b.sure_percent = pace & 2 ? 70 : 100;
      b.space_percent = pace & 4 ? 100 : 50;
      for (uint32_t i = 0; i < 400; i++) {
        uint32_t lane = loom_below(&b.seed, cfg.VLS), wait = loom_below(&b.seed, 4) ? 0 : 40;
        do
          until_ready(&b), cycle(&b);
        while (!(b.out.room >> lane & 1) || !b.ready[1] || b.now - b.booked_at < APART);
        book(&b, loom_below(&b.seed, cfg.PORTS), lane,
             1 + loom_below(&b.seed, loom_chance(&b.seed, 50) ? 4 : 8 * UNIT));
        cycles(&b, 1 + loom_below(&b.seed, wait + 1));
      }
      drain(&b);
      assert_int_equal(b.done, 400);
      close_bench(&b);
    }
}

/* ---- room ------------------------------------------------------------------------------------ */

static void book_units(struct bench *b, uint32_t lane, uint32_t n) {
  until_ready(b);
  assert_int_equal(b->out.room >> lane & 1, 1);
  book(b, 0, lane, n * UNIT);
  cycle(b);
  drain(b);
}

/* OP-06: 64 units, 8 of them for each of 5 lanes, so 24 for all. */
static void room_is_counted_from_the_booking_until_the_units_are_free(void **state) {
  (void)state;
  struct bench b;
  open_bench(&b, shape());
  b.free_percent = 0;
  for (uint32_t i = 0; i < 4; i++) { /* the reserve of lane 1 and the pool */
    until_ready(&b);
    assert_int_equal(b.out.room, 0x1F);
    book(&b, 0, 1, 8 * UNIT - i); /* the last one of a unit that is not full */
    cycle(&b);
    cycles(&b, 20);
  }
  cycles(&b, 200);
  assert_int_equal(b.out.room, 0x1D);
  assert_int_equal(b.out.idle, 0);
  for (uint32_t i = 0; i < 7; i++) {
    free_unit(&b, 1);
    cycles(&b, 20);
  }
  assert_int_equal(b.out.room, 0x1D);
  free_unit(&b, 1);
  cycles(&b, 20);
  assert_int_equal(b.out.room, 0x1F);
  b.free_percent = 100;
  drain(&b);
  close_bench(&b);
}

static void the_used_units_of_a_lane_are_told(void **state) {
  (void)state;
  struct bench b;
  open_bench(&b, shape());
  b.free_percent = 0;
  book(&b, 0, 3, 3 * UNIT + 1);
  uint32_t told = 0;
  for (uint32_t i = 0; i < 30; i++) {
    cycle(&b);
    if (!b.out.used_valid) {
      assert_int_equal(b.out.used_vl | b.out.used, 0);
      continue;
    }
    assert_int_equal(b.out.used_vl, 3);
    assert_int_equal(b.out.used, 4);
    told++;
  }
  assert_true(told > 0);
  b.free_percent = 100;
  drain(&b);
  close_bench(&b);
}

/* The switch compares it with its thresholds. */
static void the_units_of_all_lanes_are_told(void **state) {
  (void)state;
  struct bench b;
  open_bench(&b, shape());
  b.free_percent = 0;
  uint32_t all = 0;
  for (uint32_t lane = 0; lane < 5; lane++) {
    until_ready(&b);
    book(&b, lane % 3, lane, lane * UNIT + 1);
    all += lane + 1;
    cycles(&b, 3);
    assert_int_equal(b.out.total, all - lane - 1);
    cycle(&b);
    assert_int_equal(b.out.total, all);
    cycles(&b, 60);
  }
  for (uint32_t lane = 0; lane < 5; lane++) {
    free_unit(&b, lane);
    cycles(&b, 4);
    assert_int_equal(b.out.total, --all);
  }
  b.free_percent = 100;
  drain(&b);
  cycle(&b);
  assert_int_equal(b.out.total, 0);
  close_bench(&b);
}

static void a_lane_has_room_for_packets_of_the_need_that_was_written_for_it(void **state) {
  (void)state;
  struct bench b;
  struct loom_crossing_cfg cfg = shape();
  cfg.RESERVED = 0;
  open_bench(&b, cfg);
  b.in.need_we = 1;
  b.in.need_vl = 2;
  b.in.need_units = 3;
  cycles(&b, 20);
  b.free_percent = 0;
  for (uint32_t i = 0; i < 7; i++) {
    until_ready(&b);
    book(&b, 0, 0, 8 * UNIT);
    cycles(&b, 60);
  }
  for (uint32_t left = 8; left >= 3; left--) { /* units of the store */
    assert_int_equal(b.out.room, left == 8 ? 0x1F : 0x04);
    until_ready(&b);
    book(&b, 0, 2, UNIT);
    cycles(&b, 60);
  }
  assert_int_equal(b.out.room, 0);
  b.free_percent = 100;
  drain(&b);
  close_bench(&b);
}

static void a_limit_of_the_room_is_kept_from_when_it_is_written(void **state) {
  (void)state;
  struct bench b;
  open_bench(&b, shape());
  assert_int_equal(b.out.idle, 1);
  b.in.cfg_we = 1;
  b.in.cfg_addr = LOOM_TRACKER_REG_CAP + 4;
  b.in.cfg_data = 10;
  cycles(&b, 20);
  b.free_percent = 0;
  book(&b, 0, 4, 3 * UNIT);
  cycles(&b, 60);
  assert_int_equal(b.out.room, 0x0F);
  b.free_percent = 100;
  drain(&b);
  book_units(&b, 4, 8);
  b.in.cfg_we = 1; /* not legal: 5 lanes of 8 units, and 30 in all */
  b.in.cfg_addr = LOOM_TRACKER_REG_TOTAL;
  b.in.cfg_data = 30;
  cycles(&b, 20);
  assert_int_equal(b.out.config_ok, 0);
  assert_int_equal(b.out.room, 0);
  assert_int_equal(b.errors, 0);
  close_bench(&b);
}

static void a_limit_that_is_written_while_a_packet_is_counted_is_an_error(void **state) {
  (void)state;
  struct bench b;
  open_bench(&b, shape());
  b.free_percent = 0;
  book(&b, 0, 4, 3 * UNIT);
  cycles(&b, 60);
  b.in.cfg_we = 1;
  b.in.cfg_addr = LOOM_TRACKER_REG_TOTAL;
  b.in.cfg_data = 100;
  cycles(&b, 20);
  assert_int_equal(b.errors, 1);
  assert_int_equal(b.out.error, 0);
  b.errors = 0;
  close_bench(&b);
}

/* What was not stepped for long goes on as if it had been. */
static void a_long_rest_changes_nothing(void **state) {
  (void)state;
  for (uint32_t rest = 0; rest < 120; rest += 7) {
    struct bench b;
    struct loom_crossing_cfg cfg = shape();
    cfg.OUT_DELAY = 5;
    open_bench(&b, cfg);
    b.free_percent = 0;
    for (uint32_t i = 0; i < 6; i++) { /* units stay in use meanwhile */
      until_ready(&b);
      cycles(&b, rest);
      uint32_t room = (uint32_t)b.out.room;
      uint32_t p = book(&b, i % 4, i % 5, 4 * UNIT);
      cycles(&b, 40);
      assert_int_equal(b.packet[p].started - b.packet[p].booked, 1);
      assert_int_equal(room, 0x1F);
    }
    b.free_percent = 100;
    drain(&b);
    close_bench(&b);
  }
}

static void the_crossing_is_ready_when_the_tracker_is_swept(void **state) {
  (void)state;
  for (uint32_t vls = 2; vls <= 32; vls += 15) {
    struct bench b;
    struct loom_crossing_cfg cfg = shape();
    cfg.VLS = vls;
    cfg.RESERVED = 1;
    open_bench(&b, cfg);
    assert_int_equal(b.now, (int)(vls + 1 + 2 * vls + 5));
    close_bench(&b);
  }
}

static void parameters_are_legal_only_together(void **state) {
  (void)state;
  struct loom_crossing_cfg cfg = shape();
  assert_true(loom_crossing_cfg_ok(&cfg));
  cfg.SPEEDUP = 3;
  assert_true(loom_crossing_cfg_ok(&cfg));
  cfg.FAST_SPEEDUP = 0;
  assert_false(loom_crossing_cfg_ok(&cfg));
  cfg = shape();
  cfg.RESERVED = cfg.CELLS / cfg.VLS + 1;
  assert_false(loom_crossing_cfg_ok(&cfg));
  cfg = shape();
  cfg.MTU_UNITS = cfg.CELLS + 1;
  assert_false(loom_crossing_cfg_ok(&cfg));
  cfg = shape();
  cfg.END_CYCLES = 4;
  assert_false(loom_crossing_cfg_ok(&cfg));
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_packet_alone_starts_the_cycle_after_its_booking_and_its_words_follow),
      cmocka_unit_test(records_wait_in_the_delay_while_others_start),
      cmocka_unit_test(the_next_packet_starts_end_cycles_less_4_after_its_input_says_that_one_ends),
      cmocka_unit_test(words_of_two_inputs_follow_each_other_without_a_gap),
      cmocka_unit_test(there_is_one_booking_at_most_that_did_not_start),
      cmocka_unit_test(a_packet_starts_as_soon_as_its_input_is_ready_for_it_and_no_other_input),
      cmocka_unit_test(the_next_one_is_booked_at_once_only_after_a_short_packet),
      cmocka_unit_test(a_booked_packet_does_not_start_while_one_is_open),
      cmocka_unit_test(an_input_does_not_end_a_packet_in_the_cycle_of_its_start),
      cmocka_unit_test(the_pause_counts_down_from_end_cycles_less_5),
      cmocka_unit_test(packets_that_are_sure_start_every_3_cycles_or_one_word_after_the_other),
      cmocka_unit_test(a_packet_that_is_sure_pauses_for_the_words_of_its_input),
      cmocka_unit_test(ahead_a_record_goes_with_its_booking_or_when_the_store_admits_it),
      cmocka_unit_test(ahead_a_record_waits_while_a_packet_is_open),
      cmocka_unit_test(without_space_a_packet_starts_a_cycle_later),
      cmocka_unit_test(words_for_other_outputs_and_of_other_inputs_are_not_taken),
      cmocka_unit_test(words_of_two_packets_are_never_mixed_whatever_the_pace),
      cmocka_unit_test(room_is_counted_from_the_booking_until_the_units_are_free),
      cmocka_unit_test(the_used_units_of_a_lane_are_told),
      cmocka_unit_test(the_units_of_all_lanes_are_told),
      cmocka_unit_test(a_lane_has_room_for_packets_of_the_need_that_was_written_for_it),
      cmocka_unit_test(a_limit_of_the_room_is_kept_from_when_it_is_written),
      cmocka_unit_test(a_limit_that_is_written_while_a_packet_is_counted_is_an_error),
      cmocka_unit_test(a_long_rest_changes_nothing),
      cmocka_unit_test(the_crossing_is_ready_when_the_tracker_is_swept),
      cmocka_unit_test(parameters_are_legal_only_together),
  };
  return UNIT_RUN("crossing", tests, NULL, NULL);
}
