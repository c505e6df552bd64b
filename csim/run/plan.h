/* SPDX-License-Identifier: Apache-2.0 */
/* plan.h - a fabric before its devices stand: topology, routing, hosts, and what the devices'
 * buffers and tables will hold (docs/fabric.md; OP-06, OP-18, IB-02, TP-03, KN-02)
 *
 * Made once; the runs of all seeds share it.
 */
#ifndef LOOM_RUN_PLAN_H
#define LOOM_RUN_PLAN_H

#include "run/plan_error.h"
#include "run/spec.h"
#include <loom/limits.h>

/* A port of an HCA. */
struct loom_plan_host {
  uint32_t device, port; /* of the topology */
};

/* Units of each VL in a buffer. */
struct loom_plan_share {
  uint32_t total;
  uint16_t reserved[LOOM_VLS], most[LOOM_VLS];
};

/* What moves packets through switches (docs/packet_engine.md): both are side by side and compared.
 */
enum loom_engine { LOOM_ENGINE_STEP, LOOM_ENGINE_PACKET, LOOM_ENGINE_BOTH };
extern const char *const loom_engine_names[LOOM_ENGINE_BOTH + 2];

struct loom_ranks;

struct loom_plan {
  const struct loom_spec *spec;
  enum loom_engine engine;
  uint32_t workers;               /* cores for a run; 0 as 1 */
  const struct loom_ranks *ranks; /* of a run in several processes; NULL: this one has all */
  struct loom_topo *topo;
  bool own_topo;
  struct loom_routing *routing; /* NULL: devices that route by themselves */
  uint32_t hosts, switches;
  uint32_t latency, host_latency; /* of links between switches and to hosts, cycles */
  struct loom_plan_host *host;    /* of elite5 the first port of each HCA */
  uint16_t *lid;                  /* by host, of the heads; NULL: elite5, which goes by nodes */
  uint32_t *row;                  /* topology's device of each switch */
  uint32_t ports;                 /* of a switch */
  uint32_t lid_room;              /* LIDs that their tables have room for, at least */
  uint32_t used;                  /* VLs, a bit each */
  uint16_t units[LOOM_VLS];       /* largest packet of each VL */
  struct loom_plan_share in, out, central, nic;
  uint32_t port_groups;       /* most of a switch (docs/port_groups.md) */
  uint32_t kns_w, kns_prefix; /* bits of a coordinate; prefix of addresses, in its place */
  /* Of elite5: bytes of the longest message, in whole words; those of a node with its collectives;
   * broadcast groups of the routers. */
  uint32_t longest, memory, groups;
};

/* The spec stays while the plan lives. NULL: *err says why. */
struct loom_plan *loom_plan_create(const struct loom_spec *spec, struct loom_plan_error *err);
void loom_plan_destroy(struct loom_plan *p);
/* Switches of this kind know the engine; false: *err says so. */
bool loom_engine_fits(enum loom_device_kind kind, enum loom_engine engine,
                      struct loom_plan_error *err);
/* Its fabrics are built for this engine; until then for LOOM_ENGINE_STEP. False: they cannot be. */
bool loom_plan_engine(struct loom_plan *p, enum loom_engine engine, struct loom_plan_error *err);

/* The name of switch `number`, 0..switches - 1, in the topology. */
void loom_plan_name(const struct loom_plan *p, uint32_t number, char name[LOOM_TOPO_NAME]);
/* The file wants a circuit beside the switch of this name. */
bool loom_plan_is_shadowed(const struct loom_plan *p, const char *name);

/* The device of a fault in the topology; LOOM_TOPO_NONE: none of its name has such a cable, or is a
 * switch. */
uint32_t loom_plan_fault(const struct loom_plan *p, const struct loom_spec_fault *fault);

/* Whether the switch is the router of a KNS node (KN-04); false in other networks. */
bool loom_plan_is_router(const struct loom_plan *p, uint32_t row);

#endif
