/* SPDX-License-Identifier: Apache-2.0 */
/* exchange.h - what comes of a packet or a question of a client: it is routed through the subnet
 * and answered by agents, or handed to another client (docs/ibsim.md)
 *
 * Knows nothing of sockets, so that tests and fuzzers can use it. */
#ifndef LOOM_IBSIM_EXCHANGE_H
#define LOOM_IBSIM_EXCHANGE_H

#include "ibsim/protocol.h"
#include "ibsim/subnet.h"

#define LOOM_EXCHANGE_NOBODY UINT32_MAX

/* A program that has joined the fabric at a port. */
struct loom_exchange_client {
  bool connected;
  uint32_t id; /* of its sockets */
  uint32_t qp;
  bool is_sm;
  struct loom_subnet_place at;
};

struct loom_exchange {
  struct loom_subnet *subnet;
  struct loom_exchange_client client[LOOM_IBSIM_CLIENTS];
};

/* A packet of client `from`, which becomes what is to be sent. Who gets it: `from` an answer or
 * word that there is none, another client the packet; LOOM_EXCHANGE_NOBODY: nothing is to be sent.
 */
uint32_t loom_exchange_packet(struct loom_exchange *x, uint32_t from, struct loom_ibsim_packet *p);
/* Word to its sender that nobody got it. */
void loom_exchange_refuse(struct loom_ibsim_packet *p);

/* A question, which becomes its answer. The client that has joined by it, and whose sockets are to
 * be connected; LOOM_EXCHANGE_NOBODY: none. */
uint32_t loom_exchange_control(struct loom_exchange *x, struct loom_ibsim_control *c);
/* A client has gone. */
void loom_exchange_leave(struct loom_exchange *x, uint32_t client);

/* The next switch whose links have changed and that has somebody to tell: the trap 128 and who gets
 * it; LOOM_EXCHANGE_NOBODY: there is none any more. */
uint32_t loom_exchange_trap(struct loom_exchange *x, struct loom_ibsim_packet *p);

#endif
