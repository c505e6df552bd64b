/* SPDX-License-Identifier: Apache-2.0 */
/* check.h - what a routing is worth: who reaches whom, over how many links, what each link carries,
 * and whether it can deadlock (docs/route.md; KN-02, KN-03, KN-08, KN-09, TP-03, TP-04, GV-7)
 */
#ifndef LOOM_ROUTING_CHECK_H
#define LOOM_ROUTING_CHECK_H

#include "routing/routing.h"

/* ---- all to all ------------------------------------------------------------------------------ */

/* A pair is a host's port and one of the LIDs of another host, in this order. Ports that no cable
 * connects are no pair if the first host has another port that is connected to the second: rails.
 */
struct loom_routing_report {
  uint64_t pairs;
  uint64_t unreachable; /* pairs whose packets are dropped or go round for ever */
  uint32_t bad_end;     /* one of these pairs, if there is any: from this end */
  uint32_t bad_lid;     /* to this LID */
  uint64_t *hops;       /* by links, those of both hosts counted: pairs */
  uint32_t hops_max;    /* links that are in use, at most */
  uint64_t *load; /* [row * ports + port]: pairs that leave there, hosts' cables not counted; by
                   * load they are spread over the cables of a trunk */
  uint64_t load_max;
};

/* False: out of memory. */
bool loom_routing_check(const struct loom_routing *r, struct loom_routing_report *report);
void loom_routing_report_free(struct loom_routing_report *report);

/* Switches on the way from an end to a LID, in their order: row and port out, of a trunk by load
 * that of the flow. Their number, at most
 * one for each switch; 0: it does not arrive. `row` and `port` have room for all switches. */
uint32_t loom_routing_walk(const struct loom_routing *r, uint32_t end, uint32_t lid, uint32_t *row,
                           uint8_t *port);

/* ---- effective bisection (KN-09) ------------------------------------------------------------- */

/* Hosts are paired at random, over and over. A flow's bandwidth is 1 / the most flows on any link
 * of its way, in parts of a link's; 0 if it does not arrive. Where rates are known, a link counts
 * by its own, and the parts are those of the fastest host's link. */
enum loom_routing_match {
  LOOM_ROUTING_BISECT,   /* one half of the hosts sends to the other */
  LOOM_ROUTING_EXCHANGE, /* and the other back */
};

/* Mean bandwidth of a flow over `samples` pairings; each flow takes any of the receiver's LIDs.
 * Negative: out of memory. */
double loom_routing_bisection(const struct loom_routing *r, enum loom_routing_match match,
                              uint32_t samples, uint64_t seed);

/* ---- channel dependencies -------------------------------------------------------------------- */

/* A cable from a switch to a switch, in one direction, and a layer on it. */
struct loom_routing_channel {
  uint32_t row;
  uint8_t port; /* out */
  uint8_t layer;
};

/* Channels each of which some packet between hosts holds while it waits for the next, and the last
 * for the first. */
struct loom_routing_cycle {
  struct loom_routing_channel *channel;
  uint32_t channels; /* 0: there is none, the routing cannot deadlock */
};

/* False: out of memory. */
bool loom_routing_find_cycle(const struct loom_routing *r, struct loom_routing_cycle *cycle);
void loom_routing_cycle_free(struct loom_routing_cycle *cycle);

#endif
