/* SPDX-License-Identifier: Apache-2.0 */
/* topo.h - the inside of a topology, for who makes and routes them; what programs see of it, most
 * of its functions too, is <loom/topo.h> (docs/topo.md; TP-01, TP-02, KN-01, KN-07)
 */
#ifndef LOOM_TOPO_TOPO_H
#define LOOM_TOPO_TOPO_H

#include <stddef.h>

#include <loom/topo.h>

enum {
  LOOM_TOPO_NAME = 64,            /* bytes of a name, with the NUL */
  LOOM_TOPO_COORDS = 8,           /* coordinates of a device, at most */
  LOOM_TOPO_PORTS = 255,          /* of a device, at most */
  LOOM_TOPO_LID_MAX = 0xBFFF,     /* highest unicast LID */
  LOOM_TOPO_DEVICES = 1 << 20,    /* of a fabric, at most */
  LOOM_TOPO_ALL_PORTS = 1 << 24,  /* of all devices, at most, port 0 counted */
  LOOM_TOPO_SIZE_MAX = 1000000000 /* bound of each number that a generator takes */
};
/* One port and where its cable leads. */
struct loom_topo_port {
  uint32_t device; /* at the other end, LOOM_TOPO_NONE: no cable */
  uint16_t port;   /* of that device */
  uint16_t lid;    /* of this port, 0: none; of a switch only port 0 has one */
};

struct loom_topo_device {
  char name[LOOM_TOPO_NAME];
  enum loom_topo_kind kind;
  uint32_t ports; /* without port 0 */
  uint32_t first; /* port 0 in the fabric's list of ports */
  uint32_t coords;
  uint32_t coord[LOOM_TOPO_COORDS]; /* meaning: docs/topo.md, by generator */
  /* Of a switch in a folded tree, or in a group of leaves and spines: how high it stands, leaves at
   * 0; LOOM_TOPO_NONE: in none. */
  uint32_t level;
  uint32_t lmc; /* of a switch: it has 2^lmc LIDs, from that of port 0 on */
  /* Of an HCA: it stands inside a switch and sums up what hosts send, but is none of them. */
  bool aggregates;
};

/* Devices and ports are in the order in which they were added. While `device` is NULL the fabric
 * only counts what is added. */
struct loom_topo {
  struct loom_topo_device *device;
  struct loom_topo_port *port;
  uint32_t devices, devices_max;
  uint32_t ports, ports_max;
  uint64_t
      *guid; /* as ports: of a port, at port 0 of the device, 0: unknown; NULL: none is known */
  uint32_t *rate; /* as ports: Mb/s of data that a port sends, 0: unknown; NULL: none is known */
  uint32_t lmc;   /* each port of an HCA has 2^lmc LIDs from its own on */
  bool keep_lids; /* a subnet's: with any LMC an HCA's port has its LID and those after it */
  bool overflow;  /* something was added that has no room, or cabled that could not be */
};

/* Leaves the devices order[0..devices - 1], in this order, with their cables; none of them has one
 * to a device that goes. False: out of memory, and nothing changes. */
bool loom_topo_arrange(struct loom_topo *t, const uint32_t *order, uint32_t devices);

/* Takes the cables of all aggregation nodes out; their ports keep their LIDs. */
void loom_topo_unplug_aggregation(struct loom_topo *t);

/* Gives device d `count` coordinates. */
void loom_topo_place(struct loom_topo *t, uint32_t d, uint32_t count, const uint32_t *coord);
/* Puts switch d at this level of a folded tree, or of its group. */
void loom_topo_raise(struct loom_topo *t, uint32_t d, uint32_t level);
/* Puts each switch at the level of a folded tree that its distance from the next node gives: 0 next
 * to one; those that no node reaches are in none. */
void loom_topo_raise_all(struct loom_topo *t);

static inline struct loom_topo_port *loom_topo_port(const struct loom_topo *t, uint32_t d,
                                                    uint32_t port) {
  return &t->port[t->device[d].first + port];
}

/* An HCA that is no aggregation node. */
static inline bool loom_topo_is_host(const struct loom_topo *t, uint32_t d) {
  return t->device[d].kind == LOOM_TOPO_HCA && !t->device[d].aggregates;
}

/* GUID of a port, or at port 0 of a device, as a subnet's tools print them; 0: unknown. */
static inline uint64_t loom_topo_guid(const struct loom_topo *t, uint32_t d, uint32_t port) {
  return t->guid ? t->guid[t->device[d].first + port] : 0;
}

/* Mb/s of data on the cable of a port, by this end or, if it does not say, by the other; 0:
 * unknown, or no cable. */
uint32_t loom_topo_rate(const struct loom_topo *t, uint32_t d, uint32_t port);
/* The lowest and the highest rate of all cables, in Mb/s; 0 and 0: none is known. */
void loom_topo_rates(const struct loom_topo *t, uint32_t *min, uint32_t *max);

/* LID at which cable end `port` of a device is reached: of the port, or of the switch. */
static inline uint16_t loom_topo_lid(const struct loom_topo *t, uint32_t d, uint32_t port) {
  return loom_topo_port(t, d, t->device[d].kind == LOOM_TOPO_HCA ? port : 0)->lid;
}

/* A generator adds everything to `t`; it is called twice, first to count. */
typedef void loom_topo_build(struct loom_topo *t, const void *cfg);

/* Runs a generator and numbers what it made. NULL: too large, or out of memory. */
struct loom_topo *loom_topo_make(loom_topo_build *build, const void *cfg);

/* ---- looking at a fabric --------------------------------------------------------------------- */

enum loom_topo_fault {
  LOOM_TOPO_SOUND,
  LOOM_TOPO_NOWHERE,    /* a cable leads to a device or port that does not exist */
  LOOM_TOPO_ONE_SIDED,  /* the other end of a cable does not lead back */
  LOOM_TOPO_LOOP,       /* a cable joins two ports of one device */
  LOOM_TOPO_BAD_LID,    /* outside 0..LOOM_TOPO_LID_MAX, or where none belongs */
  LOOM_TOPO_DOUBLE_LID, /* two ports have it */
};

struct loom_topo_verdict {
  enum loom_topo_fault fault;
  uint32_t device; /* where */
  uint32_t port;
};

/* Every cable is symmetric, no port is used twice, no LID is. */
struct loom_topo_verdict loom_topo_check(const struct loom_topo *t);

/* Links on the shortest way from device d to every other, HCAs pass nothing on; LOOM_TOPO_NONE: no
 * way. `distance` and `queue` have one place a device. */
void loom_topo_distances(const struct loom_topo *t, uint32_t d, uint32_t *distance,
                         uint32_t *queue);

#endif
