/* router_regs.c - the registers of the Elite5 router on its bus, written from docs/elite5.md
 *
 * Inside: elite5_router. */
#include "elite5/router_cycle.h"

enum { ID_MAGIC = 0x4C, ID_KIND = 3 };

enum {
  ADDR_ID = 0x0,
  ADDR_CONTROL = 0x1,
  ADDR_DEST_COUNT = 0x2,
  ADDR_CLASS_COUNT = 0x3,
  ADDR_GROUP_COUNT = 0x4,
  ADDR_TRAP_COUNT = 0x5,
  ADDR_TRAP = 0x6,
  ADDR_TRAP_TS = 0x7,
  ADDR_TIME = 0x8,
  ADDR_EXPIRE = 0x9,
  ADDR_UPLINKS = 0xA,
  ADDR_THRESHOLD = 0xB,
  ADDR_SEED = 0xC,
  ADDR_CHIP_ID = 0xD,
  ADDR_PROTOCOL = 0xE,
  ADDR_PRBS_WORDS = 0xF,
  ADDR_PRBS_LIMIT = 0x10,
  ADDR_TIMEOUT = 0x11,
  ADDR_WINDOW = 0x12,
  ADDR_LIMIT_REDUNDANT = 0x13,
  ADDR_LIMIT_SINGLE = 0x14,
  ADDR_UP = 0x15,
  ADDR_LINKS = 0x10000,
  ADDR_LINKS_END = 0x50000,
  ADDR_MASKS = 0x80000,
  ADDR_DESTS = 0xC0000,
};

/* In the window of a link. */
enum {
  WINDOW = 0x1000,
  EVERY = 63, /* a write goes to all links */
  WIN_CONTROL = 0x0,
  WIN_EXPECTED = 0x1,
  WIN_VC_LIMIT = 0x2,
  WIN_CAP = 0x3,
  WIN_STATE = 0x8,
  WIN_FAR = 0x9,
  WIN_CHECKED = 0xA,
  WIN_BIT_ERRORS = 0xB,
  WIN_ALLOCATED = 0xC,
  WIN_NOT_IDLE = 0xD,
  WIN_PENDING = 0xE,
  WIN_COUNTERS = 0x20,
};

enum { CONTROL_ACTIVITY_AT = 2, LINK_QUICK_AT = 1, LINK_SINGLE_AT = 2, LINK_CHECK_AT = 3 };
enum { STATE_QUIET_AT = 3, TRAP_TS_AT = 32, SEED_AT = 27 };
enum {
  BITS_2 = 0x3,
  BITS_6 = 0x3F,
  BITS_8 = 0xFF,
  BITS_12 = 0xFFF,
  BITS_14 = 0x3FFF,
  BITS_16 = 0xFFFF,
  BITS_24 = 0xFFFFFF
};

static bool within(uint32_t addr, uint32_t base, uint32_t size) {
  return addr >= base && addr - base < size;
}

/* ---- read ---------------------------------------------------------------------------------------
 */

static uint32_t read_counter(const struct loom_elite5_router *s, uint32_t l, uint32_t which) {
  uint32_t count = 0;
  for (uint32_t bit = 0; bit < 32; bit++)
    count |= (s->counter[which].plane[bit] >> l & 1) << bit;
  return count;
}

static uint32_t read_link_control(const struct loom_elite5_router *s, uint32_t l) {
  const struct loom_elite5_link *k = &s->link[l];
  return (s->enabled >> l & 1) | (uint32_t)k->quick << LINK_QUICK_AT |
         (uint32_t)k->single << LINK_SINGLE_AT | (uint32_t)k->check_id << LINK_CHECK_AT;
}

static uint32_t read_link(const struct loom_elite5_router *s, uint32_t l, uint32_t a) {
  if (l >= s->links)
    return 0;
  if (within(a, WIN_COUNTERS, LOOM_ELITE5_COUNTERS))
    return read_counter(s, l, a - WIN_COUNTERS);
  const struct loom_elite5_link *k = &s->link[l];
  switch (a) {
  case WIN_CONTROL:
    return read_link_control(s, l);
  case WIN_EXPECTED:
    return k->expected;
  case WIN_VC_LIMIT:
    return s->output[l].vc_limit;
  case WIN_CAP:
    return s->output[l].cap;
  case WIN_STATE:
    return k->state | (uint32_t)loom_elite5_quiet(s, l) << STATE_QUIET_AT;
  case WIN_FAR:
    return k->far;
  case WIN_CHECKED:
    return k->checked;
  case WIN_BIT_ERRORS:
    return k->bit_errors;
  case WIN_ALLOCATED:
    return s->output[l].alloc;
  case WIN_NOT_IDLE:
    return s->all_vcs & ~s->input[l].in_state[LOOM_ELITE5_IDLE];
  case WIN_PENDING:
    return s->pending[l];
  default:
    return 0;
  }
}

/* An entry of the mask table, which shows while it is counted. */
static uint32_t read_mask(const struct loom_elite5_router *s, uint32_t addr) {
  uint32_t k = addr / 2;
  bool shows = k < s->classes ? k < s->class_count : (k - s->classes) / 2 < s->group_count;
  if (!shows)
    return 0;
  return addr & 1 ? s->all[k] : s->mask[k];
}

static uint32_t read_global(const struct loom_elite5_router *s, uint32_t a) {
  uint64_t trap = s->trap_count ? s->trap[s->trap_head] : 0;
  switch (a) {
  case ADDR_ID:
    return (uint32_t)ID_MAGIC << 24 | (uint32_t)ID_KIND << 16 | s->links << 8 | s->vcs;
  case ADDR_CONTROL:
    return s->mode | (uint32_t)s->activity << CONTROL_ACTIVITY_AT;
  case ADDR_DEST_COUNT:
    return s->dest_count;
  case ADDR_CLASS_COUNT:
    return s->class_count;
  case ADDR_GROUP_COUNT:
    return s->group_count;
  case ADDR_TRAP_COUNT:
    return s->trap_count;
  case ADDR_TRAP:
    return (uint32_t)trap;
  case ADDR_TRAP_TS:
    return (uint32_t)(trap >> TRAP_TS_AT);
  case ADDR_TIME:
    return loom_elite5_time(s);
  case ADDR_EXPIRE:
    return s->expire;
  case ADDR_UPLINKS:
    return s->uplinks;
  case ADDR_THRESHOLD:
    return s->threshold;
  case ADDR_CHIP_ID:
    return s->chip_id;
  case ADDR_PROTOCOL:
    return s->protocol;
  case ADDR_PRBS_WORDS:
    return s->prbs_words;
  case ADDR_PRBS_LIMIT:
    return s->prbs_limit;
  case ADDR_TIMEOUT:
    return s->timeout;
  case ADDR_WINDOW:
    return s->window;
  case ADDR_LIMIT_REDUNDANT:
  case ADDR_LIMIT_SINGLE:
    return s->limit[a - ADDR_LIMIT_REDUNDANT];
  case ADDR_UP:
    return s->up;
  default:
    return 0;
  }
}

static uint32_t read_register(const struct loom_elite5_router *s) {
  uint32_t a = s->reg.addr;
  if (a >= ADDR_DESTS)
    return a - ADDR_DESTS < s->dest_count ? s->dest[a - ADDR_DESTS] : 0;
  if (within(a, ADDR_MASKS, 2 * (s->classes + 2 * s->groups)))
    return read_mask(s, a - ADDR_MASKS);
  if (within(a, ADDR_LINKS, ADDR_LINKS_END - ADDR_LINKS))
    return read_link(s, (a - ADDR_LINKS) / WINDOW, a % WINDOW);
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
  move_trap(s, s->reg.re && s->reg.addr == ADDR_TRAP);
}

/* ---- write --------------------------------------------------------------------------------------
 */

static void write_link(struct loom_elite5_router *s, uint32_t l, uint32_t a, uint32_t data) {
  struct loom_elite5_link *k = &s->link[l];
  struct loom_elite5_output *u = &s->output[l];
  switch (a) {
  case WIN_CONTROL:
    loom_elite5_include(&s->enabled, l, data & 1);
    k->quick = data >> LINK_QUICK_AT & 1;
    k->single = data >> LINK_SINGLE_AT & 1;
    k->check_id = data >> LINK_CHECK_AT & 1;
    break;
  case WIN_EXPECTED:
    k->expected = data & BITS_24;
    break;
  case WIN_VC_LIMIT:
    u->vc_limit = data & BITS_6;
    s->dirty |= 1u << l;
    break;
  case WIN_CAP:
    u->cap = data & BITS_6;
    for (uint32_t vc = 0; vc < s->vcs; vc++)
      loom_elite5_recap(u, vc);
    s->dirty |= 1u << l;
    break;
  default:
    break;
  }
}

static void write_links(struct loom_elite5_router *s, uint32_t addr, uint32_t data) {
  uint32_t l = addr / WINDOW;
  if (l < s->links)
    write_link(s, l, addr % WINDOW, data);
  for (uint32_t every = 0; l == EVERY && every < s->links; every++)
    write_link(s, every, addr % WINDOW, data);
}

static void write_seed(struct loom_elite5_router *s, uint32_t data) {
  for (uint32_t l = 0; l < s->links; l++) {
    uint32_t seed = data ^ l << SEED_AT;
    s->input[l].random = seed ? seed : 1;
  }
}

static void write_global(struct loom_elite5_router *s, uint32_t a, uint32_t data) {
  switch (a) {
  case ADDR_CONTROL:
    s->mode = data & BITS_2;
    s->activity = data >> CONTROL_ACTIVITY_AT & 1;
    break;
  case ADDR_DEST_COUNT:
    s->dest_count = loom_min(data, s->dests);
    break;
  case ADDR_CLASS_COUNT:
    s->class_count = loom_min(data, s->classes);
    break;
  case ADDR_GROUP_COUNT:
    s->group_count = loom_min(data, s->groups);
    break;
  case ADDR_TIME: /* it shows in the next cycle */
    s->time_base = data - (uint32_t)(s->now + 1);
    break;
  case ADDR_EXPIRE:
    s->expire = data & BITS_14;
    break;
  case ADDR_UPLINKS:
    s->uplinks = data & s->all_links;
    break;
  case ADDR_THRESHOLD:
    s->threshold = data & BITS_6;
    s->dirty = s->all_links;
    break;
  case ADDR_SEED:
    write_seed(s, data);
    break;
  case ADDR_CHIP_ID:
    s->chip_id = data & BITS_16;
    break;
  case ADDR_PROTOCOL:
    s->protocol = data & BITS_8;
    break;
  case ADDR_PRBS_WORDS:
    s->prbs_words = data & BITS_16;
    break;
  case ADDR_PRBS_LIMIT:
    s->prbs_limit = data & BITS_16;
    break;
  case ADDR_TIMEOUT:
    s->timeout = data & BITS_16;
    break;
  case ADDR_WINDOW:
    s->window = data & BITS_24;
    s->window_since = s->now + 1;
    break;
  case ADDR_LIMIT_REDUNDANT:
  case ADDR_LIMIT_SINGLE:
    s->limit[a - ADDR_LIMIT_REDUNDANT] = data & BITS_16;
    break;
  default:
    break;
  }
}

static void write_mask(struct loom_elite5_router *s, uint32_t addr, uint32_t data) {
  s->mask[addr / 2] = data & s->all_links;
  s->all[addr / 2] = addr & 1;
}

static void write_register(struct loom_elite5_router *s) {
  uint32_t a = s->reg.addr, data = s->reg.wdata;
  if (within(a, ADDR_DESTS, s->dests))
    s->dest[a - ADDR_DESTS] = data & BITS_12;
  else if (within(a, ADDR_MASKS, 2 * (s->classes + 2 * s->groups)))
    write_mask(s, a - ADDR_MASKS, data);
  else if (within(a, ADDR_LINKS, ADDR_LINKS_END - ADDR_LINKS))
    write_links(s, a - ADDR_LINKS, data);
  else if (a < ADDR_LINKS)
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
