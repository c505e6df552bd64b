/* SPDX-License-Identifier: Apache-2.0 */
/* routing.h - who forwards what where: forwarding tables of a topology, and whether they can
 * deadlock (docs/route.md; TP-03, TP-04, KN-02, KN-04..08)
 *
 *     struct loom_routing_error err;
 *     const struct loom_routing_options as_usual = {0};
 *     struct loom_routing *r = loom_routing_make(topo, LOOM_ROUTING_UPDN, &as_usual, &err);
 *
 * A routing belongs to a topology (<loom/topo.h>), which must stay. Any number of threads may look
 * at one.
 */
#ifndef LOOM_ROUTING_H
#define LOOM_ROUTING_H

#include <loom/topo.h>

#ifdef __cplusplus
extern "C" {
#endif

struct loom_routing;

/* Why there is no routing. */
struct loom_routing_error {
  char text[240]; /* a sentence without a capital and a full stop */
};

enum loom_routing_engine {
  LOOM_ROUTING_MINHOP,    /* shortest paths, balanced; free of deadlock on trees only */
  LOOM_ROUTING_UPDN,      /* up*, then down*: no up after down */
  LOOM_ROUTING_FTREE,     /* d-mod-k on fat trees */
  LOOM_ROUTING_VALIANT,   /* the same, each LID of a host over another common ancestor (TP-04) */
  LOOM_ROUTING_DOR,       /* dimension order on tori (TP-03) */
  LOOM_ROUTING_HDOR,      /* Hybrid-DOR on a KNS of any cabling (KN-02, KN-04..06) */
  LOOM_ROUTING_LASH,      /* shortest paths in layers; the same layer there and back (KN-08) */
  LOOM_ROUTING_DFSSSP,    /* shortest paths, balanced over links and layers (KN-08) */
  LOOM_ROUTING_DRAGONFLY, /* shortest paths between groups of a dragonfly */
  LOOM_ROUTING_DRAGONFLY_VALIANT,     /* each LID of a host over another group (TP-04) */
  LOOM_ROUTING_DRAGONFLY_UGAL,        /* that or the shortest way, by load at the first switch */
  LOOM_ROUTING_SLIMFLY,               /* shortest paths where two cables are enough */
  LOOM_ROUTING_DOR_VALIANT,           /* dor, each LID of a host over another switch (TP-04) */
  LOOM_ROUTING_DRAGONFLYPLUS,         /* shortest paths in a Dragonfly+ */
  LOOM_ROUTING_DRAGONFLYPLUS_VALIANT, /* each LID of a host over another group (TP-04) */
  LOOM_ROUTING_DRAGONFLYPLUS_UGAL,    /* that or the shortest way, by load */
  LOOM_ROUTING_SLIMFLY_VALIANT,       /* slimfly, each LID of a host over another switch (TP-04) */
  LOOM_ROUTING_DOR_UGAL /* dor on HyperX, or over another coordinate in each dimension, by load */
};

/* What DOR on a torus does against the cycle that each ring is, and a dragonfly against those of
 * its groups (docs/route.md says how many layers and classes that takes). */
enum loom_routing_avoid {
  LOOM_ROUTING_DATELINE_TURN, /* two layers, SC2SC */
  LOOM_ROUTING_DATELINE_PATH, /* two layers, SL2VL; a class bit for each dimension */
  LOOM_ROUTING_AVOID_NONE,    /* one layer, cyclic */
  LOOM_ROUTING_AVOID_BUBBLE   /* dor: one layer, rings are those of bubble flow control */
};

/* Where dor goes if the target is half way round a ring. */
enum loom_routing_ties {
  LOOM_ROUTING_TIES_SPLIT, /* up or down by LID and place, as many each */
  LOOM_ROUTING_TIES_UP     /* up: the cables up carry more */
};

/* Which of the cables to a neighbour packets take (docs/port_groups.md; TP-02). */
enum loom_routing_trunk {
  LOOM_ROUTING_TRUNK_LID,  /* the one that the table names for the LID */
  LOOM_ROUTING_TRUNK_FLOW, /* one for each pair of LIDs */
  LOOM_ROUTING_TRUNK_LOAD /* the least loaded one for each packet, which loses the order of flows */
};

/* Which paths lash and dfsssp keep free of deadlock, and count when they balance. */
enum loom_routing_cover {
  LOOM_ROUTING_COVER_HOSTS, /* those between hosts */
  LOOM_ROUTING_COVER_ALL    /* lash: between all switches; dfsssp: from hosts to all LIDs */
};

/* How updn finds its root if none is named. */
enum loom_routing_choose {
  LOOM_ROUTING_CHOOSE_USUAL, /* the top level of a tree, or one switch in the middle */
  LOOM_ROUTING_CHOOSE_BEST,  /* each switch is tried: the one with the least loads */
  LOOM_ROUTING_CHOOSE_MEDIAN /* the same, the one in the middle of their order */
};

/* valiant, and the engines in -valiant and -ugal: as many LIDs as there are ancestors, or other
 * groups or switches; else 0 */
enum { LOOM_ROUTING_LMC_AUTO = 255 };

struct loom_routing_options {
  uint32_t lmc;                  /* a host has 2^lmc LIDs, 0..7, or LOOM_ROUTING_LMC_AUTO */
  enum loom_routing_avoid avoid; /* dor and those of dragonflies, slimfly */
  enum loom_routing_ties ties;   /* dor */
  uint32_t vls; /* hdor, lash, dfsssp: lanes of each class, 1..15; 0: as few as can be */
  enum loom_routing_cover cover; /* lash, dfsssp */
  const uint32_t *root;          /* updn: devices, switches all; NULL: chosen */
  uint32_t roots;
  enum loom_routing_choose choose; /* updn, without roots */
  enum loom_routing_trunk trunk;   /* flow and load: for switches with groups of ports */
};

/* The routing of a setup, which keeps it. NULL: its devices route by themselves. */
const struct loom_routing *loom_setup_routing(const struct loom_setup *setup);

/* NULL: refused, *err says why. */
struct loom_routing *loom_routing_make(const struct loom_topo *topo,
                                       enum loom_routing_engine engine,
                                       const struct loom_routing_options *options,
                                       struct loom_routing_error *err);
/* NULL is allowed; not for one that a setup keeps. */
void loom_routing_destroy(struct loom_routing *r);

/* The port by which a switch, a device of the topology, sends to a LID: 0: it is this switch; 255:
 * nowhere, or there is no such switch or LID. */
uint32_t loom_routing_port_to(const struct loom_routing *r, uint32_t device, uint32_t lid);
/* Virtual lanes that each traffic class needs. */
uint32_t loom_routing_layers(const struct loom_routing *r);

/* What a routing is worth, all pairs of hosts counted. */
struct loom_routing_worth {
  uint64_t pairs, unreachable;
  double hops_mean;  /* links of a path, those of both hosts counted */
  uint64_t load_max; /* pairs over the link between switches that has the most */
  bool may_deadlock; /* channels wait for each other in a circle */
};
/* Slow on large fabrics. False: out of memory. */
bool loom_routing_judge(const struct loom_routing *r, struct loom_routing_worth *worth);

/* ---- writing (docs/formats.md); errors are left on the stream -------------------------------- */

/* Forwarding tables as OpenSM dumps them and reads them again. GUIDs that the fabric does not have
 * are those that ibsim gives, which counts switches from 0x200000 and HCAs from 0x100000. False:
 * out of memory, nothing is written. */
bool loom_routing_write_lfts(const struct loom_routing *r, FILE *file);

/* SL2VL tables of all switches, as OpenSM dumps them: SL = path class, VL = layer. False: layers go
 * by turn, which SLs cannot say; nothing is written. */
bool loom_routing_write_sl2vl(const struct loom_routing *r, FILE *file);

/* Options of opensm.conf: as many VLs as layers, all of one weight, and SL2VL. False: layers differ
 * from port to port, which they cannot say; nothing is written. */
bool loom_routing_write_conf(const struct loom_routing *r, FILE *file);

#ifdef __cplusplus
}
#endif

#endif
