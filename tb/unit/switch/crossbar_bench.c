/* SPDX-License-Identifier: Apache-2.0 */
/* crossbar_bench.c - a bench for the twins of crossbar_switch and mport_switch */
#include "tb/unit/switch/crossbar_bench.h"

#include <stdlib.h>
#include <string.h>

#include "sched/sched_ibarb.h"
#include "tb/unit/unit.h"

/* ---- lists ----------------------------------------------------------------------------------- */

static void append(struct bench *b, struct list *l, uint32_t number) {
  if (l->first)
    b->packet[l->last].next = number;
  else
    l->first = number;
  l->last = number;
  b->packet[number].next = 0;
}

static uint32_t take_first(struct bench *b, struct list *l) {
  uint32_t number = l->first;
  l->first = b->packet[number].next;
  return number;
}

/* The one after `before`, or the first one if that is 0. */
static void take_after(struct bench *b, struct list *l, uint32_t before) {
  uint32_t *link = before ? &b->packet[before].next : &l->first;
  if (l->last == *link)
    l->last = before;
  *link = b->packet[*link].next;
}

/* ---- where a packet goes --------------------------------------------------------------------- */

/* Takes the lowest digit off a number. */
static uint32_t digit(uint32_t *number, uint32_t base) {
  uint32_t lowest = *number % base;
  *number /= base;
  return lowest;
}

/* docs/kns.md, with addresses as numbers whose digits are the host and the coordinates; PORTS: it
 * is unknown. */
static uint32_t output_at(const struct loom_crossbar_switch_cfg *cfg, const struct place *place,
                          uint32_t dest) {
  uint32_t own = place->address % ADDRESSES, hosts = 1, nodes = 1u << cfg->W, out = cfg->PORTS;
  while (hosts < cfg->HOSTS)
    hosts *= 2;
  uint32_t host = digit(&dest, hosts);
  digit(&own, hosts);
  if (cfg->ROUTE == BY_NODE && host < cfg->HOSTS)
    out = host;
  for (uint32_t d = 0, there = false; d < cfg->DIMS; d++) {
    uint32_t to = digit(&dest, nodes);
    if (to != digit(&own, nodes) && !there && cfg->ROUTE == BY_NODE) {
      out = cfg->HOSTS + d;
      there = true;
    }
    if (cfg->ROUTE == BY_SWITCH && d == place->dimension && to < cfg->PORTS)
      out = to;
  }
  return dest == own && place->address & ON ? out : cfg->PORTS;
}

/* Outputs of a head on the link in this cycle; none: it is unknown. */
static uint64_t outputs_of(const struct bench *b, const struct packet *p) {
  if (b->may)
    return b->may(b, p);
  uint32_t out = p->dest;
  if (b->cfg.ROUTE != BY_LFT)
    out = output_at(&b->cfg, b->now < b->place_from ? &b->before : &b->place, p->dest);
  return out < b->cfg.PORTS ? 1ull << out : 0;
}

/* A head is on the link: among these it must come out. */
static void expect(struct bench *b, uint32_t port, uint32_t number) {
  struct packet *p = &b->packet[number];
  uint32_t lane = b->map_on && p->vl != VL_MGMT ? b->out_vl[p->sl] : lane_of(b, p->vl);
  p->sent = b->now;
  p->may = outputs_of(b, p);
  if (!p->may)
    b->unknown++;
  else if (b->disordered || loom_popcount(p->may) > 1)
    append(b, &b->loose[port][lane], number);
  else
    append(b, &b->flow[port][loom_ctz(p->may)][lane], number);
}

/* ---- both ends of the links ------------------------------------------------------------------ */

uint64_t head_flit(const struct packet *p, uint32_t number) {
  return LOOM_PUT64(LOOM_HEAD_SC, p->sl) | LOOM_PUT64(LOOM_HEAD_LEN, p->len) |
         LOOM_PUT64(LOOM_HEAD_DEST, p->dest) | LOOM_PUT64(LOOM_HEAD_SRC, p->src) |
         LOOM_PUT64(LOOM_HEAD_AFTER, p->after) | LOOM_PUT64(LOOM_HEAD_MORE, p->more) |
         LOOM_PUT64(LOOM_HEAD_ID, number);
}

static uint64_t flit(const struct bench *b, uint32_t number, uint32_t place) {
  return place ? loom_scramble((uint64_t)number << 16 | place)
               : head_flit(&b->packet[number], number);
}

uint32_t post(struct bench *b, uint32_t port, uint32_t vl, uint32_t sl, uint32_t dest,
              uint32_t len) {
  if (b->packets == b->room) {
    b->room *= 2;
    b->packet = realloc(b->packet, b->room * sizeof *b->packet);
    assert_non_null(b->packet);
  }
  b->packet[b->packets] = (struct packet){
      .vl = vl, .sl = sl, .dest = dest, .len = len, .src = port, .sent = NEVER, .came = NEVER};
  append(b, &b->sender[port].waits[lane_of(b, vl)], b->packets);
  return b->packets++;
}

/* What comes out of it. */
static uint64_t flit_out(const struct bench *b, uint32_t number, uint32_t place) {
  struct packet p = b->packet[number];
  if (place || !b->mport)
    return flit(b, number, place);
  p.sl = b->sc_out[p.sl];
  return head_flit(&p, number);
}

/* Each lane has its share of the store at the input. */
static bool has_credits(const struct bench *b, const struct sender *s, uint32_t lane) {
  const struct packet *p = &b->packet[s->waits[lane].first];
  return s->careless || s->used[lane] + units(p->len) <= b->cfg.CELLS_IN / b->cfg.VLS;
}

static void choose(struct bench *b, struct sender *s) {
  for (uint32_t i = 0; i < b->cfg.VLS; i++) {
    uint32_t lane = (s->turn + i) % b->cfg.VLS;
    if (!s->waits[lane].first || !has_credits(b, s, lane))
      continue;
    s->turn = (lane + 1) % b->cfg.VLS;
    s->current = take_first(b, &s->waits[lane]);
    s->used[lane] += units(b->packet[s->current].len);
    s->place = 0;
    return;
  }
}

static void send(struct bench *b, uint32_t port) {
  struct sender *s = &b->sender[port];
  if (!s->current)
    choose(b, s);
  if (!s->current || loom_chance(&b->seed, b->pause))
    return;
  struct packet *p = &b->packet[s->current];
  b->in.in_valid[port] = 1;
  b->in.in_head[port] = s->place == 0;
  b->in.in_tail[port] = s->place + 1 == p->len;
  b->in.in_vl[port] = p->vl;
  b->in.in_data[port] = flit(b, s->current, s->place);
  if (s->place == 0)
    expect(b, port, s->current);
  if (++s->place == p->len)
    s->current = 0;
}

static void give_back(struct bench *b, uint32_t port) {
  struct receiver *r = &b->receiver[port];
  for (uint32_t lane = 0; lane < b->cfg.VLS && !r->stopped; lane++)
    if (r->owed[lane]) {
      r->owed[lane]--;
      b->in.out_cr_valid[port] = 1;
      b->in.out_cr_vl[port] = vl_of(b, lane);
      return;
    }
}

/* One with several outputs. */
static uint32_t take_loose(struct bench *b, struct list *l, uint64_t head) {
  uint32_t before = 0, number = l->first;
  while (number && flit_out(b, number, 0) != head) {
    before = number;
    number = b->packet[number].next;
  }
  assert_int_not_equal(number, 0);
  take_after(b, l, before);
  return number;
}

/* A head comes out: its packet. From one input to one output all of a lane keep their order. */
static uint32_t arrive(struct bench *b, uint32_t source, uint32_t port, uint32_t lane,
                       uint64_t head) {
  struct list *flow = &b->flow[source][port][lane];
  bool first = flow->first && flit_out(b, flow->first, 0) == head;
  uint32_t number = first ? take_first(b, flow) : take_loose(b, &b->loose[source][lane], head);
  struct packet *p = &b->packet[number];
  assert_true(p->may >> port & 1);
  assert_true(b->disordered || p->sent > b->latest[source][port][lane]);
  b->latest[source][port][lane] = p->sent;
  p->came = b->now;
  p->out = port;
  return number;
}

static void watch(struct bench *b, uint32_t port) {
  const struct loom_crossbar_switch_out *o = &b->out;
  struct receiver *r = &b->receiver[port];
  if (o->in_cr_valid[port])
    b->sender[port].used[lane_of(b, (uint32_t)o->in_cr_vl[port])]--;
  if (!o->out_valid[port]) {
    assert_int_equal(o->out_head[port] | o->out_tail[port] | o->out_vl[port] | o->out_data[port],
                     0);
    return;
  }
  uint32_t lane = lane_of(b, (uint32_t)o->out_vl[port]);
  b->flits[port]++;
  assert_int_equal(o->out_head[port], !r->current);
  if (o->out_head[port]) {
    uint32_t source = LOOM_GET(LOOM_HEAD_SRC, o->out_data[port]) % SOURCES;
    assert_true(source < b->cfg.PORTS);
    r->current = arrive(b, source, port, lane, o->out_data[port]);
    r->place = 0;
  }
  const struct packet *p = &b->packet[r->current];
  assert_true(o->out_data[port] == flit_out(b, r->current, r->place));
  assert_int_equal(o->out_tail[port], ++r->place == p->len);
  if (!o->out_tail[port])
    return;
  r->owed[lane] += units(p->len);
  r->current = 0;
  b->came++;
}

/* Nothing in the port rests in the next cycle. */
static void stir(struct loom_chassis_port *p) {
  p->input.still = p->crossing.still = p->output.still = p->output.choice.still = 0;
  p->crossing.tracker.settling = p->output.tracker.settling = 2;
}

static void stir_chassis(struct loom_chassis *c) {
  c->input_awake = c->crossing_awake = c->output_awake = c->all;
  for (uint32_t port = 0; port < c->ports; port++)
    stir(&c->port[port]);
}

_Static_assert(sizeof(struct loom_mport_switch_in) == sizeof(struct loom_crossbar_switch_in) &&
                   sizeof(struct loom_mport_switch_out) == sizeof(struct loom_crossbar_switch_out),
               "both switches have the same ports");

static void step_mport(const struct bench *b, struct loom_mport_switch *s,
                       struct loom_crossbar_switch_out *out) {
  struct loom_mport_switch_in in;
  struct loom_mport_switch_out shown;
  memcpy(&in, &b->in, sizeof in);
  loom_mport_switch_step(s, &in, &shown);
  memcpy(out, &shown, sizeof shown);
}

static void stir_mport(struct loom_mport_switch *s) {
  stir_chassis(&s->chassis);
  s->awake = s->all;
  for (uint32_t k = 0; k < s->centrals; k++) {
    s->central[k].still = s->central[k].crossing.still = 0;
    s->central[k].crossing.tracker.settling = 2;
  }
}

void step_restless(struct bench *b) {
  struct loom_crossbar_switch_out out;
  struct loom_crossbar_switch *s = b->restless;
  if (b->mport) {
    stir_mport(b->mport_restless);
    step_mport(b, b->mport_restless, &out);
  } else {
    stir_chassis(&s->chassis);
    s->group.awake = b->cfg.GROUPS ? s->chassis.all : 0;
    s->group.compare = b->cfg.GROUPS != 0;
    loom_crossbar_switch_step(s, &b->in, &out);
  }
  b->differences += memcmp(&out, &b->out, sizeof out) != 0;
  if (!b->tolerant)
    assert_memory_equal(&out, &b->out, sizeof out);
}

static bool nothing_comes(const struct bench *b) {
  static const struct loom_crossbar_switch_in nothing;
  return !memcmp(&b->in, &nothing, sizeof nothing);
}

static bool sleeps(const struct bench *b) {
  return b->mport ? loom_mport_switch_sleeps(b->mport) : loom_crossbar_switch_sleeps(b->s);
}

/* It shows nothing but that it has a trap. */
static void sleep_a_cycle(struct bench *b) {
  if (b->mport)
    loom_mport_switch_skip(b->mport, 1);
  else
    loom_crossbar_switch_skip(b->s, 1);
  memset(&b->out, 0, sizeof b->out);
  b->out.trap = (b->mport ? b->mport->chassis.traps : b->s->chassis.traps) != 0;
  b->slept++;
}

/* With a restless one beside it, it sleeps where it may; it wakes now and then by itself. */
static void step(struct bench *b) {
  bool may_sleep = (b->restless || b->mport_restless) && b->now % 64 != 0;
  if (may_sleep && nothing_comes(b) && sleeps(b))
    sleep_a_cycle(b);
  else if (b->mport)
    step_mport(b, b->mport, &b->out);
  else
    loom_crossbar_switch_step(b->s, &b->in, &b->out);
}

static void look_at_probes(struct bench *b) {
  struct loom_mport_switch_probe mport;
  if (!b->mport) {
    loom_crossbar_switch_probe(b->s, &b->probe);
    return;
  }
  loom_mport_switch_probe(b->mport, &mport);
  b->probe.idle = mport.idle;
  b->probe.ready = mport.ready;
}

/* What stands in b->in already goes in, too. */
void cycle(struct bench *b) {
  for (uint32_t port = 0; port < b->cfg.PORTS; port++) {
    if (!b->in.in_valid[port])
      send(b, port);
    give_back(b, port);
  }
  look_at_probes(b);
  memset(&b->out, 0xA5, sizeof b->out);
  step(b);
  if (b->restless || b->mport_restless)
    step_restless(b);
  for (uint32_t port = 0; port < b->cfg.PORTS; port++)
    watch(b, port);
  memset(&b->in, 0, sizeof b->in);
  b->now++;
}

void cycles(struct bench *b, int n) {
  while (n-- > 0)
    cycle(b);
}

const struct packet *await(struct bench *b, uint32_t number) {
  for (int i = 0; i < PATIENCE && b->packet[number].came == NEVER; i++)
    cycle(b);
  assert_int_not_equal(b->packet[number].came, NEVER);
  return &b->packet[number];
}

void until_idle(struct bench *b) {
  cycles(b, 40); /* what is on a link is in the switch by then */
  for (int i = 0; i < PATIENCE && !b->probe.idle; i++)
    cycle(b);
  assert_true(b->probe.idle);
}

/* ---- registers ------------------------------------------------------------------------------- */

void write_reg(struct bench *b, uint32_t addr, uint32_t data) {
  b->in.reg_we = 1;
  b->in.reg_addr = addr;
  b->in.reg_wdata = data;
  cycle(b);
}

/* The answer comes PORTS + 3 cycles later, and nothing else does meanwhile. */
uint32_t read_reg(struct bench *b, uint32_t addr) {
  b->in.reg_re = 1;
  b->in.reg_addr = addr;
  cycle(b);
  for (uint32_t i = 0; i < b->cfg.PORTS + ANSWERS; i++) {
    assert_int_equal(b->out.reg_rvalid | b->out.reg_rdata, 0);
    cycle(b);
  }
  assert_int_equal(b->out.reg_rvalid, 1);
  return (uint32_t)b->out.reg_rdata;
}

uint32_t port_reg(uint32_t port, uint32_t a) {
  return LOOM_SWITCH_REG_PORTS + port * LOOM_REG_WINDOW + a;
}

uint32_t read_port(struct bench *b, uint32_t port, uint32_t a) {
  return read_reg(b, port_reg(port, a));
}

uint32_t map_reg(uint32_t in, uint32_t out, uint32_t sl) {
  return port_reg(in, LOOM_SWITCH_WIN_MAP + 32 * out + sl);
}

void write_table(struct bench *b, uint32_t port, uint32_t t, uint32_t data) {
  write_reg(b, port_reg(port, LOOM_SWITCH_WIN_TABLE + t), data);
  cycles(b, PACE);
}

uint32_t entry(uint32_t key, uint32_t weight) {
  return LOOM_PUT(LOOM_ENTRY_KEY, key) | LOOM_PUT(LOOM_ENTRY_WEIGHT, weight);
}

uint32_t trap_word(uint32_t cause, uint32_t port, uint32_t lane, uint32_t dest) {
  return LOOM_PUT(LOOM_SWITCH_REG_TRAP_VALID, 1) | LOOM_PUT(LOOM_SWITCH_REG_TRAP_CAUSE, cause) |
         LOOM_PUT(LOOM_SWITCH_REG_TRAP_PORT, port) | LOOM_PUT(LOOM_SWITCH_REG_TRAP_LANE, lane) |
         LOOM_PUT(LOOM_SWITCH_REG_TRAP_DEST, dest);
}

/* The next trap is this one, and its cause was counted once at the port. */
void expect_trap(struct bench *b, uint32_t cause, uint32_t port, uint32_t lane, uint32_t dest) {
  cycles(b, 40);
  assert_int_equal(b->out.trap, 1);
  assert_int_equal(read_reg(b, LOOM_SWITCH_REG_TRAP_COUNT), 1);
  assert_int_equal(read_reg(b, LOOM_SWITCH_REG_TRAP), trap_word(cause, port, lane, dest));
  assert_int_equal(b->out.trap, 0);
  assert_int_equal(read_reg(b, LOOM_SWITCH_REG_TRAP), 0);
  for (uint32_t i = BAD_HEAD; i <= TOO_LONG; i++)
    assert_int_equal(read_port(b, port, LOOM_SWITCH_WIN_LINK_ERRORS + i), i == cause);
  for (uint32_t i = 0; i < b->cfg.PORTS; i++)
    assert_int_equal(read_port(b, i, LOOM_SWITCH_WIN_OUT_PACKETS), 0);
}

void expect_kept(struct bench *b, uint32_t addr, uint32_t kept) {
  assert_int_equal(read_reg(b, addr), 0);
  write_reg(b, addr, 0xFFFFFFFF);
  assert_int_equal(read_reg(b, addr), 0); /* one cycle later */
  assert_int_equal(read_reg(b, addr), kept);
  write_reg(b, addr, 0);
  cycle(b);
  assert_int_equal(read_reg(b, addr), 0); /* two cycles later */
}

/* ---- opening --------------------------------------------------------------------------------- */

struct loom_crossbar_switch_cfg shape(void) {
  struct loom_crossbar_switch_cfg cfg;
  loom_crossbar_switch_defaults(&cfg);
  cfg.PORTS = 4;
  cfg.VLS = 4;
  cfg.KEYS = 16;
  cfg.CELLS_IN = 128;
  cfg.CELLS_OUT = 128;
  cfg.RESERVED_OUT = 8;
  cfg.REMOTE_UNITS = 128;
  cfg.REMOTE_RESERVED = 8;
  cfg.MTU_UNITS = 8;
  cfg.LIDS = 64;
  return cfg;
}

static void *allocate(size_t size) {
  void *p = malloc(size);
  assert_non_null(p);
  memset(p, 0xA5, size); /* what was never written must not show */
  return p;
}

/* A bench without a switch. */
static struct bench *bare_bench(void) {
  struct bench *b = calloc(1, sizeof *b);
  assert_non_null(b);
  b->packets = 1; /* number 0 is nobody's */
  b->room = 1024;
  b->packet = malloc(b->room * sizeof *b->packet);
  assert_non_null(b->packet);
  return b;
}

/* A switch after reset. */
struct bench *fresh_bench(const struct loom_crossbar_switch_cfg *cfg) {
  struct bench *b = bare_bench();
  assert_true(loom_crossbar_switch_cfg_ok(cfg));
  b->cfg = *cfg;
  b->s = allocate(sizeof *b->s);
  b->storage = allocate(loom_crossbar_switch_storage_size(cfg));
  loom_crossbar_switch_init(b->s, cfg, b->storage);
  return b;
}

static void start(struct bench *b) {
  cycles(b, START);
  assert_true(b->probe.ready);
  assert_true(b->probe.idle);
}

/* A switch after START, with nothing written. */
struct bench *new_bench(const struct loom_crossbar_switch_cfg *cfg) {
  struct bench *b = fresh_bench(cfg);
  start(b);
  return b;
}

/* LID p leads to port p, each key has an entry with a weight. */
static void write_tables(struct bench *b, uint32_t weight) {
  const struct loom_crossbar_switch_cfg *cfg = &b->cfg;
  for (uint32_t port = 0; port < cfg->PORTS; port++)
    write_reg(b, LOOM_SWITCH_REG_LFT + port, port);
  write_reg(b, LOOM_SWITCH_REG_LFT_COUNT, cfg->PORTS);
  for (uint32_t key = 0; key < loom_min(cfg->KEYS, cfg->VLS); key++)
    write_table(b, LOOM_SWITCH_EVERY,
                cfg->SCHED == TWO_TABLE ? LOOM_IBARB_REG_HIGH + key : LOOM_DTABLE_REG_ENTRY + key,
                entry(key, weight));
}

struct bench *open_bench_of(const struct loom_crossbar_switch_cfg *cfg, uint32_t weight) {
  struct bench *b = new_bench(cfg);
  write_tables(b, weight);
  return b;
}

struct bench *open_bench(const struct loom_crossbar_switch_cfg *cfg) {
  return open_bench_of(cfg, WEIGHT);
}

static void stand_beside(struct bench *b) {
  b->restless = allocate(sizeof *b->restless);
  b->restless_storage = allocate(loom_crossbar_switch_storage_size(&b->cfg));
  loom_crossbar_switch_init(b->restless, &b->cfg, b->restless_storage);
}

/* The same, with one beside it that never rests. */
struct bench *open_both(const struct loom_crossbar_switch_cfg *cfg) {
  struct bench *b = fresh_bench(cfg);
  stand_beside(b);
  start(b);
  write_tables(b, WEIGHT);
  return b;
}

struct bench *open_packets(const struct loom_crossbar_switch_cfg *cfg) {
  struct bench *b = fresh_bench(cfg);
  b->packets_storage = allocate(loom_crossbar_switch_packets_size(cfg));
  loom_crossbar_switch_follow_packets(b->s, cfg, b->packets_storage);
  stand_beside(b);
  start(b);
  write_tables(b, WEIGHT);
  return b;
}

/* ---- an mport_switch ------------------------------------------------------------------------- */

static struct loom_mport_switch *new_mport(const struct loom_mport_switch_cfg *cfg,
                                           void **storage) {
  struct loom_mport_switch *s = allocate(sizeof *s);
  *storage = allocate(loom_mport_switch_storage_size(cfg));
  loom_mport_switch_init(s, cfg, *storage);
  return s;
}

static struct bench *fresh_mport_bench(const struct loom_mport_switch_cfg *cfg) {
  struct bench *b = bare_bench();
  assert_true(loom_mport_switch_cfg_ok(cfg));
  b->cfg = (struct loom_crossbar_switch_cfg){.PORTS = 4 * cfg->MPORTS,
                                             .VLS = cfg->VLS,
                                             .SCHED = cfg->SCHED,
                                             .KEYS = cfg->KEYS,
                                             .CELLS_IN = cfg->CELLS_IN};
  b->mport = new_mport(cfg, &b->storage);
  b->map_on = true; /* the lane follows from the SC */
  for (uint32_t sc = 0; sc < LANES; sc++) {
    b->sc_out[sc] = (uint8_t)sc;
    b->out_vl[sc] = lane_of(b, sc);
  }
  return b;
}

struct bench *new_mport_bench(const struct loom_mport_switch_cfg *cfg) {
  struct bench *b = fresh_mport_bench(cfg);
  start(b);
  return b;
}

struct bench *open_mport_bench(const struct loom_mport_switch_cfg *cfg) {
  struct bench *b = new_mport_bench(cfg);
  write_tables(b, WEIGHT);
  return b;
}

struct bench *open_both_mports(const struct loom_mport_switch_cfg *cfg) {
  struct bench *b = fresh_mport_bench(cfg);
  b->mport_restless = new_mport(cfg, &b->restless_storage);
  start(b);
  write_tables(b, WEIGHT);
  return b;
}

void close_bench(struct bench *b) {
  free(b->mport);
  free(b->mport_restless);
  free(b->s);
  free(b->restless);
  free(b->restless_storage);
  free(b->packets_storage);
  free(b->storage);
  free(b->packet);
  free(b);
}

/* All packets but those that lead nowhere came out, where and as they should; the others were
 * dropped as unknown. */
void expect_came(struct bench *b, uint32_t packets) {
  uint32_t dropped = 0;
  for (int i = 0; i < 20 * PATIENCE && b->came + b->unknown < packets; i++)
    cycle(b);
  assert_int_equal(b->came + b->unknown, packets);
  until_idle(b);
  cycles(b, 100);
  for (uint32_t port = 0; port < b->cfg.PORTS; port++) {
    dropped += read_port(b, port, LOOM_SWITCH_WIN_DROPPED_LID);
    for (uint32_t lane = 0; lane < 4; lane++)
      assert_int_equal(b->sender[port].used[lane], 0);
  }
  assert_int_equal(dropped, b->unknown);
}
