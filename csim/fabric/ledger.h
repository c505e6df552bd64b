/* SPDX-License-Identifier: Apache-2.0 */
/* ledger.h - the messages that are under way between the hosts of a fabric (docs/fabric.md; OP-22)
 *
 * A source has a table of records, one for each of its messages that is partly or wholly in the
 * fabric; the place in the table is the `id` in the heads of its packets. So a receiver finds the
 * message by the head alone, which is never damaged.
 *
 * Within a cycle hosts are stepped in any order, so nothing here depends on it: a record that is
 * closed in a cycle can be opened in the next one at the earliest.
 */
#ifndef LOOM_FABRIC_LEDGER_H
#define LOOM_FABRIC_LEDGER_H

#include "fabric/arena.h"
#include "fabric/message.h"
#include "fabric/packet_words.h"

enum {
  LOOM_LEDGER_IDS = LOOM_PACKET_IDS, /* messages of a host under way, at most */
  LOOM_LEDGER_LIDS = 1 << 16,
};
#define LOOM_LEDGER_NONE UINT32_MAX

/* A message under way. */
struct loom_record {
  struct loom_message message; /* injected = 0: not yet; free: closed in cycle `received` */
  uint64_t key;                /* its words follow from it */
  uint32_t left;               /* flits still to arrive; 0: the record is free */
  uint32_t packets;            /* noted, under way: the first and */
  uint32_t newest;             /* the last of a list; LOOM_LEDGER_NONE: none is */
  uint16_t sum;                /* of its packets, 0 when each that has left has arrived once */
  bool damaged;
};

/* A packet under way, of a class with trains. */
struct loom_ledger_packet {
  uint64_t injected; /* cycle of its head on the link */
  uint32_t offset;   /* place of its head in the message, in flits */
  uint32_t next;     /* of its message, or the next free place; LOOM_LEDGER_NONE: none */
};

struct loom_ledger_source {
  struct loom_record *record;
  uint32_t size;    /* 0 or a power of two */
  uint32_t cursor;  /* record that was opened last */
  uint32_t open;    /* records that are not free, and */
  uint32_t closing; /* those that became free in cycle `closed` */
  uint64_t closed;
  uint64_t messages; /* so far */
  struct loom_ledger_packet *packet;
  uint32_t packets; /* places: 0 or a power of two */
  uint32_t unused;  /* free places: a list */
};

struct loom_ledger_part;

struct loom_ledger {
  loom_host_receive *receive;
  loom_host_packet *packet; /* NULL: nobody wants to know */
  void *context;
  struct loom_ledger_counts counts;
  uint64_t bytes, limit; /* of queues and records */
  /* Of the hosts' states, and of the packets in their NICs, few of which are ever there: apart from
   * each other, so that states have no pages between them that are in part empty. */
  struct loom_arena arena, packets;
  uint32_t hosts;
  struct loom_ledger_part *part;      /* NULL: all hosts are here */
  struct loom_ledger_source *source;  /* by host */
  uint32_t host_of[LOOM_LEDGER_LIDS]; /* by first LID; LOOM_LEDGER_NONE */
};

/* Memory that grows: as realloc, zeroed beyond `old` bytes. NULL: it stays as it was, and the run
 * is void. */
void *loom_ledger_grow(struct loom_ledger *l, void *memory, size_t old, size_t bytes);
void loom_ledger_free(struct loom_ledger *l, void *memory, size_t bytes);

/* A record for a message of `src`; its number. LOOM_LEDGER_NONE: there is none in this cycle. */
uint32_t loom_ledger_open(struct loom_ledger *l, uint32_t src, const struct loom_message *message,
                          uint64_t now);
/* The last flit has arrived: counts it and hands it to the receiver. */
void loom_ledger_close(struct loom_ledger *l, uint32_t src, uint32_t id, uint64_t now);

/* The rest of a packet with this head will never arrive. When all else of its message has arrived,
 * that is handed to the receiver as damaged. */
void loom_ledger_lose(struct loom_ledger *l, uint64_t head, uint64_t now);

/* A packet of the message, at `offset`, begins to leave its queue. */
void loom_ledger_enter(struct loom_ledger *l, uint32_t src, uint32_t id, uint32_t offset);
/* The first head of the message is on the link of the source. */
void loom_ledger_inject(struct loom_ledger *l, uint32_t src, uint32_t id, uint64_t now);
/* The head of a packet, at `offset` of its message, is on the link of the source. */
void loom_ledger_depart(struct loom_ledger *l, uint32_t src, uint32_t id, uint32_t offset,
                        uint64_t now);
/* That packet has arrived undamaged: tells the one who wants to know. */
void loom_ledger_arrive(struct loom_ledger *l, uint32_t src, uint32_t id, uint32_t offset,
                        uint64_t now);

static inline struct loom_record *loom_ledger_record(const struct loom_ledger *l, uint32_t src,
                                                     uint32_t id) {
  return &l->source[src].record[id];
}

/* The record of a packet by its head; NULL: nobody's. *src is the host. */
static inline struct loom_record *loom_ledger_find(const struct loom_ledger *l, uint32_t lid,
                                                   uint32_t id, uint32_t *src) {
  *src = l->host_of[lid];
  if (*src == LOOM_LEDGER_NONE || id >= l->source[*src].size)
    return NULL;
  struct loom_record *r = loom_ledger_record(l, *src, id);
  return r->left ? r : NULL;
}

/* A packet's part in the sum of its message. */
static inline uint16_t loom_ledger_sum(uint32_t offset) {
  return (uint16_t)(loom_scramble(offset) | 1);
}

#endif
