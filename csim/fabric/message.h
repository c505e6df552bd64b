/* SPDX-License-Identifier: Apache-2.0 */
/* message.h - messages between the hosts of a fabric, and the ledger of those that are under way
 * (docs/fabric.md; OP-22) */
#ifndef LOOM_FABRIC_MESSAGE_H
#define LOOM_FABRIC_MESSAGE_H

#include <stdbool.h>
#include <stdint.h>

enum {
  LOOM_HOST_CLASSES = 32,  /* traffic classes */
  LOOM_HOST_FLITS_MIN = 2, /* of a packet: the second says what the receiver checks */
  LOOM_HOST_MTU_MIN = 3,   /* flits: so a message of any length can be cut */
  LOOM_HOST_MTU_MAX = 4095,
  LOOM_HOST_PATHS = 128, /* LIDs of a host */
};

/* What a message asks of an Elan5 (docs/fabric.md, section Elite5), the first ones as files name
 * them. All other hosts only send. */
enum loom_operation {
  LOOM_OPERATION_PUT,         /* its bytes are written there */
  LOOM_OPERATION_GET,         /* its bytes come from there */
  LOOM_OPERATION_QUEUE,       /* they join the queue there (E5-14) */
  LOOM_OPERATION_EVENT,       /* an event there counts 1 */
  LOOM_OPERATION_CONDITIONAL, /* a word there is compared (E5-31) */
  LOOM_OPERATIONS,
  LOOM_OPERATION_COLLECTIVE /* no request of its own: job `tag` does its next collective */
};

/* A message: what it is and when things happened to it, in cycles. */
struct loom_message {
  uint32_t src, dst; /* hosts */
  uint8_t traffic_class;
  uint8_t mark;       /* the sender's, for the receiver */
  uint8_t operation;  /* enum loom_operation */
  uint32_t flits;     /* of all its packets together, heads included */
  uint64_t tag;       /* the sender's, for the receiver */
  uint64_t generated; /* posted */
  uint64_t injected;  /* its first head left the host */
  uint64_t received;  /* its last flit arrived */
};

/* A message has arrived as a whole. `damaged`: some flit was not what was sent. It may post
 * messages. */
typedef void loom_host_receive(void *context, const struct loom_message *message, bool damaged);

/* A packet of a class with trains has arrived whole; its head was on the host's link in cycle
 * `injected`, and its last flit arrives in cycle `now`. */
typedef void loom_host_packet(void *context, const struct loom_message *message, uint64_t injected,
                              uint64_t now);

struct loom_ledger;
/* `hosts` may send and receive. NULL: out of memory. */
struct loom_ledger *loom_ledger_create(uint32_t hosts, loom_host_receive *receive, void *context);
/* Who hears of packets, with the same context; until then nobody does. */
void loom_ledger_on_packet(struct loom_ledger *l, loom_host_packet *packet);
/* After all hosts. */
void loom_ledger_destroy(struct loom_ledger *l);
/* Memory that queues and messages under way may use together; without this there is no limit. */
void loom_ledger_limit(struct loom_ledger *l, uint64_t bytes);

/* All messages of a ledger so far. */
struct loom_ledger_counts {
  uint64_t posted, received, damaged; /* messages */
  uint64_t flits_posted, flits_injected, flits_received;
  /* Packets at a host that they were not for, or out of their place in a train, and flits that fit
   * no packet: never. */
  uint64_t stray;
  bool exhausted; /* memory ran out; the run is void */
};
struct loom_ledger_counts loom_ledger_counts(const struct loom_ledger *l);

#endif
