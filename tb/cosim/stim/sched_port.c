/* SPDX-License-Identifier: Apache-2.0 */
/* sched_port.c - traffic for sched_port: a sender on the link in, a receiver on the link out, a bus
 *
 * Random: packets of every length that interleave, senders that obey credits or not, a far end that
 * gives credits back at once, slowly or not at all, tables and limits written while running.
 * Fixture: every flow is kept backlogged; the port holds until all are there, then what leaves on
 * the link is counted. Packet stream: as the .pkt file says.
 */
#include "sched/sched_port.h"
#include <loom/head.h>

#include "tb/cosim/sched_traffic.h"
#include "tb/ends/credits.h"

#include <inttypes.h>
#include <string.h>

#define DUT_NAME sched_port
#define DUT_LIST "sched/sched_port.def"
#include "tb/cosim/dut.h"

enum { UNIT = LOOM_UNIT_FLITS, LONGEST = 4095 };

/* A packet on its way in. */
struct sending {
  uint32_t length, left; /* flits */
  uint32_t sc, dest, id;
  bool no_tail;
};

struct state {
  struct rng rng;
  struct loom_sched_port_cfg cfg;
  const struct sched_kind *kind;
  union {
    sched_cfg common;
    struct loom_sched_rr_cfg rr;
    struct loom_sched_sbt_cfg sbt;
    struct loom_sched_dtable_cfg dtable;
    struct loom_sched_ibarb_cfg ibarb;
  } sched;
  const struct scenario *sc;
  struct table_write write[SCHED_WRITES]; /* on the bus, in order */
  uint32_t writes, written;
  struct sending sending[32];
  uint32_t vl, next_id;
  uint32_t outside[32]; /* units of each VL sent and not yet given back */
  struct end_receiver receiver;
  /* Random phases; chances in 256. */
  uint32_t load, weave, obey, give, bus, longest, live, broken;
  uint64_t phase_end;
  /* Fixture: packets to keep inside of each VL, and those still to come of counted flows. */
  uint32_t target[32], size[32], to_come[32];
  bool counted[32], released;
  const struct loom_published_flow *flow[32];
  uint32_t begun[32]; /* packets of a flow */
  /* Packet stream. */
  size_t next_packet, next_write;
  /* What the circuit has done. */
  uint64_t packets, flits, first_flit, last_flit;
  char wrong[128];
};

/* ---- setting up ------------------------------------------------------------------------------ */

static void set_kind(struct state *s) {
  static const struct sched_kind *const kinds[] = {&sched_rr_kind, &sched_sbt_kind,
                                                   &sched_dtable_kind, &sched_ibarb_kind};
  const struct loom_sched_port_cfg *c = &s->cfg;
  const sched_cfg common = {.VLS = c->VLS,
                            .KEYS = c->KEYS,
                            .ARB_KEY = c->ARB_KEY,
                            .MGMT_VL = c->MGMT_VL,
                            .SIZE_W = 10,
                            .CREDIT_W = 12};
  s->kind = kinds[c->SCHED];
  s->sched.common = common;
  if (c->SCHED == LOOM_PORT_DTABLE) {
    s->sched.dtable.ENTRIES = c->ENTRIES;
    s->sched.dtable.IB_WEIGHTS = c->IB_WEIGHTS;
  } else if (c->SCHED == LOOM_PORT_IBARB) {
    s->sched.ibarb.N_HIGH = c->N_HIGH;
    s->sched.ibarb.N_LOW = c->N_LOW;
  }
}

/* How many packets of each flow fit, all flows together, beside what unused VLs have reserved. */
static void set_targets(struct state *s) {
  const struct loom_published_case *c = s->sc->c;
  uint32_t room = s->cfg.CELLS - s->cfg.RESERVED * s->cfg.VLS, round = 0;
  for (uint32_t i = 0; i < c->flow_count; i++) {
    uint32_t v = c->flow[i].vl;
    s->flow[v] = &c->flow[i];
    s->size[v] = c->flow[i].size;
    s->counted[v] = c->flow[i].count > 0;
    s->to_come[v] = c->flow[i].count;
    if (s->counted[v])
      room -= loom_min(room, c->flow[i].count * c->flow[i].size);
    else
      round += c->flow[i].size;
  }
  for (uint32_t i = 0; i < c->flow_count; i++)
    s->target[c->flow[i].vl] = c->flow[i].count ? c->flow[i].count
                               : round          ? loom_min(room / round, 32)
                                                : 0;
}

static void add_write(struct state *s, uint32_t addr, uint32_t data) {
  s->write[s->writes++] = (struct table_write){addr, data};
}

static void table_to_bus(struct state *s, uint32_t first) {
  for (uint32_t i = first; i < s->writes; i++)
    s->write[i].addr += LOOM_PORT_REG_TABLE;
}

static void init(void *st, struct rng *rng, const void *cfg, const struct scenario *sc) {
  struct state *s = st;
  s->rng = *rng;
  s->cfg = *(const struct loom_sched_port_cfg *)cfg;
  s->sc = sc;
  set_kind(s);
  if (sc && sc->c) {
    add_write(s, LOOM_PORT_REG_CONTROL, 1);
    s->writes += sched_table_writes(sc, s->write + 1);
    table_to_bus(s, 1);
    set_targets(s);
  } else if (!sc) {
    s->writes = s->kind->whole_table(&s->rng, &s->sched, s->write);
    table_to_bus(s, 0);
  }
}

/* ---- the sender ------------------------------------------------------------------------------ */

static void begin(struct state *s, uint32_t vl, const struct sending *p) {
  s->vl = vl;
  s->sending[vl] = *p;
  s->sending[vl].left = p->length;
  s->outside[vl] += end_units(p->length);
}

static void put_flit(struct state *s, uint32_t vl, struct loom_sched_port_in *i) {
  struct sending *p = &s->sending[vl];
  i->in_valid = 1;
  i->in_vl = vl;
  i->in_head = p->left == p->length;
  i->in_tail = p->left == 1 && !p->no_tail;
  i->in_data = i->in_head ? end_head(p->sc, p->length, p->dest, vl, p->id) : rng_next(&s->rng);
  p->left--;
}

/* The flow that is furthest from being backlogged begins a packet. */
static void published_packet(struct state *s) {
  uint32_t best = 32, most = 0;
  for (uint32_t v = 0; v < s->cfg.VLS; v++) {
    if (!s->size[v] || (s->counted[v] && !s->to_come[v]))
      continue;
    uint32_t inside = s->outside[v] / s->size[v];
    if (inside < s->target[v] && s->target[v] - inside > most) {
      most = s->target[v] - inside;
      best = v;
    }
  }
  if (best == 32)
    return;
  struct sending p = {.length = s->size[best] * UNIT,
                      .sc = s->flow[best]->sl[s->begun[best]++ % s->flow[best]->sl_count],
                      .dest = best,
                      .id = s->next_id++ & (LOOM_PACKET_IDS - 1)};
  if (s->counted[best])
    s->to_come[best]--;
  begin(s, best, &p);
}

/* Mostly an SL that the table serves: others stand in the way of their VL for good. */
static uint32_t random_sc(struct state *s, uint32_t vl) {
  if (rng_chance(&s->rng, 1))
    return rng_below(&s->rng, 32);
  if (s->cfg.SCHED < LOOM_PORT_DTABLE || !s->writes)
    return vl * 5 % s->cfg.KEYS;
  return s->write[rng_below(&s->rng, s->writes)].data >> 8 & 31;
}

static void random_packet(struct state *s, uint32_t vl) {
  uint32_t longest = rng_chance(&s->rng, 1) ? LONGEST : s->longest;
  struct sending p = {.length = rng_range(&s->rng, 1, longest),
                      .sc = random_sc(s, vl),
                      .dest = rng_below(&s->rng, 65536),
                      .id = s->next_id++ & (LOOM_PACKET_IDS - 1),
                      .no_tail = rng_chance(&s->rng, s->broken)};
  uint32_t share = s->cfg.RESERVED + (s->cfg.CELLS - s->cfg.VLS * s->cfg.RESERVED) / s->cfg.VLS;
  if (s->outside[vl] && s->outside[vl] + end_units(p.length) > share &&
      rng_chance(&s->rng, s->obey))
    return;
  begin(s, vl, &p);
}

static void stream_packet(struct state *s, uint64_t cycle) {
  const struct pkt_file *f = &s->sc->pkt;
  if (s->next_packet == f->packets || f->packet[s->next_packet].cycle > cycle)
    return;
  const struct pkt_packet *k = &f->packet[s->next_packet++];
  struct sending p = {
      .length = k->length, .sc = k->sc, .dest = k->dest, .id = k->id, .no_tail = k->no_tail};
  begin(s, k->vl, &p);
}

/* Where to go on: often a packet that is half sent, else any VL. */
static uint32_t other_vl(struct state *s) {
  uint32_t v = rng_below(&s->rng, s->live), start = rng_below(&s->rng, 32);
  if (rng_chance(&s->rng, 64))
    return v;
  for (uint32_t k = 0; k < 32; k++)
    if (s->sending[(start + k) & 31].left)
      return (start + k) & 31;
  return v;
}

static void send(struct state *s, uint64_t cycle, struct loom_sched_port_in *i) {
  bool random = !s->sc;
  if (random && !rng_chance(&s->rng, s->load))
    return;
  if (random && (rng_chance(&s->rng, s->weave) || s->sending[s->vl].left == 0))
    s->vl = other_vl(s);
  if (s->sending[s->vl].left == 0) {
    if (random)
      random_packet(s, s->vl);
    else if (s->sc->packets)
      stream_packet(s, cycle);
    else
      published_packet(s);
  }
  if (s->sending[s->vl].left)
    put_flit(s, s->vl, i);
  if (random && rng_chance(&s->rng, s->broken)) {
    i->in_vl = rng_below(&s->rng, 32);
    i->in_head ^= rng_below(&s->rng, 2);
  }
}

/* ---- the far end and the bus ----------------------------------------------------------------- */

static void receive(struct state *s, const struct loom_sched_port_out *o) {
  if (o->out_valid)
    end_receive(&s->receiver, (uint32_t)o->out_vl, o->out_tail);
  if (o->in_cr_valid && s->outside[o->in_cr_vl])
    s->outside[o->in_cr_vl]--;
}

static void give_back(struct state *s, struct loom_sched_port_in *i) {
  if (!s->sc && !rng_chance(&s->rng, s->give))
    return;
  uint32_t start = s->sc ? 0 : rng_below(&s->rng, 32);
  uint32_t vl = end_give(&s->receiver, ~0u, start);
  if (vl == END_NO_LANE && !s->sc && rng_chance(&s->rng, s->broken))
    vl = rng_below(&s->rng, 32); /* a credit that nobody spent */
  if (vl == END_NO_LANE)
    return;
  i->out_cr_valid = 1;
  i->out_cr_vl = vl;
}

/* Limits count only while nothing is inside. Mostly ones that let the traffic go on. */
static void random_limit(struct state *s, struct loom_sched_port_in *i) {
  bool local = rng_chance(&s->rng, 128), cap = rng_chance(&s->rng, 128);
  uint32_t units = local ? s->cfg.CELLS : s->cfg.REMOTE_UNITS;
  i->reg_addr = (uint32_t)(local ? LOOM_PORT_REG_BUFFER : LOOM_PORT_REG_TRACKER) +
                (cap ? 32u : 0u) + rng_below(&s->rng, s->cfg.VLS);
  i->reg_wdata = cap ? rng_range(&s->rng, units / 4, units)
                     : rng_below(&s->rng, 2 * units / (3 * s->cfg.VLS) + 1);
  if (rng_chance(&s->rng, 8))
    i->reg_wdata = rng_below(&s->rng, units + 2);
}

static void random_access(struct state *s, struct loom_sched_port_in *i) {
  static const uint32_t base[] = {LOOM_PORT_REG_CONTROL,
                                  LOOM_PORT_REG_SC2SL,
                                  LOOM_PORT_REG_BUFFER,
                                  LOOM_PORT_REG_TRACKER,
                                  LOOM_PORT_REG_FLITS_IN,
                                  LOOM_PORT_REG_TABLE,
                                  LOOM_PORT_REG_TABLE + LOOM_DTABLE_REG_DEFICIT,
                                  LOOM_PORT_REG_TABLE + LOOM_DTABLE_REG_IB_HIGH};
  uint32_t what = rng_below(&s->rng, 64);
  i->reg_we = 1;
  if (what < 20) {
    struct table_write w = s->kind->some_write(&s->rng, &s->sched);
    i->reg_addr = LOOM_PORT_REG_TABLE + w.addr;
    i->reg_wdata = w.data;
  } else if (what < 23) {
    i->reg_addr = LOOM_PORT_REG_SC2SL + rng_below(&s->rng, 32);
    i->reg_wdata = rng_below(&s->rng, s->cfg.KEYS);
  } else if (what == 23) {
    i->reg_addr = LOOM_PORT_REG_CONTROL;
    i->reg_wdata = rng_chance(&s->rng, 64);
  } else if (what == 24) {
    random_limit(s, i);
  } else if (what == 25) {
    i->reg_addr = rng_below(&s->rng, 4096);
    i->reg_wdata = rng_bits(&s->rng, 32, 128);
    /* Limits have their own line above. */
    i->reg_we = i->reg_addr >= LOOM_PORT_REG_TRACKER + 128 || i->reg_addr < LOOM_PORT_REG_SC2SL;
    i->reg_re = !i->reg_we;
    if (i->reg_addr == LOOM_PORT_REG_CONTROL)
      i->reg_wdata = 0;
  } else {
    i->reg_we = 0;
    i->reg_re = 1;
    i->reg_addr = rng_chance(&s->rng, 32) ? rng_below(&s->rng, 4096)
                  : what < 40 ? LOOM_PORT_REG_TABLE + s->kind->some_read(&s->rng, &s->sched)
                              : base[rng_below(&s->rng, 8)] + rng_below(&s->rng, 32);
  }
}

static bool all_there(const struct state *s) {
  for (uint32_t v = 0; v < s->cfg.VLS; v++)
    if (s->size[v] && (s->outside[v] < s->target[v] * s->size[v] || s->sending[v].left))
      return false;
  return true;
}

static void bus(struct state *s, uint64_t cycle, struct loom_sched_port_in *i) {
  const struct pkt_file *f = s->sc && s->sc->packets ? &s->sc->pkt : NULL;
  if (f && s->next_write < f->writes && f->write[s->next_write].cycle <= cycle) {
    i->reg_we = 1;
    i->reg_addr = f->write[s->next_write].addr;
    i->reg_wdata = f->write[s->next_write++].data;
  } else if (s->written < s->writes) {
    i->reg_we = 1;
    i->reg_addr = s->write[s->written].addr;
    i->reg_wdata = s->write[s->written++].data;
  } else if (!s->sc) {
    if (rng_chance(&s->rng, s->bus))
      random_access(s, i);
  } else if (!f && !s->released && all_there(s)) {
    s->released = true; /* of the control register: 0 */
    i->reg_we = 1;
    i->reg_addr = LOOM_PORT_REG_CONTROL;
  }
}

static void new_phase(struct state *s, uint64_t cycle) {
  static const uint32_t chance[] = {4, 32, 128, 220, 256, 256};
  /* Longer ones than the far end can ever take would block their VL: those are rare. */
  uint32_t most = s->cfg.REMOTE_UNITS - (s->cfg.VLS - 1) * s->cfg.REMOTE_RESERVED;
  most = loom_min(loom_min(most, s->cfg.CELLS / 2) * UNIT, LONGEST);
  const uint32_t longest[] = {1, loom_min(6, most), loom_min(20, most), loom_min(140, most), most};
  s->load = chance[rng_below(&s->rng, 6)];
  s->weave = rng_chance(&s->rng, 128) ? 0 : chance[1 + rng_below(&s->rng, 3)];
  s->obey = rng_chance(&s->rng, 180) ? 256 : 0;
  s->give = chance[rng_below(&s->rng, 6)];
  s->bus = rng_chance(&s->rng, 128) ? 2 : chance[1 + rng_below(&s->rng, 3)];
  s->longest = longest[rng_below(&s->rng, 5)];
  s->live = rng_range(&s->rng, 1, s->cfg.VLS);
  s->broken = rng_chance(&s->rng, 24) ? 6 : 0;
  s->phase_end = cycle + rng_range(&s->rng, 50, 3000);
}

static void next(void *st, uint64_t cycle, const void *out, void *in) {
  struct state *s = st;
  struct loom_sched_port_in *i = in;
  if (!s->sc && cycle >= s->phase_end)
    new_phase(s, cycle);
  receive(s, out);
  give_back(s, i);
  bus(s, cycle, i);
  send(s, cycle, i);
}

/* ---- looking at the circuit ------------------------------------------------------------------ */

static void count_head(struct state *s, const struct loom_sched_port_out *o, struct stats *stats) {
  const struct loom_published_case *c = s->sc->c;
  uint32_t length = LOOM_GET(LOOM_HEAD_LEN, o->out_data);
  uint32_t key = s->cfg.ARB_KEY ? LOOM_GET(LOOM_HEAD_SC, o->out_data) : (uint32_t)o->out_vl;
  stats->has_shares = true;
  stats->amount[key] += c->measure == LOOM_PUBLISHED_CREDITS ? end_units(length) : 1;
  if (s->packets >= c->skip && s->packets < c->skip + c->grant_count &&
      c->grant[s->packets - c->skip] != o->out_vl && !s->wrong[0])
    snprintf(s->wrong, sizeof s->wrong, "packet %" PRIu64 " on VL %u, must be VL %u", s->packets,
             (unsigned)o->out_vl, c->grant[s->packets - c->skip]);
  s->packets++;
}

static void observe(void *st, uint64_t cycle, const void *in, const void *out, const void *probe,
                    struct stats *stats) {
  const struct loom_sched_port_in *i = in;
  const struct loom_sched_port_out *o = out;
  struct state *s = st;
  (void)probe;
  if (i->in_valid && i->in_head) {
    struct packet_note n = {.cycle = cycle,
                            .vl = (uint32_t)i->in_vl,
                            .dest = LOOM_GET(LOOM_HEAD_DEST, i->in_data),
                            .length = LOOM_GET(LOOM_HEAD_LEN, i->in_data),
                            .id = LOOM_GET(LOOM_HEAD_ID, i->in_data)};
    stats->packets++;
    stats_note(stats, &n);
  }
  if (!o->out_valid)
    return;
  stats->grants += o->out_head;
  if (!s->sc || !s->sc->c)
    return;
  if (o->out_head)
    count_head(s, o, stats);
  if (!s->flits)
    s->first_flit = cycle;
  s->flits++;
  s->last_flit = cycle;
}

static bool endless(const struct state *s) {
  for (uint32_t v = 0; v < s->cfg.VLS; v++)
    if (s->counted[v])
      return false;
  return true;
}

static bool verdict(const void *st, const struct stats *stats, char *why, size_t why_size) {
  const struct state *s = st;
  if (!s->sc || !s->sc->c)
    return true;
  const struct loom_published_case *c = s->sc->c;
  if (s->wrong[0]) {
    snprintf(why, why_size, "%s", s->wrong);
    return false;
  }
  if (s->packets < c->skip + c->grant_count || !s->packets) {
    snprintf(why, why_size, "only %" PRIu64 " packets left", s->packets);
    return false;
  }
  /* A unit is 8 flits: there is time to decide after every packet, so the link never pauses. */
  bool may_pass =
      s->sc->published.scheduler == LOOM_PUBLISHED_IBARB && c->mode == LOOM_PUBLISHED_IBARB_DEFICIT;
  if (endless(s) && !may_pass && s->flits != s->last_flit - s->first_flit + 1) {
    snprintf(why, why_size, "%" PRIu64 " flits in %" PRIu64 " cycles: the saturated link pauses",
             s->flits, s->last_flit - s->first_flit + 1);
    return false;
  }
  return sched_shares_ok(s->sc, stats, why, why_size);
}

static const struct stim stim = {.size = sizeof(struct state),
                                 .episode = 20000,
                                 .init = init,
                                 .next = next,
                                 .observe = observe,
                                 .verdict = verdict};
const struct dut sched_port_dut = DUT_INIT(&stim);
