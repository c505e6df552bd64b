/* SPDX-License-Identifier: Apache-2.0 */
/* output_unit.c - traffic for output_unit, and a judge of what it sends
 *
 * Trains of packets of all lengths on all lanes, queued before, with or after their words; a far
 * end that gives credits back at once, slowly, in bursts or to some lanes only, and credits that
 * nobody owes; holds; entries of the tables, or weights, rewritten meanwhile, and what goes with
 * them: limit and mode. Now and then all is drained, and
 * the table or the limits of the far end are made anew. What the user may do depends on space_o of
 * the same cycle, which follows from total_o two cycles before.
 *
 * `observe` knows the ports alone. It judges that packets leave in the order of their grants, and
 * of their queues on each lane, whole, only with credits for all of them (OP-06); that exactly what
 * the tracker ignores is an error; that units are counted; and that packets do not wait for ever.
 */
#include "switch/output_unit.h"

#include <inttypes.h>
#include <loom/bits.h>
#include <string.h>

#define DUT_NAME output_unit
#define DUT_LIST "switch/output_unit.def"
#include "tb/cosim/dut.h"
#include "tb/ends/credits.h"

enum {
  RING = 8192, /* packets that a unit holds, at most 4096 */
  CELL = LOOM_UNIT_FLITS,
  VLS = LOOM_VLS,
  ENTRIES = 128,
  TRAIN = 8,      /* packets of the longest train */
  LEN_MAX = 4095, /* flits */
  GAP = 4,        /* cycles from a write of an entry to the next */
  TURNS_GAP = 8,  /* the same for weights: nothing is granted for 7 cycles, then something can be */
  HELD = 4,       /* cycles with hold_i before a limit is written, its own included */
  APART = 4,      /* cycles from grant to grant, at least with SCHED 2 and after a single unit */
  TO_LINK = 5,    /* cycles from a grant to its first flit, at least */
  TOGETHER = 64,  /* cycles after a write of the table in which old entries may still count */
  SILENT = 6,     /* cycles without a flit of a packet that was granted and is written, at most */
  SETTLED = 8,    /* cycles after which the registered verdicts on the limits are there */
};

/* ---- units in the store ---------------------------------------------------------------------- */

/* What total_o and the announcements say of space_o and announce_ok_o (docs/parts.md). */
struct space {
  uint32_t total[2]; /* of the last cycle, of the one before */
  uint32_t ask[3];   /* units announced in the last cycles; 0: none */
};

static bool has_space(const struct loom_output_unit_cfg *c, const struct space *s) {
  uint32_t left = c->CELLS - s->total[1], mtu = c->MTU_UNITS;
  return left >= 4 * mtu || (left >= mtu && !s->ask[0] && !s->ask[1] && !s->ask[2]);
}

/* The announcement of two cycles ago was decided in the last one. */
static bool is_admitted(const struct loom_output_unit_cfg *c, const struct space *s) {
  return s->ask[1] && s->total[0] + s->ask[1] <= c->CELLS;
}

static void next_total(struct space *s, uint32_t total) {
  s->total[1] = s->total[0];
  s->total[0] = total;
}

static void next_ask(struct space *s, uint32_t units) {
  s->ask[2] = s->ask[1];
  s->ask[1] = s->ask[0];
  s->ask[0] = units;
}

/* ---- state ----------------------------------------------------------------------------------- */

/* When a packet is queued. */
enum queueing { ANY_TIME, AT_ONCE, WITH_FIRST, AFTER_LAST, QUEUEINGS };
enum giving { PROMPT, BY_CHANCE, BURSTS, SOME_LANES, GIVINGS };
/* Between two phases of traffic the unit is drained, and then changed at rest. */
enum stage { TRAFFIC, DRAIN, TABLE, HOLD, LIMITS };

struct packet {
  uint8_t vl, sl;
  bool more;
  uint16_t len;
};

/* Limits of the far end. */
struct limits {
  uint32_t total, reserved[VLS], cap[VLS];
};

struct sender {
  struct packet train[TRAIN]; /* that is being announced */
  uint32_t trains, at;
  /* All packets that were admitted, by number, in the order of their announcement. */
  uint32_t admitted, queued, written; /* packets so far */
  uint32_t place;                     /* of the next flit of packet `written` */
  struct packet packet[RING];
  struct packet asked[2]; /* in the last two cycles, not admitted for sure */
  uint32_t left;          /* packets that the link has shown in full */
  /* Not first: gcc 14 would take what is written to `packet` for writes to it. */
  struct space space;
};

/* The table, or both, as it is to be: `kept` entries name each key in use once. */
struct table {
  uint32_t word[ENTRIES];
  bool kept[ENTRIES];
  uint8_t key[LOOM_KEYS];
  uint32_t keys, at, quiet;
  bool together; /* all entries keep trains together */
};

/* Packets of a lane by number. */
struct lane_judge {
  uint32_t queued, granted, sent;
  uint32_t place; /* of the next flit of packet `sent` */
  uint32_t number[RING];
  struct packet packet[RING];
};

struct judge {
  struct space space;
  struct lane_judge lane[VLS];
  uint8_t order[RING];      /* lanes of the packets that were granted */
  uint64_t when[RING];      /* cycles of their grants */
  uint32_t granted, sent;   /* packets */
  uint32_t queued;          /* packets in all */
  uint32_t admitted, ended; /* units: that the store took, whose last flit was seen */
  bool sure[3];             /* announcements that are admitted for sure */
  bool held[3];
  uint32_t word[ENTRIES]; /* of the table */
  bool all;               /* entries keep trains together; */
  uint64_t together;      /* cycles since then, without a write */
  uint32_t open;          /* 1 + lane of the train that is kept together, 0: none */
  uint32_t last_units;    /* of the last grant */
  uint64_t last_grant;
  bool any_grant;
  struct limits limits;
  uint32_t used[VLS], used_all;
  bool ignored[3];      /* an event of 0, 1, 2 cycles ago was ignored */
  uint64_t limit_write; /* cycles since a limit was written, */
  uint64_t event;       /* since something was taken or came back, */
  uint64_t stuck;       /* since when something could have been granted, */
  uint64_t silent;      /* since when the link could have had a flit */
  uint32_t written;     /* packets in all */
  char wrong[160];
};

struct state {
  struct rng rng;
  struct loom_output_unit_cfg cfg;
  enum stage stage;
  uint32_t announce, write, queue, narrow, unsure, many, give, hold, wild, rewrite; /* in 256 */
  uint32_t longest, most; /* units: of this phase, that the limits allow */
  uint32_t lanes[VLS], lane_count, give_to;
  bool lane_sl, burst; /* a lane has an SL of its own; credits come in a burst */
  enum queueing queueing;
  enum giving giving;
  uint64_t phase_end, held; /* `held`: cycles since hold_i is 1 */
  struct limits limits;
  uint32_t limit_at;
  struct table table;
  struct end_receiver far;
  struct sender sender;
  struct judge judge;
};

static uint64_t pattern(uint32_t number, uint32_t place) {
  uint64_t x = ((uint64_t)number << 16 ^ place) + 0x9e3779b97f4a7c15u;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
  return x ^ x >> 27;
}

static void reset_limits(const struct loom_output_unit_cfg *c, struct limits *l) {
  l->total = c->REMOTE_UNITS;
  for (uint32_t v = 0; v < c->VLS; v++) {
    l->reserved[v] = c->REMOTE_RESERVED;
    l->cap[v] = c->REMOTE_UNITS;
  }
}

/* ---- the table ------------------------------------------------------------------------------- */

static bool two_tables(const struct loom_output_unit_cfg *c) {
  return c->SCHED == LOOM_OUTPUT_TWO_TABLE;
}

/* A scheduler without entries: keys take turns, with SCHED 1 by their weights, with SCHED 4 by
 * their quanta, with SCHED 5 by their prices, which have the same addresses; these two have no
 * mode, so that write does nothing. */
static bool has_turns(const struct loom_output_unit_cfg *c) {
  return c->SCHED <= LOOM_OUTPUT_BANDWIDTH_TABLE || c->SCHED >= LOOM_OUTPUT_DEFICIT_ROUND_ROBIN;
}

static bool keeps_trains(const struct loom_output_unit_cfg *c) {
  return c->SCHED == LOOM_OUTPUT_DEFICIT_TABLE;
}

/* Of the table, or of both, those of the high one first; or the weights of the keys. */
static uint32_t entries(const struct loom_output_unit_cfg *c) {
  return has_turns(c) ? c->KEYS : two_tables(c) ? c->N_HIGH + c->N_LOW : c->ENTRIES;
}

static uint32_t entry_address(const struct loom_output_unit_cfg *c, uint32_t e) {
  if (!two_tables(c))
    return (has_turns(c) ? LOOM_SBT_REG_WEIGHT : LOOM_DTABLE_REG_ENTRY) + e;
  return e < c->N_HIGH ? LOOM_IBARB_REG_HIGH + e : LOOM_IBARB_REG_LOW + e - c->N_HIGH;
}

/* Registers that are written before packets come: entries; with two tables limit and mode, with
 * turns the mode. */
static uint32_t loads(const struct loom_output_unit_cfg *c) {
  return entries(c) + (two_tables(c) ? 2 : has_turns(c));
}

static uint32_t some_entry(struct state *s, uint32_t key, bool kept) {
  static const uint32_t most[] = {1, 3, 16, 64, 255};
  uint32_t least = kept ? 1 + s->cfg.MTU_UNITS / 16 : 0;
  uint32_t weight = loom_max(least, rng_below(&s->rng, 1 + most[rng_below(&s->rng, 5)]));
  bool message = s->table.together || rng_chance(&s->rng, 64);
  return LOOM_PUT(LOOM_MESSAGE_ENTRY_MESSAGE, message) | LOOM_PUT(LOOM_MESSAGE_ENTRY_KEY, key) |
         LOOM_PUT(LOOM_MESSAGE_ENTRY_WEIGHT, weight);
}

static void shuffle(struct rng *rng, uint8_t *a, uint32_t n) {
  for (uint32_t i = 0; i < n; i++)
    a[i] = (uint8_t)i;
  for (uint32_t i = n; i > 1; i--) {
    uint32_t j = rng_below(rng, i);
    uint8_t x = a[i - 1];
    a[i - 1] = a[j];
    a[j] = x;
  }
}

/* A legal table: the keys in use have an entry each, at random places among random others. */
static void new_table(struct state *s) {
  struct table *t = &s->table;
  uint32_t n = entries(&s->cfg), keys = s->cfg.ARB_KEY ? s->cfg.KEYS : s->cfg.VLS;
  uint8_t place[ENTRIES];
  memset(t, 0, sizeof *t);
  t->together = rng_chance(&s->rng, 64);
  shuffle(&s->rng, place, n);
  shuffle(&s->rng, t->key, keys);
  t->keys = loom_min(n, keys);
  for (uint32_t i = 0; i < n; i++) {
    bool kept = i < t->keys;
    t->kept[place[i]] = kept;
    t->word[place[i]] = some_entry(s, kept ? t->key[i] : rng_below(&s->rng, LOOM_KEYS), kept);
  }
}

static bool is_loaded(const struct state *s) { return s->table.at == loads(&s->cfg); }

/* The limit of high or the mode. */
static void policy_access(struct state *s, bool mode, struct loom_output_unit_in *i) {
  uint32_t policy = mode ? LOOM_IBARB_REG_MODE : LOOM_IBARB_REG_LIMIT;
  i->table_addr = has_turns(&s->cfg) ? LOOM_SBT_REG_MODE : policy;
  i->table_data = rng_chance(&s->rng, 64) ? 255 : rng_below(&s->rng, 4);
}

static void entry_access(struct state *s, uint32_t e, bool anew, struct loom_output_unit_in *i) {
  struct table *t = &s->table;
  if (anew) {
    uint32_t key = (uint32_t)LOOM_GET(LOOM_MESSAGE_ENTRY_KEY, t->word[e]);
    t->word[e] = some_entry(s, t->kept[e] ? key : rng_below(&s->rng, LOOM_KEYS), t->kept[e]);
  }
  i->table_addr = entry_address(&s->cfg, e);
  i->table_data = t->word[e];
}

/* Writes the tables while they are to be loaded, else an entry by chance: its key stays if it is
 * kept. `o` is of the cycle before, so a write there makes this one busy. */
static void access_table(struct state *s, uint64_t cycle, const struct loom_output_unit_out *o,
                         struct loom_output_unit_in *i) {
  struct table *t = &s->table;
  bool loaded = is_loaded(s);
  uint32_t gap = loaded && has_turns(&s->cfg) ? TURNS_GAP : GAP;
  bool free = cycle > 0 && !o->busy && t->quiet >= gap;
  t->quiet++;
  i->table_addr = rng_below(&s->rng, 1024);
  i->table_data = rng_next(&s->rng) & 0xffffffff;
  if (!free || (loaded && !rng_chance(&s->rng, s->rewrite)))
    return;
  uint32_t n = entries(&s->cfg), e = loaded ? rng_below(&s->rng, loads(&s->cfg)) : t->at++;
  if (e < n)
    entry_access(s, e, loaded, i);
  else
    policy_access(s, e > n, i);
  i->table_we = 1;
  t->quiet = 1;
}

/* ---- the limits of the far end --------------------------------------------------------------- */

/* Limits with which every lane can send `most` units, once nothing is in use. */
static void new_limits(struct state *s) {
  struct limits *l = &s->limits;
  uint32_t vls = s->cfg.VLS, remote = s->cfg.REMOTE_UNITS;
  uint32_t mtu = loom_min(s->cfg.MTU_UNITS, remote);
  s->most = rng_chance(&s->rng, 128) ? mtu : rng_range(&s->rng, 1, mtu);
  l->total = rng_chance(&s->rng, 64) ? s->most : rng_range(&s->rng, s->most, remote);
  uint32_t rest = rng_below(&s->rng, l->total - s->most + 1);
  for (uint32_t v = 0; v < vls; v++) {
    l->reserved[v] = rng_below(&s->rng, 2 * rest / (vls - v) + 1);
    l->reserved[v] = loom_min(l->reserved[v], rest);
    rest -= l->reserved[v];
    l->cap[v] = rng_chance(&s->rng, 64) ? s->most : rng_range(&s->rng, s->most, remote);
  }
}

static void write_limit(const struct state *s, uint32_t n, struct loom_output_unit_in *i) {
  uint32_t vls = s->cfg.VLS;
  i->cfg_we = 1;
  if (n < vls) {
    i->cfg_addr = n;
    i->cfg_data = s->limits.reserved[n];
  } else if (n < 2 * vls) {
    i->cfg_addr = VLS + n - vls;
    i->cfg_data = s->limits.cap[n - vls];
  } else {
    i->cfg_addr = 2 * VLS;
    i->cfg_data = s->limits.total;
  }
}

/* All limits at rest; in traffic one as it is, which is ignored while units are in use. */
static void access_limits(struct state *s, struct loom_output_unit_in *i) {
  uint32_t count = 2 * s->cfg.VLS + 1;
  i->cfg_addr = rng_below(&s->rng, 128);
  i->cfg_data = rng_below(&s->rng, 4096);
  if (s->held < HELD)
    return;
  if (s->stage == LIMITS && rng_chance(&s->rng, 200))
    write_limit(s, s->limit_at++, i);
  else if (s->stage == TRAFFIC && rng_chance(&s->rng, s->wild))
    write_limit(s, rng_below(&s->rng, count), i);
}

/* ---- phases ---------------------------------------------------------------------------------- */

static void choose_lanes(struct state *s) {
  uint8_t lane[VLS];
  uint32_t vls = s->cfg.VLS, most = rng_range(&s->rng, 1, vls);
  shuffle(&s->rng, lane, vls);
  s->lane_count = 0;
  for (uint32_t n = 0; n < vls && s->lane_count < most; n++) {
    bool has_key = s->cfg.ARB_KEY || lane[n] == end_mgmt_lane(vls);
    for (uint32_t k = 0; k < s->table.keys; k++)
      has_key |= s->table.key[k] == lane[n];
    if (has_key)
      s->lanes[s->lane_count++] = lane[n];
  }
  if (!s->lane_count)
    s->lanes[s->lane_count++] = end_mgmt_lane(vls);
}

static void new_phase(struct state *s, uint64_t cycle) {
  static const uint32_t chance[] = {0, 24, 128, 220, 256, 256};
  const uint32_t longest[] = {1, 1, 2, 4, s->most, s->most};
  s->stage = TRAFFIC;
  s->announce = chance[1 + rng_below(&s->rng, 5)];
  s->write = chance[1 + rng_below(&s->rng, 5)];
  s->queue = chance[1 + rng_below(&s->rng, 5)];
  s->narrow = chance[rng_below(&s->rng, 5)];
  s->unsure = chance[rng_below(&s->rng, 4)];
  s->many = rng_chance(&s->rng, 128) ? 0 : chance[1 + rng_below(&s->rng, 3)];
  s->give = chance[1 + rng_below(&s->rng, 3)];
  s->give_to = (uint32_t)rng_next(&s->rng);
  s->hold = rng_chance(&s->rng, 192) ? 0 : chance[1 + rng_below(&s->rng, 3)];
  s->wild = rng_chance(&s->rng, 220) ? 0 : 24;
  s->rewrite = rng_chance(&s->rng, 220) ? 0 : chance[1 + rng_below(&s->rng, 3)];
  s->longest = loom_min(longest[rng_below(&s->rng, 6)], s->most);
  s->lane_sl = rng_chance(&s->rng, 128);
  s->queueing = rng_below(&s->rng, QUEUEINGS);
  s->giving = rng_below(&s->rng, GIVINGS);
  s->phase_end = cycle + rng_range(&s->rng, 50, 3000);
  choose_lanes(s);
}

static void drain(struct state *s) {
  s->stage = DRAIN;
  s->write = s->queue = 256;
  s->announce = s->hold = s->wild = s->rewrite = 0;
  s->queueing = AT_ONCE;
  s->giving = PROMPT;
}

static bool is_empty(const struct state *s, const struct loom_output_unit_out *o) {
  const struct sender *q = &s->sender;
  return o->idle && q->left == q->admitted && (!q->at || q->at == q->trains) && !q->asked[0].len &&
         !q->asked[1].len && !s->far.mask;
}

static void next_stage(struct state *s, uint64_t cycle, const struct loom_output_unit_out *o) {
  uint32_t what = rng_below(&s->rng, 4);
  switch (s->stage) {
  case TRAFFIC:
    if (cycle < s->phase_end)
      return;
    if (what == 0)
      drain(s);
    else
      new_phase(s, cycle);
    return;
  case DRAIN:
    if (!is_empty(s, o))
      return;
    s->sender.at = s->sender.trains = 0; /* what was planned is of the old table and limits */
    s->stage = what & 1 ? TABLE : HOLD;
    if (what & 1)
      new_table(s);
    return;
  case TABLE:
    if (is_loaded(s))
      s->stage = HOLD;
    return;
  case HOLD:
    if (!rng_chance(&s->rng, 64))
      return;
    if (what & 1)
      new_limits(s);
    s->limit_at = 0;
    s->stage = LIMITS; /* the same ones once more otherwise */
    return;
  default:
    if (s->limit_at == 2 * s->cfg.VLS + 1)
      new_phase(s, cycle);
  }
}

static void init(void *st, struct rng *rng, const void *cfg, const struct scenario *sc) {
  struct state *s = st;
  (void)sc;
  s->rng = *rng;
  s->cfg = *(const struct loom_output_unit_cfg *)cfg;
  reset_limits(&s->cfg, &s->limits);
  reset_limits(&s->cfg, &s->judge.limits);
  uint32_t all = s->cfg.REMOTE_UNITS - (s->cfg.VLS - 1) * s->cfg.REMOTE_RESERVED;
  s->most = loom_min(all, s->cfg.MTU_UNITS);
  new_table(s);
  new_phase(s, 0);
}

/* ---- the sender ------------------------------------------------------------------------------ */

/* A train with lengths, of which all fit into what is left: else the scheduler could wait for a
 * packet for which there is no room while packets of others fill the store. */
static void new_train(struct state *s) {
  struct sender *q = &s->sender;
  uint32_t all = q->space.total[0] + q->space.ask[0] + q->space.ask[1];
  uint32_t lane = s->lanes[rng_below(&s->rng, s->lane_count)], keys = s->table.keys;
  uint32_t key = s->table.key[s->lane_sl ? lane % keys : rng_below(&s->rng, keys)];
  uint32_t sl = s->cfg.ARB_KEY ? key : rng_below(&s->rng, LOOM_KEYS);
  q->at = 0;
  q->trains = rng_chance(&s->rng, s->many) ? rng_range(&s->rng, 2, TRAIN) : 1;
  for (uint32_t n = 0; n < q->trains; n++) {
    uint32_t most = loom_min(s->longest * CELL, LEN_MAX);
    uint32_t len = rng_chance(&s->rng, 64) ? most : rng_range(&s->rng, 1, most);
    all += end_units(len);
    q->train[n] = (struct packet){(uint8_t)lane, (uint8_t)sl, n + 1 < q->trains, (uint16_t)len};
  }
  if (q->trains > 1 && all > s->cfg.CELLS) {
    q->trains = 1;
    q->train[0].more = false;
  }
}

static void admit(struct sender *q, struct packet p) { q->packet[q->admitted++ % RING] = p; }

/* Packets keep the order of their announcements, so a sure one does not overtake an answer. */
static uint32_t announce(struct state *s, struct loom_output_unit_in *i) {
  struct sender *q = &s->sender;
  if (q->at == q->trains)
    new_train(s);
  struct packet p = q->train[q->at];
  bool waits = q->asked[0].len || q->asked[1].len, sure = has_space(&s->cfg, &q->space);
  if (sure ? waits : !q->at && !rng_chance(&s->rng, s->unsure))
    return 0;
  i->announce = 1;
  i->announce_len = p.len;
  q->at++;
  if (sure)
    admit(q, p);
  else
    q->asked[0] = p;
  return end_units(p.len);
}

static bool queue_now(const struct state *s, bool word) {
  const struct sender *q = &s->sender;
  switch (s->queueing) {
  case AFTER_LAST:
    return q->queued < q->written;
  case WITH_FIRST:
    return q->queued < q->written || (q->queued == q->written && (q->place > 0 || word));
  default:
    return true;
  }
}

static void queue_packet(struct state *s, struct loom_output_unit_in *i) {
  struct sender *q = &s->sender;
  if (q->queued == q->admitted || !queue_now(s, i->wr_valid))
    return;
  struct packet p = q->packet[q->queued++ % RING];
  i->queue = 1;
  i->queue_vl = p.vl;
  i->queue_len = p.len;
  i->queue_sl = p.sl;
  i->queue_more = p.more;
}

static void write_word(struct state *s, struct loom_output_unit_in *i) {
  struct sender *q = &s->sender;
  uint32_t lanes = s->cfg.LANES, place = q->place;
  struct packet p = q->packet[q->written % RING];
  uint32_t flits = loom_min(lanes, loom_min(CELL - place % CELL, (uint32_t)p.len - place));
  if (rng_chance(&s->rng, s->narrow))
    flits = rng_range(&s->rng, 1, flits);
  i->wr_valid = 1;
  i->wr_vl = p.vl;
  i->wr_flits = flits;
  i->wr_last = place + flits == p.len;
  for (uint32_t l = 0; l < lanes; l++) /* lanes without a flit are not looked at */
    i->wr_data[l] = rng_next(&s->rng);
  for (uint32_t k = 0; k < flits; k++)
    i->wr_data[(place + k) & (lanes - 1)] = pattern(q->written, place + k);
  q->place = i->wr_last ? 0 : place + flits;
  q->written += (uint32_t)i->wr_last;
}

static void send(struct state *s, bool ready, struct loom_output_unit_in *i) {
  struct sender *q = &s->sender;
  if (is_admitted(&s->cfg, &q->space) && q->asked[1].len)
    admit(q, q->asked[1]);
  q->asked[1] = q->asked[0];
  q->asked[0] = (struct packet){0};
  bool word = q->written < q->admitted && rng_chance(&s->rng, s->write);
  bool open = q->at > 0 && q->at < q->trains;
  uint32_t chance = open ? loom_max(s->announce, 64) : s->announce;
  uint32_t units = rng_chance(&s->rng, chance) ? announce(s, i) : 0;
  if (word)
    write_word(s, i);
  if (ready && (s->queueing == AT_ONCE || rng_chance(&s->rng, s->queue)))
    queue_packet(s, i);
  next_ask(&q->space, units);
}

/* ---- the far end ----------------------------------------------------------------------------- */

static void give_credit(struct state *s, struct loom_output_unit_in *i) {
  bool now = s->giving == PROMPT || rng_chance(&s->rng, s->give);
  if (s->giving == BURSTS) {
    if (!s->far.mask || rng_below(&s->rng, 300) == 0)
      s->burst = s->far.mask && !s->burst;
    now = s->burst;
  }
  uint32_t can = s->giving == SOME_LANES ? s->give_to : ~0u;
  uint32_t lane = now ? end_give(&s->far, can, rng_below(&s->rng, s->cfg.VLS)) : END_NO_LANE;
  if (lane != END_NO_LANE) {
    i->cr_valid = 1;
    i->cr_vl = end_vl(s->cfg.VLS, lane);
  } else if (rng_chance(&s->rng, s->wild)) { /* of a lane that does not exist, or that owes none */
    i->cr_valid = 1;
    i->cr_vl = rng_below(&s->rng, VLS);
  }
}

static void next(void *st, uint64_t cycle, const void *out, void *in) {
  struct state *s = st;
  const struct loom_output_unit_out *o = out;
  struct loom_output_unit_in *i = in;
  next_total(&s->sender.space, (uint32_t)o->total);
  if (o->out_valid) {
    end_receive(&s->far, end_lane(s->cfg.VLS, (uint32_t)o->out_vl), o->out_tail);
    s->sender.left += (uint32_t)o->out_tail;
  }
  next_stage(s, cycle, o);
  send(s, o->ready, i);
  give_credit(s, i);
  access_table(s, cycle, o, i);
  bool toggles = rng_below(&s->rng, 64) == 0;
  bool hold = toggles ? rng_chance(&s->rng, s->hold) : s->held > 0 && s->hold;
  i->hold = hold || s->stage == HOLD || s->stage == LIMITS;
  s->held = i->hold ? s->held + 1 : 0;
  access_limits(s, i);
}

/* ---- what must be seen ----------------------------------------------------------------------- */

static void must_be(struct judge *m, uint64_t cycle, const char *what, uint64_t is, uint64_t must) {
  if (is != must && !m->wrong[0])
    snprintf(m->wrong, sizeof m->wrong,
             "cycle %" PRIu64 ": %s is 0x%" PRIx64 ", must be 0x%" PRIx64, cycle, what, is, must);
}

/* Units of the store: what is admitted, that space_o kept its word, what is in use. */
static void judge_units(struct state *s, uint64_t cycle, const struct loom_output_unit_in *i,
                        const struct loom_output_unit_out *o) {
  struct judge *m = &s->judge;
  must_be(m, cycle, "space", o->space, has_space(&s->cfg, &m->space));
  must_be(m, cycle, "announce_ok", o->announce_ok, is_admitted(&s->cfg, &m->space));
  if (m->sure[1])
    must_be(m, cycle, "announce_ok after space", o->announce_ok, 1);
  /* A unit is not counted any more in the cycle before its last flit is on the link. */
  must_be(m, cycle, "total of the last cycle", m->space.total[0], m->admitted - m->ended);
  m->admitted += o->announce_ok ? m->space.ask[1] : 0;
  m->sure[1] = m->sure[0];
  m->sure[0] = i->announce && o->space;
  next_ask(&m->space, i->announce ? end_units((uint32_t)i->announce_len) : 0);
  next_total(&m->space, (uint32_t)o->total);
}

/* OP-06: would a consume of so many units be admitted? */
static bool has_credits(const struct judge *m, uint32_t vls, uint32_t lane, uint32_t units) {
  uint32_t sum = 0;
  for (uint32_t v = 0; v < vls; v++) {
    uint32_t used = m->used[v] + (v == lane ? units : 0);
    sum += loom_max(used, m->limits.reserved[v]);
  }
  return m->used[lane] + units <= m->limits.cap[lane] && sum <= m->limits.total;
}

static void judge_grant(struct state *s, uint64_t cycle, const struct loom_output_unit_out *o) {
  struct judge *m = &s->judge;
  if (!o->grant_valid) {
    must_be(m, cycle, "a field of grant without one", o->grant_vl | o->grant_key | o->grant_size,
            0);
    return;
  }
  uint32_t lane = (uint32_t)o->grant_vl % VLS, units = (uint32_t)o->grant_size;
  struct lane_judge *r = &m->lane[lane];
  const struct packet *p = &r->packet[r->granted++ % RING];
  must_be(m, cycle, "packets queued before one is granted", r->queued >= r->granted, 1);
  must_be(m, cycle, "grant_size", units, end_units(p->len));
  must_be(m, cycle, "grant_key", o->grant_key, s->cfg.ARB_KEY ? p->sl : lane);
  must_be(m, cycle, "credits for a grant", has_credits(m, s->cfg.VLS, lane, units), 1);
  must_be(m, cycle, "a hold two cycles before a grant", m->held[1], 0);
  uint64_t apart = m->last_units > 1 || !keeps_trains(&s->cfg) ? APART + 1 : APART;
  apart += s->cfg.SCHED == LOOM_OUTPUT_BANDWIDTH_TABLE;
  apart += s->cfg.SCHED >= LOOM_OUTPUT_DEFICIT_ROUND_ROBIN ? 2 : 0;
  must_be(m, cycle, "grants apart", !m->any_grant || cycle - m->last_grant >= apart, 1);
  m->any_grant = true;
  m->last_grant = cycle;
  m->last_units = units;
  m->when[m->granted % RING] = cycle;
  m->order[m->granted++ % RING] = (uint8_t)lane;
}

/* Trains that the table keeps together (DT-10), if all its entries do for some while. */
static void judge_train(struct state *s, uint64_t cycle, const struct loom_output_unit_in *i,
                        const struct loom_output_unit_out *o) {
  struct judge *m = &s->judge;
  uint32_t lane = (uint32_t)o->grant_vl % VLS,
           e = (uint32_t)(i->table_addr - LOOM_DTABLE_REG_ENTRY);
  if (!keeps_trains(&s->cfg))
    return;
  if (o->grant_valid && lane != end_mgmt_lane(s->cfg.VLS)) {
    const struct lane_judge *r = &m->lane[lane];
    bool more = r->packet[(r->granted - 1) % RING].more;
    if (m->open)
      must_be(m, cycle, "lane of an open train", lane, m->open - 1);
    m->open = more && m->together > TOGETHER ? 1 + lane : 0;
  }
  m->together = m->all ? m->together + 1 : 0;
  if (!i->table_we || o->busy || e >= s->cfg.ENTRIES)
    return;
  m->word[e] = (uint32_t)i->table_data;
  m->together = 0;
  m->all = true;
  for (uint32_t k = 0; k < s->cfg.ENTRIES; k++)
    m->all &= LOOM_GET(LOOM_MESSAGE_ENTRY_MESSAGE, m->word[k]) != 0;
}

static void judge_link(struct state *s, uint64_t cycle, const struct loom_output_unit_out *o) {
  struct judge *m = &s->judge;
  uint32_t lane = m->order[m->sent % RING];
  struct lane_judge *r = &m->lane[lane];
  uint32_t n = r->sent % RING;
  if (!o->out_valid) {
    must_be(m, cycle, "a field of the link without a flit",
            o->out_head | o->out_tail | o->out_vl | o->out_data, 0);
    return;
  }
  must_be(m, cycle, "packets that were granted before a flit", m->granted > m->sent, 1);
  must_be(m, cycle, "cycles since the grant", cycle - m->when[m->sent % RING] >= TO_LINK, 1);
  must_be(m, cycle, "out_vl", o->out_vl, end_vl(s->cfg.VLS, lane));
  must_be(m, cycle, "out_head", o->out_head, r->place == 0);
  must_be(m, cycle, "out_data", o->out_data, pattern(r->number[n], r->place++));
  must_be(m, cycle, "out_tail", o->out_tail, r->place == r->packet[n].len);
  m->ended += r->place % CELL == 0 || o->out_tail;
  if (o->out_tail) {
    r->place = 0;
    r->sent++;
    m->sent++;
  }
}

/* What the tracker counts of this cycle; what it ignores is an error two cycles later. */
static void judge_credits(struct state *s, uint64_t cycle, const struct loom_output_unit_in *i,
                          const struct loom_output_unit_out *o) {
  struct judge *m = &s->judge;
  struct limits *l = &m->limits;
  uint32_t lane = end_lane(s->cfg.VLS, (uint32_t)i->cr_vl), kind = (uint32_t)i->cfg_addr / VLS;
  uint32_t v = (uint32_t)i->cfg_addr % VLS, data = (uint32_t)i->cfg_data;
  bool back = i->cr_valid && lane != END_NO_LANE, taken = back && m->used[lane];
  bool cfg = i->cfg_we && (i->cfg_addr == 2 * VLS || (kind < 2 && v < s->cfg.VLS));
  must_be(m, cycle, "error", o->error, m->ignored[1]);
  m->ignored[1] = m->ignored[0];
  m->ignored[0] = (back && !taken) || (cfg && (!o->idle || o->grant_valid));
  m->event = i->cr_valid || o->grant_valid || !o->ready ? 0 : m->event + 1;
  if (taken) {
    m->used[lane]--;
    m->used_all--;
  }
  if (o->grant_valid) {
    m->used[o->grant_vl % VLS] += (uint32_t)o->grant_size;
    m->used_all += (uint32_t)o->grant_size;
  }
  m->limit_write = cfg ? 0 : m->limit_write + 1;
  if (cfg && o->idle && !o->grant_valid)
    *(kind == 0 ? &l->reserved[v] : kind == 1 ? &l->cap[v] : &l->total) = data;
}

static void judge_limits(struct state *s, uint64_t cycle, const struct loom_output_unit_out *o) {
  struct judge *m = &s->judge;
  uint32_t sum = 0;
  for (uint32_t v = 0; v < s->cfg.VLS; v++)
    sum += m->limits.reserved[v];
  bool ok = sum <= m->limits.total && m->limits.total <= s->cfg.REMOTE_UNITS;
  if (m->limit_write > SETTLED)
    must_be(m, cycle, "config_ok", o->config_ok, ok);
  if (o->idle)
    must_be(m, cycle, "units in use while idle", m->used_all, 0);
  if (o->ready && m->event > SETTLED) /* in the sweep idle_o is 0 (docs/parts.md) */
    must_be(m, cycle, "idle", o->idle, m->used_all == 0);
}

/* Packets wait for ever neither with all credits there nor with an entry for their key. */
static void judge_progress(struct state *s, uint64_t cycle, const struct loom_output_unit_in *i,
                           const struct loom_output_unit_out *o) {
  struct judge *m = &s->judge;
  uint64_t longest = 64 + 8 * s->cfg.VLS + 18 * (5 * entries(&s->cfg) + 8);
  bool any = false, open = false;
  for (uint32_t v = 0; v < s->cfg.VLS; v++) {
    const struct lane_judge *r = &m->lane[v];
    any |= r->queued > r->granted;
    open |= r->queued == r->granted && r->queued && r->packet[(r->queued - 1) % RING].more;
  }
  open &= keeps_trains(&s->cfg);
  bool may = any && !open && !i->hold && !m->used_all && !o->busy && m->sent == m->granted;
  m->stuck = may && !o->grant_valid ? m->stuck + 1 : 0;
  must_be(m, cycle, "a packet that waits too long", m->stuck > longest, 0);
  const struct lane_judge *r = &m->lane[m->order[m->sent % RING]];
  bool whole = m->sent < m->granted && r->number[r->sent % RING] < m->written;
  m->silent = whole && !o->out_valid ? m->silent + 1 : 0;
  must_be(m, cycle, "a granted packet that waits too long", m->silent > SILENT, 0);
  m->written += i->wr_valid && i->wr_last;
}

static void note(struct state *s, uint64_t cycle, const struct loom_output_unit_in *i,
                 struct stats *stats) {
  struct judge *m = &s->judge;
  struct lane_judge *r = &m->lane[i->queue_vl % VLS];
  const struct packet_note n = {.cycle = cycle,
                                .vl = (uint32_t)i->queue_vl,
                                .dest = (uint32_t)i->queue_sl,
                                .length = (uint32_t)i->queue_len,
                                .id = m->queued};
  r->packet[r->queued % RING] = (struct packet){(uint8_t)i->queue_vl, (uint8_t)i->queue_sl,
                                                i->queue_more, (uint16_t)i->queue_len};
  r->number[r->queued++ % RING] = m->queued++;
  stats->packets++;
  stats_note(stats, &n);
}

static void observe(void *st, uint64_t cycle, const void *in, const void *out, const void *probe,
                    struct stats *stats) {
  const struct loom_output_unit_in *i = in;
  const struct loom_output_unit_out *o = out;
  struct state *s = st;
  struct judge *m = &s->judge;
  (void)probe;
  judge_grant(s, cycle, o);
  judge_train(s, cycle, i, o);
  judge_link(s, cycle, o);
  judge_units(s, cycle, i, o);
  judge_limits(s, cycle, o);
  judge_credits(s, cycle, i, o);
  judge_progress(s, cycle, i, o);
  if (i->queue)
    note(s, cycle, i, stats);
  stats->grants += o->out_valid && o->out_tail; /* packets that left */
  m->held[1] = m->held[0];
  m->held[0] = i->hold;
}

static bool check(const void *st, char *why, size_t why_size) {
  const struct state *s = st;
  if (s->judge.wrong[0])
    snprintf(why, why_size, "%s", s->judge.wrong);
  return !s->judge.wrong[0];
}

static const struct stim stim = {.size = sizeof(struct state),
                                 .episode = 50000,
                                 .init = init,
                                 .next = next,
                                 .observe = observe,
                                 .check = check};
const struct dut output_unit_dut = DUT_INIT(&stim);
