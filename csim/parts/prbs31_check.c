/* SPDX-License-Identifier: Apache-2.0 */
/* prbs31_check.c - twin of rtl/parts/loom_prbs31_check.v, written from docs/parts.md */
#include "parts/prbs31_check.h"

#include "parts/prbs31_gen.h"

#include <loom/bits.h>
#include <string.h>

bool loom_prbs31_check_cfg_ok(const struct loom_prbs31_check_cfg *cfg) {
  return !loom_prbs31_check_bad_param(cfg);
}

void loom_prbs31_check_init(struct loom_prbs31_check *s, const struct loom_prbs31_check_cfg *cfg) {
  memset(s, 0, sizeof *s);
  s->lock_words = cfg->LOCK_WORDS;
  s->loss_errors = cfg->LOSS_ERRORS;
  s->loss_words = cfg->LOSS_WORDS;
}

/* A word while not locked: e bits differ from the prediction. */
static void hunt(struct loom_prbs31_check *s, uint64_t data, uint32_t e) {
  s->good = s->have && e == 0 ? s->good + 1 : 0;
  s->state = (uint32_t)data & LOOM_PRBS31_MASK;
  s->have = true;
  if (s->state == 0) /* zeros follow zeros: not a PRBS31 */
    s->good = 0;
  if (s->good == s->lock_words) {
    s->locked = true;
    s->good = 0;
    s->bad = 0;
  }
}

/* A word while locked. */
static void watch(struct loom_prbs31_check *s, uint64_t predicted, uint32_t e) {
  s->check = true;
  s->errors = e;
  s->state = (uint32_t)predicted & LOOM_PRBS31_MASK;
  s->bad = e >= s->loss_errors ? s->bad + 1 : 0;
  if (s->bad == s->loss_words) {
    s->locked = false;
    s->have = false;
    s->good = 0;
    s->bad = 0;
    s->lost = true;
  }
}

void loom_prbs31_check_step(struct loom_prbs31_check *s, const struct loom_prbs31_check_in *in,
                            struct loom_prbs31_check_out *out) {
  out->locked = s->locked;
  out->check = s->check;
  out->errors = s->errors;
  out->lost = s->lost;

  s->check = false;
  s->errors = 0;
  s->lost = false;
  if (in->restart) {
    s->locked = false;
    s->have = false;
    s->good = 0;
    s->bad = 0;
  } else if (in->valid) {
    uint64_t predicted = loom_prbs31_word(s->state);
    uint32_t e = loom_popcount(predicted ^ in->data);
    if (s->locked)
      watch(s, predicted, e);
    else
      hunt(s, in->data, e);
  }
}

void loom_prbs31_check_probe(const struct loom_prbs31_check *s, struct loom_prbs31_check_probe *p) {
  p->locked = s->locked;
  p->state = s->state;
  p->good = s->good;
  p->bad = s->bad;
  p->loom_end = 0;
}
