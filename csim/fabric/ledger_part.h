/* SPDX-License-Identifier: Apache-2.0 */
/* ledger_part.h - a ledger of which each process holds a part (docs/ranks.md; OP-22)
 *
 * A process knows the messages that its own hosts send, and those that come to them. What happens
 * to a message whose sender and receiver are in different processes is an event for the other one.
 * It is there at the end of the block of cycles: before the first flit of the message can be, as
 * that has to cross a link between the two, which takes a block.
 */
#ifndef LOOM_FABRIC_LEDGER_PART_H
#define LOOM_FABRIC_LEDGER_PART_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fabric/message.h"

enum loom_ledger_happening {
  LOOM_LEDGER_OPENED,   /* a record, with `message` and `key` */
  LOOM_LEDGER_ENTERED,  /* a packet at `offset` belongs to the message */
  LOOM_LEDGER_INJECTED, /* its first head was on the link in `cycle` */
  LOOM_LEDGER_DEPARTED, /* a packet in trains at `offset` was, in `cycle` */
  LOOM_LEDGER_CLOSED    /* it was received in `cycle`: for the sender */
};

struct loom_ledger_event {
  uint8_t what; /* enum loom_ledger_happening */
  uint32_t src, id, offset;
  uint64_t cycle, key;
  struct loom_message message;
};

struct loom_ledger_part {
  /* Whether a host's process is this one. */
  bool (*is_mine)(void *context, uint32_t host);
  /* For the process of this host. */
  void (*send)(void *context, uint32_t host, const struct loom_ledger_event *event);
  void *context;
  bool crowded; /* a host had as many messages under way as there are numbers: the run is void */
};

/* A host of another process has this first LID. */
void loom_ledger_name(struct loom_ledger *l, uint32_t lid, uint32_t host);
/* From now on the ledger holds a part, which stays while it lives. */
void loom_ledger_divide(struct loom_ledger *l, struct loom_ledger_part *part);
/* An event of another process, in the order in which they were sent. False: it fits nothing here,
 * or out of memory. */
bool loom_ledger_hear(struct loom_ledger *l, const struct loom_ledger_event *event);

#endif
