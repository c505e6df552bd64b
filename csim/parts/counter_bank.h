/* SPDX-License-Identifier: Apache-2.0 */
/* counter_bank.h - twin of loom_counter_bank: counters of packets and flits (docs/parts.md)
 *
 * Registers in another form than in the circuit:
 *   written, known: none: all counters are 0 after reset
 *   around, packets, sum_flits: none: a sum is in its counter at once
 */
#ifndef LOOM_PARTS_COUNTER_BANK_H
#define LOOM_PARTS_COUNTER_BANK_H

#define LOOM_DUT counter_bank
#define LOOM_DEF "parts/counter_bank.def"
#include <loom/def.h>

#include <stdbool.h>

enum { LOOM_COUNTER_BANK_DEPTH = 64 };

struct loom_counter {
  uint32_t packets, flits;
};

struct loom_counter_bank {
  uint32_t depth;
  bool add; /* the add of the last cycle is done at the end of this one */
  uint8_t index;
  uint16_t flits;
  struct loom_counter read; /* output registers */
  struct loom_counter counter[LOOM_COUNTER_BANK_DEPTH];
};

bool loom_counter_bank_cfg_ok(const struct loom_counter_bank_cfg *cfg);
void loom_counter_bank_init(struct loom_counter_bank *s, const struct loom_counter_bank_cfg *cfg);
void loom_counter_bank_step(struct loom_counter_bank *s, const struct loom_counter_bank_in *in,
                            struct loom_counter_bank_out *out);
void loom_counter_bank_probe(const struct loom_counter_bank *s, struct loom_counter_bank_probe *p);

/* For devices that contain a bank, instead of step: look at `counter`, then in the cycle after an
 * add do `finish`, in a cycle with an add `begin`, in this order. */

/* The add of the last cycle is done. */
static inline void loom_counter_bank_finish(struct loom_counter_bank *s) {
  if (!s->add)
    return;
  s->add = false;
  s->counter[s->index].packets++;
  s->counter[s->index].flits += s->flits;
}

/* A packet is counted; index < DEPTH. */
static inline void loom_counter_bank_begin(struct loom_counter_bank *s, uint32_t index,
                                           uint32_t flits) {
  s->add = true;
  s->index = (uint8_t)index;
  s->flits = (uint16_t)flits;
}

#endif
