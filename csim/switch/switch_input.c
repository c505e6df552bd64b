/* SPDX-License-Identifier: Apache-2.0 */
/* switch_input.c - the input units of a switch: arrival, routing, traps; written from
 * docs/switch.md
 *
 * Inside: ib_switch, opa_switch, kns_node, and kns_switch. */
#include "switch/switch.h"

#include <loom/head.h>

/* ---- traps ----------------------------------------------------------------------------------- */

static void trap(struct loom_switch *s, uint32_t port, enum loom_switch_cause cause, uint32_t lane,
                 uint32_t dest) {
  struct loom_switch_port *p = &s->port[port];
  loom_ports bit = 1ull << port;
  p->counter[cause]++;
  if (s->traps & bit) {
    p->counter[LOOM_SWITCH_TRAPS_LOST]++;
    return;
  }
  s->traps |= bit;
  p->trap = LOOM_PUT(LOOM_SWITCH_REG_TRAP_VALID, 1) | LOOM_PUT(LOOM_SWITCH_REG_TRAP_CAUSE, cause) |
            LOOM_PUT(LOOM_SWITCH_REG_TRAP_PORT, port) | LOOM_PUT(LOOM_SWITCH_REG_TRAP_LANE, lane) |
            LOOM_PUT(LOOM_SWITCH_REG_TRAP_DEST, dest);
}

/* One trap goes from its port into the fifo; the port can take a new one in this cycle. */
void loom_switch_traps(struct loom_switch *s, bool pop) {
  bool push = s->traps && loom_fifo_ready(&s->trap_fifo);
  uint32_t port = push ? loom_rr_arbiter_pick(&s->trap_arbiter, s->traps) : 0;
  if (push) {
    loom_rr_arbiter_advance(&s->trap_arbiter, port);
    s->traps &= ~(1ull << port);
  }
  if (push || pop)
    loom_fifo_edge(&s->trap_fifo, push, s->port[port].trap, pop);
}

/* ---- arrival --------------------------------------------------------------------------------- */

static void link_error(struct loom_switch *s, uint32_t port) {
  s->port[port].counter[LOOM_SWITCH_LINK_ERRORS]++;
}

/* The flit goes into its cell; it can be read from the cycle after the next one. */
static inline void keep_flit(struct loom_switch *s, struct loom_switch_arrival *a, uint64_t data) {
  s->cells.flit[a->at++] = data;
  loom_switch_send(&s->words[s->sending], a->queue, 1);
}

/* The flits that come until the cell is full, the packet ends or its record goes to routing. */
static void begin_run(struct loom_switch_arrival *a) {
  uint32_t run = loom_min(a->left, LOOM_UNIT_FLITS - a->at % LOOM_UNIT_FLITS);
  if (a->held)
    run = loom_min(run, a->wait);
  a->run = (uint16_t)run;
  a->left = (uint16_t)(a->left - run);
  if (a->held)
    a->wait = (uint16_t)(a->wait - run);
}

/* The flits of a run have come; true if the packet has ended. The next cell is linked at once, so
 * whoever reads to the end of a cell finds it. */
static bool end_run(struct loom_switch *s, uint32_t port, struct loom_switch_arrival *a) {
  if (a->held && !a->wait) {
    loom_switch_wheel_put(&s->wheel[LOOM_SWITCH_IN], port, &s->port[port].held);
    a->held = false;
  }
  if (!a->left)
    return true;
  if (a->at % LOOM_UNIT_FLITS == 0) {
    uint32_t next = loom_switch_cells_take(&s->cells);
    s->cells.link[(a->at - 1) / LOOM_UNIT_FLITS] = next;
    a->at = next * LOOM_UNIT_FLITS;
  }
  begin_run(a);
  return false;
}

uint32_t loom_switch_record_wait(const struct loom_switch *s, uint32_t len) {
  if (len <= s->lead)
    return 0;
  uint32_t ahead = loom_packet_reader_cycles(s->rd_flits[LOOM_SWITCH_IN], len) + s->lead;
  return len > ahead ? len - ahead : 0;
}

/* The units of the packet are reserved: its flits have a place, its record goes to routing. */
static void accept(struct loom_switch *s, uint32_t port, struct loom_switch_arrival *a,
                   uint64_t head, uint32_t lane, uint32_t len) {
  struct loom_switch_port *p = &s->port[port];
  uint32_t first = loom_switch_cells_take(&s->cells);
  a->queue = LOOM_QUEUE(LOOM_SWITCH_BUFFER(LOOM_SWITCH_IN, port), lane);
  a->at = first * LOOM_UNIT_FLITS;
  const struct loom_switch_record record = {
      .route = {.lane = (uint8_t)lane, .sc = LOOM_GET(LOOM_HEAD_SC, head)},
      .first = first,
      .len = (uint16_t)len,
      .dest = LOOM_GET(LOOM_HEAD_DEST, head),
  };
  a->wait = (uint16_t)loom_switch_record_wait(s, len);
  a->held = a->wait != 0;
  if (a->held)
    p->held = record;
  else
    loom_switch_wheel_put(&s->wheel[LOOM_SWITCH_IN], port, &record);
  p->accepted = (struct loom_switch_add){(uint8_t)lane, (uint16_t)len};
  s->counted_in |= 1ull << port;
  keep_flit(s, a, head);
  begin_run(a);
}

/* Of a packet that is refused all flits are one run. */
static void refuse(struct loom_switch *s, uint32_t port, struct loom_switch_arrival *a) {
  a->run = a->left;
  a->left = 0;
  a->held = false;
  s->discarding |= s->open & 1ull << port;
}

/* A head at a link on which no packet is open. */
static void begin_packet(struct loom_switch *s, uint32_t port, uint32_t vl, uint64_t head,
                         bool tail) {
  struct loom_switch_arrival *a = &s->arrival[port];
  uint32_t len = LOOM_GET(LOOM_HEAD_LEN, head), lane = s->lane_of[vl];
  enum loom_switch_cause cause = LOOM_CAUSE_NONE;
  a->left = (uint16_t)(len ? len - 1 : 0);
  if (a->left)
    s->open |= 1ull << port;
  if (len && tail != (len == 1))
    link_error(s, port);
  if (lane == LOOM_SWITCH_NO_LANE || len == 0)
    cause = LOOM_CAUSE_HEADER;
  else if (s->written[LOOM_SWITCH_IN] >> port & 1 ||
           !loom_switch_announce(s, LOOM_SWITCH_IN, port, lane, len))
    cause = LOOM_CAUSE_FULL;
  if (cause == LOOM_CAUSE_NONE) {
    accept(s, port, a, head, lane, len);
    return;
  }
  refuse(s, port, a);
  trap(s, port, cause, lane == LOOM_SWITCH_NO_LANE ? vl : lane, LOOM_GET(LOOM_HEAD_DEST, head));
}

/* Flits after the heads of accepted packets; gives the ports whose run is over. */
static loom_ports keep_flits(struct loom_switch *s, loom_ports set, const struct loom_link_in *in) {
  loom_ports over = 0;
  for (; set; set &= set - 1) {
    uint32_t port = loom_ctz(set);
    struct loom_switch_arrival *a = &s->arrival[port];
    keep_flit(s, a, in[port].data);
    if (--a->run == 0)
      over |= set & -set;
  }
  return over;
}

/* Flits of packets that are open: none is a head, and tails are where lengths say. */
static void go_on(struct loom_switch *s, loom_ports valid, const struct loom_switch_in *in) {
  loom_ports over = keep_flits(s, valid & ~s->discarding, in->port), ends = 0;
  for (loom_ports set = valid & s->discarding; set; set &= set - 1)
    if (--s->arrival[loom_ctz(set)].run == 0)
      over |= set & -set;
  for (loom_ports set = over; set; set &= set - 1)
    if (end_run(s, loom_ctz(set), &s->arrival[loom_ctz(set)]))
      ends |= set & -set;
  s->open &= ~ends;
  s->discarding &= ~ends;
  for (loom_ports set = valid & (in->head | (in->tail ^ ends)); set; set &= set - 1)
    link_error(s, loom_ctz(set));
}

void loom_switch_arrive(struct loom_switch *s, const struct loom_switch_in *in) {
  loom_ports other = in->valid & ~s->open;
  if (in->valid & s->open)
    go_on(s, in->valid & s->open, in);
  for (loom_ports set = other & in->head; set; set &= set - 1) {
    uint32_t port = loom_ctz(set);
    begin_packet(s, port, in->port[port].vl, in->port[port].data, in->tail >> port & 1);
  }
  for (loom_ports set = other & ~in->head; set; set &= set - 1)
    link_error(s, loom_ctz(set));
}

/* ---- routing --------------------------------------------------------------------------------- */

/* The route of a header in cycle e + 2, or why the packet is dropped. */
static enum loom_switch_cause find_route(const struct loom_switch *s,
                                         const struct loom_switch_family *family, uint32_t port,
                                         struct loom_switch_lookup *l) {
  struct loom_route *route = &l->record.route;
  if (!l->known)
    return LOOM_CAUSE_LID;
  if (!family->route(s, port, l->map, route))
    return LOOM_CAUSE_VL;
  return loom_packet_units(l->record.len) > s->mtu[route->lane] ? LOOM_CAUSE_MTU : LOOM_CAUSE_NONE;
}

void loom_switch_route(struct loom_switch *s, const struct loom_switch_family *family) {
  for (loom_ports set = s->in_entry; set; set &= set - 1) {
    uint32_t port = loom_ctz(set);
    struct loom_switch_lookup *l = &s->port[port].entry;
    enum loom_switch_cause cause = find_route(s, family, port, l);
    if (cause == LOOM_CAUSE_NONE)
      continue;
    l->record.route.drop = true;
    trap(s, port, cause, l->lane, l->record.dest);
  }
}

/* The output for a destination by the LFT; false: unknown. */
static bool read_lft(const struct loom_switch *s, uint32_t dest, uint32_t *out) {
  if (dest >= s->lft_count)
    return false;
  *out = s->lft[dest];
  return true;
}

/* The map is read for the headers in cycle e + 1, then the LFT for those in e. */
void loom_switch_lookups(struct loom_switch *s, const struct loom_switch_family *family) {
  bool (*lookup)(const struct loom_switch *, uint32_t, uint32_t *) =
      family->lookup ? family->lookup : read_lft;
  for (loom_ports set = s->in_lft; set; set &= set - 1) {
    uint32_t port = loom_ctz(set);
    struct loom_switch_lookup *l = &s->port[port].entry;
    *l = s->port[port].lft;
    const struct loom_route *route = &l->record.route;
    l->known = l->known && route->out < s->ports;
    if (l->known)
      l->map = *loom_switch_map(s, port, route->out, route->sc);
  }
  s->in_entry = s->in_lft;

  const struct loom_switch_record *record;
  s->in_lft = loom_switch_wheel_out(&s->wheel[LOOM_SWITCH_IN], &record);
  for (loom_ports set = s->in_lft; set; set &= set - 1) {
    uint32_t port = loom_ctz(set);
    struct loom_switch_lookup *l = &s->port[port].lft;
    *l = (struct loom_switch_lookup){.record = record[port], .lane = record[port].route.lane};
    uint32_t out = 0;
    l->known = lookup(s, l->record.dest, &out);
    l->record.route.out = (uint8_t)out;
  }
}
