/* SPDX-License-Identifier: Apache-2.0 */
/* central_unit.c - twin of rtl/switch/loom_central_unit.v, written from docs/mport_switch.md
 *
 * Inside: mport_switch.
 *
 * All outputs of the store are registers, so the unit looks at these. One in which nothing happened
 * for long has no edges but those of its crossing, which knows that for itself. */
#include "switch/central_unit.h"

#include <string.h>

#define LOOM_NAMES "switch/input_unit.fields"
#include <loom/names.h>

/* A record: the info of the store, and above it its queue and its length. */
enum { MORE_AT = 0, SL_AT = 1, OUT_AT = 6, NUMBER_AT = 12, INFO_W = 18 };
enum { SL_W = 5, OUT_W = 6, NUMBER_W = 6, LANE_W = 5, LEN_W = 12 };
enum { LANE_AT = INFO_W, LEN_AT = LANE_AT + LANE_W, RECORD_W = LEN_AT + LEN_W };

enum { SIDES = 7 }; /* of three packets */

/* ---- init ------------------------------------------------------------------------------------ */

static struct loom_packet_store_cfg store_cfg(const struct loom_central_cfg *cfg) {
  struct loom_packet_store_cfg store = cfg->store;
  store.VLS = cfg->queues * cfg->crossing.VLS;
  store.INFO_W = INFO_W;
  return store;
}

static struct loom_delay_cfg delay_cfg(const struct loom_central_cfg *cfg) {
  return (struct loom_delay_cfg){.DEPTH = cfg->delay, .WIDTH = RECORD_W};
}

bool loom_central_unit_cfg_ok(const struct loom_central_cfg *cfg) {
  struct loom_packet_store_cfg store = store_cfg(cfg);
  struct loom_delay_cfg delay = delay_cfg(cfg);
  return loom_crossing_cfg_ok(&cfg->crossing) && loom_packet_store_cfg_ok(&store) &&
         loom_delay_cfg_ok(&delay);
}

size_t loom_central_unit_storage_size(const struct loom_central_cfg *cfg) {
  struct loom_packet_store_cfg store = store_cfg(cfg);
  struct loom_delay_cfg delay = delay_cfg(cfg);
  return loom_crossing_storage_size(&cfg->crossing) + loom_packet_store_storage_size(&store) +
         loom_delay_storage_size(&delay);
}

void loom_central_unit_init(struct loom_central_unit *s, const struct loom_central_cfg *cfg,
                            void *storage) {
  struct loom_packet_store_cfg store = store_cfg(cfg);
  struct loom_delay_cfg delay = delay_cfg(cfg);
  char *left = storage;
  memset(s, 0, sizeof *s);
  s->queues = (uint8_t)cfg->queues;
  loom_departure_init(&s->departure, cfg->store.RD_FLITS, cfg->store.EARLY);
  loom_crossing_init(&s->crossing, &cfg->crossing, left);
  left += loom_crossing_storage_size(&cfg->crossing);
  loom_packet_store_init(&s->store, &store, left);
  left += loom_packet_store_storage_size(&store);
  loom_delay_init(&s->delay, &delay, left);
}

/* ---- queues ---------------------------------------------------------------------------------- */

/* The queue of the packet whose words are written, the first of those that are open. */
static uint8_t word_queue(const struct loom_central_unit *s) {
  uint32_t side = s->open ? (uint32_t)s->sides >> (s->open - 1) & 1 : 0;
  return (uint8_t)(s->crossing.wr.vl * s->queues + side);
}

/* ---- records --------------------------------------------------------------------------------- */

static uint32_t next_number(const struct loom_central_unit *s) {
  return (s->number + 1u) % LOOM_DEPARTURE_NUMBERS;
}

/* Of the packet that is booked in this cycle, or else of the one that was booked last. */
static struct loom_delay_in record_of(const struct loom_central_unit *s,
                                      const struct loom_central_cycle *in,
                                      const struct loom_crossing_shown *shown) {
  uint64_t info = shown->queue_info;
  uint64_t number = in->crossing.book ? next_number(s) : s->number;
  uint32_t out = in->crossing.book ? in->book_out : s->out;
  if (!shown->queue)
    return (struct loom_delay_in){0};
  return (struct loom_delay_in){
      .valid = 1,
      .data = LOOM_GET64(LOOM_HEAD_INFO_MORE, info) << MORE_AT |
              LOOM_GET64(LOOM_HEAD_INFO_SL, info) << SL_AT | (uint64_t)out << OUT_AT |
              number << NUMBER_AT |
              (uint64_t)(shown->queue_vl * s->queues + loom_central_unit_side(s, out)) << LANE_AT |
              LOOM_GET64(LOOM_HEAD_INFO_LEN, info) << LEN_AT};
}

/* What comes out of the delay. */
static struct loom_delay_out pass_delay(struct loom_central_unit *s, struct loom_delay_in record) {
  struct loom_delay_out out = {0};
  if (record.valid || s->delayed) {
    loom_delay_step(&s->delay, &record, &out);
    s->delayed += record.valid != 0;
    s->delayed -= out.valid != 0;
  }
  return out;
}

/* ---- the edge -------------------------------------------------------------------------------- */

static struct loom_departure_event head_of(const struct loom_central_unit *s) {
  const struct loom_packet_store *p = &s->store;
  return (struct loom_departure_event){
      .lane = p->head_vl,
      .number = (uint8_t)(p->head_info >> NUMBER_AT & loom_mask(NUMBER_W)),
      .len = p->head_len};
}

/* `ends`: the last word of a packet is written; gives what the store is to take. */
static struct loom_departure_take departure_edge(struct loom_central_unit *s,
                                                 const struct loom_central_cycle *in, bool ends) {
  const struct loom_packet_store *p = &s->store;
  const struct loom_departure_take take =
      loom_departure_edge(&s->departure, p->soon, p->rd.valid && p->rd.last, in->free);
  if (in->take)
    loom_departure_book(&s->departure, in->take_lane, in->take_target,
                        (struct loom_departure_written){s->number, s->open, ends});
  else if (ends)
    loom_departure_ends(&s->departure);
  if (p->event)
    loom_departure_see(&s->departure, head_of(s));
  return take;
}

/* Something is to be done in this cycle, or what is done may depend on the inputs. */
static bool is_busy(const struct loom_central_unit *s, const struct loom_central_cycle *in) {
  const struct loom_packet_store *p = &s->store;
  return in->crossing.book || in->take || s->open || s->delayed || p->event || p->rd.valid ||
         p->free || !loom_departure_rests(&s->departure);
}

static bool edge(struct loom_central_unit *s, struct loom_central_cycle *in) {
  struct loom_crossing_shown shown;
  bool ends = s->crossing.wr.valid && s->crossing.wr.last;
  const struct loom_departure_take take = departure_edge(s, in, ends);
  struct loom_packet_store_cycle store = {.announce = in->crossing.book,
                                          .word = s->crossing.wr.valid,
                                          .word_vl = word_queue(s),
                                          .word_last = s->crossing.wr.last,
                                          .word_flits = s->crossing.wr.flits,
                                          .take = take.valid,
                                          .take_vl = take.lane};
  uint64_t data[4];
  memcpy(data, s->crossing.wr.data, sizeof data); /* as it is before the edge of the crossing */
  store.word_data = data;
  in->crossing.space = s->store.space;
  in->crossing.free = s->store.free;
  in->crossing.free_vl = (uint8_t)(s->store.free_vl / s->queues);
  loom_crossing_edge(&s->crossing, &in->crossing, &shown);
  const struct loom_delay_out record = pass_delay(s, record_of(s, in, &shown));
  store.queue = record.valid;
  store.queue_vl = (uint8_t)(record.data >> LANE_AT & loom_mask(LANE_W));
  store.queue_len = (uint16_t)(record.data >> LEN_AT);
  store.queue_info = record.data & loom_mask(INFO_W);
  s->open = (uint8_t)(s->open + in->crossing.book - ends);
  if (in->crossing.book) {
    store.announce_len = (uint16_t)LOOM_GET(LOOM_HEAD_INFO_LEN, in->crossing.book_info);
    s->number = (uint8_t)next_number(s);
    s->out = in->book_out;
    s->sides =
        (uint8_t)(((uint32_t)s->sides << 1 | loom_central_unit_side(s, in->book_out)) & SIDES);
  }
  loom_packet_store_edge(&s->store, &store);
  return shown.target_ready;
}

bool loom_central_unit_edge(struct loom_central_unit *s, struct loom_central_cycle *in) {
  struct loom_crossing_shown shown;
  if (is_busy(s, in)) {
    s->still = 0;
  } else if (s->still == LOOM_CENTRAL_STILL) {
    loom_crossing_edge(&s->crossing, &in->crossing, &shown);
    return shown.target_ready;
  } else {
    s->still++;
  }
  return edge(s, in);
}

/* ---- what the outputs show ------------------------------------------------------------------- */

struct loom_departure_offer loom_central_unit_offer(const struct loom_central_unit *s) {
  const struct loom_packet_store *p = &s->store;
  uint64_t info = p->head_info;
  return (struct loom_departure_offer){
      .lane = p->head_vl,
      .target = (uint8_t)(info >> OUT_AT & loom_mask(OUT_W)),
      .vl = (uint8_t)(p->head_vl / s->queues),
      .info = loom_departure_info(p->head_len, (uint32_t)(info >> SL_AT & loom_mask(SL_W)),
                                  info >> MORE_AT & 1)};
}
