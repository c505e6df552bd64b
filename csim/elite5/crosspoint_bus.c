/* SPDX-License-Identifier: Apache-2.0 */
/* crosspoint_bus.c - the registers of the Elite5 router, second edition, on its bus; written from
 * docs/crosspoint_router.md
 *
 * Inside: crosspoint_router. */
#include "elite5/crosspoint_cycle.h"
#include "elite5/elite5_window.h"

#include <string.h>

enum { RENEW_CYCLES = 63 };
/* The pulses in the counters of a link: behind 8 N counters of streams. */
enum { PULSES_AT = 8 << LOOM_CROSSPOINT_INDEX_BITS };

/* The access that came so many cycles ago. */
static struct loom_crosspoint_access *came(struct loom_crosspoint_router *s, uint64_t cycles) {
  return &s->bus[(s->now - cycles) % LOOM_CROSSPOINT_BUS];
}

/* Register of the window of link l that this access is for; UINT32_MAX if it is for another. */
static uint32_t of_link(const struct loom_crosspoint_access *a, uint32_t l) {
  if (!loom_elite5_within(a->addr, LOOM_ELITE5_REG_LINKS,
                          LOOM_ELITE5_REG_LINKS_WINDOWS * LOOM_REG_WINDOW))
    return UINT32_MAX;
  uint32_t window = (a->addr - LOOM_ELITE5_REG_LINKS) / LOOM_REG_WINDOW;
  bool all = a->we && window == LOOM_ELITE5_REG_ALL_LINKS;
  return window == l || all ? a->addr % LOOM_REG_WINDOW : UINT32_MAX;
}

/* ---- read ------------------------------------------------------------------------------------ */

static uint32_t read_link(const struct loom_crosspoint_router *s, uint32_t l, uint32_t a) {
  const struct loom_crosspoint_port *port = &s->port[l];
  if (loom_elite5_within(a, LOOM_ELITE5_REG_LINK_WORDS_IN, LOOM_ELITE5_COUNTERS))
    return loom_event_counters_look(&port->counters, PULSES_AT + a - LOOM_ELITE5_REG_LINK_WORDS_IN);
  const struct loom_elite5_window shown = {.link = &port->link,
                                           .enabled = s->enabled >> l & 1,
                                           .quiet = loom_crosspoint_quiet(s, l),
                                           .vc_limit = port->output.vc_limit,
                                           .cap = port->output.cap,
                                           .allocated = port->output.alloc,
                                           .not_idle =
                                               s->all_vcs & ~port->input.in_state[LOOM_ELITE5_IDLE],
                                           .pending = s->pending[l]};
  return loom_elite5_read_window(&shown, a);
}

/* Tables as the copy of the bus has them: with the write that the inputs do not have yet. */
static uint32_t read_mask(const struct loom_crosspoint_router *s, uint32_t a) {
  uint32_t k = a / 2;
  struct loom_crosspoint_entry e = loom_crosspoint_masks(s)[k];
  if (!loom_elite5_mask_shows(&s->reg, &s->size, k))
    return 0;
  if (s->table.valid && (s->table.addr - LOOM_ELITE5_REG_MASK) / 2 == k)
    e = (struct loom_crosspoint_entry){.mask = s->table.data, .all = s->table.addr & 1};
  return a & 1 ? e.all : e.mask;
}

static uint32_t read_dest(const struct loom_crosspoint_router *s, uint32_t d) {
  if (d >= s->reg.dest_count)
    return 0;
  bool newer = s->table.valid && s->table.addr == LOOM_ELITE5_REG_DEST + d;
  return newer ? s->table.data : loom_crosspoint_dests(s)[d];
}

static uint32_t read_global(const struct loom_crosspoint_router *s, uint32_t a) {
  const struct loom_elite5_globals shown = {.device = LOOM_DEVICE_ID_CROSSPOINT_ROUTER,
                                            .links = s->size.links,
                                            .vcs = s->vcs,
                                            .traps = s->trap_count,
                                            .trap = s->trap_count ? s->trap[s->trap_head] : 0,
                                            .time = loom_crosspoint_time(s),
                                            .up = s->up};
  return loom_elite5_read_global(&s->reg, &shown, a);
}

static uint32_t read_router(const struct loom_crosspoint_router *s, uint32_t a) {
  if (a >= LOOM_ELITE5_REG_DEST)
    return read_dest(s, a - LOOM_ELITE5_REG_DEST);
  if (loom_elite5_within(a, LOOM_ELITE5_REG_MASK, loom_elite5_mask_registers(&s->size)))
    return read_mask(s, a - LOOM_ELITE5_REG_MASK);
  return a < LOOM_ELITE5_REG_LINKS ? read_global(s, a) : 0;
}

void loom_crosspoint_read_bus(struct loom_crosspoint_router *s, struct loom_crosspoint_cycle *c) {
  if (s->now >= s->bus_busy)
    return;
  const struct loom_crosspoint_access *first = came(s, 1);
  if (first->re) {
    s->answer_word[(s->now - 1) % LOOM_CROSSPOINT_BUS] = read_router(s, first->addr);
    c->pop_trap = first->addr == LOOM_ELITE5_REG_TRAP;
  }
  for (uint32_t l = 0; l < s->size.links; l++) {
    const struct loom_crosspoint_access *a = came(s, l + 1);
    uint32_t reg = a->re ? of_link(a, l) : UINT32_MAX;
    bool own = (a->addr - LOOM_ELITE5_REG_LINKS) / LOOM_REG_WINDOW == l;
    if (reg != UINT32_MAX && own)
      s->answer_word[(s->now - l - 1) % LOOM_CROSSPOINT_BUS] = read_link(s, l, reg);
  }
}

/* ---- counters -------------------------------------------------------------------------------- */

/* Turns at rest are made up for when something is counted again. */
static void count_link(struct loom_crosspoint_router *s, const struct loom_crosspoint_cycle *c,
                       uint32_t l) {
  struct loom_crosspoint_port *port = &s->port[l];
  struct loom_event_counters *k = &port->counters;
  if (s->now > port->counted)
    loom_event_counters_skip(k, s->now - port->counted);
  loom_event_counters_turn(k);
  if (!k->ready)
    loom_event_counters_sweep(k);
  else if (c->pulsing >> l & 1)
    loom_event_counters_pulse(k, c->pulse[l]);
  port->counted = s->now + 1;
  loom_elite5_include(&s->counting, l, !loom_event_counters_rest(k));
}

void loom_crosspoint_count(struct loom_crosspoint_router *s,
                           const struct loom_crosspoint_cycle *c) {
  for (loom_links set = s->counting | c->pulsing; set; set &= set - 1)
    count_link(s, c, loom_ctz(set));
}

/* ---- write ----------------------------------------------------------------------------------- */

static void write_link(struct loom_crosspoint_router *s, uint32_t l, uint32_t a, uint32_t data) {
  struct loom_crosspoint_output *u = &s->port[l].output;
  if (loom_elite5_write_window(&s->port[l].link, &s->enabled, l, a, data))
    return;
  switch (a) {
  case LOOM_ELITE5_REG_LINK_VC_LIMIT:
    u->vc_limit = LOOM_GET(LOOM_ELITE5_REG_LINK_VC_LIMIT_VCS, data);
    break;
  case LOOM_ELITE5_REG_LINK_CAP:
    u->cap = LOOM_GET(LOOM_ELITE5_REG_LINK_CAP_SEGMENTS, data);
    break;
  default:
    return;
  }
  u->renew = RENEW_CYCLES;
  s->renewing |= 1u << l;
  s->changed |= 1u << l;
}

static void write_global(struct loom_crosspoint_router *s, uint32_t a, uint32_t data) {
  loom_elite5_settings_write(&s->reg, &s->size, a, data);
  switch (a) {
  case LOOM_ELITE5_REG_TIME: /* it shows in the next cycle */
    s->time_base = data - (uint32_t)(s->now + 1);
    break;
  case LOOM_ELITE5_REG_SEED:
    s->value = data ? data : 1;
    break;
  case LOOM_ELITE5_REG_WINDOW:
    s->window_since = s->now + 1;
    s->over = false;
    break;
  default:
    break;
  }
}

/* The write of the cycle before goes from the copy of the bus into the tables of the inputs. */
static void pass_table(struct loom_crosspoint_router *s) {
  if (!s->table.valid)
    return;
  s->table.valid = false;
  if (s->table.addr >= LOOM_ELITE5_REG_DEST)
    loom_crosspoint_dests(s)[s->table.addr - LOOM_ELITE5_REG_DEST] = (uint16_t)s->table.data;
  else
    loom_crosspoint_masks(s)[(s->table.addr - LOOM_ELITE5_REG_MASK) / 2] =
        (struct loom_crosspoint_entry){.mask = s->table.data, .all = s->table.addr & 1};
}

/* False: the address is none of the tables. */
static bool write_table(struct loom_crosspoint_router *s, uint32_t a, uint32_t data) {
  if (loom_elite5_within(a, LOOM_ELITE5_REG_DEST, s->size.dests))
    s->table.data = LOOM_GET(LOOM_ELITE5_REG_DEST_CLASS, data);
  else if (loom_elite5_within(a, LOOM_ELITE5_REG_MASK, loom_elite5_mask_registers(&s->size)))
    s->table.data = data & s->all_links;
  else
    return false;
  s->table.valid = true;
  s->table.addr = a;
  return true;
}

static void write_router(struct loom_crosspoint_router *s, uint32_t a, uint32_t data) {
  if (!write_table(s, a, data) && a < LOOM_ELITE5_REG_LINKS)
    write_global(s, a, data);
}

bool loom_crosspoint_router_load(struct loom_crosspoint_router *s, uint32_t addr, uint32_t data) {
  if (loom_elite5_is_count(addr)) {
    loom_elite5_settings_write(&s->reg, &s->size, addr, data);
    loom_elite5_settings_write(&s->set, &s->size, addr, data);
    return true;
  }
  bool table = write_table(s, addr, data);
  pass_table(s);
  return table;
}

static void serve_writes(struct loom_crosspoint_router *s) {
  const struct loom_crosspoint_access *first = came(s, 1);
  s->set = s->reg;
  pass_table(s);
  if (first->we)
    write_router(s, first->addr, first->data);
  for (uint32_t l = 0; l < s->size.links; l++) {
    const struct loom_crosspoint_access *a = came(s, l + 1);
    uint32_t reg = a->we ? of_link(a, l) : UINT32_MAX;
    if (reg != UINT32_MAX)
      write_link(s, l, reg, a->data);
  }
}

/* No access is under way: the ring is as after reset. */
static void forget_accesses(struct loom_crosspoint_router *s) {
  memset(s->bus, 0, sizeof s->bus);
  memset(s->answer_word, 0, sizeof s->answer_word);
}

void loom_crosspoint_write_bus(struct loom_crosspoint_router *s,
                               const struct loom_crosspoint_cycle *c) {
  const struct loom_elite5_lanes *in = c->lanes;
  bool comes = in->reg_we | in->reg_re;
  if (s->now < s->bus_busy)
    serve_writes(s);
  else if (s->now == s->bus_busy)
    forget_accesses(s);
  if (!comes && s->now >= s->bus_busy)
    return;
  *came(s, 0) = (struct loom_crosspoint_access){
      .we = in->reg_we, .re = in->reg_re, .addr = in->reg_addr, .data = in->reg_wdata};
  s->answer_word[s->now % LOOM_CROSSPOINT_BUS] = 0;
  if (comes)
    s->bus_busy = s->now + s->size.links + LOOM_CROSSPOINT_ANSWER_CYCLES + 1;
}
