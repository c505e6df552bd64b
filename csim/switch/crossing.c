/* SPDX-License-Identifier: Apache-2.0 */
/* crossing.c - twin of rtl/switch/loom_crossing.v, written from docs/crossing.md
 *
 * What the tracker shows in a cycle is kept from the edge before it, so it costs nothing to look at
 * it; and a crossing in which nothing happened for long is not stepped. */
#include "switch/crossing.h"

#include <string.h>

#define LOOM_NAMES "switch/input_unit.fields"
#include <loom/names.h>

enum { COUNT_W = 12, SIZE_W = 10 };
enum { START_CYCLES = 5 }; /* from the cycle in which one ends to the first word of the next one */
enum { SETTLES = 16 };     /* cycles in which tracker and delay come to rest, less those by lane */
/* A record in the delay: HEAD_INFO, and above it the lane. */
enum { LANE_AT = LOOM_HEAD_INFO_MORE_AT + 1, LANE_W = 5, RECORD_W = LANE_AT + LANE_W };

/* ---- init ------------------------------------------------------------------------------------ */

static struct loom_room_tracker_cfg tracker_cfg(const struct loom_crossing_cfg *cfg) {
  return (struct loom_room_tracker_cfg){.VLS = cfg->VLS,
                                        .COUNT_W = COUNT_W,
                                        .SIZE_W = SIZE_W,
                                        .UNITS = cfg->CELLS,
                                        .MAX_UNITS = cfg->CELLS,
                                        .RESERVED = cfg->RESERVED,
                                        .NEED = cfg->MTU_UNITS};
}

static struct loom_delay_cfg delay_cfg(const struct loom_crossing_cfg *cfg) {
  return (struct loom_delay_cfg){.DEPTH = cfg->OUT_DELAY, .WIDTH = RECORD_W};
}

bool loom_crossing_cfg_ok(const struct loom_crossing_cfg *cfg) {
  if (loom_crossing_bad_param(cfg))
    return false;
  struct loom_room_tracker_cfg tracker = tracker_cfg(cfg);
  struct loom_delay_cfg delay = delay_cfg(cfg);
  return loom_popcount(cfg->SPEEDUP) == 1 && cfg->MTU_UNITS <= cfg->CELLS &&
         loom_room_tracker_cfg_ok(&tracker) && loom_delay_cfg_ok(&delay);
}

size_t loom_crossing_storage_size(const struct loom_crossing_cfg *cfg) {
  struct loom_delay_cfg delay = delay_cfg(cfg);
  return loom_delay_storage_size(&delay);
}

void loom_crossing_init(struct loom_crossing *s, const struct loom_crossing_cfg *cfg,
                        void *storage) {
  struct loom_room_tracker_cfg tracker = tracker_cfg(cfg);
  struct loom_delay_cfg delay = delay_cfg(cfg);
  memset(s, 0, sizeof *s);
  s->vls = cfg->VLS;
  s->speedup = cfg->SPEEDUP;
  s->most_short = cfg->SHORT;
  s->rest = (uint8_t)(cfg->END_CYCLES - START_CYCLES);
  s->stays = (uint8_t)(2 * cfg->VLS + SETTLES); /* the tracker may look at each lane twice */
  loom_room_tracker_init(&s->tracker, &tracker);
  loom_room_tracker_show(&s->tracker, &s->shows);
  loom_delay_init(&s->delay, &delay, storage);
}

/* ---- what happens in a cycle ----------------------------------------------------------------- */

static bool has(uint64_t set, uint32_t member) { return set >> member & 1; }

static bool ends(const struct loom_crossing *s, const struct loom_crossing_in *in) {
  return s->open && has(in->end, s->open_source);
}

static bool begins(const struct loom_crossing *s, const struct loom_crossing_in *in) {
  return s->booked && loom_crossing_is_free(s) && has(in->start_ok, s->booked_source);
}

static uint32_t booked_len(const struct loom_crossing *s) {
  return LOOM_GET(LOOM_HEAD_INFO_LEN, s->booked_info);
}

static bool is_ready(const struct loom_crossing *s, const struct loom_crossing_in *in) {
  if (s->booked)
    return begins(s, in) && booked_len(s) <= s->most_short;
  return !s->open || s->open_short || ends(s, in);
}

/* A word of the packet that is expected. */
static bool comes(const struct loom_crossing *s, const struct loom_crossing_in *in) {
  return s->receives && has(in->word_valid, s->source) && in->word_target[s->source] == in->number;
}

static uint64_t booked_record(const struct loom_crossing *s) {
  return s->booked ? (uint64_t)s->booked_vl << LANE_AT | s->booked_info : 0;
}

/* The record that enters the delay, and the one that leaves it: without a delay it shows from its
 * booking on. */
static struct loom_delay_in enters(const struct loom_crossing *s,
                                   const struct loom_crossing_in *in) {
  if (!begins(s, in))
    return (struct loom_delay_in){0};
  return (struct loom_delay_in){.valid = 1, .data = booked_record(s)};
}

static struct loom_delay_out leaves(const struct loom_crossing *s,
                                    const struct loom_crossing_in *in) {
  const struct loom_delay_in record = enters(s, in);
  if (!s->delay.depth)
    return (struct loom_delay_out){.valid = record.valid, .data = booked_record(s)};
  if (!s->delayed)
    return (struct loom_delay_out){0};
  return loom_delay_next(&s->delay);
}

/* Something is to be done in this cycle, or what is done may depend on the inputs. */
static bool is_busy(const struct loom_crossing *s, const struct loom_crossing_in *in) {
  return in->book || in->free_valid || in->need_we || in->cfg_we || s->booked || s->open ||
         s->pause || s->wait || s->next || s->receives || s->wr.valid || s->delayed ||
         !s->shows.ready;
}

/* ---- the edge -------------------------------------------------------------------------------- */

static void tracker_edge(struct loom_crossing *s, const struct loom_crossing_in *in) {
  struct loom_room_tracker_out before;
  const struct loom_room_tracker_in tracker = {
      .consume_valid = in->book,
      .consume_vl = in->book_vl,
      .consume_size = LOOM_GET(LOOM_HEAD_INFO_UNITS, in->book_info),
      .return_valid = in->free_valid,
      .return_vl = in->free_vl,
      .need_valid = in->need_we,
      .need_vl = in->need_vl,
      .need_size = in->need_units,
      .cfg_we = in->cfg_we,
      .cfg_addr = in->cfg_addr,
      .cfg_data = in->cfg_data,
  };
  loom_room_tracker_step(&s->tracker, &tracker, &before);
  loom_room_tracker_show(&s->tracker, &s->shows);
}

static void queue_edge(struct loom_crossing *s, const struct loom_crossing_in *in) {
  const struct loom_delay_in record = enters(s, in);
  struct loom_delay_out out;
  if (!record.valid && !s->delayed)
    return;
  loom_delay_step(&s->delay, &record, &out);
  s->delayed += record.valid != 0;
  s->delayed -= out.valid != 0;
}

static void words_edge(struct loom_crossing *s, const struct loom_crossing_in *in) {
  bool word = comes(s, in), over = word && has(in->word_last, s->source);
  if (word) {
    memset(&s->wr, 0, sizeof s->wr);
    s->wr.valid = true;
    s->wr.vl = s->vl;
    s->wr.last = over;
    s->wr.flits = (uint8_t)in->word_flits[s->source];
    memcpy(s->wr.data, &in->word_data[s->source * s->speedup], s->speedup * sizeof(uint64_t));
  } else if (s->wr.valid) {
    memset(&s->wr, 0, sizeof s->wr);
  }
  if (s->receives && !over)
    return;
  s->receives = s->next;
  s->source = s->next_source;
  s->vl = s->next_vl;
  s->next = false;
}

static void start_edge(struct loom_crossing *s, const struct loom_crossing_in *in, bool begin,
                       bool end) {
  s->pause = (uint8_t)(end ? s->rest : s->pause - (s->pause > 0));
  s->open = s->open && !end;
  if (!begin)
    return;
  uint32_t len = booked_len(s);
  s->booked = false;
  s->next = true;
  s->next_source = s->booked_source;
  s->next_vl = s->booked_vl;
  s->open_source = s->booked_source;
  s->open_short = len <= s->most_short;
  s->open = !has(in->sure, s->booked_source);
  if (!s->open)
    s->pause = (uint8_t)((len - 1) / s->speedup);
}

static void booking_edge(struct loom_crossing *s, const struct loom_crossing_in *in) {
  s->wait = in->book && !in->space;
  if (!in->book)
    return;
  s->booked = true;
  s->booked_source = (uint8_t)in->book_source;
  s->booked_vl = (uint8_t)in->book_vl;
  s->booked_info = (uint32_t)in->book_info;
}

/* ---- a cycle --------------------------------------------------------------------------------- */

void loom_crossing_show(const struct loom_crossing *s, const struct loom_crossing_in *in,
                        struct loom_crossing_out *out) {
  const struct loom_room_tracker_out *room = &s->shows;
  const struct loom_delay_out queue = leaves(s, in);
  *out = (struct loom_crossing_out){
      .target_ready = is_ready(s, in),
      .room = room->room,
      .free = loom_crossing_is_free(s),
      .announce = in->book,
      .announce_len = in->book ? LOOM_GET(LOOM_HEAD_INFO_LEN, in->book_info) : 0,
      .queue = queue.valid,
      .queue_vl = queue.data >> LANE_AT,
      .queue_len = LOOM_GET(LOOM_HEAD_INFO_LEN, queue.data),
      .queue_sl = LOOM_GET(LOOM_HEAD_INFO_SL, queue.data),
      .queue_more = LOOM_GET(LOOM_HEAD_INFO_MORE, queue.data),
      .wr_valid = s->wr.valid,
      .wr_vl = s->wr.vl,
      .wr_last = s->wr.last,
      .wr_flits = s->wr.flits,
      .ready = room->ready,
      .idle = room->idle,
      .config_ok = room->config_ok,
      .error = room->error,
      .used_valid = room->used_valid,
      .used_vl = room->used_vl,
      .used = room->used,
  };
  if (s->wr.valid)
    memcpy(out->wr_data, s->wr.data, sizeof s->wr.data);
}

void loom_crossing_step(struct loom_crossing *s, const struct loom_crossing_in *in,
                        struct loom_crossing_out *out) {
  loom_crossing_show(s, in, out);
  if (is_busy(s, in))
    s->still = 0;
  else if (s->still < s->stays)
    s->still++;
  else
    return;

  bool begin = begins(s, in), end = ends(s, in);
  tracker_edge(s, in);
  queue_edge(s, in);
  words_edge(s, in); /* before the start: only a `next` of now moves on */
  start_edge(s, in, begin, end);
  booking_edge(s, in);
}

void loom_crossing_probe(const struct loom_crossing *s, struct loom_crossing_probe *p) {
  p->booked = s->booked;
  p->wait = s->wait;
  p->open = s->open;
  p->pause = s->pause;
  p->next = s->next;
  p->receives = s->receives;
  p->loom_end = 0;
}
