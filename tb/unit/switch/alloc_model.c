/* SPDX-License-Identifier: Apache-2.0 */
/* alloc_model.c - an allocation as docs/allocation.md writes it
 *
 * `is` is the model in this cycle, `next` what the edge makes of it. */
#include "tb/unit/switch/alloc_model.h"

#include <string.h>

/* The registers in this cycle, and what the page calls took, kill and picked of each source. */
struct now {
  struct alloc_model m;
  bool took[LOOM_MPORT_ENDS], kill[LOOM_MPORT_ENDS];
  uint32_t picked[LOOM_MPORT_ENDS]; /* LANES: none */
};

static bool bit(uint64_t set, uint64_t place) { return set >> place & 1; }

/* ---- who knows whom -------------------------------------------------------------------------- */

static void begin(struct alloc_model *m, uint32_t ends, uint32_t lanes, uint32_t patience) {
  memset(m, 0, sizeof *m);
  m->ends = ends;
  for (uint32_t s = 0; s < ends; s++)
    m->source[s].lanes = lanes;
  m->patience = patience;
  for (uint32_t t = 0; t < LOOM_MPORT_ENDS; t++)
    memset(m->target[t].from, ALLOC_MODEL_NOBODY, sizeof m->target[t].from);
}

/* The source knows this target by `number`, and the target knows it by `name`. */
static void link(struct alloc_model *m, uint32_t source, uint32_t number, uint32_t target,
                 uint32_t name) {
  m->source[source].to[number] = (uint8_t)target;
  m->source[source].as[number] = (uint8_t)name;
  m->target[target].from[name] = (uint8_t)source;
}

void alloc_model_init(struct alloc_model *m, const struct loom_pipelined_alloc_cfg *cfg) {
  begin(m, cfg->PORTS, cfg->LANES, cfg->PATIENCE);
  for (uint32_t t = 0; t < cfg->PORTS; t++) {
    m->target[t].sources = cfg->PORTS;
    for (uint32_t s = 0; s < cfg->PORTS; s++)
      link(m, s, t, t, s);
  }
}

/* Those of MPort m, by the tables of docs/mport_switch.md. */
static void link_mport(struct alloc_model *a, uint32_t mports, uint32_t m) {
  const uint32_t central = 4 * mports; /* the first one of all */
  for (uint32_t i = 0; i < 4; i++) {
    for (uint32_t number = 0; number < 4; number++)
      link(a, 4 * m + i, number, 4 * m + number, i);
    for (uint32_t number = 4; number < 6; number++)
      link(a, 4 * m + i, number, central + 2 * m + number - 4, i);
    a->target[4 * m + i].sources = 4 + 2 * mports;
  }
  for (uint32_t b = 2 * m; b < 2 * m + 2; b++) {
    a->target[central + b].sources = 4;
    for (uint32_t o = 0; o < 4 * mports; o++)
      if (o / 4 != m)
        link(a, central + b, o, o, 4 + b);
  }
}

void alloc_model_init_mport(struct alloc_model *m, const struct loom_mport_alloc_cfg *cfg) {
  begin(m, 6 * cfg->MPORTS, cfg->LANES, cfg->PATIENCE);
  for (uint32_t b = 4 * cfg->MPORTS; b < 6 * cfg->MPORTS; b++)
    m->source[b].lanes = cfg->QUEUES * cfg->LANES;
  for (uint32_t i = 0; i < cfg->MPORTS; i++)
    link_mport(m, cfg->MPORTS, i);
}

/* ---- sources --------------------------------------------------------------------------------- */

static uint32_t picked(const struct alloc_model *m, uint32_t s) {
  const struct alloc_model_source *x = &m->source[s];
  if (x->insist && x->known)
    return x->turn;
  for (uint32_t i = 0; i < x->lanes; i++)
    if (x->present[(x->next + i) % x->lanes])
      return (x->next + i) % x->lanes;
  return x->lanes;
}

static void look_around(const struct alloc_model *m, struct now *is) {
  memset(is, 0, sizeof *is);
  is->m = *m;
  for (uint32_t t = 0; t < m->ends; t++)
    if (m->target[t].booked)
      is->took[m->target[t].from[m->target[t].booked_source]] = true;
  for (uint32_t s = 0; s < m->ends; s++) {
    is->kill[s] = is->took[s] && m->source[s].done.lane == m->source[s].turn;
    is->picked[s] = picked(m, s);
  }
}

/* The target that the source knows so. */
static uint32_t to(const struct now *is, uint32_t s, uint32_t number) {
  return is->m.source[s].to[number];
}

static bool refused(const struct now *is, uint32_t s) {
  const struct alloc_model_stage *look = &is->m.source[s].look;
  const struct alloc_model_target *t = &is->m.target[to(is, s, look->target)];
  return t->hold && t->hold_vl == look->vl && !(look->turn && is->m.source[s].mine);
}

/* The offer is of the lane whose head is booked. */
static bool is_gone(const struct now *is, uint32_t s, uint32_t lane) {
  return is->took[s] && lane == is->m.source[s].done.lane;
}

static void stages(const struct now *is, struct alloc_model *next, uint32_t s,
                   const struct loom_mport_alloc_in *in) {
  const struct alloc_model_source *x = &is->m.source[s];
  struct alloc_model_source *y = &next->source[s];
  uint32_t p = is->picked[s];
  y->pick.valid = p < is->m.source[s].lanes && !is_gone(is, s, p);
  if (p < is->m.source[s].lanes) {
    y->next = (p + 1) % is->m.source[s].lanes;
    y->pick.lane = p;
    y->pick.turn = p == x->turn;
  }
  y->look = x->pick;
  y->look.target = x->record[x->pick.lane].target;
  y->look.vl = x->record[x->pick.lane].vl;
  y->look.valid = x->pick.valid && !is_gone(is, s, x->pick.lane);
  y->ask = x->look;
  y->ask.good = bit(in->room[to(is, s, x->look.target)], x->look.vl) && !refused(is, s);
  y->done = x->ask;
  y->done.info = x->record[x->ask.lane].info;
}

static void heads(const struct now *is, struct alloc_model *next, uint32_t s,
                  const struct loom_mport_alloc_in *in) {
  struct alloc_model_source *y = &next->source[s];
  for (uint32_t l = 0; l < is->m.source[s].lanes; l++) {
    bool event = in->head_event[s] && in->head_lane[s] == l;
    if (event)
      y->present[l] = true;
    else if (is_gone(is, s, l))
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
    y->turn = (x->turn + 1) % is->m.source[s].lanes;
  if (x->look.valid && x->look.turn) {
    y->turn_target = x->look.target;
    y->turn_vl = x->look.vl;
    y->known = true;
  }
  if (is->kill[s])
    y->known = false;
  const struct alloc_model_target *u = &is->m.target[to(is, s, x->turn_target)];
  y->mine = x->known && u->hold && u->due == x->as[x->turn_target];
  y->insist = y->mine && u->hold_room;
}

/* ---- targets --------------------------------------------------------------------------------- */

/* The source that target t knows by this number asks it. */
static bool requests(const struct now *is, uint32_t t, uint32_t name) {
  uint32_t s = is->m.target[t].from[name];
  if (s == ALLOC_MODEL_NOBODY)
    return false;
  const struct alloc_model_source *x = &is->m.source[s];
  return x->ask.valid && x->ask.good && to(is, s, x->ask.target) == t && x->ready && !is->took[s] &&
         !x->rest;
}

static void grants(const struct now *is, struct alloc_model *next, uint32_t t,
                   const struct loom_mport_alloc_in *in) {
  const struct alloc_model_target *x = &is->m.target[t];
  struct alloc_model_target *y = &next->target[t];
  bool fell = x->was & ~in->room[t];
  bool may = x->ready && !x->booked && !x->rest[0] && !(x->rest[1] && fell);
  y->booked = false;
  for (uint32_t i = 0; may && i < x->sources && !y->booked; i++) {
    uint32_t name = (x->position + i) % x->sources;
    if (!requests(is, t, name))
      continue;
    y->booked = true;
    y->booked_source = name;
    y->position = (name + 1) % x->sources;
  }
  y->rest[1] = x->rest[0];
  y->rest[0] = x->booked;
  y->ready = in->target_ready[t];
  y->was = (uint32_t)in->room[t];
}

static void due(const struct now *is, struct alloc_model *next, uint32_t t,
                const struct loom_mport_alloc_in *in) {
  static const struct alloc_model_source nobody;
  const struct alloc_model_target *x = &is->m.target[t];
  struct alloc_model_target *y = &next->target[t];
  uint32_t s = x->from[x->due];
  const struct alloc_model_source *d = s == ALLOC_MODEL_NOBODY ? &nobody : &is->m.source[s];
  y->hold_vl = d->turn_vl;
  if (d->known && to(is, s, d->turn_target) == t) {
    if (x->count < is->m.patience && (x->booked || is->took[s]))
      y->count = x->count + 1;
    y->hold = x->count == is->m.patience;
    y->hold_room = y->hold && bit(in->room[t], d->turn_vl);
  } else {
    y->due = (x->due + 1) % x->sources;
    y->count = 0;
    y->hold = y->hold_room = false;
  }
}

/* ---- one cycle ------------------------------------------------------------------------------- */

static void show(const struct now *is, struct loom_mport_alloc_out *out) {
  memset(out, 0, sizeof *out);
  for (uint32_t s = 0; s < is->m.ends; s++)
    if (is->took[s]) {
      out->take[s] = 1;
      out->take_lane[s] = is->m.source[s].done.lane;
      out->take_target[s] = is->m.source[s].done.target;
    }
  for (uint32_t t = 0; t < is->m.ends; t++)
    if (is->m.target[t].booked) {
      uint32_t name = is->m.target[t].booked_source;
      const struct alloc_model_source *s = &is->m.source[is->m.target[t].from[name]];
      out->book[t] = 1;
      out->book_source[t] = name;
      out->book_vl[t] = s->done.vl;
      out->book_info[t] = s->done.info;
    }
}

void alloc_model_step_mport(struct alloc_model *m, const struct loom_mport_alloc_in *in,
                            struct loom_mport_alloc_out *out) {
  struct now is;
  look_around(m, &is);
  show(&is, out);
  for (uint32_t p = 0; p < m->ends; p++) {
    stages(&is, m, p, in);
    heads(&is, m, p, in);
    turn(&is, m, p);
    m->source[p].ready = in->source_ready[p];
    m->source[p].rest = is.took[p];
    grants(&is, m, p, in);
    due(&is, m, p, in);
  }
}

/* ---- with the ports of pipelined_alloc ------------------------------------------------------- */

static struct loom_mport_alloc_in fields_of(const struct loom_pipelined_alloc_in *in) {
  struct loom_mport_alloc_in f = {.head_event = {0}};
  for (uint32_t p = 0; p < LOOM_ALLOC_PORTS; p++) {
    f.head_event[p] = bit(in->head_event, p);
    f.head_lane[p] = in->head_lane[p];
    f.head_target[p] = in->head_target[p];
    f.head_vl[p] = in->head_vl[p];
    f.head_info[p] = in->head_info[p];
    f.source_ready[p] = bit(in->source_ready, p);
    f.target_ready[p] = bit(in->target_ready, p);
    f.room[p] = in->room[p];
  }
  return f;
}

void alloc_model_step(struct alloc_model *m, const struct loom_pipelined_alloc_in *in,
                      struct loom_pipelined_alloc_out *out) {
  const struct loom_mport_alloc_in fields = fields_of(in);
  struct loom_mport_alloc_out shown;
  alloc_model_step_mport(m, &fields, &shown);
  memset(out, 0, sizeof *out);
  for (uint32_t p = 0; p < m->ends; p++) {
    out->take |= shown.take[p] << p;
    out->take_lane[p] = shown.take_lane[p];
    out->take_target[p] = shown.take_target[p];
    out->book |= shown.book[p] << p;
    out->book_source[p] = shown.book_source[p];
    out->book_vl[p] = shown.book_vl[p];
    out->book_info[p] = shown.book_info[p];
  }
}

/* ---- probes ---------------------------------------------------------------------------------- */

static uint64_t holds(const struct alloc_model *m, uint32_t first, uint32_t count) {
  uint64_t set = 0;
  for (uint32_t i = 0; i < count; i++)
    set |= (uint64_t)m->target[first + i].hold << i;
  return set;
}

static uint64_t knows(const struct alloc_model *m, uint32_t first, uint32_t count) {
  uint64_t set = 0;
  for (uint32_t i = 0; i < count; i++)
    set |= (uint64_t)m->source[first + i].known << i;
  return set;
}

void alloc_model_probe(const struct alloc_model *m, struct loom_pipelined_alloc_probe *p) {
  memset(p, 0, sizeof *p);
  p->hold = holds(m, 0, m->ends);
  p->known = knows(m, 0, m->ends);
}

void alloc_model_probe_mport(const struct alloc_model *m, struct loom_mport_alloc_probe *p) {
  uint32_t ports = m->ends / 6 * 4, centrals = m->ends / 6 * 2;
  memset(p, 0, sizeof *p);
  p->hold = holds(m, 0, ports);
  p->central_hold = holds(m, ports, centrals);
  p->known = knows(m, 0, ports);
  p->central_known = knows(m, ports, centrals);
}
