/* SPDX-License-Identifier: Apache-2.0 */
/* protocol.h - what passes between the tools' umad2sim library and the fabric's simulator
 * (docs/ibsim.md)
 *
 * Written after the protocol of ibsim 0.12, https://github.com/linux-rdma/ibsim, include/ibsim.h.
 * Numbers are in the order of the machine's bytes where nothing else is said. */
#ifndef LOOM_IBSIM_PROTOCOL_H
#define LOOM_IBSIM_PROTOCOL_H

#include <assert.h>
#include <stdint.h>

#include "ibsim/mad.h"

enum {
  LOOM_IBSIM_CLIENTS = 10,
  LOOM_IBSIM_CONTROL_BYTES = 64,
  LOOM_IBSIM_TIMEOUT = 110, /* status of a MAD that nobody answers: ETIMEDOUT of Linux */
};
#define LOOM_IBSIM_MAGIC 0xDEADBEEFu

/* Datagrams of `...:inN` and `...:outN`: a MAD and where it goes. Its numbers are in network order,
 * LIDs in the first two bytes. */
struct loom_ibsim_packet {
  uint32_t dlid, slid;
  uint32_t dqp, sqp;
  uint32_t status;
  uint64_t length;
  uint8_t mad[LOOM_MAD_BYTES];
};
static_assert(sizeof(struct loom_ibsim_packet) == 32 + LOOM_MAD_BYTES, "not the protocol's layout");

/* Datagrams of `...:ctl` and `...:ctlN`: a question and, in the same form, its answer. */
enum loom_ibsim_control_type {
  LOOM_IBSIM_ERROR, /* of an answer */
  LOOM_IBSIM_CONNECT,
  LOOM_IBSIM_DISCONNECT,
  LOOM_IBSIM_PORT,
  LOOM_IBSIM_VENDOR,
  LOOM_IBSIM_GID,
  LOOM_IBSIM_GUID,
  LOOM_IBSIM_NODE_INFO,
  LOOM_IBSIM_PORT_INFO,
  LOOM_IBSIM_SET_SM,
  LOOM_IBSIM_KEYS,
};

struct loom_ibsim_control {
  uint32_t magic;
  uint32_t client;
  uint32_t type;
  uint32_t length;
  uint8_t data[LOOM_IBSIM_CONTROL_BYTES];
};
static_assert(sizeof(struct loom_ibsim_control) == 80, "not the protocol's layout");

/* Data of LOOM_IBSIM_CONNECT. */
struct loom_ibsim_hello {
  uint32_t id; /* in the question the number of its sockets, in the answer that of the client */
  uint32_t qp;
  uint32_t is_sm; /* it takes what comes to queue pairs 0 and 1 */
  char node[32];  /* empty: the first adapter */
};

/* Data of the answers to LOOM_IBSIM_PORT and LOOM_IBSIM_VENDOR. */
struct loom_ibsim_port {
  uint16_t lid;
  uint8_t state;
};
struct loom_ibsim_vendor {
  uint32_t vendor, part, hardware;
  uint64_t firmware;
};

#endif
