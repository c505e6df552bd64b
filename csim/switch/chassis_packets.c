/* SPDX-License-Identifier: Apache-2.0 */
/* chassis_packets.c - a chassis that follows packets and not flits, written from
 * docs/packet_engine.md
 *
 * Inside: crossbar_switch, mport_switch.
 */
#include "switch/chassis_state.h"

#include <loom/head.h>
#include <string.h>

enum { CELL = LOOM_UNIT_FLITS, NONE = 0 };
enum { VERDICT = 3 };                   /* cycles from the link to it */
enum { MOST = LOOM_CHASSIS_AHEAD - 2 }; /* cycles without an edge */
#define NEVER UINT64_MAX
enum { SPARE = 4 }; /* cells of a port beyond those of its stores and the packets on its links */

static bool has(uint64_t set, uint32_t member) { return loom_chassis_has(set, member); }

static uint32_t place_of(uint64_t cycle) { return (uint32_t)(cycle % LOOM_CHASSIS_AHEAD); }

/* ---- init ------------------------------------------------------------------------------------ */

/* Cell 0 is no cell. */
static size_t cells_of(const struct loom_chassis_cfg *cfg) {
  size_t port = cfg->input.CELLS + cfg->output.CELLS + 2 * cfg->input.MTU_UNITS + SPARE;
  return cfg->input.PORTS * port + 1;
}

size_t loom_chassis_packets_size(const struct loom_chassis_cfg *cfg) {
  return sizeof(struct loom_chassis_packets) +
         cells_of(cfg) * (CELL * sizeof(uint64_t) + 3 * sizeof(uint32_t));
}

void loom_chassis_packets_init(struct loom_chassis *s, const struct loom_chassis_cfg *cfg,
                               void *storage) {
  struct loom_chassis_packets *p = s->packets = storage;
  uint32_t cells = (uint32_t)cells_of(cfg);
  memset(p, 0, sizeof *p);
  p->words.word = (uint64_t *)(p + 1);
  p->words.cell = (uint32_t *)(p->words.word + (size_t)cells * CELL);
  p->words.next = p->words.cell + cells;
  p->words.packet = p->words.next + cells;
  p->words.fresh = 1;
  for (uint32_t port = 0; port < s->ports; port++) {
    loom_packet_store_forget(&s->port[port].input.store);
    loom_packet_store_forget(&s->port[port].output.store);
    p->port[port].input_slept = p->port[port].choice_slept = s->port[port].output_slept =
        UINT64_MAX; /* the cycle before the first */
  }
  p->room = p->far = s->all;
}

/* ---- words ----------------------------------------------------------------------------------- */

static uint32_t take_cell(struct loom_chassis_words *w) {
  uint32_t cell = w->free;
  if (cell)
    w->free = w->cell[cell];
  else
    cell = w->fresh++;
  w->cell[cell] = NONE;
  w->packet[cell] = 0;
  return cell;
}

static void give_cell(struct loom_chassis_words *w, uint32_t cell) {
  w->cell[cell] = w->free;
  w->free = cell;
}

static void give_packet(struct loom_chassis_words *w, uint32_t first) {
  for (uint32_t cell = first, next; cell; cell = next) {
    next = w->cell[cell];
    give_cell(w, cell);
  }
}

static void append(struct loom_chassis_words *w, struct loom_chassis_fifo *f, uint32_t packet) {
  if (f->first)
    w->next[f->last] = packet;
  else
    f->first = packet;
  f->last = packet;
  w->next[packet] = NONE;
}

static uint32_t remove_first(const struct loom_chassis_words *w, struct loom_chassis_fifo *f) {
  uint32_t packet = f->first;
  if (packet)
    f->first = w->next[packet];
  return packet;
}

/* The packet is not kept; if it still comes, its other flits are not, either. */
static void drop(struct loom_chassis_packets *p, uint32_t port, uint32_t packet) {
  if (p->flow[port].first == packet)
    p->flow[port].first = NONE;
  if (p->words.packet[packet])
    p->source.remove(p->source.of, p->words.packet[packet]);
  give_packet(&p->words, packet);
}

/* A flit of the packet that comes. */
static inline void keep(struct loom_chassis_words *w, struct loom_chassis_flow *f, uint64_t word) {
  if (!f->first)
    return;
  if (f->came % CELL == 0 && f->came) {
    uint32_t cell = take_cell(w);
    f->last = w->cell[f->last] = cell;
  }
  w->word[(size_t)f->last * CELL + f->came++ % CELL] = word;
}

/* A packet begins: of one whose words stand elsewhere the head alone is kept. */
static void open_source(struct loom_chassis_packets *p, const struct loom_chassis_cycle *c,
                        uint32_t port) {
  const struct loom_link_in *in = &c->flits->port[port];
  struct loom_chassis_flow *f = &p->flow[port];
  bool elsewhere = f->first && p->source.word && in->packet;
  loom_chassis_put(&p->from_source, port, elsewhere);
  if (!elsewhere)
    return;
  p->words.packet[f->first] = in->packet;
  p->words.word[(size_t)f->first * CELL] = in->data;
}

/* The flits on the links, before the edges of the inputs. */
static void keep_flits(struct loom_chassis *s, const struct loom_chassis_cycle *c) {
  struct loom_chassis_packets *p = s->packets;
  for (uint64_t left = c->flits->valid & ~p->streaming; left; left &= left - 1) {
    uint32_t port = loom_ctz(left);
    struct loom_chassis_flow *f = &p->flow[port];
    if (s->port[port].input.left)
      continue;
    f->first = has(c->flits->head, port) ? take_cell(&p->words) : NONE;
    f->last = p->port[port].fresh[s->now % LOOM_CHASSIS_STAGES] = f->first;
    f->came = 0;
    open_source(p, c, port);
  }
  for (uint64_t left = c->flits->valid & ~p->from_source; left; left &= left - 1) {
    uint32_t port = loom_ctz(left);
    keep(&p->words, &p->flow[port], c->flits->port[port].data);
  }
}

void loom_chassis_packets_judge(struct loom_chassis *s, uint32_t port) {
  struct loom_chassis_packets *p = s->packets;
  struct loom_chassis_packets_port *q = &p->port[port];
  const struct loom_input_flit *f = &s->port[port].input.s3;
  uint32_t packet = q->fresh[(s->now - VERDICT) % LOOM_CHASSIS_STAGES];
  if (!f->begins)
    return;
  if (f->valid)
    append(&p->words, &q->input[f->lane], packet);
  else
    drop(p, port, packet);
}

void loom_chassis_packets_take(struct loom_chassis *s, uint32_t port, uint8_t target) {
  struct loom_chassis_packets *p = s->packets;
  struct loom_chassis_packets_port *q = &p->port[port];
  const struct loom_input_unit *u = &s->port[port].input;
  if (!u->store.take)
    return;
  uint32_t packet = remove_first(&p->words, &q->input[u->store.take_vl]);
  if (u->departure.turn)
    drop(p, port, packet);
  else /* the crossing has the booking as its own */
    append(&p->words, &p->port[target].output[s->port[target].crossing.next_vl], packet);
}

void loom_chassis_packets_taken(struct loom_chassis *s, uint32_t port) {
  struct loom_chassis_packets *p = s->packets;
  struct loom_chassis_packets_port *q = &p->port[port];
  const struct loom_packet_store *store = &s->port[port].output.store;
  if (store->take)
    append(&p->words, &q->taken, remove_first(&p->words, &q->output[store->take_vl]));
}

/* The next flit of the packet that goes. */
static inline uint64_t next_word(const struct loom_chassis_packets *p,
                                 struct loom_chassis_flow *f) {
  const struct loom_chassis_words *w = &p->words;
  uint32_t packet = w->packet[f->goes];
  if (packet && f->gone)
    return p->source.word(p->source.of, packet, f->gone++);
  if (f->gone % CELL == 0 && f->gone)
    f->cell = w->cell[f->cell];
  return w->word[(size_t)f->cell * CELL + f->gone++ % CELL];
}

uint64_t loom_chassis_packets_word(struct loom_chassis *s, uint32_t port, bool head, bool tail) {
  struct loom_chassis_packets *p = s->packets;
  struct loom_chassis_flow *f = &p->flow[port];
  if (head) {
    f->goes = f->cell = remove_first(&p->words, &p->port[port].taken);
    f->gone = 0;
    s->shown.packet[port] = has(p->carries, port) ? p->words.packet[f->goes] : 0;
    loom_chassis_put(&p->streams, port, s->shown.packet[port] != 0);
  }
  bool streams = has(p->streams, port);
  uint64_t word = streams && !head ? 0 : next_word(p, f);
  if (!tail)
    return word;
  if (!streams && p->words.packet[f->goes])
    p->source.remove(p->source.of, p->words.packet[f->goes]);
  give_packet(&p->words, f->goes);
  return word;
}

/* ---- who has an edge ------------------------------------------------------------------------- */

/* Something of this port is due in this cycle. */
static void enter(struct loom_chassis_packets *p, uint64_t *calendar, uint64_t cycle,
                  uint32_t port) {
  if (cycle == NEVER)
    return;
  calendar[place_of(cycle)] |= 1ull << port;
  loom_set_include(p->events, place_of(cycle));
}

/* Those of the calendar that no edge has overtaken: `at`, by port, says for which cycle it is. */
static uint64_t on_time(uint64_t ports, const uint64_t *at, uint64_t now) {
  for (uint64_t left = ports; left; left &= left - 1)
    if (at[loom_ctz(left)] != now)
      ports &= ~(left & -left);
  return ports;
}

/* Credits of which the trackers need not know yet. */
static uint64_t defer(struct loom_chassis *s, const struct loom_chassis_cycle *c) {
  uint64_t deferred = 0;
  if (s->packets->loads)
    return 0;
  for (uint64_t left = c->credit & ~c->bus.ports; left; left &= left - 1) {
    uint32_t port = loom_ctz(left);
    if (!loom_output_unit_defer(&s->port[port].output, &s->packets->port[port].far,
                                c->in->port[port].cr_vl, s->now))
      continue;
    deferred |= 1ull << port;
    loom_chassis_packets_stir(s, LOOM_ROOM_SETTLES + 1 + LOOM_OUTPUT_STILL);
  }
  return deferred;
}

void loom_chassis_packets_begin(struct loom_chassis *s, struct loom_chassis_cycle *c) {
  struct loom_chassis_packets *p = s->packets;
  uint32_t now = place_of(s->now);
  const struct loom_chassis_arrival *flits = c->flits;
  c->inputs = s->input_awake | on_time(p->input_due[now], p->input_ends, s->now) |
              (flits->valid ^ p->streaming) | (flits->valid & (flits->head | flits->tail));
  c->crossings &= ~s->freed | s->crossing_awake | c->bus.ports;
  if (c->mtu_we)
    c->crossings |= s->all;
  c->outputs = s->output_awake | on_time(p->output_due[now], p->output_ends, s->now) | c->bus.ports;
  c->input_freed = on_time(p->input_free[now], p->input_frees, s->now);
  c->output_freed = on_time(p->output_free[now], p->output_frees, s->now);
  c->freed = s->freed | c->output_freed;
  c->room = p->room | c->freed;
  c->credit &= ~defer(s, c);
  c->far = p->far | p->far_due[now] | c->credit;
  c->room_turned = p->room_turn[now];
  c->far_turned = p->far_turn[now];
  p->room_turn[now] = p->far_turn[now] = 0;
  p->far_due[now] = p->input_due[now] = p->output_due[now] = p->input_free[now] =
      p->output_free[now] = 0;
  p->events[now / 64] &= ~(1ull << now % 64);
  s->freed = 0;
  p->end_was = s->end;
}

/* It has been left out since its last edge. */
static void wake_input(struct loom_chassis *s, uint32_t port) {
  struct loom_chassis_packets_port *q = &s->packets->port[port];
  uint64_t cycles = s->now - q->input_slept - 1;
  if (cycles)
    loom_input_unit_pass(&s->port[port].input, (uint32_t)cycles);
  q->input_slept = s->now - 1;
}

void loom_chassis_packets_inputs(struct loom_chassis *s, const struct loom_chassis_cycle *c) {
  struct loom_chassis_packets *p = s->packets;
  p->streaming &= ~c->inputs;
  p->inputs &= ~c->inputs;
  for (uint64_t left = c->inputs; left; left &= left - 1)
    wake_input(s, loom_ctz(left));
  keep_flits(s, c);
  for (uint64_t left = c->input_freed & ~c->inputs; left; left &= left - 1) {
    uint32_t port = loom_ctz(left);
    const struct loom_input_unit *u = &s->port[port].input;
    s->shown.credit |= 1ull << port;
    bool present = p->port[port].input_slept + 1 == s->now;
    s->shown.cr_vl[port] = loom_input_unit_link_vl(u, present ? u->store.free_vl : u->store.vl);
  }
}

uint32_t loom_chassis_used(const struct loom_chassis *s, uint32_t port, bool output,
                           uint64_t cycles) {
  const struct loom_chassis_port *p = &s->port[port];
  const struct loom_packet_store *store = output ? &p->output.store : &p->input.store;
  if (!s->packets)
    return store->total;
  uint64_t slept = output ? p->output_slept : s->packets->port[port].input_slept;
  return loom_packet_store_used(store, (uint32_t)(s->now + cycles - slept - 1));
}

/* ---- trackers -------------------------------------------------------------------------------- */

uint8_t loom_chassis_packets_freed_vl(const struct loom_chassis *s, uint32_t port) {
  const struct loom_chassis_port *p = &s->port[port];
  bool present = p->output_slept + 1 == s->now;
  return present ? p->output.store.free_vl : p->output.store.vl;
}

void loom_chassis_packets_tell_room(struct loom_chassis *s, uint32_t port) {
  struct loom_room_late *late = &s->packets->port[port].room;
  struct loom_room_tracker *t = &s->port[port].crossing.tracker;
  for (uint64_t at = loom_room_tracker_from(t, late, s->now); at < s->now; at++)
    loom_room_tracker_tell(t, late, at);
  late->count = 0;
}

void loom_chassis_packets_tell_far(struct loom_chassis *s, const struct loom_chassis_cycle *c,
                                   uint32_t port) {
  struct loom_room_late *late = &s->packets->port[port].far;
  struct loom_output_unit *u = &s->port[port].output;
  if (loom_room_late_any(late, s->now) &&
      (has(c->credit | c->bus.ports, port) || loom_output_unit_consumes(u)))
    loom_output_unit_tell(u, late, s->now);
}

static void enter_turns(struct loom_chassis_packets *p, uint64_t *calendar,
                        const struct loom_room_late *late, uint32_t port) {
  for (uint32_t i = 0; i < late->turns; i++)
    enter(p, calendar, late->turn[i].at, port);
}

void loom_chassis_packets_foresee_far(struct loom_chassis *s, uint32_t port) {
  struct loom_chassis_packets *p = s->packets;
  struct loom_room_late *late = &p->port[port].far;
  if (p->loads || !loom_output_unit_foresee(&s->port[port].output, late, s->now))
    return;
  enter_turns(p, p->far_turn, late, port);
  loom_chassis_packets_stir(s, LOOM_ROOM_SETTLES + 1 + LOOM_OUTPUT_STILL);
}

void loom_chassis_packets_foresee_room(struct loom_chassis *s, uint32_t port) {
  struct loom_chassis_packets *p = s->packets;
  struct loom_room_late *late = &p->port[port].room;
  if (!p->loads && loom_room_tracker_foresee(&s->port[port].crossing.tracker, late, 0, s->now))
    enter_turns(p, p->room_turn, late, port);
}

static void track_room(struct loom_chassis *s, const struct loom_chassis_cycle *c, uint32_t port) {
  struct loom_crossing *x = &s->port[port].crossing;
  bool free = has(c->freed, port);
  uint8_t vl = free ? loom_chassis_packets_freed_vl(s, port) : 0;
  struct loom_room_late *late = &s->packets->port[port].room;
  if (free && !s->packets->loads &&
      loom_room_tracker_defer(&x->tracker, late, vl, UINT32_MAX, s->now)) {
    loom_chassis_packets_stir(s, x->stays);
    if (late->idles)
      enter(s->packets, s->packets->room_turn, late->idles, port);
    return;
  }
  if (free)
    loom_chassis_packets_tell_room(s, port);
  loom_chassis_put(&s->quiet, port, x->tracker.idle);
  if (free)
    loom_chassis_packets_stir(s, x->stays);
  loom_crossing_track(x, free, vl);
  s->noted |= (uint64_t)x->tracker.error << port;
}

/* The scheduler has an edge in this cycle. */
static void wake_choice(struct loom_chassis *s, uint32_t port) {
  struct loom_chassis_packets_port *q = &s->packets->port[port];
  uint64_t cycles = s->now - q->choice_slept - 1;
  if (cycles)
    loom_output_choice_skip(&s->port[port].output.choice, cycles);
  q->choice_slept = s->now;
}

/* An edge of tracker and scheduler of an output, with a credit of this VL, if `credit`. */
static void track(struct loom_chassis *s, uint32_t port, bool credit, uint8_t vl) {
  struct loom_output_unit *u = &s->port[port].output;
  wake_choice(s, port);
  s->port[port].table_rdata = u->choice.shows.table_rdata;
  uint32_t early = loom_output_unit_track(u, credit, vl);
  s->noted |= (uint64_t)u->tracker.error << port;
  loom_chassis_packets_stir(s, LOOM_OUTPUT_STILL + early);
  s->output_awake |= (uint64_t)loom_output_unit_wakes(u) << port;
}

void loom_chassis_packets_track(struct loom_chassis *s, const struct loom_chassis_cycle *c,
                                uint32_t port) {
  bool credit = has(c->credit, port);
  loom_chassis_packets_tell_far(s, c, port);
  track(s, port, credit, credit ? c->in->port[port].cr_vl : 0);
}

void loom_chassis_packets_outputs(struct loom_chassis *s, struct loom_chassis_cycle *c) {
  struct loom_chassis_packets *p = s->packets;
  uint64_t changed = s->end ^ p->end_was;
  for (uint64_t left = changed ? p->opened & ~c->crossings : 0; left; left &= left - 1) {
    uint32_t port = loom_ctz(left);
    c->crossings |= (changed >> s->port[port].crossing.open_source & 1) << port;
  }
  p->opened &= ~c->crossings;
  for (uint64_t left = c->room & ~c->crossings; left; left &= left - 1)
    track_room(s, c, loom_ctz(left));
  for (uint64_t left = c->far & ~c->crossings & ~c->outputs; left; left &= left - 1)
    loom_chassis_packets_track(s, c, loom_ctz(left));
}

void loom_chassis_packets_wake_output(struct loom_chassis *s, uint32_t port) {
  struct loom_chassis_port *q = &s->port[port];
  uint64_t cycles = s->now - q->output_slept - 1;
  if (cycles)
    loom_output_unit_pass(&q->output, (uint32_t)cycles);
  q->output_slept = s->now - 1;
}

void loom_chassis_packets_step_output(struct loom_chassis *s, const struct loom_chassis_cycle *c,
                                      uint32_t port) {
  loom_chassis_packets_wake_output(s, port);
  wake_choice(s, port);
  loom_chassis_packets_tell_far(s, c, port);
  s->packets->sending &= ~(1ull << port);
  s->packets->outputs &= ~(1ull << port);
  s->packets->output_frees[port] = NEVER;
}

/* ---- the end of a cycle ---------------------------------------------------------------------- */

/* The cycle, after `at`, in which the next unit is free, of a store whose last edge was in cycle
 * `slept`; NEVER: not by `ends`. */
static uint64_t frees_again(const struct loom_packet_store *store, uint64_t slept, uint64_t at,
                            uint64_t ends) {
  uint32_t cycles = loom_packet_store_frees(store, (uint32_t)(at - slept - 1));
  return cycles && slept + 1 + cycles <= ends ? slept + 1 + cycles : NEVER;
}

/* The same of one whose last edge was in this cycle: the first one. */
static uint64_t frees_at(const struct loom_packet_store *store, uint64_t now, uint64_t ends) {
  return store->free ? now + 1 : frees_again(store, now, now + 1, ends);
}

/* An input had an edge: has it one in the next cycle? */
static void settle_input(struct loom_chassis *s, uint32_t port) {
  struct loom_chassis_packets *p = s->packets;
  struct loom_chassis_packets_port *q = &p->port[port];
  struct loom_input_unit *u = &s->port[port].input;
  uint64_t next = s->now + 1;
  q->input_slept = s->now;
  p->input_frees[port] = NEVER;
  uint32_t cycles = loom_input_unit_steady(u, MOST);
  if (!cycles || has(s->source_ready, port) != loom_input_unit_source_ready(u, 0) ||
      has(s->start_ok, port) != loom_input_unit_start_ok(u) ||
      has(s->sure, port) != loom_input_unit_sure(u) ||
      has(s->end, port) != loom_input_unit_end(u) ||
      has(s->input_used, port) != (u->store.total > 0)) {
    s->input_awake |= 1ull << port;
    return;
  }
  s->input_awake &= ~(1ull << port);
  loom_chassis_put(&p->streaming, port, u->left);
  if (cycles == MOST && !u->left && !loom_packet_store_sends(&u->store))
    return; /* nothing changes until something comes */
  p->inputs |= 1ull << port;
  p->input_ends[port] = next + cycles;
  p->input_frees[port] = frees_at(&u->store, s->now, p->input_ends[port]);
  enter(p, p->input_due, p->input_ends[port], port);
  enter(p, p->input_free, p->input_frees[port], port);
}

/* The word that the crossing looks at in the next cycle. */
static const struct loom_packet_store_word *word_of(const struct loom_chassis *s, uint32_t port) {
  const struct loom_crossing *x = &s->port[port].crossing;
  const struct loom_input_unit *from = &s->port[x->source].input;
  return x->receives && from->departure.tag.target == port ? loom_input_unit_word(from) : NULL;
}

/* A crossing had an edge, and showed `ready` before it. */
static void settle_crossing(struct loom_chassis *s, uint32_t port) {
  struct loom_chassis_packets *p = s->packets;
  const struct loom_crossing *x = &s->port[port].crossing;
  bool steady = loom_crossing_steady(x, word_of(s, port), has(s->end, x->open_source),
                                     has(s->target_ready, port));
  loom_chassis_put(&s->crossing_awake, port, !steady);
  loom_chassis_put(&p->opened, port, steady && x->open);
}

/* The crossing that the words of this input go to has an edge if they do not go on. */
static void wake_crossing(struct loom_chassis *s, uint32_t port) {
  const struct loom_departure_tag *tag = &s->port[port].input.departure.tag;
  if (!tag->valid || tag->drop)
    return;
  const struct loom_crossing *x = &s->port[tag->target].crossing;
  if (x->receives && x->source == port && !loom_crossing_goes_on(x, word_of(s, tag->target)))
    s->crossing_awake |= 1ull << tag->target;
}

bool loom_chassis_packets_goes_on(const struct loom_chassis_port *p) {
  const struct loom_crossing *x = &p->crossing;
  if (!x->wr.valid)
    return !p->output.store.word;
  return p->output.store.word && !x->wr.last && p->output.store.word_vl == x->wr.vl &&
         loom_packet_store_word_flits(&p->output.store) == x->wr.flits;
}

static void settle_output(struct loom_chassis *s, uint32_t port) {
  struct loom_chassis_packets *p = s->packets;
  struct loom_output_unit *u = &s->port[port].output;
  uint64_t next = s->now + 1;
  uint32_t cycles = loom_output_unit_steady(u, MOST);
  bool empties = u->store.free && u->store.total == 1; /* it is unused after the next edge */
  if (!cycles || empties || has(s->output_used, port) != (u->store.total > 0) ||
      u->hold != s->port[port].hold || !loom_chassis_packets_goes_on(&s->port[port])) {
    s->output_awake |= 1ull << port;
    return;
  }
  s->output_awake &= ~(1ull << port);
  loom_chassis_put(&p->sending, port, u->out.valid);
  if (cycles == MOST && !u->store.word && !loom_packet_store_sends(&u->store))
    return;
  p->outputs |= 1ull << port;
  p->output_ends[port] = next + cycles;
  /* What it frees now the chassis has noted. */
  p->output_frees[port] = frees_again(&u->store, s->now, next, p->output_ends[port]);
  enter(p, p->output_due, p->output_ends[port], port);
  enter(p, p->output_free, p->output_frees[port], port);
}

/* Tracker or scheduler had an edge: has one of them one in the next cycle, or in which? */
static void settle_far(struct loom_chassis *s, uint32_t port) {
  struct loom_chassis_packets *p = s->packets;
  const struct loom_output_unit *u = &s->port[port].output;
  bool tracks = loom_output_unit_tracks(u);
  loom_chassis_put(&p->far, port, tracks);
  if (tracks || !u->choice.counts)
    return;
  enter(p, p->far_due, s->now + 1 + u->choice.counts, port);
  loom_chassis_packets_stir(s, u->choice.counts + LOOM_OUTPUT_STILL);
}

/* Units that were free in this cycle, of inputs and outputs without an edge, and go on. */
static void go_on_freeing(struct loom_chassis *s, const struct loom_chassis_cycle *c) {
  struct loom_chassis_packets *p = s->packets;
  for (uint64_t left = c->input_freed & ~c->inputs; left; left &= left - 1) {
    uint32_t port = loom_ctz(left);
    struct loom_chassis_packets_port *q = &p->port[port];
    p->input_frees[port] =
        frees_again(&s->port[port].input.store, q->input_slept, s->now, p->input_ends[port]);
    enter(p, p->input_free, p->input_frees[port], port);
  }
  for (uint64_t left = c->output_freed; left; left &= left - 1) {
    uint32_t port = loom_ctz(left);
    const struct loom_packet_store *store = &s->port[port].output.store;
    if (p->output_frees[port] != s->now)
      continue; /* it had an edge */
    if (!loom_packet_store_used(store, (uint32_t)(s->now - s->port[port].output_slept)))
      s->output_used &= ~(1ull << port);
    p->output_frees[port] =
        frees_again(store, s->port[port].output_slept, s->now, p->output_ends[port]);
    enter(p, p->output_free, p->output_frees[port], port);
  }
}

/* Outputs without an edge show the next flit of their packets. */
static void show_middles(struct loom_chassis *s) {
  struct loom_chassis_packets *p = s->packets;
  uint64_t words = p->sending & ~p->streams;
  s->shown.stream |= p->sending & p->streams;
  s->shown.valid |= words;
  for (; words; words &= words - 1) {
    uint32_t port = loom_ctz(words); /* its lane is shown as ever since its head */
    s->shown.data[port] = next_word(p, &p->flow[port]);
  }
}

/* What trackers ahead of their time show from the next cycle on: the rest of the output, or IDLE,
 * may follow it. */
static void turn(struct loom_chassis *s, const struct loom_chassis_cycle *c) {
  struct loom_chassis_packets *p = s->packets;
  for (uint64_t left = c->room_turned; left; left &= left - 1) {
    uint32_t port = loom_ctz(left);
    loom_room_tracker_turn(&s->port[port].crossing.tracker, &p->port[port].room, s->now);
  }
  for (uint64_t left = c->far_turned; left; left &= left - 1) {
    uint32_t port = loom_ctz(left);
    struct loom_output_unit *u = &s->port[port].output;
    loom_output_unit_turn(u, &p->port[port].far, s->now);
    s->output_awake |= (uint64_t)loom_output_unit_wakes(u) << port;
  }
}

void loom_chassis_packets_end(struct loom_chassis *s, const struct loom_chassis_cycle *c) {
  struct loom_chassis_packets *p = s->packets;
  uint64_t rooms = c->room | c->crossings, fars = c->far | c->stepped | c->far_turned;
  turn(s, c);
  show_middles(s);
  go_on_freeing(s, c);
  for (uint64_t left = c->inputs; left; left &= left - 1)
    settle_input(s, loom_ctz(left));
  for (uint64_t left = c->crossings; left; left &= left - 1)
    settle_crossing(s, loom_ctz(left));
  for (uint64_t left = c->stepped; left; left &= left - 1)
    settle_output(s, loom_ctz(left));
  for (uint64_t left = c->inputs; left; left &= left - 1)
    wake_crossing(s, loom_ctz(left));
  for (uint64_t left = c->crossings; left; left &= left - 1) {
    uint32_t port = loom_ctz(left);
    s->output_awake |= (uint64_t)!loom_chassis_packets_goes_on(&s->port[port]) << port;
  }
  for (uint64_t left = rooms; left; left &= left - 1) {
    uint32_t port = loom_ctz(left);
    loom_chassis_put(&p->room, port, !loom_room_tracker_rests(&s->port[port].crossing.tracker));
  }
  p->room |= c->room_turned; /* it shows in the next cycle whether it is idle */
  for (uint64_t left = fars; left; left &= left - 1)
    settle_far(s, loom_ctz(left));
}

/* Counters, traps or the bus have something to do, or what is idle is not known yet. */
static bool is_busy(const struct loom_chassis *s) {
  bool late = s->counting || s->granted || s->trapped || s->moved || s->under_way || s->late.we;
  return late || !loom_chassis_is_settled(s, true);
}

/* Cycles until something is in a calendar; those of all of it, if nothing is. */
static uint32_t next_event(const struct loom_chassis_packets *p, uint64_t now) {
  uint32_t place = place_of(now), bit = place % 64;
  for (uint32_t n = 0; n <= LOOM_CHASSIS_AHEAD / 64; n++) {
    uint64_t word = p->events[(place / 64 + n) % (LOOM_CHASSIS_AHEAD / 64)];
    if (n == 0)
      word = word >> bit << bit;
    if (word)
      return n * 64 + loom_ctz(word) - bit;
  }
  return LOOM_CHASSIS_AHEAD - 1;
}

uint64_t loom_chassis_packets_spare(const struct loom_chassis *s) {
  const struct loom_chassis_packets *p = s->packets;
  uint64_t awake = s->input_awake | s->crossing_awake | s->output_awake | s->freed | p->room |
                   p->far | (p->sending & ~p->streams) | (p->streaming & ~p->from_source) |
                   (p->sending ^ s->shown.stream); /* a stream begins in the next one */
  if (awake || is_busy(s))
    return 0;
  uint32_t cycles = next_event(p, s->now);
  if (s->now < p->rests) /* the stepped twin would be awake so long */
    cycles = loom_min(cycles, (uint32_t)(p->rests - 1 - s->now));
  return cycles;
}

bool loom_chassis_packets_sleep(const struct loom_chassis *s) {
  const struct loom_chassis_packets *p = s->packets;
  return !(p->inputs | p->outputs | p->room | p->far) && s->now >= p->rests;
}

/* ---- a cycle in which packets only go on ----------------------------------------------------- */

/* Input, crossing or output has an edge in this cycle. */
static bool is_due(const struct loom_chassis *s) {
  const struct loom_chassis_packets *p = s->packets;
  uint32_t now = place_of(s->now);
  uint64_t awake = s->input_awake | s->crossing_awake | s->output_awake;
  return awake || on_time(p->input_due[now], p->input_ends, s->now) ||
         on_time(p->output_due[now], p->output_ends, s->now);
}

bool loom_chassis_packets_go_on(struct loom_chassis *s, const struct loom_chassis_arrival *in,
                                struct loom_chassis_cycle *c) {
  bool comes = in->valid != s->packets->streaming || (in->valid & (in->head | in->tail)) ||
               in->reg_we || in->reg_re;
  if (comes || is_due(s) || is_busy(s) || s->noted)
    return false;
  s->shown.valid = s->shown.head = s->shown.tail = s->shown.credit = s->shown.stream = 0;
  s->shown.trap = s->traps != 0;
  s->shown.rvalid = false;
  s->shown.rdata = 0;
  c->in = c->flits = in;
  c->credit = in->credit;
  c->bus.ports = c->crossings = c->stepped = 0;
  c->mtu_we = false;
  loom_chassis_packets_begin(s, c);
  loom_chassis_packets_inputs(s, c);
  loom_chassis_packets_outputs(s, c);
  loom_chassis_note_idle(s, true);
  loom_chassis_packets_end(s, c);
  s->now++;
  return true;
}
