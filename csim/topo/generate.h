/* SPDX-License-Identifier: Apache-2.0 */
/* generate.h - fabrics of regular shape (docs/topo.md)
 *
 * Each `_make` returns a fabric with LIDs, or NULL if `_bad` finds fault with the numbers, if it
 * would pass the bounds of topo.h, or out of memory. `_bad` names the first bad number, as the
 * options of `loom topo` do, or is NULL.
 */
#ifndef LOOM_TOPO_GENERATE_H
#define LOOM_TOPO_GENERATE_H

#include "topo/topo.h"

/* ---- fat trees ------------------------------------------------------------------------------- */

/* k-ary n-tree (TP-01): n levels of switches with k ports down and k up. */
struct loom_topo_tree_cfg {
  uint32_t k;
  uint32_t n;     /* levels */
  uint32_t trunk; /* cables where the tree has one link between switches */
  /* 0 or false: as usual. */
  uint32_t top;    /* links down of a top switch (k, or 2k if full): top k^(n-1) links of nodes */
  uint32_t hosted; /* top switches in a device, divides k (1; E5-23) */
  uint32_t links;  /* of a node (1; E5-24) */
  bool full;       /* all 2k ports of the top level lead down: 2 k^n nodes (E5-41) */
  bool spread;     /* the links of a node lead to different leaves, far apart */
};
const char *loom_topo_tree_bad(const struct loom_topo_tree_cfg *cfg);
struct loom_topo *loom_topo_tree_make(const struct loom_topo_tree_cfg *cfg);

enum { LOOM_TOPO_XGFT_LEVELS = 4 };

/* XGFT(h; m1..mh; 1, w2..wh): a switch of level i leads to down[i] below it and up[i] above. */
struct loom_topo_xgft_cfg {
  uint32_t levels, down[LOOM_TOPO_XGFT_LEVELS]; /* down[0]: nodes of a leaf */
  uint32_t ups, up[LOOM_TOPO_XGFT_LEVELS];      /* ups: levels - 1 */
  uint32_t trunk; /* cables where the tree has one link between switches */
};
const char *loom_topo_xgft_bad(const struct loom_topo_xgft_cfg *cfg);
uint32_t loom_topo_xgft_switches(const struct loom_topo_xgft_cfg *cfg, uint32_t level);
struct loom_topo *loom_topo_xgft_make(const struct loom_topo_xgft_cfg *cfg);

/* The 8-port slimmed fat tree of KN-07: 9 leaves, 9 middle switches, 3 top switches. */
struct loom_topo_slim_cfg {
  uint32_t nodes; /* at a leaf, 1..5 */
};
const char *loom_topo_slim_bad(const struct loom_topo_slim_cfg *cfg);
struct loom_topo *loom_topo_slim_make(const struct loom_topo_slim_cfg *cfg);

/* ---- torus (TP-02), mesh, HyperX ------------------------------------------------------------- */

/* What joins the switches that differ in one coordinate. */
enum loom_topo_joined {
  LOOM_TOPO_RING, /* a torus */
  LOOM_TOPO_LINE, /* a mesh */
  LOOM_TOPO_ALL   /* each with each: a HyperX */
};

struct loom_topo_torus_cfg {
  enum loom_topo_joined joined;
  uint32_t dims; /* 1..3 */
  uint32_t size[3];
  uint32_t nodes; /* at a switch */
  uint32_t trunk; /* parallel cables to each neighbour */
};
const char *loom_topo_torus_bad(const struct loom_topo_torus_cfg *cfg);
struct loom_topo *loom_topo_torus_make(const struct loom_topo_torus_cfg *cfg);

/* ---- dragonfly ------------------------------------------------------------------------------- */

struct loom_topo_dragonfly_cfg {
  uint32_t routers; /* of a group */
  uint32_t globals; /* ports of a router to other groups */
  uint32_t nodes;   /* at a router */
  uint32_t groups;  /* 0: as many as a group can reach, routers * globals + 1 */
};
const char *loom_topo_dragonfly_bad(const struct loom_topo_dragonfly_cfg *cfg);
uint32_t loom_topo_dragonfly_groups(const struct loom_topo_dragonfly_cfg *cfg);
/* From each group to each other one. */
uint32_t loom_topo_dragonfly_cables(const struct loom_topo_dragonfly_cfg *cfg);
struct loom_topo *loom_topo_dragonfly_make(const struct loom_topo_dragonfly_cfg *cfg);

/* A dragonfly whose groups are leaves, which have the nodes, and spines, which lead to other ones;
 * each leaf is joined to each spine of its group. */
struct loom_topo_dragonflyplus_cfg {
  uint32_t leaves;  /* of a group */
  uint32_t spines;  /* of a group */
  uint32_t globals; /* ports of a spine to other groups */
  uint32_t nodes;   /* at a leaf */
  uint32_t groups;  /* 0: as many as a group can reach, spines * globals + 1 */
};
const char *loom_topo_dragonflyplus_bad(const struct loom_topo_dragonflyplus_cfg *cfg);
uint32_t loom_topo_dragonflyplus_groups(const struct loom_topo_dragonflyplus_cfg *cfg);
/* From each group to each other one. */
uint32_t loom_topo_dragonflyplus_cables(const struct loom_topo_dragonflyplus_cfg *cfg);
struct loom_topo *loom_topo_dragonflyplus_make(const struct loom_topo_dragonflyplus_cfg *cfg);

/* ---- Slim Fly -------------------------------------------------------------------------------- */

/* 2 q^2 switches of a McKay-Miller-Siran graph: at most two cables lead from each to each. */
struct loom_topo_slimfly_cfg {
  uint32_t q;     /* an odd prime */
  uint32_t nodes; /* at a switch */
};
const char *loom_topo_slimfly_bad(const struct loom_topo_slimfly_cfg *cfg);
struct loom_topo *loom_topo_slimfly_make(const struct loom_topo_slimfly_cfg *cfg);

/* ---- KNS (KN-01, KN-11) ---------------------------------------------------------------------- */

/* k-ary n-direct s-indirect: s is 1 while k <= radix, else the number of levels of a tree. */
struct loom_topo_kns_cfg {
  uint32_t k;
  uint32_t n;     /* dimensions */
  uint32_t nodes; /* at a router */
  uint32_t trunk; /* parallel cables of a router to each of its switches, and inside trees */
  uint32_t radix; /* links down of a switch in an indirect network; 0: k */
  uint32_t ports; /* of routers and switches, at least; 0: as many as are used */
};
const char *loom_topo_kns_bad(const struct loom_topo_kns_cfg *cfg);
uint32_t loom_topo_kns_stages(const struct loom_topo_kns_cfg *cfg); /* s = ceil(log_radix k) */
struct loom_topo *loom_topo_kns_make(const struct loom_topo_kns_cfg *cfg);

/* ---- QsNetIII federated networks (E5-42..46) ------------------------------------------------- */

struct loom_topo_qsnet3_cfg {
  uint32_t nodes;
  uint32_t links; /* of a node into one network (E5-46) */
  uint32_t rails; /* networks beside each other (E5-46) */
  bool spread;    /* the links of a node lead to different routers */
  bool blade;     /* node switches are single routers inside blade chassis, 16-way (E5-45) */
};

/* What has to be bought, all rails together (Table I). */
struct loom_topo_qsnet3_parts {
  uint32_t node_switches; /* chassis with node switches; of blades: the switches inside them */
  uint32_t top_switches;
  uint32_t top_radix;   /* links down of a top switch; 0: there is none */
  uint32_t top_routers; /* that hold top switches, without those of whole chassis */
  uint32_t top_chassis;
  uint32_t cables;
};
const char *loom_topo_qsnet3_bad(const struct loom_topo_qsnet3_cfg *cfg);
struct loom_topo *loom_topo_qsnet3_make(const struct loom_topo_qsnet3_cfg *cfg);
/* Counted in a graph that loom_topo_qsnet3_make has made (E5-43). */
void loom_topo_qsnet3_count(const struct loom_topo *t, struct loom_topo_qsnet3_parts *parts);

#endif
