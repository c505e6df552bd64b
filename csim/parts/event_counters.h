/* SPDX-License-Identifier: Apache-2.0 */
/* event_counters.h - twin of loom_event_counters: the counters of a port in RAM (docs/parts.md)
 *
 * Registers in another form than in the circuit:
 *   fast_clear, then_clear: none: all counters are 0 after init, and `sweep` counts
 *   fast_we, then_we, then_index, then_carry: `fast`; its sum is in its counter at once
 *   number, shown_lower: read[0] and read[1], the values
 *
 * Of loom_turn_counters inside, turn is `slot`; turn_word, pulse_word and pulse_hot are `word`;
 * short is `counted`, and in `waiting` which of them are not 0; we, lower and upper are `taken` and
 * `taken_pulses`, whose sums are in their counters at once; of_first, high, known and data are
 * read[0] and read[1].
 */
#ifndef LOOM_PARTS_EVENT_COUNTERS_H
#define LOOM_PARTS_EVENT_COUNTERS_H

#define LOOM_DUT event_counters
#define LOOM_DEF "parts/event_counters.def"
#include <loom/def.h>

#include <stdbool.h>

enum {
  LOOM_EVENT_STREAMS = 4,
  LOOM_EVENT_PULSES = 16,
  LOOM_EVENT_COUNTERS = 8 * 32 + LOOM_EVENT_PULSES, /* addresses behind which there is something */
};

/* An event on its way into its counters; `at` is the address of its flits. */
struct loom_event_add {
  bool valid;
  uint16_t at, amount;
};

/* The short counters of a word of pulses, on their way into it. */
struct loom_event_pulses {
  bool valid;
  uint8_t word, even, odd;
};

struct loom_event_counters {
  uint32_t n;          /* indexes of a stream */
  uint32_t slow;       /* STREAMS - 1: so many turns of four belong to the slow streams */
  uint32_t words;      /* W: words of pulses */
  uint32_t sweep;      /* cycles since reset, until all memory is 0 */
  uint32_t all_pulses; /* a bit for each */
  uint32_t last;       /* the last address */
  uint32_t slot, word; /* whose turn this is */
  uint32_t waiting;    /* pulses whose short counter is not 0, a bit for each */
  uint32_t holds;      /* slow streams that hold an event, a bit for each */
  bool ready, rests;   /* rests: nothing is in `fast`, `taken` and `taken_pulses` */
  struct loom_event_add fast, taken;     /* done at the end of this cycle */
  struct loom_event_pulses taken_pulses; /* likewise */
  struct loom_event_add held[LOOM_EVENT_STREAMS];
  uint8_t counted[LOOM_EVENT_PULSES];  /* the short counters */
  uint32_t read[2];                    /* the values of the last two reads, the older one shown */
  uint32_t count[LOOM_EVENT_COUNTERS]; /* by address */
};

bool loom_event_counters_cfg_ok(const struct loom_event_counters_cfg *cfg);
void loom_event_counters_init(struct loom_event_counters *s,
                              const struct loom_event_counters_cfg *cfg);
void loom_event_counters_step(struct loom_event_counters *s,
                              const struct loom_event_counters_in *in,
                              struct loom_event_counters_out *out);
void loom_event_counters_probe(const struct loom_event_counters *s,
                               struct loom_event_counters_probe *p);

/* For devices that contain the counters, instead of step: `look` for each read (its value is to be
 * shown two cycles later), then `turn` once a cycle, then `event` and `pulse` for what happens in
 * the same cycle. */

/* What a read of this cycle gives. */
static inline uint32_t loom_event_counters_look(const struct loom_event_counters *s,
                                                uint32_t address) {
  return s->ready && address <= s->last ? s->count[address] : 0;
}

/* The parts of `turn` that are seldom needed. */
void loom_event_counters_finish(struct loom_event_counters *s);
void loom_event_counters_take(struct loom_event_counters *s);
void loom_event_counters_sweep(struct loom_event_counters *s);

/* What was taken is written, and who has this turn is taken. Before the events of this cycle: they
 * are taken in a later one. */
static inline void loom_event_counters_turn(struct loom_event_counters *s) {
  if (!s->rests)
    loom_event_counters_finish(s);
  if (s->waiting | s->holds)
    loom_event_counters_take(s);
  if (s->slot >= s->slow)
    s->word = s->word + 1 == s->words ? 0 : s->word + 1;
  s->slot = (s->slot + 1) & 3;
}

/* At rest: a turn would write nothing. */
static inline bool loom_event_counters_rest(const struct loom_event_counters *s) {
  return s->ready && s->rests && !(s->waiting | s->holds);
}

/* So many turns at rest. */
static inline void loom_event_counters_skip(struct loom_event_counters *s, uint64_t turns) {
  uint64_t end = s->slot + turns, of_pulses = 4 - s->slow;
  uint64_t before = s->slot > s->slow ? s->slot - s->slow : 0;
  uint64_t last = (end & 3) > s->slow ? (end & 3) - s->slow : 0;
  s->word = (uint32_t)((s->word + end / 4 * of_pulses + last - before) % s->words);
  s->slot = end & 3;
}

/* An event of this cycle; stream < STREAMS, index < N. Only while ready. */
void loom_event_counters_event(struct loom_event_counters *s, uint32_t stream, uint32_t index,
                               uint32_t amount);
/* Pulses of this cycle, a bit for each. Only while ready. */
void loom_event_counters_pulse(struct loom_event_counters *s, uint32_t pulses);

#endif
