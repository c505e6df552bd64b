/* SPDX-License-Identifier: Apache-2.0 */
/* elite5_bus.c - the registers of the Elite5 router on its bus, written from docs/elite5.md
 *
 * Inside: elite5_router. */
#include "elite5/elite5_cycle.h"
#include "elite5/elite5_registers.h"
#include "elite5/elite5_window.h"

enum { SEED_AT = 27 };

/* ---- read ------------------------------------------------------------------------------------ */

static uint32_t read_counter(const struct loom_elite5_router *s, uint32_t l, uint32_t which) {
  uint32_t count = 0;
  for (uint32_t bit = 0; bit < 32; bit++)
    count |= (s->counter[which].plane[bit] >> l & 1) << bit;
  return count;
}

static uint32_t read_link(const struct loom_elite5_router *s, uint32_t l, uint32_t a) {
  if (l >= s->size.links)
    return 0;
  if (loom_elite5_within(a, LOOM_ELITE5_REG_LINK_WORDS_IN, LOOM_ELITE5_COUNTERS))
    return read_counter(s, l, a - LOOM_ELITE5_REG_LINK_WORDS_IN);
  const struct loom_elite5_window shown = {.link = &s->link[l],
                                           .enabled = s->enabled >> l & 1,
                                           .quiet = loom_elite5_quiet(s, l),
                                           .vc_limit = s->output[l].vc_limit,
                                           .cap = s->output[l].cap,
                                           .allocated = s->output[l].alloc,
                                           .not_idle =
                                               s->all_vcs & ~s->input[l].in_state[LOOM_ELITE5_IDLE],
                                           .pending = s->pending[l]};
  return loom_elite5_read_window(&shown, a);
}

/* An entry of the mask table, which shows while it is counted. */
static uint32_t read_mask(const struct loom_elite5_router *s, uint32_t addr) {
  uint32_t k = addr / 2;
  if (!loom_elite5_mask_shows(&s->set, &s->size, k))
    return 0;
  return addr & 1 ? s->all[k] : s->mask[k];
}

static uint32_t read_global(const struct loom_elite5_router *s, uint32_t a) {
  const struct loom_elite5_globals shown = {.device = LOOM_DEVICE_ID_ELITE5_ROUTER,
                                            .links = s->size.links,
                                            .vcs = s->vcs,
                                            .traps = s->trap_count,
                                            .trap = s->trap_count ? s->trap[s->trap_head] : 0,
                                            .time = loom_elite5_time(s),
                                            .up = s->up};
  return loom_elite5_read_global(&s->set, &shown, a);
}

static uint32_t read_register(const struct loom_elite5_router *s) {
  uint32_t a = s->reg.addr;
  if (a >= LOOM_ELITE5_REG_DEST)
    return a - LOOM_ELITE5_REG_DEST < s->set.dest_count ? s->dest[a - LOOM_ELITE5_REG_DEST] : 0;
  if (loom_elite5_within(a, LOOM_ELITE5_REG_MASK, loom_elite5_mask_registers(&s->size)))
    return read_mask(s, a - LOOM_ELITE5_REG_MASK);
  if (loom_elite5_within(a, LOOM_ELITE5_REG_LINKS, LOOM_ELITE5_REG_LINKS_WINDOWS * LOOM_REG_WINDOW))
    return read_link(s, (a - LOOM_ELITE5_REG_LINKS) / LOOM_REG_WINDOW, a % LOOM_REG_WINDOW);
  return read_global(s, a);
}

/* One trap goes from its link into the fifo while that has room, before the oldest goes. */
static void move_trap(struct loom_elite5_router *s, bool pop) {
  if (s->trapped && s->trap_count < LOOM_ELITE5_TRAPS) {
    uint32_t l = loom_rr_arbiter_pick(&s->trap_arbiter, s->trapped);
    loom_rr_arbiter_advance(&s->trap_arbiter, l);
    s->trapped &= ~(1u << l);
    s->trap[(s->trap_head + s->trap_count) % LOOM_ELITE5_TRAPS] = s->link[l].trap;
    pop = pop && s->trap_count;
    s->trap_count++;
  }
  if (pop && s->trap_count) {
    s->trap_head = (s->trap_head + 1) % LOOM_ELITE5_TRAPS;
    s->trap_count--;
  }
}

void loom_elite5_read_bus(struct loom_elite5_router *s) {
  s->read[1] = s->read[0];
  s->read[0].valid = s->reg.re;
  s->read[0].data = s->reg.re ? read_register(s) : 0;
  move_trap(s, s->reg.re && s->reg.addr == LOOM_ELITE5_REG_TRAP);
}

/* ---- write ----------------------------------------------------------------------------------- */

static void write_link(struct loom_elite5_router *s, uint32_t l, uint32_t a, uint32_t data) {
  struct loom_elite5_output *u = &s->output[l];
  if (loom_elite5_write_window(&s->link[l], &s->enabled, l, a, data))
    return;
  switch (a) {
  case LOOM_ELITE5_REG_LINK_VC_LIMIT:
    u->vc_limit = LOOM_GET(LOOM_ELITE5_REG_LINK_VC_LIMIT_VCS, data);
    s->dirty |= 1u << l;
    break;
  case LOOM_ELITE5_REG_LINK_CAP:
    u->cap = LOOM_GET(LOOM_ELITE5_REG_LINK_CAP_SEGMENTS, data);
    for (uint32_t vc = 0; vc < s->vcs; vc++)
      loom_elite5_recap(u, vc);
    s->dirty |= 1u << l;
    break;
  default:
    break;
  }
}

static void write_links(struct loom_elite5_router *s, uint32_t addr, uint32_t data) {
  uint32_t l = addr / LOOM_REG_WINDOW;
  if (l < s->size.links)
    write_link(s, l, addr % LOOM_REG_WINDOW, data);
  for (uint32_t every = 0; l == LOOM_ELITE5_REG_ALL_LINKS && every < s->size.links; every++)
    write_link(s, every, addr % LOOM_REG_WINDOW, data);
}

static void write_seed(struct loom_elite5_router *s, uint32_t data) {
  for (uint32_t l = 0; l < s->size.links; l++) {
    uint32_t seed = data ^ l << SEED_AT;
    s->input[l].random = seed ? seed : 1;
  }
}

static void write_global(struct loom_elite5_router *s, uint32_t a, uint32_t data) {
  loom_elite5_settings_write(&s->set, &s->size, a, data);
  switch (a) {
  case LOOM_ELITE5_REG_TIME: /* it shows in the next cycle */
    s->time_base = data - (uint32_t)(s->now + 1);
    break;
  case LOOM_ELITE5_REG_THRESHOLD:
    s->dirty = s->all_links;
    break;
  case LOOM_ELITE5_REG_SEED:
    write_seed(s, data);
    break;
  case LOOM_ELITE5_REG_WINDOW:
    s->window_since = s->now + 1;
    break;
  default:
    break;
  }
}

static void write_mask(struct loom_elite5_router *s, uint32_t addr, uint32_t data) {
  s->mask[addr / 2] = data & s->all_links;
  s->all[addr / 2] = addr & 1;
}

/* False: the address is none of the tables. */
static bool write_table(struct loom_elite5_router *s, uint32_t a, uint32_t data) {
  if (loom_elite5_within(a, LOOM_ELITE5_REG_DEST, s->size.dests))
    s->dest[a - LOOM_ELITE5_REG_DEST] = LOOM_GET(LOOM_ELITE5_REG_DEST_CLASS, data);
  else if (loom_elite5_within(a, LOOM_ELITE5_REG_MASK, loom_elite5_mask_registers(&s->size)))
    write_mask(s, a - LOOM_ELITE5_REG_MASK, data);
  else
    return false;
  return true;
}

bool loom_elite5_router_load(struct loom_elite5_router *s, uint32_t addr, uint32_t data) {
  if (!loom_elite5_is_count(addr))
    return write_table(s, addr, data);
  loom_elite5_settings_write(&s->set, &s->size, addr, data);
  return true;
}

static void write_register(struct loom_elite5_router *s) {
  uint32_t a = s->reg.addr, data = s->reg.wdata;
  if (write_table(s, a, data))
    return;
  if (loom_elite5_within(a, LOOM_ELITE5_REG_LINKS, LOOM_ELITE5_REG_LINKS_WINDOWS * LOOM_REG_WINDOW))
    write_links(s, a - LOOM_ELITE5_REG_LINKS, data);
  else if (a < LOOM_ELITE5_REG_LINKS)
    write_global(s, a, data);
}

void loom_elite5_write_bus(struct loom_elite5_router *s, const struct loom_elite5_cycle *c) {
  if (s->reg.we)
    write_register(s);
  s->reg.we = c->lanes->reg_we;
  s->reg.re = c->lanes->reg_re;
  s->reg.addr = c->lanes->reg_addr;
  s->reg.wdata = c->lanes->reg_wdata;
}
