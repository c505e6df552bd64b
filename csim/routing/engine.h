/* SPDX-License-Identifier: Apache-2.0 */
/* engine.h - what the routing engines share (docs/route.md) */
#ifndef LOOM_ROUTING_ENGINE_H
#define LOOM_ROUTING_ENGINE_H

#include "routing/routing.h"

/* The name of a switch, for messages. */
static inline const char *loom_routing_name(const struct loom_routing *r, uint32_t row) {
  return r->topo->device[r->device[row]].name;
}

/* Ports of a switch, without port 0. */
static inline uint32_t loom_routing_ports(const struct loom_routing *r, uint32_t row) {
  return r->topo->device[r->device[row]].ports;
}

static inline const struct loom_topo_port *loom_routing_port(const struct loom_routing *r,
                                                             uint32_t row, uint32_t port) {
  return loom_topo_port(r->topo, r->device[row], port);
}

/* The switch at the other end of a port's cable; LOOM_TOPO_NONE: no cable, or an HCA. */
static inline uint32_t loom_routing_peer(const struct loom_routing *r, uint32_t row,
                                         uint32_t port) {
  uint32_t device = loom_routing_port(r, row, port)->device;
  return device == LOOM_TOPO_NONE ? LOOM_TOPO_NONE : r->row[device];
}

/* The switch that an end's cable leads to; LOOM_TOPO_NONE: another HCA. */
static inline uint32_t loom_routing_leaf(const struct loom_routing *r, uint32_t end) {
  const struct loom_routing_end *e = &r->end[end];
  return r->row[loom_topo_port(r->topo, e->device, e->port)->device];
}

/* Hosts at the ports of a switch below `port`. */
static inline uint32_t loom_routing_hosts_below(const struct loom_routing *r, uint32_t row,
                                                uint32_t port) {
  uint32_t hosts = 0;
  for (uint32_t p = 1; p < port; p++) {
    uint32_t device = loom_routing_port(r, row, p)->device;
    hosts += device != LOOM_TOPO_NONE && r->row[device] == LOOM_TOPO_NONE;
  }
  return hosts;
}

static inline uint32_t loom_routing_hosts(const struct loom_routing *r, uint32_t row) {
  return loom_routing_hosts_below(r, row, loom_routing_ports(r, row) + 1);
}

/* What a LID stands for: port `port` of a switch, 0: the switch itself. */
struct loom_routing_target {
  uint32_t row;
  uint32_t port;
  uint32_t offset; /* which of the 2^lmc LIDs */
};

/* False: the LID is nobody's, or not behind a switch. */
bool loom_routing_find(const struct loom_routing *r, uint32_t lid, struct loom_routing_target *t);

/* LIDs by the switch that they are at, in ascending order. */
struct loom_routing_lids {
  uint32_t *first; /* by row, and one more: where its LIDs begin in `lid` */
  uint32_t *lid;
};
bool loom_routing_group(const struct loom_routing *r, struct loom_routing_lids *lids);
void loom_routing_ungroup(struct loom_routing_lids *lids);

/* By row: the first row of the connected part of the fabric that the switch is in. A switch that is
 * `alone` (by row; NULL: none is) is a part of its own, and what it joins is not connected by it.
 * `queue` has room for all rows. */
void loom_routing_parts(const struct loom_routing *r, const bool *alone, uint32_t *part,
                        uint32_t *queue);

/* Engines: they fill an empty routing. */
bool loom_routing_minhop(struct loom_routing *r, struct loom_routing_error *err);
bool loom_routing_updn(struct loom_routing *r, const struct loom_routing_options *o,
                       struct loom_routing_error *err);
bool loom_routing_ftree(struct loom_routing *r, struct loom_routing_error *err);
bool loom_routing_dor(struct loom_routing *r, const struct loom_routing_options *o,
                      struct loom_routing_error *err);
bool loom_routing_dor_valiant(struct loom_routing *r, const struct loom_routing_options *o,
                              struct loom_routing_error *err);
bool loom_routing_dor_ugal(struct loom_routing *r, const struct loom_routing_options *o,
                           struct loom_routing_error *err);
bool loom_routing_dragonfly(struct loom_routing *r, const struct loom_routing_options *o,
                            struct loom_routing_error *err);
bool loom_routing_dragonfly_valiant(struct loom_routing *r, const struct loom_routing_options *o,
                                    struct loom_routing_error *err);
bool loom_routing_dragonfly_ugal(struct loom_routing *r, const struct loom_routing_options *o,
                                 struct loom_routing_error *err);
bool loom_routing_dragonflyplus(struct loom_routing *r, const struct loom_routing_options *o,
                                struct loom_routing_error *err);
bool loom_routing_dragonflyplus_valiant(struct loom_routing *r,
                                        const struct loom_routing_options *o,
                                        struct loom_routing_error *err);
bool loom_routing_dragonflyplus_ugal(struct loom_routing *r, const struct loom_routing_options *o,
                                     struct loom_routing_error *err);
bool loom_routing_slimfly(struct loom_routing *r, const struct loom_routing_options *o,
                          struct loom_routing_error *err);
bool loom_routing_slimfly_valiant(struct loom_routing *r, const struct loom_routing_options *o,
                                  struct loom_routing_error *err);
bool loom_routing_hdor(struct loom_routing *r, const struct loom_routing_options *o,
                       struct loom_routing_error *err);
bool loom_routing_lash(struct loom_routing *r, const struct loom_routing_options *o,
                       struct loom_routing_error *err);
bool loom_routing_dfsssp(struct loom_routing *r, const struct loom_routing_options *o,
                         struct loom_routing_error *err);

/* Chooses cables of trunks of an engine's tables, each switch by its part of the hash. */
bool loom_routing_engine_trunk(struct loom_routing *r, enum loom_routing_engine engine,
                               enum loom_routing_trunk trunk, struct loom_routing_error *err);

/* Groups of ports that a switch has registers for (docs/port_groups.md). */
enum { LOOM_ROUTING_GROUPS = 64 };
/* False: a switch needs more. */
bool loom_routing_check_groups(const struct loom_routing *r, struct loom_routing_error *err);

/* Levels above the leaves, the switches that have hosts: [row]. False: a cable joins two switches
 * of one level, or a switch has no leaf below. */
bool loom_routing_levels(const struct loom_routing *r, uint32_t *level,
                         struct loom_routing_error *err);

/* Ways up from a leaf to the top: the product of the parents in each level; 0: no fat tree. */
uint32_t loom_routing_ways(const struct loom_routing *r);

/* Other coordinates that dor-ugal offers in a dimension, at most; 0: none. */
uint32_t loom_routing_others(const struct loom_routing *r);

/* Groups of a dragonfly, or of a Dragonfly+, but one; 0: none. */
uint32_t loom_routing_vias(const struct loom_routing *r, bool plus);

#endif
