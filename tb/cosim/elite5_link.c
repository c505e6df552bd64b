/* SPDX-License-Identifier: Apache-2.0 */
/* elite5_link.c - bring-up of a link by the end: negotiation, identity, PRBS, ready; see
 * elite5_traffic.h (E5-35)
 *
 * An end says what the last control word of the router asks for, until the router stops saying that
 * it is ready: then it is up. Ends that are silent, speak another protocol, have another name or
 * make bit errors never come that far.
 */
#include "tb/cosim/elite5_traffic.h"

/* Words beyond those that are checked: finding the sequence takes some. */
enum { PRBS_MORE = 48, PRBS_FIND = 12 };

static void set_state(struct elite5_end *e, enum elite5_end_state state, uint64_t cycle) {
  e->state = state;
  e->changed = cycle;
}

static void begin_training(struct elite5_state *s, uint32_t link, uint64_t cycle) {
  struct elite5_end *e = &s->ends.end[link];
  set_state(e, END_TRAINING, cycle);
  e->saying = s->plan.cable[link].flags & FLAG_QUICK ? SAY_READY : SAY_NEGOTIATE;
  e->saw_ready = false;
  e->dipped = true;
  e->errors_left = s->plan.cable[link].bit_errors;
}

static void go_down(struct elite5_state *s, uint32_t link, uint64_t cycle,
                    enum elite5_end_state state) {
  if (s->ends.end[link].state == END_UP) {
    elite5_sender_reset(s, link, cycle);
    elite5_receiver_reset(s, link);
  }
  if (state == END_TRAINING)
    begin_training(s, link, cycle);
  else
    set_state(&s->ends.end[link], state, cycle);
}

static void say_prbs(struct elite5_state *s, struct elite5_end *e) {
  e->saying = SAY_PRBS;
  e->prbs_words = s->plan.prbs_words;
  e->prbs_left = e->prbs_words + PRBS_MORE;
}

/* A word of the router that is not traffic. */
static void hear(struct elite5_state *s, uint32_t link, bool head, uint64_t data) {
  struct elite5_end *e = &s->ends.end[link];
  uint32_t sub;
  uint64_t info;
  if (!head) {
    if (e->saying == SAY_IDENTITY || e->saying == SAY_NEGOTIATE)
      say_prbs(s, e);
    return;
  }
  if (loom_elite5_type_of(data) != LOOM_ELITE5_CONTROL ||
      !loom_elite5_unpack_control(&sub, &info, data))
    return;
  if (sub == LOOM_ELITE5_NEGOTIATE)
    e->saying = s->plan.cable[link].polite ? SAY_NEGOTIATE : SAY_IDENTITY;
  else if (sub == LOOM_ELITE5_IDENTIFY && e->saying != SAY_PRBS)
    e->saying = SAY_IDENTITY;
  else if (sub == LOOM_ELITE5_READY)
    e->saying = SAY_READY;
  e->saw_ready = sub == LOOM_ELITE5_READY;
}

bool elite5_link_look(struct elite5_state *s, uint32_t link, uint64_t cycle, const elite5_out *o) {
  struct elite5_end *e = &s->ends.end[link];
  bool off =
      !s->plan.cable[link].alive || cycle < s->plan.cable[link].start || cycle < e->off_until;
  if (off) {
    if (e->state != END_OFF)
      go_down(s, link, cycle, END_OFF);
    return false;
  }
  if (e->state == END_OFF || (e->state == END_UP && !o->out_signal[link])) {
    go_down(s, link, cycle, END_TRAINING);
    return false;
  }
  if (e->state == END_UP)
    return true;
  bool dipped = e->dipped; /* then one more word from before may come */
  e->dipped = !o->out_signal[link];
  if (e->dipped || dipped)
    e->saw_ready = false;
  else if (o->out_valid[link])
    hear(s, link, o->out_head[link], o->out_data[link]);
  else if (e->saw_ready) /* it was ready and says so no longer: it is up */
    set_state(e, END_UP, cycle);
  return e->state == END_UP;
}

static uint64_t prbs_word(struct elite5_end *e, struct rng *r) {
  uint64_t word = loom_prbs31_word(e->prbs ? e->prbs : LOOM_PRBS31_MASK);
  e->prbs = word & LOOM_PRBS31_MASK;
  e->prbs_left--;
  /* In the middle of the test, when the router has found the sequence. */
  bool middle = e->prbs_left > PRBS_MORE && e->prbs_left + PRBS_FIND < e->prbs_words + PRBS_MORE;
  if (e->errors_left && middle && rng_chance(r, 64)) {
    e->errors_left--;
    word ^= 1ull << rng_below(r, 64);
  }
  return word;
}

void elite5_link_train(struct elite5_state *s, uint32_t link, elite5_in *i) {
  struct elite5_end *e = &s->ends.end[link];
  const struct elite5_cable *c = &s->plan.cable[link];
  i->in_signal[link] = 1;
  if (c->silent || (e->saying == SAY_PRBS && rng_chance(&s->ends.rng, s->plan.traffic.gap)))
    return;
  bool control = e->saying != SAY_PRBS;
  i->in_valid[link] = 1;
  i->in_head[link] = i->in_tail[link] = control;
  switch (e->saying) {
  case SAY_NEGOTIATE:
    i->in_data[link] = loom_elite5_control(LOOM_ELITE5_NEGOTIATE, (uint64_t)c->protocol << 32);
    break;
  case SAY_IDENTITY:
    i->in_data[link] = loom_elite5_control(LOOM_ELITE5_IDENTIFY,
                                           (uint64_t)c->chip << 24 | (uint64_t)c->number << 16);
    break;
  case SAY_PRBS:
    i->in_data[link] = prbs_word(e, &s->ends.rng);
    if (!e->prbs_left)
      e->saying = SAY_READY;
    break;
  default:
    i->in_data[link] = loom_elite5_control(LOOM_ELITE5_READY, 0);
  }
}
