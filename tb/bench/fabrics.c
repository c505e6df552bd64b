/* SPDX-License-Identifier: Apache-2.0 */
/* fabrics.c - speed of whole fabrics of switch twins and hosts, on one core (make bench)
 *
 *     fabrics [CYCLES]    cycles that are measured, 8 at least, 4000 by default
 *
 * Uniform traffic of messages of MESSAGE flits, which come at random. What is timed is everything
 * that a run needs: hosts, links, switches and the drawing of the traffic. Exit status: 0 measured,
 * 1 something was lost, 2 no memory, or bad numbers.
 */
#define _GNU_SOURCE /* clock_gettime, mincore */
#include <loom/bits.h>
#include <loom/random.h>
#include <malloc.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "fabric/host.h"
#include "fabric/switch_class.h"
#include "routing/routing.h"
#include "switch/ib_rule.h"
#include "topo/generate.h"
#include <loom/switch_registers.h>

enum { MESSAGE = 64, WARM = 2000, CYCLES = 4000, SLICES = 8, WEIGHT = 64 };
enum kind { IB, OPA, KINDS };
enum shape { TORUS, TREE, SMALL, SHAPES };

static const char *const kind_name[] = {"ib_switch", "opa_switch"};
/* The last one is the fabric by which other simulators are measured (BookSim 2); its switches have
 * 5 ports, so there is none of Omni-Path. */
static const char *const shape_name[] = {"8x8 torus, 8 hosts, x10", "4-ary 3-tree",
                                         "8x8 torus, 1 host, x1"};

/* A fabric that is built. */
struct bench {
  enum kind kind;
  struct loom_topo *topo;
  struct loom_routing *routing;
  struct loom_fabric *fabric;
  struct loom_ledger *ledger;
  struct loom_switch **twin; /* by row */
  struct loom_host **host;
  uint16_t *lid;        /* by host */
  uint64_t *next;       /* cycle of a host's next message */
  uint32_t *number;     /* by device of the topology: in the fabric */
  size_t bytes, stored; /* of a switch, of its storage */
  uint32_t vls, remote, reserved;
  uint64_t seed;
};

static void *must(void *p) {
  if (p)
    return p;
  fprintf(stderr, "fabrics: out of memory\n");
  exit(2);
}

static void *allocate(size_t count, size_t size) { return must(calloc(count + 1, size)); }

/* ---- building -------------------------------------------------------------------------------- */

static struct loom_topo *make_topo(enum shape shape) {
  const struct loom_topo_torus_cfg torus = {.dims = 2, .size = {8, 8}, .nodes = 8, .trunk = 10};
  const struct loom_topo_torus_cfg small = {.dims = 2, .size = {8, 8}, .nodes = 1, .trunk = 1};
  const struct loom_topo_tree_cfg tree = {.k = 4, .n = 3, .trunk = 1};
  if (shape == TREE)
    return must(loom_topo_tree_make(&tree));
  return must(loom_topo_torus_make(shape == SMALL ? &small : &torus));
}

static struct loom_routing *make_routing(const struct bench *b, enum shape shape) {
  const struct loom_routing_options options = {
      .lmc = 0, .avoid = b->kind == OPA ? LOOM_ROUTING_DATELINE_TURN : LOOM_ROUTING_DATELINE_PATH};
  struct loom_routing_error err = {.text = ""};
  struct loom_routing *r = loom_routing_make(
      b->topo, shape == TREE ? LOOM_ROUTING_FTREE : LOOM_ROUTING_DOR, &options, &err);
  if (!r) {
    fprintf(stderr, "fabrics: %s\n", err.text);
    exit(2);
  }
  return r;
}

static void add_ib(struct bench *b, uint32_t row, uint32_t ports) {
  struct loom_ib_switch_cfg cfg;
  loom_ib_switch_defaults(&cfg);
  cfg.PORTS = ports;
  b->twin[row] = (struct loom_switch *)must(loom_ib_switch_new(b->fabric, &cfg));
  b->bytes = sizeof(struct loom_ib_switch);
  b->stored = loom_ib_switch_storage_size(&cfg);
  b->vls = cfg.VLS;
  b->remote = cfg.CELLS_IN;
  b->reserved = cfg.RESERVED_IN;
}

static void add_opa(struct bench *b, uint32_t row, uint32_t ports) {
  struct loom_opa_switch_cfg cfg;
  loom_opa_switch_defaults(&cfg);
  cfg.MPORTS = ports / 4;
  b->twin[row] = (struct loom_switch *)must(loom_opa_switch_new(b->fabric, &cfg));
  b->bytes = sizeof(struct loom_opa_switch);
  b->stored = loom_opa_switch_storage_size(&cfg);
  b->vls = cfg.VLS;
  b->remote = cfg.CELLS_IN;
  b->reserved = cfg.RESERVED_IN;
}

static void add_switches(struct bench *b) {
  const struct loom_routing *r = b->routing;
  for (uint32_t row = 0; row < r->switches; row++) {
    uint32_t ports = b->topo->device[r->device[row]].ports;
    (b->kind == IB ? add_ib : add_opa)(b, row, ports);
    b->number[r->device[row]] = loom_fabric_add(
        b->fabric, b->kind == IB ? &loom_ib_switch_class : &loom_opa_switch_class, b->twin[row]);
  }
}

static void receive(void *context, const struct loom_message *message, bool damaged) {
  (void)context;
  (void)message;
  (void)damaged;
}

static void add_hosts(struct bench *b) {
  const struct loom_routing *r = b->routing;
  bool path = r->layering == LOOM_ROUTING_LAYER_PATH;
  struct loom_host_cfg cfg = {.classes = 1, .mtu = {MESSAGE}, .lid = b->lid, .paths = 1, .seed = 3};
  loom_sched_port_defaults(&cfg.port);
  cfg.port.SCHED = LOOM_PORT_RR;
  cfg.port.VLS = b->vls;
  cfg.port.MGMT_VL = b->vls - 1;
  cfg.port.REMOTE_UNITS = b->remote;
  cfg.port.REMOTE_RESERVED = b->reserved;
  cfg.path = path ? r->path : NULL;
  cfg.stride = r->lids;
  b->ledger = must(loom_ledger_create(r->ends, receive, NULL));
  for (uint32_t h = 0; h < r->ends; h++)
    b->lid[h] = (uint16_t)r->end[h].lid;
  for (uint32_t h = 0; h < r->ends; h++) {
    b->host[h] = must(loom_host_create(&cfg, b->ledger, h));
    uint32_t number = loom_fabric_add(b->fabric, &loom_host_class, b->host[h]);
    b->number[r->end[h].device] = number;
    loom_host_attach(b->host[h], b->fabric, number);
  }
}

static void connect(struct bench *b) {
  const struct loom_topo *t = b->topo;
  for (uint32_t d = 0; d < t->devices; d++)
    for (uint32_t p = 1; p <= t->device[d].ports; p++) {
      const struct loom_topo_port *port = loom_topo_port(t, d, p);
      if (port->device != LOOM_TOPO_NONE && d < port->device)
        loom_fabric_connect(b->fabric, b->number[d], p - 1, b->number[port->device],
                            port->port - 1u, 1);
    }
}

/* SL2VL or SC2SC: the layer to which {in, out} takes a class or a layer; both are their own VL. */
static void write_maps(struct bench *b, uint32_t row, uint32_t ports) {
  const struct loom_routing *r = b->routing;
  uint32_t device = b->number[r->device[row]];
  bool path = r->layering == LOOM_ROUTING_LAYER_PATH;
  uint32_t things = path ? r->classes : r->layers;
  for (uint32_t in = 0; in < ports; in++)
    for (uint32_t out = 0; out < ports; out++)
      for (uint32_t i = 0; i < things; i++)
        loom_fabric_write(b->fabric, device,
                          loom_switch_window(LOOM_SWITCH_REG_PORTS, in) + LOOM_SWITCH_WIN_MAP +
                              LOOM_SWITCH_MAP * out + i,
                          loom_routing_layer(r, row, in + 1, out + 1, path ? i : 0, path ? 0 : i));
}

static void write_tables(struct bench *b, uint32_t row) {
  const struct loom_routing *r = b->routing;
  uint32_t device = b->number[r->device[row]], ports = b->topo->device[r->device[row]].ports;
  for (uint32_t lid = 0; lid < r->lids; lid++) {
    uint32_t port = loom_routing_out(r, row, lid);
    bool none = port == 0 || port == LOOM_ROUTING_UNREACHABLE;
    loom_fabric_write(b->fabric, device, LOOM_SWITCH_REG_LFT + lid,
                      none ? LOOM_SWITCH_NOWHERE : port - 1);
  }
  loom_fabric_write(b->fabric, device, LOOM_SWITCH_REG_LFT_COUNT, r->lids);
  uint32_t every = loom_switch_window(LOOM_SWITCH_REG_PORTS, LOOM_SWITCH_EVERY);
  for (uint32_t key = 0; key < b->vls; key++)
    loom_fabric_write(b->fabric, device, every + LOOM_SWITCH_WIN_TABLE + key,
                      loom_sched_entry(key, WEIGHT));
  if (r->layering == LOOM_ROUTING_LAYER_NONE)
    return;
  write_maps(b, row, ports);
  loom_fabric_write(b->fabric, device, LOOM_SWITCH_REG_CONTROL,
                    b->kind == IB ? LOOM_IB_MODE_SL2VL : LOOM_OPA_MODE_SC2SC);
}

static void build(struct bench *b, enum kind kind, enum shape shape) {
  memset(b, 0, sizeof *b);
  b->kind = kind;
  b->topo = make_topo(shape);
  b->routing = make_routing(b, shape);
  const struct loom_routing *r = b->routing;
  const struct loom_fabric_cfg cfg = {
      .devices = b->topo->devices, .links = b->topo->ports, .latency = 1};
  b->fabric = must(loom_fabric_create(&cfg));
  b->twin = allocate(r->switches, sizeof(void *));
  b->host = allocate(r->ends, sizeof(void *));
  b->lid = allocate(r->ends, sizeof *b->lid);
  b->next = allocate(r->ends, sizeof *b->next);
  b->number = allocate(b->topo->devices, sizeof *b->number);
  add_switches(b);
  add_hosts(b);
  connect(b);
  for (uint32_t row = 0; row < r->switches; row++)
    write_tables(b, row);
}

static void destroy(struct bench *b) {
  for (uint32_t h = 0; h < b->routing->ends; h++)
    loom_host_destroy(b->host[h]);
  loom_ledger_destroy(b->ledger);
  loom_fabric_destroy(b->fabric);
  loom_routing_destroy(b->routing);
  loom_topo_destroy(b->topo);
  free(b->twin);
  free(b->host);
  free(b->lid);
  free(b->next);
  free(b->number);
}

/* ---- running --------------------------------------------------------------------------------- */

/* Cycles to the next message: geometric, `mean` on average. */
static uint64_t gap(uint64_t *seed, double mean) {
  double u = ((double)(loom_random(seed) >> 11) + 1) / 9007199254740993.0;
  return 1 + (uint64_t)(-log(u) * (mean - 1));
}

static void offer(struct bench *b, double load) {
  uint64_t now = loom_fabric_now(b->fabric);
  uint32_t hosts = b->routing->ends;
  for (uint32_t h = 0; h < hosts; h++)
    while (b->next[h] <= now) {
      uint32_t dst = loom_below(&b->seed, hosts - 1);
      const struct loom_message m = {.dst = dst + (dst >= h), .flits = MESSAGE};
      loom_host_post(b->host[h], &m);
      b->next[h] += gap(&b->seed, MESSAGE / load);
    }
}

static void run(struct bench *b, double load, uint64_t cycles) {
  for (; cycles; cycles--) {
    offer(b, load);
    loom_fabric_step(b->fabric);
  }
}

static double cpu_seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Bytes of a switch that memory was needed for, on average. Flits are what a storage begins with.
 */
static size_t touched(const struct bench *b) {
  size_t page = (size_t)sysconf(_SC_PAGESIZE), pages = 0, most = b->stored / page + 2;
  unsigned char *resident = allocate(most, 1);
  for (uint32_t row = 0; row < b->routing->switches; row++) {
    char *storage = (char *)b->twin[row]->cells.flit;
    char *from = storage - (uintptr_t)storage % page;
    size_t n = ((size_t)(storage - from) + b->stored + page - 1) / page;
    if (mincore(from, n * page, resident))
      continue;
    for (size_t i = 0; i < n; i++)
      pages += resident[i] & 1;
  }
  free(resident);
  return b->bytes + pages * page / loom_max(1, b->routing->switches);
}

static bool sound(const struct bench *b) {
  struct loom_ledger_counts c = loom_ledger_counts(b->ledger);
  return !c.damaged && !c.stray && !c.exhausted && c.received > 0;
}

/* Flit-hops a second. */
static double run_slice(struct bench *b, double load, uint64_t cycles, double *hops,
                        double *seconds) {
  uint64_t before = loom_fabric_counts(b->fabric).flits;
  double begin = cpu_seconds();
  run(b, load, cycles);
  double took = cpu_seconds() - begin,
         went = (double)(loom_fabric_counts(b->fabric).flits - before);
  *hops += went;
  *seconds += took;
  return went / took;
}

/* False: something was lost. */
static bool measure(enum kind kind, enum shape shape, double load, uint64_t cycles) {
  struct bench b;
  build(&b, kind, shape);
  run(&b, load, WARM);
  uint64_t received = loom_ledger_counts(b.ledger).flits_received;
  double hops = 0, seconds = 0, best = 0;
  for (uint64_t i = 0; i < SLICES; i++)
    best = fmax(best, run_slice(&b, load, cycles * (i + 1) / SLICES - cycles * i / SLICES, &hops,
                                &seconds));
  double switches = b.routing->switches, hosts = b.routing->ends, n = (double)cycles;
  received = loom_ledger_counts(b.ledger).flits_received - received;
  printf("%-23s %-10s %4.1f %8.3f %8.2f %8.2f %6.2f %10.1f %9zu %9zu\n", shape_name[shape],
         kind_name[kind], load, (double)received / n / hosts, hops / n / switches,
         hops / seconds / 1e6, best / 1e6, switches * n / seconds / 1e3,
         (b.bytes + b.stored) / 1024, touched(&b) / 1024);
  fflush(stdout);
  bool ok = sound(&b);
  destroy(&b);
  return ok;
}

int main(int argc, char **argv) {
  static const double loads[] = {0.1, 0.5, 0.9};
  uint64_t cycles = argc > 1 ? strtoull(argv[1], NULL, 10) : CYCLES;
  bool ok = true;
  mallopt(M_MMAP_THRESHOLD, 1 << 20); /* each twin gets fresh memory */
  if (argc > 2 || cycles < SLICES) {
    fprintf(stderr, "usage: fabrics [CYCLES]\n");
    return 2;
  }
  printf(
      "\nFabrics of twins, hosts included, one thread, CPU time: flits received a host and cycle; "
      "flits over links a\nswitch and cycle; million flit-hops a second, and in the fastest "
      "eighth, "
      "which a shared machine disturbs least;\nthousand switch-cycles a second; KiB of a switch, "
      "and "
      "of these touched.\n\n%-23s %-10s %4s %8s %8s %8s %6s %10s %9s %9s\n",
      "fabric", "switch", "load", "flits/h", "hops/s/c", "Mhops/s", "best", "kcycles/s", "KiB",
      "touched");
  for (uint32_t shape = 0; shape < SHAPES; shape++)
    for (uint32_t kind = 0; kind < (shape == SMALL ? OPA : KINDS); kind++)
      for (size_t i = 0; i < sizeof loads / sizeof loads[0]; i++)
        ok = measure((enum kind)kind, (enum shape)shape, loads[i], cycles) && ok;
  return ok ? 0 : 1;
}
