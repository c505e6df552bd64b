/* SPDX-License-Identifier: Apache-2.0 */
/* crosspoint_sleep.c - cycles of an Elite5 router, second edition, in which nothing happens;
 * written from docs/crosspoint_router.md, section Sleep
 *
 * Inside: crosspoint_router. */
#include "elite5/crosspoint_cycle.h"

#include "parts/lfsr.h"

#include <string.h>

enum { MODE_RANDOM = 2, LFSR_STEPS = 32, LEAPS_FROM = 4096, VALUE_BITS = 32 };

/* ---- sleep ----------------------------------------------------------------------------------- */

/* Words, credits or replies are registered, or on their way. */
static bool moves_something(const struct loom_crosspoint_router *s) {
  loom_links moving = s->awake | s->got | s->locked[0] | s->locked[1] | s->locked[2];
  moving |= s->cr_valid | s->rep_valid | s->due | s->queued | s->swallows | s->chosens | s->owns;
  moving |= s->back.cr_valid | s->back.rep_valid;
  for (uint32_t place = 0; place < LOOM_CROSSPOINT_FRONT; place++)
    moving |= s->traffic[place] | s->training[place].valid;
  for (uint32_t place = 0; place < LOOM_CROSSPOINT_WAY; place++)
    moving |= s->way[place].valid;
  return moving || s->bwaits || s->at.valid || s->ask.valid || s->answer.valid;
}

/* Registers that follow others some cycles later have not reached them yet. */
static bool settles(const struct loom_crosspoint_router *s) {
  bool bus = s->now <= s->bus_busy || s->mode_was != s->set.mode;
  bool trap = s->moved || (s->trapped && loom_crosspoint_takes_traps(s));
  loom_links outputs = s->changed | s->unordered | s->renewing | (s->near ^ s->all_links) |
                       (s->wake ^ (s->all_links & ~s->up)) | (s->light ^ s->under);
  return bus || trap || outputs || s->counting || s->threshold_was != s->set.threshold;
}

bool loom_crosspoint_rests(const struct loom_crosspoint_router *s) {
  return !s->awake && !moves_something(s) && !settles(s) &&
         loom_crosspoint_links_sleep(s, s->heard);
}

/* ---- skip ------------------------------------------------------------------------------------ */

/* So many advances of the lfsr, whose every bit is a sum of bits before it: `bit` holds what
 * becomes of each of them. */
static uint32_t leap(uint32_t value, uint64_t advances) {
  uint32_t bit[VALUE_BITS], twice[VALUE_BITS];
  for (uint32_t k = 0; k < VALUE_BITS; k++)
    bit[k] = loom_lfsr_after(1u << k, LFSR_STEPS);
  for (; advances; advances >>= 1) {
    uint32_t sum = 0;
    for (uint32_t set = advances & 1 ? value : 0; set; set &= set - 1)
      sum ^= bit[loom_ctz(set)];
    value = advances & 1 ? sum : value;
    for (uint32_t k = 0; k < VALUE_BITS; k++) {
      twice[k] = 0;
      for (uint32_t set = bit[k]; set; set &= set - 1)
        twice[k] ^= bit[loom_ctz(set)];
    }
    memcpy(bit, twice, sizeof bit);
  }
  return value;
}

/* The draws of these cycles; only the last ones will be looked at. */
static void draw(struct loom_crosspoint_router *s, uint64_t cycles) {
  bool random = s->set.mode == MODE_RANDOM;
  uint64_t first = s->now;
  if (cycles > LEAPS_FROM) {
    uint64_t leaps = cycles - LOOM_CROSSPOINT_DRAWS;
    s->value = random ? leap(s->value, leaps) : s->value;
    first += leaps;
    cycles -= leaps;
  }
  for (uint64_t k = 0; k < cycles; k++) {
    s->draw[(first + k) % LOOM_CROSSPOINT_DRAWS] = (uint8_t)s->value;
    if (random)
      s->value = loom_lfsr_after(s->value, LFSR_STEPS);
  }
}

void loom_crosspoint_pass(struct loom_crosspoint_router *s, uint64_t cycles) {
  draw(s, cycles);
  loom_crosspoint_pass_windows(s, cycles);
  s->now += cycles;
}
