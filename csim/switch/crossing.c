/* SPDX-License-Identifier: Apache-2.0 */
/* crossing.c - twin of rtl/switch/loom_crossing.v, written from docs/crossing.md
 *
 * All outputs of the tracker are registers, so the crossing looks at these. One in which nothing
 * happened for long has no edges. */
#include "switch/crossing.h"

#include <string.h>

#define LOOM_NAMES "switch/input_unit.fields"
#include <loom/names.h>

enum { COUNT_W = 12, SIZE_W = 10, SMALL = 3 };
enum { START_CYCLES = 5 }; /* from the cycle in which one ends to the first word of the next one */
enum { SETTLES = 16 };     /* cycles in which tracker and delay come to rest, less those by lane */
enum { NO_INPUT = 64 };
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
                                        .NEED = cfg->MTU_UNITS,
                                        .SMALL = SMALL};
}

static struct loom_delay_cfg delay_cfg(const struct loom_crossing_cfg *cfg) {
  return (struct loom_delay_cfg){.DEPTH = cfg->OUT_DELAY, .WIDTH = RECORD_W};
}

bool loom_crossing_cfg_ok(const struct loom_crossing_cfg *cfg) {
  if (loom_crossing_bad_param(cfg))
    return false;
  struct loom_room_tracker_cfg tracker = tracker_cfg(cfg);
  struct loom_delay_cfg delay = delay_cfg(cfg);
  return cfg->MTU_UNITS <= cfg->CELLS && loom_room_tracker_cfg_ok(&tracker) &&
         loom_delay_cfg_ok(&delay);
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
  s->fast_from = cfg->FAST_FROM ? cfg->FAST_FROM : NO_INPUT;
  s->fast_speedup = cfg->FAST_SPEEDUP;
  s->lanes = 4 / (4 / loom_max(cfg->SPEEDUP, cfg->FAST_SPEEDUP));
  s->ahead = cfg->AHEAD != 0;
  s->most_short = cfg->SHORT;
  s->rest = (uint8_t)(cfg->END_CYCLES - START_CYCLES);
  s->stays = (uint8_t)(2 * cfg->VLS + SETTLES); /* the tracker may look at each lane twice */
  loom_room_tracker_init(&s->tracker, &tracker);
  loom_delay_init(&s->delay, &delay, storage);
}

/* ---- what happens in a cycle ----------------------------------------------------------------- */

static bool has(uint64_t set, uint32_t member) { return set >> member & 1; }

static bool ends(const struct loom_crossing *s, uint64_t end) {
  return s->open && has(end, s->open_source);
}

static bool begins(const struct loom_crossing *s, uint64_t start_ok) {
  return s->booked && loom_crossing_is_free(s) && has(start_ok, s->booked_source);
}

static uint32_t len_of(uint32_t info) { return LOOM_GET(LOOM_HEAD_INFO_LEN, info); }

static bool is_ready(const struct loom_crossing *s, bool begin, bool end) {
  if (s->booked)
    return begin && len_of(s->booked_info) <= s->most_short;
  return !s->open || s->open_short || end;
}

static uint64_t record_of(uint8_t vl, uint32_t info) { return (uint64_t)vl << LANE_AT | info; }

static uint64_t booked_record(const struct loom_crossing *s) {
  return s->booked ? record_of(s->booked_vl, s->booked_info) : 0;
}

/* The record that enters the delay; of one that may, the data are there before. */
static struct loom_delay_out enters(const struct loom_crossing *s,
                                    const struct loom_crossing_cycle *in, bool begin) {
  if (!s->ahead)
    return (struct loom_delay_out){.valid = begin, .data = booked_record(s)};
  if (s->late)
    return (struct loom_delay_out){.valid = !s->wait && !s->open,
                                   .data = record_of(s->booked_vl, s->booked_info)};
  if (in->book)
    return (struct loom_delay_out){.valid = in->space && !s->open,
                                   .data = record_of(in->book_vl, in->book_info)};
  return (struct loom_delay_out){0};
}

/* The record that leaves the delay. Without a delay it shows as it enters. */
static struct loom_delay_out leaves(const struct loom_crossing *s, struct loom_delay_out record) {
  if (!s->delay.depth)
    return record;
  if (!s->delayed)
    return (struct loom_delay_out){0};
  return loom_delay_next(&s->delay);
}

static struct loom_crossing_shown look(const struct loom_crossing *s, struct loom_delay_out record,
                                       bool begin, bool end) {
  const struct loom_delay_out queue = leaves(s, record);
  return (struct loom_crossing_shown){
      .target_ready = is_ready(s, begin, end),
      .queue = queue.valid != 0,
      .queue_vl = (uint8_t)(queue.data >> LANE_AT),
      .queue_info = (uint32_t)(queue.data & loom_mask(LANE_AT)),
  };
}

/* Something is to be done in this cycle, or what is done may depend on the inputs. */
static bool is_busy(const struct loom_crossing *s, const struct loom_crossing_cycle *in) {
  return in->book || in->free || in->write || s->booked || s->open || s->pause || s->wait ||
         s->late || s->next || s->receives || s->wr.valid || s->delayed || !s->tracker.ready;
}

/* ---- the edge -------------------------------------------------------------------------------- */

static void entry_edge(struct loom_crossing *s, const struct loom_crossing_cycle *in) {
  const struct loom_ring_entry_cycle entry = {
      .book_vl = in->book ? in->book_vl : LOOM_VLS,
      .most_vl = in->write && in->write->most ? in->write->most_vl : LOOM_VLS,
      .most_units = in->write ? in->write->most_units : 0};
  loom_ring_entry_edge(&s->entry, &s->tracker, &entry);
}

static void tracker_edge(struct loom_crossing *s, const struct loom_crossing_cycle *in) {
  if (loom_room_tracker_rests(&s->tracker) && !in->book && !in->free && !in->write)
    return;
  if (s->entry.on)
    entry_edge(s, in);
  struct loom_room_cycle tracker = {.consume = in->book, .give = in->free};
  if (in->book) {
    tracker.consume_vl = in->book_vl;
    tracker.consume_size = (uint16_t)LOOM_GET(LOOM_HEAD_INFO_UNITS, in->book_info);
  }
  if (in->free)
    tracker.give_vl = in->free_vl;
  if (in->write) {
    tracker.need = in->write->need;
    tracker.need_vl = in->write->need_vl;
    tracker.need_size = in->write->need_units;
    tracker.cfg = in->write->cfg;
    tracker.cfg_addr = in->write->cfg_addr;
    tracker.cfg_data = in->write->cfg_data;
  }
  loom_room_tracker_edge(&s->tracker, &tracker);
}

static void queue_edge(struct loom_crossing *s, struct loom_delay_out record) {
  const struct loom_delay_in in = {.valid = record.valid, .data = record.valid ? record.data : 0};
  struct loom_delay_out out;
  loom_delay_step(&s->delay, &in, &out);
  s->delayed += record.valid != 0;
  s->delayed -= out.valid != 0;
}

/* A word of the packet that is expected. */
static void keep_word(struct loom_crossing *s, const struct loom_packet_store_word *word) {
  s->wr.vl = s->vl;
  s->wr.last = word->last;
  s->wr.flits = word->flits;
  memcpy(s->wr.data, word->data, sizeof s->wr.data);
}

static void words_edge(struct loom_crossing *s, const struct loom_packet_store_word *word) {
  s->wr.valid = s->receives && word;
  if (s->wr.valid)
    keep_word(s, word);
  if (s->receives && !(word && word->last))
    return;
  s->receives = s->next;
  s->source = s->next_source;
  s->vl = s->next_vl;
  s->next = false;
}

/* Flits of a word of this input. */
static uint32_t speed_of(const struct loom_crossing *s, uint32_t source) {
  return source < s->fast_from ? s->speedup : s->fast_speedup;
}

/* The booked packet starts. */
static void start(struct loom_crossing *s, bool sure) {
  uint32_t len = len_of(s->booked_info);
  s->booked = false;
  s->next = true;
  s->next_source = s->booked_source;
  s->next_vl = s->booked_vl;
  s->open_source = s->booked_source;
  s->open_short = len <= s->most_short;
  s->open = !sure;
  if (sure)
    s->pause = (uint8_t)((len - 1) / speed_of(s, s->booked_source));
}

static void booking_edge(struct loom_crossing *s, const struct loom_crossing_cycle *in,
                         bool joins) {
  s->late = s->ahead && (in->book || s->late) && !joins;
  s->wait = in->book && !in->space;
  if (!in->book)
    return;
  s->booked = true;
  s->booked_source = in->book_source;
  s->booked_vl = in->book_vl;
  s->booked_info = in->book_info;
}

static void edge(struct loom_crossing *s, const struct loom_crossing_cycle *in,
                 struct loom_delay_out record, bool begin, bool end) {
  tracker_edge(s, in);
  if (record.valid || s->delayed)
    queue_edge(s, record);
  words_edge(s, in->word); /* before the start: only a `next` of now moves on */
  s->pause = (uint8_t)(end ? s->rest : s->pause - (s->pause > 0));
  s->open = s->open && !end;
  if (begin)
    start(s, has(in->sure, s->booked_source));
  booking_edge(s, in, record.valid);
}

void loom_crossing_edge(struct loom_crossing *s, const struct loom_crossing_cycle *in,
                        struct loom_crossing_shown *shown) {
  struct loom_delay_out record = {0};
  bool begin = false, end = false;
  if (is_busy(s, in)) {
    begin = begins(s, in->start_ok);
    end = ends(s, in->end);
    record = enters(s, in, begin);
    *shown = look(s, record, begin, end);
    s->still = 0;
  } else {
    *shown = (struct loom_crossing_shown){.target_ready = true};
    if (s->still == s->stays)
      return;
    s->still++; /* the tracker may not be at rest yet */
  }
  edge(s, in, record, begin, end);
}

/* ---- many cycles at once --------------------------------------------------------------------- */

void loom_crossing_track(struct loom_crossing *s, bool free, uint8_t vl) {
  const struct loom_crossing_cycle in = {.free = free, .free_vl = vl};
  s->still = 0; /* an edge of the whole must not leave out the tracker's */
  tracker_edge(s, &in);
}

bool loom_crossing_goes_on(const struct loom_crossing *s,
                           const struct loom_packet_store_word *word) {
  if (!s->receives || !word)
    return !s->wr.valid;
  return s->wr.valid && !s->wr.last && !word->last && s->wr.flits == word->flits;
}

bool loom_crossing_steady(const struct loom_crossing *s, const struct loom_packet_store_word *word,
                          bool end, bool ready) {
  bool moves = s->booked || s->wait || s->late || s->next || s->pause || s->delayed;
  return !moves && s->tracker.ready && !(s->open && end) && is_ready(s, false, false) == ready &&
         loom_crossing_goes_on(s, word);
}

/* ---- with the ports of the list -------------------------------------------------------------- */

static void show_tracker(const struct loom_crossing *s, struct loom_crossing_out *out) {
  struct loom_room_tracker_out room;
  loom_room_tracker_show(&s->tracker, &room);
  out->room = room.room;
  out->ready = room.ready;
  out->idle = room.idle;
  out->config_ok = room.config_ok;
  out->error = room.error;
  out->used_valid = room.used_valid;
  out->used_vl = room.used_vl;
  out->used = room.used;
  out->total = room.total;
}

static void show_word(const struct loom_crossing *s, struct loom_crossing_out *out) {
  out->wr_valid = 1;
  out->wr_vl = s->wr.vl;
  out->wr_last = s->wr.last;
  out->wr_flits = s->wr.flits;
  memcpy(out->wr_data, s->wr.data, sizeof out->wr_data);
}

/* Without words and writes. */
static struct loom_crossing_cycle cycle_of(const struct loom_crossing_in *in) {
  return (struct loom_crossing_cycle){.start_ok = in->start_ok,
                                      .sure = in->sure,
                                      .end = in->end,
                                      .book = in->book != 0,
                                      .book_source = (uint8_t)in->book_source,
                                      .book_vl = (uint8_t)in->book_vl,
                                      .book_info = (uint32_t)in->book_info,
                                      .space = in->space != 0,
                                      .free = in->free_valid != 0,
                                      .free_vl = (uint8_t)in->free_vl};
}

void loom_crossing_show(const struct loom_crossing *s, const struct loom_crossing_in *in,
                        struct loom_crossing_out *out) {
  const struct loom_crossing_cycle cycle = cycle_of(in);
  bool begin = begins(s, in->start_ok);
  const struct loom_crossing_shown shown =
      look(s, enters(s, &cycle, begin), begin, ends(s, in->end));
  *out = (struct loom_crossing_out){
      .target_ready = shown.target_ready,
      .free = loom_crossing_is_free(s),
      .announce = in->book,
      .announce_len = in->book ? len_of((uint32_t)in->book_info) : 0,
      .queue = shown.queue,
      .queue_vl = shown.queue_vl,
      .queue_len = len_of(shown.queue_info),
      .queue_sl = LOOM_GET(LOOM_HEAD_INFO_SL, shown.queue_info),
      .queue_more = LOOM_GET(LOOM_HEAD_INFO_MORE, shown.queue_info),
  };
  if (s->wr.valid)
    show_word(s, out);
  show_tracker(s, out);
}

/* The input that is expected sends a word, and here. */
static bool comes(const struct loom_crossing *s, const struct loom_crossing_in *in,
                  struct loom_packet_store_word *word) {
  if (!has(in->word_valid, s->source) || in->word_target[s->source] != in->number)
    return false;
  *word = (struct loom_packet_store_word){.valid = true,
                                          .last = has(in->word_last, s->source),
                                          .flits = (uint8_t)in->word_flits[s->source]};
  memcpy(word->data, &in->word_data[s->source * s->lanes], s->lanes * sizeof(uint64_t));
  return true;
}

void loom_crossing_step(struct loom_crossing *s, const struct loom_crossing_in *in,
                        struct loom_crossing_out *out) {
  struct loom_packet_store_word word;
  const struct loom_crossing_write write = {.need = in->need_we != 0,
                                            .cfg = in->cfg_we != 0,
                                            .need_vl = (uint8_t)in->need_vl,
                                            .cfg_addr = (uint8_t)in->cfg_addr,
                                            .need_units = (uint16_t)in->need_units,
                                            .cfg_data = (uint16_t)in->cfg_data};
  struct loom_crossing_cycle cycle = cycle_of(in);
  cycle.word = comes(s, in, &word) ? &word : NULL;
  cycle.write = write.need || write.cfg ? &write : NULL;
  struct loom_crossing_shown shown;
  loom_crossing_show(s, in, out);
  loom_crossing_edge(s, &cycle, &shown);
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
