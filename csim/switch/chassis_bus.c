/* SPDX-License-Identifier: Apache-2.0 */
/* chassis_bus.c - the registers of a chassis, written from docs/crossbar_switch.md
 *
 * Inside: crossbar_switch, mport_switch.
 *
 * An access goes from port to port, and its answer behind it. Here both stay where they are in a
 * ring, and the ports come to them. */
#include "switch/chassis.h"

enum { TABLE_CYCLES = 2, ANSWER_CYCLES = 2 };
/* Counters as parts/event_counters names them. */
enum { STREAM = 64, PULSES_AT = 256, PULSES = 13, SL_STREAM_AT = 2 * STREAM };
enum { CAUSES = 5 }; /* of refusals and drops: pulses 1 to 5 */

static bool within(uint32_t addr, uint32_t base, uint32_t size) {
  return addr >= base && addr - base < size;
}

/* The n-th newest access. */
static struct loom_chassis_access *access_at(struct loom_chassis *s, uint32_t n) {
  return &s->access[(s->newest - n) % LOOM_CHASSIS_ACCESSES];
}

/* ---- the switch's own ------------------------------------------------------------------------ */

static uint32_t oldest_trap(const struct loom_chassis *s) {
  return s->traps ? s->trap_word[s->trap_first] : 0;
}

static uint32_t read_own(const struct loom_chassis *s, uint32_t a) {
  if (a >= LOOM_SWITCH_REG_LFT)
    return a - LOOM_SWITCH_REG_LFT < s->lft_count ? s->lft[a - LOOM_SWITCH_REG_LFT] : 0;
  if (within(a, LOOM_SWITCH_REG_MTU, s->vls))
    return s->mtu[a - LOOM_SWITCH_REG_MTU];
  switch (a) {
  case LOOM_SWITCH_REG_ID:
    return loom_device_id(s->device) | LOOM_PUT(LOOM_SWITCH_REG_ID_PORTS, s->ports) |
           LOOM_PUT(LOOM_SWITCH_REG_ID_VLS, s->vls);
  case LOOM_SWITCH_REG_CONTROL:
    return s->control;
  case LOOM_SWITCH_REG_LFT_COUNT:
    return s->lft_count;
  case LOOM_SWITCH_REG_TRAP_COUNT:
    return s->traps;
  case LOOM_SWITCH_REG_TRAP:
    return oldest_trap(s);
  case LOOM_SWITCH_REG_MTU_IGNORED:
    return s->mtu_ignored;
  default:
    return 0;
  }
}

/* An MTU counts only while nothing is in use. */
static bool is_good_mtu(const struct loom_chassis *s, uint32_t data) {
  uint32_t units = LOOM_GET(LOOM_SWITCH_REG_MTU_UNITS, data);
  return s->idle && units >= 1 && units <= s->mtu_units;
}

static void look_own(struct loom_chassis *s, struct loom_chassis_bus *bus) {
  struct loom_chassis_access *x = access_at(s, 0);
  if (x->re) {
    x->data = read_own(s, x->addr);
    bus->read = x;
    bus->pops_trap = x->addr == LOOM_SWITCH_REG_TRAP;
    return;
  }
  if (within(x->addr, LOOM_SWITCH_REG_MTU, s->vls) && !is_good_mtu(s, x->data))
    s->mtu_ignored++;
  else
    bus->late = *x;
}

/* A write of the cycle before takes effect. */
static void write_own(struct loom_chassis *s) {
  uint32_t a = s->late.addr, data = s->late.data;
  if (!s->late.we)
    return;
  if (within(a, LOOM_SWITCH_REG_LFT, s->lids))
    s->lft[a - LOOM_SWITCH_REG_LFT] = (uint8_t)(data & s->entry_bits);
  else if (within(a, LOOM_SWITCH_REG_MTU, s->vls))
    s->mtu[a - LOOM_SWITCH_REG_MTU] = (uint16_t)LOOM_GET(LOOM_SWITCH_REG_MTU_UNITS, data);
  else if (a == LOOM_SWITCH_REG_LFT_COUNT)
    s->lft_count = loom_min(data, s->lids);
  else if (a == LOOM_SWITCH_REG_CONTROL)
    s->control =
        LOOM_PUT(LOOM_SWITCH_REG_CONTROL_MODE, LOOM_GET(LOOM_SWITCH_REG_CONTROL_MODE, data)) |
        LOOM_PUT(LOOM_SWITCH_REG_CONTROL_CENTRAL, LOOM_GET(LOOM_SWITCH_REG_CONTROL_CENTRAL, data));
}

/* ---- those of a port ------------------------------------------------------------------------- */

/* The window of an access to the ports, or more than there are. */
static uint32_t window_of(const struct loom_chassis_access *x) {
  return (x->addr - LOOM_SWITCH_REG_PORTS) / LOOM_REG_WINDOW;
}

static bool is_for(const struct loom_chassis_access *x, uint32_t port) {
  uint32_t window = window_of(x);
  return window == port || (x->we && window == LOOM_SWITCH_EVERY);
}

static uint32_t read_counter(const struct loom_chassis_port *p, uint32_t a) {
  if (within(a, LOOM_SWITCH_WIN_IN_FLITS, 2 * STREAM))
    return loom_event_counters_look(&p->counters, a - LOOM_SWITCH_WIN_IN_FLITS);
  if (within(a, LOOM_SWITCH_WIN_SL_FLITS, STREAM))
    return loom_event_counters_look(&p->counters, a - LOOM_SWITCH_WIN_SL_FLITS + SL_STREAM_AT);
  if (within(a, LOOM_SWITCH_WIN_LINK_ERRORS, PULSES))
    return loom_event_counters_look(&p->counters, a - LOOM_SWITCH_WIN_LINK_ERRORS + PULSES_AT);
  return 0;
}

static uint32_t read_port(const struct loom_chassis *s, const struct loom_chassis_port *p,
                          uint32_t a) {
  if (within(a, LOOM_SWITCH_WIN_MAP, s->ports * LOOM_INPUT_SLS))
    return loom_chassis_map_on(s) ? p->input.map[a - LOOM_SWITCH_WIN_MAP] : 0;
  if (a == LOOM_SWITCH_WIN_HOLD)
    return p->hold;
  return read_counter(p, a);
}

/* Those that are on their way into their counters, too. */
uint64_t loom_chassis_dropped(const struct loom_chassis *s) {
  uint64_t sum = 0;
  for (uint32_t port = 0; port < s->ports; port++) {
    struct loom_event_counters c = s->port[port].counters;
    loom_event_counters_finish(&c);
    for (uint32_t cause = 1; cause <= CAUSES; cause++)
      sum += loom_event_counters_look(&c, PULSES_AT + cause) + c.counted[cause];
  }
  return sum;
}

const struct loom_chassis_access *loom_chassis_seen(const struct loom_chassis *s, uint32_t port) {
  return s->under_way >> port & 1 ? &s->access[(s->newest - port) % LOOM_CHASSIS_ACCESSES] : NULL;
}

/* ---- a cycle --------------------------------------------------------------------------------- */

void loom_chassis_bus_show(struct loom_chassis *s) {
  uint32_t last = s->ports + ANSWER_CYCLES;
  const struct loom_chassis_access *x = &s->access[(s->newest - last) % LOOM_CHASSIS_ACCESSES];
  s->shown.rvalid = (s->under_way >> last & 1) && x->re;
  s->shown.rdata = s->shown.rvalid ? x->data : 0;
}

void loom_chassis_bus_look(struct loom_chassis *s, struct loom_chassis_bus *bus) {
  bus->ports = 0;
  bus->pops_trap = false;
  bus->read = NULL;
  bus->late = (struct loom_chassis_access){0};
  if (s->under_way & 1)
    look_own(s, bus);
  for (uint64_t left = s->under_way & s->all; left; left &= left - 1) {
    uint32_t port = loom_ctz(left);
    struct loom_chassis_access *x = access_at(s, port);
    if (!is_for(x, port))
      continue;
    bus->ports |= 1ull << port;
    bus->access[port] = x;
    if (x->re)
      x->data = read_port(s, &s->port[port], x->addr % LOOM_REG_WINDOW);
  }
}

void loom_chassis_bus_tables(struct loom_chassis *s) {
  for (uint64_t left = s->under_way >> TABLE_CYCLES & s->all; left; left &= left - 1) {
    uint32_t port = loom_ctz(left);
    struct loom_chassis_access *x = access_at(s, port + TABLE_CYCLES);
    if (x->re && is_for(x, port) &&
        within(x->addr % LOOM_REG_WINDOW, LOOM_SWITCH_WIN_TABLE, LOOM_SWITCH_WIN_TABLE_WORDS))
      x->data = s->port[port].table_rdata;
  }
}

void loom_chassis_bus_edge(struct loom_chassis *s, const struct loom_chassis_bus *bus,
                           const struct loom_chassis_arrival *in) {
  bool access = in->reg_we || in->reg_re;
  write_own(s);
  s->late = bus->late;
  s->newest++;
  s->under_way = (s->under_way << 1 & loom_mask(s->ports + ANSWER_CYCLES + 1)) | access;
  if (access)
    *access_at(s, 0) = (struct loom_chassis_access){
        .we = in->reg_we,
        .re = in->reg_re,
        .addr = in->reg_addr,
        .data = in->reg_we ? in->reg_wdata : 0,
    };
}
