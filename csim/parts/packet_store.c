/* SPDX-License-Identifier: Apache-2.0 */
/* packet_store.c - twin of rtl/parts/loom_packet_store.v, written from docs/parts.md
 *
 * Each function below is the part of the page with its name, for one cycle. What one of them needs
 * of another as it is before the edge is worked out first, in `struct now`. */
#include "parts/packet_store.h"

#include <loom/bits.h>
#include <string.h>

enum { CELL = LOOM_UNIT_FLITS, NONE = 0xFFFF };

/* What happens in this cycle. */
struct now {
  bool first;    /* the joining packet becomes a head */
  bool put_off;  /* a head of the line has to wait */
  uint32_t read; /* flits */
  bool done;     /* the active packet is */
  bool take;
  bool fast;          /* the packet after the one that is taken is at hand */
  uint16_t taken_len; /* of the packet whose take is done */
};

bool loom_packet_store_cfg_ok(const struct loom_packet_store_cfg *cfg) {
  return !loom_packet_store_bad_param(cfg) && loom_popcount(cfg->LANES) == 1 &&
         cfg->RD_FLITS <= cfg->LANES && cfg->MTU_UNITS <= cfg->CELLS;
}

size_t loom_packet_store_storage_size(const struct loom_packet_store_cfg *cfg) {
  return cfg->CELLS * ((CELL + 1) * sizeof(uint64_t) + sizeof(struct loom_packet_store_record));
}

void loom_packet_store_init(struct loom_packet_store *s, const struct loom_packet_store_cfg *cfg,
                            void *storage) {
  memset(s, 0, sizeof *s);
  s->lanes = (uint8_t)cfg->LANES;
  s->most = (uint8_t)cfg->RD_FLITS;
  s->mtu = (uint16_t)cfg->MTU_UNITS;
  s->early = (uint16_t)cfg->EARLY;
  s->prefetch = cfg->PREFETCH != 0;
  s->cells = cfg->CELLS;
  s->one = s->space = s->soon = true;
  s->four = s->cells >= 4 * s->mtu;
  s->flit = storage;
  s->link = s->flit + (size_t)s->cells * CELL;
  s->record = (struct loom_packet_store_record *)(s->link + s->cells);
  s->free_cell = s->free_record = NONE;
}

/* ---- announce -------------------------------------------------------------------------------- */

static void announce(struct loom_packet_store *s, const struct loom_packet_store_cycle *in) {
  uint32_t spare = s->cells - s->total;
  s->space = s->four || (s->one && !(in->announce | s->ask | s->asked));
  s->one = spare >= s->mtu;
  s->four = spare >= 4u * s->mtu;
  s->ok = false;
  if (s->ask) {
    uint32_t units = (s->ask_len + CELL - 1u) / CELL;
    s->ok = units >= 1 && units <= spare;
    s->total += s->ok ? units : 0;
  }
  s->total -= s->free;
  s->asked = s->ask;
  s->ask = in->announce;
  s->ask_len = in->announce_len;
}

/* ---- queues ---------------------------------------------------------------------------------- */

static void show_head(struct loom_packet_store *s, uint32_t vl, uint32_t len, uint64_t info) {
  s->head_valid |= 1u << vl;
  s->event = true;
  s->head_vl = (uint8_t)vl;
  s->head_len = (uint16_t)len;
  s->head_info = info;
}

/* One head comes into view: the joining packet, or else the first of the line. */
static void next_head(struct loom_packet_store *s, const struct loom_packet_store_cycle *in,
                      const struct now *now) {
  s->event = false;
  s->came = false;
  s->head_vl = 0;
  s->head_len = 0;
  s->head_info = 0;
  if (now->first) {
    show_head(s, in->queue_vl, in->queue_len, in->queue_info);
  } else if (s->lined) {
    uint8_t vl = s->line[0];
    const struct loom_packet_store_record *r = &s->record[s->lane[vl].head];
    if (s->take && s->take_vl == vl) /* it leaves its list in this cycle */
      r = &s->record[r->next];
    show_head(s, vl, r->len, r->info);
    s->came = true;
    s->lined--;
    memmove(s->line, s->line + 1, s->lined);
  }
}

/* A take is done. */
static void remove_head(struct loom_packet_store *s) {
  struct loom_packet_store_vl *v = &s->lane[s->take_vl];
  uint16_t at = v->head;
  s->fetch = --v->waiting > 0 && !s->fast;
  s->fetch_vl = s->take_vl;
  v->head = s->record[at].next;
  s->record[at].next = s->free_record;
  s->free_record = at;
}

/* The packet that is queued is the last one of its VL. */
static void join(struct loom_packet_store *s, const struct loom_packet_store_cycle *in) {
  struct loom_packet_store_vl *v = &s->lane[in->queue_vl];
  uint16_t at = s->free_record;
  if (at != NONE)
    s->free_record = s->record[at].next;
  else if (s->fresh_record < s->cells)
    at = s->fresh_record++;
  else
    return; /* outside the contract */
  struct loom_packet_store_record *r = &s->record[at];
  r->len = in->queue_len;
  r->info = in->queue_info;
  if (v->waiting++)
    s->record[v->last].next = at;
  else
    v->head = at;
  v->last = at;
}

/* ---- the packet after a head ----------------------------------------------------------------- */

/* The lane whose head came from the line in the last cycle: is another packet behind it? */
static void look_behind(struct loom_packet_store *s, bool *alone) {
  *alone = s->event && s->came && s->lane[s->head_vl].waiting == 1;
  s->reads[2] = s->reads[1];
  s->reads[1] = s->reads[0];
  s->reads[1].valid &= !(s->take && !s->fast); /* the list is read for the take */
  s->reads[0].valid = s->event && s->came && !*alone;
  s->reads[0].vl = s->head_vl;
}

/* What was read, or joined, is at hand, unless the head has been taken. */
static void bring(struct loom_packet_store *s, uint32_t taken) {
  bool joins = s->joins.valid, reads = s->reads[2].valid && !joins;
  uint32_t lane = joins ? 1u << s->joins.vl : reads ? 1u << s->reads[2].vl : 0;
  s->second |= lane & s->head_valid & ~taken;
}

static void prefetch(struct loom_packet_store *s, const struct loom_packet_store_cycle *in,
                     const struct now *now) {
  uint32_t taken = now->take ? 1u << in->take_vl : 0, bit = in->queue ? 1u << in->queue_vl : 0;
  bool alone;
  bring(s, taken);
  look_behind(s, &alone);
  uint32_t single = s->single | (alone ? 1u << s->head_vl : 0);
  s->joins.valid = bit & single & ~taken;
  s->joins.vl = in->queue_vl;
  s->single = (single & ~bit & ~taken) | (now->first ? bit : 0);
  s->second &= ~taken;
}

static void queues(struct loom_packet_store *s, const struct loom_packet_store_cycle *in,
                   const struct now *now) {
  if (!in->queue && !now->take && !s->take && !s->fetch && !s->lined && !s->event &&
      !loom_packet_store_prefetches(s))
    return;
  if (s->prefetch)
    prefetch(s, in, now);
  bool fetched = s->fetch;
  uint8_t fetched_vl = s->fetch_vl;
  next_head(s, in, now);
  if (fetched && s->lined < LOOM_PACKET_STORE_LINE)
    s->line[s->lined++] = fetched_vl;
  s->fetch = false;
  if (s->take)
    remove_head(s);
  if (in->queue)
    join(s, in);
  if (now->take)
    s->head_valid &= ~(1u << in->take_vl);
  s->take = now->take;
  s->take_vl = in->take_vl;
  s->fast = now->fast;
  if (s->fast)
    s->line[s->lined++] = in->take_vl;
}

/* ---- write ----------------------------------------------------------------------------------- */

static bool add_cell(struct loom_packet_store *s, struct loom_packet_store_vl *v) {
  uint16_t cell = s->free_cell;
  if (cell != NONE)
    s->free_cell = (uint16_t)s->link[cell];
  else if (s->fresh_cell < s->cells)
    cell = s->fresh_cell++;
  else
    return false; /* outside the contract */
  if (v->cells++)
    s->link[v->end] = cell;
  else
    v->first = cell;
  v->end = cell;
  return true;
}

/* Flits go to their cell at once; when they are there is counted apart from that. */
static void keep_flits(struct loom_packet_store *s, const struct loom_packet_store_cycle *in) {
  struct loom_packet_store_vl *v = &s->lane[in->word_vl];
  if (!s->flit) {
    v->place = (uint16_t)(v->place + in->word_flits);
    return;
  }
  if (v->place % CELL == 0 && !add_cell(s, v))
    return;
  uint64_t *cell = &s->flit[(size_t)v->end * CELL];
  for (uint32_t k = 0; k < in->word_flits; k++, v->place++)
    cell[v->place % CELL] = in->word_data[v->place & (s->lanes - 1)];
}

static void write_word(struct loom_packet_store *s, const struct loom_packet_store_cycle *in) {
  if (!in->word && !s->word && !s->ends)
    return;
  if (s->word) {
    s->live = true;
    s->live_vl = s->word_vl;
    s->live_end = s->word_end;
    s->lane[s->word_vl].whole += s->word_last;
  } else if (s->ends) {
    s->live = false;
  }
  s->ends = s->word && s->word_last;
  s->word = in->word;
  if (!s->word)
    return;
  struct loom_packet_store_vl *v = &s->lane[in->word_vl];
  keep_flits(s, in);
  s->word_vl = in->word_vl;
  s->word_last = in->word_last;
  s->word_end = v->place;
  if (s->word_last)
    v->place = 0;
}

/* ---- take and read --------------------------------------------------------------------------- */

/* Flits of the active packet that are there and not read. */
static uint32_t there(const struct loom_packet_store *s) {
  if (s->known)
    return s->left;
  if (s->live && s->live_vl == s->vl && !s->check)
    return (uint32_t)s->live_end - s->place;
  return 0;
}

static void drop_cell(struct loom_packet_store *s) {
  struct loom_packet_store_vl *v = &s->lane[s->vl];
  if (!v->cells)
    return; /* outside the contract, or no flits are kept */
  uint16_t cell = v->first;
  v->first = (uint16_t)s->link[cell];
  v->cells--;
  s->link[cell] = s->free_cell;
  s->free_cell = cell;
}

static void copy_flits(struct loom_packet_store *s, uint32_t n) {
  const uint64_t *cell = &s->flit[(size_t)s->lane[s->vl].first * CELL];
  for (uint32_t p = s->place; p < s->place + n; p++)
    s->read.data[p & (s->lanes - 1)] = cell[p % CELL];
}

static void read_flits(struct loom_packet_store *s, uint32_t n) {
  if (s->rd.valid | s->read.valid) {
    s->rd = s->read;
    memset(&s->read, 0, sizeof s->read);
  }
  s->free = false;
  s->free_vl = 0;
  if (!n)
    return;
  s->read.valid = true;
  s->read.first = s->place == 0;
  s->read.last = s->left == n;
  s->read.vl = s->vl;
  s->read.flits = (uint8_t)n;
  s->read.lane = (uint8_t)(s->place & (s->lanes - 1));
  if (s->flit)
    copy_flits(s, n);
  s->place = (uint16_t)(s->place + n);
  s->left = (uint16_t)(s->left - n);
  if (s->place % CELL == 0 || s->left == 0) {
    drop_cell(s);
    s->free = true;
    s->free_vl = s->vl;
  }
}

static bool all_known(const struct loom_packet_store *s) {
  if (s->active && !s->known)
    return false;
  for (uint32_t i = 0; i < s->booked; i++)
    if (!s->book[i].known)
      return false;
  return true;
}

/* One more packet of the VL is known as whole, if there is one. */
static bool claim(struct loom_packet_store *s, uint32_t vl) {
  if (!s->lane[vl].whole)
    return false;
  s->lane[vl].whole--;
  return true;
}

/* The first booked packet is not known as whole: it is asked for if the active one is known. */
static bool front_asks(const struct loom_packet_store *s) { return s->booked && !s->book[0].known; }

/* The packet whose take is done; it is asked for if all before it are known. */
static void book(struct loom_packet_store *s, uint32_t len, bool asked) {
  if (s->booked == LOOM_PACKET_STORE_BOOKED)
    return; /* outside the contract */
  s->book[s->booked].vl = s->take_vl;
  s->book[s->booked].len = (uint16_t)len;
  s->book[s->booked].known = asked && claim(s, s->take_vl);
  s->booked++;
}

/* The first booked packet becomes the active one; `asked` is whether it was, just now. */
static void start(struct loom_packet_store *s, bool asked) {
  s->active = true;
  s->vl = s->book[0].vl;
  s->left = s->book[0].len;
  s->known = s->book[0].known;
  s->check = !s->known && !asked;
  s->place = 0;
  s->booked--;
  memmove(s->book, s->book + 1, s->booked * sizeof s->book[0]);
}

static void reader(struct loom_packet_store *s, const struct now *now) {
  bool known = all_known(s);
  bool whole = known && (!s->take || s->lane[s->take_vl].whole > 0);
  s->soon = s->booked + s->take + now->take <= 2 && s->owed <= s->early && whole && !now->put_off;
  s->owed = s->owed + now->taken_len - s->was_read;
  s->was_read = (uint8_t)now->read;
  bool behind = !s->active || s->known;
  s->check = false;
  if (!behind)
    s->known = claim(s, s->vl);
  else if (front_asks(s))
    s->book[0].known = claim(s, s->book[0].vl);
  if (s->take)
    book(s, now->taken_len, known);
  read_flits(s, now->read);
  if (now->done)
    s->active = s->known = false;
  if (s->booked && !s->active)
    start(s, behind);
}

/* ---- one cycle ------------------------------------------------------------------------------- */

/* Flits that are read in this cycle. */
static uint32_t reads(const struct loom_packet_store *s) {
  if (!s->active)
    return 0;
  return loom_min(loom_min(s->most, s->left), loom_min(CELL - s->place % CELL, there(s)));
}

static struct now look(const struct loom_packet_store *s,
                       const struct loom_packet_store_cycle *in) {
  struct now n = {0};
  n.take = in->take && (s->head_valid >> in->take_vl & 1); /* the duty of the user */
  if (in->queue) {
    bool removed = s->take && s->take_vl == in->queue_vl;
    n.first = s->lane[in->queue_vl].waiting == removed;
    n.put_off = n.first && s->lined;
  }
  n.fast = n.take && s->second >> in->take_vl & 1 && !s->fetch;
  n.read = reads(s);
  n.done = n.read && n.read == s->left;
  if (s->take)
    n.taken_len = s->record[s->lane[s->take_vl].head].len;
  return n;
}

void loom_packet_store_show(const struct loom_packet_store *s, struct loom_packet_store_out *out) {
  memset(out, 0, sizeof *out);
  out->space = s->space;
  out->announce_ok = s->ok;
  out->head_valid = s->head_valid;
  out->head_event = s->event;
  out->head_vl = s->head_vl;
  out->head_len = s->head_len;
  out->head_info = s->head_info;
  out->soon = s->soon;
  out->rd_valid = s->rd.valid;
  out->rd_vl = s->rd.vl;
  out->rd_first = s->rd.first;
  out->rd_last = s->rd.last;
  out->rd_flits = s->rd.flits;
  out->rd_lane = s->rd.lane;
  memcpy(out->rd_data, s->rd.data, sizeof s->rd.data);
  out->free_valid = s->free;
  out->free_vl = s->free_vl;
  out->total = s->total;
}

void loom_packet_store_edge(struct loom_packet_store *s, const struct loom_packet_store_cycle *in) {
  const struct now now = look(s, in);
  announce(s, in);
  reader(s, &now);
  queues(s, in, &now);
  write_word(s, in);
}

void loom_packet_store_step(struct loom_packet_store *s, const struct loom_packet_store_in *in,
                            struct loom_packet_store_out *out) {
  const struct loom_packet_store_cycle cycle = {.announce = in->announce != 0,
                                                .queue = in->queue != 0,
                                                .word = in->wr_valid != 0,
                                                .take = in->take != 0,
                                                .queue_vl = (uint8_t)in->queue_vl,
                                                .take_vl = (uint8_t)in->take_vl,
                                                .announce_len = (uint16_t)in->announce_len,
                                                .queue_len = (uint16_t)in->queue_len,
                                                .queue_info = in->queue_info,
                                                .word_vl = (uint8_t)in->wr_vl,
                                                .word_flits = (uint8_t)in->wr_flits,
                                                .word_last = in->wr_last != 0,
                                                .word_data = in->wr_data};
  loom_packet_store_show(s, out);
  loom_packet_store_edge(s, &cycle);
}

/* ---- many cycles at once --------------------------------------------------------------------- */

/* Nothing is announced, comes into view or was just taken. */
static bool is_settled(const struct loom_packet_store *s) {
  return !s->ask && !s->asked && !s->ok && !s->event && !s->take && !s->fetch && !s->lined &&
         !loom_packet_store_prefetches(s) && (s->active || !s->booked);
}

/* A word comes in each cycle, as in the last one, or none does. */
static bool writes_steadily(const struct loom_packet_store *s) {
  if (!s->word)
    return !s->ends;
  return !s->ends && !s->word_last && s->live && s->live_vl == s->word_vl &&
         s->word_end > s->live_end;
}

/* A packet is asked for, other than one that is taken: its VL. */
static bool asks(const struct loom_packet_store *s, uint8_t *vl) {
  bool active = s->active && !s->known;
  *vl = active ? s->vl : s->book[0].vl;
  return active || front_asks(s);
}

static bool reads_steadily(const struct loom_packet_store *s, uint32_t flits) {
  uint8_t vl;
  bool claims = asks(s, &vl) && s->lane[vl].whole > 0;
  bool begins = !flits && s->active && s->word && s->live_vl == s->vl;
  return !claims && !begins && !s->check;
}

/* Cycles in which so many flits can be read, and then what is left of the packet if all of it is
 * there and none comes after it; else none of them the last. */
static uint32_t reads_for(const struct loom_packet_store *s, uint32_t flits, uint32_t most) {
  bool whole = CELL % flits == 0 && s->place % flits == 0;
  if (s->known && !s->booked && flits == s->most && whole)
    return most;
  most = loom_min(most, (s->left - 1u) / flits);
  if (!whole)
    most = loom_min(most, (CELL - s->place % CELL) / flits);
  if (s->known)
    return flits == s->most ? most : 0;
  uint32_t come = loom_packet_store_word_flits(s), are = there(s);
  if (flits < s->most && flits < are)
    return 0; /* a cell ends */
  if (come < flits)
    return loom_min(most, (are - flits) / (flits - come) + 1);
  return come == flits || flits == s->most ? most : 0;
}

/* Of `flits` in each of the next cycles those that are read in so many. */
static uint32_t read_by(const struct loom_packet_store *s, uint32_t flits, uint32_t cycles) {
  return loom_min(s->left, flits * cycles);
}

/* Units that are free by then. */
static uint32_t freed_by(const struct loom_packet_store *s, uint32_t read) {
  uint32_t partly = read && read == s->left ? CELL - 1 : 0;
  return (s->place + read + partly) / CELL - s->place / CELL;
}

/* The word that shows after so many cycles, for what was read takes one on its way; no flits are
 * kept. */
static void word_after(const struct loom_packet_store *s, uint32_t cycles,
                       struct loom_packet_store_word *word) {
  uint32_t from = read_by(s, s->rate, cycles - 2), to = read_by(s, s->rate, cycles - 1);
  if (cycles < 2 || from == to) {
    *word = cycles == 0 ? s->rd : cycles == 1 ? s->read : (struct loom_packet_store_word){0};
    return;
  }
  word->valid = true;
  word->first = s->place + from == 0;
  word->last = to == s->left;
  word->vl = s->vl;
  word->flits = (uint8_t)(to - from);
  word->lane = (uint8_t)((s->place + from) & (s->lanes - 1u));
}

struct loom_packet_store_word loom_packet_store_word_after(const struct loom_packet_store *s,
                                                           uint32_t cycles) {
  struct loom_packet_store_word word = {0};
  word_after(s, cycles, &word);
  return word;
}

static bool is_alike(const struct loom_packet_store_word *a,
                     const struct loom_packet_store_word *b) {
  return a->valid == b->valid && (!a->valid || (a->last == b->last && a->flits == b->flits));
}

/* It may change with what was read, the first word that will be, the last one, or none after it. */
uint32_t loom_packet_store_word_stays(const struct loom_packet_store *s, uint32_t most) {
  const struct loom_packet_store_word *rd = &s->rd;
  if (!is_alike(&s->read, rd))
    return 1;
  if (!s->rate)
    return rd->valid ? 2 : most;
  if (!rd->valid || rd->last || rd->flits != s->rate || s->left <= s->rate)
    return 2;
  return loom_min(most, (s->left + s->rate - 1u) / s->rate + 1);
}

uint32_t loom_packet_store_frees(const struct loom_packet_store *s, uint32_t cycles) {
  uint32_t flits = s->rate, read = read_by(s, flits, cycles);
  uint32_t to = loom_min(s->left, read + CELL - (s->place + read) % CELL);
  if (!flits || read == to || (to != s->left && to % flits))
    return 0;
  return (to + flits - 1) / flits;
}

/* What `soon` becomes at the edge, while nothing is taken. */
static bool is_soon(const struct loom_packet_store *s) {
  return s->booked <= 2 && s->owed <= s->early && all_known(s);
}

/* Cycles until `soon` changes. */
static uint32_t soon_stays(const struct loom_packet_store *s, uint32_t flits, uint32_t most) {
  if (is_soon(s) != s->soon)
    return 0;
  uint32_t over = s->owed - s->early; /* of which `was_read` go in the next edge */
  if (s->soon || s->booked > 2 || !all_known(s) || (!flits && over > s->was_read))
    return most;
  if (over <= s->was_read)
    return loom_min(most, 1);
  return loom_min(most, 1 + (over - s->was_read + flits - 1) / flits);
}

uint32_t loom_packet_store_steady(struct loom_packet_store *s, uint32_t most) {
  if (!is_settled(s) || !writes_steadily(s))
    return 0;
  uint32_t flits = reads(s);
  if (!reads_steadily(s, flits))
    return 0;
  s->rate = (uint8_t)flits;
  most = soon_stays(s, flits, most);
  return flits ? reads_for(s, flits, most) : most;
}

/* Units that are free for announcements after so many of the cycles. */
static uint32_t spare_after(const struct loom_packet_store *s, uint32_t cycles) {
  if (!cycles)
    return s->cells - s->total;
  return s->cells - s->total + s->free + freed_by(s, read_by(s, s->rate, cycles - 1));
}

uint32_t loom_packet_store_used(const struct loom_packet_store *s, uint32_t cycles) {
  return s->cells - spare_after(s, cycles);
}

static void pass_space(struct loom_packet_store *s, uint32_t cycles) {
  uint32_t spare = spare_after(s, cycles - 1);
  if (cycles > 1) {
    uint32_t before = spare_after(s, cycles - 2);
    s->one = before >= s->mtu;
    s->four = before >= 4u * s->mtu;
  }
  s->space = s->four || s->one;
  s->one = spare >= s->mtu;
  s->four = spare >= 4u * s->mtu;
}

void loom_packet_store_pass(struct loom_packet_store *s, uint32_t cycles) {
  if (!cycles)
    return;
  uint32_t come = loom_packet_store_word_flits(s) * cycles;
  uint32_t before = read_by(s, s->rate, cycles - 1), gone = read_by(s, s->rate, cycles);
  uint32_t total = loom_packet_store_used(s, cycles);
  word_after(s, cycles, &s->rd); /* first: it may be what was read */
  word_after(s, cycles + 1, &s->read);
  pass_space(s, cycles);
  s->total = total;
  if (come) {
    s->word_end = s->lane[s->word_vl].place = (uint16_t)(s->word_end + come);
    s->live_end = (uint16_t)(s->live_end + come);
  }
  s->free = freed_by(s, before) != freed_by(s, gone);
  s->free_vl = s->free ? s->vl : 0;
  s->owed -= s->was_read + before;
  s->was_read = (uint8_t)(gone - before);
  s->place = (uint16_t)(s->place + gone);
  s->left = (uint16_t)(s->left - gone);
  if (gone && !s->left)
    s->active = s->known = false;
}

void loom_packet_store_probe(const struct loom_packet_store *s, struct loom_packet_store_probe *p) {
  p->total = s->total;
  p->loom_end = 0;
}
