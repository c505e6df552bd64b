/* SPDX-License-Identifier: Apache-2.0 */
/* departure.c - twin of rtl/switch/loom_departure.v, written from docs/departure.md
 * Inside: input_unit. */
#include "switch/departure.h"

#include <string.h>

#define LOOM_NAMES "switch/input_unit.fields"
#include <loom/names.h>

enum { FRESH = 2, SETTLE = 2 };
enum { STARTED = 3 }; /* cycles from a start to the one before its first word */

/* ---- init ------------------------------------------------------------------------------------ */

uint32_t loom_departure_last_word(uint32_t speedup, uint32_t early) {
  uint32_t e = early + 4;
  switch (speedup) {
  case 1:
    return early;
  case 2:
    return early / 2 + 1;
  case 3:
    return e / LOOM_UNIT_FLITS * 3 + e % LOOM_UNIT_FLITS / 3;
  default:
    return early / 4 + 2;
  }
}

void loom_departure_init(struct loom_departure *s, uint32_t speedup, uint32_t early) {
  uint32_t last = loom_departure_last_word(speedup, early);
  memset(s, 0, sizeof *s);
  s->speedup = speedup;
  s->early = early;
  s->rest = (uint16_t)(last > STARTED ? last - STARTED : 1);
}

/* ---- heads ----------------------------------------------------------------------------------- */

uint32_t loom_departure_info(uint32_t len, uint32_t sl, bool more) {
  return (uint32_t)(LOOM_PUT(LOOM_HEAD_INFO_MORE, more) | LOOM_PUT(LOOM_HEAD_INFO_SL, sl) |
                    LOOM_PUT(LOOM_HEAD_INFO_UNITS, (len + LOOM_UNIT_FLITS - 1) / LOOM_UNIT_FLITS) |
                    LOOM_PUT(LOOM_HEAD_INFO_LEN, len));
}

void loom_departure_see(struct loom_departure *s, struct loom_departure_event head) {
  bool is_unit = head.len <= LOOM_UNIT_FLITS;
  s->drops |= (uint32_t)head.drop << head.lane;
  s->heads[head.lane] =
      (struct loom_departure_head){.is_long = head.len > s->early,
                                   .is_unit = is_unit,
                                   .rest = (uint8_t)(is_unit ? (head.len - 1u) / s->speedup : 0),
                                   .number = head.number};
}

/* ---- bookings, starts and takes -------------------------------------------------------------- */

/* What is taken in this cycle. */
struct take {
  bool valid, dropping, sure;
  uint8_t lane;
};

static struct take take_now(const struct loom_departure *s, uint64_t free) {
  if (loom_departure_wants_drop(s))
    return (struct take){.valid = true, .dropping = true, .lane = (uint8_t)loom_ctz(s->drops)};
  if (!s->booked || !(free >> s->booked_target & 1))
    return (struct take){0};
  return (struct take){.valid = true, .sure = loom_departure_sure(s), .lane = s->booked_lane};
}

static void count_down(struct loom_departure *s) {
  s->settle = (uint8_t)(s->settle - (s->settle > 0));
  s->busy = (uint8_t)(s->busy - (s->busy > 0));
  s->fresh = (uint8_t)(s->fresh - (s->fresh > 0));
}

static void take_edge(struct loom_departure *s, const struct take *t) {
  if (t->sure) {
    s->busy = s->booked_rest;
  } else {
    s->settle = SETTLE;
    s->tail = s->rest;
  }
  if (s->heads[t->lane].is_long)
    s->fresh = FRESH;
  if (t->dropping)
    s->drops &= ~(1u << t->lane);
  else
    s->booked = false;
  s->turn = t->dropping;
}

/* Packets to be written to their end, after this cycle, until the one with this number is whole. */
static uint8_t part_of(struct loom_departure_written w, uint32_t number) {
  uint32_t less = (w.number - number) % LOOM_DEPARTURE_NUMBERS + w.ends;
  return (uint8_t)(w.open > less ? w.open - less : 0);
}

void loom_departure_book(struct loom_departure *s, uint8_t lane, uint8_t target,
                         struct loom_departure_written written) {
  const struct loom_departure_head *head = &s->heads[lane];
  s->booked = true;
  s->booked_lane = lane;
  s->booked_target = target;
  s->booked_long = head->is_long;
  s->booked_unit = head->is_unit;
  s->booked_rest = head->rest;
  s->booked_part = part_of(written, head->number);
}

/* ---- tags ------------------------------------------------------------------------------------ */

/* They follow the packets through the store. */
static void next_tag(struct loom_departure *s) {
  s->tag = (struct loom_departure_tag){0};
  if (!s->ring_used)
    return;
  s->tag = s->ring[s->ring_first];
  s->ring_first = (uint8_t)((s->ring_first + 1) % LOOM_DEPARTURE_TAGS);
  s->ring_used--;
}

static void keep_tag(struct loom_departure *s, const struct take *t) {
  s->ring[(s->ring_first + s->ring_used++) % LOOM_DEPARTURE_TAGS] = (struct loom_departure_tag){
      .valid = true, .drop = t->dropping, .target = t->dropping ? 0 : s->booked_target};
}

/* ---- the edge -------------------------------------------------------------------------------- */

struct loom_departure_take loom_departure_edge(struct loom_departure *s, bool soon, bool rd_last,
                                               uint64_t free) {
  struct take take = {0};
  if (loom_departure_takes(s, soon))
    take = take_now(s, free);
  if (s->tail && soon && !s->settle)
    s->tail--;
  if (s->settle | s->busy | s->fresh)
    count_down(s);
  if (rd_last || (!s->tag.valid && s->ring_used))
    next_tag(s);
  if (take.valid) {
    keep_tag(s, &take);
    take_edge(s, &take);
  }
  return (struct loom_departure_take){.valid = take.valid, .lane = take.lane};
}
