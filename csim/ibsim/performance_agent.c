/* SPDX-License-Identifier: Apache-2.0 */
/* performance_agent.c - the performance management agent (docs/ibsim.md) */
#include <string.h>

#include "ibsim/agents.h"

enum { ALL_PORTS = 255 };

/* CapabilityMask: all ports at once, wide counters, PortXmitWait. */
enum { CAN_SELECT_ALL = 1 << 8, CAN_EXTEND = 1 << 9, CAN_WAIT = 1 << 12 };

static bool is_switch(const struct loom_agent_call *c) {
  return loom_subnet_is_switch(c->subnet, c->at.device);
}

static uint32_t class_info(const struct loom_agent_call *c, uint8_t *data) {
  if (c->set)
    return LOOM_STATUS_ATTRIBUTE;
  memset(data, 0, LOOM_GMP_BYTES);
  loom_mad_put(data, LOOM_CLASS_BASE_VERSION, 1);
  loom_mad_put(data, LOOM_CLASS_CLASS_VERSION, 1);
  loom_mad_put(data, LOOM_CLASS_CAPABILITIES,
               CAN_EXTEND | CAN_WAIT | (is_switch(c) ? CAN_SELECT_ALL : 0));
  loom_mad_put(data, LOOM_CLASS_RESPONSE_TIME, 18);
  return LOOM_STATUS_GOOD;
}

/* A counter of an attribute: where it stands, and the bit that selects it for a reset. */
struct place {
  enum loom_mad_field field;
  uint32_t select;
  enum loom_subnet_counter count;
};

static const struct place counters[] = {
    {LOOM_COUNTERS_LINK_DOWNED, 2, LOOM_COUNT_LINK_DOWNED},
    {LOOM_COUNTERS_RCV_ERRORS, 3, LOOM_COUNT_RCV_ERRORS},
    {LOOM_COUNTERS_RELAY_ERRORS, 5, LOOM_COUNT_RELAY_ERRORS},
    {LOOM_COUNTERS_XMIT_DISCARDS, 6, LOOM_COUNT_XMIT_DISCARDS},
    {LOOM_COUNTERS_XMIT_DATA, 12, LOOM_COUNT_XMIT_DATA},
    {LOOM_COUNTERS_RCV_DATA, 13, LOOM_COUNT_RCV_DATA},
    {LOOM_COUNTERS_XMIT_PACKETS, 14, LOOM_COUNT_XMIT_PACKETS},
    {LOOM_COUNTERS_RCV_PACKETS, 15, LOOM_COUNT_RCV_PACKETS},
    {LOOM_COUNTERS_XMIT_WAIT, 16, LOOM_COUNT_XMIT_WAIT},
};

static const struct place extended[] = {
    {LOOM_EXTENDED_XMIT_DATA, 0, LOOM_COUNT_XMIT_DATA},
    {LOOM_EXTENDED_RCV_DATA, 1, LOOM_COUNT_RCV_DATA},
    {LOOM_EXTENDED_XMIT_PACKETS, 2, LOOM_COUNT_XMIT_PACKETS},
    {LOOM_EXTENDED_RCV_PACKETS, 3, LOOM_COUNT_RCV_PACKETS},
    {LOOM_EXTENDED_XMIT_UNICAST, 4, LOOM_COUNT_XMIT_PACKETS},
    {LOOM_EXTENDED_RCV_UNICAST, 5, LOOM_COUNT_RCV_PACKETS},
};

enum {
  COUNTERS = sizeof counters / sizeof *counters,
  EXTENDED = sizeof extended / sizeof *extended
};

/* Adds the ports that are asked for. *first and *last: of them; false: there is no such port. */
static bool select_ports(const struct loom_agent_call *c, const uint8_t *data, uint32_t *first,
                         uint32_t *last) {
  uint32_t number = (uint32_t)loom_mad_get(data, LOOM_COUNTERS_PORT);
  uint32_t ports = c->subnet->topo->device[c->at.device].ports;
  bool all = number == ALL_PORTS && is_switch(c);
  *first = all ? 1 : number;
  *last = all ? ports : number;
  return all || (is_switch(c) ? number <= ports : number == c->at.port);
}

/* A reset comes before the answer. */
static uint32_t answer(const struct loom_agent_call *c, uint8_t *data, const struct place *list,
                       uint32_t count, uint32_t select, bool wide) {
  uint32_t first = 0, last = 0;
  if (!select_ports(c, data, &first, &last))
    return LOOM_STATUS_VALUE;
  uint64_t sum[LOOM_SUBNET_RESETS] = {0};
  for (uint32_t port = first; port <= last; port++) {
    const uint64_t *now = loom_subnet_counts(c->subnet, c->at.device, port);
    struct loom_subnet_port *p = loom_subnet_port(c->subnet, c->at.device, port);
    uint64_t *zero = wide ? p->extended_zero : p->zero;
    for (uint32_t i = 0; i < count; i++) {
      uint64_t events = now[list[i].count];
      if (c->set && select >> list[i].select & 1)
        zero[i] = events;
      sum[i] += events - zero[i];
    }
  }
  uint64_t number = loom_mad_get(data, LOOM_COUNTERS_PORT);
  uint64_t selected = loom_mad_get(data, LOOM_COUNTERS_SELECT);
  memset(data, 0, LOOM_GMP_BYTES);
  loom_mad_put(data, LOOM_COUNTERS_PORT, number);
  loom_mad_put(data, LOOM_COUNTERS_SELECT, selected);
  for (uint32_t i = 0; i < count; i++)
    loom_mad_put_most(data, list[i].field, sum[i]);
  return LOOM_STATUS_GOOD;
}

static uint32_t port_counters(const struct loom_agent_call *c, uint8_t *data) {
  uint32_t select = (uint32_t)loom_mad_get(data, LOOM_COUNTERS_SELECT);
  uint32_t more = (uint32_t)loom_mad_get(data, LOOM_COUNTERS_SELECT2);
  return answer(c, data, counters, COUNTERS, select | (more & 1) << 16, false);
}

static uint32_t counters_extended(const struct loom_agent_call *c, uint8_t *data) {
  uint32_t select = (uint32_t)loom_mad_get(data, LOOM_COUNTERS_SELECT);
  return answer(c, data, extended, EXTENDED, select, true);
}

loom_agent_answer *loom_agent_of_performance(uint32_t attribute) {
  switch (attribute) {
  case LOOM_ATTRIBUTE_CLASS_INFO:
    return class_info;
  case LOOM_ATTRIBUTE_PORT_COUNTERS:
    return port_counters;
  case LOOM_ATTRIBUTE_COUNTERS_EXTENDED:
    return counters_extended;
  default:
    return NULL;
  }
}
