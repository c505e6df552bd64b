/* SPDX-License-Identifier: Apache-2.0 */
/* nic.c - a sched_port for packets whose words are known (docs/fabric.md, docs/sched_port.md)
 *
 * An edge goes from the outputs back to the inputs, as in the twin of sched_port, so that each
 * piece still sees the registers of the pieces before it as they are before the edge. */
#include "fabric/nic.h"

#include "fabric/packet_words.h"

#include <string.h>

enum { SIZE_W = 10, CREDIT_W = 12, EARLY = 8, SETTLE = 2 };
enum { NO_PLACE = UINT16_MAX };

/* ---- init ------------------------------------------------------------------------------------ */

size_t loom_nic_storage_size(const struct loom_sched_port_cfg *cfg) {
  return cfg->CELLS * sizeof(struct loom_nic_packet);
}

static void init_trackers(struct loom_nic *s, const struct loom_sched_port_cfg *cfg) {
  const struct loom_credit_tracker_cfg room = {.VLS = cfg->VLS,
                                               .COUNT_W = loom_max(4, loom_clog2(cfg->CELLS + 1)),
                                               .SIZE_W = SIZE_W,
                                               .UNITS = cfg->CELLS,
                                               .MAX_UNITS = cfg->CELLS,
                                               .RESERVED = cfg->RESERVED};
  const struct loom_credit_tracker_cfg far = {.VLS = cfg->VLS,
                                              .COUNT_W = CREDIT_W,
                                              .SIZE_W = SIZE_W,
                                              .UNITS = cfg->REMOTE_UNITS,
                                              .MAX_UNITS = cfg->REMOTE_UNITS,
                                              .RESERVED = cfg->REMOTE_RESERVED};
  loom_credit_tracker_init(&s->room, &room);
  loom_credit_tracker_init(&s->far, &far);
}

void loom_nic_init(struct loom_nic *s, const struct loom_sched_port_cfg *cfg, bool whole,
                   void *storage) {
  const struct loom_switch_sched_cfg scheduler = {.VLS = cfg->VLS,
                                                  .KEYS = cfg->KEYS,
                                                  .ARB_KEY = cfg->ARB_KEY,
                                                  .MGMT_VL = cfg->MGMT_VL,
                                                  .ENTRIES = cfg->ENTRIES,
                                                  .IB_WEIGHTS = cfg->IB_WEIGHTS,
                                                  .N_HIGH = cfg->N_HIGH,
                                                  .N_LOW = cfg->N_LOW};
  memset(s, 0, sizeof *s);
  s->quiet = true;
  s->whole = whole;
  s->free_at = NO_PLACE;
  s->vls = cfg->VLS;
  s->packet = storage;
  for (uint32_t sc = 0; sc < 32; sc++)
    s->sc2sl[sc] = (uint8_t)sc;
  init_trackers(s, cfg);
  s->policy = loom_switch_policy(cfg->SCHED);
  loom_switch_sched_init(&s->scheduler, cfg->SCHED, &scheduler);
}

static void configure(struct loom_credit_tracker *t, uint32_t addr, uint32_t data) {
  const struct loom_credit_tracker_in in = {.cfg_we = 1, .cfg_addr = addr, .cfg_data = data};
  loom_credit_tracker_cycle(t, &in);
}

void loom_nic_write(struct loom_nic *s, uint32_t addr, uint32_t data) {
  s->quiet = false;
  if (addr == LOOM_PORT_REG_CONTROL)
    s->hold = data & 1;
  else if (addr >= LOOM_PORT_REG_SC2SL && addr - LOOM_PORT_REG_SC2SL < 32)
    s->sc2sl[addr - LOOM_PORT_REG_SC2SL] = data & 31;
  else if (addr >= LOOM_PORT_REG_BUFFER && addr - LOOM_PORT_REG_BUFFER < LOOM_PORT_REG_BUFFER_WORDS)
    configure(&s->room, addr - LOOM_PORT_REG_BUFFER, data & s->room.count_mask);
  else if (addr >= LOOM_PORT_REG_TRACKER &&
           addr - LOOM_PORT_REG_TRACKER < LOOM_PORT_REG_TRACKER_WORDS)
    configure(&s->far, addr - LOOM_PORT_REG_TRACKER, data & s->far.count_mask);
  else if (addr >= LOOM_PORT_REG_TABLE && addr - LOOM_PORT_REG_TABLE < LOOM_PORT_REG_TABLE_WORDS &&
           s->policy->table_write)
    s->policy->table_write(&s->scheduler.front, addr - LOOM_PORT_REG_TABLE, data);
}

/* ---- places of packets ----------------------------------------------------------------------- */

static uint16_t take_place(struct loom_nic *s) {
  uint16_t at = s->free_at;
  if (at == NO_PLACE)
    return s->fresh++;
  s->free_at = s->packet[at].next;
  return at;
}

static void give_place(struct loom_nic *s, uint16_t at) {
  s->packet[at].next = s->free_at;
  s->free_at = at;
}

void loom_nic_begin(struct loom_nic *s, const struct loom_nic_packet *packet) {
  s->line_at = take_place(s);
  s->line_left = packet->len;
  s->packet[s->line_at] = *packet;
  s->packet[s->line_at].sl = s->sc2sl[LOOM_GET(LOOM_HEAD_SC, packet->head)];
  s->quiet = false;
}

/* ---- scheduler ------------------------------------------------------------------------------- */

static void snapshot(struct loom_nic *s) {
  for (; s->dirty; s->dirty &= s->dirty - 1) {
    uint32_t vl = loom_ctz(s->dirty);
    bool valid = s->head_valid >> vl & 1;
    loom_sched_snap(&s->scheduler.front, vl, valid, loom_nic_head_size(s, vl),
                    valid ? s->packet[s->queue[vl].first].sl : 0,
                    loom_credit_tracker_avail(&s->far, vl));
  }
}

static void scheduler_edge(struct loom_nic *s, bool granted) {
  struct loom_sched_front *front = &s->scheduler.front;
  bool request =
      !s->pending && (!s->active || s->left <= EARLY) && !s->hold && !granted && s->settle == 0;
  bool keep = false;
  s->settle = granted ? SETTLE : s->settle ? (uint8_t)(s->settle - 1) : 0;
  if (request || s->deciding) {
    keep = loom_sched_phase_edge(front, s->policy, request);
    s->deciding = front->phase || front->grant_valid;
  }
  if (s->dirty && !keep)
    snapshot(s);
}

/* True if the granted packet may go. */
static bool credits_edge(struct loom_nic *s, bool granted, uint32_t vl, uint32_t size) {
  bool returned = s->cr_valid && s->far.used_mask >> s->cr_vl & 1;
  bool ok = granted && loom_credit_tracker_consume(&s->far, vl, size);
  if (returned)
    loom_credit_tracker_give_back(&s->far, s->cr_vl);
  if (granted || s->cr_valid)
    s->dirty |= s->head_valid;
  return ok;
}

/* ---- buffer ---------------------------------------------------------------------------------- */

static void free_unit(struct loom_nic *s) {
  s->free_valid = true;
  s->free_vl = s->active_vl;
}

static void read_flit(struct loom_nic *s) {
  const struct loom_nic_packet *p = &s->now;
  uint32_t place = p->len - (uint32_t)s->left;
  uint16_t count = --s->queue[s->active_vl].count;
  s->left--;
  s->rd =
      (struct loom_nic_flit){.data = place ? loom_packet_flit(p->key, p->offset, place) : p->head,
                             .valid = true,
                             .head = place == 0,
                             .tail = s->left == 0,
                             .vl = s->active_vl,
                             .offset = p->offset,
                             .key = p->key};
  if (s->left == 0) {
    free_unit(s);
    give_place(s, s->active_at);
    s->active = false;
  } else if (place % LOOM_UNIT_FLITS == LOOM_UNIT_FLITS - 1) {
    s->known = count != 0; /* the next flit is already in */
    if (s->known)
      free_unit(s);
  }
}

static void read_side(struct loom_nic *s) {
  if (s->active && s->queue[s->active_vl].count) {
    if (s->known) {
      read_flit(s);
    } else {
      s->known = true;
      free_unit(s);
    }
  }
  if (!s->active && s->pending) {
    s->active = true;
    s->known = true;
    s->active_at = s->pending_at;
    s->now = s->packet[s->active_at];
    s->active_vl = s->now.vl;
    s->left = s->now.len;
    s->pending = false;
  }
}

static void take(struct loom_nic *s, uint32_t vl) {
  s->pending = true;
  s->pending_at = s->queue[vl].first;
  s->head_valid &= ~(1u << vl);
  if (--s->queue[vl].waiting == 0)
    return;
  s->loading = true;
  s->loading_vl = (uint8_t)vl;
  s->queue[vl].first = s->packet[s->pending_at].next;
}

/* The packet on the line waits from now on. */
static void enqueue(struct loom_nic *s, uint32_t vl) {
  const struct loom_nic_packet *p = &s->packet[s->line_at];
  loom_credit_tracker_consume(&s->room, vl, (p->len + (LOOM_UNIT_FLITS - 1u)) / LOOM_UNIT_FLITS);
  if (s->queue[vl].waiting++) {
    s->packet[s->queue[vl].last].next = s->line_at;
  } else {
    s->queue[vl].first = s->line_at;
    s->head_valid |= 1u << vl;
  }
  s->queue[vl].last = s->line_at;
}

/* A unit that the read side has freed is given back at the same edge. */
static void write_side(struct loom_nic *s) {
  if (s->in_flits) {
    if (s->in_head)
      enqueue(s, s->in_vl);
    s->queue[s->in_vl].count = (uint16_t)(s->queue[s->in_vl].count + s->in_flits);
  }
  if (s->free_valid)
    loom_credit_tracker_give_back(&s->room, s->free_vl);
}

static void buffer_edge(struct loom_nic *s, bool taken, uint32_t taken_vl) {
  bool loaded = s->loading;
  uint32_t loaded_vl = s->loading_vl;
  uint32_t before = s->head_valid;
  s->loading = s->free_valid = false;
  s->rd = (struct loom_nic_flit){0};
  read_side(s);
  if (taken)
    take(s, taken_vl);
  write_side(s);
  if (loaded)
    s->head_valid |= 1u << loaded_vl;
  s->dirty |= before ^ s->head_valid;
}

/* ---- edge ------------------------------------------------------------------------------------ */

static void input_edge(struct loom_nic *s, bool credit, uint32_t credit_vl) {
  s->in_head = false;
  s->in_flits = 0;
  if (s->line_left) {
    const struct loom_nic_packet *p = &s->packet[s->line_at];
    s->in_head = s->line_left == p->len;
    s->in_flits = s->whole ? p->len : 1;
    s->in_vl = p->vl;
    s->line_left = (uint16_t)(s->line_left - s->in_flits);
  }
  s->cr_valid = credit;
  s->cr_vl = (uint8_t)credit_vl;
}

static bool is_quiet(const struct loom_nic *s) {
  const struct loom_sched_front *front = &s->scheduler.front;
  if (s->out.valid || s->rd.valid || s->in_flits || s->active || s->cr_valid || s->line_left ||
      s->pending || s->loading || s->free_valid || s->settle || s->dirty || s->deciding)
    return false;
  return s->hold || (!front->elig && loom_switch_sched_settled(s->policy, front));
}

/* In the middle of a packet, and nothing else is going on. */
static inline bool streams(const struct loom_nic *s) {
  return s->active && s->known && s->left > EARLY &&
         !(s->cr_valid | s->settle | s->pending | s->loading | s->deciding | s->dirty |
           s->line_left | s->in_flits) &&
         s->queue[s->active_vl].count;
}

static bool is_middle(const struct loom_nic_flit *f) { return f->valid && !f->head && !f->tail; }

uint32_t loom_nic_steady(const struct loom_nic *s) {
  uint32_t inside = s->queue[s->active_vl].count;
  if (!streams(s) || !is_middle(&s->out) || !is_middle(&s->rd) || inside < s->left)
    return 0;
  return (uint32_t)s->left - EARLY;
}

uint32_t loom_nic_frees(const struct loom_nic *s) {
  return LOOM_UNIT_FLITS - ((uint32_t)s->now.len - s->left) % LOOM_UNIT_FLITS;
}

void loom_nic_pass(struct loom_nic *s, uint32_t cycles) {
  uint32_t place = (uint32_t)s->now.len - s->left, end = place + cycles;
  if (!cycles)
    return;
  s->left = (uint16_t)(s->left - cycles);
  s->queue[s->active_vl].count = (uint16_t)(s->queue[s->active_vl].count - cycles);
  for (uint32_t unit = place / LOOM_UNIT_FLITS; unit < end / LOOM_UNIT_FLITS; unit++)
    loom_credit_tracker_give_back(&s->room, s->active_vl);
  s->free_valid = false;
  if (end % LOOM_UNIT_FLITS == 0)
    free_unit(s);
}

void loom_nic_edge(struct loom_nic *s, bool credit, uint32_t credit_vl) {
  if (!credit && s->quiet)
    return;
  if (!credit && streams(s)) {
    s->out = s->rd;
    s->free_valid = false;
    read_flit(s);
    if (s->free_valid)
      loom_credit_tracker_give_back(&s->room, s->free_vl);
    return;
  }
  const struct loom_sched_front *front = &s->scheduler.front;
  bool granted = s->deciding && front->grant_valid;
  uint32_t vl = granted ? front->grant_vl : 0, size = granted ? front->grant_size : 0;
  s->out = s->rd;
  scheduler_edge(s, granted);
  bool taken = credits_edge(s, granted, vl, size);
  buffer_edge(s, taken, vl);
  input_edge(s, credit, credit_vl);
  s->quiet = is_quiet(s);
}
