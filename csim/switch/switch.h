/* SPDX-License-Identifier: Apache-2.0 */
/* switch.h - what the twins of both switches are made of: input units, output units, allocation and
 * registers (docs/switch.md; OP-01..22, IB-01..06, SC-01..08, DT-01..04)
 *
 * Inside: ib_switch, opa_switch, kns_node, and kns_switch.
 *
 * A switch is this struct and a family: its rule of routing and the registers of its own. Work is
 * found through sets of ports, so that a cycle costs what happens in it:
 *
 * - Flits stay where the input has written them (switch_cells.h). A word that moves from buffer to
 *   buffer is a number of flits that can be read two cycles later.
 * - A source that cannot request is parked at the targets of its heads and looked at again when one
 *   of them can take a packet that it could not take before.
 * - An output's scheduler is looked at when it is awake: it is in the middle of something, or could
 *   grant.
 * - Cycles in which a head waits for credits are counted as intervals.
 */
#ifndef LOOM_SWITCH_SWITCH_H
#define LOOM_SWITCH_SWITCH_H

#include <assert.h>
#include <loom/link_in.h>

#include "parts/counter_bank.h"
#include "parts/fifo.h"
#include "parts/packet_queues.h"
#include "parts/rr_arbiter.h"
#include "switch/switch_cells.h"
#include "switch/switch_sched.h"
#include "switch/switch_wheel.h"
#include <loom/switch_registers.h>

enum {
  LOOM_SWITCH_PORTS = 48,
  LOOM_SWITCH_CENTRALS = 24,
  LOOM_SWITCH_LANES = 32,
  LOOM_SWITCH_NO_LANE = 255, /* a VL without lane */
  LOOM_SWITCH_VL15 = 15,     /* management, on the link */
  LOOM_SWITCH_TRAPS = 16,
  LOOM_SWITCH_EARLY = 8, /* flits still to be read when an output takes its next packet */
};

/* Kinds of buffers. Inputs are sources, outputs are targets, central buffers are both. */
enum loom_switch_buffers {
  LOOM_SWITCH_IN = 0,
  LOOM_SWITCH_CENTRAL = 1,
  LOOM_SWITCH_OUT = 2,
  LOOM_SWITCH_TIERS = 3,
};

/* A buffer of any tier as one number. */
#define LOOM_SWITCH_BUFFER(tier, index) ((uint32_t)(tier) << 6 | (uint32_t)(index))
#define LOOM_SWITCH_BUFFER_TIER(node) ((node) >> 6)
#define LOOM_SWITCH_BUFFER_INDEX(node) ((node)&63u)

/* From where a record leaves the delay of an input to the first read of its packet, 4 cycles; from
 * the link to where a flit can be read, 2. */
enum { LOOM_SWITCH_LEAD = 4 - 2 };

/* A set of ports or of central buffers. */
typedef uint64_t loom_ports;

/* ---- parameters and storage ------------------------------------------------------------------ */

/* Parameters of both switches; of ib_switch CENTRALS and those of central buffers are 0. */
struct loom_switch_cfg {
  uint32_t PORTS, CENTRALS;
  uint32_t RD_IN, RD_CENTRAL; /* flits a cycle out of an input, of a central buffer */
  uint32_t SCHED, CENTRAL_SCHED, ARB_KEY, ENTRIES;
  uint32_t CELLS[LOOM_SWITCH_TIERS], RESERVED_CENTRAL;
  uint32_t REMOTE_UNITS, LIDS;
/* Those that have the same default in all switches. */
#define LOOM_PARAM(NAME, dflt, min, max) uint32_t NAME;
#include "switch/switch.params"
#undef LOOM_PARAM
};

/* Units that each lane of a buffer has for itself. */
static inline uint32_t loom_switch_reserved(const struct loom_switch_cfg *cfg, uint32_t tier) {
  const uint32_t reserved[] = {[LOOM_SWITCH_IN] = cfg->RESERVED_IN,
                               [LOOM_SWITCH_CENTRAL] = cfg->RESERVED_CENTRAL,
                               [LOOM_SWITCH_OUT] = cfg->RESERVED_OUT};
  return reserved[tier];
}

/* Bytes of storage: cells with links and records of packets, the longest delays of the stages, LFT
 * and maps. */
enum {
  LOOM_SWITCH_CELL_BYTES = 64 + 4 + 16,
  LOOM_SWITCH_SLOT_BYTES = 8 + 16,
  LOOM_SWITCH_SLOTS_IN = 62 + 62 + 63 + 1,
  LOOM_SWITCH_SLOTS_CENTRAL = 63 + 16 + 1,
  LOOM_SWITCH_SLOTS_OUT = 16 + 62 + 31 + 1,
  LOOM_SWITCH_MAP = 32, /* entries of a map for one output */
};

static inline size_t loom_switch_bytes(size_t ports, size_t centrals, size_t cells_in,
                                       size_t cells_mid, size_t cells_out, size_t lids) {
  size_t cells = ports * (cells_in + cells_out) + centrals * cells_mid;
  size_t slots = ports * (LOOM_SWITCH_SLOTS_IN + LOOM_SWITCH_SLOTS_OUT);
  return cells * LOOM_SWITCH_CELL_BYTES + LOOM_SWITCH_TRAPS * 8 +
         (slots + centrals * LOOM_SWITCH_SLOTS_CENTRAL) * LOOM_SWITCH_SLOT_BYTES +
         ports * ports * LOOM_SWITCH_MAP + lids;
}

/* ---- input unit ------------------------------------------------------------------------------ */

/* The packet that arrives. */
struct loom_switch_arrival {
  uint16_t run;   /* flits to come until something else is to be done, and */
  uint16_t left;  /* those after them */
  uint16_t queue; /* that it joins */
  uint16_t wait;  /* flits after the run before its record goes to routing */
  bool held;      /* the record is still here */
  uint32_t at;    /* next flit, counted from the first of cell 0 */
};

/* A header between two stages of routing. */
struct loom_switch_lookup {
  struct loom_switch_record record;
  bool known;   /* first dest < lft_count, then also out < PORTS */
  uint8_t lane; /* of arrival */
  uint8_t map;  /* entry */
};

/* Counters of a port, in the order of their registers. */
#define LOOM_SWITCH_COUNTER(name) (LOOM_SWITCH_WIN_##name - LOOM_SWITCH_WIN_LINK_ERRORS)
enum loom_switch_counter {
  LOOM_SWITCH_LINK_ERRORS = LOOM_SWITCH_COUNTER(LINK_ERRORS),
  LOOM_SWITCH_REFUSED_HEADER = LOOM_SWITCH_COUNTER(REFUSED_HEADER), /* cause 1 */
  LOOM_SWITCH_REFUSED_FULL = LOOM_SWITCH_COUNTER(REFUSED_FULL),     /* 2 */
  LOOM_SWITCH_DROPPED_LID = LOOM_SWITCH_COUNTER(DROPPED_LID),       /* 3 */
  LOOM_SWITCH_DROPPED_VL = LOOM_SWITCH_COUNTER(DROPPED_VL),         /* 4 */
  LOOM_SWITCH_DROPPED_MTU = LOOM_SWITCH_COUNTER(DROPPED_MTU),       /* 5 */
  LOOM_SWITCH_TRAPS_LOST = LOOM_SWITCH_COUNTER(TRAPS_LOST),
  LOOM_SWITCH_FAR_ERRORS = LOOM_SWITCH_COUNTER(FAR_ERRORS),
  LOOM_SWITCH_GRANTS_LOST = LOOM_SWITCH_COUNTER(GRANTS_LOST),
  LOOM_SWITCH_BUFFER_ERRORS = LOOM_SWITCH_COUNTER(BUFFER_ERRORS),
  LOOM_SWITCH_COUNTERS
};

/* Why a packet is refused or dropped: a counter of the port is at cause 1 and so on. */
enum loom_switch_cause {
  LOOM_CAUSE_NONE = 0,
  LOOM_CAUSE_HEADER = LOOM_SWITCH_REFUSED_HEADER,
  LOOM_CAUSE_FULL = LOOM_SWITCH_REFUSED_FULL,
  LOOM_CAUSE_LID = LOOM_SWITCH_DROPPED_LID,
  LOOM_CAUSE_VL = LOOM_SWITCH_DROPPED_VL,
  LOOM_CAUSE_MTU = LOOM_SWITCH_DROPPED_MTU,
};

/* A packet of the last cycle, which a counter bank adds in this one. */
struct loom_switch_add {
  uint8_t index;
  uint16_t flits;
};

struct loom_switch_port {
  struct loom_switch_lookup lft, entry; /* routing, in cycles e + 1 and e + 2 */
  struct loom_switch_record held;       /* of the packet that arrives, while its record waits */
  uint32_t trap;                        /* trap_q, as the fifo keeps it */
  uint32_t counter[LOOM_SWITCH_COUNTERS];
  /* Where `counted_in` or `counted_out` says so: by lane; at the output, by lane and by SL. */
  struct loom_switch_add accepted, granted, granted_by_sl;
};

/* The same of a port and a lane or SL. Those of all ports stand together: few lanes are in use. */
struct loom_switch_counted {
  struct loom_counter accepted, granted, granted_by_sl;
};

/* ---- allocation ------------------------------------------------------------------------------ */

struct loom_switch_source {
  struct loom_rr_arbiter arbiter; /* stage 1, over lanes */
  uint8_t number;                 /* among the sources of any target that it asks */
  uint8_t grant_vl;
};

struct loom_switch_target {
  struct loom_rr_arbiter arbiter;             /* stage 2, over sources */
  uint64_t request;                           /* sources that ask in this cycle, by number */
  uint32_t room, room_next;                   /* room_q now and in the next cycle */
  loom_ports parked[LOOM_SWITCH_CENTRAL + 1]; /* sources to wake, by tier */
};

/* What shows of the largest `used`: one cycle after it. */
struct loom_switch_peak {
  uint16_t most[LOOM_SWITCH_LANES];
  uint16_t before; /* most[lane] until cycle `since` */
  uint8_t lane;
  uint8_t announced; /* lane of this cycle's announcement */
  uint64_t since;
};

/* A lane of a buffer as one number, and a place to go for packets that go nowhere: it is an
 * input's. A lane has the same of all buffers side by side, as few lanes are in use. */
enum { LOOM_SWITCH_NODES = LOOM_SWITCH_BUFFER(LOOM_SWITCH_TIERS, 0) };
#define LOOM_QUEUE(node, lane) ((uint16_t)((uint32_t)(lane)*LOOM_SWITCH_NODES + (uint32_t)(node)))
#define LOOM_QUEUE_NODE(queue) ((uint32_t)(queue) % LOOM_SWITCH_NODES)
enum { LOOM_QUEUE_NOWHERE = LOOM_QUEUE(0, 0) };

/* Words that are read in the same cycle, at most one from each link and each source: a queue that
 * gets flits, and in the low bits how many. */
enum { LOOM_WORD_FLITS = 8 };
struct loom_switch_words {
  uint32_t count;
  uint16_t word[2 * LOOM_SWITCH_PORTS + LOOM_SWITCH_CENTRALS];
};

/* The scheduler of a central buffer, in place of its stage 1. */
struct loom_switch_chooser {
  uint8_t settle;
  uint8_t choice_vl;
  uint32_t dirty; /* lanes whose head or room has changed since the snapshot */
  union loom_switch_scheduler scheduler;
};

/* ---- output unit ----------------------------------------------------------------------------- */

/* The size is an odd number of lines of the cache, and what a credit looks at is in the first. */
struct loom_switch_output {
  bool hold;
  uint8_t settle;
  uint8_t cr_lane;  /* of the registered credit */
  uint32_t dirty;   /* lanes whose head or credits have changed since the snapshot */
  uint32_t stalled; /* lanes whose head waits for credits */
  struct loom_credit_tracker far;
  uint32_t stalls[LOOM_SWITCH_LANES];        /* cycles, without the interval that is open */
  uint64_t stalled_since[LOOM_SWITCH_LANES]; /* where the lane is in `stalled` */
  struct loom_sched_grants grants;           /* no register */
  uint64_t spare[8];
};
static_assert(sizeof(struct loom_switch_output) % 128 == 64, "no odd number of lines");

/* ---- the switch ------------------------------------------------------------------------------ */

/* Output registers of the links that show something, by port. */
struct loom_switch_links {
  uint64_t data[LOOM_SWITCH_PORTS];
  uint8_t vl[LOOM_SWITCH_PORTS], cr_vl[LOOM_SWITCH_PORTS];
};

/* Inputs of a switch in a cycle: on links in, flits; on links out, units that come back. Of a port
 * that is in neither set nothing else is looked at. */
struct loom_switch_in {
  loom_ports valid, head, tail, credit;
  const struct loom_link_in *port;
  bool reg_we, reg_re;
  uint32_t reg_addr, reg_wdata;
};

/* Two stages of the read data: gathered, shown. */
struct loom_switch_read {
  bool valid;
  uint32_t data;
};

struct loom_switch {
  /* First, so that lines of the cache begin where these do if they begin where a switch does. */
  struct loom_packet_queues buffer[LOOM_SWITCH_TIERS][LOOM_SWITCH_PORTS];
  struct loom_switch_output output[LOOM_SWITCH_PORTS];
  /* What each flit looks at. */
  struct loom_packet_reader reader[LOOM_SWITCH_NODES];   /* by node */
  uint16_t there[LOOM_SWITCH_NODES * LOOM_SWITCH_LANES]; /* flits that can be read, by queue */
  struct loom_switch_arrival arrival[LOOM_SWITCH_PORTS];
  struct loom_switch_words words[2]; /* read in this cycle: [sending]; in the last one */
  uint32_t sending;
  struct loom_switch_links shown;
  struct loom_switch_cells cells;

  /* Parameters and what follows from them. */
  uint32_t ports, centrals, vls, mgmt, lids;
  uint32_t rd_flits[LOOM_SWITCH_OUT];
  uint32_t lead; /* cycles by which a record may be ahead of the last flits of its packet */
  uint32_t sched, central_sched;
  bool choosers; /* central buffers have schedulers */
  uint8_t lane_of[32], vl_of[LOOM_SWITCH_LANES];
  uint32_t all_lanes; /* a bit each */

  uint64_t now; /* cycle */

  /* Registers of the bus. */
  uint32_t map_mode;
  bool central_choice;
  uint32_t lft_count;
  uint32_t mtu_ignored;
  uint16_t mtu[LOOM_SWITCH_LANES];
  struct {
    bool we, re;
    uint32_t addr, wdata;
  } reg; /* the access, registered */
  struct loom_switch_read read[2];

  bool idle;      /* idle_q */
  uint32_t units; /* in use in all buffers */

  /* Sets of buffers, by tier. */
  loom_ports reading[LOOM_SWITCH_TIERS];      /* active_q */
  loom_ports loading[LOOM_SWITCH_TIERS];      /* sources whose next head comes into view */
  loom_ports taken[LOOM_SWITCH_TIERS];        /* sources that take in this cycle */
  loom_ports granted[LOOM_SWITCH_TIERS];      /* sources: grant_q */
  loom_ports wake[LOOM_SWITCH_TIERS];         /* sources that may have a request */
  loom_ports targeted[LOOM_SWITCH_TIERS];     /* targets: granted_q */
  loom_ports locked[LOOM_SWITCH_TIERS];       /* targets: locked_q */
  loom_ports written[LOOM_SWITCH_TIERS];      /* tracker written in this cycle */
  loom_ports written_last[LOOM_SWITCH_TIERS]; /* and in the last one */
  loom_ports touched[LOOM_SWITCH_TIERS];      /* targets whose units change at this edge */
  loom_ports room_moves[LOOM_SWITCH_TIERS];   /* targets with a new room_next */
  loom_ports scarce[LOOM_SWITCH_TIERS];       /* targets without room_next for some lane */
  loom_ports announced[LOOM_SWITCH_TIERS];    /* an announcement in this cycle */
  /* Sets of ports. */
  loom_ports open, discarding;        /* a packet arrives; of these, one that was refused */
  loom_ports in_lft, in_entry;        /* a header is in this stage of routing */
  loom_ports traps;                   /* trap_q is full */
  loom_ports counted_in, counted_out; /* a counter bank was added to in the last cycle */
  loom_ports shown_cr, shown_out;     /* links that show something: a credit, a flit */
  loom_ports shown_head, shown_tail;  /* of these flits */
  loom_ports heads;                   /* outputs whose next flit is the head of a packet */
  loom_ports awake;                   /* output units with work for their control */
  loom_ports credits;                 /* cr_q is valid */
  loom_ports far_written;             /* far tracker written in this cycle */
  loom_ports far_error, buffer_error; /* error_o in this cycle */
  loom_ports choosers_awake, choices; /* central buffers: scheduler has work; choice_q */

  struct loom_rr_arbiter trap_arbiter;
  struct loom_fifo trap_fifo;
  struct loom_switch_wheel wheel[LOOM_SWITCH_TIERS]; /* in front of routing, of queues */
  uint8_t *lft;                                      /* storage: a port a LID */
  uint8_t *maps;                                     /* storage: loom_switch_map */

  struct loom_switch_source source[LOOM_SWITCH_CENTRAL + 1][LOOM_SWITCH_PORTS];
  struct loom_switch_target target[LOOM_SWITCH_TIERS][LOOM_SWITCH_PORTS];
  struct loom_switch_peak peak[LOOM_SWITCH_TIERS][LOOM_SWITCH_PORTS];
  struct loom_switch_port port[LOOM_SWITCH_PORTS];
  struct loom_switch_chooser chooser[LOOM_SWITCH_CENTRALS];
  struct loom_switch_counted counted[LOOM_SWITCH_LANES][LOOM_SWITCH_PORTS];
  /* Of outputs, one after the other: room for the largest, of which each takes `sched_bytes`. */
  uint32_t sched_bytes;
  uint64_t schedulers[LOOM_SWITCH_PORTS * LOOM_SWITCH_SCHED_MOST / sizeof(uint64_t)];
};

static inline union loom_switch_scheduler *loom_switch_scheduler(struct loom_switch *s,
                                                                 uint32_t port) {
  return (union loom_switch_scheduler *)((char *)s->schedulers + (size_t)port * s->sched_bytes);
}
static inline const struct loom_sched_front *loom_switch_front(const struct loom_switch *s,
                                                               uint32_t port) {
  return (const struct loom_sched_front *)((const char *)s->schedulers +
                                           (size_t)port * s->sched_bytes);
}

/* The entry of a map: those of an SC or SL stand together, as few are in use. */
static inline uint8_t *loom_switch_map(const struct loom_switch *s, uint32_t in, uint32_t out,
                                       uint32_t sc) {
  return &s->maps[(sc * s->ports + in) * s->ports + out];
}

/* What makes ib_switch or opa_switch of a switch, which is the first member of its struct. */
struct loom_switch_family {
  uint32_t id;
  /* The rule of routing: of a header with lane and sc of arrival and out known makes the rest;
   * entry is that of the map. False if there is no VL for it. */
  bool (*route)(const struct loom_switch *s, uint32_t port, uint32_t entry,
                struct loom_route *route);
  /* The maps can be read over the bus. */
  bool (*map_shows)(const struct loom_switch *s);
  /* Finds the output of a packet in place of the LFT, in cycle e; unknown if it says false or there
   * is no such port. NULL: LFT. */
  bool (*lookup)(const struct loom_switch *s, uint32_t dest, uint32_t *out);
  /* Registers of its own; NULL: none. The read gives 0 where there is none. */
  void (*write)(struct loom_switch *s, uint32_t addr, uint32_t data);
  uint32_t (*read)(const struct loom_switch *s, uint32_t addr);
};

static inline bool loom_switch_cfg_ok(const struct loom_switch_cfg *cfg) {
  for (uint32_t k = 0; k < LOOM_SWITCH_TIERS; k++)
    if (cfg->VLS * loom_switch_reserved(cfg, k) > cfg->CELLS[k])
      return false;
  return cfg->VLS * cfg->REMOTE_RESERVED <= cfg->REMOTE_UNITS &&
         (cfg->ARB_KEY || cfg->KEYS >= cfg->VLS);
}

/* State after reset. `s` is all 0, and so are LFT and maps of the storage, or they are cleared
 * afterwards. */
void loom_switch_init(struct loom_switch *s, const struct loom_switch_cfg *cfg, void *storage);
void loom_switch_clear(struct loom_switch *s);

/* One edge; the outputs are `shown` with its sets, read[1] and the trap fifo. */
void loom_switch_edge(struct loom_switch *s, const struct loom_switch_family *family,
                      const struct loom_switch_in *in);

/* What the register at this address reads as in the present cycle. */
uint32_t loom_switch_register(const struct loom_switch *s, const struct loom_switch_family *family,
                              uint32_t addr);

/* Until an input comes, nothing is shown and an edge would change nothing but `now` (and where the
 * delays, all empty, begin). Whoever leaves such edges out gives `now` its value before the next
 * one. */
bool loom_switch_sleeps(const struct loom_switch *s);

/* ---- pieces of the edge; each file does its part --------------------------------------------- */

/* switch_input.c */
void loom_switch_arrive(struct loom_switch *s, const struct loom_switch_in *in);
/* Flits after the head that must have come before the record of a packet goes to routing. */
uint32_t loom_switch_record_wait(const struct loom_switch *s, uint32_t len);
/* The headers that are routed in this cycle get their route; they join at its end. */
void loom_switch_route(struct loom_switch *s, const struct loom_switch_family *family);
void loom_switch_traps(struct loom_switch *s, bool pop);
void loom_switch_lookups(struct loom_switch *s, const struct loom_switch_family *family);

/* switch_alloc.c */
/* Central buffers with a scheduler: gives those whose choice counts from the next cycle on. */
loom_ports loom_switch_choose(struct loom_switch *s);
void loom_switch_move(struct loom_switch *s);
void loom_switch_allocate(struct loom_switch *s, loom_ports chosen);
/* Words, heads and packets of this cycle become visible. */
void loom_switch_appear(struct loom_switch *s);
/* What follows from the units of all buffers as they are after the edge. */
void loom_switch_rooms(struct loom_switch *s);

/* switch_output.c */
void loom_switch_outputs(struct loom_switch *s);

/* switch_regs.c */
void loom_switch_read_edge(struct loom_switch *s, const struct loom_switch_family *family);
/* The oldest trap is removed in this cycle. */
bool loom_switch_reads_trap(const struct loom_switch *s);
/* Writes of trackers, before anything else changes, and all others, after everything. */
void loom_switch_write_trackers(struct loom_switch *s);
void loom_switch_write(struct loom_switch *s, const struct loom_switch_family *family);

/* ---- for the pieces -------------------------------------------------------------------------- */

/* The ports whose bit is set; bits from n on are 0. */
static inline loom_ports loom_switch_set(const uint64_t *bit, uint32_t n) {
  loom_ports a = 0, b = 0, c = 0, d = 0;
  for (uint32_t i = (n + 3) / 4 * 4; i; i -= 4) {
    a = a << 4 | bit[i - 4];
    b = b << 4 | bit[i - 3];
    c = c << 4 | bit[i - 2];
    d = d << 4 | bit[i - 1];
  }
  return a | b << 1 | c << 2 | d << 3;
}

/* Flits, less than LOOM_WORD_FLITS, that can be read from the cycle after the next one. */
static inline void loom_switch_send(struct loom_switch_words *words, uint32_t queue,
                                    uint32_t flits) {
  words->word[words->count++] = (uint16_t)(queue * LOOM_WORD_FLITS + flits);
}

static inline struct loom_packet_reader *loom_switch_reader(struct loom_switch *s, uint32_t tier,
                                                            uint32_t index) {
  return &s->reader[LOOM_SWITCH_BUFFER(tier, index)];
}

/* The reader reads on: to the end of the cell or of the packet, or to where an output may take its
 * next packet. Until then nobody but it looks at how many flits there are. */
static inline void loom_switch_begin_run(struct loom_packet_reader *r, uint32_t tier) {
  uint32_t early = tier == LOOM_SWITCH_OUT ? LOOM_SWITCH_EARLY : 0;
  uint32_t in_cell = LOOM_UNIT_FLITS - r->at % LOOM_UNIT_FLITS;
  r->run = (uint16_t)loom_min(in_cell, r->left > early ? r->left - early : r->left);
  r->left = (uint16_t)(r->left - r->run);
}

/* The reader reads from the queue of the packet that it has begun. */
static inline void loom_switch_read(struct loom_switch *s, uint32_t tier, uint32_t index) {
  struct loom_packet_reader *r = loom_switch_reader(s, tier, index);
  r->from = LOOM_QUEUE(LOOM_SWITCH_BUFFER(tier, index), r->vl);
  loom_switch_begin_run(r, tier);
  if (tier == LOOM_SWITCH_OUT)
    s->heads |= 1ull << index;
}

/* The head of a lane is taken to be read. */
static inline void loom_switch_take(struct loom_switch *s, uint32_t tier, uint32_t index,
                                    uint32_t lane) {
  struct loom_packet_reader *r = loom_switch_reader(s, tier, index);
  bool begins = !r->active;
  loom_packet_queues_take(&s->buffer[tier][index], r, lane);
  if (begins)
    loom_switch_read(s, tier, index);
}

/* The packet that is read is done; the next one, if any, is read from now on. */
static inline void loom_switch_finish(struct loom_switch *s, uint32_t tier, uint32_t index) {
  struct loom_packet_reader *r = loom_switch_reader(s, tier, index);
  loom_packet_queues_finish(&s->buffer[tier][index], r);
  if (r->active)
    loom_switch_read(s, tier, index);
}

/* Asks a buffer for the units of a packet. */
static inline bool loom_switch_announce(struct loom_switch *s, uint32_t tier, uint32_t index,
                                        uint32_t lane, uint32_t len) {
  if (!loom_packet_queues_announce(&s->buffer[tier][index], lane, len))
    return false;
  s->units += loom_packet_units(len);
  s->announced[tier] |= 1ull << index;
  s->touched[tier] |= 1ull << index;
  s->peak[tier][index].announced = (uint8_t)lane;
  return true;
}

/* The reader of a buffer has freed a unit. Where all lanes have room, that makes no difference. */
static inline void loom_switch_give_back(struct loom_switch *s, uint32_t tier, uint32_t index) {
  loom_packet_queues_give_back(&s->buffer[tier][index], loom_switch_reader(s, tier, index)->vl);
  s->units--;
  s->touched[tier] |= s->scarce[tier] & 1ull << index;
}

#endif
