/* SPDX-License-Identifier: Apache-2.0 */
/* nic.h - a sched_port for packets whose words are known: the same on every cycle, but it keeps
 * packets instead of flits (docs/fabric.md, docs/sched_port.md; OP-06, OP-08, OP-13, OP-18..20)
 *
 * The output port of a host. Its packets enter one after the other, and only when its buffer has
 * room; so the words need not be stored, and nothing is ever refused. In a fabric with many hosts
 * that takes a third of the time, most of which goes into memory. Packets come out of the host's
 * memory, which is faster than a link: each is there as a whole with its head. (Over a link in that
 * carries a flit a cycle, like the link out, they would never meet in the buffer, and the scheduler
 * had no choice.)
 */
#ifndef LOOM_FABRIC_NIC_H
#define LOOM_FABRIC_NIC_H

#include "parts/credit_tracker.h"
#include "sched/sched_port.h"
#include "switch/switch_sched.h"
#include <loom/limits.h>

struct loom_nic_packet {
  uint64_t head; /* flit 0 */
  uint64_t key;  /* of the other flits (loom_packet_flit) */
  uint32_t offset;
  uint16_t len; /* flits, 2.. */
  uint8_t vl;
  uint8_t sl;    /* the NIC's business */
  uint16_t next; /* too: the packet after it, or the next free place */
};

struct loom_nic_flit {
  uint64_t data;
  bool valid, head, tail;
  uint8_t vl;
  uint32_t offset; /* of its packet, */
  uint64_t key;    /* and its words' */
};

/* Names as in sched_port and its vl_buffer. */
struct loom_nic {
  struct loom_nic_flit out, rd; /* registers */
  struct loom_nic_packet now;   /* the active one: its place in the storage is far from here */
  bool quiet;                   /* without input the next edge changes nothing */
  bool hold;
  bool whole;   /* packets enter in one cycle; else a flit a cycle, as into a sched_port */
  bool in_head; /* the link-in register: a head, and */
  bool cr_valid;
  uint8_t cr_vl;
  bool free_valid; /* a unit has become free */
  uint8_t free_vl;
  uint8_t settle;
  bool active, known, pending, loading;
  bool deciding; /* the scheduler decides, or has granted */
  uint8_t active_vl, in_vl, loading_vl;
  uint16_t left;                           /* flits of the active packet still to be read */
  uint16_t active_at, pending_at, line_at; /* places of packets */
  uint16_t line_left;                      /* flits still to enter, 0: no packet is entering */
  uint16_t in_flits;                       /* in the link-in register */
  uint16_t free_at, fresh;                 /* free places: a list, and all from `fresh` on */
  uint32_t dirty, head_valid;
  uint32_t vls;
  const struct loom_sched_policy *policy;
  struct loom_nic_packet *packet; /* storage: CELLS */
  struct {
    uint16_t count; /* flits inside */
    uint16_t waiting;
    uint16_t first, last; /* of the packets that wait */
  } queue[LOOM_VLS];
  uint8_t sc2sl[32];
  struct loom_credit_tracker room; /* the buffer here */
  struct loom_credit_tracker far;  /* the buffer at the far end */
  union loom_switch_scheduler scheduler;
};

/* Bytes of storage that init needs, aligned to 8; cfg is legal (loom_sched_port_cfg_ok). */
size_t loom_nic_storage_size(const struct loom_sched_port_cfg *cfg);
/* `whole`: packets enter in one cycle; else a flit a cycle without gaps, as into a sched_port. */
void loom_nic_init(struct loom_nic *s, const struct loom_sched_port_cfg *cfg, bool whole,
                   void *storage);
/* A register of sched_port is written, at once; the counters are left out. Before the first packet.
 */
void loom_nic_write(struct loom_nic *s, uint32_t addr, uint32_t data);

/* A packet may begin to enter in this cycle: the one before has, and is accounted for. */
static inline bool loom_nic_ready(const struct loom_nic *s) { return !s->line_left && !s->in_head; }

/* The largest packet that there is room for, in credits. */
static inline uint32_t loom_nic_room(const struct loom_nic *s, uint32_t vl) {
  return loom_credit_tracker_avail(&s->room, vl);
}

/* Its head is on the link in in this cycle. */
void loom_nic_begin(struct loom_nic *s, const struct loom_nic_packet *packet);

/* The edge, after a look at `out`: with a credit that comes in in this cycle, or without. */
void loom_nic_edge(struct loom_nic *s, bool credit, uint32_t credit_vl);

/* For so many cycles from now on, without a credit and a packet that enters, it sends flits between
 * head and tail, and nothing else happens; and those of them after which a unit is free for the
 * first time, or more. */
uint32_t loom_nic_steady(const struct loom_nic *s);
uint32_t loom_nic_frees(const struct loom_nic *s);
/* That many of these cycles; words of flits are not made. */
void loom_nic_pass(struct loom_nic *s, uint32_t cycles);

/* Size of the packet that waits first on a VL, in credits, 0: none does. */
static inline uint32_t loom_nic_head_size(const struct loom_nic *s, uint32_t vl) {
  if (!(s->head_valid >> vl & 1))
    return 0;
  return (s->packet[s->queue[vl].first].len + (LOOM_UNIT_FLITS - 1u)) / LOOM_UNIT_FLITS;
}

#endif
