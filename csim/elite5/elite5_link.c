/* SPDX-License-Identifier: Apache-2.0 */
/* elite5_link.c - states of the links of the Elite5 router, traps, written from docs/elite5.md
 *
 * Inside: elite5_router. */
#include "elite5/elite5_cycle.h"
#include "elite5/elite5_header.h"

enum { QUIET_CYCLES = 8, EXTRA_WORDS = 32, TIMER_MASK = 0x1FFFF };
enum { TRAP_TS_AT = 32 };

/* ---- traps ----------------------------------------------------------------------------------- */

void loom_elite5_trap(struct loom_elite5_router *s, uint32_t link, enum loom_elite5_cause cause,
                      uint32_t vc, const struct loom_elite5_record *packet) {
  if (s->trapped >> link & 1) {
    loom_elite5_count(s, LOOM_ELITE5_TRAPS_LOST, 1u << link);
    return;
  }
  s->trapped |= 1u << link;
  s->link[link].trap =
      (uint64_t)packet->ts << TRAP_TS_AT | LOOM_PUT(LOOM_ELITE5_REG_TRAP_VALID, 1) |
      LOOM_PUT(LOOM_ELITE5_REG_TRAP_CAUSE, cause) | LOOM_PUT(LOOM_ELITE5_REG_TRAP_LINK, link) |
      LOOM_PUT(LOOM_ELITE5_REG_TRAP_VC, vc) | LOOM_PUT(LOOM_ELITE5_REG_TRAP_DEST, packet->dest);
}

static void trap_link(struct loom_elite5_router *s, uint32_t l, enum loom_elite5_cause cause) {
  const struct loom_elite5_record none = {0};
  loom_elite5_trap(s, l, cause, 0, &none);
}

/* ---- what leaves ----------------------------------------------------------------------------- */

void loom_elite5_leave(struct loom_elite5_router *s) {
  struct loom_elite5_words *way = &s->way[(s->now + 1) % LOOM_ELITE5_STAGES];
  way->valid &= s->up;
  way->head &= s->up;
  way->tail &= s->up;
  loom_elite5_count(s, LOOM_ELITE5_WORDS_OUT, way->valid);
  loom_elite5_count(s, LOOM_ELITE5_PACKETS_OUT, way->tail);
}

static void put_word(struct loom_elite5_router *s, uint32_t l, bool control, uint64_t data) {
  struct loom_elite5_words *way = &s->way[(s->now + 1) % LOOM_ELITE5_STAGES];
  loom_links bit = 1u << l;
  way->valid |= bit;
  way->head |= control ? bit : 0;
  way->tail |= control ? bit : 0;
  way->vl[l] = 0;
  way->data[l] = data;
}

/* ---- one link -------------------------------------------------------------------------------- */

/* What a link that is looked at sees in this cycle. */
struct view {
  uint32_t l;
  bool signal, quiet, timed_out;
  bool control; /* a good control word */
  uint32_t sub;
  uint64_t info;
};

bool loom_elite5_quiet(const struct loom_elite5_router *s, uint32_t l) {
  return s->calm >> l & 1 && s->now - s->link[l].calm_since >= QUIET_CYCLES;
}

static struct view look(const struct loom_elite5_router *s, const struct loom_elite5_cycle *c,
                        uint32_t l) {
  const struct loom_elite5_link *k = &s->link[l];
  struct view w = {
      .l = l,
      .signal = c->lanes->signal >> l & 1,
      .quiet = loom_elite5_quiet(s, l),
      .timed_out = s->timeout && ((s->now - k->entered) & TIMER_MASK) == s->timeout &&
                   !(k->state == LOOM_ELITE5_LINK_READY && k->quick),
  };
  if (s->ctl.valid & s->ctl.head & 1u << l &&
      loom_elite5_type_of(s->ctl.data[l]) == LOOM_ELITE5_CONTROL)
    w.control = loom_elite5_unpack_control(&w.sub, &w.info, s->ctl.data[l]);
  return w;
}

static void move(struct loom_elite5_router *s, struct loom_elite5_cycle *c, uint32_t l,
                 enum loom_elite5_link_state state) {
  c->moved |= 1u << l;
  s->next_state[l] = (uint8_t)state;
}

/* PRBS words, then READY when both ends have sent theirs (E5-35). */
static void send_prbs(struct loom_elite5_router *s, struct loom_elite5_link *k,
                      const struct view *w) {
  uint32_t words = s->prbs_words + EXTRA_WORDS;
  if (k->gen.valid) {
    put_word(s, w->l, false, k->gen.data);
  } else if (k->state == LOOM_ELITE5_LINK_READY && k->sent >= words && w->quiet) {
    put_word(s, w->l, true, s->ready_word);
    k->told = true;
  }
  struct loom_prbs31_gen_out out;
  const struct loom_prbs31_gen_in in = {.enable = k->sent < words};
  loom_prbs31_gen_step(&k->gen, &in, &out);
  k->sent += (uint32_t)in.enable;
}

/* The checker's cycle in state PRBS. */
static void check_prbs(const struct loom_elite5_router *s, struct loom_elite5_link *k, uint32_t l) {
  loom_links bit = 1u << l;
  struct loom_prbs31_check_out out;
  const struct loom_prbs31_check_in in = {.valid = (s->ctl.valid & ~s->ctl.head & bit) != 0,
                                          .data = s->ctl.valid & bit ? s->ctl.data[l] : 0};
  loom_prbs31_check_step(&k->check, &in, &out);
  k->checked += (uint32_t)out.check;
  k->bit_errors += (uint32_t)out.errors;
}

/* What a link sends in this cycle as its state says, and what it counts whatever rule applies. */
static void strive(struct loom_elite5_router *s, struct loom_elite5_link *k, const struct view *w) {
  switch (k->state) {
  case LOOM_ELITE5_NEGOTIATING:
    put_word(s, w->l, true,
             loom_elite5_control(LOOM_ELITE5_NEGOTIATE, loom_elite5_negotiate_info(s->protocol)));
    return;
  case LOOM_ELITE5_IDCHECK:
    put_word(
        s, w->l, true,
        loom_elite5_control(LOOM_ELITE5_IDENTIFY, loom_elite5_identify_info(s->chip_id, w->l)));
    return;
  case LOOM_ELITE5_PRBS:
    check_prbs(s, k, w->l);
    break;
  default:
    break;
  }
  send_prbs(s, k, w);
  if (w->control && w->sub == LOOM_ELITE5_READY)
    k->seen = true;
}

static void start_anew(struct loom_elite5_link *k) {
  k->seen = k->told = false;
  k->sent = 0;
}

/* Rule 4: there is somebody at the other end. */
static void start(struct loom_elite5_router *s, struct loom_elite5_cycle *c, uint32_t l) {
  struct loom_elite5_link *k = &s->link[l];
  start_anew(k);
  if (k->quick)
    k->sent = s->prbs_words + EXTRA_WORDS;
  move(s, c, l, k->quick ? LOOM_ELITE5_LINK_READY : LOOM_ELITE5_NEGOTIATING);
}

/* Rule 5, which is not for READY with quick. */
static void time_out(struct loom_elite5_router *s, struct loom_elite5_cycle *c, uint32_t l) {
  struct loom_elite5_link *k = &s->link[l];
  if (k->state == LOOM_ELITE5_PRBS) {
    trap_link(s, l, LOOM_ELITE5_TRAP_FAILED);
    move(s, c, l, LOOM_ELITE5_FAILED);
    return;
  }
  start_anew(k);
  move(s, c, l, LOOM_ELITE5_NEGOTIATING);
}

/* Rule 7: who is at the other end. */
static void identify(struct loom_elite5_router *s, struct loom_elite5_cycle *c,
                     const struct view *w) {
  struct loom_elite5_link *k = &s->link[w->l];
  if (!w->control || w->sub != LOOM_ELITE5_IDENTIFY)
    return;
  k->far = loom_elite5_identity(w->info);
  if (k->check_id && k->far != k->expected) {
    trap_link(s, w->l, LOOM_ELITE5_TRAP_BADID);
    move(s, c, w->l, LOOM_ELITE5_BADID);
    return;
  }
  k->checked = k->bit_errors = 0;
  move(s, c, w->l, LOOM_ELITE5_PRBS);
}

/* Rules 6 to 9: what comes next. */
static void advance(struct loom_elite5_router *s, struct loom_elite5_cycle *c,
                    const struct view *w) {
  const struct loom_elite5_link *k = &s->link[w->l];
  switch (k->state) {
  case LOOM_ELITE5_NEGOTIATING:
    if (w->control &&
        (w->sub == LOOM_ELITE5_IDENTIFY ||
         (w->sub == LOOM_ELITE5_NEGOTIATE && w->info == loom_elite5_negotiate_info(s->protocol))))
      move(s, c, w->l, LOOM_ELITE5_IDCHECK);
    break;
  case LOOM_ELITE5_IDCHECK:
    identify(s, c, w);
    break;
  case LOOM_ELITE5_PRBS:
    if (k->checked < s->prbs_words)
      break;
    move(s, c, w->l, k->bit_errors <= s->prbs_limit ? LOOM_ELITE5_LINK_READY : LOOM_ELITE5_FAILED);
    if (k->bit_errors > s->prbs_limit)
      trap_link(s, w->l, LOOM_ELITE5_TRAP_FAILED);
    break;
  default:
    break;
  }
}

/* A link in one of the states 1..4; rules 1 and 2 do not apply. `ready`: seen and told before. */
static void apply_rules(struct loom_elite5_router *s, struct loom_elite5_cycle *c,
                        const struct view *w, bool ready) {
  if (w->timed_out)
    time_out(s, c, w->l);
  else if (s->link[w->l].state == LOOM_ELITE5_LINK_READY && ready && w->quiet)
    move(s, c, w->l, LOOM_ELITE5_UP);
  else
    advance(s, c, w);
}

/* ---- all links (E5-35, E5-36, E5-25) --------------------------------------------------------- */

/* Links in UP with more errors in the window than their class allows. */
static loom_links over_limit(const struct loom_elite5_router *s) {
  loom_links over = 0;
  for (loom_links set = s->erring & s->up; set; set &= set - 1) {
    const struct loom_elite5_link *k = &s->link[loom_ctz(set)];
    if (k->window_errors > s->limit[k->single])
      over |= set & -set;
  }
  return over;
}

static loom_links calm_links(const struct loom_elite5_router *s) {
  return s->all_links &
         ~(s->allocated | s->locked | s->not_idle | s->used | s->cur | s->word.valid);
}

/* Links that have been calm up to this cycle, and since when. */
static void watch_calm(struct loom_elite5_router *s) {
  loom_links calm = calm_links(s);
  for (loom_links set = calm & ~s->calm; set; set &= set - 1)
    s->link[loom_ctz(set)].calm_since = s->now;
  s->calm = calm;
}

static void drop_links(struct loom_elite5_router *s, struct loom_elite5_cycle *c, loom_links set) {
  for (; set; set &= set - 1) {
    uint32_t l = loom_ctz(set);
    if (s->up >> l & 1)
      trap_link(s, l, LOOM_ELITE5_TRAP_DOWN);
    move(s, c, l, LOOM_ELITE5_DOWN);
  }
}

static void remove_links(struct loom_elite5_router *s, struct loom_elite5_cycle *c,
                         loom_links set) {
  loom_elite5_count(s, LOOM_ELITE5_REMOVALS, set);
  for (; set; set &= set - 1) {
    trap_link(s, loom_ctz(set), LOOM_ELITE5_TRAP_REMOVED);
    move(s, c, loom_ctz(set), LOOM_ELITE5_FAILED);
  }
}

/* Rules 1 and 2. */
static loom_links dropping(const struct loom_elite5_router *s, loom_links signal) {
  return (s->all_links & ~s->down & ~s->enabled) | ((s->up | s->striving) & ~signal);
}

/* Rule 4. */
static loom_links beginning(const struct loom_elite5_router *s, loom_links signal) {
  return s->down & s->enabled & signal;
}

void loom_elite5_negotiate(struct loom_elite5_router *s, struct loom_elite5_cycle *c) {
  loom_links signal = c->lanes->signal;
  loom_links drop = dropping(s, signal), starting = beginning(s, signal);
  for (loom_links set = s->striving; set; set &= set - 1) {
    struct loom_elite5_link *k = &s->link[loom_ctz(set)];
    const struct view w = look(s, c, loom_ctz(set));
    bool ready = k->seen && k->told;
    strive(s, k, &w);
    if (!(drop & set & -set))
      apply_rules(s, c, &w, ready);
  }
  drop_links(s, c, drop);
  if (s->erring)
    remove_links(s, c, over_limit(s) & ~drop);
  for (; starting; starting &= starting - 1)
    start(s, c, loom_ctz(starting));
  watch_calm(s);
}

/* ---- the edge -------------------------------------------------------------------------------- */

static void enter(struct loom_elite5_router *s, uint32_t l, enum loom_elite5_link_state state) {
  const struct loom_prbs31_check_in restart = {.restart = 1};
  struct loom_prbs31_check_out out;
  struct loom_elite5_link *k = &s->link[l];
  if (k->state != LOOM_ELITE5_PRBS) { /* then nothing was generated in the last cycle */
    k->gen.valid = false;
    k->gen.data = 0;
  }
  loom_prbs31_check_step(&k->check, &restart, &out);
  if (k->state == LOOM_ELITE5_UP) { /* the tracker is in reset while not UP */
    struct loom_elite5_output *u = &s->output[l];
    for (; u->units.occupied; loom_segment_units_give_back(&u->units, loom_ctz(u->units.occupied)))
      continue;
    u->capped = u->cap ? 0 : s->all_vcs;
  }
  k->state = (uint8_t)state;
  k->entered = s->now + 1;
  s->dirty |= 1u << l;
  loom_elite5_include(&s->up, l, state == LOOM_ELITE5_UP);
  loom_elite5_include(&s->down, l, state == LOOM_ELITE5_DOWN);
  loom_elite5_include(&s->striving, l,
                      state >= LOOM_ELITE5_NEGOTIATING && state <= LOOM_ELITE5_LINK_READY);
  loom_elite5_include(&s->failed, l, state == LOOM_ELITE5_FAILED);
}

/* Errors of links that are not UP, and of all at the end of a window, are forgotten. */
static void clear_errors(struct loom_elite5_router *s, loom_links set) {
  s->erring &= ~set;
  for (; set; set &= set - 1)
    s->link[loom_ctz(set)].window_errors = 0;
}

void loom_elite5_pass_windows(struct loom_elite5_router *s) {
  uint64_t window = loom_max(s->window, 1), cycles = s->now - s->window_since;
  if (cycles < window)
    return;
  clear_errors(s, s->erring);
  s->window_since = s->now - cycles % window;
}

void loom_elite5_move(struct loom_elite5_router *s, const struct loom_elite5_cycle *c) {
  loom_links before = s->up;
  if (s->now - s->window_since + 1 == loom_max(s->window, 1)) {
    clear_errors(s, s->erring);
    s->window_since = s->now + 1;
  }
  for (loom_links set = c->moved; set; set &= set - 1)
    enter(s, loom_ctz(set), (enum loom_elite5_link_state)s->next_state[loom_ctz(set)]);
  s->fallen = before & ~s->up;
  s->back.cr_valid &= s->up;
  if (s->erring & ~s->up)
    clear_errors(s, s->erring & ~s->up);
}

/* ---- sleep ----------------------------------------------------------------------------------- */

/* What a link that is not UP swallows has NACKs in `replies`, so it needs no word here. */
bool loom_elite5_links_sleep(const struct loom_elite5_router *s, loom_links signal) {
  loom_links moving = s->striving | s->fallen | s->ctl.valid | dropping(s, signal) |
                      beginning(s, signal) | (~s->up & (s->cur | s->open)) |
                      (s->calm ^ calm_links(s));
  return !moving && !(s->erring && over_limit(s));
}
