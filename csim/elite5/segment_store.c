/* SPDX-License-Identifier: Apache-2.0 */
/* segment_store.c - twin of rtl/elite5/loom_segment_store.v, written from docs/elite5.md */
#include "elite5/segment_store.h"

#include <loom/bits.h>
#include <string.h>

enum { SOON_WORDS = 8, SOON_PLACE = 24, EARLY_WORDS = 5 };

enum {
  VCS = LOOM_SEGMENT_STORE_VCS,
  WORDS = LOOM_SEGMENT_STORE_WORDS,
  READERS = LOOM_SEGMENT_STORE_READERS
};

bool loom_segment_store_cfg_ok(const struct loom_segment_store_cfg *cfg) {
  return !loom_segment_store_bad_param(cfg);
}

void loom_segment_store_init(struct loom_segment_store *s,
                             const struct loom_segment_store_cfg *cfg) {
  memset(s, 0, sizeof *s);
  s->all_vcs = (uint32_t)loom_mask(cfg->VCS);
  s->all_slots = loom_mask(cfg->VCS + cfg->POOL);
  s->most = cfg->POOL;
  s->unused = s->all_slots;
  s->own = s->all_vcs;
  s->empty = true;
  s->rd_free = true;
}

/* What the outputs show of the state. */
static void show(const struct loom_segment_store *s, struct loom_segment_store_out *out) {
  out->own = s->own;
  out->spare = s->pool < s->most;
  out->head_valid = s->head_valid;
  out->head_event = s->head_event;
  out->head_vc = s->head_vc;
  out->phase = s->phase;
  out->rd_free = s->rd_free;
  out->rd_valid = s->rd.valid;
  out->rd_head = s->rd.head;
  out->rd_last = s->rd.last;
  out->rd_tail = s->rd.tail;
  for (uint32_t lane = 0; lane < READERS; lane++)
    out->rd_data[lane] = s->rd.data[lane];
  out->done = s->done;
  out->done_vc = s->done_vc;
  out->done_tail = s->done_tail;
  out->free_valid = s->free_valid;
  out->free_vc = s->free_vc;
  out->empty = s->empty;
  out->soon = s->soon;
  out->early = s->early;
}

/* ---- leave and view -------------------------------------------------------------------------- */

/* The segment of a reader that was done in the last cycle leaves. Says whether its VC has a segment
 * that is brought. */
static bool leave(struct loom_segment_store *s, const struct loom_segment_store_reader *r) {
  struct loom_segment_store_queue *q = &s->queue[r->vc];
  if (r->keep)
    return true;
  s->unused |= 1ull << r->slot;
  if (--s->used[r->vc])
    s->pool--;
  else
    s->own |= 1u << r->vc;
  s->free_valid = true;
  s->free_vc = r->vc;
  q->first = s->next[r->slot];
  return --q->segs != 0;
}

/* The segment whose head came in the last cycle joins its queue. Says whether it is the first. */
static bool join(struct loom_segment_store *s) {
  struct loom_segment_store_queue *q = &s->queue[s->join_vc];
  if (q->segs++)
    s->next[q->newest] = s->wr_slot;
  else
    q->first = s->wr_slot;
  q->newest = s->wr_slot;
  return q->segs == 1;
}

static void view(struct loom_segment_store *s, uint8_t vc) {
  s->head_valid |= 1u << vc;
  s->head_event = true;
  s->head_vc = vc;
}

static void enter_line(struct loom_segment_store *s, uint8_t vc) {
  s->line[(s->line_first + s->line_count++) % VCS] = vc;
}

static uint8_t leave_line(struct loom_segment_store *s) {
  uint8_t vc = s->line[s->line_first];
  s->line_first = (uint8_t)((s->line_first + 1) % VCS);
  s->line_count--;
  return vc;
}

/* Leaving goes before joining: what is brought was in the queue before, and who joins what has run
 * empty in this cycle is the first. */
static void move_queues(struct loom_segment_store *s) {
  bool brought = false;
  uint8_t vc = 0;
  s->free_valid = false;
  s->free_vc = 0;
  for (uint32_t r = 0; r < READERS; r++)
    if (s->reader[r].leaves) {
      vc = s->reader[r].vc;
      brought = leave(s, &s->reader[r]);
    }

  s->head_event = false;
  s->head_vc = 0;
  if (s->join && join(s)) {
    view(s, s->join_vc);
  } else if (s->line_count) {
    view(s, leave_line(s));
  } else if (brought) {
    view(s, vc);
    brought = false;
  }
  if (brought)
    enter_line(s, vc);
}

/* ---- readers --------------------------------------------------------------------------------- */

/* The last word of the segment in a slot has come in an earlier cycle. */
static bool is_whole(const struct loom_segment_store *s, uint32_t slot) {
  return !(s->open && s->wr_slot == slot);
}

/* A reader reads its word, which is there and of the memory at which the reader is. */
static void read_word(struct loom_segment_store *s, struct loom_segment_store_reader *r) {
  uint32_t lane = r->place & 1, place = r->place++;
  bool last = is_whole(s, r->slot) && place + 1 == s->length[r->slot];
  s->read.valid |= (uint8_t)(1u << lane);
  s->read.head |= (uint8_t)((place == 0) << lane);
  s->read.last |= (uint8_t)(last << lane);
  s->read.tail |= (uint8_t)((last && s->tail >> r->slot & 1) << lane);
  s->read.data[lane] = s->word[r->slot][place];
}

/* The reader at the even memory: it may be done, and if it is idle it can be given a segment. */
static bool is_done(const struct loom_segment_store *s, const struct loom_segment_store_reader *r) {
  return r->busy && is_whole(s, r->slot) && r->place / 2 >= (s->length[r->slot] - 1) / 2;
}

static bool take(struct loom_segment_store *s, struct loom_segment_store_reader *r,
                 const struct loom_segment_store_in *in) {
  uint32_t vc = in->take_vc & (VCS - 1);
  if (!in->take || r->busy || !(s->head_valid >> vc & 1))
    return false;
  *r = (struct loom_segment_store_reader){
      .busy = true, .keep = in->take_keep, .vc = (uint8_t)vc, .slot = s->queue[vc].first};
  s->head_valid &= ~(1u << vc);
  return true;
}

/* The reader at the even memory, which is not done in this cycle, has few words left. */
static bool is_soon(const struct loom_segment_store *s, const struct loom_segment_store_reader *r) {
  if (!r->busy)
    return false;
  return is_whole(s, r->slot) ? s->length[r->slot] <= r->place + SOON_WORDS
                              : r->place >= SOON_PLACE;
}

/* The reader at the odd memory reads the last word but one of a segment of odd length, so it is
 * done in the next cycle. */
static bool is_early(const struct loom_segment_store *s,
                     const struct loom_segment_store_reader *r) {
  uint32_t length = s->length[r->slot];
  return r->busy && is_whole(s, r->slot) && r->place & 1 && r->place + 2u == length &&
         length >= EARLY_WORDS;
}

/* All that both readers do in a cycle but leave. */
static void move_readers(struct loom_segment_store *s, const struct loom_segment_store_in *in) {
  struct loom_segment_store_reader *even = &s->reader[s->phase], *odd = &s->reader[!s->phase];
  s->rd = s->read;
  memset(&s->read, 0, sizeof s->read);

  bool done = is_done(s, even), soon = !done && is_soon(s, even);
  s->soon = (uint8_t)((s->soon & ~(1u << s->phase)) | (uint32_t)soon << s->phase);
  s->early = is_early(s, odd);
  bool idle = !even->busy && !take(s, even, in);
  if (even->busy && !(even->place & 1) && even->place < s->length[even->slot])
    read_word(s, even);
  if (odd->busy && odd->place & 1 && odd->place < s->length[odd->slot])
    read_word(s, odd);

  if (odd->leaves)
    odd->busy = false;
  odd->leaves = false;
  even->leaves = done;
  s->done = done;
  s->done_vc = done ? even->vc : 0;
  s->done_tail = done && s->tail >> even->slot & 1;
  s->rd_free = done || idle;
}

/* ---- write ----------------------------------------------------------------------------------- */

/* The segment of a head gets a slot; which one never shows. */
static void begin(struct loom_segment_store *s, uint32_t vc) {
  s->wr_slot = (uint8_t)loom_ctz(s->unused);
  s->unused &= s->unused - 1;
  s->length[s->wr_slot] = 0;
  s->tail &= ~(1ull << s->wr_slot);
  if (s->used[vc]++)
    s->pool++;
  s->own &= ~(1u << vc);
  s->open = s->join = true;
  s->join_vc = (uint8_t)vc;
}

/* Room is that of the beginning of the cycle, in which no slot has been released yet. */
static void write_word(struct loom_segment_store *s, uint32_t room,
                       const struct loom_segment_store_in *in) {
  uint32_t vc = in->wr_vc & (VCS - 1);
  s->join = false;
  if (!in->wr_valid)
    return;
  if (in->wr_head && !s->open && room >> vc & 1)
    begin(s, vc);
  if (!s->open)
    return; /* outside the contract */
  uint32_t place = s->length[s->wr_slot]++;
  s->word[s->wr_slot][place] = in->wr_data;
  if (in->wr_tail)
    s->tail |= 1ull << s->wr_slot;
  s->open = !in->wr_tail && place + 1 < WORDS;
}

/* ---- step ------------------------------------------------------------------------------------ */

void loom_segment_store_edge(struct loom_segment_store *s, const struct loom_segment_store_in *in) {
  uint32_t room = s->pool < s->most ? s->all_vcs : s->own;
  bool idle = s->unused == s->all_slots;

  move_queues(s);
  move_readers(s, in);
  write_word(s, room, in);
  s->empty = idle && !(in->wr_valid && in->wr_head);
  s->phase = !s->phase;
}

void loom_segment_store_step(struct loom_segment_store *s, const struct loom_segment_store_in *in,
                             struct loom_segment_store_out *out) {
  memset(out, 0, sizeof *out);
  show(s, out);
  loom_segment_store_edge(s, in);
}

/* With no slot in use there is no queue, nothing in view, and no segment is written. */
bool loom_segment_store_rests(const struct loom_segment_store *s) {
  bool reads = s->read.valid | s->rd.valid | s->soon | s->early;
  for (uint32_t r = 0; r < READERS; r++)
    reads |= s->reader[r].busy | s->reader[r].leaves;
  return s->unused == s->all_slots && s->empty && s->rd_free && !reads && !s->done &&
         !s->free_valid && !s->head_event;
}

void loom_segment_store_probe(const struct loom_segment_store *s,
                              struct loom_segment_store_probe *p) {
  p->phase = s->phase;
  p->pool = s->pool;
  p->loom_end = 0;
}
