/* SPDX-License-Identifier: Apache-2.0 */
/* pipelined_alloc.c - twin of rtl/switch/loom_pipelined_alloc.v, written from docs/allocation.md
 *
 * Ports are members of sets, so a cycle costs what is on its way. What an edge needs of registers
 * that it changes is kept in `struct now`. Two things turn in every cycle even where nothing
 * happens, the turn of a source without heads and the due of a target that nobody wants; they are
 * kept as a distance from counters that turn with them. */
#include "switch/pipelined_alloc.h"

#include <loom/bits.h>
#include <string.h>

/* Registers as they are in this cycle: sets of sources, and below of targets. */
struct now {
  uint64_t took, kill, known, mine, insist;
  uint64_t booked;
};

bool loom_pipelined_alloc_cfg_ok(const struct loom_pipelined_alloc_cfg *cfg) {
  return !loom_pipelined_alloc_bad_param(cfg);
}

void loom_pipelined_alloc_init(struct loom_pipelined_alloc *s,
                               const struct loom_pipelined_alloc_cfg *cfg) {
  memset(s, 0, sizeof *s);
  s->ports = cfg->PORTS;
  s->lanes = cfg->LANES;
  s->patience = cfg->PATIENCE;
  for (uint32_t t = 0; t < s->ports; t++)
    loom_rr_arbiter_init(&s->target[t].arbiter, &(struct loom_rr_arbiter_cfg){.N = s->ports});
}

/* a + b modulo n; a, b < n. */
static uint32_t ahead(uint32_t a, uint32_t b, uint32_t n) { return a + b < n ? a + b : a + b - n; }

static uint64_t set_bit(uint64_t set, uint64_t bit, bool value) {
  return value ? set | bit : set & ~bit;
}

/* ---- grant ----------------------------------------------------------------------------------- */

/* Each target of `may` that one of `askers` asks grants one of them. */
static void choose(struct loom_pipelined_alloc *s, const struct loom_pipelined_alloc_in *in,
                   uint64_t askers, uint64_t may) {
  uint64_t request[LOOM_ALLOC_PORTS] = {0}, asked = 0;
  for (; askers; askers &= askers - 1) {
    uint32_t source = loom_ctz(askers),
             target = loom_pipelined_alloc_record(s, source, LOOM_ALLOC_ASK)->target;
    request[target] |= 1ull << source;
    asked |= 1ull << target;
  }
  for (uint64_t left = asked & may; left; left &= left - 1) {
    uint32_t place = loom_ctz(left);
    struct loom_alloc_target *t = &s->target[place];
    if (s->rest1 >> place & 1 && t->was & ~in->room[place])
      continue;
    t->booked_source = (uint8_t)loom_rr_arbiter_pick(&t->arbiter, request[place]);
    loom_rr_arbiter_advance(&t->arbiter, t->booked_source);
    s->booked |= 1ull << place;
    s->took |= 1ull << t->booked_source;
  }
}

static void grant(struct loom_pipelined_alloc *s, const struct loom_pipelined_alloc_in *in) {
  uint64_t askers = s->ask.valid & s->ask_good & s->source_ready & ~s->took & ~s->source_rest;
  uint64_t may = s->target_ready & ~s->booked & ~s->rest0, rest = s->rest0;
  s->source_rest = s->took;
  s->rest0 = s->booked;
  s->booked = s->took = 0;
  if (askers)
    choose(s, in, askers, may);
  s->rest1 = rest;
  for (; rest; rest &= rest - 1)
    s->target[loom_ctz(rest)].was = (uint32_t)in->room[loom_ctz(rest)];
  s->source_ready = in->source_ready;
  s->target_ready = in->target_ready;
}

/* ---- due and hold ---------------------------------------------------------------------------- */

/* The due sources that are held for, and those of them that find room. */
static void remind(struct loom_pipelined_alloc *s) {
  s->mine = s->insist = 0;
  for (uint64_t left = s->hold & s->sought; left; left &= left - 1) {
    uint32_t place = loom_ctz(left);
    const struct loom_alloc_target *t = &s->target[place];
    uint64_t due = t->wanted & 1ull << t->due;
    s->mine |= due;
    if (s->hold_room >> place & 1)
      s->insist |= due;
  }
}

/* One step of a target that somebody wants. */
static void wait_for(struct loom_pipelined_alloc *s, const struct loom_pipelined_alloc_in *in,
                     const struct now *now, uint32_t place) {
  struct loom_alloc_target *t = &s->target[place];
  if (!(t->wanted >> t->due & 1)) {
    t->due = (uint8_t)ahead(t->due, 1, s->ports);
    t->count = 0;
  } else if (t->count < s->patience) {
    bool passed = (now->booked >> place | now->took >> t->due) & 1;
    t->count = (uint8_t)(t->count + passed);
  } else {
    t->hold_vl = s->source[t->due].turn_vl;
    s->hold |= 1ull << place;
    s->hold_room |= (in->room[place] >> t->hold_vl & 1) << place;
  }
}

static void hold(struct loom_pipelined_alloc *s, const struct loom_pipelined_alloc_in *in,
                 const struct now *now) {
  s->hold = s->hold_room = 0;
  for (uint64_t left = s->sought; left; left &= left - 1)
    wait_for(s, in, now, loom_ctz(left));
}

/* A target is sought from now on, or no longer. */
static void seek(struct loom_pipelined_alloc *s, uint32_t place) {
  struct loom_alloc_target *t = &s->target[place];
  uint64_t bit = 1ull << place;
  bool was = s->sought & bit, is = t->wanted;
  if (is && !was)
    t->due = (uint8_t)ahead(t->due, s->due_spin, s->ports);
  else if (was && !is)
    t->due = (uint8_t)ahead(t->due, s->ports - s->due_spin, s->ports);
  if (!is)
    t->count = 0;
  s->sought = set_bit(s->sought, bit, is);
}

/* Which heads with the turn are known: those that were read come, those that were booked go. None
 * does both: what was booked had been read before. */
static void know(struct loom_pipelined_alloc *s, const struct now *now) {
  uint64_t come = s->look.valid & s->look.turn & ~now->known;
  uint64_t go = now->known & now->kill, touched = 0;
  for (uint64_t left = come; left; left &= left - 1) {
    uint32_t source = loom_ctz(left);
    struct loom_alloc_source *p = &s->source[source];
    const struct loom_alloc_record *r = loom_pipelined_alloc_record(s, source, LOOM_ALLOC_LOOK);
    p->turn_target = r->target;
    p->turn_vl = r->vl;
    s->target[r->target].wanted |= 1ull << source;
    touched |= 1ull << r->target;
  }
  for (uint64_t left = go; left; left &= left - 1) {
    uint32_t source = loom_ctz(left), target = s->source[source].turn_target;
    s->target[target].wanted &= ~(1ull << source);
    touched |= 1ull << target;
  }
  for (; touched; touched &= touched - 1)
    seek(s, loom_ctz(touched));
  s->known = (now->known | come) & ~go;
}

/* ---- sources --------------------------------------------------------------------------------- */

/* The offers that find room at a target which does not hold it for another. */
static void look(struct loom_pipelined_alloc *s, const struct loom_pipelined_alloc_in *in,
                 const struct now *now) {
  uint64_t favoured = s->look.turn & now->mine;
  s->ask_good = 0;
  for (uint64_t left = s->look.valid; left; left &= left - 1) {
    uint32_t source = loom_ctz(left);
    const struct loom_alloc_record *r = loom_pipelined_alloc_record(s, source, LOOM_ALLOC_LOOK);
    bool refused = s->hold >> r->target & 1 && s->target[r->target].hold_vl == r->vl &&
                   !(favoured >> source & 1);
    if (!refused)
      s->ask_good |= (in->room[r->target] >> r->vl & 1) << source;
  }
}

/* The lane that is picked: `lanes` are those that may be, not 0. */
static void pick(struct loom_pipelined_alloc *s, const struct now *now, uint32_t source,
                 uint32_t lanes) {
  struct loom_alloc_source *p = &s->source[source];
  uint64_t bit = 1ull << source;
  uint32_t lane = loom_ctz_from(lanes, p->next);
  bool turn = lane == p->turn;
  p->next = (uint8_t)ahead(lane, 1, s->lanes);
  p->wait &= ~(1u << lane);
  p->lane[(s->time + 1) % LOOM_ALLOC_STAGES] = (uint8_t)lane;
  s->pick.valid |= turn ? bit & ~now->kill : bit;
  s->pick.turn |= turn ? bit : 0;
}

/* A head event. What the user must not send is not heard. */
static void hear(struct loom_pipelined_alloc *s, const struct loom_pipelined_alloc_in *in,
                 uint32_t source) {
  struct loom_alloc_source *p = &s->source[source];
  uint64_t lane = in->head_lane[source], target = in->head_target[source];
  if (lane >= s->lanes || target >= s->ports)
    return;
  p->wait |= 1u << lane;
  p->present |= 1u << lane;
  p->record[lane] = (struct loom_alloc_record){in->head_info[source], (uint8_t)target,
                                               (uint8_t)in->head_vl[source]};
}

/* The edge of a source with a head or an event. */
static void serve(struct loom_pipelined_alloc *s, const struct loom_pipelined_alloc_in *in,
                  const struct now *now, uint32_t source) {
  struct loom_alloc_source *p = &s->source[source];
  uint64_t bit = 1ull << source;
  uint32_t passed = p->present ? ~p->present >> p->turn & 1 : s->turn_spin;
  uint32_t lanes = now->insist & now->known & bit ? 1u << p->turn : p->wait;
  if (s->done.valid & bit) {
    uint32_t over = 1u << loom_pipelined_alloc_lane(s, source, LOOM_ALLOC_DONE);
    if (now->took & bit) {
      p->wait &= ~over;
      p->present &= ~over;
    } else {
      p->wait |= over;
    }
  }
  if (in->head_event & bit)
    hear(s, in, source);
  if (lanes)
    pick(s, now, source, lanes);
  p->turn = (uint8_t)ahead(p->turn, passed, s->lanes);
  if (!p->present)
    p->turn = (uint8_t)ahead(p->turn, s->lanes - s->turn_spin, s->lanes);
  s->busy = set_bit(s->busy, bit, p->present);
}

static struct loom_alloc_stage survivors(const struct loom_alloc_stage *stage, uint64_t kill) {
  return (struct loom_alloc_stage){stage->valid & ~(kill & stage->turn), stage->turn};
}

static void sources(struct loom_pipelined_alloc *s, const struct loom_pipelined_alloc_in *in,
                    const struct now *now) {
  struct loom_alloc_stage to_look = survivors(&s->pick, now->kill);
  s->pick = (struct loom_alloc_stage){0};
  for (uint64_t left = s->busy | in->head_event; left; left &= left - 1)
    serve(s, in, now, loom_ctz(left));
  s->done = survivors(&s->ask, now->kill);
  s->ask = survivors(&s->look, now->kill);
  s->look = to_look;
}

/* ---- one cycle ------------------------------------------------------------------------------- */

void loom_pipelined_alloc_show(const struct loom_pipelined_alloc *s,
                               struct loom_pipelined_alloc_out *out) {
  memset(out, 0, sizeof *out);
  out->take = s->took;
  out->book = s->booked;
  for (uint64_t left = s->booked; left; left &= left - 1) {
    uint32_t target = loom_ctz(left), source = s->target[target].booked_source;
    const struct loom_alloc_record *r = loom_pipelined_alloc_record(s, source, LOOM_ALLOC_DONE);
    out->take_lane[source] = loom_pipelined_alloc_lane(s, source, LOOM_ALLOC_DONE);
    out->take_target[source] = target;
    out->book_source[target] = source;
    out->book_vl[target] = r->vl;
    out->book_info[target] = r->info;
  }
}

void loom_pipelined_alloc_edge(struct loom_pipelined_alloc *s,
                               const struct loom_pipelined_alloc_in *in) {
  const struct now now = {.took = s->took,
                          .kill = s->took & s->done.turn,
                          .known = s->known,
                          .mine = s->mine,
                          .insist = s->insist,
                          .booked = s->booked};
  s->turn_spin = ahead(s->turn_spin, 1, s->lanes);
  s->due_spin = ahead(s->due_spin, 1, s->ports);
  grant(s, in);
  remind(s);
  look(s, in, &now);
  hold(s, in, &now);
  know(s, &now);
  sources(s, in, &now);
  s->time++;
}

bool loom_pipelined_alloc_rests(const struct loom_pipelined_alloc *s,
                                const struct loom_pipelined_alloc_in *in) {
  uint64_t offers = s->pick.valid | s->look.valid | s->ask.valid | s->done.valid;
  uint64_t sources = s->busy | s->known | s->mine | s->insist | s->source_rest | s->took;
  uint64_t targets = s->sought | s->booked | s->rest0 | s->rest1 | s->hold;
  return !(offers | sources | targets) && s->source_ready == in->source_ready &&
         s->target_ready == in->target_ready;
}

void loom_pipelined_alloc_skip(struct loom_pipelined_alloc *s, uint64_t cycles) {
  s->turn_spin = (uint32_t)((s->turn_spin + cycles) % s->lanes);
  s->due_spin = (uint32_t)((s->due_spin + cycles) % s->ports);
  s->time += (uint32_t)cycles;
}

void loom_pipelined_alloc_step(struct loom_pipelined_alloc *s,
                               const struct loom_pipelined_alloc_in *in,
                               struct loom_pipelined_alloc_out *out) {
  loom_pipelined_alloc_show(s, out);
  loom_pipelined_alloc_edge(s, in);
}

void loom_pipelined_alloc_probe(const struct loom_pipelined_alloc *s,
                                struct loom_pipelined_alloc_probe *p) {
  p->hold = s->hold;
  p->known = s->known;
  p->loom_end = 0;
}
