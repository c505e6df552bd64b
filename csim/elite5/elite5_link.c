/* SPDX-License-Identifier: Apache-2.0 */
/* elite5_link.c - states of the links of the Elite5 router, traps, written from docs/elite5.md
 *
 * Inside: elite5_router. */
#include "elite5/elite5_cycle.h"

enum { QUIET_CYCLES = 8 };

/* ---- traps ----------------------------------------------------------------------------------- */

void loom_elite5_trap(struct loom_elite5_router *s, uint32_t link, enum loom_elite5_cause cause,
                      uint32_t vc, const struct loom_elite5_record *packet) {
  if (s->trapped >> link & 1) {
    loom_elite5_count(s, LOOM_ELITE5_TRAPS_LOST, 1u << link);
    return;
  }
  s->trapped |= 1u << link;
  s->link[link].trap = loom_elite5_trap_word(link, cause, vc, packet);
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

bool loom_elite5_quiet(const struct loom_elite5_router *s, uint32_t l) {
  return s->calm >> l & 1 && s->now - s->link[l].calm_since >= QUIET_CYCLES;
}

static void move(struct loom_elite5_router *s, struct loom_elite5_cycle *c, uint32_t l,
                 enum loom_elite5_link_state state) {
  c->moved |= 1u << l;
  s->next_state[l] = (uint8_t)state;
}

/* What a link sends in this cycle as its state says: words of its test, or control (E5-35). */
static void send_training(struct loom_elite5_router *s, uint32_t l, bool quiet) {
  struct loom_elite5_link *k = &s->link[l];
  struct loom_prbs31_gen *gen = &s->gen[l];
  bool tests = k->state == LOOM_ELITE5_PRBS || k->state == LOOM_ELITE5_LINK_READY;
  uint64_t control = 0;
  if (tests && gen->valid)
    put_word(s, l, false, gen->data);
  else
    control = loom_elite5_link_control(k, &s->set, l, quiet);
  if (control)
    put_word(s, l, true, control);
  if (tests) {
    struct loom_prbs31_gen_out out;
    const struct loom_prbs31_gen_in in = {.enable = loom_elite5_link_draws(k, &s->set)};
    loom_prbs31_gen_step(gen, &in, &out);
  }
}

/* A link in one of the states 1..4. `drops`: rule 1 or 2 applies. */
static void strive(struct loom_elite5_router *s, struct loom_elite5_cycle *c, uint32_t l,
                   bool drops) {
  struct loom_elite5_link *k = &s->link[l];
  const struct loom_elite5_link_view w = {.quiet = loom_elite5_quiet(s, l),
                                          .word = s->ctl.valid >> l & 1,
                                          .head = s->ctl.head >> l & 1,
                                          .data = s->ctl.data[l],
                                          .now = s->now};
  bool told = k->told;
  send_training(s, l, w.quiet);
  const struct loom_elite5_link_move m = loom_elite5_link_cycle(k, &s->set, &w, told, drops);
  if (m.cause)
    trap_link(s, l, (enum loom_elite5_cause)m.cause);
  if (m.moves)
    move(s, c, l, (enum loom_elite5_link_state)m.state);
}

/* ---- all links (E5-35, E5-36, E5-25) --------------------------------------------------------- */

/* Links in UP with more errors in the window than their class allows. */
static loom_links over_limit(const struct loom_elite5_router *s) {
  loom_links over = 0;
  for (loom_links set = s->erring & s->up; set; set &= set - 1) {
    const struct loom_elite5_link *k = &s->link[loom_ctz(set)];
    if (k->window_errors > s->set.limit[k->single])
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
  for (loom_links set = s->striving; set; set &= set - 1)
    strive(s, c, loom_ctz(set), drop & set & -set);
  drop_links(s, c, drop);
  if (s->erring)
    remove_links(s, c, over_limit(s) & ~drop);
  for (; starting; starting &= starting - 1)
    move(s, c, loom_ctz(starting), loom_elite5_link_start(&s->link[loom_ctz(starting)], &s->set));
  watch_calm(s);
}

/* ---- the edge -------------------------------------------------------------------------------- */

static void enter(struct loom_elite5_router *s, uint32_t l, enum loom_elite5_link_state state) {
  const struct loom_prbs31_check_in restart = {.restart = 1};
  struct loom_prbs31_check_out out;
  struct loom_elite5_link *k = &s->link[l];
  if (k->state != LOOM_ELITE5_PRBS) { /* then nothing was generated in the last cycle */
    s->gen[l].valid = false;
    s->gen[l].data = 0;
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
  uint64_t window = loom_max(s->set.window, 1), cycles = s->now - s->window_since;
  if (cycles < window)
    return;
  clear_errors(s, s->erring);
  s->window_since = s->now - cycles % window;
}

void loom_elite5_move(struct loom_elite5_router *s, const struct loom_elite5_cycle *c) {
  loom_links before = s->up;
  if (s->now - s->window_since + 1 == loom_max(s->set.window, 1)) {
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
