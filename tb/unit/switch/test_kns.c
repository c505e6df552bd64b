/* SPDX-License-Identifier: Apache-2.0 */
/* test_kns.c - the twins of kns_node and kns_switch against docs/kns.md, alone and as a fabric,
 * without a circuit */
#include "tb/unit/unit.h"
#include <loom/head.h>

#include <stdlib.h>
#include <string.h>

#include <loom/random.h>

#include "switch/kns_node.h"
#include "switch/kns_switch.h"
#include "tb/ends/switch_ports.h"
#include <loom/switch_registers.h>

enum { NODE = 3, SWITCH = 4 }; /* kinds, as the register says */
enum { CAUSE_UNKNOWN = 3, LOST = 64 };
enum {
  R_CAUSE = LOOM_SWITCH_REG_PORTS + LOOM_REG_WINDOW + LOOM_SWITCH_WIN_LINK_ERRORS, /* port 1 */
  ON = 1 << LOOM_KNS_REG_ADDRESS_ON_AT
};

/* ---- a device -------------------------------------------------------------------------------- */

/* Of a fabric: k nodes in each of `dims` dimensions; stages beyond the smallest set. */
struct shape {
  uint32_t k, dims, w, hosts;
  uint32_t rt, sb, at, x, fly;
};

struct device {
  uint32_t kind, ports;
  struct loom_kns_node *node;
  struct loom_kns_switch *sw;
  void *storage;
  struct loom_kns_node_in in; /* of the next cycle */
  struct loom_kns_node_out out;
  uint64_t cycle;
};

END_SAME_PORTS(kns_node);
END_SAME_PORTS(kns_switch);

/* Four lanes, 64 units in each buffer, packets of at most 8 units, round robin. */
#define CONFIGURE(c, shape)                                                                        \
  do {                                                                                             \
    (c)->DIMS = (shape)->dims;                                                                     \
    (c)->W = (shape)->w;                                                                           \
    (c)->HOSTS = (shape)->hosts;                                                                   \
    (c)->VLS = 4;                                                                                  \
    (c)->SCHED = 0;                                                                                \
    (c)->CELLS_IN = (c)->CELLS_OUT = (c)->REMOTE_UNITS = 64;                                       \
    (c)->RESERVED_IN = (c)->RESERVED_OUT = (c)->REMOTE_RESERVED = 8;                               \
    (c)->MTU_UNITS = 8;                                                                            \
    (c)->ROUTING_CYCLES += (shape)->rt;                                                            \
    (c)->BUFFER_CYCLES += (shape)->sb;                                                             \
    (c)->ALLOCATION_CYCLES += (shape)->at;                                                         \
    (c)->CROSSBAR_CYCLES += (shape)->x;                                                            \
    (c)->FLIGHT_CYCLES += (shape)->fly;                                                            \
  } while (0)

static void *allocate(size_t size) {
  void *p = malloc(size);
  assert_non_null(p);
  memset(p, 0xA5, size); /* what was never written must not show */
  return p;
}

static void open_node(struct device *d, const struct shape *shape) {
  struct loom_kns_node_cfg cfg;
  loom_kns_node_defaults(&cfg);
  CONFIGURE(&cfg, shape);
  assert_true(loom_kns_node_cfg_ok(&cfg));
  *d = (struct device){.kind = NODE, .ports = cfg.HOSTS + cfg.DIMS};
  d->node = allocate(sizeof *d->node);
  d->storage = allocate(loom_kns_node_storage_size(&cfg));
  loom_kns_node_init(d->node, &cfg, d->storage);
}

static void open_switch(struct device *d, const struct shape *shape) {
  struct loom_kns_switch_cfg cfg;
  loom_kns_switch_defaults(&cfg);
  CONFIGURE(&cfg, shape);
  cfg.K = shape->k;
  assert_true(loom_kns_switch_cfg_ok(&cfg));
  *d = (struct device){.kind = SWITCH, .ports = cfg.K};
  d->sw = allocate(sizeof *d->sw);
  d->storage = allocate(loom_kns_switch_storage_size(&cfg));
  loom_kns_switch_init(d->sw, &cfg, d->storage);
}

static void open_device(struct device *d, uint32_t kind, const struct shape *shape) {
  if (kind == NODE)
    open_node(d, shape);
  else
    open_switch(d, shape);
}

static void close_device(struct device *d) {
  free(d->node);
  free(d->sw);
  free(d->storage);
}

/* One cycle with the inputs as they stand; the next one's are 0 then. */
static void step(struct device *d) {
  if (d->kind == NODE) {
    loom_kns_node_step(d->node, &d->in, &d->out);
  } else {
    struct loom_kns_switch_in in;
    struct loom_kns_switch_out out;
    memcpy(&in, &d->in, sizeof in);
    loom_kns_switch_step(d->sw, &in, &out);
    memcpy(&d->out, &out, sizeof out);
  }
  memset(&d->in, 0, sizeof d->in);
  d->cycle++;
}

/* The same with far ends that give each unit back at once; packets have one flit. */
static void cycle(struct device *d) {
  step(d);
  for (uint32_t p = 0; p < d->ports; p++) {
    d->in.out_cr_valid[p] = d->out.out_valid[p];
    d->in.out_cr_vl[p] = d->out.out_vl[p];
  }
}

static void cycles(struct device *d, uint32_t n) {
  while (n--)
    cycle(d);
}

static void write_reg(struct device *d, uint32_t addr, uint32_t data) {
  d->in.reg_we = 1;
  d->in.reg_addr = addr;
  d->in.reg_wdata = data;
  cycle(d);
}

static uint32_t read_reg(struct device *d, uint32_t addr) {
  d->in.reg_re = 1;
  d->in.reg_addr = addr;
  cycles(d, 4);
  assert_int_equal(d->out.reg_rvalid, 1);
  return (uint32_t)d->out.reg_rdata;
}

/* A packet of one flit on VL 0 in the next cycle. */
static void put(struct device *d, uint32_t port, uint32_t dest, uint32_t src) {
  d->in.in_valid[port] = d->in.in_head[port] = d->in.in_tail[port] = 1;
  d->in.in_data[port] = LOOM_PUT64(LOOM_HEAD_LEN, 1) | LOOM_PUT64(LOOM_HEAD_DEST, dest) |
                        LOOM_PUT64(LOOM_HEAD_SRC, src);
}

/* Sends a packet and gives the port at which it comes out, so many cycles later; LOST if it does
 * not, and then the trap says why. */
static uint32_t route_late(struct device *d, uint32_t port, uint32_t dest, uint32_t latency) {
  uint32_t out = LOST;
  put(d, port, dest, 0);
  for (uint32_t c = 0; c < latency + 4; c++) {
    cycle(d);
    for (uint32_t p = 0; p < d->ports; p++)
      if (d->out.out_valid[p]) {
        assert_int_equal(c, latency);
        assert_int_equal(out, LOST);
        assert_int_equal(LOOM_GET(LOOM_HEAD_DEST, d->out.out_data[p]), dest);
        out = p;
      }
  }
  assert_int_equal(d->out.trap, out == LOST);
  if (out == LOST) {
    uint32_t trap = 1u << 31 | CAUSE_UNKNOWN << 28 | port << 22 | dest;
    assert_int_equal(read_reg(d, LOOM_SWITCH_REG_TRAP), trap);
  }
  return out;
}

static uint32_t route(struct device *d, uint32_t port, uint32_t dest) {
  return route_late(d, port, dest, 8);
}

/* ---- addresses ------------------------------------------------------------------------------- */

static uint32_t power(uint32_t base, uint32_t n) { return n ? base * power(base, n - 1) : 1; }

/* Bits of the host. */
static uint32_t host_bits(const struct shape *s) {
  return s->hosts > 4 ? 3 : s->hosts > 2 ? 2 : s->hosts > 1 ? 1 : 0;
}

/* Where the prefix begins. */
static uint32_t prefix_at(const struct shape *s) { return host_bits(s) + s->dims * s->w; }

/* What an address says. */
struct place {
  uint32_t host, r[4], prefix;
};

static struct place place_of(const struct shape *s, uint32_t address) {
  struct place p;
  p.host = address % power(2, host_bits(s));
  address /= power(2, host_bits(s));
  for (uint32_t d = 0; d < s->dims; d++, address /= power(2, s->w))
    p.r[d] = address % power(2, s->w);
  p.prefix = address;
  return p;
}

/* Host 0 of node number n of the fabric, r_0 changes first. */
static uint32_t address_of(const struct shape *s, uint32_t prefix, uint32_t n) {
  uint32_t address = prefix << prefix_at(s);
  for (uint32_t d = 0; d < s->dims; d++, n /= s->k)
    address |= n % s->k << (host_bits(s) + d * s->w);
  return address;
}

/* What the page says of a node that is on. */
static uint32_t node_output(const struct shape *s, uint32_t address, uint32_t dest) {
  struct place own = place_of(s, address), to = place_of(s, dest);
  if (own.prefix != to.prefix)
    return LOST;
  for (uint32_t d = 0; d < s->dims; d++)
    if (own.r[d] != to.r[d])
      return s->hosts + d;
  return to.host < s->hosts ? to.host : LOST;
}

static uint32_t switch_output(const struct shape *s, uint32_t address, uint32_t dimension,
                              uint32_t dest) {
  struct place own = place_of(s, address), to = place_of(s, dest);
  if (own.prefix != to.prefix || dimension >= s->dims || to.r[dimension] >= s->k)
    return LOST;
  return to.r[dimension];
}

static const struct shape shapes[] = {
    {.k = 6, .dims = 2, .w = 3, .hosts = 1}, {.k = 4, .dims = 2, .w = 2, .hosts = 1},
    {.k = 3, .dims = 3, .w = 2, .hosts = 1}, {.k = 3, .dims = 2, .w = 2, .hosts = 5},
    {.k = 2, .dims = 4, .w = 1, .hosts = 2}, {.k = 5, .dims = 1, .w = 6, .hosts = 3},
};
enum { SHAPES = sizeof shapes / sizeof shapes[0] };

/* ---- the output of a packet ------------------------------------------------------------------ */

/* The destinations of the fabric, those that do not exist too, then one bit of the prefix off. */
static uint32_t dests(const struct shape *s) { return power(2, prefix_at(s)) + 16 - prefix_at(s); }

static uint32_t dest_number(const struct shape *s, uint32_t prefix, uint32_t n) {
  uint32_t at = prefix_at(s), all = power(2, at);
  return prefix << at ^ (n < all ? n : 1u << (at + n - all));
}

/* KN-02: the first dimension in which the packet is not yet where it should be, else its host. All
 * addresses of the fabric, all destinations, from all ports. */
static void a_node_sends_along_the_first_dimension_that_is_wrong(void **state) {
  (void)state;
  for (uint32_t i = 0; i < SHAPES; i++) {
    const struct shape *s = &shapes[i];
    struct device d;
    open_device(&d, NODE, s);
    for (uint32_t node = 0; node < power(s->k, s->dims); node++) {
      uint32_t prefix = 1 + node % (0xBFFFu >> prefix_at(s));
      uint32_t address = address_of(s, prefix, node);
      write_reg(&d, LOOM_KNS_REG_ADDRESS, (uint32_t)ON | address);
      cycles(&d, 2);
      for (uint32_t n = 0; n < dests(s); n++) {
        uint32_t dest = dest_number(s, prefix, n);
        assert_int_equal(route(&d, n % d.ports, dest), node_output(s, address, dest));
      }
    }
    close_device(&d);
  }
}

/* KN-02: the node with the right coordinate. All dimensions, those that do not exist too, all
 * destinations; the coordinates of its own address are not looked at. */
static void a_switch_sends_to_the_node_with_the_right_coordinate(void **state) {
  (void)state;
  for (uint32_t i = 0; i < SHAPES; i++) {
    const struct shape *s = &shapes[i];
    struct device d;
    open_device(&d, SWITCH, s);
    for (uint32_t dimension = 0; dimension < 4; dimension++) {
      uint32_t prefix = 1 + dimension * 5 % (0xBFFFu >> prefix_at(s));
      uint32_t address = address_of(s, prefix, dimension + 1);
      write_reg(&d, LOOM_KNS_REG_ADDRESS, (uint32_t)ON | address);
      write_reg(&d, LOOM_KNS_REG_DIMENSION, dimension);
      cycles(&d, 2);
      for (uint32_t n = 0; n < dests(s); n++) {
        uint32_t dest = dest_number(s, prefix, n);
        assert_int_equal(route(&d, n % d.ports, dest), switch_output(s, address, dimension, dest));
      }
    }
    close_device(&d);
  }
}

/* KN-02: while `on` is 0, as after reset, every destination is unknown. */
static void every_destination_is_unknown_while_the_address_is_off(void **state) {
  (void)state;
  for (uint32_t kind = NODE; kind <= SWITCH; kind++) {
    const struct shape *s = &shapes[0];
    struct device d;
    open_device(&d, kind, s);
    for (uint32_t on = 0; on < 4; on++) { /* reset, on, off, on */
      uint32_t address = address_of(s, on, 8);
      if (on)
        write_reg(&d, LOOM_KNS_REG_ADDRESS, (on & 1) << 16 | address);
      cycles(&d, 2);
      for (uint32_t r0 = 0; r0 < 6; r0++) {
        uint32_t dest = address_of(s, on, 6 + r0), known = kind == SWITCH ? r0 : r0 == 2 ? 0 : 1;
        assert_int_equal(route(&d, 1, dest), on & 1 ? known : LOST);
      }
    }
    assert_int_equal(read_reg(&d, R_CAUSE + CAUSE_UNKNOWN), 12);
    close_device(&d);
  }
}

/* KN-02: a packet goes where the registers say that stand in cycle e: a write in cycle c is seen by
 * heads that come in c + 2, not by those of c + 1. */
static void a_written_address_counts_for_heads_of_two_cycles_later(void **state) {
  (void)state;
  for (uint32_t kind = NODE; kind <= SWITCH; kind++) {
    struct device d;
    uint32_t seen = 0;
    open_device(&d, kind, &shapes[0]);
    d.in.reg_we = 1;
    d.in.reg_addr = LOOM_KNS_REG_ADDRESS;
    d.in.reg_wdata = (uint32_t)ON | address_of(&shapes[0], 1, 0);
    for (uint32_t c = 0; c < 16; c++) { /* one packet a port, in cycles 0, 1, 2 */
      if (c < 3)
        put(&d, c, address_of(&shapes[0], 1, 0), 0);
      cycle(&d);
      for (uint32_t p = 0; p < d.ports; p++)
        if (d.out.out_valid[p]) {
          assert_int_equal(c, 10);
          seen++;
        }
    }
    assert_int_equal(seen, 1);
    close_device(&d);
  }
}

/* OP-14, OP-15: the header latencies of ib_switch, from every port to every port. */
static void the_header_latencies_are_those_of_ib_switch(void **state) {
  (void)state;
  static const struct shape sets[] = {
      {6, 2, 3, 1, 0, 0, 0, 0, 0}, {6, 2, 3, 1, 30, 48, 7, 2, 7}, {6, 2, 3, 1, 30, 48, 15, 2, 7}};
  static const uint32_t latency[] = {8, 150, 158};
  for (uint32_t kind = NODE; kind <= SWITCH; kind++)
    for (uint32_t i = 0; i < 3; i++) {
      struct device d;
      open_device(&d, kind, &sets[i]);
      write_reg(&d, LOOM_KNS_REG_ADDRESS, (uint32_t)ON | address_of(&sets[i], 5, 0));
      cycles(&d, 2);
      for (uint32_t in = 0; in < d.ports; in++)
        for (uint32_t out = 0; out < d.ports; out++) {
          uint32_t to = kind == SWITCH ? out : out == 2 ? 6 : out; /* (0,0), (0,1), (1,0) */
          assert_int_equal(route_late(&d, in, address_of(&sets[i], 5, to), latency[i]), out);
        }
      close_device(&d);
    }
}

/* ---- registers and parameters ---------------------------------------------------------------- */

/* E5-39: what there is beside the registers of ib_switch, and that there is no LFT. */
static void a_kns_device_has_an_address_and_no_lft(void **state) {
  (void)state;
  static const uint32_t nothing[] = {
      LOOM_SWITCH_REG_LFT_COUNT, 0x6, 0xF, 0x12, 0x1F, 0x40, LOOM_SWITCH_REG_LFT,
      LOOM_SWITCH_REG_LFT + 77};
  uint64_t seed = 1;
  for (uint32_t kind = NODE; kind <= SWITCH; kind++) {
    struct device d;
    open_device(&d, kind, &shapes[3]);
    assert_int_equal(read_reg(&d, LOOM_SWITCH_REG_ID), 0x4C000004 | kind << 16 | d.ports << 8);
    assert_int_equal(read_reg(&d, LOOM_SWITCH_REG_MTU), 8);
    assert_int_equal(read_reg(&d, LOOM_KNS_REG_ADDRESS), 0);
    assert_int_equal(read_reg(&d, LOOM_KNS_REG_DIMENSION), 0);
    for (uint32_t i = 0; i < 100; i++) {
      uint32_t a = (uint32_t)loom_random(&seed), b = (uint32_t)loom_random(&seed);
      write_reg(&d, LOOM_KNS_REG_ADDRESS, a);
      write_reg(&d, LOOM_KNS_REG_DIMENSION, b);
      write_reg(&d, nothing[i % 8], ~0u);
      assert_int_equal(read_reg(&d, LOOM_KNS_REG_ADDRESS), a & 0x1FFFF);
      assert_int_equal(read_reg(&d, LOOM_KNS_REG_DIMENSION), kind == NODE ? 0 : b & 3);
      assert_int_equal(read_reg(&d, nothing[i % 8]), 0);
    }
    close_device(&d);
  }
}

/* Host and coordinates have at most 15 bits; the other bounds are those of ib_switch. */
static void host_and_coordinates_have_at_most_15_bits(void **state) {
  (void)state;
  static const struct {
    uint32_t hosts, dims, w;
    bool legal;
  } cases[] = {{1, 2, 3, true},  {8, 4, 3, true},  {8, 2, 6, true},  {4, 3, 4, true},
               {8, 3, 4, true},  {1, 3, 5, true},  {2, 3, 5, false}, {1, 4, 4, false},
               {1, 3, 6, false}, {8, 4, 4, false}, {9, 1, 1, false}, {0, 1, 1, false},
               {1, 5, 1, false}, {1, 1, 7, false}, {1, 0, 3, false}, {1, 2, 0, false}};
  for (uint32_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    struct loom_kns_node_cfg node;
    struct loom_kns_switch_cfg sw;
    loom_kns_node_defaults(&node);
    loom_kns_switch_defaults(&sw);
    node.HOSTS = sw.HOSTS = cases[i].hosts;
    node.DIMS = sw.DIMS = cases[i].dims;
    node.W = sw.W = cases[i].w;
    assert_int_equal(loom_kns_node_cfg_ok(&node), cases[i].legal);
    assert_int_equal(loom_kns_switch_cfg_ok(&sw), cases[i].legal);
    sw.K = 49;
    assert_false(loom_kns_switch_cfg_ok(&sw));
    node.RESERVED_IN = node.CELLS_IN;
    assert_false(loom_kns_node_cfg_ok(&node));
  }
}

/* ---- a fabric: KN-01, KN-02, KN-05, GV-7 ----------------------------------------------------- */

enum { PREFIX = 1, STEPS = 8, LINKS_MAX = 2 + 2 * 4 };

/* One way of a packet: the devices that it went through. */
struct way {
  uint32_t devices, device[LINKS_MAX];
  bool arrived;
};

/* Nodes first, then the switches of dimension 0, 1, ... (docs/topo.md, section kns). A link takes
 * one cycle more than in hardware. */
struct fabric {
  const struct shape *shape;
  uint32_t nodes, devices, arrived;
  uint32_t row; /* switches of a dimension */
  struct device *device;
  struct loom_kns_node_out *before;    /* outputs of the last cycle */
  uint32_t (*load)[LOOM_SWITCH_PORTS]; /* packets on each link out */
  struct way *way;                     /* of (node, dest host) */
};

struct end {
  uint32_t device, port;
};

/* The device at the other end of a link of the fabric, and its port there. */
static struct end peer(const struct fabric *f, uint32_t device, uint32_t port) {
  const struct shape *s = f->shape;
  if (device < f->nodes) {
    uint32_t d = port - s->hosts, step = power(s->k, d);
    uint32_t others = device / step / s->k * step + device % step;
    return (struct end){f->nodes + d * f->row + others, device / step % s->k};
  }
  uint32_t d = (device - f->nodes) / f->row, others = (device - f->nodes) % f->row;
  uint32_t step = power(s->k, d);
  return (struct end){others / step * step * s->k + port * step + others % step, s->hosts + d};
}

static bool to_host(const struct fabric *f, uint32_t device, uint32_t port) {
  return device < f->nodes && port < f->shape->hosts;
}

static void open_fabric(struct fabric *f, const struct shape *s) {
  uint32_t nodes = power(s->k, s->dims), row = nodes / s->k, devices = nodes + s->dims * row;
  *f = (struct fabric){.shape = s, .nodes = nodes, .devices = devices, .row = row};
  f->device = calloc(devices, sizeof *f->device);
  f->before = calloc(devices, sizeof *f->before);
  f->load = calloc(devices, sizeof *f->load);
  f->way = calloc((size_t)nodes * nodes * s->hosts * s->hosts, sizeof *f->way);
  assert_true(f->device && f->before && f->load && f->way);
  for (uint32_t i = 0; i < devices; i++) {
    struct device *d = &f->device[i];
    open_device(d, i < nodes ? NODE : SWITCH, s);
    uint32_t address = i < nodes ? address_of(s, PREFIX, i) : address_of(s, PREFIX, 0);
    write_reg(d, LOOM_KNS_REG_ADDRESS, (uint32_t)ON | address);
    write_reg(d, LOOM_KNS_REG_DIMENSION, i < nodes ? 0 : (i - nodes) / row);
    cycles(d, 2);
  }
}

static void close_fabric(struct fabric *f) {
  for (uint32_t i = 0; i < f->devices; i++)
    close_device(&f->device[i]);
  free(f->device);
  free(f->before);
  free(f->load);
  free(f->way);
}

/* What a link brings to this port: flits and credits; a host takes all at once. */
static void connect(struct fabric *f, uint32_t device, uint32_t port) {
  struct loom_kns_node_in *in = &f->device[device].in;
  const struct loom_kns_node_out *own = &f->before[device];
  if (to_host(f, device, port)) {
    in->out_cr_valid[port] = own->out_valid[port];
    in->out_cr_vl[port] = own->out_vl[port];
    return;
  }
  struct end e = peer(f, device, port);
  const struct loom_kns_node_out *far = &f->before[e.device];
  in->in_valid[port] = far->out_valid[e.port];
  in->in_head[port] = far->out_head[e.port];
  in->in_tail[port] = far->out_tail[e.port];
  in->in_vl[port] = far->out_vl[e.port];
  in->in_data[port] = far->out_data[e.port];
  in->out_cr_valid[port] = far->in_cr_valid[e.port];
  in->out_cr_vl[port] = far->in_cr_vl[e.port];
}

/* Number of a host in the whole fabric; src and dest of a packet as such numbers. */
static uint32_t hosts_of(const struct fabric *f) { return f->nodes * f->shape->hosts; }

/* Notes a packet on a link out of a device; at a host it must be the right one. */
static void note(struct fabric *f, uint32_t device, uint32_t port) {
  const struct device *d = &f->device[device];
  if (!d->out.out_valid[port])
    return;
  const struct shape *s = f->shape;
  uint32_t src = LOOM_GET(LOOM_HEAD_SRC, d->out.out_data[port]);
  struct place to = place_of(s, LOOM_GET(LOOM_HEAD_DEST, d->out.out_data[port]));
  uint32_t node = 0;
  for (uint32_t k = s->dims; k--;)
    node = node * s->k + to.r[k];
  struct way *w = &f->way[src * hosts_of(f) + node * s->hosts + to.host];
  assert_in_range(w->devices, 0, LINKS_MAX - 1);
  assert_false(w->arrived);
  w->device[w->devices++] = device;
  f->load[device][port]++;
  if (to_host(f, device, port)) {
    assert_int_equal(device, node);
    assert_int_equal(port, to.host);
    w->arrived = true;
    f->arrived++;
  }
}

static void fabric_cycle(struct fabric *f) {
  for (uint32_t i = 0; i < f->devices; i++)
    f->before[i] = f->device[i].out;
  for (uint32_t i = 0; i < f->devices; i++) {
    for (uint32_t p = 0; p < f->device[i].ports; p++)
      connect(f, i, p);
    step(&f->device[i]);
    for (uint32_t p = 0; p < f->device[i].ports; p++)
      note(f, i, p);
    assert_int_equal(f->device[i].out.trap, 0);
  }
}

/* Every host sends to every other one, each time the one so many further on. */
static void all_to_all(struct fabric *f) {
  const struct shape *s = f->shape;
  uint32_t hosts = hosts_of(f);
  for (uint32_t shift = 1; shift < hosts; shift++) {
    for (uint32_t src = 0; src < hosts; src++) {
      uint32_t dest = (src + shift) % hosts;
      uint32_t address = address_of(s, PREFIX, dest / s->hosts) | dest % s->hosts;
      put(&f->device[src / s->hosts], src % s->hosts, address, src);
    }
    for (uint32_t c = 0; c < STEPS * s->k; c++)
      fabric_cycle(f);
  }
  for (uint32_t c = 0; c < 400; c++)
    fabric_cycle(f);
}

/* Dimensions in which two nodes differ. */
static uint32_t distance(const struct shape *s, uint32_t a, uint32_t b) {
  uint32_t n = 0;
  for (uint32_t d = 0; d < s->dims; d++, a /= s->k, b /= s->k)
    n += a % s->k != b % s->k;
  return n;
}

/* Counts ordered pairs of hosts by links, those of the hosts included: a switch and a node more for
 * each dimension. */
static void count_pairs(const struct fabric *f, uint32_t *pairs) {
  uint32_t hosts = hosts_of(f), per = f->shape->hosts;
  for (uint32_t a = 0; a < hosts; a++)
    for (uint32_t b = 0; b < hosts; b++) {
      const struct way *w = &f->way[a * hosts + b];
      assert_int_equal(w->arrived, a != b);
      if (a == b)
        continue;
      uint32_t links = 1 + w->devices;
      assert_int_equal(links, 2 + 2 * distance(f->shape, a / per, b / per));
      pairs[links]++;
    }
}

/* The same load on every link between a node and a switch, both ways. */
static void check_loads(const struct fabric *f, uint32_t load) {
  for (uint32_t i = 0; i < f->devices; i++)
    for (uint32_t p = 0; p < f->device[i].ports; p++)
      assert_int_equal(f->load[i][p], to_host(f, i, p) ? hosts_of(f) - 1 : load);
}

/* KN-02, GV-7: 6-ary 2-direct 1-indirect, all to all: 360 pairs of 4 links, 900 of 6; 30 packets on
 * every inner link; (0,0) to (4,2) by switch [0,0], router [0,2], switch [1,2]. */
static void all_pairs_of_a_6_ary_2_direct_kns_arrive_over_4_or_6_links(void **state) {
  (void)state;
  struct fabric f;
  uint32_t pairs[LINKS_MAX + 1] = {0};
  open_fabric(&f, &shapes[0]);
  all_to_all(&f);
  count_pairs(&f, pairs);
  assert_int_equal(pairs[4], 360);
  assert_int_equal(pairs[6], 900);
  assert_int_equal(f.arrived, 1260);
  check_loads(&f, 30);
  const struct way *w = &f.way[0 * 36 + 4 * 6 + 2];
  const uint32_t devices[] = {0, 36 + 0, 0 * 6 + 2, 36 + 6 + 2, 4 * 6 + 2};
  assert_int_equal(w->devices, 5);
  assert_memory_equal(w->device, devices, sizeof devices);
  close_fabric(&f);
}

/* KN-01: other fabrics; with H hosts a node each inner link carries H^2 (k - 1) k^(n - 1). */
static void inner_links_of_other_kns_fabrics_are_loaded_evenly(void **state) {
  (void)state;
  static const struct shape fabrics[] = {{.k = 4, .dims = 2, .w = 2, .hosts = 1},
                                         {.k = 3, .dims = 3, .w = 2, .hosts = 1},
                                         {.k = 3, .dims = 2, .w = 3, .hosts = 3},
                                         {.k = 2, .dims = 4, .w = 1, .hosts = 1}};
  for (uint32_t i = 0; i < 4; i++) {
    const struct shape *s = &fabrics[i];
    struct fabric f;
    uint32_t pairs[LINKS_MAX + 1] = {0}, sum = 0;
    open_fabric(&f, s);
    all_to_all(&f);
    count_pairs(&f, pairs);
    for (uint32_t n = 0; n <= LINKS_MAX; n++)
      sum += pairs[n];
    assert_int_equal(sum, hosts_of(&f) * (hosts_of(&f) - 1));
    assert_int_equal(f.arrived, sum);
    check_loads(&f, s->hosts * s->hosts * (s->k - 1) * power(s->k, s->dims - 1));
    close_fabric(&f);
  }
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_node_sends_along_the_first_dimension_that_is_wrong),
      cmocka_unit_test(a_switch_sends_to_the_node_with_the_right_coordinate),
      cmocka_unit_test(every_destination_is_unknown_while_the_address_is_off),
      cmocka_unit_test(a_written_address_counts_for_heads_of_two_cycles_later),
      cmocka_unit_test(the_header_latencies_are_those_of_ib_switch),
      cmocka_unit_test(a_kns_device_has_an_address_and_no_lft),
      cmocka_unit_test(host_and_coordinates_have_at_most_15_bits),
      cmocka_unit_test(all_pairs_of_a_6_ary_2_direct_kns_arrive_over_4_or_6_links),
      cmocka_unit_test(inner_links_of_other_kns_fabrics_are_loaded_evenly),
  };
  return UNIT_RUN("kns", tests, NULL, NULL);
}
