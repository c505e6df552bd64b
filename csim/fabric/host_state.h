/* SPDX-License-Identifier: Apache-2.0 */
/* host_state.h - inside of a host interface (docs/fabric.md), for host.c, host_send.c and
 * host_receive.c */
#ifndef LOOM_FABRIC_HOST_STATE_H
#define LOOM_FABRIC_HOST_STATE_H

#include "fabric/fabric.h"
#include "fabric/host.h"
#include "fabric/ledger.h"
#include "fabric/nic.h"
#include "fabric/packets.h"
#include "fabric/trains.h"

#include <assert.h>
#include <stddef.h>

/* A message that has not begun to leave. */
struct loom_host_waiting {
  uint64_t tag, generated;
  uint32_t dst, flits;
  uint8_t mark;
};

/* Messages of a class and the packet that goes next. */
struct loom_host_queue {
  struct loom_host_waiting *ring;
  uint32_t size; /* 0 or a power of two */
  uint32_t first, count;
  uint64_t seed; /* of the paths of the class's packets */
  /* Of the first message: */
  bool open;        /* it has a record: its first packet has entered the NIC */
  uint32_t id;      /* the record */
  uint32_t offset;  /* flits of it that have entered */
  uint32_t entered; /* packets of its present train that have */
  /* Its next packet, once it is known: */
  bool ready;
  uint8_t sc, vl;
  uint16_t dest;  /* LID */
  uint16_t len;   /* flits */
  uint16_t units; /* credits */
};

/* The packet that arrives. */
struct loom_host_arriving {
  uint32_t left;  /* flits still to arrive, 0: none does */
  uint32_t place; /* flits that have arrived */
  uint32_t len;
  uint32_t offset; /* as its second flit says, once that was found right */
  uint32_t src, id;
  uint16_t lid; /* destination */
  uint8_t vl, traffic_class;
  bool after, more; /* marks of its head */
  bool stray;       /* nobody's */
  bool damaged;     /* a flit so far */
  uint64_t key;
};

struct loom_host {
  /* What each flit looks at: one line of the cache. */
  uint32_t waiting; /* classes with a message */
  uint32_t blocked; /* of these, that found no room in the NIC since it last had more */
  uint8_t leaving;  /* class of the packet on the link out, */
  bool known;       /* whose words stand in the fabric; */
  bool streams;     /* it does so as a stream */
  bool knows;       /* the same of the packet that arrives, */
  bool hears;       /* whose flits since the last step, and in it, are not counted yet */
  struct {
    bool valid;
    uint8_t vl;
  } credit; /* registered, to be shown */
  struct loom_ledger *ledger;
  struct loom_host_arriving arriving;
  struct {
    uint64_t backlog, received;
  } flits[LOOM_HOST_CLASSES];
  uint64_t due; /* the cycle after the one of the last step */
  struct loom_nic nic;
  uint32_t held;                         /* VLs for which a class waits that found no room, */
  uint32_t turn;                         /* class that had the last */
  uint8_t holder[LOOM_VLS];              /* which others do not overtake */
  struct loom_trains trains;             /* that arrive */
  struct loom_host_arriving interrupted; /* by the one that arrives; left 0: none is */
  uint32_t number;
  uint16_t lid; /* the first */
  struct loom_fabric *fabric;
  uint32_t device;
  struct loom_host_cfg cfg;
  struct loom_host_queue queue[]; /* of its classes */
};

static_assert(offsetof(struct loom_host, flits) <= LOOM_ARENA_LINE, "more than one line");

/* The packets of a train of the class, 1: each goes alone. */
static inline uint32_t loom_host_train(const struct loom_host *h, uint32_t of_class) {
  return h->cfg.packet[of_class] ? (uint32_t)h->cfg.mtu[of_class] / h->cfg.packet[of_class] : 1;
}

/* A packet begins to enter the NIC, which is ready for one, if one can. */
void loom_host_enter(struct loom_host *h, uint64_t now);
/* What arrives in a cycle, on the link in. */
void loom_host_arrive(struct loom_host *h, uint64_t now, const struct loom_fabric_arrival *in);
/* Before that: so many flits of a stream that came up to the cycle before. */
void loom_host_catch_up(struct loom_host *h, uint32_t flits);
/* Cycles until a unit is free by the stream that comes; UINT32_MAX: none does. */
uint32_t loom_host_frees(const struct loom_host *h);

#endif
