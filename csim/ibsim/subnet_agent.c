/* SPDX-License-Identifier: Apache-2.0 */
/* subnet_agent.c - the subnet management agent (docs/ibsim.md) */
#include <stdio.h>
#include <string.h>

#include "ibsim/agents.h"

enum { GROUP_BLOCKS = LOOM_SUBNET_GROUPS / 32, KEY_BLOCK = 32 };

static bool is_switch(const struct loom_agent_call *c) {
  return loom_subnet_is_switch(c->subnet, c->at.device);
}

static uint32_t ports(const struct loom_agent_call *c) {
  return c->subnet->topo->device[c->at.device].ports;
}

static struct loom_subnet_node *node(const struct loom_agent_call *c) {
  return &c->subnet->node[c->at.device];
}

/* Takes a block of a table from a Set, or gives it to a Get. */
static void exchange(const struct loom_agent_call *c, uint8_t *table, uint8_t *data,
                     uint32_t bytes) {
  if (c->set) {
    memcpy(table, data, bytes);
    return;
  }
  memset(data, 0, LOOM_SMP_BYTES);
  memcpy(data, table, bytes);
}

/* ---- what a device is ------------------------------------------------------------------------ */

static uint32_t describe_node(const struct loom_agent_call *c, uint8_t *data) {
  if (c->set)
    return LOOM_STATUS_ATTRIBUTE;
  memset(data, 0, LOOM_SMP_BYTES);
  snprintf((char *)data, LOOM_SMP_BYTES, "%s", c->subnet->topo->device[c->at.device].name);
  return LOOM_STATUS_GOOD;
}

static uint32_t node_info(const struct loom_agent_call *c, uint8_t *data) {
  if (c->set)
    return LOOM_STATUS_ATTRIBUTE;
  uint64_t guid = node(c)->guid;
  memset(data, 0, LOOM_SMP_BYTES);
  loom_mad_put(data, LOOM_NODE_BASE_VERSION, 1);
  loom_mad_put(data, LOOM_NODE_CLASS_VERSION, 1);
  loom_mad_put(data, LOOM_NODE_TYPE, is_switch(c) ? LOOM_NODE_SWITCH : LOOM_NODE_ADAPTER);
  loom_mad_put(data, LOOM_NODE_PORTS, ports(c));
  loom_mad_put(data, LOOM_NODE_SYSTEM_GUID, guid);
  loom_mad_put(data, LOOM_NODE_GUID, guid);
  loom_mad_put(data, LOOM_NODE_PORT_GUID, loom_subnet_guid(c->subnet, c->at.device, c->at.port));
  loom_mad_put(data, LOOM_NODE_PARTITIONS, LOOM_SUBNET_KEYS);
  loom_mad_put(data, LOOM_NODE_REVISION, 1);
  loom_mad_put(data, LOOM_NODE_LOCAL_PORT, c->at.port);
  return LOOM_STATUS_GOOD;
}

static uint32_t guid_info(const struct loom_agent_call *c, uint8_t *data) {
  if (c->set)
    return LOOM_STATUS_ATTRIBUTE;
  uint64_t guid = loom_subnet_guid(c->subnet, c->at.device, c->at.port);
  memset(data, 0, LOOM_SMP_BYTES);
  for (uint32_t i = 0; c->modifier == 0 && i < 8; i++)
    data[i] = (uint8_t)(guid >> (56 - 8 * i));
  return LOOM_STATUS_GOOD;
}

static uint32_t switch_info(const struct loom_agent_call *c, uint8_t *data) {
  if (!is_switch(c))
    return LOOM_STATUS_ATTRIBUTE;
  uint8_t *info = node(c)->info;
  if (c->set) {
    loom_mad_put(info, LOOM_SWITCH_LINEAR_TOP, loom_mad_get(data, LOOM_SWITCH_LINEAR_TOP));
    loom_mad_put(info, LOOM_SWITCH_LIFETIME, loom_mad_get(data, LOOM_SWITCH_LIFETIME));
    if (loom_mad_get(data, LOOM_SWITCH_PORT_CHANGE)) /* a 1 clears it */
      loom_mad_put(info, LOOM_SWITCH_PORT_CHANGE, 0);
  }
  memcpy(data, info, LOOM_SMP_BYTES);
  return LOOM_STATUS_GOOD;
}

/* ---- PortInfo -------------------------------------------------------------------------------- */

/* The steps of the state machine that a Set may ask for: 14.2.5.6, PortState. */
static bool may_become(uint32_t now, uint32_t next) {
  switch (next) {
  case LOOM_PORT_KEEP:
    return true;
  case LOOM_PORT_DOWN:
    return now != LOOM_PORT_DOWN;
  case LOOM_PORT_ARMED:
    return now >= LOOM_PORT_INIT;
  case LOOM_PORT_ACTIVE:
    return now >= LOOM_PORT_ARMED;
  default:
    return false;
  }
}

/* A width or speed that is enabled stays within what is supported; all ones, 0: as they are. */
static void enable(uint8_t *info, const uint8_t *data, enum loom_mad_field field, uint32_t all) {
  uint64_t value = loom_mad_get(data, field);
  if (value && value != all)
    loom_mad_put(info, field, value);
}

/* What a Set can change at once. */
static void take_fields(const struct loom_agent_call *c, uint32_t number, uint8_t *info,
                        const uint8_t *data) {
  static const enum loom_mad_field kept[] = {
      LOOM_PORT_SM_LID,  LOOM_PORT_SM_SL,     LOOM_PORT_LMC,          LOOM_PORT_HIGH_LIMIT,
      LOOM_PORT_TIMEOUT, LOOM_PORT_HEAD_LIFE, LOOM_PORT_NEIGHBOUR_MTU};
  if (!is_switch(c) || number == 0) {
    loom_mad_put(info, LOOM_PORT_LID, loom_mad_get(data, LOOM_PORT_LID));
    loom_mad_put(info, LOOM_PORT_PREFIX, loom_mad_get(data, LOOM_PORT_PREFIX));
  }
  for (uint32_t i = 0; i < sizeof kept / sizeof *kept; i++)
    loom_mad_put(info, kept[i], loom_mad_get(data, kept[i]));
  if (loom_mad_get(data, LOOM_PORT_VLS))
    loom_mad_put(info, LOOM_PORT_VLS, loom_mad_get(data, LOOM_PORT_VLS));
  enable(info, data, LOOM_PORT_WIDTH_ENABLED, 255);
  enable(info, data, LOOM_PORT_SPEED_ENABLED, 15);
  enable(info, data, LOOM_PORT_EXTENDED_ENABLED, 31);
}

/* Disabled, or polling again: the link goes down or comes up. */
static void take_physical(const struct loom_agent_call *c, uint32_t number, uint8_t *info,
                          uint32_t physical) {
  bool disabled = loom_mad_get(info, LOOM_PORT_PHYSICAL) == LOOM_PHYSICAL_DISABLED;
  if (physical == LOOM_PHYSICAL_DISABLED ? disabled
                                         : physical != LOOM_PHYSICAL_POLLING || !disabled)
    return;
  loom_mad_put(info, LOOM_PORT_PHYSICAL, physical);
  loom_subnet_train(c->subnet, c->at.device, number);
}

static uint32_t set_port(const struct loom_agent_call *c, uint32_t number, const uint8_t *data) {
  uint8_t *info = loom_subnet_port(c->subnet, c->at.device, number)->info;
  uint32_t next = (uint32_t)loom_mad_get(data, LOOM_PORT_STATE);
  uint32_t now = (uint32_t)loom_mad_get(info, LOOM_PORT_STATE);
  if (!may_become(now, next) ||
      loom_mad_get(data, LOOM_PORT_VLS) > loom_mad_get(info, LOOM_PORT_VL_CAP))
    return LOOM_STATUS_VALUE;
  take_fields(c, number, info, data);
  if (next >= LOOM_PORT_ARMED)
    loom_mad_put(info, LOOM_PORT_STATE, next);
  else if (next == LOOM_PORT_DOWN)
    loom_subnet_train(c->subnet, c->at.device, number);
  take_physical(c, number, info, (uint32_t)loom_mad_get(data, LOOM_PORT_PHYSICAL));
  if (c->subnet->hooks.port)
    c->subnet->hooks.port(c->subnet->hooks.context, c->at.device, number);
  return LOOM_STATUS_GOOD;
}

static uint32_t port_info(const struct loom_agent_call *c, uint8_t *data) {
  uint32_t number = c->modifier & 0x7FFFFFFF, status = LOOM_STATUS_GOOD; /* bit 31: 1.2 and later */
  if (number == 0 && !is_switch(c))
    number = c->at.port;
  if (number > ports(c) || (c->set && !is_switch(c) && number != c->at.port))
    return LOOM_STATUS_VALUE;
  if (c->set)
    status = set_port(c, number, data);
  memcpy(data, loom_subnet_port(c->subnet, c->at.device, number)->info, LOOM_SMP_BYTES);
  loom_mad_put(data, LOOM_PORT_LOCAL, c->at.port);
  return status;
}

/* ---- tables ---------------------------------------------------------------------------------- */

static uint32_t keys(const struct loom_agent_call *c, uint8_t *data) {
  uint32_t block = c->modifier & 0xFFFF, number = is_switch(c) ? c->modifier >> 16 : c->at.port;
  if (number > ports(c) || block >= LOOM_SUBNET_KEYS / KEY_BLOCK)
    return LOOM_STATUS_VALUE;
  struct loom_subnet_port *p = loom_subnet_port(c->subnet, c->at.device, number);
  exchange(c, p->key + block * LOOM_SMP_BYTES, data, LOOM_SMP_BYTES);
  return LOOM_STATUS_GOOD;
}

static uint32_t sl2vl(const struct loom_agent_call *c, uint8_t *data) {
  uint32_t in = c->modifier >> 8 & 0xFF, out = c->modifier & 0xFF;
  if (!is_switch(c)) {
    in = out = c->at.port;
    exchange(c, loom_subnet_port(c->subnet, c->at.device, out)->sl2vl, data, 8);
  } else if (in > ports(c) || out > ports(c)) {
    return LOOM_STATUS_VALUE;
  } else {
    exchange(c, node(c)->sl2vl + ((size_t)out * (ports(c) + 1) + in) * 8, data, 8);
  }
  if (c->set && c->subnet->hooks.sl2vl)
    c->subnet->hooks.sl2vl(c->subnet->hooks.context, c->at.device, in, out);
  return LOOM_STATUS_GOOD;
}

/* Blocks 1 and 2 are the lower table, 3 and 4 the higher one. */
static uint32_t vlarb(const struct loom_agent_call *c, uint8_t *data) {
  uint32_t number = is_switch(c) ? c->modifier & 0xFFFF : c->at.port;
  uint32_t block = (c->modifier >> 16) - 1, half = block % 2 * (LOOM_SUBNET_ENTRIES / 2);
  uint32_t entries = block < 2 ? c->subnet->cfg.low : c->subnet->cfg.high;
  if (number > ports(c) || block > 3 || entries <= half)
    return LOOM_STATUS_VALUE;
  struct loom_subnet_port *p = loom_subnet_port(c->subnet, c->at.device, number);
  uint32_t left = entries - half;
  exchange(c, p->vlarb + block * LOOM_SMP_BYTES, data,
           left < LOOM_SUBNET_ENTRIES / 2 ? 2 * left : LOOM_SMP_BYTES);
  if (c->set && c->subnet->hooks.vlarb)
    c->subnet->hooks.vlarb(c->subnet->hooks.context, c->at.device, number);
  return LOOM_STATUS_GOOD;
}

static uint32_t linear(const struct loom_agent_call *c, uint8_t *data) {
  if (!is_switch(c))
    return LOOM_STATUS_ATTRIBUTE;
  if (c->modifier >= c->subnet->cfg.lids / LOOM_SUBNET_BLOCK)
    return LOOM_STATUS_VALUE;
  uint32_t first = c->modifier * LOOM_SUBNET_BLOCK;
  exchange(c, node(c)->linear + first, data, LOOM_SUBNET_BLOCK);
  if (c->set && c->subnet->hooks.linear)
    c->subnet->hooks.linear(c->subnet->hooks.context, c->at.device, first, LOOM_SUBNET_BLOCK);
  return LOOM_STATUS_GOOD;
}

static uint32_t multicast(const struct loom_agent_call *c, uint8_t *data) {
  uint32_t block = c->modifier & 0x1FF, place = c->modifier >> 28, places = (ports(c) + 16) / 16;
  if (!is_switch(c))
    return LOOM_STATUS_ATTRIBUTE;
  if (block >= GROUP_BLOCKS || place >= places)
    return LOOM_STATUS_VALUE;
  exchange(c, node(c)->multicast + ((size_t)block * places + place) * LOOM_SMP_BYTES, data,
           LOOM_SMP_BYTES);
  return LOOM_STATUS_GOOD;
}

/* ---- all of them ----------------------------------------------------------------------------- */

loom_agent_answer *loom_agent_of_subnet(uint32_t attribute) {
  switch (attribute) {
  case LOOM_ATTRIBUTE_NODE_DESCRIPTION:
    return describe_node;
  case LOOM_ATTRIBUTE_NODE_INFO:
    return node_info;
  case LOOM_ATTRIBUTE_SWITCH_INFO:
    return switch_info;
  case LOOM_ATTRIBUTE_GUID_INFO:
    return guid_info;
  case LOOM_ATTRIBUTE_PORT_INFO:
    return port_info;
  case LOOM_ATTRIBUTE_PKEYS:
    return keys;
  case LOOM_ATTRIBUTE_SL2VL:
    return sl2vl;
  case LOOM_ATTRIBUTE_VLARB:
    return vlarb;
  case LOOM_ATTRIBUTE_LINEAR:
    return linear;
  case LOOM_ATTRIBUTE_MULTICAST:
    return multicast;
  default:
    return NULL;
  }
}
