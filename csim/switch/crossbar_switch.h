/* SPDX-License-Identifier: Apache-2.0 */
/* crossbar_switch.h - twin of loom_crossbar_switch: a switch around one crossbar, second edition
 * (docs/crossbar_switch.md; IB-01..06, OP-01..22, DT-01..04, KN-01, KN-02, KN-05, KN-11, TP-02)
 */
#ifndef LOOM_SWITCH_CROSSBAR_SWITCH_H
#define LOOM_SWITCH_CROSSBAR_SWITCH_H

#define LOOM_DUT crossbar_switch
#define LOOM_DEF "switch/crossbar_switch.def"
#include <loom/def.h>

#include "switch/chassis.h"
#include "switch/kns_place.h"
#include "switch/pipelined_alloc.h"
#include "switch/port_group.h"

enum {
  /* Cycles of a packet alone: from the link in to the queue of its output, and, with an OUT_DELAY,
   * from there to the link out. */
  LOOM_CROSSBAR_IN_CYCLES = 10,
  LOOM_CROSSBAR_OUT_CYCLES = 9,
  LOOM_CROSSBAR_GROUP_CYCLES = 3, /* with groups besides: from the link to the input unit */
};

/* The flits of one cycle on their way to the inputs: in1, in2 or in3 of all of them. */
struct loom_crossbar_flits {
  uint64_t valid, head, tail;
  struct loom_link_in port[LOOM_CHASSIS_PORTS];
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
  struct loom_crossbar_entry entry[LOOM_CHASSIS_PORTS];
  struct loom_port_group input[LOOM_CHASSIS_PORTS];

  /* Of each output, in the next cycle. */
  uint64_t above[LOOM_GROUP_THRESHOLDS];
  uint16_t load[LOOM_CHASSIS_PORTS];
  uint16_t total[LOOM_CHASSIS_PORTS]; /* both trackers together */
  bool compare;                       /* all loads, as there is another threshold */
};

/* What is one bit a port is a set of ports here. */
struct loom_crossbar_switch {
  struct loom_chassis chassis;
  uint32_t groups;             /* parameter; 0: nothing of `group` means anything */
  struct loom_kns_place place; /* in place of the LFT; no kind: the output is in the LFT */
  struct loom_pipelined_alloc alloc;
  struct loom_pipelined_alloc_in to_alloc;
  struct loom_crossbar_groups group;
  bool bubble;      /* parameter; else there are no rings */
  uint64_t ring_on; /* outputs that belong to one, and the inputs whose packets go on there: */
  uint8_t ring_from[LOOM_CHASSIS_PORTS];
};

/* The lane of an output of a record of the allocation. */
static inline uint32_t loom_crossbar_switch_lane(const struct loom_crossbar_switch *s,
                                                 uint32_t vl) {
  return vl < s->chassis.vls ? vl : vl - s->chassis.vls;
}

/* The parameters are legal together. */
bool loom_crossbar_switch_cfg_ok(const struct loom_crossbar_switch_cfg *cfg);
/* Bytes of storage that init needs, aligned to 8. */
size_t loom_crossbar_switch_storage_size(const struct loom_crossbar_switch_cfg *cfg);
void loom_crossbar_switch_init(struct loom_crossbar_switch *s,
                               const struct loom_crossbar_switch_cfg *cfg, void *storage);
/* The same, of a struct and a storage that are all 0: what stays so is not touched. */
void loom_crossbar_switch_start(struct loom_crossbar_switch *s,
                                const struct loom_crossbar_switch_cfg *cfg, void *storage);
/* It follows packets and not flits from now on, right after init (docs/packet_engine.md): all that
 * it shows stays the same. The storage has packets_size bytes and is aligned to 8. */
size_t loom_crossbar_switch_packets_size(const struct loom_crossbar_switch_cfg *cfg);
void loom_crossbar_switch_follow_packets(struct loom_crossbar_switch *s,
                                         const struct loom_crossbar_switch_cfg *cfg, void *storage);
void loom_crossbar_switch_step(struct loom_crossbar_switch *s,
                               const struct loom_crossbar_switch_in *in,
                               struct loom_crossbar_switch_out *out);
/* The same cycle with sets of ports; what it shows is then in `shown` of the chassis. */
void loom_crossbar_switch_cycle(struct loom_crossbar_switch *s,
                                const struct loom_chassis_arrival *in);
/* Until something comes, nothing is shown, and a cycle would do no more than skip does. */
bool loom_crossbar_switch_sleeps(const struct loom_crossbar_switch *s);
void loom_crossbar_switch_skip(struct loom_crossbar_switch *s, uint64_t cycles);
/* One that follows packets, and does not sleep: for so many of the next cycles that is so unless
 * something comes, but that streams go on. */
uint64_t loom_crossbar_switch_spare(const struct loom_crossbar_switch *s);
/* Packets that were refused or dropped, as its registers will say. */
static inline uint64_t loom_crossbar_switch_dropped(const struct loom_crossbar_switch *s) {
  return loom_chassis_dropped(&s->chassis);
}
void loom_crossbar_switch_probe(const struct loom_crossbar_switch *s,
                                struct loom_crossbar_switch_probe *p);

/* ---- groups of ports, if there are any (crossbar_switch_groups.c) ---------------------------- */

/* Bytes of storage that init needs, aligned to 8. */
size_t loom_crossbar_groups_storage_size(const struct loom_crossbar_switch_cfg *cfg);
void loom_crossbar_groups_init(struct loom_crossbar_switch *s,
                               const struct loom_crossbar_switch_cfg *cfg, void *storage);
/* Registers; of others nothing is written, and they read 0. */
void loom_crossbar_groups_write(struct loom_crossbar_switch *s, uint32_t addr, uint32_t data);
uint32_t loom_crossbar_groups_read(const struct loom_crossbar_switch *s, uint32_t addr);
/* What comes to the inputs in this cycle, until the edge. */
struct loom_chassis_arrival loom_crossbar_groups_late(const struct loom_crossbar_switch *s);
/* Pulses of the port in this cycle, from that of GROUP_FREE on. */
uint32_t loom_crossbar_groups_pulses(const struct loom_crossbar_switch *s, uint32_t port);
/* After the edges of all else but the bus: of what is on the links, of these inputs' port_group,
 * and of the loads; these outputs had an edge. */
void loom_crossbar_groups_edge(struct loom_crossbar_switch *s,
                               const struct loom_chassis_arrival *in, uint64_t inputs,
                               uint64_t outputs);
/* An edge would do something, although nothing came. */
bool loom_crossbar_groups_move(const struct loom_crossbar_switch *s);

#endif
