/* SPDX-License-Identifier: Apache-2.0 */
/* crossbar_class.h - crossbar_switch as a device of a fabric (docs/fabric.md) */
#ifndef LOOM_FABRIC_CROSSBAR_CLASS_H
#define LOOM_FABRIC_CROSSBAR_CLASS_H

#include "fabric/chassis_class.h"
#include "fabric/fabric.h"
#include "switch/crossbar_switch.h"

extern const struct loom_fabric_class loom_crossbar_switch_class;

struct loom_crossbar_device {
  struct loom_crossbar_switch s;
  struct loom_chassis_time time;
};

/* A twin whose memories are swept, in the memory of a fabric. NULL: parameters that are not legal,
 * or no memory. */
struct loom_crossbar_device *loom_crossbar_switch_new(struct loom_fabric *f,
                                                      const struct loom_crossbar_switch_cfg *cfg);
/* The same, but it follows packets (docs/packet_engine.md). Of this class, or of the same as the
 * other ones: then flit by flit on its links. */
extern const struct loom_fabric_class loom_crossbar_packets_class;
struct loom_crossbar_device *loom_crossbar_packets_new(struct loom_fabric *f,
                                                       const struct loom_crossbar_switch_cfg *cfg);

/* Units in use in the buffer of an input or an output, in cycle `now` of the fabric. */
uint32_t loom_crossbar_device_used(const struct loom_crossbar_device *device, uint64_t now,
                                   uint32_t port, bool output);

/* Both side by side, with the same arrivals: the fabric sees the one that follows
 * packets, and the stepped one says whether it is right. Of this class: */
extern const struct loom_fabric_class loom_crossbar_pair_class;
struct loom_crossbar_device *loom_crossbar_pair_new(struct loom_fabric *f,
                                                    const struct loom_crossbar_switch_cfg *cfg);

/* The one that follows packets, for tests that plant a fault in it. */
struct loom_crossbar_switch *loom_crossbar_pair_packets(struct loom_crossbar_device *pair);

/* Where they first differed: what one of them showed, and the other did not. */
struct loom_crossbar_difference {
  const char *what;
  uint64_t cycle; /* of the fabric */
  uint32_t port;
  uint8_t vl;
};

/* NULL: nowhere. Of pairs only. */
const struct loom_crossbar_difference *
loom_crossbar_pair_difference(const struct loom_crossbar_device *pair);

#endif
