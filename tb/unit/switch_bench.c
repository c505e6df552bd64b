/* SPDX-License-Identifier: Apache-2.0 */
/* switch_bench.c - the bench of switch_bench.h, from docs/switch.md, docs/ib.md and docs/opa.md */
#include <loom/head.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "tb/unit/switch_bench.h"

END_SAME_PORTS(opa_switch);

/* ---- parameters ------------------------------------------------------------------------------ */

#define LOOM_PARAM(NAME, dflt, min, max)                                                           \
  if (strlen(#NAME) == length && memcmp(name, #NAME, length) == 0)                                 \
    return &cfg->NAME;
#include <loom/def_rest.h>

static uint32_t *ib_param(struct loom_ib_switch_cfg *cfg, const char *name, size_t length) {
#include "switch/ib_switch.def"
  return NULL;
}

static uint32_t *opa_param(struct loom_opa_switch_cfg *cfg, const char *name, size_t length) {
#include "switch/opa_switch.def"
  return NULL;
}

#include <loom/def_undef.h>

void set_params(struct loom_ib_switch_cfg *ib, struct loom_opa_switch_cfg *opa,
                const char *params) {
  loom_ib_switch_defaults(ib);
  loom_opa_switch_defaults(opa);
  while (*params) {
    size_t length = strcspn(params, "=");
    uint32_t *a = ib_param(ib, params, length), *b = opa_param(opa, params, length);
    if (!a && !b)
      fail_msg("no switch has a parameter %s", params);
    char *end;
    uint32_t value = (uint32_t)strtoul(params + length + 1, &end, 10);
    if (a)
      *a = value;
    if (b)
      *b = value;
    params = end + strspn(end, " ");
  }
}

uint32_t param(const struct switch_bench *b, const char *name) {
  struct loom_ib_switch_cfg ib = b->ib_cfg;
  struct loom_opa_switch_cfg opa = b->opa_cfg;
  const uint32_t *value =
      b->kind == IB ? ib_param(&ib, name, strlen(name)) : opa_param(&opa, name, strlen(name));
  assert_non_null(value);
  return *value;
}

/* ---- latencies ------------------------------------------------------------------------------- */

bool crosses(const struct switch_bench *b, uint32_t in, uint32_t out) {
  return b->kind == OPA && in / 4 != out / 4; /* OP-03 */
}

uint32_t latency(const struct switch_bench *b, uint32_t in, uint32_t out) {
  uint32_t at = param(b, "ALLOCATION_CYCLES"), x = param(b, "CROSSBAR_CYCLES");
  uint32_t sum = param(b, "ROUTING_CYCLES") + 2 * param(b, "BUFFER_CYCLES") + at + x +
                 param(b, "FLIGHT_CYCLES");
  if (!crosses(b, in, out))
    return sum;
  return sum + at + x + (b->opa_cfg.CENTRAL_SCHED < 4 ? 4 : 0);
}

/* ---- opening --------------------------------------------------------------------------------- */

static void *allocate(size_t size) {
  void *p = malloc(size);
  assert_non_null(p);
  memset(p, 0xA5, size); /* what was never written must not show */
  return p;
}

static void open_twin(struct switch_bench *b) {
  if (b->kind == IB) {
    assert_null(loom_ib_switch_bad_param(&b->ib_cfg));
    assert_true(loom_ib_switch_cfg_ok(&b->ib_cfg));
    b->ib = allocate(sizeof *b->ib);
    b->storage = allocate(loom_ib_switch_storage_size(&b->ib_cfg));
    loom_ib_switch_init(b->ib, &b->ib_cfg, b->storage);
  } else {
    assert_null(loom_opa_switch_bad_param(&b->opa_cfg));
    assert_true(loom_opa_switch_cfg_ok(&b->opa_cfg));
    b->opa = allocate(sizeof *b->opa);
    b->storage = allocate(loom_opa_switch_storage_size(&b->opa_cfg));
    loom_opa_switch_init(b->opa, &b->opa_cfg, b->storage);
  }
}

struct switch_bench *new_bench(enum switch_kind kind, const char *params) {
  struct switch_bench *b = calloc(1, sizeof *b);
  assert_non_null(b);
  b->kind = kind;
  set_params(&b->ib_cfg, &b->opa_cfg, params);
  b->ports = kind == IB ? b->ib_cfg.PORTS : 4 * b->opa_cfg.MPORTS;
  b->centrals = kind == IB ? 0 : 2 * b->opa_cfg.MPORTS;
  b->vls = param(b, "VLS");
  b->credits = 100;
  b->cycle = 1;
  open_twin(b);
  for (uint32_t p = 0; p < b->ports; p++) {
    b->source[p].seed = p;
    b->sink[p].seed = ~p;
    end_account_init(&b->source[p].in, b->vls, 13, param(b, "CELLS_IN"), param(b, "RESERVED_IN"));
    end_account_init(&b->sink[p].in, b->vls, 13, param(b, "REMOTE_UNITS"),
                     param(b, "REMOTE_RESERVED"));
  }
  b->packets = 1; /* number 0 is nobody's */
  b->room = 1024;
  b->packet = calloc(b->room, sizeof *b->packet);
  b->flow = calloc(PORTS_MAX, sizeof *b->flow);
  b->map = calloc(PORTS_MAX, sizeof *b->map);
  assert_true(b->packet && b->flow && b->map);
  for (uint32_t i = 0; i < 32; i++)
    b->sc2vl[i] = b->sc2sl[i] = b->sl2sc[i] = i;
  for (uint32_t i = 0; i < b->vls; i++)
    b->mtu[i] = param(b, "MTU_UNITS");
  return b;
}

/* Each key gets its entry, whatever the scheduler; weights above every packet. */
static void fill_scheduler(struct switch_bench *b, uint32_t window, uint32_t sched) {
  for (uint32_t k = 0; k < param(b, "KEYS"); k++)
    if (sched == 1)
      write_reg(b, window + LOOM_SWITCH_WIN_TABLE + k, 4 + k % 3);
    else if (sched == 2 || sched == 3)
      write_reg(b, window + LOOM_SWITCH_WIN_TABLE + k, k << 8 | 200);
}

struct switch_bench *open_bench(enum switch_kind kind, const char *params) {
  struct switch_bench *b = new_bench(kind, params);
  fill_scheduler(b, LOOM_SWITCH_REG_PORTS + R_ALL, param(b, "SCHED"));
  if (kind == OPA)
    fill_scheduler(b, LOOM_SWITCH_REG_CENTRALS + R_ALL, param(b, "CENTRAL_SCHED"));
  for (uint32_t p = 0; p < b->ports; p++)
    set_lft(b, p, p);
  set_lft_count(b, b->ports);
  cycles(b, 4);
  return b;
}

void close_bench(struct switch_bench *b) {
  free(b->ib);
  free(b->opa);
  free(b->storage);
  free(b->packet);
  free(b->flow);
  free(b->map);
  free(b);
}

/* ---- packets --------------------------------------------------------------------------------- */

/* The source and `id` of the head are the packet's number; the rest by docs/link.md. */
static uint64_t head_flit(const struct packet *p, uint32_t number, uint32_t sc) {
  return end_head(sc, p->len, p->dest, number / LOOM_PACKET_IDS, number);
}

uint64_t raw_head(uint32_t sc, uint32_t len, uint32_t dest) {
  const struct packet p = {.len = len, .dest = dest};
  return head_flit(&p, 0, sc);
}

static uint64_t body_flit(uint32_t number, uint32_t place) {
  return loom_scramble((uint64_t)number << 12 | place);
}

/* The rule of routing of docs/opa.md: the VL, and sc', sl. */
static uint32_t opa_rule(const struct switch_bench *b, uint32_t in, uint32_t sc, struct fate *f) {
  uint32_t mode = b->control & 3;
  f->sc = sc;
  if (sc != 15 && mode == 1)
    f->sc = b->map[in][f->out][sc];
  if (sc != 15 && mode == 2)
    f->sc = b->sl2sc[b->sc2sl[sc]];
  f->sl = b->sc2sl[f->sc];
  if (sc == 15)
    return end_mgmt_lane(b->vls);
  return f->sc == 15 || b->sc2vl[f->sc] == 15 ? END_NO_LANE : end_lane(b->vls, b->sc2vl[f->sc]);
}

/* The rule of routing of docs/ib.md. */
static uint32_t ib_rule(const struct switch_bench *b, uint32_t in, uint32_t vl, uint32_t sc,
                        struct fate *f) {
  f->sc = f->sl = sc;
  if (vl == 15 || !(b->control & 1))
    return end_lane(b->vls, vl);
  uint32_t v = b->map[in][f->out][sc];
  return v == 15 ? END_NO_LANE : end_lane(b->vls, v);
}

struct fate fate_of(const struct switch_bench *b, uint32_t port, uint32_t vl, uint32_t sc,
                    uint32_t dest, uint32_t len) {
  struct fate f = {.cause = GOES};
  if (end_lane(b->vls, vl) == END_NO_LANE || len == 0)
    return (struct fate){.cause = BAD_HEAD};
  if (dest >= b->lft_count || b->lft[dest] >= b->ports)
    return (struct fate){.cause = UNKNOWN};
  f.out = b->lft[dest];
  uint32_t lane = b->kind == IB ? ib_rule(b, port, vl, sc, &f) : opa_rule(b, port, sc, &f);
  if (lane == END_NO_LANE)
    return (struct fate){.cause = NO_VL};
  if (end_units(len) > b->mtu[lane])
    return (struct fate){.cause = TOO_LONG};
  f.vl = end_vl(b->vls, lane);
  return f;
}

uint32_t post_at(struct switch_bench *b, uint64_t when, uint32_t port, uint32_t vl, uint32_t sc,
                 uint32_t dest, uint32_t len) {
  assert_true(port < b->ports && dest < LIDS_MAX && len >= 1 && len < 4096);
  if (b->packets == b->room) {
    b->room *= 2;
    b->packet = realloc(b->packet, b->room * sizeof *b->packet);
    assert_non_null(b->packet);
  }
  uint32_t number = b->packets++;
  struct source *s = &b->source[port];
  b->packet[number] =
      (struct packet){.at = when, .port = port, .vl = vl, .sc = sc, .dest = dest, .len = len};
  if (s->last)
    b->packet[s->last].next = number;
  else
    s->first = number;
  s->last = number;
  return number;
}

uint32_t post(struct switch_bench *b, uint32_t port, uint32_t vl, uint32_t sc, uint32_t dest,
              uint32_t len) {
  return post_at(b, b->cycle, port, vl, sc, dest, len);
}

/* ---- senders --------------------------------------------------------------------------------- */

void raw_flit(struct switch_bench *b, uint32_t port, uint32_t vl, bool head, bool tail,
              uint64_t data) {
  end_put_flit(&b->in, port, head, tail, vl, data);
}

/* The first packet that waits may go: its time has come and there are credits for all of it. */
static bool may_start(struct switch_bench *b, uint32_t port) {
  struct source *s = &b->source[port];
  if (!s->first || b->packet[s->first].at > b->cycle)
    return false;
  const struct packet *p = &b->packet[s->first];
  uint32_t lane = end_lane(b->vls, p->vl);
  if (b->careless >> port & 1 || lane == END_NO_LANE)
    return true;
  return end_send(&s->in, lane, p->len);
}

static void start_packet(struct switch_bench *b, struct source *s) {
  struct packet *p = &b->packet[s->first];
  s->current = s->first;
  s->place = 0;
  s->first = p->next;
  if (!s->first)
    s->last = 0;
  p->sent = b->cycle;
  p->fate = fate_of(b, p->port, p->vl, p->sc, p->dest, p->len);
}

static void feed_port(struct switch_bench *b, uint32_t port) {
  struct source *s = &b->source[port];
  if (b->in.in_valid[port] || (b->pause && loom_chance(&s->seed, b->pause)))
    return;
  if (!s->current && may_start(b, port))
    start_packet(b, s);
  if (!s->current)
    return;
  const struct packet *p = &b->packet[s->current];
  uint64_t data = s->place ? body_flit(s->current, s->place) : head_flit(p, s->current, p->sc);
  raw_flit(b, port, p->vl, s->place == 0, s->place + 1 == p->len, data);
  if (++s->place == p->len)
    s->current = 0;
}

/* ---- receivers ------------------------------------------------------------------------------- */

/* One unit goes back, of a VL drawn by lot. */
static void give_back(struct switch_bench *b, uint32_t port) {
  struct sink *k = &b->sink[port];
  if (b->in.out_cr_valid[port] || b->stopped >> port & 1 || !k->in.used_mask ||
      (b->credits < 100 && !loom_chance(&k->seed, b->credits)))
    return;
  uint32_t lane = end_give(&k->receiver, ~0u, loom_below(&k->seed, b->vls));
  if (lane == END_NO_LANE)
    return;
  end_put_credit(&b->in, port, end_vl(b->vls, lane));
  assert_true(end_credit(&k->in, lane));
}

/* The head of a packet: it must be one that was sent, come for the first time, here, so. */
static void receive_head(struct switch_bench *b, uint32_t port, uint32_t lane) {
  struct sink *k = &b->sink[port];
  uint64_t head = b->out.out_data[port];
  uint32_t number = LOOM_GET(LOOM_HEAD_SRC, head) * LOOM_PACKET_IDS + LOOM_GET(LOOM_HEAD_ID, head);
  assert_int_equal(k->left, 0);
  assert_in_range(number, 1, b->packets - 1);
  struct packet *p = &b->packet[number];
  uint32_t sc = LOOM_GET(LOOM_HEAD_SC, b->out.out_data[port]);
  assert_true(p->sent != 0 && p->seen == 0);
  assert_true(b->out.out_data[port] == head_flit(p, number, sc));
  if (!b->tables_change) {
    assert_int_equal(p->fate.cause, GOES);
    assert_int_equal(port, p->fate.out);
    assert_int_equal(b->out.out_vl[port], p->fate.vl);
    assert_int_equal(sc, p->fate.sc);
  }
  uint32_t *last = &b->flow[p->port][p->dest % FLOWS][p->sc];
  assert_true(b->unordered || *last < number);
  *last = number;
  const struct loom_credit_tracker_in ask = {
      .consume_valid = 1, .consume_vl = lane, .consume_size = end_units(p->len)};
  assert_true(loom_credit_tracker_cycle(&k->in, &ask)); /* OP-08: room for all of it */
  p->head = b->cycle;
  p->out = port;
  p->out_vl = (uint32_t)b->out.out_vl[port];
  k->current = number;
  k->left = p->len;
}

static void receive(struct switch_bench *b, uint32_t port) {
  const struct loom_ib_switch_out *o = &b->out;
  struct sink *k = &b->sink[port];
  if (!o->out_valid[port]) {
    assert_true((o->out_head[port] | o->out_tail[port] | o->out_vl[port] | o->out_data[port]) == 0);
    return;
  }
  uint32_t lane = end_lane(b->vls, (uint32_t)o->out_vl[port]);
  assert_true(lane != END_NO_LANE);
  if (o->out_head[port])
    receive_head(b, port, lane);
  assert_true(k->left > 0);
  struct packet *p = &b->packet[k->current];
  if (p->seen)
    assert_true(o->out_data[port] == body_flit(k->current, p->seen));
  assert_int_equal(o->out_head[port], p->seen == 0);
  assert_int_equal(o->out_tail[port], k->left == 1);
  if (!b->tables_change)
    assert_int_equal(o->out_vl[port], p->fate.vl);
  p->seen++;
  k->left--;
  end_receive(&k->receiver, lane, k->left == 0);
  if (k->left == 0) {
    p->tail = b->cycle;
    b->delivered++;
  }
}

/* A unit of the input buffer is free again. */
static void take_credit(struct switch_bench *b, uint32_t port) {
  uint32_t vl = (uint32_t)b->out.in_cr_vl[port];
  if (!b->out.in_cr_valid[port]) {
    assert_int_equal(vl, 0);
    return;
  }
  uint32_t lane = end_lane(b->vls, vl);
  assert_true(lane != END_NO_LANE);
  if (b->careless >> port & 1)
    return;
  assert_true(end_credit(&b->source[port].in, lane));
}

/* ---- a cycle --------------------------------------------------------------------------------- */

static void step_twin(struct switch_bench *b) {
  if (b->kind == IB) {
    struct loom_ib_switch_probe p;
    loom_ib_switch_probe(b->ib, &p);
    b->probe = (struct loom_opa_switch_probe){
        .granted = p.granted, .targeted = p.targeted, .idle = p.idle};
    loom_ib_switch_step(b->ib, &b->in, &b->out);
    return;
  }
  struct loom_opa_switch_in in;
  struct loom_opa_switch_out out;
  memcpy(&in, &b->in, sizeof in);
  loom_opa_switch_probe(b->opa, &b->probe);
  loom_opa_switch_step(b->opa, &in, &out);
  memcpy(&b->out, &out, sizeof out);
}

static void trace(struct switch_bench *b, uint32_t port) {
  const struct loom_ib_switch_out *o = &b->out;
  uint64_t flags = o->out_valid[port] | o->out_head[port] << 1 | o->out_tail[port] << 2 |
                   o->out_vl[port] << 3 | o->in_cr_valid[port] << 8 | o->in_cr_vl[port] << 9;
  if (flags)
    b->trace[port] = loom_scramble(b->trace[port] ^ b->cycle << 16 ^ flags) ^ o->out_data[port];
}

void feed(struct switch_bench *b) {
  for (uint32_t p = 0; p < b->ports; p++) {
    feed_port(b, p);
    give_back(b, p);
  }
}

void cycle(struct switch_bench *b) {
  feed(b);
  step_twin(b);
  b->central_seen |= b->probe.central_granted;
  for (uint32_t p = 0; p < b->ports; p++) {
    receive(b, p);
    take_credit(b, p);
    trace(b, p);
  }
  for (uint32_t p = b->ports; p < PORTS_MAX; p++)
    assert_true((b->out.out_valid[p] | b->out.in_cr_valid[p] | b->out.out_data[p]) == 0);
  memset(&b->in, 0, sizeof b->in);
  b->cycle++;
}

void cycles(struct switch_bench *b, uint32_t n) {
  while (n--)
    cycle(b);
}

void cycle_until(struct switch_bench *b, uint64_t when) {
  while (b->cycle < when)
    cycle(b);
}

const struct packet *await(struct switch_bench *b, uint32_t number) {
  for (uint32_t i = 0; i < 20000 && !b->packet[number].tail; i++)
    cycle(b);
  if (!b->packet[number].tail)
    fail_msg("packet %u of port %u does not come", number, b->packet[number].port);
  return &b->packet[number];
}

/* ---- the end --------------------------------------------------------------------------------- */

static bool waits(const struct switch_bench *b) {
  for (uint32_t p = 0; p < b->ports; p++)
    if (b->source[p].first || b->source[p].current || b->sink[p].in.used_mask)
      return true;
  return !b->probe.idle;
}

/* A tracker takes a write without an error only if no unit is in use: so all credits are back. */
static void check_trackers(struct switch_bench *b) {
  uint32_t before[PORTS_MAX][2] = {{0}};
  for (uint32_t p = 0; p < b->ports; p++) {
    before[p][0] = read_port(b, p, LOOM_SWITCH_WIN_FAR_ERRORS);
    before[p][1] = read_port(b, p, LOOM_SWITCH_WIN_BUFFER_ERRORS);
  }
  static const uint32_t window[] = {LOOM_SWITCH_WIN_TRACKER_IN, LOOM_SWITCH_WIN_TRACKER_OUT,
                                    LOOM_SWITCH_WIN_TRACKER_FAR};
  static const char *const units[] = {"CELLS_IN", "CELLS_OUT", "REMOTE_UNITS"};
  for (uint32_t i = 0; i < 3; i++)
    write_reg(b, LOOM_SWITCH_REG_PORTS + R_ALL + window[i] + LOOM_TRACKER_REG_TOTAL,
              param(b, units[i]));
  for (uint32_t p = 0; p < b->ports; p++) {
    assert_int_equal(read_port(b, p, LOOM_SWITCH_WIN_FAR_ERRORS), before[p][0]);
    assert_int_equal(read_port(b, p, LOOM_SWITCH_WIN_BUFFER_ERRORS), before[p][1]);
  }
}

void drain(struct switch_bench *b) {
  b->stopped = 0;
  b->credits = b->credits ? b->credits : 100;
  cycles(b, 2); /* idle is of the last edge */
  for (uint32_t i = 0; i < 300000 && waits(b); i++)
    cycle(b);
  cycles(b, 64);
  assert_false(waits(b));
  for (uint32_t n = 1; n < b->packets; n++) {
    const struct packet *p = &b->packet[n];
    if (!b->careless && !b->tables_change)
      assert_int_equal(p->seen, p->fate.cause == GOES ? p->len : 0);
    assert_true(p->seen == 0 || p->seen == p->len);
  }
  for (uint32_t p = 0; p < b->ports; p++)
    assert_int_equal(b->source[p].in.used_mask, 0);
  check_trackers(b);
}

/* ---- registers ------------------------------------------------------------------------------- */

uint32_t port_reg(uint32_t port, uint32_t a) {
  return LOOM_SWITCH_REG_PORTS + LOOM_REG_WINDOW * port + a;
}

uint32_t central_reg(uint32_t buffer, uint32_t a) {
  return LOOM_SWITCH_REG_CENTRALS + LOOM_REG_WINDOW * buffer + a;
}

void write_reg(struct switch_bench *b, uint32_t addr, uint32_t data) {
  end_put_write(&b->in, addr, data);
  cycle(b);
}

void read_regs(struct switch_bench *b, const uint32_t *addr, uint32_t n, uint32_t *data) {
  for (uint32_t i = 0; i < n + 3; i++) {
    if (i < n)
      end_put_read(&b->in, addr[i]);
    cycle(b);
    assert_int_equal(b->out.reg_rvalid, i >= 3);
    if (i >= 3)
      data[i - 3] = (uint32_t)b->out.reg_rdata;
  }
}

uint32_t read_reg(struct switch_bench *b, uint32_t addr) {
  uint32_t data;
  cycles(b, 3); /* so that no other answer is under way */
  read_regs(b, &addr, 1, &data);
  return data;
}

uint32_t read_port(struct switch_bench *b, uint32_t port, uint32_t a) {
  return read_reg(b, port_reg(port, a));
}

void set_lft(struct switch_bench *b, uint32_t lid, uint32_t out) {
  b->lft[lid] = out & 63;
  write_reg(b, LOOM_SWITCH_REG_LFT + lid, out);
}

void set_lft_count(struct switch_bench *b, uint32_t n) {
  b->lft_count = n;
  write_reg(b, LOOM_SWITCH_REG_LFT_COUNT, n);
}

void set_control(struct switch_bench *b, uint32_t control) {
  b->control = control;
  write_reg(b, LOOM_SWITCH_REG_CONTROL, control);
}

void set_map(struct switch_bench *b, uint32_t in, uint32_t out, uint32_t sc, uint32_t value) {
  b->map[in][out][sc] = value & 31;
  write_reg(b, port_reg(in, LOOM_SWITCH_WIN_MAP + 32 * out + sc), value);
}

void set_sc2vl(struct switch_bench *b, uint32_t sc, uint32_t vl) {
  b->sc2vl[sc] = vl & 31;
  write_reg(b, LOOM_OPA_REG_SC2VL + sc, vl);
}

void set_sc2sl(struct switch_bench *b, uint32_t sc, uint32_t sl) {
  b->sc2sl[sc] = sl & 31;
  write_reg(b, LOOM_OPA_REG_SC2SL + sc, sl);
}

void set_sl2sc(struct switch_bench *b, uint32_t sl, uint32_t sc) {
  b->sl2sc[sl] = sc & 31;
  write_reg(b, LOOM_OPA_REG_SL2SC + sl, sc);
}

void set_mtu(struct switch_bench *b, uint32_t lane, uint32_t units) {
  b->mtu[lane] = units & 1023;
  write_reg(b, LOOM_SWITCH_REG_MTU + lane, units);
}

/* ---- counters -------------------------------------------------------------------------------- */

/* What the counters of a port must show: [flits, packets][index]. */
struct expected {
  uint32_t in[2][32], out[2][32], sl[2][32], cause[6];
};

static void expect_packet(const struct switch_bench *b, const struct packet *p,
                          struct expected *e) {
  const struct fate *f = &p->fate;
  e[p->port].cause[f->cause]++;
  uint32_t lane = end_lane(b->vls, p->vl);
  if (f->cause != BAD_HEAD) {
    e[p->port].in[0][lane] += p->len;
    e[p->port].in[1][lane]++;
  }
  if (f->cause != GOES)
    return;
  uint32_t out_lane = end_lane(b->vls, f->vl);
  e[f->out].out[0][out_lane] += p->len;
  e[f->out].out[1][out_lane]++;
  e[f->out].sl[0][f->sl] += p->len;
  e[f->out].sl[1][f->sl]++;
}

static void check_bank(struct switch_bench *b, uint32_t port, uint32_t flits, uint32_t packets,
                       uint32_t (*expected)[32]) {
  uint32_t addr[64], data[64];
  for (uint32_t i = 0; i < 32; i++) {
    addr[i] = port_reg(port, flits + i);
    addr[32 + i] = port_reg(port, packets + i);
  }
  read_regs(b, addr, 64, data);
  assert_memory_equal(data, expected[0], 32 * sizeof *data);
  assert_memory_equal(data + 32, expected[1], 32 * sizeof *data);
}

void check_counters(struct switch_bench *b) {
  struct expected *e = calloc(b->ports, sizeof *e);
  assert_non_null(e);
  for (uint32_t n = 1; n < b->packets; n++)
    expect_packet(b, &b->packet[n], e);
  cycles(b, 3);
  for (uint32_t p = 0; p < b->ports; p++) {
    check_bank(b, p, LOOM_SWITCH_WIN_IN_FLITS, LOOM_SWITCH_WIN_IN_PACKETS, e[p].in);
    check_bank(b, p, LOOM_SWITCH_WIN_OUT_FLITS, LOOM_SWITCH_WIN_OUT_PACKETS, e[p].out);
    check_bank(b, p, LOOM_SWITCH_WIN_SL_FLITS, LOOM_SWITCH_WIN_SL_PACKETS, e[p].sl);
    for (uint32_t cause = 1; cause <= 5; cause++)
      assert_int_equal(read_port(b, p, W_CAUSE + cause), e[p].cause[cause]);
    assert_int_equal(read_port(b, p, LOOM_SWITCH_WIN_LINK_ERRORS), 0);
    assert_int_equal(read_port(b, p, LOOM_SWITCH_WIN_FAR_ERRORS), 0);
    assert_int_equal(read_port(b, p, LOOM_SWITCH_WIN_GRANTS_LOST), 0);
    assert_int_equal(read_port(b, p, LOOM_SWITCH_WIN_BUFFER_ERRORS), 0);
  }
  free(e);
}

/* ---- steps that many tests have in common ---------------------------------------------------- */

void hold(struct switch_bench *b, uint32_t port, bool on) {
  write_reg(b, port_reg(port, LOOM_SWITCH_WIN_HOLD), on);
}

uint32_t trap_word(uint32_t cause, uint32_t port, uint32_t lane, uint32_t dest) {
  return 1u << 31 | cause << 28 | port << 22 | lane << 16 | dest;
}

void expect_latency(struct switch_bench *b, uint32_t in, uint32_t out, uint32_t len,
                    uint64_t expected) {
  const struct packet *p = await(b, post(b, in, 0, 0, out, len));
  assert_int_equal(p->head - p->sent, expected);
  assert_int_equal(p->tail - p->head, len - 1);
  cycles(b, 12);
}

uint32_t send_alone(struct switch_bench *b, uint32_t port, uint32_t vl, uint32_t sc, uint32_t dest,
                    uint32_t len) {
  cycles(b, 2); /* LFT and maps are read at the edge: a write just before is not seen yet */
  uint32_t n = post(b, port, vl, sc, dest, len);
  cycles(b, len + 24);
  assert_int_equal(b->packet[n].seen, b->packet[n].fate.cause == GOES ? len : 0);
  assert_int_equal(b->out.trap, b->packet[n].fate.cause != GOES);
  return b->out.trap ? read_reg(b, LOOM_SWITCH_REG_TRAP) : 0;
}
