/* SPDX-License-Identifier: Apache-2.0 */
/* crossbar_switch.h - twin of loom_crossbar_switch: a switch around one crossbar, second edition
 * (docs/crossbar_switch.md; IB-01..06, OP-01..22, DT-01..04, KN-01, KN-02, KN-05, KN-11, TP-02)
 *
 * Registers in another form than in the circuit:
 *   rvalid: none: an access and its answer stand in a ring, `access`
 */
#ifndef LOOM_SWITCH_CROSSBAR_SWITCH_H
#define LOOM_SWITCH_CROSSBAR_SWITCH_H

#define LOOM_DUT crossbar_switch
#define LOOM_DEF "switch/crossbar_switch.def"
#include <loom/def.h>

#include "parts/event_counters.h"
#include "parts/rr_arbiter.h"
#include "switch/crossing.h"
#include "switch/input_unit.h"
#include "switch/kns_place.h"
#include "switch/output_unit.h"
#include "switch/pipelined_alloc.h"
#include "switch/port_group.h"
#include <loom/link_in.h>
#include <loom/switch_registers.h>

enum {
  LOOM_CROSSBAR_PORTS = 48,
  LOOM_CROSSBAR_TRAPS = 16,    /* words of the queue of traps */
  LOOM_CROSSBAR_ACCESSES = 64, /* accesses on the bus, at most: PORTS + 3 are under way */
  /* Cycles of a packet alone: from the link in to the queue of its output, and, with an OUT_DELAY,
   * from there to the link out. */
  LOOM_CROSSBAR_IN_CYCLES = 10,
  LOOM_CROSSBAR_OUT_CYCLES = 9,
  LOOM_CROSSBAR_GROUP_CYCLES = 3, /* with groups besides: from the link to the input unit */
  /* Cycles after reset without an access or a flit; from a write of a table to the next. */
  LOOM_CROSSBAR_START = 320,
  LOOM_CROSSBAR_PACE = 4,
};

/* An access on its way along the ports, and what a read of it gives. */
struct loom_crossbar_access {
  bool we, re;
  uint32_t addr, data; /* a read: the answer so far */
};

struct loom_crossbar_trap {
  uint8_t cause, lane;
  uint16_t dest;
};

/* The next packet of a lane at the output, or one that was granted there. */
struct loom_crossbar_packet {
  uint8_t lane, sl;
  uint16_t len;
};

/* What links and bus bring in a cycle: sets of ports; what stands by port means something only for
 * those in them. */
struct loom_crossbar_arrival {
  uint64_t valid, head, tail, credit;
  const struct loom_link_in *port;
  bool reg_we, reg_re;
  uint32_t reg_addr, reg_wdata;
};

/* What they show in a cycle, likewise. */
struct loom_crossbar_shown {
  uint64_t valid, head, tail, credit;
  uint8_t vl[LOOM_CROSSBAR_PORTS], cr_vl[LOOM_CROSSBAR_PORTS];
  uint64_t data[LOOM_CROSSBAR_PORTS];
  bool rvalid, trap;
  uint32_t rdata;
};

struct loom_crossbar_port {
  struct loom_input_unit input;
  struct loom_crossing crossing;
  struct loom_output_unit output;
  struct loom_event_counters counters;

  uint64_t output_slept; /* the cycle in which the output had an edge last */
  uint32_t table_rdata;  /* what its table showed in it: at rest it shows that for ever */
  uint64_t counted;      /* the cycle from which on the turns of the counters are to come */

  bool hold;
  bool found_known;
  uint8_t found_port;
  struct loom_crossbar_trap trap;
  struct loom_crossbar_packet head[LOOM_VLS];
  struct loom_crossbar_packet granted; /* in the last cycle, if the port is in `granted` */
};

/* The flits of one cycle on their way to the inputs: in1, in2 or in3 of all of them. */
struct loom_crossbar_flits {
  uint64_t valid, head, tail;
  struct loom_link_in port[LOOM_CROSSBAR_PORTS];
};

/* What the LFT said for the head of the last cycle. */
struct loom_crossbar_entry {
  bool known;
  uint8_t mode, out;
};

/* What there is besides with groups of ports (docs/port_groups.md). */
struct loom_crossbar_groups {
  struct loom_port_group_tables tables;      /* storage; of all inputs, as they hold the same */
  uint32_t count, hash, sls;                 /* registers GROUP_COUNT, GROUP_HASH, GROUP_SLS */
  uint16_t threshold[LOOM_GROUP_THRESHOLDS]; /* GROUP_LOAD */

  struct loom_crossbar_flits late[LOOM_CROSSBAR_GROUP_CYCLES]; /* a ring, by cycle */
  uint64_t awake;                                              /* of `input`, in the next cycle */
  struct loom_crossbar_entry entry[LOOM_CROSSBAR_PORTS];
  struct loom_port_group input[LOOM_CROSSBAR_PORTS];

  /* Of each output, in the next cycle. */
  uint64_t above[LOOM_GROUP_THRESHOLDS];
  uint16_t load[LOOM_CROSSBAR_PORTS];
  uint16_t total[LOOM_CROSSBAR_PORTS]; /* both trackers together */
  bool compare;                        /* all loads, as there is another threshold */
};

/* What is one bit a port is a set of ports here. */
struct loom_crossbar_switch {
  uint32_t ports, vls, speedup, mtu_units; /* parameters */
  uint32_t groups;                         /* the same; 0: nothing of `group` means anything */
  uint32_t lids;                           /* words of the LFT; 0: there is none */
  uint64_t all;                            /* ports */

  /* Registers of the switch. */
  uint32_t control, lft_count, mtu_ignored;
  uint16_t mtu[LOOM_VLS];
  uint8_t *lft;                     /* storage: one for all inputs, as they hold the same */
  struct loom_kns_place place;      /* instead of it; no kind: the output is in the LFT */
  struct loom_crossbar_access late; /* a write that takes effect at the end of this cycle */

  /* The bus: what port p sees is the p-th newest access of the ring, if there is one. */
  struct loom_crossbar_access access[LOOM_CROSSBAR_ACCESSES];
  uint64_t under_way; /* bit n: the n-th newest is an access; those beyond the ports wait */
  uint32_t newest;

  /* Traps. */
  uint64_t trapped, moved;
  struct loom_rr_arbiter trap_arbiter;
  uint32_t trap_word[LOOM_CROSSBAR_TRAPS]; /* a ring, each as the register shows it */
  uint32_t trap_first, traps;

  /* Of all ports. */
  uint64_t granted;
  uint64_t idle_port;
  bool idle, ready;
  uint64_t now; /* cycles */
  uint64_t output_awake;
  uint64_t input_awake, crossing_awake;    /* those that are to be stepped in the next cycle */
  uint64_t input_used, output_used, quiet; /* units in use there; idle_o of the crossing */
  uint64_t free;                           /* of the crossings, in the next cycle */
  uint64_t freed;                          /* output units that show a freed unit in it */
  uint64_t counting;                       /* counters that have something to write */

  struct loom_pipelined_alloc alloc;
  struct loom_pipelined_alloc_in to_alloc;
  struct loom_output_unit_in to_output; /* of one; what follows a flag holds only with it */
  uint64_t start_ok, sure, end;         /* inputs that show these, to the crossings */
  struct loom_crossbar_shown shown;     /* in the cycle that was stepped last */
  struct loom_crossbar_port port[LOOM_CROSSBAR_PORTS];
  struct loom_crossbar_groups group;
};

/* The parameters are legal together. */
bool loom_crossbar_switch_cfg_ok(const struct loom_crossbar_switch_cfg *cfg);
/* Bytes of storage that init needs, aligned to 8. */
size_t loom_crossbar_switch_storage_size(const struct loom_crossbar_switch_cfg *cfg);
void loom_crossbar_switch_init(struct loom_crossbar_switch *s,
                               const struct loom_crossbar_switch_cfg *cfg, void *storage);
void loom_crossbar_switch_step(struct loom_crossbar_switch *s,
                               const struct loom_crossbar_switch_in *in,
                               struct loom_crossbar_switch_out *out);
/* The same cycle with sets of ports; what it shows is then in `shown`. */
void loom_crossbar_switch_cycle(struct loom_crossbar_switch *s,
                                const struct loom_crossbar_arrival *in);
/* Until something comes, nothing is shown, and a cycle would do no more than skip does. */
bool loom_crossbar_switch_sleeps(const struct loom_crossbar_switch *s);
void loom_crossbar_switch_skip(struct loom_crossbar_switch *s, uint64_t cycles);
/* Packets that were refused or dropped, as its registers will say. */
uint64_t loom_crossbar_switch_dropped(const struct loom_crossbar_switch *s);
void loom_crossbar_switch_probe(const struct loom_crossbar_switch *s,
                                struct loom_crossbar_switch_probe *p);

/* ---- the bus (crossbar_switch_bus.c) --------------------------------------------------------- */

/* Accesses that do something at a port in this cycle. */
struct loom_crossbar_bus {
  uint64_t ports;
  const struct loom_crossbar_access *access[LOOM_CROSSBAR_PORTS]; /* of these */
  bool pops_trap;
  struct loom_crossbar_access late; /* a write of this cycle that takes effect in the next one */
};

/* What the bus answers in this cycle. */
void loom_crossbar_bus_show(struct loom_crossbar_switch *s);
/* The first thing in a cycle: who sees which access; what reads look at in this cycle. */
void loom_crossbar_bus_look(struct loom_crossbar_switch *s, struct loom_crossbar_bus *bus);
/* After the output units were stepped: what reads of tables look at. */
void loom_crossbar_bus_tables(struct loom_crossbar_switch *s);
/* The last thing in a cycle. */
void loom_crossbar_bus_edge(struct loom_crossbar_switch *s, const struct loom_crossbar_bus *bus,
                            const struct loom_crossbar_arrival *in);

/* ---- groups of ports, if there are any (crossbar_switch_groups.c) ---------------------------- */

/* Bytes of storage that init needs, aligned to 8. */
size_t loom_crossbar_groups_storage_size(const struct loom_crossbar_switch_cfg *cfg);
void loom_crossbar_groups_init(struct loom_crossbar_switch *s,
                               const struct loom_crossbar_switch_cfg *cfg, void *storage);
/* Registers; of others nothing is written, and they read 0. */
void loom_crossbar_groups_write(struct loom_crossbar_switch *s, uint32_t addr, uint32_t data);
uint32_t loom_crossbar_groups_read(const struct loom_crossbar_switch *s, uint32_t addr);
/* What comes to the inputs in this cycle, until the edge. */
struct loom_crossbar_arrival loom_crossbar_groups_late(const struct loom_crossbar_switch *s);
/* Pulses of the port in this cycle, from that of GROUP_FREE on. */
uint32_t loom_crossbar_groups_pulses(const struct loom_crossbar_switch *s, uint32_t port);
/* After the edges of all else but the bus: of what is on the links, of these inputs' port_group,
 * and of the loads; these outputs had an edge. */
void loom_crossbar_groups_edge(struct loom_crossbar_switch *s,
                               const struct loom_crossbar_arrival *in, uint64_t inputs,
                               uint64_t outputs);
/* An edge would do something, although nothing came. */
bool loom_crossbar_groups_move(const struct loom_crossbar_switch *s);

#endif
