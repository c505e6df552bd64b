/* SPDX-License-Identifier: Apache-2.0 */
/* managed_class.h - an ib_switch whose registers are written while cycles go on, and whose links go
 * down and come up again (docs/ibsim.md)
 *
 * The link layer of a port that is down takes the packets that would leave by it, and those that
 * come in, and drops them whole; it gives their credits back as if they had been taken. A packet
 * that has begun to pass goes on to its end. So no credit is lost, and a link that comes up goes on
 * where it was. */
#ifndef LOOM_FABRIC_MANAGED_CLASS_H
#define LOOM_FABRIC_MANAGED_CLASS_H

#include "fabric/fabric.h"
#include "switch/ib_switch.h"

/* What the link layer of a port does with the packet that leaves, or that comes in. */
struct loom_managed_link {
  bool drops;        /* it is dropped */
  uint32_t place;    /* flits of it so far */
  uint64_t head;     /* of the packet that is dropped */
  uint64_t packets;  /* dropped so far, and */
  uint64_t flits;    /* theirs */
  uint32_t owed[32]; /* credits of dropped flits that are to be given back, by VL */
  uint32_t owes;     /* VLs with some */
};

struct loom_managed_write {
  uint32_t addr, data;
};

struct loom_managed_switch {
  struct loom_switch *s;
  struct loom_managed_link out[LOOM_SWITCH_PORTS], in[LOOM_SWITCH_PORTS];
  uint64_t down;                    /* ports, a bit each */
  uint64_t drops_out, drops_in;     /* ports that drop a packet */
  uint64_t owe_out, owe_in;         /* ports that owe credits */
  struct loom_managed_write *write; /* a ring */
  uint32_t first, count, size;      /* size: 0 or a power of two */
  /* A packet with this head is dropped. */
  void (*lost)(void *context, uint64_t head, uint64_t now);
  void *context;
  struct loom_link_in port[LOOM_SWITCH_PORTS]; /* what comes, with credits that are given back */
};

extern const struct loom_fabric_class loom_managed_switch_class;

/* Between two cycles; the caller wakes the device afterwards (loom_fabric_wake). */

/* A write on the register bus waits its turn, one a cycle. False: out of memory. */
bool loom_managed_write(struct loom_managed_switch *m, uint32_t addr, uint32_t data);
void loom_managed_turn(struct loom_managed_switch *m, uint32_t port, bool up);
/* What a register reads as. */
uint32_t loom_managed_read(const struct loom_managed_switch *m, uint32_t addr);
/* The ring of its writes; the rest is the caller's. */
void loom_managed_free(struct loom_managed_switch *m);

#endif
