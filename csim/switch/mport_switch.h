/* SPDX-License-Identifier: Apache-2.0 */
/* mport_switch.h - twin of loom_mport_switch: the Omni-Path switch of the second edition, ports in
 * MPorts with a crossbar each, a central crossbar between them (docs/mport_switch.md; OP-01..22)
 *
 * Registers in another form than in the circuit:
 *   idle_unit: idle_port of the chassis, idle_central
 */
#ifndef LOOM_SWITCH_MPORT_SWITCH_H
#define LOOM_SWITCH_MPORT_SWITCH_H

#define LOOM_DUT mport_switch
#define LOOM_DEF "switch/mport_switch.def"
#include <loom/def.h>

#include "switch/central_unit.h"
#include "switch/chassis.h"
#include "switch/mport_alloc.h"
#include "switch/sc_rule.h"

enum { LOOM_MPORT_RULE_CYCLES = 40 }; /* from a write of its tables to the first flit */

/* What is one bit a port, a central unit or an MPort is a set of them here. */
struct loom_mport_switch {
  struct loom_chassis chassis;
  uint32_t mports, centrals;   /* parameter MPORTS, and two for each */
  uint32_t lanes, input_lanes; /* of a word; of one that an input sends */
  struct loom_mport_alloc alloc;
  struct loom_mport_alloc_cycle to_alloc;

  struct loom_sc_rule rule; /* registers SC2VL, SC2SL, SL2SC */
  bool ready;               /* so are the central units */

  uint32_t less, equal; /* MPorts: the second central unit has less in it; both have as much */

  /* Central units. */
  uint32_t all;
  uint32_t awake; /* to be stepped in the next cycle */
  uint32_t quiet; /* with nothing in use, as they showed last */
  uint32_t idle_central;
  uint32_t free, start_ok, sure, end;  /* `free`: in the next cycle */
  uint32_t source_ready, target_ready; /* to the allocation */
  struct loom_central_unit central[LOOM_MPORT_CENTRALS];
};

/* The parameters are legal together. */
bool loom_mport_switch_cfg_ok(const struct loom_mport_switch_cfg *cfg);
/* Bytes of storage that init needs, aligned to 8. */
size_t loom_mport_switch_storage_size(const struct loom_mport_switch_cfg *cfg);
void loom_mport_switch_init(struct loom_mport_switch *s, const struct loom_mport_switch_cfg *cfg,
                            void *storage);
/* The same, of a struct and a storage that are all 0: what stays so is not touched. */
void loom_mport_switch_start(struct loom_mport_switch *s, const struct loom_mport_switch_cfg *cfg,
                             void *storage);
void loom_mport_switch_step(struct loom_mport_switch *s, const struct loom_mport_switch_in *in,
                            struct loom_mport_switch_out *out);
/* The same cycle with sets of ports; what it shows is then in `shown` of the chassis. */
void loom_mport_switch_cycle(struct loom_mport_switch *s, const struct loom_chassis_arrival *in);
/* Until something comes, nothing is shown, and a cycle would do no more than skip does. */
bool loom_mport_switch_sleeps(const struct loom_mport_switch *s);
void loom_mport_switch_skip(struct loom_mport_switch *s, uint64_t cycles);
/* Packets that were refused or dropped, as its registers will say. */
static inline uint64_t loom_mport_switch_dropped(const struct loom_mport_switch *s) {
  return loom_chassis_dropped(&s->chassis);
}
/* Lanes of an input whose heads the allocation knows. */
static inline uint32_t loom_mport_switch_heads(const struct loom_mport_switch *s, uint32_t port) {
  return s->alloc.source[loom_mport_alloc_index(LOOM_MPORT_OUTER, port)].present;
}
/* The lane of an output for which such a head waits: one on its way through a central unit stands
 * behind the head of its queue there, or while that has none behind the one of the other queue,
 * which has the room of the lane, and waits for what that waits for. */
struct loom_mport_goal {
  uint8_t out, lane;
};
struct loom_mport_goal loom_mport_switch_goal(const struct loom_mport_switch *s, uint32_t port,
                                              uint32_t lane);
void loom_mport_switch_probe(const struct loom_mport_switch *s, struct loom_mport_switch_probe *p);

#endif
