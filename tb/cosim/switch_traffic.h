/* SPDX-License-Identifier: Apache-2.0 */
/* switch_traffic.h - endpoints around a switch: what ib_switch, opa_switch, kns_node and kns_switch
 * share (docs/switch.md)
 *
 * A run has three parts that do not know of each other but through the plan. The *plan* is drawn
 * once (switch_plan.c, or a directed case, switch_cases.c): tables, limits, traffic. The *ends*
 * follow it (switch_traffic.c): a generator with an open queue for each class and a sender on every
 * link in, a far end that gives credits back on every link out, the register bus. The *judge* looks
 * at the links only (switch_judge.c): order, payload, header, lane, credits of every packet.
 *
 * A class is {SC or SL, VL of entry} of a flow. The head flit's `src` carries where a packet comes
 * from (port, class, whether it must never come out), its `id` counts the packets of (port, class,
 * port out), the body is a pattern made from both.
 */
#ifndef LOOM_TB_SWITCH_TRAFFIC_H
#define LOOM_TB_SWITCH_TRAFFIC_H

#include "parts/credit_tracker.h"
#include "sched/sched_dtable.h"
#include "sched/sched_ibarb.h"
#include "sched/sched_sbt.h"
#include <loom/switch_registers.h>

#include "tb/cosim/sched_traffic.h"
#include "tb/ends/credits.h"
#include "tb/ends/switch_ports.h"

/* All switches have the same ports. */
typedef struct loom_ib_switch_in switch_in;
typedef struct loom_ib_switch_out switch_out;

enum {
  SWITCH_PORTS = 48,
  SWITCH_LANES = 32,
  SWITCH_CLASSES = 32,
  SWITCH_LIDS = 256, /* that the bench uses */
  SWITCH_WRITES = 8192,
  SWITCH_SEGMENTS = 12,
  SWITCH_GROUPS = 64,
  SWITCH_SLOTS = 64,     /* of a group */
  SWITCH_WAITING = 2048, /* packets of an input that are inside, at most */
  SWITCH_RECENT = 8,
  SWITCH_NONE = 255
};

/* A scheduler: its traffic and its parameters. */
struct switch_sched {
  const struct sched_kind *kind; /* NULL: none */
  union {
    sched_cfg common;
    struct loom_sched_sbt_cfg sbt;
    struct loom_sched_dtable_cfg dtable;
    struct loom_sched_ibarb_cfg ibarb;
  } cfg;
};

/* Where a switch looks for the output of a packet: in its LFT, in the packet's address. */
enum switch_finds { FINDS_LFT, FINDS_NODE, FINDS_DIMENSION };

/* The switch as its parameters make it. */
struct switch_facts {
  bool opa;
  enum switch_finds finds; /* kns_node: FINDS_NODE, kns_switch: FINDS_DIMENSION */
  uint32_t hosts, dims, w; /* of these two */
  uint32_t groups;         /* of ports that an entry of the LFT may name; 0: none */
  bool bubble;             /* outputs may belong to rings */
  uint32_t ports, vls, mgmt, centrals;
  uint32_t local, central; /* header latency, in cycles, of a packet that does not wait first */
  uint32_t rate;           /* most flits a cycle out of an input */
  uint32_t ahead;          /* cycles that the last flits may come after the head was let go */
  uint32_t central_rate;   /* most flits a cycle from an MPort to the central buffers */
  uint32_t cells_in, cells_out, cells_central;
  uint32_t reserved_in, reserved_out, reserved_central;
  uint32_t remote_units, remote_reserved;
  uint32_t mtu_units, lids;
  uint32_t keys, arb_key;
  struct switch_sched sched, central_sched;
  /* Of the second edition, else 0. */
  uint32_t sweep; /* cycles after reset in which nothing may come */
  uint32_t pace;  /* cycles from one write of the plan to the next */
  uint32_t told;  /* cycles from the last write of a table of SCs to the first packet */
  bool gentle;    /* limits, MTUs: before traffic only, and those of far ends under hold */
};

/* Facts that are parameters of every switch. */
#define SWITCH_FACTS(c)                                                                            \
  .vls = (c)->VLS, .mgmt = loom_min(15, (c)->VLS - 1), .cells_in = (c)->CELLS_IN,                  \
  .cells_out = (c)->CELLS_OUT, .reserved_in = (c)->RESERVED_IN, .reserved_out = (c)->RESERVED_OUT, \
  .remote_units = (c)->REMOTE_UNITS, .remote_reserved = (c)->REMOTE_RESERVED,                      \
  .mtu_units = (c)->MTU_UNITS, .keys = (c)->KEYS, .arb_key = (c)->ARB_KEY,                         \
  .local = (c)->ROUTING_CYCLES + 2 * (c)->BUFFER_CYCLES + (c)->ALLOCATION_CYCLES +                 \
           (c)->CROSSBAR_CYCLES + (c)->FLIGHT_CYCLES,                                              \
  .ahead =                                                                                         \
      (c)->ROUTING_CYCLES + (c)->BUFFER_CYCLES + (c)->ALLOCATION_CYCLES - 3 + (c)->STALL_CYCLES

/* Facts that are parameters of every switch of the second edition. Senders begin with half of the
 * units shared alike, as the far end of another switch would say. */
#define SWITCH_FACTS_2(c)                                                                          \
  .vls = (c)->VLS, .mgmt = loom_min(15, (c)->VLS - 1), .cells_in = (c)->CELLS_IN,                  \
  .cells_out = (c)->CELLS_OUT,                                                                     \
  .reserved_in =                                                                                   \
      loom_max((c)->CELLS_IN / 2 / (c)->VLS, loom_min((c)->MTU_UNITS, (c)->CELLS_IN / (c)->VLS)),  \
  .reserved_out = (c)->RESERVED_OUT, .remote_units = (c)->REMOTE_UNITS,                            \
  .remote_reserved = (c)->REMOTE_RESERVED, .mtu_units = (c)->MTU_UNITS, .keys = (c)->KEYS,         \
  .arb_key = (c)->ARB_KEY, .ahead = 7 + (c)->IN_DELAY + (c)->STALL_CYCLES, .lids = (c)->LIDS,      \
  .sweep = LOOM_CHASSIS_START, .pace = LOOM_CHASSIS_PACE, .gentle = true

/* docs/crossbar_switch.md: the latency of a packet that is alone there; without OUT_DELAY its first
 * word is waited for. */
static inline uint32_t switch_alone_2(uint32_t in_delay, uint32_t out_delay) {
  return 19 + in_delay + loom_max(out_delay, 1);
}

/* Cycles that a packet without gaps waits at an input until the rest of it comes in time. */
uint32_t switch_wait(const struct switch_facts *f, uint32_t length);

/* `which` as the parameter SCHED; the widths and keys of `facts` must be set. */
struct switch_sched switch_sched_of(const struct switch_facts *f, uint32_t which, uint32_t entries,
                                    uint32_t ib8, uint32_t n_high, uint32_t n_low);

/* ---- the plan -------------------------------------------------------------------------------- */

/* What stands in the registers of groups of ports. */
struct switch_groups {
  uint32_t count, hash, sls;
  uint64_t members[SWITCH_GROUPS];
  uint8_t slots[SWITCH_GROUPS][SWITCH_SLOTS];
};

/* What stands in the tables of the switch once they are written. */
struct switch_tables {
  uint32_t map_mode, central_choice, lids;
  uint8_t lft[SWITCH_LIDS]; /* with groups: {mode, port or group} */
  struct switch_groups groups;
  uint32_t address, dimension; /* without an LFT: registers, `on` in bit 16 of the first */
  uint8_t sc2vl[32], sc2sl[32], sl2sc[32];
  uint16_t mtu[SWITCH_LANES];
  uint8_t map[SWITCH_PORTS][SWITCH_PORTS][32];
};

enum switch_pattern { PATTERN_UNIFORM, PATTERN_HOT, PATTERN_SHIFT, PATTERN_FIXED, PATTERNS };

struct switch_class {
  uint8_t sc, vl; /* on the link in */
  double share;   /* of the load */
  uint32_t shortest, longest;
  enum switch_pattern pattern;
  uint32_t shift, hot, hot_share; /* hot_share in 256 */
  uint8_t fixed[SWITCH_PORTS];    /* destination of each port */
  uint32_t burst;                 /* packets in a row; 0, 1: none */
  bool steady;                    /* packets come at a constant rate, else at random */
};

struct switch_plan {
  struct switch_tables tables;
  struct table_write write[SWITCH_WRITES]; /* on the bus, in order, before traffic */
  uint32_t writes;
  uint32_t classes;
  struct switch_class class[SWITCH_CLASSES];
  /* Load (flits a cycle and port) by segment; the last one goes on to the end. */
  double load[SWITCH_SEGMENTS];
  uint32_t segments;
  uint64_t segment_length, start, quiet_from; /* cycles; quiet_from 0: never */
  bool alone;         /* one packet at a time, from every input to every output */
  uint32_t period;    /* of these */
  bool random;        /* phases of far ends, bus and broken packets */
  bool loose;         /* tables are rewritten while packets are on their way */
  bool rude;          /* senders do not always keep to credits */
  bool refusals;      /* an input may refuse a packet that the sender had credits for */
  uint32_t groups;    /* of ports, that are written */
  bool moving;        /* they are rewritten under traffic, each word legal by itself */
  uint32_t bad;       /* chance in 256 of a packet that must not come out */
  uint32_t far_lanes; /* lanes that the far ends give back; all others never */
};

/* The port for a LID or an address, SWITCH_NONE if it is unknown or leads nowhere. */
uint32_t switch_port_for(const struct switch_facts *f, const struct switch_tables *t, uint32_t lid);

/* Where a packet goes by the rule of the switch, or the cause why not. */
struct switch_way {
  uint32_t cause; /* 0: it goes on */
  uint32_t out, lane, sc, sl;
};

/* To a port that was found, SWITCH_NONE if none was. */
struct switch_way switch_route_to(const struct switch_facts *f, const struct switch_tables *t,
                                  uint32_t in, uint32_t out, uint32_t sc, uint32_t lane,
                                  uint32_t length);
struct switch_way switch_route(const struct switch_facts *f, const struct switch_tables *t,
                               uint32_t in, uint32_t lid, uint32_t sc, uint32_t lane,
                               uint32_t length);

/* Lane of a VL on a link, END_NO_LANE if it has none; VL of a lane. */
static inline uint32_t switch_lane(const struct switch_facts *f, uint32_t vl) {
  return end_lane(f->vls, vl);
}

static inline uint32_t switch_vl(const struct switch_facts *f, uint32_t lane) {
  return end_vl(f->vls, lane);
}

/* ---- the ends -------------------------------------------------------------------------------- */

enum switch_bad { BAD_NONE, BAD_LID, BAD_VL, BAD_ZERO, BAD_MTU, BADS };

/* The oldest packet of a class that a port has not sent; `at` in 1/65536 cycle. */
struct switch_head {
  uint64_t at;
  uint16_t lid, length;
  uint8_t out, bad;
  uint32_t in_burst;
};

struct switch_sender {
  struct loom_credit_tracker credit; /* what the input buffer has, one cycle behind */
  /* The head of the last cycle, not yet entered: it may be refused. */
  bool asked;
  uint8_t asked_lane, asked_class, asked_out;
  uint16_t asked_units;
  bool asked_counts;
  /* The packet on the link. */
  uint32_t length, left, vl;
  uint64_t base;
  uint32_t turn; /* class that is asked first */
  struct switch_head head[SWITCH_CLASSES];
};

struct switch_far {
  struct end_receiver receiver;
  uint32_t lane; /* of the packet that arrives */
  uint32_t give; /* chance in 256 */
};

struct switch_access {
  bool we, re;
  uint32_t addr, data;
};

struct switch_ends {
  struct rng rng;
  struct switch_sender sender[SWITCH_PORTS];
  struct switch_far far[SWITCH_PORTS];
  uint16_t number[SWITCH_PORTS][SWITCH_CLASSES][SWITCH_PORTS]; /* packets sent */
  uint16_t heads[SWITCH_PORTS];                                /* the same of a port, with groups */
  uint16_t lid_of[SWITCH_PORTS][4];                            /* LIDs of a port */
  uint32_t reach;                                              /* ports with one: those below */
  uint32_t written;
  struct switch_access issued[2]; /* of the last cycle, and of the one before */
  bool begun;
  uint32_t segment;
  /* Phases; chances in 256. */
  uint32_t bus, broken, rude;
  uint64_t phase_end, slow_end;
};

/* ---- the judge ------------------------------------------------------------------------------- */

struct switch_open { /* packet that is leaving */
  uint32_t length, left, vl;
  uint64_t base;
};

struct switch_segment {
  uint64_t cycles, sent, accepted[SWITCH_CLASSES]; /* flits */
  uint64_t packets, latency, latency_max, latency_min;
};

/* A packet that is inside, with groups. */
struct switch_inside {
  uint64_t ports; /* where it may come out; 0: it did, or never came in */
  uint32_t number;
  uint8_t mode, own; /* the port of its slot */
};

struct switch_group_write {
  uint64_t cycle;
  uint32_t addr, data;
};

/* The judge's own tables of groups: as they were some cycles ago, and what was written since. */
struct switch_group_judge {
  struct switch_groups old;
  struct switch_group_write recent[SWITCH_RECENT];
  uint32_t recents;
  struct switch_inside inside[SWITCH_PORTS][SWITCH_WAITING];
  uint32_t heads;
  uint32_t last[SWITCH_PORTS][SWITCH_CLASSES][SWITCH_PORTS]; /* number of the last one out */
  uint64_t out[4], turned; /* packets by mode; those that load took elsewhere than their slot */
};

struct switch_judge {
  struct switch_open out[SWITCH_PORTS];
  uint32_t in_left[SWITCH_PORTS];
  struct loom_credit_tracker far[SWITCH_PORTS];
  uint16_t number[SWITCH_PORTS][SWITCH_CLASSES][SWITCH_PORTS];
  struct switch_group_judge groups;
  uint32_t since[SWITCH_PORTS][SWITCH_PORTS][64]; /* cycle in which a head came in */
  uint64_t packets_in, packets_out;               /* of those that must come out */
  uint64_t sum;                                   /* of what is inside: 0 if nothing is */
  uint64_t flits_out;
  uint32_t idle;
  struct switch_segment segment[SWITCH_SEGMENTS];
  char wrong[200];
};

struct switch_case;

/* Flits on the way from an MPort to the central buffers in one cycle, as the twin has them. */
struct switch_central {
  uint32_t most;
  uint64_t flits, cycles; /* of all MPorts */
};

struct switch_state {
  struct switch_facts facts;
  struct switch_plan plan;
  struct switch_ends ends;
  struct switch_judge judge;
  struct switch_central central;
  const struct switch_case *directed;
  uint64_t cycles; /* of a directed run */
};

/* A directed case: its plan, and whether all was as the page says (also writes a report). */
struct switch_case {
  const char *name;
  void (*plan)(struct switch_state *s);
  bool (*verdict)(const struct switch_state *s, char *text, size_t size);
};

extern const struct switch_case switch_cases[]; /* a NULL name ends it */

/* `facts` must be set. */
void switch_init(struct switch_state *s, struct rng *rng, const struct scenario *sc);
void switch_next(struct switch_state *s, uint64_t cycle, const switch_out *o, switch_in *i);
/* `idle`: the probe. */
void switch_observe(struct switch_state *s, uint64_t cycle, const switch_in *i, const switch_out *o,
                    bool idle, struct stats *stats);
bool switch_check(const void *st, char *why, size_t why_size);
bool switch_verdict(const void *st, const struct stats *stats, char *why, size_t why_size);

/* Parts of the above, in files of their own. */
void switch_plan_random(struct switch_state *s);
void switch_plan_write(struct switch_state *s, uint32_t addr, uint32_t data);
/* Tables as after reset, LID p for port p; then every lane and SL served alike. */
void switch_plan_plain(struct switch_state *s);
void switch_plan_fair(struct switch_state *s);
/* Address `at` in the window of a port or, with LOOM_SWITCH_EVERY, of all of them. */
static inline uint32_t switch_of_port(uint32_t port, uint32_t at) {
  return LOOM_SWITCH_REG_PORTS + LOOM_REG_WINDOW * port + at;
}
/* Of switches without an LFT (switch_kns.c). */
uint32_t switch_kns_port_for(const struct switch_facts *f, const struct switch_tables *t,
                             uint32_t dest);
/* Ports that some address leads to: those below. */
uint32_t switch_kns_reach(const struct switch_facts *f);
/* An address that leads to this port, if the device is on. */
uint16_t switch_kns_address(struct switch_state *s, uint32_t port);
/* Any address, often one that is unknown. */
uint16_t switch_kns_any(struct switch_state *s);
/* Somewhere in some fabric, on; then, for random runs, sometimes off or in no dimension. */
void switch_kns_plan(struct switch_state *s);
void switch_kns_plan_random(struct switch_state *s);
/* A write under traffic: one that changes nothing, or any. */
struct switch_access switch_kns_same(struct switch_state *s);
struct switch_access switch_kns_write(struct switch_state *s);

/* Of switches with groups of ports (switch_groups.c). The ports that are right for a head on this
 * VL, a bit each; none if it is unknown. */
struct switch_right {
  uint64_t ports;
  uint32_t mode, own; /* of its entry; the port of its slot or entry */
};

struct switch_right switch_right_ports(const struct switch_facts *f, const struct switch_tables *t,
                                       const struct switch_groups *g, uint64_t head, uint32_t vl);
/* A write on the bus, if it is one of a register of groups. */
void switch_groups_take(const struct switch_facts *f, struct switch_groups *g, uint32_t addr,
                        uint32_t data);
/* Groups of any ports; then an entry of the LFT that names one. */
void switch_groups_plan(struct switch_state *s);
uint8_t switch_groups_entry(struct switch_state *s);
/* All LIDs name groups. */
void switch_plan_groups(struct switch_state *s);
/* Under traffic: a read, a write after which as many packets come out as before, any write. */
struct switch_access switch_groups_read(struct switch_state *s);
struct switch_access switch_groups_same(struct switch_state *s);
struct switch_access switch_groups_write(struct switch_state *s);

/* The cycle in which traffic may begin: all writes of the plan have come to their ports. */
uint64_t switch_plan_start(const struct switch_state *s);
void switch_judge_init(struct switch_state *s);
uint32_t switch_segment_of(const struct switch_plan *p, uint64_t cycle);
struct switch_access switch_bus_access(struct switch_state *s, uint64_t cycle);

/* ---- head flit and payload ------------------------------------------------------------------- */

static inline uint32_t switch_src(uint32_t port, uint32_t class, bool never) {
  return port | class << 6 | (uint32_t)never << 15;
}

/* What the body is made from; the SC may change on the way. */
static inline uint64_t switch_base(uint64_t head) {
  uint64_t x = (head & loom_mask(59)) * 0x9e3779b97f4a7c15u;
  return (x ^ x >> 29) * 0xbf58476d1ce4e5b9u;
}

static inline uint64_t switch_body(uint64_t base, uint32_t n) {
  return base + n * 0x94d049bb133111ebu;
}

#endif
