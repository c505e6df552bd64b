/* SPDX-License-Identifier: Apache-2.0 */
/* allocation_edge.h - the edge of an allocation, written from docs/allocation.md
 * Inside: pipelined_alloc, mport_alloc.
 *
 * Included once by each of the twins, which before that says what it is made of:
 *   ALLOC_BANKS      banks of sources, and of targets
 *   alloc            its struct, with the fields of struct loom_pipelined_alloc
 *   alloc_in         what a cycle brings
 *   target_of, source_of   the other end of an offer: of a source and the number that it has for
 *                    a target, of a target and the number that it has for a source
 *   knows_target     whether the head event of a source is for one of its targets
 *   head_events, head_lane, head_record, source_ready, target_ready, room_of   what a cycle brings
 * So who is connected with whom is known where this is compiled, and costs nothing where all are.
 *
 * Ports are members of sets, so a cycle costs what is on its way. What an edge needs of registers
 * that it changes is kept in `struct now`. Two things turn in every cycle even where nothing
 * happens, the turn of a source without heads and the due of a target that nobody wants; they are
 * kept as a distance from counters that turn with them. */

#ifndef ALLOC_BANKS
#error "define ALLOC_BANKS, and what else is said above, before this"
#endif

/* Registers as they are in this cycle: sets of sources, and below of targets. */
struct now {
  struct {
    uint64_t took, known, mine;
    uint64_t kill;            /* took the head with the turn */
    uint64_t gone;            /* took the head that is at the stage `pick` */
    uint64_t insists, events; /* on its turn; a head event */
  } source[ALLOC_BANKS];
  uint64_t booked[ALLOC_BANKS];
  uint32_t slot; /* of the lane that is done, and then of the one that is picked */
};

/* Index of a source or a target among those of all banks. */
static inline uint32_t index_of(uint32_t bank, uint32_t place) {
  return bank * LOOM_ALLOC_PORTS + place;
}

/* The record of the offer of a source at a stage. */
static inline const struct loom_alloc_record *offered(const alloc *s, uint32_t bank,
                                                      uint32_t source, uint32_t stage) {
  return loom_alloc_record(&s->source[index_of(bank, source)], s->time, stage);
}

/* a + b modulo n; a, b < n. */
static uint32_t ahead(uint32_t a, uint32_t b, uint32_t n) { return a + b < n ? a + b : a + b - n; }

static uint64_t set_bit(uint64_t set, uint64_t bit, bool value) {
  return value ? set | bit : set & ~bit;
}

/* ---- grant ----------------------------------------------------------------------------------- */

/* A set a bank. */
struct sets {
  uint64_t of[ALLOC_BANKS];
};

/* One of those who ask this target is granted. */
static void grant_one(alloc *s, uint32_t bank, uint32_t place, uint64_t request) {
  struct loom_alloc_target *t = &s->target[index_of(bank, place)];
  t->booked_source = (uint8_t)loom_rr_arbiter_pick(&t->arbiter, request);
  loom_rr_arbiter_advance(&t->arbiter, t->booked_source);
  s->targets[bank].booked |= 1ull << place;
  struct loom_alloc_end source = source_of(bank, place, t->booked_source);
  s->sources[source.bank].took |= 1ull << source.place;
}

/* Each target of `may` that one of `askers` asks grants one of them. */
static void choose(alloc *s, const alloc_in *in, struct sets askers, struct sets may) {
  uint64_t request[sizeof s->target / sizeof s->target[0]] = {0};
  struct sets asked = {{0}};
  for (uint32_t bank = 0; bank < ALLOC_BANKS; bank++)
    for (uint64_t left = askers.of[bank]; left; left &= left - 1) {
      uint32_t source = loom_ctz(left);
      uint32_t number = offered(s, bank, source, LOOM_ALLOC_ASK)->target;
      struct loom_alloc_end target = target_of(bank, source, number);
      request[index_of(target.bank, target.place)] |= 1ull << target.name;
      asked.of[target.bank] |= 1ull << target.place;
    }
  for (uint32_t bank = 0; bank < ALLOC_BANKS; bank++)
    for (uint64_t left = asked.of[bank] & may.of[bank]; left; left &= left - 1) {
      uint32_t place = loom_ctz(left), index = index_of(bank, place);
      bool rested = s->targets[bank].rest1 >> place & 1;
      if (!(rested && s->target[index].was & ~room_of(in, index)))
        grant_one(s, bank, place, request[index]);
    }
}

/* Those that ask and may be granted; and the next cycle of the registers that say so. */
static uint64_t askers_of(struct loom_alloc_sources *f, uint64_t ready) {
  uint64_t askers = f->ask & f->ready & ~f->took & ~f->rest;
  f->rest = f->took;
  f->took = 0;
  f->ready = ready;
  return askers;
}

static void grant(alloc *s, const alloc_in *in) {
  struct sets askers, may, rest;
  uint64_t any = 0;
  for (uint32_t bank = 0; bank < ALLOC_BANKS; bank++) {
    struct loom_alloc_targets *to = &s->targets[bank];
    any |= askers.of[bank] = askers_of(&s->sources[bank], source_ready(in, bank));
    may.of[bank] = to->ready & ~to->booked & ~to->rest0;
    rest.of[bank] = to->rest0;
    to->rest0 = to->booked;
    to->booked = 0;
    to->ready = target_ready(in, bank);
  }
  if (any)
    choose(s, in, askers, may);
  for (uint32_t bank = 0; bank < ALLOC_BANKS; bank++) {
    s->targets[bank].rest1 = rest.of[bank];
    for (uint64_t left = rest.of[bank]; left; left &= left - 1) {
      uint32_t index = index_of(bank, loom_ctz(left));
      s->target[index].was = (uint32_t)room_of(in, index);
    }
  }
}

/* ---- due and hold ---------------------------------------------------------------------------- */

/* The due sources that are held for, and those of them that find room. */
static void remind(alloc *s) {
  for (uint32_t bank = 0; bank < ALLOC_BANKS; bank++)
    s->sources[bank].mine = s->sources[bank].insist = 0;
  for (uint32_t bank = 0; bank < ALLOC_BANKS; bank++)
    for (uint64_t left = s->targets[bank].hold & s->targets[bank].sought; left; left &= left - 1) {
      uint32_t place = loom_ctz(left);
      const struct loom_alloc_target *t = &s->target[index_of(bank, place)];
      struct loom_alloc_end source = source_of(bank, place, t->due);
      uint64_t due = (t->wanted >> t->due & 1) << source.place;
      s->sources[source.bank].mine |= due;
      if (s->targets[bank].hold_room >> place & 1)
        s->sources[source.bank].insist |= due;
    }
}

/* One step of a target that somebody wants. */
static void wait_for(alloc *s, const alloc_in *in, const struct now *now, uint32_t bank,
                     uint32_t place) {
  struct loom_alloc_target *t = &s->target[index_of(bank, place)];
  struct loom_alloc_end source = source_of(bank, place, t->due);
  if (!(t->wanted >> t->due & 1)) {
    t->due = (uint8_t)ahead(t->due, 1, s->targets[bank].sources);
    t->count = 0;
  } else if (t->count < s->patience) {
    bool passed = (now->booked[bank] >> place | now->source[source.bank].took >> source.place) & 1;
    t->count = (uint8_t)(t->count + passed);
  } else {
    t->hold_vl = s->source[index_of(source.bank, source.place)].turn_vl;
    s->targets[bank].hold |= 1ull << place;
    s->targets[bank].hold_room |= (room_of(in, index_of(bank, place)) >> t->hold_vl & 1) << place;
  }
}

static void hold(alloc *s, const alloc_in *in, const struct now *now) {
  for (uint32_t bank = 0; bank < ALLOC_BANKS; bank++) {
    s->targets[bank].hold = s->targets[bank].hold_room = 0;
    for (uint64_t left = s->targets[bank].sought; left; left &= left - 1)
      wait_for(s, in, now, bank, loom_ctz(left));
  }
}

/* A target is sought from now on, or no longer. */
static void seek(struct loom_alloc_targets *to, struct loom_alloc_target *t, uint32_t place) {
  uint64_t bit = 1ull << place;
  bool was = to->sought & bit, is = t->wanted;
  if (is && !was)
    t->due = (uint8_t)ahead(t->due, to->due_spin, to->sources);
  else if (was && !is)
    t->due = (uint8_t)ahead(t->due, to->sources - to->due_spin, to->sources);
  if (!is)
    t->count = 0;
  to->sought = set_bit(to->sought, bit, is);
}

/* The head with the turn of a source was read. */
static struct loom_alloc_end turn_read(alloc *s, uint32_t bank, uint32_t source) {
  struct loom_alloc_source *p = &s->source[index_of(bank, source)];
  const struct loom_alloc_record *r = offered(s, bank, source, LOOM_ALLOC_LOOK);
  struct loom_alloc_end target = target_of(bank, source, r->target);
  p->turn_target = r->target;
  p->turn_vl = r->vl;
  s->target[index_of(target.bank, target.place)].wanted |= 1ull << target.name;
  return target;
}

/* It was booked. */
static struct loom_alloc_end turn_booked(alloc *s, uint32_t bank, uint32_t source) {
  uint32_t number = s->source[index_of(bank, source)].turn_target;
  struct loom_alloc_end target = target_of(bank, source, number);
  s->target[index_of(target.bank, target.place)].wanted &= ~(1ull << target.name);
  return target;
}

/* Which heads with the turn are known: those that were read come, those that were booked go. None
 * does both: what was booked had been read before. */
static void know(alloc *s, const struct now *now) {
  struct sets touched = {{0}};
  for (uint32_t bank = 0; bank < ALLOC_BANKS; bank++) {
    struct loom_alloc_sources *f = &s->sources[bank];
    uint64_t come =
        f->look.valid & f->look.turn & ~(now->source[bank].known | now->source[bank].kill);
    uint64_t go = now->source[bank].known & now->source[bank].kill;
    for (uint64_t left = come; left; left &= left - 1) {
      struct loom_alloc_end target = turn_read(s, bank, loom_ctz(left));
      touched.of[target.bank] |= 1ull << target.place;
    }
    for (uint64_t left = go; left; left &= left - 1) {
      struct loom_alloc_end target = turn_booked(s, bank, loom_ctz(left));
      touched.of[target.bank] |= 1ull << target.place;
    }
    f->known = (now->source[bank].known | come) & ~go;
  }
  for (uint32_t bank = 0; bank < ALLOC_BANKS; bank++)
    for (uint64_t left = touched.of[bank]; left; left &= left - 1)
      seek(&s->targets[bank], &s->target[index_of(bank, loom_ctz(left))], loom_ctz(left));
}

/* ---- sources --------------------------------------------------------------------------------- */

/* The offers that find room at a target which does not hold it for another. */
static void look(alloc *s, const alloc_in *in, const struct now *now, uint32_t bank) {
  struct loom_alloc_sources *f = &s->sources[bank];
  uint64_t favoured = f->look.turn & now->source[bank].mine;
  f->ask = 0;
  for (uint64_t left = f->look.valid; left; left &= left - 1) {
    uint32_t source = loom_ctz(left);
    const struct loom_alloc_record *r = offered(s, bank, source, LOOM_ALLOC_LOOK);
    struct loom_alloc_end target = target_of(bank, source, r->target);
    uint32_t index = index_of(target.bank, target.place);
    bool refused = s->targets[target.bank].hold >> target.place & 1 &&
                   s->target[index].hold_vl == r->vl && !(favoured >> source & 1);
    if (!refused)
      f->ask |= (room_of(in, index) >> r->vl & 1) << source;
  }
}

/* The lane that is picked: `lanes` are those that may be, not 0. */
static void pick(alloc *s, const struct now *now, uint32_t bank, uint32_t source, uint32_t lanes) {
  struct loom_alloc_source *p = &s->source[index_of(bank, source)];
  struct loom_alloc_sources *f = &s->sources[bank];
  uint64_t bit = 1ull << source;
  uint32_t lane = loom_ctz_from(lanes, p->next);
  bool goes = now->source[bank].took & bit && lane == p->lane[now->slot];
  p->next = (uint8_t)ahead(lane, 1, f->lanes);
  p->lane[now->slot] = (uint8_t)lane;
  if (lane == p->turn)
    f->pick.turn |= bit;
  if (!goes)
    f->pick.valid |= bit;
}

/* A head event. What the user must not send is not heard. */
static void hear(alloc *s, const alloc_in *in, uint32_t bank, uint32_t source) {
  struct loom_alloc_source *p = &s->source[index_of(bank, source)];
  uint64_t lane = head_lane(in, index_of(bank, source));
  if (lane >= s->sources[bank].lanes || !knows_target(s, in, bank, source))
    return;
  p->record[lane] = head_record(in, index_of(bank, source));
  p->present |= 1u << lane;
}

/* The edge of a source with a head or an event. */
static void serve(alloc *s, const alloc_in *in, const struct now *now, uint32_t bank,
                  uint32_t source) {
  struct loom_alloc_source *p = &s->source[index_of(bank, source)];
  struct loom_alloc_sources *f = &s->sources[bank];
  uint64_t bit = 1ull << source;
  uint32_t passed = p->present ? ~p->present >> p->turn & 1 : f->turn_spin;
  uint32_t lanes = now->source[bank].insists & bit ? 1u << p->turn : p->present;
  if (now->source[bank].took & bit)
    p->present &= ~(1u << p->lane[now->slot]);
  if (now->source[bank].events & bit)
    hear(s, in, bank, source);
  if (lanes)
    pick(s, now, bank, source, lanes);
  p->turn = (uint8_t)ahead(p->turn, passed, f->lanes);
  if (!p->present)
    p->turn = (uint8_t)ahead(p->turn, f->lanes - f->turn_spin, f->lanes);
  f->busy = set_bit(f->busy, bit, p->present);
}

static void sources(alloc *s, const alloc_in *in, const struct now *now, uint32_t bank) {
  struct loom_alloc_sources *f = &s->sources[bank];
  f->look.valid = f->pick.valid & ~now->source[bank].gone;
  f->look.turn = f->pick.turn;
  f->pick = (struct loom_alloc_stage){0};
  for (uint64_t left = f->busy | now->source[bank].events; left; left &= left - 1)
    serve(s, in, now, bank, loom_ctz(left));
}

/* ---- one cycle ------------------------------------------------------------------------------- */

/* What else is known or offered of the head that this source took. */
static void find_taken(const alloc *s, struct now *now, uint32_t bank, uint32_t source) {
  const struct loom_alloc_source *p = &s->source[index_of(bank, source)];
  uint32_t lane = p->lane[now->slot];
  uint64_t bit = 1ull << source;
  now->source[bank].kill |= lane == p->turn ? bit : 0;
  now->source[bank].gone |= lane == loom_alloc_lane(p, s->time, LOOM_ALLOC_PICK) ? bit : 0;
}

/* The registers of this cycle, and one step of what turns in every cycle. */
static struct now look_around(alloc *s, const alloc_in *in) {
  struct now now;
  now.slot = (s->time + 1) % LOOM_ALLOC_STAGES;
  for (uint32_t bank = 0; bank < ALLOC_BANKS; bank++) {
    struct loom_alloc_sources *f = &s->sources[bank];
    struct loom_alloc_targets *to = &s->targets[bank];
    now.source[bank].took = f->took;
    now.source[bank].known = f->known;
    now.source[bank].mine = f->mine;
    now.source[bank].insists = f->insist & f->known;
    now.source[bank].events = head_events(in, bank);
    now.source[bank].kill = now.source[bank].gone = 0;
    for (uint64_t left = f->took; left; left &= left - 1)
      find_taken(s, &now, bank, loom_ctz(left));
    now.booked[bank] = to->booked;
    f->turn_spin = ahead(f->turn_spin, 1, f->lanes);
    to->due_spin = ahead(to->due_spin, 1, to->sources);
  }
  return now;
}

static void edge(alloc *s, const alloc_in *in) {
  const struct now now = look_around(s, in);
  grant(s, in);
  remind(s);
  for (uint32_t bank = 0; bank < ALLOC_BANKS; bank++)
    look(s, in, &now, bank);
  hold(s, in, &now);
  know(s, &now);
  for (uint32_t bank = 0; bank < ALLOC_BANKS; bank++)
    sources(s, in, &now, bank);
  s->time++;
}

static void init_targets(alloc *s, uint32_t bank, uint32_t count, uint32_t of_each) {
  s->targets[bank].sources = of_each;
  for (uint32_t place = 0; place < count; place++)
    loom_rr_arbiter_init(&s->target[index_of(bank, place)].arbiter,
                         &(struct loom_rr_arbiter_cfg){.N = of_each});
}

/* Nothing happens in this bank at an edge with these inputs, but what `skip` does. */
static bool bank_rests(const alloc *s, const alloc_in *in, uint32_t bank) {
  const struct loom_alloc_sources *f = &s->sources[bank];
  const struct loom_alloc_targets *to = &s->targets[bank];
  uint64_t offers = f->pick.valid | f->look.valid | f->ask;
  uint64_t from = f->busy | f->known | f->mine | f->insist | f->rest | f->took;
  uint64_t at = to->sought | to->booked | to->rest0 | to->rest1 | to->hold;
  return !(offers | from | at) && f->ready == source_ready(in, bank) &&
         to->ready == target_ready(in, bank);
}

static void skip(alloc *s, uint64_t cycles) {
  for (uint32_t bank = 0; bank < ALLOC_BANKS; bank++) {
    struct loom_alloc_sources *f = &s->sources[bank];
    struct loom_alloc_targets *to = &s->targets[bank];
    f->turn_spin = (uint32_t)((f->turn_spin + cycles) % f->lanes);
    to->due_spin = (uint32_t)((to->due_spin + cycles) % to->sources);
  }
  s->time += (uint32_t)cycles;
}
