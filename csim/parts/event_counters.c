/* SPDX-License-Identifier: Apache-2.0 */
/* event_counters.c - twin of rtl/parts/loom_event_counters.v, written from docs/parts.md */
#include "parts/event_counters.h"

#include <loom/bits.h>
#include <string.h>

bool loom_event_counters_cfg_ok(const struct loom_event_counters_cfg *cfg) {
  return !loom_event_counters_bad_param(cfg) && cfg->PULSES <= 2u << cfg->INDEX_W;
}

void loom_event_counters_init(struct loom_event_counters *s,
                              const struct loom_event_counters_cfg *cfg) {
  memset(s, 0, sizeof *s);
  s->n = 1u << cfg->INDEX_W;
  s->slow = cfg->STREAMS - 1;
  s->words = (cfg->PULSES + 1) / 2;
  s->all_pulses = (uint32_t)loom_mask(cfg->PULSES);
  s->last = 8 * s->n + cfg->PULSES - 1;
  s->rests = true;
}

/* ---- a turn ---------------------------------------------------------------------------------- */

static void add(struct loom_event_counters *s, struct loom_event_add *e) {
  if (!e->valid)
    return;
  e->valid = false;
  s->count[e->at] += e->amount;
  s->count[e->at + s->n]++;
}

void loom_event_counters_finish(struct loom_event_counters *s) {
  add(s, &s->fast);
  add(s, &s->taken);
  struct loom_event_pulses *p = &s->taken_pulses;
  if (p->valid) {
    uint32_t *counter = &s->count[8 * s->n + 2u * p->word];
    counter[0] += p->even;
    counter[1] += p->odd; /* with an odd number of pulses the last one has no partner: 0 */
    p->valid = false;
  }
  s->rests = true;
}

void loom_event_counters_take(struct loom_event_counters *s) {
  if (s->slot < s->slow) {
    uint32_t stream = s->slot + 1;
    if (!(s->holds >> stream & 1))
      return;
    s->holds &= ~(1u << stream);
    s->taken = s->held[stream];
  } else {
    uint32_t pulse = 2 * s->word;
    if (!(s->waiting >> pulse & 3))
      return;
    s->waiting &= ~(3u << pulse);
    s->taken_pulses = (struct loom_event_pulses){.valid = true,
                                                 .word = (uint8_t)s->word,
                                                 .even = s->counted[pulse],
                                                 .odd = s->counted[pulse + 1]};
    s->counted[pulse] = s->counted[pulse + 1] = 0;
  }
  s->rests = false;
}

/* The memories are 0 from init on; only `ready` waits for them. */
void loom_event_counters_sweep(struct loom_event_counters *s) {
  s->sweep++;
  s->ready = s->sweep == 4 * s->n + 1;
}

/* ---- events ---------------------------------------------------------------------------------- */

void loom_event_counters_event(struct loom_event_counters *s, uint32_t stream, uint32_t index,
                               uint32_t amount) {
  struct loom_event_add e = {
      .valid = true, .at = (uint16_t)(2 * s->n * stream + index), .amount = (uint16_t)amount};
  if (stream == 0) {
    s->fast = e;
    s->rests = false;
  } else {
    s->held[stream] = e;
    s->holds |= 1u << stream;
  }
}

void loom_event_counters_pulse(struct loom_event_counters *s, uint32_t pulses) {
  s->waiting |= pulses;
  for (; pulses; pulses &= pulses - 1)
    s->counted[loom_ctz(pulses)]++;
}

/* ---- a cycle --------------------------------------------------------------------------------- */

void loom_event_counters_step(struct loom_event_counters *s,
                              const struct loom_event_counters_in *in,
                              struct loom_event_counters_out *out) {
  out->ready = s->ready;
  out->read_data = s->read[1];
  s->read[1] = s->read[0];
  s->read[0] = loom_event_counters_look(s, (uint32_t)in->read_addr);
  loom_event_counters_turn(s);
  if (!s->ready) {
    loom_event_counters_sweep(s);
    return;
  }
  for (uint32_t stream = 0; stream <= s->slow; stream++)
    if (in->valid >> stream & 1)
      loom_event_counters_event(s, stream, (uint32_t)in->index[stream],
                                (uint32_t)in->amount[stream]);
  if (in->pulse)
    loom_event_counters_pulse(s, (uint32_t)in->pulse & s->all_pulses);
}

void loom_event_counters_probe(const struct loom_event_counters *s,
                               struct loom_event_counters_probe *p) {
  p->slot = s->slot;
  p->loom_end = 0;
}
