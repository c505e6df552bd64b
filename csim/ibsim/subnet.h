/* SPDX-License-Identifier: Apache-2.0 */
/* subnet.h - what the management agents of a fabric know and are told: attributes of devices and
 * ports, tables, links that are up or down (docs/ibsim.md)
 *
 * Attributes stand as they go over the wire. Devices and ports count as in the topology. */
#ifndef LOOM_IBSIM_SUBNET_H
#define LOOM_IBSIM_SUBNET_H

#include "ibsim/mad.h"
#include "topo/topo.h"

enum {
  LOOM_SUBNET_LIDS = 0xC000, /* entries of a linear forwarding table */
  LOOM_SUBNET_BLOCK = 64,    /* of them, in a MAD */
  LOOM_SUBNET_GROUPS = 1024, /* multicast LIDs */
  LOOM_SUBNET_KEYS = 64,     /* partition keys of a port */
  LOOM_SUBNET_ENTRIES = 64,  /* of an arbitration table, at most */
  LOOM_SUBNET_NOWHERE = 255, /* in a forwarding table */
  LOOM_SUBNET_RESETS = 16,   /* counters of an attribute, at most */
};

/* Counters of a port, as PerfMgt names them. Data are in words of four bytes. */
enum loom_subnet_counter {
  LOOM_COUNT_XMIT_DATA,
  LOOM_COUNT_RCV_DATA,
  LOOM_COUNT_XMIT_PACKETS,
  LOOM_COUNT_RCV_PACKETS,
  LOOM_COUNT_XMIT_WAIT,
  LOOM_COUNT_XMIT_DISCARDS,
  LOOM_COUNT_RCV_ERRORS,
  LOOM_COUNT_RELAY_ERRORS,
  LOOM_COUNT_LINK_DOWNED,
  LOOM_COUNTS
};

/* A port of a device. */
struct loom_subnet_place {
  uint32_t device, port;
};

struct loom_subnet_port {
  uint8_t info[LOOM_SMP_BYTES];      /* PortInfo */
  uint8_t key[2 * LOOM_SUBNET_KEYS]; /* P_KeyTable */
  uint8_t vlarb[4 * LOOM_SMP_BYTES]; /* VLArbitration: low, then high, two blocks each */
  uint8_t sl2vl[8];                  /* of an adapter's port */
  bool cut;                          /* the cable, at this end */
  uint64_t count[LOOM_COUNTS];       /* events so far */
  /* Of these, before a counter of PortCounters, of PortCountersExtended was last reset. */
  uint64_t zero[LOOM_SUBNET_RESETS], extended_zero[LOOM_SUBNET_RESETS];
};

struct loom_subnet_node {
  uint64_t guid;
  uint8_t info[LOOM_SMP_BYTES]; /* SwitchInfo */
  uint8_t *linear;              /* LOOM_SUBNET_LIDS ports; of switches alone, as what follows */
  uint8_t *multicast;           /* blocks of 32 groups, in each one for 16 ports, as they are set */
  uint8_t *sl2vl;               /* 8 bytes, by output and input, port 0 counted */
  bool trap;                    /* its links have changed, and nobody was told yet */
};

/* Who wants to know what was set; called after it stands. Each may be NULL. */
struct loom_subnet_hooks {
  void (*linear)(void *context, uint32_t device, uint32_t first, uint32_t count);
  void (*sl2vl)(void *context, uint32_t device, uint32_t in, uint32_t out); /* in: of a switch */
  void (*vlarb)(void *context, uint32_t device, uint32_t port);
  void (*port)(void *context, uint32_t device, uint32_t port);
  void (*cable)(void *context, uint32_t device, uint32_t port, bool joined); /* else cut */
  /* Before counters of a port are read. */
  void (*counters)(void *context, uint32_t device, uint32_t port);
  void *context;
};

/* What ports can do. */
struct loom_subnet_cfg {
  uint32_t vls;       /* data VLs: 1, 2, 4, 8 or 15 */
  uint32_t high, low; /* entries of the arbitration tables, 0..64 */
  uint32_t lids;      /* of the forwarding tables: a multiple of 64, up to LOOM_SUBNET_LIDS */
};

struct loom_subnet {
  const struct loom_topo *topo;
  struct loom_subnet_cfg cfg;
  struct loom_subnet_node *node; /* by device */
  struct loom_subnet_port *port; /* as those of the topology */
  struct loom_subnet_hooks hooks;
};

/* The topology stays while it stands. Links are up in INIT, tables are empty. NULL: out of memory.
 */
struct loom_subnet *loom_subnet_create(const struct loom_topo *topo,
                                       const struct loom_subnet_cfg *cfg);
void loom_subnet_destroy(struct loom_subnet *s);

static inline struct loom_subnet_port *loom_subnet_port(const struct loom_subnet *s, uint32_t d,
                                                        uint32_t port) {
  return &s->port[s->topo->device[d].first + port];
}

static inline bool loom_subnet_is_switch(const struct loom_subnet *s, uint32_t d) {
  return s->topo->device[d].kind == LOOM_TOPO_SWITCH;
}

static inline uint32_t loom_subnet_state(const struct loom_subnet *s, uint32_t d, uint32_t port) {
  return (uint32_t)loom_mad_get(loom_subnet_port(s, d, port)->info, LOOM_PORT_STATE);
}

/* GUID of a port; of a switch all ports have its own. */
uint64_t loom_subnet_guid(const struct loom_subnet *s, uint32_t d, uint32_t port);
/* The LID is one of the port's, or of port 0's of the switch. */
bool loom_subnet_has_lid(const struct loom_subnet *s, uint32_t d, uint32_t port, uint32_t lid);
/* The device of this name; LOOM_TOPO_NONE: there is none. */
uint32_t loom_subnet_find(const struct loom_subnet *s, const char *name);

/* Where the cable of a port leads. False: there is none, or it is cut, or an end is disabled. */
bool loom_subnet_far(const struct loom_subnet *s, uint32_t d, uint32_t port,
                     struct loom_subnet_place *far);
/* Cuts the cable of a port, or joins it again. False: the port has none, or it is so already. */
bool loom_subnet_join(struct loom_subnet *s, uint32_t d, uint32_t port, bool joined);
/* The port's link comes up or goes down, whichever cable and ends allow, and begins in INIT. */
void loom_subnet_train(struct loom_subnet *s, uint32_t d, uint32_t port);

/* Counters, up to date. */
const uint64_t *loom_subnet_counts(const struct loom_subnet *s, uint32_t d, uint32_t port);

#endif
