/* SPDX-License-Identifier: Apache-2.0 */
/* chassis_class.h - what switches of the second edition have in common as devices of a fabric
 * (docs/fabric.md)
 *
 * Such a switch wants time that the fabric does not give: to sweep its memories, between two writes
 * of its tables, and until an access has come to all of its ports. It has that before the first
 * cycle of the fabric.
 *
 * A device begins with its twin, and a twin with its chassis.
 */
#ifndef LOOM_FABRIC_CHASSIS_CLASS_H
#define LOOM_FABRIC_CHASSIS_CLASS_H

#include "fabric/fabric.h"
#include "switch/chassis.h"

/* How a twin is stepped. */
struct loom_chassis_kind {
  void (*cycle)(void *twin, const struct loom_chassis_arrival *in);
  void (*skip)(void *twin, uint64_t cycles);
  uint32_t last; /* cycles from when the last write has come to all ports to the first flit */
};

/* The time of a device. */
struct loom_chassis_time {
  uint64_t due; /* the fabric's cycle that is stepped next, if none is left out */
  bool started, begun;
  uint64_t streams; /* that it showed last */
};

/* `pause` of a class (fabric.h). */
uint32_t loom_chassis_class_pause(const struct loom_chassis_kind *kind, const void *twin,
                                  uint32_t addr);
void loom_chassis_class_write(const struct loom_chassis_kind *kind, void *twin,
                              struct loom_chassis_time *time, uint32_t addr, uint32_t data);
/* A cycle of the fabric; what it shows is in `shown` of the chassis. */
void loom_chassis_class_cycle(const struct loom_chassis_kind *kind, void *twin,
                              struct loom_chassis_time *time, uint64_t now,
                              const struct loom_fabric_arrival *in);
/* The same, with what comes in another form. */
void loom_chassis_class_arrive(const struct loom_chassis_kind *kind, void *twin,
                               struct loom_chassis_time *time, uint64_t now,
                               const struct loom_chassis_arrival *arrival);
/* The same, and it is shown on the links. */
void loom_chassis_class_step(const struct loom_chassis_kind *kind, void *twin,
                             struct loom_chassis_time *time, uint64_t now,
                             const struct loom_fabric_arrival *in,
                             const struct loom_fabric_show *show);

/* ---- waits ----------------------------------------------------------------------------------- */

struct loom_chassis_waits {
  const struct loom_chassis *chassis;
  uint32_t device;
  struct loom_fabric_wait *wait;
  uint32_t count, max;
};

/* The head of this lane of an input waits for a lane of an output. */
void loom_chassis_waits_input(struct loom_chassis_waits *w, uint32_t port, uint32_t lane,
                              uint32_t out, uint32_t out_lane);
/* Heads of outputs without credits. */
void loom_chassis_waits_outputs(struct loom_chassis_waits *w);

#endif
