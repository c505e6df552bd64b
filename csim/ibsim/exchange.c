/* SPDX-License-Identifier: Apache-2.0 */
#include "ibsim/exchange.h"

#include <arpa/inet.h>
#include <string.h>

#include "ibsim/agents.h"

enum { LID_HOPS = 64, WORDS_OF_MAD = 72, URGENT = 1, PORT_STATE_CHANGE = 128, IS_SM = 1 << 1 };

/* A packet on its way. */
struct way {
  struct loom_subnet *subnet;
  uint32_t class;
  bool answer; /* of somebody, so it goes by the return path */
  uint32_t lid;
  struct loom_subnet_place at;
};

static bool is_switch(const struct way *w) {
  return loom_subnet_is_switch(w->subnet, w->at.device);
}

/* ---- ways ------------------------------------------------------------------------------------ */

/* Packets of management are counted only where no twins count. */
static void count(const struct way *w, enum loom_subnet_counter words,
                  enum loom_subnet_counter packets) {
  struct loom_subnet_port *p = loom_subnet_port(w->subnet, w->at.device, w->at.port);
  if (w->subnet->hooks.counters)
    return;
  p->count[words] += WORDS_OF_MAD;
  p->count[packets]++;
}

/* Over the cable of a port of the present device. False: its link is down. */
static bool cross(struct way *w, uint32_t port) {
  struct loom_subnet_place far;
  uint32_t ports = w->subnet->topo->device[w->at.device].ports;
  if (!port || port > ports || !loom_subnet_far(w->subnet, w->at.device, port, &far))
    return false;
  w->at.port = port;
  count(w, LOOM_COUNT_XMIT_DATA, LOOM_COUNT_XMIT_PACKETS);
  w->at = far;
  count(w, LOOM_COUNT_RCV_DATA, LOOM_COUNT_RCV_PACKETS);
  return true;
}

/* Along the path of a direct-routed packet; the ports at which it came in make the way back. */
static bool go_out(struct way *w, const uint8_t *path, uint32_t hops, uint8_t *back) {
  for (uint32_t hop = 1; hop <= hops; hop++) {
    if (hop > 1 && !is_switch(w))
      return false;
    if (!cross(w, path[hop]))
      return false;
    back[hop] = (uint8_t)w->at.port;
  }
  return true;
}

static bool go_back(struct way *w, const uint8_t *back, uint32_t hops) {
  for (uint32_t hop = hops; hop; hop--) {
    if (hop < hops && !is_switch(w))
      return false;
    if (!cross(w, back[hop]))
      return false;
  }
  return true;
}

/* Management packets pass a link in INIT, all others an active one. */
static bool may_pass(const struct way *w, uint32_t port) {
  uint32_t least = w->class == LOOM_CLASS_SUBNET ? LOOM_PORT_INIT : LOOM_PORT_ACTIVE;
  return loom_subnet_state(w->subnet, w->at.device, port) >= least;
}

/* To a LID, by the forwarding tables. */
static bool go_to_lid(struct way *w) {
  const struct loom_subnet *s = w->subnet;
  for (uint32_t hop = 0; hop < LID_HOPS; hop++) {
    uint32_t out = w->at.port;
    if (loom_subnet_has_lid(s, w->at.device, w->at.port, w->lid))
      return true;
    if (!is_switch(w) && hop)
      return false;
    if (is_switch(w))
      out = w->lid < LOOM_SUBNET_LIDS ? s->node[w->at.device].linear[w->lid] : 0;
    if (out > s->topo->device[w->at.device].ports || !may_pass(w, out) || !cross(w, out))
      return false;
  }
  return false;
}

static bool go(struct way *w, struct loom_ibsim_packet *p) {
  uint32_t hops = (uint32_t)loom_mad_get(p->mad, LOOM_DIRECT_HOPS);
  if (w->class != LOOM_CLASS_DIRECT)
    return w->lid == LOOM_LID_PERMISSIVE || go_to_lid(w);
  if (hops > LOOM_SMP_HOPS)
    return false;
  return w->answer ? go_back(w, p->mad + LOOM_SMP_RETURN, hops)
                   : go_out(w, p->mad + LOOM_SMP_PATH, hops, p->mad + LOOM_SMP_RETURN);
}

/* ---- clients --------------------------------------------------------------------------------- */

static bool is_at(const struct loom_exchange_client *c, const struct loom_subnet *s,
                  struct loom_subnet_place at) {
  return c->connected && c->at.device == at.device &&
         (loom_subnet_is_switch(s, at.device) || c->at.port == at.port);
}

/* Who takes a packet at a port: an answer the client that asked, which stands in its transaction;
 * what goes to a queue pair of its own, that one; the rest, a subnet manager. */
static uint32_t find_client(const struct loom_exchange *x, const struct way *w,
                            const struct loom_ibsim_packet *p) {
  uint64_t asked = loom_mad_get(p->mad, LOOM_MAD_TRANSACTION) >> 48;
  uint32_t qp = ntohl(p->dqp);
  if (w->answer && asked < LOOM_IBSIM_CLIENTS && is_at(&x->client[asked], x->subnet, w->at))
    return (uint32_t)asked;
  for (uint32_t i = 0; i < LOOM_IBSIM_CLIENTS; i++) {
    const struct loom_exchange_client *c = &x->client[i];
    if (is_at(c, x->subnet, w->at) && (qp > 1 ? qp == c->qp : !w->answer && c->is_sm))
      return i;
  }
  return LOOM_EXCHANGE_NOBODY;
}

void loom_exchange_leave(struct loom_exchange *x, uint32_t client) {
  struct loom_exchange_client *c = &x->client[client];
  if (!c->connected)
    return;
  uint8_t *info = loom_subnet_port(x->subnet, c->at.device, c->at.port)->info;
  uint64_t can = loom_mad_get(info, LOOM_PORT_CAPABILITIES);
  if (c->is_sm)
    loom_mad_put(info, LOOM_PORT_CAPABILITIES, can & ~(uint64_t)IS_SM);
  c->connected = false;
}

/* ---- packets --------------------------------------------------------------------------------- */

void loom_exchange_refuse(struct loom_ibsim_packet *p) { p->status = htonl(LOOM_IBSIM_TIMEOUT); }

/* A MAD whose head makes no sense is lost, as on a link. */
static bool is_sound(const struct loom_ibsim_packet *p) {
  uint32_t class = (uint32_t)loom_mad_get(p->mad, LOOM_MAD_CLASS);
  bool answer = loom_mad_get(p->mad, LOOM_MAD_METHOD) & LOOM_METHOD_RESPONSE;
  if (loom_mad_get(p->mad, LOOM_MAD_BASE_VERSION) != 1)
    return false;
  return class != LOOM_CLASS_DIRECT ||
         (loom_mad_get(p->mad, LOOM_DIRECT_RETURNS) == answer &&
          loom_mad_get(p->mad, LOOM_DIRECT_HOP) == 0 &&
          loom_mad_get(p->mad, LOOM_DIRECT_SLID) == LOOM_LID_PERMISSIVE &&
          loom_mad_get(p->mad, LOOM_DIRECT_DLID) == LOOM_LID_PERMISSIVE);
}

static loom_agent_answer *find_agent(uint32_t class, uint32_t attribute) {
  return class == LOOM_CLASS_PERFORMANCE ? loom_agent_of_performance(attribute)
                                         : loom_agent_of_subnet(attribute);
}

static bool has_agents(uint32_t class) {
  return class == LOOM_CLASS_SUBNET || class == LOOM_CLASS_DIRECT ||
         class == LOOM_CLASS_PERFORMANCE;
}

/* The status of what an agent answers into the packet. */
static uint32_t ask_agent(const struct way *w, struct loom_ibsim_packet *p) {
  uint64_t method = loom_mad_get(p->mad, LOOM_MAD_METHOD);
  loom_agent_answer *agent =
      find_agent(w->class, (uint32_t)loom_mad_get(p->mad, LOOM_MAD_ATTRIBUTE));
  const struct loom_agent_call call = {.subnet = w->subnet,
                                       .at = w->at,
                                       .set = method == LOOM_METHOD_SET,
                                       .modifier =
                                           (uint32_t)loom_mad_get(p->mad, LOOM_MAD_MODIFIER)};
  if (loom_mad_get(p->mad, LOOM_MAD_CLASS_VERSION) != 1)
    return LOOM_STATUS_VERSION;
  if (method != LOOM_METHOD_GET && method != LOOM_METHOD_SET)
    return LOOM_STATUS_METHOD;
  return agent ? agent(&call, p->mad + LOOM_MAD_DATA) : LOOM_STATUS_ATTRIBUTE;
}

/* The packet becomes the answer, which goes back the way it came. */
static uint32_t answer(struct loom_exchange *x, uint32_t from, struct way w,
                       struct loom_ibsim_packet *p) {
  uint32_t status = ask_agent(&w, p), dlid = p->dlid, dqp = p->dqp;
  bool direct = w.class == LOOM_CLASS_DIRECT;
  loom_mad_put(p->mad, LOOM_MAD_METHOD, LOOM_METHOD_ANSWER);
  loom_mad_put(p->mad, direct ? LOOM_DIRECT_STATUS : LOOM_MAD_STATUS, status);
  if (direct)
    loom_mad_put(p->mad, LOOM_DIRECT_RETURNS, 1);
  p->dlid = p->slid;
  p->slid = dlid;
  p->dqp = p->sqp;
  p->sqp = dqp;
  p->status = 0;
  w.answer = true;
  w.lid = ntohs((uint16_t)p->dlid);
  if (!go(&w, p) || !is_at(&x->client[from], x->subnet, w.at))
    loom_exchange_refuse(p);
  return from;
}

/* The transactions of a client's questions have its number in them, so that answers find it. */
static void mark(uint32_t from, struct loom_ibsim_packet *p) {
  uint64_t transaction = loom_mad_get(p->mad, LOOM_MAD_TRANSACTION);
  loom_mad_put(p->mad, LOOM_MAD_TRANSACTION,
               (transaction & UINT64_C(0xFFFFFFFFFFFF)) | (uint64_t)from << 48);
}

static uint32_t deliver(struct loom_exchange *x, uint32_t from, struct way *w,
                        struct loom_ibsim_packet *p) {
  uint32_t attribute = (uint32_t)loom_mad_get(p->mad, LOOM_MAD_ATTRIBUTE);
  bool known = has_agents(w->class) && find_agent(w->class, attribute);
  if (!w->answer && known)
    return answer(x, from, *w, p);
  uint32_t to = find_client(x, w, p);
  if (to != LOOM_EXCHANGE_NOBODY)
    return to;
  if (!w->answer && has_agents(w->class))
    return answer(x, from, *w, p);
  loom_exchange_refuse(p);
  return from;
}

uint32_t loom_exchange_packet(struct loom_exchange *x, uint32_t from, struct loom_ibsim_packet *p) {
  const struct loom_exchange_client *c = &x->client[from];
  uint64_t method = loom_mad_get(p->mad, LOOM_MAD_METHOD);
  struct way w = {.subnet = x->subnet,
                  .class = (uint32_t)loom_mad_get(p->mad, LOOM_MAD_CLASS),
                  .answer = method & LOOM_METHOD_RESPONSE,
                  .lid = ntohs((uint16_t)p->dlid),
                  .at = c->at};
  if (!is_sound(p) || method == LOOM_METHOD_REPRESS)
    return LOOM_EXCHANGE_NOBODY;
  const uint8_t *info = loom_subnet_port(x->subnet, c->at.device, c->at.port)->info;
  if (w.class != LOOM_CLASS_DIRECT && p->slid == 0)
    p->slid = htons((uint16_t)loom_mad_get(info, LOOM_PORT_LID));
  if (!w.answer)
    mark(from, p);
  if (go(&w, p))
    return deliver(x, from, &w, p);
  loom_exchange_refuse(p);
  return from;
}

/* ---- traps ----------------------------------------------------------------------------------- */

/* Trap 128 of a switch, to its subnet manager. */
static uint32_t tell(struct loom_exchange *x, uint32_t d, struct loom_ibsim_packet *p) {
  const uint8_t *info = loom_subnet_port(x->subnet, d, 0)->info;
  uint64_t lid = loom_mad_get(info, LOOM_PORT_LID);
  struct way w = {.subnet = x->subnet,
                  .class = LOOM_CLASS_SUBNET,
                  .lid = (uint32_t)loom_mad_get(info, LOOM_PORT_SM_LID),
                  .at = {d, 0}};
  *p = (struct loom_ibsim_packet){.dlid = htons((uint16_t)w.lid), .slid = htons((uint16_t)lid)};
  uint8_t *length = (uint8_t *)&p->length; /* in network order */
  uint8_t *notice = p->mad + LOOM_MAD_DATA;
  length[6] = LOOM_MAD_BYTES >> 8;
  loom_mad_put(p->mad, LOOM_MAD_BASE_VERSION, 1);
  loom_mad_put(p->mad, LOOM_MAD_CLASS, LOOM_CLASS_SUBNET);
  loom_mad_put(p->mad, LOOM_MAD_CLASS_VERSION, 1);
  loom_mad_put(p->mad, LOOM_MAD_METHOD, LOOM_METHOD_TRAP);
  loom_mad_put(p->mad, LOOM_MAD_ATTRIBUTE, LOOM_ATTRIBUTE_NOTICE);
  loom_mad_put(notice, LOOM_NOTICE_GENERIC, 1);
  loom_mad_put(notice, LOOM_NOTICE_TYPE, URGENT);
  loom_mad_put(notice, LOOM_NOTICE_PRODUCER, LOOM_NODE_SWITCH);
  loom_mad_put(notice, LOOM_NOTICE_NUMBER, PORT_STATE_CHANGE);
  loom_mad_put(notice, LOOM_NOTICE_ISSUER, lid);
  loom_mad_put(notice, LOOM_NOTICE_LID, lid);
  return w.lid && lid && go_to_lid(&w) ? find_client(x, &w, p) : LOOM_EXCHANGE_NOBODY;
}

uint32_t loom_exchange_trap(struct loom_exchange *x, struct loom_ibsim_packet *p) {
  for (uint32_t d = 0; d < x->subnet->topo->devices; d++) {
    if (!x->subnet->node[d].trap)
      continue;
    x->subnet->node[d].trap = false;
    uint32_t to = tell(x, d, p);
    if (to != LOOM_EXCHANGE_NOBODY)
      return to;
  }
  return LOOM_EXCHANGE_NOBODY;
}
