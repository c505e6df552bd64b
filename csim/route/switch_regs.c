/* switch_regs.c - the registers of a switch on its bus, written from docs/switch.md
 *
 * Inside: ib_switch, opa_switch, kns_node, and kns_switch. */
#include "route/switch.h"

#include <string.h>

enum { IN = LOOM_SWITCH_IN, MID = LOOM_SWITCH_MID, OUT = LOOM_SWITCH_OUT };

enum {
  ID_MAGIC = 0x4C,
  ADDR_ID = 0x0,
  ADDR_CONTROL = 0x1,
  ADDR_LFT_COUNT = 0x2,
  ADDR_TRAP_COUNT = 0x3,
  ADDR_TRAP = 0x4,
  ADDR_MTU_IGNORED = 0x5,
  ADDR_MTU = 0x20,
  ADDR_PORTS = 0x10000,
  ADDR_CENTRALS = 0x50000,
  ADDR_CENTRALS_END = 0x90000,
  ADDR_LFT = 0xC0000,
  WINDOW = 0x1000,
  EVERY = 63, /* a write goes to all windows */
  MODE_MASK = 3,
  CENTRAL_BIT = 4,
  MTU_MASK = 0x3FF,
  LFT_MASK = 0x3F,
  MAP_MASK = 0x1F,
};

/* In a window. */
enum {
  WIN_HOLD = 0x000,
  WIN_TRACKER = 0x080, /* of a central buffer, of an input buffer; then output, far end */
  WIN_TRACKER_OUT = 0x100,
  WIN_TRACKER_FAR = 0x180,
  TRACKER_SIZE = 65,
  WIN_LANES = 0x200, /* groups of 32 by lane or SL */
  GROUP_IN_FLITS = 0,
  GROUP_IN_PACKETS,
  GROUP_OUT_FLITS,
  GROUP_OUT_PACKETS,
  GROUP_STALLS,
  GROUP_PEAK_IN,
  GROUP_PEAK_OUT,
  GROUP_SL_FLITS,
  GROUP_SL_PACKETS,
  WIN_COUNTERS = 0x320,
  WIN_TABLE = 0x400,
  TABLE_SIZE = 0x400,
  WIN_MAP = 0x800,
};

static bool within(uint32_t addr, uint32_t base, uint32_t size) {
  return addr >= base && addr - base < size;
}

/* ---- read ---------------------------------------------------------------------------------------
 */

static uint32_t peak(const struct loom_switch *s, uint32_t kind, uint32_t index, uint32_t lane) {
  const struct loom_switch_peak *p = &s->peak[kind][index];
  return p->lane == lane && p->since == s->now ? p->before : p->most[lane];
}

static uint32_t stalls(const struct loom_switch *s, uint32_t port, uint32_t lane) {
  const struct loom_switch_output *u = &s->output[port];
  uint32_t open = u->stalled >> lane & 1 ? (uint32_t)(s->now - u->stalled_since[lane]) : 0;
  return u->stalls[lane] + open;
}

/* The registers from 0x200 to 0x31F: `n` is a lane, in the last two groups an SL. */
static uint32_t read_group(const struct loom_switch *s, uint32_t port, uint32_t group, uint32_t n) {
  const struct loom_switch_port *p = &s->port[port];
  if (group == GROUP_SL_FLITS)
    return p->granted_by_sl.counter[n].flits;
  if (group == GROUP_SL_PACKETS)
    return p->granted_by_sl.counter[n].packets;
  if (n >= s->vls)
    return 0;
  switch (group) {
  case GROUP_IN_FLITS:
    return p->accepted.counter[n].flits;
  case GROUP_IN_PACKETS:
    return p->accepted.counter[n].packets;
  case GROUP_OUT_FLITS:
    return p->granted.counter[n].flits;
  case GROUP_OUT_PACKETS:
    return p->granted.counter[n].packets;
  case GROUP_STALLS:
    return stalls(s, port, n);
  case GROUP_PEAK_IN:
    return peak(s, IN, port, n);
  default:
    return peak(s, OUT, port, n);
  }
}

static uint32_t read_table(uint32_t sched, const union loom_switch_scheduler *scheduler,
                           uint32_t addr) {
  const struct loom_sched_policy *policy = loom_switch_policy(sched);
  return policy->table_read ? policy->table_read(&scheduler->front, addr) : 0;
}

static uint32_t read_map(const struct loom_switch *s, const struct loom_switch_kind *kind,
                         uint32_t port, uint32_t addr) {
  if (addr >= s->ports * LOOM_SWITCH_MAP || !kind->map_shows(s))
    return 0;
  return s->maps[port * s->ports * LOOM_SWITCH_MAP + addr];
}

static uint32_t read_port(const struct loom_switch *s, const struct loom_switch_kind *kind,
                          uint32_t port, uint32_t a) {
  if (port >= s->ports)
    return 0;
  if (a >= WIN_MAP)
    return read_map(s, kind, port, a - WIN_MAP);
  if (a >= WIN_TABLE)
    return read_table(s->sched, &s->output[port].scheduler, a - WIN_TABLE);
  if (within(a, WIN_COUNTERS, LOOM_SWITCH_COUNTERS))
    return s->port[port].counter[a - WIN_COUNTERS];
  if (within(a, WIN_LANES, WIN_COUNTERS - WIN_LANES))
    return read_group(s, port, (a - WIN_LANES) / LOOM_SWITCH_LANES, a % LOOM_SWITCH_LANES);
  return a == WIN_HOLD && s->output[port].hold;
}

static uint32_t read_central(const struct loom_switch *s, uint32_t index, uint32_t a) {
  enum { WIN_PEAK = WIN_LANES + GROUP_PEAK_IN * LOOM_SWITCH_LANES };
  if (index >= s->mids)
    return 0;
  if (within(a, WIN_TABLE, TABLE_SIZE) && s->choosers)
    return read_table(s->central_sched, &s->chooser[index].scheduler, a - WIN_TABLE);
  return within(a, WIN_PEAK, s->vls) ? peak(s, MID, index, a - WIN_PEAK) : 0;
}

static uint32_t read_register(const struct loom_switch *s, const struct loom_switch_kind *kind) {
  uint32_t a = s->reg.addr;
  if (a >= ADDR_LFT)
    return a - ADDR_LFT < s->lft_count ? s->lft[a - ADDR_LFT] : 0;
  if (within(a, ADDR_CENTRALS, ADDR_CENTRALS_END - ADDR_CENTRALS))
    return read_central(s, (a - ADDR_CENTRALS) / WINDOW, a % WINDOW);
  if (within(a, ADDR_PORTS, ADDR_CENTRALS - ADDR_PORTS))
    return read_port(s, kind, (a - ADDR_PORTS) / WINDOW, a % WINDOW);
  if (within(a, ADDR_MTU, s->vls))
    return s->mtu[a - ADDR_MTU];
  switch (a) {
  case ADDR_ID:
    return (uint32_t)ID_MAGIC << 24 | kind->id << 16 | s->ports << 8 | s->vls;
  case ADDR_CONTROL:
    return s->map_mode | (uint32_t)s->central_choice << CENTRAL_BIT;
  case ADDR_LFT_COUNT:
    return s->lft_count;
  case ADDR_TRAP_COUNT:
    return s->trap_fifo.count;
  case ADDR_TRAP:
    return (uint32_t)loom_fifo_data(&s->trap_fifo);
  case ADDR_MTU_IGNORED:
    return s->mtu_ignored;
  default:
    return kind->read ? kind->read(s, a) : 0;
  }
}

void loom_switch_read_edge(struct loom_switch *s, const struct loom_switch_kind *kind) {
  s->read[1] = s->read[0];
  s->read[0].valid = s->reg.re;
  s->read[0].data = s->reg.re ? read_register(s, kind) : 0;
}

bool loom_switch_reads_trap(const struct loom_switch *s) {
  return s->reg.re && s->reg.addr == ADDR_TRAP;
}

/* ---- write --------------------------------------------------------------------------------------
 */

/* The windows that the registered write means, out of n. */
static loom_ports windows(uint32_t addr, uint32_t n) {
  uint32_t index = addr / WINDOW;
  if (index == EVERY)
    return loom_mask(n);
  return index < n ? 1ull << index : 0;
}

static void write_tracker(struct loom_switch *s, uint32_t kind, loom_ports set, uint32_t addr) {
  const struct loom_credit_tracker_in in = {
      .cfg_we = 1, .cfg_addr = addr, .cfg_data = s->reg.wdata};
  s->written[kind] = set;
  s->touched[kind] |= set;
  for (; set; set &= set - 1) {
    uint32_t index = loom_ctz(set);
    struct loom_credit_tracker *t = &s->buffer[kind][index].tracker;
    loom_credit_tracker_cycle(t, &in);
    if (kind != MID)
      s->buffer_error |= (loom_ports)t->error << index;
  }
}

void loom_switch_write_trackers(struct loom_switch *s) {
  uint32_t a = s->reg.addr % WINDOW;
  memcpy(s->written_last, s->written, sizeof s->written);
  memset(s->written, 0, sizeof s->written);
  s->far_written = 0;
  if (!s->reg.we)
    return;
  if (within(s->reg.addr, ADDR_CENTRALS, ADDR_CENTRALS_END - ADDR_CENTRALS)) {
    if (within(a, WIN_TRACKER, TRACKER_SIZE))
      write_tracker(s, MID, windows(s->reg.addr - ADDR_CENTRALS, s->mids), a - WIN_TRACKER);
  } else if (within(s->reg.addr, ADDR_PORTS, ADDR_CENTRALS - ADDR_PORTS)) {
    loom_ports set = windows(s->reg.addr - ADDR_PORTS, s->ports);
    if (within(a, WIN_TRACKER, TRACKER_SIZE))
      write_tracker(s, IN, set, a - WIN_TRACKER);
    else if (within(a, WIN_TRACKER_OUT, TRACKER_SIZE))
      write_tracker(s, OUT, set, a - WIN_TRACKER_OUT);
    else if (within(a, WIN_TRACKER_FAR, TRACKER_SIZE))
      s->far_written = set;
    s->awake |= s->far_written;
  }
}

static void write_table(uint32_t sched, union loom_switch_scheduler *scheduler, uint32_t addr,
                        uint32_t data) {
  const struct loom_sched_policy *policy = loom_switch_policy(sched);
  if (policy->table_write)
    policy->table_write(&scheduler->front, addr, data);
}

static void write_port(struct loom_switch *s, uint32_t port, uint32_t a) {
  struct loom_switch_output *u = &s->output[port];
  if (within(a, WIN_MAP, s->ports * LOOM_SWITCH_MAP))
    s->maps[port * s->ports * LOOM_SWITCH_MAP + a - WIN_MAP] = s->reg.wdata & MAP_MASK;
  else if (within(a, WIN_TABLE, TABLE_SIZE))
    write_table(s->sched, &u->scheduler, a - WIN_TABLE, s->reg.wdata);
  else if (a == WIN_HOLD)
    u->hold = s->reg.wdata & 1;
  s->awake |= 1ull << port;
}

static void write_central(struct loom_switch *s, uint32_t index, uint32_t a) {
  if (!s->choosers || !within(a, WIN_TABLE, TABLE_SIZE))
    return;
  write_table(s->central_sched, &s->chooser[index].scheduler, a - WIN_TABLE, s->reg.wdata);
  s->choosers_awake |= 1ull << index;
}

/* Counts only while nothing is in use. */
static void write_mtu(struct loom_switch *s, uint32_t lane) {
  if (!s->idle) {
    s->mtu_ignored++;
    return;
  }
  s->mtu[lane] = s->reg.wdata & MTU_MASK;
  s->touched[MID] |= loom_mask(s->mids);
  s->touched[OUT] |= loom_mask(s->ports);
}

static void write_global(struct loom_switch *s, const struct loom_switch_kind *kind) {
  uint32_t a = s->reg.addr, data = s->reg.wdata;
  if (within(a, ADDR_MTU, s->vls)) {
    write_mtu(s, a - ADDR_MTU);
  } else if (a == ADDR_CONTROL) {
    s->map_mode = data & MODE_MASK;
    s->central_choice = data >> CENTRAL_BIT & 1;
  } else if (a == ADDR_LFT_COUNT) {
    s->lft_count = loom_min(data, s->lids);
  } else if (kind->write) {
    kind->write(s, a, data);
  }
}

void loom_switch_write(struct loom_switch *s, const struct loom_switch_kind *kind) {
  uint32_t a = s->reg.addr;
  if (within(a, ADDR_LFT, s->lids)) {
    s->lft[a - ADDR_LFT] = s->reg.wdata & LFT_MASK;
  } else if (within(a, ADDR_CENTRALS, ADDR_CENTRALS_END - ADDR_CENTRALS)) {
    for (loom_ports set = windows(a - ADDR_CENTRALS, s->mids); set; set &= set - 1)
      write_central(s, loom_ctz(set), a % WINDOW);
  } else if (within(a, ADDR_PORTS, ADDR_CENTRALS - ADDR_PORTS)) {
    for (loom_ports set = windows(a - ADDR_PORTS, s->ports); set; set &= set - 1)
      write_port(s, loom_ctz(set), a % WINDOW);
  } else if (a < ADDR_PORTS) {
    write_global(s, kind);
  }
}
