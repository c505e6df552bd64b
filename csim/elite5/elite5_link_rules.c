/* SPDX-License-Identifier: Apache-2.0 */
/* elite5_link_rules.c - how a link end of an Elite5 router gets up, written from docs/elite5.md
 *
 * Inside: elite5_router, crosspoint_router. */
#include "elite5/elite5_link_rules.h"

#include "elite5/elite5_header.h"

enum { TIMER_MASK = 0x1FFFF };

/* A good control word. */
struct control {
  bool good;
  uint32_t sub;
  uint64_t info;
};

void loom_elite5_link_init(struct loom_elite5_link *k) {
  struct loom_prbs31_check_cfg check;
  loom_prbs31_check_defaults(&check);
  *k = (struct loom_elite5_link){.state = LOOM_ELITE5_DOWN};
  loom_prbs31_check_init(&k->check, &check);
}

static void start_anew(struct loom_elite5_link *k) {
  k->seen = k->told = false;
  k->sent = 0;
}

enum loom_elite5_link_state loom_elite5_link_start(struct loom_elite5_link *k,
                                                   const struct loom_elite5_settings *set) {
  start_anew(k);
  if (k->quick)
    k->sent = set->prbs_words + LOOM_ELITE5_EXTRA_WORDS;
  return k->quick ? LOOM_ELITE5_LINK_READY : LOOM_ELITE5_NEGOTIATING;
}

bool loom_elite5_link_draws(struct loom_elite5_link *k, const struct loom_elite5_settings *set) {
  bool draws = k->sent < set->prbs_words + LOOM_ELITE5_EXTRA_WORDS;
  k->sent += draws;
  return draws;
}

uint64_t loom_elite5_link_control(struct loom_elite5_link *k,
                                  const struct loom_elite5_settings *set, uint32_t l, bool quiet) {
  switch (k->state) {
  case LOOM_ELITE5_NEGOTIATING:
    return loom_elite5_control(LOOM_ELITE5_NEGOTIATE, loom_elite5_negotiate_info(set->protocol));
  case LOOM_ELITE5_IDCHECK:
    return loom_elite5_control(LOOM_ELITE5_IDENTIFY, loom_elite5_identify_info(set->chip_id, l));
  case LOOM_ELITE5_LINK_READY:
    if (k->sent < set->prbs_words + LOOM_ELITE5_EXTRA_WORDS || !quiet)
      return 0;
    k->told = true;
    return loom_elite5_control(LOOM_ELITE5_READY, 0);
  default:
    return 0;
  }
}

/* The checker's cycle in state PRBS. */
static void check_prbs(struct loom_elite5_link *k, const struct loom_elite5_link_view *w) {
  struct loom_prbs31_check_out out;
  const struct loom_prbs31_check_in in = {.valid = w->word && !w->head,
                                          .data = w->word ? w->data : 0};
  loom_prbs31_check_step(&k->check, &in, &out);
  k->checked += (uint32_t)out.check;
  k->bit_errors += (uint32_t)out.errors;
}

static struct loom_elite5_link_move move(enum loom_elite5_link_state state, uint32_t cause) {
  return (struct loom_elite5_link_move){
      .moves = true, .state = (uint8_t)state, .cause = (uint8_t)cause};
}

/* Rule 5, which is not for READY with quick. */
static struct loom_elite5_link_move time_out(struct loom_elite5_link *k) {
  if (k->state == LOOM_ELITE5_PRBS)
    return move(LOOM_ELITE5_FAILED, LOOM_ELITE5_TRAP_FAILED);
  start_anew(k);
  return move(LOOM_ELITE5_NEGOTIATING, 0);
}

/* Rule 7: who is at the other end. */
static struct loom_elite5_link_move identify(struct loom_elite5_link *k, const struct control *c) {
  if (!c->good || c->sub != LOOM_ELITE5_IDENTIFY)
    return (struct loom_elite5_link_move){0};
  k->far = loom_elite5_identity(c->info);
  if (k->check_id && k->far != k->expected)
    return move(LOOM_ELITE5_BADID, LOOM_ELITE5_TRAP_BADID);
  k->checked = k->bit_errors = 0;
  return move(LOOM_ELITE5_PRBS, 0);
}

/* Rules 6 to 8: what comes next. */
static struct loom_elite5_link_move advance(struct loom_elite5_link *k,
                                            const struct loom_elite5_settings *set,
                                            const struct control *c) {
  bool right;
  switch (k->state) {
  case LOOM_ELITE5_NEGOTIATING:
    right =
        c->sub == LOOM_ELITE5_IDENTIFY ||
        (c->sub == LOOM_ELITE5_NEGOTIATE && c->info == loom_elite5_negotiate_info(set->protocol));
    return c->good && right ? move(LOOM_ELITE5_IDCHECK, 0) : (struct loom_elite5_link_move){0};
  case LOOM_ELITE5_IDCHECK:
    return identify(k, c);
  case LOOM_ELITE5_PRBS:
    if (k->checked < set->prbs_words)
      return (struct loom_elite5_link_move){0};
    right = k->bit_errors <= set->prbs_limit;
    return move(right ? LOOM_ELITE5_LINK_READY : LOOM_ELITE5_FAILED,
                right ? 0 : LOOM_ELITE5_TRAP_FAILED);
  default:
    return (struct loom_elite5_link_move){0};
  }
}

static struct control read_control(const struct loom_elite5_link_view *w) {
  struct control c = {0};
  if (w->word && w->head && loom_elite5_type_of(w->data) == LOOM_ELITE5_CONTROL)
    c.good = loom_elite5_unpack_control(&c.sub, &c.info, w->data);
  return c;
}

static bool is_timed_out(const struct loom_elite5_link *k, const struct loom_elite5_settings *set,
                         uint64_t now) {
  return set->timeout && ((now - k->entered) & TIMER_MASK) == set->timeout &&
         !(k->state == LOOM_ELITE5_LINK_READY && k->quick);
}

struct loom_elite5_link_move loom_elite5_link_cycle(struct loom_elite5_link *k,
                                                    const struct loom_elite5_settings *set,
                                                    const struct loom_elite5_link_view *w,
                                                    bool told, bool drops) {
  const struct control c = read_control(w);
  bool ready = k->state == LOOM_ELITE5_LINK_READY && k->seen && told && w->quiet;
  if (k->state == LOOM_ELITE5_PRBS)
    check_prbs(k, w);
  if (k->state >= LOOM_ELITE5_PRBS && c.good && c.sub == LOOM_ELITE5_READY)
    k->seen = true;
  if (drops)
    return (struct loom_elite5_link_move){0};
  if (is_timed_out(k, set, w->now))
    return time_out(k);
  return ready ? move(LOOM_ELITE5_UP, 0) : advance(k, set, &c);
}
