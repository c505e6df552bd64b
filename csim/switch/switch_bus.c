/* SPDX-License-Identifier: Apache-2.0 */
/* switch_bus.c - the registers of a switch on its bus, written from docs/switch.md
 *
 * Inside: ib_switch, opa_switch, kns_node, and kns_switch. */
#include "switch/switch.h"
#include <loom/switch_registers.h>

#include <string.h>

enum { IN = LOOM_SWITCH_IN, CENTRAL = LOOM_SWITCH_CENTRAL, OUT = LOOM_SWITCH_OUT };

/* Addresses of the windows of one kind. */
enum { WINDOWS = LOOM_SWITCH_REG_PORTS_WINDOWS * LOOM_REG_WINDOW };

static bool within(uint32_t addr, uint32_t base, uint32_t size) {
  return addr >= base && addr - base < size;
}

/* ---- read ------------------------------------------------------------------------------------ */

static uint32_t peak(const struct loom_switch *s, uint32_t tier, uint32_t index, uint32_t lane) {
  const struct loom_switch_peak *p = &s->peak[tier][index];
  return p->lane == lane && p->since == s->now ? p->before : p->most[lane];
}

static uint32_t stalls(const struct loom_switch *s, uint32_t port, uint32_t lane) {
  const struct loom_switch_output *u = &s->output[port];
  uint32_t open = u->stalled >> lane & 1 ? (uint32_t)(s->now - u->stalled_since[lane]) : 0;
  return u->stalls[lane] + open;
}

/* A register of those by lane or, the last two, by SL: `first` is the first of its array. */
static uint32_t read_group(const struct loom_switch *s, uint32_t port, uint32_t first, uint32_t n) {
  const struct loom_switch_counted *counted = &s->counted[n][port];
  if (first == LOOM_SWITCH_WIN_SL_FLITS)
    return counted->granted_by_sl.flits;
  if (first == LOOM_SWITCH_WIN_SL_PACKETS)
    return counted->granted_by_sl.packets;
  if (n >= s->vls)
    return 0;
  switch (first) {
  case LOOM_SWITCH_WIN_IN_FLITS:
    return counted->accepted.flits;
  case LOOM_SWITCH_WIN_IN_PACKETS:
    return counted->accepted.packets;
  case LOOM_SWITCH_WIN_OUT_FLITS:
    return counted->granted.flits;
  case LOOM_SWITCH_WIN_OUT_PACKETS:
    return counted->granted.packets;
  case LOOM_SWITCH_WIN_STALLS:
    return stalls(s, port, n);
  case LOOM_SWITCH_WIN_PEAK_IN:
    return peak(s, IN, port, n);
  default:
    return peak(s, OUT, port, n);
  }
}

static uint32_t read_table(uint32_t sched, const struct loom_sched_front *front, uint32_t addr) {
  const struct loom_sched_policy *policy = loom_switch_policy(sched);
  return policy->table_read ? policy->table_read(front, addr) : 0;
}

static uint32_t read_map(const struct loom_switch *s, const struct loom_switch_family *family,
                         uint32_t port, uint32_t addr) {
  if (addr >= s->ports * LOOM_SWITCH_MAP || !family->map_shows(s))
    return 0;
  return *loom_switch_map(s, port, addr / LOOM_SWITCH_MAP, addr % LOOM_SWITCH_MAP);
}

static uint32_t read_port(const struct loom_switch *s, const struct loom_switch_family *family,
                          uint32_t port, uint32_t a) {
  if (port >= s->ports)
    return 0;
  if (a >= LOOM_SWITCH_WIN_MAP)
    return read_map(s, family, port, a - LOOM_SWITCH_WIN_MAP);
  if (a >= LOOM_SWITCH_WIN_TABLE)
    return read_table(s->sched, loom_switch_front(s, port), a - LOOM_SWITCH_WIN_TABLE);
  if (within(a, LOOM_SWITCH_WIN_LINK_ERRORS, LOOM_SWITCH_COUNTERS))
    return s->port[port].counter[a - LOOM_SWITCH_WIN_LINK_ERRORS];
  if (within(a, LOOM_SWITCH_WIN_IN_FLITS, LOOM_SWITCH_WIN_LINK_ERRORS - LOOM_SWITCH_WIN_IN_FLITS))
    return read_group(s, port, a - a % LOOM_SWITCH_LANES, a % LOOM_SWITCH_LANES);
  return a == LOOM_SWITCH_WIN_HOLD && s->output[port].hold;
}

static uint32_t read_central(const struct loom_switch *s, uint32_t index, uint32_t a) {
  if (index >= s->centrals)
    return 0;
  if (within(a, LOOM_OPA_WIN_TABLE, LOOM_OPA_WIN_TABLE_WORDS) && s->choosers)
    return read_table(s->central_sched, &s->chooser[index].scheduler.front, a - LOOM_OPA_WIN_TABLE);
  return within(a, LOOM_OPA_WIN_PEAK, s->vls) ? peak(s, CENTRAL, index, a - LOOM_OPA_WIN_PEAK) : 0;
}

uint32_t loom_switch_register(const struct loom_switch *s, const struct loom_switch_family *family,
                              uint32_t a) {
  if (a >= LOOM_SWITCH_REG_LFT)
    return a - LOOM_SWITCH_REG_LFT < s->lft_count ? s->lft[a - LOOM_SWITCH_REG_LFT] : 0;
  if (within(a, LOOM_SWITCH_REG_CENTRALS, WINDOWS))
    return read_central(s, (a - LOOM_SWITCH_REG_CENTRALS) / LOOM_REG_WINDOW, a % LOOM_REG_WINDOW);
  if (within(a, LOOM_SWITCH_REG_PORTS, WINDOWS))
    return read_port(s, family, (a - LOOM_SWITCH_REG_PORTS) / LOOM_REG_WINDOW, a % LOOM_REG_WINDOW);
  if (within(a, LOOM_SWITCH_REG_MTU, s->vls))
    return s->mtu[a - LOOM_SWITCH_REG_MTU];
  switch (a) {
  case LOOM_SWITCH_REG_ID:
    return loom_device_id(family->id) | LOOM_PUT(LOOM_SWITCH_REG_ID_PORTS, s->ports) |
           LOOM_PUT(LOOM_SWITCH_REG_ID_VLS, s->vls);
  case LOOM_SWITCH_REG_CONTROL:
    return LOOM_PUT(LOOM_SWITCH_REG_CONTROL_MODE, s->map_mode) |
           LOOM_PUT(LOOM_SWITCH_REG_CONTROL_CENTRAL, s->central_choice);
  case LOOM_SWITCH_REG_LFT_COUNT:
    return s->lft_count;
  case LOOM_SWITCH_REG_TRAP_COUNT:
    return s->trap_fifo.count;
  case LOOM_SWITCH_REG_TRAP:
    return (uint32_t)loom_fifo_data(&s->trap_fifo);
  case LOOM_SWITCH_REG_MTU_IGNORED:
    return s->mtu_ignored;
  default:
    return family->read ? family->read(s, a) : 0;
  }
}

void loom_switch_read_edge(struct loom_switch *s, const struct loom_switch_family *family) {
  s->read[1] = s->read[0];
  s->read[0].valid = s->reg.re;
  s->read[0].data = s->reg.re ? loom_switch_register(s, family, s->reg.addr) : 0;
}

bool loom_switch_reads_trap(const struct loom_switch *s) {
  return s->reg.re && s->reg.addr == LOOM_SWITCH_REG_TRAP;
}

/* ---- write ----------------------------------------------------------------------------------- */

/* The windows that the registered write means, out of n. */
static loom_ports windows(uint32_t addr, uint32_t n) {
  uint32_t index = addr / LOOM_REG_WINDOW;
  if (index == LOOM_SWITCH_EVERY)
    return loom_mask(n);
  return index < n ? 1ull << index : 0;
}

static void write_tracker(struct loom_switch *s, uint32_t tier, loom_ports set, uint32_t addr) {
  const struct loom_credit_tracker_in in = {
      .cfg_we = 1, .cfg_addr = addr, .cfg_data = s->reg.wdata};
  s->written[tier] = set;
  s->touched[tier] |= set;
  for (; set; set &= set - 1) {
    uint32_t index = loom_ctz(set);
    struct loom_credit_tracker *t = &s->buffer[tier][index].tracker;
    loom_credit_tracker_cycle(t, &in);
    if (tier != CENTRAL)
      s->buffer_error |= (loom_ports)t->error << index;
  }
}

void loom_switch_write_trackers(struct loom_switch *s) {
  uint32_t a = s->reg.addr % LOOM_REG_WINDOW;
  memcpy(s->written_last, s->written, sizeof s->written);
  memset(s->written, 0, sizeof s->written);
  s->far_written = 0;
  if (!s->reg.we)
    return;
  if (within(s->reg.addr, LOOM_SWITCH_REG_CENTRALS, WINDOWS)) {
    if (within(a, LOOM_OPA_WIN_TRACKER, LOOM_OPA_WIN_TRACKER_WORDS))
      write_tracker(s, CENTRAL, windows(s->reg.addr - LOOM_SWITCH_REG_CENTRALS, s->centrals),
                    a - LOOM_OPA_WIN_TRACKER);
  } else if (within(s->reg.addr, LOOM_SWITCH_REG_PORTS, WINDOWS)) {
    loom_ports set = windows(s->reg.addr - LOOM_SWITCH_REG_PORTS, s->ports);
    if (within(a, LOOM_SWITCH_WIN_TRACKER_IN, LOOM_SWITCH_WIN_TRACKER_IN_WORDS))
      write_tracker(s, IN, set, a - LOOM_SWITCH_WIN_TRACKER_IN);
    else if (within(a, LOOM_SWITCH_WIN_TRACKER_OUT, LOOM_SWITCH_WIN_TRACKER_OUT_WORDS))
      write_tracker(s, OUT, set, a - LOOM_SWITCH_WIN_TRACKER_OUT);
    else if (within(a, LOOM_SWITCH_WIN_TRACKER_FAR, LOOM_SWITCH_WIN_TRACKER_FAR_WORDS))
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
  uint32_t entry = a - LOOM_SWITCH_WIN_MAP;
  if (within(a, LOOM_SWITCH_WIN_MAP, s->ports * LOOM_SWITCH_MAP))
    *loom_switch_map(s, port, entry / LOOM_SWITCH_MAP, entry % LOOM_SWITCH_MAP) =
        LOOM_GET(LOOM_SWITCH_WIN_MAP_ENTRY, s->reg.wdata);
  else if (within(a, LOOM_SWITCH_WIN_TABLE, LOOM_SWITCH_WIN_TABLE_WORDS))
    write_table(s->sched, loom_switch_scheduler(s, port), a - LOOM_SWITCH_WIN_TABLE, s->reg.wdata);
  else if (a == LOOM_SWITCH_WIN_HOLD)
    u->hold = s->reg.wdata & 1;
  s->awake |= 1ull << port;
}

static void write_central(struct loom_switch *s, uint32_t index, uint32_t a) {
  if (!s->choosers || !within(a, LOOM_OPA_WIN_TABLE, LOOM_OPA_WIN_TABLE_WORDS))
    return;
  write_table(s->central_sched, &s->chooser[index].scheduler, a - LOOM_OPA_WIN_TABLE, s->reg.wdata);
  s->choosers_awake |= 1ull << index;
}

/* Counts only while nothing is in use. */
static void write_mtu(struct loom_switch *s, uint32_t lane) {
  if (!s->idle) {
    s->mtu_ignored++;
    return;
  }
  s->mtu[lane] = LOOM_GET(LOOM_SWITCH_REG_MTU_UNITS, s->reg.wdata);
  s->touched[CENTRAL] |= loom_mask(s->centrals);
  s->touched[OUT] |= loom_mask(s->ports);
}

static void write_global(struct loom_switch *s, const struct loom_switch_family *family) {
  uint32_t a = s->reg.addr, data = s->reg.wdata;
  if (within(a, LOOM_SWITCH_REG_MTU, s->vls)) {
    write_mtu(s, a - LOOM_SWITCH_REG_MTU);
  } else if (a == LOOM_SWITCH_REG_CONTROL) {
    s->map_mode = LOOM_GET(LOOM_SWITCH_REG_CONTROL_MODE, data);
    s->central_choice = LOOM_GET(LOOM_SWITCH_REG_CONTROL_CENTRAL, data);
  } else if (a == LOOM_SWITCH_REG_LFT_COUNT) {
    s->lft_count = loom_min(data, s->lids);
  } else if (family->write) {
    family->write(s, a, data);
  }
}

void loom_switch_write(struct loom_switch *s, const struct loom_switch_family *family) {
  uint32_t a = s->reg.addr;
  if (within(a, LOOM_SWITCH_REG_LFT, s->lids)) {
    s->lft[a - LOOM_SWITCH_REG_LFT] = LOOM_GET(LOOM_SWITCH_REG_LFT_OUT, s->reg.wdata);
  } else if (within(a, LOOM_SWITCH_REG_CENTRALS, WINDOWS)) {
    for (loom_ports set = windows(a - LOOM_SWITCH_REG_CENTRALS, s->centrals); set; set &= set - 1)
      write_central(s, loom_ctz(set), a % LOOM_REG_WINDOW);
  } else if (within(a, LOOM_SWITCH_REG_PORTS, WINDOWS)) {
    for (loom_ports set = windows(a - LOOM_SWITCH_REG_PORTS, s->ports); set; set &= set - 1)
      write_port(s, loom_ctz(set), a % LOOM_REG_WINDOW);
  } else if (a < LOOM_SWITCH_REG_PORTS) {
    write_global(s, family);
  }
}
