/* SPDX-License-Identifier: Apache-2.0 */
/* crosspoint_link.c - states of the links of the Elite5 router, second edition, and traps; written
 * from docs/crosspoint_router.md
 *
 * Inside: crosspoint_router. */
#include "elite5/crosspoint_cycle.h"

enum { QUIET_CYCLES = 8, TRAPS_MOST = 13 };

/* ---- quiet ----------------------------------------------------------------------------------- */

bool loom_crosspoint_quiet(const struct loom_crosspoint_router *s, uint32_t l) {
  return s->calm_before >> l & 1 && s->now - s->port[l].link.calm_since >= QUIET_CYCLES;
}

static loom_links calm_links(const struct loom_crosspoint_router *s) {
  loom_links stir = s->allocated | s->locked[0] | s->not_idle | s->stocked | s->inside;
  for (uint32_t k = 1; k <= s->stage_w; k++)
    stir |= s->traffic[loom_crosspoint_came(s, k)];
  return s->all_links & ~stir;
}

static void watch_calm(struct loom_crosspoint_router *s) {
  loom_links calm = calm_links(s);
  /* A link that has just fallen begins anew, so that it does not come back too early. */
  for (loom_links set = (calm & ~s->calm) | s->fallen; set; set &= set - 1)
    s->port[loom_ctz(set)].link.calm_since = s->now + 1;
  s->calm_before = s->calm;
  s->calm = calm;
}

/* ---- one link -------------------------------------------------------------------------------- */

static void put_word(struct loom_crosspoint_router *s, uint32_t l, bool control, uint64_t data) {
  struct loom_elite5_words *way = &s->way[s->now % LOOM_CROSSPOINT_WAY];
  loom_links bit = 1u << l;
  way->valid |= bit;
  way->head |= control ? bit : 0;
  way->tail |= control ? bit : 0;
  way->vl[l] = 0;
  way->data[l] = data;
}

static void trap_link(struct loom_crosspoint_cycle *c, uint32_t l, enum loom_elite5_cause cause) {
  const struct loom_elite5_record none = {0};
  c->link_trapping |= 1u << l;
  c->link_trap[l] = loom_elite5_trap_word(l, cause, 0, &none);
}

static void move(struct loom_crosspoint_cycle *c, uint32_t l, enum loom_elite5_link_state state) {
  c->moved |= 1u << l;
  c->next_state[l] = (uint8_t)state;
}

/* What a link sends in this cycle as its state says: words of its test, or control (E5-35). */
static void send_training(struct loom_crosspoint_router *s, struct loom_crosspoint_cycle *c,
                          uint32_t l, bool quiet) {
  struct loom_elite5_link *k = &s->port[l].link;
  bool tests = k->state == LOOM_ELITE5_PRBS || k->state == LOOM_ELITE5_LINK_READY;
  uint64_t control = 0;
  if (tests && s->drew >> l & 1)
    put_word(s, l, false, s->gen.data);
  else
    control = loom_elite5_link_control(k, &s->set, l, quiet);
  if (control)
    put_word(s, l, true, control);
  if (tests && loom_elite5_link_draws(k, &s->set))
    c->drawing |= 1u << l;
}

/* A link in one of the states 1..4. `drops`: rule 1 or 2 applies. */
static void strive(struct loom_crosspoint_router *s, struct loom_crosspoint_cycle *c, uint32_t l,
                   bool drops) {
  struct loom_elite5_link *k = &s->port[l].link;
  uint32_t stage_2 = loom_crosspoint_came(s, s->stage_1 + 1);
  const struct loom_elite5_link_view w = {.quiet = loom_crosspoint_quiet(s, l),
                                          .word = s->training[stage_2].valid >> l & 1,
                                          .head = s->training[stage_2].head >> l & 1,
                                          .data = s->training[stage_2].data[l],
                                          .now = s->now};
  bool told = k->told;
  send_training(s, c, l, w.quiet);
  const struct loom_elite5_link_move m = loom_elite5_link_cycle(k, &s->set, &w, told, drops);
  if (m.cause)
    trap_link(c, l, (enum loom_elite5_cause)m.cause);
  if (m.moves)
    move(c, l, (enum loom_elite5_link_state)m.state);
}

/* ---- all links (E5-35, E5-36, E5-25) --------------------------------------------------------- */

/* Rules 1 and 2. */
static loom_links dropping(const struct loom_crosspoint_router *s, loom_links signal) {
  return (s->all_links & ~s->down & ~s->enabled) | ((s->up | s->striving) & ~signal);
}

static void drop_links(struct loom_crosspoint_router *s, struct loom_crosspoint_cycle *c,
                       loom_links set) {
  for (; set; set &= set - 1) {
    if (s->up & set & -set)
      trap_link(c, loom_ctz(set), LOOM_ELITE5_TRAP_DOWN);
    move(c, loom_ctz(set), LOOM_ELITE5_DOWN);
  }
}

/* Rule 3: links in UP with more errors in the window than their class allows. */
static void remove_links(struct loom_crosspoint_router *s, struct loom_crosspoint_cycle *c,
                         loom_links set) {
  for (; set; set &= set - 1) {
    uint32_t l = loom_ctz(set);
    const struct loom_elite5_link *k = &s->port[l].link;
    if (k->window_errors <= s->set.limit[k->single])
      continue;
    trap_link(c, l, LOOM_ELITE5_TRAP_REMOVED);
    move(c, l, LOOM_ELITE5_FAILED);
    loom_crosspoint_pulse(c, l, LOOM_ELITE5_REMOVALS);
  }
}

static void generate(struct loom_crosspoint_router *s, loom_links drawing) {
  struct loom_prbs31_gen_out out;
  const struct loom_prbs31_gen_in in = {.enable = drawing != 0};
  if (drawing | s->drew)
    loom_prbs31_gen_step(&s->gen, &in, &out);
  s->drew = drawing;
}

void loom_crosspoint_negotiate(struct loom_crosspoint_router *s, struct loom_crosspoint_cycle *c) {
  loom_links signal = c->lanes->signal, drop = dropping(s, signal);
  for (loom_links set = s->striving; set; set &= set - 1)
    strive(s, c, loom_ctz(set), drop & set & -set);
  generate(s, c->drawing);
  drop_links(s, c, drop);
  remove_links(s, c, s->erring & s->up & ~drop);
  for (loom_links set = s->down & s->enabled & signal; set; set &= set - 1)
    move(c, loom_ctz(set), loom_elite5_link_start(&s->port[loom_ctz(set)].link, &s->set));
  watch_calm(s);
}

/* ---- the edge -------------------------------------------------------------------------------- */

static void enter(struct loom_crosspoint_router *s, uint32_t l, enum loom_elite5_link_state state) {
  const struct loom_prbs31_check_in restart = {.restart = 1};
  struct loom_prbs31_check_out out;
  struct loom_elite5_link *k = &s->port[l].link;
  loom_prbs31_check_step(&k->check, &restart, &out);
  k->state = (uint8_t)state;
  k->entered = s->now + 1;
  loom_elite5_include(&s->up, l, state == LOOM_ELITE5_UP);
  loom_elite5_include(&s->down, l, state == LOOM_ELITE5_DOWN);
  loom_elite5_include(&s->striving, l,
                      state >= LOOM_ELITE5_NEGOTIATING && state <= LOOM_ELITE5_LINK_READY);
  loom_elite5_include(&s->failed, l, state == LOOM_ELITE5_FAILED);
}

/* Errors of links that are not UP, and of all after the end of a window, are forgotten. */
static void clear_errors(struct loom_crosspoint_router *s, loom_links set) {
  s->erring &= ~set;
  for (; set; set &= set - 1)
    s->port[loom_ctz(set)].link.window_errors = 0;
}

void loom_crosspoint_move(struct loom_crosspoint_router *s, const struct loom_crosspoint_cycle *c) {
  loom_links before = s->up;
  clear_errors(s, s->over ? s->erring : s->erring & ~s->up);
  s->over = s->now - s->window_since + 1 == loom_max(s->reg.window, 1);
  if (s->over)
    s->window_since = s->now + 1;
  for (loom_links set = c->moved; set; set &= set - 1)
    enter(s, loom_ctz(set), (enum loom_elite5_link_state)c->next_state[loom_ctz(set)]);
  s->changed |= c->moved;
  s->fallen = before & ~s->up;
  s->back.cr_valid &= s->up;
}

/* ---- traps (E5-17) --------------------------------------------------------------------------- */

/* Traps of this cycle go into the register of their link, if it is free; of two, that of the link.
 */
static void keep_traps(struct loom_crosspoint_router *s, struct loom_crosspoint_cycle *c) {
  loom_links traps = c->trapping | c->link_trapping, full = s->trapped & ~s->moved;
  loom_links lost = (c->trapping & c->link_trapping) | (traps & full);
  for (; lost; lost &= lost - 1)
    loom_crosspoint_pulse(c, loom_ctz(lost), LOOM_ELITE5_TRAPS_LOST);
  for (loom_links set = traps & ~full; set; set &= set - 1) {
    uint32_t l = loom_ctz(set);
    s->port[l].link.trap = c->link_trapping >> l & 1 ? c->link_trap[l] : c->trap[l];
  }
  s->trapped = full | traps;
}

bool loom_crosspoint_takes_traps(const struct loom_crosspoint_router *s) {
  return s->trap_count <= TRAPS_MOST;
}

void loom_crosspoint_trap(struct loom_crosspoint_router *s, struct loom_crosspoint_cycle *c) {
  if (!(s->trapped | c->trapping | c->link_trapping | s->trap_count))
    return;
  loom_links waiting = loom_crosspoint_takes_traps(s) ? s->trapped & ~s->moved : 0;
  loom_links moves = 0;
  bool pop = c->pop_trap && s->trap_count;
  if (waiting) {
    uint32_t l = loom_rr_arbiter_pick(&s->trap_arbiter, waiting);
    loom_rr_arbiter_advance(&s->trap_arbiter, l);
    moves = 1u << l;
  }
  if (s->moved)
    s->trap[(s->trap_head + s->trap_count++) % LOOM_ELITE5_TRAPS] =
        s->port[loom_ctz(s->moved)].link.trap;
  if (pop) {
    s->trap_head = (s->trap_head + 1) % LOOM_ELITE5_TRAPS;
    s->trap_count--;
  }
  keep_traps(s, c);
  s->moved = moves;
}

/* ---- sleep ----------------------------------------------------------------------------------- */

static bool over_limit(const struct loom_crosspoint_router *s) {
  for (loom_links set = s->erring & s->up; set; set &= set - 1) {
    const struct loom_elite5_link *k = &s->port[loom_ctz(set)].link;
    if (k->window_errors > s->set.limit[k->single])
      return true;
  }
  return false;
}

bool loom_crosspoint_links_sleep(const struct loom_crosspoint_router *s, loom_links signal) {
  loom_links calm = calm_links(s);
  loom_links moving = s->striving | s->fallen | s->drew | dropping(s, signal) |
                      (s->down & s->enabled & signal) | (~s->up & (s->inside | s->open)) |
                      (s->erring & ~s->up) | (s->calm ^ calm) | (s->calm_before ^ calm);
  return !moving && !over_limit(s);
}

void loom_crosspoint_pass_windows(struct loom_crosspoint_router *s, uint64_t cycles) {
  uint64_t window = loom_max(s->reg.window, 1), end = s->now + cycles;
  uint64_t over = s->window_since + window; /* the next cycle with `over` */
  if (s->over && cycles)
    clear_errors(s, s->erring);
  if (end > over)
    clear_errors(s, s->erring);
  if (end >= over)
    s->window_since += (end - s->window_since) / window * window;
  s->over = (s->over && !cycles) || (end >= over && s->window_since == end);
}
