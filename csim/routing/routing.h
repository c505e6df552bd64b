/* SPDX-License-Identifier: Apache-2.0 */
/* routing.h - who forwards what where: forwarding tables of a fabric and the virtual lanes that
 * keep them free of deadlock; what programs see of it is <loom/routing.h> (docs/route.md; TP-03,
 * TP-04, KN-02, KN-04..08)
 *
 * A routing belongs to a fabric (topo/topo.h), whose devices, ports and LIDs it names. Rows are the
 * switches in the fabric's order, ends the ports of HCAs that have a cable and a LID, in its order.
 */
#ifndef LOOM_ROUTING_ROUTING_H
#define LOOM_ROUTING_ROUTING_H

#include <loom/routing.h>

#include "routing/routing_error.h"
#include "topo/topo.h"

enum {
  LOOM_ROUTING_UNREACHABLE = 255, /* no port: packets for that LID are dropped */
  LOOM_ROUTING_PORTS = 254,       /* of a switch, at most: 255 is no port */
  LOOM_ROUTING_KEEP = 255,        /* a turn that leaves the layer as it is */
  LOOM_ROUTING_NEXT = 254,        /* one that goes over to the next, if there is one */
  LOOM_ROUTING_LMC = 7,           /* at most */
  LOOM_ROUTING_CLASSES = 16,      /* path classes, at most: SLs of InfiniBand */
  LOOM_ROUTING_VLS = 15           /* layers of an engine, at most: VL15 is management's */
};

/* What engines have; one place for those who read options and those who make routings. */

static inline bool loom_routing_is_dragonflyplus(enum loom_routing_engine engine) {
  return engine == LOOM_ROUTING_DRAGONFLYPLUS || engine == LOOM_ROUTING_DRAGONFLYPLUS_VALIANT ||
         engine == LOOM_ROUTING_DRAGONFLYPLUS_UGAL;
}

static inline bool loom_routing_is_dragonfly(enum loom_routing_engine engine) {
  return engine == LOOM_ROUTING_DRAGONFLY || engine == LOOM_ROUTING_DRAGONFLY_VALIANT ||
         engine == LOOM_ROUTING_DRAGONFLY_UGAL;
}

/* Layers against the cycles of rings or groups: enum loom_routing_avoid. */
static inline bool loom_routing_has_avoid(enum loom_routing_engine engine) {
  return engine == LOOM_ROUTING_DOR || engine == LOOM_ROUTING_DOR_VALIANT ||
         engine == LOOM_ROUTING_DOR_UGAL || engine == LOOM_ROUTING_SLIMFLY ||
         engine == LOOM_ROUTING_SLIMFLY_VALIANT || loom_routing_is_dragonfly(engine) ||
         loom_routing_is_dragonflyplus(engine);
}

/* A choice between two ways, by load: for switches with groups of ports. */
static inline bool loom_routing_is_by_load(enum loom_routing_engine engine) {
  return engine == LOOM_ROUTING_DRAGONFLY_UGAL || engine == LOOM_ROUTING_DRAGONFLYPLUS_UGAL ||
         engine == LOOM_ROUTING_DOR_UGAL;
}

/* Layers into which it puts paths as it finds cycles: enum loom_routing_cover. */
static inline bool loom_routing_has_cover(enum loom_routing_engine engine) {
  return engine == LOOM_ROUTING_LASH || engine == LOOM_ROUTING_DFSSSP;
}

/* Another way for each LID of a host, so it knows how many are enough: LOOM_ROUTING_LMC_AUTO. */
static inline bool loom_routing_has_ways(enum loom_routing_engine engine) {
  return engine == LOOM_ROUTING_VALIANT || engine == LOOM_ROUTING_DOR_VALIANT ||
         engine == LOOM_ROUTING_SLIMFLY_VALIANT || engine == LOOM_ROUTING_DRAGONFLY_VALIANT ||
         engine == LOOM_ROUTING_DRAGONFLYPLUS_VALIANT || loom_routing_is_by_load(engine);
}

/* How the layer, a virtual lane of a traffic class, is found at each switch. */
enum loom_routing_layering {
  LOOM_ROUTING_LAYER_NONE, /* there is one layer */
  LOOM_ROUTING_LAYER_TURN, /* by the ports in and out: SC2SC maps of Omni-Path */
  LOOM_ROUTING_LAYER_PATH  /* by the path's class: SLs and SL2VL maps of InfiniBand */
};

/* Where a host is reached: a port of an HCA. */
struct loom_routing_end {
  uint32_t device;
  uint32_t port;
  uint32_t lid; /* the first of its 2^lmc */
};

struct loom_routing {
  const struct loom_topo *topo; /* not owned */

  /* LIDs. An end has 2^lmc, from its LID in the fabric << shift on; a switch has one, its LID <<
   * shift, or as many as its own LMC says. The shift is 0 where the LIDs of the fabric leave room
   * (loom_topo.lmc), else lmc. */
  uint32_t lmc, shift;
  uint32_t lids; /* one above the highest */

  uint32_t switches;
  uint32_t *device; /* by row: the switch */
  uint32_t *row;    /* by device; LOOM_TOPO_NONE: an HCA */
  uint32_t ends;
  struct loom_routing_end *end;
  uint32_t *end_of; /* by LID, all 2^lmc of them; LOOM_TOPO_NONE: of a switch, or of nobody */
  uint32_t *row_of; /* by LID; LOOM_TOPO_NONE: of an end, or of nobody */

  /* [row * lids + LID]: the port that leads there, 0: it is this switch. */
  uint8_t *out;

  /* How one of the cables to a neighbour is chosen; by row: the part of the hash that a switch
   * looks at, GROUP_HASH (docs/port_groups.md). */
  enum loom_routing_trunk trunk;
  uint8_t *hash;

  /* The same: a second port, which packets take by load, or 0; NULL: there are none. */
  uint8_t *other;
  /* With bubble flow control (TP-03), [row * ports + out]: the port in whose packets go on in the
   * ring of the port out, all others enter; 0: it belongs to no ring. NULL: no bubbles. */
  uint8_t *ring;

  enum loom_routing_layering layering;
  uint32_t layers; /* virtual lanes that each traffic class needs, 1.. */
  uint32_t ports;  /* ports of the largest switch, and one: in and out are below */

  /* LAYER_TURN, [(row * ports + in) * ports + out]: the layer on the link that leaves by `out`,
   * LOOM_ROUTING_KEEP or LOOM_ROUTING_NEXT. Hosts inject on layer 0. */
  uint8_t *turn;

  /* LAYER_PATH. Class of the path from an end to a LID: [end * lids + LID], below `classes`. Layer
   * on the link that leaves by `out`: [((row * ports + in) * ports + out) * classes + class], and
   * on the host's own link: [class]. */
  uint32_t classes;
  uint8_t *path;
  uint8_t *layer;
  uint8_t inject[LOOM_ROUTING_CLASSES];
};

/* A fabric without any entry: all LIDs unreachable at all switches, except each switch's own; one
 * layer. Refused (NULL, *err says why): no switch or host, a switch with more than
 * LOOM_ROUTING_PORTS ports, a port or switch without a LID, LIDs that do not fit with this lmc, an
 * lmc that is neither 0 nor that of a fabric that has one, out of memory. */
struct loom_routing *loom_routing_create(const struct loom_topo *topo, uint32_t lmc,
                                         struct loom_routing_error *err);

/* Makes room for layers by turn, all of them LOOM_ROUTING_KEEP. False: out of memory. */
bool loom_routing_layer_turns(struct loom_routing *r, uint32_t layers);

/* Makes room for layers by path, all classes 0 and the layer of a class its number modulo `layers`
 * on all links. False: out of memory. */
bool loom_routing_layer_paths(struct loom_routing *r, uint32_t layers, uint32_t classes);

/* The layer of each class from now on, on all links: [class], `classes` of them. */
void loom_routing_map_classes(struct loom_routing *r, const uint8_t *layer);

/* ---- looking at it --------------------------------------------------------------------------- */

/* Port by which switch `row` sends to a LID below `lids`. */
static inline uint8_t loom_routing_out(const struct loom_routing *r, uint32_t row, uint32_t lid) {
  return r->out[(size_t)row * r->lids + lid];
}

static inline void loom_routing_set(struct loom_routing *r, uint32_t row, uint32_t lid,
                                    uint32_t port) {
  r->out[(size_t)row * r->lids + lid] = (uint8_t)port;
}

/* The port that packets for a LID may take as well, by load; 0: none. */
static inline uint8_t loom_routing_other(const struct loom_routing *r, uint32_t row, uint32_t lid) {
  return r->other ? r->other[(size_t)row * r->lids + lid] : 0;
}

/* The LID of a switch. */
static inline uint32_t loom_routing_switch_lid(const struct loom_routing *r, uint32_t row) {
  return (uint32_t)loom_topo_port(r->topo, r->device[row], 0)->lid << r->shift;
}

/* Class of the path from an end to a LID, 0 unless layers go by path. */
static inline uint32_t loom_routing_class(const struct loom_routing *r, uint32_t end,
                                          uint32_t lid) {
  return r->layering == LOOM_ROUTING_LAYER_PATH ? r->path[(size_t)end * r->lids + lid] : 0;
}

/* Layer on which a packet of a class leaves switch `row` that came in on layer `from`. */
static inline uint32_t loom_routing_layer(const struct loom_routing *r, uint32_t row, uint32_t in,
                                          uint32_t out, uint32_t path_class, uint32_t from) {
  size_t turn = ((size_t)row * r->ports + in) * r->ports + out;
  if (r->layering == LOOM_ROUTING_LAYER_PATH)
    return r->layer[turn * r->classes + path_class];
  if (r->layering != LOOM_ROUTING_LAYER_TURN || r->turn[turn] == LOOM_ROUTING_KEEP)
    return from;
  if (r->turn[turn] == LOOM_ROUTING_NEXT)
    return from + 1 < r->layers ? from + 1 : from;
  return r->turn[turn];
}

/* ---- trunks (docs/port_groups.md; TP-02) ----------------------------------------------------- */

/* The ports of a switch that packets may take where its table says `port`, ascending: the port
 * itself if tables name cables, else all that lead to the same switch. At least one; `list` has
 * room for LOOM_ROUTING_PORTS. */
uint32_t loom_routing_members(const struct loom_routing *r, uint32_t row, uint32_t port,
                              uint8_t *list);

/* Which of them packets from an end to a LID take, as far as the flow decides that; any entry of a
 * table for `port`. */
uint32_t loom_routing_member_of(const struct loom_routing *r, uint32_t row, uint32_t port,
                                uint32_t end, uint32_t lid);

/* Groups of a switch by the first LID that they have, those with one member left out. Their number;
 * `group` has, by port, which one it is in, or LOOM_ROUTING_NO_GROUP, and LOOM_ROUTING_PORTS + 1
 * places. */
enum { LOOM_ROUTING_NO_GROUP = 255 };
uint32_t loom_routing_groups(const struct loom_routing *r, uint32_t row, uint8_t *group);
/* Groups of two ports, of a switch whose entries have second ones, by the first LID that they have:
 * their number, LOOM_ROUTING_NO_GROUP if there are more than that. `group` is theirs by LID, with
 * LOOM_TOPO_LID_MAX + 1 places. */
uint32_t loom_routing_pairs(const struct loom_routing *r, uint32_t row, uint8_t *group);
/* The most of a switch, of either kind. */
uint32_t loom_routing_most_groups(const struct loom_routing *r);

/* Chooses cables of trunks like this from now on. False: the layer of a packet would depend on the
 * cable, or out of memory; *err says which, and nothing has changed. */
bool loom_routing_choose_trunk(struct loom_routing *r, enum loom_routing_trunk trunk,
                               struct loom_routing_error *err);

/* ---- Hybrid-DOR's discovery (KN-04, KN-05) --------------------------------------------------- */

/* Coordinates of a KNS. Switches without hosts that cables join are an indirect network. */
struct loom_routing_kns {
  uint32_t k;
  uint32_t n;
  uint32_t *coord; /* [row * n + i]: of a router r_i; of a switch those that all routers of its
                    * network share, and 0 */
  uint32_t *dim;   /* by row: dimension of a switch; LOOM_TOPO_NONE: a router */
  uint32_t *part;  /* by row: the first switch of its network; a router itself */

  /* By row, from loom_routing_kns_levels: the level of a switch in its network, 0 where routers
   * are, and its number among those of the level, in the fabric's order; both 0 for routers. */
  uint32_t *level, *place;
};

/* False: no KNS, *err says why. */
bool loom_routing_kns_find(const struct loom_routing *r, struct loom_routing_kns *kns,
                           struct loom_routing_error *err);
void loom_routing_kns_free(struct loom_routing_kns *kns);

/* Finds where the switches of a KNS stand in their networks. False: a network is no fat tree, or
 * out of memory; *err says which. */
bool loom_routing_kns_levels(const struct loom_routing *r, struct loom_routing_kns *kns,
                             struct loom_routing_error *err);

#endif
