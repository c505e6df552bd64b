/* SPDX-License-Identifier: Apache-2.0 */
/* switch_output.c - the output units of a switch: scheduler, credits of the far end, link; written
 * from docs/switch.md
 *
 * Inside: ib_switch, opa_switch, kns_node, and kns_switch. */
#include "switch/switch.h"

enum { OUT = LOOM_SWITCH_OUT, SETTLE = 2 };

/* ---- heads ----------------------------------------------------------------------------------- */

/* Whether the head of a lane waits for credits, in this cycle. */
static void set_stalled(struct loom_switch *s, struct loom_switch_output *u, uint32_t lane,
                        bool stalled) {
  uint32_t bit = 1u << lane;
  if (stalled == ((u->stalled & bit) != 0))
    return;
  u->stalled ^= bit;
  if (stalled)
    u->stalled_since[lane] = s->now;
  else
    u->stalls[lane] += (uint32_t)(s->now - u->stalled_since[lane]);
}

/* Looks at the lanes whose head or credits have changed; with `keep` the snapshot is not taken in
 * this cycle. */
static void look_at_heads(struct loom_switch *s, uint32_t port, bool keep) {
  struct loom_switch_output *u = &s->output[port];
  const struct loom_packet_queues *q = &s->buffer[OUT][port];
  for (uint32_t set = u->dirty; set; set &= set - 1) {
    uint32_t lane = loom_ctz(set), size = 0, sl = 0;
    uint32_t avail = loom_credit_tracker_avail(&u->far, lane);
    bool valid = q->head_valid >> lane & 1;
    if (valid) {
      const struct loom_packet *head = loom_packet_queues_head(q, lane);
      size = loom_packet_units(head->len);
      sl = loom_route_unpack(head->info).sl;
    }
    set_stalled(s, u, lane, size > avail);
    if (!keep)
      loom_sched_snap(&loom_switch_scheduler(s, port)->front, lane, valid, size, sl, avail);
  }
  if (!keep)
    u->dirty = 0;
}

/* ---- control --------------------------------------------------------------------------------- */

/* The edge of the credits at the far end; true if the granted packet may go. What credits bring can
 * only help lanes that are not eligible. */
static bool far_edge(struct loom_switch *s, uint32_t port, bool granted, uint32_t vl,
                     uint32_t size) {
  struct loom_switch_output *u = &s->output[port];
  if (!(granted | ((s->far_written | s->credits) >> port & 1)))
    return false;
  const struct loom_credit_tracker_in in = {
      .cfg_we = s->far_written >> port & 1,
      .cfg_addr = s->reg.addr & 127u,
      .cfg_data = s->reg.wdata,
      .consume_valid = granted,
      .consume_vl = vl,
      .consume_size = size,
      .return_valid = s->credits >> port & 1,
      .return_vl = u->cr_lane,
  };
  bool ok = loom_credit_tracker_cycle(&u->far, &in);
  s->far_error |= (loom_ports)u->far.error << port;
  s->port[port].counter[LOOM_SWITCH_GRANTS_LOST] += granted && !ok;
  u->dirty |= s->buffer[OUT][port].head_valid;
  if (!(in.cfg_we | in.consume_valid))
    u->dirty &= ~loom_switch_front(s, port)->elig;
  return ok;
}

/* A credit for an output whose control sleeps. */
static void credit_edge(struct loom_switch *s, uint32_t port) {
  struct loom_switch_output *u = &s->output[port];
  if (u->far.used_mask >> u->cr_lane & 1)
    loom_credit_tracker_give_back(&u->far, u->cr_lane);
  else
    s->far_error |= 1ull << port;
  uint32_t heads = s->buffer[OUT][port].head_valid;
  u->dirty = heads ? heads & ~loom_switch_front(s, port)->elig : 0;
  if (u->dirty)
    s->awake |= 1ull << port;
}

/* The granted packet leaves its queue, to be sent now or after the one that is. */
static void take_packet(struct loom_switch *s, uint32_t port, uint32_t lane) {
  const struct loom_packet_queues *q = &s->buffer[OUT][port];
  const struct loom_packet *packet = loom_packet_queues_head(q, lane);
  uint32_t len = packet->len, sl = loom_route_unpack(packet->info).sl;
  s->port[port].granted = (struct loom_switch_add){(uint8_t)lane, (uint16_t)len};
  s->port[port].granted_by_sl = (struct loom_switch_add){(uint8_t)sl, (uint16_t)len};
  s->counted_out |= 1ull << port;
  loom_switch_take(s, OUT, port, lane);
  s->reading[OUT] |= 1ull << port;
  s->output[port].dirty |= 1u << lane;
}

/* Scheduler, credits and take, as in sched_port. */
static void control_edge(struct loom_switch *s, uint32_t port,
                         const struct loom_sched_policy *policy) {
  struct loom_switch_output *u = &s->output[port];
  struct loom_packet_queues *q = &s->buffer[OUT][port];
  struct loom_sched_front *front = &loom_switch_scheduler(s, port)->front;
  bool granted = front->grant_valid;
  uint32_t vl = front->grant_vl, size = front->grant_size;
  bool request = loom_packet_queues_take_ready(q, loom_switch_reader(s, OUT, port)) && !u->hold &&
                 !granted && u->settle == 0;

  u->settle = granted ? SETTLE : u->settle ? (uint8_t)(u->settle - 1) : 0;
  bool keep = loom_sched_phase_edge(front, policy, request);
  if (front->grant_valid && front->grant_vl != front->mgmt_vl)
    loom_sched_count(&u->grants, loom_sched_data_vls(front));
  look_at_heads(s, port, keep);
  bool take = far_edge(s, port, granted, vl, size);
  u->dirty |= q->loading;
  loom_packet_queues_load(q);
  if (take)
    take_packet(s, port, vl);
}

/* The control can do something in the next cycle even if nothing comes in. */
static bool stays_awake(const struct loom_switch *s, uint32_t port,
                        const struct loom_sched_policy *policy) {
  const struct loom_switch_output *u = &s->output[port];
  const struct loom_packet_queues *q = &s->buffer[OUT][port];
  const struct loom_sched_front *front = loom_switch_front(s, port);
  if (front->phase || front->grant_valid || u->settle || u->dirty || q->loading)
    return true;
  return loom_packet_queues_take_ready(q, &s->reader[LOOM_SWITCH_BUFFER(OUT, port)]) && !u->hold &&
         (front->elig || !loom_switch_sched_settled(policy, front));
}

/* ---- link ------------------------------------------------------------------------------------ */

/* The last flit of a packet is sent. */
static void packet_edge(struct loom_switch *s, uint32_t port) {
  loom_ports bit = 1ull << port;
  loom_switch_finish(s, OUT, port);
  s->shown_tail |= bit;
  s->awake |= bit;
  if (!loom_switch_reader(s, OUT, port)->active)
    s->reading[OUT] &= ~bit;
}

/* The run of a reader is over. */
static void run_edge(struct loom_switch *s, uint32_t port) {
  struct loom_packet_reader *r = loom_switch_reader(s, OUT, port);
  if (r->left == LOOM_SWITCH_EARLY) /* from now on a take would be accepted */
    s->awake |= 1ull << port;
  if (r->at % LOOM_UNIT_FLITS == 0 || !r->left) {
    uint32_t cell = (r->at - 1) / LOOM_UNIT_FLITS;
    r->at = loom_switch_cells_drop(&s->cells, cell) * LOOM_UNIT_FLITS;
    loom_switch_give_back(s, OUT, port);
  }
  if (r->left)
    loom_switch_begin_run(r, OUT);
  else
    packet_edge(s, port);
}

/* The links out of those that send a flit in this cycle; tails are not known yet. */
static void show_flits(struct loom_switch *s, loom_ports now) {
  s->shown_out = now;
  s->shown_head = now & s->heads;
  s->shown_tail = 0;
  s->heads &= ~now;
  for (loom_ports set = s->shown_head; set; set &= set - 1) {
    uint32_t port = loom_ctz(set);
    s->shown.vl[port] = s->vl_of[loom_switch_reader(s, OUT, port)->vl]; /* to its end */
  }
}

/* Every output with a packet sends a flit, if there is one. */
static void read_flits(struct loom_switch *s) {
  const uint64_t *flit = s->cells.flit;
  uint16_t *there = s->there;
  loom_ports now = 0, ends = 0;
  for (loom_ports set = s->reading[OUT]; set; set &= set - 1) {
    uint32_t port = loom_ctz(set);
    struct loom_packet_reader *r = loom_switch_reader(s, OUT, port);
    uint32_t from = r->from;
    if (!there[from])
      continue;
    there[from]--;
    now |= set & -set;
    s->shown.data[port] = flit[r->at++];
    if (--r->run == 0)
      ends |= set & -set;
  }
  show_flits(s, now);
  for (loom_ports set = ends; set; set &= set - 1)
    run_edge(s, loom_ctz(set));
}

/* Controls of outputs, before flits are read. */
static void control_edges(struct loom_switch *s, loom_ports awake) {
  const struct loom_sched_policy *policy = loom_switch_policy(s->sched);
  for (loom_ports set = awake; set; set &= set - 1)
    control_edge(s, loom_ctz(set), policy);
}

/* Which of them stay awake, after that; the others were woken again meanwhile. */
static void rest(struct loom_switch *s, loom_ports awake) {
  const struct loom_sched_policy *policy = loom_switch_policy(s->sched);
  for (loom_ports set = awake & ~s->awake; set; set &= set - 1)
    if (stays_awake(s, loom_ctz(set), policy))
      s->awake |= set & -set;
}

void loom_switch_outputs(struct loom_switch *s) {
  loom_ports awake = s->awake;
  s->awake = 0;
  for (loom_ports set = s->credits & ~awake; set; set &= set - 1)
    credit_edge(s, loom_ctz(set));
  if (awake)
    control_edges(s, awake);
  if (s->reading[OUT] | s->shown_out)
    read_flits(s);
  if (awake)
    rest(s, awake);
}
