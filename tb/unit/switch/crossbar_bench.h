/* SPDX-License-Identifier: Apache-2.0 */
/* crossbar_bench.h - a bench for the twins of crossbar_switch and mport_switch: a sender and a
 * receiver with credits on every link, and the register bus
 *
 * It finds every packet that comes out at an output where it may, on its lane, in the order of its
 * flow and with all of its flits. */
#ifndef LOOM_TB_UNIT_SWITCH_CROSSBAR_BENCH_H
#define LOOM_TB_UNIT_SWITCH_CROSSBAR_BENCH_H

#include <loom/bits.h>
#include <loom/head.h>
#include <loom/random.h>

#include "switch/crossbar_switch.h"
#include "switch/mport_switch.h"

enum { UNIT = LOOM_UNIT_FLITS, VL_MGMT = 15, PORTS = LOOM_CHASSIS_PORTS, LANES = LOOM_VLS };
enum {
  START = LOOM_CHASSIS_START,
  PACE = LOOM_CHASSIS_PACE,
  ANSWERS = 3,
  PATIENCE = 20000,
  NEVER = -1
};
enum { ROUND_ROBIN, BANDWIDTH_TABLE, DEFICIT_TABLE, TWO_TABLE }; /* SCHED */
enum { BY_LFT, BY_NODE, BY_SWITCH };                             /* ROUTE */
enum { ON = 1 << LOOM_KNS_REG_ADDRESS_ON_AT, ADDRESSES = 65536 };
enum { BAD_HEAD = 1, OVERRUN = 2, UNKNOWN = 3, NO_VL = 4, TOO_LONG = 5 };
enum { WEIGHT = 64 };  /* of each entry of the tables: more units than a packet has here */
enum { SOURCES = 64 }; /* a source address, modulo this, is the port in */

struct packet {
  uint32_t vl, sl, dest, len; /* vl as on the link */
  uint32_t src;
  bool after, more; /* of a train, as its head says */
  uint32_t next;    /* of the same list; 0: none */
  int sent, came;   /* cycles of the head on the links; NEVER */
  uint64_t may;     /* ports where it may come out, by what was written when it was sent */
  uint32_t out;     /* where it did */
};

/* Packets by number, first in first out. */
struct list {
  uint32_t first, last;
};

struct sender {
  struct list waits[LANES]; /* by lane */
  uint32_t turn;            /* the lane that is looked at first */
  uint32_t current, place;  /* on the link; 0: none */
  uint32_t used[LANES];     /* units at the input */
  bool careless;            /* of credits */
};

struct receiver {
  uint32_t current, place;
  uint32_t owed[LANES]; /* units that go back */
  bool stopped;
};

/* Registers of a switch that goes by coordinates. */
struct place {
  uint32_t address, dimension;
};

struct bench {
  struct loom_crossbar_switch *s;
  struct loom_crossbar_switch *restless; /* NULL, or the same one, that never leaves out a step */
  struct loom_mport_switch *mport, *mport_restless; /* in place of these two, or NULL */
  struct loom_crossbar_switch_cfg cfg; /* of an mport_switch what has the same name, and PORTS */
  struct loom_crossbar_switch_in in;   /* its ports are the same */
  struct loom_crossbar_switch_out out;
  struct loom_crossbar_switch_probe probe;
  void *storage, *restless_storage, *packets_storage;
  int differences; /* cycles in which the restless one shows something else, */
  bool tolerant;   /* which is no failure */
  int now, slept;  /* cycles; those that were left out as a whole */
  uint64_t seed;
  uint32_t pause; /* percent of the cycles in which a sender brings no flit */
  struct sender sender[PORTS];
  struct receiver receiver[PORTS];
  struct list flow[PORTS][PORTS][LANES]; /* by source, output, lane there */
  struct list loose[PORTS][LANES]; /* of packets with several outputs; numbers as heads have */
  int latest[PORTS][PORTS][LANES]; /* sent, of those that came; by source, output, lane */
  struct packet *packet;
  uint32_t packets, room, came;
  uint32_t unknown;      /* that lead nowhere */
  uint64_t flits[PORTS]; /* that came out */

  /* What becomes of packets, as the tables were written. */
  uint32_t out_vl[LANES]; /* of an SL, while the map is on */
  bool map_on;
  bool disordered;            /* a flow may be, as its way through an mport_switch changes */
  uint8_t sc_out[LANES];      /* of an mport_switch: the SC that an SC becomes */
  struct place place, before; /* as written last, as it was until then */
  int place_from;             /* the cycle from which on heads go by it */
  /* The ports where a packet whose head is on the link in this cycle may come out. NULL: the one of
   * its LID or its coordinates. */
  uint64_t (*may)(const struct bench *b, const struct packet *p);
  void *tables; /* that `may` looks at */
};

static inline uint32_t mgmt_of(const struct bench *b) { return loom_min(VL_MGMT, b->cfg.VLS - 1); }
static inline uint32_t lane_of(const struct bench *b, uint32_t vl) {
  return vl == VL_MGMT ? mgmt_of(b) : vl;
}
static inline uint32_t vl_of(const struct bench *b, uint32_t lane) {
  return lane == mgmt_of(b) ? VL_MGMT : lane;
}
static inline uint32_t units(uint32_t flits) { return (flits + UNIT - 1) / UNIT; }

/* ---- opening --------------------------------------------------------------------------------- */

/* A small switch. */
struct loom_crossbar_switch_cfg shape(void);
/* After reset. */
struct bench *fresh_bench(const struct loom_crossbar_switch_cfg *cfg);
/* After START, with nothing written. */
struct bench *new_bench(const struct loom_crossbar_switch_cfg *cfg);
/* LID p leads to port p, each key has an entry with a weight. */
struct bench *open_bench(const struct loom_crossbar_switch_cfg *cfg);
struct bench *open_bench_of(const struct loom_crossbar_switch_cfg *cfg, uint32_t weight);
/* The same, with one beside it that never rests. */
struct bench *open_both(const struct loom_crossbar_switch_cfg *cfg);
/* The same; but the switch itself follows packets (docs/packet_engine.md). */
struct bench *open_packets(const struct loom_crossbar_switch_cfg *cfg);
/* The same for an mport_switch, whose SCs have VLs and SLs of their numbers. */
struct bench *new_mport_bench(const struct loom_mport_switch_cfg *cfg);
struct bench *open_mport_bench(const struct loom_mport_switch_cfg *cfg);
struct bench *open_both_mports(const struct loom_mport_switch_cfg *cfg);
void close_bench(struct bench *b);

/* ---- packets --------------------------------------------------------------------------------- */

/* It waits at the port; gives its number. */
uint32_t post(struct bench *b, uint32_t port, uint32_t vl, uint32_t sl, uint32_t dest,
              uint32_t len);
uint64_t head_flit(const struct packet *p, uint32_t number);
/* What stands in b->in already goes in, too. */
void cycle(struct bench *b);
void cycles(struct bench *b, int n);
/* The one beside, with the inputs of b->in: shows what stands in b->out, although all of its units
 * are stepped. */
void step_restless(struct bench *b);
const struct packet *await(struct bench *b, uint32_t number);
void until_idle(struct bench *b);
/* All packets but those that lead nowhere came out, where and as they should; the others were
 * dropped as unknown. */
void expect_came(struct bench *b, uint32_t packets);

/* ---- registers ------------------------------------------------------------------------------- */

void write_reg(struct bench *b, uint32_t addr, uint32_t data);
/* The answer comes PORTS + 3 cycles later, and nothing else does meanwhile. */
uint32_t read_reg(struct bench *b, uint32_t addr);
uint32_t port_reg(uint32_t port, uint32_t a);
uint32_t read_port(struct bench *b, uint32_t port, uint32_t a);
uint32_t map_reg(uint32_t in, uint32_t out, uint32_t sl);
/* Another one may follow at once. */
void write_table(struct bench *b, uint32_t port, uint32_t t, uint32_t data);
uint32_t entry(uint32_t key, uint32_t weight);
uint32_t trap_word(uint32_t cause, uint32_t port, uint32_t lane, uint32_t dest);
/* The next trap is this one, and its cause was counted once at the port. */
void expect_trap(struct bench *b, uint32_t cause, uint32_t port, uint32_t lane, uint32_t dest);
/* What one of the switch's own registers has, before and after a write of all ones: 0 when nothing
 * was written, and the first reads that show it. */
void expect_kept(struct bench *b, uint32_t addr, uint32_t kept);

#endif
