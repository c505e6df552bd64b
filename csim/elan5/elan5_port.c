/* SPDX-License-Identifier: Apache-2.0 */
/* elan5_port.c - one link end of an endpoint: its bring-up (docs/elan5.md, docs/elite5.md) */
#include "elan5/elan5_port.h"

#include <string.h>

#include "elite5/elite5_header.h"

enum { PRBS_MORE = 32 }; /* words beyond the test: the far end begins later */

void loom_elan5_port_defaults(struct loom_elan5_port_cfg *cfg) {
  *cfg = (struct loom_elan5_port_cfg){
      .enable = true, .quick = true, .protocol = 0x51, .prbs_words = 1024, .timeout = 4096};
}

void loom_elan5_port_init(struct loom_elan5_port *s, const struct loom_elan5_port_cfg *cfg) {
  memset(s, 0, sizeof *s);
  s->cfg = *cfg;
  struct loom_prbs31_gen_cfg generator;
  loom_prbs31_gen_defaults(&generator);
  loom_prbs31_gen_init(&s->generator, &generator);
  struct loom_prbs31_check_cfg checker;
  loom_prbs31_check_defaults(&checker);
  loom_prbs31_check_init(&s->checker, &checker);
}

/* The word of the last cycle is link control: its sub, else none. */
enum { NO_CONTROL = ~0 };

static uint32_t control_of(const struct loom_elan5_port *s, uint64_t *info) {
  const uint8_t head = LOOM_FLOW_VALID | LOOM_FLOW_HEAD;
  uint32_t sub;
  if ((s->last.flags & head) == head && loom_elite5_type_of(s->last.data) == LOOM_ELITE5_CONTROL &&
      loom_elite5_unpack_control(&sub, info, s->last.data))
    return sub;
  return (uint32_t)NO_CONTROL;
}

static void enter(struct loom_elan5_port *s, enum loom_elite5_link_state state) {
  s->state = state;
  s->timer = 0;
}

/* Bring-up from its start. */
static void begin(struct loom_elan5_port *s) {
  enter(s, s->cfg.quick ? LOOM_ELITE5_LINK_READY : LOOM_ELITE5_NEGOTIATING);
  s->seen = s->told = false;
  s->sent = s->cfg.quick ? s->cfg.prbs_words + PRBS_MORE : 0;
}

static bool timed_out(const struct loom_elan5_port *s) {
  return s->cfg.timeout && s->timer == s->cfg.timeout;
}

/* Rule 5 of the page: a state lasts too long. True if it applies. */
static bool give_up(struct loom_elan5_port *s) {
  if (s->state == LOOM_ELITE5_UP)
    return false;
  if (s->state == LOOM_ELITE5_PRBS)
    enter(s, LOOM_ELITE5_FAILED);
  else if (s->state == LOOM_ELITE5_LINK_READY && s->cfg.quick)
    return false;
  else
    begin(s);
  return true;
}

static void negotiate(struct loom_elan5_port *s, uint32_t sub, uint64_t info) {
  bool agreed = sub == LOOM_ELITE5_NEGOTIATE && info == loom_elite5_negotiate_info(s->cfg.protocol);
  if (agreed || sub == LOOM_ELITE5_IDENTIFY)
    enter(s, LOOM_ELITE5_IDCHECK);
}

static void identify(struct loom_elan5_port *s, uint32_t sub, uint64_t info) {
  if (sub != LOOM_ELITE5_IDENTIFY)
    return;
  s->far = loom_elite5_identity(info);
  if (s->cfg.check && s->far != s->cfg.expected) {
    enter(s, LOOM_ELITE5_BADID);
    return;
  }
  enter(s, LOOM_ELITE5_PRBS);
  s->checked = s->bit_errors = 0;
}

static void judge_test(struct loom_elan5_port *s) {
  if (s->checked >= s->cfg.prbs_words)
    enter(s, s->bit_errors <= s->cfg.prbs_limit ? LOOM_ELITE5_LINK_READY : LOOM_ELITE5_FAILED);
}

/* The end of a cycle in which the end is alive and there is a signal. */
static void advance(struct loom_elan5_port *s, uint32_t sub, uint64_t info) {
  switch (s->state) {
  case LOOM_ELITE5_DOWN:
    begin(s);
    break;
  case LOOM_ELITE5_NEGOTIATING:
    negotiate(s, sub, info);
    break;
  case LOOM_ELITE5_IDCHECK:
    identify(s, sub, info);
    break;
  case LOOM_ELITE5_PRBS:
    judge_test(s);
    break;
  case LOOM_ELITE5_LINK_READY:
    if (s->seen && s->told)
      enter(s, LOOM_ELITE5_UP);
    break;
  default:
    break;
  }
}

static void next_state(struct loom_elan5_port *s, bool signal, uint32_t sub, uint64_t info) {
  bool working = s->state >= LOOM_ELITE5_NEGOTIATING && s->state <= LOOM_ELITE5_UP;
  bool late = timed_out(s);
  s->timer++;
  if (!s->cfg.enable || s->off) {
    if (s->state != LOOM_ELITE5_DOWN)
      enter(s, LOOM_ELITE5_DOWN);
  } else if (working && !signal) {
    enter(s, LOOM_ELITE5_DOWN);
  } else if (signal && !(late && give_up(s))) {
    advance(s, sub, info);
  }
}

/* The checker's cycle: it looks at words of the test only. */
static void check_word(struct loom_elan5_port *s) {
  bool testing = s->state == LOOM_ELITE5_PRBS;
  bool word = (s->last.flags & (LOOM_FLOW_VALID | LOOM_FLOW_HEAD)) == LOOM_FLOW_VALID;
  struct loom_prbs31_check_in in = {
      .restart = !testing, .valid = testing && word, .data = testing && word ? s->last.data : 0};
  struct loom_prbs31_check_out out;
  loom_prbs31_check_step(&s->checker, &in, &out);
  if (testing) {
    s->checked += (uint32_t)out.check;
    s->bit_errors += (uint32_t)out.errors;
  }
}

static void send(struct loom_flow *out, uint64_t data) {
  out->flags |= LOOM_FLOW_VALID | LOOM_FLOW_HEAD | LOOM_FLOW_TAIL;
  out->data = data;
}

/* What the output register takes in this cycle, in states 3 and 4: a word of the test, or READY. */
static void send_test(struct loom_elan5_port *s, struct loom_flow *out) {
  uint32_t words = s->cfg.prbs_words + PRBS_MORE;
  struct loom_prbs31_gen_in in = {.enable = s->sent < words};
  struct loom_prbs31_gen_out word;
  loom_prbs31_gen_step(&s->generator, &in, &word);
  if (word.valid) {
    out->flags |= LOOM_FLOW_VALID;
    out->data = word.data;
  } else if (s->state == LOOM_ELITE5_LINK_READY && s->sent >= words) {
    send(out, loom_elite5_control(LOOM_ELITE5_READY, 0));
    s->told = true;
  }
  s->sent += (uint32_t)in.enable;
}

static void send_words(struct loom_elan5_port *s, struct loom_flow *out) {
  uint64_t identity = loom_elite5_identify_info(s->cfg.chip_id, s->cfg.link);
  if (s->state == LOOM_ELITE5_NEGOTIATING)
    send(out,
         loom_elite5_control(LOOM_ELITE5_NEGOTIATE, loom_elite5_negotiate_info(s->cfg.protocol)));
  else if (s->state == LOOM_ELITE5_IDCHECK)
    send(out, loom_elite5_control(LOOM_ELITE5_IDENTIFY, identity));
  else if (s->state == LOOM_ELITE5_PRBS || s->state == LOOM_ELITE5_LINK_READY)
    send_test(s, out);
}

bool loom_elan5_port_takes(struct loom_elan5_port *s, const struct loom_flow *in) {
  const uint8_t head = LOOM_FLOW_VALID | LOOM_FLOW_HEAD;
  /* The far end is UP already, though all its READY words were lost. */
  if (s->state == LOOM_ELITE5_LINK_READY && s->told && (in->flags & head) == head &&
      loom_elite5_type_of(in->data) != LOOM_ELITE5_CONTROL)
    enter(s, LOOM_ELITE5_UP);
  return s->state == LOOM_ELITE5_UP;
}

void loom_elan5_port_step(struct loom_elan5_port *s, const struct loom_flow *in,
                          struct loom_flow *out) {
  bool signal = in->flags & LOOM_FLOW_SIGNAL, was_up = s->state == LOOM_ELITE5_UP;
  if (was_up && s->cfg.enable && !s->off && signal) {
    s->timer += s->timer < UINT32_MAX;
  } else {
    uint64_t info = 0;
    uint32_t sub = control_of(s, &info);
    bool listening = s->state >= LOOM_ELITE5_NEGOTIATING && s->state <= LOOM_ELITE5_LINK_READY;
    check_word(s);
    bool saw = sub == LOOM_ELITE5_READY &&
               (s->state == LOOM_ELITE5_PRBS || s->state == LOOM_ELITE5_LINK_READY);
    send_words(s, out);
    next_state(s, signal, sub, info);
    s->seen |= saw;
    memset(&s->last, 0, sizeof s->last);
    if (listening && in->flags & LOOM_FLOW_VALID)
      s->last = *in;
    s->off -= s->off > 0;
  }
  /* A fall from UP shows, so that the other end falls too. */
  bool fell = was_up && s->state != LOOM_ELITE5_UP;
  if (s->cfg.enable && !s->off && s->state != LOOM_ELITE5_FAILED && !fell)
    out->flags |= LOOM_FLOW_SIGNAL;
}
