/* SPDX-License-Identifier: Apache-2.0 */
/* test_input_unit.c - the twin of input_unit against what docs/input_unit.md says, without a
 * circuit
 *
 * The bench sends packets on the link and plays the forwarding table, the allocation and the
 * crossings. It finds each head to be told as it came, and each word to be the next one of the
 * packets in the order of their starts.
 */
#include "tb/unit/unit.h"

#include <loom/bits.h>
#include <loom/head.h>
#include <loom/random.h>
#include <stdlib.h>
#include <string.h>

#include "switch/input_unit.h"

#define LOOM_NAMES "switch/input_unit.fields"
#include <loom/names.h>

enum { UNIT = LOOM_UNIT_FLITS, PACKETS = 2048, NEVER = -1, PATIENCE = 20000, LINK_MGMT = 15 };
enum { UNKNOWN = 0x8000, NO_SUCH_VL = 15 };   /* LIDs from here on; entry of the map */
enum { BAD = 1, FULL, NO_PORT, NO_VL, MTU };  /* causes */
enum { BY_MAP = 1, BY_SL2SC = 2, MODES = 4 }; /* map modes */

/* ---- the bench ------------------------------------------------------------------------------- */

struct packet {
  uint32_t vl, flits, dest, sl;
  bool more, sure;                               /* sure: what the unit said at its start */
  uint32_t target;                               /* as the unit numbers it */
  uint32_t cause;                                /* why it is refused or dropped; 0: it is not */
  int sent, event, booked, started, first, last; /* cycles; NEVER */
};

struct bench {
  struct loom_input_unit s;
  struct loom_input_unit_cfg cfg;
  struct loom_input_unit_in in;   /* of the next cycle */
  struct loom_input_unit_out out; /* of the last cycle */
  int now;                        /* the next cycle */
  void *storage;
  uint64_t seed;
  uint8_t map[48 * 32];
  uint16_t mtu[LOOM_VLS];
  uint8_t sc2vl[LOOM_SCS], sc2sl[LOOM_SCS], sl2sc[LOOM_SCS]; /* with RULE = 1, as is what follows */
  uint32_t mport;
  bool turns_choice; /* how a central unit is chosen changes all the time */

  struct packet packet[PACKETS];
  uint32_t packets, fed, place; /* the packet that is sent, and its next flit */
  uint32_t gap_percent;         /* of the cycles in which the link is silent */
  bool overrun;                 /* the sender does not look at its credits */
  uint32_t used;                /* units that it has sent and not got back */
  uint64_t last_data;           /* of the flit of the last cycle */

  int told[8]; /* by cycle modulo 8: the packet whose head is judged then */

  /* Allocation and crossings. */
  bool books, starts;
  uint32_t start_percent;
  int head[LOOM_VLS]; /* in view */
  int booking;        /* the packet */
  int booked_at;
  uint32_t order[PACKETS], started, done, word_place;
};

static struct loom_input_unit_cfg shape(void) {
  struct loom_input_unit_cfg cfg;
  loom_input_unit_defaults(&cfg);
  cfg.PORTS = 4;
  cfg.VLS = 5;
  cfg.CELLS = 64;
  cfg.MTU_UNITS = 8;
  return cfg;
}

static uint32_t units(uint32_t flits) { return (flits + UNIT - 1) / UNIT; }

/* Of a word. */
static uint32_t lanes_of(const struct bench *b) { return b->cfg.SPEEDUP == 3 ? 4 : b->cfg.SPEEDUP; }

static uint32_t mgmt_of(const struct bench *b) { return loom_min(LINK_MGMT, b->cfg.VLS - 1); }

static bool has_lane(const struct bench *b, uint32_t vl) {
  return vl == LINK_MGMT || vl < b->cfg.VLS - 1 || (b->cfg.VLS > 16 && vl < b->cfg.VLS);
}

static uint32_t lane_of(const struct bench *b, uint32_t vl) {
  return vl == LINK_MGMT ? mgmt_of(b) : vl;
}

static uint32_t port_of(const struct bench *b, const struct packet *p) {
  return p->dest % b->cfg.PORTS;
}

/* The SC with which a packet goes on, by docs/opa.md. */
static uint32_t sc_out(const struct bench *b, const struct packet *p) {
  if (!b->cfg.RULE || p->sl == LINK_MGMT)
    return p->sl;
  if (b->in.map_mode == BY_MAP)
    return b->map[port_of(b, p) * 32 + p->sl];
  return b->in.map_mode == BY_SL2SC ? b->sl2sc[b->sc2sl[p->sl]] : p->sl;
}

static uint32_t sl_out(const struct bench *b, const struct packet *p) {
  return b->cfg.RULE ? b->sc2sl[sc_out(b, p)] : p->sl;
}

/* `sc`: that of the head. */
static uint64_t flit_with(const struct bench *b, uint32_t packet, uint32_t place, uint32_t sc) {
  const struct packet *p = &b->packet[packet];
  if (place)
    return loom_scramble((uint64_t)packet << 16 | place) | 1;
  return LOOM_PUT64(LOOM_HEAD_SC, sc) | LOOM_PUT64(LOOM_HEAD_LEN, p->flits) |
         LOOM_PUT64(LOOM_HEAD_DEST, p->dest) | LOOM_PUT64(LOOM_HEAD_MORE, p->more) |
         LOOM_PUT64(LOOM_HEAD_ID, packet);
}

static uint64_t flit(const struct bench *b, uint32_t packet, uint32_t place) {
  return flit_with(b, packet, place, b->packet[packet].sl);
}

/* What is sent of it. */
static uint64_t flit_out(const struct bench *b, uint32_t packet, uint32_t place) {
  return flit_with(b, packet, place, sc_out(b, &b->packet[packet]));
}

static uint32_t list(struct bench *b, struct packet p) {
  assert_in_range(b->packets, 0, PACKETS - 1);
  p.sent = p.event = p.booked = p.started = p.first = p.last = NEVER;
  b->packet[b->packets] = p;
  return b->packets++;
}

static uint32_t put(struct bench *b, uint32_t vl, uint32_t flits, uint32_t dest) {
  return list(b, (struct packet){.vl = vl, .flits = flits, .dest = dest, .sl = vl});
}

/* The lane at the output by the rule of Omni-Path, or LOOM_VLS. */
static uint32_t lane_by_sc(const struct bench *b, const struct packet *p) {
  uint32_t sc = sc_out(b, p), v = b->sc2vl[sc];
  if (p->sl == LINK_MGMT)
    return mgmt_of(b);
  return sc != LINK_MGMT && v != NO_SUCH_VL && has_lane(b, v) ? lane_of(b, v) : LOOM_VLS;
}

/* The lane at the output by the map, or LOOM_VLS. */
static uint32_t lane_out(const struct bench *b, const struct packet *p) {
  if (b->cfg.RULE)
    return lane_by_sc(b, p);
  uint32_t lane = lane_of(b, p->vl), v = b->map[port_of(b, p) * 32 + p->sl];
  if (lane == mgmt_of(b) || !b->in.map_on)
    return lane;
  return v != NO_SUCH_VL && has_lane(b, v) ? lane_of(b, v) : LOOM_VLS;
}

/* The target, for a head that is in stage 3 in this cycle. */
static uint32_t target_of(const struct bench *b, const struct packet *p) {
  uint32_t out = port_of(b, p);
  if (!b->cfg.RULE)
    return out;
  if (out / 4 == b->mport)
    return out % 4;
  bool of_out = !b->in.adaptive || b->in.central_equal;
  return 4 + (of_out ? out % 2 : (uint32_t)b->in.central_less);
}

static uint32_t cause_of(const struct bench *b, const struct packet *p) {
  if (!has_lane(b, p->vl) || !p->flits)
    return BAD;
  if (b->used + units(p->flits) > b->cfg.CELLS)
    return FULL;
  if (p->dest >= UNKNOWN)
    return NO_PORT;
  uint32_t lane = lane_out(b, p);
  if (lane == LOOM_VLS)
    return NO_VL;
  return units(p->flits) > b->mtu[lane] ? MTU : 0;
}

/* The next flit of the link, if there is one and credits for it. */
static void feed(struct bench *b) {
  if (b->in.in_valid || b->fed == b->packets || loom_chance(&b->seed, b->gap_percent))
    return;
  struct packet *p = &b->packet[b->fed];
  uint32_t flits = loom_max(p->flits, 1);
  if (!b->place && !b->overrun && b->used + units(p->flits) > b->cfg.CELLS)
    return;
  if (!b->place) {
    p->sent = b->now;
    p->cause = cause_of(b, p);
    b->told[(b->now + 4) % 8] = (int)b->fed;
    b->used += p->cause == BAD || p->cause == FULL ? 0 : units(p->flits);
  }
  b->in.in_valid = 1;
  b->in.in_head = !b->place;
  b->in.in_tail = b->place + 1 == flits;
  b->in.in_vl = b->place ? loom_below(&b->seed, 32) : p->vl; /* it counts at the head only */
  b->in.in_data = flit(b, b->fed, b->place++);
  if (!b->in.in_tail)
    return;
  b->place = 0;
  b->fed++;
}

/* What the table says of the flit of the last cycle. */
static void look_up(struct bench *b) {
  uint32_t dest = (uint32_t)LOOM_GET64(LOOM_HEAD_DEST, b->last_data);
  b->in.found_known = dest < UNKNOWN;
  b->in.found_port = dest < UNKNOWN ? dest % b->cfg.PORTS : 0;
  b->last_data = b->in.in_valid ? b->in.in_data : ~0ull;
}

/* How a central unit is chosen in this cycle. */
static void choose(struct bench *b) {
  if (b->turns_choice) {
    uint64_t random = loom_random(&b->seed);
    b->in.adaptive = random & 1;
    b->in.central_less = random >> 1 & 1;
    b->in.central_equal = random >> 2 & 1;
  }
  int judged = b->told[(b->now + 1) % 8]; /* its verdict shows in the next cycle */
  if (judged != NEVER)
    b->packet[judged].target = target_of(b, &b->packet[judged]);
}

/* What is booked starts in the first cycle in which its output and the unit say that it may. */
static void allocate(struct bench *b, const struct loom_input_unit_out *shown) {
  b->in.free = loom_random(&b->seed) & loom_mask(b->cfg.PORTS); /* of others, no matter */
  if (b->booking != NEVER && b->packet[b->booking].booked < b->now) {
    struct packet *p = &b->packet[b->booking];
    bool may = b->starts && loom_chance(&b->seed, b->start_percent);
    b->in.free &= ~(1ull << p->target);
    b->in.free |= (uint64_t)may << p->target;
    if (may && shown->start_ok) {
      p->started = b->now;
      p->sure = shown->sure;
      b->order[b->started++] = (uint32_t)b->booking;
      b->booking = NEVER;
    }
  }
  uint32_t from = loom_below(&b->seed, b->cfg.VLS);
  for (uint32_t i = 0; i < b->cfg.VLS; i++) {
    uint32_t lane = (from + i) % b->cfg.VLS;
    if (!b->books || !b->out.source_ready || b->now - b->booked_at < 3 || b->head[lane] == NEVER)
      continue;
    b->booking = b->head[lane];
    b->packet[b->booking].booked = b->booked_at = b->now;
    b->head[lane] = NEVER;
    b->in.book = 1;
    b->in.book_lane = lane;
    b->in.book_target = b->packet[b->booking].target;
    return;
  }
}

static void watch_head(struct bench *b) {
  const struct loom_input_unit_out *o = &b->out;
  if (!o->head_event) {
    assert_true(!(o->head_lane | o->head_target | o->head_vl | o->head_info | o->head_out));
    return;
  }
  uint32_t i = 0; /* the first one of its lane that was not seen */
  while (i < b->packets &&
         (b->packet[i].sent == NEVER || b->packet[i].cause ||
          lane_of(b, b->packet[i].vl) != o->head_lane || b->packet[i].event != NEVER))
    i++;
  assert_true(i < b->packets);
  struct packet *p = &b->packet[i];
  p->event = b->now;
  assert_int_equal(b->head[o->head_lane], NEVER);
  b->head[o->head_lane] = (int)i;
  assert_int_equal(o->head_target, p->target);
  assert_int_equal(o->head_out, port_of(b, p));
  assert_int_equal(o->head_vl, lane_out(b, p));
  assert_int_equal(o->head_info, LOOM_PUT(LOOM_HEAD_INFO_MORE, p->more) |
                                     LOOM_PUT(LOOM_HEAD_INFO_SL, sl_out(b, p)) |
                                     LOOM_PUT(LOOM_HEAD_INFO_UNITS, (p->flits + 7u) / 8) |
                                     LOOM_PUT(LOOM_HEAD_INFO_LEN, p->flits));
}

static void watch_verdict(struct bench *b) {
  const struct loom_input_unit_out *o = &b->out;
  int *told = &b->told[b->now % 8];
  if (*told == NEVER) {
    assert_true(!(o->accept | o->accept_vl | o->accept_len));
    assert_true(!(o->trap | o->trap_cause | o->trap_vl | o->trap_dest));
    return;
  }
  const struct packet *p = &b->packet[*told];
  bool accepted = p->cause != BAD && p->cause != FULL;
  assert_int_equal(o->accept, accepted);
  assert_int_equal(o->accept_vl, accepted ? lane_of(b, p->vl) : 0);
  assert_int_equal(o->accept_len, accepted ? p->flits : 0);
  assert_int_equal(o->trap, p->cause != 0);
  assert_int_equal(o->trap_cause, p->cause);
  assert_int_equal(o->trap_vl, p->cause ? lane_of(b, p->vl) : 0);
  assert_int_equal(o->trap_dest, p->cause ? p->dest : 0);
  *told = NEVER;
}

static void watch_words(struct bench *b) {
  const struct loom_input_unit_out *o = &b->out;
  if (!o->word_valid) {
    assert_true(!(o->word_target | o->word_last | o->word_flits));
    for (uint32_t k = 0; k < 4; k++)
      assert_true(o->word_data[k] == 0);
    return;
  }
  assert_true(b->done < b->started);
  uint32_t i = b->order[b->done];
  struct packet *p = &b->packet[i];
  if (!b->word_place)
    p->first = b->now;
  assert_int_equal(o->word_target, p->target);
  for (uint32_t k = 0; k < o->word_flits; k++, b->word_place++)
    assert_true(o->word_data[b->word_place % lanes_of(b)] == flit_out(b, i, b->word_place));
  assert_int_equal(o->word_last, b->word_place == p->flits);
  if (!o->word_last)
    return;
  p->last = b->now;
  int words = (int)((p->flits + b->cfg.SPEEDUP - 1) / b->cfg.SPEEDUP);
  if (p->sure) {
    assert_true(p->flits <= UNIT);
    assert_int_equal(p->first, p->started + 4);
    assert_int_equal(p->last, p->started + 3 + words);
  }
  b->word_place = 0;
  b->done++;
}

static void watch_credits(struct bench *b) {
  if (!b->out.in_cr_valid) {
    assert_int_equal(b->out.in_cr_vl, 0);
    return;
  }
  assert_true(has_lane(b, (uint32_t)b->out.in_cr_vl));
  assert_true(b->used > 0);
  b->used--;
}

static void cycle(struct bench *b) {
  struct loom_input_unit_out shown;
  loom_input_unit_show(&b->s, &b->in, &shown);
  feed(b);
  look_up(b);
  choose(b);
  allocate(b, &shown);
  loom_input_unit_show(&b->s, &b->in, &shown);
  loom_input_unit_step(&b->s, &b->in, &b->out);
  assert_memory_equal(&shown, &b->out, sizeof shown);
  watch_verdict(b);
  watch_head(b);
  watch_words(b);
  watch_credits(b);
  assert_int_equal(b->out.link_error, 0);
  b->in = (struct loom_input_unit_in){
      .map_on = b->in.map_on, .mport = b->mport, .map_mode = b->in.map_mode};
  b->now++;
}

static void cycles(struct bench *b, uint32_t n) {
  while (n--)
    cycle(b);
}

static void open_bench(struct bench *b, struct loom_input_unit_cfg cfg) {
  memset(b, 0, sizeof *b);
  b->cfg = cfg;
  assert_null(loom_input_unit_bad_param(&cfg));
  assert_true(loom_input_unit_cfg_ok(&cfg));
  b->storage = malloc(loom_input_unit_storage_size(&cfg));
  assert_non_null(b->storage);
  memset(b->storage, 0xA5, loom_input_unit_storage_size(&cfg)); /* must not show */
  loom_input_unit_init(&b->s, &cfg, b->storage);
  b->books = b->starts = true;
  b->start_percent = 100;
  b->booking = NEVER;
  b->booked_at = -100;
  b->last_data = ~0ull;
  for (uint32_t i = 0; i < LOOM_VLS; i++) {
    b->head[i] = NEVER;
    b->mtu[i] = (uint16_t)cfg.MTU_UNITS;
  }
  for (uint32_t i = 0; i < 8; i++)
    b->told[i] = NEVER;
  while (!b->out.ready)
    cycle(b);
}

static void close_bench(struct bench *b) { free(b->storage); }

/* Until all is sent, and all credits are back. */
static void drain(struct bench *b) {
  for (uint32_t i = 0; b->fed < b->packets || b->used || b->done < b->started || b->out.total;
       i++) {
    assert_true(i < PATIENCE);
    cycle(b);
  }
  cycles(b, 20);
  for (uint32_t i = 0; i < b->packets; i++) {
    assert_int_equal(b->packet[i].last == NEVER, b->packet[i].cause != 0);
    assert_int_equal(b->packet[i].event == NEVER, b->packet[i].cause != 0);
  }
}

static struct loom_input_unit_probe probe(const struct bench *b) {
  struct loom_input_unit_probe p;
  loom_input_unit_probe(&b->s, &p);
  return p;
}

static void write_map(struct bench *b, uint32_t port, uint32_t sl, uint32_t vl) {
  b->map[port * 32 + sl] = (uint8_t)vl;
  b->in.map_we = 1;
  b->in.map_addr = port * 32 + sl;
  b->in.map_data = vl;
  cycle(b);
}

static void write_mtu(struct bench *b, uint32_t lane, uint32_t n) {
  b->mtu[lane] = (uint16_t)n;
  b->in.mtu_we = 1;
  b->in.mtu_vl = lane;
  b->in.mtu_units = n;
  cycle(b);
}

/* ---- times ----------------------------------------------------------------------------------- */

static void a_packet_alone_takes_the_times_of_the_page(void **state) {
  (void)state;
  for (uint32_t speedup = 1; speedup <= 4; speedup++)
    for (uint32_t delay = 0; delay <= 255; delay = 3 * delay + 1)
      for (uint32_t flits = 1; flits <= 30; flits += 4) {
        struct bench b;
        struct loom_input_unit_cfg cfg = shape();
        cfg.SPEEDUP = speedup;
        cfg.IN_DELAY = delay;
        open_bench(&b, cfg);
        uint32_t p = put(&b, 1, flits, 3);
        b.books = false;
        cycles(&b, 9 + delay); /* a pipelined_alloc books 5 cycles after the event */
        b.books = true;
        drain(&b);
        const struct packet *q = &b.packet[p];
        assert_int_equal(q->event - q->sent, 4 + delay);
        assert_int_equal(q->booked - q->sent, 9 + delay);
        assert_int_equal(q->started - q->booked, 1);
        assert_int_equal(q->sure, flits <= UNIT);
        assert_int_equal(q->first - q->started, 4);
        close_bench(&b);
      }
}

/* L(len) of the page. */
static uint32_t crossing_time(uint32_t flits, uint32_t speedup) {
  const uint32_t unit[] = {0, 8, 4, 3, 2}; /* words of a unit */
  return flits / UNIT * unit[speedup] + (flits % UNIT + speedup - 1) / speedup;
}

static void a_record_waits_for_as_many_flits_as_the_page_says(void **state) {
  (void)state;
  const uint32_t stalls[] = {0, 1, 5, 20, 4095};
  uint32_t waited = 0;
  for (uint32_t speedup = 1; speedup <= 4; speedup++)
    for (uint32_t s = 0; s < 5; s++)
      for (uint32_t delay = 0; delay <= 6; delay += 3)
        for (uint32_t flits = 1; flits <= 64; flits += 3) {
          struct bench b;
          struct loom_input_unit_cfg cfg = shape();
          cfg.SPEEDUP = speedup;
          cfg.IN_DELAY = delay;
          cfg.STALL_CYCLES = stalls[s];
          open_bench(&b, cfg);
          uint32_t p = put(&b, 1, flits, 3);
          drain(&b);
          int w = (int)flits - (int)(crossing_time(flits, speedup) + delay + 7 + stalls[s]);
          w = w < 0 ? 0 : w;
          waited += w > 0;
          assert_int_equal(b.packet[p].event - b.packet[p].sent, 4 + (int)delay + w);
          close_bench(&b);
        }
  assert_true(waited > 10);
}

/* OP-04. It is whole, so the words are as wide as can be. */
static void a_packet_has_as_many_words_as_the_page_says(void **state) {
  (void)state;
  for (uint32_t speedup = 1; speedup <= 4; speedup++)
    for (uint32_t flits = 1; flits <= 64; flits++) {
      struct bench b;
      struct loom_input_unit_cfg cfg = shape();
      cfg.SPEEDUP = speedup;
      open_bench(&b, cfg);
      b.books = false;
      uint32_t p = put(&b, 1, flits, 3);
      cycles(&b, flits + 20);
      b.books = true;
      drain(&b);
      assert_int_equal(b.packet[p].last - b.packet[p].first + 1, crossing_time(flits, speedup));
      close_bench(&b);
    }
}

static void only_flits_that_came_count_for_a_record_that_waits(void **state) {
  (void)state;
  struct bench b;
  struct loom_input_unit_cfg cfg = shape();
  cfg.STALL_CYCLES = 0;
  open_bench(&b, cfg);
  uint32_t p = put(&b, 1, 64, 3); /* W = 25 */
  cycles(&b, 25);                 /* the flits 0..24 */
  b.gap_percent = 100;
  cycles(&b, 100);
  assert_int_equal(b.packet[p].event, NEVER);
  b.gap_percent = 0;
  int x = b.now;
  drain(&b);
  assert_int_equal(b.packet[p].event, x + 4);
  close_bench(&b);
}

static void the_unit_is_ready_when_its_lanes_are_swept(void **state) {
  (void)state;
  for (uint32_t vls = 2; vls <= 32; vls += 15) {
    struct bench b;
    struct loom_input_unit_cfg cfg = shape();
    cfg.VLS = vls;
    open_bench(&b, cfg);
    assert_int_equal(b.now - 1, vls);
    close_bench(&b);
  }
}

/* ---- arrival --------------------------------------------------------------------------------- */

/* watch_verdict() finds cause, lane and destination of each, four cycles after its head. */
static void a_head_without_lane_or_length_is_refused_for_cause_1(void **state) {
  (void)state;
  for (uint32_t vls = 2; vls <= 32; vls++) {
    struct bench b;
    struct loom_input_unit_cfg cfg = shape();
    cfg.VLS = vls;
    open_bench(&b, cfg);
    for (uint32_t vl = 0; vl < 32; vl++) {
      uint32_t p = put(&b, vl, 3, vl);
      uint32_t q = put(&b, vl, 0, vl);
      drain(&b);
      assert_int_equal(b.packet[p].cause, has_lane(&b, vl) ? 0 : BAD);
      assert_int_equal(b.packet[q].cause, BAD);
    }
    close_bench(&b);
  }
}

static void what_does_not_fit_into_the_store_is_refused_for_cause_2(void **state) {
  (void)state;
  struct bench b;
  open_bench(&b, shape());
  b.books = false;
  b.overrun = true;
  for (uint32_t i = 0; i < 7; i++)
    put(&b, i % 5 == 4 ? LINK_MGMT : i % 5, 64, i);
  uint32_t seven = put(&b, 2, 7 * UNIT, 1), two = put(&b, 3, UNIT + 1, 1), one = put(&b, 3, 5, 1);
  while (b.fed < b.packets)
    cycle(&b);
  cycles(&b, 10);
  assert_int_equal(b.packet[seven].cause, 0);
  assert_int_equal(b.packet[two].cause, FULL);
  assert_int_equal(b.packet[one].cause, 0);
  assert_int_equal(b.out.total, 64);
  uint32_t none = put(&b, 0, 1, 1);
  cycles(&b, 10);
  assert_int_equal(b.packet[none].cause, FULL);
  b.books = true;
  drain(&b);
  close_bench(&b);
}

static void a_packet_without_output_is_dropped_for_cause_3(void **state) {
  (void)state;
  struct bench b;
  open_bench(&b, shape());
  uint32_t first = put(&b, 0, 20, UNKNOWN), second = put(&b, 0, 20, 2);
  drain(&b);
  assert_int_equal(b.packet[first].cause, NO_PORT);
  assert_int_equal(b.packet[second].cause, 0);
  close_bench(&b);
}

/* IB-02: watch_head() finds the lane at the output. */
static void the_map_says_the_lane_at_the_output_while_it_is_on(void **state) {
  (void)state;
  const uint32_t vls[] = {2, 5, 16, 17, 32};
  for (uint32_t n = 0; n < 5; n++) {
    struct bench b;
    struct loom_input_unit_cfg cfg = shape();
    cfg.VLS = vls[n];
    open_bench(&b, cfg);
    for (uint32_t i = 0; i < 4 * 32; i++)
      write_map(&b, i / 32, i % 32, (7 * i + i / 32) % 32);
    for (uint32_t on = 0; on <= 1; on++) {
      b.in.map_on = on;
      uint32_t drops = 0;
      for (uint32_t i = 0; i < 128; i++) {
        uint32_t vl = i % 3 ? 0 : LINK_MGMT;
        uint32_t p = list(
            &b, (struct packet){.vl = vl, .flits = 2, .dest = i / 32, .sl = i % 32, .more = i & 1});
        drain(&b);
        drops += b.packet[p].cause == NO_VL;
      }
      assert_int_equal(drops > 0, on);
    }
    close_bench(&b);
  }
}

static void
a_packet_longer_than_the_mtu_of_its_lane_at_the_output_is_dropped_for_cause_5(void **state) {
  (void)state;
  struct bench b;
  open_bench(&b, shape());
  write_map(&b, 1, 0, 2);
  b.in.map_on = 1;
  write_mtu(&b, 2, 3);
  write_mtu(&b, 0, 1);
  for (uint32_t flits = 1; flits <= 40; flits++) {
    uint32_t p = list(&b, (struct packet){.vl = 0, .flits = flits, .dest = 1});
    drain(&b);
    assert_int_equal(b.packet[p].cause, flits > 3 * UNIT ? MTU : 0);
  }
  close_bench(&b);
}

static void the_first_cause_counts(void **state) {
  (void)state;
  struct bench b;
  open_bench(&b, shape());
  write_map(&b, 1, 0, NO_SUCH_VL);
  b.in.map_on = 1;
  uint32_t p = list(&b, (struct packet){.vl = 0, .flits = 9 * UNIT, .dest = UNKNOWN + 1});
  uint32_t q = list(&b, (struct packet){.vl = 0, .flits = 9 * UNIT, .dest = 1});
  uint32_t r = list(&b, (struct packet){.vl = LINK_MGMT, .flits = 9 * UNIT, .dest = 1});
  drain(&b);
  assert_int_equal(b.packet[p].cause, NO_PORT);
  assert_int_equal(b.packet[q].cause, NO_VL);
  assert_int_equal(b.packet[r].cause, MTU);
  close_bench(&b);
}

/* Flits by hand: each with its flags, its length if it is a head, and whether that is wrong. */
static void each_flit_counts_one_link_error_at_most(void **state) {
  (void)state;
  const struct {
    uint32_t head, tail, len;
    bool wrong;
  } flits[] = {{0, 0, 0, true},  {0, 1, 0, true},  {1, 1, 1, false}, {1, 0, 1, true},
               {1, 0, 0, false}, {1, 1, 0, false}, {1, 0, 3, false}, {0, 0, 0, false},
               {0, 1, 0, false}, {1, 1, 2, true},  {0, 1, 0, false}, {1, 0, 3, false},
               {1, 0, 9, true},  {1, 0, 9, true},  {1, 0, 2, false}, {0, 0, 0, true},
               {1, 0, 3, false}, {0, 1, 0, true},  {1, 1, 0, true},  {0, 0, 0, true}};
  struct bench b;
  open_bench(&b, shape());
  for (uint32_t vl = 0; vl <= 20; vl += 20) /* of a refused packet, too */
    for (uint32_t gap = 0; gap < 3; gap++)
      for (uint32_t i = 0; i < sizeof flits / sizeof flits[0]; i++) {
        struct loom_input_unit_in in = {
            .in_valid = 1, .in_head = flits[i].head, .in_tail = flits[i].tail, .in_vl = vl};
        struct loom_input_unit_out out;
        in.in_data = LOOM_PUT64(LOOM_HEAD_LEN, flits[i].len);
        loom_input_unit_step(&b.s, &in, &out);
        memset(&in, 0, sizeof in);
        for (uint32_t k = 0; k <= gap; k++) {
          loom_input_unit_show(&b.s, &in, &out);
          assert_int_equal(out.link_error, k == 0 && flits[i].wrong);
          if (gap)
            loom_input_unit_step(&b.s, &in, &out);
        }
      }
  assert_int_equal(probe(&b).left, 0);
  close_bench(&b);
}

/* ---- bookings, starts and drops -------------------------------------------------------------- */

static void a_long_packet_lets_the_next_one_be_booked_when_early_flits_are_left(void **state) {
  (void)state;
  for (uint32_t early = 0; early <= 24; early += 12) {
    struct bench b;
    struct loom_input_unit_cfg cfg = shape();
    cfg.EARLY = early;
    open_bench(&b, cfg);
    b.books = false;
    uint32_t p = put(&b, 0, 64, 0), q = put(&b, 1, 64, 1);
    while (b.fed < b.packets)
      cycle(&b);
    cycles(&b, 20);
    b.books = true;
    drain(&b);
    uint32_t first = b.packet[p].started < b.packet[q].started ? p : q;
    int taken = b.packet[first].started, next = b.packet[p + q - first].booked;
    /* in `owed` from taken + 2 on, 2 flits a cycle go from taken + 3 on, soon_o the cycle after */
    int left = (64 - (int)early + 1) / 2;
    assert_in_range(next - taken, left + 3, left + 6);
    close_bench(&b);
  }
}

static void after_a_short_packet_the_next_one_is_booked_at_once(void **state) {
  (void)state;
  for (uint32_t flits = 11; flits <= 14; flits++) {
    struct bench b;
    open_bench(&b, shape());
    b.books = false;
    put(&b, 0, flits, 0);
    put(&b, 1, flits, 1);
    cycles(&b, 60);
    b.books = true;
    while (!b.started)
      cycle(&b);
    for (uint32_t i = 0; i < 3; i++) { /* from the cycle of its start on */
      assert_int_equal(b.out.source_ready, flits <= b.cfg.EARLY);
      cycle(&b);
    }
    drain(&b);
    close_bench(&b);
  }
}

static void start_ok_falls_for_two_cycles_after_a_start_that_is_not_sure_and_end_too(void **state) {
  (void)state;
  struct bench b;
  open_bench(&b, shape());
  uint32_t p = put(&b, 0, 9, 0);
  b.books = false;
  cycles(&b, 20);
  b.books = true;
  while (!b.started) {
    cycle(&b);
    assert_int_equal(b.out.end & b.out.start_ok, 1);
  }
  assert_false(b.packet[p].sure);
  for (uint32_t i = 0; i < 6; i++) {
    assert_int_equal(probe(&b).settle, i < 2 ? 2 - i : 0);
    cycle(&b);
    assert_int_equal(b.out.end, i >= 2);
    assert_int_equal(b.out.start_ok, i >= 2);
  }
  drain(&b);
  close_bench(&b);
}

static void start_ok_falls_for_the_words_of_a_packet_that_is_sure_less_one(void **state) {
  (void)state;
  for (uint32_t speedup = 1; speedup <= 4; speedup++)
    for (uint32_t flits = 1; flits <= UNIT; flits++) {
      struct bench b;
      struct loom_input_unit_cfg cfg = shape();
      cfg.SPEEDUP = speedup;
      open_bench(&b, cfg);
      uint32_t p = put(&b, 0, flits, 0), words = (flits + speedup - 1) / speedup;
      b.books = false;
      cycles(&b, 20);
      b.books = true;
      while (!b.started)
        cycle(&b);
      assert_true(b.packet[p].sure);
      for (uint32_t i = 1; i <= UNIT; i++) {
        cycle(&b);
        assert_int_equal(b.out.start_ok, i >= words);
        assert_int_equal(b.out.end, 1);
      }
      drain(&b);
      close_bench(&b);
    }
}

/* They come before they are known to be whole, or behind what the unit cannot tell the end of. */
static void a_packet_is_sure_only_if_it_is_whole_and_nothing_is_before_it(void **state) {
  (void)state;
  for (uint32_t gap = 0; gap <= 20; gap++) {
    struct bench b;
    open_bench(&b, shape());
    uint32_t p = put(&b, 0, 2, 0);
    cycle(&b); /* the head; then a gap, and its last flit in cycle gap + 1 */
    b.gap_percent = 100;
    cycles(&b, gap);
    b.gap_percent = 0;
    int sent = b.now;
    drain(&b);
    /* it is in stage 3 in sent + 3, and the start must be after that */
    assert_int_equal(b.packet[p].sure, b.packet[p].started > sent + 3);
    close_bench(&b);
  }
  for (uint32_t later = 0; later < 30; later++) {
    struct bench b;
    open_bench(&b, shape());
    b.books = false;
    uint32_t p = put(&b, 0, 24, 0), q = put(&b, 1, 2, 1);
    cycles(&b, 60);
    b.books = true;
    while (b.packet[p].started == NEVER && b.packet[q].started == NEVER)
      cycle(&b);
    bool long_first = b.packet[p].started != NEVER;
    int ends = NEVER; /* the first cycle in which the unit says that the long one ends */
    b.starts = false;
    for (uint32_t i = 0; b.packet[p].started == NEVER || b.packet[q].started == NEVER; i++) {
      b.starts = i >= later;
      cycle(&b);
      if (ends == NEVER && b.out.end)
        ends = b.now - 1;
    }
    drain(&b);
    /* EARLY = 12, so K = 7, and that is 4 more than 3 */
    if (long_first)
      assert_int_equal(b.packet[q].sure, b.packet[q].started >= ends + 4);
    else
      assert_int_equal(b.packet[q].sure, 1);
    close_bench(&b);
  }
}

/* The duty that docs/crossing.md states of it. */
static void what_ends_is_over_within_end_cycles_of_end(void **state) {
  (void)state;
  const int end_cycles[] = {0, 13, 8, 7, 6}; /* K + 1, as EARLY is 12 */
  for (uint32_t n = 0; n < 32; n++) {
    struct bench b;
    struct loom_input_unit_cfg cfg = shape();
    uint32_t pace = n % 8;
    cfg.SPEEDUP = 1 + n / 8;
    open_bench(&b, cfg);
    b.seed = pace;
    b.gap_percent = pace & 1 ? 50 : 0;
    for (uint32_t i = 0; i < 150; i++)
      put(&b, loom_below(&b.seed, 4), 1 + loom_below(&b.seed, pace & 2 ? 64 : 20),
          loom_below(&b.seed, pace & 4 ? 0x10000 : 4));
    int ended[PACKETS];
    uint32_t told = 0; /* packets of which end_o told */
    for (uint32_t i = 0; i < PACKETS; i++)
      ended[i] = NEVER;
    for (uint32_t left = 20; left; left -= b.done == b.started && b.fed == b.packets && !b.used) {
      assert_true(b.now < PATIENCE);
      cycle(&b);
      for (; b.out.end && told < b.started && b.packet[b.order[told]].started < b.now - 1; told++)
        ended[b.order[told]] = b.now - 1;
    }
    for (uint32_t i = 0; i < b.started; i++) {
      const struct packet *p = &b.packet[b.order[i]];
      assert_true(ended[b.order[i]] != NEVER);
      assert_true(p->last <= ended[b.order[i]] + end_cycles[cfg.SPEEDUP] - 1);
    }
    close_bench(&b);
  }
}

static void
a_dropped_packet_goes_while_a_booked_one_waits_and_then_that_has_its_turn(void **state) {
  (void)state;
  struct bench b;
  open_bench(&b, shape());
  b.starts = false;
  uint32_t p = put(&b, 1, 20, 1);
  cycles(&b, 40);
  assert_true(probe(&b).booked);
  for (uint32_t i = 0; i < 3; i++)
    put(&b, 0, 3, UNKNOWN);
  cycles(&b, 60);
  assert_true(probe(&b).turn); /* one was dropped, then the booking has its turn */
  assert_int_equal(probe(&b).drops, 1);
  assert_int_equal(b.out.total, 3 + 2);
  assert_int_equal(b.out.start_ok, 1);
  b.starts = true;
  cycles(&b, 3);
  assert_true(b.packet[p].started != NEVER);
  drain(&b);
  close_bench(&b);
}

static void a_short_packet_after_a_long_one_of_its_lane_is_short(void **state) {
  (void)state;
  struct bench b;
  open_bench(&b, shape());
  b.books = false;
  put(&b, 0, 20, 0);
  put(&b, 0, 4, 1);
  put(&b, 0, 4, 2);
  cycles(&b, 60);
  b.books = true;
  while (b.started < 2)
    cycle(&b);
  cycle(&b);
  assert_int_equal(b.out.source_ready, 1);
  drain(&b);
  close_bench(&b);
}

static void a_drop_goes_at_once_and_start_ok_falls_for_it(void **state) {
  (void)state;
  struct bench b;
  open_bench(&b, shape());
  b.starts = false;
  put(&b, 1, 20, 1);
  cycles(&b, 40);
  put(&b, 0, 1, UNKNOWN);
  while (!probe(&b).drops)
    cycle(&b);
  for (uint32_t i = 0; i < 5; i++) {
    assert_int_equal(probe(&b).drops, i < 1);
    cycle(&b);
    assert_int_equal(b.out.start_ok, i >= 3);
    assert_int_equal(b.out.end, i == 0 || i >= 3);
  }
  b.starts = true;
  drain(&b);
  close_bench(&b);
}

static void drops_without_a_booking_follow_each_other(void **state) {
  (void)state;
  struct bench b;
  open_bench(&b, shape());
  b.books = false;
  for (uint32_t i = 0; i < 30; i++)
    put(&b, i % 4, 1 + i, UNKNOWN + i);
  drain(&b);
  assert_int_equal(probe(&b).drops, 0);
  assert_true(probe(&b).turn);
  close_bench(&b);
}

static void lanes_keep_their_order_and_their_flits_in_units_of_all_shapes(void **state) {
  (void)state;
  const uint32_t shapes[][6] = {
      /* PORTS, VLS, SPEEDUP, CELLS, IN_DELAY, STALL_CYCLES */
      {4, 5, 2, 64, 0, 4095}, {2, 2, 1, 16, 3, 0},  {48, 32, 2, 100, 255, 2}, {8, 9, 1, 256, 0, 0},
      {3, 17, 2, 32, 17, 0},  {6, 9, 3, 256, 0, 0}, {4, 5, 3, 64, 2, 4095},   {6, 3, 4, 100, 1, 9}};
  for (uint32_t n = 0; n < sizeof shapes / sizeof shapes[0]; n++)
    for (uint32_t pace = 0; pace < 8; pace++) {
      struct bench b;
      struct loom_input_unit_cfg cfg = shape();
      cfg.PORTS = shapes[n][0];
      cfg.VLS = shapes[n][1];
      cfg.SPEEDUP = shapes[n][2];
      cfg.CELLS = shapes[n][3];
      cfg.IN_DELAY = shapes[n][4];
      cfg.STALL_CYCLES = shapes[n][5];
      open_bench(&b, cfg);
      b.seed = 10 * n + pace;
      for (uint32_t i = 0; i < cfg.PORTS * 32; i++)
        write_map(&b, i / 32, i % 32, loom_below(&b.seed, i & 1 ? cfg.VLS - 1 : 32));
      b.in.map_on = pace & 1;
      b.gap_percent = pace & 2 ? 40 : 0;
      b.start_percent = pace & 4 ? 10 : 100;
      for (uint32_t i = 0; i < 400; i++)
        list(&b, (struct packet){.vl = loom_below(&b.seed, loom_chance(&b.seed, 10) ? 32 : 2),
                                 .flits = loom_below(&b.seed, loom_chance(&b.seed, 50) ? 4 : 70),
                                 .dest = loom_below(&b.seed, loom_chance(&b.seed, 20) ? 65536 : 99),
                                 .sl = loom_below(&b.seed, 32),
                                 .more = loom_chance(&b.seed, 50)});
      drain(&b);
      assert_true(b.done > 30);
      close_bench(&b);
    }
}

/* ---- the rule of Omni-Path ------------------------------------------------------------------- */

/* A word for each SC, as docs/mport_switch.md makes them. */
static void write_words(struct bench *b) {
  struct loom_sc_rule rule = {.vls = b->cfg.VLS};
  memcpy(rule.sc2vl, b->sc2vl, sizeof b->sc2vl);
  memcpy(rule.sc2sl, b->sc2sl, sizeof b->sc2sl);
  memcpy(rule.sl2sc, b->sl2sc, sizeof b->sl2sc);
  for (uint32_t sc = 0; sc < LOOM_SCS; sc++) {
    b->in.rule_we = 1;
    b->in.rule_sc = sc;
    b->in.rule_data = loom_sc_rule_word(&rule, b->mtu, sc);
    cycle(b);
  }
}

/* Tables of any content; most SCs have a VL that has a lane. */
static void draw_tables(struct bench *b) {
  for (uint32_t sc = 0; sc < LOOM_SCS; sc++) {
    bool has = loom_chance(&b->seed, 80);
    b->sc2vl[sc] = (uint8_t)(has ? loom_below(&b->seed, b->cfg.VLS) : NO_SUCH_VL);
    b->sc2sl[sc] = (uint8_t)loom_below(&b->seed, 32);
    b->sl2sc[sc] = (uint8_t)loom_below(&b->seed, 32);
  }
  for (uint32_t lane = 0; lane < b->cfg.VLS; lane++)
    b->mtu[lane] = (uint16_t)(1 + loom_below(&b->seed, b->cfg.MTU_UNITS - 1));
  for (uint32_t i = 0; i < b->cfg.PORTS * 32; i++)
    write_map(b, i / 32, i % 32, loom_below(&b->seed, 32));
  write_words(b);
}

static struct loom_input_unit_cfg rule_shape(uint32_t mports, uint32_t vls) {
  struct loom_input_unit_cfg cfg = shape();
  cfg.RULE = 1;
  cfg.PORTS = 4 * mports;
  cfg.VLS = vls;
  return cfg;
}

/* OP-10, OP-18, OP-19 and OP-05: SC, SL, lane, target and cause of packets of all SCs to all
 * outputs, in all modes. */
static void by_the_rule_of_omni_path_each_mode_gives_sc_sl_lane_and_target(void **state) {
  (void)state;
  static const uint32_t vls[] = {2, 5, 9, 16, 17, 32};
  for (uint32_t n = 0; n < 6; n++)
    for (uint32_t mode = 0; mode < MODES; mode++) {
      struct bench b;
      struct loom_input_unit_cfg cfg = rule_shape(2 + 2 * n, vls[n]);
      open_bench(&b, cfg);
      b.seed = 10 * n + mode;
      b.mport = loom_below(&b.seed, 2 + 2 * n);
      draw_tables(&b);
      b.in.map_mode = mode;
      b.turns_choice = true;
      uint32_t causes[MTU + 1] = {0}, targets[6] = {0};
      for (uint32_t i = 0; i < 48 * 32; i++) {
        list(&b, (struct packet){.vl = i % 2 ? 0 : LINK_MGMT,
                                 .flits = 1 + loom_below(&b.seed, 8 * UNIT),
                                 .dest = i % 20 ? i / 32 : UNKNOWN + i,
                                 .sl = i % 32,
                                 .more = i & 1});
        if (i % 256 == 255)
          drain(&b);
      }
      for (uint32_t i = 0; i < b.packets; i++) {
        causes[b.packet[i].cause]++;
        targets[b.packet[i].target] += !b.packet[i].cause;
      }
      assert_true(causes[0] > 100 && causes[NO_PORT] > 30 && causes[NO_VL] > 10 &&
                  causes[MTU] > 10);
      for (uint32_t k = 0; k < 6; k++)
        assert_true(targets[k] > 0);
      close_bench(&b);
    }
}

static void the_central_unit_is_that_of_the_cycle_in_which_the_head_is_judged(void **state) {
  (void)state;
  for (uint32_t choice = 0; choice < 8; choice++)
    for (int at = 0; at < 8; at++) {
      struct bench b;
      open_bench(&b, rule_shape(2, 5));
      write_words(&b);
      uint32_t p = put(&b, 0, 30, 5); /* of the other MPort */
      for (int i = 0; i < 8; i++) {
        if (i == at) {
          b.in.adaptive = choice & 1;
          b.in.central_less = choice >> 1 & 1;
          b.in.central_equal = choice >> 2 & 1;
        }
        cycle(&b);
      }
      drain(&b);
      bool chosen = at == 3 && choice & 1 && !(choice >> 2 & 1);
      assert_int_equal(b.packet[p].target, 4 + (chosen ? choice >> 1 & 1 : 1));
      close_bench(&b);
    }
}

static void a_unit_with_the_rule_is_ready_at_once_and_ignores_mtu(void **state) {
  (void)state;
  struct bench b;
  open_bench(&b, rule_shape(2, 9));
  assert_int_equal(b.now, 1);
  write_words(&b);
  b.in.mtu_we = 1;
  b.in.mtu_units = 1;
  cycle(&b);
  uint32_t p = put(&b, 0, 8 * UNIT, 1);
  drain(&b);
  assert_int_equal(b.packet[p].cause, 0);
  close_bench(&b);
}

/* What was not stepped for long goes on as if it had been. */
static void a_long_rest_changes_nothing(void **state) {
  (void)state;
  for (uint32_t rest = 0; rest < 60; rest++) {
    struct bench b;
    struct loom_input_unit_cfg cfg = shape();
    cfg.IN_DELAY = 5;
    open_bench(&b, cfg);
    b.books = false;
    uint32_t p = put(&b, 0, 20, 1), q = put(&b, 1, 9, 2);
    cycles(&b, 40 + rest);
    b.books = true;
    int x = b.now;
    cycle(&b);
    uint32_t first = b.packet[p].booked == x ? p : q;
    drain(&b);
    assert_int_equal(b.packet[first].booked, x);
    assert_int_equal(b.packet[first].first, x + 5);
    cycles(&b, rest);
    uint32_t r = put(&b, 2, 3, 3);
    drain(&b);
    assert_int_equal(b.packet[r].event - b.packet[r].sent, 4 + 5);
    close_bench(&b);
  }
}

static void parameters_are_legal_only_together(void **state) {
  (void)state;
  struct loom_input_unit_cfg cfg = shape();
  assert_true(loom_input_unit_cfg_ok(&cfg));
  cfg.SPEEDUP = 5;
  assert_false(loom_input_unit_cfg_ok(&cfg));
  cfg = shape();
  cfg.MTU_UNITS = cfg.CELLS + 1;
  assert_false(loom_input_unit_cfg_ok(&cfg));
  cfg = shape();
  cfg.PORTS = 1;
  assert_false(loom_input_unit_cfg_ok(&cfg));
  for (uint32_t ports = 4; ports <= 48; ports += 2) {
    cfg = shape();
    cfg.RULE = 1;
    cfg.PORTS = ports;
    assert_int_equal(loom_input_unit_cfg_ok(&cfg), ports % 4 == 0 && ports > 4);
  }
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_packet_alone_takes_the_times_of_the_page),
      cmocka_unit_test(a_record_waits_for_as_many_flits_as_the_page_says),
      cmocka_unit_test(a_packet_has_as_many_words_as_the_page_says),
      cmocka_unit_test(only_flits_that_came_count_for_a_record_that_waits),
      cmocka_unit_test(the_unit_is_ready_when_its_lanes_are_swept),
      cmocka_unit_test(a_head_without_lane_or_length_is_refused_for_cause_1),
      cmocka_unit_test(what_does_not_fit_into_the_store_is_refused_for_cause_2),
      cmocka_unit_test(a_packet_without_output_is_dropped_for_cause_3),
      cmocka_unit_test(the_map_says_the_lane_at_the_output_while_it_is_on),
      cmocka_unit_test(
          a_packet_longer_than_the_mtu_of_its_lane_at_the_output_is_dropped_for_cause_5),
      cmocka_unit_test(the_first_cause_counts),
      cmocka_unit_test(each_flit_counts_one_link_error_at_most),
      cmocka_unit_test(a_long_packet_lets_the_next_one_be_booked_when_early_flits_are_left),
      cmocka_unit_test(after_a_short_packet_the_next_one_is_booked_at_once),
      cmocka_unit_test(start_ok_falls_for_two_cycles_after_a_start_that_is_not_sure_and_end_too),
      cmocka_unit_test(start_ok_falls_for_the_words_of_a_packet_that_is_sure_less_one),
      cmocka_unit_test(a_packet_is_sure_only_if_it_is_whole_and_nothing_is_before_it),
      cmocka_unit_test(what_ends_is_over_within_end_cycles_of_end),
      cmocka_unit_test(a_dropped_packet_goes_while_a_booked_one_waits_and_then_that_has_its_turn),
      cmocka_unit_test(a_short_packet_after_a_long_one_of_its_lane_is_short),
      cmocka_unit_test(a_drop_goes_at_once_and_start_ok_falls_for_it),
      cmocka_unit_test(drops_without_a_booking_follow_each_other),
      cmocka_unit_test(lanes_keep_their_order_and_their_flits_in_units_of_all_shapes),
      cmocka_unit_test(by_the_rule_of_omni_path_each_mode_gives_sc_sl_lane_and_target),
      cmocka_unit_test(the_central_unit_is_that_of_the_cycle_in_which_the_head_is_judged),
      cmocka_unit_test(a_unit_with_the_rule_is_ready_at_once_and_ignores_mtu),
      cmocka_unit_test(a_long_rest_changes_nothing),
      cmocka_unit_test(parameters_are_legal_only_together),
  };
  return UNIT_RUN("input_unit", tests, NULL, NULL);
}
