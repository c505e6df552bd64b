/* SPDX-License-Identifier: Apache-2.0 */
/* trains.h - the trains that are arriving at a host: whether the packets of a message come one
 * after the other (docs/link.md, docs/fabric.md; DT-10)
 *
 * A flow is what one host sends to one LID in one class; it takes one path. In a flow the packets
 * of a train come in order, and no other packet between them. A train that has begun stands in a
 * table by its flow until its last packet; packets alone leave nothing there.
 */
#ifndef LOOM_FABRIC_TRAINS_H
#define LOOM_FABRIC_TRAINS_H

#include "fabric/ledger.h"

/* A packet that has arrived. */
struct loom_trains_packet {
  uint32_t src; /* host */
  uint16_t lid; /* destination */
  uint8_t traffic_class;
  bool after, more;    /* marks of its head */
  bool placed;         /* `offset` is known: the packet is undamaged */
  uint32_t id, offset; /* of its message; place in it, in flits */
  uint32_t len;        /* flits */
};

#define LOOM_TRAINS_ANY UINT32_MAX

/* A train that has begun. */
struct loom_train {
  uint64_t flow; /* 0: a free slot */
  uint32_t id;   /* message */
  uint32_t next; /* place of the packet that must come now; LOOM_TRAINS_ANY: not known, since all
                  * packets so far were damaged */
};

/* All zero: nothing has begun. */
struct loom_trains {
  struct loom_train *slot; /* a hash table */
  uint32_t size;           /* 0 or a power of two */
  uint32_t open;           /* slots in use */
};

/* False: the packet is not where it must be in its flow, which goes on from it all the same. The
 * table grows by the ledger's memory. */
bool loom_trains_arrive(struct loom_trains *t, struct loom_ledger *l,
                        const struct loom_trains_packet *p);
void loom_trains_free(struct loom_trains *t, struct loom_ledger *l);

#endif
