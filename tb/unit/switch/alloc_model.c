/* SPDX-License-Identifier: Apache-2.0 */
/* alloc_model.c - pipelined_alloc as docs/allocation.md writes it
 *
 * `is` is the model in this cycle, `next` what the edge makes of it. */
#include "tb/unit/switch/alloc_model.h"

#include <string.h>

/* The registers in this cycle, and what the page calls took, kill and picked of each source. */
struct now {
  struct alloc_model m;
  bool took[LOOM_ALLOC_PORTS], kill[LOOM_ALLOC_PORTS];
  uint32_t picked[LOOM_ALLOC_PORTS]; /* LANES: none */
};

static bool bit(uint64_t set, uint64_t place) { return set >> place & 1; }

void alloc_model_init(struct alloc_model *m, const struct loom_pipelined_alloc_cfg *cfg) {
  memset(m, 0, sizeof *m);
  m->cfg = *cfg;
}

/* ---- sources --------------------------------------------------------------------------------- */

static uint32_t picked(const struct alloc_model *m, uint32_t s) {
  const struct alloc_model_source *x = &m->source[s];
  if (x->insist && x->known)
    return x->turn;
  for (uint32_t i = 0; i < m->cfg.LANES; i++)
    if (x->wait[(x->next + i) % m->cfg.LANES])
      return (x->next + i) % m->cfg.LANES;
  return m->cfg.LANES;
}

static void look_around(const struct alloc_model *m, struct now *is) {
  memset(is, 0, sizeof *is);
  is->m = *m;
  for (uint32_t t = 0; t < m->cfg.PORTS; t++)
    if (m->target[t].booked)
      is->took[m->target[t].booked_source] = true;
  for (uint32_t s = 0; s < m->cfg.PORTS; s++) {
    is->kill[s] = is->took[s] && m->source[s].done.turn;
    is->picked[s] = picked(m, s);
  }
}

static bool refused(const struct now *is, uint32_t s) {
  const struct alloc_model_stage *look = &is->m.source[s].look;
  const struct alloc_model_target *t = &is->m.target[look->target];
  return t->hold && t->hold_vl == look->vl && !(look->turn && is->m.source[s].mine);
}

static void stages(const struct now *is, struct alloc_model *next, uint32_t s,
                   const struct loom_pipelined_alloc_in *in) {
  const struct alloc_model_source *x = &is->m.source[s];
  struct alloc_model_source *y = &next->source[s];
  uint32_t p = is->picked[s];
  y->pick.valid = p < is->m.cfg.LANES && !(is->kill[s] && p == x->turn);
  if (p < is->m.cfg.LANES) {
    y->next = (p + 1) % is->m.cfg.LANES;
    y->pick.lane = p;
    y->pick.turn = p == x->turn;
  }
  y->look = x->pick;
  y->look.target = x->record[x->pick.lane].target;
  y->look.vl = x->record[x->pick.lane].vl;
  y->look.valid = x->pick.valid && !(is->kill[s] && x->pick.turn);
  y->ask = x->look;
  y->ask.valid = x->look.valid && !(is->kill[s] && x->look.turn);
  y->ask.good = bit(in->room[x->look.target], x->look.vl) && !refused(is, s);
  y->done = x->ask;
  y->done.valid = x->ask.valid && !(is->kill[s] && x->ask.turn);
  y->done.info = x->record[x->ask.lane].info;
}

static void heads(const struct now *is, struct alloc_model *next, uint32_t s,
                  const struct loom_pipelined_alloc_in *in) {
  const struct alloc_model_source *x = &is->m.source[s];
  struct alloc_model_source *y = &next->source[s];
  for (uint32_t l = 0; l < is->m.cfg.LANES; l++) {
    bool event = bit(in->head_event, s) && in->head_lane[s] == l;
    if (is->picked[s] == l)
      y->wait[l] = false;
    else if (event)
      y->wait[l] = true;
    else if (x->done.valid && x->done.lane == l)
      y->wait[l] = !is->took[s];
    if (event)
      y->present[l] = true;
    else if (is->took[s] && x->done.lane == l)
      y->present[l] = false;
    if (event)
      y->record[l] = (struct loom_alloc_record){in->head_info[s], (uint8_t)in->head_target[s],
                                                (uint8_t)in->head_vl[s]};
  }
}

static void turn(const struct now *is, struct alloc_model *next, uint32_t s) {
  const struct alloc_model_source *x = &is->m.source[s];
  struct alloc_model_source *y = &next->source[s];
  if (!x->present[x->turn])
    y->turn = (x->turn + 1) % is->m.cfg.LANES;
  if (x->look.valid && x->look.turn) {
    y->turn_target = x->look.target;
    y->turn_vl = x->look.vl;
    y->known = true;
  }
  if (is->kill[s])
    y->known = false;
  const struct alloc_model_target *u = &is->m.target[x->turn_target];
  y->mine = x->known && u->hold && u->due == s;
  y->insist = y->mine && u->hold_room;
}

/* ---- targets --------------------------------------------------------------------------------- */

static bool requests(const struct now *is, uint32_t s, uint32_t t) {
  const struct alloc_model_source *x = &is->m.source[s];
  return x->ask.valid && x->ask.good && x->ask.target == t && x->ready && !is->took[s] && !x->rest;
}

static void grants(const struct now *is, struct alloc_model *next, uint32_t t,
                   const struct loom_pipelined_alloc_in *in) {
  const struct alloc_model_target *x = &is->m.target[t];
  struct alloc_model_target *y = &next->target[t];
  bool fell = x->was & ~in->room[t];
  bool may = x->ready && !x->booked && !x->rest[0] && !(x->rest[1] && fell);
  y->booked = false;
  for (uint32_t i = 0; may && i < is->m.cfg.PORTS && !y->booked; i++) {
    uint32_t s = (x->position + i) % is->m.cfg.PORTS;
    if (!requests(is, s, t))
      continue;
    y->booked = true;
    y->booked_source = s;
    y->position = (s + 1) % is->m.cfg.PORTS;
  }
  y->rest[1] = x->rest[0];
  y->rest[0] = x->booked;
  y->ready = bit(in->target_ready, t);
  y->was = (uint32_t)in->room[t];
}

static void due(const struct now *is, struct alloc_model *next, uint32_t t,
                const struct loom_pipelined_alloc_in *in) {
  const struct alloc_model_target *x = &is->m.target[t];
  struct alloc_model_target *y = &next->target[t];
  const struct alloc_model_source *d = &is->m.source[x->due];
  y->hold_vl = d->turn_vl;
  if (d->known && d->turn_target == t) {
    if (x->count < is->m.cfg.PATIENCE && (x->booked || is->took[x->due]))
      y->count = x->count + 1;
    y->hold = x->count == is->m.cfg.PATIENCE;
    y->hold_room = y->hold && bit(in->room[t], d->turn_vl);
  } else {
    y->due = (x->due + 1) % is->m.cfg.PORTS;
    y->count = 0;
    y->hold = y->hold_room = false;
  }
}

/* ---- one cycle ------------------------------------------------------------------------------- */

static void show(const struct now *is, struct loom_pipelined_alloc_out *out) {
  memset(out, 0, sizeof *out);
  for (uint32_t s = 0; s < is->m.cfg.PORTS; s++)
    if (is->took[s]) {
      out->take |= 1ull << s;
      out->take_lane[s] = is->m.source[s].done.lane;
      out->take_target[s] = is->m.source[s].done.target;
    }
  for (uint32_t t = 0; t < is->m.cfg.PORTS; t++)
    if (is->m.target[t].booked) {
      uint32_t s = is->m.target[t].booked_source;
      out->book |= 1ull << t;
      out->book_source[t] = s;
      out->book_vl[t] = is->m.source[s].done.vl;
      out->book_info[t] = is->m.source[s].done.info;
    }
}

void alloc_model_step(struct alloc_model *m, const struct loom_pipelined_alloc_in *in,
                      struct loom_pipelined_alloc_out *out) {
  struct now is;
  look_around(m, &is);
  show(&is, out);
  for (uint32_t p = 0; p < m->cfg.PORTS; p++) {
    stages(&is, m, p, in);
    heads(&is, m, p, in);
    turn(&is, m, p);
    m->source[p].ready = bit(in->source_ready, p);
    m->source[p].rest = is.took[p];
    grants(&is, m, p, in);
    due(&is, m, p, in);
  }
}

void alloc_model_probe(const struct alloc_model *m, struct loom_pipelined_alloc_probe *p) {
  memset(p, 0, sizeof *p);
  for (uint32_t i = 0; i < m->cfg.PORTS; i++) {
    p->hold |= (uint64_t)m->target[i].hold << i;
    p->known |= (uint64_t)m->source[i].known << i;
  }
}
